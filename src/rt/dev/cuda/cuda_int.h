/* What the files of the CUDA device share: our own declarations of NVIDIA's driver library, which
 * is found at run time, and the device built on it.
 *
 * library.c  finds libcuda, checks its version, names its errors
 * cuda.c     the table of functions: device, copies, queues, events, graphs
 * memory.c   a pool over the driver's allocations; managed memory
 * texture.c  textures and surfaces
 * module.c   IR → PTX → machine code by the driver, kept on disk; kernels and launches
 *
 * Only these files call the driver. Every entry makes the device's primary context current, because
 * it may come from any thread. */
#ifndef RT_DEV_CUDA_CUDA_INT_H
#define RT_DEV_CUDA_CUDA_INT_H

#include <pthread.h>
#include "driver/pipeline.h"
#include "rt/dev.h"
#include "rt/heap.h"
#include "rt/texture.h"

/* ---- libcuda ---- */
typedef int cuda_result;
typedef int cuda_device;
typedef unsigned long long cuda_ptr;
typedef struct cuda_ctx_ *cuda_context;
typedef struct cuda_stream_ *cuda_stream;
typedef struct cuda_event_ *cuda_event;
typedef struct cuda_module_ *cuda_module;
typedef struct cuda_function_ *cuda_function;
typedef struct cuda_link_ *cuda_link;
typedef struct cuda_graph_ *cuda_graph;
typedef struct cuda_graph_exec_ *cuda_graph_exec;
typedef struct cuda_array_ *cuda_array;
typedef struct cuda_mipmap_ *cuda_mipmap;
typedef uint64_t cuda_object; /* a texture's or a surface's number */

#define CUDA_MINIMUM_VERSION 11080 /* CUDA 11.8, driver 520: the first that reads PTX 7.8 */

enum cuda_attribute {
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_MAX_BLOCK_X = 2,
    CUDA_MAX_BLOCK_Y = 3,
    CUDA_MAX_BLOCK_Z = 4,
    CUDA_MAX_GRID_X = 5,
    CUDA_MAX_GRID_Y = 6,
    CUDA_MAX_GRID_Z = 7,
    CUDA_WARP_SIZE = 10,
    CUDA_CLOCK_KHZ = 13,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_MANAGED_MEMORY = 83,
    CUDA_COOPERATIVE_LAUNCH = 95,
    CUDA_SHARED_PER_BLOCK_OPTIN = 97,
};
enum cuda_function_attribute {
    CUDA_FUNC_MAX_THREADS = 0,
    CUDA_FUNC_SHARED_BYTES = 1,
    CUDA_FUNC_LOCAL_BYTES = 3,
    CUDA_FUNC_REGISTERS = 4,
    CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
};
enum cuda_jit_option {
    CUDA_JIT_INFO_LOG = 3,
    CUDA_JIT_INFO_LOG_BYTES = 4,
    CUDA_JIT_ERROR_LOG = 5,
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_JIT_LINE_INFO = 13,
};
enum { CUDA_INPUT_PTX = 1, CUDA_STREAM_NON_BLOCKING = 1, CUDA_HOST_PORTABLE = 1 };

