/* The door to pass/: runs lists of passes over a module.
 *
 * A pass is a row: its name, what it does, and the function that does it. A pipeline is a list of
 * rows, closed by PASS_END, which may hold lists itself. Everything that changes IR after the front
 * end goes through here, optimisation, lowering for a target and the library code linked in, so
 * that all of it is verified, dumped and timed alike:
 *
 *   verify  after each pass, and the diagnostic names it; in debug builds, with TERN_VERIFY=1 and
 * where the log asks for it. Otherwise once, where a pipeline ends (pass_check) dump    before and
 * after passes of the names that were asked for times   of each pass by itself, without those it
 * runs inside
 *
 * A name is "STAGE/PASS": the stage is what the pipeline belongs to, opt, library or a target. */
#ifndef PASS_PASS_H
#define PASS_PASS_H

#include "ir/ir.h"

struct pass {
#ifndef TERN_SMALL
    const char *called, *does;
#endif
    unsigned level; /* of optimisation that it starts at */
    /* One of these: */
    void (*plain)(struct arena *scratch, struct ir_func *f); /* over a function */
    void (*func)(void *ctx, struct ir_func *f);              /* with the pipeline's own state */
    void (*module)(void *ctx, struct ir_module *m); /* over the module, or more than the function */
    const struct pass *list;                        /* passes in turn */
    uint32_t each; /* of a list: if not 0, all of it for one function with such a flag, then for the
                      next; PASS_ALL: for every function */
    bool (*when)(const struct pass *p, void *ctx, struct ir_func *f); /* NULL: always */
#ifndef TERN_SMALL
    const char *(*check)(void *ctx); /* where a pass leaves more than IR: what is wrong, or NULL */
#endif
};
#define PASS_ALL UINT32_MAX
#define PASS_END                                                                                   \
    {                                                                                              \
        .level = 0                                                                                 \
    }
/* In a row: what verifies beside the IR, which pages do not. */
#ifdef TERN_SMALL
#define PASS_CHECK(function)
#else
#define PASS_CHECK(function) .check = function,
#endif
/* A row that is no list: PASS_ROW("name", "what it does", .func = …). Pages neither dump nor time
 * passes: their compiler has no names of them. */
#ifdef TERN_SMALL
#define PASS_ROW(name, about, ...)                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#else
#define PASS_ROW(name, about, ...)                                                                 \
    {                                                                                              \
        .called = name, .does = about, __VA_ARGS__                                                 \
    }
#endif

struct pass_time {
    const char *stage, *pass;
    unsigned runs;
    uint64_t nanoseconds;
};

/* f: the function, or NULL: the module. */
typedef void pass_watch(void *ctx, const char *stage, const char *pass, struct ir_module *m,
                        struct ir_func *f);

/* What is asked of all runs of a compilation, and what came of it. */
struct pass_log {
    bool verify;
    const char *const *dump; /* names, with or without the stage; or "all" */
    size_t ndump;
    struct sbuf *out;            /* where dumps go */
    uint64_t (*clock)(void);     /* nanoseconds; NULL: no times are taken */
    struct arena *arena;         /* of the times */
    VEC(struct pass_time) times; /* in the order in which they first ran */
    uint64_t inside;             /* of the pass that runs: nanoseconds of passes in it */
    pass_watch *watch;           /* called after each pass, before it is verified: for tests */
    void *watch_ctx;
};

/* The runs over one module. */
struct passes {
    struct arena *arena; /* scratch memory of plain passes comes from where this one's does */
    struct ir_module *module;
    struct diag *diag;
    const char *stage;
    unsigned level;       /* passes of higher levels are left out */
    struct pass_log *log; /* NULL: nothing is asked for */
    bool broken;          /* a pass broke the module, as the diagnostics say: no other runs */
};

/* Is every pass to be verified where nobody says? */
bool pass_verifies(void);

/* Runs a list over the whole module, pass by pass, or over one function. False: it is broken. */
bool pass_run(struct passes *p, const struct pass *list, void *ctx);
bool pass_run_on(struct passes *p, const struct pass *list, void *ctx, struct ir_func *f);
/* The end of a pipeline: verifies the function, or all if it is NULL, unless every pass was. */
bool pass_check(struct passes *p, struct ir_func *f);

/* What is no list, such as reading the source and writing the output: its time, by the same rules.
 */
struct pass_clock {
    uint64_t started, outside;
};
#ifdef TERN_SMALL
#define pass_start(log)                ((struct pass_clock){0})
#define pass_stop(log, c, stage, pass) ((void)(c))
#else
struct pass_clock pass_start(struct pass_log *log);
void pass_stop(struct pass_log *log, struct pass_clock c, const char *stage, const char *pass);
#endif
void pass_print_times(const struct pass_log *log, struct sbuf *out);

#endif
