/* The PTX front end: PTX text in, IR module out. */
#ifndef FRONT_PTX_PTX_H
#define FRONT_PTX_PTX_H

#include "ir/ir.h"

struct ptx_job {
    struct arena *arena; /* everything that is given back, and everything made on the way */
    struct interner *names;
    struct source_map *sources;
    struct diag *diag;
    const char *path;
    const char *text;
    size_t len;
    struct ir_module *module; /* where the functions go: made by the caller */
};

/* False when errors were reported. Out of memory unwinds through the arena. */
bool ptx_front(struct ptx_job *job);

#endif
