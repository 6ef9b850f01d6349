/* Constant evaluation: a tree-walking interpreter over blocks of bytes.
 *
 * Every object is a block with the layout it has on the device, so that classes, arrays, unions and
 * references need no representation of their own. A pointer is (block number << 32 | offset).
 * Whatever is not constant, or takes too many steps, ends the evaluation with a reason. */
#include "front/cuda/sema/sema.h"

#include <math.h>

struct ce_block {
    uint8_t *bytes;
    uint64_t size;
    struct var *var;   /* a variable with an address of its own */
    struct func *func; /* a function */
    struct str string;
    bool constant; /* may be read, not written */
    bool opaque;   /* has an address but no value here */
};

struct ce_frame {
    struct ce_frame *up;
    struct map vars; /* variable → block number */
    uint64_t this_ptr;
    struct func *func;
    uint64_t result; /* where a class result goes */
    union cval {
        int64_t i;
        double d;
    } value;
    struct stmt *seek;
};

struct ce {
    VEC(struct ce_block *) blocks;
};

struct run {
    struct front *f;
    struct run *up; /* among those that are free */
    jmp_buf buf;
    const char *why;
    struct span where;
    struct ce_frame *frame;
    uint64_t steps;
    unsigned depth;
    uint64_t loop_index;
};

typedef union cval cval;

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };
enum { CE_MAX_STEPS = 32000000, CE_MAX_DEPTH = 512 };

static cval value(struct run *r, struct expr *e);
static uint64_t address(struct run *r, struct expr *e);
static cval assigned(struct run *r, struct expr *e, uint64_t *p);
static void init_into(struct run *r, struct expr *e, uint64_t to);
static enum flow execute(struct run *r, struct stmt *s);
static void discard(struct run *r, struct expr *e);

static _Noreturn void fail(struct run *r, struct span at, const char *why)
{
    r->why = why;
    r->where = at;
    longjmp(r->buf, 1);
}

static void step(struct run *r, struct span at)
{
    if (++r->steps > CE_MAX_STEPS)
        fail(r, at, "it takes too many steps to evaluate");
}

/* ---- blocks ---- */

static uint64_t block_new(struct run *r, uint64_t size, struct ce_block **out)
{
    struct front *f = r->f;
    if (!f->ce)
        f->ce = arena_new(f->a, struct ce);
    if (size > (16u << 20))
        fail(r, (struct span){0}, "an object is too large to evaluate");
    struct ce_block *b = arena_new(f->a, struct ce_block);
    b->bytes = arena_alloc(f->a, size ? size : 1);
    b->size = size;
    vec_push(f->a, &f->ce->blocks, b);
    if (out)
        *out = b;
    return (uint64_t)f->ce->blocks.len << 32;
}

static struct ce_block *block_of(struct run *r, uint64_t p, struct span at)
{
    uint64_t n = p >> 32;
    if (!n || !r->f->ce || n > r->f->ce->blocks.len)
        fail(r, at, "a null or invalid pointer is used");
    return r->f->ce->blocks.data[n - 1];
}

static uint8_t *memory(struct run *r, uint64_t p, uint64_t size, bool write, struct span at)
{
    struct ce_block *b = block_of(r, p, at);
    uint64_t off = p & UINT32_MAX;
    if (!size) /* an empty class: there is nothing to know */
        return b->bytes;
    if (b->opaque || b->func)
        fail(r, at, "the value is not known when compiling");
    if (off > b->size || size > b->size - off)
        fail(r, at, "an access is outside of its object");
    if (write && b->constant)
        fail(r, at, "a constant is written");
    return b->bytes + off;
}

static uint64_t size_of(struct run *r, struct type *t, struct span at)
{
    if (cu_is_ref(t))
        return 8;
    return cu_sizeof(r->f, t, at);
}

/* ---- scalars in memory ---- */

int64_t cu_wrap(const struct type *t, int64_t v)
{
    unsigned bits = cu_bits(t);
    if (bits == 1) /* bool, and enumerations that are one */
        return v != 0;
    if (bits >= 64)
        return v;
    uint64_t m = (uint64_t)v & ((UINT64_C(1) << bits) - 1);
    if (cu_is_signed(t) && (m >> (bits - 1) & 1))
        m |= ~UINT64_C(0) << bits;
    return (int64_t)m;
}

static double round_to(struct type *t, double d)
{
    const ir_type it = cu_ir_type(t);
    return cu_float_of(it, cu_float_bits(it, d));
}

static cval read_scalar(struct type *t, const uint8_t *p)
{
    cval v = {0};
    if (cu_is_float(t)) {
        uint64_t bits = 0;
        memcpy(&bits, p, ir_bytes(cu_ir_type(t)));
        v.d = cu_float_of(cu_ir_type(t), bits);
        return v;
    }
    switch (t->kind) {
    case TY_POINTER:
    case TY_NULLPTR:
    case TY_MEMPTR:
    case TY_LREF:
    case TY_RREF: memcpy(&v.i, p, 8); return v;
    default: {
        unsigned n = (cu_bits(t) + 7) / 8;
        uint64_t x = 0;
        memcpy(&x, p, n);
        v.i = cu_wrap(t, (int64_t)x);
        return v;
    }
    }
}

static void write_scalar(struct type *t, uint8_t *p, cval v)
{
    if (cu_is_float(t)) {
        const uint64_t bits = cu_float_bits(cu_ir_type(t), v.d);
        memcpy(p, &bits, ir_bytes(cu_ir_type(t)));
        return;
    }
    switch (t->kind) {
    case TY_POINTER:
    case TY_NULLPTR:
    case TY_MEMPTR:
    case TY_LREF:
    case TY_RREF: memcpy(p, &v.i, 8); return;
    default: memcpy(p, &v.i, (cu_bits(t) + 7) / 8); return;
    }
}

