/* What programs built by nvcc call before main: each source file's fat binary registers itself,
 * then its kernels, by the addresses of their stubs, and its variables. A fat binary becomes a unit
 * as terncc's are, whose text is the PTX inside; it is decoded and compiled when first needed. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"
#include "rt/fatbin.h"

#define WRAPPER_MAGIC 0x466243b1u
struct wrapper { /* what __cudaRegisterFatBinary is given */
    uint32_t magic, version;
    const void *image;
    void *more; /* version 2: the fat binaries of separately compiled objects */
};

struct binary { /* a handle points at one */
    void *first;
    struct __tern_unit unit;
    const void *const *parts; /* images of objects that nvcc linked (-rdc=true), NULL behind them */
    char path[32];
};

/* Stubs by address: open addressing, grown when half full. */
static struct {
    pthread_mutex_t lock;
    struct slot {
        const void *address;
        struct __tern_entry_data *entry;
        bool found; /* it did not register with its stub */
    } * slots;
    size_t cap, used;
    bool any_found;
    unsigned binaries;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct slot *slot_of(struct slot *slots, size_t cap, const void *address)
{
    size_t k = (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);
    while (slots[k].address && slots[k].address != address)
        k = (k + 1) & (cap - 1);
    return &slots[k];
}

static bool remember(const void *address, struct __tern_entry_data *entry, bool found)
{
    if (2 * table.used >= table.cap) {
        size_t cap = table.cap ? 2 * table.cap : 256;
        struct slot *slots = calloc(cap, sizeof *slots);
        if (!slots)
            return false;
        for (size_t k = 0; k < table.cap; k++)
            if (table.slots[k].address)
                *slot_of(slots, cap, table.slots[k].address) = table.slots[k];
        free(table.slots);
        table.slots = slots;
        table.cap = cap;
    }
    struct slot *s = slot_of(table.slots, table.cap, address);
    table.used += !s->address;
    *s = (struct slot){address, entry,
                       found}; /* a library loaded where another was takes its place */
    return true;
}

struct __tern_entry_data *cuda_registered(const void *func)
{
    if (!__atomic_load_n(&table.cap, __ATOMIC_ACQUIRE))
        return NULL;
    pthread_mutex_lock(&table.lock);
    struct __tern_entry_data *e = slot_of(table.slots, table.cap, func)->entry;
    pthread_mutex_unlock(&table.lock);
    return e;
}

void cuda_register_stub(struct __tern_entry_data *e, const void *stub)
{
    __tern_register_kernel(e);
    pthread_mutex_lock(&table.lock);
    if (!remember(stub, e, false) || !remember(e, e, false))
        cuda_say("tern: no memory to register a kernel\n");
    pthread_mutex_unlock(&table.lock);
}

void cuda_remember_stub(struct __tern_entry_data *e, const void *stub)
{
    pthread_mutex_lock(&table.lock);
    if (remember(stub, e, true)) /* without memory it is found out again */
        __atomic_store_n(&table.any_found, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&table.lock);
}

void cuda_forget_stubs(void)
{
    if (!__atomic_load_n(&table.any_found, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&table.lock);
    for (size_t k = 0; k < table.cap; k++)
        if (table.slots[k].found)
            table.slots[k].entry = NULL;
    __atomic_store_n(&table.any_found, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&table.lock);
}

static cudaError_t refuse(enum tern_error e, const char *why)
{
    char line[300];
    snprintf(line, sizeof line, "tern: %s\n", why);
    cuda_say(line);
    return e == TERN_UNSUPPORTED ? cudaErrorNoKernelImageForDevice : cuda_from(e);
}

/* Objects that were linked: the PTX of each, one behind the other, which the front end links.
 * NVIDIA's device runtime, which nvcc adds, is left out: what it does is ours to do. */
static cudaError_t decode_parts(const void *const *parts, char **ptx, size_t *len)
{
    char why[256] = "a program was linked without any object";
    enum tern_error e = TERN_INVALID_IMAGE;
    *ptx = NULL;
    *len = 0;
    for (; *parts; parts++) {
        char *text;
        size_t n;
        enum tern_error here = fatbin_ptx(*parts, SIZE_MAX, &text, &n, why);
        if (here == TERN_UNSUPPORTED) { /* machine code only: what is missed is named when called */
            e = *ptx ? TERN_OK : here;
            continue;
        }
        if (here) {
            free(*ptx);
            return refuse(here, why);
        }
        const bool runtime = strstr(text, "__cuda_syscall_cnp");
        char *all = runtime ? *ptx : realloc(*ptx, *len + n + 2);
        if (!runtime && all) {
            memcpy(all + *len, text, n);
            memcpy(all + *len + n, "\n", 2);
            *len += n + 1;
            e = TERN_OK;
        } else if (!runtime) {
            free(*ptx);
            free(text);
            return refuse(TERN_OUT_OF_MEMORY, "no memory for the PTX of a fat binary");
        }
        *ptx = all;
        free(text);
    }
    return e ? refuse(e, why) : cudaSuccess;
}

cudaError_t cuda_decode_fatbin(const struct __tern_unit *u, char **ptx, size_t *len)
{
    const struct binary *b =
        (const void *)((const char *)u - offsetof(struct binary, unit)); /* all of them are ours */
    char why[256];
    if (b->parts)
        return decode_parts(b->parts, ptx, len);
    enum tern_error e = fatbin_ptx(u->begin, SIZE_MAX, ptx, len, why);
    return e ? refuse(e, why) : cudaSuccess;
}

/* ---- called by the program ---- */
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, uint3 *thread, uint3 *block,
                            dim3 *block_size, dim3 *grid_size, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name,
                       int external, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name,
                              int external, size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(void **kernel, const void *stub);
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

void **__cudaRegisterFatBinary(void *fat)
{
    const struct wrapper *w = fat;
    struct binary *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    pthread_mutex_lock(&table.lock);
    unsigned n = ++table.binaries;
    pthread_mutex_unlock(&table.lock);
    snprintf(b->path, sizeof b->path, "fatbin%u.ptx", n);
    b->unit = (struct __tern_unit){.begin = w->magic == WRAPPER_MAGIC ? w->image : fat,
                                   .path = b->path,
                                   .flags = __TERN_UNIT_FATBIN};
    b->unit.end = b->unit.begin;
    if (w->magic == WRAPPER_MAGIC && w->version == 2)
        b->parts = w->more;
    return &b->first;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Units stay: a program that ends needs no order, and one that unloads a library may still have
 * kernels of it under way. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, uint3 *thread, uint3 *block,
                            dim3 *block_size, dim3 *grid_size, int *warp)
{
    struct __tern_entry_data *e = calloc(1, sizeof *e);
    (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_size;
    (void)grid_size, (void)warp;
    if (!e || !handle)
        return;
    e->unit = &((struct binary *)handle)->unit;
    e->tag = name;
    cuda_register_stub(e, stub);
}

static void add_variable(void **handle, const void *host, const char *name, size_t size, int kind)
{
    struct __tern_variable_data *v = calloc(1, sizeof *v);
    if (!v || !handle)
        return;
    *v = (struct __tern_variable_data){.unit = &((struct binary *)handle)->unit,
                                       .host = host,
                                       .name = name,
                                       .size = size,
                                       .kind = kind};
    if (kind == 2 && !cuda_managed_away(v))
        return; /* of no memory: a launch that needs it is refused */
    __tern_register_variable(v);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name,
                       int external, size_t size, int constant, int global)
{
    (void)device_address, (void)external, (void)global;
    add_variable(handle, host, name, size, constant ? 1 : 0);
}

/* The program reaches a managed variable through a pointer that we set. Its first value is in the
 * device's half: __cudaInitModule, which the program calls before it looks, fetches it. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    void *room = calloc(1, size ? size : 1);
    if (!room)
        return;
    *host = room;
    add_variable(handle, room, name, size, 2);
}

char __cudaInitModule(void **handle)
{
    struct tern_device *d;
    if (!handle || cuda_current(&d) != cudaSuccess)
        return 0;
    return cuda_managed_first(d, &((struct binary *)handle)->unit) == cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    return (unsigned)__tern_push_configuration(grid, block, shared, stream);
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    return cuda_pop_configuration(grid, block, shared, stream)
               ? cudaSuccess
               : cuda_return(cudaErrorMissingConfiguration);
}

cudaError_t __cudaGetKernel(void **kernel, const void *stub)
{
    *kernel = cuda_registered(stub);
    return *kernel ? cudaSuccess : cuda_return(cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
