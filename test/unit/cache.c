/* The folder of compiled code: damage is noticed, the oldest go first, leftovers are swept. */
#include "back/back.h"
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

/* ---- code with what launchers know of it ---- */
struct facts {
    uint64_t stack;
    uint32_t offset, gang;
};
static const struct back_target maker = {.name = "own", .kernel_bytes = sizeof(struct facts)};

static struct image an_image(void)
{
    static const struct facts facts[] = {{1, 2, 3}, {4, 5, 6}};
    static const struct back_kernel kernels[] = {
        {"saxpy", "_Z5saxpy", 20, 128, 64, BACK_USES_BARRIER, &facts[0]},
        {"dot", "dot", 8, 0, 0, 0, &facts[1]}};
    static const struct back_global globals[] = {{"table", "table_"}};
    return (struct image){.target = &maker,
                          .machine = "fast",
                          .kernels = kernels,
                          .nkernels = 2,
                          .globals = globals,
                          .nglobals = 1,
                          .code = "machine code",
                          .bytes = 12};
}

/* Unpacks a copy of its own size, so that sanitizers see what is read behind it. */
static bool unpack(struct image *i, const struct back_target *t, const char *machine,
                   const char *data, size_t n)
{
    char *copy = malloc(n ? n : 1);
    if (!copy)
        abort();
    memcpy(copy, data, n);
    return image_unpack(i, t, machine, copy, n);
}

TEST_ONCE(image_holds_kernels_and_variables)
{
    struct sbuf bytes;
    sbuf_init(&bytes, NULL);
    const struct image from = an_image();
    struct image to;
    image_pack(&from, &bytes);
    NEED(!bytes.failed && unpack(&to, &maker, "fast", bytes.data, bytes.len));
    CHECK_INT(to.nkernels, 2);
    CHECK_INT(to.nglobals, 1);
    for (size_t n = 0; n < 2; n++) {
        const struct back_kernel *a = &from.kernels[n], *b = &to.kernels[n];
        CHECK_STR(b->name, a->name);
        CHECK_STR(b->symbol, a->symbol);
        CHECK(a->param_bytes == b->param_bytes && a->static_shared == b->static_shared &&
              a->local_bytes == b->local_bytes && a->uses == b->uses);
        CHECK(!memcmp(a->own, b->own, sizeof(struct facts)));
    }
    CHECK_STR(to.globals[0].name, "table");
    CHECK_STR(to.globals[0].symbol, "table_");
    CHECK(to.bytes == 12 && !memcmp(to.code, "machine code", 12));
    image_free(&to);
    sbuf_free(&bytes);
}

TEST_ONCE(image_of_another_is_refused)
{
    static const struct back_target namesake = {.name = "own", .kernel_bytes = 4},
                                    other = {.name = "other", .kernel_bytes = sizeof(struct facts)};
    struct sbuf bytes;
    struct image to;
    sbuf_init(&bytes, NULL);
    const struct image from = an_image();
    image_pack(&from, &bytes);
    CHECK(!unpack(&to, &other, "fast", bytes.data, bytes.len));
    CHECK(!unpack(&to, &namesake, "fast", bytes.data, bytes.len));
    CHECK(!unpack(&to, &maker, "faster", bytes.data, bytes.len));
    CHECK(!unpack(&to, &maker, "fas", bytes.data, bytes.len));
    for (size_t n = 0; n < bytes.len; n++) /* cut short anywhere */
        CHECK(!unpack(&to, &maker, "fast", bytes.data, n));
    sbuf_putc(&bytes, 0);
    CHECK(!unpack(&to, &maker, "fast", bytes.data, bytes.len));
    sbuf_free(&bytes);
}

static bool lies_in(const char *z, size_t n, const struct image *i)
{
    const char *data = i->owned[2];
    return z >= data && z + n <= i->code + i->bytes;
}

/* Whatever bytes there are: what is given out is inside them. The seal is not asked here. */
TEST_ONCE(image_with_any_byte_changed_stays_inside)
{
    static const unsigned char values[] = {0, 1, 127, 128, 255};
    struct sbuf bytes;
    size_t refused = 0;
    sbuf_init(&bytes, NULL);
    const struct image from = an_image();
    image_pack(&from, &bytes);
    for (size_t at = 0; at < bytes.len; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            const char before = bytes.data[at];
            struct image to;
            bytes.data[at] = (char)values[v];
            if (unpack(&to, &maker, "fast", bytes.data, bytes.len)) {
                for (size_t n = 0; n < to.nkernels; n++) {
                    const struct back_kernel *k = &to.kernels[n];
                    CHECK(lies_in(k->name, strlen(k->name) + 1, &to));
                    CHECK(lies_in(k->symbol, strlen(k->symbol) + 1, &to));
                    CHECK(lies_in(k->own, sizeof(struct facts), &to));
                }
                for (size_t n = 0; n < to.nglobals; n++)
                    CHECK(lies_in(to.globals[n].symbol, strlen(to.globals[n].symbol) + 1, &to));
                image_free(&to);
            } else {
                refused++;
            }
            bytes.data[at] = before;
        }
    CHECK(refused > 100);
    sbuf_free(&bytes);
}

TEST_ONCE(image_is_kept_and_comes_back)
{
    struct place p;
    struct image to;
    const struct image from = an_image();
    NEED(make_place(&p));
    struct image_key k = image_key_of(&maker, "fast"), other = image_key_of(&maker, "slow");
    CHECK(memcmp(k.hash, other.hash, sizeof k.hash) != 0);
    CHECK(!image_load(&to, &maker, "fast", p.dir, &k));
    image_store(&from, p.dir, &k);
    NEED(image_load(&to, &maker, "fast", p.dir, &k));
    CHECK_STR(to.kernels[1].name, "dot");
    image_free(&to);
    CHECK(!image_load(&to, &maker, "slow", p.dir, &k));
    char path[300];
    NEED(image_path(p.dir, &k, path, sizeof path));
    change(path, 56 + 1, '?'); /* the code's last byte */
    CHECK(!image_load(&to, &maker, "fast", p.dir, &k));
    image_store(&from, NULL, &k); /* no cache */
    CHECK(!image_load(&to, &maker, "fast", NULL, &k));
    drop_place(&p);
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
