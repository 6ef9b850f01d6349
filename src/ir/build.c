/* Making and changing modules: constructors, the builder, and edits that passes share. */
#include <string.h>
#include "ir/ir.h"

struct ir_module *ir_module_new(struct arena *a, struct interner *names, const char *name)
{
    struct ir_module *m = arena_new(a, struct ir_module);
    m->arena = a;
    m->names = names;
    m->name = intern_z(names, name);
    map_init(&m->func_by_name, a);
    map_init(&m->global_by_name, a);
    map_init(&m->consts[0], a);
    map_init(&m->consts[1], a);
    return m;
}

struct ir_func *ir_func_new(struct ir_module *m, const char *name, ir_type ret, uint32_t flags)
{
    struct ir_func *f = arena_new(m->arena, struct ir_func);
    f->module = m;
    f->name = intern_z(m->names, name);
    f->ret = ret;
    f->flags = flags;
    f->prev = m->last_func;
    if (m->last_func)
        m->last_func->next = f;
    else
        m->first_func = f;
    m->last_func = f;
    map_set(&m->func_by_name, map_key(f->name), f);
    return f;
}

void ir_func_param(struct ir_func *f, const char *name, ir_type t, uint32_t flags,
                   uint32_t byval_size, uint32_t byval_align)
{
    struct arena *a = f->module->arena;
    struct ir_param p = {.name = name ? intern_z(f->module->names, name) : NULL,
                         .type = t,
                         .flags = flags,
                         .byval_size = byval_size,
                         .byval_align = byval_align};
    vec_push(a, &f->params, p);
    if (f->first)
        ir_block_param(f->first, t, p.name);
}

void ir_func_layout(struct ir_func *f)
{
    uint32_t at = 0;
    vec_each (struct ir_param, p, &f->params) {
        uint32_t size = p->byval_size ? p->byval_size : ir_bytes(p->type);
        uint32_t align = p->byval_size ? p->byval_align : size;
        if (!align)
            align = 1;
        at = (at + align - 1) / align * align;
        p->offset = at;
        at += size;
    }
    f->param_bytes = at;
}

/* Names reach the maps interned; a name that was never interned names nothing. */
struct ir_func *ir_func_find(const struct ir_module *m, const char *name)
{
    return map_get(&m->func_by_name, map_key(intern_z(m->names, name)));
}

struct ir_func *ir_kernel_find(const struct ir_module *m, const char *name)
{
    ir_each_func (f, m)
        if (f->flags & IR_FUNC_KERNEL &&
            (!strcmp(f->name, name) || (f->mangled && !strcmp(f->mangled, name))))
            return f;
    ir_each_func (f, m)
        if (f->flags & IR_FUNC_KERNEL && f->display && str_same_but_blanks(f->display, name))
            return f;
    return NULL;
}

struct ir_global *ir_global_find(const struct ir_module *m, const char *name)
{
    return map_get(&m->global_by_name, map_key(intern_z(m->names, name)));
}

struct ir_global *ir_global_new(struct ir_module *m, const char *name, enum ir_space space,
                                uint64_t size, uint32_t align, uint32_t flags)
{
    struct ir_global *g = arena_new(m->arena, struct ir_global);
    g->name = intern_z(m->names, name);
    g->space = space;
    g->size = size;
    g->align = align ? align : 1;
    g->flags = flags;
    g->prev = m->last_global;
    if (m->last_global)
        m->last_global->next = g;
    else
        m->first_global = g;
    m->last_global = g;
    map_set(&m->global_by_name, map_key(g->name), g);
    struct ir_value *v = arena_new(m->arena, struct ir_value);
    v->kind = IR_VALUE_GLOBAL;
    v->type = IR_PTR_TO(space);
    v->id = IR_NO_ID;
    v->u.global = g;
    g->address = v;
    return g;
}

static void link_block(struct ir_func *f, struct ir_block *after, struct ir_block *b)
{
    b->func = f;
    b->prev = after;
    b->next = after ? after->next : f->first;
    if (b->prev)
        b->prev->next = b;
    else
        f->first = b;
    if (b->next)
        b->next->prev = b;
    else
        f->last = b;
    f->nblocks++;
}

