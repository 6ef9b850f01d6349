/* The preprocessor's outside: the stack of files, and tokens on their way to the parser. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

void pp_fatal(struct pp *pp, struct span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(pp->diag, DIAG_FATAL, at, fmt, ap);
    va_end(ap);
    pp->stop = true;
}

/* ---- files ------------------------------------------------------------------------------- */

static const char *directory_of(struct pp *pp, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return "";
    return intern(pp->names, path, slash == path ? 1 : (size_t)(slash - path));
}

static struct pp_buffer *push(struct pp *pp, struct source_file *f, const char *path,
                              struct span at, bool system)
{
    if (!f) {
        pp_fatal(pp, at, "the source is too large: 4 GiB of text and macros at most");
        return NULL;
    }
    struct pp_buffer *b = arena_new(pp->arena, struct pp_buffer);
    f->system = system;
    b->file = f;
    b->dir = directory_of(pp, path);
    b->dir_index = -1;
    b->conds = pp->conds.len;
    b->counted = f->text;
    b->line = 1;
    if (f->text)
        lex_init(&b->lx, pp->arena, pp->names, pp->diag, f->text, f->len, f->base);
    b->lx.flags = system ? TOKEN_SYSTEM : 0;
    pp->budget += 16 * (uint64_t)f->len;
    vec_push(pp->arena, &pp->buffers, b);
    pp->buf = b;
    pp_record(pp, PP_BEGINS, b);
    return b;
}

static struct pp_buffer *push_text(struct pp *pp, const char *path, const char *text, size_t len,
                                   struct span at, bool system)
{
    return push(pp, source_add(pp->sm, path, text, len, at.loc), path, at, system);
}

static const char *read_embedded(struct arena *a, const void *file)
{
    return embedded_text(a, file);
}

static struct pp_buffer *push_header(struct pp *pp, struct pp_header *h, struct span at)
{
    const struct image *image = pp_image_of(pp, h);
    if (image && !pp_image_begin(pp, image, h))
        return NULL;
    if (image) {
        struct source_file *f =
            source_add_unread(pp->sm, h->path, h->len, at.loc, read_embedded, h->file);
        struct pp_buffer *b = push(pp, f, h->path, at, h->system);
        if (b) {
            b->image = pp_image_bytes(image);
            b->image_loc = f->base;
        }
        return b;
    }
    if (!h->text)
        h->text = embedded_text(pp->arena, h->file);
    return push_text(pp, h->path, h->text, h->len, at, h->system);
}

static void put_strings(struct pp *pp);

void pp_push_file(struct pp *pp, struct pp_header *h, struct span at, int dir_index)
{
    pp_record(pp, PP_WANTS, h);
    if ((h->once && h->read) || (h->guard && pp_macro(pp, h->guard)))
        return;
    if (pp->buffers.len >= PP_MAX_INCLUDE_DEPTH) {
        pp_fatal(pp, at, "files include each other more than %d deep", PP_MAX_INCLUDE_DEPTH);
        return;
    }
    pp->included_bytes += h->len;
    if (++pp->includes > PP_MAX_INCLUDES || pp->included_bytes > PP_MAX_INCLUDED_BYTES) {
        pp_fatal(pp, at, "too much is included: %d files and %d MiB at most", PP_MAX_INCLUDES,
                 PP_MAX_INCLUDED_BYTES >> 20);
        return;
    }
    struct pp_buffer *b = push_header(pp, h, at);
    if (b && h->embedded && pp->prelude_end && !pp->asked_depth) {
        put_strings(pp); /* of the source */
        pp->asked_depth = pp->buffers.len;
        vec_push(pp->arena, &pp->asked, ((struct token_range){pp->tokens.len, pp->tokens.len}));
    }
    if (b) {
        b->header = h;
        b->dir_index = dir_index;
        h->read = true;
    }
}

/* False: it was the last. */
static bool leave_file(struct pp *pp, struct pp_buffer *b)
{
    pp_record(pp, PP_ENDS, b);
    pp_end_file(pp, b);
    if (pp->buffers.len == 1)
        return false;
    if (pp->buffers.len == pp->asked_depth) {
        vec_last(&pp->asked).to = pp->tokens.len;
        pp->asked_depth = 0;
    }
    pp->buffers.len--;
    pp->buf = vec_last(&pp->buffers);
    if (pp->buffers.len == 2 && !pp->prelude_end) {
        pp->prelude_end = pp->tokens.len;
        pp->out->prelude_end = pp->sm->next;
    }
    return true;
}

