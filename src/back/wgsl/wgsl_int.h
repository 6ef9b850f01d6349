/* What only back/wgsl uses.
 *
 * How values are held:  i1 bool · i8 i16 i32 u32, zero-extended · i64 f64 vec2<u32> (low, high), or
 * u32 where only the low word of an i64 is ever looked at · f16 bf16 u32 bits · f32 f32 · pointers
 * u32 byte offsets into heap, smem (shared), lmem (local) or the parameters; a generic pointer has
 * the space in its two top bits.
 *
 * pipeline.c the passes before code is written
 * wgsl.c     the module: declarations, kernels, description
 * flow.c     region tree → statements
 * ops.c      operations → expressions
 * memory.c   loads, stores, atomics, copies
 * bindings.c arguments with bindings of their own
 * warp.c     operations of warps on subgroups
 * helpers.c  WGSL functions that generated code calls, written out when used */
#ifndef BACK_WGSL_INT_H
#define BACK_WGSL_INT_H

#include "back/back.h"
#include "back/wgsl/wgsl.h"
#include "back/web_abi.h"

enum { WGSL_BINDINGS = 7 }; /* of arguments: WebGPU promises 8 storage buffers */
enum wgsl_mem {
    MEM_HEAP,
    MEM_SHARED,
    MEM_LOCAL,
    MEM_PARAM,
    MEM_GENERIC,
    MEM_BOUND, /* and the next: arguments with bindings of their own */
    MEM_COUNT = MEM_BOUND + WGSL_BINDINGS
};
#define WGSL_TAG_SHIFT 30u /* of generic pointers: 0 heap, 1 shared, 2 local, 3 parameters */

struct wgsl_kernel {
    struct ir_func *func;
    const char *symbol, *launch; /* names of the entry point and of its uniform variable */
    bool raw_params;             /* parameters as words, not as members */
    bool warps;                  /* has operations of warps */
    bool whole;                  /* in warps where no thread is missing */
    bool subgroups, one;         /* on subgroups; of which one is a whole warp */
    const char **members;        /* by parameter */
};

struct wgsl_let {
    size_t start, end, from, to; /* in the text; in the list of names that were written */
    uint32_t id;
};

struct wgsl_quad {
    const char *index, *name; /* four words of shared memory that a name stands for */
};

struct wgsl {
    struct back_job *job;
    const struct wgsl_options *options;
    struct arena *arena;
    struct ir_module *module;
    struct name_table *globals; /* module-scope names */
    struct name_table *outside; /* what functions may not call their values */
    struct sbuf *out;           /* the functions */
    VEC(const char *) helpers;  /* interned names of those used, in order of first use */
    struct map helper_seen;
    bool atomic[MEM_COUNT]; /* the array of this space is atomic<u32> */
    bool uses[MEM_COUNT];
    bool words[MEM_COUNT];              /* of a binding: more than f32 is read and written */
    struct map bound;                   /* pointer → 1 + its binding among those of arguments */
    struct map programs;                /* kernels that lower_program has changed */
    const char *binding[WGSL_BINDINGS]; /* the variable; NULL: none */
    bool orders_heap;                   /* barriers of this kernel are for the heap too */
    bool status;                        /* something writes the status words of the heap */
    bool counts;                        /* loops have a budget */
    bool alone;                         /* there is one kernel, and no function */
    bool f16;                           /* the language's own f16 is used */
    bool subgroups;                     /* operations of warps are those of subgroups */
    bool private;                       /* sregs as private variables, for functions */
    struct map shared_offset, heap_offset, func_name;
    struct map func_number; /* address taken: what a pointer to it holds, from 2 */
    struct map dispatchers; /* interned signature → the call_ptr that first needed it */
    uint32_t shared_bytes, heap_bytes, local_bytes;
    bool failed;
    bool changed;          /* by the last pass that may leave a function as it was */
    bool deep;             /* functions called themselves: all that is called is in the kernels */
    struct ir_block *park; /* of the kernel that was last parked */

