/* The SPIR-V target: one module with an entry point for each kernel.
 *
 * Functions are inlined beforehand (SPIR-V has neither recursion nor function pointers); what is
 * left of calls is refused by name. */
#include <string.h>
#include "back/spirv/spirv_int.h"

static const struct spirv_features everything = {.f64 = true,
                                                 .f16 = true,
                                                 .i64 = true,
                                                 .i16 = true,
                                                 .i8 = true,
                                                 .i64_atomics = true,
                                                 .f32_atomic_add = true,
                                                 .f64_atomic_add = true,
                                                 .shared_f32_atomic_add = true,
                                                 .denorm_preserve_32 = true,
                                                 .nan_preserve_32 = true,
                                                 .subgroup_32 = true,
                                                 .clock = true,
                                                 .fused_fma = true};

const char *spv_why_not(enum ir_op op)
{
    switch (op) {
    case IR_OP_call: return "the function could not be inlined (recursion, or no definition)";
    case IR_OP_call_ptr: return "function pointers";
    case IR_OP_barrier_arrive: return "named barriers";
    case IR_OP_gridsync: return "Vulkan has no barrier across workgroups";
    case IR_OP_launch: return "device-side launch";
    case IR_OP_malloc:
    case IR_OP_free: return "no device heap yet";
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq: return "no textures yet";
    case IR_OP_match:
    case IR_OP_redux: return "no such subgroup operation yet";
    case IR_OP_mma: return "no matrix operations";
    case IR_OP_splat:
    case IR_OP_extract:
    case IR_OP_extractv:
    case IR_OP_insert:
    case IR_OP_iota:
    case IR_OP_permute:
    case IR_OP_anylane:
    case IR_OP_alllanes:
    case IR_OP_maskbits:
    case IR_OP_reduce:
    case IR_OP_mload:
    case IR_OP_mstore:
    case IR_OP_gather:
    case IR_OP_scatter:
    case IR_OP_mrmw: return "vectors are for CPUs";
    default: return NULL;
    }
}

static enum back_support supports(enum ir_op op, ir_type type, const char **why)
{
    if (op == IR_OP_call)
        return BACK_LOWERED; /* inlined */
    *why = spv_why_not(op);
    if (!*why && ir_is_vector(type))
        *why = "vectors are for CPUs";
    if (*why)
        return BACK_NO;
    switch (op) {
    case IR_OP_prmt:
    case IR_OP_dp4a:
    case IR_OP_udp4a:
    case IR_OP_fshl:
    case IR_OP_fshr:
    case IR_OP_umulhi:
    case IR_OP_smulhi:
    case IR_OP_memcpy:
    case IR_OP_memset:
    case IR_OP_cpasync:
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait: return BACK_LOWERED;
    default: return BACK_YES;
    }
}

uint64_t spirv_globals_layout(struct arena *a, const struct ir_module *m, struct map *offset_plus_1)
{
    uint64_t at = 0;
    map_init(offset_plus_1, a);
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        at = (at + g->align - 1) / g->align * g->align;
        map_set(offset_plus_1, map_key(g), (void *)(uintptr_t)(at + 1));
        at += g->size;
    }
    return at;
}

/* ---- variables of an entry point ---- */

static spv_id word_array(struct spv_module *s, spv_id length)
{
    spv_id id = spv_new(s);
    SPV(s, globals, SpvTypeArray, id, spv_type(s, IR_I32), length);
    return id;
}

static void declare_push(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    spv_id wide = spv_type(s, IR_I64), word = spv_type(s, IR_I32),
           tail = word_array(s, spv_u32(s, SPIRV_INLINE_PARAMS / 4));
    SPV(s, decorations, SpvDecorate, tail, DecorArrayStride, 4);
    spv_id block = spv_new(s);
    SPV(s, globals, SpvTypeStruct, block, wide, wide, wide, word, word, word, word, word, word,
        word, word, tail);
    SPV(s, decorations, SpvDecorate, block, DecorBlock);
    for (uint32_t m = 0; m <= PUSH_INLINE; m++)
        SPV(s, decorations, SpvMemberDecorate, block, m, DecorOffset,
            m < PUSH_GRID_X ? 8 * m : 24 + 4 * (m - PUSH_GRID_X));
    k->push = spv_new(s);
    SPV(s, globals, SpvVariable, spv_pointer(s, StoragePush, block), k->push, StoragePush);
    spv_put_name(s, k->push, "launch");
    vec_push(s->arena, &s->interface, k->push);
}
_Static_assert(sizeof(struct spirv_push) == 56 + SPIRV_INLINE_PARAMS,
               "the push block has no holes");

