/* What a checker is told of: one call for the gang (ir/check.h), and before it, where the pass asks
 * for that (IR_CHECK_INLINE), code that looks whether there is anything to tell.
 *
 * Looking goes by the shadow of memory: lanes in a row look at some bytes of it at once, all at one
 * address at one, others each at its own. Bounds of variables, which no shadow tells from each
 * other, are compared. It never says that all is well where it is not; where it cannot say so, the
 * call is made, which says what is wrong, if anything is. What looking has to leave behind it does
 * itself: marks of what was written, the clocks of threads that pass a barrier. */
#include <stddef.h>
#include "ir/check.h"
#include "lower/gang/gang_int.h"

/* ---- telling ---- */
static struct ir_inst *tell(struct vectorizer *v, const struct ir_inst *i, struct ir_value **args)
{
    struct ir_inst *c = ir_build(&v->b, IR_OP_check, IR_VOID, args, i->nargs + 3);
    c->imm = i->imm | IR_CHECK_GANG;
    c->span = i->span;
    return c;
}

/* Operands that differ: each lane for itself. */
static void check_lanes(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    struct ir_value *args[8], *mask = v_mask(v, p);
    for (unsigned l = 0; l < v->lanes; l++) {
        struct ir_block *no = NULL;
        if (!v_is_all(mask)) {
            struct ir_inst *on = ir_build(&v->b, IR_OP_extract, IR_I1, &mask, 1);
            on->imm = l;
            v_branch(v, &on->results[0], &no);
        }
        args[0] = v_num(v, IR_I64, 0);
        args[1] = v_num(v, IR_I32, 1);
        args[2] = v_op2(v, IR_OP_add, v->linear0[p], v_num(v, IR_I32, l));
        for (uint32_t k = 0; k < i->nargs; k++)
            args[3 + k] = v_lane(v, i->args[k], p, l);
        tell(v, i, args);
        if (!no)
            continue;
        struct ir_block *after = ir_block_new(v->to, NULL);
        ir_build_br(&v->b, after, NULL, 0);
        v->b.block = no;
        ir_build_br(&v->b, after, NULL, 0);
        v->b.block = after;
    }
}

static void tell_all(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    int64_t stride = 0, unused;
    bool alike = v->lanes <= 32;
    for (uint32_t k = 1; k < i->nargs; k++)
        alike &= v_class(v, i->args[k], v->at, &unused) <= V_GANG;
    if (!alike) {
        check_lanes(v, i, p);
        return;
    }
    struct ir_value *args[8];
    enum vclass c = i->nargs ? v_class(v, i->args[0], v->at, &stride) : V_BLOCK;
    const bool sure = c < V_AFFINE || !v_is_local(i->args[0]) || !v->value[i->args[0]->id].assumed;
    if (!i->nargs || (c <= V_AFFINE && sure)) {
        args[0] = v_num(v, IR_I64, c == V_AFFINE ? (uint64_t)stride : 0);
        if (i->nargs)
            args[3] = v_scalar(v, i->args[0], p);
    } else {
        struct ir_value *x = v_exact(v, i->args[0], p);
        if (!v->matrices)
            v->matrices = ir_build_alloca(v->to, 16 * 32 * 8, 64, "matrices");
        if (ir_bytes(ir_scalar(x->type)) < 8)
            x = ir_build1(&v->b, IR_OP_zext, v_vector(v, IR_I64), x);
        ir_build_store(&v->b, v->matrices, x, 16, 0);
        args[0] = v_num(v, IR_I64, (uint64_t)IR_CHECK_BY_LANE);
        args[3] = v->matrices;
    }
    args[1] = v_is_all(v_mask(v, p))
                  ? v_num(v, IR_I32, v->lanes < 32 ? (1u << v->lanes) - 1 : UINT32_MAX)
                  : ir_build1(&v->b, IR_OP_maskbits, IR_VOID, v_mask(v, p));
    args[2] = v->linear0[p];
    for (uint32_t k = 1; k < i->nargs; k++)
        args[3 + k] = v_scalar(v, i->args[k], p);
    tell(v, i, args);
}

/* ---- step by step ---- */
/* What is rare stays so until it is over. */
static struct ir_block *block_after(struct vectorizer *v)
{
    struct ir_block *b = ir_block_new(v->to, NULL);
    b->rare = v->b.block->rare;
    return b;
}

static void go_on_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *otherwise)
{
    struct ir_block *on = block_after(v);
    ir_build_condbr(&v->b, cond, on, otherwise);
    v->b.block = on;
}

static void go_to_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *to)
{
    struct ir_block *on = block_after(v);
    ir_build_condbr(&v->b, cond, to, on);
    v->b.block = on;
}

/* ---- the table ---- */
static struct ir_value *pointer(struct vectorizer *v, struct ir_value *address)
{
    const ir_type t = IR_PTR_TO(IR_SPACE_GLOBAL);
    return ir_build1(&v->b, IR_OP_inttoptr, ir_is_vector(address->type) ? v_vector(v, t) : t,
                     address);
}

/* So many bytes further: what code for processors has as part of an access, not as an addition. */
static struct ir_value *further(struct vectorizer *v, struct ir_value *p, uint64_t bytes)
{
    if (!bytes)
        return p;
    const ir_type t = ir_is_vector(p->type) ? v_vector(v, IR_I64) : IR_I64;
    return ir_build2(&v->b, IR_OP_ptradd, p->type, p, v_num(v, t, bytes));
}

static struct ir_value *table_at(struct vectorizer *v, size_t at)
{
    return further(v, pointer(v, ir_build0(&v->b, IR_OP_sreg, IR_I64, IR_SREG_CHECKS)), at);
}

static struct ir_value *field(struct vectorizer *v, size_t at, ir_type t, uint32_t flags)
{
    return ir_build_load(&v->b, t, table_at(v, at), ir_bytes(t), flags);
}
#define FIELD(v, name, type, flags)                                                                \
    field((v), offsetof(struct ir_check_table, name), (type), (flags))
#define STILL(v, name, type) FIELD(v, name, type, IR_INVARIANT)
#define NOW(v, name, type)   FIELD(v, name, type, IR_VOLATILE)

/* ---- looking at memory ---- */
struct look {
    struct vectorizer *v;
    struct ir_inst *i; /* the op of one thread */
    unsigned piece;
    uint64_t what, bytes; /* bytes: of a lane's access */
    unsigned align;       /* its logarithm */
    bool writes;
    bool whole;          /* every lane runs */
    bool some;           /* one does at least */
    struct ir_value *at; /* out: shadow that is to be marked, or NULL; and its bytes */
    uint64_t marks;
};

