/* Inside the interpreter: what its files share.
 *
 * interp_decode.c  IR → flat arrays of decoded operations
 * interp_lanes.c   elementwise operations, 32 lanes at a time, from ops.def
 * interp_exec.c    control flow, calls, convergence regions, special registers
 * interp_warp.c    barriers, shuffles, votes: what threads do together
 * interp_memory.c  the allocation table, loads, stores, atomics
 * interp_vector.c  vector values, as the vectoriser makes them
 * interp_matrix.c  mma
 * interp_text.c    printf and fault reports
 * count.c          what instructions did, when somebody wants to know
 * interp.c         machine, modules, launches, the scheduler
 *
 * A value lives in a register of its frame: an array of 32 lanes of its storage type (a vector
 * value has all its elements for lane 0 first, then those of lane 1, …). Constants are registers
 * filled when the frame is made. A frame belongs to the threads that made a call together; threads
 * that diverge are groups, each with its own program counter. A group writes only its own lanes;
 * when it is all that is left of its frame it may write the whole register. */
#ifndef IR_INTERP_INT_H
#define IR_INTERP_INT_H

#include <pthread.h>
#include "interp/interp.h"
#include "ir/meaning.h"

#define LANES     32
#define ALL_LANES UINT32_MAX

/* Where pointers of other spaces lie when they are generic; and the first address within a space,
 * so that no variable is at null. Shared pointers fit into 32 bits. */
#define WINDOW_SHIFT  56
#define WINDOW_SHARED UINT64_C(1)
#define WINDOW_LOCAL  UINT64_C(2)
#define WINDOW_FUNC   UINT64_C(3)
#define SPACE_BASE    UINT64_C(65536)

struct op;
struct run;

/* An elementwise operation on 32 elements. d overlaps no operand. */
typedef void kernel_fn(void *restrict d, const void *a, const void *b, const void *c,
                       const struct op *o);
/* Anything else; gives the operation to go on with, NULL to leave the group (run->group says why).
 */
typedef const struct op *handler_fn(struct run *r, const struct op *o);

struct op {
    kernel_fn *kernel; /* NULL: call handler */
    handler_fn *handler;
    uint32_t dst, a, b, c; /* registers, as offsets in the frame */
    uint32_t size;         /* bytes of one lane of dst (or of what is stored) */
    uint32_t elements;     /* 1, or lanes of a vector */
    uint64_t imm;
    union {
        const struct op *target; /* br; condbr: taken */
        struct alloc *cache;     /* memory: the allocation used last */
        struct interp_func *callee;
        const struct op *split; /* join */
        kernel_fn *elementwise; /* vectors */
    } u;
    const struct detail *x; /* the rest, where an op needs it */
    uint16_t ir_op;
    ir_type type;
    uint32_t cost; /* br, condbr, …: operations since the block began */
};

struct copy {
    uint32_t from, to, size; /* registers; bytes of one lane */
};

struct detail {
    ir_type source;
    uint32_t flags, align;
    uint64_t bytes; /* alloca */
    uint32_t nargs, nresults;
    const uint32_t *args, *results; /* registers */
    const ir_type *arg_types, *result_types;
    const struct op *other;    /* condbr: not taken */
    const struct op **targets; /* switch: targets[0] is the default */
    const uint64_t *cases;     /* switch: cases[i] goes to targets[i + 1] */
    uint32_t ncases;
    const struct copy *copies; /* call */
    uint32_t ncopies;
    bool spins; /* split: a parked group had to be let go here once */
};

struct line {
    struct span span;
    const char *path; /* NULL: unknown */
    uint32_t line, column;
};

struct local_var {
    const char *name;
    uint32_t offset;
    uint64_t size;
};

