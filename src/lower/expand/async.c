/* What NVIDIA's GPUs do asynchronously (ir/async.h), done at once: for everyone else.
 *
 * A barrier's word is opaque in PTX. Ours holds the arrivals still pending in bits 0 to 19, those a
 * phase expects in bits 20 to 39, the bytes still expected in bits 40 to 61, plus a bias, since
 * they may come before they are expected, and counts phases in bits 62 and 63: nobody asks for one
 * that is further away than the last. What changes a count adds to the word; he who leaves no
 * arrival and no byte then adds what the next phase expects, and one phase: nobody may arrive for
 * the next phase before he has seen this one end. The state that an arrival gives is the word
 * before it.
 *
 * Boxes of tensors and matrices of warpgroups are calls of device/gpu/async.h. Clusters have one
 * block, its barriers are the cluster's; unless somebody makes more of them (ir/cluster.h). */
#include <string.h>
#include "ir/async.h"
#include "lower/lower_int.h"

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_BIT  (2 * COUNT_BITS)
#define PHASE_BIT  62
#define BYTES_MASK ((UINT64_C(1) << PHASE_BIT) - (UINT64_C(1) << BYTES_BIT))
#define NO_BYTES   (UINT64_C(1) << (PHASE_BIT - 1)) /* the bias */

struct async {
    struct ir_builder b;
    struct ir_module *m;
    struct ir_func *f;
    bool calls; /* of the device library */
};

static struct ir_value *wide(struct async *x, uint64_t v)
{
    return ir_const(x->m, IR_I64, v);
}

static struct ir_value *word(struct async *x, uint64_t v)
{
    return ir_const(x->m, IR_I32, v & UINT32_MAX);
}

static struct ir_value *op2(struct async *x, enum ir_op op, struct ir_value *a, struct ir_value *b)
{
    return ir_build2(&x->b, op, a->type, a, b);
}

static struct ir_value *widened(struct async *x, struct ir_value *v)
{
    return ir_build1(&x->b, IR_OP_zext, IR_I64, v);
}

static struct ir_value *generic(struct async *x, struct ir_value *p)
{
    return ir_space(p->type) == IR_SPACE_GENERIC
               ? p
               : ir_build1(&x->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), p);
}

/* ---- barriers ---- */
static struct ir_value *atomic_add(struct async *x, struct ir_value *at, struct ir_value *by)
{
    struct ir_value *args[2] = {at, by};
    struct ir_inst *i = ir_build(&x->b, IR_OP_rmw, IR_I64, args, 2);
    i->imm = IR_RMW_ADD;
    i->flags = IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_BLOCK);
    return &i->results[0];
}

static struct ir_value *phase_of(struct async *x, struct ir_value *w)
{
    return op2(x, IR_OP_lshr, w, wide(x, PHASE_BIT));
}

/* Adds to the counts, and ends the phase where nothing is left; the word before. */
static struct ir_value *change(struct async *x, struct ir_value *at, struct ir_value *by,
                               bool may_complete)
{
    struct ir_value *old = atomic_add(x, at, by);
    if (!may_complete)
        return old;
    struct ir_value *now = op2(x, IR_OP_add, old, by);
    struct ir_value *left = op2(x, IR_OP_and, now, wide(x, COUNT_MASK | BYTES_MASK));
    struct ir_value *done = ir_build2(&x->b, IR_OP_eq, IR_I64, left, wide(x, NO_BYTES));
    /* no byte more or less: somebody else has ended it */
    struct ir_value *some = ir_build2(&x->b, IR_OP_ne, IR_I64, by, wide(x, 0));
    struct ir_value *next = op2(x, IR_OP_lshr, now, wide(x, COUNT_BITS));
    next = op2(x, IR_OP_and, next, wide(x, COUNT_MASK));
    next = op2(x, IR_OP_add, next, wide(x, UINT64_C(1) << PHASE_BIT));
    atomic_add(
        x, at,
        ir_build3(&x->b, IR_OP_select, IR_I64, op2(x, IR_OP_and, done, some), next, wide(x, 0)));
    return old;
}

static struct ir_value *bytes(struct async *x, struct ir_value *n, bool fewer)
{
    n = op2(x, IR_OP_shl, widened(x, n), wide(x, BYTES_BIT));
    return fewer ? ir_build1(&x->b, IR_OP_neg, IR_I64, n) : n;
}