void pp_file_token(struct pp *pp, struct token *t)
{
    for (;;) {
        if (pp->stop || pp->diag->stop) {
            pp->stop = true;
            t->kind = TOKEN_EOF;
            return;
        }
        struct pp_buffer *b = pp->buf;
        if (b->image) {
            put_strings(pp);
            if (!pp_image_run(pp, b))
                leave_file(pp, b);
            continue;
        }
        lex_token(&b->lx, t);
        if (t->kind == TOKEN_EOF) {
            if (!leave_file(pp, b))
                return;
            continue;
        }
        if (t->kind == TOKEN_PUNCT && t->punct == PUNCT_HASH && (t->flags & TOKEN_BOL)) {
            if (pp_directive(pp, t))
                return;
            continue;
        }
        if (b->guard_state == GUARD_START || b->guard_state == GUARD_AFTER)
            b->guard_state = GUARD_NONE;
        return;
    }
}

/* ---- pragmas ----------------------------------------------------------------------------- */

static void push_pop_macro(struct pp *pp, const struct token_list *words, bool push)
{
    const struct token *t = words->data;
    if (words->len < 4 || !token_is(&t[1], PUNCT_LPAREN) || t[2].kind != TOKEN_STRING) {
        diag_error(pp->diag, t->span, "this pragma needs (\"a name\")");
        return;
    }
    const char *name = intern(pp->names, t[2].u.text.ptr, t[2].u.text.len);
    struct pushed_macro *top = map_get(&pp->pushed, map_key(name));
    if (push) {
        struct pushed_macro *entry = arena_new(pp->arena, struct pushed_macro);
        entry->macro = pp_macro(pp, name);
        entry->next = top;
        map_set(&pp->pushed, map_key(name), entry);
    } else if (top) {
        if (top->macro)
            map_set(&pp->macros, map_key(name), top->macro);
        else
            map_del(&pp->macros, map_key(name));
        map_set(&pp->pushed, map_key(name), top->next);
    }
}

void pp_pragma(struct pp *pp, struct token *t, struct span at)
{
    /* Pragmas that mean nothing to the device half: about warnings, folding and other compilers. */
    static const char *const ignored[] = {"GCC",
                                          "clang",
                                          "warning",
                                          "region",
                                          "endregion",
                                          "message",
                                          "nv_*",
                                          "diag_*",
                                          "hd_warning_disable",
                                          "STDC",
                                          "comment",
                                          "ident",
                                          "nv_exec_check_disable"};
    struct token_list words;
    lex_text(pp->arena, pp->names, t->u.text, at, &words);
    const char *word = words.data[0].kind == TOKEN_IDENT ? words.data[0].u.name : "";
    bool unroll = words.len > 2 && words.data[1].kind == TOKEN_IDENT &&
                  !strcmp(words.data[1].u.name, "unroll");
    if (!strcmp(word, "once")) {
        if (pp->buf->header)
            pp->buf->header->once = true;
        t->kind = PP_PLACEMARKER;
    } else if (!strcmp(word, "push_macro") || !strcmp(word, "pop_macro")) {
        pp_record(pp, PP_ODD, word);
        push_pop_macro(pp, &words, word[1] == 'u');
        t->kind = PP_PLACEMARKER;
    } else {
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
            size_t n = strlen(ignored[i]);
            bool is = ignored[i][n - 1] == '*' ? !strncmp(word, ignored[i], n - 1)
                                               : !strcmp(word, ignored[i]);
            if (is && !unroll) /* #pragma GCC unroll 4 goes on to the parser */
                t->kind = PP_PLACEMARKER;
        }
    }
}

/* ---- to the parser ----------------------------------------------------------------------- */

static void put(struct pp *pp, struct token *t)
{
    t->flags &= TOKEN_BOL | TOKEN_SPACE | TOKEN_SYSTEM;
    pp_record(pp, PP_GIVES, t);
    vec_push(pp->arena, &pp->tokens, *t);
}

