/* The WebAssembly target: what it takes, and the module around the functions.
 *
 * Each kernel becomes a function of one thread; an exported function of the kernel's name runs a
 * launch, block by block and thread by thread (text/launch.ir). Where threads wait for each other,
 * a kernel saves itself and returns, and the launcher calls it again: lower_suspend. The ABI is
 * told in doc/wasm-abi.md. */
#include <string.h>
#include "back/wasm/wasm_int.h"

static const struct {
    enum ir_op op;
    const char *why;
} refused[] = {
    {IR_OP_clock, "WebAssembly has no clock"},
    {IR_OP_barrier_arrive, "barriers that only arrive are not done yet"},
    {IR_OP_check, "checkers run on the CPU and in the interpreter"},
    {IR_OP_launch, "kernels cannot start kernels here"},
};

enum back_support wasm_supports(enum ir_op op, ir_type type, const char **why)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (refused[k].op == op) {
            *why = refused[k].why;
            return BACK_NO;
        }
    if (ir_is_vector(type) && !wasm_has_lanes(type)) {
        *why = "vectors of less than 4 or more than 32 lanes";
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
    case IR_OP_prmt:
    case IR_OP_dp4a:
    case IR_OP_udp4a:
    case IR_OP_fshl:
    case IR_OP_fshr: return BACK_LOWERED; /* lower_expand */
    case IR_OP_umulhi:
    case IR_OP_smulhi: return ir_bits(type) == 64 ? BACK_LOWERED : BACK_YES;
    case IR_OP_barrier:
    case IR_OP_barrier_red:
    case IR_OP_warpsync:
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_match:
    case IR_OP_redux:
    case IR_OP_activemask: return BACK_LOWERED; /* lower_suspend */
    case IR_OP_mma: return BACK_LOWERED;        /* lower_matrices */
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq: return BACK_LOWERED;      /* lower_textures */
    case IR_OP_gridsync: return BACK_LOWERED; /* grid_barriers */
    default: return BACK_YES;
    }
}

bool wasm_refuse(struct wasm *w, const struct ir_inst *i, const char *why)
{
    diag_error(w->job->diag, i->span, "wasm: '%s' in @%s cannot be expressed: %s",
               ir_op_info[i->op].name, w->func->name, why);
    w->failed = true;
    return false;
}

uint8_t wasm_type(ir_type t)
{
    if (ir_is_vector(t))
        return WASM_V128;
    switch (ir_kind(t)) {
    case IR_I64: return WASM_I64;
    case IR_F32: return WASM_F32;
    case IR_F64: return WASM_F64;
    default: return WASM_I32;
    }
}

uint32_t wasm_index(struct wasm *w, struct ir_func *f)
{
    uintptr_t index = (uintptr_t)map_get(&w->func_index, map_key(f));
    if (!index) {
        vec_push(w->arena, &w->queue, f);
        index = w->nimports + w->queue.len;
        map_set(&w->func_index, map_key(f), (void *)index);
    }
    return (uint32_t)index;
}

uint32_t wasm_pointer(struct wasm *w, struct ir_func *f)
{
    return 2 * wasm_index(w, f);
}

/* ---- sections ---- */

uint32_t wasm_signature(struct wasm *w, const ir_type *params, uint32_t n, ir_type ret)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    sbuf_putc(&b, 0x60);
    wasm_uleb(&b, n);
    for (uint32_t k = 0; k < n; k++)
        sbuf_putc(&b, (char)wasm_type(params[k]));
    sbuf_putc(&b, ret != IR_VOID);
    if (ret != IR_VOID)
        sbuf_putc(&b, (char)wasm_type(ret));
    const char *text = intern(w->module->names, b.data, b.len);
    for (size_t k = 0; k < w->types.len; k++)
        if (w->types.data[k] == text)
            return (uint32_t)k;
    vec_push(w->arena, &w->types, text);
    return (uint32_t)w->types.len - 1;
}

uint32_t wasm_signature_of(struct wasm *w, const struct ir_func *f)
{
    if (f->flags & IR_FUNC_KERNEL)
        return wasm_signature(w, NULL, 0, IR_VOID);
    ir_type *types = arena_array(w->arena, ir_type, f->params.len + 1);
    for (size_t k = 0; k < f->params.len; k++)
        types[k] = f->params.data[k].type;
    return wasm_signature(w, types, (uint32_t)f->params.len, f->ret);
}

