/* Opens one pass over the generic functions: include with __TERN_BITS set to 32 or 64.
 *
 * Most functions are one text for float and double: the polynomials (poly32.h, poly64.h), the
 * constants and the word sizes differ, the algorithm does not. In that text
 *   T U I      the float type, its unsigned and signed twins      DW  an unevaluated sum h + l
 *   FN(sin)    __tern_sinf or __tern_sin                          P(sin)  its polynomial
 *   K(pi, h)   the head of a constant (h, m, l)                   C(a, b) a for float, b for double
 * end.h takes all of it away again. */
#if __TERN_BITS == 32
#define T         float
#define U         __tern_u32
#define I         __tern_i32
#define DW        struct __tern_dwf
#define FN(n)     __tern_##n##f
#define P(n)      __tern_p_##n##f
#define K(n, p)   __tern_k_##n##_##p##f
#define C(a, b)   a
#define MANT      23
#define BIAS      127
#define WORD      32
#define FMA       __tern_fmaf
#define SQRT      __tern_sqrtf
#define RINT      __tern_rintf
#define FLOOR     __tern_floorf
#define TRUNC     __tern_truncf
#define ABS       __tern_absf
#define COPYSIGN  __tern_copysignf
#define MIN       __tern_minf
#define MAX       __tern_maxf
#define BITS      __tern_bits_f32
#define FROM      __tern_f32_bits
#define UMULHI    __tern_umulhi32
#define CLZ       __tern_clz32
#define SHL       __tern_shl32
#define SHR       __tern_shr32
#define TO_I32    __tern_f32_to_i32
#define TO_I64    __tern_f32_to_i64
#define SIGN      0x80000000u
#define EXPONENT  0x7f800000u
#define QUIET_NAN __tern_f32_bits(0x7fffffffu)
#define TWO_OVER_PI __tern_2_over_pif
#else
#define T         double
#define U         __tern_u64
#define I         __tern_i64
#define DW        struct __tern_dwd
#define FN(n)     __tern_##n
#define P(n)      __tern_p_##n
#define K(n, p)   __tern_k_##n##_##p
#define C(a, b)   b
#define MANT      52
#define BIAS      1023
#define WORD      64
#define FMA       __tern_fma
#define SQRT      __tern_sqrt
#define RINT      __tern_rint
#define FLOOR     __tern_floor
#define TRUNC     __tern_trunc
#define ABS       __tern_abs
#define COPYSIGN  __tern_copysign
#define MIN       __tern_min
#define MAX       __tern_max
#define BITS      __tern_bits_f64
#define FROM      __tern_f64_bits
#define UMULHI    __tern_umulhi64
#define CLZ       __tern_clz64
#define SHL       __tern_shl64
#define SHR       __tern_shr64
#define TO_I32    __tern_f64_to_i32
#define TO_I64    __tern_f64_to_i64
#define SIGN      0x8000000000000000ull
#define EXPONENT  0x7ff0000000000000ull
#define QUIET_NAN __tern_f64_bits(0x7fffffffffffffffull)
#define TWO_OVER_PI __tern_2_over_pi
#endif
#define INFINITE  FROM(EXPONENT)
#define MAGNITUDE (~SIGN)
