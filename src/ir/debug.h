/* What debuggers are told of a module beyond lines: its variables, with their types as the source
 * has them. It is there only where somebody asks for it (-G, -lineinfo), and never in the text
 * form.
 *
 * An alloca or a global that holds a variable says which (ir_inst.variable, ir_global.variable: its
 * number + 1). Copies of a module have copies of all this. */
#ifndef IR_DEBUG_H
#define IR_DEBUG_H

#include "ir/ir.h"

enum ir_debug_kind {
    IR_DEBUG_VOID, /* type 0, and what has no better description */
    IR_DEBUG_BOOL,
    IR_DEBUG_SIGNED_CHAR,
    IR_DEBUG_UNSIGNED_CHAR,
    IR_DEBUG_SIGNED,
    IR_DEBUG_UNSIGNED,
    IR_DEBUG_FLOAT,
    IR_DEBUG_POINTER,
    IR_DEBUG_REFERENCE,
    IR_DEBUG_ARRAY,
    IR_DEBUG_STRUCT,
    IR_DEBUG_UNION,
    IR_DEBUG_ENUM
};

struct ir_debug_member { /* of a class; or an enumerator: name and value */
    const char *name;    /* NULL: it has none */
    bool base;           /* a base class */
    uint32_t type;
    uint32_t bits, bit_offset; /* bit-field: width, place from the first bit of `offset` */
    uint64_t offset;           /* enumerator: its value */
};

struct ir_debug_type {
    uint8_t kind;     /* enum ir_debug_kind */
    const char *name; /* of scalars, classes, enumerations */
    uint64_t size;    /* bytes */
    uint32_t elem;    /* POINTER, REFERENCE, ARRAY */
    uint64_t count;   /* ARRAY */
    struct ir_debug_member *members;
    uint32_t nmembers;
};

struct ir_variable {
    const char *name;
    const char *func; /* name of the function it belongs to; NULL: none */
    uint32_t type;
    source_loc at;
    source_loc from, to; /* the block of the source that it is seen in; 0: all of the function */
    bool parameter;
};

struct ir_debug {
    bool steps; /* -G: threads run one by one, variables are in memory; else lines are all there is
                 */
    VEC(struct ir_debug_type) types;
    VEC(struct ir_variable) variables;
};

struct ir_debug *ir_debug_new(struct arena *a, bool steps);
struct ir_debug *ir_debug_copy(struct arena *a, const struct ir_debug *d); /* NULL of NULL */

#endif