static struct ir_value *of_type(struct look *l, struct ir_value *like, uint64_t bits)
{
    return v_num(l->v, like->type, bits);
}

static struct ir_value *as_number(struct look *l, struct ir_value *x)
{
    if (ir_kind(x->type) != IR_PTR)
        return x;
    const ir_type t = ir_is_vector(x->type) ? v_vector(l->v, IR_I64) : IR_I64;
    return ir_build1(&l->v->b, IR_OP_ptrtoint, t, x);
}

static struct ir_value *spread(struct look *l, struct ir_value *like, struct ir_value *x)
{
    return ir_is_vector(like->type) ? ir_build1(&l->v->b, IR_OP_splat, like->type, x) : x;
}

/* Do `span` bytes from there lie in the variable that the op names? NULL: it names none. */
static struct ir_value *inside(struct look *l, struct ir_value *address, uint64_t span)
{
    struct vectorizer *v = l->v;
    if (!(l->what & IR_CHECK_ROOTED))
        return NULL;
    struct ir_value *root = as_number(l, v_scalar(v, l->i->args[1], l->piece)), *last;
    if (l->what & IR_CHECK_DYNAMIC) { /* more than is left, where it is less than that */
        struct ir_value *size = ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_DYN_SHARED);
        size = ir_build1(&v->b, IR_OP_zext, IR_I64, size);
        struct ir_value *n = v_num(v, IR_I64, span);
        last = ir_build3(&v->b, IR_OP_select, IR_I64, v_op2(v, IR_OP_ult, size, n),
                         v_num(v, IR_I64, 0), v_op2(v, IR_OP_sub, size, n));
    } else {
        const uint64_t size = l->i->args[2]->u.bits;
        if (size < span)
            return v_num(v, ir_is_vector(address->type) ? v_vector(v, IR_I1) : IR_I1, 0);
        last = v_num(v, IR_I64, size - span);
    }
    struct ir_value *offset = v_op2(v, IR_OP_sub, address, spread(l, address, root));
    return v_op2(v, IR_OP_ule, offset, spread(l, address, last));
}

/* The same, and whether the address is aligned: bits of the offset that should be 0 make it large.
 * NULL: that cannot be said. */
static struct ir_value *inside_aligned(struct look *l, struct ir_value *address, uint64_t span)
{
    struct vectorizer *v = l->v;
    const struct ir_value *root = l->what & IR_CHECK_ROOTED ? l->i->args[1] : NULL;
    if (!root || l->what & IR_CHECK_DYNAMIC || root->kind != IR_VALUE_GLOBAL ||
        root->u.global->align < UINT64_C(1) << l->align || l->i->args[2]->u.bits < span)
        return NULL;
    struct ir_value *t =
        v_op2(v, IR_OP_sub, address, as_number(l, v_scalar(v, l->i->args[1], l->piece)));
    if (l->align)
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, l->align));
    return v_op2(v, IR_OP_ule, t, v_num(v, IR_I64, (l->i->args[2]->u.bits - span) >> l->align));
}

/* Where the shadow of an address lies; of one that has none, is not aligned, or for which `fine`
 * does not hold, that of address 0, where there is no memory. */
static struct ir_value *shadow_at(struct look *l, struct ir_value *address, unsigned align,
                                  struct ir_value *fine)
{
    struct vectorizer *v = l->v;
    struct ir_value *t = address;
    const bool lanes = ir_is_vector(address->type);
    struct ir_value *limit = spread(
        l, address,
        field(v, offsetof(struct ir_check_table, limit) + 8 * (size_t)align, IR_I64, IR_INVARIANT));
    if (align && !lanes) { /* bits that should be 0 make it large */
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, align));
    } else if (align) {
        struct ir_value *low = v_op2(v, IR_OP_shl, t, of_type(l, t, 64 - align));
        t = v_op2(v, IR_OP_or, low, v_op2(v, IR_OP_lshr, t, of_type(l, t, align)));
    }
    struct ir_value *has = v_op2(v, IR_OP_ult, t, limit);
    if (fine)
        has = v_op2(v, IR_OP_and, has, fine);
    t = ir_build3(&v->b, IR_OP_select, t->type, has, t, of_type(l, t, 0));
    if (align > 2)
        t = v_op2(v, IR_OP_shl, t, of_type(l, t, align - 2));
    else if (align < 2)
        t = v_op2(v, IR_OP_lshr, t, of_type(l, t, 2 - align));
    return pointer(v, v_op2(v, IR_OP_add, spread(l, t, STILL(v, shadow, IR_I64)), t));
}

static ir_type marks_type(uint64_t bytes)
{
    return bytes >= 8 ? IR_I64 : bytes >= 4 ? IR_I32 : bytes >= 2 ? IR_I16 : IR_I8;
}

/* May what has no marks yet be written, and marked? Else it has to have them already. */
static bool marks_itself(const struct look *l, uint64_t span)
{
    return l->writes && span >= 4 && (l->whole || l->some);
}

/* `span` bytes whose shadow lies at p. */
static struct ir_value *look_shadow(struct look *l, struct ir_value *p, uint64_t span)
{
    struct vectorizer *v = l->v;
    struct ir_value *all = NULL;
    const uint64_t n = span < 4 ? 1 : span / 4;
    const ir_type t = marks_type(n);
    for (uint64_t k = 0; k < n; k += ir_bytes(t)) {
        struct ir_value *x = ir_build_load(&v->b, t, further(v, p, k), 1, 0);
        all = all ? v_op2(v, IR_OP_and, all, x) : x;
    }
    const bool marks = marks_itself(l, span);
    const uint64_t bits = UINT64_MAX >> (64 - ir_bits(t)),
                   memory = UINT64_C(0xf0f0f0f0f0f0f0f0) & bits;
    if (marks)
        l->at = p, l->marks = n;
    if (marks || (l->what & IR_CHECK_COPIES && !l->writes))
        return v_op2(v, IR_OP_eq, v_op2(v, IR_OP_and, all, v_num(v, t, memory)),
                     v_num(v, t, memory));
    return v_op2(v, IR_OP_eq, all, v_num(v, t, bits));
}

static struct ir_value *shadow_of(struct look *l, struct ir_value *address)
{
    struct vectorizer *v = l->v;
    struct ir_value *word = v_op2(v, IR_OP_lshr, address, v_num(v, IR_I64, 2));
    return pointer(v, v_op2(v, IR_OP_add, word, STILL(v, shadow, IR_I64)));
}

