/* Bundles of images inside programs: see shelf.h. */
#include "rt/shelf.h"

#include <stdlib.h>
#include <string.h>
#include "base/compress.h"

enum { ALIGN = 8 };
static const char magic[8] = {'t', 'e', 'r', 'n', 's', 'h', 'l', 'f'};

struct entry {
    uint64_t key[2];
    uint32_t format, spare;
    uint64_t sealed, packed; /* bytes */
};

void shelf_begin(struct sbuf *out)
{
    sbuf_put(out, magic, sizeof magic);
}

void shelf_put(struct sbuf *out, const struct image_key *k, const char *data, size_t n)
{
    struct sbuf sealed;
    sbuf_init(&sealed, NULL);
    image_sealed(k, data, n, &sealed);
    char *packed = sealed.failed ? NULL : malloc(lz4_bound(sealed.len));
    if (packed) {
        struct entry e = {
            .key = {k->hash[0], k->hash[1]}, .format = k->format, .sealed = sealed.len};
        e.packed = lz4_encode((const uint8_t *)sealed.data, sealed.len, (uint8_t *)packed);
        sbuf_put(out, (const char *)&e, sizeof e);
        sbuf_put(out, packed, e.packed);
        while (out->len % ALIGN && !out->failed)
            sbuf_putc(out, 0);
    } else {
        out->failed = true;
    }
    free(packed);
    sbuf_free(&sealed);
}

static enum shelf_found take(const struct entry *e, const char *packed, const struct image_key *k,
                             char **data, size_t *n)
{
    enum { MOST = 256 << 20 };
    char *sealed = e->sealed <= MOST ? malloc(e->sealed + 1) : NULL;
    *n = e->sealed;
    if (sealed && lz4_decode((const uint8_t *)packed, e->packed, (uint8_t *)sealed, e->sealed) &&
        image_unseal(k, sealed, n)) {
        *data = sealed;
        return SHELF_IMAGE;
    }
    free(sealed);
    return SHELF_DAMAGED;
}

enum shelf_found shelf_find(const struct shelf *s, const struct image_key *k, char **data,
                            size_t *n)
{
    for (; s; s = s->next) {
        if (s->bytes < sizeof magic || memcmp(s->data, magic, sizeof magic) != 0)
            continue;
        struct entry e;
        for (size_t at = sizeof magic; at + sizeof e <= s->bytes;) {
            memcpy(&e, s->data + at, sizeof e);
            at += sizeof e;
            if (e.packed > s->bytes - at)
                break;
            if (e.key[0] == k->hash[0] && e.key[1] == k->hash[1] && e.format == k->format)
                return take(&e, s->data + at, k, data, n);
            at += (e.packed + ALIGN - 1) / ALIGN * ALIGN;
        }
    }
    return SHELF_NOTHING;
}
