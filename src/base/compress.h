/* The two compressions that fat binaries use; our own images have the first. The size of what comes
 * out is known to whoever decodes; anything that does not give exactly that is an error. */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block of LZ4, without a frame. */
bool lz4_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size);
/* The same the other way, for n below 4 GiB: `out` has room for lz4_bound(n); gives what it took.
 */
size_t lz4_encode(const uint8_t *in, size_t n, uint8_t *out);
size_t lz4_bound(size_t n);
/* One frame of Zstandard (RFC 8878) without a dictionary; a checksum is not looked at. Out of
 * memory is an error, too. */
bool zstd_decode(const uint8_t *in, size_t n, uint8_t *out, size_t size);

#endif
