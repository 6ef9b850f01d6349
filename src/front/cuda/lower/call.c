/* Calls, construction, destruction, new and delete.
 *
 * The convention of functions that are not kernels: a class result is written through a pointer
 * passed first; then `this`; then the parameters, classes as pointers to copies that the caller
 * owns. */
#include "front/cuda/lower/host.h"
#include "front/cuda/lower/lower.h"

/* ---- declaring functions ---- */

bool lo_by_pointer(const struct type *t)
{
    return t->kind == TY_CLASS || t->kind == TY_ARRAY;
}

static ir_type abi_type(struct type *t)
{
    return lo_by_pointer(t) ? IR_PTR_TO(IR_SPACE_GENERIC) : cu_ir_type(t);
}

/* Host and device disagree about the size of a long double. */
static bool holds_long_double(const struct type *t)
{
    if (t->kind == TY_ARRAY)
        return holds_long_double(t->elem);
    if (t->kind != TY_CLASS)
        return t->kind == TY_LDOUBLE;
    vec_each (struct base_class, b, &t->cls->bases)
        if (holds_long_double(b->cls->type))
            return true;
    for (const struct field *fd = t->cls->fields; fd; fd = fd->next)
        if (holds_long_double(fd->d.type))
            return true;
    return false;
}

/* ns::f(int, float) */
static const char *signature(struct front *f, struct func *fn)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    sbuf_printf(&b, "%s(", cu_qualified_name(f, &fn->d));
    for (size_t i = 0; i < fn->d.type->nparams; i++)
        sbuf_printf(&b, "%s%s", i ? ", " : "", cu_type_str(f, fn->d.type->params[i]));
    sbuf_putc(&b, ')');
    return b.data;
}

