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
#include "lower/gang/gang_int.h"

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

ir_type v_mask_type(const struct vectorizer *v)
{
    return v_vector(v, IR_I1);
}

struct ir_value *v_mask(struct vectorizer *v, unsigned piece)
{
    return v_var(v, v->mask + piece);
}

void v_set_mask(struct vectorizer *v, struct ir_value *const *m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, v->mask + p, m[p]);
}

void v_get_mask(struct vectorizer *v, struct ir_value **m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v_var(v, v->mask + p);
}

bool v_every(struct ir_value *const *m, unsigned n, bool (*is)(const struct ir_value *))
{
    for (unsigned p = 0; p < n; p++)
        if (!is(m[p]))
            return false;
    return true;
}

struct ir_value *v_any(struct vectorizer *v, struct ir_value *const *m)
{
    struct ir_value *all = m[0];
    for (unsigned p = 1; p < v->pieces; p++)
        all = v_or(v, all, m[p]);
    if (ir_is_const(all))
        return v_num(v, IR_I1, all->u.bits);
    return ir_build1(&v->b, IR_OP_anylane, IR_VOID, all);
}

struct ir_value *v_all(struct vectorizer *v, struct ir_value *const *m)
{
    struct ir_value *both = m[0];
    for (unsigned p = 1; p < v->pieces; p++)
        both = v_and(v, both, m[p]);
    if (ir_is_const(both))
        return v_num(v, IR_I1, both->u.bits);
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, both);
}

/* ---- control flow and SSA ---- */

/* Variables stand in pages. A snapshot shares them, a page that is shared is copied when it is
 * written: a kernel with many variables and many ways to meet costs what changes on each way, not
 * all variables for each way. */
static uint32_t page_count(const struct vectorizer *v)
{
    return (v->nslots + V_PAGE - 1) / V_PAGE;
}

void v_set(struct vectorizer *v, uint32_t slot, struct ir_value *x)
{
    struct vpage **page = &v->var[slot / V_PAGE];
    if ((*page)->state != v->state) {
        struct vpage *mine = arena_new(v->arena, struct vpage);
        *mine = **page;
        mine->state = v->state;
        *page = mine;
    }
    (*page)->at[slot % V_PAGE] = x;
}

struct vpage **v_snapshot(struct vectorizer *v)
{
    struct vpage **copy = arena_array(v->arena, struct vpage *, page_count(v));
    memcpy(copy, v->var, page_count(v) * sizeof *copy);
    v->state++;
    return copy;
}

void v_restore(struct vectorizer *v, struct vpage *const *from)
{
    memcpy(v->var, from, page_count(v) * sizeof *from);
    v->state++;
}

void v_begin(struct vectorizer *v, struct ir_block *b)
{
    v->b.block = b;
    v->dead = false;
}

static struct ir_block *new_block(struct vectorizer *v)
{
    return ir_block_new(v->to, NULL);
}

void v_jump(struct vectorizer *v, struct vjoin *to)
{
    if (v->dead)
        return;
    vec_push(v->arena, &to->edges, ((struct vedge){v->b.block, v_snapshot(v)}));
    v->dead = true;
}

typedef VEC(uint32_t) slot_list;

/* The variables of a page that do not have one value on all ways. */
static void find_differing(struct vectorizer *v, const struct vjoin *at, uint32_t page,
                           slot_list *differs)
{
    struct vpage *const *first = at->edges.data[0].var;
    bool shared = true;
    vec_each (struct vedge, e, &at->edges)
        shared &= e->var[page] == first[page];
    for (uint32_t s = page * V_PAGE; !shared && s < v->nslots && s < (page + 1) * V_PAGE; s++) {
        bool same = true;
        vec_each (struct vedge, e, &at->edges)
            same &= v_in(e->var, s) == v_in(first, s);
        if (!same)
            vec_push(v->arena, differs, s);
    }
}

void v_arrive(struct vectorizer *v, struct vjoin *at)
{
    if (!at->edges.len) {
        v->dead = true;
        return;
    }
    struct ir_block *b = new_block(v);
    slot_list differs = {0};
    for (uint32_t page = 0; page < page_count(v); page++)
        find_differing(v, at, page, &differs);
    v_restore(v, at->edges.data[0].var);
    vec_each (uint32_t, s, &differs)
        v_set(v, *s, ir_block_param(b, v->slot_type[*s], NULL));
    struct ir_value **args = arena_array(v->arena, struct ir_value *, differs.len + 1);
    vec_each (struct vedge, e, &at->edges) {
        for (size_t k = 0; k < differs.len; k++)
            args[k] = v_in(e->var, differs.data[k]);
        v->b.block = e->from;
        ir_build_br(&v->b, b, args, (uint32_t)differs.len);
    }
    v_begin(v, b);
}

