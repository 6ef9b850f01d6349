/* The park of lower/wait/park.c, for GPUs whose subgroups are not warps of 32.
 *
 * All threads of a block come to __tern_park together, as often as any of them needs to wait, and
 * say what for. Each finds out whether those it waits for are there, and if so takes its result.
 * The park lies behind the dynamic shared memory: counters, then four words for each thread. */
#ifndef TERN_DEVICE_GPU_PARK_H
#define TERN_DEVICE_GPU_PARK_H

enum { /* as enum lower_park_kind */
       __TERN_PARK_DONE,
       __TERN_PARK_BARRIER,
       __TERN_PARK_BARRIER_RED,
       __TERN_PARK_WARPSYNC,
       __TERN_PARK_SHFL,
       __TERN_PARK_VOTE,
       __TERN_PARK_MATCH,
       __TERN_PARK_REDUX,
       __TERN_PARK_ACTIVEMASK,
       __TERN_PARK_YIELD,
       __TERN_PARK_JOIN,
};

/* Counters of one half; the halves take turns, so that one can be cleared while the other is read.
 */
enum {
    __TERN_PARK_ENDED,         /* threads that are over */
    __TERN_PARK_FREED,         /* threads that may go on */
    __TERN_PARK_WAITING,       /* by barrier */
    __TERN_PARK_YES = 18,      /* by barrier */
    __TERN_PARK_TAKEN = 34,    /* by barrier: someone has taken what had arrived */
    __TERN_PARK_HALF = 50,     /* counters of a half */
    __TERN_PARK_OVER = 100,    /* words behind both halves: the block is over */
    __TERN_PARK_LOOSE = 101,   /* two: joins are not waited for in this half */
    __TERN_PARK_ARRIVED = 103, /* by barrier: threads that do not wait for it */
    __TERN_PARK_SLOTS = 120,   /* kind, mask, low and high of each thread */
};

struct __tern_park_state {
    unsigned half, steps, free, low, high, ok;
};

/* The back end replaces its body: records that the block waits for itself. */
extern "C" __device__ __noinline__ void __tern_stuck()
{
    __tern_trap();
}

extern __shared__ unsigned __tern_dynamic[];

__TERN_FN unsigned *__tern_park_words()
{
    return __tern_dynamic + (__tern_sreg_dyn_shared() + 15) / 16 * 4;
}

__TERN_FN unsigned __tern_park_index()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__TERN_FN unsigned __tern_park_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

extern "C" __device__ __noinline__ void __tern_park_start(struct __tern_park_state *s)
{
    unsigned *words = __tern_park_words();
    for (unsigned k = __tern_park_index(); k < __TERN_PARK_SLOTS; k += __tern_park_threads())
        words[k] = 0;
    s->half = s->steps = 0;
    __syncthreads();
}

/* At a barrier for others to wait at. */
extern "C" __device__ __noinline__ void __tern_park_arrive(unsigned barrier)
{
    __threadfence_block();
    atomicAdd(&__tern_park_words()[__TERN_PARK_ARRIVED + (barrier & 15)], 1u);
}

/* Which lane a shuffle reads; itself where that is out of range. */
__TERN_FN unsigned __tern_park_source(struct __tern_park_state *s, unsigned lane, unsigned imm,
                                      unsigned b, unsigned control)
{
    int self = (int)lane, segment = (int)(control >> 8 & 31), from;
    int limit = (self & segment) | ((int)(control & 31) & ~segment);
    b &= 31;
    if (imm == 0)
        from = (self & segment) | ((int)b & ~segment);
    else if (imm == 1)
        from = self - (int)b;
    else if (imm == 2)
        from = self + (int)b;
    else
        from = self ^ (int)b;
    s->ok = imm == 1 ? from >= limit : from <= limit;
    return s->ok ? (unsigned)from : lane;
}

__TERN_FN unsigned __tern_park_combine(unsigned imm, unsigned a, unsigned b)
{
    switch (imm) { /* as rmw.def */
    case 0: return a + b;
    case 2: return a & b;
    case 3: return a | b;
    case 4: return a ^ b;
    case 5: return a < b ? a : b;
    case 6: return a > b ? a : b;
    case 7: return (int)a < (int)b ? a : b;
    default: return (int)a > (int)b ? a : b;
    }
}

