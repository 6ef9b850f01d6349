/* The CPU device: kernels as machine code of our own, or as C for the system's compiler, run on a
 * pool of threads.
 *
 * Device memory is host memory, from the pool of rt/heap.h. With TERN_GUARD=1 each allocation ends
 * at a page that may not be touched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ir/launch.h"
#include "rt/dev/cpu/cpu_int.h"

static unsigned count(const char **why)
{
    if (cpu_makes_code())
        return 1;
    struct cpu_compiler *c = cpu_compiler_find();
    if (!c) {
        *why = "no C compiler was found (TERN_CC, clang, gcc, cc)";
        return 0;
    }
    free(c);
    return 1;
}

/* A GPU maps memory in large pieces, and programs are about that read a little past an end and do
 * not use what they got: they run here too, because chunks have some room on both sides. */
enum { ROOM = 64 << 10 };

/* Chunks of HUGE_FROM bytes and more ask for large pages: kernels walk through many rows and look
 * up elements anywhere, and each small page they come to costs a search for it. Such chunks would
 * all start at the same place in a page, and so compete for the same lines of a cache: they start
 * at one of PLACES places. */
#define HUGE_PAGE (UINT64_C(2) << 20)
#define HUGE_FROM (UINT64_C(4) << 20)
enum { PLACES = 15, PLACE_BYTES = 4096 + HEAP_GRAIN };

