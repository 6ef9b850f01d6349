// cuda::std::mdspan: layouts, fixed and open extents, on both sides and handed to kernels.
#include <cuda/std/mdspan>
#include <cstdio>

typedef cuda::std::dextents<int, 2> open2;
typedef cuda::std::mdspan<float, open2> rows;
typedef cuda::std::mdspan<float, open2, cuda::std::layout_left> columns;
typedef cuda::std::mdspan<const float, cuda::std::extents<int, 4, cuda::std::dynamic_extent>> fixed;
typedef cuda::std::mdspan<float, open2, cuda::std::layout_stride> strided;

template <class M> __host__ __device__ double weigh(const M &m)
{
    double s = 0;
    for (int i = 0; i < (int)m.extent(0); i++)
        for (int j = 0; j < (int)m.extent(1); j++)
            s += m(i, j) * (i * 10 + j + 1);
    return s + m.size() * 1000.0 + m.stride(0) * 0.5 + m.stride(1) * 0.25;
}

/* The same of squares, by hand: where element (i, j) lies is i * down + j * right. */
static double by_hand(int rows, int columns, int down, int right)
{
    double s = rows * columns * 1000.0 + down * 0.5 + right * 0.25;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            s += (i * down + j * right) * (i * down + j * right) * (i * 10 + j + 1);
    return s;
}

__global__ void kernel(rows r, columns c, fixed f, strided s, double *out)
{
    switch (threadIdx.x) {
    case 0: out[0] = weigh(r); break;
    case 1: out[1] = weigh(c); break;
    case 2: out[2] = weigh(f); break;
    case 3: out[3] = weigh(s); break;
    }
}

int main()
{
    static_assert(fixed::rank() == 2 && fixed::rank_dynamic() == 1 && fixed::static_extent(0) == 4, "what is fixed");
    float *p;
    double *out;
    cudaMallocManaged(&p, 12 * sizeof *p);
    cudaMallocManaged(&out, 4 * sizeof *out);
    for (int i = 0; i < 12; i++)
        p[i] = (float)(i * i);
    rows r(p, 4, 3);
    columns c(p, 4, 3);
    fixed f(p, 3);
    strided s(p, strided::mapping_type(open2(2, 3), cuda::std::array<int, 2>{6, 2}));
    kernel<<<1, 4>>>(r, c, f, s, out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const double host[] = {weigh(r), weigh(c), weigh(f), weigh(s)};
    const double right[] = {by_hand(4, 3, 3, 1), by_hand(4, 3, 1, 4), by_hand(4, 3, 3, 1), by_hand(2, 3, 6, 2)};
    int wrong = 0;
    for (int i = 0; i < 4; i++)
        wrong += out[i] != right[i] || host[i] != right[i];
    r(1, 2) = 100;
    cuda::std::mdspan made(p, 2, 2, 3);
    wrong += p[5] != 100 || r[cuda::std::array<int, 2>{1, 2}] != 100 || made.size() != 12 || made.rank() != 3;
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
