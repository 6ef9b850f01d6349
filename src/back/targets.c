/* The list of targets, from targets.def, and their options by name. */
#include <string.h>
#include "back/back.h"

const struct back_target *const back_targets[] = {
#define TARGET(name) &back_##name,
#include "back/targets.def"
    NULL,
};

const struct back_target *back_find(const char *name)
{
    for (size_t i = 0; back_targets[i]; i++)
        if (!strcmp(back_targets[i]->name, name))
            return back_targets[i];
    return NULL;
}

struct passes *back_passes(struct back_job *job, const struct back_target *t)
{
    if (!job->passes.module)
        job->passes = (struct passes){.arena = job->arena,
                                      .module = job->module,
                                      .diag = job->diag,
                                      .stage = t->name,
                                      .log = job->log};
    return &job->passes;
}

const struct back_option *back_option_find(const struct back_target *t, const char *name)
{
    for (size_t i = 0; i < t->noptions; i++)
        if (!strcmp(t->options[i].name, name))
            return &t->options[i];
    return NULL;
}

bool back_option_set(const struct back_target *t, void *own, const char *name,
                     const uint32_t *values, size_t n)
{
    static const size_t most[] = {[BACK_FLAG] = 1,
                                  [BACK_NUMBER] = 1,
                                  [BACK_LANES] = 1,
                                  [BACK_SHAPE] = 3,
                                  [BACK_BYTES] = BACK_MOST_BYTES};
    const struct back_option *o = back_option_find(t, name);
    if (!o)
        return false;
    unsigned char *at = (unsigned char *)own + o->at;
    for (size_t k = 0; k < n && k < most[o->kind]; k++) {
        const bool flag = values[k] != 0;
        const uint8_t byte = (uint8_t)values[k];
        switch (o->kind) {
        case BACK_FLAG: memcpy(at, &flag, sizeof flag); break;
        case BACK_BYTES: at[k] = byte; break;
        default: memcpy(at + 4 * k, &values[k], sizeof *values);
        }
    }
    return true;
}

/* As large as CUDA's blocks can be. */
enum { MOST_THREADS = 1024, MOST_Z = 64 };

static bool is_shape(const uint32_t n[3])
{
    if (!n[0] && !n[1] && !n[2])
        return true;
    return n[0] && n[1] && n[2] && n[0] <= MOST_THREADS && n[1] <= MOST_THREADS && n[2] <= MOST_Z &&
           n[0] * n[1] * n[2] <= MOST_THREADS;
}

const char *back_options_wrong(const struct back_target *t, const void *own)
{
    for (size_t i = 0; own && i < t->noptions; i++) {
        const struct back_option *o = &t->options[i];
        uint32_t n[3] = {0};
        if (o->kind == BACK_LANES || o->kind == BACK_SHAPE)
            memcpy(n, (const char *)own + o->at, o->kind == BACK_SHAPE ? sizeof n : sizeof *n);
        if (o->kind == BACK_LANES && (n[0] > IR_MAX_LANES || n[0] & (n[0] - 1)))
            return "a gang has 1, 2, 4, 8, 16, 32 or 64 threads";
        if (o->kind == BACK_SHAPE && !is_shape(n))
            return "a block has at most 1024 threads, 64 in z, and at least one in each direction";
    }
    return NULL;
}
