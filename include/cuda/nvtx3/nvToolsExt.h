/* NVTX: names for what a profiler shows. There is none here, so that the calls do nothing and say
 * what the library says when nobody listens. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION              3
#define NVTX_SUCCESS              0
#define NVTX_FAIL                 1
#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

/* NVTX_QUIET(result, value, name, parameters): a function that does nothing */
#define NVTX_QUIET(result, value, name, parameters)                                                \
    static inline result name parameters                                                           \
    {                                                                                              \
        return value;                                                                              \
    }
#define NVTX_SILENT(name, parameters)                                                              \
    static inline void name parameters                                                             \
    {                                                                                              \
    }
#if defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NVTX_SILENT(nvtxInitialize, (const void *reserved))
NVTX_SILENT(nvtxMarkA, (const char *message))
NVTX_SILENT(nvtxMarkW, (const wchar_t *message))
NVTX_SILENT(nvtxMarkEx, (const nvtxEventAttributes_t *attributes))
NVTX_QUIET(nvtxRangeId_t, 0, nvtxRangeStartA, (const char *message))
NVTX_QUIET(nvtxRangeId_t, 0, nvtxRangeStartW, (const wchar_t *message))
NVTX_QUIET(nvtxRangeId_t, 0, nvtxRangeStartEx, (const nvtxEventAttributes_t *attributes))
NVTX_SILENT(nvtxRangeEnd, (nvtxRangeId_t id))
NVTX_QUIET(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushA, (const char *message))
NVTX_QUIET(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushW, (const wchar_t *message))
NVTX_QUIET(int, NVTX_NO_PUSH_POP_TRACKING, nvtxRangePushEx,
           (const nvtxEventAttributes_t *attributes))
static inline int nvtxRangePop(void)
{
    return NVTX_NO_PUSH_POP_TRACKING;
}
NVTX_SILENT(nvtxNameCategoryA, (uint32_t category, const char *name))
NVTX_SILENT(nvtxNameOsThreadA, (uint32_t thread, const char *name))
NVTX_QUIET(nvtxDomainHandle_t, 0, nvtxDomainCreateA, (const char *name))
NVTX_SILENT(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
NVTX_QUIET(nvtxStringHandle_t, 0, nvtxDomainRegisterStringA,
           (nvtxDomainHandle_t domain, const char *text))
NVTX_SILENT(nvtxDomainNameCategoryA,
            (nvtxDomainHandle_t domain, uint32_t category, const char *name))
NVTX_SILENT(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
NVTX_QUIET(nvtxRangeId_t, 0, nvtxDomainRangeStartEx,
           (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
NVTX_SILENT(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id))
NVTX_QUIET(int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePushEx,
           (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
NVTX_QUIET(int, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainRangePop, (nvtxDomainHandle_t domain))
/* nvToolsExtCuda.h and nvToolsExtCudaRt.h */
NVTX_SILENT(nvtxNameCudaDeviceA, (int device, const char *name))
NVTX_SILENT(nvtxNameCudaStreamA, (void *stream, const char *name))
NVTX_SILENT(nvtxNameCudaEventA, (void *event, const char *name))
NVTX_SILENT(nvtxNameCuDeviceA, (int device, const char *name))
NVTX_SILENT(nvtxNameCuContextA, (void *context, const char *name))
NVTX_SILENT(nvtxNameCuStreamA, (void *stream, const char *name))
NVTX_SILENT(nvtxNameCuEventA, (void *event, const char *name))
#if defined __GNUC__
#pragma GCC diagnostic pop
#endif
#undef NVTX_QUIET
#undef NVTX_SILENT

#define nvtxMark                 nvtxMarkA
#define nvtxRangeStart           nvtxRangeStartA
#define nvtxRangePush            nvtxRangePushA
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainCreate         nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCudaDevice       nvtxNameCudaDeviceA
#define nvtxNameCudaStream       nvtxNameCudaStreamA
#define nvtxNameCudaEvent        nvtxNameCudaEventA
