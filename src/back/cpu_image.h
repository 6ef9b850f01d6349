/* Machine code of a module's kernels for a processor: options, and the image that is made.
 *
 * An image is position independent: code, then the data it refers to. It begins with a header; a
 * kernel is a cpu_block at its offset. */
#ifndef BACK_CPU_IMAGE_H
#define BACK_CPU_IMAGE_H

#include "back/back.h"
#include "back/cpu.h"

struct cpu_machine;
struct cpu_plain;
struct cpu_debug;

struct cpu_image_options {
    struct back_cpu_options cpu;
    bool track;              /* note the source location of each access to memory as it runs */
    bool image;              /* the bytes; else assembly, for people */
    bool wide;               /* x64: for AVX-512 */
    bool dots;               /* with instructions for products of bytes: VNNI, DotProd */
    uint32_t bits;           /* a64: of a vector; 256, 512: for SVE of that length; else NEON */
    struct cpu_plain *plain; /* not kernels but functions: cpu_plain.h */
    /* what debuggers are told goes there (back/cpu_debug.h); NULL: nowhere */
    struct cpu_debug **debug;
};

/* back_kernel.own of a machine target. */
struct cpu_image_kernel {
    struct back_cpu_kernel cpu; /* first */
    uint32_t offset;            /* of its cpu_block in the image */
    uint32_t most;              /* blocks that one call may take */
    uint32_t vector_bytes;      /* that its vectors have: of SVE, the processor's must be as long */
    uint64_t stack;             /* of a coroutine */
    bool whole;                 /* a call runs blocks; else one thread */
    bool waits;                 /* its threads are coroutines */
};

/* What back_target says of every such target: all ops. */
enum back_support cpu_image_supports(enum ir_op op, ir_type type, const char **why);
bool cpu_image_emit(struct back_job *job, const struct back_target *target,
                    const struct cpu_machine *t);

#endif
