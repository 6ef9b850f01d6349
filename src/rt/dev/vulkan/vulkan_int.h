/* What the files of the Vulkan device share.
 *
 * vulkan.c   the table of functions: finding devices, opening one, what it can do
 * memory.c   buffers, device addresses, copies
 * module.c   modules, kernels, pipelines
 * queue.c    command buffers, timelines, events, device output
 * graph.c    commands recorded once
 * check.c    kernels that are checked */
#ifndef RT_DEV_VULKAN_INT_H
#define RT_DEV_VULKAN_INT_H

#include <pthread.h>
#include <stdatomic.h>
#include "back/spirv/spirv.h"
#include "check/check.h"
#include "driver/pipeline.h"
#include "rt/children.h"
#include "rt/dev.h"
#include "rt/dev/vulkan/vk.h"
#include "rt/fault.h"

struct vk_buffer { /* a Vulkan buffer with memory of its own */
    vk_handle buffer, memory;
    uint64_t size, address;
    char *mapped; /* NULL: not visible to the host */
    void *kept;   /* its device addresses, reserved in this process; NULL: they are not */
};

struct vk_range { /* what alloc gave out */
    uint64_t address, size;
    uint32_t chunk;
};

struct vk_chunk { /* a buffer that allocations are cut from; free ranges sorted by offset */
    struct vk_buffer buffer;
    struct vk_hole {
        uint64_t at, size;
    } * holes;
    size_t nholes, holes_cap;
    uint64_t used;
    bool managed; /* at one address for the host and the device */
    bool single;  /* made for one allocation, and goes with it */
};

enum { VK_COMPUTE_QUEUES = 4, VK_COPY_QUEUE, VK_QUEUES };

struct dev {
    struct dev_host host;
    void *library;
    vk_instance instance;
    vk_physical physical;
    vk_device device;
    struct vk_functions fn;
    struct vk_properties properties;
    struct vk_memory_properties memory_types;
    struct spirv_features features;
    char driver[64];
    uint32_t family, nvk_queues;
    uint32_t copy_family;          /* for copies only; == family: there is none */
    vk_queue vk_queues[VK_QUEUES]; /* the last one is for copies */
    pthread_mutex_t submit_lock[VK_QUEUES];
    uint32_t next_queue;
    bool budget;                 /* VK_EXT_memory_budget */
    bool timestamps, host_reset; /* of queries, by the host */
    uint32_t units;              /* one block runs on each at once; 1: unknown */
    bool same_addresses;         /* device addresses are host addresses */
    bool placed;                 /* the driver maps memory where it is told to */
    uint64_t window_step; /* granularity of host memory mapped at its device address; 0: none */
    atomic_bool gone;     /* the process ends: the driver may have taken itself down */
    struct rt_threads threads; /* of a driver without a GPU: kernels run on them */
    atomic_int stopped; /* enum tern_error: a kernel that cannot be stopped was given up, and the
                           device with it */
    vk_handle cache, layout;
    size_t cache_size; /* as it was found */
    uint64_t launches;

    pthread_mutex_t lock; /* everything below */
    struct vk_chunk *chunks;
    size_t nchunks, chunks_cap;
    atomic_uint mapped_chunks; /* which the host may read */
    struct vk_range *ranges;   /* sorted by address */
    size_t nranges, ranges_cap;
    pthread_mutex_t heap_lock;
    dev_ptr heap;        /* of device-side malloc; 0: no kernel has needed it yet */
    uint64_t heap_bytes; /* 0: the default */
    /* 0: the default */ /* of device-side malloc; 0: no kernel has needed it yet */
    dev_ptr locks;       /* of atomics that are emulated; 0 likewise */
    struct dev_queue *queues;
    struct dev_event *events;
    struct vk_leaving *leaving;
    pthread_mutex_t learning;
    bool learnt;              /* whether matrices are as products of warps have them */
    pthread_mutex_t checking; /* one kernel at a time */
    struct vk_buffer checks;  /* struct device_checks; made for the first */
};