static spv_id spec_constant(struct spv_module *s, uint32_t number, uint32_t value)
{
    spv_id id = spv_new(s);
    SPV(s, globals, SpvSpecConstant, spv_type(s, IR_I32), id, value);
    SPV(s, decorations, SpvDecorate, id, DecorSpecId, number);
    return id;
}

static void declare_block_size(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t fixed =
            k->func->required_block[n] ? k->func->required_block[n] : k->job->options.block[n];
        k->block_size[n] = spec_constant(s, n, fixed ? fixed : n ? 1 : 256);
    }
    spv_id size = spv_new(s);
    SPV(s, globals, SpvSpecConstantComposite, spv_type_vec(s, spv_type(s, IR_I32), 3), size,
        k->block_size[0], k->block_size[1], k->block_size[2]);
    SPV(s, decorations, SpvDecorate, size, DecorBuiltIn, BuiltInWorkgroupSize);
}

static void declare_shared(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    uint32_t words = (SPIRV_SHARED_BASE + k->static_shared + 3) / 4;
    spv_id length = spec_constant(s, 3, words + k->job->options.dynamic_shared / 4);
    k->shared = spv_new(s);
    SPV(s, globals, SpvVariable, spv_pointer(s, StorageWorkgroup, word_array(s, length)), k->shared,
        StorageWorkgroup);
    spv_put_name(s, k->shared, "shared");
    vec_push(s->arena, &s->interface, k->shared);
}

static void function_variable(struct spv_kernel *k, spv_id *where, spv_id type, const char *name)
{
    struct spv_module *s = k->s;
    *where = spv_new(s);
    SPV(s, variables, SpvVariable, spv_pointer(s, StorageFunction, type), *where, StorageFunction);
    if (name)
        spv_put_name(s, *where, name);
}

/* Local memory starts as zero, and its addresses are never null. */
static void declare_local(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    map_init(&k->local_offset, s->arena);
    uint32_t at = 16;
    ir_each_inst (i, k->func->first) {
        if (i->op != IR_OP_alloca)
            continue;
        at = (at + i->align - 1) / i->align * i->align;
        map_set(&k->local_offset, map_key(i), (void *)(uintptr_t)(at + 1));
        at += (uint32_t)(i->imm + 3) / 4 * 4;
    }
    k->local_bytes = at - 16;
    if (!k->local_bytes)
        return;
    spv_id array = word_array(s, spv_u32(s, at / 4)), zero = spv_new(s);
    SPV(s, globals, SpvConstantNull, array, zero);
    k->local = spv_new(s);
    SPV(s, variables, SpvVariable, spv_pointer(s, StorageFunction, array), k->local,
        StorageFunction, zero);
    spv_put_name(s, k->local, "local");
}

/* Block parameters, and results that outlive the construct that defines them, live in variables. */
static void declare_values(struct spv_kernel *k)
{
    struct spv_module *s = k->s;
    struct ir_func *f = k->func;
    k->value_ids = arena_array(s->arena, spv_id, f->nvalues + 1);
    k->variable_ids = arena_array(s->arena, spv_id, f->nvalues + 1);
    k->temp_ids = arena_array(s->arena, spv_id, k->tree->ntemps + 1);
    ir_each_block (b, f) {
        for (size_t n = 0; b != f->first && n < b->params.len; n++)
            function_variable(k, &k->variable_ids[b->params.data[n]->id],
                              spv_type(s, b->params.data[n]->type), b->params.data[n]->name);
        ir_each_inst (i, b)
            for (uint32_t n = 0; n < i->nresults; n++)
                if (k->escapes[i->results[n].id] && i->results[n].type != IR_TOKEN)
                    function_variable(k, &k->variable_ids[i->results[n].id],
                                      spv_type(s, i->results[n].type), i->results[n].name);
    }
    for (uint32_t n = 0; n < k->tree->ntemps; n++) {
        ir_type t = k->tree->temp_types[n];
        k->temp_ids[n] = spv_new(s);
        SPV(s, variables, SpvVariable, spv_pointer(s, StorageFunction, spv_type(s, t)),
            k->temp_ids[n], StorageFunction, spv_const(s, t, 0));
    }
}

static void execution_modes(struct spv_module *s, spv_id function)
{
    const struct spirv_features *have = s->features;
    const struct {
        bool on;
        enum spv_mode mode;
        enum spv_cap cap;
        uint32_t bits;
    } modes[] = {
        {have->denorm_preserve_16, ModeDenormPreserve, CapDenormPreserve, 16},
        {have->denorm_preserve_32, ModeDenormPreserve, CapDenormPreserve, 32},
        {have->denorm_preserve_64, ModeDenormPreserve, CapDenormPreserve, 64},
        {have->nan_preserve_16, ModeSignedZeroInfNan, CapSignedZeroInfNan, 16},
        {have->nan_preserve_32, ModeSignedZeroInfNan, CapSignedZeroInfNan, 32},
        {have->nan_preserve_64, ModeSignedZeroInfNan, CapSignedZeroInfNan, 64},
        {have->rte_16, ModeRoundingRTE, CapRoundingRTE, 16},
        {have->rte_32, ModeRoundingRTE, CapRoundingRTE, 32},
        {have->rte_64, ModeRoundingRTE, CapRoundingRTE, 64},
    };
    for (size_t n = 0; n < sizeof modes / sizeof *modes; n++) {
        if (!modes[n].on)
            continue;
        spv_capability(s, modes[n].cap);
        if (!s->float_controls++)
            spv_extension(s, "SPV_KHR_float_controls");
        SPV(s, modes, SpvExecutionMode, function, modes[n].mode, modes[n].bits);
    }
}

