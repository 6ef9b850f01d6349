/* Machine code of ordinary functions: of a program's host half, which C calls and which calls C.
 *
 * cpu_plain.c  a module → an image of its functions, all with C's calling convention
 *
 * Code is made for one place: variables and functions from outside have their addresses already,
 * which `address` gives; functions of the module lie in the image, at the offsets that come back.
 * What code calls back for (cpu_abi.h: arithmetic without an instruction, moving memory) it finds
 * by way of `launch` and `block`, the addresses of two structures that live as long as the code. */
#ifndef BACK_CPU_PLAIN_H
#define BACK_CPU_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

struct back_job;
struct back_target;
struct cpu_machine;
struct ir_func;
struct ir_global;

struct cpu_plain_symbol {
    const char *name;
    uint32_t offset;
};

struct cpu_plain {
    uint64_t (*variable)(void *ctx, const struct ir_global *g);
    uint64_t (*outside)(void *ctx, const struct ir_func *f); /* 0: there is none */
    void *ctx;
    uint64_t launch, block;
    struct cpu_plain_symbol *symbols; /* out: functions of the module */
    unsigned nsymbols;
};

bool cpu_plain_emit(struct back_job *job, const struct back_target *target,
                    const struct cpu_machine *t, struct cpu_plain *p);

#endif
