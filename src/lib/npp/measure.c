/* NPP's colours and statistics. */
#include <stdio.h>
#include <string.h>
#include "lib/npp/npp_int.h"

/* ---- colours ---- */

static NppStatus colour(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                        NppiSize size, int out, int rows, const Npp32f (*m)[4])
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_twist t = {{{0}}};
    memcpy(t.m, m, (size_t)rows * sizeof *m);
    int width = size.width, height = size.height, in = call->channels;
    return npp_run(call, "npp_colour", false, (int64_t)width * height,
                   (void *[]){&width, &height, &in, &out, &rows, &t, &a, &a_step, &d, &d_step});
}

NppStatus npp_rgb_gray(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                       NppiSize size)
{
    static const Npp32f m[1][4] = {{0.299F, 0.587F, 0.114F, 0}};
    return colour(call, a, a_step, d, d_step, size, 1, 1, m);
}

NppStatus npp_colour_gray(const struct npp_call *call, const void *a, int a_step, void *d,
                          int d_step, NppiSize size, const Npp32f *c)
{
    if (!c)
        return NPP_NULL_POINTER_ERROR;
    const Npp32f m[1][4] = {{c[0], c[1], c[2], 0}};
    return colour(call, a, a_step, d, d_step, size, 1, 1, m);
}

NppStatus npp_colour_twist(const struct npp_call *call, const void *a, int a_step, void *d,
                           int d_step, NppiSize size, const Npp32f (*m)[4])
{
    return m ? colour(call, a, a_step, d, d_step, size, call->channels, 3, m)
             : NPP_NULL_POINTER_ERROR;
}

/* As NPP documents them: Y = 0.299 R + 0.587 G + 0.114 B, U = 0.492 (B - Y) + 128, V = 0.877 (R -
 * Y)
 * + 128; ITU-R BT.601 with its head and foot room. */
#define COLOUR(name, ...)                                                                          \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, void *d,          \
                         int d_step, NppiSize size)                                                \
    {                                                                                              \
        static const Npp32f m[3][4] = __VA_ARGS__;                                                 \
        return colour(call, a, a_step, d, d_step, size, call->channels, 3, m);                     \
    }
COLOUR(rgb_yuv, {{0.299F, 0.587F, 0.114F, 0},
                 {-0.147108F, -0.288804F, 0.435912F, 128},
                 {0.614777F, -0.514799F, -0.099978F, 128}})
COLOUR(yuv_rgb, {{1, 0, 1.140F, -1.140F * 128},
                 {1, -0.394F, -0.581F, (0.394F + 0.581F) * 128},
                 {1, 2.032F, 0, -2.032F * 128}})
COLOUR(rgb_ycbcr, {{0.257F, 0.504F, 0.098F, 16},
                   {-0.148F, -0.291F, 0.439F, 128},
                   {0.439F, -0.368F, -0.071F, 128}})
COLOUR(ycbcr_rgb, {{1.164F, 0, 1.596F, -1.164F * 16 - 1.596F * 128},
                   {1.164F, -0.392F, -0.813F, -1.164F * 16 + (0.392F + 0.813F) * 128},
                   {1.164F, 2.017F, 0, -1.164F * 16 - 2.017F * 128}})

/* ---- statistics ---- */

