/* Copying functions between modules: cloning, linking the device library, pruning.
 *
 * A copy is made in two passes over the source, because block parameters and results may be used
 * before they are copied: first every block and value gets its twin (found through `data`), then
 * operands are filled in. Scratch fields of the source are used and left dirty, as ir.h allows. */
#include <string.h>
#include "ir/debug.h"
#include "ir/ir.h"

/* Twins of functions and globals of another module. */
struct cloner {
    struct ir_module *to;
    struct map twins;                /* ir_func or ir_global of the source → twin */
    VEC(struct ir_func *) pending;   /* declared in `to`, body wanted: source functions */
    VEC(struct ir_global *) globals; /* copied, relocations still to be filled */
};

static void cloner_init(struct cloner *c, struct ir_module *to)
{
    *c = (struct cloner){.to = to};
    map_init(&c->twins, to->arena);
}

static const char *rename_into(struct ir_module *to, const char *name)
{
    return name ? intern_z(to->names, name) : NULL;
}

static struct ir_func *declare_like(struct cloner *c, const struct ir_func *f)
{
    struct ir_func *t = ir_func_new(c->to, f->name, f->ret, f->flags);
    t->mangled = rename_into(c->to, f->mangled);
    t->display = rename_into(c->to, f->display);
    t->param_bytes = f->param_bytes;
    t->max_threads = f->max_threads;
    t->min_blocks = f->min_blocks;
    memcpy(t->required_block, f->required_block, sizeof t->required_block);
    memcpy(t->cluster, f->cluster, sizeof t->cluster);
    t->cluster_shared = f->cluster_shared;
    t->span = f->span;
    vec_each (struct ir_param, p, &f->params) {
        struct ir_param q = *p;
        q.name = rename_into(c->to, p->name);
        vec_push(c->to->arena, &t->params, q);
    }
    return t;
}

static struct ir_func *twin_func(struct cloner *c, struct ir_func *f)
{
    struct ir_func *t = map_get(&c->twins, map_key(f));
    if (t)
        return t;
    t = ir_func_find(c->to, f->name);
    if (!t)
        t = declare_like(c, f);
    map_set(&c->twins, map_key(f), t);
    if (f->first && !t->first)
        vec_push(c->to->arena, &c->pending, f);
    return t;
}

static struct ir_global *twin_global(struct cloner *c, struct ir_global *g)
{
    struct ir_global *t = map_get(&c->twins, map_key(g));
    if (t)
        return t;
    t = ir_global_find(c->to, g->name);
    if (!t || (t->flags & IR_GLOBAL_EXTERN && !(g->flags & IR_GLOBAL_EXTERN))) {
        if (!t)
            t = ir_global_new(c->to, g->name, g->space, g->size, g->align, g->flags);
        t->size = g->size;
        t->align = g->align;
        t->flags = g->flags;
        t->elem = g->elem;
        t->variable = g->variable;
        t->span = g->span;
        t->mangled = rename_into(c->to, g->mangled);
        t->display = rename_into(c->to, g->display);
        if (g->init) {
            uint8_t *init = arena_alloc(c->to->arena, g->size);
            memcpy(init, g->init, g->size);
            t->init = init;
        }
        vec_push(c->to->arena, &c->globals, g);
    }
    map_set(&c->twins, map_key(g), t);
    return t;
}

static struct ir_value *twin_value(struct cloner *c, struct ir_value *v)
{
    switch (v->kind) {
    case IR_VALUE_CONST: return ir_const(c->to, v->type, v->u.bits);
    case IR_VALUE_GLOBAL: return ir_global_value(twin_global(c, v->u.global));
    case IR_VALUE_FUNC: return ir_func_value(twin_func(c, v->u.func));
    default: return v->data;
    }
}

static void twin_inst(struct cloner *c, struct ir_block *to, struct ir_inst *i)
{
    ir_type types[64], *results = types;
    if (i->nresults > 64)
        results = arena_array(c->to->arena, ir_type, i->nresults);
    for (uint32_t k = 0; k < i->nresults; k++)
        results[k] = i->results[k].type;
    struct ir_builder b = ir_builder_at_end(to);
    b.span = i->span;
    struct ir_inst *t =
        ir_build_results(&b, (enum ir_op)i->op, i->type, i->args, i->nargs, results, i->nresults);
    t->flags = i->flags;
    t->align = i->align;
    t->imm = i->imm;
    t->callee = i->callee;
    t->variable = i->variable;
    for (uint32_t k = 0; k < i->nresults; k++) {
        t->results[k].name = rename_into(c->to, i->results[k].name);
        i->results[k].data = &t->results[k];
    }
    for (uint32_t k = 0; k < i->nedges; k++)
        ir_add_edge(t, i->edges[k].to->data, i->edges[k].args, i->edges[k].nargs,
                    i->edges[k].case_value);
}

