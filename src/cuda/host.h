/* A program whose host half is compiled by ourselves, run in this process: what `tern run` asks of
 * the shared library, in which the CUDA API is whose functions the program calls. */
#ifndef CUDA_HOST_H
#define CUDA_HOST_H

#include <stdbool.h>

struct compile_options;

struct host_job {
    const struct compile_options *options; /* of the host half; the device half takes the same */
    const char *text;
    unsigned long len;
    int argc;
    char **argv;
    bool json, color, quiet; /* how warnings and errors are written */
};

enum host_outcome { HOST_RAN, HOST_REFUSED, HOST_WRONG };
/* HOST_RAN: main was called, *code is what it gave, and the program is to end by exit().
 * HOST_REFUSED: it was not; *why (malloc'd) says what is not supported. HOST_WRONG: the device half
 * has errors: *why is all that there is to say about them. */
int __tern_run_host(const struct host_job *job, int *code, char **why);

#endif
