/* Functions to IR: which variables live in registers, parameters, constructors and destructors; and
 * the work list that reaches everything the kernels use. */
#include "front/cuda/lower/lower.h"

/* ---- which variables have their address taken ---- */

static void mark(struct expr *e);
static void mark_stmt(struct stmt *s);

/* e is used as a place that must be in memory. */
static void mark_place(struct expr *e)
{
    switch (e->kind) {
    case EX_VAR:
        if (!cu_is_ref(e->u.var->d.type))
            e->u.var->address_taken = true;
        break;
    case EX_COND:
        mark(e->a);
        mark_place(e->b);
        mark_place(e->c);
        break;
    case EX_COMMA:
        mark(e->a);
        mark_place(e->b);
        break;
    case EX_UPCAST:
    case EX_DOWNCAST:
    case EX_BITCAST:
    case EX_MEMBER:
        if (e->cat != CAT_PR || e->kind == EX_MEMBER)
            mark_place(e->a);
        else
            mark(e->a);
        break;
    case EX_ASSIGN:
    case EX_COMPOUND:
        mark_place(e->a);
        mark(e->b);
        break;
    case EX_INCDEC: mark_place(e->a); break;
    default: mark(e); break;
    }
}

/* A reference to e is kept: also to what was just changed, f(++x). */
static void mark_bound(struct expr *e)
{
    if (e && e->cat != CAT_PR)
        mark_place(e);
    else
        mark(e);
}

/* e's value is used; a variable directly below a load or an assignment may stay in a register. */
static void mark(struct expr *e)
{
    if (!e)
        return;
    switch (e->kind) {
    case EX_VAR: mark_place(e); return;
    case EX_LOAD:
        if (e->a->kind != EX_VAR || e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY)
            mark_place(e->a);
        return;
    case EX_ASSIGN:
    case EX_COMPOUND:
        if (e->a->kind != EX_VAR || e->type->kind == TY_CLASS)
            mark_place(e->a);
        mark(e->b);
        return;
    case EX_INCDEC:
        if (e->a->kind != EX_VAR)
            mark_place(e->a);
        return;
    case EX_ADDR:
    case EX_DECAY: mark_place(e->a); return;
    case EX_CAST:
        if (e->type->kind == TY_VOID && e->a->kind == EX_VAR)
            return;
        mark(e->a);
        return;
    case EX_STMT: mark_stmt(e->u.body); return;
    case EX_INIT:
        for (size_t i = 0; i < e->u.init.n; i++)
            mark(e->u.init.items[i].value);
        return;
    case EX_COND:
        mark(e->a);
        if (e->cat == CAT_PR) {
            mark(e->b);
            mark(e->c);
        } else {
            mark_place(e->b);
            mark_place(e->c);
        }
        return;
    case EX_MEMBER: mark_place(e->a); return;
    case EX_MEMPTR_REF:
        mark_place(e->a);
        mark(e->b);
        return;
    case EX_CALL:
        if (e->b)
            mark_place(e->b);
        mark(e->a);
        for (size_t i = 0; i < e->nargs; i++)
            mark_bound(e->args[i]);
        return;
    default:
        mark(e->a);
        mark(e->b);
        if (e->kind == EX_LAUNCH)
            for (size_t i = 0; i < e->c->nargs; i++)
                mark(e->c->args[i]);
        else
            mark(e->c);
        for (size_t i = 0; i < e->nargs; i++)
            mark_bound(e->args[i]);
        return;
    }
}

static void mark_full(struct expr *e)
{
    if (!e)
        return;
    if (e->kind == EX_VAR) /* x; */
        return;
    mark(e);
}

static void mark_var(struct var *v)
{
    if (v && v->init && v->storage != VAR_GLOBAL)
        mark_bound(v->init);
}

static void mark_stmt(struct stmt *s)
{
    for (; s; s = s->next) {
        mark_var(s->var);
        if (s->kind == STMT_EXPR)
            mark_full(s->cond);
        else
            mark_bound(s->cond);
        mark_full(s->step);
        mark_stmt(s->init);
        mark_stmt(s->body);
        mark_stmt(s->other);
        if (s->assembly) {
            for (size_t i = 0; i < s->assembly->nout; i++)
                if (s->assembly->out[i].value->kind != EX_VAR)
                    mark_place(s->assembly->out[i].value);
            for (size_t i = 0; i < s->assembly->nin; i++)
                mark(s->assembly->in[i].value);
        }
    }
}

static bool finds_goto(const struct stmt *s);

