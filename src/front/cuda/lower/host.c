/* Functions of the host half: see host.h. */
#include "front/cuda/lower/lower.h"

#define PTR IR_PTR_TO(IR_SPACE_GENERIC)

static const struct host_abi abis[] = {
    {"AAPCS64", 8, false, true, false},
    {"System V x86-64", 6, true, false, false},
    {"WebAssembly", 60, false, false, true}, /* all arguments are there, as a call has them */
};

const struct host_abi *lo_host_abi(const struct lower *l)
{
    if (l->f->job->pp.page)
        return &abis[2];
#if defined(__aarch64__)
    return &abis[0];
#else
    return &abis[1];
#endif
}

/* ---- which functions ---- */

bool lo_host_outside(struct lower *l, const struct func *fn)
{
    return fn->state == BODY_NONE && !fn->is_defaulted && !fn->is_implicit && fn->extern_c &&
           !fn->cls && !fn->tmpl && !cu_find_member_def(l->f, (struct func *)fn);
}

/* Members that a register of floats would hold. */
static bool holds_float(const struct type *t)
{
    if (t->kind == TY_ARRAY)
        return holds_float(t->elem);
    if (t->kind != TY_CLASS)
        return cu_is_float(t);
    vec_each (struct base_class, b, &t->cls->bases)
        if (holds_float(b->cls->type))
            return true;
    for (const struct field *fd = t->cls->fields; fd; fd = fd->next)
        if (holds_float(fd->d.type))
            return true;
    return false;
}

static bool takes_class(const struct type *t)
{
    while (t->kind == TY_POINTER || cu_is_ref(t))
        t = t->elem;
    if (t->kind != TY_FUNC)
        return false;
    bool any = t->elem->kind == TY_CLASS;
    for (size_t i = 0; i < t->nparams; i++)
        any |= t->params[i]->kind == TY_CLASS;
    return any;
}

/* For those who call it by its address. Classes are refused there: takes_class. */
static void declare(const struct func *fn)
{
    const struct type *t = fn->d.type;
    if (takes_class(t))
        return;
    struct ir_func *f = fn->ir;
    f->ret = cu_ir_type(t->elem);
    for (size_t i = 0; i < t->nparams; i++)
        ir_func_param(f, NULL, cu_ir_type(t->params[i]), 0, 0, 0);
}

static struct ir_func *outside(struct lower *l, struct func *fn)
{
    struct ir_func *known = ir_func_find(l->m, intern_z(l->m->names, fn->d.name));
    if (known && known->first)
        cu_error(l->f, fn->d.span, "'%s' is declared twice, as different functions", fn->d.name);
    fn->ir =
        known ? known : ir_func_new(l->m, fn->d.name, IR_VOID, fn->noreturn ? IR_FUNC_NORETURN : 0);
    if (!known && lo_host_abi(l)->typed)
        declare(fn);
    return fn->ir;
}

/* ---- names of kernels, as expressions that name them at namespace scope ---- */

static void put_type(struct lower *l, struct sbuf *b, struct type *t);

static void put_scope(struct lower *l, struct sbuf *b, const struct scope *s)
{
    while (s && (s->kind == SCOPE_TEMPLATE || (s->kind == SCOPE_NAMESPACE && !s->name)))
        s = s->parent;
    if (!s || s->kind == SCOPE_GLOBAL)
        return;
    if (s->kind == SCOPE_CLASS) {
        put_type(l, b, s->cls->type);
    } else if (s->kind == SCOPE_NAMESPACE) {
        put_scope(l, b, s->parent);
        sbuf_puts(b, s->name);
    } else {
        cu_error(l->f, l->b.span, "a kernel's name has something local to a function in it");
    }
    sbuf_puts(b, "::");
}

static void put_args(struct lower *l, struct sbuf *b, const struct targ *args, size_t n);

static void put_decl(struct lower *l, struct sbuf *b, const struct decl *d)
{
    put_scope(l, b, d->scope);
    sbuf_puts(b, d->name);
    if (d->kind == DECL_FUNC && ((const struct func *)d)->ntargs)
        put_args(l, b, ((const struct func *)d)->targs, ((const struct func *)d)->ntargs);
}

