/* What Hopper and later do asynchronously: matrices of warpgroups, barriers in memory, bulk copies;
 * clusters and hints. */
#include <string.h>
#include "back/ptx/ptx_int.h"
#include "ir/async.h"

/* Asks for the ISA that has an instruction; `a`: it is only in sm_90a. */
static bool needs(struct ptx_func *e, unsigned arch, bool a, const char *what)
{
    if (!ptx_needs_arch(e, arch, what))
        return false;
    if (a && e->p->arch != 90) {
        ptx_refuse(e, "%s, which only sm_90a has", what);
        return false;
    }
    if (e->p->isa < 80)
        e->p->isa = 80;
    e->p->arch_a |= a;
    return true;
}

static const char *lowered(struct ptx_func *e, const char *upper)
{
    char *s = arena_printf(e->a, "%s", upper);
    for (char *c = s; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + 32);
    return s;
}

/* ---- wgmma ---- */
static const struct {
    unsigned k;
    const char *a, *b, *d;
    bool transposes;
} wgmma_rows[] = {
#define IR_WGMMA(name, k, a, b, d, transposes) {k, #a, #b, #d, transposes},
#include "ir/wgmma.def"
};

/* D is read and written in place. ptx_tie has given it one register wherever it can. */
static const char *accumulators(struct ptx_func *e, struct ir_inst *i, unsigned from)
{
    const bool added = !ir_is_const(i->args[from - 1]) || i->args[from - 1]->u.bits & 1;
    struct sbuf s;
    sbuf_init(&s, e->a);
    for (uint32_t k = 0; k < i->nresults; k++) {
        const char *d = ptx_reg(e, &i->results[k]);
        if (added) {
            const char *was = ptx_operand(e, i->args[from + k]);
            if (strcmp(d, was))
                ptx_line(e, "mov.b32 %s, %s", d, was);
        }
        sbuf_printf(&s, "%s%s", k ? ", " : "", d);
    }
    return s.data;
}

static void emit_wgmma(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, true, "wgmma"))
        return;
    const unsigned type = ir_wgmma_type(i->imm), from = ir_wgmma_inputs(i->imm);
    const bool registers = i->imm & IR_WGMMA_REGISTERS;
    if (type == IR_WGMMA_S32_S8_U8 || type == IR_WGMMA_S32_U8_S8)
        e->p->isa = 84;
    struct sbuf s;
    sbuf_init(&s, e->a);
    const char *added = ptx_in_reg(e, i->args[from - 1]);
    const char *b = ptx_in_reg(e, i->args[from - 2]);
    if (registers) {
        const char *r[4];
        for (unsigned k = 0; k < 4; k++)
            r[k] = ptx_in_reg(e, i->args[k]);
        sbuf_printf(&s, "{%s, %s, %s, %s}", r[0], r[1], r[2], r[3]);
    } else {
        sbuf_printf(&s, "%s", ptx_in_reg(e, i->args[0]));
    }
    sbuf_printf(&s, ", %s, %s", b, added);
    if (type < IR_WGMMA_S32_S8_S8)
        sbuf_printf(&s, ", %d, %d", i->imm & IR_WGMMA_NEGATE_A ? -1 : 1,
                    i->imm & IR_WGMMA_NEGATE_B ? -1 : 1);
    if (wgmma_rows[type].transposes && !registers)
        sbuf_printf(&s, ", %d", !!(i->imm & IR_WGMMA_TRANSPOSE_A));
    if (wgmma_rows[type].transposes)
        sbuf_printf(&s, ", %d", !!(i->imm & IR_WGMMA_TRANSPOSE_B));
    const char *d = accumulators(e, i, from);
    ptx_line(e, "wgmma.mma_async.sync.aligned.m64n%uk%u%s.%s.%s.%s%s {%s}, %s", ir_wgmma_n(i->imm),
             wgmma_rows[type].k, i->imm & IR_WGMMA_SATURATE ? ".satfinite" : "",
             lowered(e, wgmma_rows[type].d), lowered(e, wgmma_rows[type].a),
             lowered(e, wgmma_rows[type].b), type == IR_WGMMA_S32_B1_B1 ? ".and.popc" : "", d,
             s.data);
}

