/* Variables of the host half whose first value is computed, what is destroyed at the end, and the
 * bodies of functions that no source has: see host.h.
 *
 * A variable of the program gets its value in the order of declarations; one that is only made
 * because something uses it (of our headers, of a template) before those of the program. */
#include "front/cuda/lower/lower.h"

#define PTR IR_PTR_TO(IR_SPACE_GENERIC)

static bool is_destroyed(struct lower *l, struct var *v)
{
    return !cu_is_ref(v->d.type) && !cu_trivial_dtor(l->f, v->d.type);
}

void lo_host_variable(struct lower *l, struct var *v, bool computed)
{
    struct front *f = l->f;
    const bool reference = cu_is_texture_reference(v->d.type); /* whose value is the host's */
    if (v->space != SPACE_NONE) {
        if (computed && !reference)
            cu_error(f, v->d.span, "the initialiser of '%s' has to be a constant", v->d.name);
        if (!v->is_extern)
            vec_push(f->a, &l->host->devices, v);
        if (!reference)
            return;
    }
    if (!computed && !is_destroyed(l, v))
        return;
    if (v->per_thread && !f->job->pp.page) {
        struct host_maker m = {v,
                               ir_func_new(l->m,
                                           arena_printf(f->a, "make.%zu", l->host->makers.len),
                                           IR_VOID, IR_FUNC_NOINLINE),
                               computed};
        if (cu_is_ref(v->d.type))
            cu_error(f, v->d.span, "a thread_local reference is not supported");
        ir_func_param(m.fn, "object", PTR, 0, 0, 0);
        vec_push(f->a, &l->host->makers, m);
        return;
    }
    struct host_variable r = {.var = v, .computed = computed};
    if (!v->func) {
        vec_push(f->a, &l->host->variables, r);
        return;
    }
    const char *name = arena_printf(f->a, "guard.%u", l->host->number++);
    r.guard = ir_global_value(ir_global_new(l->m, name, IR_SPACE_GLOBAL, 8, 8, 0));
    struct host_variable *keep = arena_new(f->a, struct host_variable);
    *keep = r;
    map_set(&l->host->statics, map_key(v), keep);
}

static struct ir_func *wrapper(struct lower *l, struct type *t)
{
    vec_each (struct host_wrapper, w, &l->host->wrappers)
        if (w->type == t)
            return w->fn;
    struct host_wrapper w = {
        t, ir_func_new(l->m, arena_printf(l->f->a, "destroy.%zu", l->host->wrappers.len), IR_VOID,
                       IR_FUNC_NOINLINE)};
    ir_func_param(w.fn, "object", PTR, 0, 0, 0);
    vec_push(l->f->a, &l->host->wrappers, w);
    return w.fn;
}

struct ir_value *lo_host_destroyer(struct lower *l, struct type *t)
{
    return ir_func_value(wrapper(l, t));
}

struct ir_value *lo_host_thread_var(struct lower *l, struct var *v, struct ir_value *g)
{
    if (!v->per_thread || l->f->job->pp.page)
        return g;
    struct ir_value *maker = ir_const(l->m, PTR, 0);
    vec_each (struct host_maker, m, &l->host->makers)
        if (m->var == v)
            maker = ir_func_value(m->fn);
    struct ir_value *args[] = {lo_generic(l, g),
                               lo_int(l, IR_I64, cu_sizeof(l->f, v->d.type, v->d.span)),
                               lo_int(l, IR_I64, ((struct ir_global *)v->ir)->align), maker};
    return lo_host_runtime(l, "__tern_thread_variable", PTR, args, 4);
}

static void maker_body(struct lower *l, void *arg)
{
    const struct host_maker *m = arg;
    struct ir_value *object = l->b.block->params.data[0];
    struct type *t = m->var->d.type;
    struct place to = {.ptr = object, .align = cu_alignof(l->f, t, m->var->d.span)};
    if (m->computed) {
        lo_mark(m->var->init);
        if (cu_is_scalar(t))
            lo_store(l, to, t, lo_value(l, m->var->init));
        else
            lo_into(l, m->var->init, to);
        lo_pop_cleanups(l, NULL);
    }
    if (is_destroyed(l, m->var)) {
        struct ir_value *args[] = {lo_host_destroyer(l, t), object, object};
        lo_host_runtime(l, "__cxa_thread_atexit_impl", IR_I32, args, 3);
    }
}

