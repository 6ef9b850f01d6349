/* The builtins of builtin.def and of the IR's tables: finding them by name and checking their
 * calls. */
#include <ctype.h>
#include "front/cuda/lower/lower.h"

static const struct cu_builtin table[] = {
#define CU_BUILTIN(name, kind, sig, arg) {#name, BUILTIN_##kind, sig, (uint32_t)(arg), 0},
#include "front/cuda/lower/builtin.def"
};

void cu_builtins_init(struct front *f)
{
    map_init(&f->builtins, f->a);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        vec_push(f->a, &f->builtin_list, &table[i]);
        map_set(&f->builtins, map_key(intern_z(f->names, table[i].name)),
                (void *)(uintptr_t)f->builtin_list.len);
    }
}

const struct cu_builtin *cu_builtin_at(struct front *f, unsigned index)
{
    return f->builtin_list.data[index];
}

static bool lower_case_is(const char *upper, const char *name)
{
    for (; *upper && *name; upper++, name++)
        if (tolower((unsigned char)*upper) != *name && !(*upper == '.' && *name == '_'))
            return false;
    return !*upper && !*name;
}

/* __tern_op_NAME[_rz][_ftz][_fast] */
static bool family_op(const char *rest, struct cu_builtin *b)
{
    size_t n = strlen(rest);
    uint32_t flags = 0;
    static const struct {
        const char *text;
        uint32_t flag;
    } suffixes[] = {{"_rn", IR_RN}, {"_rz", IR_RZ},   {"_ru", IR_RU},
                    {"_rd", IR_RD}, {"_ftz", IR_FTZ}, {"_fast", IR_FAST}};
    for (;;) {
        int op = ir_op_find(rest, n);
        if (op >= 0) {
            const struct ir_op_info *info = &ir_op_info[op];
            bool value =
                (info->flags & IR_PURE) && strchr(info->signature, '(') == info->signature + 1;
            if (!value || op == IR_OP_sreg || op == IR_OP_iota)
                return false;
            b->kind = BUILTIN_OP;
            b->sig = info->signature;
            b->arg = (uint32_t)op;
            b->flags = flags;
            /* Conversions to integers go toward zero unless a mode is named. */
            return true;
        }
        bool cut = false;
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
            size_t m = strlen(suffixes[i].text);
            if (n > m && !strncmp(rest + n - m, suffixes[i].text, m)) {
                n -= m;
                flags |= suffixes[i].flag;
                cut = true;
                break;
            }
        }
        if (!cut)
            return false;
    }
}

static bool family_sreg(const char *rest, struct cu_builtin *b)
{
    for (unsigned i = 0; i < IR_SREG_COUNT; i++) {
        static const char *const names[] = {
#define IR_SREG(name, text, uniformity, meaning) #name,
#include "ir/sreg.def"
        };
        if (lower_case_is(names[i], rest)) {
            b->kind = BUILTIN_SREG;
            b->sig = i == IR_SREG_GRIDID ? "U()" : "u()";
            b->arg = i;
            return true;
        }
    }
    return false;
}

static bool family_rmw(const char *rest, struct cu_builtin *b)
{
    for (unsigned i = 0; i < IR_RMW_COUNT; i++) {
        static const char *const names[] = {
#define IR_RMW(name, text, cls, meaning) #name,
#include "ir/rmw.def"
        };
        if (lower_case_is(names[i], rest)) {
            b->kind = BUILTIN_RMW;
            b->sig = "T(tTKK)";
            b->arg = i;
            return true;
        }
    }
    return false;
}

unsigned cu_find_builtin(struct front *f, const char *name)
{
    if (!name || (cu_host(f) && strncmp(name, "__", 2) != 0)) /* the C library's */
        return 0;
    unsigned hit = (unsigned)(uintptr_t)map_get(&f->builtins, map_key(name));
    if (hit || strncmp(name, "__tern_", 7) != 0)
        return hit;
    struct cu_builtin b = {.name = name};
    bool ok = (!strncmp(name, "__tern_op_", 10) && family_op(name + 10, &b)) ||
              (!strncmp(name, "__tern_sreg_", 12) && family_sreg(name + 12, &b)) ||
              (!strncmp(name, "__tern_atomic_", 14) && family_rmw(name + 14, &b));
    if (!ok)
        return 0;
    struct cu_builtin *keep = arena_new(f->a, struct cu_builtin);
    *keep = b;
    vec_push(f->a, &f->builtin_list, keep);
    map_set(&f->builtins, map_key(name), (void *)(uintptr_t)f->builtin_list.len);
    return (unsigned)f->builtin_list.len;
}

bool cu_builtin_ends(const struct expr *e)
{
    return e->type->kind == TY_VOID && e->flag;
}

/* ---- checking calls ---- */

