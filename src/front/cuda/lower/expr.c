/* Expressions to IR. Pointers keep the address space they are known to have until they are stored,
 * passed or joined; lo_value gives them as generic pointers, lo_pointer as they are. */
#include "front/cuda/lower/lower.h"

struct ir_value *lo_int(struct lower *l, ir_type t, uint64_t v)
{
    unsigned bits = ir_bits(t);
    return ir_const(l->m, t, bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v);
}

struct ir_value *lo_generic(struct lower *l, struct ir_value *p)
{
    if (ir_space(p->type) == IR_SPACE_GENERIC)
        return p;
    return ir_build1(&l->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), p);
}

struct ir_value *lo_offset(struct lower *l, struct ir_value *p, int64_t off)
{
    if (!off)
        return p;
    return ir_build2(&l->b, IR_OP_ptradd, p->type, p, lo_int(l, IR_I64, (uint64_t)off));
}

static struct place place_at(struct lower *l, struct ir_value *p, struct type *t)
{
    return (struct place){.ptr = p,
                          .align = cu_is_ref(t)         ? 8
                                   : t->kind == TY_FUNC ? 1
                                                        : cu_alignof(l->f, t, l->b.span),
                          .is_volatile = t->quals & QUAL_VOLATILE};
}

/* Memory of which the language says nothing until it is written. */
struct ir_value *lo_unset(struct lower *l, uint64_t size, uint32_t align, const char *name)
{
    struct ir_value *p = ir_build_alloca(l->fn, size ? size : 1, align, name);
    p->u.inst->flags |= IR_UNSET;
    return p;
}

struct place lo_temp(struct lower *l, struct type *t, const char *name)
{
    uint64_t size = cu_is_ref(t) ? 8 : cu_sizeof(l->f, t, l->b.span);
    uint32_t align = cu_is_ref(t) ? 8 : cu_alignof(l->f, t, l->b.span);
    return (struct place){.ptr = lo_unset(l, size, align, name), .align = align};
}

/* ---- memory ---- */

static ir_type bits_unit(struct place p, uint32_t *bytes)
{
    uint32_t n = (p.bits->bit_offset + p.bits->bits + 7) / 8;
    uint32_t size = 1;
    while (size < n)
        size *= 2;
    /* The declared type's own unit, where the field stands inside it. */
    uint32_t own = (cu_bits(p.bits->d.type) + 7) / 8;
    if (own >= n && p.bits->cls->packed == 0)
        size = own;
    *bytes = size;
    return size == 1 ? IR_I8 : size == 2 ? IR_I16 : size == 4 ? IR_I32 : IR_I64;
}

static struct ir_value *load_bits(struct lower *l, struct place p, struct type *t)
{
    uint32_t bytes;
    ir_type u = bits_unit(p, &bytes);
    struct ir_value *v = ir_build_load(&l->b, u, p.ptr, p.align < bytes ? p.align : bytes,
                                       p.is_volatile ? IR_VOLATILE : 0);
    unsigned width = bytes * 8, lo = p.bits->bit_offset, n = p.bits->bits;
    bool sign = cu_is_signed(p.bits->d.type);
    if (lo + n < width)
        v = ir_build2(&l->b, IR_OP_shl, u, v, lo_int(l, u, width - lo - n));
    if (n < width)
        v = ir_build2(&l->b, sign ? IR_OP_ashr : IR_OP_lshr, u, v, lo_int(l, u, width - n));
    ir_type want = cu_ir_type(t);
    if (want == u)
        return v;
    if (ir_bits(want) < ir_bits(u))
        return ir_build1(&l->b, IR_OP_trunc, want, v);
    return ir_build1(&l->b, sign ? IR_OP_sext : IR_OP_zext, want, v);
}