struct ir_func *lo_func(struct lower *l, struct func *fn, struct span at)
{
    struct front *f = l->f;
    if (fn->ir) {
        return fn->ir;
    }
    if (cu_host(f)) {
        struct ir_func *own = lo_host_func(l, fn, at);
        if (own)
            return own;
    }
    bool kernel = fn->where & WHERE_GLOBAL;
    if (fn->auto_result && fn->state != BODY_DONE)
        cu_parse_body(f, fn);
    const bool declared_only = fn->state == BODY_NONE && !fn->is_defaulted && !fn->is_implicit &&
                               !cu_find_member_def(f, fn);
    if (declared_only && fn->lost)
        cu_error_note(f, at, fn->lost_at, fn->lost,
                      "'%s' cannot be used in device code: its definition could not be parsed",
                      cu_qualified_name(f, &fn->d));
    if (declared_only && !(f->job->linked && !fn->is_pure)) {
        if (fn->is_pure)
            cu_error_note(f, at, fn->d.span, "declared here",
                          "'%s' is pure virtual and has no body", fn->d.name);
        cu_error_note(f, at, fn->d.span, "declared here", "'%s' is used but never defined",
                      cu_qualified_name(f, &fn->d));
    }
    struct type *r = fn->is_ctor || fn->is_dtor ? cu_type(f, TY_VOID) : fn->d.type->elem;
    const char *mangled = cu_mangle_func(f, fn);
    const char *name = kernel ? cu_kernel_name(f, fn) : mangled;
    if (f->job->linked) {
        name = lo_link_name(l, name,
                            !fn->d.system && (fn->internal || strstr(mangled, "_GLOBAL__N_1")));
        struct ir_func *known = lo_link_func(l, fn, name, mangled);
        if (known)
            return known;
    }
    if (ir_func_find(l->m, name) && strcmp(name, mangled) != 0)
        name = mangled;
    uint32_t flags = kernel ? IR_FUNC_KERNEL : 0;
    if (fn->forceinline)
        flags |= IR_FUNC_INLINE;
    if (fn->noinline)
        flags |= IR_FUNC_NOINLINE;
    if (fn->is_inline || fn->tmpl || (fn->cls && fn->cls->tmpl))
        flags |= IR_FUNC_WEAK;
    if (kernel)
        flags = (flags & ~(uint32_t)IR_FUNC_WEAK) | IR_FUNC_EXPORT;
    if (fn->noreturn)
        flags |= IR_FUNC_NORETURN;
    struct ir_func *irf =
        ir_func_new(l->m, name, lo_by_pointer(r) ? IR_VOID : cu_ir_type(r), flags);
    fn->ir = irf;
    irf->mangled = strcmp(name, mangled) ? mangled : NULL;
    irf->span = fn->d.span;
    if (kernel && fn->ntargs)
        irf->display = arena_printf(f->a, "%s%s", cu_qualified_name(f, &fn->d),
                                    cu_targs_str(f, fn->targs, fn->ntargs));
    if (declared_only) /* to be named as it was written, should no file have it */
        irf->display = signature(f, fn);
    else if (irf->display && f->job->linked)
        irf->display =
            lo_link_name(l, irf->display, fn->internal || strstr(mangled, "_GLOBAL__N_1") != NULL);
    irf->max_threads = fn->max_threads;
    irf->min_blocks = fn->min_blocks;
    memcpy(irf->cluster, fn->cluster, sizeof irf->cluster);
    if (lo_by_pointer(r))
        ir_func_param(irf, "result", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
    if (fn->cls && !fn->is_static)
        ir_func_param(irf, "this", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
    if (lo_has_tables(fn))
        ir_func_param(irf, "tables", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
    for (size_t i = 0; i < fn->d.type->nparams; i++) {
        struct type *t = fn->d.type->params[i];
        const char *pname = i < fn->nparams ? fn->params[i].name : NULL;
        uint32_t pf = i < fn->nparams && fn->params[i].restrict_ ? IR_PARAM_RESTRICT : 0;
        if (t->kind == TY_POINTER && (t->elem->quals & QUAL_CONST) && pf)
            pf |= IR_PARAM_READONLY;
        if (kernel && lo_by_pointer(t))
            cu_complete(f, t, fn->d.span);
        if (kernel && t->kind == TY_CLASS && t->cls->vbases.len)
            cu_error(f, fn->d.span,
                     "parameter %zu has virtual base classes: where they lie, only its side knows",
                     i + 1);
        if (kernel && holds_long_double(t))
            cu_error(f, fn->d.span,
                     "parameter %zu holds a long double, whose size is another on the host", i + 1);
        if (kernel && lo_by_pointer(t)) {
            uint64_t size = cu_sizeof(f, t, fn->d.span);
            if (size > 32764)
                cu_error(f, fn->d.span, "parameter %zu is %llu bytes: kernels take at most 32764",
                         i + 1, (unsigned long long)size);
            ir_func_param(irf, pname, IR_PTR_TO(IR_SPACE_PARAM), 0, (uint32_t)size,
                          cu_alignof(f, t, fn->d.span));
        } else {
            if (kernel && t->kind == TY_RREF)
                cu_error(f, fn->d.span, "a kernel cannot take an rvalue reference (parameter %zu)",
                         i + 1);
            ir_func_param(irf, pname, abi_type(t), pf, 0, 0);
        }
    }
    if (cu_host(l->f) && lo_reads_rest(l, fn))
        ir_func_param(irf, "rest", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
    if (kernel)
        ir_func_layout(irf);
    if (declared_only) /* another file has it */
        return irf;
    vec_push(f->a, &f->work, fn);
    fn->queued = true;
    (void)at;
    return irf;
}

struct ir_value *lo_func_address(struct lower *l, struct func *fn, struct span at)
{
    struct ir_func *f = lo_func(l, fn, at);
    if (cu_host(l->f))
        lo_host_check_address(l, fn, at);
    return ir_func_value(f);
}

/* ---- arguments ---- */

void lo_push_arg(struct lower *l, struct lo_args *a, struct type *param, struct expr *e)
{
    struct ir_value *v;
    if (param && cu_is_ref(param)) {
        struct place p = lo_place(l, e);
        if (!p.ptr)
            cu_error(l->f, e->span, "internal: a reference to a register variable");
        v = lo_generic(l, p.ptr);
    } else if (lo_by_pointer(e->type)) {
        struct place p = lo_temp(l, e->type, "arg");
        lo_into(l, e, p);
        lo_push_cleanup(l, e->type, p.ptr, l->in_cond);
        v = lo_generic(l, p.ptr);
    } else {
        v = lo_value(l, e);
    }
    vec_push(l->f->a, a, v);
}

static struct ir_value *virtual_target(struct lower *l, struct func *fn, struct ir_value *self)
{
    struct place p = {.ptr = self, .align = 8};
    struct type *ptr = cu_pointer_to(l->f, cu_type(l->f, TY_VOID));
    struct ir_value *table = lo_load(l, p, ptr);
    const int slot = lo_virtual_slot(l, fn);
    struct place q = {.ptr = lo_offset(l, table, 8 * (int64_t)slot), .align = 8};
    return lo_load(l, q, ptr);
}

struct ir_value *lo_call(struct lower *l, struct expr *e, struct place *result)
{
    struct front *f = l->f;
    struct lo_args a = {0};
    struct type *ft;
    struct ir_value *target = NULL;
    struct ir_func *callee = NULL;
    struct ir_value *self = NULL, *v;
    bool class_result = e->cat == CAT_PR && lo_by_pointer(e->type), own_result = false;
    struct place tmp;
    if (class_result && !result) {
        tmp = lo_temp(l, e->type, "result");
        result = &tmp;
        own_result = cu_host(f); /* there the call may throw: it is made when that is over */
        if (!own_result)
            lo_push_cleanup(l, e->type, tmp.ptr, l->in_cond);
    }
    if (e->a && cu_host(f) && e->a->type->kind == TY_POINTER && e->a->type->elem->variadic) {
        v = lo_host_call(l, e, result); /* none of ours: their address is not taken */
        if (own_result)
            lo_push_cleanup(l, e->type, tmp.ptr, l->in_cond);
        return v;
    }
    if (e->a) { /* through a pointer */
        if (e->a->kind == EX_MEMPTR_REF) {
            ft = e->a->type;
            self = lo_generic(l, lo_place(l, e->a->a).ptr);
            target =
                ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_GENERIC), lo_value(l, e->a->b));
        } else {
            ft = e->a->type->elem;
            target = lo_value(l, e->a);
        }
    } else {
        struct func *fn = e->u.func;
        ft = fn->d.type;
        if (e->b) {
            struct place p = lo_place(l, e->b);
            if (!p.ptr)
                cu_error(f, e->span, "internal: a member function of a register variable");
            self = lo_generic(l, p.ptr);
        }
        if (!e->flag || !fn->is_virtual)
            callee = lo_func(l, fn, e->span);
        if (cu_host(f) && callee && lo_host_outside(l, fn)) {
            v = lo_host_call(l, e, result);
            if (own_result)
                lo_push_cleanup(l, e->type, tmp.ptr, l->in_cond);
            return v;
        }
    }
    if (class_result)
        vec_push(f->a, &a, lo_generic(l, result->ptr));
    if (self)
        vec_push(f->a, &a, self);
    if (callee && lo_has_tables(e->u.func)) { /* a destructor, called by its name */
        struct ir_value *whole = ir_const(l->m, IR_PTR_TO(IR_SPACE_GENERIC), 0);
        vec_push(f->a, &a, whole);
    }
    for (size_t i = 0; i < e->nargs; i++) {
        if (i < ft->nparams)
            lo_push_arg(l, &a, ft->params[i], e->args[i]);
        else if (!cu_host(f)) /* kernels cannot read them */
            lo_discard(l, e->args[i]);
    }
    if (cu_host(f) && ft->variadic) {
        struct ir_value *rest = lo_host_rest_args(l, e, ft->nparams);
        vec_push(f->a, &a, rest);
    }
    if (!callee && !target)
        target = virtual_target(l, e->u.func, self);
    l->b.span = e->span;
    if (callee) {
        v = ir_build_call(&l->b, callee, a.data, (uint32_t)a.len);
    } else {
        struct ir_value **all = arena_array(f->a, struct ir_value *, a.len + 1);
        all[0] = target;
        if (a.len)
            memcpy(all + 1, a.data, a.len * sizeof *all);
        ir_type rt = class_result ? IR_VOID : cu_ir_type(ft->elem);
        struct ir_inst *i = ir_build_results(&l->b, IR_OP_call_ptr, rt, all, (uint32_t)a.len + 1,
                                             &rt, rt == IR_VOID ? 0 : 1);
        v = rt == IR_VOID ? NULL : &i->results[0];
    }
    if (cu_host(f))
        lo_after_call(l, e->a ? NULL : e->u.func, callee);
    if (own_result)
        lo_push_cleanup(l, e->type, tmp.ptr, l->in_cond);
    return class_result ? result->ptr : v;
}

void lo_construct_part(struct lower *l, struct expr *e, struct place to, struct ir_value *tables)
{
    struct func *fn = e->u.func;
    struct lo_args a = {0};
    struct ir_func *callee = lo_func(l, fn, e->span);
    vec_push(l->f->a, &a, lo_generic(l, to.ptr));
    if (lo_has_tables(fn))
        vec_push(l->f->a, &a, tables);
    for (size_t i = 0; i < e->nargs; i++)
        lo_push_arg(l, &a, i < fn->d.type->nparams ? fn->d.type->params[i] : NULL, e->args[i]);
    ir_build_call(&l->b, callee, a.data, (uint32_t)a.len);
    if (cu_host(l->f))
        lo_after_call(l, fn, callee);
}

void lo_construct(struct lower *l, struct expr *e, struct place to)
{
    if (e->flag)
        lo_zero_fill(l, to, e->type);
    lo_construct_part(l, e, to, ir_const(l->m, IR_PTR_TO(IR_SPACE_GENERIC), 0));
}

/* ---- destruction ---- */

void lo_destroy_part(struct lower *l, struct class_info *c, struct ir_value *p,
                     struct ir_value *tables)
{
    if (cu_trivial_dtor(l->f, c->type))
        return;
    struct func *d = cu_find_dtor(l->f, c);
    struct ir_value *args[2] = {lo_generic(l, p), tables};
    ir_build_call(&l->b, lo_func(l, d, l->b.span), args, lo_has_tables(d) ? 2 : 1);
}

/* Objects of type t that lie in a row at p, the last one first. */
static void destroy_all(struct lower *l, struct type *t, struct ir_value *p, struct ir_value *count)
{
    struct front *f = l->f;
    uint64_t size = cu_sizeof(f, t, l->b.span);
    struct var *i = arena_new(f->a, struct var);
    i->d.kind = DECL_VAR;
    i->d.type = f->size_type;
    struct ir_value *inner = lo_split(l);
    struct ir_block *head = lo_block(l, "delete_all"), *body = lo_block(l, "delete_one"),
                    *end = lo_block(l, "delete_end");
    lo_write(l, i, count);
    lo_br(l, head);
    lo_start(l, head);
    struct ir_value *k = lo_read(l, i);
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, IR_I64, k, lo_int(l, IR_I64, 0)), body, end);
    lo_seal(l, body);
    lo_start(l, body);
    struct ir_value *less = ir_build2(&l->b, IR_OP_sub, IR_I64, k, lo_int(l, IR_I64, 1));
    lo_write(l, i, less);
    struct ir_value *off = ir_build2(&l->b, IR_OP_mul, IR_I64, less, lo_int(l, IR_I64, size));
    lo_destroy(l, t, ir_build2(&l->b, IR_OP_ptradd, p->type, p, off));
    lo_br(l, head);
    lo_seal(l, head);
    lo_seal(l, end);
    lo_start(l, end);
    lo_join(l, inner);
}

