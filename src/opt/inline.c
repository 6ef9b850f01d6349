/* Inlining: calls are replaced by the body of what they call, callees before callers.
 *
 * Everything that is small, called once, given constants alone or addresses of local variables, or
 * marked inline goes in; recursion and noinline do not.
 * The callee's local memory moves to the caller's entry; where the call can run more than once, it
 * is zeroed again each time, as fresh memory would be. */
#include "opt/opt_int.h"

/* What goes in, in instructions. A processor's calls are cheap and its code is read through a
 * cache, so host code takes in less, and a function does not grow without bound: what registers it
 * gets is worked out over the whole of it. */
static const struct limits {
    uint32_t small, sharing, known, once, caller;
    uint32_t unfolded; /* a function that calls itself, with copies of itself in it */
} device_limits = {160, 1000, 1500, 6000, 40000, 0}, host_limits = {80, 300, 300, 1000, 3000, 240};

/* What is known of a function; of its body until that changes. */
struct facts {
    uint32_t calls, size;
    bool sized, recursive, visited;
};

struct inliner {
    bool all; /* everything but recursion */
    const struct limits *limits;
    struct arena *a;
    struct ir_module *m;
    struct map facts; /* by ir_func */
};

static struct facts *facts(struct inliner *n, const struct ir_func *f)
{
    struct facts *x = map_get(&n->facts, map_key(f));
    if (!x) {
        x = arena_new(n->a, struct facts);
        map_set(&n->facts, map_key(f), x);
    }
    return x;
}

static void count_calls(struct inliner *n)
{
    ir_each_func (f, n->m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_call)
                    facts(n, i->callee)->calls++;
}

static struct facts *measured(struct inliner *n, const struct ir_func *f)
{
    struct facts *x = facts(n, f);
    if (x->sized)
        return x;
    x->sized = true;
    x->recursive = false;
    x->size = 0;
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next) {
            x->size++;
            x->recursive |= i->op == IR_OP_call && i->callee == f;
        }
    return x;
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
    const struct ir_func *f = call->callee;
    const struct limits *most = n->limits;
    if (!f->first || f == caller || f->flags & IR_FUNC_KERNEL)
        return false;
    const struct facts *x = measured(n, f);
    if (n->all)
        return !x->recursive;
    if (f->flags & IR_FUNC_NOINLINE || x->recursive || caller_size > most->caller)
        return false;
    return f->flags & IR_FUNC_INLINE || x->size <= most->small ||
           (x->calls == 1 && x->size <= most->once) || (x->size <= most->known && is_known(call)) ||
           (x->size <= most->sharing && shares_locals(call));
}

/* ---- where control comes again ---- */
enum { UNSEEN, OPEN, CLOSED };
struct walk {
    struct ir_block *block;
    uint32_t edge, order, low;
};

/* By block id: can control come back to it? Tarjan's strongly connected components, without
 * recursion: functions can have as many blocks as they like. */
