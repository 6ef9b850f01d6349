/* Control flow of the interpreter: branches, calls, exits, convergence regions, special registers.
 *
 * Threads of a warp that went different ways are groups. A region remembers the lanes that executed
 * a split together; a lane leaves it at its join, at the join of a region around it, by returning
 * from the function, by exiting, or by coming to the same split again. A group that reaches the
 * join is parked until the lanes still in the region have come, too. */
#include <time.h>
#include "interp/interp_int.h"
#include "ir/launch.h"

#define CALL_BYTES 64u /* of the stack that a call takes besides its variables */

/* ---- groups ---- */
void interp_set_group(struct run *r, struct group *g)
{
    r->group = g;
    r->frame = g->frame;
    r->regs = g->frame->regs;
    r->mask = g->mask;
    r->full = g->mask == g->frame->live;
}

struct group *interp_split_group(struct run *r, uint32_t lanes)
{
    struct group *other = r->warp->groups;
    while (other->state != GROUP_NONE) /* there are as many as lanes: one is free */
        other++;
    *other = *r->group;
    other->mask = lanes;
    other->state = GROUP_READY;
    r->group->mask &= ~lanes;
    interp_set_group(r, r->group);
    return other;
}

void interp_resume(struct run *r, struct warp *w, struct group *g)
{
    g->state = GROUP_READY;
    r->events++;
    if (r->kernel->in_order) /* each thread by itself */
        return;
    for (struct group *p = w->groups; p < w->groups + LANES; p++)
        if (p != g && p != r->group && p->state == GROUP_READY && p->pc == g->pc &&
            p->frame == g->frame && p->region == g->region) {
            p->mask |= g->mask;
            g->state = GROUP_NONE;
            return;
        }
}

/* ---- regions ---- */
static void free_region(struct run *r, struct region *x)
{
    x->split = NULL;
    x->next_spare = r->spare_regions;
    r->spare_regions = x;
}

/* Everyone still in the region waits at its join: let them go on, together where they may. */
static void complete_region(struct run *r, struct warp *w, struct region *x)
{
    for (struct group *g = w->groups; g < w->groups + LANES; g++)
        if (g->state == GROUP_JOIN && g->joining == x) {
            g->region = x->parent;
            g->pc++;
            interp_resume(r, w, g);
        }
    free_region(r, x);
}

static void remove_from_region(struct run *r, struct warp *w, struct region *x, uint32_t lanes)
{
    x->members &= ~lanes;
    x->waiting &= ~lanes;
    if (!x->members)
        free_region(r, x);
    else if (x->waiting == x->members)
        complete_region(r, w, x);
}

/* lanes leave the regions from `from` outward up to but not including `to`. */
static void leave_regions(struct run *r, struct warp *w, struct region *from,
                          const struct region *to, uint32_t lanes)
{
    while (from != to) {
        struct region *parent = from->parent;
        remove_from_region(r, w, from, lanes);
        from = parent;
    }
}

static struct region *find_region(const struct run *r, const struct op *split)
{
    struct region *x = r->group->region;
    while (x && x->split != split)
        x = x->parent;
    return x;
}

static const struct op *open_region(struct run *r, const struct op *o)
{
    struct group *g = r->group;
    const struct region *again = find_region(r, o);
    if (again) { /* a loop came back here past the join */
        struct region *outer = again->parent;
        leave_regions(r, r->warp, g->region, outer, r->mask);
        g->region = outer;
    }
    struct region *x = r->spare_regions;
    if (x)
        r->spare_regions = x->next_spare;
    else
        x = arena_new(&r->arena, struct region);
    *x = (struct region){.parent = g->region, .split = o, .frame = r->frame, .members = r->mask};
    g->region = x;
    return o + 1;
}

static const struct op *join_region(struct run *r, const struct op *o)
{
    struct group *g = r->group;
    struct warp *w = r->warp;
    struct region *x = find_region(r, o->u.split);
    if (!x)
        return o + 1; /* left already */
    leave_regions(r, w, g->region, x, r->mask);
    g->region = x;
    x->waiting |= r->mask;
    if (x->waiting != x->members) {
        g->state = GROUP_JOIN;
        g->joining = x;
        g->pc = o;
        return NULL;
    }
    g->region = x->parent;
    if (x->waiting == r->mask) { /* came together */
        free_region(r, x);
        return o + 1;
    }
    r->events++;
    for (struct group *p = w->groups; p < w->groups + LANES; p++) {
        if (p->state != GROUP_JOIN || p->joining != x)
            continue;
        p->region = x->parent;
        if (p->pc == o) {
            g->mask |= p->mask;
            p->state = GROUP_NONE;
        } else {
            p->pc++;
            interp_resume(r, w, p);
        }
    }
    free_region(r, x);
    interp_set_group(r, g);
    return o + 1;
}

