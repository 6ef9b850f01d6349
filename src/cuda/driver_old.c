/* The driver API as it was before CUDA 4: launches whose shape and arguments are kept with the
 * function, counted contexts, and texture references. A reference is a variable of a module that
 * holds a texture object (reference.c); each change makes a new object and writes the variable. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver_int.h"
#include "cuda/texture_types.h"

/* ---- launches ---- */

enum { OLD_PARAM_BYTES = 4096 };

struct shape {
    struct shape *next;
    const struct tern_kernel *kernel;
    unsigned block[3], shared, size;
    _Alignas(16) char params[OLD_PARAM_BYTES];
};

static struct {
    pthread_mutex_t lock;
    struct shape *shapes;
    struct CUtexref_st *references;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. */
static struct shape *shape_of(const struct tern_kernel *k)
{
    struct shape *s = table.shapes;
    while (s && s->kernel != k)
        s = s->next;
    if (!s && (s = calloc(1, sizeof *s))) {
        s->kernel = k;
        s->block[0] = s->block[1] = s->block[2] = 1;
        s->next = table.shapes;
        table.shapes = s;
    }
    return s;
}

/* Finds what is kept with a function, and locks it. */
static CUresult open_shape(CUfunction f, struct shape **out)
{
    struct tern_kernel *k;
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS)
        r = driver_function(f, &k);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    *out = shape_of(k);
    if (*out)
        return CUDA_SUCCESS;
    pthread_mutex_unlock(&table.lock);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z)
{
    PROF_CALL(__func__);
    struct shape *s;
    const CUresult r = x > 0 && y > 0 && z > 0 ? open_shape(f, &s) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    s->block[0] = (unsigned)x;
    s->block[1] = (unsigned)y;
    s->block[2] = (unsigned)z;
    pthread_mutex_unlock(&table.lock);
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction f, unsigned int bytes)
{
    PROF_CALL(__func__);
    struct shape *s;
    const CUresult r = open_shape(f, &s);
    if (r != CUDA_SUCCESS)
        return r;
    s->shared = bytes;
    pthread_mutex_unlock(&table.lock);
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction f, unsigned int bytes)
{
    PROF_CALL(__func__);
    struct shape *s;
    const CUresult r = bytes <= OLD_PARAM_BYTES ? open_shape(f, &s) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    s->size = bytes;
    pthread_mutex_unlock(&table.lock);
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction f, int offset, void *p, unsigned int bytes)
{
    PROF_CALL(__func__);
    struct shape *s;
    if (!p || offset < 0 || offset > OLD_PARAM_BYTES || bytes > OLD_PARAM_BYTES - (unsigned)offset)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = open_shape(f, &s);
    if (r != CUDA_SUCCESS)
        return r;
    memcpy(s->params + offset, p, bytes);
    pthread_mutex_unlock(&table.lock);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction f, int offset, unsigned int value)
{
    PROF_CALL(__func__);
    return cuParamSetv(f, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction f, int offset, float value)
{
    PROF_CALL(__func__);
    return cuParamSetv(f, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream)
{
    PROF_CALL(__func__);
    struct shape *kept, s;
    CUresult r = width > 0 && height > 0 ? open_shape(f, &kept) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    s = *kept;
    pthread_mutex_unlock(&table.lock);
    size_t size = s.size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, s.params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, s.block[0], s.block[1],
                          s.block[2], s.shared, stream, NULL, extra);
}

CUresult cuLaunchGrid(CUfunction f, int width, int height)
{
    PROF_CALL(__func__);
    return cuLaunchGridAsync(f, width, height, NULL);
}

CUresult cuLaunch(CUfunction f)
{
    PROF_CALL(__func__);
    return cuLaunchGridAsync(f, 1, 1, NULL);
}

/* ---- counted contexts ---- */

CUresult cuCtxAttach(CUcontext *context, unsigned int flags)
{
    PROF_CALL(__func__);
    const CUresult r = context && !flags ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    *context = cuda_context_top();
    __atomic_add_fetch(&(*context)->users, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
    PROF_CALL(__func__);
    if (!context || !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    unsigned users = __atomic_load_n(&context->users, __ATOMIC_RELAXED);
    do
        if (!users)
            return cuCtxDestroy(context);
    while (!__atomic_compare_exchange_n(&context->users, &users, users - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return CUDA_SUCCESS;
}

/* ---- texture references ---- */

struct CUtexref_st {
    struct CUtexref_st *next;
    const struct tern_module *module; /* NULL: of no module */
    uint64_t at;                      /* its variable */
    struct tern_device *device;
    bool bound;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUarray_format format;
    int channels;
    CUtexObject object;
    char name[]; /* of the variable */
};

static bool is_reference(const struct CUtexref_st *r)
{
    pthread_mutex_lock(&table.lock);
    const struct CUtexref_st *at = table.references;
    while (at && at != r)
        at = at->next;
    pthread_mutex_unlock(&table.lock);
    return at != NULL;
}

static struct CUtexref_st *new_reference(const char *name)
{
    struct CUtexref_st *r = calloc(1, sizeof *r + strlen(name) + 1);
    if (!r)
        return NULL;
    strcpy(r->name, name);
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    for (int k = 0; k < 3; k++)
        r->texture.addressMode[k] = CU_TR_ADDRESS_MODE_CLAMP;
    return r;
}

static void forget_object(struct CUtexref_st *r)
{
    if (r->object)
        cuTexObjectDestroy(r->object);
    r->object = 0;
}

/* A module goes: so does what was kept with its functions, and its references. */
void driver_module_gone(const struct tern_module *m)
{
    pthread_mutex_lock(&table.lock);
    for (struct shape **at = &table.shapes; *at;) {
        struct shape *s = *at;
        if (s->kernel->module == m) {
            *at = s->next;
            free(s);
        } else {
            at = &s->next;
        }
    }
    struct CUtexref_st *gone = NULL;
    for (struct CUtexref_st **at = &table.references; *at;) {
        struct CUtexref_st *r = *at;
        if (r->module == m) {
            *at = r->next;
            r->next = gone;
            gone = r;
        } else {
            at = &r->next;
        }
    }
    pthread_mutex_unlock(&table.lock);
    for (struct CUtexref_st *next; gone; gone = next) {
        next = gone->next;
        forget_object(gone);
        free(gone);
    }
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
    PROF_CALL(__func__);
    struct tern_module *m = (struct tern_module *)module;
    uint64_t at, size;
    CUresult r = reference && name ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS && !driver_is_module(m))
        r = CUDA_ERROR_INVALID_HANDLE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_from(tern_module_variable(m, name, &at, &size)));
    if (r == CUDA_SUCCESS && size != sizeof(struct textureReference))
        r = CUDA_ERROR_NOT_FOUND; /* another variable */
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    struct CUtexref_st *ref = table.references;
    while (ref && (ref->module != m || ref->at != at))
        ref = ref->next;
    if (!ref && (ref = new_reference(name))) {
        ref->module = m;
        ref->device = m->device;
        ref->at = at;
        ref->next = table.references;
        table.references = ref;
    }
    pthread_mutex_unlock(&table.lock);
    *reference = ref;
    return ref ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuTexRefCreate(CUtexref *reference)
{
    PROF_CALL(__func__);
    const CUresult r = reference ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    struct CUtexref_st *ref = new_reference("");
    if (!ref)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&table.lock);
    ref->next = table.references;
    table.references = ref;
    pthread_mutex_unlock(&table.lock);
    *reference = ref;
    return CUDA_SUCCESS;
}

CUresult cuTexRefDestroy(CUtexref reference)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&table.lock);
    struct CUtexref_st **at = &table.references;
    while (*at && *at != reference)
        at = &(*at)->next;
    const bool found = *at && !reference->module; /* a module's goes with it */
    if (found)
        *at = reference->next;
    pthread_mutex_unlock(&table.lock);
    if (!found)
        return CUDA_ERROR_INVALID_VALUE;
    forget_object(reference);
    free(reference);
    return CUDA_SUCCESS;
}

/* What is bound, as an object, in the variable. Work that uses the old one is waited for. */
static CUresult renew(struct CUtexref_st *r)
{
    if (!r->bound)
        return CUDA_SUCCESS;
    CUtexObject object = 0;
    CUresult e = cuTexObjectCreate(&object, &r->resource, &r->texture, NULL);
    if (e != CUDA_SUCCESS || !r->module) {
        if (object)
            cuTexObjectDestroy(object);
        return e;
    }
    enum { HANDLE = offsetof(struct textureReference, __cudaReserved) + 12 * sizeof(int) };
    e = driver_result(cuda_wait_all(r->device));
    const struct work_place to = {.device = r->device, .at = r->at + HANDLE},
                            from = {.at = (uint64_t)(uintptr_t)&object};
    if (e == CUDA_SUCCESS)
        e = driver_result(cuda_copy(&r->device->own, &to, &from, sizeof object, 1, 1, true));
    forget_object(r);
    r->object = object;
    return e;
}

static CUresult bind(struct CUtexref_st *r, const CUDA_RESOURCE_DESC *resource)
{
    r->resource = *resource;
    r->bound = true;
    const CUresult e = renew(r);
    if (e != CUDA_SUCCESS)
        r->bound = false;
    return e;
}

#define REFERENCE(r)                                                                               \
    do {                                                                                           \
        const CUresult entered_ = driver_enter();                                                  \
        if (entered_ != CUDA_SUCCESS || !is_reference(r))                                          \
            return entered_ != CUDA_SUCCESS ? entered_ : CUDA_ERROR_INVALID_VALUE;                 \
    } while (0)

CUresult cuTexRefSetArray(CUtexref r, CUarray array, unsigned int flags)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!array || flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY_DESCRIPTOR d;
    const CUresult e = cuArrayGetDescriptor(&d, array);
    if (e != CUDA_SUCCESS)
        return e;
    r->format = d.Format;
    r->channels = (int)d.NumChannels;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    resource.res.array.hArray = array;
    return bind(r, &resource);
}

CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray mipmap, unsigned int flags)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!mipmap || flags != CU_TRSA_OVERRIDE_FORMAT)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    resource.res.mipmap.hMipmappedArray = mipmap;
    return bind(r, &resource);
}

CUresult cuTexRefSetAddress(size_t *offset, CUtexref r, CUdeviceptr p, size_t bytes)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    resource.res.linear.devPtr = p;
    resource.res.linear.format = r->format;
    resource.res.linear.numChannels = (unsigned)r->channels;
    resource.res.linear.sizeInBytes = bytes;
    if (offset)
        *offset = 0; /* any address may be bound */
    return bind(r, &resource);
}

CUresult cuTexRefSetAddress2D(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr p,
                              size_t pitch)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!desc)
        return CUDA_ERROR_INVALID_VALUE;
    r->format = desc->Format;
    r->channels = (int)desc->NumChannels;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    resource.res.pitch2D.devPtr = p;
    resource.res.pitch2D.format = desc->Format;
    resource.res.pitch2D.numChannels = desc->NumChannels;
    resource.res.pitch2D.width = desc->Width;
    resource.res.pitch2D.height = desc->Height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return bind(r, &resource);
}

CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (channels != 1 && channels != 2 && channels != 4)
        return CUDA_ERROR_INVALID_VALUE;
    r->format = format;
    r->channels = channels;
    return CUDA_SUCCESS; /* of what is bound next */
}

