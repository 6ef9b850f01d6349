/* The container of fat binaries.
 *
 *   header   u32 magic, u16 version, u16 bytes of this header, u64 bytes that follow
 *   entries  u16 kind, u16 version, u32 bytes of this header, u64 bytes of the payload (padded),
 *            u32 bytes of it when compressed, u32 …, u16 minor, u16 major, u32 architecture,
 *            u32 …, u32 …, u64 flags, u64 …, u64 bytes when decoded, …
 *
 * An entry is PTX text or an ELF file of machine code. Everything is little-endian, as the machines
 * are that this runs on. */
#include "rt/fatbin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/compress.h"

enum { KIND_PTX = 1, KIND_ELF = 2, HEAD = 16, ENTRY = 64 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define MAGIC     0xba55ed50u
#define MAX_TEXT  ((uint64_t)1 << 30)
#define BEST_ARCH 89 /* from sm_90 on, code may use what only those machines have */

struct entry {
    unsigned kind, arch;
    const uint8_t *payload;
    uint64_t bytes, compressed, decoded, flags;
};

#define HOST 0x11 /* flags: 64 bits, Linux */

static uint64_t number(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < n; k++)
        v |= (uint64_t)p[k] << 8 * k;
    return v;
}

bool fatbin_is(const void *image, size_t n)
{
    return n >= HEAD && number(image, 4) == MAGIC;
}

/* The entry at *at, which then stands behind it. */
static bool next_entry(const uint8_t **at, const uint8_t *end, struct entry *e)
{
    const uint8_t *p = *at;
    if (end - p < ENTRY)
        return false;
    const uint64_t head = number(p + 4, 4), room = (uint64_t)(end - p);
    *e = (struct entry){.kind = (unsigned)number(p, 2),
                        .arch = (unsigned)number(p + 28, 4),
                        .bytes = number(p + 8, 8),
                        .compressed = number(p + 16, 4),
                        .flags = number(p + 40, 8),
                        .decoded = number(p + 56, 8)};
    if (head < ENTRY || head > room || e->bytes > room - head)
        return false;
    e->payload = p + head;
    *at = p + head + e->bytes;
    return true;
}

static bool better(const struct entry *e, const struct entry *than)
{
    if (!than->payload)
        return true;
    const bool fits = e->arch <= BEST_ARCH, fitted = than->arch <= BEST_ARCH;
    return fits != fitted ? fits : fits ? e->arch > than->arch : e->arch < than->arch;
}

static enum tern_error decode(const struct entry *e, char **text, size_t *len, char *why)
{
    const bool lz4 = e->flags & FLAG_LZ4, zstd = e->flags & FLAG_ZSTD;
    const uint64_t size = lz4 || zstd ? e->decoded : e->bytes;
    if (size > MAX_TEXT || ((lz4 || zstd) && e->compressed > e->bytes)) {
        snprintf(why, 256, "a fat binary is damaged: sizes that cannot be");
        return TERN_INVALID_IMAGE;
    }
    char *out = malloc((size_t)size + 1);
    if (!out) {
        snprintf(why, 256, "no memory for the PTX of a fat binary");
        return TERN_OUT_OF_MEMORY;
    }
    bool ok = true;
    if (zstd)
        ok = zstd_decode(e->payload, (size_t)e->compressed, (uint8_t *)out, (size_t)size);
    else if (lz4)
        ok = lz4_decode(e->payload, (size_t)e->compressed, (uint8_t *)out, (size_t)size);
    else
        memcpy(out, e->payload, (size_t)size);
    if (!ok) {
        free(out);
        snprintf(why, 256, "a fat binary is damaged: its PTX cannot be decompressed");
        return TERN_INVALID_IMAGE;
    }
    out[size] = 0;
    *text = out;
    *len = strlen(out); /* padded with zeros */
    return TERN_OK;
}

enum tern_error fatbin_ptx(const void *image, size_t n, char **text, size_t *len, char *why)
{
    const uint8_t *p = image;
    struct entry best = {0}, e;
    unsigned machines = 0, arch = 0;
    if (!fatbin_is(image, n)) {
        snprintf(why, 256, "this is not a fat binary");
        return TERN_INVALID_IMAGE;
    }
    const uint64_t head = number(p + 6, 2), bytes = number(p + 8, 8);
    if (head < HEAD || head > n || bytes > n - head) {
        snprintf(why, 256, "a fat binary is cut off");
        return TERN_INVALID_IMAGE;
    }
    const uint8_t *at = p + head, *end = at + bytes;
    while (at < end && next_entry(&at, end, &e)) {
        if (e.kind == KIND_PTX && better(&e, &best))
            best = e;
        machines += e.kind == KIND_ELF;
        arch = e.kind == KIND_ELF ? e.arch : arch;
    }
    if (best.payload)
        return decode(&best, text, len, why);
    if (machines)
        snprintf(
            why, 256,
            "the program has machine code for sm_%u%s only, and no PTX: build it with -gencode "
            "arch=compute_80,code=compute_80",
            arch, machines > 1 ? " and others" : "");
    else
        snprintf(why, 256, "a fat binary has no code in it");
    return machines ? TERN_UNSUPPORTED : TERN_INVALID_IMAGE;
}

void fatbin_write(struct sbuf *out, const char *ptx, size_t len, unsigned arch)
{
    static const char zeros[8];
    const size_t pad = 8 - len % 8; /* it ends with at least one zero */
    sbuf_u32le(out, MAGIC);
    sbuf_u32le(out, 1 | HEAD << 16);
    sbuf_u64le(out, ENTRY + len + pad);
    sbuf_u32le(out, KIND_PTX | 0x101 << 16);
    sbuf_u32le(out, ENTRY);
    sbuf_u64le(out, len + pad);
    sbuf_u32le(out, 0);
    sbuf_u32le(out, ENTRY); /* where options would stand */
    sbuf_u32le(out, 0);     /* the text says its version */
    sbuf_u32le(out, arch);
    sbuf_u64le(out, 0);
    sbuf_u64le(out, HOST);
    sbuf_u64le(out, 0);
    sbuf_u64le(out, 0);
    sbuf_put(out, ptx, len);
    sbuf_put(out, zeros, pad);
}
