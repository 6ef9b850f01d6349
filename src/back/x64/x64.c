/* The target of x86-64 machine code. */
#include <stddef.h>
#include "back/x64/x64.h"
#include "back/x64/x64_select.h"
#include "back/cpu_plan.h"

static enum back_support supports(enum ir_op op, ir_type type, const char **why)
{
    (void)op, (void)type, (void)why;
    return BACK_YES;
}

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_x64);
}

static bool emit(struct back_job *job)
{
    return cpu_image_emit(job, &back_x64, &x64_selection);
}

#define AT(field) offsetof(struct cpu_image_options, field)
static const struct back_option options[] = {
    {"gang", BACK_NUMBER, AT(cpu.gang), "N", "threads that run as lanes of vectors; 1: none"},
    {"image", BACK_FLAG, AT(image), NULL, "the code itself, not its text"},
};

const struct back_target back_x64 = {
    .name = "x64",
    .about = "x86-64 machine code with AVX2, as assembly",
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct cpu_image_options),
    .kernel_bytes = sizeof(struct cpu_image_kernel),
    .supports = supports,
    .prepare = prepare,
    .emit = emit,
};
