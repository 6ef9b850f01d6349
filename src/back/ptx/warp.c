/* What threads do together, and what the processor tells them: barriers, warp operations, fences,
 * matrices, textures, special registers. */
#include <string.h>
#include "ir/async.h"
#include "ir/tex.h"
#include "back/ptx/ptx_int.h"

/* ---- special registers ---- */
static const char *const sregs[IR_SREG_COUNT] = {
    [IR_SREG_TID_X] = "%tid.x",
    [IR_SREG_TID_Y] = "%tid.y",
    [IR_SREG_TID_Z] = "%tid.z",
    [IR_SREG_NTID_X] = "%ntid.x",
    [IR_SREG_NTID_Y] = "%ntid.y",
    [IR_SREG_NTID_Z] = "%ntid.z",
    [IR_SREG_CTAID_X] = "%ctaid.x",
    [IR_SREG_CTAID_Y] = "%ctaid.y",
    [IR_SREG_CTAID_Z] = "%ctaid.z",
    [IR_SREG_NCTAID_X] = "%nctaid.x",
    [IR_SREG_NCTAID_Y] = "%nctaid.y",
    [IR_SREG_NCTAID_Z] = "%nctaid.z",
    [IR_SREG_LANEID] = "%laneid",
    [IR_SREG_SMID] = "%smid",
    [IR_SREG_NSMID] = "%nsmid",
    [IR_SREG_GRIDID] = "%gridid",
    [IR_SREG_LANEMASK_EQ] = "%lanemask_eq",
    [IR_SREG_LANEMASK_LT] = "%lanemask_lt",
    [IR_SREG_LANEMASK_LE] = "%lanemask_le",
    [IR_SREG_LANEMASK_GT] = "%lanemask_gt",
    [IR_SREG_LANEMASK_GE] = "%lanemask_ge",
    [IR_SREG_DYN_SHARED] = "%dynamic_smem_size",
    [IR_SREG_TOTAL_SHARED] = "%total_smem_size",
    [IR_SREG_CHECKS] = "0", /* nobody checks there */
};

/* %warpid names the hardware's slot, which may change; ours is the place in the block. */
static const char warp_template[] =
    "mov.u32 $w0, %tid.z; mov.u32 $w1, %ntid.y; mov.u32 $w2, %tid.y; mad.lo.s32 $w3, $w0, $w1, $w2;"
    "mov.u32 $w4, %ntid.x; mov.u32 $w5, %tid.x; mad.lo.s32 $w6, $w3, $w4, $w5; shr.u32 $d, $w6, 5";
static const char warps_template[] =
    "mov.u32 $w0, %ntid.x; mov.u32 $w1, %ntid.y; mov.u32 $w2, %ntid.z; mul.lo.s32 $w3, $w0, $w1;"
    "mul.lo.s32 $w4, $w3, $w2; add.s32 $w5, $w4, 31; shr.u32 $d, $w5, 5";

/* The driver gives the address of a workspace to cooperative launches only. */
static const char cooperative_template[] = "mov.u32 $w0, %envreg1; mov.u32 $w1, %envreg2; or.b32 "
                                           "$w2, $w0, $w1; set.ne.u32.u32 $w3, $w2, 0;"
                                           "and.b32 $d, $w3, 1";

static void emit_sreg(struct ptx_func *e, struct ir_inst *i)
{
    const char *d = ptx_reg(e, &i->results[0]);
    unsigned bits = ir_bits(i->type);
    bool wide = i->imm == IR_SREG_GRIDID || i->imm == IR_SREG_CHECKS;
    if (bits < 32) {
        ptx_refuse(e, "a special register read as an integer of fewer than 32 bits");
        return;
    }
    const char *t = (bits == 64) == wide ? d : ptx_fresh(e, wide ? PTX_B64 : PTX_B32);
    const char *several = i->imm == IR_SREG_WARPID        ? warp_template
                          : i->imm == IR_SREG_NWARPID     ? warps_template
                          : i->imm == IR_SREG_COOPERATIVE ? cooperative_template
                                                          : NULL;
    if (several) {
        struct ptx_bind b = {.type = IR_I32, .d = t};
        ptx_template(e, several, &b);
    } else {
        ptx_line(e, "mov.u%d %s, %s", wide ? 64 : 32, t, sregs[i->imm]);
    }
    if (t != d)
        ptx_line(e, "%s %s, %s", wide ? "cvt.u32.u64" : "cvt.u64.u32", d, t);
}

