/* The plain operations: one row per IR op, one PTX template per type.
 *
 * In a template, statements are separated by `;` and
 *   $d            the result           $a $b $c   the operands
 *   $A $B $C      the operands, sign-extended where a narrow integer was widened to 32 bits
 *   $r  .rn .rz .rm .rp by the instruction's rounding flag     $z  .ftz if flagged
 *   $p0 $s0 $w0 $l0 $h0 $f0 $e0 …   fresh predicate, b16, b32, b64, f16, f32, f64 registers
 *   ?statement    left out when the second operand is a constant other than 0
 * A column left empty is reached through a wider one: i8 and i16 through i32, f16 and bf16 through
 * f32 (ops.def: computed in f32 and rounded once). PTX's own shifts clamp as ours do. Rounding is
 * always written, because ptxas fuses add and mul without it. */
#include <string.h>
#include "back/ptx/ptx_int.h"

struct ptx_row {
    const char *i1, *i16, *i32, *i64, *f16, *f32, *f64;
    const char *fast;   /* f32 with the `fast` flag */
    const char *exact;  /* f32 where NaN bits matter */
    const char *exactd; /* f64 likewise */
    unsigned arch;      /* of the f32 column */
};

static const struct ptx_row ptx_ops[IR_OP_COUNT] = {
    /* integers */
    [IR_OP_add] = {.i1 = "xor.pred $d, $a, $b",
                   .i16 = "add.s16 $d, $a, $b",
                   .i32 = "add.s32 $d, $a, $b",
                   .i64 = "add.s64 $d, $a, $b"},
    [IR_OP_sub] = {.i1 = "xor.pred $d, $a, $b",
                   .i16 = "sub.s16 $d, $a, $b",
                   .i32 = "sub.s32 $d, $a, $b",
                   .i64 = "sub.s64 $d, $a, $b"},
    [IR_OP_mul] = {.i1 = "and.pred $d, $a, $b",
                   .i16 = "mul.lo.s16 $d, $a, $b",
                   .i32 = "mul.lo.s32 $d, $a, $b",
                   .i64 = "mul.lo.s64 $d, $a, $b"},
    [IR_OP_umulhi] = {.i1 = "mov.pred $d, 0",
                      .i16 = "mul.hi.u16 $d, $a, $b",
                      .i32 = "mul.hi.u32 $d, $a, $b",
                      .i64 = "mul.hi.u64 $d, $a, $b"},
    [IR_OP_smulhi] = {.i1 = "mov.pred $d, 0",
                      .i16 = "mul.hi.s16 $d, $a, $b",
                      .i32 = "mul.hi.s32 $d, $a, $b",
                      .i64 = "mul.hi.s64 $d, $a, $b"},
    [IR_OP_udiv] = {.i1 = "not.pred $p0, $b; or.pred $d, $a, $p0",
                    .i32 = "div.u32 $d, $a, $b; ?setp.eq.s32 $p0, $b, 0;"
                           "?selp.b32 $d, -1, $d, $p0",
                    .i64 = "div.u64 $d, $a, $b; ?setp.eq.s64 $p0, $b, 0;"
                           "?selp.b64 $d, -1, $d, $p0"},
    [IR_OP_sdiv] = {.i1 = "not.pred $p0, $b; or.pred $d, $a, $p0",
                    .i32 = "div.s32 $d, $A, $B; ?setp.eq.s32 $p0, $B, 0;"
                           "?selp.b32 $d, -1, $d, $p0",
                    .i64 = "div.s64 $d, $a, $b; ?setp.eq.s64 $p0, $b, 0;"
                           "?selp.b64 $d, -1, $d, $p0"},
    [IR_OP_urem] = {.i1 = "not.pred $p0, $b; and.pred $d, $a, $p0",
                    .i32 = "rem.u32 $d, $a, $b; ?setp.eq.s32 $p0, $b, 0;"
                           "?selp.b32 $d, $a, $d, $p0",
                    .i64 = "rem.u64 $d, $a, $b; ?setp.eq.s64 $p0, $b, 0;"
                           "?selp.b64 $d, $a, $d, $p0"},
    [IR_OP_srem] = {.i1 = "not.pred $p0, $b; and.pred $d, $a, $p0",
                    .i32 = "rem.s32 $d, $A, $B; ?setp.eq.s32 $p0, $B, 0;"
                           "?selp.b32 $d, $A, $d, $p0",
                    .i64 = "rem.s64 $d, $a, $b; ?setp.eq.s64 $p0, $b, 0;"
                           "?selp.b64 $d, $a, $d, $p0"},
    [IR_OP_and] = {.i1 = "and.pred $d, $a, $b",
                   .i16 = "and.b16 $d, $a, $b",
                   .i32 = "and.b32 $d, $a, $b",
                   .i64 = "and.b64 $d, $a, $b"},
    [IR_OP_or] = {.i1 = "or.pred $d, $a, $b",
                  .i16 = "or.b16 $d, $a, $b",
                  .i32 = "or.b32 $d, $a, $b",
                  .i64 = "or.b64 $d, $a, $b"},
    [IR_OP_xor] = {.i1 = "xor.pred $d, $a, $b",
                   .i16 = "xor.b16 $d, $a, $b",
                   .i32 = "xor.b32 $d, $a, $b",
                   .i64 = "xor.b64 $d, $a, $b"},
    /* 64-bit counts reach the template already clamped to 32 bits: see shift_count */
    [IR_OP_shl] = {.i1 = "not.pred $p0, $b; and.pred $d, $a, $p0",
                   .i32 = "shl.b32 $d, $a, $b",
                   .i64 = "shl.b64 $d, $a, $b"},
    [IR_OP_lshr] = {.i1 = "not.pred $p0, $b; and.pred $d, $a, $p0",
                    .i32 = "shr.u32 $d, $a, $b",
                    .i64 = "shr.u64 $d, $a, $b"},
    [IR_OP_ashr] = {.i1 = "mov.pred $d, $a",
                    .i32 = "shr.s32 $d, $A, $b",
                    .i64 = "shr.s64 $d, $a, $b"},
    [IR_OP_umin] = {.i1 = "and.pred $d, $a, $b",
                    .i16 = "min.u16 $d, $a, $b",
                    .i32 = "min.u32 $d, $a, $b",
                    .i64 = "min.u64 $d, $a, $b"},
    [IR_OP_umax] = {.i1 = "or.pred $d, $a, $b",
                    .i16 = "max.u16 $d, $a, $b",
                    .i32 = "max.u32 $d, $a, $b",
                    .i64 = "max.u64 $d, $a, $b"},
    [IR_OP_smin] = {.i1 = "or.pred $d, $a, $b",
                    .i16 = "min.s16 $d, $a, $b",
                    .i32 = "min.s32 $d, $A, $B",
                    .i64 = "min.s64 $d, $a, $b"},
    [IR_OP_smax] = {.i1 = "and.pred $d, $a, $b",
                    .i16 = "max.s16 $d, $a, $b",
                    .i32 = "max.s32 $d, $A, $B",
                    .i64 = "max.s64 $d, $a, $b"},
    [IR_OP_not] = {.i1 = "not.pred $d, $a",
                   .i16 = "not.b16 $d, $a",
                   .i32 = "not.b32 $d, $a",
                   .i64 = "not.b64 $d, $a"},
    [IR_OP_neg] = {.i1 = "mov.pred $d, $a",
                   .i16 = "neg.s16 $d, $a",
                   .i32 = "neg.s32 $d, $a",
                   .i64 = "neg.s64 $d, $a"},
    [IR_OP_popc] = {.i1 = "mov.pred $d, $a",
                    .i32 = "popc.b32 $d, $a",
                    .i64 = "popc.b64 $w0, $a; cvt.u64.u32 $d, $w0"},
    [IR_OP_clz] = {.i1 = "not.pred $d, $a",
                   .i16 = "cvt.u32.u16 $w0, $a; clz.b32 $w1, $w0; sub.s32 $w2, $w1, 16;"
                          "cvt.u16.u32 $d, $w2",
                   .i32 = "clz.b32 $d, $a",
                   .i64 = "clz.b64 $w0, $a; cvt.u64.u32 $d, $w0"},
    [IR_OP_brev] = {.i1 = "mov.pred $d, $a",
                    .i16 = "cvt.u32.u16 $w0, $a; brev.b32 $w1, $w0; shr.u32 $w2, $w1, 16;"
                           "cvt.u16.u32 $d, $w2",
                    .i32 = "brev.b32 $d, $a",
                    .i64 = "brev.b64 $d, $a"},
    [IR_OP_fshl] = {.i1 = "mov.pred $d, $a",
                    .i16 = "cvt.u32.u16 $w0, $a; cvt.u32.u16 $w1, $b; shl.b32 $w2, $w0, 16;"
                           "or.b32 $w3, $w2, $w1; cvt.u32.u16 $w4, $c; and.b32 $w5, $w4, 15;"
                           "shl.b32 $w6, $w3, $w5; shr.u32 $w7, $w6, 16; cvt.u16.u32 $d, $w7",
                    .i32 = "shf.l.wrap.b32 $d, $b, $a, $c",
                    .i64 = "cvt.u32.u64 $w0, $c; and.b32 $w1, $w0, 63; sub.s32 $w2, 64, $w1;"
                           "shl.b64 $l0, $a, $w1; shr.u64 $l1, $b, $w2; or.b64 $d, $l0, $l1"},
    [IR_OP_fshr] = {.i1 = "mov.pred $d, $b",
                    .i16 = "cvt.u32.u16 $w0, $a; cvt.u32.u16 $w1, $b; shl.b32 $w2, $w0, 16;"
                           "or.b32 $w3, $w2, $w1; cvt.u32.u16 $w4, $c; and.b32 $w5, $w4, 15;"
                           "shr.u32 $w6, $w3, $w5; cvt.u16.u32 $d, $w6",
                    .i32 = "shf.r.wrap.b32 $d, $b, $a, $c",
                    .i64 = "cvt.u32.u64 $w0, $c; and.b32 $w1, $w0, 63; sub.s32 $w2, 64, $w1;"
                           "shr.u64 $l0, $b, $w1; shl.b64 $l1, $a, $w2; or.b64 $d, $l0, $l1"},
    [IR_OP_prmt] = {.i32 = "prmt.b32 $d, $a, $b, $c"},
    [IR_OP_dp4a] = {.i32 = "dp4a.s32.s32 $d, $a, $b, $c"},
    [IR_OP_udp4a] = {.i32 = "dp4a.u32.u32 $d, $a, $b, $c"},
    /* integer and pointer comparisons */
    [IR_OP_eq] = {.i1 = "xor.pred $p0, $a, $b; not.pred $d, $p0",
                  .i16 = "setp.eq.s16 $d, $a, $b",
                  .i32 = "setp.eq.s32 $d, $a, $b",
                  .i64 = "setp.eq.s64 $d, $a, $b"},
    [IR_OP_ne] = {.i1 = "xor.pred $d, $a, $b",
                  .i16 = "setp.ne.s16 $d, $a, $b",
                  .i32 = "setp.ne.s32 $d, $a, $b",
                  .i64 = "setp.ne.s64 $d, $a, $b"},
    [IR_OP_ult] = {.i1 = "not.pred $p0, $a; and.pred $d, $p0, $b",
                   .i16 = "setp.lt.u16 $d, $a, $b",
                   .i32 = "setp.lt.u32 $d, $a, $b",
                   .i64 = "setp.lt.u64 $d, $a, $b"},
    [IR_OP_ule] = {.i1 = "not.pred $p0, $a; or.pred $d, $p0, $b",
                   .i16 = "setp.le.u16 $d, $a, $b",
                   .i32 = "setp.le.u32 $d, $a, $b",
                   .i64 = "setp.le.u64 $d, $a, $b"},
    [IR_OP_slt] = {.i1 = "not.pred $p0, $b; and.pred $d, $a, $p0",
                   .i16 = "setp.lt.s16 $d, $a, $b",
                   .i32 = "setp.lt.s32 $d, $A, $B",
                   .i64 = "setp.lt.s64 $d, $a, $b"},
    [IR_OP_sle] = {.i1 = "not.pred $p0, $b; or.pred $d, $a, $p0",
                   .i16 = "setp.le.s16 $d, $a, $b",
                   .i32 = "setp.le.s32 $d, $A, $B",
                   .i64 = "setp.le.s64 $d, $a, $b"},
    /* floating point */
    [IR_OP_fadd] = {.f16 = "add.rn.f16 $d, $a, $b",
                    .f32 = "add$r$z.f32 $d, $a, $b",
                    .f64 = "add$r.f64 $d, $a, $b"},
    [IR_OP_fsub] = {.f16 = "sub.rn.f16 $d, $a, $b",
                    .f32 = "sub$r$z.f32 $d, $a, $b",
                    .f64 = "sub$r.f64 $d, $a, $b"},
    [IR_OP_fmul] = {.f16 = "mul.rn.f16 $d, $a, $b",
                    .f32 = "mul$r$z.f32 $d, $a, $b",
                    .f64 = "mul$r.f64 $d, $a, $b"},
    [IR_OP_fdiv] = {.f32 = "div$r$z.f32 $d, $a, $b",
                    .f64 = "div$r.f64 $d, $a, $b",
                    .fast = "div.full$z.f32 $d, $a, $b"},
    [IR_OP_fma] = {.f16 = "fma.rn.f16 $d, $a, $b, $c",
                   .f32 = "fma$r$z.f32 $d, $a, $b, $c",
                   .f64 = "fma$r.f64 $d, $a, $b, $c"},
    [IR_OP_mad] = {.f16 = "fma.rn.f16 $d, $a, $b, $c",
                   .f32 = "fma.rn$z.f32 $d, $a, $b, $c",
                   .f64 = "fma.rn.f64 $d, $a, $b, $c"},
    [IR_OP_fneg] = {.f16 = "xor.b16 $d, $a, 0x8000",
                    .f32 = "neg.f32 $d, $a",
                    .f64 = "neg.f64 $d, $a",
                    .exact = "mov.b32 $w0, $a; xor.b32 $w1, $w0, 0x80000000; mov.b32 $d, $w1",
                    .exactd = "mov.b64 $l0, $a; xor.b64 $l1, $l0, 0x8000000000000000;"
                              "mov.b64 $d, $l1"},
    [IR_OP_fabs] = {.f16 = "and.b16 $d, $a, 0x7fff",
                    .f32 = "abs.f32 $d, $a",
                    .f64 = "abs.f64 $d, $a",
                    .exact = "mov.b32 $w0, $a; and.b32 $w1, $w0, 0x7fffffff; mov.b32 $d, $w1",
                    .exactd = "mov.b64 $l0, $a; and.b64 $l1, $l0, 0x7fffffffffffffff;"
                              "mov.b64 $d, $l1"},
    [IR_OP_fcopysign] = {.f16 = "and.b16 $s0, $a, 0x7fff; and.b16 $s1, $b, 0x8000;"
                                "or.b16 $d, $s0, $s1",
                         .f32 = "copysign.f32 $d, $b, $a",
                         .f64 = "copysign.f64 $d, $b, $a"},
    [IR_OP_fsqrt] = {.f32 = "sqrt$r$z.f32 $d, $a",
                     .f64 = "sqrt$r.f64 $d, $a",
                     .fast = "sqrt.approx$z.f32 $d, $a"},
    [IR_OP_fmin] = {.f32 = "min$z.f32 $d, $a, $b", .f64 = "min.f64 $d, $a, $b"},
    [IR_OP_fmax] = {.f32 = "max$z.f32 $d, $a, $b", .f64 = "max.f64 $d, $a, $b"},
    [IR_OP_ffloor] = {.f32 = "cvt.rmi.f32.f32 $d, $a", .f64 = "cvt.rmi.f64.f64 $d, $a"},
    [IR_OP_fceil] = {.f32 = "cvt.rpi.f32.f32 $d, $a", .f64 = "cvt.rpi.f64.f64 $d, $a"},
    [IR_OP_ftrunc] = {.f32 = "cvt.rzi.f32.f32 $d, $a", .f64 = "cvt.rzi.f64.f64 $d, $a"},
    [IR_OP_frint] = {.f32 = "cvt.rni.f32.f32 $d, $a", .f64 = "cvt.rni.f64.f64 $d, $a"},
    [IR_OP_frcp_fast] = {.f32 = "rcp.approx$z.f32 $d, $a", .f64 = "rcp.rn.f64 $d, $a"},
    [IR_OP_frsqrt_fast] = {.f32 = "rsqrt.approx$z.f32 $d, $a",
                           .f64 = "sqrt.rn.f64 $e0, $a; rcp.rn.f64 $d, $e0"},
    [IR_OP_fsin_fast] = {.f32 = "sin.approx$z.f32 $d, $a"},
    [IR_OP_fcos_fast] = {.f32 = "cos.approx$z.f32 $d, $a"},
    [IR_OP_fexp2_fast] = {.f32 = "ex2.approx$z.f32 $d, $a"},
    [IR_OP_flog2_fast] = {.f32 = "lg2.approx$z.f32 $d, $a"},
    [IR_OP_ftanh_fast] = {.f32 = "tanh.approx.f32 $d, $a", .arch = 75},
    [IR_OP_feq] = {.f16 = "setp.eq.f16 $d, $a, $b",
                   .f32 = "setp.eq$z.f32 $d, $a, $b",
                   .f64 = "setp.eq.f64 $d, $a, $b"},
    [IR_OP_fne] = {.f16 = "setp.neu.f16 $d, $a, $b",
                   .f32 = "setp.neu$z.f32 $d, $a, $b",
                   .f64 = "setp.neu.f64 $d, $a, $b"},
    [IR_OP_flt] = {.f16 = "setp.lt.f16 $d, $a, $b",
                   .f32 = "setp.lt$z.f32 $d, $a, $b",
                   .f64 = "setp.lt.f64 $d, $a, $b"},
    [IR_OP_fle] = {.f16 = "setp.le.f16 $d, $a, $b",
                   .f32 = "setp.le$z.f32 $d, $a, $b",
                   .f64 = "setp.le.f64 $d, $a, $b"},
    [IR_OP_funo] = {.f32 = "setp.nan.f32 $d, $a, $b", .f64 = "setp.nan.f64 $d, $a, $b"},
    /* choice */
    [IR_OP_select] = {.i1 = "and.pred $p0, $a, $b; not.pred $p1, $a; and.pred $p2, $p1, $c;"
                            "or.pred $d, $p0, $p2",
                      .i16 = "selp.b16 $d, $b, $c, $a",
                      .i32 = "selp.b32 $d, $b, $c, $a",
                      .i64 = "selp.b64 $d, $b, $c, $a",
                      .f16 = "selp.b16 $d, $b, $c, $a",
                      .f32 = "selp.f32 $d, $b, $c, $a",
                      .f64 = "selp.f64 $d, $b, $c, $a"},
};

