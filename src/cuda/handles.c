/* Which handles are alive: programs destroy things twice, or use them afterwards, and CUDA answers
 * with an error. One table of addresses, cut into shards so that threads rarely meet; open
 * addressing, and what is removed stays as HANDLE_GONE until the shard is made anew. */
#include <stdlib.h>
#include "cuda/cuda_int.h"

enum { SHARDS = 16, FIRST_SLOTS = 64 };

struct slot {
    uintptr_t handle; /* 0: never used */
    enum cuda_handle kind;
};

static struct shard {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t count, used; /* a power of two, or 0; with those that are gone */
} shards[SHARDS] = {
#define SHARD                                                                                      \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }
    SHARD, SHARD, SHARD, SHARD, SHARD, SHARD, SHARD, SHARD,
    SHARD, SHARD, SHARD, SHARD, SHARD, SHARD, SHARD, SHARD,
};

static uint64_t mix(const void *handle)
{
    uint64_t x = (uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static struct shard *enter(const void *handle)
{
    struct shard *s = &shards[mix(handle) >> 60];
    pthread_mutex_lock(&s->lock);
    return s;
}

static struct slot *find(const struct shard *s, const void *handle)
{
    for (size_t k = mix(handle); s->count; k++) {
        struct slot *at = &s->slots[k & (s->count - 1)];
        if (at->handle == (uintptr_t)handle)
            return at;
        if (!at->handle)
            break;
    }
    return NULL;
}

static void put(struct shard *s, struct slot what)
{
    size_t k = mix((const void *)what.handle);
    while (s->slots[k & (s->count - 1)].handle)
        k++;
    s->slots[k & (s->count - 1)] = what;
    s->used++;
}

static bool grow(struct shard *s)
{
    size_t alive = 0;
    for (size_t k = 0; k < s->count; k++)
        alive += s->slots[k].handle && s->slots[k].kind != HANDLE_GONE;
    struct shard bigger = {.count = !s->count ? FIRST_SLOTS : s->count << (4 * alive > s->count)};
    bigger.slots = calloc(bigger.count, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t k = 0; k < s->count; k++)
        if (s->slots[k].handle && s->slots[k].kind != HANDLE_GONE)
            put(&bigger, s->slots[k]);
    free(s->slots);
    s->slots = bigger.slots;
    s->count = bigger.count;
    s->used = bigger.used;
    return true;
}

bool cuda_handle_add(enum cuda_handle kind, const void *handle)
{
    struct shard *s = enter(handle);
    struct slot *known = find(s, handle);
    const bool fits = known || 2 * (s->used + 1) <= s->count || grow(s);
    if (known)
        known->kind = kind;
    else if (fits)
        put(s, (struct slot){(uintptr_t)handle, kind});
    pthread_mutex_unlock(&s->lock);
    return fits;
}

bool cuda_handle_is(enum cuda_handle kind, const void *handle)
{
    struct shard *s = enter(handle);
    const struct slot *at = handle ? find(s, handle) : NULL;
    const bool is = at && at->kind == kind;
    pthread_mutex_unlock(&s->lock);
    return is;
}

bool cuda_handle_remove(enum cuda_handle kind, const void *handle)
{
    struct shard *s = enter(handle);
    struct slot *at = handle ? find(s, handle) : NULL;
    const bool is = at && at->kind == kind;
    if (is)
        at->kind = HANDLE_GONE;
    pthread_mutex_unlock(&s->lock);
    return is;
}

bool cuda_handle_gone(const void *handle)
{
    return !handle || cuda_handle_is(HANDLE_GONE, handle);
}

void cuda_handle_inner(const void *handle)
{
    struct shard *s = enter(handle);
    struct slot *at = handle ? find(s, handle) : NULL;
    if (at && at->kind == HANDLE_GONE)
        at->kind = HANDLE_INNER;
    pthread_mutex_unlock(&s->lock);
}
