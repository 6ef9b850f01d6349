/* Gathers and scatters of lanes at constant distances from one address: chunks of memory and
 * shuffles where they lie close together (cpu_near.h), else a load or store each with its distance
 * in it. Others where machines have no instruction for them: a base and the index of each lane. The
 * vector of addresses is not computed then. */
#include <string.h>
#include "back/cpu_ops.h"

/* Chunks are whole registers, and the machine shuffles them. */
static bool shuffles(const struct cpu_sel *s, const struct cpu_near *w)
{
    return w->size * w->lanes == s->t->vector_bytes && w->size >= s->t->least_shuffled;
}

static bool loads_near(struct cpu_sel *s, const struct ir_inst *i, struct cpu_near_load *how)
{
    return cpu_near_load(i, s->t->vector_bytes, how) && shuffles(s, &how->w);
}

static bool stores_near(struct cpu_sel *s, const struct ir_inst *i, struct cpu_near_group *groups,
                        unsigned *n, const struct ir_inst **last)
{
    if (!cpu_near_stores(i, s->t->vector_bytes, groups, n, last))
        return false;
    for (unsigned k = 0; k < *n; k++)
        if (!shuffles(s, &groups[k].w[0]))
            return false;
    return true;
}

static bool finds_windows(const struct cpu_sel *s, const struct ir_inst *i,
                          const struct lane_offsets *at, struct cpu_near_windows *out);

struct ir_value *cpu_near_base(struct cpu_sel *s, const struct ir_inst *i)
{
    struct lane_offsets at;
    if ((i->op != IR_OP_gather && i->op != IR_OP_scatter) || i->flags & IR_VOLATILE ||
        ir_order(i->flags) || !lower_lane_offsets(i->args[0], &at))
        return NULL;
    const ir_type t = i->op == IR_OP_gather ? i->type : i->args[1]->type;
    if (ir_kind(t) == IR_I1)
        return NULL;
    struct cpu_near_load load;
    struct cpu_near_group groups[CPU_NEAR_STORES];
    struct cpu_near_windows windows[CPU_NEAR_CHUNKS];
    const struct ir_inst *last;
    unsigned n;
    const bool near =
        cpu_all_ones(i->args[i->nargs - 1]) ||
        (i->op == IR_OP_gather ? loads_near(s, i, &load) || finds_windows(s, i, &at, windows)
                               : stores_near(s, i, groups, &n, &last));
    return near ? cpu_address(s, at.at).base : NULL;
}

/* ---- chunks ---- */
static unsigned log_of(unsigned size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static mach_reg shuffle(struct cpu_sel *s, const struct cpu_near *w, mach_reg a, mach_reg b,
                        const unsigned *index)
{
    bool same = true;
    for (unsigned l = 0; l < w->lanes; l++)
        same &= index[l] == l;
    return same ? a : s->t->shuffle(s, w->size, a, b, index);
}

struct place {
    mach_reg base;
    int64_t offset;
};

static struct place place_of(struct cpu_sel *s, const struct lane_offsets *at)
{
    const struct cpu_address a = cpu_address(s, at->at);
    return (struct place){cpu_reg(s, a.base), a.offset};
}

static void load_chunks(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_near_load *how)
{
    const struct cpu_near *w = &how->w;
    const struct place p = place_of(s, &w->at);
    const ir_type chunk = ir_vector(i->type, w->lanes);
    const bool whole = cpu_all_ones(i->args[1]);
    mach_reg near[CPU_NEAR_CHUNKS], out[CPU_NEAR_CHUNKS], m[CPU_NEAR_CHUNKS];
    bool has[CPU_NEAR_CHUNKS] = {0};
    if (!whole)
        cpu_mask_as(s, i->args[1], log_of(w->size), m);
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++) {
        unsigned index[IR_MAX_LANES];
        for (unsigned l = 0; l < w->lanes; l++)
            index[l] = how->index[k][l];
        for (unsigned q = 0; q < 2; q++) {
            const unsigned of = how->of[k][q];
            if (!has[of])
                near[of] =
                    s->t->load(s, chunk, p.base, p.offset + cpu_near_offset(w, of, how->early[of]));
            has[of] = true;
        }
        out[k] = shuffle(s, w, near[how->of[k][0]], near[how->of[k][1]], index);
        if (!whole)
            out[k] = s->t->pick(s, log_of(w->size), m[k], out[k], MACH_NONE);
    }
    cpu_set_all(s, i, out);
}