static cval load_bits(struct run *r, struct field *fd, uint64_t p, struct span at)
{
    struct type *t = fd->d.type;
    unsigned n = (fd->bit_offset + fd->bits + 7) / 8;
    uint64_t x = 0;
    memcpy(&x, memory(r, p, n, false, at), n);
    x >>= fd->bit_offset;
    if (fd->bits < 64)
        x &= (UINT64_C(1) << fd->bits) - 1;
    if (cu_is_signed(t) && fd->bits < 64 && (x >> (fd->bits - 1) & 1))
        x |= ~UINT64_C(0) << fd->bits;
    return (cval){.i = (int64_t)x};
}

static void store_bits(struct run *r, struct field *fd, uint64_t p, cval v, struct span at)
{
    unsigned n = (fd->bit_offset + fd->bits + 7) / 8;
    uint8_t *m = memory(r, p, n, true, at);
    uint64_t x = 0, mask = fd->bits < 64 ? (UINT64_C(1) << fd->bits) - 1 : ~UINT64_C(0);
    memcpy(&x, m, n);
    x = (x & ~(mask << fd->bit_offset)) | ((uint64_t)v.i & mask) << fd->bit_offset;
    memcpy(m, &x, n);
}

static struct field *bitfield_of(struct expr *e)
{
    return e->kind == EX_MEMBER && e->u.field->is_bitfield ? e->u.field : NULL;
}

/* From lv, whose address p is: it may have been found out only once. */
static cval load_at(struct run *r, struct expr *lv, uint64_t p)
{
    struct field *bits = bitfield_of(lv);
    if (bits)
        return load_bits(r, bits, p, lv->span);
    return read_scalar(lv->type, memory(r, p, size_of(r, lv->type, lv->span), false, lv->span));
}

static void store(struct run *r, struct expr *lv, uint64_t p, cval v)
{
    struct field *bits = bitfield_of(lv);
    if (bits)
        store_bits(r, bits, p, v, lv->span);
    else
        write_scalar(lv->type, memory(r, p, size_of(r, lv->type, lv->span), true, lv->span), v);
}

/* ---- variables ---- */

/* A local object has a place in constants, too, as long as no member of it is read: functions of
 * classes whose types say all are called on it. */
static bool only_placed(struct run *r, struct var *v)
{
    return v->storage != VAR_GLOBAL && v->d.type->kind == TY_CLASS && !v->evaluated &&
           !cu_var_constant(r->f, v);
}

static uint64_t var_block(struct run *r, struct var *v, struct span at)
{
    for (struct ce_frame *fr = r->frame; fr; fr = NULL) {
        void *b = map_get(&fr->vars, map_key(v));
        if (b)
            return (uint64_t)(uintptr_t)b << 32;
    }
    if (v->storage == VAR_GLOBAL || cu_var_constant(r->f, v) || only_placed(r, v)) {
        if (!v->block) {
            if (!cu_var_constant(r->f, v)) {
                struct ce_block *b;
                block_new(r, 0, &b);
                b->opaque = true;
                b->var = v->storage == VAR_GLOBAL ? v : NULL;
                v->block = b;
            }
        }
        for (size_t i = 0; i < r->f->ce->blocks.len; i++)
            if (r->f->ce->blocks.data[i] == v->block)
                return (uint64_t)(i + 1) << 32;
    }
    fail(r, at, arena_printf(r->f->a, "'%s' is not a constant", v->d.name ? v->d.name : "this"));
}

static uint64_t new_local(struct run *r, struct var *v)
{
    uint64_t size = size_of(r, v->d.type, v->d.span);
    uint64_t p = block_new(r, size, NULL);
    if (r->frame)
        map_set(&r->frame->vars, map_key(v), (void *)(uintptr_t)(p >> 32));
    return p;
}

static void init_var(struct run *r, struct var *v)
{
    if (v->storage == VAR_GLOBAL)
        return;
    uint64_t p = new_local(r, v);
    if (!v->init)
        return;
    if (cu_is_ref(v->d.type)) {
        cval a = {.i = (int64_t)address(r, v->init)};
        write_scalar(v->d.type, memory(r, p, 8, true, v->d.span), a);
    } else {
        init_into(r, v->init, p);
    }
}

/* ---- addresses ---- */

static uint64_t add_offset(struct run *r, uint64_t p, int64_t off, struct span at)
{
    if (!p) {
        if (!off)
            return 0;
        fail(r, at, "arithmetic on a null pointer");
    }
    int64_t o = (int64_t)(p & UINT32_MAX) + off;
    if (o < 0 || o > UINT32_MAX)
        fail(r, at, "a pointer leaves its object");
    return (p & ~(uint64_t)UINT32_MAX) | (uint64_t)o;
}

static uint64_t address(struct run *r, struct expr *e)
{
    step(r, e->span);
    switch (e->kind) {
    case EX_VAR: {
        uint64_t p = var_block(r, e->u.var, e->span);
        if (cu_is_ref(e->u.var->d.type)) {
            uint64_t q;
            memcpy(&q, memory(r, p, 8, false, e->span), 8);
            return q;
        }
        return p;
    }
    case EX_STRING: {
        struct ce_block *b;
        uint64_t p = block_new(r, cu_sizeof(r->f, e->type, e->span), &b);
        uint64_t n = e->u.str.len < b->size ? e->u.str.len : b->size;
        memcpy(b->bytes, e->u.str.ptr, n);
        b->constant = true;
        b->string = e->u.str;
        return p;
    }
    case EX_FUNC: {
        struct ce_block *b;
        uint64_t p = block_new(r, 0, &b);
        b->func = e->u.func;
        return p;
    }
    case EX_MEMBER: {
        uint64_t p = address(r, e->a);
        cu_layout(r->f, e->u.field->cls, e->span);
        p = add_offset(r, p, (int64_t)e->u.field->offset, e->span);
        if (cu_is_ref(e->u.field->d.type)) {
            uint64_t q;
            memcpy(&q, memory(r, p, 8, false, e->span), 8);
            return q;
        }
        return p;
    }
    case EX_DEREF: return (uint64_t)value(r, e->a).i;
    case EX_UPCAST:
        if (e->in_class)
            fail(r, e->span, "where a virtual base lies is not constant");
        return add_offset(r, address(r, e->a), (int64_t)e->u.i, e->span);
    case EX_DOWNCAST: return add_offset(r, address(r, e->a), -(int64_t)e->u.i, e->span);
    case EX_BITCAST: return address(r, e->a);
    case EX_TEMP: {
        uint64_t p = block_new(r, size_of(r, e->type, e->span), NULL);
        init_into(r, e->a, p);
        return p;
    }
    case EX_COND: return address(r, value(r, e->a).i ? e->b : e->c);
    case EX_COMMA: discard(r, e->a); return address(r, e->b);
    case EX_ASSIGN:
    case EX_COMPOUND:
    case EX_INCDEC: {
        uint64_t p;
        assigned(r, e, &p);
        return p;
    }
    case EX_CALL: return (uint64_t)value(r, e).i;
    case EX_MEMPTR_REF: return add_offset(r, address(r, e->a), value(r, e->b).i - 1, e->span);
    default: fail(r, e->span, "this is not a constant");
    }
}

