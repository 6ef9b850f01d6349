/* Splits off the host half: see host.h.
 *
 * The text is cut into tokens once; declarations are walked scope by scope (namespaces and classes
 * are entered, function bodies are not), and edits are collected in order of their place. Inside
 * function bodies only launches and markers matter, which one sweep over all tokens finds. */
#include "front/cuda/host/host_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 128;
}

static uint32_t skip_quoted(struct splitter *s, uint32_t at, char quote)
{
    for (at++; at < s->len && s->text[at] != quote && s->text[at] != '\n'; at++)
        if (s->text[at] == '\\')
            at++;
    return at < s->len ? at + 1 : s->len;
}

static uint32_t skip_raw(struct splitter *s, uint32_t at) /* at the quote of R"delim( … )delim" */
{
    uint32_t open = at + 1;
    while (open < s->len && s->text[open] != '(' && open - at < 20)
        open++;
    uint32_t n = open - at - 1;
    for (uint32_t k = open; k + n + 1 < s->len; k++)
        if (s->text[k] == ')' && !memcmp(s->text + k + 1, s->text + at + 1, n) &&
            s->text[k + 1 + n] == '"')
            return k + n + 2;
    return s->len;
}

static void add_token(struct splitter *s, enum kind kind, uint32_t at, uint32_t end)
{
    struct tok t = {.kind = (uint8_t)kind, .at = at, .len = end - at};
    if (kind == PUNCT)
        t.punct = s->text[at];
    vec_push(s->arena, &s->toks, t);
}

static void tokenize(struct splitter *s)
{
    bool line_start = true;
    for (uint32_t at = 0; at < s->len;) {
        char c = s->text[at];
        uint32_t start = at;
        if (c == '\n') {
            line_start = true;
            at++;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            at++;
            continue;
        }
        if (c == '#' && line_start) { /* line markers and pragmas */
            while (at < s->len && s->text[at] != '\n')
                at += s->text[at] == '\\' && at + 1 < s->len ? 2 : 1;
            continue;
        }
        line_start = false;
        if (c == '"' || c == '\'') {
            at = skip_quoted(s, at, c);
            add_token(s, TEXT, start, at);
        } else if (c >= '0' && c <= '9') {
            while (
                at < s->len &&
                (is_word(s->text[at]) || s->text[at] == '.' ||
                 (s->text[at] == '\'' && at + 1 < s->len && is_word(s->text[at + 1])) ||
                 ((s->text[at] == '+' || s->text[at] == '-') && strchr("eEpP", s->text[at - 1]))))
                at++;
            add_token(s, NUMBER, start, at);
        } else if (is_word(c)) {
            while (at < s->len && is_word(s->text[at]))
                at++;
            if (at < s->len && s->text[at] == '"' && at - start <= 3) { /* u8"…", LR"(…)" */
                at = s->text[at - 1] == 'R' ? skip_raw(s, at) : skip_quoted(s, at, '"');
                add_token(s, TEXT, start, at);
            } else {
                add_token(s, WORD, start, at);
            }
        } else {
            bool pair = at + 1 < s->len && ((c == ':' && s->text[at + 1] == ':') ||
                                            (c == '-' && s->text[at + 1] == '>'));
            at += pair ? 2 : 1;
            add_token(s, PUNCT, start, at);
        }
    }
    add_token(s, END, s->len, s->len);
}

/* Whether a line marker's flags, behind the file's name, have the 3 of system headers. */
static bool marks_system(const char *flags, const char *end)
{
    for (; flags < end; flags++)
        if (flags[0] == ' ' && flags[1] == '3')
            return true;
    return false;
}

/* # 12 "file.cu": the lines of the file that was preprocessed. Only complaints need them, and what
 * is inserted. */
static void read_line_markers(struct splitter *s)
{
    VEC(struct system_part) parts = {0};
    int64_t line = 0; /* of the text, from 0 */
    bool system = false;
    for (const char *p = s->text, *end; *p; p = *end ? end + 1 : end, line++) {
        end = p + strcspn(p, "\n");
        if (p[0] != '#' || p[1] != ' ' || p[2] < '0' || p[2] > '9' || !*end)
            continue;
        char *rest;
        const int64_t number = (int64_t)strtoul(p + 2, &rest, 10);
        const size_t n = rest[0] == ' ' && rest[1] == '"' ? strcspn(rest + 2, "\"\n") : 0;
        const int64_t delta = number - (line + 2);
        if (n && delta >= INT32_MIN && delta <= INT32_MAX)
            source_add_marker(s->sources, s->base + (source_loc)(end + 1 - s->text), (int32_t)delta,
                              arena_strndup(s->arena, rest + 2, n));
        if (n && marks_system(rest + 2 + n, end) != system) {
            system = !system;
            vec_push(s->arena, &parts,
                     ((struct system_part){(uint32_t)(end + 1 - s->text), system}));
        }
    }
    s->parts = parts.data;
    s->nparts = parts.len;
    s->marked = true;
}

struct span host_where(struct splitter *s, uint32_t i)
{
    if (!s->marked)
        read_line_markers(s);
    return span_at(s->base + s->toks.data[i].at, s->toks.data[i].len);
}

