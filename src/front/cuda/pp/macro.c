/* Macros: definition, and expansion as the standard has it.
 *
 * A macro's tokens are rescanned from a stack of contexts. While a context is on the stack its
 * macro is switched off, and a token that names it meanwhile is marked and never expanded: that is
 * what ends recursion. Arguments are expanded by the same machine behind a barrier. Each use of a
 * macro gets a range of locations, so that a diagnostic can say where the text stands and where the
 * macro was used. Token arrays are recycled; every token made counts against a budget. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "front/cuda/pp/pp_int.h"

struct tokbuf *pp_buf_get(struct pp *pp, uint32_t cap)
{
    unsigned k = 4;
    while ((1u << k) < cap)
        k++;
    struct tokbuf *b = pp->free_bufs[k];
    if (b) {
        pp->free_bufs[k] = b->next;
    } else {
        b = arena_new(pp->arena, struct tokbuf);
        b->data = arena_array(pp->arena, struct token, 1u << k);
        b->log2cap = (uint8_t)k;
    }
    b->len = 0;
    return b;
}

void pp_buf_put(struct pp *pp, struct tokbuf *b)
{
    b->next = pp->free_bufs[b->log2cap];
    pp->free_bufs[b->log2cap] = b;
}

void pp_buf_push(struct pp *pp, struct tokbuf **pb, const struct token *t)
{
    struct tokbuf *b = *pb;
    if (b->len == 1u << b->log2cap) {
        struct token copy = *t; /* t may lie in the buffer */
        struct tokbuf *larger = pp_buf_get(pp, b->len * 2);
        memcpy(larger->data, b->data, b->len * sizeof *b->data);
        larger->len = b->len;
        pp_buf_put(pp, b);
        *pb = b = larger;
        b->data[b->len++] = copy;
        return;
    }
    b->data[b->len++] = *t;
}

/* ---- definition -------------------------------------------------------------------------- */

static bool same_body(const struct macro *a, const struct macro *b)
{
    if (a->kind != b->kind || a->variadic != b->variadic || a->nparams != b->nparams ||
        a->nbody != b->nbody)
        return false;
    for (uint32_t i = 0; i < a->nparams; i++)
        if (a->params[i] != b->params[i])
            return false;
    for (uint32_t i = 0; i < a->nbody; i++) {
        const struct token *x = &a->body[i], *y = &b->body[i];
        if (x->kind != y->kind || x->punct != y->punct ||
            (i && ((x->flags ^ y->flags) & (TOKEN_SPACE | PP_PASTE))))
            return false;
        bool same = true;
        if (x->kind == TOKEN_IDENT)
            same = x->u.name == y->u.name;
        else if (x->kind >= PP_PARAM) /* here the length is an index or a count */
            same = x->u.text.len == y->u.text.len;
        else if (x->kind != TOKEN_PUNCT)
            same = str_eq(x->u.text, y->u.text);
        if (!same)
            return false;
    }
    return true;
}

/* Reads "(a, b, ...)" from line->data[*at]; false after a diagnostic. */
static bool parameters(struct pp *pp, struct tokbuf *line, uint32_t *at, struct macro *m)
{
    const char *params[PP_MAX_PARAMS];
    const struct token *t = &line->data[*at + 1];
    if (!token_is(t, PUNCT_RPAREN)) {
        for (;; t++) {
            const char *name = pp->va_args;
            struct span span = t->span;
            if (t->kind == TOKEN_IDENT && t->u.name != pp->va_args) {
                name = t->u.name;
                t++;
            } else if (!token_is(t, PUNCT_ELLIPSIS)) {
                diag_error(pp->diag, span, "expected a parameter name");
                return false;
            }
            if (token_is(t, PUNCT_ELLIPSIS)) {
                m->variadic = true;
                t++;
            }
            for (uint32_t i = 0; i < m->nparams; i++)
                if (params[i] == name) {
                    diag_error(pp->diag, span, "there is already a parameter '%s'", name);
                    return false;
                }
            if (m->nparams == PP_MAX_PARAMS) {
                diag_error(pp->diag, span, "a macro cannot have more than %d parameters",
                           PP_MAX_PARAMS);
                return false;
            }
            params[m->nparams++] = name;
            if (m->variadic || !token_is(t, PUNCT_COMMA))
                break;
        }
        if (!token_is(t, PUNCT_RPAREN)) {
            diag_error(pp->diag, t->span,
                       m->variadic ? "expected ) after ..."
                                   : "expected , or ) in the parameter list");
            return false;
        }
    }
    m->params = arena_array(pp->arena, const char *, m->nparams ? m->nparams : 1);
    if (m->nparams)
        memcpy(m->params, params, m->nparams * sizeof *params);
    *at = (uint32_t)(t + 1 - line->data);
    return true;
}

static int find_param(const struct macro *m, const struct token *t)
{
    if (t->kind == TOKEN_IDENT)
        for (uint32_t i = 0; i < m->nparams; i++)
            if (m->params[i] == t->u.name)
                return (int)i;
    return -1;
}

