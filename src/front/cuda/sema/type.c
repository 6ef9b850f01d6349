/* Types: made once each, so that equal types are equal pointers. */
#include "front/cuda/sema/sema.h"
#include "ir/meaning.h"

static const struct {
    const char *text;
    uint8_t size, rank;
} scalars[] = {{"void", 1, 0},
#define X(name, text, size, rank) {text, size, rank},
               CU_SCALARS(X)
#undef X
};

static struct type *type_new(struct front *f, enum type_kind k)
{
    struct type *t = arena_new(f->a, struct type);
    t->kind = k;
    t->unqual = t;
    t->variant[0] = t;
    return t;
}

void cu_types_init(struct front *f)
{
    map_init(&f->derived, f->a);
    map_init(&f->objects, f->a);
    for (unsigned k = TY_VOID; k <= TY_NULLPTR; k++)
        f->basic[k] = type_new(f, (enum type_kind)k);
    static const enum type_kind others[] = {TY_AUTO, TY_OVERLOAD, TY_BRACED, TY_DEPENDENT};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        f->basic[others[i]] = type_new(f, others[i]);
    f->basic[TY_DEPENDENT]->dependent = true;
    f->size_type = f->basic[TY_ULONG];
    f->ptrdiff_type = f->basic[TY_LONG];
    f->char_const = cu_qualified(f, f->basic[TY_CHAR], QUAL_CONST);
}

struct type *cu_type(struct front *f, enum type_kind k)
{
    return f->basic[k];
}

struct type *cu_with_quals(struct front *f, struct type *t, unsigned quals)
{
    if (t->kind == TY_ARRAY) { /* qualifiers of an array are those of its elements */
        struct type *elem = cu_with_quals(f, t->elem, quals);
        if (elem == t->elem)
            return t;
        return t->owner ? cu_array_of_param(f, elem, t->owner, t->index)
                        : cu_array_of(f, elem, t->count);
    }
    if (cu_is_ref(t) || t->kind == TY_FUNC)
        return t;
    struct type *u = t->unqual;
    if (!u->variant[quals]) {
        struct type *v = arena_new(f->a, struct type);
        *v = *u;
        v->quals = (uint8_t)quals;
        v->unqual = u;
        v->pointer = v->lref = v->rref = NULL;
        memset(v->variant, 0, sizeof v->variant);
        u->variant[quals] = v;
    }
    return u->variant[quals];
}

struct type *cu_qualified(struct front *f, struct type *t, unsigned quals)
{
    if (!quals)
        return t;
    if (t->kind == TY_ARRAY)
        return cu_with_quals(f, t, quals | (t->elem->kind == TY_ARRAY ? 0 : t->elem->quals));
    return cu_with_quals(f, t, t->quals | quals);
}

/* Of a type that is made of t; it stays where it is at the end of what is counted. */
static uint16_t deeper(const struct type *t)
{
    return t->depth < UINT16_MAX ? (uint16_t)(t->depth + 1) : t->depth;
}

struct type *cu_pointer_to(struct front *f, struct type *t)
{
    if (cu_is_ref(t))
        cu_error(f, cu_span(f), "a pointer to a reference ('%s') is not a type", cu_type_str(f, t));
    if (!t->pointer) {
        t->pointer = type_new(f, TY_POINTER);
        t->pointer->elem = t;
        t->pointer->depth = deeper(t);
        t->pointer->dependent = t->dependent;
    }
    return t->pointer;
}

struct type *cu_lref_to(struct front *f, struct type *t)
{
    if (cu_is_ref(t))
        t = t->elem; /* & collapses && */
    if (t->kind == TY_VOID)
        cu_error(f, cu_span(f), "a reference to void is not a type");
    if (!t->lref) {
        t->lref = type_new(f, TY_LREF);
        t->lref->elem = t;
        t->lref->depth = deeper(t);
        t->lref->dependent = t->dependent;
    }
    return t->lref;
}

struct type *cu_rref_to(struct front *f, struct type *t)
{
    if (cu_is_ref(t))
        return t;
    if (t->kind == TY_VOID)
        cu_error(f, cu_span(f), "a reference to void is not a type");
    if (!t->rref) {
        t->rref = type_new(f, TY_RREF);
        t->rref->elem = t;
        t->rref->depth = deeper(t);
        t->rref->dependent = t->dependent;
    }
    return t->rref;
}

