/* Builtins to IR: most are one instruction. */
#include "front/cuda/lower/lower.h"
#include "ir/launch.h"

static struct ir_value *arg(struct lower *l, struct expr *e, size_t i)
{
    return lo_value(l, e->args[i]);
}

static struct ir_value *ptr(struct lower *l, struct expr *e, size_t i)
{
    return lo_pointer(l, e->args[i]);
}

/* Where a scalar of `bytes` is accessed that must be aligned to its size: &p->x knows more of its
 * alignment than its type says, with which neighbours become one access. */
static struct ir_value *aligned_ptr(struct lower *l, struct expr *e, uint32_t bytes,
                                    uint32_t *align)
{
    struct expr *at = e->args[0];
    *align = bytes;
    if (at->kind != EX_ADDR || at->a->kind != EX_MEMBER)
        return ptr(l, e, 0);
    const struct place p = lo_place(l, at->a);
    if (!p.ptr || p.ssa || p.bits)
        return ptr(l, e, 0);
    *align = p.align > bytes ? p.align : bytes;
    return lo_generic(l, p.ptr);
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

/* Builtins that are one instruction, by kind. How their arguments are read, in order: v value,
 * w value as 32 bits, p pointer, a pointer to what the builtin is typed by and aligned for it,
 * # the immediate of the instruction (the row's own where none is read), o memory order and scope,
 * = where the second result goes, as an int. */
static const struct {
    uint16_t op;
    bool typed;
    const char *args;
} single[] = {
    [BUILTIN_SHFL] = {IR_OP_shfl, true, "vvvv"},
    [BUILTIN_SHFL_PRED] = {IR_OP_shfl, true, "vvvv="},
    [BUILTIN_VOTE] = {IR_OP_vote, false, "vv"},
    [BUILTIN_MATCH] = {IR_OP_match, true, "vv"},
    [BUILTIN_MATCH_PRED] = {IR_OP_match, true, "vv="},
    [BUILTIN_REDUX] = {IR_OP_redux, false, "vw"},
    [BUILTIN_BARRIER_RED] = {IR_OP_barrier_red, false, "vvv"},
    [BUILTIN_FENCE] = {IR_OP_fence, false, "o"},
    [BUILTIN_RMW] = {IR_OP_rmw, true, "avo"},
    [BUILTIN_CAS] = {IR_OP_cas, true, "avvo"},
    [BUILTIN_CPASYNC] = {IR_OP_cpasync, false, "pp#v"},
    [BUILTIN_CPASYNC_WAIT] = {IR_OP_cpasync_wait, false, "#"},
    [BUILTIN_ISSPACE] = {IR_OP_isspace, false, "v"},
    [BUILTIN_TXQ] = {IR_OP_txq, false, "#v"},
};

static bool is_single(const struct cu_builtin *b)
{
    return (size_t)b->kind < sizeof single / sizeof *single && single[b->kind].args;
}

static struct ir_value *one_instruction(struct lower *l, struct expr *e, const struct cu_builtin *b)
{
    struct type *t = e->targs[0].type;
    ir_type it = single[b->kind].typed ? cu_ir_type(t) : IR_VOID;
    struct ir_value *args[4];
    uint64_t imm = b->arg;
    uint32_t n = 0, flags = 0, align = 0;
    size_t at = 0;
    const char *how = single[b->kind].args;
    for (; *how && *how != '='; how++)
        switch (*how) {
        case 'v': args[n++] = arg(l, e, at++); break;
        case 'w': args[n++] = mask32(l, arg(l, e, at++), t); break;
        case 'a': align = ir_bytes(it); /* fall through */
        case 'p': args[n++] = ptr(l, e, at++); break;
        case '#': imm = constant(e, at++); break;
        default: flags = ordered(l, e, at); /* o */
        }
    struct ir_inst *i = build(l, (enum ir_op)single[b->kind].op, it, imm, n, args);
    i->flags |= flags;
    i->align = align ? align : i->align;
    if (*how)
        store_flag(l, ptr(l, e, at), &i->results[1]);
    return first(i);
}

static struct ir_value *all_args(struct lower *l, struct expr *e, enum ir_op op)
{
    struct ir_value **args = arena_array(l->f->a, struct ir_value *, e->nargs);
    for (size_t k = 0; k < e->nargs; k++)
        args[k] = arg(l, e, k);
    return first(build(l, op, IR_VOID, 0, (uint32_t)e->nargs, args));
}

/* What comes after it in the program is never reached. */
static void ends_here(struct lower *l, enum ir_op op)
{
    ir_build(&l->b, op, IR_VOID, NULL, 0);
    struct ir_block *dead = lo_block(l, "dead");
    lo_seal(l, dead);
    lo_start(l, dead);
}

/* Four results, stored side by side. */
static void texture(struct lower *l, struct expr *e, enum ir_op op, ir_type t)
{
    struct ir_value *args[15];
    uint32_t n = 0;
    for (size_t k = 2; k < e->nargs && n < 15; k++)
        args[n++] = arg(l, e, k);
    struct ir_inst *i = build(l, op, t, constant(e, 0), n, args);
    struct ir_value *out = ptr(l, e, 1);
    for (unsigned k = 0; k < 4; k++)
        ir_build_store(&l->b, lo_offset(l, out, (int64_t)(k * ir_bytes(t))), &i->results[k],
                       ir_bytes(t), 0);
}

static void surface_store(struct lower *l, struct expr *e, ir_type t)
{
    struct ir_value *args[14];
    uint32_t n = 0;
    const uint64_t imm = constant(e, 0);
    for (size_t k = 2; k < e->nargs && n < 10; k++)
        args[n++] = arg(l, e, k);
    struct ir_value *in = ptr(l, e, 1);
    for (unsigned k = 0; k < (imm >> 12 & 7) && k < 4; k++)
        args[n++] =
            ir_build_load(&l->b, t, lo_offset(l, in, (int64_t)(k * ir_bytes(t))), ir_bytes(t), 0);
    build(l, IR_OP_surfstore, t, imm, n, args);
}

static struct ir_value *address_in(struct lower *l, struct ir_value *p, enum ir_space space)
{
    if (ir_space(p->type) != space)
        p = ir_build1(&l->b, IR_OP_cvta, IR_PTR_TO(space), lo_generic(l, p));
    return ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, p);
}

