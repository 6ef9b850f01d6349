/* What a thread of the park (lower/wait/park.c) gets that waits within its warp, once those it
 * waits for are there. device/gpu/park.h calls it on GPUs; WebAssembly has it as IR, which `make
 * doc` makes of this file (src/back/wasm/text/park_warp.ir). */
#ifndef TERN_DEVICE_GPU_PARK_WARP_H
#define TERN_DEVICE_GPU_PARK_WARP_H

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

/* Threads that look again and again for what others write may be who a join waits for, which in
 * turn keeps those from writing: after so many looks with nothing else done, joins are let go of
 * once. Fewer would tear warps apart that exchange by volatile accesses, in step. */
enum { __TERN_PARK_PATIENCE = 1024 }; /* as PARK_PATIENCE */

struct __tern_park_result {
    unsigned low, high, ok;
};

/* Which lane a shuffle reads; itself, and not ok, where that is out of range. */
__TERN_FN unsigned __tern_park_source(struct __tern_park_result *r, unsigned lane, unsigned imm,
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
    r->ok = imm == 1 ? from >= limit : from <= limit;
    return r->ok ? (unsigned)from : lane;
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

/* slots: kind, mask, low and high of each thread, `stride` words from one thread's to the next.
 * target, control: of a shuffle. loose: nobody could go on, so that whom a join waits for has left
 * by another path. Gives 1 and the result if the thread may go on. */
__TERN_FN unsigned __tern_park_warp(const unsigned *slots, unsigned stride, unsigned threads,
                                    unsigned index, unsigned target, unsigned control, bool loose,
                                    struct __tern_park_result *r)
{
    const unsigned first = index & ~31u;
    const unsigned *warp = slots + stride * first, *me = slots + stride * index;
    const unsigned kind = me[0], mask = me[1], low = me[2], high = me[3];
    const unsigned what = kind & 255, imm = kind >> 8;
    unsigned here = 0, same = 0, yes = 0;
    bool waits = false;
    if (what == __TERN_PARK_YIELD)
        return 1;
    for (unsigned k = 0; k < 32 && first + k < threads; k++) {
        const unsigned *o = warp + stride * k;
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
        return 0;
    here &= what == __TERN_PARK_ACTIVEMASK ? ~0u : mask;
    r->low = here;
    if (what == __TERN_PARK_SHFL) {
        unsigned from = __tern_park_source(r, index & 31, imm, target, control);
        const bool there = here >> from & 1;
        r->low = there ? warp[stride * from + 2] : 0;
        r->high = there ? warp[stride * from + 3] : 0;
    } else if (what == __TERN_PARK_VOTE) {
        yes &= here;
        r->low = imm == 0   ? yes != 0
                 : imm == 1 ? yes == here
                 : imm == 2 ? yes == here || yes == 0
                            : yes;
    } else if (what == __TERN_PARK_MATCH) {
        same &= here;
        r->ok = same == here;
        r->low = imm == 1 && same != here ? 0 : same;
    } else if (what == __TERN_PARK_REDUX) {
        unsigned sum = low;
        for (unsigned k = 0; k < 32; k++)
            if ((here >> k & 1) && first + k != index)
                sum = __tern_park_combine(imm, sum, warp[stride * k + 2]);
        r->low = sum;
    }
    return 1;
}

#endif