/* Finds or makes the type that the bytes of key name: no structs, whose padding would count. */
static struct type *derived(struct front *f, const void *key, size_t n, enum type_kind k,
                            bool *fresh)
{
    const char *name = intern(f->names, key, n);
    struct type *t = map_get(&f->derived, map_key(name));
    *fresh = !t;
    if (!t) {
        t = type_new(f, k);
        map_set(&f->derived, map_key(name), t);
    }
    return t;
}

struct type *cu_array_of(struct front *f, struct type *t, uint64_t count)
{
    const uint64_t key[] = {TY_ARRAY, (uintptr_t)t, count};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_ARRAY, &fresh);
    if (fresh) {
        r->elem = t;
        r->depth = deeper(t);
        r->count = count;
        r->dependent = t->dependent;
    }
    return r;
}

struct type *cu_array_of_param(struct front *f, struct type *t, struct template_info *owner,
                               unsigned i)
{
    const uint64_t key[] = {TY_ARRAY, (uintptr_t)t, (uintptr_t)owner, i};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_ARRAY, &fresh);
    if (fresh) {
        r->elem = t;
        r->owner = owner;
        r->index = i;
        r->count = ARRAY_UNKNOWN;
        r->dependent = true;
    }
    return r;
}

/* The one type that is as `like`, which need not live on. */
static struct type *func_type(struct front *f, const struct type *like)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    const uint64_t head[] = {TY_FUNC,
                             (uint64_t)like->variadic | (uint64_t)like->func_quals << 8 |
                                 (uint64_t)like->func_ref << 16 |
                                 (uint64_t)like->func_noexcept << 24 | (uint64_t)like->index << 32,
                             (uintptr_t)like->owner, like->nparams, (uintptr_t)like->elem};
    sbuf_put(&b, head, sizeof head);
    for (size_t i = 0; i < like->nparams; i++)
        sbuf_put(&b, &like->params[i], sizeof *like->params);
    bool fresh;
    struct type *r = derived(f, b.data, b.len, TY_FUNC, &fresh);
    if (!fresh)
        return r;
    r->elem = like->elem;
    r->nparams = like->nparams;
    r->params = arena_array(f->a, struct type *, r->nparams);
    r->variadic = like->variadic;
    r->func_quals = like->func_quals;
    r->func_ref = like->func_ref;
    r->func_noexcept = like->func_noexcept;
    r->owner = like->owner;
    r->index = like->index;
    r->dependent = r->elem->dependent || r->func_noexcept > NOEXCEPT_YES;
    r->depth = deeper(r->elem);
    for (size_t i = 0; i < r->nparams; i++) {
        struct type *param = r->params[i] = like->params[i];
        if (r->depth < deeper(param))
            r->depth = deeper(param);
        r->dependent |= param->dependent;
    }
    return r;
}

struct type *cu_func_type(struct front *f, struct type *result, struct type **params, size_t n,
                          bool variadic, unsigned quals, enum ref_qual ref)
{
    const struct type like = {.elem = result,
                              .params = params,
                              .nparams = n,
                              .variadic = variadic,
                              .func_quals = (uint8_t)quals,
                              .func_ref = ref};
    return func_type(f, &like);
}

struct type *cu_noexcept_type(struct front *f, struct type *t, enum func_noexcept promise,
                              struct template_info *owner, unsigned index)
{
    struct type like = *t;
    like.func_noexcept = promise;
    like.owner = owner;
    like.index = index;
    return func_type(f, &like);
}

struct type *cu_may_throw(struct front *f, struct type *t)
{
    return t->kind == TY_FUNC && t->func_noexcept ? cu_noexcept_type(f, t, NOEXCEPT_NO, NULL, 0)
                                                  : t;
}

struct type *cu_memptr_to(struct front *f, struct type *cls, struct type *member)
{
    const uint64_t key[] = {TY_MEMPTR, (uintptr_t)cls->unqual, (uintptr_t)member};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_MEMPTR, &fresh);
    if (fresh) {
        r->cls = cls->kind == TY_CLASS ? cls->cls : NULL;
        r->params = arena_array(f->a, struct type *, 1);
        r->params[0] = cls->unqual; /* the class as a type: a pattern may stand there */
        r->elem = member;
        r->depth = deeper(member);
        r->dependent = cls->dependent || member->dependent;
    }
    return r;
}

