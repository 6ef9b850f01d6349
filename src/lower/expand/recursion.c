/* Recursion → an explicit stack: for targets whose functions may not call themselves.
 *
 * What is left after inlining is calls of recursive functions. Each such function is copied into
 * the kernel once. A call stores where it is to go on and jumps to the copy; a return jumps to one
 * block that reads this and goes there. What a function keeps across a call lives in its frame on a
 * stack in local memory, as do its allocas; the frame pointer is a variable. A frame starts with
 * the number of the call that made it. */
#include "lower/lower_int.h"
#include "opt/opt.h"

enum { FRAME_HEAD = 8 };

struct activation { /* the kernel, or a recursive function in it */
    struct ir_func *func;
    struct ir_block *entry;
    VEC(struct ir_block *) blocks;
    uint32_t bytes;
};

struct site { /* a call of a recursive function */
    struct activation *from, *to;
    struct ir_block *before, *after; /* the call stood at the end of `before` */
    struct ir_inst *call;
};

struct recursion {
    struct arena *arena;
    struct ir_func *kernel;
    struct ir_module *module;
    struct map activations; /* ir_func → activation */
    VEC(struct activation *) order;
    VEC(struct site) sites;
    struct ir_value *stack, *frame, *result; /* ptr.local, made in the kernel's entry */
    struct ir_block *back;                   /* where returns go */
    uint32_t stack_bytes;
};

static struct ir_value *word(struct recursion *r, uint32_t v)
{
    return ir_const(r->module, IR_I32, v);
}

static struct ir_value *frame_now(struct recursion *r, struct ir_builder *b)
{
    return ir_build_load(b, IR_I32, r->frame, 4, 0);
}

static struct ir_value *in_frame(struct recursion *r, struct ir_builder *b, struct ir_value *frame,
                                 uint32_t offset)
{
    struct ir_value *at = ir_build2(b, IR_OP_add, IR_I32, frame, word(r, offset));
    return ir_build2(b, IR_OP_ptradd, r->stack->type, r->stack,
                     ir_build1(b, IR_OP_zext, IR_I64, at));
}

static uint32_t reserve(struct activation *v, uint64_t size, uint32_t align)
{
    align = align < 1 ? 1 : align > 8 ? 8 : align;
    v->bytes = (v->bytes + align - 1) / align * align;
    uint32_t at = v->bytes;
    v->bytes += (uint32_t)(size + 3) / 4 * 4;
    return at;
}

/* ---- bodies into the kernel ---- */

static struct activation *activation_of(struct recursion *r, struct ir_func *f)
{
    struct activation *v = map_get(&r->activations, map_key(f));
    if (v)
        return v;
    v = arena_new(r->arena, struct activation);
    v->func = f;
    v->bytes = FRAME_HEAD;
    map_set(&r->activations, map_key(f), v);
    vec_push(r->arena, &r->order, v);
    if (f == r->kernel) {
        v->entry = f->first;
        ir_each_block (b, f)
            vec_push(r->arena, &v->blocks, b);
        return v;
    }
    VEC(struct ir_block *) body = {0};
    struct map twins;
    map_init(&twins, r->arena);
    ir_each_block (b, f)
        vec_push(r->arena, &body, b);
    opt_clone_blocks(&twins, r->kernel, r->kernel->last, body.data, body.len);
    for (size_t k = 0; k < body.len; k++)
        vec_push(r->arena, &v->blocks, map_get(&twins, map_key(body.data[k])));
    v->entry = v->blocks.data[0];
    return v;
}

/* Cuts the blocks of one activation behind its calls. */
static void find_sites(struct recursion *r, struct activation *v)
{
    for (size_t k = 0; k < v->blocks.len; k++) /* grows while we walk */
        ir_each_inst (i, v->blocks.data[k]) {
            if (i->op != IR_OP_call || !i->callee->first)
                continue;
            struct ir_block *before = i->block, *after = ir_block_split(i->next, "after");
            struct ir_builder b = ir_builder_at_end(before);
            ir_build_br(&b, after, NULL, 0); /* until the call is written */
            struct site s = {v, activation_of(r, i->callee), before, after, i};
            vec_push(r->arena, &r->sites, s);
            vec_push(r->arena, &v->blocks, after);
            break;
        }
}

/* ---- what lives across a call goes into the frame ---- */

static void walk(struct recursion *r, struct ir_block *from, bool forward, bool *seen)
{
    VEC(struct ir_block *) work = {0};
    vec_push(r->arena, &work, from);
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        if (seen[b->id])
            continue;
        seen[b->id] = true;
        for (size_t k = 0; !forward && k < b->preds.len; k++)
            vec_push(r->arena, &work, b->preds.data[k]);
        for (uint32_t k = 0; forward && k < b->last->nedges; k++)
            vec_push(r->arena, &work, b->last->edges[k].to);
    }
}