/* ---- arithmetic ---- */

static cval int_binary(struct run *r, unsigned op, struct type *t, int64_t x, int64_t y,
                       struct span at)
{
    bool s = cu_is_signed(t);
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    unsigned bits = cu_bits(t) == 1 ? 32 : cu_bits(t);
    int64_t v = 0;
    switch (op) {
    case PUNCT_ADD: v = (int64_t)(a + b); break;
    case PUNCT_SUB: v = (int64_t)(a - b); break;
    case PUNCT_MUL: v = (int64_t)(a * b); break;
    case PUNCT_DIV:
    case PUNCT_MOD:
        if (!y)
            fail(r, at, "division by zero");
        if (s && y == -1)
            v = op == PUNCT_DIV ? (int64_t)(0 - a) : 0;
        else if (s)
            v = op == PUNCT_DIV ? x / y : x % y;
        else
            v = (int64_t)(op == PUNCT_DIV ? a / b : a % b);
        break;
    case PUNCT_AND: v = (int64_t)(a & b); break;
    case PUNCT_OR: v = (int64_t)(a | b); break;
    case PUNCT_XOR: v = (int64_t)(a ^ b); break;
    case PUNCT_SHL:
    case PUNCT_SHR:
        if (y < 0 || b >= bits)
            fail(r, at, "a shift by more than the width");
        if (op == PUNCT_SHL)
            v = (int64_t)(a << b);
        else
            v = s ? x >> b : (int64_t)(a >> b);
        break;
    default: fail(r, at, "this operator is not constant");
    }
    return (cval){.i = cu_wrap(t, v)};
}

static bool compare(unsigned op, int c, bool unordered)
{
    if (unordered)
        return op == PUNCT_NE;
    switch (op) {
    case PUNCT_EQ: return c == 0;
    case PUNCT_NE: return c != 0;
    case PUNCT_LT: return c < 0;
    case PUNCT_GT: return c > 0;
    case PUNCT_LE: return c <= 0;
    default: return c >= 0;
    }
}

static cval binary(struct run *r, unsigned op, struct type *t, struct type *result, cval a, cval b,
                   struct span at)
{
    bool cmp = op == PUNCT_EQ || op == PUNCT_NE || op == PUNCT_LT || op == PUNCT_GT ||
               op == PUNCT_LE || op == PUNCT_GE;
    if (cu_is_float(t)) {
        if (cmp)
            return (cval){.i = compare(op,
                                       a.d < b.d   ? -1
                                       : a.d > b.d ? 1
                                                   : 0,
                                       isnan(a.d) || isnan(b.d))};
        double v = 0;
        switch (op) {
        case PUNCT_ADD: v = a.d + b.d; break;
        case PUNCT_SUB: v = a.d - b.d; break;
        case PUNCT_MUL: v = a.d * b.d; break;
        case PUNCT_DIV: v = a.d / b.d; break;
        default: fail(r, at, "this operator is not constant");
        }
        return (cval){.d = round_to(t, v)};
    }
    if (cmp) {
        bool s = cu_is_signed(t);
        int c = s ? (a.i < b.i ? -1 : a.i > b.i)
                  : ((uint64_t)a.i < (uint64_t)b.i ? -1 : (uint64_t)a.i > (uint64_t)b.i);
        return (cval){.i = compare(op, c, false)};
    }
    return int_binary(r, op, result, a.i, b.i, at);
}

static cval convert(struct run *r, struct type *from, struct type *to, cval v, struct span at)
{
    bool ff = cu_is_float(from), tf = cu_is_float(to);
    if (to->kind == TY_VOID)
        return (cval){0};
    if (to->kind == TY_BOOL || (to->kind == TY_ENUM && cu_bits(to) == 1))
        return (cval){.i = ff ? v.d != 0 : v.i != 0};
    if (ff && tf)
        return (cval){.d = round_to(to, v.d)};
    if (ff) {
        if (!(cu_is_integer(to) || to->kind == TY_ENUM))
            fail(r, at, "this conversion is not constant");
        double d = trunc(v.d);
        if (isnan(d) || d < -9223372036854775808.0 || d >= 18446744073709551616.0)
            fail(r, at, "a number does not fit into an integer");
        int64_t i = d >= 9223372036854775808.0 ? (int64_t)(uint64_t)d : (int64_t)d;
        return (cval){.i = cu_wrap(to, i)};
    }
    if (tf) {
        double d = cu_is_signed(from) ? (double)v.i : (double)(uint64_t)v.i;
        if (to->kind == TY_FLOAT)
            d = cu_is_signed(from) ? (double)(float)v.i : (double)(float)(uint64_t)v.i;
        return (cval){.d = round_to(to, d)};
    }
    bool pf = from->kind == TY_POINTER, pt = to->kind == TY_POINTER;
    if (pf && pt)
        return v;
    if (pf != pt && (pf || pt)) {
        if (v.i == 0)
            return v;
        fail(r, at, "an address is not an integer when compiling");
    }
    if (to->kind == TY_MEMPTR && from->kind == TY_MEMPTR && v.i)
        v.i += cu_memptr_shift(r->f, from->cls, to->cls, at);
    if (to->kind == TY_MEMPTR || to->kind == TY_NULLPTR)
        return v;
    return (cval){.i = cu_wrap(to, v.i)};
}

