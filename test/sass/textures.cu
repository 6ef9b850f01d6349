// Textures and surfaces of every kind, by handles that are the same for all lanes, that differ between them, and where lanes
// have parted. Prints a sum of each; what it prints is the interpreter's.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_) {                                                                                                      \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { N = 64, SIDE = 8 };

__global__ void lines(cudaTextureObject_t t, cudaTextureObject_t mips, float *out)
{
    float x = threadIdx.x * 0.137f - 0.4f;
    out[threadIdx.x] = tex1D<float>(t, x) + 2 * tex1DLod<float>(mips, x, threadIdx.x % 5 * 0.5f) +
                       4 * tex1DGrad<float>(mips, x, 0.125f * (threadIdx.x % 3), 0.25f);
}
__global__ void planes(cudaTextureObject_t t, cudaTextureObject_t mips, float *out)
{
    float x = threadIdx.x * 0.137f - 0.4f, y = threadIdx.x * -0.071f + 3;
    float4 v = tex2D<float4>(t, x, y);
    float2 dx = make_float2(0.125f * (threadIdx.x % 4), 0), dy = make_float2(0, 0.25f);
    out[threadIdx.x] = v.x + 2 * v.y + 3 * v.z + 5 * v.w + tex2DLod<float4>(mips, x, y, threadIdx.x % 5 * 0.5f).z +
                       tex2DGrad<float4>(mips, x, y, dx, dy).y;
}
__global__ void solids(cudaTextureObject_t t, cudaTextureObject_t mips, float *out)
{
    float x = threadIdx.x * 0.137f, y = threadIdx.x * -0.071f, z = threadIdx.x * 0.05f;
    float4 dx = make_float4(0.125f * (threadIdx.x % 4), 0, 0.0625f, 0), dy = make_float4(0, 0.25f, 0, 0);
    out[threadIdx.x] = tex3D<float>(t, x, y, z) + tex3DLod<float>(mips, x, y, z, threadIdx.x % 3 * 0.75f) +
                       tex3DGrad<float>(mips, x, y, z, dx, dy);
}
__global__ void layers(cudaTextureObject_t one, cudaTextureObject_t two, float *out)
{
    float x = threadIdx.x * 0.137f, y = threadIdx.x * -0.071f, u, v, w, r, g, b, a;
    int layer = threadIdx.x % 6;
    asm("tex.level.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;"
        : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
        : "l"(two), "r"(layer), "f"(x), "f"(y), "f"(0.0f));
    asm("tex.grad.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], {%8, %9}, {%9, %8};"
        : "=f"(u), "=f"(v), "=f"(w), "=f"(a)
        : "l"(two), "r"(layer), "f"(x), "f"(y), "f"(0.125f), "f"(0.0f));
    out[threadIdx.x] = tex1DLayered<float>(one, x, layer) + 2 * tex2DLayered<float>(two, x, y, layer) + r + u;
}
__global__ void cubes(cudaTextureObject_t one, cudaTextureObject_t many, float *out)
{
    int face = threadIdx.x % 6;
    float major = face & 1 ? -1.0f : 1.0f, u = threadIdx.x % 7 * 0.25f - 0.75f, v = threadIdx.x % 5 * 0.25f - 0.5f;
    float x = face < 2 ? major : u, y = face / 2 == 1 ? major : face < 2 ? u : v, z = face > 3 ? major : v;
    out[threadIdx.x] = texCubemap<float>(one, x, y, z) + 2 * texCubemapLayered<float>(many, x * 4, y * 4, z * 4, threadIdx.x % 3);
}
__global__ void gathers(cudaTextureObject_t t, float *out)
{
    float x = threadIdx.x * 0.137f, y = threadIdx.x * 0.11f;
    float4 a = tex2Dgather<float4>(t, x, y, 0), b = tex2Dgather<float4>(t, x, y, 1), c = tex2Dgather<float4>(t, x, y, 2),
           d = tex2Dgather<float4>(t, x, y, 3);
    out[threadIdx.x] = a.x + 2 * a.y + b.z + 3 * b.w + c.x - d.y;
}
// each lane has a texture of its own, and some have none
__global__ void mixed(const cudaTextureObject_t *t, int n, float *out)
{
    float sum = 0;
    for (int k = 0; k <= threadIdx.x % 5; k++)
        if ((threadIdx.x + k) % 3)
            sum += (k + 1) * tex2D<float4>(t[(threadIdx.x * 7 + k) % n], k + 0.5f, 1.5f).x;
        else
            sum -= tex2D<float4>(t[k % n], 2.5f, k + 0.5f).w;
    out[threadIdx.x] = sum;
}
__global__ void fetches(cudaTextureObject_t bytes, cudaTextureObject_t words, float *out)
{
    uchar4 b = tex1Dfetch<uchar4>(bytes, threadIdx.x);
    int x, y, z, w;
    asm("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(words), "r"(threadIdx.x % SIDE), "r"(threadIdx.x / SIDE));
    out[threadIdx.x] = b.x + 3 * b.y + 5 * b.z + 7 * b.w + x % 1000;
}
__global__ void sizes(cudaTextureObject_t plane, cudaTextureObject_t solid, float *out)
{
    int w, h, d;
    asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(threadIdx.x & 1 ? plane : solid));
    asm("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(plane));
    asm("txq.depth.b32 %0, [%1];" : "=r"(d) : "l"(solid));
    out[threadIdx.x] = w + 100 * h + 10000 * d;
}

template <class T> __device__ T scaled(T v);
template <> __device__ unsigned char scaled(unsigned char v) { return v * 3 + 1; }
template <> __device__ unsigned short scaled(unsigned short v) { return v * 3 + 1; }
template <> __device__ unsigned scaled(unsigned v) { return v * 3 + 1; }
template <> __device__ uchar2 scaled(uchar2 v) { return make_uchar2(v.y, v.x); }
template <> __device__ uchar4 scaled(uchar4 v) { return make_uchar4(v.w, v.x + 1, v.y, v.z); }
template <> __device__ ushort2 scaled(ushort2 v) { return make_ushort2(v.y, v.x); }
template <> __device__ ushort4 scaled(ushort4 v) { return make_ushort4(v.w, v.x + 1, v.y, v.z); }
template <> __device__ uint2 scaled(uint2 v) { return make_uint2(v.y, v.x + 1); }
template <> __device__ uint4 scaled(uint4 v) { return make_uint4(v.w, v.x + 1, v.y, v.z); }

template <class T> __global__ void surfaces2(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    T v = surf2Dread<T>(from, (x + 1) * sizeof(T), y - 1, cudaBoundaryModeClamp);
    T z = surf2Dread<T>(from, (x - 1) * (int)sizeof(T), y, cudaBoundaryModeZero);
    if (y & 1)
        surf2Dwrite(scaled(v), to, x * sizeof(T), y);
    else
        surf2Dwrite(z, to, x * sizeof(T), y);
    surf2Dwrite(v, to, x * sizeof(T), y + SIDE, cudaBoundaryModeZero); // nowhere
}
__global__ void surfaces(cudaSurfaceObject_t line, cudaSurfaceObject_t solid, cudaSurfaceObject_t many, cudaSurfaceObject_t lines)
{
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    unsigned a = surf1Dread<unsigned>(line, x * 4), b = surf3Dread<unsigned>(solid, x * 4, y, 1),
             c = surf2DLayeredread<unsigned>(many, x * 4, y, 2), d = surf1DLayeredread<unsigned>(lines, x * 4, 1);
    surf3Dwrite(a + 3 * b + 5 * c + 7 * d, solid, x * 4, y, 2);
    surf2DLayeredwrite(a * b, many, x * 4, y, 1);
    surf1DLayeredwrite(x * 11u, lines, x * 4, 0);
    if (y == 0)
        surf1Dwrite(x * 13u, line, x * 4);
}
__global__ void counts(cudaSurfaceObject_t s)
{
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(threadIdx.x % SIDE * 4), "r"(0), "r"(threadIdx.x));
    asm volatile("sured.b.min.2d.s32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(threadIdx.x % SIDE * 4), "r"(1), "r"(5 - (int)threadIdx.x));
    asm volatile("sured.b.max.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(threadIdx.x % SIDE * 4), "r"(2), "r"(threadIdx.x));
    asm volatile("sured.b.or.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(threadIdx.x % SIDE * 4), "r"(3), "r"(1u << threadIdx.x % 31));
}

// ---- the host ----
struct shape {
    int width, height, depth;
    unsigned flags;
};

template <class T> static std::vector<T> texels(size_t n, unsigned seed)
{
    std::vector<T> v(n);
    unsigned char *p = (unsigned char *)v.data();
    for (size_t k = 0; k < n * sizeof(T); k++)
        p[k] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
    return v;
}
static std::vector<float> floats(size_t n, unsigned seed)
{
    std::vector<float> v(n);
    for (auto &x : v)
        x = ((seed = seed * 1103515245 + 12345) >> 20 & 255) * 0.25f;
    return v;
}
static void fill(cudaArray_t a, const shape &s, const void *from, size_t size)
{
    cudaMemcpy3DParms p = {};
    size_t h = s.height ? s.height : 1, d = s.depth ? s.depth : 1;
    p.srcPtr = make_cudaPitchedPtr((void *)from, s.width * size, s.width, h);
    p.dstArray = a;
    p.extent = make_cudaExtent(s.width, h, d);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
}
template <class T> static cudaArray_t array(const shape &s, const std::vector<T> &v)
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    CUDA(cudaMalloc3DArray(&a, &d, make_cudaExtent(s.width, s.height, s.depth), s.flags));
    fill(a, s, v.data(), sizeof(T));
    return a;
}
static cudaTextureDesc how(bool linear, bool normalized, cudaTextureAddressMode mode)
{
    cudaTextureDesc t = {};
    for (auto &m : t.addressMode)
        m = mode;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapFilterMode = t.filterMode;
    t.maxMipmapLevelClamp = 8;
    t.normalizedCoords = normalized;
    return t;
}
static cudaTextureObject_t sampled(cudaArray_t a, const cudaTextureDesc &t)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureObject_t o;
    CUDA(cudaCreateTextureObject(&o, &r, &t, nullptr));
    return o;
}
static cudaSurfaceObject_t written(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t o;
    CUDA(cudaCreateSurfaceObject(&o, &r));
    return o;
}
template <class T> static cudaTextureObject_t mipmap(const shape &s, unsigned seed)
{
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    CUDA(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(s.width, s.height, s.depth), 3, 0));
    for (int k = 0; k < 3; k++) {
        shape l = {s.width >> k, s.height ? s.height >> k : 0, s.depth ? s.depth >> k : 0, 0};
        cudaArray_t a;
        CUDA(cudaGetMipmappedArrayLevel(&a, m, k));
        std::vector<float> v = floats(sizeof(T) / 4 * (size_t)l.width * (l.height ? l.height : 1) * (l.depth ? l.depth : 1), seed + k);
        fill(a, l, v.data(), sizeof(T));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureDesc t = how(false, true, cudaAddressModeWrap);
    cudaTextureObject_t o;
    CUDA(cudaCreateTextureObject(&o, &r, &t, nullptr));
    return o;
}

static float *out;
static void show(const char *what)
{
    float h[N];
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    unsigned sum = 0;
    for (float x : h) {
        unsigned b;
        memcpy(&b, &x, 4);
        sum = sum * 31 + b;
    }
    printf("%s: %g %g %g, sum %08x\n", what, h[0], h[13], h[N - 1], sum);
}
template <class T> static void show_surface(const char *what, cudaArray_t a, const shape &s)
{
    size_t h = s.height ? s.height : 1, d = s.depth ? s.depth : 1;
    std::vector<T> v(s.width * h * d);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(v.data(), s.width * sizeof(T), s.width, h);
    p.extent = make_cudaExtent(s.width, h, d);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy3D(&p));
    unsigned sum = 0;
    for (size_t k = 0; k < v.size() * sizeof(T); k++)
        sum = sum * 31 + ((unsigned char *)v.data())[k];
    printf("%s: sum %08x\n", what, sum);
}
template <class T> static void pair(const char *what)
{
    const shape s = {SIDE, SIDE, 0, cudaArraySurfaceLoadStore};
    cudaArray_t from = array(s, texels<T>(SIDE * SIDE, 5)), to = array(s, texels<T>(SIDE * SIDE, 6));
    surfaces2<T><<<1, N>>>(written(from), written(to));
    show_surface<T>(what, to, s);
}