/* Goes on where cond holds; *no is where it does not. */
void v_branch(struct vectorizer *v, struct ir_value *cond, struct ir_block **no)
{
    struct ir_block *yes = new_block(v);
    *no = new_block(v);
    ir_build_condbr(&v->b, cond, yes, *no);
    v_begin(v, yes);
}

struct ir_block *v_loop_header(struct vectorizer *v, const uint32_t *slots, uint32_t n)
{
    struct ir_block *header = new_block(v);
    struct ir_value **args = arena_array(v->arena, struct ir_value *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        args[k] = v_var(v, slots[k]);
    ir_build_br(&v->b, header, args, n);
    for (uint32_t k = 0; k < n; k++)
        v_set(v, slots[k], ir_block_param(header, v->slot_type[slots[k]], NULL));
    v_begin(v, header);
    return header;
}

void v_loop_again(struct vectorizer *v, struct ir_block *header, const uint32_t *slots, uint32_t n)
{
    struct ir_value **args = arena_array(v->arena, struct ir_value *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        args[k] = v_var(v, slots[k]);
    ir_build_br(&v->b, header, args, n);
    v->dead = true;
}

/* ---- values ---- */
bool v_is_local(const struct ir_value *x)
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
        return v_var(v, i->slot + p);
    return v->result[(size_t)x->id * v->pieces + p];
}

/* The value of all lanes, or of lane 0 where they differ by a constant. */
struct ir_value *v_scalar(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    return v_is_local(x) ? held(v, x, piece) : x;
}

/* For each lane the sum of the weights of its bits: bits whose weights double are a product. */
static struct ir_value *steps(struct vectorizer *v, ir_type t, const int64_t *weight)
{
    struct ir_value *iota = ir_build0(&v->b, IR_OP_iota, t, 0), *sum = NULL;
    unsigned bits = (unsigned)__builtin_ctz(v->lanes);
    for (unsigned k = 0, n; k < bits; k += n) {
        for (n = 1; k + n < bits && (uint64_t)weight[k + n] == (uint64_t)weight[k + n - 1] * 2; n++)
            ;
        if (!weight[k])
            continue;
        struct ir_value *x = iota;
        if (k)
            x = v_op2(v, IR_OP_lshr, x, v_num(v, t, k));
        if (k + n < bits)
            x = v_op2(v, IR_OP_and, x, v_num(v, t, (UINT64_C(1) << n) - 1));
        if (weight[k] != 1)
            x = v_op2(v, IR_OP_mul, x, v_num(v, t, (uint64_t)weight[k]));
        sum = sum ? v_op2(v, IR_OP_add, sum, x) : x;
    }
    return sum;
}

static struct ir_value *widen(struct vectorizer *v, struct ir_value *s, const struct vinfo *as)
{
    ir_type t = v_vector(v, s->type);
    struct ir_value *w =
        ir_is_const(s) ? v_num(v, t, s->u.bits) : ir_build1(&v->b, IR_OP_splat, t, s);
    if (!as || as->class <= V_GANG)
        return w;
    bool pointer = ir_kind(t) == IR_PTR;
    int64_t weight[V_LANE_BITS];
    for (unsigned k = 0; k < V_LANE_BITS; k++)
        weight[k] = as->class == V_BITS ? as->weight[k] : (int64_t)((uint64_t)as->stride << k);
    struct ir_value *by = steps(v, pointer ? v_vector(v, IR_I64) : t, weight);
    return by ? v_op2(v, pointer ? IR_OP_ptradd : IR_OP_add, w, by) : w;
}

struct ir_value *v_wide(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    if (!v_is_local(x))
        return widen(v, x, NULL);
    const struct vinfo *i = &v->value[x->id];
    int64_t stride;
    enum vclass c = v_class(v, x, v->at, &stride);
    if (c == V_VARY)
        return i->class == V_VARY ? held(v, x, piece) : v_var(v, i->out_slot + piece);
    struct ir_value *s = held(v, x, piece);
    struct vcache *cached = &v->cache[(size_t)x->id * v->pieces + piece];
    if (cached->block != v->b.block || cached->scalar != s) {
        cached->block = v->b.block;
        cached->scalar = s;
        cached->vector = v_is_assumed(v, x) ? v_exact(v, x, piece) : widen(v, s, i);
    }
    return cached->vector;
}

struct ir_value *v_steps(struct vectorizer *v, struct ir_value *x, unsigned piece)
{
    return v_is_assumed(v, x) ? widen(v, held(v, x, piece), &v->value[x->id]) : v_wide(v, x, piece);
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
        v_set(v, i->slot + p, blend(v, piece, is, v_var(v, i->slot + p)));
    else
        v_set(v, i->slot + p, is);
    if (i->out_slot != NO_SLOT) {
        struct ir_value *wide = widen(v, is, i);
        v_set(v, i->out_slot + piece, blend(v, piece, wide, v_var(v, i->out_slot + piece)));
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
    if (ir_class(x->type) == IR_CLASS_NONE)
        return; /* where threads split is not a value of theirs */
    if (!v_is_local(x))
        return;
    struct ir_block *b = x->kind == IR_VALUE_PARAM ? x->u.block : x->u.inst->block;
    struct vinfo *i = &v->value[x->id];
    const struct vregion *home = map_get(&v->home, map_key(b));
    for (struct vregion *u = home ? home->loop : NULL; u && !v_inside(at, u);
         u = v_loop_around(u)) {
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

void v_make_variables(struct vectorizer *v)
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
    v->mask = new_slots(v, v_mask_type(v), v->pieces);
    v->alive = new_slots(v, v_mask_type(v), v->pieces);
    v->brk = arena_array(v->arena, uint32_t, v->tree->nregions + 1);
    v->cont = arena_array(v->arena, uint32_t, v->tree->nregions + 1);
    map_each (e, &v->info_of) {
        const struct vregion *r = e->value;
        if (!r->masked)
            continue;
        v->brk[r->region->id] = new_slots(v, v_mask_type(v), v->pieces);
        v->cont[r->region->id] = new_slots(v, v_mask_type(v), v->pieces);
    }
    v->gang_slot = new_slots(v, IR_I32, 1);
    v->some_slot = new_slots(v, IR_I1, 1);
    v->thread_row_slot = new_slots(v, IR_I32, 1);
    v->of_block = arena_array(v->arena, bool, v->nslots);
    for (uint32_t k = 0; k < v->from->nvalues; k++)
        if (v->value[k].class == V_BLOCK && v->value[k].slot != NO_SLOT)
            v->of_block[v->value[k].slot] = true;
    for (uint32_t k = 0; k < v->tree->ntemps; k++)
        if (v->temp[k].class == V_BLOCK)
            v->of_block[v->temp[k].slot] = true;
    v->var = arena_array(v->arena, struct vpage *, page_count(v));
    for (uint32_t page = 0; page < page_count(v); page++)
        v->var[page] = arena_new(v->arena, struct vpage);
    for (uint32_t s = 0; s < v->nslots; s++)
        v_set(v, s, v_num(v, v->slot_type[s], 0));
    v->context = arena_array(v->arena, bool, v->nslots);
    v->memory = arena_array(v->arena, struct ir_value *, v->nslots);
    v->in_frame = arena_array(v->arena, uint32_t, v->nslots);
}

/* Which variables the regions of a list set. */
void v_add_slots(struct vectorizer *v, bool *set, uint32_t slot, unsigned n)
{
    (void)v;
    for (unsigned k = 0; slot != NO_SLOT && k < n; k++)
        set[slot + k] = true;
}

void v_sets(struct vectorizer *v, const struct vitem *item, bool *set);

void v_list_sets(struct vectorizer *v, struct region *list, bool *set)
{
    for (struct region *r = list; r; r = r->next) {
        struct vitem item = {.region = r, .ncopies = r->ncopies};
        if (r->kind == REGION_CODE)
            item.first = r->block->first, item.end = ir_terminator(r->block);
        v_sets(v, &item, set);
    }
}

static void value_sets(struct vectorizer *v, const struct vinfo *i, bool *set)
{
    v_add_slots(v, set, i->slot, i->class == V_BLOCK ? 1 : v->pieces);
    v_add_slots(v, set, i->out_slot, v->pieces);
}

void v_sets(struct vectorizer *v, const struct vitem *item, bool *set)
{
    struct region *r = item->region;
    struct vregion *i = v_info(v, r);
    switch (r->kind) {
    case REGION_CODE:
        for (struct ir_inst *k = item->first; k != item->end; k = k->next)
            for (uint32_t n = 0; n < k->nresults; n++)
                value_sets(v, &v->value[k->results[n].id], set);
        vec_each (struct ir_value *, p, &r->block->params)
            v_add_slots(v, set, v->value[(*p)->id].out_slot, v->pieces);
        if (item->first == item->end && item->first->nresults) /* barrier_red */
            value_sets(v, &v->value[item->first->results[0].id], set);
        break;
    case REGION_COPIES:
        for (uint32_t k = item->copy; k < item->copy + item->ncopies; k++) {
            const struct region_copy *c = &r->copies[k];
            const struct vinfo *n = c->dst ? &v->value[c->dst->id] : &v->temp[c->temp];
            v_add_slots(v, set, n->slot, n->class == V_BLOCK ? 1 : v->pieces);
        }
        break;
    case REGION_BREAK:
    case REGION_CONTINUE:
        if (v_info(v, r->target)->masked) {
            v_add_slots(v, set, v->brk[r->target->id], v->pieces);
            v_add_slots(v, set, v->cont[r->target->id], v->pieces);
            v_add_slots(v, set, v->mask, v->pieces);
        }
        break;
    case REGION_RETURN:
    case REGION_EXIT:
    case REGION_UNREACHABLE:
        v_add_slots(v, set, v->alive, v->pieces);
        v_add_slots(v, set, v->mask, v->pieces);
        break;
    default:
        if (i->masked) {
            v_add_slots(v, set, v->brk[r->id], v->pieces);
            v_add_slots(v, set, v->cont[r->id], v->pieces);
            v_add_slots(v, set, v->mask, v->pieces);
        }
        v_list_sets(v, r->child, set);
        v_list_sets(v, r->other, set);
    }
}

uint32_t *v_slots_of(struct vectorizer *v, const bool *set, uint32_t *n)
{
    slot_list slots = {0};
    for (const bool *at = set; (at = memchr(at, 1, (size_t)(set + v->nslots - at))); at++)
        vec_push(v->arena, &slots, (uint32_t)(at - set));
    *n = (uint32_t)slots.len;
    return slots.data;
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
            v_info(v, r->target)->masked && !v_inside(v_info(v, r->target), v_info(v, of)))
            return true;
        if (drops(v, r->child, of) || drops(v, r->other, of))
            return true;
    }
    return false;
}

static bool list_drops(struct vectorizer *v, struct region *r);

bool v_drops(struct vectorizer *v, struct region *r)
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
        if (v_drops(v, r))
            return true;
    return false;
}

