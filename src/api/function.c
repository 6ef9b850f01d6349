/* Plain C functions as kernels, and index ranges spread over devices. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "prof/prof.h"

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
    const uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    if (blocks == 1) /* small products come by the thousand */
        run_blocks(c, 0, 1, 0);
    else
        pool_for(c->threads, blocks, 0, run_blocks, c);
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

struct short_call {
    tern_function *fn;
    const void *args;
};

static void run_short(void *arg)
{
    const struct short_call *c = arg;
    const tern_dim one = {1, 1, 1};
    c->fn(&(tern_thread){.block_dim = one, .grid_dim = one}, (void *)(uintptr_t)c->args);
}

enum tern_error tern_launch_short(tern_stream *s, tern_function *fn, const void *args, size_t bytes)
{
    const struct tern_device *d = s->device;
    const struct dev_driver *v = d->rt.driver;
    if (v->call_now && !s->capture && !d->lost && !prof_on()) {
        enum tern_error e = stream_begin(s);
        if (!e)
            e = v->call_now(s->queue, run_short, &(struct short_call){fn, args});
        if (!e)
            stream_end(s);
        if (e != TERN_NOT_READY)
            return e;
    }
    return tern_launch_function(s, fn, (tern_dim){1}, (tern_dim){1}, 0, args, bytes);
}

/* ---- spreading ----
 * The range lies in one place, and each device's thread takes the next part of it when it is done
 * with the one before. How large a part is follows from how fast the device was so far: about as
 * much as it does in a share of the time that all together still need. The first part is small. */

struct spread {
    tern_spread_fn *fn;
    void *user;
    uint64_t grain, grains; /* of the range, and how many there are */
    uint64_t n;
    unsigned devices;
    pthread_mutex_t lock; /* of what follows */
    uint64_t next;        /* in grains */
    enum tern_error error;
    struct part {
        struct spread *all;
        struct tern_device *device;
        pthread_t thread;
        bool started;
        unsigned calls;
        uint64_t grains, ns; /* done, and in what time */
    } parts[API_MAX_DEVICES];
};

/* Grains a nanosecond; 0: not known yet. */
static double speed(const struct part *p)
{
    return p->ns ? (double)p->grains / (double)p->ns : 0;
}

/* Half of the device's share of what is left, so that all end at about the same time; in the
 * beginning a sixty-fourth of an even share. */
static uint64_t next_grains(const struct spread *s, const struct part *p)
{
    const uint64_t left = s->grains - s->next;
    double all = 0;
    uint64_t take = s->grains / s->devices / 64;
    for (unsigned k = 0; k < s->devices; k++)
        all += speed(&s->parts[k]);
    if (speed(p) > 0)
        take = (uint64_t)((double)left * speed(p) / all / 2);
    take = take ? take : 1;
    return take < left ? take : left;
}

static void *run_parts(void *arg)
{
    struct part *p = arg;
    struct spread *s = p->all;
    pthread_mutex_lock(&s->lock);
    while (s->next < s->grains && !s->error) {
        const uint64_t first = s->next, n = next_grains(s, p), end = (first + n) * s->grain;
        s->next += n;
        pthread_mutex_unlock(&s->lock);
        const uint64_t start = thread_nanoseconds();
        const enum tern_error e =
            s->fn(s->user, p->device, first * s->grain, end < s->n ? end : s->n);
        const uint64_t took = thread_nanoseconds() - start;
        pthread_mutex_lock(&s->lock);
        /* The first part also pays for what is made for the device: it counts only until the
         * second. */
        if (p->calls++ == 1)
            p->grains = p->ns = 0;
        p->grains += n;
        p->ns += took ? took : 1;
        s->error = s->error ? s->error : e;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

enum tern_error tern_spread(tern_context *c, uint64_t n, uint64_t grain, tern_spread_fn *fn,
                            void *user)
{
    struct spread s = {.fn = fn,
                       .user = user,
                       .grain = grain ? grain : 1,
                       .n = n,
                       .devices = c->ndevices,
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    s.grains = n / s.grain + (n % s.grain != 0);
    for (unsigned k = 0; k < c->ndevices; k++) {
        enum tern_error e = device_open(c, k, &s.parts[k].device);
        if (e)
            return e;
        s.parts[k].all = &s;
    }
    for (unsigned k = 1; k < c->ndevices; k++) /* one that cannot be had is left out */
        s.parts[k].started = !pthread_create(&s.parts[k].thread, NULL, run_parts, &s.parts[k]);
    run_parts(&s.parts[0]);
    for (unsigned k = 1; k < c->ndevices; k++)
        if (s.parts[k].started)
            pthread_join(s.parts[k].thread, NULL);
    return s.error;
}