static void store_bits(struct lower *l, struct place p, struct ir_value *v)
{
    uint32_t bytes;
    ir_type u = bits_unit(p, &bytes);
    uint32_t align = p.align < bytes ? p.align : bytes, flags = p.is_volatile ? IR_VOLATILE : 0;
    unsigned lo = p.bits->bit_offset, n = p.bits->bits;
    if (ir_bits(v->type) < ir_bits(u))
        v = ir_build1(&l->b, IR_OP_zext, u, v);
    else if (ir_bits(v->type) > ir_bits(u))
        v = ir_build1(&l->b, IR_OP_trunc, u, v);
    uint64_t mask = (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
    struct ir_value *old = ir_build_load(&l->b, u, p.ptr, align, flags);
    old = ir_build2(&l->b, IR_OP_and, u, old, lo_int(l, u, ~(mask << lo)));
    v = ir_build2(&l->b, IR_OP_and, u, v, lo_int(l, u, mask));
    if (lo)
        v = ir_build2(&l->b, IR_OP_shl, u, v, lo_int(l, u, lo));
    ir_build_store(&l->b, p.ptr, ir_build2(&l->b, IR_OP_or, u, old, v), align, flags);
}

static uint32_t access_flags(struct place p, const struct type *t)
{
    return (p.is_volatile || t->quals & QUAL_VOLATILE ? IR_VOLATILE : 0) | (p.typed ? IR_TYPED : 0);
}

struct ir_value *lo_load(struct lower *l, struct place p, struct type *t)
{
    if (p.ssa)
        return lo_read(l, p.ssa);
    if (p.bits)
        return load_bits(l, p, t);
    ir_type it = cu_ir_type(t);
    uint32_t natural = ir_bytes(it);
    return ir_build_load(&l->b, it, p.ptr, p.align < natural ? p.align : natural,
                         access_flags(p, t));
}

void lo_store(struct lower *l, struct place p, struct type *t, struct ir_value *v)
{
    if (p.ssa) {
        lo_write(l, p.ssa, v);
        return;
    }
    if (p.bits) {
        store_bits(l, p, v);
        return;
    }
    uint32_t natural = ir_bytes(v->type);
    ir_build_store(&l->b, p.ptr, v, p.align < natural ? p.align : natural, access_flags(p, t));
}

static void memory_copy(struct lower *l, struct ir_value *to, struct ir_value *from, uint64_t size,
                        uint32_t align)
{
    struct ir_value *args[3] = {to, from, lo_int(l, IR_I64, size)};
    struct ir_inst *i = ir_build(&l->b, IR_OP_memcpy, IR_VOID, args, 3);
    i->align = align;
}

void lo_copy(struct lower *l, struct place to, struct place from, struct type *t)
{
    uint64_t size = cu_own_size(l->f, t, l->b.span);
    if (!size)
        return;
    memory_copy(l, to.ptr, from.ptr, size, to.align < from.align ? to.align : from.align);
}

void lo_zero_fill(struct lower *l, struct place p, struct type *t)
{
    const uint64_t size = cu_own_size(l->f, t, l->b.span);
    lo_zero_bytes(l, p, t->kind == TY_CLASS && t->cls->vbases.len ? t->cls->size : size);
}

void lo_zero_bytes(struct lower *l, struct place p, uint64_t size)
{
    if (!size)
        return;
    struct ir_value *args[3] = {p.ptr, lo_int(l, IR_I8, 0), lo_int(l, IR_I64, size)};
    struct ir_inst *i = ir_build(&l->b, IR_OP_memset, IR_VOID, args, 3);
    i->align = p.align;
}

/* ---- conversions ---- */

static _Noreturn void refuse_shifted(struct lower *l, struct class_info *from,
                                     struct class_info *to, struct span at)
{
    cu_error(l->f, at, "a pointer to a member function of '%s', which does not lie first in '%s'",
             cu_type_str(l->f, from->type), cu_type_str(l->f, to->type));
}

/* Between a class and a base of it: null stays null. */
static struct ir_value *convert_memptr(struct lower *l, struct ir_value *v, struct type *from,
                                       struct type *to)
{
    const int64_t shift = cu_memptr_shift(l->f, from->cls, to->cls, l->b.span);
    if (!shift)
        return v;
    if (from->elem->kind == TY_FUNC)
        refuse_shifted(l, from->cls, to->cls, l->b.span);
    struct ir_value *null = ir_build2(&l->b, IR_OP_eq, IR_I64, v, lo_int(l, IR_I64, 0));
    struct ir_value *moved =
        ir_build2(&l->b, IR_OP_add, IR_I64, v, lo_int(l, IR_I64, (uint64_t)shift));
    return ir_build3(&l->b, IR_OP_select, IR_I64, null, v, moved);
}

struct ir_value *lo_convert(struct lower *l, struct ir_value *v, struct type *from, struct type *to)
{
    ir_type a = v->type, b = cu_ir_type(to);
    if (b == IR_I1) { /* bool, and enumerations that are one */
        if (a == IR_I1)
            return v;
        if (cu_is_float(from))
            return ir_build2(&l->b, IR_OP_fne, a, v, lo_int(l, a, 0));
        if (from->kind == TY_MEMPTR)
            return ir_build2(&l->b, IR_OP_ne, a, v, lo_int(l, a, 0));
        return ir_build2(&l->b, IR_OP_ne, a, v, ir_const(l->m, a, 0));
    }
    bool fp = from->kind == TY_POINTER || cu_is_ref(from) || from->kind == TY_NULLPTR,
         tp = to->kind == TY_POINTER || to->kind == TY_NULLPTR;
    if (fp && tp)
        return v;
    if (fp) {
        struct ir_value *i = ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_generic(l, v));
        return ir_bits(b) < 64 ? ir_build1(&l->b, IR_OP_trunc, b, i) : i;
    }
    if (tp) {
        if (ir_bits(a) < 64)
            v = ir_build1(&l->b, cu_is_signed(from) ? IR_OP_sext : IR_OP_zext, IR_I64, v);
        return ir_build1(&l->b, IR_OP_inttoptr, b, v);
    }
    if (from->kind == TY_MEMPTR && to->kind == TY_MEMPTR)
        return convert_memptr(l, v, from, to);
    if (from->kind == TY_MEMPTR || to->kind == TY_MEMPTR)
        return v;
    if (a == b)
        return v;
    bool ff = cu_is_float(from), tf = cu_is_float(to);
    if (ff && tf)
        return ir_build1(&l->b, IR_OP_fcvt, b, v);
    if (ff) { /* to less than 32 bits by way of 32, as nvcc has it: what does not fit is cut */
        const ir_type word = ir_bits(b) < 32 ? IR_I32 : b;
        v = ir_build_flags(&l->b, cu_is_signed(to) ? IR_OP_ftosi : IR_OP_ftoui, word, IR_RZ, 1, v,
                           NULL, NULL);
        return word == b ? v : ir_build1(&l->b, IR_OP_trunc, b, v);
    }
    if (tf)
        return ir_build1(&l->b, cu_is_signed(from) ? IR_OP_sitof : IR_OP_uitof, b, v);
    if (ir_bits(b) < ir_bits(a))
        return ir_build1(&l->b, IR_OP_trunc, b, v);
    return ir_build1(&l->b, cu_is_signed(from) ? IR_OP_sext : IR_OP_zext, b, v);
}

/* ---- arithmetic ---- */

static struct ir_value *arith(struct lower *l, unsigned op, struct type *t, struct ir_value *a,
                              struct ir_value *b)
{
    ir_type it = a->type;
    if (cu_is_float(t)) {
        static const struct {
            uint16_t punct, op;
            bool swap;
        } ops[] = {{PUNCT_ADD, IR_OP_fadd, 0}, {PUNCT_SUB, IR_OP_fsub, 0},
                   {PUNCT_MUL, IR_OP_fmul, 0}, {PUNCT_DIV, IR_OP_fdiv, 0},
                   {PUNCT_EQ, IR_OP_feq, 0},   {PUNCT_NE, IR_OP_fne, 0},
                   {PUNCT_LT, IR_OP_flt, 0},   {PUNCT_LE, IR_OP_fle, 0},
                   {PUNCT_GT, IR_OP_flt, 1},   {PUNCT_GE, IR_OP_fle, 1}};
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            if (ops[i].punct == op)
                return ops[i].swap ? ir_build2(&l->b, (enum ir_op)ops[i].op, it, b, a)
                                   : ir_build2(&l->b, (enum ir_op)ops[i].op, it, a, b);
        cu_error(l->f, l->b.span, "this operator does not apply to floating point");
    }
    bool s = cu_is_signed(t) && t->kind != TY_POINTER;
    uint32_t nsw = s && cu_bits(t) >= 32 ? IR_NSW : 0;
    if (t->kind == TY_BOOL)
        s = false;
    switch (op) {
    case PUNCT_ADD: return ir_build_flags(&l->b, IR_OP_add, it, nsw, 2, a, b, NULL);
    case PUNCT_SUB: return ir_build_flags(&l->b, IR_OP_sub, it, nsw, 2, a, b, NULL);
    case PUNCT_MUL: return ir_build_flags(&l->b, IR_OP_mul, it, nsw, 2, a, b, NULL);
    case PUNCT_DIV: return ir_build2(&l->b, s ? IR_OP_sdiv : IR_OP_udiv, it, a, b);
    case PUNCT_MOD: return ir_build2(&l->b, s ? IR_OP_srem : IR_OP_urem, it, a, b);
    case PUNCT_AND: return ir_build2(&l->b, IR_OP_and, it, a, b);
    case PUNCT_OR: return ir_build2(&l->b, IR_OP_or, it, a, b);
    case PUNCT_XOR: return ir_build2(&l->b, IR_OP_xor, it, a, b);
    case PUNCT_SHL: return ir_build2(&l->b, IR_OP_shl, it, a, b);
    case PUNCT_SHR: return ir_build2(&l->b, s ? IR_OP_ashr : IR_OP_lshr, it, a, b);
    case PUNCT_EQ: return ir_build2(&l->b, IR_OP_eq, it, a, b);
    case PUNCT_NE: return ir_build2(&l->b, IR_OP_ne, it, a, b);
    case PUNCT_LT: return ir_build2(&l->b, s ? IR_OP_slt : IR_OP_ult, it, a, b);
    case PUNCT_GT: return ir_build2(&l->b, s ? IR_OP_slt : IR_OP_ult, it, b, a);
    case PUNCT_LE: return ir_build2(&l->b, s ? IR_OP_sle : IR_OP_ule, it, a, b);
    default: return ir_build2(&l->b, s ? IR_OP_sle : IR_OP_ule, it, b, a);
    }
}

