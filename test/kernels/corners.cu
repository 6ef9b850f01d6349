// Corners of C++ that libraries rely on: each line is 1 when it is right.
// TEST padding: --kernel padding --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST constants: --kernel constants --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST members: --kernel members --arg 'i32[12]'
// EXPECT arg 0: sum 12 checksum 9c5fa0bd7fa2b785
// TEST traits: --kernel traits --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST packs: --kernel packs --arg 'i32[4]'
// EXPECT arg 0: sum 4 checksum af657290f3fef745
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// A base's own bytes end before its size: members of the derived class lie in what is left.
struct none {};
struct base {
    int x = 1;
    char c = 2;
    __device__ base() {}
};
struct derived : base {
    char d = 7;
};
struct pointer {
    int *p;
    __device__ pointer(int *q) : p(q) {}
};
struct with_none : pointer, none {
    __device__ with_none(int *q) : pointer(q), none() {}
};
template <class T> struct element : T {
    __device__ element() : T() {}
};
struct packed_pair : pointer, element<none> {
    __device__ packed_pair(int *q) : pointer(q), element<none>() {}
};

__global__ void padding(int *out)
{
    int *first = out;
    derived a;
    base b;
    a.d = 9;
    b.x = 4;
    CHECK(sizeof(derived) == 8);
    static_cast<base &>(a) = b;
    CHECK(a.x == 4 && a.d == 9);
    base &r = a;
    r = base();
    CHECK(a.x == 1 && a.d == 9);
    derived copy = a;
    CHECK(copy.d == 9);
    with_none w(first);
    CHECK(w.p == first);
    packed_pair p(first);
    CHECK(p.p == first);
}

// What is assigned to is found out once, after the value.
struct point {
    int x, y;
};
__host__ __device__ constexpr point swapped(const point &p)
{
    return {p.y, p.x};
}
__host__ __device__ constexpr int through_increment()
{
    int a[] = {0, 0, 1}, *p = a;
    *++p = a[2];
    return int(p - a) * 10 + a[1];
}
__host__ __device__ constexpr int compound_once()
{
    int a[] = {1, 2, 3}, *p = a;
    *p++ += 5;
    ++*p++;
    return int(p - a) * 100 + a[0] * 10 + a[1];
}
__host__ __device__ constexpr int as_place()
{
    int a[] = {1, 2, 3}, i = 0;
    int &r = (a[i++] = 7);
    r++;
    return i * 10 + a[0];
}
__host__ __device__ constexpr int value_first()
{
    int a[] = {1, 2, 3}, i = 0;
    a[i] = i++;
    return a[0] * 10 + a[1];
}
__host__ __device__ constexpr int into_itself()
{
    point p{1, 2};
    p = swapped(p);
    return p.x * 10 + p.y;
}
__host__ __device__ constexpr int chained()
{
    point p{1, 2}, q{3, 4}, *at = &p;
    (*at = q).x++;
    return p.x * 10 + q.x;
}

template <int N> struct number {
    static constexpr int value = N;
};
__global__ void constants(int *out)
{
    CHECK(number<through_increment()>::value == 11 && through_increment() == 11);
    CHECK(number<compound_once()>::value == 263 && compound_once() == 263);
    CHECK(number<as_place()>::value == 18 && as_place() == 18);
    CHECK(number<value_first()>::value == 10 && value_first() == 10);
    CHECK(number<into_itself()>::value == 21 && into_itself() == 21);
    CHECK(number<chained()>::value == 43 && chained() == 43);
}

// Which special members a class has, and which of them only copy bytes.
struct ended { // its destructor is its own: it is assigned as bytes, but not made as such
    int v;
    __device__ ended() {}
    ended(const ended &) = default;
    ended &operator=(const ended &) = default;
    __device__ ~ended() {}
};
struct moved { // copied by hand, moved as bytes
    int v;
    __device__ moved(int x) : v(x) {}
    __device__ moved(const moved &o) : v(o.v + 100) {}
    moved(moved &&) = default;
    moved &operator=(const moved &) = default;
    moved &operator=(moved &&) = default;
};
template <class T> struct accessor {
    constexpr accessor() noexcept = default;
    template <class O> __device__ constexpr accessor(accessor<O>) {}
};
struct only_moves {
    int v;
    __device__ explicit only_moves(int x) : v(x) {}
    only_moves(only_moves &&) = default;
    only_moves &operator=(only_moves &&) = default;
};
struct holds_one { // `= default` says nothing that a part cannot do
    only_moves m;
    holds_one(const holds_one &) = default;
    holds_one(holds_one &&) = default;
};
union either {
    int i;
    ended e;
};
struct number_like {
    __device__ operator int() const;
};
struct takes_all {
    template <class T> __device__ void operator=(T);
};
__device__ only_moves handed_on(only_moves x)
{
    return x;
}
// the copy constructor wins over templates, whatever else does not fit
template <class E> struct mapping {
    E e;
    __device__ mapping(E x) : e(x) {}
    template <class O, class = typename O::none> __device__ mapping(O) {}
    __device__ mapping(const mapping &o) : e(o.e) {}
    template <class O> __device__ mapping(const mapping<O> &o) : e(-1) {}
};
// a friend that is declared once more is there for all
template <int S> struct pipe;
template <> struct pipe<1> {
    int h;

private:
    __device__ pipe() : h(3) {}
    friend __device__ pipe<1> make_pipe();
};
template <class G> __device__ int make_pipe(const G &g, int);
__device__ inline pipe<1> make_pipe()
{
    return pipe<1>();
}

