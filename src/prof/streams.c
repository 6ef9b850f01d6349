/* Streams: what was done on each, and how much of it waited at once. */
#include <stdlib.h>
#include <string.h>
#include "prof/prof.h"

static bool is_work(const struct prof_record *r)
{
    return r->kind == PROF_KERNEL || r->kind == PROF_COPY || r->kind == PROF_FILL;
}

static struct prof_stream *stream_of(struct prof_streams *all, struct arena *a,
                                     const struct prof_record *r)
{
    for (size_t k = 0; k < all->n; k++)
        if (all->stream[k].device == r->device && all->stream[k].stream == r->stream)
            return &all->stream[k];
    if (!(all->n & (all->n - 1)))
        all->stream = arena_grow(a, all->stream, all->n * sizeof *all->stream,
                                 (all->n ? 2 * all->n : 1) * sizeof *all->stream);
    all->stream[all->n] = (struct prof_stream){.device = r->device, .stream = r->stream};
    return &all->stream[all->n++];
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The most that was given to the stream and not done, at one time. */
static size_t most_pending(uint64_t *given, uint64_t *done, size_t n)
{
    size_t most = 0, ended = 0;
    qsort(given, n, sizeof *given, by_time);
    qsort(done, n, sizeof *done, by_time);
    for (size_t k = 0; k < n; k++) {
        while (ended < k && done[ended] <= given[k])
            ended++;
        most = k + 1 - ended > most ? k + 1 - ended : most;
    }
    return most;
}

/* When each call began, by its number. */
static void find_calls(const struct prof_file *f, struct map *calls)
{
    map_init(calls, f->arena);
    for (size_t k = 0; k < f->nrecords; k++)
        if (f->records[k].kind == PROF_API && f->records[k].call)
            map_set(calls, f->records[k].call, (void *)(uintptr_t)(k + 1));
}

static void measure(const struct prof_file *f, const struct map *calls, struct prof_stream *s)
{
    uint64_t *given = arena_array(f->arena, uint64_t, s->done + 1),
             *done = arena_array(f->arena, uint64_t, s->done + 1), until = 0;
    size_t n = 0;
    for (size_t k = 0; k < f->nrecords; k++) {
        const struct prof_record *r = &f->records[k];
        if (!is_work(r) || r->device != s->device || r->stream != s->stream)
            continue;
        const uintptr_t call = r->call ? (uintptr_t)map_get(calls, r->call) : 0;
        const uint64_t at = call ? f->records[call - 1].start : r->start;
        given[n] = at < r->start ? at : r->start;
        done[n++] = r->end;
        if (r->end > until)
            s->busy += r->end - (r->start > until ? r->start : until);
        until = r->end > until ? r->end : until;
    }
    s->pending = n ? most_pending(given, done, n) : 0;
}

struct prof_streams prof_streams(const struct prof_file *f)
{
    struct prof_streams all = {0};
    struct map calls;
    find_calls(f, &calls);
    for (size_t k = 0; k < f->nrecords; k++)
        if (is_work(&f->records[k]))
            stream_of(&all, f->arena, &f->records[k])->done++;
    for (size_t k = 0; k < all.n; k++)
        measure(f, &calls, &all.stream[k]);
    return all;
}
