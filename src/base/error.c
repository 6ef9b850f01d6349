/* Error names, texts and CUDA numbers, from include/tern/error.def. */
#include "base/error.h"

#include <stddef.h>

static const struct {
    const char *name, *text;
    int cuda;
} errors[] = {
#define TERN_ERROR(number, name, cuda, text) [number] = {#name, text, cuda},
#include "tern/error.def"
#undef TERN_ERROR
};

static size_t known(enum tern_error e)
{
    return (size_t)e < sizeof errors / sizeof *errors && errors[e].name ? (size_t)e : TERN_INTERNAL;
}

const char *tern_error_name(enum tern_error e)
{
    return errors[known(e)].name;
}

const char *tern_error_text(enum tern_error e)
{
    return errors[known(e)].text;
}

int tern_error_cuda(enum tern_error e)
{
    return errors[known(e)].cuda;
}