/* One address, or a row of them from there. */
static struct ir_value *look_row(struct look *l, struct ir_value *address, uint64_t span)
{
    const unsigned align = span >= 4 && l->align < 2 ? 2 : l->align;
    return look_shadow(l, shadow_at(l, address, align, inside(l, address, span)), span);
}

static void mark_row(struct look *l)
{
    struct vectorizer *v = l->v;
    const ir_type t = marks_type(l->marks);
    for (uint64_t k = 0; k < l->marks; k += ir_bytes(t))
        ir_build_store(&v->b, further(v, l->at, k), v_num(v, t, UINT64_MAX >> (64 - ir_bits(t))), 1,
                       0);
}

/* Each lane at an address of its own. */
static struct ir_value *look_lanes(struct look *l, struct ir_value *address)
{
    struct vectorizer *v = l->v;
    const uint64_t n = l->bytes < 4 ? 1 : l->bytes / 4;
    const ir_type t = v_vector(v, marks_type(n));
    const uint64_t bits = UINT64_MAX >> (64 - ir_bits(marks_type(n))),
                   memory = UINT64_C(0xf0f0f0f0f0f0f0f0) & bits;
    const bool marks = l->writes && l->bytes >= 4;
    struct ir_value *mask = v_mask(v, l->piece),
                    *p = shadow_at(l, address, l->align, inside(l, address, l->bytes));
    struct ir_inst *g = ir_build(&v->b, IR_OP_gather, t, (struct ir_value *[]){p, mask}, 2);
    g->align = 1;
    struct ir_value *x = &g->results[0], *good;
    if (marks || (l->what & IR_CHECK_COPIES && !l->writes))
        good = v_op2(v, IR_OP_eq, v_op2(v, IR_OP_and, x, v_num(v, t, memory)), v_num(v, t, memory));
    else
        good = v_op2(v, IR_OP_eq, x, v_num(v, t, bits));
    if (marks)
        l->at = p, l->marks = n;
    if (!v_is_all(mask))
        good = v_or(v, good, ir_build1(&v->b, IR_OP_not, mask->type, mask));
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, good);
}

static void mark_lanes(struct look *l)
{
    struct vectorizer *v = l->v;
    const ir_type t = v_vector(v, marks_type(l->marks));
    struct ir_value *args[] = {l->at,
                               v_num(v, t, UINT64_MAX >> (64 - ir_bits(marks_type(l->marks)))),
                               v_mask(v, l->piece)};
    ir_build(&v->b, IR_OP_scatter, t, args, 3)->align = 1;
}

static struct ir_value *all_of(struct look *l, struct ir_value *good)
{
    struct vectorizer *v = l->v;
    struct ir_value *mask = v_mask(v, l->piece);
    if (!ir_is_vector(good->type))
        return good;
    if (!v_is_all(mask))
        good = v_or(v, good, ir_build1(&v->b, IR_OP_not, mask->type, mask));
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, good);
}

/* In what form the op's first operand is looked at. */
enum form { FORM_ONE, FORM_ROW, FORM_LANES };
static enum form form_of(const struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *x = l->i->args[0];
    int64_t stride = 0;
    const enum vclass c = v_class(v, x, v->at, &stride);
    if (c <= V_GANG)
        return FORM_ONE;
    const bool sure = !v_is_local(x) || !v->value[x->id].assumed;
    return c == V_AFFINE && sure && stride == (int64_t)l->bytes && !(v->lanes * l->bytes % 4)
               ? FORM_ROW
               : FORM_LANES;
}

static bool can_look(struct look *l)
{
    struct vectorizer *v = l->v;
    int64_t unused;
    for (uint32_t k = 1; k < l->i->nargs; k++)
        if (v_class(v, l->i->args[k], v->at, &unused) > V_GANG)
            return false;
    return !(l->what & IR_CHECK_SIZED) && l->bytes && l->bytes <= 16 &&
           !(l->bytes & (l->bytes - 1)) && l->align < IR_CHECK_ALIGNS &&
           (UINT64_C(1) << l->align) <= l->bytes &&
           (!(l->what & IR_CHECK_ROOTED) || l->what & IR_CHECK_DYNAMIC ||
            ir_is_const(l->i->args[2]));
}

/* ---- looking at who touched it ---- */
/* The stamps (ir/check.h, check/compact.c) of one address, of a row of words, or of an address of
 * each lane's own: may the access be left behind as the last write, or a reader; or is there
 * nothing to be left? */
struct race {
    struct look *l;
    size_t space; /* its place in the table */
    bool shared, row;
    bool lanes;    /* each at an address of its own */
    unsigned part; /* which of the words of a lane's element; in a row, which of as many rows */
    struct ir_value *at[3], *sites[3]; /* where the stamps are */
    struct ir_value *stamp[3];
    struct ir_value *now, *first, *me;
};
#define OF_SPACE(r, name, type)                                                                    \
    field((r)->l->v, (r)->space + offsetof(struct ir_check_space, name), (type), IR_VOLATILE)

static struct ir_value *either(struct look *l, struct ir_value *a, struct ir_value *b)
{
    return v_op2(l->v, IR_OP_or, a, b);
}

static struct ir_value *since_of(struct race *r)
{
    return r->shared ? NULL : OF_SPACE(r, since, IR_I32);
}

/* Before the interval that runs: in launches before `since`, or by the block itself. */
static struct ir_value *is_before(struct race *r, struct ir_value *s, struct ir_value *since)
{
    struct vectorizer *v = r->l->v;
    if (r->shared)
        return v_op2(v, IR_OP_ult, s, spread(r->l, s, r->now));
    struct ir_value *in_block = v_op2(v, IR_OP_sub, s, spread(r->l, s, r->first));
    struct ir_value *length = v_op2(v, IR_OP_sub, r->now, r->first);
    return either(r->l, v_op2(v, IR_OP_ult, s, spread(r->l, s, since)),
                  v_op2(v, IR_OP_ult, in_block, spread(r->l, s, length)));
}

static struct ir_value *is_ordered(struct race *r, struct ir_value *s, struct ir_value *since)
{
    return either(r->l, is_before(r, s, since), v_op2(r->l->v, IR_OP_eq, s, r->me));
}

