/* What a device is to the runtime: one table of functions.
 *
 * The runtime above does not know devices apart. A driver finds its devices, opens one, and gives
 * memory, modules, launches and ordering on it. Slots marked optional may be NULL: the runtime then
 * uses its own fallback or reports TERN_UNSUPPORTED. Every function may be called from any thread;
 * work submitted to one queue runs in order, different queues may overlap. A function that takes a
 * queue may return before the work is done; errors of the work itself surface at the next wait on
 * that queue (and stick to the device if they corrupt it, as in CUDA). What went wrong, and where,
 * is reported when it is known, before the error surfaces (base/report.h).
 *
 * Device addresses are 64-bit numbers (dev_ptr). Where DEV_HOST_MEMORY is set they are host
 * pointers. */
#ifndef RT_DEV_H
#define RT_DEV_H

#include "base/base.h"
#include "ir/ir.h"

#define DEV_ABI 1
typedef uint64_t dev_ptr;
#define DEV_FIXED_UNITS                                                                            \
    16 /* what devices tell that have one order of threads, with TERN_DETERMINISTIC */
#define DEV_DEFAULT_PENDING 2048                /* launches from kernels that wait, as in CUDA */
#define DEV_DEFAULT_HEAP    (UINT64_C(8) << 20) /* bytes for malloc of kernels, as in CUDA */

/* What a device can be or do. The runtime asks for these, never for a device's name. */
enum dev_flags {
#define DEV_FLAG(bit, name, word, json) DEV_##name = 1 << (bit),
#include "rt/flags.def"
};

struct dev_info {
    char name[128]; /* "Neoverse-V1, 2 cores, NEON" */
    char driver[64];
    uint32_t flags; /* enum dev_flags */
    uint64_t memory, memory_free;
    uint32_t units; /* cores or multiprocessors */
    uint32_t warp_size;
    uint32_t max_threads_per_block, max_block[3], max_grid[3];
    uint32_t shared_per_block;
    uint32_t unit_threads, unit_blocks, unit_shared; /* what a unit holds at once; 0: one block */
    uint32_t clock_khz;
    uint32_t memory_khz, memory_bits, cache_bytes; /* the last cache; 0: not known */
    uint32_t arch; /* what __CUDA_ARCH__ kernels are built for: 800 */
    bool has_arch; /* it is the hardware's: code for later ones does not run there */
    uint32_t gpu;  /* one more than the driver's number of it; 0: a device of its own */
};

/* A word in memory: written, or waited for until it is at least the value (going round), is it, has
 * a bit of it, or has not all bits that the value leaves out. */
enum word_op { WORD_NOTHING, WORD_WRITE, WORD_GEQ, WORD_EQ, WORD_AND, WORD_NOR };

struct dev_launch {
    uint32_t grid[3], block[3];
    uint32_t shared; /* dynamic bytes */
    const void *params;
    uint32_t param_bytes;
    bool cooperative;
    uint32_t cluster[3]; /* blocks of a cluster; 0: as the kernel says, else one */
    bool overlaps;       /* may begin before the launch before it ends: its kernel waits for that */
    uint64_t timeout_ns; /* 0: none */
};

struct dev;
struct check;
struct dev_queue;
struct dev_event;
struct dev_module;
struct dev_kernel;
struct texture_desc;
struct tensor_desc;
struct dev_graph;

/* How a driver reaches the world above it. All calls may come from any thread. */
struct image_key;
struct shelf;
/* Code is made for others, and nothing runs: dev_host.making. */
struct dev_making {
    const char *cpu; /* the processors: see cpu_named in rt/dev/cpu/own.c */
    bool module;     /* what the source came to, too, which is for all of them */
    void (*keep)(void *ctx, const struct image_key *k, const char *data, size_t n);
    void *ctx;
};

