/* CUPTI's Activity and Callback APIs: a listener to what prof/ records.
 *
 * Records of kinds that are enabled are written into buffers that the program gives, as they come:
 * calls when they return, work of devices when it is known to be done (cuptiActivityFlushAll waits
 * for that). A call's number is the correlation of all that it started. Contexts are numbered from
 * 1, one a device; a device's own stream is 7, as there. */
#include "cuda/cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "cuda/cuda_int.h"
#include "prof/prof.h"

enum { OWN_STREAM = 7, MOST_EXTERNAL = 64 };

/* ---- the process's state ---- */
struct CUpti_Subscriber_st {
    CUpti_CallbackFunc callback;
    void *user;
    char name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN];
};
static struct {
    pthread_mutex_t lock;
    bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    uint8_t *buffer;
    size_t size, used, most, records;
    size_t dropped;
    struct CUpti_Subscriber_st subscriber;
    bool subscribed;
    bool callbacks[CUPTI_CB_DOMAIN_NVTX + 1][1024];
    size_t attributes[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE + 1];
    CUpti_ActivityThreadIdType thread_ids;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct {
    uint64_t id[CUPTI_EXTERNAL_CORRELATION_KIND_SIZE][MOST_EXTERNAL];
    unsigned depth[CUPTI_EXTERNAL_CORRELATION_KIND_SIZE];
    uint64_t data; /* of the call that the thread is in */
    bool inside;   /* a callback: what it calls is not told */
} mine;

/* ---- calls by name ---- */
static const struct call {
    const char *name;
    CUpti_CallbackDomain domain;
    CUpti_CallbackId id;
} calls[] = {
#define CUPTI_CALL(function, domain, label, number)                                                \
    {#function, CUPTI_CB_DOMAIN_##domain##_API, number},
#include "cuda/tern_cupti_calls.h"
};

static const struct call *call_named(const char *name)
{
    size_t low = 0, high = sizeof calls / sizeof *calls;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const int order = strcmp(calls[mid].name, name);
        if (!order)
            return &calls[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* ---- buffers ---- */
static const struct {
    CUpti_ActivityKind kind;
    size_t bytes;
} sizes[] = {{CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6)},
             {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4)},
             {CUPTI_ACTIVITY_KIND_KERNEL, sizeof(CUpti_ActivityKernel10)},
             {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10)},
             {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI)},
             {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI)},
             {CUPTI_ACTIVITY_KIND_MARKER, sizeof(CUpti_ActivityMarker2)},
             {CUPTI_ACTIVITY_KIND_MEMORY2, sizeof(CUpti_ActivityMemory4)},
             {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation)}};

static size_t bytes_of(CUpti_ActivityKind kind)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k].kind == kind)
            return sizes[k].bytes;
    return 0;
}

struct full { /* a buffer that goes back to the program, outside of the lock */
    uint8_t *buffer;
    size_t size, used;
    CUpti_BuffersCallbackCompleteFunc complete;
};

static struct full take_buffer(void)
{
    const struct full f = {state.buffer, state.size, state.used, state.complete};
    state.buffer = NULL;
    return f;
}

static void give_back(const struct full *f)
{
    if (f->buffer)
        f->complete(NULL, 0, f->buffer, f->size, f->used);
}

static bool has_room(size_t n)
{
    return state.buffer && state.size - state.used >= n &&
           (!state.most || state.records < state.most);
}

static void add(const void *record)
{
    CUpti_ActivityKind kind;
    memcpy(&kind, record, sizeof kind);
    const size_t n = bytes_of(kind);
    struct full done = {0};
    pthread_mutex_lock(&state.lock);
    if (state.enabled[kind] && !has_room(n) && state.request) {
        done = take_buffer();
        state.size = state.used = state.most = state.records = 0;
        state.request(&state.buffer, &state.size, &state.most);
    }
    if (state.enabled[kind] && has_room(n)) {
        memcpy(state.buffer + state.used, record, n);
        state.used += n;
        state.records++;
    } else {
        state.dropped += state.enabled[kind];
    }
    pthread_mutex_unlock(&state.lock);
    give_back(&done);
}

