/* Modules as bytes: see store.h. Numbers have seven bits to a byte, the lowest first. A string
 * stands where it is first needed, behind its number, which is one more than there were before.
 *
 * A function is written in three steps, since blocks and values are named before they come: its
 * blocks with their parameters, its instructions with their results, then operands and edges. */
#include "ir/store.h"

#include <string.h>

/* ---- writing ---- */

void ir_writer_init(struct ir_writer *w, struct arena *a, struct sbuf *out)
{
    *w = (struct ir_writer){.out = out};
    map_init(&w->strings, a);
}

void ir_put(struct ir_writer *w, uint64_t n)
{
    for (; n > 127; n >>= 7)
        sbuf_putc(w->out, (char)(n | 128));
    sbuf_putc(w->out, (char)n);
}

void ir_put_string(struct ir_writer *w, const char *s)
{
    if (!s) {
        ir_put(w, 0);
        return;
    }
    const uintptr_t known = (uintptr_t)map_get(&w->strings, map_key(s));
    if (known) {
        ir_put(w, known);
        return;
    }
    map_set(&w->strings, map_key(s), (void *)(uintptr_t)++w->count);
    ir_put(w, w->count);
    ir_put(w, strlen(s));
    sbuf_puts(w->out, s);
}

static void put_span(struct ir_writer *w, struct span s)
{
    ir_put(w, s.loc);
    ir_put(w, s.len);
}

/* What a value is, in its lowest bits: made in the function, or one of those that all share. */
enum { VALUE_LOCAL, VALUE_CONST, VALUE_GLOBAL, VALUE_FUNC };

static uint64_t number_of(const void *data)
{
    return (uint64_t)(uintptr_t)data;
}

static void put_value(struct ir_writer *w, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_VALUE_CONST:
        ir_put(w, (uint64_t)v->type << 2 | VALUE_CONST);
        ir_put(w, v->u.bits);
        break;
    case IR_VALUE_GLOBAL: ir_put(w, number_of(v->u.global->data) << 2 | VALUE_GLOBAL); break;
    case IR_VALUE_FUNC: ir_put(w, number_of(v->u.func->data) << 2 | VALUE_FUNC); break;
    default: ir_put(w, (uint64_t)v->id << 2 | VALUE_LOCAL); break;
    }
}

static void put_values(struct ir_writer *w, struct ir_value *const *v, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        put_value(w, v[k]);
}

static void put_global(struct ir_writer *w, const struct ir_global *g)
{
    ir_put_string(w, g->name);
    ir_put_string(w, g->mangled);
    ir_put_string(w, g->display);
    ir_put(w, g->space);
    ir_put(w, g->size);
    ir_put(w, g->align);
    ir_put(w, g->flags);
    ir_put(w, g->elem);
    put_span(w, g->span);
    ir_put(w, g->init != NULL);
    if (g->init)
        sbuf_put(w->out, (const char *)g->init, g->size);
}

static void put_param(struct ir_writer *w, const struct ir_param *p)
{
    ir_put_string(w, p->name);
    ir_put(w, p->type);
    ir_put(w, p->flags);
    ir_put(w, p->byval_size);
    ir_put(w, p->byval_align);
    ir_put(w, p->offset);
}

static void put_func(struct ir_writer *w, const struct ir_func *f)
{
    ir_put_string(w, f->name);
    ir_put_string(w, f->mangled);
    ir_put_string(w, f->display);
    ir_put(w, f->flags);
    ir_put(w, f->ret);
    ir_put(w, f->param_bytes);
    ir_put(w, f->max_threads);
    ir_put(w, f->min_blocks);
    for (unsigned k = 0; k < 3; k++)
        ir_put(w, f->required_block[k]);
    for (unsigned k = 0; k < 3; k++)
        ir_put(w, f->cluster[k]);
    ir_put(w, f->cluster_shared);
    put_span(w, f->span);
    ir_put(w, f->address != NULL);
    ir_put(w, f->params.len);
    vec_each (const struct ir_param, p, &f->params)
        put_param(w, p);
}

static void put_block(struct ir_writer *w, const struct ir_block *b)
{
    ir_put_string(w, b->name);
    put_span(w, b->span);
    ir_put(w, b->unroll);
    ir_put(w, b->params.len);
    vec_each (struct ir_value *const, p, &b->params) {
        ir_put(w, (*p)->type);
        ir_put_string(w, (*p)->name);
    }
}

