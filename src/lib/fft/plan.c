/* From axes to steps. A transform along an axis is
 *   one step, where a line of it fits where lines are held;
 *   for n = a b: lines of a, turned by twiddles, then lines of b, and written so that all is in
 * order; where a prime above 13 divides n: Bluestein's way, a convolution with a chirp by two
 * transforms of a length that has no such prime. Reals are taken in pairs as complex numbers, half
 * as many, where their number is even. */
#include <string.h>
#include "lib/fft/fft_int.h"

enum { MOST_TWIDDLES = 1 << 22 /* that the CPU has in one table, as large as the line */ };

/* One side of a transform along an axis: where it is, and its elements. */
struct side {
    enum fft_where where;
    size_t offset;
    int64_t stride, step;
    int kind; /* enum fft_load or fft_store */
    enum fft_type type;
    bool real;
    int flags;
};

/* All lines along an axis. */
struct lines {
    int nloops;
    struct fft_loop loops[FFT_LOOPS];
    int64_t real_n, limit;
    int chirp, product; /* tables */
};

bool fft_factor(int64_t n, int *radices, int *nradices)
{
    static const int odd[] = {13, 11, 7, 5, 3};
    int count = 0, twos = 0;
    for (; n % 2 == 0; n /= 2)
        twos++;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (; n % odd[i] == 0; n /= odd[i]) {
            if (count == FFT_RADICES)
                return false;
            radices[count++] = odd[i];
        }
    if (n != 1)
        return false;
    /* Eights; of what is left over, fours rather than twos. */
    while (twos > 0) {
        const int take = twos == 1 ? 1 : twos == 2 || twos == 4 ? 2 : 3;
        if (count == FFT_RADICES)
            return false;
        radices[count++] = 1 << take;
        twos -= take;
    }
    *nradices = count;
    return true;
}

static bool smooth(int64_t n)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13};
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* ---- tables ---- */

static int table(struct fft_program *p, int kind, int64_t a, int64_t b)
{
    for (int t = 0; t < p->ntables; t++)
        if (p->tables[t].kind == kind && p->tables[t].a == a && p->tables[t].b == b)
            return t;
    if (p->ntables == FFT_TABLES) {
        p->full = true;
        return 0;
    }
    struct fft_table *t = p->tables + p->ntables;
    *t = (struct fft_table){.kind = kind, .a = a, .b = b, .offset = p->table_bytes};
    t->bytes = fft_table_count(t) * fft_table_element(p, t);
    p->table_bytes += (t->bytes + 63) & ~(size_t)63;
    return p->ntables++;
}

/* ---- work areas: taken and given back in order ---- */

struct planner {
    struct fft_program *p;
    size_t taken;
};

static size_t take(struct planner *w, int64_t elements)
{
    const size_t at = w->taken;
    w->taken += ((size_t)elements * (w->p->wide ? 16 : 8) + 255) & ~(size_t)255;
    if (w->taken > w->p->work_bytes)
        w->p->work_bytes = w->taken;
    return at;
}

/* ---- steps ---- */

static int64_t distance(int64_t a)
{
    return a < 0 ? -a : a;
}

static int64_t loop_in(const struct fft_loop *l, const struct side *in)
{
    return distance(l->in_apart + l->in_index * in->stride);
}

static int64_t loop_out(const struct fft_loop *l, const struct side *out)
{
    return distance(l->out_apart + l->out_index * out->stride);
}

/* Neighbours first: the loop whose places are nearest in what is written, then in what is read. */
static void order_loops(struct fft_step *s, const struct side *in, const struct side *out)
{
    for (int i = 1; i < s->nloops; i++)
        for (int j = i; j > 0; j--) {
            struct fft_loop *a = s->loops + j - 1, *b = s->loops + j;
            const int64_t da = loop_out(a, out), db = loop_out(b, out);
            if (da < db || (da == db && loop_in(a, in) <= loop_in(b, in)))
                break;
            const struct fft_loop t = *a;
            *a = *b;
            *b = t;
        }
}

