/* NCCL's API on our devices. The data of an operation is moved and summed by the host's cores, in a
 * function of the stream: on the CPU straight from and to the program's buffers, on other devices
 * by way of pinned memory that the stream copies from and to. Sums are C loops for every device:
 * what leaves a device passes the host's memory anyway, and is summed on the way.
 *
 * state.c    what the process has: ids it made, segments it maps, the calling thread's group
 * auth.c     keyed hashes, and how two ends of a connection prove that they know the unique id
 * frame.c    headers of messages, read and written: nothing that arrives is believed unread
 * socket.c   addresses and connections
 * door.c     those who call and have not proved themselves yet
 * root.c     where ranks meet: a thread in the process that made the id
 * member.c   a rank's side of that: meeting, exchange of small data, news of ranks that are lost
 * segment.c  memory that the ranks of a machine share, and how they wait in it
 * link.c     bytes between two ranks, by shared memory or TCP
 * moves.c    many transfers at once over links, sums on arrival
 * ring.c     collectives over links: rings for much, trees for little
 * near.c     collectives of ranks that all share a segment
 * sizes.h    how data is cut up
 * task.c     what a group does on one communicator, as work of a stream
 * worker.c   tasks of devices that call functions of streams one at a time
 * group.c    groups
 * comm.c     communicators
 * calls.c    collectives as programs call them
 * memory.c   memory, registration
 * host/      sums by type and operation
 *
 * A rank that is gone is noticed by the end of its connections (its process died) or by its
 * silence (NCCL_SILENCE_S: a cut line): each other rank's operations then end with
 * ncclRemoteError. */
#ifndef LIB_NCCL_NCCL_INT_H
#define LIB_NCCL_NCCL_INT_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda/nccl.h"
#include "lib/lib.h"
#include "lib/nccl/sizes.h"

enum {
    NCCL_KEY = 16,            /* bytes of a key, a nonce, a proof */
    NCCL_BEAT_MS = 1000,      /* members and the root tell each other so often that they live */
    NCCL_SILENCE_S = 10,      /* so long without a sign: lost */
    NCCL_MEET_S = 300,        /* so long the root waits for all ranks */
    NCCL_TICK_MS = 50,        /* so often a waiting rank looks whether it waits in vain */
    NCCL_HANDSHAKE_MS = 5000, /* so long a connection may take to prove itself */
    NCCL_CALLERS = 32         /* so many may be at it at once */
};

/* ---- auth.c ---- */
void nccl_mac(const uint8_t key[NCCL_KEY], const void *data, size_t n, uint8_t out[NCCL_KEY]);
bool nccl_random(void *out, size_t n);

/* ---- frame.c ---- */
enum nccl_frame_kind {
    NCCL_FRAME_GATHER = 1, /* a rank's part; from the root: all parts */
    NCCL_FRAME_BEAT,
    NCCL_FRAME_BYE,   /* a rank leaves in order; from the root: the rank that left */
    NCCL_FRAME_ABORT, /* a rank gives up */
    NCCL_FRAME_LOST,  /* from the root: the rank that is gone */
    NCCL_FRAME_DATA,  /* on links */
    NCCL_FRAME_KINDS
};
enum { NCCL_FRAME_BYTES = 24, NCCL_HELLO_BYTES = 48, NCCL_PROOF_BYTES = 40 };
struct nccl_frame {
    enum nccl_frame_kind kind;
    uint32_t number; /* of the exchange, or the rank that is told of */
    uint64_t bytes;  /* that follow */
};
void nccl_frame_write(const struct nccl_frame *f, uint8_t out[NCCL_FRAME_BYTES]);
/* false: no header, or one of more than `most` bytes. */
bool nccl_frame_read(const uint8_t in[NCCL_FRAME_BYTES], uint64_t most, struct nccl_frame *out);

/* The first message of a connection, its answer and the answer to that: each end sends a number
 * of its own and proves that it knows the key by hashing both. */
enum nccl_role {
    NCCL_ROLE_MEMBER = 1,
    NCCL_ROLE_LINK,
    NCCL_ROLE_SEGMENT,
    NCCL_ROLE_ID, /* asks for the id of a communicator that this one shrinks to */
    NCCL_ROLES
};
struct nccl_hello {
    enum nccl_role role;
    uint32_t rank, nranks, to; /* to: the rank that is called */
    uint8_t nonce[NCCL_KEY];
};
void nccl_hello_write(const struct nccl_hello *h, uint8_t out[NCCL_HELLO_BYTES]);
bool nccl_hello_read(const uint8_t in[NCCL_HELLO_BYTES], struct nccl_hello *out);
/* The called end's answer: its nonce and its proof. */
void nccl_answer_write(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                       const uint8_t nonce[NCCL_KEY], uint8_t out[NCCL_PROOF_BYTES]);
bool nccl_answer_read(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                      const uint8_t in[NCCL_PROOF_BYTES]);
void nccl_proof(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                const uint8_t answer[NCCL_PROOF_BYTES], uint8_t out[NCCL_KEY]);

