/* The door to api/ for the CUDA layer and `tern run`: the objects behind include/tern/tern.h.
 *
 * device.c   contexts, devices, errors that stick, waiting
 * select.c   which devices: names, "cpu/2", conditions
 * stream.c   streams, events, the order between streams
 * capture.c  work of a stream as nodes of a graph
 * work.c     what can be done on a stream, as data: done now, or kept in a graph
 * graph.c    graphs and their replay
 * timed.c    work in recordings: when devices did it
 * module.c   modules, kernels, launches
 * buffer.c   buffers
 * function.c C functions as kernels; spreading over devices
 * grid.c     one grid over all devices
 * compile.c  the compiler without a device; generate.c: machine code of a few kernels
 *
 * One piece of work is one struct work, whoever asks for it: both APIs fill it in, a stream that is
 * captured keeps it as a node, a replay does it again. */
#ifndef API_API_H
#define API_API_H

#include <pthread.h>
#include "check/check.h"
#include "rt/module.h"
#include "tern/tern.h"

/* ---- device ---- */
struct tern_stream {
    struct tern_device *device;
    struct dev_queue *queue;
    struct dev_event *tail; /* for ordering with the device's own stream */
    bool blocking;          /* orders itself with the device's own stream, as CUDA's do */
    unsigned flags;
    int priority;
    unsigned long long id;
    bool busy;     /* work was submitted since the last wait */
    bool dirty;    /* has had work since the device's own stream last waited for it */
    uint64_t seen; /* the own stream's version that it waited for */
    uint64_t visited;
    unsigned users;           /* threads that wait for it */
    void *owner, *attributes; /* of the API above; attributes are freed with it */
    struct capture *capture;
    struct tern_node **frontier; /* captured: what the next piece of work follows */
    size_t nfrontier;
    struct tern_stream *capture_next; /* streams of one capture */
    struct tern_stream *prev, *next;
};

struct tern_event {
    struct tern_device *device;
    struct dev_event *event;
    unsigned flags;
    bool recorded;
    struct capture *capture; /* recorded in a captured stream: in which capture */
    struct tern_node **frontier;
    size_t nfrontier;
};

struct tern_device {
    struct tern_context *context;
    unsigned ordinal;
    char name[64];         /* as rt_open takes it */
    bool open, complained; /* it was said why it cannot be opened */
    bool chosen;           /* by us: no device was asked for */
    bool used;             /* somebody has memory, a stream or an event of it */
    pthread_mutex_t notes; /* memory, history */
    struct tern_memory memory;
    struct tern_launched *history; /* TERN_HISTORY; NULL: none yet */
    uint64_t launched;
    struct rt_device rt;
    struct dev_info info;
    pthread_mutex_t lock; /* streams, and the order between them */
    struct tern_stream own;
    uint64_t own_version, visit;
    struct tern_stream *streams;
    struct tern_stream *gather; /* device_record's; in the list */
    unsigned captures;          /* under way on blocking streams */
    unsigned long long next_id;
    enum tern_error lost;  /* everything fails until the device is reset */
    struct kept *kept;     /* tern_device_keep; under the lock */
    struct timing *timing; /* timed.c: while a recording is made */
};

enum { API_MAX_DEVICES = 16, API_MAX_PARAM_BYTES = 32764 };

/* What a context may be given beyond tern_options. */
struct context_host {
    struct report_sink reports; /* gets what options.say would, as data; none: options.say does */
    const volatile int *cancel; /* non-zero: stop running kernels; may be NULL */
    const struct shelf *shelf;  /* code that came with the program (rt/shelf.h); NULL: none */
};

struct tern_context {
    pthread_mutex_t lock;
    struct tern_options options;
    struct context_host host;
    struct tern_device devices[API_MAX_DEVICES];
    unsigned ndevices;
    unsigned parts; /* the CPU is split into so many devices; 0: it is not */
    char cache[512];
    struct check *check;          /* NULL: nothing is checked */
    pthread_mutex_t message_lock; /* its own: devices report while they are opened, under `lock` */
    char message[1024];
    struct pool *threads; /* for C functions as kernels; made when first needed */
};

enum tern_error context_new(const struct tern_options *options, const struct context_host *host,
                            struct tern_context **out);