/* ---- calls ---- */

static void bind_arg(struct run *r, struct ce_frame *fr, struct var *v, struct expr *arg)
{
    uint64_t p = block_new(r, size_of(r, v->d.type, v->d.span), NULL);
    if (cu_is_ref(v->d.type)) {
        cval a = {.i = (int64_t)address(r, arg)};
        write_scalar(v->d.type, memory(r, p, 8, true, arg->span), a);
    } else {
        init_into(r, arg, p);
    }
    map_set(&fr->vars, map_key(v), (void *)(uintptr_t)(p >> 32));
}

/* A member's, or (field NULL) a base's or element's, initialiser: into its place. */
static void init_member(struct run *r, struct field *field, struct expr *init, uint64_t p,
                        struct span at)
{
    if (field && cu_is_ref(field->d.type)) {
        cval a = {.i = (int64_t)address(r, init)};
        write_scalar(field->d.type, memory(r, p, 8, true, at), a);
    } else if (field && field->is_bitfield) {
        store_bits(r, field, p, value(r, init), at);
    } else {
        init_into(r, init, p);
    }
}

static void run_inits(struct run *r, struct func *fn, uint64_t self)
{
    struct class_info *c = fn->cls;
    for (struct mem_init *m = fn->inits; m; m = m->next) {
        uint64_t p = self;
        if (m->base && m->base != c) {
            struct base_path path;
            cu_find_base(c, m->base, &path, NULL);
            p = add_offset(r, self, (int64_t)path.offset, fn->d.span);
        }
        for (struct field *x = m->field; x; x = x->outer)
            p = add_offset(r, p, (int64_t)x->offset, fn->d.span);
        init_member(r, m->field, m->init, p, fn->d.span);
    }
}

/* Runs fn; class results go to result. */
static cval call(struct run *r, struct func *fn, uint64_t self, struct expr **args, size_t n,
                 uint64_t result, struct span at)
{
    step(r, at);
    if (!fn->is_constexpr && !fn->is_lambda_call && !fn->is_defaulted && !fn->is_implicit)
        fail(r, at,
             arena_printf(r->f->a, "'%s' is not constexpr",
                          fn->is_ctor ? "the constructor" : fn->d.name));
    cu_parse_body(r->f, fn);
    r->f->doubts += fn->d.doubtful;
    if (fn->state != BODY_DONE)
        fail(r, at,
             fn->state == BODY_PARSING ? "the function is not complete yet"
                                       : arena_printf(r->f->a, "'%s' is not defined", fn->d.name));
    if (++r->depth > CE_MAX_DEPTH)
        fail(r, at, "it recurses too deeply");
    struct ce_frame *fr = arena_new(r->f->a, struct ce_frame);
    map_init(&fr->vars, r->f->a);
    fr->func = fn;
    fr->this_ptr = self;
    fr->result = result;
    for (size_t i = 0; i < n && i < fn->param_vars.len; i++)
        bind_arg(r, fr, fn->param_vars.data[i], args[i]);
    fr->up = r->frame;
    r->frame = fr;
    if (fn->is_ctor) {
        cu_layout(r->f, fn->cls, at);
        run_inits(r, fn, self);
    }
    enum flow fl = fn->ast ? execute(r, fn->ast) : FLOW_NEXT;
    r->frame = fr->up;
    r->depth--;
    if (fl != FLOW_RETURN && fn->d.type->elem->kind != TY_VOID && !fn->is_ctor)
        fail(r, at, "the function ends without a result");
    return fr->value;
}

static struct func *target(struct run *r, struct expr *e, uint64_t *self)
{
    *self = e->b ? address(r, e->b) : 0;
    if (e->a) {
        if (e->a->kind == EX_MEMPTR_REF) {
            *self = address(r, e->a->a);
            if (e->a->b->kind == EX_MEMPTR && e->a->b->flag)
                return e->a->b->u.func;
            fail(r, e->span, "a call through a pointer to member is not constant");
        }
        struct ce_block *b = block_of(r, (uint64_t)value(r, e->a).i, e->span);
        if (!b->func)
            fail(r, e->span, "the function called is not known when compiling");
        return b->func;
    }
    if (e->flag && e->u.func->is_virtual)
        fail(r, e->span, "a virtual call is not constant");
    return e->u.func;
}

/* ---- values ---- */

static cval at_address(uint64_t p)
{
    return (cval){.i = (int64_t)p};
}

/* A pointer moved by so many bytes; null stays null. */
static cval moved(struct run *r, cval p, int64_t by, struct span at)
{
    return p.i ? at_address(add_offset(r, (uint64_t)p.i, by, at)) : p;
}

static cval pointer_plus(struct run *r, struct type *t, cval p, int64_t n, struct span at)
{
    const int64_t size = (int64_t)cu_sizeof(r->f, t->elem, at);
    return at_address(add_offset(r, (uint64_t)p.i, n * size, at));
}

static cval pointer_difference(struct run *r, struct expr *e)
{
    cval a = value(r, e->a), b = value(r, e->b);
    if ((uint64_t)a.i >> 32 != (uint64_t)b.i >> 32)
        fail(r, e->span, "pointers into different objects");
    const int64_t bytes = (int64_t)(uint32_t)a.i - (int64_t)(uint32_t)b.i;
    return (cval){.i = bytes / (int64_t)cu_sizeof(r->f, e->a->type->elem, e->span)};
}

static cval unary(struct expr *e, cval a)
{
    if (e->op == PUNCT_NOT)
        return (cval){.i = !a.i};
    if (cu_is_float(e->type))
        return (cval){.d = -a.d};
    return (cval){.i =
                      cu_wrap(e->type, e->op == PUNCT_TILDE ? ~a.i : (int64_t)(0 - (uint64_t)a.i))};
}

