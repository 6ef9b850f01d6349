/* The WGSL target: what it takes, the module around the functions, and the description for
 * launchers. doc/wgsl-abi.md tells how the result is run. */
#include <string.h>
#include "back/wgsl/wgsl_int.h"

/* ---- what it takes ---- */

static const struct {
    enum ir_op op;
    const char *why;
} refused[] = {
    {IR_OP_clock, "WGSL has no clock"},
    {IR_OP_barrier_arrive, "WGSL has no barrier that only arrives"},
    {IR_OP_gridsync, "workgroups of a dispatch cannot wait for each other"},
    {IR_OP_check, "checkers run on the CPU and in the interpreter"},
    {IR_OP_launch, "a shader cannot start another"},
};

enum back_support wgsl_supports(enum ir_op op, ir_type type, const char **why)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (refused[k].op == op) {
            *why = refused[k].why;
            return BACK_NO;
        }
    if (ir_is_vector(type) || ir_is_gang_op(op)) {
        *why = "vectors of the vectoriser: WGSL runs one thread at a time";
        return BACK_NO;
    }
    switch (op) {
    case IR_OP_fsin_fast:
    case IR_OP_fcos_fast:
    case IR_OP_fexp2_fast:
    case IR_OP_flog2_fast:
    case IR_OP_ftanh_fast:
        if (ir_kind(type) == IR_F64) {
            *why = "a fast function of f64";
            return BACK_NO;
        }
        return BACK_YES;
    case IR_OP_barrier_red:
    case IR_OP_warpsync:
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_match:
    case IR_OP_redux:
    case IR_OP_activemask: return BACK_LOWERED; /* the park, or subgroups */
    case IR_OP_mma: return BACK_LOWERED;        /* lower_matrices, then the park */
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq: return BACK_LOWERED; /* lower_textures */
    default: return BACK_YES;
    }
}

bool wgsl_refuse(struct wgsl *w, const struct ir_inst *i, const char *why)
{
    diag_error(w->job->diag, i->span, "wgsl: '%s' in @%s cannot be expressed: %s",
               ir_op_info[i->op].name, w->func->name, why);
    w->failed = true;
    return false;
}

const char *wgsl_type_name(ir_type t)
{
    switch (ir_kind(t)) {
    case IR_I1: return "bool";
    case IR_I64:
    case IR_F64: return "vec2<u32>";
    case IR_F32: return "f32";
    default: return "u32";
    }
}

const char *wgsl_type(const struct wgsl *w, const struct ir_value *v)
{
    return v->type == IR_I64 && w->low[v->id] ? "u32" : wgsl_type_name(v->type);
}

/* ---- names ---- */

static const char *const reserved[] = {
    "alias", "array", "atomic", "bitcast", "bool", "break", "case", "const", "const_assert",
    "continue", "continuing", "default", "diagnostic", "discard", "else", "enable", "f16", "f32",
    "false", "fn", "for", "i32", "if", "let", "loop", "mat2x2", "override", "ptr", "requires",
    "return", "sampler", "struct", "switch", "true", "u32", "var", "vec2", "vec3", "vec4", "while",
    /* reserved for later */
    "active", "as", "async", "attribute", "auto", "await", "become", "binding_array", "cast",
    "catch", "class", "common", "compile", "concept", "delete", "demote", "do", "enum", "export",
    "extends", "extern", "external", "filter", "final", "finally", "friend", "from", "get", "goto",
    "groupshared", "highp", "impl", "implements", "import", "inline", "instanceof", "interface",
    "layout", "lowp", "macro", "match", "mediump", "meta", "mod", "module", "move", "mut",
    "mutable", "namespace", "new", "nil", "noexcept", "noinline", "nointerpolation", "noncoherent",
    "null", "nullptr", "of", "operator", "package", "packoffset", "pass", "patch", "pixelfragment",
    "point", "precise", "precision", "premerge", "priv", "protected", "pub", "public", "readonly",
    "ref", "register", "resource", "restrict", "self", "set", "shared", "sizeof", "smooth", "snorm",
    "static", "std", "subroutine", "super", "target", "template", "this", "thread_local", "throw",
    "trait", "try", "type", "typedef", "typeid", "typename", "typeof", "union", "unless", "unorm",
    "unsafe", "unsized", "use", "using", "varying", "virtual", "volatile", "wgsl", "where", "with",
    "writeonly", "yield",
    /* ours, and functions that generated code calls */
    "heap", "smem", "lmem", "threads_x", "threads_y", "threads_z", "block_threads",
    "dynamic_shared", "my_thread", "my_block", "my_grid", "my_index", "select", "min", "max", "abs",
    "sqrt", "floor", "ceil", "trunc", "round", "sin", "cos", "exp2", "log2", "tanh", "fma", "clamp",
    "any", "all", "inverseSqrt", "extractBits", "countOneBits", "countLeadingZeros", "reverseBits",
    "atomicLoad", "atomicStore", "atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd",
    "atomicOr", "atomicXor", "atomicExchange", "workgroupBarrier", "storageBarrier", "park_low",
    "park_high", "park_ok", "park_free", "F64", NULL};