static enum tern_error take_chunk(void *ctx, uint64_t bytes, uint64_t *address)
{
    const struct dev *d = ctx;
    const bool huge = bytes >= HUGE_FROM;
    uint64_t all = bytes + 2 * (uint64_t)ROOM + (huge ? PLACES * PLACE_BYTES : 0);
    const uint64_t more = huge ? HUGE_PAGE : 0; /* to cut an aligned piece from */
    char *base = mmap(NULL, all + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return TERN_OUT_OF_MEMORY;
    *address = (uint64_t)(uintptr_t)base + ROOM;
    if (huge) {
        const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        const uint64_t before = -(uint64_t)(uintptr_t)base % HUGE_PAGE;
        all = (all + page - 1) / page * page;
        if (before)
            munmap(base, before);
        base += before;
        if (before < more)
            munmap(base + all, more - before);
        (void)madvise(base, all, MADV_HUGEPAGE); /* or small ones */
        const uint64_t at = (uint64_t)(uintptr_t)base;
        *address = at + ROOM + at / HUGE_PAGE % PLACES * PLACE_BYTES;
    }
    cpu_numa_place(d->nodes, base, all);
    return TERN_OK;
}

static void give_chunk(void *ctx, uint64_t address, uint64_t bytes)
{
    (void)ctx;
    if (bytes >= HUGE_FROM)
        munmap((char *)(uintptr_t)(address / HUGE_PAGE * HUGE_PAGE),
               bytes + 2 * (uint64_t)ROOM + PLACES * PLACE_BYTES);
    else
        munmap((char *)(uintptr_t)address - ROOM, bytes + 2 * (uint64_t)ROOM);
}

static void close_device(struct dev *d)
{
    for (struct cpu_alloc *a = d->allocs, *next; a; a = next) {
        next = a->next;
        munmap(a->base, a->mapped);
        free(a);
    }
    heap_free(d->heap);
    cpu_device_heap_free(d->device_heap);
    if (d->workers)
        for (unsigned k = 0; k < pool_slots(d->pool); k++) {
            if (d->workers[k].shared)
                munmap(d->workers[k].shared, d->workers[k].shared_bytes);
            if (d->workers[k].stacks.at)
                munmap(d->workers[k].stacks.at, d->workers[k].stacks.bytes);
            free(d->workers[k].signals);
            cpu_stack_free(&d->workers[k].stack);
        }
    if (d->pool)
        pool_destroy(d->pool);
    cpu_textures_close(d);
    free(d->workers);
    free(d->compiler);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static enum tern_error open_device(unsigned ordinal, const struct dev_host *host, struct dev **out)
{
    if (ordinal != 0)
        return TERN_NO_DEVICE;
    struct dev *d = calloc(1, sizeof *d);
    if (!d)
        return TERN_OUT_OF_MEMORY;
    d->host = *host;
    if (host->cache_dir && strlen(host->cache_dir) < sizeof d->cache)
        d->host.cache_dir = strcpy(d->cache, host->cache_dir);
    else
        d->host.cache_dir = NULL;
    pthread_mutex_init(&d->lock, NULL);
    d->guard = setting_on(SETTING_GUARD);
    d->guard_before = d->guard && !strcmp(setting_text(SETTING_GUARD), "before");
    d->gang = (unsigned)setting_number(SETTING_GANG);
    d->own = cpu_makes_code();
    const struct cpu_processor *p = cpu_own_processor();
    if (host->making) { /* for processors that need not be these */
        p = cpu_named(host->making->cpu);
        d->own = p;
    }
    d->target = p ? back_find(p->target) : NULL;
    d->machine = p ? p->has : "";
    d->vector_bytes = p ? p->vector_bytes : 0;
    d->fewer_bytes = p ? p->fewer : 0;
    d->dots = !host->making && cpu_has_dots();
    const char *code = setting_text(SETTING_CPU);
    d->own_only = d->own && code && !strcmp(code, "own");
    d->nodes = cpu_numa_own();
    d->pending = DEV_DEFAULT_PENDING;
    d->in_order = setting_on(SETTING_DETERMINISTIC);
    d->batch = setting_on(SETTING_BATCH) && !d->in_order;
    if (d->host.check) { /* what threads tell comes in an order that is the same in every run */
        d->guard = false;
        d->own_only = d->own;
    }
    const unsigned threads = d->host.check   ? 1
                             : host->threads ? host->threads
                                             : (unsigned)setting_number(SETTING_THREADS);
    enum tern_error e = d->own || cpu_compiler(d) ? pool_create(&d->pool, threads) : TERN_NO_DEVICE;
    if (!e)
        e = heap_new(
            &(struct heap_source){
                .ctx = d, .granule = 64 << 10, .take = take_chunk, .give = give_chunk},
            &d->heap);
    if (!e && !(d->device_heap = cpu_device_heap_new(DEV_DEFAULT_HEAP)))
        e = TERN_OUT_OF_MEMORY;
    if (!e && !(d->workers = calloc(pool_slots(d->pool), sizeof *d->workers)))
        e = TERN_OUT_OF_MEMORY;
    if (e) {
        close_device(d);
        return e;
    }
    cpu_signals();
    *out = d;
    return TERN_OK;
}

static enum tern_error heap_limit(struct dev *d, uint64_t bytes)
{
    cpu_device_heap_limit(d->device_heap, bytes);
    return TERN_OK;
}

/* x86 writes its name into /proc/cpuinfo; ARM writes numbers. */
static void model_name(char *out, size_t n)
{
    static const struct {
        unsigned implementer, part;
        const char *name;
    } arm[] = {
        {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd0b, "Cortex-A76"},
        {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd49, "Neoverse-N2"},
        {0x41, 0xd4f, "Neoverse-V2"}, {0x61, 0x22, "Apple M1"},     {0xc0, 0xac3, "Ampere-1"}};
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    unsigned implementer = 0, part = 0;
    snprintf(out, n, "CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        colon[strcspn(colon, "\n")] = 0;
        if (!strncmp(line, "model name", 10)) {
            snprintf(out, n, "%s", colon + 2);
            break;
        }
        if (!strncmp(line, "CPU implementer", 15))
            implementer = (unsigned)strtoul(colon + 1, NULL, 0);
        if (!strncmp(line, "CPU part", 8)) {
            part = (unsigned)strtoul(colon + 1, NULL, 0);
            snprintf(out, n, "ARM core 0x%x", part);
            for (size_t k = 0; k < sizeof arm / sizeof *arm; k++)
                if (arm[k].implementer == implementer && arm[k].part == part)
                    snprintf(out, n, "%s", arm[k].name);
            break;
        }
    }
    if (f)
        fclose(f);
}

/* Of the last level; 0 where the system does not tell. */
static uint32_t last_cache(void)
{
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size <= 0)
        size = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return size <= 0 ? 0 : size > INT32_MAX ? INT32_MAX : (uint32_t)size;
}

static enum tern_error info(struct dev *d, struct dev_info *out)
{
    char model[64];
    model_name(model, sizeof model);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *out = (struct dev_info){
        .flags = DEV_HOST_MEMORY | DEV_F64 | DEV_I64 | DEV_F16 | DEV_MANAGED | DEV_COOPERATIVE |
                 DEV_READS_HOST | DEV_HOST_CODE,
        .memory = page * (uint64_t)sysconf(_SC_PHYS_PAGES),
        .memory_free = page * (uint64_t)sysconf(_SC_AVPHYS_PAGES),
        .units = d->in_order ? DEV_FIXED_UNITS : pool_size(d->pool),
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_block = {1024, 1024, 64},
        .max_grid = {0x7fffffff, 65535, 65535},
        .shared_per_block = 227 * 1024,
        .clock_khz = 2000000,
        .cache_bytes = last_cache(),
        .arch = 800,
    };
    snprintf(out->name, sizeof out->name, "%s, %u thread%s, %u-bit SIMD", model, pool_size(d->pool),
             pool_size(d->pool) == 1 ? "" : "s",
             (d->own ? d->vector_bytes : d->compiler->vector_bytes) * 8);
    if (d->own)
        snprintf(out->driver, sizeof out->driver, "machine code");
    else
        snprintf(out->driver, sizeof out->driver, "C through %.40s", d->compiler->path);
    return TERN_OK;
}

static enum tern_error pending_limit(struct dev *d, uint64_t launches)
{
    if (launches > IR_LAUNCH_PENDING)
        return TERN_LIMIT;
    pthread_mutex_lock(&d->lock);
    d->pending = (uint32_t)launches;
    pthread_mutex_unlock(&d->lock);
    return TERN_OK;
}

static enum tern_error reset_fault(struct dev *d)
{
    pthread_mutex_lock(&d->lock);
    d->fault = TERN_OK;
    pthread_mutex_unlock(&d->lock);
    return TERN_OK;
}

/* ---- memory ---- */
static enum tern_error alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                             dev_ptr *out)
{
    if (d->host.check)
        return align > 65536 ? TERN_INVALID_ARGUMENT : check_alloc(d->host.check, size, out);
    if (!d->guard)
        return heap_alloc(d->heap, size, align, name, out);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (align < 256)
        align = 256;
    if (align > page || (align & (align - 1)))
        return TERN_INVALID_ARGUMENT;
    if (size > UINT64_MAX / 2)
        return TERN_OUT_OF_MEMORY;
    struct cpu_alloc *a = calloc(1, sizeof *a);
    if (!a)
        return TERN_OUT_OF_MEMORY;
    uint64_t bytes = size ? size : 1;
    uint64_t body = (bytes + page - 1) / page * page, fence = page;
    a->mapped = body + 2 * fence;
    a->base = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a->base == MAP_FAILED) {
        free(a);
        return TERN_OUT_OF_MEMORY;
    }
    a->size = size;
    /* as close to the upper fence as 16-byte alignment lets it, or right behind the lower one */
    mprotect(a->base, fence, PROT_NONE);
    mprotect(a->base + fence + body, fence, PROT_NONE);
    a->address =
        (dev_ptr)(uintptr_t)a->base + fence + (d->guard_before ? 0 : body - (bytes + 15) / 16 * 16);
    snprintf(a->name, sizeof a->name, "%s", name ? name : "");
    pthread_mutex_lock(&d->lock);
    a->next = d->allocs;
    if (d->allocs)
        d->allocs->prev = a;
    d->allocs = a;
    pthread_mutex_unlock(&d->lock);
    *out = a->address;
    return TERN_OK;
}