/* ops whose i8 result is right when computed on the zero-extended 16-bit register */
static bool fits_in_16(enum ir_op op)
{
    return op == IR_OP_and || op == IR_OP_or || op == IR_OP_xor || op == IR_OP_umin ||
           op == IR_OP_umax || op == IR_OP_eq || op == IR_OP_ne || op == IR_OP_ult ||
           op == IR_OP_ule || op == IR_OP_select;
}

/* The rows of i8 that do not follow from the i32 column. */
static const char *byte_template(enum ir_op op)
{
    switch (op) {
    case IR_OP_umulhi:
        return "cvt.u32.u16 $w0, $a; cvt.u32.u16 $w1, $b; mul.lo.s32 $w2, $w0, $w1;"
               "shr.u32 $w3, $w2, 8; cvt.u16.u32 $d, $w3";
    case IR_OP_smulhi:
        return "cvt.s32.s8 $w0, $a; cvt.s32.s8 $w1, $b; mul.lo.s32 $w2, $w0, $w1;"
               "shr.u32 $w3, $w2, 8; cvt.u8.u32 $d, $w3";
    case IR_OP_clz:
        return "cvt.u32.u16 $w0, $a; clz.b32 $w1, $w0; sub.s32 $w2, $w1, 24;"
               "cvt.u16.u32 $d, $w2";
    case IR_OP_brev:
        return "cvt.u32.u16 $w0, $a; brev.b32 $w1, $w0; shr.u32 $w2, $w1, 24;"
               "cvt.u16.u32 $d, $w2";
    case IR_OP_fshl:
        return "cvt.u32.u16 $w0, $a; cvt.u32.u16 $w1, $b; shl.b32 $w2, $w0, 8;"
               "or.b32 $w3, $w2, $w1; cvt.u32.u16 $w4, $c; and.b32 $w5, $w4, 7;"
               "shl.b32 $w6, $w3, $w5; shr.u32 $w7, $w6, 8; cvt.u8.u32 $d, $w7";
    case IR_OP_fshr:
        return "cvt.u32.u16 $w0, $a; cvt.u32.u16 $w1, $b; shl.b32 $w2, $w0, 8;"
               "or.b32 $w3, $w2, $w1; cvt.u32.u16 $w4, $c; and.b32 $w5, $w4, 7;"
               "shr.u32 $w6, $w3, $w5; cvt.u8.u32 $d, $w6";
    default: return NULL;
    }
}

