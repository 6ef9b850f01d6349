/* Memory: large buffers, cut into allocations that are found again by address.
 *
 * Device-local memory that the host sees through its caches (integrated and software devices) is
 * copied to directly; the rest goes through a staging buffer: also what the host sees across a bus,
 * which it would read word by word. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "rt/dev/vulkan/vulkan_int.h"
#include "rt/texture.h"

enum { CHUNK = 64 << 20, MANAGED_CHUNK = 4 << 20, GRAIN = 256 };

/* ---- buffers ---- */

static int pick_type(struct dev *d, uint32_t allowed, uint32_t want, uint32_t like)
{
    int best = -1;
    for (uint32_t k = 0; k < d->memory_types.ntypes; k++) {
        uint32_t flags = d->memory_types.types[k].flags;
        if (!(allowed >> k & 1) || (flags & want) != want)
            continue;
        if ((flags & like) == like)
            return (int)k;
        if (best < 0)
            best = (int)k;
    }
    return best;
}

/* A buffer with memory behind it and an address, not mapped. */
static vk_result create(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                        struct vk_buffer *b, uint32_t *got)
{
    *b = (struct vk_buffer){.size = size};
    *got = 0;
    if (vk_gone(d))
        return VK_LOST;
    const uint32_t families[2] = {d->family, d->copy_family};
    struct vk_buffer_create create = {.type = VK_TYPE_BUFFER,
                                      .size = size,
                                      .usage =
                                          VK_USAGE_TRANSFER | VK_USAGE_STORAGE | VK_USAGE_ADDRESS,
                                      .sharing = d->copy_family != d->family /* concurrent */,
                                      .nfamilies = d->copy_family != d->family ? 2 : 0,
                                      .families = families};
    vk_result r = d->fn.CreateBuffer(d->device, &create, NULL, &b->buffer);
    if (r != VK_SUCCESS)
        return r;
    struct vk_memory_requirements need;
    d->fn.GetBufferMemoryRequirements(d->device, b->buffer, &need);
    int type = pick_type(d, need.types, want, like);
    struct vk_memory_allocate_flags flags = {.type = VK_TYPE_MEMORY_ALLOCATE_FLAGS,
                                             .flags = VK_ALLOCATE_DEVICE_ADDRESS};
    struct vk_memory_allocate allocate = {.type = VK_TYPE_MEMORY_ALLOCATE,
                                          .next = &flags,
                                          .size = need.size,
                                          .memory_type = (uint32_t)type};
    r = type < 0 ? VK_OUT_OF_DEVICE : d->fn.AllocateMemory(d->device, &allocate, NULL, &b->memory);
    if (r == VK_SUCCESS)
        r = d->fn.BindBufferMemory(d->device, b->buffer, b->memory, 0);
    if (r != VK_SUCCESS)
        return r;
    *got = d->memory_types.types[type].flags;
    struct vk_buffer_address address = {.type = VK_TYPE_BUFFER_ADDRESS, .buffer = b->buffer};
    b->address = d->fn.GetBufferDeviceAddress(d->device, &address);
    return VK_SUCCESS;
}

/* Keeps the device's addresses of a buffer from being used for anything else in this process: host
 * memory, or that of another device. An address then tells whose it is, and one that the host may
 * not use faults. False: something is there. What cannot be an address here needs no keeping. */
static bool keep_addresses(struct vk_buffer *b)
{
    void *at = (void *)(uintptr_t)b->address,
         *got = mmap(at, b->size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == at)
        b->kept = at;
    else if (got != MAP_FAILED) /* by a kernel that took it for a hint */
        munmap(got, b->size);
    return b->kept || (got == MAP_FAILED && errno != EEXIST);
}

/* Tries again while the driver gives addresses that are taken: it has them still then. */
static vk_result create_apart(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                              struct vk_buffer *b, uint32_t *got)
{
    enum { TRIES = 16 };
    struct vk_buffer taken[TRIES];
    uint32_t flags = 0;
    unsigned n = 0;
    vk_result r;
    while ((r = create(d, size, want, like, b, &flags)) == VK_SUCCESS) {
        *got = flags;
        if (keep_addresses(b) || n == TRIES)
            break;
        taken[n++] = *b;
    }
    if (r != VK_SUCCESS && n) { /* there is no more: better one of these than none */
        vk_buffer_free(d, b);
        *b = taken[n - 1];
        taken[n - 1] = (struct vk_buffer){0};
        r = VK_SUCCESS;
    }
    if (r == VK_SUCCESS && n && !b->kept)
        report_note(&d->host.reports,
                    "vulkan: addresses of the device are also others' in this process");
    while (n)
        vk_buffer_free(d, &taken[--n]);
    return r;
}

