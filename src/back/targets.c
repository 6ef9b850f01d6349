/* The list of targets, from targets.def. */
#include <string.h>
#include "back/back.h"

const struct back_target *const back_targets[] = {
#define TARGET(name, ext, binary, about) &back_##name,
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