static struct ir_value *gathered(struct race *r, struct ir_value *at)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *args[] = {at, v_mask(v, r->l->piece)};
    struct ir_inst *g = ir_build(&v->b, IR_OP_gather, v_vector(v, IR_I32), args, 2);
    g->align = 4;
    g->flags |= IR_VOLATILE;
    return &g->results[0];
}

/* Of those lanes; NULL: of all that run. */
static void scatter(struct race *r, struct ir_value *at, struct ir_value *x, struct ir_value *where)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *mask = v_mask(v, r->l->piece);
    struct ir_value *args[] = {at, x, where ? v_op2(v, IR_OP_and, mask, where) : mask};
    struct ir_inst *s = ir_build(&v->b, IR_OP_scatter, x->type, args, 3);
    s->align = 4;
    s->flags |= IR_VOLATILE;
}

static struct ir_value *stamp_at(struct race *r, unsigned k)
{
    struct vectorizer *v = r->l->v;
    if (!r->stamp[k])
        r->stamp[k] = r->lanes ? gathered(r, r->at[k])
                               : ir_build_load(&v->b, r->row ? v_vector(v, IR_I32) : IR_I32,
                                               r->at[k], 4, IR_VOLATILE);
    return r->stamp[k];
}

static void put(struct race *r, struct ir_value *at, struct ir_value *x)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *args[] = {at, x, v_mask(v, r->l->piece)};
    if (r->lanes)
        scatter(r, at, x, NULL);
    else if (!r->row || r->l->whole)
        ir_build_store(&v->b, at, x, 4, 0);
    else
        ir_build(&v->b, IR_OP_mstore, x->type, args, 3)->align = 4;
}

static void put_stamp(struct race *r, unsigned k, struct ir_value *s)
{
    put(r, r->at[k], s);
    put(r, r->sites[k], of_type(r->l, s, r->l->i->span.loc));
}

/* The numbers of the lanes whose words these are. */
static struct ir_value *lanes_of(const struct race *r)
{
    struct vectorizer *v = r->l->v;
    const ir_type words = v_vector(v, IR_I32);
    const unsigned each = (unsigned)__builtin_ctzll(r->l->bytes / 4);
    struct ir_value *lanes = ir_build0(&v->b, IR_OP_iota, words, 0);
    if (!each || r->lanes)
        return lanes;
    lanes = v_op2(v, IR_OP_add, lanes, v_num(v, words, r->part * v->lanes));
    return v_op2(v, IR_OP_lshr, lanes, v_num(v, words, each));
}

/* Where the stamps of a part are, and what its threads leave there; at: those of the first part. */
static void name_stamps(struct race *r, struct ir_value *at)
{
    struct vectorizer *v = r->l->v;
    const uint64_t apart = IR_STAMPS_APART(r->shared),
                   part = (uint64_t)r->part * 4 * (r->row ? v->lanes : 1);
    for (unsigned k = 0; k < 3; k++) {
        r->at[k] = further(v, at, part + k * apart);
        r->sites[k] = further(v, at, part + (k + 3) * apart);
    }
    if (!r->part) {
        r->now = NOW(v, now, IR_I32);
        r->first = r->shared ? NULL : NOW(v, first, IR_I32);
    }
    struct ir_value *who = v->linear0[r->l->piece];
    if (r->row || r->lanes) /* all but the interval stays as it is from one access to the next */
        who = v_op2(v, IR_OP_add, ir_build1(&v->b, IR_OP_splat, v_vector(v, IR_I32), who),
                    lanes_of(r));
    who = v_op2(v, IR_OP_shl, who, of_type(r->l, who, IR_STAMP_THREAD));
    r->me = v_op2(v, IR_OP_add, who, spread(r->l, who, r->now));
}

/* Finds the stamps of lanes that are each somewhere; gives whether there are any. */
static struct ir_value *find_stamps(struct race *r, struct ir_value *address)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *t =
        v_op2(v, IR_OP_sub, address, spread(r->l, address, OF_SPACE(r, base, IR_I64)));
    t = v_op2(v, IR_OP_or, v_op2(v, IR_OP_shl, t, of_type(r->l, t, 62)),
              v_op2(v, IR_OP_lshr, t, of_type(r->l, t, 2)));
    struct ir_value *has = v_op2(v, IR_OP_ult, t, spread(r->l, t, OF_SPACE(r, words, IR_I64)));
    t = ir_build3(&v->b, IR_OP_select, t->type, has, t, of_type(r->l, t, 0));
    t = v_op2(v, IR_OP_shl, t, of_type(r->l, t, 2));
    t = v_op2(v, IR_OP_add, t, spread(r->l, t, OF_SPACE(r, stamps, IR_I64)));
    t = pointer(v, t);
    for (unsigned k = 0; k < r->l->bytes / 4; k++) {
        r[k] = r[0];
        r[k].part = k;
        name_stamps(&r[k], t);
    }
    return all_of(r->l, has);
}

static struct ir_value *is_near(struct race *r, struct ir_value *s)
{
    struct vectorizer *v = r->l->v;
    return v_op2(v, IR_OP_ne, v_op2(v, IR_OP_and, s, of_type(r->l, s, IR_STAMP_NEAR)),
                 of_type(r->l, s, 0));
}

/* All lanes of a write come after what is known: they are left as the last write. */
static struct ir_value *look_write(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *good = NULL;
    for (unsigned k = 0; k < 3; k++) {
        struct ir_value *s = stamp_at(r, k);
        if (k == 2)
            s = v_op2(v, IR_OP_and, s, of_type(r->l, s, ~(uint32_t)IR_STAMP_NEAR));
        struct ir_value *is = is_ordered(r, s, since);
        good = good ? v_op2(v, IR_OP_and, good, is) : is;
    }
    return all_of(r->l, good);
}

static struct ir_value *look_written(struct race *r)
{
    struct ir_value *since = since_of(r), *w = stamp_at(r, 0);
    /* at one address it would be one lane's own, and another's not */
    return all_of(r->l, r->row || r->lanes ? is_ordered(r, w, since) : is_before(r, w, since));
}

static struct ir_value *look_first_reader(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r);
    struct ir_value *good = is_ordered(r, stamp_at(r, 1), since);
    if (!r->row) {
        struct ir_value *second = stamp_at(r, 2);
        good = v_op2(v, IR_OP_and, good,
                     either(r->l, is_ordered(r, second, since), is_near(r, second)));
    }
    return all_of(r->l, good);
}

