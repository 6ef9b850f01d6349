/* What the files of the CUDA runtime and driver APIs share. Streams, events, graphs and work are
 * api/'s: a cudaStream_t is a struct tern_stream, a cudaEvent_t a struct tern_event, and so on.
 *
 * state.c    the one process state: devices, threads, errors
 * device.c   devices and their properties
 * handles.c  which handles are alive
 * ranges.c   what has been allocated: pointers told apart
 * memory.c   allocations
 * pool.c     memory in stream order
 * virtual.c  addresses and memory apart
 * copy.c     copies, fills, symbols; batch.c has many in one call
 * array.c    arrays, textures, surfaces
 * stream.c   streams, events, host functions
 * graph.c    graphs and capture
 * launch.c   registration of device halves, launches, kernel attributes
 * library.c  libraries, and kernels of no device yet
 * symbols.c  names of variables and functions by their addresses
 * error.c    names and texts of errors
 * nvcc.c     registration by programs that nvcc built; per_thread.c has other names they use
 * nvtx.c     ranges and marks, for recordings
 * ptx_run.c  one call to run PTX on host memory
 * driver_*.c the driver API */
#ifndef CUDA_CUDA_INT_H
#define CUDA_CUDA_INT_H

#include <pthread.h>
#include "api/api.h"
#include "cuda/cuda_runtime_api.h"
#include "cuda/tern_abi.h"
#include "prof/prof.h"

enum { CUDA_MAX_DEVICES = API_MAX_DEVICES };

/* ---- state.c ---- */
void cuda_tell_mpi(void);     /* mpi.c */
cudaError_t cuda_start(void); /* finds the devices; may be called any number of times */
int cuda_device_total(void);
cudaError_t cuda_current(struct tern_device **out); /* opened; errors that stick to it included */
cudaError_t cuda_device_at(int ordinal, struct tern_device **out);
int cuda_current_ordinal(void);
void cuda_set_current(int ordinal);
/* A thread's contexts, as the driver API has them: a stack. A runtime call works on the top one's
 * device; where there is none, on the device that was set, device 0 at first. */
struct CUctx_st {
    int ordinal;
    bool primary;
    unsigned flags, users;
    unsigned long long id;
    struct CUctx_st *next; /* made by cuCtxCreate */
};
struct CUctx_st *cuda_context_top(void);
bool cuda_context_push(struct CUctx_st *c);
struct CUctx_st *cuda_context_pop(void);
void cuda_context_set(struct CUctx_st *c); /* NULL: none */
struct CUctx_st *cuda_primary(int ordinal);
bool cuda_started(void);
cudaError_t cuda_return(cudaError_t e); /* remembers it as this thread's last error */
cudaError_t cuda_peek(bool clear);
cudaError_t cuda_last(void); /* this thread's last error, for calls that must not change it */
void cuda_set_last(cudaError_t e);
cudaError_t cuda_from(enum tern_error e);
int cuda_ordinal_of(const struct tern_device *d);
void cuda_device_facts(struct rt_device *d, int32_t out[IR_DEVICE_FACTS_WORDS]); /* ir/launch.h */
void cuda_close_device(struct tern_device *d);
void cuda_say(const char *text); /* a message for the user of the program: standard error */

/* ---- handles.c ---- */
enum cuda_handle {
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_EXEC,
    HANDLE_ARRAY,
    HANDLE_MIPMAP,
    HANDLE_FUNCTION,
    HANDLE_INNER,
    HANDLE_GONE
};
bool cuda_handle_add(enum cuda_handle kind, const void *handle); /* false: out of memory */
bool cuda_handle_is(enum cuda_handle kind, const void *handle);
/* False: it is not alive, or of another kind. One caller alone gets true. */
bool cuda_handle_remove(enum cuda_handle kind, const void *handle);
/* NULL, or what was destroyed. Parts of others (a child's graph, a level of a mipmap) are not in
 * the table and never gone: cuda_handle_inner says, where one is handed out, that it is alive at an
 * address that something else may have had. */
bool cuda_handle_gone(const void *handle);
void cuda_handle_inner(const void *handle);

/* ---- ranges.c ---- */
enum cuda_kind { CUDA_DEVICE, CUDA_HOST, CUDA_MANAGED, CUDA_REGISTERED };
struct cuda_range {
    uint64_t at, size;
    enum cuda_kind kind;
    int device;
    unsigned flags;
    unsigned long long id;
    cudaMemPool_t pool; /* of memory in stream order */
    int advice[4];      /* by cudaMemRangeAttribute, from 1 */
};
/* Flags of ranges: not to be freed by the program; owned by a graph; host memory of the driver's.
 */
