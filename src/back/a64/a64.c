/* The target of AArch64 machine code. */
#include <stddef.h>
#include "back/a64/a64.h"
#include "back/a64/a64_select.h"
#include "back/cpu_plan.h"

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_a64);
}

/* Vectors of SVE where they are longer than NEON's: at 128 bits there is nothing to win. */
static const struct cpu_machine *machine(const struct cpu_image_options *o)
{
    if (!o || o->plain)
        return &a64_selection;
    switch (o->bits) {
    case 0:
    case 128: return &a64_selection;
    case 256: return &a64_sve256_selection;
    case 512: return &a64_sve512_selection;
    default: return NULL;
    }
}

static bool emit(struct back_job *job)
{
    const struct cpu_machine *m = machine(job->options.own);
    if (!m) {
        diag_error(job->diag, span_at(0, 0),
                   "there is code for vectors of 128, 256 and 512 bits only");
        return false;
    }
    return cpu_image_emit(job, &back_a64, m);
}

#define AT(field) offsetof(struct cpu_image_options, field)
static const struct back_option rows[] = {
    {"block", BACK_SHAPE, AT(cpu.block), NULL, NULL},
    {"gang", BACK_NUMBER, AT(cpu.gang), "N", "threads that run as lanes of vectors; 1: none"},
    {"image", BACK_FLAG, AT(image), NULL, "the code itself, not its text"},
    {"sve", BACK_NUMBER, AT(bits), "N",
     "for processors with SVE whose vectors have N bits, 256 or 512"},
    {"dotprod", BACK_FLAG, AT(dots), NULL, "for processors with DotProd"},
};

const struct back_target back_a64 = {
    .name = "a64",
    .about = "AArch64 machine code with NEON or SVE, as assembly",
    .processor = "aarch64",
    .options = rows,
    .noptions = sizeof rows / sizeof *rows,
    .option_bytes = sizeof(struct cpu_image_options),
    .kernel_bytes = sizeof(struct cpu_image_kernel),
    .supports = cpu_image_supports,
    .prepare = prepare,
    .emit = emit,
};
