/* Inside check/: see check.h. */
#ifndef CHECK_CHECK_INT_H
#define CHECK_CHECK_INT_H

#include <pthread.h>
#include <stdio.h>
#include "check/check.h"

/* ---- host.c ---- */
enum { HOST_FRAMES = 16, HOST_TEXT = 4096 };
struct host_frames {
    uint64_t at[HOST_FRAMES]; /* the innermost first; 0: no more */
};
void host_here(struct host_frames *out);
void host_text(const struct host_frames *f, char *out, size_t size); /* a line each */

/* ---- memory.c ---- */
enum { GRANULE_BITS = 16 }; /* of CHECK_GRANULE */
#define GRANULE CHECK_GRANULE

struct check_memory {
    uint64_t base, size;
    enum check_memory_kind kind;
    const char *call, *name;
    uint64_t number; /* which of all allocations, from 1 */
    bool live;
    bool defined;       /* all of it */
    uint64_t freed_in;  /* the place in the order of queues where it is freed; 0: none yet */
    struct cell *cells; /* one for each word; NULL until first asked for */
    uint64_t mapped;    /* bytes of our own mapping, which starts a granule before base; 0: none */
    struct dev *owner;  /* NULL: it is memory of the process */
    void (*release)(struct dev *owner, uint64_t start);
    struct host_frames made;  /* by which call of the program */
    struct report_place line; /* of a kernel's: where; the path is its own */
    struct check_memory *next_freed;
};

struct check_memory *memory_at(struct check *c, uint64_t address);
void memory_hide(struct check *c, struct check_memory *m); /* from code that looks by itself */
void memory_define(struct check *c, struct check_memory *m, uint64_t offset, uint64_t n);
void memory_made_at(struct check *c, uint64_t address, const struct report_place *at);
struct cell *memory_cells(struct check *c, struct check_memory *m); /* NULL: no memory, and told */
/* Shadow (ir/check.h) of n bytes at an offset from what `shadow` is of. */
void shadow_set(uint8_t *shadow, uint64_t offset, uint64_t n, uint8_t is);
/* The first byte of those that nobody has written; n: none. */
uint64_t shadow_undefined(const uint8_t *shadow, uint64_t offset, uint64_t n);
bool memory_open(struct check *c); /* false: there is no room for shadow */
struct report_memory check_memory_report(const struct check_memory *m, char *name, size_t size);
void *map_zeroed(uint64_t bytes); /* NULL: none */
void unmap(void *p, uint64_t bytes);
void memory_close(struct check *c);

/* ---- race.c ---- */
struct stamp {      /* an access */
    uint32_t who;   /* thread of the launch + 1; 0: none */
    uint32_t clock; /* the thread's */
    source_loc site;
    uint8_t bytes; /* of the word, as bits */
    uint8_t strong;
    uint8_t scope : 4;
    uint8_t pending : 4; /* an asynchronous copy that its thread has not waited for */
    uint8_t access;      /* enum report_access */
};
struct cell {
    uint64_t launch; /* whose stamps these are; for shared memory a number of the block */
    struct stamp write, reads[2];
    struct stamp earlier[3]; /* writes of bytes that the last one left as they were */
};

/* What a thread knows of others beyond its own block's barriers: sorted by key. */
struct fact {
    uint64_t key;   /* of a thread of the launch, counted from 1; or of a block, with a mark */
    uint32_t clock; /* of a thread: all up to and with it; of a block: the barriers it has passed */
};
struct facts {
    struct fact *at;
    uint32_t n, cap;
};

/* Beside its clock: the barriers of the block that it has passed, and releases since. */
struct thread_state {
    uint32_t round; /* barriers of the grid passed */
    struct facts *knows;
    struct facts *seen[2], *gives[2]; /* 0: in the block; 1: in the device. Read by strong reads;
                                         as it was at the last fence */
};
enum { RELEASE_BITS = IR_CHECK_RELEASE_BITS };

struct lane_clocks {
    uint32_t at[32]; /* of each lane of the warp, as this one knows it */
};

/* A thread's asynchronous copies to shared memory that it has not waited for. */
struct copies {
    struct copy {
        uint32_t offset, bytes, group;
    } * at;
    uint32_t n, cap, groups; /* groups: closed so far */
};

