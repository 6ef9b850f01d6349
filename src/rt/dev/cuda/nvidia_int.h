/* What the files of the CUDA device share: our own declarations of NVIDIA's driver library, which
 * is found at run time, and the device built on it.
 *
 * library.c  finds libcuda, checks its version, names its errors
 * nvidia.c   the table of functions: device, copies, queues, events, graphs
 * memory.c   a pool over the driver's allocations; managed memory
 * texture.c  textures and surfaces
 * tensor.c   tensor maps
 * code.c     images: PTX → machine code by the driver, or IR → our own, kept on disk → a module of
 *            the driver's
 * module.c   IR → PTX; kernels and launches
 * apart.c    kernels that share nothing with others
 * better.c   kernels that are launched often, assembled by the driver beside the program
 * check.c    kernels that are checked
 *
 * Only these files call the driver. Every entry makes the device's primary context current, because
 * it may come from any thread. */
#ifndef RT_DEV_CUDA_NVIDIA_INT_H
#define RT_DEV_CUDA_NVIDIA_INT_H

#include <pthread.h>
#include "check/check.h"
#include "driver/pipeline.h"
#include "rt/dev.h"
#include "rt/heap.h"
#include "rt/image.h"
#include "rt/texture.h"

/* ---- libcuda ---- */
typedef int nv_result;
typedef int nv_device;
typedef unsigned long long nv_ptr;
typedef struct nv_ctx_ *nv_context;
typedef struct nv_stream_ *nv_stream;
typedef struct nv_event_ *nv_event;
typedef struct nv_module_ *nv_module;
typedef struct nv_function_ *nv_function;
typedef struct nv_link_ *nv_link;
typedef struct nv_graph_ *nv_graph;
typedef struct nv_graph_exec_ *nv_graph_exec;
typedef struct nv_array_ *nv_array;
typedef struct nv_mipmap_ *nv_mipmap;
typedef uint64_t nv_object; /* a texture's or a surface's number */

#define CUDA_MINIMUM_VERSION 11080 /* CUDA 11.8, driver 520: the first that reads PTX 7.8 */

enum nv_attribute {
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_MAX_BLOCK_X = 2,
    CUDA_MAX_BLOCK_Y = 3,
    CUDA_MAX_BLOCK_Z = 4,
    CUDA_MAX_GRID_X = 5,
    CUDA_MAX_GRID_Y = 6,
    CUDA_MAX_GRID_Z = 7,
    CUDA_WARP_SIZE = 10,
    CUDA_CLOCK_KHZ = 13,
    CUDA_MEMORY_CLOCK_KHZ = 36,
    CUDA_MEMORY_BUS_WIDTH = 37,
    CUDA_L2_CACHE_SIZE = 38,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_UNIT_THREADS = 39,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_UNIT_SHARED = 81,
    CUDA_MANAGED_MEMORY = 83,
    CUDA_COOPERATIVE_LAUNCH = 95,
    CUDA_SHARED_PER_BLOCK_OPTIN = 97,
    CUDA_UNIT_BLOCKS = 106,
    CUDA_WORDS = 121,
    CUDA_WIDE_WORDS = 122,
    CUDA_WORDS_NOR = 123,
};
enum nv_function_attribute {
    CUDA_FUNC_MAX_THREADS = 0,
    CUDA_FUNC_SHARED_BYTES = 1,
    CUDA_FUNC_LOCAL_BYTES = 3,
    CUDA_FUNC_REGISTERS = 4,
    CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
    CUDA_FUNC_ANY_CLUSTER = 14, /* of more than CUDA_MAX_CLUSTER_PORTABLE blocks */
};
enum nv_jit_option {
    CUDA_JIT_INFO_LOG = 3,
    CUDA_JIT_INFO_LOG_BYTES = 4,
    CUDA_JIT_ERROR_LOG = 5,
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_JIT_LINE_INFO = 13,
};
enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_INPUT_PTX = 1,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_DEVICEMAP = 2,
    CUDA_EVENT_NO_TIMING = 2
};

