/* Images that came with a program: terncc makes them when it links, for the processors that it is
 * told, and puts them into the program as one piece of data, a bundle. The CPU device looks there
 * for what is not in the cache.
 *
 * A bundle is a head, then for each image its key, its size as it is sealed (rt/image.h) and packed
 * (LZ4), and its bytes. It is known by its key alone: what was made of another program, by another
 * Tern or for other processors has another, and one that is damaged has a seal that does not fit.
 * It is made anew then. */
#ifndef RT_SHELF_H
#define RT_SHELF_H

#include "rt/image.h"
#include "tern/error.h"

struct shelf { /* one bundle, and those before it; all zero: none */
    const char *data;
    size_t bytes;
    const struct shelf *next;
};

enum shelf_found { SHELF_NOTHING, SHELF_IMAGE, SHELF_DAMAGED };
/* *data is for free(), and *n its bytes without the seal; both if there is an image. */
enum shelf_found shelf_find(const struct shelf *s, const struct image_key *k, char **data,
                            size_t *n);

/* Writing one: of a device half (module.h), for the processors named so, appended with how many
 * images of code there are. What no code can be made for is left out. module: what the source came
 * to goes with it, for all processors and devices. */
struct rt_source;
enum tern_error rt_bundle(const struct rt_source *s, const char *cpu, bool module,
                          const uint32_t (*shapes)[3], size_t nshapes, struct sbuf *out,
                          size_t *images);
void shelf_begin(struct sbuf *out);
void shelf_put(struct sbuf *out, const struct image_key *k, const char *data, size_t n);

#endif
