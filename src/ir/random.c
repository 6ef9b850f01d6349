/* Random typed modules, for testing everything that reads or changes IR.
 *
 * A module is grown like a program: a handful of variables, statements that assign them, structured
 * control flow with breaks and continues, helper functions, local and shared memory. Variables
 * become block parameters where paths meet. What comes out never depends on the order in which
 * threads run, on uninitialised memory, or on which NaN an operation gives: floats reach integers
 * only through comparisons, conversions, and bit casts of values whose NaNs were made one and the
 * same. Launch with blocks of whole warps. */
#include <string.h>
#include "ir/ir.h"

enum { VARS = 10, HELPERS = 2, SHARED_WORDS = 1024, LOCAL_WORDS = 8, MAX_DEPTH = 4 };

static const ir_type var_types[VARS] = {IR_I32, IR_I32, IR_I64, IR_I32, IR_I16,
                                        IR_I8,  IR_I1,  IR_F32, IR_F64, IR_F16};

struct grower {
    uint64_t state;
    const struct ir_random_options *o;
    struct ir_module *m;
    struct ir_builder b;
    struct ir_value *vars[VARS];
    struct ir_value *in, *n, *gid, *tid; /* NULL in helpers */
    struct ir_value *local;
    struct ir_global *shared;
    struct ir_func *helpers[HELPERS];
    int budget;
    /* innermost loop: where break and continue go, with all variables */
    struct ir_block *brk, *cont;
};

static uint32_t next(struct grower *g)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = g->state ^ g->state >> 33;
    return (uint32_t)(x * UINT64_C(0xff51afd7ed558ccd) >> 32);
}

static uint32_t below(struct grower *g, uint32_t n)
{
    return next(g) % n;
}

