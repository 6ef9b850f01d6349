/* The Vulkan device: any GPU with a Vulkan 1.2 driver that has buffer device addresses, timeline
 * semaphores and the Vulkan memory model. The driver is found at run time: the loader
 * libvulkan.so.1, or, where there is none, NVIDIA's driver library itself. */
#include <dlfcn.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "rt/dev/vulkan/vulkan_int.h"
#include "rt/image.h"

enum tern_error vk_error(vk_result r)
{
    switch (r) {
    case VK_SUCCESS: return TERN_OK;
    case VK_OUT_OF_HOST:
    case VK_OUT_OF_DEVICE: return TERN_OUT_OF_MEMORY;
    case VK_TIMEOUT: return TERN_TIMEOUT;
    case VK_LOST: return TERN_DEVICE_LOST;
    default: return TERN_DRIVER;
    }
}

void vk_report(struct dev *d, struct report *r)
{
    r->device = "vulkan";
    report_send(&d->host.reports, r);
}

/* ---- finding the driver ---- */

typedef void *get_instance_proc(vk_instance, const char *);

struct loaded {
    void *library;
    get_instance_proc *get;
    vk_instance instance;
    struct vk_functions fn;
};

static void *open_driver(get_instance_proc **get)
{
    static const char *const loaders[] = {"libvulkan.so.1", "libvulkan.so"};
    for (size_t k = 0; k < 2; k++) {
        void *lib = dlopen(loaders[k], RTLD_NOW | RTLD_LOCAL);
        if (lib && (*(void **)get = dlsym(lib, "vkGetInstanceProcAddr")))
            return lib;
        if (lib)
            dlclose(lib);
    }
    /* Without a loader: NVIDIA's driver offers the loader's own interface. */
    void *lib = dlopen("libEGL_nvidia.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return NULL;
    vk_result (*negotiate)(uint32_t *);
    *(void **)&negotiate = dlsym(lib, "vk_icdNegotiateLoaderICDInterfaceVersion");
    *(void **)get = dlsym(lib, "vk_icdGetInstanceProcAddr");
    uint32_t version = 5;
    if (*get && (!negotiate || negotiate(&version) == VK_SUCCESS))
        return lib;
    dlclose(lib);
    return NULL;
}

static void unload(struct loaded *l)
{
    if (l->instance)
        l->fn.DestroyInstance(l->instance, NULL);
    if (l->library)
        dlclose(l->library);
    *l = (struct loaded){0};
}

static bool load(struct loaded *l, const char **why)
{
    *l = (struct loaded){0};
    l->library = open_driver(&l->get);
    if (!l->library) {
        *why = "no Vulkan driver (libvulkan.so.1 not found)";
        return false;
    }
    const char *const layers[] = {"VK_LAYER_KHRONOS_validation"};
    struct vk_application app = {VK_TYPE_APPLICATION, NULL, "tern", 1, "tern", 1,
                                 1u << 22 | 2u << 12};
    struct vk_instance_create create = {.type = VK_TYPE_INSTANCE,
                                        .application = &app,
                                        .nlayers = setting_on(SETTING_VK_VALIDATE),
                                        .layers = layers};
    *(void **)&l->fn.CreateInstance = l->get(NULL, "vkCreateInstance");
    vk_result r =
        l->fn.CreateInstance ? l->fn.CreateInstance(&create, NULL, &l->instance) : VK_LOST;
    if (r != VK_SUCCESS) {
        *why = create.nlayers
                   ? "the Vulkan driver could not start (are the validation layers installed?)"
                   : "the Vulkan driver could not start";
        l->instance = NULL;
        unload(l);
        return false;
    }
#define G(name)
#define I(name) *(void **)&l->fn.name = l->get(l->instance, "vk" #name);
#define D(name)
#define O(name)
#define FN(group, result, name, params) group(name)
    VK_FUNCTIONS(FN)
#undef FN
#undef G
#undef I
#undef D
#undef O
    return true;
}

/* ---- choosing devices ---- */

struct offer { /* what a physical device says of itself */
    struct vk_properties properties;
    struct vk_properties_11 p11;
    struct vk_properties_12 p12;
    struct vk_properties_subgroup_size subgroup;
    struct vk_features features;
    struct vk_features_11 f11;
    struct vk_features_12 f12;
    struct vk_features_atomic_float atomic_float;
    struct vk_features_subgroup_size subgroup_size;
    struct vk_features_clock clock;
    struct vk_features_placed placed;
    struct vk_properties_placed placed_properties;
    struct vk_properties_sm sm;
    struct vk_features_shared_layout shared_layout;
    struct vk_features_matrix matrix;
    struct vk_features_bf16 bf16;
    bool has_atomic_float, has_subgroup_size, has_clock, has_budget, has_map2, has_placed,
        has_shared_layout, has_sm, has_matrix, has_bf16;
};

/* Extensions that are used where they are there: which member says so, and where their features
 * are asked for and enabled. */
static const struct {
    const char *name;
    size_t has, features; /* 0: none */
} extensions[] = {
#define HAS(member)      offsetof(struct offer, has_##member)
#define FEATURES(member) offsetof(struct offer, member)
    {"VK_EXT_shader_atomic_float", HAS(atomic_float), FEATURES(atomic_float)},
    {"VK_EXT_subgroup_size_control", HAS(subgroup_size), FEATURES(subgroup_size)},
    {"VK_KHR_shader_clock", HAS(clock), FEATURES(clock)},
    {"VK_EXT_memory_budget", HAS(budget), 0},
    {"VK_KHR_map_memory2", HAS(map2), 0},
    {"VK_EXT_map_memory_placed", HAS(placed), FEATURES(placed)},
    {"VK_KHR_workgroup_memory_explicit_layout", HAS(shared_layout), FEATURES(shared_layout)},
    {"VK_KHR_cooperative_matrix", HAS(matrix), FEATURES(matrix)},
    {"VK_KHR_shader_bfloat16", HAS(bf16), FEATURES(bf16)},
    {"VK_NV_shader_sm_builtins", HAS(sm), 0},
#undef HAS
#undef FEATURES
};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static bool *has(struct offer *o, size_t k)
{
    return (bool *)((char *)o + extensions[k].has);
}

static bool has_extension(const struct vk_extension *e, uint32_t n, const char *name)
{
    for (uint32_t k = 0; e && k < n; k++)
        if (!strcmp(e[k].name, name))
            return true;
    return false;
}

/* Asks only for structures that the device knows. */
static bool inspect(const struct vk_functions *fn, vk_physical p, struct offer *o)
{
    *o = (struct offer){.properties = {.type = VK_TYPE_PROPERTIES},
                        .p11 = {.type = VK_TYPE_PROPERTIES_11},
                        .p12 = {.type = VK_TYPE_PROPERTIES_12},
                        .subgroup = {.type = VK_TYPE_SUBGROUP_SIZE_PROPERTIES},
                        .features = {.type = VK_TYPE_FEATURES},
                        .f11 = {.type = VK_TYPE_FEATURES_11},
                        .f12 = {.type = VK_TYPE_FEATURES_12},
                        .atomic_float = {.type = VK_TYPE_ATOMIC_FLOAT_FEATURES},
                        .subgroup_size = {.type = VK_TYPE_SUBGROUP_SIZE_FEATURES},
                        .clock = {.type = VK_TYPE_SHADER_CLOCK_FEATURES},
                        .placed = {.type = VK_TYPE_PLACED_FEATURES},
                        .placed_properties = {.type = VK_TYPE_PLACED_PROPERTIES},
                        .sm = {.type = VK_TYPE_SM_PROPERTIES},
                        .shared_layout = {.type = VK_TYPE_SHARED_LAYOUT_FEATURES},
                        .matrix = {.type = VK_TYPE_MATRIX_FEATURES},
                        .bf16 = {.type = VK_TYPE_BFLOAT16_FEATURES}};
    fn->GetPhysicalDeviceProperties2(p, &o->properties);
    if (o->properties.api_version < (1u << 22 | 2u << 12))
        return false;
    uint32_t n = 0;
    if (fn->EnumerateDeviceExtensionProperties(p, NULL, &n, NULL) != VK_SUCCESS)
        return false;
    struct vk_extension *e = calloc(n + 1, sizeof *e);
    if (!e || fn->EnumerateDeviceExtensionProperties(p, NULL, &n, e) < 0)
        n = 0;
    for (size_t k = 0; k < EXTENSIONS; k++)
        *has(o, k) = has_extension(e, n, extensions[k].name);
    free(e);
    o->has_placed &= o->has_map2;
    o->properties.next = &o->p11;
    o->p11.next = &o->p12;
    void **tail = &o->p12.next;
    if (o->has_subgroup_size)
        *tail = &o->subgroup, tail = &o->subgroup.next;
    if (o->has_placed)
        *tail = &o->placed_properties, tail = &o->placed_properties.next;
    if (o->has_sm)
        *tail = &o->sm;
    fn->GetPhysicalDeviceProperties2(p, &o->properties);
    o->features.next = &o->f11;
    o->f11.next = &o->f12;
    tail = &o->f12.next;
    for (size_t k = 0; k < EXTENSIONS; k++)
        if (*has(o, k) && extensions[k].features) {
            struct vk_head *head = (struct vk_head *)(void *)((char *)o + extensions[k].features);
            *tail = head, tail = &head->next;
        }
    fn->GetPhysicalDeviceFeatures2(p, &o->features);
    return o->f12.on[VK_F12_BUFFER_ADDRESS] && o->f12.on[VK_F12_TIMELINE] &&
           o->f12.on[VK_F12_MEMORY_MODEL] && o->f12.on[VK_F12_MEMORY_MODEL_DEVICE];
}

static int rank(const struct offer *o) /* lower is better */
{
    uint32_t t = o->properties.device_type;
    return t == VK_DEVICE_TYPE_DISCRETE     ? 0
           : t == VK_DEVICE_TYPE_INTEGRATED ? 1
           : t == VK_DEVICE_TYPE_CPU        ? 3
                                            : 2;
}

enum { MAX_PHYSICAL = 16, WINDOW_STEP = 64 << 10 };

/* The usable devices, best kind first. */
static uint32_t usable(struct loaded *l, vk_physical out[MAX_PHYSICAL], const char **why)
{
    vk_physical all[MAX_PHYSICAL];
    uint32_t n = MAX_PHYSICAL, found = 0;
    vk_result r = l->fn.EnumeratePhysicalDevices(l->instance, &n, all);
    if (r != VK_SUCCESS && r != VK_INCOMPLETE)
        n = 0;
    if (!n)
        *why = "the Vulkan driver offers no device";
    for (int pass = 0; pass < 4; pass++)
        for (uint32_t k = 0; k < n; k++) {
            struct offer o;
            if (inspect(&l->fn, all[k], &o) && rank(&o) == pass)
                out[found++] = all[k];
        }
    if (n && !found)
        *why = "no device with Vulkan 1.2, buffer device addresses, timeline semaphores and the "
               "Vulkan memory model";
    return found;
}

static unsigned count(const char **why)
{
    struct loaded l;
    vk_physical devices[MAX_PHYSICAL];
    *why = NULL;
    if (!load(&l, why))
        return 0;
    uint32_t n = usable(&l, devices, why);
    unload(&l);
    return n;
}

/* A GPU that the system knows has a file under /dev. To ask Vulkan means to load every driver that
 * is installed: 80 MB and 50 ms, where most of them only find out that their GPU is not there. */
static const char *absent(void)
{
    static const char *const files[] = {
        "/dev/dri/renderD*", /* all of the kernel's own drivers */
        "/dev/nvidia*",      /* NVIDIA's */
        "/dev/nvgpu*",       /* on boards of theirs */
        "/dev/nvhost-gpu",   /* on older ones */
        "/dev/mali*",        /* Arm's */
        "/dev/kgsl-3d0",     /* Qualcomm's */
        "/dev/pvr*",         /* Imagination's */
        "/dev/dxg",          /* Windows's, in its Linux */
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        glob_t found;
        const bool there = !glob(files[k], GLOB_NOSORT, NULL, &found);
        if (there)
            globfree(&found);
        if (there)
            return NULL;
    }
    return "no GPU has a file under /dev, and a driver that runs on the processor is slower than "
           "cpu";
}

/* ---- opening ---- */

static bool pick_family(struct dev *d)
{
    struct vk_queue_family families[32];
    uint32_t n = 32;
    d->fn.GetPhysicalDeviceQueueFamilyProperties(d->physical, &n, families);
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++)
        if (families[k].flags & VK_QUEUE_COMPUTE &&
            (best == UINT32_MAX || families[k].count > families[best].count))
            best = k;
    if (best == UINT32_MAX)
        return false;
    d->family = d->copy_family = best;
    for (uint32_t k = 0; k < n; k++) /* what does nothing else is the GPU's copy engine */
        if (families[k].flags & VK_QUEUE_TRANSFER &&
            !(families[k].flags & (VK_QUEUE_COMPUTE | VK_QUEUE_GRAPHICS)) && families[k].count &&
            d->copy_family == d->family)
            d->copy_family = k;
    d->nvk_queues =
        families[best].count < VK_COMPUTE_QUEUES ? families[best].count : VK_COMPUTE_QUEUES;
    d->timestamps = families[best].timestamp_bits != 0;
    return true;
}

