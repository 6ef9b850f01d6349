/* Variables of a source language as SSA values, made while its code is emitted (Braun et al. 2013):
 * a read that is not answered in its block becomes a block parameter, whose arguments follow when
 * the block is sealed, that is, once all edges into it are there. ir_block.data is taken meanwhile.
 */
#ifndef IR_SSA_H
#define IR_SSA_H

#include "base/map.h"
#include "ir/ir.h"

struct ir_ssa_param { /* a block parameter that has no arguments yet */
    struct ir_block *block;
    uint32_t var;
    struct ir_value *value;
};

struct ir_ssa_block {
    struct map defs;                  /* variable → value at the end of what is emitted */
    VEC(struct ir_inst *) preds;      /* terminators that lead here, each once */
    VEC(struct ir_ssa_param) waiting; /* until the block is sealed */
    uint32_t filled;                  /* parameters that have their arguments: the first so many */
    uint32_t expected;                /* edges still to come, where somebody counts them */
    bool sealed;
};

struct ir_ssa { /* of one function at a time */
    struct arena *a;
    struct ir_module *m;
    VEC(struct ir_ssa_var {
        ir_type type;
        const char *name; /* of the parameters it becomes; NULL: none */
    })
    vars;
    VEC(struct ir_ssa_param) later;
    unsigned depth; /* of reads, through blocks */
};

void ir_ssa_begin(struct ir_ssa *s, struct arena *a, struct ir_module *m);
uint32_t ir_ssa_var(struct ir_ssa *s, ir_type type, const char *name); /* numbers from 1 */
struct ir_ssa_block *ir_ssa_block(struct ir_ssa *s, struct ir_block *b);
void ir_ssa_edge(struct ir_ssa *s, struct ir_block *to, struct ir_inst *term);
void ir_ssa_seal(struct ir_ssa *s, struct ir_block *b);
void ir_ssa_write(struct ir_ssa *s, struct ir_block *b, uint32_t var, struct ir_value *x);
/* A variable that was never written is zero. */
struct ir_value *ir_ssa_read(struct ir_ssa *s, struct ir_block *b, uint32_t var);
/* When all blocks are sealed; parameters that turned out to be one value are forwarded to it, for
 * ir_replace_forwarded(). */
void ir_ssa_finish(struct ir_ssa *s);

#endif