void wasm_section(struct sbuf *out, unsigned id, const struct sbuf *body)
{
    sbuf_putc(out, (char)id);
    wasm_uleb(out, body->len);
    sbuf_put(out, body->data, body->len);
}

void wasm_name(struct sbuf *b, const char *s)
{
    wasm_uleb(b, strlen(s));
    sbuf_puts(b, s);
}

/* Function n is element n + 1, so that no function is null. */
void wasm_table(struct sbuf *out, struct arena *a, uint32_t count)
{
    struct sbuf b;
    sbuf_init(&b, a);
    wasm_uleb(&b, 1);
    sbuf_putc(&b, 0x70);
    sbuf_putc(&b, 0);
    wasm_uleb(&b, count + 1);
    wasm_section(out, 4, &b);
}

void wasm_elements(struct sbuf *out, struct arena *a, uint32_t count)
{
    struct sbuf b;
    sbuf_init(&b, a);
    wasm_uleb(&b, 1);
    sbuf_putc(&b, 0);
    sbuf_putc(&b, (char)OP_I32_CONST);
    sbuf_putc(&b, 1);
    sbuf_putc(&b, (char)OP_END);
    wasm_uleb(&b, count);
    for (uint32_t k = 0; k < count; k++)
        wasm_uleb(&b, k);
    wasm_section(out, 9, &b);
}

void wasm_globals(struct sbuf *out, struct arena *a)
{
    struct sbuf b;
    const uint32_t globals = wasm_own(WASM_OWN_END);
    sbuf_init(&b, a);
    wasm_uleb(&b, globals);
    for (uint32_t k = 0; k < globals; k++) {
        sbuf_putc(&b, (char)WASM_I32);
        sbuf_putc(&b, 1);
        sbuf_putc(&b, (char)OP_I32_CONST);
        sbuf_putc(&b, 0);
        sbuf_putc(&b, (char)OP_END);
    }
    wasm_section(out, 6, &b);
}

/* ---- functions ---- */

struct kernel {
    struct ir_func *func, *body; /* the body is a thread's, or a whole block's */
    uint32_t frame_bytes;
    uint32_t stack_bytes;
    uint32_t lanes;
    uint32_t row;    /* whole blocks: the function that does a row of them */
    bool together;   /* its blocks wait for each other */
    uint32_t shared; /* its own static shared memory */
};

/* What the runtime of whole programs asks: see doc/wasm-abi.md. */
static void describe_limits(const struct wasm *w, const struct kernel *k, struct json_writer *j)
{
#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
    if (!w->options->base)
        return;
    json_key(j, "shared");
    json_uint(j, k->shared);
    json_key(j, "threads");
    json_uint(j, k->func->max_threads);
#else
    (void)w, (void)k, (void)j;
#endif
}

static bool waits_in_call(struct wasm *w, struct ir_func *f)
{
    struct ir_inst *i = f->flags & IR_FUNC_KERNEL ? NULL : lower_first_wait(f);
    if (!i)
        return false;
    w->func = f;
    wasm_refuse(w, i, "it waits for other threads in a function that was not inlined");
    return true;
}

/* Are there pointers to functions? They mean something in one module only. */
static bool takes_functions(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b) {
                for (uint32_t k = 0; k < i->nargs; k++)
                    if (i->args[k]->kind == IR_VALUE_FUNC)
                        return true;
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        if (i->edges[e].args[k]->kind == IR_VALUE_FUNC)
                            return true;
            }
    ir_each_global (g, m)
        for (size_t r = 0; r < g->relocs.len; r++)
            if (g->relocs.data[r].target->kind == IR_VALUE_FUNC)
                return true;
    return false;
}

enum { RUN_THREADS = 16384 }; /* of a row at once: what caches hold of some rows beside it */

static uint32_t number_of(void *w, struct ir_func *f)
{
    return wasm_pointer(w, f);
}

