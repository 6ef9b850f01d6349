/* Streams, events and host functions.
 *
 * The default stream orders itself with every other stream that was not made with
 * cudaStreamNonBlocking: its work follows theirs, and theirs follows its. The order is made with
 * device events, only where work has been submitted since. */
#include <stdlib.h>
#include "cuda/cuda_int.h"

static const struct dev_driver *driver(const struct CUstream_st *s)
{
    return s->device->rt.driver;
}

static cudaError_t make_stream(struct cuda_device *d, unsigned flags, int priority,
                               struct CUstream_st **out)
{
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->device = d;
    s->flags = flags;
    s->priority = priority;
    enum tern_error e = d->rt.driver->queue_new(d->rt.dev, &s->queue);
    if (!e)
        e = d->rt.driver->event_new(d->rt.dev, &s->tail);
    if (e) {
        if (s->queue)
            d->rt.driver->queue_free(s->queue);
        free(s);
        return cuda_from(d, e);
    }
    pthread_mutex_lock(&d->lock);
    s->next = d->streams;
    if (s->next)
        s->next->prev = s;
    d->streams = s;
    pthread_mutex_unlock(&d->lock);
    *out = s;
    return cudaSuccess;
}

static void free_stream(struct CUstream_st *s)
{
    driver(s)->queue_wait(s->queue);
    driver(s)->event_free(s->tail);
    driver(s)->queue_free(s->queue);
    free(s);
}

void cuda_streams_free(struct cuda_device *d)
{
    while (d->streams) {
        struct CUstream_st *s = d->streams;
        d->streams = s->next;
        free_stream(s);
    }
}

static bool is_live(struct cuda_device *d, const struct CUstream_st *handle)
{
    bool found = false;
    pthread_mutex_lock(&d->lock);
    for (struct CUstream_st *s = d->streams; s && !found; s = s->next)
        found = s == handle;
    pthread_mutex_unlock(&d->lock);
    return found;
}

/* Each thread's own default stream, for one device at a time. */
static _Thread_local struct CUstream_st *per_thread;

