/* What the files of the CUDA runtime API share.
 *
 * state.c    the one process state: devices, threads, errors
 * device.c   devices and their properties
 * memory.c   allocations, copies, fills, symbols
 * stream.c   streams, events, host functions
 * launch.c   registration of device halves, launches, kernel attributes
 * error.c    names and texts of errors */
#ifndef CUDA_CUDA_INT_H
#define CUDA_CUDA_INT_H

#include <pthread.h>
#include "cuda/cuda_runtime_api.h"
#include "cuda/tern_abi.h"
#include "rt/module.h"

enum { CUDA_MAX_DEVICES = 16, CUDA_MAX_PARAM_BYTES = 4096 };

struct CUstream_st {
    struct cuda_device *device;
    struct dev_queue *queue;
    struct dev_event *tail; /* for ordering with the default stream */
    unsigned flags;
    int priority;
    bool dirty;    /* has had work since the default stream last waited for it */
    uint64_t seen; /* the default stream's version that it waited for */
    struct CUstream_st *prev, *next;
};

struct CUevent_st {
    struct cuda_device *device;
    struct dev_event *event;
    unsigned flags;
    bool recorded;
};

struct cuda_device {
    int ordinal;
    bool open;
    struct rt_device rt;
    struct dev_info info;
    pthread_mutex_t lock; /* streams, and the order between them */
    struct CUstream_st legacy;
    uint64_t legacy_version;
    struct CUstream_st *streams;
    cudaError_t sticky;
};

enum cuda_kind { CUDA_DEVICE, CUDA_HOST, CUDA_MANAGED, CUDA_REGISTERED };
struct cuda_range {
    uint64_t at, size;
    enum cuda_kind kind;
    int device;
    unsigned flags;
};

/* state.c */
cudaError_t cuda_start(void); /* finds the devices; may be called any number of times */
int cuda_device_total(void);
cudaError_t cuda_current(struct cuda_device **out); /* opened; errors that stick to it included */
cudaError_t cuda_device_at(int ordinal, struct cuda_device **out);
int cuda_current_ordinal(void);
void cuda_set_current(int ordinal);
cudaError_t cuda_return(cudaError_t e); /* remembers it as this thread's last error */
cudaError_t cuda_peek(bool clear);
cudaError_t cuda_from(struct cuda_device *d,
                      enum tern_error e); /* with what the device says of it */
void cuda_close_device(struct cuda_device *d);
void cuda_say(const char *text); /* a message for the user of the program: standard error */

/* stream.c */
cudaError_t cuda_stream(struct cuda_device *d, cudaStream_t handle, struct CUstream_st **out);
cudaError_t
cuda_stream_begin(struct CUstream_st *s); /* orders the next work of s after what it must follow */
cudaError_t cuda_wait_all(struct cuda_device *d);
void cuda_streams_free(struct cuda_device *d);

/* memory.c */
bool cuda_find_range(const void *p, uint64_t size, struct cuda_range *out);
void cuda_forget_ranges(int device);

/* launch.c */
void cuda_kernel_name(const char *tag, char *out, size_t size);
void cuda_modules_free(struct cuda_device *d);
cudaError_t cuda_symbol(struct cuda_device *d, const void *symbol, dev_ptr *p, uint64_t *size);
cudaError_t cuda_managed_in(struct cuda_device *d, struct CUstream_st *s);
cudaError_t cuda_managed_out(struct cuda_device *d);

#endif
