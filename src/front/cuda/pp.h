/* The preprocessor: files in, one token array out. */
#ifndef FRONT_CUDA_PP_H
#define FRONT_CUDA_PP_H

#include "front/cuda/token.h"

enum pp_switch_kind { PP_DEFINE, PP_UNDEF, PP_INCLUDE };
struct pp_switch {
    enum pp_switch_kind kind;
    const char *text; /* "NAME=VALUE", "NAME", or a path for -include */
};

struct pp_options {
    const char *const *include_dirs;
    size_t ninclude_dirs;
    const struct pp_switch *switches; /* in command-line order */
    size_t nswitches;
    bool device;       /* __CUDA_ARCH__ is defined */
    unsigned arch;     /* 800 */
    unsigned cplusplus; /* 201703 */
    /* Reads a file (NULL: not there). The driver supplies it; tests and the browser have no disk. */
    char *(*read_file)(void *ctx, struct arena *a, const char *path, size_t *len);
    void *read_ctx;
};

struct pp_result {
    struct token_list tokens;
    VEC(const char *) dependencies; /* files read, for -M */
    /* Which headers were asked for with <…> and not found: they are skipped when they are host-only
     * standard headers (see DESIGN: host declarations are poisoned), an error otherwise. */
};

/* Our own headers are compiled into the program: name → text. */
struct embedded_file {
    const char *name;
    const char *text;
    size_t len;
};
const struct embedded_file *embedded_header(const char *name); /* "cuda_runtime.h"; NULL: none */

bool pp_run(struct arena *a, struct interner *names, struct source_map *sm, struct diag *d,
            const struct pp_options *opt, const char *path, const char *text, size_t len,
            struct pp_result *out);

#endif
