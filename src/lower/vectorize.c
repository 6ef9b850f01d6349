/* One thread → all threads of a block, gang by gang, as straight code with vectors and masks.
 *
 * The kernel's region tree is walked twice over: what runs once for the block (segment.c) is
 * written as it stands, with scalars; each segment becomes a loop over gangs, and inside it regions
 * are written for all lanes of a gang together:
 *   - a branch that all lanes take alike stays a branch;
 *   - otherwise both sides run, one after the other, each with the mask of the lanes that want it,
 *     and is skipped when there are none;
 *   - lanes that jump out of a `masked` construct are put aside in a mask of its own and taken up
 *     again at its end; a loop goes round while lanes are left.
 * Block parameters, masks and values used outside the list that defines them are variables; their
 * SSA form is made on the way: a join gives a parameter to each variable that differs between its
 * edges, a loop to each that its body sets. */
#include <string.h>
#include "lower/vector_int.h"
#include "opt/opt.h"

/* ---- small things ---- */
ir_type v_vector(const struct vectorizer *v, ir_type t)
{
    return ir_vector(t, v->lanes);
}

struct ir_value *v_num(struct vectorizer *v, ir_type t, uint64_t bits)
{
    return ir_const(v->module, t, bits);
}

struct ir_value *v_op2(struct vectorizer *v, enum ir_op op, struct ir_value *a, struct ir_value *b)
{
    return ir_build2(&v->b, op, a->type, a, b);
}

bool v_is_all(const struct ir_value *mask)
{
    return ir_is_const(mask) && mask->u.bits;
}

bool v_is_none(const struct ir_value *mask)
{
    return ir_is_const(mask) && !mask->u.bits;
}

struct ir_value *v_and(struct vectorizer *v, struct ir_value *a, struct ir_value *b)
{
    if (v_is_all(a) || v_is_none(b) || a == b)
        return b;
    return v_is_all(b) || v_is_none(a) ? a : v_op2(v, IR_OP_and, a, b);
}

struct ir_value *v_or(struct vectorizer *v, struct ir_value *a, struct ir_value *b)
{
    if (v_is_none(a) || v_is_all(b) || a == b)
        return b;
    return v_is_none(b) || v_is_all(a) ? a : v_op2(v, IR_OP_or, a, b);
}

struct ir_value *v_and_not(struct vectorizer *v, struct ir_value *a, struct ir_value *b)
{
    if (v_is_none(b) || v_is_none(a))
        return a;
    if (v_is_all(b))
        return v_num(v, a->type, 0);
    return v_and(v, a, ir_build1(&v->b, IR_OP_not, b->type, b));
}

static ir_type mask_type(const struct vectorizer *v)
{
    return v_vector(v, IR_I1);
}

struct ir_value *v_mask(struct vectorizer *v, unsigned piece)
{
    return v->var[v->mask + piece];
}

static void set_mask(struct vectorizer *v, struct ir_value *const *m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        v->var[v->mask + p] = m[p];
}

static void get_mask(struct vectorizer *v, struct ir_value **m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v->var[v->mask + p];
}

static bool every(struct ir_value *const *m, unsigned n, bool (*is)(const struct ir_value *))
{
    for (unsigned p = 0; p < n; p++)
        if (!is(m[p]))
            return false;
    return true;
}

static struct ir_value *any(struct vectorizer *v, struct ir_value *const *m)
{
    struct ir_value *all = m[0];
    for (unsigned p = 1; p < v->pieces; p++)
        all = v_or(v, all, m[p]);
    if (ir_is_const(all))
        return v_num(v, IR_I1, all->u.bits);
    return ir_build1(&v->b, IR_OP_anylane, IR_VOID, all);
}

static struct ir_value *all(struct vectorizer *v, struct ir_value *const *m)
{
    struct ir_value *both = m[0];
    for (unsigned p = 1; p < v->pieces; p++)
        both = v_and(v, both, m[p]);
    if (ir_is_const(both))
        return v_num(v, IR_I1, both->u.bits);
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, both);
}

/* ---- control flow and SSA ---- */
struct vedge {
    struct ir_block *from;
    struct ir_value **var;
};
struct vjoin {
    VEC(struct vedge) edges;
};
struct vtarget { /* a construct that can be jumped to directly */
    struct vtarget *up;
    struct region *region;
    struct vjoin end;
    struct ir_block *header;
    const uint32_t *slots; /* LOOP: variables that its header takes */
    uint32_t nslots;
};

static struct ir_value **snapshot(struct vectorizer *v)
{
    struct ir_value **copy = arena_array(v->arena, struct ir_value *, v->nslots);
    memcpy(copy, v->var, v->nslots * sizeof *copy);
    return copy;
}

static void begin(struct vectorizer *v, struct ir_block *b)
{
    v->b.block = b;
    v->dead = false;
}

static struct ir_block *new_block(struct vectorizer *v)
{
    return ir_block_new(v->to, NULL);
}

static void jump(struct vectorizer *v, struct vjoin *to)
{
    if (v->dead)
        return;
    vec_push(v->arena, &to->edges, ((struct vedge){v->b.block, snapshot(v)}));
    v->dead = true;
}

static void arrive(struct vectorizer *v, struct vjoin *at)
{
    if (!at->edges.len) {
        v->dead = true;
        return;
    }
    struct ir_block *b = new_block(v);
    struct vedge *first = &at->edges.data[0];
    VEC(uint32_t) differs = {0};
    for (uint32_t s = 0; s < v->nslots; s++) {
        bool same = true;
        for (size_t k = 1; k < at->edges.len && same; k++)
            same = at->edges.data[k].var[s] == first->var[s];
        v->var[s] = first->var[s];
        if (!same) {
            v->var[s] = ir_block_param(b, v->slot_type[s], NULL);
            vec_push(v->arena, &differs, s);
        }
    }
    struct ir_value **args = arena_array(v->arena, struct ir_value *, differs.len + 1);
    vec_each (struct vedge, e, &at->edges) {
        for (size_t k = 0; k < differs.len; k++)
            args[k] = e->var[differs.data[k]];
        v->b.block = e->from;
        ir_build_br(&v->b, b, args, (uint32_t)differs.len);
    }
    begin(v, b);
}

/* Goes on where cond holds; *no is where it does not. */
void v_branch(struct vectorizer *v, struct ir_value *cond, struct ir_block **no)
{
    struct ir_block *yes = new_block(v);
    *no = new_block(v);
    ir_build_condbr(&v->b, cond, yes, *no);
    begin(v, yes);
}

