/* tern cache: shows how much compiled code is kept, or drops it. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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
    unsigned long long files = 0, bytes = 0, kept = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        struct stat s;
        const size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".so") != 0 || stat(path, &s))
            continue;
        files++;
        bytes += (unsigned long long)s.st_size;
        if (clear && unlink(path))
            kept++;
    }
    if (d)
        closedir(d);
    if (a->json)
        printf("{\"folder\": \"%s\", \"kernels\": %llu, \"bytes\": %llu, \"cleared\": %s}\n", dir,
               files, bytes, clear ? "true" : "false");
    else
        printf("%s: %llu compiled kernel%s, %.1f MiB%s\n", dir, files, files == 1 ? "" : "s",
               (double)bytes / 1048576,
               clear ? kept ? ", some could not be removed" : ", cleared" : "");
    return kept ? EXIT_IO : EXIT_FINE;
}