/* Turns line[from, end) into body tokens: parameters found, # and ## folded into flags and kinds.
 * In place, for the body never gets longer. Returns the new end, or 0 after a diagnostic. */
static uint32_t body_tokens(struct pp *pp, struct macro *m, struct token *t, uint32_t end)
{
    uint32_t out = 0;
    uint32_t opt_at = 0;     /* where the open __VA_OPT__ stands, + 1 */
    unsigned opt_parens = 0; /* open parentheses inside it */
    m->plain = true;
    for (uint32_t i = 0; i < end; i++) {
        struct token x = t[i];
        int param;
        bool stringize = false;
        if (token_is(&x, PUNCT_HASHHASH)) {
            if (out == 0 || i + 1 == end || opt_at == out) {
                diag_error(pp->diag, x.span, "## cannot stand at either end of a macro");
                return UINT32_MAX;
            }
            t[out - 1].flags |= PP_PASTE;
            m->plain = false;
            continue;
        }
        if (token_is(&x, PUNCT_HASH) && m->kind == MACRO_FUNCTION) {
            bool opt = m->variadic && i + 1 < end && t[i + 1].kind == TOKEN_IDENT &&
                       t[i + 1].u.name == pp->va_opt;
            if (i + 1 == end || (find_param(m, &t[i + 1]) < 0 && !opt)) {
                diag_error(pp->diag, x.span, "# needs a macro parameter after it");
                return UINT32_MAX;
            }
            uint8_t flags = x.flags;
            x = t[++i];
            x.flags = flags;
            stringize = true;
        }
        if (x.kind == TOKEN_IDENT && x.u.name == pp->va_opt && m->variadic && !opt_at) {
            if (i + 1 == end || !token_is(&t[i + 1], PUNCT_LPAREN)) {
                diag_error(pp->diag, x.span, "__VA_OPT__ needs parentheses after it");
                return UINT32_MAX;
            }
            i++;
            x.kind = stringize ? PP_VA_OPT_STRINGIZE : PP_VA_OPT;
            t[out++] = x;
            opt_at = out;
            opt_parens = 1;
            m->plain = false;
            continue;
        }
        if (opt_at && token_is(&x, PUNCT_LPAREN))
            opt_parens++;
        if (opt_at && token_is(&x, PUNCT_RPAREN) && --opt_parens == 0) {
            if (token_is(&t[i - 1], PUNCT_HASHHASH)) {
                diag_error(pp->diag, x.span, "## cannot stand at either end of __VA_OPT__");
                return UINT32_MAX;
            }
            t[opt_at - 1].u.text = (struct str){"__VA_OPT__", out - opt_at};
            opt_at = 0;
            continue;
        }
        if (x.kind == TOKEN_IDENT && x.u.name == pp->va_args && !m->variadic)
            diag_warn(pp->diag, "variadic-macros", x.span,
                      "__VA_ARGS__ means something only in a macro with ...");
        if ((param = find_param(m, &x)) >= 0) {
            x.kind = stringize ? PP_STRINGIZE : PP_PARAM;
            x.u.text = (struct str){m->params[param], (size_t)param};
            m->plain = false;
        }
        t[out++] = x;
    }
    if (opt_at) {
        diag_error(pp->diag, t[opt_at - 1].span, "this __VA_OPT__( has no )");
        return UINT32_MAX;
    }
    return out;
}

void pp_define(struct pp *pp, struct tokbuf *line, struct span at)
{
    uint32_t len = line->len;
    struct token *name = &line->data[0];
    if (name->kind != TOKEN_IDENT) {
        diag_error(pp->diag, len ? name->span : at, "expected the name of a macro");
        return;
    }
    struct macro *old = pp_macro(pp, name->u.name);
    if ((old && (old->kind == MACRO_DEFINED || old->kind == MACRO_NAMED_PUNCT)) ||
        name->u.name == pp->va_args || name->u.name == pp->va_opt) {
        diag_error(pp->diag, name->span, "'%s' cannot be a macro name", name->u.name);
        return;
    }
    struct macro *m = arena_new(pp->arena, struct macro);
    m->name = name->u.name;
    m->span = name->span;
    m->system = name->flags & TOKEN_SYSTEM;
    m->kind = MACRO_OBJECT;
    uint32_t from = 1;
    if (len > 1 && token_is(&line->data[1], PUNCT_LPAREN) && !(line->data[1].flags & TOKEN_SPACE)) {
        m->kind = MACRO_FUNCTION;
        if (!parameters(pp, line, &from, m))
            return;
    }
    if (len > from) {
        const struct token *last = &line->data[len - 1];
        m->body_loc = line->data[from].span.loc;
        m->body_len = last->span.loc + last->span.len - m->body_loc;
        line->data[from].flags &= (uint8_t)~TOKEN_SPACE;
    }
    m->nbody = body_tokens(pp, m, line->data + from, len - from);
    if (m->nbody == UINT32_MAX)
        return;
    m->body = arena_array(pp->arena, struct token, m->nbody ? m->nbody : 1);
    if (m->nbody)
        memcpy(m->body, line->data + from, m->nbody * sizeof *m->body);
    if (old && old->kind != MACRO_WORD && !same_body(old, m)) {
        if (diag_warn(pp->diag, "macro-redefined", m->span, "macro '%s' is defined anew",
                      m->name) &&
            old->span.loc)
            diag_note(pp->diag, old->span, "it was defined here");
    }
    if (old && old->system && !m->system)
        pp->images = NULL; /* which have the old one */
    map_set(&pp->macros, map_key(m->name), m);
    pp_record(pp, PP_DEFINES, m);
}