static void put_inst(struct ir_writer *w, const struct ir_inst *i)
{
    ir_put(w, i->op);
    ir_put(w, i->type);
    ir_put(w, i->flags);
    ir_put(w, i->align);
    ir_put(w, i->imm);
    ir_put(w, i->callee ? number_of(i->callee->data) + 1 : 0);
    put_span(w, i->span);
    ir_put(w, i->nargs);
    ir_put(w, i->nresults);
    for (uint32_t k = 0; k < i->nresults; k++) {
        ir_put(w, i->results[k].type);
        ir_put_string(w, i->results[k].name);
    }
}

static void put_operands(struct ir_writer *w, const struct ir_inst *i)
{
    put_values(w, i->args, i->nargs);
    ir_put(w, i->nedges);
    for (uint32_t k = 0; k < i->nedges; k++) {
        const struct ir_edge *e = &i->edges[k];
        ir_put(w, e->to->id);
        ir_put(w, e->case_value);
        ir_put(w, e->nargs);
        put_values(w, e->args, e->nargs);
    }
}

static void put_body(struct ir_writer *w, struct ir_func *f)
{
    ir_renumber(f);
    ir_put(w, f->nblocks);
    ir_each_block (b, f)
        put_block(w, b);
    ir_each_block (b, f) {
        uint32_t n = 0;
        ir_each_inst (i, b)
            n++;
        ir_put(w, n);
        ir_each_inst (i, b)
            put_inst(w, i);
    }
    ir_each_block (b, f)
        ir_each_inst (i, b)
            put_operands(w, i);
}

void ir_store(struct ir_writer *w, struct ir_module *m)
{
    uintptr_t globals = 0, funcs = 0;
    ir_each_global (g, m)
        g->data = (void *)globals++;
    ir_each_func (f, m)
        f->data = (void *)funcs++;
    ir_put_string(w, m->name);
    ir_put(w, globals);
    ir_put(w, funcs);
    ir_each_global (g, m)
        put_global(w, g);
    ir_each_func (f, m)
        put_func(w, f);
    ir_each_global (g, m) {
        ir_put(w, g->relocs.len);
        vec_each (const struct ir_reloc, r, &g->relocs) {
            ir_put(w, r->offset);
            put_value(w, r->target);
            ir_put(w, (uint64_t)r->addend);
        }
    }
    ir_each_func (f, m)
        put_body(w, f);
}

/* ---- reading ---- */

void ir_reader_init(struct ir_reader *r, struct arena *a, struct interner *names, const void *data,
                    size_t n)
{
    const uint8_t *at = data;
    *r = (struct ir_reader){.at = at, .end = at + n, .arena = a, .names = names};
}

uint64_t ir_get(struct ir_reader *r)
{
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        const uint8_t byte = *r->at++;
        n |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return n;
    }
    r->bad = true;
    r->at = r->end;
    return 0;
}

static uint64_t get_below(struct ir_reader *r, uint64_t most)
{
    const uint64_t n = ir_get(r);
    if (n < most)
        return n;
    r->bad = true;
    r->at = r->end;
    return 0;
}

static uint32_t get_u32(struct ir_reader *r)
{
    return (uint32_t)get_below(r, UINT64_C(1) << 32);
}

uint32_t ir_get_count(struct ir_reader *r)
{
    return (uint32_t)get_below(r, (uint64_t)(r->end - r->at));
}

static const char *get_bytes(struct ir_reader *r, uint64_t n)
{
    if (n > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        r->at = r->end;
        return NULL;
    }
    r->at += n;
    return (const char *)r->at - n;
}

const char *ir_get_string(struct ir_reader *r)
{
    const uint64_t k = get_below(r, r->strings.len + 2);
    if (!k)
        return NULL;
    if (k <= r->strings.len)
        return r->strings.data[k - 1];
    const uint64_t n = ir_get(r);
    const char *bytes = get_bytes(r, n);
    const char *s = intern(r->names, bytes ? bytes : "", bytes ? (size_t)n : 0);
    vec_push(r->arena, &r->strings, s);
    return s;
}