struct type *cu_param_type(struct front *f, struct template_info *owner, unsigned index)
{
    const uint64_t key[] = {TY_PARAM, (uintptr_t)owner, index};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_PARAM, &fresh);
    if (fresh) {
        r->owner = owner;
        r->index = index;
        r->dependent = true;
    }
    return r;
}

struct type *cu_template_id(struct front *f, struct template_info *t, struct targ *args, size_t n)
{
    const uint64_t key[] = {TY_TEMPLATE_ID, (uintptr_t)t, (uintptr_t)cu_targs_key(f, args, n)};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_TEMPLATE_ID, &fresh);
    if (fresh) {
        r->tmpl = t;
        r->args = args;
        r->nargs = n;
        r->dependent = true;
    }
    return r;
}

struct type *cu_pack_type(struct front *f, struct type *pattern)
{
    const uint64_t key[] = {TY_PACK, (uintptr_t)pattern};
    bool fresh;
    struct type *r = derived(f, key, sizeof key, TY_PACK, &fresh);
    if (fresh) {
        r->elem = pattern;
        r->dependent = true;
    }
    return r;
}

struct type *cu_class_type(struct front *f, struct class_info *c)
{
    struct type *t = type_new(f, TY_CLASS);
    t->cls = c;
    return c->type = t;
}

struct type *cu_enum_type(struct front *f, struct enum_info *e)
{
    struct type *t = type_new(f, TY_ENUM);
    t->enumeration = e;
    t->elem = f->basic[TY_UINT];
    return t;
}

/* ---- questions ---- */

bool cu_is_integer(const struct type *t)
{
    return t->kind >= TY_BOOL && t->kind <= TY_ULLONG;
}

bool cu_is_unscoped_enum(const struct type *t)
{
    return t->kind == TY_ENUM && !t->enumeration->scoped;
}

bool cu_is_integral(const struct type *t)
{
    return cu_is_integer(t) || cu_is_unscoped_enum(t);
}

bool cu_is_float(const struct type *t)
{
    return t->kind >= TY_HALF && t->kind <= TY_LDOUBLE;
}

bool cu_is_arith(const struct type *t)
{
    return t->kind >= TY_BOOL && t->kind <= TY_LDOUBLE;
}

bool cu_is_scalar(const struct type *t)
{
    return cu_is_arith(t) || t->kind == TY_ENUM || t->kind == TY_POINTER || t->kind == TY_NULLPTR ||
           t->kind == TY_MEMPTR;
}

bool cu_is_object_pointer(const struct type *t)
{
    return t->kind == TY_POINTER && t->elem->kind != TY_FUNC;
}

struct type *cu_underlying(struct type *t)
{
    return t->kind == TY_ENUM ? t->unqual->elem : t;
}

bool cu_is_signed(const struct type *t)
{
    if (t->kind == TY_ENUM)
        t = t->unqual->elem;
    switch (t->kind) {
    case TY_CHAR: /* as on x86-64 and as CUDA's own device code has it there */
    case TY_SCHAR:
    case TY_WCHAR:
    case TY_SHORT:
    case TY_INT:
    case TY_LONG:
    case TY_LLONG: return true;
    default: return false;
    }
}

static unsigned rank_of(const struct type *t)
{
    return t->kind <= TY_NULLPTR ? scalars[t->kind].rank : 0;
}

unsigned cu_bits(const struct type *t)
{
    if (t->kind == TY_ENUM)
        t = t->unqual->elem;
    if (t->kind == TY_BOOL)
        return 1;
    return t->kind <= TY_NULLPTR ? scalars[t->kind].size * 8u : 64;
}

struct type *cu_promoted(struct front *f, struct type *t)
{
    t = t->unqual;
    if (t->kind == TY_ENUM)
        return t->enumeration->scoped     ? t
               : t->enumeration->promoted ? t->enumeration->promoted
                                          : cu_promoted(f, t->elem);
    if (!cu_is_integer(t))
        return t;
    if (t->kind == TY_CHAR32)
        return f->basic[TY_UINT];
    if (rank_of(t) < rank_of(f->basic[TY_INT]) || t->kind == TY_WCHAR)
        return f->basic[TY_INT];
    return t;
}

