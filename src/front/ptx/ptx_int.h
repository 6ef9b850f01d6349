/* Inside the PTX front end: a module's declarations and functions.
 *
 * parse.c reads a module's declarations; lower.c walks its functions, whose bodies ptxops reads and
 * lowers; call.c and runtime.c have calls. reconverge.c then finds where threads meet. */
#ifndef FRONT_PTX_INT_H
#define FRONT_PTX_INT_H

#include "front/ptx/ptx.h"
#include "front/ptxops/ptxops.h"

struct px_place { /* a parameter or result; a vector of registers is as many of them as it has
                     elements */
    const char *name;
    ir_type type;   /* VOID: bytes in memory */
    uint32_t lanes; /* the first of the elements of a vector: how many there are; else 0 */
    uint64_t size;
    uint32_t align;
    bool pointer; /* .ptr */
    bool reg;     /* a register, not a .param */
    enum ir_space space;
    struct span span;
};
struct px_proto {
    VEC(struct px_place) rets, params;
};
/* A function's first result is its value, unless it has bytes; the caller gives the places of all
 * others. */
static inline bool px_by_value(const struct px_proto *t, size_t i)
{
    return !i && t->rets.data[0].type != IR_VOID;
}
struct px_unit { /* a module of a text that holds several, one behind the other, which are linked */
    struct map names;        /* name → symbol, of those that only it sees */
    VEC(const char *) files; /* by the numbers of .file; NULL: not given */
};
struct px_func {
    struct ir_func *ir;
    struct px_unit *unit;
    struct px_proto proto;
    bool kernel;
    bool workspace;              /* it asks for the grid's, or may call what does */
    const struct px_token *body; /* at the {, or NULL */
    const char *error;           /* what is wrong inside, or NULL */
    struct span error_at;
    struct span span;
};

struct ptx { /* a text; p->owner of its struct px */
    struct ptx_job *job;
    struct diag *diag;
    struct map globals; /* name → symbol, of those that all units see */
    struct px_unit *unit;
    VEC(struct px_unit *) units;
    const struct source_file *file;
    VEC(struct px_func *) funcs;
    struct px_func *fn; /* the one being lowered */
    struct ir_ssa ssa;
    VEC(struct px_result {
        struct px_var *var;
        struct ir_value *place; /* NULL: it is the function's value */
    })
    results;
};
static inline struct ptx *ptx_of(const struct px *p)
{
    return p->owner;
}

/* parse.c */
bool px_parse(struct px *p);
bool px_body_directive(struct px *p, const struct px_token *word, bool *known);
bool px_body_labelled(struct px *p, const char *name, bool *known);
struct px_symbol *px_module_name(struct px *p, const char *name);
/* call.c */
bool px_calls(struct px *p, struct px_stmt *s);
/* runtime.c */
bool px_device_runtime(struct px *p, const char *name, const struct px_operand *ret,
                       const struct px_operand *args, uint32_t n); /* false: no such function */

#endif
