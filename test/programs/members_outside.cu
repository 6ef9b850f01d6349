// Members of classes in classes, defined outside with names of the classes around; assignments through a conversion to a
// reference; a kernel template beside a function template of its name.
#include "check.h"

namespace parts {
class outer
{
  public:
    struct data {
        int a;
    };
    typedef int number;
    class inner;
};
class outer::inner
{
  public:
    class filter
    {
        const data *from;
        float place[2];

      public:
        class message
        {
            const filter &parent;

          public:
            static const number most;
            __host__ __device__ message(const filter &p, number x);
            __host__ __device__ number get(const data *d) const;
            number extra;
        };
        __host__ __device__ inline filter(const data *d, float x);
    };
};
__host__ __device__ inline outer::inner::filter::filter(const data *d, float x) : from(d)
{
    place[0] = x;
}
__host__ __device__ inline outer::inner::filter::message::message(const filter &p, number x) : parent(p), extra(x) {}
__host__ __device__ inline outer::number outer::inner::filter::message::get(const data *d) const
{
    return d->a * 100 + parent.from->a * 10 + (int)parent.place[0] + extra;
}
} // namespace parts

__host__ __device__ int through()
{
    parts::outer::data d{3};
    parts::outer::inner::filter f(&d, 2.f);
    return parts::outer::inner::filter::message(f, 1).get(&d);
}

struct element {
    long *p;
    __host__ __device__ operator long &() { return *p; }
    __host__ __device__ operator const long &() const { return *p; }
    __host__ __device__ element operator=(long v)
    {
        *p = v;
        return *this;
    }
};
__host__ __device__ long assigned(unsigned u)
{
    long v = 1;
    element e{&v};
    e += 3;
    element{&v} += u * 2L;
    element{&v}++;
    --e;
    element{&v} <<= 1;
    e |= 1;
    return v;
}

template <class T> __global__ void put(T *p, T v)
{
    p[0] = v + through();
    p[1] = assigned(threadIdx.x + 5);
}
template <class T> void put(T *p, T v, cudaStream_t stream)
{
    put<T><<<1, 1, 0, stream>>>(p, v);
}

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 2 * sizeof *p));
    put(p, 1000, 0);
    CUDA(cudaDeviceSynchronize());
    CHECK(through() == 333 && p[0] == 1333);
    CHECK(assigned(5) == 29 && p[1] == 29);
    puts("ok");
}