/* How many blocks run at once for sure: what a barrier of the grid can wait for. Software drivers
 * run a block on each thread; Mesa's can be told how many. */
static uint32_t count_units(const struct offer *o)
{
    uint32_t cores = thread_cores();
    if (o->has_sm && o->sm.count)
        return o->sm.count;
    if (o->properties.device_type != VK_DEVICE_TYPE_CPU)
        return 1;
    if (setting_text(SETTING_LAVAPIPE))
        cores = (uint32_t)setting_number(SETTING_LAVAPIPE);
    return cores < 1 ? 1 : cores > 32 ? 32 : cores;
}

static void set_features(struct dev *d, const struct offer *o)
{
    const vk_bool *f12 = o->f12.on, *nan = o->p12.nan_preserve, *denorm = o->p12.denorm_preserve,
                  *rte = o->p12.rte;
    /* Controls for one width may depend on the others: then all or none. */
    const bool matrices = o->has_matrix && o->matrix.on[VK_FMATRIX] && !d->host.check;
    bool denorm_free = o->p12.denorm_independence != 2,
         round_free = o->p12.rounding_independence != 2;
    /* Independence 0: of 32 bits only; 16 and 64 then go together. */
    bool denorm_16 = denorm[0] && (o->p12.denorm_independence == 1 || denorm[2]) && denorm_free;
    bool rte_16 = rte[0] && (o->p12.rounding_independence == 1 || rte[2]) && round_free;
    d->features = (struct spirv_features){
        .f64 = o->features.on[VK_F_FLOAT64],
        .f16 = f12[VK_F12_FLOAT16],
        .i64 = o->features.on[VK_F_INT64],
        .i16 = o->features.on[VK_F_INT16],
        .i8 = f12[VK_F12_INT8],
        .storage_16 = o->f11.on[VK_F11_STORAGE16],
        .storage_8 = f12[VK_F12_STORAGE8],
        .i64_atomics = f12[VK_F12_INT64_ATOMICS],
        .f32_atomic_add = o->has_atomic_float && o->atomic_float.on[VK_FAF_BUFFER32_ADD],
        .f64_atomic_add = o->has_atomic_float && o->atomic_float.on[VK_FAF_BUFFER64_ADD],
        .nan_preserve_16 = nan[0] && f12[VK_F12_FLOAT16],
        .denorm_preserve_16 = denorm_16 && f12[VK_F12_FLOAT16],
        .rte_16 = rte_16 && f12[VK_F12_FLOAT16],
        .exact_half = rte_16 && denorm_16 && f12[VK_F12_FLOAT16],
        .nan_preserve_32 = nan[1],
        .nan_preserve_64 = nan[2],
        .denorm_preserve_32 = denorm[1] && denorm_free,
        .denorm_preserve_64 = denorm[2] && denorm_free,
        .rte_32 = rte[1] && round_free,
        .rte_64 = rte[2] && round_free,
        .subgroup_32 = o->has_subgroup_size && o->subgroup_size.on[VK_FSS_CONTROL] &&
                       o->subgroup_size.on[VK_FSS_FULL] && o->subgroup.min_size <= 32 &&
                       o->subgroup.max_size >= 32 && f12[VK_F12_SUBGROUP_EXTENDED],
        .clock = o->has_clock && o->clock.on[VK_FCLOCK_SUBGROUP] && o->clock.on[VK_FCLOCK_DEVICE],
        .shared_layout = o->has_shared_layout && o->shared_layout.on[VK_FSHARED_LAYOUT],
        .shared_8 = o->has_shared_layout && o->shared_layout.on[VK_FSHARED_8],
        .shared_16 = o->has_shared_layout && o->shared_layout.on[VK_FSHARED_16],
        .matrix_f16 = matrices,
        .matrix_bf16 =
            matrices && o->has_bf16 && o->bf16.on[VK_FBF16] && o->bf16.on[VK_FBF16_MATRIX],
        .matrix_i8 = matrices,
        .fused_fma = true,
        .sound_ranges = true,
        .half_trips = true,
        .sound_zeros = true,
    };
    if (matrices) /* else there is no such function, whatever the loader says */
        vk_find_matrices(&d->fn, d->physical, &d->features);
#define DRIVER(name, feature, value, seen)                                                         \
    if (!strncmp(o->p12.driver_name, name, strlen(name)))                                          \
        d->features.feature = value;
#include "rt/dev/vulkan/drivers.def"
}

