/* Device printf, and the reports of what went wrong. */
#include <inttypes.h>
#include <stdlib.h>
#include "interp/interp_int.h"

/* ---- where ---- */
const struct line *interp_line(const struct interp_func *f, const struct op *o)
{
    if (!f || !o || o < f->ops || o >= f->ops + f->nops)
        return NULL;
    return &f->lines[o - f->ops];
}

static struct report_place place_of(const struct interp_func *f, const struct op *o)
{
    const struct line *at = interp_line(f, o);
    if (at && at->path)
        return (struct report_place){
            .path = at->path, .line = at->line, .column = at->column, .span = at->span};
    return (struct report_place){.function = f ? f->display : NULL};
}

/* Text that a fault or a line of output is made of, in one of the machine's buffers. */
static struct sbuf *fresh_text(struct run *r, unsigned index)
{
    struct sbuf *b = &r->machine->text[index];
    b->len = 0;
    b->failed = false;
    if (b->cap)
        b->data[0] = 0;
    return b;
}

/* Fills in where it happened, tells of it and leaves the launch. */
static _Noreturn void raise_fault(struct run *r, struct report *f, const struct op *o,
                                  uint32_t lane)
{
    enum { SHOWN = 8 };
    struct interp *m = r->machine;
    const struct interp_func *func = r->frame ? r->frame->func : r->kernel;
    struct report_place calls[SHOWN];
    f->kind = report_kind_of(f->error);
    f->kernel = r->kernel ? r->kernel->display : "";
    f->calls = calls;
    if (o) {
        f->at = place_of(func, o);
        if (func != r->kernel)
            f->at.function = func->display;
        const uint32_t depth = r->frame ? r->frame->depth : 0;
        const size_t most = depth > SHOWN ? 1 : SHOWN;
        f->depth = depth > SHOWN ? depth : 0;
        for (const struct frame *call = r->frame; call && call->parent && f->ncalls < most;
             call = call->parent)
            calls[f->ncalls++] = place_of(call->parent->func, call->return_to - 1);
    }
    if (r->block) {
        f->has_block = true;
        memcpy(f->block, r->block->id, sizeof f->block);
    }
    if (r->block && lane < LANES) {
        f->has_thread = true;
        for (int d = 0; d < 3; d++)
            f->thread[d] = r->warp->tid[d][lane];
    }
    interp_report(m, f);
    longjmp(r->fault, 1);
}

void interp_report(struct interp *m, const struct report *f)
{
    free(m->fault);
    m->fault = report_copy(f);
    m->error = f->error;
    report_send(&m->host.reports, f);
}

_Noreturn void interp_fail(struct run *r, enum tern_error e, const struct op *o, uint32_t lane,
                           uint64_t address, const char *fmt, ...)
{
    struct sbuf *out = fresh_text(r, 3);
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(out, fmt, ap);
    va_end(ap);
    struct report f = {.error = e, .address = address, .message = out->failed ? NULL : out->data};
    raise_fault(r, &f, o, lane);
}

/* ---- bad accesses ---- */
static const char *const memory_names[] = {
    [INTERP_GLOBAL] = "global memory",    [INTERP_CONST] = "constant memory",
    [INTERP_PARAM] = "kernel parameters", [INTERP_HEAP] = "device heap",
    [INTERP_MANAGED] = "managed memory",
};

static struct report_memory nowhere(const char *note)
{
    return (struct report_memory){.note = note};
}

static struct report_memory near_global(struct run *r, uint64_t address, uint64_t n)
{
    struct interp *m = r->machine;
    if (address < 65536)
        return nowhere(address ? "near the null pointer" : "the null pointer");
    if (address >> WINDOW_SHIFT == WINDOW_FUNC)
        return nowhere("the address of a function");
    const struct alloc *below = interp_find(m, address);
    const struct alloc *above = NULL;
    if (!below || address - below->base >= below->was_size) {
        /* Nearest of the two neighbours, if it is near. */
        for (uint64_t step = 256; step <= 65536; step *= 2) {
            const struct alloc *next = interp_find(m, address + step);
            if (next && next->base > address) {
                above = next;
                break;
            }
        }
    }
    const uint64_t past = below ? address - (below->base + below->was_size) : UINT64_C(1) << 40;
    const struct alloc *a = below;
    if (above && (!below || above->base - address < past))
        a = above;
    if (!a || (a == below && address - a->base >= a->was_size && past > UINT64_C(1) << 30))
        return nowhere(address - (uint64_t)(uintptr_t)m->window < m->window_size
                           ? "no allocation is near"
                           : "not an address of the device; a pointer of the host?");
    struct report_memory x = {
        .name = a->name, .space = memory_names[a->kind], .base = a->base, .size = a->was_size};
    if (!a->live)
        x.state = "has been freed";
    else if (!a->writable && address - a->base < a->size && n <= a->size - (address - a->base))
        x.state = "kernels may not write";
    return x;
}

