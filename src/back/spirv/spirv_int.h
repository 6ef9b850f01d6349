/* Shared inside back/spirv: SPIR-V's numbers, and the module under construction.
 *
 * A SPIR-V module is a sequence of sections that must stand in a fixed order; each is a growing
 * array of words here, and they are joined at the end. Types and constants are made once. */
#ifndef BACK_SPIRV_INT_H
#define BACK_SPIRV_INT_H

#include "back/back.h"
#include "back/spirv/spirv.h"

/* Opcodes, as far as they are used. SPV_OP(name, number) */
/* clang-format off */
#define SPV_OPS(X)                                                                                  \
    X(Name, 5) X(Extension, 10) X(ExtInstImport, 11) X(ExtInst, 12) X(MemoryModel, 14)              \
    X(EntryPoint, 15) X(ExecutionMode, 16) X(Capability, 17) X(TypeVoid, 19) X(TypeBool, 20)        \
    X(TypeInt, 21) X(TypeFloat, 22) X(TypeVector, 23) X(TypeArray, 28) X(TypeStruct, 30)            \
    X(TypePointer, 32) X(TypeFunction, 33) X(ConstantTrue, 41) X(ConstantFalse, 42)                 \
    X(Constant, 43) X(ConstantComposite, 44) X(ConstantNull, 46) X(SpecConstant, 50)                \
    X(SpecConstantComposite, 51) X(SpecConstantOp, 52) X(Function, 54) X(FunctionParameter, 55)     \
    X(FunctionEnd, 56) X(FunctionCall, 57) X(Variable, 59) X(Load, 61) X(Store, 62)                 \
    X(AccessChain, 65) X(Decorate, 71) X(MemberDecorate, 72) X(CompositeConstruct, 80)              \
    X(CompositeExtract, 81) X(CompositeInsert, 82) X(ConvertFToU, 109) X(ConvertFToS, 110) X(ConvertSToF, 111)             \
    X(ConvertUToF, 112) X(UConvert, 113) X(SConvert, 114) X(FConvert, 115) X(ConvertUToPtr, 120)    \
    X(Bitcast, 124) X(SNegate, 126) X(FNegate, 127) X(IAdd, 128) X(FAdd, 129) X(ISub, 130)          \
    X(FSub, 131) X(IMul, 132) X(FMul, 133) X(UDiv, 134) X(SDiv, 135) X(FDiv, 136) X(UMod, 137)      \
    X(SRem, 138) X(UMulExtended, 151) X(SMulExtended, 152) X(Any, 154) X(All, 155) X(IsNan, 156)                \
    X(LogicalEqual, 164) X(LogicalNotEqual, 165) X(LogicalOr, 166) X(LogicalAnd, 167)               \
    X(LogicalNot, 168) X(Select, 169) X(IEqual, 170) X(INotEqual, 171) X(UGreaterThan, 172)         \
    X(UGreaterThanEqual, 174) X(ULessThan, 176) X(SLessThan, 177) X(ULessThanEqual, 178)            \
    X(SLessThanEqual, 179) X(FOrdEqual, 180) X(FUnordNotEqual, 183) X(FOrdLessThan, 184)            \
    X(FOrdLessThanEqual, 188) X(ShiftRightLogical, 194) X(ShiftRightArithmetic, 195)                \
    X(ShiftLeftLogical, 196) X(BitwiseOr, 197) X(BitwiseXor, 198) X(BitwiseAnd, 199) X(Not, 200)    \
    X(BitReverse, 204) X(BitCount, 205) X(ControlBarrier, 224) X(MemoryBarrier, 225)                \
    X(AtomicLoad, 227) X(AtomicStore, 228) X(AtomicExchange, 229) X(AtomicCompareExchange, 230)     \
    X(AtomicIAdd, 234) X(AtomicISub, 235) X(AtomicSMin, 236) X(AtomicUMin, 237) X(AtomicSMax, 238)  \
    X(AtomicUMax, 239) X(AtomicAnd, 240) X(AtomicOr, 241) X(AtomicXor, 242) X(LoopMerge, 246)       \
    X(SelectionMerge, 247) X(Label, 248) X(Branch, 249) X(BranchConditional, 250) X(Switch, 251)    \
    X(Return, 253) X(ReturnValue, 254) X(Unreachable, 255) X(GroupNonUniformAll, 334)               \
    X(GroupNonUniformAny, 335) X(GroupNonUniformBallot, 339) X(GroupNonUniformShuffle, 345)         \
    X(TypeCooperativeMatrixKHR, 4456) X(CooperativeMatrixMulAddKHR, 4459) X(ReadClockKHR, 5056) X(AtomicFAddEXT, 6035)
