// RUN: tern compile %s --to ir
template <class T> __device__ T same(T a, T b) { return a; }
template <class T> __device__ int member(T t) { return t.value; }
template <int N> struct fixed { static_assert(N > 0, "N must be positive"); int v[N]; };
template <class T> struct only_int;
template <> struct only_int<int> { int v; };
__global__ void k(int *p)
{
    *p = same(1, 2.0);
    *p = member(5);
    fixed<-1> f;
    only_int<float> g;
    *p = same<int, int>(1, 2);
}
