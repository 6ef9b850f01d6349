/* The door to check/: what `tern check` knows of a running program.
 *
 * log.c         the op as a record that a GPU leaves for the host
 * instrument.c  the pass: an op `check` (ir/check.h) before each access, barrier and warp operation
 * memory.c      allocations: where one lies, what of it is written, what was freed
 * event.c       what threads tell: bounds, alignment, undefined memory, masks, barriers
 * race.c        who touched a word last, and whether that was before: clocks of threads
 * copies.c      asynchronous copies that a thread has not waited for
 * compact.c     stamps of races that code can look at by itself
 * host.c        where the host program made a call
 * order.c       the order between queues: stream races
 * flight.c      host code that uses memory which work in flight uses
 * finding.c     findings: grouped, sent on as reports, written as JSON
 *
 * A device that can be checked runs the pass over the modules it loads, takes its memory from
 * check_alloc (or tells of it), brackets launches by check_begin and check_end, and hands on what
 * the ops say. The state lies on the host: the CPU device and the interpreter call it directly.
 * One lock guards all of it, taken for each event; an event is a gang's, so that it is not taken
 * for each thread.
 *
 * A thread's clock is (barriers of the block it has passed, releases since): two accesses by
 * threads of one block are in order when the first one's count of barriers is lower. Everything
 * else that orders (barriers of warps, of parts of blocks, of the grid; atomics with fences) goes
 * through what a thread knows of others: see race.c. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/report.h"
#include "ir/check.h"
#include "ir/ir.h"

enum check_kind {
#define CHECK_KIND(name, word, races) CHECK_##name,
#include "check/kinds.def"
    CHECK_KINDS
};
const char *check_kind_name(enum check_kind k);

struct check;
struct check_launch;
struct diag;
struct pass_log;

/* What the settings ask for; NULL in *out: nothing. */
enum tern_error check_new(const struct report_sink *sink, struct check **out);
/* There is a device that is checked: so there is a file of findings, if there are none too. */
void check_opened(struct check *c);
/* The program ends: leaks, and how often each finding was seen. Devices may still tell of more.
 * False: something was found. */
bool check_finish(struct check *c);
void check_close(struct check *c);
/* The program cannot come to its end: what was found is written, and what was not freed is not to
 * be held against it. */
void check_abandon(struct check *c);
enum { CHECK_STATUS = 3 }; /* the exit status of a program that was ended by its findings */

/* ---- code ---- */
/* How code tells: by the op alone; having looked by itself first; by records for the host, through
 * a function of the device library; the same where generic addresses do not say what they are of,
 * so that those of shared memory are told with a tag (ir/check.h). */
enum check_how { CHECK_BY_OP, CHECK_INLINE, CHECK_BY_LOG, CHECK_BY_TAGGED_LOG };
#define CHECK_LOG "__tern_check"
bool check_instrument(const struct check *c, enum check_how how, struct arena *a,
                      struct ir_module *m, struct diag *diag, struct pass_log *log);

/* ---- memory ---- */
enum check_memory_kind {
    CHECK_DEVICE,
    CHECK_MANAGED, /* and what follows: the host writes it too */
    CHECK_PINNED,
    CHECK_REGISTERED,
    CHECK_VARIABLES, /* of a module */
    CHECK_HEAP,      /* malloc of a kernel */
};
/* Memory with room on both sides that nothing else uses, kept for a while after it is freed. */
enum tern_error check_alloc(struct check *c, uint64_t size, uint64_t *out);
/* The same with a device's own memory: base lies a granule of CHECK_GRANULE behind the start of
 * `mapped` bytes, and is a multiple of it. release gives it back, in the end; not after
 * check_disown. */
#define CHECK_GRANULE UINT64_C(65536)
struct dev;
enum tern_error check_adopt(struct check *c, uint64_t base, uint64_t size, uint64_t mapped,
                            void (*release)(struct dev *owner, uint64_t start), struct dev *owner);
void check_disown(struct check *c, const struct dev *owner);
/* False: it is none of ours, or has been freed (which is reported). */
bool check_free(struct check *c, uint64_t address);
/* The same in the order of a queue: what comes after it there has the memory no more, though it is
 * freed only later. */
