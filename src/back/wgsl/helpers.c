/* Picks the helper functions that a module uses and writes them out. What a text itself calls is
 * found by its name. The preprocessor made one line of each text: layout() breaks it again. */
#include <string.h>
#include "back/wgsl/wgsl_int.h"

enum when { ANY, ATOMIC, PLAIN, LOCAL, GENERIC, ALWAYS };

static const struct helper {
    const char *name; /* of memory helpers without the memory */
    enum when when;
    const char *text;
} helpers[] = {
#define HELPER(name, ...)       {#name, ALWAYS, #__VA_ARGS__},
#define MEMORY(name, when, ...) {#name, when, #__VA_ARGS__},
#include "wgsl_helpers.def" /* helpers.def, helpers_f64.def and helpers_park.def with numbers put in */
#undef HELPER
#undef MEMORY
};

static const char *const mem_names[] = {"heap", "smem", "lmem", "param", "generic"};

void wgsl_reserve_helpers(struct name_table *t)
{
    for (size_t k = 0; k < sizeof helpers / sizeof *helpers; k++)
        if (helpers[k].when == ALWAYS)
            lower_name(t, helpers[k].name);
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const struct helper *find(const struct wgsl *w, const char *name, const char **mem)
{
    size_t n = sizeof helpers / sizeof *helpers;
    *mem = NULL;
    for (size_t k = 0; k < n; k++)
        if (helpers[k].when == ALWAYS && !strcmp(helpers[k].name, name))
            return &helpers[k];
    for (enum wgsl_mem m = 0; m < MEM_BOUND; m++) {
        size_t len = strlen(mem_names[m]);
        if (strncmp(name, mem_names[m], len) || name[len] != '_')
            continue;
        enum when when = m == MEM_GENERIC ? GENERIC
                         : m == MEM_LOCAL ? LOCAL
                         : w->atomic[m]   ? ATOMIC
                                          : PLAIN;
        const struct helper *any = NULL;
        *mem = mem_names[m];
        for (size_t k = 0; k < n; k++)
            if (helpers[k].when != ALWAYS && !strcmp(helpers[k].name, name + len + 1)) {
                if (helpers[k].when == when)
                    return &helpers[k];
                if (helpers[k].when == ANY)
                    any = &helpers[k];
            }
        return any;
    }
    return NULL;
}

static const char *for_memory(struct wgsl *w, const char *text, const char *mem)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    for (const char *p = text; *p; p++) {
        bool here = !strncmp(p, "MEM", 3) && (p == text || !is_name(p[-1])) &&
                    (p[3] == '_' || !is_name(p[3]));
        if (here) {
            sbuf_puts(&b, mem);
            p += 2;
        } else {
            sbuf_putc(&b, *p);
        }
    }
    return b.data;
}

const char *wgsl_helper(struct wgsl *w, const char *name)
{
    name = intern_z(w->module->names, name);
    if (map_has(&w->helper_seen, map_key(name)))
        return name;
    map_set(&w->helper_seen, map_key(name), (void *)name);
    if (!strcmp(name, "param_word")) /* written for each kernel by wgsl.c */
        return name;
    const char *mem, *unused, *wanted = name;
    if (w->options->f16 && (!strcmp(name, "f16_to_f32") || !strcmp(name, "f32_to_f16"))) {
        wanted = TEXT(w, "%s_native", name);
        w->f16 = true;
    }
    const struct helper *h = find(w, wanted, &mem);
    if (!h) {
        diag_error(w->job->diag, span_at(0, 0), "wgsl: there is no helper '%s'", name);
        w->failed = true;
        return name;
    }
    const char *text = mem ? for_memory(w, h->text, mem) : h->text;
    for (const char *p = text; *p;) { /* what it calls comes with it */
        size_t n = 0;
        while (is_name(p[n]))
            n++;
        if (n && p[n] == '(') {
            const char *inner = arena_strndup(w->arena, p, n);
            if (strcmp(inner, name) && (find(w, inner, &unused) || !strcmp(inner, "param_word")))
                wgsl_helper(w, inner);
        }
        p += n ? n : 1;
    }
    static const struct {
        const char *word;
        enum wgsl_mem mem;
    } arrays[] = {{"heap[", MEM_HEAP}, {"smem[", MEM_SHARED}, {"lmem[", MEM_LOCAL}};
    for (size_t k = 0; k < 3; k++)
        if (strstr(text, arrays[k].word))
            w->uses[arrays[k].mem] = true;
    vec_push(w->arena, &w->helpers, text);
    return name;
}

/* Line breaks after braces and semicolons, except in parentheses; indentation by braces. */
static void layout(struct sbuf *out, const char *s)
{
    unsigned depth = 0, parens = 0;
    bool start = true;
    for (; *s; s++) {
        if (start && *s == ' ')
            continue;
        if (*s == '}' && depth)
            depth--;
        if (start) {
            sbuf_printf(out, "%*s", (int)(4 * depth), "");
            start = false;
        }
        sbuf_putc(out, *s);
        parens += *s == '(' ? 1 : *s == ')' ? -1u : 0;
        if (*s == '{' && s[1] == '}') {
            sbuf_putc(out, *++s);
        } else if (*s == '{') {
            depth++;
        } else if (*s == '}') {
            const char *next = s + 1;
            while (*next == ' ')
                next++;
            if (!strncmp(next, "else", 4)) {
                sbuf_putc(out, ' ');
                s = next - 1;
                continue;
            }
        } else if (*s != ';' || parens) {
            continue;
        }
        sbuf_putc(out, '\n');
        start = true;
    }
    if (!start)
        sbuf_putc(out, '\n');
}

void wgsl_put_helpers(struct wgsl *w, struct sbuf *out)
{
    for (size_t k = 0; k < w->helpers.len; k++) {
        sbuf_putc(out, '\n');
        layout(out, w->helpers.data[k]);
    }
}
