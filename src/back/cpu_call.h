/* Functions and calls of machine code for processors: where arguments travel.
 *
 * cpu_call.c  entering, leaving and calling functions of ours, and functions that C calls or wrote
 *
 * A machine says in two tables which registers these are: one for functions of ours, which take the
 * block that they run for before their arguments and the rest of these from memory that a register
 * points at; one for the convention of its C. */
#ifndef BACK_CPU_CALL_H
#define BACK_CPU_CALL_H

#include "back/cpu_select.h"

struct cpu_calling {
    /* functions of ours */
    uint8_t block;            /* the register that the block is in */
    uint8_t more;             /* where the address of arguments is that have no register */
    const uint8_t *registers; /* of arguments that are integers and pointers */
    uint8_t nregisters;
    /* both */
    mach_reg vectors; /* the first of the registers of floats, of which there are nvectors */
    uint8_t nvectors;
    uint8_t result;         /* of an integer; a float's is the first of `vectors` */
    mach_reg target;        /* holds the address of what is called through a pointer */
    uint16_t call, call_to; /* instructions: of a symbol, of `target` */
    uint16_t move;          /* between registers for pointers */
    /* target = table + at, which has a sign and 32 bits; the address of table[index] of 32 bits */
    void (*aim)(struct cpu_sel *s, mach_reg table, mach_reg at);
    mach_reg (*entry)(struct cpu_sel *s, mach_reg table, mach_reg index);
    mach_reg (*at)(struct cpu_sel *s, uint32_t symbol); /* the address of it */
    /* as C has it */
    const uint8_t *c_registers;
    uint8_t nc_registers;
    mach_reg sp;
    /* Where a function finds arguments on the stack: at a distance from a register that every
     * function has, or through one that the caller sets, since C does not look at it. */
    bool c_more;
    mach_reg c_base;
    uint8_t c_distance;
    uint16_t c_copy_sp; /* with c_more: the instruction that puts sp + 0 into a register */
    bool c_stack_ends;  /* after an integer on the stack none is in a register */
    bool c_count;       /* `result` holds how many of `vectors` a call through a pointer uses */
    /* 0, or the instruction that clears what code of C would be slowed down by: upper halves */
    uint16_t c_clear;
    mach_set c_changed[MACH_CLASSES];
};

void cpu_enter(struct cpu_sel *s, struct ir_func *f);  /* parameters into registers */
void cpu_call(struct cpu_sel *s, struct ir_inst *i);   /* call, call_ptr */
void cpu_leave(struct cpu_sel *s, struct ir_value *v); /* NULL: nothing to return */
/* Functions that C calls, and calls of what C may have written: cpu_plain.h. */
void cpu_c_enter(struct cpu_sel *s, struct ir_func *f);
void cpu_c_call(struct cpu_sel *s, struct ir_inst *i);
/* `offset` of struct cpu_host; MACH_NONE: it has no result. */
mach_reg cpu_c_host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n,
                    bool result);

#endif