static struct ir_value *pointer_add(struct lower *l, struct ir_value *p, struct ir_value *i,
                                    struct type *elem, bool subtract)
{
    uint64_t size = cu_sizeof(l->f, elem, l->b.span);
    struct ir_value *off = i;
    if (subtract)
        off = ir_build1(&l->b, IR_OP_neg, IR_I64, off);
    if (size != 1)
        off =
            ir_build_flags(&l->b, IR_OP_mul, IR_I64, IR_NSW, 2, off, lo_int(l, IR_I64, size), NULL);
    return ir_build2(&l->b, IR_OP_ptradd, p->type, p, off);
}

/* ---- cheap expressions need no branches: every pure op is total ---- */

static bool register_var(struct lower *l, const struct var *v)
{
    return v->storage != VAR_GLOBAL && !v->address_taken && v->ir_owner == l->serial && v->ssa;
}

static bool pure(struct lower *l, const struct expr *e, unsigned *budget)
{
    if (!*budget)
        return false;
    --*budget;
    int sreg;
    switch (e->kind) {
    case EX_INT:
    case EX_FLOAT:
    case EX_NULLPTR: return true;
    case EX_LOAD:
        if (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY)
            return false;
        if (e->a->kind == EX_VAR)
            return register_var(l, e->a->u.var) && !cu_is_ref(e->a->u.var->d.type);
        return e->a->kind == EX_MEMBER && e->a->a->kind == EX_VAR &&
               lo_builtin_var(l->f, e->a->a->u.var, &sreg);
    case EX_CAST: return e->type->kind != TY_VOID && pure(l, e->a, budget);
    case EX_UNARY: return pure(l, e->a, budget);
    case EX_BINARY: return pure(l, e->a, budget) && pure(l, e->b, budget);
    case EX_LOGICAL: return pure(l, e->a, budget) && pure(l, e->b, budget);
    case EX_COND:
        return e->cat == CAT_PR && cu_is_scalar(e->type) && pure(l, e->a, budget) &&
               pure(l, e->b, budget) && pure(l, e->c, budget);
    default: return false;
    }
}

static bool is_pure(struct lower *l, const struct expr *e)
{
    unsigned budget = 10;
    return pure(l, e, &budget);
}

static struct var *scratch(struct lower *l, struct type *t)
{
    struct var *v = arena_new(l->f->a, struct var);
    v->d.kind = DECL_VAR;
    v->d.type = t;
    return v;
}

static struct ir_value *logical(struct lower *l, struct expr *e)
{
    struct ir_value *a = lo_value(l, e->a);
    bool is_and = e->op == PUNCT_ANDAND;
    if (is_pure(l, e->b))
        return ir_build2(&l->b, is_and ? IR_OP_and : IR_OP_or, IR_I1, a, lo_value(l, e->b));
    struct var *r = scratch(l, cu_type(l->f, TY_BOOL));
    struct ir_value *token = lo_split(l);
    struct ir_block *rhs = lo_block(l, "rhs"), *done = lo_block(l, "logic");
    lo_write(l, r, lo_int(l, IR_I1, !is_and));
    if (is_and)
        lo_condbr(l, a, rhs, done);
    else
        lo_condbr(l, a, done, rhs);
    lo_seal(l, rhs);
    lo_start(l, rhs);
    bool save = l->in_cond;
    l->in_cond = true;
    struct ir_value *b = lo_value(l, e->b);
    l->in_cond = save;
    lo_write(l, r, b);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    return lo_read(l, r);
}

struct branches {
    struct ir_value *token;
    struct ir_block *yes, *no, *done;
    bool save;
};

static void open_branches(struct lower *l, struct expr *cond, struct branches *b)
{
    struct ir_value *c = lo_value(l, cond);
    b->token = lo_split(l);
    b->yes = lo_block(l, "then");
    b->no = lo_block(l, "else");
    b->done = lo_block(l, "cond");
    lo_condbr(l, c, b->yes, b->no);
    lo_seal(l, b->yes);
    lo_seal(l, b->no);
    lo_start(l, b->yes);
    b->save = l->in_cond;
    l->in_cond = true;
}

static void next_branch(struct lower *l, struct branches *b)
{
    lo_br(l, b->done);
    lo_start(l, b->no);
}

static void close_branches(struct lower *l, struct branches *b)
{
    lo_br(l, b->done);
    lo_seal(l, b->done);
    lo_start(l, b->done);
    lo_join(l, b->token);
    l->in_cond = b->save;
}

/* ---- glvalues ---- */

static struct ir_value *var_address(struct lower *l, struct var *v, struct span at)
{
    if (v->storage == VAR_GLOBAL) {
        struct ir_value *g = lo_global(l, v, at);
        return cu_host(l->f) && v->per_thread ? lo_host_thread_var(l, v, g) : g;
    }
    if (v->ir_owner != l->serial || !v->ir) {
        if (cu_var_constant(l->f, v)) /* a constant of an enclosing function, used in a lambda */
            return lo_global(l, v, at);
        cu_error(l->f, at, "'%s' is used before it is declared, or belongs to another function",
                 v->d.name ? v->d.name : "a variable");
    }
    return v->ir;
}

