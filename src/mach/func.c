/* Functions of machine code: building them, the graph of their blocks, their text. */
#include <string.h>
#include "mach/mach.h"

struct mach_func *mach_func_new(struct arena *a, const struct mach_target *t, const char *name)
{
    struct mach_func *f = arena_new(a, struct mach_func);
    f->arena = a;
    f->target = t;
    f->name = name;
    return f;
}

uint32_t mach_block_new(struct mach_func *f)
{
    struct mach_block b = {.depth = f->depth};
    vec_push(f->arena, &f->blocks, b);
    return (uint32_t)f->blocks.len - 1;
}

void mach_block_begin(struct mach_func *f, uint32_t block)
{
    struct mach_block *b = &f->blocks.data[block];
    f->current = block;
    b->first = (uint32_t)f->insts.len;
    b->count = 0;
}

mach_reg mach_vreg(struct mach_func *f, unsigned class, unsigned bytes)
{
    struct mach_vreg v = {.class = (uint8_t) class,
                          .bytes = (uint8_t)bytes,
                          .remat = -1,
                          .hint = MACH_NONE,
                          .color = MACH_NONE};
    vec_push(f->arena, &f->vregs, v);
    return MACH_VIRTUAL + (mach_reg)f->vregs.len - 1;
}

mach_reg mach_block_param(struct mach_func *f, uint32_t block, unsigned class, unsigned bytes)
{
    mach_reg r = mach_vreg(f, class, bytes);
    vec_push(f->arena, &f->blocks.data[block].params, r);
    return r;
}

void mach_emit_unwind(struct mach_func *f, enum mach_unwind u)
{
    vec_last(&f->insts).unwind = u;
}

static struct mach_inst make(struct mach_func *f, unsigned op, const int64_t *ops, unsigned n)
{
    struct mach_inst i = {.op = (uint16_t)op,
                          .nops = (uint8_t)n,
                          .plain = f->plain,
                          .ops = (uint32_t)f->ops.len,
                          .loc = f->loc};
    vec_reserve(f->arena, &f->ops, f->ops.len + n);
    if (n)
        memcpy(f->ops.data + f->ops.len, ops, n * sizeof *ops);
    f->ops.len += n;
    return i;
}

void mach_emit(struct mach_func *f, unsigned op, const int64_t *ops, unsigned n)
{
    struct mach_inst i = make(f, op, ops, n);
    vec_push(f->arena, &f->insts, i);
    f->blocks.data[f->current].count++;
}

mach_reg mach_remat(struct mach_func *f, unsigned class, unsigned bytes, unsigned op,
                    const int64_t *ops, unsigned n)
{
    mach_reg r = mach_vreg(f, class, bytes);
    int64_t own[MACH_MAX_OPS];
    if (n)
        memcpy(own, ops, n * sizeof *ops);
    own[0] = r;
    struct mach_inst i = make(f, op, own, n);
    i.loc = 0; /* it may be made far from the line that wants it */
    mach_of(f, r)->remat = (int32_t)f->remats.len;
    vec_push(f->arena, &f->remats, i);
    return r;
}

void mach_end(struct mach_func *f, enum mach_end end)
{
    f->blocks.data[f->current].end = (uint8_t)end;
    f->blocks.data[f->current].loc = f->loc;
}

void mach_jump(struct mach_func *f, uint32_t to, const mach_reg *args, uint32_t nargs)
{
    struct mach_block *b = &f->blocks.data[f->current];
    b->end = MACH_JUMP;
    b->loc = f->loc;
    b->nedges = 1;
    b->edges[0] = (struct mach_edge){.to = to, .nargs = nargs};
    if (nargs) {
        b->edges[0].args = arena_array(f->arena, mach_reg, nargs);
        memcpy(b->edges[0].args, args, nargs * sizeof *args);
    }
}

void mach_branch(struct mach_func *f, uint32_t yes, uint32_t no)
{
    struct mach_block *b = &f->blocks.data[f->current];
    b->end = MACH_BRANCH;
    b->loc = f->loc;
    b->nedges = 2;
    b->edges[0] = (struct mach_edge){.to = yes};
    b->edges[1] = (struct mach_edge){.to = no};
}

uint32_t mach_slot_new(struct mach_func *f, uint64_t bytes, uint32_t align)
{
    struct mach_slot s = {.bytes = bytes, .align = align};
    vec_push(f->arena, &f->slots, s);
    return (uint32_t)f->slots.len - 1;
}

