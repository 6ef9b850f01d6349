// Two and three axes, strides, embeddings and batches; half and bfloat16 through Xt; work areas, streams, graphs, threads,
// descriptors, and what is refused.
#include <thread>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "fft.h"

static bool slow; // a driver that compiles a kernel for seconds: fewer of them

static void judge(const char *what, double d, double limit)
{
    if (!(d <= limit)) {
        printf("%s: %g, allowed %g\n", what, d, limit);
        exit(1);
    }
}

static long long product(const std::vector<int> &n)
{
    long long p = 1;
    for (int v : n)
        p *= v;
    return p;
}

// Where element i of transform b is, in a layout as cufftPlanMany has it.
struct layout {
    std::vector<int> embed;
    int stride, dist;
    size_t at(const std::vector<int> &n, long long i, int b) const
    {
        std::vector<long long> place(n.size());
        for (int d = (int)n.size() - 1; d >= 0; d--) {
            place[d] = i % n[d];
            i /= n[d];
        }
        long long p = 0;
        for (size_t d = 0; d < n.size(); d++)
            p = p * (d ? embed[d] : 1) + place[d];
        return (size_t)(p * stride + (long long)b * dist);
    }
};

// All kinds of elements, in double on the host. type: 0 complex, 1 real to complex, 2 complex to real.
static void many(std::vector<int> n, int batch, layout in, layout out, int kind, int direction, double fill)
{
    const int last = n.back(), half = last / 2 + 1;
    std::vector<int> short_n = n;
    short_n.back() = half;
    const std::vector<int> &in_n = kind == 2 ? short_n : n, &out_n = kind == 1 ? short_n : n;
    const long long whole = product(n), in_count = product(in_n), out_count = product(out_n);
    const size_t in_size = in.at(in_n, in_count - 1, batch - 1) + 1, out_size = out.at(out_n, out_count - 1, batch - 1) + 1;
    std::vector<double> x(kind == 1 ? in_size : 2 * in_size, fill), y(kind == 2 ? out_size : 2 * out_size, fill);
    std::vector<zd> want;
    for (int b = 0; b < batch; b++) {
        std::vector<zd> v(whole);
        for (long long i = 0; i < whole; i++)
            v[i] = kind ? zd(number(b * whole + i), 0) : zd(number(2 * (b * whole + i)), number(2 * (b * whole + i) + 1));
        std::vector<zd> f = v;
        reference(f, n, direction);
        // Half of a spectrum: those whose last index is less than half + 1.
        for (long long i = 0; i < in_count; i++) {
            const size_t at = in.at(in_n, i, b);
            if (kind == 1) {
                x[at] = v[i].real();
            } else {
                const zd e = kind == 2 ? f[i / half * last + i % half] : v[i];
                x[2 * at] = e.real();
                x[2 * at + 1] = e.imag();
            }
        }
        for (long long i = 0; i < out_count; i++)
            want.push_back(kind == 1 ? f[i / half * last + i % half] : kind == 2 ? v[i] * (double)whole : f[i]);
    }
    device<double> from(x), to(y);
    cufftHandle plan;
    FFT(cufftPlanMany(&plan, (int)n.size(), n.data(), in.embed.data(), in.stride, in.dist, out.embed.data(), out.stride, out.dist,
                      kind == 0 ? CUFFT_Z2Z : kind == 1 ? CUFFT_D2Z : CUFFT_Z2D, batch));
    if (kind == 0)
        FFT(cufftExecZ2Z(plan, (cufftDoubleComplex *)from.p, (cufftDoubleComplex *)to.p, direction));
    else if (kind == 1)
        FFT(cufftExecD2Z(plan, from.p, (cufftDoubleComplex *)to.p));
    else
        FFT(cufftExecZ2D(plan, (cufftDoubleComplex *)from.p, to.p));
    std::vector<double> got = to.get();
    std::vector<zd> result;
    for (int b = 0; b < batch; b++)
        for (long long i = 0; i < out_count; i++) {
            const size_t at = out.at(out_n, i, b);
            result.push_back(kind == 2 ? zd(got[at], 0) : zd(got[2 * at], got[2 * at + 1]));
            if (kind == 2)
                got[at] = fill;
            else
                got[2 * at] = got[2 * at + 1] = fill;
        }
    char what[100];
    snprintf(what, sizeof what, "%d axes, the last of %d, kind %d, stride %d", (int)n.size(), last, kind, out.stride);
    judge(what, distance(result, want), 1e-14);
    for (double v : got)
        CHECK(v == fill); // nothing between the elements was written to
    CHECK(from.get() == x);
    FFT(cufftDestroy(plan));
}