static enum tern_error release(struct dev *d, dev_ptr p)
{
    if (!p)
        return TERN_OK;
    if (d->host.check)
        return check_free(d->host.check, p) ? TERN_OK : TERN_INVALID_ARGUMENT;
    if (!d->guard)
        return heap_release(d->heap, p);
    pthread_mutex_lock(&d->lock);
    struct cpu_alloc *a = d->allocs;
    while (a && a->address != p)
        a = a->next;
    if (a) {
        if (a->prev)
            a->prev->next = a->next;
        else
            d->allocs = a->next;
        if (a->next)
            a->next->prev = a->prev;
    }
    pthread_mutex_unlock(&d->lock);
    if (!a)
        return TERN_INVALID_ARGUMENT;
    munmap(a->base, a->mapped);
    free(a);
    return TERN_OK;
}

/* Kernels reach every page of the process; who checks them is to know which they may. */
static enum tern_error share(struct dev *d, void *at, uint64_t size, bool writable)
{
    (void)writable; /* the pages say so */
    if (d->host.check)
        check_tell(d->host.check, (dev_ptr)(uintptr_t)at, size, CHECK_DEVICE, "mapped memory");
    return TERN_OK;
}

static void take_back(struct dev *d, dev_ptr at)
{
    if (d->host.check)
        check_forget(d->host.check, at);
}

