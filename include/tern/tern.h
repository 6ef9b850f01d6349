/* Tern's own C API: devices, memory, kernels and the order between them.
 *
 *     tern_context *c;
 *     tern_device *d;
 *     tern_buffer *y;
 *     tern_module *m;
 *     tern_kernel *k;
 *     float a = 2;
 *     tern_context_new(NULL, &c);                 the best device of the machine
 *     tern_context_device(c, 0, &d);
 *     tern_buffer_new(d, 1024 * sizeof(float), &y);
 *     tern_module_new(d, &(struct tern_source){.text = "…CUDA C++ or PTX…"}, &m);
 *     tern_module_kernel(m, "scale", &k);
 *     uint64_t at = tern_buffer_address(y);
 *     tern_launch(NULL, k, (tern_dim){4}, (tern_dim){256}, 0, (void *[]){&a, &at});
 *     tern_device_wait(d);
 *
 * Every fallible function returns an error number; tern_message says more about the last one of a
 * context. All functions may be called from any thread. Work submitted to a stream runs in order
 * and after the call has returned; errors of the work itself are told by the next wait, and an
 * error that leaves the device unusable (a bad access in a kernel) by everything until
 * tern_device_reset. Freeing an object waits for the work that uses it; NULL may be freed. */
#ifndef TERN_H
#define TERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tern_context tern_context;
typedef struct tern_device tern_device;
typedef struct tern_buffer tern_buffer;
typedef struct tern_module tern_module;
typedef struct tern_kernel tern_kernel;
typedef struct tern_stream tern_stream;
typedef struct tern_event tern_event;
typedef struct tern_graph tern_graph;
typedef struct tern_replay tern_replay;

typedef struct tern_dim {
    uint32_t x, y, z; /* 0 counts as 1 */
} tern_dim;

/* ---- context: which devices there are ---- */
struct tern_options {
    /* Devices in order, separated by commas: names ("cpu", "vulkan:0", "auto": the best real one,
     * "all": every real one, "cpu/2": half of the cores each, two devices), a part of what they
     * call themselves ("H200"), or what they must be able to do ("f64 && memory>8GB").
     * NULL: $TERN_DEVICES, else "auto". */
    const char *devices;
    void *user;                                            /* for the two functions */
    void (*print)(void *user, const char *text, size_t n); /* device printf; NULL: stdout */
    void (*say)(void *user, const char *text); /* faults of kernels, as text; NULL: not told */
    uint64_t wait_limit_ns; /* a wait longer than this is TERN_TIMEOUT; 0: none */
};

/* A context without devices is an error, and tern_message of it says why there are none. */
enum tern_error tern_context_new(const struct tern_options *options, tern_context **out);
void tern_context_free(tern_context *c);
size_t tern_message(tern_context *c, char *out, size_t size); /* bytes written, without the 0 */
unsigned tern_context_devices(const tern_context *c);
/* Opened when first asked for. */
enum tern_error tern_context_device(tern_context *c, unsigned n, tern_device **out);

/* Calls fn with parts of [0, n), one after the other for each device, the devices' side by side,
 * and waits for all. Each index is in one part. How large parts are follows from how fast the
 * device was with those before, in multiples of `grain` (the last part of all takes the rest). With
 * the first error no more parts are begun, and it is returned. */
typedef enum tern_error tern_spread_fn(void *user, tern_device *d, uint64_t begin, uint64_t end);
enum tern_error tern_spread(tern_context *c, uint64_t n, uint64_t grain, tern_spread_fn *fn,
                            void *user);

