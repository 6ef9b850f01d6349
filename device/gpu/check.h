/* What a thread tells a checker, on a GPU: a record in a list that the host reads when the grid is
 * done (struct device_checks of back/output.h, numbers of ir/check.h and of back/spirv). An access
 * that would do harm is sent elsewhere.
 *
 * With __TERN_CHECK_PLAIN generic addresses are the processor's own: they are asked what they are
 * of, and get the tags that they have elsewhere; and of the heap's place it is known what malloc
 * has given so far. */
#ifndef TERN_DEVICE_GPU_CHECK_H
#define TERN_DEVICE_GPU_CHECK_H

#include "device/gpu/output.h"

struct __tern_check_record {
    unsigned long long what, operands[4];
    unsigned site, thread, block[3], done;
};

struct __tern_checks {
    unsigned used, capacity, nranges, dynamic_shared, shared_base, shared_bytes;
    unsigned long long at, heap[2], scrap[4], ranges[2 * 16384];
};

enum {
    __TERN_CHECK_LAST_ACCESS = 2,
    __TERN_CHECK_LAST_WITH_ADDRESS = 3,
    __TERN_CHECK_ALLOC = 13,
    __TERN_CHECK_STRONG = 1 << 8,
    __TERN_CHECK_ROOTED = 1 << 9,
    __TERN_CHECK_DYNAMIC = 1 << 10,
    __TERN_CHECK_SIZED = 1 << 11,
    __TERN_CHECK_SPACE_SHIFT = 24,
    __TERN_CHECK_ALIGN_SHIFT = 28,
    __TERN_CHECK_BYTES_SHIFT = 32,
    __TERN_CHECK_SPACE_LOCAL = 4,
    __TERN_CHECK_SPACE_CONST = 3,
    __TERN_CHECK_TAG_SHARED = 0x7e, /* the top byte of generic pointers */
    __TERN_CHECK_TAG_LOCAL = 0x7d,
};
#define __TERN_CHECK_ANY 0xffffffffu

__device__ inline bool __tern_check_inside(const struct __tern_checks *log, unsigned long long at,
                                           unsigned long long bytes)
{
    unsigned low = 0, high = log->nranges;
    if (high == __TERN_CHECK_ANY)
        return true;
#ifdef __TERN_CHECK_PLAIN
    if (at >= log->heap[0] && at <= log->heap[1] && bytes <= log->heap[1] - at)
        return true;
#endif
    while (low < high) { /* the last range that begins at or below */
        const unsigned mid = (low + high) / 2;
        if (log->ranges[2 * mid] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return false;
    const unsigned long long end = log->ranges[2 * low - 1];
    return at <= end && bytes <= end - at;
}

__device__ inline bool __tern_check_fine(const struct __tern_checks *log, unsigned long long what,
                                         unsigned long long at, unsigned long long a,
                                         unsigned long long b, unsigned long long c)
{
    const bool rooted = what & __TERN_CHECK_ROOTED;
    const unsigned space = (unsigned)(what >> __TERN_CHECK_SPACE_SHIFT) & 7,
                   tag = (unsigned)(at >> 56);
    const unsigned long long bytes =
        what & __TERN_CHECK_SIZED ? (rooted ? c : a) : what >> __TERN_CHECK_BYTES_SHIFT;
    if (at & ((1ull << (what >> __TERN_CHECK_ALIGN_SHIFT & 15)) - 1))
        return false;
    if (rooted) {
        const unsigned long long size = what & __TERN_CHECK_DYNAMIC ? log->dynamic_shared : b;
        return at - a <= size && bytes <= size - (at - a);
    }
    if (space == __TERN_CHECK_SPACE_LOCAL || space == __TERN_CHECK_SPACE_CONST ||
        tag == __TERN_CHECK_TAG_LOCAL)
        return true;
    if (tag == __TERN_CHECK_TAG_SHARED) {
        const unsigned long long offset = (unsigned)at - log->shared_base;
        return offset <= log->shared_bytes && bytes <= log->shared_bytes - offset;
    }
    return __tern_check_inside(log, at, bytes);
}

/* 0, or where the access is to go instead. A function of its own in what is emitted: it must not
 * ask who the thread is. */
extern "C" __device__ __noinline__ unsigned long long
__tern_check_record(unsigned long long what, unsigned site, unsigned thread, unsigned x, unsigned y,
                    unsigned z, unsigned long long at, unsigned long long a, unsigned long long b,
                    unsigned long long c)
{
    struct __tern_checks *log = (struct __tern_checks *)__tern_output_at()->checks;
    /* What blocks hand on to each other by strong accesses comes in the list in the order in which
     * it took place: a write is told before it is done, a read when it is. */
    const bool strong = what & __TERN_CHECK_STRONG;
    if (strong)
        __threadfence();
    /* a kernel that never ends must not count round */
    const unsigned full = *(volatile unsigned *)&log->used >= log->capacity,
                   k = full ? log->capacity : atomicAdd(&log->used, 1u);
    if (strong)
        __threadfence();
    if (k < log->capacity) {
        struct __tern_check_record *r = (struct __tern_check_record *)log->at + k;
        r->what = what;
        r->operands[0] = at;
        r->operands[1] = a;
        r->operands[2] = b;
        r->operands[3] = c;
        r->site = site;
        r->thread = thread;
        r->block[0] = x;
        r->block[1] = y;
        r->block[2] = z;
        r->done = 1;
    }
    const bool access = (what & 255) <= __TERN_CHECK_LAST_ACCESS;
    return access && !__tern_check_fine(log, what, at, a, b, c) ? (unsigned long long)log->scrap
                                                                : 0;
}

#ifdef __TERN_CHECK_PLAIN
__device__ inline unsigned long long __tern_check_tagged(unsigned long long at)
{
    const void *p = (const void *)at;
    if (at >> 56 || at < 65536) /* null, which the processor takes for one of constants */
        return at;
    if (__isShared(p))
        return (unsigned long long)__TERN_CHECK_TAG_SHARED << 56 |
               (unsigned)__cvta_generic_to_shared(p);
    if (__isLocal(p) || __isConstant(p) || __isGridConstant(p))
        return (unsigned long long)__TERN_CHECK_TAG_LOCAL << 56;
    return at;
}
#endif

extern "C" __device__ __noinline__ unsigned long long
__tern_check(unsigned long long what, unsigned site, unsigned long long at, unsigned long long a,
             unsigned long long b, unsigned long long c)
{
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#ifdef __TERN_CHECK_PLAIN
    const unsigned kind = (unsigned)what & 255,
                   space = (unsigned)(what >> __TERN_CHECK_SPACE_SHIFT) & 7;
    if (kind <= __TERN_CHECK_LAST_WITH_ADDRESS && space != __TERN_CHECK_SPACE_LOCAL &&
        space != __TERN_CHECK_SPACE_CONST) {
        at = __tern_check_tagged(at);
        if (what & __TERN_CHECK_ROOTED)
            a = __tern_check_tagged(a);
    }
    if (kind == __TERN_CHECK_ALLOC && at) {
        struct __tern_checks *log = (struct __tern_checks *)__tern_output_at()->checks;
        atomicMin(&log->heap[0], at);
        atomicMax(&log->heap[1], at + a);
    }
#endif
    return __tern_check_record(what, site, thread, blockIdx.x, blockIdx.y, blockIdx.z, at, a, b, c);
}

__global__ void __tern_keep_check(unsigned long long *p)
{
    *p = __tern_check(*p, (unsigned)*p, *p, *p, *p, *p);
}

#endif
