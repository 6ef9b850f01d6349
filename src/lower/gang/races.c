/* Races, as code looks for them: who touched a word last is in its stamps (ir/check.h,
 * check/compact.c). Usual cases are decided here, one access at a time or several together; all
 * others are told, as in check.c. Whatever is left behind is what check/compact.c would leave. */
#include "lower/gang/look.h"

/* ---- looking at who touched it ---- */
/* The stamps (ir/check.h, check/compact.c) of one address, of a row of words, or of an address of
 * each lane's own: may the access be left behind as the last write, or a reader; or is there
 * nothing to be left? */
struct race {
    struct look *l;
    size_t space; /* its place in the table */
    bool shared, row;
    bool lanes;            /* each at an address of its own */
    struct ir_value *lane; /* NULL, or the one that runs */
    unsigned part; /* which of the words of a lane's element; in a row, which of as many rows */
    struct ir_value *at[3], *sites[3]; /* where the stamps are */
    struct ir_value *stamp[3];
    struct ir_value *now, *me;
};
#define OF_SPACE(r, name, type)                                                                    \
    v_field((r)->l->v, (r)->space + offsetof(struct ir_check_space, name), (type), IR_VOLATILE)

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
        return v_op2(v, IR_OP_ult, s, v_spread(r->l, s, r->now));
    struct ir_value *first = NOW(v, first, IR_I32);
    struct ir_value *in_block = v_op2(v, IR_OP_sub, s, v_spread(r->l, s, first));
    struct ir_value *length = v_op2(v, IR_OP_sub, r->now, first);
    return either(r->l, v_op2(v, IR_OP_ult, s, v_spread(r->l, s, since)),
                  v_op2(v, IR_OP_ult, in_block, v_spread(r->l, s, length)));
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
    put(r, r->sites[k], v_of_type(r->l, s, r->l->i->span.loc));
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
        r->at[k] = v_further(v, at, part + k * apart);
        r->sites[k] = v_further(v, at, part + (k + 3) * apart);
    }
    if (!r->part)
        r->now = NOW(v, now, IR_I32);
    struct ir_value *who = v->linear0[r->l->piece];
    if (r->lane)
        who = v_op2(v, IR_OP_add, who, r->lane);
    if (r->row || r->lanes) /* all but the interval stays as it is from one access to the next */
        who = v_op2(v, IR_OP_add, ir_build1(&v->b, IR_OP_splat, v_vector(v, IR_I32), who),
                    lanes_of(r));
    who = v_op2(v, IR_OP_shl, who, v_of_type(r->l, who, IR_STAMP_THREAD));
    r->me = v_op2(v, IR_OP_add, who, v_spread(r->l, who, r->now));
}

static void name_parts(struct race *r, struct ir_value *at)
{
    for (unsigned k = 0; k < r->l->bytes / 4; k++) {
        r[k] = r[0];
        r[k].part = k;
        name_stamps(&r[k], at);
    }
}

/* Finds the stamps of lanes that are each somewhere; gives whether there are any. */
static struct ir_value *find_stamps(struct race *r, struct ir_value *address)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *t =
        v_op2(v, IR_OP_sub, address, v_spread(r->l, address, OF_SPACE(r, base, IR_I64)));
    t = v_op2(v, IR_OP_or, v_op2(v, IR_OP_shl, t, v_of_type(r->l, t, 62)),
              v_op2(v, IR_OP_lshr, t, v_of_type(r->l, t, 2)));
    struct ir_value *has = v_op2(v, IR_OP_ult, t, v_spread(r->l, t, OF_SPACE(r, words, IR_I64)));
    t = ir_build3(&v->b, IR_OP_select, t->type, has, t, v_of_type(r->l, t, 0));
    t = v_op2(v, IR_OP_shl, t, v_of_type(r->l, t, 2));
    struct ir_value *stamps =
        v_op2(v, IR_OP_add, OF_SPACE(r, base, IR_I64), OF_SPACE(r, away, IR_I64));
    t = v_op2(v, IR_OP_add, t, v_spread(r->l, t, stamps));
    name_parts(r, v_pointer(v, t));
    return v_all_of(r->l, has);
}

static struct ir_value *is_near(struct race *r, struct ir_value *s)
{
    struct vectorizer *v = r->l->v;
    return v_op2(v, IR_OP_ne, v_op2(v, IR_OP_and, s, v_of_type(r->l, s, IR_STAMP_NEAR)),
                 v_of_type(r->l, s, 0));
}

