/* IR → decoded operations. Each value gets a register in its function's frame; a value used only
 * in the block that makes it gives its register back after its last use, so that frames stay small
 * enough for the caches. Block arguments become moves on the edges. */
#include "interp/interp_int.h"

#define NO_REG UINT32_MAX

struct value_use {
    const struct ir_block *block; /* where it is made */
    const struct ir_inst *last;   /* in that block */
    bool elsewhere;               /* used in another block, or made by a block parameter */
    uint32_t reg;
};

struct free_reg {
    uint32_t lane_bytes, reg;
};

/* An edge with arguments out of a branch with several targets: the moves stand on their own. */
struct stub {
    const struct ir_edge *edge;
    struct span span;
};

struct decoder {
    struct arena *a;       /* lasts */
    struct arena *scratch; /* for one function */
    struct interp_module *mod;
    const struct ir_module *ir;
    struct diag *diag;
    struct interp_func *f;
    VEC(struct op) ops;
    VEC(struct line) lines;
    VEC(struct free_reg) free;
    VEC(struct stub) stubs;
    VEC(struct local_var) locals;
    VEC(uint8_t) constants;
    struct map uses;     /* ir_value → value_use */
    struct map constant; /* ir_value → register + 1 */
    struct map code_at;  /* ir_block or ir_edge → index + 1 */
    struct map split_at; /* ir_inst → index + 1 */
    uint32_t top;        /* bytes of the frame so far */
    const char *path, *path_copy;
    uint32_t cost; /* instructions since the block began */
    bool bad;
};

/* ---- registers ---- */
static uint32_t reg_bytes(ir_type t)
{
    const uint32_t bytes = ir_bytes(t) * LANES;
    return (bytes + 63) / 64 * 64;
}

/* For good. What lives across blocks gets a register that nothing shares: where a block stands says
 * nothing about when it runs. */
static uint32_t lasting_reg(struct decoder *d, ir_type t)
{
    const uint32_t reg = d->top;
    d->top += reg_bytes(t);
    return reg;
}

static uint32_t passing_reg(struct decoder *d, ir_type t)
{
    /* of the same size per lane, or one lane's write would touch another's value */
    for (size_t i = d->free.len; i-- > 0;)
        if (d->free.data[i].lane_bytes == ir_bytes(t)) {
            const uint32_t reg = d->free.data[i].reg;
            d->free.data[i] = vec_last(&d->free);
            d->free.len--;
            return reg;
        }
    return lasting_reg(d, t);
}

static void free_register(struct decoder *d, const struct ir_value *v, uint32_t reg)
{
    const struct free_reg x = {ir_bytes(v->type), reg};
    vec_push(d->scratch, &d->free, x);
}

static struct value_use *use_of(struct decoder *d, const struct ir_value *v)
{
    return map_get(&d->uses, map_key(v));
}

static void note_value(struct decoder *d, const struct ir_value *v, const struct ir_block *b,
                       bool elsewhere)
{
    struct value_use *u = arena_new(d->scratch, struct value_use);
    u->block = b;
    u->elsewhere = elsewhere;
    u->reg = NO_REG;
    map_set(&d->uses, map_key(v), u);
}

static void note_use(struct decoder *d, const struct ir_value *v, const struct ir_inst *i)
{
    struct value_use *u = use_of(d, v);
    if (!u)
        return;
    if (u->block == i->block)
        u->last = i;
    else
        u->elsewhere = true;
}

/* Definitions first: a use may come before its definition in layout order. */
static void find_uses(struct decoder *d, const struct ir_func *f)
{
    ir_each_block (b, f) {
        for (size_t i = 0; i < b->params.len; i++)
            note_value(d, b->params.data[i], b, true);
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                note_value(d, &i->results[k], b, false);
    }
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                note_use(d, i->args[k], i);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    note_use(d, i->edges[e].args[k], i);
        }
}

static uint64_t constant_bits(struct decoder *d, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_CONST)
        return v->u.bits;
    if (v->kind == IR_VALUE_FUNC) {
        const struct interp_func *f = map_get(&d->mod->func_by_ir, map_key(v->u.func));
        return f ? f->address : 0;
    }
    const struct interp_global *g = map_get(&d->mod->global_by_ir, map_key(v->u.global));
    return g ? g->address : 0;
}

