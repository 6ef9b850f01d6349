/* Walking the token array: brackets are matched once, ahead of time, so that any balanced range can
 * be skipped in one step and an unbalanced file is refused before anything recurses into it. */
#include "front/cuda/sema/sema.h"

#include <assert.h>
#include <stdio.h>

static const char *const spelled_punct[] = {"",
#define X(name, text) text,
                                            TOKEN_PUNCTS(X)
#undef X
};

/* Keywords, by interned name; then the partner of each bracket with a stack of our own. */
/* #pragma pack(n), pack(), pack(push), pack(push, n), pack(push, name, n), pack(pop) */
struct pack_state {
    uint8_t now, saved[32];
    unsigned depth;
};

static void read_pack(struct front *f, uint32_t pos, struct pack_state *s)
{
    const struct str t = f->toks[pos].u.text;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(t.len < 63 ? t.len : 63), t.ptr);
    const char *p = text + strspn(text, " \t");
    if (strncmp(p, "pack", 4) || !strchr("( \t", p[4]) || !(p = strchr(p, '(')))
        return;
    const bool push = strstr(p, "push") != NULL, pop = strstr(p, "pop") != NULL;
    const char *digits = strpbrk(p, "0123456789");
    if (push && s->depth < 32)
        s->saved[s->depth++] = s->now;
    if (pop)
        s->now = s->depth ? s->saved[--s->depth] : 0;
    else if (digits)
        s->now = (uint8_t)(digits[0] == '1' && digits[1] == '6' ? 16 : digits[0] - '0');
    else if (!push)
        s->now = 0;
    struct pack_change c = {pos, s->now};
    vec_push(f->a, &f->packs, c);
}

uint32_t cu_pack_at(struct front *f, size_t pos)
{
    uint32_t pack = 0;
    vec_each (struct pack_change, c, &f->packs)
        if (c->pos < pos)
            pack = c->pack;
    return pack;
}

/* ---- brackets that have no partner ---- */
static bool is_opening(enum punct p)
{
    return p == PUNCT_LPAREN || p == PUNCT_LBRACKET || p == PUNCT_LBRACE;
}

/* The bracket at `open` has none, and the one at `at` is another's: what may not stand between
 * brackets of its kind shows where it should have been. */
static void mismatch(struct front *f, uint32_t open, uint32_t at)
{
    const struct token *o = &f->toks[open], *t = &f->toks[at];
    if (o->punct == PUNCT_LBRACE) {
        diag_error(f->diag, t->span, "'%s' closes nothing", spelled_punct[t->punct]);
        return;
    }
    const bool loop = open && f->kws[open - 1] == KW_for;
    for (uint32_t i = open + 1, semicolons = 0; i < at; i++) {
        const struct token *x = &f->toks[i];
        if (x->kind != TOKEN_PUNCT)
            continue;
        if (x->punct == PUNCT_LBRACE || (x->punct == PUNCT_SEMI && (!loop || ++semicolons > 2))) {
            t = x;
            break;
        }
        if (is_opening(x->punct) && f->match[i])
            i = f->match[i];
    }
    diag_error(f->diag, t->span, "expected '%s' before '%s'", spelled_punct[o->punct + 1],
               spelled_punct[t->punct]);
    diag_note(f->diag, o->span, "for the '%s' that is opened here", spelled_punct[o->punct]);
}

static bool position_of(const struct front *f, size_t i, struct source_pos *p, uint32_t *indent)
{
    if (!source_position(f->sm, f->toks[i].span.loc, p))
        return false;
    *indent = 0;
    while (*indent < p->text.len && (p->text.ptr[*indent] == ' ' || p->text.ptr[*indent] == '\t'))
        ++*indent;
    return true;
}

/* Whoever forgot a brace still indented the others as he meant them. */
static void note_indentation(struct front *f, uint32_t open)
{
    struct source_pos outer, from, to;
    uint32_t ignored, wanted, given;
    if (!position_of(f, open, &outer, &ignored))
        return;
    for (uint32_t i = open + 1; i < f->ntoks; i++) {
        if (f->toks[i].kind != TOKEN_PUNCT || f->toks[i].punct != PUNCT_LBRACE || !f->match[i] ||
            !position_of(f, i, &from, &wanted) || !position_of(f, f->match[i], &to, &given) ||
            from.file != outer.file || to.file != outer.file || from.line == to.line ||
            to.column != given + 1 || wanted == given)
            continue;
        diag_note(f->diag, f->toks[i].span,
                  "this one is closed in line %u, which is indented otherwise: is a '}' missing "
                  "before it?",
                  to.line);
        return;
    }
}