bool interp_release_joins(struct run *r, struct warp *w)
{
    bool any = false;
    for (struct group *g = w->groups; g < w->groups + LANES; g++) {
        if (g->state != GROUP_JOIN)
            continue;
        struct region *x = g->joining;
        ((struct detail *)x->split->x)->spins = true;
        g->region = x->parent;
        g->pc++;
        g->state = GROUP_NONE; /* not among those that removing its lanes may complete */
        const uint32_t mask = g->mask;
        remove_from_region(r, w, x, mask);
        g->mask = mask;
        interp_resume(r, w, g);
        any = true;
    }
    return any;
}

/* ---- branches ---- */
static const struct op *jump(struct run *r, const struct op *o, const struct op *to)
{
    r->budget -= o->cost;
    r->lane_ops += (uint64_t)o->cost * (uint32_t)__builtin_popcount(r->mask);
    if (r->budget > 0)
        return to;
    r->group->pc = to;
    return NULL;
}

const struct op *interp_branch(struct run *r, const struct op *o)
{
    return jump(r, o, o->u.target);
}

static const struct op *branch_if(struct run *r, const struct op *o)
{
    const uint32_t yes = true_lanes(r->regs + o->a) & r->mask;
    if (yes == r->mask)
        return jump(r, o, o->u.target);
    if (yes) {
        interp_split_group(r, r->mask & ~yes)->pc = o->x->other;
        return jump(r, o, o->u.target);
    }
    return jump(r, o, o->x->other);
}

/* The lanes that go where the first one goes; the rest become a group that looks again. */
static const struct op *branch_switch(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const uint32_t mask = r->mask;
    const struct op *first = NULL;
    uint32_t same = 0;
    EACH_LANE (i, mask) {
        const uint64_t v = lane_bits(r->regs + o->a, o->size, i);
        const struct op *to = x->targets[0];
        for (uint32_t k = 0; k < x->ncases; k++)
            if (x->cases[k] == v) {
                to = x->targets[k + 1];
                break;
            }
        if (!first)
            first = to;
        if (to == first)
            same |= UINT32_C(1) << i;
    }
    if (same != mask)
        interp_split_group(r, mask & ~same)->pc = o;
    return jump(r, o, first);
}

/* ---- calls ---- */
struct frame *interp_push_frame(struct run *r, struct interp_func *f, struct frame *parent,
                                uint32_t lanes)
{
    struct frame *x = f->spare;
    if (x) {
        f->spare = x->next_spare;
    } else {
        x = arena_new(&r->arena, struct frame);
        char *memory = arena_alloc(&r->arena, f->frame_bytes + 64);
        x->regs = memory + (64 - (uintptr_t)memory % 64) % 64;
        x->func = f;
        memcpy(x->regs + f->constants_at, f->constants, f->constant_bytes);
    }
    x->parent = parent;
    x->live = lanes;
    x->depth = parent ? parent->depth + 1 : 0;
    x->local_base = parent ? parent->local_base + parent->func->local_bytes + CALL_BYTES : 0;
    x->local_base = (x->local_base + f->local_align - 1) / f->local_align * f->local_align;
    if (x->local_base + (uint64_t)f->local_bytes > INTERP_STACK_BYTES) {
        const uint32_t depth = x->depth;
        interp_fail(r, TERN_STACK_OVERFLOW, parent ? r->group->pc : NULL,
                    parent ? (uint32_t)__builtin_ctz(lanes) : LANES, 0,
                    "stack overflow: %u calls deep, %u bytes for each thread", depth,
                    INTERP_STACK_BYTES);
    }
    return x;
}

