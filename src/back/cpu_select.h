/* Selection for processors: from the IR, after threads have become lanes, to machine code.
 *
 * cpu_select.c  functions, blocks, values, control flow; what goes through the launch ABI
 * cpu_ops.c     scalars, cpu_vector.c vectors: what machines do alike (cpu_ops.h)
 * cpu_call.c    functions and calls (cpu_call.h)
 * cpu_lanes.c   vectors where a machine has no instruction: lane by lane
 * cpu_gather.c  gathers and scatters of lanes at constant distances
 * cpu_plan.c    which kernel runs how
 * cpu_image.c   a module → an image: kernels, functions, their table
 * cpu_plain.c   a module of ordinary functions → an image
 *
 * What differs between machines is a table of functions, struct cpu_machine. The walk over a
 * function first counts who needs what (an address folded into a load, a comparison into a branch
 * need no register), then emits what is needed, block by block in reverse post order. A value is
 * one register; a vector as many as it has chunks of the machine's width. What the machine's own
 * `select` does not take is done here: memory lane by lane, arithmetic lane by lane, and what has
 * no instruction for a lane either by calling the host (cpu_abi.h: eval), which computes it as the
 * interpreter does. */
#ifndef BACK_CPU_SELECT_H
#define BACK_CPU_SELECT_H

#include "back/back.h"
#include "back/cpu.h"
#include "back/cpu_abi.h"
#include "back/cpu_near.h"
#include "mach/mach.h"

struct cpu_machine;
enum { CPU_MOST_HELD = 64 };
struct cpu_chunk_held { /* of shared memory */
    struct ir_value *base;
    int64_t offset;
    mach_reg reg;
    bool owed; /* memory does not have it yet */
};
enum { CPU_MOST_ASKED = 64 };
struct cpu_line { /* of memory, 64 bytes, that is asked for ahead of its use */
    mach_reg base;
    int64_t number;
};
struct cpu_sel {
    struct arena *arena;
    const struct cpu_machine *t;
    struct mach_image *image;
    struct ir_module *module;
    struct map shared_offset, global_offset; /* ir_global → offset */
    struct map symbols;                      /* ir_func → number of its symbol + 1 */
    uint32_t stub;                           /* symbol of what calls to the host go through */
    uint32_t table;                          /* symbol of the table of functions; UINT32_MAX */
    uint32_t functions;                      /* entries of that table */
    bool track;                              /* note where in the source accesses are */
    bool dots;                     /* the processor has products of bytes (VNNI, DotProd) */
    bool stepped;                  /* -G: a debugger is to find all of it */
    unsigned places;               /* where threads ask which others run with them */
    const uint32_t *dims;          /* threads of a block; 0: any */
    const struct cpu_plain *plain; /* functions that C calls; NULL: kernels */

    /* the function */
    struct mach_func *f;
    struct ir_func *func;
    size_t kernel_params; /* of an entry's parameters, those of the launch */
    bool entry;           /* called by the launcher: parameters come from the launch */
    bool fiber;           /* its threads are coroutines */
    bool ahead;           /* asks for what the next gangs will read: cpu_plan.h */
    mach_reg **regs;
    uint32_t *need, *blocks, *depth;
    uint32_t *singly;  /* by value: how often its lanes are wanted one by one */
    mach_reg **single; /* and these lanes, where no vector of them is made */
    struct map constants;
    struct map at_entry; /* ir_global → its address, in a register from the entry on */
    mach_reg b, launch, globals, shared;
    uint32_t room; /* slot for lanes on their way through memory */
    uint32_t room_bytes;
    struct map columns; /* scatter → with which others it is written: cpu_columns.c */
    struct cpu_line asked[CPU_MOST_ASKED]; /* the last ones */
    uint32_t nasked;
    bool holds; /* shared memory is held in registers: cpu_held.c */
    uint32_t nheld;
    struct cpu_chunk_held held[CPU_MOST_HELD];
    const char *why; /* not NULL: cannot be done, and why */
    const struct ir_inst *inst;
};

