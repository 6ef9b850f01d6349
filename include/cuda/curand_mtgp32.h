/* MTGP32, a Mersenne twister for graphics processors (Saito, Matsumoto, 2010), in the shape of
 * cuRAND's device API: a state belongs to a block, and has one of 200 sets of parameters. */
#pragma once
#define MEXP                     11213 /* the period is 2^MEXP - 1 */
#define MTGPDC_MEXP              11213
#define MTGPDC_N                 351 /* words of the recurrence */
#define MTGPDC_FLOOR_2P          256 /* threads that may draw together */
#define MTGPDC_CEIL_2P           512
#define MTGPDC_PARAM_TABLE       mtgp32dc_params_fast_11213
#define MTGP32_STATE_SIZE        1024
#define MTGP32_STATE_MASK        1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define TBL_SIZE                 16
#define THREAD_NUM               MTGPDC_FLOOR_2P
#define LARGE_SIZE               (THREAD_NUM * 3)

/* One set: where the recurrence looks, its shifts, and what four bits add to it, to the output and to
 * the output as a float in [1, 2). poly_sha1 names the recurrence's characteristic polynomial. */
struct mtgp32_params_fast {
    int mexp, pos, sh1, sh2;
    unsigned int tbl[TBL_SIZE], tmp_tbl[TBL_SIZE], flt_tmp_tbl[TBL_SIZE], mask;
    unsigned char poly_sha1[21];
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;

/* All sets, as kernels read them. */
struct mtgp32_kernel_params {
    unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int mask[1];
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

/* The last words of the sequence in a ring, so that threads read and write different ones. */
struct curandStateMtgp32 {
    unsigned int s[MTGP32_STATE_SIZE];
    int offset, pIdx;
    mtgp32_kernel_params_t *k;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;