static const struct op *enter(struct run *r, const struct op *o, struct interp_func *callee,
                              const struct copy *copies, uint32_t ncopies)
{
    struct group *g = r->group;
    g->pc = o; /* for a report of stack overflow */
    struct frame *f = interp_push_frame(r, callee, r->frame, r->mask);
    for (uint32_t i = 0; i < ncopies; i++)
        memcpy(f->regs + copies[i].to, r->regs + copies[i].from, (size_t)copies[i].size * LANES);
    f->return_to = o + 1;
    f->caller_region = g->region;
    g->region = NULL;
    g->frame = f;
    interp_set_group(r, g);
    return jump(r, o, callee->ops);
}

static const struct op *call_direct(struct run *r, const struct op *o)
{
    return enter(r, o, o->u.callee, o->x->copies, o->x->ncopies);
}

static struct interp_func *func_at(struct run *r, const struct op *o, uint64_t address,
                                   uint32_t lane)
{
    struct interp *m = r->machine;
    const uint64_t index = address - (WINDOW_FUNC << WINDOW_SHIFT);
    if (address >> WINDOW_SHIFT != WINDOW_FUNC || index % 16 || index / 16 >= m->nfuncs ||
        !m->func_by_index[index / 16])
        interp_fail(r, TERN_ILLEGAL_ADDRESS, o, lane, address,
                    "call through 0x%llx, which is no function", (unsigned long long)address);
    return m->func_by_index[index / 16];
}

static const struct op *call_pointer(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t mask = r->mask, first = (uint32_t)__builtin_ctz(mask);
    uint32_t same = 0;
    EACH_LANE (i, mask)
        if (p[i] == p[first])
            same |= UINT32_C(1) << i;
    struct interp_func *callee = func_at(r, o, p[first], first);
    bool fits = callee->nparams == x->nargs - 1 && callee->ret == o->type &&
                !(callee->flags & IR_FUNC_KERNEL);
    for (uint32_t i = 0; fits && i < callee->nparams; i++)
        fits = ir_kind(callee->params[i].type) == ir_kind(x->arg_types[i + 1]) &&
               ir_lanes(callee->params[i].type) == ir_lanes(x->arg_types[i + 1]);
    if (!fits)
        interp_fail(r, TERN_ILLEGAL_ADDRESS, o, first, p[first],
                    "call of '%s' through a pointer to a function of another type",
                    callee->display);
    if (same != mask)
        interp_split_group(r, mask & ~same)->pc = o;
    struct copy *copies = (struct copy *)x->copies;
    for (uint32_t i = 0; i < callee->nparams; i++)
        copies[i] =
            (struct copy){x->args[i + 1], callee->param_regs[i], ir_bytes(callee->params[i].type)};
    return enter(r, o, callee, copies, callee->nparams);
}

static void free_frame(struct frame *f)
{
    f->next_spare = f->func->spare;
    f->func->spare = f;
}

static void exit_lanes(struct run *r, struct warp *w, struct group *g, uint32_t lanes)
{
    struct region *region = g->region;
    g->mask &= ~lanes;
    if (!g->mask)
        g->state = GROUP_NONE;
    for (struct frame *f = g->frame; f;) {
        struct frame *parent = f->parent;
        leave_regions(r, w, region, NULL, lanes);
        region = f->caller_region;
        f->live &= ~lanes;
        if (!f->live)
            free_frame(f);
        f = parent;
    }
    w->live &= ~lanes;
    w->block->nlive -= (uint32_t)__builtin_popcount(lanes);
    r->events++;
    r->leaps++;
    interp_recheck_warp(r, w);
    interp_recheck_barriers(r, w->block);
}

static const struct op *thread_exit(struct run *r, const struct op *o)
{
    r->lane_ops += (uint64_t)o->cost * (uint32_t)__builtin_popcount(r->mask);
    r->budget -= o->cost;
    exit_lanes(r, r->warp, r->group, r->mask);
    return NULL;
}

static const struct op *return_from(struct run *r, const struct op *o)
{
    struct frame *f = r->frame, *to = f->parent;
    if (!to)
        return thread_exit(r, o);
    struct group *g = r->group;
    const uint32_t mask = r->mask;
    leave_regions(r, r->warp, g->region, NULL, mask);
    const struct op *call = f->return_to - 1;
    if (o->size) {
        if (o->elements == 1) {
            interp_blend(to->regs + call->dst, f->regs + o->a, mask, o->size);
        } else {
            const uint32_t bytes = o->size * o->elements;
            EACH_LANE (i, mask)
                memcpy(to->regs + call->dst + (size_t)i * bytes, f->regs + o->a + (size_t)i * bytes,
                       bytes);
        }
    }
    const struct op *next = f->return_to;
    g->region = f->caller_region;
    g->frame = to;
    f->live &= ~mask;
    if (!f->live)
        free_frame(f);
    interp_set_group(r, g);
    return jump(r, o, next);
}