static struct ir_block *loop_header(struct vectorizer *v, const uint32_t *slots, uint32_t n)
{
    struct ir_block *header = new_block(v);
    struct ir_value **args = arena_array(v->arena, struct ir_value *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        args[k] = v->var[slots[k]];
    ir_build_br(&v->b, header, args, n);
    for (uint32_t k = 0; k < n; k++)
        v->var[slots[k]] = ir_block_param(header, v->slot_type[slots[k]], NULL);
    begin(v, header);
    return header;
}

static void loop_again(struct vectorizer *v, struct ir_block *header, const uint32_t *slots,
                       uint32_t n)
{
    struct ir_value **args = arena_array(v->arena, struct ir_value *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        args[k] = v->var[slots[k]];
    ir_build_br(&v->b, header, args, n);
    v->dead = true;
}

/* ---- values ---- */
static bool is_local(const struct ir_value *x)
{
    return x->kind == IR_VALUE_PARAM || x->kind == IR_VALUE_RESULT;
}

static unsigned piece_of(const struct vinfo *i, unsigned piece)
{
    return i->class == V_BLOCK ? 0 : piece;
}

static struct ir_value *held(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    const struct vinfo *i = &v->value[x->id];
    unsigned p = piece_of(i, piece);
    if (i->slot != NO_SLOT)
        return v->var[i->slot + p];
    return v->result[(size_t)x->id * v->pieces + p];
}

/* The value of all lanes, or of lane 0 where they differ by a constant. */
struct ir_value *v_scalar(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    return is_local(x) ? held(v, x, piece) : x;
}

static struct ir_value *widen(struct vectorizer *v, struct ir_value *s, int64_t stride)
{
    ir_type t = v_vector(v, s->type);
    if (ir_is_const(s) && !stride)
        return v_num(v, t, s->u.bits);
    struct ir_value *w =
        ir_is_const(s) ? v_num(v, t, s->u.bits) : ir_build1(&v->b, IR_OP_splat, t, s);
    if (!stride)
        return w;
    bool pointer = ir_kind(t) == IR_PTR;
    ir_type u = pointer ? v_vector(v, IR_I64) : t;
    struct ir_value *steps = ir_build0(&v->b, IR_OP_iota, u, 0);
    if (stride != 1)
        steps = v_op2(v, IR_OP_mul, steps, v_num(v, u, (uint64_t)stride));
    return v_op2(v, pointer ? IR_OP_ptradd : IR_OP_add, w, steps);
}

struct ir_value *v_wide(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    if (!is_local(x))
        return widen(v, x, 0);
    const struct vinfo *i = &v->value[x->id];
    int64_t stride;
    enum vclass c = v_class(v, x, v->at, &stride);
    if (c == V_VARY)
        return i->class == V_VARY ? held(v, x, piece) : v->var[i->out_slot + piece];
    struct ir_value *s = held(v, x, piece);
    struct vcache *cached = &v->cache[(size_t)x->id * v->pieces + piece];
    if (cached->block != v->b.block || cached->scalar != s) {
        cached->block = v->b.block;
        cached->scalar = s;
        cached->vector = widen(v, s, stride);
    }
    return cached->vector;
}

static struct ir_value *blend(struct vectorizer *v, unsigned piece, struct ir_value *is,
                              struct ir_value *was)
{
    struct ir_value *m = v_mask(v, piece);
    return v_is_all(m) || is == was ? is : ir_build3(&v->b, IR_OP_select, is->type, m, is, was);
}

void v_define(struct vectorizer *v, struct ir_value *x, unsigned piece, struct ir_value *is)
{
    const struct vinfo *i = &v->value[x->id];
    unsigned p = piece_of(i, piece);
    if (!is->name && x->name)
        is->name = x->name;
    if (i->slot == NO_SLOT)
        v->result[(size_t)x->id * v->pieces + p] = is;
    else if (i->class == V_VARY && i->leaks)
        v->var[i->slot + p] = blend(v, piece, is, v->var[i->slot + p]);
    else
        v->var[i->slot + p] = is;
    if (i->out_slot != NO_SLOT) {
        struct ir_value *wide = widen(v, is, i->class == V_AFFINE ? i->stride : 0);
        v->var[i->out_slot + piece] = blend(v, piece, wide, v->var[i->out_slot + piece]);
    }
}

/* ---- variables ---- */
static uint32_t new_slots(struct vectorizer *v, ir_type t, unsigned n)
{
    uint32_t first = v->nslots;
    v->slot_type = arena_grow(v->arena, v->slot_type, v->nslots * sizeof *v->slot_type,
                              (v->nslots + n) * sizeof *v->slot_type);
    for (unsigned k = 0; k < n; k++)
        v->slot_type[v->nslots++] = t;
    return first;
}

static void give_slot(struct vectorizer *v, struct vinfo *i, ir_type t)
{
    i->slot =
        new_slots(v, i->class == V_VARY ? v_vector(v, t) : t, i->class == V_BLOCK ? 1 : v->pieces);
}

static void find_leaks(struct vectorizer *v, struct region *list);

static void note_use(struct vectorizer *v, struct ir_value *x, struct vregion *at)
{
    if (!is_local(x))
        return;
    struct ir_block *b = x->kind == IR_VALUE_PARAM ? x->u.block : x->u.inst->block;
    struct vinfo *i = &v->value[x->id];
    for (struct vregion *u = map_get(&v->home, map_key(b)); u; u = u->up)
        if (u->region->kind == REGION_LOOP && !v_inside(v, at, u->region)) {
            i->leaks = true;
            if (u->masked && i->class != V_VARY && i->out_slot == NO_SLOT)
                i->out_slot = new_slots(v, v_vector(v, x->type), v->pieces);
        }
}

static void find_leaks(struct vectorizer *v, struct region *list)
{
    for (struct region *r = list; r; r = r->next) {
        struct vregion *at = v_info(v, r);
        if (r->cond)
            note_use(v, r->cond, at);
        if (r->kind == REGION_CODE)
            ir_each_inst (i, r->block)
                if (!(ir_op_info[i->op].flags & IR_TERMINATOR))
                    for (uint32_t k = 0; k < i->nargs; k++)
                        note_use(v, i->args[k], at);
        for (uint32_t k = 0; k < r->ncopies; k++)
            if (r->copies[k].src)
                note_use(v, r->copies[k].src, at);
        find_leaks(v, r->child);
        find_leaks(v, r->other);
    }
}

static void make_variables(struct vectorizer *v)
{
    for (uint32_t k = 0; k < v->from->nvalues; k++)
        v->value[k].slot = v->value[k].out_slot = NO_SLOT;
    find_leaks(v, v->tree->body);
    ir_each_block (b, v->from) {
        if (b != v->from->first)
            vec_each (struct ir_value *, x, &b->params)
                give_slot(v, &v->value[(*x)->id], (*x)->type);
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++) {
                struct vinfo *n = &v->value[i->results[k].id];
                if (ir_kind(i->results[k].type) == IR_TOKEN)
                    continue;
                if (((v->escapes[i->results[k].id] || (n->multi && !n->hoisted)) && !n->again) ||
                    i->op == IR_OP_barrier_red)
                    give_slot(v, n, i->results[k].type);
            }
    }
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        give_slot(v, &v->temp[k], v->tree->temp_types[k]);
    v->mask = new_slots(v, mask_type(v), v->pieces);
    v->alive = new_slots(v, mask_type(v), v->pieces);
    v->brk = arena_array(v->arena, uint32_t, v->tree->nregions + 1);
    v->cont = arena_array(v->arena, uint32_t, v->tree->nregions + 1);
    map_each (e, &v->info_of) {
        const struct vregion *r = e->value;
        if (!r->masked)
            continue;
        v->brk[r->region->id] = new_slots(v, mask_type(v), v->pieces);
        v->cont[r->region->id] = new_slots(v, mask_type(v), v->pieces);
    }
    v->gang_slot = new_slots(v, IR_I32, 1);
    v->some_slot = new_slots(v, IR_I1, 1);
    v->of_block = arena_array(v->arena, bool, v->nslots);
    for (uint32_t k = 0; k < v->from->nvalues; k++)
        if (v->value[k].class == V_BLOCK && v->value[k].slot != NO_SLOT)
            v->of_block[v->value[k].slot] = true;
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        if (v->temp[k].class == V_BLOCK)
            v->of_block[v->temp[k].slot] = true;
    v->var = arena_array(v->arena, struct ir_value *, v->nslots);
    for (uint32_t s = 0; s < v->nslots; s++)
        v->var[s] = v_num(v, v->slot_type[s], 0);
    v->context = arena_array(v->arena, bool, v->nslots);
    v->memory = arena_array(v->arena, struct ir_value *, v->nslots);
}

/* Which variables the regions of a list set. */
static void add_slots(struct vectorizer *v, bool *set, uint32_t slot, unsigned n)
{
    (void)v;
    for (unsigned k = 0; slot != NO_SLOT && k < n; k++)
        set[slot + k] = true;
}

static void sets(struct vectorizer *v, const struct vitem *item, bool *set);

static void list_sets(struct vectorizer *v, struct region *list, bool *set)
{
    for (struct region *r = list; r; r = r->next) {
        struct vitem item = {.region = r, .ncopies = r->ncopies};
        if (r->kind == REGION_CODE)
            item.first = r->block->first, item.end = ir_terminator(r->block);
        sets(v, &item, set);
    }
}

static void value_sets(struct vectorizer *v, const struct vinfo *i, bool *set)
{
    add_slots(v, set, i->slot, i->class == V_BLOCK ? 1 : v->pieces);
    add_slots(v, set, i->out_slot, v->pieces);
}

static void sets(struct vectorizer *v, const struct vitem *item, bool *set)
{
    struct region *r = item->region;
    struct vregion *i = v_info(v, r);
    switch (r->kind) {
    case REGION_CODE:
        for (struct ir_inst *k = item->first; k != item->end; k = k->next)
            for (uint32_t n = 0; n < k->nresults; n++)
                value_sets(v, &v->value[k->results[n].id], set);
        vec_each (struct ir_value *, p, &r->block->params)
            add_slots(v, set, v->value[(*p)->id].out_slot, v->pieces);
        if (item->first == item->end && item->first->nresults) /* barrier_red */
            value_sets(v, &v->value[item->first->results[0].id], set);
        break;
    case REGION_COPIES:
        for (uint32_t k = item->copy; k < item->copy + item->ncopies; k++) {
            const struct region_copy *c = &r->copies[k];
            const struct vinfo *n = c->dst ? &v->value[c->dst->id] : &v->temp[c->temp];
            add_slots(v, set, n->slot, n->class == V_BLOCK ? 1 : v->pieces);
        }
        break;
    case REGION_BREAK:
    case REGION_CONTINUE:
        if (v_info(v, r->target)->masked) {
            add_slots(v, set, v->brk[r->target->id], v->pieces);
            add_slots(v, set, v->cont[r->target->id], v->pieces);
            add_slots(v, set, v->mask, v->pieces);
        }
        break;
    case REGION_RETURN:
    case REGION_EXIT:
    case REGION_UNREACHABLE:
        add_slots(v, set, v->alive, v->pieces);
        add_slots(v, set, v->mask, v->pieces);
        break;
    default:
        if (i->masked) {
            add_slots(v, set, v->brk[r->id], v->pieces);
            add_slots(v, set, v->cont[r->id], v->pieces);
            add_slots(v, set, v->mask, v->pieces);
        }
        list_sets(v, r->child, set);
        list_sets(v, r->other, set);
    }
}

static uint32_t *slots_of(struct vectorizer *v, const bool *set, uint32_t *n)
{
    uint32_t *slots = arena_array(v->arena, uint32_t, v->nslots + 1);
    *n = 0;
    for (uint32_t s = 0; s < v->nslots; s++)
        if (set[s])
            slots[(*n)++] = s;
    return slots;
}

/* ---- regions for a gang ---- */
static void list(struct vectorizer *v, struct region *r);

/* Can lanes that enter r fail to come out at its end? */
static bool drops(struct vectorizer *v, struct region *r, struct region *of)
{
    for (; r; r = r->next) {
        if (r->kind >= REGION_RETURN)
            return true;
        if ((r->kind == REGION_BREAK || r->kind == REGION_CONTINUE) &&
            v_info(v, r->target)->masked && !v_inside(v, v_info(v, r->target), of))
            return true;
        if (drops(v, r->child, of) || drops(v, r->other, of))
            return true;
    }
    return false;
}

static bool list_drops(struct vectorizer *v, struct region *r);

static bool region_drops(struct vectorizer *v, struct region *r)
{
    struct region *next = r->next;
    r->next = NULL;
    bool does = drops(v, r, r);
    r->next = next;
    return does;
}

static bool list_drops(struct vectorizer *v, struct region *r)
{
    for (; r; r = r->next)
        if (region_drops(v, r))
            return true;
    return false;
}

static unsigned weight(struct region *r)
{
    unsigned n = 0;
    for (; r; r = r->next) {
        if (r->kind == REGION_CODE)
            ir_each_inst (i, r->block)
                n++;
        n += r->ncopies + weight(r->child) + weight(r->other);
    }
    return n;
}

/* Nothing but pure code and copies, and little of it: cheaper to do than to skip. */
static bool is_small(struct region *r)
{
    for (; r; r = r->next) {
        if (r->kind != REGION_CODE && r->kind != REGION_COPIES)
            return false;
        if (r->kind == REGION_CODE)
            ir_each_inst (i, r->block)
                if (!(ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR)) &&
                    i->op != IR_OP_split && i->op != IR_OP_join)
                    return false;
    }
    return true;
}

