/* The folder of compiled code: damage is noticed, the oldest go first, leftovers are swept. */
#include "rt/cache.h"
#include "rt/image.h"
#include "rt/rt.h"

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

static bool is_read(const struct place *p, const struct image_key *k)
{
    size_t n;
    char *data = image_read(p->dir, k, &n);
    const bool ok = data && n == 12 && !memcmp(data, "machine code", 12);
    free(data);
    return ok;
}

static void change(const char *path, long from_end, char byte)
{
    const int fd = open(path, O_WRONLY);
    const long at = lseek(fd, 0, SEEK_END) - from_end;
    if (pwrite(fd, &byte, 1, at) != 1)
        abort();
    close(fd);
}

TEST_ONCE(image_is_made_again_when_it_is_not_right)
{
    struct place p;
    char path[300];
    NEED(make_place(&p));
    struct image_key k = image_key(IMAGE_CUBIN, "sm_90"), other = image_key(IMAGE_CUBIN, "sm_80");
    image_key_add(&k, "text", 4);
    image_key_add(&other, "text", 4);
    NEED(image_path(p.dir, &k, path, sizeof path));
    image_write(p.dir, &k, "machine code", 12);
    CHECK(is_read(&p, &k) && !is_read(&p, &other));
    char elsewhere[300];
    NEED(image_path(p.dir, &other, elsewhere, sizeof elsewhere));
    CHECK(!link(path, elsewhere) && !is_read(&p, &other)); /* another's, under its name */
    unlink(elsewhere);
    /* a byte of the code; of the seal, which has 56: the version, the magic */
    static const long places[] = {56 + 12, 56 - 8, 56};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        image_write(p.dir, &k, "machine code", 12);
        CHECK(is_read(&p, &k));
        change(path, places[n], '?');
        CHECK(!is_read(&p, &k));
    }
    image_write(p.dir, &k, "machine code", 12);
    CHECK(!truncate(path, 40) && !is_read(&p, &k));
    CHECK(!truncate(path, 0) && !is_read(&p, &k));
    FILE *f = fopen(path, "w");
    NEED(f);
    fputs("by another program", f);
    fclose(f);
    CHECK(!chmod(path, 0664)); /* as compilers make it under a lax umask */
    CHECK(!image_is_whole(path, &k) && image_seal(path, &k) && image_is_whole(path, &k));
    drop_place(&p);
    CHECK(access(p.root, F_OK));
}

TEST_ONCE(image_keys_tell_parts_apart)
{
    struct image_key a = image_key(IMAGE_OBJECT, "cc"), b = a;
    image_key_add(&a, "ab", 2);
    image_key_add(&a, "c", 1);
    image_key_add(&b, "a", 1);
    image_key_add(&b, "bc", 2);
    CHECK(memcmp(a.hash, b.hash, sizeof a.hash));
}

/* What others could have put there is not run. */
TEST_ONCE(cache_trusts_only_its_owner)
{
    struct place p;
    char path[300], aside[400];
    NEED(make_place(&p));
    const struct image_key k = image_key(IMAGE_CUBIN, "sm_90");
    NEED(image_path(p.dir, &k, path, sizeof path));
    snprintf(aside, sizeof aside, "%s.aside", path);
    image_write(p.dir, &k, "machine code", 12);
    CHECK(is_read(&p, &k));
    CHECK(!chmod(path, 0620) && !is_read(&p, &k) && !chmod(path, 0602) && !is_read(&p, &k));
    CHECK(!chmod(path, 0600) && is_read(&p, &k));
    CHECK(!rename(path, aside) && !symlink(aside, path) && !is_read(&p, &k)); /* a link */
    CHECK(!unlink(path) && !mkfifo(path, 0600) && !is_read(&p, &k));          /* a pipe */
    CHECK(!unlink(path) && !rename(aside, path) && is_read(&p, &k));
    if (!geteuid()) { /* another user's */
        CHECK(!chown(path, 65534, 65534) && !is_read(&p, &k) && !chown(path, 0, 0));
        CHECK(!chown(p.dir, 65534, 65534) && !cache_folder(p.dir) && !is_read(&p, &k));
        CHECK(!chown(p.dir, 0, 0));
    }
    CHECK(!chmod(p.dir, 0770) && !cache_folder(p.dir) && !is_read(&p, &k));
    CHECK(!chmod(p.dir, 0700) && cache_folder(p.dir) && is_read(&p, &k));
    drop_place(&p);
}

TEST_ONCE(cache_is_no_relative_folder)
{
    char dir[512];
    const char *home = getenv("XDG_CACHE_HOME");
    char *before = home ? strdup(home) : NULL;
    setenv("XDG_CACHE_HOME", "somewhere", 1);
    const char *got = rt_cache_dir(dir, sizeof dir);
    CHECK(!got || got[0] == '/');
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    CHECK_STR(rt_cache_dir(dir, sizeof dir), "/somewhere/tern");
    if (before)
        setenv("XDG_CACHE_HOME", before, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(before);
}

TEST_ONCE(cache_drops_the_oldest_and_what_was_abandoned)
{
    struct place p;
    char bytes[1000] = {0}, name[32];
    NEED(make_place(&p));
    for (int k = 0; k < 8; k++) {
        snprintf(name, sizeof name, "%d.%s", k, k % 2 ? "so" : "cubin");
        FILE *f = fopen(at(&p, name), "w");
        NEED(f);
        fwrite(bytes, 1, sizeof bytes, f);
        fclose(f);
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
