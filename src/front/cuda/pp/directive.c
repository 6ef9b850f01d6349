/* Directives: each # line is acted upon here. Groups that #if leaves out are skipped without being
 * lexed. */
#include <stdlib.h>
#include <string.h>
#include "front/cuda/pp/pp_int.h"

/* The rest of the directive's line as tokens. */
static struct tokbuf *rest_of_line(struct pp *pp)
{
    struct tokbuf *b = pp_buf_get(pp, 16);
    for (;;) {
        struct token t;
        lex_token(&pp->buf->lx, &t);
        if (t.kind == PP_EOL)
            return b;
        if (t.kind == TOKEN_EOF) /* a raw string without an end: already reported */
            return b;
        if (b->len == PP_MAX_LINE_TOKENS) {
            pp_fatal(pp, t.span, "this line is longer than %d tokens", PP_MAX_LINE_TOKENS);
            return b;
        }
        pp_buf_push(pp, &b, &t);
    }
}

static void finish_line(struct pp *pp)
{
    struct token t;
    do
        lex_token(&pp->buf->lx, &t);
    while (t.kind != PP_EOL && t.kind != TOKEN_EOF);
    pp->buf->lx.directive = false;
}

/* The rest of the line as text, for #error. */
static struct str rest_as_text(struct pp *pp)
{
    const char *p = pp->buf->lx.p;
    p += strspn(p, " \t");
    finish_line(pp);
    pp->buf->lx.directive = true;
    const char *end = pp->buf->lx.p;
    while (end > p && strchr(" \t\r\n", end[-1]))
        end--;
    return (struct str){p, end > p ? (size_t)(end - p) : 0};
}

/* ---- conditionals ------------------------------------------------------------------------ */

enum conditional {
    COND_IF,
    COND_IFDEF,
    COND_IFNDEF,
    COND_ELIF,
    COND_ELIFDEF,
    COND_ELIFNDEF,
    COND_ELSE,
    COND_ENDIF,
    COND_NONE
};

static enum conditional conditional_named(const char *name)
{
    static const char *const names[] = {"if",      "ifdef",    "ifndef", "elif",
                                        "elifdef", "elifndef", "else",   "endif"};
    for (size_t i = 0; i < COND_NONE; i++)
        if (!strcmp(name, names[i]))
            return (enum conditional)i;
    return COND_NONE;
}

/* Reads the condition of an #if-like directive from its line. */
static bool evaluate(struct pp *pp, enum conditional kind, struct span at)
{
    struct tokbuf *line = rest_of_line(pp);
    bool value = false;
    if (kind == COND_IF || kind == COND_ELIF) {
        value = pp_condition(pp, line, at);
    } else if (line->len == 0 || line->data[0].kind != TOKEN_IDENT) {
        diag_error(pp->diag, line->len ? line->data[0].span : at, "expected the name of a macro");
    } else {
        struct macro *m = pp_macro(pp, line->data[0].u.name);
        pp_asked_for(pp, &line->data[0], m);
        value = (m != NULL) == (kind == COND_IFDEF || kind == COND_ELIFDEF);
    }
    pp_buf_put(pp, line);
    return value;
}

/* Skips to the part of the innermost #if that is to be read, or past its #endif. */
static void skip_group(struct pp *pp)
{
    struct lexer *lx = &pp->buf->lx;
    unsigned depth = 0;
    lx->directive = false;
    while (lex_skip_to_hash(lx)) {
        struct token name;
        lx->directive = true;
        lex_token(lx, &name);
        if (name.kind == PP_EOL || name.kind != TOKEN_IDENT) {
            lx->directive = false;
            continue;
        }
        struct cond *c = &vec_last(&pp->conds);
        enum conditional kind = conditional_named(name.u.name);
        bool take = false;
        switch (kind) {
        case COND_IF:
        case COND_IFDEF:
        case COND_IFNDEF: depth++; break;
        case COND_ENDIF:
            if (depth-- > 0)
                break;
            pp->conds.len--;
            if (pp->buf->guard_state == GUARD_INSIDE && pp->conds.len == pp->buf->conds)
                pp->buf->guard_state = GUARD_AFTER;
            finish_line(pp);
            return;
        case COND_ELSE:
        case COND_ELIF:
        case COND_ELIFDEF:
        case COND_ELIFNDEF:
            if (depth)
                break;
            if (pp->conds.len - 1 == pp->buf->conds)
                pp->buf->guard_state = GUARD_NONE;
            if (c->seen_else)
                diag_error(pp->diag, name.span, "#%s after #else", name.u.name);
            c->seen_else |= kind == COND_ELSE;
            if (!c->taken)
                take = kind == COND_ELSE || evaluate(pp, kind, name.span);
            c = &vec_last(&pp->conds);
            c->taken |= take;
            break;
        case COND_NONE: break;
        }
        if (take) {
            finish_line(pp);
            return;
        }
        lx->directive = false;
    }
}