enum {
    CUDA_NOT_OURS = 1 << 16,
    CUDA_OF_GRAPH = 1 << 17,
    CUDA_BY_DRIVER = 1 << 18,
    CUDA_SYNC_MEMOPS = 1 << 19, /* the host waits for copies and fills of it */
    CUDA_LENT = 1 << 20         /* host memory that its device's kernels may use */
};
/* Who checks the program; NULL: nobody. */
struct check *cuda_check(void);
void cuda_found(enum check_kind kind, const char *message); /* where a checker is told */
void cuda_launch_refused(const char *kernel, const char *why);
bool cuda_remember(const struct cuda_range *r);
/* Takes the range that starts at p out of the table. */
bool cuda_forget(const void *p, struct cuda_range *out);
/* The range that holds the bytes. */
bool cuda_find_range(const void *p, uint64_t size, struct cuda_range *out);
/* The same, or the variable that does. */
bool cuda_find_memory(const void *p, uint64_t size, struct cuda_range *out);
void cuda_advise(const void *p, int attribute, int value);
void cuda_range_flag(const void *p, unsigned flag, bool on);
void cuda_forget_ranges(int device);

/* ---- stream.c ---- */
/* Priorities are told back, within the range of NVIDIA's GPUs: a device may take work in any order.
 */
enum { CUDA_GREATEST_PRIORITY = -5 };
int cuda_clamped_priority(int priority);
cudaError_t cuda_stream(struct tern_device *d, cudaStream_t handle, struct tern_stream **out);
/* The same for a launch of that kernel. */
cudaError_t cuda_launch_stream(struct tern_device *d, cudaStream_t handle, const char *kernel,
                               struct tern_stream **out);
cudaError_t cuda_current_stream(cudaStream_t handle, struct tern_stream **out);
cudaError_t cuda_wait_all(struct tern_device *d);
cudaError_t cuda_wait(struct tern_stream *s); /* managed variables are the host's then */

/* ---- memory.c ---- */
cudaError_t cuda_allocate(void **p, size_t size, enum cuda_kind kind, unsigned flags);
cudaError_t cuda_release(void *p, bool of_graph);

/* ---- pool.c ---- */
/* Gives memory that was taken out of the table back to its pool; after s has come so far, or at
 * once. */
cudaError_t cuda_pool_return(const struct cuda_range *r, struct tern_stream *s);
/* Memory that lives as long as the graph and its copies. */
cudaError_t cuda_graph_memory(struct tern_graph *g, size_t size, void **p);
/* The device has just been waited for: pools give back what is more than their threshold. */
void cuda_pools_settle(struct tern_device *d);
void cuda_pools_forget(struct tern_device *d);

/* ---- copy.c ---- */
/* Where the bytes are, by what is known of them and, where kind is not Default, what the direction
 * claims of them. */
cudaError_t cuda_locate(const void *p, uint64_t size, bool claims_device, bool claimed,
                        struct work_place *out);
/* Fills w for a copy between places that cuda_locate gave, and submits it. */
cudaError_t cuda_copy(struct tern_stream *s, const struct work_place *to,
                      const struct work_place *from, uint64_t width, uint64_t height,
                      uint64_t depth, bool wait);
cudaError_t cuda_copy_bytes(void *to, const void *from, uint64_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool wait);
cudaError_t cuda_fill_rows(void *p, size_t pitch, uint32_t value, unsigned element, size_t width,
                           size_t height, cudaStream_t stream, bool wait);
cudaError_t cuda_box_work(const struct cudaMemcpy3DParms *p, struct work *w);

/* ---- array.c ---- */
size_t cuda_array_element(cudaArray_const_t a); /* bytes; 0: no array */
/* x in bytes; the box must lie inside. */
cudaError_t cuda_array_place(cudaArray_const_t a, uint64_t x, uint64_t y, uint64_t z,
                             uint64_t width, uint64_t height, uint64_t depth,
                             struct work_place *out);

/* ---- symbols.c ---- */
/* What the linker calls the variable at an address of the host; false: it is none, or stripped. */
bool cuda_symbol_name(const void *address, char *name, size_t size);
/* Gives take() what the linker calls the function at an address, until it says that it is the
 * right one; *named: it has at least one name. */
bool cuda_function_names(const void *address, bool (*take)(void *ctx, const char *name), void *ctx,
                         bool *named);

/* ---- launch.c ---- */
/* -default-stream per-thread: CUDA decides by source file, we for the whole program. */
bool cuda_per_thread_default(void);
/* What a device says that it is, times 10. What is no hardware of NVIDIA's is whatever the program
 * was compiled for: programs refuse to run where their code is said to be for a later one. */
uint32_t cuda_arch(const struct dev_info *i);
void cuda_modules_free(struct tern_device *d);
cudaError_t cuda_symbol(struct tern_device *d, const void *symbol, dev_ptr *p, uint64_t *size);
/* The variable or literal of a module that holds the bytes; of a managed one, which the host has a
 * copy of, the host's. */
bool cuda_find_variable(const void *p, uint64_t size, struct cuda_range *out);
/* Where the device has a managed variable's bytes that the host has at p, with what the host wrote;
 * cudaErrorInvalidSymbol: the host has none there, or no kernel uses it. */
