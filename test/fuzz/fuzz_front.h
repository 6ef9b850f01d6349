/* The CUDA front end on one text, which ends in a module that verifies or in a diagnostic. In place
 * of the whole prelude, which would be most of the work, the fuzzer has a few lines of it. */
#ifndef FUZZ_FRONT_H
#define FUZZ_FRONT_H

#include <string.h>
#include "front/cuda/cuda.h"
#include "fuzz.h"
#include "ir/ir.h"

static char *fuzz_prelude(void *ctx, struct arena *a, const char *path, size_t *len)
{
    if (strcmp(path, "prelude.h") != 0)
        return NULL;
    *len = strlen(ctx);
    return arena_strndup(a, ctx, *len);
}

/* host: that half, as we compile it ourselves. */
static void fuzz_front(struct arena *a, const char *prelude, bool host, const char *text,
                       size_t size)
{
    struct interner names;
    struct source_map sources;
    struct diag diag;
    struct sbuf out;
    struct pp_switch include = {PP_INCLUDE, "prelude.h"};
    intern_init(&names, a);
    source_init(&sources, a);
    diag_init(&diag, a, &sources);
    sbuf_init(&out, a);
    struct front_job job = {
        .arena = a,
        .names = &names,
        .sources = &sources,
        .diag = &diag,
        .path = "fuzz.cu",
        .text = text,
        .len = size,
        .pp = {.host = host,
               .device = !host,
               .no_prelude = true,
               .arch = 800,
               .switches = &include,
               .nswitches = 1,
               .read_file = fuzz_prelude,
               .read_ctx = (void *)(uintptr_t)prelude},
        .module = ir_module_new(a, &names, "fuzz.cu"),
    };
    job.module->sources = &sources;
    if (cuda_front(&job)) {
        /* Builtins trust the headers that call them; the verifier finds what others do with them.
         */
        if (!ir_verify(job.module, &diag, NULL) && !memmem(text, size, "__tern_", 7))
            abort();
    } else if (!diag.errors) {
        abort();
    }
    diag_render_text(&diag, &out, false);
}

#endif