struct ir_block *ir_block_new(struct ir_func *f, const char *name)
{
    struct ir_block *b = arena_new(f->module->arena, struct ir_block);
    b->name = name ? intern_z(f->module->names, name) : NULL;
    bool entry = !f->first;
    link_block(f, f->last, b);
    if (entry)
        vec_each (struct ir_param, p, &f->params)
            ir_block_param(b, p->type, p->name);
    return b;
}

struct ir_block *ir_block_after(struct ir_block *where, const char *name)
{
    struct ir_block *b = arena_new(where->func->module->arena, struct ir_block);
    b->name = name ? intern_z(where->func->module->names, name) : NULL;
    link_block(where->func, where, b);
    return b;
}

struct ir_value *ir_block_param(struct ir_block *b, ir_type t, const char *name)
{
    struct ir_module *m = b->func->module;
    struct ir_value *v = arena_new(m->arena, struct ir_value);
    v->kind = IR_VALUE_PARAM;
    v->type = t;
    v->id = b->func->nvalues++;
    v->index = (uint32_t)b->params.len;
    v->name = name ? intern_z(m->names, name) : NULL;
    v->u.block = b;
    vec_push(m->arena, &b->params, v);
    return v;
}

struct ir_value *ir_const(struct ir_module *m, ir_type t, uint64_t bits)
{
    unsigned width = ir_bits(t);
    if (width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    /* Two maps cover all keys: small values share a key with their type, the rest hash both and
     * chain. */
    if (bits < UINT64_C(1) << 48) {
        uint64_t key = bits << 16 | t;
        struct ir_value *v = map_get(&m->consts[0], key);
        if (!v) {
            v = arena_new(m->arena, struct ir_value);
            *v = (struct ir_value){
                .kind = IR_VALUE_CONST, .type = t, .id = IR_NO_ID, .u.bits = bits};
            map_set(&m->consts[0], key, v);
        }
        return v;
    }
    uint64_t key[2] = {bits, t};
    uint64_t hash = hash_bytes(key, sizeof key, 0);
    struct ir_value *v;
    while ((v = map_get(&m->consts[1], hash)) && (v->u.bits != bits || v->type != t))
        hash++;
    if (!v) {
        v = arena_new(m->arena, struct ir_value);
        *v = (struct ir_value){.kind = IR_VALUE_CONST, .type = t, .id = IR_NO_ID, .u.bits = bits};
        map_set(&m->consts[1], hash, v);
    }
    return v;
}

struct ir_value *ir_const_f32(struct ir_module *m, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return ir_const(m, IR_F32, bits);
}

struct ir_value *ir_const_f64(struct ir_module *m, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return ir_const(m, IR_F64, bits);
}

struct ir_value *ir_global_value(struct ir_global *g)
{
    return g->address;
}

struct ir_value *ir_func_value(struct ir_func *f)
{
    if (!f->address) {
        struct ir_value *v = arena_new(f->module->arena, struct ir_value);
        v->kind = IR_VALUE_FUNC;
        v->type = IR_PTR_TO(IR_SPACE_GENERIC);
        v->id = IR_NO_ID;
        v->u.func = f;
        f->address = v;
    }
    return f->address;
}

struct ir_builder ir_builder_at_end(struct ir_block *b)
{
    return (struct ir_builder){.module = b->func->module, .func = b->func, .block = b};
}

struct ir_builder ir_builder_before(struct ir_inst *i)
{
    struct ir_func *f = i->block->func;
    return (struct ir_builder){
        .module = f->module, .func = f, .block = i->block, .before = i, .span = i->span};
}

static void link_inst(struct ir_block *b, struct ir_inst *before, struct ir_inst *i)
{
    i->block = b;
    i->next = before;
    i->prev = before ? before->prev : b->last;
    if (i->prev)
        i->prev->next = i;
    else
        b->first = i;
    if (before)
        before->prev = i;
    else
        b->last = i;
}

struct ir_inst *ir_build_results(struct ir_builder *b, enum ir_op op, ir_type type,
                                 struct ir_value *const *args, uint32_t nargs,
                                 const ir_type *results, uint32_t nresults)
{
    struct arena *a = b->module->arena;
    struct ir_inst *i = arena_new(a, struct ir_inst);
    i->op = (uint16_t)op;
    i->type = type;
    i->span = b->span;
    i->nargs = nargs;
    if (nargs) {
        i->args = arena_array(a, struct ir_value *, nargs);
        memcpy(i->args, args, nargs * sizeof *args);
    }
    i->nresults = nresults;
    if (nresults)
        i->results = arena_array(a, struct ir_value, nresults);
    for (uint32_t k = 0; k < nresults; k++)
        i->results[k] = (struct ir_value){.kind = IR_VALUE_RESULT,
                                          .type = results[k],
                                          .id = b->func->nvalues++,
                                          .index = k,
                                          .u.inst = i};
    link_inst(b->block, b->before, i);
    return i;
}

uint32_t ir_signature_results(enum ir_op op, ir_type t, ir_type out[8])
{
    const struct ir_op_info *info = &ir_op_info[op];
    uint32_t n = 0;
    ir_type shape = info->flags & IR_ELEMENTWISE ? t : 0;
    for (const char *s = info->signature; *s != '('; s++)
        switch (*s) {
        case 'T': out[n++] = t; break;
        case 'b': out[n++] = ir_like(IR_I1, shape); break;
        case 'w': out[n++] = ir_like(IR_I32, shape); break;
        case 'l': out[n++] = ir_like(IR_I64, shape); break;
        case 'k': out[n++] = IR_TOKEN; break;
        default: break; /* '*': the caller knows */
        }
    return n;
}

struct ir_inst *ir_build(struct ir_builder *b, enum ir_op op, ir_type type,
                         struct ir_value *const *args, uint32_t nargs)
{
    ir_type results[8];
    uint32_t n;
    if (op == IR_OP_call_ptr) {
        results[0] = type;
        n = type != IR_VOID;
    } else if (op == IR_OP_isspace && nargs) { /* no suffix of its own: takes the operand's lanes */
        results[0] = ir_like(IR_I1, args[0]->type);
        n = 1;
    } else {
        n = ir_signature_results(op, type, results);
    }
    return ir_build_results(b, op, type, args, nargs, results, n);
}

struct ir_value *ir_build0(struct ir_builder *b, enum ir_op op, ir_type t, uint64_t imm)
{
    struct ir_inst *i = ir_build(b, op, t, NULL, 0);
    i->imm = imm;
    return i->nresults ? &i->results[0] : NULL;
}

struct ir_value *ir_build_flags(struct ir_builder *b, enum ir_op op, ir_type t, uint32_t flags,
                                uint32_t nargs, struct ir_value *x, struct ir_value *y,
                                struct ir_value *z)
{
    struct ir_value *args[3] = {x, y, z};
    struct ir_inst *i = ir_build(b, op, t, args, nargs);
    i->flags = flags;
    return i->nresults ? &i->results[0] : NULL;
}

struct ir_value *ir_build1(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x)
{
    return ir_build_flags(b, op, t, 0, 1, x, NULL, NULL);
}

struct ir_value *ir_build2(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x,
                           struct ir_value *y)
{
    return ir_build_flags(b, op, t, 0, 2, x, y, NULL);
}

struct ir_value *ir_build3(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x,
                           struct ir_value *y, struct ir_value *z)
{
    return ir_build_flags(b, op, t, 0, 3, x, y, z);
}

struct ir_value *ir_build_load(struct ir_builder *b, ir_type t, struct ir_value *p, uint32_t align,
                               uint32_t flags)
{
    struct ir_inst *i = ir_build(b, IR_OP_load, t, &p, 1);
    i->align = align ? align : ir_bytes(ir_scalar(t));
    i->flags = flags;
    return &i->results[0];
}

void ir_build_store(struct ir_builder *b, struct ir_value *p, struct ir_value *v, uint32_t align,
                    uint32_t flags)
{
    struct ir_value *args[2] = {p, v};
    struct ir_inst *i = ir_build(b, IR_OP_store, v->type, args, 2);
    i->align = align ? align : ir_bytes(ir_scalar(v->type));
    i->flags = flags;
}

struct ir_value *ir_build_alloca(struct ir_func *f, uint64_t size, uint32_t align, const char *name)
{
    /* After the allocas that are there already, so that they stay in order of declaration. */
    struct ir_inst *before = f->first->first;
    while (before && before->op == IR_OP_alloca)
        before = before->next;
    struct ir_builder b = ir_builder_at_end(f->first);
    b.before = before;
    struct ir_inst *i = ir_build(&b, IR_OP_alloca, IR_PTR_TO(IR_SPACE_LOCAL), NULL, 0);
    i->imm = size;
    i->align = align ? align : 1;
    i->results[0].name = name ? intern_z(f->module->names, name) : NULL;
    return &i->results[0];
}

struct ir_value *ir_build_call(struct ir_builder *b, struct ir_func *callee,
                               struct ir_value *const *args, uint32_t nargs)
{
    struct ir_inst *i =
        ir_build_results(b, IR_OP_call, IR_VOID, args, nargs, &callee->ret, callee->ret != IR_VOID);
    i->callee = callee;
    return i->nresults ? &i->results[0] : NULL;
}

struct ir_edge *ir_add_edge(struct ir_inst *term, struct ir_block *to, struct ir_value *const *args,
                            uint32_t nargs, uint64_t case_value)
{
    struct arena *a = to->func->module->arena;
    const uint32_t n = term->nedges;
    if ((n & (n - 1)) == 0) { /* there is room up to the next power of two */
        struct ir_edge *edges = arena_array(a, struct ir_edge, n ? 2 * n : 1);
        if (n)
            memcpy(edges, term->edges, n * sizeof *edges);
        term->edges = edges;
    }
    struct ir_edge *e = &term->edges[term->nedges++];
    *e = (struct ir_edge){.to = to, .nargs = nargs, .case_value = case_value};
    if (nargs) {
        e->args = arena_array(a, struct ir_value *, nargs);
        memcpy(e->args, args, nargs * sizeof *args);
    }
    return e;
}

void ir_edge_push(struct ir_inst *term, struct ir_edge *e, struct ir_value *v)
{
    e->args = arena_grow(term->block->func->module->arena, e->args, e->nargs * sizeof *e->args,
                         (e->nargs + 1) * sizeof *e->args);
    e->args[e->nargs++] = v;
}

void ir_build_br(struct ir_builder *b, struct ir_block *to, struct ir_value *const *args,
                 uint32_t nargs)
{
    ir_add_edge(ir_build(b, IR_OP_br, IR_VOID, NULL, 0), to, args, nargs, 0);
}

void ir_build_condbr(struct ir_builder *b, struct ir_value *cond, struct ir_block *yes,
                     struct ir_block *no)
{
    struct ir_inst *i = ir_build(b, IR_OP_condbr, IR_VOID, &cond, 1);
    ir_add_edge(i, yes, NULL, 0, 0);
    ir_add_edge(i, no, NULL, 0, 0);
}

void ir_build_ret(struct ir_builder *b, struct ir_value *v)
{
    ir_build(b, IR_OP_ret, IR_VOID, &v, v ? 1 : 0);
}

void ir_to_br(struct ir_inst *t, uint32_t keep)
{
    t->edges[0] = t->edges[keep];
    t->edges[0].case_value = 0;
    t->nedges = 1;
    t->op = IR_OP_br;
    t->type = IR_VOID;
    t->nargs = 0;
}

void ir_remove(struct ir_inst *i)
{
    if (i->prev)
        i->prev->next = i->next;
    else
        i->block->first = i->next;
    if (i->next)
        i->next->prev = i->prev;
    else
        i->block->last = i->prev;
    i->prev = i->next = NULL;
    i->block = NULL;
}

void ir_move_before(struct ir_inst *i, struct ir_inst *where)
{
    ir_remove(i);
    link_inst(where->block, where, i);
}

void ir_block_remove(struct ir_block *b)
{
    struct ir_func *f = b->func;
    if (b->prev)
        b->prev->next = b->next;
    else
        f->first = b->next;
    if (b->next)
        b->next->prev = b->prev;
    else
        f->last = b->prev;
    f->nblocks--;
    b->func = NULL;
}

struct ir_block *ir_block_split(struct ir_inst *at, const char *name)
{
    struct ir_block *from = at->block, *to = ir_block_after(from, name);
    to->first = at;
    to->last = from->last;
    from->last = at->prev;
    *(at->prev ? &at->prev->next : &from->first) = NULL;
    at->prev = NULL;
    ir_each_inst (i, to)
        i->block = to;
    return to;
}

void ir_block_param_remove(struct ir_block *b, uint32_t index)
{
    for (size_t n = 0; n < b->preds.len; n++) {
        struct ir_inst *t = ir_terminator(b->preds.data[n]);
        for (uint32_t k = 0; t && k < t->nedges; k++) {
            struct ir_edge *e = &t->edges[k];
            if (e->to != b || e->nargs != b->params.len) /* one with several edges is met again */
                continue;
            memmove(e->args + index, e->args + index + 1, (e->nargs - index - 1) * sizeof *e->args);
            e->nargs--;
        }
    }
    memmove(b->params.data + index, b->params.data + index + 1,
            (b->params.len - index - 1) * sizeof *b->params.data);
    b->params.len--;
    for (uint32_t k = index; k < b->params.len; k++)
        b->params.data[k]->index = k;
}

static struct ir_value *resolve(struct ir_value *v)
{
    struct ir_value *to = v;
    while (to->forward)
        to = to->forward;
    while (v->forward) { /* shorten the chain for the next one */
        struct ir_value *next = v->forward;
        v->forward = to;
        v = next;
    }
    return to;
}

void ir_replace_forwarded(struct ir_func *f)
{
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->forward)
                    i->args[k] = resolve(i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k]->forward)
                        i->edges[e].args[k] = resolve(i->edges[e].args[k]);
        }
    }
}