static bool jumps(const struct stmt *s)
{
    return s->kind == STMT_GOTO || s->kind == STMT_LABEL || finds_goto(s->init) ||
           finds_goto(s->body) || finds_goto(s->other);
}

static bool finds_goto(const struct stmt *s)
{
    while (s && !jumps(s))
        s = s->next;
    return s;
}

/* ---- variables ---- */

static bool in_register(const struct lower *l, struct var *v)
{
    struct type *t = v->d.type;
    if (cu_is_ref(t))
        return true; /* the address it holds */
    return cu_is_scalar(t) && !v->address_taken && !(t->quals & QUAL_VOLATILE) && !lo_steps(l);
}

static void place_var(struct lower *l, struct var *v)
{
    v->ir_owner = l->serial;
    v->ssa = 0;
    v->ir = NULL;
    if (in_register(l, v)) {
        lo_write(l, v, ir_const(l->m, cu_ir_type(v->d.type), 0));
        return;
    }
    uint64_t size = cu_sizeof(l->f, v->d.type, v->d.span);
    uint32_t align = cu_alignof(l->f, v->d.type, v->d.span);
    if (v->align > align)
        align = v->align;
    v->ir = lo_unset(l, size, align, v->d.name);
    lo_tell_local(l, v, v->ir);
}

/* The local that all returns give, if its life ends with the function's. */
static struct var *named_result(const struct lower *l, const struct func *fn)
{
    struct var *v = fn->named_result;
    if (!v || fn->other_result || !l->result_ptr || !fn->ast)
        return NULL;
    const struct stmt *s = fn->ast->body;
    while (s && !(s->kind == STMT_DECL && s->var == v) && !jumps(s))
        s = s->next;
    return s && s->kind == STMT_DECL ? v : NULL;
}

static void place_result(struct lower *l, struct var *v)
{
    v->ir_owner = l->serial;
    v->ssa = 0;
    v->ir = l->result_ptr;
    lo_tell_reference(l, v, v->ir);
}

void lo_local(struct lower *l, struct var *v)
{
    if (cu_host(l->f) && v->storage == VAR_GLOBAL && !v->alias)
        lo_host_static(l, v);
    if (v->storage == VAR_GLOBAL || v->alias)
        return; /* made when it is used */
    if (v->d.span.loc)
        l->b.span = v->d.span;
    struct type *t = v->d.type;
    struct cleanup *save = l->cleanups;
    if (cu_is_ref(t)) {
        place_var(l, v);
        if (v->init) {
            /* A temporary bound to a reference lives as long as the reference: its cleanup stays.
             */
            struct place p = lo_place(l, v->init);
            if (!p.ptr)
                cu_error(l->f, v->d.span, "internal: a reference to a register variable");
            struct ir_value *x = lo_generic(l, p.ptr);
            lo_write(l, v, x);
            lo_tell_reference(l, v, x);
        }
        return;
    }
    if (in_register(l, v)) {
        struct ir_value *x = lo_known(l, v);
        if (!x)
            x = v->init && v->init->kind != EX_UNINIT ? lo_value(l, v->init)
                                                      : ir_const(l->m, cu_ir_type(t), 0);
        v->ir_owner = l->serial;
        v->ssa = 0;
        v->ir = NULL;
        lo_write(l, v, x);
        lo_pop_cleanups(l, save);
        return;
    }
    const bool result = v == l->named_result;
    if (result)
        place_result(l, v);
    else
        place_var(l, v);
    struct place p = {.ptr = v->ir,
                      .align = cu_alignof(l->f, t, v->d.span),
                      .is_volatile = t->quals & QUAL_VOLATILE};
    if (v->init && v->init->kind != EX_UNINIT)
        lo_into(l, v->init, p);
    lo_pop_cleanups(l, save);
    lo_push_cleanup(l, t, v->ir, false);
    if (result && l->cleanups != save) /* the caller's, once it is returned */
        l->cleanups->only_thrown = true;
}

/* ---- functions ---- */

