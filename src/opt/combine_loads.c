/* Load combining: a number that is put together from bytes or halves side by side is one load,
 *
 *     p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24        as hashes and parsers read
 *     h[0] | h[1] << 16                                 as packed numbers are that lie at even
 * addresses
 *
 * on processors, which take the lowest byte first and load from any address: opt_combine_loads.
 * Two, four or eight bytes, all of which are loaded in one block with nothing written between, so
 * that the load reads what was read and no more. Not in passes.def: a target that wants it asks for
 * it. */
#include "opt/opt_int.h"

/* Bytes of a number, and instructions that are looked at for the loads of one. */
enum { MOST = 8, NEAR = 512 };

/* The address of a byte: a pointer, what is added to it, and a constant. */
struct spot {
    struct ir_value *base, *index; /* NULL: nothing */
    unsigned extension;            /* of the index: enum ir_op, or 0 */
    uint64_t offset;
};

struct leaf {
    struct ir_inst *load;
    struct spot at;
    uint64_t shift;
};

struct number {
    struct leaf leaf[MOST];
    unsigned n, bits; /* of each */
};

static unsigned low_zeros(struct ir_value *x)
{
    const struct ir_inst *i = opt_def(x);
    if (!i || (i->op != IR_OP_shl && i->op != IR_OP_mul) || !ir_is_const(i->args[1]))
        return 0;
    const uint64_t c = i->args[1]->u.bits;
    return i->op == IR_OP_shl ? c < 64 ? (unsigned)c : 0 : c ? (unsigned)__builtin_ctzll(c) : 0;
}

/* An index, which may be extended, with a constant added to it: that is taken out where it cannot
 * carry. */
static void add_index(struct spot *s, struct ir_value *index)
{
    const struct ir_inst *wide = opt_def(index);
    const bool extended = wide && (wide->op == IR_OP_zext || wide->op == IR_OP_sext);
    s->index = extended ? wide->args[0] : index;
    s->extension = extended ? wide->op : 0;
    const struct ir_inst *sum = opt_def(s->index);
    if (!sum || sum->op != IR_OP_add || !ir_is_const(sum->args[1]))
        return;
    const uint64_t c = sum->args[1]->u.bits;
    const unsigned zeros = low_zeros(sum->args[0]);
    if (extended && (zeros > 16 || c >> zeros))
        return;
    s->offset += c;
    s->index = sum->args[0];
}

static struct spot spot_of(struct ir_value *p)
{
    struct spot s = {.base = p};
    const struct ir_inst *i = opt_def(p);
    while (i && i->op == IR_OP_ptradd && ir_is_const(i->args[1])) {
        s.offset += i->args[1]->u.bits;
        s.base = i->args[0];
        i = opt_def(s.base);
    }
    if (i && i->op == IR_OP_ptradd) {
        s.base = i->args[0];
        add_index(&s, i->args[1]);
    }
    return s;
}

static bool is_leaf_of(const struct number *to, const struct ir_inst *load)
{
    return load && load->op == IR_OP_load && (load->type == IR_I8 || load->type == IR_I16) &&
           !(load->flags & ~(uint32_t)(IR_INVARIANT | IR_TYPED)) &&
           (!to->n || to->bits == ir_bits(load->type));
}

/* The bytes that x is made of, or the halves, each shifted to where it belongs. */
static bool collect(struct number *to, struct ir_value *x, uint64_t shift, unsigned depth)
{
    const struct ir_inst *i = opt_def(x);
    if (!i || depth > MOST || to->n == MOST)
        return false;
    switch (i->op) {
    case IR_OP_or:
        return collect(to, i->args[0], shift, depth + 1) &&
               collect(to, i->args[1], shift, depth + 1);
    case IR_OP_shl:
        return ir_is_const(i->args[1]) && i->args[1]->u.bits < 64 &&
               collect(to, i->args[0], shift + i->args[1]->u.bits, depth + 1);
    case IR_OP_zext: {
        struct ir_inst *load = opt_def(i->args[0]);
        if (!is_leaf_of(to, load))
            return false;
        to->bits = ir_bits(load->type);
        to->leaf[to->n++] = (struct leaf){load, spot_of(load->args[0]), shift};
        return true;
    }
    default: return false;
    }
}

