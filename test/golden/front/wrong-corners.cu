// RUN: tern compile %s --to ir
// What a defaulted member cannot do, although the class says that it can.
struct only_moves {
    int v;
    __device__ explicit only_moves(int x) : v(x) {}
    only_moves(only_moves &&) = default;
};
struct holds {
    only_moves m;
    __device__ holds() : m(1) {}
    holds(const holds &) = default;
};
struct fixed {
    const int n = 3;
    fixed &operator=(const fixed &) = default;
};

__global__ void copies(int *p)
{
    holds h;
    holds copied = h;
    p[0] = copied.m.v;
}

__global__ void assigns(int *p)
{
    fixed a, b;
    a = b;
    p[0] = a.n;
}

__global__ void allocates(int *p)
{
    void *q = ::operator new("two");
    p[0] = q != nullptr;
}

template <int N> struct room {
    int x[N];
};
__global__ void sizes(int *p)
{
    only_moves local(4);
    room<local.v> r;
    p[0] = r.x[0];
}

struct left {
    int x, y;
};
struct right {
    int x, y;
};
__device__ int either(left &&);
__device__ int either(const right &);
__global__ void lists(int *p)
{
    p[0] = either({1, 2});
}