static enum tern_error new_buffer(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                                  bool apart, struct vk_buffer *out)
{
    struct vk_buffer b = {0};
    uint32_t got = 0;
    const uint32_t visible = VK_MEMORY_HOST | VK_MEMORY_COHERENT;
    vk_result r = (apart ? create_apart : create)(d, size, want, like, &b, &got);
    if (r == VK_SUCCESS && (got & visible) == visible)
        r = d->fn.MapMemory(d->device, b.memory, 0, UINT64_MAX, 0, (void **)&b.mapped);
    if (r != VK_SUCCESS) {
        vk_buffer_free(d, &b);
        return vk_error(r);
    }
    *out = b;
    return TERN_OK;
}

enum tern_error vk_buffer_new(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                              struct vk_buffer *out)
{
    return new_buffer(d, size, want, like, false, out);
}

/* A driver that maps where it likes: the pages are moved to where they are wanted. Their old place
 * stays reserved, for the driver will unmap it. */
static enum tern_error move_map(struct dev *d, struct vk_buffer *b)
{
    void *was = NULL, *at = (void *)(uintptr_t)b->address;
    enum tern_error e = vk_error(d->fn.MapMemory(d->device, b->memory, 0, UINT64_MAX, 0, &was));
    if (!e && (uintptr_t)was % (uintptr_t)sysconf(_SC_PAGESIZE))
        e = TERN_UNSUPPORTED;
    if (!e && mremap(was, b->size, b->size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != at)
        e = TERN_UNSUPPORTED;
    if (e)
        return e;
    void *left = mmap(was, b->size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (left != was) { /* another thread was faster: the driver must never unmap it */
        if (left != MAP_FAILED)
            munmap(left, b->size);
        b->memory = 0;
    }
    b->mapped = at;
    return TERN_OK;
}

static enum tern_error place_map(struct dev *d, struct vk_buffer *b)
{
    struct vk_memory_map_placed place = {.type = VK_TYPE_MEMORY_MAP_PLACED, .address = b->kept};
    struct vk_memory_map map = {.type = VK_TYPE_MEMORY_MAP,
                                .next = &place,
                                .flags = VK_MAP_PLACED,
                                .memory = b->memory,
                                .size = UINT64_MAX};
    enum tern_error e = vk_error(d->fn.MapMemory2KHR(d->device, &map, (void **)&b->mapped));
    if (!e)
        b->kept = NULL; /* the driver's now */
    return e;
}

/* GPUs number their memory from low addresses, where a Linux process has nothing. The range is
 * reserved first: placing a map over something would replace it. */
enum tern_error vk_buffer_placed(struct dev *d, uint64_t size, struct vk_buffer *out)
{
    struct vk_buffer b = {0};
    uint32_t got = 0;
    vk_result r =
        create_apart(d, size, VK_MEMORY_HOST | VK_MEMORY_COHERENT, VK_MEMORY_CACHED, &b, &got);
    enum tern_error e = vk_error(r);
    if (!e && (b.address % d->window_step || !b.kept))
        e = TERN_UNSUPPORTED;
    if (!e)
        e = (d->placed ? place_map : move_map)(d, &b);
    if (e) {
        vk_buffer_free(d, &b);
        return e;
    }
    *out = b;
    return TERN_OK;
}

void vk_buffer_free(struct dev *d, struct vk_buffer *b)
{
    const bool gone = vk_gone(d);
    if (b->buffer && !gone)
        d->fn.DestroyBuffer(d->device, b->buffer, NULL);
    if (b->memory && !gone)
        d->fn.FreeMemory(d->device, b->memory, NULL);
    if (b->kept && !gone)
        munmap(b->kept, b->size);
    *b = (struct vk_buffer){0};
}

void vk_memory_free_all(struct dev *d)
{
    for (size_t k = 0; k < d->nchunks; k++) {
        vk_buffer_free(d, &d->chunks[k].buffer);
        free(d->chunks[k].holes);
    }
    free(d->chunks);
    free(d->ranges);
}

/* ---- allocations ---- */

static bool grow(void **array, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return true;
    size_t n = *cap ? 2 * *cap : 16;
    void *p = realloc(*array, n * elem);
    if (!p)
        return false;
    *array = p;
    *cap = n;
    return true;
}

static size_t first_above(const struct dev *d,
                          uint64_t address) /* index of the first range past it */
{
    size_t low = 0, high = d->nranges;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (d->ranges[mid].address > address)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool take_from(struct vk_chunk *c, uint64_t size, uint64_t align, uint64_t *at)
{
    for (size_t k = 0; k < c->nholes; k++) {
        struct vk_hole *h = &c->holes[k];
        uint64_t start = (h->at + align - 1) / align * align, lead = start - h->at;
        if (h->size < lead + size)
            continue;
        uint64_t rest = h->size - lead - size;
        if (lead && rest) {
            if (!grow((void **)&c->holes, &c->holes_cap, c->nholes + 1, sizeof *c->holes))
                return false;
            h = &c->holes[k];
            memmove(h + 2, h + 1, (c->nholes - k - 1) * sizeof *h);
            h[1] = (struct vk_hole){start + size, rest};
            h->size = lead;
            c->nholes++;
        } else if (lead) {
            h->size = lead;
        } else if (rest) {
            *h = (struct vk_hole){start + size, rest};
        } else {
            memmove(h, h + 1, (c->nholes - k - 1) * sizeof *h);
            c->nholes--;
        }
        c->used += size;
        *at = start;
        return true;
    }
    return false;
}

static enum tern_error new_chunk(struct dev *d, uint64_t size, bool managed, bool single,
                                 struct vk_chunk **out)
{
    size_t slot = 0;
    while (slot < d->nchunks && d->chunks[slot].buffer.buffer)
        slot++;
    if (slot == d->nchunks) {
        if (!grow((void **)&d->chunks, &d->chunks_cap, d->nchunks + 1, sizeof *d->chunks))
            return TERN_OUT_OF_MEMORY;
        d->nchunks++;
    }
    struct vk_chunk *c = &d->chunks[slot];
    *c = (struct vk_chunk){.managed = managed, .single = single};
    if (!grow((void **)&c->holes, &c->holes_cap, 1, sizeof *c->holes))
        return TERN_OUT_OF_MEMORY;
    const uint32_t cached = VK_MEMORY_HOST | VK_MEMORY_COHERENT | VK_MEMORY_CACHED;
    enum tern_error e =
        managed ? vk_buffer_placed(d, size, &c->buffer)
                : new_buffer(d, size, VK_MEMORY_DEVICE, cached, !d->same_addresses, &c->buffer);
    if (e) {
        free(c->holes);
        *c = (struct vk_chunk){0};
        return e;
    }
    c->holes[0] = (struct vk_hole){0, size};
    c->nholes = 1;
    d->mapped_chunks += c->buffer.mapped != NULL;
    *out = c;
    return TERN_OK;
}

static enum tern_error allocate(struct dev *d, uint64_t size, uint32_t align, bool managed,
                                dev_ptr *out)
{
    const uint64_t usual = managed ? MANAGED_CHUNK : CHUNK,
                   round = managed ? d->window_step : GRAIN;
    uint64_t whole = (size + GRAIN - 1) / GRAIN * GRAIN, at = 0,
             step = align > GRAIN ? align : GRAIN;
    if (!size || size > UINT64_MAX / 2)
        return size ? TERN_OUT_OF_MEMORY : TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&d->lock);
    const bool single = whole >= usual / 2;
    struct vk_chunk *c = NULL;
    enum tern_error e = TERN_OK;
    for (size_t k = 0; k < d->nchunks && !c && !single; k++) {
        struct vk_chunk *n = &d->chunks[k];
        if (n->buffer.buffer && !n->single && n->managed == managed &&
            take_from(n, whole, step, &at))
            c = n;
    }
    if (!c) {
        e = new_chunk(d, single ? (whole + round - 1) / round * round : usual, managed, single, &c);
        if (!e && !take_from(c, whole, step, &at))
            e = TERN_OUT_OF_MEMORY;
    }
    if (!e && !grow((void **)&d->ranges, &d->ranges_cap, d->nranges + 1, sizeof *d->ranges))
        e = TERN_OUT_OF_MEMORY;
    if (!e) {
        uint64_t address = c->buffer.address + at;
        size_t k = first_above(d, address);
        memmove(d->ranges + k + 1, d->ranges + k, (d->nranges - k) * sizeof *d->ranges);
        d->ranges[k] = (struct vk_range){address, whole, (uint32_t)(c - d->chunks)};
        d->nranges++;
        *out = address;
    }
    pthread_mutex_unlock(&d->lock);
    return e;
}

enum tern_error vk_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                         dev_ptr *out)
{
    (void)name;
    return allocate(d, size, align, false, out);
}

enum tern_error vk_managed_alloc(struct dev *d, uint64_t size, dev_ptr *out)
{
    return d->window_step ? allocate(d, size, GRAIN, true, out) : TERN_UNSUPPORTED;
}

static void give_back(struct vk_chunk *c, uint64_t at, uint64_t size)
{
    size_t k = 0;
    while (k < c->nholes && c->holes[k].at < at)
        k++;
    c->used -= size;
    bool joins_prev = k && c->holes[k - 1].at + c->holes[k - 1].size == at;
    bool joins_next = k < c->nholes && at + size == c->holes[k].at;
    if (joins_prev) {
        c->holes[k - 1].size += size;
        if (joins_next) {
            c->holes[k - 1].size += c->holes[k].size;
            memmove(&c->holes[k], &c->holes[k + 1], (c->nholes - k - 1) * sizeof *c->holes);
            c->nholes--;
        }
    } else if (joins_next) {
        c->holes[k].at = at;
        c->holes[k].size += size;
    } else if (grow((void **)&c->holes, &c->holes_cap, c->nholes + 1, sizeof *c->holes)) {
        memmove(&c->holes[k + 1], &c->holes[k], (c->nholes - k) * sizeof *c->holes);
        c->holes[k] = (struct vk_hole){at, size};
        c->nholes++;
    } /* else: the hole is lost until its chunk is empty */
}

enum tern_error vk_free(struct dev *d, dev_ptr p)
{
    pthread_mutex_lock(&d->lock);
    size_t k = first_above(d, p);
    if (!k || d->ranges[k - 1].address != p) {
        pthread_mutex_unlock(&d->lock);
        return TERN_INVALID_ARGUMENT;
    }
    struct vk_range r = d->ranges[k - 1];
    memmove(d->ranges + k - 1, d->ranges + k, (d->nranges - k) * sizeof *d->ranges);
    d->nranges--;
    struct vk_chunk *c = &d->chunks[r.chunk];
    give_back(c, p - c->buffer.address, r.size);
    struct vk_chunk dead = {0};
    if (!c->used && c->single) {
        dead = *c;
        *c = (struct vk_chunk){0};
        d->mapped_chunks -= dead.buffer.mapped != NULL;
    }
    pthread_mutex_unlock(&d->lock);
    if (dead.buffer.buffer) {
        if (!vk_gone(d))
            d->fn.DeviceWaitIdle(d->device); /* work that still uses it, as cudaFree does */
        vk_buffer_free(d, &dead.buffer);
        free(dead.holes);
    }
    return TERN_OK;
}

dev_ptr vk_start_of(struct dev *d, dev_ptr p)
{
    pthread_mutex_lock(&d->lock);
    const size_t k = first_above(d, p);
    const dev_ptr start = k ? d->ranges[k - 1].address : 0;
    pthread_mutex_unlock(&d->lock);
    return start;
}

bool vk_locate(struct dev *d, dev_ptr p, uint64_t size, struct vk_buffer *buffer, uint64_t *offset)
{
    pthread_mutex_lock(&d->lock);
    size_t k = first_above(d, p);
    bool ok = k && p - d->ranges[k - 1].address <= d->ranges[k - 1].size &&
              size <= d->ranges[k - 1].size - (p - d->ranges[k - 1].address);
    if (ok) {
        *buffer = d->chunks[d->ranges[k - 1].chunk].buffer;
        *offset = p - buffer->address;
    }
    pthread_mutex_unlock(&d->lock);
    return ok;
}

/* ---- copies ---- */

static enum tern_error staging(struct dev_queue *q)
{
    if (q->staging.buffer)
        return TERN_OK;
    return vk_buffer_new(q->dev, VK_STAGING_BYTES, VK_MEMORY_HOST | VK_MEMORY_COHERENT,
                         VK_MEMORY_CACHED, &q->staging);
}

static void record_copy(struct dev_queue *q, vk_command_buffer c, vk_handle from, uint64_t from_at,
                        vk_handle to, uint64_t to_at, uint64_t n)
{
    struct vk_buffer_copy region = {from_at, to_at, n};
    q->dev->fn.CmdCopyBuffer(c, from, to, 1, &region);
}

enum { LONG_COPY = 256 << 10 }; /* bytes, from which on another queue of Vulkan's is worth it */

static enum tern_error stage(struct dev_queue *q, struct vk_buffer *b, uint64_t at, uint64_t n,
                             unsigned half, bool in, bool is_long)
{
    vk_command_buffer c;
    const uint64_t place = (uint64_t)half * (VK_STAGING_BYTES / 2);
    enum tern_error e = is_long ? vk_record_copy(q, &c) : vk_record(q, VK_PIPELINE_TRANSFER, &c);
    if (e)
        return e;
    if (in)
        record_copy(q, c, q->staging.buffer, place, b->buffer, at, n);
    else
        record_copy(q, c, b->buffer, at, q->staging.buffer, place, n);
    q->shows |= !in;
    e = vk_flush(q, true);
    q->staged[half] = q->submitted;
    return e;
}

/* Moves n bytes between the host and a device buffer by halves of the staging buffer: the device
 * copies one while the host is at the other. */
static enum tern_error through_staging(struct dev_queue *q, struct vk_buffer *b, uint64_t at,
                                       char *host, uint64_t n, bool in)
{
    enum { HALF = VK_STAGING_BYTES / 2 };
    if (q->graph)
        return vk_queue_wait(q); /* which says that it cannot be recorded */
    pthread_mutex_lock(&q->lock);
    enum tern_error e = staging(q);
    const bool is_long = n >= LONG_COPY;
    for (uint64_t done = 0; done < n && !e; done += HALF) {
        const uint64_t part = n - done < HALF ? n - done : HALF;
        const unsigned half = done / HALF % 2;
        e = vk_wait_value(q, q->staged[half]);
        if (in && !e)
            memcpy(q->staging.mapped + half * HALF, host + done, part);
        else if (!e && done >= 2 * HALF)
            memcpy(host + done - 2 * HALF, q->staging.mapped + half * HALF, HALF);
        if (!e)
            e = stage(q, b, at + done, part, half, in, is_long);
    }
    const uint64_t parts =
        (n + HALF - 1) / HALF; /* going out, the last two are still to be fetched */
    for (uint64_t k = parts > 2 ? parts - 2 : 0; !in && k < parts && !e; k++) {
        e = vk_wait_value(q, q->staged[k % 2]);
        if (!e)
            memcpy(host + k * HALF, q->staging.mapped + k % 2 * HALF,
                   n - k * HALF < HALF ? n - k * HALF : HALF);
    }
    enum tern_error all = in ? TERN_OK : vk_queue_wait(q); /* faults of kernels before it */
    pthread_mutex_unlock(&q->lock);
    return e ? e : all;
}

enum tern_error vk_copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                           uint64_t n)
{
    struct vk_buffer b;
    uint64_t at;
    if (!vk_locate(d, to, n, &b, &at))
        return TERN_INVALID_ARGUMENT;
    if (!b.mapped)
        return through_staging(q, &b, at, (char *)from, n, true);
    enum tern_error e = vk_queue_wait(q);
    if (!e)
        memcpy(b.mapped + at, from, n);
    return e;
}

