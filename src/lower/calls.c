/* Functions that lowering calls and back ends know by number. */
#include <string.h>
#include "lower/lower.h"

const char *const lower_call_names[LOWER_CALL_COUNT] = {
#define LOWER_CALL(name, text) [LOWER_CALL_##name] = text,
#include "lower/calls.def"
};

enum lower_call lower_call_of(const struct ir_func *f)
{
    for (enum lower_call k = LOWER_CALL_NONE + 1; f && k < LOWER_CALL_COUNT; k++)
        if (!strcmp(f->name, lower_call_names[k]))
            return k;
    return LOWER_CALL_NONE;
}
