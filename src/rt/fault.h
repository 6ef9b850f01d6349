/* Bad accesses of kernels that run on the processor, whoever's thread they happen in.
 *
 * A thread of ours that runs kernels has a struct rt_watch just below the stack that its signals
 * are handled on, so that the handler finds it without any global: it asks which stack that is. A
 * software GPU's kernels run on threads of its driver, which cannot be left: such a thread stays in
 * the handler for good, under a name that says so. Whoever waits for its work asks
 * rt_fault_of_driver. Any other thread's fault does what it would have done without us. */
#ifndef RT_FAULT_H
#define RT_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_watch {
    char magic[8];
    /* In the handler. It leaves by a jump, or returns to have the signal again, with no handler. */
    void (*fault)(struct rt_watch *w, int signal, const siginfo_t *info);
};
enum { RT_WATCH_STACK = 65536 }; /* bytes of the stack behind it */

void rt_watch_begin(struct rt_watch *w, void (*fault)(struct rt_watch *, int, const siginfo_t *),
                    stack_t *old);
void rt_watch_end(struct rt_watch *w, const stack_t *old);
struct rt_watch *rt_watch_current(void); /* the calling thread's, or NULL */

void rt_fault_signals(void); /* handlers, where the program has none */

/* The threads that a software GPU's driver starts while it is opened: those that were not there
 * before. */
struct rt_threads {
    int *ids; /* for free() */
    size_t n;
};
struct rt_threads rt_threads_now(void);
struct rt_threads rt_threads_since(struct rt_threads *before); /* watched; frees the others */
bool rt_fault_of_driver(const struct rt_threads *t, uint64_t *address); /* one met a bad address */

#endif