/* ---- records ---- */
static uint32_t stream_of(const struct prof_record *r)
{
    return r->stream + OWN_STREAM;
}

static void add_kernel(const struct prof_record *r, CUpti_ActivityKind kind)
{
    add(&(CUpti_ActivityKernel10){.kind = kind,
                                  .start = r->start,
                                  .end = r->end,
                                  .completed = r->end,
                                  .deviceId = r->device,
                                  .contextId = r->device + 1u,
                                  .streamId = stream_of(r),
                                  .gridX = (int32_t)r->kernel.grid[0],
                                  .gridY = (int32_t)r->kernel.grid[1],
                                  .gridZ = (int32_t)r->kernel.grid[2],
                                  .blockX = (int32_t)r->kernel.block[0],
                                  .blockY = (int32_t)r->kernel.block[1],
                                  .blockZ = (int32_t)r->kernel.block[2],
                                  .dynamicSharedMemory = (int32_t)r->kernel.shared,
                                  .correlationId = (uint32_t)r->call,
                                  .gridId = (int64_t)r->call,
                                  .name = prof_text_of(r->name)});
}

static void add_copy(const struct prof_record *r)
{
    enum {
        PAGEABLE = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
        THERE = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
    };
    static const uint8_t kinds[PROF_NCOPIES][3] = {
        [PROF_TO_DEVICE] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, PAGEABLE, THERE},
        [PROF_FROM_DEVICE] = {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, THERE, PAGEABLE},
        [PROF_ON_DEVICE] = {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, THERE, THERE},
        [PROF_ON_HOST] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, PAGEABLE, PAGEABLE}};
    add(&(CUpti_ActivityMemcpy6){.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                 .copyKind = kinds[r->sub][0],
                                 .srcKind = kinds[r->sub][1],
                                 .dstKind = kinds[r->sub][2],
                                 .bytes = r->memory.bytes,
                                 .start = r->start,
                                 .end = r->end,
                                 .deviceId = r->device,
                                 .contextId = r->device + 1u,
                                 .streamId = stream_of(r),
                                 .correlationId = (uint32_t)r->call,
                                 .runtimeCorrelationId = (uint32_t)r->call,
                                 .copyCount = 1});
}

static void add_fill(const struct prof_record *r)
{
    add(&(CUpti_ActivityMemset4){.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                 .bytes = r->memory.bytes,
                                 .start = r->start,
                                 .end = r->end,
                                 .deviceId = r->device,
                                 .contextId = r->device + 1u,
                                 .streamId = stream_of(r),
                                 .correlationId = (uint32_t)r->call,
                                 .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE});
}

static uint32_t this_thread(void)
{
    return state.thread_ids == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
               ? (uint32_t)syscall(SYS_gettid)
               : (uint32_t)(uintptr_t)pthread_self();
}

static void add_call(const struct prof_record *r)
{
    const char *name = prof_text_of(r->name);
    const struct call *c = name ? call_named(name) : NULL;
    const bool driver = c && c->domain == CUPTI_CB_DOMAIN_DRIVER_API;
    add(&(CUpti_ActivityAPI){.kind =
                                 driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME,
                             .cbid = c ? c->id : 0,
                             .start = r->start,
                             .end = r->end,
                             .processId = (uint32_t)getpid(),
                             .threadId = this_thread(),
                             .correlationId = (uint32_t)r->call,
                             .returnValue = (uint32_t)r->api.result});
}

static void add_memory(const struct prof_record *r)
{
    static const CUpti_ActivityMemoryKind kinds[PROF_NMEMORY] = {
        [PROF_MEM_DEVICE] = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
        [PROF_MEM_HOST] = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
        [PROF_MEM_MANAGED] = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
        [PROF_MEM_POOL] = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE};
    add(&(CUpti_ActivityMemory4){.kind = CUPTI_ACTIVITY_KIND_MEMORY2,
                                 .memoryOperationType =
                                     r->kind == PROF_ALLOC
                                         ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                         : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE,
                                 .memoryKind = kinds[r->sub],
                                 .correlationId = (uint32_t)r->call,
                                 .address = r->memory.address,
                                 .bytes = r->memory.bytes,
                                 .timestamp = r->start,
                                 .processId = (uint32_t)getpid(),
                                 .deviceId = r->device,
                                 .contextId = r->device + 1u,
                                 .isAsync = r->sub == PROF_MEM_POOL});
}

