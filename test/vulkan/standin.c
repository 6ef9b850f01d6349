/* A stand-in for libvulkan.so.1: another driver's work, with other properties. Kernels really run,
 * on the driver behind it, which is named by STANDIN_REAL. Settings of the environment:
 *
 * STANDIN_GROUPS=N: a dispatch takes at most N groups in each dimension.
 * STANDIN_LOST=N: the N-th submission, and what comes behind, says that the device is lost, until
 * it is closed.
 * STANDIN_BUDGET=N: bytes of memory that are left, and no more can be had.
 * STANDIN_PLACED=1: a GPU with memory of its own: what the host maps lies elsewhere, unless it is
 * placed. 2: and in this process the device's addresses are taken. 3: nothing can be placed.
 * STANDIN_APART=1: device memory that the host does not see.
 * STANDIN_COPIES=1: a queue family for copies only.
 * STANDIN_OTHER=1: another version of the driver, by its UUID.
 * STANDIN_LOG=FILE: gets a line for each dispatch, submission and pipeline cache. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "rt/dev/vulkan/vk.h"

typedef void *get_proc(void *, const char *);
static get_proc *real_instance, *real_device;
static struct vk_functions real;

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static void note(const char *format, uint64_t a, uint64_t b, uint64_t c)
{
    const char *path = getenv("STANDIN_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (f) {
        fprintf(f, format, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
        fclose(f);
    }
}

static void *linked(void *chain, uint32_t type)
{
    for (struct vk_head *h = chain; h; h = h->next)
        if (h->type == type)
            return h;
    return NULL;
}

/* ---- what it says of itself ---- */

static void get_properties(vk_physical p, struct vk_properties *out)
{
    real.GetPhysicalDeviceProperties2(p, out);
    for (int k = 0; setting("STANDIN_GROUPS") && k < 3; k++)
        out->limits.max_groups[k] = (uint32_t)setting("STANDIN_GROUPS");
    struct vk_properties_placed *placed = linked(out->next, VK_TYPE_PLACED_PROPERTIES);
    if (placed)
        placed->alignment = 4096;
    if (setting("STANDIN_OTHER"))
        out->cache_uuid[0] ^= 0xff;
    if (setting("STANDIN_PLACED"))
        out->device_type = VK_DEVICE_TYPE_DISCRETE;
}

static void get_features(vk_physical p, struct vk_features *out)
{
    real.GetPhysicalDeviceFeatures2(p, out);
    struct vk_features_placed *placed = linked(out->next, VK_TYPE_PLACED_FEATURES);
    if (placed)
        placed->on[VK_FPLACED_MAP] = 1;
}

static vk_result get_extensions(vk_physical p, const char *layer, uint32_t *n,
                                struct vk_extension *e)
{
    static const char *const more[] = {"VK_KHR_map_memory2", "VK_EXT_map_memory_placed"};
    uint32_t room = *n;
    vk_result r = real.EnumerateDeviceExtensionProperties(p, layer, n, e);
    if (r || !setting("STANDIN_PLACED") || setting("STANDIN_PLACED") == 3)
        return r;
    for (int k = 0; k < 2; k++, ++*n)
        if (e && *n < room)
            snprintf(e[*n].name, sizeof e[*n].name, "%s", more[k]);
    return r;
}

static void get_memory(vk_physical p, struct vk_memory_properties *out)
{
    real.GetPhysicalDeviceMemoryProperties2(p, out);
    if (setting("STANDIN_APART")) {
        out->ntypes = 2;
        out->types[1] = out->types[0];
        out->types[0].flags = VK_MEMORY_DEVICE;
        out->types[1].flags &= ~(uint32_t)VK_MEMORY_DEVICE;
    }
    struct vk_memory_budget *b = linked(out->next, VK_TYPE_MEMORY_BUDGET);
    if (b && setting("STANDIN_BUDGET")) {
        b->budget[0] = (uint64_t)setting("STANDIN_BUDGET");
        b->usage[0] = 0;
    }
}

static uint32_t copies_family = UINT32_MAX;

static void get_families(vk_physical p, uint32_t *n, struct vk_queue_family *out)
{
    uint32_t room = *n;
    real.GetPhysicalDeviceQueueFamilyProperties(p, n, out);
    if (setting("STANDIN_COPIES") && out && *n < room) {
        copies_family = *n;
        out[(*n)++] =
            (struct vk_queue_family){.flags = VK_QUEUE_TRANSFER, .count = 1, .timestamp_bits = 64};
    }
}

static vk_result create_device(vk_physical p, const struct vk_device_create *c, const void *a,
                               vk_device *out)
{
    struct vk_device_create mine = *c;
    const char *names[64];
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->nextensions && n < 62; k++)
        if (strcmp(c->extensions[k], "VK_EXT_map_memory_placed"))
            names[n++] = c->extensions[k];
    if (setting("STANDIN_PLACED"))
        names[n++] = "VK_EXT_external_memory_host";
    mine.extensions = names;
    mine.nextensions = n;
    if (mine.nqueues > 1)
        mine.nqueues = 1; /* the family for copies is not really there */
    return real.CreateDevice(p, &mine, a, out);
}