/* What the end of the process finds of a device. It outlives the device: a handler cannot be taken
 * back. */
struct vk_leaving {
    pthread_mutex_t lock;
    struct dev *dev; /* NULL: closed */
};

enum {
    VK_SLOTS = 8,
    VK_MARKS = 16,
    VK_OUTPUT_BYTES = 1 << 20,
    VK_STAGING_BYTES = 4 << 20,
    VK_ARENA_BYTES = 64 << 10,
    VK_CHECK_BYTES = 512 << 20
};

/* A command buffer and what it needs until it has run. */
struct vk_slot {
    vk_command_buffer commands;
    uint64_t value; /* of the timeline when it is done; 0: never submitted */
    bool open;      /* begun, and nothing recorded yet */
};

/* Command buffers for one of Vulkan's queues. */
struct vk_lane {
    uint32_t vk_index;
    uint32_t stages; /* that the queue knows */
    vk_handle pool;
    struct vk_slot slots[VK_SLOTS];
    uint32_t slot; /* being recorded or next to be */
};

/* Work goes to one lane or the other; a change of lanes is ordered by the timeline. */
enum vk_lane_name { VK_LANE_COMPUTE, VK_LANE_COPY, VK_LANES };

struct dev_queue {
    struct dev *dev;
    struct dev_queue *prev, *next;
    pthread_mutex_t lock; /* recursive: waiting drains output, which may be asked for inside */
    vk_handle timeline;
    struct vk_lane lanes[VK_LANES];
    enum vk_lane_name lane, last_lane; /* being recorded; of the last submission */
    bool recording;
    uint32_t recorded; /* commands in the open buffer */
    bool shows;        /* what is recorded writes buffers of ours that the host reads */
    uint32_t stages;   /* of commands that no barrier stands behind yet */
    uint64_t submitted;
    uint64_t done; /* of those, as far as is known */
    struct vk_buffer output, params, staging;
    uint64_t staged[2];       /* value of the timeline when a half of the staging buffer is free */
    uint32_t params_used;     /* ring of parameter blocks; restarts when the queue is idle */
    vk_handle wait_semaphore; /* the next submission waits for this first */
    uint64_t wait_value;
    const struct dev_module *printed; /* module whose strings the output refers to */
    const struct dev_kernel *suspect; /* the one kernel launched since output was read, */
    bool suspects;                    /* or there were several */
    enum tern_error error;            /* of its work, until the next wait */
    struct child *children;           /* that the kernel which is waited for has launched */
    struct dev_graph *graph;          /* being recorded; NULL: commands are for the queue */

    /* The clock behind a kernel whose time is taken: if the next thing is an event, it is that one,
     * and needs no submission of its own, which would come microseconds later. */
    bool timed; /* an event is in the open buffer */
    vk_handle marks;
    struct vk_mark {
        struct dev_event *owner; /* NULL: nobody has asked */
        uint64_t value;          /* of the timeline when it is read */
    } mark[VK_MARKS];
    uint64_t deadline; /* of the launch with the earliest timeout; 0: none */
    int last_mark;     /* -1: none yet */
    bool last_thing;   /* the mark is what was asked for last */
};

/* What a queue was given up to some time. */
struct vk_place {
    struct dev_queue *queue;
    vk_handle timeline;
    uint64_t value; /* of the timeline; 0: nothing */
};

struct dev_graph {
    struct dev *dev;
    vk_handle pool;
    vk_command_buffer commands;
    uint32_t stages_before; /* of the queue that it is recorded on */
    bool spoilt;            /* by what cannot be recorded */
    dev_ptr *params;        /* blocks of its kernels */
    size_t nparams;
    struct vk_place launched; /* last */
};

struct dev_event {
    struct dev *dev; /* NULL: it is closed */
    struct dev_event *prev, *next;
    struct vk_place at;
    vk_handle queries;
    struct dev_queue *marked; /* its time is the queue's mark; NULL: in its own query */
    int mark;
    bool known; /* the queue has given it away: ticks */
    uint64_t ticks;
};