/* ---- fixed registers ---- */
enum { FIXED_HEAD = 4 + MACH_CLASSES }; /* op, nops, results, uses, clobbers */

void mach_fixed(struct mach_func *f, unsigned op, const int64_t *ops, unsigned nops,
                const struct mach_pin *results, unsigned nresults, const struct mach_pin *uses,
                unsigned nuses, const mach_set clobbers[MACH_CLASSES])
{
    int64_t all[FIXED_HEAD + MACH_MAX_OPS + 128];
    unsigned n = 0;
    all[n++] = op, all[n++] = nops, all[n++] = nresults, all[n++] = nuses;
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        all[n++] = clobbers ? (int64_t)clobbers[c] : 0;
    for (unsigned k = 0; k < nops; k++)
        all[n++] = ops[k];
    for (unsigned k = 0; k < nresults; k++)
        all[n++] = results[k].virtual, all[n++] = results[k].machine;
    for (unsigned k = 0; k < nuses; k++)
        all[n++] = uses[k].virtual, all[n++] = uses[k].machine;
    mach_emit(f, MACH_FIXED, all, n);
}

void mach_fixed_read(const struct mach_func *f, const struct mach_inst *i, struct mach_fixed *out)
{
    const int64_t *p = f->ops.data + i->ops;
    *out = (struct mach_fixed){.op = (unsigned)p[0],
                               .nops = (unsigned)p[1],
                               .nresults = (unsigned)p[2],
                               .nuses = (unsigned)p[3],
                               .ops = p + FIXED_HEAD};
    for (unsigned c = 0; c < MACH_CLASSES; c++)
        out->clobbers[c] = (mach_set)p[4 + c];
    out->results = out->ops + out->nops;
    out->uses = out->results + 2 * out->nresults;
}

static void add_use(struct mach_regs *out, int64_t *r)
{
    if (mach_is_virtual(*r))
        out->use[out->nuses++] = r;
}

static void add_result(struct mach_regs *out, int64_t *r)
{
    if (mach_is_virtual(*r))
        out->result[out->nresults++] = r;
}

void mach_regs_shared(const struct mach_func *f, const struct mach_inst *i, struct mach_regs *out)
{
    int64_t *ops = f->ops.data + i->ops;
    out->nresults = out->nuses = 0;
    out->tied = NULL;
    switch (i->op) {
    case MACH_NOP: return;
    case MACH_COPY:
        add_result(out, ops);
        add_use(out, ops + 1);
        return;
    case MACH_FRAME:
    case MACH_LOAD: add_result(out, ops); return;
    case MACH_STORE: add_use(out, ops); return;
    case MACH_FIXED: {
        int64_t *p = ops + FIXED_HEAD + ops[1];
        for (int64_t k = 0; k < ops[2]; k++, p += 2)
            add_result(out, p);
        for (int64_t k = 0; k < ops[3]; k++, p += 2)
            add_use(out, p);
        return;
    }
    default: return;
    }
}

void mach_count_uses(const struct mach_func *f, uint32_t *uses)
{
    struct mach_regs r;
    vec_each (uint32_t, at, &f->rpo) {
        const struct mach_block *b = &f->blocks.data[*at];
        for (uint32_t k = 0; k < b->count; k++) {
            mach_regs(f, &f->insts.data[b->first + k], &r);
            for (unsigned n = 0; n < r.nuses; n++)
                uses[*r.use[n] - MACH_VIRTUAL]++;
        }
        for (unsigned e = 0; e < b->nedges; e++)
            for (uint32_t k = 0; k < b->edges[e].nargs; k++)
                uses[b->edges[e].args[k] - MACH_VIRTUAL]++;
    }
}

