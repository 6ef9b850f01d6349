/* From colours to bytes: instructions with registers of the machine, copies at edges and around
 * calls, the frame, the order of blocks, branches, encoding. */
#include <string.h>
#include "mach/mach.h"

void mach_code_put(struct mach_code *c, unsigned op, const int64_t *ops, unsigned n)
{
    struct mach_func *f = c->f;
    struct mach_inst i = {
        .op = (uint16_t)op, .nops = (uint8_t)n, .ops = (uint32_t)f->ops.len, .loc = f->loc};
    vec_reserve(f->arena, &f->ops, f->ops.len + n);
    if (n)
        memcpy(f->ops.data + f->ops.len, ops, n * sizeof *ops);
    f->ops.len += n;
    vec_push(f->arena, &c->insts, i);
}

void mach_code_unwind(struct mach_code *c, enum mach_unwind u)
{
    vec_last(&c->insts).unwind = u;
}

/* ---- copies that happen at once ---- */
/* A place: a register of the machine, or MACH_VIRTUAL + a slot of the frame; or a constant. */
struct move {
    uint32_t to, from;
    mach_reg constant; /* the virtual register that it makes again, else MACH_NONE */
    uint8_t class, bytes;
    bool aside; /* reads what waits there */
};

struct moves {
    struct mach_code *c;
    VEC(struct move) list;
    uint32_t *readers, *writer; /* by place: how many read it; the move that writes it + 1 */
};

static void add_move(struct moves *m, uint32_t to, uint32_t from, mach_reg constant, unsigned class,
                     unsigned bytes)
{
    struct move x = {to, from, constant, (uint8_t) class, (uint8_t)bytes, false};
    if (constant == MACH_NONE && to == from)
        return;
    vec_push(m->c->f->arena, &m->list, x);
}

static uint64_t offset_of(const struct mach_func *f, uint32_t slot)
{
    return f->slots.data[slot].offset;
}

static void one_move(struct moves *m, const struct move *x)
{
    struct mach_code *c = m->c;
    struct mach_func *f = c->f;
    const struct mach_target *t = f->target;
    const mach_reg scratch = t->classes[x->class].scratch;
    const bool to_slot = x->to >= MACH_VIRTUAL;
    mach_reg to = to_slot ? scratch : x->to, value = to;
    if (x->constant != MACH_NONE) {
        const struct mach_inst *i = &f->remats.data[mach_of(f, x->constant)->remat];
        int64_t ops[MACH_MAX_OPS];
        memcpy(ops, f->ops.data + i->ops, i->nops * sizeof *ops);
        ops[0] = to;
        if (i->op == MACH_FRAME)
            t->frame(c, to, offset_of(f, (uint32_t)ops[1]));
        else
            mach_code_put(c, i->op, ops, i->nops);
    } else if (x->from >= MACH_VIRTUAL) {
        t->load(c, x->class, x->bytes, to, offset_of(f, x->from - MACH_VIRTUAL));
    } else if (to_slot) {
        value = x->from;
    } else {
        t->copy(c, x->class, x->bytes, to, x->from);
    }
    if (to_slot)
        t->store(c, x->class, x->bytes, value, offset_of(f, x->to - MACH_VIRTUAL));
}

/* A move may be made when nobody else still reads the place it writes. What is left when none may
 * are circles, each place with one reader: one value of each waits aside, in the scratch register,
 * or where slots of the frame take part (copies between them need that register) in a slot. */
