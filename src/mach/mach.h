/* The door to mach/: machine code, shared by all native targets.
 *
 * func.c      functions of machine code: blocks, virtual registers, instructions; their text
 * live.c      which registers live where, over the whole graph
 * merge.c     work that was done already
 * fold.c      loads and addresses inside the instructions that use them; what results overwrite
 * schedule.c  the order of instructions in a block
 * spill.c     which registers live in memory; loads and recomputation in front of their uses
 * color.c     a machine register for each virtual one; parallel copies; the frame
 * layout.c    the order of blocks, branches, bytes
 * table.c     instructions as text and back: the encoding of fixed 32-bit words from the tables
 * select.c    what selection from the IR needs on every machine: select.h
 *
 * The way of a function: a target's selection writes blocks of instructions over virtual registers
 * in SSA form (mach_emit …), mach_finish does the rest: merge, fold, schedule, spill, colour, lay
 * out, encode.
 *
 * An instruction is a row of the target's table (struct mach_row, from its .def file): operands
 * with the kind of each, latency, unit, flags, and what the target's encoder wants to know. Its
 * operands are 64-bit numbers: registers (virtual or the machine's), immediates, blocks. Results
 * come first.
 *
 * Registers. Below MACH_VIRTUAL a number names a register of the machine: class * 64 + number in
 * the class. From there on it is virtual: defined by one instruction or as a parameter of a block,
 * which dominates all its uses. Selection may name registers of the machine only if they are not
 * allocatable (scratch registers, the stack pointer); everything that must lie in certain registers
 * goes through MACH_FIXED.
 *
 * Control flow. A block ends in one of enum mach_end. Only MACH_JUMP carries arguments for the
 * parameters of the block it goes to: whoever branches to a block with parameters makes a block in
 * between, which costs nothing if no copy is left in it. MACH_BRANCH: the last instruction of the
 * block is a branch to the first edge; else control goes to the second.
 *
 * Two-address instructions have MACH_TIED: result 0 must be the register of the first operand that
 * is read. Allocation makes the copy where one is needed.
 *
 * Constants and addresses that cost less to compute again than to load are made by mach_remat: they
 * are never stored.
 *
 * Adding a target: a .def with its instructions, a struct mach_target, a selection, and an encoder.
 * doc/machine.md walks through it. */
#ifndef MACH_MACH_H
#define MACH_MACH_H

#include "ir/ir.h"

typedef uint32_t mach_reg;
typedef uint64_t mach_set; /* of registers of one class */
#define MACH_VIRTUAL 256u
#define MACH_NONE    UINT32_MAX
enum { MACH_CLASSES = 4, MACH_CLASS_SIZE = 64, MACH_MAX_OPS = 8 };

/* ---- tables ---- */
enum mach_role {
    MACH_NO_OPERAND,
    MACH_REG,
    MACH_IMM,
    MACH_LABEL /* a block, or at the end a distance */
};
struct mach_kind { /* of operand: a row of the target's */
    const char *name;
    uint8_t role, class;
    uint8_t shift, width; /* where it stands in a fixed word; for other encoders theirs to use */
    uint8_t form;         /* the target's: how it is scaled, checked, printed */
};

enum mach_flags {
    MACH_TIED = 1,
    MACH_LOADS = 2,
    MACH_STORES = 4,
    MACH_EFFECT = 8, /* nothing that touches memory passes it */
    MACH_BRANCHES = 16,
    MACH_SETS = 32,    /* the condition flags */
    MACH_TESTS = 64,   /* reads them: stays right behind what set them */
    MACH_COPIES = 128, /* a register from another, nothing else */
    MACH_ORDERED = 256 /* stays where it is among all instructions */
};

/* Instructions that every target has, before those of its table. */
enum mach_shared {
    MACH_NOP,   /* was something once */
    MACH_COPY,  /* d, s */
    MACH_FIXED, /* see mach_fixed */
    MACH_FRAME, /* d, slot: the address of a piece of the frame */
    MACH_LOAD,  /* d, slot: by spilling */
    MACH_STORE, /* s, slot: by spilling */
    MACH_SHARED
};

struct mach_row {
    const char *name, *text; /* text: %0 … the operands, as the target prints them */
    uint64_t bits;           /* what the encoder starts from */
    uint8_t nresults, kind[MACH_MAX_OPS];
    uint8_t latency, unit;
    uint16_t flags;
    uint8_t regs;    /* operands that are registers, a bit each */
    uint32_t places; /* the target's to use: of all operands at once, by their kinds */
};

