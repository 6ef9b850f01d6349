/* What the vectoriser's files share.
 *
 * uniform.c    what is the same for all threads of a block, of a gang, or grows by a constant
 * wrap.c       whether 32-bit indices wrap within a gang
 * interleave.c iteration interleaving: loops in which the threads of a block stride side by side
 * butterfly.c  loops in which pairs of threads exchange over distances that double or halve
 * segment.c    where barriers cut the body: what runs once per block, what runs for each gang
 * barrier_elim.c  barrier elimination: which of those cuts are not needed
 * joins.c      where ways meet of which one has known masks
 * unswitch.c   loop unswitching: a loop of their own for gangs that need no masks
 * vectorize.c  regions with masks; SSA form for variables
 * gang.c       the loop over gangs and what runs around it
 * ops.c        one instruction of one thread → the same for a gang
 * check.c      what a checker is told, and code that looks by itself first
 * races.c      the same for races
 * alone.c      kernels whose threads are better off one at a time
 * division.c   integer division as quotients of floats
 * lanes.c      constant lanes of vectors, and distances between them
 *
 * A gang is `pieces` groups of `lanes` threads. All lanes of a piece lie in one row of the block
 * (or, in linear mode, follow each other in warp order). A value that is the same for the whole
 * block exists once; any other exists once per piece, as a scalar if all lanes agree or differ by
 * a constant step (then it is the value of lane 0), else as a vector. */
#ifndef LOWER_VECTOR_INT_H
#define LOWER_VECTOR_INT_H

#include "lower/lower.h"

enum vclass {
    V_BLOCK,  /* the same for every thread of the block */
    V_GANG,   /* the same for every lane of a piece */
    V_AFFINE, /* lane 0's value + stride * lane */
    V_BITS,   /* lane 0's value + a constant for each bit that is set in the number of the lane */
    V_VARY,
};

enum { V_LANE_BITS = 6 }; /* gangs have at most 64 lanes */

enum { V_MAX_PIECES = 8 };

/* What is known of a region beyond the region itself. */
struct vregion {
    struct region *region;
    struct vregion *up;   /* the construct it stands in */
    struct vregion *loop; /* the innermost loop: itself, or one around it */
    uint32_t in, out;     /* interval: those of what stands in it lie within */
    bool masked;          /* LOOP, BLOCK: lanes leave it at different times */
    bool gang_exit;       /* LOOP: gangs leave it at different times */
    bool barrier;         /* a barrier inside */
    bool block_level;     /* runs once for the block: has a barrier, or a jump to what has */
    uint32_t seg;         /* COPIES: segment */
};

struct vinfo {
    uint8_t class;
    bool multi;              /* lives in more than one segment */
    bool hoisted;            /* computed once per block */
    bool again;              /* computed anew in each segment that needs it */
    bool by_gang;            /* parameter: some copy to it is made gang by gang */
    bool leaks;              /* used outside a loop that defines it */
    bool assumed;            /* AFFINE or BITS unless 32-bit indices wrap within the gang */
    uint32_t seg;            /* segment that defines it; 0: block level */
    uint32_t slot, out_slot; /* variables; NO_SLOT: none. out_slot: as seen from outside a loop that
                                lanes leave at different times, where inside all agree */
    int64_t stride;
    int64_t weight[V_LANE_BITS]; /* BITS */
};
#define NO_SLOT UINT32_MAX

struct vlow { /* the low `bits` bits of a number are `value` */
    uint8_t bits;
    uint64_t value;
};

