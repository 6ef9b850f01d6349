/* Addresses and memory apart (cuMemAddressReserve, cuMemCreate, cuMemMap, …), on devices whose
 * addresses are the host's: addresses are reserved pages without access, memory is a file without a
 * name, and mapping is mmap. The file's descriptor is what other processes are given.
 *
 * Neighbouring mappings of the same memory's device and the same access are one range to all the
 * rest (a run): copies may go across them. Runs are made anew when a reservation changes. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/driver_int.h"

enum { GRANULE = 1 << 16, RECOMMENDED = 1 << 21 }; /* a multiple of every size of pages */

struct memory { /* a handle points at one */
    struct memory *next;
    int fd;
    uint64_t size;
    unsigned handles, mappings; /* it goes when there are none of both */
    CUmemAllocationProp prop;
};

struct mapping {
    struct mapping *next; /* by address */
    uint64_t at, size;
    struct memory *memory;
    unsigned char access[CUDA_MAX_DEVICES]; /* CUmemAccess_flags */
};

struct run {
    struct run *next;
    uint64_t at, size;
    unsigned char access[CUDA_MAX_DEVICES];
};

struct reservation {
    struct reservation *next;
    uint64_t at, size;
    struct mapping *mappings;
    struct run *runs;
};

static struct {
    pthread_mutex_t lock;
    struct reservation *reservations;
    struct memory *memories;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool cuda_maps_memory(const struct tern_device *d)
{
    return d->rt.driver->share && d->info.flags & DEV_HOST_MEMORY;
}

/* ---- what the rest knows of it ---- */

static struct tern_device *device_at(int ordinal)
{
    struct tern_device *d;
    return cuda_device_at(ordinal, &d) == cudaSuccess ? d : NULL;
}

static void drop_runs(struct reservation *v)
{
    for (struct run *r = v->runs, *next; r; r = next) {
        struct cuda_range range;
        next = r->next;
        cuda_forget((void *)(uintptr_t)r->at, &range);
        for (int k = 0; k < cuda_device_total(); k++) {
            struct tern_device *d = r->access[k] ? device_at(k) : NULL;
            if (d)
                d->rt.driver->unshare(d->rt.dev, r->at);
        }
        free(r);
    }
    v->runs = NULL;
}

static bool any_access(const unsigned char *access)
{
    static const unsigned char none[CUDA_MAX_DEVICES];
    return memcmp(access, none, sizeof none) != 0;
}

static CUresult show_run(struct reservation *v, const struct mapping *first, uint64_t size)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return CUDA_ERROR_OUT_OF_MEMORY;
    r->at = first->at;
    r->size = size;
    CUresult e = CUDA_SUCCESS;
    for (int k = 0; k < cuda_device_total() && e == CUDA_SUCCESS; k++) {
        struct tern_device *d = first->access[k] ? device_at(k) : NULL;
        if (!d)
            continue;
        const bool writes = first->access[k] == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        e = driver_result(
            cuda_from(d->rt.driver->share(d->rt.dev, (void *)(uintptr_t)r->at, r->size, writes)));
        if (e == CUDA_SUCCESS)
            r->access[k] = first->access[k];
    }
    const struct cuda_range range = {.at = r->at,
                                     .size = r->size,
                                     .kind = CUDA_DEVICE,
                                     .device = first->memory->prop.location.id,
                                     .flags = CUDA_NOT_OURS};
    if (e == CUDA_SUCCESS && !cuda_remember(&range))
        e = CUDA_ERROR_OUT_OF_MEMORY;
    r->next = v->runs;
    v->runs = r;
    return e;
}

/* Under the lock. */
static CUresult renew_runs(struct reservation *v)
{
    CUresult e = CUDA_SUCCESS;
    drop_runs(v);
    for (const struct mapping *m = v->mappings, *next; m && e == CUDA_SUCCESS; m = next) {
        uint64_t end = m->at + m->size;
        for (next = m->next; next && next->at == end &&
                             next->memory->prop.location.id == m->memory->prop.location.id &&
                             !memcmp(next->access, m->access, sizeof m->access);
             next = next->next)
            end += next->size;
        if (any_access(m->access))
            e = show_run(v, m, end - m->at);
    }
    return e;
}