/* ---- barriers and fences ---- */
/* The instruction counts warps, also one that the block does not fill. */
static const char *whole_warps(struct ptx_func *e, struct ir_value *threads)
{
    if (ir_is_const(threads))
        return arena_printf(e->a, "%u", ((unsigned)threads->u.bits + 31) & ~31u);
    const char *n = ptx_fresh(e, PTX_B32);
    ptx_line(e, "add.s32 %s, %s, 31", n, ptx_operand(e, threads));
    ptx_line(e, "and.b32 %s, %s, -32", n, n);
    return n;
}

static void emit_barrier(struct ptx_func *e, struct ir_inst *i)
{
    const char *id = ptx_operand(e, i->args[0]);
    bool all = ir_is_const(i->args[1]) && !i->args[1]->u.bits;
    const char *count = all ? "" : arena_printf(e->a, ", %s", whole_warps(e, i->args[1]));
    /* a part of the block need not come in whole, converged warps */
    const char *bar = all && ir_is_const(i->args[0]) ? "bar" : "barrier";
    e->needs |= BACK_USES_BARRIER;
    if (i->op == IR_OP_barrier) {
        ptx_line(e, "%s.sync %s%s", bar, id, count);
    } else if (i->op == IR_OP_barrier_arrive) {
        if (all) { /* the instruction wants a number: the whole block, in whole warps */
            const char *n = ptx_fresh(e, PTX_B32), *w = ptx_fresh(e, PTX_B32);
            struct ptx_bind b = {.type = IR_I32, .d = w};
            ptx_template(e, warps_template, &b);
            ptx_line(e, "shl.b32 %s, %s, 5", n, w);
            count = arena_printf(e->a, ", %s", n);
        }
        ptx_line(e, "%s.arrive %s%s", bar, id, count);
    } else {
        const char *d = ptx_reg(e, &i->results[0]), *p = ptx_in_reg(e, i->args[2]);
        if (i->imm == 0) {
            ptx_line(e, "%s.red.popc.u32 %s, %s%s, %s", bar, d, id, count, p);
        } else {
            const char *q = ptx_fresh(e, PTX_PRED);
            ptx_line(e, "%s.red.%s.pred %s, %s%s, %s", bar, i->imm == 1 ? "and" : "or", q, id,
                     count, p);
            ptx_line(e, "selp.b32 %s, 1, 0, %s", d, q);
        }
    }
}

static void emit_fence(struct ptx_func *e, struct ir_inst *i)
{
    ptx_line(e, "fence.%s%s", ir_order(i->flags) == IR_ORDER_SEQ_CST ? "sc" : "acq_rel",
             ptx_scope(i->flags));
}

/* Top bit of the counter flips when the last block arrives: block 0 adds what the others lack. All
 * blocks of a cooperative grid are resident, so spinning is safe. One counter serves a module:
 * whoever launches keeps two such grids of one module from running at the same time. */
