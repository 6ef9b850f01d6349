// cuda::std::optional, expected and variant, on both sides and handed to kernels.
#include <cuda/std/expected>
#include <cuda/std/optional>
#include <cuda/std/variant>
#include <cstdio>
#include <exception>

enum class failure { none, negative };

__host__ __device__ cuda::std::expected<float, failure> root(float x)
{
    if (x < 0)
        return cuda::std::unexpected<failure>(failure::negative);
    return sqrtf(x);
}

__host__ __device__ cuda::std::optional<int> even(int x)
{
    if (x % 2)
        return cuda::std::nullopt;
    return x;
}

struct pair {
    float a, b;
    __host__ __device__ bool operator==(const pair &o) const { return a == o.a && b == o.b; }
};
typedef cuda::std::variant<int, float, pair> shape;

struct measure {
    __host__ __device__ float operator()(int x) const { return (float)x; }
    __host__ __device__ float operator()(float x) const { return x * 10; }
    __host__ __device__ float operator()(const pair &p) const { return p.a * p.b; }
};
struct both {
    template <class A, class B> __host__ __device__ int operator()(const A &, const B &) const { return (int)(sizeof(A) * 100 + sizeof(B)); }
};

__host__ __device__ float mix(shape s, cuda::std::optional<int> o, int i)
{
    float r = cuda::std::visit(measure(), s);
    if (o)
        r += (float)*o * 1000;
    r += (float)even(i).value_or(-1) * 0.5f;
    auto e = root((float)(i - 2));
    r += e ? *e : e.error() == failure::negative ? -100.0f : 0;
    s = pair{1, 2};
    if (auto *p = cuda::std::get_if<pair>(&s))
        r += p->b;
    s = 7;
    r += (float)cuda::std::get<0>(s) + (float)s.index() + (cuda::std::holds_alternative<float>(s) ? 1000 : 0);
    r += (float)cuda::std::visit(both(), s, shape(2.5f)) + (s == shape(7) ? 0.25f : 0);
    return r + (float)even(i).transform([] __host__ __device__(int x) { return x * 2; }).value_or(3);
}

__global__ void kernel(shape s, cuda::std::optional<int> o, float *out)
{
    out[threadIdx.x] = mix(s, o, (int)threadIdx.x);
}

struct counted {
    static int alive;
    int n;
    counted(int x) : n(x) { alive++; }
    counted(const counted &o) : n(o.n) { alive++; }
    ~counted() { alive--; }
};
int counted::alive;

int main()
{
    static_assert(sizeof(cuda::std::optional<int>) == 8, "as large as it has to be");
    float *out;
    cudaMallocManaged(&out, 8 * sizeof *out);
    const shape shapes[] = {3, 2.5f, pair{4, 5}};
    int wrong = mix(shapes[0], cuda::std::nullopt, 0) != 316.25f; // 3 - 100 + 2 + 7 + 404 + 0.25
    for (const shape &s : shapes)
        for (int k = 0; k < 2; k++) {
            cuda::std::optional<int> o;
            if (k)
                o = 2;
            kernel<<<1, 8>>>(s, o, out);
            if (cudaDeviceSynchronize() != cudaSuccess)
                return 1;
            for (int i = 0; i < 8; i++)
                wrong += out[i] != mix(s, o, i);
        }
    {
        cuda::std::variant<int, counted> v = counted(5), w = v;
        cuda::std::optional<counted> a(counted(1)), b = a;
        w = 3;
        b.reset();
        int thrown = 0;
        try {
            (void)b.value();
        } catch (const cuda::std::bad_optional_access &) {
            thrown++;
        }
        try {
            (void)cuda::std::get<1>(w);
        } catch (const std::exception &) {
            thrown++;
        }
        wrong += thrown != 2 || counted::alive != 2 || w.index() != 0 || cuda::std::get<counted>(v).n != 5;
    }
    wrong += counted::alive != 0;
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
