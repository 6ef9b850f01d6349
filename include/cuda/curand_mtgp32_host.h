/* MTGP32 on the host: sets of parameters and first states for a device. */
#pragma once
#include "cuda_runtime.h"
#include "curand_mtgp32.h"

#ifndef CURAND_H_ /* cuRAND's own header has these, too */
enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_INITIALIZATION_FAILED = 203
};
typedef enum curandStatus curandStatus_t;
#endif

/* The first words of a sequence, from a seed and the set's table. */
static inline void __tern_mtgp32_start(unsigned int *s, const mtgp32_params_fast_t *p, unsigned int seed)
{
    unsigned int hidden = p->tbl[4] ^ p->tbl[8] << 16, fill = hidden;
    fill += fill >> 16;
    fill += fill >> 8;
    fill = (fill & 0xffu) * 0x01010101u;
    s[0] = seed;
    for (unsigned int i = 1; i < MTGPDC_N; i++)
        s[i] = (i == 1 ? hidden : fill) ^ (1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i);
}

/* Writes all sets to p, which is memory of the device. */
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                       mtgp32_kernel_params_t *p)
{
    static mtgp32_kernel_params_t k;
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; i++) {
        k.pos_tbl[i] = params[i].pos;
        k.sh1_tbl[i] = params[i].sh1;
        k.sh2_tbl[i] = params[i].sh2;
        for (int j = 0; j < TBL_SIZE; j++) {
            k.param_tbl[i][j] = params[i].tbl[j];
            k.temper_tbl[i][j] = params[i].tmp_tbl[j];
            k.single_temper_tbl[i][j] = params[i].flt_tmp_tbl[j];
        }
    }
    k.mask[0] = params[0].mask;
    return cudaMemcpy(p, &k, sizeof k, cudaMemcpyHostToDevice) == cudaSuccess
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_INITIALIZATION_FAILED;
}

/* Writes n first states, each with a set and a seed of its own, to s, memory of the device. */
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *s, mtgp32_params_fast_t params[],
                                                         mtgp32_kernel_params_t *k, int n, unsigned long long seed)
{
    if (n < 0 || n > CURAND_NUM_MTGP32_PARAMS)
        return CURAND_STATUS_OUT_OF_RANGE;
    for (int i = 0; i < n; i++) {
        curandStateMtgp32_t state = {{0}, 0, 0, NULL};
        __tern_mtgp32_start(state.s, &params[i], (unsigned int)(seed ^ seed >> 32) + (unsigned int)i + 1u);
        state.pIdx = i;
        state.k = k;
        if (cudaMemcpy(s + i, &state, sizeof state, cudaMemcpyHostToDevice) != cudaSuccess)
            return CURAND_STATUS_INITIALIZATION_FAILED;
    }
    return CURAND_STATUS_SUCCESS;
}
