/* The park of lower/wait/park.c, for GPUs whose subgroups are not warps of 32.
 *
 * All threads of a block come to __tern_park together, as often as any of them needs to wait, and
 * say what for. Each finds out whether those it waits for are there, and if so takes its result.
 * The park lies behind the dynamic shared memory: counters, then four words for each thread. */
#ifndef TERN_DEVICE_GPU_PARK_H
#define TERN_DEVICE_GPU_PARK_H

#include "device/gpu/park_warp.h"

/* Counters of one half; the halves take turns, so that one can be cleared while the other is read.
 */
enum {
    __TERN_PARK_ENDED,         /* threads that are over */
    __TERN_PARK_FREED,         /* threads that may go on, but for those that only look again */
    __TERN_PARK_WAITING,       /* by barrier */
    __TERN_PARK_YES = 18,      /* by barrier */
    __TERN_PARK_TAKEN = 34,    /* by barrier: someone has taken what had arrived */
    __TERN_PARK_LOOKED = 50,   /* threads that only look again */
    __TERN_PARK_HALF = 51,     /* counters of a half */
    __TERN_PARK_OVER = 102,    /* words behind both halves: the block is over */
    __TERN_PARK_LOOSE = 103,   /* two: joins are not waited for in this half */
    __TERN_PARK_ARRIVED = 105, /* by barrier: threads that do not wait for it */
    __TERN_PARK_LOOKS = 121,   /* how often threads have looked again and nothing else was done */
    __TERN_PARK_SLOTS = 124,   /* kind, mask, low and high of each thread */
};

struct __tern_park_state {
    unsigned half, steps, free;
    struct __tern_park_result result;
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
        s->free = __tern_park_warp(slots, 4, threads, index, lane, control,
                                   words[__TERN_PARK_LOOSE + turn] != 0, &s->result);
    } else if (what != __TERN_PARK_DONE) {
        unsigned waiting = mine[__TERN_PARK_WAITING + barrier];
        arrived = words[__TERN_PARK_ARRIVED + barrier];
        if (waiting + arrived == (mask ? mask : threads - ended)) {
            unsigned yes = mine[__TERN_PARK_YES + barrier], imm = kind >> 8;
            s->free = 1;
            s->result.low = imm == 0 ? yes : imm == 1 ? yes == waiting : yes != 0;
        }
    }
    if (s->free)
        atomicAdd(&mine[what == __TERN_PARK_YIELD ? __TERN_PARK_LOOKED : __TERN_PARK_FREED], 1u);
    if (index == 0) { /* nobody got on last time: let go of joins; that did not help: it is stuck */
        bool still = s->steps != 0 && other[__TERN_PARK_FREED] == 0;
        bool looks = other[__TERN_PARK_LOOKED] != 0;
        bool stuck = still && !looks && words[__TERN_PARK_LOOSE + 1 - turn] != 0;
        unsigned often = still && looks ? words[__TERN_PARK_LOOKS] + 1 : 0;
        words[__TERN_PARK_LOOKS] = often < __TERN_PARK_PATIENCE ? often : 0;
        words[__TERN_PARK_LOOSE + 1 - turn] = still && (!looks || often == __TERN_PARK_PATIENCE) &&
                                              words[__TERN_PARK_LOOSE + turn] == 0;
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