/* clang-format on */

enum spv_op {
#define X(name, number) Spv##name = number,
    SPV_OPS(X)
#undef X
};

enum spv_cap {
    CapShader = 1,
    CapFloat16 = 9,
    CapFloat64 = 10,
    CapInt64 = 11,
    CapInt64Atomics = 12,
    CapInt16 = 22,
    CapInt8 = 39,
    CapGroupNonUniform = 61,
    CapGroupNonUniformVote = 62,
    CapGroupNonUniformBallot = 64,
    CapGroupNonUniformShuffle = 65,
    CapStorageBuffer16 = 4433,
    CapStorageBuffer8 = 4448,
    CapDenormPreserve = 4464,
    CapSignedZeroInfNan = 4466,
    CapRoundingRTE = 4467,
    CapShaderClock = 5055,
    CapSharedLayout = 4428,
    CapSharedLayout8 = 4429,
    CapSharedLayout16 = 4430,
    CapVulkanMemoryModel = 5345,
    CapVulkanMemoryModelDeviceScope = 5346,
    CapBFloat16 = 5116,
    CapBFloat16Matrix = 5118,
    CapPhysicalStorageBuffer = 5347,
    CapCooperativeMatrix = 6022,
    CapAtomicFloat32Add = 6033,
    CapAtomicFloat64Add = 6034,
};

enum spv_storage {
    StorageInput = 1,
    StorageWorkgroup = 4,
    StorageFunction = 7,
    StoragePush = 9,
    StoragePhysical = 5349,
};

enum spv_decoration {
    DecorSpecId = 1,
    DecorBlock = 2,
    DecorArrayStride = 6,
    DecorBuiltIn = 11,
    DecorAliased = 20,
    DecorOffset = 35,
    DecorNoContraction = 42,
};

enum spv_builtin {
    BuiltInNumWorkgroups = 24,
    BuiltInWorkgroupSize = 25,
    BuiltInWorkgroupId = 26,
    BuiltInLocalInvocationId = 27,
    BuiltInLocalInvocationIndex = 29,
};

enum spv_mode {
    ModeLocalSize = 17,
    ModeDenormPreserve = 4459,
    ModeSignedZeroInfNan = 4461,
    ModeRoundingRTE = 4462,
};

enum spv_memory { /* memory semantics and memory operands of the Vulkan memory model */
                  MemAcquire = 2,
                  MemRelease = 4,
                  MemAcqRel = 8,
                  MemBuffers = 0x40,
                  MemWorkgroup = 0x100,
                  MemAvailable = 0x2000,
                  MemVisible = 0x4000,
                  OperandVolatile = 1,
                  OperandAligned = 2,
                  OperandAvailable = 8,
                  OperandVisible = 16,
                  OperandNonPrivate = 32,
};

enum spv_scope {
    ScopeDevice = 1,
    ScopeWorkgroup = 2,
    ScopeSubgroup = 3,
    ScopeInvocation = 4,
    ScopeQueueFamily = 5
};

enum glsl_op { /* GLSL.std.450 */
               GlslRoundEven = 2,
               GlslTrunc = 3,
               GlslFAbs = 4,
               GlslFloor = 8,
               GlslCeil = 9,
               GlslSin = 13,
               GlslCos = 14,
               GlslTanh = 21,
               GlslExp2 = 29,
               GlslLog2 = 30,
               GlslSqrt = 31,
               GlslInverseSqrt = 32,
               GlslUMin = 38,
               GlslSMin = 39,
               GlslUMax = 41,
               GlslSMax = 42,
               GlslFma = 50,
               GlslFindUMsb = 75,
};

