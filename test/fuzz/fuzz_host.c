/* Host code that we compile ourselves: any text ends in a module that verifies or in a diagnostic.
 * Of our own C++ library it has what exceptions and types at run time are made of. */
#include "fuzz.h"

#include <string.h>
#include "front/cuda/cuda.h"
#include "ir/ir.h"

static const char prelude[] =
    "#include <exception>\n"
    "struct uint3 { unsigned int x, y, z; };\n"
    "struct dim3 { unsigned int x, y, z; __host__ __device__ constexpr dim3(unsigned int x = 1,\n"
    "  unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {} };\n"
    "typedef struct CUstream_st *cudaStream_t;\n"
    "extern \"C\" int printf(const char *, ...);\n"
    "extern \"C\" int puts(const char *);\n";

static char *read_file(void *ctx, struct arena *a, const char *path, size_t *len)
{
    (void)ctx;
    if (strcmp(path, "prelude.h") != 0)
        return NULL;
    *len = sizeof prelude - 1;
    return arena_strndup(a, prelude, *len);
}

static void fuzz(struct arena *a, const char *text, size_t size)
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
        .path = "host.cu",
        .text = text,
        .len = size,
        .pp = {.host = true,
               .no_prelude = true,
               .arch = 800,
               .switches = &include,
               .nswitches = 1,
               .read_file = read_file},
        .module = ir_module_new(a, &names, "host.cu"),
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
FUZZ_TARGET(fuzz)
