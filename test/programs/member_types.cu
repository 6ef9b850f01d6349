// What a member returns is a type of its class: NVIDIA needs no typename for it, and the host half has one put in.
#include <cstdio>
template <class T> struct map {
    using value = T;
    typedef T *place;
    __device__ value find(T x);
    __host__ __device__ place where(T *x);
    __host__ __device__ operator T() const;
    __host__ __device__ map();
    __host__ __device__ ~map();
    T own;
};
template <class T> __device__ map<T>::value map<T>::find(T x) { return x + 1; }
template <class T> __host__ __device__ map<T>::place map<T>::where(T *x) { return x + 2; }
template <class T> __host__ __device__ map<T>::operator T() const { return own; }
template <class T> __host__ __device__ map<T>::map() : own(5) {}
template <class T> __host__ __device__ map<T>::~map() {}
__global__ void k(int *p) { map<int> m; p[0] = m.find(2) + *m.where(p) + m; }
int main() {
    int *p;
    cudaMallocManaged(&p, 64);
    p[2] = 30;
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    map<int> m;
    puts(p[0] == 38 && m == 5 && m.where(p) == p + 2 ? "ok" : "wrong");
}
