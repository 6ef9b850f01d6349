/* Settings: what the environment says. This is the one place that reads it; settings.def is the
 * list. A variable that is set to nothing counts as not set. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>

enum setting {
#define SETTING(name, variable, type, standard, about) SETTING_##name,
#include "base/settings.def"
};

const char *setting_text(enum setting s); /* NULL: not set */
const char *setting_raw(enum setting s);  /* the same, but may be set to nothing */
bool setting_on(enum setting s);          /* set, and not to 0 */
double setting_number(enum setting s);    /* the default if it is not set or no number */

struct setting_info {
    const char *variable, *standard, *about;
};
extern const struct setting_info setting_info[]; /* by enum setting; the last has no variable */

#endif