static void copy_body(struct cloner *c, struct ir_func *f, struct ir_func *t)
{
    ir_each_block (b, f) {
        struct ir_block *tb = ir_block_new(t, NULL);
        tb->name = rename_into(c->to, b->name);
        tb->span = b->span;
        tb->unroll = b->unroll;
        b->data = tb;
        for (size_t k = 0; k < b->params.len; k++) {
            struct ir_value *p = b->params.data[k];
            /* the entry block was given its parameters with the function */
            p->data = k < tb->params.len ? tb->params.data[k]
                                         : ir_block_param(tb, p->type, rename_into(c->to, p->name));
        }
    }
    ir_each_block (b, f)
        ir_each_inst (i, b)
            twin_inst(c, b->data, i);
    ir_each_block (b, t) {
        ir_each_inst (i, b) {
            if (i->callee)
                i->callee = twin_func(c, i->callee);
            for (uint32_t k = 0; k < i->nargs; k++)
                i->args[k] = twin_value(c, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    i->edges[e].args[k] = twin_value(c, i->edges[e].args[k]);
        }
    }
}

/* Bodies bring in further functions and globals, and initialisers may do so too: until nothing is
 * left. */
static void drain(struct cloner *c)
{
    size_t f = 0, g = 0;
    while (f < c->pending.len || g < c->globals.len) {
        for (; f < c->pending.len; f++) {
            struct ir_func *from = c->pending.data[f], *to = map_get(&c->twins, map_key(from));
            if (to->first)
                continue;
            to->flags |= from->flags;
            copy_body(c, from, to);
        }
        for (; g < c->globals.len; g++) {
            struct ir_global *from = c->globals.data[g], *to = map_get(&c->twins, map_key(from));
            vec_each (struct ir_reloc, r, &from->relocs) {
                struct ir_reloc q = {r->offset, twin_value(c, r->target), r->addend};
                vec_push(c->to->arena, &to->relocs, q);
            }
        }
    }
}

struct ir_module *ir_clone(struct arena *a, struct interner *names, const struct ir_module *m)
{
    struct ir_module *t = ir_module_new(a, names, m->name);
    t->sources = m->sources;
#ifndef TERN_SMALL
    t->debug = ir_debug_copy(a, m->debug);
#endif
    struct cloner c;
    cloner_init(&c, t);
    ir_each_global (g, m)
        twin_global(&c, g);
    ir_each_func (f, m)
        twin_func(&c, f);
    drain(&c);
    return t;
}

struct ir_func *ir_func_clone_into(struct ir_module *to, const struct ir_func *f)
{
    struct cloner c;
    cloner_init(&c, to);
    struct ir_func *t = twin_func(&c, (struct ir_func *)f);
    drain(&c);
    return t;
}

void ir_link(struct ir_module *m, const struct ir_module *lib)
{
    struct cloner c;
    cloner_init(&c, m);
    ir_each_func (f, m) { /* grows while we walk: what is linked may declare more */
        struct ir_func *def = f->first ? NULL : ir_func_find(lib, f->name);
        if (def && def->first) {
            twin_func(&c, def);
            drain(&c);
        }
    }
    ir_each_global (g, m) {
        struct ir_global *def = g->flags & IR_GLOBAL_EXTERN && g->space != IR_SPACE_SHARED
                                    ? ir_global_find(lib, g->name)
                                    : NULL;
        if (def && !(def->flags & IR_GLOBAL_EXTERN)) {
            twin_global(&c, def);
            drain(&c);
        }
    }
}

/* ---- pruning ---- */

struct marker {
    struct arena *arena;
    VEC(struct ir_func *) funcs;
    VEC(struct ir_global *) globals;
};

static const char mark_tag; /* its address marks data fields */
#define MARK ((void *)&mark_tag)

static void mark_value(struct marker *k, struct ir_value *v)
{
    if (v->kind == IR_VALUE_FUNC && v->u.func->data != MARK) {
        v->u.func->data = MARK;
        vec_push(k->arena, &k->funcs, v->u.func);
    } else if (v->kind == IR_VALUE_GLOBAL && v->u.global->data != MARK) {
        v->u.global->data = MARK;
        vec_push(k->arena, &k->globals, v->u.global);
    }
}

static void mark_body(struct marker *k, struct ir_func *f)
{
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            if (i->callee)
                mark_value(k, ir_func_value(i->callee));
            for (uint32_t n = 0; n < i->nargs; n++)
                mark_value(k, i->args[n]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t n = 0; n < i->edges[e].nargs; n++)
                    mark_value(k, i->edges[e].args[n]);
        }
    }
}

static void unlink_func(struct ir_module *m, struct ir_func *f)
{
    *(f->prev ? &f->prev->next : &m->first_func) = f->next;
    *(f->next ? &f->next->prev : &m->last_func) = f->prev;
    map_del(&m->func_by_name, map_key(f->name));
}

static void unlink_global(struct ir_module *m, struct ir_global *g)
{
    *(g->prev ? &g->prev->next : &m->first_global) = g->next;
    *(g->next ? &g->next->prev : &m->last_global) = g->prev;
    map_del(&m->global_by_name, map_key(g->name));
}

void ir_prune(struct ir_module *m)
{
    struct arena scratch;
    arena_init(&scratch, m->arena->mem);
    struct marker k = {.arena = &scratch};
    ir_each_func (f, m)
        f->data = NULL;
    ir_each_global (g, m)
        g->data = NULL;
    ir_each_func (f, m)
        if (f->flags & (IR_FUNC_KERNEL | IR_FUNC_EXPORT))
            mark_value(&k, ir_func_value(f));
    ir_each_global (g, m)
        if (g->flags & (IR_GLOBAL_EXPORT | IR_GLOBAL_MANAGED))
            mark_value(&k, g->address);
    for (size_t f = 0, g = 0; f < k.funcs.len || g < k.globals.len;) {
        if (f < k.funcs.len)
            mark_body(&k, k.funcs.data[f++]);
        if (g < k.globals.len) {
            struct ir_global *global = k.globals.data[g++];
            vec_each (struct ir_reloc, r, &global->relocs)
                mark_value(&k, r->target);
        }
    }
    arena_free(&scratch);
    for (struct ir_func *f = m->first_func, *next; f; f = next) {
        next = f->next;
        if (f->data != MARK)
            unlink_func(m, f);
    }
    for (struct ir_global *g = m->first_global, *next; g; g = next) {
        next = g->next;
        if (g->data != MARK)
            unlink_global(m, g);
    }
}