static void code(struct vectorizer *v, const struct vitem *item)
{
    struct ir_block *b = item->region->block;
    if (item->first == b->first) /* what its parameters look like from outside the loop */
        vec_each (struct ir_value *, x, &b->params) {
            const struct vinfo *i = &v->value[(*x)->id];
            if (b != v->from->first && i->out_slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->var[i->out_slot + p] =
                        blend(v, p, widen(v, held(v, *x, p), i->class == V_AFFINE ? i->stride : 0),
                              v->var[i->out_slot + p]);
        }
    for (struct ir_inst *i = item->first; i != item->end; i = i->next) {
        const struct vinfo *n = i->nresults ? &v->value[i->results[0].id] : NULL;
        if (n && ir_kind(i->results[0].type) != IR_TOKEN &&
            (n->hoisted || (n->again && v->escapes[i->results[0].id])))
            continue;
        v->b.span = i->span;
        v_instruction(v, i);
    }
}

static struct ir_value *copy_source(struct vectorizer *v, const struct region_copy *c, bool wide,
                                    unsigned p)
{
    if (c->src)
        return wide ? v_wide(v, c->src, p) : v_scalar(v, c->src, p);
    const struct vinfo *t = &v->temp[c->temp];
    struct ir_value *x = v->var[t->slot + piece_of(t, p)];
    return wide && t->class != V_VARY ? widen(v, x, t->class == V_AFFINE ? t->stride : 0) : x;
}

static void copies(struct vectorizer *v, const struct vitem *item)
{
    struct region *r = item->region;
    struct vregion *at = v_info(v, r);
    for (uint32_t k = item->copy; k < item->copy + item->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        const struct vinfo *to = c->dst ? &v->value[c->dst->id] : &v->temp[c->temp];
        bool wide = to->class == V_VARY;
        unsigned n = to->class == V_BLOCK ? 1 : v->pieces;
        /* Lanes that do not run keep what they have, unless no such lane ever looks: the header of
         * a loop, entered or gone round by all that are in it. */
        bool keep = wide && c->dst != NULL;
        if (keep && !to->leaks) {
            struct vregion *home = map_get(&v->home, map_key(c->dst->u.block));
            struct vregion *loop = home ? home->up : NULL;
            if (loop && loop->region->kind == REGION_LOOP &&
                loop->region->block == c->dst->u.block &&
                (at->up == loop || !v_inside(v, at, loop->region)))
                keep = false;
        }
        for (unsigned p = 0; p < n; p++) {
            struct ir_value *x = copy_source(v, c, wide, p);
            v->var[to->slot + p] = keep ? blend(v, p, x, v->var[to->slot + p]) : x;
        }
    }
}

static void none(struct vectorizer *v, struct ir_value **m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v_num(v, mask_type(v), 0);
}

/* Runs a list for the lanes m; leaves the mask of those that come out of it. */
static void masked_list(struct vectorizer *v, struct region *r, struct ir_value *const *m,
                        bool skip)
{
    set_mask(v, m);
    if (!r || every(m, v->pieces, v_is_none))
        return;
    if (!skip || every(m, v->pieces, v_is_all)) {
        list(v, r);
        return;
    }
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value *nobody[V_MAX_PIECES];
    none(v, nobody);
    struct ir_value **before = snapshot(v);
    v_branch(v, any(v, m), &no);
    list(v, r);
    jump(v, &join);
    begin(v, no);
    memcpy(v->var, before, v->nslots * sizeof *before);
    if (list_drops(v, r)) /* a list that drops nobody keeps its mask */
        set_mask(v, nobody);
    jump(v, &join);
    arrive(v, &join);
}

/* With all lanes running, none waits anywhere. */
static void all_run(struct vectorizer *v)
{
    for (unsigned p = 0; p < v->pieces; p++)
        v->var[v->mask + p] = v_num(v, mask_type(v), 1);
    map_each (e, &v->info_of) {
        const struct vregion *r = e->value;
        for (unsigned p = 0; r->masked && p < v->pieces; p++)
            v->var[v->brk[r->region->id] + p] = v->var[v->cont[r->region->id] + p] =
                v_num(v, mask_type(v), 0);
    }
}

/* `r`, written twice: for a mask of all lanes, without masks, and for any other. */
static void versions(struct vectorizer *v, struct region *r, struct ir_value *const *m)
{
    struct vjoin join = {0};
    struct ir_block *no;
    v->budget -= weight(r);
    struct ir_value **before = snapshot(v);
    v_branch(v, all(v, m), &no);
    all_run(v);
    list(v, r);
    jump(v, &join);
    begin(v, no);
    memcpy(v->var, before, v->nslots * sizeof *before);
    masked_list(v, r, m, true);
    jump(v, &join);
    arrive(v, &join);
}

/* ---- tests on scalars ---- */
/* Whether a condition holds (or, with `not`, fails) for all lanes, as a test on scalars: for
 * comparisons of a value that grows from lane to lane with one that is the same for all, the lane
 * at the end of the range decides, provided that the range does not wrap. NULL: no such test. */
static struct ir_value *on_all_lanes(struct vectorizer *v, struct ir_value *c, unsigned p,
                                     bool not )
{
    int64_t stride, steps[2];
    enum vclass class = v_class(v, c, v->at, &stride), of[2];
    if (class <= V_GANG) {
        struct ir_value *x = v_scalar(v, c, p);
        return not ? ir_build1(&v->b, IR_OP_not, IR_I1, x) : x;
    }
    if (c->kind != IR_VALUE_RESULT || v->value[c->id].slot != NO_SLOT)
        return NULL;
    const struct ir_inst *i = c->u.inst;
    if (i->op == IR_OP_not)
        return on_all_lanes(v, i->args[0], p, !not );
    if (i->op == (not ? IR_OP_or : IR_OP_and)) {
        struct ir_value *a = on_all_lanes(v, i->args[0], p, not );
        struct ir_value *b = a ? on_all_lanes(v, i->args[1], p, not ) : NULL;
        return b ? v_op2(v, IR_OP_and, a, b) : NULL;
    }
    bool less = i->op == IR_OP_slt || i->op == IR_OP_ult,
         is_signed = i->op == IR_OP_slt || i->op == IR_OP_sle;
    if ((!less && i->op != IR_OP_sle && i->op != IR_OP_ule) || ir_kind(i->args[0]->type) == IR_PTR)
        return NULL;
    for (int k = 0; k < 2; k++)
        of[k] = v_class(v, i->args[k], v->at, &steps[k]);
    int grows = of[0] == V_AFFINE ? 0 : 1;
    if (of[grows] != V_AFFINE || of[1 - grows] > V_GANG)
        return NULL;
    ir_type t = i->args[0]->type;
    enum ir_op upto = is_signed ? IR_OP_sle : IR_OP_ule, below = is_signed ? IR_OP_slt : IR_OP_ult;
    struct ir_value *x[2];
    for (int k = 0; k < 2; k++)
        x[k] = v_scalar(v, i->args[k], p);
    struct ir_value *first = x[grows];
    struct ir_value *last =
        v_op2(v, IR_OP_add, first, v_num(v, t, (uint64_t)steps[grows] * (v->lanes - 1)));
    bool up = steps[grows] > 0;
    struct ir_value *straight =
        up ? ir_build2(&v->b, upto, t, first, last) : ir_build2(&v->b, upto, t, last, first);
    /* a < b on all lanes: the greatest a, the least b. not (a < b): b <= a. */
    bool greatest = (grows == 0) != not ;
    x[grows] = greatest == up ? last : first;
    struct ir_value *holds = not ? ir_build2(&v->b, less ? upto : below, t, x[1], x[0])
                                 : ir_build2(&v->b, less ? below : upto, t, x[0], x[1]);
    return v_op2(v, IR_OP_and, straight, holds);
}

static void divergent_if(struct vectorizer *v, struct region *r);

/* A branch that all lanes are likely to take alike, tested on scalars first: that way without
 * masks, to the end of the list if lanes could leave it otherwise. False: not such a branch. */
static bool likely_if(struct vectorizer *v, struct region *r, bool *took_rest)
{
    struct ir_value *m[V_MAX_PIECES], *test = NULL;
    get_mask(v, m);
    bool out_child = list_drops(v, r->child), out_other = list_drops(v, r->other);
    bool drop = region_drops(v, r), not = out_child && !out_other;
    struct region *taken = not ? r->other : r->child, *after = drop ? r->next : NULL;
    unsigned size = weight(taken) + weight(after);
    if (!every(m, v->pieces, v_is_all) || v->budget <= size || (out_child && out_other))
        return false;
    if (is_small(r->child) && is_small(r->other) && size <= 16)
        return false;
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *one = on_all_lanes(v, r->cond, p, not );
        if (!one)
            return false;
        test = test ? v_op2(v, IR_OP_and, test, one) : one;
    }
    v->budget -= size;
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value **before = snapshot(v);
    struct vregion *at = v->at;
    v_branch(v, test, &no);
    all_run(v);
    list(v, taken);
    if (after && !v->dead)
        list(v, after);
    jump(v, &join);
    begin(v, no);
    memcpy(v->var, before, v->nslots * sizeof *before);
    v->at = at;
    divergent_if(v, r);
    if (after && !v->dead) {
        get_mask(v, m);
        masked_list(v, after, m, true);
    }
    jump(v, &join);
    arrive(v, &join);
    *took_rest = after != NULL;
    return true;
}

