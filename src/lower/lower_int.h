/* What only lower/ uses. */
#ifndef LOWER_LOWER_INT_H
#define LOWER_LOWER_INT_H

#include "lower/lower.h"

/* Removes breaks that reach where control goes anyway, BLOCKs without breaks, and else-arms after
 * an arm that jumps; numbers what is left and counts jumps. */
void lower_simplify_tree(struct region_tree *t);
void lower_number(struct region_tree *t); /* ids, uses, breaks */
/* The entry block keeps its allocas; the rest becomes a block of its own, which is given back. */
struct ir_block *lower_split_entry(struct ir_func *f);
uint32_t lower_new_temp(struct region_tree *t, ir_type type);

#endif
