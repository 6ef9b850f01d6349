/* What operators mean: overloads first, then the built-in ones with the usual conversions. */
#include "front/cuda/host/host.h"
#include "front/cuda/sema/sema.h"

static const char *const spelled[] = {"",
#define X(name, text) text,
                                      TOKEN_PUNCTS(X)
#undef X
};

static bool dependent(const struct expr *e)
{
    return e->kind == EX_DEPENDENT || e->type->dependent;
}

static bool overloads(const struct expr *e)
{
    return e->type->kind == TY_CLASS || (e->type->kind == TY_ENUM && !e->type->enumeration->open);
}

static struct expr *node(struct front *f, enum expr_kind k, unsigned op, struct type *t,
                         struct expr *a, struct expr *b, struct span s)
{
    struct expr *e = cu_expr_new(f, k, t, CAT_PR, s);
    e->op = (uint16_t)op;
    e->a = a;
    e->b = b;
    return e;
}

/* What a bit-field is promoted to: its width decides, not its type. */
static struct type *promoted_bits(struct front *f, const struct expr *e)
{
    const struct field *bits = cu_is_integer(e->type) ? cu_bitfield_of(e) : NULL;
    if (!bits || bits->bits > 32)
        return e->type;
    return cu_type(f, bits->bits < 32 || cu_is_signed(e->type) ? TY_INT : TY_UINT);
}

/* A class operand of a built-in operator goes through its one fitting conversion function. */
static struct expr *builtin_operand(struct front *f, struct expr *e, struct expr *other)
{
    if (e->type->kind != TY_CLASS) {
        e = cu_rvalue(f, e);
        return cu_cast_scalar(f, e, promoted_bits(f, e), false);
    }
    if (other && cu_is_scalar(cu_decayed(f, other->type)) && other->type->kind != TY_CLASS) {
        struct type *want = cu_decayed(f, other->type);
        struct ics c = cu_ics(f, e, want, true);
        if (c.rank != ICS_NONE && !c.ambiguous && c.second == ICS_EXACT)
            return cu_rvalue(f, cu_apply(f, e, want, &c));
    }
    return cu_rvalue(f, cu_integral_operand(f, e));
}

/* threadIdx, blockDim … as a whole */
static bool is_triple(const struct expr *e)
{
    const struct class_info *c = e && e->type->kind == TY_CLASS ? e->type->cls : NULL;
    return c && c->name && (!strcmp(c->name, "dim3") || !strcmp(c->name, "uint3"));
}

static _Noreturn void bad_operands(struct front *f, enum punct op, struct expr *a, struct expr *b,
                                   struct span s)
{
    if (b)
        cu_error(f, s, "'%s' does not apply to '%s' and '%s'%s", spelled[op],
                 cu_type_str(f, a->type), cu_type_str(f, b->type),
                 is_triple(a) || is_triple(b) ? "; one of .x, .y and .z was meant?" : "");
    cu_error(f, s, "'%s' does not apply to '%s'", spelled[op], cu_type_str(f, a->type));
}

static struct expr *pointer_arith(struct front *f, enum punct op, struct expr *p, struct expr *i,
                                  struct span s)
{
    if (p->type->elem->kind == TY_FUNC)
        cu_error(f, s, "arithmetic on a pointer to a function");
    if (p->type->elem->kind == TY_CLASS)
        cu_complete(f, p->type->elem, s);
    struct type *wide = cu_is_signed(cu_promoted(f, i->type)) ? f->ptrdiff_type : f->size_type;
    return node(f, EX_PTRADD, op, p->type->unqual, p, cu_cast_scalar(f, i, wide, false), s);
}

static bool is_comparison(enum punct op)
{
    return op == PUNCT_EQ || op == PUNCT_NE || op == PUNCT_LT || op == PUNCT_GT || op == PUNCT_LE ||
           op == PUNCT_GE;
}

static struct expr *compare_pointers(struct front *f, enum punct op, struct expr *a, struct expr *b,
                                     struct span s)
{
    struct type *t = cu_composite_pointer(f, a, b);
    if (!t)
        cu_error(f, s, "'%s' and '%s' cannot be compared", cu_type_str(f, a->type),
                 cu_type_str(f, b->type));
    if (t->kind == TY_NULLPTR)
        return cu_bool_expr(f, op == PUNCT_EQ || op == PUNCT_LE || op == PUNCT_GE, s);
    a = cu_convert(f, a, t, "comparing");
    b = cu_convert(f, b, t, "comparing");
    return node(f, EX_BINARY, op, cu_type(f, TY_BOOL), a, b, s);
}

