// Younger parts of the language, and words that are seldom seen: each line is 1 when it is right.
// TEST newer: --kernel newer --arg 'i32[40]'
// EXPECT arg 0: sum 40 checksum 81b67dfb340bd465
// TEST bounded: --kernel bounded --block 4 --arg 'i32[4]'
// EXPECT arg 0: sum 4 checksum af657290f3fef745
#include <cassert>
#include <new>
#if __has_include(<cuda_fp16.h>) && !__has_include("no_such_file.h") && defined(__CUDACC__) && __CUDA_ARCH__ >= 700
#define FOUND 1
#else
#define FOUND 0
#endif
#define CALL(f, ...) f(1 __VA_OPT__(, ) __VA_ARGS__)
#define STRING(x) #x
#define JOIN(a, b) a##b
#define TWICE(x) ((x) + (x))

struct __align__(16) quad { int v[3]; };
struct __attribute__((packed)) tight { char c; int i; };
struct flags { unsigned a : 3, b : 5; int c : 4; };
enum class color : unsigned char { red, green = 4, blue };
struct celsius {
    float degrees;
    __device__ explicit celsius(float d) : degrees(d) {}
    __device__ operator float() const { return degrees; }
    __device__ explicit operator bool() const { return degrees != 0; }
};
struct ring {
    int data[4];
    __device__ const int *begin() const { return data; }
    __device__ const int *end() const { return data + 4; }
};
struct counted {
    int *alive;
    __device__ counted(int *a) : alive(a) { ++*alive; }
    __device__ ~counted() { --*alive; }
};
struct options { int width = 3, height = 4; float scale = 1; };
static __device__ const int limit = 5;
static __device__ const int twice_limit = limit * 2;
constinit __device__ int started = 7;

__device__ int add(int a, int b = 10, int c = 100) { return a + b + c; }
__device__ __noinline__ int apart(int x) { return x * 3; }
__device__ int first(int n, ...) { return n; }
consteval int squared(int x) { return x * x; }
template <auto V> __device__ auto constant() { return V; }
template <typename... T> __device__ int count(T...) { return sizeof...(T); }
template <typename T> __device__ auto size_or(T x, int) -> decltype(x.width) { return x.width; }
template <typename T> __device__ int size_or(T, long) { return -1; }

__global__ void newer(int *out)
{
    int i = 0;
    out[i++] = FOUND;
    out[i++] = CALL(add) == 111 && CALL(add, 2, 3) == 6;
    out[i++] = sizeof(STRING(a + b)) == 6 && JOIN(1, 2) == 12 && TWICE(3) == 6;
    out[i++] = sizeof(quad) == 16 && alignof(quad) == 16 && sizeof(tight) == 5;
    flags f = {7, 31, -8};
    f.a++;
    out[i++] = f.a == 0 && f.b == 31 && f.c == -8 && sizeof(flags) == 4 && f.a - 1 < 0 && f.b / -2 == -15 && (unsigned)f.a - 1 > 0;
    out[i++] = (int)color::blue == 5 && sizeof(color) == 1;
    celsius t(2.5f);
    out[i++] = t + 1 == 3.5f && (t ? 1 : 0);
    int sum = 0;
    for (int x : ring{{1, 2, 3, 4}})
        sum += x;
    out[i++] = sum == 10;
    int alive = 0;
    alignas(counted) unsigned char room[sizeof(counted)];
    counted *c = new (room) counted(&alive);
    out[i++] = alive == 1;
    c->~counted();
    out[i++] = alive == 0;
    options o{.height = 9};
    auto [w, h, s] = o;
    out[i++] = w == 3 && h == 9 && s == 1;
    out[i++] = twice_limit == 10 && started == 7;
    out[i++] = apart(5) == 15 && first(2, out[0]++) == 2 && out[0] == 2;
    out[0] = 1;
    out[i++] = squared(12) == 144 && constant<7>() == 7 && constant<'a'>() == 'a';
    out[i++] = count() == 0 && count(1, 2.0, 'c') == 3;
    out[i++] = size_or(o, 0) == 3 && size_or(5, 0) == -1;
    auto generic = []<typename T>(T x) { return sizeof(T) + x; };
    out[i++] = generic(1) == 5 && generic(1LL) == 9;
    auto fold = [=](auto... xs) { return (xs + ... + alive); };
    out[i++] = fold(1, 2, 3) == 6 && fold() == 0;
    if (int v = fold(2); v > 1) [[likely]]
        out[i++] = 1;
    else [[unlikely]]
        out[i++] = 0;
    switch (int v = 3; v) {
    case 1:
        out[i] = 0;
        [[fallthrough]];
    case 3: out[i] = v == 3; break;
    default: out[i] = 0;
    }
    i++;
    using enum color;
    out[i++] = green == color::green;
    int options::*member = &options::height;
    int (celsius::*none)() const = nullptr;
    out[i++] = o.*member == 9 && none == nullptr;
    int (*pointer)(int) = apart;
    out[i++] = pointer(4) == 12;
    static int kept = 40;
    kept += 2;
    out[i++] = kept == 42;
    out[i++] = [] { constexpr int table[] = {1, 4, 9}; return table[2]; }() == 9;
    out[i++] = sizeof(long double) >= 8 && sizeof(wchar_t) == 4;
    out[i++] = R"(a"b)"[1] == '"' && u8"x"[0] == 'x' && L'\x41' == 65 && 1'000'000 == 1000000 && 0b101 == 5;
    volatile int loud = 3;
    loud = loud + 1;
    out[i++] = loud == 4;
    int grid[2][3][4] = {{{1}}, {{0}, {0, 5}}};
    out[i++] = grid[0][0][0] + grid[1][1][1] == 6 && sizeof grid == 96;
    assert(out[0] == 1);
    goto end;
    out[0] = 0;
end:
    out[i++] = i == 29; // the right side comes first
    while (i < 40)
        out[i++] = 1;
}

__global__ void __launch_bounds__(128, 2) bounded(int *__restrict__ out)
{
    out[threadIdx.x] = 1;
}
