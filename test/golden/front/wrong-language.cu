// RUN: tern compile %s --to ir -o %t --error-limit 200
// Each construct of the language, used wrongly.
extern "C" __global__ void twice(int *p) {}
extern "C" __global__ void twice(float *p) {}
__global__ void __launch_bounds__(-1) bounds(int *p) {}
__global__ int returns(int *p) { return 1; }
struct bits { unsigned wide : 40; };
enum class color { red, green };
struct base { __device__ virtual int f() = 0; };
struct plain { int x; __device__ explicit plain(int v) : x(v) {} plain(const plain &) = delete; };
union choice { int i; float f; };
struct hidden { private: int secret; };
template <int N> struct fixed { static_assert(N > 2, "too small"); int v[N]; };
template <typename T> struct needs { typename T::type value; };
template <typename... T> __device__ int all(T... x) { return (x + ...); }
__device__ int overloaded(int, float);
__device__ int overloaded(float, int);
__device__ void defaults(int a, int b = 1);
__device__ constexpr int not_constant(int x) { return x / 0; }
struct pair_ { int a, b; };
struct nobegin { int x; };
__constant__ int table[4];
__device__ int two() { return 2; }
struct chain : undeclared_base {};

__global__ void statements(int *p, const int *q)
{
    switch (p[0]) {
    case 1: break;
    case 1: break;
    }
    break;
    do p[0]++; while (nothing);
    for (int i = 0; i < 3; i++) i.x = 1;
    goto nowhere;
    case 5: p[0] = 1;
    *q = 1;
    const int fixed_value = 1;
    fixed_value = 2;
    int &unbound;
    int &bound = 5;
    int array[-1];
    int sized[p[0]];
    static_cast<float *>(p);
    reinterpret_cast<float>(p);
    const_cast<float *>(q);
    color c = 1;
    int n = color::red;
    base b;
    plain one = 5;
    plain two_(1), three = two_;
    hidden h;
    h.secret = 1;
    choice u = {1, 2};
    fixed<1> small;
    needs<int> none;
    all();
    overloaded(1, 2);
    defaults();
    constexpr int bad = not_constant(1);
    constexpr int worse = p[0];
    auto [x, y, z] = pair_{1, 2};
    for (auto e : nobegin{}) p[0] = 1;
    [] { p[0] = 1; }();
    auto unknown;
    delete p[0];
    int pair_::*m = &plain::x;
    if constexpr (p[0]) p[0] = 1;
    __shared__ int initialised = 5;
    table[0] = 1;
    two() = 3;
    p->x = 1;
    p[0](1);
    int same, same;
    "text"[0] = 'a';
    sizeof(void);
    new base;
    throw 1;
    asm("nonsense.s32 %0, %1;" : "=r"(p[0]) : "r"(1));
    asm("add.s32 %0, %1, %2;" : "=r"(p[0]) : "r"(1));
    asm("mov.u32 %0, %1;" : "=q"(p[0]) : "r"(1));
    undeclared_function(1);
    statements<<<1, 1>>>(p);
    return 5;
}
__host__ int on_host();
__global__ void jumps() { goto nowhere; }
__global__ void host_call(int *p) { p[0] = on_host(); }
struct nobegin { int x; };
__global__ void no_range(int *p) { for (auto e : nobegin{}) p[0] = 1; }
struct top { int x; };
struct left : virtual top { int y; };
__global__ void virtual_base(top *p) { p[0].x = static_cast<left *>(p)->y; }
__global__ void takes_virtual(left l, int *p) { p[0] = l.y; }
__global__ void per_thread(int *p) { thread_local int x = 1; p[0] = x; }
