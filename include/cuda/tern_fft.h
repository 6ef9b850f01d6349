/* Transforms beyond cuFFT's, Tern's own calls (with -lcufft): cosine and sine transforms, convolution, and transforms over the integers modulo a
 * prime. Data lie in device memory, transforms one after the other; everything is done in the order of the stream. Only for host code. */
#pragma once
#include <stdint.h>
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y[k] = sum of x[j] * the factor, FFTW's definitions: none is scaled. A kind and its inverse, one after the other, multiply by 2 (n - 1) for DCT1,
 * 2 (n + 1) for DST1 and 2 n for the others; 2 is 3's inverse and 3 is 2's, the others are their own. */
typedef enum {
    TERN_DCT1, /* x[0] + (-1)^k x[n - 1] + 2 cos(pi j k / (n - 1)) between them: n >= 2 */
    TERN_DCT2, /* 2 cos(pi (j + 1/2) k / n) */
    TERN_DCT3, /* x[0] + 2 cos(pi j (k + 1/2) / n) for j > 0 */
    TERN_DCT4, /* 2 cos(pi (j + 1/2) (k + 1/2) / n) */
    TERN_DST1, /* 2 sin(pi (j + 1) (k + 1) / (n + 1)) */
    TERN_DST2, /* 2 sin(pi (j + 1/2) (k + 1) / n) */
    TERN_DST3, /* (-1)^k x[n - 1] + 2 sin(pi (j + 1) (k + 1/2) / n) for j < n - 1 */
    TERN_DST4  /* 2 sin(pi (j + 1/2) (k + 1/2) / n) */
} ternRealKind_t;

/* type: CUDA_R_32F or CUDA_R_64F; x and y may be the same. Any n. */
cufftResult ternRealTransform(cudaStream_t stream, cudaDataType type, ternRealKind_t kind, int64_t n, int64_t batch, const void *x, void *y);

/* c[k] = sum of a[j] b[k - j], of na + nb - 1 numbers; a, b and c of each batch one after the other. type: CUDA_R_32F, CUDA_R_64F, CUDA_C_32F or
 * CUDA_C_64F. c may not overlap a or b. */
cufftResult ternConvolve(cudaStream_t stream, cudaDataType type, int64_t na, int64_t nb, int64_t batch, const void *a, const void *b, void *c);

/* y[k] = sum of x[j] root^(j k) modulo a prime, and back (with 1 / n). Words have 32 or 64 bits, primes are odd and less than 2^bits; n divides
 * prime - 1 and is a product of primes up to 61. root: of order n, or 0 for one that is found: the smallest b from 2 on whose power (prime - 1) / n
 * is of order n gives it. Numbers that are not below the prime are taken modulo it. */
typedef struct ternNtt *ternNtt_t;
cufftResult ternNttCreate(ternNtt_t *plan, int bits, int64_t n, int64_t batch, uint64_t prime, uint64_t root);
cufftResult ternNttDestroy(ternNtt_t plan);
uint64_t ternNttRoot(ternNtt_t plan);
/* direction: CUFFT_FORWARD or CUFFT_INVERSE; x and y may be the same. */
cufftResult ternNttExecute(ternNtt_t plan, cudaStream_t stream, const void *x, void *y, int direction);
/* c = a b modulo x^n - 1 and the prime, polynomials by their coefficients; any of the three may be the same. */
cufftResult ternNttMultiply(ternNtt_t plan, cudaStream_t stream, const void *a, const void *b, void *c);

#ifdef __cplusplus
}
#endif