static bool chance(struct grower *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

static struct ir_value *i32(struct grower *g, uint32_t v)
{
    return ir_const(g->m, IR_I32, v);
}

static struct ir_value *some_const(struct grower *g, ir_type t)
{
    static const uint64_t corners[] = {0,
                                       1,
                                       2,
                                       7,
                                       31,
                                       32,
                                       63,
                                       0x7f,
                                       0x80,
                                       0xff,
                                       0x7fff,
                                       0x8000,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       INT64_MAX,
                                       (uint64_t)INT64_MIN,
                                       UINT64_MAX};
    static const double floats[] = {0, 1, -1, 0.5, 3.25, -1e-3, 1e10, 65504, 1e-40};
    static const uint16_t halves[] = {0, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0x0001, 0x8000, 0x7c00};
    switch (ir_kind(t)) {
    case IR_F32: return ir_const_f32(g->m, (float)floats[below(g, 9)]);
    case IR_F64: return ir_const_f64(g->m, floats[below(g, 9)]);
    case IR_F16:
    case IR_BF16: return ir_const(g->m, t, halves[below(g, 8)]);
    default: return ir_const(g->m, t, chance(g, 70) ? corners[below(g, 18)] : next(g));
    }
}

/* ---- expressions ---- */

static ir_type some_type(struct grower *g)
{
    return var_types[below(g, g->o->floats ? VARS : 7)];
}

static struct ir_value *operand(struct grower *g, ir_type t);

static struct ir_value *one_nan(struct grower *g, struct ir_value *x)
{
    static const uint64_t nans[IR_KIND_COUNT] = {[IR_F16] = 0x7e00,
                                                 [IR_BF16] = 0x7fc0,
                                                 [IR_F32] = 0x7fc00000,
                                                 [IR_F64] = UINT64_C(0x7ff8000000000000)};
    struct ir_value *is = ir_build2(&g->b, IR_OP_funo, x->type, x, x);
    return ir_build3(&g->b, IR_OP_select, x->type, is,
                     ir_const(g->m, x->type, nans[ir_kind(x->type)]), x);
}

/* Any value as a type: by the conversions that fit, or a comparison for i1. */
static struct ir_value *convert(struct grower *g, struct ir_value *x, ir_type t)
{
    if (x->type == t)
        return x;
    enum ir_class from = ir_class(x->type), to = ir_class(t);
    unsigned a = ir_bits(x->type), b = ir_bits(t);
    if (from == IR_CLASS_INT && to == IR_CLASS_INT)
        return ir_build1(&g->b,
                         a > b           ? IR_OP_trunc
                         : chance(g, 50) ? IR_OP_zext
                                         : IR_OP_sext,
                         t, x);
    if (from == IR_CLASS_FLOAT && to == IR_CLASS_FLOAT)
        return ir_build_flags(&g->b, IR_OP_fcvt, t, b < a ? below(g, 4) : 0, 1, x, NULL, NULL);
    if (from == IR_CLASS_FLOAT && b == 1)
        return ir_build2(&g->b, IR_OP_fle, x->type, x, operand(g, x->type));
    if (from == IR_CLASS_FLOAT) {
        if (a == b && chance(g, 50))
            return ir_build1(&g->b, IR_OP_bitcast, t, one_nan(g, x));
        return ir_build_flags(&g->b, chance(g, 50) ? IR_OP_ftosi : IR_OP_ftoui, t, below(g, 4), 1,
                              x, NULL, NULL);
    }
    if (a == b && chance(g, 30))
        return ir_build1(&g->b, IR_OP_bitcast, t, x);
    return ir_build_flags(&g->b, chance(g, 50) ? IR_OP_sitof : IR_OP_uitof, t, below(g, 4), 1, x,
                          NULL, NULL);
}

static struct ir_value *operand(struct grower *g, ir_type t)
{
    if (chance(g, 15))
        return some_const(g, t);
    for (uint32_t k = below(g, VARS), tries = 0; tries < VARS; tries++, k = (k + 1) % VARS)
        if (g->vars[k]->type == t)
            return g->vars[k];
    return some_const(g, t);
}

/* Ops whose results are the same on every device. */
static bool exact(enum ir_op op)
{
    switch (op) {
    case IR_OP_mad:
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast:
    case IR_OP_fsin_fast:
    case IR_OP_fcos_fast:
    case IR_OP_fexp2_fast:
    case IR_OP_flog2_fast:
    case IR_OP_ftanh_fast: return false;
    default: return ir_op_info[op].shape <= IR_SHAPE_FC;
    }
}

static unsigned arity(enum ir_op op)
{
    return (unsigned)strlen(strchr(ir_op_info[op].signature, '(')) - 2;
}

/* An op of the tables that gives t, on operands of type t or, for comparisons, of another. */
static struct ir_value *table_op(struct grower *g, ir_type t)
{
    for (;;) {
        enum ir_op op = (enum ir_op)below(g, IR_OP_COUNT);
        const struct ir_op_info *info = &ir_op_info[op];
        if (!exact(op))
            continue;
        bool compare = info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC;
        ir_type over = compare ? some_type(g) : t;
        unsigned class = info->class == IR_CLASS_W && over == IR_I32 ? IR_CLASS_INT : info->class;
        if ((compare && t != IR_I1) || !(ir_class(over) & class))
            continue;
        struct ir_value *args[3];
        for (unsigned k = 0; k < arity(op); k++)
            args[k] = operand(g, over);
        if (op == IR_OP_fcopysign) /* the sign of a NaN is not defined */
            args[1] = one_nan(g, args[1]);
        struct ir_inst *i = ir_build(&g->b, op, over, args, arity(op));
        if (info->flags & IR_ROUNDS && chance(g, 20))
            i->flags |= below(g, 4);
        return &i->results[0];
    }
}

static struct ir_value *word_address(struct grower *g, struct ir_value *base,
                                     struct ir_value *index)
{
    struct ir_value *wide = ir_build1(&g->b, IR_OP_zext, IR_I64, index);
    wide = ir_build2(&g->b, IR_OP_shl, IR_I64, wide, ir_const(g->m, IR_I64, 2));
    return ir_build2(&g->b, IR_OP_ptradd, base->type, base, wide);
}

static struct ir_value *vector_detour(struct grower *g)
{
    ir_type t = ir_vector(IR_I32, 4u << below(g, 2));
    struct ir_value *a = ir_build1(&g->b, IR_OP_splat, t, operand(g, IR_I32));
    struct ir_value *b = ir_build0(&g->b, IR_OP_iota, t, 0);
    static const enum ir_op ops[] = {IR_OP_add, IR_OP_mul, IR_OP_xor, IR_OP_umax, IR_OP_shl};
    a = ir_build2(&g->b, ops[below(g, 5)], t, a, b);
    struct ir_value *mask = ir_build2(&g->b, IR_OP_slt, t, a, b);
    a = ir_build3(&g->b, IR_OP_select, t, mask, a, b);
    struct ir_inst *i = ir_build(&g->b, IR_OP_reduce, IR_I32, &a, 1);
    i->imm = chance(g, 50) ? IR_RMW_ADD : IR_RMW_XOR;
    return &i->results[0];
}

static struct ir_value *expression(struct grower *g, ir_type t)
{
    uint32_t pick = below(g, 100);
    if (pick < 12 && g->in && g->o->memory) {
        struct ir_value *at = ir_build2(&g->b, IR_OP_urem, IR_I32, operand(g, IR_I32), g->n);
        return convert(g, ir_build_load(&g->b, IR_I32, word_address(g, g->in, at), 4, 0), t);
    }
    if (pick < 20 && g->local) {
        struct ir_value *at =
            ir_build2(&g->b, IR_OP_and, IR_I32, operand(g, IR_I32), i32(g, LOCAL_WORDS - 1));
        return convert(g, ir_build_load(&g->b, IR_I32, word_address(g, g->local, at), 4, 0), t);
    }
    if (pick < 26 && g->helpers[0]) {
        struct ir_func *f = g->helpers[below(g, HELPERS)];
        struct ir_value *args[2] = {operand(g, IR_I32), operand(g, IR_I64)};
        if (chance(g, 70))
            return convert(g, ir_build_call(&g->b, f, args, 2), t);
        struct ir_value *target =
            ir_build3(&g->b, IR_OP_select, IR_PTR_TO(IR_SPACE_GENERIC), operand(g, IR_I1),
                      ir_func_value(g->helpers[0]), ir_func_value(g->helpers[1]));
        struct ir_value *all[3] = {target, args[0], args[1]};
        return convert(g, &ir_build(&g->b, IR_OP_call_ptr, IR_I32, all, 3)->results[0], t);
    }
    if (pick < 30 && g->o->vectors)
        return convert(g, vector_detour(g), t);
    if (pick < 40)
        return ir_build3(&g->b, IR_OP_select, t, operand(g, IR_I1), operand(g, t), operand(g, t));
    if (pick < 60)
        return convert(g, operand(g, some_type(g)), t);
    return table_op(g, t);
}

/* ---- statements ---- */

static void assign(struct grower *g)
{
    uint32_t k = below(g, g->o->floats ? VARS : 7);
    g->vars[k] = expression(g, g->vars[k]->type);
    g->budget--;
}

static void store_local(struct grower *g)
{
    struct ir_value *at =
        ir_build2(&g->b, IR_OP_and, IR_I32, operand(g, IR_I32), i32(g, LOCAL_WORDS - 1));
    ir_build_store(&g->b, word_address(g, g->local, at), operand(g, IR_I32), 4, 0);
    g->budget--;
}

static void jump(struct grower *g, struct ir_block *to)
{
    ir_build_br(&g->b, to, g->vars, VARS);
}

/* A block whose parameters are the variables. */
static struct ir_block *meeting(struct grower *g, const char *name)
{
    struct ir_block *b = ir_block_new(g->b.func, name);
    for (int k = 0; k < VARS; k++)
        ir_block_param(b, var_types[k], NULL);
    return b;
}

static void enter(struct grower *g, struct ir_block *b)
{
    g->b.block = b;
    for (size_t k = 0; k < b->params.len && b->params.len == VARS; k++)
        g->vars[k] = b->params.data[k];
}

static struct ir_value *split(struct grower *g)
{
    return ir_build0(&g->b, IR_OP_split, IR_VOID, 0);
}

static void join(struct grower *g, struct ir_value *token)
{
    ir_build1(&g->b, IR_OP_join, IR_VOID, token);
}

static void statements(struct grower *g, unsigned depth, unsigned count);

static void branch(struct grower *g, unsigned depth)
{
    struct ir_value *before[VARS], *token = split(g);
    struct ir_value *cond = operand(g, IR_I1);
    struct ir_block *yes = ir_block_new(g->b.func, "then");
    struct ir_block *no = ir_block_new(g->b.func, "else");
    struct ir_block *end = meeting(g, "endif");
    memcpy(before, g->vars, sizeof before);
    ir_build_condbr(&g->b, cond, yes, no);
    enter(g, yes);
    statements(g, depth + 1, 1 + below(g, 3));
    if (g->brk && chance(g, 25))
        jump(g, chance(g, 50) ? g->brk : g->cont);
    else
        jump(g, end);
    memcpy(g->vars, before, sizeof before);
    enter(g, no);
    if (chance(g, 60))
        statements(g, depth + 1, 1 + below(g, 3));
    jump(g, end);
    enter(g, end);
    join(g, token);
}

static void choice(struct grower *g, unsigned depth)
{
    struct ir_value *before[VARS], *token = split(g);
    struct ir_value *x = operand(g, IR_I32);
    struct ir_block *end = meeting(g, "endswitch"), *arms[4];
    x = ir_build2(&g->b, IR_OP_and, IR_I32, x, i32(g, 7));
    struct ir_inst *sw = ir_build(&g->b, IR_OP_switch, IR_I32, &x, 1);
    for (uint32_t k = 0; k < 4; k++) {
        arms[k] = ir_block_new(g->b.func, "case");
        ir_add_edge(sw, arms[k], NULL, 0, k);
    }
    memcpy(before, g->vars, sizeof before);
    for (int k = 0; k < 4; k++) {
        memcpy(g->vars, before, sizeof before);
        enter(g, arms[k]);
        statements(g, depth + 1, 1 + below(g, 2));
        jump(g, end);
    }
    enter(g, end);
    join(g, token);
}

static void loop(struct grower *g, unsigned depth)
{
    struct ir_block *outer_brk = g->brk, *outer_cont = g->cont;
    struct ir_value *token = split(g);
    struct ir_value *trips = ir_build2(&g->b, IR_OP_and, IR_I32, operand(g, IR_I32), i32(g, 7));
    struct ir_block *head = meeting(g, "loop"), *body = ir_block_new(g->b.func, "body");
    struct ir_block *latch = meeting(g, "latch"), *end = meeting(g, "endloop");
    /* The counter is one more parameter of the header only. */
    struct ir_value *counter = ir_block_param(head, IR_I32, "i");
    struct ir_value *args[VARS + 1];
    memcpy(args, g->vars, sizeof g->vars);
    args[VARS] = i32(g, 0);
    ir_build_br(&g->b, head, args, VARS + 1);
    g->b.block = head;
    memcpy(g->vars, head->params.data, sizeof g->vars);
    struct ir_value *more = ir_build2(&g->b, IR_OP_ult, IR_I32, counter, trips);
    struct ir_inst *t = ir_build(&g->b, IR_OP_condbr, IR_VOID, &more, 1);
    ir_add_edge(t, body, NULL, 0, 0);
    ir_add_edge(t, end, g->vars, VARS, 0);
    enter(g, body);
    struct ir_value *inner = split(g);
    g->brk = end;
    g->cont = latch;
    statements(g, depth + 1, 1 + below(g, 4));
    jump(g, latch);
    enter(g, latch);
    join(g, inner);
    memcpy(args, g->vars, sizeof g->vars);
    args[VARS] = ir_build2(&g->b, IR_OP_add, IR_I32, counter, i32(g, 1));
    ir_build_br(&g->b, head, args, VARS + 1);
    enter(g, end);
    join(g, token);
    g->brk = outer_brk;
    g->cont = outer_cont;
}

static void barrier(struct grower *g)
{
    struct ir_value *args[2] = {i32(g, 0), i32(g, 0)};
    ir_build(&g->b, IR_OP_barrier, IR_VOID, args, 2);
}

/* Every thread writes its own word, then reads another's. Only where all threads are together. */
static void exchange(struct grower *g)
{
    struct ir_value *base = ir_global_value(g->shared);
    struct ir_value *ntid = ir_build0(&g->b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X);
    barrier(g);
    ir_build_store(&g->b, word_address(g, base, g->tid), operand(g, IR_I32), 4, 0);
    barrier(g);
    struct ir_value *at = ir_build2(&g->b, IR_OP_add, IR_I32, g->tid, i32(g, 1 + below(g, 40)));
    at = ir_build2(&g->b, IR_OP_urem, IR_I32, at, ntid);
    g->vars[0] = ir_build_load(&g->b, IR_I32, word_address(g, base, at), 4, 0);
    if (chance(g, 40)) { /* all threads add into one word: the order does not show */
        struct ir_value *args[2] = {base, g->vars[1]};
        barrier(g);
        struct ir_inst *i = ir_build(&g->b, IR_OP_rmw, IR_I32, args, 2);
        i->imm = chance(g, 50) ? IR_RMW_ADD : IR_RMW_UMAX;
        i->flags = IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_BLOCK);
        barrier(g);
        g->vars[1] = ir_build_load(&g->b, IR_I32, base, 4, 0);
    }
}