/* ---- queues ---- */

static vk_queue true_queue;
static int copies_queue;
static pthread_mutex_t submit_lock = PTHREAD_MUTEX_INITIALIZER;
static long submissions;
static bool closed; /* a device that was lost */

static void get_queue(vk_device d, uint32_t family, uint32_t index, vk_queue *out)
{
    if (family == copies_family) {
        *out = (vk_queue)(void *)&copies_queue;
        return;
    }
    real.GetDeviceQueue(d, family, index, out);
    true_queue = *out;
}

static vk_result create_pool(vk_device d, const struct vk_command_pool_create *c, const void *a,
                             vk_handle *out)
{
    struct vk_command_pool_create mine = *c;
    if (mine.family == copies_family)
        mine.family = 0;
    return real.CreateCommandPool(d, &mine, a, out);
}

static vk_result create_buffer(vk_device d, const struct vk_buffer_create *c, const void *a,
                               vk_handle *out)
{
    struct vk_buffer_create mine = *c;
    mine.sharing = mine.nfamilies = 0;
    return real.CreateBuffer(d, &mine, a, out);
}

static vk_result submit(vk_queue q, uint32_t n, const struct vk_submit *s, vk_handle fence)
{
    pthread_mutex_lock(&submit_lock);
    long lost = closed ? 0 : setting("STANDIN_LOST");
    bool copies = (void *)q == (void *)&copies_queue;
    vk_result r = lost && ++submissions >= lost
                      ? VK_LOST
                      : real.QueueSubmit(copies ? true_queue : q, n, s, fence);
    note(copies ? "copies %llu\n" : "submission %llu\n", n, 0, 0);
    pthread_mutex_unlock(&submit_lock);
    return r;
}

static vk_result wait(vk_device d, const struct vk_semaphore_wait *w, uint64_t ns)
{
    long lost = closed ? 0 : setting("STANDIN_LOST");
    return lost && submissions >= lost ? VK_LOST : real.WaitSemaphores(d, w, ns);
}

static void destroy_device(vk_device d, const void *a)
{
    closed |= setting("STANDIN_LOST") && submissions >= setting("STANDIN_LOST");
    real.DestroyDevice(d, a);
}

static void dispatch(vk_command_buffer c, uint32_t x, uint32_t y, uint32_t z)
{
    note("dispatch %llu %llu %llu\n", x, y, z);
    real.CmdDispatch(c, x, y, z);
}

static vk_result create_cache(vk_device d, const struct vk_pipeline_cache_create *c, const void *a,
                              vk_handle *out)
{
    note("cache %llu\n", c->size, 0, 0);
    return real.CreatePipelineCache(d, c, a, out);
}

/* ---- memory that the host and the device see at different places ---- */

struct block {
    struct block *next;
    vk_handle memory, buffer;
    int file;
    size_t size;
    char *device, *host; /* where each sees it; NULL: not at the moment */
};
static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *find(vk_handle memory, vk_handle buffer)
{
    struct block *b = blocks;
    while (b && (memory ? b->memory != memory : b->buffer != buffer))
        b = b->next;
    return b;
}