void lo_destroy(struct lower *l, struct type *t, struct ir_value *p)
{
    if (cu_trivial_dtor(l->f, t))
        return;
    if (t->kind == TY_ARRAY) {
        uint64_t size = cu_sizeof(l->f, t->elem, l->b.span);
        if (t->count > 8) {
            destroy_all(l, t->elem, p, lo_int(l, IR_I64, t->count));
            return;
        }
        for (uint64_t i = t->count; i-- > 0;)
            lo_destroy(l, t->elem, lo_offset(l, p, (int64_t)(i * size)));
        return;
    }
    lo_destroy_part(l, t->cls, p, ir_const(l->m, IR_PTR_TO(IR_SPACE_GENERIC), 0));
}

void lo_push_cleanup(struct lower *l, struct type *t, struct ir_value *p, bool conditional)
{
    if (cu_trivial_dtor(l->f, t))
        return;
    struct cleanup *c = arena_new(l->f->a, struct cleanup);
    c->type = t;
    c->ptr = p;
    c->up = l->cleanups;
    if (conditional) {
        c->flag = ir_build_alloca(l->fn, 1, 1, "made");
        /* Cleared at the start of the function's part that runs before: alloca starts zero; set
         * here. */
        ir_build_store(&l->b, c->flag, lo_int(l, IR_I1, 1), 1, 0);
    }
    l->cleanups = c;
}