void check_free_in(struct check *c, const void *queue, uint64_t address);
/* Memory that somebody else made; a name that lasts, or NULL. */
void check_tell(struct check *c, uint64_t address, uint64_t size, enum check_memory_kind kind,
                const char *name);
void check_forget(struct check *c, uint64_t address);
/* Memory that kernels may use, told or our own, sorted, for free(); NULL: out of memory, or none.
 */
struct check_range {
    uint64_t base, end;
};
struct check_range *check_ranges(struct check *c, size_t *n);
/* What an allocation is, and which call made it (a word that lasts); CHECK_OURS: it is not the
 * program's to free. */
#define CHECK_OURS "an allocation"
void check_describe(struct check *c, uint64_t address, enum check_memory_kind kind,
                    const char *call);
/* The program frees what it does not have. */
void check_bad_free(struct check *c, uint64_t address, const char *call);

/* A copy or fill that was refused because it goes past the end. */
void check_past_end(struct check *c, uint64_t address, uint64_t bytes);
/* A copy or fill whose caller says that the memory is the device's, or the host's: it is not, or
 * not any more. */
void check_misplaced(struct check *c, uint64_t address, uint64_t bytes, bool as_device);

/* ---- order: queues and events are known by their address ---- */
/* A copy or a fill; addresses are 0 for none. False: it goes past the end of an allocation, and is
 * not to be done. c NULL: nobody checks. */
bool check_copies(struct check *c, const void *queue, uint64_t to, uint64_t from, uint64_t bytes,
                  const char *call);
void check_record(struct check *c, const void *event, const void *queue);
void check_after(struct check *c, const void *queue, const void *event);
void check_waited(struct check *c, const void *queue, const void *event); /* by the host */
void check_called(struct check *c, const void *queue); /* host code, as a part of it */
void check_drop(struct check *c, const void *queue_or_event);

/* A graph of so many nodes is run in a queue, node by node; the next of them, which comes after
 * those alone that `after` names; and its end. */
void check_graph_begin(struct check *c, const void *queue, size_t nodes);
struct check_node {
    size_t number, nafter;
    size_t (*after)(const void *ctx, size_t k); /* the number of one */
    const void *ctx;
};
void check_graph_node(struct check *c, const void *queue, const struct check_node *n);
void check_graph_end(struct check *c, const void *queue);

/* ---- host code ---- */
/* Is it to tell of what it does there? Without a lock: where nothing is in flight, no. */
bool check_watches(const struct check *c, uint64_t address, uint64_t bytes);
/* Host code at `code` reads or writes. */
void check_touched(struct check *c, uint64_t address, uint64_t bytes, bool write, uint64_t code);

/* ---- launches ---- */
struct check_kernel {
    const char *name;
    const struct source_map *sources;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared, shared_bytes;
    bool resident;   /* blocks run at the same time */
    bool same_place; /* shared memory of each of them has the same addresses */
};
/* When it is submitted: its place in the order. */
uint64_t check_submit(struct check *c, const void *queue);
struct check_launch *check_begin(struct check *c, const struct check_kernel *k, uint64_t place);
/* What its code looks at by itself; NULL: of no launch. */
const struct ir_check_table *check_table(const struct check_launch *l);
/* faulted: it did not come to its end. */
void check_end(struct check_launch *l, bool faulted);

struct check_event {
    uint64_t what; /* ir/check.h */
    source_loc site;
    uint32_t block[3];
    uint32_t thread, mask; /* of lane 0, in the block; lanes */
    int64_t stride;
    const uint64_t *lanes; /* if not NULL: instead of first and stride */
    uint64_t first, more[3];
    uint64_t shared;                               /* address of the block's shared memory */
    bool (*is_local)(void *ctx, uint64_t address); /* lies on a stack of kernels? */
    void *ctx;
    bool only_state; /* the device looks after bounds and alignment itself */
    bool later;      /* told when the kernel has ended; nobody else tells of frees */
};
/* TERN_OK, or why the kernel must not go on: it would harm more than itself. */
enum tern_error check_event(struct check_launch *l, const struct check_event *e);

/* A fault that a device reports becomes a finding. True: it is one, and told. */
bool check_takes(struct check *c, const struct report *r);
uint64_t check_findings(struct check *c); /* so far */
void check_found(struct check *c, enum check_kind kind, const struct report *r);
/* Where the host program is now, for report.host. */
void check_here(char *out, size_t size);

#endif