/* Opens the n-th device if it is not open. */
enum tern_error device_open(struct tern_context *c, unsigned n, struct tern_device **out);
/* Where no device was asked for and nobody has anything of this one yet, another may take its
 * place: the next that can be opened (CUDA, Vulkan, the processor, the interpreter), said in one
 * line. False: it stays. */
bool device_may_give_way(const struct tern_device *d);
bool device_give_way(struct tern_device *d, const char *why);
/* For tern_device_history. */
void device_launched(struct tern_device *d, const struct rt_kernel *k, const struct dev_launch *l,
                     enum tern_error e);
static inline void device_use(struct tern_device *d)
{
    __atomic_store_n(&d->used, true, __ATOMIC_RELAXED);
}
void device_close(struct tern_device *d);
enum tern_error device_wait(struct tern_device *d);
/* What a driver says of a device, as programs are told it. */
void device_facts(const struct dev_info *i, struct tern_device_info *out);
bool device_is_native(struct tern_device *d); /* has what is asynchronous: compile_options.native */
unsigned device_level(const struct tern_device *d); /* of optimisation that its code comes with */
/* rt_test_pairs: whether double can be pairs of floats there. */
enum tern_error device_test_pairs(struct tern_device *d);
/* Remembers an error that sticks to the device; gives it back. */
enum tern_error device_check(struct tern_device *d, enum tern_error e);
/* Where all reports of a context's devices go: a report_sink's function. */
void context_report(void *ctx, const struct report *r);
void context_message(struct tern_context *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- select.c ---- */
/* Fills names and count of c's devices from a list as in struct tern_options. */
enum tern_error select_devices(struct tern_context *c, const char *list);

/* Why a device is not there that every machine should have; NULL: all are. */
const char *select_missing(void);

/* ---- buffers ---- */
/* name: in reports of bad accesses near it; it must outlive the buffer. NULL: none. */
enum tern_error buffer_new(struct tern_device *d, uint64_t bytes, const char *name,
                           struct tern_buffer **out);

/* ---- streams ---- */
enum tern_error stream_new(struct tern_device *d, bool blocking, unsigned flags, int priority,
                           struct tern_stream **out);
void stream_free(struct tern_stream *s);
void stream_free_all(struct tern_device *d);
enum tern_error stream_wait(struct tern_stream *s);
enum tern_error stream_drain(struct tern_stream *s); /* waits for its own work only */
enum tern_error stream_query(struct tern_stream *s);
bool stream_is_live(struct tern_device *d, const struct tern_stream *s);
/* Orders the next work of s after what it must follow; to be called before submitting to its queue.
 * stream_end after it tells that there is something to wait for: after, so that a wait that runs at
 * the same time cannot take the mark away and miss the work. */
enum tern_error stream_begin(struct tern_stream *s);
void stream_end(struct tern_stream *s);
/* The next work of s follows what the stream of that id was given, if that is still there. */
enum tern_error stream_follow(struct tern_stream *s, unsigned long long id);

enum tern_error event_new(struct tern_device *d, unsigned flags, struct tern_event **out);
void event_free(struct tern_event *e);
enum tern_error event_record(struct tern_event *e, struct tern_stream *s);
enum tern_error event_wait(struct tern_event *e);
enum tern_error event_query(struct tern_event *e);
enum tern_error event_elapsed(struct tern_event *from, struct tern_event *to, int64_t *ns);
enum tern_error stream_after(struct tern_stream *s, struct tern_event *e);
/* e is reached when all is done that all streams of d have been given so far. */
enum tern_error device_record(struct tern_device *d, struct tern_event *e);
/* What streams of d are given from now on follows e. */
enum tern_error device_after(struct tern_device *d, struct tern_event *e);

/* ---- work ---- */
enum work_kind {
    WORK_EMPTY,
    WORK_KERNEL,
    WORK_COPY,
    WORK_FILL,
    WORK_CALL,
    WORK_RECORD,
    WORK_AFTER,
    WORK_ALLOC,
    WORK_FREE,
    WORK_GRAPH,
    WORK_WORDS,     /* waits for words in memory, and writes them */
    WORK_CONDITION, /* none, one, or one again and again of several graphs, as a number on the
                       device says */
};
enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* A word in memory that a stream writes, or waits for. */
struct work_word {
    uint64_t at, value;
    enum word_op op;
    bool wide; /* 8 bytes; else 4 */
};

/* Bytes on a device, or on the host where device is NULL. */
struct work_place {
    struct tern_device *device;
    uint64_t at;
    uint64_t row, slice; /* bytes from one to the next; only where there are several */
};

struct work {
    enum work_kind kind;
    struct tern_device *device; /* where it is done */
    union {
        struct {
            const struct rt_kernel *kernel;
            struct dev_launch shape; /* params: owned by the caller, or by the node */
            void *handle;            /* what the API above calls the kernel */
        } kernel;
        struct {
            struct work_place to, from;
            uint64_t width, height, depth; /* bytes, rows, slices */
            bool pageable;                 /* the host's side may change or go when we return */
        } copy;
        struct {
            struct work_place to;
            uint64_t width, height; /* bytes, rows */
            uint32_t value, element;
        } fill;
        struct {
            void (*fn)(void *);
            void *arg;
            size_t bytes; /* of arg, where each call gets a copy, which it frees; 0: arg as it is */
        } call;
        struct tern_event *event;
        struct {
            uint64_t address, size;
            bool (*done)(void *arg, uint64_t address, uint64_t size); /* of the API above */
            void *arg;
        } memory;
        struct tern_graph *graph; /* owned by the node */
        struct {
            const struct work_word *list; /* owned by the caller, or by the node */
            unsigned n;
        } words;
        struct {
            enum condition_kind kind;
            uint64_t at;                /* of the number, 32 bits */
            struct tern_graph **bodies; /* owned by the node; if: then, else */
            unsigned nbodies;
        } condition;
    };
};

/* Does it, or adds it to the graph that s is captured into. */
enum tern_error work_submit(struct tern_stream *s, const struct work *w);

/* ---- timed.c ---- */
/* While a recording is made (prof_on()). NULL: the work is not to be in it. */
struct timed;
struct timed *timed_begin(struct tern_stream *s, const struct work *w);
void timed_end(struct timed *t, enum tern_error e);
/* Waits for what was timed, of one stream or of all, and records it. */
void timed_settle(struct tern_device *d, const struct tern_stream *only);
void timed_close(struct tern_device *d);
/* Does it on s, whether captured or not. */
enum tern_error work_do(struct tern_stream *s, const struct work *w);

/* ---- capture ---- */
enum capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD, CAPTURE_RELAXED };
struct capture {
    unsigned users; /* itself while it lasts, and events recorded in it */
    bool over;
    unsigned long long id;
    struct tern_graph *graph;
    bool own_graph; /* made by the capture: goes with it when it fails */
    struct tern_stream *origin;
    struct tern_stream *streams; /* all that take part */
    enum capture_mode mode;
    pthread_t thread;
    bool invalid;
};
enum capture_status { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_BROKEN };

