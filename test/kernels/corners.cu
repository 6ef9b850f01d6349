// Corners of C++ that libraries rely on: each line is 1 when it is right.
// TEST padding: --kernel padding --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
// TEST constants: --kernel constants --arg 'i32[6]'
// EXPECT arg 0: sum 6 checksum 649ca554fe094455
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