struct crossing { /* of one site, by block: is it before, or after the call? */
    bool *before, *after;
};

static bool crosses(struct recursion *r, const struct crossing *c, const struct ir_value *v,
                    const struct ir_block *use)
{
    struct ir_block *d = ir_def_block(v);
    if (!d || d == r->kernel->first || d == use)
        return false; /* the kernel's entry dominates everything */
    for (size_t k = 0; k < r->sites.len; k++)
        if (c[k].before[d->id] && c[k].after[use->id])
            return true;
    return false;
}

/* Tokens cannot be kept: their splits and joins go. */
static void drop_tokens(struct recursion *r, const struct crossing *c)
{
    ir_each_block (b, r->kernel)
        ir_each_inst (i, b)
            if (i->op == IR_OP_join && crosses(r, c, i->args[0], b)) {
                struct ir_value *token = i->args[0];
                ir_each_block (other, r->kernel)
                    for (struct ir_inst *k = other->first, *next; k; k = next) {
                        next = k->next;
                        if (k->op == IR_OP_join && k->args[0] == token) {
                            if (k == i_next)
                                i_next = k->next;
                            ir_remove(k);
                        }
                    }
                ir_remove(token->u.inst);
            }
}

static struct ir_value *kept(struct recursion *r, struct activation *v, struct map *slots,
                             const struct crossing *c, struct ir_inst *at, struct ir_value *x)
{
    if (!crosses(r, c, x, at->block))
        return x;
    uintptr_t slot = (uintptr_t)map_get(slots, map_key(x));
    if (!slot) {
        uint32_t bytes = ir_class(x->type) == IR_CLASS_PTR ? 8 : ir_bytes(x->type);
        slot = reserve(v, bytes, bytes);
        map_set(slots, map_key(x), (void *)slot);
    }
    struct ir_builder b = ir_builder_before(at);
    b.span = at->span;
    return ir_build_load(&b, x->type, in_frame(r, &b, frame_now(r, &b), (uint32_t)slot), 0, 0);
}

static void keep_values(struct recursion *r, struct activation *v, const struct crossing *c)
{
    struct map slots;
    map_init(&slots, r->arena);
    for (size_t k = 0; k < v->blocks.len; k++)
        ir_each_inst (i, v->blocks.data[k]) {
            for (uint32_t n = 0; n < i->nargs; n++)
                i->args[n] = kept(r, v, &slots, c, i, i->args[n]);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t n = 0; n < i->edges[e].nargs; n++)
                    i->edges[e].args[n] = kept(r, v, &slots, c, i, i->edges[e].args[n]);
        }
    map_each (e, &slots) {
        struct ir_value *x = (struct ir_value *)(uintptr_t)e->key;
        struct ir_builder b =
            ir_builder_before(x->kind == IR_VALUE_PARAM ? x->u.block->first : x->u.inst->next);
        ir_build_store(&b, in_frame(r, &b, frame_now(r, &b), (uint32_t)(uintptr_t)e->value), x, 0,
                       0);
    }
}

/* Allocas of recursive functions are part of the frame, and fresh on each call. */
static void place_allocas(struct recursion *r, struct activation *v)
{
    if (v->func == r->kernel)
        return;
    ir_each_inst (i, v->entry) {
        if (i->op != IR_OP_alloca)
            continue;
        struct ir_builder b = ir_builder_before(i);
        b.span = i->span;
        struct ir_value *p = in_frame(r, &b, frame_now(r, &b), reserve(v, i->imm, i->align));
        struct ir_value *args[3] = {p, ir_const(r->module, IR_I8, 0),
                                    ir_const(r->module, IR_I64, i->imm)};
        ir_build(&b, IR_OP_memset, IR_VOID, args, 3)->align = i->align < 8 ? i->align : 8;
        i->results[0].forward = p;
        ir_remove(i);
    }
}

/* ---- calls and returns ---- */

static void call(struct recursion *r, struct site *s, uint32_t number, struct ir_block *full)
{
    struct ir_builder b = ir_builder_before(s->call);
    b.span = s->call->span;
    struct ir_block *enter = ir_block_after(s->before, "enter");
    struct ir_value *next =
        ir_build2(&b, IR_OP_add, IR_I32, frame_now(r, &b), word(r, s->from->bytes));
    uint32_t last = s->to->bytes < r->stack_bytes ? r->stack_bytes - s->to->bytes : 0;
    struct ir_value *fits = ir_build2(&b, IR_OP_ule, IR_I32, next, word(r, last));
    ir_remove(s->before->last);
    ir_build_condbr(&b, fits, enter, full);
    b = ir_builder_at_end(enter);
    b.span = s->call->span;
    ir_build_store(&b, in_frame(r, &b, next, 0), word(r, number), 4, 0);
    ir_build_store(&b, r->frame, next, 4, 0);
    ir_build_br(&b, s->to->entry, s->call->args, s->call->nargs);
    ir_remove(s->call);

    struct ir_block *resume = ir_block_after(enter, "resume");
    b = ir_builder_at_end(resume);
    struct ir_value *frame =
        ir_build2(&b, IR_OP_sub, IR_I32, frame_now(r, &b), word(r, s->from->bytes));
    ir_build_store(&b, r->frame, frame, 4, 0);
    ir_build_br(&b, s->after, NULL, 0);
    s->before = resume; /* for the switch */
}