static void clean_up(struct lower *l, struct cleanup *c)
{
    if (cu_host(l->f) && c->kind != CLEANUP_DESTROY)
        lo_undo(l, c);
    else if (c->tables)
        lo_destroy_part(l, c->type->cls, c->ptr, c->tables);
    else
        lo_destroy(l, c->type, c->ptr);
}

void lo_run_cleanup(struct lower *l, struct cleanup *c)
{
    if (!c->flag) {
        clean_up(l, c);
        return;
    }
    struct ir_value *made = ir_build_load(&l->b, IR_I1, c->flag, 1, 0), *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "destroy"), *done = lo_block(l, "destroyed");
    lo_condbr(l, made, yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    clean_up(l, c);
    ir_build_store(&l->b, c->flag, lo_int(l, IR_I1, 0), 1, 0);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
}

void lo_run_cleanups(struct lower *l, struct cleanup *down_to)
{
    if (lo_ended(l))
        return;
    for (struct cleanup *c = l->cleanups; c && c != down_to; c = c->up)
        if (!c->only_thrown)
            lo_run_cleanup(l, c);
}

void lo_pop_cleanups(struct lower *l, struct cleanup *down_to)
{
    lo_run_cleanups(l, down_to);
    l->cleanups = down_to;
}

/* ---- new and delete ---- */

