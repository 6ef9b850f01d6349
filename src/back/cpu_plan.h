/* Which kernel runs how on a processor: the plan that C and machine code follow alike.
 *
 * A block is one call of a function that the vectoriser made of the kernel, a loop over its
 * threads, or, when threads must wait for each other in ways that such a function cannot follow, a
 * team of coroutines. */
#ifndef BACK_CPU_PLAN_H
#define BACK_CPU_PLAN_H

#include "back/back.h"
#include "back/cpu.h"

struct cpu_plan {
    struct ir_func *kernel;
    struct ir_func *whole; /* runs a block, or a row of them; NULL: functions run one thread */
    struct ir_func *made;  /* by the vectoriser, whether it is used or not; or NULL */
    struct map funcs;      /* that the kernel reaches, itself first */
    unsigned gang;
    bool waits; /* without `whole`: its threads are coroutines */
    bool recursive, spins;
    bool holds;     /* its gangs are written out: shared memory may be held in registers */
    bool ahead;     /* should ask for what the next gangs will read */
    uint32_t most;  /* blocks that one call may take */
    uint64_t stack; /* of a coroutine */
    uint64_t local;
    uint32_t uses; /* enum back_uses */
    struct back_cpu_kernel told;
};

/* False: a pass broke the module. */
bool cpu_plan(struct cpu_plan *p, struct back_job *job, const struct back_target *t,
              struct ir_func *kernel, const struct back_cpu_options *o, bool track);
/* What was planned as one function is to run thread by thread after all. */
void cpu_plan_threads(struct cpu_plan *p, const struct back_cpu_options *o);
/* Old code relies on a warp's threads to take accesses together: of volatile shared memory, and
 * those that were found to be an exchange. */
bool cpu_goes_in_step(const struct ir_inst *i);
/* The library of the quick functions, which no processor has instructions for
 * (back_target.prepare); and what is done with it when it is linked. */
const char *cpu_prepare(struct back_job *job, const struct back_target *t);
bool cpu_lower(struct back_job *job, const struct back_target *t);

#endif