/* Two loops that are one: the outer goes on where the inner ends. */
static void join_loops(struct fft_step *s)
{
    int n = 0;
    for (int i = 0; i < s->nloops; i++) {
        struct fft_loop *l = s->loops + i, *to = n ? s->loops + n - 1 : NULL;
        if (l->count == 1)
            continue;
        if (to && l->in_apart == to->in_apart * to->count &&
            l->in_index == to->in_index * to->count && l->out_apart == to->out_apart * to->count &&
            l->out_index == to->out_index * to->count && l->twiddle == to->twiddle * to->count)
            to->count *= l->count;
        else
            s->loops[n++] = *l;
    }
    s->nloops = n;
}

static struct fft_stage_plan *push(struct fft_program *p, int64_t n, const struct lines *lines,
                                   const struct side *in, const struct side *out)
{
    if (p->nsteps == FFT_STEPS || lines->nloops > FFT_LOOPS) {
        p->full = true;
        return NULL;
    }
    struct fft_stage_plan *s = p->steps + p->nsteps++;
    *s = (struct fft_stage_plan){
        .n = n,
        .from = in->where,
        .to = out->where,
        .in_offset = in->offset,
        .out_offset = out->offset,
        .load = (enum fft_load)in->kind,
        .store = (enum fft_store)out->kind,
        .in_type = in->type,
        .out_type = out->type,
        .in_real = in->real,
        .out_real = out->real,
        .flags = in->flags | out->flags,
        .twiddles = -1,
        .fine = -1,
        .coarse = -1,
        .real_roots = -1,
        .roots = -1,
        .chirp = lines->chirp,
        .product = lines->product,
    };
    struct fft_step *t = &s->step;
    t->in_stride = in->stride;
    t->in_step = in->step;
    t->out_stride = out->stride;
    t->out_step = out->step;
    t->real_n = lines->real_n;
    t->limit = lines->limit;
    t->nloops = lines->nloops;
    memcpy(t->loops, lines->loops, sizeof t->loops);
    t->lines = 1;
    for (int l = 0; l < t->nloops; l++)
        t->lines *= t->loops[l].count;
    order_loops(t, in, out);
    join_loops(t);
    if (t->nloops) {
        if (loop_in(t->loops, in) < distance(in->stride * in->step))
            s->flags |= FFT_LOAD_ACROSS;
        if (loop_out(t->loops, out) < distance(out->stride * out->step))
            s->flags |= FFT_STORE_ACROSS;
    }
    if (lines->real_n && (s->load == FFT_LOAD_MERGED || s->store == FFT_STORE_SPLIT))
        s->real_roots = table(p, FFT_ROOTS, lines->real_n, lines->real_n / 2 + 1);
    return s;
}

static void push_lines(struct fft_program *p, int64_t n, const struct lines *lines,
                       const struct side *in, const struct side *out, int64_t order)
{
    struct fft_stage_plan *s = push(p, n, lines, in, out);
    if (!s)
        return;
    fft_factor(n, s->radices, &s->nradices);
    s->roots = table(p, FFT_ROOTS, n, n);
    if (order) {
        s->order = order;
        int bits = 0;
        while (order >> bits)
            bits++;
        s->step.shift = (bits + 1) / 2;
        const int64_t fine = (int64_t)1 << s->step.shift;
        s->step.columns = order / n;
        if (p->limits.host && order <= MOST_TWIDDLES) {
            s->twiddles = table(p, FFT_TWIDDLES, order, order / n);
        } else {
            s->fine = table(p, FFT_FINE, order, fine < order ? fine : order);
            s->coarse = table(p, FFT_COARSE, order, s->step.shift);
        }
    }
}

/* ---- lengths ---- */

/* The longest line that a step holds. Where others lie beside it, several are held at once, so that
 * memory is read in long pieces. */
