/* Execution policies, and the three ways everything is done: each index, in parallel or in turn. */
#pragma once
#if defined __CUDACC__ || defined __TERN_DEVICE__ || defined __TERN_HOST__
#include "tern_parallel.h"
#else
#include "tern_parallel_plain.h"
#endif
#include "thrust/detail/pointer.h"

namespace thrust
{
namespace detail
{
struct policy {
};

/* For block-scope using declarations to hide what stands around them. */
namespace fallback
{
}

struct sequential_policy : policy, host_execution_policy<sequential_policy> { /* in the thread that calls, on the host or in a kernel */
    enum { on_device = 0 };
};
struct host_policy : policy, host_execution_policy<host_policy> {
    enum { on_device = 0 };
};
struct device_policy : policy, device_execution_policy<device_policy> {
    enum { on_device = 1 };
    cudaStream_t stream;
    bool waits;
    THRUST_HD constexpr device_policy(cudaStream_t stream = 0, bool waits = true)
        : stream(stream), waits(waits)
    {
    }
    device_policy on(cudaStream_t s) const
    {
        return device_policy(s, waits);
    }
    /* With an allocator for temporary memory, which is the runtime's all the same. */
    template <class A> device_policy operator()(A &&) const
    {
        return *this;
    }
    void finish(cudaError_t e) const
    {
        check(e);
        if (waits)
            check(cudaStreamSynchronize(stream));
    }
    void wait() const
    {
        check(cudaStreamSynchronize(stream));
    }
};

/* Does an algorithm start kernels? Not from a kernel: there the calling thread does it in turn. */
#ifdef __CUDA_ARCH__
#define THRUST_IN_KERNEL true
#else
#define THRUST_IN_KERNEL false
#endif
template <class P> struct launches {
    static constexpr bool value = P::on_device && !THRUST_IN_KERNEL;
};

template <class P> struct is_policy : std::is_base_of<policy, typename std::decay<P>::type> {
};
/* A policy of the program's own, and what stands for it in algorithms of ours. */
template <class P>
struct is_custom
    : std::integral_constant<bool, std::is_base_of<policy_root<P>, P>::value && !is_policy<P>::value> {
};
template <class P>
using plain_policy =
    typename std::conditional<P::thrust_on_device, device_policy, host_policy>::type;

template <class P> using if_policy = typename std::enable_if<is_policy<P>::value, int>::type;
template <class P>
using if_not_policy =
    typename std::enable_if<!is_policy<P>::value && !is_custom<P>::value, int>::type;

template <class System, class = void> struct policy_of {
    typedef host_policy type;
};
template <class System>
struct policy_of<System, typename std::enable_if<is_custom<System>::value>::type> {
    typedef System type;
};
template <> struct policy_of<host_system_tag, void> {
    typedef host_policy type;
};
template <> struct policy_of<device_system_tag, void> {
    typedef device_policy type;
};
/* Numbers alone: what is called with them may well have addresses of device memory. */
template <> struct policy_of<any_system_tag, void> {
    typedef device_policy type;
};
/* For arguments without a policy. */
template <class... I>
using default_policy = typename policy_of<typename join_systems<I...>::type>::type;

/* Memory on the device until the end of the scope. */
struct temporary {
    void *memory = 0;
    explicit temporary(size_t bytes)
    {
        check_memory(cudaMalloc(&memory, bytes ? bytes : 1));
    }
    ~temporary()
    {
        cudaFree(memory);
    }
    temporary(const temporary &) = delete;
    temporary &operator=(const temporary &) = delete;
};
template <class T> struct array : temporary {
    explicit array(size_t n) : temporary(n * sizeof(T))
    {
    }
    T *get() const
    {
        return (T *)memory;
    }
    T read(const device_policy &p, size_t i) const
    {
        alignas(T) unsigned char bytes[sizeof(T)];
        check(cudaMemcpyAsync(bytes, get() + i, sizeof(T), cudaMemcpyDeviceToHost, p.stream));
        p.wait();
        return *reinterpret_cast<T *>(bytes);
    }
};

/* Runs what wants a workspace: once to learn how large, once to do it. It is done when this
 * returns, because the workspace goes. */
template <class F> void in_workspace(const device_policy &p, F f)
{
    tern_parallel::workspace counting(0);
    f(counting);
    temporary memory(counting.used);
    tern_parallel::workspace w(memory.memory);
    check(f(w));
    p.wait();
}

template <class P, class F> THRUST_HD void each(const P &p, F f, size_t n)
{
    if constexpr (detail::launches<P>::value) {
        p.finish(tern_parallel::each(f, n, p.stream));
        return;
    } else
        for (size_t i = 0; i < n; i++)
            f(i);
}
} // namespace detail

static constexpr detail::sequential_policy seq{};
static constexpr detail::host_policy host{};
static constexpr detail::device_policy device{};

namespace cuda
{
static constexpr detail::device_policy par{};
static constexpr detail::device_policy par_nosync(0, false);
} // namespace cuda
namespace system
{
namespace cuda
{
using thrust::cuda::par;
using thrust::cuda::par_nosync;
} // namespace cuda
} // namespace system
} // namespace thrust

/* With a policy of the program's own. */
#define THRUST_CUSTOM(name)                                                                        \
    namespace detail                                                                               \
    {                                                                                              \
    namespace fallback                                                                             \
    {                                                                                              \
    template <class D, class... A, typename std::enable_if<is_custom<D>::value, int>::type = 0>    \
    THRUST_HD auto name(policy_base<D> &, A... a)                                                  \
    {                                                                                              \
        return thrust::name(plain_policy<D>(), a...);                                              \
    }                                                                                              \
    }                                                                                              \
    }                                                                                              \
    template <class D, class... A,                                                                 \
              typename std::enable_if<detail::is_custom<D>::value, int>::type = 0>                 \
    THRUST_HD auto name(const detail::policy_root<D> &p, A... a)                                   \
    {                                                                                              \
        using detail::fallback::name;                                                              \
        return name(const_cast<D &>(static_cast<const D &>(p)), a...);                             \
    }

/* The same algorithm with the policy that its arguments' iterators ask for. */
#define THRUST_BY_ARGUMENTS(name)                                                                  \
    THRUST_CUSTOM(name)                                                                            \
    template <class I, class... A, detail::if_not_policy<I> = 0>                                   \
    THRUST_HD auto name(I first, A... rest)                                                        \
    {                                                                                              \
        return thrust::name(detail::default_policy<I, A...>(), first, rest...);                    \
    }