enum tern_error capture_begin(struct tern_stream *s, enum capture_mode mode,
                              struct tern_graph *into, struct tern_node **after, size_t nafter);
enum tern_error capture_end(struct tern_stream *s, struct tern_graph **out);
void capture_leave(struct tern_stream *s);
enum capture_status capture_status(const struct tern_stream *s);
/* Makes the capture fail at its end; gives e back. */
enum tern_error capture_break(struct tern_stream *s, enum tern_error e);
/* What the next work of s follows: these nodes, or these too. */
enum tern_error capture_set_frontier(struct tern_stream *s, struct tern_node **after, size_t n,
                                     bool only);
/* s takes part in the capture that e was recorded in. */
enum tern_error capture_join(struct tern_stream *s, struct tern_event *e);
void capture_forget(struct tern_event *e);
/* Adds work to the graph that s is captured into. */
enum tern_error capture_add(struct tern_stream *s, const struct work *w);
/* An event recorded or waited for by the graph itself, each time it is replayed. */
enum tern_error capture_add_event(struct tern_stream *s, struct tern_event *e, enum work_kind kind);

/* ---- graphs ---- */
struct tern_node {
    struct tern_graph *graph;
    struct work work;
    unsigned char *params; /* of a kernel */
    void **args;           /* into params, once asked for */
    struct tern_node **after;
    size_t nafter, cap_after;
    size_t index;                   /* in the graph */
    size_t mark;                    /* of whoever walks the graph */
    bool off;                       /* of a replay: left out */
    const struct tern_node *origin; /* what it was copied from, as a name only: it may be gone */
};