/* The value comes first, then where it goes. */
static cval assign(struct run *r, struct expr *e, uint64_t *p)
{
    cval v = {0};
    if (e->type->kind == TY_CLASS || e->type->kind == TY_ARRAY) {
        /* It may read what is being written: by way of another object. */
        const uint64_t size = cu_own_size(r->f, e->b->type, e->span);
        const uint64_t from = e->b->kind == EX_LOAD
                                  ? address(r, e->b->a)
                                  : block_new(r, size_of(r, e->b->type, e->span), NULL);
        if (e->b->kind != EX_LOAD)
            init_into(r, e->b, from);
        *p = address(r, e->a);
        memmove(memory(r, *p, size, true, e->span), memory(r, from, size, false, e->span), size);
        return v;
    }
    v = value(r, e->b);
    *p = address(r, e->a);
    store(r, e->a, *p, v);
    return v;
}

static cval compound(struct run *r, struct expr *e, uint64_t *p)
{
    cval b = value(r, e->b), v;
    *p = address(r, e->a);
    cval a = load_at(r, e->a, *p);
    if (e->type->kind == TY_POINTER) {
        v = pointer_plus(r, e->type, a, e->op == PUNCT_SUB ? -b.i : b.i, e->span);
    } else {
        a = convert(r, e->type, e->u.cast, a, e->span);
        v = binary(r, e->op, e->u.cast, e->u.cast, a, b, e->span);
        v = convert(r, e->u.cast, e->type, v, e->span);
    }
    store(r, e->a, *p, v);
    return v;
}

static cval incdec(struct run *r, struct expr *e, uint64_t *p)
{
    *p = address(r, e->a);
    cval a = load_at(r, e->a, *p), v = {0};
    int64_t d = e->op == PUNCT_INC ? 1 : -1;
    struct type *t = e->a->type;
    if (t->kind == TY_POINTER)
        v = pointer_plus(r, t, a, d, e->span);
    else if (cu_is_float(t))
        v.d = round_to(t, a.d + (double)d);
    else
        v.i = cu_wrap(t, a.i + d);
    store(r, e->a, *p, v);
    return e->u.i ? v : a;
}

/* Carries an assignment out, once: its value, and in *p the place. */
static cval assigned(struct run *r, struct expr *e, uint64_t *p)
{
    if (e->kind == EX_ASSIGN)
        return assign(r, e, p);
    return e->kind == EX_COMPOUND ? compound(r, e, p) : incdec(r, e, p);
}

static cval builtin(struct run *r, struct expr *e)
{
    cval args[4] = {0}, v;
    for (size_t i = 0; i < e->nargs && i < 4; i++)
        args[i] = value(r, e->args[i]);
    uint64_t bits;
    if (!cu_builtin_fold(r->f, e, (const void *)args, &bits))
        fail(r, e->span, "this builtin is not constant");
    memcpy(&v, &bits, 8);
    return v;
}

static cval statements(struct run *r, struct expr *e)
{
    for (struct stmt *s = e->u.body->body; s; s = s->next) {
        if (!s->next && s->kind == STMT_EXPR && e->a)
            return value(r, e->a);
        if (execute(r, s) != FLOW_NEXT)
            fail(r, e->span, "a jump out of a statement expression");
    }
    return (cval){0};
}

static cval value(struct run *r, struct expr *e)
{
    step(r, e->span);
    cval v = {0};
    switch (e->kind) {
    case EX_INT: v.i = (int64_t)e->u.i; return v;
    case EX_FLOAT: v.d = e->u.d; return v;
    case EX_NULLPTR:
    case EX_ZERO: return v;
    case EX_UNINIT: return v;
    case EX_LOOP_INDEX: v.i = (int64_t)r->loop_index; return v;
    case EX_LOAD: return load_at(r, e->a, address(r, e->a));
    case EX_ADDR:
    case EX_DECAY: return at_address(address(r, e->a));
    case EX_THIS:
        if (!r->frame || !r->frame->this_ptr)
            fail(r, e->span, "'this' is not a constant");
        return at_address(r->frame->this_ptr);
    case EX_CAST:
        if (e->type->kind != TY_VOID)
            return convert(r, e->a->type, e->type, value(r, e->a), e->span);
        discard(r, e->a);
        return v;
    case EX_UPCAST:
        if (e->in_class)
            fail(r, e->span, "where a virtual base lies is not constant");
        return moved(r, value(r, e->a), (int64_t)e->u.i, e->span);
    case EX_DOWNCAST: return moved(r, value(r, e->a), -(int64_t)e->u.i, e->span);
    case EX_UNARY: return unary(e, value(r, e->a));
    case EX_BINARY: {
        cval a = value(r, e->a), b = value(r, e->b);
        return binary(r, e->op, e->a->type, e->type, a, b, e->span);
    }
    case EX_PTRADD: {
        cval p = value(r, e->a), i = value(r, e->b);
        return pointer_plus(r, e->type, p, e->op == PUNCT_SUB ? -i.i : i.i, e->span);
    }
    case EX_PTRDIFF: return pointer_difference(r, e);
    case EX_LOGICAL: {
        cval a = value(r, e->a);
        if (e->op == PUNCT_ANDAND ? !a.i : a.i)
            return a;
        return value(r, e->b);
    }
    case EX_COND: return value(r, value(r, e->a).i ? e->b : e->c);
    case EX_COMMA:
        discard(r, e->a);
        return e->b->cat == CAT_PR ? value(r, e->b) : at_address(address(r, e->b));
    case EX_ASSIGN:
    case EX_COMPOUND:
    case EX_INCDEC: {
        uint64_t p;
        return assigned(r, e, &p);
    }
    case EX_CALL: {
        uint64_t self;
        struct func *fn = target(r, e, &self);
        return call(r, fn, self, e->args, e->nargs, 0, e->span);
    }
    case EX_BUILTIN: return builtin(r, e);
    case EX_MEMPTR:
        if (e->flag)
            fail(r, e->span, "a pointer to a member function is not constant here");
        cu_layout(r->f, e->u.field->cls, e->span);
        v.i = (int64_t)e->u.field->offset + 1 +
              cu_memptr_shift(r->f, e->u.field->cls, e->type->cls, e->span);
        return v;
    case EX_STMT: return statements(r, e);
    case EX_INIT:
        if (e->u.init.n == 1)
            return value(r, e->u.init.items[0].value);
        fail(r, e->span, "this is not a constant");
    default: fail(r, e->span, "this is not a constant");
    }
}