void ptx_emit_gridsync(struct sbuf *out)
{
    sbuf_puts(out, "\n.global .align 4 .u32 tern_grid_counter = 0;\n"
                   ".func tern_grid_sync()\n"
                   "{\n"
                   "\t.reg .pred %p<6>;\n"
                   "\t.reg .b32 %r<20>;\n"
                   "\t.reg .b64 %rd<2>;\n"
                   "\tbar.sync 0;\n"
                   "\tmov.u32 %r0, %tid.x;\n"
                   "\tmov.u32 %r1, %tid.y;\n"
                   "\tmov.u32 %r2, %tid.z;\n"
                   "\tor.b32 %r3, %r0, %r1;\n"
                   "\tor.b32 %r4, %r3, %r2;\n"
                   "\tsetp.ne.s32 %p0, %r4, 0;\n"
                   "\t@%p0 bra DONE;\n"
                   "\tmov.u32 %r5, %nctaid.x;\n"
                   "\tmov.u32 %r6, %nctaid.y;\n"
                   "\tmov.u32 %r7, %nctaid.z;\n"
                   "\tmul.lo.s32 %r8, %r5, %r6;\n"
                   "\tmul.lo.s32 %r9, %r8, %r7;\n"
                   "\tmov.u32 %r10, %ctaid.x;\n"
                   "\tmov.u32 %r11, %ctaid.y;\n"
                   "\tmov.u32 %r12, %ctaid.z;\n"
                   "\tor.b32 %r13, %r10, %r11;\n"
                   "\tor.b32 %r14, %r13, %r12;\n"
                   "\tsetp.eq.s32 %p1, %r14, 0;\n"
                   "\tsub.s32 %r15, 0x80000001, %r9;\n"
                   "\tselp.b32 %r16, %r15, 1, %p1;\n"
                   "\tfence.sc.gpu;\n"
                   "\tmov.u64 %rd0, tern_grid_counter;\n"
                   "\tatom.global.gpu.add.u32 %r17, [%rd0], %r16;\n"
                   "SPIN:\n"
                   "\tld.acquire.gpu.global.u32 %r18, [%rd0];\n"
                   "\txor.b32 %r19, %r18, %r17;\n"
                   "\tsetp.ge.s32 %p2, %r19, 0;\n"
                   "\t@%p2 bra SPIN;\n"
                   "\tfence.sc.gpu;\n"
                   "DONE:\n"
                   "\tbar.sync 0;\n"
                   "\tret;\n"
                   "}\n");
}

/* ---- warp operations ---- */
static void shuffle_word(struct ptx_func *e, struct ir_inst *i, const char *d, const char *ok,
                         const char *x, const char *lane, const char *control, const char *mask)
{
    static const char *const modes[] = {"idx", "up", "down", "bfly"};
    ptx_line(e, "shfl.sync.%s.b32 %s|%s, %s, %s, %s, %s", modes[i->imm & 3], d, ok, x, lane,
             control, mask);
}

static void emit_shuffle(struct ptx_func *e, struct ir_inst *i)
{
    const char *d = ptx_reg(e, &i->results[0]), *ok = ptx_reg(e, &i->results[1]);
    const char *mask = ptx_operand(e, i->args[0]), *lane = ptx_operand(e, i->args[2]),
               *control = ptx_operand(e, i->args[3]);
    const char *x = ptx_in_reg(e, i->args[1]);
    enum ptx_class c = ptx_class_of(i->type);
    if (c == PTX_B32 || c == PTX_F32) {
        shuffle_word(e, i, d, ok, x, lane, control, mask);
    } else if (c == PTX_B64 || c == PTX_F64) {
        const char *lo = ptx_fresh(e, PTX_B32), *hi = ptx_fresh(e, PTX_B32),
                   *nlo = ptx_fresh(e, PTX_B32), *nhi = ptx_fresh(e, PTX_B32);
        ptx_line(e, "mov.b64 {%s, %s}, %s", lo, hi, x);
        shuffle_word(e, i, nlo, ok, lo, lane, control, mask);
        shuffle_word(e, i, nhi, ok, hi, lane, control, mask);
        ptx_line(e, "mov.b64 %s, {%s, %s}", d, nlo, nhi);
    } else {
        const char *w = ptx_fresh(e, PTX_B32), *nw = ptx_fresh(e, PTX_B32);
        if (c == PTX_PRED)
            ptx_line(e, "selp.b32 %s, 1, 0, %s", w, x);
        else
            ptx_line(e, "cvt.u32.u16 %s, %s", w, x);
        shuffle_word(e, i, nw, ok, w, lane, control, mask);
        if (c == PTX_PRED)
            ptx_line(e, "setp.ne.s32 %s, %s, 0", d, nw);
        else
            ptx_line(e, "cvt.u16.u32 %s, %s", d, nw);
    }
}

static void emit_vote(struct ptx_func *e, struct ir_inst *i)
{
    static const char *const modes[] = {"any", "all", "uni"};
    const char *d = ptx_reg(e, &i->results[0]), *mask = ptx_operand(e, i->args[0]),
               *p = ptx_in_reg(e, i->args[1]);
    if (i->imm == IR_VOTE_BALLOT) {
        ptx_line(e, "vote.sync.ballot.b32 %s, %s, %s", d, p, mask);
        return;
    }
    const char *q = ptx_fresh(e, PTX_PRED);
    ptx_line(e, "vote.sync.%s.pred %s, %s, %s", modes[i->imm], q, p, mask);
    ptx_line(e, "selp.b32 %s, 1, 0, %s", d, q);
}

