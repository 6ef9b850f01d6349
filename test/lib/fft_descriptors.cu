// NOT ON: vulkan: its kernels are those of the other programs
// OPTIONS: -lcufft
/* cuFFT's descriptors on one device, in every type: there, transformed and back against sums; what plans are told; what is refused. */
#include "fft.h"

enum { N = 30, BATCH = 2 };
static const size_t H = N / 2 + 1;

template <class T> static std::vector<T> numbers(size_t n, int from)
{
    std::vector<T> x(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (T)number(i + from);
    return x;
}
/* Line b of the transform of n numbers, real or complex. */
template <class T> static std::vector<zd> reference(const std::vector<T> &x, int b, int parts, int sign)
{
    std::vector<zd> v(N), w = roots(N, sign);
    for (int i = 0; i < N; i++)
        v[i] = zd((double)x[(b * N + i) * parts], parts == 2 ? (double)x[(b * N + i) * parts + 1] : 0);
    line(v, 0, 1, w);
    return v;
}

template <class T, class Exec> static void complex_lines(cufftType type, Exec exec, bool by_type, double eps)
{
    cufftHandle plan;
    cudaLibXtDesc *in, *out;
    FFT(cufftCreate(&plan));
    int which = 0;
    size_t work = 0;
    FFT(cufftXtSetGPUs(plan, 1, &which));
    FFT(cufftMakePlan1d(plan, N, type, BATCH, &work));
    std::vector<T> x = numbers<T>(2 * N * BATCH, 7), y(x.size());
    FFT(cufftXtMalloc(plan, &in, CUFFT_XT_FORMAT_INPUT));
    FFT(cufftXtMalloc(plan, &out, CUFFT_XT_FORMAT_OUTPUT));
    FFT(cufftXtMemcpy(plan, in, x.data(), CUFFT_COPY_HOST_TO_DEVICE));
    for (int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        FFT(by_type ? exec(plan, in, out, direction) : cufftXtExecDescriptor(plan, in, out, direction));
        FFT(cufftXtMemcpy(plan, y.data(), out, CUFFT_COPY_DEVICE_TO_HOST));
        for (int b = 0; b < BATCH; b++) {
            const std::vector<zd> want = reference(x, b, 2, direction);
            for (int i = 0; i < N; i++)
                CHECK(std::abs(zd(y[2 * (b * N + i)], y[2 * (b * N + i) + 1]) - want[i]) < eps);
        }
    }
    CHECK(exec(plan, nullptr, out, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    CHECK(cufftXtQueryPlan(plan, &work, CUFFT_QUERY_1D_FACTORS) == CUFFT_NOT_SUPPORTED);
    FFT(cufftXtFree(in));
    FFT(cufftXtFree(out));
    FFT(cufftDestroy(plan));
}

/* Real ones there, halves of complex ones back: BATCH times N comes again. */
template <class T, class There, class Back> static void real_lines(cufftType there, cufftType back, There go, Back come, double eps)
{
    cufftHandle forward, inverse;
    cudaLibXtDesc *in, *out, *again;
    size_t work;
    FFT(cufftCreate(&forward));
    FFT(cufftCreate(&inverse));
    FFT(cufftMakePlan1d(forward, N, there, 1, &work));
    FFT(cufftMakePlan1d(inverse, N, back, 1, &work));
    const std::vector<T> x = numbers<T>(N, 40);
    std::vector<T> y(2 * H), z(N);
    FFT(cufftXtMalloc(forward, &in, CUFFT_XT_FORMAT_INPUT));
    FFT(cufftXtMalloc(forward, &out, CUFFT_XT_FORMAT_OUTPUT));
    FFT(cufftXtMalloc(inverse, &again, CUFFT_XT_FORMAT_OUTPUT));
    CUDA(cudaMemcpy(in->descriptor->data[0], x.data(), N * sizeof(T), cudaMemcpyHostToDevice));
    FFT(go(forward, in, out));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(y.data(), out->descriptor->data[0], y.size() * sizeof(T), cudaMemcpyDeviceToHost));
    const std::vector<zd> want = reference(x, 0, 1, CUFFT_FORWARD);
    for (size_t i = 0; i < H; i++)
        CHECK(std::abs(zd(y[2 * i], y[2 * i + 1]) - want[i]) < eps);
    FFT(come(inverse, out, again));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(z.data(), again->descriptor->data[0], N * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        CHECK(std::fabs((double)z[i] - N * (double)x[i]) < eps * 4);
    CHECK(go(inverse, in, out) == CUFFT_INVALID_TYPE);
    for (cudaLibXtDesc *d : {in, out, again})
        FFT(cufftXtFree(d));
    FFT(cufftDestroy(forward));
    FFT(cufftDestroy(inverse));
}

static void told()
{
    cufftHandle plan;
    long long value = -1;
    size_t work = 0, said = 1;
    FFT(cufftCreate(&plan));
    FFT(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1));
    FFT(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, 3));
    FFT(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &value));
    CHECK(value == 1);
    FFT(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, &value));
    CHECK(value == 3);
    FFT(cufftResetPlanProperty(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS));
    FFT(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, &value));
    CHECK(value == 0);
    CHECK(cufftGetPlanPropertyInt64(plan, (cufftProperty)9, &value) == CUFFT_INVALID_VALUE);
    CHECK(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, nullptr) == CUFFT_INVALID_VALUE);
    CHECK(cufftSetPlanPropertyInt64(plan + 77, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1) == CUFFT_INVALID_PLAN);
    CHECK(cufftXtSetJITCallback(plan, "load", &value, 8, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_NOT_SUPPORTED);
    FFT(cufftMakePlan1d(plan, 1000, CUFFT_C2C, 3, &work));
    FFT(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_MINIMAL, &said));
    CHECK(said == work);
    FFT(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_PERFORMANCE, nullptr));
    CHECK(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_USER, &said) == CUFFT_NOT_SUPPORTED);
    CHECK(cufftXtSetWorkAreaPolicy(plan, (cufftXtWorkAreaPolicy)9, &said) == CUFFT_INVALID_VALUE);
    FFT(cufftDestroy(plan));
}

int main()
{
    told();
    for (bool by_type : {true, false}) {
        complex_lines<float>(CUFFT_C2C, cufftXtExecDescriptorC2C, by_type, 1e-4);
        complex_lines<double>(CUFFT_Z2Z, cufftXtExecDescriptorZ2Z, by_type, 1e-12);
    }
    real_lines<float>(CUFFT_R2C, CUFFT_C2R, cufftXtExecDescriptorR2C, cufftXtExecDescriptorC2R, 1e-4);
    real_lines<double>(CUFFT_D2Z, CUFFT_Z2D, cufftXtExecDescriptorD2Z, cufftXtExecDescriptorZ2D, 1e-12);
    puts("ok");
}
