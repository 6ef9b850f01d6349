/* Gathers and scatters whose lanes lie close together (back/cpu_near.h), as C: whole chunks of
 * memory, and shuffles. */
#include "back/c/c_int.h"
#include "back/cpu_near.h"

/* Chunk k of the range in memory, from `early` elements before its place on. */
static const char *chunk_at(struct cgen *g, const struct cpu_near *w, ir_type chunk, unsigned k,
                            unsigned early)
{
    unsigned align = w->inst->align < w->size ? w->inst->align : w->size;
    return c_print(g, "*(%s *)(%s + %lld)", c_unaligned(g, chunk, align), c_value(g, w->at.at),
                   (long long)cpu_near_offset(w, k, early));
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

bool c_coalesced_load(struct cgen *g, const struct ir_inst *i, const char **out)
{
    struct cpu_near_load *how = arena_new(g->arena, struct cpu_near_load);
    ir_type chunk = c_chunk_type(g, i->type);
    bool whole = c_all_ones(i->args[1]);
    if (!cpu_near_load(i, g->native, how))
        return false;
    const unsigned n = how->w.lanes;
    const char *name[CPU_NEAR_CHUNKS] = {0};
    for (unsigned k = 0; k < c_chunks(g, i->type); k++) {
        unsigned index[IR_MAX_LANES];
        for (unsigned l = 0; l < n; l++)
            index[l] = how->index[k][l];
        for (unsigned s = 0; s < 2; s++) {
            const unsigned of = how->of[k][s];
            if (name[of])
                continue;
            name[of] = c_identifier(g, &g->locals, "near");
            c_line(g, "const %s %s = %s;", c_type(g, chunk), name[of],
                   chunk_at(g, &how->w, chunk, of, how->early[of]));
        }
        out[k] = shuffle(g, name[how->of[k][0]], name[how->of[k][1]], index, n);
        if (!whole) {
            ir_type bits = ir_like(c_integer(ir_bits(i->type)), chunk);
            out[k] = c_print(g, "(%s)((%s)%s & (%s)%s)", c_type(g, chunk), c_type(g, bits), out[k],
                             c_type(g, bits), c_mask_piece(g, i->args[1], ir_bits(i->type), k));
        }
    }
    return true;
}

/* ---- stores ---- */
static void write(struct cgen *g, const struct cpu_near_group *s)
{
    const struct cpu_near *w = &s->w[0];
    ir_type t = w->inst->args[1]->type, chunk = c_chunk_type(g, t);
    struct ir_value *mask = w->inst->args[2];
    unsigned bits = ir_bits(t), n = w->lanes;
    ir_type words = ir_like(c_integer(bits), chunk), plain = c_unpointed(chunk);
    bool whole = c_all_ones(mask);
    for (unsigned k = 0; k < w->chunks; k++) {
        unsigned index[IR_MAX_LANES], of[2];
        bool has[IR_MAX_LANES];
        const unsigned none = cpu_near_sources(s, k, of, index, has);
        if (none == n)
            continue;
        const char *x[2], *m[2], *at = chunk_at(g, w, chunk, k, 0);
        for (unsigned p = 0; p < 2; p++) {
            const unsigned from = of[p] % CPU_NEAR_CHUNKS;
            x[p] = c_chunk(g, s->w[of[p] / CPU_NEAR_CHUNKS].inst->args[1], from);
            m[p] = whole
                       ? NULL
                       : c_print(g, "(%s)%s", c_type(g, words), c_mask_piece(g, mask, bits, from));
        }
        const char *new = shuffle(g, x[0], x[1], index, n), *lanes = NULL;
        if (!whole)
            lanes = shuffle(g, m[0], m[1], index, n);
        if (none) {
            struct sbuf o;
            sbuf_init(&o, g->arena);
            sbuf_printf(&o, "(%s){", c_type(g, words));
            for (unsigned l = 0; l < n; l++)
                sbuf_printf(&o, has[l] ? "%s-1" : "%s0", l ? ", " : "");
            sbuf_putc(&o, '}');
            lanes = lanes ? c_print(g, "(%s & %s)", lanes, o.data) : o.data;
        }
        if (lanes)
            new = c_print(g, "%s(%s, %s, %s)", c_helper(g, "pick", plain), lanes, new, at);
        c_line(g, "%s = %s;", at, new);
    }
}

bool c_coalesced_store(struct cgen *g, const struct ir_inst *i)
{
    struct cpu_near_group *groups = arena_array(g->arena, struct cpu_near_group, CPU_NEAR_STORES);
    const struct ir_inst *last = i;
    unsigned n;
    if (!cpu_near_stores(i, g->native, groups, &n, &last))
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