static void emit_match(struct ptx_func *e, struct ir_inst *i)
{
    const char *d = ptx_reg(e, &i->results[0]), *ok = ptx_reg(e, &i->results[1]);
    const char *mask = ptx_operand(e, i->args[0]), *x = ptx_in_reg(e, i->args[1]);
    enum ptx_class c = ptx_class_of(i->type);
    if (ptx_class_info[c].bytes <= 2) {
        const char *w = ptx_fresh(e, PTX_B32);
        if (c == PTX_PRED)
            ptx_line(e, "selp.b32 %s, 1, 0, %s", w, x);
        else
            ptx_line(e, "cvt.u32.u16 %s, %s", w, x);
        x = w;
        c = PTX_B32;
    }
    unsigned bits = ptx_class_info[c].bytes * 8;
    if (i->imm == 0) {
        const char *p = ok;
        ptx_line(e, "match.any.sync.b%u %s, %s, %s", bits, d, x, mask);
        ptx_line(e, "setp.eq.s32 %s, %s, %s", p, d, mask);
    } else {
        ptx_line(e, "match.all.sync.b%u %s|%s, %s, %s", bits, d, ok, x, mask);
    }
}

static const struct {
    const char *name;
    enum ir_op op;
    const char *start;
} reduxes[IR_RMW_COUNT] = {
    [IR_RMW_ADD] = {"add.s32", IR_OP_add, "0"},
    [IR_RMW_AND] = {"and.b32", IR_OP_and, "-1"},
    [IR_RMW_OR] = {"or.b32", IR_OP_or, "0"},
    [IR_RMW_XOR] = {"xor.b32", IR_OP_xor, "0"},
    [IR_RMW_UMIN] = {"min.u32", IR_OP_umin, "-1"},
    [IR_RMW_UMAX] = {"max.u32", IR_OP_umax, "0"},
    [IR_RMW_SMIN] = {"min.s32", IR_OP_smin, "0x7fffffff"},
    [IR_RMW_SMAX] = {"max.s32", IR_OP_smax, "0x80000000"},
};

static void emit_redux(struct ptx_func *e, struct ir_inst *i)
{
    const char *d = ptx_reg(e, &i->results[0]), *mask = ptx_in_reg(e, i->args[0]),
               *x = ptx_in_reg(e, i->args[1]);
    if (i->imm >= IR_RMW_COUNT || !reduxes[i->imm].name) {
        ptx_refuse(e, "a warp reduction by this operation");
        return;
    }
    if (e->p->arch >= 80) {
        ptx_line(e, "redux.sync.%s %s, %s, %s", reduxes[i->imm].name, d, x, mask);
        return;
    }
    /* before sm_80: ask every lane of the mask in turn */
    const char *left = ptx_fresh(e, PTX_B32), *low = ptx_fresh(e, PTX_B32),
               *rev = ptx_fresh(e, PTX_B32), *lane = ptx_fresh(e, PTX_B32),
               *v = ptx_fresh(e, PTX_B32), *neg = ptx_fresh(e, PTX_B32),
               *p = ptx_fresh(e, PTX_PRED), *ok = ptx_fresh(e, PTX_PRED);
    uint32_t top = ptx_label(e);
    ptx_line(e, "mov.b32 %s, %s", d, reduxes[i->imm].start);
    ptx_line(e, "mov.b32 %s, %s", left, mask);
    ptx_mark(e, top);
    ptx_line(e, "brev.b32 %s, %s", rev, left);
    ptx_line(e, "clz.b32 %s, %s", lane, rev);
    ptx_line(e, "shfl.sync.idx.b32 %s|%s, %s, %s, 31, %s", v, ok, x, lane, mask);
    struct ptx_bind b = {.type = IR_I32, .result = IR_I32, .d = d, .arg = {d, v}};
    ptx_plain(e, reduxes[i->imm].op, &b);
    ptx_line(e, "neg.s32 %s, %s", neg, left);
    ptx_line(e, "and.b32 %s, %s, %s", low, left, neg);
    ptx_line(e, "xor.b32 %s, %s, %s", left, left, low);
    ptx_line(e, "setp.ne.s32 %s, %s, 0", p, left);
    ptx_line(e, "@%s bra $T%u", p, top);
}

