/* What a program did and when: calls, kernels, copies, memory, ranges that it named.
 *
 * kinds.def   what can be recorded
 * record.c    in the program: records in a buffer, written to the file that TERN_PROF names
 *             api/timed.c puts work of devices there, timed by their own events
 * hardware.c  in the program: the processor's counters
 * counts.c    in the program: counters of kernels, line by line, when they are asked for
 * read.c      in `tern prof`: the file, checked and sorted
 * summary.c   tables at the end: kernels, copies, calls, memory
 * streams.c   what was done on each stream, and how much waited
 * roofline.c  counters beside times: arithmetic, memory, what holds a kernel back
 * html.c      all of it as one page (page.html)
 * trace.c     the same as a timeline that Perfetto and Chrome open
 * sqlite.c    the same as a database with Nsight Systems' tables
 * diff.c      two recordings, compared; stats.c: medians and their confidence
 *
 * A file is a header and records of one size, in the order in which they were known; a text follows
 * the record that gives it its number. Reader and writer are one version of this program, on one
 * machine: numbers lie in the file as they do in memory. */
#ifndef PROF_PROF_H
#define PROF_PROF_H

#include <stdatomic.h>
#include "base/base.h"
#include "base/counters.h"

enum prof_kind {
#define PROF_KIND(name, text) PROF_##name,
#include "prof/kinds.def"
    PROF_NKINDS
};

enum prof_copy { PROF_TO_DEVICE, PROF_FROM_DEVICE, PROF_ON_DEVICE, PROF_ON_HOST, PROF_NCOPIES };
enum prof_memory { PROF_MEM_DEVICE, PROF_MEM_HOST, PROF_MEM_MANAGED, PROF_MEM_POOL, PROF_NMEMORY };

struct prof_record {
    uint8_t kind, sub; /* sub: of copies and memory, which */
    uint16_t device;
    uint32_t thread;     /* of the host, from 1 */
    uint64_t start, end; /* nanoseconds of the host's steady clock */
    uint64_t call;       /* the API call that it came from; an API call's own number */
    uint32_t name;       /* of a text; 0: none */
    uint32_t stream;     /* of the device, 0 its own */
    union {
        struct {
            uint32_t grid[3], block[3], shared;
            uint32_t per_unit; /* blocks that a unit of the device runs at once; 0: not known */
        } kernel;
        struct {
            uint64_t bytes, address;
        } memory; /* copies and fills too */
        struct {
            int32_t result;
        } api;
        struct {
            uint32_t domain, color; /* domain: a text */
            uint64_t id;
        } range;
        struct {
            uint64_t resident, peak; /* bytes */
        } process;
        struct {
            uint64_t memory;
            uint32_t units, clock_khz, warp, threads_per_unit;
        } device_info;
        struct {
            uint64_t value, launches;
            uint32_t path, line; /* path: a text, 0 where the line is not known */
        } count;
        struct {
            uint32_t length; /* of the text behind the record */
        } text;
    };
};
_Static_assert(sizeof(struct prof_record) == 72, "records of one size, without holes");

/* ---- record.c ---- */
extern atomic_int prof_state; /* 0 not asked yet, 1 off, 2 on */
bool prof_start(void);
static inline bool prof_on(void)
{
    const int s = atomic_load_explicit(&prof_state, memory_order_relaxed);
    return s == 2 || (s == 0 && prof_start());
}
/* cudaProfilerStop and Start. A program that calls neither is recorded whole; where one starts the
 * recording itself, what was before is left out when it is read. */
void prof_pause(bool paused);
bool prof_recording(void);

uint64_t prof_now(void);
uint32_t prof_text(const char *text); /* its number; NULL or out of memory: 0 */
uint32_t prof_thread(void);
uint64_t prof_call_now(void); /* the API call that this thread is in; 0: none */
void prof_put(const struct prof_record *r);
void prof_flush(void);
/* At the end of the process, before what was recorded is written, fn is called, once for each ctx;
 * false: there are too many. prof_not_at_end takes it back. */
bool prof_at_end(void (*fn)(void *ctx), void *ctx);
void prof_not_at_end(const void *ctx);

/* Somebody in the process who is told of records as they come, and of calls when they begin (false)
 * and end; recording is on while there is one. NULL: nobody any more. */
struct prof_tap {
    void (*record)(const struct prof_record *r);
    void (*call)(const char *name, bool ends, uint64_t call, int *result);
};
void prof_tap(const struct prof_tap *tap);
const char *prof_text_of(uint32_t number); /* it lasts; NULL: none */
void prof_settle(void);                    /* what devices have not told yet is waited for */

/* The outermost call of the thread is recorded from here to the end of the block. */
struct prof_call {
    const char *name;
    uint64_t start;
};
struct prof_call prof_enter(const char *name);
void prof_leave(struct prof_call *c);
void prof_result(int result);
#define PROF_CALL(name)                                                                            \
    struct prof_call prof_call_ __attribute__((cleanup(prof_leave))) =                             \
        prof_on() ? prof_enter(name) : (struct prof_call){0};                                      \
    (void)prof_call_

/* ---- counts.c ---- */
bool prof_counting(void); /* TERN_PROF_COUNT, in a recording */
/* What a launch did; prof_count_launch after its lines. */
void prof_count(const char *kernel, const char *path, uint32_t line, const struct counts *c);
void prof_count_launch(const char *kernel);

