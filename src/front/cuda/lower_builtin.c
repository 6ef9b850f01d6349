/* Builtins to IR: most are one instruction. */
#include "front/cuda/lower.h"

static struct ir_value *arg(struct lower *l, struct expr *e, size_t i)
{
    return lo_value(l, e->args[i]);
}

static struct ir_value *ptr(struct lower *l, struct expr *e, size_t i)
{
    return lo_pointer(l, e->args[i]);
}

static uint64_t constant(struct expr *e, size_t i)
{
    return e->args[i]->u.i;
}

static uint32_t ordered(struct lower *l, struct expr *e, size_t i)
{
    uint64_t order = constant(e, i), scope = constant(e, i + 1);
    if (order > IR_ORDER_SEQ_CST || scope > IR_SCOPE_SYSTEM)
        cu_error(l->f, e->span, "no such memory order or scope");
    return IR_ORDERED(order, scope);
}

static void store_flag(struct lower *l, struct ir_value *p, struct ir_value *flag)
{
    ir_build_store(&l->b, p, ir_build1(&l->b, IR_OP_zext, IR_I32, flag), 4, 0);
}

static struct ir_inst *build(struct lower *l, enum ir_op op, ir_type t, uint64_t imm, uint32_t n,
                             struct ir_value **args)
{
    struct ir_inst *i = ir_build(&l->b, op, t, args, n);
    i->imm = imm;
    return i;
}

static struct ir_value *first(struct ir_inst *i)
{
    return i->nresults ? &i->results[0] : NULL;
}

static struct ir_value *lower_op(struct lower *l, struct expr *e, const struct cu_builtin *b)
{
    struct ir_value *args[8];
    for (size_t i = 0; i < e->nargs; i++)
        args[i] = arg(l, e, i);
    uint32_t flags = b->flags;
    ir_type t = cu_ir_type(e->targs[0].type);
    if ((b->arg == IR_OP_ftosi || b->arg == IR_OP_ftoui) && !strstr(b->name, "_r"))
        flags |= IR_RZ;
    if (b->arg == IR_OP_bitcast || b->arg == IR_OP_fcvt || b->arg == IR_OP_trunc ||
        b->arg == IR_OP_zext || b->arg == IR_OP_sext) {
        if (args[0]->type == t)
            return args[0];
        if (b->arg == IR_OP_bitcast && ir_bits(args[0]->type) != ir_bits(t))
            cu_error(l->f, e->span, "a bit cast between types of different sizes");
    }
    if (ir_op_info[b->arg].class == IR_CLASS_NONE)
        t = IR_VOID;
    struct ir_inst *i = ir_build(&l->b, (enum ir_op)b->arg, t, args, (uint32_t)e->nargs);
    i->flags = flags;
    return first(i);
}

static struct ir_value *mask32(struct lower *l, struct ir_value *v, struct type *t)
{
    if (ir_bits(v->type) < 32)
        return ir_build1(&l->b, cu_is_signed(t) ? IR_OP_sext : IR_OP_zext, IR_I32, v);
    return v;
}

struct mma_shape {
    const char *a, *c;
    unsigned na, nb, nc;
};

static void lower_mma(struct lower *l, struct expr *e)
{
    static const struct mma_shape shapes[] = {
#define IR_MMA(name, text, m, n, k, ab, c, na, nb, nc, sm) {#ab, #c, na, nb, nc},
#include "ir/mma.def"
    };
    uint64_t imm = constant(e, 0);
    if (imm >= sizeof shapes / sizeof *shapes)
        cu_error(l->f, e->span, "no such matrix shape");
    const struct mma_shape *s = &shapes[imm];
    ir_type ab = !strcmp(s->a, "F64") ? IR_F64 : IR_I32;
    ir_type c = !strcmp(s->c, "F64") ? IR_F64 : !strcmp(s->c, "F32") ? IR_F32 : IR_I32;
    struct ir_value *args[32];
    ir_type results[16];
    unsigned n = 0;
    const unsigned counts[3] = {s->na, s->nb, s->nc};
    for (unsigned g = 0; g < 3; g++) {
        struct ir_value *p = ptr(l, e, 2 + g);
        ir_type t = g < 2 ? ab : c;
        for (unsigned i = 0; i < counts[g]; i++)
            args[n++] = ir_build_load(&l->b, t, lo_offset(l, p, (int64_t)(i * ir_bytes(t))),
                                      ir_bytes(t), 0);
    }
    for (unsigned i = 0; i < s->nc; i++)
        results[i] = c;
    struct ir_inst *i = ir_build_results(&l->b, IR_OP_mma, IR_VOID, args, n, results, s->nc);
    i->imm = imm;
    struct ir_value *d = ptr(l, e, 1);
    for (unsigned k = 0; k < s->nc; k++)
        ir_build_store(&l->b, lo_offset(l, d, (int64_t)(k * ir_bytes(c))), &i->results[k],
                       ir_bytes(c), 0);
}