static void put_targ(struct lower *l, struct sbuf *b, const struct targ *a)
{
    switch (a->kind) {
    case TARG_TYPE: put_type(l, b, a->type); break;
    case TARG_TEMPLATE: put_decl(l, b, &a->tmpl->d); break;
    case TARG_VALUE:
        if (a->object && a->type->kind == TY_CLASS) {
            put_type(l, b, a->type);
            cu_put_members(l->f, b, a->type, cu_object_bytes(l->f, (struct var *)a->object));
        } else if (cu_is_float(a->type)) {
            sbuf_printf(b, "(double)[%016llx]", (unsigned long long)a->value);
        } else if (a->object) {
            if (a->value)
                cu_error(l->f, l->b.span, "a kernel's template argument is a part of an object");
            if (a->object->kind == DECL_FUNC || !cu_is_ref(a->type))
                sbuf_putc(b, '&');
            put_decl(l, b, a->object);
        } else if (a->type->kind == TY_ENUM || a->type->kind == TY_POINTER) {
            sbuf_putc(b, '(');
            put_type(l, b, a->type);
            sbuf_printf(b, ")%lld", (long long)a->value);
        } else if (a->type->kind == TY_BOOL) {
            sbuf_puts(b, a->value ? "true" : "false");
        } else {
            const bool u = !cu_is_signed(a->type);
            sbuf_putc(b, '(');
            put_type(l, b, a->type);
            sbuf_printf(b,
                        u                       ? ")%lluull"
                        : a->value == INT64_MIN ? ")(%lldll)"
                                                : ")(%lldll)",
                        (unsigned long long)a->value);
        }
        break;
    default: cu_error(l->f, l->b.span, "a kernel's template argument cannot be named");
    }
}

static void put_args(struct lower *l, struct sbuf *b, const struct targ *args, size_t n)
{
    bool any = false;
    sbuf_putc(b, '<');
    for (size_t i = 0; i < n; i++) {
        const bool pack = args[i].kind == TARG_PACK;
        const size_t inside = pack ? args[i].npack : 1;
        for (size_t k = 0; k < inside; k++) {
            if (any)
                sbuf_puts(b, ", ");
            put_targ(l, b, pack ? &args[i].pack[k] : &args[i]);
            any = true;
        }
    }
    sbuf_puts(b, " >");
}

static void put_quals(struct sbuf *b, const struct type *t)
{
    if (t->quals & QUAL_CONST)
        sbuf_puts(b, " const");
    if (t->quals & QUAL_VOLATILE)
        sbuf_puts(b, " volatile");
}

/* Around what it points to: int (*)[4], void (*)(int). `middle`: what stands at the place of a
 * name. */
static void put_around(struct lower *l, struct sbuf *b, struct type *t, const char *middle)
{
    if (t->kind == TY_POINTER || cu_is_ref(t)) {
        struct sbuf m;
        sbuf_init(&m, l->f->a);
        sbuf_puts(&m, t->kind == TY_POINTER ? "*" : t->kind == TY_LREF ? "&" : "&&");
        put_quals(&m, t);
        sbuf_puts(&m, middle);
        const bool around = t->elem->kind == TY_FUNC || t->elem->kind == TY_ARRAY;
        put_around(l, b, t->elem,
                   around ? arena_printf(l->f->a, "(%s)", m.data) : (const char *)m.data);
        return;
    }
    if (t->kind == TY_FUNC) {
        put_type(l, b, t->elem);
        sbuf_printf(b, " %s(", middle);
        for (size_t i = 0; i < t->nparams; i++) {
            if (i)
                sbuf_puts(b, ", ");
            put_type(l, b, t->params[i]);
        }
        sbuf_puts(b, t->variadic ? ", ...)" : ")");
        cu_put_function_marks(b, t);
        return;
    }
    if (t->kind == TY_ARRAY) {
        put_around(l, b, t->elem,
                   t->count == ARRAY_UNKNOWN
                       ? arena_printf(l->f->a, "%s[]", middle)
                       : arena_printf(l->f->a, "%s[%llu]", middle, (unsigned long long)t->count));
        return;
    }
    if (t->kind == TY_CLASS) {
        const struct class_info *c = t->cls;
        if (!c->name || c->is_lambda || c->is_local)
            cu_error(l->f, l->b.span, "a kernel's template argument is a closure or a local class");
        put_scope(l, b, c->outer);
        sbuf_puts(b, c->tmpl ? c->tmpl->d.name : c->name);
        if (c->tmpl)
            put_args(l, b, c->args, c->nargs);
    } else if (t->kind == TY_ENUM) {
        if (!t->enumeration->decl)
            cu_error(l->f, l->b.span, "a kernel's template argument has no name");
        put_decl(l, b, t->enumeration->decl);
    } else if (t->kind == TY_MEMPTR) {
        cu_error(l->f, l->b.span, "a kernel's template argument is a pointer to a member");
    } else {
        sbuf_puts(b, cu_type_str(l->f, t->unqual));
    }
    put_quals(b, t);
    sbuf_puts(b, middle);
}