/* Pairs up ( ) [ ] { }. */
static bool balance(struct splitter *s)
{
    VEC(uint32_t) open = {0};
    for (uint32_t i = 0; i < s->toks.len; i++) {
        struct tok *t = &s->toks.data[i];
        if (t->kind != PUNCT)
            continue;
        if (t->punct == '(' || t->punct == '[' || t->punct == '{') {
            vec_push(s->arena, &open, i);
        } else if (t->punct == ')' || t->punct == ']' || t->punct == '}') {
            char want = t->punct == ')' ? '(' : t->punct == ']' ? '[' : '{';
            if (!open.len || s->toks.data[vec_last(&open)].punct != want) {
                diag_error(s->diag, host_where(s, i), "'%c' without its partner", t->punct);
                return false;
            }
            uint32_t partner = vec_pop(&open);
            t->match = partner;
            s->toks.data[partner].match = i;
        }
    }
    if (open.len) {
        diag_error(s->diag, host_where(s, vec_last(&open)), "'%c' is never closed",
                   s->toks.data[vec_last(&open)].punct);
        return false;
    }
    return true;
}

/* ---- looking ---- */

bool host_is(struct splitter *s, uint32_t i, const char *word)
{
    const struct tok *t = &s->toks.data[i];
    return t->len == strlen(word) && !memcmp(s->text + t->at, word, t->len);
}

bool host_is_punct(struct splitter *s, uint32_t i, char c)
{
    return s->toks.data[i].kind == PUNCT && s->toks.data[i].punct == c && s->toks.data[i].len == 1;
}

bool host_is_one_of(struct splitter *s, uint32_t i, const char *const *words)
{
    for (; *words; words++)
        if (host_is(s, i, *words))
            return true;
    return false;
}

const char *host_spelled(struct splitter *s, uint32_t i)
{
    return arena_strndup(s->arena, s->text + s->toks.data[i].at, s->toks.data[i].len);
}

/* Does c stand at token i, and directly behind the token before it? */
static bool follows_at_once(struct splitter *s, uint32_t i, char c)
{
    return host_is_punct(s, i, c) && s->toks.data[i].at == s->toks.data[i - 1].at + 1;
}

/* Is `<` at i an angle, not of `<<` or `<=`? */
static bool opens_angles(struct splitter *s, uint32_t i)
{
    return !follows_at_once(s, i + 1, '<') && !follows_at_once(s, i + 1, '=') &&
           !(i && host_is_punct(s, i - 1, '<') && follows_at_once(s, i, '<'));
}

uint32_t host_after_angles(struct splitter *s, uint32_t i)
{
    int depth = 0;
    if (!opens_angles(s, i))
        return i + 1;
    for (; s->toks.data[i].kind != END; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind != PUNCT)
            continue;
        if (t->punct == '<')
            depth += opens_angles(s, i);
        else if (t->punct == '>' && t->len == 1 && --depth == 0)
            return i + 1;
        else if (t->punct == '(' || t->punct == '[' || t->punct == '{')
            i = t->match;
        else if (t->punct == ';')
            return i;
    }
    return i;
}

void host_edit(struct splitter *s, uint32_t at, uint32_t remove, const char *insert)
{
    struct edit e = {at, remove, insert};
    vec_push(s->arena, &s->edits, e);
}

/* As many line breaks as a range has, and the markers where the preprocessor left lines out, so
 * that what follows stays on its line. */
static void keep_lines(struct splitter *s, struct sbuf *b, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++) {
        if (s->text[k] != '\n')
            continue;
        sbuf_putc(b, '\n');
        if (to - k > 2 && s->text[k + 1] == '#' && s->text[k + 2] == ' ') {
            const uint32_t n = (uint32_t)strcspn(s->text + k + 1, "\n");
            sbuf_put(b, s->text + k + 1, n);
            k += n;
        }
    }
}

/* ---- kernels ---- */

/* The name a parameter declares, or 0: the last word that is not a type's, outside of nested
 * brackets except those of a pointer to function or array. */
uint32_t host_parameter_name(struct splitter *s, uint32_t from, uint32_t to)
{
    static const char *const not_names[] = {
        "const", "volatile",     "int",        "float",    "double", "char",
        "short", "long",         "unsigned",   "signed",   "bool",   "void",
        "auto",  "__restrict__", "__restrict", "typename", "struct", "class",
        "enum",  "union",        "size_t",     NULL};
    uint32_t name = 0, words = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind == WORD) {
            words++;
            bool qualified = i + 1 < to && host_is(s, i + 1, "::");
            bool part = i > from && host_is(s, i - 1, "::");
            if (!host_is_one_of(s, i, not_names) && !qualified && !part)
                name = i;
            else if (part || qualified)
                name = 0; /* ns::type: a type */
            else if (!host_is(s, i, "const") && !host_is(s, i, "__restrict__") &&
                     !host_is(s, i, "__restrict") && name)
                name = 0;
        } else if (t->kind == PUNCT) {
            if (t->punct == '=')
                break;
            if (t->punct == '<') {
                i = host_after_angles(s, i) - 1;
                name = 0;
            } else if (t->punct == '[') {
                i = t->match;
            } else if (t->punct == '(') { /* (*const name)(…) */
                for (uint32_t k = i + 1; k < t->match; k++)
                    if (s->toks.data[k].kind == WORD && !host_is_one_of(s, k, not_names))
                        return k;
                i = t->match;
            }
        }
    }
    /* A lone word is a type: f(Thing) */
    uint32_t type_words = 0;
    for (uint32_t i = from; i < name; i++) {
        const struct tok *t = &s->toks.data[i];
        type_words += (t->kind == WORD && !host_is(s, i, "const") && !host_is(s, i, "volatile")) ||
                      (t->kind == PUNCT && t->punct == '>');
    }
    return name && type_words ? name : 0;
}

uint32_t host_item_end(struct splitter *s, uint32_t i, uint32_t close)
{
    for (; i < close; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind != PUNCT)
            continue;
        if (t->punct == ',')
            break;
        if (t->punct == '(' || t->punct == '[' || t->punct == '{')
            i = t->match;
        else if (t->punct == '<')
            i = host_after_angles(s, i) - 1;
    }
    return i;
}

