// RUN: tern compile %s --to ir -o %t --error-limit 50
// RUN: tern run --host=own -DHOST %s
// `auto` of one declaration is one type, whatever stands around it in each declarator.
#ifdef HOST
auto whole = 1, part = 2.5;
int main()
{
    return whole + (int)part;
}
#else
__device__ auto first = 1, second = 2.0f;
__device__ auto one = 1, other = 2, *pointer = &other;
__global__ void differ(int *p)
{
    auto a = 1, b = 2.0;
    const int fixed = 3;
    auto &r = fixed, q = 4;
    auto *s = &p[1], t = p[0], u = p;
    auto &&v = p[0], w = 5;
    for (auto i = 0, n = 4L; i < n; i++)
        p[i] = 0;
}
__global__ void variables(int *p)
{
    p[0] = first + (int)second;
    p[1] = one + other + *pointer;
}
template <class T> __global__ void instance(T *p, T x)
{
    auto a = x, b = 2.0;
    p[0] = a + b;
}
template __global__ void instance(float *, float);
template __global__ void instance(double *, double);
__global__ void same(int *p)
{
    auto a = 1, *b = p, &c = p[0];
    const auto d = 2, &e = p[1];
    constexpr auto f = 3, g = 4;
    for (auto i = p, end = p + 4; i < end; i++)
        *i = a + *b + c + d + e + f + g;
}
#endif