/* ---- before writing ---- */

/* Which arrays have to be atomic, and whether the heap is used at all. */
static void scan(struct wgsl *w, struct ir_func *f)
{
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            bool shared = false, heap = false;
            const struct ir_value *p = NULL;
            for (uint32_t k = 0; k < i->nargs && k < 2; k++)
                if (ir_class(i->args[k]->type) == IR_CLASS_PTR &&
                    (k == 0 || i->op == IR_OP_memcpy) && !map_has(&w->bound, map_key(i->args[k]))) {
                    p = i->args[k];
                    enum ir_space s = ir_space(p->type);
                    shared |= s == IR_SPACE_SHARED || s == IR_SPACE_GENERIC;
                    heap |= s == IR_SPACE_GLOBAL || s == IR_SPACE_GENERIC || s == IR_SPACE_CONST;
                }
            bool atomic = i->op == IR_OP_rmw || i->op == IR_OP_cas;
            if (i->op == IR_OP_store)
                atomic = ir_bits(i->args[1]->type) < 32 || (i->align && i->align < 4) ||
                         ir_order(i->flags) || (i->flags & IR_VOLATILE);
            if (i->op == IR_OP_load)
                atomic = ir_order(i->flags) || (i->flags & IR_VOLATILE);
            if (i->op == IR_OP_memcpy || i->op == IR_OP_memset)
                atomic = i->align < 4 || !ir_is_const(i->args[2]) || i->args[2]->u.bits % 4;
            if (i->op == IR_OP_fence || i->op == IR_OP_malloc || i->op == IR_OP_printf ||
                i->op == IR_OP_assertfail || i->op == IR_OP_trap ||
                (i->op == IR_OP_call && lower_call_of(i->callee) == LOWER_CALL_STACK_FULL))
                heap = atomic = true;
            if (i->op == IR_OP_load || i->op == IR_OP_store || i->op == IR_OP_rmw ||
                i->op == IR_OP_cas)
                w->uses[MEM_HEAP] |= heap;
            w->atomic[MEM_HEAP] |= heap && atomic;
            w->atomic[MEM_SHARED] |= shared && atomic;
            if (i->op == IR_OP_alloca) {
                uint32_t align = i->align > 4 ? i->align : 4;
                w->local_bytes = (w->local_bytes + align - 1) / align * align;
                i->data = (void *)(uintptr_t)w->local_bytes;
                w->local_bytes += (uint32_t)(i->imm + 3) & ~3u;
            }
        }
}

/* A call with waiting inside cannot be parked; the inliner should have left none. */
static bool waits_in_calls(struct wgsl *w, struct ir_func *f)
{
    if (f->flags & IR_FUNC_KERNEL)
        return false;
    struct ir_inst *i = lower_first_wait(f);
    if (!i)
        return false;
    w->func = f;
    wgsl_refuse(w, i, "it waits for other threads in a function that was not inlined");
    return true;
}

/* ---- function pointers ---- */

uint32_t wgsl_number(struct wgsl *w, struct ir_func *f)
{
    uintptr_t n = (uintptr_t)map_get(&w->func_number, map_key(f));
    if (!n) {
        n = 2 * (w->func_number.len + 1); /* even: see lower_func_number */
        map_set(&w->func_number, map_key(f), (void *)n);
    }
    return (uint32_t)n;
}

