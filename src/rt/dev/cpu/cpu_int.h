/* What the files of the CPU device share.
 *
 * cpu.c      the table of functions, memory, faults
 * module.c   modules and kernels: IR kept, code made for a block shape when first launched
 * better.c   compiled code for kernels that run for long, made beside them
 * build.c    C text → shared object: the compiler, the instruction set, the disk cache
 * queue.c    queues and events: ordered work, done by the queue's thread or by whoever waits
 * signal.c   bad accesses, time limits and Ctrl-C inside a kernel
 * stack.c    the stacks that kernels run on
 * device_heap.c  malloc and free of kernels
 * own.c      our own machine code: images in memory, the loop over blocks, what code calls
 * matrix.c   warp matrix products for it
 * debug.c    gdb and perf are told of it
 * textures.c textures and surfaces
 * launch.c   a launch: blocks over the thread pool, and what kernels call back for
 *
 * The structs tern_… are the ABI between the runtime and a kernel's code: back/cpu_abi.h. */
#ifndef RT_DEV_CPU_CPU_INT_H
#define RT_DEV_CPU_CPU_INT_H

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include "back/cpu.h"
#include "back/cpu_abi.h"
#include "back/cpu_debug.h"
#include "back/cpu_image.h"
#include "check/check.h"
#include "driver/pipeline.h"
#include "rt/dev.h"
#include "rt/fault.h"
#include "rt/heap.h"
#include "rt/image.h"
#include "rt/texture.h"

/* ---- the device ---- */
struct cpu_alloc { /* with TERN_GUARD; else allocations come from the heap */
    struct cpu_alloc *prev, *next;
    char *base; /* what was asked of the system */
    uint64_t mapped;
    dev_ptr address;
    uint64_t size;
    char name[64];
};

/* ---- stack.c ---- */
struct cpu_stack {
    char *low, *high; /* NULL: kernels run on the thread's own */
};
bool cpu_stack_new(struct cpu_stack *s); /* false: there is none, and none is needed */
void cpu_stack_free(struct cpu_stack *s);
bool cpu_stack_guards(const struct cpu_stack *s, uint64_t address); /* lies just outside? */
void cpu_stack_call(const struct cpu_stack *s, void (*fn)(void *), void *arg);

/* ---- device_heap.c ---- */
struct cpu_device_heap;
struct cpu_device_heap *cpu_device_heap_new(uint64_t limit);
void cpu_device_heap_free(struct cpu_device_heap *h);
void cpu_device_heap_limit(struct cpu_device_heap *h, uint64_t limit);
void *cpu_device_malloc(struct cpu_device_heap *h, uint64_t size); /* NULL: no room */
bool cpu_device_free(struct cpu_device_heap *h, void *p);          /* false: it is not alive */

/* Memory that one worker keeps from launch to launch. */
struct cpu_worker {
    char *shared;
    uint64_t shared_bytes;
    void *signals;           /* CPU_WATCH_BYTES: the stack that signals are handled on */
    struct cpu_watch *watch; /* there, while it runs blocks, and where faults come back to */
    jmp_buf jump;
    pthread_t unblocked; /* the thread that was the last to let the signals of faults through */
    struct cpu_stack stack;
    struct tern_stacks stacks; /* of coroutines */
};

