/* What the files of back/c share.
 *
 * pipeline.c the passes before code is written
 * c.c        the target: which kernel runs how, the parts of the file, launch functions
 * func.c     one function: regions as C statements, values as variables, memory and calls
 * ops.c      the table of elementwise ops: how each is written, for scalars and for vectors
 * vector.c   ops on whole vectors: lanes, masks, conversions, gathers
 * coalesce.c   gathers and scatters of elements close together
 * helper.c   small static functions that the file defines when it uses them
 * standalone.c  what lets the text run without Tern
 * mma.c      warp matrix products
 * text/      what the output carries word for word; fiber.inc runs the threads of a block as
 *            coroutines
 *
 * A vector of the IR becomes as many C vectors of native width as it needs ("chunks"): compilers
 * pass wider ones through memory. A vector of i1 is a mask: chunks of 32-bit lanes, 0 or -1. */
#ifndef BACK_C_C_INT_H
#define BACK_C_C_INT_H

#include "back/back.h"
#include "back/c/c.h"

enum { C_MAX_CHUNKS = 64 };

struct cgen {
    struct arena *arena;
    struct back_job *job;
    const struct c_options *options;
    struct ir_module *module;
    struct interner *names;
    unsigned native; /* bytes of a native vector */
    bool failed;

    /* the parts of the file, in order */
    struct sbuf types, helpers, protos, bodies;
    struct map defined;       /* interned names of types and helpers already written */
    struct map shared_offset; /* ir_global → offset in shared memory */
    struct map global_offset; /* ir_global → offset in the block of globals */
    struct map func_names;    /* ir_func → C name */
    struct map taken;         /* file-level names */
    struct map suffixes;      /* name → the last number put behind it, in this function */
    uint64_t globals_bytes;
    bool fibers;         /* some kernel needs coroutines */
    bool calls_pointers; /* some function calls through a pointer */
    unsigned places;     /* where threads ask which others run with them */
    bool uses_libm;      /* a header comment says -lm */
    bool uses_fenv;

    /* the function being written */
    struct ir_func *func;
    struct region_tree *tree;
    struct sbuf *out;
    unsigned indent;
    const char **name; /* by value id: variable, or whole expression of a value written in place */
    bool *escapes;
    uint32_t *uses;
    struct map locals; /* names taken in this function */
    bool sreg_used[IR_SREG_COUNT];
    bool uses_shared, uses_globals;
    bool uses_zero, uses_sink; /* where lanes that do not run load from and store to */
    bool ahead;                /* asks for what the next gangs will read */
    unsigned apart; /* bytes where elements are put together that cannot be read at once */
    bool gang;      /* the function is a block or gang function of the vectoriser */
    bool fiber;     /* it runs inside a coroutine */
    uint32_t line;  /* of the last #line */
    const char *line_path;
    struct ir_inst *inst; /* being written, for diagnostics */
};

/* pipeline.c; false: a pass broke the module */
bool c_lower_block(struct cgen *g, struct ir_func *f); /* what the vectoriser made */
bool c_lower_func(struct cgen *g, struct ir_func *f);  /* makes the tree */

/* c.c */
void c_refuse(struct cgen *g, const struct ir_inst *i, const char *why);
const char *c_func_name(struct cgen *g, struct ir_func *f);
/* Functions whose address is taken are numbered from 1 in the order of the module, so that every
 * file made from the module agrees. */
const char *c_address(struct cgen *g, struct ir_global *global); /* an expression of type char * */

/* helper.c */
/* Defines (once) the helper of that name for scalar type t, or for a vector of `lanes` of it, and
 * returns what to call it. NULL: there is none. */
const char *c_helper(struct cgen *g, const char *name, ir_type t);
/* Defines (once) a helper with a text of the caller's own; see helper.c for its placeholders. */
const char *c_define(struct cgen *g, const char *name, ir_type to, ir_type from, const char *text);
const char *c_lane_loop(struct cgen *g, const char *name, ir_type to, ir_type from, unsigned arity,
                        const char *scalar);