struct vectorizer {
    struct arena *arena;
    struct ir_func *from, *to;
    struct ir_module *module;
    const struct vector_options *options;
    unsigned lanes, pieces;
    bool linear;       /* lanes follow the linear thread number, else the x of one row */
    uint32_t block[3]; /* threads of a block; 0: not known */
    struct region_tree *tree;
    struct map info_of; /* region → vregion */
    uint32_t nregions;
    struct map home;     /* block → its CODE region's vregion */
    struct vinfo *value; /* by value id of `from` */
    struct vinfo *temp;
    bool *escapes;
    struct vlow *low; /* by value id: of lane 0 */
    bool strict;      /* nothing is assumed */
    bool coarse_x;    /* one call runs blocks in a row: blockIdx.x is the gang's */
    bool joined;      /* coarse_x, and a gang has threads of several blocks */
    bool coarse_y;    /* and several rows of blocks: blockIdx.y is too */
    const char *why;  /* refused, and why */
    VEC(struct ir_inst *) added_barriers; /* by iteration interleaving */
    VEC(struct ir_block *) visited;       /* headers of loops that it has looked at */

    /* output */
    struct ir_builder b;
    bool dead;          /* nothing reaches the current point */
    struct vregion *at; /* region being written */
    struct vpage **var; /* by slot: current value; v_var, v_set */
    uint64_t state;     /* pages of another one are shared with a snapshot */
    ir_type *slot_type;
    uint32_t nslots;
    bool *of_block;                  /* by slot: the same for the block */
    bool *context;                   /* by slot: kept in memory, per gang, between segments */
    struct ir_value **memory;        /* by slot: where */
    struct ir_value *frames;         /* one for each gang, with what it keeps; see kept_at */
    uint32_t *in_frame, frame;       /* by slot: where in its gang's, from 1; bytes so far */
    VEC(struct ir_inst *) by_frames; /* products with the size of a frame, known at the end */
    struct ir_value **result;      /* by value id * pieces + piece: values that are no variables */
    struct vcache *cache;          /* by value id * pieces + piece: vector forms of scalars */
    uint32_t mask;                 /* slot of the first piece's mask: which lanes run */
    uint32_t alive;                /* slot: which have not ended; NO_SLOT where nobody asks */
    uint32_t gang_slot, some_slot; /* the number of the gang; whether any thread is alive */
    uint32_t thread_row_slot;      /* coarse_x: the row of threads in the block */
    uint32_t *brk, *cont; /* by region id: slots of lanes that wait at its end, at its head */
    struct vtarget *targets;
    struct vjoin *gang_end;
    unsigned budget; /* instructions that may still be written twice */

    /* the gang being written */
    struct ir_value *gang, *x, *y[V_MAX_PIECES], *z[V_MAX_PIECES], *linear0[V_MAX_PIECES];
    struct ir_value *thread_row, *block_x; /* coarse_x: row of threads; which of the blocks, or,
                                              joined, the number of lane 0's */
    struct ir_value *block_y;              /* coarse_y: which row of blocks */
    uint32_t ngangs;                       /* at most */
    bool several;                          /* segments */
    struct ir_value **local;               /* by value id * pieces + piece: memory of an alloca */
    uint32_t *uses;
    struct ir_value *matrices;   /* memory for the registers of an mma */
    struct ir_value **unwrapped; /* by value id * pieces + piece: of what is assumed not to wrap,
                                    whether it holds */
    struct map checks;           /* instruction → struct vchecks (races.c) */
};

enum { V_PAGE = 32 };
struct vpage {      /* of variables */
    uint64_t state; /* the one that may write to it */
    struct ir_value *at[V_PAGE];
};

struct vcache {
    struct ir_block *block;
    struct ir_value *scalar, *vector;
};

static inline bool v_uniform(const struct vectorizer *v, enum vclass c) /* as a branch condition */
{
    return c == V_BLOCK || (c == V_GANG && v->pieces == 1);
}

struct vregion *v_info(struct vectorizer *v, const struct region *r);
struct vregion *v_loop_around(const struct vregion *loop);
static inline bool v_inside(const struct vregion *r, const struct vregion *in)
{
    return r && in->in <= r->in && r->in < in->out;
}
enum vclass v_class(struct vectorizer *v, struct ir_value *x, struct vregion *at, int64_t *stride);
void v_analyse(struct vectorizer *v);
/* Threads that lie in several rows or blocks: by how much each bit of a lane's number adds to a
 * register. False: it is no such register, or has no such sum. */
