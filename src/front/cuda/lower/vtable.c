/* Tables of virtual functions, and what objects with virtual bases need beside them.
 *
 * Objects are laid out as the host's compilers do it (sema/layout.c); what their tables hold is our
 * own affair. In front of the functions: how far it is to the whole object, the type (host code),
 * and, growing downwards, how far it is to each virtual base. A table is made for one place in one
 * class, so that all of it is known: functions that belong to another part of the object are
 * reached through a thunk that moves `this` by a constant.
 *
 * While a base with virtual bases is made or destroyed inside of a larger object, its functions are
 * those of the base and its virtual bases lie where the larger object has them: such a table is
 * "vtable.BASE.in.WHOLE". Constructors and destructors of such classes get a list of tables as a
 * parameter behind `this`: NULL for a whole object, whose constructor makes the virtual bases.
 * The list of a class: a table for each of its pointers (places), then the lists of its bases that
 * have one themselves, then, of the whole object, those of its virtual bases. */
#include "front/cuda/lower/lower.h"

#define PTR IR_PTR_TO(IR_SPACE_GENERIC)

/* A pointer to a table: of class cls, at offset from the object, or from its virtual base. */
struct vplace {
    struct class_info *cls, *through;
    uint64_t offset;
};
struct vplaces {
    struct vplace *data;
    size_t len, cap;
};
/* Whose functions an object has at the moment: cls, a part of `whole` at `offset`. */
struct part {
    struct class_info *whole, *cls;
    uint64_t offset;
};
struct found_place {
    struct func *fn;
    struct class_info *cls;
    uint64_t offset;
};
struct candidates {
    struct found_place *data;
    size_t len, cap;
};

static void add_places(struct front *f, struct vplaces *out, struct class_info *at,
                       struct class_info *through, uint64_t offset, bool shared)
{
    if (!at->polymorphic)
        return;
    if (!shared) {
        const struct vplace p = {at, through, offset};
        vec_push(f->a, out, p);
    }
    vec_each (struct base_class, b, &at->bases)
        if (!b->is_virtual)
            add_places(f, out, b->cls, through, offset + b->offset, b->cls == at->primary);
}

static struct vplaces places_of(struct lower *l, struct class_info *c)
{
    struct vplaces out = {0};
    cu_layout(l->f, c, l->b.span);
    add_places(l->f, &out, c, NULL, 0, false);
    vec_each (struct virtual_base, v, &c->vbases)
        add_places(l->f, &out, v->cls, v->cls, 0, false);
    return out;
}

static uint64_t place_in(const struct part *p, const struct vplace *v)
{
    return v->offset + (v->through ? cu_virtual_offset(p->whole, v->through) : p->offset);
}

/* The class whose table lies at that offset: virtual bases may share one. */
static struct class_info *shape_at(struct lower *l, const struct part *p, uint64_t offset)
{
    struct vplaces all = places_of(l, p->cls);
    struct class_info *shape = NULL;
    vec_each (struct vplace, v, &all)
        if (place_in(p, v) == offset && (!shape || cu_derives(l->f, v->cls->type, shape->type)))
            shape = v->cls;
    return shape;
}

/* ---- the function that a slot holds ---- */

static bool contains(const struct class_info *whole, const struct class_info *at, uint64_t offset,
                     const struct class_info *cls, uint64_t where)
{
    if (at == cls && offset == where)
        return true;
    vec_each (struct base_class, b, &at->bases)
        if (contains(whole, b->cls,
                     b->is_virtual ? cu_virtual_offset(whole, b->cls) : offset + b->offset, cls,
                     where))
            return true;
    return false;
}

static struct func *declared_in(struct front *f, struct class_info *c, struct func *fn)
{
    if (fn->is_dtor)
        return c->dtor && c->dtor->is_virtual ? c->dtor : NULL;
    for (struct decl *d = c->scope->first; d; d = d->next)
        if (d->kind == DECL_FUNC && ((struct func *)d)->cls == c &&
            cu_overrides(f, (struct func *)d, fn) && !((struct func *)d)->is_static)
            return (struct func *)d;
    return NULL;
}