static void begin_conditional(struct pp *pp, enum conditional kind, struct span at)
{
    struct pp_buffer *b = pp->buf;
    bool first = b->guard_state == GUARD_START;
    const char *p = b->lx.p;
    bool value = evaluate(pp, kind, at);
    if (first) {
        b->guard_state = GUARD_NONE;
        if (kind == COND_IFNDEF) { /* the shape of an include guard, so far */
            struct lexer lx = b->lx;
            struct token t;
            lx.p = p;
            lex_token(&lx, &t);
            if (t.kind == TOKEN_IDENT) {
                b->guard_state = GUARD_INSIDE;
                b->guard = t.u.name;
            }
        }
    }
    struct cond c = {.span = at, .taken = value};
    vec_push(pp->arena, &pp->conds, c);
    if (value)
        finish_line(pp);
    else
        skip_group(pp);
}

static void continue_conditional(struct pp *pp, enum conditional kind, struct token *name)
{
    if (pp->conds.len == pp->buf->conds) {
        diag_error(pp->diag, name->span, "#%s without #if", name->u.name);
        finish_line(pp);
        return;
    }
    struct cond *c = &vec_last(&pp->conds);
    if (kind == COND_ENDIF) {
        pp->conds.len--;
        if (pp->buf->guard_state == GUARD_INSIDE && pp->conds.len == pp->buf->conds)
            pp->buf->guard_state = GUARD_AFTER;
        finish_line(pp);
        return;
    }
    if (pp->conds.len - 1 == pp->buf->conds)
        pp->buf->guard_state = GUARD_NONE;
    if (c->seen_else)
        diag_error(pp->diag, name->span, "#%s after #else", name->u.name);
    c->seen_else |= kind == COND_ELSE;
    finish_line(pp);
    skip_group(pp); /* one part has been read already */
}

void pp_end_file(struct pp *pp, struct pp_buffer *b)
{
    while (pp->conds.len > b->conds) {
        diag_error(pp->diag, vec_last(&pp->conds).span, "this #if has no #endif");
        pp->conds.len--;
    }
    if (b->guard_state == GUARD_AFTER && b->header)
        b->header->guard = b->guard;
}

/* ---- #include ---------------------------------------------------------------------------- */

bool pp_header_name(struct pp *pp, struct tokbuf *line, uint32_t at, const char **name,
                    bool *quoted, uint32_t *next)
{
    struct sbuf *b = &pp->scratch;
    const struct token *t = line->data + at, *end = line->data + line->len;
    b->len = 0;
    if (t < end && t->kind == TOKEN_STRING && t->u.text.len >= 3 && t->u.text.ptr[0] == '"') {
        *name = intern(pp->names, t->u.text.ptr + 1, t->u.text.len - 2);
        *quoted = true;
        *next = at + 1;
        return true;
    }
    if (t >= end || !token_is(t, PUNCT_LT))
        return false;
    for (const struct token *x = t + 1; x < end; x++) {
        if (token_is(x, PUNCT_GT) && b->len) {
            *name = intern(pp->names, b->data, b->len);
            *quoted = false;
            *next = (uint32_t)(x + 1 - line->data);
            return true;
        }
        if (x > t + 1 && (x->flags & TOKEN_SPACE))
            sbuf_putc(b, ' ');
        lex_spelling(x, b);
    }
    return false;
}

/* <name> or "name" as it stands on the line, where quotes and slashes have no other meaning. */
static bool direct_header_name(struct pp *pp, const char **name, bool *quoted, struct span *at)
{
    struct lexer *lx = &pp->buf->lx;
    const char *p = lx->p + strspn(lx->p, " \t");
    if (*p != '<' && *p != '"')
        return false;
    *quoted = *p == '"';
    size_t n = strcspn(p + 1, *quoted ? "\"\n" : ">\n");
    if (p[n + 1] == '\n' || p + n + 1 >= lx->end || n == 0)
        return false;
    *name = intern(pp->names, p + 1, n);
    *at = span_at(lx->base + (source_loc)(p - lx->text), (uint32_t)n + 2);
    lx->p = p + n + 2;
    return true;
}

/* Of a header that is skipped, device code sees the sizes of its classes, if they are known. */
static void skip_header(struct pp *pp, const char *name, struct span at, enum pp_skip why,
                        const char *declares)
{
    if (map_has(&pp->skipped, map_key(name)))
        return;
    map_set(&pp->skipped, map_key(name), (void *)name);
    struct pp_skipped s = {.name = name, .at = at, .why = why, .declares = declares};
    vec_push(pp->arena, &pp->out->skipped, s);
    struct pp_header *classes = NULL;
    if (why == PP_SKIP_HOST && !pp->opt->host)
        classes = pp_embedded(pp, arena_printf(pp->arena, "skipped/%s", name));
    if (classes)
        pp_push_file(pp, classes, at, -1);
}

