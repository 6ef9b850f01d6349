/* Names of functions and variables in the Itanium C++ ABI, so that host code can find them. */
#include "front/cuda/sema/sema.h"

struct mangler {
    struct front *f;
    struct sbuf b;
    VEC(const void *) subs; /* what was already spelled: types, templates, namespaces */
};

static void put_type(struct mangler *m, struct type *t);
static void put_targs(struct mangler *m, const struct targ *args, size_t n);

static void put_seq(struct mangler *m, size_t i)
{
    if (i == 0) {
        sbuf_puts(&m->b, "S_");
        return;
    }
    i--;
    char digits[16];
    int n = 0;
    do {
        digits[n++] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36];
        i /= 36;
    } while (i);
    sbuf_putc(&m->b, 'S');
    while (n)
        sbuf_putc(&m->b, digits[--n]);
    sbuf_putc(&m->b, '_');
}

static bool substitute(struct mangler *m, const void *key)
{
    for (size_t i = 0; i < m->subs.len; i++)
        if (m->subs.data[i] == key) {
            put_seq(m, i);
            return true;
        }
    return false;
}

static void remember(struct mangler *m, const void *key)
{
    for (size_t i = 0; i < m->subs.len; i++)
        if (m->subs.data[i] == key)
            return;
    vec_push(m->f->a, &m->subs, key);
}

static void put_name(struct mangler *m, const char *name)
{
    const size_t len = strlen(name);
    char digits[24];
    size_t at = sizeof digits;
    for (size_t rest = len; rest || at == sizeof digits; rest /= 10)
        digits[--at] = (char)('0' + rest % 10);
    sbuf_put(&m->b, digits + at, sizeof digits - at);
    sbuf_put(&m->b, name, len);
}

static struct scope *real_scope(struct scope *s)
{
    while (s && (s->kind == SCOPE_TEMPLATE || s->kind == SCOPE_ENUM))
        s = s->parent;
    return s;
}

static bool is_std(struct front *f, struct scope *s)
{
    return s && s == f->std;
}

/* Prefix of a nested name: namespaces and classes, outermost first. */
static void put_prefix(struct mangler *m, struct scope *s)
{
    s = real_scope(s);
    if (!s || s->kind == SCOPE_GLOBAL || s->kind == SCOPE_BLOCK || s->kind == SCOPE_FUNC)
        return;
    if (s->kind == SCOPE_NAMESPACE) {
        if (is_std(m->f, s)) {
            sbuf_puts(&m->b, "St");
            return;
        }
        if (substitute(m, s))
            return;
        put_prefix(m, s->parent);
        put_name(m, s->name ? s->name : "_GLOBAL__N_1");
        remember(m, s);
        return;
    }
    struct class_info *c = s->cls;
    if (substitute(m, c->type))
        return;
    put_prefix(m, c->outer);
    if (c->is_lambda)
        sbuf_printf(&m->b, "Ul%zu_%uE_", c->lambda_pos, c->lambda_index);
    else
        put_name(m, c->name ? c->name : "unnamed");
    if (c->tmpl) {
        remember(m, c->tmpl);
        put_targs(m, c->args, c->nargs);
    }
    remember(m, c->type);
}

static struct func *enclosing_func(struct scope *s)
{
    for (; s; s = s->parent)
        if ((s->kind == SCOPE_BLOCK || s->kind == SCOPE_FUNC) && s->func)
            return s->func;
    return NULL;
}

/* The classes of std that have letters of their own: a template, or what is made of it with char.
 */
static bool put_abbreviated(struct mangler *m, struct class_info *c)
{
    static const struct {
        const char *name, *letters;
        bool whole;
    } rows[] = {{"allocator", "Sa", false},
                {"basic_istream", "Si", true},
                {"basic_ostream", "So", true},
                {"basic_iostream", "Sd", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(c->name, rows[i].name))
            continue;
        if (rows[i].whole && (c->args[0].kind != TARG_TYPE || c->args[0].type->kind != TY_CHAR))
            return false;
        sbuf_puts(&m->b, rows[i].letters);
        if (rows[i].whole)
            return true;
        put_targs(m, c->args, c->nargs);
        remember(m, c->type);
        return true;
    }
    return false;
}