/* The global operator of one parameter, of memory's size or its address: the program's own, or ours
 * where that will do. */
static struct func *global_operator(struct front *f, unsigned op, bool ours)
{
    struct found r = {0};
    if (!cu_host(f) || !cu_lookup_in(f, f->global, cu_operator_name(f, op), &r))
        return NULL;
    for (size_t i = 0; i < r.n; i++) {
        struct func *fn = r.decls[i]->kind == DECL_FUNC ? (struct func *)r.decls[i] : NULL;
        if (fn && (ours || !fn->d.system) && fn->body && fn->d.type->nparams == 1)
            return fn;
    }
    return NULL;
}

/* What new[] and delete[] of ours call is the program's, too. */
static struct func *program_operator(struct front *f, unsigned single, unsigned array,
                                     bool of_array)
{
    struct func *own = of_array ? global_operator(f, array, false) : NULL;
    return own ? own : global_operator(f, single, false);
}

/* An array may have no room, which operator new throws for. */
static struct ir_value *take_memory(struct lower *l, struct ir_value *bytes, bool array,
                                    struct span at)
{
    struct func *own = program_operator(l->f, OPN_NEW, OPN_NEW_ARRAY, array);
    if (!own && array)
        own = global_operator(l->f, OPN_NEW_ARRAY, true);
    if (own) {
        struct ir_func *callee = lo_func(l, own, at);
        struct ir_value *p = ir_build_call(&l->b, callee, &bytes, 1);
        lo_after_call(l, own, callee);
        return p;
    }
    return ir_build1(&l->b, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), bytes);
}

void lo_give_back(struct lower *l, struct ir_value *memory, bool array, struct span at)
{
    struct func *own = program_operator(l->f, OPN_DELETE, OPN_DELETE_ARRAY, array);
    if (own)
        ir_build_call(&l->b, lo_func(l, own, at), &memory, 1);
    else
        ir_build(&l->b, IR_OP_free, IR_VOID, &memory, 1);
}

