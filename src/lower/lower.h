/* The door to lower/: what back ends share between the IR and their own language.
 *
 * structurize  a function's graph → a tree of regions with the same behaviour
 * edges        block arguments → ordered copies (part of the tree)
 * layout       kernel parameters, globals, shared memory → offsets
 * expand       ops that a target lacks → ops it has; pointers, recursion, matrices likewise
 * uniform      which values are the same for all threads of a block, and which grow by a constant
 *              from lane to lane
 * vectorize    one thread → a gang of W threads, as the same IR with vectors and masks */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "pass/pass.h"

/* ---- lanes (lanes.c) ---- */
/* What a lane of a vector is, where it is known: made of lane numbers and constants. */
bool lower_lane(const struct ir_value *x, unsigned lane, uint64_t *out);
/* Votes of masks whose lanes are known become constants. */
void lower_votes(struct ir_func *f);
/* The lanes of a vector of addresses as constants from `root`; `at` is the scalar they were made
 * of, so many bytes from root. False: they are not. */
struct lane_offsets {
    struct ir_value *root, *at;
    int64_t from_root, offset[IR_MAX_LANES]; /* of at; of the lanes */
};
bool lower_lane_offsets(struct ir_value *addresses, struct lane_offsets *out);
/* Are they certainly in different objects? */
bool lower_other_object(const struct ir_value *root, const struct ir_value *other);

/* ---- the region tree ---- */
enum region_kind {
    REGION_CODE,   /* the instructions of `block`, without its terminator */
    REGION_COPIES, /* copies[], in order: dst (a block parameter, or a temporary) = src */
    REGION_IF, /* if (cond) child… else other…; either may be empty (NULL). Without cond the test
                  is: temporary `temp` equals `value` */
    REGION_SWITCH,   /* switch (cond) arms; no fall-through; exactly one arm is the default */
    REGION_BLOCK,    /* child…; a REGION_BREAK to it continues after it (forward jump) */
    REGION_LOOP,     /* for (;;) child…; its body never falls through: the last region jumps */
    REGION_BREAK,    /* go on after `target` (a BLOCK, LOOP or SWITCH) */
    REGION_CONTINUE, /* next iteration of `target` (a LOOP) */
    REGION_RETURN,   /* value in cond, or NULL */
    REGION_EXIT,     /* thread exit */
    REGION_UNREACHABLE,
};

struct region_copy {
    struct ir_value *dst, *src; /* dst == NULL: temporary `temp` is set; src == NULL: it is read */
    uint32_t temp;
};

struct region_arm {
    uint64_t *values;
    uint32_t nvalues; /* 0: default */
    struct region *child;
};

struct region {
    enum region_kind kind;
    struct region *next; /* the rest of the list this region stands in */
    struct region *child, *other;
    struct region *target;
    struct ir_block *block; /* CODE; LOOP: its header; others: where they come from */
    struct ir_value *cond;
    uint32_t temp; /* IF without cond */
    uint64_t value;
    struct region_copy *copies;
    uint32_t ncopies;
    struct region_arm *arms;
    uint32_t narms;
    uint32_t id;           /* of BLOCK, LOOP and SWITCH: dense, for labels */
    uint32_t uses, breaks; /* BLOCK, LOOP, SWITCH: how many jumps name it; how many are breaks */
    struct span span;
};

struct region_tree {
    struct arena *arena;
    struct ir_func *func;
    struct region *body; /* never falls through */
    uint32_t nregions;   /* ids below this */
    uint32_t ntemps;     /* copy temporaries; temp_types[i]; all start as 0 */
    ir_type *temp_types;
};

/* Any graph: reducible ones without adding code, irreducible ones through a dispatch variable (the
 * function is changed for that first). Code after a loop stands after it, not in it; a block that
 * several paths reach stands after the BLOCK that they break from; breaks that would only reach
 * the end of their own list are left out, and a BLOCK without breaks is dissolved, so that plain
 * if, while and switch come out as themselves. Unreachable blocks are removed, values renumbered.
 */
struct region_tree *lower_structurize(struct arena *a, struct ir_func *f);
/* For languages whose break reaches only the innermost loop or switch, and continue only the
 * innermost loop (WGSL, SPIR-V, with a BLOCK written as a switch of one arm): jumps further out set
 * a temporary, leave the innermost construct and are passed on by a test after it. */
void lower_single_level(struct region_tree *t);
/* What is wrong with a tree, or NULL. single: after lower_single_level. */
const char *lower_tree_fault(const struct region_tree *t, bool single);
void lower_print_tree(const struct region_tree *t, struct sbuf *out);
/* Which results (by value id) are used outside the list, or the lists inside it, that defines them:
 * those need a variable in a language with block scopes. Block parameters always do. */