/* Two others have read it since, far from each other: they stand for all. */
static struct ir_value *look_other_readers(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *two = stamp_at(r, 2);
    struct ir_value *open = either(r->l, is_ordered(r, stamp_at(r, 1), since),
                                   either(r->l, is_ordered(r, two, since), is_near(r, two)));
    return all_of(r->l, ir_build1(&v->b, IR_OP_not, open->type, open));
}

static void leave_stamps(struct race *r)
{
    struct vectorizer *v = r->l->v;
    if (r->l->writes) {
        put_stamp(r, 0, r->me);
        put(r, r->at[1], of_type(r->l, r->me, 0));
        put(r, r->at[2], of_type(r->l, r->me, 0));
        return;
    }
    put_stamp(r, 1, r->me);
    if (!r->row) /* the second lane's */
        put_stamp(
            r, 2,
            v_op2(v, IR_OP_add, r->me, v_num(v, IR_I32, 1u << IR_STAMP_THREAD | IR_STAMP_NEAR)));
}

/* In those lanes. */
static void put_site(struct race *r, unsigned k, struct ir_value *where)
{
    struct vectorizer *v = r->l->v;
    const ir_type t = v_vector(v, IR_I32);
    struct ir_value *old = ir_build_load(&v->b, t, r->sites[k], 4, IR_VOLATILE);
    put(r, r->sites[k],
        ir_build3(&v->b, IR_OP_select, t, where, v_num(v, t, r->l->i->span.loc), old));
}

/* The mark of a second reader that is near the first. One without says that whoever reads the word
 * in the same interval has nothing to look for (is_read_by_all): so it has the mark, too, where the
 * last write is its own, or the word may not have been written. */
static struct ir_value *near_if(struct race *r, struct ir_value *near)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *yes = of_type(r->l, r->me, IR_STAMP_NEAR);
    if (r->l->what & IR_CHECK_COPIES)
        return yes;
    near = either(r->l, near, v_op2(v, IR_OP_eq, stamp_at(r, 0), r->me));
    return ir_build3(&v->b, IR_OP_select, yes->type, near, yes, of_type(r->l, yes, 0));
}

/* Lanes apart: the first reader where it may be, else the second. */
static void leave_reads(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *one = stamp_at(r, 1), *two = stamp_at(r, 2);
    struct ir_value *first = is_ordered(r, one, since);
    struct ir_value *second = either(r->l, is_ordered(r, two, since), is_near(r, two));
    struct ir_value *apart =
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_xor, one, r->me), of_type(r->l, one, IR_STAMP_WARP));
    struct ir_value *near = near_if(r, v_op2(v, IR_OP_eq, apart, of_type(r->l, one, 0)));
    struct ir_value *next =
        ir_build3(&v->b, IR_OP_select, one->type, second, v_op2(v, IR_OP_or, r->me, near), two);
    put_site(r, 1, first);
    put_site(r, 2, v_op2(v, IR_OP_and, second, ir_build1(&v->b, IR_OP_not, first->type, first)));
    put(r, r->at[1], ir_build3(&v->b, IR_OP_select, one->type, first, r->me, one));
    put(r, r->at[2], ir_build3(&v->b, IR_OP_select, one->type, first, two, next));
}

/* Lanes that each have an address of their own, or some the same. Who finds somebody else's stamp
 * where it has left its own was not alone, which is the checker's to look at. */
static struct ir_value *leave_write(struct race *r)
{
    struct vectorizer *v = r->l->v;
    leave_stamps(r);
    return all_of(r->l, v_op2(v, IR_OP_eq, gathered(r, r->at[0]), r->me));
}

/* The first reader where it may be; else the second, unless there is one already, and it is as far
 * from the first as this one is. */
static struct ir_value *leave_read(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *one = stamp_at(r, 1), *two = stamp_at(r, 2);
    struct ir_value *zero = of_type(r->l, one, 0);
    struct ir_value *apart = v_op2(
        v, IR_OP_ne,
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_xor, one, r->me), of_type(r->l, one, IR_STAMP_WARP)),
        zero);
    struct ir_value *first = is_ordered(r, one, since);
    struct ir_value *second =
        either(r->l, is_ordered(r, two, since), v_op2(v, IR_OP_and, is_near(r, two), apart));
    second = v_op2(v, IR_OP_and, second, ir_build1(&v->b, IR_OP_not, first->type, first));
    struct ir_value *near = near_if(r, ir_build1(&v->b, IR_OP_not, apart->type, apart));
    struct ir_value *next = v_op2(v, IR_OP_or, r->me, near),
                    *site = of_type(r->l, one, r->l->i->span.loc);
    scatter(r, r->at[1], r->me, first);
    scatter(r, r->sites[1], site, first);
    scatter(r, r->at[2], next, second);
    scatter(r, r->sites[2], site, second);
    struct ir_value *alone = ir_build3(&v->b, IR_OP_select, first->type, first,
                                       v_op2(v, IR_OP_eq, gathered(r, r->at[1]), r->me),
                                       either(r->l, v_op2(v, IR_OP_eq, gathered(r, r->at[2]), next),
                                              ir_build1(&v->b, IR_OP_not, second->type, second)));
    return all_of(r->l, alone);
}

static bool can_race(const struct race *r)
{
    const struct look *l = r->l;
    return l->bytes >= 4 && l->align >= 2 && (l->bytes == 4 || l->whole || r->lanes) &&
           !(l->what & IR_CHECK_STRONG) && (l->what & 255) != IR_CHECK_ATOMIC &&
           (r->row || ((r->lanes || (!l->writes && l->whole)) && l->v->lanes > 1));
}

/* The same of all parts. */
static struct ir_value *each_part(struct race *r, struct ir_value *good,
                                  struct ir_value *(*look)(struct race *r))
{
    for (unsigned k = 0; k < r->l->bytes / 4; k++) {
        struct ir_value *x = look(&r[k]);
        good = good ? v_op2(r->l->v, IR_OP_and, good, x) : x;
    }
    return good;
}

static void leave_parts(struct race *r, void (*leave)(struct race *r))
{
    for (unsigned k = 0; k < r->l->bytes / 4; k++)
        leave(&r[k]);
}

