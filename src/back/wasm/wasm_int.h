/* What only back/wasm uses.
 *
 * How values are held:  i1 i8 i16 i32 as i32, zero-extended · i64 · f16 bf16 as i32 bits · f32 ·
 * f64 · pointers as i32, absolute addresses in every space.
 *
 * pipeline.c        the passes before code is written
 * wasm.c            the module: sections, kernels, data, description
 * host.c            a module of ordinary functions: the host half of a program
 * simd.c            the same for vectors of 4, 8, 16… lanes
 * code.c            region tree → structured control flow
 * ops.c             operations → instructions
 * atomics.c         those on memory that others see
 * vector_calls.c    functions of the runtime, on vectors
 * constant_lanes.c  vectors that are constants
 * lanes.c           what follows from them, before code is written
 * promote_shared.c  shared memory that is promoted to locals
 * narrow.c          what is added to pointers, in 32 bits
 * reassociate.c     addresses in loops
 * text/             what kernels call, in IR: launching, waiting, functions WebAssembly lacks */
#ifndef BACK_WASM_INT_H
#define BACK_WASM_INT_H

#include "back/back.h"
#include "back/wasm/opcodes.h"
#include "back/wasm/wasm.h"
#include "back/web_abi.h"

#define WASM_WHOLE_BLOCK UINT32_MAX /* in place of a frame's size: one call runs the block */
#define WASM_STACK       65536u     /* for functions, beyond what the kernel itself takes */

struct wasm_word { /* what memory holds: a lane of a value; NULL: not known, or not asked for */
    const struct ir_value *value;
    unsigned lane;
};
struct wasm_zip { /* the lower or upper halves of two parts */
    struct wasm_word of[2];
    bool upper;
    uint32_t local;
};

struct wasm {
    struct back_job *job;
    const struct wasm_options *options;
    struct arena *arena;
    struct ir_module *module;
    struct map func_index;       /* ir_func → index + 1 */
    VEC(struct ir_func *) queue; /* by index; given when something first needs the function */
    struct map shared_offset, global_offset;
    uint32_t shared_bytes;
    uint32_t first;          /* address of the first variable */
    struct wasm_host *host;  /* host.c: ordinary functions; asked for by wasm_is_host */
    uint32_t nimports;       /* functions from outside, which are numbered first */
    VEC(const char *) types; /* interned encodings of function types */
    bool failed;
    bool pointers;     /* to functions are taken */
    bool had_matrices; /* the function that was last looked at */

    /* the function being written */
    struct ir_func *func;
    struct region_tree *tree;
    struct sbuf *code;
    uint32_t *uses_of;
    bool *folded;
    uint32_t nconstant_lanes; /* ids below are in: */
    uint32_t *
        *constant_lanes; /* by value id: the lanes of a vector, where they are known; else NULL */
    uint32_t *needed;    /* by value id: the lanes of a vector that somebody looks at, as bits */
    uint32_t *local;     /* by value id: index of its local */
    VEC(uint8_t) locals; /* types of the locals after the parameters */
    uint32_t nparams;    /* of the WebAssembly function */
    uint32_t own_params; /* of a kernel: those beyond are for runs of blocks */
    uint32_t scratch[4]; /* first scratch local of i32, i64, f32, f64; made on demand */
    uint32_t *temps;     /* local of each temporary of the tree */
    uint32_t shared;     /* local with the address of shared memory; 0: nothing looks at it */
    uint32_t alloca_bytes;
    uint32_t base;                     /* local that holds the frame of allocas */
    bool suspends;                     /* a kernel whose allocas live in the thread's frame */
    uint32_t frame_bytes;              /* of that, before allocas */
    VEC(const struct ir_inst *) loads; /* of this block, since something was written */
    VEC(struct wasm_zip) zips;         /* made so far: promote_shared.c */
    VEC(const struct region *) labels; /* open control; NULL: nothing to branch to */
    VEC(bool) label_is_loop;
};

/* Ordinary functions, not kernels? Pages that run kernels only go without. */
static inline bool wasm_is_host(const struct wasm *w)
{
#if defined(TERN_SMALL) && !defined(TERN_WHOLE)
    (void)w;
    return false;
#else
    return w->job->options.host;
#endif
}

