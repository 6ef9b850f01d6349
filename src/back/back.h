/* The door to back/: a target turns a module into text or bytes of another language.
 *
 * Every target is one `const struct back_target back_NAME` and answers for every op of the IR: it
 * emits it or refuses it with a reason. A test walks the whole op x target matrix. */
#ifndef BACK_BACK_H
#define BACK_BACK_H

#include "lower/lower.h"
#include "pass/pass.h"

enum back_support { BACK_NO, BACK_YES, BACK_LOWERED /* yes, after a lowering it asks for */ };

struct back_place {
    const char *name;
    uint32_t at;
};

/* What any target is told. What one alone understands is a struct of its own, struct NAME_options
 * in back/NAME/NAME.h. */
struct back_options {
    const char *kernel; /* emit only this kernel and what it needs; NULL: all */
    bool line_info;     /* places in the source, where the output has words for them */
    bool as_written;    /* loops stay as they are */
    bool beside;        /* works on the memory of another module of the same source: variables lie
                           as they do there */
    const struct back_place *places; /* variables that somebody else has; of wasm */
    size_t nplaces;
    bool host;       /* ordinary functions, of a program's host half: no kernels */
    const void *own; /* the target's struct, or NULL for its defaults */
};

/* Such a struct by rows, for those who have options as names and numbers: the command line (--NAME)
 * and requests. All of them are zero by default. */
enum back_option_kind {
    BACK_FLAG,   /* bool */
    BACK_NUMBER, /* uint32_t */
    BACK_LANES,  /* uint32_t: a power of two, IR_MAX_LANES at most, or 0 */
    BACK_SHAPE,  /* uint32_t[3]: of a block, or zeros */
    BACK_BYTES,  /* uint8_t[BACK_MOST_BYTES] */
};
enum { BACK_MOST_BYTES = 16 };
/* A row: BACK_OPTION("name", kind, struct, field, "value", "about"). Pages have no help. */
#ifdef TERN_SMALL
#define BACK_OPTION(name, kind, type, field, value, about)                                         \
    {                                                                                              \
        name, kind, offsetof(struct type, field), NULL, NULL                                       \
    }
#else
#define BACK_OPTION(name, kind, type, field, value, about)                                         \
    {                                                                                              \
        name, kind, offsetof(struct type, field), value, about                                     \
    }
#endif
struct back_option {
    const char *name;
    enum back_option_kind kind;
    size_t at;                 /* in the struct */
    const char *value, *about; /* as help shows it; about NULL: not on the command line by itself */
};

/* What a launcher must know about a kernel in the output: filled for each kernel. */
struct back_kernel {
    const char *name;   /* in the IR */
    const char *symbol; /* in the output */
    uint32_t param_bytes;
    uint32_t static_shared;
    uint32_t local_bytes;
    uint32_t uses;   /* enum back_uses */
    const void *own; /* struct NAME_kernel of the target, kernel_bytes without pointers in them */
};
enum back_uses {
    BACK_USES_BARRIER = 1,
    BACK_USES_WARP = 2,
    BACK_USES_PRINTF = 4,
    BACK_USES_GRIDSYNC = 8,
    BACK_USES_HEAP = 16,
    BACK_USES_LAUNCH = 32,
    BACK_USES_TEXTURES = 64,
    BACK_USES_CLUSTER = 128, /* our own code of it may be launched in clusters */
};

/* A variable by its name in the IR and in the output, where the host can ask for it. */
struct back_global {
    const char *name, *symbol;
};

struct back_job {
    struct arena *arena;
    struct diag *diag;
    struct ir_module *module; /* may be changed by the target */
    struct back_options options;
    struct pass_log *log; /* what is asked of its passes; NULL: nothing */
    struct passes passes; /* its own: back_passes */
    struct sbuf *out;
    VEC(struct back_kernel) kernels;
    VEC(struct back_global) globals; /* where the output has names for them */
};

struct back_target {
    const char *name, *about;
    const char
        *processor; /* whose machine code this is, as `uname -m` says; NULL: nobody's, or a GPU's */
    bool binary;
    bool rolled; /* loops are to stay loops: who compiles the output keeps what is long in memory */
    bool page;   /* host code of this target is a page's: 32-bit pointers, no libc of a system */
    const struct back_option *options; /* rows of struct NAME_options */
    size_t noptions, option_bytes;
    size_t kernel_bytes; /* of struct NAME_kernel; 0: there is none */
    enum back_support (*supports)(enum ir_op op, ir_type type, const char **why);
    /* optional: it has what is asynchronous (ir/async.h), with these options of its own */
    bool (*native)(const void *own);
    bool (*clusters)(const void *own); /* optional: it has clusters at least */
    /* optional, before emit: lowers the module and declares the functions of the device library
     * that it calls now; gives the CUDA C text that defines them, to be linked, or NULL */
    const char *(*prepare)(struct back_job *job);
    bool (*emit)(struct back_job *job); /* false: diagnostics say why */
};
/* The passes of a job, under the target's name. */
struct passes *back_passes(struct back_job *job, const struct back_target *t);

#define TARGET(name) extern const struct back_target back_##name;
#include "back/targets.def"
extern const struct back_target
    *const back_targets[]; /* NULL-terminated, in the order of targets.def */
const struct back_target *back_find(const char *name);
const struct back_option *back_option_find(const struct back_target *t, const char *name);
/* Sets an option of `own`, the target's struct, to n numbers; false: the target has none of that
 * name. */
bool back_option_set(const struct back_target *t, void *own, const char *name,
                     const uint32_t *values, size_t n);
/* What is wrong with the numbers in `own`; NULL: nothing. */
const char *back_options_wrong(const struct back_target *t, const void *own);

/* What launchers in JavaScript are told (doc/wgsl-abi.md, doc/wasm-abi.md). The object, which stays
 * open; members of a kernel: name, entry point, bytes of parameters, parameters; the variables,
 * which lie at `base` + offset, with what `more` adds to each, if it is not NULL. */
struct json_writer;
typedef void back_more_fn(void *ctx, struct json_writer *j, const struct ir_global *g);
void back_describe(struct json_writer *j, uint64_t heap, uint32_t shared);
void back_describe_kernel(struct json_writer *j, const struct ir_func *f, const char *entry);
void back_describe_globals(struct json_writer *j, const struct ir_module *m,
                           const struct map *offset, uint32_t base, back_more_fn *more, void *ctx);
/* A variable's bytes before the first launch, with addresses of variables and numbers of functions
 * where it has them; NULL: zeros. */
typedef uint32_t back_number_fn(void *ctx, struct ir_func *f);
uint8_t *back_initial(struct arena *a, const struct ir_global *g, const struct map *offset,
                      uint32_t base, back_number_fn *number, void *ctx);

#endif
