/* The CUDA C++ front end: source text in, IR module out. */
#ifndef FRONT_CUDA_CUDA_H
#define FRONT_CUDA_CUDA_H

#include "front/cuda/pp/pp.h"

struct ir_module;

struct front_job {
    /* in */
    struct arena *arena; /* everything that is given back, and everything made on the way */
    struct interner *names;
    struct source_map *sources;
    struct diag *diag;
    const char *path;
    const char *text;
    size_t len;
    struct pp_options pp;
    const char *const
        *requests; /* kernels wanted by name expression: "saxpy", "ns::k<float, 128>" */
    size_t nrequests;
    bool alone; /* no host half: what cannot be read is an error, and requests may name variables */
    bool only_requests;       /* do not emit the kernels that were not asked for */
    struct ir_module *module; /* where the functions go: made by the caller */
    bool default_device;      /* what says nothing of where it lives is the device's */
    bool linked;              /* the module takes several files: what is declared may come later */
    unsigned unit;            /* linked: which of them this is */
    void (*phase)(void *ctx, const char *name); /* called as each begins, for times; or NULL */
    void *phase_ctx;
    struct sbuf *print; /* gets the preprocessed text, with closures hoisted; or NULL */
    /* out */
    struct pp_result preprocessed;
    const char **request_names; /* for each request, the IR function's or global's name, or NULL */
    size_t host_tokens, functions; /* what was skipped and what was compiled, for statistics */
};

/* False when errors were reported. Out of memory unwinds through the arena. */
bool cuda_front(struct front_job *job);

/* After the last file of a linked module: what was declared and used has to be there. */
bool cuda_front_linked(struct ir_module *m, struct diag *d);

/* When the module has all its files: who sees which carry flag of asm statements (lower/carry.c).
 */
void cuda_front_carry(struct ir_module *m);

#endif