static void first_value(struct lower *l, const struct host_variable *r)
{
    struct var *v = r->var;
    struct type *t = v->d.type;
    struct ir_value *p = ir_global_value(v->ir);
    struct cleanup *save = l->cleanups;
    l->b.span = v->d.span;
    if (r->computed) {
        struct place to = {.ptr = p, .align = 8};
        lo_mark(v->init);
        if (cu_is_ref(t)) {
            if (v->init->kind == EX_TEMP)
                cu_error(l->f, v->d.span, "'%s' is a reference to a temporary object", v->d.name);
            lo_bind_ref(l, v->init, to);
        } else {
            to.align = cu_alignof(l->f, t, v->d.span);
            if (cu_is_scalar(t))
                lo_store(l, to, t, lo_value(l, v->init));
            else
                lo_into(l, v->init, to);
        }
        lo_pop_cleanups(l, save);
    }
    if (is_destroyed(l, v)) {
        /* Last, what it belongs to, which is never unloaded: any address but 0, which
         * ThreadSanitizer takes for atexit, and passes no object on. */
        struct ir_value *object = lo_generic(l, p);
        struct ir_value *args[] = {ir_func_value(wrapper(l, t)), object, object};
        lo_host_runtime(l, "__cxa_atexit", IR_I32, args, 3);
    }
}

void lo_host_static(struct lower *l, struct var *v)
{
    if (v->is_extern)
        return;
    lo_global(l, v, v->d.span);
    const struct host_variable *r = map_get(&l->host->statics, map_key(v));
    if (!r)
        return;
    struct ir_value *guard = lo_generic(l, r->guard);
    struct ir_value *c = lo_host_runtime(l, "__tern_guard_begin", IR_I32, &guard, 1);
    struct ir_block *yes = lo_block(l, "first"), *done = lo_block(l, "made");
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, IR_I32, c, lo_int(l, IR_I32, 0)), yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    struct cleanup *save = l->cleanups;
    lo_push_undo(l, CLEANUP_GUARD, NULL, guard);
    first_value(l, r);
    lo_forget_undo(l, save);
    lo_host_runtime(l, "__tern_guard_end", IR_VOID, &guard, 1);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
}

/* ---- bodies ---- */

/* Stores where the arguments lie, and their shapes, for the runtime. */
static void stub_body(struct lower *l, void *arg)
{
    const struct host_kernel *k = arg;
    struct front *f = l->f;
    const struct type *ft = k->fn->d.type;
    const uint64_t n = ft->nparams;
    struct ir_value *args = ir_build_alloca(l->fn, 8 * (n ? n : 1), 8, "args"),
                    *shapes = ir_build_alloca(l->fn, 8 * (n ? n : 1), 8, "shapes");
    struct ir_block *entry = l->b.block;
    for (size_t i = 0; i < n; i++) {
        struct type *t = ft->params[i];
        struct ir_value *v = entry->params.data[i], *at = v;
        uint64_t size = 8, align = 8;
        if (!cu_is_ref(t)) {
            size = cu_sizeof(f, t, k->fn->d.span);
            align = cu_alignof(f, t, k->fn->d.span);
        }
        if (!lo_by_pointer(t)) {
            at = ir_build_alloca(l->fn, size, (uint32_t)align, "value");
            ir_build_store(&l->b, at, v, (uint32_t)align, 0);
        }
        ir_build_store(&l->b, lo_offset(l, args, 8 * (int64_t)i), lo_generic(l, at), 8, 0);
        ir_build_store(&l->b, lo_offset(l, shapes, 8 * (int64_t)i),
                       lo_int(l, IR_I64, size * 4096 + align), 8, 0);
    }
    struct ir_value *all[] = {lo_generic(l, k->entry), lo_generic(l, args), lo_generic(l, shapes),
                              lo_int(l, IR_I64, n)};
    lo_host_runtime(l, "__tern_launch", IR_VOID, all, 4);
}

static void wrapper_body(struct lower *l, void *arg)
{
    const struct host_wrapper *w = arg;
    lo_destroy(l, w->type, l->b.block->params.data[0]);
}

static bool is_of_program(const struct front *f, const struct var *v)
{
    if (v->d.system)
        return false;
    vec_each (struct var *, it, &f->host_variables)
        if (*it == v)
            return true;
    return false;
}

/* Variables that are only there because they are used; those from `from` on. */
static void init_used(struct lower *l, void *arg)
{
    const size_t from = *(size_t *)arg, to = l->host->variables_done;
    for (size_t i = from; i < to; i++) {
        const struct host_variable r = l->host->variables.data[i];
        if (!is_of_program(l->f, r.var))
            first_value(l, &r);
    }
}