static void bind_params(struct lower *l, struct func *fn, struct ir_block *entry)
{
    struct type *r = fn->is_ctor || fn->is_dtor ? cu_type(l->f, TY_VOID) : fn->d.type->elem;
    size_t next = 0;
    if (r->kind == TY_CLASS || r->kind == TY_ARRAY)
        l->result_ptr = entry->params.data[next++];
    if (fn->cls && !fn->is_static)
        l->this_value = entry->params.data[next++];
    if (lo_has_tables(fn))
        lo_begin_tables(l, fn->cls, entry->params.data[next++]);
    lo_tell_this(l);
    for (size_t i = 0; i < fn->param_vars.len; i++) {
        struct var *v = fn->param_vars.data[i];
        struct ir_value *x = entry->params.data[next++];
        struct type *t = v->d.type;
        v->ir_owner = l->serial;
        v->ssa = 0;
        v->ir = NULL;
        if (t->kind == TY_CLASS || t->kind == TY_ARRAY) {
            if (ir_space(x->type) == IR_SPACE_PARAM &&
                !v->grid_constant) { /* a kernel's: copied, unless it is only read */
                uint64_t size = cu_sizeof(l->f, t, v->d.span);
                uint32_t align = cu_alignof(l->f, t, v->d.span);
                struct ir_value *copy = lo_unset(l, size, align, v->d.name);
                struct place to = {.ptr = copy, .align = align}, from = {.ptr = x, .align = align};
                lo_copy(l, to, from, t);
                v->ir = copy;
                lo_tell_local(l, v, copy);
            } else {
                v->ir = x;
                lo_tell_reference(l, v, x);
            }
            continue;
        }
        if (in_register(l, v)) {
            lo_write(l, v, x);
            if (cu_is_ref(t))
                lo_tell_reference(l, v, x);
        } else {
            place_var(l, v);
            struct place p = {.ptr = v->ir, .align = cu_alignof(l->f, t, v->d.span)};
            lo_store(l, p, t, x);
        }
    }
    if (cu_host(l->f) && lo_reads_rest(l, fn))
        l->rest = entry->params.data[next];
}

static void init_field(struct lower *l, struct func *fn, struct mem_init *m, struct place *p)
{
    const struct class_info *c = fn->cls;
    struct type *ft = m->field->d.type;
    uint64_t off = 0;
    for (struct field *x = m->field; x; x = x->outer) {
        cu_layout(l->f, x->cls, fn->d.span);
        off += x->offset;
    }
    p->ptr = lo_offset(l, p->ptr, (int64_t)off);
    p->align = c->packed ? 1 : cu_is_ref(ft) ? 8 : cu_alignof(l->f, ft, fn->d.span);
    if (cu_is_ref(ft)) {
        lo_bind_ref(l, m->init, *p);
    } else if (m->field->is_bitfield) {
        p->bits = m->field;
        lo_store(l, *p, ft, lo_value(l, m->init));
    } else {
        lo_into(l, m->init, *p);
    }
}

/* Where a base lies, and the tables that it is made with; NULL where it has none. */
struct base_part {
    struct place at;
    struct ir_value *tables;
};

static struct base_part base_part(struct lower *l, struct func *fn, struct mem_init *m)
{
    struct class_info *c = fn->cls;
    struct base_path path = {0};
    struct base_part b = {.at = {.align = m->base->own_align}};
    if (m->base != c)
        cu_find_base(c, m->base, &path, NULL);
    if (m->virtual_base)
        path.offset = cu_virtual_offset(c, m->base);
    b.at.ptr = lo_offset(l, l->this_value, (int64_t)path.offset);
    if (m->base->vbases.len)
        b.tables = m->base == c ? l->given_tables : lo_base_tables(l, m->base, m->virtual_base);
    return b;
}

static void init_base(struct lower *l, struct mem_init *m, const struct base_part *b)
{
    if (!b->tables) {
        lo_into(l, m->init, b->at);
        return;
    }
    if (m->init->kind != EX_CONSTRUCT)
        cu_error(l->f, m->init->span,
                 "a base with virtual bases can only be made by a constructor");
    if (m->init->flag) /* no further than it reaches: what follows may be made already */
        lo_zero_bytes(l, b->at, m->base->data_size);
    lo_construct_part(l, m->init, b->at, b->tables);
}

static void member_init(struct lower *l, struct func *fn, struct mem_init *m,
                        const struct base_part *b)
{
    struct place p = {.ptr = l->this_value, .align = fn->cls->own_align};
    struct cleanup *save = l->cleanups;
    if (m->field) {
        init_field(l, fn, m, &p);
    } else {
        p = b->at;
        init_base(l, m, b);
    }
    lo_pop_cleanups(l, save);
    if (!cu_host(l->f) || (m->field && cu_is_ref(m->field->d.type)) || fn->cls->is_union)
        return;
    lo_push_undo(l, CLEANUP_DESTROY, m->field ? m->field->d.type : m->base->type, p.ptr);
    if (l->cleanups != save && !m->field)
        l->cleanups->tables = b->tables;
}

/* The virtual bases, where the object is a whole one. Where they are is said before: what is thrown
 * later has to know it. */