static struct type *letter_type(struct front *f, char c, struct type *t)
{
    switch (c) {
    case 'v': return cu_type(f, TY_VOID);
    case 'b': return cu_type(f, TY_BOOL);
    case 'i': return cu_type(f, TY_INT);
    case 'u': return cu_type(f, TY_UINT);
    case 'l': return cu_type(f, TY_LLONG);
    case 'U': return cu_type(f, TY_ULLONG);
    case 'z': return f->size_type;
    case 'd': return cu_type(f, TY_DOUBLE);
    case 'f': return cu_type(f, TY_FLOAT);
    case 'p': return cu_pointer_to(f, cu_type(f, TY_VOID));
    case 'P': return cu_pointer_to(f, cu_qualified(f, cu_type(f, TY_VOID), QUAL_CONST));
    case 'c': return cu_pointer_to(f, f->char_const);
    default: return t;
    }
}

/* The IR's letters mean other things than ours: w is i32, l is i64, p any pointer, S anything. */
static struct type *op_letter(struct front *f, char c, struct type *t)
{
    switch (c) {
    case 'b': return cu_type(f, TY_BOOL);
    case 'c': return cu_type(f, TY_UCHAR);
    case 'w': return cu_type(f, TY_UINT);
    case 'l': return cu_type(f, TY_LLONG);
    case 'T': return t;
    default: return NULL;
    }
}

static struct expr *scalar_arg(struct front *f, struct expr *e)
{
    e = cu_integral_operand(f, e);
    if (!cu_is_scalar(e->type))
        cu_error(f, e->span, "a builtin takes scalars, not '%s'", cu_type_str(f, e->type));
    return e;
}

static struct expr *result(struct front *f, unsigned index, struct type *t, struct type *scalar,
                           struct expr **args, size_t n, struct span s)
{
    struct expr *e = cu_expr_new(f, EX_BUILTIN, t->unqual, CAT_PR, s);
    e->u.i = index;
    e->args = args;
    e->nargs = n;
    e->targs = arena_new(f->a, struct targ);
    *e->targs = cu_targ_type(scalar);
    e->ntargs = 1;
    return e;
}

static struct expr *call_op(struct front *f, unsigned index, const struct cu_builtin *b,
                            struct type *given, struct expr **args, size_t n, struct span s)
{
    const char *params = strchr(b->sig, '(') + 1;
    size_t want = strcspn(params, ")");
    if (n != want)
        cu_error(f, s, "'%s' takes %zu argument%s, not %zu", b->name, want, want == 1 ? "" : "s",
                 n);
    struct type *t = given;
    struct expr **out = arena_array(f->a, struct expr *, n + 1);
    for (size_t i = 0; i < n; i++) {
        out[i] = scalar_arg(f, args[i]);
        if (params[i] == 'T' && !t)
            t = out[i]->type->kind == TY_ENUM ? cu_underlying(out[i]->type) : out[i]->type;
    }
    if (!t)
        cu_error(f, s, "'%s' needs its type: %s<T>(…)", b->name, b->name);
    for (size_t i = 0; i < n; i++) {
        struct type *p = op_letter(f, params[i], t);
        if (p)
            out[i] = cu_convert(f, out[i], p, b->name);
    }
    unsigned cls = ir_op_info[b->arg].class;
    bool fits = ((cls & IR_CLASS_INT) && (cu_is_integral(t))) ||
                ((cls & IR_CLASS_FLOAT) && cu_is_float(t)) ||
                ((cls & IR_CLASS_PTR) && t->kind == TY_POINTER) ||
                (cls & (IR_CLASS_W | IR_CLASS_L)) || cls == IR_CLASS_NONE;
    if (!fits)
        cu_error(f, s, "'%s' does not work on '%s'", b->name, cu_type_str(f, t));
    struct type *r = op_letter(f, b->sig[0], t);
    return result(f, index, r ? r : t, t, out, n, s);
}