/* Whether a parameter, by its tokens, is a reference. */
static bool is_reference(struct splitter *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && !host_is_punct(s, i, '=');
         i = host_is_punct(s, i, '<') ? host_after_angles(s, i) : i + 1)
        if (host_is_punct(s, i, '&'))
            return true;
    return false;
}

/* The class of a stub tells which kernel it is. Where several templates have one name, arguments in
 * angles may not do: then it is called __tern_tags, and the parameters are told too. */
static const char *tag_class(bool several)
{
    return several ? "{ struct __tern_tags { char c; }; typedef __tern_tags __tern_tag; "
                   : "{ struct __tern_tag { char c; }; ";
}

/* Another template of that name? Then the first one's stub, whose edit is noted, changes too. */
static bool one_of_several(struct splitter *s, uint32_t name)
{
    if (!s->templates.len || host_is_punct(s, s->templates.data[s->templates.len - 1] + 1, '>'))
        return false; /* no template, or a specialisation of one */
    const uint64_t key = map_key(intern_z(&s->words, host_spelled(s, name)));
    const size_t first = (size_t)(uintptr_t)map_get(&s->kernels, key);
    if (!first) {
        map_set(&s->kernels, key, (void *)(uintptr_t)(s->edits.len + 1));
        return false;
    }
    struct edit *e = &s->edits.data[first - 1];
    const char *const alone = tag_class(false);
    if (!strncmp(e->insert, alone, strlen(alone)))
        e->insert = arena_printf(s->arena, "%s%s", tag_class(true), e->insert + strlen(alone));
    return true;
}

/* Replaces a kernel's body (between its braces) by a stub that hands the launch to the runtime, and
 * gives names to parameters that have none. */
static void make_stub(struct splitter *s, uint32_t function, uint32_t params, uint32_t body)
{
    struct sbuf b;
    sbuf_init(&b, s->arena);
    if (s->templates.len)
        sbuf_puts(&b, "static_assert(::__tern_has_name(__PRETTY_FUNCTION__, "
                      "sizeof __PRETTY_FUNCTION__), \"a lambda for a kernel needs "
                      "__device__ before its parameters\"); ");
    struct sbuf list, sizes;
    sbuf_init(&list, s->arena);
    sbuf_init(&sizes, s->arena);
    sbuf_puts(&list, "");
    sbuf_puts(&sizes, "");
    uint32_t close = s->toks.data[params].match, unnamed = 0;
    for (uint32_t from = params + 1; from < close;) {
        const uint32_t to = host_item_end(s, from, close);
        bool pack = false;
        for (uint32_t i = from; i < to; i++)
            pack |= host_is_punct(s, i, '.');
        const bool reference = is_reference(s, from, to);
        if (to == from + 1 && host_is(s, from, "void"))
            break;
        uint32_t name = host_parameter_name(s, from, to);
        const char *word;
        if (name) {
            word = host_spelled(s, name);
        } else {
            word = arena_printf(s->arena, "__tern_arg%u", unnamed++);
            uint32_t at = to; /* before a default value */
            for (uint32_t i = from; i < to; i++)
                if (s->toks.data[i].kind == PUNCT && s->toks.data[i].punct == '=') {
                    at = i;
                    break;
                }
            host_edit(s, s->toks.data[at - 1].at + s->toks.data[at - 1].len, 0,
                      arena_printf(s->arena, " %s", word));
        }
        if (reference && !pack) { /* the kernel gets an address */
            sbuf_printf(&b, "const volatile void *const __tern_to_%s = __builtin_addressof(%s); ",
                        word, word);
            sbuf_printf(&list, "::__tern_argument(__tern_to_%s), ", word);
            sbuf_puts(&sizes, "sizeof(void *) << 12 | alignof(void *), ");
        } else {
            sbuf_printf(&list, "::__tern_argument(%s)%s, ", word, pack ? "..." : "");
            sbuf_printf(&sizes, "sizeof(decltype(%s)) << 12 | alignof(decltype(%s))%s, ", word,
                        word, pack ? "..." : "");
        }
        from = to + 1;
    }
    sbuf_printf(
        &b,
        "void *__tern_args[] = {%snullptr}; static const unsigned long __tern_shapes[] = {%s0}; "
        "::__tern_launch(&::__tern_kernel<__tern_tag>::self, __tern_args, __tern_shapes, "
        "sizeof __tern_args / sizeof *__tern_args - 1); ",
        list.data, sizes.data);
    uint32_t from = s->toks.data[body].at, to = s->toks.data[s->toks.data[body].match].at;
    keep_lines(s, &b, from, to);
    host_edit(s, from, to - from,
              arena_printf(s->arena, "%s%s", tag_class(one_of_several(s, function)), b.data));
    s->result->kernels++;
}

static void drop_body(struct splitter *s, uint32_t name, uint32_t body)
{
    struct sbuf b;
    sbuf_init(&b, s->arena);
    sbuf_printf(&b, "{ ::__tern_not_host(\"%s\"); ", host_spelled(s, name));
    uint32_t from = s->toks.data[body].at, to = s->toks.data[s->toks.data[body].match].at;
    keep_lines(s, &b, from, to);
    host_edit(s, from, to - from, b.data);
}

/* ---- declarations ---- */

struct decl { /* what was seen of one */
    bool global, device, host, constant, managed, is_extern, is_auto, arrow, is_constexpr,
        is_static, is_template;
    uint32_t params; /* the '(' of a parameter list, or 0 */
    uint32_t name;   /* the declared name, or 0 */
};

