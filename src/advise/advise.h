/* The door to advise/: what `tern analyze`, the package and the page say about a kernel.
 *
 * What a kernel needs and what will make it slow, as far as the IR shows it. Addresses are followed
 * as linear functions of threadIdx, and a warp is played through for one block size; what depends
 * on data is judged by that alone. The module is optimised (calls inlined). */
#ifndef ADVISE_ADVISE_H
#define ADVISE_ADVISE_H

#include "ir/ir.h"

enum finding_kind {
#define FINDING(name, text, hint) FINDING_##name,
#include "advise/findings.def"
    FINDING_COUNT
};
extern const struct finding_info {
    const char *name, *hint;
} advise_findings[FINDING_COUNT];

struct finding {
    enum finding_kind kind;
    struct span span;
    const char *message;
    unsigned times; /* how much more than need be; 0: not known */
};

struct analysed_param {
    ir_type
        element; /* what is read or written through a pointer; VOID: nothing, or not one thing */
    bool reads, writes;
};

struct analysis {
    struct ir_func *kernel;
    uint32_t registers; /* 32-bit words alive at once, at most: an estimate */
    uint32_t shared_bytes, local_bytes;
    uint32_t loads, stores, atomics, barriers; /* in the text, not as run */
    bool dynamic_shared, warps, doubles, prints;
    uint8_t dimensions;       /* of threadIdx and blockIdx that it looks at: 1 to 3 */
    uint8_t block_dimensions; /* of threadIdx alone */
    struct analysed_param *params;
    VEC(struct finding) findings;
};
/* block: threads of a block; 0: the kernel's own bounds, or 256 in x. */
void advise_kernel(struct arena *a, struct ir_func *kernel, const uint32_t block[3],
                   struct analysis *out);

#endif