struct dev {
    struct dev_host host;
    char cache[512]; /* host.cache_dir, kept */
    struct pool *pool;
    struct cpu_worker *workers; /* pool_slots() */
    struct heap *heap;
    uint64_t nodes; /* of memory, a bit each, that chunks are to lie on; 0: wherever they fall */
    struct cpu_device_heap *device_heap;
    pthread_mutex_t lock; /* guards what follows */
    struct cpu_alloc *allocs;
    enum tern_error fault;    /* of a kernel: nothing runs until it is reset */
    bool guard, guard_before; /* TERN_GUARD: fences behind allocations, or before them */
    bool batch;
    bool in_order; /* TERN_DETERMINISTIC: one launch after the other; see dev_kernel */
    bool own;      /* kernels become machine code by ourselves: cpu_makes_code */
    bool own_only; /* and stay so, however long they run: TERN_CPU=own */
    uint64_t launches;
    uint32_t pending;              /* launches by a kernel that may wait */
    struct cpu_compiler *compiler; /* by cpu_compiler; NULL: none found */
    bool searched;
    unsigned gang;                    /* TERN_GANG: 0 chooses */
    const struct back_target *target; /* of its own code, and */
    const char *machine;              /* what processors have that run it */
    unsigned vector_bytes;            /* of its vectors */
    unsigned fewer_bytes;             /* struct cpu_processor's `fewer` */
    bool dots;                        /* cpu_has_dots(), where code is for this processor */
    struct cpu_textures *textures;    /* NULL: none so far */
};

/* ---- build.c ---- */
struct cpu_compiler {
    char path[512];
    char version[256];
    unsigned vector_bytes;
    char flags[]; /* with spaces between */
};
struct cpu_compiler *cpu_compiler_find(void);     /* malloc'ed; NULL: none */
struct cpu_compiler *cpu_compiler(struct dev *d); /* looked for when first asked for */
struct cpu_making {
    const struct cpu_compiler *compiler;
    const char *cache_dir;
    _Atomic pid_t *running;     /* the compiler's process is noted there; or NULL */
    const volatile int *cancel; /* non-zero: it is ended; or NULL */
};
/* A loaded shared object with that C in it; from the cache if it is there. */
enum tern_error cpu_build(const struct cpu_making *how, const char *c, size_t n, struct diag *diag,
                          void **object);
unsigned cpu_vector_bytes(void);

/* ---- own.c, matrix.c ---- */
struct back_target;
struct cpu_own { /* code for one kernel and shape */
    void *code;  /* NULL: none */
    size_t bytes;
    cpu_block *run;
    struct cpu_image_kernel how;
    void *told; /* by cpu_debug_add; or NULL */
};
const struct back_target *cpu_own_target(void); /* NULL: none for this machine */
bool cpu_has_avx512(void);                      /* x86-64: and half as wide is not asked for */
bool cpu_has_dots(void); /* products of bytes, in vectors as long as code has them: VNNI, DotProd */
struct cpu_processor {   /* that our own code is for */
    const char *name, *target;
    const char *has;       /* beyond what every one of the architecture has */
    unsigned vector_bytes; /* of x86-64 64: AVX-512; of AArch64 over 16: SVE */
    unsigned fewer;        /* bytes of vectors for kernels that these cannot do; 0: none */
};
const struct cpu_processor *cpu_own_processor(void); /* this one, as code is made for it; or NULL */
const struct cpu_processor *cpu_named(const char *name); /* aarch64, x86-64-v3 …; or NULL */
bool cpu_makes_code(void); /* there is one, and TERN_CPU=c does not ask for C */
/* One of the image's kernels. */
enum tern_error cpu_own_load(const struct image *i, const struct back_kernel *k,
                             struct cpu_own *out);
void cpu_own_unload(struct cpu_own *own);
void cpu_own_host(struct cpu_host *h, const struct tern_host *abi);

/* ---- debug.c ---- */
bool cpu_perf(void); /* a profiler wants to know of code */
/* What is to be removed before the code goes; NULL: nothing. */
void *cpu_debug_add(const struct cpu_debug *d, const struct cpu_own *own, const char *globals,
                    bool to_gdb, struct arena *a);
void cpu_debug_remove(void *entry);

void cpu_own_run(const struct cpu_own *own, const struct tern_launch *l,
                 const struct tern_worker *w, u64 first, u64 last);
void cpu_multiply(u64 which, const char *a, const char *b, char *c);

/* ---- better.c ---- */
/* An object that is built by a thread of its own, from a copy of all that it needs: whoever asked
 * for it may go away before it is there. One at a time in a process. */