/* All lanes of a write come after what is known: they are left as the last write. */
static struct ir_value *look_write(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *good = NULL;
    for (unsigned k = 0; k < 3; k++) {
        struct ir_value *s = stamp_at(r, k);
        if (k == 2)
            s = v_op2(v, IR_OP_and, s, v_of_type(r->l, s, ~(uint32_t)IR_STAMP_NEAR));
        struct ir_value *is = is_ordered(r, s, since);
        good = good ? v_op2(v, IR_OP_and, good, is) : is;
    }
    return v_all_of(r->l, good);
}

static struct ir_value *look_written(struct race *r)
{
    struct ir_value *since = since_of(r), *w = stamp_at(r, 0);
    /* at one address it would be one lane's own, and another's not */
    return v_all_of(r->l, r->row || r->lanes || r->lane ? is_ordered(r, w, since)
                                                        : is_before(r, w, since));
}

static struct ir_value *look_first_reader(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r);
    struct ir_value *good = is_ordered(r, stamp_at(r, 1), since);
    if (!r->row && !r->lane) {
        struct ir_value *second = stamp_at(r, 2);
        good = v_op2(v, IR_OP_and, good,
                     either(r->l, is_ordered(r, second, since), is_near(r, second)));
    }
    return v_all_of(r->l, good);
}

/* Two others have read it since, far from each other: they stand for all. */
static struct ir_value *look_other_readers(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *two = stamp_at(r, 2);
    struct ir_value *open = either(r->l, is_ordered(r, stamp_at(r, 1), since),
                                   either(r->l, is_ordered(r, two, since), is_near(r, two)));
    return v_all_of(r->l, ir_build1(&v->b, IR_OP_not, open->type, open));
}

static void leave_stamps(struct race *r)
{
    struct vectorizer *v = r->l->v;
    if (r->l->writes) {
        put_stamp(r, 0, r->me);
        put(r, r->at[1], v_of_type(r->l, r->me, 0));
        put(r, r->at[2], v_of_type(r->l, r->me, 0));
        return;
    }
    put_stamp(r, 1, r->me);
    if (!r->row && !r->lane) /* the second lane's */
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
    struct ir_value *yes = v_of_type(r->l, r->me, IR_STAMP_NEAR);
    if (r->l->what & IR_CHECK_COPIES)
        return yes;
    near = either(r->l, near, v_op2(v, IR_OP_eq, stamp_at(r, 0), r->me));
    return ir_build3(&v->b, IR_OP_select, yes->type, near, yes, v_of_type(r->l, yes, 0));
}

/* Lanes apart: the first reader where it may be, else the second. */
static void leave_reads(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *one = stamp_at(r, 1), *two = stamp_at(r, 2);
    struct ir_value *first = is_ordered(r, one, since);
    struct ir_value *second = either(r->l, is_ordered(r, two, since), is_near(r, two));
    struct ir_value *apart =
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_xor, one, r->me), v_of_type(r->l, one, IR_STAMP_WARP));
    struct ir_value *near = near_if(r, v_op2(v, IR_OP_eq, apart, v_of_type(r->l, one, 0)));
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
    return v_all_of(r->l, v_op2(v, IR_OP_eq, gathered(r, r->at[0]), r->me));
}

/* The first reader where it may be; else the second, unless there is one already, and it is as far
 * from the first as this one is. */
