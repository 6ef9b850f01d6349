/* Compilations as bytes: see store.h. In order: places, requests, the module (ir/store.h). */
#include "driver/store.h"

#include <stdlib.h>
#include "ir/store.h"

/* ---- places ---- */

struct locations {
    struct arena *arena;
    VEC(source_loc) all;
};

static void add(struct locations *l, struct span s)
{
    if (s.loc && (!l->all.len || vec_last(&l->all) != s.loc))
        vec_push(l->arena, &l->all, s.loc);
}

static int in_order(const void *a, const void *b)
{
    const source_loc x = *(const source_loc *)a, y = *(const source_loc *)b;
    return (x > y) - (x < y);
}

/* Each once, in order. */
static void collect(struct locations *l, const struct ir_module *m)
{
    ir_each_global (g, m)
        add(l, g->span);
    ir_each_func (f, m) {
        add(l, f->span);
        ir_each_block (b, f) {
            add(l, b->span);
            ir_each_inst (i, b)
                add(l, i->span);
        }
    }
    if (!l->all.len)
        return;
    qsort(l->all.data, l->all.len, sizeof *l->all.data, in_order);
    size_t n = 1;
    for (size_t k = 1; k < l->all.len; k++)
        if (l->all.data[k] != l->all.data[n - 1])
            l->all.data[n++] = l->all.data[k];
    l->all.len = n;
}

static void put_places(struct ir_writer *w, struct compilation *c)
{
    struct locations l = {.arena = &c->arena};
    collect(&l, c->module);
    ir_put(w, l.all.len);
    source_loc last = 0;
    for (size_t k = 0; k < l.all.len; k++) {
        struct source_pos at;
        source_position(&c->sources, l.all.data[k], &at); /* nowhere: all zero */
        ir_put(w, l.all.data[k] - last);
        ir_put(w, at.line);
        ir_put(w, at.column);
        ir_put_string(w, intern_z(&c->names, at.path ? at.path : ""));
        ir_put_string(w, intern(&c->names, at.text.ptr ? at.text.ptr : "", at.text.len));
        last = l.all.data[k];
    }
}

static void get_places(struct ir_reader *r, struct source_map *to)
{
    source_loc last = 0;
    for (uint32_t n = ir_get_count(r); n--;) {
        struct source_place p = {.loc = last + (source_loc)ir_get(r)};
        p.line = (uint32_t)ir_get(r);
        p.column = (uint32_t)ir_get(r);
        p.path = ir_get_string(r);
        const char *text = ir_get_string(r);
        if (!p.path || !text) {
            r->bad = true;
            return;
        }
        p.text = str_of(text);
        last = p.loc;
        if (p.line)
            vec_push(to->arena, &to->places, p);
    }
}

/* ---- compilations ---- */

void compile_store(struct compilation *c, struct sbuf *out)
{
    struct ir_writer w;
    if (setjmp(c->unwind)) {
        out->failed = true;
        return;
    }
    c->mem.unwind = &c->unwind;
    ir_writer_init(&w, &c->arena, out);
    put_places(&w, c);
    ir_put(&w, c->requests.len);
    vec_each (const struct compile_request, r, &c->requests) {
        ir_put_string(&w, intern_z(&c->names, r->text));
        ir_put_string(&w, r->name);
    }
    ir_store(&w, c->module);
}

struct bytes {
    const void *data;
    size_t n;
};

static bool restore(struct compilation *c, void *arg)
{
    const struct bytes *b = arg;
    struct ir_reader r;
    ir_reader_init(&r, &c->arena, &c->names, b->data, b->n);
    get_places(&r, &c->sources);
    for (uint32_t n = ir_get_count(&r); n-- && !r.bad;) {
        struct compile_request q = {.text = ir_get_string(&r)};
        q.name = ir_get_string(&r);
        r.bad |= !q.text || !q.name;
        vec_push(&c->arena, &c->requests, q);
    }
    c->module = r.bad ? NULL : ir_restore(&r);
    if (!c->module)
        return false;
    c->module->sources = &c->sources;
    return r.at == r.end &&
           (!pass_verifies() || ir_verify(c->module, &c->diag, "reading what was stored"));
}

enum tern_error compile_restore(struct compilation *c, const void *data, size_t n)
{
    struct bytes b = {data, n};
    return compile_apart(c, 0, restore, &b);
}
