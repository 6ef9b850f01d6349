/* The door to ir/: Tern's one intermediate language.
 *
 * SSA over a control-flow graph whose blocks take parameters (no phi nodes). A module holds
 * functions and global variables; a function holds blocks; a block holds instructions, the last of
 * which is its terminator. Values are block parameters, instruction results, constants, and
 * addresses of globals and functions. Aggregates live in memory. What each operation means stands
 * in ops.def and nowhere else.
 *
 * Kernel parameters: a scalar or pointer parameter of a kernel is an ordinary value (parameter of
 * the entry block). A class passed by value is a `ptr.param` that points at a read-only copy of
 * byval_size bytes. The launch ABI is one parameter block: each parameter at its offset, naturally
 * aligned in order as in a C struct (ir_param.offset, ir_func.param_bytes: see ir_func_layout).
 * Non-kernel functions get classes as pointers to the caller's copies and return them through a
 * pointer passed first; that is the front end's business, the IR sees plain pointers.
 *
 * Reconvergence: `%t = split` … `join %t` as in ops.def. A front end puts a split before each
 * branching construct and the join where its paths meet. Passes may delete a split with all its
 * joins when no divergent branch lies between, and never move a convergent op across either. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/base.h"

/* ---- types: kind | space << 5 | lanes << 8 (0 lanes: scalar) ---- */
typedef uint16_t ir_type;

enum ir_kind {
#define IR_TYPE(name, text, bits, class, c) IR_##name,
#include "ir/types.def"
    IR_KIND_COUNT
};

enum ir_space {
#define IR_SPACE(name, text, meaning) IR_SPACE_##name,
#include "ir/types.def"
    IR_SPACE_COUNT
};

enum ir_class {
    IR_CLASS_NONE = 0,
    IR_CLASS_INT = 1,
    IR_CLASS_FLOAT = 2,
    IR_CLASS_PTR = 4,
    IR_CLASS_NUM = 3,
    IR_CLASS_INTPTR = 5,
    IR_CLASS_ANY = 7,
    IR_CLASS_W = 8,  /* i32 only */
    IR_CLASS_L = 16, /* i64 only */
};

#define IR_MAX_LANES     64
#define IR_PTR_TO(space) ((ir_type)(IR_PTR | (space) << 5))

static inline enum ir_kind ir_kind(ir_type t)
{
    return (enum ir_kind)(t & 31);
}
static inline enum ir_space ir_space(ir_type t)
{
    return (enum ir_space)(t >> 5 & 7);
}
static inline unsigned ir_lanes(ir_type t)
{
    return t >> 8 ? t >> 8 : 1;
}
static inline bool ir_is_vector(ir_type t)
{
    return t >> 8 != 0;
}
static inline ir_type ir_scalar(ir_type t)
{
    return t & 255;
}
static inline ir_type ir_vector(ir_type scalar, unsigned lanes) /* 0 lanes: scalar */
{
    return (ir_type)((scalar & 255) | lanes << 8);
}
static inline ir_type ir_like(ir_type scalar, ir_type shape) /* scalar with the lanes of shape */
{
    return (ir_type)((scalar & 255) | (shape & 0xff00));
}
unsigned ir_bits(ir_type t);                       /* of one lane; pointers are 64 */
unsigned ir_bytes(ir_type t);                      /* in memory, all lanes; i1 takes one byte */
enum ir_class ir_class(ir_type t);                 /* INT, FLOAT, PTR or NONE, of one lane */
const char *ir_type_name(ir_type t, char buf[32]); /* "v8.f32", "ptr.global"; returns buf */
bool ir_type_parse(const char *s, size_t n, ir_type *out);

/* ---- operations ---- */
enum ir_op {
#define IR_OP(name, sig, cls, flags, shape, meaning, doc) IR_OP_##name,
#include "ir/ops.def"
    IR_OP_COUNT
};

enum ir_op_flags {
    IR_PURE = 1,
    IR_COMMUTES = 2,
    IR_READS = 4,
    IR_WRITES = 8,
    IR_EFFECT = 16,
    IR_CONVERGENT = 32,
    IR_ELEMENTWISE = 64,
    IR_TERMINATOR = 128,
    IR_ROUNDS = 256,
    IR_FLUSHES = 512,
};