/* The rows of f16 that are bf16's as well. */
static bool moves_bits(enum ir_op op)
{
    return op == IR_OP_fneg || op == IR_OP_fabs || op == IR_OP_fcopysign || op == IR_OP_select;
}

enum via { VIA_NONE, VIA_I32, VIA_F32 };

/* The template for an op at a type, and the detour it takes to get there. */
static const char *find(enum ir_op op, ir_type type, uint32_t flags, bool exact, enum via *via)
{
    const struct ptx_row *r = &ptx_ops[op];
    *via = VIA_NONE;
    switch (ptx_class_of(type)) {
    case PTX_PRED: return r->i1;
    case PTX_B16:
        if (ir_kind(type) == IR_I8) {
            const char *byte = byte_template(op);
            if (byte)
                return byte;
            if (fits_in_16(op))
                return r->i16;
        } else if (r->i16) {
            return r->i16;
        }
        *via = VIA_I32;
        return r->i32;
    case PTX_B32: return r->i32;
    case PTX_B64: return r->i64;
    case PTX_F16:
        if (r->f16 && (ir_kind(type) == IR_F16 || moves_bits(op)) && !(flags & IR_ROUND_MASK))
            return r->f16;
        *via = VIA_F32;
        return r->f32;
    case PTX_F32:
        return (flags & IR_FAST) && r->fast ? r->fast : exact && r->exact ? r->exact : r->f32;
    case PTX_F64: return exact && r->exactd ? r->exactd : r->f64;
    case PTX_CLASSES: break;
    }
    return NULL;
}