static void include(struct pp *pp, const struct token *directive, bool next)
{
    const char *name;
    bool quoted;
    struct span at = directive->span;
    if (!direct_header_name(pp, &name, &quoted, &at)) {
        struct tokbuf *line = rest_of_line(pp), *expanded;
        uint32_t end;
        if (line->len)
            at = span_at(line->data[0].span.loc, line->data[0].span.len);
        pp_expand_line(pp, line, &expanded);
        bool good = pp_header_name(pp, expanded, 0, &name, &quoted, &end);
        pp_buf_put(pp, expanded);
        pp_buf_put(pp, line);
        if (!good) {
            diag_error(pp->diag, at, "#%s needs \"a file\" or <a file>", directive->u.name);
            finish_line(pp);
            return;
        }
    }
    finish_line(pp);
    pp_record(pp, PP_INCLUDES, (&(struct pp_included){name, quoted, next, at}));
    pp_include(pp, name, quoted, next, at);
}

void pp_include(struct pp *pp, const char *name, bool quoted, bool next, struct span at)
{
    struct pp_header *header;
    int dir_index;
    enum pp_skip why;
    const char *declares;
    switch (pp_find_header(pp, name, quoted, next, &header, &dir_index, &why, &declares)) {
    case HEADER_READ: pp_push_file(pp, header, at, dir_index); break;
    case HEADER_SKIP: skip_header(pp, name, at, why, declares); break;
    case HEADER_ABSENT:
        diag_error(pp->diag, at, "header %s%s%s cannot be found", quoted ? "\"" : "<", name,
                   quoted ? "\"" : ">")
            ->missing = name;
        pp_note_searched(pp, name, quoted, at);
        break;
    }
}

/* ---- the others -------------------------------------------------------------------------- */

static void undef(struct pp *pp, struct span at)
{
    struct tokbuf *line = rest_of_line(pp);
    if (line->len == 0 || line->data[0].kind != TOKEN_IDENT) {
        diag_error(pp->diag, line->len ? line->data[0].span : at, "expected the name of a macro");
    } else {
        struct macro *m = pp_macro(pp, line->data[0].u.name);
        if (m && (m->kind == MACRO_DEFINED || m->kind == MACRO_NAMED_PUNCT))
            diag_error(pp->diag, line->data[0].span, "'%s' cannot be undefined", m->name);
        else if (m)
            map_del(&pp->macros, map_key(m->name));
        if (m && m->system && !(line->data[0].flags & TOKEN_SYSTEM))
            pp->images = NULL; /* which have it */
        pp_record(pp, PP_UNDEFINES, line->data[0].u.name);
    }
    pp_buf_put(pp, line);
}

/* #line 12 "name", and the # 12 "name" that preprocessed text has. */
static void line_marker(struct pp *pp, struct tokbuf *line, struct span at)
{
    struct pp_buffer *b = pp->buf;
    struct token_num n;
    const char *path = NULL;
    if (!line->len || line->data[0].kind != TOKEN_NUMBER ||
        !token_number(line->data[0].u.text, &n) || n.is_float || n.suffix.len ||
        n.integer > INT32_MAX) {
        diag_error(pp->diag, line->len ? line->data[0].span : at, "#line needs a line number");
        return;
    }
    if (line->len > 1) {
        struct token *t = &line->data[1];
        if (t->kind != TOKEN_STRING) {
            diag_error(pp->diag, t->span, "#line needs a file name in quotes here");
            return;
        }
        struct token decoded;
        literal_string(pp->arena, pp->diag, &pp->scratch,
                       &(struct literal_piece){t->u.text, t->span}, 1, &decoded);
        path = intern(pp->names, decoded.u.text.ptr, decoded.u.text.len);
    }
    pp_record(pp, PP_ODD, "#line");
    /* The number is that of the next line; lines are counted on from where the last #line was. */
    const char *p = b->lx.p;
    for (; b->counted < p; b->counted++)
        b->line += *b->counted == '\n';
    source_add_marker(pp->sm, b->lx.base + (source_loc)(p - b->lx.text) + (*p == '\n'),
                      (int32_t)((int64_t)n.integer - (int64_t)(b->line + 1)), path);
}