static void warp_op(struct grower *g)
{
    struct ir_value *all = i32(g, UINT32_MAX);
    switch (below(g, 4)) {
    case 0: {
        ir_type t = chance(g, 50) ? IR_I32 : IR_I64;
        struct ir_value *args[4] = {all, operand(g, t), i32(g, below(g, 32)),
                                    i32(g, chance(g, 50) ? 31 : 0x181f)};
        struct ir_inst *i = ir_build(&g->b, IR_OP_shfl, t, args, 4);
        i->imm = below(g, 4);
        if (i->imm == IR_SHFL_UP) /* its clamp is the lower bound */
            i->args[3] = i32(g, 0);
        g->vars[t == IR_I32 ? 1 : 2] = &i->results[0];
        g->vars[6] = &i->results[1];
        break;
    }
    case 1: {
        struct ir_value *args[2] = {all, operand(g, IR_I1)};
        struct ir_inst *i = ir_build(&g->b, IR_OP_vote, IR_VOID, args, 2);
        i->imm = below(g, 4);
        g->vars[0] = &i->results[0];
        break;
    }
    case 2: {
        struct ir_value *args[2] = {all, operand(g, IR_I8)};
        struct ir_inst *i = ir_build(&g->b, IR_OP_match, IR_I8, args, 2);
        i->imm = below(g, 2);
        g->vars[1] = &i->results[0];
        if (i->imm == 1)
            g->vars[6] = &i->results[1];
        break;
    }
    default: {
        static const enum ir_rmw kinds[] = {IR_RMW_ADD, IR_RMW_AND, IR_RMW_XOR, IR_RMW_SMIN,
                                            IR_RMW_UMAX};
        struct ir_value *args[2] = {all, operand(g, IR_I32)};
        struct ir_inst *i = ir_build(&g->b, IR_OP_redux, IR_VOID, args, 2);
        i->imm = kinds[below(g, 5)];
        g->vars[3] = &i->results[0];
        break;
    }
    }
}