struct block_state {
    struct block_state *next;
    uint64_t number; /* in the grid */
    uint64_t serial;
    uint32_t *clocks; /* by thread */
    struct thread_state *threads;
    struct lane_clocks *lanes;         /* by thread; NULL: no warp has met */
    struct lane_clocks *meeting;       /* by thread: when it last came to a barrier of the warp */
    struct copies *copies;             /* by thread; NULL: there were none */
    struct facts *barriers[16];        /* of parts of the block */
    struct facts *common;              /* what all know since a barrier; taken in by the next one */
    source_loc sites[IR_CHECK_TURNS];  /* of the barriers, by epoch */
    uint32_t first_at[IR_CHECK_TURNS]; /* epoch + 1 that it is of */
    struct cell *cells;                /* of shared memory */
    uint64_t shared;                   /* its address; 0: counted from 0 */
    uint8_t *shadow;                   /* of it */
    bool own_shadow;
};

struct sync { /* what an atomic location holds */
    uint64_t key;
    struct facts *held[2]; /* as above */
};

struct check_launch {
    struct ir_check_table table;
    struct check *check;
    struct check_kernel kernel;
    uint64_t serial, place;
    uint32_t nthreads;
    /* compact.c: has it been asked; does it; does it now */
    bool asked, compacts, compact;
    uint64_t first_interval, first_of_block, unordered;
    struct ir_interval *intervals;
    size_t cap_intervals;
    struct block_state *blocks, *last;
    struct sync *syncs;
    size_t nsyncs, cap_syncs;
    struct facts **all_facts;
    size_t nfacts, cap_facts;
};
#define PLACE_SHIFT                                                                                \
    20 /* cell.launch: the place in the order of queues, and barriers of the grid                  \
        */
#define WHO_COPY UINT32_MAX
#define WHO_HOST (UINT32_MAX - 1) /* its clock and site are the address of the code */

struct access {
    struct check_launch *l;
    struct block_state *b;
    const struct check_event *e;
    uint32_t thread;
    uint64_t address, bytes;
    enum ir_space space; /* GLOBAL, SHARED, LOCAL */
    bool write, atomic, strong;
    bool undefined; /* it reads what nobody has written, which was told */
    struct check_memory *memory;
};

/* The bytes from..end as bits of a word. */
uint8_t word_bytes(uint64_t word, uint64_t from, uint64_t end);
bool cell_clashes(const struct cell *cell, bool write, uint8_t bytes);
void race_word(const struct access *a, struct cell *cell, uint8_t bytes);
/* What a kernel or copy at that place of the order left there. */
void race_streams(const struct access *a, const struct cell *cell, uint64_t before, uint8_t bytes);
/* copies.c: an asynchronous copy has been told as a write; a group is closed, or waited for. */
void copy_begins(const struct access *a);
void copy_event(struct check_launch *l, struct block_state *b, const struct check_event *e);
void copies_reset(const struct check_launch *l, struct block_state *b);
void copies_free(const struct check_launch *l, struct block_state *b);
/* False: no thread learns anything by it. */
bool race_has_news(const struct check_launch *l, const struct block_state *b,
                   const struct check_event *e);
void race_sync(struct check_launch *l, struct block_state *b, const struct check_event *e,
               uint32_t thread, uint64_t operand);
/* A strong access: reads: it has read; else it is about to write. */
void race_atomic(struct check_launch *l, struct block_state *b, uint32_t thread, uint64_t key,
                 uint64_t what, bool reads);
struct block_state *block_of(struct check_launch *l, const struct check_event *e);
/* Threads know of each other by whole barriers alone so far; from now on they may know more. */
void launch_unquiet(struct check_launch *l);
void block_close(struct check_launch *l, struct block_state *b);
void launch_free(struct check_launch *l);

/* ---- compact.c ---- */
struct compact_launch {
    uint64_t first, place;
};
void compact_open(struct check *c);
void compact_close(struct check *c);
void *arena_take(struct check *c, uint64_t bytes); /* NULL: there is none */
bool arena_give(struct check *c, uint64_t address, uint64_t bytes);
void compact_begin(struct check_launch *l);
void compact_block(struct check_launch *l, const struct block_state *b);
void compact_passed(struct check_launch *l, const struct block_state *b, uint32_t clock);
void compact_quits(struct check_launch *l); /* more than barriers of the block orders threads */
void compact_end(struct check_launch *l);
struct compact { /* a word's: of the last write, of two reads */
    uint32_t *stamp[3];
    source_loc *site[3];
};
/* Where they are; false: it has none but its cell. */
bool compact_places(const struct access *a, uint64_t address, struct compact *at);
bool compact_word(const struct access *a, const struct compact *at, uint8_t bytes);
void compact_load(const struct access *a, const struct compact *at, struct cell *full,
                  struct cell *out);