/* ---- the rest ---- */
static const struct op *read_special(struct run *r, const struct op *o)
{
    const struct warp *w = r->warp;
    const struct interp_launch *l = r->launch;
    const uint32_t mask = r->mask;
    uint64_t same = 0;
    switch ((enum ir_sreg)o->imm) {
    case IR_SREG_TID_X:
    case IR_SREG_TID_Y:
    case IR_SREG_TID_Z: {
        const uint32_t *tid = w->tid[o->imm - IR_SREG_TID_X];
        if (o->size == 4 && r->full)
            memcpy(r->regs + o->dst, tid, sizeof w->tid[0]);
        else
            EACH_LANE (i, mask)
                set_lane(r->regs + o->dst, o->size, i, tid[i]);
        return o + 1;
    }
    case IR_SREG_LANEID:
    case IR_SREG_LANEMASK_EQ:
    case IR_SREG_LANEMASK_LT:
    case IR_SREG_LANEMASK_LE:
    case IR_SREG_LANEMASK_GT:
    case IR_SREG_LANEMASK_GE:
        EACH_LANE (i, mask) {
            const uint32_t bit = UINT32_C(1) << i;
            const uint32_t v = o->imm == IR_SREG_LANEID        ? i
                               : o->imm == IR_SREG_LANEMASK_EQ ? bit
                               : o->imm == IR_SREG_LANEMASK_LT ? bit - 1
                               : o->imm == IR_SREG_LANEMASK_LE ? (bit - 1) | bit
                               : o->imm == IR_SREG_LANEMASK_GT ? ~((bit - 1) | bit)
                                                               : ~(bit - 1);
            set_lane(r->regs + o->dst, o->size, i, v);
        }
        return o + 1;
    case IR_SREG_NTID_X: same = l->block[0]; break;
    case IR_SREG_NTID_Y: same = l->block[1]; break;
    case IR_SREG_NTID_Z: same = l->block[2]; break;
    case IR_SREG_CTAID_X: same = r->block->id[0]; break;
    case IR_SREG_CTAID_Y: same = r->block->id[1]; break;
    case IR_SREG_CTAID_Z: same = r->block->id[2]; break;
    case IR_SREG_NCTAID_X: same = l->grid[0]; break;
    case IR_SREG_NCTAID_Y: same = l->grid[1]; break;
    case IR_SREG_NCTAID_Z: same = l->grid[2]; break;
    case IR_SREG_WARPID: same = w->index; break;
    case IR_SREG_NWARPID: same = r->block_warps; break;
    case IR_SREG_SMID: same = 0; break;
    case IR_SREG_NSMID: same = 1; break;
    case IR_SREG_GRIDID: same = r->machine->launches; break;
    case IR_SREG_DYN_SHARED: same = l->shared; break;
    case IR_SREG_TOTAL_SHARED: same = r->kernel->static_shared + (uint64_t)l->shared; break;
    case IR_SREG_COOPERATIVE: same = l->cooperative; break;
    case IR_SREG_CHECKS:
    case IR_SREG_COUNT: break;
    }
    EACH_LANE (i, mask)
        set_lane(r->regs + o->dst, o->size, i, same);
    return o + 1;
}

static const struct op *read_clock(struct run *r, const struct op *o)
{
    struct timespec now = {0, 0};
    /* A counter that goes on, and is the same in every run; or the time of day. */
    uint64_t t = (r->clock += 16) + r->lane_ops;
    if (o->imm) {
        clock_gettime(CLOCK_REALTIME, &now);
        t = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask)
        set_lane(r->regs + o->dst, o->size, i, t);
    return o + 1;
}

static const struct op *sleep_a_while(struct run *r, const struct op *o)
{
    r->group->pc = o + 1;
    r->budget = 0;
    return NULL;
}

static const struct op *trap(struct run *r, const struct op *o)
{
    interp_fail(r, TERN_TRAP, o, (uint32_t)__builtin_ctz(r->mask), 0,
                o->ir_op == IR_OP_trap ? "trap" : "execution reached a place it never should");
}

