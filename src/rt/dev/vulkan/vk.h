/* The part of Vulkan 1.2 that dev/vulkan uses, in our own declarations: no header package is needed
 * to build. Layouts and numbers are Vulkan's; a test compares them with the real header where it is
 * installed. */
#ifndef RT_DEV_VULKAN_VK_H
#define RT_DEV_VULKAN_VK_H

#include <stddef.h>
#include <stdint.h>

typedef struct vk_instance_t *vk_instance;
typedef struct vk_physical_t *vk_physical;
typedef struct vk_device_t *vk_device;
typedef struct vk_queue_t *vk_queue;
typedef struct vk_command_buffer_t *vk_command_buffer;
typedef uint64_t vk_handle; /* of everything else; 0 is none */
typedef uint32_t vk_bool;
typedef int32_t vk_result;

enum {
    VK_SUCCESS = 0,
    VK_NOT_READY = 1,
    VK_TIMEOUT = 2,
    VK_INCOMPLETE = 5,
    VK_OUT_OF_HOST = -1,
    VK_OUT_OF_DEVICE = -2,
    VK_LOST = -4
};

enum vk_type {
    VK_TYPE_APPLICATION = 0,
    VK_TYPE_INSTANCE = 1,
    VK_TYPE_DEVICE_QUEUE = 2,
    VK_TYPE_DEVICE = 3,
    VK_TYPE_SUBMIT = 4,
    VK_TYPE_MEMORY_ALLOCATE = 5,
    VK_TYPE_SEMAPHORE = 9,
    VK_TYPE_QUERY_POOL = 11,
    VK_TYPE_BUFFER = 12,
    VK_TYPE_SHADER_MODULE = 16,
    VK_TYPE_PIPELINE_CACHE = 17,
    VK_TYPE_SHADER_STAGE = 18,
    VK_TYPE_COMPUTE_PIPELINE = 29,
    VK_TYPE_PIPELINE_LAYOUT = 30,
    VK_TYPE_COMMAND_POOL = 39,
    VK_TYPE_COMMAND_BUFFER_ALLOCATE = 40,
    VK_TYPE_COMMAND_BUFFER_BEGIN = 42,
    VK_TYPE_MEMORY_BARRIER = 46,
    VK_TYPE_FEATURES_11 = 49,
    VK_TYPE_PROPERTIES_11 = 50,
    VK_TYPE_FEATURES_12 = 51,
    VK_TYPE_PROPERTIES_12 = 52,
    VK_TYPE_FEATURES = 1000059000,
    VK_TYPE_PROPERTIES = 1000059001,
    VK_TYPE_MEMORY_PROPERTIES = 1000059006,
    VK_TYPE_MEMORY_ALLOCATE_FLAGS = 1000060000,
    VK_TYPE_SM_PROPERTIES = 1000154001,
    VK_TYPE_BFLOAT16_FEATURES = 1000141000,
    VK_TYPE_SHADER_CLOCK_FEATURES = 1000181000,
    VK_TYPE_SEMAPHORE_TYPE = 1000207002,
    VK_TYPE_TIMELINE_SUBMIT = 1000207003,
    VK_TYPE_SEMAPHORE_WAIT = 1000207004,
    VK_TYPE_SUBGROUP_SIZE_PROPERTIES = 1000225000,
    VK_TYPE_REQUIRED_SUBGROUP_SIZE = 1000225001,
    VK_TYPE_SUBGROUP_SIZE_FEATURES = 1000225002,
    VK_TYPE_MEMORY_BUDGET = 1000237000,
    VK_TYPE_BUFFER_ADDRESS = 1000244001,
    VK_TYPE_ATOMIC_FLOAT_FEATURES = 1000260000,
    VK_TYPE_MEMORY_MAP = 1000271000,
    VK_TYPE_PLACED_FEATURES = 1000272000,
    VK_TYPE_PLACED_PROPERTIES = 1000272001,
    VK_TYPE_MEMORY_MAP_PLACED = 1000272002,
    VK_TYPE_SHARED_LAYOUT_FEATURES = 1000336000,
    VK_TYPE_MATRIX_FEATURES = 1000506000,
    VK_TYPE_MATRIX_PROPERTIES = 1000506001,
};