enum ir_shape {
    IR_SHAPE_I1,
    IR_SHAPE_I2,
    IR_SHAPE_I3,
    IR_SHAPE_IC,
    IR_SHAPE_F1,
    IR_SHAPE_F2,
    IR_SHAPE_F3,
    IR_SHAPE_FC,
    IR_SHAPE_CV,
    IR_SHAPE_XX
};

struct ir_op_info {
    const char *name, *signature;
    uint8_t class;
    uint8_t shape;
    uint16_t flags;
    const char *doc;
};
extern const struct ir_op_info ir_op_info[IR_OP_COUNT];
int ir_op_find(const char *name, size_t n);     /* -1: none */
static inline bool ir_is_gang_op(enum ir_op op) /* of what the vectoriser makes */
{
    return op >= IR_OP_splat && op <= IR_OP_mrmw;
}
static inline bool ir_says_results(enum ir_op op) /* which types they have */
{
    return op == IR_OP_mma || op == IR_OP_wgmma;
}
static inline bool ir_is_async(enum ir_op op) /* of async.h */
{
    return op >= IR_OP_wgmma && op <= IR_OP_hint;
}
static inline bool ir_is_cluster(enum ir_op op)
{
    return op >= IR_OP_cluster_barrier && op <= IR_OP_cluster_rank;
}
static inline bool ir_is_warp_op(enum ir_op op) /* gives a thread what others of its warp know */
{
    return op == IR_OP_shfl || op == IR_OP_vote || op == IR_OP_match || op == IR_OP_redux ||
           op == IR_OP_activemask;
}

enum ir_sreg {
#define IR_SREG(name, text, uniformity, meaning) IR_SREG_##name,
#include "ir/sreg.def"
    IR_SREG_COUNT
};
enum ir_uniformity { IR_UNIFORM_GRID, IR_UNIFORM_BLOCK, IR_UNIFORM_WARP, IR_UNIFORM_THREAD };
extern const struct ir_sreg_info {
    const char *name;
    enum ir_uniformity uniformity;
    const char *meaning;
} ir_sreg_info[IR_SREG_COUNT];

enum ir_rmw {
#define IR_RMW(name, text, cls, meaning) IR_RMW_##name,
#include "ir/rmw.def"
    IR_RMW_COUNT
};
extern const struct ir_rmw_info {
    const char *name;
    uint8_t class;
} ir_rmw_info[IR_RMW_COUNT];

enum ir_shfl { IR_SHFL_IDX, IR_SHFL_UP, IR_SHFL_DOWN, IR_SHFL_XOR };
enum ir_vote { IR_VOTE_ANY, IR_VOTE_ALL, IR_VOTE_UNI, IR_VOTE_BALLOT };

/* What NaN becomes as an integer of n bits. */
static inline uint64_t ir_nan_to_int(enum ir_kind from, unsigned n)
{
    return from == IR_F64 || n == 64 ? UINT64_C(1) << (n - 1) : 0;
}

