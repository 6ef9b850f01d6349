/* The target of x86-64 machine code. */
#include <stddef.h>
#include "back/x64/x64.h"
#include "back/x64/x64_select.h"
#include "back/cpu_plan.h"

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_x64);
}

static bool emit(struct back_job *job)
{
    const struct cpu_image_options *o = job->options.own;
    const bool wide = o && o->wide && !o->plain;
    return cpu_image_emit(job, &back_x64, wide ? &x64_wide_selection : &x64_selection);
}

#define AT(field) offsetof(struct cpu_image_options, field)
static const struct back_option rows[] = {
    {"block", BACK_SHAPE, AT(cpu.block), NULL, NULL},
    {"gang", BACK_NUMBER, AT(cpu.gang), "N", "threads that run as lanes of vectors; 1: none"},
    {"image", BACK_FLAG, AT(image), NULL, "the code itself, not its text"},
    {"avx512", BACK_FLAG, AT(wide), NULL, "for processors with AVX-512"},
    {"vnni", BACK_FLAG, AT(dots), NULL, "for processors with VNNI"},
};

const struct back_target back_x64 = {
    .name = "x64",
    .about = "x86-64 machine code with AVX2 or AVX-512, as assembly",
    .processor = "x86_64",
    .options = rows,
    .noptions = sizeof rows / sizeof *rows,
    .option_bytes = sizeof(struct cpu_image_options),
    .kernel_bytes = sizeof(struct cpu_image_kernel),
    .supports = cpu_image_supports,
    .prepare = prepare,
    .emit = emit,
};
