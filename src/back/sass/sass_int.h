/* What the files of back/sass share: NVIDIA's machine code of our own.
 *
 * sass.c        the targets sass (text) and cubin: kernels, variables, names
 * pipeline.c    the passes before selection: everything is inlined, what the hardware lacks becomes
 *               calls of the device library or code of its own; exact.c: square roots of f64,
 *               division of integers
 * select.c      one kernel: blocks, values, edges, splits and joins → instructions over virtual
 *               registers. The operations: arith.c, float.c, divide.c (quotients and roots of
 *               f32), convert.c, memory.c, once.c (an atomic for a whole warp), warp.c, matrix.c,
 *               texture.c, system.c
 * converge.c    where the lanes of a warp part and meet
 * collective.c  operations of the whole warp that they reach in different places
 * layout.c      shorter ways through the graph: ends, tests of loops
 * guard.c       short branches become instructions under a condition
 * narrow.c      pairs of which one word is read become single registers
 * order.c       the order of instructions in a block
 * uniform.c     constants that arithmetic reads, in registers that a warp shares
 * alloc.c       a register of the machine for each virtual one, or which values to keep elsewhere
 * schedule.c    the control word of each instruction: stalls and scoreboards
 * encode.c      rows of sass.def as 128-bit words, back, and as text
 * cubin.c       the ELF file that the driver loads
 *
 * Why not mach/: its classes hold 64 registers of one size; here are 255, which values take one,
 * two (even) or four (aligned) of, and none is saved by anyone.
 *
 * A kernel is selected once, allocated, and if registers do not suffice selected again with some
 * values in local memory (or, of predicates, in general registers): what stays where is a set of
 * values (struct sass_places), no patch of the code.
 *
 * Virtual registers are written in halves where that is simpler: the part 0 first, which begins
 * its life, then the others. */
#ifndef BACK_SASS_INT_H
#define BACK_SASS_INT_H

#include "back/back.h"
#include "back/sass/sass.h"

enum sass_chips {
    SM75 = 1,
    SM80 = 2,
    SM86 = 4,
    SM89 = 8,
    SM90 = 16,
    SM70 = 32, /* encoded as sm_75 is, and held against nothing */
    BEFORE_80 = SM70 | SM75,
    BEFORE_90 = BEFORE_80 | SM80 | SM86 | SM89,
    FROM_80 = SM80 | SM86 | SM89 | SM90,
    FROM_86 = SM86 | SM89 | SM90,
    ALL = BEFORE_90 | SM90,
};

enum sass_operands {
    O_ALU = 1,       /* has three bits of form: B or C may be an immediate or in a constant bank */
    O_D = 2,         /* register at 16 */
    O_A = 4,         /* register at 24 */
    O_B = 8,         /* ALU: register at 32, immediate at 32, constant at 38 */
    O_C = 16,        /* ALU: register at 64 */
    O_IMM_C = 32,    /* an immediate B is encoded as C is */
    O_PD = 64,       /* predicate written, at 81 */
    O_PE = 128,      /* another, at 84 */
    O_P = 256,       /* predicate read, at 87 */
    O_QX = 512,      /* another, at 77 */
    O_QC = 1024,     /* another, at 68 */
    O_IMM24 = 2048,  /* offset at 40 */
    O_UR32 = 4096,   /* the descriptor of global memory: modifier UNIFORM, at 32 */
    O_UR64 = 8192,   /* at 64 */
    O_B32 = 16384,   /* register at 32 */
    O_C64 = 1 << 15, /* register at 64 */
    O_IMM32 = 1 << 16,
    O_CONST = 1 << 17,    /* a place in a constant bank, at 38 */
    O_UD = 1 << 18,       /* a uniform register is written, two words: modifier UNIFORM */
    O_GO = 1 << 19,       /* 87 holds a condition, always true */
    O_TARGET = 1 << 20,   /* a branch's */
    O_TARGET32 = 1 << 21, /* at 32 */
    O_P_IN = 1 << 22,     /* predicate read, at 87, false where none is given: 0 */
    O_NO_D = 1 << 23,     /* 16 holds RZ */
    O_IMPLIED = 1 << 24,  /* B and C are read, D is written, and nothing says so */
    O_A_AT_32 = 1 << 25,  /* A stands there */
    O_B_AT_64 = 1 << 26,
    O_UR40 = 1 << 27,     /* a texture's handle: modifier UNIFORM, at 40 */
    O_D2 = 1 << 28,       /* the register two after D at 64, if that many are written: MASK */
    O_BINDLESS = 1 << 29, /* bit 59: the handle is among the operands */
    O_TOKEN = 1 << 30,    /* D stands for a uniform register, and is not written down */
};