bool wgsl_fits_call(const struct ir_func *f, const struct ir_inst *call)
{
    if ((f->flags & IR_FUNC_KERNEL) || f->ret != call->type || f->params.len != call->nargs - 1)
        return false;
    for (uint32_t k = 1; k < call->nargs; k++)
        if (strcmp(wgsl_type_name(f->params.data[k - 1].type), wgsl_type_name(call->args[k]->type)))
            return false;
    return true;
}

const char *wgsl_dispatcher(struct wgsl *w, const struct ir_inst *call)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    sbuf_puts(&b, "call");
    for (uint32_t k = 1; k < call->nargs; k++)
        sbuf_printf(&b, "_%s", wgsl_type_name(call->args[k]->type));
    sbuf_printf(&b, "_to_%s", call->type == IR_VOID ? "none" : wgsl_type_name(call->type));
    for (char *c = b.data; *c; c++)
        if (*c == '<' || *c == '>')
            *c = 'x';
    const char *name = intern_z(w->module->names, b.data);
    if (!map_has(&w->dispatchers, map_key(name)))
        map_set(&w->dispatchers, map_key(name), (void *)call);
    return name;
}

static void write_dispatchers(struct wgsl *w)
{
    map_each (e, &w->dispatchers) {
        const struct ir_inst *call = e->value;
        bool value = call->type != IR_VOID;
        struct sbuf args;
        sbuf_init(&args, w->arena);
        sbuf_printf(w->out, "\nfn %s(f: u32", (const char *)(uintptr_t)e->key);
        for (uint32_t k = 1; k < call->nargs; k++) {
            sbuf_printf(w->out, ", a%u: %s", k, wgsl_type_name(call->args[k]->type));
            sbuf_printf(&args, "%sa%u", k > 1 ? ", " : "", k);
        }
        sbuf_puts(w->out, ")");
        if (value)
            sbuf_printf(w->out, " -> %s", wgsl_type_name(call->type));
        sbuf_puts(w->out, " {\n    switch f {\n");
        map_each (t, &w->func_number) {
            struct ir_func *f = (struct ir_func *)(uintptr_t)t->key;
            if (f->first && wgsl_fits_call(f, call))
                sbuf_printf(w->out, "    case %uu: { %s%s(%s); }\n", (uint32_t)(uintptr_t)t->value,
                            value ? "return " : "",
                            (const char *)map_get(&w->func_name, map_key(f)),
                            args.len ? args.data : "");
        }
        sbuf_printf(w->out, "    default: {%s}\n    }\n}\n",
                    !value ? "" : TEXT(w, " return %s(); ", wgsl_type_name(call->type)));
    }
}

/* ---- kernels ---- */

static bool fits_member(const struct ir_param *p)
{
    return !p->byval_size && (ir_class(p->type) == IR_CLASS_PTR || ir_bytes(p->type) >= 4);
}

static void write_launch(struct wgsl *w, struct wgsl_kernel *k, struct sbuf *out)
{
    struct ir_func *f = k->func;
    struct name_table *names = lower_names(w->arena, w->module->names, reserved);
    lower_name(names, "grid");
    lower_name(names, "first_block");
    const char *type = lower_name(w->globals, "Launch");
    sbuf_printf(
        out, "\nstruct %s {\n    grid: vec3<u32>,\n    @align(16) first_block: vec3<u32>,\n", type);
    k->members = arena_array(w->arena, const char *, f->params.len + 1);
    for (size_t p = 0; p < f->params.len; p++)
        k->raw_params |= !fits_member(&f->params.data[p]);
    if (k->raw_params)
        sbuf_printf(out, "    @align(16) params: array<vec4<u32>, %u>,\n",
                    (f->param_bytes + 15) / 16);
    for (size_t p = 0; p < f->params.len && !k->raw_params; p++) {
        const struct ir_param *in = &f->params.data[p];
        bool wide = ir_bytes(in->type) == 8;
        const char *align = p == 0 ? "@align(16) " : wide ? "@align(8) " : "";
        k->members[p] = lower_name(names, in->name);
        if (ir_class(in->type) == IR_CLASS_PTR)
            sbuf_printf(out, "    %s%s: u32,\n    %s: u32,\n", align, k->members[p],
                        lower_name(names, TEXT(w, "%s_high", k->members[p])));
        else
            sbuf_printf(out, "    %s%s: %s,\n", align, k->members[p], wgsl_type_name(in->type));
    }
    k->launch = lower_name(w->globals, "launch");
    sbuf_printf(out, "}\n@group(0) @binding(0) var<uniform> %s: %s;\n", k->launch, type);
}

