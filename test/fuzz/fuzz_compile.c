/* The compiler behind the front ends: IR text through every pass and every target. What is refused
 * is refused with a diagnostic. */
#include "fuzz.h"

#include "driver/pipeline.h"

static void fuzz(const char *text, size_t size)
{
    struct compilation c;
    struct compile_options o = {.path = "fuzz.ir", .level = 2, .memory_limit = 64 << 20};
    enum tern_error e = compile_source(&c, &o, text, size);
    if (e != TERN_OK && !c.diag.errors)
        abort();
    for (size_t i = 0; e == TERN_OK && back_targets[i]; i++) {
        struct sbuf out;
        unsigned errors = c.diag.errors;
        sbuf_init(&out, NULL);
        enum tern_error refused =
            compile_emit(&c, back_targets[i], &(struct back_options){0}, &out);
        if (refused != TERN_OK && c.diag.errors == errors)
            abort();
        sbuf_free(&out);
        if (refused == TERN_OUT_OF_MEMORY)
            break; /* nothing is left of the module */
    }
    compile_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz((const char *)data, size);
    return 0;
}