typedef uint32_t spv_id;
typedef VEC(uint32_t) spv_words;

/* Workgroup memory is an array of words. Where the device lets several variables lie over each
 * other, it is arrays of other things as well. */
enum spv_view { VIEW_8, VIEW_16, VIEW_32, VIEW_64, VIEW_32x2, VIEW_32x4, SPV_VIEWS };

struct spv_module {
    struct arena *arena;
    struct diag *diag;
    struct spirv_features have; /* whole types only */
    const struct spirv_features *features;
    spv_id next;
    const char *missing; /* a feature that was asked for, and is not there */
    VEC(const char *) extension_names;
    spv_words capabilities, extensions, entry, modes, names, decorations, globals, functions, code;
    spv_words variables; /* of the function being emitted: stand at its start */
    struct map types;    /* key of the type → id */
    struct map constants[IR_KIND_COUNT];
    VEC(spv_words) function_types; /* id, result, parameters */
    struct map pointers;           /* storage << 32 | pointee → id */
    spv_id glsl;
    struct map uses;                /* ir_func → struct spv_use */
    struct map function_ids;        /* ir_func → id, of functions that are called, not inlined */
    spv_id push, entry_type;        /* a variable and a type that all kernels share */
    spv_id shared[SPV_VIEWS];       /* the words of workgroup memory, and other views of them */
    bool function_views[SPV_VIEWS]; /* used by functions, and so by any kernel */
    spv_id shared_words;            /* how many there are: a specialisation constant */
    spv_id block_size[3];           /* specialisation constants */
    spv_words interface;            /* ids that the entry point names */
};

/* build.c */
void spv_begin(struct spv_module *s, struct arena *a, struct diag *d,
               const struct spirv_features *f);
void spv_finish(struct spv_module *s, struct sbuf *out);
spv_id spv_new(struct spv_module *s);
void spv_put(struct spv_module *s, spv_words *w, enum spv_op op, const uint32_t *operands,
             uint32_t n);
