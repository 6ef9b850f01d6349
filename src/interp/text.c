/* Device printf, and the reports of what went wrong. */
#include <inttypes.h>
#include <stdio.h>
#include "interp/interp_int.h"

/* ---- where ---- */
const struct line *interp_line(const struct interp_func *f, const struct op *o)
{
    if (!f || !o || o < f->ops || o >= f->ops + f->nops)
        return NULL;
    return &f->lines[o - f->ops];
}

static void put_line(struct sbuf *out, const struct interp_func *f, const struct op *o)
{
    const struct line *at = interp_line(f, o);
    if (at && at->path)
        sbuf_printf(out, "%s:%u:%u", at->path, at->line, at->column);
    else if (f)
        sbuf_printf(out, "'%s'", f->display);
    else
        sbuf_puts(out, "an unknown place");
}

static void put_triple(struct sbuf *out, const char *what, const uint32_t x[3])
{
    sbuf_printf(out, "%s (%u, %u, %u)", what, x[0], x[1], x[2]);
}

/* Fills the fault; the message so far says what, this adds where. */
static _Noreturn void raise_fault(struct run *r, enum tern_error e, const struct op *o,
                                  uint32_t lane, uint64_t address)
{
    struct interp *m = r->machine;
    struct interp_fault *f = &m->fault;
    const struct interp_func *func = r->frame ? r->frame->func : r->kernel;
    const struct line *at = interp_line(func, o);
    f->error = e;
    f->address = address;
    f->span = at ? at->span : (struct span){0, 0};
    snprintf(f->kernel, sizeof f->kernel, "%s", r->kernel ? r->kernel->display : "");
    if (o) {
        sbuf_puts(&m->message, "\n  at ");
        put_line(&m->message, func, o);
        if (func != r->kernel)
            sbuf_printf(&m->message, " in '%s'", func->display);
        for (const struct frame *call = r->frame; call && call->parent; call = call->parent) {
            sbuf_puts(&m->message, "\n  called from ");
            put_line(&m->message, call->parent->func, call->return_to - 1);
            if (call->depth > 8 && call == r->frame) {
                sbuf_printf(&m->message, " (%u calls deep)", call->depth);
                break;
            }
        }
    }
    sbuf_printf(&m->message, "\n  in kernel '%s'", f->kernel);
    if (r->block)
        memcpy(f->block, r->block->id, sizeof f->block);
    if (r->block && lane < LANES) {
        for (int d = 0; d < 3; d++)
            f->thread[d] = r->warp->tid[d][lane];
        put_triple(&m->message, ", block", f->block);
        put_triple(&m->message, ", thread", f->thread);
    }
    f->message = m->message.failed ? tern_error_text(e) : m->message.data;
    m->has_fault = true;
    longjmp(r->fault, 1);
}

static void begin_fault(struct run *r)
{
    struct interp *m = r->machine;
    memset(&m->fault, 0, sizeof m->fault);
    sbuf_free(&m->message);
    sbuf_init(&m->message, NULL);
}

_Noreturn void interp_fail(struct run *r, enum tern_error e, const struct op *o, uint32_t lane,
                           uint64_t address, const char *fmt, ...)
{
    begin_fault(r);
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&r->machine->message, fmt, ap);
    va_end(ap);
    raise_fault(r, e, o, lane, address);
}

/* ---- bad accesses ---- */
static void put_bytes(struct sbuf *out, uint64_t n)
{
    sbuf_printf(out, "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
}

static const char *const memory_names[] = {
    [INTERP_GLOBAL] = "global memory",    [INTERP_CONST] = "constant memory",
    [INTERP_PARAM] = "kernel parameters", [INTERP_HEAP] = "device heap",
    [INTERP_MANAGED] = "managed memory",
};

static void put_place(struct sbuf *out, const char *name, const char *memory, uint64_t base,
                      uint64_t size, uint64_t address, uint64_t n)
{
    if (address >= base && address - base < size) {
        if (n > size - (address - base))
            sbuf_puts(out, "across the end, ");
        sbuf_printf(out, "at offset %" PRIu64 " of ", address - base);
    } else if (address == base + size) {
        sbuf_puts(out, "right after the end of ");
    } else if (address > base) {
        put_bytes(out, address - base - size);
        sbuf_puts(out, " past the end of ");
    } else {
        put_bytes(out, base - address);
        sbuf_puts(out, " before the start of ");
    }
    sbuf_printf(out, name ? "'%s' (" : "%s (", name ? name : "an allocation without a name");
    put_bytes(out, size);
    sbuf_printf(out, ", %s)", memory);
}

static void describe_global(struct run *r, struct sbuf *out, uint64_t address, uint64_t n)
{
    struct interp *m = r->machine;
    if (address < 65536) {
        sbuf_puts(out, address ? ": near the null pointer" : ": the null pointer");
        return;
    }
    if (address >> WINDOW_SHIFT == WINDOW_FUNC) {
        sbuf_puts(out, ": the address of a function");
        return;
    }
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
    if (!a || (a == below && address - a->base >= a->was_size && past > UINT64_C(1) << 30)) {
        sbuf_puts(out, address - (uint64_t)(uintptr_t)m->window < m->window_size
                           ? ": no allocation is near"
                           : ": not an address of the device; a pointer of the host?");
        return;
    }
    sbuf_puts(out, ": ");
    put_place(out, a->name, memory_names[a->kind], a->base, a->was_size, address, n);
    if (!a->live)
        sbuf_puts(out, ", which has been freed");
    else if (!a->writable && address - a->base < a->size && n <= a->size - (address - a->base))
        sbuf_puts(out, ", which kernels may not write");
}

static void describe_shared(struct run *r, struct sbuf *out, uint64_t address, uint64_t n)
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
    if (!best) {
        sbuf_puts(out, ": the kernel has no shared memory");
        return;
    }
    sbuf_puts(out, ": ");
    put_place(out, best->name, best->dynamic ? "dynamic shared memory" : "shared memory",
              SPACE_BASE + best->offset, best->dynamic ? r->launch->shared : best->size, address,
              n);
}