/* A chunk of ones where has[]. */
static mach_reg ones_where(struct cpu_sel *s, const struct cpu_near *w, const bool *has)
{
    uint8_t bytes[64] = {0};
    for (unsigned l = 0; l < w->lanes; l++)
        memset(bytes + l * w->size, has[l] ? 255 : 0, w->size);
    return cpu_literal(s, bytes);
}

static void store_group(struct cpu_sel *s, const struct cpu_near_group *g)
{
    const struct cpu_near *w = &g->w[0];
    const struct place p = place_of(s, &w->at);
    struct ir_value *mask = w->inst->args[2];
    const ir_type chunk = ir_vector(w->inst->args[1]->type, w->lanes);
    const bool whole = cpu_all_ones(mask);
    mach_reg masks[CPU_NEAR_CHUNKS];
    if (!whole)
        cpu_mask_lanes(s, mask, log_of(w->size), masks);
    for (unsigned k = 0; k < w->chunks; k++) {
        unsigned index[IR_MAX_LANES], of[2];
        bool has[IR_MAX_LANES];
        const unsigned none = cpu_near_sources(g, k, of, index, has);
        if (none == w->lanes)
            continue;
        mach_reg x[2], m[2] = {MACH_NONE, MACH_NONE}, lanes = MACH_NONE;
        for (unsigned q = 0; q < 2; q++) {
            x[q] =
                cpu_regs(s, g->w[of[q] / CPU_NEAR_CHUNKS].inst->args[1])[of[q] % CPU_NEAR_CHUNKS];
            if (!whole)
                m[q] = masks[of[q] % CPU_NEAR_CHUNKS];
        }
        const int64_t at = p.offset + cpu_near_offset(w, k, 0);
        mach_reg new = shuffle(s, w, x[0], x[1], index);
        if (!whole)
            lanes = shuffle(s, w, m[0], m[1], index);
        if (none) {
            const mach_reg some = ones_where(s, w, has);
            lanes = lanes == MACH_NONE ? some : cpu_v2(s, s->t->vectors->and, some, lanes);
        }
        if (lanes != MACH_NONE && s->t->masks)
            lanes = s->t->masks->narrow(s, log_of(w->size), lanes);
        if (lanes != MACH_NONE)
            new = s->t->pick(s, log_of(w->size), lanes, new, s->t->load(s, chunk, p.base, at));
        s->t->store(s, chunk, new, p.base, at);
    }
}

/* ---- windows ---- */
/* Which lanes run, of a mask that is known; false: it is not, or none does. */
static bool known_lanes(const struct ir_value *mask, unsigned lanes, bool *runs)
{
    unsigned n = 0;
    for (unsigned l = 0; l < lanes; l++) {
        uint64_t one;
        if (!lower_lane(mask, l, &one))
            return false;
        runs[l] = one & 1;
        n += runs[l];
    }
    return n > 0;
}

static bool finds_windows(const struct cpu_sel *s, const struct ir_inst *i,
                          const struct lane_offsets *at, struct cpu_near_windows *out)
{
    const unsigned size = ir_bytes(ir_scalar(i->type)), lanes = ir_lanes(i->type),
                   n = cpu_lanes(s, i->type);
    bool runs[IR_MAX_LANES];
    if (size < s->t->least_shuffled || lanes % n || size * n < 16 ||
        !known_lanes(i->args[1], lanes, runs))
        return false;
    for (unsigned k = 0; k < lanes; k += n)
        if (!cpu_near_windows(at, runs, lanes, size, k, n, out + k / n) || 2 * out[k / n].n > n)
            return false; /* a load and a shuffle each, against a load for each lane */
    return true;
}