static void emit_wgmma_sync(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, true, "wgmma"))
        return;
    if (i->imm >= IR_WGMMA_WAIT)
        ptx_line(e, "wgmma.wait_group.sync.aligned %u", (unsigned)(i->imm - IR_WGMMA_WAIT));
    else
        ptx_line(e, i->imm == IR_WGMMA_FENCE ? "wgmma.fence.sync.aligned"
                                             : "wgmma.commit_group.sync.aligned");
}

/* ---- barriers in memory ---- */
static const char *address(struct ptx_func *e, struct ir_value *p)
{
    return ptx_address(e, p, 0).text;
}

/* ".shared::cta" or nothing: of any space. */
static const char *space_of(const struct ir_value *p, bool remote)
{
    if (ir_space(p->type) != IR_SPACE_SHARED)
        return "";
    return remote ? ".shared::cluster" : ".shared::cta";
}

static const char *order_of(uint64_t imm, const char *word)
{
    const bool relaxed = imm & IR_MBAR_RELAXED, cluster = imm & (IR_MBAR_CLUSTER | IR_MBAR_REMOTE);
    if (relaxed) /* PTX ISA 8.0: only with its scope */
        return cluster ? ".relaxed.cluster" : ".relaxed.cta";
    return !strcmp(word, "release") ? (cluster ? ".release.cluster" : ".release.cta")
                                    : (cluster ? ".acquire.cluster" : ".acquire.cta");
}

static void emit_arrive(struct ptx_func *e, struct ir_inst *i)
{
    const bool remote = i->imm & IR_MBAR_REMOTE, expect = i->imm & IR_MBAR_EXPECT;
    const char *d = remote ? "_" : ptx_reg(e, &i->results[0]);
    const char *at = address(e, i->args[0]);
    const char *n = ptx_operand(e, i->args[expect ? 2 : 1]);
    /* who relaxes gets the stronger order, which older ISAs have words for */
    ptx_line(e, "mbarrier.%s%s%s%s%s.b64 %s, %s, %s",
             i->imm & IR_MBAR_DROP ? "arrive_drop" : "arrive", expect ? ".expect_tx" : "",
             i->imm & IR_MBAR_NO_COMPLETE ? ".noComplete" : "",
             order_of(i->imm & ~(uint64_t)IR_MBAR_RELAXED, "release"), space_of(i->args[0], remote),
             d, at, n);
}

static void emit_wait(struct ptx_func *e, struct ir_inst *i)
{
    const bool parity = i->imm & IR_MBAR_PARITY;
    const char *at = address(e, i->args[0]);
    const char *was = parity ? ptx_low32(e, i->args[1], 2) : ptx_in_reg(e, i->args[1]);
    ptx_line(e, "mbarrier.%s%s%s%s.b64 %s, %s, %s", i->imm & IR_MBAR_TRY ? "try_wait" : "test_wait",
             parity ? ".parity" : "", order_of(i->imm & ~(uint64_t)IR_MBAR_RELAXED, "acquire"),
             space_of(i->args[0], false), ptx_reg(e, &i->results[0]), at, was);
}

