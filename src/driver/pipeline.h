/* The door to driver/: source text → module → output, the whole compiler as a few calls.
 *
 * A struct compilation owns everything one compilation makes: memory, sources, diagnostics, module.
 * It is the one place where running out of memory lands. Canonical form, as devices and back ends
 * get it: verified, device library linked, unreached functions dropped, contracted (mad) unless
 * mode.no_fmad says otherwise; optimised to `level`. The interpreter gets level 0, everything else
 * level 2. */
#ifndef DRIVER_PIPELINE_H
#define DRIVER_PIPELINE_H

#include "back/back.h"
#include "driver/mode.h"
#include "ir/ir.h"

enum source_language { SOURCE_AUTO, SOURCE_CUDA, SOURCE_PTX, SOURCE_IR };

struct compile_define {
    char kind; /* 'D', 'U' or 'i' (-include) */
    const char *text;
};

struct compile_unit { /* one more file of a module: CUDA, with its own kernels by name */
    const char *path, *text;
    size_t len;
    const char *const *names;
    size_t nnames;
};

struct compile_options {
    const char *path; /* names the source in diagnostics; its ending decides the language */
    enum source_language language;
    const char *const *include_dirs;
    size_t ninclude_dirs;
    const struct compile_define *defines;
    size_t ndefines;
    const char *standard;     /* c++20, …; NULL: c++17 */
    const char *const *names; /* name expressions of template kernels to instantiate */
    size_t nnames;
    bool alone; /* no host half: see front_job */
    bool host;  /* the host half, of the machine that this runs on: back/cpu_plain.h compiles it */
    bool host_wasm;      /* or of WebAssembly */
    bool default_device; /* what says nothing of where it lives is the device's */
    bool linked;         /* device code calls across files: this file is the first of 1 + nunits, */
    bool partial;        /* or one whose others are not here yet: what is missing is no error */
    const struct compile_unit *units;
    size_t nunits;
    struct compile_mode mode;
    unsigned level; /* optimisation, 0 to 2 */
    bool native;    /* the target has what is asynchronous: wgmma, mbarrier and the like stay */
    bool clusters;  /* else: who launches makes clusters by ir/cluster.h */
    bool checked;   /* its accesses are looked at: those outside of variables do happen */
    bool rolled;    /* loops stay loops unless they are short: back_target.rolled */
    const char *const *dump_passes; /* --dump-ir=PASS: text goes to `dump` before and after */
    size_t ndump_passes;
    pass_watch *watch_passes;
    void *watch_ctx;
    bool verify_passes;      /* each of them, also in release builds */
    uint64_t (*clock)(void); /* nanoseconds: takes the time of each, into `log`; NULL: does not */
    const char *const *warnings; /* "no-shadow", "error", … */
    size_t nwarnings;
    unsigned error_limit;
    size_t memory_limit; /* bytes; 0: 1 GiB */
    struct sbuf *print;  /* CUDA: gets the text without need of other files (half.h); or NULL */
    char *(*read_file)(void *ctx, struct arena *a, const char *path,
                       size_t *len); /* NULL: no disk */
    void *read_ctx;
};

struct compile_request { /* a kernel that was asked for by name expression, and its name in the
                            module */
    const char *text, *name;
};

struct compilation {
    struct mem mem;
    struct arena arena;
    struct interner names;
    struct source_map sources;
    struct diag diag;
    struct ir_module *module; /* NULL: refused, see diag */
    struct sbuf dump;
    struct pass_log log;             /* of all passes so far, those of compile_emit too */
    VEC(struct back_kernel) kernels; /* of the last compile_emit */
    VEC(struct back_global) globals;
    VEC(struct compile_request) requests;
    bool plain; /* of compile_source: nothing is asynchronous, so `native` made no difference */
    jmp_buf unwind;
};

/* Whether blocks may meet other blocks: atomic operations on memory that is not the block's,
 * barriers of the grid, clusters, launches. */
bool compile_blocks_meet(const struct ir_module *m);
/* Whether anything is asynchronous (ir/async.h), or asks for something of its cluster. */
bool compile_is_plain(const struct ir_module *m);
/* Whether any function asks for something of its cluster. */
bool compile_has_clusters(const struct ir_module *m);

/* Reads and lowers to canonical IR. Always to be followed by compile_free, also on failure. */
enum tern_error compile_source(struct compilation *c, const struct compile_options *o,
                               const char *text, size_t len);
/* Starts a compilation from a copy of another's module, as devices do when they load one. The copy
 * writes scratch fields of m: one at a time. Spans keep referring to m's sources. Followed by
 * compile_free. */
enum tern_error compile_copy(struct compilation *c, const struct ir_module *m, size_t memory_limit);
/* Starts a compilation with what another came to: module, sources, names of what was asked for. Not
 * with what the front end made on the way, which is most of it, nor with warnings. The other one
 * can be freed then. Followed by compile_free. */
enum tern_error compile_distil(struct compilation *c, const struct compilation *from);
/* Passes of the caller's, on what is compiled. */
struct pass;
enum tern_error compile_more(struct compilation *c, const struct pass *list, void *ctx);
/* Drops every kernel but one, and what only they need; those it launches stay. */
enum tern_error compile_keep(struct compilation *c, const char *kernel);
/* Drops the kernels that `is` tells, which is asked of each function in order, and what only they
 * need. */
enum tern_error compile_drop(struct compilation *c, bool (*is)(void *ctx, const struct ir_func *f),
                             void *ctx);
/* Emits for a target, from a copy of the module; fills c->kernels. */
enum tern_error compile_emit(struct compilation *c, const struct back_target *t,
                             const struct back_options *o, struct sbuf *out);
void compile_free(struct compilation *c);
/* Something else than these, with memory, names, sources and diagnostics of its own. Followed by
 * compile_free. */
enum tern_error compile_apart(struct compilation *c, size_t memory_limit,
                              bool (*work)(struct compilation *c, void *arg), void *arg);
/* What is asynchronous is done at once, for targets that know nothing of it; clusters become
 * blocks, or have one, unless launches say (compile_options.clusters). */
enum compile_clusters { CLUSTERS_OF_ONE, CLUSTERS_BY_LAUNCHES, CLUSTERS_KEPT };
bool compile_synchronise(struct compilation *c, struct ir_module *m, enum compile_clusters how);
/* Compiles text of the device library and brings what m declares of it into m. */
bool compile_library(struct arena *a, struct ir_module *m, const char *text, struct diag *d,
                     struct pass_log *log);

#endif
