/* Gathers and scatters whose lanes lie at constant distances, close together: whole chunks of
 * memory, and shuffles. So are pairs exchanged in a sort, or real and imaginary parts read that lie
 * side by side. What C (c/coalesce.c) and machine code (cpu_gather.c) both know of them.
 *
 * The range is the memory from the first to the last element, counted from the root of the address.
 * In shared memory, which has room on both sides, ranges of the same root begin at the same
 * places, so that the chunks of two that overlap are the same loads. Stores that follow each other
 * and fill a range together are one; what they leave out is put back as it was, which only shared
 * memory allows: it belongs to one worker. */
#ifndef BACK_CPU_NEAR_H
#define BACK_CPU_NEAR_H

#include "ir/ir.h"
#include "lower/lower.h"

enum { CPU_NEAR_CHUNKS = 64, CPU_NEAR_STORES = 8 };

struct cpu_near {
    const struct ir_inst *inst;
    struct lane_offsets at;
    int64_t first, origin; /* the least offset; where chunks are counted from */
    unsigned size, lanes;  /* bytes of an element; elements of a chunk */
    unsigned chunks;       /* of the range */
};

/* Memory of one worker, with room on both sides. */
bool cpu_only_ours(const struct ir_inst *i);
/* Bytes from w->at.at of chunk k, from `early` elements before its place on. */
int64_t cpu_near_offset(const struct cpu_near *w, unsigned k, unsigned early);

/* How a gather is loaded: result chunk k has lanes index[k] of chunks of[k][0] and of[k][1] of the
 * range, counted in both; chunk n of the range is loaded early[n] elements before its place. */
struct cpu_near_load {
    struct cpu_near w;
    unsigned of[CPU_NEAR_CHUNKS][2], early[CPU_NEAR_CHUNKS];
    uint8_t index[CPU_NEAR_CHUNKS][IR_MAX_LANES];
};
/* Of chunks of so many bytes. False: it is not to be loaded so. */
bool cpu_near_load(const struct ir_inst *i, unsigned vector_bytes, struct cpu_near_load *out);

/* How one chunk of a gather is loaded whose lanes lie in a few places, each a chunk wide or less,
 * as where every four lanes have a block of their own. Lane l is element index[l] of window
 * from[l]. */
enum { CPU_NEAR_WINDOWS = 8 };
struct cpu_near_windows {
    unsigned n, lanes;
    int64_t offset[CPU_NEAR_WINDOWS]; /* bytes from at.at */
    uint8_t from[IR_MAX_LANES], index[IR_MAX_LANES];
};
/* Bytes from the first to behind the last element, of lanes that run: NULL: all. */
struct cpu_near_span {
    int64_t first, end;
};
struct cpu_near_span cpu_near_span(const struct lane_offsets *at, const bool *runs, unsigned lanes,
                                   unsigned size);
/* Of lanes first … first + n - 1, elements of `size` bytes. False: it takes too many. */
bool cpu_near_windows(const struct lane_offsets *at, const bool *runs, unsigned lanes,
                      unsigned size, unsigned first, unsigned n, struct cpu_near_windows *out);

struct cpu_near_group { /* stores to one range, with one mask */
    struct cpu_near w[CPU_NEAR_STORES];
    unsigned n;
};
/* What chunk k of a group's range gets: lanes index[] of chunks of[0] and of[1] (number of the
 * store
 * * CPU_NEAR_CHUNKS + its chunk), where has[]; how many lanes have nothing. */
unsigned cpu_near_sources(const struct cpu_near_group *s, unsigned k, unsigned of[2],
                          unsigned *index, bool *has);
/* Stores with nothing but arithmetic between, of which i is one, as groups (CPU_NEAR_STORES of
 * them); they are written where `last` stands. False: some of them are not to be written so, and
 * none is then. */
bool cpu_near_stores(const struct ir_inst *i, unsigned vector_bytes, struct cpu_near_group *groups,
                     unsigned *n, const struct ir_inst **last);

#endif
