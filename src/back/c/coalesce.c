/* Gathers and scatters whose lanes lie at constant distances, close together: whole chunks of
 * memory, and shuffles. So are pairs exchanged in a sort, or real and imaginary parts read that lie
 * side by side.
 *
 * The range is the memory from the first to the last element, counted from the root of the address.
 * In shared memory, which has room on both sides, ranges of the same root begin at the same
 * places, so that the chunks of two that overlap are the same loads. Stores that follow each other
 * and fill a range together are one; what they leave out is put back as it was, which only shared
 * memory allows: it belongs to one worker. */
#include <limits.h>
#include "back/c/c_int.h"

enum { ROOM = 512 }; /* bytes on both sides of shared memory: as long as a range may be */

struct coalesced {
    const struct ir_inst *inst;
    struct lane_offsets at;
    int64_t first, origin; /* the least offset; where chunks are counted from */
    unsigned size, lanes;  /* bytes of an element; elements of a chunk */
    unsigned chunks;       /* of the range */
};

/* In elements from the origin. */
static unsigned position(const struct coalesced *w, unsigned lane)
{
    return (unsigned)((w->at.offset[lane] - w->origin) / w->size);
}

static bool find(struct cgen *g, const struct ir_inst *i, struct coalesced *w)
{
    ir_type t = i->op == IR_OP_gather ? i->type : i->args[1]->type;
    unsigned lanes = ir_lanes(t);
    const struct ir_inst *sum = i->args[0]->kind == IR_VALUE_RESULT ? i->args[0]->u.inst : NULL;
    w->inst = i;
    w->size = ir_bytes(ir_scalar(t));
    w->lanes = c_lanes(g, t);
    if (ir_kind(t) == IR_I1 || i->flags & IR_VOLATILE || ir_order(i->flags) || w->lanes < 2 ||
        !sum || sum->block != i->block || !lower_lane_offsets(i->args[0], &w->at) ||
        sum->args[0]->u.inst->block != i->block)
        return false;
    int64_t last = w->first = w->at.offset[0];
    for (unsigned l = 1; l < lanes; l++) {
        int64_t o = w->at.offset[l];
        w->first = o < w->first ? o : w->first;
        last = o > last ? o : last;
        if ((o - w->at.offset[0]) % w->size)
            return false;
    }
    int64_t elements = (last - w->first) / w->size + 1, bytes = (int64_t)w->size * w->lanes;
    if (elements > 2 * lanes)
        return false;
    w->origin = w->first;
    if (c_only_ours(i)) { /* from a multiple of its length on, if it fits */
        while (bytes < elements * w->size)
            bytes *= 2;
        int64_t from = w->first - (w->first % bytes + bytes) % bytes;
        if ((w->first - from) % w->size == 0 && last < from + bytes)
            w->origin = from;
    }
    w->chunks = (unsigned)((last - w->origin) / w->size) / w->lanes + 1;
    return w->chunks <= 2 * lanes / w->lanes && bytes <= ROOM;
}

/* Chunk k of the range in memory, from `early` elements before its place on. */
static const char *chunk_at(struct cgen *g, const struct coalesced *w, ir_type chunk, unsigned k,
                            unsigned early)
{
    unsigned align = w->inst->align < w->size ? w->inst->align : w->size;
    int64_t from =
        w->origin - w->at.from_root + ((int64_t)k * w->lanes - (int64_t)early) * (int64_t)w->size;
    return c_print(g, "*(%s *)(%s + %lld)", c_unaligned(g, chunk, align), c_value(g, w->at.at),
                   (long long)from);
}

/* In memory of others nothing behind the last element is read: the last chunk begins earlier, by so
 * many elements. */
static unsigned too_far(const struct coalesced *w, unsigned k)
{
    unsigned end = 0;
    for (unsigned l = 0; l < ir_lanes(w->inst->args[0]->type); l++)
        end = position(w, l) >= end ? position(w, l) + 1 : end;
    return !c_only_ours(w->inst) && (k + 1) * w->lanes > end ? (k + 1) * w->lanes - end : 0;
}