static void divergent_if(struct vectorizer *v, struct region *r)
{
    struct ir_value *m[V_MAX_PIECES], *yes[V_MAX_PIECES], *no[V_MAX_PIECES];
    get_mask(v, m);
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *c = v_wide(v, r->cond, p);
        yes[p] = v_and(v, m[p], c);
        no[p] = v_and_not(v, m[p], c);
    }
    bool drop = region_drops(v, r);
    bool small =
        is_small(r->child) && is_small(r->other) && weight(r->child) + weight(r->other) <= 16;
    if (!drop && r->child && !r->other && !small && every(m, v->pieces, v_is_all) &&
        v->budget > weight(r->child)) {
        versions(v, r->child, yes);
        if (!v->dead)
            set_mask(v, m);
        return;
    }
    masked_list(v, r->child, yes, !small);
    struct ir_value *after[V_MAX_PIECES];
    get_mask(v, after);
    if (v->dead)
        return;
    masked_list(v, r->other, no, !small);
    if (v->dead)
        return;
    if (!drop) {
        set_mask(v, m);
        return;
    }
    for (unsigned p = 0; p < v->pieces; p++)
        v->var[v->mask + p] = v_or(v, r->child ? after[p] : yes[p], v->var[v->mask + p]);
}

static void uniform_if(struct vectorizer *v, struct region *r)
{
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value *c = v_scalar(v, r->cond, 0);
    struct ir_value **before = snapshot(v);
    v_branch(v, c, &no);
    list(v, r->child);
    jump(v, &join);
    begin(v, no);
    memcpy(v->var, before, v->nslots * sizeof *before);
    list(v, r->other);
    jump(v, &join);
    arrive(v, &join);
}

static void uniform_loop(struct vectorizer *v, struct region *r)
{
    bool *set = arena_array(v->arena, bool, v->nslots + 1);
    list_sets(v, r->child, set);
    struct vtarget t = {.up = v->targets, .region = r};
    t.slots = slots_of(v, set, &t.nslots);
    t.header = loop_header(v, t.slots, t.nslots);
    v->targets = &t;
    list(v, r->child);
    v->targets = t.up;
    arrive(v, &t.end);
}

/* While all lanes are in the loop it runs without masks: a first copy of it, which goes round as
 * long as every lane does and leaves to the second what happens then. */
static void full_loop(struct vectorizer *v, struct region *r, const bool *set)
{
    bool *carried = arena_array(v->arena, bool, v->nslots + 1);
    memcpy(carried, set, v->nslots * sizeof *carried);
    for (unsigned p = 0; p < v->pieces; p++)
        carried[v->mask + p] = carried[v->brk[r->id] + p] = false;
    struct vtarget t = {.up = v->targets, .region = r};
    t.slots = slots_of(v, carried, &t.nslots);
    t.header = loop_header(v, t.slots, t.nslots);
    v->targets = &t;
    list(v, r->child);
    v->targets = t.up;
}

static void masked_loop(struct vectorizer *v, struct region *r)
{
    bool *set = arena_array(v->arena, bool, v->nslots + 1);
    list_sets(v, r->child, set);
    add_slots(v, set, v->mask, v->pieces);
    add_slots(v, set, v->brk[r->id], v->pieces);
    struct ir_value *nobody[V_MAX_PIECES], *on[V_MAX_PIECES], *m[V_MAX_PIECES];
    none(v, nobody);
    for (unsigned p = 0; p < v->pieces; p++) {
        v->var[v->brk[r->id] + p] = nobody[p];
        v->var[v->cont[r->id] + p] = nobody[p];
        set[v->cont[r->id] + p] = false;
    }
    struct vjoin end = {0};
    struct ir_block *done;
    get_mask(v, m);
    unsigned size = weight(r->child);
    if (every(m, v->pieces, v_is_all) && v->budget > 2 * size) {
        v->budget -= size;
        full_loop(v, r, set);
        if (v->dead)
            return;
        for (unsigned p = 0; p < v->pieces; p++)
            on[p] = v->var[v->cont[r->id] + p];
        v_branch(v, any(v, on), &done);
        struct ir_value **before = snapshot(v);
        struct ir_block *go_on = v->b.block;
        begin(v, done);
        for (unsigned p = 0; p < v->pieces; p++)
            v->var[v->cont[r->id] + p] = nobody[p];
        jump(v, &end);
        begin(v, go_on);
        memcpy(v->var, before, v->nslots * sizeof *before);
        set_mask(v, on);
        for (unsigned p = 0; p < v->pieces; p++)
            v->var[v->cont[r->id] + p] = nobody[p];
    }
    uint32_t n;
    const uint32_t *slots = slots_of(v, set, &n);
    struct ir_block *header = loop_header(v, slots, n);
    for (unsigned p = 0; p < v->pieces; p++)
        v->var[v->cont[r->id] + p] = nobody[p];
    list(v, r->child);
    if (!v->dead) {
        for (unsigned p = 0; p < v->pieces; p++)
            on[p] = v->var[v->cont[r->id] + p];
        v_branch(v, any(v, on), &done);
        struct ir_value **before = snapshot(v);
        set_mask(v, on);
        loop_again(v, header, slots, n);
        begin(v, done);
        memcpy(v->var, before, v->nslots * sizeof *before);
        for (unsigned p = 0; p < v->pieces; p++)
            v->var[v->cont[r->id] + p] = nobody[p];
        jump(v, &end);
    }
    arrive(v, &end);
    for (unsigned p = 0; p < v->pieces && !v->dead; p++)
        v->var[v->mask + p] = v->var[v->brk[r->id] + p];
}