static struct report_memory near_shared(struct run *r, uint64_t address)
{
    const struct interp_module *mod = r->kernel->module;
    const struct shared_var *best = NULL;
    const uint64_t offset = address - SPACE_BASE;
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; i < mod->nshared; i++) {
        const struct shared_var *v = &mod->shared[i];
        const uint64_t size = v->dynamic ? r->launch->shared : v->size;
        const uint64_t distance = offset < v->offset          ? v->offset - offset
                                  : offset - v->offset < size ? 0
                                                              : offset - v->offset - size;
        if (distance < nearest) {
            nearest = distance;
            best = v;
        }
    }
    if (!best)
        return nowhere("the kernel has no shared memory");
    return (struct report_memory){.name = best->name,
                                  .space =
                                      best->dynamic ? "dynamic shared memory" : "shared memory",
                                  .base = SPACE_BASE + best->offset,
                                  .size = best->dynamic ? r->launch->shared : best->size};
}

static struct report_memory near_local(struct run *r, uint64_t address)
{
    const uint64_t offset = address - SPACE_BASE;
    const struct frame *f = r->frame;
    if (offset >= f->local_base + (uint64_t)f->func->local_bytes + 4096)
        return nowhere("a local variable of a function that has returned, or none");
    const struct local_var *best = NULL;
    uint64_t nearest = UINT64_MAX, base = 0;
    for (; f; f = f->parent)
        for (uint32_t i = 0; i < f->func->nlocals; i++) {
            const struct local_var *v = &f->func->locals[i];
            const uint64_t start = f->local_base + (uint64_t)v->offset;
            const uint64_t distance = offset < start             ? start - offset
                                      : offset - start < v->size ? 0
                                                                 : offset - start - v->size;
            if (distance < nearest) {
                nearest = distance;
                best = v;
                base = start;
            }
        }
    if (!best)
        return nowhere("there are no local variables");
    return (struct report_memory){
        .name = best->name, .space = "local memory", .base = SPACE_BASE + base, .size = best->size};
}

_Noreturn void interp_fail_access(struct run *r, const struct op *o, enum ir_space space,
                                  uint64_t address, uint64_t n, bool write, uint32_t lane)
{
    struct report f = {.error = TERN_ILLEGAL_ADDRESS,
                       .access = write ? REPORT_WRITE : REPORT_READ,
                       .address = address,
                       .bytes = n,
                       .memory = space == IR_SPACE_SHARED  ? near_shared(r, address)
                                 : space == IR_SPACE_LOCAL ? near_local(r, address)
                                                           : near_global(r, address, n)};
    raise_fault(r, &f, o, lane);
}

/* ---- deadlocks ---- */
_Noreturn void interp_fail_deadlock(struct run *r, struct block *b)
{
    struct sbuf *out = fresh_text(r, 3);
    bool barrier = false;
    for (const struct warp *w = b->warps; w < b->warps + b->nwarps; w++)
        for (const struct group *g = w->groups; g < w->groups + LANES; g++)
            barrier |= g->state == GROUP_BARRIER;
    sbuf_printf(out, barrier ? "deadlock: a barrier that not all threads of the block reach"
                             : "deadlock: threads wait for threads that never come");
    sbuf_printf(out, "\n  %u of %u threads have exited", r->block_threads - b->nlive,
                r->block_threads);
    unsigned lines = 0;
    const struct group *first = NULL;
    for (const struct warp *w = b->warps; w < b->warps + b->nwarps; w++)
        for (const struct group *g = w->groups; g < w->groups + LANES; g++) {
            if (g->state == GROUP_NONE)
                continue;
            if (!first)
                first = g;
            if (lines++ >= 16)
                continue;
            const uint32_t lane = (uint32_t)__builtin_ctz(g->mask);
            const int n = __builtin_popcount(g->mask);
            sbuf_printf(out, "\n  %d thread%s of warp %u (first: %u, %u, %u) wait%s ", n,
                        n == 1 ? "" : "s", w->index, w->tid[0][lane], w->tid[1][lane],
                        w->tid[2][lane], n == 1 ? "s" : "");
            switch (g->state) {
            case GROUP_BARRIER: sbuf_printf(out, "at barrier %u", g->barrier); break;
            case GROUP_WARP:
                sbuf_printf(out, "in %s for lanes 0x%08x", ir_op_info[g->pc->ir_op].name,
                            g->wait_mask & w->live & ~g->mask);
                break;
            case GROUP_GRID: sbuf_puts(out, "at the grid barrier"); break;
            default: sbuf_puts(out, "to reconverge"); break;
            }
            sbuf_puts(out, ", ");
            const struct report_place at = place_of(g->frame->func, g->pc);
            report_put_place(out, &at);
        }
    if (lines > 16)
        sbuf_printf(out, "\n  and %u more groups", lines - 16);
    r->block = b;
    r->warp = b->warps;
    r->frame = first ? first->frame : NULL;
    struct report f = {.error = TERN_DEADLOCK, .message = out->failed ? NULL : out->data};
    raise_fault(r, &f, NULL, LANES);
}