static uint32_t constant_reg(struct decoder *d, const struct ir_value *v)
{
    const uint64_t known = (uint64_t)(uintptr_t)map_get(&d->constant, map_key(v));
    if (known)
        return (uint32_t)(known - 1);
    const uint32_t at = (uint32_t)d->constants.len, size = storage_bytes(v->type);
    const uint32_t reg = d->f->constants_at + at;
    const uint64_t bits = constant_bits(d, v);
    const uint32_t n = reg_bytes(v->type);
    vec_reserve(d->scratch, &d->constants, d->constants.len + n);
    for (uint32_t k = 0; k < n; k += size)
        memcpy(d->constants.data + at + k, &bits, size);
    d->constants.len += n;
    map_set(&d->constant, map_key(v), (void *)(uintptr_t)(reg + UINT64_C(1)));
    return reg;
}

/* Frames begin with the function's parameters, then come constants, then values. */
static void place_constants(struct decoder *d, const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind >= IR_VALUE_CONST && i->args[k]->type != IR_VOID)
                    constant_reg(d, i->args[k]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k]->kind >= IR_VALUE_CONST)
                        constant_reg(d, i->edges[e].args[k]);
        }
    d->top = d->f->constants_at + (uint32_t)d->constants.len;
}

static uint32_t reg_of(struct decoder *d, const struct ir_value *v)
{
    if (v->kind >= IR_VALUE_CONST)
        return constant_reg(d, v);
    struct value_use *u = use_of(d, v);
    if (u->reg == NO_REG)
        u->reg = ir_kind(v->type) == IR_TOKEN ? 0
                 : u->elsewhere               ? lasting_reg(d, v->type)
                                              : passing_reg(d, v->type);
    return u->reg;
}

/* After an instruction: what it used last is free, and so is what nothing uses. */
static void release_after(struct decoder *d, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++) {
        struct value_use *u = use_of(d, i->args[k]);
        if (u && !u->elsewhere && u->last == i && u->reg != NO_REG &&
            ir_kind(i->args[k]->type) != IR_TOKEN) {
            free_register(d, i->args[k], u->reg);
            u->last = NULL; /* an operand may be named twice */
        }
    }
    for (uint32_t k = 0; k < i->nresults; k++) {
        struct value_use *u = use_of(d, &i->results[k]);
        if (!u->elsewhere && !u->last && u->reg != NO_REG &&
            ir_kind(i->results[k].type) != IR_TOKEN)
            free_register(d, &i->results[k], u->reg);
    }
}

/* ---- operations ---- */
static struct op *emit(struct decoder *d, struct span span)
{
    const struct op zero = {0};
    struct line line = {.span = span};
    struct source_pos pos;
    if (d->ir->sources && span.loc && source_position(d->ir->sources, span.loc, &pos) && pos.path) {
        if (pos.path != d->path) {
            d->path = pos.path;
            d->path_copy = arena_strndup(d->a, pos.path, strlen(pos.path));
        }
        line.path = d->path_copy;
        line.line = pos.line;
        line.column = pos.column;
    }
    vec_push(d->a, &d->lines, line);
    vec_push(d->a, &d->ops, zero);
    return &vec_last(&d->ops);
}

static void emit_move(struct decoder *d, ir_type t, uint32_t to, uint32_t from, struct span span)
{
    struct op *o = emit(d, span);
    o->dst = to;
    o->a = from;
    o->type = t;
    o->size = storage_bytes(t);
    o->elements = ir_lanes(t);
    if (ir_is_vector(t))
        o->handler = interp_vector_move;
    else
        o->kernel = interp_move_kernel(o->size);
}

/* All at once: a parameter that is overwritten may be the argument of another. */
static void emit_edge_moves(struct decoder *d, const struct ir_edge *e, struct span span)
{
    const struct ir_block *to = e->to;
    uint32_t *from = arena_array(d->scratch, uint32_t, e->nargs + 1);
    for (uint32_t k = 0; k < e->nargs; k++) {
        const struct ir_value *v = e->args[k];
        from[k] = ir_kind(v->type) == IR_TOKEN ? 0 : reg_of(d, v);
        if (v->kind == IR_VALUE_PARAM && v->u.block == to && v != to->params.data[k]) {
            const uint32_t temp = lasting_reg(d, v->type);
            emit_move(d, v->type, temp, from[k], span);
            from[k] = temp;
        }
    }
    for (uint32_t k = 0; k < e->nargs; k++) {
        const struct ir_value *p = to->params.data[k];
        if (ir_kind(p->type) != IR_TOKEN && e->args[k] != p)
            emit_move(d, p->type, reg_of(d, p), from[k], span);
    }
}