static struct place var_place(struct lower *l, struct expr *e)
{
    struct var *v = e->u.var;
    if (v->storage != VAR_GLOBAL && v->ir_owner == l->serial && v->ssa)
        return cu_is_ref(v->d.type) ? place_at(l, lo_read(l, v), e->type)
                                    : (struct place){.ssa = v, .align = 1};
    struct ir_value *a = var_address(l, v, e->span);
    if (cu_is_ref(v->d.type) && !(v->storage == VAR_GLOBAL && v->block && v->ir == NULL))
        a = lo_load(l, (struct place){.ptr = a, .align = 8}, v->d.type);
    struct place p = place_at(l, a, e->type);
    if (v->align > p.align && !cu_is_ref(v->d.type))
        p.align = v->align;
    return p;
}

/* threadIdx.x and its kin: the register that a member of a builtin variable stands for, or NULL. */
static struct ir_value *register_member(struct lower *l, struct expr *e)
{
    int sreg;
    if (e->kind != EX_MEMBER || e->a->kind != EX_VAR || !lo_builtin_var(l->f, e->a->u.var, &sreg))
        return NULL;
    cu_layout(l->f, e->u.field->cls, e->span);
    return ir_build0(&l->b, IR_OP_sreg, IR_I32, (uint64_t)sreg + e->u.field->offset / 4);
}

/* How far a member is aligned: as its type or declaration wants it, as far as the offset and the
 * object allow; and as far as the object is, where the offset keeps that. */
static uint32_t member_align(struct lower *l, struct field *fd, uint32_t base, struct span at)
{
    uint32_t align = cu_alignof(l->f, fd->d.type, at);
    if (fd->align > align)
        align = fd->align;
    while (align > 1 && (fd->offset % align || align > base))
        align /= 2;
    return base > align && fd->offset % base == 0 ? base : align;
}

static struct place member_place(struct lower *l, struct expr *e)
{
    struct ir_value *reg = register_member(l, e);
    if (reg) {
        struct place p = lo_temp(l, e->type, "sreg");
        lo_store(l, p, e->type, reg);
        return p;
    }
    struct place p = lo_place(l, e->a);
    struct field *fd = e->u.field;
    cu_layout(l->f, fd->cls, e->span);
    p.ptr = lo_offset(l, p.ptr, (int64_t)fd->offset);
    if (cu_is_ref(fd->d.type))
        return place_at(l, lo_load(l, (struct place){.ptr = p.ptr, .align = 8}, fd->d.type),
                        e->type);
    p.align = member_align(l, fd, p.align, e->span);
    p.is_volatile |= (e->type->quals & QUAL_VOLATILE) != 0;
    p.bits = fd->is_bitfield ? fd : NULL;
    return p;
}

static struct place base_place(struct lower *l, struct expr *e, int64_t offset)
{
    struct place p = lo_place(l, e->a);
    if (e->in_class)
        p.ptr = lo_virtual_base(l, &l->b, p.ptr, e->a->type->cls, e->in_class);
    p.ptr = lo_offset(l, p.ptr, offset);
    p.align = cu_alignof(l->f, e->type, e->span);
    return p;
}

static struct place either_place(struct lower *l, struct expr *e)
{
    struct var *r = scratch(l, cu_lref_to(l->f, e->type));
    struct branches b;
    open_branches(l, e->a, &b);
    lo_write(l, r, lo_generic(l, lo_place(l, e->b).ptr));
    next_branch(l, &b);
    lo_write(l, r, lo_generic(l, lo_place(l, e->c).ptr));
    close_branches(l, &b);
    return place_at(l, lo_read(l, r), e->type);
}

/* x = y, x += y, ++x as a place: x, once that is done. */
static struct place assigned_place(struct lower *l, struct expr *e)
{
    struct place p = lo_place(l, e->a);
    if (p.ssa || p.bits) {
        lo_discard(l, e);
        return p;
    }
    /* The left side is evaluated once: its place is kept in a reference of our own. */
    struct var *hold = scratch(l, cu_lref_to(l->f, e->a->type));
    lo_write(l, hold, lo_generic(l, p.ptr));
    struct expr *copy = arena_new(l->f->a, struct expr);
    *copy = *e;
    copy->a = cu_expr_new(l->f, EX_VAR, e->a->type, CAT_L, e->span);
    copy->a->u.var = hold;
    lo_discard(l, copy);
    return p;
}

static struct place through_memptr(struct lower *l, struct expr *e)
{
    struct place base = lo_place(l, e->a);
    struct ir_value *off = lo_value(l, e->b);
    off = ir_build2(&l->b, IR_OP_sub, IR_I64, off, lo_int(l, IR_I64, 1));
    return place_at(l, ir_build2(&l->b, IR_OP_ptradd, base.ptr->type, base.ptr, off), e->type);
}

static struct place temporary(struct lower *l, struct type *t, struct expr *value)
{
    struct place p = lo_temp(l, t, "tmp");
    lo_into(l, value, p);
    return p;
}

static struct place place(struct lower *l, struct expr *e)
{
    struct place p = {0};
    switch (e->kind) {
    case EX_VAR: return var_place(l, e);
    case EX_STRING:
        return place_at(
            l,
            lo_string(l, e->u.str, cu_sizeof(l->f, e->type, e->span), cu_bits(e->type->elem) / 8),
            e->type);
    case EX_FUNC: p.ptr = lo_func_address(l, e->u.func, e->span); return p;
    case EX_MEMBER: return member_place(l, e);
    case EX_DEREF: return place_at(l, lo_pointer(l, e->a), e->type);
    case EX_UPCAST: return base_place(l, e, (int64_t)e->u.i);
    case EX_DOWNCAST: return base_place(l, e, -(int64_t)e->u.i);
    case EX_BITCAST:
        p = lo_place(l, e->a);
        /* The program promises the alignment of what it casts to, unless the object is its own. */
        if (e->type->kind != TY_FUNC && e->a->kind != EX_TEMP)
            p.align = cu_alignof(l->f, e->type, e->span);
        return p;
    case EX_TEMP:
        p = temporary(l, e->type, e->a);
        if (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY)
            lo_push_cleanup(l, e->type, p.ptr, l->in_cond);
        return p;
    case EX_COND: return either_place(l, e);
    case EX_COMMA: lo_discard(l, e->a); return lo_place(l, e->b);
    case EX_ASSIGN:
    case EX_COMPOUND:
    case EX_INCDEC: return assigned_place(l, e);
    case EX_CALL: return place_at(l, lo_call(l, e, NULL), e->type);
    case EX_TYPEID: return cu_host(l->f) ? place_at(l, lo_typeid(l, e), e->type) : p;
    case EX_THROW:
        if (cu_host(l->f))
            lo_throw(l, e);
        return place_at(l, ir_const(l->m, IR_PTR_TO(IR_SPACE_GENERIC), 0), e->type);
    case EX_MEMPTR_REF: return through_memptr(l, e);
    default:
        if (e->cat == CAT_PR) /* a value where a place is needed: give it one */
            return temporary(l, e->type, e);
        cu_error(l->f, e->span, "this expression is not supported in device code");
    }
}