enum sass_class { /* who computes it, and when the result is there */
                  CLASS_ALU,
                  CLASS_FMA,
                  CLASS_WIDE,
                  CLASS_SETP,
                  CLASS_DSETP,
                  CLASS_FP64,
                  CLASS_HALF,
                  CLASS_MMA,
                  CLASS_CLOCK,
                  CLASS_UNIFORM,
                  CLASS_VAR,   /* whenever: its scoreboard says */
                  CLASS_STORE, /* nothing is written; its scoreboard says when operands have been
                                  read */
                  CLASS_CONTROL,
                  CLASS_FENCE,
};

enum sass_mod {
    MOD_NONE,
    MOD_LANES,
    MOD_X,
    MOD_SIGNED,
    MOD_ALL_LANES, /* the mask of all of them, as a number */
    MOD_SHIFT,
    MOD_HI,
    MOD_LUT,
    MOD_LUT_LOW,
    MOD_LUT_HIGH,
    MOD_TYPE,
    MOD_WRAP,
    MOD_RIGHT,
    MOD_MODE,
    MOD_EX,
    MOD_BOOL,
    MOD_CMP,
    MOD_SAT,
    MOD_ROUND,
    MOD_FTZ,
    MOD_FUNC,
    MOD_DST,
    MOD_SRC,
    MOD_NTZ,
    MOD_SIZE,
    MOD_WIDE,
    MOD_ORDER,
    MOD_ATOM,
    MOD_SPACE,
    MOD_SR,
    MOD_LANE,
    MOD_CLAMP,
    MOD_SEGMENT,
    MOD_RED,
    MOD_WAITS,
    MOD_NAME,
    MOD_COUNT,
    MOD_SCOPE,
    MOD_ACQ_REL,
    MOD_BARRIER,
    MOD_UNIFORM,
    MOD_DIMS, /* of textures: geometry, components that are asked for, level, borders; SCATTER: all
                 operands are two pairs */
    MOD_MASK,
    MOD_LEVEL,
    MOD_BOUNDS,
    MOD_SCATTER,
    MOD_OR,
    MOD_KINDS
};
enum { SASS_MOST_MODS = 8 };

struct sass_row {
    const char *name;
    uint16_t opcode;
    uint32_t operands;
    uint64_t high; /* bits above 64 that are always set */
    uint8_t class, chips;
    struct {
        uint8_t mod, low, width, value;
    } mods[SASS_MOST_MODS];
};

enum sass_op {
#define SASS(name, ...) OP_##name,
#include "back/sass/sass.def"
    SASS_OPS
};
extern const struct sass_row sass_rows[SASS_OPS];

/* ---- instructions ---- */
/* UR_DESCRIPTOR: of global memory; the first that the driver's own functions keep. UR_ALL_LANES:
 * their mask, for BRA.DIV. UR_TEXTURE, and the one behind it: handle of the texture that comes
 * next.
 */
enum { RZ = 255, PT = 7, UR_DESCRIPTOR = 36, UR_ALL_LANES = 38, UR_TEXTURE = 40, UR_REDUX = 42 };
#define SASS_NONE UINT32_MAX

