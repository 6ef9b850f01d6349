/* Vectors of 64-bit integers from and to f64 with AVX2, which has no instructions for that: as
 * halves of 32 bits, which are the last digits of a large float when they are added to it. */
#include "back/x64/x64_vector.h"

#define F64_2_52      (UINT64_C(0x433) << 52)
#define F64_2_52_1_5  (UINT64_C(0x4338) << 48)
#define F64_2_84      (UINT64_C(0x453) << 52)
#define F64_2_63      (UINT64_C(0x43e) << 52)
#define F64_2_64      (UINT64_C(0x43f) << 52)
#define F64_2_32      (UINT64_C(0x41f) << 52)
#define F64_2_MINUS32 (UINT64_C(0x3df) << 52)
#define SIGN          (UINT64_C(1) << 63)
#define LOW           UINT64_C(0xffffffff)

static mach_reg all(struct cpu_sel *s, uint64_t bits)
{
    return cpu_splat(s, IR_I64, bits);
}

/* Rounded once: the sum of both halves. What the upper one is taken for too much, 2^84, 2^52 of the
 * lower one, and 2^63 where its sign was exchanged, goes first, and exactly. */
mach_reg x64_long_to_double(struct cpu_sel *s, bool is_signed, mach_reg v)
{
    const uint64_t sign = is_signed ? UINT64_C(1) << 31 : 0;
    const mach_reg low = cpu_v2(s, X64_VOR, cpu_v2(s, X64_VAND, v, all(s, LOW)), all(s, F64_2_52));
    mach_reg high = cpu_v2(s, X64_VXOR, cpu_v2(s, X64_VSHRdi, v, 32), all(s, F64_2_84 | sign));
    high = cpu_v2(s, X64_VSUBd, high, all(s, (F64_2_84 | sign) + (UINT64_C(1) << 20)));
    return cpu_v2(s, X64_VADDd, high, low);
}

/* Of a float that is in range: the upper half is the float by 2^32, rounded down, the lower one
 * what is left. */
static mach_reg halves(struct cpu_sel *s, mach_reg v)
{
    mach_reg high = cpu_v2(s, X64_VMULd, v, all(s, F64_2_MINUS32));
    high = cpu_v2(s, X64_VROUNDd, high, x64_rounding(IR_RD));
    mach_reg low = cpu_v3(s, X64_VFMADDd, high, all(s, F64_2_32 | SIGN), v);
    high = cpu_v2(s, X64_VADDd, high, all(s, F64_2_52_1_5));
    low = cpu_v2(s, X64_VADDd, low, all(s, F64_2_52));
    return cpu_v2(s, X64_VOR, cpu_v2(s, X64_VSHLdi, high, 32),
                  cpu_v2(s, X64_VXOR, low, all(s, F64_2_52)));
}

/* Towards zero. What is too large or too small becomes the end of the range, NaN the top bit. */
mach_reg x64_double_to_long(struct cpu_sel *s, bool is_signed, mach_reg v)
{
    const mach_reg zero = all(s, 0);
    mach_reg x = cpu_v2(s, X64_VROUNDd, v, x64_rounding(IR_RZ));
    if (!is_signed)
        x = cpu_v2(s, X64_VMAXd, x, zero); /* of NaN, the second operand */
    mach_reg r = halves(s, x);
    const mach_reg large =
        cpu_v3(s, X64_VCMPd, all(s, is_signed ? F64_2_63 : F64_2_64), x, X64_LE_OS);
    r = cpu_v3(s, X64_VBLEND, r, all(s, is_signed ? INT64_MAX : UINT64_MAX), large);
    const mach_reg in_range = is_signed
                                  ? cpu_v3(s, X64_VCMPd, all(s, F64_2_63 | SIGN), x, X64_LE_OS)
                                  : cpu_v3(s, X64_VCMPd, v, v, X64_ORD_Q);
    return cpu_v3(s, X64_VBLEND, all(s, SIGN), r, in_range);
}