struct interp_func {
    struct interp_func *next;
    struct interp_module *module;
    const char *name, *mangled, *display;
    uint32_t flags;
    ir_type ret;
    uint32_t nparams;
    const struct ir_param *params;
    const uint32_t *param_regs;
    uint32_t param_bytes, max_threads;
    uint32_t static_shared; /* a kernel's, without red zones */
    uint32_t required_block[3];
    struct op *ops;
    uint32_t nops;
    struct line *lines;    /* one for each op */
    struct counts *counts; /* one for each op; NULL: nothing was counted */
    uint32_t frame_bytes;
    const uint8_t *constants; /* the registers of constants, at constants_at in the frame */
    uint32_t constants_at, constant_bytes;
    struct local_var *locals;
    uint32_t nlocals, local_bytes, local_align;
    struct frame *spare; /* frames of this function to use again in this launch */
    uint64_t address;
    bool declared_only;
    bool in_order; /* a kernel whose threads run one after the other */
    struct span span;
};

struct shared_var {
    const char *name;
    uint32_t offset, size;
    bool dynamic;
};

struct interp_global {
    const char *name, *mangled, *display;
    uint64_t address, size;
    enum ir_space space;
};

struct interp_module {
    struct interp_module *next;
    struct mem mem;
    struct arena arena, scratch; /* scratch: while one function is decoded */
    jmp_buf unwind;
    struct interp *machine;
    struct interp_func *first;
    struct map func_by_ir, global_by_ir; /* while decoding */
    struct interp_global *globals;
    uint32_t nglobals;
    struct shared_var *shared;
    uint32_t nshared, static_shared; /* bytes of all kernels' variables, red zones included */
};

/* One allocation. base and size are what checks look at: size is 0 once it is freed. */
struct alloc {
    uint64_t base, size;
    char *host;
    enum interp_memory kind;
    bool live, writable;
    bool lent; /* the host's: not in the window */
    uint64_t was_size;
    char *name;
    struct alloc *next_spare;
};

struct frame {
    struct frame *parent, *next_spare;
    struct interp_func *func;
    const struct op *return_to;
    struct region *caller_region;
    uint32_t live; /* lanes in this frame or in one it called */
    uint32_t local_base, depth;
    char *regs;
};

/* A convergence region that some lanes have entered and not yet left. */
struct region {
    struct region *parent; /* in the same frame; NULL: outermost */
    const struct op *split;
    struct frame *frame;
    uint32_t members, waiting;
    struct region *next_spare;
};

enum group_state { GROUP_NONE, GROUP_READY, GROUP_JOIN, GROUP_WARP, GROUP_BARRIER, GROUP_GRID };

struct group {
    enum group_state state;
    uint32_t mask;
    const struct op *pc;
    struct frame *frame;
    struct region *region;
    struct region *joining; /* GROUP_JOIN */
    uint32_t wait_mask;     /* GROUP_WARP: lanes it waits for */
    uint32_t barrier;       /* GROUP_BARRIER */
};

struct warp {
    struct block *block;
    uint32_t index;
    uint32_t live; /* lanes that exist and have not exited */
    unsigned turn; /* where the search for a ready group starts */
    int64_t busy;  /* operations since the warp last got anywhere */
    int64_t quiet; /* those since memory last changed, besides */
    bool met;      /* in which groups of it met: a loop that spins may have that in every round */
    struct group groups[LANES];
    uint32_t tid[3][LANES];
    char *local; /* INTERP_STACK_BYTES for each lane; NULL until used */
};

#define NBARRIERS 16
struct barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* 0: all live threads */
    bool in_use;
    uint32_t count_true, count_all; /* reduction: predicates that were 1; how many voted */
    uint32_t *lanes;                /* by warp: lanes that arrived */
};

struct block {
    struct block *next;
    uint32_t id[3];
    uint64_t number;
    uint32_t nwarps, nlive; /* nlive: threads */
    struct warp *warps;
    struct barrier barriers[NBARRIERS];
    char *shared;
};

struct child_launch {
    struct child_launch *next;
    struct interp_func *kernel;
    struct interp_launch launch;
    unsigned depth;
    bool tail; /* after all others of the same grid */
};