struct tern_graph {
    struct tern_node **nodes; /* in order of creation */
    size_t nnodes, cap;
    struct graph_user *users; /* what lives as long as the graph and its copies do */
    struct graph_default *defaults;
};

struct tern_replay {
    struct tern_device *device;
    unsigned long long flags; /* the API above's, told back */
    struct tern_graph *graph; /* a copy */
    struct tern_node **order; /* its nodes, each after what it follows */
    pthread_mutex_t lock;     /* native */
    struct dev_graph *native; /* where the device replays by itself */
    bool tried;               /* native is as the nodes are, or cannot be made */
    bool ran;
    unsigned long long last; /* where it ran: the stream's id */
};

enum tern_error graph_new(struct tern_graph **out);
void graph_free(struct tern_graph *g);
enum tern_error graph_clone(const struct tern_graph *g, struct tern_graph **out);
enum tern_error graph_add(struct tern_graph *g, struct tern_node *const *after, size_t nafter,
                          const struct work *w, struct tern_node **out);
enum tern_error graph_depend(struct tern_node *later, struct tern_node *earlier);
bool graph_independ(struct tern_node *later, struct tern_node *earlier);
void graph_remove(struct tern_node *n);
/* Replaces what a node does; the kind must stay. */
enum tern_error graph_set(struct tern_node *n, const struct work *w);
bool graph_has(const struct tern_graph *g, const struct tern_node *n);
/* fn(arg) is called when g and every copy of it are gone. On failure it is not called. */
enum tern_error graph_retain(struct tern_graph *g, void (*fn)(void *), void *arg);
/* The 32 bits at `at` are set to value each time the graph starts. */
enum tern_error graph_default(struct tern_graph *g, struct tern_device *d, uint64_t at,
                              uint32_t value);
bool graph_unretain(struct tern_graph *g, const void *arg);
/* Pointers to the arguments of a kernel's node, which live as long as they are not changed. */
enum tern_error graph_args(struct tern_node *n, void ***args);
/* Does all of a graph on one stream, in order. */
enum tern_error graph_do(struct tern_stream *s, struct tern_graph *g);

enum tern_error replay_new(const struct tern_graph *g, struct tern_device *d,
                           struct tern_replay **out);
void replay_free(struct tern_replay *r);
enum tern_error replay_run(struct tern_replay *r, struct tern_stream *s);
/* *at: the node of g that does not fit, or NULL. */
enum tern_error replay_update(struct tern_replay *r, const struct tern_graph *g,
                              struct tern_node **at);
/* The replay's own copy of a node of the graph it was made from; NULL: none. */
struct tern_node *replay_node(struct tern_replay *r, const struct tern_node *n);
enum tern_error replay_enable(struct tern_replay *r, const struct tern_node *n, bool on);
enum tern_error replay_set(struct tern_replay *r, const struct tern_node *n, const struct work *w);

/* ---- modules ---- */
struct tern_module {
    struct tern_device *device;
    struct rt_module *rt;
    struct tern_kernel *kernels; /* handed out so far */
    struct tern_module *next;    /* for the API above */
    bool borrowed;               /* rt is another's, who frees it */
    bool lent;                   /* goes with another handle: not to be freed by its own */
    pthread_mutex_t lock;
};
struct tern_kernel {
    struct tern_module *module;
    const struct rt_kernel *rt;
    struct tern_kernel *next;
};

/* Of what is compiled already, which must outlive it; what the device has against it is added to
 * c's diagnostics. */
enum tern_error module_load(struct tern_device *d, struct compilation *c, struct tern_module **out);
/* A module by another name: rt stays another's. NULL: out of memory. */
struct tern_module *module_borrow(struct tern_device *d, struct rt_module *rt);
/* What stands for a kernel of m; the same one each time. */
enum tern_error module_handle(struct tern_module *m, const struct rt_kernel *found,
                              struct tern_kernel **out);
/* tern_launch with all that a launch can be told; shape.params is made of args. */
enum tern_error kernel_launch(struct tern_stream *s, struct tern_kernel *k,
                              const struct dev_launch *shape, void *const *args);
enum tern_error kernel_check(const struct tern_device *d, const struct rt_kernel *k,
                             const struct dev_launch *l);

/* ---- compile.c ---- */
/* The compiler's answer to a question in JSON, which it frees. */
struct sbuf;
enum tern_error api_answer(struct sbuf *question, struct tern_output *out);

#endif