static void make_moves(struct moves *m)
{
    struct mach_func *f = m->c->f;
    size_t n = m->list.len, done = 0, nready = 0;
    bool slots = false;
    if (!n)
        return;
    uint32_t *ready = arena_array(f->arena, uint32_t, n);
    bool *made = arena_array(f->arena, bool, n);
    for (size_t k = 0; k < n; k++) {
        struct move *x = &m->list.data[k];
        if (x->constant == MACH_NONE)
            m->readers[x->from]++;
        m->writer[x->to] = (uint32_t)k + 1;
        slots |= x->to >= MACH_VIRTUAL || (x->constant == MACH_NONE && x->from >= MACH_VIRTUAL);
    }
    for (size_t k = 0; k < n; k++)
        if (!m->readers[m->list.data[k].to])
            ready[nready++] = (uint32_t)k;
    for (size_t next = 0; done < n;) {
        while (nready) {
            uint32_t k = ready[--nready];
            struct move *x = &m->list.data[k];
            one_move(m, x);
            made[k] = true;
            done++;
            if (x->constant != MACH_NONE || x->aside || --m->readers[x->from])
                continue;
            uint32_t w = m->writer[x->from];
            if (w && !made[w - 1])
                ready[nready++] = w - 1;
        }
        while (next < n && made[next])
            next++;
        if (next == n)
            break;
        struct move *x = &m->list.data[next], *reader = NULL;
        uint32_t aside = slots ? MACH_VIRTUAL + f->aside : f->target->classes[x->class].scratch;
        for (size_t k = 0; k < n; k++)
            if (!made[k] && m->list.data[k].constant == MACH_NONE && m->list.data[k].from == x->to)
                reader = &m->list.data[k];
        struct move save = *reader; /* as wide as it is read */
        save.to = aside;
        one_move(m, &save);
        reader->from = aside;
        reader->aside = true;
        m->readers[x->to] = 0;
        ready[nready++] = (uint32_t)next;
    }
    for (size_t k = 0; k < n; k++) {
        struct move *x = &m->list.data[k];
        m->writer[x->to] = 0;
        if (x->constant == MACH_NONE)
            m->readers[x->from] = 0;
    }
    m->list.len = 0;
}

/* ---- a function's instructions, with registers of the machine ---- */
static int64_t colour(const struct mach_func *f, int64_t r)
{
    return mach_is_virtual(r) ? (int64_t)mach_of(f, r)->color : r;
}

static void move_to_param(struct moves *m, mach_reg param, mach_reg arg)
{
    struct mach_func *f = m->c->f;
    struct mach_vreg *p = mach_of(f, param), *a = mach_of(f, arg);
    if (!p->spilled && p->color == MACH_NONE)
        return; /* nobody reads it */
    uint32_t to = p->spilled ? MACH_VIRTUAL + p->slot - 1 : p->color;
    if (a->spilled && a->remat >= 0)
        add_move(m, to, 0, arg, p->class, p->bytes);
    else
        add_move(m, to, a->spilled ? MACH_VIRTUAL + a->slot - 1 : a->color, MACH_NONE, p->class,
                 p->bytes);
}

static void fixed(struct moves *m, const struct mach_inst *i)
{
    struct mach_func *f = m->c->f;
    struct mach_fixed x;
    mach_fixed_read(f, i, &x);
    for (unsigned k = 0; k < x.nuses; k++) {
        const struct mach_vreg *v = mach_of(f, x.uses[2 * k]);
        add_move(m, (uint32_t)x.uses[2 * k + 1], v->color, MACH_NONE, v->class, v->bytes);
    }
    make_moves(m);
    mach_fixed_read(f, i, &x);
    if (x.op == MACH_NOP && f->current == 0 && !x.nuses)
        f->target->enter(m->c);
    else if (x.op != MACH_NOP) {
        int64_t ops[MACH_MAX_OPS];
        memcpy(ops, x.ops, x.nops * sizeof *ops);
        mach_code_put(m->c, x.op, ops, x.nops);
    }
    mach_fixed_read(f, i, &x);
    for (unsigned k = 0; k < x.nresults; k++) {
        const struct mach_vreg *v = mach_of(f, x.results[2 * k]);
        if (v->color != MACH_NONE)
            add_move(m, v->color, (uint32_t)x.results[2 * k + 1], MACH_NONE, v->class, v->bytes);
    }
    make_moves(m);
}