static void emit_mbarrier(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, false, "mbarrier"))
        return;
    struct ir_value *p = i->args[0];
    const bool remote = i->imm & IR_MBAR_REMOTE;
    switch (i->op) {
    case IR_OP_mbar_init:
        ptx_line(e, "mbarrier.init%s.b64 %s, %s", space_of(p, false), address(e, p),
                 ptx_operand(e, i->args[1]));
        break;
    case IR_OP_mbar_inval:
        ptx_line(e, "mbarrier.inval%s.b64 %s", space_of(p, false), address(e, p));
        break;
    case IR_OP_mbar_tx:
        ptx_line(e, "mbarrier.%s.relaxed%s%s.b64 %s, %s",
                 i->imm & IR_MBAR_COMPLETE ? "complete_tx" : "expect_tx",
                 remote || i->imm & IR_MBAR_CLUSTER ? ".cluster" : ".cta", space_of(p, remote),
                 address(e, p), ptx_operand(e, i->args[1]));
        break;
    case IR_OP_mbar_copies:
        ptx_line(e, "cp.async.mbarrier.arrive%s%s.b64 %s", i->imm & IR_MBAR_NO_INC ? ".noinc" : "",
                 space_of(p, false), address(e, p));
        break;
    case IR_OP_mbar_pending:
        ptx_line(e, "mbarrier.pending_count.b64 %s, %s", ptx_reg(e, &i->results[0]),
                 ptx_in_reg(e, p));
        break;
    case IR_OP_mbar_wait: emit_wait(e, i); break;
    default: emit_arrive(e, i); break;
    }
}

/* ---- bulk copies ---- */

/* "[map, {x, y}]" */
static const char *tensor(struct ptx_func *e, struct ir_inst *i, unsigned map, unsigned at)
{
    struct sbuf s;
    sbuf_init(&s, e->a);
    sbuf_printf(&s, "[%s, {", ptx_generic(e, i->args[map]));
    for (unsigned k = 0; k < ir_bulk_dims(i->imm); k++)
        sbuf_printf(&s, "%s%s", k ? ", " : "", ptx_operand(e, i->args[at + k]));
    sbuf_puts(&s, "}]");
    return s.data;
}

/* The operands at the end: offsets, mask, policy, as text that begins with a comma. */
static const char *tail(struct ptx_func *e, struct ir_inst *i, unsigned at, unsigned offsets)
{
    struct sbuf s;
    sbuf_init(&s, e->a);
    sbuf_puts(&s, "");
    for (unsigned k = 0; k < offsets + !!(i->imm & IR_BULK_MULTICAST); k++) {
        const char *h = ptx_fresh(e, PTX_B16);
        ptx_line(e, "cvt.u16.u32 %s, %s", h, ptx_in_reg(e, i->args[at++]));
        sbuf_printf(&s, ", %s%s%s", offsets && !k ? "{" : "", h,
                    offsets && k == offsets - 1 ? "}" : "");
    }
    if (i->imm & IR_BULK_HINT)
        sbuf_printf(&s, ", %s", ptx_in_reg(e, i->args[at]));
    return s.data;
}

static const char *reduction(struct ptx_func *e, const struct ir_inst *i, bool typed)
{
    static const char *const types[IR_BULK_TYPES] = {"u32",  "s32", "u64", "s64", "f16",
                                                     "bf16", "f32", "f64", "b32", "b64"};
    static const char *const ops[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = "add",  [IR_RMW_FADD] = "add", [IR_RMW_UMIN] = "min", [IR_RMW_SMIN] = "min",
        [IR_RMW_FMIN] = "min", [IR_RMW_UMAX] = "max", [IR_RMW_SMAX] = "max", [IR_RMW_FMAX] = "max",
        [IR_RMW_INC] = "inc",  [IR_RMW_DEC] = "dec",  [IR_RMW_AND] = "and",  [IR_RMW_OR] = "or",
        [IR_RMW_XOR] = "xor"};
    const unsigned op = i->imm >> IR_BULK_OP_SHIFT & 255, t = i->imm >> IR_BULK_TYPE_SHIFT & 255;
    if (!(i->imm & IR_BULK_REDUCE))
        return "";
    if (op >= IR_RMW_COUNT || !ops[op] || t >= IR_BULK_TYPES)
        return ".none"; /* the verifier does not let it through */
    return typed ? arena_printf(e->a, "%s.%s.%s", i->imm & IR_BULK_NO_FTZ ? ".noftz" : "", ops[op],
                                types[t])
                 : arena_printf(e->a, ".%s", ops[op]);
}

