/* tern cache: shows how much compiled code is kept, or drops it. */
#include <stdio.h>
#include <string.h>
#include "rt/cache.h"
#include "rt/rt.h"
#include "tern.h"

int command_cache(struct args *a)
{
    char dir[512];
    if (!rt_cache_dir(dir, sizeof dir)) {
        complain("there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set");
        return EXIT_IO;
    }
    const bool clear = a->input && !strcmp(a->input, "clear");
    if (a->input && !clear)
        return complain("'%s' is not something to do with the cache; clear is", a->input);
    const struct cache_content c = clear ? cache_clear(dir) : cache_measure(dir);
    const unsigned long long files = c.files, bytes = c.bytes;
    if (a->json)
        printf("{\"folder\": \"%s\", \"kernels\": %llu, \"bytes\": %llu, \"cleared\": %s}\n", dir,
               files, bytes, clear ? "true" : "false");
    else
        printf("%s: %llu compiled kernel%s, %.1f MiB%s\n", dir, files, files == 1 ? "" : "s",
               (double)bytes / 1048576,
               clear ? c.kept ? ", some could not be removed" : ", cleared" : "");
    return c.kept ? EXIT_IO : EXIT_FINE;
}