/* Counts of bits are ints, whatever they count in. */
static struct ir_value *as_int(struct lower *l, struct ir_value *v)
{
    return ir_bits(v->type) == 64 ? ir_build1(&l->b, IR_OP_trunc, IR_I32, v) : v;
}

struct ir_value *lo_builtin(struct lower *l, struct expr *e)
{
    const struct cu_builtin *b = cu_builtin_at(l->f, (unsigned)e->u.i);
    struct type *t = e->targs[0].type;
    const ir_type it = t ? cu_ir_type(t) : IR_VOID;
    struct ir_value *v;
    uint32_t align;
    if (is_single(b)) {
        v = one_instruction(l, e, b);
        return b->kind == BUILTIN_REDUX ? lo_convert(l, v, cu_type(l->f, TY_UINT), t) : v;
    }
    switch (b->kind) {
    case BUILTIN_OP: return lower_op(l, e, b);
    case BUILTIN_PLAIN: return all_args(l, e, (enum ir_op)b->arg);
    case BUILTIN_PRINTF: return all_args(l, e, IR_OP_printf);
    case BUILTIN_SREG: return ir_build0(&l->b, IR_OP_sreg, cu_ir_type(e->type), b->arg);
    case BUILTIN_CLOCK: return ir_build0(&l->b, IR_OP_clock, IR_I64, b->arg);
    case BUILTIN_ATOMIC_LOAD:
        v = aligned_ptr(l, e, ir_bytes(it), &align);
        return ir_build_load(&l->b, it, v, align, ordered(l, e, 1));
    case BUILTIN_ATOMIC_STORE:
        v = aligned_ptr(l, e, ir_bytes(it), &align);
        ir_build_store(&l->b, v, arg(l, e, 1), align, ordered(l, e, 2));
        return NULL;
    case BUILTIN_LOAD: return ir_build_load(&l->b, it, ptr(l, e, 0), ir_bytes(it), b->arg);
    case BUILTIN_STORE:
        v = ptr(l, e, 0);
        ir_build_store(&l->b, v, arg(l, e, 1), ir_bytes(it), b->arg);
        return NULL;
    case BUILTIN_MEMCPY: return memory_op(l, e, true);
    case BUILTIN_MEMSET: return memory_op(l, e, false);
    case BUILTIN_MALLOC:
        return ir_build1(&l->b, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), arg(l, e, 0));
    case BUILTIN_TO_SPACE: return address_in(l, ptr(l, e, 0), (enum ir_space)b->arg);
    case BUILTIN_FROM_SPACE:
        return lo_generic(l, ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(b->arg), arg(l, e, 0)));
    case BUILTIN_DYNSHARED:
        return lo_generic(
            l, lo_own_global(l, "__tern_dynamic", IR_SPACE_SHARED, 0, 16, IR_GLOBAL_EXTERN));
    case BUILTIN_LAUNCH_ERROR: return lo_generic(l, lo_launch_error(l));
    case BUILTIN_DEVICE_FACTS:
        return lo_generic(
            l, lo_own_global(l, IR_DEVICE_FACTS, IR_SPACE_GLOBAL, 4 * IR_DEVICE_FACTS_WORDS, 4, 0));
    case BUILTIN_REST:
        if (!cu_host(l->f))
            cu_error(l->f, e->span, "functions with '...' cannot read their arguments here");
        return cu_host(l->f) ? lo_host_rest_value(l, e) : NULL;
    case BUILTIN_EXIT: ends_here(l, IR_OP_exit); return NULL;
    case BUILTIN_UNREACHABLE: ends_here(l, IR_OP_unreachable); return NULL;
    case BUILTIN_TEX: texture(l, e, (enum ir_op)b->arg, it); return NULL;
    case BUILTIN_SURFSTORE: surface_store(l, e, it); return NULL;
    case BUILTIN_MMA: lower_mma(l, e); return NULL;
    case BUILTIN_ASSUME: return NULL; /* the condition has no effects worth keeping */
    case BUILTIN_CONST_EVAL: return lo_int(l, IR_I1, 0);
    case BUILTIN_FIRST:
        for (size_t k = 1; k < e->nargs; k++)
            lo_discard(l, e->args[k]);
        return arg(l, e, 0);
    case BUILTIN_BITS:
        v = arg(l, e, 0);
        return as_int(l, ir_build1(&l->b, (enum ir_op)b->arg, v->type, v));
    case BUILTIN_CTZ:
        v = arg(l, e, 0);
        v = ir_build1(&l->b, IR_OP_brev, v->type, v);
        return as_int(l, ir_build1(&l->b, IR_OP_clz, v->type, v));
    default: cu_error(l->f, e->span, "'%s' cannot be compiled", b->name);
    }
}