/* ---- arrays, as the driver wants them described ---- */
enum nv_array_flags {
    CUDA_ARRAY_LAYERED = 1,
    CUDA_ARRAY_SURFACE = 2,
    CUDA_ARRAY_CUBE = 4,
    CUDA_ARRAY_GATHER = 8,
};
struct nv_array_desc {
    size_t width, height, depth; /* 0: not so many dimensions */
    int format;
    unsigned channels, flags;
};
enum { CUDA_MEMORY_DEVICE = 2, CUDA_MEMORY_ARRAY = 3 };
struct nv_copy_end {
    size_t x_bytes, y, z, level;
    int kind;
    void *host;
    nv_ptr device;
    nv_array array;
    void *reserved;
    size_t pitch, height;
};
struct nv_copy3d {
    struct nv_copy_end from, to;
    size_t width_bytes, height, depth;
};
enum { CUDA_RESOURCE_ARRAY, CUDA_RESOURCE_MIPMAP, CUDA_RESOURCE_LINEAR };
struct nv_resource {
    int kind;
    union {
        nv_array array; /* or a mipmap */
        struct {
            nv_ptr memory;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    } of;
    unsigned flags;
};
enum { CUDA_SAMPLE_INTEGERS = 1, CUDA_SAMPLE_NORMALIZED = 2, CUDA_SAMPLE_SRGB = 16 };
struct nv_sampler {
    int address[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, min_level, max_level, border[4];
    int reserved[12];
};

enum {
    CUDA_LAUNCH_COOPERATIVE = 2,
    CUDA_LAUNCH_CLUSTER = 4,
    CUDA_LAUNCH_OVERLAPS = 6, /* programmatic stream serialization */
    CUDA_MAX_CLUSTER_PORTABLE = 8
};
struct nv_launch {
    unsigned grid[3], block[3], shared;
    nv_stream stream;
    struct nv_launch_attribute {
        int id;
        char pad[4];
        union {
            int on;
            unsigned cluster[3];
            char size[64];
        } value;
    } * attributes;
    unsigned count;
};

struct nv_api {
    void *library;
    int version;
#define CUDA_CALL(name, symbol, parameters) nv_result(*name) parameters;
#include "rt/dev/cuda/calls.def"
};

/* NULL, and *why says why. Symbols that are missing in a library that is new enough are a reason
 * too. */
bool nv_find(struct nv_api *api, const char **why);
void nv_drop(struct nv_api *api);
const char *nv_error_name(nv_result r); /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
enum tern_error nv_error(nv_result r);
bool nv_is_sticky(nv_result r);

/* ---- the device ---- */

struct dev {
    struct nv_api api;
    struct dev_host host;
    unsigned ordinal;
    nv_device device;
    nv_context ctx;
    unsigned arch;   /* 90 */
    bool exact_arch; /* it is the processor's own, no older one's */
    nv_event origin; /* of event times */
    unsigned made;   /* counts contexts: what another one made is gone */
    struct heap *pool;
    pthread_mutex_t lock;  /* guards what follows */
    nv_result sticky;      /* 0: the context is alive */
    uint64_t stack;        /* of a thread, as the driver was told; 0: it was told nothing */
    char last_kernel[128]; /* launched last, for messages */
    struct nv_texture *textures;
    struct nv_managed *managed;
    struct dev_queue *queues;
    struct nv_checks *checks; /* NULL: nobody checks */
    struct {
        pthread_mutex_t granting; /* one thread at a time; taken before `lock` */
        struct wish *first;       /* guarded by `lock` */
        uint64_t waited, spent;   /* nanoseconds: for the device; for its assembler */
    } wishes;
    pthread_mutex_t assembler; /* one at a time uses it */
};

struct dev_queue {
    struct dev *dev;
    struct dev_queue *next; /* of the device's */
    unsigned made;          /* in which of the device's contexts */
    nv_stream stream;
    uint64_t deadline; /* of the launch with the earliest timeout; 0: none */
    bool capturing;
    bool spoilt; /* the capture, by what cannot be part of a graph */
};

struct dev_event {
    struct dev *dev;
    unsigned made;
    nv_event event;
    bool recorded;
};

struct dev_graph {
    struct dev *dev;
    unsigned made;
    nv_graph graph;
    nv_graph_exec exec;
};

/* Makes the context current; the error that sticks, if there is one. */
enum tern_error nv_enter(struct dev *d);
/* A thread's stack, where functions call themselves: twice what NVIDIA gives unasked, since frames
 * of ours may be larger; what code of our own has; the driver's number of the limit. */
enum { NV_STACK = 2048, NV_OWN_STACK = 8192, NV_OWN_STACK_MOST = 256 << 10, NV_LIMIT_STACK = 0 };
bool nv_stack_at_least(struct dev *d, uint64_t bytes);
/* The same, for the use of something that was made earlier: TERN_INVALID_HANDLE after a reset. */
enum tern_error nv_enter_with(struct dev *d, unsigned made);
/* Turns a result into our error, and remembers what failed: `what` names the call. */
enum tern_error nv_check(struct dev *d, nv_result r, const char *what);

/* ---- nvidia.c ---- */
enum tern_error nv_queue_wait(struct dev_queue *q);
/* All that the device's queues have been given. */
nv_result nv_wait_queues(struct dev *d);
/* The same, and nobody is told of what came of it yet. stuck: NULL, or asked now and then whether
 * it will never end. */
enum { NV_STILL_RUNS = 702 }; /* CUDA_ERROR_LAUNCH_TIMEOUT: ours, of a kernel that was given up */
nv_result nv_finish(struct dev_queue *q, bool (*stuck)(void *ctx), void *ctx, bool *cancelled);

/* ---- memory.c ---- */
enum tern_error nv_pool_new(struct dev *d);
void nv_pool_free(struct dev *d);
enum tern_error nv_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                         dev_ptr *out);
enum tern_error nv_free(struct dev *d, dev_ptr p);
/* Memory that host and kernels both reach by one address; freed by nv_free. */
enum tern_error nv_managed_alloc(struct dev *d, uint64_t size, dev_ptr *out);
bool nv_is_managed(struct dev *d, dev_ptr p);
/* What the pool holds, for messages and tests. */
struct nv_pool_stats {
    uint64_t driver_allocations, driver_bytes, used_bytes, peak_used, peak_driver;
};
struct nv_pool_stats nv_pool_stats(struct dev *d);

/* ---- texture.c ---- */
enum tern_error nv_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle);
enum tern_error nv_texture_free(struct dev *d, uint64_t handle);
/* ---- tensor.c ---- */
enum tern_error nv_tensor_map(struct dev *d, const struct tensor_desc *t, uint64_t *map);
enum tern_error nv_tensor_move(struct dev *d, uint64_t *map, uint64_t address);
/* Copies memory to the arrays of all textures, or the arrays of surfaces back to memory. */
nv_result nv_textures_sync(struct dev *d, nv_stream s, bool back);
void nv_textures_drop(struct dev *d);