static void put_type(struct lower *l, struct sbuf *b, struct type *t)
{
    put_around(l, b, t, "");
}

/* Is there more than one template of its name, as the device half sees it? */
static bool one_of_several(struct lower *l, const struct func *fn)
{
    struct found found = {0};
    struct scope *s = fn->tmpl->d.scope;
    size_t templates = 0;
    while (s->kind == SCOPE_TEMPLATE || (s->kind == SCOPE_NAMESPACE && !s->name))
        s = s->parent;
    if (s->kind == SCOPE_CLASS || !cu_lookup_in(l->f, s, fn->d.name, &found))
        return false;
    for (size_t i = 0; i < found.n; i++)
        templates += cu_strip_using(found.decls[i])->kind == DECL_TEMPLATE;
    return templates > 1;
}

/* Kernels are known to the runtime by their mangled name, instances of templates by the expression
 * that names them. A tag is both: see the runtime's loader of host halves. */
static struct str tag_of(struct lower *l, struct func *fn)
{
    struct front *f = l->f;
    struct sbuf b;
    sbuf_init(&b, f->a);
    const char *mangled = cu_mangle_func(f, fn);
    const bool plain = !fn->ntargs && !(fn->cls && fn->cls->tmpl);
    if (plain && !strncmp(mangled, "_Z", 2))
        sbuf_printf(&b, "Z%sE10__tern_tag", mangled + 2);
    else
        sbuf_puts(&b, "T");
    sbuf_putc(&b, 0);
    put_decl(l, &b, &fn->d);
    if (fn->tmpl && one_of_several(l, fn)) {
        sbuf_putc(&b, '(');
        for (size_t i = 0; i < fn->d.type->nparams; i++) {
            sbuf_puts(&b, i ? ", " : "");
            put_type(l, &b, fn->d.type->params[i]);
        }
        sbuf_putc(&b, ')');
    }
    return (struct str){b.data, b.len};
}

static void refuse_closures(struct lower *l, const struct targ *args, size_t n, struct span at)
{
    for (size_t i = 0; i < n; i++) {
        refuse_closures(l, args[i].pack, args[i].npack, at);
        const struct type *t = args[i].type;
        while (t && (t->kind == TY_POINTER || cu_is_ref(t) || t->kind == TY_ARRAY))
            t = t->elem;
        if (!t || t->kind != TY_CLASS)
            continue;
        if (t->cls->is_lambda || t->cls->is_local)
            cu_error(l->f, at, "a kernel's template argument is a closure or a local class");
        refuse_closures(l, t->cls->args, t->cls->nargs, at);
    }
}