void wasm_data_section(struct wasm *w, struct sbuf *out)
{
    struct sbuf b, one;
    uint32_t n = 0;
    sbuf_init(&b, w->arena);
    sbuf_init(&one, w->arena);
    ir_each_global (g, w->module) {
        if (g->space == IR_SPACE_SHARED || (!g->init && !g->relocs.len))
            continue;
        const uint8_t *bytes = back_initial(w->arena, g, &w->global_offset, w->first, number_of, w);
        sbuf_putc(&one, 0);
        sbuf_putc(&one, (char)OP_I32_CONST);
        uint32_t at = w->first + (uint32_t)(uintptr_t)map_get(&w->global_offset, map_key(g));
        struct sbuf *code = w->code;
        w->code = &one;
        one.len--; /* wasm_i32 writes the opcode itself */
        wasm_i32(w, at);
        w->code = code;
        sbuf_putc(&one, (char)OP_END);
        wasm_uleb(&one, g->size);
        sbuf_put(&one, bytes, g->size);
        n++;
    }
    if (!n)
        return;
    wasm_uleb(&b, n);
    sbuf_put(&b, one.data, one.len);
    wasm_section(out, 11, &b);
}

/* Beside the kernels there is one export, which a kernel may be named like. */
static const char *export_name(struct wasm *w, const struct ir_func *f)
{
    return strcmp(f->name, "memory") ? f->name : arena_printf(w->arena, "%s.kernel", f->name);
}

/* The description for launchers, in a section of its own. */
static void describe(struct wasm *w, const struct kernel *kernels, size_t n, uint64_t heap,
                     struct sbuf *out)
{
    const uint32_t *block = w->options->block;
    struct sbuf b;
    struct json_writer j;
    sbuf_init(&b, w->arena);
    wasm_name(&b, "tern");
    json_begin(&j, &b, false);
    back_describe(&j, heap, w->shared_bytes);
    json_key(&j, "threads");
    json_bool(&j, w->options->threads);
    json_key(&j, "pointers");
    json_bool(&j, w->pointers);
    json_key(&j, "kernels");
    json_array(&j);
    for (size_t k = 0; k < n; k++) {
        struct ir_func *f = kernels[k].func;
        json_object(&j);
        back_describe_kernel(&j, f, export_name(w, f));
        json_key(&j, "frame");
        json_uint(&j, kernels[k].frame_bytes == WASM_WHOLE_BLOCK ? 0 : kernels[k].frame_bytes);
        json_key(&j, "stack");
        json_uint(&j, kernels[k].stack_bytes);
        json_key(&j, "lanes");
        json_uint(&j, kernels[k].lanes);
        describe_limits(w, &kernels[k], &j);
        if (kernels[k].together) {
            json_key(&j, "together");
            json_bool(&j, true);
        }
        if (block[0] && kernels[k].body != f) { /* for blocks of this shape only */
            json_key(&j, "block");
            json_array(&j);
            for (int axis = 0; axis < 3; axis++)
                json_uint(&j, block[axis]);
            json_end(&j);
        }
        json_end(&j);
    }
    json_end(&j);
    back_describe_globals(&j, w->module, &w->global_offset, w->first, NULL, NULL);
    json_end(&j);
    wasm_section(out, 0, &b);
}

static bool takes_runs(const struct kernel *k) /* of blocks that follow each other in x */
{
    return k->body->params.len > k->func->params.len;
}

/* All blocks of a row, from the one that the launcher has set: a call through the table for each of
 * them costs as much as a small block does. */