/* ---- matrices ---- */
static const struct mma_row {
    const char *shape;
    uint8_t m, n, k;
    const char *element, *accumulator;
    uint8_t na, nb, nc, arch;
} mma_rows[] = {
#define IR_MMA(name, text, m, n, k, ab, cd, na, nb, nc, sm)                                        \
    {"m" #m "n" #n "k" #k, m, n, k, #ab, #cd, na, nb, nc, sm},
#include "ir/mma.def"
};

static const char *lower_case(struct ptx_func *e, const char *upper)
{
    char *s = arena_printf(e->a, "%s", upper);
    for (char *c = s; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + 32);
    return s;
}

static void braces(struct ptx_func *e, struct sbuf *out, struct ir_inst *i, unsigned from,
                   unsigned n, bool results)
{
    sbuf_putc(out, '{');
    for (unsigned k = 0; k < n; k++)
        sbuf_printf(out, "%s%s", k ? ", " : "",
                    results ? ptx_reg(e, &i->results[k]) : ptx_in_reg(e, i->args[from + k]));
    sbuf_putc(out, '}');
}

static void emit_mma(struct ptx_func *e, struct ir_inst *i)
{
    if (i->imm >= sizeof mma_rows / sizeof *mma_rows) {
        ptx_refuse(e, "a matrix shape that mma.def does not name");
        return;
    }
    const struct mma_row *r = &mma_rows[i->imm];
    if (i->nargs != (uint32_t)r->na + r->nb + r->nc || i->nresults != r->nc) {
        ptx_refuse(e, "mma %s with the wrong number of registers", r->shape);
        return;
    }
    if (!ptx_needs_arch(e, r->arch, "this matrix shape"))
        return;
    const char *ab = lower_case(e, r->element), *cd = lower_case(e, r->accumulator);
    struct sbuf s;
    sbuf_init(&s, e->a);
    braces(e, &s, i, 0, r->nc, true);
    sbuf_puts(&s, ", ");
    braces(e, &s, i, 0, r->na, false);
    sbuf_puts(&s, ", ");
    braces(e, &s, i, r->na, r->nb, false);
    sbuf_puts(&s, ", ");
    braces(e, &s, i, (unsigned)r->na + r->nb, r->nc, false);
    ptx_line(e, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s %s", r->shape, cd, ab, ab, cd, s.data);
}

static void emit_ldmatrix(struct ptx_func *e, struct ir_inst *i)
{
    if (!ptx_needs_arch(e, 75, "ldmatrix"))
        return;
    const char *at = ptx_address(e, i->args[0], 0).text;
    struct sbuf s;
    sbuf_init(&s, e->a);
    braces(e, &s, i, 0, IR_LDMATRIX_COUNT(i->imm), true);
    ptx_line(e, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, %s", IR_LDMATRIX_COUNT(i->imm),
             i->imm & IR_LDMATRIX_TRANS ? ".trans" : "", s.data, at);
}

/* ---- textures ---- */
static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

/* "{x, y}": PTX wants 1, 2 or 4 elements */
static const char *coordinates(struct ptx_func *e, struct ir_inst *i, unsigned from, unsigned n,
                               bool layered)
{
    struct sbuf s;
    sbuf_init(&s, e->a);
    unsigned total = n + layered, padded = total == 3 ? 4 : total;
    sbuf_putc(&s, '{');
    for (unsigned k = 0; k < padded; k++) {
        unsigned at = k < total ? k : total - 1;
        sbuf_printf(&s, "%s%s", k ? ", " : "", ptx_in_reg(e, i->args[from + at]));
    }
    sbuf_putc(&s, '}');
    return s.data;
}

static void emit_tex(struct ptx_func *e, struct ir_inst *i)
{
    unsigned imm = (unsigned)i->imm, dims = ir_tex_dims(imm);
    bool layered = ir_tex_layered(imm);
    const char *type = ir_kind(i->type) == IR_F32   ? "f32"
                       : ir_kind(i->type) == IR_I32 ? "u32"
                                                    : NULL;
    if (!type || (unsigned)ir_tex_geometry(imm) > IR_TEX_ACUBE ||
        i->nargs < 1 + dims + (unsigned)layered) {
        ptx_refuse(e, "a texture fetch of this type");
        return;
    }
    static const char *const modes[] = {"", ".level", ".grad", ""};
    const char *geometry = geometries[ir_tex_geometry(imm)];
    const char *handle = ptx_in_reg(e, i->args[0]);
    const char *at = coordinates(e, i, 1, dims, layered);
    const char *coord = imm & IR_TEX_INT ? "s32" : "f32";
    unsigned next = 1 + dims + layered;
    struct sbuf extra;
    sbuf_init(&extra, e->a);
    sbuf_puts(&extra, "");
    if (ir_tex_mode(imm) == IR_TEX_LOD)
        sbuf_printf(&extra, ", %s", ptx_in_reg(e, i->args[next]));
    else if (ir_tex_mode(imm) == IR_TEX_GRAD)
        sbuf_printf(&extra, ", %s, %s", coordinates(e, i, next, dims, false),
                    coordinates(e, i, next + dims, dims, false));
    const char *r[4];
    for (unsigned k = 0; k < 4; k++)
        r[k] = ptx_reg(e, &i->results[k]);
    if (ir_tex_mode(imm) == IR_TEX_GATHER)
        ptx_line(e, "tld4.%c.%s.v4.%s.f32 {%s, %s, %s, %s}, [%s, %s]",
                 "rgba"[ir_tex_component(imm)], geometry, type, r[0], r[1], r[2], r[3], handle, at);
    else
        ptx_line(e, "tex%s.%s.v4.%s.%s {%s, %s, %s, %s}, [%s, %s]%s", modes[ir_tex_mode(imm)],
                 geometry, type, coord, r[0], r[1], r[2], r[3], handle, at, extra.data);
}

static void emit_surface(struct ptx_func *e, struct ir_inst *i)
{
    static const char *const bounds[] = {"trap", "clamp", "zero", "trap"};
    unsigned imm = (unsigned)i->imm, dims = ir_tex_dims(imm), n = ir_tex_components(imm);
    bool layered = ir_tex_layered(imm), store = i->op == IR_OP_surfstore;
    unsigned bits = ir_bits(i->type), first = 1 + dims + layered;
    if (ir_tex_geometry(imm) > IR_TEX_A2D || (n != 1 && n != 2 && n != 4) || bits < 8 ||
        i->nargs < first + (store ? n : 0)) {
        ptx_refuse(e, "a surface access of this form");
        return;
    }
    const char *vec = n == 4 ? ".v4" : n == 2 ? ".v2" : "";
    const char *handle = ptx_in_reg(e, i->args[0]);
    const char *at = coordinates(e, i, 1, dims, layered);
    struct sbuf list;
    sbuf_init(&list, e->a);
    sbuf_putc(&list, '{');
    for (unsigned k = 0; k < n; k++)
        sbuf_printf(&list, "%s%s", k ? ", " : "",
                    store ? ptx_in_reg(e, i->args[first + k]) : ptx_reg(e, &i->results[k]));
    sbuf_putc(&list, '}');
    const char *geometry = geometries[ir_tex_geometry(imm)];
    if (store && ir_surf_reduces(imm)) {
        static const char *const words[IR_RMW_COUNT] = {
            [IR_RMW_ADD] = "add",  [IR_RMW_AND] = "and",  [IR_RMW_OR] = "or",
            [IR_RMW_UMIN] = "min", [IR_RMW_UMAX] = "max", [IR_RMW_SMIN] = "min",
            [IR_RMW_SMAX] = "max",
        };
        enum ir_rmw kind = ir_surf_reduction(imm);
        const char *word = kind < IR_RMW_COUNT ? words[kind] : NULL;
        if (!word || bits < 32 || n != 1)
            ptx_refuse(e, "a surface access of this form");
        else
            ptx_line(e, "sured.b.%s.%s.%c%u.%s [%s, %s], %s", word, geometry,
                     kind == IR_RMW_AND || kind == IR_RMW_OR      ? 'b'
                     : kind == IR_RMW_SMIN || kind == IR_RMW_SMAX ? 's'
                                                                  : 'u',
                     bits, bounds[ir_tex_bounds(imm)], handle, at, ptx_in_reg(e, i->args[first]));
        return;
    }
    if (store) {
        ptx_line(e, "sust.b.%s%s.b%u.%s [%s, %s], %s", geometry, vec, bits,
                 bounds[ir_tex_bounds(imm)], handle, at, list.data);
        return;
    }
    ptx_line(e, "suld.b.%s%s.b%u.%s %s, [%s, %s]", geometry, vec, bits, bounds[ir_tex_bounds(imm)],
             list.data, handle, at);
    for (unsigned k = n; k < 4 && k < i->nresults; k++)
        ptx_line(e, "mov.%s %s, 0", ptx_class_info[ptx_class_of(i->type)].bits,
                 ptx_reg(e, &i->results[k]));
}

static void emit_txq(struct ptx_func *e, struct ir_inst *i)
{
    static const char *const names[] = {"width", "height", "depth", "channel_order",
                                        "channel_data_type"};
    if (i->imm >= 5) {
        ptx_refuse(e, "this texture query");
        return;
    }
    ptx_line(e, "txq.%s.b32 %s, [%s]", names[i->imm], ptx_reg(e, &i->results[0]),
             ptx_in_reg(e, i->args[0]));
}

bool ptx_warp(struct ptx_func *e, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_sreg: emit_sreg(e, i); return true;
    case IR_OP_clock: {
        const char *d = ptx_reg(e, &i->results[0]);
        bool wide = ir_bits(i->type) == 64;
        if (i->imm == 0) {
            ptx_line(e, "mov.u%d %s, %s", wide ? 64 : 32, d, wide ? "%clock64" : "%clock");
        } else if (wide) {
            ptx_line(e, "mov.u64 %s, %%globaltimer", d);
        } else {
            const char *t = ptx_fresh(e, PTX_B64);
            ptx_line(e, "mov.u64 %s, %%globaltimer", t);
            ptx_line(e, "cvt.u32.u64 %s, %s", d, t);
        }
        return true;
    }
    case IR_OP_sleep: ptx_line(e, "nanosleep.u32 %s", ptx_operand(e, i->args[0])); return true;
    case IR_OP_split:
    case IR_OP_join: return true; /* ptxas reconverges where paths meet */
    case IR_OP_barrier:
    case IR_OP_barrier_arrive:
    case IR_OP_barrier_red: emit_barrier(e, i); return true;
    case IR_OP_fence: emit_fence(e, i); return true;
    case IR_OP_gridsync:
        e->p->uses_gridsync = true;
        e->needs |= BACK_USES_GRIDSYNC | BACK_USES_BARRIER;
        ptx_line(e, "call tern_grid_sync");
        return true;
    case IR_OP_trap: ptx_line(e, "trap"); return true;
    case IR_OP_ldmatrix: emit_ldmatrix(e, i); break;
    case IR_OP_mma: emit_mma(e, i); break;
    case IR_OP_tex:
        e->needs |= BACK_USES_TEXTURES;
        emit_tex(e, i);
        return true;
    case IR_OP_surfload:
    case IR_OP_surfstore:
        e->needs |= BACK_USES_TEXTURES;
        emit_surface(e, i);
        return true;
    case IR_OP_txq: emit_txq(e, i); return true;
    case IR_OP_warpsync: ptx_line(e, "bar.warp.sync %s", ptx_operand(e, i->args[0])); break;
    case IR_OP_shfl: emit_shuffle(e, i); break;
    case IR_OP_vote: emit_vote(e, i); break;
    case IR_OP_match: emit_match(e, i); break;
    case IR_OP_redux: emit_redux(e, i); break;
    case IR_OP_activemask: ptx_line(e, "activemask.b32 %s", ptx_reg(e, &i->results[0])); break;
    default: return false;
    }
    e->needs |= BACK_USES_WARP;
    return true;
}
