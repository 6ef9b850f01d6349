/* SPIR-V for a device that is not here: emit FEATURES FILE.cu OUT.spv
 * FEATURES are names of back/spirv/spirv.h with commas between; a - before the first means all but
 * these. Exit status 3: the file was refused, and why is on standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/spirv/spirv.h"
#include "driver/pipeline.h"

static void set_features(struct spirv_features *f, const char *list)
{
    bool value = *list != '-';
#define X(name, vulkan) f->name = !value;
    SPIRV_FEATURES(X)
#undef X
    for (size_t n; *list; list += n + (list[n] == ',')) {
        list += *list == '-';
        n = strcspn(list, ",");
#define X(name, vulkan)                                                                            \
    if (strlen(#name) == n && !strncmp(list, #name, n))                                            \
        f->name = value;
        SPIRV_FEATURES(X)
#undef X
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct spirv_features features;
    set_features(&features, argv[1]);
    FILE *f = fopen(argv[2], "rb");
    static char text[1 << 20];
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    struct compilation c;
    struct compile_options o = {.path = argv[2], .level = 2};
    struct spirv_options own = {.features = &features};
    struct back_options options = {.own = &own};
    struct sbuf code;
    sbuf_init(&code, NULL);
    if (!f || compile_source(&c, &o, text, n) || compile_emit(&c, &back_spirv, &options, &code)) {
        for (const struct diag_entry *d = f ? c.diag.first : NULL; d; d = d->next)
            if (d->severity == DIAG_ERROR)
                printf("%s\n", d->message);
        return 3;
    }
    FILE *out = fopen(argv[3], "wb");
    return !out || fwrite(code.data, 1, code.len, out) != code.len || fclose(out);
}