static enum tern_error copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                               uint64_t n)
{
    if (!check_copies(d->host.check, q, to, (dev_ptr)(uintptr_t)from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return cpu_copy(d, q, (void *)(uintptr_t)to, from, n);
}

static enum tern_error copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                                uint64_t n)
{
    if (!check_copies(d->host.check, q, (dev_ptr)(uintptr_t)to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return cpu_copy(d, q, to, (const void *)(uintptr_t)from, n);
}

static enum tern_error copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                            uint64_t n)
{
    if (!check_copies(d->host.check, q, to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return cpu_copy(d, q, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
}

static enum tern_error fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                            uint32_t pattern, unsigned pattern_bytes)
{
    if (!check_copies(d->host.check, q, to, 0, n, "a fill"))
        return TERN_INVALID_ARGUMENT;
    return cpu_fill(d, q, to, n, pattern, pattern_bytes);
}

static enum tern_error occupancy(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                                 uint32_t *blocks)
{
    (void)k, (void)shared;
    *blocks = threads && threads <= 1024 ? 2048 / threads : 0;
    return threads ? TERN_OK : TERN_INVALID_ARGUMENT;
}

const struct dev_driver dev_cpu = {
    .abi = DEV_ABI,
    .name = "cpu",
    .level = 2,
    .expected = true,
    .checks = true,
    .steps = true,
    .divides = true,
    .in_order = true,
    .pending_limit = pending_limit,
    .count = count,
    .open = open_device,
    .close = close_device,
    .info = info,
    .reset_fault = reset_fault,
    .alloc = alloc,
    .free = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .heap_limit = heap_limit,
    .load = cpu_load,
    .unload = cpu_unload,
    .kernel = cpu_kernel,
    .make = cpu_make,
    .global = cpu_global,
    .launch = cpu_launch,
    .occupancy = occupancy,
    .queue_new = cpu_queue_new,
    .queue_free = cpu_queue_free,
    .queue_wait = cpu_queue_wait,
    .queue_query = cpu_queue_query,
    .event_new = cpu_event_new,
    .event_free = cpu_event_free,
    .event_record = cpu_event_record,
    .event_wait = cpu_event_wait,
    .queue_after = cpu_queue_after,
    .event_time = cpu_event_time,
    .share = share,
    .unshare = take_back,
    .host_call = cpu_host_call,
    .call_now = cpu_call_now,
    .queue_until = cpu_queue_until,
    .texture_new = cpu_texture_new,
    .texture_free = cpu_texture_free,
};