static const char *get_name(struct ir_reader *r) /* of something that must have one */
{
    const char *s = ir_get_string(r);
    r->bad |= !s;
    return s ? s : "";
}

static struct span get_span(struct ir_reader *r)
{
    const source_loc loc = get_u32(r);
    return (struct span){loc, get_u32(r)};
}

/* The type of that number, if there is one. */
static ir_type type_of(struct ir_reader *r, uint64_t n)
{
    const ir_type t = (ir_type)n;
    if (n < 1 << 16 && ir_kind(t) < IR_KIND_COUNT && ir_space(t) < IR_SPACE_COUNT)
        return t;
    r->bad = true;
    return IR_I32;
}

static ir_type get_type(struct ir_reader *r)
{
    return type_of(r, ir_get(r));
}

struct restored { /* a module, and its parts by their numbers */
    struct ir_module *module;
    struct ir_global **globals;
    struct ir_func **funcs;
    uint32_t nglobals, nfuncs;
    struct ir_block **blocks; /* of the function that is read */
    struct ir_value **values;
    uint32_t nblocks, nvalues;
};

static struct ir_value *get_value(struct ir_reader *r, const struct restored *to)
{
    const uint64_t n = ir_get(r), k = n >> 2;
    switch (n & 3) {
    case VALUE_CONST: {
        const ir_type t = type_of(r, k);
        return ir_const(to->module, t, ir_get(r));
    }
    case VALUE_GLOBAL:
        if (k < to->nglobals)
            return ir_global_value(to->globals[k]);
        break;
    case VALUE_FUNC:
        if (k < to->nfuncs)
            return ir_func_value(to->funcs[k]);
        break;
    default:
        if (k < to->nvalues)
            return to->values[k];
        break;
    }
    r->bad = true;
    return ir_const(to->module, IR_I32, 0);
}

static struct ir_global *get_global(struct ir_reader *r, struct ir_module *m)
{
    const char *name = get_name(r), *mangled = ir_get_string(r), *display = ir_get_string(r);
    const enum ir_space space = (enum ir_space)get_below(r, IR_SPACE_COUNT);
    const uint64_t size = ir_get(r);
    const uint32_t align = get_u32(r);
    struct ir_global *g = ir_global_new(m, name, space, size, align, get_u32(r));
    g->mangled = mangled;
    g->display = display;
    g->elem = get_type(r);
    g->span = get_span(r);
    if (!get_below(r, 2))
        return g;
    const char *bytes = get_bytes(r, size);
    uint8_t *init = bytes ? arena_alloc(r->arena, size) : NULL;
    if (init)
        memcpy(init, bytes, size);
    g->init = init;
    return g;
}

static struct ir_func *get_func(struct ir_reader *r, struct ir_module *m)
{
    const char *name = get_name(r), *mangled = ir_get_string(r), *display = ir_get_string(r);
    const uint32_t flags = get_u32(r);
    struct ir_func *f = ir_func_new(m, name, get_type(r), flags);
    f->mangled = mangled;
    f->display = display;
    f->param_bytes = get_u32(r);
    f->max_threads = get_u32(r);
    f->min_blocks = get_u32(r);
    for (unsigned k = 0; k < 3; k++)
        f->required_block[k] = get_u32(r);
    for (unsigned k = 0; k < 3; k++)
        f->cluster[k] = get_u32(r);
    f->cluster_shared = get_u32(r);
    f->span = get_span(r);
    if (get_below(r, 2))
        ir_func_value(f);
    for (uint32_t n = ir_get_count(r); n--;) {
        struct ir_param p = {.name = ir_get_string(r)};
        p.type = get_type(r);
        p.flags = get_u32(r);
        p.byval_size = get_u32(r);
        p.byval_align = get_u32(r);
        p.offset = get_u32(r);
        vec_push(r->arena, &f->params, p);
    }
    return f;
}

/* The entry block has been given the function's parameters. */
static struct ir_block *get_block(struct ir_reader *r, struct ir_func *f)
{
    struct ir_block *b = ir_block_new(f, NULL);
    b->name = ir_get_string(r);
    b->span = get_span(r);
    b->unroll = get_u32(r);
    const uint32_t n = ir_get_count(r);
    for (uint32_t k = 0; k < n; k++) {
        const ir_type t = get_type(r);
        const char *name = ir_get_string(r);
        if (k >= b->params.len)
            ir_block_param(b, t, name);
    }
    return b;
}

