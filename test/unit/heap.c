/* The pool of device memory, over a source that only counts. */
#include "rt/heap.h"
#include "unit.h"

struct source {
    uint64_t next, held, limit;
    unsigned settled, taken, given;
};

static enum tern_error take(void *ctx, uint64_t bytes, uint64_t *address)
{
    struct source *s = ctx;
    if (s->limit && s->held + bytes > s->limit)
        return TERN_OUT_OF_MEMORY;
    *address = s->next;
    s->next += bytes + (UINT64_C(1) << 30); /* chunks never touch */
    s->held += bytes;
    s->taken++;
    return TERN_OK;
}

static void give(void *ctx, uint64_t address, uint64_t bytes)
{
    struct source *s = ctx;
    (void)address;
    s->held -= bytes;
    s->given++;
}

static enum tern_error settle(void *ctx)
{
    struct source *s = ctx;
    s->settled++;
    return TERN_OK;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

enum { LIVE = 2000 };

/* 10,000 random allocations and frees of 1 KB to 10 MB: what the source gave at most, of what was
 * in use at most. Best fit in one unlimited range of addresses would come to 1.06, and to 1.12
 * where sizes are spread evenly over powers of two instead of over bytes. */
static double random_load(struct unit *u, bool octaves, uint64_t granule)
{
    struct source s = {.next = 1 << 20};
    struct heap_source source = {
        .ctx = &s, .granule = granule, .take = take, .give = give, .settle = settle};
    struct heap *h;
    static struct {
        uint64_t at, bytes;
    } live[LIVE];
    uint64_t state = 42, used = 0, peak = 0;
    memset(live, 0, sizeof live);
    if (heap_new(&source, &h))
        return 0;
    for (int n = 0; n < 10000; n++) {
        unsigned k = next(&state) % LIVE;
        if (live[k].at) {
            CHECK(heap_release(h, live[k].at) == TERN_OK);
            used -= live[k].bytes;
            live[k].at = 0;
            continue;
        }
        live[k].bytes = octaves ? 1024 + next(&state) % (UINT64_C(1) << (10 + next(&state) % 14))
                                : 1024 + next(&state) % (10 << 20);
        if (heap_alloc(h, live[k].bytes, 256, "x", &live[k].at)) {
            CHECK(false);
            break;
        }
        used += live[k].bytes;
        peak = used > peak ? used : peak;
    }
    for (unsigned j = 0; j < LIVE; j++) /* no two overlap */
        for (unsigned k = 0; k < j && live[j].at; k++)
            CHECK(!live[k].at || live[k].at >= live[j].at + live[j].bytes ||
                  live[j].at >= live[k].at + live[k].bytes);
    struct heap_stats stats = heap_stats(h);
    CHECK(stats.peak_used >= peak && stats.held == s.held);
    heap_free(h);
    CHECK(s.held == 0);
    return (double)stats.peak_held / (double)peak;
}

TEST_ONCE(heap_random_load_is_close_to_ideal)
{
    for (int k = 0; k < 4; k++) {
        const bool octaves = k & 1;
        double ratio = random_load(u, octaves, k & 2 ? 64 << 10 : 2 << 20);
        printf("sizes over %s, granule %s: %.3f of ideal\n", octaves ? "octaves" : "bytes",
               k & 2 ? "64 KiB" : "2 MiB", ratio);
        CHECK(ratio <= (octaves ? 1.2 : 1.1));
    }
}

TEST(heap_joins_and_gives_back)
{
    struct source s = {.next = 1 << 20};
    struct heap_source source = {.ctx = &s, .granule = 64 << 10, .take = take, .give = give};
    struct heap *h;
    uint64_t p[8], q;
    if (heap_new(&source, &h))
        return;
    for (int k = 0; k < 8; k++)
        if (heap_alloc(h, 256 << 10, 256, "piece", &p[k])) {
            CHECK(unit_injected(u));
            heap_free(h);
            return;
        }
    CHECK(s.taken == 1 || unit_injected(u)); /* all in one chunk */
    struct heap_found f;
    CHECK(heap_nearest(h, p[3] + 100, &f) && f.address == p[3] && f.size == 256 << 10 &&
          !strcmp(f.name, "piece"));
    for (int k = 0; k < 8; k++)
        CHECK(heap_release(h, p[k]) == TERN_OK);
    CHECK(heap_release(h, p[0]) == TERN_INVALID_ARGUMENT); /* twice */
    CHECK(heap_release(h, p[0] + 512) == TERN_INVALID_ARGUMENT);
    if (!heap_alloc(h, 1 << 20, 256, NULL, &q)) { /* the neighbours were joined */
        CHECK(s.taken == 1 || unit_injected(u));
        CHECK(heap_release(h, q) == TERN_OK);
    }
    CHECK(heap_alloc(h, UINT64_MAX, 256, NULL, &q) == TERN_OUT_OF_MEMORY);
    CHECK(heap_alloc(h, 10, 4096, NULL, &q) == TERN_INVALID_ARGUMENT);
    heap_free(h);
    CHECK(s.held == 0);
}
