// RUN: tern compile %s --to ir -o %t 2>&1 | grep error:
// Pointers to member functions are addresses: what takes more than one is refused, not called wrongly.
// RUN: tern compile %s --to ir -o %t -DSECOND 2>&1 | grep error:
// RUN: tern compile %s --to ir -o %t -DMOVED 2>&1 | grep error:
struct A { int a; __device__ virtual int f(...) { return 1; } };
struct B { int b; __device__ int plain() { return b; } };
struct C : A, B { __device__ int f(...) override { return 11; } };
__global__ void k(int *out, C *c)
{
#ifdef SECOND
    int (C::*p)() = &B::plain;
#elif defined MOVED
    int (B::*q)() = &B::plain;
    int (C::*p)() = q;
#else
    int (A::*p)(...) = &A::f;
#endif
    *out = (c->*p)();
}