__TERN_FN void __tern_park_warp(struct __tern_park_state *s, const unsigned *slots, unsigned index,
                                unsigned kind, unsigned mask, unsigned target, unsigned control,
                                bool loose)
{
    unsigned what = kind & 255, imm = kind >> 8, first = index & ~31u,
             threads = __tern_park_threads();
    unsigned low = slots[4 * index + 2], high = slots[4 * index + 3];
    unsigned here = 0, same = 0, yes = 0;
    if (what == __TERN_PARK_YIELD) {
        s->free = 1;
        return;
    }
    bool waits = false;
    for (unsigned k = 0; k < 32 && first + k < threads; k++) {
        const unsigned *o = slots + 4 * (first + k);
        if (o[0] == kind && o[1] == mask) {
            here |= 1u << k;
            same |= (unsigned)(o[2] == low && o[3] == high) << k;
            yes |= (unsigned)(o[2] != 0) << k;
        } else if (o[0] != __TERN_PARK_DONE && (mask >> k & 1)) {
            bool outside = what == __TERN_PARK_JOIN &&
                           (loose || ((o[0] & 255) == __TERN_PARK_JOIN && o[2] < low));
            waits |= !outside;
        }
    }
    if (waits)
        return;
    here &= what == __TERN_PARK_ACTIVEMASK ? ~0u : mask;
    s->free = 1;
    s->low = here;
    if (what == __TERN_PARK_SHFL) {
        unsigned from = __tern_park_source(s, index & 31, imm, target, control);
        bool there = here >> from & 1;
        s->low = there ? slots[4 * (first + from) + 2] : low;
        s->high = there ? slots[4 * (first + from) + 3] : high;
    } else if (what == __TERN_PARK_VOTE) {
        yes &= here;
        s->low = imm == 0   ? yes != 0
                 : imm == 1 ? yes == here
                 : imm == 2 ? yes == here || yes == 0
                            : yes;
    } else if (what == __TERN_PARK_MATCH) {
        same &= here;
        s->ok = same == here;
        s->low = imm == 1 && same != here ? 0 : same;
    } else if (what == __TERN_PARK_REDUX) {
        unsigned sum = low;
        for (unsigned k = 0; k < 32; k++)
            if ((here >> k & 1) && first + k != index)
                sum = __tern_park_combine(imm, sum, slots[4 * (first + k) + 2]);
        s->low = sum;
    }
}

extern "C" __device__ __noinline__ unsigned __tern_park(struct __tern_park_state *s, unsigned kind,
                                                        unsigned mask, unsigned low, unsigned high,
                                                        unsigned lane, unsigned control)
{
    unsigned *words = __tern_park_words(), *slots = words + __TERN_PARK_SLOTS;
    unsigned index = __tern_park_index(), threads = __tern_park_threads();
    unsigned half = s->half, turn = half ? 1 : 0, what = kind & 255, barrier = lane & 15;
    unsigned arrived = 0, *mine = words + half, *other = words + __TERN_PARK_HALF - half;
    s->half = __TERN_PARK_HALF - half;
    s->free = 0;
    slots[4 * index] = kind;
    slots[4 * index + 1] = mask;
    slots[4 * index + 2] = low;
    slots[4 * index + 3] = high;
    if (what == __TERN_PARK_DONE) {
        atomicAdd(&mine[__TERN_PARK_ENDED], 1u);
    } else if (what <= __TERN_PARK_BARRIER_RED) {
        atomicAdd(&mine[__TERN_PARK_WAITING + barrier], 1u);
        if (low)
            atomicAdd(&mine[__TERN_PARK_YES + barrier], 1u);
    }
    __syncthreads();
    unsigned ended = mine[__TERN_PARK_ENDED];
    if (what > __TERN_PARK_BARRIER_RED) {
        __tern_park_warp(s, slots, index, kind, mask, lane, control,
                         words[__TERN_PARK_LOOSE + turn] != 0);
    } else if (what != __TERN_PARK_DONE) {
        unsigned waiting = mine[__TERN_PARK_WAITING + barrier];
        arrived = words[__TERN_PARK_ARRIVED + barrier];
        if (waiting + arrived == (mask ? mask : threads - ended)) {
            unsigned yes = mine[__TERN_PARK_YES + barrier], imm = kind >> 8;
            s->free = 1;
            s->low = imm == 0 ? yes : imm == 1 ? yes == waiting : yes != 0;
        }
    }
    if (s->free)
        atomicAdd(&mine[__TERN_PARK_FREED], 1u);
    if (index == 0) { /* nobody got on last time: let go of joins; that did not help: it is stuck */
        bool still = s->steps != 0 && other[__TERN_PARK_FREED] == 0;
        bool stuck = still && words[__TERN_PARK_LOOSE + 1 - turn] != 0;
        words[__TERN_PARK_LOOSE + 1 - turn] = still && words[__TERN_PARK_LOOSE + turn] == 0;
        words[__TERN_PARK_OVER] = ended == threads || stuck;
        for (unsigned k = 0; k < __TERN_PARK_HALF; k++)
            other[k] = 0;
        if (stuck && ended != threads)
            __tern_stuck();
    }
    s->steps = 1;
    __syncthreads();
    if (s->free && arrived && !atomicExch(&mine[__TERN_PARK_TAKEN + barrier], 1u))
        atomicSub(&words[__TERN_PARK_ARRIVED + barrier], arrived);
    return words[__TERN_PARK_OVER];
}

__global__ void __tern_keep_park(struct __tern_park_state *s, unsigned *out)
{
    __tern_park_start(s);
    __tern_park_arrive(*out);
    *out = __tern_park(s, 0, 0, 0, 0, 0, 0);
}

#endif