/* base + index * 2^shift + offset; the index is 32 bits wide unless `wide`. */
struct cpu_address {
    struct ir_value *base;
    int64_t offset;
};

struct cpu_machine {
    const char *name;
    const struct mach_target *machine;
    unsigned vector_bytes;
    unsigned divide; /* enum lower_division */
    unsigned held;   /* vectors that a block's shared memory may take in registers; 0: none */
    int32_t least_offset, most_offset; /* that an access adds to its address by itself */
    uint8_t gpr, vec;                  /* classes of integers and pointers; of floats and vectors */
    /* Scalars. Constants are made by mach_remat. Loads extend with zeros. */
    mach_reg (*constant)(struct cpu_sel *s, ir_type t, uint64_t bits);
    mach_reg (*load)(struct cpu_sel *s, ir_type t, mach_reg base, int64_t offset);
    void (*load_to)(struct cpu_sel *s, ir_type t, mach_reg to, mach_reg base, int64_t offset);
    /* Of one chunk, too. */
    void (*store)(struct cpu_sel *s, ir_type t, mach_reg v, mach_reg base, int64_t offset);
    mach_reg (*to_bits)(struct cpu_sel *s, ir_type t, mach_reg v); /* a float's, in a gpr */
    mach_reg (*from_bits)(struct cpu_sel *s, ir_type t, mach_reg v);
    const struct cpu_scalars *scalars; /* cpu_ops.h */
    const struct cpu_vectors *vectors;
    const struct cpu_masks *masks; /* NULL: a mask is a vector with lanes of 32 bits, 0 or -1 */
    mach_reg (*add)(struct cpu_sel *s, mach_reg base, int64_t offset); /* 64 bits */
    mach_reg (*choose)(struct cpu_sel *s, ir_type t, mach_reg cond, mach_reg yes, mach_reg no);
    /* Atomic, sequentially consistent; swap gives MACH_NONE where there is no instruction. */
    mach_reg (*swap)(struct cpu_sel *s, enum ir_rmw kind, ir_type t, mach_reg p, mach_reg v);
    mach_reg (*cas)(struct cpu_sel *s, ir_type t, mach_reg p, mach_reg old, mach_reg new);
    /* Vectors: a lane of a chunk. */
    mach_reg (*splat)(struct cpu_sel *s, ir_type lane, uint64_t bits); /* of constants */
    mach_reg (*literal)(struct cpu_sel *s, const uint8_t *bytes);      /* vector_bytes of them */
    mach_reg (*extract)(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k);
    mach_reg (*insert)(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k, mach_reg v);
    /* A chunk with lanes that are all to be inserted; any value. */
    mach_reg (*blank)(struct cpu_sel *s);
    /* Lanes, of 8 << lane bits, of `yes` where the mask is set, else of `no` (MACH_NONE: 0). */
    mach_reg (*pick)(struct cpu_sel *s, unsigned lane, mach_reg mask, mach_reg yes, mach_reg no);
    /* Lanes of so many bytes, at least these: index[] counts in both chunks. */
    unsigned least_shuffled;
    bool by_lane;  /* multiplies by a lane of another chunk */
    bool by_index; /* gathers and scatters lane by lane, from a base and the index of each */
    bool indexed;  /* gathers and scatters lanes of 32 bits from a base and a vector of indices */
    mach_reg (*shuffle)(struct cpu_sel *s, unsigned size, mach_reg a, mach_reg b,
                        const unsigned *index);
    /* Of four chunks with lanes of 32 bits: lane 4 * p + k of each is part p of out[k]. NULL: not
     * done. A part is 16 bytes of a chunk. */
    void (*transpose)(struct cpu_sel *s, const mach_reg *in, mach_reg *out);
    void (*store_part)(struct cpu_sel *s, mach_reg chunk, unsigned part, mach_reg base,
                       int64_t offset);
    /* A chunk of n lanes, each from its own place; a lane of a chunk to its own. */
    mach_reg (*load_lanes)(struct cpu_sel *s, ir_type lane, unsigned n, const mach_reg *base,
                           const int64_t *offset);
    /* The same where lanes of 8 << lane bits lie close together, part by part of it; false: they do
     * not. NULL: never. */
    bool (*load_parts)(struct cpu_sel *s, unsigned lane, unsigned n, const mach_reg *base,
                       const int64_t *offset, mach_reg *out);
    void (*store_lane)(struct cpu_sel *s, ir_type lane, mach_reg chunk, unsigned k, mach_reg base,
                       int64_t offset);
    void (*prefetch)(struct cpu_sel *s, mach_reg base, int64_t offset);
    /* Scalars of memory, pointers and choices; false: it has no way for it. */
    bool (*select)(struct cpu_sel *s, struct ir_inst *i);
    /* To `yes` if the i1 is 1: ends the block. */
    void (*branch)(struct cpu_sel *s, struct ir_value *cond, uint32_t yes, uint32_t no);
    /* The same by a vote among lanes, which it does by itself; NULL: it cannot. */
    void (*branch_vote)(struct cpu_sel *s, struct ir_inst *vote, uint32_t yes, uint32_t no);
    void (*branch_equal)(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no);
    void (*branch_below)(struct cpu_sel *s, ir_type t, mach_reg v, uint64_t k, uint32_t yes,
                         uint32_t no);
    void (*branch_nonzero)(struct cpu_sel *s, mach_reg v, uint32_t yes, uint32_t no); /* 32 bits */
    /* Calls. `host`: the function at this offset of struct cpu_host, integers in and at most one
     * out. */
    mach_reg (*host)(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n,
                     bool result);
    const struct cpu_calling *calling; /* cpu_call.h */
    /* Code that is not from the IR, for the symbol s->stub: what calls to the host go through. */
    void (*stubs)(struct cpu_sel *s);
};