struct expr *cu_binary(struct front *f, enum punct op, struct expr *a, struct expr *b,
                       struct span s)
{
    if (dependent(a) || dependent(b))
        return cu_dependent(f, s);
    if (overloads(a) || overloads(b)) {
        struct expr *args[2] = {a, b};
        struct expr *r = cu_try_operator(f, op, args, 2, s);
        if (r)
            return r;
    }
    if (a->kind == EX_BRACED || b->kind == EX_BRACED)
        cu_error(f, s, "a braced list cannot be an operand of '%s'", spelled[op]);
    if (op == PUNCT_ANDAND || op == PUNCT_OROR) {
        a = cu_bool(f, a);
        b = cu_bool(f, b);
        return node(f, EX_LOGICAL, op, cu_type(f, TY_BOOL), a, b, s);
    }
    struct expr *oa = a;
    a = builtin_operand(f, a, b);
    b = builtin_operand(f, b, oa);
    struct type *x = a->type, *y = b->type;
    bool px = x->kind == TY_POINTER, py = y->kind == TY_POINTER;
    if ((op == PUNCT_ADD || op == PUNCT_SUB) && px && cu_is_integral(y))
        return pointer_arith(f, op, a, b, s);
    if (op == PUNCT_ADD && py && cu_is_integral(x))
        return pointer_arith(f, op, b, a, s);
    if (op == PUNCT_SUB && px && py) {
        if (x->elem->unqual != y->elem->unqual)
            bad_operands(f, op, a, b, s);
        if (x->elem->kind == TY_CLASS)
            cu_complete(f, x->elem, s);
        return node(f, EX_PTRDIFF, op, f->ptrdiff_type, a, b, s);
    }
    if (is_comparison(op)) {
        bool ptr = px || py || x->kind == TY_NULLPTR || y->kind == TY_NULLPTR ||
                   x->kind == TY_MEMPTR || y->kind == TY_MEMPTR;
        if ((x->kind == TY_MEMPTR || y->kind == TY_MEMPTR) && op != PUNCT_EQ && op != PUNCT_NE)
            bad_operands(f, op, a, b, s); /* members have no order */
        if (ptr)
            return compare_pointers(f, op, a, b, s);
        if (x->kind == TY_ENUM && x->unqual == y->unqual && x->enumeration->scoped) {
            struct type *u = cu_underlying(x);
            return node(f, EX_BINARY, op, cu_type(f, TY_BOOL), cu_cast_scalar(f, a, u, false),
                        cu_cast_scalar(f, b, u, false), s);
        }
        if (!(cu_is_arith(x) || cu_is_unscoped_enum(x)) ||
            !(cu_is_arith(y) || cu_is_unscoped_enum(y)))
            bad_operands(f, op, a, b, s);
        struct type *t = cu_usual(f, x, y);
        return node(f, EX_BINARY, op, cu_type(f, TY_BOOL), cu_cast_scalar(f, a, t, false),
                    cu_cast_scalar(f, b, t, false), s);
    }
    bool ints = cu_is_integral(x) && cu_is_integral(y);
    switch (op) {
    case PUNCT_SHL:
    case PUNCT_SHR: {
        if (!ints)
            bad_operands(f, op, a, b, s);
        struct type *t = cu_promoted(f, x);
        int64_t v;
        if (cu_is_integer(y) && b->kind == EX_INT && cu_const_int(f, b, &v) &&
            (v < 0 || v >= (int64_t)cu_bits(t)))
            cu_warn(f, "shift-count", s, "shift of a %u-bit value by %lld", cu_bits(t),
                    (long long)v);
        return node(f, EX_BINARY, op, t, cu_cast_scalar(f, a, t, false),
                    cu_cast_scalar(f, b, t, false), s);
    }
    case PUNCT_MOD:
    case PUNCT_AND:
    case PUNCT_OR:
    case PUNCT_XOR:
        if (!ints)
            bad_operands(f, op, a, b, s);
        break;
    default:
        if (!(cu_is_arith(x) || cu_is_unscoped_enum(x)) ||
            !(cu_is_arith(y) || cu_is_unscoped_enum(y)))
            bad_operands(f, op, a, b, s);
        break;
    }
    struct type *t = cu_usual(f, x, y);
    a = cu_cast_scalar(f, a, t, false);
    b = cu_cast_scalar(f, b, t, false);
    int64_t zero;
    if ((op == PUNCT_DIV || op == PUNCT_MOD) && cu_is_integer(t) && b->kind == EX_INT &&
        cu_const_int(f, b, &zero) && !zero)
        cu_warn(f, "div-by-zero", s, "division by zero");
    return node(f, EX_BINARY, op, t, a, b, s);
}