/* ---- functions ---- */
struct mach_inst {
    uint16_t op; /* enum mach_shared, or a row + MACH_SHARED */
    uint8_t nops;
    bool plain : 1;  /* touches memory only as a program does that has no races */
    bool framed : 1; /* its distance is a slot's number with MACH_SLOT, from the stack pointer */
    unsigned unwind : 3; /* enum mach_unwind: how the caller is found once it has run */
    uint32_t ops;        /* in mach_func.ops */
    uint32_t loc;        /* in the source; 0: none */
};

/* How the caller is found, for debuggers. The canonical frame address (CFA) is the stack pointer as
 * it was before the call; mach_target.unwind says for each state where it and the caller's
 * registers are. A function starts in MACH_ENTERED; what follows a return is MACH_FRAMED again. */
enum mach_unwind {
    MACH_SAME,    /* as before */
    MACH_ENTERED, /* nothing was done */
    MACH_MOVED,   /* the stack pointer is below the frame's records */
    MACH_SAVED,   /* frame pointer and return address are there */
    MACH_FRAMED,  /* the frame pointer points at them */
    MACH_UNWINDS
};

enum mach_end { MACH_OPEN, MACH_JUMP, MACH_BRANCH, MACH_RETURN, MACH_DEAD };

struct mach_edge {
    uint32_t to;
    uint32_t nargs;
    mach_reg *args;
};

struct mach_block {
    uint32_t first, count; /* in mach_func.insts */
    uint8_t end;           /* enum mach_end */
    uint8_t nedges;
    uint8_t depth; /* of loops */
    bool cold;     /* laid out behind everything else */
    struct mach_edge edges[2];
    VEC(mach_reg) params;
    VEC(uint32_t) preds; /* by mach_graph */
    uint32_t order;      /* by mach_graph: position in reverse post order; UINT32_MAX: none */
    uint32_t offset;     /* by mach_finish: in bytes */
    uint32_t loc;        /* of its end, in the source; 0: none */
};

struct mach_vreg {
    uint8_t class;
    uint8_t bytes; /* what a slot for it must hold */
    bool spilled;
    int32_t remat;  /* in mach_func.remats; -1: none */
    uint32_t slot;  /* spilled: + 1 */
    mach_reg hint;  /* a register of the machine, or a virtual one to share with; or MACH_NONE */
    mach_reg color; /* by mach_color */
};

struct mach_slot { /* a piece of the frame */
    uint64_t bytes;
    uint32_t align;
    uint64_t offset;
};

struct mach_kept { /* a register of the caller's: at the CFA, less so many bytes */
    mach_reg reg;
    uint64_t below;
};
struct mach_local {       /* a slot that holds a variable */
    uint32_t id;          /* the user's */
    uint32_t slot, align; /* the first address in the slot that is so aligned */
};

struct mach_target;
struct mach_code;
struct mach_func {
    struct arena *arena;
    const struct mach_target *target;
    const char *name;
    VEC(struct mach_inst) insts;
    VEC(int64_t) ops;
    VEC(struct mach_block) blocks; /* the first is the entry */
    VEC(struct mach_vreg) vregs;   /* number - MACH_VIRTUAL */
    VEC(struct mach_inst) remats;
    VEC(struct mach_slot) slots;
    VEC(uint32_t) rpo; /* by mach_graph: reachable blocks */
    uint32_t current;  /* block that mach_emit appends to */
    uint32_t loc;      /* given to what is emitted */
    uint8_t depth;     /* given to blocks that are made */
    bool plain;        /* given to what is emitted */
    bool from_c;       /* called by C: keeps what its ABI asks to be kept; else all but its own
                          arguments and result */
    bool calls;
    struct mach_original *original;                       /* of spilling: what it started from */
    unsigned tight;                                       /* registers fewer than there are */
    mach_set used[MACH_CLASSES], arguments[MACH_CLASSES]; /* for the prologue */
    uint64_t frame_bytes;
    uint32_t aside;    /* slot for copies in a circle */
    uint64_t outgoing; /* bytes of arguments on the stack of what it calls */
    /* for debuggers */
    bool stepped;     /* the order of the source is kept, and every access to memory is made */
    uint64_t records; /* by enter: the CFA less the frame pointer, */
    uint64_t below;   /* and less the stack pointer once it has been moved */
    VEC(struct mach_kept) kept; /* by enter */
    VEC(struct mach_local) locals;
};