static void instruction(struct moves *m, const struct mach_inst *i)
{
    struct mach_code *c = m->c;
    struct mach_func *f = c->f;
    const struct mach_target *t = f->target;
    const int64_t *ops = f->ops.data + i->ops;
    switch (i->op) {
    case MACH_NOP: return;
    case MACH_FIXED: fixed(m, i); return;
    case MACH_COPY: {
        int64_t to = colour(f, ops[0]), from = colour(f, ops[1]);
        const struct mach_vreg *v = mach_of(f, mach_is_virtual(ops[0]) ? ops[0] : ops[1]);
        if (to != from)
            t->copy(c, v->class, v->bytes, (mach_reg)to, (mach_reg)from);
        return;
    }
    case MACH_FRAME:
        t->frame(c, (mach_reg)colour(f, ops[0]), offset_of(f, (uint32_t)ops[1]));
        return;
    case MACH_LOAD:
    case MACH_STORE: {
        const struct mach_vreg *v = mach_of(f, ops[0]);
        (i->op == MACH_LOAD ? t->load : t->store)(c, v->class, v->bytes, v->color,
                                                  offset_of(f, (uint32_t)ops[1]));
        return;
    }
    default: break;
    }
    const struct mach_row *r = &t->rows[i->op - MACH_SHARED];
    int64_t real[MACH_MAX_OPS];
    for (unsigned k = 0; k < i->nops; k++)
        real[k] = t->kinds[r->kind[k]].role == MACH_REG ? colour(f, ops[k])
                  : i->framed && ops[k] >= 0 && ops[k] & MACH_SLOT
                      ? (int64_t)offset_of(f, (uint32_t)ops[k])
                      : ops[k];
    if (r->flags & MACH_TIED && real[0] != real[r->nresults]) {
        const struct mach_vreg *v = mach_of(f, ops[0]);
        t->copy(c, v->class, v->bytes, (mach_reg)real[0], (mach_reg)real[r->nresults]);
        real[r->nresults] = real[0];
    }
    if (r->flags & MACH_COPIES && real[0] == real[1] && r->nresults == 1)
        return;
    const enum mach_unwind unwind = i->unwind;
    mach_code_put(c, i->op, real, i->nops);
    mach_code_unwind(c, unwind);
}

/* The last two instructions of the block become one where the machine has one for both. */
static void pair(struct mach_code *c, uint32_t first)
{
    const struct mach_func *f = c->f;
    const size_t n = c->insts.len;
    if (!f->target->pair || n < first + 2)
        return;
    const struct mach_inst *a = &c->insts.data[n - 2], *b = &c->insts.data[n - 1];
    int64_t ops[MACH_MAX_OPS];
    unsigned nops;
    const unsigned op =
        f->target->pair(a->op, f->ops.data + a->ops, b->op, f->ops.data + b->ops, ops, &nops);
    if (!op)
        return;
    c->insts.len -= 2;
    mach_code_put(c, op, ops, nops);
}

static void frame_layout(struct mach_func *f)
{
    uint64_t at = (f->outgoing + 15) & ~(uint64_t)15;
    /* small pieces first: they are in reach of short offsets */
    for (int large = 0; large < 2; large++)
        vec_each (struct mach_slot, s, &f->slots) {
            if ((s->bytes > 64) != large)
                continue;
            uint64_t align = s->align ? s->align : 1;
            at = (at + align - 1) / align * align;
            s->offset = at;
            at += s->bytes;
        }
    f->frame_bytes =
        (at + f->target->frame_align - 1) / f->target->frame_align * f->target->frame_align;
}

static void write_block(struct moves *m, uint32_t at)
{
    struct mach_func *f = m->c->f;
    struct mach_block *b = &f->blocks.data[at];
    uint32_t first = (uint32_t)m->c->insts.len;
    f->current = at;
    for (uint32_t k = 0; k < b->count; k++) {
        const size_t had = m->c->insts.len;
        f->loc = f->insts.data[b->first + k].loc;
        instruction(m, &f->insts.data[b->first + k]);
        if (m->c->insts.len == had + 1)
            pair(m->c, first);
    }
    f->loc = b->loc;
    if (b->end == MACH_JUMP) {
        const struct mach_edge *e = &b->edges[0];
        for (uint32_t k = 0; k < e->nargs; k++)
            move_to_param(m, f->blocks.data[e->to].params.data[k], e->args[k]);
        make_moves(m);
    } else if (b->end == MACH_RETURN) {
        f->target->leave(m->c);
    } else if (b->end == MACH_DEAD || b->end == MACH_OPEN) {
        f->target->dead(m->c);
    }
    b->first = first;
    b->count = (uint32_t)m->c->insts.len - first;
}

/* ---- blocks ---- */
static bool is_passed(const struct mach_func *f, uint32_t b)
{
    const struct mach_block *x = &f->blocks.data[b];
    return !x->count && x->end == MACH_JUMP;
}

/* Where a jump to b gets to in the end, however many empty blocks there are; of those that go round
 * in a circle, to the first of them. */