static struct mem_init *virtual_inits(struct lower *l, struct func *fn)
{
    struct mem_init *m = fn->inits;
    if (!m || !m->virtual_base)
        return m;
    struct base_part *parts = arena_array(l->f->a, struct base_part, fn->cls->vbases.len + 1);
    size_t n = 0;
    for (struct mem_init *v = m; v && v->virtual_base; v = v->next)
        parts[n++] = base_part(l, fn, v);
    struct ir_value *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "whole"), *done = lo_block(l, "whole_end");
    lo_condbr(l, l->is_whole, yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    for (n = 0; m && m->virtual_base; m = m->next)
        member_init(l, fn, m, &parts[n++]);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    return m;
}

void lo_member_inits(struct lower *l, struct func *fn)
{
    struct class_info *c = fn->cls;
    bool vptrs = false, delegates = false;
    cu_layout(l->f, c, fn->d.span);
    for (struct mem_init *m = fn->inits; m; m = m->next)
        delegates |= m->base == c && !c->is_union;
    if (c->vbases.len && !delegates) /* the arguments of bases may reach virtual ones */
        lo_store_vptrs(l, c, l->this_value);
    for (struct mem_init *m = virtual_inits(l, fn); m; m = m->next) {
        if (!m->base && !vptrs) {
            lo_store_vptrs(l, c, l->this_value);
            vptrs = true;
        }
        const struct base_part b = m->base ? base_part(l, fn, m) : (struct base_part){0};
        member_init(l, fn, m, &b);
    }
    if (!vptrs && !delegates)
        lo_store_vptrs(l, c, l->this_value);
}

static void destroy_virtual(struct lower *l, struct class_info *c)
{
    struct class_info **order = cu_virtual_order(l->f, c);
    size_t n = c->vbases.len;
    struct ir_value *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "whole"), *done = lo_block(l, "whole_end");
    lo_condbr(l, l->is_whole, yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    while (n-- > 0)
        lo_destroy_part(l, order[n],
                        lo_offset(l, l->this_value, (int64_t)cu_virtual_offset(c, order[n])),
                        order[n]->vbases.len ? lo_base_tables(l, order[n], true) : NULL);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
}

static void destroy_members(struct lower *l, struct func *fn)
{
    struct class_info *c = fn->cls;
    cu_layout(l->f, c, fn->d.span);
    size_t n = 0;
    struct field **fields = arena_array(l->f->a, struct field *, c->nfields + 1);
    for (struct field *fd = c->fields; fd; fd = fd->next)
        fields[n++] = fd;
    while (n-- > 0)
        if (!cu_is_ref(fields[n]->d.type) && !c->is_union)
            lo_destroy(l, fields[n]->d.type,
                       lo_offset(l, l->this_value, (int64_t)fields[n]->offset));
    for (size_t i = c->bases.len; i-- > 0;) {
        const struct base_class *b = &c->bases.data[i];
        if (!b->is_virtual)
            lo_destroy_part(l, b->cls, lo_offset(l, l->this_value, (int64_t)b->offset),
                            b->cls->vbases.len ? lo_base_tables(l, b->cls, false) : NULL);
    }
    if (c->vbases.len)
        destroy_virtual(l, c);
}

static void begin(struct lower *l, struct ir_func *fn, struct func *func)
{
    l->fn = fn;
    l->func = func;
    l->serial++;
    l->this_value = l->result_ptr = l->loop_index = l->rest = NULL;
    l->named_result = NULL;
    l->cleanups = NULL;
    l->unwind = NULL;
    l->jumps = NULL;
    l->labels = NULL;
    l->lists = NULL;
    l->seen_from = l->seen_to = 0;
    ir_ssa_begin(&l->ssa, l->f->a, l->m);
    l->in_cond = false;
    l->case_block = NULL;
    l->has_goto = l->has_switch = false;
}

/* Blocks without an end are never reached. */
static void finish(struct lower *l)
{
    if (cu_host(l->f))
        lo_landings(l);
    ir_each_block (b, l->fn) {
        lo_seal(l, b);
        if (!ir_terminator(b)) {
            struct ir_builder t = ir_builder_at_end(b);
            ir_build(&t, IR_OP_unreachable, IR_VOID, NULL, 0);
        }
    }
    ir_ssa_finish(&l->ssa);
    ir_replace_forwarded(l->fn);
    ir_remove_unreachable(l->fn);
    ir_each_block (b, l->fn)
        b->data = NULL;
    if (l->has_goto || l->has_switch) /* a label or a case may stand inside another statement */
        ir_reconverge_jumps(l->f->a, l->fn);
}