struct expr *cu_unary(struct front *f, enum punct op, struct expr *a, struct span s)
{
    if (dependent(a))
        return cu_dependent(f, s);
    if (overloads(a)) {
        struct expr *r = cu_try_operator(f, op, &a, 1, s);
        if (r)
            return r;
    }
    if (op == PUNCT_NOT)
        return node(f, EX_UNARY, op, cu_type(f, TY_BOOL), cu_bool(f, a), NULL, s);
    a = builtin_operand(f, a, NULL);
    if (op == PUNCT_ADD && a->type->kind == TY_POINTER)
        return a;
    if (op == PUNCT_TILDE ? !cu_is_integral(a->type)
                          : !(cu_is_arith(a->type) || cu_is_unscoped_enum(a->type)))
        bad_operands(f, op, a, NULL, s);
    struct type *t = cu_promoted(f, a->type);
    a = cu_cast_scalar(f, a, t, false);
    if (op == PUNCT_ADD)
        return a;
    return node(f, EX_UNARY, op, t, a, NULL, s);
}

/* An lvalue that may be written. */
static void check_modifiable(struct front *f, struct expr *e, const char *what, struct span s)
{
    if (e->cat != CAT_L && !(e->cat == CAT_X))
        cu_error(f, s, "%s needs something that can be written; this is a value", what);
    if (e->type->quals & QUAL_CONST) {
        if (e->kind == EX_VAR)
            cu_error_note(f, s, e->u.var->d.span, "declared const here",
                          "%s of '%s', which is const", what, e->u.var->d.name);
        if (e->kind == EX_MEMBER && f->func && f->func->cls &&
            (f->func->d.type->func_quals & QUAL_CONST) && !(e->u.field->d.type->quals & QUAL_CONST))
            cu_error(f, s, "%s of '%s': the object is const here", what, e->u.field->d.name);
        cu_error(f, s, "%s of something const ('%s')", what, cu_type_str(f, e->type));
    }
    if (e->type->kind == TY_ARRAY || e->type->kind == TY_FUNC)
        cu_error(f, s, "%s of '%s', which cannot be assigned as a whole", what,
                 cu_type_str(f, e->type));
    struct expr *root = e; /* of an element or a member */
    for (;;) {
        if (root->kind == EX_MEMBER)
            root = root->a;
        else if (root->kind == EX_DEREF && root->a->kind == EX_PTRADD &&
                 root->a->a->kind == EX_DECAY)
            root = root->a->a->a;
        else
            break;
    }
    if (root->kind != EX_VAR)
        return;
    const struct var *v = root->u.var;
    if (cu_host(f)) {
        if ((v->space == SPACE_DEVICE || v->space == SPACE_CONSTANT) && f->func &&
            !(f->func->where & (WHERE_DEVICE | WHERE_GLOBAL)) &&
            !cu_is_texture_reference(v->d.type))
            cu_warn(f, "host-write", s, HOST_WRITE, v->d.name);
    } else if (v->space == SPACE_CONSTANT) {
        cu_error_note(f, s, root->u.var->d.span, "declared here",
                      "'%s' is in constant memory, which device code cannot write",
                      root->u.var->d.name);
    }
}

