// The two halves agree about structures: alignment, packing, bit-fields, unions, nesting, empty bases, enums.
#include <cstddef>
#include <cstring>
#include <memory>
#include <ratio>
#include "check.h"

struct __align__(16) aligned {
    char c;
    float f;
};
#pragma pack(push, 1)
struct packed {
    char c;
    double d;
    short s;
};
#pragma pack(pop)
struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 40;
    unsigned : 0;
    unsigned char d : 4;
};
union either {
    float f;
    unsigned u;
    unsigned char bytes[6];
};
enum class color : unsigned char { red = 3, blue = 200 };
struct nothing {};
struct derived : nothing {
    short s;
    color k;
};
struct mixture {
    char first;
    aligned a;
    packed p;
    bits b;
    either e;
    derived d;
    float3 three;
    double2 two;
    char3 chars[3];
    bool flag;
    long double *unused;
    int matrix[2][3];
    struct {
        int x, y;
    } inner;
};
__global__ void change(mixture *p, mixture v, size_t *sizes)
{
    v.first++;
    v.a.f *= 2;
    v.p.d += 1;
    v.p.s = -5;
    v.b.a = 6;
    v.b.b = -7;
    v.b.c += 1ull << 36;
    v.b.d = 9;
    v.e.f = 1.0f;
    v.d.k = v.d.k == color::red ? color::blue : color::red;
    v.three.z = 3;
    v.two.y = 4;
    v.chars[2].z = 'z';
    v.flag = !v.flag;
    v.matrix[1][2] = 12;
    v.inner.y = v.inner.x + 1;
    *p = v;
    const size_t s[] = {sizeof(mixture), alignof(mixture), offsetof(mixture, p), offsetof(mixture, b), offsetof(mixture, d), offsetof(mixture, two),
                        offsetof(mixture, inner), sizeof(bits), sizeof(derived), sizeof(either)};
    for (int i = 0; i < 10; i++)
        sizes[i] = s[i];
}

struct owner { // what only the host can use, beside what the device reads
    std::shared_ptr<int> kept;
    int *raw;
    std::unique_ptr<float> *none;
};
__global__ void through(owner o, int *out)
{
    *out = *o.raw + (o.none == nullptr);
}

int main()
{
    mixture v, *p;
    size_t *sizes;
    memset((void *)&v, 0, sizeof v);
    v.first = 'a', v.a.f = 1.5f, v.p.d = 0.5, v.b.c = 5, v.d.k = color::red, v.inner.x = 41;
    CUDA(cudaMallocManaged(&p, sizeof *p));
    CUDA(cudaMallocManaged(&sizes, 10 * sizeof *sizes));
    change<<<1, 1>>>(p, v, sizes);
    CUDA(cudaDeviceSynchronize());
    const size_t s[] = {sizeof(mixture), alignof(mixture), offsetof(mixture, p), offsetof(mixture, b), offsetof(mixture, d), offsetof(mixture, two),
                        offsetof(mixture, inner), sizeof(bits), sizeof(derived), sizeof(either)};
    for (int i = 0; i < 10; i++)
        CHECK(sizes[i] == s[i]);
    CHECK(p->first == 'b' && p->a.f == 3 && p->p.d == 1.5 && p->p.s == -5);
    CHECK(p->b.a == 6 && p->b.b == -7 && p->b.c == (1ull << 36) + 5 && p->b.d == 9);
    CHECK(p->e.u == 0x3f800000 && p->d.k == color::blue && p->three.z == 3 && p->two.y == 4);
    CHECK(p->chars[2].z == 'z' && p->flag && p->matrix[1][2] == 12 && p->inner.y == 42);

    owner o = {std::make_shared<int>(5), nullptr, nullptr};
    CUDA(cudaMallocManaged(&o.raw, 2 * sizeof *o.raw));
    *o.raw = 8;
    through<<<1, 1>>>(o, o.raw + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(o.raw[1] == 9 && *o.kept == 5);
    puts("ok");
}