void lo_new(struct lower *l, struct expr *e, struct ir_value **out)
{
    struct front *f = l->f;
    struct type *t = e->type->elem;
    uint64_t size = cu_sizeof(f, t, e->span);
    struct ir_value *p, *count = NULL;
    bool header = e->flag && !cu_trivial_dtor(f, t);
    if (e->b)
        count = lo_value(l, e->b);
    if (e->a) { /* placement, or operator new of the class: gives the memory */
        p = lo_pointer(l, e->a);
        header = false;
    } else {
        struct ir_value *bytes = lo_int(l, IR_I64, size ? size : 1); /* objects have an address */
        if (count)
            bytes = ir_build2(&l->b, IR_OP_mul, IR_I64, count, bytes);
        if (header) /* the number of elements, for delete[] */
            bytes = ir_build2(&l->b, IR_OP_add, IR_I64, bytes, lo_int(l, IR_I64, 16));
        p = take_memory(l, bytes, e->flag, e->span);
        if (header) {
            struct place h = {.ptr = p, .align = 8};
            lo_store(l, h, f->size_type, count);
            p = lo_offset(l, p, 16);
        }
    }
    struct cleanup *save = l->cleanups;
    struct ir_value *there = NULL; /* whether there is memory, where that is asked */
    struct ir_block *after = NULL;
    if (e->op == 2) {
        struct ir_block *got = lo_block(l, "new_got");
        after = lo_block(l, "new_done");
        there = lo_split(l);
        lo_condbr(l, ir_build2(&l->b, IR_OP_ne, p->type, p, ir_const(l->m, p->type, 0)), got,
                  after);
        lo_seal(l, got);
        lo_start(l, got);
    }
    if (cu_host(f) && !e->a)
        lo_push_undo(l, e->flag ? CLEANUP_DELETE_ARRAY : CLEANUP_DELETE, t,
                     header ? lo_offset(l, p, -16) : p);
    if (e->c && e->c->kind != EX_UNINIT) {
        if (count && e->op == 1) {
            struct place to = {.ptr = p, .align = cu_alignof(f, t, e->span)};
            lo_into(l, e->c, to);
        } else if (count) {
            /* Element by element; the initialiser is the same for each. */
            struct ir_value *made = cu_host(f) ? lo_push_elements(l, t, p) : NULL;
            struct var *i = arena_new(f->a, struct var);
            i->d.kind = DECL_VAR;
            i->d.type = f->size_type;
            struct ir_value *token = lo_split(l);
            struct ir_block *head = lo_block(l, "new"), *body = lo_block(l, "new_one"),
                            *done = lo_block(l, "new_end");
            lo_write(l, i, lo_int(l, IR_I64, 0));
            lo_br(l, head);
            lo_start(l, head);
            struct ir_value *k = lo_read(l, i);
            lo_condbr(l, ir_build2(&l->b, IR_OP_ult, IR_I64, k, count), body, done);
            lo_seal(l, body);
            lo_start(l, body);
            struct ir_value *off = ir_build2(&l->b, IR_OP_mul, IR_I64, k, lo_int(l, IR_I64, size));
            if (made)
                ir_build_store(&l->b, made, k, 8, 0);
            struct place to = {.ptr = ir_build2(&l->b, IR_OP_ptradd, p->type, p, off),
                               .align = cu_alignof(f, t, e->span)};
            lo_into(l, e->c, to);
            lo_write(l, i, ir_build2(&l->b, IR_OP_add, IR_I64, k, lo_int(l, IR_I64, 1)));
            lo_br(l, head);
            lo_seal(l, head);
            lo_seal(l, done);
            lo_start(l, done);
            lo_join(l, token);
        } else {
            struct place to = {.ptr = p, .align = cu_alignof(f, t, e->span)};
            lo_into(l, e->c, to);
        }
    }
    if (cu_host(f))
        lo_forget_undo(l, save);
    if (there) {
        lo_br(l, after);
        lo_seal(l, after);
        lo_start(l, after);
        lo_join(l, there);
    }
    *out = p;
}

