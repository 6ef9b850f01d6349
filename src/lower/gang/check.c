/* What a checker is told of: one call for the gang (ir/check.h), and before it, where the pass asks
 * for that (IR_CHECK_INLINE), code that looks whether there is anything to tell.
 *
 * Looking goes by the shadow of memory: lanes in a row look at some bytes of it at once, all at one
 * address at one, others each at its own. Bounds of variables, which no shadow tells from each
 * other, are compared. It never says that all is well where it is not; where it cannot say so, the
 * call is made, which says what is wrong, if anything is. What looking has to leave behind it does
 * itself: marks of what was written, the clocks of threads that pass a barrier. */
#include "lower/gang/look.h"

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
struct ir_block *v_block_after(struct vectorizer *v)
{
    struct ir_block *b = ir_block_new(v->to, NULL);
    b->rare = v->b.block->rare;
    return b;
}

void v_go_on_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *otherwise)
{
    struct ir_block *on = v_block_after(v);
    ir_build_condbr(&v->b, cond, on, otherwise);
    v->b.block = on;
}

void v_go_to_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *to)
{
    struct ir_block *on = v_block_after(v);
    ir_build_condbr(&v->b, cond, to, on);
    v->b.block = on;
}

/* ---- the table ---- */
struct ir_value *v_pointer(struct vectorizer *v, struct ir_value *address)
{
    const ir_type t = IR_PTR_TO(IR_SPACE_GLOBAL);
    return ir_build1(&v->b, IR_OP_inttoptr, ir_is_vector(address->type) ? v_vector(v, t) : t,
                     address);
}

/* So many bytes further: what code for processors has as part of an access, not as an addition. */
struct ir_value *v_further(struct vectorizer *v, struct ir_value *p, uint64_t bytes)
{
    if (!bytes)
        return p;
    const ir_type t = ir_is_vector(p->type) ? v_vector(v, IR_I64) : IR_I64;
    return ir_build2(&v->b, IR_OP_ptradd, p->type, p, v_num(v, t, bytes));
}

static struct ir_value *table_at(struct vectorizer *v, size_t at)
{
    return v_further(v, v_pointer(v, ir_build0(&v->b, IR_OP_sreg, IR_I64, IR_SREG_CHECKS)), at);
}

struct ir_value *v_field(struct vectorizer *v, size_t at, ir_type t, uint32_t flags)
{
    return ir_build_load(&v->b, t, table_at(v, at), ir_bytes(t), flags);
}
/* ---- looking at memory ---- */
struct ir_value *v_of_type(struct look *l, struct ir_value *like, uint64_t bits)
{
    return v_num(l->v, like->type, bits);
}

struct ir_value *v_as_number(struct look *l, struct ir_value *x)
{
    if (ir_kind(x->type) != IR_PTR)
        return x;
    const ir_type t = ir_is_vector(x->type) ? v_vector(l->v, IR_I64) : IR_I64;
    return ir_build1(&l->v->b, IR_OP_ptrtoint, t, x);
}

struct ir_value *v_spread(struct look *l, struct ir_value *like, struct ir_value *x)
{
    return ir_is_vector(like->type) ? ir_build1(&l->v->b, IR_OP_splat, like->type, x) : x;
}

/* Do `span` bytes from there lie in the variable that the op names? NULL: it names none. */
struct ir_value *v_inside_variable(struct look *l, struct ir_value *address, uint64_t span)
{
    struct vectorizer *v = l->v;
    if (!(l->what & IR_CHECK_ROOTED))
        return NULL;
    struct ir_value *root = v_as_number(l, v_scalar(v, l->i->args[1], l->piece)), *last;
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
    struct ir_value *offset = v_op2(v, IR_OP_sub, address, v_spread(l, address, root));
    return v_op2(v, IR_OP_ule, offset, v_spread(l, address, last));
}

/* The same, and whether the address is aligned: bits of the offset that should be 0 make it large.
 * NULL: that cannot be said. */