static uint32_t through(const struct mach_func *f, uint32_t b)
{
    size_t steps = 0;
    while (is_passed(f, b) && steps++ < f->blocks.len)
        b = f->blocks.data[b].edges[0].to;
    if (steps <= f->blocks.len)
        return b;
    uint32_t first = b;
    for (uint32_t at = f->blocks.data[b].edges[0].to; at != b; at = f->blocks.data[at].edges[0].to)
        first = at < first ? at : first;
    return first;
}

struct placed {
    uint32_t *order, count;
};

static struct placed place_blocks(struct mach_func *f)
{
    struct placed p = {arena_array(f->arena, uint32_t, f->rpo.len + 1), 0};
    for (int cold = 0; cold < 2; cold++)
        vec_each (uint32_t, at, &f->rpo) {
            struct mach_block *b = &f->blocks.data[*at];
            if (b->cold != cold)
                continue;
            if (*at != 0 && through(f, *at) != *at)
                continue; /* nothing in it: jumps go past it */
            p.order[p.count++] = *at;
        }
    return p;
}

/* A jump back to the test of a loop is that test again, and a branch: one jump less each time
 * round. */
enum { MOST_AGAIN = 4 };

static bool is_test(const struct mach_func *f, const struct mach_block *from, uint32_t to,
                    const struct mach_block *head)
{
    return head->end == MACH_BRANCH && head->count <= MOST_AGAIN && to != 0 &&
           head->depth == from->depth && head->depth > 0 && head->order < from->order &&
           through(f, to) == to;
}

static struct mach_inst again(struct mach_func *f, struct mach_inst i)
{
    const uint32_t at = (uint32_t)f->ops.len;
    vec_reserve(f->arena, &f->ops, f->ops.len + i.nops);
    memcpy(f->ops.data + at, f->ops.data + i.ops, i.nops * sizeof(int64_t));
    f->ops.len += i.nops;
    i.ops = at;
    return i;
}

/* Branches at the ends of blocks, knowing what comes next. */
static void write_ends(struct mach_code *c, struct placed *p)
{
    struct mach_func *f = c->f;
    VEC(struct mach_inst) out = {0};
    struct span {
        uint32_t first, count;
    } *had = arena_array(f->arena, struct span, f->blocks.len + 1);
    for (uint32_t n = 0; n < p->count; n++) /* as they are before their ends are written */
        had[p->order[n]] =
            (struct span){f->blocks.data[p->order[n]].first, f->blocks.data[p->order[n]].count};
    vec_reserve(f->arena, &out, c->insts.len + (2 + MOST_AGAIN) * p->count + 8);
    for (uint32_t n = 0; n < p->count; n++) {
        struct mach_block *b = &f->blocks.data[p->order[n]];
        const struct mach_block *ends = b; /* the block whose end is written */
        uint32_t next = n + 1 < p->count ? p->order[n + 1] : UINT32_MAX;
        uint32_t first = (uint32_t)out.len, yes = 0, no = 0;
        for (uint32_t k = 0; k < b->count; k++)
            vec_push(f->arena, &out, c->insts.data[b->first + k]);
        if (b->end == MACH_JUMP) {
            no = through(f, b->edges[0].to);
            const struct span head = had[no];
            struct mach_block test = f->blocks.data[no];
            test.count = head.count;
            if (no != next && is_test(f, b, no, &test)) {
                for (uint32_t k = 0; k < head.count; k++) {
                    struct mach_inst i = again(f, c->insts.data[head.first + k]);
                    vec_push(f->arena, &out, i);
                }
                ends = &f->blocks.data[no];
            }
        }
        if (ends->end == MACH_BRANCH) {
            yes = through(f, ends->edges[0].to), no = through(f, ends->edges[1].to);
            struct mach_inst *i = &out.data[out.len - 1];
            *i = again(f, *i);
            int64_t *ops = f->ops.data + i->ops;
            if (yes == next && no != next) {
                i->op = (uint16_t)f->target->invert(i->op, ops);
                yes = no, no = next;
            }
            ops[i->nops - 1] = yes; /* the label comes last */
        }
        if ((b->end == MACH_JUMP || b->end == MACH_BRANCH) && no != next) {
            size_t before = c->insts.len;
            f->loc = b->loc;
            f->target->jump(c, no);
            for (size_t k = before; k < c->insts.len; k++)
                vec_push(f->arena, &out, c->insts.data[k]);
            c->insts.len = before;
        }
        b->first = first;
        b->count = (uint32_t)out.len - first;
    }
    c->insts.data = out.data, c->insts.len = out.len, c->insts.cap = out.cap;
}