static void emit_branch(struct decoder *d, const struct ir_block *to, struct span span)
{
    struct op *o = emit(d, span);
    o->handler = interp_branch;
    o->ir_op = IR_OP_br;
    o->u.target = (const struct op *)(const void *)to;
    o->cost = d->cost;
}

static struct detail *new_detail(struct decoder *d, const struct ir_inst *i)
{
    struct detail *x = arena_new(d->a, struct detail);
    uint32_t *args = arena_array(d->a, uint32_t, i->nargs + 1);
    uint32_t *results = arena_array(d->a, uint32_t, i->nresults + 1);
    ir_type *arg_types = arena_array(d->a, ir_type, i->nargs + 1);
    ir_type *result_types = arena_array(d->a, ir_type, i->nresults + 1);
    for (uint32_t k = 0; k < i->nargs; k++) {
        arg_types[k] = i->args[k]->type;
        args[k] = ir_kind(arg_types[k]) == IR_TOKEN ? 0 : reg_of(d, i->args[k]);
    }
    for (uint32_t k = 0; k < i->nresults; k++) {
        result_types[k] = i->results[k].type;
        results[k] = reg_of(d, &i->results[k]);
    }
    x->source = i->nargs ? arg_types[0] : 0;
    x->flags = i->flags;
    x->align = i->align ? i->align : 1;
    x->nargs = i->nargs;
    x->nresults = i->nresults;
    x->args = args;
    x->results = results;
    x->arg_types = arg_types;
    x->result_types = result_types;
    return x;
}

/* Where an edge goes: straight to the block, or to a stub that moves its arguments. Until all code
 * is laid out, the target is the address of the block or edge. */
static const struct op *edge_target(struct decoder *d, const struct ir_edge *e, struct span span)
{
    if (!e->nargs)
        return (const struct op *)(const void *)e->to;
    const struct stub s = {e, span};
    vec_push(d->scratch, &d->stubs, s);
    return (const struct op *)(const void *)e;
}

static void set_branch(struct decoder *d, struct op *o, struct detail *x, const struct ir_inst *i)
{
    o->cost = d->cost;
    if (i->op == IR_OP_condbr) {
        o->u.target = edge_target(d, &i->edges[0], i->span);
        x->other = edge_target(d, &i->edges[1], i->span);
    } else if (i->op == IR_OP_switch) {
        uint64_t *cases = arena_array(d->a, uint64_t, i->nedges);
        x->targets = arena_array(d->a, const struct op *, i->nedges);
        x->ncases = i->nedges - 1;
        x->cases = cases;
        o->size = storage_bytes(i->args[0]->type);
        for (uint32_t k = 0; k < i->nedges; k++) {
            x->targets[k] = edge_target(d, &i->edges[k], i->span);
            if (k)
                cases[k - 1] =
                    i->edges[k].case_value & (~UINT64_C(0) >> (64 - ir_bits(i->args[0]->type)));
        }
    }
}

static void set_call(struct decoder *d, struct op *o, struct detail *x, const struct ir_inst *i)
{
    struct copy *copies = arena_array(d->a, struct copy, i->nargs + 1);
    x->copies = copies;
    o->cost = d->cost;
    if (i->op == IR_OP_call_ptr)
        return; /* filled when it is known who is called */
    struct interp_func *callee = map_get(&d->mod->func_by_ir, map_key(i->callee));
    if (!callee || callee->declared_only) {
        diag_error(d->diag, i->span, "function '%s' is called but nowhere defined",
                   i->callee->display ? i->callee->display : i->callee->name);
        d->bad = true;
        return;
    }
    o->u.callee = callee;
    x->ncopies = i->nargs;
    for (uint32_t k = 0; k < i->nargs; k++)
        copies[k] = (struct copy){x->args[k], callee->param_regs[k], ir_bytes(i->args[k]->type)};
}