/* ---- read.c ---- */
struct prof_file {
    struct arena *arena;
    struct prof_record *records; /* by start */
    size_t nrecords;
    const char **texts; /* by number */
    size_t ntexts;
    uint64_t start, end;
    bool cut; /* damaged, or the program did not come to its end: what is whole is here */
};
/* NULL and *why: it is not such a file. */
struct prof_file *prof_read(struct arena *a, const char *path, const char **why);
const char *prof_name(const struct prof_file *f, uint32_t text);

/* ---- diff.c, sqlite.c ---- */
void prof_diff(const struct prof_file *before, const struct prof_file *after, struct sbuf *out);
void prof_diff_json(const struct prof_file *before, const struct prof_file *after,
                    struct sbuf *out);
void prof_sql(const struct prof_file *f, struct sbuf *out); /* as text */
bool prof_sqlite(const struct prof_file *f, const char *path, char *why, size_t size);

/* ---- summary.c, trace.c ---- */
const char *prof_record_name(const struct prof_file *f, const struct prof_record *r);
struct prof_row {
    const char *name;
    const struct prof_record *first;
    size_t count;
    uint64_t total, least, most; /* nanoseconds */
    uint64_t bytes;
};
struct prof_rows {
    struct prof_row *row; /* the longest first */
    size_t n;
    uint64_t total;
};
/* Records of these kinds (a bit each) by name. */
struct prof_rows prof_rows(const struct prof_file *f, unsigned kinds);
struct prof_use {
    size_t allocations, frees, live;
    uint64_t bytes, peak; /* at the end; at most */
    /* When it was most: what lay free between the allocations. */
    uint64_t holes, largest;
    size_t nholes;
};
struct prof_stream {
    uint16_t device;
    uint32_t stream;
    size_t done;    /* kernels, copies, fills */
    size_t pending; /* the most of them that were given to it and not done, at one time */
    uint64_t busy;
};
struct prof_streams {
    struct prof_stream *stream;
    size_t n;
};
struct prof_streams prof_streams(const struct prof_file *f);
/* The share of a unit's threads that a kernel's blocks can fill, 0 to 1; below 0: not known. */
double prof_occupancy(const struct prof_file *f, const struct prof_record *kernel);
/* How much of what lies free is not in one piece: 0 to 1. */
double prof_fragmentation(const struct prof_use *u);
void prof_memory(const struct prof_file *f, struct prof_use use[PROF_NMEMORY]);
/* How long one of these kinds at least was under way. */
uint64_t prof_busy(const struct prof_file *f, unsigned kinds);
/* Energy of the machine while the program ran. */
struct prof_energy {
    char name[96];
    double joules;
    bool sampled; /* made of samples of the power */
};
struct prof_bill {
    struct prof_energy *energy;
    size_t n;
    double price; /* of an hour, or of a kilowatt hour; 0: not given */
    bool per_kwh;
    bool looked; /* energy was looked for */
};
/* False: it is not known. */
bool prof_cost(const struct prof_file *f, const struct prof_bill *b, double *cost);
void prof_summary(const struct prof_file *f, const struct prof_bill *b, struct sbuf *out);
/* counts: NULL where nothing was counted. */
struct prof_counts;
void prof_summary_json(const struct prof_file *f, const struct prof_counts *counts,
                       const struct prof_bill *b, struct sbuf *out);
void prof_trace(const struct prof_file *f, struct sbuf *out);

/* ---- roofline.c ---- */
struct prof_counted {
    const char *name;
    uint64_t launches;
    struct counts counts; /* of all launches */
};
struct prof_line {
    const char *kernel, *path;
    uint32_t line;
    struct counts counts;
};
struct prof_counts {
    struct prof_counted *kernel;
    size_t n;
    struct prof_line *line;
    size_t nlines;
};
struct prof_counts prof_counts(const struct prof_file *f);
/* NULL: nothing was counted of it. */
struct prof_counted *prof_counted(const struct prof_counts *all, const char *name);
/* What the device was measured to do at best; 0: not measured. */
struct prof_peaks {
    double gbytes, gflops_32, gflops_64;
};
struct prof_rates { /* of one launch */
    double flops, bytes, intensity, seconds, gflops, gbytes;
    double of_flops, of_bytes; /* shares of the peaks */
    double active;             /* threads of a warp that work, of 32 */
    double coalesced;          /* bytes used of those in the sectors that are moved */
    double divergent;          /* branches where a warp parts */
    double conflicts;          /* rounds of the banks where one would do */
    bool memory_bound;
};
/* t: times of the kernel, NULL if there are none. */
struct prof_rates prof_rates(const struct prof_counted *x, const struct prof_row *t,
                             const struct prof_peaks *peak);
void prof_verdict(const struct prof_rates *r, struct sbuf *out); /* in a sentence */
void prof_roofline(const struct prof_file *times, const struct prof_counts *counts,
                   const struct prof_peaks *peak, struct sbuf *out);
void prof_counts_json(struct json_writer *w, const struct prof_counts *counts);

/* ---- html.c ---- */
/* counts: NULL where nothing was counted. */
void prof_html(const struct prof_file *f, const struct prof_counts *counts,
               const struct prof_peaks *peak, struct sbuf *out);

#endif