static NppStatus measure(const struct npp_call *call, int op, const void *a, int a_step,
                         NppiSize size, const void *buffer, void *one, void *two)
{
    const NppStatus r = npp_check(a, a_step, one, 1, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer || ((op == NPP_MEAN_STD || op == NPP_LEAST_MOST) && !two))
        return NPP_NULL_POINTER_ERROR;
    struct lib_device d;
    void *parts;
    enum tern_error e = lib_device(&d);
    if (!e)
        e = lib_scratch(call->stream, sizeof(double) * 4 * 4 * NPP_PARTS, &parts);
    if (e)
        return npp_status(e);
    char name[64];
    struct npp_shape s = npp_shape_of(call, size);
    int64_t n = (int64_t)size.width * size.height;
    int blocks = (int)((n + NPP_THREADS - 1) / NPP_THREADS);
    blocks = blocks > NPP_PARTS ? NPP_PARTS : blocks;
    snprintf(name, sizeof name, "npp_parts<%s>", npp_names[call->from]);
    const tern_dim channels = {.x = (uint32_t)call->channels}, one_block = {.x = 1};
    const tern_dim grid = {.x = (uint32_t)blocks, .y = channels.x}, threads = {.x = NPP_THREADS};
    e = lib_run(&d, call->stream, "npp/image.h", name, grid, threads,
                (void *[]){&s, &a, &a_step, &parts});
    snprintf(name, sizeof name, "npp_total<%s>", npp_names[call->from]);
    if (!e)
        e = lib_run(&d, call->stream, "npp/image.h", name, one_block, channels,
                    (void *[]){&op, &blocks, &n, &parts, &one, &two});
    lib_scratch_free(call->stream, parts);
    return npp_status(e);
}

/* Results lie in device memory. */
#define MEASURE(name, op, type)                                                                    \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, NppiSize size,    \
                         Npp8u *buffer, type *one)                                                 \
    {                                                                                              \
        return measure(call, op, a, a_step, size, buffer, one, NULL);                              \
    }
MEASURE(sum, NPP_SUM, Npp64f)
MEASURE(mean, NPP_MEAN, Npp64f)
MEASURE(least, NPP_LEAST, void)
MEASURE(most, NPP_MOST, void)

NppStatus npp_mean_std(const struct npp_call *call, const void *a, int a_step, NppiSize size,
                       Npp8u *buffer, Npp64f *mean, Npp64f *deviation)
{
    return measure(call, NPP_MEAN_STD, a, a_step, size, buffer, mean, deviation);
}

NppStatus npp_least_most(const struct npp_call *call, const void *a, int a_step, NppiSize size,
                         void *least, void *most, Npp8u *buffer)
{
    return measure(call, NPP_LEAST_MOST, a, a_step, size, buffer, least, most);
}

/* Scratch memory comes from the stream's pool: a buffer is asked for and not used. */
NppStatus npp_buffer_size(const struct npp_call *call, NppiSize size, size_t *bytes)
{
    (void)call;
    if (!bytes)
        return NPP_NULL_POINTER_ERROR;
    if (size.width < 0 || size.height < 0)
        return NPP_SIZE_ERROR;
    *bytes = 8;
    return NPP_SUCCESS;
}

NppStatus npp_histogram_size(const struct npp_call *call, NppiSize size, int levels, size_t *bytes)
{
    return levels < 2 ? NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR : npp_buffer_size(call, size, bytes);
}

NppStatus npp_histogram_one(const struct npp_call *call, const void *a, int a_step, NppiSize size,
                            Npp32s *counts, int levels, Npp32s low, Npp32s high, Npp8u *buffer)
{
    const NppStatus r = npp_check(a, a_step, counts, 1, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer)
        return NPP_NULL_POINTER_ERROR;
    if (levels < 2 || low >= high)
        return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
    struct npp_shape s = npp_shape_of(call, size);
    int bins = levels - 1, channel = 0;
    if (cudaMemsetAsync(counts, 0, (size_t)bins * sizeof *counts, call->stream) != cudaSuccess)
        return NPP_CUDA_KERNEL_EXECUTION_ERROR;
    return npp_run(call, "npp_histogram", false, (int64_t)size.width * size.height,
                   (void *[]){&s, &channel, &a, &a_step, &bins, &low, &high, &counts});
}

NppStatus nppiEvenLevelsHost_32s(Npp32s *levels, int count, Npp32s low, Npp32s high)
{
    if (!levels)
        return NPP_NULL_POINTER_ERROR;
    if (count < 2)
        return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
    for (int64_t k = 0, bins = count - 1; k <= bins; k++)
        levels[k] = (Npp32s)(low + (((int64_t)high - low) * k + bins / 2) / bins);
    return NPP_SUCCESS;
}