static const char *shuffle(struct cgen *g, const char *a, const char *b, const unsigned *index,
                           unsigned n)
{
    struct sbuf o;
    bool same = true;
    sbuf_init(&o, g->arena);
    sbuf_printf(&o, "__builtin_shufflevector(%s, %s", a, b);
    for (unsigned k = 0; k < n; k++) {
        sbuf_printf(&o, ", %u", index[k]);
        same &= index[k] == k;
    }
    sbuf_putc(&o, ')');
    return same ? a : o.data;
}

/* Which (at most two) of the things numbered by from[] lanes come from; index[] then counts in
 * both. False: more than two. */
static bool two_of(const unsigned *from, unsigned *index, unsigned n, unsigned of[2])
{
    unsigned have = 0;
    of[0] = of[1] = UINT_MAX;
    for (unsigned l = 0; l < n; l++) {
        unsigned k = 0;
        if (from[l] == UINT_MAX)
            continue;
        while (k < have && of[k] != from[l])
            k++;
        if (k == 2)
            return false;
        if (k == have)
            of[have++] = from[l];
        index[l] += k * n;
    }
    if (have < 2)
        of[1] = of[0];
    return true;
}

bool c_coalesced_load(struct cgen *g, const struct ir_inst *i, const char **out)
{
    struct coalesced w;
    ir_type chunk = c_chunk_type(g, i->type);
    bool whole = c_all_ones(i->args[1]);
    if ((!whole && !c_only_ours(i)) || !find(g, i, &w))
        return false;
    unsigned n = w.lanes, chunks = c_chunks(g, i->type), of[C_MAX_CHUNKS][2],
             index[C_MAX_CHUNKS][IR_MAX_LANES], early[C_MAX_CHUNKS];
    const char *name[C_MAX_CHUNKS] = {0}, *at[C_MAX_CHUNKS];
    for (unsigned k = 0; k < w.chunks; k++) {
        early[k] = too_far(&w, k);
        at[k] = chunk_at(g, &w, chunk, k, early[k]);
        if (early[k] > k * n) /* less than a chunk */
            return false;
    }
    for (unsigned k = 0; k < chunks; k++) {
        unsigned from[IR_MAX_LANES];
        for (unsigned l = 0; l < n; l++) {
            unsigned p = position(&w, k * n + l);
            from[l] = p / n;
            index[k][l] = p % n + early[p / n];
        }
        if (!two_of(from, index[k], n, of[k]))
            return false;
    }
    for (unsigned k = 0; k < chunks; k++) {
        for (unsigned s = 0; s < 2; s++)
            if (!name[of[k][s]]) {
                name[of[k][s]] = c_identifier(g, &g->locals, "near");
                c_line(g, "const %s %s = %s;", c_type(g, chunk), name[of[k][s]], at[of[k][s]]);
            }
        out[k] = shuffle(g, name[of[k][0]], name[of[k][1]], index[k], n);
        if (!whole) {
            ir_type bits = ir_like(c_integer(ir_bits(i->type)), chunk);
            out[k] = c_print(g, "(%s)((%s)%s & (%s)%s)", c_type(g, chunk), c_type(g, bits), out[k],
                             c_type(g, bits), c_mask_piece(g, i->args[1], ir_bits(i->type), k));
        }
    }
    return true;
}

/* ---- stores ---- */
enum { MOST_STORES = 8 };

struct group { /* stores to one range */
    struct coalesced w[MOST_STORES];
    unsigned n;
};

/* What chunk k of the range gets: from[] numbers chunks of values, of the first store first. */
static void sources(const struct group *s, unsigned k, unsigned *from, unsigned *index)
{
    unsigned n = s->w[0].lanes;
    for (unsigned l = 0; l < n; l++)
        from[l] = UINT_MAX, index[l] = 0;
    for (unsigned m = 0; m < s->n; m++)
        for (unsigned l = 0; l < ir_lanes(s->w[m].inst->args[1]->type); l++) {
            unsigned p = position(&s->w[m], l);
            if (p / n == k) {
                from[p % n] = m * C_MAX_CHUNKS + l / n;
                index[p % n] = l % n;
            }
        }
}