struct vk_pipeline {
    uint32_t block[3], shared_words;
    vk_handle pipeline;
};

struct dev_kernel {
    struct dev_module *module;
    struct back_kernel info;
    struct spirv_kernel own;
    char *name, *display;
    vk_handle shader;
    struct vk_pipeline *pipelines;
    size_t npipelines;
};

struct vk_symbol {
    char *name;
    uint64_t offset, size;
};

struct dev_module {
    struct dev *dev;
    struct compilation code; /* keeps names and sources of faults alive */
    const struct source_map *sources;
    vk_handle shader;
    struct dev_kernel *kernels;
    size_t nkernels;
    struct vk_symbol *symbols;
    size_t nsymbols;
    dev_ptr globals;
    uint64_t globals_size;
    char *globals_copy; /* initial contents: what printf formats are read from */
};

enum tern_error vk_error(vk_result r);
void vk_report(struct dev *d, struct report *r);

static inline bool vk_gone(struct dev *d)
{
    return atomic_load_explicit(&d->gone, memory_order_relaxed) ||
           atomic_load_explicit(&d->stopped, memory_order_relaxed);
}

/* memory.c */
enum tern_error vk_buffer_new(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                              struct vk_buffer *out);
/* Host memory, mapped at its device address; size is a multiple of d->window_step. */
enum tern_error vk_buffer_placed(struct dev *d, uint64_t size, struct vk_buffer *out);
void vk_buffer_free(struct dev *d, struct vk_buffer *b);
void vk_memory_free_all(struct dev *d);
/* The buffer and offset behind a device address; false: not one of ours, or not so long. */
dev_ptr vk_start_of(struct dev *d, dev_ptr p); /* of what alloc gave out; 0: nothing is near */
bool vk_locate(struct dev *d, dev_ptr p, uint64_t size, struct vk_buffer *buffer, uint64_t *offset);
enum tern_error vk_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                         dev_ptr *out);
enum tern_error vk_managed_alloc(struct dev *d, uint64_t size, dev_ptr *out);
enum tern_error vk_free(struct dev *d, dev_ptr p);
enum tern_error vk_copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                           uint64_t n);
enum tern_error vk_copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from, uint64_t n);
enum tern_error vk_copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from, uint64_t n);
enum tern_error vk_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                        uint32_t pattern, unsigned bytes);

enum tern_error vk_heap_limit(struct dev *d, uint64_t bytes);
/* Sees to it that there is a device heap, and that kernels of the queue find it. */
enum tern_error vk_heap(struct dev *d, struct dev_queue *q);
enum tern_error vk_locks(struct dev *d, struct dev_queue *q); /* the same for these */

enum tern_error vk_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle);
enum tern_error vk_texture_free(struct dev *d, uint64_t handle);

/* module.c */
enum tern_error vk_load(struct dev *d, const struct ir_module *m, struct diag *diag,
                        struct dev_module **out);
/* The same with other features than the device's. */
enum tern_error vk_load_with(struct dev *d, const struct ir_module *m,
                             const struct spirv_features *features, struct diag *diag,
                             struct dev_module **out);
void vk_unload(struct dev *d, struct dev_module *m);
enum tern_error vk_kernel(struct dev_module *m, const char *name, struct dev_kernel **out);
enum tern_error vk_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
enum tern_error vk_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                          const struct dev_launch *l);

/* matrix.c */
/* Drops the features of matrices that the driver does not offer. */
void vk_find_matrices(const struct vk_functions *fn, vk_physical p, struct spirv_features *f);
/* Drops those that turn out to be of no use, once, before the first module that multiplies. */
void vk_learn_matrices(struct dev *d, const struct ir_module *m);

/* queue.c */
enum tern_error vk_queue_new(struct dev *d, struct dev_queue **out);
void vk_queue_free(struct dev_queue *q);
/* An open command buffer, for a command of this stage (VK_PIPELINE_COMPUTE or TRANSFER), ordered
 * after everything recorded before. */
