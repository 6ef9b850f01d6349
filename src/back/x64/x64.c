/* The target of x86-64 machine code. */
#include "back/x64/x64.h"
#include "back/x64/x64_select.h"
#include "back/cpu_plan.h"

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_x64);
}

static bool emit(struct back_job *job)
{
    return cpu_image_emit(job, &back_x64, &x64_selection);
}

const struct back_target back_x64 = {
    .name = "x64",
    .about = "x86-64 machine code with AVX2, as assembly",
    .processor = "x86_64",
    .options = cpu_image_rows,
    .noptions = CPU_IMAGE_OPTIONS,
    .option_bytes = sizeof(struct cpu_image_options),
    .kernel_bytes = sizeof(struct cpu_image_kernel),
    .supports = cpu_image_supports,
    .prepare = prepare,
    .emit = emit,
};