static void init_program(struct lower *l, void *arg)
{
    (void)arg;
    for (size_t k = 0; k < l->f->host_variables.len; k++)
        for (size_t i = 0; i < l->host->variables.len; i++) {
            const struct host_variable r = l->host->variables.data[i];
            if (r.var == l->f->host_variables.data[k] && is_of_program(l->f, r.var))
                first_value(l, &r);
        }
}

static void register_variable(struct lower *l, struct var *v)
{
    struct front *f = l->f;
    const char *name = cu_mangle_var(f, v);
    const struct str text = {name, strlen(name)};
    struct ir_global *g =
        ir_global_new(l->m, arena_printf(f->a, "variable.%s", name), IR_SPACE_GLOBAL, 56, 8, 0);
    struct ir_reloc relocs[] = {
        {.offset = 0,
         .target = lo_own_global(l, "__tern_host_unit", IR_SPACE_GLOBAL, 8, 8, IR_GLOBAL_EXTERN)},
        {.offset = 8, .target = lo_global(l, v, v->d.span)},
        {.offset = 16, .target = lo_string(l, text, text.len + 1, 1)}};
    for (unsigned i = 0; i < 3; i++)
        vec_push(f->a, &g->relocs, relocs[i]);
    uint8_t *bytes = arena_alloc(f->a, 56);
    memset(bytes, 0, 56);
    const uint64_t size = cu_sizeof(f, v->d.type, v->d.span);
    const int32_t kind = v->space == SPACE_MANAGED ? 2 : v->space == SPACE_CONSTANT;
    memcpy(bytes + 24, &size, 8);
    memcpy(bytes + 32, &kind, 4);
    g->init = bytes;
    struct ir_value *at = lo_generic(l, ir_global_value(g));
    lo_host_runtime(l, "__tern_register_variable", IR_VOID, &at, 1);
}

static void init_all(struct lower *l, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < l->host->kernels.len; i++) {
        const struct host_kernel *k = &l->host->kernels.data[i];
        struct ir_value *args[] = {lo_generic(l, k->entry), ir_func_value(k->stub)};
        if (lo_host_abi(l)->typed) /* the entry has the stub */
            lo_host_runtime(l, "__tern_register_kernel", IR_VOID, args, 1);
        else
            lo_host_runtime(l, "__tern_register_stub", IR_VOID, args, 2);
    }
    for (size_t i = 0; i < l->host->devices.len; i++)
        register_variable(l, l->host->devices.data[i]);
    for (size_t i = l->host->init.len; i-- > 0;)
        ir_build_call(&l->b, l->host->init.data[i], NULL, 0);
}

static struct ir_func *part(struct lower *l)
{
    struct ir_func *fn = ir_func_new(l->m, arena_printf(l->f->a, "init.%zu", l->host->init.len),
                                     IR_VOID, IR_FUNC_NOINLINE);
    vec_push(l->f->a, &l->host->init, fn);
    return fn;
}

/* What has been reached and has no body yet; false: nothing. */
static bool some_bodies(struct lower *l)
{
    struct lo_host *h = l->host;
    if (h->kernels_done < h->kernels.len) {
        struct host_kernel k = h->kernels.data[h->kernels_done++];
        lo_made(l, k.stub, stub_body, &k);
    } else if (h->wrappers_done < h->wrappers.len) {
        struct host_wrapper w = h->wrappers.data[h->wrappers_done++];
        lo_made(l, w.fn, wrapper_body, &w);
    } else if (h->makers_done < h->makers.len) {
        struct host_maker m = h->makers.data[h->makers_done++];
        lo_made(l, m.fn, maker_body, &m);
    } else if (h->variables_done < h->variables.len) {
        size_t from = h->variables_done;
        h->variables_done = h->variables.len;
        lo_made(l, part(l), init_used, &from);
    } else {
        return false;
    }
    return true;
}

static void rest(struct front *f, void *arg)
{
    struct lower *l = arg;
    size_t done = 0;
    lo_made(l, part(l), init_program, NULL);
    do {
        lo_work(l, &done);
    } while (!f->diag->errors && some_bodies(l));
    lo_made(l, ir_func_new(l->m, "__tern_host_init", IR_VOID, IR_FUNC_EXPORT), init_all, NULL);
    lo_drop_checks(l);
}

void lo_host_rest(struct lower *l)
{
    cu_try(l->f, rest, l);
}