/* ---- device ---- */
struct tern_device_info {
    char name[128], driver[64];
    uint64_t memory, memory_free;
    uint32_t units, warp_size, max_threads_per_block, shared_per_block;
    bool host_memory; /* kernels and the host share addresses */
    bool f64, f16, cooperative, software;
    bool checked;        /* every access of a kernel is checked: the interpreter */
    bool host_code;      /* kernels are code of the host's cores: C functions do as well */
    bool matrix;         /* products of small matrices are instructions of the hardware */
    uint32_t capability; /* compute capability that kernels see: 80 for 8.0 */
    bool own_capability; /* it is the hardware's: an NVIDIA GPU by its own driver */
};
enum tern_error tern_device_info(tern_device *d, struct tern_device_info *out);
tern_context *tern_device_context(const tern_device *d);
enum tern_error tern_device_wait(tern_device *d); /* for all of its streams */
/* After a fault: drops the device's streams' work and makes it usable again. Buffers keep their
 * contents where the device allows it. */
enum tern_error tern_device_reset(tern_device *d);

/* Memory of a library's own that lives as long as the device, found again by its key: zero, then
 * set up by init, when it is first asked for; release is called before the device closes. NULL:
 * there is no memory. */
void *tern_device_keep(tern_device *d, const void *key, size_t bytes, void (*init)(void *),
                       void (*release)(void *));

/* ---- memory: from a pool ---- */
enum tern_error tern_buffer_new(tern_device *d, uint64_t bytes, tern_buffer **out);
enum tern_error tern_buffer_zeros(tern_device *d, uint64_t bytes, tern_buffer **out); /* all 0 */
void tern_buffer_free(tern_buffer *b);
uint64_t tern_buffer_address(const tern_buffer *b); /* what kernels take as a pointer */
uint64_t tern_buffer_bytes(const tern_buffer *b);
/* At once: these wait for what the device does and return when the copy is done. */
enum tern_error tern_buffer_write(tern_buffer *b, uint64_t at, const void *from, uint64_t n);
enum tern_error tern_buffer_read(tern_buffer *b, uint64_t at, void *to, uint64_t n);
/* The same in elements of a type: a buffer for count of them, and those from `first` on. */
#define TERN_BUFFER(device, type, count, out)                                                      \
    tern_buffer_new((device), sizeof(type) * (uint64_t)(count), (out))
#define TERN_WRITE(buffer, first, from, count)                                                     \
    tern_buffer_write((buffer), sizeof *(from) * (uint64_t)(first), (from),                        \
                      sizeof *(from) * (uint64_t)(count))
#define TERN_READ(buffer, first, to, count)                                                        \
    tern_buffer_read((buffer), sizeof *(to) * (uint64_t)(first), (to),                             \
                     sizeof *(to) * (uint64_t)(count))

/* What the buffers of a device take. */
struct tern_memory {
    uint64_t buffers, bytes; /* alive now */
    uint64_t most_bytes;     /* at any time so far */
    uint64_t total_buffers;  /* made so far */
    uint64_t limit;          /* 0: as much as the device has */
};
void tern_device_memory(tern_device *d, struct tern_memory *out);
/* More than so many bytes in buffers is TERN_OUT_OF_MEMORY from now on; 0: no limit. */
void tern_device_memory_limit(tern_device *d, uint64_t bytes);

/* ---- code ---- */
struct tern_source {
    const char *path;         /* for messages; its ending tells the language (.cu .ptx .ir) */
    const char *text;         /* without a path: PTX is recognised, anything else is CUDA C++ */
    size_t length;            /* 0: text ends with a 0 */
    const char *const *names; /* instantiations of templates that are wanted: "scale<float>" */
    size_t nnames;
    bool no_fmad, fast_math;
    bool fast_f64; /* double as pairs of floats: 48 bits, the range of float */
};
/* Without a device: text or bytes for a target of `tern help compile` ("ptx", "c", "wgsl", "spirv",
 * "wasm", "ir" …); TERN_COMPILE where the source is refused. reply is JSON in any case: "ok",
 * "diagnostics" with file, line and column. tern_analyze gives what `tern analyze --json` does of
 * the kernels, for blocks of that size (x = 0: their own), in reply. Fast math is for devices. */
struct tern_output {
    void *data; /* ends with a 0 that is not counted */
    size_t bytes;
    char *reply;
};
enum tern_error tern_compile(const struct tern_source *s, const char *target,
                             struct tern_output *out);