/* Flags on an instruction. */
enum ir_flags {
    IR_RN = 0, /* rounding, of ftosi and ftoui too: a C cast to an integer is IR_RZ */
    IR_RZ = 1,
    IR_RU = 2,
    IR_RD = 3,
    IR_ROUND_MASK = 3,
    IR_FTZ = 4,  /* subnormal f32 inputs and results become zero of the same sign */
    IR_FAST = 8, /* fdiv, fsqrt: approximate allowed */
    IR_NSW = 16, /* the source promises no signed wrap: a pass may widen across it. The value on
                    overflow is still the wrapped one. */
    IR_NUW = 32, /* the same, unsigned */
    IR_VOLATILE = 64,
    IR_INVARIANT = 128,
    IR_ORDER_SHIFT = 8,  /* enum ir_order, 3 bits */
    IR_SCOPE_SHIFT = 11, /* enum ir_scope, 2 bits */
    IR_STEP = 1 << 13,   /* threads of a warp tell each other by it with no barrier between */
    IR_UNSET = 1 << 14,  /* alloca, memset: the source does not say what it holds */
    IR_TYPED = 1 << 15, /* load, store: of an object that holds an address, or of one that does not,
                           as T says: no access of the other kind with this flag touches it */
};
enum ir_order {
    IR_ORDER_NONE,
    IR_ORDER_RELAXED,
    IR_ORDER_ACQUIRE,
    IR_ORDER_RELEASE,
    IR_ORDER_ACQ_REL,
    IR_ORDER_SEQ_CST
};
enum ir_scope { IR_SCOPE_BLOCK, IR_SCOPE_DEVICE, IR_SCOPE_SYSTEM };
#define IR_ORDERED(order, scope)                                                                   \
    ((uint32_t)(order) << IR_ORDER_SHIFT | (uint32_t)(scope) << IR_SCOPE_SHIFT)
static inline enum ir_order ir_order(uint32_t flags)
{
    return (enum ir_order)(flags >> IR_ORDER_SHIFT & 7);
}
static inline enum ir_scope ir_scope(uint32_t flags)
{
    return (enum ir_scope)(flags >> IR_SCOPE_SHIFT & 3);
}

/* ---- values, instructions, blocks ---- */
enum ir_value_kind {
    IR_VALUE_PARAM,
    IR_VALUE_RESULT,
    IR_VALUE_CONST,
    IR_VALUE_GLOBAL,
    IR_VALUE_FUNC
};

struct ir_value {
    uint8_t kind;
    ir_type type;
    uint32_t id;      /* PARAM, RESULT: dense in the function after ir_renumber; else IR_NO_ID */
    uint32_t index;   /* PARAM: position among block parameters; RESULT: position among results */
    const char *name; /* interned hint from the source, or NULL */
    union {
        struct ir_block *block;   /* PARAM */
        struct ir_inst *inst;     /* RESULT */
        uint64_t bits;            /* CONST: zero-extended bits of one lane; a vector is a splat */
        struct ir_global *global; /* GLOBAL: its address */
        struct ir_func *func;     /* FUNC: its address, type ptr.generic */
    } u;
    struct ir_value *forward; /* scratch for passes: ir_replace_forwarded() */
    void *data;               /* scratch for one pass or back end */
};
#define IR_NO_ID UINT32_MAX

struct ir_edge {
    struct ir_block *to;
    struct ir_value **args; /* one for each parameter of `to` */
    uint32_t nargs;
    uint64_t case_value; /* switch: edges[1..]; edges[0] is the default */
};

struct ir_inst {
    struct ir_inst *prev, *next;
    struct ir_block *block;
    uint16_t op;
    ir_type type; /* T of the signature; VOID where the class is NONE (call_ptr: result type) */
    uint32_t flags;
    uint32_t align; /* load, store, memcpy, alloca: bytes */
    uint32_t nargs, nresults, nedges;
    uint32_t variable; /* alloca: of the source that it holds (ir/debug.h), + 1; 0: none */
    struct ir_value **args;
    struct ir_value *results; /* array of nresults */
    struct ir_edge *edges;    /* terminators */
    uint64_t imm;
    struct ir_func *callee; /* call */
    struct span span;
    void *data; /* scratch for one pass or back end */
};

#define IR_UNROLL_ALL UINT32_MAX
struct ir_block {
    struct ir_block *prev, *next; /* layout order; the first is the entry, without predecessors */
    struct ir_func *func;
    const char *name; /* hint */
    uint32_t id;      /* dense after ir_renumber */
    VEC(struct ir_value *) params;
    struct ir_inst *first, *last; /* last is the terminator once the block is complete */
    struct span span;
    bool rare;       /* hint: seldom run; the text form does without */
    uint32_t unroll; /* hint on a loop's header: 0 none, 1 not at all, IR_UNROLL_ALL, else how
                        often; the text form does without */
    /* from ir_cfg(): valid until the graph changes */
    VEC(struct ir_block *) preds; /* one entry per edge */
    struct ir_block *idom;
    uint32_t rpo; /* position in reverse post order; UINT32_MAX: unreachable */
    uint32_t dom_in, dom_out;
    void *data; /* scratch */
};

