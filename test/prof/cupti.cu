// CUPTI's Activity and Callback APIs: what a program of known calls has in its buffers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cupti.h>

__global__ void twice(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

static int wrong;
#define EXPECT(what)                                                                                                   \
    if (!(what)) {                                                                                                     \
        printf("line %d: %s\n", __LINE__, #what);                                                                      \
        wrong++;                                                                                                       \
    }

static unsigned kernels, copies, fills, calls, markers, allocations, external, launch_correlation, kernel_correlation;
static unsigned small_buffers, asked;
static size_t buffer_bytes = 64 << 10;

static void requested(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = buffer_bytes;
    *records = 0;
    *buffer = (uint8_t *)aligned_alloc(8, *size);
    asked++;
}

static void look(const CUpti_Activity *r)
{
    switch (r->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        auto k = (const CUpti_ActivityKernel9 *)r;
        kernels++;
        kernel_correlation = k->correlationId;
        EXPECT(strstr(k->name, "twice") && k->gridX == 4 && k->gridY == 1 && k->blockX == 64);
        EXPECT(k->start && k->end >= k->start && k->streamId == 7 && k->deviceId == 0 && k->contextId == 1);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        auto c = (const CUpti_ActivityMemcpy5 *)r;
        copies++;
        EXPECT(c->bytes == 1024);
        EXPECT(c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: fills += ((const CUpti_ActivityMemset4 *)r)->bytes == 1024; break;
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
        auto a = (const CUpti_ActivityAPI *)r;
        calls++;
        EXPECT(a->cbid && a->end >= a->start && a->returnValue == 0);
        if (a->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000)
            launch_correlation = a->correlationId;
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: allocations++; break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        auto e = (const CUpti_ActivityExternalCorrelation *)r;
        external += e->externalId == 42 && e->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
        break;
    }
    default: EXPECT(!"a kind that was not asked for"); break;
    }
}

static void completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CUpti_Activity *r = nullptr;
    CUptiResult e;
    while ((e = cuptiActivityGetNextRecord(buffer, valid, &r)) == CUPTI_SUCCESS)
        look(r);
    EXPECT(e == CUPTI_ERROR_MAX_LIMIT_REACHED);
    free(buffer);
    small_buffers++;
}

static unsigned entered, left;
static void called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    auto d = (const CUpti_CallbackData *)data;
    EXPECT(user == &entered && domain == CUPTI_CB_DOMAIN_RUNTIME_API);
    EXPECT(id == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020 && !strcmp(d->functionName, "cudaMemcpy"));
    if (d->callbackSite == CUPTI_API_ENTER) {
        entered++;
        *d->correlationData = 7;
    } else {
        left++;
        EXPECT(*d->correlationData == 7 && *(cudaError_t *)d->functionReturnValue == cudaSuccess);
    }
}

static void run(float *host)
{
    float *x;
    cudaMalloc(&x, 1024);
    cudaMemset(x, 0, 1024);
    cudaMemcpy(x, host, 1024, cudaMemcpyHostToDevice);
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42);
    twice<<<4, 64>>>(x);
    uint64_t last = 0;
    EXPECT(!cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last) && last == 42);
    cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost);
    cudaFree(x);
}

int main()
{
    static float host[256];
    const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMSET,            CUPTI_ACTIVITY_KIND_RUNTIME,
                                        CUPTI_ACTIVITY_KIND_MEMORY2,           CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
    cudaFree(nullptr);
    run(host); // nobody listens yet
    EXPECT(!cuptiActivityRegisterCallbacks(requested, completed));
    for (auto k : kinds)
        EXPECT(!cuptiActivityEnable(k));
    EXPECT(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD) == CUPTI_ERROR_NOT_SUPPORTED);
    EXPECT(cuptiActivityEnable((CUpti_ActivityKind)1000) == CUPTI_ERROR_INVALID_KIND);
    CUpti_SubscriberHandle subscriber, second;
    char old[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams params = {CUpti_SubscriberParams_STRUCT_SIZE, "a test", old, sizeof old};
    EXPECT(!cuptiSubscribe_v2(&subscriber, called, &entered, &params) && !*old);
    EXPECT(cuptiSubscribe(&second, called, nullptr) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT(cuptiSubscribe_v2(&second, called, nullptr, &params) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT(!strcmp(old, "CUPTI for a test"));
    params.structSize = 0;
    EXPECT(cuptiSubscribe_v2(&second, called, nullptr, &params) == CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT(!cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020));
    uint64_t before, after;
    cuptiGetTimestamp(&before);
    run(host);
    EXPECT(!cuptiActivityFlushAll(0));
    cuptiGetTimestamp(&after);
    EXPECT(after > before);
    EXPECT(kernels == 1 && copies == 2 && fills == 1 && allocations == 2 && external >= 1);
    EXPECT(calls >= 6 && launch_correlation && launch_correlation == kernel_correlation);
    EXPECT(entered == 2 && left == 2);
    EXPECT(!cuptiUnsubscribe(subscriber) && cuptiUnsubscribe(subscriber) == CUPTI_ERROR_INVALID_PARAMETER);

    buffer_bytes = sizeof(CUpti_ActivityKernel9); // one record, or a few: none is lost
    const unsigned had = asked;
    run(host);
    cuptiActivityFlushAll(0);
    EXPECT(kernels == 2 && copies == 4 && fills == 2 && asked > had + 4 && small_buffers == asked);
    size_t dropped = 1;
    EXPECT(!cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) && !dropped);
    buffer_bytes = 8;
    run(host);
    cuptiActivityFlushAll(0);
    EXPECT(!cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) && dropped >= 10 && kernels == 2);

    for (auto k : kinds)
        EXPECT(!cuptiActivityDisable(k));
    buffer_bytes = 64 << 10;
    const unsigned calls_before = calls;
    run(host);
    EXPECT(!cuptiFinalize() && calls == calls_before && kernels == 2 && entered == 2);
    const char *text = nullptr;
    EXPECT(!cuptiGetResultString(CUPTI_ERROR_NOT_SUPPORTED, &text) && !strcmp(text, "CUPTI_ERROR_NOT_SUPPORTED"));
    EXPECT(!cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 20, &text) && !strncmp(text, "cudaMalloc", 10));
    uint32_t version = 0;
    EXPECT(!cuptiGetVersion(&version) && version == CUPTI_API_VERSION);
    return wrong != 0;
}