/* Two at a time: lanes lie where they belong then. */
static mach_reg join_windows(struct cpu_sel *s, unsigned size, const struct cpu_near_windows *w,
                             mach_reg *v)
{
    const unsigned all = s->t->vector_bytes / size;
    unsigned from[IR_MAX_LANES] = {0}, index[IR_MAX_LANES] = {0}, pair[IR_MAX_LANES];
    for (unsigned l = 0; l < w->lanes; l++)
        from[l] = w->from[l], index[l] = w->index[l];
    for (unsigned n = w->n, first = 1; first || n > 1; n = (n + 1) / 2, first = 0) {
        for (unsigned k = 0; k < n; k += 2) {
            for (unsigned l = 0; l < all; l++)
                pair[l] = from[l] / 2 != k / 2 ? l : index[l] + from[l] % 2 * all;
            if (first || k + 1 < n)
                v[k / 2] = s->t->shuffle(s, size, v[k], v[k + 1 < n ? k + 1 : k], pair);
            else
                v[k / 2] = v[k];
        }
        for (unsigned l = 0; l < all; l++)
            from[l] /= 2, index[l] = l;
    }
    return v[0];
}

/* Two windows cost less than parts of a chunk do. */
enum { CHEAP = 2 };

/* Chunk k by its parts; lanes that do not run come from where another one does. */
static bool load_parts(struct cpu_sel *s, const struct ir_inst *i, const struct lane_offsets *at,
                       const struct place *p, unsigned k, mach_reg *out)
{
    const unsigned n = cpu_lanes(s, i->type), lanes = ir_lanes(i->type);
    mach_reg base[IR_MAX_LANES];
    int64_t offset[IR_MAX_LANES];
    bool runs[IR_MAX_LANES];
    if (!s->t->load_parts || !known_lanes(i->args[1], lanes, runs))
        return false;
    for (unsigned l = 0; l < n; l++) {
        const unsigned first = k * n;
        unsigned from = l;
        for (unsigned by = 1; !runs[first + from] && by < n; by++)
            from = l ^ by;
        if (!runs[first + from])
            return false;
        base[l] = p->base;
        offset[l] = p->offset + at->offset[first + from] - at->from_root;
    }
    return s->t->load_parts(s, log_of(ir_bytes(ir_scalar(i->type))), n, base, offset, out);
}

/* Ones in the lanes of chunk k that run. */
static mach_reg running(struct cpu_sel *s, const struct ir_inst *i, unsigned k)
{
    const unsigned n = cpu_lanes(s, i->type), size = ir_bytes(ir_scalar(i->type));
    uint8_t bytes[64] = {0};
    bool runs[IR_MAX_LANES];
    known_lanes(i->args[1], ir_lanes(i->type), runs);
    for (unsigned l = 0; l < n; l++)
        memset(bytes + l * size, runs[k * n + l] ? 255 : 0, size);
    return cpu_literal(s, bytes);
}

/* Blocks of numbers, each with a scale of its own, are read once, from the first to the last, but
 * by gangs in an order that processors do not foresee: what lies so many bytes behind is asked for.
 */
enum { AHEAD = 2048, LEAST_ASKED = 128, LINE = 64 };

static bool is_asked(struct cpu_sel *s, mach_reg base, int64_t line)
{
    for (uint32_t k = 0; k < CPU_MOST_ASKED && k < s->nasked; k++)
        if (s->asked[k].base == base && s->asked[k].number == line)
            return true;
    s->asked[s->nasked++ % CPU_MOST_ASKED] = (struct cpu_line){base, line};
    return false;
}

static void ask_ahead(struct cpu_sel *s, const struct ir_inst *i, const struct lane_offsets *at,
                      const struct place *p)
{
    const unsigned size = ir_bytes(ir_scalar(i->type)), lanes = ir_lanes(i->type);
    bool runs[IR_MAX_LANES];
    if (ir_space(i->args[0]->type) != IR_SPACE_GLOBAL || !known_lanes(i->args[1], lanes, runs))
        return;
    const struct cpu_near_span all = cpu_near_span(at, runs, lanes, size);
    const int64_t from = p->offset + all.first - at->from_root,
                  end = p->offset + all.end - at->from_root;
    for (int64_t o = from & -LINE; end - from >= LEAST_ASKED && o < end; o += LINE)
        if (!is_asked(s, p->base, o))
            s->t->prefetch(s, p->base, o + AHEAD);
}