enum sass_kind { SRC_NONE, SRC_REG, SRC_IMM, SRC_CONST, SRC_UNIFORM };
struct sass_src {
    uint8_t kind;
    uint8_t part; /* REG: which of its registers, and how many are read */
    uint8_t parts;
    bool neg, abs;
    uint8_t bank;   /* CONST */
    uint32_t value; /* virtual register or SASS_NONE: RZ; immediate; offset in the bank; uniform
                       register */
};
struct sass_pred {
    uint32_t reg; /* virtual register or SASS_NONE: PT */
    bool neg;
};
struct sass_inst {
    uint16_t op;
    uint8_t d_part, d_parts; /* which of d's registers are written */
    bool continues;          /* d has been written in part before, or under another condition */
    uint32_t d;              /* virtual register or SASS_NONE: RZ */
    struct sass_src a, b, c;
    uint32_t pd, pe;                 /* virtual or SASS_NONE: PT */
    struct sass_pred guard, p, q, r; /* r: the second of two: PLOP3's third */
    int32_t imm;                     /* offset, immediate, or the block that is the target */
    uint16_t mods[MOD_KINDS];
    uint8_t stall, wait, set_write, set_read; /* the control word; 7: none */
    uint8_t reuse; /* operands A, B, C that the next instruction reads again, in the same place */
    bool yield;
    bool loose; /* an atomic that orders nothing else */
};

struct sass_reg {
    uint8_t size;   /* 1, 2, 4 (fixed ones: any); 0: a predicate */
    bool fixed;     /* it has its colour already */
    uint8_t color;  /* by sass_alloc */
    uint32_t value; /* id of the IR value that it holds, or SASS_NONE */
    uint32_t hint;  /* shares a register with, if that can be; or SASS_NONE */
};

struct sass_block {
    VEC(struct sass_inst) code;
    uint32_t to[2], nto; /* where control goes; the last falls through where it is the next one */
    uint32_t depth;
    bool aside; /* rarely run: stands behind all others */
};

/* Which values do not live in registers of their own class. */
struct sass_places {
    uint8_t *spilled; /* by value id: its words are in local memory */
    uint8_t *demoted; /* an i1 in a general register */
};

struct sass_layouts {      /* where variables are, each + 1 where 0 means nowhere */
    struct arena *arena;   /* of what is known of the kernel */
    struct map *shared;    /* offsets of shared variables */
    struct map *globals;   /* offset in bank 4 of the address + 1 */
    struct map *constants; /* offset in bank 3 + 1 */
    uint32_t system_slots; /* where addresses of the driver's own functions begin in bank 4 */
    struct ir_global *grid_counter; /* or NULL */
};

enum sass_system { SASS_VPRINTF, SASS_ASSERT, SASS_MALLOC, SASS_FREE, SASS_SYSTEM_COUNT };
extern const char *const sass_system_names[SASS_SYSTEM_COUNT];

struct sass_address { /* of a variable, in a register, as long as a block of the IR goes on */
    const struct ir_global *global;
    const struct ir_value *of; /* or of what a bank holds */
    uint32_t block, reg;
};
enum { SASS_ADDRESSES = 8, SASS_IN_BANK = 1 << 20, SASS_BANK = 15 << 16 };

struct sass_func {
    struct arena *arena;
    struct back_job *job;
    struct ir_func *f;
    unsigned chip; /* enum sass_chips */
    unsigned arch; /* 90 */
    struct sass_places places;
    VEC(struct sass_reg) regs;
    VEC(struct sass_block) blocks;
    VEC(uint32_t) order;          /* of blocks in the code */
    VEC(uint32_t) aside;          /* those that come last */
    uint64_t *live_in, *live_out; /* by block: registers; NULL: not known, or not any more */
    uint32_t current;
    struct ir_inst *at;
    uint32_t *reg_of;      /* by value id: virtual register + 1 */
    uint8_t *part_of;      /* by value id: which of its words the value begins at */
    uint32_t *slot_of;     /* by value id: place in the frame + 1, of what is spilled */
    uint32_t *first_block; /* by block id */
    uint32_t *uses;        /* by value id */
    struct map *shared;    /* offsets of shared variables */
    struct sass_address addresses[SASS_ADDRESSES], banked[SASS_ADDRESSES];
    struct map *globals;   /* ir_global → offset in bank 4 of its address + 1 */
    struct map *constants; /* → offset in bank 3 + 1 */
    uint32_t *constant_of; /* by value id: read from this place, of the bank in bits 16-19; 0: no */
    uint32_t frame_bytes, stack; /* stack: register that holds the frame's address */
    uint32_t barriers, registers, ninsts, uses_flags;
    const bool *parted;             /* by block id; NULL: everywhere */
    const bool *parting;            /* by block id: lanes may take its branch differently */
    bool *yields;                   /* by block id: at its end */
    const bool *varies;             /* by value id: lanes may have different ones */
    const bool *apart;              /* by block id: lanes are apart there by their numbers */
    const struct ir_inst *meets_at; /* a join still to come in this block that lanes meet at */
    bool local;                     /* has a frame */
    bool grouped; /* neighbours in memory are accessed at once, and live side by side */
    bool failed;
    bool calls;                       /* the driver's own functions */
    bool collective;                  /* lanes meet in different places: collective.c */
    bool clusters;                    /* it asks for something of its cluster */
    struct sass_address rank, window; /* of shared memory: cluster.c */
    uint32_t system_slots, systems;   /* of struct sass_layouts; those that it calls */
    struct ir_global *grid_counter;
};