static void put_class(struct mangler *m, struct class_info *c)
{
    if (substitute(m, c->type))
        return;
    struct scope *s = real_scope(c->outer);
    if (c->tmpl && c->name && c->nargs && is_std(m->f, s) && put_abbreviated(m, c))
        return;
    struct func *in = enclosing_func(c->outer);
    if (in && (c->is_local || c->is_lambda)) {
        sbuf_puts(&m->b, "Z");
        sbuf_puts(&m->b,
                  cu_mangle_func(m->f, in) + (strncmp(cu_mangle_func(m->f, in), "_Z", 2) ? 0 : 2));
        sbuf_puts(&m->b, "E");
        if (c->is_lambda)
            sbuf_printf(&m->b, "Ul%zu_%uE_", c->lambda_pos, c->lambda_index);
        else
            put_name(m, c->name ? c->name : "unnamed");
        remember(m, c->type);
        return;
    }
    bool nested = s && s->kind != SCOPE_GLOBAL && !is_std(m->f, s);
    if (nested)
        sbuf_putc(&m->b, 'N');
    if (!c->tmpl || !substitute(m, c->tmpl)) {
        put_prefix(m, s);
        if (c->is_lambda)
            sbuf_printf(&m->b, "Ul%zu_%uE_", c->lambda_pos, c->lambda_index);
        else
            put_name(m, c->name ? c->name : "unnamed");
        if (c->tmpl)
            remember(m, c->tmpl);
    }
    if (c->tmpl)
        put_targs(m, c->args, c->nargs);
    if (nested)
        sbuf_putc(&m->b, 'E');
    remember(m, c->type);
}

static const char *scalar_code(enum type_kind k)
{
    switch (k) {
    case TY_VOID: return "v";
    case TY_BOOL: return "b";
    case TY_CHAR: return "c";
    case TY_SCHAR: return "a";
    case TY_UCHAR: return "h";
    case TY_CHAR8: return "Du";
    case TY_CHAR16: return "Ds";
    case TY_CHAR32: return "Di";
    case TY_WCHAR: return "w";
    case TY_SHORT: return "s";
    case TY_USHORT: return "t";
    case TY_INT: return "i";
    case TY_UINT: return "j";
    case TY_LONG: return "l";
    case TY_ULONG: return "m";
    case TY_LLONG: return "x";
    case TY_ULLONG: return "y";
    case TY_HALF: return "DF16_";
    case TY_BF16: return "DF16b";
    case TY_FLOAT: return "f";
    case TY_DOUBLE: return "d";
    case TY_LDOUBLE: return "e";
    case TY_NULLPTR: return "Dn";
    default: return NULL;
    }
}

static void put_type(struct mangler *m, struct type *t)
{
    if (t->kind <= TY_NULLPTR && !t->quals) {
        sbuf_puts(&m->b, scalar_code(t->kind));
        return;
    }
    if (t->kind == TY_CLASS && !t->quals) {
        put_class(m, t->cls);
        return;
    }
    if (substitute(m, t))
        return;
    if (t->quals) {
        if (t->quals & QUAL_VOLATILE)
            sbuf_putc(&m->b, 'V');
        if (t->quals & QUAL_CONST)
            sbuf_putc(&m->b, 'K');
        put_type(m, t->unqual);
        remember(m, t);
        return;
    }
    switch (t->kind) {
    case TY_POINTER:
        sbuf_putc(&m->b, 'P');
        put_type(m, t->elem);
        break;
    case TY_LREF:
        sbuf_putc(&m->b, 'R');
        put_type(m, t->elem);
        break;
    case TY_RREF:
        sbuf_putc(&m->b, 'O');
        put_type(m, t->elem);
        break;
    case TY_ARRAY:
        if (t->count == ARRAY_UNKNOWN)
            sbuf_puts(&m->b, "A_");
        else
            sbuf_printf(&m->b, "A%llu_", (unsigned long long)t->count);
        put_type(m, t->elem);
        break;
    case TY_FUNC:
        if (t->func_quals & QUAL_VOLATILE)
            sbuf_putc(&m->b, 'V');
        if (t->func_quals & QUAL_CONST)
            sbuf_putc(&m->b, 'K');
        sbuf_puts(&m->b, t->func_noexcept ? "DoF" : "F");
        put_type(m, t->elem);
        for (size_t i = 0; i < t->nparams; i++)
            put_type(m, t->params[i]);
        if (!t->nparams && !t->variadic)
            sbuf_putc(&m->b, 'v');
        if (t->variadic)
            sbuf_putc(&m->b, 'z');
        if (t->func_ref)
            sbuf_putc(&m->b, t->func_ref == REF_LVALUE ? 'R' : 'O');
        sbuf_putc(&m->b, 'E');
        break;
    case TY_MEMPTR:
        sbuf_putc(&m->b, 'M');
        put_type(m, t->params[0]);
        put_type(m, t->elem);
        break;
    case TY_ENUM: {
        struct scope *s = real_scope(t->enumeration->decl ? t->enumeration->decl->scope : NULL);
        bool nested = s && s->kind != SCOPE_GLOBAL && !is_std(m->f, s);
        if (nested)
            sbuf_putc(&m->b, 'N');
        put_prefix(m, s);
        put_name(m, t->enumeration->name ? t->enumeration->name : "unnamed");
        if (nested)
            sbuf_putc(&m->b, 'E');
        break;
    }
    default: sbuf_puts(&m->b, "Da"); break;
    }
    remember(m, t);
}

