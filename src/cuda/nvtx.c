/* NVTX: ranges and marks that a program names, in a recording (prof/prof.h). Without one, nothing
 * is kept. */
#include "cuda/nvtx3/nvToolsExt.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "prof/prof.h"

enum { DEEPEST = 64, LONGEST = 1024 };

struct nvtxDomainRegistration_st {
    uint32_t name; /* a text of the recording */
};
struct nvtxStringRegistration_st {
    uint32_t text;
};

struct open_range {
    uint64_t start, id;
    uint32_t name, domain, color, thread;
};

/* Pushed by this thread, in all domains: a pop takes the last of its own. */
static _Thread_local struct {
    struct open_range at[DEEPEST];
    int depth, lost; /* lost: pushed when there was no room */
} stack;

/* Started by any thread. */
static struct {
    pthread_mutex_t lock;
    struct open_range *at;
    size_t n, cap;
    uint64_t last;
} spans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- texts ---- */

static uint32_t text_of_wide(const wchar_t *w)
{
    char utf8[LONGEST + 8];
    size_t n = 0;
    for (; w && *w && n < LONGEST; w++) {
        const uint32_t c = (uint32_t)*w;
        if (c < 0x80) {
            utf8[n++] = (char)c;
        } else if (c < 0x800) {
            utf8[n++] = (char)(0xc0 | c >> 6);
            utf8[n++] = (char)(0x80 | (c & 63));
        } else if (c < 0x10000) {
            utf8[n++] = (char)(0xe0 | c >> 12);
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
            utf8[n++] = (char)(0x80 | (c & 63));
        } else {
            utf8[n++] = (char)(0xf0 | (c >> 18 & 7));
            utf8[n++] = (char)(0x80 | (c >> 12 & 63));
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
            utf8[n++] = (char)(0x80 | (c & 63));
        }
    }
    utf8[n] = 0;
    return prof_text(utf8);
}

static struct open_range begin(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
    struct open_range r = {
        .start = prof_now(), .domain = domain ? domain->name : 0, .thread = prof_thread()};
    if (!a)
        return r;
    if (a->colorType == NVTX_COLOR_ARGB)
        r.color = a->color;
    switch (a->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: r.name = prof_text(a->message.ascii); break;
    case NVTX_MESSAGE_TYPE_UNICODE: r.name = text_of_wide(a->message.unicode); break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
        r.name = a->message.registered ? a->message.registered->text : 0;
        break;
    default: break;
    }
    return r;
}

static struct open_range begin_named(uint32_t name)
{
    return (struct open_range){.start = prof_now(), .name = name, .thread = prof_thread()};
}

static void put(enum prof_kind kind, const struct open_range *r, uint64_t end)
{
    prof_put(&(struct prof_record){
        .kind = (uint8_t)kind,
        .thread = r->thread,
        .start = r->start,
        .end = end,
        .name = r->name,
        .range = {.domain = r->domain, .color = r->color, .id = r->id},
    });
}

/* ---- marks ---- */

static void mark(struct open_range r)
{
    put(PROF_MARK, &r, r.start);
}

void nvtxMarkA(const char *message)
{
    if (prof_on())
        mark(begin_named(prof_text(message)));
}

void nvtxMarkW(const wchar_t *message)
{
    if (prof_on())
        mark(begin_named(text_of_wide(message)));
}

void nvtxMarkEx(const nvtxEventAttributes_t *attributes)
{
    nvtxDomainMarkEx(NULL, attributes);
}

void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    if (prof_on())
        mark(begin(domain, attributes));
}

/* ---- ranges of a thread ---- */

static int depth_in(uint32_t domain)
{
    int n = 0;
    for (int k = 0; k < stack.depth; k++)
        n += stack.at[k].domain == domain;
    return n;
}

static int push(struct open_range r)
{
    const int depth = depth_in(r.domain);
    if (stack.depth == DEEPEST)
        stack.lost++;
    else
        stack.at[stack.depth++] = r;
    return depth;
}

static int pop(uint32_t domain)
{
    if (stack.lost) {
        stack.lost--;
        return DEEPEST;
    }
    for (int k = stack.depth - 1; k >= 0; k--)
        if (stack.at[k].domain == domain) {
            const struct open_range r = stack.at[k];
            memmove(&stack.at[k], &stack.at[k + 1],
                    (size_t)(stack.depth - k - 1) * sizeof *stack.at);
            stack.depth--;
            put(PROF_RANGE, &r, prof_now());
            return depth_in(domain);
        }
    return -1; /* more pops than pushes */
}