static struct ir_func *kernel_stub(struct lower *l, struct func *fn, struct span at)
{
    struct front *f = l->f;
    refuse_closures(l, fn->targs, fn->ntargs, at);
    const char *mangled = cu_mangle_func(f, fn);
    struct ir_func *stub =
        ir_func_new(l->m, arena_printf(f->a, "stub.%s", mangled), IR_VOID, IR_FUNC_NOINLINE);
    stub->span = fn->d.span;
    for (size_t i = 0; i < fn->d.type->nparams; i++) {
        struct type *t = fn->d.type->params[i];
        if (lo_by_pointer(t))
            cu_complete(f, t, fn->d.span);
        ir_func_param(stub, NULL, lo_by_pointer(t) ? PTR : cu_ir_type(t), 0, 0, 0);
    }
    fn->ir = stub;
    const struct str tag = tag_of(l, fn);
    struct ir_global *g =
        ir_global_new(l->m, arena_printf(f->a, "entry.%s", mangled), IR_SPACE_GLOBAL, 32, 8, 0);
    struct ir_reloc unit = {.offset = 0,
                            .target = lo_own_global(l, "__tern_host_unit", IR_SPACE_GLOBAL, 8, 8,
                                                    IR_GLOBAL_EXTERN)},
                    name = {.offset = 8, .target = lo_string(l, tag, tag.len + 1, 1)};
    vec_push(f->a, &g->relocs, unit);
    vec_push(f->a, &g->relocs, name);
    if (lo_host_abi(l)->typed) { /* there the runtime knows kernels by their stubs, too */
        struct ir_reloc own = {.offset = 24, .target = ir_func_value(stub)};
        vec_push(f->a, &g->relocs, own);
    }
    struct host_kernel k = {fn, stub, ir_global_value(g)};
    vec_push(f->a, &l->host->kernels, k);
    return stub;
}

struct ir_func *lo_host_func(struct lower *l, struct func *fn, struct span at)
{
    struct front *f = l->f;
    if (fn->where & WHERE_GLOBAL) {
        if (!fn->body && !f->job->linked)
            cu_error_note(f, at, fn->d.span, "declared here", "'%s' is used but never defined",
                          cu_qualified_name(f, &fn->d));
        return kernel_stub(l, fn, at);
    }
    if (!(fn->where & WHERE_HOST) && !fn->is_constexpr && !fn->is_defaulted && !fn->is_implicit)
        cu_error_note(f, at, fn->d.span, "declared here",
                      "'%s' is a device function: host code cannot call it",
                      cu_qualified_name(f, &fn->d));
    return lo_host_outside(l, fn) ? outside(l, fn) : NULL;
}

/* Functions of C take classes as C does, ours by their addresses, and ours with '...' get the rest
 * apart: who has only a pointer to one does not know which. */
void lo_host_check_address(struct lower *l, struct func *fn, struct span at)
{
    if (fn->where & WHERE_GLOBAL)
        return;
    const bool outside = lo_host_outside(l, fn);
    if (outside && takes_class(fn->d.type))
        cu_error(l->f, at,
                 "the address of '%s', which takes or gives a class and is a function of C",
                 fn->d.name);
    if (!outside && lo_reads_rest(l, fn))
        cu_error(l->f, at,
                 "the address of '%s' is taken, which has '...': only its calls are known",
                 fn->d.name);
}

/* ---- calls ---- */

static struct ir_value *call_through(struct lower *l, struct ir_value *target, ir_type result,
                                     const struct lo_args *a, uint64_t on_stack)
{
    struct ir_value **all = arena_array(l->f->a, struct ir_value *, a->len + 1);
    all[0] = target;
    if (a->len)
        memcpy(all + 1, a->data, a->len * sizeof *all);
    struct ir_inst *i = ir_build_results(&l->b, IR_OP_call_ptr, result, all, (uint32_t)a->len + 1,
                                         &result, result == IR_VOID ? 0 : 1);
    i->imm = on_stack << 1;
    return result == IR_VOID ? NULL : &i->results[0];
}

struct ir_value *lo_host_runtime(struct lower *l, const char *name, ir_type result,
                                 struct ir_value *const *args, uint32_t n)
{
    struct ir_func *f = ir_func_find(l->m, intern_z(l->m->names, name));
    if (!f)
        f = ir_func_new(l->m, name, IR_VOID, 0);
    struct lo_args a = {(struct ir_value **)args, n, n};
    return call_through(l, ir_func_value(f), result, &a, 0);
}

/* C's ABI: where arguments travel. */
struct passing {
    const struct host_abi *abi;
    struct lo_args args;
    unsigned integers; /* so far, in registers */
    uint64_t on_stack; /* bits of args */
};