/* What overrides fn, of the part cls at `where`, in the part `at` and below it. */
static void find_overriders(struct front *f, const struct class_info *whole, struct class_info *at,
                            uint64_t offset, struct func *fn, const struct found_place *slot,
                            struct candidates *out)
{
    if (!contains(whole, at, offset, slot->cls, slot->offset))
        return;
    struct func *o = declared_in(f, at, fn);
    if (o) {
        const struct found_place x = {o, at, offset};
        vec_push(f->a, out, x);
        return;
    }
    vec_each (struct base_class, b, &at->bases)
        find_overriders(f, whole, b->cls,
                        b->is_virtual ? cu_virtual_offset(whole, b->cls) : offset + b->offset, fn,
                        slot, out);
}

static struct found_place final_overrider(struct front *f, const struct part *p,
                                          struct class_info *shape, uint64_t offset,
                                          struct func *fn)
{
    struct base_path path;
    struct found_place slot = {fn, fn->cls, offset};
    cu_find_base(shape, fn->cls, &path, NULL);
    slot.offset = path.offset + (path.through ? cu_virtual_offset(p->whole, path.through) : offset);
    struct candidates all = {0};
    find_overriders(f, p->whole, p->cls, p->offset, fn, &slot, &all);
    struct found_place best = slot;
    vec_each (struct found_place, x, &all)
        if (contains(p->whole, x->cls, x->offset, best.cls, best.offset))
            best = *x;
    return best;
}

/* ---- thunks ---- */

struct ir_value *lo_virtual_base(struct lower *l, struct ir_builder *b, struct ir_value *object,
                                 const struct class_info *c, const struct class_info *base)
{
    int64_t k = 0;
    while (c->vbases.data[k].cls != base)
        k++;
    struct ir_value *at = ir_const(l->m, IR_I64, (uint64_t)(-VTABLE_HEAD - 8 * (k + 1)));
    struct ir_value *table = ir_build_load(b, PTR, object, 8, 0);
    struct ir_value *far =
        ir_build_load(b, IR_I64, ir_build2(b, IR_OP_ptradd, PTR, table, at), 8, 0);
    return ir_build2(b, IR_OP_ptradd, object->type, object, far);
}

bool lo_has_tables(const struct func *fn)
{
    return (fn->is_ctor || fn->is_dtor) && fn->cls && fn->cls->vbases.len;
}

static struct type *class_behind(struct type *t)
{
    return t && (t->kind == TY_POINTER || cu_is_ref(t)) && t->elem->kind == TY_CLASS
               ? t->elem->unqual
               : NULL;
}

/* What `to` gives as what callers of the slot expect: a class it is derived from. */
static struct ir_value *as_result(struct lower *l, struct ir_func *t, struct ir_builder *b,
                                  struct ir_value *v, struct type *have, struct type *want)
{
    struct base_path path;
    if (!have || !want || have == want || !cu_derives(l->f, have, want))
        return v;
    cu_layout(l->f, have->cls, l->b.span);
    cu_find_base(have->cls, want->cls, &path, NULL);
    if (!path.through && !path.offset)
        return v;
    struct ir_block *yes = ir_block_new(t, "moved"), *done = ir_block_new(t, "done");
    struct ir_value *r = ir_block_param(done, v->type, NULL);
    struct ir_value *null = ir_const(l->m, v->type, 0);
    struct ir_value *token = &ir_build(b, IR_OP_split, IR_VOID, NULL, 0)->results[0];
    ir_build_condbr(b, ir_build2(b, IR_OP_ne, v->type, v, null), yes, done);
    struct ir_inst *branch = ir_terminator(b->block);
    ir_edge_push(branch, &branch->edges[1], null);
    *b = ir_builder_at_end(yes);
    if (path.through)
        v = lo_virtual_base(l, b, v, have->cls, path.through);
    v = ir_build2(b, IR_OP_ptradd, v->type, v, ir_const(l->m, IR_I64, path.offset));
    ir_build_br(b, done, &v, 1);
    *b = ir_builder_at_end(done);
    ir_build(b, IR_OP_join, IR_VOID, &token, 1);
    return r;
}

