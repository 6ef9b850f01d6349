/* The host half of a program, lowered to the same IR as kernels are: main, what it reaches, and the
 * variables of the program.
 *
 * host.c       which functions there are: the program's own, the C library's and the runtime's
 *              (declared, found by name when the code is loaded), kernels (a stub that launches)
 * host_throw.c exceptions; descriptors of types
 * host_init.c  variables whose first value is computed, and what is destroyed when the program ends
 *
 * What code is loaded by: `main`, and `__tern_host_init`, which registers kernels and device
 * variables with the runtime (tern_abi.h) and gives variables their first values. The unit that
 * these belong to is the variable `__tern_host_unit`, which the loader has.
 *
 * The convention between functions of the program is that of device code (call.c): classes travel
 * by pointer. Functions from outside are called as C's ABI has it, whose facts are a row of struct
 * host_abi; what has no row here is refused. A call of those is the op call_ptr, because it may
 * have more arguments than parameters; its imm has a bit for each operand that goes on the stack
 * whatever registers are free. */
#ifndef FRONT_CUDA_LOWER_HOST_H
#define FRONT_CUDA_LOWER_HOST_H

#include "front/cuda/lower/lower.h"

struct host_abi {
    const char *name;
    unsigned integers;   /* arguments in registers */
    bool large_by_value; /* classes above 16 bytes lie on the stack; else their address is passed */
    bool stops_at_stack; /* once an argument is on the stack, none takes a register any more */
    bool typed;          /* functions from outside have the types that their declarations say */
};
/* Of the machine that this runs on, or of WebAssembly. */
const struct host_abi *lo_host_abi(const struct lower *l);

struct host_kernel {
    struct func *fn;
    struct ir_func *stub;
    struct ir_value *entry;
};
struct host_variable {
    struct var *var;
    bool computed; /* its first value is; else it only has to be destroyed */
    struct ir_value *guard;
};
struct host_wrapper { /* a function that destroys one object */
    struct type *type;
    struct ir_func *fn;
};
struct host_check {              /* a call that may throw, or (seen is NULL) throw itself */
    struct ir_func *in, *callee; /* callee NULL: any */
    struct ir_value *seen;
    bool stays; /* what is thrown does not leave `in` */
};
struct host_maker { /* a function that gives a thread's own variable its first value */
    struct var *var;
    struct ir_func *fn;
    bool computed;
};
struct lo_host {
    VEC(struct host_check) checks;
    VEC(struct cleanup *) landings; /* of the function that is lowered */
    struct map throwing;            /* functions that something may be thrown through */
    VEC(struct host_kernel) kernels;
    VEC(struct host_variable) variables; /* of namespaces and classes */
    VEC(struct host_wrapper) wrappers;
    VEC(struct host_maker) makers;
    VEC(struct var *) devices; /* shadows of the device's variables */
    struct map statics;        /* of functions: var → host_variable */
    size_t kernels_done, variables_done, wrappers_done, makers_done;
    VEC(struct ir_func *) init; /* parts of it, the last first */
    unsigned number;
};

/* ---- host.c ---- */
bool lo_host_all(struct lower *l); /* in cu_lower_all's place */
/* A kernel's stub, or what is from outside; NULL: an ordinary function. */
struct ir_func *lo_host_func(struct lower *l, struct func *fn, struct span at);
bool lo_host_outside(struct lower *l, const struct func *fn);
/* Refuses addresses of functions that a call through a pointer would give other arguments. */
void lo_host_check_address(struct lower *l, struct func *fn, struct span at);
struct ir_value *lo_host_call(struct lower *l, struct expr *e, struct place *result);
void lo_host_launch(struct lower *l, struct expr *e);
/* Functions of ours with `...` get a pointer to what C's va_list calls the stack behind their
 * parameters: <stdarg.h> makes a va_list of it in which no registers are left. */
bool lo_reads_rest(const struct lower *l, const struct func *fn);
struct ir_value *lo_host_rest_args(struct lower *l, struct expr *e, size_t from);
struct ir_value *lo_host_rest_value(struct lower *l, struct expr *e); /* in such a function */
/* A function of the runtime, by name. */
struct ir_value *lo_host_runtime(struct lower *l, const char *name, ir_type result,
                                 struct ir_value *const *args, uint32_t n);

/* ---- host_throw.c ---- */
/* After a call of fn, or through a pointer (NULL). */
void lo_after_call(struct lower *l, struct func *fn, struct ir_func *callee);
void lo_throw(struct lower *l, struct expr *e);
void lo_try(struct lower *l, struct stmt *s);
void lo_push_undo(struct lower *l, enum cleanup_kind kind, struct type *t, struct ir_value *p);
struct ir_value *lo_push_elements(struct lower *l, struct type *t, struct ir_value *p);
void lo_forget_undo(struct lower *l, struct cleanup *down_to);
void lo_undo(struct lower *l, struct cleanup *c);
struct ir_block *lo_landing(struct lower *l, struct cleanup *c);
void lo_landings(struct lower *l);    /* at the end of a function */
void lo_drop_checks(struct lower *l); /* when all is lowered: of calls that throw nothing */
struct ir_value *lo_descriptor(struct lower *l, struct type *t);
struct ir_value *lo_typeid(struct lower *l, struct expr *e);

/* ---- host_init.c ---- */
struct ir_value *lo_host_destroyer(struct lower *l, struct type *t); /* of an object of that type */
void lo_host_variable(struct lower *l, struct var *v, bool computed);
void lo_host_static(struct lower *l, struct var *v); /* where its declaration stands */
/* Where the running thread has v, whose first bytes are g's. */
struct ir_value *lo_host_thread_var(struct lower *l, struct var *v, struct ir_value *g);
void lo_host_rest(struct lower *l); /* bodies of what was made; the program's init */

#endif