/* ---- one address, or a row of them, step by step ---- */
/* Goes on where there are stamps: there is shadow, too. */
static void find_near(struct race *r, struct ir_value *address, uint64_t span,
                      struct ir_block *slow)
{
    struct look *l = r->l;
    struct vectorizer *v = l->v;
    struct ir_value *in = inside(l, address, span), *words;
    if (in)
        go_on_if(v, in, slow);
    words = OF_SPACE(r, words, IR_I64);
    struct ir_value *t = v_op2(v, IR_OP_sub, address, OF_SPACE(r, base, IR_I64));
    struct ir_value *at = pointer(v, v_op2(v, IR_OP_add, t, OF_SPACE(r, stamps, IR_I64)));
    t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, l->align));
    if (l->align > 2)
        words = v_op2(v, IR_OP_lshr, words, v_num(v, IR_I64, l->align - 2));
    go_on_if(v, v_op2(v, IR_OP_ult, t, words), slow);
    for (unsigned k = 0; k < l->bytes / 4; k++) {
        r[k] = r[0];
        r[k].part = k;
        name_stamps(&r[k], at);
    }
}

/* Two threads far from each other have read it in this interval: they stand for all, and found that
 * it was written, and written before (near_if). */
static struct ir_value *is_read_by_all(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *two = stamp_at(r, 2);
    struct ir_value *x =
        v_op2(v, IR_OP_and, two, of_type(r->l, two, ~(IR_STAMP_THREADS << IR_STAMP_THREAD)));
    return all_of(r->l, v_op2(v, IR_OP_eq, x, spread(r->l, x, r->now)));
}

/* All that is known is of before the interval, or of launches before: goes to `leave`. */
static void look_quickly(struct race *r, struct ir_block *leave)
{
    struct vectorizer *v = r->l->v;
    struct ir_block *other = ir_block_new(v->to, NULL);
    struct ir_value *line = r->shared ? r->now : since_of(r), *most = NULL;
    other->rare = true;
    const unsigned n = r->l->writes || !r->row ? 3 : 2;
    for (unsigned k = 0; k < r->l->bytes / 4; k++) /* `other` wants them as well */
        for (unsigned j = 0; j < n; j++)
            stamp_at(&r[k], j);
    for (unsigned k = 0; k < r->l->bytes / 4; k++)
        for (unsigned j = 0; j < n; j++) {
            struct ir_value *s = stamp_at(&r[k], j);
            if (!r->row)
                go_on_if(v, v_op2(v, IR_OP_ult, s, line), other);
            else
                most = most ? v_op2(v, IR_OP_umax, most, s) : s;
        }
    if (r->row)
        go_on_if(v, all_of(r->l, v_op2(v, IR_OP_ult, most, spread(r->l, most, line))), other);
    ir_build_br(&v->b, leave, NULL, 0);
    v->b.block = other;
}

static void look_near(struct race *r, struct ir_value *address, uint64_t span,
                      struct ir_block *slow, struct ir_block *after)
{
    struct look *l = r->l;
    struct vectorizer *v = l->v;
    struct ir_block *leave = ir_block_new(v->to, NULL);
    find_near(r, address, span, slow);
    if (!l->writes)
        go_to_if(v, each_part(r, NULL, is_read_by_all), after);
    go_on_if(v, look_shadow(l, shadow_of(l, address), span), slow);
    look_quickly(r, leave);
    go_on_if(v, each_part(r, NULL, l->writes ? look_write : look_written), slow);
    if (l->writes) {
        ir_build_br(&v->b, leave, NULL, 0);
    } else {
        go_to_if(v, each_part(r, NULL, look_first_reader), leave);
        if (!r->shared || l->bytes > 4)
            go_to_if(v, each_part(r, NULL, look_other_readers), after);
        if (r->row)
            leave_parts(r, leave_reads);
        ir_build_br(&v->b, r->row ? after : slow, NULL, 0);
    }
    v->b.block = leave;
    if (l->at)
        mark_row(l);
    leave_parts(r, leave_stamps);
    ir_build_br(&v->b, after, NULL, 0);
}

/* ---- looking at what else there is ---- */
static struct ir_value *look_local(struct look *l)
{
    struct ir_value *x = form_of(l) == FORM_ONE ? v_scalar(l->v, l->i->args[0], l->piece)
                                                : v_exact(l->v, l->i->args[0], l->piece);
    return l->what & IR_CHECK_ROOTED ? all_of(l, inside(l, x, l->bytes)) : NULL;
}

static struct ir_value *look_defined(struct look *l)
{
    struct ir_value *x = v_wide(l->v, l->i->args[0], l->piece);
    return all_of(l, v_op2(l->v, IR_OP_eq, x, of_type(l, x, UINT64_MAX)));
}

static struct ir_value *look_block(struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *n = NULL;
    for (unsigned axis = 3; axis--;) {
        struct ir_value *x =
            ir_build1(&v->b, IR_OP_zext, IR_I64,
                      v_register(v, (enum ir_sreg)(IR_SREG_CTAID_X + axis), IR_I32, l->piece));
        if (n) {
            struct ir_value *size = ir_build0(&v->b, IR_OP_sreg, IR_I32, IR_SREG_NCTAID_X + axis);
            size = ir_build1(&v->b, IR_OP_zext, IR_I64, size);
            x = v_op2(v, IR_OP_add, x, v_op2(v, IR_OP_mul, n, size));
        }
        n = x;
    }
    return v_op2(v, IR_OP_eq, n, NOW(v, block, IR_I64));
}

static bool is_zero(const struct ir_value *x)
{
    return ir_is_const(x) && !x->u.bits;
}

static struct ir_value *clocks_at(struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *thread = ir_build1(&v->b, IR_OP_zext, IR_I64, v->linear0[l->piece]);
    struct ir_value *at = v_op2(v, IR_OP_shl, thread, v_num(v, IR_I64, 2));
    return pointer(v, v_op2(v, IR_OP_add, NOW(v, clocks, IR_I64), at));
}

static struct ir_value *is_quiet(struct look *l)
{
    return v_op2(l->v, IR_OP_ne, NOW(l->v, quiet, IR_I32), v_num(l->v, IR_I32, 0));
}

/* All come with the clock that the first of the block had, to the same barrier. */
static struct ir_value *look_barrier(struct look *l, struct ir_value *clocks)
{
    struct vectorizer *v = l->v;
    struct ir_value *same = v_op2(v, IR_OP_eq, clocks, spread(l, clocks, NOW(v, before, IR_I32)));
    return v_op2(v, IR_OP_and, ir_build1(&v->b, IR_OP_alllanes, IR_VOID, same),
                 v_op2(v, IR_OP_eq, NOW(v, barrier, IR_I32), v_num(v, IR_I32, l->i->span.loc)));
}

