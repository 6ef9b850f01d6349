/* The door to opt/: passes over one function, each keeping the meaning of ops.def.
 * Results are bit for bit the same before and after, except through `contract`. */
#ifndef OPT_OPT_H
#define OPT_OPT_H

#include "pass/pass.h"

struct opt_options {
    unsigned level;
    bool fmad, fast_math;
    bool rolled;  /* loops stay loops unless they are short */
    bool host;    /* ordinary functions: no warps */
    bool checked; /* accesses outside of variables are looked for: they do happen */
};

/* Runs passes.def over the module of p; false: a pass broke it, and the diagnostic names it. */
bool opt_run(struct passes *p, const struct opt_options *o);

/* Over the whole module. OPT_INLINE_ALL: whatever its size, for targets without calls. */
enum opt_inlining { OPT_INLINE_DEVICE, OPT_INLINE_HOST, OPT_INLINE_ALL };
void opt_inline(struct arena *a, struct ir_module *m, enum opt_inlining how);
/* Is a function called through a pointer that is known by now? */
bool opt_may_inline_again(const struct ir_module *m);
#define PASS(name, level, about) void opt_##name(struct arena *scratch, struct ir_func *f);
#include "opt/passes.def"
/* Not among them: counting loops that repeat their body, for machines that want it. */
void opt_unroll_runtime(struct arena *scratch, struct ir_func *f);
void opt_combine_loads(struct arena *scratch, struct ir_func *f); /* of bytes side by side */
void opt_divide(struct arena *scratch, struct ir_func *f);        /* by constants: products */
void opt_sink(struct arena *scratch, struct ir_func *f); /* to the branch that needs it: late */
void opt_addresses(struct arena *scratch, struct ir_func *f); /* sums apart that loops keep: late */
void opt_contract(struct arena *scratch, struct ir_func *f);  /* a*b+c into mad: first of all */
void opt_fast_math(struct arena *scratch, struct ir_func *f); /* fast math: before it */

/* Copies blocks[] into `into`, placed after `where`. Values and blocks that are in `twins` (keyed
 * by the original's address) are replaced; what is copied is entered there. */
void opt_clone_blocks(struct map *twins, struct ir_func *into, struct ir_block *where,
                      struct ir_block *const *blocks, size_t n);

#endif
