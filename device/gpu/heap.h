/* malloc and free on a GPU that has none: blocks of a power of two, cut from one buffer, in a list
 * for each size once they are given back.
 *
 * A lock guards the lists. The thread that has it does its work and lets go of it in the same turn
 * of the loop, so that threads which run in step cannot wait for one of their own. */
#ifndef TERN_DEVICE_GPU_HEAP_H
#define TERN_DEVICE_GPU_HEAP_H

struct __tern_heap {
    unsigned lock, pad;
    unsigned long long used, size; /* bytes, this head counted */
    unsigned long long free[28];   /* by size: 16 << index; the first word of each is the next */
};

/* The back end replaces its body: where the heap is. */
extern "C" __device__ __noinline__ struct __tern_heap *__tern_heap_at()
{
    return nullptr;
}

__TERN_FN unsigned long long __tern_heap_read(unsigned long long *p)
{
    return *(volatile unsigned long long *)p;
}

__TERN_FN void __tern_heap_write(unsigned long long *p, unsigned long long v)
{
    *(volatile unsigned long long *)p = v;
}

/* Sixteen bytes before each block hold its size class, and whether it is given out. */
__TERN_FN unsigned __tern_heap_mark(unsigned long long block)
{
    return 0x7e12ab1eu ^ (unsigned)block;
}

extern "C" __device__ __noinline__ void *__tern_heap_take(unsigned long long bytes)
{
    struct __tern_heap *h = __tern_heap_at();
    if (!bytes || bytes > 1ull << 31)
        return nullptr;
    unsigned units = (unsigned)((bytes + 31) / 16);
    unsigned c = 32 - (unsigned)__clz((int)(units - 1));
    unsigned long long block = 0, length = 16ull << c;
    for (bool done = false; !done;) {
        if (atomicCAS(&h->lock, 0u, 1u) == 0) {
            __threadfence();
            block = __tern_heap_read(&h->free[c]);
            if (block) {
                __tern_heap_write(&h->free[c], __tern_heap_read((unsigned long long *)block));
            } else {
                unsigned long long used = __tern_heap_read(&h->used);
                if (used + length <= h->size) {
                    block = (unsigned long long)h + used;
                    __tern_heap_write(&h->used, used + length);
                }
            }
            __threadfence();
            atomicExch(&h->lock, 0u);
            done = true;
        }
    }
    if (!block)
        return nullptr;
    ((unsigned *)block)[0] = c;
    ((unsigned *)block)[1] = __tern_heap_mark(block);
    return (void *)(block + 16);
}

extern "C" __device__ __noinline__ void __tern_heap_give(void *p)
{
    struct __tern_heap *h = __tern_heap_at();
    if (!p)
        return;
    unsigned long long block = (unsigned long long)p - 16, at = block - (unsigned long long)h;
    /* What malloc did not give, or what was freed, ends the kernel. */
    if (at % 16 || at < sizeof *h || at >= __tern_heap_read(&h->used) ||
        atomicCAS((unsigned *)block + 1, __tern_heap_mark(block), 0u) != __tern_heap_mark(block)) {
        __trap();
        return;
    }
    unsigned c = *(unsigned *)block;
    for (bool done = false; !done;) {
        if (atomicCAS(&h->lock, 0u, 1u) == 0) {
            __threadfence();
            __tern_heap_write((unsigned long long *)block, __tern_heap_read(&h->free[c]));
            __tern_heap_write(&h->free[c], block);
            __threadfence();
            atomicExch(&h->lock, 0u);
            done = true;
        }
    }
}

__global__ void __tern_keep_heap(void **p)
{
    __tern_heap_give(__tern_heap_take((unsigned long long)*p));
}

#endif