static layout tight(const std::vector<int> &n, int half = 0)
{
    layout l = {n, 1, 0};
    if (half)
        l.embed.back() = n.back() / 2 + 1;
    l.dist = (int)product(l.embed);
    return l;
}

static void layouts()
{
    const std::vector<std::vector<int>> shapes = {{6, 10}, {7, 5}, {1, 9}, {8, 1}, {3, 4, 6}, {5, 2, 9}, {17, 34}, {2, 1, 8}};
    for (const std::vector<int> &n : shapes) {
        if (slow && n != shapes[0])
            break;
        many(n, 2, tight(n), tight(n), 0, CUFFT_FORWARD, 7);
        many(n, 2, tight(n), tight(n, 1), 1, CUFFT_FORWARD, 7);
        many(n, 2, tight(n, 1), tight(n), 2, CUFFT_FORWARD, 7);
    }
    if (slow)
        return;
    // Columns of a matrix; elements apart; rows with gaps; batches woven together.
    many({12}, 7, {{12}, 7, 1}, {{12}, 7, 1}, 0, CUFFT_INVERSE, 3);
    many({12}, 7, {{12}, 7, 1}, {{12}, 1, 12}, 0, CUFFT_INVERSE, 3);
    many({12}, 7, {{12}, 1, 13}, {{12}, 8, 1}, 0, CUFFT_FORWARD, 3);
    many({15}, 3, {{15}, 3, 50}, {{15}, 2, 40}, 1, CUFFT_FORWARD, 3);
    many({14}, 5, {{14}, 5, 1}, {{14}, 5, 1}, 1, CUFFT_FORWARD, 3);
    many({14}, 5, {{14}, 5, 1}, {{14}, 5, 1}, 2, CUFFT_FORWARD, 3);
    many({6, 10}, 3, {{8, 12}, 2, 200}, {{6, 11}, 3, 250}, 0, CUFFT_INVERSE, 3);
    many({6, 10}, 3, {{8, 12}, 2, 200}, {{6, 8}, 3, 250}, 1, CUFFT_FORWARD, 3);
    many({6, 9}, 3, {{8, 7}, 2, 200}, {{6, 12}, 3, 250}, 2, CUFFT_FORWARD, 3);
    many({4, 3, 10}, 2, {{4, 5, 11}, 1, 300}, {{4, 3, 7}, 2, 200}, 1, CUFFT_FORWARD, 3);
}

// In place, more than one axis, with the padding that a plan without a layout has.
static void in_place()
{
    const int n[3] = {4, 6, 10};
    const int whole = 240, half = 6, rows = 24;
    std::vector<float> x(rows * 2 * half);
    std::vector<zd> v(whole);
    for (int i = 0; i < whole; i++) {
        v[i] = (double)(float)number(i);
        x[i / 10 * 2 * half + i % 10] = (float)v[i].real();
    }
    std::vector<zd> want = v, got(rows * half), wanted(rows * half);
    reference(want, {4, 6, 10}, -1);
    device<float> d(x);
    cufftHandle there, back;
    FFT(cufftPlan3d(&there, n[0], n[1], n[2], CUFFT_R2C));
    FFT(cufftPlan3d(&back, n[0], n[1], n[2], CUFFT_C2R));
    FFT(cufftExecR2C(there, d.p, (cufftComplex *)d.p));
    std::vector<float> y = d.get();
    for (int i = 0; i < rows * half; i++) {
        got[i] = zd(y[2 * i], y[2 * i + 1]);
        wanted[i] = want[i / half * 10 + i % half];
    }
    judge("three axes in place", distance(got, wanted), 1e-6);
    FFT(cufftExecC2R(back, (cufftComplex *)d.p, d.p));
    y = d.get();
    std::vector<zd> home(whole);
    for (int i = 0; i < whole; i++)
        home[i] = y[i / 10 * 2 * half + i % 10] / (double)whole;
    judge("and back", distance(home, v), 1e-6);
    FFT(cufftDestroy(there));
    FFT(cufftDestroy(back));
}