static struct ir_value *memory_op(struct lower *l, struct expr *e, bool copy)
{
    struct ir_value *args[3] = {
        ptr(l, e, 0), copy ? ptr(l, e, 1) : ir_build1(&l->b, IR_OP_trunc, IR_I8, arg(l, e, 1)),
        arg(l, e, 2)};
    struct ir_inst *i = ir_build(&l->b, copy ? IR_OP_memcpy : IR_OP_memset, IR_VOID, args, 3);
    i->align = 1;
    return lo_generic(l, args[0]);
}

struct ir_value *lo_builtin(struct lower *l, struct expr *e)
{
    const struct cu_builtin *b = cu_builtin_at(l->f, (unsigned)e->u.i);
    struct ir_value *a[16];
    struct type *t = e->targs[0].type;
    ir_type it = t ? cu_ir_type(t) : IR_VOID;
    struct ir_inst *i;
    switch (b->kind) {
    case BUILTIN_OP: return lower_op(l, e, b);
    case BUILTIN_SREG: return ir_build0(&l->b, IR_OP_sreg, cu_ir_type(e->type), b->arg);
    case BUILTIN_SHFL:
    case BUILTIN_SHFL_PRED:
        for (unsigned k = 0; k < 4; k++)
            a[k] = arg(l, e, k);
        i = build(l, IR_OP_shfl, it, b->arg, 4, a);
        if (b->kind == BUILTIN_SHFL_PRED)
            store_flag(l, ptr(l, e, 4), &i->results[1]);
        return &i->results[0];
    case BUILTIN_VOTE:
        a[0] = arg(l, e, 0);
        a[1] = arg(l, e, 1);
        return first(build(l, IR_OP_vote, IR_VOID, b->arg, 2, a));
    case BUILTIN_MATCH:
    case BUILTIN_MATCH_PRED:
        a[0] = arg(l, e, 0);
        a[1] = arg(l, e, 1);
        i = build(l, IR_OP_match, it, b->arg, 2, a);
        if (b->kind == BUILTIN_MATCH_PRED)
            store_flag(l, ptr(l, e, 2), &i->results[1]);
        return &i->results[0];
    case BUILTIN_REDUX:
        a[0] = arg(l, e, 0);
        a[1] = mask32(l, arg(l, e, 1), t);
        return lo_convert(l, first(build(l, IR_OP_redux, IR_VOID, b->arg, 2, a)),
                          cu_type(l->f, TY_UINT), t);
    case BUILTIN_BARRIER_RED:
        for (unsigned k = 0; k < 3; k++)
            a[k] = arg(l, e, k);
        return first(build(l, IR_OP_barrier_red, IR_VOID, b->arg, 3, a));
    case BUILTIN_FENCE:
        i = build(l, IR_OP_fence, IR_VOID, 0, 0, NULL);
        i->flags = ordered(l, e, 0);
        return NULL;
    case BUILTIN_RMW:
        a[0] = ptr(l, e, 0);
        a[1] = arg(l, e, 1);
        i = build(l, IR_OP_rmw, it, b->arg, 2, a);
        i->flags = ordered(l, e, 2);
        i->align = ir_bytes(it);
        return first(i);
    case BUILTIN_CAS:
        a[0] = ptr(l, e, 0);
        a[1] = arg(l, e, 1);
        a[2] = arg(l, e, 2);
        i = build(l, IR_OP_cas, it, 0, 3, a);
        i->flags = ordered(l, e, 3);
        i->align = ir_bytes(it);
        return first(i);
    case BUILTIN_ATOMIC_LOAD:
        return ir_build_load(&l->b, it, ptr(l, e, 0), ir_bytes(it), ordered(l, e, 1));
    case BUILTIN_ATOMIC_STORE:
        a[0] = ptr(l, e, 0);
        ir_build_store(&l->b, a[0], arg(l, e, 1), ir_bytes(it), ordered(l, e, 2));
        return NULL;
    case BUILTIN_LOAD: return ir_build_load(&l->b, it, ptr(l, e, 0), ir_bytes(it), b->arg);
    case BUILTIN_STORE:
        a[0] = ptr(l, e, 0);
        ir_build_store(&l->b, a[0], arg(l, e, 1), ir_bytes(it), b->arg);
        return NULL;
    case BUILTIN_MEMCPY: return memory_op(l, e, true);
    case BUILTIN_MEMSET: return memory_op(l, e, false);
    case BUILTIN_CPASYNC:
        a[0] = ptr(l, e, 0);
        a[1] = ptr(l, e, 1);
        a[2] = arg(l, e, 3);
        build(l, IR_OP_cpasync, IR_VOID, constant(e, 2), 3, a);
        return NULL;
    case BUILTIN_CPASYNC_WAIT:
        build(l, IR_OP_cpasync_wait, IR_VOID, constant(e, 0), 0, NULL);
        return NULL;
    case BUILTIN_MALLOC:
        a[0] = arg(l, e, 0);
        return first(build(l, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), 0, 1, a));
    case BUILTIN_ISSPACE:
        a[0] = arg(l, e, 0);
        return first(build(l, IR_OP_isspace, IR_VOID, b->arg, 1, a));
    case BUILTIN_TO_SPACE:
        a[0] = ptr(l, e, 0);
        if (ir_space(a[0]->type) != (enum ir_space)b->arg)
            a[0] = ir_build1(&l->b, IR_OP_cvta, IR_PTR_TO(b->arg), lo_generic(l, a[0]));
        return ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, a[0]);
    case BUILTIN_FROM_SPACE:
        return lo_generic(l, ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(b->arg), arg(l, e, 0)));
    case BUILTIN_DYNSHARED:
        return lo_generic(
            l, lo_own_global(l, "__tern_dynamic", IR_SPACE_SHARED, 0, 16, IR_GLOBAL_EXTERN));
    case BUILTIN_LAUNCH_ERROR: return lo_generic(l, lo_launch_error(l));
    case BUILTIN_CLOCK: return ir_build0(&l->b, IR_OP_clock, IR_I64, b->arg);
    case BUILTIN_EXIT:
    case BUILTIN_UNREACHABLE:
        ir_build(&l->b, b->kind == BUILTIN_EXIT ? IR_OP_exit : IR_OP_unreachable, IR_VOID, NULL, 0);
        {
            struct ir_block *dead = lo_block(l, "dead");
            lo_seal(l, dead);
            lo_start(l, dead);
        }
        return NULL;
    case BUILTIN_PRINTF: {
        struct ir_value **all = arena_array(l->f->a, struct ir_value *, e->nargs);
        for (size_t k = 0; k < e->nargs; k++)
            all[k] = arg(l, e, k);
        return first(build(l, IR_OP_printf, IR_VOID, 0, (uint32_t)e->nargs, all));
    }
    case BUILTIN_TEX: {
        uint32_t n = 0;
        for (size_t k = 2; k < e->nargs && n < 15; k++)
            a[n++] = arg(l, e, k);
        i = build(l, (enum ir_op)b->arg, it, constant(e, 0), n, a);
        struct ir_value *out = ptr(l, e, 1);
        for (unsigned k = 0; k < 4; k++)
            ir_build_store(&l->b, lo_offset(l, out, (int64_t)(k * ir_bytes(it))), &i->results[k],
                           ir_bytes(it), 0);
        return NULL;
    }
    case BUILTIN_SURFSTORE: {
        uint32_t n = 0;
        uint64_t imm = constant(e, 0);
        for (size_t k = 2; k < e->nargs && n < 10; k++)
            a[n++] = arg(l, e, k);
        struct ir_value *in = ptr(l, e, 1);
        for (unsigned k = 0; k < (imm >> 12 & 7) && k < 4; k++)
            a[n++] = ir_build_load(&l->b, it, lo_offset(l, in, (int64_t)(k * ir_bytes(it))),
                                   ir_bytes(it), 0);
        build(l, IR_OP_surfstore, it, imm, n, a);
        return NULL;
    }
    case BUILTIN_TXQ:
        a[0] = arg(l, e, 1);
        return first(build(l, IR_OP_txq, IR_VOID, constant(e, 0), 1, a));
    case BUILTIN_MMA: lower_mma(l, e); return NULL;
    case BUILTIN_ASSUME: return NULL; /* the condition has no effects worth keeping */
    case BUILTIN_FIRST:
        for (size_t k = 1; k < e->nargs; k++)
            lo_discard(l, e->args[k]);
        return arg(l, e, 0);
    case BUILTIN_BITS: {
        struct ir_value *v = arg(l, e, 0);
        v = ir_build1(&l->b, (enum ir_op)b->arg, v->type, v);
        return ir_bits(v->type) == 64 ? ir_build1(&l->b, IR_OP_trunc, IR_I32, v) : v;
    }
    case BUILTIN_CTZ: {
        struct ir_value *v = arg(l, e, 0);
        v = ir_build1(&l->b, IR_OP_clz, v->type, ir_build1(&l->b, IR_OP_brev, v->type, v));
        return ir_bits(v->type) == 64 ? ir_build1(&l->b, IR_OP_trunc, IR_I32, v) : v;
    }
    case BUILTIN_CONST_EVAL: return lo_int(l, IR_I1, 0);
    case BUILTIN_PLAIN: {
        for (size_t k = 0; k < e->nargs; k++)
            a[k] = arg(l, e, k);
        i = build(l, (enum ir_op)b->arg, IR_VOID, 0, (uint32_t)e->nargs, a);
        return first(i);
    }
    default: cu_error(l->f, e->span, "'%s' cannot be compiled", b->name);
    }
}