/* The parameters of the entry block: members of the uniform block, or words of it. */
static void name_params(struct wgsl *w)
{
    struct wgsl_kernel *k = w->kernel;
    struct ir_func *f = k->func;
    for (size_t p = 0; p < f->params.len; p++) {
        const struct ir_param *in = &f->params.data[p];
        struct ir_value *v = f->first->params.data[p];
        bool low = v->type == IR_I64 && w->low[v->id];
        if (map_has(&w->bound, map_key(v))) {
            w->name[v->id] = "0u"; /* of its binding */
            continue;
        }
        if (!k->raw_params) {
            w->name[v->id] = TEXT(w, "%s.%s%s", k->launch, k->members[p], low ? ".x" : "");
            continue;
        }
        uint32_t o = in->offset;
        const char *word = TEXT(w, "%s.params[%u].%c", k->launch, o / 16, "xyzw"[o / 4 % 4]);
        if (in->byval_size) {
            w->name[v->id] = TEXT(w, "%uu", o);
        } else if (ir_class(v->type) == IR_CLASS_PTR || low) {
            w->name[v->id] = word;
        } else if (ir_bytes(v->type) == 8) {
            w->name[v->id] = TEXT(w, "%s.params[%u].%s", k->launch, o / 16, o % 16 ? "zw" : "xy");
        } else if (v->type == IR_F32) {
            w->name[v->id] = TEXT(w, "bitcast<f32>(%s)", word);
        } else if (ir_bytes(v->type) == 4) {
            w->name[v->id] = word;
        } else {
            const char *part =
                TEXT(w, "extractBits(%s, %uu, %uu)", word, 8 * (o % 4), 8 * ir_bytes(v->type));
            w->name[v->id] = v->type == IR_I1 ? TEXT(w, "((%s & 1u) != 0u)", part) : part;
        }
    }
}

static const char *const local_words[] = {"thread", "index", "block", "group", "turns", NULL};

/* The names that no function of the module may use for its own values. */
static void reserve_in_functions(struct wgsl *w)
{
    w->outside = lower_names(w->arena, w->module->names, reserved);
    wgsl_reserve_helpers(w->outside);
    for (size_t n = 0; local_words[n]; n++)
        lower_name(w->outside, local_words[n]);
    for (unsigned g = 0; g < WGSL_BINDINGS; g++)
        if (w->binding[g])
            lower_name(w->outside, w->binding[g]);
    map_each (e, &w->func_name)
        lower_name(w->outside, e->value);
}

static void begin_function(struct wgsl *w, struct ir_func *f, struct wgsl_kernel *k)
{
    w->func = f;
    w->line = 0;
    w->kernel = k;
    w->locals = lower_names_within(w->outside);
    if (k)
        lower_name(w->locals, k->launch);
}

/* Do barriers have to order the heap too? Only if something is written to it before one. */
static bool writes_before_barrier(struct wgsl *w, struct ir_func *f)
{
    bool *before =
        arena_array(w->arena, bool, f->nblocks + 1); /* a barrier comes after its start */
    VEC(struct ir_block *) work = {0};
    ir_cfg(f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_warpsync)
                vec_push(w->arena, &work, b);
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        if (before[b->id])
            continue;
        before[b->id] = true;
        for (size_t k = 0; k < b->preds.len; k++)
            vec_push(w->arena, &work, b->preds.data[k]);
    }
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i && before[b->id]; i = i->next) {
            if (i->op == IR_OP_call || i->op == IR_OP_call_ptr)
                return true;
            if (!(ir_op_info[i->op].flags & IR_WRITES) || !i->nargs ||
                ir_class(i->args[0]->type) != IR_CLASS_PTR)
                continue;
            enum wgsl_mem m = wgsl_mem_of(w, i->args[0]);
            if (m == MEM_HEAP || m == MEM_GENERIC || m >= MEM_BOUND)
                return true;
        }
    return false;
}