template <class H> static void narrow(cudaDataType complex_type, cudaDataType real_type, double eps, H (*to)(float), float (*from)(H))
{
    long long n[2] = {6, 20};
    std::vector<H> x(240), r(120);
    std::vector<zd> v(120), u(120);
    for (int i = 0; i < 120; i++) {
        x[2 * i] = to((float)number(2 * i));
        x[2 * i + 1] = to((float)number(2 * i + 1));
        v[i] = zd(from(x[2 * i]), from(x[2 * i + 1]));
        r[i] = x[2 * i];
        u[i] = v[i].real();
    }
    device<H> a(x), b(240), c(r);
    cufftHandle plan;
    size_t work = 0;
    FFT(cufftCreate(&plan));
    FFT(cufftXtMakePlanMany(plan, 2, n, nullptr, 1, 0, complex_type, nullptr, 1, 0, complex_type, 1, &work, complex_type));
    FFT(cufftXtExec(plan, a.p, b.p, CUFFT_INVERSE));
    reference(v, {6, 20}, 1);
    std::vector<H> y = b.get();
    std::vector<zd> got(120);
    for (int i = 0; i < 120; i++)
        got[i] = zd(from(y[2 * i]), from(y[2 * i + 1]));
    judge("narrow complex numbers", distance(got, v), eps);
    FFT(cufftDestroy(plan));
    FFT(cufftCreate(&plan));
    FFT(cufftXtMakePlanMany(plan, 2, n, nullptr, 1, 0, real_type, nullptr, 1, 0, complex_type, 1, &work, complex_type));
    FFT(cufftXtExec(plan, c.p, b.p, CUFFT_FORWARD));
    reference(u, {6, 20}, -1);
    y = b.get();
    std::vector<zd> half(66), wanted(66);
    for (int i = 0; i < 66; i++) {
        half[i] = zd(from(y[2 * i]), from(y[2 * i + 1]));
        wanted[i] = u[i / 11 * 20 + i % 11];
    }
    judge("narrow reals", distance(half, wanted), eps);
    FFT(cufftDestroy(plan));
}

static __half to_half(float v) { return __float2half(v); }
static float from_half(__half v) { return __half2float(v); }
static __nv_bfloat16 to_bfloat(float v) { return __float2bfloat16(v); }
static float from_bfloat(__nv_bfloat16 v) { return __bfloat162float(v); }

static std::vector<zd> line_of(int n)
{
    std::vector<zd> v(n);
    for (int i = 0; i < n; i++)
        v[i] = zd((float)number(2 * i), (float)number(2 * i + 1));
    return v;
}

static void put(device<cufftComplex> &d, const std::vector<zd> &v)
{
    std::vector<cufftComplex> x(v.size());
    for (size_t i = 0; i < v.size(); i++)
        x[i] = make_cuComplex((float)v[i].real(), (float)v[i].imag());
    d.put(x);
}

static double off(const device<cufftComplex> &d, const std::vector<zd> &want)
{
    std::vector<zd> got;
    for (const cufftComplex &v : d.get())
        got.push_back(zd(v.x, v.y));
    return distance(got, want);
}