struct expr *cu_incdec(struct front *f, enum punct op, bool prefix, struct expr *a, struct span s)
{
    if (dependent(a))
        return cu_dependent(f, s);
    if (overloads(a)) {
        struct expr *args[2] = {a, prefix ? NULL : cu_int_expr(f, cu_type(f, TY_INT), 0, s)};
        struct expr *r = cu_try_operator(f, op, args, prefix ? 1 : 2, s);
        if (r)
            return r;
    }
    a = cu_written_operand(f, a);
    struct type *t = a->type;
    bool fine = (cu_is_arith(t) && t->kind != TY_BOOL) || cu_is_object_pointer(t);
    if (!fine)
        bad_operands(f, op, a, NULL, s);
    check_modifiable(f, a, op == PUNCT_INC ? "increment" : "decrement", s);
    if (t->kind == TY_POINTER && t->elem->kind == TY_CLASS)
        cu_complete(f, t->elem, s);
    struct expr *e = node(f, EX_INCDEC, op, prefix ? t : t->unqual, a, NULL, s);
    e->cat = prefix ? CAT_L : CAT_PR;
    e->u.i = prefix;
    return e;
}

static enum punct compound_op(enum punct op)
{
    switch (op) {
    case PUNCT_ADD_ASSIGN: return PUNCT_ADD;
    case PUNCT_SUB_ASSIGN: return PUNCT_SUB;
    case PUNCT_MUL_ASSIGN: return PUNCT_MUL;
    case PUNCT_DIV_ASSIGN: return PUNCT_DIV;
    case PUNCT_MOD_ASSIGN: return PUNCT_MOD;
    case PUNCT_AND_ASSIGN: return PUNCT_AND;
    case PUNCT_OR_ASSIGN: return PUNCT_OR;
    case PUNCT_XOR_ASSIGN: return PUNCT_XOR;
    case PUNCT_SHL_ASSIGN: return PUNCT_SHL;
    case PUNCT_SHR_ASSIGN: return PUNCT_SHR;
    default: return PUNCT_NONE;
    }
}

/* A list to be assigned to an object: as the std::initializer_list that one of its class's
 * operators takes, as another object of the class, or else as the list that an operator may take
 * for an object of its own choice. */
static struct expr *listed_object(struct front *f, struct type *t, struct expr *list)
{
    cu_complete(f, t, list->span);
    for (struct decl *d = t->cls->scope->first; d; d = d->next) {
        const struct func *fn = d->kind == DECL_FUNC ? (const struct func *)d : NULL;
        if (!fn || fn->op != PUNCT_ASSIGN || fn->d.type->nparams != 1)
            continue;
        struct type *p = cu_noref(fn->d.type->params[0])->unqual;
        if (cu_initializer_list_elem(f, p) && cu_ics_list(f, list, p, false).rank != ICS_NONE)
            return cu_init_list(f, p, list, true);
    }
    return cu_ics_list(f, list, t, false).rank == ICS_NONE ? list : cu_init_list(f, t, list, true);
}

struct expr *cu_assign(struct front *f, enum punct op, struct expr *a, struct expr *b,
                       struct span s)
{
    if (dependent(a) || (b->kind != EX_BRACED && dependent(b)))
        return cu_dependent(f, s);
    if (overloads(a) || overloads(b)) {
        if (b->kind == EX_BRACED && a->type->kind == TY_CLASS)
            b = listed_object(f, a->type->unqual, b);
        struct expr *args[2] = {a, b};
        struct expr *r = cu_try_operator(f, op, args, 2, s);
        if (r)
            return r;
        if (b->kind == EX_BRACED && a->type->kind == TY_CLASS)
            b = cu_init_list(f, a->type->unqual, b, true); /* says why not */
    }
    enum punct base = compound_op(op);
    if (base != PUNCT_NONE)
        a = cu_written_operand(f, a);
    check_modifiable(f, a, "assignment", s);
    struct type *t = a->type;
    if (base == PUNCT_NONE) {
        if (t->kind == TY_CLASS)
            cu_error(f, s, "'%s' cannot be assigned from '%s'", cu_type_str(f, t),
                     cu_type_str(f, b->type));
        b = b->kind == EX_BRACED ? cu_init_list(f, t->unqual, b, true)
                                 : cu_convert(f, b, t->unqual, "assigning");
        struct expr *e = node(f, EX_ASSIGN, op, t, a, b, s);
        e->cat = CAT_L;
        return e;
    }
    b = builtin_operand(f, b, a);
    struct expr *e = node(f, EX_COMPOUND, base, t, a, b, s);
    e->cat = CAT_L;
    if (t->kind == TY_POINTER) {
        if ((base != PUNCT_ADD && base != PUNCT_SUB) || !cu_is_integral(b->type))
            bad_operands(f, op, a, b, s);
        if (t->elem->kind == TY_CLASS)
            cu_complete(f, t->elem, s);
        e->b = cu_cast_scalar(
            f, b, cu_is_signed(cu_promoted(f, b->type)) ? f->ptrdiff_type : f->size_type, false);
        e->u.cast = t->unqual;
        return e;
    }
    bool int_only = base == PUNCT_MOD || base == PUNCT_AND || base == PUNCT_OR ||
                    base == PUNCT_XOR || base == PUNCT_SHL || base == PUNCT_SHR;
    bool fine = int_only ? cu_is_integer(t) && cu_is_integral(b->type)
                         : cu_is_arith(t) && (cu_is_arith(b->type) || cu_is_unscoped_enum(b->type));
    if (!fine)
        bad_operands(f, op, a, b, s);
    bool shift = base == PUNCT_SHL || base == PUNCT_SHR;
    t = promoted_bits(f, a);
    e->u.cast = shift ? cu_promoted(f, t) : cu_usual(f, t, b->type);
    e->b = cu_cast_scalar(f, b, e->u.cast, false);
    return e;
}

