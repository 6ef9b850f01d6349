/* Compiled code on disk: see cache.h. */
#include "rt/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABANDONED_SECONDS = 3600 };

/* Ours, and nobody else may write to it. */
static bool is_trusted(const struct stat *s)
{
    return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

bool cache_is_ours(const char *dir)
{
    struct stat s;
    return dir && !stat(dir, &s) && S_ISDIR(s.st_mode) && is_trusted(&s);
}

bool cache_folder(const char *dir)
{
    char part[512];
    if (!dir || !*dir || strlen(dir) >= sizeof part)
        return false;
    for (const char *s = dir + 1; *s; s++)
        if (*s == '/') {
            snprintf(part, sizeof part, "%.*s", (int)(s - dir), dir);
            mkdir(part, 0700);
        }
    return (!mkdir(dir, 0700) || errno == EEXIST) && cache_is_ours(dir) &&
           !access(dir, W_OK | X_OK);
}

bool cache_temporary(char *path, size_t size, const char *in, const char *name)
{
    if (!in)
        in = setting_text(SETTING_TMPDIR);
    if (!in)
        in = setting_info[SETTING_TMPDIR].standard;
    char changed[] = "......"; /* by mkdtemp, which asks for so many X */
    memset(changed, 'X', sizeof changed - 1);
    const int n = snprintf(path, size, "%s/%s.%s", in, name, changed);
    return n > 0 && (size_t)n < size && mkdtemp(path);
}

/* ---- files ---- */
/* A file that is opened is looked at: its name may stand for another one by then. A pipe must not
 * keep us waiting. */
static int open_trusted(const char *path, struct stat *s)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && !fstat(fd, s) && S_ISREG(s->st_mode) && is_trusted(s))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

char *cache_read_file(const char *path, size_t *n)
{
    struct stat s;
    const int fd = open_trusted(path, &s);
    *n = 0;
    if (fd < 0)
        return NULL;
    const size_t size = (size_t)s.st_size;
    char *data = malloc(size + 1);
    ssize_t k = 1;
    while (data && *n < size && (k = read(fd, data + *n, size - *n)) > 0)
        *n += (size_t)k;
    close(fd);
    if (data && *n == size)
        return data;
    free(data);
    return NULL;
}

void cache_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

/* ---- the folder ---- */
struct entry {
    char name[80];
    int64_t size, time;
};

static const char *const endings[] = {
#define IMAGE_FORMAT(name, ending) "." ending,
#include "rt/image.def"
};

static bool ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && !strcmp(name + n - m, ending);
}

static bool is_image(const char *name)
{
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (ends_in(name, endings[k]))
            return true;
    return false;
}

/* An image's name, a dot, and what tells who writes it. */
static bool is_half_written(const char *name)
{
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        const char *at = strstr(name, endings[k]);
        if (at && at[strlen(endings[k])] == '.')
            return true;
    }
    return false;
}

/* Where a process was killed while it compiled, its folder, or a file half written, is left. */
static bool is_leftover(const char *name, const struct stat *s)
{
    return time(NULL) - s->st_mtime > ABANDONED_SECONDS &&
           (S_ISDIR(s->st_mode) ? !strncmp(name, "tmp.", 4) : is_half_written(name));
}

static void remove_leftover(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char file[1300];
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            unlink(file);
    }
    if (d)
        closedir(d);
    remove(path);
}

/* The compiled code in the folder, for free(); on the way, leftovers go. */
static struct entry *list(const char *dir, size_t *count)
{
    struct entry *all = NULL;
    size_t n = 0, cap = 0;
    DIR *d = cache_is_ours(dir) ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat s;
        char path[1024];
        const size_t len = strlen(e->d_name);
        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, e->d_name) >= sizeof path ||
            lstat(path, &s))
            continue;
        if (is_leftover(e->d_name, &s))
            remove_leftover(path);
        if (!S_ISREG(s.st_mode) || len >= sizeof all->name || !is_image(e->d_name))
            continue;
        if (n == cap) {
            struct entry *more = realloc(all, (cap = cap ? 2 * cap : 64) * sizeof *all);
            if (!more)
                break;
            all = more;
        }
        memcpy(all[n].name, e->d_name, len + 1);
        all[n].size = s.st_size, all[n].time = s.st_mtime, n++;
    }
    if (d)
        closedir(d);
    *count = n;
    return all;
}

static bool drop(const char *dir, const struct entry *e)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, e->name);
    return !unlink(path);
}

static int older(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

void cache_trim(const char *dir)
{
    const int64_t limit = (int64_t)(setting_number(SETTING_CACHE_KB) * 1024);
    size_t n;
    int64_t total = 0;
    struct entry *all = list(dir, &n);
    for (size_t k = 0; k < n; k++)
        total += all[k].size;
    if (total > limit) {
        qsort(all, n, sizeof *all, older);
        for (size_t k = 0; k < n && total > limit * 3 / 4; k++)
            if (drop(dir, &all[k]))
                total -= all[k].size;
    }
    free(all);
}

static struct cache_content sum(const char *dir, bool clear)
{
    struct cache_content c = {0};
    size_t n;
    struct entry *all = list(dir, &n);
    for (size_t k = 0; k < n; k++) {
        c.files++;
        c.bytes += (uint64_t)all[k].size;
        c.kept += clear && !drop(dir, &all[k]);
    }
    free(all);
    return c;
}

struct cache_content cache_measure(const char *dir)
{
    return sum(dir, false);
}

struct cache_content cache_clear(const char *dir)
{
    return sum(dir, true);
}