struct dev_host {
    struct report_sink reports; /* all that it has to say: printf, faults, refusals, the log */
    const volatile int *cancel; /* non-zero: stop running kernels; may be NULL */
    const char *cache_dir;      /* per-user cache for compiled code; NULL: none */
    const struct shelf *shelf;  /* code that came with the program; NULL: none */
    const struct dev_making *making;
    struct check *check; /* who is told what kernels do; NULL: nobody */
    unsigned threads;    /* how many the CPU device may use; 0: as many as there are cores */
};

struct dev_driver {
    uint32_t abi;     /* DEV_ABI */
    const char *name; /* "interp" */
    unsigned level;   /* of optimisation that its code comes with: 0 is as written */
    bool expected;    /* every machine should have it: if not, users want to know why */
    bool checks;      /* its kernels can be checked (check/check.h) */
    bool steps;       /* debuggers can step through its code: -G is for it */
    bool divides;     /* one machine can be several devices, with dev_host.threads each */
    bool in_order;    /* TERN_DETERMINISTIC: what depends on the order of threads has one */

    /* How many devices there are; *why (static text) says why there are none. */
    unsigned (*count)(const char **why);
    /* optional: why there can be none but software that runs on the processor (static text), as far
     * as can be told without loading anything; NULL: there may be others */
    const char *(*absent)(void);
    enum tern_error (*open)(unsigned ordinal, const struct dev_host *host, struct dev **out);
    void (*close)(struct dev *d);
    enum tern_error (*info)(struct dev *d, struct dev_info *out);
    enum tern_error (*reset_fault)(struct dev *d); /* makes it usable again after one */

    /* memory */
    enum tern_error (*alloc)(struct dev *d, uint64_t size, uint32_t align, const char *name,
                             dev_ptr *out);
    enum tern_error (*free)(struct dev *d, dev_ptr p);
    enum tern_error (*copy_in)(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                               uint64_t n);
    enum tern_error (*copy_out)(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                                uint64_t n);
    enum tern_error (*copy)(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                            uint64_t n);
    enum tern_error (*fill)(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                            uint32_t pattern, unsigned pattern_bytes); /* 1, 2 or 4 */
    /* optional: how much malloc may have given to kernels at a time; DEV_DEFAULT_HEAP at first */
    enum tern_error (*heap_limit)(struct dev *d, uint64_t bytes);
    /* optional: how much stack a program says that each of its threads needs; others size it by
     * themselves */
    enum tern_error (*stack_limit)(struct dev *d, uint64_t bytes);
    /* optional: how many kernels that a kernel launched may wait for its end; DEV_DEFAULT_PENDING
     * at first */
    enum tern_error (*pending_limit)(struct dev *d, uint64_t launches);
    /* optional: memory at one address for the host and for kernels, where DEV_HOST_MEMORY is not
     * set; given back by `free` */
    enum tern_error (*managed_alloc)(struct dev *d, uint64_t size, dev_ptr *out);
    /* optional: host memory that copies quickly, and that kernels may use at its address */
    enum tern_error (*host_alloc)(struct dev *d, uint64_t size, void **out);
    enum tern_error (*host_free)(struct dev *d, void *p); /* optional */

    /* optional: kernels may use memory of the host at its address, until it is taken back. The
     * caller has waited for work that uses it. */
    enum tern_error (*share)(struct dev *d, void *at, uint64_t size, bool writable);
    void (*unshare)(struct dev *d, dev_ptr at);