static void statements(struct grower *g, unsigned depth, unsigned count)
{
    for (unsigned k = 0; k < count && g->budget > 0; k++) {
        uint32_t pick = below(g, 100);
        bool nest = depth < MAX_DEPTH && g->o->divergence;
        if (nest && pick < 12)
            branch(g, depth);
        else if (nest && pick < 22)
            loop(g, depth);
        else if (nest && pick < 26)
            choice(g, depth);
        else if (pick < 34 && g->local)
            store_local(g);
        else if (!depth && pick < 42 && g->shared)
            exchange(g);
        else if (!depth && pick < 50 && g->o->warp_ops && g->gid)
            warp_op(g);
        else
            assign(g);
    }
}

/* ---- functions ---- */

static void first_values(struct grower *g, struct ir_value *word, struct ir_value *wide)
{
    for (int k = 0; k < VARS; k++)
        g->vars[k] = var_types[k] == IR_I32   ? word
                     : var_types[k] == IR_I64 ? wide
                                              : some_const(g, var_types[k]);
}

/* All variables folded into one word. */
static struct ir_value *digest(struct grower *g)
{
    struct ir_value *h = i32(g, 0x9e3779b9);
    for (int k = 0; k < VARS; k++) {
        struct ir_value *v = g->vars[k];
        if (ir_class(v->type) == IR_CLASS_FLOAT) {
            static const ir_type same[IR_KIND_COUNT] = {
                [IR_F16] = IR_I16, [IR_BF16] = IR_I16, [IR_F32] = IR_I32, [IR_F64] = IR_I64};
            v = ir_build1(&g->b, IR_OP_bitcast, same[ir_kind(v->type)], one_nan(g, v));
        }
        if (ir_bits(v->type) == 64) {
            struct ir_value *high =
                ir_build2(&g->b, IR_OP_lshr, IR_I64, v, ir_const(g->m, IR_I64, 32));
            v = ir_build2(&g->b, IR_OP_xor, IR_I64, v, high);
            v = ir_build1(&g->b, IR_OP_trunc, IR_I32, v);
        } else if (ir_bits(v->type) < 32) {
            v = ir_build1(&g->b, IR_OP_zext, IR_I32, v);
        }
        h = ir_build2(&g->b, IR_OP_xor, IR_I32, h, v);
        h = ir_build2(&g->b, IR_OP_mul, IR_I32, h, i32(g, 0x01000193));
    }
    return h;
}

