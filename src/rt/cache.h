/* The user's folder of compiled code, which devices and processes share.
 *
 * Each file ends in a hash of its bytes, so that a damaged one is noticed and made again, and is
 * moved into place whole. What was used longest ago goes when the folder is over its limit
 * (TERN_CACHE_KB, else 512 MB). */
#ifndef RT_CACHE_H
#define RT_CACHE_H

#include "base/base.h"

/* With the folders above it; only its owner may look inside. */
bool cache_folder(const char *dir);
/* Makes a new one, in the folder given or (NULL) where the system keeps what does not last, and
 * writes its path. Only its owner may look inside. */
bool cache_temporary(char *path, size_t size, const char *in, const char *name);

/* The contents, for free(); NULL: it is not there, or damaged. */
char *cache_read(const char *path, size_t *n);
bool cache_is_whole(const char *path);
/* Puts the hash behind a file that another program wrote. */
bool cache_seal(const char *path);
/* That the cache cannot be written is not an error: the next run compiles again. */
void cache_write(const char *path, const void *data, size_t n);

/* After something was added. */
void cache_trim(const char *dir);

struct cache_content {
    uint64_t files, bytes;
    uint64_t kept; /* by cache_clear, because they could not be removed */
};
struct cache_content cache_measure(const char *dir);
struct cache_content cache_clear(const char *dir);

#endif