/* Is what a glvalue names, or what a pointer points at, an object of its type as C++ would have it?
 * Asked of what is neither cast nor in a union: what those name, another type may have written. */
static bool is_own_type(const struct expr *e)
{
    for (;; e = e->a)
        switch (e->kind) {
        case EX_VAR:
        case EX_THIS:
        case EX_CALL:
        case EX_LOAD: return true;
        case EX_MEMBER:
            for (const struct field *f = e->u.field; f; f = f->outer)
                if (f->cls->is_union)
                    return false;
            break;
        case EX_DEREF:
        case EX_ADDR:
        case EX_DECAY:
        case EX_PTRADD:
        case EX_UPCAST: break;
        default: return false;
        }
}

/* Bytes may be looked at as chars; in kernels people look at memory as they like. */
static bool is_typed(const struct lower *l, const struct expr *e)
{
    return cu_host(l->f) && !l->f->punned && cu_is_scalar(e->type) &&
           cu_ir_type(e->type) != IR_I8 && cu_ir_type(e->type) != IR_I1 && is_own_type(e);
}

struct place lo_place(struct lower *l, struct expr *e)
{
    struct span save = l->b.span;
    if (e->span.loc)
        l->b.span = e->span;
    struct place p = place(l, e);
    p.typed = is_typed(l, e);
    l->b.span = save;
    return p;
}

/* ---- scalars ---- */

static struct ir_value *compound(struct lower *l, struct expr *e)
{
    struct ir_value *b = lo_value(l, e->b);
    struct place p = lo_place(l, e->a);
    struct ir_value *a = lo_load(l, p, e->a->type), *v;
    struct type *t = e->a->type;
    if (t->kind == TY_POINTER) {
        v = pointer_add(l, a, b, t->elem, e->op == PUNCT_SUB);
    } else {
        a = lo_convert(l, a, t, e->u.cast);
        v = arith(l, e->op, e->u.cast, a, b);
        v = lo_convert(l, v, e->u.cast, t);
    }
    lo_store(l, p, t, v);
    return v;
}

static struct ir_value *float_const(struct lower *l, ir_type t, double d)
{
    return ir_const(l->m, t, cu_float_bits(t, d));
}

static struct ir_value *incdec(struct lower *l, struct expr *e)
{
    struct place p = lo_place(l, e->a);
    struct type *t = e->a->type;
    struct ir_value *a = lo_load(l, p, t), *v;
    bool inc = e->op == PUNCT_INC;
    if (t->kind == TY_POINTER) {
        v = pointer_add(l, a, lo_int(l, IR_I64, 1), t->elem, !inc);
    } else if (cu_is_float(t)) {
        ir_type it = a->type;
        v = ir_build2(&l->b, inc ? IR_OP_fadd : IR_OP_fsub, it, a, float_const(l, it, 1));
    } else {
        uint32_t nsw = cu_is_signed(t) && cu_bits(t) >= 32 ? IR_NSW : 0;
        v = ir_build_flags(&l->b, inc ? IR_OP_add : IR_OP_sub, a->type, nsw, 2, a,
                           lo_int(l, a->type, 1), NULL);
    }
    lo_store(l, p, t, v);
    return e->u.i ? v : a;
}

/* A number that the front end has worked out; NULL: it is none, or is not constant. */
static struct ir_value *known_number(struct lower *l, struct var *v)
{
    if (cu_is_ref(v->d.type) || !(cu_is_arith(v->d.type) || v->d.type->kind == TY_ENUM) ||
        !cu_var_constant(l->f, v))
        return NULL;
    uint64_t bits = 0;
    ir_type t = cu_ir_type(v->d.type);
    memcpy(&bits, v->bytes, ir_bytes(t));
    return ir_const(l->m, t, bits);
}

/* A constant variable's value, where that is all that is wanted. */
static struct ir_value *constant_var(struct lower *l, struct expr *e)
{
    struct var *v = e->u.var;
    if (v->space != SPACE_NONE && !v->is_constexpr)
        return NULL;
    if (v->storage != VAR_GLOBAL && v->ir_owner == l->serial && (v->ssa || v->ir))
        return NULL;
    return known_number(l, v);
}

struct ir_value *lo_known(struct lower *l, struct var *v)
{
    struct targ value;
    if (!v->is_constexpr)
        return NULL;
    if (v->d.type->kind != TY_POINTER || !v->init)
        return known_number(l, v);
    if (v->d.type->elem->kind != TY_FUNC || !cu_const_value(l->f, v->init, &value) ||
        !value.object || value.object->kind != DECL_FUNC)
        return NULL;
    return lo_func_address(l, (struct func *)value.object, v->d.span);
}

static struct ir_value *load(struct lower *l, struct expr *from)
{
    struct ir_value *v = register_member(l, from);
    if (v)
        return v;
    int sreg;
    if (from->kind == EX_VAR) {
        if (lo_builtin_var(l->f, from->u.var, &sreg) && sreg < 0)
            return lo_int(l, IR_I32, 32); /* warpSize */
        v = constant_var(l, from);
    }
    return v ? v : lo_load(l, lo_place(l, from), from->type);
}

static struct ir_value *unary(struct lower *l, struct expr *e)
{
    struct ir_value *a = lo_value(l, e->a);
    if (e->op == PUNCT_NOT)
        return ir_build2(&l->b, IR_OP_xor, IR_I1, a, lo_int(l, IR_I1, 1));
    if (cu_is_float(e->type))
        return ir_build1(&l->b, IR_OP_fneg, a->type, a);
    return ir_build1(&l->b, e->op == PUNCT_TILDE ? IR_OP_not : IR_OP_neg, a->type, a);
}