void compact_store(const struct access *a, const struct compact *at, struct cell *full,
                   const struct cell *was, const struct cell *is);

/* The cell is to hold all that is known of the word. */
/* Stamps of launches that nothing orders with this one. */
void compact_others(const struct access *a, const struct compact *at, uint8_t bytes);
void compact_elsewhere(struct check *c, uint64_t address, struct cell *full);
/* What is known of a word of device memory, wherever it is kept; full: NULL for none. */
void compact_peek(struct check *c, uint64_t address, const struct cell *full, struct cell *out);

/* ---- log.c ---- */
#define CHECK_MARKS "marks"                   /* the name of a local array's twin */
void check_log(void *ctx, struct ir_func *f); /* ctx: an enum check_how: is it wanted */

/* ---- order.c ---- */
struct order;
struct order *order_new(void);
void order_free(struct order *o);
/* Is one of the two done when the other starts? */
bool order_is(const struct order *o, uint64_t x, uint64_t y);
bool order_several(const struct order *o); /* queues */
/* Does y come after x? False where it is not known any more. */
bool order_after(const struct order *o, uint64_t x, uint64_t y);
uint64_t order_submit(struct order *o, const void *queue);
/* Host code: is there work that it has not waited for; is this such; it has seen that it is done;
 * its own place in the order. */
bool order_in_flight(const struct order *o);
bool order_seen(const struct order *o, uint64_t id);
void order_see(struct order *o, uint64_t id);
uint64_t order_touch(struct order *o);
/* Work that reads by strong accesses what host code writes meanwhile. */
void order_hear(struct order *o, uint64_t id);
bool order_heard(const struct order *o, uint64_t id);

/* ---- flight.c ---- */
struct flight { /* a copy that host code has not waited for */
    uint64_t base, end, place;
    bool write;
};
void flight_add(struct check *c, uint64_t at, uint64_t bytes, uint64_t place, bool write);
void flight_prune(struct check *c);
void flight_watch(struct check *c, const struct check_memory *m);
/* Where the host code was that touched it last; false: something else did. */
bool flight_by_host(const struct cell *cell, char *out, size_t size);

/* ---- finding.c ---- */
struct found {
    struct found *next;
    uint64_t id, count;
    enum check_kind kind;
    const char *kernel, *path, *other_path;
    uint32_t line, column, other_line;
    char *message, *host;
};

enum { CHECK_MARKED = 8 };
struct check {
    struct report_sink sink;
    struct report_place failing; /* of the assert or trap that was told last */
    pthread_mutex_t lock;
    bool on[CHECK_KINDS];
    bool races;
    FILE *file;
    struct found *found, **last_found;
    uint64_t nfound;
    bool lost; /* there was no memory for something that is to be kept */
    /* memory */
    uint8_t *shadow; /* of address 0 */
    uint64_t shadow_limit;
    struct check_memory ***map; /* by the upper and lower half of an address's granule */
    struct check_memory **told; /* by others, by base */
    size_t ntold, cap_told;
    struct check_memory *freed, **last_freed;
    uint64_t freed_bytes, allocations;
    struct check_memory **all;
    size_t nall, cap_all;
    /* compact.c */
    void *arena_start;
    uint64_t arena, arena_next, arena_end;
    char *stamps, *shared_stamps; /* six tables: three of stamps, three of sites */
    uint64_t interval;
    struct compact_launch *launches;
    size_t nlaunches;
    struct check_launch *compact_launch; /* whose stamps are being made */
    /* flight.c: all memory that host code reaches lies between */
    uint64_t host_low, host_high;
    struct flight *flights;
    size_t nflights, cap_flights;
    /* launches */
    uint64_t block_serial;
    struct { /* shared memory that has marks in `shadow`, and the block that they are of: launches
              * of several streams run at once */
        uint64_t at, bytes, serial;
    } shared[CHECK_MARKED];
    struct order *order;
};

void check_lock(struct check *c);
void check_unlock(struct check *c);
/* Under the lock. check_lost: what has just been left out might have been found out about. */
void check_lost(struct check *c);
void found_add(struct check *c, enum check_kind kind, const struct report *r);
/* The same, known again by where in the source it is. */
void found_add_at(struct check *c, enum check_kind kind, const struct report *r,
                  const struct check_launch *l, source_loc site, source_loc other);
bool is_mapped(uint64_t address);
struct report event_report(const struct check_launch *l, const struct check_event *e,
                           uint32_t thread);

#endif
