// RUN: tern compile %s --to ir
// Each instance is found while the one before it is read, some levels deep.
template <bool, class A, class B> struct choose {
    typedef A type;
};
template <class A, class B> struct choose<false, A, B> {
    typedef B type;
};
template <int N> struct chain {
    typedef typename choose<(N > 0), typename chain<N - 1>::type, typename chain<N - 1>::type>::type type;
};
template <> struct chain<0> {
    typedef int type;
};
static_assert(sizeof(chain<800>::type) == 4, "");
__global__ void k(chain<800>::type *p)
{
    *p = 1;
}
