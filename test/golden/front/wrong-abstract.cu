// RUN: tern compile %s --to ir -o %t
// A pure function of a second base, of a base's second base, and of a virtual base.
struct first { __device__ virtual int f() { return 1; } };
struct second { __device__ virtual int g() = 0; };
struct both : first, second {};
struct further : both {};
struct whole : further { __device__ int g() override { return 2; } };
struct left : virtual second { __device__ int g() override { return 3; } };
struct right : virtual second {};
struct closed : left, right {};
__global__ void k(int *p)
{
    whole w;
    closed c;
    second *s = &w, *t = &c;
    p[0] = s->g() + t->g();
    static_assert(__is_abstract(both) && __is_abstract(further) && __is_abstract(right), "");
    static_assert(!__is_abstract(whole) && !__is_abstract(closed), "");
}
__global__ void one(int *p) { both b; p[0] = b.f(); }
__global__ void another(int *p) { further b; p[0] = b.f(); }