/* ---- code.c ---- */
/* ptx: kernels and variables, and the PTX of them for code, a zero behind it. */
enum tern_error nv_code_load(struct dev *d, const struct image *ptx, struct diag *diag,
                             nv_module *out);

/* A module's IR as bytes, for what is made of it later: they do not change. */
struct nv_source {
    struct sbuf ir;
    struct sbuf apart; /* by function, 1: a kernel that can be made by itself */
    bool all_apart;    /* each can, and there is nothing else */
};
enum tern_error nv_source_keep(struct nv_source *s, const struct ir_module *m);
void nv_source_free(struct nv_source *s);

/* Code of one kernel, or of a module, with what is known of it, loaded. */
struct nv_made {
    struct image image; /* without its code, once it is loaded */
    nv_module module;   /* who takes it leaves NULL here */
    bool found;         /* in the cache, or it came with the program */
    bool compiled;
    struct compilation c;
    struct sbuf code, why;
    uint64_t emit_ns, load_ns, store_ns; /* what it took */
};
struct nv_how {
    bool careful, hasty; /* struct sass_options' */
    bool slim;           /* the kernel for blocks that it is too large for otherwise */
    bool clusters;       /* for launches that make clusters */
    uint32_t stack;      /* for functions that call themselves; 0: NV_OWN_STACK */
};
/* False: there is none, made->why says why; nv_made_free either way. kernel NULL: all variables,
 * and the kernels that cannot be made by themselves. */