static void put_number(struct mangler *m, struct type *t, int64_t value)
{
    sbuf_putc(&m->b, 'L');
    put_type(m, t);
    if (value < 0 && cu_is_signed(t))
        sbuf_printf(&m->b, "n%llu", 0 - (unsigned long long)value);
    else
        sbuf_printf(&m->b, "%llu", (unsigned long long)value);
    sbuf_putc(&m->b, 'E');
}

static void put_object(struct mangler *m, struct type *t, const uint8_t *bytes);

static void put_scalar(struct mangler *m, struct type *t, const uint8_t *bytes)
{
    const size_t size = cu_sizeof(m->f, t, (struct span){0});
    uint64_t v = 0;
    memcpy(&v, bytes, size < 8 ? size : 8);
    if (!cu_is_float(t)) {
        put_number(m, t, cu_wrap(t, (int64_t)v));
        return;
    }
    sbuf_putc(&m->b, 'L');
    put_type(m, t);
    for (size_t i = size; i-- > 0;)
        sbuf_printf(&m->b, "%02x", bytes[i]);
    sbuf_putc(&m->b, 'E');
}

/* bits: of a double, whatever the type is */
static void put_float(struct mangler *m, struct type *t, int64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    const float s = (float)d;
    const void *from = cu_sizeof(m->f, t, (struct span){0}) == 4 ? (const void *)&s : &d;
    put_scalar(m, t, from);
}

/* tl <type> <members> E, as a braced list is written; members that are zero at the end are not. */
static void put_object(struct mangler *m, struct type *t, const uint8_t *bytes)
{
    t = t->unqual;
    if (t->kind != TY_CLASS && t->kind != TY_ARRAY) {
        put_scalar(m, t, bytes);
        return;
    }
    size_t n;
    const struct cu_part *parts = cu_parts(m->f, t, bytes, &n);
    sbuf_puts(&m->b, "tl");
    put_type(m, t);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].bits)
            put_number(m, parts[i].type, cu_part_bits(&parts[i], bytes));
        else
            put_object(m, parts[i].type, bytes + parts[i].at);
    }
    sbuf_putc(&m->b, 'E');
}