static void write_kernel(struct wgsl *w, struct wgsl_kernel *k)
{
    begin_function(w, k->func, k);
    wgsl_begin(w);
    w->orders_heap = writes_before_barrier(w, k->func);
    w->quads = w->alone && !w->atomic[MEM_SHARED] && wgsl_finds_quads(w);
    name_params(w);
    sbuf_printf(w->out,
                "\n@compute @workgroup_size(threads_x, threads_y, threads_z)\n"
                "fn %s(@builtin(local_invocation_id) thread: vec3<u32>,\n"
                "    @builtin(local_invocation_index) index: u32,\n"
                "    @builtin(workgroup_id) group: vec3<u32>) {\n",
                k->symbol);
    w->depth = 1;
    if (w->options->bindings[0]) /* only for grids in one piece */
        wgsl_line(w, "let block = group;");
    else
        wgsl_line(w, "let block = group + %s.first_block;", k->launch);
    if (w->private) {
        wgsl_line(w, "my_thread = thread;");
        wgsl_line(w, "my_block = block;");
        wgsl_line(w, "my_grid = %s.grid;", k->launch);
        wgsl_line(w, "my_index = index;");
    }
    wgsl_begin_turns(w);
    wgsl_function(w);
    sbuf_puts(w->out, "}\n");
}

static void write_function(struct wgsl *w, struct ir_func *f)
{
    begin_function(w, f, NULL);
    if (!wgsl_lower_func(w, f)) {
        w->failed = true;
        return;
    }
    wgsl_begin(w);
    sbuf_printf(w->out, "\nfn %s(", (const char *)map_get(&w->func_name, map_key(f)));
    for (size_t p = 0; p < f->params.len; p++) {
        struct ir_value *v = f->first->params.data[p];
        w->name[v->id] = lower_name(w->locals, f->params.data[p].name);
        sbuf_printf(w->out, "%s%s: %s", p ? ", " : "", w->name[v->id], wgsl_type(w, v));
    }
    sbuf_puts(w->out, ")");
    if (f->ret != IR_VOID)
        sbuf_printf(w->out, " -> %s", wgsl_type_name(f->ret));
    sbuf_puts(w->out, " {\n");
    w->depth = 1;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_alloca) { /* the space is used again by the next call */
                uint32_t at = (uint32_t)(uintptr_t)i->data / 4, n = (uint32_t)(i->imm + 3) / 4;
                w->uses[MEM_LOCAL] = true;
                wgsl_line(w, "for (var k = %uu; k < %uu; k++) { lmem[k] = 0u; }", at, at + n);
            }
    wgsl_function(w);
    sbuf_puts(w->out, "}\n");
}

/* ---- the module ---- */

/* Parameters read through a pointer: of the one kernel that has classes among them. */
static void write_param_word(struct wgsl *w, const struct wgsl_kernel *kernels, size_t n)
{
    const struct wgsl_kernel *raw = NULL;
    for (size_t k = 0; k < n; k++) {
        if (kernels[k].raw_params && raw) {
            diag_error(w->job->diag, kernels[k].func->span,
                       "wgsl: @%s and @%s both take classes by value: compile one at a time",
                       raw->func->name, kernels[k].func->name);
            w->failed = true;
        }
        raw = kernels[k].raw_params ? &kernels[k] : raw;
    }
    sbuf_puts(w->out, "\nfn param_word(p: u32) -> u32 {\n");
    if (raw)
        sbuf_printf(w->out, "    return %s.params[p >> 4u][(p >> 2u) & 3u];\n}\n", raw->launch);
    else
        sbuf_puts(w->out, "    return 0u;\n}\n"); /* no pointer leads there */
}

/* One line of JSON for launchers: what to allocate, what to write where. */
static uint32_t number_of(void *w, struct ir_func *f)
{
    return wgsl_number(w, f);
}

/* The host fills the heap: it is told how variables begin. */
static void describe_initial(void *ctx, struct json_writer *j, const struct ir_global *g)
{
    struct wgsl *w = ctx;
    const uint8_t *bytes = back_initial(w->arena, g, &w->heap_offset, 0, number_of, w);
    if (!bytes)
        return;
    struct sbuf hex;
    sbuf_init(&hex, w->arena);
    for (uint64_t k = 0; k < g->size; k++)
        sbuf_printf(&hex, "%02x", bytes[k]);
    json_key(j, "init");
    json_str(j, hex.data);
}