static struct ir_value *leave_read(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *since = since_of(r), *one = stamp_at(r, 1), *two = stamp_at(r, 2);
    struct ir_value *zero = v_of_type(r->l, one, 0);
    struct ir_value *apart = v_op2(
        v, IR_OP_ne,
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_xor, one, r->me), v_of_type(r->l, one, IR_STAMP_WARP)),
        zero);
    struct ir_value *first = is_ordered(r, one, since);
    struct ir_value *second =
        either(r->l, is_ordered(r, two, since), v_op2(v, IR_OP_and, is_near(r, two), apart));
    second = v_op2(v, IR_OP_and, second, ir_build1(&v->b, IR_OP_not, first->type, first));
    struct ir_value *near = near_if(r, ir_build1(&v->b, IR_OP_not, apart->type, apart));
    struct ir_value *next = v_op2(v, IR_OP_or, r->me, near),
                    *site = v_of_type(r->l, one, r->l->i->span.loc);
    scatter(r, r->at[1], r->me, first);
    scatter(r, r->sites[1], site, first);
    scatter(r, r->at[2], next, second);
    scatter(r, r->sites[2], site, second);
    struct ir_value *alone = ir_build3(&v->b, IR_OP_select, first->type, first,
                                       v_op2(v, IR_OP_eq, gathered(r, r->at[1]), r->me),
                                       either(r->l, v_op2(v, IR_OP_eq, gathered(r, r->at[2]), next),
                                              ir_build1(&v->b, IR_OP_not, second->type, second)));
    return v_all_of(r->l, alone);
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
/* Goes on where there are stamps: there is shadow, too. Gives where those of the address are. */
static struct ir_value *find_near(struct race *r, struct ir_value *address, uint64_t span,
                                  struct ir_block *slow)
{
    struct look *l = r->l;
    struct vectorizer *v = l->v;
    struct ir_value *in = r->shared ? v_inside_aligned(l, address, span) : NULL;
    struct ir_value *words = OF_SPACE(r, words, IR_I64);
    if (in) { /* all shared memory has stamps, or none */
        v_go_on_if(v, in, slow);
        v_go_on_if(v, v_op2(v, IR_OP_ne, words, v_num(v, IR_I64, 0)), slow);
    } else {
        if ((in = v_inside_variable(l, address, span)))
            v_go_on_if(v, in, slow);
        struct ir_value *t = v_op2(v, IR_OP_sub, address, OF_SPACE(r, base, IR_I64));
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, l->align));
        if (l->align > 2)
            words = v_op2(v, IR_OP_lshr, words, v_num(v, IR_I64, l->align - 2));
        v_go_on_if(v, v_op2(v, IR_OP_ult, t, words), slow);
    }
    return v_pointer(v, v_op2(v, IR_OP_add, address, OF_SPACE(r, away, IR_I64)));
}

/* Two threads far from each other have read it in this interval: they stand for all, and found that
 * it was written, and written before (near_if). */
static struct ir_value *is_read_by_all(struct race *r)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *two = stamp_at(r, 2);
    struct ir_value *x =
        v_op2(v, IR_OP_and, two, v_of_type(r->l, two, ~(IR_STAMP_THREADS << IR_STAMP_THREAD)));
    return v_all_of(r->l, v_op2(v, IR_OP_eq, x, v_spread(r->l, x, r->now)));
}

/* Goes on where all that is known is of before the interval, or of launches before. */
static void look_quickly(struct race *r, struct ir_block *other)
{
    struct vectorizer *v = r->l->v;
    struct ir_value *line = r->shared ? r->now : since_of(r), *most = NULL;
    const unsigned n = r->l->writes || !(r->row || r->lane) ? 3 : 2;
    for (unsigned k = 0; k < r->l->bytes / 4; k++) /* `other` wants them as well */
        for (unsigned j = 0; j < n; j++)
            stamp_at(&r[k], j);
    for (unsigned k = 0; k < r->l->bytes / 4; k++)
        for (unsigned j = 0; j < n; j++) {
            struct ir_value *s = stamp_at(&r[k], j);
            if (!r->row)
                v_go_on_if(v, v_op2(v, IR_OP_ult, s, line), other);
            else
                most = most ? v_op2(v, IR_OP_umax, most, s) : s;
        }
    if (r->row)
        v_go_on_if(v, v_all_of(r->l, v_op2(v, IR_OP_ult, most, v_spread(r->l, most, line))), other);
}

/* What quick looks have found to be old stays where it is: no one will ever take it for news. */
static void leave_quickly(struct race *r)
{
    if (r->l->writes)
        put_stamp(r, 0, r->me);
    else
        leave_stamps(r);
}

static void leave_marks(struct look *l)
{
    if (l->at)
        v_mark_row(l);
}

static void look_near(struct race *r, struct ir_value *address, uint64_t span,
                      struct ir_block *slow, struct ir_block *after)
{
    struct look *l = r->l;
    struct vectorizer *v = l->v;
    struct ir_block *other = ir_block_new(v->to, NULL), *leave = ir_block_new(v->to, NULL);
    other->rare = leave->rare = true;
    name_parts(r, find_near(r, address, span, slow));
    if (!l->writes && !r->row && !r->lane)
        v_go_to_if(v, each_part(r, NULL, is_read_by_all), after);
    v_go_on_if(v, v_look_shadow(l, v_shadow_of(l, address), span), slow);
    look_quickly(r, other);
    leave_marks(l);
    leave_parts(r, leave_quickly);
    ir_build_br(&v->b, after, NULL, 0);
    v->b.block = other;
    if (!l->writes && (r->row || r->lane))
        v_go_to_if(v, each_part(r, NULL, is_read_by_all), after);
    v_go_on_if(v, each_part(r, NULL, l->writes ? look_write : look_written), slow);
    if (l->writes) {
        ir_build_br(&v->b, leave, NULL, 0);
    } else {
        v_go_to_if(v, each_part(r, NULL, look_first_reader), leave);
        if (!r->shared || l->bytes > 4)
            v_go_to_if(v, each_part(r, NULL, look_other_readers), after);
        if (r->row)
            leave_parts(r, leave_reads);
        ir_build_br(&v->b, r->row ? after : slow, NULL, 0);
    }
    v->b.block = leave;
    leave_marks(l);
    leave_parts(r, leave_stamps);
    ir_build_br(&v->b, after, NULL, 0);
}