/* If it is a variable: the host has a copy of its own. */
static bool is_device_variable(const struct decl *d)
{
    return (d->device || d->constant) && !d->managed;
}

static void note_word(struct splitter *s, uint32_t i, struct decl *d)
{
    d->global |= host_is(s, i, "__global__");
    d->device |= host_is(s, i, "__device__");
    d->host |= host_is(s, i, "__host__");
    d->constant |= host_is(s, i, "__constant__");
    d->managed |= host_is(s, i, "__managed__");
    d->is_extern |= host_is(s, i, "extern");
    d->is_static |= host_is(s, i, "static");
    d->is_constexpr |= host_is(s, i, "constexpr") || host_is(s, i, "consteval");
    if (!d->params)
        d->is_auto |= host_is(s, i, "auto");
}

static const char *qualified(struct splitter *s, const char *name)
{
    struct sbuf b;
    sbuf_init(&b, s->arena);
    for (size_t k = 0; k < s->scope.len; k++)
        if (*s->scope.data[k])
            sbuf_printf(&b, "%s::", s->scope.data[k]);
    sbuf_puts(&b, name);
    return b.data;
}

/* Registers the variable(s) of a declaration that ends at the semicolon `end`. */
static void register_variables(struct splitter *s, struct decl *d, uint32_t from, uint32_t end)
{
    static const char *const records[] = {"struct", "class", "union", "enum", NULL};
    struct sbuf b;
    sbuf_init(&b, s->arena);
    sbuf_putc(&b, ';');
    uint32_t name = 0;
    bool in_value = false;
    for (uint32_t i = from; i <= end; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind == WORD && !in_value && !host_is(s, i, "__attribute__") &&
            !host_is(s, i, "alignas")) {
            name = i;
        } else if (t->kind == PUNCT) {
            if (t->punct == '(' || t->punct == '[' || t->punct == '{') {
                if (t->punct == '{') /* a value, or what `struct a { … } b;` is made of */
                    in_value = !name || !(host_is_one_of(s, name, records) ||
                                          host_is_one_of(s, name - 1, records));
                i = t->match;
            } else if (t->punct == '<' && !in_value) {
                i = host_after_angles(s, i) - 1;
            } else if (t->punct == '=') {
                in_value = true;
            } else if ((t->punct == ',' || t->punct == ';') && name > from &&
                       host_is(s, name - 1, "::")) {
                name = 0; /* a member, perhaps private: it is found by what the linker calls it */
                in_value = false;
            } else if ((t->punct == ',' || t->punct == ';') && name) {
                const char *word = host_spelled(s, name);
                sbuf_printf(&b,
                            " static ::__tern_variable __tern_var%u(&::__tern_here, (const void "
                            "*)&%s, \"%s\", sizeof(%s), %d);",
                            s->counter++, word, qualified(s, word), word,
                            d->managed ? 2 : d->constant);
                s->result->variables++;
                if (is_device_variable(d))
                    host_note_variable(s, name);
                name = 0;
                in_value = false;
            }
        }
    }
    host_edit(s, s->toks.data[end].at, 1, b.data);
}

/* texture<float, 2> name; and surface<void, 2> name; are variables of the device too, as references
 * were until CUDA 11. */
static bool is_texture_reference(struct splitter *s, uint32_t i)
{
    while (host_is(s, i, "static"))
        i++;
    return (host_is(s, i, "texture") || host_is(s, i, "surface")) &&
           s->toks.data[i + 1].kind == PUNCT && s->toks.data[i + 1].punct == '<';
}

/* Without -rdc=true each file has its own, as if it were static: headers that declare them may be
 * included by several. Not so a member, or what other files were promised before. */
static bool is_of_this_file(struct splitter *s, const struct decl *d, uint32_t start, uint32_t name)
{
    for (uint32_t i = start; i < name; i++)
        if (host_is(s, i, "inline") || host_is(s, i, "thread_local"))
            return false;
    for (size_t k = 0; k < s->elsewhere.len; k++)
        if (host_is(s, name, s->elsewhere.data[k]))
            return false;
    return !s->linked && !d->is_static && !host_is(s, name - 1, "::");
}

/* The variables of a declaration that ends at the semicolon `end`; `name` is its last word. */
static void device_variable(struct splitter *s, struct decl *d, uint32_t start, uint32_t name,
                            uint32_t end)
{
    static const char *const marks[] = {"__device__", "__constant__", "__managed__", NULL};
    if (d->is_extern) {
        if (name)
            vec_push(s->arena, &s->elsewhere, host_spelled(s, name));
        return;
    }
    if (name && is_of_this_file(s, d, start, name)) {
        uint32_t mark = start;
        while (mark < end && !host_is_one_of(s, mark, marks)) /* not those of members */
            mark = host_is(s, mark, "{") ? s->toks.data[mark].match : mark + 1;
        host_edit(s, s->toks.data[mark < end ? mark : start].at, 0, "static ");
    }
    register_variables(s, d, start, end);
}

static uint32_t walk_scope(struct splitter *s, uint32_t i, uint32_t end, bool in_class,
                           unsigned depth);

static bool opens_body(struct splitter *s, uint32_t brace)
{
    static const char *const before[] = {"const",   "noexcept", "override", "final",
                                         "mutable", "try",      "volatile", NULL};
    const struct tok *p = &s->toks.data[brace - 1];
    if (p->kind == PUNCT)
        return p->punct == ')' || p->punct == '}' || p->punct == '>' || p->punct == '&' ||
               p->punct == '*' || p->punct == ']';
    return host_is_one_of(s, brace - 1, before) || p->kind == WORD; /* -> type { */
}

