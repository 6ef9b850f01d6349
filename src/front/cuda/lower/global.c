/* Variables with an address of their own: device, constant, managed, shared and static ones, string
 * literals, constants whose address is taken. */
#include "front/cuda/lower/lower.h"

/* threadIdx, blockDim, …: first special register; -1 for warpSize. */
bool lo_builtin_var(struct front *f, struct var *v, int *first_sreg)
{
    (void)f;
    static const struct {
        const char *name;
        int sreg;
    } vars[] = {{"threadIdx", IR_SREG_TID_X},
                {"blockIdx", IR_SREG_CTAID_X},
                {"blockDim", IR_SREG_NTID_X},
                {"gridDim", IR_SREG_NCTAID_X},
                {"warpSize", -1}};
    if (!v->d.system || !v->is_extern || v->storage != VAR_GLOBAL || !v->d.name)
        return false;
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++)
        if (!strcmp(vars[i].name, v->d.name)) {
            *first_sreg = vars[i].sreg;
            return true;
        }
    return false;
}

struct ir_value *lo_string(struct lower *l, struct str text, uint64_t size, unsigned unit)
{
    uint8_t *bytes = arena_alloc(l->f->a, size + 1);
    memcpy(bytes, text.ptr, text.len < size ? text.len : size);
    uint64_t h = hash_bytes(bytes, size, 0x9e3779b97f4a7c15u);
    const char *name =
        arena_printf(l->f->a, "str.%016llx.%llu", (unsigned long long)h, (unsigned long long)size);
    struct ir_global *g = ir_global_find(l->m, intern_z(l->m->names, name));
    for (unsigned n = 0; g && memcmp(g->init, bytes, size) != 0; n++) {
        name = arena_printf(l->f->a, "str.%016llx.%llu.%u", (unsigned long long)h,
                            (unsigned long long)size, n);
        g = ir_global_find(l->m, intern_z(l->m->names, name));
    }
    if (!g) {
        g = ir_global_new(l->m, name, IR_SPACE_GLOBAL, size, unit, IR_GLOBAL_CONST);
        g->init = bytes;
        g->elem = unit == 1 ? IR_I8 : unit == 2 ? IR_I16 : IR_I32;
    }
    return ir_global_value(g);
}

static ir_type element_hint(struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    if (t->kind == TY_CLASS || t->kind == TY_POINTER)
        return IR_VOID;
    return cu_is_scalar(t) ? cu_ir_type(t) : IR_VOID;
}

static void add_relocs(struct lower *l, struct ir_global *g, struct ce_reloc *r, struct span at)
{
    for (; r; r = r->next) {
        struct ir_reloc x = {.offset = (uint32_t)r->offset, .addend = r->addend};
        if (r->func)
            x.target = lo_func_address(l, r->func, at);
        else if (r->var)
            x.target = lo_global(l, r->var, at);
        else
            x.target = lo_string(l, r->string, r->string.len + 1, 1);
        vec_push(l->f->a, &g->relocs, x);
    }
}

static const char *global_name(struct lower *l, struct var *v)
{
    const char *name = cu_mangle_var(l->f, v);
    if (l->f->job->linked && !v->func)
        name = lo_link_name(l, name, lo_internal(v));
    const char *base = name;
    for (unsigned n = 1; ir_global_find(l->m, intern_z(l->m->names, name)) ||
                         ir_func_find(l->m, intern_z(l->m->names, name));
         n++)
        name = arena_printf(l->f->a, "%s.%u", base, n);
    return name;
}

/* const numbers of a file's own: a copy of them is as good. */
static const struct type *innermost(const struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    return t;
}

static bool is_const(const struct type *t)
{
    return innermost(t)->quals & QUAL_CONST;
}

static bool is_constant_data(const struct var *v)
{
    const struct type *t = innermost(v->d.type);
    return v->space == SPACE_DEVICE && !v->is_extern && v->init && v->init->kind != EX_UNINIT &&
           t->quals == QUAL_CONST && cu_is_scalar(t);
}

/* What a device variable is forever may be read by host code too: constants have their value in
 * both halves. Addresses are the device's, and stay there. */
static void share_value(struct front *f, struct var *v, struct ir_global *g, uint64_t size)
{
    uint8_t *bytes = arena_alloc(f->a, size ? size : 1);
    struct ce_reloc *relocs = NULL;
    const char *why = NULL;
    struct span where = v->d.span;
    if (cu_const_object(f, v->init, v->d.type, bytes, size, &relocs, &why, &where) && !relocs)
        g->init = bytes;
}

/* An empty constructor, of empty ones. */
static bool constructs_nothing(struct front *f, const struct expr *e)
{
    if (e->kind == EX_UNINIT)
        return true;
    if (e->kind == EX_ARRAY_INIT)
        return constructs_nothing(f, e->a);
    if (e->kind != EX_CONSTRUCT || e->nargs || e->u.func->cls->polymorphic)
        return false;
    cu_parse_body(f, e->u.func);
    if (e->u.func->state != BODY_DONE || (e->u.func->ast && e->u.func->ast->body))
        return false;
    for (const struct mem_init *m = e->u.func->inits; m; m = m->next)
        if (!constructs_nothing(f, m->init))
            return false;
    return true;
}

