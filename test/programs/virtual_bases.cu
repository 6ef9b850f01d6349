// LONG ON: vulkan: virtuals has such calls
// Virtual and several bases: what kernels make of them is what the host's compiler does.
#include "check.h"

#define BOTH __host__ __device__
struct top {
    int t;
    BOTH top(int v = 7) : t(v) {}
    BOTH virtual int name() const { return 1; }
    BOTH virtual int sum() const { return t; }
    BOTH virtual ~top() {}
};
struct a : virtual top {
    int x = 1, seen;
    BOTH a() : top(1) { seen = call(); }
    BOTH int call() const { return name() * 100 + sum(); }
    BOTH int name() const override { return 2; }
};
struct b : virtual top {
    int y = 2;
    BOTH b() : top(2) {}
    BOTH int sum() const override { return t + y; }
};
struct d : a, b {
    int *out;
    BOTH d(int v, int *o) : top(v), out(o) {}
    BOTH ~d() { *out = call() + 1000; }
};
struct left { int l = 5; BOTH virtual int f() { return 1; } BOTH virtual ~left() {} };
struct right {
    int r = 6;
    BOTH virtual int f() { return 2; }
    BOTH virtual right *self() { return this; }
    BOTH virtual ~right() {}
};
struct pair : left, right { int n = 8; BOTH pair *self() override { return this; } };
struct face { BOTH virtual int f() const = 0; };
struct more : virtual face { BOTH virtual int g() const { return f() + 1; } };
struct impl : virtual face { int n = 10; BOTH int f() const override { return n; } };
struct joined : more, impl {};

BOTH void run(int i, int *out)
{
    d *whole = new d(i, out);
    top *p = whole;
    b *q = whole;
    a *r = whole;
    out[1] = p->name() + 10 * q->sum() + 1000 * r->call();
    out[2] = r->seen;
    out[3] = (int)((char *)p - (char *)whole) + 100 * (int)((char *)q - (char *)whole) + 10000 * (int)sizeof(d);
    delete p;
    pair x;
    right *second = &x;
    out[4] = second->f() + 10 * x.left::f() + 100 * (second->self() == second);
    second = new pair;
    out[5] = second->self()->r + 10 * (int)sizeof(pair);
    delete second;
    joined j;
    face *f = &j;
    out[6] = f->f() + 100 * j.g() + 10000 * (int)sizeof(joined);
    a copy = a();
    copy.t = i;
    a other = copy;
    out[7] = other.call();
}

__global__ void kernel(int *out) { run(threadIdx.x, out + 8 * threadIdx.x); }

int main()
{
    int *out, want[8];
    CUDA(cudaMallocManaged(&out, 64 * 8 * sizeof(int)));
    kernel<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        run(i, want);
        for (int k = 0; k < 8; k++)
            if (out[8 * i + k] != want[k]) {
                printf("thread %d, %d: %d instead of %d\n", i, k, out[8 * i + k], want[k]);
                return 1;
            }
    }
    puts("ok");
}