/* All lanes have the same address, and not all run: is it one that does? Goes on where more do. */
static void look_at_one(const struct race *several, struct ir_block *slow, struct ir_block *after)
{
    struct look *l = several->l;
    struct vectorizer *v = l->v;
    struct ir_block *more = ir_block_new(v->to, NULL);
    struct race r[4] = {*several};
    struct ir_value *bits = ir_build1(&v->b, IR_OP_maskbits, IR_VOID, v_mask(v, l->piece)),
                    *none = v_num(v, IR_I32, 0), *less;
    if (!l->writes)
        v_go_to_if(v, v_op2(v, IR_OP_eq, bits, none), after);
    less = v_op2(v, IR_OP_sub, bits, v_num(v, IR_I32, 1));
    v_go_on_if(v, v_op2(v, IR_OP_eq, v_op2(v, IR_OP_and, bits, less), none), more);
    r->lanes = false;
    r->lane = v_op2(v, IR_OP_sub, v_num(v, IR_I32, 31), ir_build1(&v->b, IR_OP_clz, IR_I32, bits));
    look_near(r, v_as_number(l, v_scalar(v, l->i->args[0], l->piece)), l->bytes, slow, after);
    l->at = NULL;
    v->b.block = more;
}

static bool is_race(struct look *l)
{
    return l->what & IR_CHECK_RACES && !(l->what & IR_CHECK_ASYNC) &&
           (l->what & 255) <= IR_CHECK_WRITE &&
           (l->what >> IR_CHECK_SPACE_SHIFT & 7) != IR_SPACE_LOCAL && v_can_look(l);
}

static struct race race_of(struct look *l, enum form form)
{
    const bool shared = (l->what >> IR_CHECK_SPACE_SHIFT & 7) == IR_SPACE_SHARED;
    return (struct race){.l = l,
                         .row = form == FORM_ROW,
                         .lanes = form == FORM_LANES || (form == FORM_ONE && !l->whole),
                         .shared = shared,
                         .space = offsetof(struct ir_check_table, space) +
                                  (shared ? sizeof(struct ir_check_space) : 0)};
}