/* ---- encode.c ---- */
struct sass_word {
    uint64_t low, high;
};
/* Registers are the machine's; `at` and `target` are bytes in the code. */
struct sass_word sass_encode(const struct sass_inst *i, unsigned arch, uint32_t at,
                             uint32_t target);
/* False: no row gives exactly this word. Virtual registers become the machine's. */
bool sass_decode(struct sass_word w, unsigned arch, uint32_t at, struct sass_inst *out,
                 uint32_t *target);
void sass_print(struct sbuf *out, const struct sass_inst *i, uint32_t target);
void sass_disassemble(struct sbuf *out, const struct sass_word *code, size_t n, unsigned arch);
struct sass_inst sass_inst(enum sass_op op);
unsigned sass_chip(unsigned arch); /* 0: none of ours */
/* The row by which a chip writes an instruction. */
const struct sass_row *sass_row_for(enum sass_op op, unsigned chip);

/* ---- select.c ---- */
struct sass_func *sass_select(struct back_job *job, struct ir_func *f, unsigned arch,
                              const struct sass_places *places, const struct sass_layouts *where,
                              bool grouped);
uint32_t sass_constant_place(const struct sass_func *s, const struct ir_global *g);
/* Where a parameter of the kernel stands in bank 0; SASS_NONE: it is none. */
uint32_t sass_param_place(const struct sass_func *s, struct ir_value *v);
/* matrix.c: the result lies in d, from that word on. */
void sass_give_out(struct sass_func *s, struct ir_value *v, uint32_t d, unsigned part);
uint32_t sass_new(struct sass_func *s, unsigned size);
/* One that is this register of the machine, or from it on. */
uint32_t sass_fixed(struct sass_func *s, unsigned size, unsigned color);
struct sass_inst *sass_put(struct sass_func *s, enum sass_op op);
void sass_refuse(struct sass_func *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t sass_block_new(struct sass_func *s);
void sass_begin(struct sass_func *s, uint32_t block);       /* what is put goes there now */
void sass_begin_aside(struct sass_func *s, uint32_t block); /* which comes last */
void sass_goto(struct sass_func *s, uint32_t block);
void sass_edge(struct sass_func *s, uint32_t to); /* the current block may lead there */
void sass_branch(struct sass_func *s, struct sass_pred p, uint32_t yes, uint32_t no);
struct sass_src sass_imm(uint32_t v);
struct sass_src sass_reg(uint32_t r, unsigned part);
struct sass_src sass_half(struct sass_src pair, unsigned k); /* a word of it */
struct sass_src sass_zero(void);
struct sass_src sass_word(struct sass_func *s, struct ir_value *v, unsigned k); /* 32 bits of v */
struct sass_src sass_in_reg(struct sass_func *s, struct sass_src x);
struct sass_src sass_pair(struct sass_func *s, struct ir_value *v);  /* 64 bits in a register */
struct sass_src sass_whole(struct sass_func *s, struct ir_value *v); /* all of v in a register */
struct sass_pred sass_true(struct sass_func *s, struct ir_value *v);
unsigned sass_words(ir_type t); /* registers of a value; 0: a predicate */
/* Where result k of the instruction goes; sass_done when it has been written. */
uint32_t sass_result(struct sass_func *s, struct ir_value *v);
void sass_done(struct sass_func *s, struct ir_value *v, uint32_t r);

/* ---- instructions in words: each gives the register of its result ---- */
uint32_t sass_op1(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src b);
uint32_t sass_op2(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src a, struct sass_src b);
uint32_t sass_op3(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src a, struct sass_src b, struct sass_src c);
void sass_mod(struct sass_func *s, enum sass_mod m, unsigned v); /* of the last one */
void sass_move(struct sass_func *s, uint32_t d, unsigned part, struct sass_src x);
void sass_logic(struct sass_func *s, uint32_t d, unsigned part, struct sass_src a,
                struct sass_src b, struct sass_src c, unsigned lut);
void sass_add(struct sass_func *s, uint32_t d, unsigned part, struct sass_src a, struct sass_src b);
void sass_add_wide(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src ah,
                   struct sass_src b, struct sass_src bh, bool minus);
void sass_shift(struct sass_func *s, uint32_t d, unsigned part, struct sass_src low,
                struct sass_src by, struct sass_src high, unsigned type, bool right, bool hi);
struct sass_pred sass_compare(struct sass_func *s, unsigned cmp, bool sign, struct sass_src a,
                              struct sass_src b);
struct sass_pred sass_plogic(struct sass_func *s, unsigned lut, struct sass_pred a,
                             struct sass_pred b);
void sass_plogic_to(struct sass_func *s, uint32_t d, unsigned lut, struct sass_pred a,
                    struct sass_pred b);
void sass_choose(struct sass_func *s, uint32_t d, unsigned part, struct sass_pred p,
                 struct sass_src a, struct sass_src b);
enum sass_cmp { CMP_LT = 1, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE, CMP_NUM, CMP_NAN, CMP_U = 8 };
enum sass_lut { LUT_AND = 0xc0, LUT_OR = 0xfc, LUT_XOR = 0x3c, LUT_NOT_A = 0x0f, LUT_A = 0xf0 };

void sass_sum(struct sass_func *s, uint32_t d, struct ir_value *x,
              struct ir_value *y);                                           /* 64 bits */
void sass_give(struct sass_func *s, struct ir_value *v, struct sass_pred p); /* an i1 */

/* ---- operations: false: not one of theirs ---- */
bool sass_arith(struct sass_func *s, struct ir_inst *i);
bool sass_float(struct sass_func *s, struct ir_inst *i);
bool sass_convert(struct sass_func *s, struct ir_inst *i);
bool sass_memory(struct sass_func *s, struct ir_inst *i);
bool sass_warp(struct sass_func *s, struct ir_inst *i);
bool sass_matrix(struct sass_func *s, struct ir_inst *i);
bool sass_texture(struct sass_func *s, struct ir_inst *i);
void sass_gradients(struct ir_func *f); /* those that no instruction knows become levels */
bool sass_system(struct sass_func *s, struct ir_inst *i);
bool sass_calls_system(const struct ir_func *f);
void sass_generic_local(struct sass_func *s, uint32_t d, struct sass_src place);
void sass_store_local(struct sass_func *s, uint32_t at, unsigned bytes, struct sass_src x);
struct sass_src sass_to_f32(struct sass_func *s, ir_type from, struct sass_src x);
void sass_from_f32(struct sass_func *s, ir_type to, uint32_t d, struct sass_src x, uint32_t flags);
void sass_fence(struct sass_func *s, uint32_t flags);
/* d = v with its sign, if v is a byte or half of a word that was loaded; false: it is none. */
bool sass_sign_of_small(struct sass_func *s, struct ir_value *v, uint32_t d);
/* The counter of the grid's barrier: adds to it, d = what it was; d = what it is. */
void sass_count_grid(struct sass_func *s, uint32_t d, struct sass_src at, struct sass_src add);
void sass_look_at_grid(struct sass_func *s, uint32_t d, struct sass_src at);
void sass_load_slot(struct sass_func *s, uint32_t slot, uint32_t d);
void sass_store_slot(struct sass_func *s, uint32_t slot, uint32_t r);
void sass_find_groups(struct sass_func *s); /* of accesses, before selection */
uint32_t sass_param_base(unsigned arch);
uint32_t sass_shared_base(unsigned arch);
unsigned sass_rounding(uint32_t flags); /* as the hardware numbers them */
/* ---- uniform.c ---- */
/* May an operand of it, put now, be a place in a constant bank? */
bool sass_reads_banks(const struct sass_func *s, enum sass_op op);
void sass_uniform(struct sass_func *s); /* when registers are the machine's */
enum sass_mufu {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH
};
void sass_reciprocal(struct sass_func *s, uint32_t d, struct sass_src x); /* approximate, f32 */
/* ---- divide.c: f32, rounded to nearest; operands are registers without signs ---- */
void sass_quotient(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src b);
void sass_root(struct sass_func *s, uint32_t d, struct sass_src a);

/* ---- once.c: atomics at one address ---- */
struct sass_once {
    struct sass_pred leads; /* who does it */
    struct sass_src value;  /* with what */
    struct sass_src lanes, leader, each;
};
bool sass_may_once(const struct sass_func *s, const struct ir_inst *i);
struct sass_once sass_once(struct sass_func *s, const struct ir_inst *i, struct sass_src x);
/* old: what that lane was told; d: what each would have been. */
void sass_share(struct sass_func *s, const struct sass_once *o, uint32_t old, uint32_t d);

/* ---- collective.c ---- */
struct sass_meeting {
    uint32_t apart, on; /* blocks: of lanes that are not all here, and where both ways go on */
};
struct sass_shuffle {
    struct sass_src value, lane, control;
    unsigned mode;
};
bool sass_meets_apart(const struct sass_func *s, struct ir_value *mask);
/* What is put goes to the way of a whole warp, then to that of one whose lanes are elsewhere, then
 * behind both. */
struct sass_meeting sass_part(struct sass_func *s);
void sass_elsewhere(struct sass_func *s, const struct sass_meeting *m);
void sass_go_on(struct sass_func *s, const struct sass_meeting *m);
/* On the second: what is put between these two, all lanes do together. It reads and writes nothing
 * but a condition (before they meet) and a result, one register or (0) a predicate. */
struct sass_pred sass_meet_condition(struct sass_func *s, struct sass_pred p);
uint32_t sass_meet_result(struct sass_func *s, unsigned size);
uint32_t sass_meet_begin(struct sass_func *s); /* gives where each goes on after it */
void sass_meet_end(struct sass_func *s, uint32_t after);
/* Lanes meet for nothing, a shuffle (gives whether its lane was there), a vote. */
void sass_meet(struct sass_func *s);
struct sass_pred sass_meet_shuffle(struct sass_func *s, uint32_t d, unsigned part,
                                   const struct sass_shuffle *x);
void sass_meet_vote(struct sass_func *s, uint32_t yes, uint32_t no, struct sass_pred p);

/* ---- cluster.c ---- */
enum { SR_SHARED_WINDOW = 0x2f }; /* the upper half of generic addresses in it */
bool sass_asks_cluster(const struct ir_func *f);
bool sass_cluster(struct sass_func *s, struct ir_inst *i);
/* The address of what stands there in the block's own shared memory. */
struct sass_src sass_shared_place(struct sass_func *s, uint32_t at);
/* May it point into the shared memory of another block? Then it is reached by this. */
bool sass_may_be_remote(const struct sass_func *s, struct ir_value *p);
struct sass_src sass_generic_shared(struct sass_func *s, struct sass_src place);

/* ---- alloc.c ---- */
/* False: `places` holds more values now; select again. Or s->failed. */
bool sass_alloc(struct sass_func *s, unsigned limit, struct sass_places *places);
/* ---- converge.c ---- */
struct sass_convergence {      /* by block id */
    bool *parted;              /* perhaps only some of the lanes that came into the kernel run it */
    bool *parts;               /* its branch is one that they may take differently */
    struct ir_block **meeting; /* of those: where all ways meet again, or NULL */
    bool *varies;              /* by value id: lanes may have different ones */
};
/* numbers: as if only the numbers of threads differed, and no memory. */
enum sass_belief {
    BELIEVE_NOTHING,
    BELIEVE_MEMORY, /* only what threads' numbers lead to differs; what is read is alike */
    BELIEVE_ROWS,   /* rows of the block are whole warps, and numbers of threads do not wrap */
};
struct sass_convergence sass_converge(struct sass_func *s, enum sass_belief belief);
bool sass_together(const struct sass_func *s); /* all lanes run what is put now at once */
/* Do all lanes that run what is put now have the same v? */
bool sass_same(const struct sass_func *s, const struct ir_value *v);
/* ---- layout.c ---- */
void sass_layout(struct sass_func *s);
bool sass_guard(struct sass_func *s);   /* guard.c */
void sass_narrow(struct sass_func *s);  /* narrow.c */
void sass_combine(struct sass_func *s); /* combine.c */
/* By block: a set of the registers that are alive at its end, of so many words. What nobody reads
 * is dropped. */
const uint64_t *sass_live_out(struct sass_func *s, uint32_t *words);
void sass_depths(struct sass_func *s); /* in how many loops each block is, by its place */
/* ---- order.c ---- */
void sass_order(struct sass_func *s);   /* before allocation: what takes long starts early */
void sass_balance(struct sass_func *s); /* balance.c: when registers are the machine's */
/* ---- schedule.c ---- */
void sass_schedule(struct sass_func *s, bool careful); /* when registers are the machine's */
/* Fixed latency of a row's result for a reader of a class; 0: its scoreboard says. */
unsigned sass_latency(const struct sass_row *from, const struct sass_row *to, unsigned arch);

/* ---- cubin.c ---- */
struct cubin_kernel {
    const char *symbol;
    const struct ir_func *f;
    const struct sass_word *code;
    size_t words;
    uint32_t registers, frame, shared, barriers;
    uint32_t *exits, *calls;
    size_t nexits, ncalls;
    uint32_t systems; /* of enum sass_system, those that it calls */
    uint32_t text;    /* where its code stands in the file */
};
struct cubin_var {
    const char *symbol;
    struct ir_global *g;
    bool named;     /* the host may ask for it */
    uint32_t slot;  /* of its address in bank 4; SASS_NONE: not there */
    uint32_t place; /* in bank 3; SASS_NONE: it lies in global memory */
};
struct cubin {
    unsigned arch;
    VEC(struct cubin_kernel) kernels;
    VEC(struct cubin_var) vars;
    uint32_t constant_bytes; /* of bank 3 */
    uint32_t system_slots;   /* in bank 4 */
};
void cubin_write(struct cubin *c, struct arena *a, struct sbuf *out);

/* ---- pipeline.c ---- */
const struct sass_options *sass_options(const struct back_job *job);
const char *sass_prepare(struct back_job *job, const struct back_target *t);
bool sass_lower(struct back_job *job, const struct back_target *t);
bool sass_lower_kernel(struct back_job *job, const struct back_target *t, struct ir_func *f);
enum back_support sass_supports(enum ir_op op, ir_type type, const char **why);

/* ---- families of instructions ---- */
static inline bool sass_is_reduction(enum sass_op op) /* an atomic that tells nothing */
{
    return op == OP_RED || op == OP_RED_F;
}
static inline bool sass_is_atomic(enum sass_op op)
{
    return sass_is_reduction(op) || op == OP_ATOM || op == OP_ATOM_CAS || op == OP_ATOMG ||
           op == OP_ATOMG_CAS || op == OP_ATOMG_F || op == OP_ATOMS || op == OP_ATOMS_CAS;
}
static inline bool sass_is_shuffle(enum sass_op op)
{
    return op == OP_SHFL || op == OP_SHFL_BOTH || op == OP_SHFL_LANE || op == OP_SHFL_MASK;
}

#endif