struct cpu_better;
enum cpu_better_state { CPU_BETTER_BUILDING, CPU_BETTER_MADE, CPU_BETTER_FAILED };
bool cpu_better_idle(void); /* none is being built */
/* NULL: another one is being built, or there is no memory or no thread for it. */
struct cpu_better *cpu_better_start(const struct cpu_compiler *cc, const char *cache_dir,
                                    const char *c, size_t n);
enum cpu_better_state cpu_better_state(const struct cpu_better *b);
void *cpu_better_take(struct cpu_better *b);            /* made: the object, once */
const char *cpu_better_why(const struct cpu_better *b); /* failed: why */
void cpu_better_drop(struct cpu_better *b);             /* built or not */

/* ---- module.c ---- */
struct cpu_variant {
    struct cpu_variant *next;
    uint32_t block[3], threads[3]; /* as launched; those that run */
    cpu_entry *run;                /* NULL: own code */
    struct cpu_own own;
    void *object;
    uint32_t static_shared, param_bytes;
    struct back_cpu_kernel how;
    _Atomic uint64_t spent;    /* nanoseconds that its launches took */
    _Atomic uint64_t blocks;   /* of them */
    struct cpu_variant *trial; /* what it stands for as long as it is not known to be faster */
    _Atomic uint64_t pace;     /* what a block takes on one core, in CPU_PACE_NS; 0: not known */
    bool settled;              /* stays as it is: there is better code, or none to be had */
    struct cpu_better *better; /* being built; NULL: not asked for */
    struct back_kernel *better_kernels; /* of which these are; malloc'ed */
    size_t nbetter;
};
struct dev_kernel {
    struct dev_kernel *next;
    struct dev_module *module;
    const char *name, *display;
    uint32_t param_bytes, max_threads;
    bool in_order; /* its threads run one after the other: the result depends on it */
    bool waits;    /* for others, perhaps: it must not hold up whoever launches it */
    struct cpu_variant *variants;
};
struct dev_module {
    struct dev *dev;
    struct mem mem;
    struct arena arena;
    struct interner names;
    struct source_map sources;
    struct ir_module *ir;
    struct dev_kernel *kernels;
    struct map offsets; /* of globals */
    char *globals;
    uint64_t globals_bytes;
    uint32_t shared_align; /* what the shared memory of its blocks begins at a multiple of */
    pthread_mutex_t lock;  /* of compiling */
    struct image_key key;  /* of code of our own for it, as far as kernels have it in common */
    bool has_key;
};
enum tern_error cpu_load(struct dev *d, const struct ir_module *m, struct diag *diag,
                         struct dev_module **out);
void cpu_unload(struct dev *d, struct dev_module *m);
enum tern_error cpu_kernel(struct dev_module *m, const char *name, struct dev_kernel **out);
enum tern_error cpu_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
enum tern_error cpu_make(struct dev_kernel *k, const uint32_t block[3]); /* for others to run */
enum tern_error cpu_variant(struct dev_kernel *k, const uint32_t block[3],
                            struct cpu_variant **out);

/* ---- launch.c ---- */
struct cpu_launch {
    struct dev_kernel *kernel;
    struct cpu_variant *variant;
    struct dev_launch shape;
    char *params;
    unsigned depth; /* how many kernels started each other before this one */
    uint64_t place; /* for who checks: when it was submitted; 0: by a kernel */
};
enum tern_error cpu_run(struct dev *d, const struct cpu_launch *l);
/* Launches take about that long on one core, as far as one can tell from those before: what is less
 * than this is done by one, and what is less than that by whoever launches it, if nothing is before
 * it, because telling another thread takes longer. */
enum { CPU_ALONE_NS = 4000, CPU_BRIEF_NS = 2000, CPU_PACE_NS = 64 /* of a nanosecond */ };
bool cpu_takes_less(const struct cpu_launch *l, uint64_t nanoseconds);
/* Sends it on, unless it is a fault and not the first; returns its error. */
enum tern_error cpu_report(struct dev *d, struct report *r);