static struct ir_value *arrivals(struct async *x, struct ir_value *n, bool drop)
{
    n = widened(x, n);
    struct ir_value *less = ir_build1(&x->b, IR_OP_neg, IR_I64, n);
    return drop ? op2(x, IR_OP_sub, less, op2(x, IR_OP_shl, n, wide(x, COUNT_BITS))) : less;
}

static void set_word(struct async *x, struct ir_value *at, struct ir_value *w)
{
    ir_build_store(&x->b, at, w, 8, IR_ORDERED(IR_ORDER_RELEASE, IR_SCOPE_BLOCK));
}

static void start(struct async *x, struct ir_inst *i)
{
    struct ir_value *n = widened(x, i->args[1]);
    struct ir_value *w = op2(x, IR_OP_or, n, op2(x, IR_OP_shl, n, wide(x, COUNT_BITS)));
    set_word(x, i->args[0], op2(x, IR_OP_or, w, wide(x, NO_BYTES)));
}

static void arrive(struct async *x, struct ir_inst *i)
{
    struct ir_value *by = arrivals(x, i->args[1], i->imm & IR_MBAR_DROP);
    if (i->imm & IR_MBAR_EXPECT)
        by = op2(x, IR_OP_add, by, bytes(x, i->args[2], false));
    i->results[0].forward = change(x, i->args[0], by, !(i->imm & IR_MBAR_NO_COMPLETE));
}

static void wait(struct async *x, struct ir_inst *i)
{
    const bool parity = i->imm & IR_MBAR_PARITY;
    struct ir_value *zero = word(x, 0), *was = i->args[1];
    ir_build(&x->b, IR_OP_sleep, IR_VOID, &zero, 1); /* programs spin on this: let others run */
    struct ir_value *now = phase_of(x, ir_build_load(&x->b, IR_I64, i->args[0], 8,
                                                     IR_ORDERED(IR_ORDER_ACQUIRE, IR_SCOPE_BLOCK)));
    if (parity)
        now = op2(x, IR_OP_and, now, wide(x, 1));
    else
        was = phase_of(x, was);
    i->results[0].forward = ir_build2(&x->b, IR_OP_ne, IR_I64, now, was);
}

/* The copies are done at once, then this arrives; if the arrival was not among those expected it is
 * added to them before it is taken away. */
static void copies(struct async *x, struct ir_inst *i)
{
    ir_build(&x->b, IR_OP_cpasync_commit, IR_VOID, NULL, 0);
    ir_build(&x->b, IR_OP_cpasync_wait, IR_VOID, NULL, 0)->imm = UINT64_MAX;
    if (i->imm & IR_MBAR_NO_INC)
        change(x, i->args[0], arrivals(x, word(x, 1), false), true);
}

static void pending(struct async *x, struct ir_inst *i)
{
    struct ir_value *n = op2(x, IR_OP_and, i->args[0], wide(x, COUNT_MASK));
    i->results[0].forward = ir_build1(&x->b, IR_OP_trunc, IR_I32, n);
}