static bool pragma(struct pp *pp, struct token *t, struct span at)
{
    struct tokbuf *line = rest_of_line(pp), *expanded;
    struct sbuf *b = &pp->scratch;
    bool as_is = !line->len || line->data[0].kind != TOKEN_IDENT ||
                 strcmp(line->data[0].u.name, "unroll") != 0;
    if (as_is) { /* only unroll is known to want its operand expanded */
        expanded = line;
    } else {
        pp_expand_line(pp, line, &expanded);
        pp_buf_put(pp, line);
    }
    b->len = 0;
    for (uint32_t i = 0; i < expanded->len; i++) {
        if (i && (expanded->data[i].flags & TOKEN_SPACE))
            sbuf_putc(b, ' ');
        lex_spelling(&expanded->data[i], b);
    }
    if (expanded->len)
        at.len = expanded->data[0].span.loc + expanded->data[0].span.len - at.loc;
    pp_buf_put(pp, expanded);
    *t = (struct token){.kind = TOKEN_PRAGMA, .flags = t->flags, .span = at};
    t->u.text = (struct str){arena_strndup(pp->arena, b->data ? b->data : "", b->len), b->len};
    pp_pragma(pp, t, at);
    return t->kind == TOKEN_PRAGMA;
}

enum directive {
    DIR_DEFINE,
    DIR_UNDEF,
    DIR_INCLUDE,
    DIR_INCLUDE_NEXT,
    DIR_IMPORT,
    DIR_LINE,
    DIR_ERROR,
    DIR_WARNING,
    DIR_PRAGMA,
    DIR_IDENT,
    DIR_NONE
};
static const char *const directive_names[] = {
    "define", "undef", "include", "include_next", "import", "line", "error", "warning", "pragma",
    "ident",  "if",    "ifdef",   "ifndef",       "elif",   "else", "endif", "elifdef", "elifndef"};

static bool act(struct pp *pp, struct token *t, struct token *name)
{
    struct span at = name->span;
    struct tokbuf *line;
    struct str text;
    size_t kind = 0;
    enum conditional cond = conditional_named(name->u.name);
    if (cond <= COND_IFNDEF) {
        begin_conditional(pp, cond, at);
        return false;
    }
    if (cond < COND_NONE) {
        continue_conditional(pp, cond, name);
        return false;
    }
    pp->buf->guard_state = pp->buf->guard_state == GUARD_INSIDE ? GUARD_INSIDE : GUARD_NONE;
    while (kind < DIR_NONE && strcmp(name->u.name, directive_names[kind]))
        kind++;
    bool token = false;
    switch ((enum directive)kind) {
    case DIR_DEFINE:
        line = rest_of_line(pp);
        pp_buf_push(pp, &line, &(struct token){.kind = PP_EOL, .span = at});
        line->len--; /* what looks one ahead finds an end */
        pp_define(pp, line, at);
        pp_buf_put(pp, line);
        break;
    case DIR_UNDEF: undef(pp, at); break;
    case DIR_INCLUDE:
    case DIR_IMPORT: include(pp, name, false); return false; /* lines of another file now */
    case DIR_INCLUDE_NEXT: include(pp, name, true); return false;
    case DIR_LINE: {
        struct tokbuf *expanded;
        line = rest_of_line(pp);
        pp_expand_line(pp, line, &expanded);
        line_marker(pp, expanded, at);
        pp_buf_put(pp, expanded);
        pp_buf_put(pp, line);
        break;
    }
    case DIR_ERROR:
        text = rest_as_text(pp);
        diag_error(pp->diag, at, "%.*s", (int)text.len, text.ptr);
        break;
    case DIR_WARNING:
        pp_record(pp, PP_ODD, "#warning");
        text = rest_as_text(pp);
        diag_warn(pp->diag, "#warnings", at, "%.*s", (int)text.len, text.ptr);
        break;
    case DIR_PRAGMA: token = pragma(pp, t, t->span); break;
    case DIR_IDENT: break;
    case DIR_NONE: {
        const char *near = diag_nearest(name->u.name, directive_names,
                                        sizeof directive_names / sizeof *directive_names);
        diag_error(pp->diag, at,
                   near ? "unknown directive #%s; did you mean #%s?" : "unknown directive #%s",
                   name->u.name, near);
        break;
    }
    }
    finish_line(pp);
    return token;
}

bool pp_directive(struct pp *pp, struct token *t)
{
    struct lexer *lx = &pp->buf->lx;
    struct token name;
    lx->directive = true;
    lex_token(lx, &name);
    if (name.kind == TOKEN_IDENT)
        return act(pp, t, &name);
    if (name.kind == TOKEN_NUMBER) {
        struct tokbuf *line = pp_buf_get(pp, 8), *rest = rest_of_line(pp);
        pp_buf_push(pp, &line, &name);
        for (uint32_t i = 0; i < rest->len; i++)
            pp_buf_push(pp, &line, &rest->data[i]);
        line_marker(pp, line, name.span);
        pp_buf_put(pp, rest);
        pp_buf_put(pp, line);
    } else if (name.kind != PP_EOL) {
        diag_error(pp->diag, name.span, "expected a directive after #");
    }
    finish_line(pp);
    return false;
}