enum ir_param_flags { IR_PARAM_RESTRICT = 1, IR_PARAM_READONLY = 2 };
struct ir_param {
    const char *name;
    ir_type type;
    uint32_t flags;
    uint32_t byval_size, byval_align; /* kernel: class by value (type is ptr.param); else 0 */
    uint32_t offset;                  /* kernel: in the parameter block */
};

enum ir_func_flags {
    IR_FUNC_KERNEL = 1,
    IR_FUNC_NOINLINE = 2,
    IR_FUNC_INLINE = 4, /* __forceinline__ */
    IR_FUNC_EXPORT = 8, /* keep though nothing in the module refers to it */
    IR_FUNC_WEAK = 16,  /* the first definition wins when modules are linked */
    IR_FUNC_NORETURN = 32,
    IR_FUNC_PURE = 64, /* reads and writes no memory, always returns */
    IR_FUNC_LOWERED =
        128, /* for a target with pointers of 32 bits, which it tells the verifier: what
                is added to them may be i32, and one i1 may choose between vectors */
    IR_FUNC_UNORDERED = 256, /* a kernel that depends on the order of its threads: order.c */
};

#define IR_MAX_CLUSTER 16 /* blocks */
struct ir_func {
    struct ir_func *prev, *next;
    struct ir_module *module;
    const char *name;    /* unique in the module, without @ */
    const char *mangled; /* C++ ABI name if it differs, else NULL */
    const char *display; /* as the user wrote it, e.g. "scale<float, 128>", or NULL */
    uint32_t flags;
    ir_type ret; /* VOID: none */
    VEC(struct ir_param) params;
    uint32_t param_bytes;             /* kernel: size of the parameter block */
    uint32_t max_threads, min_blocks; /* __launch_bounds__; 0: not given */
    uint32_t required_block[3];       /* 0: any */
    uint32_t cluster[3];              /* __cluster_dims__; 0: as the launch says */
    uint32_t cluster_shared; /* a cluster became one block (lower_clusters): static shared bytes of
                                each of its parts, + 1; 0: it did not */
    struct ir_block *first, *last; /* NULL: declared only */
    uint32_t nblocks, nvalues;     /* after ir_renumber */
    struct span span;
    struct ir_value *address; /* made by ir_func_value */
    void *data;
};

struct ir_reloc { /* initialiser word at offset = address of target + addend */
    uint32_t offset;
    struct ir_value *target; /* GLOBAL or FUNC */
    int64_t addend;
};

enum ir_global_flags {
    IR_GLOBAL_EXTERN = 1,  /* shared: dynamic shared memory (size 0); else defined elsewhere */
    IR_GLOBAL_MANAGED = 2, /* __managed__ */
    IR_GLOBAL_EXPORT = 4,  /* the host may look it up by name */
    IR_GLOBAL_WEAK = 8,
    IR_GLOBAL_TEXREF = 16, /* old texture reference: an i64 handle set by the host */
    IR_GLOBAL_CONST =
        32, /* const in its language: nobody writes it, and two copies are as good as one */
};

struct ir_global {
    struct ir_global *prev, *next;
    const char *name, *mangled, *display;
    enum ir_space space; /* GLOBAL, CONST or SHARED */
    uint64_t size;
    uint32_t align;
    uint32_t flags;
    const uint8_t *init; /* size bytes, or NULL: zero */
    VEC(struct ir_reloc) relocs;
    ir_type elem; /* hint: element type of arrays, for typed back ends; VOID: mixed or unknown */
    uint32_t variable; /* of the source (ir/debug.h), + 1; 0: none */
    struct span span;
    struct ir_value *address;
    void *data;
};

