/* What the two files of matrix instructions share. */
#ifndef FRONT_PTXOPS_MATRIX_INT_H
#define FRONT_PTXOPS_MATRIX_INT_H

#include "front/ptxops/px_int.h"

#define MAX_REGS 16

struct px_shape { /* of the IR's mma */
    unsigned m, n, k;
    const char *shape;
    const char *in, *out; /* element types of A and B, of C and D */
    unsigned na, nb, nc;
};

struct ir_value *px_word(struct px *p, uint64_t v);
struct ir_value *px_lane(struct px *p);
struct ir_value *px_from_lane(struct px *p, struct ir_value *x, struct ir_value *lane);
struct ir_value *px_element(struct px *p, struct ir_value *base, struct ir_value *index,
                            unsigned bytes);
struct ir_value *px_high_half(struct px *p, struct ir_value *w);
struct ir_value *px_halves(struct px *p, struct ir_value *lo, struct ir_value *hi);
const char *px_type_name(struct px_type t);
const struct px_shape *px_find_shape(unsigned m, unsigned k, const char *in, const char *out);
ir_type px_mma_input(const struct px_shape *h);
ir_type px_mma_output(const struct px_shape *h);
void px_mma_step(struct px *p, const struct px_shape *h, struct ir_value *const *a,
                 struct ir_value *const *b, struct ir_value **c);
bool px_read_all(struct px *p, const struct px_operand *o, unsigned n, ir_type t,
                 struct ir_value **out);
bool px_write_all(struct px *p, const struct px_operand *o, unsigned n, struct ir_value *const *x);
struct ir_value *px_saturating_sum(struct px *p, struct ir_value *c, struct ir_value *d);
/* wmma.c: mma of shapes that the IR does not have */
bool px_mma_sum(struct px *p, struct px_stmt *s);

#endif
