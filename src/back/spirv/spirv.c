/* The SPIR-V target: one module with an entry point for each kernel.
 *
 * Functions are inlined beforehand (SPIR-V has neither recursion nor function pointers): see
 * prepare.c. What is left of calls is refused by name. */
#include <string.h>
#include "back/spirv/spirv_int.h"

/* Every device may refuse these modes, which change results in corners only. */
static const struct spirv_features everything = {.f64 = true,
                                                 .f16 = true,
                                                 .i64 = true,
                                                 .i16 = true,
                                                 .i8 = true,
                                                 .storage_16 = true,
                                                 .storage_8 = true,
                                                 .i64_atomics = true,
                                                 .f32_atomic_add = true,
                                                 .f64_atomic_add = true,
                                                 .denorm_preserve_32 = true,
                                                 .nan_preserve_32 = true,
                                                 .subgroup_32 = true,
                                                 .clock = true,
                                                 .fused_fma = true,
                                                 .sound_ranges = true,
                                                 .half_trips = true,
                                                 .sound_zeros = true,
                                                 .exact_div = true,
                                                 .exact_half = true};

const char *spv_why_not(enum ir_op op)
{
    return op == IR_OP_check   ? "what checked code tells is a call of the device library here"
           : ir_is_gang_op(op) ? "vectors are for CPUs"
                               : NULL;
}

static enum back_support supports(enum ir_op op, ir_type type, const char **why)
{
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
    case IR_OP_cpasync_wait:
    case IR_OP_barrier_arrive: /* the park */
    case IR_OP_call:           /* inlined, or by a stack */
    case IR_OP_call_ptr:
    case IR_OP_malloc:
    case IR_OP_free:
    case IR_OP_match:
    case IR_OP_redux:
    case IR_OP_gridsync:
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq:
    case IR_OP_mma: return BACK_LOWERED;
    default: return BACK_YES;
    }
}

uint32_t spirv_global_align(const struct ir_global *g)
{
    return g->align < 16 && g->size >= 16 && g->space != IR_SPACE_SHARED ? 16 : g->align;
}