static int64_t longest(const struct fft_program *p, bool across)
{
    if (p->limits.host)
        return fft_host_longest(p->wide, across);
    const int64_t lines = across ? 4 : 1;
    int64_t most = across ? 1024 : p->wide ? 4096 : 8192;
    while (lines * FFT_SPAN(most, lines, p->wide) * (p->wide ? 16 : 8) > (int64_t)p->limits.shared)
        most /= 2;
    return most;
}

/* The larger factor of n that is at most `most`, as near as possible to the square root; 0: none.
 */
static int64_t divisor(int64_t n, int64_t most)
{
    int64_t best = 0;
    for (int64_t a = 1; a <= most && a <= n / a; a++)
        if (n % a == 0) {
            best = a;
            if (n / a <= most)
                best = n / a;
        }
    return best;
}

/* A length of at least `least` without large primes: few small steps more than a power of two. That
 * of kernels is the power itself, where it is not much longer. */
static int64_t next_smooth(int64_t least, bool kernels)
{
    int64_t best = 1;
    while (best < least)
        best *= 2;
    const int64_t power = best;
    for (int64_t f = 1; f < best; f *= 5)
        for (int64_t t = f; t < best; t *= 3) {
            int64_t n = t;
            while (n < least)
                n *= 2;
            if (n < best)
                best = n;
        }
    return kernels && power <= best + best / 8 ? power : best;
}

static int64_t lines_of(const struct lines *l)
{
    int64_t n = 1;
    for (int i = 0; i < l->nloops; i++)
        n *= l->loops[i].count;
    return n;
}

/* Lines one after the other in a work area, on the side that is said. */
static void pack_loops(struct lines *l, int64_t n, bool in, bool out)
{
    int64_t apart = n;
    for (int i = 0; i < l->nloops; i++) {
        if (in)
            l->loops[i].in_apart = apart, l->loops[i].in_index = 0;
        if (out)
            l->loops[i].out_apart = apart, l->loops[i].out_index = 0;
        apart *= l->loops[i].count;
    }
}

static struct side work_side(const struct planner *w, size_t offset)
{
    return (struct side){.where = FFT_WORK,
                         .offset = offset,
                         .stride = 1,
                         .step = 1,
                         .type = w->p->wide ? FFT_F64 : FFT_F32};
}

static void emit(struct planner *w, int64_t n, const struct lines *lines, const struct side *in,
                 const struct side *out);

/* n = a b: index j = j1 b + j2 becomes k = k1 + a k2. */
static void emit_product(struct planner *w, int64_t n, int64_t a, const struct lines *lines,
                         const struct side *in, const struct side *out)
{
    const int64_t b = n / a;
    const size_t before = w->taken;
    struct lines first = *lines, second = *lines;
    struct side from = *in, middle, to = *out;
    if (lines->nloops >= FFT_LOOPS) {
        w->p->full = true;
        return;
    }
    /* What lies in a work area already stays where it is: a line is written where it was read. */
    const bool here = in->where == FFT_WORK && in->kind == FFT_LOAD_COMPLEX && !in->flags;
    if (here) {
        middle = *in;
        for (int i = 0; i < first.nloops; i++) {
            first.loops[i].out_apart = second.loops[i].in_apart = lines->loops[i].in_apart;
            first.loops[i].out_index = second.loops[i].in_index = lines->loops[i].in_index;
        }
    } else {
        middle = work_side(w, take(w, lines_of(lines) * n));
        pack_loops(&first, n, false, true);
        pack_loops(&second, n, true, false);
    }
    const int64_t stride = middle.step;
    for (int i = 0; i < first.nloops; i++)
        first.loops[i].twiddle = second.loops[i].twiddle = 0;
    first.loops[first.nloops++] = (struct fft_loop){b, 0, in->step, 0, stride, 1};
    second.loops[second.nloops++] = (struct fft_loop){a, 0, stride * b, 0, out->step, 0};
    from.step = in->step * b;
    middle.step = stride * b;
    middle.kind = FFT_STORE_COMPLEX;
    middle.flags = FFT_TWIDDLE;
    first.product = -1;
    push_lines(w->p, a, &first, &from, &middle, n);
    middle.step = stride;
    middle.kind = FFT_LOAD_COMPLEX;
    middle.flags = 0;
    to.step = out->step * a;
    emit(w, b, &second, &middle, &to);
    w->taken = before;
}

