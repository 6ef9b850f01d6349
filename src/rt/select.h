/* Devices by what they can do: conditions like "f64 && memory>8GB". */
#ifndef RT_SELECT_H
#define RT_SELECT_H

#include "rt/dev.h"

/* Whether text is a condition rather than a device's name. */
bool select_is_condition(const char *text);
/* Whether the device meets it. why: at least 256 bytes, says what is wrong with the condition. */
enum tern_error select_meets(const char *condition, const struct dev_driver *driver,
                             const struct dev_info *info, bool *out, char *why);
/* Whether the condition speaks of a flag, whatever it says of it. */
bool select_mentions(const char *condition, uint32_t flag);

#endif