static void describe_local(struct run *r, struct sbuf *out, uint64_t address, uint64_t n)
{
    const uint64_t offset = address - SPACE_BASE;
    const struct frame *f = r->frame;
    if (offset >= f->local_base + (uint64_t)f->func->local_bytes + 4096) {
        sbuf_puts(out, ": a local variable of a function that has returned, or none");
        return;
    }
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
    if (!best) {
        sbuf_puts(out, ": there are no local variables");
        return;
    }
    sbuf_puts(out, ": ");
    put_place(out, best->name, "local memory", SPACE_BASE + base, best->size, address, n);
}

_Noreturn void interp_fail_access(struct run *r, const struct op *o, enum ir_space space,
                                  uint64_t address, uint64_t n, bool write, uint32_t lane)
{
    begin_fault(r);
    struct sbuf *out = &r->machine->message;
    sbuf_printf(out, "%s of ", write ? "write" : "read");
    put_bytes(out, n);
    sbuf_printf(out, " at 0x%" PRIx64, address);
    if (space == IR_SPACE_SHARED)
        describe_shared(r, out, address, n);
    else if (space == IR_SPACE_LOCAL)
        describe_local(r, out, address, n);
    else
        describe_global(r, out, address, n);
    raise_fault(r, TERN_ILLEGAL_ADDRESS, o, lane, address);
}

/* ---- deadlocks ---- */
_Noreturn void interp_fail_deadlock(struct run *r, struct block *b)
{
    begin_fault(r);
    struct sbuf *out = &r->machine->message;
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
            put_line(out, g->frame->func, g->pc);
        }
    if (lines > 16)
        sbuf_printf(out, "\n  and %u more groups", lines - 16);
    r->block = b;
    r->warp = b->warps;
    r->frame = first ? first->frame : NULL;
    r->machine->fault.span = (struct span){0, 0};
    raise_fault(r, TERN_DEADLOCK, NULL, LANES, 0);
}

/* ---- text that a kernel points at ---- */
/* One of three buffers that the machine keeps. */
static struct sbuf *fresh_text(struct run *r, unsigned index)
{
    struct sbuf *b = &r->machine->text[index];
    b->len = 0;
    b->failed = false;
    if (b->cap)
        b->data[0] = 0;
    return b;
}

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

/* One conversion specification, at f after the %: its end, its letter, and how wide its argument
 * is. */
struct spec {
    char text[32]; /* with the length modifier that fits a 64-bit argument */
    char letter;
    unsigned bits; /* of an integer argument */
    int stars;
    const char *end;
};

static bool parse_spec(const char *f, struct spec *s)
{
    const char *start = f;
    size_t n = 0;
    memset(s, 0, sizeof *s);
    s->text[n++] = '%';
    s->bits = 32;
    while (*f && strchr("-+ #0123456789.*", *f) && n < 20) {
        s->stars += *f == '*';
        s->text[n++] = *f++;
    }
    for (; *f && strchr("hlLqjzt", *f); f++) {
        if (*f == 'h')
            s->bits = s->bits == 16 ? 8 : 16;
        else if (*f != 'L')
            s->bits = 64;
    }
    s->letter = *f;
    s->end = *f ? f + 1 : f;
    if (!*f || s->stars > 2 || f - start > 24)
        return false;
    if (strchr("diouxX", *f)) {
        s->text[n++] = 'l';
        s->text[n++] = 'l';
    } else if (*f == 'p') {
        s->text[n++] = '#';
    } else if (!strchr("fFeEgGaAcs", *f)) {
        return false;
    }
    s->text[n++] = *f;
    return true;
}

