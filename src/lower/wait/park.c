/* Sends every thread that has to wait through one block: see lower.h. */
#include "lower/lower_int.h"

struct park {
    struct arena *arena;
    struct ir_func *func;
    struct ir_module *module;
    struct ir_block *block;
    VEC(struct ir_block *) resume; /* by state - 1 */
    struct map masks, depths;      /* by token, where joins wait: who split, how deep */
};

static bool waits(const struct ir_inst *i)
{
    return i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_warpsync ||
           ir_is_warp_op((enum ir_op)i->op);
}

/* Does the atomic wait for somebody, in a loop? It asks for one value and changes nothing before it
 * comes: a lock is taken by cas between constants or by xchg, a flag is read by adding nothing.
 * What compares with a value that it has read itself is an update: one of those always gets on. */
static bool asks_again(const struct ir_inst *i)
{
    if (i->op == IR_OP_cas)
        return ir_is_const(i->args[1]) && ir_is_const(i->args[2]);
    if (i->op != IR_OP_rmw || !ir_is_const(i->args[1]))
        return false;
    bool nothing = !i->args[1]->u.bits;
    switch (i->imm) {
    case IR_RMW_XCHG: return !nothing;
    case IR_RMW_ADD:
    case IR_RMW_SUB:
    case IR_RMW_OR:
    case IR_RMW_XOR:
    case IR_RMW_UMAX: return nothing;
    default: return false;
    }
}

static bool in_loop(struct ir_func *f, const struct ir_block *b)
{
    ir_each_block (head, f)
        for (size_t k = 0; k < head->preds.len; k++)
            if (ir_dominates(head, b) && ir_dominates(head, head->preds.data[k]))
                return true;
    return false;
}

static bool is_volatile(const struct ir_inst *i, enum ir_op op)
{
    return i->op == op && i->flags & IR_VOLATILE && ir_space(i->args[0]->type) != IR_SPACE_LOCAL;
}

static bool is_exchange(const struct ir_inst *i)
{
    return (i->op == IR_OP_load || i->op == IR_OP_store) && i->flags & IR_STEP;
}

/* Old code relies on a warp running in step between volatile accesses to shared memory; and to
 * other memory, where it both reads and writes it so; and where an exchange was found (IR_STEP). */
static bool goes_in_step(struct ir_func *f, const struct ir_inst *i)
{
    if (is_exchange(i))
        return true;
    bool reads = is_volatile(i, IR_OP_load), writes = is_volatile(i, IR_OP_store);
    if (!reads && !writes)
        return false;
    if (ir_space(i->args[0]->type) == IR_SPACE_SHARED)
        return true;
    ir_each_block (b, f)
        for (struct ir_inst *k = b->first; k; k = k->next) {
            reads |= is_volatile(k, IR_OP_load);
            writes |= is_volatile(k, IR_OP_store);
        }
    return reads && writes;
}

/* Is it a place where other threads must get on? A loop around a volatile load may be waiting for
 * one of them to write there. */
static bool may_poll(struct ir_func *f, const struct ir_inst *i)
{
    if (goes_in_step(f, i))
        return true;
    bool looks = i->op == IR_OP_load && ((i->flags & IR_VOLATILE) || ir_order(i->flags));
    return (looks || asks_again(i)) && ir_space(i->args[0]->type) != IR_SPACE_LOCAL &&
           in_loop(f, i->block);
}

