/* Allocators of device memory, of memory that both sides see, and of pinned memory. */
#pragma once
#include "thrust/detail/iterators.h"
#include "thrust/mr/memory_resource.h"
#ifdef __TERN_DEVICE__
namespace std
{
template <class T> class allocator;
}
#endif

namespace thrust
{
/* To memory that both sides see: the host follows it, algorithms run on the device. */
template <class T>
class universal_ptr
    : public detail::iterator<universal_ptr<T>, typename std::remove_const<T>::type, T &,
                              device_system_tag>
{
    T *at;

  public:
    typedef T element_type;
    typedef T *pointer;
    typedef T *raw_pointer;
    template <class U> struct rebind {
        typedef universal_ptr<U> other;
    };

    THRUST_HD universal_ptr() : at(0)
    {
    }
    THRUST_HD universal_ptr(decltype(nullptr)) : at(0)
    {
    }
    THRUST_HD explicit universal_ptr(T *at) : at(at)
    {
    }
    template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
    THRUST_HD universal_ptr(const universal_ptr<U> &o) : at(o.get())
    {
    }
    THRUST_HD T *get() const
    {
        return at;
    }
    THRUST_HD T &get(ptrdiff_t n) const
    {
        return at[n];
    }
    THRUST_HD T *operator->() const
    {
        return at;
    }
    THRUST_HD explicit operator bool() const
    {
        return at != 0;
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const universal_ptr &o) const
    {
        return at - o.at;
    }
};
template <> class universal_ptr<void>
{
    void *at;

  public:
    typedef void element_type;
    typedef void *raw_pointer;
    THRUST_HD explicit universal_ptr(void *at = 0) : at(at)
    {
    }
    template <class T> THRUST_HD universal_ptr(const universal_ptr<T> &o) : at((void *)o.get())
    {
    }
    THRUST_HD void *get() const
    {
        return at;
    }
    THRUST_HD explicit operator bool() const
    {
        return at != 0;
    }
};
namespace detail
{
template <class T> struct raw_iterator<universal_ptr<T>> {
    typedef T *type;
    THRUST_HD static T *get(const universal_ptr<T> &p)
    {
        return p.get();
    }
};

/* Resources: the memory of one kind, and the pointers to it. */
#define THRUST_RESOURCE(name, kind, take, give)                                                    \
    struct name final : mr::memory_resource<kind> {                                                \
        kind do_allocate(size_t bytes, size_t) override                                            \
        {                                                                                          \
            void *p = 0;                                                                           \
            check_memory(take);                                                                    \
            return kind(p);                                                                        \
        }                                                                                          \
        void do_deallocate(kind p, size_t, size_t) override                                        \
        {                                                                                          \
            check(give(thrust::raw_pointer_cast(p)));                                              \
        }                                                                                          \
        bool do_is_equal(const mr::memory_resource<kind> &) const override                         \
        {                                                                                          \
            return true;                                                                           \
        }                                                                                          \
    };
inline cudaError_t host_take(void **p, size_t bytes)
{
    *p = malloc(bytes ? bytes : 1);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t host_give(void *p)
{
    free(p);
    return cudaSuccess;
}
typedef universal_ptr<void> universal_plain;
typedef device_ptr<void> device_plain;
typedef void *host_plain;
THRUST_RESOURCE(device_resource, device_plain, cudaMalloc(&p, bytes), cudaFree)
THRUST_RESOURCE(universal_resource, universal_plain, cudaMallocManaged(&p, bytes), cudaFree)
THRUST_RESOURCE(pinned_resource, universal_plain, cudaMallocHost(&p, bytes), cudaFreeHost)
THRUST_RESOURCE(host_pinned_resource, host_plain, cudaMallocHost(&p, bytes), cudaFreeHost)
THRUST_RESOURCE(host_resource, host_plain, host_take(&p, bytes), host_give)
#undef THRUST_RESOURCE

/* What allocators of a resource's pointers are. */
template <class T, class P> struct allocator_types {
    typedef T value_type;
    typedef typename mr::rebind_pointer<P, T>::type pointer;
    typedef typename mr::rebind_pointer<P, const T>::type const_pointer;
    typedef reference_of<pointer> reference;
    typedef reference_of<const_pointer> const_reference;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;

    size_t max_size() const
    {
        return (size_t)-1 / sizeof(T);
    }

  protected:
    template <class R> static pointer take(R *resource, size_t n)
    {
        void *const p = thrust::raw_pointer_cast(resource->do_allocate(n * sizeof(T), alignof(T)));
        return pointer((T *)p);
    }
    template <class R> static void give(R *resource, pointer p, size_t n)
    {
        typedef typename std::remove_const<T>::type M;
        resource->do_deallocate(typename R::pointer((void *)(M *)thrust::raw_pointer_cast(p)),
                                n * sizeof(T), alignof(T));
    }
};
template <class T, class R>
struct resource_allocator : allocator_types<T, typename R::pointer> {
    typedef allocator_types<T, typename R::pointer> types;
    typedef typename types::pointer pointer;

    pointer allocate(size_t n)
    {
        return types::take(mr::get_global_resource<R>(), n);
    }
    void deallocate(pointer p, size_t n)
    {
        types::give(mr::get_global_resource<R>(), p, n);
    }
    bool operator==(const resource_allocator &) const
    {
        return true;
    }
    bool operator!=(const resource_allocator &) const
    {
        return false;
    }
};
} // namespace detail

#define THRUST_ALLOCATOR(name, resource)                                                           \
    template <class T> struct name : thrust::detail::resource_allocator<T, thrust::detail::resource> {             \
        template <class U> struct rebind {                                                         \
            typedef name<U> other;                                                                 \
        };                                                                                         \
        name() = default;                                                                          \
        template <class U> name(const name<U> &)                                                   \
        {                                                                                          \
        }                                                                                          \
    };
THRUST_ALLOCATOR(device_allocator, device_resource)
THRUST_ALLOCATOR(device_malloc_allocator, device_resource)
THRUST_ALLOCATOR(device_new_allocator, device_resource)
THRUST_ALLOCATOR(universal_allocator, universal_resource)
THRUST_ALLOCATOR(universal_host_pinned_allocator, pinned_resource)

namespace mr
{
template <class T, class R> struct stateless_resource_allocator : thrust::detail::resource_allocator<T, R> {
    template <class U> struct rebind {
        typedef stateless_resource_allocator<U, R> other;
    };
    stateless_resource_allocator() = default;
    template <class U> stateless_resource_allocator(const stateless_resource_allocator<U, R> &)
    {
    }
};
/* Of one that the program has. */
template <class T, class R> class allocator : public thrust::detail::allocator_types<T, typename R::pointer>
{
    typedef thrust::detail::allocator_types<T, typename R::pointer> types;
    R *from;

  public:
    typedef typename types::pointer pointer;
    template <class U> struct rebind {
        typedef allocator<U, R> other;
    };
    allocator() : from(get_global_resource<R>())
    {
    }
    allocator(R *from) : from(from)
    {
    }
    template <class U> allocator(const allocator<U, R> &o) : from(o.resource())
    {
    }
    R *resource() const
    {
        return from;
    }
    pointer allocate(size_t n)
    {
        return types::take(from, n);
    }
    void deallocate(pointer p, size_t n)
    {
        types::give(from, p, n);
    }
    friend bool operator==(const allocator &a, const allocator &b)
    {
        return a.from == b.from;
    }
    friend bool operator!=(const allocator &a, const allocator &b)
    {
        return a.from != b.from;
    }
};
template <class T, class P> using polymorphic_allocator = allocator<T, polymorphic_adaptor_resource<P>>;
} // namespace mr

template <class R> using device_ptr_memory_resource = thrust::mr::fancy_pointer_resource<R, device_ptr<void>>;
typedef thrust::detail::host_resource host_memory_resource;
typedef thrust::detail::device_resource device_memory_resource;
typedef thrust::detail::universal_resource universal_memory_resource;
typedef thrust::detail::pinned_resource universal_host_pinned_memory_resource;

namespace system
{
namespace cuda
{
typedef thrust::detail::device_resource memory_resource;
typedef thrust::detail::universal_resource universal_memory_resource;
typedef thrust::detail::pinned_resource universal_host_pinned_memory_resource;
template <class T> using pointer = device_ptr<T>;
template <class T> using universal_pointer = universal_ptr<T>;
template <class T> using allocator = device_allocator<T>;
namespace detail
{
/* Memory by two functions of the caller's. */
template <cudaError_t (*take)(void **, size_t), cudaError_t (*give)(void *), class P>
class cuda_memory_resource final : public thrust::mr::memory_resource<P>
{
  public:
    P do_allocate(size_t bytes, size_t) override
    {
        void *p = 0;
        thrust::detail::check_memory(take(&p, bytes));
        return P(p);
    }
    void do_deallocate(P p, size_t, size_t) override
    {
        thrust::detail::check(give(thrust::raw_pointer_cast(p)));
    }
};
} // namespace detail
namespace experimental
{
THRUST_ALLOCATOR(pinned_allocator, host_pinned_resource)
}
} // namespace cuda
} // namespace system
#undef THRUST_ALLOCATOR
namespace cuda
{
using system::cuda::allocator;
using system::cuda::memory_resource;
using system::cuda::pointer;
using system::cuda::universal_host_pinned_memory_resource;
using system::cuda::universal_memory_resource;
using system::cuda::universal_pointer;
namespace experimental
{
using system::cuda::experimental::pinned_allocator;
}
} // namespace cuda

/* One object, or several, made on the device from a value. */
template <class T> device_ptr<T> device_new(size_t n = 1);
template <class T> device_ptr<T> device_new(device_ptr<void> p, const T &v, size_t n = 1);
template <class T> void device_delete(device_ptr<T> p, size_t = 0)
{
    device_free(p);
}
} // namespace thrust