/* Joins the strings that were waiting, and lets the result go. */
static void put_strings(struct pp *pp)
{
    if (!pp->strings.len)
        return;
    struct token t = pp->string_first;
    literal_string(pp->arena, pp->diag, &pp->scratch, pp->strings.data, pp->strings.len, &t);
    pp->strings.len = 0;
    put(pp, &t);
}

/* Characters that word processors and web pages have in place of those of programs. */
static const char *looks_like(const struct token *t)
{
    static const struct {
        const char *character, *meant;
    } rows[] = {
        {"\u201c", "'\"'"},       {"\u201d", "'\"'"}, {"\u201e", "'\"'"},    {"\u2018", "'\''"},
        {"\u2019", "'\''"},       {"\u2013", "'-'"},  {"\u2014", "'-'"},     {"\u2212", "'-'"},
        {"\u00d7", "'*'"},        {"\u2264", "'<='"}, {"\u2265", "'>='"},    {"\u2260", "'!='"},
        {"\uff1b", "';'"},        {"\uff0c", "','"},  {"\u00a0", "a space"}, {"\u200b", "nothing"},
        {"\u2028", "a new line"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strlen(rows[k].character) == t->u.text.len &&
            !memcmp(rows[k].character, t->u.text.ptr, t->u.text.len))
            return rows[k].meant;
    return NULL;
}

static void stray(struct pp *pp, const struct token *t)
{
    char c = t->u.text.ptr[0];
    const char *meant = looks_like(t);
    bool quote =
        memchr(t->u.text.ptr, '"', t->u.text.len) || memchr(t->u.text.ptr, '\'', t->u.text.len);
    if (quote)
        diag_error(pp->diag, span_at(t->span.loc, 1), "this literal has no closing quote");
    else if (c > 32 && c < 127)
        diag_error(pp->diag, t->span, "stray '%c' in the program", c);
    else if (meant)
        diag_error(pp->diag, t->span, "stray '%.*s' in the program; %s was meant?",
                   (int)t->u.text.len, t->u.text.ptr, meant);
    else
        diag_error(pp->diag, t->span, "stray byte 0x%02x in the program", (uint8_t)c);
}

static void emit(struct pp *pp, struct token *t)
{
    if (t->kind == TOKEN_STRING) {
        struct literal_piece piece = {t->u.text, t->span};
        if (!pp->strings.len)
            pp->string_first = *t;
        vec_push(pp->arena, &pp->strings, piece);
        return;
    }
    put_strings(pp);
    switch (t->kind) {
    case PP_OTHER: stray(pp, t); return;
    case PP_PLACEMARKER: return;
    case TOKEN_CHAR: literal_char(pp->diag, t); break;
    case TOKEN_PUNCT:
        switch (t->punct) {
        case PUNCT_LPAREN:
        case PUNCT_LBRACKET:
        case PUNCT_LBRACE:
            if (++pp->brackets > PP_MAX_BRACKETS)
                pp_fatal(pp, t->span, "brackets are nested more than %d deep", PP_MAX_BRACKETS);
            break;
        case PUNCT_RPAREN:
        case PUNCT_RBRACKET:
        case PUNCT_RBRACE: pp->brackets -= pp->brackets > 0; break;
        default: break;
        }
        break;
    default: break;
    }
    put(pp, t);
}

void pp_emit_all(struct pp *pp)
{
    struct token t;
    while (!pp->stop) {
        pp_next(pp, &t);
        if (t.kind == TOKEN_EOF)
            break;
        emit(pp, &t);
    }
    put_strings(pp);
}

/* Files lie on a stack: what is to be read first is pushed last. */
static void start(struct pp *pp, const char *path, const char *text, size_t len)
{
    struct sbuf predefined, command_line;
    struct span nowhere = {0, 0};
    sbuf_init(&predefined, pp->arena);
    sbuf_init(&command_line, pp->arena);
    pp_predefined(pp->opt, &predefined);
    pp_command_line(pp->opt, &command_line);
    pp_builtin_macros(pp);
    push_text(pp, path, text, len, nowhere, false);
    if (!pp->stop)
        push_text(pp, "<command line>", command_line.data, command_line.len, nowhere, false);
    pp->out->prelude = pp->sm->next;
    if (!pp->stop)
        push_text(pp, "<predefined>", predefined.data, predefined.len, nowhere, true);
}

bool pp_run(struct arena *a, struct interner *names, struct source_map *sm, struct diag *d,
            const struct pp_options *opt, const char *path, const char *text, size_t len,
            struct pp_result *out)
{
    return pp_run_with(arena_new(a, struct pp), a, names, sm, d, opt, path, text, len, out);
}

bool pp_run_with(struct pp *pp, struct arena *a, struct interner *names, struct source_map *sm,
                 struct diag *d, const struct pp_options *opt, const char *path, const char *text,
                 size_t len, struct pp_result *out)
{
    unsigned errors = d->errors;
    *out = (struct pp_result){0};
    if (!pp_standard(opt->standard))
        diag_error(d, span_at(0, 0),
                   "-std=%s: no language that is known here; there are c++03, c++11, c++14, c++17, "
                   "c++20, c++23",
                   opt->standard);
    pp->arena = a;
    pp->names = names;
    pp->sm = sm;
    pp->diag = d;
    pp->opt = opt;
    pp->out = out;
    pp->budget = PP_EXPANSION_TOKENS;
    pp->va_args = intern_z(names, "__VA_ARGS__");
    pp->va_opt = intern_z(names, "__VA_OPT__");
    pp->base_path = path;
    map_init(&pp->macros, a);
    map_init(&pp->headers, a);
    map_init(&pp->skipped, a);
    map_init(&pp->pushed, a);
    sbuf_init(&pp->scratch, a);
    pp_images_start(pp);
    /* Enough for most, so that it need not be moved. */
    pp->tokens.cap = len / 5 + (opt->no_prelude ? 64 : opt->host ? 98304 : 49152);
    pp->tokens.data = arena_alloc_unset(a, pp->tokens.cap * sizeof *pp->tokens.data);
    start(pp, path, text, len);
    pp_emit_all(pp);
    out->pulled = sm->next;
    if (opt->host) {
        pp_pull_wide(pp);
        pp_library(pp);
    } else if (!opt->no_prelude)
        pp_pull(pp);
    if (pp->stop) { /* before what images have was sorted out, it may be */
        size_t n = 0;
        vec_each (struct token, t, &pp->tokens)
            if (t->kind != PP_LAZY)
                pp->tokens.data[n++] = *t;
        pp->tokens.len = n;
    }
    struct token end = {.kind = TOKEN_EOF, .flags = TOKEN_BOL};
    if (pp->buffers.len) {
        const struct lexer *lx = &pp->buffers.data[0]->lx;
        end.span = span_at(lx->base + (source_loc)(lx->p - lx->text), 0);
    }
    vec_push(a, &pp->tokens, end);
    out->pulled_end = sm->next;
    out->tokens = (struct token_list){pp->tokens.data, pp->tokens.len};
    return d->errors == errors && !pp->stop;
}

/* ---- text again -------------------------------------------------------------------------- */

static void print_string(const struct token *t, struct sbuf *out)
{
    uint32_t size = t->prefix == 'u' ? 2 : t->prefix == 'U' || t->prefix == 'L' ? 4 : 1;
    const uint8_t *p = (const uint8_t *)t->u.text.ptr;
    if (t->prefix)
        sbuf_puts(out, t->prefix == '8' ? "u8" : (char[]){(char)t->prefix, 0});
    sbuf_putc(out, '"');
    for (size_t i = 0; i + size <= t->u.text.len; i += size) {
        uint32_t v = 0;
        for (uint32_t k = 0; k < size; k++)
            v |= (uint32_t)p[i + k] << (8 * k);
        if (v == '"' || v == '\\')
            sbuf_printf(out, "\\%c", (int)v);
        else if (v >= 32 && (v < 127 || (size == 1 && v >= 128)))
            sbuf_putc(out, (char)v);
        else if (v < 256)
            sbuf_printf(out, "\\%03o", v);
        else
            sbuf_printf(out, size == 2 ? "\\u%04x" : "\\U%08x", v);
    }
    sbuf_putc(out, '"');
}

static void print_token(const struct token *t, struct sbuf *out)
{
    if (t->kind == TOKEN_STRING) {
        print_string(t, out);
    } else if (t->kind == TOKEN_CHAR) {
        sbuf_puts(out, t->prefix == '8' ? "u8" : t->prefix ? (char[]){(char)t->prefix, 0} : "");
        sbuf_putc(out, '\'');
        int n = t->prefix || !t->punct ? 1 : t->punct > 4 ? 4 : t->punct;
        for (int i = n - 1; i >= 0; i--) {
            uint64_t v = n == 1 ? t->u.value : t->u.value >> (8 * i) & 0xff;
            if (v >= 32 && v < 127 && v != '\'' && v != '\\')
                sbuf_putc(out, (char)v);
            else if (v < 256)
                sbuf_printf(out, "\\%03o", (unsigned)v);
            else
                sbuf_printf(out, "\\U%08x", (unsigned)v);
        }
        sbuf_putc(out, '\'');
    } else if (t->kind == TOKEN_PRAGMA) {
        sbuf_printf(out, "#pragma %.*s\n", (int)t->u.text.len, t->u.text.ptr);
    } else if (t->kind == TOKEN_PUNCT) {
        sbuf_puts(out, punct_text(t->punct)); /* and, or … by their signs */
    } else {
        lex_spelling(t, out);
    }
}

/* Would the two spellings run together into something else? Errs towards a space. */
static bool need_space(const struct token *a, const struct token *b)
{
    bool word_a = a->kind == TOKEN_IDENT || a->kind == TOKEN_NUMBER;
    bool word_b = b->kind == TOKEN_IDENT || b->kind == TOKEN_NUMBER || b->kind == TOKEN_CHAR ||
                  b->kind == TOKEN_STRING;
    if (word_a && word_b)
        return true;
    if (a->kind == TOKEN_PUNCT && b->kind == TOKEN_PUNCT)
        return !strchr("()[]{};,~", punct_text(a->punct)[0]) &&
               !strchr("()[]{};,~", punct_text(b->punct)[0]);
    return (a->kind == TOKEN_NUMBER && b->kind == TOKEN_PUNCT &&
            strchr("+-.", punct_text(b->punct)[0])) ||
           (token_is(a, PUNCT_DOT) && b->kind == TOKEN_NUMBER);
}

/* The header of ours that a token comes from, as the user's text included it; NULL: it is the
 * user's own. Headers that it included in turn come along with it. */
static const struct source_file *own_header(const struct source_map *sm,
                                            const struct source_file *file)
{
    const struct source_file *top = NULL;
    while (file && file->system) {
        top = file;
        file = file->included_at ? source_file_at(sm, file->included_at) : NULL;
    }
    return top;
}

/* What the user has defined for our headers to ask for. Functions only are there or not. */
static void define_again(const struct macro *m, struct sbuf *out)
{
    sbuf_printf(out, "#define %s", m->name);
    if (m->kind != MACRO_OBJECT)
        sbuf_puts(out, "()");
    else
        for (uint32_t i = 0; m->plain && i < m->nbody; i++) {
            sbuf_putc(out, ' ');
            print_token(&m->body[i], out);
        }
    sbuf_putc(out, '\n');
}

/* Our own headers are not the user's text: they are included again, by name, where they were. */
static void include_again(const struct pp_result *r, const struct source_file *header,
                          struct map *done, struct sbuf *out)
{
    static const char folder[] = "<tern>/";
    if (map_has(done, map_key(header)))
        return;
    map_set(done, map_key(header), (void *)header);
    if (!header->included_at || strncmp(header->path, folder, sizeof folder - 1))
        return;
    if (out->len && out->data[out->len - 1] != '\n')
        sbuf_putc(out, '\n');
    vec_each (struct macro *, m, &r->settings)
        define_again(*m, out);
    sbuf_printf(out, "#include <%s>\n", header->path + sizeof folder - 1);
    vec_each (struct macro *, m, &r->settings) /* what follows has been expanded already */
        sbuf_printf(out, "#undef %s\n", (*m)->name);
}

/* Where tokens stand, one after the other: most are in the file, the use of a macro or the line of
 * the one before. */
struct places {
    const struct source_map *sm;
    const struct source_file *file;
    source_loc expansion, expansion_len, use; /* the last of a macro, and where it was used */
    source_loc line, line_len;                /* that pos is of */
    struct source_pos pos;
};

static source_loc use_of(struct places *p, source_loc loc)
{
    if (loc - p->expansion < p->expansion_len)
        return p->use;
    const struct source_expansion *e = source_expansion_at(p->sm, loc);
    if (!e)
        return loc;
    p->expansion = e->base;
    p->expansion_len = e->len;
    return p->use = source_expanded(p->sm, e->expansion);
}

/* The place in a file that a token is shown at. */
static source_loc enter_file(struct places *p, source_loc loc)
{
    if (p->file && loc - p->file->base <= p->file->len)
        return loc;
    loc = use_of(p, loc);
    if (!p->file || loc - p->file->base > p->file->len)
        p->file = source_file_at(p->sm, loc);
    return loc;
}

static bool position(struct places *p, source_loc loc, struct source_pos *pos)
{
    if (loc - p->line >= p->line_len) {
        p->line_len = 0;
        if (!source_position(p->sm, loc, &p->pos))
            return false;
        if (!p->pos.file->markers.len) {
            p->line = loc - (p->pos.column - 1);
            p->line_len = (source_loc)p->pos.text.len;
        }
    } else {
        p->pos.column = loc - p->line + 1;
    }
    *pos = p->pos;
    return true;
}

/* A path may have any character: none of it is to be taken for more than a name. */
static void put_marker(struct sbuf *out, const struct source_pos *at)
{
    sbuf_printf(out, "# %u \"", at->line);
    sbuf_quoted(out, at->path);
    sbuf_puts(out, "\"\n");
}

/* So are headers for host code: whoever compiles the text can tell where a name would come from.
 * Those that were skipped because of what is on this disk may be missing elsewhere: not they. */
static void skip_again(const struct pp_result *r, const struct source_map *sm, struct sbuf *out)
{
    for (size_t i = 0; i < r->skipped.len; i++) {
        const struct pp_skipped *h = &r->skipped.data[i];
        struct source_pos pos;
        if (*h->declares && source_position(sm, h->at.loc, &pos) && !pos.file->system) {
            put_marker(out, &pos);
            sbuf_printf(out, "#include <%s>\n", h->name);
        }
    }
}

void pp_print(const struct pp_result *r, const struct source_map *sm, struct sbuf *out)
{
    const struct token_list *tokens = &r->tokens;
    struct source_pos last = {0};
    struct places places = {.sm = sm};
    const struct token *before = NULL;
    const struct source_file *ours = NULL; /* the last file in a header of ours */
    struct map done;
    map_init(&done, sm->arena);
    for (size_t i = 0; i < tokens->len && tokens->data[i].kind != TOKEN_EOF; i++) {
        const struct token *t = &tokens->data[i];
        if (ours && t->span.loc - ours->base < ours->len) { /* most of them are there */
            last.file = NULL;
            continue;
        }
        struct source_pos pos;
        if (t->span.loc - r->prelude < r->prelude_end - r->prelude ||
            t->span.loc - r->pulled < r->pulled_end - r->pulled) {
            last.file = NULL;
            continue;
        }
        const source_loc loc = enter_file(&places, t->span.loc);
        const struct source_file *header = own_header(sm, places.file);
        if (header) {
            include_again(r, header, &done, out);
            last.file = NULL;
            ours = places.file;
            continue;
        }
        const bool known = position(&places, loc, &pos);
        const bool inside = out->len && out->data[out->len - 1] != '\n';
        if (known &&
            (pos.file != last.file || pos.line < last.line || pos.line > last.line + 8 ||
             (t->kind == TOKEN_PRAGMA && inside && pos.line == last.line))) { /* of a macro */
            if (inside)
                sbuf_putc(out, '\n');
            put_marker(out, &pos);
            last = pos;
        } else if (known) {
            for (; last.line < pos.line; last.line++)
                sbuf_putc(out, '\n');
        }
        bool line_start = !out->len || out->data[out->len - 1] == '\n';
        if (line_start) {
            for (uint32_t k = 1; known && k < pos.column && k < 80; k++)
                sbuf_putc(out, ' ');
        } else if ((t->flags & TOKEN_SPACE) || (before && need_space(before, t))) {
            sbuf_putc(out, ' ');
        }
        print_token(t, out);
        before = t;
        if (t->kind == TOKEN_PRAGMA)
            last.line++;
    }
    sbuf_putc(out, '\n');
    skip_again(r, sm, out);
}
