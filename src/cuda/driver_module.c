/* The driver API: modules, functions, launches. A CUmodule is a struct tern_module, a CUfunction a
 * struct tern_kernel, or a CUkernel (library.c), which stands for its function on the current
 * device. Kernels and modules of the program itself (launch.c) have such handles, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver_int.h"
#include "cuda/image.h"

static struct {
    pthread_mutex_t lock;
    struct tern_module *modules;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- modules ---- */

static void write_log(struct tern_device *d, bool failed, unsigned n, const CUjit_option *options,
                      void **values)
{
    char *error = NULL, *info = NULL;
    size_t error_bytes = 0, info_bytes = 0;
    for (unsigned k = 0; k < n; k++)
        switch (options[k]) {
        case CU_JIT_ERROR_LOG_BUFFER: error = values[k]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            error_bytes = (unsigned)(uintptr_t)values[k];
            break;
        case CU_JIT_INFO_LOG_BUFFER: info = values[k]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: info_bytes = (unsigned)(uintptr_t)values[k]; break;
        default: break; /* hints on code generation */
        }
    if (info && info_bytes)
        info[0] = 0;
    if (error && error_bytes) {
        error[0] = 0;
        if (failed)
            tern_message(d->context, error, error_bytes);
    }
    for (unsigned k = 0; k < n; k++) /* how much was written comes back in the same place */
        if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            values[k] = (void *)(uintptr_t)(error && error_bytes ? strlen(error) : 0);
        else if (options[k] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
            values[k] = NULL;
}

static void add_module(struct tern_module *m)
{
    pthread_mutex_lock(&table.lock);
    m->next = table.modules;
    table.modules = m;
    pthread_mutex_unlock(&table.lock);
}

CUresult driver_load(struct tern_device *d, const struct tern_source *source, bool lent, unsigned n,
                     const CUjit_option *options, void **values, struct tern_module **out)
{
    struct tern_module *m;
    const enum tern_error e = tern_module_new(d, source, &m);
    write_log(d, e != TERN_OK, n, options, values);
    if (e)
        return driver_result(cuda_from(e));
    m->lent = lent;
    add_module(m);
    *out = m;
    return CUDA_SUCCESS;
}

static CUresult load(const void *data, size_t size, unsigned n, const CUjit_option *options,
                     void **values, struct tern_module **out)
{
    struct tern_device *d;
    struct image image;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!out || !data || (n && (!options || !values)))
        return CUDA_ERROR_INVALID_VALUE;
    r = driver_result(cuda_current(&d));
    if (r != CUDA_SUCCESS)
        return r;
    const enum tern_error e = image_open(data, size, &image);
    if (e)
        return driver_result(cuda_from(e));
    r = driver_load(d, &image.source, false, n, options, values, out);
    free(image.owned);
    return r;
}

bool driver_is_module(const struct tern_module *m)
{
    pthread_mutex_lock(&table.lock);
    const struct tern_module *at = table.modules;
    while (at && at != m)
        at = at->next;
    pthread_mutex_unlock(&table.lock);
    return at != NULL;
}

bool cuda_find_module_variable(uint64_t p, uint64_t size, struct cuda_range *out)
{
    bool found = false;
    pthread_mutex_lock(&table.lock);
    for (struct tern_module *m = table.modules; m && !found; m = m->next) {
        found = rt_module_variable(m->rt, p, size, &out->at, &out->size);
        out->device = (int)m->device->ordinal;
    }
    pthread_mutex_unlock(&table.lock);
    return found;
}

/* Its functions are gone with it. */
static void drop_module(struct tern_module *m)
{
    for (const struct tern_kernel *k = m->kernels; k; k = k->next)
        cuda_handle_remove(HANDLE_FUNCTION, k);
    driver_module_gone(m);
    tern_module_free(m);
}