void ir_renumber(struct ir_func *f)
{
    uint32_t values = 0, blocks = 0;
    ir_each_block (b, f) {
        b->id = blocks++;
        vec_each (struct ir_value *, p, &b->params)
            (*p)->id = values++;
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                i->results[k].id = values++;
    }
    f->nvalues = values;
    f->nblocks = blocks;
}

uint32_t *ir_use_counts(struct arena *a, struct ir_func *f)
{
    ir_renumber(f);
    uint32_t *uses = arena_array(a, uint32_t, f->nvalues + 1);
    ir_each_block (b, f) {
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->id != IR_NO_ID)
                    uses[i->args[k]->id]++;
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k]->id != IR_NO_ID)
                        uses[i->edges[e].args[k]->id]++;
        }
    }
    return uses;
}

static bool is_shared(const struct ir_global *g)
{
    if (g->flags & IR_GLOBAL_TEXREF || g->relocs.len)
        return true;
    return !(g->flags & IR_GLOBAL_CONST) &&
           (g->space == IR_SPACE_GLOBAL || g->flags & IR_GLOBAL_EXPORT);
}

bool ir_is_library_table(const struct ir_global *g)
{
    return g->flags & IR_GLOBAL_CONST && !g->relocs.len && !strncmp(g->name, "__tern_", 7);
}

bool ir_kernels_share(const struct ir_module *m)
{
    ir_each_global (g, m)
        if (is_shared(g))
            return true;
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                if (i->op == IR_OP_call_ptr)
                    return true;
                for (uint32_t k = 0; k < i->nargs; k++)
                    if (i->args[k]->kind == IR_VALUE_FUNC)
                        return true;
            }
    return false;
}