static void pass_words(struct lower *l, struct passing *p, struct ir_value *const *v, unsigned n,
                       bool stack)
{
    if (p->args.len + n > 60)
        cu_error(l->f, l->b.span, "a call has too many arguments");
    stack |= p->integers + n > p->abi->integers;
    if (stack && p->abi->stops_at_stack && n > 1)
        p->integers = p->abi->integers;
    for (unsigned k = 0; k < n; k++) {
        if (stack)
            p->on_stack |= UINT64_C(1) << p->args.len;
        vec_push(l->f->a, &p->args, v[k]);
    }
    if (!stack)
        p->integers += n;
}

static void pass_class(struct lower *l, struct passing *p, struct expr *e)
{
    struct front *f = l->f;
    const uint64_t size = cu_sizeof(f, e->type, e->span);
    if (!cu_trivially_copyable(f, e->type) || cu_alignof(f, e->type, e->span) > 8 ||
        (size <= 16 && holds_float(e->type)))
        cu_error(f, e->span, "'%s' cannot be passed by value to a function of the C library",
                 cu_type_str(f, e->type));
    struct place to = lo_temp(l, e->type, "arg");
    lo_into(l, e, to);
    if (size > 16 && !p->abi->large_by_value) {
        struct ir_value *at = lo_generic(l, to.ptr);
        pass_words(l, p, &at, 1, false);
        return;
    }
    /* lo_temp gives whole words: what is behind the object is ours */
    const unsigned n = (unsigned)((size + 7) / 8);
    struct ir_value **words = arena_array(f->a, struct ir_value *, n + 1);
    struct ir_value *room = ir_build_alloca(l->fn, 8 * (uint64_t)(n ? n : 1), 8, "words");
    struct place whole = {.ptr = room, .align = 8};
    lo_copy(l, whole, to, e->type);
    for (unsigned k = 0; k < n; k++)
        words[k] = ir_build_load(&l->b, IR_I64, lo_offset(l, room, 8 * (int64_t)k), 8, 0);
    pass_words(l, p, words, n, size > 16);
}

static void pass_scalar(struct lower *l, struct passing *p, struct expr *e)
{
    struct ir_value *v = lo_value(l, e);
    if (ir_class(v->type) == IR_CLASS_INT && ir_bits(v->type) < 32)
        v = ir_build1(&l->b, cu_is_signed(cu_underlying(e->type)) ? IR_OP_sext : IR_OP_zext, IR_I32,
                      v);
    if (ir_kind(v->type) == IR_F32 || ir_kind(v->type) == IR_F64) {
        vec_push(l->f->a, &p->args, v);
        return;
    }
    if (ir_class(v->type) == IR_CLASS_FLOAT)
        cu_error(l->f, e->span, "'%s' cannot be passed to a function of the C library",
                 cu_type_str(l->f, e->type));
    pass_words(l, p, &v, 1, false);
}

/* long double is a double in host code, whatever C has: functions of C are never given one. In a
 * format that stands in the call, %Lf is written as %f. */
static void plain_formats(struct lower *l, struct expr *e, size_t fixed)
{
    bool any = false;
    for (size_t i = 0; i < e->nargs; i++) {
        any |= e->args[i]->type->kind == TY_LDOUBLE;
        if (i < fixed && e->args[i]->type->kind == TY_LDOUBLE)
            cu_error(l->f, e->args[i]->span, "a function of C takes a long double");
    }
    if (!any)
        return;
    struct expr *format = fixed ? e->args[fixed - 1] : NULL;
    while (format && format->kind != EX_STRING && format->a)
        format = format->a;
    if (!format || format->kind != EX_STRING)
        cu_error(l->f, e->span, "a long double is printed by a format that is not in the call");
    char *text = arena_alloc(l->f->a, format->u.str.len + 1), *to = text;
    for (size_t i = 0; i < format->u.str.len; i++) {
        const char c = format->u.str.ptr[i],
                   next = i + 1 < format->u.str.len ? format->u.str.ptr[i + 1] : 0;
        if (c != 'L' || !next || !strchr("aAeEfFgG", next))
            *to++ = c;
    }
    struct expr *own = arena_new(l->f->a, struct expr);
    *own = *format;
    own->u.str = (struct str){text, (size_t)(to - text)};
    own->type = cu_array_of(l->f, format->type->elem, own->u.str.len + 1);
    struct expr *decayed =
        cu_expr_new(l->f, EX_DECAY, e->args[fixed - 1]->type, CAT_PR, format->span);
    decayed->a = own;
    e->args[fixed - 1] = decayed;
}

