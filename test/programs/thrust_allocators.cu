// LONG ON: vulkan: many kernels to be compiled; thrust_sum and thrust_headers have some of them
// Vectors with allocators of the program's own, in memory that both sides see and in pinned memory; iterators that
// programs make of others; policies of other systems.
#include <thrust/device_delete.h>
#include <thrust/device_malloc_allocator.h>
#include <thrust/device_new.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/mr/allocator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/experimental/pinned_allocator.h>
#include <thrust/system/cuda/memory_resource.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>
#include <string>
#include "check.h"

static size_t taken, given;

template <class T> struct counting : thrust::device_malloc_allocator<T> {
    typedef thrust::device_malloc_allocator<T> base;
    typedef typename base::pointer pointer;
    int tag;
    counting(int tag = 0) : tag(tag) {}
    pointer allocate(size_t n)
    {
        taken += n;
        return base::allocate(n);
    }
    void deallocate(pointer p, size_t n)
    {
        given += n;
        base::deallocate(p, n);
    }
    __host__ __device__ void construct(T *) {}
};

template <class I> class repeated : public thrust::iterator_adaptor<repeated<I>, I>
{
  public:
    typedef thrust::iterator_adaptor<repeated<I>, I> super_t;
    __host__ __device__ repeated(const I &x, int n) : super_t(x), begin(x), n(n) {}
    friend class thrust::iterator_core_access;

  private:
    const I begin;
    unsigned n;
    __host__ __device__ typename super_t::reference dereference() const
    {
        return *(begin + (this->base() - begin) / n);
    }
};

/* From nothing but a number: every second one. */
class evens : public thrust::iterator_facade<evens, long, thrust::any_system_tag, thrust::random_access_traversal_tag, long>
{
    long at;

  public:
    __host__ __device__ evens(long at) : at(at) {}

  private:
    friend class thrust::iterator_core_access;
    __host__ __device__ long dereference() const { return 2 * at; }
    __host__ __device__ bool equal(const evens &o) const { return at == o.at; }
    __host__ __device__ void increment() { at++; }
    __host__ __device__ void decrement() { at--; }
    __host__ __device__ void advance(ptrdiff_t n) { at += n; }
    __host__ __device__ ptrdiff_t distance_to(const evens &o) const { return o.at - at; }
};

struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
template <template <class, class> class V> int through()
{
    V<int, std::allocator<int>> v(3, 4);
    return v[2];
}
__global__ void bump(int *p, int n)
{
    if (threadIdx.x < n)
        p[threadIdx.x]++;
}

static void own_allocator()
{
    thrust::device_vector<int, counting<int>> v(10, counting<int>(5)), x;
    thrust::sequence(v.begin(), v.end());
    thrust::transform(v.begin(), v.end(), v.begin(), twice());
    thrust::device_vector<int, counting<int>> w(v);
    x = w;
    x.push_back(7);
    CHECK(v[9] == 18 && thrust::reduce(x.begin(), x.end()) == 97 && w == v && x != v);
    CHECK(w.get_allocator().tag == 5 && taken > 20);
    thrust::host_vector<int> h = x;
    CHECK(h.back() == 7 && h.size() == 11);
}

int main()
{
    own_allocator();
    CHECK(taken == given);

    thrust::universal_vector<int> u(8);
    thrust::sequence(u.begin(), u.end(), 3);
    u[2] = 50;
    bump<<<1, 32>>>(thrust::raw_pointer_cast(u.data()), 8);
    CUDA(cudaDeviceSynchronize());
    thrust::sort(u.begin(), u.end());
    int sum = 0;
    for (int &x : u)
        sum += x;
    CHECK(sum == 105 && u.back() == 51 && thrust::reduce(u.begin(), u.end()) == 105);

    thrust::host_vector<float, thrust::cuda::experimental::pinned_allocator<float>> pinned(4, 1.5f), back;
    thrust::device_vector<float> d = pinned;
    d[1] = 4;
    back = pinned;
    thrust::copy(d.begin(), d.end(), back.begin());
    CHECK(back[1] == 4 && back[3] == 1.5f && pinned[1] == 1.5f);
    typedef thrust::mr::stateless_resource_allocator<int, thrust::system::cuda::universal_host_pinned_memory_resource> pin;
    thrust::host_vector<int, pin> both(5, 2);
    CHECK(both[4] == 2);

    thrust::host_vector<std::string> words(2, "ab");
    words.push_back("c");
    CHECK(words[1] + words[2] == "abc");
    CHECK(through<thrust::host_vector>() == 4);

    thrust::device_vector<int> base(4), out(12);
    thrust::sequence(base.begin(), base.end());
    repeated<thrust::device_vector<int>::iterator> r(base.begin(), 3);
    thrust::copy(r, r + 12, out.begin());
    CHECK(out[2] == 0 && out[3] == 1 && out[11] == 3 && thrust::reduce(r, r + 12) == 18 && (r + 12) - r == 12);
    thrust::device_vector<long> even(6);
    thrust::copy(evens(1), evens(7), even.begin());
    CHECK(even[0] == 2 && even[5] == 12 && evens(1) < evens(2) && evens(3)[2] == 10);

    int few[] = {3, 1, 2};
    thrust::sort(thrust::omp::par, few, few + 3);
    CHECK(few[0] == 1 && few[2] == 3);
    counting<char> temporary;
    thrust::sort(thrust::cuda::par(temporary).on(0), base.begin(), base.end(), thrust::greater<int>());
    CHECK(base[0] == 3);
    thrust::device_ptr<int> made = thrust::device_new<int>(5);
    made[3] = 9;
    CHECK(made[3] == 9 && made[4] == 0);
    thrust::device_delete(made, 5);
    puts("ok");
}