#define SPV(s, section, op, ...)                                                                   \
    spv_put((s), &(s)->section, (op), (const uint32_t[]){__VA_ARGS__},                             \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
void spv_put_entry(struct spv_module *s, spv_id function, const char *name);
void spv_put_name(struct spv_module *s, spv_id id, const char *name);
void spv_capability(struct spv_module *s, enum spv_cap c);
void spv_extension(struct spv_module *s, const char *name);
/* Pointers: u64 or u32 by space; bf16, and f16 that is emulated: u16; small types that are
 * emulated: u32 with zeros above; 64-bit integers that are: two u32, the lower first. */
spv_id spv_type(struct spv_module *s, ir_type t);
bool spv_is_pair(const struct spv_module *s, ir_type t); /* held as two words */
bool spv_in_word(const struct spv_module *s, ir_type t); /* an 8 or 16-bit type held as a word */
spv_id spv_type_void(struct spv_module *s);
spv_id spv_type_function(struct spv_module *s, const spv_id *types, uint32_t n); /* result first */
spv_id spv_type_vec(struct spv_module *s, spv_id element, uint32_t n);
spv_id spv_type_bfloat(struct spv_module *s); /* of matrices */
/* A cooperative matrix of a subgroup; use: 0 and 1 for factors, 2 for sums. */
spv_id spv_type_matrix(struct spv_module *s, spv_id element, uint32_t rows, uint32_t columns,
                       uint32_t use);
spv_id spv_null(struct spv_module *s, spv_id type);
spv_id spv_type_product(struct spv_module *s); /* of two words: the lower and the upper */
spv_id spv_pointer(struct spv_module *s, enum spv_storage storage, spv_id pointee);
spv_id spv_const(struct spv_module *s, ir_type t, uint64_t bits);
spv_id spv_u32(struct spv_module *s, uint32_t v);
/* Result-producing instruction in the function's code. */
spv_id spv_op(struct spv_module *s, enum spv_op op, spv_id type, const uint32_t *operands,
              uint32_t n);
/* Type and operands. In one array, since compilers go through it in order, as they do not through
 * arguments: what each of them adds to the module would stand here so and there so. */
#define OP(s, op, ...)                                                                             \
    spv_op_words((s), (op), (const uint32_t[]){__VA_ARGS__},                                       \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
static inline spv_id spv_op_words(struct spv_module *s, enum spv_op op, const uint32_t *words,
                                  size_t n)
{
    return spv_op(s, op, words[0], words + 1, (uint32_t)n - 1);
}
spv_id spv_glsl(struct spv_module *s, enum glsl_op op, spv_id type, spv_id a, spv_id b, spv_id c);

/* What a kernel calls of the device library, as far as launchers must know. */
struct spv_use {
    bool any, parks;
    uint32_t uses; /* enum back_uses */
};

/* Everything about the kernel being emitted. */
struct spv_kernel {
    struct spv_module *s;
    struct back_job *job;
    struct ir_func *func;
    struct region_tree *tree;
    bool *escapes;            /* by value id: lives in a variable */
    spv_id *value_ids;        /* by value id: SSA id of this value, 0: none yet */
    spv_id *variable_ids;     /* by value id: Function variable, 0: none */
    spv_id *temp_ids;         /* by temporary */
    struct map shared_offset; /* ir_global → offset */
    uint32_t static_shared;
    struct map global_offset; /* ir_global → offset + 1 in the module's data buffer */
    struct map local_offset;  /* alloca ir_inst → offset + 1 */
    uint32_t local_bytes;
    struct map near_barriers;      /* barrier ir_inst → itself: orders shared memory only */
    spv_id local;                  /* variable */
    struct spv_matrices *matrices; /* NULL: no instruction multiplies any */
    spv_id inputs[5];              /* builtin variables, made on first use */
    bool views[SPV_VIEWS];         /* of workgroup memory, named by the entry point */
    struct spv_use use;
    bool locks; /* a lock in shared memory */
    bool params_inline;
    bool uses_locks;
    bool uses_output; /* of the launcher: printf, faults, the heap */
    bool ok;
};

enum { SPV_MAX_PARAMS = 16 }; /* of functions that are not inlined: the device library's */

/* pairs.c: 64-bit integers and addresses, where the device has such integers and where not */
spv_id spv_low(struct spv_kernel *k, spv_id wide);
spv_id spv_high(struct spv_kernel *k, spv_id wide);
spv_id spv_wide(struct spv_kernel *k, spv_id low, spv_id high); /* high 0: zero */
spv_id spv_wide_add(struct spv_kernel *k, spv_id a, spv_id b);
spv_id spv_wide_add_k(struct spv_kernel *k, spv_id a, uint64_t b);
spv_id spv_pair_op(struct spv_kernel *k, const struct ir_inst *i, const spv_id *x);
spv_id spv_pair_compare(struct spv_kernel *k, enum ir_op op, spv_id a, spv_id b);
spv_id spv_pair_to_float(struct spv_kernel *k, ir_type to, bool is_signed, spv_id x);
spv_id spv_pair_from_float(struct spv_kernel *k, ir_type from, spv_id x); /* 0 <= x < 2^64 */

/* small.c: 8 and 16-bit types in words; small floats */
spv_id spv_small_sign(struct spv_kernel *k, ir_type t, spv_id x); /* word with the sign extended */
spv_id spv_small_word(struct spv_kernel *k, ir_type t, spv_id x); /* word, zeros above */
spv_id spv_small_cut(struct spv_kernel *k, ir_type t, spv_id word); /* the reverse: the low bits */
spv_id spv_small_widen(struct spv_kernel *k, ir_type t, spv_id x);  /* bf16 or f16 → f32 */
spv_id spv_small_narrow(struct spv_kernel *k, ir_type t, spv_id x); /* f32 → bf16 or f16 */
spv_id spv_odd_single(struct spv_kernel *k, spv_id x); /* f64 → f32, rounded to odd */
spv_id spv_odd_word(struct spv_kernel *k, spv_id x);   /* u32 that is an f32, the last bit sticky */

/* matrix.c: warps' matrices by cooperative matrices */
uint32_t spv_matrices(const struct spirv_features *have); /* a bit for each mma of mma.def */
void spv_find_sums(struct spv_kernel *k);                 /* parameters that are held in matrices */
bool spv_in_sum(const struct spv_kernel *k, const struct ir_value *v); /* it is one of those */
spv_id spv_sum_part(struct spv_kernel *k, const struct ir_value *v);
void spv_set_sum_part(struct spv_kernel *k, const struct ir_value *v, spv_id x);
/* Whether a copy to such a one is made here, or with the last one to the same matrix. */
struct region;
bool spv_copy_sum(struct spv_kernel *k, const struct region *r, uint32_t n);
void spv_emit_mma(struct spv_kernel *k, struct ir_inst *i);

/* Accesses that are made as one, in inst->data of each. */
struct spv_group {
    struct ir_inst *at[4];   /* by rising address */
    struct ir_inst *emit_at; /* in whose place it stands */
    struct ir_value *base;
    int64_t offset; /* of the lowest, from base */
    unsigned n;
};
void spv_find_neighbours(struct spv_kernel *k); /* neighbours.c */
void spv_find_barriers(struct spv_kernel *k);   /* barriers.c */

/* pipeline.c; false: a pass broke the module */
const char *spv_prepare(struct back_job *job);
bool spv_lower(struct back_job *job, struct spv_module *s);
bool spv_lower_func(struct spv_kernel *k); /* makes the tree */
bool spv_lower_kernel(struct spv_kernel *k);

/* prepare.c. The first three: false: there was none. */
bool spv_use_heap(struct ir_func *f); /* malloc and free → calls of the device library */
bool spv_use_grid(struct ir_func *f); /* barriers of the grid, likewise */
bool spv_use_wide(struct ir_func *f); /* quotients and remainders of 64 bits, likewise */
bool spv_divides(const struct spirv_features *have, const struct ir_func *f);
enum { SPV_WIDE = 1 << 30 }; /* with enum lower_soft: there is f64, and the device has none */
uint32_t spv_softens(const struct spirv_features *have, const struct ir_func *f);
bool spv_needs_park(struct arena *a, const struct spirv_features *have, struct ir_func *f);
void spv_park(struct arena *a, struct ir_func *f);
#define SPV_CHECK_LOG "__tern_check" /* what instrumented code calls */
/* Parts of the device library, device/gpu/NAME.h. */
enum spv_part {
    SPV_HEAP,
    SPV_GRID,
    SPV_PARK,
    SPV_SOFT,
    SPV_TEXTURE,
    SPV_WIDE_INTEGERS,
    SPV_LAUNCH,
    SPV_CHECK,
    SPV_PARTS
};

const struct spirv_options *spv_options(const struct back_job *job); /* spirv.c */
const struct spirv_features *spv_features(const struct back_job *job);
static inline uint32_t spv_atomics(const struct spirv_features *have) /* of more than a word */
{
    return ATOMICS_LOCAL | ATOMICS_SHARED_WIDE |
           (have->i64 && have->i64_atomics ? 0 : ATOMICS_WIDE);
}
bool spv_emit_inst(struct spv_kernel *k, struct ir_inst *i); /* inst.c */
spv_id spv_value(struct spv_kernel *k, struct ir_value *v);
void spv_set_value(struct spv_kernel *k, struct ir_value *v, spv_id id);
void spv_emit_tree(struct spv_kernel *k);                             /* control.c */
spv_id spv_push_load(struct spv_kernel *k, enum spirv_push_member m); /* memory.c */
void spv_load_params(struct spv_kernel *k);
spv_id spv_shared_view(struct spv_kernel *k, enum spv_view v); /* spirv.c: made on first use */
void spv_clear_lock(struct spv_kernel *k);
bool spv_emit_memory(struct spv_kernel *k, struct ir_inst *i);
spv_id spv_builtin(struct spv_kernel *k, enum spv_builtin b);
const char *spv_why_not(enum ir_op op); /* spirv.c: why an op is refused; NULL: it is not */
void spv_refuse(struct spv_kernel *k, struct ir_inst *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