cudaError_t cuda_managed_place(struct tern_device *d, const void *p, uint64_t size, dev_ptr *at);
/* Pointers to managed variables among the arguments become those of the device. */
cudaError_t cuda_managed_params(struct tern_device *d, const struct rt_kernel *k, char *params);
/* A unit's managed variables as its text starts them. */
cudaError_t cuda_managed_first(struct tern_device *d, struct __tern_unit *unit);
bool cuda_managed_away(
    struct __tern_variable_data *var); /* only the device's half has its first value */
cudaError_t cuda_managed_in(struct tern_device *d);
cudaError_t cuda_managed_out(struct tern_device *d);
/* The kernel that a host function is the stub of, or that a handle stands for; NULL: none. */
struct __tern_entry_data *cuda_entry_of(const void *func);
/* A kernel of the program on a device, and the module that has it. */
cudaError_t cuda_entry_kernel(struct tern_device *d, struct __tern_entry_data *entry,
                              const struct rt_kernel **k, struct rt_module **m);
const char *cuda_entry_name(const struct __tern_entry_data *entry);
/* A kernel by its stub, its registration, its CUfunction or its CUkernel: on the current device, or
 * on its own. */
/* Makes code for the program's kernels, where that takes little: when the device was opened. */
void cuda_prepare_early(struct tern_device *d);
cudaError_t cuda_kernel_by_handle(const void *func, struct tern_device **d,
                                  const struct rt_kernel **k);
/* Arguments into a block of API_MAX_PARAM_BYTES: from pointers, or from the driver API's `extra`.
 */
cudaError_t cuda_gather_params(void **args, const struct rt_kernel *k, char *params);
cudaError_t cuda_packed_params(void **extra, const struct rt_kernel *k, char *params);
void cuda_kernel_attributes(const struct tern_device *d, const struct rt_kernel *k,
                            struct cudaFuncAttributes *a);
/* Shared memory of a block that nobody asks more for. */
uint32_t cuda_usual_shared(const struct tern_device *d);
/* The program asks for so much dynamic shared memory in later launches. */
cudaError_t cuda_allow_shared(const struct tern_device *d, const struct rt_kernel *k, int bytes);
cudaError_t cuda_kernel_occupancy(struct tern_device *d, const struct rt_kernel *k,
                                  uint32_t threads, size_t shared, int *blocks);
bool cuda_pop_configuration(dim3 *grid, dim3 *block, size_t *shared, cudaStream_t *stream);
/* What a launch with attributes asks for; hints are not kept. */
cudaError_t cuda_launch_shape(const cudaLaunchConfig_t *config, struct dev_launch *out);
void cuda_shape_set(struct dev_launch *shape, enum cudaLaunchAttributeID attribute,
                    const union cudaLaunchAttributeValue *value);
void cuda_shape_get(const struct dev_launch *shape, enum cudaLaunchAttributeID attribute,
                    union cudaLaunchAttributeValue *value);
/* Checks the shape, copies the arguments, submits. handle: what graphs give back as the function.
 */
cudaError_t cuda_submit_kernel(struct tern_stream *s, const struct rt_kernel *k, void *handle,
                               const struct dev_launch *shape, void **args);

/* ---- driver_module.c ---- */
const struct tern_kernel *cuda_is_function(const void *f);
/* A kernel of the program as a CUfunction. */
cudaError_t cuda_function_of(struct tern_device *d, struct __tern_entry_data *entry,
                             struct tern_kernel **out);
/* What stands for a kernel of a module, as a function of the driver API. */
cudaError_t cuda_hand_out(struct tern_module *m, const struct rt_kernel *found,
                          struct tern_kernel **out);
/* The program's modules on d are about to go: so do the handles of cuda_function_of. */
void cuda_borrowed_forget(struct tern_device *d);
bool cuda_find_module_variable(uint64_t p, uint64_t size, struct cuda_range *out);
void cuda_driver_modules_free(struct tern_device *d);

/* ---- driver_words.c ---- */
bool cuda_waits_for_words(const struct tern_device *d);

/* ---- virtual.c ---- */
bool cuda_maps_memory(const struct tern_device *d);
void cuda_mappings_forget(struct tern_device *d);

/* ---- library.c ---- */
/* The function of a CUkernel on the current device; *is: whether the handle is one. */
cudaError_t cuda_kernel_function(const void *handle, bool *is, struct tern_kernel **out);
void cuda_libraries_forget(struct tern_device *d);

/* ---- nvcc.c ---- */
/* The kernel whose stub, or handle, has this address; NULL: nvcc registered none. */
struct __tern_entry_data *cuda_registered(const void *func);
void cuda_register_stub(struct __tern_entry_data *e, const void *stub); /* and the kernel */
/* A stub that was found out, remembered until another kernel registers: what lies at its address
 * may be another then. */
void cuda_remember_stub(struct __tern_entry_data *e, const void *stub);
void cuda_forget_stubs(void);
/* The PTX of a unit that is a fat binary: free() it. Says why there is none. */
cudaError_t cuda_decode_fatbin(const struct __tern_unit *u, char **ptx, size_t *len);

#endif