bool ptx_has_row(enum ir_op op, ir_type type)
{
    enum via via;
    return find(op, type, 0, false, &via) != NULL;
}

/* The temporaries of one expansion, by class and digit. */
struct temporaries {
    const char *reg[PTX_CLASSES][10];
};

static const char *temporary(struct ptx_func *e, char letter, unsigned n, struct temporaries *made)
{
    static const char letters[] = "pswlhfe"; /* in the order of enum ptx_class */
    enum ptx_class c = (enum ptx_class)(strchr(letters, letter) - letters);
    if (!made->reg[c][n])
        made->reg[c][n] = ptx_fresh(e, c);
    return made->reg[c][n];
}

void ptx_template(struct ptx_func *e, const char *text, const struct ptx_bind *b)
{
    static const char *const rounding[] = {".rn", ".rz", ".rp", ".rm"};
    struct temporaries made = {0};
    while (*text) {
        char line[256];
        size_t n = 0, len = strcspn(text, ";");
        const char *at = text, *end = text + len;
        text = *end ? end + 1 : end;
        while (at < end && *at == ' ')
            at++;
        bool skip = at < end && *at == '?' && b->second_not_zero;
        if (at < end && *at == '?')
            at++;
        if (skip)
            continue;
        while (at < end && n < sizeof line - 64) {
            if (*at != '$') {
                line[n++] = *at++;
                continue;
            }
            char c = at[1];
            const char *s;
            at += 2;
            if (c == 'd') {
                s = b->d;
            } else if (c >= 'a' && c <= 'c') {
                s = b->arg[c - 'a'];
            } else if (c >= 'A' && c <= 'C') {
                s = b->arg[c - 'A'];
            } else if (c == 'r') {
                s = rounding[b->flags & IR_ROUND_MASK];
            } else if (c == 'z') {
                s = b->flags & IR_FTZ && ir_kind(b->type) == IR_F32 ? ".ftz" : "";
            } else {
                s = temporary(e, c, (unsigned)(*at++ - '0'), &made);
            }
            size_t sn = strlen(s);
            if (n + sn >= sizeof line)
                sn = sizeof line - 1 - n;
            memcpy(line + n, s, sn);
            n += sn;
        }
        ptx_line(e, "%.*s", (int)n, line);
    }
}

