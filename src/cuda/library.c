/* Libraries, and kernels of no device yet, in both APIs.
 *
 * A library is the text of a module; the module is made on a device when something of it is first
 * asked for there. A CUkernel is a name in a library, or a kernel of the program itself: on each
 * device it stands for a function. It may stand wherever a CUfunction or a kernel's address may. */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver_int.h"
#include "cuda/image.h"

struct CUkern_st {
    struct tern_kernel head; /* its module is NULL: that tells it from a function */
    struct CUkern_st *next;
    struct CUlib_st *library;        /* NULL: the program's own */
    struct __tern_entry_data *entry; /* of the program */
    const char *name;                /* behind it, or the entry's */
};

struct CUlib_st {
    struct CUlib_st *next;
    struct tern_source source; /* its text is behind it */
    struct tern_module *modules[CUDA_MAX_DEVICES];
    struct CUkern_st *kernels;
};

static struct {
    pthread_mutex_t lock; /* before that of driver_module.c */
    struct CUlib_st *libraries;
    struct CUkern_st *own; /* kernels of the program */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- libraries ---- */

/* Under the lock. */
static bool is_library(const struct CUlib_st *l)
{
    const struct CUlib_st *at = table.libraries;
    while (at && at != l)
        at = at->next;
    return at != NULL;
}

/* Which device a call is for: the current context's, or the one that would be. */
static CUresult device_now(struct tern_device **d)
{
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    return driver_result(cuda_device_at(cuda_current_ordinal(), d));
}

/* The library's module on d. Under the lock. */
static CUresult module_on(struct CUlib_st *l, struct tern_device *d, struct tern_module **out)
{
    CUresult r = CUDA_SUCCESS;
    if (!l->modules[d->ordinal])
        r = driver_load(d, &l->source, true, 0, NULL, NULL, &l->modules[d->ordinal]);
    *out = l->modules[d->ordinal];
    return r;
}

static CUresult open_library(CUlibrary *library, const void *data, size_t size, unsigned n,
                             const CUjit_option *options, void **values)
{
    struct tern_device *d;
    struct image image;
    if (!library || !data || (n && (!options || !values)))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = device_now(&d);
    if (r != CUDA_SUCCESS)
        return r;
    const enum tern_error e = image_open(data, size, &image);
    if (e)
        return driver_result(cuda_from(e));
    const size_t length = image.source.length ? image.source.length : strlen(image.source.text);
    struct CUlib_st *l = calloc(1, sizeof *l + length + 1);
    if (l) {
        l->source = image.source; /* its path is one of a few constant ones */
        l->source.text = memcpy(l + 1, image.source.text, length);
        l->source.length = length;
    }
    free(image.owned);
    if (!l)
        return CUDA_ERROR_OUT_OF_MEMORY;
    r = driver_load(d, &l->source, true, n, options, values, &l->modules[d->ordinal]);
    if (r != CUDA_SUCCESS) {
        free(l);
        return r;
    }
    pthread_mutex_lock(&table.lock);
    l->next = table.libraries;
    table.libraries = l;
    pthread_mutex_unlock(&table.lock);
    *library = l;
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned int noptions, CUlibraryOption *library_options,
                           void **library_values, unsigned int nlibrary_options)
{
    PROF_CALL(__func__);
    (void)library_options, (void)library_values, (void)nlibrary_options; /* hints on memory */
    return open_library(library, image, 0, noptions, options, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                               void **values, unsigned int noptions,
                               CUlibraryOption *library_options, void **library_values,
                               unsigned int nlibrary_options)
{
    PROF_CALL(__func__);
    (void)library_options, (void)library_values, (void)nlibrary_options;
    char *data;
    size_t size;
    CUresult r = driver_read_file(path, &data, &size);
    if (r != CUDA_SUCCESS)
        return r;
    r = open_library(library, data, size, noptions, options, values);
    free(data);
    return r;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&table.lock);
    struct CUlib_st **at = &table.libraries;
    while (*at && *at != library)
        at = &(*at)->next;
    const bool found = *at != NULL;
    if (found)
        *at = library->next;
    pthread_mutex_unlock(&table.lock);
    if (!found)
        return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned k = 0; k < CUDA_MAX_DEVICES; k++)
        if (library->modules[k])
            driver_unload(library->modules[k]);
    for (struct CUkern_st *k = library->kernels, *next; k; k = next) {
        next = k->next;
        if (cuda_handle_add(HANDLE_FUNCTION, k))
            cuda_handle_remove(HANDLE_FUNCTION, k); /* a launch of it is an error */
        free(k);
    }
    free(library);
    return CUDA_SUCCESS;
}