/* An access where races are looked for; false: looking does not say. */
bool v_look_races(struct look *l)
{
    struct vectorizer *v = l->v;
    if (!is_race(l))
        return false;
    const enum form form = v_form_of(l);
    struct race r[4] = {race_of(l, form)};
    if (!can_race(r))
        return false;
    struct ir_block *slow = ir_block_new(v->to, NULL), *after = v_block_after(v);
    struct ir_value *x = l->i->args[0];
    v_find_some(l, form, after);
    if (form == FORM_ONE && r->lanes)
        look_at_one(r, slow, after);
    if (r->lanes) {
        struct ir_value *good = v_look_memory(l);
        good = v_op2(v, IR_OP_and, good,
                     find_stamps(r, v_as_number(l, form == FORM_LANES ? v_exact(v, x, l->piece)
                                                                      : v_wide(v, x, l->piece))));
        v_go_on_if(v, each_part(r, good, l->writes ? look_write : look_written), slow);
        v_mark(l);
        v_go_on_if(v, each_part(r, NULL, l->writes ? leave_write : leave_read), slow);
        v_go_to(v, after);
    } else {
        look_near(r, v_as_number(l, v_scalar(v, x, l->piece)), l->bytes * (r->row ? v->lanes : 1),
                  slow, after);
    }
    v->b.block = slow;
    v_tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* ---- several at once ---- */
/* Reads by the same line in straight code, of words at constant distances from each other, as loops
 * that were unrolled have them, are looked at where the first of them stands; so are a read and the
 * write to the same place that follows, and what all pieces of a gang read. Only the usual cases
 * are: whatever else there is, each is looked at by itself. Nothing but reads lies between. */
enum { ROWS = 32 };
struct member {
    struct ir_inst *i;
    uint64_t offset; /* from what they have in common */
    bool taken;      /* looked at with the first, in what is being written */
};
struct vchecks {
    VEC(struct member) members;
    struct ir_inst *write;
    bool pair; /* the write is taken */
};

static struct ir_value *base_of(struct ir_value *p, uint64_t *offset)
{
    for (*offset = 0; p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_ptradd &&
                      ir_is_const(p->u.inst->args[1]);
         p = p->u.inst->args[0])
        *offset += p->u.inst->args[1]->u.bits;
    return p;
}

static bool same_variable(const struct ir_inst *a, const struct ir_inst *b)
{
    for (uint32_t k = 1; k < a->nargs && a->nargs == b->nargs; k++)
        if (a->args[k] != b->args[k] && !(ir_is_const(a->args[k]) && ir_is_const(b->args[k]) &&
                                          a->args[k]->u.bits == b->args[k]->u.bits))
            return false;
    return a->nargs == b->nargs;
}

static bool is_plain_read(const struct ir_inst *i)
{
    return i->op == IR_OP_check && (i->imm & 255) == IR_CHECK_READ &&
           !(i->imm & (IR_CHECK_STRONG | IR_CHECK_SIZED | IR_CHECK_ASYNC));
}

/* May lie between two accesses that are looked at together. */
static bool leaves_memory(const struct ir_inst *i)
{
    return ir_op_info[i->op].flags & IR_PURE || is_plain_read(i) ||
           (i->op == IR_OP_load && !(i->flags & IR_VOLATILE) && !ir_order(i->flags));
}

static void find_others(struct vectorizer *v, struct vchecks *g, struct ir_inst *first)
{
    enum { FAR = 512 };
    uint64_t from, offset;
    const struct ir_value *base = base_of(first->args[0], &from);
    const struct ir_inst *i = first;
    vec_push(v->arena, &g->members, ((struct member){first, from, false}));
    for (unsigned n = 0; n < FAR && (i = i->next); n++) {
        if (i->op == IR_OP_check && i->imm == (first->imm | IR_CHECK_WRITE) &&
            i->args[0] == first->args[0] && same_variable(i, first) && g->members.len == 1)
            g->write = (struct ir_inst *)i;
        if (!leaves_memory(i))
            return;
        if (i->op == IR_OP_check && i->imm == first->imm && i->span.loc == first->span.loc &&
            same_variable(i, first) && base_of(i->args[0], &offset) == base &&
            !map_get(&v->checks, map_key(i)))
            vec_push(v->arena, &g->members, ((struct member){(struct ir_inst *)i, offset, false}));
    }
}

static struct vchecks *checks_of(struct vectorizer *v, struct ir_inst *i)
{
    if (!v->checks.arena)
        map_init(&v->checks, v->arena);
    struct vchecks *g = map_get(&v->checks, map_key(i));
    if (g || !is_plain_read(i) || !(i->imm & IR_CHECK_INLINE))
        return g;
    g = arena_new(v->arena, struct vchecks);
    *g = (struct vchecks){0};
    find_others(v, g, i);
    vec_each (struct member, m, &g->members)
        map_set(&v->checks, map_key(m->i), g);
    if (g->write)
        map_set(&v->checks, map_key(g->write), g);
    return g;
}

static bool is_taken(const struct vchecks *g, const struct ir_inst *i)
{
    vec_each (struct member, m, &g->members)
        if (m->i == i)
            return m->taken;
    return g->pair && g->write == i;
}

/* Rows of words whose stamps are looked at together. */
struct rows {
    struct race r;
    ir_type type;
    unsigned n, words; /* rows; words of each */
    uint64_t offset[ROWS], low, high;
    bool one;    /* the words are read by all lanes */
    bool pieces; /* and by all pieces */
};

/* The same in all pieces of a gang. */
static bool is_alike(struct vectorizer *v, struct ir_value *x, unsigned depth)
{
    if (!v_is_local(x) || v->value[x->id].class == V_BLOCK)
        return true;
    if (x->kind != IR_VALUE_RESULT || !depth)
        return false;
    const struct ir_inst *i = x->u.inst;
    if (i->op == IR_OP_sreg)
        return i->imm == IR_SREG_TID_X && !v->linear;
    if (!(ir_op_info[i->op].flags & IR_PURE))
        return false;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!is_alike(v, i->args[k], depth - 1))
            return false;
    return true;
}