/* ---- textures.c ---- */
enum { CPU_MAX_TEXTURES = 4096 };
enum tern_error cpu_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle);
enum tern_error cpu_texture_free(struct dev *d, uint64_t handle);
void cpu_textures_close(struct dev *d);
/* NULL, or what is wrong. args[0] is the handle. */
const char *cpu_texture_access(struct dev *d, uint32_t what, uint32_t type, uint64_t imm,
                               const uint64_t *args, uint32_t count, uint64_t *results);

/* ---- signal.c ---- */
/* While a thread runs blocks, a bad access, and a kernel that runs too long, come back through
 * `jump`, once. */
struct cpu_watch {
    jmp_buf *jump;
    volatile int what; /* 0, or the enum tern_error that made it jump */
    volatile uint64_t address;
    volatile uint32_t at;  /* source location */
    volatile int calls;    /* into the host: it may hold locks, and time limits wait for it */
    volatile int overdue;  /* the enum tern_error of a limit that waits */
    volatile bool in_heap; /* a bad access there means that the host's memory is in disorder */
    uint64_t deadline;
    const volatile int *cancel;
    void *timer;
    char previous[64];                  /* the thread's own signal stack */
    _Alignas(16) struct rt_watch watch; /* last: the stack for signals is behind it */
};
/* Around what kernels call of the host; NULL: the watch of this thread. The second gives what it
 * was given, and does not come back where a limit was passed meanwhile. */
struct cpu_watch *cpu_call_begin(struct cpu_watch *w);
void cpu_call_end(struct cpu_watch *w);
void cpu_signals(void); /* once per device: handlers, where the program has none */
/* memory: CPU_WATCH_BYTES; unblock: the thread may hold signals back */
struct cpu_watch *cpu_watch_begin(void *memory, uint64_t deadline, const volatile int *cancel,
                                  bool unblock);
void cpu_watch_end(struct cpu_watch *w);
enum { CPU_WATCH_BYTES = sizeof(struct cpu_watch) + RT_WATCH_STACK };
_Static_assert(sizeof(struct cpu_watch) ==
                   offsetof(struct cpu_watch, watch) + sizeof(struct rt_watch),
               "rt_watch_current looks for it just below the stack");

/* ---- queue.c ---- */
enum tern_error cpu_queue_new(struct dev *d, struct dev_queue **out);
void cpu_queue_free(struct dev_queue *q);
enum tern_error cpu_queue_wait(struct dev_queue *q);
enum tern_error cpu_queue_query(struct dev_queue *q);
enum tern_error cpu_event_new(struct dev *d, struct dev_event **out);
void cpu_event_free(struct dev_event *e);
enum tern_error cpu_event_record(struct dev_event *e, struct dev_queue *q);
enum tern_error cpu_event_wait(struct dev_event *e);
enum tern_error cpu_queue_after(struct dev_queue *q, struct dev_event *e);
enum tern_error cpu_event_time(struct dev_event *e, uint64_t *ns);
enum tern_error cpu_host_call(struct dev_queue *q, void (*fn)(void *), void *arg);
enum tern_error cpu_call_now(struct dev_queue *q, void (*fn)(void *), void *arg);
enum tern_error cpu_queue_until(struct dev_queue *q, bool (*done)(void *arg, bool give_up),
                                void *arg);
enum tern_error cpu_copy(struct dev *d, struct dev_queue *q, void *to, const void *from,
                         uint64_t n);
enum tern_error cpu_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                         uint32_t pattern, unsigned pattern_bytes);
enum tern_error cpu_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                           const struct dev_launch *l);

/* ---- numa.c ---- */
/* The nodes whose cores are in the set, and how many there are; folder: /sys/devices/system/node.
 */
uint64_t cpu_numa_nodes(const char *folder, const cpu_set_t *set, unsigned *total);
uint64_t cpu_numa_own(void); /* of this process; 0: the machine has one */
/* On the node, or in turn on the nodes; false: it lies where it is first touched. */
bool cpu_numa_place(uint64_t nodes, void *base, uint64_t bytes);

#endif
