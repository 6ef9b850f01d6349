/* Telling images apart. */
#include "cuda/image.h"
#include <string.h>
#include "cuda/cuda_int.h"
#include "rt/fatbin.h"

static bool is_text(const unsigned char *p, size_t n)
{
    for (size_t k = 0; k < n && k < 4096; k++)
        if (p[k] < 9 || (p[k] > 13 && p[k] < 32) || p[k] == 127)
            return false;
    return n != 0;
}

enum tern_error image_open(const void *data, size_t size, struct image *out)
{
    const unsigned char *p = data;
    *out = (struct image){0};
    if (fatbin_is(data, size ? size : SIZE_MAX)) {
        char why[256];
        size_t n = 0;
        enum tern_error e = fatbin_ptx(data, size ? size : SIZE_MAX, &out->owned, &n, why);
        if (e) {
            cuda_say("tern: ");
            cuda_say(why);
            cuda_say("\n");
            return e == TERN_UNSUPPORTED ? TERN_INVALID_IMAGE : e;
        }
        out->source = (struct tern_source){.path = "fatbin.ptx", .text = out->owned, .length = n};
        return TERN_OK;
    }
    if (!size) {
        for (size_t k = 0; k < 4; k++) /* ELF and fat binaries tell by their first bytes */
            if (p[k] == 0 || p[k] >= 127)
                return TERN_INVALID_IMAGE;
        size = strlen(data);
    } else if (p[size - 1] == 0) {
        size--;
    }
    if (!is_text(p, size))
        return TERN_INVALID_IMAGE;
    const char *text = data;
    const char *path = rt_is_ptx(text, size)                          ? "image.ptx"
                       : size > 7 && !strncmp(text, "module ", 7)     ? "image.ir"
                       : memmem(text, size, "__global__", 10) != NULL ? "image.cu"
                                                                      : NULL;
    if (!path)
        return TERN_INVALID_IMAGE;
    out->source = (struct tern_source){.path = path, .text = text, .length = size};
    return TERN_OK;
}
