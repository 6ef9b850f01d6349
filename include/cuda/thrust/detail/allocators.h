/* Allocators of device memory, of memory that both sides see, and of pinned memory. */
#pragma once
#include "thrust/detail/iterators.h"
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
template <class T> THRUST_HD T *raw_pointer_cast(const universal_ptr<T> &p)
{
    return p.get();
}

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
struct device_resource {
    template <class T> using pointer = device_ptr<T>;
    static cudaError_t take(void **p, size_t bytes)
    {
        return cudaMalloc(p, bytes);
    }
    static cudaError_t give(void *p)
    {
        return cudaFree(p);
    }
};
struct universal_resource {
    template <class T> using pointer = universal_ptr<T>;
    static cudaError_t take(void **p, size_t bytes)
    {
        return cudaMallocManaged(p, bytes);
    }
    static cudaError_t give(void *p)
    {
        return cudaFree(p);
    }
};
struct pinned_resource {
    template <class T> using pointer = universal_ptr<T>;
    static cudaError_t take(void **p, size_t bytes)
    {
        return cudaMallocHost(p, bytes);
    }
    static cudaError_t give(void *p)
    {
        return cudaFreeHost(p);
    }
};
struct host_pinned_resource : pinned_resource {
    template <class T> using pointer = T *;
};

struct host_resource {
    template <class T> using pointer = T *;
    static cudaError_t take(void **p, size_t bytes)
    {
        *p = malloc(bytes ? bytes : 1);
        return *p ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    static cudaError_t give(void *p)
    {
        free(p);
        return cudaSuccess;
    }
};

template <class T, class R> struct resource_allocator {
    typedef T value_type;
    typedef typename R::template pointer<T> pointer;
    typedef typename R::template pointer<const T> const_pointer;
    typedef reference_of<pointer> reference;
    typedef reference_of<const_pointer> const_reference;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;

    pointer allocate(size_t n)
    {
        void *p = 0;
        check_memory(R::take(&p, n * sizeof(T)));
        return pointer((T *)p);
    }
    void deallocate(pointer p, size_t)
    {
        check(R::give((void *)raw_pointer_cast(p)));
    }
    size_t max_size() const
    {
        return (size_t)-1 / sizeof(T);
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
    template <class T> struct name : detail::resource_allocator<T, detail::resource> {             \
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
template <class T, class R> struct stateless_resource_allocator : detail::resource_allocator<T, R> {
    template <class U> struct rebind {
        typedef stateless_resource_allocator<U, R> other;
    };
    stateless_resource_allocator() = default;
    template <class U> stateless_resource_allocator(const stateless_resource_allocator<U, R> &)
    {
    }
};
} // namespace mr

typedef detail::host_resource host_memory_resource;
typedef detail::device_resource device_memory_resource;
typedef detail::universal_resource universal_memory_resource;
typedef detail::pinned_resource universal_host_pinned_memory_resource;

namespace system
{
namespace cuda
{
typedef detail::device_resource memory_resource;
typedef detail::universal_resource universal_memory_resource;
typedef detail::pinned_resource universal_host_pinned_memory_resource;
template <class T> using pointer = device_ptr<T>;
template <class T> using universal_pointer = universal_ptr<T>;
template <class T> using allocator = device_allocator<T>;
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