static const struct op *launch_child(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        uint64_t a[10] = {0};
        for (uint32_t k = 0; k < x->nargs && k < 10; k++)
            a[k] = lane_bits(r->regs + x->args[k], storage_bytes(x->arg_types[k]), i);
        struct interp_func *k = func_at(r, o, a[0], i);
        if (!(k->flags & IR_FUNC_KERNEL))
            interp_fail(r, TERN_INVALID_LAUNCH, o, i, a[0], "'%s' is not a kernel", k->display);
        int error = 0; /* CUDA's number */
        const uint64_t *grid = a + IR_LAUNCH_GRID, *block = a + IR_LAUNCH_BLOCK;
        const uint64_t threads = block[0] * block[1] * block[2];
        if (!grid[0] || !grid[1] || !grid[2] || !threads || threads > IR_LAUNCH_MOST_THREADS ||
            a[IR_LAUNCH_SHARED] > IR_LAUNCH_MOST_SHARED)
            error = tern_error_cuda(TERN_INVALID_LAUNCH);
        else if (r->depth + 1 >= IR_LAUNCH_DEPTH)
            error = IR_LAUNCH_TOO_DEEP;
        else if (r->npending >= (r->machine->pending ? r->machine->pending : IR_LAUNCH_PENDING))
            error = IR_LAUNCH_TOO_MANY;
        if (!error) {
            struct child_launch *c = arena_new(&r->arena, struct child_launch);
            c->kernel = k;
            c->depth = r->depth + 1;
            c->tail = a[IR_LAUNCH_STREAM] == IR_LAUNCH_TAIL;
            r->npending++;
            for (unsigned d = 0; d < 3; d++) {
                c->launch.grid[d] = (uint32_t)grid[d];
                c->launch.block[d] = (uint32_t)block[d];
            }
            c->launch.shared = (uint32_t)a[IR_LAUNCH_SHARED];
            c->launch.param_bytes = k->param_bytes;
            void *params = arena_alloc(&r->arena, k->param_bytes + 1);
            if (k->param_bytes)
                memcpy(params,
                       interp_resolve(r, o, ir_space(x->arg_types[IR_LAUNCH_PARAMS]),
                                      a[IR_LAUNCH_PARAMS], k->param_bytes, false, i),
                       k->param_bytes);
            c->launch.params = params;
            *r->last_child = c;
            r->last_child = &c->next;
        }
        set_lane(r->regs + o->dst, 4, i, (uint64_t)error);
    }
    return o + 1;
}

static const struct op *texture(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const struct interp_host *h = &r->machine->host;
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        struct interp_tex t = {.op = (enum ir_op)o->ir_op, .type = o->type, .imm = o->imm};
        t.handle = lane_bits(r->regs + o->a, 8, i);
        t.nargs = x->nargs - 1;
        for (uint32_t k = 0; k < t.nargs && k < 16; k++)
            t.args[k] = lane_bits(r->regs + x->args[k + 1], storage_bytes(x->arg_types[k + 1]), i);
        const char *why = h->tex ? h->tex(h->ctx, &t) : "textures are not available here";
        if (why)
            interp_fail(r, TERN_INVALID_HANDLE, o, i, t.handle, "texture access: %s", why);
        for (uint32_t k = 0; k < x->nresults; k++)
            set_lane(r->regs + x->results[k], storage_bytes(x->result_types[k]), i, t.results[k]);
    }
    return o + 1;
}

handler_fn *interp_exec_handler(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_br: return interp_branch;
    case IR_OP_condbr: return branch_if;
    case IR_OP_switch: return branch_switch;
    case IR_OP_ret: return return_from;
    case IR_OP_exit: return thread_exit;
    case IR_OP_trap:
    case IR_OP_unreachable: return trap;
    case IR_OP_call: return call_direct;
    case IR_OP_call_ptr: return call_pointer;
    case IR_OP_split: return open_region;
    case IR_OP_join: return join_region;
    case IR_OP_sreg: return read_special;
    case IR_OP_clock: return read_clock;
    case IR_OP_sleep: return sleep_a_while;
    case IR_OP_launch: return launch_child;
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq: return texture;
    case IR_OP_printf: return interp_printf;
    case IR_OP_assertfail: return interp_assertfail;
    default: return NULL;
    }
}
