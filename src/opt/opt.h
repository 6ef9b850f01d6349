/* The door to opt/: passes over one function, each keeping the meaning of ops.def.
 * Results are bit for bit the same before and after, except through `contract`. */
#ifndef OPT_OPT_H
#define OPT_OPT_H

#include "ir/ir.h"

struct opt_options {
    unsigned level;
    bool fmad, fast_math;
    bool rolled;             /* loops stay loops unless they are short */
    bool verify_once;        /* at the end, where time matters more than which pass it was */
    const char *const *dump; /* pass names to dump around */
    size_t ndump;
    struct sbuf *dump_out;
};

/* Runs passes.def over the module, verifying after each pass unless told otherwise; false: a pass
 * broke the module and the diagnostic names it. */
bool opt_run(struct arena *a, struct ir_module *m, struct diag *d, const struct opt_options *o);

/* Over the whole module. From OPT_INLINE_ALL on, whatever its size, for targets without calls. */
enum { OPT_INLINE_ALL = 3 };
void opt_inline(struct arena *a, struct ir_module *m, unsigned level);
#define PASS(name, level, about) void opt_##name(struct arena *scratch, struct ir_func *f);
#include "opt/passes.def"
/* Not among them: counting loops that repeat their body, for machines that want it. */
void opt_stride(struct arena *scratch, struct ir_func *f);
void opt_unroll_little(struct arena *scratch, struct ir_func *f);
void opt_sink(struct arena *scratch, struct ir_func *f);     /* to the branch that needs it: late */
void opt_contract(struct arena *scratch, struct ir_func *f); /* a*b+c into mad: first of all */
void opt_relax(struct arena *scratch, struct ir_func *f);    /* fast math: before it */

/* Copies blocks[] into `into`, placed after `where`. Values and blocks that are in `twins` (keyed
 * by the original's address) are replaced; what is copied is entered there. */
void opt_copy_blocks(struct map *twins, struct ir_func *into, struct ir_block *where,
                     struct ir_block *const *blocks, size_t n);

#endif
