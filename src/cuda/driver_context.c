/* The driver API: what contexts and streams are told and tell: flags, execution affinity, events of
 * a whole context, attributes of streams, pointers and pools; green contexts. */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver_int.h"

/* ---- contexts ---- */

CUresult cuCtxSetFlags(unsigned int flags)
{
    PROF_CALL(__func__);
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS && flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        cuda_context_top()->flags = flags; /* hints on waiting */
    return r;
}

/* A context has all of its device's units, and no other number of them can be asked for. */
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int count,
                        unsigned int flags, CUdevice device)
{
    PROF_CALL(__func__);
    if (count < 0 || (count && !params))
        return CUDA_ERROR_INVALID_VALUE;
    return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate(context, flags, device);
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *param, CUexecAffinityType type)
{
    PROF_CALL(__func__);
    const CUresult r =
        param && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device)
{
    PROF_CALL(__func__);
    const CUresult r = supported && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT
                           ? driver_device(device)
                           : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *supported = 0;
    return r;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaCtxResetPersistingL2Cache());
}

/* ---- events of all that a context does ---- */

static CUresult device_of(CUcontext context, CUevent event, struct tern_device **d)
{
    const CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (context && !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!cuda_handle_is(HANDLE_EVENT, event))
        return CUDA_ERROR_INVALID_HANDLE;
    return driver_result(
        cuda_device_at(context ? context->ordinal : cuda_context_top()->ordinal, d));
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const CUresult r = device_of(context, event, &d);
    return r != CUDA_SUCCESS
               ? r
               : driver_result(cuda_from(device_record(d, (struct tern_event *)event)));
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const CUresult r = device_of(context, event, &d);
    return r != CUDA_SUCCESS
               ? r
               : driver_result(cuda_from(device_after(d, (struct tern_event *)event)));
}

/* ---- attributes ---- */

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamCopyAttributes(to, from));
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamGetAttribute(stream, (enum cudaLaunchAttributeID)attribute,
                                          (union cudaLaunchAttributeValue *)value));
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamSetAttribute(stream, (enum cudaLaunchAttributeID)attribute,
                                          (const union cudaLaunchAttributeValue *)value));
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    const CUresult e = driver_enter();
    if (e != CUDA_SUCCESS)
        return e;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !cuda_find_range((void *)(uintptr_t)p, 0, &r) || r.kind != CUDA_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_range_flag((void *)(uintptr_t)p, CUDA_SYNC_MEMOPS, *(const unsigned *)value != 0);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list, count));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool,
                                        (struct cudaMemLocation *)location));
}

/* ---- green contexts: one with all units of its device ---- */

struct CUdevResourceDesc_st {
    unsigned units;
    int device;
};

struct CUgreenCtx_st {
    struct CUgreenCtx_st *next;
    CUcontext context;
    CUdevResource resource;
    unsigned long long id;
};

static struct {
    pthread_mutex_t lock;
    struct CUgreenCtx_st *contexts;
} green = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_green(const struct CUgreenCtx_st *g)
{
    pthread_mutex_lock(&green.lock);
    const struct CUgreenCtx_st *at = green.contexts;
    while (at && at != g)
        at = at->next;
    pthread_mutex_unlock(&green.lock);
    return at != NULL;
}

static CUresult units_of(CUdevice device, CUdevResource *resource, CUdevResourceType type)
{
    struct tern_device *d;
    CUresult r = resource ? driver_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS && type != CU_DEV_RESOURCE_TYPE_SM)
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_device_at(device, &d));
    if (r == CUDA_SUCCESS) {
        *resource = (CUdevResource){.type = CU_DEV_RESOURCE_TYPE_SM};
        resource->sm = (CUdevSmResource){d->info.units, d->info.units, 1};
        memcpy(resource->_internal_padding, &device, sizeof device);
    }
    return r;
}

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type)
{
    PROF_CALL(__func__);
    return units_of(device, resource, type);
}