/* ---- socket.c ---- */
struct nccl_address {
    uint8_t bytes[16];
    uint16_t family, port; /* of the host's order; AF_INET or AF_INET6 */
};
/* What the unique id holds. */
struct nccl_id {
    uint32_t magic, version;
    uint8_t key[NCCL_KEY];
    struct nccl_address root;
    uint64_t process;
};
enum { NCCL_ID_MAGIC = 0x6e726574, NCCL_ID_VERSION = 1 };
bool nccl_listen(struct nccl_address *out, int *fd); /* on the interface to be used */
int nccl_connect(const struct nccl_address *a, int timeout_ms);
int nccl_accept(int listening);
void nccl_no_delay(int fd);
bool nccl_send_all(int fd, const void *data, size_t n, int timeout_ms);
bool nccl_recv_all(int fd, void *data, size_t n, int timeout_ms);
bool nccl_call_out(int fd, const uint8_t key[NCCL_KEY], struct nccl_hello *h);
bool nccl_called(int fd, const uint8_t key[NCCL_KEY], struct nccl_hello *out);
int nccl_unix_listen(const uint8_t name[NCCL_KEY]);
int nccl_unix_connect(const uint8_t name[NCCL_KEY]);
bool nccl_pass_fd(int socket, int fd);
int nccl_take_fd(int socket);
int64_t nccl_now_ms(void);

/* ---- door.c ---- */
/* The called end's part of a proof, as far as it has come. */
struct nccl_greeting {
    uint8_t hello[NCCL_HELLO_BYTES], answer[NCCL_PROOF_BYTES], proof[NCCL_KEY];
    size_t have;
    bool answered;
};
enum nccl_greeted { NCCL_GREETED_PARTLY, NCCL_GREETED, NCCL_GREETED_WRONGLY };
/* Takes what has come, and no byte past the proof; never waits. */
enum nccl_greeted nccl_greet(struct nccl_greeting *g, int fd, const uint8_t key[NCCL_KEY],
                             struct nccl_hello *out);
struct nccl_door {
    int listening, n;
    struct nccl_caller {
        int fd;
        int64_t since;
        struct nccl_greeting greeting;
    } callers[NCCL_CALLERS];
};
enum { NCCL_DOOR_POLLS = 1 + NCCL_CALLERS };
/* Whether it takes the connection of one that has proved itself. */
typedef bool nccl_enter(void *arg, int fd, const struct nccl_hello *h);
void nccl_door_open(struct nccl_door *d, int listening);
/* What is to be polled, and how many; then: what came of it. */
int nccl_door_polls(const struct nccl_door *d, struct pollfd p[NCCL_DOOR_POLLS]);
void nccl_door_hear(struct nccl_door *d, const struct pollfd *p, const uint8_t key[NCCL_KEY],
                    nccl_enter *enter, void *arg);
void nccl_door_close(struct nccl_door *d);

/* ---- root.c ---- */
/* Starts where ranks of the id meet; fills in the address. */
ncclResult_t nccl_root_start(struct nccl_id *id);

/* ---- communicators ---- */
/* What each rank tells all others. */
struct nccl_entry {
    uint8_t host[NCCL_KEY]; /* alike: they can share memory */
    struct nccl_address address;
    uint64_t process;
    int32_t ordinal; /* of its device there */
};

struct nccl_link {
    int fd;     /* TCP; -1: not connected */
    bool ready; /* for the thread that runs operations */
    struct nccl_pipe *out, *in;
};

struct nccl_op { /* one call of a program */
    enum nccl_what {
        NCCL_ALL_REDUCE,
        NCCL_REDUCE,
        NCCL_BROADCAST,
        NCCL_REDUCE_SCATTER,
        NCCL_ALL_GATHER,
        NCCL_SEND,
        NCCL_RECV
    } what;
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op; /* ncclSum for sums with factors */
    int peer;       /* or root */
    bool scaled, scalar_at_run;
    const void *scalar_from;
    _Alignas(8) uint8_t scalar[8];
    cudaStream_t stream;
};

struct nccl_factor { /* made by ncclRedOpCreatePreMulSum */
    bool used, at_run;
    ncclDataType_t type;
    const void *from;
    uint8_t value[8];
};

