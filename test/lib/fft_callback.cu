// OPTIONS: -lcufft
// Functions of the program before and after a transform, against the same done apart.
#include "fft.h"

struct window {
    double factor;
    int *calls;
};

__device__ cufftComplex load_c(void *in, size_t at, void *info, void *)
{
    const window *w = (const window *)info;
    const cufftComplex v = ((const cufftComplex *)in)[at];
    const float f = (float)(w->factor * (double)(at % 7));
    atomicAdd(w->calls, 1);
    return make_cuFloatComplex(v.x * f, v.y * f + 1);
}
__device__ void store_c(void *out, size_t at, cufftComplex v, void *info, void *)
{
    const window *w = (const window *)info;
    ((cufftComplex *)out)[at] = make_cuFloatComplex(v.y, v.x * (float)w->factor);
}
/* What is stored in another type than the transform's: bytes are read as reals, and a norm is written. */
__device__ cufftDoubleReal load_d(void *in, size_t at, void *, void *)
{
    return ((const unsigned char *)in)[at] - 100.0;
}
__device__ void store_z(void *out, size_t at, cufftDoubleComplex v, void *, void *shared)
{
    double *mine = (double *)shared + threadIdx.x % 16;
    (void)mine;
    ((double *)out)[at] = v.x * v.x + v.y * v.y;
}
__device__ cufftReal load_r(void *in, size_t at, void *, void *) { return ((const float *)in)[at] * 2; }
__device__ void store_r(void *out, size_t at, cufftReal v, void *, void *) { ((float *)out)[at] = v + (float)at; }

__device__ cufftCallbackLoadC p_load_c = load_c;
__device__ cufftCallbackStoreC p_store_c = store_c;
__device__ cufftCallbackLoadD p_load_d = load_d;
__device__ cufftCallbackStoreZ p_store_z = store_z;
__device__ cufftCallbackLoadR p_load_r = load_r;
__device__ cufftCallbackStoreR p_store_r = store_r;

template <class P> P fetch(P &symbol)
{
    P p;
    CUDA(cudaMemcpyFromSymbol(&p, symbol, sizeof p));
    return p;
}

/* Complex, with gaps and batches, both functions, in place and not; then without them again. */
static void complex_lines(bool in_place)
{
    const int n = 12, stride = 2, apart = 30, batch = 3, room = batch * apart;
    window *w;
    int *calls;
    cufftComplex *x, *y;
    CUDA(cudaMallocManaged(&w, sizeof *w));
    CUDA(cudaMallocManaged(&calls, sizeof *calls));
    CUDA(cudaMallocManaged(&x, room * sizeof *x));
    CUDA(cudaMallocManaged(&y, room * sizeof *y));
    *calls = 0;
    w->factor = 0.25;
    w->calls = calls;
    std::vector<zd> was(room);
    for (int i = 0; i < room; i++) {
        x[i] = make_cuFloatComplex((float)number(2 * i), (float)number(2 * i + 1));
        y[i] = make_cuFloatComplex(77, 77);
        was[i] = zd(x[i].x, x[i].y);
    }
    cufftHandle plan;
    int dims[1] = {n}, embed[1] = {n};
    FFT(cufftPlanMany(&plan, 1, dims, embed, stride, apart, embed, stride, apart, CUFFT_C2C, batch));
    cufftCallbackLoadC load = fetch(p_load_c);
    cufftCallbackStoreC store = fetch(p_store_c);
    FFT(cufftXtSetCallback(plan, (void **)&load, CUFFT_CB_LD_COMPLEX, (void **)&w));
    FFT(cufftXtSetCallback(plan, (void **)&store, CUFFT_CB_ST_COMPLEX, (void **)&w));
    CHECK(cufftXtSetCallback(plan, (void **)&load, CUFFT_CB_LD_REAL, (void **)&w) == CUFFT_INVALID_TYPE);
    cufftComplex *out = in_place ? x : y;
    FFT(cufftExecC2C(plan, x, out, CUFFT_FORWARD));
    CUDA(cudaDeviceSynchronize());
    CHECK(*calls == n * batch);
    const std::vector<zd> r = roots(n, -1);
    for (int b = 0; b < batch; b++) {
        std::vector<zd> v(n);
        for (int j = 0; j < n; j++) {
            const int at = b * apart + j * stride;
            v[j] = was[at] * (0.25 * (at % 7)) + zd(0, 1);
        }
        line(v, 0, 1, r);
        for (int j = 0; j < n; j++) {
            const cufftComplex got = out[b * apart + j * stride];
            CHECK(fabs(got.x - v[j].imag()) < 1e-4 && fabs(got.y - v[j].real() * 0.25) < 1e-4);
        }
        const cufftComplex gap = out[b * apart + 1]; // nothing is called for what lies between
        CHECK(in_place ? gap.x == (float)was[b * apart + 1].real() : gap.x == 77);
    }
    FFT(cufftXtClearCallback(plan, CUFFT_CB_LD_COMPLEX));
    FFT(cufftXtClearCallback(plan, CUFFT_CB_ST_COMPLEX));
    FFT(cufftExecC2C(plan, x, x, CUFFT_FORWARD));
    CUDA(cudaDeviceSynchronize());
    CHECK(*calls == n * batch);
    FFT(cufftDestroy(plan));
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
}

