/* What the families of instructions share: the table's rows, modifiers, halves of words. */
#ifndef FRONT_PTXOPS_INT_H
#define FRONT_PTXOPS_INT_H

#include "front/ptxops/ptxops.h"

/* special.c: NULL where no register has this name */
struct ir_value *px_special(struct px *p, const char *name);
/* operand.c */
struct ir_value *px_address(struct px *p, const struct px_operand *o, enum ir_space space);
/* flow.c: what modifiers say */
bool px_mod(struct px_stmt *s, const char *name);
bool px_space_of(struct px_stmt *s, enum ir_space *space);
uint32_t px_order(struct px_stmt *s);
uint32_t px_rounding(struct px_stmt *s);
bool px_needs(struct px *p, struct px_stmt *s, uint32_t n);
#define PX_NEEDS(n)                                                                                \
    do {                                                                                           \
        if (!px_needs(p, s, (n)))                                                                  \
            return true;                                                                           \
    } while (0)
/* ops.c */
struct ir_value *px_one_of(struct px *p, ir_type t);
struct ir_value *px_saturated(struct px *p, struct ir_value *x); /* into [0, 1], NaN to +0 */
struct ir_value *px_relu(struct px *p, struct ir_value *x);      /* NaN stays */
struct ir_value *px_flushed(struct px *p, struct ir_value *x);   /* as .ftz does */
ir_type px_half_type(struct px_type t);
struct ir_value *px_half(struct px *p, struct ir_value *w, unsigned i, ir_type t);
struct ir_value *px_pair(struct px *p, struct ir_value *lo, struct ir_value *hi);
/* convert.c */
struct ir_value *px_fp8_to_halves(struct px *p, struct ir_value *bytes, bool e5m2);
/* mbarrier.c */
bool px_mbarrier_copies(struct px *p, struct px_stmt *s);
/* The barrier of operand `which` gets bytes that were just stored. */
bool px_mbarrier_told(struct px *p, struct px_stmt *s, uint32_t which, uint32_t bytes);
/* bulk.c */
bool px_bulk_copy(struct px *p, struct px_stmt *s);
bool px_proxy_fence(struct px *p, struct px_stmt *s); /* false: another fence */
/* flow.c: in asm statements, where threads part and meet; elsewhere nothing */
struct ir_value *px_split(struct px *p);
void px_join(struct px *p, struct ir_value *token);

/* A handler lowers one instruction; false: this form is not known. */
struct px_row;
typedef bool px_handler(struct px *p, struct px_stmt *s, const struct px_row *row);
struct px_row {
    const char *name;
    px_handler *lower;
    uint16_t s, u,
        f; /* IR ops for signed, unsigned and float types, or what the handler makes of them */
    bool effect; /* under a guard it needs a branch */
    uint32_t types;
    uint8_t hints; /* modifiers that change nothing we model: of enum px_hints */
};
#define PTX_ROW(name, handler, s, u, f, effect, types, hints) px_handler px_##handler;
#include "front/ptxops/ptx_ops.def"

#endif