static int label_of(const struct mach_target *t, const struct mach_row *r, unsigned nops)
{
    for (unsigned left = ((1u << nops) - 1) & ~(unsigned)r->regs; left; left &= left - 1)
        if (t->kinds[r->kind[__builtin_ctz(left)]].role == MACH_LABEL)
            return __builtin_ctz(left);
    return -1;
}

/* A jump to a block whose place is not known yet: written again when all are. */
struct ahead {
    uint32_t at, inst;
    int label;
};

struct writer {
    struct mach_code *c;
    struct mach_image *out;
    uint32_t loc;
    VEC(struct ahead) ahead;
};

/* The instruction's bytes to `bytes`, of which it gives the number; 0: an operand does not fit. How
 * many they are never depends on a label. */
static unsigned encode_one(struct writer *w, const struct mach_inst *i, const int64_t *ops,
                           uint8_t *bytes)
{
    const struct mach_target *t = w->c->f->target;
    const struct mach_row *r = &t->rows[i->op - MACH_SHARED];
    const unsigned size = t->encode(r, ops, bytes);
    if (!size) {
        w->out->failed = true;
        w->out->why = r->name;
    }
    return size;
}

/* The distance that a label stands for; that of a block to come, of a symbol or a literal is 0, and
 * filled in later. */
static int64_t distance(struct writer *w, uint32_t inst, const int64_t *ops, int label)
{
    struct mach_func *f = w->c->f;
    const struct mach_inst *i = &w->c->insts.data[inst];
    const uint32_t here = (uint32_t)w->out->code.len;
    if (ops[label] < MACH_SYMBOL) {
        const uint32_t to = f->blocks.data[ops[label]].offset;
        if (to != UINT32_MAX)
            return (int64_t)to - here;
        struct ahead a = {here, inst, label};
        vec_push(f->arena, &w->ahead, a);
        return 0;
    }
    struct mach_fixup x = {
        .at = here, .row = (uint16_t)(i->op - MACH_SHARED), .operand = (uint16_t)label};
    memcpy(x.ops, ops, i->nops * sizeof *ops);
    vec_push(w->out->arena, &w->out->fixups, x);
    return 0;
}

static bool encode_block(struct writer *w, const struct mach_block *b)
{
    struct mach_func *f = w->c->f;
    struct mach_image *out = w->out;
    uint8_t bytes[32];
    for (uint32_t k = b->first; k < b->first + b->count; k++) {
        const struct mach_inst *i = &w->c->insts.data[k];
        const int64_t *ops = f->ops.data + i->ops;
        int64_t own[MACH_MAX_OPS];
        const int label = label_of(f->target, &f->target->rows[i->op - MACH_SHARED], i->nops);
        if (label >= 0) {
            memcpy(own, ops, i->nops * sizeof *ops);
            own[label] = distance(w, k, ops, label);
            ops = own;
        }
        if (i->loc != w->loc) {
            struct mach_line line = {(uint32_t)out->code.len, i->loc};
            vec_push(out->arena, &out->lines, line);
            w->loc = i->loc;
        }
        const unsigned size = encode_one(w, i, ops, bytes);
        if (!size)
            return false;
        sbuf_put(&out->code, bytes, size);
        if (i->unwind) {
            struct mach_change change = {(uint32_t)out->code.len, i->unwind};
            vec_push(out->arena, &out->changes, change);
        }
    }
    return true;
}

static bool encode_ahead(struct writer *w, const struct ahead *a)
{
    struct mach_func *f = w->c->f;
    const struct mach_inst *i = &w->c->insts.data[a->inst];
    int64_t ops[MACH_MAX_OPS];
    uint8_t bytes[32];
    memcpy(ops, f->ops.data + i->ops, i->nops * sizeof *ops);
    const uint32_t to = f->blocks.data[ops[a->label]].offset;
    if (to == UINT32_MAX) {
        w->out->failed = true;
        w->out->why = "a jump to a block that is not there";
        return false;
    }
    ops[a->label] = (int64_t)to - a->at;
    const unsigned size = encode_one(w, i, ops, bytes);
    if (size)
        memcpy(w->out->code.data + a->at, bytes, size);
    return size;
}

