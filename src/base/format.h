/* printf as a device means it: a C format, and arguments as 64-bit words whose types the format
 * tells. */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include "base/str.h"

enum { FORMAT_MAX_ARGS = 64 };

/* The text behind a %s, the argument with that index; NULL: the address is not readable. */
typedef const char *format_string_fn(void *ctx, size_t index, uint64_t address);

/* Integers of 32 bits and less may come with anything in the upper half; floats are f64 bits. A
 * conversion without an argument, and what is none, is printed as it stands, as CUDA does. Widths
 * and precisions are at most 4096. */
void format_device(struct sbuf *out, const char *format, const uint64_t *args, size_t n,
                   format_string_fn *string, void *ctx);

#endif