/* ---- memory ---- */

/* Under the lock. */
static struct memory *memory_of(CUmemGenericAllocationHandle handle)
{
    struct memory *m = table.memories;
    while (m && (uintptr_t)m != handle)
        m = m->next;
    return m && m->handles ? m : NULL;
}

static void drop_if_unused(struct memory *m)
{
    if (m->handles || m->mappings)
        return;
    struct memory **at = &table.memories;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    close(m->fd);
    free(m);
}

/* Whether memory of these properties can be made. Without a context: they name the device. */
static CUresult check_prop(const CUmemAllocationProp *p)
{
    struct tern_device *d;
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_device(p->location.id);
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_device_at(p->location.id, &d));
    if (r != CUDA_SUCCESS)
        return r;
    if (!cuda_maps_memory(d) ||
        (unsigned)p->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    return p->allocFlags.compressionType ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult add_memory(int fd, uint64_t size, const CUmemAllocationProp *prop,
                           CUmemGenericAllocationHandle *handle)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m) {
        close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    m->fd = fd;
    m->size = size;
    m->handles = 1;
    m->prop = *prop;
    pthread_mutex_lock(&table.lock);
    m->next = table.memories;
    table.memories = m;
    pthread_mutex_unlock(&table.lock);
    *handle = (uintptr_t)m;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
    PROF_CALL(__func__);
    const CUresult r = granularity && (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
                           ? check_prop(prop)
                           : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *granularity = option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED ? RECOMMENDED : GRANULE;
    return r;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    CUresult r = handle && size && !flags ? check_prop(prop) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS && size % GRANULE)
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_device_at(prop->location.id, &d));
    if (r != CUDA_SUCCESS)
        return r;
    if (d->info.memory && size > d->info.memory) /* where the system would promise anything */
        return CUDA_ERROR_OUT_OF_MEMORY;
    device_use(d);
    const int fd = memfd_create("device memory", MFD_CLOEXEC);
    if (fd < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (ftruncate(fd, (off_t)size)) {
        close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return add_memory(fd, size, prop, handle);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&table.lock);
    struct memory *m = memory_of(handle);
    if (m) {
        m->handles--;
        drop_if_unused(m);
    }
    pthread_mutex_unlock(&table.lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&table.lock);
    const struct memory *m = prop ? memory_of(handle) : NULL;
    if (m)
        *prop = m->prop;
    pthread_mutex_unlock(&table.lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- between processes ---- */

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    PROF_CALL(__func__);
    if (!shareable || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&table.lock);
    const struct memory *m = memory_of(handle);
    const bool asked =
        m && m->prop.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const int fd = asked ? dup(m->fd) : -1; /* the program closes it */
    pthread_mutex_unlock(&table.lock);
    if (fd < 0)
        return asked ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_INVALID_VALUE;
    *(int *)shareable = fd;
    return CUDA_SUCCESS;
}

/* The memory is on the current device. */
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type)
{
    PROF_CALL(__func__);
    struct stat st;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, cuda_current_ordinal()}};
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    const CUresult r = check_prop(&prop);
    if (r != CUDA_SUCCESS)
        return r;
    const int fd = dup((int)(intptr_t)shareable);
    if (fd < 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (fstat(fd, &st) || st.st_size <= 0 || st.st_size % GRANULE) { /* it is none of ours */
        close(fd);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return add_memory(fd, (uint64_t)st.st_size, &prop, handle);
}

/* ---- addresses ---- */

/* Pages without access, at a multiple of align. */
static void *reserve(uint64_t size, uint64_t align, uint64_t wish)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (wish && wish % align == 0) {
        void *p =
            mmap((void *)(uintptr_t)wish, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (p != MAP_FAILED && (uintptr_t)p == wish)
            return p;
        if (p != MAP_FAILED)
            munmap(p, size);
    }
    char *p = mmap(NULL, size + align, PROT_NONE, flags, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    const uintptr_t at = ((uintptr_t)p + align - 1) / align * align, before = at - (uintptr_t)p;
    if (before)
        munmap(p, before);
    if (align - before)
        munmap((char *)at + size, align - before);
    return (void *)at;
}

CUresult cuMemAddressReserve(CUdeviceptr *p, size_t size, size_t alignment, CUdeviceptr address,
                             unsigned long long flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    CUresult r = p ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current(&d));
    if (r != CUDA_SUCCESS)
        return r;
    if (!cuda_maps_memory(d))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!size || size % GRANULE || flags || alignment & (alignment - 1) || size > UINT64_MAX / 4 ||
        alignment > UINT64_MAX / 4)
        return CUDA_ERROR_INVALID_VALUE;
    struct reservation *v = calloc(1, sizeof *v);
    void *at = v ? reserve(size, alignment > GRANULE ? alignment : GRANULE, address) : NULL;
    if (!at) {
        free(v);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *v = (struct reservation){.at = (uintptr_t)at, .size = size};
    pthread_mutex_lock(&table.lock);
    v->next = table.reservations;
    table.reservations = v;
    pthread_mutex_unlock(&table.lock);
    *p = v->at;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t size)
{
    PROF_CALL(__func__);
    pthread_mutex_lock(&table.lock);
    struct reservation **at = &table.reservations;
    while (*at && ((*at)->at != p || (*at)->size != size))
        at = &(*at)->next;
    struct reservation *v = *at && !(*at)->mappings ? *at : NULL;
    if (v)
        *at = v->next;
    pthread_mutex_unlock(&table.lock);
    if (!v)
        return CUDA_ERROR_INVALID_VALUE;
    munmap((void *)(uintptr_t)v->at, v->size);
    free(v);
    return CUDA_SUCCESS;
}

/* Under the lock: the reservation that holds the bytes. */
static struct reservation *around(uint64_t p, uint64_t size)
{
    struct reservation *v = table.reservations;
    while (v && !(p - v->at < v->size && size <= v->size - (p - v->at)))
        v = v->next;
    return v;
}

/* The place in the list for a mapping at p; *at is the first one that ends behind p. */
static struct mapping **place_of(struct reservation *v, uint64_t p)
{
    struct mapping **at = &v->mappings;
    while (*at && (*at)->at + (*at)->size <= p)
        at = &(*at)->next;
    return at;
}

static CUresult map(uint64_t p, uint64_t size, uint64_t offset, struct memory *m)
{
    struct reservation *v = around(p, size);
    struct mapping **at = v ? place_of(v, p) : NULL;
    if (!v || !m || offset > m->size || size > m->size - offset || (*at && (*at)->at < p + size))
        return CUDA_ERROR_INVALID_VALUE;
    struct mapping *x = calloc(1, sizeof *x);
    if (!x)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (mmap((void *)(uintptr_t)p, size, PROT_NONE, MAP_SHARED | MAP_FIXED, m->fd, (off_t)offset) ==
        MAP_FAILED) {
        free(x);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    m->mappings++;
    *x = (struct mapping){.next = *at, .at = p, .size = size, .memory = m};
    *at = x;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr p, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    PROF_CALL(__func__);
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS && (!size || flags || (p | size | offset) % GRANULE))
        r = CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    r = map(p, size, offset, memory_of(handle));
    pthread_mutex_unlock(&table.lock);
    return r;
}

/* Whether [p, p + size) is whole mappings and nothing else. */
static bool whole(struct reservation *v, uint64_t p, uint64_t size)
{
    uint64_t at = p;
    for (const struct mapping *m = *place_of(v, p); m && at < p + size; m = m->next) {
        if (m->at != at)
            return false;
        at += m->size;
    }
    return at == p + size;
}

/* Work that still uses the memory must not see it go. */
static void wait_for_devices(void)
{
    for (int k = 0; k < cuda_device_total(); k++) {
        struct tern_device *d = device_at(k);
        if (d && cuda_maps_memory(d))
            device_wait(d);
    }
}

CUresult cuMemUnmap(CUdeviceptr p, size_t size)
{
    PROF_CALL(__func__);
    CUresult r = size ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    wait_for_devices();
    pthread_mutex_lock(&table.lock);
    struct reservation *v = around(p, size);
    r = v && whole(v, p, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        drop_runs(v);
        for (struct mapping **at = place_of(v, p); *at && (*at)->at < p + size;) {
            struct mapping *m = *at;
            *at = m->next;
            m->memory->mappings--;
            drop_if_unused(m->memory);
            free(m);
        }
        if (mmap((void *)(uintptr_t)p, size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            r = CUDA_ERROR_OPERATING_SYSTEM;
        const CUresult shown = renew_runs(v);
        r = r == CUDA_SUCCESS ? shown : r;
    }
    pthread_mutex_unlock(&table.lock);
    return r;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p)
{
    PROF_CALL(__func__);
    const uint64_t at = (uintptr_t)p;
    pthread_mutex_lock(&table.lock);
    struct reservation *v = handle ? around(at, 1) : NULL;
    struct mapping *m = v ? *place_of(v, at) : NULL;
    if (m && m->at > at)
        m = NULL;
    if (m) {
        m->memory->handles++;
        *handle = (uintptr_t)m->memory;
    }
    pthread_mutex_unlock(&table.lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- access ---- */

/* What the pages allow is what the devices together are allowed. */
static CUresult protect(const struct mapping *m)
{
    int bits = 0;
    for (int k = 0; k < CUDA_MAX_DEVICES; k++)
        bits |= m->access[k];
    const int protection = (bits & CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ : 0) |
                           (bits & 2 ? PROT_READ | PROT_WRITE : 0);
    return mprotect((void *)(uintptr_t)m->at, m->size, protection) ? CUDA_ERROR_OPERATING_SYSTEM
                                                                   : CUDA_SUCCESS;
}

static CUresult check_access(const CUmemAccessDesc *access, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct tern_device *d;
        if (access[k].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (access[k].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
             access[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
             access[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
            return CUDA_ERROR_INVALID_VALUE;
        CUresult r = driver_device(access[k].location.id);
        if (r == CUDA_SUCCESS)
            r = driver_result(cuda_device_at(access[k].location.id, &d));
        if (r != CUDA_SUCCESS)
            return r;
        if (!cuda_maps_memory(d))
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t size, const CUmemAccessDesc *access, size_t count)
{
    PROF_CALL(__func__);
    CUresult r = access && count && size ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = check_access(access, count);
    if (r != CUDA_SUCCESS)
        return r;
    wait_for_devices();
    pthread_mutex_lock(&table.lock);
    struct reservation *v = around(p, size);
    r = v && whole(v, p, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        for (struct mapping *m = *place_of(v, p); m && m->at < p + size && r == CUDA_SUCCESS;
             m = m->next) {
            for (size_t k = 0; k < count; k++)
                m->access[access[k].location.id] = (unsigned char)access[k].flags;
            r = protect(m);
        }
        const CUresult shown = renew_runs(v);
        r = r == CUDA_SUCCESS ? shown : r;
    }
    pthread_mutex_unlock(&table.lock);
    return r;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p)
{
    PROF_CALL(__func__);
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = driver_device(location->id);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&table.lock);
    struct reservation *v = around(p, 1);
    const struct mapping *m = v ? *place_of(v, p) : NULL;
    if (m && m->at > p)
        m = NULL;
    if (m)
        *flags = m->access[location->id];
    pthread_mutex_unlock(&table.lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The device is about to close: it has access to nothing any more. */
void cuda_mappings_forget(struct tern_device *d)
{
    const int ordinal = cuda_ordinal_of(d);
    pthread_mutex_lock(&table.lock);
    for (struct reservation *v = table.reservations; v && ordinal >= 0; v = v->next) {
        drop_runs(v);
        for (struct mapping *m = v->mappings; m; m = m->next) {
            m->access[ordinal] = CU_MEM_ACCESS_FLAGS_PROT_NONE;
            protect(m);
        }
        renew_runs(v);
    }
    pthread_mutex_unlock(&table.lock);
}