struct nccl_segment;
struct nccl_start;
struct ncclComm {
    uint64_t magic;
    int rank, n, ordinal;
    struct lib_device device;
    bool blocking;
    struct nccl_id id;
    struct nccl_entry *entries;
    int *node, node_n, node_rank; /* the ranks that share the segment, and which of them this is */
    int *node_index;              /* of each rank; -1: elsewhere */
    struct nccl_segment *segment;
    struct nccl_link *links;
    int listening;
    uint32_t step; /* of the segment */
    bool crowded;  /* there are more ranks than cores here */
    int wary;      /* so many waits still sleep at once (segment.c) */

    /* member.c */
    int root_fd, wake_fd;
    pthread_t monitor;
    bool monitored;
    pthread_mutex_t mouth; /* one frame at a time to the root */
    pthread_mutex_t lock;  /* of what follows */
    pthread_cond_t changed;
    uint32_t gathers, gathered;
    int *askers, naskers; /* connections that want the id of what this one shrinks to */
    uint8_t *parts;       /* of the exchange that ended last */
    size_t parts_bytes;
    bool root_gone;
    _Atomic uint8_t *left;
    _Atomic int error; /* ncclResult_t */
    char message[256];

    /* task.c */
    unsigned pending; /* tasks that streams still have to do */
    struct nccl_last {
        bool any;
        cudaStream_t stream; /* of the task before */
        cudaEvent_t event;   /* after it */
        unsigned long long capture;
    } last, last_captured;
    struct nccl_staging *stagings, *staging; /* all; the one in use */
    struct nccl_task *recorded;              /* those that graphs hold */
    pthread_mutex_t run;                     /* one task at a time */

    /* worker.c */
    bool worded, working, retired; /* streams wait for words; there is a worker; it is to end */
    uint32_t *word, tickets;       /* the word of tasks that no graph holds, and the last value */
    pthread_t worker;
    struct nccl_due *due;

    /* comm.c */
    _Atomic int state; /* enum nccl_state */
    pthread_t starter;
    bool starting;
    struct nccl_factor *factors;
    int nfactors;
};
enum nccl_state { NCCL_STARTING, NCCL_READY, NCCL_FINALIZED, NCCL_ABORTED };
#define NCCL_COMM_MAGIC 0x6d6f636c63636e74u

