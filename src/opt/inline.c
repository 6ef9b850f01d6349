/* Inlining: calls are replaced by the body of what they call, callees before callers.
 *
 * Everything that is small, called once, given constants alone or addresses of local variables, or
 * marked inline goes in; recursion and noinline do not.
 * The callee's local memory moves to the caller's entry; where the call can run more than once, it
 * is zeroed again each time, as fresh memory would be. */
#include "opt/opt_int.h"

enum { SMALL = 160, SHARING = 1000, KNOWN = 1500, ONCE = 6000, LARGEST_CALLER = 40000 };

struct inliner {
    bool all; /* everything but recursion */
    struct arena *a;
    struct ir_module *m;
    struct map calls; /* ir_func → number of call sites */
    struct map state; /* ir_func → being visited, or done */
};

static void count_calls(struct inliner *n)
{
    ir_each_func (f, n->m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_call)
                    map_set(&n->calls, map_key(i->callee),
                            (void *)((uintptr_t)map_get(&n->calls, map_key(i->callee)) + 1));
}

static bool calls_itself(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call && i->callee == f)
                return true;
    return false;
}

/* A value of constants, as pow(0.5, 23): little of the body is left, or nothing. */
static bool is_known(const struct ir_inst *call)
{
    bool known = call->nargs && call->nresults;
    for (uint32_t k = 0; k < call->nargs; k++)
        known &= ir_is_const(call->args[k]);
    return known;
}

/* Is it given the address of a local variable? Inlined, that may be registers. */
static bool shares_locals(const struct ir_inst *call)
{
    for (uint32_t k = 0; k < call->nargs; k++) {
        const struct ir_value *x = call->args[k];
        while (x->kind == IR_VALUE_RESULT &&
               (x->u.inst->op == IR_OP_cvta || x->u.inst->op == IR_OP_ptradd))
            x = x->u.inst->args[0];
        if (x->kind == IR_VALUE_RESULT && x->u.inst->op == IR_OP_alloca)
            return true;
    }
    return false;
}

static bool wants(struct inliner *n, const struct ir_func *caller, const struct ir_inst *call,
                  uint32_t caller_size)
{
    struct ir_func *f = call->callee;
    if (n->all)
        return f->first && f != caller && !calls_itself(f) && !(f->flags & IR_FUNC_KERNEL);
    if (!f->first || f == caller || f->flags & (IR_FUNC_NOINLINE | IR_FUNC_KERNEL))
        return false;
    if (calls_itself(f) || caller_size > LARGEST_CALLER)
        return false;
    if (f->flags & IR_FUNC_INLINE)
        return true;
    uint32_t size = opt_size(f);
    bool once = (uintptr_t)map_get(&n->calls, map_key(f)) == 1;
    return size <= SMALL || (once && size <= ONCE) || (size <= KNOWN && is_known(call)) ||
           (size <= SHARING && shares_locals(call));
}

/* Can control come back to b? */
static bool is_repeated(struct arena *a, const struct ir_func *f, struct ir_block *b)
{
    struct map seen;
    VEC(struct ir_block *) work = {0};
    (void)f;
    map_init(&seen, a);
    vec_push(a, &work, b);
    while (work.len) {
        struct ir_inst *t = ir_terminator(vec_pop(&work));
        for (uint32_t k = 0; t && k < t->nedges; k++) {
            struct ir_block *to = t->edges[k].to;
            if (to == b)
                return true;
            if (!map_has(&seen, map_key(to))) {
                map_set(&seen, map_key(to), to);
                vec_push(a, &work, to);
            }
        }
    }
    return false;
}

static bool has_allocas(const struct ir_func *f)
{
    for (const struct ir_inst *i = f->first->first; i; i = i->next)
        if (i->op == IR_OP_alloca)
            return true;
    return false;
}

static void move_allocas(struct ir_func *f, struct ir_block *entry, bool again)
{
    ir_each_inst (i, entry) {
        if (i->op != IR_OP_alloca)
            continue;
        struct ir_value *to = ir_build_alloca(f, i->imm, i->align, i->results[0].name);
        to->u.inst->flags = i->flags;
        if (again) {
            struct ir_builder b = ir_builder_before(i);
            b.span = i->span;
            struct ir_value *args[3] = {to, ir_const(f->module, IR_I8, 0),
                                        ir_const(f->module, IR_I64, i->imm)};
            struct ir_inst *zero = ir_build(&b, IR_OP_memset, IR_VOID, args, 3);
            zero->align = i->align;
            zero->flags = i->flags & IR_UNSET;
        }
        i->results[0].forward = to;
        ir_remove(i);
    }
}

static bool in_our_headers(const struct ir_module *m, struct span at)
{
    const struct source_file *file =
        m->sources && at.loc ? source_file_at(m->sources, source_expanded(m->sources, at.loc))
                             : NULL;
    return file && file->system;
}

/* What comes from our own headers happens, to the user, where it was called. */
static void show_at_call(struct ir_block *b, struct span call)
{
    for (struct ir_inst *i = b->first; i; i = i->next)
        i->span = call;
}