static bool *repeated_blocks(struct arena *a, struct ir_func *f)
{
    ir_renumber(f);
    bool *again = arena_array(a, bool, f->nblocks + 1);
    uint32_t *order = arena_array(a, uint32_t, f->nblocks + 1), next = 0;
    uint8_t *state = arena_array(a, uint8_t, f->nblocks + 1);
    VEC(struct walk) path = {0};
    VEC(struct ir_block *) open = {0};
    vec_push(a, &path, ((struct walk){f->first, 0, 0, 0}));
    while (path.len) {
        struct walk *w = &path.data[path.len - 1];
        const uint32_t id = w->block->id;
        if (state[id] == UNSEEN) {
            state[id] = OPEN;
            w->order = w->low = order[id] = next++;
            vec_push(a, &open, w->block);
        }
        const struct ir_inst *t = ir_terminator(w->block);
        if (t && w->edge < t->nedges) {
            struct ir_block *to = t->edges[w->edge++].to;
            if (state[to->id] == UNSEEN)
                vec_push(a, &path, ((struct walk){to, 0, 0, 0}));
            else if (state[to->id] == OPEN && order[to->id] < w->low)
                w->low = order[to->id];
            again[id] |= to == w->block;
            continue;
        }
        if (w->low == w->order) {
            const bool cycle = open.data[open.len - 1] != w->block;
            struct ir_block *b;
            do {
                b = vec_pop(&open);
                state[b->id] = CLOSED;
                again[b->id] |= cycle;
            } while (b != w->block);
        }
        const uint32_t low = w->low;
        path.len--;
        if (path.len && low < path.data[path.len - 1].low)
            path.data[path.len - 1].low = low;
    }
    return again;
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

typedef VEC(struct ir_block *) block_list;

static block_list blocks_of(struct arena *a, const struct ir_func *f)
{
    block_list all = {0};
    ir_each_block (b, f)
        vec_push(a, &all, b);
    return all;
}

struct seam { /* where a call was */
    struct ir_block *before, *after;
};

static struct seam split_at(struct ir_inst *call)
{
    struct seam s = {.before = call->block};
    s.after = ir_block_split(call, "after");
    s.after->id = s.before->id; /* to who asks whether control comes again */
    s.after->rare = s.before->rare;
    return s;
}

/* The call becomes a jump to the copies of `body` that `twins` knows. What the call gave is
 * forwarded: whoever is done with a round of these replaces it. */
static void enter_copy(struct ir_func *caller, struct ir_inst *call, struct seam s,
                       const block_list *body, struct map *twins, bool again)
{
    struct ir_func *f = call->callee;
    ir_remove(call);
    struct ir_value *result = NULL;
    if (call->nresults) {
        result = ir_block_param(s.after, call->results[0].type, call->results[0].name);
        call->results[0].forward = result;
    }
    bool ours = in_our_headers(f->module, f->span) && !in_our_headers(f->module, call->span);
    for (size_t k = 0; k < body->len && ours; k++)
        show_at_call(map_get(twins, map_key(body->data[k])), call->span);
    struct ir_block *entry = map_get(twins, map_key(body->data[0]));
    struct ir_builder b = ir_builder_at_end(s.before);
    b.span = call->span;
    ir_build_br(&b, entry, call->args, call->nargs);
    for (size_t k = 0; k < body->len; k++) {
        struct ir_block *c = map_get(twins, map_key(body->data[k]));
        struct ir_inst *t = ir_terminator(c);
        if (!t || t->op != IR_OP_ret)
            continue;
        struct ir_builder at = ir_builder_before(t);
        at.span = t->span;
        ir_build_br(&at, s.after, t->args, t->nargs);
        ir_remove(t);
    }
    move_allocas(caller, entry, again);
}

/* Returns where the caller goes on. */
static struct ir_block *inline_call(struct arena *a, struct ir_func *caller, struct ir_inst *call,
                                    bool again)
{
    const block_list body = blocks_of(a, call->callee);
    const struct seam s = split_at(call);
    struct map twins;
    map_init(&twins, a);
    opt_clone_blocks(&twins, caller, s.before, body.data, body.len);
    enter_copy(caller, call, s, &body, &twins, again);
    return s.after;
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

bool opt_may_inline_again(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            for (const struct ir_inst *i = b->first; i; i = i->next)
                if (known_callee(i))
                    return true;
    return false;
}

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

struct round {
    struct arena *a;
    uint32_t size; /* of the caller, as it grows */
    bool any, known;
    bool *repeated; /* by block id; NULL: not asked yet */
};

static struct ir_block *take_in(struct inliner *n, struct round *r, struct ir_func *f,
                                struct ir_inst *call)
{
    const bool memory = has_allocas(call->callee);
    if (memory && !r->repeated)
        r->repeated = repeated_blocks(r->a, f);
    r->size += measured(n, call->callee)->size;
    r->known |= is_known(call);
    r->any = true;
    return inline_call(r->a, f, call, memory && r->repeated[call->block->id]);
}

static struct ir_inst *wanted_call(struct inliner *n, const struct round *r,
                                   const struct ir_func *f, struct ir_block *b)
{
    for (struct ir_inst *i = b->first; i; i = i->next)
        if (i->op == IR_OP_call && wants(n, f, i, r->size))
            return i;
    return NULL;
}

/* Calls in what was taken in are for the next round, which numbers its blocks. */
static void inline_round(struct inliner *n, struct round *r, struct ir_func *f)
{
    r->any = false;
    r->size = opt_size(f);
    r->repeated = NULL;
    for (struct ir_block *b = f->first, *next; b; b = next) {
        struct ir_inst *call = wanted_call(n, r, f, b);
        next = call ? take_in(n, r, f, call) : b->next;
    }
    if (r->any)
        ir_replace_forwarded(f);
}

/* A function that calls itself gets copies of itself for these calls, all made before one is
 * entered: fewer calls. */
static bool unfold_once(struct inliner *n, struct arena *a, struct ir_func *f)
{
    VEC(struct ir_inst *) calls = {0};
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call && i->callee == f)
                vec_push(a, &calls, i);
    if (!calls.len || opt_size(f) * (1 + calls.len) > n->limits->unfolded)
        return false;
    const bool memory = has_allocas(f), *repeated = repeated_blocks(a, f);
    const block_list body = blocks_of(a, f);
    struct map *twins = arena_array(a, struct map, calls.len);
    for (size_t k = 0; k < calls.len; k++) {
        map_init(&twins[k], a);
        opt_clone_blocks(&twins[k], f, f->last, body.data, body.len);
    }
    for (size_t k = 0; k < calls.len; k++) {
        const bool again = memory && repeated[calls.data[k]->block->id];
        enter_copy(f, calls.data[k], split_at(calls.data[k]), &body, &twins[k], again);
    }
    ir_replace_forwarded(f);
    return true;
}

static void unfold(struct inliner *n, struct arena *a, struct ir_func *f)
{
    const uint32_t not_these = IR_FUNC_NOINLINE | IR_FUNC_KERNEL;
    if (n->all || !n->limits->unfolded || f->flags & not_these || !measured(n, f)->recursive)
        return;
    while (unfold_once(n, a, f)) {
        settle(a, f);
        facts(n, f)->sized = false;
    }
}

static void inline_into(struct inliner *n, struct ir_func *f)
{
    struct arena scratch;
    arena_init(&scratch, n->a->mem);
    struct round r = {.a = &scratch, .any = true};
    bool changed = false;
    for (unsigned k = 0; r.any && k < 1000; k++) {
        call_directly(n, f);
        inline_round(n, &r, f);
        changed |= r.any;
    }
    if (n->limits == &host_limits ? changed : r.known && !n->all)
        settle(&scratch, f);
    if (changed)
        facts(n, f)->sized = false;
    unfold(n, &scratch, f);
    arena_free(&scratch);
}

static void visit(struct inliner *n, struct ir_func *f)
{
    struct facts *x = facts(n, f);
    if (x->visited)
        return;
    x->visited = true;
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

void opt_inline(struct arena *a, struct ir_module *m, enum opt_inlining how)
{
    struct arena scratch;
    arena_init(&scratch, a->mem);
    struct inliner n = {.a = &scratch,
                        .m = m,
                        .all = how == OPT_INLINE_ALL,
                        .limits = how == OPT_INLINE_HOST ? &host_limits : &device_limits};
    map_init(&n.facts, &scratch);
    count_calls(&n);
    ir_each_func (f, m)
        visit(&n, f);
    arena_free(&scratch);
}
