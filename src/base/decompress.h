/* Decoders of the two compressions that fat binaries use. The size of what comes out is known to
 * the caller; anything that does not give exactly that is an error. */
#ifndef BASE_DECOMPRESS_H
#define BASE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of LZ4, without a frame. */
bool lz4_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size);
/* One frame of Zstandard (RFC 8878) without a dictionary; a checksum is not looked at. Out of
 * memory is an error, too. */
bool zstd_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size);

#endif
