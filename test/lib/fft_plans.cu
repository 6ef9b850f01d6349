// OPTIONS: -lcufft
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds; fft_sizes and fft_layouts have them
/* Every way to make a plan and to ask for its work area gives the same transform, in work areas of the caller's as well; what is
 * wrong is said. */
#include "fft.h"

typedef std::vector<int> sizes;

/* The transform of one array, axis after axis. */
static std::vector<zd> reference(std::vector<zd> x, const sizes &n)
{
    size_t apart = 1, all = x.size();
    for (size_t a = n.size(); a-- > 0; apart *= n[a])
        for (size_t at = 0; at < all; at++)
            if (at / apart % n[a] == 0)
                line(x, at, apart, roots(n[a], -1));
    return x;
}

static size_t total(const sizes &n)
{
    size_t t = 1;
    for (int v : n)
        t *= v;
    return t;
}

static cufftResult make(cufftHandle p, int way, sizes n, int count, size_t *work)
{
    std::vector<long long> wide(n.begin(), n.end());
    const int rank = (int)n.size();
    switch (way) {
    case 0:
        return count > 1   ? CUFFT_NOT_SUPPORTED
               : rank == 1 ? cufftMakePlan1d(p, n[0], CUFFT_Z2Z, 1, work)
               : rank == 2 ? cufftMakePlan2d(p, n[0], n[1], CUFFT_Z2Z, work)
                           : cufftMakePlan3d(p, n[0], n[1], n[2], CUFFT_Z2Z, work);
    case 1: return cufftMakePlanMany(p, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, count, work);
    case 2: return cufftMakePlanMany64(p, rank, wide.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, count, work);
    default:
        return cufftXtMakePlanMany(p, rank, wide.data(), nullptr, 1, 0, CUDA_C_64F, nullptr, 1, 0, CUDA_C_64F, count, work, CUDA_C_64F);
    }
}

/* The same questions before there is a plan, and of a plan that is not made. */
static void ask(sizes n, int count, size_t needed)
{
    std::vector<long long> wide(n.begin(), n.end());
    const int rank = (int)n.size();
    cufftHandle p;
    size_t got[8];
    for (size_t &g : got)
        g = 0;
    FFT(cufftCreate(&p));
    FFT(cufftGetSizeMany(p, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, count, &got[0]));
    FFT(cufftGetSizeMany64(p, rank, wide.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, count, &got[1]));
    FFT(cufftXtGetSizeMany(p, rank, wide.data(), nullptr, 1, 0, CUDA_C_64F, nullptr, 1, 0, CUDA_C_64F, count, &got[2], CUDA_C_64F));
    FFT(cufftEstimateMany(rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, count, &got[3]));
    CHECK(got[0] >= needed && got[1] >= needed && got[2] >= needed && got[3] >= needed);
    if (rank == 2) {
        FFT(cufftGetSize2d(p, n[0], n[1], CUFFT_Z2Z, &got[4]));
        FFT(cufftEstimate2d(n[0], n[1], CUFFT_Z2Z, &got[5]));
        CHECK(count > 1 || (got[4] >= needed && got[5] >= needed));
    } else if (rank == 3) {
        FFT(cufftGetSize3d(p, n[0], n[1], n[2], CUFFT_Z2Z, &got[6]));
        FFT(cufftEstimate3d(n[0], n[1], n[2], CUFFT_Z2Z, &got[7]));
        CHECK(count > 1 || (got[6] >= needed && got[7] >= needed));
    }
    FFT(cufftDestroy(p));
}

static void one(const sizes &n, int count)
{
    const size_t each = total(n), all = each * count;
    std::vector<zd> x(all), want, got(all);
    for (size_t k = 0; k < all; k++)
        x[k] = zd(number(2 * k), number(2 * k + 1));
    for (int z = 0; z < count; z++) {
        const std::vector<zd> y = reference({x.begin() + z * each, x.begin() + (z + 1) * each}, n);
        want.insert(want.end(), y.begin(), y.end());
    }
    zd *in, *out;
    CUDA(cudaMalloc((void **)&in, all * sizeof(zd)));
    CUDA(cudaMalloc((void **)&out, all * sizeof(zd)));
    CUDA(cudaMemcpy(in, x.data(), all * sizeof(zd), cudaMemcpyHostToDevice));
    for (int way = 0; way < 4; way++)
        for (int own = 0; own < 3; own++) { /* whose work area: the plan's, ours, ours through Xt */
            cufftHandle p;
            size_t work = 0, told = 0;
            void *area = nullptr;
            FFT(cufftCreate(&p));
            FFT(cufftSetAutoAllocation(p, own == 0));
            const cufftResult r = make(p, way, n, count, &work);
            if (r == CUFFT_NOT_SUPPORTED && way == 0 && count > 1) {
                FFT(cufftDestroy(p));
                continue;
            }
            FFT(r);
            FFT(cufftGetSize(p, &told));
            CHECK(told == work);
            if (own) {
                ask(n, count, work);
                CUDA(cudaMalloc(&area, work + 1));
                FFT(own == 1 ? cufftSetWorkArea(p, area) : cufftXtSetWorkArea(p, &area));
            }
            CUDA(cudaMemset(out, 0, all * sizeof(zd)));
            FFT(cufftExecZ2Z(p, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, CUFFT_FORWARD));
            CUDA(cudaMemcpy(got.data(), out, all * sizeof(zd), cudaMemcpyDeviceToHost));
            for (size_t k = 0; k < all; k++)
                CHECK(std::abs(got[k] - want[k]) <= 1e-13 * (double)each);
            FFT(cufftDestroy(p));
            CUDA(cudaFree(area));
        }
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

int main()
{
    one({15}, 1);
    one({64}, 3);
    one({37}, 2);
    one({6, 10}, 1);
    one({7, 9}, 2);
    one({4, 3, 5}, 1);
    one({3, 8, 11}, 2);

    cufftHandle p;
    size_t work;
    int n[] = {8}, none[] = {0}, version = -1;
    FFT(cufftCreate(&p));
    CHECK(cufftMakePlan2d(p, 0, 4, CUFFT_C2C, &work) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlan3d(p, 4, -1, 4, CUFFT_C2C, &work) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlanMany(p, 1, none, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &work) == CUFFT_INVALID_SIZE);
    CHECK(cufftMakePlanMany(p, 0, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &work) != CUFFT_SUCCESS);
    CHECK(cufftMakePlanMany(p, 1, nullptr, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &work) != CUFFT_SUCCESS);
    CHECK(cufftMakePlan2d(p, 4, 4, (cufftType)3, &work) != CUFFT_SUCCESS);
    CHECK(cufftMakePlan2d((cufftHandle)12345, 4, 4, CUFFT_C2C, &work) == CUFFT_INVALID_PLAN);
    CHECK(cufftEstimate2d(4, 4, CUFFT_C2C, nullptr) != CUFFT_SUCCESS);
    CHECK(cufftXtSetWorkArea(p, nullptr) != CUFFT_SUCCESS);
    FFT(cufftDestroy(p));
    CHECK(cufftDestroy(p) == CUFFT_INVALID_PLAN);
    FFT(cufftGetProperty(MAJOR_VERSION, &version));
    CHECK(version > 0);
    puts("ok");
}