/* How every extensible structure starts. */
struct vk_head {
    uint32_t type;
    void *next;
};

struct vk_application {
    uint32_t type;
    const void *next;
    const char *name;
    uint32_t version;
    const char *engine;
    uint32_t engine_version, api_version;
};

struct vk_instance_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const struct vk_application *application;
    uint32_t nlayers;
    const char *const *layers;
    uint32_t nextensions;
    const char *const *extensions;
};

struct vk_limits {
    uint32_t images[8], max_push_constants, max_allocations, max_samplers;
    uint64_t granularity, sparse_size;
    uint32_t descriptors[38], max_shared, max_groups[3], max_invocations, max_group_size[3],
        precision[5];
    float samplers[2];
    uint32_t viewports[3];
    float viewport_range[2];
    uint32_t viewport_bits;
    size_t map_alignment;
    uint64_t offset_alignments[3];
    int32_t texel_offsets[4];
    float interpolation[2];
    uint32_t framebuffer[15];
    vk_bool timestamps;
    float timestamp_period;
    uint32_t clip[4];
    float lines[6];
    vk_bool strict[2];
    uint64_t copy_alignments[3];
};

struct vk_properties {
    uint32_t type;
    void *next;
    uint32_t api_version, driver_version, vendor, device, device_type;
    char name[256];
    uint8_t cache_uuid[16];
    struct vk_limits limits;
    vk_bool sparse[5];
};

enum { VK_DEVICE_TYPE_INTEGRATED = 1, VK_DEVICE_TYPE_DISCRETE = 2, VK_DEVICE_TYPE_CPU = 4 };

struct vk_properties_11 {
    uint32_t type;
    void *next;
    uint8_t device_uuid[16], driver_uuid[16], luid[8];
    uint32_t node_mask;
    vk_bool luid_valid;
    uint32_t subgroup_size, subgroup_stages, subgroup_operations;
    vk_bool quad_all_stages;
    uint32_t point_clipping, multiview_views, multiview_instances;
    vk_bool protected_no_fault;
    uint32_t max_per_set_descriptors;
    uint64_t max_allocation;
};

struct vk_properties_12 {
    uint32_t type;
    void *next;
    uint32_t driver_id;
    char driver_name[256], driver_info[256];
    uint8_t conformance[4];
    uint32_t denorm_independence, rounding_independence;
    vk_bool nan_preserve[3], denorm_preserve[3], denorm_flush[3], rte[3],
        rtz[3]; /* f16, f32, f64 */
    uint32_t rest[29];
    uint64_t max_timeline_difference;
    uint32_t integer_color_counts;
};

struct vk_properties_subgroup_size {
    uint32_t type;
    void *next;
    uint32_t min_size, max_size, max_subgroups, stages;
};

struct vk_properties_sm {
    uint32_t type;
    void *next;
    uint32_t count, warps;
};

struct vk_properties_placed {
    uint32_t type;
    void *next;
    uint64_t alignment;
};