static vk_result allocate(vk_device d, const struct vk_memory_allocate *c, const void *a,
                          vk_handle *out)
{
    struct {
        uint32_t type;
        const void *next;
        uint32_t kind;
        void *at;
    } import = {1000178000, c->next, 0x80, NULL};
    struct vk_memory_allocate mine = *c;
    mine.memory_type = 0;
    if (setting("STANDIN_BUDGET") && c->size > (uint64_t)setting("STANDIN_BUDGET"))
        return VK_OUT_OF_DEVICE;
    if (!setting("STANDIN_PLACED"))
        return real.AllocateMemory(d, &mine, a, out);
    struct block *b = calloc(1, sizeof *b);
    b->size = (c->size + 0xffff) & ~(size_t)0xffff;
    b->file = memfd_create("standin", 0);
    char *twice = mmap(NULL, b->size + 0x10000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    b->device = (char *)(((uintptr_t)twice + 0xffff) & ~(uintptr_t)0xffff);
    if (ftruncate(b->file, (off_t)b->size) || mmap(b->device, b->size, PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_FIXED, b->file, 0) != b->device)
        return VK_OUT_OF_HOST;
    import.at = b->device;
    mine.next = &import;
    mine.size = b->size;
    vk_result r = real.AllocateMemory(d, &mine, a, out);
    pthread_mutex_lock(&blocks_lock);
    b->memory = *out;
    b->next = blocks;
    blocks = b;
    pthread_mutex_unlock(&blocks_lock);
    return r;
}

static void requirements(vk_device d, vk_handle buffer, struct vk_memory_requirements *out)
{
    real.GetBufferMemoryRequirements(d, buffer, out);
    out->types = 3;
}

static vk_result bind(vk_device d, vk_handle buffer, vk_handle memory, uint64_t at)
{
    pthread_mutex_lock(&blocks_lock);
    struct block *b = find(memory, 0);
    if (b)
        b->buffer = buffer;
    pthread_mutex_unlock(&blocks_lock);
    return real.BindBufferMemory(d, buffer, memory, at);
}

/* From here on the addresses are free, until the host maps the memory. */
static uint64_t address(vk_device d, const struct vk_buffer_address *a)
{
    uint64_t at = real.GetBufferDeviceAddress(d, a);
    pthread_mutex_lock(&blocks_lock);
    struct block *b = find(0, a->buffer);
    if (b && setting("STANDIN_PLACED") != 2)
        munmap(b->device, b->size);
    pthread_mutex_unlock(&blocks_lock);
    return at;
}

static vk_result map(vk_device d, vk_handle memory, uint64_t offset, uint64_t size, uint32_t flags,
                     void **out)
{
    pthread_mutex_lock(&blocks_lock);
    struct block *b = find(memory, 0);
    if (b) {
        mmap(b->device, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, b->file, 0);
        *out = b->host = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
        note("mapped %llu\n", b->size, 0, 0);
    }
    pthread_mutex_unlock(&blocks_lock);
    return b ? VK_SUCCESS : real.MapMemory(d, memory, offset, size, flags, out);
}

static vk_result map_placed(vk_device d, const struct vk_memory_map *m, void **out)
{
    (void)d;
    struct vk_memory_map_placed *place =
        linked((void *)(uintptr_t)m->next, VK_TYPE_MEMORY_MAP_PLACED);
    pthread_mutex_lock(&blocks_lock);
    struct block *b = find(m->memory, 0);
    bool ok = b && place && m->flags & VK_MAP_PLACED && place->address == b->device &&
              mmap(b->device, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, b->file,
                   0) == b->device;
    pthread_mutex_unlock(&blocks_lock);
    *out = ok ? place->address : NULL;
    note("placed %llu\n", ok, 0, 0);
    return ok ? VK_SUCCESS : VK_OUT_OF_HOST;
}

static void release(vk_device d, vk_handle memory, const void *a)
{
    pthread_mutex_lock(&blocks_lock);
    struct block **at = &blocks, *b = NULL;
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    if (*at) {
        b = *at;
        *at = b->next;
    }
    pthread_mutex_unlock(&blocks_lock);
    real.FreeMemory(d, memory, a);
    if (!b)
        return;
    munmap(b->device, b->size);
    if (b->host)
        munmap(b->host, b->size);
    close(b->file);
    free(b);
}

/* ---- names ---- */

static const struct {
    const char *name;
    void *ours;
    const char *only; /* if this is set */
} names[] = {{"vkGetPhysicalDeviceProperties2", get_properties, NULL},
             {"vkGetPhysicalDeviceFeatures2", get_features, NULL},
             {"vkEnumerateDeviceExtensionProperties", get_extensions, NULL},
             {"vkGetPhysicalDeviceMemoryProperties2", get_memory, NULL},
             {"vkGetPhysicalDeviceQueueFamilyProperties", get_families, NULL},
             {"vkCreateDevice", create_device, NULL},
             {"vkGetDeviceQueue", get_queue, NULL},
             {"vkCreateCommandPool", create_pool, NULL},
             {"vkCreateBuffer", create_buffer, NULL},
             {"vkQueueSubmit", submit, NULL},
             {"vkWaitSemaphores", wait, NULL},
             {"vkDestroyDevice", destroy_device, NULL},
             {"vkCmdDispatch", dispatch, NULL},
             {"vkCreatePipelineCache", create_cache, NULL},
             {"vkAllocateMemory", allocate, NULL},
             {"vkGetBufferMemoryRequirements", requirements, "STANDIN_APART"},
             {"vkBindBufferMemory", bind, "STANDIN_PLACED"},
             {"vkGetBufferDeviceAddress", address, "STANDIN_PLACED"},
             {"vkMapMemory", map, "STANDIN_PLACED"},
             {"vkMapMemory2KHR", map_placed, "STANDIN_PLACED"},
             {"vkFreeMemory", release, "STANDIN_PLACED"}};

static void *ours(const char *name)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k].name) && (!names[k].only || setting(names[k].only)))
            return names[k].ours;
    return NULL;
}

static void *get_device(void *device, const char *name)
{
    void *f = real_device(device, name), *mine = ours(name);
#define FN(group, result, function, params)                                                        \
    if (!strcmp(name, "vk" #function) && f)                                                        \
        *(void **)&real.function = f;
    VK_FUNCTIONS(FN)
#undef FN
    return mine ? mine : f;
}

void *vkGetInstanceProcAddr(void *i, const char *name)
{
    if (!real_instance) {
        void *library = dlopen(getenv("STANDIN_REAL"), RTLD_NOW | RTLD_LOCAL);
        *(void **)&real_instance = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        if (!real_instance)
            return NULL;
    }
    void *f = real_instance(i, name), *mine = ours(name);
#define FN(group, result, function, params)                                                        \
    if (!strcmp(name, "vk" #function) && f)                                                        \
        *(void **)&real.function = f;
    VK_FUNCTIONS(FN)
#undef FN
    if (!strcmp(name, "vkGetDeviceProcAddr")) {
        *(void **)&real_device = f;
        return (void *)get_device;
    }
    return mine ? mine : f;
}