/* A part of how it samples: set, and told. */
#define PART(Name, type, member)                                                                   \
    CUresult cuTexRefSet##Name(CUtexref r, type value)                                             \
    {                                                                                              \
        PROF_CALL(__func__);                                                                       \
        REFERENCE(r);                                                                              \
        r->texture.member = value;                                                                 \
        return renew(r);                                                                           \
    }                                                                                              \
    CUresult cuTexRefGet##Name(type *value, CUtexref r)                                            \
    {                                                                                              \
        PROF_CALL(__func__);                                                                       \
        REFERENCE(r);                                                                              \
        if (!value)                                                                                \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
        *value = r->texture.member;                                                                \
        return CUDA_SUCCESS;                                                                       \
    }
PART(FilterMode, CUfilter_mode, filterMode)
PART(MipmapFilterMode, CUfilter_mode, mipmapFilterMode)
PART(MipmapLevelBias, float, mipmapLevelBias)
PART(Flags, unsigned int, flags)
#undef PART

CUresult cuTexRefSetAddressMode(CUtexref r, int dim, CUaddress_mode mode)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    r->texture.addressMode[dim] = mode;
    return renew(r);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float least, float most)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    r->texture.minMipmapLevelClamp = least;
    r->texture.maxMipmapLevelClamp = most;
    return renew(r);
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned int most)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    r->texture.maxAnisotropy = most;
    return renew(r);
}

CUresult cuTexRefSetBorderColor(CUtexref r, float *color)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!color)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(r->texture.borderColor, color, sizeof r->texture.borderColor);
    return renew(r);
}

CUresult cuTexRefGetAddress(CUdeviceptr *p, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!p || !r->bound ||
        (r->resource.resType != CU_RESOURCE_TYPE_LINEAR &&
         r->resource.resType != CU_RESOURCE_TYPE_PITCH2D))
        return CUDA_ERROR_INVALID_VALUE;
    *p = r->resource.res.linear.devPtr; /* both have it first */
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!array || !r->bound || r->resource.resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *array = r->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *mipmap, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!mipmap || !r->bound || r->resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    *mipmap = r->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref r, int dim)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!mode || dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = r->texture.addressMode[dim];
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (format)
        *format = r->format;
    if (channels)
        *channels = r->channels;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!least || !most)
        return CUDA_ERROR_INVALID_VALUE;
    *least = r->texture.minMipmapLevelClamp;
    *most = r->texture.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!most)
        return CUDA_ERROR_INVALID_VALUE;
    *most = (int)r->texture.maxAnisotropy;
    return CUDA_SUCCESS;
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref r)
{
    PROF_CALL(__func__);
    REFERENCE(r);
    if (!color)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(color, r->texture.borderColor, sizeof r->texture.borderColor);
    return CUDA_SUCCESS;
}

CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    REFERENCE(r);
    return unit == CU_PARAM_TR_DEFAULT ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
}

/* Surface references: no module of ours has one. */
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
    PROF_CALL(__func__);
    const CUresult r = reference && name ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    return driver_is_module((struct tern_module *)module) ? CUDA_ERROR_NOT_FOUND
                                                          : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags)
{
    PROF_CALL(__func__);
    (void)reference, (void)array, (void)flags;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref reference)
{
    PROF_CALL(__func__);
    (void)reference, (void)array;
    return CUDA_ERROR_INVALID_HANDLE;
}