static struct ir_value *pointer_difference(struct lower *l, struct expr *e)
{
    struct ir_value *a = ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_value(l, e->a));
    struct ir_value *b = ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_value(l, e->b));
    struct ir_value *d = ir_build2(&l->b, IR_OP_sub, IR_I64, a, b);
    uint64_t size = cu_sizeof(l->f, e->a->type->elem, e->span);
    return size == 1 ? d : ir_build2(&l->b, IR_OP_sdiv, IR_I64, d, lo_int(l, IR_I64, size));
}

static struct ir_value *conditional(struct lower *l, struct expr *e)
{
    struct ir_value *v;
    if (e->type->kind != TY_VOID && is_pure(l, e->b) && is_pure(l, e->c)) {
        struct ir_value *c = lo_value(l, e->a), *a = lo_value(l, e->b);
        v = lo_value(l, e->c);
        return ir_build3(&l->b, IR_OP_select, a->type, c, a, v);
    }
    struct var *r = e->type->kind == TY_VOID ? NULL : scratch(l, e->type->unqual);
    struct branches b;
    open_branches(l, e->a, &b);
    v = lo_value(l, e->b);
    if (r)
        lo_write(l, r, v);
    next_branch(l, &b);
    v = lo_value(l, e->c);
    if (r)
        lo_write(l, r, v);
    close_branches(l, &b);
    return r ? lo_read(l, r) : NULL;
}

/* The function's address alone, without the C++ ABI's second word: what needs that is refused. */
static struct ir_value *member_function(struct lower *l, struct expr *e)
{
    struct func *fn = e->u.func;
    if (fn->is_virtual && fn->d.type->variadic)
        cu_error(l->f, e->span, "a pointer to '%s', which is virtual and takes '...'",
                 cu_qualified_name(l->f, &fn->d));
    if (cu_memptr_shift(l->f, fn->cls, e->type->cls, e->span))
        refuse_shifted(l, fn->cls, e->type->cls, e->span);
    struct ir_func *to = fn->is_virtual ? lo_virtual_call(l, fn) : lo_func(l, fn, e->span);
    return ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, ir_func_value(to));
}

static struct ir_value *member_pointer(struct lower *l, struct expr *e)
{
    if (e->flag)
        return member_function(l, e);
    cu_layout(l->f, e->u.field->cls, e->span);
    const int64_t shift = cu_memptr_shift(l->f, e->u.field->cls, e->type->cls, e->span);
    return lo_int(l, IR_I64, (uint64_t)((int64_t)e->u.field->offset + 1 + shift));
}

/* ({ … }) */
static struct ir_value *statements(struct lower *l, struct expr *e)
{
    struct cleanup *save = l->cleanups;
    struct ir_value *v = NULL;
    for (struct stmt *s = e->u.body->body; s; s = s->next) {
        if (!s->next && s->kind == STMT_EXPR && e->a && e->type->kind != TY_VOID)
            v = lo_value(l, e->a);
        else
            lo_stmt(l, s);
    }
    lo_pop_cleanups(l, save);
    return v;
}

static struct ir_value *value(struct lower *l, struct expr *e)
{
    switch (e->kind) {
    case EX_INT: return lo_int(l, cu_ir_type(e->type), e->u.i);
    case EX_FLOAT: return float_const(l, cu_ir_type(e->type), e->u.d);
    case EX_NULLPTR: return ir_const(l->m, cu_ir_type(e->type), 0);
    case EX_ZERO:
    case EX_UNINIT: return e->type->kind == TY_VOID ? NULL : ir_const(l->m, cu_ir_type(e->type), 0);
    case EX_LOOP_INDEX: return l->loop_index;
    case EX_THROW:
        if (cu_host(l->f))
            lo_throw(l, e);
        return e->type->kind == TY_VOID ? NULL : ir_const(l->m, cu_ir_type(e->type), 0);
    case EX_LOAD: return load(l, e->a);
    case EX_CAST:
        if (e->type->kind == TY_VOID) {
            lo_discard(l, e->a);
            return NULL;
        }
        if (e->type->kind == TY_POINTER && (e->a->type->kind == TY_POINTER))
            return lo_pointer(l, e->a);
        return lo_convert(l, lo_value(l, e->a), e->a->type, e->type);
    case EX_UNARY: return unary(l, e);
    case EX_BINARY: {
        struct ir_value *a = lo_value(l, e->a), *b = lo_value(l, e->b);
        return arith(l, e->op, e->a->type, a, b);
    }
    case EX_PTRDIFF: return pointer_difference(l, e);
    case EX_LOGICAL: return logical(l, e);
    case EX_COND: return conditional(l, e);
    case EX_COMMA:
        lo_discard(l, e->a);
        return e->b->type->kind == TY_VOID ? (lo_discard(l, e->b), NULL) : lo_value(l, e->b);
    case EX_ASSIGN: {
        struct ir_value *v = lo_value(l, e->b);
        struct place p = lo_place(l, e->a);
        lo_store(l, p, e->a->type, v);
        return v;
    }
    case EX_COMPOUND: return compound(l, e);
    case EX_INCDEC: return incdec(l, e);
    case EX_CALL: return lo_call(l, e, NULL);
    case EX_BUILTIN: return lo_builtin(l, e);
    case EX_MEMPTR: return member_pointer(l, e);
    case EX_NEW: {
        struct ir_value *v;
        lo_new(l, e, &v);
        return v;
    }
    case EX_DELETE: lo_delete(l, e); return NULL;
    case EX_LAUNCH: lo_launch(l, e); return NULL;
    case EX_STMT: return statements(l, e);
    case EX_INIT:
        if (e->u.init.n == 1)
            return lo_value(l, e->u.init.items[0].value);
        break;
    default: break;
    }
    if (e->cat != CAT_PR)
        return lo_load(l, lo_place(l, e), e->type);
    cu_error(l->f, e->span, "this expression is not supported in device code");
}