void lo_delete(struct lower *l, struct expr *e)
{
    struct front *f = l->f;
    struct type *t = e->a->type->elem;
    struct ir_value *p = lo_value(l, e->a), *memory = p;
    bool destroys = t->kind != TY_VOID && !cu_trivial_dtor(f, t);
    struct ir_value *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "delete"), *done = lo_block(l, "deleted");
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, p->type, p, ir_const(l->m, p->type, 0)), yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    if (destroys && e->flag) {
        memory = lo_offset(l, p, -16);
        struct place h = {.ptr = memory, .align = 8};
        struct ir_value *count = lo_load(l, h, f->size_type);
        destroy_all(l, t, p, count);
    } else if (destroys) {
        struct func *d = cu_find_dtor(f, t->cls);
        if (d->is_virtual) { /* what is freed is the whole object, whatever p points to in it */
            struct place at = {.ptr = p, .align = 8};
            struct ir_value *table = lo_load(l, at, cu_pointer_to(f, cu_type(f, TY_VOID)));
            struct place far = {.ptr = lo_offset(l, table, -VTABLE_HEAD), .align = 8};
            memory =
                ir_build2(&l->b, IR_OP_ptradd, p->type, p, lo_load(l, far, cu_type(f, TY_LONG)));
            struct ir_value *all[2] = {virtual_target(l, d, p), p};
            ir_build_results(&l->b, IR_OP_call_ptr, IR_VOID, all, 2, NULL, 0);
        } else {
            lo_destroy(l, t, p);
        }
    }
    if (e->b) { /* operator delete of the class */
        struct ir_value *m = memory;
        ir_build_call(&l->b, lo_func(l, e->b->u.func, e->span), &m, 1);
    } else {
        lo_give_back(l, memory, e->flag, e->span);
    }
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
}

/* ---- launches from the device ---- */

struct ir_value *lo_own_global(struct lower *l, const char *name, enum ir_space space,
                               uint64_t size, uint32_t align, uint32_t flags)
{
    struct ir_global *g = ir_global_find(l->m, intern_z(l->m->names, name));
    return ir_global_value(g ? g : ir_global_new(l->m, name, space, size, align, flags));
}

struct ir_value *lo_launch_error(struct lower *l)
{
    return lo_own_global(l, "__tern_launch_error", IR_SPACE_GLOBAL, 4, 4, 0);
}

void lo_launch(struct lower *l, struct expr *e)
{
    if (cu_host(l->f)) {
        lo_host_launch(l, e);
        return;
    }
    struct ir_func *k = lo_func(l, e->u.func, e->span);
    uint32_t size = k->param_bytes ? k->param_bytes : 1;
    struct ir_value *block = ir_build_alloca(l->fn, size, 16, "params");
    for (size_t i = 0; i < e->nargs && i < k->params.len; i++) {
        struct ir_param *p = &k->params.data[i];
        struct place to = {.ptr = lo_offset(l, block, (int64_t)p->offset),
                           .align = p->byval_size ? p->byval_align : ir_bytes(p->type)};
        lo_into(l, e->args[i], to);
    }
    struct ir_value *args[10] = {ir_func_value(k)};
    for (unsigned d = 0; d < 2; d++) {
        struct place p = lo_place(l, e->c->args[d]);
        for (unsigned i = 0; i < 3; i++)
            args[1 + 3 * d + i] =
                ir_build_load(&l->b, IR_I32, lo_offset(l, p.ptr, 4 * (int64_t)i), 4, 0);
    }
    args[7] = lo_value(l, e->c->args[2]);
    struct ir_value *stream = lo_value(l, e->c->args[3]);
    args[8] = ir_class(stream->type) == IR_CLASS_PTR
                  ? ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_generic(l, stream))
                  : stream;
    if (args[8]->type != IR_I64)
        args[8] = ir_build1(&l->b, IR_OP_zext, IR_I64, args[8]);
    args[9] = lo_generic(l, block);
    struct ir_inst *launch = ir_build(&l->b, IR_OP_launch, IR_VOID, args, 10);
    /* Nobody sees its result: cudaGetLastError must. 0 is no error. */
    struct ir_value *both[2] = {lo_launch_error(l), &launch->results[0]};
    struct ir_inst *note = ir_build(&l->b, IR_OP_rmw, IR_I32, both, 2);
    note->imm = IR_RMW_UMAX;
    note->flags = IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_DEVICE);
}