/* What the call gave is forwarded: whoever is done with a round of these replaces it. */
static void inline_call(struct inliner *n, struct ir_func *caller, struct ir_inst *call)
{
    struct ir_func *f = call->callee;
    struct ir_block *before = call->block;
    bool again = has_allocas(f) && is_repeated(n->a, caller, before);
    struct ir_block *after = ir_block_split(call, "after");
    ir_remove(call);
    struct ir_value *result = NULL;
    if (call->nresults) {
        result = ir_block_param(after, call->results[0].type, call->results[0].name);
        call->results[0].forward = result;
    }
    VEC(struct ir_block *) body = {0};
    ir_each_block (b, f)
        vec_push(n->a, &body, b);
    struct map twins;
    map_init(&twins, n->a);
    opt_clone_blocks(&twins, caller, before, body.data, body.len);
    bool ours = in_our_headers(f->module, f->span) && !in_our_headers(f->module, call->span);
    for (size_t k = 0; k < body.len && ours; k++)
        show_at_call(map_get(&twins, map_key(body.data[k])), call->span);
    struct ir_block *entry = map_get(&twins, map_key(f->first));
    struct ir_builder b = ir_builder_at_end(before);
    b.span = call->span;
    ir_build_br(&b, entry, call->args, call->nargs);
    for (size_t k = 0; k < body.len; k++) {
        struct ir_block *c = map_get(&twins, map_key(body.data[k]));
        struct ir_inst *t = ir_terminator(c);
        if (!t || t->op != IR_OP_ret)
            continue;
        struct ir_builder at = ir_builder_before(t);
        at.span = t->span;
        ir_build_br(&at, after, t->args, t->nargs);
        ir_remove(t);
    }
    move_allocas(caller, entry, again);
}

/* The function that a call through a pointer is known to reach by now; NULL: it is not. */
static struct ir_func *known_callee(const struct ir_inst *i)
{
    if (i->op != IR_OP_call_ptr || i->args[0]->kind != IR_VALUE_FUNC)
        return NULL;
    struct ir_func *f = i->args[0]->u.func;
    bool fits = f->first && f->ret == i->type && f->params.len == i->nargs - 1;
    for (uint32_t k = 1; fits && k < i->nargs; k++)
        fits = f->params.data[k - 1].type == i->args[k]->type;
    return fits ? f : NULL;
}

static void visit(struct inliner *n, struct ir_func *f);

/* Pointers to functions that were arguments of templates, or of functions that are inlined now. */
static void call_directly(struct inliner *n, struct ir_func *f)
{
    VEC(struct ir_func *) callees = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct ir_func *callee = known_callee(i);
            if (!callee)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_value *v = ir_build_call(&at, callee, i->args + 1, i->nargs - 1);
            if (v)
                i->results[0].forward = v;
            ir_remove(i);
            vec_push(n->a, &callees, callee);
        }
    if (callees.len)
        ir_replace_forwarded(f); /* before a callee takes this in */
    vec_each (struct ir_func *, c, &callees)
        visit(n, *c);
}

/* Until nothing more falls away: what is left decides whether callers take it in. */
static void settle(struct arena *a, struct ir_func *f)
{
    uint32_t before;
    do {
        before = opt_size(f);
        opt_sroa(a, f);
        opt_simplify(a, f);
        opt_cfg(a, f);
        opt_dce(a, f);
    } while (opt_size(f) < before);
}

static void inline_into(struct inliner *n, struct ir_func *f)
{
    bool again = true, known = false;
    for (unsigned round = 0; again && round < 1000; round++) {
        again = false;
        call_directly(n, f);
        uint32_t size = opt_size(f);
        ir_each_block (b, f) {
            ir_each_inst (i, b)
                if (i->op == IR_OP_call && wants(n, f, i, size)) {
                    size += opt_size(i->callee);
                    known |= is_known(i);
                    inline_call(n, f, i);
                    again = true;
                    break; /* the rest of the block is a block of its own now */
                }
        }
        if (again)
            ir_replace_forwarded(f);
    }
    if (known && !n->all)
        settle(n->a, f);
}

static void visit(struct inliner *n, struct ir_func *f)
{
    if (map_has(&n->state, map_key(f)))
        return;
    map_set(&n->state, map_key(f), f);
    VEC(struct ir_func *) callees = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call)
                vec_push(n->a, &callees, i->callee);
    vec_each (struct ir_func *, c, &callees)
        visit(n, *c);
    if (f->first)
        inline_into(n, f);
}

void opt_inline(struct arena *a, struct ir_module *m, unsigned level)
{
    struct arena scratch;
    arena_init(&scratch, a->mem);
    struct inliner n = {.a = &scratch, .m = m, .all = level >= OPT_INLINE_ALL};
    map_init(&n.calls, &scratch);
    map_init(&n.state, &scratch);
    count_calls(&n);
    ir_each_func (f, m)
        visit(&n, f);
    arena_free(&scratch);
}