static void set_alloca(struct decoder *d, struct op *o, struct detail *x, const struct ir_inst *i)
{
    const uint32_t align = i->align > 16 ? i->align : 16;
    uint64_t offset = d->f->local_bytes;
    offset = (offset + align - 1) / align * align;
    if (i->imm > INTERP_STACK_BYTES || offset > INTERP_STACK_BYTES || align > SPACE_BASE) {
        diag_error(d->diag, i->span,
                   "local variables of '%s' take more than %u bytes, or are aligned to too many",
                   d->f->display, INTERP_STACK_BYTES);
        d->bad = true;
        return;
    }
    const char *name = i->results[0].name;
    const struct local_var v = {arena_strndup(d->a, name ? name : "a local variable",
                                              strlen(name ? name : "a local variable")),
                                (uint32_t)offset, i->imm};
    vec_push(d->a, &d->locals, v);
    o->imm = offset;
    x->bytes = i->imm;
    if (align > d->f->local_align)
        d->f->local_align = align;
    /* A gap, to notice overruns. */
    d->f->local_bytes = ((uint32_t)(offset + i->imm) + 31) / 16 * 16;
}

static handler_fn *find_handler(const struct ir_inst *i)
{
    handler_fn *h = interp_exec_handler(i);
    if (!h)
        h = interp_memory_handler(i);
    if (!h)
        h = interp_warp_handler(i);
    return h ? h : interp_vector_handler(i);
}

static void decode_inst(struct decoder *d, const struct ir_inst *i)
{
    d->cost++;
    if (i->op == IR_OP_br) {
        emit_edge_moves(d, &i->edges[0], i->span);
        emit_branch(d, i->edges[0].to, i->span);
        return;
    }
    struct detail *x = new_detail(d, i);
    const ir_type result = i->nresults ? i->results[0].type : IR_VOID;
    struct op *o = emit(d, i->span);
    o->x = x;
    o->ir_op = i->op;
    o->type = i->type;
    o->imm = i->imm;
    o->dst = x->nresults ? x->results[0] : 0;
    o->a = x->nargs > 0 ? x->args[0] : 0;
    o->b = x->nargs > 1 ? x->args[1] : 0;
    o->c = x->nargs > 2 ? x->args[2] : 0;
    const ir_type shape = result != IR_VOID ? result : i->type;
    o->size = ir_kind(shape) == IR_VOID || ir_kind(shape) == IR_TOKEN ? 0 : storage_bytes(shape);
    o->elements = ir_lanes(shape);
    kernel_fn *kernel = interp_lane_kernel((enum ir_op)i->op, i->type, x->source, i->flags);
    if (kernel && ir_is_vector(shape)) {
        o->handler = interp_vector_elementwise;
        o->u.elementwise = kernel;
        return;
    }
    o->kernel = kernel;
    if (kernel)
        return;
    o->handler = find_handler(i);
    if (!o->handler) {
        diag_error(d->diag, i->span,
                   "the interpreter does not know the operation '%s' of this type",
                   ir_op_info[i->op].name);
        d->bad = true;
        return;
    }
    o->u.cache = &d->mod->machine->nothing; /* for all that may touch memory */
    o->cost = d->cost;
    switch (i->op) {
    case IR_OP_condbr:
    case IR_OP_switch: set_branch(d, o, x, i); break;
    case IR_OP_call:
    case IR_OP_call_ptr: set_call(d, o, x, i); break;
    case IR_OP_alloca: set_alloca(d, o, x, i); break;
    case IR_OP_split: map_set(&d->split_at, map_key(i), (void *)(uintptr_t)d->ops.len); break;
    case IR_OP_join: o->u.split = (const struct op *)(const void *)i->args[0]->u.inst; break;
    case IR_OP_ret:
        o->size = i->nargs ? storage_bytes(i->args[0]->type) : 0;
        o->elements = i->nargs ? ir_lanes(i->args[0]->type) : 1;
        break;
    default: break;
    }
}

/* ---- layout of the code ---- */
static void fix_target(struct decoder *d, const struct op **target)
{
    const uint64_t at = (uint64_t)(uintptr_t)map_get(&d->code_at, map_key(*target));
    *target = d->ops.data + (at - 1);
}

static void fix_targets(struct decoder *d)
{
    for (size_t k = 0; k < d->ops.len; k++) {
        struct op *o = &d->ops.data[k];
        struct detail *x = (struct detail *)o->x;
        switch (o->ir_op) {
        case IR_OP_br:
            if (o->handler == interp_branch)
                fix_target(d, &o->u.target);
            break;
        case IR_OP_condbr:
            fix_target(d, &o->u.target);
            fix_target(d, &x->other);
            break;
        case IR_OP_switch:
            for (uint32_t e = 0; e <= x->ncases; e++)
                fix_target(d, &x->targets[e]);
            break;
        case IR_OP_join: {
            const uint64_t at = (uint64_t)(uintptr_t)map_get(&d->split_at, map_key(o->u.split));
            o->u.split = at ? d->ops.data + (at - 1) : NULL;
            break;
        }
        default: break;
        }
    }
}

