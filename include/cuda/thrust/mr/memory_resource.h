/* Where memory comes from, behind pointers of one kind. */
#pragma once
#include "thrust/detail/pointer.h"

namespace thrust
{
namespace mr
{
enum { THRUST_MR_DEFAULT_ALIGNMENT = 16 };

template <class P = void *> class memory_resource
{
  public:
    typedef P pointer;
    virtual ~memory_resource() = default;
    P allocate(size_t bytes, size_t alignment = THRUST_MR_DEFAULT_ALIGNMENT)
    {
        return do_allocate(bytes, alignment);
    }
    void deallocate(P p, size_t bytes, size_t alignment = THRUST_MR_DEFAULT_ALIGNMENT)
    {
        do_deallocate(p, bytes, alignment);
    }
    bool is_equal(const memory_resource &o) const
    {
        return do_is_equal(o);
    }
    virtual P do_allocate(size_t bytes, size_t alignment) = 0;
    virtual void do_deallocate(P p, size_t bytes, size_t alignment) = 0;
    virtual bool do_is_equal(const memory_resource &o) const
    {
        return this == &o;
    }
};
template <class P> bool operator==(const memory_resource<P> &a, const memory_resource<P> &b)
{
    return &a == &b || a.is_equal(b);
}
template <class P> bool operator!=(const memory_resource<P> &a, const memory_resource<P> &b)
{
    return !(a == b);
}

/* The one of a type that all share. */
template <class R> R *get_global_resource()
{
    static R resource;
    return &resource;
}

/* A pointer of the same kind to something else. */
template <class P, class T> struct rebind_pointer;
template <class U, class T> struct rebind_pointer<U *, T> {
    typedef T *type;
};
template <template <class> class P, class U, class T> struct rebind_pointer<P<U>, T> {
    typedef P<T> type;
};

/* What device code follows as pointers of another kind. */
template <class R, class P> class fancy_pointer_resource : public memory_resource<P>
{
    R *upstream;

  public:
    fancy_pointer_resource() : upstream(get_global_resource<R>())
    {
    }
    explicit fancy_pointer_resource(R *upstream) : upstream(upstream)
    {
    }
    P do_allocate(size_t bytes, size_t alignment) override
    {
        return P(thrust::raw_pointer_cast(upstream->do_allocate(bytes, alignment)));
    }
    void do_deallocate(P p, size_t bytes, size_t alignment) override
    {
        upstream->do_deallocate(typename R::pointer(thrust::raw_pointer_cast(p)), bytes, alignment);
    }
};
/* Any resource of one kind of pointers. */
template <class P = void *> class polymorphic_adaptor_resource : public memory_resource<P>
{
    memory_resource<P> *upstream;

  public:
    explicit polymorphic_adaptor_resource(memory_resource<P> *upstream) : upstream(upstream)
    {
    }
    P do_allocate(size_t bytes, size_t alignment) override
    {
        return upstream->allocate(bytes, alignment);
    }
    void do_deallocate(P p, size_t bytes, size_t alignment) override
    {
        upstream->deallocate(p, bytes, alignment);
    }
};
} // namespace mr
} // namespace thrust
