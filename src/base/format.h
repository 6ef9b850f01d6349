/* printf as a device means it: a C format, and arguments as 64-bit words whose types the format
 * tells. */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include "base/str.h"

/* The text behind a %s argument, or NULL if the address is not readable. */
typedef const char *format_string_fn(void *ctx, uint64_t address);

/* Integers of 32 bits and less may come with anything in the upper half; floats are f64 bits. A
 * conversion without an argument is printed as it stands, as CUDA does. */
void format_device(struct sbuf *out, const char *format, const uint64_t *args, size_t n,
                   format_string_fn *string, void *ctx);

#endif