static void decode_func(struct decoder *d, const struct ir_func *f)
{
    struct interp_func *out = d->f;
    find_uses(d, f);
    place_constants(d, f);
    for (size_t k = 0; k < f->first->params.len; k++)
        use_of(d, f->first->params.data[k])->reg = out->param_regs[k];
    ir_each_block (b, f) {
        d->cost = 0;
        map_set(&d->code_at, map_key(b), (void *)(uintptr_t)(d->ops.len + 1));
        ir_each_inst (i, b) {
            decode_inst(d, i);
            release_after(d, i);
        }
    }
    for (size_t k = 0; k < d->stubs.len; k++) {
        const struct stub *s = &d->stubs.data[k];
        d->cost = 0; /* counted with the branch */
        map_set(&d->code_at, map_key(s->edge), (void *)(uintptr_t)(d->ops.len + 1));
        emit_edge_moves(d, s->edge, s->span);
        emit_branch(d, s->edge->to, s->span);
    }
    fix_targets(d);
    out->ops = d->ops.data;
    out->nops = (uint32_t)d->ops.len;
    out->lines = d->lines.data;
    out->frame_bytes = d->top;
    out->locals = d->locals.data;
    out->nlocals = (uint32_t)d->locals.len;
    uint8_t *constants = arena_alloc(d->a, d->constants.len + 1);
    if (d->constants.len)
        memcpy(constants, d->constants.data, d->constants.len);
    out->constants = constants;
    out->constant_bytes = (uint32_t)d->constants.len;
}

/* ---- the module ---- */
static const char *copy_name(struct decoder *d, const char *name)
{
    return name ? arena_strndup(d->a, name, strlen(name)) : NULL;
}

static void declare_func(struct decoder *d, struct ir_func *f)
{
    struct interp_func *out = arena_new(d->a, struct interp_func);
    struct ir_param *params = arena_array(d->a, struct ir_param, f->params.len + 1);
    uint32_t *regs = arena_array(d->a, uint32_t, f->params.len + 1);
    out->module = d->mod;
    out->name = copy_name(d, f->name);
    out->mangled = copy_name(d, f->mangled);
    out->display = copy_name(d, f->display ? f->display : f->name);
    out->flags = f->flags;
    out->ret = f->ret;
    out->nparams = (uint32_t)f->params.len;
    for (size_t k = 0; k < f->params.len; k++) {
        params[k] = f->params.data[k];
        params[k].name = copy_name(d, params[k].name);
        regs[k] = out->constants_at;
        out->constants_at += reg_bytes(params[k].type);
    }
    out->params = params;
    out->param_regs = regs;
    out->param_bytes = f->param_bytes;
    out->max_threads = f->max_threads;
    out->static_shared = f->flags & IR_FUNC_KERNEL ? ir_static_shared(f) : 0;
    out->in_order = d->mod->machine->in_order && f->flags & IR_FUNC_KERNEL && ir_order_matters(f);
    memcpy(out->required_block, f->required_block, sizeof out->required_block);
    out->declared_only = !f->first;
    out->span = f->span;
    out->local_align = 16;
    out->next = d->mod->first;
    d->mod->first = out;
    map_set(&d->mod->func_by_ir, map_key(f), out);
}

static uint32_t round_up(uint32_t x, uint32_t align)
{
    return align > 1 ? (x + align - 1) / align * align : x;
}

/* All memory of the launch begins at one address, which suits each variable there. */
static void align_dynamic(struct interp_module *mod, const struct ir_module *ir)
{
    uint32_t align = 16;
    ir_each_global (g, ir)
        if (g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN && g->align > align)
            align = g->align;
    mod->static_shared = round_up(mod->static_shared, align);
}

static void place_shared(struct decoder *d, const struct ir_global *g, struct interp_global *out,
                         bool dynamic)
{
    struct interp_module *mod = d->mod;
    struct shared_var *v = &mod->shared[mod->nshared++];
    const uint32_t align = g->align > 16 ? g->align : 16;
    const uint32_t gap = 16; /* an overrun by a few elements is noticed */
    v->name = copy_name(d, g->display ? g->display : g->name);
    if (dynamic)
        align_dynamic(mod, d->ir);
    v->offset = dynamic ? mod->static_shared : round_up(mod->static_shared, align);
    v->size = (uint32_t)g->size;
    v->dynamic = dynamic;
    out->address = SPACE_BASE + v->offset;
    if (!dynamic)
        mod->static_shared = v->offset + v->size + gap;
}