struct ir_value *lo_host_call(struct lower *l, struct expr *e, struct place *result)
{
    struct front *f = l->f;
    struct func *fn = e->a ? NULL : e->u.func;
    const struct type *ft = fn ? fn->d.type : e->a->type->elem;
    const char *name = fn ? fn->d.name : "a function";
    struct type *r = ft->elem;
    struct passing p = {.abi = lo_host_abi(l)};
    struct ir_value *target = fn ? ir_func_value(lo_func(l, fn, e->span)) : lo_value(l, e->a);
    struct place own = {0};
    if (r->kind == TY_LDOUBLE)
        cu_error(f, e->span, "'%s' gives a long double", name);
    plain_formats(l, e, ft->nparams);
    const bool class_result = r->kind == TY_CLASS;
    if (class_result) {
        cu_complete(f, r, e->span);
        if (cu_sizeof(f, r, e->span) > 8 || holds_float(r) || !cu_trivially_copyable(f, r))
            cu_error(f, e->span, "'%s' gives a class, which is not supported for functions of C",
                     name);
        own = result ? *result : lo_temp(l, r, "result");
    }
    for (size_t i = 0; i < e->nargs; i++) {
        struct type *t = i < ft->nparams ? ft->params[i] : NULL;
        if (t && takes_class(t))
            cu_error(f, e->args[i]->span,
                     "a function that takes or gives classes cannot be called by the C library");
        if (t && cu_is_ref(t)) {
            struct ir_value *at = lo_generic(l, lo_place(l, e->args[i]).ptr);
            pass_words(l, &p, &at, 1, false);
        } else if (e->args[i]->type->kind == TY_CLASS) {
            pass_class(l, &p, e->args[i]);
        } else {
            pass_scalar(l, &p, e->args[i]);
        }
    }
    l->b.span = e->span;
    struct ir_value *v =
        call_through(l, target, class_result ? IR_I64 : cu_ir_type(r), &p.args, p.on_stack);
    if (!class_result)
        return v;
    struct ir_value *room = ir_build_alloca(l->fn, 8, 8, "words");
    ir_build_store(&l->b, room, v, 8, 0);
    struct place from = {.ptr = room, .align = 8};
    lo_copy(l, own, from, r);
    return own.ptr;
}

/* ---- functions of ours with `...` ---- */

bool lo_reads_rest(const struct lower *l, const struct func *fn)
{
    return cu_host(l->f) && fn->d.type->variadic && !(fn->where & WHERE_GLOBAL);
}

struct rest {
    uint64_t size;
    bool at_address;
};

static struct rest rest_of(struct lower *l, const struct expr *e)
{
    struct front *f = l->f;
    if (e->type->kind != TY_CLASS)
        return (struct rest){8, false};
    const uint64_t size = cu_sizeof(f, e->type, e->span);
    if (!cu_trivially_copyable(f, e->type) || cu_alignof(f, e->type, e->span) > 8)
        cu_error(f, e->span, "'%s' cannot be passed through '...'", cu_type_str(f, e->type));
    return size > 16 && !lo_host_abi(l)->large_by_value ? (struct rest){8, true}
                                                        : (struct rest){(size + 7) / 8 * 8, false};
}

