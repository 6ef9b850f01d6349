/* How long the IR of a file takes to become SPIR-V, with all lowering.
 *
 *   generate FILE.cu NAME GOAL */
#include <stdlib.h>
#include "bench.h"
#include "driver/pipeline.h"

static void emit(void *arg)
{
    struct compilation c;
    struct sbuf out;
    struct back_options o = {0};
    sbuf_init(&out, NULL);
    if (compile_copy(&c, arg, 0) || compile_emit(&c, &back_spirv, &o, &out))
        abort();
    sbuf_free(&out);
    compile_free(&c);
}

int main(int argc, char **argv)
{
    static char text[1 << 16];
    FILE *f = argc > 3 ? fopen(argv[1], "rb") : NULL;
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = argv[1], .level = 2};
    if (!n || compile_source(&c, &o, text, n))
        return 1;
    bench_report(argv[2], 1e3 * bench_best(emit, c.module, 30), "ms", atof(argv[3]));
    compile_free(&c);
    fclose(f);
    return 0;
}