CUresult cuCtxGetDevResource(CUcontext context, CUdevResource *resource, CUdevResourceType type)
{
    PROF_CALL(__func__);
    const CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (context && !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return units_of(context ? context->ordinal : cuda_context_top()->ordinal, resource, type);
}

/* Units are not told apart: a device's are one group, which can be had whole. */
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups,
                                     const CUdevResource *input, CUdevResource *rest,
                                     unsigned int flags, unsigned int least)
{
    PROF_CALL(__func__);
    if (!groups || !input || input->type != CU_DEV_RESOURCE_TYPE_SM || flags & ~3u)
        return CUDA_ERROR_INVALID_VALUE;
    if (least > input->sm.smCount)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    if (result && *groups)
        result[0] = *input;
    *groups = result && !*groups ? 0 : 1;
    if (rest)
        *rest = (CUdevResource){.type = CU_DEV_RESOURCE_TYPE_INVALID};
    return CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources,
                                   unsigned int count)
{
    PROF_CALL(__func__);
    if (!desc || !resources || !count)
        return CUDA_ERROR_INVALID_VALUE;
    if (count != 1 || resources->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    struct CUdevResourceDesc_st *d =
        malloc(sizeof *d); /* nothing gives one back: CUDA's are kept */
    if (!d)
        return CUDA_ERROR_OUT_OF_MEMORY;
    d->units = resources->sm.smCount;
    memcpy(&d->device, resources->_internal_padding, sizeof d->device);
    *desc = d;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc desc, CUdevice device,
                          unsigned int flags)
{
    PROF_CALL(__func__);
    CUdevResource all;
    if (!context || !desc || flags != CU_GREEN_CTX_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = units_of(device, &all, CU_DEV_RESOURCE_TYPE_SM);
    if (r == CUDA_SUCCESS && (desc->device != device || desc->units != all.sm.smCount))
        r = CUDA_ERROR_INVALID_VALUE;
    struct CUgreenCtx_st *g = r == CUDA_SUCCESS ? calloc(1, sizeof *g) : NULL;
    if (r == CUDA_SUCCESS && !g)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (r == CUDA_SUCCESS) {
        r = cuCtxCreate(&g->context, 0, device);
        cuda_context_pop(); /* it does not become current */
    }
    if (r != CUDA_SUCCESS) {
        free(g);
        return r;
    }
    g->resource = all;
    g->id = g->context->id;
    pthread_mutex_lock(&green.lock);
    g->next = green.contexts;
    green.contexts = g;
    pthread_mutex_unlock(&green.lock);
    *context = g;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx context)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&green.lock);
    struct CUgreenCtx_st **at = &green.contexts;
    while (*at && *at != context)
        at = &(*at)->next;
    const bool found = *at != NULL;
    if (found)
        *at = context->next;
    pthread_mutex_unlock(&green.lock);
    if (!found)
        return CUDA_ERROR_INVALID_CONTEXT;
    const CUresult r = cuCtxDestroy(context->context);
    free(context);
    return r;
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx from)
{
    PROF_CALL(__func__);
    if (!context || !is_green(from))
        return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *context = from->context;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource *resource,
                                  CUdevResourceType type)
{
    PROF_CALL(__func__);
    if (!resource || type != CU_DEV_RESOURCE_TYPE_SM || !is_green(context))
        return resource && type == CU_DEV_RESOURCE_TYPE_SM ? CUDA_ERROR_INVALID_CONTEXT
                                                           : CUDA_ERROR_INVALID_VALUE;
    *resource = context->resource;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event)
{
    PROF_CALL(__func__);
    return is_green(context) ? cuCtxRecordEvent(context->context, event)
                             : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx context, CUevent event)
{
    PROF_CALL(__func__);
    return is_green(context) ? cuCtxWaitEvent(context->context, event) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags,
                                int priority)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_stream *s;
    if (!stream || !is_green(context) || flags != CU_STREAM_NON_BLOCKING)
        return stream && flags == CU_STREAM_NON_BLOCKING ? CUDA_ERROR_INVALID_CONTEXT
                                                         : CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_result(cuda_device_at(context->context->ordinal, &d));
    if (r == CUDA_SUCCESS)
        r = driver_result(
            cuda_from(stream_new(d, false, flags, cuda_clamped_priority(priority), &s)));
    if (r == CUDA_SUCCESS) {
        s->owner = context;
        *stream = (CUstream)s;
    }
    return r;
}

CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *context)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    CUresult r = context ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current_stream(stream, &s));
    if (r == CUDA_SUCCESS)
        *context = is_green(s->owner) ? s->owner : NULL;
    return r;
}
