/* emit FILE BYTES X: the C that the CPU device would compile, for vectors of BYTES and blocks of X.
 */
#include <stdio.h>
#include <stdlib.h>
#include "back/back.h"
#include "back/c/c.h"
#include "driver/pipeline.h"

int main(int argc, char **argv)
{
    static char text[1 << 18];
    FILE *f = argc == 4 ? fopen(argv[1], "r") : NULL;
    size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = argv[1], .level = 2};
    struct sbuf out;
    sbuf_init(&out, NULL);
    if (!len || compile_source(&c, &o, text, len))
        return 1;
    struct back_job job = {.arena = &c.arena, .diag = &c.diag, .module = c.module, .out = &out};
    struct c_options own = {
        .cpu = {.vector_bytes = (uint32_t)atoi(argv[2]), .block = {(uint32_t)atoi(argv[3]), 1, 1}}};
    job.options.own = &own;
    if (!back_c.emit(&job)) {
        struct sbuf message;
        sbuf_init(&message, NULL);
        diag_render_text(&c.diag, &message, false);
        fputs(message.data ? message.data : "", stderr);
        return 1;
    }
    fwrite(out.data, 1, out.len, stdout);
    return 0;
}