void lo_mark(struct expr *e)
{
    mark(e);
}

void lo_made(struct lower *l, struct ir_func *fn, void (*body)(struct lower *, void *), void *arg)
{
    struct func *none = arena_new(l->f->a, struct func);
    none->is_noexcept = true;
    begin(l, fn, none);
    struct ir_block *entry = ir_block_new(l->fn, "entry");
    lo_seal(l, entry);
    l->b = ir_builder_at_end(entry);
    body(l, arg);
    if (!lo_ended(l))
        ir_build_ret(&l->b, NULL);
    finish(l);
}

static void function(struct lower *l, struct func *fn)
{
    struct front *f = l->f;
    cu_parse_body(f, fn);
    if (fn->state != BODY_DONE || fn->flawed)
        return;
    begin(l, fn->ir, fn);
    l->b.span = fn->d.span;
    for (struct mem_init *m = fn->inits; m; m = m->next)
        mark_bound(m->init);
    mark_stmt(fn->ast);
    l->has_goto = finds_goto(fn->ast);
    struct ir_block *entry = ir_block_new(l->fn, "entry");
    lo_seal(l, entry);
    l->b = ir_builder_at_end(entry);
    l->b.span = fn->d.span;
    bind_params(l, fn, entry);
    l->named_result = named_result(l, fn);
    struct label end = {.name = NULL};
    if (fn->is_dtor) {
        end.block = lo_block(l, "members");
        end.defined = true;
        l->labels = &end;
        if (fn->cls->polymorphic)
            lo_store_vptrs(l, fn->cls, l->this_value);
    }
    struct label *first = l->labels;
    if (fn->is_ctor && !fn->whole_try)
        lo_member_inits(l, fn);
    if (fn->ast)
        lo_stmt(l, fn->ast);
    if (fn->is_dtor) {
        l->labels = first;
        lo_br(l, end.block);
        lo_seal(l, end.block);
        lo_start(l, end.block);
        l->cleanups = NULL;
        destroy_members(l, fn);
    }
    if (fn->ast && fn->ast->end && lo_steps(l)) /* what is left to do stands at the brace */
        l->b.span = span_at(fn->ast->end, 1);
    if (!lo_ended(l)) {
        if (l->fn->ret == IR_VOID)
            ir_build_ret(&l->b, NULL);
        else if (fn->ast && fn->noreturn)
            ir_build(&l->b, IR_OP_unreachable, IR_VOID, NULL, 0);
        else /* falling off the end: the value is not defined, so zero is as good */
            ir_build_ret(&l->b, ir_const(l->m, l->fn->ret, 0));
    }
    for (struct label *x = l->labels; x; x = x->next)
        if (!x->defined)
            cu_error(f, x->span, "the label '%s' is not defined", x->name);
    finish(l);
    f->job->functions++;
}

struct lower_job {
    struct lower *l;
    struct func *fn;
};

static void lower_one(struct front *f, void *arg)
{
    (void)f;
    struct lower_job *j = arg;
    function(j->l, j->fn);
}

static void lower_variables(struct front *f, void *arg)
{
    (void)f;
    lo_variables(arg);
}

static void export_functions(struct front *f, void *arg)
{
    (void)f;
    lo_export(arg);
}

static void declare_kernel(struct front *f, void *arg)
{
    struct lower_job *j = arg;
    lo_func(j->l, j->fn, j->fn->d.span);
    (void)f;
}

bool cu_lower_all(struct front *f)
{
    struct lower *l = arena_new(f->a, struct lower);
    l->f = f;
    l->m = f->job->module;
    map_init(&l->described, f->a);
    if (cu_host(f))
        return lo_host_all(l);
    cu_try(f, lower_variables, l);
    vec_each (struct func *, it, &f->kernels) {
        struct lower_job j = {l, *it};
        cu_try(f, declare_kernel, &j);
    }
    if (f->job->linked)
        cu_try(f, export_functions, l);
    size_t done = 0;
    lo_work(l, &done);
    return f->diag->errors == 0;
}

void lo_work(struct lower *l, size_t *done)
{
    struct front *f = l->f;
    for (; *done < f->work.len && !f->diag->stop; ++*done) {
        struct lower_job j = {l, f->work.data[*done]};
        struct inst_note *save = f->inst;
        f->inst = j.fn->inst;
        f->func = j.fn;
        f->scope = j.fn->scope ? j.fn->scope : f->global;
        cu_try(f, lower_one, &j);
        f->inst = save;
        f->func = NULL;
    }
}
