/* tern cache: shows how much compiled code is kept, drops it, or takes it to another machine in a
 * file. */
#include <stdio.h>
#include <string.h>
#include "rt/cache.h"
#include "rt/rt.h"
#include "tern.h"

/* By tar, which every machine with a shell has: what was compiled once need not be on each node of
 * a job. */
static int carry(const char *dir, const char *file, bool out)
{
    char tar[4096];
    if (!cache_folder(dir))
        return complain("%s cannot be used", dir), EXIT_IO;
    if (!find_program("tar", tar, sizeof tar))
        return complain("cache: there is no tar"), EXIT_IO;
    /* Owned by who unpacks it: nothing else would be trusted. */
    char *const save[] = {tar, "-cf", (char *)file, "-C", (char *)dir, ".", NULL};
    char *const load[] = {
        tar,  "-xf",       (char *)file, "--no-same-owner", "--no-same-permissions",
        "-C", (char *)dir, NULL};
    if (run_and_wait(tar, out ? save : load, "tar", 0))
        return complain("cache: %s could not be %s", file, out ? "written" : "read"), EXIT_IO;
    cache_trim(dir);
    return EXIT_FINE;
}

int command_cache(struct args *a)
{
    char dir[512];
    if (!rt_cache_dir(dir, sizeof dir)) {
        complain("there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set");
        return EXIT_IO;
    }
    const bool clear = a->input && !strcmp(a->input, "clear");
    const bool save = a->input && !strcmp(a->input, "save");
    if (save || (a->input && !strcmp(a->input, "load"))) {
        if (a->rest.len != 1)
            return complain("cache: which file? tern cache %s FILE", a->input);
        return carry(dir, a->rest.data[0], save);
    }
    if (a->input && !clear)
        return complain("'%s' is not something to do with the cache; clear, save and load are",
                        a->input);
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