/* ---- arrays, as the driver wants them described ---- */
enum cuda_array_flags {
    CUDA_ARRAY_LAYERED = 1,
    CUDA_ARRAY_SURFACE = 2,
    CUDA_ARRAY_CUBE = 4,
    CUDA_ARRAY_GATHER = 8,
};
struct cuda_array_desc {
    size_t width, height, depth; /* 0: not so many dimensions */
    int format;
    unsigned channels, flags;
};
enum { CUDA_MEMORY_DEVICE = 2, CUDA_MEMORY_ARRAY = 3 };
struct cuda_copy_end {
    size_t x_bytes, y, z, level;
    int kind;
    void *host;
    cuda_ptr device;
    cuda_array array;
    void *reserved;
    size_t pitch, height;
};
struct cuda_copy3d {
    struct cuda_copy_end from, to;
    size_t width_bytes, height, depth;
};
enum { CUDA_RESOURCE_ARRAY, CUDA_RESOURCE_MIPMAP, CUDA_RESOURCE_LINEAR };
struct cuda_resource {
    int kind;
    union {
        cuda_array array; /* or a mipmap */
        struct {
            cuda_ptr memory;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    } of;
    unsigned flags;
};
enum { CUDA_SAMPLE_INTEGERS = 1, CUDA_SAMPLE_NORMALIZED = 2, CUDA_SAMPLE_SRGB = 16 };
struct cuda_sampler {
    int address[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, min_level, max_level, border[4];
    int reserved[12];
};

struct cuda_api {
    void *library;
    int version;
#define CUDA_CALL(name, symbol, parameters) cuda_result(*name) parameters;
#include "rt/dev/cuda/calls.def"
};

/* NULL, and *why says why. Symbols that are missing in a library that is new enough are a reason
 * too. */
bool cuda_find(struct cuda_api *api, const char **why);
void cuda_drop(struct cuda_api *api);
const char *cuda_error_name(cuda_result r); /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
enum tern_error cuda_error(cuda_result r);
bool cuda_is_sticky(cuda_result r);

/* ---- the device ---- */

struct dev {
    struct cuda_api api;
    struct dev_host host;
    unsigned ordinal;
    cuda_device device;
    cuda_context ctx;
    unsigned arch;     /* 90 */
    cuda_event origin; /* of event times */
    unsigned made;     /* counts contexts: what another one made is gone */
    struct heap *pool;
    pthread_mutex_t lock;  /* guards what follows */
    cuda_result sticky;    /* 0: the context is alive */
    char last_kernel[128]; /* launched last, for messages */
    struct cuda_texture *textures;
    struct cuda_managed *managed;
};

struct dev_queue {
    struct dev *dev;
    unsigned made; /* in which of the device's contexts */
    cuda_stream stream;
    uint64_t deadline; /* of the launch with the earliest timeout; 0: none */
    bool capturing;
    bool spoilt; /* the capture, by what cannot be part of a graph */
};

struct dev_event {
    struct dev *dev;
    unsigned made;
    cuda_event event;
    bool recorded;
};

struct dev_graph {
    struct dev *dev;
    unsigned made;
    cuda_graph graph;
    cuda_graph_exec exec;
};

/* Makes the context current; the error that sticks, if there is one. */
enum tern_error cuda_enter(struct dev *d);
/* The same, for the use of something that was made earlier: TERN_INVALID_HANDLE after a reset. */
enum tern_error cuda_enter_with(struct dev *d, unsigned made);
/* Turns a result into our error, and remembers what failed: `what` names the call. */
enum tern_error cuda_check(struct dev *d, cuda_result r, const char *what);

/* ---- cuda.c ---- */
enum tern_error cuda_queue_wait(struct dev_queue *q);

/* ---- memory.c ---- */
enum tern_error cuda_pool_new(struct dev *d);
void cuda_pool_free(struct dev *d);
enum tern_error cuda_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                           dev_ptr *out);
enum tern_error cuda_free(struct dev *d, dev_ptr p);
/* Memory that host and kernels both reach by one address; freed by cuda_free. */
enum tern_error cuda_managed_alloc(struct dev *d, uint64_t size, dev_ptr *out);
/* What the pool holds, for messages and tests. */
struct cuda_pool_stats {
    uint64_t driver_allocations, driver_bytes, used_bytes, peak_used, peak_driver;
};
struct cuda_pool_stats cuda_pool_stats(struct dev *d);

/* ---- texture.c ---- */
enum tern_error cuda_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle);
enum tern_error cuda_texture_free(struct dev *d, uint64_t handle);
/* Copies memory to the arrays of all textures, or the arrays of surfaces back to memory. */
cuda_result cuda_textures_sync(struct dev *d, cuda_stream s, bool back);
void cuda_textures_drop(struct dev *d);

/* ---- module.c ---- */
enum tern_error cuda_load(struct dev *d, const struct ir_module *m, struct diag *diag,
                          struct dev_module **out);
void cuda_unload(struct dev *d, struct dev_module *m);
enum tern_error cuda_kernel(struct dev_module *m, const char *name, struct dev_kernel **out);
enum tern_error cuda_prepare(struct dev_kernel *k);
cuda_function cuda_kernel_function(struct dev_kernel *k); /* of one that is prepared */
enum tern_error cuda_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
enum tern_error cuda_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                            const struct dev_launch *l);
enum tern_error cuda_occupancy(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                               uint32_t *blocks);

#endif