enum tern_error vk_copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from, uint64_t n)
{
    struct vk_buffer b;
    uint64_t at;
    if (!vk_locate(d, from, n, &b, &at))
        return TERN_INVALID_ARGUMENT;
    if (!b.mapped)
        return through_staging(q, &b, at, to, n, false);
    enum tern_error e = vk_queue_wait(q);
    if (!e)
        memcpy(to, b.mapped + at, n);
    return e;
}

enum tern_error vk_copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from, uint64_t n)
{
    struct vk_buffer a, b;
    uint64_t a_at, b_at;
    vk_command_buffer c;
    if (!n)
        return TERN_OK;
    if (!vk_locate(d, from, n, &a, &a_at) || !vk_locate(d, to, n, &b, &b_at))
        return TERN_INVALID_ARGUMENT;
    if (a.buffer == b.buffer && a_at < b_at + n && b_at < a_at + n)
        return a_at == b_at ? TERN_OK : TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&q->lock);
    enum tern_error e = vk_record(q, VK_PIPELINE_TRANSFER, &c);
    if (!e) {
        record_copy(q, c, a.buffer, a_at, b.buffer, b_at, n);
        e = vk_flush(q, false);
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

enum tern_error vk_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                        uint32_t pattern, unsigned bytes)
{
    struct vk_buffer b;
    uint64_t at;
    vk_command_buffer c;
    uint32_t word = bytes == 1   ? (pattern & 255) * 0x01010101u
                    : bytes == 2 ? (pattern & 65535) * 0x10001u
                                 : pattern;
    if (!n)
        return TERN_OK;
    if (!vk_locate(d, to, n, &b, &at))
        return TERN_INVALID_ARGUMENT;
    if (at % 4 || n % 4) { /* Vulkan fills whole words; ragged ends are written by the host */
        enum tern_error e = TERN_OK;
        char edge[4];
        uint64_t head = (4 - at % 4) % 4, tail;
        head = head < n ? head : n;
        for (uint64_t k = 0; k < 4; k++) /* phase of the pattern at the start of the range */
            edge[k] = (char)(word >> 8 * (k % 4));
        if (head)
            e = vk_copy_in(d, q, to, edge, head);
        tail = (n - head) % 4;
        if (!e && tail) {
            char end[4];
            for (uint64_t k = 0; k < tail; k++)
                end[k] = (char)(word >> 8 * ((n - tail + k) % 4));
            e = vk_copy_in(d, q, to + n - tail, end, tail);
        }
        if (e || n - head - tail == 0)
            return e;
        uint32_t turned = head ? word >> 8 * head | word << (32 - 8 * head) : word;
        return vk_fill(d, q, to + head, n - head - tail, turned, 4);
    }
    pthread_mutex_lock(&q->lock);
    enum tern_error e = vk_record(q, VK_PIPELINE_TRANSFER, &c);
    if (!e) {
        d->fn.CmdFillBuffer(c, b.buffer, at, n, word);
        e = vk_flush(q, false);
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

/* ---- the heap of device-side malloc ---- */

enum { HEAP_HEAD = 256 };

/* Memory that all kernels of the device share, made when the first asks for it. */
static enum tern_error common(struct dev *d, struct dev_queue *q, dev_ptr *where, uint64_t bytes,
                              const char *name, const void *head, uint64_t n)
{
    enum tern_error e = TERN_OK;
    pthread_mutex_lock(&d->heap_lock);
    if (!*where) {
        dev_ptr p = 0;
        e = vk_alloc(d, bytes, 256, name, &p);
        if (!e)
            e = vk_copy_in(d, q, p, head, n);
        if (!e)
            *where = p;
    }
    pthread_mutex_unlock(&d->heap_lock);
    return e;
}

enum tern_error vk_heap(struct dev *d, struct dev_queue *q)
{
    const uint64_t bytes = d->heap_bytes ? d->heap_bytes : DEV_DEFAULT_HEAP;
    const uint64_t head[HEAP_HEAD / 8] = {0, HEAP_HEAD, bytes}; /* lock, used, size, lists */
    enum tern_error e = common(d, q, &d->heap, bytes, "device heap", head, sizeof head);
    ((struct device_output *)q->output.mapped)->heap = d->heap;
    return e;
}

/* Once the heap is in use it stays as it is. */
enum tern_error vk_heap_limit(struct dev *d, uint64_t bytes)
{
    pthread_mutex_lock(&d->heap_lock);
    const uint64_t now = d->heap_bytes ? d->heap_bytes : DEV_DEFAULT_HEAP;
    const bool fits = !d->heap || bytes <= now;
    if (fits && !d->heap)
        d->heap_bytes = bytes > HEAP_HEAD ? bytes : HEAP_HEAD;
    pthread_mutex_unlock(&d->heap_lock);
    return fits ? TERN_OK : TERN_INVALID_ARGUMENT;
}

enum tern_error vk_locks(struct dev *d, struct dev_queue *q)
{
    static const uint32_t open[SPIRV_LOCKS] = {0};
    enum tern_error e = common(d, q, &d->locks, sizeof open, "locks", open, sizeof open);
    ((struct device_output *)q->output.mapped)->locks = d->locks;
    return e;
}

/* ---- textures: a handle is the address of a description in device memory ---- */

enum tern_error vk_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle)
{
    struct dev_queue *q = NULL;
    dev_ptr p = 0;
    enum tern_error e = vk_alloc(d, sizeof *desc, 256, "texture", &p);
    if (!e)
        e = vk_queue_new(d, &q);
    if (!e)
        e = vk_copy_in(d, q, p, desc, sizeof *desc);
    if (q)
        vk_queue_free(q);
    if (e && p)
        vk_free(d, p);
    *handle = e ? 0 : p;
    return e;
}

enum tern_error vk_texture_free(struct dev *d, uint64_t handle)
{
    return vk_free(d, handle) ? TERN_INVALID_HANDLE : TERN_OK;
}
