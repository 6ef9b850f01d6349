// Pointers to virtual member functions ask the object they are called for.
// TEST member_calls: --kernel member_calls --block 4 --arg 'i32[12]'
// EXPECT arg 0: sum 7430 checksum ffbb6deaafbb109a
struct pair { int a, b; };
struct shape {
    int side;
    __device__ shape(int s) : side(s) {}
    __device__ virtual int area(int k) const { return side + k; }
    __device__ virtual pair both(pair p) { return {p.b, p.a + side}; }
    __device__ int plain(int k) const { return side * 100 + k; }
};
struct square : shape {
    __device__ square(int s) : shape(s) {}
    __device__ int area(int k) const override { return side * side + k; }
    __device__ pair both(pair p) override { return {p.a * side, p.b}; }
};

__global__ void member_calls(int *out)
{
    int t = threadIdx.x;
    shape one(t);
    square two(t + 1);
    shape *s = t & 1 ? &two : &one;
    int (shape::*p)(int) const = t < 2 ? &shape::area : &shape::plain;
    pair (shape::*q)(pair) = &shape::both;
    pair r = (s->*q)({t, 7});
    out[t] = (s->*p)(1000);
    out[4 + t] = r.a * 100 + r.b;
    out[8 + t] = (q == &shape::both) + 2 * (p == &shape::area);
}
