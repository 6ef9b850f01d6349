// What overloads and initialisers choose, as libraries of types lean on it: each line is 1 when it is right.
// TEST directly: --kernel directly --arg 'i32[16]'
// EXPECT arg 0: sum 16 checksum bec6bbcc296da3a5
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// a constructor template that is handed on twice, and converts
struct mark {};
template <class T> struct root {
    bool has;
    T v;
    constexpr root() : has(false), v() {}
    template <class... A> __host__ __device__ constexpr root(mark, A... a) : has(true), v(a...) {}
};
template <class T> struct first : root<T> { using root<T>::root; constexpr first() = default; };
template <class T> struct second : first<T> { using first<T>::first; constexpr second() = default; };
template <class T> struct third : second<T> { using second<T>::second; constexpr third() = default; };

// functions are lvalues
__device__ int lvalue_or(int (&)(int)) { return 1; }
__device__ int lvalue_or(int (&&)(int)) { return 2; }
__device__ int same(int x) { return x; }

// copies that are explicit, of a base and of a member
struct part {
    int n;
    __device__ explicit part(int k) : n(k) {}
    __device__ explicit part(const part &o) : n(o.n + 1) {}
};
struct whole : part {
    part other;
    __device__ whole() : part(1), other(10) {}
    whole(const whole &) = default;
};

// explicit conversions in T{x}
struct days { int n; __host__ __device__ constexpr explicit days(int k) : n(k) {} };
struct date {
    __host__ __device__ constexpr explicit operator days() const { return days(7); }
    __host__ __device__ constexpr explicit operator int() const { return 8; }
};

// an empty pack of parameters without a name
template <class... A> __device__ int several(int x) { return x + (int)sizeof...(A); }
template <class... A> __device__ int unnamed(A &&...) { return several<A &&...>(3); }

// a local that all returns give is made where the result goes
struct moves {
    int n = 0;
    __device__ moves() {}
    __device__ moves(moves &&o) : n(o.n + 1) {}
    __device__ moves &operator=(moves &&o) { n = o.n + 1; return *this; }
};
__device__ moves exchanged(moves &a, moves &&b)
{
    moves old = static_cast<moves &&>(a);
    a = static_cast<moves &&>(b);
    return old;
}

// an enumeration that is a bool
enum class side : bool { left, right };
template <side S> struct at_side { static constexpr side value = S; };
__device__ side where = side::right;

// what nothing can point to; arrays that have no name
template <class T> __device__ int can_point(T *) { return 1; }
template <class T> __device__ int can_point(...) { return 2; }
using row = int[3];
__device__ int from_row(const row &r) { return r[0] + r[2]; }
struct has_row { row r; };

__global__ void directly(int *out)
{
    int *end = out + 16;
    const mark m;
    third<int> a(m), b(m, 5), c(a);
    CHECK(a.has && a.v == 0 && b.v == 5 && c.has);
    CHECK(lvalue_or(same) == 1);
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int(*rows)[3] = grid;
    const int(*fixed)[3] = rows;
    CHECK(rows == fixed && fixed + 1 != rows);
    whole w;
    whole v(w);
    CHECK(v.n == 2 && v.other.n == 11);
    constexpr date d{};
    constexpr days e{d};
    CHECK(e.n == 7 && days(d).n == 7 && int{d} == 8);
    CHECK(unnamed() == 3 && unnamed(1, 2) == 5);
    moves p, q;
    q = exchanged(p, static_cast<moves &&>(q));
    CHECK(p.n == 1 && q.n == 2);
    CHECK(__alignof(double *) == 8 && __alignof__(short) == 2);
    const float far = __int_as_float(0x7f800000);
    const double far2 = __hiloint2double(0x7ff00000, 0);
    CHECK(__float_as_int(atan2f(far, far)) == 0x3f490fdb && __float_as_int(atan2f(-far, -far)) == (int)0xc016cbe4);
    CHECK(atan2(far2, far2) == 0.78539816339744831 && atan2(far2, -far2) == 2.3561944901923448);
    __shared__ int here;
    CHECK(__isClusterShared(&here) && !__isClusterShared(out));
    CHECK(at_side<side::right>::value == side::right && where == side::right && static_cast<side>(out[0] + 1) == side::right);
    CHECK(can_point<int()>(nullptr) == 1 && can_point<int() const>(nullptr) == 2);
    CHECK(from_row(has_row{{1, 2, 3}}.r) == 4);
    while (out < end)
        *out++ = 1;
}