bool cu_tokens_init(struct front *f)
{
    struct pack_state pack = {0};
    f->packs.len = 0;
    static const char *const spelled[] = {"",
#define X(name) #name,
                                          CU_KEYWORDS(X)
#undef X
    };
    const uint32_t first = intern_marks(f->names); /* keywords have the marks behind it */
    for (unsigned k = 1; k < KW_COUNT; k++) {
        f->names_kw[k] = intern_z(f->names, spelled[k]);
        *intern_mark(f->names_kw[k]) = intern_marks(f->names);
    }
    f->kws = arena_array(f->a, uint8_t, f->ntoks + 1);
    f->match = arena_array(f->a, uint32_t, f->ntoks + 1);
    f->no_ellipsis = arena_array(f->a, bool, f->ntoks + 1);
    VEC(uint32_t) stack = {0};
    for (size_t i = 0; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind == TOKEN_IDENT) {
            const uint32_t k = *intern_mark(t->u.name) - first;
            f->kws[i] = (uint8_t)(k < KW_COUNT ? k : 0);
        }
        f->catches |= f->kws[i] == KW_try;
        if (t->kind == TOKEN_PRAGMA)
            read_pack(f, (uint32_t)i, &pack);
        if (t->kind != TOKEN_PUNCT)
            continue;
        switch (t->punct) {
        case PUNCT_LPAREN:
        case PUNCT_LBRACKET:
        case PUNCT_LBRACE: vec_push(f->a, &stack, (uint32_t)i); break;
        case PUNCT_RPAREN:
        case PUNCT_RBRACKET:
        case PUNCT_RBRACE: {
            if (!stack.len) {
                diag_error(f->diag, t->span, "'%s' closes nothing", spelled_punct[t->punct]);
                return false;
            }
            uint32_t open = vec_pop(&stack);
            if (f->toks[open].punct + 1 != t->punct) {
                mismatch(f, open, (uint32_t)i);
                return false;
            }
            f->match[open] = (uint32_t)i;
            f->match[i] = open;
            break;
        }
        default: break;
        }
    }
    if (stack.len) {
        uint32_t open = vec_last(&stack);
        diag_error(f->diag, f->toks[open].span, "'%s' is never closed",
                   spelled_punct[f->toks[open].punct]);
        note_indentation(f, open);
        return false;
    }
    return true;
}

static_assert(PUNCT_LPAREN + 1 == PUNCT_RPAREN && PUNCT_LBRACKET + 1 == PUNCT_RBRACKET &&
                  PUNCT_LBRACE + 1 == PUNCT_RBRACE,
              "a closing bracket follows its opening one in the table");

/* The punctuator that is left when the first split_n characters of a run of `>` are used up. */
static enum punct effective(const struct front *f)
{
    const struct token *t = &f->toks[f->pos];
    if (t->kind != TOKEN_PUNCT)
        return PUNCT_NONE;
    if (!f->split_n)
        return (enum punct)t->punct;
    switch (t->punct) {
    case PUNCT_SHR: return PUNCT_GT;
    case PUNCT_GE: return PUNCT_ASSIGN;
    case PUNCT_LAUNCH_CLOSE: return f->split_n == 1 ? PUNCT_SHR : PUNCT_GT;
    case PUNCT_SHR_ASSIGN: return f->split_n == 1 ? PUNCT_GE : PUNCT_ASSIGN;
    default: return PUNCT_NONE;
    }
}

bool cu_is(const struct front *f, enum punct p)
{
    return effective(f) == p;
}

