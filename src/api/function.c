/* Plain C functions as kernels, and index ranges spread over devices. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"

/* ---- functions ---- */

struct call {
    tern_function *fn;
    struct pool *threads;
    tern_dim grid, block;
    uint32_t shared;
    bool failed; /* a block's shared memory could not be had */
    struct tern_device *device;
    _Alignas(16) char args[];
};

static void run_blocks(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct call *c = arg;
    (void)worker;
    void *shared = c->shared ? malloc(c->shared) : NULL;
    if (c->shared && !shared) {
        __atomic_store_n(&c->failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t k = begin; k < end; k++) {
        tern_thread t = {.block = {(uint32_t)(k % c->grid.x), (uint32_t)(k / c->grid.x % c->grid.y),
                                   (uint32_t)(k / c->grid.x / c->grid.y)},
                         .block_dim = c->block,
                         .grid_dim = c->grid,
                         .shared = shared};
        if (shared)
            memset(shared, 0, c->shared);
        for (t.thread.z = 0; t.thread.z < c->block.z; t.thread.z++)
            for (t.thread.y = 0; t.thread.y < c->block.y; t.thread.y++)
                for (t.thread.x = 0; t.thread.x < c->block.x; t.thread.x++)
                    c->fn(&t, c->args);
    }
    free(shared);
}

static void run_call(void *arg)
{
    struct call *c = arg;
    pool_for(c->threads, (uint64_t)c->grid.x * c->grid.y * c->grid.z, 0, run_blocks, c);
    if (c->failed)
        __atomic_store_n(&c->device->lost, TERN_OUT_OF_MEMORY, __ATOMIC_RELEASE);
    free(c);
}

static tern_dim filled(tern_dim d)
{
    return (tern_dim){d.x ? d.x : 1, d.y ? d.y : 1, d.z ? d.z : 1};
}

enum tern_error tern_launch_function(tern_stream *s, tern_function *fn, tern_dim grid,
                                     tern_dim block, uint32_t shared, const void *args,
                                     size_t bytes)
{
    struct tern_device *d = s->device;
    struct tern_context *c = d->context;
    if (!(d->info.flags & DEV_HOST_MEMORY))
        return TERN_UNSUPPORTED;
    enum tern_error e = TERN_OK;
    pthread_mutex_lock(&c->lock);
    if (!c->threads)
        e = pool_create(&c->threads, 0);
    pthread_mutex_unlock(&c->lock);
    struct call *call = e ? NULL : malloc(sizeof *call + bytes);
    if (!call)
        return e ? e : TERN_OUT_OF_MEMORY;
    *call = (struct call){.fn = fn,
                          .threads = c->threads,
                          .grid = filled(grid),
                          .block = filled(block),
                          .shared = shared,
                          .device = d};
    if (bytes)
        memcpy(call->args, args, bytes);
    const bool captured = s->capture != NULL;
    /* The call frees its argument: a graph keeps one of its own, of which each replay gets a copy.
     */
    const struct work w = {.kind = WORK_CALL,
                           .device = d,
                           .call = {run_call, call, captured ? sizeof *call + bytes : 0}};
    e = work_submit(s, &w);
    if (e || captured)
        free(call);
    return e;
}

/* ---- spreading ---- */

struct part {
    tern_spread_fn *fn;
    void *user;
    struct tern_device *device;
    uint64_t begin, end;
    enum tern_error error;
    pthread_t thread;
    bool started;
};

static void *run_part(void *arg)
{
    struct part *p = arg;
    p->error = p->fn(p->user, p->device, p->begin, p->end);
    return NULL;
}

enum tern_error tern_spread(tern_context *c, uint64_t n, uint64_t grain, tern_spread_fn *fn,
                            void *user)
{
    struct part parts[API_MAX_DEVICES] = {{0}};
    uint64_t units = 0, before = 0;
    if (!grain)
        grain = 1;
    for (unsigned k = 0; k < c->ndevices; k++) {
        enum tern_error e = device_open(c, k, &parts[k].device);
        if (e)
            return e;
        units += parts[k].device->info.units;
    }
    const uint64_t grains = (n + grain - 1) / grain;
    uint64_t at = 0;
    for (unsigned k = 0; k < c->ndevices; k++) {
        before += parts[k].device->info.units;
        uint64_t end = (uint64_t)((double)grains * (double)before / (double)units) * grain;
        if (end > n || k + 1 == c->ndevices)
            end = n;
        parts[k].fn = fn;
        parts[k].user = user;
        parts[k].begin = at;
        parts[k].end = end > at ? end : at;
        at = parts[k].end;
        if (parts[k].begin == parts[k].end)
            continue;
        parts[k].started = !pthread_create(&parts[k].thread, NULL, run_part, &parts[k]);
        if (!parts[k].started)
            run_part(&parts[k]);
    }
    enum tern_error first = TERN_OK;
    for (unsigned k = 0; k < c->ndevices; k++) {
        if (parts[k].started)
            pthread_join(parts[k].thread, NULL);
        first = first ? first : parts[k].error;
    }
    return first;
}