static void describe(struct wgsl *w, struct wgsl_kernel *kernels, size_t n, struct sbuf *out)
{
    struct json_writer j;
    sbuf_puts(out, "// tern: ");
    json_begin(&j, out, false);
    back_describe(&j, w->heap_bytes, w->shared_bytes);
    json_key(&j, "kernels");
    json_array(&j);
    for (size_t k = 0; k < n; k++) {
        json_object(&j);
        back_describe_kernel(&j, kernels[k].func, kernels[k].symbol);
        if (kernels[k].warps) {
            json_key(&j, "warps");
            json_bool(&j, true);
        }
        json_end(&j);
    }
    json_end(&j);
    back_describe_globals(&j, w->module, &w->heap_offset, 0, describe_initial, w);
    json_end(&j);
    sbuf_putc(out, '\n');
}

static void write_head(struct wgsl *w, struct sbuf *out)
{
    const struct wgsl_options *o = w->options;
    sbuf_puts(out, w->f16 ? "enable f16;\n" : "");
    sbuf_puts(out,
              w->subgroups ? "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n" : "");
    sbuf_putc(out, '\n');
    for (unsigned k = 0; k < 3; k++)
        sbuf_printf(out, "override threads_%c: u32 = %u;\n", "xyz"[k],
                    o -> block[k] ? o -> block[k]
                : k               ? 1
                                  : 256);
    sbuf_puts(out, "override block_threads: u32 = threads_x * threads_y * threads_z;\n");
    sbuf_printf(out, "override dynamic_shared: u32 = %u;\n", o->dynamic_shared);
    if (w->uses[MEM_HEAP] || w->uses[MEM_GENERIC])
        sbuf_printf(out, "\n@group(0) @binding(1) var<storage, read_write> heap: array<%s>;\n",
                    w->atomic[MEM_HEAP] ? "atomic<u32>" : "u32");
    wgsl_put_bindings(w, out);
    if (w->uses[MEM_SHARED] || w->uses[MEM_GENERIC])
        sbuf_printf(out, "var<workgroup> smem: array<%s, (%uu + dynamic_shared + %uu) / %uu>;\n",
                    w->quads                ? "vec4<u32>"
                    : w->atomic[MEM_SHARED] ? "atomic<u32>"
                                            : "u32",
                    w->shared_bytes ? w->shared_bytes : 4, w->quads ? 15 : 3, w->quads ? 16 : 4);
    if (w->uses[MEM_LOCAL] || w->uses[MEM_GENERIC])
        sbuf_printf(out, "var<private> lmem: array<u32, %u>;\n",
                    w->local_bytes ? w->local_bytes / 4 : 1);
    if (w->counts)
        sbuf_printf(out, "override loop_budget: u32 = %u;\nvar<private> turns: u32;\n", o->budget);
    if (w->private)
        sbuf_puts(out, "var<private> my_thread: vec3<u32>;\nvar<private> my_block: vec3<u32>;\n"
                       "var<private> my_grid: vec3<u32>;\nvar<private> my_index: u32;\n");
}