struct expr *cu_comma(struct front *f, struct expr *a, struct expr *b, struct span s)
{
    if (dependent(a) || dependent(b))
        return cu_dependent(f, s);
    if (overloads(a) || overloads(b)) {
        struct expr *args[2] = {a, b};
        struct expr *r = cu_try_operator(f, PUNCT_COMMA, args, 2, s);
        if (r)
            return r;
    }
    struct expr *e = node(f, EX_COMMA, PUNCT_COMMA, b->type, a, b, s);
    e->cat = b->cat;
    return e;
}

struct expr *cu_deref(struct front *f, struct expr *e, struct span s)
{
    if (dependent(e))
        return cu_dependent(f, s);
    if (e->type->kind == TY_CLASS) {
        struct expr *r = cu_try_operator(f, PUNCT_MUL, &e, 1, s);
        if (r)
            return r;
        e = cu_integral_operand(f, e);
    }
    if (e->kind == EX_OVERLOAD)
        return e; /* *f is f */
    e = cu_rvalue(f, e);
    if (e->type->kind != TY_POINTER)
        cu_error(f, s, "'%s' is not a pointer", cu_type_str(f, e->type));
    if (e->type->elem->kind == TY_VOID)
        cu_error(f, s, "a pointer to void cannot be dereferenced");
    if (e->kind == EX_ADDR) { /* *&x is x */
        return e->a;
    }
    struct expr *r = cu_expr_new(f, EX_DEREF, e->type->elem, CAT_L, s);
    r->a = e;
    return r;
}

struct expr *cu_address_of(struct front *f, struct expr *e, struct span s)
{
    if (dependent(e))
        return cu_dependent(f, s);
    if (e->kind == EX_OVERLOAD) {
        struct expr *r = cu_expr_new(f, EX_OVERLOAD, e->type, CAT_PR, s);
        *r = *e;
        r->cat = CAT_PR;
        r->span = s;
        r->flag = true; /* & was written */
        return r;
    }
    if (e->type->kind == TY_CLASS || e->type->kind == TY_ENUM) {
        struct expr *r = cu_try_operator(f, PUNCT_AND, &e, 1, s);
        if (r)
            return r;
    }
    if (e->kind == EX_MEMPTR)
        return e;
    if (e->cat == CAT_PR)
        cu_error(f, s, "a value has no address");
    if (e->kind == EX_MEMBER && e->u.field->is_bitfield)
        cu_error(f, s, "'%s' is a bit-field: it has no address", e->u.field->d.name);
    if (e->kind == EX_DEREF && e->a->cat == CAT_PR)
        return e->a;
    struct expr *r = cu_expr_new(f, EX_ADDR, cu_pointer_to(f, e->type), CAT_PR, s);
    r->a = e;
    return r;
}

