// Templates whose declarations have other names for their parameters: a default means those of the declaration it stands in.
// TEST late: --kernel late --block 1 --arg 'i32[6]'
// EXPECT arg 0: sum 1736 checksum 26c90d8af7ceb642
template <class A, class B, class C> struct before;                          /* then defined, with defaults */
template <class T, class U = T *, class V = U *> struct before {
    static constexpr int v = sizeof(T) * 100 + sizeof(U) * 10 + (__is_same(V, T **) ? 1 : 0);
};
template <class A, int n, class B> struct between;                           /* defaults in a declaration of its own */
template <class X, int k = sizeof(X), class Y = X[k]> struct between;
template <class P, int q, class R> struct between {
    static constexpr int v = q * 100 + sizeof(R);
};
template <class T, class U = T, class V = U> struct first;                   /* defaults first, other names afterwards */
template <class V, class T, class U> struct first {
    static constexpr int v = __is_same(V, T) && __is_same(T, U) ? 1 : 0;
};
template <class T, int n = sizeof(T), int m = n * 2> __device__ int sizes(T);
template <class S, int a, int b> __device__ int sizes(S) { return a * 100 + b; }
template <template <class> class F, class T = F<int>> struct made;
template <class T> struct box {
    T a[3];
};
template <template <class> class G, class U> struct made {
    static constexpr int v = sizeof(U);
};
__global__ void late(int *p)
{
    p[0] = before<short>::v;
    p[1] = between<int>::v;
    p[2] = first<char>::v;
    p[3] = sizes(1.0);
    p[4] = made<box>::v;
    p[5] = before<short, char>::v;
}
