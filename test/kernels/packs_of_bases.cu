// Packs where few programs have them. Members of bases that are instances of a template, one for each element of a pack:
// named with arguments, behind this->.
// TEST packs: --kernel packs --block 1 --arg 'f32[4]'
// EXPECT arg 0: sum 26 checksum 4a33b048fa6ce1a5
// TEST between: --kernel between --block 1 --arg 'i32[2]'
// EXPECT arg 0: sum 139 checksum ca25bcbd230ed096
template <int I, class T> struct store {
    T v;
    __device__ T take(int k) const { return v + k; }
};
template <class S, class... T> struct all;
template <int... I> struct seq {};
template <int... I, class... T> struct all<seq<I...>, T...> : store<I, T>... {
    __device__ float plain(int k) const
    {
        float s = 0;
        ((s += this->store<I, T>::take(k)), ...);
        return s;
    }
    __device__ float marked(int k) const
    {
        float s = 0;
        ((s += this->template store<I, T>::take(k)), ...);
        return s;
    }
};
__global__ void packs(float *p)
{
    all<seq<0, 1>, int, float> a;
    static_cast<store<0, int> &>(a).v = 3;
    static_cast<store<1, float> &>(a).v = 0.5f;
    p[0] = a.plain(1);
    p[1] = a.marked(2);
    p[2] = a.template store<1, float>::take(4) + a.store<0, int>::v;
    p[3] = sizeof a == 8 ? 5.5f : 0;
}
/* A pack of parameters that others follow takes as many as its template arguments say: none is deduced. */
template <class A, class B> struct same {
    static constexpr bool v = false;
};
template <class A> struct same<A, A> {
    static constexpr bool v = true;
};
template <bool, class T = void> struct only_if {};
template <class T> struct only_if<true, T> {
    using type = T;
};
struct value {
    int v;
};
struct last_is_result {
    template <class... A, class B, class... C>
    __device__ typename only_if<!same<B, value &>::v>::type pass(A &&...a, B &&b, C &&...c) const
    {
        this->template pass<A &&..., B &&>((A &&)a..., (B &&)b, (C &&)c...);
    }
    template <class... A> __device__ void pass(A &&...a, value &out) const { f((A &&)a..., out.v); }
    __device__ void f(int a, float b, int c, int &out) const { out = a * 100 + (int)(b * 10) + c; }
    template <class A, class... B> __device__ void call(A &&a, B &&...b) const
    {
        this->template pass<A &&>((A &&)a, (B &&)b...);
    }
};
template <class... A> __device__ int last(A... a, int z) { return z - (int)sizeof...(A); }
__global__ void between(int *p)
{
    value v;
    last_is_result().call(1, 2.5f, 7, v);
    p[0] = v.v;
    p[1] = last(3) + last<int, char>(1, 'x', 6);
}