static void emit_chirp(struct planner *w, int64_t n, const struct lines *lines,
                       const struct side *in, const struct side *out)
{
    const int64_t m = next_smooth(2 * n - 1, !w->p->limits.host);
    const size_t before = w->taken;
    struct lines there = *lines, back = *lines;
    struct side from = *in, middle = work_side(w, take(w, lines_of(lines) * m)), to = *out;
    there.limit = back.limit = n;
    there.chirp = back.chirp = table(w->p, FFT_CHIRP, n, n);
    there.product = table(w->p, FFT_PRODUCT, n, m);
    pack_loops(&there, m, false, true);
    pack_loops(&back, m, true, false);
    from.flags |= FFT_CHIRP_IN;
    middle.kind = FFT_STORE_COMPLEX;
    middle.flags = FFT_TIMES | FFT_SWAP_OUT;
    emit(w, m, &there, &from, &middle);
    middle.kind = FFT_LOAD_COMPLEX;
    middle.flags = 0;
    to.flags |= FFT_SWAP_FIRST | FFT_CHIRP_OUT;
    emit(w, m, &back, &middle, &to);
    w->taken = before;
}

static void emit(struct planner *w, int64_t n, const struct lines *lines, const struct side *in,
                 const struct side *out)
{
    if (w->p->full)
        return;
    if (!smooth(n)) {
        emit_chirp(w, n, lines, in, out);
        return;
    }
    bool across = in->step * in->stride > 1 || out->step * out->stride > 1;
    if (w->p->limits.host)
        across = lines_of(lines) >= 4; /* see host/: lines are computed side by side */
    const int64_t most = longest(w->p, across);
    const int64_t a = n <= most ? 0 : divisor(n, longest(w->p, true));
    if (a <= 1)
        push_lines(w->p, n, lines, in, out, 0);
    else
        emit_product(w, n, a, lines, in, out);
}

/* ---- reals ---- */

static void emit_forwards(struct planner *w, int64_t n, struct lines *lines, struct side *in,
                          struct side *out)
{
    const int64_t h = n / 2;
    lines->real_n = n;
    in->real = true;
    if (n % 2) {
        in->kind = FFT_LOAD_REAL;
        out->kind = FFT_STORE_HALF;
        emit(w, n, lines, in, out);
        return;
    }
    in->kind = FFT_LOAD_PAIRS;
    out->kind = FFT_STORE_SPLIT;
    if (smooth(h) && h <= longest(w->p, w->p->limits.host)) {
        push_lines(w->p, h, lines, in, out, 0);
        return;
    }
    const size_t before = w->taken;
    struct lines there = *lines, back = *lines;
    struct side middle = work_side(w, take(w, lines_of(lines) * h));
    pack_loops(&there, h, false, true);
    pack_loops(&back, h, true, false);
    middle.kind = FFT_STORE_COMPLEX;
    emit(w, h, &there, in, &middle);
    middle.kind = FFT_LOAD_COMPLEX;
    push(w->p, 0, &back, &middle, out);
    w->taken = before;
}

static void emit_backwards(struct planner *w, int64_t n, struct lines *lines, struct side *in,
                           struct side *out)
{
    lines->real_n = n;
    out->real = true;
    in->flags |= FFT_SWAP_IN;
    out->flags |= FFT_SWAP_OUT;
    in->kind = n % 2 ? FFT_LOAD_HERMITE : FFT_LOAD_MERGED;
    out->kind = n % 2 ? FFT_STORE_REAL : FFT_STORE_PAIRS;
    emit(w, n % 2 ? n : n / 2, lines, in, out);
}

