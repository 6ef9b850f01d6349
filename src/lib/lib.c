/* Kernels of libraries by name, their launches, and what libraries say. See lib.h. */
#include "lib/lib.h"
#include "lib/narrow.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices ---- */

static void learn(struct lib_device *d)
{
    const struct tern_device_info *i = &d->info;
    tern_cuda_device_facts(d->device, &d->info);
    d->host_path = i->host_memory && i->host_code;
    d->threads = i->units ? i->units : 1;
    d->capability = i->matrix && i->own_capability ? (int)i->capability : 0;
}

enum tern_error lib_device(struct lib_device *out)
{
    *out = (struct lib_device){0};
    enum tern_error e = tern_cuda_device(&out->device);
    if (!e)
        e = lib_error(cudaGetDevice(&out->ordinal));
    if (!e)
        learn(out);
    return e;
}

void lib_device_of(tern_device *d, struct lib_plan *plan, struct lib_device *out)
{
    *out = (struct lib_device){.device = d, .plan = plan};
    learn(out);
}

enum tern_error lib_error(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return TERN_OK;
    case cudaErrorMemoryAllocation: return TERN_OUT_OF_MEMORY;
    case cudaErrorInvalidValue: return TERN_INVALID_ARGUMENT;
    default: return TERN_DEVICE_LOST;
    }
}

/* ---- types ---- */

const struct lib_type_info lib_types[LIB_NTYPES] = {
#define X(name, number, text, bytes, complex) [LIB_##name] = {number, text, bytes, complex},
    LIB_TYPES(X)
#undef X
};

bool lib_type_of(cudaDataType type, enum lib_type *out)
{
    for (unsigned k = 0; k < LIB_NTYPES; k++)
        if (lib_types[k].number == (int)type) {
            *out = (enum lib_type)k;
            return true;
        }
    return false;
}

double lib_half(uint16_t bits)
{
    return (double)narrow_from_f16(bits);
}

double lib_bfloat(uint16_t bits)
{
    return (double)narrow_from_bf16(bits);
}

/* ---- kernels ---- */

enum { BUCKETS = 256 };

struct entry {
    struct entry *next;
    tern_module *module;
    tern_kernel *kernel;
    bool pairs;
    char name[]; /* header, a space, kernel */
};

struct kernels {
    pthread_mutex_t lock;
    struct entry *buckets[BUCKETS];
};

static const char kernels_key;

static void kernels_init(void *data)
{
    pthread_mutex_init(&((struct kernels *)data)->lock, NULL);
}

static void kernels_release(void *data)
{
    struct kernels *k = data;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct entry *e = k->buckets[b], *next; e; e = next) {
            next = e->next;
            tern_module_free(e->module);
            free(e);
        }
    pthread_mutex_destroy(&k->lock);
}

static size_t bucket(const char *header, const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *header; header++)
        h = (h ^ (unsigned char)*header) * 1099511628211u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h >> 32) % BUCKETS;
}

static enum tern_error compile(const struct lib_device *d, const char *header, const char *name,
                               struct entry **out)
{
    /* Of our headers' functions those are read that words of the source lead to: a function that
     * nobody calls has them. A name with all its template arguments may be long. */
    static const char form[] = "#include \"device/%s\"\nstatic void wanted() { %s; }\n";
    char path[128];
    snprintf(path, sizeof path, "device/%s.cu", header);
    const size_t n = strlen(header) + strlen(name) + 2, size = sizeof form + n;
    struct entry *e = calloc(1, sizeof *e + n);
    char *text = malloc(size);
    if (!e || !text) {
        free(e);
        free(text);
        return TERN_OUT_OF_MEMORY;
    }
    snprintf(text, size, form, header, name);
    snprintf(e->name, n, "%s %s", header, name);
    e->pairs = d->pairs;
    const struct tern_source source = {
        .path = path, .text = text, .names = &name, .nnames = 1, .fast_f64 = d->pairs};
    enum tern_error error = tern_module_new(d->device, &source, &e->module);
    free(text);
    if (!error)
        error = tern_module_kernel(e->module, name, &e->kernel);
    if (error) {
        char why[1024] = "";
        tern_message(tern_device_context(d->device), why, sizeof why);
        lib_say("tern: the kernel %s of device/%s: %s\n", name, header,
                *why ? why : tern_error_text(error));
        tern_module_free(e->module);
        free(e);
        return error;
    }
    *out = e;
    return TERN_OK;
}