static void builtin(struct pp *pp, const char *name, enum macro_kind kind, enum punct punct)
{
    struct macro *m = arena_new(pp->arena, struct macro);
    m->name = intern_z(pp->names, name);
    m->kind = (uint8_t)kind;
    m->punct = (uint8_t)punct;
    m->system = true;
    map_set(&pp->macros, map_key(m->name), m);
}

void pp_builtin_macros(struct pp *pp)
{
    static const struct {
        const char *name;
        uint8_t kind, punct;
    } table[] = {
        {"and", MACRO_NAMED_PUNCT, PUNCT_ANDAND},
        {"and_eq", MACRO_NAMED_PUNCT, PUNCT_AND_ASSIGN},
        {"bitand", MACRO_NAMED_PUNCT, PUNCT_AND},
        {"bitor", MACRO_NAMED_PUNCT, PUNCT_OR},
        {"compl", MACRO_NAMED_PUNCT, PUNCT_TILDE},
        {"not", MACRO_NAMED_PUNCT, PUNCT_NOT},
        {"not_eq", MACRO_NAMED_PUNCT, PUNCT_NE},
        {"or", MACRO_NAMED_PUNCT, PUNCT_OROR},
        {"or_eq", MACRO_NAMED_PUNCT, PUNCT_OR_ASSIGN},
        {"xor", MACRO_NAMED_PUNCT, PUNCT_XOR},
        {"xor_eq", MACRO_NAMED_PUNCT, PUNCT_XOR_ASSIGN},
        {"__LINE__", MACRO_LINE, 0},
        {"__FILE__", MACRO_FILE, 0},
        {"__BASE_FILE__", MACRO_BASE_FILE, 0},
        {"__COUNTER__", MACRO_COUNTER, 0},
        {"__INCLUDE_LEVEL__", MACRO_INCLUDE_LEVEL, 0},
        {"__DATE__", MACRO_DATE, 0},
        {"__TIME__", MACRO_TIME, 0},
        {"_Pragma", MACRO_PRAGMA_OPERATOR, 0},
        {"defined", MACRO_DEFINED, 0},
        {"__has_include", MACRO_HAS_INCLUDE, 0},
        {"__has_include_next", MACRO_HAS_INCLUDE_NEXT, 0},
        {"__has_attribute", MACRO_HAS_ATTRIBUTE, 0},
        {"__has_cpp_attribute", MACRO_HAS_ATTRIBUTE, 0},
        {"__has_builtin", MACRO_HAS_BUILTIN, 0},
        {"__host__", MACRO_WORD, 0},
        {"__device__", MACRO_WORD, 0},
        {"__global__", MACRO_WORD, 0},
        {"__shared__", MACRO_WORD, 0},
        {"__constant__", MACRO_WORD, 0},
        {"__managed__", MACRO_WORD, 0},
        {"__grid_constant__", MACRO_WORD, 0},
        {"__launch_bounds__", MACRO_WORD, 0},
        {"__forceinline__", MACRO_WORD, 0},
        {"__align__", MACRO_WORD, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        builtin(pp, table[i].name, table[i].kind, table[i].punct);
}

/* ---- contexts ---------------------------------------------------------------------------- */

static void push_context(struct pp *pp, struct context c)
{
    if (c.macro)
        c.macro->active = true;
    vec_push(pp->arena, &pp->contexts, c);
}

static void pop_context(struct pp *pp)
{
    struct context *c = &vec_pop(&pp->contexts);
    if (c->macro)
        c->macro->active = false;
    if (c->owned)
        pp_buf_put(pp, c->owned);
}

static bool spend(struct pp *pp, struct span at)
{
    if (pp->budget-- > 0)
        return true;
    pp->budget = 0;
    if (!pp->stop)
        pp_fatal(pp, at,
                 "macros expand to too many tokens; the limit is %d and 16 for each byte of source",
                 PP_EXPANSION_TOKENS);
    return false;
}

/* The next token from contexts and files, not expanded. A name whose macro is being expanded is
 * marked as it passes. *m is its macro, if it has one. EOF at a barrier. */
static void raw_token(struct pp *pp, struct token *t, struct macro **m)
{
    *m = NULL;
    for (;;) {
        if (pp->stop) {
            t->kind = TOKEN_EOF;
            return;
        }
        if (pp->contexts.len) {
            struct context *c = &vec_last(&pp->contexts);
            if (c->cur == c->end) {
                if (c->barrier) {
                    t->kind = TOKEN_EOF;
                    return;
                }
                pop_context(pp);
                continue;
            }
            *t = *c->cur++;
            t->span.loc += c->shift;
            if (c->first) {
                t->flags = (uint8_t)((t->flags & ~(TOKEN_SPACE | TOKEN_BOL)) | c->first_flags);
                c->first = false;
            }
            if (!spend(pp, t->span))
                continue;
        } else if (pp->have_peeked) {
            *t = pp->peeked;
            pp->have_peeked = false;
        } else {
            pp_file_token(pp, t);
        }
        break;
    }
    if (t->kind == TOKEN_IDENT && !(t->flags & PP_NO_EXPAND)) {
        *m = pp_macro(pp, t->u.name);
        if (pp->in_if)
            pp_asked_for(pp, t, *m);
        if (*m && (t->flags & TOKEN_SYSTEM) && !(*m)->system && !pp->in_if)
            *m = NULL; /* our headers mean what they say, whatever the user has defined: only their
                        * conditions ask for that */
        if (*m && (*m)->active)
            t->flags |= PP_NO_EXPAND;
    }
}

void pp_asked_for(struct pp *pp, const struct token *name, struct macro *m)
{
    pp_record(pp, PP_ASKS, name->u.name);
    if (!m || m->system || !(name->flags & TOKEN_SYSTEM))
        return;
    vec_each (struct macro *, it, &pp->out->settings)
        if (*it == m)
            return;
    vec_push(pp->arena, &pp->out->settings, m);
}

static void unread(struct pp *pp, const struct token *t)
{
    if (t->kind == TOKEN_EOF)
        return; /* ends come again by themselves */
    if (pp->contexts.len) {
        /* a context of its own: the token may have been changed on its way */
        struct tokbuf *b = pp_buf_get(pp, 1);
        pp_buf_push(pp, &b, t);
        push_context(pp, (struct context){.cur = b->data, .end = b->data + 1, .owned = b});
    } else {
        pp->peeked = *t;
        pp->have_peeked = true;
    }
}

/* ---- function-like macros ---------------------------------------------------------------- */

struct arg {
    uint32_t begin, end; /* in the raw tokens */
    bool has_macro;      /* expanding it may change it */
    struct tokbuf *expanded;
};

struct call {
    struct macro *macro;
    struct token name;
    struct tokbuf *raw;
    struct arg *args;
    uint32_t nargs;
    source_loc base; /* the expansion's range of locations; 0 if there is none to be had */
};

static source_loc body_loc(const struct call *c, source_loc loc)
{
    return c->base ? c->base + (loc - c->macro->body_loc) : c->name.span.loc;
}

static source_loc expansion_base(struct pp *pp, const struct macro *m, struct span use)
{
    if (!m->body_len)
        return 0;
    return source_add_expansion(pp->sm, m->body_loc, use.loc, m->body_len, m->name);
}

/* Reads the arguments behind the ( of a call. args has room for PP_MAX_PARAMS + 1. */
static bool collect(struct pp *pp, struct call *c)
{
    const struct macro *m = c->macro;
    uint32_t parens = 0;
    c->nargs = 0;
    c->args[0] = (struct arg){0};
    for (;;) {
        struct token t;
        struct macro *named;
        raw_token(pp, &t, &named);
        if (t.kind == TOKEN_EOF) {
            if (!pp->stop) {
                diag_error(pp->diag, c->name.span, "this use of macro '%s' has no closing )",
                           m->name);
                if (m->span.loc)
                    diag_note(pp->diag, m->span, "it is defined here");
            }
            return false;
        }
        if (t.kind == TOKEN_PUNCT) {
            bool ends = t.punct == PUNCT_RPAREN && parens == 0;
            bool splits = t.punct == PUNCT_COMMA && parens == 0 &&
                          !(m->variadic && c->nargs + 1 == m->nparams);
            parens += t.punct == PUNCT_LPAREN;
            parens -= t.punct == PUNCT_RPAREN && !ends;
            if (ends || splits) {
                if (c->nargs <= m->nparams) {
                    c->args[c->nargs].end = c->raw->len;
                    c->args[c->nargs + 1] = (struct arg){.begin = c->raw->len};
                }
                c->nargs++;
                if (ends)
                    break;
                continue;
            }
        }
        if (c->raw->len == PP_MAX_ARGUMENT_TOKENS) {
            pp_fatal(pp, c->name.span, "the arguments of macro '%s' are longer than %d tokens",
                     m->name, PP_MAX_ARGUMENT_TOKENS);
            return false;
        }
        if (c->nargs <= m->nparams) {
            c->args[c->nargs].has_macro |= named != NULL;
            pp_buf_push(pp, &c->raw, &t);
        }
    }
    if (m->nparams == 0 && c->nargs == 1 && c->args[0].begin == c->args[0].end)
        c->nargs = 0;
    if (m->variadic && c->nargs + 1 == m->nparams) { /* the variable arguments may be left out */
        c->args[c->nargs].end = c->args[c->nargs].begin;
        c->nargs++;
    }
    if (c->nargs != m->nparams) {
        diag_error(pp->diag, c->name.span, "macro '%s' takes %s%u argument%s and is given %u",
                   m->name, m->variadic ? "at least " : "", (unsigned)(m->nparams - m->variadic),
                   m->nparams - m->variadic == 1 ? "" : "s", (unsigned)c->nargs);
        if (m->span.loc)
            diag_note(pp->diag, m->span, "it is defined here");
        return false;
    }
    return true;
}

/* Expands the tokens between two pointers as if nothing stood around them. */
static struct tokbuf *expand_alone(struct pp *pp, const struct token *from, const struct token *to,
                                   struct span at)
{
    struct tokbuf *out = pp_buf_get(pp, (uint32_t)(to - from));
    if (++pp->nesting > PP_MAX_MACRO_NESTING) {
        pp_fatal(pp, at, "macro arguments are nested too deeply");
        return out;
    }
    push_context(pp, (struct context){.cur = from, .end = to, .barrier = true});
    for (;;) {
        struct token t;
        pp_next(pp, &t);
        if (t.kind == TOKEN_EOF)
            break;
        pp_buf_push(pp, &out, &t);
    }
    while (!vec_last(&pp->contexts).barrier) /* only after a fatal error */
        pop_context(pp);
    pop_context(pp);
    pp->nesting--;
    return out;
}

void pp_expand_line(struct pp *pp, struct tokbuf *line, struct tokbuf **out)
{
    *out = expand_alone(pp, line->data, line->data + line->len,
                        line->len ? line->data[0].span : span_at(0, 0));
}

static void expanded_arg(struct pp *pp, struct call *c, struct arg *a, const struct token **from,
                         const struct token **to)
{
    if (!a->has_macro) {
        *from = c->raw->data + a->begin;
        *to = c->raw->data + a->end;
        return;
    }
    if (!a->expanded)
        a->expanded =
            expand_alone(pp, c->raw->data + a->begin, c->raw->data + a->end, c->name.span);
    *from = a->expanded->data;
    *to = a->expanded->data + a->expanded->len;
}

/* A string token that spells the tokens. */
static struct token stringize(struct pp *pp, const struct token *from, const struct token *to,
                              const struct token *like)
{
    struct sbuf *b = &pp->scratch;
    struct token t = *like;
    b->len = 0;
    sbuf_putc(b, '"');
    for (const struct token *x = from; x < to; x++) {
        if (x > from && (x->flags & (TOKEN_SPACE | TOKEN_BOL)))
            sbuf_putc(b, ' ');
        size_t at = b->len;
        lex_spelling(x, b);
        if (x->kind != TOKEN_STRING && x->kind != TOKEN_CHAR)
            continue;
        size_t n = b->len - at, escapes = 0;
        for (size_t i = 0; i < n; i++)
            escapes += b->data[at + i] == '"' || b->data[at + i] == '\\' || b->data[at + i] == '\n';
        for (size_t i = 0; i < escapes; i++)
            sbuf_putc(b, ' ');
        for (size_t r = at + n, w = b->len; w > r;) { /* open gaps from the end */
            char ch = b->data[--r];
            b->data[--w] = ch == '\n' ? 'n' : ch;
            if (ch == '"' || ch == '\\' || ch == '\n')
                b->data[--w] = '\\';
        }
    }
    sbuf_putc(b, '"');
    t.kind = TOKEN_STRING;
    t.punct = 0;
    t.prefix = 0;
    t.u.text = (struct str){arena_strndup(pp->arena, b->data, b->len), b->len};
    return t;
}

/* Makes one token of two; false after a diagnostic. */
static bool paste(struct pp *pp, struct token *left, const struct token *right)
{
    if (right->kind == PP_PLACEMARKER)
        return true;
    if (left->kind == PP_PLACEMARKER) {
        uint8_t flags = left->flags & (TOKEN_SPACE | TOKEN_BOL);
        *left = *right;
        left->flags = (uint8_t)((right->flags & ~(TOKEN_SPACE | TOKEN_BOL)) | flags);
        return true;
    }
    struct sbuf *b = &pp->scratch;
    b->len = 0;
    lex_spelling(left, b);
    lex_spelling(right, b);
    const char *text = intern(pp->names, b->data, b->len);
    struct lexer lx;
    struct token t;
    lex_init(&lx, pp->arena, pp->names, NULL, text, b->len, 0);
    lx.no_splice = true;
    lex_token(&lx, &t);
    if (lx.p != lx.end || t.kind == TOKEN_EOF || t.span.len != (size_t)(lx.end - lx.text) ||
        t.kind == PP_OTHER) {
        diag_error(pp->diag, left->span, "pasting gives '%s', which is not one token", text);
        return false;
    }
    t.flags = left->flags & (TOKEN_SPACE | TOKEN_BOL | TOKEN_SYSTEM);
    t.span = left->span;
    *left = t;
    return true;
}

static void substitute(struct pp *pp, struct call *c, uint32_t from, uint32_t to,
                       struct tokbuf **out);

/* Adds what body token i stands for; returns how many body tokens it took. */
static uint32_t substitute_one(struct pp *pp, struct call *c, uint32_t i, bool pasted,
                               struct tokbuf **out)
{
    const struct macro *m = c->macro;
    struct token t = m->body[i];
    const struct token *begin, *end;
    uint32_t start = (*out)->len, took = 1;
    t.span.loc = body_loc(c, t.span.loc);
    t.flags &= (uint8_t)~PP_PASTE;
    switch (t.kind) {
    case PP_PARAM: {
        struct arg *a = &c->args[t.u.text.len];
        if (pasted) {
            begin = c->raw->data + a->begin;
            end = c->raw->data + a->end;
        } else {
            expanded_arg(pp, c, a, &begin, &end);
        }
        for (const struct token *x = begin; x < end; x++)
            if (spend(pp, c->name.span))
                pp_buf_push(pp, out, x);
        break;
    }
    case PP_STRINGIZE: {
        struct arg *a = &c->args[t.u.text.len];
        t = stringize(pp, c->raw->data + a->begin, c->raw->data + a->end, &t);
        pp_buf_push(pp, out, &t);
        break;
    }
    case PP_VA_OPT:
    case PP_VA_OPT_STRINGIZE:
        took += (uint32_t)t.u.text.len;
        expanded_arg(pp, c, &c->args[m->nparams - 1], &begin, &end);
        if (begin < end)
            substitute(pp, c, i + 1, i + took, out);
        if (t.kind == PP_VA_OPT_STRINGIZE) {
            t = stringize(pp, (*out)->data + start, (*out)->data + (*out)->len, &t);
            (*out)->len = start;
            pp_buf_push(pp, out, &t);
        }
        break;
    default:
        if (spend(pp, c->name.span))
            pp_buf_push(pp, out, &t);
        break;
    }
    if ((*out)->len == start) {
        struct token empty = t;
        empty.kind = PP_PLACEMARKER;
        pp_buf_push(pp, out, &empty);
    } else {
        struct token *first = &(*out)->data[start];
        first->flags = (uint8_t)((first->flags & ~(TOKEN_SPACE | TOKEN_BOL)) |
                                 (t.flags & (TOKEN_SPACE | TOKEN_BOL)));
    }
    return took;
}

/* Body tokens [from, to) with arguments put in and ## done. Empty things stay as placemarkers. */
static void substitute(struct pp *pp, struct call *c, uint32_t from, uint32_t to,
                       struct tokbuf **out)
{
    const struct macro *m = c->macro;
    bool paste_next = false;
    for (uint32_t i = from; i < to && !pp->stop;) {
        const struct token *t = &m->body[i];
        uint32_t width = t->kind == PP_VA_OPT || t->kind == PP_VA_OPT_STRINGIZE
                             ? 1 + (uint32_t)t->u.text.len
                             : 1;
        /* ## behind __VA_OPT__(…) is marked on its last token, or on itself if it is empty */
        bool paste_after = (m->body[i + width - 1].flags & PP_PASTE) && i + width < to;
        bool comma = paste_after && t->kind == TOKEN_PUNCT && t->punct == PUNCT_COMMA &&
                     m->variadic && m->body[i + 1].kind == PP_PARAM &&
                     m->body[i + 1].u.text.len == m->nparams - 1;
        if (comma && !paste_next) { /* GNU: , ## __VA_ARGS__ drops the comma before nothing */
            const struct arg *a = &c->args[m->nparams - 1];
            bool none = a->begin == a->end;
            if (!none)
                substitute_one(pp, c, i, false, out);
            bool further = (m->body[i + 1].flags & PP_PASTE) && i + 2 < to;
            if (!none || further)
                substitute_one(pp, c, i + 1, further, out);
            paste_next = further;
            i += 2;
            continue;
        }
        uint32_t start = (*out)->len;
        i += substitute_one(pp, c, i, paste_next || paste_after, out);
        if (paste_next && start > 0 && paste(pp, &(*out)->data[start - 1], &(*out)->data[start])) {
            struct tokbuf *b = *out;
            memmove(b->data + start, b->data + start + 1, (b->len - start - 1) * sizeof *b->data);
            b->len--;
        }
        paste_next = paste_after;
    }
}

static bool call_macro(struct pp *pp, struct macro *m, struct token *t)
{
    struct token paren;
    struct macro *named;
    raw_token(pp, &paren, &named);
    if (!token_is(&paren, PUNCT_LPAREN)) {
        unread(pp, &paren);
        return false;
    }
    struct arg small[8], *args = small;
    if (m->nparams + 2 > 8)
        args = arena_array(pp->arena, struct arg, m->nparams + 2);
    struct call c = {.macro = m, .name = *t, .args = args, .raw = pp_buf_get(pp, 16)};
    bool good = collect(pp, &c);
    if (good) {
        struct tokbuf *out = pp_buf_get(pp, m->nbody);
        c.base = expansion_base(pp, m, t->span);
        substitute(pp, &c, 0, m->nbody, &out);
        uint32_t n = 0;
        for (uint32_t i = 0; i < out->len; i++)
            if (out->data[i].kind != PP_PLACEMARKER)
                out->data[n++] = out->data[i];
        out->len = n;
        push_context(pp, (struct context){.cur = out->data,
                                          .end = out->data + n,
                                          .macro = m,
                                          .owned = out,
                                          .first = true,
                                          .first_flags = t->flags & (TOKEN_SPACE | TOKEN_BOL)});
        for (uint32_t i = 0; i < c.nargs; i++)
            if (args[i].expanded)
                pp_buf_put(pp, args[i].expanded);
    }
    pp_buf_put(pp, c.raw);
    return good;
}

/* ---- built-in macros --------------------------------------------------------------------- */

static void make_number(struct pp *pp, struct token *t, unsigned long long v)
{
    char buf[24];
    int n = snprintf(buf, sizeof buf, "%llu", v);
    t->kind = TOKEN_NUMBER;
    t->u.text = (struct str){intern(pp->names, buf, (size_t)n), (size_t)n};
}

static void make_string(struct pp *pp, struct token *t, const char *z)
{
    struct token inner = {.kind = TOKEN_STRING, .u.text = str_of(z)};
    struct sbuf *b = &pp->scratch;
    b->len = 0;
    sbuf_putc(b, '"');
    for (; *z; z++) {
        if (*z == '"' || *z == '\\')
            sbuf_putc(b, '\\');
        sbuf_putc(b, *z);
    }
    sbuf_putc(b, '"');
    inner.u.text.ptr = intern(pp->names, b->data, b->len);
    inner.u.text.len = b->len;
    t->kind = TOKEN_STRING;
    t->prefix = 0;
    t->u.text = inner.u.text;
}

static void make_time(struct pp *pp, struct token *t, const char *format)
{
    char buf[64];
    time_t now = time(NULL);
    struct tm tm;
    if (!localtime_r(&now, &tm) || !strftime(buf, sizeof buf, format, &tm))
        buf[0] = 0;
    make_string(pp, t, buf);
}

/* defined X, defined(X): t becomes 0 or 1. */
static void defined_operator(struct pp *pp, struct token *t)
{
    struct token x;
    struct macro *m;
    raw_token(pp, &x, &m);
    bool paren = token_is(&x, PUNCT_LPAREN);
    if (paren)
        raw_token(pp, &x, &m);
    if (x.kind != TOKEN_IDENT) {
        diag_error(pp->diag, t->span, "'defined' needs the name of a macro");
        unread(pp, &x);
    }
    bool is = x.kind == TOKEN_IDENT && pp_macro(pp, x.u.name);
    if (paren) {
        raw_token(pp, &x, &m);
        if (!token_is(&x, PUNCT_RPAREN)) {
            diag_error(pp->diag, t->span, "'defined(' has no closing )");
            unread(pp, &x);
        }
    }
    make_number(pp, t, is);
}

static void has_operator(struct pp *pp, struct token *t, enum macro_kind kind)
{
    /* Attributes that the parser takes, with the value C++ gives them. */
    static const struct {
        const char *name;
        unsigned value;
    } attributes[] = {{"nodiscard", 201603},
                      {"maybe_unused", 201603},
                      {"fallthrough", 201603},
                      {"deprecated", 201309},
                      {"noreturn", 200809},
                      {"likely", 201803},
                      {"unlikely", 201803},
                      {"always_inline", 1},
                      {"noinline", 1},
                      {"aligned", 1},
                      {"packed", 1},
                      {"unused", 1},
                      {"no_unique_address", 201803}};
    struct tokbuf *b = pp_buf_get(pp, 16);
    struct token x;
    struct macro *m;
    unsigned depth = 0;
    do {
        raw_token(pp, &x, &m);
        depth += token_is(&x, PUNCT_LPAREN);
        depth -= depth && token_is(&x, PUNCT_RPAREN);
        pp_buf_push(pp, &b, &x);
    } while (depth && x.kind != TOKEN_EOF);
    unsigned value = 0;
    if (b->len < 3 || x.kind == TOKEN_EOF) {
        diag_error(pp->diag, t->span, "'%s' needs something in parentheses", t->u.name);
    } else if (kind == MACRO_HAS_ATTRIBUTE) {
        const struct token *last = &b->data[b->len - 2];
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            if (last->kind == TOKEN_IDENT && !strcmp(last->u.name, attributes[i].name))
                value = attributes[i].value;
    } else if (kind != MACRO_HAS_BUILTIN) {
        const char *name, *declares;
        bool quoted;
        uint32_t next;
        struct pp_header *h;
        int dir;
        enum pp_skip why;
        b->len--;
        if (pp_header_name(pp, b, 1, &name, &quoted, &next)) {
            enum header_found f = pp_find_header(pp, name, quoted, kind == MACRO_HAS_INCLUDE_NEXT,
                                                 &h, &dir, &why, &declares);
            value = f == HEADER_READ || (f == HEADER_SKIP && why == PP_SKIP_HOST);
        } else {
            diag_error(pp->diag, t->span, "'%s' needs \"a header\" or <a header>", t->u.name);
        }
    }
    pp_buf_put(pp, b);
    make_number(pp, t, value);
}

static bool expand(struct pp *pp, struct macro *m, struct token *t);

/* _Pragma("text") acts like #pragma text; the string may come from a macro. False if t became a
 * token. */
static bool pragma_operator(struct pp *pp, struct token *t)
{
    struct token open, text, close;
    struct macro *m;
    raw_token(pp, &open, &m);
    do
        raw_token(pp, &text, &m);
    while (m && m->kind != MACRO_PRAGMA_OPERATOR && !(text.flags & PP_NO_EXPAND) &&
           expand(pp, m, &text));
    raw_token(pp, &close, &m);
    if (!token_is(&open, PUNCT_LPAREN) || text.kind != TOKEN_STRING ||
        !token_is(&close, PUNCT_RPAREN)) {
        diag_error(pp->diag, t->span, "_Pragma needs a string in parentheses");
        return true;
    }
    struct token decoded;
    literal_string(pp->arena, pp->diag, &pp->scratch,
                   &(struct literal_piece){text.u.text, text.span}, 1, &decoded);
    struct token p = {.kind = TOKEN_PRAGMA, .flags = t->flags, .span = t->span};
    p.u.text = decoded.u.text;
    pp_pragma(pp, &p, t->span);
    *t = p;
    return p.kind != TOKEN_PRAGMA;
}

/* Replaces t by what the macro stands for. True: look again for the next token. */
static bool expand(struct pp *pp, struct macro *m, struct token *t)
{
    if (m->kind >= MACRO_DEFINED && !pp->in_if)
        return false;
    pp_record(pp, PP_USES, m);
    switch ((enum macro_kind)m->kind) {
    case MACRO_OBJECT:
        if (m->plain) {
            source_loc base = expansion_base(pp, m, t->span);
            push_context(pp, (struct context){.cur = m->body,
                                              .end = m->body + m->nbody,
                                              .macro = m,
                                              .shift = base ? base - m->body_loc : 0,
                                              .first = true,
                                              .first_flags = t->flags & (TOKEN_SPACE | TOKEN_BOL)});
        } else {
            struct call c = {.macro = m, .name = *t, .base = expansion_base(pp, m, t->span)};
            struct tokbuf *out = pp_buf_get(pp, m->nbody);
            substitute(pp, &c, 0, m->nbody, &out);
            push_context(pp, (struct context){.cur = out->data,
                                              .end = out->data + out->len,
                                              .macro = m,
                                              .owned = out,
                                              .first = true,
                                              .first_flags = t->flags & (TOKEN_SPACE | TOKEN_BOL)});
        }
        return true;
    case MACRO_FUNCTION: return call_macro(pp, m, t);
    case MACRO_NAMED_PUNCT: /* its spelling stays: __atomic_fetch_##and */
        t->kind = TOKEN_PUNCT;
        t->punct = m->punct;
        t->prefix = PUNCT_NAMED;
        return false;
    case MACRO_LINE:
    case MACRO_FILE: {
        struct source_pos pos = {.path = "", .line = 0};
        source_position(pp->sm, source_expanded(pp->sm, t->span.loc), &pos);
        if (m->kind == MACRO_LINE)
            make_number(pp, t, pos.line);
        else
            make_string(pp, t, pos.path);
        return false;
    }
    case MACRO_BASE_FILE: make_string(pp, t, pp->base_path); return false;
    case MACRO_COUNTER: make_number(pp, t, pp->counter++); return false;
    case MACRO_INCLUDE_LEVEL: make_number(pp, t, pp->buffers.len - 1); return false;
    case MACRO_DATE: make_time(pp, t, "%b %e %Y"); return false;
    case MACRO_TIME: make_time(pp, t, "%H:%M:%S"); return false;
    case MACRO_PRAGMA_OPERATOR: return pragma_operator(pp, t);
    case MACRO_DEFINED: defined_operator(pp, t); return false;
    case MACRO_HAS_INCLUDE:
    case MACRO_HAS_INCLUDE_NEXT:
    case MACRO_HAS_ATTRIBUTE:
    case MACRO_HAS_BUILTIN: has_operator(pp, t, (enum macro_kind)m->kind); return false;
    case MACRO_WORD: return false;
    }
    return false;
}

void pp_next(struct pp *pp, struct token *t)
{
    struct macro *m;
    pp->resting = true;
    raw_token(pp, t, &m);
    pp->resting = false;
    while (m && !(t->flags & PP_NO_EXPAND) && expand(pp, m, t))
        raw_token(pp, t, &m);
}