int nvtxRangePushA(const char *message)
{
    return prof_on() ? push(begin_named(prof_text(message))) : NVTX_NO_PUSH_POP_TRACKING;
}

int nvtxRangePushW(const wchar_t *message)
{
    return prof_on() ? push(begin_named(text_of_wide(message))) : NVTX_NO_PUSH_POP_TRACKING;
}

int nvtxRangePushEx(const nvtxEventAttributes_t *attributes)
{
    return nvtxDomainRangePushEx(NULL, attributes);
}

int nvtxRangePop(void)
{
    return nvtxDomainRangePop(NULL);
}

int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    return prof_on() ? push(begin(domain, attributes)) : NVTX_NO_PUSH_POP_TRACKING;
}

int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
    return prof_on() ? pop(domain ? domain->name : 0) : NVTX_NO_PUSH_POP_TRACKING;
}

/* ---- ranges of the process ---- */

static nvtxRangeId_t start(struct open_range r)
{
    pthread_mutex_lock(&spans.lock);
    if (spans.n == spans.cap) {
        const size_t cap = spans.cap ? 2 * spans.cap : 64;
        struct open_range *wider = realloc(spans.at, cap * sizeof *wider);
        if (!wider) {
            pthread_mutex_unlock(&spans.lock);
            return 0;
        }
        spans.at = wider;
        spans.cap = cap;
    }
    r.id = ++spans.last;
    spans.at[spans.n++] = r;
    pthread_mutex_unlock(&spans.lock);
    return r.id;
}

nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    return prof_on() ? start(begin_named(prof_text(message))) : 0;
}

nvtxRangeId_t nvtxRangeStartW(const wchar_t *message)
{
    return prof_on() ? start(begin_named(text_of_wide(message))) : 0;
}

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes)
{
    return nvtxDomainRangeStartEx(NULL, attributes);
}

nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                     const nvtxEventAttributes_t *attributes)
{
    return prof_on() ? start(begin(domain, attributes)) : 0;
}

void nvtxRangeEnd(nvtxRangeId_t id)
{
    if (!id || !prof_on())
        return;
    pthread_mutex_lock(&spans.lock);
    size_t k = spans.n;
    while (k && spans.at[k - 1].id != id)
        k--;
    const struct open_range r = k ? spans.at[k - 1] : (struct open_range){0};
    if (k)
        spans.at[k - 1] = spans.at[--spans.n];
    pthread_mutex_unlock(&spans.lock);
    if (k)
        put(PROF_SPAN, &r, prof_now());
}

void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain; /* numbers are unique in the process */
    nvtxRangeEnd(id);
}

/* ---- domains and strings ---- */

static nvtxDomainHandle_t domain_new(uint32_t name)
{
    nvtxDomainHandle_t d = malloc(sizeof *d);
    if (d)
        d->name = name;
    return d;
}

nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
    return prof_on() ? domain_new(prof_text(name)) : NULL;
}

nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name)
{
    return prof_on() ? domain_new(text_of_wide(name)) : NULL;
}

void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
    free(domain);
}

/* Kept for as long as the process, as in NVTX. */
static nvtxStringHandle_t string_new(uint32_t text)
{
    nvtxStringHandle_t s = malloc(sizeof *s);
    if (s)
        s->text = text;
    return s;
}

nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *text)
{
    (void)domain;
    return prof_on() ? string_new(prof_text(text)) : NULL;
}

nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text)
{
    (void)domain;
    return prof_on() ? string_new(text_of_wide(text)) : NULL;
}

/* ---- names that recordings do not have ---- */

#define NAMES(name, parameters)                                                                    \
    void name parameters                                                                           \
    {                                                                                              \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NAMES(nvtxInitialize, (const void *reserved))
NAMES(nvtxNameCategoryA, (uint32_t category, const char *name))
NAMES(nvtxNameCategoryW, (uint32_t category, const wchar_t *name))
NAMES(nvtxNameOsThreadA, (uint32_t thread, const char *name))
NAMES(nvtxNameOsThreadW, (uint32_t thread, const wchar_t *name))
NAMES(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name))
NAMES(nvtxDomainNameCategoryW, (nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name))
NAMES(nvtxNameCudaDeviceA, (int device, const char *name))
NAMES(nvtxNameCudaStreamA, (void *stream, const char *name))
NAMES(nvtxNameCudaEventA, (void *event, const char *name))
NAMES(nvtxNameCuDeviceA, (int device, const char *name))
NAMES(nvtxNameCuContextA, (void *context, const char *name))
NAMES(nvtxNameCuStreamA, (void *stream, const char *name))
NAMES(nvtxNameCuEventA, (void *event, const char *name))
#pragma GCC diagnostic pop