/* TERN_VK_WITHOUT=f64,subgroup_32 hides features, to see what becomes of kernels without them;
 * TERN_VK_WITH claims them. */
static void change_features(struct dev *d, enum setting which, bool value)
{
    const char *list = setting_text(which);
    for (size_t n; list && *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
#define X(name, vulkan)                                                                            \
    if (strlen(#name) == n && !strncmp(list, #name, n))                                            \
        d->features.name = value;
        SPIRV_FEATURES(X)
#undef X
    }
}

static enum tern_error create_device(struct dev *d, struct offer *o)
{
    /* Enable what is used, and nothing else. */
    vk_bool keep[VK_F_COUNT] = {0}, keep12[VK_F12_COUNT] = {0}, keep11[VK_F11_COUNT] = {0};
    static const uint8_t core[] = {VK_F_FLOAT64, VK_F_INT64, VK_F_INT16};
    static const uint8_t later[] = {
        VK_F12_STORAGE8,          VK_F12_INT64_ATOMICS,      VK_F12_FLOAT16,  VK_F12_INT8,
        VK_F12_SUBGROUP_EXTENDED, VK_F12_HOST_QUERY_RESET,   VK_F12_TIMELINE, VK_F12_BUFFER_ADDRESS,
        VK_F12_MEMORY_MODEL,      VK_F12_MEMORY_MODEL_DEVICE};
    for (size_t k = 0; k < sizeof core; k++)
        keep[core[k]] = o->features.on[core[k]];
    for (size_t k = 0; k < sizeof later; k++)
        keep12[later[k]] = o->f12.on[later[k]];
    keep11[VK_F11_STORAGE16] = o->f11.on[VK_F11_STORAGE16];
    o->matrix.on[VK_FMATRIX_ROBUST] = false;
    memcpy(o->features.on, keep, sizeof keep);
    memcpy(o->f11.on, keep11, sizeof keep11);
    memcpy(o->f12.on, keep12, sizeof keep12);
    const char *names[EXTENSIONS];
    uint32_t n = 0;
    for (size_t k = 0; k < EXTENSIONS; k++)
        if (*has(o, k))
            names[n++] = extensions[k].name;
    const float priorities[4] = {1, 1, 1, 1};
    struct vk_device_queue_create queues[2] = {{.type = VK_TYPE_DEVICE_QUEUE,
                                                .family = d->family,
                                                .count = d->nvk_queues,
                                                .priorities = priorities},
                                               {.type = VK_TYPE_DEVICE_QUEUE,
                                                .family = d->copy_family,
                                                .count = 1,
                                                .priorities = priorities}};
    struct vk_device_create create = {.type = VK_TYPE_DEVICE,
                                      .next = &o->features,
                                      .nqueues = d->copy_family != d->family ? 2 : 1,
                                      .queues = queues,
                                      .nextensions = n,
                                      .extensions = names};
    vk_result r = d->fn.CreateDevice(d->physical, &create, NULL, &d->device);
    if (r != VK_SUCCESS) {
        d->device = NULL;
        return vk_error(r);
    }
#define G(name)
#define I(name)
#define D(name)                                                                                    \
    *(void **)&d->fn.name = d->fn.GetDeviceProcAddr(d->device, "vk" #name);                        \
    missing |= !d->fn.name;
#define O(name)                         *(void **)&d->fn.name = d->fn.GetDeviceProcAddr(d->device, "vk" #name);
#define FN(group, result, name, params) group(name)
    bool missing = false;
    VK_FUNCTIONS(FN)
#undef FN
#undef G
#undef I
#undef D
#undef O
    for (uint32_t k = 0; k < d->nvk_queues && !missing; k++)
        d->fn.GetDeviceQueue(d->device, d->family, k, &d->vk_queues[k]);
    if (d->copy_family != d->family && !missing)
        d->fn.GetDeviceQueue(d->device, d->copy_family, 0, &d->vk_queues[VK_COPY_QUEUE]);
    return missing ? TERN_DRIVER : TERN_OK;
}

/* A driver without a GPU runs kernels on threads that it starts here. */
static enum tern_error create_watched(struct dev *d, struct offer *o)
{
    const bool software = d->properties.device_type == VK_DEVICE_TYPE_CPU;
    struct rt_threads before = software ? rt_threads_now() : (struct rt_threads){0};
    const enum tern_error e = create_device(d, o);
    if (software) {
        rt_fault_signals();
        d->threads = rt_threads_since(&before);
    }
    return e;
}

/* A driver that runs on the CPU may use the host's own addresses: then so can everyone. Elsewhere
 * host memory is mapped where the device sees it, if that can be done and the addresses are free.
 */
static void compare_addresses(struct dev *d, const struct offer *o)
{
    struct vk_buffer b;
    if (d->properties.device_type == VK_DEVICE_TYPE_CPU &&
        !vk_buffer_new(d, 4096, VK_MEMORY_DEVICE, VK_MEMORY_HOST | VK_MEMORY_COHERENT, &b)) {
        d->same_addresses = b.mapped && b.address == (uint64_t)(uintptr_t)b.mapped;
        vk_buffer_free(d, &b);
    }
    if (d->same_addresses)
        return;
    d->placed = o->has_placed && o->placed.on[VK_FPLACED_MAP] && d->fn.MapMemory2KHR;
    d->window_step = d->placed && o->placed_properties.alignment > WINDOW_STEP
                         ? o->placed_properties.alignment
                         : WINDOW_STEP;
    if (vk_buffer_placed(d, d->window_step, &b)) {
        d->window_step = 0;
        report_note(&d->host.reports, "vulkan: no managed memory: %s",
                    d->placed
                        ? "its addresses are taken in this process"
                        : "the driver lacks VK_EXT_map_memory_placed, and what it maps cannot be "
                          "moved to its addresses");
        return;
    }
    vk_buffer_free(d, &b);
}

static struct image_key cache_key(const struct dev *d)
{
    char target[64];
    snprintf(target, sizeof target, "vulkan %x:%x", d->properties.vendor, d->properties.device);
    struct image_key k = image_key(IMAGE_PIPELINES, target);
    image_key_add(&k, d->properties.cache_uuid, sizeof d->properties.cache_uuid);
    return k;
}

/* The driver's data, of this very driver and device, undamaged; else NULL: drivers have been seen
 * to crash on what is not their own. */
static char *read_cache(const struct dev *d, size_t *n)
{
    struct { /* as Vulkan says that the data starts */
        uint32_t size, version, vendor, device;
        uint8_t uuid[16];
    } theirs;
    const struct image_key k = cache_key(d);
    char *data = image_read(d->host.cache_dir, &k, n);
    bool ok = data && *n >= sizeof theirs;
    if (ok) {
        memcpy(&theirs, data, sizeof theirs);
        ok = theirs.version == 1 && theirs.vendor == d->properties.vendor &&
             theirs.device == d->properties.device &&
             !memcmp(theirs.uuid, d->properties.cache_uuid, sizeof theirs.uuid);
    }
    report_note(&d->host.reports, "vulkan: pipelines of earlier runs: %s",
                ok ? "from the cache" : "none");
    if (ok)
        return data;
    free(data);
    *n = 0;
    return NULL;
}

static enum tern_error create_cache(struct dev *d)
{
    struct vk_pipeline_cache_create create = {.type = VK_TYPE_PIPELINE_CACHE};
    char *data = read_cache(d, &d->cache_size);
    if (data) {
        create.size = d->cache_size;
        create.data = data;
    }
    vk_result r = d->fn.CreatePipelineCache(d->device, &create, NULL, &d->cache);
    free(data);
    struct vk_push_range range = {VK_STAGE_COMPUTE, 0, sizeof(struct spirv_push)};
    struct vk_pipeline_layout_create layout = {
        .type = VK_TYPE_PIPELINE_LAYOUT, .nranges = 1, .ranges = &range};
    if (r == VK_SUCCESS)
        r = d->fn.CreatePipelineLayout(d->device, &layout, NULL, &d->layout);
    return vk_error(r);
}

/* What was found is not written again. */
static void save_cache(struct dev *d)
{
    size_t n = 0;
    if (!d->host.cache_dir || !d->cache ||
        d->fn.GetPipelineCacheData(d->device, d->cache, &n, NULL) != VK_SUCCESS ||
        n == d->cache_size)
        return;
    char *data = malloc(n + 1);
    if (data && d->fn.GetPipelineCacheData(d->device, d->cache, &n, data) == VK_SUCCESS) {
        const struct image_key k = cache_key(d);
        image_write(d->host.cache_dir, &k, data, n);
    }
    free(data);
}

/* Drivers take themselves down when the process ends, also under work that still runs, and some
 * then crash. Kernels that end soon are given the time; one that never ends must not keep the
 * process. What static objects ask for later is answered without the driver. */
static void leave(int status, void *arg)
{
    enum { PATIENCE_NS = 2000000000 };
    struct vk_leaving *l = arg;
    (void)status;
    pthread_mutex_lock(&l->lock);
    if (l->dev) {
        vk_queues_settle(l->dev, PATIENCE_NS);
        save_cache(l->dev);
        atomic_store(&l->dev->gone, true);
    }
    pthread_mutex_unlock(&l->lock);
}

/* Registered after the driver's own handlers, so that it runs before them. */
static void watch_exit(struct dev *d)
{
    struct vk_leaving *l = calloc(1, sizeof *l);
    if (!l)
        return;
    pthread_mutex_init(&l->lock, NULL);
    l->dev = d;
    if (on_exit(leave, l))
        free(l);
    else
        d->leaving = l;
}

static void close_device(struct dev *d)
{
    if (d->leaving) {
        pthread_mutex_lock(&d->leaving->lock);
        d->leaving->dev = NULL;
        pthread_mutex_unlock(&d->leaving->lock);
    }
    const bool works = d->device && !vk_gone(d);
    if (works && d->fn.DeviceWaitIdle)
        d->fn.DeviceWaitIdle(d->device);
    vk_events_close(d);
    vk_check_close(d, works);
    if (works) {
        if (d->cache) {
            save_cache(d);
            d->fn.DestroyPipelineCache(d->device, d->cache, NULL);
        }
        if (d->layout)
            d->fn.DestroyPipelineLayout(d->device, d->layout, NULL);
        vk_memory_free_all(d);
        d->fn.DestroyDevice(d->device, NULL);
    }
    bool gone = vk_gone(d);
    for (uint32_t k = 0; k < VK_QUEUES; k++)
        pthread_mutex_destroy(&d->submit_lock[k]);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->heap_lock);
    pthread_mutex_destroy(&d->checking);
    pthread_mutex_destroy(&d->learning);
    free(d->threads.ids);
    struct loaded l = {.library = d->library, .instance = d->instance, .fn = d->fn};
    if (!gone)
        unload(&l);
    free((char *)d->host.cache_dir);
    free(d);
}

static enum tern_error open_device(unsigned ordinal, const struct dev_host *host, struct dev **out)
{
    struct loaded l;
    vk_physical devices[MAX_PHYSICAL];
    const char *why = NULL;
    if (!load(&l, &why))
        return TERN_NO_DEVICE;
    struct dev *d = calloc(1, sizeof *d);
    if (!d || ordinal >= usable(&l, devices, &why)) {
        unload(&l);
        free(d);
        return d ? TERN_NO_DEVICE : TERN_OUT_OF_MEMORY;
    }
    d->host = *host;
    d->host.cache_dir = host->cache_dir ? strdup(host->cache_dir) : NULL; /* the caller's may go */
    d->library = l.library;
    d->instance = l.instance;
    d->fn = l.fn;
    d->physical = devices[ordinal];
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->heap_lock, NULL);
    pthread_mutex_init(&d->checking, NULL);
    pthread_mutex_init(&d->learning, NULL);
    for (uint32_t k = 0; k < VK_QUEUES; k++)
        pthread_mutex_init(&d->submit_lock[k], NULL);
    struct offer o;
    inspect(&d->fn, d->physical, &o);
    d->properties = o.properties;
    d->budget = o.has_budget;
    d->host_reset = o.f12.on[VK_F12_HOST_QUERY_RESET];
    d->units = count_units(&o);
    snprintf(d->driver, sizeof d->driver, "%.40s %.20s", o.p12.driver_name, o.p12.driver_info);
    set_features(d, &o);
    change_features(d, SETTING_VK_WITH, true);
    change_features(d, SETTING_VK_WITHOUT, false);
    d->memory_types.type = VK_TYPE_MEMORY_PROPERTIES;
    d->fn.GetPhysicalDeviceMemoryProperties2(d->physical, &d->memory_types);
    enum tern_error e = pick_family(d) ? create_watched(d, &o) : TERN_UNSUPPORTED;
    if (!e)
        e = create_cache(d);
    if (!e)
        compare_addresses(d, &o);
    if (e) {
        close_device(d);
        return e;
    }
    watch_exit(d);
    *out = d;
    return TERN_OK;
}

/* ---- what it is ---- */

static enum tern_error info(struct dev *d, struct dev_info *out)
{
    const struct vk_limits *l = &d->properties.limits;
    *out = (struct dev_info){.units = d->units,
                             .warp_size = 32,
                             .max_threads_per_block = l->max_invocations,
                             .shared_per_block = l->max_shared - SPIRV_SHARED_BASE,
                             .arch = 800};
    snprintf(out->name, sizeof out->name, "%.100s", d->properties.name);
    snprintf(out->driver, sizeof out->driver, "%s", d->driver);
    for (int k = 0; k < 3; k++) {
        out->max_block[k] = l->max_group_size[k];
        out->max_grid[k] = k ? 65535 : INT32_MAX; /* larger ones than the device takes are split */
    }
    out->flags = (d->features.f64 ? DEV_F64 : 0) | DEV_I64 | DEV_COOPERATIVE | DEV_GPU |
                 (d->features.f16 ? DEV_F16 : 0) |
                 (d->features.matrix_f16 && d->features.subgroup_32 ? DEV_MATRIX : 0);
    if (d->properties.device_type == VK_DEVICE_TYPE_CPU)
        out->flags |= DEV_SOFTWARE;
    if (d->same_addresses)
        out->flags |= DEV_HOST_MEMORY | DEV_READS_HOST;
    if (d->same_addresses || d->window_step)
        out->flags |= DEV_MANAGED;
    struct vk_memory_budget budget = {.type = VK_TYPE_MEMORY_BUDGET};
    struct vk_memory_properties m = {.type = VK_TYPE_MEMORY_PROPERTIES,
                                     .next = d->budget ? &budget : NULL};
    d->fn.GetPhysicalDeviceMemoryProperties2(d->physical, &m);
    for (uint32_t k = 0; k < m.nheaps; k++)
        if (m.heaps[k].flags & 1) { /* device-local */
            out->memory += m.heaps[k].size;
            out->memory_free += d->budget && budget.budget[k] > budget.usage[k]
                                    ? budget.budget[k] - budget.usage[k]
                                : d->budget ? 0
                                            : m.heaps[k].size;
        }
    return TERN_OK;
}

/* Faults do no harm to the device; one that was given up says so at each call. */
static enum tern_error reset_fault(struct dev *d)
{
    (void)d;
    return TERN_OK;
}

const struct dev_driver dev_vulkan = {.abi = DEV_ABI,
                                      .name = "vulkan",
                                      .level = 2,
                                      .checks = true,
                                      .count = count,
                                      .absent = absent,
                                      .open = open_device,
                                      .close = close_device,
                                      .info = info,
                                      .heap_limit = vk_heap_limit,
                                      .reset_fault = reset_fault,
                                      .alloc = vk_checked_alloc,
                                      .free = vk_checked_free,
                                      .copy_in = vk_checked_in,
                                      .copy_out = vk_checked_out,
                                      .copy = vk_checked_copy,
                                      .fill = vk_checked_fill,
                                      .managed_alloc = vk_checked_managed,
                                      .load = vk_load,
                                      .unload = vk_unload,
                                      .kernel = vk_kernel,
                                      .global = vk_global,
                                      .launch = vk_launch,
                                      .queue_new = vk_queue_new,
                                      .queue_free = vk_checked_queue_free,
                                      .queue_wait = vk_checked_queue_wait,
                                      .queue_query = vk_checked_queue_query,
                                      .event_new = vk_event_new,
                                      .event_free = vk_checked_event_free,
                                      .event_record = vk_checked_event_record,
                                      .event_wait = vk_checked_event_wait,
                                      .queue_after = vk_checked_queue_after,
                                      .event_time = vk_checked_event_time,
                                      .host_call = vk_host_call,
                                      .capture_begin = vk_capture_begin,
                                      .capture_end = vk_capture_end,
                                      .graph_launch = vk_graph_launch,
                                      .graph_free = vk_graph_free,
                                      .texture_new = vk_texture_new,
                                      .texture_free = vk_texture_free};
