/* The PTX front end: any text ends in a module or in a diagnostic, within the memory allowed. */
#include "fuzz.h"

#include "driver/pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compilation c;
    struct compile_options o = {.path = "fuzz.ptx", .level = 0, .memory_limit = 256u << 20};
    struct sbuf messages;
    enum tern_error e = compile_source(&c, &o, (const char *)data, size);
    if (e != TERN_OK && !c.diag.errors)
        abort();
    sbuf_init(&messages, NULL);
    if (e != TERN_OUT_OF_MEMORY)
        diag_render_text(&c.diag, &messages, false);
    sbuf_free(&messages);
    compile_free(&c);
    return 0;
}