/* Can the group be stored by shuffles of two, and, outside shared memory, does it leave nothing
 * out? */
static bool can_store(const struct group *s)
{
    bool ours = c_only_ours(s->w[0].inst), whole = c_all_ones(s->w[0].inst->args[2]);
    unsigned n = s->w[0].lanes;
    for (unsigned k = 0; k < s->w[0].chunks; k++) {
        unsigned from[IR_MAX_LANES], index[IR_MAX_LANES], of[2];
        sources(s, k, from, index);
        for (unsigned l = 0; l < n; l++)
            if (from[l] == UINT_MAX && !ours)
                return false;
        if (!two_of(from, index, n, of) || (!ours && !whole))
            return false;
    }
    return true;
}

static bool add(struct cgen *g, struct group *s, const struct ir_inst *i)
{
    struct coalesced *w = &s->w[s->n];
    if (s->n == MOST_STORES || !find(g, i, w))
        return false;
    if (s->n) {
        const struct coalesced *first = &s->w[0];
        if (i->type != first->inst->type || i->args[2] != first->inst->args[2] ||
            i->args[0]->type != first->inst->args[0]->type || w->at.root != first->at.root)
            return false;
        if (w->origin != first->origin || w->chunks != first->chunks) { /* one that has both */
            int64_t origin = w->origin < first->origin ? w->origin : first->origin, end = 0;
            for (unsigned m = 0; m <= s->n; m++)
                for (unsigned l = 0; l < ir_lanes(i->args[1]->type); l++)
                    end = s->w[m].at.offset[l] > end || !(m | l) ? s->w[m].at.offset[l] : end;
            unsigned chunks = (unsigned)((end - origin) / w->size) / w->lanes + 1;
            if ((w->origin - first->origin) % w->size || chunks * w->lanes * w->size > ROOM ||
                chunks > 2 * c_chunks(g, i->args[1]->type))
                return false;
            for (unsigned m = 0; m <= s->n; m++)
                s->w[m].origin = origin, s->w[m].chunks = chunks;
        }
    }
    s->n++;
    return true;
}

static void write(struct cgen *g, const struct group *s)
{
    const struct coalesced *w = &s->w[0];
    ir_type t = w->inst->args[1]->type, chunk = c_chunk_type(g, t);
    struct ir_value *mask = w->inst->args[2];
    unsigned bits = ir_bits(t), n = w->lanes;
    ir_type words = ir_like(c_integer(bits), chunk), plain = c_unpointed(chunk);
    bool whole = c_all_ones(mask);
    for (unsigned k = 0; k < w->chunks; k++) {
        unsigned from[IR_MAX_LANES], index[IR_MAX_LANES], of[2], none = 0;
        sources(s, k, from, index);
        two_of(from, index, n, of);
        for (unsigned l = 0; l < n; l++)
            none += from[l] == UINT_MAX;
        if (none == n)
            continue;
        const char *x[2], *m[2], *at = chunk_at(g, w, chunk, k, 0);
        for (unsigned p = 0; p < 2; p++) {
            x[p] = c_chunk(g, s->w[of[p] / C_MAX_CHUNKS].inst->args[1], of[p] % C_MAX_CHUNKS);
            m[p] = whole ? NULL
                         : c_print(g, "(%s)%s", c_type(g, words),
                                   c_mask_piece(g, mask, bits, of[p] % C_MAX_CHUNKS));
        }
        const char *new = shuffle(g, x[0], x[1], index, n), *lanes = NULL;
        if (!whole)
            lanes = shuffle(g, m[0], m[1], index, n);
        if (none) {
            struct sbuf o;
            sbuf_init(&o, g->arena);
            sbuf_printf(&o, "(%s){", c_type(g, words));
            for (unsigned l = 0; l < n; l++)
                sbuf_printf(&o, from[l] == UINT_MAX ? "%s0" : "%s-1", l ? ", " : "");
            sbuf_putc(&o, '}');
            lanes = lanes ? c_print(g, "(%s & %s)", lanes, o.data) : o.data;
        }
        if (lanes)
            new = c_print(g, "%s(%s, %s, %s)", c_helper(g, "pick", plain), lanes, new, at);
        c_line(g, "%s = %s;", at, new);
    }
}