/* A range is told when it has ended: its two ends, one after the other. */
static void add_marker(const struct prof_record *r, bool ends)
{
    const bool at_once = r->kind == PROF_MARK;
    add(&(CUpti_ActivityMarker2){
        .kind = CUPTI_ACTIVITY_KIND_MARKER,
        .flags = at_once ? CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS
                 : ends  ? CUPTI_ACTIVITY_FLAG_MARKER_END
                         : CUPTI_ACTIVITY_FLAG_MARKER_START,
        .timestamp = ends ? r->end : r->start,
        .id = (uint32_t)(r->start ^ r->start >> 32),
        .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
        .objectId = {.pt = {.processId = (uint32_t)getpid(), .threadId = r->thread}},
        .name = ends ? NULL : prof_text_of(r->name),
        .domain = r->range.domain ? prof_text_of(r->range.domain) : NULL});
}

static void record(const struct prof_record *r)
{
    switch (r->kind) {
    case PROF_KERNEL:
        add_kernel(r, state.enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]
                          ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                          : CUPTI_ACTIVITY_KIND_KERNEL);
        break;
    case PROF_COPY: add_copy(r); break;
    case PROF_FILL: add_fill(r); break;
    case PROF_API: add_call(r); break;
    case PROF_ALLOC:
    case PROF_FREE: add_memory(r); break;
    case PROF_RANGE:
    case PROF_SPAN:
        add_marker(r, false);
        add_marker(r, true);
        break;
    case PROF_MARK: add_marker(r, false); break;
    default: break;
    }
}

/* ---- calls as they happen ---- */
static void correlate(uint64_t call)
{
    for (unsigned k = 1; k < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE; k++)
        if (mine.depth[k])
            add(&(CUpti_ActivityExternalCorrelation){
                .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                .externalKind = (CUpti_ExternalCorrelationKind)k,
                .externalId = mine.id[k][mine.depth[k] - 1],
                .correlationId = (uint32_t)call});
}

static void call(const char *name, bool ends, uint64_t number, int *result)
{
    if (!ends) {
        correlate(number);
        mine.data = 0;
    }
    const struct call *c = call_named(name);
    pthread_mutex_lock(&state.lock);
    const bool wanted = c && state.subscribed && c->id < 1024 && state.callbacks[c->domain][c->id];
    const struct CUpti_Subscriber_st to = state.subscriber;
    pthread_mutex_unlock(&state.lock);
    if (!wanted || mine.inside)
        return;
    const CUpti_CallbackData data = {.callbackSite = ends ? CUPTI_API_EXIT : CUPTI_API_ENTER,
                                     .functionName = name,
                                     .functionReturnValue = ends ? result : NULL,
                                     .contextUid = 1,
                                     .correlationData = &mine.data,
                                     .correlationId = (uint32_t)number};
    mine.inside = true;
    to.callback(to.user, c->domain, c->id, &data);
    mine.inside = false;
}

static const struct prof_tap tap = {record, call};

/* Listens while anything is asked for. */
static void listen(void)
{
    bool any = state.subscribed;
    for (size_t k = 0; k < CUPTI_ACTIVITY_KIND_COUNT; k++)
        any |= state.enabled[k];
    prof_tap(any ? &tap : NULL);
}

/* ---- activities ---- */
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    if (!request || !complete)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&state.lock);
    state.request = request;
    state.complete = complete;
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