struct ir_module {
    struct arena *arena;
    struct interner *names;
    const struct source_map *sources; /* spans refer to it; may be NULL */
    struct ir_debug *debug;           /* for debuggers: ir/debug.h; NULL: nobody asked */
    const char *name;
    struct ir_func *first_func, *last_func;
    struct ir_global *first_global, *last_global;
    struct map func_by_name, global_by_name; /* key: interned name */
    struct map consts[2];                    /* interned constants */
};

#define ir_each_func(f, m)   for (struct ir_func *f = (m)->first_func; f; f = f->next)
#define ir_each_global(g, m) for (struct ir_global *g = (m)->first_global; g; g = g->next)
#define ir_each_block(b, f)  for (struct ir_block *b = (f)->first; b; b = b->next)
/* The body may remove or replace i itself. */
#define ir_each_inst(i, b)                                                                         \
    for (struct ir_inst *i = (b)->first, *i##_next; i && (i##_next = i->next, 1); i = i##_next)

/* ---- building (build.c) ---- */
struct ir_module *ir_module_new(struct arena *a, struct interner *names, const char *name);
/* Whether kernels have something in common beyond their text: variables, or functions that are
 * called through pointers, which one could leave in memory for another. */
bool ir_kernels_share(const struct ir_module *m);
/* A constant of our library's: nobody can tell one copy of it from another. */
bool ir_is_library_table(const struct ir_global *g);
struct ir_func *ir_func_new(struct ir_module *m, const char *name, ir_type ret, uint32_t flags);
/* Adds a parameter; once the entry block exists, its value is f->first->params.data[i]. */
void ir_func_param(struct ir_func *f, const char *name, ir_type t, uint32_t flags,
                   uint32_t byval_size, uint32_t byval_align);
void ir_func_layout(struct ir_func *f); /* sets parameter offsets and param_bytes */
struct ir_func *ir_func_find(const struct ir_module *m, const char *name);
/* A kernel by its name in the IR, its C++ name as the linker has it, or as it is written. */
struct ir_func *ir_kernel_find(const struct ir_module *m, const char *name);
struct ir_global *ir_global_find(const struct ir_module *m, const char *name);
struct ir_global *ir_global_new(struct ir_module *m, const char *name, enum ir_space space,
                                uint64_t size, uint32_t align, uint32_t flags);
/* The first block made in a function is its entry and gets the function's parameters. */
struct ir_block *ir_block_new(struct ir_func *f, const char *name);
struct ir_block *ir_block_after(struct ir_block *where, const char *name);
struct ir_value *ir_block_param(struct ir_block *b, ir_type t, const char *name);

struct ir_value *ir_const(struct ir_module *m, ir_type t, uint64_t bits); /* interned */
struct ir_value *ir_const_f32(struct ir_module *m, float v);
struct ir_value *ir_const_f64(struct ir_module *m, double v);
struct ir_value *ir_global_value(struct ir_global *g);
struct ir_value *ir_func_value(struct ir_func *f);
static inline bool ir_is_const(const struct ir_value *v)
{
    return v->kind == IR_VALUE_CONST;
}
static inline bool ir_is_full_mask(const struct ir_value *v) /* all lanes of a warp */
{
    return ir_is_const(v) && (uint32_t)v->u.bits == UINT32_MAX;
}

struct ir_builder {
    struct ir_module *module;
    struct ir_func *func;
    struct ir_block *block;
    struct ir_inst *before; /* NULL: at the end of block */
    struct span span;
};
struct ir_builder ir_builder_at_end(struct ir_block *b);
struct ir_builder ir_builder_before(struct ir_inst *i);

/* The one constructor: results follow from the signature (call, call_ptr, mma: use the ones below).
 */
struct ir_inst *ir_build(struct ir_builder *b, enum ir_op op, ir_type type,
                         struct ir_value *const *args, uint32_t nargs);
struct ir_inst *ir_build_results(struct ir_builder *b, enum ir_op op, ir_type type,
                                 struct ir_value *const *args, uint32_t nargs,
                                 const ir_type *results, uint32_t nresults);
/* The result types that the signature gives; their number (0 for call and mma). */
uint32_t ir_signature_results(enum ir_op op, ir_type t, ir_type out[8]);
struct ir_value *ir_build0(struct ir_builder *b, enum ir_op op, ir_type t, uint64_t imm);
struct ir_value *ir_build1(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x);
struct ir_value *ir_build2(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x,
                           struct ir_value *y);
struct ir_value *ir_build3(struct ir_builder *b, enum ir_op op, ir_type t, struct ir_value *x,
                           struct ir_value *y, struct ir_value *z);
/* 1–3 with flags (rounding, nsw, …) */
struct ir_value *ir_build_flags(struct ir_builder *b, enum ir_op op, ir_type t, uint32_t flags,
                                uint32_t nargs, struct ir_value *x, struct ir_value *y,
                                struct ir_value *z);
struct ir_value *ir_build_load(struct ir_builder *b, ir_type t, struct ir_value *p, uint32_t align,
                               uint32_t flags);
void ir_build_store(struct ir_builder *b, struct ir_value *p, struct ir_value *v, uint32_t align,
                    uint32_t flags);
struct ir_value *ir_build_alloca(struct ir_func *f, uint64_t size, uint32_t align,
                                 const char *name);
struct ir_value *ir_build_call(struct ir_builder *b, struct ir_func *callee,
                               struct ir_value *const *args, uint32_t nargs); /* NULL for void */
void ir_build_br(struct ir_builder *b, struct ir_block *to, struct ir_value *const *args,
                 uint32_t nargs);
void ir_build_condbr(struct ir_builder *b, struct ir_value *cond, struct ir_block *yes,
                     struct ir_block *no);
/* Adds an edge to a terminator made by ir_build (switch: the first edge is the default). */
struct ir_edge *ir_add_edge(struct ir_inst *term, struct ir_block *to, struct ir_value *const *args,
                            uint32_t nargs, uint64_t case_value);
void ir_edge_push(struct ir_inst *term, struct ir_edge *e,
                  struct ir_value *v);                       /* one more argument */
void ir_build_ret(struct ir_builder *b, struct ir_value *v); /* NULL: void */

/* ---- changing ---- */
void ir_to_br(struct ir_inst *term, uint32_t keep); /* a terminator → br along one of its edges */
void ir_remove(struct ir_inst *i);                  /* unlink; its results must be unused */
void ir_move_before(struct ir_inst *i, struct ir_inst *where);
void ir_block_remove(struct ir_block *b);
/* Moves `at` and all after it into a new block behind; the first half is left without a terminator.
 */
struct ir_block *ir_block_split(struct ir_inst *at, const char *name);
void ir_block_param_remove(struct ir_block *b,
                           uint32_t index); /* and the argument of each edge in */
/* Set v->forward = w on values to be replaced, then call this once: rewrites every operand. */
void ir_replace_forwarded(struct ir_func *f);
void ir_renumber(struct ir_func *f); /* dense value and block ids in layout order */
uint32_t *ir_use_counts(struct arena *a, struct ir_func *f); /* by value id; renumbers */
/* Deep copy. Names are interned anew, so that the copy may outlive the original's interner. */
struct ir_module *ir_clone(struct arena *a, struct interner *names, const struct ir_module *m);
struct ir_func *ir_func_clone_into(struct ir_module *to, const struct ir_func *f); /* for linking */
/* Brings into m the definitions that m only declares, and what they need, from lib. */
void ir_link(struct ir_module *m, const struct ir_module *lib);
void ir_prune(
    struct ir_module *m); /* drops functions and globals that no kernel or export reaches */

/* ---- the graph (cfg.c) ---- */
/* Fills preds, rpo, idom and dominator intervals. Unreachable blocks get rpo UINT32_MAX. */
void ir_cfg(struct ir_func *f);
bool ir_goes_round(const struct ir_block *b); /* an edge comes back, or from where none leads */
static inline bool ir_dominates(const struct ir_block *a, const struct ir_block *b) /* reflexive */
{
    return a->dom_in <= b->dom_in && b->dom_out <= a->dom_out;
}
/* The block that a value is made in; NULL: none, as of constants. */
static inline struct ir_block *ir_def_block(const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM    ? v->u.block
           : v->kind == IR_VALUE_RESULT ? v->u.inst->block
                                        : NULL;
}
static inline struct ir_inst *ir_terminator(const struct ir_block *b)
{
    return b->last && (ir_op_info[b->last->op].flags & IR_TERMINATOR) ? b->last : NULL;
}
/* The blocks from which an edge back to the first of them is reached, without leaving it: a list,
 * and marked. One struct serves for all loops of a function, one after the other. */
struct ir_loop {
    VEC(struct ir_block *) blocks;
    bool *in; /* by block id */
};
struct ir_loop ir_no_loop(struct arena *a, const struct ir_func *f); /* after ir_renumber */
/* The loop that goes from `last` back to `first`, in place of the one that was there; after ir_cfg.
 */
void ir_walk_loop(struct arena *a, struct ir_loop *l, struct ir_block *first,
                  struct ir_block *last);
void ir_remove_unreachable(struct ir_func *f); /* ir_cfg, and then */
/* Static shared memory of a kernel's block: what the kernel and those it calls refer to, or all of
 * the module's where that is not known. Uses the functions' and globals' data. */
uint32_t ir_static_shared(struct ir_func *kernel);
/* The first operation found of a kernel, or of what it calls, that makes what it leaves in memory
 * or prints depend on the order of its threads (order.c); NULL: none. Uses the data of functions
 * and instructions. ir_order_text: what it is, in words. */
const struct ir_inst *ir_order_matters(struct ir_func *kernel);
const char *ir_order_text(const struct ir_inst *i);
/* Whether a kernel may wait for what is done meanwhile by others, which are the host, other kernels
 * and other blocks; the same data. */
bool ir_may_wait(struct ir_func *kernel);
void ir_trim(struct ir_func *f); /* the same without dominators */
/* Opens and closes regions where branches part threads and their paths meet (reconverge.c). The
 * second puts them in place of those that are there, but for loops with two ways in; the third does
 * so where a jump leads into a region. */
void ir_reconverge(struct arena *a, struct ir_func *f);
void ir_reconverge_anew(struct arena *a, struct ir_func *f);
void ir_reconverge_jumps(struct arena *a, struct ir_func *f);

/* ---- text, checks ---- */
enum ir_print_flags { IR_PRINT_LOCS = 1 };
void ir_print(const struct ir_module *m, struct sbuf *out, uint32_t flags); /* renumbers first */
void ir_print_func(const struct ir_func *f, struct sbuf *out, uint32_t flags);
void ir_print_inst(const struct ir_inst *i, struct sbuf *out);
/* NULL if the text is wrong: diagnostics say where. */
struct ir_module *ir_parse(struct arena *a, struct interner *names, struct source_map *sm,
                           struct diag *d, const char *path, const char *text, size_t len);
/* Everything ir.h and ops.def promise. False: one diagnostic per fault, naming function, block and
 * instruction. `culprit` is the pass that ran last, or NULL. */
bool ir_verify(const struct ir_module *m, struct diag *d, const char *culprit);
bool ir_verify_func(struct ir_func *f, struct diag *d, const char *culprit);

/* ---- meaning (fold.c, from ops.def) ---- */
/* Computes a pure scalar op of shapes I*, F*, C* on constant bits. False: cannot (not such an op,
 * or its result is the device's own). */
bool ir_eval(enum ir_op op, ir_type type, ir_type source, uint32_t flags, const uint64_t *args,
             uint64_t *out);
uint64_t ir_eval_rmw(enum ir_rmw kind, ir_type type, uint64_t old, uint64_t operand);

/* ---- random modules (random.c) ---- */
struct ir_random_options {
    uint64_t seed;
    unsigned size; /* about this many instructions in a function */
    bool memory, divergence, barriers, warp_ops, floats, vectors;
};
/* A verified module with a kernel @k(ptr.global in, ptr.global out, i32 n) that always ends, stays
 * in bounds for n words of in and out, and gives the same result whatever order threads run in. */
struct ir_module *ir_random(struct arena *a, struct interner *names,
                            const struct ir_random_options *o);

#endif