bool *lower_escapes(struct arena *a, const struct region_tree *t);

/* Makes the graph reducible with dispatch blocks; false: it was already. */
bool lower_reducible(struct arena *a, struct ir_func *f);
/* After surgery on the graph: gives block parameters to values whose definition no longer dominates
 * all uses (0 where none reaches). Removes splits and joins whose token would need that. */
void lower_repair(struct arena *a, struct ir_func *f);
/* The same where `block` holds another definition of some values: map value → value there. */
void lower_repair_from(struct arena *a, struct ir_func *f, struct ir_block *block,
                       const struct map *others);
/* Loop unswitching: loops over gangs get a loop within for those that need no masks. */
void lower_unswitch(struct arena *a, struct ir_func *f);
/* Blocks that one way reaches with constant masks are copied for that way. */
void lower_joins(struct arena *a, struct ir_func *f);
/* Integer division in code for gangs → quotients of floats (gang/division.c), where the machine has
 * these for vectors. False: there was none. */
enum lower_division {
    DIVIDE_SHORT = 1, /* up to 32 bits, by floats that hold them */
    DIVIDE_WORDS = 2, /* 32 bits by f32: vectors of u32 are converted from and to it */
    DIVIDE_LONG = 4,  /* 64 bits by f64: vectors of u64 are */
};
bool lower_division(struct ir_func *f, unsigned ways);
/* Parallel copies dst[i] = src[i] as ordered ones; returns how many were written (at most
 * 2 * n). Cycles go through temporaries, which are added to t. */
uint32_t lower_order_copies(struct region_tree *t, struct ir_value *const *dst,
                            struct ir_value *const *src, uint32_t n, struct region_copy *out);

/* ---- expansion ---- */
/* What a target cannot do in one instruction; expand writes it with ops that every target has. */
enum expand_flags {
    EXPAND_BITS = 1,        /* prmt, dp4a, funnel shifts; popc, clz, brev of other than 32 bits */
    EXPAND_MULHI = 2,       /* upper halves of products */
    EXPAND_COPIES = 4,      /* memcpy, memset, cpasync → loads and stores */
    EXPAND_FLOAT_RMW = 8,   /* atomics on floats → cas loops */
    EXPAND_FADD32 = 64,     /* atomic addition of f32 only */
    EXPAND_FADD64 = 128,    /* atomic addition of f64 only */
    EXPAND_FADD_NEAR = 256, /* atomic addition of floats anywhere but in global memory */
    EXPAND_COUNT_RMW = 16,  /* atomic inc and dec → cas loops */
    EXPAND_FLOAT_MINMAX_RMW = 32,
    EXPAND_SHARED_WIDE_RMW = 512, /* 64-bit integers in shared memory, but for exchanges */
    EXPAND_BYTES = 1024,          /* prmt alone, of EXPAND_BITS */
};
void lower_expand(struct ir_func *f, uint32_t flags);
/* f16 and bf16 are calculated with in f32 (expand/halves.c); before vectors. Did anything change?
 */
bool lower_halves(struct ir_func *f);
/* Atomics that a target lacks. What is made under the lock at LOWER_SHARED_LOCK, a word of shared
 * memory, asks of such a target that it keeps that free and sees to it that it starts as 0; wide
 * ones in global memory call LOWER_LOCKS for the address of LOWER_LOCK_COUNT words of the device.
 */
enum lower_atomics {
    ATOMICS_NARROW = 1,
    ATOMICS_LOCAL = 2,
    ATOMICS_SHARED_WIDE = 4,
    ATOMICS_WIDE = 8,
};
#define LOWER_SHARED_LOCK 4
#define LOWER_LOCKS       "__tern_locks_at"
#define LOWER_LOCK_COUNT  1024
void lower_atomics(struct ir_func *f, uint32_t flags);
bool lower_has_shared_lock(const struct ir_func *f);
/* Textures and surfaces → calls of device/gpu/texture.h. False: there was none. */
bool lower_textures(struct ir_func *f);
/* Floating point that a target lacks → calls of functions whose names start with the prefix, from
 * device/gpu/soft.h; ftz is written out before. False: nothing of it is there. */
enum lower_soft {
    SOFT_F64 = 1,
    SOFT_ROUND = 2,
    SOFT_FMA = 4,
    SOFT_BF16_FMA = 8,
    SOFT_F16_FMA = 16,
};
#define LOWER_SOFT_PREFIX "__tern_soft64_"
bool lower_soft(struct arena *a, struct ir_func *f, uint32_t flags);
/* What inlining such calls will cost a compiler, in f and what it calls: about one for each, two
 * for an fma. A software driver's takes two seconds for LOWER_SOFT_MUCH. */