bool lower_polls(struct ir_func *f)
{
    ir_cfg(f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (may_poll(f, i))
                return true;
    return false;
}

struct ir_inst *lower_first_wait(struct ir_func *f)
{
    if (f->first)
        ir_cfg(f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (waits(i) || may_poll(f, i))
                return i;
    return NULL;
}

static struct ir_func *runtime(struct ir_module *m, const char *name, uint32_t nargs)
{
    struct ir_func *f = ir_func_find(m, name);
    if (f)
        return f;
    f = ir_func_new(m, name, IR_I32, 0);
    for (uint32_t k = 0; k < nargs; k++)
        ir_func_param(f, NULL, IR_I32, 0, 0, 0);
    return f;
}

/* The instructions after i become a block of their own. */
static struct ir_block *split_after(struct ir_inst *i)
{
    struct ir_block *b = i->block, *rest = ir_block_after(b, b->name);
    rest->first = i->next;
    rest->last = b->last;
    rest->first->prev = NULL;
    for (struct ir_inst *k = rest->first; k; k = k->next)
        k->block = rest;
    i->next = NULL;
    b->last = i;
    return rest;
}

/* The entry block keeps its allocas; what follows becomes a block of its own. */
struct ir_block *lower_split_entry(struct ir_func *f)
{
    struct ir_block *entry = f->first, *rest = ir_block_after(entry, "start");
    struct ir_inst *kept = NULL, *moved = NULL, *last_kept = NULL, *last_moved = NULL;
    for (struct ir_inst *i = entry->first, *next; i; i = next) {
        next = i->next;
        struct ir_inst **first = i->op == IR_OP_alloca ? &kept : &moved;
        struct ir_inst **last = i->op == IR_OP_alloca ? &last_kept : &last_moved;
        i->prev = *last;
        i->next = NULL;
        if (*last)
            (*last)->next = i;
        else
            *first = i;
        *last = i;
        i->block = i->op == IR_OP_alloca ? entry : rest;
    }
    entry->first = kept;
    entry->last = last_kept;
    rest->first = moved;
    rest->last = last_moved;
    return rest;
}

static struct ir_value *word(struct park *p, uint32_t v)
{
    return ir_const(p->module, IR_I32, v);
}

/* A value of any type as two i32. */
static void take_apart(struct park *p, struct ir_builder *b, struct ir_value *v,
                       struct ir_value **low, struct ir_value **high)
{
    unsigned bits = ir_class(v->type) == IR_CLASS_PTR ? 64 : ir_bits(v->type);
    static const ir_type same[] = {[2] = IR_I16, [4] = IR_I32, [8] = IR_I64};
    *high = word(p, 0);
    if (ir_class(v->type) == IR_CLASS_PTR)
        v = ir_build1(b, IR_OP_ptrtoint, IR_I64, v);
    else if (ir_class(v->type) == IR_CLASS_FLOAT)
        v = ir_build1(b, IR_OP_bitcast, same[bits / 8], v);
    if (bits < 32)
        v = ir_build1(b, IR_OP_zext, IR_I32, v);
    if (bits == 64) {
        struct ir_value *top = ir_build2(b, IR_OP_lshr, IR_I64, v, ir_const(p->module, IR_I64, 32));
        *high = ir_build1(b, IR_OP_trunc, IR_I32, top);
        v = ir_build1(b, IR_OP_trunc, IR_I32, v);
    }
    *low = v;
}

static struct ir_value *put_together(struct park *p, struct ir_builder *b, ir_type t)
{
    struct ir_value *v =
        ir_build_call(b, runtime(p->module, lower_call_names[LOWER_CALL_PARK_LOW], 0), NULL, 0);
    unsigned bits = ir_class(t) == IR_CLASS_PTR ? 64 : ir_bits(t);
    static const ir_type same[] = {IR_I8,  IR_I8,  IR_I16, IR_VOID, IR_I32,
                                   IR_I32, IR_I32, IR_I32, IR_I64};
    if (bits == 64) {
        struct ir_value *top = ir_build_call(
            b, runtime(p->module, lower_call_names[LOWER_CALL_PARK_HIGH], 0), NULL, 0);
        top = ir_build1(b, IR_OP_zext, IR_I64, top);
        top = ir_build2(b, IR_OP_shl, IR_I64, top, ir_const(p->module, IR_I64, 32));
        v = ir_build1(b, IR_OP_zext, IR_I64, v);
        v = ir_build2(b, IR_OP_or, IR_I64, v, top);
    } else if (bits < 32) {
        v = ir_build1(b, IR_OP_trunc, bits == 1 ? IR_I1 : same[bits / 8], v);
    }
    if (ir_class(t) == IR_CLASS_PTR)
        return ir_build1(b, IR_OP_inttoptr, t, v);
    return ir_class(t) == IR_CLASS_FLOAT ? ir_build1(b, IR_OP_bitcast, t, v) : v;
}

static struct ir_value *park_ok(struct park *p, struct ir_builder *b)
{
    struct ir_value *v =
        ir_build_call(b, runtime(p->module, lower_call_names[LOWER_CALL_PARK_OK], 0), NULL, 0);
    return ir_build2(b, IR_OP_ne, IR_I32, v, word(p, 0));
}

/* Splits and joins matter to those who ask which threads run together: the split then gives the
 * mask of those who passed it, and the join waits for them. */
static void open_regions(struct park *p)
{
    bool asks = false;
    ir_each_block (b, p->func)
        for (struct ir_inst *i = b->first; i; i = i->next)
            asks |= i->op == IR_OP_activemask || is_exchange(i);
    if (!asks)
        return;
    map_init(&p->masks, p->arena);
    map_init(&p->depths, p->arena);
    ir_each_block (b, p->func)
        ir_each_inst (i, b)
            if (i->op == IR_OP_split) {
                struct ir_builder at = ir_builder_before(i);
                at.span = i->span;
                struct ir_inst *mask = ir_build(&at, IR_OP_activemask, IR_VOID, NULL, 0);
                uintptr_t depth = 1;
                ir_each_block (other, p->func)
                    for (struct ir_inst *k = other->first; k; k = k->next)
                        depth += k->op == IR_OP_split && other != b && ir_dominates(other, b);
                for (struct ir_inst *k = b->first; k != i; k = k->next)
                    depth += k->op == IR_OP_split;
                map_set(&p->masks, map_key(&i->results[0]), &mask->results[0]);
                map_set(&p->depths, map_key(&i->results[0]), (void *)depth);
            }
}

static void park_at(struct park *p, struct ir_inst *i)
{
    if (!waits(i) && i->op != IR_OP_join) { /* it looks at memory, after the wait itself */
        struct ir_builder at = ir_builder_before(i);
        at.span = i->span;
        i = is_exchange(i) /* all that run together come to it */
                ? ir_build(&at, IR_OP_activemask, IR_VOID, NULL, 0)
                : ir_build(&at, IR_OP_sleep, IR_VOID, (struct ir_value *[]){word(p, 0)}, 1);
    }
    struct ir_block *rest = split_after(i);
    vec_push(p->arena, &p->resume, rest);
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    uint32_t kind = PARK_DONE;
    struct ir_value *zero = word(p, 0);
    struct ir_value *mask = zero, *low = zero, *high = zero, *lane = zero, *control = zero;
    switch (i->op) {
    case IR_OP_barrier:
        kind = PARK_BARRIER;
        lane = i->args[0];
        mask = i->args[1];
        break;
    case IR_OP_barrier_red:
        kind = PARK_BARRIER_RED;
        lane = i->args[0];
        mask = i->args[1];
        take_apart(p, &b, i->args[2], &low, &high);
        break;
    case IR_OP_warpsync:
        kind = PARK_WARPSYNC;
        mask = i->args[0];
        break;
    case IR_OP_shfl:
        kind = PARK_SHFL;
        mask = i->args[0];
        take_apart(p, &b, i->args[1], &low, &high);
        lane = i->args[2];
        control = i->args[3];
        break;
    case IR_OP_vote:
    case IR_OP_redux:
        kind = i->op == IR_OP_vote ? PARK_VOTE : PARK_REDUX;
        mask = i->args[0];
        take_apart(p, &b, i->args[1], &low, &high);
        break;
    case IR_OP_match:
        kind = PARK_MATCH;
        mask = i->args[0];
        take_apart(p, &b, i->args[1], &low, &high);
        break;
    case IR_OP_sleep: kind = PARK_YIELD; break;
    case IR_OP_join:
        kind = PARK_JOIN;
        mask = map_get(&p->masks, map_key(i->args[0]));
        low = word(p, (uint32_t)(uintptr_t)map_get(&p->depths, map_key(i->args[0])));
        break;
    default: kind = PARK_ACTIVEMASK; break;
    }
    uint64_t imm = kind == PARK_ACTIVEMASK || kind == PARK_JOIN ? p->resume.len
                   : kind == PARK_YIELD                         ? 0
                                                                : i->imm;
    struct ir_value *args[] = {word(p, (uint32_t)p->resume.len),
                               word(p, PARK_KIND(kind, imm)),
                               mask,
                               low,
                               high,
                               lane,
                               control};
    ir_build_br(&b, p->block, args, PARK_ARGS + 1);

    struct ir_builder after = ir_builder_before(rest->first);
    after.span = i->span;
    if (i->nresults)
        i->results[0].forward = put_together(p, &after, i->results[0].type);
    if (i->nresults > 1)
        i->results[1].forward = park_ok(p, &after);
    ir_replace_forwarded(p->func);
    ir_remove(i);
}

static void build_park(struct park *p)
{
    struct ir_func *f = p->func;
    struct ir_block *over = ir_block_new(f, "over"), *wake = ir_block_new(f, "wake");
    struct ir_block *go = ir_block_new(f, "go");
    struct ir_value **in = p->block->params.data;
    struct ir_builder b = ir_builder_at_end(p->block);
    struct ir_value *zero = word(p, 0);
    struct ir_value *r = ir_build_call(
        &b, runtime(p->module, lower_call_names[LOWER_CALL_PARK], PARK_ARGS), in + 1, PARK_ARGS);
    ir_build_condbr(&b, ir_build2(&b, IR_OP_ne, IR_I32, r, zero), over, wake);
    b = ir_builder_at_end(over);
    ir_build_ret(&b, NULL);
    b = ir_builder_at_end(wake);
    r = ir_build_call(&b, runtime(p->module, lower_call_names[LOWER_CALL_PARK_FREE], 0), NULL, 0);
    r = ir_build2(&b, IR_OP_ne, IR_I32, r, zero);
    struct ir_inst *branch = ir_build(&b, IR_OP_condbr, IR_VOID, &r, 1);
    ir_add_edge(branch, go, NULL, 0, 0);
    ir_add_edge(branch, p->block, in, PARK_ARGS + 1, 0);
    b = ir_builder_at_end(go);
    if (!p->resume.len) {
        ir_build(&b, IR_OP_unreachable, IR_VOID, NULL, 0);
        return;
    }
    if (p->resume.len == 1) {
        ir_build_br(&b, p->resume.data[0], NULL, 0);
        return;
    }
    struct ir_inst *sw = ir_build(&b, IR_OP_switch, IR_I32, &in[0], 1);
    for (size_t k = 0; k < p->resume.len; k++)
        ir_add_edge(sw, p->resume.data[k], NULL, 0, k + 1);
}

struct ir_block *lower_park(struct arena *a, struct ir_func *f, bool from_start)
{
    static const char *const names[] = {"state", "kind", "mask", "low", "high", "lane", "control"};
    struct park p = {.arena = a, .func = f, .module = f->module};
    struct ir_value *done[PARK_ARGS + 1];
    for (uint32_t k = 0; k <= PARK_ARGS; k++)
        done[k] = word(&p, 0);
    ir_cfg(f);
    open_regions(&p);
    VEC(struct ir_inst *) stops = {0};
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (waits(i) || may_poll(f, i) || (i->op == IR_OP_join && p.masks.arena))
                vec_push(a, &stops, i);
    p.block = ir_block_new(f, "park");
    for (uint32_t k = 0; k <= PARK_ARGS; k++)
        ir_block_param(p.block, IR_I32, names[k]);
    if (from_start) { /* the park comes before all else, so that it is the head of one loop */
        vec_push(a, &p.resume, lower_split_entry(f));
        struct ir_builder at = ir_builder_at_end(f->first);
        struct ir_value *go[PARK_ARGS + 1] = {word(&p, 1), word(&p, PARK_KIND(PARK_YIELD, 0))};
        for (uint32_t k = 2; k <= PARK_ARGS; k++)
            go[k] = word(&p, 0);
        ir_build_br(&at, p.block, go, PARK_ARGS + 1);
    }
    for (size_t k = 0; k < stops.len; k++)
        park_at(&p, stops.data[k]);
    ir_each_block (b, f) {
        struct ir_inst *t = b->last;
        if (!t || (t->op != IR_OP_ret && t->op != IR_OP_exit))
            continue;
        struct ir_builder at = ir_builder_before(t);
        at.span = t->span;
        ir_build_br(&at, p.block, done, PARK_ARGS + 1);
        ir_remove(t);
    }
    build_park(&p);
    lower_repair(a, f);
    return p.block;
}

static void retarget(struct region *list, struct region *loop, struct region *block)
{
    for (struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_CONTINUE && r->target == loop) {
            r->kind = REGION_BREAK;
            r->target = block;
        }
        retarget(r->child, loop, block);
        if (r->kind == REGION_IF)
            retarget(r->other, loop, block);
        for (uint32_t i = 0; i < r->narms; i++)
            retarget(r->arms[i].child, loop, block);
    }
}

void lower_straighten(struct region_tree *t, struct region *loop, uint32_t keep)
{
    struct region **at = &loop->child;
    while (*at && keep--)
        at = &(*at)->next;
    if (!*at)
        return;
    struct region *block = arena_new(t->arena, struct region), *again;
    block->kind = REGION_BLOCK;
    block->block = loop->block;
    block->span = loop->span;
    block->child = *at;
    retarget(block->child, loop, block);
    again = arena_new(t->arena, struct region);
    again->kind = REGION_CONTINUE;
    again->target = loop;
    again->block = loop->block;
    again->span = loop->span;
    *at = block;
    block->next = again;
    lower_number(t);
}