static bool emit(struct back_job *job)
{
    static const struct wgsl_options defaults;
    struct wgsl w = {.job = job,
                     .options = job->options.own ? job->options.own : &defaults,
                     .arena = job->arena,
                     .module = job->module};
    struct sbuf launches, functions;
    sbuf_init(&launches, job->arena);
    sbuf_init(&functions, job->arena);
    w.out = &functions;
    const uint32_t lanes = w.options->subgroups;
    if (lanes && (lanes < 4 || lanes > 128 || lanes & (lanes - 1))) {
        diag_error(job->diag, span_at(0, 0),
                   "wgsl: subgroups have 4, 8, 16, 32, 64 or 128 threads");
        return false;
    }
    map_init(&w.helper_seen, job->arena);
    map_init(&w.shared_offset, job->arena);
    map_init(&w.heap_offset, job->arena);
    map_init(&w.func_name, job->arena);
    map_init(&w.func_number, job->arena);
    map_init(&w.dispatchers, job->arena);
    map_init(&w.bound, job->arena);
    map_init(&w.programs, job->arena);
    w.globals = lower_names(job->arena, w.module->names, reserved);
    wgsl_reserve_helpers(w.globals);
    if (!wgsl_lower(&w))
        return false;
    VEC(struct wgsl_kernel) kernels = {0};
    ir_each_func (f, w.module) {
        if (!f->first)
            continue;
        if ((f->flags & IR_FUNC_KERNEL) && job->options.kernel &&
            strcmp(job->options.kernel, f->name))
            continue;
        if (w.deep && !(f->flags & IR_FUNC_KERNEL))
            continue; /* all that is called is in the kernels */
        const char *name = lower_name(w.globals, f->name);
        map_set(&w.func_name, map_key(f), (void *)name);
        w.failed |= waits_in_calls(&w, f);
        if (w.options->bindings[0] && f->flags & IR_FUNC_KERNEL && !wgsl_bind(&w, f))
            return false;
        scan(&w, f);
        if (f->flags & IR_FUNC_KERNEL) {
            struct wgsl_kernel k = {.func = f, .symbol = name};
            vec_push(job->arena, &kernels, k);
        }
    }
    if (w.failed)
        return false;
    /* what shapes the module must be known before the first function is written */
    struct region_tree **trees = arena_array(job->arena, struct region_tree *, kernels.len + 1);
    for (size_t k = 0; k < kernels.len; k++) {
        if (!wgsl_lower_kernel(&w, &kernels.data[k]))
            return false;
        trees[k] = w.tree;
    }
    w.alone = w.func_name.len == 1;
    reserve_in_functions(&w);
    map_each (e, &w.func_name) {
        struct ir_func *f = (struct ir_func *)(uintptr_t)e->key;
        if (!(f->flags & IR_FUNC_KERNEL))
            write_function(&w, f);
    }
    for (size_t k = 0; k < kernels.len; k++) {
        write_launch(&w, &kernels.data[k], &launches);
        w.tree = trees[k];
        write_kernel(&w, &kernels.data[k]);
        struct back_kernel info = {
            .name = kernels.data[k].func->name,
            .symbol = kernels.data[k].symbol,
            .param_bytes = kernels.data[k].func->param_bytes,
            .static_shared = w.shared_bytes,
            .local_bytes = w.local_bytes,
        };
        vec_push(job->arena, &job->kernels, info);
    }
    describe(&w, kernels.data, kernels.len, job->out);
    write_dispatchers(&w);
    if (map_has(&w.helper_seen, map_key(intern_z(w.module->names, "param_word"))))
        write_param_word(&w, kernels.data, kernels.len);
    write_head(&w, job->out);
    sbuf_put(job->out, launches.data, launches.len);
    sbuf_put(job->out, functions.data, functions.len);
    wgsl_put_helpers(&w, job->out);
    return !w.failed;
}

_Static_assert(sizeof((struct wgsl_options *)0)->bindings == BACK_MOST_BYTES,
               "bindings are such bytes");
static const struct back_option options[] = {
    BACK_OPTION("block", BACK_SHAPE, wgsl_options, block, NULL, NULL),
    BACK_OPTION("shared", BACK_NUMBER, wgsl_options, dynamic_shared, NULL, NULL),
    BACK_OPTION("bindings", BACK_BYTES, wgsl_options, bindings, NULL, NULL),
    BACK_OPTION("f16", BACK_FLAG, wgsl_options, f16, NULL, "for devices with shader-f16"),
    BACK_OPTION("checked", BACK_FLAG, wgsl_options, checked, NULL,
                "accesses outside of every buffer are errors"),
    BACK_OPTION("budget", BACK_NUMBER, wgsl_options, budget, "N",
                "stop a thread whose loops take more iterations than this"),
    BACK_OPTION("subgroups", BACK_NUMBER, wgsl_options, subgroups, "N",
                "warp operations by subgroups of N threads where they fit (32)"),
};

const struct back_target back_wgsl = {
    .name = "wgsl",
    .about = "WebGPU's shading language",
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct wgsl_options),
    .supports = wgsl_supports,
    .prepare = wgsl_prepare,
    .emit = emit,
};