static struct type *unsigned_of(struct front *f, struct type *t)
{
    switch (t->kind) {
    case TY_INT: return f->basic[TY_UINT];
    case TY_LONG: return f->basic[TY_ULONG];
    case TY_LLONG: return f->basic[TY_ULLONG];
    default: return t;
    }
}

/* The usual arithmetic conversions. */
struct type *cu_usual(struct front *f, struct type *a, struct type *b)
{
    a = a->unqual;
    b = b->unqual;
    if (cu_is_float(a) || cu_is_float(b)) {
        if (!cu_is_float(a))
            return b;
        if (!cu_is_float(b))
            return a;
        return a->kind > b->kind ? a : b;
    }
    a = cu_promoted(f, a);
    b = cu_promoted(f, b);
    if (a == b)
        return a;
    if (cu_is_signed(a) == cu_is_signed(b))
        return rank_of(a) >= rank_of(b) ? a : b;
    struct type *u = cu_is_signed(a) ? b : a, *s = cu_is_signed(a) ? a : b;
    if (rank_of(u) >= rank_of(s))
        return u;
    if (cu_bits(s) > cu_bits(u))
        return s;
    return unsigned_of(f, s);
}

struct type *cu_decayed(struct front *f, struct type *t)
{
    t = cu_noref(t);
    if (t->kind == TY_ARRAY)
        return cu_pointer_to(f, t->elem);
    if (t->kind == TY_FUNC)
        return cu_pointer_to(f, t);
    return t->unqual;
}

/* ---- spelling ---- */

static void put_type(struct front *f, struct sbuf *b, const struct type *t, const char *inner);

static void put_quals(struct sbuf *b, unsigned q)
{
    if (q & QUAL_CONST)
        sbuf_puts(b, "const ");
    if (q & QUAL_VOLATILE)
        sbuf_puts(b, "volatile ");
}

static void put_targ(struct front *f, struct sbuf *b, const struct targ *a)
{
    switch (a->kind) {
    case TARG_TYPE: put_type(f, b, a->type, ""); break;
    case TARG_VALUE:
        if (a->object && a->type && a->type->kind == TY_CLASS) {
            put_type(f, b, a->type, "");
            cu_put_members(f, b, a->type, cu_object_bytes(f, (struct var *)a->object));
        } else if (a->object)
            sbuf_printf(b, "&%s", cu_qualified_name(f, a->object));
        else if (a->type && a->type->kind == TY_BOOL)
            sbuf_puts(b, a->value ? "true" : "false");
        else if (a->type && !cu_is_signed(a->type))
            sbuf_printf(b, "%llu", (unsigned long long)a->value);
        else
            sbuf_printf(b, "%lld", (long long)a->value);
        break;
    case TARG_TEMPLATE: sbuf_puts(b, a->tmpl->d.name ? a->tmpl->d.name : "?"); break;
    case TARG_PACK:
        for (size_t i = 0; i < a->npack; i++) {
            if (i)
                sbuf_puts(b, ", ");
            put_targ(f, b, &a->pack[i]);
        }
        break;
    default: sbuf_puts(b, "?"); break;
    }
}

const char *cu_targs_str(struct front *f, const struct targ *args, size_t n)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    sbuf_putc(&b, '<');
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind == TARG_PACK && !args[i].npack)
            continue;
        if (i)
            sbuf_puts(&b, ", ");
        put_targ(f, &b, &args[i]);
    }
    sbuf_putc(&b, '>');
    return b.data;
}

static void put_params(struct front *f, struct sbuf *b, const struct type *t)
{
    sbuf_putc(b, '(');
    for (size_t i = 0; i < t->nparams; i++) {
        if (i)
            sbuf_puts(b, ", ");
        put_type(f, b, t->params[i], "");
    }
    if (t->variadic)
        sbuf_puts(b, t->nparams ? ", ..." : "...");
    sbuf_putc(b, ')');
    cu_put_function_marks(b, t);
}

void cu_put_function_marks(struct sbuf *b, const struct type *t)
{
    if (t->func_quals & QUAL_CONST)
        sbuf_puts(b, " const");
    if (t->func_quals & QUAL_VOLATILE)
        sbuf_puts(b, " volatile");
    if (t->func_ref)
        sbuf_puts(b, t->func_ref == REF_LVALUE ? " &" : " &&");
    if (t->func_noexcept)
        sbuf_puts(b, t->func_noexcept == NOEXCEPT_YES ? " noexcept" : " noexcept(?)");
}