static void load_windows(struct cpu_sel *s, const struct ir_inst *i, const struct lane_offsets *at,
                         const struct cpu_near_windows *w)
{
    const struct place p = place_of(s, at);
    const unsigned size = ir_bytes(ir_scalar(i->type));
    const bool whole = cpu_all_ones(i->args[1]);
    mach_reg out[CPU_NEAR_CHUNKS], v[CPU_NEAR_WINDOWS];
    ask_ahead(s, i, at, &p);
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++) {
        if (w[k].n <= CHEAP || !load_parts(s, i, at, &p, k, &out[k])) {
            for (unsigned q = 0; q < w[k].n; q++)
                v[q] = s->t->load(s, ir_vector(i->type, w[k].lanes), p.base,
                                  p.offset + w[k].offset[q]);
            out[k] = join_windows(s, size, &w[k], v);
        }
        if (!whole)
            out[k] = cpu_v2(s, s->t->vectors->and, out[k], running(s, i, k));
    }
    cpu_set_all(s, i, out);
}

/* ---- lanes ---- */
static void load_each(struct cpu_sel *s, const struct ir_inst *i, const struct lane_offsets *at)
{
    struct cpu_near_windows windows[CPU_NEAR_CHUNKS];
    if (finds_windows(s, i, at, windows)) {
        load_windows(s, i, at, windows);
        return;
    }
    const struct place p = place_of(s, at);
    const ir_type e = ir_scalar(i->type);
    const unsigned n = cpu_lanes(s, i->type);
    mach_reg out[CPU_NEAR_CHUNKS], base[IR_MAX_LANES];
    int64_t offset[IR_MAX_LANES];
    for (unsigned l = 0; l < ir_lanes(i->type); l++) {
        base[l] = p.base;
        offset[l] = p.offset + at->offset[l] - at->from_root;
    }
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++)
        out[k] = s->t->load_lanes(s, e, n, base + k * n, offset + k * n);
    cpu_set_all(s, i, out);
}

static void store_each(struct cpu_sel *s, const struct ir_inst *i, const struct lane_offsets *at)
{
    const struct place p = place_of(s, at);
    const ir_type t = i->args[1]->type;
    const unsigned n = cpu_lanes(s, t);
    const mach_reg *v = cpu_regs(s, i->args[1]);
    for (unsigned l = 0; l < ir_lanes(t); l++)
        s->t->store_lane(s, ir_scalar(t), v[l / n], l % n, p.base,
                         p.offset + at->offset[l] - at->from_root);
}

bool cpu_near_select(struct cpu_sel *s, struct ir_inst *i)
{
    if (!cpu_near_base(s, i))
        return false;
    if (cpu_store_columns(s, i))
        return true;
    struct lane_offsets at;
    struct cpu_near_load load;
    struct cpu_near_group groups[CPU_NEAR_STORES];
    const struct ir_inst *last = i;
    unsigned n;
    lower_lane_offsets(i->args[0], &at);
    if (i->op == IR_OP_gather) {
        if (loads_near(s, i, &load))
            load_chunks(s, i, &load);
        else
            load_each(s, i, &at);
    } else if (stores_near(s, i, groups, &n, &last)) {
        for (unsigned k = 0; i == last && k < n; k++)
            store_group(s, &groups[k]);
    } else {
        store_each(s, i, &at);
    }
    return true;
}

