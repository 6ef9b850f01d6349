/* tern analyze: what the kernels of a source need, and what will make them slow. */
#include "driver/request.h"
#include "tern.h"

int command_analyze(struct args *a)
{
    struct compilation c;
    struct sbuf out;
    /* A block of one thread is what args say when nothing was said. */
    static const uint32_t own[3];
    const bool given = a->block[0] * a->block[1] * a->block[2] != 1;
    int code = compile_input(a, 2, false, &c);
    sbuf_init(&out, NULL);
    if (code == EXIT_FINE) {
        const enum request_form form = a->json    ? REQUEST_JSON
                                       : a->color ? REQUEST_COLOR
                                                  : REQUEST_TEXT;
        code = exit_code_of(request_analysis(&c, given ? a->block : own, form, &out));
    }
    if (code == EXIT_FINE)
        fwrite(out.data, 1, out.len, stdout);
    sbuf_free(&out);
    compile_free(&c);
    return code;
}
