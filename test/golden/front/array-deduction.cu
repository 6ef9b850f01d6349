// RUN: tern compile %s --to ir -o %t
// A reference to an array of const elements takes an array whose elements are not const; and what
// follows a template of operator= in a class is still a member of it.
template <class T, int n> __device__ T last(const T (&a)[n]) { return a[n - 1]; }
template <class T> struct box {
    T value;
    template <class U> __device__ box &operator=(const U &u)
    {
        value = u;
        return *this;
    }
    template <int i> __device__ T times() const { return value * i; }
};
__global__ void k(float *p)
{
    __shared__ float table[2][3];
    float row[4] = {1, 2, 3, 4};
    table[0][2] = p[0];
    box<float> b;
    b = last(row) + last(table[0]);
    p[1] = b.times<3>();
}
// A pack that was deduced stays whole where another follows.
template <class... T> struct list;
template <> struct list<> {};
template <class H, class... T> struct list<H, T...> {
    H head;
    list<T...> tail;
};
template <class... A> __device__ float sum(const list<> &, A... a) { return (0.0f + ... + a); }
template <class K, class... L, class... A> __device__ float sum(const list<K, L...> &l, A... a)
{
    return sum(l.tail, a..., *l.head);
}
__global__ void m(float *p, list<float *, int *, float *, float *, int *> l) { *p = sum(l); }
// Qualifiers are added below pointers at every level: to rows of const elements, and to pointers to const.
template <int n, class T> __device__ T corner(const T a[n][n][2], const T (*row)[n][2]) { return a[0][0][1] + row[0][n - 1][0]; }
template <class T> __device__ T deep(const T *const *p) { return **p; }
__global__ void q(float *p, float **pp)
{
    float cube[4][4][2] = {{{1, 2}}};
    *p = corner(cube, cube) + deep(pp);
}