static void emit_tensor(struct ptx_func *e, struct ir_inst *i)
{
    const unsigned dims = ir_bulk_dims(i->imm), fixed = ir_bulk_fixed(i->imm),
                   offsets = ir_bulk_numbers(i->imm) - dims;
    const char *hint = i->imm & IR_BULK_HINT ? ".L2::cache_hint" : "";
    const char *cp = i->imm & IR_BULK_REDUCE ? "cp.reduce" : "cp";
    switch (ir_bulk_kind(i->imm)) {
    case IR_BULK_TENSOR_LOAD: {
        const char *to = address(e, i->args[0]), *from = tensor(e, i, 1, fixed),
                   *bar = address(e, i->args[2]), *rest = tail(e, i, fixed + dims, offsets);
        ptx_line(
            e,
            "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes%s%s"
            " %s, %s, %s%s",
            dims, i->imm & IR_BULK_IM2COL ? ".im2col" : ".tile",
            i->imm & IR_BULK_MULTICAST ? ".multicast::cluster" : "", hint, to, from, bar, rest);
        break;
    }
    case IR_BULK_TENSOR_STORE: {
        const char *to = tensor(e, i, 0, fixed), *from = address(e, i->args[1]),
                   *rest = tail(e, i, fixed + dims, 0);
        ptx_line(e, "%s.async.bulk.tensor.%ud.global.shared::cta%s%s.bulk_group%s %s, %s%s", cp,
                 dims, reduction(e, i, false),
                 i->imm & IR_BULK_IM2COL ? ".im2col_no_offs" : ".tile", hint, to, from, rest);
        break;
    }
    default: {
        const char *from = tensor(e, i, 0, fixed), *rest = tail(e, i, fixed + dims, offsets);
        ptx_line(e, "cp.async.bulk.prefetch.tensor.%ud.L2.global%s%s %s%s", dims,
                 i->imm & IR_BULK_IM2COL ? ".im2col" : ".tile", hint, from, rest);
        break;
    }
    }
}

static void emit_bulk(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, false, "cp.async.bulk"))
        return;
    const enum ir_bulk kind = ir_bulk_kind(i->imm);
    if (kind >= IR_BULK_TENSOR_LOAD) {
        emit_tensor(e, i);
        return;
    }
    const char *hint = i->imm & IR_BULK_HINT ? ".L2::cache_hint" : "";
    const char *cp = i->imm & IR_BULK_REDUCE ? "cp.reduce" : "cp", *op = reduction(e, i, true);
    const char *rest = tail(e, i, ir_bulk_fixed(i->imm), 0);
    const char *a = address(e, i->args[0]);
    if (kind == IR_BULK_PREFETCH) {
        ptx_line(e, "cp.async.bulk.prefetch.L2.global%s %s, %s%s", hint, a,
                 ptx_operand(e, i->args[1]), rest);
        return;
    }
    const char *b = address(e, i->args[1]), *n = ptx_operand(e, i->args[2]);
    if (kind == IR_BULK_STORE)
        ptx_line(e, "%s.async.bulk.global.shared::cta.bulk_group%s%s %s, %s, %s%s", cp, hint, op, a,
                 b, n, rest);
    else
        ptx_line(
            e,
            "%s.async.bulk.shared::cluster.%s.mbarrier::complete_tx::bytes%s%s%s %s, %s, %s, %s%s",
            cp, kind == IR_BULK_SEND ? "shared::cta" : "global",
            i->imm & IR_BULK_MULTICAST ? ".multicast::cluster" : "", hint, op, a, b, n,
            address(e, i->args[3]), rest);
}

static void emit_bulk_sync(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, false, "cp.async.bulk"))
        return;
    if (i->imm == IR_BULK_COMMIT)
        ptx_line(e, "cp.async.bulk.commit_group");
    else
        ptx_line(e, "cp.async.bulk.wait_group%s %u", i->imm % 4 == IR_BULK_WAIT_READ ? ".read" : "",
                 (unsigned)(i->imm / 4));
}