static void block(struct vectorizer *v, struct region *r)
{
    if (!v_info(v, r)->masked) {
        struct vtarget t = {.up = v->targets, .region = r};
        v->targets = &t;
        list(v, r->child);
        v->targets = t.up;
        jump(v, &t.end);
        arrive(v, &t.end);
        return;
    }
    uint32_t brk = v->brk[r->id];
    for (unsigned p = 0; p < v->pieces; p++)
        v->var[brk + p] = v_num(v, mask_type(v), 0);
    list(v, r->child);
    for (unsigned p = 0; p < v->pieces && !v->dead; p++)
        v->var[v->mask + p] = v_or(v, v->var[v->mask + p], v->var[brk + p]);
}

static void gang_jump(struct vectorizer *v, struct region *r)
{
    if (!v_info(v, r->target)->masked) {
        struct vtarget *t = v->targets;
        while (t->region != r->target)
            t = t->up;
        if (r->kind == REGION_BREAK)
            jump(v, &t->end);
        else
            loop_again(v, t->header, t->slots, t->nslots);
        return;
    }
    struct ir_value *m[V_MAX_PIECES], *brk[V_MAX_PIECES], *cont[V_MAX_PIECES];
    for (unsigned p = 0; p < v->pieces; p++) {
        m[p] = v_mask(v, p);
        brk[p] = v->var[v->brk[r->target->id] + p];
        cont[p] = v->var[v->cont[r->target->id] + p];
    }
    if (r->kind == REGION_CONTINUE && every(m, v->pieces, v_is_all) &&
        every(brk, v->pieces, v_is_none) && every(cont, v->pieces, v_is_none))
        for (struct vtarget *t = v->targets; t; t = t->up)
            if (t->region == r->target) { /* all lanes, in the copy without masks */
                loop_again(v, t->header, t->slots, t->nslots);
                return;
            }
    uint32_t slot = (r->kind == REGION_BREAK ? v->brk : v->cont)[r->target->id];
    for (unsigned p = 0; p < v->pieces; p++) {
        v->var[slot + p] = v_or(v, v->var[slot + p], v_mask(v, p));
        v->var[v->mask + p] = v_num(v, mask_type(v), 0);
    }
}

static void leave(struct vectorizer *v, struct region *r)
{
    if (r->kind == REGION_UNREACHABLE)
        ir_build(&v->b, IR_OP_trap, IR_VOID, NULL, 0);
    bool partial = false;
    int64_t stride;
    for (struct vregion *u = v_info(v, r)->up; u; u = u->up)
        partial |= u->region->kind == REGION_IF
                       ? !v_uniform(v, v_class(v, u->region->cond, u, &stride))
                       : u->masked;
    for (unsigned p = 0; p < v->pieces; p++) {
        v->var[v->alive + p] = v_and_not(v, v->var[v->alive + p], v_mask(v, p));
        v->var[v->mask + p] = v_num(v, mask_type(v), 0);
    }
    if (!partial)
        jump(v, v->gang_end);
}

static void region(struct vectorizer *v, const struct vitem *item)
{
    struct region *r = item->region;
    v->at = v_info(v, r);
    int64_t stride;
    switch (r->kind) {
    case REGION_CODE: code(v, item); break;
    case REGION_COPIES: copies(v, item); break;
    case REGION_IF:
        if (v_uniform(v, v_class(v, r->cond, v->at, &stride)))
            uniform_if(v, r);
        else
            divergent_if(v, r);
        break;
    case REGION_LOOP:
        if (v->at->masked)
            masked_loop(v, r);
        else
            uniform_loop(v, r);
        break;
    case REGION_BLOCK: block(v, r); break;
    case REGION_BREAK:
    case REGION_CONTINUE: gang_jump(v, r); break;
    case REGION_RETURN:
    case REGION_EXIT:
    case REGION_UNREACHABLE: leave(v, r); break;
    default: break;
    }
}

/* After a region that lanes may have left for elsewhere, the rest runs for those still here. */
static void rest(struct vectorizer *v, struct region *r, bool was_full)
{
    struct ir_value *m[V_MAX_PIECES];
    get_mask(v, m);
    if (is_small(r) || every(m, v->pieces, v_is_all))
        list(v, r);
    else if (was_full && v->budget > weight(r))
        versions(v, r, m);
    else
        masked_list(v, r, m, true);
}

static void list(struct vectorizer *v, struct region *r)
{
    for (; r && !v->dead; r = r->next) {
        struct ir_value *m[V_MAX_PIECES];
        get_mask(v, m);
        bool full = every(m, v->pieces, v_is_all);
        struct vitem item = {.region = r, .ncopies = r->ncopies};
        if (r->kind == REGION_CODE)
            item.first = r->block->first, item.end = ir_terminator(r->block);
        int64_t stride;
        bool took_rest = false;
        v->at = v_info(v, r);
        if (r->kind == REGION_IF && !v_uniform(v, v_class(v, r->cond, v->at, &stride)) &&
            likely_if(v, r, &took_rest)) {
            if (took_rest)
                return;
            continue;
        }
        region(v, &item);
        if (!v->dead && r->next && region_drops(v, r)) {
            rest(v, r->next, full);
            return;
        }
    }
}

/* ---- the loop over gangs ---- */
static void items(struct vectorizer *v, const struct vnode *n, size_t from);

static void items_rest(struct vectorizer *v, const struct vnode *n, size_t from, bool was_full)
{
    struct ir_value *m[V_MAX_PIECES];
    get_mask(v, m);
    if (every(m, v->pieces, v_is_all)) {
        items(v, n, from);
        return;
    }
    unsigned w = 0;
    for (size_t k = from; k < n->items.len; k++) {
        struct region *r = n->items.data[k].region, *next = r->next;
        r->next = NULL;
        w += weight(r);
        r->next = next;
    }
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value **before = snapshot(v);
    if (was_full && v->budget > w) {
        v->budget -= w;
        v_branch(v, all(v, m), &no);
        all_run(v);
        items(v, n, from);
        jump(v, &join);
        begin(v, no);
        memcpy(v->var, before, v->nslots * sizeof *before);
    }
    v_branch(v, any(v, m), &no);
    items(v, n, from);
    jump(v, &join);
    begin(v, no);
    memcpy(v->var, before, v->nslots * sizeof *before);
    jump(v, &join);
    arrive(v, &join);
}

static void barrier_reduce(struct vectorizer *v, struct ir_inst *i)
{
    uint32_t slot = v->value[i->results[0].id].slot;
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *pred = v_wide(v, i->args[2], p), *m = v_mask(v, p), *old = v->var[slot];
        if (i->imm == 0) {
            struct ir_value *bits = ir_build1(&v->b, IR_OP_maskbits, IR_VOID, v_and(v, m, pred));
            v->var[slot] = v_op2(v, IR_OP_add, old, ir_build1(&v->b, IR_OP_popc, IR_I32, bits));
            continue;
        }
        struct ir_value *hit = i->imm == 1 ? v_and_not(v, m, pred) : v_and(v, m, pred);
        struct ir_value *found = ir_build1(&v->b, IR_OP_anylane, IR_VOID, hit);
        v->var[slot] =
            ir_build3(&v->b, IR_OP_select, IR_I32, found, v_num(v, IR_I32, i->imm == 2), old);
    }
}