struct expr *cu_index(struct front *f, struct expr *a, struct expr **args, size_t n, struct span s)
{
    if (dependent(a))
        return cu_dependent(f, s);
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind != EX_BRACED && dependent(args[i]))
            return cu_dependent(f, s);
    if (a->type->kind == TY_CLASS || (n == 1 && args[0]->type->kind == TY_CLASS)) {
        struct expr **all = arena_array(f->a, struct expr *, n + 1);
        all[0] = a;
        memcpy(all + 1, args, n * sizeof *args);
        struct expr *r = cu_try_operator(f, OPN_INDEX, all, n + 1, s);
        if (r)
            return r;
        a = cu_integral_operand(f, a);
        if (n == 1)
            args[0] = cu_integral_operand(f, args[0]);
    }
    if (n != 1)
        cu_error(f, s, "a subscript needs one index");
    struct expr *i = cu_rvalue(f, args[0]);
    bool xvalue = a->type->kind == TY_ARRAY && a->cat != CAT_L;
    if (a->type->kind == TY_ARRAY && a->cat == CAT_PR)
        a = cu_materialize(f, a);
    if (a->type->kind == TY_ARRAY && a->type->count != ARRAY_UNKNOWN && !f->unevaluated) {
        int64_t v;
        if (i->kind == EX_INT && cu_const_int(f, i, &v) &&
            (v < 0 || (uint64_t)v >= a->type->count) && (a->type->count > 1 || v < 0) &&
            a->kind == EX_VAR)
            cu_warn(f, "array-bounds", s, "index %lld is outside '%s' of %llu elements",
                    (long long)v, a->u.var->d.name, (unsigned long long)a->type->count);
    }
    a = cu_rvalue(f, a);
    if (a->type->kind != TY_POINTER && i->type->kind == TY_POINTER) {
        struct expr *t = a;
        a = i;
        i = t;
    }
    if (a->type->kind != TY_POINTER)
        cu_error(f, s, "'%s' cannot be indexed", cu_type_str(f, a->type));
    if (!cu_is_integral(i->type))
        cu_error(f, i->span, "an index has to be an integer, not '%s'", cu_type_str(f, i->type));
    struct expr *e = cu_deref(f, pointer_arith(f, PUNCT_ADD, a, i, s), s);
    if (xvalue)
        e->cat = CAT_X;
    return e;
}

/* ---- a ? b : c ---- */

static struct expr *cond_node(struct front *f, struct expr *c, struct expr *a, struct expr *b,
                              struct type *t, enum value_cat cat, struct span s)
{
    struct expr *e = cu_expr_new(f, EX_COND, t, cat, s);
    e->a = c;
    e->b = a;
    e->c = b;
    return e;
}

/* 128-bit integers are classes (int128.h) and choose as numbers do: what both become, or NULL. */
static struct type *wide_common(struct front *f, struct type *x, struct type *y)
{
    const char *wide[2] = {intern_z(f->names, "__tern_i128"), intern_z(f->names, "__tern_u128")};
    unsigned rank[2] = {0};
    struct type *of[2] = {x->unqual, y->unqual};
    for (int i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2 && of[i]->kind == TY_CLASS; k++)
            if (of[i]->cls->name == wide[k])
                rank[i] = k + 1;
    if (!rank[0] && !rank[1])
        return NULL;
    if (rank[0] && rank[1])
        return of[rank[1] > rank[0]];
    struct type *number = of[rank[0] != 0], *big = of[rank[0] == 0];
    if (cu_is_float(number))
        return number;
    return cu_is_integer(number) || cu_is_unscoped_enum(number) ? big : NULL;
}

/* Whether a reference to TO binds to e itself: to what it is, less qualified, or a base of it. */
static bool binds_directly(struct front *f, const struct expr *e, const struct type *to)
{
    return !(e->type->quals & ~to->quals) &&
           (e->type->unqual == to->unqual || (e->type->kind == TY_CLASS && to->kind == TY_CLASS &&
                                              cu_derives(f, e->type->unqual, to->unqual)));
}

static struct expr *as_glvalue_of(struct front *f, struct expr *e, struct type *to)
{
    if (e->type->unqual != to->unqual)
        e = cu_upcast(f, e, to->unqual);
    return e->type == to ? e : cu_glvalue_cast(f, e, to);
}