static const struct leaf *lowest(const struct number *x)
{
    for (unsigned k = 0; k < x->n; k++)
        if (!x->leaf[k].shift)
            return &x->leaf[k];
    return NULL;
}

/* Every one once, and in order. */
static bool side_by_side(const struct number *x, const struct leaf *low)
{
    unsigned seen = 0;
    for (unsigned k = 0; k < x->n; k++) {
        const struct leaf *l = &x->leaf[k];
        if (l->shift % x->bits || l->shift / x->bits >= x->n || l->at.base != low->at.base ||
            l->at.index != low->at.index || l->at.extension != low->at.extension ||
            l->at.offset != low->at.offset + l->shift / 8 || l->load->flags != low->load->flags ||
            l->load->block != low->load->block)
            return false;
        seen |= 1u << l->shift / x->bits;
    }
    return seen == (1u << x->n) - 1;
}

static bool is_leaf(const struct number *x, const struct ir_inst *i)
{
    for (unsigned k = 0; k < x->n; k++)
        if (x->leaf[k].load == i)
            return true;
    return false;
}

/* The last of the loads, if nothing that writes stands between them; else NULL. */
static struct ir_inst *last_load(const struct number *x, struct ir_inst *before)
{
    struct ir_inst *last = NULL;
    unsigned found = 0, looked_at = 0;
    for (struct ir_inst *i = before; i && looked_at++ < NEAR; i = i->prev) {
        const uint32_t does = ir_op_info[i->op].flags;
        if (is_leaf(x, i)) {
            last = last ? last : i;
            if (++found == x->n)
                return last;
        } else if (last && does & (IR_WRITES | IR_EFFECT | IR_CONVERGENT)) {
            return NULL;
        }
    }
    return NULL;
}

/* What the bytes are as one load; NULL: it has to stay. */
static struct ir_value *combined(struct ir_inst *root)
{
    struct number x = {.n = 0};
    if (!collect(&x, &root->results[0], 0, 0) || (x.n != 2 && x.n != 4 && x.n != 8) ||
        x.bits * x.n > ir_bits(root->type))
        return NULL;
    const struct leaf *low = lowest(&x);
    if (!low || !side_by_side(&x, low))
        return NULL;
    struct ir_inst *last =
        last_load(&x, low->load->block == root->block ? root->prev : low->load->block->last);
    if (!last)
        return NULL;
    const ir_type t = x.bits * x.n == 16 ? IR_I16 : x.bits * x.n == 32 ? IR_I32 : IR_I64;
    struct ir_builder b = ir_builder_before(last->next);
    b.span = low->load->span;
    struct ir_value *v =
        ir_build_load(&b, t, low->load->args[0], low->load->align, low->load->flags & IR_INVARIANT);
    return t == root->type ? v : ir_build1(&b, IR_OP_zext, root->type, v);
}

static bool is_part(const struct ir_inst *i)
{
    return i->op == IR_OP_or && !ir_is_vector(i->type) && ir_bits(i->type) >= 16;
}

static void mark(bool *done, const struct ir_inst *i)
{
    if (!i || !is_part(i) || done[i->results[0].id])
        return;
    done[i->results[0].id] = true;
    for (unsigned k = 0; k < 2; k++)
        mark(done, opt_def(i->args[k]));
}

void opt_combine_loads(struct arena *scratch, struct ir_func *f)
{
    bool changed = false;
    ir_renumber(f);
    bool *done = arena_array(scratch, bool, f->nvalues + 1); /* part of one that was looked at */
    ir_each_block (b, f)
        for (struct ir_inst *i = b->last, *before; i; i = before) {
            before = i->prev;
            if (!is_part(i) || done[i->results[0].id])
                continue;
            struct ir_value *v = combined(i);
            if (!v)
                continue;
            mark(done, i);
            i->results[0].forward = v;
            changed = true;
        }
    if (!changed)
        return;
    ir_replace_forwarded(f);
    opt_dce(scratch, f);
}