static void items(struct vectorizer *v, const struct vnode *n, size_t from)
{
    for (size_t k = from; k < n->items.len && !v->dead; k++) {
        const struct vitem *item = &n->items.data[k];
        struct ir_value *m[V_MAX_PIECES];
        get_mask(v, m);
        bool full = every(m, v->pieces, v_is_all);
        if (item->region->kind == REGION_CODE && item->first == item->end) {
            v->at = v_info(v, item->region);
            barrier_reduce(v, item->first);
            continue;
        }
        int64_t stride;
        bool took_rest = false;
        v->at = v_info(v, item->region);
        if (item->region->kind == REGION_IF && !region_drops(v, item->region) &&
            !v_uniform(v, v_class(v, item->region->cond, v->at, &stride)) &&
            likely_if(v, item->region, &took_rest))
            continue;
        region(v, item);
        if (!v->dead && k + 1 < n->items.len && region_drops(v, item->region)) {
            items_rest(v, n, k + 1, full);
            return;
        }
    }
}

static struct ir_value *size(struct vectorizer *v, unsigned axis)
{
    if (v->block[axis])
        return v_num(v, IR_I32, v->block[axis]);
    return ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X + axis);
}

static struct ir_value *div_up(struct vectorizer *v, struct ir_value *x, uint32_t by)
{
    return v_op2(v, IR_OP_udiv, v_op2(v, IR_OP_add, x, v_num(v, IR_I32, by - 1)),
                 v_num(v, IR_I32, by));
}

static struct ir_value *gang_count(struct vectorizer *v)
{
    uint32_t *b = v->block;
    if (v->linear) {
        if (b[0])
            return v_num(v, IR_I32,
                         (b[0] * b[1] * b[2] + v->lanes * v->pieces - 1) / (v->lanes * v->pieces));
        struct ir_value *n =
            v_op2(v, IR_OP_mul, v_op2(v, IR_OP_mul, size(v, 0), size(v, 1)), size(v, 2));
        return div_up(v, n, v->lanes * v->pieces);
    }
    if (b[0])
        return v_num(v, IR_I32, (b[0] + v->lanes - 1) / v->lanes * (b[1] / v->pieces) * b[2]);
    return v_op2(v, IR_OP_mul, div_up(v, size(v, 0), v->lanes),
                 v_op2(v, IR_OP_mul, size(v, 1), size(v, 2)));
}

/* Where the gang lies in the block, and the mask of its lanes that exist. */
static void place_gang(struct vectorizer *v, struct ir_value **m)
{
    uint32_t *b = v->block;
    struct ir_value *g = v->gang;
    ir_type words = v_vector(v, IR_I32);
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v_num(v, mask_type(v), 1);
    if (v->linear) {
        struct ir_value *total =
            b[0] ? v_num(v, IR_I32, b[0] * b[1] * b[2])
                 : v_op2(v, IR_OP_mul, v_op2(v, IR_OP_mul, size(v, 0), size(v, 1)), size(v, 2));
        for (unsigned p = 0; p < v->pieces; p++) {
            struct ir_value *at = v_op2(v, IR_OP_mul, g, v_num(v, IR_I32, v->lanes * v->pieces));
            v->linear0[p] = p ? v_op2(v, IR_OP_add, at, v_num(v, IR_I32, p * v->lanes)) : at;
            if (!b[0] || b[0] * b[1] * b[2] % (v->lanes * v->pieces)) {
                struct ir_value *left = v_op2(v, IR_OP_sub, total, v->linear0[p]);
                struct ir_value *iota = ir_build0(&v->b, IR_OP_iota, words, 0);
                m[p] = v_op2(v, IR_OP_slt, iota, ir_build1(&v->b, IR_OP_splat, words, left));
            }
        }
        v->x = v->linear0[0];
        return;
    }
    struct ir_value *across =
        b[0] ? v_num(v, IR_I32, (b[0] + v->lanes - 1) / v->lanes) : div_up(v, size(v, 0), v->lanes);
    bool one = b[0] && b[0] <= v->lanes, row = b[1] == 1 && b[2] == 1;
    struct ir_value *zero = v_num(v, IR_I32, 0);
    struct ir_value *column = one ? zero : row ? g : v_op2(v, IR_OP_urem, g, across);
    struct ir_value *line = row ? zero : one ? g : v_op2(v, IR_OP_udiv, g, across);
    v->x = one ? zero : v_op2(v, IR_OP_mul, column, v_num(v, IR_I32, v->lanes));
    struct ir_value *y = row ? zero : line, *z = zero;
    if (!row && b[2] != 1) {
        struct ir_value *lines = b[1] ? v_num(v, IR_I32, b[1] / v->pieces) : size(v, 1);
        y = v_op2(v, IR_OP_urem, line, lines);
        z = v_op2(v, IR_OP_udiv, line, lines);
    }
    if (v->pieces > 1)
        y = v_op2(v, IR_OP_mul, y, v_num(v, IR_I32, v->pieces));
    for (unsigned p = 0; p < v->pieces; p++) {
        v->y[p] = p ? v_op2(v, IR_OP_add, y, v_num(v, IR_I32, p)) : y;
        v->z[p] = z;
        v->linear0[p] = v->x;
        if (!row)
            v->linear0[p] =
                v_op2(v, IR_OP_add, v->x,
                      v_op2(v, IR_OP_mul, size(v, 0),
                            v_op2(v, IR_OP_add, v->y[p], v_op2(v, IR_OP_mul, size(v, 1), z))));
    }
    if (!b[0] || b[0] % v->lanes) {
        struct ir_value *left = v_op2(v, IR_OP_sub, size(v, 0), v->x);
        struct ir_value *iota = ir_build0(&v->b, IR_OP_iota, words, 0);
        m[0] = v_op2(v, IR_OP_slt, iota, ir_build1(&v->b, IR_OP_splat, words, left));
        for (unsigned p = 1; p < v->pieces; p++)
            m[p] = m[0];
    }
}

/* Values that live from one segment to another lie in memory, one after the other by gang. Masks
 * are kept as words. */
static ir_type kept_type(const struct vectorizer *v, uint32_t slot)
{
    ir_type t = v->slot_type[slot];
    return ir_kind(t) == IR_I1 ? ir_like(ir_is_vector(t) ? IR_I32 : IR_I8, t) : t;
}

static struct ir_value *kept_at(struct vectorizer *v, uint32_t slot)
{
    ir_type t = kept_type(v, slot);
    if (!v->memory[slot])
        v->memory[slot] = ir_build_alloca(v->to, (uint64_t)ir_bytes(t) * v->ngangs,
                                          ir_bytes(t) < 64 ? ir_bytes(t) : 64, "kept");
    struct ir_value *offset = v_op2(v, IR_OP_mul, ir_build1(&v->b, IR_OP_zext, IR_I64, v->gang),
                                    v_num(v, IR_I64, ir_bytes(t)));
    return ir_build2(&v->b, IR_OP_ptradd, v->memory[slot]->type, v->memory[slot], offset);
}

static void load_kept(struct vectorizer *v, uint32_t slot)
{
    ir_type t = kept_type(v, slot), s = v->slot_type[slot];
    struct ir_value *x = ir_build_load(&v->b, t, kept_at(v, slot), ir_bytes(ir_scalar(t)), 0);
    if (t != s)
        x = ir_build2(&v->b, IR_OP_ne, t, x, v_num(v, t, 0));
    v->var[slot] = x;
}

static void store_kept(struct vectorizer *v, uint32_t slot)
{
    ir_type t = kept_type(v, slot);
    struct ir_value *x = v->var[slot];
    if (t != v->slot_type[slot])
        x = ir_build1(&v->b, ir_is_vector(t) ? IR_OP_sext : IR_OP_zext, t, x);
    ir_build_store(&v->b, kept_at(v, slot), x, ir_bytes(ir_scalar(t)), 0);
}

static void uses_slot(struct vectorizer *v, struct ir_value *x, bool *used)
{
    if (!is_local(x))
        return;
    const struct vinfo *i = &v->value[x->id];
    add_slots(v, used, i->slot, i->class == V_BLOCK ? 1 : v->pieces);
    add_slots(v, used, i->out_slot, v->pieces);
}