bool v_register_weights(const struct vectorizer *v, enum ir_sreg which, int64_t *out);

/* wrap.c */
void v_find_low(struct vectorizer *v);
bool v_never_wraps(const struct vectorizer *v, const struct ir_value *x, int64_t stride);
void v_reach(const int64_t *weights, int64_t *above, int64_t *below);
bool v_sum_never_wraps(const struct vectorizer *v, const struct ir_value *x,
                       const int64_t *weights);
/* Of what differs by constants: only if indices of 32 bits do not wrap; an extension that may. */
bool v_is_assumed(const struct vectorizer *v, const struct ir_value *x);
bool v_may_wrap(const struct vectorizer *v, const struct ir_inst *i);
bool v_widen(struct vectorizer *v);
bool v_within(const struct vectorizer *v, const struct ir_value *x, int64_t stride, unsigned bits);
/* Of an op whose operands' lanes differ by the sums of weights `w`: the weights of its result. */
bool v_weights(const struct vectorizer *v, const struct ir_inst *i, int64_t w[][V_LANE_BITS],
               int64_t *out);
/* Is there no lane in which both have the same bit set? */
bool v_apart(const struct vectorizer *v, const struct ir_value *const *xy, const int64_t *strides);
void v_divide(struct vectorizer *v);
void v_guards(struct vectorizer *v);

/* interleave.c: changes the kernel, in a way that keeps its meaning, and adds barriers for the time
 * of vectorisation. */
void v_interleave(struct vectorizer *v);
/* A kernel that is a loop over planes runs each for all its threads, if `worth` says so. */
bool v_interchange_planes(struct vectorizer *v, bool (*worth)(struct vectorizer *));
void v_interleave_undo(struct vectorizer *v);

/* butterfly.c: changes the kernel, in a way that keeps its meaning. */
void v_find_butterflies(struct vectorizer *v, void (*analyse)(struct vectorizer *));

/* vectorize.c, for ops.c */
ir_type v_vector(const struct vectorizer *v, ir_type t);
struct ir_value *v_scalar(struct vectorizer *v, struct ir_value *x, unsigned piece);
struct ir_value *v_wide(struct vectorizer *v, struct ir_value *x, unsigned piece);
void v_define(struct vectorizer *v, struct ir_value *x, unsigned piece, struct ir_value *is);
struct ir_value *v_mask(struct vectorizer *v, unsigned piece);
bool v_is_all(const struct ir_value *mask);
bool v_is_none(const struct ir_value *mask);
struct ir_value *v_and(struct vectorizer *v, struct ir_value *a, struct ir_value *b);
struct ir_value *v_and_not(struct vectorizer *v, struct ir_value *a, struct ir_value *b);
struct ir_value *v_or(struct vectorizer *v, struct ir_value *a, struct ir_value *b);
struct ir_value *v_op2(struct vectorizer *v, enum ir_op op, struct ir_value *a, struct ir_value *b);
struct ir_value *v_num(struct vectorizer *v, ir_type t, uint64_t bits);
void v_branch(struct vectorizer *v, struct ir_value *cond, struct ir_block **no);

/* ops.c */
void v_instruction(struct vectorizer *v, struct ir_inst *i);
struct ir_value *v_lane(struct vectorizer *v, struct ir_value *x, unsigned piece, unsigned l);
struct ir_value *v_steps(struct vectorizer *v, struct ir_value *x, unsigned piece); /* as assumed */
struct ir_value *v_exact(struct vectorizer *v, struct ir_value *x, unsigned piece);
bool v_can(const struct ir_inst *i, const char **why);
struct ir_value *v_register(struct vectorizer *v, enum ir_sreg which, ir_type t, unsigned piece);

/* check.c */
void v_check(struct vectorizer *v, struct ir_inst *i);