static void work_and_streams()
{
    const int n = 34; // by a chirp: it needs a work area
    const std::vector<zd> v = line_of(n);
    std::vector<zd> want = v;
    reference(want, {n}, -1);
    device<cufftComplex> a(n), b(n);
    put(a, v);
    cufftHandle plan;
    size_t asked = 0, made = 0, again = 0, estimate = 0;
    FFT(cufftCreate(&plan));
    FFT(cufftSetAutoAllocation(plan, 0));
    FFT(cufftEstimate1d(n, CUFFT_C2C, 1, &estimate));
    FFT(cufftGetSize1d(plan, n, CUFFT_C2C, 1, &asked));
    FFT(cufftMakePlan1d(plan, n, CUFFT_C2C, 1, &made));
    FFT(cufftGetSize(plan, &again));
    CHECK(made > 0 && asked == made && again == made && estimate == made);
    CHECK(cufftExecC2C(plan, a.p, b.p, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
    device<char> work(made);
    FFT(cufftSetAutoAllocation(plan, 1)); // too late for this one
    CHECK(cufftExecC2C(plan, a.p, b.p, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
    FFT(cufftSetWorkArea(plan, work.p));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    FFT(cufftSetStream(plan, stream));
    FFT(cufftExecC2C(plan, a.p, b.p, CUFFT_FORWARD));
    CUDA(cudaStreamSynchronize(stream));
    judge("a work area of the program's", off(b, want), 1e-6);
    // Recorded once, run on what is there then.
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FFT(cufftExecC2C(plan, a.p, b.p, CUFFT_FORWARD));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&run, graph, 0));
    std::vector<zd> twice = v, wanted = want;
    for (int i = 0; i < n; i++)
        twice[i] *= 2, wanted[i] *= 2;
    put(a, twice);
    CUDA(cudaGraphLaunch(run, stream));
    CUDA(cudaStreamSynchronize(stream));
    judge("in a graph", off(b, wanted), 1e-6);
    CUDA(cudaGraphExecDestroy(run));
    CUDA(cudaGraphDestroy(graph));
    FFT(cufftDestroy(plan));
    CUDA(cudaStreamDestroy(stream));
}

static void threads()
{
    auto body = [](int n) {
        const std::vector<zd> v = line_of(n);
        std::vector<zd> want = v;
        reference(want, {n}, -1);
        device<cufftComplex> a(n), b(n);
        put(a, v);
        for (int i = 0; i < 5; i++) {
            cufftHandle plan;
            FFT(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
            FFT(cufftExecC2C(plan, a.p, b.p, CUFFT_FORWARD));
            judge("in a thread", off(b, want), 1e-6);
            FFT(cufftDestroy(plan));
        }
    };
    std::thread one(body, 60), two(body, 77);
    one.join();
    two.join();
}

static void errors()
{
    int eights[4] = {8, 8, 8, 8};
    cufftHandle plan = 0;
    float *p;
    int version = 0;
    size_t work;
    CUDA(cudaMalloc(&p, 4096));
    CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, -5, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, (cufftType)1, 1) == CUFFT_INVALID_TYPE);
    CHECK(cufftPlanMany(&plan, 4, eights, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftPlanMany(&plan, 1, eights, eights, 0, 8, eights, 1, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftDestroy(CUFFT_PLAN_NULL) == CUFFT_INVALID_PLAN);
    CHECK(cufftDestroy(12345) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(12345, (cufftComplex *)p, (cufftComplex *)p, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    FFT(cufftCreate(&plan));
    CHECK(cufftExecC2C(plan, (cufftComplex *)p, (cufftComplex *)p, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    FFT(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &work));
    CHECK(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &work) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(plan, (cufftComplex *)p, (cufftComplex *)p, 0) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecC2C(plan, nullptr, (cufftComplex *)p, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecR2C(plan, p, (cufftComplex *)p) == CUFFT_INVALID_TYPE);
    CHECK(cufftExecZ2Z(plan, (cufftDoubleComplex *)p, (cufftDoubleComplex *)p, CUFFT_FORWARD) == CUFFT_INVALID_TYPE);
    CHECK((cufftXtSetCallback)(plan, (void **)&p, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_NOT_SUPPORTED); // without a kernel of the program
    FFT(cufftDestroy(plan));
    CHECK(cufftDestroy(plan) == CUFFT_INVALID_PLAN);
    FFT(cufftGetVersion(&version));
    CHECK(version == CUFFT_VERSION);
    FFT(cufftCreate(&plan));
    long long n = 8;
    CHECK(cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 0, CUDA_R_32F, nullptr, 1, 0, CUDA_R_32F, 1, &work, CUDA_C_32F) == CUFFT_INVALID_TYPE);
    CHECK(cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_32F, 1, &work, CUDA_C_32F) == CUFFT_INVALID_TYPE);
    FFT(cufftDestroy(plan));
    CUDA(cudaFree(p));
}

static void descriptors()
{
    const int n = 48;
    const std::vector<zd> v = line_of(n);
    std::vector<zd> want = v;
    reference(want, {n}, -1);
    std::vector<cufftComplex> x(n);
    for (int i = 0; i < n; i++)
        x[i] = make_cuComplex((float)v[i].real(), (float)v[i].imag());
    cufftHandle plan;
    int which = 0;
    cudaLibXtDesc *d;
    FFT(cufftCreate(&plan));
    FFT(cufftXtSetGPUs(plan, 1, &which));
    size_t work;
    FFT(cufftMakePlan1d(plan, n, CUFFT_C2C, 1, &work));
    FFT(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
    CHECK(d->descriptor->nGPUs == 1 && d->descriptor->size[0] == n * sizeof(cufftComplex));
    FFT(cufftXtMemcpy(plan, d, x.data(), CUFFT_COPY_HOST_TO_DEVICE));
    FFT(cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD));
    FFT(cufftXtMemcpy(plan, x.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
    std::vector<zd> got(n);
    for (int i = 0; i < n; i++)
        got[i] = zd(x[i].x, x[i].y);
    judge("a descriptor", distance(got, want), 1e-6);
    FFT(cufftXtFree(d));
    FFT(cufftDestroy(plan));
}

int main()
{
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    slow = strstr(device.name, "llvmpipe") != nullptr;
    layouts();
    errors();
    if (!slow) {
        in_place();
        narrow<__half>(CUDA_C_16F, CUDA_R_16F, 6e-4, to_half, from_half);
        narrow<__nv_bfloat16>(CUDA_C_16BF, CUDA_R_16BF, 5e-3, to_bfloat, from_bfloat);
        work_and_streams();
        threads();
        descriptors();
    }
    puts("ok");
}