static void add_row(struct rows *w, uint64_t offset)
{
    const int64_t to_low = (int64_t)(offset - w->low), to_high = (int64_t)(offset - w->high);
    if (!w->n || to_low < 0)
        w->low = offset;
    if (!w->n || to_high > 0)
        w->high = offset;
    w->offset[w->n++] = offset;
}

static struct member *member_at(struct vchecks *g, uint64_t offset)
{
    vec_each (struct member, m, &g->members)
        if (m->offset == offset)
            return m;
    return NULL;
}

/* Words that follow each other, from the first member's on. */
static void rows_of_one(struct rows *w, struct vchecks *g)
{
    const uint64_t from = g->members.data[0].offset;
    unsigned n = 0;
    while (n < 4 * ROWS && member_at(g, from + 4 * (uint64_t)n))
        n++;
    for (w->words = 32; w->words > n; w->words /= 2)
        ;
    if (w->words < 4)
        return;
    n -= n % w->words;
    for (unsigned k = 0; k < n; k += w->words)
        add_row(w, from + 4 * (uint64_t)k);
    vec_each (struct member, m, &g->members)
        m->taken = m->offset - from < 4 * (uint64_t)n;
}

/* Rows that have no word in common. */
static void rows_apart(struct rows *w, struct vchecks *g)
{
    const uint64_t bytes = 4 * (uint64_t)w->words;
    vec_each (struct member, m, &g->members) {
        bool same = false, over = false;
        for (unsigned k = 0; k < w->n; k++) {
            const uint64_t d = m->offset - w->offset[k];
            same |= !d;
            over |= d < bytes || -d < bytes;
        }
        m->taken = same || (!over && w->n < ROWS);
        if (m->taken && !same)
            add_row(w, m->offset);
    }
}

static bool can_look_at_rows(struct look *l)
{
    return l->what & IR_CHECK_INLINE && l->v->lanes <= 32 && l->v->lanes > 1 && is_race(l) &&
           l->bytes == 4 && l->align == 2;
}

/* Which of them are looked at with the first; false: none. */
static bool find_rows(struct rows *w, struct vchecks *g, struct look *l)
{
    struct vectorizer *v = l->v;
    const enum form form = v_form_of(l);
    if (!can_look_at_rows(l) || form == FORM_LANES)
        return false;
    for (unsigned p = 0; p < v->pieces; p++)
        if (!v_is_all(v_mask(v, p)))
            return false;
    vec_each (struct member, m, &g->members) {
        struct look other = v_look_of(v, m->i, 0);
        if (v_form_of(&other) != form)
            return false;
    }
    *w = (struct rows){.r = race_of(l, form), .words = v->lanes, .one = form == FORM_ONE};
    w->pieces = v->pieces > 1 && is_alike(v, l->i->args[0], 8);
    if (w->one)
        rows_of_one(w, g);
    else
        rows_apart(w, g);
    w->type = ir_vector(IR_I32, w->words);
    return w->n > (w->one || w->pieces ? 0 : 1);
}

static struct ir_value *row_at(struct rows *w, struct ir_value *at, unsigned row, unsigned table)
{
    return v_further(w->r.l->v, at, w->offset[row] - w->low + table * IR_STAMPS_APART(w->r.shared));
}

static struct ir_value *stamps_of(struct rows *w, struct ir_value *at, unsigned row, unsigned k)
{
    return ir_build_load(&w->r.l->v->b, w->type, row_at(w, at, row, k), 4, IR_VOLATILE);
}

static void put_row(struct rows *w, struct ir_value *at, unsigned row, unsigned k,
                    struct ir_value *stamp)
{
    struct look *l = w->r.l;
    ir_build_store(&l->v->b, row_at(w, at, row, k), stamp, 4, 0);
    ir_build_store(&l->v->b, row_at(w, at, row, k + 3), v_num(l->v, w->type, l->i->span.loc), 4, 0);
}

static struct ir_value *each_lane(struct rows *w, struct ir_value *x)
{
    return ir_is_vector(x->type) ? x : ir_build1(&w->r.l->v->b, IR_OP_splat, w->type, x);
}