unsigned lower_soft_cost(const struct ir_func *f, uint32_t flags);
#define LOWER_SOFT_MUCH 48
/* Division → operations that need not be exact, an fma and choices; ftz is written out before. */
bool lower_quotients(struct ir_func *f, bool f64_only);
/* Flushing of subnormals (ftz) → comparisons and selects, for targets without it. */
void lower_flush(struct ir_func *f);
/* Quick functions (fsin_fast, …) → calls of the device library, which lower_quick_library's text
 * brings. */
bool lower_quick(struct ir_func *f);
const char *lower_quick_library(struct arena *a, struct ir_module *m);
bool lower_quick_inline(struct arena *a,
                        struct ir_module *m); /* when they are linked; false: none */
/* f64 → pairs of floats, in the whole module before it is optimised: gives the text of the device
 * library that it calls then, or NULL; when that is linked, the second. */
const char *lower_fast64(struct arena *a, struct ir_module *m);
void lower_fast64_linked(struct ir_module *m);
/* Inlines every call that is not recursive: for targets without functions. */
void lower_inline_calls(struct arena *a, struct ir_module *m);
/* Looks up accesses to global memory before they happen, in a table whose address and length are
 * in two words of memory (expand/bounds.c). */
void lower_bounds(struct arena *a, struct ir_module *m, uint32_t room_at, uint32_t room_count);
/* Lists of passes for pipelines of targets (passes.c). The cheaper ones again over what lowering
 * has made; code of the vectoriser where no optimising compiler comes after; counting loops that
 * run several iterations between two tests, for targets whose assembler does not do so: blocks that
 * it made have unroll 1, enough. */
extern const struct pass lower_optimise[], lower_settle[], lower_addresses[], lower_divide[],
    lower_unroll[], lower_shared[], lower_combine[];
/* Calls through pointers → a switch over the numbers of functions, which stand for addresses. */
void lower_call_pointers(struct arena *a, struct ir_module *m);
/* From 2, in the order of the module. Even, for the lowest bit of a pointer to a member tells
 * NVIDIA's compiler whether the function is virtual. */
uint32_t lower_func_number(const struct ir_func *f);
/* The same, counting only those whose address is taken: what a pointer holds on a CPU. */
uint32_t lower_taken_number(const struct ir_func *f);
/* What is asynchronous → done at once (ir/async.h). Gives the text of the device library that this
 * calls, to be linked, or NULL. Clusters get one block unless they are kept. */
const char *lower_async(struct ir_module *m, bool keep_clusters);
bool lower_has_async(const struct ir_module *m);
bool lower_has_matrix_rows(
    const struct ir_module *m); /* ldmatrix, which lower_async expands, too */
/* Copies to several blocks → loops over single ones. Before what is asynchronous is done at once.
 */
void lower_multicasts(struct ir_module *m);
/* Whether f asks for anything of its cluster. */
bool lower_has_clusters(const struct ir_func *f);
/* All kernels that do; NULL, or what stands in the way: a function that is called through pointers
 * or calls itself and asks where it runs, or a kernel that launches others. */
struct ir_inst *lower_clusters(struct arena *a, struct ir_module *m);

/* Launches from kernels → calls of LOWER_LAUNCH, of device/gpu/launch.h. False: there was none. */
#define LOWER_LAUNCH "__tern_launch"
bool lower_launches(struct ir_func *f);
/* What is left of calls after inlining → jumps with a stack in local memory; where it is full,
 * LOWER_STACK_FULL is called and the thread ends. False: there was no call. */
#define LOWER_STACK_FULL "__tern_stack_full"
enum { LOWER_STACK_BYTES = 8192 };
bool lower_recursion(struct arena *a, struct ir_func *kernel, uint32_t stack_bytes);
/* The kernel → a loop that reads its instructions from a variable of the module: for kernels that
 * would grow too large where every operation is a function and every function inlined. Barriers are
 * reached apart then, and operations of warps: it may have these only where they will be parked
 * (`warps`). False: it has calls, asks who runs with it, or is too large even so. */
bool lower_program(struct arena *a, struct ir_func *kernel, bool warps);
/* Warp matrix operations → shuffles and sums, but for those of mma.def whose bit is in `kept`.
 * False: there was none. */