static void uses(struct vectorizer *v, const struct vitem *item, bool *used)
{
    struct region *r = item->region;
    if (r->cond)
        uses_slot(v, r->cond, used);
    if (r->kind == REGION_CODE) {
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                uses_slot(v, i->args[k], used);
        if (item->first == item->end && item->first->op == IR_OP_barrier_red)
            uses_slot(v, item->first->args[2], used);
    }
    for (uint32_t k = item->copy; r->kind == REGION_COPIES && k < item->copy + item->ncopies; k++) {
        if (r->copies[k].src)
            uses_slot(v, r->copies[k].src, used);
        else
            add_slots(v, used, v->temp[r->copies[k].temp].slot,
                      v->temp[r->copies[k].temp].class == V_BLOCK ? 1 : v->pieces);
    }
    for (int side = 0; side < 2; side++)
        for (struct region *c = side ? r->other : r->child; c; c = c->next) {
            struct vitem inner = {.region = c, .ncopies = c->ncopies};
            if (c->kind == REGION_CODE)
                inner.first = c->block->first, inner.end = ir_terminator(c->block);
            uses(v, &inner, used);
        }
}

/* Brings values that are computed anew to the start of a segment. */
static void again(struct vectorizer *v, struct ir_value *x, uint32_t seg, bool *done)
{
    if (x->kind != IR_VALUE_RESULT)
        return;
    const struct vinfo *i = &v->value[x->id];
    if (!i->again || (i->seg == seg && !v->escapes[x->id]) || done[x->id])
        return;
    done[x->id] = true;
    for (uint32_t k = 0; k < x->u.inst->nargs; k++)
        again(v, x->u.inst->args[k], seg, done);
    v->at = map_get(&v->home, map_key(x->u.inst->block));
    v_instruction(v, x->u.inst);
}

static void item_again(struct vectorizer *v, const struct vitem *item, uint32_t seg, bool *done)
{
    struct region *r = item->region;
    if (r->cond)
        again(v, r->cond, seg, done);
    if (r->kind == REGION_CODE) {
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                again(v, i->args[k], seg, done);
        if (item->first == item->end && item->first->op == IR_OP_barrier_red)
            again(v, item->first->args[2], seg, done);
    }
    for (uint32_t k = item->copy; r->kind == REGION_COPIES && k < item->copy + item->ncopies; k++)
        if (r->copies[k].src)
            again(v, r->copies[k].src, seg, done);
    for (int side = 0; side < 2; side++)
        for (struct region *c = side ? r->other : r->child; c; c = c->next) {
            struct vitem inner = {.region = c, .ncopies = c->ncopies};
            if (c->kind == REGION_CODE)
                inner.first = c->block->first, inner.end = ir_terminator(c->block);
            item_again(v, &inner, seg, done);
        }
}

static bool exits(const struct region *r)
{
    for (; r; r = r->next)
        if (r->kind >= REGION_RETURN || exits(r->child) || exits(r->other))
            return true;
    return false;
}

static void hoisted(struct vectorizer *v, const struct vnode *n)
{
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        if (item->region->kind != REGION_CODE)
            continue;
        v->at = v_info(v, item->region);
        for (struct ir_inst *i = item->first; i != item->end; i = i->next)
            if (i->nresults && v->value[i->results[0].id].hoisted)
                v_instruction(v, i);
    }
}

static void segment(struct vectorizer *v, const struct vnode *n)
{
    hoisted(v, n);
    bool *set = arena_array(v->arena, bool, v->nslots + 1),
         *used = arena_array(v->arena, bool, v->nslots + 1);
    bool work = false, may_exit = false;
    for (size_t k = 0; k < n->items.len; k++) {
        const struct vitem *item = &n->items.data[k];
        sets(v, item, set);
        uses(v, item, used);
        if (item->region->kind == REGION_CODE && item->first == item->end) /* counts from here */
            v->var[v->value[item->first->results[0].id].slot] =
                v_num(v, IR_I32, item->first->imm == 1);
        if (item->region->kind != REGION_CODE || item->first == item->end)
            work = true;
        else
            for (struct ir_inst *i = item->first; i != item->end; i = i->next)
                work |= i->op != IR_OP_split && i->op != IR_OP_join &&
                        (!i->nresults || !v->value[i->results[0].id].hoisted);
        may_exit |= item->region->kind >= REGION_RETURN || exits(item->region->child) ||
                    exits(item->region->other);
    }
    if (!work)
        return;
    /* Variables of the block go round the loop; those of gangs are loaded and stored. */
    uint32_t gang = v->gang_slot, some = v->some_slot;
    bool *carried = arena_array(v->arena, bool, v->nslots + 1);
    bool keep_alive = v->context[v->alive] && may_exit;
    for (uint32_t s = 0; s < v->nslots; s++)
        carried[s] = set[s] && v->of_block[s];
    carried[gang] = true;
    carried[some] = keep_alive;
    v->var[gang] = v_num(v, IR_I32, 0);
    v->var[some] = v_num(v, IR_I1, 0);
    struct ir_value **outside = snapshot(v);
    uint32_t ncarried;
    const uint32_t *slots = slots_of(v, carried, &ncarried);
    struct ir_value *count = gang_count(v);
    struct ir_block *header = NULL, *done;
    bool once = ir_is_const(count) && count->u.bits == 1;
    if (!once)
        header = loop_header(v, slots, ncarried);
    v->gang = v->var[gang];
    struct ir_value *m[V_MAX_PIECES];
    place_gang(v, m);
    for (uint32_t s = 0; s < v->nslots; s++)
        if (v->context[s] && (used[s] || set[s]) && s < v->alive)
            load_kept(v, s);
    for (unsigned p = 0; p < v->pieces; p++) {
        v->var[v->alive + p] = m[p];
        if (v->context[v->alive + p]) {
            load_kept(v, v->alive + p);
            m[p] = v->var[v->alive + p];
        }
    }
    set_mask(v, m);
    bool *done_again = arena_array(v->arena, bool, v->from->nvalues + 1);
    for (size_t k = 0; k < n->items.len; k++)
        item_again(v, &n->items.data[k], n->seg, done_again);
    struct vjoin end = {0};
    v->gang_end = &end;
    bool full = every(m, v->pieces, v_is_all);
    v->budget = 600;
    if (full)
        items(v, n, 0);
    else
        items_rest(v, n, 0, true);
    jump(v, &end);
    arrive(v, &end);
    if (!v->dead) {
        for (uint32_t s = 0; s < v->nslots; s++)
            if (v->context[s] && set[s] && s < v->alive)
                store_kept(v, s);
        for (unsigned p = 0; p < v->pieces; p++)
            if (v->context[v->alive + p] && may_exit)
                store_kept(v, v->alive + p);
        if (keep_alive) {
            struct ir_value *left[V_MAX_PIECES];
            for (unsigned p = 0; p < v->pieces; p++)
                left[p] = v->var[v->alive + p];
            v->var[some] = v_op2(v, IR_OP_or, v->var[some], any(v, left));
        }
        if (!once) {
            v->var[gang] = v_op2(v, IR_OP_add, v->gang, v_num(v, IR_I32, 1));
            v_branch(v, ir_build2(&v->b, IR_OP_ult, IR_I32, v->var[gang], count), &done);
            struct ir_value **after = snapshot(v);
            loop_again(v, header, slots, ncarried);
            begin(v, done);
            memcpy(v->var, after, v->nslots * sizeof *after);
        }
        struct ir_value *some_left = v->var[some];
        for (uint32_t s = 0; s < v->nslots; s++)
            if (!carried[s] || s == gang || s == some)
                v->var[s] = outside[s];
        if (keep_alive && may_exit) { /* all threads of the block have ended */
            struct ir_block *go;
            v_branch(v, ir_build1(&v->b, IR_OP_not, IR_I1, some_left), &go);
            ir_build_ret(&v->b, NULL);
            begin(v, go);
        }
    }
}

/* ---- regions for the block ---- */
static void nodes(struct vectorizer *v, struct vnode *n);

static void node_region(struct vectorizer *v, struct vnode *n)
{
    struct region *r = n->region;
    v->at = v_info(v, r);
    if (r->kind == REGION_IF) {
        struct vjoin join = {0};
        struct ir_block *no;
        struct ir_value **before;
        struct ir_value *c = v_scalar(v, r->cond, 0);
        before = snapshot(v);
        v_branch(v, c, &no);
        nodes(v, n->child);
        jump(v, &join);
        begin(v, no);
        memcpy(v->var, before, v->nslots * sizeof *before);
        nodes(v, n->other);
        jump(v, &join);
        arrive(v, &join);
        return;
    }
    struct vtarget t = {.up = v->targets, .region = r};
    v->targets = &t;
    if (r->kind == REGION_LOOP) {
        bool *set = arena_array(v->arena, bool, v->nslots + 1);
        list_sets(v, r->child, set);
        for (uint32_t s = 0; s < v->nslots; s++) /* what gangs keep is in memory */
            set[s] = set[s] && v->of_block[s];
        t.slots = slots_of(v, set, &t.nslots);
        t.header = loop_header(v, t.slots, t.nslots);
    }
    nodes(v, n->child);
    v->targets = t.up;
    if (r->kind == REGION_BLOCK)
        jump(v, &t.end);
    arrive(v, &t.end);
}