enum tern_error lib_kernel(const struct lib_device *d, const char *header, const char *name,
                           tern_kernel **out)
{
    struct kernels *k =
        tern_device_keep(d->device, &kernels_key, sizeof *k, kernels_init, kernels_release);
    if (!k)
        return TERN_OUT_OF_MEMORY;
    const size_t b = bucket(header, name), n = strlen(header);
    enum tern_error error = TERN_OK;
    pthread_mutex_lock(&k->lock);
    struct entry *e = k->buckets[b];
    while (e && (e->pairs != d->pairs || strncmp(e->name, header, n) || e->name[n] != ' ' ||
                 strcmp(e->name + n + 1, name)))
        e = e->next;
    if (!e && !(error = compile(d, header, name, &e))) {
        e->next = k->buckets[b];
        k->buckets[b] = e;
    }
    *out = e ? e->kernel : NULL;
    pthread_mutex_unlock(&k->lock);
    return error;
}

enum tern_error lib_launch(const struct lib_device *d, cudaStream_t stream, tern_kernel *k,
                           tern_dim grid, tern_dim block, uint32_t shared, void *const *args)
{
    tern_stream *s;
    enum tern_error e = tern_cuda_stream(d->device, stream, &s);
    return e ? e : tern_launch(s, k, grid, block, shared, args);
}

/* Writes a launch down where the device only plans. */
static bool planned(const struct lib_device *d, const char *name, tern_dim grid, tern_dim block,
                    uint32_t shared)
{
    if (!d->plan || !d->plan->dry)
        return false;
    struct tern_plan_info *info = d->plan->info;
    if (info->launches < TERN_PLAN_LAUNCHES) {
        struct tern_plan_launch *l = &info->launch[info->launches];
        *l = (struct tern_plan_launch){.grid = grid, .block = block, .shared = shared};
        snprintf(l->kernel, sizeof l->kernel, "%s", name);
    }
    info->launches++;
    return true;
}

enum tern_error lib_run_function(const struct lib_device *d, cudaStream_t stream, const char *name,
                                 tern_function *fn, int64_t blocks, bool brief, const void *args,
                                 size_t bytes)
{
    const tern_dim grid = {(uint32_t)blocks}, block = {1};
    tern_stream *s;
    if (planned(d, name, grid, block, 0))
        return TERN_OK;
    enum tern_error e = tern_cuda_stream(d->device, stream, &s);
    if (e)
        return e;
    return brief ? tern_launch_short(s, fn, args, bytes)
                 : tern_launch_function(s, fn, grid, block, 0, args, bytes);
}

enum tern_error lib_run_shared(const struct lib_device *d, cudaStream_t stream, const char *header,
                               const char *name, tern_dim grid, tern_dim block, uint32_t shared,
                               void *const *args)
{
    tern_kernel *k;
    enum tern_error e = lib_kernel(d, header, name, &k);
    if (e || planned(d, name, grid, block, shared))
        return e;
    return lib_launch(d, stream, k, grid, block, shared, args);
}

enum tern_error lib_run(const struct lib_device *d, cudaStream_t stream, const char *header,
                        const char *name, tern_dim grid, tern_dim block, void *const *args)
{
    return lib_run_shared(d, stream, header, name, grid, block, 0, args);
}

/* ---- memory ---- */

enum tern_error lib_scratch(cudaStream_t stream, size_t bytes, void **out)
{
    *out = NULL;
    return bytes ? lib_error(cudaMallocAsync(out, bytes, stream)) : TERN_OK;
}

void lib_scratch_free(cudaStream_t stream, void *p)
{
    if (p)
        cudaFreeAsync(p, stream);
}

/* ---- messages ---- */

void lib_say(const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tern_cuda_say(text);
}

void lib_note(const char *format, ...)
{
    if (!tern_cuda_logs())
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tern_cuda_note(text);
}