/* is_read_by_all, of all rows. */
static struct ir_value *rows_read_by_all(struct rows *w, struct ir_value *at)
{
    struct vectorizer *v = w->r.l->v;
    struct ir_value *now = each_lane(w, w->r.now), *others = NULL;
    for (unsigned k = 0; k < w->n; k++) {
        struct ir_value *x = v_op2(v, IR_OP_xor, stamps_of(w, at, k, 2), now);
        others = others ? v_op2(v, IR_OP_or, others, x) : x;
    }
    others = v_op2(v, IR_OP_and, others,
                   v_num(v, w->type, (uint32_t) ~(IR_STAMP_THREADS << IR_STAMP_THREAD)));
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID,
                     v_op2(v, IR_OP_eq, others, v_num(v, w->type, 0)));
}

static struct ir_value *rows_written(struct rows *w, struct ir_value *shadow)
{
    struct look *l = w->r.l;
    struct vectorizer *v = l->v;
    const ir_type t = v_marks_type(w->words);
    struct ir_value *all = NULL;
    for (unsigned row = 0; row < w->n; row++)
        for (uint64_t k = 0; k < w->words; k += ir_bytes(t)) {
            struct ir_value *p = v_further(v, shadow, (w->offset[row] - w->low) / 4 + k),
                            *x = ir_build_load(&v->b, t, p, 1, 0);
            all = all ? v_op2(v, IR_OP_and, all, x) : x;
        }
    const uint64_t bits = UINT64_MAX >> (64 - ir_bits(t)),
                   want = l->what & IR_CHECK_COPIES ? UINT64_C(0xf0f0f0f0f0f0f0f0) & bits : bits;
    if (want != bits)
        all = v_op2(v, IR_OP_and, all, v_num(v, t, want));
    return v_op2(v, IR_OP_eq, all, v_num(v, t, want));
}

/* look_quickly, of all rows. */
static struct ir_value *rows_are_old(struct rows *w, struct ir_value *at)
{
    struct vectorizer *v = w->r.l->v;
    const unsigned n = w->one || w->pieces ? 3 : 2;
    struct ir_value *line = w->r.shared ? w->r.now : since_of(&w->r), *most = NULL;
    for (unsigned row = 0; row < w->n; row++)
        for (unsigned k = 0; k < n; k++) {
            struct ir_value *s = stamps_of(w, at, row, k);
            most = most ? v_op2(v, IR_OP_umax, most, s) : s;
        }
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, v_op2(v, IR_OP_ult, most, each_lane(w, line)));
}

/* The stamp of the second reader: the last piece's, or the second lane's. */
static struct ir_value *second_of(struct rows *w)
{
    struct race *r = &w->r;
    struct vectorizer *v = r->l->v;
    if (!w->pieces)
        return v_op2(v, IR_OP_add, r->me, v_num(v, IR_I32, 1u << IR_STAMP_THREAD | IR_STAMP_NEAR));
    struct ir_value *away = v_op2(v, IR_OP_sub, v->linear0[v->pieces - 1], v->linear0[0]);
    away = v_op2(v, IR_OP_shl, away, v_num(v, IR_I32, IR_STAMP_THREAD));
    struct ir_value *last = v_op2(v, IR_OP_add, r->me, v_spread(r->l, r->me, away)),
                    *yes = v_of_type(r->l, last, IR_STAMP_NEAR), *apart, *near;
    if (r->l->what & IR_CHECK_COPIES)
        return v_op2(v, IR_OP_or, last, yes);
    apart =
        v_op2(v, IR_OP_and, v_op2(v, IR_OP_xor, last, r->me), v_of_type(r->l, last, IR_STAMP_WARP));
    near = v_op2(v, IR_OP_eq, apart, v_of_type(r->l, last, 0));
    return v_op2(v, IR_OP_or, last,
                 ir_build3(&v->b, IR_OP_select, last->type, near, yes, v_of_type(r->l, last, 0)));
}

static void leave_rows(struct rows *w, struct ir_value *at)
{
    struct ir_value *one = each_lane(w, w->r.me),
                    *two = w->one || w->pieces ? each_lane(w, second_of(w)) : NULL;
    for (unsigned row = 0; row < w->n; row++) {
        put_row(w, at, row, 1, one);
        if (two)
            put_row(w, at, row, 2, two);
    }
}