struct ir_value *lo_host_rest_args(struct lower *l, struct expr *e, size_t from)
{
    uint64_t size = 0;
    for (size_t i = from; i < e->nargs; i++)
        size += rest_of(l, e->args[i]).size;
    if (!size)
        return ir_const(l->m, PTR, 0);
    struct ir_value *room = ir_build_alloca(l->fn, size, 8, "rest");
    uint64_t at = 0;
    for (size_t i = from; i < e->nargs; i++) {
        struct expr *x = e->args[i];
        const struct rest r = rest_of(l, x);
        struct place to = {.ptr = lo_offset(l, room, (int64_t)at), .align = 8};
        at += r.size;
        if (r.at_address) {
            struct place copy = lo_temp(l, x->type, "arg");
            lo_into(l, x, copy);
            ir_build_store(&l->b, to.ptr, lo_generic(l, copy.ptr), 8, 0);
        } else if (x->type->kind == TY_CLASS) {
            lo_into(l, x, to);
        } else {
            struct ir_value *v = lo_value(l, x);
            if (ir_class(v->type) == IR_CLASS_INT && ir_bits(v->type) < 64)
                v = ir_build1(&l->b, cu_is_signed(cu_underlying(x->type)) ? IR_OP_sext : IR_OP_zext,
                              IR_I64, v);
            ir_build_store(&l->b, to.ptr, v, 8, 0);
        }
    }
    return lo_generic(l, room);
}

struct ir_value *lo_host_rest_value(struct lower *l, struct expr *e)
{
    if (!l->rest)
        cu_error(l->f, e->span, "va_start stands in a function without '...'");
    return l->rest;
}

/* ---- launches ---- */

static void pass_shape(struct lower *l, struct passing *p, struct expr *e)
{
    struct place at = lo_place(l, e);
    struct ir_value *w[2] = {
        ir_build_load(&l->b, IR_I64, at.ptr, 4, 0),
        ir_build1(&l->b, IR_OP_zext, IR_I64,
                  ir_build_load(&l->b, IR_I32, lo_offset(l, at.ptr, 8), 4, 0))};
    pass_words(l, p, w, 2, false);
}

void lo_host_launch(struct lower *l, struct expr *e)
{
    struct passing p = {.abi = lo_host_abi(l)};
    const struct type *t = e->a ? e->a->type->elem : e->u.func->d.type;
    struct ir_value *target = e->a ? lo_value(l, e->a) : NULL;
    struct ir_func *stub = e->a ? NULL : lo_func(l, e->u.func, e->span);
    pass_shape(l, &p, e->c->args[0]);
    pass_shape(l, &p, e->c->args[1]);
    pass_scalar(l, &p, e->c->args[2]);
    pass_scalar(l, &p, e->c->args[3]);
    lo_host_runtime(l, "__tern_push_configuration", IR_I32, p.args.data, (uint32_t)p.args.len);
    struct lo_args a = {0};
    for (size_t i = 0; i < e->nargs && i < t->nparams; i++)
        lo_push_arg(l, &a, t->params[i], e->args[i]);
    l->b.span = e->span;
    if (stub)
        ir_build_call(&l->b, stub, a.data, (uint32_t)a.len);
    else
        call_through(l, target, IR_VOID, &a, 0);
}

/* ---- the whole ---- */

static void reach_main(struct front *f, void *arg)
{
    struct lower *l = arg;
    for (struct decl *d = cu_find_local(f, f->global, f->n_main); d; d = d->older)
        if (d->kind == DECL_FUNC && ((struct func *)d)->body) {
            lo_func(l, (struct func *)d, d->span)->flags |= IR_FUNC_EXPORT;
            return;
        }
    cu_error(f, cu_span(f), "there is no main()");
}

static void reach_variables(struct front *f, void *arg)
{
    struct lower *l = arg;
    for (size_t i = 0; i < f->host_variables.len; i++) {
        struct var *v = f->host_variables.data[i];
        if (!v->d.system &&
            !(v->d.scope && v->d.scope->kind == SCOPE_CLASS && v->d.scope->cls->tmpl))
            lo_global(l, v, v->d.span);
    }
    lo_variables(l);
}

bool lo_host_all(struct lower *l)
{
    struct front *f = l->f;
    l->host = arena_new(f->a, struct lo_host);
    map_init(&l->host->statics, f->a);
    map_init(&l->host->throwing, f->a);
    cu_try(f, reach_main, l);
    cu_try(f, reach_variables, l);
    if (!f->diag->errors)
        lo_host_rest(l);
    return f->diag->errors == 0;
}