static bool follows(const struct ir_inst *i)
{
    return i->op == IR_OP_scatter && (c_all_ones(i->args[2]) || c_only_ours(i));
}

/* Stores with nothing but arithmetic between, of which i is one, as groups. False: some of them are
 * not to be written so, and none is then: all are where they stand. */
static bool run_of(struct cgen *g, const struct ir_inst *i, struct group *groups, unsigned *n,
                   const struct ir_inst **last)
{
    const struct ir_inst *first = i;
    unsigned all = 0;
    for (const struct ir_inst *p = i; p; p = p->prev)
        if (follows(p))
            first = p;
        else if (!(ir_op_info[p->op].flags & IR_PURE))
            break;
    *n = 0;
    for (const struct ir_inst *p = first; p; p = p->next) {
        if (!follows(p)) {
            if (!(ir_op_info[p->op].flags & IR_PURE))
                break;
            continue;
        }
        if (++all > MOST_STORES)
            return false;
        *last = p;
        unsigned k = 0;
        while (k < *n && !add(g, &groups[k], p))
            k++;
        if (k == *n) {
            groups[k].n = 0;
            if (!add(g, &groups[k], p))
                return false;
            ++*n;
        }
        const struct group *mine = &groups[k];
        const struct ir_value *root = mine->w[mine->n - 1].at.root;
        while (mine->n > 1 && ++k < *n) /* it comes before these now */
            if (!lower_other_object(root, groups[k].w[0].at.root))
                return false;
    }
    for (unsigned k = 0; k < *n; k++)
        if (!can_store(&groups[k]))
            return false;
    return true;
}

bool c_coalesced_store(struct cgen *g, const struct ir_inst *i)
{
    if (!follows(i))
        return false;
    struct group *groups = arena_array(g->arena, struct group, MOST_STORES);
    const struct ir_inst *last = i;
    unsigned n;
    if (!run_of(g, i, groups, &n, &last))
        return false;
    for (unsigned k = 0; i == last && k < n; k++)
        write(g, &groups[k]);
    return true;
}

static void unuse(struct cgen *g, const struct ir_value *x)
{
    if (x->kind != IR_VALUE_RESULT || !g->uses[x->id] || --g->uses[x->id])
        return;
    for (uint32_t k = 0; k < x->u.inst->nargs; k++)
        unuse(g, x->u.inst->args[k]);
}

/* A gather or scatter whose lanes are constants from one address. */
static bool at_offsets(const struct ir_inst *i, struct lane_offsets *is)
{
    return (i->op == IR_OP_gather || i->op == IR_OP_scatter) && lower_lane_offsets(i->args[0], is);
}

void c_fold_addresses(struct cgen *g, struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct lane_offsets is;
            if (!at_offsets(i, &is))
                continue;
            const struct ir_inst *sum = i->args[0]->u.inst;
            if (sum->block != b || sum->args[0]->u.inst->block != b)
                continue;
            if (is.at->kind == IR_VALUE_RESULT)
                g->uses[is.at->id] += 2; /* by each lane: it gets a name */
            unuse(g, i->args[0]);
        }
}

void c_near_addresses(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            struct lane_offsets is;
            if (!at_offsets(i, &is))
                continue;
            struct ir_inst *sum = i->args[0]->u.inst;
            struct ir_builder at = ir_builder_before(i);
            struct ir_value *all = ir_build1(&at, IR_OP_splat, sum->args[0]->type, is.at);
            i->args[0] = ir_build2(&at, IR_OP_ptradd, all->type, all, sum->args[1]);
        }
    ir_renumber(f);
}
