/* The host half of a program as machine code in this process.
 *
 * host_load compiles it (driver, back/cpu_plain.h) and places it: code that is never writable and
 * executable at once, its variables, and what both refer to. Functions and variables from outside
 * are found by name. Nothing of it runs before the caller calls `init` and `main`; a program that
 * cannot be taken is refused here. */
#ifndef RT_HOST_H
#define RT_HOST_H

#include "driver/half.h"
#include "driver/pipeline.h"
#include "tern/error.h"

struct host_program {
    void (*init)(void);
    int (*main)(int argc, char **argv, char **environment);
    void *code, *data; /* for the life of the process */
    size_t code_bytes, data_bytes;
};

/* The device half as the runtime's units have it, checked; NULL: *why says all that is wrong with
 * it. Both are malloc'd. */
char *host_device_half(const struct compile_options *o, enum half_form form, const char *text,
                       size_t len, size_t *out_len, char **why);
/* lookup: the address of a function or variable, or NULL. *why (malloc'd) says why it is refused,
 * or where it is not, what host code is warned of. */
enum tern_error host_load(const struct compile_options *o, enum half_form form, const char *text,
                          size_t len, void *(*lookup)(void *ctx, const char *name), void *ctx,
                          struct host_program *out, char **why);

#endif
