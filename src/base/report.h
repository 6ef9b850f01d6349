/* Reports: what devices, and whoever checks kernels, have to say, as data.
 *
 * A fault, a launch that is refused, text that a kernel prints, a line of the log: each is one
 * struct report, goes through one struct report_sink, and becomes text or JSON here and nowhere
 * else. Whoever reports fills in what it knows; what is zero is not mentioned. Everything that a
 * report points at belongs to the sender and lasts as long as the call. */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include "base/source.h"
#include "tern/error.h"

enum report_kind {
#define REPORT_KIND(name, word, fault) REPORT_##name,
#include "base/report.def"
};

struct report_place {
    const char *path; /* NULL: unknown */
    uint32_t line, column;
    const char *function; /* as a user writes it, or NULL */
    struct str text;      /* the line of source, if it is to be shown */
    struct span span;
};

enum report_access { REPORT_NO_ACCESS, REPORT_READ, REPORT_WRITE, REPORT_ANY_ACCESS };

/* The allocation or variable that an address lies in or near. */
struct report_memory {
    const char *name;  /* or NULL */
    const char *space; /* "global memory"; NULL: it is not known what is there */
    uint64_t base, size;
    const char *state; /* "has been freed"; NULL: nothing special */
    const char *note;  /* instead of the above: what kind of address it is */
};

struct report {
    enum report_kind kind;
    enum tern_error error;
    const char *device;  /* the driver's name, or NULL */
    const char *finding; /* FINDING: of which kind, "race-shared" */
    const char
        *message;  /* what happened; further lines are indented by two. NULL: told by `access` */
    size_t length; /* of the message; 0: it ends with a 0 */
    const char *advice; /* what would tell more, or NULL */

    /* where */
    const char *kernel; /* as a user writes it, or NULL */
    bool has_block, has_thread;
    uint32_t block[3], thread[3];
    struct report_place at;
    const struct report_place *calls; /* that led there, innermost first */
    size_t ncalls;
    uint32_t depth;            /* of calls, where not all are shown; 0: all are */
    struct report_place other; /* of a finding: the access that it is in conflict with */

    /* memory */
    enum report_access access;
    uint64_t address, bytes;
    struct report_memory memory;

    /* Calls of the host program that led here, and to the allocation: lines of FILE+0xOFFSET, the
     * innermost first; NULL: not known. */
    const char *host, *made;

    uint64_t count; /* how often the same was seen; 0 and 1: once */
};

/* Takes reports from any thread; those of one thread in order. */
struct report_sink {
    void (*take)(void *ctx, const struct report *r);
    void *ctx;
};
void report_send(const struct report_sink *s, const struct report *r); /* take may be NULL */
void report_print(const struct report_sink *s, const char *text, size_t n);
void report_note(const struct report_sink *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A sink's function for programs that print: ctx is a FILE, to which all but notes go as they come.
 */
void report_write(void *ctx, const struct report *r);

enum report_kind report_kind_of(enum tern_error e);
const char *report_kind_name(enum report_kind k);
/* Whether it is the fault of a kernel, which leaves the device unusable. */
bool report_is_fault(const struct report *r);
/* Where a location stands, for a report. */
struct report_place report_place_of(const struct source_map *sources, source_loc loc);

/* The message of a failed assert: what, file, line, function. */
#define REPORT_ASSERT_FORMAT "assertion failed: %s\n  %s:%u: %s"

void report_put_place(struct sbuf *out, const struct report_place *p);
/* Several lines, without a newline at the end. What a kernel prints is given as it is. */
void report_text(const struct report *r, struct sbuf *out);
char *report_string(const struct report *r); /* the same, for free(); NULL: out of memory */
/* One object: error, message (all of the text), and the facts by name. */
struct json_writer;
void report_json(const struct report *r, struct json_writer *w);

/* A finding, flat: id, kind, file, line, other_line, kernel, block, thread, address, allocation,
 * message, text. */
void report_finding_json(const struct report *r, uint64_t id, struct json_writer *w);

/* A copy with all that it points at, for free(); NULL: out of memory. */
struct report *report_copy(const struct report *r);

#endif