bool lower_matrices(struct ir_func *f, uint32_t kept);
/* match and redux → votes; redux of whole warps stays where the target has `sums`. False: there was
 * none. */
bool lower_ballots(struct ir_func *f, bool sums);

/* ---- parking ----
 * For targets without barriers where threads diverge, and without warps: every operation that
 * waits for other threads sends the thread to one block, the park, from where it goes on once it
 * may. A thread that ends goes there for good. In the park stand
 *   %over = call.i32 @tern.park, kind, mask, low, high, lane, control
 *   condbr over: return, else: %free = call.i32 @tern.park_free; 0: park again, else go on
 * and after it @tern.park_low, @tern.park_high and @tern.park_ok give the operation's results. All
 * threads of a block pass the park the same number of times, until all are over. */
enum lower_park_kind {
    PARK_DONE,
    PARK_BARRIER,     /* mask: number of threads or 0; lane: which barrier */
    PARK_BARRIER_RED, /* the same; low: operand; imm */
    PARK_WARPSYNC,
    PARK_SHFL,       /* mask, low, high, lane, control; imm */
    PARK_VOTE,       /* low: operand; imm */
    PARK_MATCH,      /* low, high; imm */
    PARK_REDUX,      /* low; imm */
    PARK_ACTIVEMASK, /* imm: which one */
    PARK_YIELD, /* lets others run: before a volatile load in a loop, which may wait for them */
    PARK_JOIN,  /* mask: who split; low: how deep; those at an outer join are not waited for */
};
/* So often threads may look again (PARK_YIELD) with nothing else done before joins are let go of.
 */
#define PARK_PATIENCE        1024
#define PARK_KIND(kind, imm) ((uint32_t)(kind) | (uint32_t)(imm) << 8)
#define PARK_ARGS            6
/* The first operation of f that waits for other threads, or may (calls are not looked into). */
struct ir_inst *lower_first_wait(struct ir_func *f);
/* Do all threads of a block come to its barriers together, and can a shader compiler see that? Or
 * those of a warp to its operations, apart from what has `left`? Trees with single-level jumps. */
bool lower_block_converges(struct arena *a, const struct region_tree *t, bool proven);
bool lower_warps_converge(struct arena *a, const struct region_tree *t, const uint32_t block[3],
                          bool *left);
bool lower_polls(struct ir_func *f); /* does it wait, or may it, by looking at memory? */
/* Returns the park. Barriers that only arrive, grid barriers and mma are left as they are. With
 * from_start threads pass the park first of all, and it dominates everything but the entry. */
struct ir_block *lower_park(struct arena *a, struct ir_func *f, bool from_start);
/* The same for targets that run threads one after the other: a thread that waits saves what it
 * needs in its frame (of the size given back), which @tern.frame points at, and returns; called
 * again it goes on, once its results have been put into the frame. The first word of the frame is 0
 * before the first call; LOWER_FRAME_* say what stands in it after each. */
uint32_t lower_suspend(struct arena *a, struct ir_func *f);
enum lower_frame {
    LOWER_FRAME_STATE = 0, /* 0 after the thread's first call: it is done */
    LOWER_FRAME_KIND = 4,  /* what the park is called with */
    LOWER_FRAME_MASK = 8,
    LOWER_FRAME_ARG_LOW = 12,
    LOWER_FRAME_ARG_HIGH = 16,
    LOWER_FRAME_LANE = 20,
    LOWER_FRAME_CONTROL = 24,
    LOWER_FRAME_LOW = 28, /* results */
    LOWER_FRAME_HIGH = 32,
    LOWER_FRAME_OK = 36,
    LOWER_FRAME_FREE = 40,   /* the launcher's: it may go on */
    LOWER_FRAME_RAN = 44,    /* the launcher's: it has been called */
    LOWER_FRAME_HEADER = 48, /* values start here */
};
/* Makes the rest of a loop's body, after its first region, a BLOCK of its own that jumps back only
 * from its end: for languages that ask for barriers in uniform control flow. */
void lower_straighten(struct region_tree *t, struct region *loop, uint32_t keep);

/* ---- calls that back ends answer (calls.def) ---- */
enum lower_call {
    LOWER_CALL_NONE,
#define LOWER_CALL(name, text) LOWER_CALL_##name,
#include "lower/calls.def"
    LOWER_CALL_COUNT
};
extern const char *const lower_call_names[LOWER_CALL_COUNT];
enum lower_call lower_call_of(const struct ir_func *f); /* f may be NULL */
static inline bool lower_is_park(enum lower_call c)     /* the park, or one of its results */
{
    return c >= LOWER_CALL_PARK && c <= LOWER_CALL_PARK_OK;
}