/* The brace opens the body of what was declared. */
static void function_body(struct splitter *s, const struct decl *d, uint32_t brace, bool in_class)
{
    if (host_is(s, d->name, "main") && !s->scope.len && !in_class)
        s->result->has_main = true;
    if (!d->global && !d->device)
        host_closures(s, d->name, d->params, brace);
    host_note_function(s, d->name, d->global, d->device, d->host);
    if (!d->global && !d->device && !d->is_constexpr && !s->templates.len)
        host_note_body(s, d->params, brace);
    if (s->device || s->own)
        return;
    if (d->global)
        make_stub(s, d->name, d->params, brace);
    else if (d->device && !d->host && !d->is_constexpr && !(d->is_auto && !d->arrow))
        drop_body(s, d->name, brace);
}

/* One declaration from i on; gives the token after it. */
/* template <class T> A<T>::type A<T>::f() { … }: what a function returns is a type, as C++20 and
 * NVIDIA's compiler know without typename; the host's compiler may not. */
static void say_typename(struct splitter *s, uint32_t i, const struct decl *d)
{
    static const char *const specifiers[] = {
        "inline",          "static",     "const",        "volatile",   "constexpr",
        "extern",          "__device__", "__host__",     "__global__", "friend",
        "__forceinline__", "__inline__", "__noinline__", "__inline",   "virtual",
        "explicit",        NULL};
    for (;; i++) {
        if (host_is(s, i, "template") && host_is_punct(s, i + 1, '<'))
            i = host_after_angles(s, i + 1) - 1;
        else if (host_is(s, i, "__attribute__") && host_is_punct(s, i + 1, '('))
            i = s->toks.data[i + 1].match;
        else if (!host_is_one_of(s, i, specifiers))
            break;
    }
    const uint32_t first = i;
    bool depends = false, whole = false;
    for (; i < d->name && s->toks.data[i].kind == WORD; i++) {
        if (host_is(s, i, "operator") || host_is(s, i, "typename"))
            return;
        i++;
        const bool angles = host_is_punct(s, i, '<');
        if (angles)
            i = host_after_angles(s, i);
        whole = !host_is(s, i, "::");
        if (whole)
            break;
        depends |= angles;
    }
    if (depends && whole && i <= d->name &&
        (s->toks.data[i].kind == WORD || host_is_punct(s, i, '*') || host_is_punct(s, i, '&')))
        host_edit(s, s->toks.data[first].at, 0, "typename ");
}

/* template <class T> void A<T>::f(int n = 0) { … }: NVIDIA's compiler passes over a default that
 * the class does not give; the host's refuses it. */
static void drop_late_defaults(struct splitter *s, const struct decl *d)
{
    if (d->name < 2 || !host_is(s, d->name - 1, "::") || !host_is_punct(s, d->name - 2, '>'))
        return;
    const uint32_t close = s->toks.data[d->params].match;
    for (uint32_t i = d->params + 1; i < close; i++) {
        const uint32_t stop = host_item_end(s, i, close);
        while (i < stop && !host_is_punct(s, i, '='))
            i = host_is_punct(s, i, '<') ? host_after_angles(s, i) : i + 1;
        if (i < stop) {
            const uint32_t from = s->toks.data[i].at;
            host_edit(s, from, s->toks.data[stop].at - from, "");
        }
        i = stop;
    }
}

static uint32_t declaration(struct splitter *s, uint32_t i, uint32_t end, bool in_class,
                            unsigned depth)
{
    static const char *const not_params[] = {
        "__launch_bounds__", "__attribute__", "alignas",  "decltype",
        "__align__",         "noexcept",      "explicit", "__declspec",
        "__cluster_dims__",  "requires",      NULL};
    static const char *const records[] = {"class", "struct", "union", NULL};
    struct decl d = {0};
    uint32_t start = i, last_word = 0;
    bool init_list = false, value = false, record = false;
    unsigned record_words = 0; /* after struct: a second word is a declarator's name */
    for (; i < end; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind == WORD) {
            note_word(s, i, &d);
            if (host_is(s, i, "template") && s->toks.data[i + 1].punct == '<') {
                d.is_template = true;
                vec_push(s->arena, &s->templates, i + 1);
                i = host_after_angles(s, i + 1) - 1;
                continue;
            }
            if (host_is(s, i, "enum"))
                record = false;
            else if (host_is_one_of(s, i, records) && !d.params && !value) {
                record = true;
                record_words = 0;
                continue;
            } else if (host_is(s, i, "operator")) { /* operator() (…): the first pair is the name */
                last_word = i;
                if (host_is(s, i + 1, "(") && host_is(s, i + 2, ")"))
                    i += 2;
                else
                    while (i + 1 < end && s->toks.data[i + 1].kind == PUNCT &&
                           s->toks.data[i + 1].punct != '(')
                        i++;
                continue;
            }
            last_word = i;
            record_words++;
            continue;
        }
        if (t->kind != PUNCT)
            continue;
        if (strchr("=,;[{", t->punct) && last_word && !d.params && !value &&
            !(is_device_variable(&d) && !in_class))
            host_note_other(s, last_word);
        switch (t->punct) {
        case '(':
            if (!d.params && !value && last_word && !host_is_one_of(s, last_word, not_params) &&
                (!record || record_words > 1)) {
                record = false;
                d.params = i;
                d.name = last_word;
            }
            i = t->match;
            break;
        case '[': i = t->match; break;
        case '<':
            if (!value)
                i = host_after_angles(s, i) - 1;
            break;
        case '-': d.arrow |= t->len == 2; break;
        case '=':
            if (!d.params)
                value = true;
            break;
        case ':':
            if (t->len == 1 && d.params)
                init_list = true;
            else if (t->len == 1 && in_class && i == start + 1)
                return i + 1; /* public: */
            break;
        case '{':
            if (record && !d.params) {
                const uint32_t around = s->record;
                s->record = i;
                walk_scope(s, i + 1, t->match, true, depth + 1);
                s->record = around;
                i = t->match;
                record = false;
                break;
            }
            if (init_list &&
                (s->toks.data[i - 1].kind == WORD || s->toks.data[i - 1].punct == '>')) {
                i = t->match; /* member{…} */
                break;
            }
            if (d.params && !value && opens_body(s, i)) {
                if (d.is_template && !s->device)
                    say_typename(s, start, &d);
                if (d.is_template && !s->device && !s->own)
                    drop_late_defaults(s, &d);
                function_body(s, &d, i, in_class);
                uint32_t after = t->match + 1;
                return after < end && s->toks.data[after].kind == PUNCT &&
                               s->toks.data[after].punct == ';'
                           ? after + 1
                           : after;
            }
            i = t->match;
            break;
        case ';':
            if (d.params && !is_texture_reference(s, start)) /* which a value may follow: t(1) */
                host_note_function(s, d.name, d.global, d.device, d.host);
            else if (!s->device && !s->own &&
                     (d.device || d.constant || d.managed || is_texture_reference(s, start)) &&
                     !in_class && !d.is_template)
                device_variable(s, &d, start, last_word, i);
            return i + 1;
        default: break;
        }
    }
    return end;
}