static void put_targ(struct mangler *m, const struct targ *a)
{
    switch (a->kind) {
    case TARG_TYPE: put_type(m, a->type); break;
    case TARG_VALUE:
        if (a->object && a->type->kind == TY_CLASS) {
            sbuf_putc(&m->b, 'X');
            put_object(m, a->type, cu_object_bytes(m->f, (struct var *)a->object));
            sbuf_putc(&m->b, 'E');
            break;
        }
        if (a->object) {
            sbuf_puts(&m->b, "XadL");
            if (a->object->kind == DECL_FUNC)
                sbuf_puts(&m->b, cu_mangle_func(m->f, (struct func *)a->object));
            else if (a->object->kind == DECL_VAR)
                sbuf_puts(&m->b, cu_mangle_var(m->f, (struct var *)a->object));
            else
                put_name(m, a->object->name);
            sbuf_puts(&m->b, "EE");
            break;
        }
        if (cu_is_float(a->type))
            put_float(m, a->type, a->value);
        else
            put_number(m, a->type, a->value);
        break;
    case TARG_TEMPLATE: {
        struct scope *s = real_scope(a->tmpl->d.scope);
        if (substitute(m, a->tmpl))
            break;
        bool nested = s && s->kind != SCOPE_GLOBAL && !is_std(m->f, s);
        if (nested)
            sbuf_putc(&m->b, 'N');
        put_prefix(m, s);
        put_name(m, a->tmpl->d.name);
        if (nested)
            sbuf_putc(&m->b, 'E');
        remember(m, a->tmpl);
        break;
    }
    case TARG_PACK:
        sbuf_putc(&m->b, 'J');
        for (size_t i = 0; i < a->npack; i++)
            put_targ(m, &a->pack[i]);
        sbuf_putc(&m->b, 'E');
        break;
    default: break;
    }
}

static void put_targs(struct mangler *m, const struct targ *args, size_t n)
{
    sbuf_putc(&m->b, 'I');
    for (size_t i = 0; i < n; i++)
        put_targ(m, &args[i]);
    sbuf_putc(&m->b, 'E');
}

static const char *operator_code(const struct func *fn)
{
    bool unary = fn->nparams + (fn->cls && !fn->is_static ? 1 : 0) == 1;
    switch (fn->op) {
    case OPN_NEW: return "nw";
    case OPN_NEW_ARRAY: return "na";
    case OPN_DELETE: return "dl";
    case OPN_DELETE_ARRAY: return "da";
    case PUNCT_TILDE: return "co";
    case PUNCT_ADD: return unary ? "ps" : "pl";
    case PUNCT_SUB: return unary ? "ng" : "mi";
    case PUNCT_MUL: return unary ? "de" : "ml";
    case PUNCT_DIV: return "dv";
    case PUNCT_MOD: return "rm";
    case PUNCT_AND: return unary ? "ad" : "an";
    case PUNCT_OR: return "or";
    case PUNCT_XOR: return "eo";
    case PUNCT_ASSIGN: return "aS";
    case PUNCT_ADD_ASSIGN: return "pL";
    case PUNCT_SUB_ASSIGN: return "mI";
    case PUNCT_MUL_ASSIGN: return "mL";
    case PUNCT_DIV_ASSIGN: return "dV";
    case PUNCT_MOD_ASSIGN: return "rM";
    case PUNCT_AND_ASSIGN: return "aN";
    case PUNCT_OR_ASSIGN: return "oR";
    case PUNCT_XOR_ASSIGN: return "eO";
    case PUNCT_SHL: return "ls";
    case PUNCT_SHR: return "rs";
    case PUNCT_SHL_ASSIGN: return "lS";
    case PUNCT_SHR_ASSIGN: return "rS";
    case PUNCT_EQ: return "eq";
    case PUNCT_NE: return "ne";
    case PUNCT_LT: return "lt";
    case PUNCT_GT: return "gt";
    case PUNCT_LE: return "le";
    case PUNCT_GE: return "ge";
    case PUNCT_NOT: return "nt";
    case PUNCT_ANDAND: return "aa";
    case PUNCT_OROR: return "oo";
    case PUNCT_INC: return "pp";
    case PUNCT_DEC: return "mm";
    case PUNCT_COMMA: return "cm";
    case PUNCT_ARROW: return "pt";
    case PUNCT_ARROW_STAR: return "pm";
    case OPN_CALL: return "cl";
    case OPN_INDEX: return "ix";
    default: return NULL;
    }
}

static void put_func_name(struct mangler *m, struct func *fn)
{
    if (fn->is_ctor)
        sbuf_puts(&m->b, "C1");
    else if (fn->is_dtor)
        sbuf_puts(&m->b, "D1");
    else if (fn->is_conversion) {
        sbuf_puts(&m->b, "cv");
        put_type(m, fn->d.type->elem);
    } else if (fn->op && fn->op != OPN_LITERAL && operator_code(fn))
        sbuf_puts(&m->b, operator_code(fn));
    else if (fn->op == OPN_LITERAL) {
        sbuf_puts(&m->b, "li");
        put_name(m, fn->d.name + 10);
    } else
        put_name(m, fn->d.name);
}

