/* NPP's regions: labels of connected pixels of the same value, labels without gaps, distances to
 * sites. */
#include "lib/npp/npp_int.h"

static const char header[] = "npp/regions.h";

/* The image that labels lie in is what they are found with, too. */
struct parents {
    void *p;
    int step, width;
};

NppStatus npp_small_buffer(NppiSize size, int *bytes)
{
    if (!bytes)
        return NPP_NULL_POINTER_ERROR;
    if (size.width < 0 || size.height < 0)
        return NPP_SIZE_ERROR;
    *bytes = 8; /* scratch memory comes from the stream's pool */
    return NPP_SUCCESS;
}

/* ---- labels ---- */

NppStatus nppiLabelMarkersUFGetBufferSize_32u_C1R(NppiSize size, int *bytes)
{
    return npp_small_buffer(size, bytes);
}

NppStatus nppiCompressMarkerLabelsGetBufferSize_32u_C1R(int labels, int *bytes)
{
    return npp_small_buffer((NppiSize){labels, 1}, bytes);
}

NppStatus npp_labels(const struct npp_call *call, const void *a, int a_step, Npp32u *d, int d_step,
                     NppiSize size, NppiNorm norm, Npp8u *buffer)
{
    NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer)
        return NPP_NULL_POINTER_ERROR;
    if (norm != nppiNormInf && norm != nppiNormL1)
        return NPP_BAD_ARGUMENT_ERROR;
    const int64_t n = (int64_t)size.width * size.height;
    struct parents l = {d, d_step, size.width};
    int across = norm == nppiNormInf, height = size.height;
    r = npp_run_plain(call, header, "npp_label_start", n, (void *[]){&l, &height});
    if (r == NPP_SUCCESS)
        r = npp_run_from(call, header, "npp_label_join", false, n,
                         (void *[]){&l, &height, &across, &a, &a_step});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, header, "npp_label_end", n, (void *[]){&l, &height});
    return r;
}

/* marks: which of n labels there are, then their new numbers; behind them the ranges' sums. */
static NppStatus compress_steps(const struct npp_call *call, struct parents l, int height,
                                unsigned n, unsigned *marks)
{
    const int64_t pixels = (int64_t)l.width * height;
    unsigned *before = marks + n;
    NppStatus r =
        npp_run_plain(call, header, "npp_label_mark", pixels, (void *[]){&l, &height, &n, &marks});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, header, "npp_label_count", NPP_RANGES,
                          (void *[]){&n, &marks, &before});
    struct lib_device device;
    const tern_dim one = {1};
    if (r == NPP_SUCCESS) {
        enum tern_error e = lib_device(&device);
        if (!e)
            e = lib_run(&device, call->stream, header, "npp_label_add", one, one,
                        (void *[]){&before});
        r = npp_status(e);
    }
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, header, "npp_label_number", NPP_RANGES,
                          (void *[]){&n, &marks, &before});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, header, "npp_label_rename", pixels,
                          (void *[]){&l, &height, &n, &marks});
    return r;
}

NppStatus npp_labels_compress(const struct npp_call *call, Npp32u *d, int d_step, NppiSize size,
                              int labels, int *count, Npp8u *buffer)
{
    NppStatus r = npp_check(d, d_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer || !count)
        return NPP_NULL_POINTER_ERROR;
    if (labels < 1)
        return NPP_BAD_ARGUMENT_ERROR;
    unsigned *marks;
    const unsigned n = (unsigned)labels;
    const enum tern_error e =
        lib_scratch(call->stream, ((size_t)n + NPP_RANGES + 1) * sizeof *marks, (void **)&marks);
    if (e)
        return npp_status(e);
    r = cudaMemsetAsync(marks, 0, n * sizeof *marks, call->stream) == cudaSuccess
            ? compress_steps(call, (struct parents){d, d_step, size.width}, size.height, n, marks)
            : NPP_CUDA_KERNEL_EXECUTION_ERROR;
    if (r == NPP_SUCCESS && (cudaMemcpyAsync(count, marks + n + NPP_RANGES, sizeof *count,
                                             cudaMemcpyDeviceToHost, call->stream) != cudaSuccess ||
                             cudaStreamSynchronize(call->stream) != cudaSuccess))
        r = NPP_MEMCPY_ERROR;
    lib_scratch_free(call->stream, marks);
    return r;
}

/* ---- distances ---- */

NppStatus nppiDistanceTransformPBAGetBufferSize(NppiSize size, size_t *bytes)
{
    return npp_buffer_size(NULL, size, bytes);
}

NppStatus npp_distance(const struct npp_call *call, const void *a, int a_step, const void *low,
                       const void *high, Npp16s *voronoi, int voronoi_step, Npp16s *places,
                       int places_step, Npp16s *manhattan, int manhattan_step, void *d, int d_step,
                       NppiSize size, Npp8u *buffer)
{
    (void)voronoi_step, (void)manhattan_step;
    NppStatus r = npp_check(a, a_step, a, a_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer)
        return NPP_NULL_POINTER_ERROR;
    if ((d && d_step <= 0) || (places && places_step <= 0))
        return NPP_STEP_ERROR;
    if (voronoi || manhattan) /* what they hold is not documented */
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    int least = *(const Npp8u *)low, most = *(const Npp8u *)high, *rows;
    const int64_t n = (int64_t)size.width * size.height;
    const enum tern_error e = lib_scratch(call->stream, (size_t)n * sizeof *rows, (void **)&rows);
    if (e)
        return npp_status(e);
    r = npp_run_from(call, header, "npp_site_rows", false, size.width,
                     (void *[]){&size.width, &size.height, &least, &most, &a, &a_step, &rows});
    if (r == NPP_SUCCESS)
        r = npp_run_from(
            call, header, "npp_site_distance", true, n,
            (void *[]){&size.width, &size.height, &rows, &d, &d_step, &places, &places_step});
    lib_scratch_free(call->stream, rows);
    return r;
}