/* Does the template name operand k sign-extended? */
static bool wants_signed(const char *text, unsigned k)
{
    char name[3] = {'$', (char)('A' + k), 0};
    return strstr(text, name) != NULL;
}

static unsigned operands(const char *text)
{
    return strstr(text, "$c") || strstr(text, "$C")   ? 3
           : strstr(text, "$b") || strstr(text, "$B") ? 2
                                                      : 1;
}

/* bf16 fma rounds once: in f32 to odd, which keeps the information that the second rounding needs.
 */
static void bf16_fma(struct ptx_func *e, const struct ptx_bind *b)
{
    if (e->p->arch >= 80 && !(b->flags & IR_ROUND_MASK)) {
        ptx_line(e, "fma.rn.bf16 %s, %s, %s, %s", b->d, b->arg[0], b->arg[1], b->arg[2]);
        return;
    }
    const char *x[3], *down = ptx_fresh(e, PTX_F32), *up = ptx_fresh(e, PTX_F32),
                      *odd = ptx_fresh(e, PTX_F32);
    for (unsigned k = 0; k < 3; k++)
        x[k] = ptx_to_f32(e, IR_BF16, b->arg[k]);
    ptx_line(e, "fma.rm.f32 %s, %s, %s, %s", down, x[0], x[1], x[2]);
    ptx_line(e, "fma.rp.f32 %s, %s, %s, %s", up, x[0], x[1], x[2]);
    ptx_round_to_odd(e, odd, down, up);
    ptx_from_f32(e, IR_BF16, b->d, odd, b->flags);
}