unsigned v_weight(struct region *r)
{
    unsigned n = 0;
    for (; r; r = r->next) {
        if (r->kind == REGION_CODE)
            ir_each_inst (i, r->block)
                n++;
        n += r->ncopies + v_weight(r->child) + v_weight(r->other);
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

/* So are accesses to shared memory, which belongs to one worker, by lanes side by side or close
 * together, if the block before has touched the same places: under any mask they are a few vectors,
 * and there is memory even if no lane wants it. */
static bool is_light(struct vectorizer *v, struct region *r, const struct ir_block *before)
{
    for (; r; r = r->next) {
        if (r->kind != REGION_CODE && r->kind != REGION_COPIES)
            return false;
        if (r->kind == REGION_COPIES)
            continue;
        ir_each_inst (i, r->block) {
            int64_t stride;
            if (ir_op_info[i->op].flags & (IR_PURE | IR_TERMINATOR) || i->op == IR_OP_split ||
                i->op == IR_OP_join)
                continue;
            if ((i->op != IR_OP_load && i->op != IR_OP_store) || i->flags & IR_VOLATILE ||
                ir_order(i->flags) || ir_space(i->args[0]->type) != IR_SPACE_SHARED)
                return false;
            enum vclass c = v_class(v, i->args[0], v_info(v, r), &stride);
            if (c != V_BITS && (c != V_AFFINE || stride != (int64_t)ir_bytes(i->type) ||
                                v->value[i->args[0]->id].assumed))
                return false;
            bool touched = false;
            ir_each_inst (k, before)
                touched |= (k->op == IR_OP_load || k->op == IR_OP_store) &&
                           k->args[0] == i->args[0] && k->type == i->type;
            if (!touched)
                return false;
        }
    }
    return true;
}

/* That, and then on to a place where lanes wait for each other: what lanes that are not there do to
 * it is nothing. */
static bool is_small_jump(struct vectorizer *v, struct region *r)
{
    if (v_weight(r) > 16)
        return false;
    for (; r; r = r->next) {
        struct region *next = r->next;
        if (!next)
            return (r->kind == REGION_BREAK || r->kind == REGION_CONTINUE) &&
                   v_info(v, r->target)->masked;
        r->next = NULL;
        bool small = is_small(r);
        r->next = next;
        if (!small)
            return false;
    }
    return false;
}

static void code(struct vectorizer *v, const struct vitem *item)
{
    struct ir_block *b = item->region->block;
    if (item->first == b->first) /* what its parameters look like from outside the loop */
        vec_each (struct ir_value *, x, &b->params) {
            const struct vinfo *i = &v->value[(*x)->id];
            if (b != v->from->first && i->out_slot != NO_SLOT)
                for (unsigned p = 0; p < v->pieces; p++)
                    v_set(v, i->out_slot + p,
                          blend(v, p, widen(v, held(v, *x, p), i), v_var(v, i->out_slot + p)));
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
    struct ir_value *x = v_var(v, t->slot + piece_of(t, p));
    return wide && t->class != V_VARY ? widen(v, x, t) : x;
}

/* Is there one edge only to the header of a loop from where `at` is, outside or inside? */
static bool is_only_way(struct vectorizer *v, struct vregion *at, const struct vregion *loop)
{
    const struct ir_block *header = loop->region->block;
    const bool inside = v_inside(at, loop);
    unsigned n = 0;
    vec_each (struct ir_block *, p, &header->preds) {
        struct vregion *from = map_get(&v->home, map_key(*p));
        if (from && v_inside(from, loop) != inside)
            continue;
        const struct ir_inst *t = ir_terminator(*p);
        for (uint32_t e = 0; e < t->nedges; e++)
            n += t->edges[e].to == header;
    }
    return n == 1;
}

void v_copies(struct vectorizer *v, const struct vitem *item)
{
    struct region *r = item->region;
    struct vregion *at = v_info(v, r);
    for (uint32_t k = item->copy; k < item->copy + item->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        const struct vinfo *to = c->dst ? &v->value[c->dst->id] : &v->temp[c->temp];
        bool wide = to->class == V_VARY;
        unsigned n = to->class == V_BLOCK ? 1 : v->pieces;
        /* Lanes that do not run keep what they have, unless no such lane ever looks: the header of
         * a loop, entered or gone round by all that are in it, in one way. */
        bool keep = wide && c->dst != NULL;
        if (keep && !to->leaks) {
            struct vregion *home = map_get(&v->home, map_key(c->dst->u.block));
            struct vregion *loop = home ? home->up : NULL;
            if (loop && loop->region->kind == REGION_LOOP &&
                loop->region->block == c->dst->u.block && (at->up == loop || !v_inside(at, loop)) &&
                is_only_way(v, at, loop))
                keep = false;
        }
        for (unsigned p = 0; p < n; p++) {
            struct ir_value *x = copy_source(v, c, wide, p);
            v_set(v, to->slot + p, keep ? blend(v, p, x, v_var(v, to->slot + p)) : x);
        }
    }
}

static void none(struct vectorizer *v, struct ir_value **m)
{
    for (unsigned p = 0; p < v->pieces; p++)
        m[p] = v_num(v, v_mask_type(v), 0);
}

/* Runs a list for the lanes m; leaves the mask of those that come out of it. */
static void masked_list(struct vectorizer *v, struct region *r, struct ir_value *const *m,
                        bool skip)
{
    v_set_mask(v, m);
    if (!r || v_every(m, v->pieces, v_is_none))
        return;
    if (!skip || v_every(m, v->pieces, v_is_all)) {
        list(v, r);
        return;
    }
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value *nobody[V_MAX_PIECES];
    none(v, nobody);
    struct vpage **before = v_snapshot(v);
    v_branch(v, v_any(v, m), &no);
    list(v, r);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    if (list_drops(v, r)) /* a list that drops nobody keeps its mask */
        v_set_mask(v, nobody);
    v_jump(v, &join);
    v_arrive(v, &join);
}

/* With all lanes running, none waits anywhere. */
void v_all_run(struct vectorizer *v)
{
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, v->mask + p, v_num(v, v_mask_type(v), 1));
    struct ir_value *nobody = v_num(v, v_mask_type(v), 0);
    map_each (e, &v->info_of) {
        const struct vregion *r = e->value;
        for (unsigned p = 0; r->masked && p < v->pieces; p++)
            v_set(v, v->brk[r->region->id] + p, nobody),
                v_set(v, v->cont[r->region->id] + p, nobody);
    }
}

/* `r`, written twice: for a mask of all lanes, without masks, and for any other. */
static void versions(struct vectorizer *v, struct region *r, struct ir_value *const *m)
{
    struct vjoin join = {0};
    struct ir_block *no;
    v->budget -= v_weight(r);
    struct vpage **before = v_snapshot(v);
    v_branch(v, v_all(v, m), &no);
    v_all_run(v);
    list(v, r);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    masked_list(v, r, m, true);
    v_jump(v, &join);
    v_arrive(v, &join);
}

/* ---- tests on scalars ---- */
/* Whether a condition holds (or, with `negated`, fails) for all lanes, as a test on scalars: for
 * comparisons of a value that grows from lane to lane with one that is the same for all, the lane
 * at the end of the range decides, provided that the range does not wrap. NULL: no such test. */
static struct ir_value *on_all_lanes(struct vectorizer *v, struct ir_value *c, unsigned p,
                                     bool negated)
{
    int64_t stride, steps[2];
    enum vclass class = v_class(v, c, v->at, &stride), of[2];
    if (class <= V_GANG) {
        struct ir_value *x = v_scalar(v, c, p);
        return negated ? ir_build1(&v->b, IR_OP_not, IR_I1, x) : x;
    }
    if (c->kind != IR_VALUE_RESULT || v->value[c->id].slot != NO_SLOT)
        return NULL;
    const struct ir_inst *i = c->u.inst;
    if (i->op == IR_OP_not)
        return on_all_lanes(v, i->args[0], p, !negated);
    if (i->op == (negated ? IR_OP_or : IR_OP_and)) {
        struct ir_value *a = on_all_lanes(v, i->args[0], p, negated);
        struct ir_value *b = a ? on_all_lanes(v, i->args[1], p, negated) : NULL;
        return b ? v_op2(v, IR_OP_and, a, b) : NULL;
    }
    bool less = i->op == IR_OP_slt || i->op == IR_OP_ult,
         is_signed = i->op == IR_OP_slt || i->op == IR_OP_sle;
    if ((!less && i->op != IR_OP_sle && i->op != IR_OP_ule) || ir_kind(i->args[0]->type) == IR_PTR)
        return NULL;
    for (int k = 0; k < 2; k++)
        of[k] = v_class(v, i->args[k], v->at, &steps[k]);
    int grows = of[0] == V_AFFINE ? 0 : 1;
    if (of[grows] != V_AFFINE || of[1 - grows] > V_GANG || v->value[i->args[grows]->id].assumed)
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
    bool greatest = (grows == 0) != negated;
    x[grows] = greatest == up ? last : first;
    struct ir_value *holds = negated ? ir_build2(&v->b, less ? upto : below, t, x[1], x[0])
                                     : ir_build2(&v->b, less ? below : upto, t, x[0], x[1]);
    if (t == IR_I32 && v_never_wraps(v, i->args[grows], steps[grows]))
        return holds;
    return v_op2(v, IR_OP_and, straight, holds);
}

static void divergent_if(struct vectorizer *v, struct region *r);

/* A branch that all lanes are likely to take alike, tested on scalars first: that way without
 * masks, to the end of the list if lanes could leave it otherwise. False: not such a branch. */
bool v_likely_if(struct vectorizer *v, struct region *r, bool *took_rest)
{
    struct ir_value *m[V_MAX_PIECES], *test = NULL;
    v_get_mask(v, m);
    bool out_child = list_drops(v, r->child), out_other = list_drops(v, r->other);
    bool drop = v_drops(v, r);
    bool negated = drop ? out_child : v_weight(r->child) < v_weight(r->other);
    struct region *taken = negated ? r->other : r->child, *after = drop ? r->next : NULL;
    unsigned size = v_weight(taken) + v_weight(after);
    if (!v_every(m, v->pieces, v_is_all) || v->budget <= size || (out_child && out_other))
        return false;
    if (is_small(r->child) && is_small(r->other) && size <= 16)
        return false;
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *one = on_all_lanes(v, r->cond, p, negated);
        if (!one)
            return false;
        test = test ? v_op2(v, IR_OP_and, test, one) : one;
    }
    v->budget -= size;
    struct vjoin join = {0};
    struct ir_block *no;
    struct vpage **before = v_snapshot(v);
    struct vregion *at = v->at;
    v_branch(v, test, &no);
    v_all_run(v);
    list(v, taken);
    if (after && !v->dead)
        list(v, after);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    v->at = at;
    struct region *else_list = negated ? r->child : r->other;
    if (!drop && is_small(else_list)) {
        /* no lane at all wants it: that is common too, and little is left to do */
        struct ir_value *none = on_all_lanes(v, r->cond, 0, !negated);
        for (unsigned p = 1; p < v->pieces && none; p++)
            none = v_op2(v, IR_OP_and, none, on_all_lanes(v, r->cond, p, !negated));
        if (none) {
            v_branch(v, none, &no);
            list(v, else_list);
            v_jump(v, &join);
            v_begin(v, no);
            v_restore(v, before);
        }
    }
    unsigned budget = v->budget;
    v->budget = 0; /* that all lanes want it has been asked */
    divergent_if(v, r);
    v->budget = budget;
    if (after && !v->dead) {
        v_get_mask(v, m);
        masked_list(v, after, m, true);
    }
    v_jump(v, &join);
    v_arrive(v, &join);
    *took_rest = after != NULL;
    return true;
}

static void divergent_if(struct vectorizer *v, struct region *r)
{
    struct ir_value *m[V_MAX_PIECES], *yes[V_MAX_PIECES], *no[V_MAX_PIECES];
    v_get_mask(v, m);
    for (unsigned p = 0; p < v->pieces; p++) {
        struct ir_value *c = v_wide(v, r->cond, p);
        yes[p] = v_and(v, m[p], c);
        no[p] = v_and_not(v, m[p], c);
    }
    bool drop = v_drops(v, r);
    bool small = v_weight(r->child) + v_weight(r->other) <= 16 && is_light(v, r->child, r->block) &&
                 is_light(v, r->other, r->block);
    if (!drop && r->child && !r->other && !small && v_every(m, v->pieces, v_is_all) &&
        v->budget > v_weight(r->child)) {
        versions(v, r->child, yes);
        if (!v->dead)
            v_set_mask(v, m);
        return;
    }
    masked_list(v, r->child, yes, !small && !is_small_jump(v, r->child));
    struct ir_value *after[V_MAX_PIECES];
    v_get_mask(v, after);
    if (v->dead)
        return;
    masked_list(v, r->other, no, !small && !is_small_jump(v, r->other));
    if (v->dead)
        return;
    if (!drop) {
        v_set_mask(v, m);
        return;
    }
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, v->mask + p, v_or(v, r->child ? after[p] : yes[p], v_var(v, v->mask + p)));
}