bool cu_peek_is(const struct front *f, size_t n, enum punct p)
{
    if (f->pos + n >= f->ntoks)
        return false;
    const struct token *t = &f->toks[f->pos + n];
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

bool cu_is_name(const struct front *f)
{
    return f->toks[f->pos].kind == TOKEN_IDENT && !f->kws[f->pos];
}

void cu_next(struct front *f)
{
    f->split_n = 0;
    if (f->toks[f->pos].kind != TOKEN_EOF)
        f->pos++;
}

bool cu_accept(struct front *f, enum punct p)
{
    if (!cu_is(f, p))
        return false;
    cu_next(f);
    return true;
}

bool cu_accept_kw(struct front *f, enum keyword k)
{
    if (!cu_is_kw(f, k))
        return false;
    cu_next(f);
    return true;
}

const char *cu_tok_text(struct front *f, const struct token *t)
{
    switch (t->kind) {
    case TOKEN_EOF: return "end of file";
    case TOKEN_IDENT: return arena_printf(f->a, "'%s'", t->u.name);
    case TOKEN_NUMBER: return arena_printf(f->a, "'%.*s'", (int)t->u.text.len, t->u.text.ptr);
    case TOKEN_CHAR: return "a character";
    case TOKEN_STRING: return "a string";
    case TOKEN_PRAGMA: return "#pragma";
    case TOKEN_PUNCT: return arena_printf(f->a, "'%s'", spelled_punct[t->punct]);
    default: return "this";
    }
}

/* A missing token is reported after the last one read, where it should have been. */
void cu_expect(struct front *f, enum punct p, const char *where)
{
    if (cu_accept(f, p))
        return;
    struct span at = cu_span(f);
    if (f->pos && (p == PUNCT_SEMI || p == PUNCT_RPAREN || p == PUNCT_COLON)) {
        struct span last = f->toks[f->pos - 1].span;
        at = span_at(last.loc + (last.len ? last.len : 1), 1);
        if (source_expansion_at(f->sm, last.loc))
            at = last;
    }
    cu_error(f, at, "expected '%s' %s, found %s", spelled_punct[p], where,
             cu_tok_text(f, cu_tok(f)));
}

bool cu_at_gt(const struct front *f)
{
    switch (effective(f)) {
    case PUNCT_GT:
    case PUNCT_SHR:
    case PUNCT_LAUNCH_CLOSE:
    case PUNCT_GE:
    case PUNCT_SHR_ASSIGN: return true;
    default: return false;
    }
}

bool cu_accept_gt(struct front *f)
{
    if (!cu_at_gt(f))
        return false;
    if (effective(f) == PUNCT_GT)
        cu_next(f);
    else
        f->split_n++;
    return true;
}

void cu_expect_gt(struct front *f)
{
    if (!cu_accept_gt(f))
        cu_error(f, cu_span(f), "expected '>' to close the template list, found %s",
                 cu_tok_text(f, cu_tok(f)));
}

const char *cu_expect_name(struct front *f, const char *what)
{
    if (!cu_is_name(f))
        cu_error(f, cu_span(f), "expected %s, found %s", what, cu_tok_text(f, cu_tok(f)));
    const char *name = cu_tok(f)->u.name;
    cu_next(f);
    return name;
}

size_t cu_close(struct front *f, size_t open)
{
    return f->match[open] ? f->match[open] : f->ntoks - 1;
}

struct span cu_span_from(const struct front *f, size_t from)
{
    struct span first = f->toks[from].span;
    if (f->pos <= from + 1)
        return first;
    struct span last = f->toks[f->pos - 1].span;
    if (last.loc < first.loc || last.loc - first.loc > 4096 ||
        !source_together(f->sm, first.loc, last.loc))
        return first;
    return span_at(first.loc, last.loc + last.len - first.loc);
}

void cu_nest(struct front *f, struct span at)
{
    f->nesting++;
    if (f->nesting > f->nest_base + CU_MAX_NESTING)
        cu_error(f, at, "nested deeper than %d levels", CU_MAX_NESTING);
    if (f->nesting > CU_MAX_NESTING_IN_ALL)
        cu_error(f, at, "nested deeper than %d levels, with the templates it instantiates",
                 CU_MAX_NESTING_IN_ALL);
}

static enum punct punct_at(const struct front *f, size_t i)
{
    return f->toks[i].kind == TOKEN_PUNCT ? (enum punct)f->toks[i].punct : PUNCT_NONE;
}

/* What is known of the name that ends before pos, without parsing it: a plain name, or one behind
 * namespaces and classes. -1: not known (a member of something that depends on a parameter). */
static int names_template(struct front *f, size_t pos)
{
    size_t first = pos - 1;
    while (first >= 2 && punct_at(f, first - 1) == PUNCT_SCOPE &&
           f->toks[first - 2].kind == TOKEN_IDENT && !f->kws[first - 2])
        first -= 2;
    const enum punct before = first ? punct_at(f, first - 1) : PUNCT_NONE;
    if (before == PUNCT_DOT || before == PUNCT_ARROW)
        return -1;
    bool global = before == PUNCT_SCOPE;
    if (global && first >= 2 &&
        (f->toks[first - 2].kind == TOKEN_IDENT || punct_at(f, first - 2) == PUNCT_GT ||
         punct_at(f, first - 2) == PUNCT_SHR || punct_at(f, first - 2) == PUNCT_RPAREN))
        return -1;
    struct scope *in = global ? f->global : NULL;
    for (size_t i = first;; i += 2) {
        struct found r;
        if (!(in ? cu_lookup_in(f, in, f->toks[i].u.name, &r)
                 : cu_lookup(f, f->toks[i].u.name, &r)))
            return -1;
        struct decl *d = r.decls[0];
        if (i == pos - 1) {
            if (d->kind == DECL_POISON)
                return -1;
            return d->kind == DECL_TEMPLATE || d->kind == DECL_FUNC || d->kind == DECL_PACK ||
                   (d->kind == DECL_TYPE && (d->type->kind == TY_CLASS || d->type->dependent));
        }
        if (d->kind == DECL_NAMESPACE)
            in = d->u.ns;
        else if (d->kind == DECL_TYPE && d->type->kind == TY_CLASS &&
                 d->type->cls->state != CLASS_DECLARED)
            in = d->type->cls->scope;
        else
            return -1;
    }
}

/* Does the `<` at pos open a list, rather than compare? */
bool cu_opens_list(struct front *f, size_t pos)
{
    if (!pos || f->toks[pos - 1].kind != TOKEN_IDENT)
        return false;
    switch (f->kws[pos - 1]) {
    case KW_NONE: break;
    case KW_static_cast:
    case KW_const_cast:
    case KW_reinterpret_cast:
    case KW_dynamic_cast:
    case KW_template: return true;
    default: return false;
    }
    if (pos >= 2 && f->kws[pos - 2] == KW_template)
        return true;
    return names_template(f, pos) != 0;
}

/* `<` … `>` by counting, for skipping what is not parsed yet. Brackets inside hide theirs. */
size_t cu_skip_angles(struct front *f, size_t pos)
{
    int depth = 0;
    for (size_t i = pos; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (t->kind == TOKEN_EOF)
            break;
        if (t->kind != TOKEN_PUNCT)
            continue;
        switch (t->punct) {
        case PUNCT_LPAREN:
        case PUNCT_LBRACKET:
        case PUNCT_LBRACE: i = cu_close(f, i); continue;
        case PUNCT_LT: depth += i == pos || cu_opens_list(f, i); continue;
        case PUNCT_GT: depth--; break;
        case PUNCT_SHR: depth -= 2; break;
        case PUNCT_LAUNCH_CLOSE: depth -= 3; break;
        case PUNCT_RPAREN:
        case PUNCT_RBRACKET:
        case PUNCT_SEMI:
        case PUNCT_RBRACE: return pos;
        default: continue;
        }
        if (depth <= 0)
            return i + 1;
    }
    return pos;
}

/* Template lists are skipped whole where they look like it: their commas are not separators. */
void cu_skip_item(struct front *f, enum punct end)
{
    while (!cu_is(f, PUNCT_COMMA) && !cu_is(f, end) && !cu_is(f, PUNCT_RBRACE) &&
           cu_tok(f)->kind != TOKEN_EOF) {
        size_t next = f->pos + 1;
        if (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET) || cu_is(f, PUNCT_LBRACE))
            next = cu_close(f, f->pos) + 1;
        else if (cu_is_name(f) && cu_peek_is(f, 1, PUNCT_LT) && cu_opens_list(f, next))
            next = cu_skip_angles(f, next); /* where it is: no list */
        f->split_n = 0;
        f->pos = next;
    }
}

void cu_skip_list(struct front *f)
{
    unsigned depth = 0;
    while (cu_tok(f)->kind != TOKEN_EOF) {
        if (cu_is(f, PUNCT_LPAREN) || cu_is(f, PUNCT_LBRACKET) || cu_is(f, PUNCT_LBRACE)) {
            f->pos = cu_close(f, f->pos) + 1;
        } else if (cu_is(f, PUNCT_LT)) {
            depth += !depth || cu_opens_list(f, f->pos);
            cu_next(f);
        } else if (cu_at_gt(f) && !cu_is(f, PUNCT_GE)) {
            cu_accept_gt(f);
            if (--depth == 0)
                return;
        } else if (cu_is(f, PUNCT_SEMI)) {
            return;
        } else {
            cu_next(f);
        }
    }
}
