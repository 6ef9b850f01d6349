/* Blocks that are kept and given out again: by powers of two, larger ones by their size. */
#pragma once
#include "thrust/mr/memory_resource.h"
#include "thrust/mr/pool_options.h"
#include <map>
#include <mutex>
#include <vector>

namespace thrust
{
namespace mr
{
namespace detail
{
struct no_mutex {
    void lock()
    {
    }
    void unlock()
    {
    }
};

template <class Upstream, class Mutex> class kept_blocks
{
    typedef typename Upstream::pointer P;
    struct block {
        P at;
        size_t bytes, alignment;
    };
    Upstream *upstream;
    pool_options options;
    std::multimap<size_t, block> unused;
    std::map<void *, block> used;
    Mutex mutex;

    size_t size_for(size_t bytes) const
    {
        size_t size = options.smallest_block_size;
        while (size < bytes)
            size *= 2;
        return bytes > options.largest_block_size ? bytes : size;
    }
    void give_back(const block &b)
    {
        upstream->do_deallocate(b.at, b.bytes, b.alignment);
    }

  public:
    kept_blocks(Upstream *upstream, const pool_options &options)
        : upstream(upstream), options(options)
    {
    }
    ~kept_blocks()
    {
        release();
    }
    void release()
    {
        std::lock_guard<Mutex> lock(mutex);
        for (auto &b : unused)
            give_back(b.second);
        for (auto &b : used)
            give_back(b.second);
        unused.clear();
        used.clear();
    }
    P take(size_t bytes, size_t alignment)
    {
        std::lock_guard<Mutex> lock(mutex);
        const size_t size = size_for(bytes ? bytes : 1);
        if (alignment < options.alignment)
            alignment = options.alignment;
        for (auto b = unused.lower_bound(size); b != unused.end() && b->first == size; ++b)
            if (b->second.alignment >= alignment) {
                const block found = b->second;
                unused.erase(b);
                used[thrust::raw_pointer_cast(found.at)] = found;
                return found.at;
            }
        const block made = {upstream->do_allocate(size, alignment), size, alignment};
        used[thrust::raw_pointer_cast(made.at)] = made;
        return made.at;
    }
    void give(P p)
    {
        std::lock_guard<Mutex> lock(mutex);
        const auto found = used.find(thrust::raw_pointer_cast(p));
        if (found == used.end())
            return;
        const block b = found->second;
        used.erase(found);
        if (b.bytes > options.largest_block_size && !options.cache_oversized)
            give_back(b);
        else
            unused.insert({b.bytes, b});
    }
};
/* A resource over them; what is told of them lies beside them, on the host. */
template <class Upstream, class Mutex>
class pool : public memory_resource<typename Upstream::pointer>
{
    typedef typename Upstream::pointer P;
    kept_blocks<Upstream, Mutex> blocks;

  public:
    static pool_options get_default_options()
    {
        return pool_options();
    }
    explicit pool(Upstream *upstream, pool_options options = pool_options())
        : blocks(upstream, options)
    {
    }
    explicit pool(pool_options options = pool_options())
        : blocks(get_global_resource<Upstream>(), options)
    {
    }
    void release()
    {
        blocks.release();
    }
    P do_allocate(size_t bytes, size_t alignment) override
    {
        return blocks.take(bytes, alignment);
    }
    void do_deallocate(P p, size_t, size_t) override
    {
        blocks.give(p);
    }
};
/* With a resource of its own for what is told of them, which is not asked. */
template <class Upstream, class Keeper, class Mutex> class disjoint : public pool<Upstream, Mutex>
{
  public:
    explicit disjoint(Upstream *upstream, Keeper *, pool_options options = pool_options())
        : pool<Upstream, Mutex>(upstream, options)
    {
    }
    explicit disjoint(pool_options options = pool_options()) : pool<Upstream, Mutex>(options)
    {
    }
};
} // namespace detail

template <class Upstream> using unsynchronized_pool_resource = detail::pool<Upstream, detail::no_mutex>;
template <class Upstream> using synchronized_pool_resource = detail::pool<Upstream, std::mutex>;
template <class Upstream, class Keeper>
using disjoint_unsynchronized_pool_resource = detail::disjoint<Upstream, Keeper, detail::no_mutex>;
template <class Upstream, class Keeper>
using disjoint_synchronized_pool_resource = detail::disjoint<Upstream, Keeper, std::mutex>;

/* A pool of each thread's. */
template <class Upstream> unsynchronized_pool_resource<Upstream> &tls_pool(Upstream *upstream = 0)
{
    static thread_local unsynchronized_pool_resource<Upstream> one(
        upstream ? upstream : get_global_resource<Upstream>());
    return one;
}
template <class Upstream, class Keeper>
disjoint_unsynchronized_pool_resource<Upstream, Keeper> &tls_disjoint_pool(Upstream *upstream = 0,
                                                                           Keeper *keeper = 0)
{
    static thread_local disjoint_unsynchronized_pool_resource<Upstream, Keeper> one(
        upstream ? upstream : get_global_resource<Upstream>(), keeper);
    return one;
}
} // namespace mr
} // namespace thrust