/* The state of the one launch that runs. */
struct run {
    /* what handlers use most */
    char *regs;
    uint32_t mask;
    bool full;          /* the group is all of its frame: registers may be written whole */
    bool changed;       /* memory changed since this was cleared */
    bool round_changed; /* the same, in a round of all warps */
    int64_t budget;
    struct group *group;
    struct warp *warp;
    struct block *block;
    struct interp *machine;
    struct interp_func *kernel;
    const struct interp_launch *launch;
    struct frame *frame;
    struct region *spare_regions;
    uint64_t scratch[LANES * IR_MAX_LANES];

    struct mem mem;
    struct arena arena;
    jmp_buf unwind, fault;
    struct block *blocks, **last_block; /* resident */
    uint64_t next_block, nblocks, nresident;
    uint32_t block_threads, block_warps;
    uint32_t shared_bytes; /* of a block, red zones included */
    uint64_t deadline;     /* ns; 0 none */
    struct block *spare_blocks;
    struct alloc *param_alloc;
    uint64_t clock;
    uint64_t lane_ops;
    uint64_t events; /* counts everything that is progress */
    uint64_t leaps;  /* those that no loop repeats for ever: exits, barriers of a block */
    unsigned depth;
    struct child_launch *children, **last_child;
    unsigned npending;
};

struct interp {
    struct interp_host host;
    pthread_mutex_t lock;     /* the allocation table */
    pthread_mutex_t run_lock; /* launches, modules */
    struct run *run;          /* of launches, one at a time; made by the first of them */
    char *window;             /* reserved addresses */
    uint64_t window_size, cursor, used, heap_used, heap_limit;
    struct alloc **allocs; /* by base */
    size_t nallocs, cap_allocs;
    size_t nfreed;
    uint64_t stale;                /* bytes freed since their pages were given back */
    struct alloc *spare_allocs[2]; /* by `writable`, which never changes: ops keep what they used */
    struct interp_module *modules;
    struct interp_func **func_by_index;
    size_t nfuncs, cap_funcs;
    struct report *fault; /* the last one; NULL: none, or no memory for it */
    enum tern_error error;
    struct sbuf text[4]; /* three of what kernels point at, one of messages */
    struct interp_stats stats;
    bool counting, in_order;
    uint32_t pending; /* 0: IR_LAUNCH_PENDING */
    uint64_t launches;
    struct local_pool {
        struct local_pool *next;
        char *memory;
    } * locals;
    struct alloc nothing; /* what caches start with */
};