bool ptx_plain(struct ptx_func *e, enum ir_op op, const struct ptx_bind *b)
{
    enum via via;
    const char *text = find(op, b->type, b->flags, b->exact, &via);
    if (!text)
        return false;
    if (ptx_ops[op].arch > e->p->arch) {
        ptx_needs_arch(e, ptx_ops[op].arch, ir_op_info[op].name);
        return true;
    }
    struct ptx_bind w = *b;
    if ((op == IR_OP_fma || op == IR_OP_mad) && ir_kind(b->type) == IR_BF16) {
        bf16_fma(e, b);
        return true;
    }
    if (via == VIA_NONE) {
        ptx_template(e, text, b);
        return true;
    }
    unsigned n = operands(text);
    bool pred = ptx_class_of(b->result) == PTX_PRED;
    if (via == VIA_I32) {
        for (unsigned k = 0; k < n; k++)
            w.arg[k] = ptx_widen(e, b->type, b->arg[k], wants_signed(text, k));
        w.type = IR_I32;
        w.d = pred ? b->d : ptx_fresh(e, PTX_B32);
        ptx_template(e, text, &w);
        if (!pred)
            ptx_narrow(e, b->type, b->d, w.d);
    } else {
        for (unsigned k = 0; k < n; k++)
            w.arg[k] = ptx_to_f32(e, b->type, b->arg[k]);
        w.type = IR_F32;
        w.flags &= ~(uint32_t)IR_FTZ;
        w.d = pred ? b->d : ptx_fresh(e, PTX_F32);
        ptx_template(e, text, &w);
        if (!pred)
            ptx_from_f32(e, b->type, b->d, w.d, b->flags);
    }
    return true;
}