    /* the function being written */
    uint32_t line; /* of the source, where the text is to say it; else 0 */
    struct ir_func *func;
    struct wgsl_kernel *kernel; /* NULL: a function */
    struct region_tree *tree;
    struct name_table *locals;
    const char **name; /* by value id */
    uint32_t *uses_of;
    bool *folded, *escapes, *low; /* by value id; low: an i64 held as its low word */
    bool *counter;                /* by value id: declared in the head of its loop */
    uint32_t *said;               /* by value id: how often its name was written */
    VEC(uint32_t) names;          /* the ids of these, in order */
    VEC(struct wgsl_let) lets;    /* lines that go again if the name never is */
    uint8_t *space;               /* by value id: enum wgsl_mem that a pointer is known to be in */
    unsigned depth;
    bool quads;                   /* shared memory is an array of vec4 */
    VEC(struct wgsl_quad) loaded; /* of it, and not written since */
};

/* pipeline.c; false: a pass broke the module */
const char *wgsl_prepare(struct back_job *job);
bool wgsl_lower(struct wgsl *w);
bool wgsl_lower_func(struct wgsl *w, struct ir_func *f); /* makes the tree */
bool wgsl_lower_kernel(struct wgsl *w, struct wgsl_kernel *k);
/* wgsl.c */
#define WGSL_NO_WORDS "not for this type or rounding"
bool wgsl_refuse(struct wgsl *w, const struct ir_inst *i, const char *why);
enum back_support wgsl_supports(enum ir_op op, ir_type type, const char **why);
const char *wgsl_type(const struct wgsl *w, const struct ir_value *v);
const char *wgsl_type_name(ir_type t);
/* Function pointers are numbers; a call through one goes to a function that switches. */
uint32_t wgsl_number(struct wgsl *w, struct ir_func *f);
const char *wgsl_dispatcher(struct wgsl *w, const struct ir_inst *call);
bool wgsl_fits_call(const struct ir_func *f, const struct ir_inst *call);
/* loops.c */
struct wgsl_counter { /* for (var v = first; test; v = next) */
    const struct ir_value *v;
    const struct ir_value *first;
    const struct ir_inst *next;
};
/* The test at the head of a loop, if it starts with one: what comes before it only gives it names.
 */
const struct region *wgsl_loop_test(const struct wgsl *w, const struct region *loop);
bool wgsl_is_counted(const struct wgsl *w, const struct region *before, const struct region *loop,
                     struct wgsl_counter *c);
void wgsl_find_counters(struct wgsl *w); /* fills counter */
/* flow.c */
void wgsl_begin(struct wgsl *w);    /* fills the tables of the function */
void wgsl_function(struct wgsl *w); /* names values and writes the body */
void wgsl_begin_turns(struct wgsl *w);
void wgsl_line(struct wgsl *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* ops.c: text of a value; parenthesised where it is not one word or call */
const char *wgsl_value(struct wgsl *w, const struct ir_value *v);
const char *wgsl_low(struct wgsl *w, const struct ir_value *v);       /* low word of an i64 */
const char *wgsl_expression(struct wgsl *w, const struct ir_inst *i); /* NULL: not one */
const char *wgsl_sreg(struct wgsl *w, enum ir_sreg r);
bool wgsl_shifts_words(const struct ir_inst *i); /* an i64 by 32 or more: one word moves */
/* memory.c */
enum wgsl_mem wgsl_mem_of(const struct wgsl *w, const struct ir_value *pointer);
const char *wgsl_load(struct wgsl *w, const struct ir_inst *i);
bool wgsl_finds_quads(struct wgsl *w); /* is shared memory of fours of words? */
void wgsl_forget(struct wgsl *w);      /* what was loaded: control flow, writes, barriers */
bool wgsl_memory(struct wgsl *w, const struct ir_inst *i); /* a statement; false: refused */
/* bindings.c */
bool wgsl_bind(struct wgsl *w, struct ir_func *f);
void wgsl_put_bindings(struct wgsl *w, struct sbuf *out);
/* warp.c */
bool wgsl_warps_fit(struct wgsl *w, struct wgsl_kernel *k); /* the subgroups */
const char *wgsl_warp(struct wgsl *w, const struct ir_inst *i, const char **inside);
/* helpers.c */
const char *wgsl_helper(struct wgsl *w, const char *name); /* asks for it; returns the name */
void wgsl_reserve_helpers(struct name_table *t);           /* so that nothing else is called so */
void wgsl_put_helpers(struct wgsl *w, struct sbuf *out);

#define TEXT(w, ...) arena_printf((w)->arena, __VA_ARGS__)

#endif
