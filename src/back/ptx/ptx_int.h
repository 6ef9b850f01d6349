/* What the files of back/ptx share.
 *
 * pipeline.c the passes before code is written
 * ptx.c      the target: module header, globals, declarations, which kernels and what they need
 * func.c     one function: parameters, blocks, edges, calls
 * ops.c      the table of plain operations and its template language
 * convert.c  conversions between types and address spaces
 * mem.c      loads and stores (merged into vectors where alignment allows), copies, fills
 * atomic.c   rmw and cas, native or as loops
 * async.c    what Hopper does asynchronously
 * tie.c      one register for what wgmma adds to
 * warp.c     barriers, warp operations, matrices, textures, special registers
 *
 * Every IR value lives in one virtual register of its class. i1 is a predicate; i8 is kept
 * zero-extended in a 16-bit register; pointers into shared and local memory are 32-bit offsets,
 * all other pointers are 64 bits. ptxas allocates real registers. */
#ifndef BACK_PTX_INT_H
#define BACK_PTX_INT_H

#include "back/back.h"
#include "back/output.h"
#include "back/ptx/ptx.h"

enum ptx_class { PTX_PRED, PTX_B16, PTX_B32, PTX_B64, PTX_F16, PTX_F32, PTX_F64, PTX_CLASSES };
extern const struct ptx_class_info {
    const char *prefix; /* of register names */
    const char *reg;    /* type in .reg */
    const char *bits;   /* type of moves and memory: "b32" */
    unsigned bytes;
} ptx_class_info[PTX_CLASSES];

/* Module-wide state. */
struct ptx {
    struct back_job *job;
    const struct ptx_options *options;
    struct arena *a;
    unsigned arch; /* 80 */
    struct sbuf text;
    struct map symbols; /* ir_func or ir_global → its name in the output */
    struct map taken;   /* interned output names in use */
    struct map reached; /* ir_func and ir_global that are emitted */
    struct map files;   /* interned path → number */
    unsigned isa;       /* the version of PTX that it needs beyond 7.8: 80, 84; 0: none */
    bool arch_a;        /* needs sm_90a */
    bool uses_printf, uses_malloc, uses_free, uses_assert, uses_gridsync;
    bool failed;
};

enum ptx_use {
    PTX_USED_AS_VALUE = 1, /* needs a register of its own */
    PTX_USED_EXACTLY = 2,  /* the bits of a NaN matter: some user is not float arithmetic */
};

struct ptx_func {
    struct ptx *p;
    struct ir_func *f;
    struct arena *a;
    struct sbuf body;
    uint32_t count[PTX_CLASSES];
    uint32_t *reg;  /* by value id: class << 28 | number; 0: none yet */
    uint8_t *uses;  /* by value id: enum ptx_use */
    uint32_t label; /* next local label */
    uint32_t depot_bytes, depot_align;
    uint32_t scratch_bytes; /* printf arguments, after the depot */
    uint32_t needs;         /* enum back_uses found on the way */
    source_loc last_loc;
    uint32_t last_line, last_file;
    struct ir_block **order; /* blocks as emitted */
    uint32_t norder;
    const struct ir_inst *current;
};

/* ---- pipeline.c ---- */
const struct ptx_options *ptx_options(const struct back_job *job);
const char *ptx_prepare(struct back_job *job);
bool ptx_lower(struct ptx *p);
bool ptx_lower_func(struct ptx *p, struct ir_func *f); /* before it is written */

/* ---- func.c ---- */
void ptx_emit_func(struct ptx *p, struct ir_func *f);
enum ptx_class ptx_class_of(ir_type t);
const char *ptx_fresh(struct ptx_func *e, enum ptx_class c);     /* a new register */
const char *ptx_reg(struct ptx_func *e, struct ir_value *v);     /* the register of a value */
const char *ptx_operand(struct ptx_func *e, struct ir_value *v); /* register or immediate */
const char *ptx_in_reg(struct ptx_func *e, struct ir_value *v);  /* a register in any case */
uint32_t ptx_label(struct ptx_func *e);
void ptx_line(struct ptx_func *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ptx_mark(struct ptx_func *e, uint32_t label);
void ptx_refuse(struct ptx_func *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool ptx_needs_arch(struct ptx_func *e, unsigned arch, const char *what);
const char *ptx_signature(struct ptx *p, struct ir_func *f); /* ".func (…) name(…)" */
const char *ptx_param_name(struct ptx_func *e, uint32_t index);

/* ---- ops.c ---- */
struct ptx_bind {
    ir_type type;         /* that selects the column */
    ir_type result;       /* PTX_PRED results are not narrowed */
    uint32_t flags;       /* of the instruction */
    const char *d;        /* result register */
    const char *arg[3];   /* operands, in registers or immediate */
    bool second_not_zero; /* the second operand is a constant other than 0 */
    bool exact;           /* NaN bits matter */
};
bool ptx_has_row(enum ir_op op, ir_type type);
bool ptx_plain(struct ptx_func *e, enum ir_op op, const struct ptx_bind *b);
void ptx_template(struct ptx_func *e, const char *text, const struct ptx_bind *b);

/* ---- convert.c ---- */
bool ptx_convert(struct ptx_func *e, struct ir_inst *i); /* false: not a conversion */
const char *ptx_to_f32(struct ptx_func *e, ir_type from, const char *x); /* from f16 or bf16 */
void ptx_from_f32(struct ptx_func *e, ir_type to, const char *d, const char *x, uint32_t flags);
void ptx_round_to_odd(struct ptx_func *e, const char *d, const char *down, const char *up);
const char *ptx_widen(struct ptx_func *e, ir_type from, const char *x, bool sign); /* to b32 */
void ptx_narrow(struct ptx_func *e, ir_type to, const char *d, const char *x);     /* from b32 */
const char *ptx_low32(struct ptx_func *e, struct ir_value *v, unsigned depth);
const char *ptx_generic(struct ptx_func *e, struct ir_value *v); /* address as 64-bit generic */

/* ---- mem.c ---- */
struct ptx_address {
    const char *base; /* register or symbol */
    int64_t offset;
    enum ir_space space;
    const char *text; /* "[base+offset]" */
};
extern const char *const ptx_space_suffix[IR_SPACE_COUNT]; /* ".global", "" for generic */
struct ptx_address ptx_address(struct ptx_func *e, struct ir_value *p, int64_t more);
void ptx_merge_accesses(struct ptx_func *e, struct ir_block *b);
bool ptx_memory(struct ptx_func *e, struct ir_inst *i);
void ptx_load_value(struct ptx_func *e, ir_type t, const char *d, const char *how,
                    const char *address);
void ptx_store_value(struct ptx_func *e, ir_type t, const char *v, const char *how,
                     const char *address);
void ptx_zero_local(struct ptx_func *e, const char *base, uint64_t bytes, uint32_t align);

/* ---- atomic.c ---- */
bool ptx_atomic(struct ptx_func *e, struct ir_inst *i);
const char *ptx_scope(uint32_t flags);

/* ---- async.c, tie.c ---- */
bool ptx_async(struct ptx_func *e, struct ir_inst *i);
void ptx_tie(struct ptx_func *e); /* before anything has a register */

/* ---- warp.c ---- */
bool ptx_warp(struct ptx_func *e, struct ir_inst *i);
void ptx_emit_gridsync(struct sbuf *out);

#endif
