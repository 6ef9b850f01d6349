/* The folder of compiled code: damage is noticed, the oldest go first, leftovers are swept. */
#include "rt/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "unit.h"

struct place {
    char root[64], dir[96];
};

static bool make_place(struct place *p)
{
    if (!cache_temporary(p->root, sizeof p->root, "/tmp", "tern-unit"))
        return false;
    snprintf(p->dir, sizeof p->dir, "%s/a/b", p->root);
    return cache_folder(p->dir);
}

static const char *at(const struct place *p, const char *name)
{
    static _Thread_local char path[200];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return path;
}

static void age(const char *path, long seconds)
{
    struct timespec t[2];
    clock_gettime(CLOCK_REALTIME, &t[0]);
    t[0].tv_sec -= seconds;
    t[1] = t[0];
    utimensat(AT_FDCWD, path, t, 0);
}

static void drop_place(const struct place *p)
{
    cache_clear(p->dir);
    rmdir(p->dir);
    char up[96];
    snprintf(up, sizeof up, "%s/a", p->root);
    rmdir(up);
    rmdir(p->root);
}

TEST_ONCE(cache_notices_damage)
{
    struct place p;
    size_t n = 0;
    NEED(make_place(&p));
    cache_write(at(&p, "k.cubin"), "machine code", 12);
    char *data = cache_read(at(&p, "k.cubin"), &n);
    CHECK(data && n == 12 && !memcmp(data, "machine code", 12));
    free(data);
    const int fd = open(at(&p, "k.cubin"), O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, "M", 1, 0) == 1);
    close(fd);
    CHECK(!cache_read(at(&p, "k.cubin"), &n));
    CHECK(!cache_is_whole(at(&p, "nothing.so")));
    FILE *f = fopen(at(&p, "k.so"), "w");
    NEED(f);
    fputs("by another program", f);
    fclose(f);
    CHECK(!cache_is_whole(at(&p, "k.so")));
    CHECK(cache_seal(at(&p, "k.so")) && cache_is_whole(at(&p, "k.so")));
    CHECK(!truncate(at(&p, "k.so"), 10) && !cache_is_whole(at(&p, "k.so")));
    drop_place(&p);
    CHECK(access(p.root, F_OK));
}

TEST_ONCE(cache_drops_the_oldest_and_what_was_abandoned)
{
    struct place p;
    char bytes[1000] = {0}, name[32];
    NEED(make_place(&p));
    for (int k = 0; k < 8; k++) {
        snprintf(name, sizeof name, "%d.%s", k, k % 2 ? "so" : "cubin");
        cache_write(at(&p, name), bytes, sizeof bytes);
        age(at(&p, name), 100 - k);
    }
    mkdir(at(&p, "tmp.old"), 0700);
    fclose(fopen(at(&p, "tmp.old/k.c"), "w"));
    age(at(&p, "tmp.old"), 7200);
    mkdir(at(&p, "tmp.new"), 0700); /* somebody may be compiling in it */
    CHECK_INT(cache_measure(p.dir).files, 8);
    CHECK(access(at(&p, "tmp.old"), F_OK) && !access(at(&p, "tmp.new"), F_OK));
    setenv("TERN_CACHE_KB", "4", 1);
    cache_trim(p.dir);
    unsetenv("TERN_CACHE_KB");
    CHECK_INT(cache_measure(p.dir).files, 3);
    CHECK(access(at(&p, "4.cubin"), F_OK) && !access(at(&p, "5.so"), F_OK));
    CHECK_INT(cache_clear(p.dir).kept, 0);
    CHECK_INT(cache_measure(p.dir).files, 0);
    rmdir(at(&p, "tmp.new"));
    drop_place(&p);
}