/* ---- kernels ---- */

static bool has_byval(const struct ir_func *f)
{
    vec_each (struct ir_param, p, &f->params)
        if (p->byval_size)
            return true;
    return false;
}

static bool emit_kernel(struct back_job *job, struct spv_module *s, struct ir_func *f,
                        const struct map *globals)
{
    struct spv_kernel k = {.s = s, .job = job, .func = f, .global_offset = *globals, .ok = true};
    s->code.len = s->variables.len = s->interface.len = 0;
    if (!s->features->subgroup_32 && lower_polls(f)) {
        diag_error(s->diag, f->span,
                   "spirv: kernel '%s': its threads watch memory for one another, which needs "
                   "subgroups of 32",
                   f->name);
        return false;
    }
    uint32_t expand =
        EXPAND_BITS | EXPAND_MULHI | EXPAND_COPIES | EXPAND_COUNT_RMW | EXPAND_FLOAT_MINMAX_RMW;
    if (!s->features->f32_atomic_add || !s->features->shared_f32_atomic_add ||
        !s->features->f64_atomic_add)
        expand |= EXPAND_FLOAT_RMW;
    lower_expand(f, expand);
    k.tree = lower_structurize(s->arena, f);
    lower_single_level(k.tree);
    k.escapes = lower_escapes(s->arena, k.tree);
    map_init(&k.shared_offset, s->arena);
    k.static_shared = lower_shared_layout(job->module, &k.shared_offset);
    map_each (e, &k.shared_offset)
        e->value = (void *)((uintptr_t)e->value + SPIRV_SHARED_BASE);
    k.params_inline = !has_byval(f) && f->param_bytes <= SPIRV_INLINE_PARAMS;

    declare_push(&k);
    declare_block_size(&k);
    declare_shared(&k);
    declare_local(&k);
    declare_values(&k);
    spv_id function = spv_new(s), type = spv_new(s), start = spv_new(s);
    spv_load_params(&k);
    spv_emit_tree(&k);
    if (!k.ok)
        return false;
    SPV(s, globals, SpvTypeFunction, type, spv_type_void(s));
    SPV(s, functions, SpvFunction, spv_type_void(s), function, 0, type);
    SPV(s, functions, SpvLabel, start);
    for (size_t n = 0; n < s->variables.len; n++)
        vec_push(s->arena, &s->functions, s->variables.data[n]);
    for (size_t n = 0; n < s->code.len; n++)
        vec_push(s->arena, &s->functions, s->code.data[n]);
    spv_put(s, &s->functions, SpvFunctionEnd, NULL, 0);
    spv_put_name(s, function, f->name);
    spv_put_entry(s, function, f->name);
    SPV(s, modes, SpvExecutionMode, function, ModeLocalSize, 1, 1, 1);
    execution_modes(s, function);
    struct back_kernel out = {.name = f->name,
                              .symbol = f->name,
                              .param_bytes = f->param_bytes,
                              .static_shared = k.static_shared,
                              .local_bytes = k.local_bytes,
                              .flags = k.params_inline ? BACK_PARAMS_INLINE : 0};
    vec_push(job->arena, &job->kernels, out);
    return true;
}

static bool emit(struct back_job *job)
{
    struct spv_module s;
    struct map globals;
    bool ok = true;
    spv_begin(&s, job->arena, job->diag,
              job->options.features ? job->options.features : &everything);
    lower_inline_calls(job->arena, job->module);
    spirv_globals_layout(job->arena, job->module, &globals);
    ir_each_func (f, job->module)
        if (f->flags & IR_FUNC_KERNEL && f->first &&
            (!job->options.kernel || !strcmp(job->options.kernel, f->name)))
            ok &= emit_kernel(job, &s, f, &globals);
    if (ok)
        spv_finish(&s, job->out);
    return ok;
}

const struct back_target back_spirv = {.name = "spirv",
                                       .extension = "spv",
                                       .about = "SPIR-V 1.5 for Vulkan 1.2",
                                       .binary = true,
                                       .supports = supports,
                                       .emit = emit};
