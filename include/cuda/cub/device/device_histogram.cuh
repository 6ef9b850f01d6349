/* Histograms, of one channel or several. */
#pragma once
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"

namespace cub
{
using tern_parallel::workspace;

/* ---- histograms ---- */

namespace detail
{
/* Levels at even distances. */
template <class L> struct even_levels {
    L lower, upper;
    int bins;
    /* In the type of both: 256 is a level of bytes too, and half a level one of floats. */
    template <class S> CUB_HD int of(const S &of) const
    {
        typedef typename std::common_type<L, S>::type T;
        const T sample = (T)of, low = (T)lower, high = (T)upper;
        if (!(sample >= low && sample < high))
            return -1;
        if constexpr (std::is_integral<T>::value) {
            const unsigned long long range = (unsigned long long)(high - low),
                                     from = (unsigned long long)(sample - low);
            /* Divisions of 64 bits are slow; what is asked is the same for all samples. */
            if (range == (unsigned long long)bins)
                return (int)from;
            if (range <= 0xffffffffull && range * bins <= 0xffffffffull)
                return (int)((unsigned)from * (unsigned)bins / (unsigned)range);
            return (int)(from * bins / range);
        } else
            return (int)((sample - low) * ((T)bins / (high - low)));
    }
};
template <class L> struct given_levels {
    const L *levels;
    int bins;
    template <class S> CUB_HD int of(const S &sample) const
    {
        int from = 0, to = bins + 1; /* how many levels are not above */
        while (from < to) {
            const int middle = (from + to) / 2;
            if ((L)sample < levels[middle])
                to = middle;
            else
                from = middle + 1;
        }
        return from <= bins ? from - 1 : -1;
    }
};
template <class C> struct zero_each {
    C *counts;
    CUB_HD void operator()(size_t i)
    {
        counts[i] = 0;
    }
};
/* Samples of one channel of pixels with `channels` samples each. A block counts in shared memory
 * what it has room for, in several copies where there are few bins, so that its warps do not meet
 * in one, and adds that to the counts of all at its end. */
enum { SHARED_BINS = 4096, COUNT_COPIES = 4, COUNT_AT_ONCE = 8 };
/* AT_ONCE 1: on a processor, where threads of a block do not wait for memory or each other. */
template <int AT_ONCE, class I, class C, class L>
__global__ void count_samples(I in, C *counts, L levels, size_t n, int channels)
{
    typedef typename std::decay<decltype(in[(size_t)0])>::type S;
    __shared__ unsigned all[SHARED_BINS];
    const bool shared = levels.bins <= SHARED_BINS;
    const int copies =
        AT_ONCE > 1 && levels.bins * COUNT_COPIES <= SHARED_BINS ? (int)COUNT_COPIES : 1;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (int b = threadIdx.x; shared && b < levels.bins * copies; b += blockDim.x)
        all[b] = 0;
    __syncthreads();
    const int own = AT_ONCE > 1 ? (int)(threadIdx.x / 32) % copies * levels.bins : 0;
    const auto count = [&](const S &sample) {
        const int bin = levels.of(sample);
        if (bin < 0 || bin >= levels.bins)
            return;
        if (shared)
            atomicAdd(&all[own + bin], 1u);
        else
            atomicAdd(&counts[bin], (C)1);
    };
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; AT_ONCE > 1 && i + (AT_ONCE - 1) * step < n; i += AT_ONCE * step) {
        S samples[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            samples[k] = in[(i + k * step) * channels];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            count(samples[k]);
    }
    for (; i < n; i += step)
        count((S)in[i * channels]);
    __syncthreads();
    for (int b = threadIdx.x; shared && b < levels.bins; b += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < copies; c++)
            sum += all[c * levels.bins + b];
        if (sum)
            atomicAdd(&counts[b], (C)sum);
    }
}
/* `rows` of `n` pixels each, `stride` samples from one to the next. */
template <class I, class C, class L>
cudaError_t count(I in, C *counts, L levels, size_t n, cudaStream_t stream, int channels = 1,
                  int channel = 0, size_t rows = 1, size_t stride = 0)
{
    const unsigned blocks = tern_parallel::blocks_for(n, 16 * tern_parallel::THREADS);
    cudaError_t e = tern_parallel::each(zero_each<C>{counts}, levels.bins, stream);
    const unsigned grid = blocks < 1024 ? blocks : 1024;
    const bool alone = tern_parallel::on_processor();
    for (size_t r = 0; r < rows && n && !e; r++) {
        const auto row = raw(in + (ptrdiff_t)(r * stride + (size_t)channel));
        typedef typename std::decay<decltype(row)>::type R;
        if (alone)
            count_samples<1, R, C, L>
                <<<grid, tern_parallel::THREADS, 0, stream>>>(row, counts, levels, n, channels);
        else
            count_samples<COUNT_AT_ONCE, R, C, L>
                <<<grid, tern_parallel::THREADS, 0, stream>>>(row, counts, levels, n, channels);
        e = cudaPeekAtLastError();
    }
    return e;
}
/* Rows that follow each other without a gap are one. */
struct pixel_rows {
    size_t pixels, rows, stride;
    pixel_rows(size_t pixels, size_t rows, size_t stride, int channels)
        : pixels(pixels), rows(rows), stride(stride)
    {
        if (stride == pixels * (size_t)channels) {
            this->pixels = pixels * rows;
            this->rows = 1;
        }
    }
};
} // namespace detail

