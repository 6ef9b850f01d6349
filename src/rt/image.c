/* Images on disk: see image.h. */
#include "rt/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "back/back.h"
#include "identity.h"
#include "rt/cache.h"
#include "tern/version.h"

/* LARGE: from here on, an image is worth a look at all of them when it is added. */
enum { VERSION = 2, LARGE = 256 << 10, ONE_OF = 32 };

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

static struct image_key key_on(const char *machine, enum image_format f, const char *target)
{
    struct image_key k = {.format = f, .hash = {11, 29}};
    const uint32_t head[2] = {VERSION, f};
    image_key_add(&k, head, sizeof head);
    image_key_add(&k, machine, strlen(machine));
    image_key_add(&k, target, strlen(target));
    return k;
}

struct image_key image_key(enum image_format f, const char *target)
{
    return key_on(MACHINE, f, target);
}

void image_key_add(struct image_key *k, const void *data, size_t n)
{
    const uint64_t length = n; /* so that "ab", "c" is not "a", "bc" */
    for (int w = 0; w < 2; w++) {
        k->hash[w] = hash_bytes(&length, sizeof length, k->hash[w]);
        k->hash[w] = hash_bytes(data, n, k->hash[w]);
    }
}

struct image_key image_key_read(void)
{
    static const char reader[] = TERN_VERSION " " TERN_READER " " TERN_IDENTITY;
    struct image_key k = image_key(IMAGE_MODULE, "canonical IR");
    image_key_add(&k, reader, sizeof reader - 1);
    return k;
}

bool image_path(const char *dir, const struct image_key *k, char *out, size_t size)
{
    const int n = snprintf(out, size, "%s/%016llx%016llx.%s", dir, (unsigned long long)k->hash[0],
                           (unsigned long long)k->hash[1], endings[k->format]);
    return n > 0 && (size_t)n < size;
}

void image_sealed(const struct image_key *k, const char *data, size_t n, struct sbuf *out)
{
    const struct seal mark = seal_of(k, data, n);
    sbuf_put(out, data, n);
    sbuf_put(out, (const char *)&mark, sizeof mark);
}

bool image_unseal(const struct image_key *k, const char *data, size_t *n)
{
    if (*n <= sizeof(struct seal))
        return false;
    *n -= sizeof(struct seal);
    const struct seal want = seal_of(k, data, *n);
    return !memcmp(data + *n, &want, sizeof want);
}