/* All come with the clock that they had after the barrier before: they are the first. */
static struct ir_value *look_first(struct look *l, struct ir_value *clocks)
{
    struct vectorizer *v = l->v;
    struct ir_value *same = v_op2(v, IR_OP_eq, clocks, spread(l, clocks, NOW(v, after, IR_I32)));
    return v_op2(v, IR_OP_and, ir_build1(&v->b, IR_OP_alllanes, IR_VOID, same), is_quiet(l));
}

static void set_field(struct vectorizer *v, size_t at, struct ir_value *x)
{
    ir_build_store(&v->b, table_at(v, at), x, 4, IR_VOLATILE);
}

/* As check/event.c does it. */
static void begin_barrier(struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *before = NOW(v, after, IR_I32), *site = v_num(v, IR_I32, l->i->span.loc);
    struct ir_value *turn = v_op2(v, IR_OP_lshr, before, v_num(v, IR_I32, IR_CHECK_RELEASE_BITS));
    struct ir_value *next = v_op2(v, IR_OP_add, turn, v_num(v, IR_I32, 1));
    struct ir_value *after = v_op2(v, IR_OP_shl, next, v_num(v, IR_I32, IR_CHECK_RELEASE_BITS));
    struct ir_value *at = v_op2(v, IR_OP_and, turn, v_num(v, IR_I32, IR_CHECK_TURNS - 1));
    at = v_op2(v, IR_OP_shl, ir_build1(&v->b, IR_OP_zext, IR_I64, at), v_num(v, IR_I64, 2));
    ir_build_store(&v->b, pointer(v, v_op2(v, IR_OP_add, NOW(v, turns, IR_I64), at)), next, 4,
                   IR_VOLATILE);
    ir_build_store(&v->b, pointer(v, v_op2(v, IR_OP_add, NOW(v, sites, IR_I64), at)), site, 4,
                   IR_VOLATILE);
    set_field(v, offsetof(struct ir_check_table, before), before);
    set_field(v, offsetof(struct ir_check_table, after), after);
    set_field(v, offsetof(struct ir_check_table, barrier), site);
    if (!(l->what & IR_CHECK_RACES))
        return;
    set_field(v, offsetof(struct ir_check_table, pending), after);
    set_field(v, offsetof(struct ir_check_table, arrived), v_num(v, IR_I32, 0));
}

static void pass_barrier(struct look *l, struct ir_value *at)
{
    struct vectorizer *v = l->v;
    struct ir_value *after =
        ir_build1(&v->b, IR_OP_splat, v_vector(v, IR_I32), NOW(v, after, IR_I32));
    ir_build_store(&v->b, at, after, 4, IR_VOLATILE);
    if (l->what & IR_CHECK_RACES)
        set_field(v, offsetof(struct ir_check_table, arrived),
                  v_op2(v, IR_OP_add, NOW(v, arrived, IR_I32), v_num(v, IR_I32, v->lanes)));
}

/* ---- which ---- */
/* Goes on where the address is in the variable, or there is shadow, and it is aligned. */
static void find_shadow(struct look *l, struct ir_value *address, uint64_t span,
                        struct ir_block *slow)
{
    struct vectorizer *v = l->v;
    const unsigned align = span >= 4 && l->align < 2 ? 2 : l->align;
    struct ir_value *in = inside_aligned(l, address, span);
    if (in && align == l->align) {
        go_on_if(v, in, slow);
        return;
    }
    if ((in = inside(l, address, span)))
        go_on_if(v, in, slow);
    struct ir_value *t = address,
                    *limit = field(v, offsetof(struct ir_check_table, limit) + 8 * (size_t)align,
                                   IR_I64, IR_INVARIANT);
    if (align)
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, align));
    go_on_if(v, v_op2(v, IR_OP_ult, t, limit), slow);
}

static struct ir_value *look_memory(struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *x = l->i->args[0];
    const enum form form = form_of(l);
    if (form == FORM_LANES)
        return look_lanes(l, as_number(l, v_exact(v, x, l->piece)));
    return look_row(l, as_number(l, v_scalar(v, x, l->piece)),
                    form == FORM_ROW ? v->lanes * l->bytes : l->bytes);
}

static void mark(struct look *l)
{
    if (l->at)
        (form_of(l) == FORM_LANES ? mark_lanes : mark_row)(l);
}

/* Whether all is well, or NULL: looking does not say; and what is to be left behind if it is. */
static struct ir_value *look_at(struct look *l, void (**leave)(struct look *l))
{
    const enum ir_check kind = (enum ir_check)(l->what & 255);
    *leave = NULL;
    switch (kind) {
    case IR_CHECK_BLOCK: return look_block(l);
    case IR_CHECK_PASSED: return is_quiet(l);
    case IR_CHECK_DEFINED: return look_defined(l);
    case IR_CHECK_READ:
    case IR_CHECK_WRITE:
    case IR_CHECK_ATOMIC: break;
    default: return NULL;
    }
    if (!can_look(l))
        return NULL;
    if ((l->what >> IR_CHECK_SPACE_SHIFT & 7) == IR_SPACE_LOCAL)
        return look_local(l);
    *leave = mark;
    return l->what & IR_CHECK_RACES ? NULL : look_memory(l);
}

static void go_to(struct vectorizer *v, struct ir_block *to)
{
    ir_build_br(&v->b, to, NULL, 0);
}

static void tell_slowly(struct vectorizer *v, struct ir_inst *i, unsigned p, struct ir_block *after)
{
    i->imm |= IR_CHECK_SLOW;
    tell_all(v, i, p);
    i->imm &= ~(uint64_t)IR_CHECK_SLOW;
    go_to(v, after);
    v->b.block = after;
}