/* A function is handed out: it is alive, whatever had its address before. */
cudaError_t cuda_hand_out(struct tern_module *m, const struct rt_kernel *found,
                          struct tern_kernel **out)
{
    const cudaError_t e = cuda_from(module_handle(m, found, out));
    return e != cudaSuccess || cuda_handle_add(HANDLE_FUNCTION, *out) ? e
                                                                      : cudaErrorMemoryAllocation;
}

static void free_modules(struct tern_device *d, bool borrowed_only)
{
    pthread_mutex_lock(&table.lock);
    for (struct tern_module **at = &table.modules; *at;) {
        struct tern_module *m = *at;
        if (m->device == d && (m->borrowed || !borrowed_only)) {
            *at = m->next;
            drop_module(m);
        } else {
            at = &m->next;
        }
    }
    pthread_mutex_unlock(&table.lock);
}

/* The device is about to close: its modules go, their handles with them. */
void cuda_driver_modules_free(struct tern_device *d)
{
    cuda_libraries_forget(d);
    free_modules(d, false);
}

void cuda_borrowed_forget(struct tern_device *d)
{
    free_modules(d, true);
}

cudaError_t cuda_function_of(struct tern_device *d, struct __tern_entry_data *entry,
                             struct tern_kernel **out)
{
    const struct rt_kernel *k;
    struct rt_module *rt;
    const cudaError_t e = cuda_entry_kernel(d, entry, &k, &rt);
    if (e != cudaSuccess)
        return e;
    pthread_mutex_lock(&table.lock);
    struct tern_module *m = table.modules;
    while (m && !(m->borrowed && m->rt == rt))
        m = m->next;
    if (!m && (m = module_borrow(d, rt))) {
        m->next = table.modules;
        table.modules = m;
    }
    pthread_mutex_unlock(&table.lock);
    return m ? cuda_hand_out(m, k, out) : cudaErrorMemoryAllocation;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    PROF_CALL(__func__);
    return load(image, 0, 0, NULL, NULL, (struct tern_module **)module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int noptions,
                            CUjit_option *options, void **values)
{
    PROF_CALL(__func__);
    return load(image, 0, noptions, options, values, (struct tern_module **)module);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    PROF_CALL(__func__);
    return cuModuleLoadData(module, image);
}

enum { MAX_IMAGE = 1 << 30 };

CUresult driver_read_file(const char *path, char **out, size_t *size)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    if (!f)
        return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    char *data = NULL;
    size_t n = 0, cap = 0;
    CUresult r = CUDA_SUCCESS;
    for (;;) {
        if (n + 1 >= cap) {
            cap = cap ? 2 * cap : 65536;
            char *grown = realloc(data, cap);
            if (!grown) {
                r = CUDA_ERROR_OUT_OF_MEMORY;
                break;
            }
            data = grown;
        }
        size_t k = fread(data + n, 1, cap - n - 1, f);
        n += k;
        if (n > MAX_IMAGE) { /* /dev/zero has no end */
            r = CUDA_ERROR_INVALID_IMAGE;
            break;
        }
        if (!k)
            break;
    }
    if (r == CUDA_SUCCESS && ferror(f))
        r = CUDA_ERROR_OPERATING_SYSTEM;
    fclose(f);
    if (r != CUDA_SUCCESS) {
        free(data);
        return r;
    }
    data[n] = 0;
    *out = data;
    *size = n;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    PROF_CALL(__func__);
    char *data;
    size_t size;
    CUresult r = driver_read_file(path, &data, &size);
    if (r != CUDA_SUCCESS)
        return r;
    r = load(data, size, 0, NULL, NULL, (struct tern_module **)module);
    free(data);
    return r;
}

CUresult cuModuleUnload(CUmodule module)
{
    PROF_CALL(__func__);
    struct tern_module *m = (struct tern_module *)module;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!driver_is_module(m) || m->lent) /* a library's goes with the library */
        return CUDA_ERROR_INVALID_HANDLE;
    driver_unload(m);
    return CUDA_SUCCESS;
}

