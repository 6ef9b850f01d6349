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
    static const size_t most[] = {
        [BACK_FLAG] = 1, [BACK_NUMBER] = 1, [BACK_SHAPE] = 3, [BACK_BYTES] = BACK_MOST_BYTES};
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