const char *cu_mangle_func(struct front *f, struct func *fn)
{
    if (fn->mangled)
        return fn->mangled;
    if ((fn->extern_c && !fn->cls && !fn->tmpl) || (fn->d.name == f->n_main))
        return fn->mangled = fn->d.name;
    fn->mangled = "?"; /* a lambda's name may ask for its own function's */
    struct mangler m = {.f = f};
    sbuf_init(&m.b, f->a);
    sbuf_puts(&m.b, "_Z");
    struct scope *s = real_scope(fn->cls ? fn->cls->scope : fn->d.scope);
    bool plain = !s || s->kind == SCOPE_GLOBAL || s->kind == SCOPE_BLOCK || s->kind == SCOPE_FUNC;
    bool nested = !plain && !is_std(f, s);
    struct func *in = fn->cls && (fn->cls->is_lambda || fn->cls->is_local)
                          ? enclosing_func(fn->cls->outer)
                          : NULL;
    if (in && in != fn) {
        const char *outer = cu_mangle_func(f, in);
        sbuf_printf(&m.b, "Z%sE", outer + (strncmp(outer, "_Z", 2) ? 0 : 2));
    }
    if (nested) {
        sbuf_putc(&m.b, 'N');
        if (fn->d.type->func_quals & QUAL_VOLATILE)
            sbuf_putc(&m.b, 'V');
        if (fn->d.type->func_quals & QUAL_CONST)
            sbuf_putc(&m.b, 'K');
        if (fn->d.type->func_ref)
            sbuf_putc(&m.b, fn->d.type->func_ref == REF_LVALUE ? 'R' : 'O');
    }
    if (!plain)
        put_prefix(&m, s);
    put_func_name(&m, fn);
    if (fn->tmpl) {
        remember(&m, fn->tmpl);
        put_targs(&m, fn->targs, fn->ntargs);
    }
    if (nested)
        sbuf_putc(&m.b, 'E');
    if (fn->tmpl && !fn->is_ctor && !fn->is_dtor && !fn->is_conversion)
        put_type(&m, fn->d.type->elem);
    struct type *t = fn->d.type;
    for (size_t i = 0; i < t->nparams; i++)
        put_type(&m, t->params[i]);
    if (!t->nparams && !t->variadic)
        sbuf_putc(&m.b, 'v');
    if (t->variadic)
        sbuf_putc(&m.b, 'z');
    return fn->mangled = m.b.data;
}

const char *cu_mangle_var(struct front *f, struct var *v)
{
    struct scope *s = real_scope(v->d.scope);
    if (v->func) {
        const char *fname = cu_mangle_func(f, v->func);
        return arena_printf(f->a, "_ZZ%sE%zu%s", fname + (strncmp(fname, "_Z", 2) ? 0 : 2),
                            strlen(v->d.name ? v->d.name : "v"), v->d.name ? v->d.name : "v");
    }
    if ((!s || s->kind == SCOPE_GLOBAL || v->extern_c) && !v->tmpl)
        return v->d.name;
    struct mangler m = {.f = f};
    sbuf_init(&m.b, f->a);
    sbuf_puts(&m.b, "_Z");
    bool nested = s && s->kind != SCOPE_GLOBAL && !is_std(f, s);
    if (nested)
        sbuf_putc(&m.b, 'N');
    put_prefix(&m, s);
    put_name(&m, v->d.name);
    if (v->tmpl)
        put_targs(&m, v->targs, v->ntargs);
    if (nested)
        sbuf_putc(&m.b, 'E');
    return m.b.data;
}

const char *cu_mangle_type(struct front *f, struct type *t)
{
    struct mangler m = {.f = f};
    sbuf_init(&m.b, f->a);
    put_type(&m, t);
    return m.b.data;
}

/* A kernel that is not a template goes by the name the user gave it, when it is the only one of
 * that name. */
const char *cu_kernel_name(struct front *f, struct func *fn)
{
    if (fn->tmpl || fn->cls)
        return cu_mangle_func(f, fn);
    unsigned n = 0;
    vec_each (struct func *, it, &f->kernels)
        n += (*it)->d.name == fn->d.name && *it != fn;
    return n ? cu_mangle_func(f, fn) : fn->d.name;
}