struct ir_value *v_inside_aligned(struct look *l, struct ir_value *address, uint64_t span)
{
    struct vectorizer *v = l->v;
    const struct ir_value *root = l->what & IR_CHECK_ROOTED ? l->i->args[1] : NULL;
    if (!root || l->what & IR_CHECK_DYNAMIC || root->kind != IR_VALUE_GLOBAL ||
        root->u.global->align < UINT64_C(1) << l->align || l->i->args[2]->u.bits < span)
        return NULL;
    struct ir_value *t =
        v_op2(v, IR_OP_sub, address, v_as_number(l, v_scalar(v, l->i->args[1], l->piece)));
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
    struct ir_value *limit =
        v_spread(l, address,
                 v_field(v, offsetof(struct ir_check_table, limit) + 8 * (size_t)align, IR_I64,
                         IR_INVARIANT));
    if (align && !lanes) { /* bits that should be 0 make it large */
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, align));
    } else if (align) {
        struct ir_value *low = v_op2(v, IR_OP_shl, t, v_of_type(l, t, 64 - align));
        t = v_op2(v, IR_OP_or, low, v_op2(v, IR_OP_lshr, t, v_of_type(l, t, align)));
    }
    struct ir_value *has = v_op2(v, IR_OP_ult, t, limit);
    if (fine)
        has = v_op2(v, IR_OP_and, has, fine);
    t = ir_build3(&v->b, IR_OP_select, t->type, has, t, v_of_type(l, t, 0));
    if (align > 2)
        t = v_op2(v, IR_OP_shl, t, v_of_type(l, t, align - 2));
    else if (align < 2)
        t = v_op2(v, IR_OP_lshr, t, v_of_type(l, t, 2 - align));
    return v_pointer(v, v_op2(v, IR_OP_add, v_spread(l, t, STILL(v, shadow, IR_I64)), t));
}

ir_type v_marks_type(uint64_t bytes)
{
    return bytes >= 8 ? IR_I64 : bytes >= 4 ? IR_I32 : bytes >= 2 ? IR_I16 : IR_I8;
}

/* May what has no marks yet be written, and marked? Else it has to have them already. */
static bool marks_itself(const struct look *l, uint64_t span)
{
    return l->writes && span >= 4 && (l->whole || l->some);
}