/* Declarators are spelled inside out: inner is what stands where the name would. */
static void put_type(struct front *f, struct sbuf *b, const struct type *t, const char *inner)
{
    /* A run of plain pointers is spelled at once: it may be hundreds long. */
    size_t stars = 0;
    const struct type *run = t;
    while (run->kind == TY_POINTER && !run->quals && run->elem->kind != TY_ARRAY &&
           run->elem->kind != TY_FUNC) {
        stars++;
        run = run->elem;
    }
    if (stars > 1) {
        char *s = arena_alloc(f->a, stars + strlen(inner) + 2);
        s[0] = ' ';
        memset(s + 1, '*', stars);
        memcpy(s + 1 + stars, inner, strlen(inner) + 1);
        put_type(f, b, run, s);
        return;
    }
    bool nested = t->elem && (t->elem->kind == TY_ARRAY || t->elem->kind == TY_FUNC);
    switch (t->kind) {
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF: {
        const char *mark = t->kind == TY_POINTER ? "*" : t->kind == TY_LREF ? "&" : "&&";
        const char *q = t->quals == 3   ? "const volatile"
                        : t->quals == 1 ? "const"
                        : t->quals == 2 ? "volatile"
                                        : "";
        const char *s = arena_printf(f->a, nested ? "(%s%s%s%s)" : "%s%s%s%s", mark, q,
                                     *q && *inner ? " " : "", inner);
        put_type(f, b, t->elem, nested ? s : arena_printf(f->a, " %s", s));
        return;
    }
    case TY_ARRAY:
        put_type(f, b, t->elem,
                 t->count == ARRAY_UNKNOWN
                     ? arena_printf(f->a, "%s[]", inner)
                     : arena_printf(f->a, "%s[%llu]", inner, (unsigned long long)t->count));
        return;
    case TY_FUNC: {
        put_type(f, b, t->elem, "");
        if (*inner)
            sbuf_puts(b, inner);
        else
            sbuf_putc(b, ' ');
        put_params(f, b, t);
        return;
    }
    case TY_MEMPTR: {
        const char *s = arena_printf(f->a, nested ? "(%s::*%s)" : " %s::*%s",
                                     cu_type_str(f, t->params[0]), inner);
        put_type(f, b, t->elem, s);
        return;
    }
    default: break;
    }
    put_quals(b, t->quals);
    switch (t->kind) {
    case TY_CLASS:
        if (t->cls->is_lambda)
            sbuf_puts(b, "(lambda)");
        else if (!t->cls->name)
            sbuf_puts(b, t->cls->is_union ? "(unnamed union)" : "(unnamed struct)");
        else {
            if (t->cls->decl)
                sbuf_puts(b, cu_qualified_name(f, t->cls->decl));
            else
                sbuf_puts(b, t->cls->name);
            if (t->cls->args || t->cls->tmpl)
                sbuf_puts(b, cu_targs_str(f, t->cls->args, t->cls->nargs));
        }
        break;
    case TY_ENUM:
        sbuf_puts(b, t->enumeration->name ? cu_qualified_name(f, t->enumeration->decl)
                                          : "(unnamed enum)");
        break;
    case TY_AUTO: sbuf_puts(b, t->decltype_auto ? "decltype(auto)" : "auto"); break;
    case TY_OVERLOAD: sbuf_puts(b, "(overloaded function)"); break;
    case TY_BRACED: sbuf_puts(b, "(braced list)"); break;
    case TY_PARAM:
        sbuf_puts(b, t->owner->params[t->index].name ? t->owner->params[t->index].name : "auto");
        break;
    case TY_TEMPLATE_ID:
        sbuf_puts(b, t->tmpl->d.name ? t->tmpl->d.name : "?");
        sbuf_puts(b, cu_targs_str(f, t->args, t->nargs));
        break;
    case TY_PACK:
        put_type(f, b, t->elem, "");
        sbuf_puts(b, "...");
        break;
    case TY_DEPENDENT: sbuf_puts(b, "(dependent type)"); break;
    default: sbuf_puts(b, scalars[t->kind].text); break;
    }
    sbuf_puts(b, inner);
}

const char *cu_type_str(struct front *f, const struct type *t)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    put_type(f, &b, t, "");
    return b.data;
}