static uint32_t namespace_scope(struct splitter *s, uint32_t i, uint32_t end, unsigned depth)
{
    size_t pushed = s->scope.len;
    for (i++; i < end; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind == WORD && !host_is(s, i, "inline") && !host_is(s, i, "__attribute__"))
            vec_push(s->arena, &s->scope, host_spelled(s, i));
        else if (t->kind == PUNCT && (t->punct == '(' || t->punct == '['))
            i = t->match;
        else if (t->kind == PUNCT && (t->punct == '=' || t->punct == ';')) {
            while (i < end && !(s->toks.data[i].kind == PUNCT && s->toks.data[i].punct == ';'))
                i++;
            s->scope.len = pushed;
            return i + 1;
        } else if (t->kind == PUNCT && t->punct == '{') {
            walk_scope(s, i + 1, t->match, false, depth + 1);
            s->scope.len = pushed;
            return t->match + 1;
        }
    }
    return i;
}

static uint32_t walk_scope(struct splitter *s, uint32_t i, uint32_t end, bool in_class,
                           unsigned depth)
{
    if (depth > 200)
        return end;
    while (i < end) {
        const struct tok *t = &s->toks.data[i];
        bool inline_namespace = host_is(s, i, "inline") && host_is(s, i + 1, "namespace");
        if (t->kind == END)
            break;
        if (host_is(s, i, "namespace") || inline_namespace) {
            i = namespace_scope(s, i + inline_namespace, end, depth);
        } else if (host_is(s, i, "extern") && s->toks.data[i + 1].kind == TEXT &&
                   host_is(s, i + 2, "{")) {
            uint32_t close = s->toks.data[i + 2].match;
            walk_scope(s, i + 3, close, in_class, depth + 1);
            i = close + 1;
        } else if (t->kind == PUNCT && (t->punct == ';' || t->punct == '}')) {
            i++;
        } else {
            const size_t templates = s->templates.len;
            if (!in_class)
                s->top = i;
            uint32_t next = declaration(s, i, end, in_class, depth);
            s->templates.len = templates;
            i = next > i ? next : i + 1;
        }
    }
    return end;
}

/* ---- launches and markers, wherever they stand ---- */

/* From the > that closes template arguments to the word before them; 0: there is none. */
static uint32_t before_arguments(struct splitter *s, uint32_t i)
{
    for (int depth = 0; i; i--) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind != PUNCT)
            continue;
        if (t->punct == '>' && t->len == 1)
            depth++;
        else if (t->punct == '<' && --depth == 0)
            return i - 1;
        else if (t->punct == ')' || t->punct == ']' || t->punct == '}')
            i = t->match;
    }
    return 0;
}

/* The first token of the expression that is called: name, ns::name, name<…>, (*p), a.b, a->b,
 * a[i][j], f(x), f<…>(x)[i]. */
static uint32_t callee_start(struct splitter *s, uint32_t i)
{
    static const char *const statements[] = {"if",     "while",     "for", "switch",
                                             "return", "constexpr", NULL};
    for (;;) {
        const struct tok *t = &s->toks.data[i];
        while (t->kind == PUNCT && (t->punct == ')' || t->punct == ']') && t->match) {
            const struct tok *before = &s->toks.data[t->match - 1];
            const bool called = before->kind == WORD
                                    ? !host_is_one_of(s, t->match - 1, statements)
                                    : before->kind == PUNCT && before->punct == '>';
            if (t->punct == ')' && !called)
                return t->match; /* parentheses around it */
            i = t->match - 1;
            t = before;
        }
        if (t->kind == PUNCT && t->punct == '>' && t->len == 1)
            i = before_arguments(s, i);
        if (s->toks.data[i].kind != WORD)
            return i + 1;
        if (i && (host_is(s, i - 1, "::") || host_is(s, i - 1, ".") || host_is(s, i - 1, "->") ||
                  host_is(s, i - 1, "template"))) {
            bool leading =
                host_is(s, i - 1, "::") &&
                (i < 2 || (s->toks.data[i - 2].kind != WORD && s->toks.data[i - 2].punct != '>'));
            if (leading)
                return i - 1;
            i -= host_is(s, i - 1, "template") ? 3 : 2;
        } else {
            return i;
        }
    }
}