/* ---- calls ---- */
static struct ir_value *call(struct async *x, const char *name, ir_type ret,
                             struct ir_value *const *args, uint32_t n)
{
    struct ir_func *f = ir_func_find(x->m, name);
    if (!f) {
        f = ir_func_new(x->m, name, ret, 0);
        for (uint32_t k = 0; k < n; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    x->calls = true;
    return ir_build_call(&x->b, f, args, n);
}

/* ---- bulk copies ---- */
static void reduce(struct async *x, struct ir_inst *i)
{
    struct ir_value *args[4] = {generic(x, i->args[0]), generic(x, i->args[1]), i->args[2],
                                word(x, i->imm >> IR_BULK_OP_SHIFT)};
    call(x, "__tern_bulk_reduce", IR_VOID, args, 4);
}

/* map, place in shared memory, coordinates and offsets, imm; gives the bytes of the box. */
static struct ir_value *box(struct async *x, struct ir_inst *i, const char *name,
                            struct ir_value *map, struct ir_value *place)
{
    struct ir_value *args[11] = {generic(x, map), generic(x, place)};
    const unsigned fixed = ir_bulk_fixed(i->imm), n = ir_bulk_numbers(i->imm);
    for (unsigned k = 0; k < 8; k++)
        args[2 + k] = k < n ? i->args[fixed + k] : word(x, 0);
    args[10] = word(x, i->imm);
    return call(x, name, IR_I32, args, 11);
}

static void bulk(struct async *x, struct ir_inst *i)
{
    switch (ir_bulk_kind(i->imm)) {
    case IR_BULK_PREFETCH:
    case IR_BULK_TENSOR_PREFETCH: return;
    case IR_BULK_TENSOR_LOAD: {
        struct ir_value *n = box(x, i, "__tern_tensor_load", i->args[1], i->args[0]);
        change(x, i->args[2], bytes(x, n, true), true);
        return;
    }
    case IR_BULK_TENSOR_STORE: box(x, i, "__tern_tensor_store", i->args[0], i->args[1]); return;
    default: break;
    }
    if (i->imm & IR_BULK_REDUCE) {
        reduce(x, i);
    } else {
        struct ir_value *args[3] = {i->args[0], i->args[1], widened(x, i->args[2])};
        ir_build(&x->b, IR_OP_memcpy, IR_VOID, args, 3)->align = 16;
    }
    if (ir_bulk_kind(i->imm) != IR_BULK_STORE)
        change(x, i->args[3], bytes(x, i->args[2], true), true);
}

/* ---- matrices ---- */

/* Where dynamic shared memory begins: descriptors have 18 bits of an address, and what they mean is
 * told from there. */
static struct ir_value *window(struct async *x)
{
    struct ir_global *best = NULL;
    ir_each_global (g, x->m)
        if (g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN &&
            (!best || g->align > best->align))
            best = g;
    if (!best)
        best = ir_global_new(x->m, "__tern_dynamic", IR_SPACE_SHARED, 0, 16, IR_GLOBAL_EXTERN);
    return ir_global_value(best);
}

static void multiply(struct async *x, struct ir_inst *i)
{
    const unsigned from = ir_wgmma_inputs(i->imm), n = i->nresults;
    const bool registers = i->imm & IR_WGMMA_REGISTERS;
    const ir_type t = ir_wgmma_result(i->imm);
    struct ir_value *d = ir_build_alloca(x->f, (uint64_t)n * 4, 16, "d");
    struct ir_value *args[10] = {generic(x, d), generic(x, window(x)),
                                 registers ? wide(x, 0) : i->args[0], i->args[from - 2],
                                 ir_build1(&x->b, IR_OP_zext, IR_I32, i->args[from - 1])};
    for (unsigned k = 0; k < 4; k++)
        args[5 + k] = registers ? i->args[k] : word(x, 0);
    args[9] = word(x, i->imm);
    for (unsigned k = 0; k < n; k++)
        ir_build_store(&x->b, ir_build2(&x->b, IR_OP_ptradd, d->type, d, wide(x, (uint64_t)4 * k)),
                       i->args[from + k], 4, 0);
    call(x, "__tern_wgmma", IR_VOID, args, 10);
    for (unsigned k = 0; k < n; k++)
        i->results[k].forward = ir_build_load(
            &x->b, t, ir_build2(&x->b, IR_OP_ptradd, d->type, d, wide(x, (uint64_t)4 * k)), 4, 0);
}

/* A lane's row is where another lane says: addresses go round the warp, then each loads its own. */
static void load_matrices(struct async *x, struct ir_inst *i)
{
    const bool trans = i->imm & IR_LDMATRIX_TRANS;
    const ir_type pointer = i->args[0]->type;
    struct ir_value *at = ir_build1(&x->b, IR_OP_ptrtoint, IR_I64, i->args[0]);
    struct ir_value *lane = ir_build0(&x->b, IR_OP_sreg, IR_I32, IR_SREG_LANEID);
    struct ir_value *row = op2(x, IR_OP_lshr, lane, word(x, 2));
    struct ir_value *pair = op2(x, IR_OP_shl, op2(x, IR_OP_and, lane, word(x, 3)), word(x, 1));
    for (unsigned k = 0; k < i->nresults; k++) {
        struct ir_value *half[2] = {NULL};
        if (k >= IR_LDMATRIX_COUNT(i->imm)) {
            i->results[k].forward = word(x, 0);
            continue;
        }
        for (unsigned j = 0; j < (trans ? 2u : 1u); j++) {
            struct ir_value *from = trans ? op2(x, IR_OP_add, pair, word(x, j)) : row;
            struct ir_value *args[4] = {word(x, UINT32_MAX), at,
                                        op2(x, IR_OP_add, from, word(x, 8 * k)), word(x, 31)};
            struct ir_inst *s = ir_build(&x->b, IR_OP_shfl, IR_I64, args, 4);
            s->imm = IR_SHFL_IDX;
            struct ir_value *p = ir_build1(&x->b, IR_OP_inttoptr, pointer, &s->results[0]);
            struct ir_value *by = op2(x, IR_OP_shl, widened(x, trans ? row : pair), wide(x, 1));
            p = ir_build2(&x->b, IR_OP_ptradd, pointer, p, by);
            half[j] = ir_build_load(&x->b, trans ? IR_I16 : IR_I32, p, trans ? 2 : 4, 0);
        }
        if (trans) {
            struct ir_value *high = ir_build1(&x->b, IR_OP_zext, IR_I32, half[1]);
            half[0] = op2(x, IR_OP_or, ir_build1(&x->b, IR_OP_zext, IR_I32, half[0]),
                          op2(x, IR_OP_shl, high, word(x, 16)));
        }
        i->results[k].forward = half[0];
    }
}

/* ---- the rest ---- */
static void fence(struct async *x)
{
    ir_build(&x->b, IR_OP_fence, IR_VOID, NULL, 0)->flags =
        IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_BLOCK);
}

static void hint(struct async *x, const struct ir_inst *i)
{
    const unsigned kind = i->imm & 15;
    if (kind >= IR_HINT_PROXY_ASYNC && kind <= IR_HINT_MBARRIER_INIT)
        fence(x);
}

static void cluster_barrier(struct async *x, const struct ir_inst *i)
{
    struct ir_value *whole[2] = {word(x, 0), word(x, 0)};
    if (i->imm == 2) /* the second half waits */
        ir_build(&x->b, IR_OP_barrier, IR_VOID, whole, 2);
}

static void expand(struct async *x, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_ldmatrix: load_matrices(x, i); break;
    case IR_OP_wgmma: multiply(x, i); break;
    case IR_OP_mbar_init: start(x, i); break;
    case IR_OP_mbar_inval: set_word(x, i->args[0], wide(x, 0)); break;
    case IR_OP_mbar_arrive: arrive(x, i); break;
    case IR_OP_mbar_tx:
        change(x, i->args[0], bytes(x, i->args[1], i->imm & IR_MBAR_COMPLETE), true);
        break;
    case IR_OP_mbar_wait: wait(x, i); break;
    case IR_OP_mbar_copies: copies(x, i); break;
    case IR_OP_mbar_pending: pending(x, i); break;
    case IR_OP_bulk: bulk(x, i); break;
    case IR_OP_cluster_barrier: cluster_barrier(x, i); break;
    case IR_OP_cluster_map: i->results[0].forward = i->args[0]; break;
    case IR_OP_cluster_size: i->results[0].forward = word(x, 1); break;
    case IR_OP_cluster_rank: i->results[0].forward = word(x, 0); break;
    case IR_OP_hint: hint(x, i); break;
    default: break; /* wgmma_sync, bulk_sync: it is done */
    }
}

const char *lower_async(struct ir_module *m, bool keep_clusters)
{
    bool calls = false;
    ir_each_func (f, m) {
        struct async x = {.m = m, .f = f};
        bool changed = false;
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                if ((!ir_is_async(i->op) && i->op != IR_OP_ldmatrix) ||
                    (keep_clusters && ir_is_cluster(i->op)))
                    continue;
                x.b = ir_builder_before(i);
                x.b.span = i->span;
                expand(&x, i);
                ir_remove(i);
                changed = true;
            }
        if (changed)
            ir_replace_forwarded(f);
        calls |= x.calls;
    }
    return calls ? "#include \"device/gpu/async.h\"\n" : NULL;
}

bool lower_has_async(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (ir_is_async(i->op))
                    return true;
    return false;
}

bool lower_has_matrix_rows(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_ldmatrix)
                    return true;
    return false;
}