struct mach_func *mach_func_new(struct arena *a, const struct mach_target *t, const char *name);
uint32_t mach_block_new(struct mach_func *f);
void mach_block_begin(struct mach_func *f, uint32_t block); /* what is emitted goes there now */
mach_reg mach_block_param(struct mach_func *f, uint32_t block, unsigned class, unsigned bytes);
mach_reg mach_vreg(struct mach_func *f, unsigned class, unsigned bytes);
void mach_emit(struct mach_func *f, unsigned op, const int64_t *ops, unsigned n);
void mach_emit_unwind(struct mach_func *f, enum mach_unwind u); /* from the last one emitted, on */
#define mach_put(f, op, ...)                                                                       \
    mach_emit((f), (op), (const int64_t[]){__VA_ARGS__},                                           \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
/* A constant: the instruction's result 0 is a new register, which may be made again anywhere. */
mach_reg mach_remat(struct mach_func *f, unsigned class, unsigned bytes, unsigned op,
                    const int64_t *ops, unsigned n);
void mach_jump(struct mach_func *f, uint32_t to, const mach_reg *args, uint32_t nargs);
/* The branch itself has been emitted, with a 0 for the block. */
void mach_branch(struct mach_func *f, uint32_t yes, uint32_t no);
void mach_end(struct mach_func *f, enum mach_end end);
uint32_t mach_slot_new(struct mach_func *f, uint64_t bytes, uint32_t align);

/* An instruction some of whose operands lie in certain registers: a call, a return, the function's
 * own beginning (op MACH_NOP), a division on x86. `op` with `ops` is put between the copies there
 * and back; ops must not name virtual registers. What lives across it is kept out of these
 * registers and of `clobbers`. */
struct mach_pin {
    mach_reg virtual, machine;
};
void mach_fixed(struct mach_func *f, unsigned op, const int64_t *ops, unsigned nops,
                const struct mach_pin *results, unsigned nresults, const struct mach_pin *uses,
                unsigned nuses, const mach_set clobbers[MACH_CLASSES]);
struct mach_fixed { /* MACH_FIXED's operands, taken apart */
    unsigned op, nops, nresults, nuses;
    const int64_t *ops, *results, *uses; /* pins: pairs of virtual, machine */
    mach_set clobbers[MACH_CLASSES];
};
void mach_fixed_read(const struct mach_func *f, const struct mach_inst *i, struct mach_fixed *out);

/* Which operands of an instruction are virtual registers; writes through the pointers change it. */
struct mach_regs {
    unsigned nresults, nuses;
    int64_t *result[32], *use[32];
    int64_t *tied; /* of the uses; NULL: none */
};
void mach_regs_shared(const struct mach_func *f, const struct mach_inst *i, struct mach_regs *out);
/* Passes ask this of every instruction, most of them more than once. */
static inline void mach_regs(const struct mach_func *f, const struct mach_inst *i,
                             struct mach_regs *out);
/* Adds to `uses`, by virtual register, how often each is read. */
void mach_count_uses(const struct mach_func *f, uint32_t *uses);

/* ---- targets ---- */
struct mach_class {
    const char *name;
    mach_set allocatable;
    mach_set kept;    /* of those, what C expects to find unchanged */
    mach_reg scratch; /* not allocatable: copies in a circle go through it */
};

struct mach_code { /* code for the machine, with its registers, before encoding */
    struct mach_func *f;
    VEC(struct mach_inst) insts;
};
void mach_code_put(struct mach_code *c, unsigned op, const int64_t *ops, unsigned n);
void mach_code_unwind(struct mach_code *c, enum mach_unwind u); /* from the last one put, on */
#define mach_code_ops(c, op, ...)                                                                  \
    mach_code_put((c), (op), (const int64_t[]){__VA_ARGS__},                                       \
                  sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

struct mach_target {
    const char *name;
    const struct mach_row *rows;
    unsigned nrows;
    const struct mach_kind *kinds;
    struct mach_class classes[MACH_CLASSES];
    unsigned frame_align;
    struct mach_unwinding { /* for debuggers: registers by their numbers in DWARF */
        uint16_t elf;       /* the machine's number in ELF files */
        uint8_t sp, fp, ra;
        const uint8_t *gpr;   /* of class 0; NULL: as they are numbered */
        uint8_t pushed;       /* bytes that a call leaves on the stack: the return address, or 0 */
        uint8_t fp_at, ra_at; /* in the frame's records, from where the frame pointer points */
    } unwind;
    /* What allocation asks to be written, with registers of the machine only; offsets are from the
     * stack pointer. */
    void (*copy)(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, mach_reg from);
    void (*load)(struct mach_code *c, unsigned class, unsigned bytes, mach_reg to, uint64_t offset);
    void (*store)(struct mach_code *c, unsigned class, unsigned bytes, mach_reg from,
                  uint64_t offset);
    void (*frame)(struct mach_code *c, mach_reg to, uint64_t offset);
    void (*enter)(struct mach_code *c); /* frame, saved registers */
    void (*leave)(struct mach_code *c); /* and return */
    void (*dead)(struct mach_code *c);  /* where control never comes */
    void (*jump)(struct mach_code *c, uint32_t block);
    unsigned (*invert)(unsigned op, int64_t *ops); /* the branch on the opposite condition */
    /* One instruction that does what two do that follow each other; its operands go to `out`, of
     * which there are *n. 0: there is none. NULL: never. */
    unsigned (*pair)(unsigned op, const int64_t *a, unsigned then, const int64_t *b, int64_t *out,
                     unsigned *n);
    /* What `into` is if it reads its operand k from where `load` would load it from, a load of the
     * table or MACH_LOAD, whose slot is a distance with MACH_SLOT; or if k, an address, is computed
     * in it. Operands go to `out`, of which there are *n. 0: there is none. NULL: never. */
    unsigned (*fold)(const struct mach_func *f, const struct mach_inst *load,
                     const struct mach_inst *into, unsigned k, int64_t *out, unsigned *n);
    /* The same with operand k where the result overwrites it; changes ops. 0: there is none. NULL:
     * never. */
    unsigned (*tie)(unsigned op, int64_t *ops, unsigned k);
    /* Bytes of one instruction; label operands are distances from its start. out may be NULL. */
    unsigned (*encode)(const struct mach_row *r, const int64_t *ops, uint8_t *out);
    /* The instruction at p, of at most n bytes: fills row and operands; 0: none. */
    unsigned (*decode)(const uint8_t *p, size_t n, unsigned *row, int64_t *ops);
    void (*print)(struct sbuf *o, const struct mach_row *r, unsigned k, int64_t value,
                  uint64_t address); /* an operand */
};

/* ---- passes, in order ---- */
void mach_graph(struct mach_func *f); /* rpo, preds */
void mach_merge(struct mach_func *f);
void mach_fold(struct mach_func *f);
struct mach_live;
void mach_schedule(struct mach_func *f, const struct mach_live *l);
void mach_tie(struct mach_func *f, const struct mach_live *l);
void mach_spill(struct mach_func *f);
bool mach_is_original(const struct mach_func *f, mach_reg r); /* not made by spilling */
/* False: more registers have been marked as spilled; spilling must be done again. */
bool mach_color(struct mach_func *f);
/* Everything: the bytes of f go to the end of `out`; `lines` gets a row for each change of source
 * location. */
struct mach_line {
    uint32_t offset, loc;
};
struct mach_symbol {
    const char *name;
    uint32_t offset, bytes;
    uint64_t records; /* mach_func.records */
    const void *user; /* what it was made of */
};
struct mach_fixup { /* a distance to a symbol or a literal, to be filled in */
    uint32_t at;
    uint16_t row, operand; /* which operand holds it */
    int64_t ops[MACH_MAX_OPS];
};
struct mach_change { /* from this offset on, the caller is found so */
    uint32_t offset;
    uint8_t unwind;
};
struct mach_place { /* of a variable: at the CFA, less so many bytes */
    uint32_t symbol, id, align;
    uint64_t below;
};
struct mach_keeps {
    uint32_t symbol;
    struct mach_kept kept;
};
struct mach_literal { /* data that code refers to */
    uint64_t half[2];
};
struct mach_image {
    struct arena *arena;
    struct sbuf code;
    VEC(struct mach_line) lines;
    VEC(struct mach_symbol) symbols;
    VEC(struct mach_fixup) fixups;
    VEC(struct mach_change) changes;
    VEC(struct mach_place) places;
    VEC(struct mach_keeps) keeps;
    VEC(struct mach_literal) literals;
    uint32_t literals_at; /* by mach_link */
    struct map known;     /* literals by hash */
    bool failed;          /* an operand did not fit: */
    const char *why;      /* of this instruction */
};
/* A label operand is a block, or one of these, by number. */
#define MACH_SYMBOL  (INT64_C(1) << 40)
#define MACH_LITERAL (INT64_C(1) << 41)
/* A distance in an instruction that is `framed`: a slot's, by number. */
#define MACH_SLOT (INT64_C(1) << 42)
void mach_image_init(struct mach_image *i, struct arena *a);
uint32_t mach_literal(struct mach_image *i, uint64_t low, uint64_t high);       /* its number */
uint32_t mach_literals(struct mach_image *i, const uint64_t *part, unsigned n); /* side by side */
uint32_t mach_symbol(struct mach_image *i, const char *name); /* a function to come; its number */
void mach_finish(struct mach_func *f, struct mach_image *out, uint32_t symbol);
/* When all functions are there: places the literals, fills in distances. False: too far. */
bool mach_link(const struct mach_target *t, struct mach_image *out);

/* ---- liveness (live.c) ---- */
struct mach_live {
    uint32_t words;     /* of a set */
    uint32_t nglobal;   /* registers that live in more than one block, numbered densely */
    uint32_t *global;   /* by register: number + 1; 0: lives in one block */
    mach_reg *reg;      /* and back */
    uint64_t *in, *out; /* by block: words each */
};
void mach_live(struct mach_func *f, struct mach_live *l);
/* The same behind mach_spill: what it spilled lives in no block but its own. */
void mach_live_rest(struct mach_func *f, struct mach_live *l);
/* The registers of the machine that a MACH_FIXED takes for itself. */
void mach_pins(const struct mach_func *f, const struct mach_inst *i, mach_set set[MACH_CLASSES]);
/* By register: those that a MACH_FIXED which it lives across takes. `worst`, if not NULL: by class,
 * what the one takes that most live across. */
struct mach_worst {
    mach_set set[MACH_CLASSES];
    uint32_t count[MACH_CLASSES];
};
void mach_forbid(struct mach_func *f, const struct mach_live *l, mach_set *forbidden,
                 struct mach_worst *worst);
static inline bool mach_bit(const uint64_t *set, uint32_t k)
{
    return set[k / 64] >> (k & 63) & 1;
}

/* ---- text ---- */
void mach_print(const struct mach_func *f, struct sbuf *out);
void mach_print_row(const struct mach_target *t, struct sbuf *out, unsigned row, const int64_t *ops,
                    uint64_t address);
/* All of the code as assembly, with symbols. */
void mach_disassemble(const struct mach_target *t, const struct mach_image *image,
                      struct sbuf *out);
/* For targets whose instructions are words of 32 bits: bits of the row, operands in their fields.
 * False: an operand does not fit. `put` turns an operand into its field and back. */
typedef bool mach_field(const struct mach_kind *k, int64_t value, uint32_t *field);
typedef bool mach_value(const struct mach_kind *k, uint32_t field, int64_t *value);
bool mach_word(const struct mach_row *r, const struct mach_kind *kinds, const int64_t *ops,
               mach_field *field, uint32_t *word);
uint32_t mach_word_mask(const struct mach_row *r, const struct mach_kind *kinds);

static inline struct mach_vreg *mach_of(const struct mach_func *f, int64_t reg)
{
    return &f->vregs.data[reg - MACH_VIRTUAL];
}
static inline bool mach_is_virtual(int64_t reg)
{
    return reg >= (int64_t)MACH_VIRTUAL && reg < (int64_t)MACH_NONE;
}
static inline void mach_regs(const struct mach_func *f, const struct mach_inst *i,
                             struct mach_regs *out)
{
    if (i->op < MACH_SHARED) {
        mach_regs_shared(f, i, out);
        return;
    }
    const struct mach_row *r = &f->target->rows[i->op - MACH_SHARED];
    const unsigned results = (1u << r->nresults) - 1;
    int64_t *ops = f->ops.data + i->ops;
    unsigned n = 0;
    for (unsigned left = r->regs & results; left; left &= left - 1) {
        int64_t *at = out->result[n] = ops + __builtin_ctz(left);
        n += mach_is_virtual(*at);
    }
    out->nresults = n;
    n = 0;
    for (unsigned left = r->regs & ~results; left; left &= left - 1) {
        int64_t *at = out->use[n] = ops + __builtin_ctz(left);
        n += mach_is_virtual(*at);
    }
    out->nuses = n;
    out->tied =
        r->flags & MACH_TIED && mach_is_virtual(ops[r->nresults]) ? ops + r->nresults : NULL;
}
static inline unsigned mach_flags(const struct mach_func *f, const struct mach_inst *i)
{
    return i->op >= MACH_SHARED ? f->target->rows[i->op - MACH_SHARED].flags : 0;
}

#endif