static void uniform_if(struct vectorizer *v, struct region *r)
{
    struct vjoin join = {0};
    struct ir_block *no;
    struct ir_value *c = v_scalar(v, r->cond, 0);
    struct vpage **before = v_snapshot(v);
    v_branch(v, c, &no);
    list(v, r->child);
    v_jump(v, &join);
    v_begin(v, no);
    v_restore(v, before);
    list(v, r->other);
    v_jump(v, &join);
    v_arrive(v, &join);
}

static void uniform_loop(struct vectorizer *v, struct region *r)
{
    bool *set = arena_array(v->arena, bool, v->nslots + 1);
    v_list_sets(v, r->child, set);
    struct vtarget t = {.up = v->targets, .region = r};
    t.slots = v_slots_of(v, set, &t.nslots);
    t.header = v_loop_header(v, t.slots, t.nslots);
    v->targets = &t;
    list(v, r->child);
    v->targets = t.up;
    v_arrive(v, &t.end);
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
    t.slots = v_slots_of(v, carried, &t.nslots);
    t.header = v_loop_header(v, t.slots, t.nslots);
    v->targets = &t;
    list(v, r->child);
    v->targets = t.up;
}

static void masked_loop(struct vectorizer *v, struct region *r)
{
    bool *set = arena_array(v->arena, bool, v->nslots + 1);
    v_list_sets(v, r->child, set);
    v_add_slots(v, set, v->mask, v->pieces);
    v_add_slots(v, set, v->brk[r->id], v->pieces);
    struct ir_value *nobody[V_MAX_PIECES], *on[V_MAX_PIECES], *m[V_MAX_PIECES];
    none(v, nobody);
    for (unsigned p = 0; p < v->pieces; p++) {
        v_set(v, v->brk[r->id] + p, nobody[p]);
        v_set(v, v->cont[r->id] + p, nobody[p]);
        set[v->cont[r->id] + p] = false;
    }
    struct vjoin end = {0};
    struct ir_block *done;
    v_get_mask(v, m);
    unsigned size = v_weight(r->child);
    if (v_every(m, v->pieces, v_is_all) && v->budget > 2 * size) {
        v->budget -= size;
        full_loop(v, r, set);
        if (v->dead)
            return;
        for (unsigned p = 0; p < v->pieces; p++)
            on[p] = v_var(v, v->cont[r->id] + p);
        v_branch(v, v_any(v, on), &done);
        struct vpage **before = v_snapshot(v);
        struct ir_block *go_on = v->b.block;
        v_begin(v, done);
        for (unsigned p = 0; p < v->pieces; p++)
            v_set(v, v->cont[r->id] + p, nobody[p]);
        v_jump(v, &end);
        v_begin(v, go_on);
        v_restore(v, before);
        v_set_mask(v, on);
        for (unsigned p = 0; p < v->pieces; p++)
            v_set(v, v->cont[r->id] + p, nobody[p]);
    }
    uint32_t n;
    const uint32_t *slots = v_slots_of(v, set, &n);
    struct ir_block *header = v_loop_header(v, slots, n);
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, v->cont[r->id] + p, nobody[p]);
    list(v, r->child);
    if (!v->dead) {
        for (unsigned p = 0; p < v->pieces; p++)
            on[p] = v_var(v, v->cont[r->id] + p);
        v_branch(v, v_any(v, on), &done);
        struct vpage **before = v_snapshot(v);
        v_set_mask(v, on);
        v_loop_again(v, header, slots, n);
        v_begin(v, done);
        v_restore(v, before);
        for (unsigned p = 0; p < v->pieces; p++)
            v_set(v, v->cont[r->id] + p, nobody[p]);
        v_jump(v, &end);
    }
    v_arrive(v, &end);
    /* Where lanes leave the loop in no other way, all that came come out: nobody needs to count
     * them. */
    bool same = !v_drops(v, r);
    for (unsigned p = 0; p < v->pieces && !v->dead; p++)
        v_set(v, v->mask + p, same ? m[p] : v_var(v, v->brk[r->id] + p));
}