static void read_results(struct recursion *r)
{
    vec_each (struct site, s, &r->sites)
        if (s->call->nresults) {
            struct ir_builder b = ir_builder_before(s->after->first);
            b.span = s->call->span;
            s->call->results[0].forward =
                ir_build_load(&b, s->call->results[0].type, r->result, 0, 0);
        }
    ir_replace_forwarded(r->kernel);
}

static void return_to(struct recursion *r, struct activation *v)
{
    if (v->func == r->kernel)
        return;
    for (size_t k = 0; k < v->blocks.len; k++) {
        struct ir_inst *t = v->blocks.data[k]->last;
        if (t->op != IR_OP_ret)
            continue;
        struct ir_builder b = ir_builder_before(t);
        b.span = t->span;
        if (t->nargs)
            ir_build_store(&b, r->result, t->args[0], 0, 0);
        ir_build_br(&b, r->back, NULL, 0);
        ir_remove(t);
    }
}

static void build_back(struct recursion *r)
{
    struct ir_builder b = ir_builder_at_end(r->back);
    struct ir_value *number = ir_build_load(&b, IR_I32, in_frame(r, &b, frame_now(r, &b), 0), 4, 0);
    struct ir_inst *choice = ir_build(&b, IR_OP_switch, IR_I32, &number, 1);
    for (size_t k = 0; k < r->sites.len; k++)
        ir_add_edge(choice, r->sites.data[k].before, NULL, 0, k);
}

static struct ir_block *build_full(struct recursion *r)
{
    struct ir_block *full = ir_block_new(r->kernel, "full");
    struct ir_builder b = ir_builder_at_end(full);
    struct ir_func *say = ir_func_find(r->module, LOWER_STACK_FULL);
    if (!say)
        say = ir_func_new(r->module, LOWER_STACK_FULL, IR_VOID, 0);
    ir_build_call(&b, say, NULL, 0);
    ir_build(&b, IR_OP_exit, IR_VOID, NULL, 0);
    return full;
}

static bool calls_any(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_call && i->callee->first)
                return true;
    return false;
}

bool lower_recursion(struct arena *a, struct ir_func *f, uint32_t stack_bytes)
{
    if (!calls_any(f))
        return false;
    struct recursion r = {.arena = a, .kernel = f, .module = f->module, .stack_bytes = stack_bytes};
    map_init(&r.activations, a);
    activation_of(&r, f);
    for (size_t k = 0; k < r.order.len; k++) /* grows while we walk */
        find_sites(&r, r.order.data[k]);
    r.stack = ir_build_alloca(f, stack_bytes, 8, "stack");
    r.stack->u.inst->flags |= IR_UNSET; /* frames are set when they are entered */
    r.frame = ir_build_alloca(f, 4, 4, "frame");
    r.result = ir_build_alloca(f, 8, 8, "result");
    for (size_t k = 0; k < r.order.len; k++)
        place_allocas(&r, r.order.data[k]);
    read_results(&r);

    ir_cfg(f);
    ir_renumber(f);
    struct crossing *c = arena_array(a, struct crossing, r.sites.len);
    for (size_t k = 0; k < r.sites.len; k++) {
        c[k].before = arena_array(a, bool, f->nblocks);
        c[k].after = arena_array(a, bool, f->nblocks);
        walk(&r, r.sites.data[k].before, false, c[k].before);
        walk(&r, r.sites.data[k].after, true, c[k].after);
    }
    drop_tokens(&r, c);
    for (size_t k = 0; k < r.order.len; k++)
        keep_values(&r, r.order.data[k], c);
    for (size_t k = 0; k < r.order.len; k++)
        r.order.data[k]->bytes = (r.order.data[k]->bytes + 7) & ~7u;

    r.back = ir_block_new(f, "back");
    struct ir_block *full = build_full(&r);
    for (size_t k = 0; k < r.order.len; k++)
        return_to(&r, r.order.data[k]);
    for (size_t k = 0; k < r.sites.len; k++)
        call(&r, &r.sites.data[k], (uint32_t)k, full);
    build_back(&r);
    ir_remove_unreachable(f);
    lower_repair(a, f);
    return true;
}