/* To a virtual base: null stays null. */
static struct ir_value *virtual_pointer(struct lower *l, struct expr *e, struct ir_value *p)
{
    struct class_info *c = e->a->type->elem->cls;
    if (e->a->kind == EX_THIS)
        return lo_offset(l, lo_virtual_base(l, &l->b, p, c, e->in_class), (int64_t)e->u.i);
    struct var *r = scratch(l, e->type);
    struct ir_block *yes = lo_block(l, "base"), *done = lo_block(l, "base_end");
    struct ir_value *token = lo_split(l), *null = ir_const(l->m, p->type, 0);
    lo_write(l, r, null);
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, p->type, p, null), yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    p = lo_virtual_base(l, &l->b, p, c, e->in_class);
    lo_write(l, r, lo_offset(l, p, (int64_t)e->u.i));
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    return lo_read(l, r);
}

struct ir_value *lo_pointer(struct lower *l, struct expr *e)
{
    struct span save = l->b.span;
    if (e->span.loc)
        l->b.span = e->span;
    struct ir_value *v;
    switch (e->kind) {
    case EX_ADDR:
    case EX_DECAY:
        if (e->a->kind == EX_MEMBER && e->a->u.field->is_bitfield)
            cu_error(l->f, e->span, "a bit-field has no address");
        v = lo_place(l, e->a).ptr;
        if (!v)
            cu_error(l->f, e->span, "internal: the address of a register variable was taken");
        break;
    case EX_THIS:
        if (!l->this_value)
            cu_error(l->f, e->span, "'this' has no object here");
        v = l->this_value;
        break;
    case EX_PTRADD: {
        struct ir_value *p = lo_pointer(l, e->a), *i = lo_value(l, e->b);
        v = pointer_add(l, p, i, e->type->elem, e->op == PUNCT_SUB);
        break;
    }
    case EX_UPCAST:
    case EX_DOWNCAST: {
        struct ir_value *p = lo_pointer(l, e->a);
        int64_t off = e->kind == EX_UPCAST ? (int64_t)e->u.i : -(int64_t)e->u.i;
        v = p;
        if (e->in_class) {
            v = virtual_pointer(l, e, lo_generic(l, p));
        } else if (off) { /* null stays null */
            struct ir_value *moved = lo_offset(l, p, off), *null = ir_const(l->m, p->type, 0);
            v = e->a->kind == EX_THIS
                    ? moved
                    : ir_build3(&l->b, IR_OP_select, p->type,
                                ir_build2(&l->b, IR_OP_eq, p->type, p, null), null, moved);
        }
        break;
    }
    default: v = value(l, e); break;
    }
    l->b.span = save;
    return v;
}

struct ir_value *lo_value(struct lower *l, struct expr *e)
{
    if (e->type->kind == TY_POINTER && e->cat == CAT_PR)
        return lo_generic(l, lo_pointer(l, e));
    struct span save = l->b.span;
    if (e->span.loc)
        l->b.span = e->span;
    struct ir_value *v = value(l, e);
    l->b.span = save;
    return v;
}

struct ir_value *lo_cond(struct lower *l, struct expr *e)
{
    struct cleanup *save = l->cleanups;
    struct ir_value *v = lo_value(l, e);
    lo_pop_cleanups(l, save);
    return v;
}

/* ---- aggregates ---- */

void lo_bind_ref(struct lower *l, struct expr *e, struct place slot)
{
    struct place p = lo_place(l, e);
    if (!p.ptr)
        cu_error(l->f, e->span, "internal: a reference to a register variable");
    lo_store(l, slot, cu_lref_to(l->f, e->type), lo_generic(l, p.ptr));
}

static void array_elements(struct lower *l, struct expr *one, struct type *t, struct place to)
{
    struct type *elem = t;
    uint64_t n = 1;
    while (elem->kind == TY_ARRAY) {
        n *= elem->count;
        elem = elem->elem;
        if (elem->unqual == one->type->unqual)
            break;
    }
    uint64_t size = cu_sizeof(l->f, elem, l->b.span);
    if (!n)
        return;
    struct cleanup *before = l->cleanups;
    struct ir_value *made = cu_host(l->f) ? lo_push_elements(l, elem, to.ptr) : NULL;
    /* A loop over the elements, uniform across threads. */
    struct var *i = scratch(l, l->f->size_type);
    lo_write(l, i, lo_int(l, IR_I64, 0));
    struct ir_block *body = lo_block(l, "elements"), *done = lo_block(l, "elements_end");
    lo_br(l, body);
    lo_start(l, body);
    struct ir_value *k = lo_read(l, i), *save = l->loop_index;
    l->loop_index = k;
    struct ir_value *off = ir_build2(&l->b, IR_OP_mul, IR_I64, k, lo_int(l, IR_I64, size));
    struct place p = {.ptr = ir_build2(&l->b, IR_OP_ptradd, to.ptr->type, to.ptr, off),
                      .align = cu_alignof(l->f, elem, l->b.span)};
    if (made)
        ir_build_store(&l->b, made, k, 8, 0);
    lo_into(l, one, p);
    l->loop_index = save;
    struct ir_value *next = ir_build2(&l->b, IR_OP_add, IR_I64, k, lo_int(l, IR_I64, 1));
    lo_write(l, i, next);
    struct ir_value *more = ir_build2(&l->b, IR_OP_ult, IR_I64, next, lo_int(l, IR_I64, n));
    lo_condbr(l, more, body, done);
    lo_seal(l, body);
    lo_seal(l, done);
    lo_start(l, done);
    if (made)
        lo_forget_undo(l, before);
}

static void init_aggregate(struct lower *l, struct expr *e, struct place to)
{
    struct type *t = e->type;
    const bool host = cu_host(l->f) && !(t->kind == TY_CLASS && t->cls->is_union);
    struct cleanup *before = l->cleanups;
    if (e->u.init.zero)
        lo_zero_fill(l, to, t);
    uint64_t elem = t->kind == TY_ARRAY ? cu_sizeof(l->f, t->elem, e->span) : 0;
    for (size_t i = 0; i < e->u.init.n; i++) {
        struct designated *d = &e->u.init.items[i];
        if (t->kind == TY_ARRAY) {
            if (d->count == 1) {
                uint32_t align = cu_alignof(l->f, t->elem, e->span);
                struct place p = {.ptr = lo_offset(l, to.ptr, (int64_t)(d->index * elem)),
                                  .align = align};
                lo_into(l, d->value, p);
                if (host)
                    lo_push_undo(l, CLEANUP_DESTROY, t->elem, p.ptr);
            } else if (d->count) {
                struct place p = {.ptr = lo_offset(l, to.ptr, (int64_t)(d->index * elem)),
                                  .align = 1};
                array_elements(l, d->value, cu_array_of(l->f, t->elem, d->count), p);
            }
            continue;
        }
        cu_layout(l->f, t->cls, e->span);
        uint64_t off = d->base ? d->base->offset : d->field->offset;
        struct type *ft = d->base ? d->base->type : d->field->d.type;
        struct place p = {.ptr = lo_offset(l, to.ptr, (int64_t)off),
                          .align = cu_is_ref(ft) ? 8 : cu_alignof(l->f, ft, e->span)};
        if (d->field && t->cls->packed)
            p.align = 1;
        struct ir_value *save = l->this_value;
        if (d->count)
            l->this_value = lo_generic(l, to.ptr);
        if (d->field && cu_is_ref(ft)) {
            lo_bind_ref(l, d->value, p);
        } else if (d->field && d->field->is_bitfield) {
            p.bits = d->field;
            lo_store(l, p, ft, lo_value(l, d->value));
        } else {
            lo_into(l, d->value, p);
        }
        l->this_value = save;
        if (host && !cu_is_ref(ft))
            lo_push_undo(l, CLEANUP_DESTROY, ft, p.ptr);
    }
    if (host)
        lo_forget_undo(l, before);
}

