/* Operations as IEEE 754 and ops.def have them, of those that the hardware has: exact.c. */
#ifndef BACK_SASS_EXACT_H
#define BACK_SASS_EXACT_H

#include "ir/ir.h"

void sass_plain(struct ir_func *f); /* before lower_quotients: flushing written out, f64 exact */
void sass_quick(struct ir_func *f); /* behind that: the usual quotients and roots of f64 */
void sass_exact(struct ir_func *f); /* after it: roots, quotients and remainders of integers */

#endif