/* Moves `this` from a base to the overrider's class and calls it. */
static struct ir_func *thunk(struct lower *l, struct func *to, int64_t delta, struct type *want)
{
    struct ir_func *target = lo_func(l, to, to->d.span);
    struct type *have = to->is_dtor ? NULL : class_behind(to->d.type->elem);
    want = class_behind(want);
    if (!want || want == have)
        want = have = NULL;
    const char *name = arena_printf(l->f->a, "thunk.%lld.%s%s%s", (long long)delta, target->name,
                                    want ? "." : "", want ? cu_mangle_type(l->f, want) : "");
    struct ir_func *t = ir_func_find(l->m, intern_z(l->m->names, name));
    if (t)
        return t;
    t = ir_func_new(l->m, name, target->ret, IR_FUNC_WEAK);
    const size_t self = lo_by_pointer(to->d.type->elem) && !to->is_dtor ? 1 : 0;
    for (size_t i = 0; i < target->params.len; i++)
        if (!(lo_has_tables(to) && i == self + 1))
            ir_func_param(t, target->params.data[i].name, target->params.data[i].type, 0, 0, 0);
    struct ir_block *b = ir_block_new(t, "entry");
    struct ir_builder build = ir_builder_at_end(b);
    struct ir_value **args = arena_array(l->f->a, struct ir_value *, target->params.len + 1);
    for (size_t i = 0, k = 0; i < target->params.len; i++) {
        args[i] = lo_has_tables(to) && i == self + 1 ? ir_const(l->m, PTR, 0) : b->params.data[k++];
        if (i == self && delta)
            args[i] = ir_build2(&build, IR_OP_ptradd, args[i]->type, args[i],
                                ir_const(l->m, IR_I64, (uint64_t)delta));
    }
    struct ir_value *v = ir_build_call(&build, target, args, (uint32_t)target->params.len);
    v = as_result(l, t, &build, v, have, want);
    ir_build_ret(&build, t->ret == IR_VOID ? NULL : v);
    return t;
}

int lo_virtual_slot(struct lower *l, struct func *fn)
{
    const struct class_info *c = fn->cls;
    int slot = fn->vslot;
    for (size_t i = 0; slot < 0 && i < c->vtable.len; i++)
        if (cu_overrides(l->f, fn, c->vtable.data[i]))
            slot = (int)i;
    return slot;
}

/* What a pointer to a virtual function holds: a function that asks the object. */
struct ir_func *lo_virtual_call(struct lower *l, struct func *fn)
{
    const char *name = arena_printf(l->f->a, "virtual.%s", cu_mangle_func(l->f, fn));
    struct ir_func *t = ir_func_find(l->m, intern_z(l->m->names, name));
    struct type *ft = fn->d.type;
    if (t)
        return t;
    cu_layout(l->f, fn->cls, l->b.span);
    const uint32_t self = lo_by_pointer(ft->elem) ? 1 : 0, n = self + 1 + (uint32_t)ft->nparams;
    t = ir_func_new(l->m, name, self ? IR_VOID : cu_ir_type(ft->elem), IR_FUNC_WEAK);
    for (uint32_t i = 0; i < n; i++) {
        struct type *p = i > self ? ft->params[i - self - 1] : NULL;
        ir_func_param(t, NULL, !p || lo_by_pointer(p) ? PTR : cu_ir_type(p), 0, 0, 0);
    }
    struct ir_block *b = ir_block_new(t, "entry");
    struct ir_builder build = ir_builder_at_end(b);
    struct ir_value **args = arena_array(l->f->a, struct ir_value *, n + 1);
    memcpy(args + 1, b->params.data, n * sizeof *args);
    struct ir_value *at = ir_const(l->m, IR_I64, 8 * (uint64_t)lo_virtual_slot(l, fn));
    struct ir_value *table = ir_build_load(&build, PTR, args[1 + self], 8, 0);
    args[0] = ir_build_load(&build, PTR, ir_build2(&build, IR_OP_ptradd, PTR, table, at), 8, 0);
    struct ir_inst *i = ir_build_results(&build, IR_OP_call_ptr, t->ret, args, n + 1, &t->ret,
                                         t->ret == IR_VOID ? 0 : 1);
    ir_build_ret(&build, t->ret == IR_VOID ? NULL : &i->results[0]);
    return t;
}

/* ---- tables ---- */