static CUptiResult enable(CUpti_ActivityKind kind, bool on)
{
    if ((unsigned)kind >= CUPTI_ACTIVITY_KIND_COUNT || !kind)
        return CUPTI_ERROR_INVALID_KIND;
    if (!bytes_of(kind))
        return CUPTI_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&state.lock);
    state.enabled[kind] = on;
    listen();
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    return enable(kind, true);
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    return enable(kind, false);
}

CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
    return context ? enable(kind, true) : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
    return context ? enable(kind, false) : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    if (!state.complete)
        return CUPTI_ERROR_INVALID_OPERATION;
    prof_settle();
    pthread_mutex_lock(&state.lock);
    const struct full f = take_buffer();
    pthread_mutex_unlock(&state.lock);
    give_back(&f);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(uint32_t time)
{
    return time ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    if (!buffer || !record)
        return CUPTI_ERROR_INVALID_PARAMETER;
    uint8_t *next = buffer;
    if (*record)
        next = (uint8_t *)*record + bytes_of((*record)->kind);
    if (next < buffer || next >= buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    CUpti_Activity *r = (CUpti_Activity *)(void *)next;
    if (!bytes_of(r->kind))
        return CUPTI_ERROR_INVALID_KIND;
    *record = r;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    if (!dropped)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&state.lock);
    *dropped = state.dropped;
    state.dropped = 0;
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

/* Sizes of buffers that it has on devices: kept, and told again. */
static CUptiResult attribute(CUpti_ActivityAttribute a, size_t *size, void *value, bool set)
{
    if (!size || !value)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if ((unsigned)a > CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE)
        return CUPTI_ERROR_NOT_SUPPORTED;
    const size_t n = a == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER ? 1 : sizeof(size_t);
    if (*size < n)
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    *size = n;
    pthread_mutex_lock(&state.lock);
    if (set)
        memcpy(&state.attributes[a], value, n);
    else
        memcpy(value, &state.attributes[a], n);
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute a, size_t *size, void *value)
{
    return attribute(a, size, value, false);
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute a, size_t *size, void *value)
{
    return attribute(a, size, value, true);
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t on)
{
    return on ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    if (!kind || (unsigned)kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (mine.depth[kind] == MOST_EXTERNAL)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    mine.id[kind][mine.depth[kind]++] = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t *last)
{
    if (!kind || (unsigned)kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!mine.depth[kind])
        return CUPTI_ERROR_QUEUE_EMPTY;
    const uint64_t id = mine.id[kind][--mine.depth[kind]];
    if (last)
        *last = id;
    return CUPTI_SUCCESS;
}

/* ---- what is there ---- */
CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
    if (!timestamp)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *timestamp = prof_now();
    return CUPTI_SUCCESS;
}

static CUptiResult device_of(CUcontext context, uint32_t *out)
{
    CUdevice device;
    if (!out)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!context || cuCtxPushCurrent(context))
        return CUPTI_ERROR_INVALID_CONTEXT;
    const CUresult e = cuCtxGetDevice(&device);
    cuCtxPopCurrent(&context);
    *out = (uint32_t)device;
    return e ? CUPTI_ERROR_INVALID_CONTEXT : CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
    return device_of(context, device);
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t *id)
{
    const CUptiResult e = device_of(context, id);
    if (!e)
        ++*id;
    return e;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    if ((unsigned)type > CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
        return CUPTI_ERROR_NOT_SUPPORTED;
    state.thread_ids = type;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type)
{
    if (!type)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *type = state.thread_ids;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(size_t index, const char **name)
{
    int n = 0;
    if (!name)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (cudaGetDeviceCount(&n) || index >= (size_t)n)
        return CUPTI_ERROR_INVALID_DEVICE;
    *name = "tern";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    if (!version)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    static const struct {
        int number;
        const char *name;
    } results[] = {
#define CUPTI_RESULT(name, number) {number, "CUPTI_" #name},
#include "cuda/tern_cupti_results.h"
    };
    if (!text)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if (results[k].number == (int)result) {
            *text = results[k].name;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **text)
{
    return cuptiGetResultString(result, text);
}

CUptiResult cuptiFinalize(void)
{
    if (state.complete)
        cuptiActivityFlushAll(0);
    pthread_mutex_lock(&state.lock);
    memset(state.enabled, 0, sizeof state.enabled);
    memset(state.callbacks, 0, sizeof state.callbacks);
    state.subscribed = false;
    listen();
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

/* ---- callbacks ---- */
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *out, CUpti_CallbackFunc callback, void *user,
                              CUpti_SubscriberParams *p)
{
    if (!out || !callback || (p && p->structSize < CUpti_SubscriberParams_STRUCT_SIZE))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&state.lock);
    const bool taken = state.subscribed;
    if (!taken) {
        state.subscriber = (struct CUpti_Subscriber_st){.callback = callback, .user = user};
        snprintf(state.subscriber.name, sizeof state.subscriber.name, "CUPTI%s%.*s",
                 p && p->subscriberName ? " for " : "", CUPTI_SUBSCRIBER_NAME_MAX_LEN,
                 p && p->subscriberName ? p->subscriberName : "");
        state.subscribed = true;
        *out = &state.subscriber;
        listen();
    } else if (p && p->oldSubscriberName) {
        snprintf(p->oldSubscriberName, p->oldSubscriberSize, "%s", state.subscriber.name);
    }
    pthread_mutex_unlock(&state.lock);
    return taken ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *out, CUpti_CallbackFunc callback, void *user)
{
    return cuptiSubscribe_v2(out, callback, user, NULL);
}

static bool is_ours(CUpti_SubscriberHandle s)
{
    return s == &state.subscriber && state.subscribed;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    pthread_mutex_lock(&state.lock);
    const bool ours = is_ours(subscriber);
    if (ours) {
        state.subscribed = false;
        memset(state.callbacks, 0, sizeof state.callbacks);
        listen();
    }
    pthread_mutex_unlock(&state.lock);
    return ours ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* id 0: all of the domain. */
static CUptiResult choose(uint32_t on, CUpti_SubscriberHandle subscriber,
                          CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if (!domain || (unsigned)domain > CUPTI_CB_DOMAIN_NVTX || id >= 1024)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (domain > CUPTI_CB_DOMAIN_RUNTIME_API)
        return CUPTI_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&state.lock);
    const bool ours = is_ours(subscriber);
    for (size_t k = id ? id : 1; ours && k < (id ? id + 1 : 1024); k++)
        state.callbacks[domain][k] = on != 0;
    pthread_mutex_unlock(&state.lock);
    return ours ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    return id ? choose(on, subscriber, domain, id) : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiEnableDomain(uint32_t on, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain)
{
    return choose(on, subscriber, domain, 0);
}

CUptiResult cuptiEnableAllDomains(uint32_t on, CUpti_SubscriberHandle subscriber)
{
    const CUptiResult e = choose(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, 0);
    return e ? e : choose(on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 0);
}

CUptiResult cuptiGetCallbackState(uint32_t *on, CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if (!on || (unsigned)domain > CUPTI_CB_DOMAIN_NVTX || id >= 1024)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&state.lock);
    const bool ours = is_ours(subscriber);
    *on = ours && state.callbacks[domain][id];
    pthread_mutex_unlock(&state.lock);
    return ours ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    static const struct {
        CUpti_CallbackDomain domain;
        uint32_t id;
        const char *name;
    } names[] = {
#define CUPTI_CALL(function, domain, label, number)                                                \
    {CUPTI_CB_DOMAIN_##domain##_API, number, #label},
#include "cuda/tern_cupti_calls.h"
    };
    for (size_t k = 0; name && k < sizeof names / sizeof *names; k++)
        if (names[k].domain == domain && names[k].id == id) {
            *name = names[k].name;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

/* ---- hardware counters: there are none ---- */
#define CUPTI_REFUSED(name)                                                                        \
    CUptiResult name(void *params);                                                                \
    CUptiResult name(void *params)                                                                 \
    {                                                                                              \
        (void)params;                                                                              \
        return CUPTI_ERROR_NOT_SUPPORTED;                                                          \
    }
#include "cuda/cupti_refused.def"
