/* The host half of a program in memory: see host.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "back/cpu_abi.h"
#include "back/cpu_image.h"
#include "back/cpu_plain.h"
#include "driver/half.h"
#include "rt/dev/cpu/cpu_int.h"
#include "rt/host.h"

/* ---- what code calls back for ---- */
struct services { /* lives as long as the code */
    struct tern_block block;
    struct tern_launch launch;
    struct cpu_host host;
};

static void *take(const struct tern_launch *l, u64 size)
{
    (void)l;
    void *p = malloc(size ? size : 1);
    if (!p) { /* new never gives NULL */
        dprintf(STDERR_FILENO, "terminate called after throwing an instance of 'std::bad_alloc'\n"
                               "  what():  std::bad_alloc\n");
        abort();
    }
    return p;
}

static void give(const struct tern_launch *l, void *p)
{
    (void)l;
    free(p);
}

static void fail(const struct tern_block *b, u32 error, const char *what, const char *file,
                 u32 line, const char *function)
{
    (void)b, (void)error, (void)function;
    fflush(NULL);
    if (file)
        dprintf(STDERR_FILENO, "%s:%u: %s\n", file, line, what);
    else
        dprintf(STDERR_FILENO, "tern: host code: %s\n", what);
    abort();
}

/* ---- memory ---- */
struct loader {
    struct compilation *c;
    void *(*lookup)(void *ctx, const char *name);
    void *ctx;
    uint8_t *data;
    struct map offsets; /* name of a variable → offset + 1 */
    size_t bytes;
    struct services *services;
    const char *missing;
};