enum tern_error vk_record(struct dev_queue *q, uint32_t stage, vk_command_buffer *out);
/* The same for a copy that may be long, on the lane for copies. */
enum tern_error vk_record_copy(struct dev_queue *q, vk_command_buffer *out);
enum tern_error vk_wait_value(struct dev_queue *q, uint64_t value);
enum tern_error vk_flush(struct dev_queue *q, bool always); /* submits what is recorded */
enum tern_error vk_submit(struct dev_queue *q, enum vk_lane_name lane, vk_command_buffer commands);
enum tern_error vk_queue_wait(struct dev_queue *q);
void vk_queues_settle(struct dev *d,
                      uint64_t ns); /* waits, but not longer, for what was submitted */
enum tern_error vk_queue_query(struct dev_queue *q);
/* Reads the clock behind a kernel, if an event stands before it. */
void vk_mark(struct dev_queue *q, vk_command_buffer c);
enum tern_error vk_reach(struct dev *d, const struct vk_place *at); /* the host waits for it */
enum tern_error vk_event_new(struct dev *d, struct dev_event **out);
void vk_event_free(struct dev_event *e);
void vk_events_close(struct dev *d); /* what programs have left */
enum tern_error vk_event_record(struct dev_event *e, struct dev_queue *q);
enum tern_error vk_event_wait(struct dev_event *e);
enum tern_error vk_queue_after(struct dev_queue *q, struct dev_event *e);
enum tern_error vk_event_time(struct dev_event *e, uint64_t *ns);
enum tern_error vk_host_call(struct dev_queue *q, void (*fn)(void *), void *arg);

/* graph.c */
enum tern_error vk_capture_begin(struct dev_queue *q);
enum tern_error vk_capture_end(struct dev_queue *q, struct dev_graph **out);
enum tern_error vk_graph_launch(struct dev_graph *g, struct dev_queue *q);
void vk_graph_free(struct dev_graph *g);
enum tern_error vk_graph_params(struct dev_graph *g, const void *params, uint32_t n,
                                uint64_t *address);

/* check.c: the same as without `checked`, and the checker is told where there is one. */
enum tern_error vk_checked_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                                 dev_ptr *out);
enum tern_error vk_checked_free(struct dev *d, dev_ptr p);
enum tern_error vk_checked_managed(struct dev *d, uint64_t size, dev_ptr *out);
enum tern_error vk_checked_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                              uint64_t n);
enum tern_error vk_checked_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                               uint64_t n);
enum tern_error vk_checked_copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                                uint64_t n);
enum tern_error vk_checked_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                                uint32_t pattern, unsigned bytes);
void vk_checked_queue_free(struct dev_queue *q);
enum tern_error vk_checked_queue_wait(struct dev_queue *q);
enum tern_error vk_checked_queue_query(struct dev_queue *q);
void vk_checked_event_free(struct dev_event *e);
enum tern_error vk_checked_event_record(struct dev_event *e, struct dev_queue *q);
enum tern_error vk_checked_event_wait(struct dev_event *e);
enum tern_error vk_checked_queue_after(struct dev_queue *q, struct dev_event *e);
enum tern_error vk_checked_event_time(struct dev_event *e, uint64_t *ns);
enum tern_error vk_checked_code(struct dev *d, struct compilation *c);
/* Around a launch and the wait for it. */
struct vk_checking {
    struct dev_queue *queue;
    const struct dev_kernel *kernel;
    const struct dev_launch *launch;
    struct check_launch *check;
    bool on;
};
enum tern_error vk_check_begin(struct dev_queue *q, const struct dev_kernel *k,
                               const struct dev_launch *l, struct vk_checking *x);
/* Waits, and hands on what was recorded. */
enum tern_error vk_check_end(struct vk_checking *x, enum tern_error e);
void vk_check_close(struct dev *d, bool works);

#endif