static void write_row(struct wasm *w, const struct kernel *k, struct sbuf *out)
{
    enum { X, MOST, RUN };
    const uint32_t at = wasm_own(WASM_SREG + 4 * IR_SREG_CTAID_X), run = wasm_own(WASM_RUN),
                   end = wasm_own(WASM_ROW_END);
    struct sbuf b;
    sbuf_init(&b, w->arena);
    w->code = &b;
    wasm_uleb(&b, 1);
    wasm_uleb(&b, 3);
    sbuf_putc(&b, (char)WASM_I32);
    wasm_local(w, OP_GLOBAL_GET, at);
    wasm_local(w, OP_LOCAL_SET, X);
    wasm_local(w, OP_GLOBAL_GET, run);
    wasm_local(w, OP_LOCAL_SET, MOST);
    wasm_op(w, OP_LOOP);
    sbuf_putc(&b, 0x40);
    if (takes_runs(k)) {
        wasm_local(w, OP_LOCAL_GET, MOST);
        wasm_local(w, OP_GLOBAL_GET, end);
        wasm_local(w, OP_LOCAL_GET, X);
        wasm_op(w, OP_I32_SUB);
        wasm_local(w, OP_LOCAL_TEE, RUN);
        wasm_local(w, OP_LOCAL_GET, MOST);
        wasm_local(w, OP_LOCAL_GET, RUN);
        wasm_op(w, OP_I32_LT_U);
        wasm_op(w, OP_SELECT);
        wasm_local(w, OP_LOCAL_TEE, RUN);
        wasm_local(w, OP_GLOBAL_SET, run);
    }
    wasm_local(w, OP_CALL, wasm_index(w, k->body) - 1);
    wasm_local(w, OP_LOCAL_GET, X);
    wasm_local(w, OP_LOCAL_GET, takes_runs(k) ? RUN : MOST);
    wasm_op(w, OP_I32_ADD);
    wasm_local(w, OP_LOCAL_TEE, X);
    wasm_local(w, OP_GLOBAL_SET, at);
    wasm_local(w, OP_LOCAL_GET, X);
    wasm_local(w, OP_GLOBAL_GET, end);
    wasm_op(w, OP_I32_LT_U);
    wasm_local(w, OP_BR_IF, 0);
    wasm_op(w, OP_END);
    wasm_op(w, OP_END);
    wasm_uleb(out, b.len);
    sbuf_put(out, b.data, b.len);
}

/* The exported function of a kernel: (launch) → status. */
static void write_entry(struct wasm *w, const struct kernel *k, struct sbuf *out)
{
    const uint32_t *block = w->options->block; /* known if it runs */
    struct sbuf b;
    sbuf_init(&b, w->arena);
    w->code = &b;
    wasm_uleb(&b, 0);
    wasm_local(w, OP_LOCAL_GET, 0);
    wasm_op(w, OP_I32_LOAD); /* the stack */
    wasm_uleb(&b, 2);
    wasm_uleb(&b, 64);
    wasm_local(w, OP_GLOBAL_SET, 0);
    wasm_local(w, OP_LOCAL_GET, 0);
    wasm_i32(w, k->row ? 2 * k->row : wasm_pointer(w, k->body));
    wasm_i32(w, k->frame_bytes);
    wasm_i32(w, w->shared_bytes);
    wasm_i32(w, k->together ? 0 : takes_runs(k) ? RUN_THREADS / block[0] : 1);
    wasm_local(w, OP_CALL, wasm_index(w, ir_func_find(w->module, "tern.run")) - 1);
    wasm_op(w, OP_END);
    wasm_uleb(out, b.len);
    sbuf_put(out, b.data, b.len);
}

#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
/* The other one gives it its first value, too. */
static void place(struct wasm *w, const struct back_place *p)
{
    struct ir_global *g = ir_global_find(w->module, p->name);
    if (!g)
        return;
    map_set(&w->global_offset, map_key(g), (void *)(uintptr_t)(p->at - w->first));
    g->init = NULL;
    g->relocs.len = 0;
}
#endif

typedef VEC(struct kernel) kernel_list;

static void find_kernels(struct wasm *w, kernel_list *kernels)
{
    const char *wanted = w->job->options.kernel;
    ir_each_func (f, w->module)
        if (f->first && (f->flags & IR_FUNC_KERNEL) && (!wanted || !strcmp(wanted, f->name))) {
            struct kernel k = {.func = f};
#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
            struct map offsets;
            map_init(&offsets, w->arena);
            k.shared = lower_kernel_shared_layout(w->arena, f, &offsets);
#endif
            vec_push(w->arena, kernels, k);
        }
}