/* Can this side destroy an object of c, whose destructor nobody wrote? */
static bool destroyed_here(struct front *f, struct class_info *c)
{
    const uint8_t side = cu_host(f) ? WHERE_HOST : WHERE_DEVICE;
    if (cu_trivial_dtor(f, c->type))
        return true;
    const struct func *d = cu_find_dtor(f, c);
    if (!d->is_implicit && !d->is_defaulted)
        return (d->where & side) && (d->body || cu_find_member_def(f, (struct func *)d));
    vec_each (struct base_class, b, &c->bases)
        if (!destroyed_here(f, b->cls))
            return false;
    for (const struct field *fd = c->fields; fd; fd = fd->next) {
        const struct type *t = fd->d.type;
        while (t->kind == TY_ARRAY)
            t = t->elem;
        if (t->kind == TY_CLASS && !destroyed_here(f, t->cls))
            return false;
    }
    return true;
}

static bool is_filled(struct lower *l, struct func *fn)
{
    if (fn->is_pure && fn->state == BODY_NONE)
        return false;
    if (fn->is_dtor)
        return destroyed_here(l->f, fn->cls);
    /* of the other side: this one never gets to call it */
    return (fn->where & (cu_host(l->f) ? WHERE_HOST : WHERE_DEVICE)) || fn->is_defaulted ||
           fn->is_implicit;
}

static void fill_table(struct lower *l, struct ir_global *g, const struct part *p,
                       struct class_info *shape, uint64_t offset, uint32_t head)
{
    const int64_t whole = (int64_t)(p->offset - offset);
    uint8_t *bytes = arena_alloc(l->f->a, g->size);
    memset(bytes, 0, g->size);
    for (size_t k = 0; k < shape->vbases.len; k++) {
        const uint64_t far = cu_virtual_offset(p->whole, shape->vbases.data[k].cls) - offset;
        memcpy(bytes + head - VTABLE_HEAD - 8 * (k + 1), &far, 8);
    }
    memcpy(bytes + head - VTABLE_HEAD, &whole, 8);
    g->init = bytes;
    if (cu_host(l->f)) {
        struct ir_reloc type = {.offset = head - 8, .target = lo_descriptor(l, p->cls->type)};
        vec_push(l->f->a, &g->relocs, type);
    }
    for (size_t i = 0; i < shape->vtable.len; i++) {
        const struct found_place o = final_overrider(l->f, p, shape, offset, shape->vtable.data[i]);
        const int64_t delta = (int64_t)(o.offset - offset);
        struct type *want = shape->vresults.data[i];
        if (!is_filled(l, o.fn))
            continue;
        const bool direct =
            !delta && !lo_has_tables(o.fn) &&
            (o.fn->is_dtor || class_behind(o.fn->d.type->elem) == class_behind(want));
        struct ir_reloc r = {.offset = head + (uint32_t)(8 * i),
                             .target = ir_func_value(direct ? lo_func(l, o.fn, o.fn->d.span)
                                                            : thunk(l, o.fn, delta, want))};
        vec_push(l->f->a, &g->relocs, r);
    }
}

static struct ir_global *table(struct lower *l, const struct part *p, uint64_t offset,
                               uint32_t *head)
{
    struct front *f = l->f;
    struct class_info *shape = shape_at(l, p, offset);
    const char *own = cu_mangle_type(f, p->cls->type);
    const char *name =
        p->cls == p->whole
            ? arena_printf(f->a, "vtable.%s.%llu", own, (unsigned long long)offset)
            : arena_printf(f->a, "vtable.%s.in.%s.%llu.%llu", own,
                           cu_mangle_type(f, p->whole->type), (unsigned long long)p->offset,
                           (unsigned long long)offset);
    struct ir_global *g = ir_global_find(l->m, intern_z(l->m->names, name));
    *head = VTABLE_HEAD + 8 * (uint32_t)shape->vbases.len;
    if (g)
        return g;
    const size_t n = shape->vtable.len ? shape->vtable.len : 1;
    g = ir_global_new(l->m, name, IR_SPACE_GLOBAL, *head + 8 * n, 8, IR_GLOBAL_WEAK);
    fill_table(l, g, p, shape, offset, *head);
    return g;
}

/* ---- lists of tables ---- */

static uint32_t list_length(struct lower *l, struct class_info *c)
{
    uint32_t n = (uint32_t)places_of(l, c).len;
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual && b->cls->vbases.len)
            n += list_length(l, b->cls);
    return n;
}