/* Two objects of different types: the one that the other's type can name becomes one of that type,
 * so that what is chosen is still an object. */
static void choose_as_objects(struct front *f, struct expr **a, struct expr **b)
{
    if ((*a)->cat == CAT_PR || (*a)->cat != (*b)->cat || (*a)->type == (*b)->type ||
        cu_bitfield_of(*a) || cu_bitfield_of(*b))
        return;
    const bool ab = binds_directly(f, *a, (*b)->type), ba = binds_directly(f, *b, (*a)->type);
    if (ab && !ba)
        *a = as_glvalue_of(f, *a, (*b)->type);
    else if (ba && !ab)
        *b = as_glvalue_of(f, *b, (*a)->type);
}

struct expr *cu_conditional(struct front *f, struct expr *c, struct expr *a, struct expr *b,
                            struct span s)
{
    if (dependent(c) || dependent(a) || dependent(b))
        return cu_dependent(f, s);
    c = cu_bool(f, c);
    if (a->kind == EX_THROW && b->kind != EX_THROW) { /* has the other's type, and no value */
        a->type = b->type;
        a->cat = b->cat;
    } else if (b->kind == EX_THROW && a->kind != EX_THROW) {
        b->type = a->type;
        b->cat = a->cat;
    }
    if (a->kind == EX_OVERLOAD)
        a = cu_rvalue(f, a);
    if (b->kind == EX_OVERLOAD)
        b = cu_rvalue(f, b);
    if (a->type->kind == TY_VOID && b->type->kind == TY_VOID)
        return cond_node(f, c, a, b, a->type, CAT_PR, s);
    choose_as_objects(f, &a, &b);
    if (a->cat != CAT_PR && a->cat == b->cat && a->type->unqual == b->type->unqual &&
        a->type->kind != TY_FUNC) {
        struct type *t = cu_qualified(f, a->type, b->type->quals);
        bool bits = (a->kind == EX_MEMBER && a->u.field->is_bitfield) ||
                    (b->kind == EX_MEMBER && b->u.field->is_bitfield);
        if (!bits && (a->type->kind == TY_CLASS || a->type->kind == TY_ARRAY || a->type == b->type))
            return cond_node(f, c, a, b, t, (enum value_cat)a->cat, s);
    }
    if (a->type->kind == TY_CLASS || b->type->kind == TY_CLASS) {
        struct type *x = a->type->unqual, *y = b->type->unqual;
        struct type *wide = x != y ? wide_common(f, x, y) : NULL;
        if (wide) {
            x = wide;
        } else if (x != y) {
            struct ics ab = cu_ics(f, a, y, true), ba = cu_ics(f, b, x, true);
            if (ab.rank != ICS_NONE && ba.rank == ICS_NONE)
                x = y;
            else if (ba.rank != ICS_NONE && ab.rank == ICS_NONE)
                y = x;
            else {
                a = cu_integral_operand(f, a);
                b = cu_integral_operand(f, b);
                if (a->type->kind == TY_CLASS || b->type->kind == TY_CLASS)
                    cu_error(f, s, "the two values have different types ('%s' and '%s')",
                             cu_type_str(f, x), cu_type_str(f, y));
                return cu_conditional(f, c, cu_rvalue(f, a), cu_rvalue(f, b), s);
            }
        }
        a = cu_init_copy(f, x, a, "choosing");
        b = cu_init_copy(f, x, b, "choosing");
        return cond_node(f, c, a, b, x, CAT_PR, s);
    }
    a = cu_rvalue(f, a);
    b = cu_rvalue(f, b);
    struct type *x = a->type, *y = b->type, *t = NULL;
    if (x->unqual == y->unqual)
        t = x->unqual;
    else if ((cu_is_arith(x) || cu_is_unscoped_enum(x)) &&
             (cu_is_arith(y) || cu_is_unscoped_enum(y)))
        t = cu_usual(f, x, y);
    else
        t = cu_composite_pointer(f, a, b);
    if (!t)
        cu_error(f, s, "the two values have different types ('%s' and '%s')", cu_type_str(f, x),
                 cu_type_str(f, y));
    return cond_node(f, c, cu_convert(f, a, t, "choosing"), cu_convert(f, b, t, "choosing"), t,
                     CAT_PR, s);
}