/* Each by itself; addresses that are not known yet where the first stands are made here, too. */
static void look_apart(const struct rows *w, const struct vchecks *g)
{
    const struct look *l = w->r.l;
    struct vectorizer *v = l->v;
    uint64_t unused;
    const struct ir_value *base = base_of(l->i->args[0], &unused);
    const struct member *m = g->members.data, *end = m + g->members.len;
    struct vpage **was = v_snapshot(v);
    for (struct ir_inst *i = l->i; m < end; i = i->next) {
        if (i->op == IR_OP_ptradd && ir_is_const(i->args[1]) &&
            base_of(&i->results[0], &unused) == base)
            v_instruction(v, i);
        if (m->i != i)
            continue;
        for (unsigned p = 0; m->taken && p < v->pieces; p++)
            if (w->pieces || p == l->piece)
                v_check_alone(v, i, p);
        m++;
    }
    v_restore(v, was);
}

static void look_at_rows(struct rows *w, struct vchecks *g)
{
    struct look *l = w->r.l;
    struct vectorizer *v = l->v;
    struct ir_block *other = ir_block_new(v->to, NULL), *alone = ir_block_new(v->to, NULL),
                    *after = v_block_after(v);
    struct ir_value *address = v_as_number(l, v_scalar(v, l->i->args[0], l->piece));
    const uint64_t down = w->low - g->members.data[0].offset;
    if (down)
        address = v_op2(v, IR_OP_add, address, v_num(v, IR_I64, down));
    other->rare = alone->rare = true;
    struct ir_value *at =
        find_near(&w->r, address, w->high - w->low + 4 * (uint64_t)w->words, alone);
    name_stamps(&w->r, at);
    if (w->pieces)
        v_go_to_if(v, rows_read_by_all(w, at), after);
    v_go_on_if(v, rows_written(w, v_shadow_of(l, address)), alone);
    v_go_on_if(v, rows_are_old(w, at), other);
    leave_rows(w, at);
    v_go_to(v, after);
    v->b.block = other;
    if (w->pieces)
        v_go_to(v, alone);
    else
        ir_build_condbr(&v->b, rows_read_by_all(w, at), after, alone);
    v->b.block = alone;
    look_apart(w, g);
    v_go_to(v, after);
    v->b.block = after;
}

/* ---- a read, and the write to the same place ---- */
static bool is_pair(struct vectorizer *v, const struct vchecks *g)
{
    struct look l;
    if (!g->write)
        return false;
    l = v_look_of(v, g->write, 0);
    return can_look_at_rows(&l) && v_form_of(&l) == FORM_ROW;
}

/* What the write asks for is more than the read does. */
static void look_at_pair(struct vectorizer *v, struct vchecks *g, unsigned p)
{
    struct look l = v_look_of(v, g->write, p);
    struct race r = race_of(&l, FORM_ROW);
    struct ir_block *alone = ir_block_new(v->to, NULL), *after = v_block_after(v);
    struct ir_value *address = v_as_number(&l, v_scalar(v, l.i->args[0], p));
    const uint64_t span = 4 * (uint64_t)v->lanes;
    alone->rare = true;
    name_parts(&r, find_near(&r, address, span, alone));
    l.writes = false;
    v_go_on_if(v, v_look_shadow(&l, v_shadow_of(&l, address), span), alone);
    l.writes = true;
    look_quickly(&r, alone);
    leave_quickly(&r);
    v_go_to(v, after);
    v->b.block = alone;
    v_check_alone(v, g->members.data[0].i, p);
    v_check_alone(v, g->write, p);
    v_go_to(v, after);
    v->b.block = after;
}

/* False: each is to be looked at by itself. */
static bool look_together(struct vectorizer *v, struct vchecks *g)
{
    struct ir_inst *first = g->members.data[0].i;
    struct rows w;
    struct look l = v_look_of(v, first, 0);
    vec_each (struct member, m, &g->members)
        m->taken = false;
    if ((g->pair = is_pair(v, g))) {
        g->members.data[0].taken = true;
        for (unsigned p = 0; p < v->pieces; p++)
            look_at_pair(v, g, p);
        return true;
    }
    if (!find_rows(&w, g, &l)) {
        vec_each (struct member, m, &g->members)
            m->taken = false;
        return false;
    }
    for (unsigned p = 0; p < (w.pieces ? 1 : v->pieces); p++) {
        struct rows of_piece = w;
        l = v_look_of(v, first, p);
        of_piece.r = race_of(&l, w.one ? FORM_ONE : FORM_ROW);
        look_at_rows(&of_piece, g);
    }
    return true;
}

/* Whether it is looked at, or was with another. */
bool v_look_together(struct vectorizer *v, struct ir_inst *i)
{
    struct vchecks *g = checks_of(v, i);
    return g && (g->members.data[0].i == i ? look_together(v, g) : is_taken(g, i));
}