__global__ void members(int *out)
{
    CHECK(__is_trivially_assignable(ended &, const ended &) && !__is_trivially_constructible(ended, const ended &));
    CHECK(__is_trivially_constructible(moved, moved &&) && !__is_trivially_constructible(moved, const moved &));
    CHECK(__is_trivially_constructible(accessor<int>) && __is_trivially_copyable(accessor<int>));
    CHECK(!__is_trivially_constructible(int, number_like) && !__is_trivially_assignable(takes_all &, int));
    CHECK(!__is_constructible(holds_one, const holds_one &) && __is_constructible(holds_one, holds_one &&));
    CHECK(!__is_constructible(either) && __is_constructible(holds_one, holds_one &&));
    CHECK(handed_on(only_moves(4)).v == 4);
    moved a(1);
    moved b(a), c(static_cast<moved &&>(a));
    CHECK(b.v == 101 && c.v == 1);
    mapping<int> m(7), n(m);
    CHECK(n.e == 7);
    CHECK(make_pipe().h == 3);
    int *p = static_cast<int *>(::operator new(2 * sizeof(int)));
    p[1] = 5;
    CHECK(p[1] == 5);
    ::operator delete(p);
    CHECK(sizeof(either) == 4);
}

// Lambdas that are expanded, once for each element.
template <class... Fs> __device__ void run_all(int *out, Fs... fs)
{
    using function = void (*)(void *, int *);
    int sum = 0;
    function calls[] = {[](void *d, int *to) { (*reinterpret_cast<Fs *>(d))(to); }...};
    void *data[] = {reinterpret_cast<void *>(&fs)...};
    for (int i = 0; i < (int)sizeof...(Fs); i++)
        calls[i](data[i], &sum);
    CHECK(sum == 12);
    int by_reference[] = {[&] { return fs(&sum) + 1; }()...};
    CHECK(by_reference[0] == 6 && by_reference[1] == 8 && sum == 24);
    int sizes[] = {[=](int k) { return k + fs.x + (int)sizeof...(Fs); }(10)...};
    CHECK(sizes[0] == 17 && sizes[1] == 19);
}
template <int... N> __device__ int times_two()
{
    int a[] = {[](auto x) { return x * N; }(2)...};
    return a[0] + 10 * a[1];
}

__global__ void packs(int *out)
{
    struct adder {
        int x;
        __device__ int operator()(int *to)
        {
            *to += x;
            return x;
        }
    };
    run_all(out, adder{5}, adder{7});
    out += 3;
    CHECK(times_two<3, 4>() == 86);
}

// What may be done without a word of the program's, and what may throw.
#include <type_traits>
struct moves_plainly {
    moves_plainly(moves_plainly &&) = default;
    __device__ moves_plainly(const moves_plainly &) {}
    __device__ ~moves_plainly() noexcept(false) {}
};
struct moves_bare {
    moves_bare(moves_bare &&) = default;
    __device__ moves_bare(const moves_bare &) {}
};

__global__ void traits(int *out)
{
    CHECK(std::is_trivially_move_constructible_v<moves_bare> && !std::is_trivially_copy_constructible_v<moves_bare>);
    CHECK(std::is_nothrow_move_constructible_v<moves_bare> && !std::is_nothrow_copy_constructible_v<moves_bare>);
    CHECK(!std::is_nothrow_destructible_v<moves_plainly> && std::is_nothrow_destructible_v<int[2]>);
    CHECK(std::is_invocable_r_v<float, int (*)(int), int> && !std::is_invocable_r_v<int *, int (*)(int), int>);
    CHECK(!std::is_copy_constructible_v<void> && !std::is_destructible_v<void>);
    CHECK(!std::is_nothrow_invocable_v<int (*)(int), int> && std::is_nothrow_assignable_v<int &, int>);
}
