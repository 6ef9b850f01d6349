/* Streams, events and host functions, as the runtime API has them. */
#include <stdlib.h>
#include "cuda/cuda_int.h"

/* Each thread's own default stream, for each device. */
static _Thread_local struct tern_stream *per_thread[CUDA_MAX_DEVICES];

/* A program built with --default-stream per-thread: stream 0 is the thread's own. */
static bool default_is_per_thread;

int __tern_per_thread_default(void)
{
    __atomic_store_n(&default_is_per_thread, true, __ATOMIC_RELAXED);
    return 1;
}

static cudaError_t stream_of(struct tern_device *d, cudaStream_t handle, struct tern_stream **out)
{
    struct tern_stream *s = (struct tern_stream *)handle;
    if (!handle && __atomic_load_n(&default_is_per_thread, __ATOMIC_RELAXED))
        handle = cudaStreamPerThread;
    if (!handle && cuda_per_thread_default())
        handle = cudaStreamPerThread;
    if (!handle || handle == cudaStreamLegacy) {
        *out = &d->own;
        return cudaSuccess;
    }
    if (handle == cudaStreamPerThread) {
        struct tern_stream **mine = &per_thread[d->ordinal];
        if (!*mine || !stream_is_live(d, *mine)) {
            enum tern_error e = stream_new(d, true, 0, 0, mine);
            if (e)
                return cuda_from(e);
        }
        *out = *mine;
        return cudaSuccess;
    }
    *out = s;
    if (stream_is_live(d, s))
        return cudaSuccess;
    for (unsigned k = 0; k < d->context->ndevices; k++) {
        struct tern_device *other = &d->context->devices[k];
        if (other != d && __atomic_load_n(&other->open, __ATOMIC_ACQUIRE) &&
            stream_is_live(other, s))
            return cudaSuccess; /* a stream of another device carries its device along */
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cuda_stream(struct tern_device *d, cudaStream_t handle, struct tern_stream **out)
{
    const cudaError_t e = stream_of(d, handle, out);
    if (e == cudaErrorInvalidResourceHandle)
        cuda_found(CHECK_USE_AFTER_FREE,
                   "a call with a stream that has been destroyed, or never was");
    return e;
}

cudaError_t cuda_launch_stream(struct tern_device *d, cudaStream_t handle, const char *kernel,
                               struct tern_stream **out)
{
    const cudaError_t e = stream_of(d, handle, out);
    char host[4096];
    if (e != cudaErrorInvalidResourceHandle || !cuda_check())
        return e;
    check_here(host, sizeof host);
    check_found(
        cuda_check(), CHECK_USE_AFTER_FREE,
        &(struct report){.message = "a launch on a stream that has been destroyed, or never was",
                         .kernel = kernel,
                         .host = host});
    return e;
}

cudaError_t cuda_current_stream(cudaStream_t handle, struct tern_stream **out)
{
    struct tern_device *d;
    cudaError_t e = cuda_current(&d);
    return e != cudaSuccess ? e : cuda_stream(d, handle, out);
}

cudaError_t cuda_wait_all(struct tern_device *d)
{
    enum tern_error e = device_wait(d);
    cudaError_t m = cuda_managed_out(d);
    cuda_pools_settle(d);
    return e ? cuda_from(e) : m;
}

cudaError_t cuda_wait(struct tern_stream *s)
{
    enum tern_error e = stream_wait(s);
    cuda_pools_settle(s->device);
    return e ? cuda_from(e) : cuda_managed_out(s->device);
}

/* ---- streams ---- */

/* A priority outside of the range is the nearest one inside. */
int cuda_clamped_priority(int priority)
{
    return priority > 0 ? 0 : priority < CUDA_GREATEST_PRIORITY ? CUDA_GREATEST_PRIORITY : priority;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_stream *s;
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_from(stream_new(d, !(flags & cudaStreamNonBlocking), flags,
                                 cuda_clamped_priority(priority), &s));
    if (e == cudaSuccess)
        *stream = (cudaStream_t)s;
    return cuda_return(e);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    PROF_CALL(__func__);
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    PROF_CALL(__func__);
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct tern_device *d;
    cudaError_t e = stream ? cuda_current(&d) : cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && (e = stream_of(d, stream, &s)) == cudaErrorInvalidResourceHandle)
        cuda_found(CHECK_DOUBLE_FREE, "cudaStreamDestroy of a stream that is not there");
    if (e == cudaSuccess && (s == &s->device->own || stream == cudaStreamPerThread))
        e = cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess)
        stream_free(s);
    return cuda_return(e);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = cuda_current_stream(stream, &s);
    return cuda_return(e != cudaSuccess ? e : cuda_wait(s));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess)
        e = cuda_from(stream_query(s));
    return cuda_return(e == cudaSuccess ? cuda_managed_out(s->device) : e);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = flags ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *flags = s->flags;
    return cuda_return(e);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = priority ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *priority = s->priority;
    return cuda_return(e);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = id ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *id = s->id;
    return cuda_return(e);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                     unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct cuda_range r;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess && (!cuda_find_memory(p, 0, &r) || r.kind != CUDA_MANAGED || flags & ~7u ||
                             (length && length != r.size)))
        e = cudaErrorInvalidValue;
    return cuda_return(e); /* all managed memory is visible to every stream */
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
    PROF_CALL(__func__);
    struct tern_stream *s;
    if (!callback || flags)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess && s->capture)
        e = cuda_from(capture_break(s, TERN_CAPTURE_UNSUPPORTED));
    struct callback *c = e == cudaSuccess ? malloc(sizeof *c) : NULL;
    if (e == cudaSuccess && !c)
        e = cudaErrorMemoryAllocation;
    if (e == cudaSuccess) {
        *c = (struct callback){callback, stream, data};
        e = cuda_from(tern_call(s, run_callback, c));
        if (e != cudaSuccess)
            free(c);
    }
    return cuda_return(e);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = fn ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    return cuda_return(e != cudaSuccess ? e : cuda_from(tern_call(s, fn, data)));
}

