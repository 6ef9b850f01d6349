/* What only lower/ uses. */
#ifndef LOWER_LOWER_INT_H
#define LOWER_LOWER_INT_H

#include "lower/lower.h"

/* Removes breaks that reach where control goes anyway, BLOCKs without breaks, and else-arms after
 * an arm that jumps; numbers what is left and counts jumps. */
void lower_tidy(struct region_tree *t);
void lower_number(struct region_tree *t); /* ids, uses, breaks */
/* The entry block keeps its allocas; the rest becomes a block of its own, which is given back. */
struct ir_block *lower_split_entry(struct ir_func *f);
/* What is alive at the start of each block: by block id * (nvalues + 1) + value id, as renumbered.
 * NULL: the table would be too large. From it, what is at the end of one; and a step from there:
 * was the value's state another? */
bool *lower_live_in(struct arena *a, struct ir_func *f);
void lower_live_out(const bool *in, const struct ir_block *b, bool *live);
bool lower_live_set(bool *live, const struct ir_value *v, bool now);
uint32_t lower_new_temp(struct region_tree *t, ir_type type);

#endif