static void *page(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static const char *key(struct loader *l, const char *name)
{
    return intern_z(&l->c->names, name);
}

static void lay_out(struct loader *l)
{
    size_t at = (sizeof *l->services + 63) & ~(size_t)63;
    map_init(&l->offsets, &l->c->arena);
    ir_each_global (g, l->c->module) {
        if (g->flags & IR_GLOBAL_EXTERN)
            continue;
        const size_t align = g->align ? g->align : 1;
        at = (at + align - 1) / align * align;
        map_set(&l->offsets, map_key(key(l, g->name)), (void *)(at + 1));
        at += g->size ? g->size : 1;
    }
    l->bytes = at;
}

static uint64_t variable(void *ctx, const struct ir_global *g)
{
    struct loader *l = ctx;
    const uintptr_t at = (uintptr_t)map_get(&l->offsets, map_key(key(l, g->name)));
    if (at)
        return (uint64_t)(uintptr_t)(l->data + at - 1);
    const void *p = l->lookup(l->ctx, g->name);
    if (!p)
        l->missing = g->display ? g->display : g->name;
    return (uint64_t)(uintptr_t)p;
}

static uint64_t outside(void *ctx, const struct ir_func *f)
{
    struct loader *l = ctx;
    return (uint64_t)(uintptr_t)l->lookup(l->ctx, f->name);
}

static const struct cpu_plain_symbol *symbol(const struct cpu_plain *p, const char *name)
{
    for (unsigned k = 0; k < p->nsymbols; k++)
        if (!strcmp(p->symbols[k].name, name))
            return &p->symbols[k];
    return NULL;
}

/* First values, with the addresses that are in them. */
static void fill(struct loader *l, const struct cpu_plain *p, const uint8_t *code)
{
    ir_each_global (g, l->c->module) {
        if (g->flags & IR_GLOBAL_EXTERN)
            continue;
        uint8_t *to = (uint8_t *)(uintptr_t)variable(l, g);
        if (g->init)
            memcpy(to, g->init, g->size);
        vec_each (struct ir_reloc, r, &g->relocs) {
            uint64_t v;
            if (r->target->kind == IR_VALUE_FUNC) {
                const struct ir_func *f = r->target->u.func;
                const struct cpu_plain_symbol *s = symbol(p, f->name);
                v = s ? (uint64_t)(uintptr_t)(code + s->offset) : outside(l, f);
                if (!v)
                    l->missing = f->name;
            } else {
                v = variable(l, r->target->u.global);
            }
            v += (uint64_t)r->addend;
            memcpy(to + r->offset, &v, sizeof v);
        }
    }
}

static void start_services(struct services *s)
{
    const struct tern_host abi = {.alloc = take, .release = give, .fail = fail};
    cpu_own_host(&s->host, &abi);
    s->launch.host = &s->host.abi;
    s->block.launch = &s->launch;
}

static char *text_of(const char *format, const char *what)
{
    const size_t n = strlen(format) + strlen(what) + 1;
    char *p = malloc(n);
    if (p)
        snprintf(p, n, format, what);
    return p;
}

/* The first error, in one line: where and what. */
static char *first_complaint(const struct compilation *c)
{
    const struct diag_entry *e = c->diag.first;
    struct source_pos at;
    char line[2048];
    while (e && e->severity < DIAG_ERROR)
        e = e->next;
    if (!e)
        return text_of("%s", "it could not be compiled");
    if (e->span.loc && c->diag.sources && source_position(c->diag.sources, e->span.loc, &at))
        snprintf(line, sizeof line, "%s:%u: %s", at.path, at.line, e->message);
    else
        snprintf(line, sizeof line, "%s", e->message);
    return text_of("%s", line);
}

static enum tern_error place(struct loader *l, const struct cpu_plain *p, const struct sbuf *code,
                             struct host_program *out, char **why)
{
    void *at = page(code->len);
    if (!at)
        return TERN_OUT_OF_MEMORY;
    fill(l, p, at);
    const struct cpu_plain_symbol *main = symbol(p, "main"), *init = symbol(p, "__tern_host_init");
    if (l->missing || !main || !init) {
        *why = text_of("there is no '%s'", l->missing ? l->missing : "main");
        munmap(at, code->len);
        return TERN_COMPILE;
    }
    memcpy(at, code->data, code->len);
    if (mprotect(at, code->len, PROT_READ | PROT_EXEC)) {
        munmap(at, code->len);
        return TERN_OUT_OF_MEMORY;
    }
    __builtin___clear_cache(at, (char *)at + code->len);
    void *start = (char *)at + main->offset;
    memcpy(&out->main, &start, sizeof start);
    start = (char *)at + init->offset;
    memcpy(&out->init, &start, sizeof start);
    out->code = at;
    out->code_bytes = code->len;
    out->data = l->data;
    out->data_bytes = l->bytes;
    return TERN_OK;
}

static enum tern_error load(struct loader *l, const struct back_target *t, struct host_program *out,
                            char **why)
{
    struct sbuf code;
    sbuf_init(&code, NULL);
    lay_out(l);
    l->data = page(l->bytes);
    if (!l->data)
        return TERN_OUT_OF_MEMORY;
    l->services = (struct services *)(void *)l->data;
    start_services(l->services);
    struct cpu_plain p = {.variable = variable,
                          .outside = outside,
                          .ctx = l,
                          .launch = (uint64_t)(uintptr_t)&l->services->launch,
                          .block = (uint64_t)(uintptr_t)&l->services->block};
    const struct cpu_image_options own = {.image = true, .plain = &p};
    const struct back_options options = {.own = &own};
    enum tern_error e = compile_emit(l->c, t, &options, &code);
    if (e)
        *why = first_complaint(l->c);
    else
        e = place(l, &p, &code, out, why);
    sbuf_free(&code);
    if (e)
        munmap(l->data, l->bytes);
    return e;
}

char *host_device_half(const struct compile_options *o, enum half_form form, const char *text,
                       size_t len, size_t *out_len, char **why)
{
    return compile_device_half(o, form, text, len, out_len, why);
}

/* What is to be said of host code alone, which no check of the device half sees: NULL, nothing. */
static char *host_warnings(struct diag *d, enum half_form form)
{
    struct diag_entry **at = &d->first, *last = NULL;
    while (*at)
        if ((*at)->flag && !strcmp((*at)->flag, "host-write"))
            at = &(last = *at)->next;
        else
            *at = (*at)->next;
    d->last = last;
    if (!d->first)
        return NULL;
    struct sbuf said;
    sbuf_init(&said, NULL);
    if (form == HALF_JSON) {
        diag_render_json(d, &said);
        sbuf_putc(&said, '\n');
    } else {
        diag_render_text(d, &said, form == HALF_COLOR);
    }
    char *text = text_of("%s", said.data);
    sbuf_free(&said);
    return text;
}

enum tern_error host_load(const struct compile_options *o, enum half_form form, const char *text,
                          size_t len, void *(*lookup)(void *ctx, const char *name), void *ctx,
                          struct host_program *out, char **why)
{
    struct compilation c;
    const struct back_target *t = cpu_own_target();
    *why = NULL;
    if (!t) {
        *why = text_of("%s", "there is no machine code for this processor");
        return TERN_COMPILE;
    }
    enum tern_error e = compile_source(&c, o, text, len);
    if (e) {
        *why = first_complaint(&c);
    } else {
        struct loader l = {.c = &c, .lookup = lookup, .ctx = ctx};
        e = load(&l, t, out, why);
        if (!e)
            *why = host_warnings(&c.diag, form);
    }
    compile_free(&c);
    return e;
}