static void block(struct vectorizer *v, struct region *r)
{
    if (!v_info(v, r)->masked) {
        struct vtarget t = {.up = v->targets, .region = r};
        v->targets = &t;
        list(v, r->child);
        v->targets = t.up;
        v_jump(v, &t.end);
        v_arrive(v, &t.end);
        return;
    }
    uint32_t brk = v->brk[r->id];
    for (unsigned p = 0; p < v->pieces; p++)
        v_set(v, brk + p, v_num(v, v_mask_type(v), 0));
    list(v, r->child);
    for (unsigned p = 0; p < v->pieces && !v->dead; p++)
        v_set(v, v->mask + p, v_or(v, v_var(v, v->mask + p), v_var(v, brk + p)));
}

void v_jump_out(struct vectorizer *v, struct region *r)
{
    if (!v_info(v, r->target)->masked) {
        struct vtarget *t = v->targets;
        while (t->region != r->target)
            t = t->up;
        if (r->kind == REGION_BREAK)
            v_jump(v, &t->end);
        else
            v_loop_again(v, t->header, t->slots, t->nslots);
        return;
    }
    struct ir_value *m[V_MAX_PIECES], *brk[V_MAX_PIECES], *cont[V_MAX_PIECES];
    for (unsigned p = 0; p < v->pieces; p++) {
        m[p] = v_mask(v, p);
        brk[p] = v_var(v, v->brk[r->target->id] + p);
        cont[p] = v_var(v, v->cont[r->target->id] + p);
    }
    if (r->kind == REGION_CONTINUE && v_every(m, v->pieces, v_is_all) &&
        v_every(brk, v->pieces, v_is_none) && v_every(cont, v->pieces, v_is_none))
        for (struct vtarget *t = v->targets; t; t = t->up)
            if (t->region == r->target) { /* all lanes, in the copy without masks */
                v_loop_again(v, t->header, t->slots, t->nslots);
                return;
            }
    uint32_t slot = (r->kind == REGION_BREAK ? v->brk : v->cont)[r->target->id];
    for (unsigned p = 0; p < v->pieces; p++) {
        v_set(v, slot + p, v_or(v, v_var(v, slot + p), v_mask(v, p)));
        v_set(v, v->mask + p, v_num(v, v_mask_type(v), 0));
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
        v_set(v, v->alive + p, v_and_not(v, v_var(v, v->alive + p), v_mask(v, p)));
        v_set(v, v->mask + p, v_num(v, v_mask_type(v), 0));
    }
    if (!partial)
        v_jump(v, v->gang_end);
}

