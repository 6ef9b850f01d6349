/* Threads: a pool that runs index ranges. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

struct pool;

/* nthreads 0: one for each core this process may run on. The caller of pool_for works too. */
enum tern_error pool_create(struct pool **out, unsigned nthreads);
void pool_destroy(struct pool *p);
unsigned pool_size(const struct pool *p);

/* Calls fn(arg, begin, end, worker) over chunks of [0, n); returns when all are done. Nested calls
 * and calls from several threads at once are fine (a caller never waits for work it could do
 * itself). worker is below pool_slots() and no two threads have the same worker number at once; a
 * call that is nested in another keeps its thread's number. chunk 0 leaves the size to the pool. */
typedef void pool_range_fn(void *arg, uint64_t begin, uint64_t end, unsigned worker);
void pool_for(struct pool *p, uint64_t n, uint64_t chunk, pool_range_fn *fn, void *arg);
unsigned pool_slots(const struct pool *p);

unsigned thread_cores(void);       /* cores this process may run on */
uint64_t thread_nanoseconds(void); /* monotonic clock */

#endif