static struct ir_global *make_global(struct lower *l, struct var *v)
{
    struct front *f = l->f;
    cu_complete_var(f, v);
    struct type *t = v->d.type;
    enum ir_space space = cu_host(f)                   ? IR_SPACE_GLOBAL
                          : v->space == SPACE_SHARED   ? IR_SPACE_SHARED
                          : v->space == SPACE_CONSTANT ? IR_SPACE_CONST
                                                       : IR_SPACE_GLOBAL;
    uint32_t flags = 0;
    bool dynamic = v->space == SPACE_SHARED && v->is_extern;
    if (v->is_extern)
        flags |= IR_GLOBAL_EXTERN;
    if (v->space == SPACE_MANAGED)
        flags |= IR_GLOBAL_MANAGED;
    if (v->space != SPACE_SHARED && v->space != SPACE_NONE && !v->func)
        flags |= IR_GLOBAL_EXPORT;
    if (v->is_inline || v->tmpl)
        flags |= IR_GLOBAL_WEAK;
    if (is_constant_data(v))
        flags |= IR_GLOBAL_CONST;
    /* extern int x[]: how many, the file says that has them */
    const bool open =
        v->is_extern && f->job->linked && t->kind == TY_ARRAY && t->count == ARRAY_UNKNOWN;
    uint64_t size = cu_is_ref(t) ? 8 : dynamic || open ? 0 : cu_sizeof(f, t, v->d.span);
    uint32_t align = cu_is_ref(t) ? 8 : cu_alignof(f, t, v->d.span);
    if (v->align > align)
        align = v->align;
    if (dynamic && align < 16)
        align = 16;
    struct ir_global *g = f->job->linked ? lo_link_global(l, v, cu_mangle_var(f, v)) : NULL;
    const bool unsaid = open || (g && g->flags & IR_GLOBAL_EXTERN && !g->size);
    if (g && ((g->size != size && !unsaid) || g->space != space))
        cu_error_note(f, v->d.span, g->span, "as it is here",
                      "'%s' has another type or place in another file", v->d.name);
    if (g && (v->is_extern || !(g->flags & IR_GLOBAL_EXTERN))) {
        v->ir = g;
        if (!v->is_extern && !(flags & IR_GLOBAL_WEAK))
            cu_error_note(f, v->d.span, g->span, "here", "'%s' is defined in two files", v->d.name);
        return g;
    }
    if (g) {
        g->flags = flags;
        g->size = size;
    } else
        g = ir_global_new(l->m, global_name(l, v), space, size, align, flags);
    if (align > g->align)
        g->align = align;
    v->ir = g;
    lo_tell_global(l, v, g);
    g->span = v->d.span;
    g->elem = element_hint(t);
    if (!v->func) {
        g->display = cu_qualified_name(f, &v->d);
        if (f->job->linked)
            g->display = lo_link_name(l, g->display, lo_internal(v));
    }
    if (v->space == SPACE_SHARED || !v->init || v->init->kind == EX_UNINIT) {
        if (cu_host(f))
            lo_host_variable(l, v, false);
        return g;
    }
    if (cu_host(f) && (v->space == SPACE_DEVICE || v->space == SPACE_CONSTANT) &&
        !cu_is_texture_reference(t)) {
        lo_host_variable(l, v, false); /* its value is the device's */
        if (is_const(t))
            share_value(f, v, g, size);
        return g;
    }
    uint8_t *bytes = arena_alloc(f->a, size ? size : 1);
    struct ce_reloc *relocs = NULL;
    const char *why = NULL;
    struct span where = v->d.span;
    if (!cu_const_object(f, v->init, t, bytes, size, &relocs, &why, &where)) {
        if (constructs_nothing(f, v->init))
            return g; /* as it is: all zero */
        if (cu_host(f)) {
            lo_host_variable(l, v, true);
            return g;
        }
        cu_error_note(f, v->d.span, where, why ? why : "this",
                      "the initialiser of '%s' has to be a constant", v->d.name);
    }
    if (cu_host(f))
        lo_host_variable(l, v, false);
    bool any = false;
    for (uint64_t i = 0; i < size && !any; i++)
        any = bytes[i] != 0;
    if (any || relocs)
        g->init = bytes;
    add_relocs(l, g, relocs, v->d.span);
    return g;
}

/* A builtin variable as an object: a copy in local memory. */
static struct ir_value *builtin_copy(struct lower *l, int sreg)
{
    struct ir_value *p = ir_build_alloca(l->fn, 12, 4, "index");
    for (unsigned k = 0; k < (sreg < 0 ? 1u : 3u); k++)
        ir_build_store(&l->b, lo_offset(l, p, 4 * (int64_t)k),
                       sreg < 0 ? lo_int(l, IR_I32, 32)
                                : ir_build0(&l->b, IR_OP_sreg, IR_I32, (uint64_t)sreg + k),
                       4, 0);
    return p;
}

struct ir_value *lo_global(struct lower *l, struct var *v, struct span at)
{
    int sreg;
    if (!cu_host(l->f) && lo_builtin_var(l->f, v, &sreg))
        return builtin_copy(l, sreg);
    if (v->storage != VAR_GLOBAL && v->ir) /* a local constant seen from another function */
        v->ir = NULL;
    if (!v->ir)
        make_global(l, v);
    (void)at;
    return ir_global_value(v->ir);
}

void lo_variables(struct lower *l)
{
    vec_each (struct var *, it, &l->f->variables) {
        struct var *v = *it;
        if (v->ir || v->is_extern ||
            (v->d.scope && v->d.scope->kind == SCOPE_CLASS && v->d.scope->cls->tmpl))
            continue;
        if (v->d.system)
            continue;
        make_global(l, v);
    }
}