int main()
{
    CUDA(cudaMalloc(&out, N * sizeof *out));
    const shape line = {16, 0, 0, 0}, plane = {SIDE, SIDE, 0, 0}, solid = {SIDE, SIDE, 4, 0};
    const shape rows = {SIDE, 0, 6, cudaArrayLayered}, sheets = {SIDE, SIDE, 5, cudaArrayLayered};
    const shape cube = {4, 4, 6, cudaArrayCubemap}, many = {4, 4, 18, cudaArrayCubemap | cudaArrayLayered};
    const cudaTextureDesc points = how(false, false, cudaAddressModeClamp), smooth = how(true, true, cudaAddressModeMirror);
    cudaArray_t one = array(line, floats(16, 1));
    lines<<<1, N>>>(sampled(one, smooth), mipmap<float>({16, 0, 0, 0}, 3), out);
    show("lines");
    std::vector<float> four = floats(4 * SIDE * SIDE, 2);
    std::vector<float4> colours((float4 *)four.data(), (float4 *)four.data() + SIDE * SIDE);
    cudaArray_t two = array({SIDE, SIDE, 0, cudaArrayTextureGather}, colours);
    planes<<<1, N>>>(sampled(two, smooth), mipmap<float4>({SIDE, SIDE, 0, 0}, 4), out);
    show("planes");
    cudaArray_t three = array(solid, floats(SIDE * SIDE * 4, 7));
    solids<<<1, N>>>(sampled(three, how(true, true, cudaAddressModeWrap)), mipmap<float>({SIDE, SIDE, 4, 0}, 9), out);
    show("solids");
    layers<<<1, N>>>(sampled(array(rows, floats(SIDE * 6, 11)), how(false, true, cudaAddressModeWrap)),
                     sampled(array(sheets, floats(SIDE * SIDE * 5, 12)), how(true, true, cudaAddressModeWrap)), out);
    show("layers");
    cubes<<<1, N>>>(sampled(array(cube, floats(16 * 6, 13)), how(false, true, cudaAddressModeClamp)),
                    sampled(array(many, floats(16 * 18, 14)), how(false, true, cudaAddressModeClamp)), out);
    show("cubes");
    gathers<<<1, N>>>(sampled(two, points), out);
    show("gathers");
    cudaTextureObject_t all[3] = {sampled(two, points), sampled(array(plane, std::vector<float4>(SIDE * SIDE, make_float4(1, 2, 3, 4))), points),
                                  sampled(two, how(true, false, cudaAddressModeBorder))}, *handles;
    CUDA(cudaMalloc(&handles, sizeof all));
    CUDA(cudaMemcpy(handles, all, sizeof all, cudaMemcpyHostToDevice));
    mixed<<<1, N>>>(handles, 3, out);
    show("mixed");
    std::vector<uchar4> bytes = texels<uchar4>(N, 15);
    uchar4 *memory;
    CUDA(cudaMalloc(&memory, N * sizeof *memory));
    CUDA(cudaMemcpy(memory, bytes.data(), N * sizeof *memory, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    r.res.linear.sizeInBytes = N * sizeof *memory;
    cudaTextureDesc plain = {};
    cudaTextureObject_t straight;
    CUDA(cudaCreateTextureObject(&straight, &r, &plain, nullptr));
    cudaArray_t ints = array(plane, texels<int>(SIDE * SIDE, 16));
    fetches<<<1, N>>>(straight, sampled(ints, points), out);
    show("fetches");
    sizes<<<1, N>>>(sampled(one, points), sampled(three, points), out);
    show("sizes");
    pair<unsigned char>("surfaces of bytes");
    pair<uchar2>("of two");
    pair<uchar4>("of four");
    pair<unsigned short>("of halves");
    pair<ushort2>("of two");
    pair<ushort4>("of four");
    pair<unsigned>("of words");
    pair<uint2>("of two");
    pair<uint4>("of four");
    const unsigned stores = cudaArraySurfaceLoadStore;
    const shape s1 = {SIDE, 0, 0, stores}, s3 = {SIDE, SIDE, 4, stores}, sl = {SIDE, SIDE, 4, stores | cudaArrayLayered},
                s0 = {SIDE, 0, 4, stores | cudaArrayLayered}, sc = {SIDE, SIDE, 0, stores};
    cudaArray_t a1 = array(s1, texels<unsigned>(SIDE, 21)), a3 = array(s3, texels<unsigned>(SIDE * SIDE * 4, 22)),
                al = array(sl, texels<unsigned>(SIDE * SIDE * 4, 23)), a0 = array(s0, texels<unsigned>(SIDE * 4, 24)),
                ac = array(sc, texels<unsigned>(SIDE * SIDE, 25));
    surfaces<<<1, N>>>(written(a1), written(a3), written(al), written(a0));
    show_surface<unsigned>("line", a1, s1);
    show_surface<unsigned>("solid", a3, s3);
    show_surface<unsigned>("sheets", al, sl);
    show_surface<unsigned>("rows", a0, s0);
    counts<<<1, N>>>(written(ac));
    show_surface<unsigned>("counts", ac, sc);
    puts("ok");
}