enum tern_error tern_analyze(const struct tern_source *s, tern_dim block, struct tern_output *out);
void tern_output_free(struct tern_output *o);

/* ---- machine code of a few kernels, for sizes of the program's own ----
 * A file that cuModuleLoadData takes, made for sm_70 to sm_90 (arch 90) without a vendor's tool,
 * with one kernel. TERN_UNSUPPORTED: not that processor. */
struct tern_generated {
    struct tern_output code;
    const char *kernel; /* its name */
    tern_dim block;     /* that it must be launched with */
    uint32_t per_block; /* what one block does of the kernel's unit: below */
};
/* jacobi(const double *a, double *w, double *v, int count, int sweeps): eigenvalues w and vectors v
 * (columns) of symmetric matrices of n rows, 2 to 48. Unit: matrices. */
enum tern_error tern_generate_jacobi(unsigned arch, unsigned n, struct tern_generated *out);
enum tern_reduction { TERN_SUM, TERN_PRODUCT, TERN_MIN, TERN_MAX };
/* reduction(const double *x, double *out, unsigned long long n): one number for each block, of any
 * number of blocks. Unit: elements that are read before any is needed. */
enum tern_error tern_generate_reduction(unsigned arch, enum tern_reduction op,
                                        struct tern_generated *out);
/* gemm_f64(const double *a, const double *b, double *c, int n): C = A B, rows of n, n a multiple of
 * tile, which is 16, 32 or 64. A block makes tile rows and columns: the grid is n / tile in x and
 * y. */
enum tern_error tern_generate_gemm_f64(unsigned arch, unsigned tile, struct tern_generated *out);
void tern_generated_free(struct tern_generated *g);
enum tern_error tern_module_new(tern_device *d, const struct tern_source *s, tern_module **out);
void tern_module_free(tern_module *m);
/* The kernel lives as long as its module. */
enum tern_error tern_module_kernel(tern_module *m, const char *name, tern_kernel **out);
enum tern_error tern_module_variable(tern_module *m, const char *name, uint64_t *address,
                                     uint64_t *bytes);

/* ---- streams ----
 * NULL stands for the device's own stream where the device is known from another argument. */
enum tern_error tern_stream_new(tern_device *d, tern_stream **out);
void tern_stream_free(tern_stream *s);
enum tern_error tern_stream_wait(tern_stream *s);
enum tern_error tern_stream_query(tern_stream *s); /* TERN_OK or TERN_NOT_READY */

/* args[i] points at the i-th argument, which has the size that the kernel declares. */
enum tern_error tern_launch(tern_stream *s, tern_kernel *k, tern_dim grid, tern_dim block,
                            uint32_t shared, void *const *args);
/* The launches that a device was given last, the newest first: how many of them were written to out
 * (TERN_HISTORY are kept). For who wants to know what came before a fault. */
enum { TERN_HISTORY = 64 };
struct tern_launched {
    char kernel[128];
    uint64_t number; /* from 1 */
    tern_dim grid, block;
    uint32_t shared;
    enum tern_error error; /* of the call: TERN_OK, or why it was refused */
};
unsigned tern_device_history(tern_device *d, struct tern_launched *out, unsigned most);
enum tern_error tern_write(tern_stream *s, tern_buffer *to, uint64_t at, const void *from,
                           uint64_t n);
enum tern_error tern_read(tern_stream *s, tern_buffer *from, uint64_t at, void *to, uint64_t n);
enum tern_error tern_copy(tern_stream *s, tern_buffer *to, uint64_t to_at, tern_buffer *from,
                          uint64_t from_at, uint64_t n);
enum tern_error tern_fill(tern_stream *s, tern_buffer *to, uint64_t at, uint8_t value, uint64_t n);
enum tern_error tern_call(tern_stream *s, void (*fn)(void *), void *arg);

/* A plain C function as a kernel: it is called for each thread of the grid, blocks on several host
 * threads, the threads of a block one after the other. `shared` points at memory that the block's
 * threads share, zero at first. args is copied, into the graph where s is recorded. Only on devices
 * with host_memory. */