/* Checks a printf against its format when that is a literal. */
static void check_format(struct front *f, struct expr *fmt, struct expr **args, size_t n,
                         struct span s)
{
    while (fmt->kind == EX_CAST || fmt->kind == EX_DECAY)
        fmt = fmt->a;
    if (fmt->kind != EX_STRING) {
        return;
    }
    size_t used = 0;
    const char *p = fmt->u.str.ptr, *end = p + fmt->u.str.len;
    while (p < end) {
        if (*p++ != '%')
            continue;
        if (p < end && *p == '%') {
            p++;
            continue;
        }
        while (p < end && strchr("-+ #0", *p))
            p++;
        while (p < end && (isdigit((unsigned char)*p) || *p == '.' || *p == '*')) {
            if (*p == '*')
                used++;
            p++;
        }
        unsigned longs = 0;
        while (p < end && strchr("hlLqjzt", *p)) {
            if (*p == 'l' || *p == 'q' || *p == 'j' || *p == 'z' || *p == 't')
                longs++;
            p++;
        }
        if (p >= end)
            break;
        char c = *p++;
        if (!strchr("diouxXcsfFeEgGaApn", c)) {
            cu_warn(f, "format", fmt->span, "'%%%c' is not a printf conversion", c);
            continue;
        }
        if (used >= n) {
            cu_warn(f, "format", s, "printf has fewer arguments than its format asks for");
            return;
        }
        struct type *t = args[used++]->type;
        bool want_float = strchr("fFeEgGaA", c) != NULL,
             want_ptr = c == 's' || c == 'p' || c == 'n';
        if (want_float != cu_is_float(t) ||
            (want_ptr && t->kind != TY_POINTER && t->kind != TY_NULLPTR) ||
            (!want_ptr && t->kind == TY_POINTER))
            cu_warn(f, "format", args[used - 1]->span, "'%%%c' does not fit '%s'", c,
                    cu_type_str(f, t));
        else if (!want_float && !want_ptr && c != 'c' && (cu_bits(t) == 64) != (longs > 0) &&
                 cu_is_integer(t))
            cu_warn(f, "format", args[used - 1]->span, "'%%%s%c' does not fit '%s'",
                    longs ? "l" : "", c, cu_type_str(f, t));
    }
    if (used < n)
        cu_warn(f, "format", s, "printf has more arguments than its format uses");
}

static struct expr *special(struct front *f, const struct cu_builtin *b, struct expr **args,
                            size_t n, struct span s, bool *done)
{
    *done = true;
    switch (b->kind) {
    case BUILTIN_ADDRESSOF: {
        if (n != 1)
            cu_error(f, s, "'%s' takes one argument", b->name);
        if (args[0]->kind == EX_OVERLOAD)
            return cu_rvalue(f, args[0]);
        if (args[0]->cat == CAT_PR)
            cu_error(f, s, "a value has no address");
        struct expr *r = cu_expr_new(f, EX_ADDR, cu_pointer_to(f, args[0]->type), CAT_PR, s);
        r->a = args[0];
        return r;
    }
    case BUILTIN_FIRST_SAME:
        if (n != 1)
            cu_error(f, s, "'%s' takes one argument", b->name);
        return cu_rvalue(f, args[0]);
    case BUILTIN_CONSTANT_P: {
        int64_t v;
        double d;
        struct expr *e = n ? cu_integral_operand(f, args[0]) : NULL;
        return cu_int_expr(f, cu_type(f, TY_INT),
                           e && (cu_const_int(f, e, &v) || cu_const_float(f, e, &d)), s);
    }
    case BUILTIN_FLOAT_CONST: {
        struct expr *e = cu_expr_new(
            f, EX_FLOAT, cu_type(f, b->sig[0] == 'f' ? TY_FLOAT : TY_DOUBLE), CAT_PR, s);
        e->u.d = b->arg ? (double)__builtin_nanf("") : __builtin_inf();
        return e;
    }
    default: *done = false; return NULL;
    }
}