void driver_unload(struct tern_module *m)
{
    pthread_mutex_lock(&table.lock);
    struct tern_module **at = &table.modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    pthread_mutex_unlock(&table.lock);
    drop_module(m);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    PROF_CALL(__func__);
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_module((struct tern_module *)module))
        return CUDA_ERROR_INVALID_HANDLE;
    r = driver_result(cuda_from(tern_module_kernel((struct tern_module *)module, name, &k)));
    if (r == CUDA_SUCCESS && !cuda_handle_add(HANDLE_FUNCTION, k))
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (r == CUDA_SUCCESS)
        *function = (CUfunction)k;
    return r;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    PROF_CALL(__func__);
    const struct tern_module *m = (struct tern_module *)module;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!count || !driver_is_module(m))
        return count ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *count = (unsigned)rt_module_kernel_count(m->rt);
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int room, CUmodule module)
{
    PROF_CALL(__func__);
    struct tern_module *m = (struct tern_module *)module;
    unsigned n = 0;
    CUresult r =
        functions && room ? cuModuleGetFunctionCount(&n, module) : CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; r == CUDA_SUCCESS && k < n && k < room; k++) {
        struct tern_kernel *f;
        r = driver_result(cuda_hand_out(m, rt_module_kernel_at(m->rt, k), &f));
        functions[k] = (CUfunction)f;
    }
    return r;
}

CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name)
{
    PROF_CALL(__func__);
    uint64_t at = 0, size = 0;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_module((struct tern_module *)module))
        return CUDA_ERROR_INVALID_HANDLE;
    r = driver_result(
        cuda_from(tern_module_variable((struct tern_module *)module, name, &at, &size)));
    if (r == CUDA_SUCCESS && p)
        *p = at;
    if (r == CUDA_SUCCESS && bytes)
        *bytes = size;
    return r;
}

/* ---- linking: one PTX text, which is the image ---- */

struct CUlinkState_st {
    char *image;
    size_t size;
};