static char *read_sealed(const char *path, const struct image_key *k, size_t *n)
{
    char *data = cache_read_file(path, n);
    if (data && image_unseal(k, data, n)) {
        cache_used(path);
        return data;
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
    else if (n >= LARGE || k->hash[0] % ONE_OF == 0)
        cache_trim(dir);
}

/* ---- code with what launchers know of it ---- */
struct image_key image_key_of(const struct back_target *t, const char *machine)
{
    static const char maker[] = TERN_VERSION " " TERN_IDENTITY;
    /* Code for processors runs where they are, wherever it is made. */
    struct image_key k = key_on(t->processor ? t->processor : MACHINE, IMAGE_CODE, t->name);
    image_key_add(&k, machine, strlen(machine));
    image_key_add(&k, maker, sizeof maker - 1);
    return k;
}

/* In order: target, machine, how many kernels and variables, how large a target's own facts of a
 * kernel are, bytes of code; kernels; variables; code. Strings have their length before them and a
 * zero behind. What is read in place stands at a multiple of its alignment. */
enum { OWN_ALIGN = 8, CODE_ALIGN = 64, STRING_BYTES = 5 /* at least */ };

static void pad(struct sbuf *out, size_t to)
{
    while (out->len % to && !out->failed)
        sbuf_putc(out, 0);
}

static void put_string(struct sbuf *out, const char *z)
{
    const size_t n = strlen(z);
    sbuf_u32le(out, (uint32_t)n);
    sbuf_put(out, z, n + 1);
}

void image_pack(const struct image *i, struct sbuf *out)
{
    put_string(out, i->target->name);
    put_string(out, i->machine);
    sbuf_u32le(out, (uint32_t)i->nkernels);
    sbuf_u32le(out, (uint32_t)i->nglobals);
    sbuf_u32le(out, (uint32_t)i->target->kernel_bytes);
    sbuf_u64le(out, i->bytes);
    for (size_t n = 0; n < i->nkernels; n++) {
        const struct back_kernel *k = &i->kernels[n];
        put_string(out, k->name);
        put_string(out, k->symbol);
        sbuf_u32le(out, k->param_bytes);
        sbuf_u32le(out, k->static_shared);
        sbuf_u32le(out, k->local_bytes);
        sbuf_u32le(out, k->uses);
        pad(out, OWN_ALIGN);
        if (i->target->kernel_bytes)
            sbuf_put(out, k->own, i->target->kernel_bytes);
    }
    for (size_t n = 0; n < i->nglobals; n++) {
        put_string(out, i->globals[n].name);
        put_string(out, i->globals[n].symbol);
    }
    pad(out, CODE_ALIGN);
    sbuf_put(out, i->code, i->bytes);
}

struct reader {
    const char *data;
    size_t at, n;
    bool bad;
};

/* NULL: there are not so many. */
static const char *take(struct reader *r, size_t n)
{
    if (r->bad || n > r->n - r->at) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    return r->data + r->at - n;
}

static uint64_t take_number(struct reader *r, unsigned bytes)
{
    const unsigned char *p = (const unsigned char *)take(r, bytes);
    uint64_t v = 0;
    for (unsigned k = 0; p && k < bytes; k++)
        v |= (uint64_t)p[k] << 8 * k;
    return v;
}

static uint32_t take_u32(struct reader *r)
{
    return (uint32_t)take_number(r, 4);
}

static const char *take_string(struct reader *r)
{
    const size_t n = take_u32(r);
    const char *z = take(r, n + 1);
    if (z && strnlen(z, n + 1) != n)
        r->bad = true;
    return r->bad ? "" : z;
}

static void skip_to(struct reader *r, size_t to)
{
    take(r, (to - r->at % to) % to);
}

static void take_kernel(struct reader *r, struct back_kernel *k, size_t own)
{
    k->name = take_string(r);
    k->symbol = take_string(r);
    k->param_bytes = take_u32(r);
    k->static_shared = take_u32(r);
    k->local_bytes = take_u32(r);
    k->uses = take_u32(r);
    skip_to(r, OWN_ALIGN);
    k->own = take(r, own);
}

static bool take_all(struct reader *r, struct image *i)
{
    const bool fits =
        !strcmp(take_string(r), i->target->name) && !strcmp(take_string(r), i->machine);
    i->nkernels = take_u32(r);
    i->nglobals = take_u32(r);
    const size_t own = take_u32(r), most = r->n / (2 * STRING_BYTES);
    i->bytes = (size_t)take_number(r, 8);
    if (!fits || r->bad || own != i->target->kernel_bytes || i->nkernels > most ||
        i->nglobals > most)
        return false;
    struct back_kernel *kernels = calloc(i->nkernels + 1, sizeof *kernels);
    struct back_global *globals = calloc(i->nglobals + 1, sizeof *globals);
    i->owned[0] = kernels;
    i->owned[1] = globals;
    if (!kernels || !globals)
        return false;
    for (size_t n = 0; n < i->nkernels; n++)
        take_kernel(r, &kernels[n], own);
    for (size_t n = 0; n < i->nglobals; n++) {
        globals[n].name = take_string(r);
        globals[n].symbol = take_string(r);
    }
    i->kernels = kernels;
    i->globals = globals;
    skip_to(r, CODE_ALIGN);
    i->code = take(r, i->bytes);
    return !r->bad && r->at == r->n;
}

bool image_unpack(struct image *i, const struct back_target *target, const char *machine,
                  char *data, size_t n)
{
    struct reader r = {.data = data, .n = n};
    *i = (struct image){.target = target, .machine = machine};
    const bool ok = take_all(&r, i);
    i->owned[2] = data;
    if (!ok)
        image_free(i);
    return ok;
}

void image_free(struct image *i)
{
    for (size_t k = 0; k < sizeof i->owned / sizeof *i->owned; k++)
        free(i->owned[k]);
    *i = (struct image){0};
}

bool image_load(struct image *i, const struct back_target *target, const char *machine,
                const char *dir, const struct image_key *k)
{
    size_t n;
    char *data = image_read(dir, k, &n);
    *i = (struct image){0};
    return data && image_unpack(i, target, machine, data, n);
}

void image_store(const struct image *i, const char *dir, const struct image_key *k)
{
    struct sbuf bytes;
    if (!dir)
        return;
    sbuf_init(&bytes, NULL);
    image_pack(i, &bytes);
    if (!bytes.failed)
        image_write(dir, k, bytes.data, bytes.len);
    sbuf_free(&bytes);
}