/* ---- axes ---- */

struct area {
    enum fft_where where;
    size_t offset;
    enum fft_type type;
    struct fft_layout layout;
};

static struct side axis_side(const struct area *a, int d)
{
    return (struct side){.where = a->where,
                         .offset = a->offset,
                         .stride = a->layout.stride[d],
                         .step = 1,
                         .type = a->type};
}

static struct lines axis_lines(const struct fft_problem *p, const int64_t *n, int axis,
                               const struct area *in, const struct area *out)
{
    struct lines l = {.chirp = -1, .product = -1};
    for (int d = p->rank - 1; d >= 0; d--)
        if (d != axis)
            l.loops[l.nloops++] = (struct fft_loop){.count = n[d],
                                                    .in_apart = in->layout.stride[d],
                                                    .out_apart = out->layout.stride[d]};
    l.loops[l.nloops++] = (struct fft_loop){
        .count = p->batch, .in_apart = in->layout.apart, .out_apart = out->layout.apart};
    return l;
}

static void emit_axis(struct planner *w, const struct fft_problem *p, const int64_t *n, int axis,
                      const struct area *in, const struct area *out)
{
    struct lines l = axis_lines(p, n, axis, in, out);
    struct side from = axis_side(in, axis), to = axis_side(out, axis);
    if (p->backwards) {
        from.flags |= FFT_SWAP_IN;
        to.flags |= FFT_SWAP_OUT;
    }
    emit(w, n[axis], &l, &from, &to);
}

static void emit_all(struct planner *w, const struct fft_problem *p)
{
    const struct area in = {FFT_IN, 0, p->in_type, p->in}, out = {FFT_OUT, 0, p->out_type, p->out};
    const int last = p->rank - 1;
    struct area at = in;
    int64_t n[FFT_RANK];
    memcpy(n, p->n, sizeof n);
    if (p->in_real) {
        struct lines l = axis_lines(p, n, last, &in, &out);
        struct side from = axis_side(&in, last), to = axis_side(&out, last);
        emit_forwards(w, n[last], &l, &from, &to);
        n[last] = n[last] / 2 + 1;
        at = out;
    }
    if (p->out_real)
        n[last] = n[last] / 2 + 1;
    struct area next = out;
    if (p->out_real) { /* what is read stays as it is */
        int64_t elements = p->batch, product = 1;
        next = (struct area){FFT_WORK, 0, p->wide ? FFT_F64 : FFT_F32, {{0}, 0}};
        for (int d = last; d >= 0; d--) {
            next.layout.stride[d] = product;
            product *= n[d];
        }
        next.layout.apart = product;
        elements *= product;
        bool needed = false;
        for (int d = 0; d < last; d++)
            needed |= n[d] > 1;
        if (needed)
            next.offset = take(w, elements);
    }
    for (int d = last; d >= 0; d--)
        if (n[d] > 1 && !(d == last && (p->in_real || p->out_real))) {
            emit_axis(w, p, n, d, &at, &next);
            at = next;
        }
    if (p->out_real) {
        n[last] = p->n[last];
        struct lines l = axis_lines(p, n, last, &at, &out);
        struct side from = axis_side(&at, last), to = axis_side(&out, last);
        emit_backwards(w, n[last], &l, &from, &to);
    } else if (!w->p->nsteps) { /* transforms of one element: a copy */
        emit_axis(w, p, n, last, &at, &out);
    }
}

bool fft_program_of(const struct fft_problem *p, const struct fft_limits *limits,
                    struct fft_program *out)
{
    *out = (struct fft_program){.wide = p->wide, .limits = *limits};
    struct planner w = {out, 0};
    emit_all(&w, p);
    if (limits->host) {
        out->buffer_at = out->work_bytes;
        out->buffer_bytes = fft_host_buffer(out);
        out->work_bytes += out->buffer_bytes * fft_host_tasks(limits->units);
    }
    return !out->full;
}