static void init_array_elements(struct run *r, struct expr *e, struct type *t, uint64_t to)
{
    struct type *elem = t;
    uint64_t n = 1;
    while (elem->kind == TY_ARRAY && elem != e->a->type) {
        n *= elem->count;
        elem = elem->elem;
        if (elem->unqual == e->a->type->unqual)
            break;
    }
    uint64_t size = cu_sizeof(r->f, elem, e->span), save = r->loop_index;
    for (uint64_t i = 0; i < n; i++) {
        r->loop_index = i;
        init_into(r, e->a, add_offset(r, to, (int64_t)(i * size), e->span));
    }
    r->loop_index = save;
}

static void init_list(struct run *r, struct expr *e, uint64_t to)
{
    struct type *t = e->type;
    if (e->u.init.zero) {
        const uint64_t size = cu_own_size(r->f, t, e->span);
        memset(memory(r, to, size, true, e->span), 0, size);
    }
    const uint64_t elem = t->kind == TY_ARRAY ? cu_sizeof(r->f, t->elem, e->span) : 0;
    struct ce_frame *save = r->frame;
    for (size_t i = 0; i < e->u.init.n; i++) {
        struct designated *d = &e->u.init.items[i];
        if (t->kind == TY_ARRAY) {
            for (uint64_t k = 0; k < d->count; k++)
                init_into(r, d->value,
                          add_offset(r, to, (int64_t)((d->index + k) * elem), e->span));
            continue;
        }
        const uint64_t off = d->base ? d->base->offset : d->field->offset;
        const uint64_t p = add_offset(r, to, (int64_t)off, e->span);
        struct ce_frame self = {0};
        if (d->count) { /* default member initialiser: this is the object */
            map_init(&self.vars, r->f->a);
            self.this_ptr = to;
            self.up = save;
            r->frame = &self;
        }
        init_member(r, d->field, d->value, p, e->span);
        r->frame = save;
    }
}

/* Evaluates a prvalue into memory. */
static void init_into(struct run *r, struct expr *e, uint64_t to)
{
    struct type *t = e->type;
    if (cu_is_scalar(t) && e->kind != EX_STRING) {
        if (e->kind == EX_UNINIT)
            return;
        cval v = value(r, e);
        write_scalar(t, memory(r, to, cu_sizeof(r->f, t, e->span), true, e->span), v);
        return;
    }
    step(r, e->span);
    uint64_t size = cu_own_size(r->f, t, e->span);
    switch (e->kind) {
    case EX_UNINIT: return;
    case EX_ZERO: memset(memory(r, to, size, true, e->span), 0, size); return;
    case EX_STRING: {
        uint8_t *p = memory(r, to, size, true, e->span);
        memset(p, 0, size);
        memcpy(p, e->u.str.ptr, e->u.str.len < size ? e->u.str.len : size);
        return;
    }
    case EX_LOAD: {
        uint64_t from = address(r, e->a);
        uint8_t *src = memory(r, from, size, false, e->span);
        memmove(memory(r, to, size, true, e->span), src, size);
        return;
    }
    case EX_INIT: init_list(r, e, to); return;
    case EX_ARRAY_INIT: init_array_elements(r, e, t, to); return;
    case EX_CONSTRUCT:
        if (e->flag)
            memset(memory(r, to, size, true, e->span), 0, size);
        if (e->u.func->cls->polymorphic)
            fail(r, e->span, "an object with virtual functions is not constant");
        call(r, e->u.func, to, e->args, e->nargs, 0, e->span);
        return;
    case EX_CALL: {
        uint64_t self;
        struct func *fn = target(r, e, &self);
        call(r, fn, self, e->args, e->nargs, to, e->span);
        return;
    }
    case EX_COND: init_into(r, value(r, e->a).i ? e->b : e->c, to); return;
    case EX_COMMA:
        discard(r, e->a);
        init_into(r, e->b, to);
        return;
    default: fail(r, e->span, "this is not a constant");
    }
}

/* ---- statements ---- */

static bool contains(struct stmt *s, struct stmt *t)
{
    for (; s; s = s->next) {
        if (s == t)
            return true;
        if ((s->body && contains(s->body, t)) || (s->other && contains(s->other, t)))
            return true;
    }
    return false;
}

static void discard(struct run *r, struct expr *e)
{
    if (e->cat != CAT_PR)
        address(r, e);
    else if (e->type->kind == TY_CLASS)
        init_into(r, e, block_new(r, size_of(r, e->type, e->span), NULL));
    else
        value(r, e);
}

static enum flow execute_list(struct run *r, struct stmt *s)
{
    for (; s; s = s->next) {
        if (r->frame->seek && s != r->frame->seek &&
            !(s->body && contains(s->body, r->frame->seek)) &&
            !(s->other && contains(s->other, r->frame->seek)))
            continue;
        enum flow fl = execute(r, s);
        if (fl != FLOW_NEXT)
            return fl;
    }
    return FLOW_NEXT;
}

static bool condition(struct run *r, struct stmt *s)
{
    if (s->var)
        init_var(r, s->var);
    return !s->cond || value(r, s->cond).i;
}