cudaError_t cuda_stream(struct cuda_device *d, cudaStream_t handle, struct CUstream_st **out)
{
    if (!handle || handle == cudaStreamLegacy) {
        *out = &d->legacy;
        return cudaSuccess;
    }
    if (handle == cudaStreamPerThread) {
        if (!per_thread || !is_live(d, per_thread)) {
            cudaError_t e = make_stream(d, 0, 0, &per_thread);
            if (e != cudaSuccess)
                return e;
        }
        *out = per_thread;
        return cudaSuccess;
    }
    if (is_live(d, handle)) {
        *out = handle;
        return cudaSuccess;
    }
    for (int k = 0; k < cuda_device_total();
         k++) { /* a stream of another device carries its device along */
        struct cuda_device *other;
        if (k != d->ordinal && cuda_device_at(k, &other) == cudaSuccess && is_live(other, handle)) {
            *out = handle;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidResourceHandle;
}

static enum tern_error follow(struct CUstream_st *later, struct CUstream_st *earlier)
{
    enum tern_error e = driver(earlier)->event_record(earlier->tail, earlier->queue);
    return e ? e : driver(later)->queue_after(later->queue, earlier->tail);
}

cudaError_t cuda_stream_begin(struct CUstream_st *s)
{
    struct cuda_device *d = s->device;
    enum tern_error e = TERN_OK;
    if (s != &d->legacy && s->flags & cudaStreamNonBlocking)
        return cudaSuccess;
    pthread_mutex_lock(&d->lock);
    if (s == &d->legacy) {
        for (struct CUstream_st *k = d->streams; k && !e; k = k->next)
            if (k->dirty && !(k->flags & cudaStreamNonBlocking)) {
                e = follow(s, k);
                k->dirty = false;
            }
        d->legacy_version++;
    } else {
        if (s->seen != d->legacy_version) {
            e = follow(s, &d->legacy);
            s->seen = d->legacy_version;
        }
        s->dirty = true;
    }
    pthread_mutex_unlock(&d->lock);
    return cuda_from(d, e);
}

cudaError_t cuda_wait_all(struct cuda_device *d)
{
    cudaError_t r = cuda_from(d, d->rt.driver->queue_wait(d->legacy.queue));
    for (struct CUstream_st *s = d->streams; s; s = s->next) {
        cudaError_t e = cuda_from(d, d->rt.driver->queue_wait(s->queue));
        r = r != cudaSuccess ? r : e;
    }
    cudaError_t m = cuda_managed_out(d);
    return r != cudaSuccess ? r : m;
}

/* ---- the API ---- */

static cudaError_t current_stream(cudaStream_t handle, struct CUstream_st **out)
{
    struct cuda_device *d;
    cudaError_t e = cuda_current(&d);
    return e != cudaSuccess ? e : cuda_stream(d, handle, out);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    struct cuda_device *d;
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    return cuda_return(e != cudaSuccess ? e : make_stream(d, flags, priority, stream));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t e = stream ? current_stream(stream, &s) : cudaErrorInvalidResourceHandle;
    if (e != cudaSuccess || s == &s->device->legacy)
        return cuda_return(e != cudaSuccess ? e : cudaErrorInvalidResourceHandle);
    struct cuda_device *d = s->device;
    pthread_mutex_lock(&d->lock);
    *(s->prev ? &s->prev->next : &d->streams) = s->next;
    if (s->next)
        s->next->prev = s->prev;
    pthread_mutex_unlock(&d->lock);
    free_stream(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t e = current_stream(stream, &s);
    if (e == cudaSuccess)
        e = cuda_stream_begin(s);
    if (e == cudaSuccess)
        e = cuda_from(s->device, driver(s)->queue_wait(s->queue));
    if (e == cudaSuccess)
        e = cuda_managed_out(s->device);
    return cuda_return(e);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t e = current_stream(stream, &s);
    return cuda_return(e != cudaSuccess ? e
                                        : cuda_from(s->device, driver(s)->queue_query(s->queue)));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    struct CUstream_st *s;
    cudaError_t e = flags ? current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *flags = s->flags;
    return cuda_return(e);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct CUstream_st *s;
    cudaError_t e = priority ? current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *priority = s->priority;
    return cuda_return(e);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                     unsigned int flags)
{
    struct CUstream_st *s;
    (void)p, (void)length, (void)flags; /* all managed memory is visible to every stream */
    return cuda_return(current_stream(stream, &s));
}

struct callback {
    cudaStreamCallback_t fn;
    cudaStream_t stream;
    void *data;
};

static void run_callback(void *arg)
{
    struct callback c = *(struct callback *)arg;
    free(arg);
    c.fn(c.stream, cudaSuccess, c.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    struct CUstream_st *s;
    if (!callback || flags)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = current_stream(stream, &s);
    struct callback *c = e == cudaSuccess ? malloc(sizeof *c) : NULL;
    if (e == cudaSuccess && !c)
        e = cudaErrorMemoryAllocation;
    if (e == cudaSuccess)
        e = cuda_stream_begin(s);
    if (e == cudaSuccess) {
        *c = (struct callback){callback, stream, data};
        e = cuda_from(s->device, driver(s)->host_call(s->queue, run_callback, c));
    }
    return cuda_return(e);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    struct CUstream_st *s;
    cudaError_t e = fn ? current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_stream_begin(s);
    if (e == cudaSuccess)
        e = cuda_from(s->device, driver(s)->host_call(s->queue, fn, data));
    return cuda_return(e);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    struct cuda_device *d;
    if (!event || flags & ~7u)
        return cuda_return(cudaErrorInvalidValue);
    if (flags & cudaEventInterprocess)
        return cuda_return(cudaErrorNotSupported);
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return cuda_return(e);
    struct CUevent_st *v = calloc(1, sizeof *v);
    if (!v)
        return cuda_return(cudaErrorMemoryAllocation);
    v->device = d;
    v->flags = flags;
    e = cuda_from(d, d->rt.driver->event_new(d->rt.dev, &v->event));
    if (e != cudaSuccess)
        free(v);
    else
        *event = v;
    return cuda_return(e);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return cuda_return(cudaErrorInvalidResourceHandle);
    event->device->rt.driver->event_free(event->event);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct CUstream_st *s;
    cudaError_t e = event ? current_stream(stream, &s) : cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && s->device != event->device)
        e = cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess)
        e = cuda_stream_begin(s);
    if (e == cudaSuccess)
        e = cuda_from(s->device, driver(s)->event_record(event->event, s->queue));
    if (e == cudaSuccess)
        event->recorded = true;
    return cuda_return(e);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return flags ? cuda_return(cudaErrorNotSupported) : cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!event)
        return cuda_return(cudaErrorInvalidResourceHandle);
    struct cuda_device *d = event->device;
    cudaError_t e =
        event->recorded ? cuda_from(d, d->rt.driver->event_wait(event->event)) : cudaSuccess;
    if (e == cudaSuccess)
        e = cuda_managed_out(d);
    return cuda_return(e);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    uint64_t ns;
    if (!event)
        return cuda_return(cudaErrorInvalidResourceHandle);
    if (!event->recorded)
        return cudaSuccess;
    struct cuda_device *d = event->device;
    enum tern_error e = d->rt.driver->event_time(event->event, &ns);
    return cuda_return(
        cuda_from(d, e == TERN_UNSUPPORTED ? d->rt.driver->event_wait(event->event) : e));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    uint64_t a, b;
    if (!ms || !start || !end)
        return cuda_return(ms ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (!start->recorded || !end->recorded || (start->flags | end->flags) & cudaEventDisableTiming)
        return cuda_return(cudaErrorInvalidResourceHandle);
    struct cuda_device *d = start->device;
    enum tern_error e = d->rt.driver->event_time(start->event, &a);
    if (!e)
        e = d->rt.driver->event_time(end->event, &b);
    if (!e)
        *ms = (float)((double)(int64_t)(b - a) * 1e-6);
    return cuda_return(cuda_from(d, e));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    struct CUstream_st *s;
    cudaError_t e = flags   ? cudaErrorInvalidValue
                    : event ? current_stream(stream, &s)
                            : cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && event->recorded) {
        e = cuda_stream_begin(s);
        if (e == cudaSuccess &&
            s->device != event->device) /* devices do not wait for each other: the host does */
            e = cuda_from(event->device, event->device->rt.driver->event_wait(event->event));
        else if (e == cudaSuccess)
            e = cuda_from(s->device, driver(s)->queue_after(s->queue, event->event));
    }
    return cuda_return(e);
}