/* ---- events ---- */

static bool is_event(cudaEvent_t event)
{
    if (cuda_handle_is(HANDLE_EVENT, event))
        return true;
    if (event)
        cuda_found(CHECK_USE_AFTER_FREE,
                   "a call with an event that has been destroyed, or never was");
    return false;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_event *v;
    if (!event || flags & ~7u)
        return cuda_return(cudaErrorInvalidValue);
    if (flags & cudaEventInterprocess)
        return cuda_return(cudaErrorNotSupported);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_from(event_new(d, flags, &v));
    if (e == cudaSuccess && !cuda_handle_add(HANDLE_EVENT, v)) {
        event_free(v);
        e = cudaErrorMemoryAllocation;
    }
    if (e == cudaSuccess)
        *event = (cudaEvent_t)v;
    return cuda_return(e);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    PROF_CALL(__func__);
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    PROF_CALL(__func__);
    if (!cuda_handle_remove(HANDLE_EVENT, event)) {
        if (event)
            cuda_found(CHECK_DOUBLE_FREE, "cudaEventDestroy of an event that is not there");
        return cuda_return(cudaErrorInvalidResourceHandle);
    }
    event_free((struct tern_event *)event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e =
        is_event(event) ? cuda_current_stream(stream, &s) : cudaErrorInvalidResourceHandle;
    return cuda_return(e != cudaSuccess ? e
                                        : cuda_from(event_record((struct tern_event *)event, s)));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e =
        is_event(event) ? cuda_current_stream(stream, &s) : cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && flags & cudaEventRecordExternal && !s->capture)
        e = cudaErrorIllegalState;
    if (e != cudaSuccess || !(flags & cudaEventRecordExternal))
        return e != cudaSuccess ? cuda_return(e) : cudaEventRecord(event, stream);
    return cuda_return(cuda_from(capture_add_event(s, (struct tern_event *)event, WORK_RECORD)));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    PROF_CALL(__func__);
    struct tern_event *v = (struct tern_event *)event;
    if (!is_event(event))
        return cuda_return(cudaErrorInvalidResourceHandle);
    cudaError_t e = cuda_from(event_wait(v));
    if (e == cudaSuccess)
        e = cuda_managed_out(v->device);
    return cuda_return(e);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    PROF_CALL(__func__);
    if (!is_event(event))
        return cuda_return(cudaErrorInvalidResourceHandle);
    struct tern_event *v = (struct tern_event *)event;
    cudaError_t e = cuda_from(event_query(v));
    return cuda_return(e == cudaSuccess ? cuda_managed_out(v->device) : e);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    PROF_CALL(__func__);
    const struct tern_event *a = (struct tern_event *)start, *b = (struct tern_event *)end;
    int64_t ns = 0;
    if (!ms || !is_event(start) || !is_event(end))
        return cuda_return(ms ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if ((a->flags | b->flags) & cudaEventDisableTiming)
        return cuda_return(cudaErrorInvalidResourceHandle);
    cudaError_t e =
        cuda_from(event_elapsed((struct tern_event *)start, (struct tern_event *)end, &ns));
    if (e == cudaSuccess)
        *ms = (float)((double)ns * 1e-6);
    return cuda_return(e);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e =
        is_event(event) ? cuda_current_stream(stream, &s) : cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess && flags && !s->capture)
        e = cudaErrorIllegalState;
    if (e == cudaSuccess)
        e = cuda_from(flags ? capture_add_event(s, (struct tern_event *)event, WORK_AFTER)
                            : stream_after(s, (struct tern_event *)event));
    return cuda_return(e);
}