/* Features are arrays of booleans, by the index in Vulkan's structure. */
enum { VK_F_FLOAT64 = 39, VK_F_INT64 = 40, VK_F_INT16 = 41, VK_F_COUNT = 55 };
enum { VK_F11_STORAGE16 = 0, VK_F11_COUNT = 12 };
enum {
    VK_F12_STORAGE8 = 2,
    VK_F12_INT64_ATOMICS = 5,
    VK_F12_SHARED_INT64_ATOMICS = 6,
    VK_F12_FLOAT16 = 7,
    VK_F12_INT8 = 8,
    VK_F12_SUBGROUP_EXTENDED = 34,
    VK_F12_HOST_QUERY_RESET = 36,
    VK_F12_TIMELINE = 37,
    VK_F12_BUFFER_ADDRESS = 38,
    VK_F12_MEMORY_MODEL = 41,
    VK_F12_MEMORY_MODEL_DEVICE = 42,
    VK_F12_COUNT = 47,
};
enum {
    VK_FAF_BUFFER32 = 0,
    VK_FAF_BUFFER32_ADD = 1,
    VK_FAF_BUFFER64_ADD = 3,
    VK_FAF_SHARED32_ADD = 5,
    VK_FAF_COUNT = 12
};
enum { VK_FSS_CONTROL = 0, VK_FSS_FULL = 1, VK_FSS_COUNT = 2 };
enum { VK_FPLACED_MAP = 0, VK_FPLACED_COUNT = 3 };
enum {
    VK_FSHARED_LAYOUT = 0,
    VK_FSHARED_SCALAR = 1,
    VK_FSHARED_8 = 2,
    VK_FSHARED_16 = 3,
    VK_FSHARED_COUNT = 4
};
enum { VK_FMATRIX = 0, VK_FMATRIX_ROBUST = 1, VK_FMATRIX_COUNT = 2 };
enum { VK_FBF16 = 0, VK_FBF16_MATRIX = 2, VK_FBF16_COUNT = 3 };
enum { VK_FCLOCK_SUBGROUP = 0, VK_FCLOCK_DEVICE = 1, VK_FCLOCK_COUNT = 2 };

#define VK_FEATURES(name, count)                                                                   \
    struct name {                                                                                  \
        uint32_t type;                                                                             \
        void *next;                                                                                \
        vk_bool on[count];                                                                         \
    }
VK_FEATURES(vk_features, VK_F_COUNT);
VK_FEATURES(vk_features_11, VK_F11_COUNT);
VK_FEATURES(vk_features_12, VK_F12_COUNT);
VK_FEATURES(vk_features_atomic_float, VK_FAF_COUNT);
VK_FEATURES(vk_features_subgroup_size, VK_FSS_COUNT);
VK_FEATURES(vk_features_clock, VK_FCLOCK_COUNT);
VK_FEATURES(vk_features_placed, VK_FPLACED_COUNT);
VK_FEATURES(vk_features_shared_layout, VK_FSHARED_COUNT);
VK_FEATURES(vk_features_matrix, VK_FMATRIX_COUNT);
VK_FEATURES(vk_features_bf16, VK_FBF16_COUNT);

/* D = A B + C of a subgroup: what types and shape. */
struct vk_matrix {
    uint32_t type;
    void *next;
    uint32_t m, n, k, a, b, c, d; /* enum vk_component */
    vk_bool saturates;
    uint32_t scope; /* 3: subgroup */
};
enum vk_component {
    VK_COMPONENT_F16 = 0,
    VK_COMPONENT_F32 = 1,
    VK_COMPONENT_S8 = 3,
    VK_COMPONENT_S32 = 5,
    VK_COMPONENT_U8 = 7,
    VK_COMPONENT_U32 = 9,
    VK_COMPONENT_BF16 = 1000141000,
};

struct vk_extension {
    char name[256];
    uint32_t version;
};

struct vk_queue_family {
    uint32_t flags, count, timestamp_bits, granularity[3];
};
enum { VK_QUEUE_GRAPHICS = 1, VK_QUEUE_COMPUTE = 2, VK_QUEUE_TRANSFER = 4 };

struct vk_memory_type {
    uint32_t flags, heap;
};
struct vk_memory_heap {
    uint64_t size;
    uint32_t flags;
};
struct vk_memory_properties {
    uint32_t type;
    void *next;
    uint32_t ntypes;
    struct vk_memory_type types[32];
    uint32_t nheaps;
    struct vk_memory_heap heaps[16];
};
struct vk_memory_budget {
    uint32_t type;
    void *next;
    uint64_t budget[16], usage[16];
};
enum { VK_MEMORY_DEVICE = 1, VK_MEMORY_HOST = 2, VK_MEMORY_COHERENT = 4, VK_MEMORY_CACHED = 8 };

struct vk_device_queue_create {
    uint32_t type;
    const void *next;
    uint32_t flags, family, count;
    const float *priorities;
};

struct vk_device_create {
    uint32_t type;
    const void *next;
    uint32_t flags, nqueues;
    const struct vk_device_queue_create *queues;
    uint32_t nlayers;
    const char *const *layers;
    uint32_t nextensions;
    const char *const *extensions;
    const void *features;
};