bool nv_make_own(struct dev *d, const struct nv_source *s, const char *kernel, struct nv_how how,
                 struct nv_made *out);
/* The driver's, of one kernel that shares nothing with others; find: if it was made before. Nobody
 * is told of errors: any thread may try. */
bool nv_make_assembled(struct dev *d, const struct nv_source *s, const char *kernel,
                       struct nv_made *out);
bool nv_find_assembled(struct dev *d, const struct nv_source *s, const char *kernel,
                       struct nv_made *out);
void nv_made_free(struct dev *d, struct nv_made *made);

/* ---- apart.c ---- */
/* Writes a byte for each function, as in struct nv_source. Gives its all_apart. */
bool nv_find_apart(struct ir_module *m, struct sbuf *apart);

/* ---- better.c ---- */
/* How a kernel has been used. */
struct nv_use {
    uint32_t launches;
    uint64_t since; /* what had been waited when it was launched first */
};
/* After a launch: whether the driver is to assemble it. */
bool nv_is_worth_it(struct dev *d, struct nv_use *u);
/* A kernel that is to be assembled when the device is idle. What it points to stays until it is
 * done or forgotten. */
struct nv_wish {
    const struct nv_source *source;
    const char *kernel, *display;
    unsigned made;                                 /* in which of the device's contexts */
    void (*done)(void *ctx, struct nv_made *made); /* made: NULL, there is none */
    void *ctx;
};
bool nv_wish(struct dev *d, const struct nv_wish *w); /* false: there is no memory for it */
/* Those with such a source are forgotten, or done when this returns; NULL: all. */
void nv_forget_wishes(struct dev *d, const struct nv_source *s);
/* A wait for the device, which began then, is over: what is wished for is done now, if it can be.
 */
void nv_waited(struct dev *d, uint64_t began);

/* ---- module.c ---- */
enum tern_error nv_load(struct dev *d, const struct ir_module *m, struct diag *diag,
                        struct dev_module **out);
void nv_unload(struct dev *d, struct dev_module *m);
enum tern_error nv_kernel(struct dev_module *m, const char *name, struct dev_kernel **out);
enum tern_error nv_prepare(struct dev_kernel *k);
bool nv_prepares_early(struct dev *d);
enum tern_error nv_prepare_early(struct dev_kernel *k);
enum tern_error nv_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
enum tern_error nv_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                          const struct dev_launch *l);
enum tern_error nv_occupancy(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                             uint32_t *blocks);

/* ---- check.c: the same as without `checked`, and the checker is told where there is one ---- */
enum tern_error nv_checked_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                                 dev_ptr *out);
enum tern_error nv_checked_free(struct dev *d, dev_ptr p);
enum tern_error nv_checked_managed(struct dev *d, uint64_t size, dev_ptr *out);
enum tern_error nv_checked_code(struct dev *d, struct compilation *c);

struct nv_checking { /* a launch; what the caller knows of it comes first */
    struct dev_queue *queue;
    const struct dev_launch *launch;
    const char *name;
    const struct source_map *sources;
    nv_function function;
    dev_ptr output; /* the module's struct device_output */
    bool recurses;  /* there are functions that call themselves */
    struct check_launch *check;
    bool on;
    uint64_t findings; /* before it */
    uint32_t seen;     /* records */
    uint64_t since;    /* the last of them came */
};
enum tern_error nv_check_open(struct dev *d);
void nv_check_drop(struct dev *d);
void nv_check_close(struct dev *d);
enum tern_error nv_check_begin(struct nv_checking *x);
/* e: of the launch so far. Waits for it. */
enum tern_error nv_check_end(struct nv_checking *x, enum tern_error e);

#endif