/* A barrier of the block; false: looking does not say. */
static bool barrier(struct look *l)
{
    struct vectorizer *v = l->v;
    if ((l->what & 255) != IR_CHECK_BARRIER || !l->whole || !l->i->span.loc ||
        !is_zero(l->i->args[0]) || !is_zero(l->i->args[1]))
        return false;
    struct ir_block *no, *none, *after = ir_block_new(v->to, NULL);
    struct ir_value *at = clocks_at(l),
                    *clocks = ir_build_load(&v->b, v_vector(v, IR_I32), at, 4, IR_VOLATILE);
    v_branch(v, look_barrier(l, clocks), &no);
    pass_barrier(l, at);
    go_to(v, after);
    v->b.block = no;
    v_branch(v, look_first(l, clocks), &none);
    begin_barrier(l);
    pass_barrier(l, at);
    go_to(v, after);
    v->b.block = none;
    tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* As check/compact.c does it. */
static void begin_interval(struct look *l, struct ir_value *clock)
{
    struct vectorizer *v = l->v;
    struct ir_value *next = NOW(v, interval, IR_I64), *at = pointer(v, next);
    ir_build_store(&v->b, at, NOW(v, block, IR_I64), 8, 0);
    ir_build_store(&v->b, further(v, at, offsetof(struct ir_interval, clock)), clock, 4, 0);
    ir_build_store(&v->b, table_at(v, offsetof(struct ir_check_table, interval)),
                   v_op2(v, IR_OP_add, next, v_num(v, IR_I64, sizeof(struct ir_interval))), 8,
                   IR_VOLATILE);
    set_field(v, offsetof(struct ir_check_table, now),
              v_op2(v, IR_OP_add, NOW(v, now, IR_I32), v_num(v, IR_I32, 1u << IR_STAMP_INTERVAL)));
    set_field(v, offsetof(struct ir_check_table, pending), v_num(v, IR_I32, 0));
}

/* Threads have passed a barrier; where races are looked for, the first of the block begin an
 * interval if all have come. False: looking does not say. */
static bool passed(struct look *l)
{
    struct vectorizer *v = l->v;
    if ((l->what & 255) != IR_CHECK_PASSED || !(l->what & IR_CHECK_RACES))
        return false;
    struct ir_block *slow = ir_block_new(v->to, NULL), *after = ir_block_new(v->to, NULL);
    struct ir_value *clock = ir_build_load(&v->b, IR_I32, clocks_at(l), 4, IR_VOLATILE);
    go_on_if(v, is_quiet(l), slow);
    go_to_if(v, v_op2(v, IR_OP_ne, clock, NOW(v, pending, IR_I32)), after);
    go_on_if(v, v_op2(v, IR_OP_eq, NOW(v, arrived, IR_I32), NOW(v, threads, IR_I32)), slow);
    go_on_if(v, v_op2(v, IR_OP_ne, NOW(v, interval, IR_I64), NOW(v, interval_end, IR_I64)), slow);
    begin_interval(l, clock);
    go_to(v, after);
    v->b.block = slow;
    tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* Goes on where there is a thread that writes: what all write to is marked then. */
static void find_some(struct look *l, enum form form, struct ir_block *after)
{
    if (form != FORM_ONE || l->whole || !l->writes)
        return;
    go_on_if(l->v, ir_build1(&l->v->b, IR_OP_anylane, IR_VOID, v_mask(l->v, l->piece)), after);
    l->some = true;
}

/* An access at one address or of a row, where races are not looked for; false: looking does not
 * say. */
static bool plain_access(struct look *l)
{
    struct vectorizer *v = l->v;
    const enum ir_check kind = (enum ir_check)(l->what & 255);
    const enum form form = kind <= IR_CHECK_ATOMIC ? form_of(l) : FORM_LANES;
    if (l->what & IR_CHECK_RACES || form == FORM_LANES || !can_look(l) ||
        (l->what >> IR_CHECK_SPACE_SHIFT & 7) == IR_SPACE_LOCAL)
        return false;
    struct ir_block *slow = ir_block_new(v->to, NULL), *after = ir_block_new(v->to, NULL);
    struct ir_value *address = as_number(l, v_scalar(v, l->i->args[0], l->piece));
    const uint64_t span = form == FORM_ROW ? v->lanes * l->bytes : l->bytes;
    find_some(l, form, after);
    find_shadow(l, address, span, slow);
    go_on_if(v, look_shadow(l, shadow_of(l, address), span), slow);
    mark(l);
    go_to(v, after);
    v->b.block = slow;
    tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* An access where races are looked for; false: looking does not say. */
static bool access(struct look *l)
{
    struct vectorizer *v = l->v;
    const enum ir_check kind = (enum ir_check)(l->what & 255);
    const enum ir_space space = (enum ir_space)(l->what >> IR_CHECK_SPACE_SHIFT & 7);
    if (!(l->what & IR_CHECK_RACES) || l->what & IR_CHECK_ASYNC || kind > IR_CHECK_WRITE ||
        space == IR_SPACE_LOCAL || !can_look(l))
        return false;
    const enum form form = form_of(l);
    struct race r[4] = {{.l = l,
                         .row = form == FORM_ROW,
                         .lanes = form == FORM_LANES || (form == FORM_ONE && !l->whole),
                         .shared = space == IR_SPACE_SHARED,
                         .space = offsetof(struct ir_check_table, space)}};
    r->space += r->shared ? sizeof(struct ir_check_space) : 0;
    if (!can_race(r))
        return false;
    struct ir_block *slow = ir_block_new(v->to, NULL), *after = ir_block_new(v->to, NULL);
    struct ir_value *x = l->i->args[0];
    find_some(l, form, after);
    if (r->lanes) {
        struct ir_value *good = look_memory(l);
        good = v_op2(v, IR_OP_and, good,
                     find_stamps(r, as_number(l, form == FORM_LANES ? v_exact(v, x, l->piece)
                                                                    : v_wide(v, x, l->piece))));
        go_on_if(v, each_part(r, good, l->writes ? look_write : look_written), slow);
        mark(l);
        go_on_if(v, each_part(r, NULL, l->writes ? leave_write : leave_read), slow);
        go_to(v, after);
    } else {
        look_near(r, as_number(l, v_scalar(v, x, l->piece)), l->bytes * (r->row ? v->lanes : 1),
                  slow, after);
    }
    v->b.block = slow;
    tell_slowly(v, l->i, l->piece, after);
    return true;
}

void v_check(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    void (*leave)(struct look * l) = NULL;
    struct look l = {.v = v,
                     .i = i,
                     .piece = p,
                     .what = i->imm,
                     .bytes = i->imm >> IR_CHECK_BYTES_SHIFT,
                     .align = i->imm >> IR_CHECK_ALIGN_SHIFT & 15,
                     .writes = (i->imm & 255) == IR_CHECK_WRITE,
                     .whole = v_is_all(v_mask(v, p))};
    const bool looks = i->imm & IR_CHECK_INLINE && v->lanes <= 32;
    if (looks && (barrier(&l) || passed(&l) || plain_access(&l) || access(&l)))
        return;
    struct ir_value *good = looks ? look_at(&l, &leave) : NULL;
    if (!good) {
        tell_all(v, i, p);
        return;
    }
    struct ir_block *no, *after = ir_block_new(v->to, NULL);
    v_branch(v, good, &no);
    if (leave)
        leave(&l);
    go_to(v, after);
    v->b.block = no;
    tell_slowly(v, i, p, after);
}