typedef struct tern_thread {
    tern_dim thread, block, block_dim, grid_dim;
    void *shared;
} tern_thread;
typedef void tern_function(const tern_thread *t, void *args);
/* The thread's place in the grid, along each axis, and how many threads there are along it. */
static inline uint64_t tern_index_x(const tern_thread *t)
{
    return (uint64_t)t->block.x * t->block_dim.x + t->thread.x;
}
static inline uint64_t tern_index_y(const tern_thread *t)
{
    return (uint64_t)t->block.y * t->block_dim.y + t->thread.y;
}
static inline uint64_t tern_index_z(const tern_thread *t)
{
    return (uint64_t)t->block.z * t->block_dim.z + t->thread.z;
}
static inline uint64_t tern_size_x(const tern_thread *t)
{
    return (uint64_t)t->grid_dim.x * t->block_dim.x;
}
static inline uint64_t tern_size_y(const tern_thread *t)
{
    return (uint64_t)t->grid_dim.y * t->block_dim.y;
}
static inline uint64_t tern_size_z(const tern_thread *t)
{
    return (uint64_t)t->grid_dim.z * t->block_dim.z;
}
/* Among all threads of the grid: x runs first. */
static inline uint64_t tern_index(const tern_thread *t)
{
    return (tern_index_z(t) * tern_size_y(t) + tern_index_y(t)) * tern_size_x(t) + tern_index_x(t);
}
enum tern_error tern_launch_function(tern_stream *s, tern_function *fn, tern_dim grid,
                                     tern_dim block, uint32_t shared, const void *args,
                                     size_t bytes);
/* One call of a function that takes a few microseconds at most and waits for nobody: where nothing
 * is before it on the stream it may be done when this returns, with the arguments where they are.
 */
enum tern_error tern_launch_short(tern_stream *s, tern_function *fn, const void *args,
                                  size_t bytes);

/* One grid over all devices of a context, with what tern_spread knows of their speeds. Arguments
 * are numbers or structures (value), or arrays of the host's (array, bytes), of which the kernel
 * gets a pointer: what it changes is there when the call returns, and is what one device would have
 * made of it, to the bit where all compute alike. Blocks must not read what other blocks write;
 * arrays hold no pointers. Kernels with atomic operations on memory outside of their block, and
 * those of which two devices changed the same byte, run on the first device alone. CUDA C++ only.
 */
struct tern_argument {
    const void *value;
    void *array;
    uint64_t bytes; /* of the array */
};
enum tern_error tern_spread_grid(tern_context *c, const struct tern_source *s, const char *kernel,
                                 tern_dim grid, tern_dim block, uint32_t shared,
                                 const struct tern_argument *args, unsigned nargs);

/* ---- events ---- */
enum tern_error tern_event_new(tern_device *d, tern_event **out);
void tern_event_free(tern_event *e);
enum tern_error tern_record(tern_stream *s, tern_event *e);
enum tern_error tern_after(tern_stream *s, tern_event *e); /* what follows on s waits for e */
enum tern_error tern_event_wait(tern_event *e);
enum tern_error tern_event_query(tern_event *e);
enum tern_error tern_event_elapsed(tern_event *from, tern_event *to, double *seconds);

/* ---- graphs: work recorded once and replayed often ---- */
/* Between begin and end, work submitted to s is recorded instead of run; streams that wait for an
 * event recorded in s take part. */
enum tern_error tern_record_begin(tern_stream *s);
enum tern_error tern_record_end(tern_stream *s, tern_graph **out);
void tern_graph_free(tern_graph *g);
size_t tern_graph_size(const tern_graph *g);
enum tern_error tern_replay_new(tern_graph *g, tern_device *d, tern_replay **out);
void tern_replay_free(tern_replay *r);
enum tern_error tern_replay_run(tern_replay *r, tern_stream *s);
/* Takes the parameters of a graph of the same shape. */
enum tern_error tern_replay_update(tern_replay *r, tern_graph *g);

#ifdef __cplusplus
}
#endif
#endif