void v_region(struct vectorizer *v, const struct vitem *item)
{
    struct region *r = item->region;
    v->at = v_info(v, r);
    int64_t stride;
    switch (r->kind) {
    case REGION_CODE: code(v, item); break;
    case REGION_COPIES: v_copies(v, item); break;
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
    case REGION_CONTINUE: v_jump_out(v, r); break;
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
    v_get_mask(v, m);
    if (is_small(r) || v_every(m, v->pieces, v_is_all))
        list(v, r);
    else if (was_full && v->budget > v_weight(r))
        versions(v, r, m);
    else
        masked_list(v, r, m, !is_small_jump(v, r));
}

static void list(struct vectorizer *v, struct region *r)
{
    for (; r && !v->dead; r = r->next) {
        struct ir_value *m[V_MAX_PIECES];
        v_get_mask(v, m);
        bool full = v_every(m, v->pieces, v_is_all);
        struct vitem item = {.region = r, .ncopies = r->ncopies};
        if (r->kind == REGION_CODE)
            item.first = r->block->first, item.end = ir_terminator(r->block);
        int64_t stride;
        bool took_rest = false;
        v->at = v_info(v, r);
        if (r->kind == REGION_IF && !v_uniform(v, v_class(v, r->cond, v->at, &stride)) &&
            v_likely_if(v, r, &took_rest)) {
            if (took_rest)
                return;
            continue;
        }
        v_region(v, &item);
        if (!v->dead && r->next && v_drops(v, r)) {
            rest(v, r->next, full);
            return;
        }
    }
}
