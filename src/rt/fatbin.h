/* Fat binaries: what nvcc and fatbinary pack device code into. */
#ifndef RT_FATBIN_H
#define RT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "tern/error.h"

/* Whether an image starts as a container does. */
bool fatbin_is(const void *image, size_t n);
/* A container's PTX, decoded: the newest that asks for no more than sm_89, else the oldest. free()
 * it. n: bytes that may be read (SIZE_MAX: as many as the container says). On failure `why` is one
 * line for the user; it has room for 256 bytes. */
enum tern_error fatbin_ptx(const void *image, size_t n, char **text, size_t *len, char *why);

/* A container of one PTX text, for an architecture like 80, as bytes at the end of `out`. */
void fatbin_write(struct sbuf *out, const char *ptx, size_t len, unsigned arch);

#endif