/* `span` bytes whose shadow lies at p. */
struct ir_value *v_look_shadow(struct look *l, struct ir_value *p, uint64_t span)
{
    struct vectorizer *v = l->v;
    struct ir_value *all = NULL;
    const uint64_t n = span < 4 ? 1 : span / 4;
    const ir_type t = v_marks_type(n);
    for (uint64_t k = 0; k < n; k += ir_bytes(t)) {
        struct ir_value *x = ir_build_load(&v->b, t, v_further(v, p, k), 1, 0);
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

struct ir_value *v_shadow_of(struct look *l, struct ir_value *address)
{
    struct vectorizer *v = l->v;
    struct ir_value *word = v_op2(v, IR_OP_lshr, address, v_num(v, IR_I64, 2));
    return v_pointer(v, v_op2(v, IR_OP_add, word, STILL(v, shadow, IR_I64)));
}

/* One address, or a row of them from there. */
static struct ir_value *look_row(struct look *l, struct ir_value *address, uint64_t span)
{
    const unsigned align = span >= 4 && l->align < 2 ? 2 : l->align;
    return v_look_shadow(l, shadow_at(l, address, align, v_inside_variable(l, address, span)),
                         span);
}

void v_mark_row(struct look *l)
{
    struct vectorizer *v = l->v;
    const ir_type t = v_marks_type(l->marks);
    for (uint64_t k = 0; k < l->marks; k += ir_bytes(t))
        ir_build_store(&v->b, v_further(v, l->at, k), v_num(v, t, UINT64_MAX >> (64 - ir_bits(t))),
                       1, 0);
}

/* Each lane at an address of its own. */
static struct ir_value *look_lanes(struct look *l, struct ir_value *address)
{
    struct vectorizer *v = l->v;
    const uint64_t n = l->bytes < 4 ? 1 : l->bytes / 4;
    const ir_type t = v_vector(v, v_marks_type(n));
    const uint64_t bits = UINT64_MAX >> (64 - ir_bits(v_marks_type(n))),
                   memory = UINT64_C(0xf0f0f0f0f0f0f0f0) & bits;
    const bool marks = l->writes && l->bytes >= 4;
    struct ir_value *mask = v_mask(v, l->piece),
                    *p = shadow_at(l, address, l->align, v_inside_variable(l, address, l->bytes));
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
    const ir_type t = v_vector(v, v_marks_type(l->marks));
    struct ir_value *args[] = {l->at,
                               v_num(v, t, UINT64_MAX >> (64 - ir_bits(v_marks_type(l->marks)))),
                               v_mask(v, l->piece)};
    ir_build(&v->b, IR_OP_scatter, t, args, 3)->align = 1;
}

struct ir_value *v_all_of(struct look *l, struct ir_value *good)
{
    struct vectorizer *v = l->v;
    struct ir_value *mask = v_mask(v, l->piece);
    if (!ir_is_vector(good->type))
        return good;
    if (!v_is_all(mask))
        good = v_or(v, good, ir_build1(&v->b, IR_OP_not, mask->type, mask));
    return ir_build1(&v->b, IR_OP_alllanes, IR_VOID, good);
}

enum form v_form_of(const struct look *l)
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

bool v_can_look(struct look *l)
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

/* ---- looking at what else there is ---- */
static struct ir_value *look_local(struct look *l)
{
    struct ir_value *x = v_form_of(l) == FORM_ONE ? v_scalar(l->v, l->i->args[0], l->piece)
                                                  : v_exact(l->v, l->i->args[0], l->piece);
    return l->what & IR_CHECK_ROOTED ? v_all_of(l, v_inside_variable(l, x, l->bytes)) : NULL;
}

static struct ir_value *look_defined(struct look *l)
{
    struct ir_value *x = v_wide(l->v, l->i->args[0], l->piece);
    return v_all_of(l, v_op2(l->v, IR_OP_eq, x, v_of_type(l, x, UINT64_MAX)));
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
    return v_pointer(v, v_op2(v, IR_OP_add, NOW(v, clocks, IR_I64), at));
}

static struct ir_value *is_quiet(struct look *l)
{
    return v_op2(l->v, IR_OP_ne, NOW(l->v, quiet, IR_I32), v_num(l->v, IR_I32, 0));
}

/* All come with the clock that the first of the block had, to the same barrier. */
static struct ir_value *look_barrier(struct look *l, struct ir_value *clocks)
{
    struct vectorizer *v = l->v;
    struct ir_value *same = v_op2(v, IR_OP_eq, clocks, v_spread(l, clocks, NOW(v, before, IR_I32)));
    return v_op2(v, IR_OP_and, ir_build1(&v->b, IR_OP_alllanes, IR_VOID, same),
                 v_op2(v, IR_OP_eq, NOW(v, barrier, IR_I32), v_num(v, IR_I32, l->i->span.loc)));
}

/* All come with the clock that they had after the barrier before: they are the first. */
static struct ir_value *look_first(struct look *l, struct ir_value *clocks)
{
    struct vectorizer *v = l->v;
    struct ir_value *same = v_op2(v, IR_OP_eq, clocks, v_spread(l, clocks, NOW(v, after, IR_I32)));
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
    ir_build_store(&v->b, v_pointer(v, v_op2(v, IR_OP_add, NOW(v, turns, IR_I64), at)), next, 4,
                   IR_VOLATILE);
    ir_build_store(&v->b, v_pointer(v, v_op2(v, IR_OP_add, NOW(v, sites, IR_I64), at)), site, 4,
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
    struct ir_value *in = v_inside_aligned(l, address, span);
    if (in && align == l->align) {
        v_go_on_if(v, in, slow);
        return;
    }
    if ((in = v_inside_variable(l, address, span)))
        v_go_on_if(v, in, slow);
    struct ir_value *t = address,
                    *limit = v_field(v, offsetof(struct ir_check_table, limit) + 8 * (size_t)align,
                                     IR_I64, IR_INVARIANT);
    if (align)
        t = ir_build3(&v->b, IR_OP_fshr, IR_I64, t, t, v_num(v, IR_I64, align));
    v_go_on_if(v, v_op2(v, IR_OP_ult, t, limit), slow);
}

struct ir_value *v_look_memory(struct look *l)
{
    struct vectorizer *v = l->v;
    struct ir_value *x = l->i->args[0];
    const enum form form = v_form_of(l);
    if (form == FORM_LANES)
        return look_lanes(l, v_as_number(l, v_exact(v, x, l->piece)));
    return look_row(l, v_as_number(l, v_scalar(v, x, l->piece)),
                    form == FORM_ROW ? v->lanes * l->bytes : l->bytes);
}

void v_mark(struct look *l)
{
    if (l->at)
        (v_form_of(l) == FORM_LANES ? mark_lanes : v_mark_row)(l);
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
    if (!v_can_look(l))
        return NULL;
    if ((l->what >> IR_CHECK_SPACE_SHIFT & 7) == IR_SPACE_LOCAL)
        return look_local(l);
    *leave = v_mark;
    return l->what & IR_CHECK_RACES ? NULL : v_look_memory(l);
}

void v_go_to(struct vectorizer *v, struct ir_block *to)
{
    ir_build_br(&v->b, to, NULL, 0);
}

void v_tell_slowly(struct vectorizer *v, struct ir_inst *i, unsigned p, struct ir_block *after)
{
    i->imm |= IR_CHECK_SLOW;
    tell_all(v, i, p);
    i->imm &= ~(uint64_t)IR_CHECK_SLOW;
    v_go_to(v, after);
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
    v_go_to(v, after);
    v->b.block = no;
    v_branch(v, look_first(l, clocks), &none);
    begin_barrier(l);
    pass_barrier(l, at);
    v_go_to(v, after);
    v->b.block = none;
    v_tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* As check/compact.c does it. */
static void begin_interval(struct look *l, struct ir_value *clock)
{
    struct vectorizer *v = l->v;
    struct ir_value *next = NOW(v, interval, IR_I64), *at = v_pointer(v, next);
    ir_build_store(&v->b, at, NOW(v, block, IR_I64), 8, 0);
    ir_build_store(&v->b, v_further(v, at, offsetof(struct ir_interval, clock)), clock, 4, 0);
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
    v_go_on_if(v, is_quiet(l), slow);
    v_go_to_if(v, v_op2(v, IR_OP_ne, clock, NOW(v, pending, IR_I32)), after);
    v_go_on_if(v, v_op2(v, IR_OP_eq, NOW(v, arrived, IR_I32), NOW(v, threads, IR_I32)), slow);
    v_go_on_if(v, v_op2(v, IR_OP_ne, NOW(v, interval, IR_I64), NOW(v, interval_end, IR_I64)), slow);
    begin_interval(l, clock);
    v_go_to(v, after);
    v->b.block = slow;
    v_tell_slowly(v, l->i, l->piece, after);
    return true;
}

/* Goes on where there is a thread that writes: what all write to is marked then. */
void v_find_some(struct look *l, enum form form, struct ir_block *after)
{
    if (form != FORM_ONE || l->whole || !l->writes)
        return;
    v_go_on_if(l->v, ir_build1(&l->v->b, IR_OP_anylane, IR_VOID, v_mask(l->v, l->piece)), after);
    l->some = true;
}

/* An access at one address or of a row, where races are not looked for; false: looking does not
 * say. */
static bool plain_access(struct look *l)
{
    struct vectorizer *v = l->v;
    const enum ir_check kind = (enum ir_check)(l->what & 255);
    const enum form form = kind <= IR_CHECK_ATOMIC ? v_form_of(l) : FORM_LANES;
    if (l->what & IR_CHECK_RACES || form == FORM_LANES || !v_can_look(l) ||
        (l->what >> IR_CHECK_SPACE_SHIFT & 7) == IR_SPACE_LOCAL)
        return false;
    struct ir_block *slow = ir_block_new(v->to, NULL), *after = ir_block_new(v->to, NULL);
    struct ir_value *address = v_as_number(l, v_scalar(v, l->i->args[0], l->piece));
    const uint64_t span = form == FORM_ROW ? v->lanes * l->bytes : l->bytes;
    v_find_some(l, form, after);
    find_shadow(l, address, span, slow);
    v_go_on_if(v, v_look_shadow(l, v_shadow_of(l, address), span), slow);
    v_mark(l);
    v_go_to(v, after);
    v->b.block = slow;
    v_tell_slowly(v, l->i, l->piece, after);
    return true;
}

struct look v_look_of(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    return (struct look){.v = v,
                         .i = i,
                         .piece = p,
                         .what = i->imm,
                         .bytes = i->imm >> IR_CHECK_BYTES_SHIFT,
                         .align = i->imm >> IR_CHECK_ALIGN_SHIFT & 15,
                         .writes = (i->imm & 255) == IR_CHECK_WRITE,
                         .whole = v_is_all(v_mask(v, p))};
}

void v_check_alone(struct vectorizer *v, struct ir_inst *i, unsigned p)
{
    void (*leave)(struct look * l) = NULL;
    struct look l = v_look_of(v, i, p);
    const bool looks = i->imm & IR_CHECK_INLINE && v->lanes <= 32;
    if (looks && (barrier(&l) || passed(&l) || plain_access(&l) || v_look_races(&l)))
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
    v_go_to(v, after);
    v->b.block = no;
    v_tell_slowly(v, i, p, after);
}

void v_check(struct vectorizer *v, struct ir_inst *i)
{
    if (v_look_together(v, i))
        return;
    for (unsigned p = 0; p < v->pieces; p++)
        v_check_alone(v, i, p);
}