static void nodes(struct vectorizer *v, struct vnode *n)
{
    for (; n && !v->dead; n = n->next)
        switch (n->kind) {
        case NODE_SEGMENT: segment(v, n); break;
        case NODE_COPIES: {
            struct vitem item = {.region = n->region, .copy = n->copy, .ncopies = n->ncopies};
            v->at = v_info(v, n->region);
            copies(v, &item);
            break;
        }
        case NODE_REGION: node_region(v, n); break;
        case NODE_JUMP: gang_jump(v, n->region); break;
        }
}

/* ---- the whole ---- */
/* Switches become chains of comparisons: lanes may take different arms. */
static void chain_switches(struct ir_func *f)
{
    ir_each_block (b, f) {
        struct ir_inst *t = ir_terminator(b);
        if (!t || t->op != IR_OP_switch)
            continue;
        struct ir_builder at = ir_builder_at_end(b);
        at.span = t->span;
        struct ir_value *x = t->args[0];
        struct ir_edge *edges = t->edges;
        uint32_t n = t->nedges;
        struct ir_block *here = b;
        ir_remove(t);
        for (uint32_t k = 1; k < n; k++) {
            struct ir_value *same = ir_build2(&at, IR_OP_eq, x->type, x,
                                              ir_const(f->module, x->type, edges[k].case_value));
            struct ir_block *next = ir_block_after(here, NULL);
            struct ir_inst *branch = ir_build(&at, IR_OP_condbr, IR_VOID, &same, 1);
            ir_add_edge(branch, edges[k].to, edges[k].args, edges[k].nargs, 0);
            ir_add_edge(branch, next, NULL, 0, 0);
            at.block = here = next;
        }
        ir_build_br(&at, edges[0].to, edges[0].args, edges[0].nargs);
    }
}

struct vector_needs lower_vector_needs(struct arena *a, struct ir_func *f)
{
    (void)a;
    struct vector_needs n = {0};
    ir_cfg(f);
    ir_each_block (b, f) { /* what loops carry: parameters of their headers */
        bool header = false;
        vec_each (struct ir_block *, p, &b->preds)
            header |= (*p)->rpo != UINT32_MAX && ir_dominates(b, *p);
        unsigned carried = 0;
        for (size_t k = 0; header && k < b->params.len; k++)
            if (ir_class(b->params.data[k]->type) == IR_CLASS_FLOAT)
                carried += ir_bits(b->params.data[k]->type) == 64 ? 2 : 1;
        n.pressure = carried > n.pressure ? carried : n.pressure;
    }
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const char *why;
            switch (i->op) {
            case IR_OP_shfl:
            case IR_OP_vote:
            case IR_OP_match:
            case IR_OP_redux:
            case IR_OP_activemask:
            case IR_OP_warpsync: n.warps = true; break;
            case IR_OP_sreg:
                n.warps |= i->imm == IR_SREG_LANEID || i->imm == IR_SREG_WARPID ||
                           (i->imm >= IR_SREG_LANEMASK_EQ && i->imm <= IR_SREG_LANEMASK_GE);
                break;
            case IR_OP_load:
            case IR_OP_store:
                n.warps |= i->flags & IR_VOLATILE && ir_space(i->args[0]->type) == IR_SPACE_SHARED;
                break;
            default: break;
            }
            if (!n.why && !v_can(i, &why))
                n.why = why;
        }
    return n;
}

/* Does some thread end before the last statement of the kernel? */
static bool early_exits(const struct region *r)
{
    for (; r; r = r->next)
        if (exits(r->child) || exits(r->other) || (r->kind >= REGION_RETURN && r->next))
            return true;
    return false;
}

/* All threads of the block are there at first. */
static void all_alive(struct vectorizer *v)
{
    struct ir_value *count = gang_count(v), *m[V_MAX_PIECES];
    v->var[v->gang_slot] = v_num(v, IR_I32, 0);
    struct ir_block *header = loop_header(v, &v->gang_slot, 1), *done;
    v->gang = v->var[v->gang_slot];
    place_gang(v, m);
    for (unsigned p = 0; p < v->pieces; p++) {
        v->var[v->alive + p] = m[p];
        store_kept(v, v->alive + p);
        v->var[v->alive + p] = v_num(v, mask_type(v), 0);
    }
    v->var[v->gang_slot] = v_op2(v, IR_OP_add, v->gang, v_num(v, IR_I32, 1));
    v_branch(v, ir_build2(&v->b, IR_OP_ult, IR_I32, v->var[v->gang_slot], count), &done);
    loop_again(v, header, &v->gang_slot, 1);
    begin(v, done);
    v->var[v->gang_slot] = v_num(v, IR_I32, 0);
}

struct ir_func *lower_vectorize(struct arena *a, struct ir_func *kernel,
                                const struct vector_options *o, const char **why)
{
    struct vectorizer *v = arena_new(a, struct vectorizer);
    v->arena = a;
    v->from = kernel;
    v->module = kernel->module;
    v->options = o;
    v->lanes = o->lanes;
    v->pieces = o->pieces ? o->pieces : 1;
    v->linear = o->warps;
    memcpy(v->block, o->block, sizeof v->block);
    struct vector_needs needs = lower_vector_needs(a, kernel);
    *why = needs.why;
    if (*why)
        return NULL;
    lower_reducible(a, kernel);
    chain_switches(kernel);
    v->tree = lower_structurize(a, kernel);
    v->escapes = lower_escapes(a, v->tree);
    v->uses = ir_use_counts(a, kernel);
    v_analyse(v);
    struct vnode *body = v_segments(v);
    *why = v->why;
    if (!body)
        return NULL;

    const char *name = arena_printf(a, "%s.block", kernel->name);
    v->to = ir_func_new(v->module, name, IR_VOID, kernel->flags);
    v->to->display = kernel->display ? kernel->display : kernel->name;
    v->to->span = kernel->span;
    vec_each (struct ir_param, p, &kernel->params)
        vec_push(v->module->arena, &v->to->params, *p);
    v->to->param_bytes = kernel->param_bytes;
    struct ir_block *entry = ir_block_new(v->to, "entry"), *start = ir_block_new(v->to, NULL);
    v->b = ir_builder_at_end(entry);
    ir_build_br(&v->b, start, NULL, 0);
    begin(v, start);
    make_variables(v);
    v->result = arena_array(a, struct ir_value *, (size_t)kernel->nvalues * v->pieces + 1);
    v->local = arena_array(a, struct ir_value *, (size_t)kernel->nvalues * v->pieces + 1);
    v->cache = arena_array(a, struct vcache, (size_t)kernel->nvalues * v->pieces + 1);
    for (size_t k = 0; k < kernel->params.len; k++)
        v->result[(size_t)kernel->first->params.data[k]->id * v->pieces] = entry->params.data[k];
    uint32_t threads = v->block[0] * v->block[1] * v->block[2];
    v->ngangs = !v->block[0] ? 1024
                : v->linear  ? (threads + v->lanes - 1) / v->lanes
                             : (v->block[0] + v->lanes - 1) / v->lanes * v->block[1] * v->block[2];
    bool one = body->kind == NODE_SEGMENT && !body->next;
    v->several = !one;
    if (!one) { /* what lives from segment to segment */
        bool ends = early_exits(v->tree->body);
        for (uint32_t k = 0; k < kernel->nvalues; k++) {
            const struct vinfo *i = &v->value[k];
            if (i->multi && i->class != V_BLOCK && i->slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[i->slot + p] = true;
            if (i->multi && i->out_slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[i->out_slot + p] = true;
        }
        for (uint32_t k = 0; k < v->tree->ntemps; k++)
            if (v->temp[k].multi && v->temp[k].class != V_BLOCK)
                for (unsigned p = 0; p < v->pieces; p++)
                    v->context[v->temp[k].slot + p] = true;
        for (unsigned p = 0; p < v->pieces && ends; p++)
            v->context[v->alive + p] = true;
    }
    if (v->context[v->alive])
        all_alive(v);
    nodes(v, body);
    if (!v->dead)
        ir_build_ret(&v->b, NULL);
    ir_remove_unreachable(v->to);
    opt_simplify(a, v->to);
    opt_gvn(a, v->to);
    opt_dce(a, v->to);
    ir_renumber(v->to);
    return v->to;
}
