/* The target of AArch64 machine code. */
#include "back/a64/a64.h"
#include "back/a64/a64_select.h"
#include "back/cpu_plan.h"

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_a64);
}

static bool emit(struct back_job *job)
{
    return cpu_image_emit(job, &back_a64, &a64_selection);
}

const struct back_target back_a64 = {
    .name = "a64",
    .about = "AArch64 machine code with NEON, as assembly",
    .processor = "aarch64",
    .options = cpu_image_rows,
    .noptions = CPU_IMAGE_OPTIONS,
    .option_bytes = sizeof(struct cpu_image_options),
    .kernel_bytes = sizeof(struct cpu_image_kernel),
    .supports = cpu_image_supports,
    .prepare = prepare,
    .emit = emit,
};
