/* The device half of a program as text that needs no other file: what programs carry and the
 * runtime compiles when a kernel is first launched. */
#ifndef DRIVER_HALF_H
#define DRIVER_HALF_H

#include "driver/pipeline.h"

enum half_form { HALF_TEXT, HALF_COLOR, HALF_JSON }; /* of what there is to say */

/* Checked as far as kernels go that are no templates. The text is malloc'd, or NULL; *diagnostics
 * is, too, if there is anything to say, warnings included. */
char *compile_device_half(const struct compile_options *o, enum half_form form, const char *text,
                          size_t len, size_t *out_len, char **diagnostics);

#endif