/* pipeline.c; false: a pass broke the module */
const char *wasm_prepare(struct back_job *job);
bool wasm_lower(struct wasm *w);
bool wasm_is_together(const struct ir_func *f); /* do its blocks wait for each other? */
/* A function for all threads of a block, so many at a time, or NULL. */
bool wasm_vectorize(struct wasm *w, struct ir_func *f, struct ir_func **out, uint32_t *lanes);
bool wasm_lower_func(struct wasm *w, struct ir_func *f, bool may_wait); /* makes the tree */
/* wasm.c */
bool wasm_refuse(struct wasm *w, const struct ir_inst *i, const char *why);
enum back_support wasm_supports(enum ir_op op, ir_type type, const char **why);
uint8_t wasm_type(ir_type t);
uint32_t wasm_index(struct wasm *w, struct ir_func *f); /* its element in the table: index + 1 */
/* What a pointer to it holds: twice that. Even, as lower_func_number has it. */
uint32_t wasm_pointer(struct wasm *w, struct ir_func *f);
uint32_t wasm_signature(struct wasm *w, const ir_type *params, uint32_t n, ir_type ret);
void wasm_section(struct sbuf *out, unsigned id, const struct sbuf *body);
void wasm_name(struct sbuf *b, const char *s);
void wasm_data_section(struct wasm *w, struct sbuf *out);
uint32_t wasm_signature_of(struct wasm *w, const struct ir_func *f);
void wasm_table(struct sbuf *out, struct arena *a, uint32_t count); /* room for so many */
void wasm_globals(struct sbuf *out, struct arena *a); /* the stack pointer, the launcher's words */
void wasm_elements(struct sbuf *out, struct arena *a, uint32_t count); /* functions by number */
/* host.c */
bool wasm_host_module(struct wasm *w);
/* The number of what a call of a function from outside, or the op, calls. */
uint32_t wasm_import_of(struct wasm *w, const struct ir_inst *i);
/* code.c */
void wasm_function(struct wasm *w, struct sbuf *out); /* size, locals and body */
uint32_t wasm_new_local(struct wasm *w, uint8_t type);
/* ops.c */
void wasm_value(struct wasm *w, const struct ir_value *v);
bool wasm_instruction(struct wasm *w, const struct ir_inst *i); /* leaves a result on the stack */
bool wasm_reads_twice(const struct ir_inst *i, uint32_t arg);   /* it must be a local */
const char *wasm_runtime_of(enum ir_op op); /* @tern.NAME_f32 computes it; NULL: none does */
void wasm_op(struct wasm *w, unsigned op);
void wasm_i32(struct wasm *w, uint32_t v);
void wasm_i64(struct wasm *w, uint64_t v);
void wasm_local(struct wasm *w, unsigned op, uint32_t index);
void wasm_load(struct wasm *w, ir_type t, uint32_t align, uint32_t offset);
void wasm_store(struct wasm *w, ir_type t, uint32_t align, uint32_t offset);
static inline uint32_t wasm_own(uint32_t at) /* the global after the stack pointer */
{
    return 1 + (at - WASM_OWN) / 4;
}
/* atomics.c */
void wasm_atomic(struct wasm *w, const struct ir_inst *i);
bool wasm_ordered(struct wasm *w, const struct ir_inst *i);
void wasm_fence(struct wasm *w);
void wasm_uleb(struct sbuf *b, uint64_t v);
/* simd.c */
enum { WASM_STAND_INS = 4 };    /* ids after a function's values, for lanes of vectors */
unsigned wasm_parts(ir_type t); /* locals of a value: a v128 for each four lanes or two wide ones */
bool wasm_has_lanes(ir_type t); /* can vectors have so many? */
void wasm_part(struct wasm *w, const struct ir_value *v, unsigned part); /* one of them */
bool wasm_touches_vectors(const struct ir_inst *i);
bool wasm_takes_vector(const struct ir_inst *i);             /* will wasm_vector do it? */
bool wasm_vector(struct wasm *w, const struct ir_inst *i);   /* sets the result's locals itself */
void wasm_v128(struct wasm *w, uint64_t low, uint64_t high); /* a constant */
void wasm_shuffle(struct wasm *w, const uint8_t *pick);      /* bytes, of two on the stack */
void wasm_lane(struct wasm *w, const struct ir_value *v, unsigned lane); /* as a scalar */
void wasm_remember(struct wasm *w, const struct ir_inst *i); /* what was loaded: after writing it */
/* vector_calls.c */
void wasm_vector_calls(struct wasm *w,
                       struct ir_func *f); /* functions of the runtime, on vectors */
/* constant_lanes.c */
void wasm_find_constant_lanes(struct wasm *w, struct ir_func *f); /* w->constant_lanes for f */
void wasm_fold_constant_lanes(struct wasm *w); /* and what of it is nowhere in the code */
/* lanes.c */
void wasm_lanes(struct wasm *w, struct ir_func *f);
/* promote_shared.c */
/* After wasm_find_constant_lanes. Accesses that need no memory have `data`: a word for each lane
 * that a load reads. True: that is so for all shared memory. */
bool wasm_hold(struct wasm *w, struct ir_func *f);
void wasm_promoted_part(struct wasm *w, const struct wasm_word *words); /* four, on the stack */
/* narrow.c */
void wasm_narrow(struct wasm *w, struct ir_func *f); /* after it, ptradd adds i32 or a constant */
/* reassociate.c */
void wasm_reassociate(struct wasm *w, struct ir_func *f); /* after wasm_narrow */
/* made by tool/text.c of text/: text of a module */
extern const char wasm_runtime[];

#endif
