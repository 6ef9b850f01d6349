/* The user's folder of compiled code, which devices and processes share: what is in it is run.
 *
 * So only a folder and files are used that belong to the user and that nobody else may write; files
 * are plain ones, no links. Else code is compiled again, in a temporary folder. What is in a file,
 * and whether it is whole, is rt/image.h's. What was used longest ago goes when the folder is over
 * its limit (TERN_CACHE_KB). */
#ifndef RT_CACHE_H
#define RT_CACHE_H

#include "base/base.h"

/* Makes it, with the folders above it; false: it cannot be, or is not to be trusted. */
bool cache_folder(const char *dir);
/* Whether it is there, belongs to the user, and nobody else may write to it. */
bool cache_is_ours(const char *dir);
/* Makes a new one, in the folder given or (NULL) where the system keeps what does not last, and
 * writes its path. Only its owner may look inside. */
bool cache_temporary(char *path, size_t size, const char *in, const char *name);

/* The contents of a file that can be trusted, for free(); else NULL. */
char *cache_read_file(const char *path, size_t *n);
void cache_used(const char *path); /* just now */

/* After something was added. */
void cache_trim(const char *dir);

struct cache_content {
    uint64_t files, bytes;
    uint64_t kept; /* by cache_clear, because they could not be removed */
};
struct cache_content cache_measure(const char *dir);
struct cache_content cache_clear(const char *dir);

#endif