/* Gives each kernel its body: all threads of a block, or one. */
static bool choose_bodies(struct wasm *w, kernel_list *kernels)
{
    vec_each (struct kernel, k, kernels) {
        k->together = wasm_is_together(k->func);
        k->lanes = 1;
        struct ir_func *block = NULL;
        if (!k->together && !wasm_vectorize(w, k->func, &block, &k->lanes))
            return false;
        k->body = block ? block : k->func;
        k->frame_bytes = block ? WASM_WHOLE_BLOCK : 0;
        wasm_index(w, k->body);
    }
    wasm_index(w, ir_func_find(w->module, "tern.run"));
    ir_each_global (g, w->module)
        for (size_t r = 0; r < g->relocs.len; r++)
            if (g->relocs.data[r].target->kind == IR_VALUE_FUNC)
                wasm_index(w, g->relocs.data[r].target->u.func);
    return true;
}

/* What has been written of the module: bodies, and the types of as many functions. */
struct written {
    struct sbuf code, functions;
    uint32_t count; /* those that are called through the table; the kernels' entries follow */
};

static void tell_of_body(struct wasm *w, struct kernel *k)
{
    const uint32_t frame = w->frame_bytes;
    if (k->frame_bytes != WASM_WHOLE_BLOCK)
        k->frame_bytes = frame;
    k->stack_bytes = w->alloca_bytes + WASM_STACK;
    struct back_kernel info = {.name = k->func->name,
                               .symbol = export_name(w, k->func),
                               .param_bytes = k->body->param_bytes,
                               .static_shared = w->shared_bytes,
                               .local_bytes = frame};
    vec_push(w->arena, &w->job->kernels, info);
}

static bool write_functions(struct wasm *w, kernel_list *kernels, struct written *o)
{
    for (size_t n = 0; n < w->queue.len; n++) { /* grows as functions call others */
        struct ir_func *f = w->queue.data[n];
        if (!f->first || waits_in_call(w, f)) {
            if (!f->first)
                diag_error(w->job->diag, f->span, "wasm: @%s is not defined", f->name);
            return false;
        }
        wasm_uleb(&o->functions, wasm_signature_of(w, f));
        bool may_wait = false; /* threads do: a whole block's lanes do not wait for each other */
        vec_each (struct kernel, k, kernels) {
            may_wait |= k->func == f && k->body == f;
            if (k->body == f)
                w->own_params = (uint32_t)k->func->params.len;
        }
        if (!wasm_lower_func(w, f, may_wait))
            return false;
        wasm_function(w, &o->code);
        vec_each (struct kernel, k, kernels)
            if (k->body == f)
                tell_of_body(w, k);
    }
    o->count = (uint32_t)w->queue.len;
    return true;
}

/* What runs the blocks of a row, and what a launch calls. */
static void write_entries(struct wasm *w, kernel_list *kernels, struct written *o)
{
    vec_each (struct kernel, k, kernels)
        if (k->frame_bytes == WASM_WHOLE_BLOCK) {
            wasm_uleb(&o->functions, wasm_signature_of(w, k->body));
            write_row(w, k, &o->code);
            k->row = ++o->count;
        }
    ir_type launch = IR_I32;
    uint32_t entry_type = wasm_signature(w, &launch, 1, IR_I32);
    vec_each (struct kernel, k, kernels) {
        wasm_uleb(&o->functions, entry_type);
        write_entry(w, k, &o->code);
    }
}

static void import_memory(struct wasm *w, uint64_t pages, struct sbuf *out)
{
    const bool threads = w->options->threads;
    struct sbuf b;
    sbuf_init(&b, w->arena);
    wasm_uleb(&b, 1);
    wasm_name(&b, "tern");
    wasm_name(&b, "memory");
    sbuf_putc(&b, 2);
    sbuf_putc(&b, threads ? 3 : 0); /* shared memory says how far it may grow */
    wasm_uleb(&b, pages);
    if (threads)
        wasm_uleb(&b, 65536);
    wasm_section(out, 2, &b);
}

static void write_exports(struct wasm *w, kernel_list *kernels, uint32_t count, struct sbuf *out)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    wasm_uleb(&b, kernels->len + 1);
    wasm_name(&b, "memory");
    sbuf_putc(&b, 2);
    wasm_uleb(&b, 0);
    for (size_t k = 0; k < kernels->len; k++) {
        wasm_name(&b, export_name(w, kernels->data[k].func));
        sbuf_putc(&b, 0);
        wasm_uleb(&b, count + k);
    }
    wasm_section(out, 7, &b);
}