/* ---- helpers ---- */
#define EACH_LANE(i, m)                                                                            \
    for (uint32_t m##_left_ = (m), i; m##_left_ && (i = (uint32_t)__builtin_ctz(m##_left_), 1);    \
         m##_left_ &= m##_left_ - 1)
#define REG(r, T, offset) ((T *)(void *)((r)->regs + (offset)))

static inline uint64_t lane_bits(const char *reg, uint32_t size, uint32_t lane)
{
    switch (size) {
    case 1: return ((const uint8_t *)reg)[lane];
    case 2: return ((const uint16_t *)(const void *)reg)[lane];
    case 4: return ((const uint32_t *)(const void *)reg)[lane];
    default: return ((const uint64_t *)(const void *)reg)[lane];
    }
}
static inline void set_lane(char *reg, uint32_t size, uint32_t lane, uint64_t bits)
{
    switch (size) {
    case 1: ((uint8_t *)reg)[lane] = (uint8_t)bits; break;
    case 2: ((uint16_t *)(void *)reg)[lane] = (uint16_t)bits; break;
    case 4: ((uint32_t *)(void *)reg)[lane] = (uint32_t)bits; break;
    default: ((uint64_t *)(void *)reg)[lane] = bits; break;
    }
}
/* Lanes whose byte is 1, of an i1 register. */
static inline uint32_t true_lanes(const void *reg)
{
    uint64_t part[4];
    memcpy(part, reg, sizeof part);
    uint32_t out = 0;
    for (unsigned i = 0; i < 4; i++)
        out |= (uint32_t)((part[i] & 0x0101010101010101u) * 0x0102040810204080u >> 56) << 8 * i;
    return out;
}
static inline uint32_t storage_bytes(ir_type t) /* of one element */
{
    return ir_bytes(ir_scalar(t));
}

/* interp_lanes.c */
kernel_fn *interp_lane_kernel(enum ir_op op, ir_type type, ir_type source, uint32_t flags);
kernel_fn *interp_move_kernel(uint32_t size);
void interp_blend(void *d, const void *s, uint32_t mask, uint32_t size);
/* interp_decode.c: NULL, or a diagnostic was added. Unwinds when memory runs out. */
bool interp_decode(struct interp_module *mod, const struct ir_module *ir, struct diag *diag);
bool interp_number_funcs(struct interp_module *mod); /* interp.c: gives each an address */
/* interp_exec.c, interp_warp.c, interp_memory.c, interp_vector.c, interp_matrix.c: the handler of
 * an op that is no lane kernel; NULL: not theirs. */
handler_fn *interp_exec_handler(const struct ir_inst *i);
handler_fn *interp_warp_handler(const struct ir_inst *i);
handler_fn *interp_memory_handler(const struct ir_inst *i);
handler_fn *interp_vector_handler(const struct ir_inst *i);
handler_fn interp_vector_elementwise, interp_vector_move, interp_branch, interp_printf,
    interp_assertfail;
/* interp_matrix.c: one mma by all lanes, each with its own instruction and registers */
void interp_matrix(const struct op *const op[LANES], char *const regs[LANES]);

/* interp_exec.c */
void interp_set_group(struct run *r, struct group *g);              /* makes g the one that runs */
void interp_resume(struct run *r, struct warp *w, struct group *g); /* ready; merged if it can be */
struct group *interp_split_group(struct run *r, uint32_t lanes); /* they leave the running group */
bool interp_release_joins(struct run *r, struct warp *w); /* lets parked groups go; false: none */
struct frame *interp_push_frame(struct run *r, struct interp_func *f, struct frame *parent,
                                uint32_t lanes);
/* interp_warp.c: lanes have exited or a group arrived: may others go on? */
void interp_recheck_warp(struct run *r, struct warp *w);
void interp_recheck_barriers(struct run *r, struct block *b);
bool interp_release_grid(struct run *r); /* true: all threads had come to the grid barrier */

/* interp_memory.c */
enum tern_error interp_memory_init(struct interp *m);
void interp_memory_destroy(struct interp *m);
struct alloc *interp_find(struct interp *m, uint64_t address); /* at or just below; may be freed */
struct alloc *interp_new_alloc(struct interp *m, uint64_t size, uint32_t align,
                               enum interp_memory kind, const char *name);
enum tern_error interp_free_alloc(struct interp *m, uint64_t address, enum interp_memory kind);
/* Host memory of n bytes at an address of a space as a lane sees it; faults if it may not. */
char *interp_resolve(struct run *r, const struct op *o, enum ir_space space, uint64_t address,
                     uint64_t n, bool write, uint32_t lane);
void interp_unmap_local(char *memory);

/* count.c: what the running group is about to do */
void interp_count(struct run *r, const struct op *o);

/* interp_text.c */
/* Keeps a report as the last one, and sends it on. */
void interp_report(struct interp *m, const struct report *f);
_Noreturn void interp_fail(struct run *r, enum tern_error e, const struct op *o, uint32_t lane,
                           uint64_t address, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
_Noreturn void interp_fail_access(struct run *r, const struct op *o, enum ir_space space,
                                  uint64_t address, uint64_t n, bool write, uint32_t lane);
_Noreturn void interp_fail_deadlock(struct run *r, struct block *b);
const struct line *interp_line(const struct interp_func *f, const struct op *o);

#endif