static void start(struct grower *g, struct ir_func *f, int budget)
{
    g->b = ir_builder_at_end(ir_block_new(f, "entry"));
    g->budget = budget;
    g->brk = g->cont = NULL;
    g->local = NULL;
    if (g->o->memory)
        g->local = ir_build_alloca(f, 4 * LOCAL_WORDS, 4, "scratch");
}

static struct ir_func *helper(struct grower *g, const char *name)
{
    struct ir_func *f = ir_func_new(g->m, name, IR_I32, 0);
    ir_func_param(f, "x", IR_I32, 0, 0, 0);
    ir_func_param(f, "y", IR_I64, 0, 0, 0);
    start(g, f, (int)g->o->size / 5);
    first_values(g, f->first->params.data[0], f->first->params.data[1]);
    statements(g, 2, 1 + g->o->size / 10);
    ir_build_ret(&g->b, digest(g));
    return f;
}

static void kernel(struct grower *g)
{
    struct ir_func *f = ir_func_new(g->m, "k", IR_VOID, IR_FUNC_KERNEL);
    ir_func_param(f, "in", IR_PTR_TO(IR_SPACE_GLOBAL), IR_PARAM_READONLY, 0, 0);
    ir_func_param(f, "out", IR_PTR_TO(IR_SPACE_GLOBAL), 0, 0, 0);
    ir_func_param(f, "n", IR_I32, 0, 0, 0);
    ir_func_layout(f);
    start(g, f, (int)g->o->size);
    g->in = f->first->params.data[0];
    g->n = f->first->params.data[2];
    g->tid = ir_build0(&g->b, IR_OP_sreg, IR_I32, IR_SREG_TID_X);
    struct ir_value *block = ir_build0(&g->b, IR_OP_sreg, IR_I32, IR_SREG_CTAID_X);
    struct ir_value *width = ir_build0(&g->b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X);
    g->gid = ir_build2(&g->b, IR_OP_mul, IR_I32, block, width);
    g->gid = ir_build2(&g->b, IR_OP_add, IR_I32, g->gid, g->tid);
    g->gid->name = intern_z(g->m->names, "gid");
    first_values(g, g->gid, ir_build1(&g->b, IR_OP_zext, IR_I64, g->gid));
    if (g->o->memory) {
        struct ir_value *at = ir_build2(&g->b, IR_OP_urem, IR_I32, g->gid, g->n);
        g->vars[1] = ir_build_load(&g->b, IR_I32, word_address(g, g->in, at), 4, 0);
    }
    while (g->budget > 0)
        statements(g, 0, 4);
    struct ir_value *result = digest(g);
    struct ir_value *token = split(g);
    struct ir_block *write = ir_block_new(f, "write"), *done = ir_block_new(f, "done");
    ir_build_condbr(&g->b, ir_build2(&g->b, IR_OP_ult, IR_I32, g->gid, g->n), write, done);
    g->b.block = write;
    ir_build_store(&g->b, word_address(g, f->first->params.data[1], g->gid), result, 4, 0);
    ir_build_br(&g->b, done, NULL, 0);
    g->b.block = done;
    join(g, token);
    ir_build_ret(&g->b, NULL);
}

struct ir_module *ir_random(struct arena *a, struct interner *names,
                            const struct ir_random_options *o)
{
    struct grower g = {.state = o->seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .o = o};
    g.m = ir_module_new(a, names, "random");
    for (int k = 0; k < 4; k++)
        next(&g);
    struct ir_func *made[HELPERS];
    for (int k = 0; k < HELPERS; k++)
        made[k] = helper(&g, k ? "helper1" : "helper0");
    memcpy(g.helpers, made, sizeof made);
    if (o->barriers)
        g.shared = ir_global_new(g.m, "exchange", IR_SPACE_SHARED, 4 * SHARED_WORDS, 4, 0);
    kernel(&g);
    return g.m;
}