/* By how many bits ptradd's index is shifted along the way: extended, and of 64 bits. */
enum { CPU_MOST_SHIFT = 4, CPU_MOST_SCALE = 3 };

/* cpu_select.c */
void cpu_refuse(struct cpu_sel *s, const char *why);
/* Whom an ordinary call (cpu_plain.h) calls: the number of its symbol + 1; 0: by the address that
 * is its first argument. False: it was refused. */
bool cpu_callee(struct cpu_sel *s, const struct ir_inst *call, uintptr_t *symbol);
ir_type cpu_stack_type(ir_type t); /* as what an argument is stored on the stack */
void cpu_function(struct cpu_sel *s, struct ir_func *f, bool entry, uint32_t symbol);
mach_reg cpu_reg(struct cpu_sel *s, struct ir_value *v);              /* of a scalar */
const mach_reg *cpu_regs(struct cpu_sel *s, struct ir_value *v);      /* all chunks */
void cpu_set(struct cpu_sel *s, const struct ir_inst *i, mach_reg r); /* the first result */
void cpu_set_all(struct cpu_sel *s, const struct ir_inst *i, const mach_reg *r);
unsigned cpu_chunks(const struct cpu_sel *s, ir_type t);
unsigned cpu_lanes(const struct cpu_sel *s, ir_type t); /* of a chunk */
unsigned cpu_lane_bits(ir_type t);
bool cpu_is_float(ir_type t); /* f32 or f64, which live in the class of vectors */
unsigned cpu_class(const struct cpu_sel *s, ir_type t);
unsigned cpu_bytes(const struct cpu_sel *s, ir_type t);
mach_reg cpu_new(struct cpu_sel *s, ir_type t); /* a register for it, or for one chunk */
void cpu_need(struct cpu_sel *s, struct ir_value *v);
struct cpu_address cpu_address(const struct cpu_sel *s, struct ir_value *p);
/* The comparison that a branch or choice on `cond` may do by itself, or NULL. */
/* Lanes that change places as is known beforehand: nobody needs the vector that says so. */
bool cpu_known_permute(const struct cpu_sel *s, const struct ir_inst *i);
struct ir_inst *cpu_compare(const struct ir_inst *user, struct ir_value *cond);
/* The vote among lanes that a branch on `cond` may do by itself, or NULL. */
struct ir_inst *cpu_vote(const struct ir_inst *user, struct ir_value *cond);
/* Lane 0 of this is all lanes of v: what splats it; NULL: nothing. */
struct ir_value *cpu_splatted(struct ir_value *v);
/* Operand k of a multiplication, which the machine may take from one lane. */
struct ir_value *cpu_by_lane(const struct cpu_sel *s, const struct ir_inst *i, unsigned *k);
/* ptradd's offset is index * 2^shift, of 64 bits; not where cpu_indexed says more of it. */
bool cpu_scaled(const struct ir_inst *i, unsigned most, struct ir_value **index, unsigned *shift);
/* ptradd's offset is index * 2^shift, the index extended from 32 bits; shift at most `most`. */
bool cpu_indexed(const struct ir_inst *i, unsigned most, struct ir_value **index, unsigned *shift,
                 bool *is_signed);
