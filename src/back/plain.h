/* What targets share that compile ordinary functions: the host half of a program. */
#ifndef BACK_PLAIN_H
#define BACK_PLAIN_H

#include "ir/ir.h"

bool back_belongs_to_kernels(enum ir_op op); /* what only threads of a kernel can do */
/* Says so of the first such op in the function; false: there is one. */
struct back_job;
bool back_is_plain(struct back_job *job, const struct ir_func *f);

#endif