/* The sections, in the order of their numbers. */
static void write_module(struct wasm *w, kernel_list *kernels, const struct written *o,
                         uint64_t heap)
{
    struct sbuf *out = w->job->out, b;
    const uint32_t total = o->count + (uint32_t)kernels->len;
    const uint64_t pages = (heap + WASM_BEYOND + 65535) / 65536;
    const bool imported = w->job->options.beside || w->options->threads || w->options->base;
    sbuf_put(out, "\0asm\1\0\0\0", 8);
    describe(w, kernels->data, kernels->len, heap, out);
    sbuf_init(&b, w->arena);
    wasm_uleb(&b, w->types.len);
    for (size_t k = 0; k < w->types.len; k++)
        sbuf_put(&b, w->types.data[k], intern_len(w->types.data[k]));
    wasm_section(out, 1, &b);
    if (imported)
        import_memory(w, pages, out);
    b.len = 0;
    wasm_uleb(&b, total);
    sbuf_put(&b, o->functions.data, o->functions.len);
    wasm_section(out, 3, &b);
    wasm_table(out, w->arena, o->count);
    if (!imported) {
        b.len = 0;
        wasm_uleb(&b, 1);
        sbuf_putc(&b, 0);
        wasm_uleb(&b, pages);
        wasm_section(out, 5, &b);
    }
    wasm_globals(out, w->arena);
    write_exports(w, kernels, o->count, out);
    wasm_elements(out, w->arena, o->count);
    b.len = 0;
    wasm_uleb(&b, total);
    sbuf_put(&b, o->code.data, o->code.len);
    wasm_section(out, 10, &b);
    if (!w->job->options.beside)
        wasm_data_section(w, out);
}

static bool emit(struct back_job *job)
{
    static const struct wasm_options defaults;
    struct wasm w = {.job = job,
                     .options = job->options.own ? job->options.own : &defaults,
                     .arena = job->arena,
                     .module = job->module};
    map_init(&w.func_index, w.arena);
    map_init(&w.shared_offset, w.arena);
    map_init(&w.global_offset, w.arena);
    w.shared_bytes = lower_shared_layout(w.module, &w.shared_offset);
    w.first = w.options->base ? w.options->base : WEB_HEADER;
    if (wasm_is_host(&w))
        return wasm_host_module(&w);
    uint64_t heap = w.first + lower_global_layout(w.module, &w.global_offset);
    heap = (heap + 255) & ~(uint64_t)255;
#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
    for (size_t k = 0; k < job->options.nplaces; k++)
        place(&w, &job->options.places[k]);
#endif
    w.pointers = takes_functions(w.module);
    if (!wasm_lower(&w))
        return false;
    kernel_list kernels = {0};
    struct written o = {0};
    sbuf_init(&o.code, w.arena);
    sbuf_init(&o.functions, w.arena);
    find_kernels(&w, &kernels);
    if (!choose_bodies(&w, &kernels) || !write_functions(&w, &kernels, &o))
        return false;
    write_entries(&w, &kernels, &o);
    if (w.failed)
        return false;
    write_module(&w, &kernels, &o, heap);
    return true;
}

static const struct back_option options[] = {
    BACK_OPTION("gang", BACK_LANES, wasm_options, gang, "N",
                "threads that run as lanes of vectors; 1: none"),
    BACK_OPTION("block", BACK_SHAPE, wasm_options, block, NULL, NULL),
    BACK_OPTION("threads", BACK_FLAG, wasm_options, threads, NULL,
                "for threads that share the memory"),
    BACK_OPTION("checked", BACK_FLAG, wasm_options, checked, NULL,
                "accesses outside of every buffer are errors"),
    BACK_OPTION("base", BACK_NUMBER, wasm_options, base, NULL, NULL),
    BACK_OPTION("relaxed", BACK_FLAG, wasm_options, relaxed, NULL,
                "for engines with relaxed SIMD, which fuse"),
};

const struct back_target back_wasm = {
    .name = "wasm",
    .about = "WebAssembly",
    .binary = true,
    .rolled = true,
    .page = true,
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct wasm_options),
    .supports = wasm_supports,
    .prepare = wasm_prepare,
    .emit = emit,
};