/* ---- comm.c ---- */
/* The first error stays, and is told; what waits ends. */
ncclResult_t nccl_fail(struct ncclComm *c, ncclResult_t e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL where it is none, or one that cannot be used; *e says why. */
struct ncclComm *nccl_comm(ncclComm_t comm, ncclResult_t *e);
static inline bool nccl_failed(struct ncclComm *c)
{
    return atomic_load_explicit(&c->error, memory_order_acquire) != ncclSuccess;
}
/* Makes a communicator of a rank; returns when all have met. */
ncclResult_t nccl_start_run(struct nccl_start *s);

/* ---- state.c ---- */
uint64_t nccl_process(void); /* a number that no other process has */
struct nccl_group {
    int depth;
    ncclResult_t error;
    struct nccl_task **tasks;
    int ntasks;
    struct nccl_start *starts; /* communicators that are made */
    bool nonblocking;
};
struct nccl_group *nccl_group(void);
char *nccl_last_error(size_t *size); /* the calling thread's */
void nccl_segments_lock(void);
void nccl_segments_unlock(void);
void nccl_segments_wait(void); /* under the lock, until somebody calls: */
void nccl_segments_changed(void);
struct nccl_segment **nccl_segments(void); /* the list; under the lock */
unsigned nccl_cpus(void);                  /* that this process may use */

/* ---- member.c ---- */
ncclResult_t nccl_meet(struct ncclComm *c);
/* Each rank's n bytes, to each rank: out has n bytes for each. */
ncclResult_t nccl_gather(struct ncclComm *c, const void *mine, size_t n, void *out);
void nccl_leave(struct ncclComm *c, bool in_order);
void nccl_give_up(struct ncclComm *c); /* tells the root that this rank has failed */

/* ---- segment.c ---- */
ncclResult_t nccl_segment_open(struct ncclComm *c);
void nccl_segment_close(struct ncclComm *c);
/* Tells the ranks of the machine that one of them has failed, and wakes them. */
void nccl_segment_fail(struct nccl_segment *s, int rank);
int nccl_segment_failed(struct nccl_segment *s); /* the rank; -1: none */
uint8_t *nccl_slab(struct nccl_segment *s, int node_rank, int half);
/* Marks grow; a rank waits until another one's has reached a number. */
void nccl_mark(struct ncclComm *c, uint32_t mark);
bool nccl_await(struct ncclComm *c, int node_rank, uint32_t mark);
bool nccl_await_all(struct ncclComm *c, uint32_t mark);
struct nccl_pipe *nccl_pipe(struct nccl_segment *s, int from, int to);
size_t nccl_pipe_put(struct nccl_pipe *p, const void *data, size_t n);
size_t nccl_pipe_get(struct nccl_pipe *p, void *data, size_t n);
/* Bells: rung at a rank that may wait for bytes or for room. */
void nccl_ring_bell(struct nccl_segment *s, int node_rank);
uint32_t nccl_bell(struct nccl_segment *s, int node_rank);
void nccl_wait_bell(struct ncclComm *c, uint32_t seen, int timeout_ms);
bool nccl_near_alive(struct nccl_segment *s, int node_rank);

/* ---- link.c ---- */
ncclResult_t nccl_link(struct ncclComm *c, int peer, struct nccl_link **out);
nccl_enter nccl_link_called;             /* somebody calls: the monitor; arg is the communicator */
void nccl_links_end(struct ncclComm *c); /* the others find them ended */
void nccl_links_close(struct ncclComm *c);

/* ---- moves.c ---- */
struct nccl_move {
    int peer;
    bool send;
    uint8_t *data;
    size_t bytes, done;
    const size_t *limit; /* of a send: so much is there already; NULL: all */
    /* Of a receipt: what comes is summed with `local` into data. */
    const struct nccl_op *sum;
    const uint8_t *local;
    int divide; /* the last sum of an average: by so many */
    /* moves.c's own */
    uint8_t head[NCCL_FRAME_BYTES];
    size_t head_done;
    uint8_t *rest; /* bytes of an element that has not come whole */
    size_t nrest;
    struct nccl_link *link;
};
ncclResult_t nccl_moves(struct ncclComm *c, struct nccl_move *moves, int n);

/* ---- host/reduce.c ---- */
size_t nccl_type_bytes(ncclDataType_t t); /* 0: no type */
/* dst = sum, product, … of n arrays; dst may be one of them. divide: of averages, else 0. */
void nccl_reduce(void *dst, const void *const *src, int n, size_t count, ncclDataType_t t,
                 ncclRedOp_t op, int divide);
void nccl_scale(void *dst, const void *src, size_t count, ncclDataType_t t, const void *factor);

/* ---- ring.c, near.c: an operation of the calling rank; buffers are memory of the host ---- */
ncclResult_t nccl_far(struct ncclComm *c, const struct nccl_op *op);
ncclResult_t nccl_near(struct ncclComm *c, const struct nccl_op *op);
static inline int nccl_divide(const struct ncclComm *c, const struct nccl_op *op)
{
    return op->op == ncclAvg ? c->n : 0;
}

/* ---- task.c ---- */
struct nccl_task {
    struct ncclComm *comm;
    struct nccl_op *ops;
    int nops, room;
    bool captured;
    struct nccl_staging *staging;
    struct nccl_op *staged; /* ops with addresses of the host's */
    struct nccl_task *next;
    uint32_t *word, value;            /* worker.c: what the stream waits for */
    struct nccl_staging *word_memory; /* of a graph's task, which may outlive its communicator */
};
struct nccl_staging {
    struct nccl_staging *next;
    void *memory;
    size_t bytes;
};
ncclResult_t nccl_task_submit(struct nccl_task *t);
void nccl_task_free(struct nccl_task *t);
void nccl_tasks_wait(struct ncclComm *c);
void nccl_tasks_release(struct ncclComm *c);

/* Does it; then says that it is done. */
void nccl_task_work(struct nccl_task *t);
void nccl_task_done(struct ncclComm *c);
bool nccl_task_recorded(
    struct nccl_task *t); /* a graph's is due; false: its communicator is gone */

/* ---- worker.c ---- */
bool nccl_has_words(void); /* streams of the current device wait for words */
/* The device's driver may call functions of all streams of the process one at a time. */
bool nccl_calls_singly(const struct lib_device *d);
bool nccl_worker_start(struct ncclComm *c);
void nccl_worker_end(struct ncclComm *c);
/* Functions of streams. */
void nccl_worker_once(void *task);
void nccl_worker_recorded(void *task);
cudaError_t nccl_worker_await(cudaStream_t stream, const uint32_t *word, uint32_t value);

/* ---- group.c ---- */
/* A communicator that is to be made: by a unique id, or out of another one. */
struct nccl_start {
    struct nccl_start *next;
    struct ncclComm *comm; /* the new one */
    struct ncclComm *parent;
    bool shrink;
    int color, key; /* of a split */
    ncclComm_t *out;
    pthread_t thread;
    bool started;
    ncclResult_t error;
};
ncclResult_t nccl_enqueue(struct ncclComm *c, const struct nccl_op *ops, int n);
/* Takes s, which malloc gave. */
ncclResult_t nccl_enqueue_start(struct nccl_start *s);

#endif