    /* code: the module is not kept; m is in the canonical form that driver/pipeline.h promises */
    enum tern_error (*load)(struct dev *d, const struct ir_module *m, struct diag *diag,
                            struct dev_module **out);
    void (*unload)(struct dev *d, struct dev_module *m);
    enum tern_error (*kernel)(struct dev_module *m, const char *name, struct dev_kernel **out);
    /* optional: does now what the first launch would have to */
    enum tern_error (*prepare)(struct dev_kernel *k);
    /* optional, both: whether there is something of it that takes so little that it is done for a
     * program's kernels when the device is opened, for the first launch is what programs measure;
     * and that */
    bool (*prepares_early)(struct dev *d);
    enum tern_error (*prepare_early)(struct dev_kernel *k);
    /* optional: makes code for blocks of that shape; see dev_host.making */
    enum tern_error (*make)(struct dev_kernel *k, const uint32_t block[3]);
    enum tern_error (*global)(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
    enum tern_error (*launch)(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                              const struct dev_launch *l);
    /* optional: blocks per unit that fit at once */
    enum tern_error (*occupancy)(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                                 uint32_t *blocks);

    /* order */
    enum tern_error (*queue_new)(struct dev *d, struct dev_queue **out);
    void (*queue_free)(struct dev_queue *q);
    enum tern_error (*queue_wait)(struct dev_queue *q);  /* until idle; errors of its work */
    enum tern_error (*queue_query)(struct dev_queue *q); /* TERN_OK or TERN_NOT_READY */
    enum tern_error (*event_new)(struct dev *d, struct dev_event **out);
    void (*event_free)(struct dev_event *e);
    enum tern_error (*event_record)(struct dev_event *e, struct dev_queue *q);
    enum tern_error (*event_wait)(struct dev_event *e);                       /* host waits */
    enum tern_error (*queue_after)(struct dev_queue *q, struct dev_event *e); /* device waits */
    enum tern_error (*event_time)(struct dev_event *e, uint64_t *ns); /* when it was reached */
    enum tern_error (*host_call)(struct dev_queue *q, void (*fn)(void *), void *arg);
    /* optional: the same, done when it returns; TERN_NOT_READY: it was not, because there is work
     * before it */
    enum tern_error (*call_now)(struct dev_queue *q, void (*fn)(void *), void *arg);
    /* optional: what follows in the queue waits until done says true, which is asked again and
     * again; give_up: it is asked for the last time, and its answer does not matter. Other queues
     * go on. */
    enum tern_error (*queue_until)(struct dev_queue *q, bool (*done)(void *arg, bool give_up),
                                   void *arg);
    /* optional, of devices with DEV_WORDS: the queue writes a word of memory that host and device
     * both reach, or goes on when it is as op says */
    enum tern_error (*queue_word)(struct dev_queue *q, enum word_op op, dev_ptr at, uint64_t value,
                                  bool wide);

    /* textures: optional; see rt/texture.h */
    enum tern_error (*texture_new)(struct dev *d, const struct texture_desc *desc,
                                   uint64_t *handle);
    enum tern_error (*texture_free)(struct dev *d, uint64_t handle);

    /* tensor maps: optional; see rt/tensor.h. 16 words */
    enum tern_error (*tensor_map)(struct dev *d, const struct tensor_desc *t, uint64_t *map);
    enum tern_error (*tensor_move)(struct dev *d, uint64_t *map, uint64_t address);

    /* graphs: optional; what is submitted between begin and end is recorded, not run */
    enum tern_error (*capture_begin)(struct dev_queue *q);
    enum tern_error (*capture_end)(struct dev_queue *q, struct dev_graph **out);
    enum tern_error (*graph_launch)(struct dev_graph *g, struct dev_queue *q);
    void (*graph_free)(struct dev_graph *g); /* its last launch may still run */

    /* optional: kernels on d may use addresses of peer's memory (same driver) */
    enum tern_error (*peer_enable)(struct dev *d, struct dev *peer);
    /* optional: a copy from the memory of one of the driver's devices to that of another, without
     * the host; q is of either */
    enum tern_error (*copy_peer)(struct dev_queue *q, struct dev *to_device, dev_ptr to,
                                 struct dev *from_device, dev_ptr from, uint64_t n);
};

#define DRIVER(name) extern const struct dev_driver dev_##name;
#include "rt/drivers.def"
extern const struct dev_driver *const dev_drivers[]; /* NULL-terminated, the preferred one last */

#endif