/* Counts, numbers of levels and levels by channel: arrays of either kind. */
struct DeviceHistogram {
    template <class I, class C, class L, class N>
    static cudaError_t HistogramEven(void *memory, size_t &bytes, I in, C *counts, int levels,
                                     L lower, L upper, N n, detail::on_stream stream = {},
                                     bool = false)
    {
        return HistogramEven(memory, bytes, in, counts, levels, lower, upper, n, (N)1,
                             (size_t)n * sizeof(detail::value_of<I>), stream);
    }
    template <class I, class C, class L, class N>
    static cudaError_t HistogramEven(void *memory, size_t &bytes, I in, C *counts, int levels,
                                     L lower, L upper, N row_samples, N rows, size_t row_bytes,
                                     detail::on_stream stream = {}, bool = false)
    {
        C *all[1] = {counts};
        int levels_of[1] = {levels};
        L lower_of[1] = {lower}, upper_of[1] = {upper};
        return MultiHistogramEven<1, 1>(memory, bytes, in, all, levels_of, lower_of, upper_of,
                                        row_samples, rows, row_bytes, stream);
    }
    template <class I, class C, class L, class N>
    static cudaError_t HistogramRange(void *memory, size_t &bytes, I in, C *counts, int levels,
                                      const L *at, N n, detail::on_stream stream = {}, bool = false)
    {
        return HistogramRange(memory, bytes, in, counts, levels, at, n, (N)1,
                              (size_t)n * sizeof(detail::value_of<I>), stream);
    }
    template <class I, class C, class L, class N>
    static cudaError_t HistogramRange(void *memory, size_t &bytes, I in, C *counts, int levels,
                                      const L *at, N row_samples, N rows, size_t row_bytes,
                                      detail::on_stream stream = {}, bool = false)
    {
        C *all[1] = {counts};
        int levels_of[1] = {levels};
        const L *at_of[1] = {at};
        return MultiHistogramRange<1, 1>(memory, bytes, in, all, levels_of, at_of, row_samples,
                                         rows, row_bytes, stream);
    }
    template <int CHANNELS, int ACTIVE, class I, class CS, class M, class LS, class N>
    static cudaError_t MultiHistogramEven(void *memory, size_t &bytes, I in, const CS &counts,
                                          const M &levels, const LS &lower, const LS &upper,
                                          N pixels, detail::on_stream stream = {}, bool = false)
    {
        return MultiHistogramEven<CHANNELS, ACTIVE>(
            memory, bytes, in, counts, levels, lower, upper, pixels, (N)1,
            (size_t)pixels * CHANNELS * sizeof(detail::value_of<I>), stream);
    }
    template <int CHANNELS, int ACTIVE, class I, class CS, class M, class LS, class N>
    static cudaError_t MultiHistogramEven(void *memory, size_t &bytes, I in, const CS &counts,
                                          const M &levels, const LS &lower, const LS &upper,
                                          N row_pixels, N rows, size_t row_bytes,
                                          detail::on_stream stream = {}, bool = false)
    {
        typedef typename std::decay<decltype(lower[0])>::type L;
        return each_channel<CHANNELS, ACTIVE>(
            memory, bytes, in, counts,
            [&](int c) { return detail::even_levels<L>{lower[c], upper[c], (int)levels[c] - 1}; },
            row_pixels, rows, row_bytes, stream);
    }
    template <int CHANNELS, int ACTIVE, class I, class CS, class M, class LS, class N>
    static cudaError_t MultiHistogramRange(void *memory, size_t &bytes, I in, const CS &counts,
                                           const M &levels, const LS &at, N pixels,
                                           detail::on_stream stream = {}, bool = false)
    {
        return MultiHistogramRange<CHANNELS, ACTIVE>(
            memory, bytes, in, counts, levels, at, pixels, (N)1,
            (size_t)pixels * CHANNELS * sizeof(detail::value_of<I>), stream);
    }
    template <int CHANNELS, int ACTIVE, class I, class CS, class M, class LS, class N>
    static cudaError_t MultiHistogramRange(void *memory, size_t &bytes, I in, const CS &counts,
                                           const M &levels, const LS &at, N row_pixels, N rows,
                                           size_t row_bytes, detail::on_stream stream = {},
                                           bool = false)
    {
        typedef typename std::remove_cv<
            typename std::remove_pointer<typename std::decay<decltype(at[0])>::type>::type>::type L;
        return each_channel<CHANNELS, ACTIVE>(
            memory, bytes, in, counts,
            [&](int c) { return detail::given_levels<L>{at[c], (int)levels[c] - 1}; }, row_pixels,
            rows, row_bytes, stream);
    }

  private:
    template <int CHANNELS, int ACTIVE, class I, class CS, class F, class N>
    static cudaError_t each_channel(void *memory, size_t &bytes, I in, const CS &counts, F levels,
                                    N row_pixels, N rows, size_t row_bytes, cudaStream_t stream)
    {
        const detail::pixel_rows all((size_t)row_pixels, (size_t)rows,
                                     row_bytes / sizeof(detail::value_of<I>), CHANNELS);
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            cudaError_t e = cudaSuccess;
            for (int c = 0; c < ACTIVE && !w.counts() && !e; c++)
                e = detail::count(in, counts[c], levels(c), all.pixels, stream, CHANNELS, c,
                                  all.rows, all.stride);
            return e;
        });
    }
};
} // namespace cub