static enum flow execute(struct run *r, struct stmt *s)
{
    step(r, s->span);
    if (r->frame->seek == s)
        r->frame->seek = NULL;
    switch (s->kind) {
    case STMT_NULL: return FLOW_NEXT;
    case STMT_EXPR: discard(r, s->cond); return FLOW_NEXT;
    case STMT_DECL: init_var(r, s->var); return FLOW_NEXT;
    case STMT_BLOCK: return execute_list(r, s->body);
    case STMT_CASE:
    case STMT_DEFAULT:
    case STMT_LABEL: return s->body ? execute(r, s->body) : FLOW_NEXT;
    case STMT_IF:
        if (s->init)
            execute_list(r, s->init);
        if (condition(r, s))
            return s->body ? execute(r, s->body) : FLOW_NEXT;
        return s->other ? execute(r, s->other) : FLOW_NEXT;
    case STMT_WHILE:
    case STMT_FOR:
        if (s->init)
            execute_list(r, s->init);
        while (condition(r, s)) {
            enum flow fl = s->body ? execute(r, s->body) : FLOW_NEXT;
            if (fl == FLOW_BREAK)
                break;
            if (fl == FLOW_RETURN)
                return fl;
            if (s->step)
                discard(r, s->step);
            step(r, s->span);
        }
        return FLOW_NEXT;
    case STMT_DO:
        do {
            enum flow fl = s->body ? execute(r, s->body) : FLOW_NEXT;
            if (fl == FLOW_BREAK)
                break;
            if (fl == FLOW_RETURN)
                return fl;
            step(r, s->span);
        } while (value(r, s->cond).i);
        return FLOW_NEXT;
    case STMT_SWITCH: {
        if (s->init)
            execute_list(r, s->init);
        if (s->var)
            init_var(r, s->var);
        uint64_t v = (uint64_t)value(r, s->cond).i;
        struct stmt *hit = NULL;
        for (struct stmt *c = s->cases; c; c = c->case_next)
            if (c->kind == STMT_CASE && (int64_t)v >= (int64_t)c->lo &&
                (int64_t)v <= (int64_t)c->hi)
                hit = c;
        for (struct stmt *c = s->cases; c && !hit; c = c->case_next)
            if (c->kind == STMT_DEFAULT)
                hit = c;
        if (!hit)
            return FLOW_NEXT;
        r->frame->seek = hit;
        enum flow fl = execute_list(r, s->body);
        r->frame->seek = NULL;
        return fl == FLOW_BREAK ? FLOW_NEXT : fl;
    }
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_RETURN:
        if (s->cond) {
            struct type *t = r->frame->func->d.type->elem;
            if (cu_is_ref(t))
                r->frame->value.i = (int64_t)address(r, s->cond);
            else if (t->kind == TY_VOID)
                discard(r, s->cond);
            else if (cu_is_scalar(t))
                r->frame->value = value(r, s->cond);
            else if (r->frame->result)
                init_into(r, s->cond, r->frame->result);
        }
        return FLOW_RETURN;
    case STMT_GOTO: fail(r, s->span, "goto is not constant");
    case STMT_TRY:
    case STMT_CATCH:
    case STMT_ASM: fail(r, s->span, "asm is not constant");
    }
    return FLOW_NEXT;
}

/* ---- entry ---- */

struct question {
    struct expr *e;
    bool scalar;
    cval v;
    uint64_t block;
    struct type *type;
};

/* What an evaluation needs is large: used again, as one ends where it began. */
static struct run *take_run(struct front *f)
{
    struct run *r = f->free_run;
    if (r)
        f->free_run = r->up;
    else
        r = arena_new(f->a, struct run);
    *r = (struct run){.f = f, .depth = f->in_constexpr};
    return r;
}

static bool answer(struct run *r, struct question *q, const char **why, struct span *where)
{
    struct front *f = r->f;
    unsigned save = f->in_constexpr;
    f->in_constexpr++;
    if (setjmp(r->buf)) {
        f->in_constexpr = save;
        if (why)
            *why = r->why;
        if (where)
            *where = r->where.loc ? r->where : q->e->span;
        return false;
    }
    if (save > 64)
        fail(r, q->e->span, "it recurses too deeply");
    if (q->scalar) {
        q->v = value(r, q->e->cat == CAT_PR ? q->e : cu_rvalue(f, q->e));
    } else {
        q->block = block_new(r, size_of(r, q->type, q->e->span), NULL);
        if (cu_is_ref(q->type)) {
            cval a = {.i = (int64_t)address(r, q->e)};
            write_scalar(q->type, memory(r, q->block, 8, true, q->e->span), a);
        } else {
            init_into(r, q->e, q->block);
        }
    }
    f->in_constexpr = save;
    return true;
}

static bool evaluate(struct front *f, struct question *q, const char **why, struct span *where)
{
    struct run *r = take_run(f);
    bool ok = answer(r, q, why, where);
    r->up = f->free_run;
    f->free_run = r;
    return ok;
}

bool cu_const_int(struct front *f, struct expr *e, int64_t *out)
{
    if (e->kind == EX_INT) {
        *out = (int64_t)e->u.i;
        return true;
    }
    if (e->kind == EX_DEPENDENT || !(cu_is_integer(e->type) || e->type->kind == TY_ENUM))
        return false;
    struct question q = {.e = e, .scalar = true};
    if (!evaluate(f, &q, NULL, NULL))
        return false;
    *out = q.v.i;
    return true;
}

bool cu_const_float(struct front *f, struct expr *e, double *out)
{
    if (e->kind == EX_FLOAT) {
        *out = e->u.d;
        return true;
    }
    struct question q = {.e = e, .scalar = true};
    if (!cu_is_float(e->type) || !evaluate(f, &q, NULL, NULL))
        return false;
    *out = q.v.d;
    return true;
}

