/* Groups: what is called between the first start and the last end is done at that end, for each
 * communicator as one task; communicators that are to be made are made side by side. */
#include <stdlib.h>
#include <string.h>
#include "lib/nccl/nccl_int.h"

static ncclResult_t first_of(ncclResult_t a, ncclResult_t b)
{
    return a ? a : b;
}

/* ---- making communicators ---- */

static void *start_main(void *arg)
{
    struct nccl_start *s = arg;
    s->error = nccl_start_run(s);
    return NULL;
}

/* Of a communicator whose calls do not block: the thread owns s. */
static void *start_aside(void *arg)
{
    start_main(arg);
    free(arg);
    return NULL;
}

static ncclResult_t start_one(struct nccl_start *s)
{
    if (s->comm && !s->comm->blocking) {
        struct ncclComm *c = s->comm;
        c->starting = !pthread_create(&c->starter, NULL, start_aside, s);
        if (c->starting)
            return ncclInProgress;
    }
    start_main(s);
    const ncclResult_t e = s->error;
    free(s);
    return e;
}

static ncclResult_t start_all(struct nccl_start *list)
{
    ncclResult_t e = ncclSuccess;
    for (struct nccl_start *s = list; s; s = s->next) {
        s->started = !pthread_create(&s->thread, NULL, start_main, s);
        if (!s->started)
            s->error = nccl_fail(s->comm ? s->comm : s->parent, ncclSystemError,
                                 "no thread can be started");
    }
    for (struct nccl_start *s = list, *next; s; s = next) {
        next = s->next;
        if (s->started)
            pthread_join(s->thread, NULL);
        e = first_of(e, s->error);
        free(s);
    }
    return e;
}

ncclResult_t nccl_enqueue_start(struct nccl_start *s)
{
    struct nccl_group *g = nccl_group();
    if (!g->depth)
        return start_one(s);
    struct nccl_start **end = &g->starts;
    while (*end)
        end = &(*end)->next;
    *end = s;
    return ncclSuccess;
}

/* ---- operations ---- */

static struct nccl_task *task_of(struct nccl_group *g, struct ncclComm *c)
{
    for (int k = 0; k < g->ntasks; k++)
        if (g->tasks[k]->comm == c)
            return g->tasks[k];
    struct nccl_task **more = realloc(g->tasks, (size_t)(g->ntasks + 1) * sizeof *more);
    if (!more)
        return NULL;
    g->tasks = more;
    struct nccl_task *t = calloc(1, sizeof *t);
    if (t) {
        t->comm = c;
        g->tasks[g->ntasks++] = t;
    }
    return t;
}

static bool append(struct nccl_task *t, const struct nccl_op *ops, int n)
{
    if (t->nops + n > t->room) {
        const int room = 2 * (t->nops + n);
        struct nccl_op *more = realloc(t->ops, (size_t)room * sizeof *more);
        if (!more)
            return false;
        t->ops = more;
        t->room = room;
    }
    memcpy(t->ops + t->nops, ops, (size_t)n * sizeof *ops);
    t->nops += n;
    return true;
}

static void *submit_main(void *arg)
{
    struct nccl_task *t = arg;
    return (void *)(uintptr_t)nccl_task_submit(t);
}

/* Streams of some devices work in the thread that gives them work: with several of them in one
 * group each needs a thread, because none ends before the others have begun. */
static bool works_at_once(const struct ncclComm *c)
{
    return c->device.info.checked || (!c->device.info.host_memory && !c->device.capability);
}

static bool capturing(const struct nccl_task *t)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(t->ops[0].stream, &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}

static ncclResult_t submit_all(struct nccl_task **tasks, int n)
{
    ncclResult_t e = ncclSuccess;
    pthread_t *threads = n > 1 ? malloc((size_t)n * sizeof *threads) : NULL;
    bool *started = n > 1 ? calloc((size_t)n, sizeof *started) : NULL;
    for (int k = 0; k < n; k++) {
        if (threads && started && works_at_once(tasks[k]->comm) && !capturing(tasks[k]))
            started[k] = !pthread_create(threads + k, NULL, submit_main, tasks[k]);
        if (!started || !started[k])
            e = first_of(e, nccl_task_submit(tasks[k]));
    }
    for (int k = 0; k < n && started; k++)
        if (started[k]) {
            void *result;
            pthread_join(threads[k], &result);
            e = first_of(e, (ncclResult_t)(uintptr_t)result);
        }
    free(threads);
    free(started);
    return e;
}

static void drop_all(struct nccl_group *g)
{
    for (int k = 0; k < g->ntasks; k++)
        nccl_task_free(g->tasks[k]);
    free(g->tasks);
    for (struct nccl_start *s = g->starts, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    *g = (struct nccl_group){0};
}

static ncclResult_t finish(struct nccl_group *g)
{
    struct nccl_group all = *g;
    *g = (struct nccl_group){0}; /* calls from here on are not of the group */
    ncclResult_t e = all.error;
    if (e) {
        drop_all(&all);
        return e;
    }
    e = start_all(all.starts);
    if (!e) {
        e = submit_all(all.tasks, all.ntasks);
        all.ntasks = 0;
    }
    all.starts = NULL;
    drop_all(&all);
    return e;
}

ncclResult_t nccl_enqueue(struct ncclComm *c, const struct nccl_op *ops, int n)
{
    struct nccl_group *g = nccl_group();
    struct nccl_task *t = task_of(g, c);
    ncclResult_t e = t && append(t, ops, n) ? ncclSuccess : ncclSystemError;
    if (g->depth) {
        g->error = first_of(g->error, e);
        return e;
    }
    g->error = e;
    return finish(g);
}

/* ---- calls ---- */

ncclResult_t ncclGroupStart(void)
{
    nccl_group()->depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    struct nccl_group *g = nccl_group();
    if (g->depth <= 0)
        return ncclInvalidUsage;
    return --g->depth ? ncclSuccess : finish(g);
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *simInfo)
{
    struct nccl_group *g = nccl_group();
    if (g->depth != 1)
        return ncclInvalidUsage;
    if (simInfo && (simInfo->magic != NCCL_SIM_MAGIC || simInfo->size < sizeof *simInfo))
        return ncclInvalidArgument;
    const ncclResult_t e = g->error;
    drop_all(g);
    if (simInfo)
        simInfo->estimatedTime = NCCL_UNDEF_FLOAT;
    return e;
}