uint64_t spirv_globals_layout(struct arena *a, const struct ir_module *m, struct map *offset_plus_1)
{
    uint64_t at = 0;
    map_init(offset_plus_1, a);
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        uint32_t align = spirv_global_align(g);
        at = (at + align - 1) / align * align;
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

static void declare_push(struct spv_module *s)
{
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
    s->push = spv_new(s);
    SPV(s, globals, SpvVariable, spv_pointer(s, StoragePush, block), s->push, StoragePush);
    spv_put_name(s, s->push, "launch");
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

/* A module is launched one kernel at a time, but its constants are for all: the block that a kernel
 * asks for is the default if it is the only one. */
static void declare_block_size(struct spv_module *s, const struct back_job *job,
                               const struct ir_func *only)
{
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t fixed =
            only && only->required_block[n] ? only->required_block[n] : spv_options(job)->block[n];
        s->block_size[n] = spec_constant(s, n, fixed ? fixed : n ? 1 : 256);
    }
    spv_id size = spv_new(s);
    SPV(s, globals, SpvSpecConstantComposite, spv_type_vec(s, spv_type(s, IR_I32), 3), size,
        s->block_size[0], s->block_size[1], s->block_size[2]);
    SPV(s, decorations, SpvDecorate, size, DecorBuiltIn, BuiltInWorkgroupSize);
}

/* One array for all kernels: the launcher says how long it is; by default long enough for any. */
static void declare_shared(struct spv_module *s, const struct back_job *job)
{
    struct map unused;
    uint32_t most = 0;
    ir_each_func (f, job->module) {
        map_init(&unused, s->arena);
        uint32_t bytes = lower_kernel_shared_layout(s->arena, f, &unused);
        most = bytes > most ? bytes : most;
    }
    uint32_t words = (SPIRV_SHARED_BASE + most + spv_options(job)->dynamic_shared + 15) / 16 * 4;
    s->shared_words = spec_constant(s, 3, words);
    if (s->features->shared_layout) {
        spv_capability(s, CapSharedLayout);
        spv_extension(s, "SPV_KHR_workgroup_memory_explicit_layout");
        return;
    }
    s->shared[VIEW_32] = spv_new(s);
    SPV(s, globals, SpvVariable, spv_pointer(s, StorageWorkgroup, word_array(s, s->shared_words)),
        s->shared[VIEW_32], StorageWorkgroup);
    spv_put_name(s, s->shared[VIEW_32], "shared");
}

/* struct { T all[words * 4 / sizeof(T)]; }, over the same memory as the others. */
static void declare_view(struct spv_module *s, enum spv_view v)
{
    static const struct {
        ir_type type;
        uint32_t n, bytes;
        enum spv_cap needs;
    } views[SPV_VIEWS] = {[VIEW_8] = {IR_I8, 1, 1, CapSharedLayout8},
                          [VIEW_16] = {IR_I16, 1, 2, CapSharedLayout16},
                          [VIEW_32] = {IR_I32, 1, 4, CapSharedLayout},
                          [VIEW_64] = {IR_I64, 1, 8, CapSharedLayout},
                          [VIEW_32x2] = {IR_I32, 2, 8, CapSharedLayout},
                          [VIEW_32x4] = {IR_I32, 4, 16, CapSharedLayout}};
    spv_id word = spv_type(s, IR_I32), length = s->shared_words, element, array = spv_new(s),
           block = spv_new(s);
    spv_capability(s, views[v].needs);
    element = spv_type(s, views[v].type);
    if (views[v].n > 1)
        element = spv_type_vec(s, element, views[v].n);
    if (views[v].bytes != 4) {
        bool less = views[v].bytes < 4;
        spv_id by = spv_u32(s, less ? 4 / views[v].bytes : views[v].bytes / 4);
        length = spv_new(s);
        SPV(s, globals, SpvSpecConstantOp, word, length, less ? SpvIMul : SpvUDiv, s->shared_words,
            by);
    }
    SPV(s, globals, SpvTypeArray, array, element, length);
    SPV(s, decorations, SpvDecorate, array, DecorArrayStride, views[v].bytes);
    SPV(s, globals, SpvTypeStruct, block, array);
    SPV(s, decorations, SpvDecorate, block, DecorBlock);
    SPV(s, decorations, SpvMemberDecorate, block, 0, DecorOffset, 0);
    s->shared[v] = spv_new(s);
    SPV(s, globals, SpvVariable, spv_pointer(s, StorageWorkgroup, block), s->shared[v],
        StorageWorkgroup);
    SPV(s, decorations, SpvDecorate, s->shared[v], DecorAliased);
}

spv_id spv_shared_view(struct spv_kernel *k, enum spv_view v)
{
    struct spv_module *s = k->s;
    if (!s->shared[v])
        declare_view(s, v);
    if (!k->views[v])
        vec_push(s->arena, &s->interface, s->shared[v]);
    k->views[v] = true;
    return s->shared[v];
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
    spv_find_sums(k);
    ir_each_block (b, f) {
        for (size_t n = 0; b != f->first && n < b->params.len; n++)
            if (!spv_in_sum(k, b->params.data[n]))
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
        spv_extension(s, "SPV_KHR_float_controls");
        SPV(s, modes, SpvExecutionMode, function, modes[n].mode, modes[n].bits);
    }
}

/* ---- functions ---- */

static void put_function(struct spv_module *s, spv_id id, spv_id ret, spv_id type,
                         const spv_id *params, const spv_id *types, size_t n)
{
    SPV(s, functions, SpvFunction, ret, id, 0, type);
    for (size_t p = 0; p < n; p++)
        SPV(s, functions, SpvFunctionParameter, types[p], params[p]);
    SPV(s, functions, SpvLabel, spv_new(s));
    for (size_t w = 0; w < s->variables.len; w++)
        vec_push(s->arena, &s->functions, s->variables.data[w]);
    for (size_t w = 0; w < s->code.len; w++)
        vec_push(s->arena, &s->functions, s->code.data[w]);
    spv_put(s, &s->functions, SpvFunctionEnd, NULL, 0);
}

/* A function of numbers that kernels call, since it is too large to stand in each place. */
static bool emit_function(struct back_job *job, struct spv_module *s, struct ir_func *f)
{
    struct spv_kernel k = {.s = s, .job = job, .func = f, .ok = true};
    spv_id params[SPV_MAX_PARAMS], types[SPV_MAX_PARAMS], words[1 + SPV_MAX_PARAMS];
    s->code.len = s->variables.len = 0;
    if (!spv_lower_func(&k))
        return false;
    k.escapes = lower_escapes(s->arena, k.tree);
    map_init(&k.shared_offset, s->arena);
    declare_local(&k);
    declare_values(&k);
    words[0] = spv_type(s, f->ret);
    for (size_t p = 0; p < f->params.len && p < SPV_MAX_PARAMS; p++) {
        params[p] = spv_new(s);
        types[p] = words[1 + p] = spv_type(s, f->params.data[p].type);
        spv_set_value(&k, f->first->params.data[p], params[p]);
    }
    spv_emit_tree(&k);
    for (int v = 0; v < SPV_VIEWS; v++)
        s->function_views[v] |= k.views[v];
    spv_id id = (spv_id)(uintptr_t)map_get(&s->function_ids, map_key(f));
    put_function(s, id, words[0], spv_type_function(s, words, 1 + (uint32_t)f->params.len), params,
                 types, f->params.len);
    spv_put_name(s, id, f->name);
    return k.ok;
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
                        const struct map *globals, struct spv_use use)
{
    struct spv_kernel k = {
        .s = s, .job = job, .func = f, .use = use, .global_offset = *globals, .ok = true};
    s->code.len = s->variables.len = s->interface.len = 0;
    if (!spv_lower_kernel(&k))
        return false;
    k.escapes = lower_escapes(s->arena, k.tree);
    map_init(&k.shared_offset, s->arena);
    k.static_shared = lower_kernel_shared_layout(s->arena, f, &k.shared_offset);
    map_each (e, &k.shared_offset)
        e->value = (void *)((uintptr_t)e->value + SPIRV_SHARED_BASE);
    k.params_inline = !has_byval(f) && f->param_bytes <= SPIRV_INLINE_PARAMS;

    vec_push(s->arena, &s->interface, s->push);
    for (int v = 0; v < SPV_VIEWS; v++)
        if (s->function_views[v])
            spv_shared_view(&k, (enum spv_view)v);
    declare_local(&k);
    declare_values(&k);
    spv_find_neighbours(&k);
    spv_id function = spv_new(s);
    if (k.locks)
        spv_clear_lock(&k);
    spv_load_params(&k);
    spv_emit_tree(&k);
    if (k.ok && s->missing) {
        diag_error(s->diag, f->span, "spirv: kernel '%s' needs %s, which the device does not have",
                   f->name, s->missing);
        k.ok = false;
    }
    s->missing = NULL;
    if (!k.ok)
        return false;
    put_function(s, function, spv_type_void(s), s->entry_type, NULL, NULL, 0);
    spv_put_name(s, function, f->name);
    spv_put_entry(s, function, f->name);
    SPV(s, modes, SpvExecutionMode, function, ModeLocalSize, 1, 1, 1);
    execution_modes(s, function);
    struct spirv_kernel *own = arena_new(job->arena, struct spirv_kernel);
    *own = (struct spirv_kernel){.params_inline = k.params_inline,
                                 .parks = use.parks,
                                 .output = k.uses_output,
                                 .locks = k.uses_locks};
    struct back_kernel out = {.name = f->name,
                              .symbol = f->name,
                              .param_bytes = f->param_bytes,
                              .static_shared = k.static_shared,
                              .local_bytes = k.local_bytes,
                              .uses = use.uses,
                              .own = own};
    vec_push(job->arena, &job->kernels, out);
    return true;
}

const struct spirv_options *spv_options(const struct back_job *job)
{
    static const struct spirv_options defaults;
    return job->options.own ? job->options.own : &defaults;
}

const struct spirv_features *spv_features(const struct back_job *job)
{
    const struct spirv_features *features = spv_options(job)->features;
    return features ? features : &everything;
}

static bool emit(struct back_job *job)
{
    struct spv_module s;
    struct map globals;
    const struct ir_func *only = NULL;
    size_t kernels = 0;
    bool ok = true;
    spv_begin(&s, job->arena, job->diag, spv_features(job));
    spirv_globals_layout(job->arena, job->module, &globals);
    ir_each_func (f, job->module)
        if (f->flags & IR_FUNC_KERNEL && f->first)
            only = kernels++ ? NULL : f;
    if (!spv_lower(job, &s))
        return false;
    declare_push(&s);
    declare_block_size(&s, job, only);
    declare_shared(&s, job);
    s.entry_type = spv_type_function(&s, (spv_id[]){spv_type_void(&s)}, 1);
    ir_each_func (f, job->module)
        if (map_has(&s.function_ids, map_key(f)))
            ok &= emit_function(job, &s, f);
    ir_each_func (f, job->module) {
        if (!(f->flags & IR_FUNC_KERNEL) || !f->first ||
            (job->options.kernel && strcmp(job->options.kernel, f->name)))
            continue;
        ok &= emit_kernel(job, &s, f, &globals,
                          *(const struct spv_use *)map_get(&s.uses, map_key(f)));
    }
    if (ok)
        spv_finish(&s, job->out);
    return ok;
}

static const struct back_option options[] = {
    BACK_OPTION("block", BACK_SHAPE, spirv_options, block, NULL, NULL),
    BACK_OPTION("shared", BACK_NUMBER, spirv_options, dynamic_shared, NULL, NULL),
};

const struct back_target back_spirv = {.name = "spirv",
                                       .about = "SPIR-V 1.5 for Vulkan 1.2",
                                       .binary = true,
                                       .options = options,
                                       .noptions = sizeof options / sizeof *options,
                                       .option_bytes = sizeof(struct spirv_options),
                                       .kernel_bytes = sizeof(struct spirv_kernel),
                                       .supports = supports,
                                       .prepare = spv_prepare,
                                       .emit = emit};