mach_reg cpu_constant(struct cpu_sel *s, ir_type t, uint64_t bits); /* scalar, shared */
mach_reg cpu_splat(struct cpu_sel *s, ir_type lane, uint64_t bits);
mach_reg cpu_literal(struct cpu_sel *s, const uint8_t *bytes);
mach_reg cpu_eval(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                  const mach_reg *args);
mach_reg cpu_any_scalar(struct cpu_sel *s, const struct ir_inst *i, ir_type t, ir_type from,
                        const mach_reg *args);
mach_reg cpu_frame(struct cpu_sel *s, uint32_t slot);
mach_reg cpu_room(struct cpu_sel *s, uint32_t bytes); /* address of scratch memory */
uint32_t cpu_split(struct cpu_sel *s, bool cold);     /* a block to come, of the same depth */
void cpu_fail(struct cpu_sel *s, enum cpu_failure which);
void cpu_outside(struct cpu_sel *s,
                 struct ir_inst *i); /* a call of what the module only declares */

/* cpu_gather.c */
/* The scalar that a gather or scatter is done with instead of its vector of addresses; NULL: none.
 */
struct ir_value *cpu_near_base(struct cpu_sel *s, const struct ir_inst *i);
/* Which scatters are written together; true: i is one of them, and done. */
void cpu_find_columns(struct cpu_sel *s, const struct ir_func *f);
bool cpu_store_columns(struct cpu_sel *s, const struct ir_inst *i);
bool cpu_near_select(struct cpu_sel *s, struct ir_inst *i);
/* Lanes at base + index * 2^shift, all of which run, unless the machine is `indexed`. */
struct cpu_far {
    struct ir_value *base, *index;
    unsigned shift;
    bool is_signed; /* the index, of 32 bits */
};
bool cpu_far(const struct cpu_sel *s, const struct ir_inst *i, struct cpu_far *out);
void cpu_need_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far);
void cpu_index_lanes(struct cpu_sel *s, const struct ir_inst *i, struct ir_value *index,
                     mach_reg *out);
bool cpu_load_singly(struct cpu_sel *s, struct ir_inst *i);

/* cpu_lanes.c */
mach_reg cpu_extract(struct cpu_sel *s, struct ir_value *v, unsigned lane);
bool cpu_lane_by_lane(struct cpu_sel *s, struct ir_inst *i);
mach_reg cpu_lane_of(struct cpu_sel *s, ir_type t, const mach_reg *chunks, unsigned lane);
mach_reg cpu_op2(struct cpu_sel *s, enum ir_op op, ir_type t, mach_reg a, mach_reg b);
mach_reg cpu_rmw(struct cpu_sel *s, const struct ir_inst *i, ir_type t, mach_reg p, mach_reg v);

#endif
