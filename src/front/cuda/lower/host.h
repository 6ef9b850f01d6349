/* The host half of a program, lowered to the same IR as kernels are: main, what it reaches, and the
 * variables of the program.
 *
 * host.c       which functions there are: the program's own, the C library's and the runtime's
 *              (declared, found by name when the code is loaded), kernels (a stub that launches)
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
struct lo_host {
    VEC(struct host_kernel) kernels;
    VEC(struct host_variable) variables; /* of namespaces and classes */
    VEC(struct host_wrapper) wrappers;
    VEC(struct var *) devices; /* shadows of the device's variables */
    struct map statics;        /* of functions: var → host_variable */
    size_t kernels_done, variables_done, wrappers_done;
    VEC(struct ir_func *) init; /* parts of it, the last first */
    unsigned number;
};

/* ---- host.c ---- */
bool lo_host_all(struct lower *l); /* in cu_lower_all's place */
/* A kernel's stub, or what is from outside; NULL: an ordinary function. */
struct ir_func *lo_host_func(struct lower *l, struct func *fn, struct span at);
bool lo_host_outside(struct lower *l, const struct func *fn);
struct ir_value *lo_host_call(struct lower *l, struct expr *e, struct place *result);
void lo_host_launch(struct lower *l, struct expr *e);
/* A function of the runtime, by name. */
struct ir_value *lo_host_runtime(struct lower *l, const char *name, ir_type result,
                                 struct ir_value *const *args, uint32_t n);

/* ---- host_init.c ---- */
void lo_host_variable(struct lower *l, struct var *v, bool computed);
void lo_host_static(struct lower *l, struct var *v); /* where its declaration stands */
void lo_host_rest(struct lower *l); /* bodies of what was made; the program's init */

#endif