/* Three in a row; what is written << < or >> > counts too, as nvcc has it. */
static bool is_triple(struct splitter *s, uint32_t i, char c)
{
    const struct tok *t = &s->toks.data[i];
    return t[0].kind == PUNCT && t[0].punct == c && t[0].len == 1 && t[1].kind == PUNCT &&
           t[1].punct == c && t[2].kind == PUNCT && t[2].punct == c && t[1].at == t[0].at + 1;
}

/* As keep_lines, and what follows keeps its column: compilers show it. */
static void keep_places(struct splitter *s, struct sbuf *b, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++) {
        sbuf_putc(b, s->text[k] == '\n' ? '\n' : ' ');
        while (s->text[k] == '\n' && k + 1 < to && s->text[k + 1] == '#')
            k += 1 + (uint32_t)strcspn(s->text + k + 1, "\n");
    }
}

static bool in_system_header(const struct splitter *s, uint32_t at)
{
    size_t low = 0, high = s->nparts; /* the first part behind */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->parts[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && s->parts[low - 1].system;
}

/* What was inserted is behind: the token at i stands where the source has it. */
static void resume_line(struct splitter *s, struct sbuf *b, uint32_t i)
{
    struct source_pos p;
    const uint32_t at = s->toks.data[i].at;
    uint32_t from = at;
    if (s->text[0] != '#' || !source_position(s->sources, host_where(s, i).loc, &p))
        return; /* not a preprocessor's output */
    while (from && s->text[from - 1] != '\n')
        from--;
    sbuf_printf(b, "\n# %u \"", p.line);
    sbuf_quoted(b, p.path);
    sbuf_puts(b, in_system_header(s, at) ? "\" 3\n" : "\"\n"); /* compilers keep quiet there */
    for (; from < at; from++)
        sbuf_putc(b, s->text[from] == '\t' ? '\t' : ' ');
}

/* A number as it is written, at token i; 0: there is none, or none that a block can have. */
static unsigned number_at(const struct splitter *s, uint32_t i)
{
    const struct tok *t = &s->toks.data[i];
    if (s->text[t->at] < '1' || s->text[t->at] > '9')
        return 0;
    char *end;
    const unsigned long n = strtoul(s->text + t->at, &end, 10);
    end += strspn(end, "uUlL");
    return end == s->text + t->at + t->len && n <= 1024 ? (unsigned)n : 0;
}

/* A launch's block, from token i to token `end`, if it is N or dim3(N…). */
static bool read_shape(struct splitter *s, uint32_t i, uint32_t end, unsigned shape[3])
{
    shape[0] = shape[1] = shape[2] = 1;
    if (i + 1 == end)
        return (shape[0] = number_at(s, i)) != 0;
    if (!host_is(s, i, "dim3") || !host_is(s, i + 1, "(") || s->toks.data[i + 1].match + 1 != end)
        return false;
    const uint32_t close = end - 1;
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t at = i + 2 + 2 * k;
        if (at >= close || !(shape[k] = number_at(s, at)))
            return false;
        if (at + 1 == close)
            return true;
        if (!host_is(s, at + 1, ","))
            return false;
    }
    return false;
}

/* What is between the first comma of a launch's brackets and the next. */
static void note_shape(struct splitter *s, uint32_t from, uint32_t close)
{
    struct host_result *r = s->result;
    uint32_t comma[2] = {0, close};
    unsigned n = 0, shape[3];
    for (uint32_t i = from; i < close && n < 2; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind == PUNCT && (t->punct == '(' || t->punct == '[' || t->punct == '{') && t->match)
            i = t->match;
        else if (host_is(s, i, ","))
            comma[n++] = i;
    }
    if (!n || !read_shape(s, comma[0] + 1, comma[1], shape)) {
        r->other_shapes = true;
        return;
    }
    for (unsigned k = 0; k < r->nshapes; k++)
        if (!memcmp(r->shapes[k], shape, sizeof shape))
            return;
    if (r->nshapes < HOST_MOST_SHAPES)
        memcpy(r->shapes[r->nshapes++], shape, sizeof shape);
}

static void launches(struct splitter *s)
{
    for (uint32_t i = 1; i + 4 < s->toks.len; i++) {
        if (!is_triple(s, i, '<'))
            continue;
        uint32_t close = i + 3;
        bool several = false; /* ... may be several */
        while (close + 3 < s->toks.len && !is_triple(s, close, '>')) {
            const struct tok *t = &s->toks.data[close];
            several |= t->kind == PUNCT && (t->punct == ',' || t->punct == '.');
            if (t->kind == PUNCT && (t->punct == '(' || t->punct == '[' || t->punct == '{') &&
                t->match)
                close = t->match;
            else if (t->kind == PUNCT && t->punct == ';')
                break;
            close++;
        }
        if (!is_triple(s, close, '>') || !host_is(s, close + 3, "("))
            continue; /* not a launch: operators of other code */
        if (!several)
            diag_error(s->diag, host_where(s, i),
                       "a launch needs a grid and a block: <<<grid, block>>>");
        const struct tok *toks = s->toks.data;
        uint32_t first = callee_start(s, i - 1), config = toks[i + 2].at + 1;
        const char *text = arena_printf(s->arena, "(::__tern_configure(%.*s), ",
                                        (int)(toks[close].at - config), s->text + config);
        struct sbuf lines;
        sbuf_init(&lines, s->arena);
        for (const char *p = text; *p; p++) { /* on one line, without the preprocessor's markers */
            sbuf_putc(&lines, *p == '\n' ? ' ' : *p);
            while (*p == '\n' && p[1] == '#')
                p += 1 + strcspn(p + 1, "\n");
        }
        resume_line(s, &lines, first);
        host_edit(s, toks[first].at, 0, lines.data);
        struct sbuf kept;
        sbuf_init(&kept, s->arena);
        sbuf_puts(&kept, "");
        keep_places(s, &kept, toks[i].at, toks[close + 3].at);
        host_edit(s, toks[i].at, toks[close + 3].at - toks[i].at, kept.data);
        host_edit(s, toks[toks[close + 3].match].at, 1, "))");
        note_shape(s, i + 3, close);
        s->result->launches++;
    }
}