struct vk_memory_allocate {
    uint32_t type;
    const void *next;
    uint64_t size;
    uint32_t memory_type;
};
struct vk_memory_allocate_flags {
    uint32_t type;
    const void *next;
    uint32_t flags, device_mask;
};
enum { VK_ALLOCATE_DEVICE_ADDRESS = 2 };

struct vk_memory_map {
    uint32_t type;
    const void *next;
    uint32_t flags;
    vk_handle memory;
    uint64_t offset, size;
};
struct vk_memory_map_placed {
    uint32_t type;
    const void *next;
    void *address;
};
enum { VK_MAP_PLACED = 1 };

struct vk_buffer_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
    uint64_t size;
    uint32_t usage, sharing, nfamilies;
    const uint32_t *families;
};
enum { VK_USAGE_TRANSFER = 1 | 2, VK_USAGE_STORAGE = 0x20, VK_USAGE_ADDRESS = 0x20000 };

struct vk_memory_requirements {
    uint64_t size, alignment;
    uint32_t types;
};

struct vk_buffer_address {
    uint32_t type;
    const void *next;
    vk_handle buffer;
};

struct vk_shader_module_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
    size_t size;
    const uint32_t *code;
};

struct vk_push_range {
    uint32_t stages, offset, size;
};
struct vk_pipeline_layout_create {
    uint32_t type;
    const void *next;
    uint32_t flags, nsets;
    const vk_handle *sets;
    uint32_t nranges;
    const struct vk_push_range *ranges;
};

struct vk_spec_entry {
    uint32_t id, offset;
    size_t size;
};
struct vk_spec_info {
    uint32_t n;
    const struct vk_spec_entry *entries;
    size_t size;
    const void *data;
};
struct vk_required_subgroup_size {
    uint32_t type;
    const void *next;
    uint32_t size;
};
struct vk_shader_stage {
    uint32_t type;
    const void *next;
    uint32_t flags, stage;
    vk_handle module;
    const char *entry;
    const struct vk_spec_info *spec;
};
enum { VK_STAGE_COMPUTE = 0x20, VK_STAGE_FLAG_FULL_SUBGROUPS = 2 };

struct vk_compute_pipeline_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
    struct vk_shader_stage stage;
    vk_handle layout, base;
    int32_t base_index;
};

struct vk_pipeline_cache_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
    size_t size;
    const void *data;
};

struct vk_command_pool_create {
    uint32_t type;
    const void *next;
    uint32_t flags, family;
};
enum { VK_POOL_RESET = 2 };

struct vk_command_buffer_allocate {
    uint32_t type;
    const void *next;
    vk_handle pool;
    uint32_t level, count;
};
struct vk_command_buffer_begin {
    uint32_t type;
    const void *next;
    uint32_t flags;
    const void *inheritance;
};

struct vk_memory_barrier {
    uint32_t type;
    const void *next;
    uint32_t from, to;
};
enum {
    VK_ACCESS_SHADER_READ = 0x20,
    VK_ACCESS_SHADER_WRITE = 0x40,
    VK_ACCESS_TRANSFER_READ = 0x800,
    VK_ACCESS_TRANSFER_WRITE = 0x1000,
    VK_ACCESS_HOST_READ = 0x2000,
    VK_ACCESS_HOST_WRITE = 0x4000,
    VK_PIPELINE_COMPUTE = 0x800,
    VK_PIPELINE_TRANSFER = 0x1000,
    VK_PIPELINE_BOTTOM = 0x2000,
    VK_PIPELINE_HOST = 0x4000,
};

struct vk_buffer_copy {
    uint64_t from, to, size;
};

