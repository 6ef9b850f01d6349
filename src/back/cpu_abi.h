/* The launch ABI of code for the CPU: what a kernel is given, and what it may call back for.
 *
 * rt/dev/cpu and the back ends that make code for the CPU compile this file; the C that back/c
 * writes carries the part between the two marks, word for word (tool/text.c). A kernel is one
 * function, a cpu_entry: it runs the blocks from `first` up to `last`. Blocks are independent, so
 * ranges may run at the same time on different workers. */
#ifndef BACK_CPU_ABI_H
#define BACK_CPU_ABI_H

#include <stdint.h>

/* In the C that is written these may alias anything: memory there is untyped. */
typedef uint32_t u32;
typedef uint64_t u64;

#define CPU_ENTRY_PARAMETERS                                                                       \
    (const struct tern_launch *l, const struct tern_worker *w, u64 first, u64 last)

enum cpu_clock { CPU_CYCLES, CPU_NANOSECONDS }; /* tern_host.clock; as the IR's op has it */
/* Bytes on either side of shared memory that whole vectors may reach over its ends; and what a
 * block's begins at a multiple of, as far as kernels may ask. */
enum { CPU_SHARED_ROOM = 1024, CPU_SHARED_ALIGN = 1024 };
/* tern_host.texture: what is asked, in this order: X(op). */
#define CPU_TEXTURE_OPS(X) X(tex) X(surfload) X(surfstore) X(txq)
/* tern_host.launch: its arguments are the operands of the op (ir/launch.h), the kernel by its
 * number: functions whose address is taken, from 1, in the module's order. */

/* clang-format off */
/* ---- text begins ---- */
struct tern_launch;
struct tern_block;
struct tern_host {
    void (*print)(const struct tern_launch *l, const char *format, const u64 *args, u32 count);
    void (*fail)(const struct tern_block *b, u32 error, const char *what, const char *file, u32 line,
                 const char *function); /* does not return */
    void *(*alloc)(const struct tern_launch *l, u64 size);
    void (*release)(const struct tern_launch *l, void *p);
    u64 (*clock)(u32 which); /* 0: cycles, 1: nanoseconds */
    /* what: 0 tex, 1 surface load, 2 surface store, 3 query; fails by itself */
    void (*texture)(const struct tern_block *b, u32 what, u32 type, u64 imm, const u64 *args, u32 count,
                    u64 *results);
    u32 (*launch)(const struct tern_block *b, const u64 *args); /* gives CUDA's error */
};
struct tern_launch {
    u32 grid[3], block[3];
    u32 dynamic_shared, shared_bytes; /* shared_bytes: in all */
    u32 workers;
    u32 cooperative; /* blocks may wait for each other */
    u64 id;
    char *params;  /* the kernel's arguments, laid out as a C struct */
    char *globals; /* the module's variables */
    const volatile int *cancel;
    const struct tern_host *host;
    void *user;
    const void *checks; /* ir/check.h, or 0 */
};
struct tern_stacks { /* memory for coroutines that is kept for the next blocks */
    char *at;
    u64 bytes;
};
struct tern_worker {
    char *shared; /* shared_bytes, aligned to 64 */
    char *stack[2];
    u32 number;
    volatile u32 *at; /* where in the source it is, for reports */
    struct tern_stacks *stacks; /* or 0 */
};
struct tern_block { /* and, where threads run one by one, a thread */
    const struct tern_launch *launch;
    char *shared;
    char *stack[2];
    u32 ctaid[3], tid[3];
    u32 worker;
    volatile u32 *at;
    struct tern_stacks *stacks;
};
/* ---- text ends ---- */
/* clang-format on */

/* ---- machine code ---- */
/* What code of our own is given beyond that: the host that its launches name is one of these. */
#define CPU_EVAL(op, type, from, flags)                                                            \
    ((u64)(op) | (u64)(type) << 16 | (u64)(from) << 32 | (u64)((flags)&0xffff) << 48)
enum cpu_failure { CPU_FAIL_TRAP, CPU_FAIL_UNREACHABLE, CPU_FAIL_NO_FUNCTION };
enum { /* of coroutines: operations of a warp, plus their number */
       CPU_WARP_SYNC,
       CPU_WARP_SHUFFLE,
       CPU_WARP_VOTE = 8,
       CPU_WARP_MATCH = 16,
       CPU_WARP_REDUCE = 32,
};
struct cpu_host {
    struct tern_host abi; /* first */
    /* An elementwise op of the IR on bits, as the interpreter has it. */
    u64 (*eval)(u64 what, u64 a, u64 b, u64 c);
    void (*fail_by_number)(const struct tern_block *b, u64 failure); /* does not return */
    void (*move)(void *to, const void *from, u64 n);
    void (*fill)(void *to, u64 value, u64 n);
    /* Of `lanes` elements those whose lane is set, one by one; zeros for the others. */
    void (*load_lanes)(char *to, const char *from, const u32 *mask, u64 lanes, u64 size);
    void (*copy_async)(char *to, const char *from, u64 n, u64 size);
    void (*multiply)(u64 which, const char *a, const char *b, char *c); /* a warp's matrices */
    /* threads as coroutines */
    u64 (*barrier)(struct tern_block *b, u64 id, u64 count, u64 value, u64 reduce);
    void (*arrive)(struct tern_block *b, u64 id, u64 count);
    void (*grid_sync)(struct tern_block *b);
    u64 (*warp)(struct tern_block *b, u64 op, u64 mask, u64 value, u64 lane, u64 control,
                uint8_t *flag);
    void (*matrix)(struct tern_block *b, u64 *registers, u64 which);
    u64 (*active)(struct tern_block *b, u64 place);
    void (*yield)(struct tern_block *b);
    void (*poll)(struct tern_block *b);
    void (*exit_thread)(struct tern_block *b); /* does not return */
    /* ir/check.h: imm, the place in the source, the operands */
    void (*check)(struct tern_block *b, u64 what, u64 site, const u64 *args);
};
/* A block, so many in a row, so many rows of them; or one thread. */
typedef void cpu_block(struct tern_block *b, u64 run, u64 rows);

typedef void cpu_entry CPU_ENTRY_PARAMETERS;

#endif