/* ---- clusters, hints ---- */
static void emit_cluster(struct ptx_func *e, struct ir_inst *i)
{
    if (!needs(e, 90, false, "clusters"))
        return;
    if (i->op == IR_OP_cluster_barrier) {
        static const char *const forms[] = {"arrive.release", "arrive.relaxed", "wait.acquire"};
        ptx_line(e, "barrier.cluster.%s", forms[i->imm < 3 ? i->imm : 0]);
        e->needs |= BACK_USES_BARRIER;
        return;
    }
    const char *d = ptx_reg(e, &i->results[0]);
    if (i->op == IR_OP_cluster_size) {
        ptx_line(e, "mov.u32 %s, %%cluster_nctaid.%c", d, "xyz"[i->imm % 3]);
        return;
    }
    const char *x = ptx_in_reg(e, i->args[0]);
    const bool shared = ir_space(i->args[0]->type) == IR_SPACE_SHARED;
    if (i->op == IR_OP_cluster_map)
        ptx_line(e, "mapa%s %s, %s, %s", shared ? ".shared::cluster.u32" : ".u64", d, x,
                 ptx_operand(e, i->args[1]));
    else
        ptx_line(e, "getctarank%s %s, %s", shared ? ".shared::cluster.u32" : ".u64", d, x);
}

static void emit_hint(struct ptx_func *e, struct ir_inst *i)
{
    static const struct {
        const char *text;
        bool a;
    } rows[IR_HINTS] = {
        [IR_HINT_MAXNREG_INC] = {"setmaxnreg.inc.sync.aligned.u32", true},
        [IR_HINT_MAXNREG_DEC] = {"setmaxnreg.dec.sync.aligned.u32", true},
        [IR_HINT_LAUNCH_DEPENDENTS] = {"griddepcontrol.launch_dependents", false},
        [IR_HINT_WAIT_FOR_GRID] = {"griddepcontrol.wait", false},
        [IR_HINT_PROXY_ASYNC] = {"fence.proxy.async", false},
        [IR_HINT_PROXY_ASYNC_GLOBAL] = {"fence.proxy.async.global", false},
        [IR_HINT_PROXY_ASYNC_SHARED] = {"fence.proxy.async.shared::cta", false},
        [IR_HINT_PROXY_ALIAS] = {"fence.proxy.alias", false},
        [IR_HINT_MBARRIER_INIT] = {"fence.mbarrier_init.release.cluster", false},
        [IR_HINT_PREFETCH_TENSORMAP] = {"prefetch.tensormap", false},
    };
    const unsigned kind = i->imm & 15;
    if (kind >= IR_HINTS || !needs(e, 90, rows[kind].a, rows[kind].text))
        return;
    if (kind == IR_HINT_PREFETCH_TENSORMAP && i->nargs)
        ptx_line(e, "prefetch.tensormap [%s]", ptx_generic(e, i->args[0]));
    else if (rows[kind].a)
        ptx_line(e, "%s %u", rows[kind].text, (unsigned)(i->imm >> 4));
    else
        ptx_line(e, "%s", rows[kind].text);
}

bool ptx_async(struct ptx_func *e, struct ir_inst *i)
{
    if (!ir_is_async(i->op))
        return false;
    switch (i->op) {
    case IR_OP_wgmma: emit_wgmma(e, i); break;
    case IR_OP_wgmma_sync: emit_wgmma_sync(e, i); break;
    case IR_OP_bulk: emit_bulk(e, i); break;
    case IR_OP_bulk_sync: emit_bulk_sync(e, i); break;
    case IR_OP_cluster_barrier:
    case IR_OP_cluster_map:
    case IR_OP_cluster_size:
    case IR_OP_cluster_rank: emit_cluster(e, i); break;
    case IR_OP_hint: emit_hint(e, i); break;
    default: emit_mbarrier(e, i); break;
    }
    return true;
}