/* ---- lanes that are each somewhere ---- */
bool cpu_far(const struct cpu_sel *s, const struct ir_inst *i, struct cpu_far *out)
{
    if (!(s->t->by_index || s->t->indexed) || (i->op != IR_OP_gather && i->op != IR_OP_scatter) ||
        i->flags & IR_VOLATILE || ir_order(i->flags) ||
        !(s->t->indexed || cpu_all_ones(i->args[i->nargs - 1])))
        return false;
    const struct ir_value *p = i->args[0];
    const ir_type t = i->op == IR_OP_gather ? i->type : i->args[1]->type;
    if (p->kind != IR_VALUE_RESULT || p->u.inst->op != IR_OP_ptradd ||
        p->u.inst->block != i->block || ir_kind(t) == IR_I1)
        return false;
    out->base = cpu_splatted(p->u.inst->args[0]);
    return out->base &&
           cpu_indexed(p->u.inst, CPU_MOST_SHIFT, &out->index, &out->shift, &out->is_signed) &&
           (!s->t->indexed || (cpu_lane_bits(t) == 32 && out->shift == 2));
}

/* Numbers that are only loaded to look elements up with are loaded one by one: they are wanted in
 * registers of integers. Adding a scalar to each changes nothing of that. */
enum { MOST_SINGLE = 16 };

static bool comes_singly(const struct ir_inst *user, const struct ir_value *v)
{
    if (v->kind != IR_VALUE_RESULT || v->u.inst->block != user->block ||
        ir_lanes(v->type) > MOST_SINGLE || ir_kind(v->type) != IR_I32)
        return false;
    const struct ir_inst *i = v->u.inst;
    return i->op == IR_OP_load && !(i->flags & IR_VOLATILE) && !ir_order(i->flags);
}

/* The operand of an addition that comes singly; the other one is the same in all lanes. */
static struct ir_value *added_singly(const struct ir_inst *user, const struct ir_value *v,
                                     struct ir_value **same)
{
    if (v->kind != IR_VALUE_RESULT || v->u.inst->op != IR_OP_add || v->u.inst->block != user->block)
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        *same = cpu_splatted(v->u.inst->args[1 - k]);
        if (*same && comes_singly(user, v->u.inst->args[k]))
            return v->u.inst->args[k];
    }
    return NULL;
}

void cpu_need_far(struct cpu_sel *s, const struct ir_inst *i, const struct cpu_far *far)
{
    struct ir_value *same, *one = added_singly(i, far->index, &same);
    cpu_need(s, far->base);
    if (i->op == IR_OP_scatter)
        cpu_need(s, i->args[1]);
    if (s->t->indexed) {
        cpu_need(s, far->index);
        cpu_need(s, i->args[i->nargs - 1]); /* the mask */
    } else if (one) {
        s->singly[one->id]++;
        cpu_need(s, same);
    } else if (comes_singly(i, far->index)) {
        s->singly[far->index->id]++;
    } else {
        cpu_need(s, far->index);
    }
}

/* Of a value that comes singly: as it was loaded, or from its vector if that is wanted, too. */
static mach_reg one_of(struct cpu_sel *s, struct ir_value *v, unsigned lane)
{
    return s->single[v->id] ? s->single[v->id][lane] : cpu_extract(s, v, lane);
}

void cpu_index_lanes(struct cpu_sel *s, const struct ir_inst *i, struct ir_value *index,
                     mach_reg *out)
{
    struct ir_value *same, *one = added_singly(i, index, &same);
    for (unsigned l = 0; l < ir_lanes(index->type); l++)
        out[l] = one ? cpu_op2(s, IR_OP_add, IR_I32, one_of(s, one, l), cpu_reg(s, same))
                 : comes_singly(i, index) ? one_of(s, index, l)
                                          : cpu_extract(s, index, l);
}

bool cpu_load_singly(struct cpu_sel *s, struct ir_inst *i)
{
    if (i->op != IR_OP_load || !s->singly[i->results[0].id] || s->need[i->results[0].id])
        return false;
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const mach_reg base = cpu_reg(s, a.base);
    mach_reg *out = arena_array(s->arena, mach_reg, ir_lanes(i->type));
    for (unsigned l = 0; l < ir_lanes(i->type); l++)
        out[l] = s->t->load(s, IR_I32, base, a.offset + 4 * (int64_t)l);
    s->single[i->results[0].id] = out;
    return true;
}