static void markers(struct splitter *s)
{
    static const char *const plain[] = {
        "__global__",   "__device__",  "__host__",          "__shared__",
        "__constant__", "__managed__", "__grid_constant__", NULL};
    static const char *const with_arguments[] = {"__launch_bounds__", "__maxnreg__",
                                                 "__cluster_dims__", NULL};
    for (uint32_t i = 0; i + 1 < s->toks.len; i++) {
        const struct tok *t = &s->toks.data[i];
        if (t->kind != WORD || t->len < 8 || s->text[t->at] != '_')
            continue;
        if (host_is_one_of(s, i, plain)) {
            host_edit(s, t->at, t->len, arena_printf(s->arena, "%*s", (int)t->len, ""));
        } else if (host_is_one_of(s, i, with_arguments) && host_is(s, i + 1, "(")) {
            struct tok *close = &s->toks.data[s->toks.data[i + 1].match];
            struct sbuf kept;
            sbuf_init(&kept, s->arena);
            sbuf_puts(&kept, "");
            keep_lines(s, &kept, t->at, close->at);
            host_edit(s, t->at, close->at + 1 - t->at, kept.data);
        } else if (host_is(s, i, "__noinline__") && i && !host_is(s, i - 1, "(") &&
                   !host_is(s, i - 1, ",")) {
            host_edit(s, t->at, t->len, "__attribute__((noinline))");
        }
    }
}

/* ---- putting it together ---- */

/* Stable by place: edits at the same place stay in the order in which they were made. */
static void sort_edits(struct splitter *s)
{
    struct edit *from = s->edits.data, *to = arena_array(s->arena, struct edit, s->edits.len + 1);
    for (size_t width = 1; width < s->edits.len; width *= 2) {
        for (size_t low = 0; low < s->edits.len; low += 2 * width) {
            size_t mid = low + width < s->edits.len ? low + width : s->edits.len;
            size_t high = low + 2 * width < s->edits.len ? low + 2 * width : s->edits.len;
            size_t a = low, b = mid, k = low;
            while (a < mid || b < high)
                to[k++] =
                    b >= high || (a < mid && from[a].at <= from[b].at) ? from[a++] : from[b++];
        }
        struct edit *t = from;
        from = to;
        to = t;
    }
    s->edits.data = from;
}

static void apply(struct splitter *s, struct sbuf *out)
{
    uint32_t at = 0;
    for (size_t k = 0; k < s->edits.len; k++) {
        const struct edit *e = &s->edits.data[k];
        if (e->at < at)
            continue; /* inside a body that was replaced */
        sbuf_put(out, s->text + at, e->at - at);
        sbuf_puts(out, e->insert);
        at = e->at + e->remove;
    }
    sbuf_put(out, s->text + at, s->len - at);
}

static bool split(struct arena *a, struct source_map *sm, struct diag *d, const char *path,
                  const char *text, size_t len, const struct splitter *mode, struct sbuf *out,
                  struct host_result *result)
{
    *result = (struct host_result){0};
    struct source_file *file = len < UINT32_MAX / 2 ? source_add(sm, path, text, len, 0) : NULL;
    if (!file) {
        diag_error(d, span_at(0, 0), "%s is too large", path);
        return false;
    }
    struct splitter s = {.arena = a,
                         .diag = d,
                         .sources = sm,
                         .base = file->base,
                         .text = file->text,
                         .len = (uint32_t)len,
                         .device = mode->device,
                         .own = mode->own,
                         .linked = mode->linked,
                         .result = result};
    intern_init(&s.words, a);
    map_init(&s.functions, a);
    map_init(&s.kernels, a);
    const unsigned errors = d->errors;
    tokenize(&s);
    if (!balance(&s))
        return false;
    walk_scope(&s, 0, (uint32_t)s.toks.len - 1, false, 0);
    if (!s.device && !s.own) {
        launches(&s);
        markers(&s);
        host_check_calls(&s);
        host_aliases(&s);
    }
    sort_edits(&s);
    apply(&s, out);
    return d->errors == errors;
}

bool host_split(struct arena *a, struct source_map *sm, struct diag *d, const char *path,
                const char *text, size_t len, bool linked, struct sbuf *out,
                struct host_result *result)
{
    const struct splitter mode = {.linked = linked};
    return split(a, sm, d, path, text, len, &mode, out, result);
}

bool host_hoist(struct arena *a, struct source_map *sm, struct diag *d, const char *path,
                const char *text, size_t len, bool device, struct sbuf *out)
{
    struct host_result result;
    const struct splitter mode = {.device = device, .own = !device};
    return split(a, sm, d, path, text, len, &mode, out, &result);
}

bool host_has_closures(const char *text)
{
    for (const char *p = text; (p = strstr(p, "__device__")); p++) {
        const char *q = p;
        for (int round = 0; round < 2; round++) {
            while (q > text && (q[-1] == ' ' || q[-1] == '\n'))
                q--;
            if (q - text > 8 && !strncmp(q - 8, "__host__", 8))
                q -= 8;
        }
        if (q > text && q[-1] == ']')
            return true;
    }
    return false;
}