const char *c_type(struct cgen *g, ir_type t); /* scalar, or vector of one chunk; defined */
const char *c_signed(struct cgen *g, ir_type t);
const char *c_mask(struct cgen *g, unsigned bits, unsigned lanes); /* integer vector type */
const char *c_unaligned(struct cgen *g, ir_type t, unsigned align);
const char *c_identifier(struct cgen *g, struct map *taken, const char *wish);

/* mma.c */
const char *c_mma(struct cgen *g, unsigned which);
/* Registers of A, B and C; bytes of each. */
unsigned c_mma_registers(unsigned which, unsigned count[3]);
unsigned c_mma_find(const char *name); /* UINT_MAX: not the name of one */

/* standalone.c */
bool c_standalone(struct cgen *g, struct sbuf *o);

/* made by tool/text.c: how the file begins; the structs of back/cpu_abi.h; functions on blocks;
 * what runs the threads of a block as coroutines; what runs without Tern */
extern const char c_types_text[], c_abi_text[], c_blocks_text[], c_fiber_text[],
    c_standalone_text[];

/* ops.c */
enum back_support c_supports(enum ir_op op, ir_type type, const char **why);
/* The value of an elementwise op on scalars, or on one chunk of vectors all of whose operands have
 * the type t; `from` is the operand's type where it differs. Arguments are C expressions. */
const char *c_scalar_op(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from,
                        const char *const *args);
const char *c_chunk_op(struct cgen *g, const struct ir_inst *i, ir_type t, const char *const *args);
/* A helper that does the (scalar) conversion or op i, and one that does it for each lane. */
const char *c_op_helper(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type from);
const char *c_constant(struct cgen *g, ir_type t, uint64_t bits); /* scalar */

/* vector.c */
unsigned c_lanes(const struct cgen *g, ir_type t); /* lanes in one chunk of the vector type t */
unsigned c_chunks(const struct cgen *g, ir_type t);
ir_type c_chunk_type(const struct cgen *g, ir_type t);
const char *c_chunk(struct cgen *g, struct ir_value *v, unsigned k);   /* expression */
const char *c_lane(struct cgen *g, struct ir_value *v, unsigned lane); /* expression, scalar */
/* Writes out[k], the expression of each chunk of a result; false: not one of its ops. */
bool c_vector_op(struct cgen *g, const struct ir_inst *i, const char **out);
bool c_vector_statement(struct cgen *g, const struct ir_inst *i);
bool c_all_ones(const struct ir_value *mask);
const char *c_mask_piece(struct cgen *g, struct ir_value *mask, unsigned bits, unsigned k);
ir_type c_integer(unsigned bits);
ir_type c_unpointed(ir_type t); /* pointers in vectors are numbers */
/* Scalar results from vectors. NULL: not one of its ops. */
const char *c_vector_to_scalar(struct cgen *g, const struct ir_inst *i);

/* coalesce.c: false: not such a gather or scatter. */
bool c_coalesced_load(struct cgen *g, const struct ir_inst *i, const char **out);
bool c_coalesced_store(struct cgen *g, const struct ir_inst *i);
/* Vectors of addresses whose lanes are constants from one address are written nowhere. */
void c_fold_addresses(struct cgen *g, struct ir_func *f);
void c_near_addresses(struct ir_func *f); /* computes them where they are used */

/* func.c */
void c_function(struct cgen *g, struct ir_func *f);
const char *c_value(struct cgen *g, struct ir_value *v); /* expression of a scalar */
void c_line(struct cgen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *c_load(struct cgen *g, const struct ir_inst *i, ir_type t, const char *p);
const char *c_rmw(struct cgen *g, enum ir_rmw kind, ir_type t, uint32_t flags, const char *p,
                  const char *v);
void c_results(struct cgen *g, const struct ir_inst *i, const char *expression);
const char *c_print(struct cgen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void c_declare(struct cgen *g, struct ir_value *v, const char *const *chunks);

#endif
