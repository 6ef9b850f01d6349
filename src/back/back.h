/* The door to back/: a target turns a module into text or bytes of another language.
 *
 * Every target is one `const struct back_target back_NAME` and answers for every op of the IR: it
 * emits it or refuses it with a reason. A test walks the whole op x target matrix. */
#ifndef BACK_BACK_H
#define BACK_BACK_H

#include "lower/lower.h"

enum back_support { BACK_NO, BACK_YES, BACK_LOWERED /* yes, after a lowering it asks for */ };

struct back_options {
    const char *kernel;    /* emit only this kernel and what it needs; NULL: all */
    unsigned arch;         /* ptx: sm number, 80; c: unused */
    unsigned gang;         /* c, wasm: threads per gang; 0: chosen */
    unsigned vector_bytes; /* c: native vector width; 0: 16 */
    uint32_t block[3];     /* spirv, wgsl: block size if known at compile time; 0: specialisable */
    uint32_t dynamic_shared;
    uint8_t bindings[16]; /* wgsl: of each pointer parameter in turn; the first 0: one heap */
    bool relaxed;         /* wasm: the engine has relaxed SIMD, and fuses */
    bool f16;             /* wgsl: the device has shader-f16 */
    bool beside;          /* wasm: works on the memory of another module of the same source */
    bool threads;         /* wasm: threads of the engine run blocks at once, on shared memory */
    uint32_t subgroups;   /* wgsl: of so many threads in order of their index, in a block as `block`
                             says and a grid of less than 2^31 threads; 0: none */
    uint32_t budget;      /* wgsl: turns that the loops of a thread may take in all, a 64th of it
                             for loops with barriers; 0: no limit */
    bool line_info;
    bool as_written;      /* ptx: loops stay as they are */
    bool launches;        /* ptx: the launcher starts what kernels launch, see back/output.h */
    bool track;           /* c: note the source location of each access to memory as it runs */
    bool standalone;      /* c: with main-less header comment and launch function, for people */
    const void *features; /* target's own struct, or NULL for defaults */
};

/* What a launcher must know about a kernel in the output: filled for each kernel. */
struct back_kernel {
    const char *name;   /* in the IR */
    const char *symbol; /* in the output */
    uint32_t param_bytes;
    uint32_t static_shared;
    uint32_t local_bytes;
    uint32_t gang;
    uint32_t resident;     /* c: blocks that a worker runs at once, each with its shared memory */
    uint32_t flags;        /* enum back_kernel_flags */
    size_t text, text_len; /* ptx: where it stands in the output; kernels close it, in this order */
};
enum back_kernel_flags {
    BACK_USES_BARRIER = 1,
    BACK_USES_WARP = 2,
    BACK_USES_PRINTF = 4,
    BACK_USES_GRIDSYNC = 8,
    BACK_USES_HEAP = 16,
    BACK_USES_LAUNCH = 32,
    BACK_ASKS_SPACE = 64,    /* tells local memory from other memory at run time */
    BACK_PARAMS_INLINE = 64, /* spirv: parameters travel in push constants */
    BACK_USES_TEXTURES = 256,
    BACK_USES_OUTPUT = 512, /* spirv: reaches the buffer of printf, faults, the heap */
    BACK_USES_PARK = 128,   /* spirv: needs room for the park behind its shared memory */
    BACK_USES_LOCKS = 4096, /* spirv: of the device, for 64-bit atomics */
    BACK_RUNS = 1024,       /* c: takes blocks in a row at once, best whole rows of them */
    BACK_SWEEPS = 4096,     /* c: takes rows of blocks at once, best as many as a worker gets */
    BACK_SHARES = 2048, /* ptx: reaches variables or addresses of functions, as other kernels may */
};

/* More threads than this in a part of a plane, and it would be gone from the cache when the next
 * one is read beside it. */
enum { BACK_SWEEP_THREADS = 32768 };

/* A variable by its name in the IR and in the output, where the host can ask for it. */
struct back_global {
    const char *name, *symbol;
};

struct back_job {
    struct arena *arena;
    struct diag *diag;
    struct ir_module *module; /* may be changed by the target */
    struct back_options options;
    struct sbuf *out;
    VEC(struct back_kernel) kernels;
    VEC(struct back_global) globals; /* ptx only */
};

struct back_target {
    const char *name, *extension, *about;
    bool binary;
    bool rolled; /* loops are to stay loops: who compiles the output keeps what is long in memory */
    enum back_support (*supports)(enum ir_op op, ir_type type, const char **why);
    /* optional, before emit: lowers the module and declares the functions of the device library
     * that it calls now; gives the CUDA C text that defines them, to be linked, or NULL */
    const char *(*prepare)(struct back_job *job);
    bool (*emit)(struct back_job *job); /* false: diagnostics say why */
};

#define TARGET(name, ext, binary, about) extern const struct back_target back_##name;
#include "back/targets.def"
extern const struct back_target
    *const back_targets[]; /* NULL-terminated, in the order of targets.def */
const struct back_target *back_find(const char *name);

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
