// LONG ON: vulkan: the same kernels as on the cpu, which is quicker
// Thrust's resources, pools and allocators that have one; vectors without values; vectors of the host's systems;
// iterators of <cuda/iterator>.
#include <cuda/iterator>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/strided_iterator.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/new.h>
#include <thrust/mr/pool.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/system/omp/vector.h>
#include <thrust/transform.h>
#include "check.h"

// Counts what it is asked for.
struct counting final : thrust::mr::memory_resource<> {
    thrust::mr::new_delete_resource from;
    int taken = 0, given = 0;
    void *do_allocate(size_t bytes, size_t alignment) override
    {
        taken++;
        return from.do_allocate(bytes, alignment);
    }
    void do_deallocate(void *p, size_t bytes, size_t alignment) override
    {
        given++;
        from.do_deallocate(p, bytes, alignment);
    }
};
template <class Vector> static void use(typename Vector::allocator_type from)
{
    Vector v(from);
    for (int i = 0; i < 20; i++)
        v.push_back(i * i);
    Vector w(from);
    w = v;
    CHECK(w.size() == 20 && w[7] == 49 && thrust::reduce(w.begin(), w.end()) == 2470);
}
struct triple {
    __host__ __device__ int operator()(int x) const { return 3 * x; }
};
struct weigh {
    __host__ __device__ int operator()(int x, int y) const { return x * 10 + y; }
};

int main()
{
    counting host;
    use<thrust::host_vector<int, thrust::mr::allocator<int, counting>>>(&host);
    CHECK(host.taken > 2 && host.taken == host.given);
    host.taken = host.given = 0;
    {
        typedef thrust::mr::unsynchronized_pool_resource<counting> pool;
        pool kept(&host);
        for (int i = 0; i < 5; i++)
            use<thrust::host_vector<int, thrust::mr::allocator<int, pool>>>(&kept);
        CHECK(host.taken > 0 && host.taken < 20 && host.given == 0); // the first time has them all
    }
    CHECK(host.taken == host.given);
    typedef thrust::device_ptr_memory_resource<thrust::device_memory_resource> plain;
    thrust::mr::polymorphic_adaptor_resource<thrust::device_ptr<void>> any(thrust::mr::get_global_resource<plain>());
    use<thrust::device_vector<int, thrust::mr::polymorphic_allocator<int, thrust::device_ptr<void>>>>(&any);
    typedef thrust::mr::synchronized_pool_resource<plain> device_pool;
    device_pool device(thrust::mr::get_global_resource<plain>());
    use<thrust::device_vector<int, thrust::mr::allocator<int, device_pool>>>(&device);

    thrust::omp::vector<int> on_host(10);
    thrust::sequence(on_host.begin(), on_host.end());
    CHECK(thrust::reduce(on_host.begin(), on_host.end()) == 45);
    thrust::device_vector<int> v(12, thrust::no_init);
    thrust::sequence(v.begin(), v.end(), 5);
    v.resize(6, thrust::default_init);
    CHECK(v.size() == 6 && v[5] == 10);
    v.resize(12);
    thrust::sequence(v.begin(), v.end());

    CHECK(thrust::reduce(cuda::make_strided_iterator(v.begin(), 3), cuda::make_strided_iterator(v.begin(), 3) + 4) == 18);
    const auto triples = cuda::make_transform_iterator(v.begin(), triple());
    CHECK(thrust::reduce(triples, triples + 12) == 198);
    const auto both = cuda::make_zip_transform_iterator(weigh(), v.begin(), cuda::counting_iterator<int>(1));
    CHECK(thrust::reduce(both, both + 3) == 36 && both[2] == 23);
    const auto picked = cuda::make_permutation_iterator(v.begin(), cuda::make_strided_iterator(cuda::counting_iterator<int>(0), 2));
    CHECK(thrust::reduce(picked, picked + 6) == 30);
    const auto pairs = cuda::make_zip_iterator(v.begin(), triples);
    thrust::device_vector<int> sums(12);
    thrust::transform(pairs, pairs + 12, sums.begin(), cuda::make_zip_function(weigh()));
    CHECK(sums[4] == 52 && thrust::reduce(sums.begin(), sums.end()) == 66 * 13);
    thrust::transform(v.begin(), v.end(), cuda::make_transform_output_iterator(sums.begin(), triple()), triple());
    CHECK(sums[2] == 18);
    puts("ok");
}