static void encode_all(struct mach_code *c, struct placed *p, struct mach_image *out,
                       uint32_t symbol)
{
    struct mach_func *f = c->f;
    struct writer w = {.c = c, .out = out, .loc = UINT32_MAX};
    while (out->code.len % 16)
        sbuf_putc(&out->code, 0);
    const uint32_t base = (uint32_t)out->code.len;
    vec_each (struct mach_block, b, &f->blocks)
        b->offset = UINT32_MAX; /* not placed */
    for (uint32_t n = 0; n < p->count; n++) {
        struct mach_block *b = &f->blocks.data[p->order[n]];
        b->offset = (uint32_t)out->code.len;
        if (!encode_block(&w, b))
            return;
    }
    vec_each (struct ahead, a, &w.ahead)
        if (!encode_ahead(&w, a))
            return;
    struct mach_symbol *s = &out->symbols.data[symbol];
    s->offset = base;
    s->bytes = (uint32_t)out->code.len - base;
}

/* What debuggers find in the frame. */
static void tell_frame(const struct mach_func *f, struct mach_image *out, uint32_t symbol)
{
    out->symbols.data[symbol].records = f->records;
    vec_each (struct mach_local, l, &f->locals) {
        struct mach_place p = {symbol, l->id, l->align, f->below - offset_of(f, l->slot)};
        vec_push(out->arena, &out->places, p);
    }
    vec_each (struct mach_kept, k, &f->kept) {
        struct mach_keeps keeps = {symbol, *k};
        vec_push(out->arena, &out->keeps, keeps);
    }
}

/* What nobody reads, and does nothing else. */
static void drop_dead(struct mach_func *f)
{
    uint32_t *uses = arena_array(f->arena, uint32_t, f->vregs.len + 1);
    struct mach_regs r;
    mach_graph(f);
    for (unsigned count = 1; count < 3; count++) /* first count, then drop from the end */
        for (size_t n = f->rpo.len; n--;) {
            const struct mach_block *b = &f->blocks.data[f->rpo.data[n]];
            for (unsigned e = 0; count == 1 && e < b->nedges; e++)
                for (uint32_t k = 0; k < b->edges[e].nargs; k++)
                    uses[b->edges[e].args[k] - MACH_VIRTUAL]++;
            for (uint32_t k = b->count; k--;) {
                struct mach_inst *i = &f->insts.data[b->first + k];
                bool used = i->op == MACH_FIXED || i->op == MACH_STORE;
                mach_regs(f, i, &r);
                if (i->op >= MACH_SHARED)
                    used |= f->target->rows[i->op - MACH_SHARED].flags &
                                ~(unsigned)(MACH_LOADS | MACH_TIED | MACH_COPIES | MACH_TESTS |
                                            MACH_SETS) ||
                            !r.nresults;
                for (unsigned q = 0; q < r.nresults; q++)
                    used |= uses[*r.result[q] - MACH_VIRTUAL] != 0;
                for (unsigned q = 0; q < r.nuses; q++)
                    if (count == 1)
                        uses[*r.use[q] - MACH_VIRTUAL]++;
                    else if (!used)
                        uses[*r.use[q] - MACH_VIRTUAL]--;
                if (count == 2 && !used)
                    i->op = MACH_NOP;
            }
        }
}

/* Those that became nothing leave, so that nobody looks at them again. */
static void close_gaps(struct mach_func *f)
{
    VEC(struct mach_inst) out = {0};
    vec_reserve(f->arena, &out, f->insts.len);
    vec_each (uint32_t, at, &f->rpo) {
        struct mach_block *b = &f->blocks.data[*at];
        const uint32_t first = (uint32_t)out.len;
        for (uint32_t k = b->first; k < b->first + b->count; k++)
            if (f->insts.data[k].op != MACH_NOP)
                out.data[out.len++] = f->insts.data[k];
        b->first = first;
        b->count = (uint32_t)out.len - first;
    }
    vec_each (struct mach_block, b, &f->blocks)
        if (b->order == UINT32_MAX)
            b->count = 0;
    f->insts.data = out.data, f->insts.len = out.len, f->insts.cap = out.cap;
}