/* vectorize.c, for gang.c */
struct vitem;
struct vedge {
    struct ir_block *from;
    struct vpage **var;
};
struct vjoin {
    VEC(struct vedge) edges;
};
struct vtarget { /* a construct that can be jumped to directly */
    struct vtarget *up;
    struct region *region;
    struct vjoin end;
    struct ir_block *header;
    const uint32_t *slots; /* LOOP: variables that its header takes */
    uint32_t nslots;
};
ir_type v_mask_type(const struct vectorizer *v);
void v_set_mask(struct vectorizer *v, struct ir_value *const *m);
void v_get_mask(struct vectorizer *v, struct ir_value **m);
bool v_every(struct ir_value *const *m, unsigned n, bool (*is)(const struct ir_value *));
struct ir_value *v_any(struct vectorizer *v, struct ir_value *const *m);
struct ir_value *v_all(struct vectorizer *v, struct ir_value *const *m);
static inline struct ir_value *v_in(struct vpage *const *var, uint32_t slot)
{
    return var[slot / V_PAGE]->at[slot % V_PAGE];
}
static inline struct ir_value *v_var(const struct vectorizer *v, uint32_t slot)
{
    return v_in(v->var, slot);
}
void v_set(struct vectorizer *v, uint32_t slot, struct ir_value *x);
struct vpage **v_snapshot(struct vectorizer *v);
void v_restore(struct vectorizer *v, struct vpage *const *from);
void v_begin(struct vectorizer *v, struct ir_block *b);
void v_jump(struct vectorizer *v, struct vjoin *to);
void v_arrive(struct vectorizer *v, struct vjoin *at);
struct ir_block *v_loop_header(struct vectorizer *v, const uint32_t *slots, uint32_t n);
void v_loop_again(struct vectorizer *v, struct ir_block *header, const uint32_t *slots, uint32_t n);
bool v_is_local(const struct ir_value *x);
void v_make_variables(struct vectorizer *v);
void v_add_slots(struct vectorizer *v, bool *set, uint32_t slot, unsigned n);
void v_list_sets(struct vectorizer *v, struct region *list, bool *set);
void v_sets(struct vectorizer *v, const struct vitem *item, bool *set);
uint32_t *v_slots_of(struct vectorizer *v, const bool *set, uint32_t *n);
bool v_drops(struct vectorizer *v, struct region *r);
unsigned v_weight(struct region *r);
void v_copies(struct vectorizer *v, const struct vitem *item);
void v_all_run(struct vectorizer *v);
bool v_likely_if(struct vectorizer *v, struct region *r, bool *took_rest);
void v_jump_out(struct vectorizer *v, struct region *r);
void v_region(struct vectorizer *v, const struct vitem *item);

/* segment.c: the body as it runs for a block. */
struct vitem { /* part of a segment */
    struct region *region;
    struct ir_inst *first, *end; /* CODE: from first up to end, exclusive */
    uint32_t copy, ncopies;      /* COPIES: which */
};
struct vnode {
    enum { NODE_SEGMENT, NODE_COPIES, NODE_REGION, NODE_JUMP } kind;
    struct vnode *next;
    struct region *region;       /* REGION, JUMP, COPIES */
    struct vnode *child, *other; /* REGION */
    uint32_t copy, ncopies;      /* COPIES of what is the same for the block */
    VEC(struct vitem) items;     /* SEGMENT */
    uint32_t seg;
    bool up, down; /* SEGMENT: gangs must come in this order; neither: in any */
};
/* columns.c: do gangs, so many, write elements side by side in which a lane is a row? */
bool v_writes_columns(struct vectorizer *v, const struct vnode *n, uint64_t gangs);
bool v_leave_early(struct vectorizer *v);       /* true: the tree is another one now */
struct vnode *v_segments(struct vectorizer *v); /* NULL: refused */
void v_eliminate_barriers(struct vectorizer *v, struct vnode *list);

#endif
