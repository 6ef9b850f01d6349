/* Drawing from an MTGP32 state: every thread of the block, 256 at most, calls together and gets the
 * word of its own place in the sequence. */
#pragma once
#include "curand_mtgp32.h"
#ifdef __TERN_DEVICE__
/* The word for the thread at `i`; the table says how its bits are spread for the output. */
__TERN_FN unsigned int __tern_mtgp32_draw(curandStateMtgp32_t *s, unsigned int i, bool single)
{
    const mtgp32_kernel_params_t *k = s->k;
    unsigned int at = s->offset + i, set = s->pIdx, pos = k->pos_tbl[set];
    unsigned int r = __tern_mtgp_step(s->s[at & MTGP32_STATE_MASK], s->s[(at + 1) & MTGP32_STATE_MASK],
                                      s->s[(at + pos) & MTGP32_STATE_MASK], k->sh1_tbl[set],
                                      k->sh2_tbl[set], k->mask[0], k->param_tbl[set]);
    unsigned int t = s->s[(at + pos - 1) & MTGP32_STATE_MASK];
    s->s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = r;
    return single ? __tern_mtgp_temper(r >> 9, t, k->single_temper_tbl[set])
                  : __tern_mtgp_temper(r, t, k->temper_tbl[set]);
}
/* The first thread moves the state on, between two barriers: nobody reads it then. */
__TERN_FN void __tern_mtgp32_move(curandStateMtgp32_t *s, bool first, unsigned int n)
{
    __tern_barrier(0, 0);
    if (first)
        s->offset = (s->offset + n) & MTGP32_STATE_MASK;
    __tern_barrier(0, 0);
}
__TERN_FN unsigned int __tern_mtgp32_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
/* `index` and `n` for a caller that numbers its threads itself */
__TERN_FN unsigned int curand_mtgp32_specific(curandStateMtgp32_t *s, unsigned char index, unsigned char n)
{
    unsigned int r = __tern_mtgp32_draw(s, index, false);
    __tern_mtgp32_move(s, index == 0, n);
    return r;
}
__TERN_FN float curand_mtgp32_single_specific(curandStateMtgp32_t *s, unsigned char index, unsigned char n)
{
    unsigned int r = __tern_mtgp32_draw(s, index, true);
    __tern_mtgp32_move(s, index == 0, n);
    return __uint_as_float(r);
}
__TERN_FN unsigned int curand(curandStateMtgp32_t *s)
{
    unsigned int i = __tern_mtgp32_thread(), r = __tern_mtgp32_draw(s, i, false);
    __tern_mtgp32_move(s, i == 0, blockDim.x * blockDim.y * blockDim.z);
    return r;
}
__TERN_FN float curand_mtgp32_single(curandStateMtgp32_t *s) /* in [1, 2) */
{
    unsigned int i = __tern_mtgp32_thread(), r = __tern_mtgp32_draw(s, i, true);
    __tern_mtgp32_move(s, i == 0, blockDim.x * blockDim.y * blockDim.z);
    return __uint_as_float(r);
}
__TERN_FN float curand_uniform(curandStateMtgp32_t *s)
{
    return __tern_rand_uniformf(curand(s));
}
__TERN_FN double curand_uniform_double(curandStateMtgp32_t *s)
{
    return __tern_rand_uniform32(curand(s));
}
/* By inversion: a block cannot keep the second number of a pair. */
__TERN_FN float curand_normal(curandStateMtgp32_t *s)
{
    return __tern_normcdfinvf(curand_uniform(s));
}
__TERN_FN double curand_normal_double(curandStateMtgp32_t *s)
{
    return __tern_normcdfinv(curand_uniform_double(s));
}
__TERN_FN float curand_log_normal(curandStateMtgp32_t *s, float mean, float deviation)
{
    return __tern_rand_log_normalf(curand_normal(s), mean, deviation);
}
__TERN_FN double curand_log_normal_double(curandStateMtgp32_t *s, double mean, double deviation)
{
    return __tern_rand_log_normal(curand_normal_double(s), mean, deviation);
}
#endif