void mach_finish(struct mach_func *f, struct mach_image *out, uint32_t symbol)
{
    struct mach_live live;
    if (!f->stepped)
        mach_merge(f);
    drop_dead(f);
    if (!f->stepped) {
        mach_fold(f);
        close_gaps(f);
        mach_live(f, &live); /* neither of both changes it */
        mach_schedule(f, &live);
        mach_tie(f, &live);
    }
    f->aside = mach_slot_new(f, 64, 64);
    do {
        mach_spill(f);
    } while (!mach_color(f));
    frame_layout(f);
    struct mach_code c = {.f = f};
    struct moves m = {.c = &c};
    m.readers = arena_array(f->arena, uint32_t, MACH_VIRTUAL + f->slots.len + 1);
    m.writer = arena_array(f->arena, uint32_t, MACH_VIRTUAL + f->slots.len + 1);
    vec_reserve(f->arena, &c.insts, f->insts.len + f->insts.len / 4 + 64);
    vec_each (uint32_t, at, &f->rpo)
        write_block(&m, *at);
    struct placed p = place_blocks(f);
    write_ends(&c, &p);
    encode_all(&c, &p, out, symbol);
    tell_frame(f, out, symbol);
}

/* ---- the whole image ---- */
void mach_image_init(struct mach_image *i, struct arena *a)
{
    memset(i, 0, sizeof *i);
    i->arena = a;
    sbuf_init(&i->code, a);
    map_init(&i->known, a);
}

uint32_t mach_literal(struct mach_image *i, uint64_t low, uint64_t high)
{
    uint64_t both[2] = {low, high}, key = hash_bytes(both, sizeof both, 1);
    uintptr_t known = (uintptr_t)map_get(&i->known, key);
    if (known && i->literals.data[known - 1].half[0] == low &&
        i->literals.data[known - 1].half[1] == high)
        return (uint32_t)known - 1;
    struct mach_literal l = {{low, high}};
    vec_push(i->arena, &i->literals, l);
    map_set(&i->known, key, (void *)(uintptr_t)i->literals.len);
    return (uint32_t)i->literals.len - 1;
}

uint32_t mach_literals(struct mach_image *i, const uint64_t *part, unsigned n)
{
    uint64_t key = hash_bytes(part, n * sizeof *part, 2);
    uintptr_t known = (uintptr_t)map_get(&i->known, key);
    bool same = known && known - 1 + n / 2 <= i->literals.len;
    for (unsigned k = 0; same && k < n; k += 2)
        same = !memcmp(i->literals.data[known - 1 + k / 2].half, part + k, 2 * sizeof *part);
    if (same)
        return (uint32_t)known - 1;
    const uint32_t at = (uint32_t)i->literals.len;
    for (unsigned k = 0; k < n; k += 2) {
        struct mach_literal l = {{part[k], part[k + 1]}};
        vec_push(i->arena, &i->literals, l);
    }
    map_set(&i->known, key, (void *)(uintptr_t)(at + 1));
    return at;
}

uint32_t mach_symbol(struct mach_image *i, const char *name)
{
    struct mach_symbol s = {.name = name};
    vec_push(i->arena, &i->symbols, s);
    return (uint32_t)i->symbols.len - 1;
}

bool mach_link(const struct mach_target *t, struct mach_image *out)
{
    while (out->code.len % 16)
        sbuf_putc(&out->code, 0);
    out->literals_at = (uint32_t)out->code.len;
    vec_each (struct mach_literal, l, &out->literals) {
        sbuf_u64le(&out->code, l->half[0]);
        sbuf_u64le(&out->code, l->half[1]);
    }
    vec_each (struct mach_fixup, x, &out->fixups) {
        uint8_t bytes[32];
        uint32_t k = (uint32_t)x->ops[x->operand];
        int64_t to = x->ops[x->operand] & MACH_LITERAL ? (int64_t)out->literals_at + 16 * (int64_t)k
                                                       : (int64_t)out->symbols.data[k].offset;
        x->ops[x->operand] = to - x->at;
        unsigned size = t->encode(&t->rows[x->row], x->ops, bytes);
        if (!size) {
            out->failed = true;
            out->why = t->rows[x->row].name;
            return false;
        }
        memcpy(out->code.data + x->at, bytes, size);
    }
    return !out->failed;
}