static void get_inst(struct ir_reader *r, const struct restored *to, struct ir_block *b)
{
    const enum ir_op op = (enum ir_op)get_below(r, IR_OP_COUNT);
    const ir_type type = get_type(r);
    const uint32_t flags = get_u32(r), align = get_u32(r);
    const uint64_t imm = ir_get(r), callee = get_below(r, (uint64_t)to->nfuncs + 1);
    struct ir_builder build = ir_builder_at_end(b);
    build.span = get_span(r);
    const uint32_t nargs = ir_get_count(r), nresults = ir_get_count(r);
    struct ir_value **args = arena_array(r->arena, struct ir_value *, nargs + 1);
    ir_type *types = arena_array(r->arena, ir_type, nresults + 1);
    const char **names = arena_array(r->arena, const char *, nresults + 1);
    for (uint32_t k = 0; k < nresults; k++) {
        types[k] = get_type(r);
        names[k] = ir_get_string(r);
    }
    struct ir_inst *i = ir_build_results(&build, op, type, args, nargs, types, nresults);
    i->flags = flags;
    i->align = align;
    i->imm = imm;
    i->callee = callee ? to->funcs[callee - 1] : NULL;
    for (uint32_t k = 0; k < nresults; k++)
        i->results[k].name = names[k];
}

static void get_operands(struct ir_reader *r, const struct restored *to, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++)
        i->args[k] = get_value(r, to);
    for (uint32_t edges = ir_get_count(r); edges--;) {
        const uint64_t block = get_below(r, to->nblocks), which = ir_get(r);
        const uint32_t n = ir_get_count(r);
        struct ir_value **args = arena_array(r->arena, struct ir_value *, n + 1);
        for (uint32_t k = 0; k < n; k++)
            args[k] = get_value(r, to);
        if (!r->bad)
            ir_add_edge(i, to->blocks[block], args, n, which);
    }
}

static void list_values(struct arena *a, struct restored *to, const struct ir_func *f)
{
    to->nvalues = f->nvalues;
    to->values = arena_array(a, struct ir_value *, f->nvalues + 1);
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            to->values[(*p)->id] = *p;
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                to->values[i->results[k].id] = &i->results[k];
    }
}

static void get_body(struct ir_reader *r, struct restored *to, struct ir_func *f)
{
    to->nblocks = ir_get_count(r);
    to->blocks = arena_array(r->arena, struct ir_block *, to->nblocks + 1);
    for (uint32_t k = 0; k < to->nblocks; k++)
        to->blocks[k] = get_block(r, f);
    ir_each_block (b, f)
        for (uint32_t n = ir_get_count(r); n-- && !r->bad;)
            get_inst(r, to, b);
    ir_renumber(f);
    list_values(r->arena, to, f);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            get_operands(r, to, i);
}

static void get_relocs(struct ir_reader *r, const struct restored *to, struct ir_global *g)
{
    for (uint32_t n = ir_get_count(r); n--;) {
        struct ir_reloc q = {.offset = get_u32(r)};
        q.target = get_value(r, to);
        q.addend = (int64_t)ir_get(r);
        vec_push(r->arena, &g->relocs, q);
    }
}

struct ir_module *ir_restore(struct ir_reader *r)
{
    struct restored to = {.module = ir_module_new(r->arena, r->names, get_name(r))};
    to.nglobals = ir_get_count(r);
    to.nfuncs = ir_get_count(r);
    to.globals = arena_array(r->arena, struct ir_global *, to.nglobals + 1);
    to.funcs = arena_array(r->arena, struct ir_func *, to.nfuncs + 1);
    for (uint32_t k = 0; k < to.nglobals && !r->bad; k++)
        to.globals[k] = get_global(r, to.module);
    for (uint32_t k = 0; k < to.nfuncs && !r->bad; k++)
        to.funcs[k] = get_func(r, to.module);
    for (uint32_t k = 0; k < to.nglobals && !r->bad; k++)
        get_relocs(r, &to, to.globals[k]);
    for (uint32_t k = 0; k < to.nfuncs && !r->bad; k++)
        get_body(r, &to, to.funcs[k]);
    return r->bad ? NULL : to.module;
}