struct expr *cu_builtin_call(struct front *f, unsigned index, struct expr *callee,
                             struct expr **args, size_t n, struct span s)
{
    const struct cu_builtin *b = cu_builtin_at(f, index);
    bool done;
    struct expr *r = special(f, b, args, n, s, &done);
    if (done)
        return r;
    struct type *t =
        callee && callee->has_targs && callee->ntargs == 1 && callee->targs[0].kind == TARG_TYPE
            ? callee->targs[0].type->unqual
            : NULL;
    if (t && t->dependent)
        return cu_dependent(f, s);
    if (b->kind == BUILTIN_OP)
        return call_op(f, index, b, t, args, n, s);
    const char *params = strchr(b->sig, '(') + 1;
    size_t want = strcspn(params, ".)");
    bool more = params[want] == '.';
    if (n < want || (n > want && !more))
        cu_error(f, s, "'%s' takes %s%zu argument%s, not %zu", b->name, more ? "at least " : "",
                 want, want == 1 ? "" : "s", n);
    struct expr **out = arena_array(f->a, struct expr *, n + 1);
    for (size_t i = 0; i < n; i++) {
        char c = i < want ? params[i] : '.';
        switch (c) {
        case 'T':
            out[i] = scalar_arg(f, args[i]);
            if (!t)
                t = out[i]->type;
            break;
        case 't':
            out[i] = cu_rvalue(f, args[i]);
            if (out[i]->type->kind != TY_POINTER || !cu_is_scalar(out[i]->type->elem))
                cu_error(f, args[i]->span, "'%s' needs a pointer to a scalar, not '%s'", b->name,
                         cu_type_str(f, args[i]->type));
            if (!t)
                t = out[i]->type->elem->unqual;
            break;
        case 'B':
            out[i] = cu_rvalue(f, args[i]);
            if (out[i]->type->kind != TY_POINTER)
                cu_error(f, args[i]->span, "'%s' needs a pointer here, not '%s'", b->name,
                         cu_type_str(f, args[i]->type));
            break;
        case 'K':
            out[i] = cu_int_expr(
                f, f->ptrdiff_type,
                (uint64_t)cu_require_int(f, cu_integral_operand(f, args[i]), b->name), s);
            break;
        case '.': {
            struct expr *e = scalar_arg(f, args[i]);
            if (b->kind == BUILTIN_PRINTF) {
                if (cu_is_float(e->type))
                    e = cu_cast_scalar(f, e, cu_type(f, TY_DOUBLE), false);
                else if (cu_is_integer(e->type) || e->type->kind == TY_ENUM)
                    e = cu_cast_scalar(f, e, cu_promoted(f, cu_underlying(e->type)), false);
            }
            out[i] = e;
            break;
        }
        default: {
            struct type *p = letter_type(f, c, NULL);
            struct expr *e = args[i];
            if (c == 'p' && cu_decayed(f, e->type)->kind == TY_POINTER &&
                !(cu_decayed(f, e->type)->elem->quals & QUAL_CONST))
                e = cu_cast_scalar(f, cu_rvalue(f, e), p, true);
            out[i] = c == 'b'
                         ? cu_bool(f, e)
                         : cu_convert(f, e,
                                      c == 'p' || c == 'P'
                                          ? cu_pointer_to(f, cu_with_quals(f, cu_type(f, TY_VOID),
                                                                           c == 'P' ? 3 : 2))
                                          : p,
                                      b->name);
            break;
        }
        }
    }
    for (size_t i = 0; i < want; i++)
        if (params[i] == 'T')
            out[i] = cu_convert(f, out[i], t, b->name);
    if (b->kind == BUILTIN_PRINTF && n)
        check_format(f, args[0], out + 1, n - 1, s);
    struct type *rt = letter_type(f, b->sig[0], t);
    r = result(f, index, rt, t, out, n, s);
    r->flag = b->kind == BUILTIN_UNREACHABLE || b->kind == BUILTIN_EXIT ||
              (b->kind == BUILTIN_PLAIN && (b->arg == IR_OP_trap || b->arg == IR_OP_assertfail));
    return r;
}

/* ---- constant evaluation ---- */

static uint64_t to_bits(struct type *t, uint64_t raw)
{
    if (cu_is_float(t)) {
        double d;
        memcpy(&d, &raw, 8);
        return cu_float_bits(cu_ir_type(t), d);
    }
    unsigned n = cu_bits(t);
    return n < 64 ? raw & ((UINT64_C(1) << n) - 1) : raw;
}

static uint64_t from_bits(struct type *t, uint64_t bits)
{
    if (!cu_is_float(t))
        return (uint64_t)cu_wrap(t, (int64_t)bits);
    const double d = cu_float_of(cu_ir_type(t), bits);
    uint64_t raw;
    memcpy(&raw, &d, 8);
    return raw;
}

bool cu_builtin_fold(struct front *f, const struct expr *e, const void *args, uint64_t *out)
{
    const struct cu_builtin *b = cu_builtin_at(f, (unsigned)e->u.i);
    const uint64_t *raw = args;
    uint64_t bits[4] = {0};
    for (size_t i = 0; i < e->nargs && i < 4; i++)
        bits[i] = to_bits(e->args[i]->type, raw[i]);
    switch (b->kind) {
    case BUILTIN_FIRST: *out = raw[0]; return true;
    case BUILTIN_CONST_EVAL: *out = 1; return true;
    case BUILTIN_BITS: {
        uint64_t v;
        if (!ir_eval((enum ir_op)b->arg, cu_ir_type(e->args[0]->type), cu_ir_type(e->args[0]->type),
                     0, bits, &v))
            return false;
        *out = v;
        return true;
    }
    case BUILTIN_CTZ:
        *out = bits[0] ? (uint64_t)__builtin_ctzll(bits[0]) : cu_bits(e->args[0]->type);
        return true;
    case BUILTIN_ASSUME: *out = 0; return true;
    case BUILTIN_OP: {
        if (e->nargs > 3)
            return false;
        struct type *t = e->targs[0].type;
        uint32_t flags = b->flags;
        if ((b->arg == IR_OP_ftosi || b->arg == IR_OP_ftoui) && !strstr(b->name, "_r"))
            flags |= IR_RZ;
        uint64_t v;
        if (b->arg == IR_OP_select) {
            *out = raw[0] ? raw[1] : raw[2];
            return true;
        }
        if (!ir_eval((enum ir_op)b->arg, cu_ir_type(t), cu_ir_type(e->args[0]->type), flags, bits,
                     &v))
            return false;
        *out = from_bits(e->type, v);
        return true;
    }
    default: return false;
    }
}