CUresult cuLinkCreate(unsigned int noptions, CUjit_option *options, void **values,
                      CUlinkState *state)
{
    PROF_CALL(__func__);
    (void)noptions, (void)options, (void)values; /* what a later load is told again */
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    *state = calloc(1, sizeof **state);
    return *state ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int noptions, CUjit_option *options,
                       void **values)
{
    PROF_CALL(__func__);
    (void)name, (void)noptions, (void)options, (void)values;
    if (!state || !data || !size)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_PTX)
        return CUDA_ERROR_INVALID_IMAGE;
    if (state->image) /* several texts would have to be joined */
        return CUDA_ERROR_NOT_SUPPORTED;
    state->image = malloc(size + 1);
    if (!state->image)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(state->image, data, size);
    state->image[size] = 0;
    state->size = size;
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int noptions, CUjit_option *options, void **values)
{
    PROF_CALL(__func__);
    char *data;
    size_t size;
    CUresult r = driver_read_file(path, &data, &size);
    if (r != CUDA_SUCCESS)
        return r;
    r = cuLinkAddData(state, type, data, size, path, noptions, options, values);
    free(data);
    return r;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    PROF_CALL(__func__);
    if (!state || !image || !state->image)
        return CUDA_ERROR_INVALID_VALUE;
    *image = state->image;
    if (size)
        *size = state->size;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    PROF_CALL(__func__);
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    free(state->image);
    free(state);
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

/* Arguments come as pointers, or packed as the kernel declares them. */
cudaError_t cuda_packed_params(void **extra, const struct rt_kernel *k, char *params)
{
    const char *buffer = NULL;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    if (k->param_bytes > API_MAX_PARAM_BYTES)
        return cudaErrorInvalidValue;
    for (uint32_t n = 0; n < k->nparams; n++) {
        const struct rt_param *p = &k->params[n];
        if (!buffer || p->offset + p->size > size)
            return cudaErrorInvalidValue;
        memcpy(params + p->offset, buffer + p->offset, p->size);
    }
    return cudaSuccess;
}

const struct tern_kernel *cuda_is_function(const void *f)
{
    const struct tern_kernel *found = NULL;
    pthread_mutex_lock(&table.lock);
    for (struct tern_module *m = table.modules; m && !found; m = m->next)
        for (const struct tern_kernel *k = m->kernels; k && !found; k = k->next)
            found = (const void *)k == f ? k : NULL;
    pthread_mutex_unlock(&table.lock);
    return found;
}

/* What is told apart by its first word: a kernel of no device yet has no module. */
CUresult driver_function(CUfunction f, struct tern_kernel **out)
{
    bool is;
    *out = (struct tern_kernel *)f;
    if (cuda_handle_gone(f)) /* or its module is */
        return CUDA_ERROR_INVALID_HANDLE;
    if ((*out)->module)
        return CUDA_SUCCESS;
    const cudaError_t e = cuda_kernel_function(f, &is, out);
    return is ? driver_result(e) : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult launch(CUfunction f, const CUlaunchConfig *c, bool cooperative, void **params,
                       void **extra)
{
    struct tern_kernel *k;
    struct tern_stream *s;
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS)
        r = driver_function(f, &k);
    if (r != CUDA_SUCCESS)
        return r;
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    struct dev_launch shape = {.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                               .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                               .shared = c->sharedMemBytes,
                               .cooperative = cooperative};
    for (unsigned n = 0; n < c->numAttrs; n++)
        cuda_shape_set(&shape, (enum cudaLaunchAttributeID)c->attrs[n].id,
                       (const union cudaLaunchAttributeValue *)&c->attrs[n].value);
    r = driver_result(cuda_current_stream(c->hStream, &s));
    if (r == CUDA_SUCCESS && s->device != k->module->device)
        r = CUDA_ERROR_INVALID_HANDLE;
    _Alignas(16) char block[API_MAX_PARAM_BYTES];
    if (r == CUDA_SUCCESS && extra) {
        r = driver_result(cuda_packed_params(extra, k->rt, block));
        shape.params = block;
    }
    if (r != CUDA_SUCCESS)
        return r;
    return driver_result(cuda_submit_kernel(s, k->rt, k, &shape, params));
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                        unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                        CUstream stream, void **params, void **extra)
{
    PROF_CALL(__func__);
    return launch(f, &(CUlaunchConfig){gx, gy, gz, bx, by, bz, shared, stream, NULL, 0}, false,
                  params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    PROF_CALL(__func__);
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    return launch(f, config, false, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                                   unsigned int bx, unsigned int by, unsigned int bz,
                                   unsigned int shared, CUstream stream, void **params)
{
    PROF_CALL(__func__);
    return launch(f, &(CUlaunchConfig){gx, gy, gz, bx, by, bz, shared, stream, NULL, 0}, true,
                  params, NULL);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaLaunchHostFunc(stream, fn, data));
}

/* ---- functions ---- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    struct cudaFuncAttributes a;
    const CUresult r = value ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    cuda_kernel_attributes(k->module->device, k->rt, &a);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)a.sharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)a.constSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)a.localSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = a.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = a.cacheModeCA; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)k->rt->cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = 0; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = driver_function(f, &k);
    if (r != CUDA_SUCCESS)
        return r;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return driver_result(cuda_allow_shared(k->module->device, k->rt, value));
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        if (value < 0)
            return CUDA_ERROR_INVALID_VALUE;
        rt_kernel_set_cluster(k->rt, (unsigned)attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                              (uint32_t)value);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return CUDA_SUCCESS; /* preferences */
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config)
{
    PROF_CALL(__func__);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; /* a preference */
}

CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config)
{
    PROF_CALL(__func__);
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction f)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = module ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *module = (CUmodule)k->module;
    return r;
}

CUresult cuFuncGetName(const char **name, CUfunction f)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = name ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *name = k->rt->name;
    return r;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *size)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = offset ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    if (index >= k->rt->nparams)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = k->rt->params[index].offset;
    if (size)
        *size = k->rt->params[index].size;
    return CUDA_SUCCESS;
}

