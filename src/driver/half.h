/* The device half of a program as text that needs no other file: what programs carry and the
 * runtime compiles when a kernel is first launched. */
#ifndef DRIVER_HALF_H
#define DRIVER_HALF_H

#include "driver/pipeline.h"

/* Checked as far as kernels go that are no templates. The text is malloc'd; else *diagnostics is,
 * if there is anything to say. */
char *compile_device_half(const struct compile_options *o, const char *text, size_t len,
                          size_t *out_len, char **diagnostics);

#endif