static uint64_t narrow(uint64_t v, unsigned bits, bool is_signed)
{
    if (bits == 64)
        return v;
    return is_signed ? (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits))
                     : v & ((UINT64_C(1) << bits) - 1);
}

/* The spec is checked above: the host's printf gets one argument of the right type. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PUT(value)                                                                                 \
    (s->stars == 0   ? snprintf(buf, sizeof buf, s->text, value)                                   \
     : s->stars == 1 ? snprintf(buf, sizeof buf, s->text, star[0], value)                          \
                     : snprintf(buf, sizeof buf, s->text, star[0], star[1], value))
static void put_arg(struct sbuf *out, const struct spec *s, const int star[2], uint64_t v,
                    const char *string)
{
    char buf[512];
    int n;
    if (strchr("di", s->letter))
        n = PUT((long long)narrow(v, s->bits, true));
    else if (strchr("ouxX", s->letter))
        n = PUT((unsigned long long)narrow(v, s->bits, false));
    else if (s->letter == 'c')
        n = PUT((int)(unsigned char)v);
    else if (s->letter == 's') {
        struct sbuf wide;
        if (!s->stars && !s->text[2]) {
            sbuf_puts(out, string);
            return;
        }
        sbuf_init(&wide, NULL);
        if (s->stars == 0)
            sbuf_printf(&wide, s->text, string);
        else if (s->stars == 1)
            sbuf_printf(&wide, s->text, star[0], string);
        else
            sbuf_printf(&wide, s->text, star[0], star[1], string);
        if (wide.data)
            sbuf_put(out, wide.data, wide.len);
        sbuf_free(&wide);
        return;
    } else {
        const double d = m_double(v);
        n = PUT(d);
    }
    if (n > 0)
        sbuf_put(out, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}
#pragma GCC diagnostic pop

static uint64_t arg_bits(struct run *r, const struct op *o, uint32_t index, uint32_t lane)
{
    const struct detail *x = o->x;
    return lane_bits(r->regs + x->args[index], storage_bytes(x->arg_types[index]), lane);
}

static void format(struct run *r, const struct op *o, uint32_t lane, struct sbuf *out)
{
    const struct detail *x = o->x;
    struct sbuf *text = fresh_text(r, 0);
    get_string(r, o, ir_space(x->arg_types[0]), arg_bits(r, o, 0, lane), lane, text);
    uint32_t next = 1;
    for (const char *f = text->data ? text->data : ""; *f;) {
        if (*f != '%') {
            const char *end = strchr(f, '%');
            const size_t n = end ? (size_t)(end - f) : strlen(f);
            sbuf_put(out, f, n);
            f += n;
            continue;
        }
        if (f[1] == '%') {
            sbuf_putc(out, '%');
            f += 2;
            continue;
        }
        struct spec s;
        int star[2] = {0, 0};
        if (!parse_spec(f + 1, &s) || next + (uint32_t)s.stars >= x->nargs) {
            /* Not a conversion, or nothing to convert: shown as it stands. */
            const char *end = s.end > f + 1 ? s.end : f + 1;
            sbuf_put(out, f, (size_t)(end - f));
            f = end;
            continue;
        }
        for (int i = 0; i < s.stars; i++)
            star[i] = (int)arg_bits(r, o, next++, lane);
        const ir_type t = x->arg_types[next];
        uint64_t v = arg_bits(r, o, next, lane);
        next++;
        if (ir_kind(t) == IR_F32)
            v = m_bits64(m_float((uint32_t)v));
        if (s.letter == 's') {
            struct sbuf *string = fresh_text(r, 1);
            if (ir_kind(t) == IR_PTR)
                get_string(r, o, ir_space(t), v, lane, string);
            put_arg(out, &s, star, v, string->data ? string->data : "");
        } else if (s.letter == 'p') {
            sbuf_printf(out, v ? "0x%" PRIx64 : "(nil)", v);
        } else {
            put_arg(out, &s, star, v, "");
        }
        f = s.end;
    }
}

const struct op *interp_printf(struct run *r, const struct op *o)
{
    const struct interp_host *h = &r->machine->host;
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        struct sbuf *out = fresh_text(r, 2);
        format(r, o, i, out);
        if (h->print && out->len)
            h->print(h->ctx, out->data, out->len);
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
    interp_fail(r, TERN_ASSERT, o, lane, 0, "assertion failed: %s\n  %s:%u: %s",
                text[0]->data ? text[0]->data : "", text[1]->data ? text[1]->data : "",
                (unsigned)arg_bits(r, o, 2, lane), text[2]->data ? text[2]->data : "");
}