/* Modules are built and loaded when they are opened: nothing is left to be loaded later. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = state ? driver_function(f, &k) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return r;
}

CUresult cuFuncLoad(CUfunction f)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    return driver_function(f, &k);
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f,
                                                              int threads, size_t shared,
                                                              unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = driver_function(f, &k);
    if (r != CUDA_SUCCESS || !blocks || threads <= 0 || flags & ~1u)
        return r != CUDA_SUCCESS ? r : CUDA_ERROR_INVALID_VALUE;
    return driver_result(
        cuda_kernel_occupancy(k->module->device, k->rt, (uint32_t)threads, shared, blocks));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                     size_t shared)
{
    PROF_CALL(__func__);
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

/* The largest block that keeps the most threads at work. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                   CUoccupancyB2DSize size, size_t shared,
                                                   int limit, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    CUresult r = driver_function(f, &k);
    if (r != CUDA_SUCCESS || !grid || !block || flags & ~1u)
        return r != CUDA_SUCCESS ? r : CUDA_ERROR_INVALID_VALUE;
    struct cudaFuncAttributes a;
    cuda_kernel_attributes(k->module->device, k->rt, &a);
    const int warp = (int)k->module->device->info.warp_size;
    int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock, best = 0;
    for (int threads = most; threads > 0;
         threads = threads % warp ? threads / warp * warp : threads - warp) {
        int blocks = 0;
        r = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads,
                                                        size ? size(threads) : shared);
        if (r != CUDA_SUCCESS)
            return r;
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * (int)k->module->device->info.units;
        }
    }
    return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                          CUoccupancyB2DSize size, size_t shared, int limit)
{
    PROF_CALL(__func__);
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, size, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction f, int blocks,
                                                 int threads)
{
    PROF_CALL(__func__);
    struct tern_kernel *k;
    const CUresult r = driver_function(f, &k);
    if (r != CUDA_SUCCESS || !shared || blocks <= 0 || threads <= 0)
        return r != CUDA_SUCCESS ? r : CUDA_ERROR_INVALID_VALUE;
    const uint32_t whole = k->module->device->info.shared_per_block, fixed = k->rt->static_shared;
    const uint32_t share = whole / (uint32_t)blocks;
    *shared = share > fixed ? share - fixed : 0;
    return CUDA_SUCCESS;
}

/* ---- clusters: as the runtime API counts them ---- */

static CUresult cluster_config(const CUlaunchConfig *c, cudaLaunchConfig_t *out,
                               cudaLaunchAttribute *cluster)
{
    if (!c || (c->numAttrs && !c->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    *out = (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .attrs = cluster};
    for (unsigned n = 0; n < c->numAttrs; n++)
        if (c->attrs[n].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            cluster->id = cudaLaunchAttributeClusterDimension;
            cluster->val.clusterDim.x = c->attrs[n].value.clusterDim.x;
            cluster->val.clusterDim.y = c->attrs[n].value.clusterDim.y;
            cluster->val.clusterDim.z = c->attrs[n].value.clusterDim.z;
            out->numAttrs = 1;
        }
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config)
{
    PROF_CALL(__func__);
    cudaLaunchConfig_t c;
    cudaLaunchAttribute cluster;
    const CUresult r = cluster_config(config, &c, &cluster);
    if (r != CUDA_SUCCESS)
        return r;
    RETURN_RUNTIME(cudaOccupancyMaxActiveClusters(clusters, f, &c));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config)
{
    PROF_CALL(__func__);
    cudaLaunchConfig_t c;
    cudaLaunchAttribute cluster;
    const CUresult r = cluster_config(config, &c, &cluster);
    if (r != CUDA_SUCCESS)
        return r;
    RETURN_RUNTIME(cudaOccupancyMaxPotentialClusterSize(size, f, &c));
}
