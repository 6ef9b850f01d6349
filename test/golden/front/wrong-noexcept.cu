// RUN: tern compile %s --to ir
// RUN: tern compile %s --to ir -std=c++14 -DOLD
// RUN: tern compile %s --to ir -DNAMES | grep -o '_Z[A-Za-z0-9_]*'
// A function that may throw does not go where none may; until C++17 nothing was said of it.
__device__ int plain(int x) { return x; }
struct holder {
    __device__ int get(int) { return 1; }
};
#ifdef NAMES /* as the C++ ABI has them */
template <class T> struct box {};
__global__ void names(int (*)(int) noexcept, int (*)(int), int (*)(int) noexcept) {}
__global__ void names(int (holder::*)(int) const & noexcept, int (holder::*)(int) volatile &&) {}
__global__ void names(box<int(int) noexcept>, box<void() const volatile &>) {}
#elif defined OLD
__global__ void same(int *p)
{
    int (*f)(int) noexcept = plain;
    p[0] = f(2);
}
#else
template <int (*F)(int) noexcept> __device__ int quietly() { return F(1); }
__global__ void pointer(int *p)
{
    int (*f)(int) noexcept = plain;
    p[0] = f(2);
}
__global__ void member(int *p)
{
    int (holder::*f)(int) noexcept = &holder::get;
    holder h;
    p[0] = (h.*f)(2);
}
__global__ void argument(int *p)
{
    p[0] = quietly<plain>();
}
__global__ void other(int *p)
{
    int (*f)(int) = plain;
    p[0] = static_cast<int (*)(int) noexcept>(f)(2);
}
#endif