/* ---- template arguments as keys ---- */

/* Keys are compared and never shown: addresses and numbers are their bytes. */
static void put_word(struct sbuf *b, char kind, uint64_t word)
{
    char bytes[1 + sizeof word];
    bytes[0] = kind;
    memcpy(bytes + 1, &word, sizeof word);
    sbuf_put(b, bytes, sizeof bytes);
}

static void put_address(struct sbuf *b, char kind, const void *p)
{
    put_word(b, kind, (uintptr_t)p);
}

static void put_key(struct sbuf *b, const struct targ *a)
{
    switch (a->kind) {
    case TARG_TYPE: put_address(b, 't', a->type); break;
    case TARG_VALUE: /* the type matters for auto parameters only: values of one parameter agree in
                        it */
        put_word(b, 'v', (uint64_t)a->value);
        if (a->object)
            put_address(b, 'o', a->object);
        put_address(b, ':', a->type);
        break;
    case TARG_TEMPLATE: put_address(b, 'T', a->tmpl); break;
    case TARG_PACK:
        sbuf_puts(b, "(");
        for (size_t i = 0; i < a->npack; i++)
            put_key(b, &a->pack[i]);
        sbuf_puts(b, ")");
        break;
    case TARG_VAR: put_address(b, 'V', a->var); break;
    case TARG_DEPENDENT:
        put_address(b, a->expansion ? 'D' : 'd', a->param_owner);
        put_word(b, '.', a->param_index);
        break;
    case TARG_NONE: sbuf_puts(b, "-"); break;
    }
}

const char *cu_targs_key(struct front *f, const struct targ *args, size_t n)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    sbuf_puts(&b, "<");
    for (size_t i = 0; i < n; i++)
        put_key(&b, &args[i]);
    return intern(f->names, b.data, b.len);
}

bool cu_targ_same(struct front *f, const struct targ *a, const struct targ *b)
{
    if (a->kind == TARG_VALUE && b->kind == TARG_VALUE)
        return a->value == b->value && a->object == b->object;
    return cu_targs_key(f, a, 1) == cu_targs_key(f, b, 1);
}

bool cu_targs_dependent(const struct targ *args, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (args[i].kind == TARG_DEPENDENT ||
            (args[i].kind == TARG_TYPE && args[i].type->dependent))
            return true;
        if (args[i].kind == TARG_TEMPLATE && args[i].tmpl->kind == TEMPLATE_PARAM)
            return true;
        if (args[i].kind == TARG_PACK && cu_targs_dependent(args[i].pack, args[i].npack))
            return true;
    }
    return false;
}

struct targ cu_targ_type(struct type *t)
{
    return (struct targ){.kind = TARG_TYPE, .type = t};
}

struct targ cu_targ_int(struct type *t, int64_t v)
{
    return (struct targ){.kind = TARG_VALUE, .type = t, .value = v};
}

/* ---- as the IR has them ---- */

ir_type cu_ir_type(struct type *t)
{
    switch (t->kind) {
    case TY_VOID: return IR_VOID;
    case TY_BOOL: return IR_I1;
    case TY_HALF: return IR_F16;
    case TY_BF16: return IR_BF16;
    case TY_FLOAT: return IR_F32;
    case TY_DOUBLE:
    case TY_LDOUBLE: return IR_F64;
    case TY_ENUM: return cu_ir_type(t->unqual->elem);
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF:
    case TY_NULLPTR: return IR_PTR_TO(IR_SPACE_GENERIC);
    case TY_MEMPTR: return IR_I64;
    default: break;
    }
    switch (cu_bits(t)) {
    case 8: return IR_I8;
    case 16: return IR_I16;
    case 32: return IR_I32;
    default: return IR_I64;
    }
}

uint64_t cu_float_bits(ir_type t, double d)
{
    switch (t) {
    case IR_F16: return m_to_f16((float)d);
    case IR_BF16: return m_to_bf16((float)d);
    case IR_F32: return m_bits32((float)d);
    default: return m_bits64(d);
    }
}

double cu_float_of(ir_type t, uint64_t bits)
{
    switch (t) {
    case IR_F16: return (double)m_from_f16((uint16_t)bits);
    case IR_BF16: return (double)m_from_bf16((uint16_t)bits);
    case IR_F32: return (double)m_float((uint32_t)bits);
    default: return m_double(bits);
    }
}
