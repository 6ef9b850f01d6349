/* The interpreter: runs IR as it stands, a warp of 32 threads at a time, and defines what it means.
 *
 * A machine owns memory and modules. Addresses of global memory are host addresses inside a
 * reserved window and are not used again while the window lasts, so that an access after free is
 * recognised. Every access is checked; what goes wrong is reported (base/report.h). A launch runs
 * to its end before it returns, on the calling thread; launches on one machine exclude each other.
 * The order in which threads run is the same in every run of the same program. */
#ifndef IR_INTERP_H
#define IR_INTERP_H

#include "base/counters.h"
#include "base/report.h"
#include "ir/ir.h"

struct interp;
struct interp_module;
struct interp_func;

/* One texture or surface access of one thread; coordinates are bits of f32 or i32 as in ir/tex.h.
 */
struct interp_tex {
    enum ir_op op; /* tex, surfload, surfstore or txq */
    ir_type type;  /* of the components */
    uint64_t imm, handle;
    uint64_t args[16]; /* what follows the handle */
    uint32_t nargs;
    uint64_t results[4];
};

/* What the op `check` says, of one thread or of several in a row: ir/check.h. */
struct interp_check {
    uint64_t what;
    source_loc site;
    uint32_t block[3];
    uint32_t thread, mask;    /* of lane 0, in the block; lanes */
    uint64_t operands[32][4]; /* by lane; addresses of shared memory start at 0 */
    uint64_t launch;          /* counts them, those by kernels too */
    const struct interp_module *module;
    const char *kernel;
    uint32_t grid[3], threads[3], dynamic_shared, shared_bytes;
    bool shared[32]; /* the first operand is such an address */
    bool local[32];  /* or one of local memory */
};

struct interp_host {
    void *ctx;
    struct report_sink reports; /* printf, faults, the log */
    const volatile int *cancel; /* non-zero stops a launch; may be NULL */
    /* NULL: no textures. Gives NULL, or why the access is wrong. */
    const char *(*tex)(void *ctx, struct interp_tex *access);
    void (*check)(void *ctx, const struct interp_check *c); /* NULL: nobody is told */
};

enum interp_memory { INTERP_GLOBAL, INTERP_CONST, INTERP_PARAM, INTERP_HEAP, INTERP_MANAGED };

struct interp_launch {
    uint32_t grid[3], block[3];
    uint32_t shared; /* dynamic bytes */
    const void *params;
    uint32_t param_bytes;
    bool cooperative;
    uint64_t timeout_ns; /* 0: none */
};

/* How many kernels that a kernel launched may wait for its end; IR_LAUNCH_PENDING at first. */
void interp_pending(struct interp *m, uint32_t most);
/* Kernels loaded from now on that depend on the order of their threads (ir_order_matters) run them
 * one after the other, each to its end or to where it waits for others. */
void interp_in_order(struct interp *m, bool on);
/* From now on instructions are counted; what was since the last call goes to fn, several times for
 * a line (path NULL: not known), and starts again at 0. Not while a launch runs. */
void interp_counting(struct interp *m, bool on);
void interp_each_count(struct interp *m,
                       void (*fn)(void *ctx, const char *path, uint32_t line,
                                  const struct counts *c),
                       void *ctx);

struct interp_stats {
    uint64_t lane_ops; /* operations executed times active lanes */
};

#define INTERP_MAX_THREADS 1024u
#define INTERP_MAX_SHARED  (228u << 10)
#define INTERP_STACK_BYTES (256u << 10) /* per thread */
#define INTERP_HEAP_BYTES  (8u << 20)   /* as in CUDA; interp_heap_limit sets another */

enum tern_error interp_create(const struct interp_host *host, struct interp **out);
void interp_heap_limit(struct interp *m, uint64_t bytes);
void interp_destroy(struct interp *m); /* reports heap memory never freed to the log */

enum tern_error interp_alloc(struct interp *m, uint64_t size, uint32_t align,
                             enum interp_memory kind, const char *name, uint64_t *out);
enum tern_error interp_free(struct interp *m, uint64_t address);
/* Memory of the host's is the kernels' too, at its address, until it is taken back. */
enum tern_error interp_lend(struct interp *m, void *at, uint64_t size, bool writable);
void interp_take_back(struct interp *m, uint64_t address);
/* The n bytes at address, if they lie in one live allocation; else NULL. */
void *interp_at(struct interp *m, uint64_t address, uint64_t n);
uint64_t interp_memory_used(struct interp *m);

/* The module is not kept. TERN_COMPILE: diag says what it lacks. */
enum tern_error interp_load(struct interp *m, const struct ir_module *ir, struct diag *diag,
                            struct interp_module **out);
void interp_unload(struct interp *m, struct interp_module *mod);
struct interp_func *interp_kernel(struct interp_module *mod, const char *name); /* NULL: none */
const char *interp_func_name(const struct interp_func *f); /* as a user writes it */
bool interp_global(struct interp_module *mod, const char *name, uint64_t *address, uint64_t *size);
enum tern_error interp_launch(struct interp *m, struct interp_func *kernel,
                              const struct interp_launch *l);
/* Of the last launch; NULL: none. It lasts until the next one. */
const struct report *interp_fault(const struct interp *m);
void interp_reset_fault(struct interp *m);
struct interp_stats interp_stats(const struct interp *m);

#endif