int64_t cu_require_int(struct front *f, struct expr *e, const char *what)
{
    if (e->kind == EX_INT)
        return (int64_t)e->u.i;
    if (!(cu_is_integer(e->type) || e->type->kind == TY_ENUM))
        cu_error(f, e->span, "%s has to be an integer, not '%s'", what, cu_type_str(f, e->type));
    struct question q = {.e = e, .scalar = true};
    const char *why = NULL;
    struct span where = e->span;
    if (!evaluate(f, &q, &why, &where)) {
        if (where.loc == e->span.loc)
            cu_error(f, e->span, "%s has to be a constant: %s", what, why);
        cu_error_note(f, e->span, where, why, "%s has to be a constant", what);
    }
    return q.v.i;
}

/* A value that can be a template argument. */
bool cu_const_value(struct front *f, struct expr *e, struct targ *out)
{
    struct question q = {.e = e, .scalar = true};
    *out = (struct targ){.kind = TARG_VALUE, .type = e->type->unqual};
    if (e->kind == EX_MEMPTR) {
        out->object = e->flag ? &e->u.func->d : &e->u.field->d;
        return true;
    }
    if (!evaluate(f, &q, NULL, NULL))
        return false;
    if (e->type->kind == TY_POINTER && q.v.i) {
        struct ce_block *b = f->ce->blocks.data[((uint64_t)q.v.i >> 32) - 1];
        if (b->func)
            out->object = &b->func->d;
        else {
            if (!b->var)
                return false;
            out->object = &b->var->d;
            out->value = (int64_t)((uint64_t)q.v.i & UINT32_MAX);
        }
        return true;
    }
    out->value = q.v.i;
    return true;
}

bool cu_var_constant(struct front *f, struct var *v)
{
    if (v->evaluated)
        return v->block != NULL && !v->block->opaque;
    if (v->init_parsing)
        return false;
    struct type *t = v->d.type;
    bool is_const = (t->kind == TY_ARRAY ? t->elem->quals : t->quals) & QUAL_CONST;
    if (t->quals & QUAL_VOLATILE)
        return false;
    bool may = v->is_constexpr || (is_const && (cu_is_arith(t) || t->kind == TY_ENUM)) ||
               (cu_is_ref(t) && v->storage == VAR_GLOBAL);
    if (!may && !(cu_has_auto(t) && v->is_constexpr) &&
        !(is_const && v->init_pos && cu_has_auto(t)))
        return false;
    if (v->storage == VAR_PARAM)
        return false;
    if (v->storage == VAR_GLOBAL && v->space != SPACE_NONE && !v->is_constexpr &&
        !(is_const && cu_is_integral(t)))
        return false;
    cu_complete_var(f, v);
    t = v->d.type;
    if (!v->init || v->init->kind == EX_UNINIT)
        return false;
    v->evaluated = true;
    struct question q = {.e = v->init, .type = t};
    const char *why = NULL;
    struct span where = v->d.span;
    if (!evaluate(f, &q, &why, &where)) {
        if (v->is_constexpr) {
            v->evaluated = false;
            v->is_constexpr = false;
            if (!f->quiet)
                cu_error_note(f, v->d.span, where, why, "the value of '%s' is not a constant",
                              v->d.name);
            cu_error(f, v->d.span, "the value of '%s' is not a constant: %s", v->d.name, why);
        }
        return false;
    }
    struct ce_block *b = f->ce->blocks.data[(q.block >> 32) - 1];
    b->constant = true;
    b->var = v->storage == VAR_GLOBAL ? v : NULL;
    v->block = b;
    v->bytes = b->bytes;
    return true;
}

/* ---- objects for the module ---- */

struct walk {
    struct front *f;
    const uint8_t *bytes;
    struct ce_reloc *relocs;
    const char *why;
};

static bool add_pointer(struct walk *w, uint64_t at)
{
    uint64_t p;
    memcpy(&p, w->bytes + at, 8);
    if (!p)
        return true;
    uint64_t n = p >> 32;
    struct ce_block *b = w->f->ce->blocks.data[n - 1];
    struct ce_reloc *r = arena_new(w->f->a, struct ce_reloc);
    r->offset = at;
    r->addend = (int64_t)(p & UINT32_MAX);
    r->var = b->var;
    r->func = b->func;
    if (!b->var && !b->func) {
        if (!b->string.ptr) {
            w->why = "it points at a temporary";
            return false;
        }
        r->string = b->string;
    }
    r->next = w->relocs;
    w->relocs = r;
    return true;
}

static bool walk_pointers(struct walk *w, struct type *t, uint64_t at)
{
    if (t->kind == TY_POINTER || cu_is_ref(t))
        return add_pointer(w, at);
    if (t->kind == TY_ARRAY) {
        struct type *e = t->elem;
        while (e->kind == TY_ARRAY)
            e = e->elem;
        if (cu_is_arith(e) || e->kind == TY_ENUM)
            return true;
        uint64_t size = cu_sizeof(w->f, t->elem, (struct span){0});
        for (uint64_t i = 0; i < t->count; i++)
            if (!walk_pointers(w, t->elem, at + i * size))
                return false;
        return true;
    }
    if (t->kind != TY_CLASS)
        return true;
    if (t->cls->is_union)
        return true;
    vec_each (struct base_class, b, &t->cls->bases)
        if (!walk_pointers(w, b->type, at + b->offset))
            return false;
    for (struct field *fd = t->cls->fields; fd; fd = fd->next)
        if (!walk_pointers(w, fd->d.type, at + fd->offset))
            return false;
    return true;
}

bool cu_const_object(struct front *f, struct expr *init, struct type *t, uint8_t *out, size_t size,
                     struct ce_reloc **relocs, const char **why, struct span *where)
{
    struct question q = {.e = init, .type = t};
    if (!evaluate(f, &q, why, where))
        return false;
    struct ce_block *b = f->ce->blocks.data[(q.block >> 32) - 1];
    memcpy(out, b->bytes, size < b->size ? size : b->size);
    struct walk w = {.f = f, .bytes = b->bytes};
    if (!walk_pointers(&w, t, 0)) {
        *why = w.why;
        *where = init->span;
        return false;
    }
    for (struct ce_reloc *r = w.relocs; r; r = r->next)
        memset(out + r->offset, 0, 8);
    *relocs = w.relocs;
    return true;
}