void cuda_libraries_forget(struct tern_device *d)
{
    pthread_mutex_lock(&table.lock);
    for (struct CUlib_st *l = table.libraries; l; l = l->next)
        l->modules[d->ordinal] = NULL; /* the modules themselves go with the device's */
    pthread_mutex_unlock(&table.lock);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_module *m;
    CUresult r = module ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = device_now(&d);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    r = is_library(library) ? module_on(library, d, &m) : CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_unlock(&table.lock);
    if (r == CUDA_SUCCESS)
        *module = (CUmodule)m;
    return r;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name)
{
    PROF_CALL(__func__);
    CUmodule module;
    const CUresult r = name ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r : cuModuleGetGlobal(p, bytes, module, name);
}

/* A managed variable is the host's, too, where the device's memory is. */
CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name)
{
    PROF_CALL(__func__);
    CUmodule module;
    CUresult r = name ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    const struct tern_module *m = (struct tern_module *)module;
    if (!rt_module_is_managed(m->rt, name))
        return CUDA_ERROR_NOT_FOUND;
    if (!(m->device->info.flags & DEV_HOST_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuModuleGetGlobal(p, bytes, module, name);
}

/* Functions that host and device code both call by one address: no image of ours has one. */
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
    PROF_CALL(__func__);
    CUmodule module;
    const CUresult r =
        function && name ? cuLibraryGetModule(&module, library) : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r : CUDA_ERROR_NOT_FOUND;
}

/* ---- kernels ---- */

/* The handle of a library's kernel. Under the lock. */
static CUresult handle(struct CUlib_st *l, const char *name, CUkernel *out)
{
    struct CUkern_st *k = l->kernels;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (!k) {
        const size_t size = strlen(name) + 1;
        k = calloc(1, sizeof *k + size);
        if (!k)
            return CUDA_ERROR_OUT_OF_MEMORY;
        k->library = l;
        k->name = memcpy(k + 1, name, size);
        k->next = l->kernels;
        l->kernels = k;
        cuda_handle_inner(k);
    }
    *out = k;
    return CUDA_SUCCESS;
}

/* Does something with a library's module on the device of now, under the lock. */
struct visit {
    CUresult (*with)(struct visit *v, struct CUlib_st *l, struct tern_module *m);
    const char *name;
    CUkernel *kernels;
    unsigned n;
};

static CUresult visit(struct visit *v, CUlibrary library)
{
    struct tern_device *d;
    struct tern_module *m;
    CUresult r = device_now(&d);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    r = is_library(library) ? module_on(library, d, &m) : CUDA_ERROR_INVALID_HANDLE;
    if (r == CUDA_SUCCESS)
        r = v->with(v, library, m);
    pthread_mutex_unlock(&table.lock);
    return r;
}

static CUresult find_kernel(struct visit *v, struct CUlib_st *l, struct tern_module *m)
{
    const struct rt_kernel *k = rt_module_kernel(m->rt, v->name);
    return k ? handle(l, k->name, v->kernels) : CUDA_ERROR_NOT_FOUND;
}

static CUresult list_kernels(struct visit *v, struct CUlib_st *l, struct tern_module *m)
{
    const size_t n = rt_module_kernel_count(m->rt);
    CUresult r = CUDA_SUCCESS;
    for (size_t k = 0; k < n && k < v->n && v->kernels && r == CUDA_SUCCESS; k++)
        r = handle(l, rt_module_kernel_at(m->rt, k)->name, &v->kernels[k]);
    v->n = (unsigned)n;
    return r;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    PROF_CALL(__func__);
    if (!kernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return visit(&(struct visit){find_kernel, name, kernel, 1}, library);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    PROF_CALL(__func__);
    struct visit v = {list_kernels, NULL, NULL, 0};
    const CUresult r = count ? visit(&v, library) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *count = v.n;
    return r;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int room, CUlibrary library)
{
    PROF_CALL(__func__);
    if (!kernels || !room)
        return CUDA_ERROR_INVALID_VALUE;
    return visit(&(struct visit){list_kernels, NULL, kernels, room}, library);
}

/* Under the lock: the pointer may be anything. */
static const struct CUkern_st *known(const void *p)
{
    for (const struct CUkern_st *k = table.own; k; k = k->next)
        if (k == p)
            return k;
    for (const struct CUlib_st *l = table.libraries; l; l = l->next)
        for (const struct CUkern_st *k = l->kernels; k; k = k->next)
            if (k == p)
                return k;
    return NULL;
}

static CUresult function_on(const void *p, struct tern_device *d, bool *is,
                            struct tern_kernel **out)
{
    struct tern_module *m;
    pthread_mutex_lock(&table.lock);
    const struct CUkern_st *k = known(p);
    struct __tern_entry_data *entry = k ? k->entry : NULL;
    CUresult r = k ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (k && !entry && d) {
        r = module_on(k->library, d, &m);
        const struct rt_kernel *found = r == CUDA_SUCCESS ? rt_module_kernel(m->rt, k->name) : NULL;
        if (r == CUDA_SUCCESS)
            r = found ? driver_result(cuda_hand_out(m, found, out)) : CUDA_ERROR_NOT_FOUND;
    }
    pthread_mutex_unlock(&table.lock);
    *is = k != NULL;
    return entry && d ? driver_result(cuda_function_of(d, entry, out)) : r;
}

cudaError_t cuda_kernel_function(const void *p, bool *is, struct tern_kernel **out)
{
    struct tern_device *d;
    function_on(p, NULL, is, out);
    if (!*is)
        return cudaErrorInvalidDeviceFunction;
    const cudaError_t e = cuda_current(&d);
    return e != cudaSuccess ? e : (cudaError_t)function_on(p, d, is, out);
}

static CUresult on_device(CUkernel kernel, CUdevice device, CUfunction *out)
{
    struct tern_device *d;
    bool is;
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    const CUresult r = driver_result(cuda_device_at(device, &d));
    return r != CUDA_SUCCESS ? r : function_on(kernel, d, &is, (struct tern_kernel **)out);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    PROF_CALL(__func__);
    bool is;
    struct tern_kernel *k = NULL;
    CUresult r = function ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    r = driver_result(cuda_kernel_function(kernel, &is, &k));
    if (r == CUDA_SUCCESS)
        *function = (CUfunction)k;
    return is ? r : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device)
{
    PROF_CALL(__func__);
    CUfunction f;
    const CUresult r = on_device(kernel, device, &f);
    return r != CUDA_SUCCESS ? r : cuFuncGetAttribute(value, attribute, f);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device)
{
    PROF_CALL(__func__);
    CUfunction f;
    const CUresult r = on_device(kernel, device, &f);
    return r != CUDA_SUCCESS ? r : cuFuncSetAttribute(f, attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    PROF_CALL(__func__);
    CUfunction f;
    const CUresult r = on_device(kernel, device, &f);
    return r != CUDA_SUCCESS ? r : cuFuncSetCacheConfig(f, config);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    PROF_CALL(__func__);
    CUfunction f;
    const CUresult r = name ? cuKernelGetFunction(&f, kernel) : CUDA_ERROR_INVALID_VALUE;
    return r != CUDA_SUCCESS ? r : cuFuncGetName(name, f);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    PROF_CALL(__func__);
    CUfunction f;
    const CUresult r = cuKernelGetFunction(&f, kernel);
    return r != CUDA_SUCCESS ? r : cuFuncGetParamInfo(f, index, offset, size);
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    PROF_CALL(__func__);
    if (!library)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&table.lock);
    const struct CUkern_st *k = known(kernel);
    if (k)
        *library = k->library;
    pthread_mutex_unlock(&table.lock);
    return k ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- the runtime API ---- */

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_kernel *k = NULL;
    struct __tern_entry_data *entry = function ? cuda_entry_of(symbol) : NULL;
    cudaError_t e = !function ? cudaErrorInvalidValue
                    : !entry  ? cudaErrorInvalidDeviceFunction
                              : cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_function_of(d, entry, &k);
    if (e == cudaSuccess)
        *function = (cudaFunction_t)k;
    return cuda_return(e);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    PROF_CALL(__func__);
    struct __tern_entry_data *entry = kernel ? cuda_entry_of(symbol) : NULL;
    if (!entry)
        return cuda_return(kernel ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    pthread_mutex_lock(&table.lock);
    struct CUkern_st *k = table.own;
    while (k && k->entry != entry)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        k->entry = entry;
        k->name = cuda_entry_name(entry);
        k->next = table.own;
        table.own = k;
        cuda_handle_inner(k);
    }
    pthread_mutex_unlock(&table.lock);
    *kernel = k;
    return cuda_return(k ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Results have the same numbers. */
static cudaError_t runtime(CUresult r)
{
    return cuda_return((cudaError_t)r);
}

/* The runtime API starts by itself. */
static cudaError_t start(void)
{
    struct tern_device *d;
    return cuda_current(&d);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image,
                                enum cudaJitOption *options, void **values, unsigned int noptions,
                                enum cudaLibraryOption *library_options, void **library_values,
                                unsigned int nlibrary_options)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    (void)library_options, (void)library_values, (void)nlibrary_options;
    return e != cudaSuccess ? cuda_return(e)
                            : runtime(open_library(library, image, 0, noptions,
                                                   (const CUjit_option *)options, values));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *options, void **values,
                                    unsigned int noptions, enum cudaLibraryOption *library_options,
                                    void **library_values, unsigned int nlibrary_options)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    return e != cudaSuccess
               ? cuda_return(e)
               : runtime(cuLibraryLoadFromFile(library, path, (CUjit_option *)options, values,
                                               noptions, (CUlibraryOption *)library_options,
                                               library_values, nlibrary_options));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    PROF_CALL(__func__);
    return runtime(cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    PROF_CALL(__func__);
    return runtime(cuLibraryGetKernel(kernel, library, name));
}

cudaError_t cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    return e != cudaSuccess ? cuda_return(e)
                            : runtime(cuLibraryGetGlobal((CUdeviceptr *)p, bytes, library, name));
}

cudaError_t cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t library, const char *name)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    return e != cudaSuccess ? cuda_return(e)
                            : runtime(cuLibraryGetManaged((CUdeviceptr *)p, bytes, library, name));
}

cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *name)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    return e != cudaSuccess ? cuda_return(e)
                            : runtime(cuLibraryGetUnifiedFunction(function, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    PROF_CALL(__func__);
    return runtime(cuLibraryGetKernelCount(count, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int room,
                                        cudaLibrary_t library)
{
    PROF_CALL(__func__);
    return runtime(cuLibraryEnumerateKernels(kernels, room, library));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device)
{
    PROF_CALL(__func__);
    const cudaError_t e = start();
    return e != cudaSuccess ? cuda_return(e)
                            : runtime(cuKernelSetAttribute((CUfunction_attribute)attribute, value,
                                                           kernel, device));
}