/* ---- vectorisation ---- */
struct vector_options {
    unsigned lanes;  /* threads of a piece: a power of two, at most IR_MAX_LANES */
    unsigned pieces; /* vectors of lanes, each in a row of its own, that a gang is made of; 1 unless
                        rows are known */
    bool warps;      /* lanes are warps of 32 in linear thread order */
    uint32_t block[3];        /* threads of a block; 0: not known */
    bool coarsen;             /* one call may run several blocks: see lower_vectorize */
    bool coarsen_single_rows; /* also where blocks have one row */
    /* Not 0: blocks are shorter than `lanes`, a power of two, and may be joined: a gang has threads
     * of blocks that follow each other in x. Where that is not worth it, these are the lanes and
     * pieces of a gang of one block, and whether they are as in `warps`. */
    unsigned lanes_alone, pieces_alone;
    bool warps_alone;
    unsigned
        interleave; /* iterations of a loop that a gang runs before the next gang: interleave.c */
    bool unroll_gangs;     /* the loop over gangs is unrolled, where their number is known */
    bool columns;          /* so are segments in which gangs write columns side by side */
    struct passes *passes; /* that it is one of: its own steps are passes too; NULL: of none */
};
/* Which kind of gang a kernel asks for. */
struct vector_needs {
    bool in_step;      /* relies on the steps of a warp: by volatile shared memory, or no barrier */
    bool warps;        /* in_step, or uses warp operations or lane numbers */
    bool spins;        /* waits for other threads in loops */
    bool looks_up;     /* in loops, elements by numbers that it has read */
    bool checked;      /* tells a checker what it does */
    unsigned lookups;  /* such loads outside loops */
    unsigned pressure; /* values that live at once, about, in the innermost loops */
    const char *why;   /* cannot be vectorised at all, and why; else NULL */
};
struct vector_needs lower_vector_needs(struct arena *a, struct ir_func *kernel);
/* Threads of the kernel are faster one at a time on a processor whose vectors divide integers in
 * these ways (enum lower_division): alone.c says which. */
bool lower_better_alone(struct arena *a, struct ir_func *kernel, unsigned ways);
/* Are threads of several blocks all the same to the kernel: does it know its blocks by number only?
 */
bool lower_may_join(const struct ir_func *kernel);
/* The gang for a machine with `native` 32-bit lanes in a register, of which loops may fill
 * `registers`; `gang` lanes where that is not 0. */
struct vector_options lower_vector_shape(const struct vector_needs *needs, unsigned native,
                                         unsigned registers, unsigned gang,
                                         const uint32_t block[3]);
/* A new function, `kernel.block`, with the kernel's parameters, one call of which runs all threads
 * of a block. NULL: it cannot be done that way, and *why says why. The kernel itself is changed
 * only in ways that keep its meaning. With a parameter more than the kernel has, it runs so many
 * blocks, which follow each other in x: row by row, as images lie in memory. With two more, it runs
 * as many rows of so many blocks as the second says. */
struct ir_func *lower_vectorize(struct arena *a, struct ir_func *kernel,
                                const struct vector_options *o, const char **why);

/* ---- liveness (tree/live.c) ---- */
/* What is alive at the start of each block: by block id * (nvalues + 1) + value id, as renumbered.
 * NULL: the table would be too large. From it, what is at the end of one; and a step from there:
 * was the value's state another? */
bool *lower_live_in(struct arena *a, struct ir_func *f);
void lower_live_out(const bool *in, const struct ir_block *b, bool *live);
bool lower_live_set(bool *live, const struct ir_value *v, bool now);

/* ---- layout ---- */
/* Gives each shared global an offset; returns the static bytes; dynamic shared memory starts there,
 * aligned to 16. Offsets are by global, in `global->data` order of the module. */
uint32_t lower_shared_layout(struct ir_module *m, struct map *offset_by_global);
/* The same for what one function uses, without what it calls. */
uint32_t lower_kernel_shared_layout(struct arena *a, struct ir_func *f,
                                    struct map *offset_by_global);
/* The same for globals and constants in one block of memory, each aligned to at least 16. */
uint64_t lower_global_layout(struct ir_module *m, struct map *offset_by_global);

/* A C-identifier-safe unique name for anything printed: keeps the user's name where it can. */
struct name_table;
struct name_table *lower_names(struct arena *a, struct interner *in, const char *const *reserved);
/* Names of an inner scope, such as a function's: none that the outer one has. */
struct name_table *lower_names_within(const struct name_table *outer);
const char *lower_name(struct name_table *t, const char *wish);

#endif
