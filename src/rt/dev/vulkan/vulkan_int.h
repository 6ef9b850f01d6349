/* What the files of the Vulkan device share.
 *
 * vulkan.c   the table of functions: finding devices, opening one, what it can do
 * memory.c   buffers, device addresses, copies
 * module.c   modules, kernels, pipelines
 * queue.c    command buffers, timelines, events, device output */
#ifndef RT_DEV_VULKAN_INT_H
#define RT_DEV_VULKAN_INT_H

#include <pthread.h>
#include <stdatomic.h>
#include "back/spirv_abi.h"
#include "driver/pipeline.h"
#include "rt/dev.h"
#include "rt/dev/vulkan/vk.h"

struct vk_buffer { /* a Vulkan buffer with memory of its own */
    vk_handle buffer, memory;
    uint64_t size, address;
    char *mapped; /* NULL: not visible to the host */
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
};

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
    vk_queue vk_queues[4];
    pthread_mutex_t submit_lock[4];
    uint32_t next_queue;
    bool budget; /* VK_EXT_memory_budget */
    bool timestamps;
    bool same_addresses; /* device addresses are host addresses */
    vk_handle cache, layout;
    uint64_t launches;

    pthread_mutex_t lock; /* everything below */
    struct vk_chunk *chunks;
    size_t nchunks, chunks_cap;
    struct vk_range *ranges; /* sorted by address */
    size_t nranges, ranges_cap;
    pthread_mutex_t heap_lock;
    dev_ptr heap; /* of device-side malloc; 0: no kernel has needed it yet */
    struct dev_fault fault;
    char *fault_text;
    struct dev_queue *queues;
    struct vk_leaving *leaving;
};

/* What the end of the process finds of a device. It outlives the device: a handler cannot be taken
 * back. */
struct vk_leaving {
    pthread_mutex_t lock;
    struct dev *dev; /* NULL: closed */
};

enum {
    VK_SLOTS = 8,
    VK_OUTPUT_BYTES = 1 << 20,
    VK_STAGING_BYTES = 4 << 20,
    VK_ARENA_BYTES = 64 << 10
};

/* A command buffer and what it needs until it has run. */
struct vk_slot {
    vk_command_buffer commands;
    uint64_t value; /* of the timeline when it is done; 0: never submitted */
};

struct dev_queue {
    struct dev *dev;
    struct dev_queue *prev, *next;
    pthread_mutex_t lock; /* recursive: waiting drains output, which may be asked for inside */
    uint32_t vk_index;
    vk_handle pool, timeline;
    struct vk_slot slots[VK_SLOTS];
    uint32_t slot; /* being recorded or next to be */
    bool recording;
    uint32_t recorded; /* commands in the open buffer */
    uint32_t stages;   /* of commands that may still run, or are recorded */
    uint64_t submitted;
    struct vk_buffer output, params, staging;
    uint32_t params_used;     /* ring of parameter blocks; restarts when the queue is idle */
    vk_handle wait_semaphore; /* the next submission waits for this first */
    uint64_t wait_value;
    const struct dev_module *printed; /* module whose strings the output refers to */
    enum tern_error error;            /* of its work, until the next wait */
};

struct dev_event {
    struct dev *dev;
    struct dev_queue *queue;
    uint64_t value; /* of the queue's timeline; 0: never recorded */
    vk_handle timeline;
    vk_handle queries;
};

struct vk_pipeline {
    uint32_t block[3], shared_words;
    vk_handle pipeline;
};

struct dev_kernel {
    struct dev_module *module;
    struct back_kernel info;
    char *name;
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
void vk_log(struct dev *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void vk_set_fault(struct dev *d, enum tern_error e, const char *kernel, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* memory.c */
enum tern_error vk_buffer_new(struct dev *d, uint64_t size, uint32_t want, uint32_t like,
                              struct vk_buffer *out);
void vk_buffer_free(struct dev *d, struct vk_buffer *b);
void vk_memory_free_all(struct dev *d);
/* The buffer and offset behind a device address; false: not one of ours, or not so long. */
bool vk_locate(struct dev *d, dev_ptr p, uint64_t size, struct vk_buffer *buffer, uint64_t *offset);
enum tern_error vk_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                         dev_ptr *out);
enum tern_error vk_free(struct dev *d, dev_ptr p);
enum tern_error vk_copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                           uint64_t n);
enum tern_error vk_copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from, uint64_t n);
enum tern_error vk_copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from, uint64_t n);
enum tern_error vk_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                        uint32_t pattern, unsigned bytes);

/* Sees to it that there is a device heap, and that kernels of the queue find it. */
enum tern_error vk_heap(struct dev *d, struct dev_queue *q);

enum tern_error vk_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle);
enum tern_error vk_texture_free(struct dev *d, uint64_t handle);

/* module.c */
enum tern_error vk_load(struct dev *d, const struct ir_module *m, struct diag *diag,
                        struct dev_module **out);
void vk_unload(struct dev *d, struct dev_module *m);
enum tern_error vk_kernel(struct dev_module *m, const char *name, struct dev_kernel **out);
enum tern_error vk_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size);
enum tern_error vk_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                          const struct dev_launch *l);

/* queue.c */
enum tern_error vk_queue_new(struct dev *d, struct dev_queue **out);
void vk_queue_free(struct dev_queue *q);
/* An open command buffer, for a command of this stage (VK_PIPELINE_COMPUTE or TRANSFER), ordered
 * after everything recorded before. */
enum tern_error vk_record(struct dev_queue *q, uint32_t stage, vk_command_buffer *out);
enum tern_error vk_flush(struct dev_queue *q, bool always); /* submits what is recorded */
enum tern_error vk_queue_wait(struct dev_queue *q);
void vk_queues_settle(struct dev *d,
                      uint64_t ns); /* waits, but not longer, for what was submitted */
enum tern_error vk_queue_query(struct dev_queue *q);
enum tern_error vk_event_new(struct dev *d, struct dev_event **out);
void vk_event_free(struct dev_event *e);
enum tern_error vk_event_record(struct dev_event *e, struct dev_queue *q);
enum tern_error vk_event_wait(struct dev_event *e);
enum tern_error vk_queue_after(struct dev_queue *q, struct dev_event *e);
enum tern_error vk_event_time(struct dev_event *e, uint64_t *ns);
enum tern_error vk_host_call(struct dev_queue *q, void (*fn)(void *), void *arg);

#endif