/* x = c ? a : b, of places: without a pointer to one of two, so that both can be registers. */
static void copy_either(struct lower *l, struct expr *e, struct place to)
{
    struct expr *arms[2] = {e->b, e->c};
    struct branches b;
    open_branches(l, e->a, &b);
    for (unsigned k = 0; k < 2; k++) {
        if (k)
            next_branch(l, &b);
        if (arms[k]->cat == CAT_PR)
            lo_into(l, arms[k], to);
        else if (arms[k]->kind == EX_COND)
            copy_either(l, arms[k], to);
        else
            lo_copy(l, to, lo_place(l, arms[k]), e->type);
    }
    close_branches(l, &b);
}

void lo_into(struct lower *l, struct expr *e, struct place to)
{
    struct type *t = e->type;
    struct span save = l->b.span;
    if (e->span.loc)
        l->b.span = e->span;
    if (t->kind != TY_CLASS && t->kind != TY_ARRAY) {
        if (t->kind == TY_VOID)
            lo_discard(l, e);
        else if (e->kind != EX_UNINIT)
            lo_store(l, to, t, lo_value(l, e));
        l->b.span = save;
        return;
    }
    switch (e->kind) {
    case EX_UNINIT: break;
    case EX_ZERO: lo_zero_fill(l, to, t); break;
    case EX_STRING: {
        uint64_t size = cu_sizeof(l->f, t, e->span);
        memory_copy(l, to.ptr, lo_string(l, e->u.str, size, cu_bits(t->elem) / 8), size, 1);
        break;
    }
    case EX_LOAD: {
        int sreg;
        if (e->a->kind == EX_VAR && lo_builtin_var(l->f, e->a->u.var, &sreg) && sreg >= 0) {
            for (unsigned k = 0; k < 3; k++) {
                struct place p = {.ptr = lo_offset(l, to.ptr, 4 * (int64_t)k), .align = 4};
                lo_store(l, p, cu_type(l->f, TY_UINT),
                         ir_build0(&l->b, IR_OP_sreg, IR_I32, (uint64_t)sreg + k));
            }
            break;
        }
        if (e->a->kind == EX_COND) {
            copy_either(l, e->a, to);
            break;
        }
        lo_copy(l, to, lo_place(l, e->a), t);
        break;
    }
    case EX_INIT: init_aggregate(l, e, to); break;
    case EX_ARRAY_INIT: array_elements(l, e->a, t, to); break;
    case EX_CONSTRUCT: lo_construct(l, e, to); break;
    case EX_CALL: lo_call(l, e, &to); break;
    case EX_THROW:
        if (cu_host(l->f))
            lo_throw(l, e);
        break;
    case EX_COND: {
        struct branches b;
        struct ir_value *keep = to.ptr;
        open_branches(l, e->a, &b);
        lo_into(l, e->b, to);
        next_branch(l, &b);
        to.ptr = keep;
        lo_into(l, e->c, to);
        close_branches(l, &b);
        break;
    }
    case EX_COMMA:
        lo_discard(l, e->a);
        lo_into(l, e->b, to);
        break;
    case EX_STMT: {
        struct cleanup *c = l->cleanups;
        for (struct stmt *s = e->u.body->body; s; s = s->next) {
            if (!s->next && s->kind == STMT_EXPR && e->a)
                lo_into(l, e->a, to);
            else
                lo_stmt(l, s);
        }
        lo_pop_cleanups(l, c);
        break;
    }
    default:
        if (e->cat != CAT_PR) {
            lo_copy(l, to, lo_place(l, e), t);
            break;
        }
        cu_error(l->f, e->span, "this expression is not supported in device code");
    }
    l->b.span = save;
}

void lo_discard(struct lower *l, struct expr *e)
{
    if (e->kind == EX_ASSIGN && (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY)) {
        struct place to = lo_place(l, e->a);
        if (e->b->kind == EX_LOAD) {
            lo_into(l, e->b, to);
            return;
        }
        /* The value may read what is being written: by way of a temporary. */
        struct place tmp = lo_temp(l, e->b->type, "tmp");
        lo_into(l, e->b, tmp);
        lo_copy(l, to, tmp, e->b->type);
        return;
    }
    if (e->kind == EX_ASSIGN || e->kind == EX_COMPOUND || e->kind == EX_INCDEC) {
        struct span save = l->b.span;
        l->b.span = e->span;
        value(l, e);
        l->b.span = save;
        return;
    }
    if (e->kind == EX_CAST && e->type->kind == TY_VOID) {
        lo_discard(l, e->a);
        return;
    }
    if (e->cat != CAT_PR) {
        if (e->kind == EX_VAR || (e->kind == EX_MEMBER && e->a->kind == EX_VAR)) {
            if (e->type->quals & QUAL_VOLATILE)
                lo_value(l, e);
            return;
        }
        lo_place(l, e);
        return;
    }
    if (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY) {
        struct place p = lo_temp(l, e->type, "tmp");
        lo_into(l, e, p);
        lo_push_cleanup(l, e->type, p.ptr, l->in_cond);
        return;
    }
    if (e->kind == EX_LOAD && e->a->kind == EX_VAR && !(e->a->type->quals & QUAL_VOLATILE))
        return;
    lo_value(l, e);
}

void lo_full(struct lower *l, struct expr *e)
{
    struct cleanup *save = l->cleanups;
    lo_discard(l, e);
    lo_pop_cleanups(l, save);
}