/* ---- the graph ---- */
void mach_graph(struct mach_func *f)
{
    uint32_t n = (uint32_t)f->blocks.len, top = 0, done = 0;
    struct frame {
        uint32_t block, next;
    } *stack = arena_array(f->arena, struct frame, n + 1);
    uint32_t *post = arena_array(f->arena, uint32_t, n + 1);
    bool *seen = arena_array(f->arena, bool, n + 1);
    for (uint32_t b = 0; b < n; b++) {
        f->blocks.data[b].preds.len = 0;
        f->blocks.data[b].order = UINT32_MAX;
    }
    stack[top++] = (struct frame){0, 0};
    seen[0] = true;
    while (top) {
        struct frame *at = &stack[top - 1];
        const struct mach_block *b = &f->blocks.data[at->block];
        if (at->next == b->nedges) {
            post[done++] = at->block;
            top--;
            continue;
        }
        /* what is left first comes last: the way out of a loop, what is cold */
        uint32_t first = 0;
        if (b->nedges == 2) {
            const struct mach_block *x = &f->blocks.data[b->edges[0].to],
                                    *y = &f->blocks.data[b->edges[1].to];
            first = x->cold != y->cold ? !x->cold : x->depth > y->depth ? 1 : 0;
        }
        uint32_t to = b->edges[at->next++ ^ first].to;
        if (!seen[to]) {
            seen[to] = true;
            stack[top++] = (struct frame){to, 0};
        }
    }
    f->rpo.len = 0;
    for (uint32_t k = done; k--;) {
        f->blocks.data[post[k]].order = (uint32_t)f->rpo.len;
        vec_push(f->arena, &f->rpo, post[k]);
    }
    vec_each (uint32_t, at, &f->rpo) {
        struct mach_block *b = &f->blocks.data[*at];
        for (unsigned k = 0; k < b->nedges; k++)
            vec_push(f->arena, &f->blocks.data[b->edges[k].to].preds, *at);
    }
}

/* ---- text ---- */
static void print_reg(const struct mach_func *f, struct sbuf *o, int64_t r)
{
    if (mach_is_virtual(r))
        sbuf_printf(o, "%%%lld%s", (long long)r - MACH_VIRTUAL, mach_of(f, r)->spilled ? "!" : "");
    else
        sbuf_printf(o, "$%s%lld", f->target->classes[r / MACH_CLASS_SIZE].name,
                    (long long)r % MACH_CLASS_SIZE);
}

static void print_inst(const struct mach_func *f, struct sbuf *o, const struct mach_inst *i)
{
    const int64_t *ops = f->ops.data + i->ops;
    static const char *const names[] = {"nop", "copy", "fixed", "frame", "load", "store"};
    sbuf_printf(o, "    %s",
                i->op < MACH_SHARED ? names[i->op] : f->target->rows[i->op - MACH_SHARED].name);
    if (i->op == MACH_FIXED) {
        struct mach_fixed x;
        mach_fixed_read(f, i, &x);
        sbuf_printf(
            o, " %s:", x.op < MACH_SHARED ? names[x.op] : f->target->rows[x.op - MACH_SHARED].name);
        for (unsigned k = 0; k < x.nresults + x.nuses; k++) {
            sbuf_puts(o, k == x.nresults ? " | " : " ");
            print_reg(f, o, x.results[2 * k]);
            sbuf_putc(o, '@');
            print_reg(f, o, x.results[2 * k + 1]);
        }
    } else {
        const struct mach_row *r =
            i->op < MACH_SHARED ? NULL : &f->target->rows[i->op - MACH_SHARED];
        for (unsigned k = 0; k < i->nops; k++) {
            sbuf_puts(o, k ? ", " : " ");
            bool reg = r ? f->target->kinds[r->kind[k]].role == MACH_REG
                         : k == 0 || (k == 1 && i->op == MACH_COPY);
            if (reg)
                print_reg(f, o, ops[k]);
            else
                sbuf_printf(o, "%lld", (long long)ops[k]);
        }
    }
    sbuf_putc(o, '\n');
}

void mach_print(const struct mach_func *f, struct sbuf *o)
{
    sbuf_printf(o, "%s:\n", f->name);
    for (size_t n = 0; n < f->blocks.len; n++) {
        const struct mach_block *b = &f->blocks.data[n];
        sbuf_printf(o, "  block %zu (depth %u)", n, b->depth);
        for (size_t k = 0; k < b->params.len; k++) {
            sbuf_putc(o, ' ');
            print_reg(f, o, b->params.data[k]);
        }
        sbuf_putc(o, '\n');
        for (uint32_t k = 0; k < b->count; k++)
            print_inst(f, o, &f->insts.data[b->first + k]);
        static const char *const ends[] = {"open", "jump", "branch", "return", "dead"};
        sbuf_printf(o, "    -> %s", ends[b->end]);
        for (unsigned k = 0; k < b->nedges; k++) {
            sbuf_printf(o, " %u(", b->edges[k].to);
            for (uint32_t a = 0; a < b->edges[k].nargs; a++) {
                sbuf_puts(o, a ? ", " : "");
                print_reg(f, o, b->edges[k].args[a]);
            }
            sbuf_putc(o, ')');
        }
        sbuf_putc(o, '\n');
    }
}