struct vk_semaphore_create {
    uint32_t type;
    const void *next;
    uint32_t flags;
};
struct vk_semaphore_type {
    uint32_t type;
    const void *next;
    uint32_t kind; /* 1: timeline */
    uint64_t initial;
};
struct vk_timeline_submit {
    uint32_t type;
    const void *next;
    uint32_t nwait;
    const uint64_t *wait;
    uint32_t nsignal;
    const uint64_t *signal;
};
struct vk_submit {
    uint32_t type;
    const void *next;
    uint32_t nwait;
    const vk_handle *wait;
    const uint32_t *wait_stages;
    uint32_t nbuffers;
    const vk_command_buffer *buffers;
    uint32_t nsignal;
    const vk_handle *signal;
};
struct vk_semaphore_wait {
    uint32_t type;
    const void *next;
    uint32_t flags, n;
    const vk_handle *semaphores;
    const uint64_t *values;
};
struct vk_query_pool_create {
    uint32_t type;
    const void *next;
    uint32_t flags, kind /* 2: timestamp */, count, statistics;
};

/* Functions: VK_FN(group, result, name, parameters). Groups: G global, I instance, D device, O
 * device but optional. */
#define VK_FUNCTIONS(FN)                                                                           \
    FN(G, vk_result, CreateInstance,                                                               \
       (const struct vk_instance_create *, const void *, vk_instance *))                           \
    FN(I, void, DestroyInstance, (vk_instance, const void *))                                      \
    FN(I, vk_result, EnumeratePhysicalDevices, (vk_instance, uint32_t *, vk_physical *))           \
    FN(I, void, GetPhysicalDeviceProperties2, (vk_physical, struct vk_properties *))               \
    FN(I, void, GetPhysicalDeviceFeatures2, (vk_physical, struct vk_features *))                   \
    FN(I, void, GetPhysicalDeviceMemoryProperties2, (vk_physical, struct vk_memory_properties *))  \
    FN(I, void, GetPhysicalDeviceQueueFamilyProperties,                                            \
       (vk_physical, uint32_t *, struct vk_queue_family *))                                        \
    FN(I, vk_result, EnumerateDeviceExtensionProperties,                                           \
       (vk_physical, const char *, uint32_t *, struct vk_extension *))                             \
    FN(I, vk_result, GetPhysicalDeviceCooperativeMatrixPropertiesKHR,                              \
       (vk_physical, uint32_t *, struct vk_matrix *))                                              \
    FN(I, vk_result, CreateDevice,                                                                 \
       (vk_physical, const struct vk_device_create *, const void *, vk_device *))                  \
    FN(I, void *, GetDeviceProcAddr, (vk_device, const char *))                                    \
    FN(D, void, DestroyDevice, (vk_device, const void *))                                          \
    FN(D, void, GetDeviceQueue, (vk_device, uint32_t, uint32_t, vk_queue *))                       \
    FN(D, vk_result, DeviceWaitIdle, (vk_device))                                                  \
    FN(D, vk_result, AllocateMemory,                                                               \
       (vk_device, const struct vk_memory_allocate *, const void *, vk_handle *))                  \
    FN(D, void, FreeMemory, (vk_device, vk_handle, const void *))                                  \
    FN(D, vk_result, MapMemory, (vk_device, vk_handle, uint64_t, uint64_t, uint32_t, void **))     \
    FN(O, vk_result, MapMemory2KHR, (vk_device, const struct vk_memory_map *, void **))            \
    FN(D, vk_result, CreateBuffer,                                                                 \
       (vk_device, const struct vk_buffer_create *, const void *, vk_handle *))                    \
    FN(D, void, DestroyBuffer, (vk_device, vk_handle, const void *))                               \
    FN(D, void, GetBufferMemoryRequirements,                                                       \
       (vk_device, vk_handle, struct vk_memory_requirements *))                                    \
    FN(D, vk_result, BindBufferMemory, (vk_device, vk_handle, vk_handle, uint64_t))                \
    FN(D, uint64_t, GetBufferDeviceAddress, (vk_device, const struct vk_buffer_address *))         \
    FN(D, vk_result, CreateShaderModule,                                                           \
       (vk_device, const struct vk_shader_module_create *, const void *, vk_handle *))             \
    FN(D, void, DestroyShaderModule, (vk_device, vk_handle, const void *))                         \
    FN(D, vk_result, CreatePipelineLayout,                                                         \
       (vk_device, const struct vk_pipeline_layout_create *, const void *, vk_handle *))           \
    FN(D, void, DestroyPipelineLayout, (vk_device, vk_handle, const void *))                       \
    FN(D, vk_result, CreatePipelineCache,                                                          \
       (vk_device, const struct vk_pipeline_cache_create *, const void *, vk_handle *))            \
    FN(D, void, DestroyPipelineCache, (vk_device, vk_handle, const void *))                        \
    FN(D, vk_result, GetPipelineCacheData, (vk_device, vk_handle, size_t *, void *))               \
    FN(D, vk_result, CreateComputePipelines,                                                       \
       (vk_device, vk_handle, uint32_t, const struct vk_compute_pipeline_create *, const void *,   \
        vk_handle *))                                                                              \
    FN(D, void, DestroyPipeline, (vk_device, vk_handle, const void *))                             \
    FN(D, vk_result, CreateCommandPool,                                                            \
       (vk_device, const struct vk_command_pool_create *, const void *, vk_handle *))              \
    FN(D, void, DestroyCommandPool, (vk_device, vk_handle, const void *))                          \
    FN(D, vk_result, AllocateCommandBuffers,                                                       \
       (vk_device, const struct vk_command_buffer_allocate *, vk_command_buffer *))                \
    FN(D, vk_result, BeginCommandBuffer,                                                           \
       (vk_command_buffer, const struct vk_command_buffer_begin *))                                \
    FN(D, vk_result, EndCommandBuffer, (vk_command_buffer))                                        \
    FN(D, void, CmdBindPipeline, (vk_command_buffer, uint32_t, vk_handle))                         \
    FN(D, void, CmdPushConstants,                                                                  \
       (vk_command_buffer, vk_handle, uint32_t, uint32_t, uint32_t, const void *))                 \
    FN(D, void, CmdDispatch, (vk_command_buffer, uint32_t, uint32_t, uint32_t))                    \
    FN(D, void, CmdPipelineBarrier,                                                                \
       (vk_command_buffer, uint32_t, uint32_t, uint32_t, uint32_t,                                 \
        const struct vk_memory_barrier *, uint32_t, const void *, uint32_t, const void *))         \
    FN(D, void, CmdCopyBuffer,                                                                     \
       (vk_command_buffer, vk_handle, vk_handle, uint32_t, const struct vk_buffer_copy *))         \
    FN(D, void, CmdFillBuffer, (vk_command_buffer, vk_handle, uint64_t, uint64_t, uint32_t))       \
    FN(D, void, CmdUpdateBuffer, (vk_command_buffer, vk_handle, uint64_t, uint64_t, const void *)) \
    FN(D, void, CmdWriteTimestamp, (vk_command_buffer, uint32_t, vk_handle, uint32_t))             \
    FN(D, void, CmdResetQueryPool, (vk_command_buffer, vk_handle, uint32_t, uint32_t))             \
    FN(D, vk_result, QueueSubmit, (vk_queue, uint32_t, const struct vk_submit *, vk_handle))       \
    FN(D, vk_result, CreateSemaphore,                                                              \
       (vk_device, const struct vk_semaphore_create *, const void *, vk_handle *))                 \
    FN(D, void, DestroySemaphore, (vk_device, vk_handle, const void *))                            \
    FN(D, vk_result, WaitSemaphores, (vk_device, const struct vk_semaphore_wait *, uint64_t))      \
    FN(D, vk_result, GetSemaphoreCounterValue, (vk_device, vk_handle, uint64_t *))                 \
    FN(D, vk_result, CreateQueryPool,                                                              \
       (vk_device, const struct vk_query_pool_create *, const void *, vk_handle *))                \
    FN(D, void, DestroyQueryPool, (vk_device, vk_handle, const void *))                            \
    FN(D, void, ResetQueryPool, (vk_device, vk_handle, uint32_t, uint32_t))                        \
    FN(D, vk_result, GetQueryPoolResults,                                                          \
       (vk_device, vk_handle, uint32_t, uint32_t, size_t, void *, uint64_t, uint32_t))

struct vk_functions {
#define FN(group, result, name, params) result(*name) params;
    VK_FUNCTIONS(FN)
#undef FN
};

#endif
