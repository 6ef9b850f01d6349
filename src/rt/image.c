/* Images on disk: see image.h. */
#include "rt/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rt/cache.h"

enum { VERSION = 1 };

#if defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__x86_64__)
#define MACHINE "x86_64"
#else
#define MACHINE "other"
#endif

static const char *const endings[] = {
#define IMAGE_FORMAT(name, ending) ending,
#include "rt/image.def"
};

struct seal {
    char magic[8];
    uint32_t version, format;
    uint64_t key[2], size, hash[2]; /* size and hash: of what stands before */
};

static struct seal seal_of(const struct image_key *k, const void *data, size_t n)
{
    return (struct seal){.magic = {'t', 'e', 'r', 'n', 'c', 'o', 'd', 'e'},
                         .version = VERSION,
                         .format = k->format,
                         .key = {k->hash[0], k->hash[1]},
                         .size = n,
                         .hash = {hash_bytes(data, n, 1), hash_bytes(data, n, 2)}};
}

struct image_key image_key(enum image_format f, const char *target)
{
    struct image_key k = {.format = f, .hash = {11, 29}};
    const uint32_t head[2] = {VERSION, f};
    image_key_add(&k, head, sizeof head);
    image_key_add(&k, MACHINE, sizeof MACHINE);
    image_key_add(&k, target, strlen(target));
    return k;
}

void image_key_add(struct image_key *k, const void *data, size_t n)
{
    const uint64_t length = n; /* so that "ab", "c" is not "a", "bc" */
    for (int w = 0; w < 2; w++) {
        k->hash[w] = hash_bytes(&length, sizeof length, k->hash[w]);
        k->hash[w] = hash_bytes(data, n, k->hash[w]);
    }
}

bool image_path(const char *dir, const struct image_key *k, char *out, size_t size)
{
    const int n = snprintf(out, size, "%s/%016llx%016llx.%s", dir, (unsigned long long)k->hash[0],
                           (unsigned long long)k->hash[1], endings[k->format]);
    return n > 0 && (size_t)n < size;
}

static char *read_sealed(const char *path, const struct image_key *k, size_t *n)
{
    char *data = cache_read_file(path, n);
    if (data && *n > sizeof(struct seal)) {
        *n -= sizeof(struct seal);
        const struct seal want = seal_of(k, data, *n);
        if (!memcmp(data + *n, &want, sizeof want)) {
            cache_used(path);
            return data;
        }
    }
    free(data);
    return NULL;
}

char *image_read(const char *dir, const struct image_key *k, size_t *n)
{
    char path[600];
    *n = 0;
    if (!dir || !cache_is_ours(dir) || !image_path(dir, k, path, sizeof path))
        return NULL;
    return read_sealed(path, k, n);
}

bool image_is_whole(const char *path, const struct image_key *k)
{
    size_t n;
    char *data = read_sealed(path, k, &n);
    free(data);
    return data != NULL;
}

bool image_seal(const char *path, const struct image_key *k)
{
    size_t n;
    /* Where the user's group may write what the user makes, it may write this, too. */
    char *data = chmod(path, 0600) ? NULL : cache_read_file(path, &n);
    if (!data)
        return false;
    const struct seal mark = seal_of(k, data, n);
    free(data);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    const bool ok = write(fd, &mark, sizeof mark) == sizeof mark;
    return !close(fd) && ok;
}

static bool put(int fd, const void *data, size_t n)
{
    const char *p = data;
    for (ssize_t k; n; p += k, n -= (size_t)k)
        if ((k = write(fd, p, n)) <= 0)
            return false;
    return true;
}

void image_write(const char *dir, const struct image_key *k, const void *data, size_t n)
{
    char path[600], temporary[700];
    if (!dir || !cache_folder(dir) || !image_path(dir, k, path, sizeof path))
        return;
    /* Threads of a process write apart from each other, too. */
    snprintf(temporary, sizeof temporary, "%s.%ld.%p", path, (long)getpid(), (const void *)&data);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    const struct seal mark = seal_of(k, data, n);
    const bool ok = put(fd, data, n) && put(fd, &mark, sizeof mark);
    if (close(fd) || !ok || rename(temporary, path))
        unlink(temporary);
    else
        cache_trim(dir);
}