/* Two axes of reals that are bytes, to norms. */
static void norms()
{
    const int ny = 6, nx = 10, half = nx / 2 + 1;
    unsigned char *x;
    double *y;
    CUDA(cudaMallocManaged(&x, ny * nx));
    CUDA(cudaMallocManaged(&y, ny * half * sizeof *y));
    std::vector<zd> v(ny * nx);
    for (int i = 0; i < ny * nx; i++) {
        x[i] = (unsigned char)(i * 37 + 11);
        v[i] = x[i] - 100.0;
    }
    cufftHandle plan;
    FFT(cufftPlan2d(&plan, ny, nx, CUFFT_D2Z));
    cufftCallbackLoadD load = fetch(p_load_d);
    cufftCallbackStoreZ store = fetch(p_store_z);
    FFT(cufftXtSetCallback(plan, (void **)&load, CUFFT_CB_LD_REAL_DOUBLE, nullptr));
    FFT(cufftXtSetCallback(plan, (void **)&store, CUFFT_CB_ST_COMPLEX_DOUBLE, nullptr));
    FFT(cufftXtSetCallbackSharedSize(plan, CUFFT_CB_ST_COMPLEX_DOUBLE, 128));
    CHECK(cufftXtSetCallbackSharedSize(plan, CUFFT_CB_ST_COMPLEX_DOUBLE, 1 << 20) == CUFFT_INVALID_VALUE);
    FFT(cufftExecD2Z(plan, (cufftDoubleReal *)x, (cufftDoubleComplex *)y));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < ny; i++)
        line(v, (size_t)i * nx, 1, roots(nx, -1));
    for (int j = 0; j < nx; j++)
        line(v, j, nx, roots(ny, -1));
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < half; j++)
            CHECK(fabs(y[i * half + j] - std::norm(v[i * nx + j])) < 1e-6 * (1 + std::norm(v[i * nx + j])));
    FFT(cufftDestroy(plan));
}

/* Reals in place have a padded line; and back, with a function on the other side. */
static void reals_in_place()
{
    const int n = 15, batch = 2, padded = 2 * (n / 2 + 1);
    float *x;
    CUDA(cudaMallocManaged(&x, batch * padded * sizeof *x));
    std::vector<float> was(batch * padded);
    for (int i = 0; i < batch * padded; i++)
        x[i] = was[i] = (float)number(i);
    cufftHandle there, back;
    FFT(cufftPlan1d(&there, n, CUFFT_R2C, batch));
    FFT(cufftPlan1d(&back, n, CUFFT_C2R, batch));
    cufftCallbackLoadR load = fetch(p_load_r);
    cufftCallbackStoreR store = fetch(p_store_r);
    FFT(cufftXtSetCallback(there, (void **)&load, CUFFT_CB_LD_REAL, nullptr));
    FFT(cufftXtSetCallback(back, (void **)&store, CUFFT_CB_ST_REAL, nullptr));
    FFT(cufftExecR2C(there, x, (cufftComplex *)x));
    FFT(cufftExecC2R(back, (cufftComplex *)x, x));
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < batch; b++)
        for (int j = 0; j < n; j++) {
            const int at = b * padded + j;
            CHECK(fabs(x[at] - (2.0 * n * was[at] + at)) < 1e-3);
        }
    FFT(cufftDestroy(there));
    FFT(cufftDestroy(back));
}

int main()
{
    complex_lines(false);
    complex_lines(true);
    norms();
    reals_in_place();
    printf("ok\n");
}
