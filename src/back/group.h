/* Loads or stores of neighbours in one block that one access of up to sixteen bytes can do: the
 * alignment of the lowest one is proven large enough, and nothing between them could see the
 * difference. For targets whose accesses are vectors (PTX, NVIDIA's machine code). */
#ifndef BACK_GROUP_H
#define BACK_GROUP_H

#include "back/back.h"

struct back_group {
    struct ir_inst *at[4];   /* by rising address */
    unsigned n, vector;      /* members; elements of the access */
    struct ir_inst *emit_at; /* the member in whose place the vector access stands */
    uint32_t reg;            /* for the target: what it is loaded into */
};

typedef bool back_eligible_fn(const struct ir_inst *access); /* for the target */

/* Sets `data` of each member to its group; of all others it stays NULL, as it must be before. */
void back_group_accesses(struct arena *a, struct ir_block *b, back_eligible_fn *eligible);

/* Shared arrays begin where vector accesses may. */
void back_align_arrays(struct ir_module *m);

/* Of an address, as far as it is proven. */
uint32_t back_alignment(const struct ir_value *p);

/* An addition of a constant that an access can hold; what is under a chain of those, and their sum.
 */
bool back_is_folded_add(const struct ir_inst *i);
struct ir_value *back_base(struct ir_value *p, int64_t *offset);

#endif
