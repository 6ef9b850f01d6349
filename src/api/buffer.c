/* Buffers, and copies between them and the host. */
#include <stdlib.h>
#include "api/api.h"

struct tern_buffer {
    struct tern_device *device;
    uint64_t address, bytes;
};

enum tern_error tern_buffer_new(tern_device *d, uint64_t bytes, tern_buffer **out)
{
    return buffer_new(d, bytes, NULL, out);
}

/* ---- counting ---- */

static enum tern_error take(struct tern_device *d, uint64_t bytes)
{
    struct tern_memory *m = &d->memory;
    pthread_mutex_lock(&d->notes);
    const bool fits = !m->limit || (m->bytes <= m->limit && bytes <= m->limit - m->bytes);
    if (fits) {
        m->buffers++;
        m->total_buffers++;
        m->bytes += bytes;
        m->most_bytes = m->bytes > m->most_bytes ? m->bytes : m->most_bytes;
    }
    pthread_mutex_unlock(&d->notes);
    return fits ? TERN_OK : TERN_OUT_OF_MEMORY;
}

static void give(struct tern_device *d, uint64_t bytes, bool was_there)
{
    pthread_mutex_lock(&d->notes);
    d->memory.buffers--;
    d->memory.bytes -= bytes;
    d->memory.total_buffers -= !was_there;
    pthread_mutex_unlock(&d->notes);
}

void tern_device_memory(tern_device *d, struct tern_memory *out)
{
    pthread_mutex_lock(&d->notes);
    *out = d->memory;
    pthread_mutex_unlock(&d->notes);
}

void tern_device_memory_limit(tern_device *d, uint64_t bytes)
{
    pthread_mutex_lock(&d->notes);
    d->memory.limit = bytes;
    pthread_mutex_unlock(&d->notes);
}

/* ---- buffers ---- */

enum tern_error buffer_new(struct tern_device *d, uint64_t bytes, const char *name,
                           struct tern_buffer **out)
{
    *out = NULL;
    if (d->lost)
        return d->lost;
    struct tern_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return TERN_OUT_OF_MEMORY;
    b->device = d;
    b->bytes = bytes;
    enum tern_error e = take(d, bytes);
    if (!e) {
        device_use(d);
        e = device_check(d, d->rt.driver->alloc(d->rt.dev, bytes, 256, name, &b->address));
        if (e)
            give(d, bytes, false);
    }
    if (e)
        free(b);
    else
        *out = b;
    return e;
}

void tern_buffer_free(tern_buffer *b)
{
    if (!b)
        return;
    device_wait(b->device);
    b->device->rt.driver->free(b->device->rt.dev, b->address);
    give(b->device, b->bytes, true);
    free(b);
}

uint64_t tern_buffer_address(const tern_buffer *b)
{
    return b->address;
}

uint64_t tern_buffer_bytes(const tern_buffer *b)
{
    return b->bytes;
}

static bool inside(const struct tern_buffer *b, uint64_t at, uint64_t n)
{
    return at <= b->bytes && n <= b->bytes - at;
}

static struct work_place place(const struct tern_buffer *b, uint64_t at)
{
    return (struct work_place){.device = b->device, .at = b->address + at};
}

static struct work_place host_place(const void *p)
{
    return (struct work_place){.at = (uint64_t)(uintptr_t)p};
}

static enum tern_error move(struct tern_stream *s, struct tern_device *d, struct work_place to,
                            struct work_place from, uint64_t n)
{
    struct work w = {.kind = WORK_COPY,
                     .device = d,
                     .copy = {.to = to, .from = from, .width = n, .height = 1, .depth = 1}};
    return work_submit(s ? s : &d->own, &w);
}

enum tern_error tern_write(tern_stream *s, tern_buffer *to, uint64_t at, const void *from,
                           uint64_t n)
{
    return inside(to, at, n) ? move(s, to->device, place(to, at), host_place(from), n)
                             : TERN_INVALID_ARGUMENT;
}

enum tern_error tern_read(tern_stream *s, tern_buffer *from, uint64_t at, void *to, uint64_t n)
{
    return inside(from, at, n) ? move(s, from->device, host_place(to), place(from, at), n)
                               : TERN_INVALID_ARGUMENT;
}

enum tern_error tern_copy(tern_stream *s, tern_buffer *to, uint64_t to_at, tern_buffer *from,
                          uint64_t from_at, uint64_t n)
{
    return inside(to, to_at, n) && inside(from, from_at, n)
               ? move(s, to->device, place(to, to_at), place(from, from_at), n)
               : TERN_INVALID_ARGUMENT;
}

enum tern_error tern_fill(tern_stream *s, tern_buffer *to, uint64_t at, uint8_t value, uint64_t n)
{
    if (!inside(to, at, n))
        return TERN_INVALID_ARGUMENT;
    struct work w = {
        .kind = WORK_FILL,
        .device = to->device,
        .fill = {.to = place(to, at), .width = n, .height = 1, .value = value, .element = 1}};
    return work_submit(s ? s : &to->device->own, &w);
}

enum tern_error tern_call(tern_stream *s, void (*fn)(void *), void *arg)
{
    struct work w = {.kind = WORK_CALL, .device = s->device, .call = {fn, arg}};
    return work_submit(s, &w);
}

enum tern_error tern_buffer_write(tern_buffer *b, uint64_t at, const void *from, uint64_t n)
{
    enum tern_error e = device_wait(b->device);
    if (!e)
        e = tern_write(NULL, b, at, from, n);
    return e ? e : stream_wait(&b->device->own);
}

enum tern_error tern_buffer_read(tern_buffer *b, uint64_t at, void *to, uint64_t n)
{
    enum tern_error e = device_wait(b->device);
    if (!e)
        e = tern_read(NULL, b, at, to, n);
    return e ? e : stream_wait(&b->device->own);
}

enum tern_error tern_buffer_zeros(tern_device *d, uint64_t bytes, tern_buffer **out)
{
    enum tern_error e = tern_buffer_new(d, bytes, out);
    if (!e && bytes)
        e = tern_fill(&d->own, *out, 0, 0, bytes);
    e = e ? e : tern_stream_wait(&d->own);
    if (e && *out) {
        tern_buffer_free(*out);
        *out = NULL;
    }
    return e;
}
