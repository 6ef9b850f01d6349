/* Code images: compiled code on its way from what made it to what loads it, and its form on disk.
 *
 * An image is known by a key: a hash of its form, of the machine, of our own version, and of
 * everything that it was made from. It lies in the cache under that key, and behind its bytes,
 * where loaders of shared objects do not mind, stands a seal: form, key, length and a hash of the
 * bytes. What is damaged, cut off, of another version or made from something else is not given out:
 * it is made again.
 *
 * Code of our own tells nothing about its kernels, so the image holds that, too: struct image. */
#ifndef RT_IMAGE_H
#define RT_IMAGE_H

#include "base/base.h"

struct back_kernel;
struct back_global;
struct back_target;

enum image_format {
#define IMAGE_FORMAT(name, ending) IMAGE_##name,
#include "rt/image.def"
};

struct image_key {
    enum image_format format;
    uint64_t hash[2];
};

/* target: what the code runs on and what makes it, in words. Then come the texts it is made from.
 */
struct image_key image_key(enum image_format f, const char *target);
void image_key_add(struct image_key *k, const void *data, size_t n);
/* The key of a module, before the sources that it was read from are added: another Tern may read
 * them otherwise. */
struct image_key image_key_read(void);

/* Where it lies, or would; false: the path is too long. */
bool image_path(const char *dir, const struct image_key *k, char *out, size_t size);
/* The bytes, for free(); NULL: not there, damaged, or not to be trusted (rt/cache.h). */
char *image_read(const char *dir, const struct image_key *k, size_t *n);
bool image_is_whole(const char *path, const struct image_key *k);
/* Seals a file that another program wrote. */
bool image_seal(const char *path, const struct image_key *k);
/* That it cannot be written is not an error: the next run makes it again. */
void image_write(const char *dir, const struct image_key *k, const void *data, size_t n);

/* The bytes with a seal behind them, elsewhere than on disk; and whether the one that is there
 * fits: *n is less then. */
void image_sealed(const struct image_key *k, const char *data, size_t n, struct sbuf *out);
bool image_unseal(const struct image_key *k, const char *data, size_t *n);

/* ---- code with what launchers know of it ---- */
/* The key of an image, before what it is made from is added: another Tern may make other code. */
struct image_key image_key_of(const struct back_target *t, const char *machine);

struct image {
    const struct back_target *target;
    const char *machine; /* which of those that the target makes code for */
    const struct back_kernel *kernels;
    const struct back_global *globals;
    size_t nkernels, nglobals;
    const char *code;
    size_t bytes;
    void *owned[3]; /* by image_unpack; NULL: what it points to is another's */
};

/* The bytes that stand for it; where there is no memory for them, out->failed. */
void image_pack(const struct image *i, struct sbuf *out);
/* Takes `data`, which malloc gave, and frees it if it does not keep it. False: it is not an image
 * for that target and machine; nothing in one that it gives points outside it. */
bool image_unpack(struct image *i, const struct back_target *target, const char *machine,
                  char *data, size_t n);
void image_free(struct image *i);
/* From the cache, and to it. */
bool image_load(struct image *i, const struct back_target *target, const char *machine,
                const char *dir, const struct image_key *k);
void image_store(const struct image *i, const char *dir, const struct image_key *k);

#endif