static uint32_t list_at(struct lower *l, struct class_info *c, const struct class_info *base,
                        bool is_virtual)
{
    uint32_t n = (uint32_t)places_of(l, c).len;
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual && b->cls->vbases.len) {
            if (b->cls == base && !is_virtual)
                return n;
            n += list_length(l, b->cls);
        }
    for (size_t k = 0; c->vbases.data[k].cls != base; k++)
        if (c->vbases.data[k].cls->vbases.len)
            n += list_length(l, c->vbases.data[k].cls);
    return n;
}

static uint32_t put_list(struct lower *l, struct ir_global *g, const struct part *p, uint32_t at)
{
    struct vplaces all = places_of(l, p->cls);
    vec_each (struct vplace, v, &all) {
        uint32_t head;
        struct ir_reloc r = {.offset = 8 * at++,
                             .target = ir_global_value(table(l, p, place_in(p, v), &head))};
        r.addend = head;
        vec_push(l->f->a, &g->relocs, r);
    }
    vec_each (struct base_class, b, &p->cls->bases)
        if (!b->is_virtual && b->cls->vbases.len) {
            const struct part base = {p->whole, b->cls, p->offset + b->offset};
            at = put_list(l, g, &base, at);
        }
    return at;
}

static struct ir_value *list_of(struct lower *l, struct class_info *c)
{
    const char *name = arena_printf(l->f->a, "vtables.%s", cu_mangle_type(l->f, c->type));
    struct ir_global *g = ir_global_find(l->m, intern_z(l->m->names, name));
    if (g)
        return ir_global_value(g);
    uint32_t n = list_length(l, c);
    vec_each (struct virtual_base, v, &c->vbases)
        if (v->cls->vbases.len)
            n += list_length(l, v->cls);
    g = ir_global_new(l->m, name, IR_SPACE_GLOBAL, 8 * (uint64_t)n, 8, IR_GLOBAL_WEAK);
    const struct part whole = {c, c, 0};
    n = put_list(l, g, &whole, 0);
    vec_each (struct virtual_base, v, &c->vbases)
        if (v->cls->vbases.len) {
            const struct part base = {c, v->cls, v->offset};
            n = put_list(l, g, &base, n);
        }
    return ir_global_value(g);
}

struct ir_value *lo_base_tables(struct lower *l, struct class_info *base, bool is_virtual)
{
    return lo_offset(l, l->tables, 8 * (int64_t)list_at(l, l->func->cls, base, is_virtual));
}

/* ---- objects ---- */

void lo_begin_tables(struct lower *l, struct class_info *c, struct ir_value *given)
{
    struct ir_value *null = ir_const(l->m, PTR, 0);
    l->given_tables = given;
    l->is_whole = ir_build2(&l->b, IR_OP_eq, PTR, given, null);
    l->tables =
        ir_build3(&l->b, IR_OP_select, PTR, l->is_whole, lo_generic(l, list_of(l, c)), given);
}

static void store(struct lower *l, struct ir_value *to, struct ir_value *pointer)
{
    struct place p = {.ptr = to, .align = 8};
    lo_store(l, p, cu_pointer_to(l->f, cu_type(l->f, TY_VOID)), pointer);
}

void lo_store_vptrs(struct lower *l, struct class_info *c, struct ir_value *self)
{
    if (!c->polymorphic)
        return;
    const struct part whole = {c, c, 0};
    struct vplaces all = places_of(l, c);
    for (size_t k = 0; k < all.len; k++) {
        const struct vplace *v = &all.data[k];
        struct ir_value *at = lo_offset(l, self, (int64_t)v->offset);
        if (!c->vbases.len) {
            uint32_t head;
            struct ir_global *g = table(l, &whole, v->offset, &head);
            store(l, at, lo_offset(l, lo_generic(l, ir_global_value(g)), head));
            continue;
        }
        if (v->through)
            at = lo_offset(l, lo_virtual_base(l, &l->b, lo_generic(l, self), c, v->through),
                           (int64_t)v->offset);
        store(l, at, ir_build_load(&l->b, PTR, lo_offset(l, l->tables, 8 * (int64_t)k), 8, 0));
    }
}