/* Addresses are decoded once for a module, so the variables of all its kernels lie side by side in
 * a block's window; what one kernel's block has is its own (static_shared of the kernel). */
enum { MAX_WINDOW = 64 << 20 };

static bool declare_globals(struct decoder *d)
{
    struct interp_module *mod = d->mod;
    uint32_t n = 0;
    ir_each_global (g, d->ir)
        n++;
    mod->globals = arena_array(d->a, struct interp_global, n + 1);
    mod->shared = arena_array(d->a, struct shared_var, n + 1);
    /* Dynamic shared memory begins where the static variables end: two rounds. */
    for (int dynamic = 0; dynamic < 2; dynamic++)
        ir_each_global (g, d->ir) {
            const bool is_dynamic = g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN;
            if (is_dynamic != (dynamic == 1))
                continue;
            struct interp_global *out = &mod->globals[mod->nglobals++];
            out->name = copy_name(d, g->name);
            out->mangled = copy_name(d, g->mangled);
            out->display = copy_name(d, g->display);
            out->size = g->size;
            out->space = g->space;
            map_set(&mod->global_by_ir, map_key(g), out);
            if (g->space == IR_SPACE_SHARED) {
                if (g->size > INTERP_MAX_SHARED || mod->static_shared > MAX_WINDOW) {
                    diag_error(d->diag, g->span, "shared variables take more than %u bytes",
                               g->size > INTERP_MAX_SHARED ? INTERP_MAX_SHARED : MAX_WINDOW);
                    return false;
                }
                place_shared(d, g, out, is_dynamic);
                continue;
            }
            if (g->flags & IR_GLOBAL_EXTERN) {
                diag_error(d->diag, g->span, "variable '%s' is nowhere defined",
                           g->display ? g->display : g->name);
                return false;
            }
            struct alloc *a = interp_new_alloc(mod->machine, g->size, g->align,
                                               g->space == IR_SPACE_CONST     ? INTERP_CONST
                                               : g->flags & IR_GLOBAL_MANAGED ? INTERP_MANAGED
                                                                              : INTERP_GLOBAL,
                                               g->display ? g->display : g->name);
            if (!a) {
                diag_error(d->diag, g->span, "no memory for variable '%s' of %llu bytes",
                           g->display ? g->display : g->name, (unsigned long long)g->size);
                return false;
            }
            out->address = a->base;
            if (g->init && g->size)
                memcpy(a->host, g->init, g->size);
        }
    mod->static_shared = round_up(mod->static_shared, 16);
    ir_each_global (g, d->ir) {
        const struct interp_global *out = map_get(&mod->global_by_ir, map_key(g));
        for (size_t k = 0; k < g->relocs.len && g->space != IR_SPACE_SHARED; k++) {
            const struct ir_reloc *x = &g->relocs.data[k];
            const uint64_t word = constant_bits(d, x->target) + (uint64_t)x->addend;
            char *at = interp_at(mod->machine, out->address + x->offset, sizeof word);
            if (at)
                memcpy(at, &word, sizeof word);
        }
    }
    return true;
}

bool interp_decode(struct interp_module *mod, const struct ir_module *ir, struct diag *diag)
{
    struct decoder module = {.a = &mod->arena, .mod = mod, .ir = ir, .diag = diag};
    map_init(&mod->func_by_ir, &mod->arena);
    map_init(&mod->global_by_ir, &mod->arena);
    ir_each_func (f, ir)
        declare_func(&module, f);
    if (!interp_number_funcs(mod))
        return false;
    if (!declare_globals(&module))
        return false;
    bool bad = false;
    ir_each_func (f, ir) {
        if (!f->first)
            continue;
        struct decoder d = {.a = &mod->arena, .scratch = &mod->scratch, .mod = mod, .ir = ir};
        d.diag = diag;
        d.f = map_get(&mod->func_by_ir, map_key(f));
        map_init(&d.uses, d.scratch);
        map_init(&d.constant, d.scratch);
        map_init(&d.code_at, d.scratch);
        map_init(&d.split_at, d.scratch);
        decode_func(&d, f);
        bad |= d.bad;
        arena_free(&mod->scratch);
    }
    return !bad;
}