/* ---- text that a kernel points at ---- */
static void get_string(struct run *r, const struct op *o, enum ir_space space, uint64_t address,
                       uint32_t lane, struct sbuf *out)
{
    if (!address) {
        sbuf_puts(out, "(null)");
        return;
    }
    for (uint64_t i = 0; i < UINT64_C(1) << 20; i++) {
        const char c = *interp_resolve(r, o, space, address + i, 1, false, lane);
        if (!c)
            return;
        sbuf_putc(out, c);
    }
}

static uint64_t arg_bits(struct run *r, const struct op *o, uint32_t index, uint32_t lane)
{
    const struct detail *x = o->x;
    return lane_bits(r->regs + x->args[index], storage_bytes(x->arg_types[index]), lane);
}

/* What %s shows, while a lane prints. */
struct reader {
    struct run *run;
    const struct op *op;
    uint32_t lane;
};

static const char *string_argument(void *ctx, size_t index, uint64_t address)
{
    const struct reader *x = ctx;
    struct sbuf *text = fresh_text(x->run, 1);
    const ir_type t = x->op->x->arg_types[index + 1];
    if (ir_kind(t) != IR_PTR)
        return NULL;
    get_string(x->run, x->op, ir_space(t), address, x->lane, text);
    return text->data ? text->data : "";
}

static void format(struct run *r, const struct op *o, uint32_t lane, struct sbuf *out)
{
    const struct detail *x = o->x;
    struct sbuf *text = fresh_text(r, 0);
    struct reader reader = {r, o, lane};
    uint64_t args[FORMAT_MAX_ARGS];
    const uint32_t n = x->nargs - 1 < FORMAT_MAX_ARGS ? x->nargs - 1 : FORMAT_MAX_ARGS;
    get_string(r, o, ir_space(x->arg_types[0]), arg_bits(r, o, 0, lane), lane, text);
    for (uint32_t k = 0; k < n; k++) {
        args[k] = arg_bits(r, o, k + 1, lane);
        if (ir_kind(x->arg_types[k + 1]) == IR_F32)
            args[k] = m_bits64(m_float((uint32_t)args[k]));
    }
    format_device(out, text->data ? text->data : "", args, n, string_argument, &reader);
}

const struct op *interp_printf(struct run *r, const struct op *o)
{
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        struct sbuf *out = fresh_text(r, 2);
        format(r, o, i, out);
        report_print(&r->machine->host.reports, out->data, out->len);
        if (o->x->nresults)
            set_lane(r->regs + o->dst, 4, i, o->x->nargs - 1);
    }
    return o + 1;
}

const struct op *interp_assertfail(struct run *r, const struct op *o)
{
    const struct detail *x = o->x;
    const uint32_t lane = (uint32_t)__builtin_ctz(r->mask);
    struct sbuf *text[3];
    static const uint32_t strings[3] = {0, 1, 3};
    for (unsigned i = 0; i < 3; i++) {
        text[i] = fresh_text(r, i);
        get_string(r, o, ir_space(x->arg_types[strings[i]]), arg_bits(r, o, strings[i], lane), lane,
                   text[i]);
    }
    interp_fail(r, TERN_ASSERT, o, lane, 0, REPORT_ASSERT_FORMAT,
                text[0]->data ? text[0]->data : "", text[1]->data ? text[1]->data : "",
                (unsigned)arg_bits(r, o, 2, lane), text[2]->data ? text[2]->data : "");
}
