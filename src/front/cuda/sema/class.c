/* Classes: definitions, members, bases. Bodies of member functions are left as tokens. */
#include "front/cuda/sema/sema.h"

struct class_info *cu_class_new(struct front *f, const char *name, struct span at,
                                struct scope *outer)
{
    struct class_info *c = arena_new(f->a, struct class_info);
    c->name = name;
    c->outer = outer;
    cu_class_type(f, c);
    c->scope = cu_scope_new(f, SCOPE_CLASS, outer);
    c->scope->cls = c;
    c->inst = f->inst;
    c->func = f->func;
    c->is_local = f->func != NULL;
    (void)at;
    return c;
}

/* ---- completeness ---- */

bool cu_try_complete(struct front *f, struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    if (t->kind != TY_CLASS)
        return true;
    struct class_info *c = t->cls;
    if (c->state == CLASS_DECLARED && c->tmpl)
        cu_class_instance_body(f, c);
    else if (c->state == CLASS_DECLARED)
        cu_define_nested_class(f, c);
    return c->state == CLASS_COMPLETE || c->state == CLASS_PARSING;
}

void cu_complete(struct front *f, struct type *t, struct span at)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    if (t->kind != TY_CLASS)
        return;
    if (t->cls->state == CLASS_COMPLETE)
        return;
    cu_try_complete(f, t);
    if (t->cls->state == CLASS_FAILED) { /* said already */
        if (!f->quiet)
            cu_unwind(f);
        cu_error(f, at, "a class could not be defined");
    }
    if (t->cls->state != CLASS_COMPLETE) {
        if (t->cls->decl && t->cls->state == CLASS_DECLARED)
            cu_error_note(f, at, t->cls->decl->span, "declared here",
                          "'%s' is declared but not defined", cu_type_str(f, t));
        if (t->cls->state == CLASS_DECLARED)
            cu_error(f, at, "'%s' is declared but not defined", cu_type_str(f, t));
    }
}

/* ---- members ---- */

/* c has an inner one as a member or base: walks over classes go as deep as that. */
static void note_inside(struct front *f, struct class_info *c, const struct class_info *inner,
                        struct span at)
{
    if (inner->depth + 1 > c->depth)
        c->depth = inner->depth + 1;
    if (c->depth > CU_MAX_INSIDE)
        cu_error(f, at, "classes are inside of one another deeper than %d levels", CU_MAX_INSIDE);
}

void cu_add_field(struct class_info *c, struct field *fd)
{
    fd->cls = c;
    fd->index = (unsigned)c->nfields++;
    if (c->last_field)
        c->last_field->next = fd;
    else
        c->fields = fd;
    c->last_field = fd;
}

/* The fields that hold a member of nested anonymous classes, seen from the class around them all.
 */
static struct field *outer_chain(struct front *f, struct field *inner, struct field *holder)
{
    if (!inner)
        return holder;
    struct field *copy = arena_new(f->a, struct field);
    *copy = *inner;
    copy->outer = outer_chain(f, inner->outer, holder);
    return copy;
}

/* Members of an anonymous struct or union are found in the class around it. */
static void inject_anonymous(struct front *f, struct class_info *c, struct field *holder)
{
    struct class_info *inner = holder->d.type->cls;
    if (!f->pattern) /* its members are copied here, and their places with them */
        cu_layout(f, inner, holder->d.span);
    for (struct decl *d = inner->scope->first; d; d = d->next) {
        if (d->kind != DECL_FIELD || !d->name || d == inner->decl)
            continue;
        struct field *src = (struct field *)d;
        struct field *fd = cu_decl_alloc(f, sizeof *fd, DECL_FIELD, d->name, d->span);
        struct decl keep = fd->d;
        *fd = *src;
        fd->d.pos = keep.pos;
        fd->d.older = NULL;
        fd->d.next = NULL;
        fd->d.access = holder->d.access;
        fd->next = NULL;
        fd->outer = outer_chain(f, src->outer, holder);
        cu_declare(f, c->scope, &fd->d);
    }
}

static void note_special(struct class_info *c, struct func *fn)
{
    if (fn->is_dtor) {
        if (!fn->is_defaulted || fn->is_virtual)
            c->user_dtor = true;
        return;
    }
    bool one = fn->nparams >= 1 && cu_is_ref(fn->d.type->params[0]) &&
               fn->d.type->params[0]->elem->unqual == c->type;
    for (size_t i = 1; one && i < fn->nparams; i++)
        if (!fn->params[i].default_pos)
            one = false;
    const bool provided = !fn->is_defaulted && !fn->is_deleted;
    if (fn->is_ctor) {
        bool move = one && fn->d.type->params[0]->kind == TY_RREF;
        if (one && move)
            c->user_move_ctor |= provided;
        else if (one)
            c->user_copy_ctor |= provided;
        c->declares_move_ctor |= move;
        c->default_ctor_defaulted |= fn->is_defaulted && fn->nparams == 0;
        if (!one || !fn->is_defaulted)
            c->user_ctor |= !(fn->is_defaulted && fn->nparams == 0);
        c->explicit_ctor |= fn->is_explicit;
        c->deletes_special |= one && fn->is_deleted;
    } else if (fn->op == PUNCT_ASSIGN && fn->nparams == 1) {
        struct type *p = fn->d.type->params[0];
        if (cu_noref(p)->unqual == c->type) {
            if (p->kind == TY_RREF)
                c->user_move_assign |= provided;
            else
                c->user_copy_assign |= provided;
            c->declares_move_assign |= p->kind == TY_RREF;
            c->deletes_special |= fn->is_deleted;
        }
    }
}

struct member_job {
    struct class_info *c;
    enum access access;
};

static void parse_friend(struct front *f, struct class_info *c, struct declspec *ds, size_t head)
{
    struct scope *ns = cu_enclosing_namespace(c->outer);
    if (cu_accept(f, PUNCT_SEMI)) {
        if (ds->type->kind == TY_CLASS) {
            struct decl *d = cu_decl_new(f, DECL_TYPE, NULL, ds->span);
            d->type = ds->type;
            vec_push(f->a, &c->friends, d);
        }
        return;
    }
    struct declarator d = {0};
    cu_parse_declarator(f, ds, &d, DR_NAMED);
    if (!d.is_func)
        cu_error(f, d.span, "a friend is a class or a function");
    if (d.qualifier_class || d.has_targs || (d.qualifier && d.qualifier->kind == SCOPE_CLASS)) {
        struct decl *fr = cu_decl_new(f, DECL_FUNC, d.name, d.span);
        vec_push(f->a, &c->friends, fr);
        if (d.has_targs && !cu_is(f, PUNCT_LBRACE)) {
            struct decl *ft = cu_decl_new(f, DECL_TEMPLATE, d.name, d.span);
            struct template_info *ti = arena_new(f->a, struct template_info);
            ti->d = *ft;
            vec_push(f->a, &c->friends, &ti->d);
        }
        cu_expect(f, PUNCT_SEMI, "after the friend declaration");
        return;
    }
    struct decl *before = cu_find_local(f, ns, d.name);
    if (f->auto_seen && cu_auto_template(f, ns, &d, NULL, head))
        return;
    struct func *fn = cu_declare_func(f, ns, ds, &d, NULL, head);
    bool fresh = cu_find_local(f, ns, d.name) != before && cu_find_local(f, ns, d.name) == &fn->d;
    fn->is_friend = true;
    fn->cls = NULL;
    vec_push(f->a, &c->friends, &fn->d);
    if (cu_is(f, PUNCT_LBRACE))
        fn->scope = f->scope; /* its body sees the class's names */
    if (fresh)
        fn->d.hidden = true;
    if (!cu_finish_func(f, fn))
        cu_expect(f, PUNCT_SEMI, "after the friend declaration");
}

static void parse_field_rest(struct front *f, struct class_info *c, struct declspec *ds,
                             struct declarator *d, enum access access)
{
    struct field *fd = cu_decl_alloc(f, sizeof *fd, DECL_FIELD, d->name, d->span);
    fd->d.type = d->type;
    fd->d.access = access;
    fd->is_mutable = ds->is_mutable;
    fd->no_unique_address = ds->no_unique_address;
    fd->align = ds->align > d->align ? ds->align : d->align;
    if (cu_accept(f, PUNCT_COLON)) {
        struct type *t = NULL;
        int64_t w = cu_parse_const_int(f, &t);
        fd->is_bitfield = true;
        if (!cu_is_integer(d->type) && d->type->kind != TY_ENUM && !d->type->dependent)
            cu_error(f, d->span, "a bit-field has to be an integer, not '%s'",
                     cu_type_str(f, d->type));
        if (w < 0 || (t && w > (int64_t)(cu_sizeof(f, d->type, d->span) * 8)))
            cu_error(f, d->span, "a bit-field of %lld bits does not fit into '%s'", (long long)w,
                     cu_type_str(f, d->type));
        if (!w && d->name)
            cu_error(f, d->span, "the bit-field '%s' has no bits", d->name);
        fd->bits = (uint32_t)w;
    }
    if (cu_is(f, PUNCT_ASSIGN) || cu_is(f, PUNCT_LBRACE)) {
        fd->init_pos = f->pos;
        cu_skip_item(f, PUNCT_SEMI);
    }
    if (d->type->kind == TY_FUNC || d->type->kind == TY_VOID)
        cu_error(f, d->span, "a member cannot be of type '%s'", cu_type_str(f, d->type));
    if (cu_has_auto(d->type))
        cu_error(f, d->span, "a member cannot be 'auto'");
    struct type *e = d->type;
    while (e->kind == TY_ARRAY)
        e = e->elem;
    if (e->kind == TY_CLASS) {
        if (e->cls == c)
            cu_error(f, d->span, "'%s' cannot contain itself", cu_type_str(f, c->type));
        cu_complete(f, e, d->span);
        note_inside(f, c, e->cls, d->span);
    }
    if (d->name) {
        struct decl *old = cu_find_local(f, c->scope, d->name);
        if (old && old->kind == DECL_FIELD)
            cu_error_note(f, d->span, old->span, "declared here first", "'%s' has two members '%s'",
                          cu_type_str(f, c->type), d->name);
    }
    cu_add_field(c, fd);
    cu_declare(f, c->scope, &fd->d);
}

static void static_member(struct front *f, struct class_info *c, struct declspec *ds,
                          struct declarator *d, enum access access)
{
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, d->name, d->span);
    v->d.type = d->type;
    v->d.access = access;
    v->storage = VAR_GLOBAL;
    v->is_member = true;
    v->is_constexpr = ds->is_constexpr;
    v->is_inline = ds->is_inline || ds->is_constexpr;
    v->align = ds->align;
    v->space = cu_var_space(f, ds);
    if (ds->is_constexpr && !cu_has_auto(v->d.type))
        v->d.type = cu_qualified(f, v->d.type, QUAL_CONST);
    v->init_scope = f->scope;
    cu_declare(f, c->scope, &v->d);
    if (cu_is(f, PUNCT_ASSIGN) || cu_is(f, PUNCT_LBRACE)) {
        v->init_pos = f->pos;
        cu_skip_item(f, PUNCT_SEMI);
    } else {
        v->is_extern = !v->is_inline;
    }
    if (v->space == SPACE_DEVICE || v->space == SPACE_CONSTANT || v->space == SPACE_MANAGED)
        vec_push(f->a, &f->variables, v);
}

static void parse_member(struct front *f, void *arg)
{
    struct member_job *j = arg;
    struct class_info *c = j->c;
    size_t head = f->pos;
    switch (cu_kw(f)) {
    case KW_template: cu_parse_template(f, c->scope, c, j->access); return;
    case KW_using: cu_parse_using(f, c->scope, j->access); return;
    case KW_static_assert:
    case KW__Static_assert: cu_parse_static_assert(f); return;
    default: break;
    }
    if (cu_is_kw(f, KW_friend) && f->kws[f->pos + 1] == KW_template) {
        cu_next(f);
        cu_parse_friend_template(f, c);
        return;
    }
    f->auto_seen = 0;
    struct declspec ds = {0};
    struct decl *last_before = c->scope->last;
    cu_parse_declspec(f, &ds, DS_MEMBER);
    if (ds.tag && ds.tag->scope == c->scope)
        for (struct decl *d = last_before ? last_before->next : c->scope->first; d; d = d->next)
            d->access = j->access;
    if (ds.is_friend) {
        parse_friend(f, c, &ds, head);
        return;
    }
    if (cu_is(f, PUNCT_SEMI)) {
        cu_next(f);
        /* An unnamed struct or union without a declarator is anonymous: its members are ours. */
        if (ds.type->kind == TY_CLASS && ds.defines_tag && !ds.type->cls->name) {
            struct field *fd = cu_decl_alloc(f, sizeof *fd, DECL_FIELD, NULL, ds.span);
            fd->d.type = ds.type;
            fd->d.access = j->access;
            fd->anonymous = true;
            cu_add_field(c, fd);
            cu_declare(f, c->scope, &fd->d);
            inject_anonymous(f, c, fd);
        }
        return;
    }
    for (;;) {
        struct declarator d = {0};
        if (!cu_is(f, PUNCT_COLON)) /* an unnamed bit-field has no declarator */
            cu_parse_declarator(f, &ds, &d, DR_NAMED | DR_MEMBER);
        else
            d.type = ds.type;
        if (ds.is_typedef) {
            struct decl *t = cu_decl_new(f, DECL_TYPE, d.name, d.span);
            t->type = d.type;
            t->access = j->access;
            cu_declare(f, c->scope, t);
        } else if (d.is_func || d.type->kind == TY_FUNC) {
            if (f->auto_seen && !f->pattern && cu_auto_template(f, c->scope, &d, c, head)) {
                return;
            }
            if (d.unsatisfied) { /* not a member of this instance */
                cu_skip_declaration(f, head);
                return;
            }
            struct func *fn = cu_declare_func(f, c->scope, &ds, &d, c, head);
            fn->d.access = j->access;
            if (fn->nparams == 0 && fn->is_dtor)
                c->dtor = fn;
            bool done = cu_finish_func(f, fn);
            if (fn->is_ctor || fn->is_dtor || fn->op == PUNCT_ASSIGN)
                note_special(c, fn);
            if (done)
                return;
        } else if (ds.is_static) {
            static_member(f, c, &ds, &d, j->access);
        } else {
            if (d.kind == NAME_NONE && !cu_is(f, PUNCT_COLON))
                cu_error(f, cu_span(f), "expected a member's name, found %s",
                         cu_tok_text(f, cu_tok(f)));
            parse_field_rest(f, c, &ds, &d, j->access);
        }
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_SEMI, "after the member");
}

/* ---- bases ---- */

struct base_arg {
    bool is_class_key;
};

static void *parse_base(struct front *f, void *arg)
{
    struct base_arg *a = arg;
    struct base_class *b = arena_new(f->a, struct base_class);
    b->access = a->is_class_key ? ACCESS_PRIVATE : ACCESS_PUBLIC;
    cu_skip_attributes(f);
    struct span at = cu_span(f);
    for (;;) {
        if (cu_accept_kw(f, KW_virtual))
            b->is_virtual = true;
        else if (cu_accept_kw(f, KW_public))
            b->access = ACCESS_PUBLIC;
        else if (cu_accept_kw(f, KW_protected))
            b->access = ACCESS_PROTECTED;
        else if (cu_accept_kw(f, KW_private))
            b->access = ACCESS_PRIVATE;
        else
            break;
    }
    cu_accept_kw(f, KW_typename);
    struct qname q;
    size_t start = f->pos;
    if (cu_is_kw(f, KW_decltype)) {
        b->type = cu_noref(cu_parse_decltype(f));
    } else {
        cu_parse_qname(f, &q, QN_TYPE);
        b->type = cu_type_from_qname(f, &q, true);
    }
    (void)start;
    if (b->type->dependent)
        return b;
    b->type = b->type->unqual;
    if (b->type->kind != TY_CLASS || b->type->cls->is_union)
        cu_error(f, at, "'%s' cannot be a base class", cu_type_str(f, b->type));
    cu_complete(f, b->type, at);
    if (b->type->cls->is_final)
        cu_error(f, at, "'%s' is final: it cannot be a base class", cu_type_str(f, b->type));
    b->cls = b->type->cls;
    return b;
}

struct bases_job {
    struct base_arg arg;
    struct elements list;
};

static void try_base(struct front *f, void *arg)
{
    struct bases_job *j = arg;
    cu_expand_each(f, parse_base, &j->arg, &j->list);
}

/* One that only host code knows: said where device code needs the layout. */
static void unknown_base(struct front *f, struct class_info *c)
{
    if (!f->caught.unknown || (cu_tok(f)->flags & TOKEN_SYSTEM)) {
        f->quiet ? (void)0 : cu_show_caught(f);
        cu_unwind(f);
    }
    c->partial = true;
    if (!c->broken) {
        c->broken = cu_caught_reason(f);
        c->broken_at = f->caught.span;
    }
    while (!cu_is(f, PUNCT_COMMA) && !cu_is(f, PUNCT_LBRACE) && cu_tok(f)->kind != TOKEN_EOF) {
        const size_t end = cu_is(f, PUNCT_LT) ? cu_skip_angles(f, f->pos) : f->pos;
        f->pos = cu_is(f, PUNCT_LPAREN) ? cu_close(f, f->pos) + 1 : end > f->pos ? end : f->pos + 1;
    }
}

static void parse_bases(struct front *f, struct class_info *c)
{
    struct bases_job j = {.arg = {c->is_class_key}};
    do
        if (!cu_try_quietly(f, try_base, &j))
            unknown_base(f, c);
    while (cu_accept(f, PUNCT_COMMA));
    const struct elements list = j.list;
    for (size_t i = 0; i < list.len; i++) {
        struct base_class *b = list.data[i];
        if (!b->cls)
            continue;
        vec_each (struct base_class, o, &c->bases)
            if (o->cls == b->cls)
                cu_error(f, cu_span(f), "'%s' is a base class twice", cu_type_str(f, b->type));
        note_inside(f, c, b->cls, cu_span(f));
        vec_push(f->a, &c->bases, *b);
    }
}

/* ---- virtual functions ---- */

bool cu_overrides(struct front *f, struct func *a, struct func *b)
{
    (void)f;
    if (a->is_dtor && b->is_dtor)
        return true;
    if (a->d.name != b->d.name || a->is_ctor)
        return false;
    struct type *x = a->d.type, *y = b->d.type;
    if (x->nparams != y->nparams || x->func_quals != y->func_quals)
        return false;
    for (size_t i = 0; i < x->nparams; i++)
        if (x->params[i] != y->params[i])
            return false;
    return true;
}

static bool overrides_in_bases(struct front *f, struct class_info *c, struct func *fn)
{
    vec_each (struct base_class, b, &c->bases) {
        vec_each (struct func *, v, &b->cls->vtable)
            if (cu_overrides(f, fn, *v))
                return true;
        if (overrides_in_bases(f, b->cls, fn))
            return true;
    }
    return false;
}

static void add_virtual_base(struct front *f, struct class_info *c, struct class_info *base)
{
    vec_each (struct virtual_base, v, &c->vbases)
        if (v->cls == base)
            return;
    const struct virtual_base v = {.cls = base};
    vec_push(f->a, &c->vbases, v);
}

static void add_virtual_bases(struct front *f, struct class_info *c, const struct class_info *base)
{
    vec_each (struct virtual_base, v, &base->vbases)
        add_virtual_base(f, c, v->cls);
}

/* Has it a pointer to a table and no data of its own? */
static bool nearly_empty(const struct class_info *c)
{
    unsigned tables = 0;
    for (const struct field *fd = c->fields; fd; fd = fd->next)
        if (!fd->is_bitfield || fd->bits)
            return false;
    vec_each (struct base_class, b, &c->bases) {
        if (b->is_virtual)
            continue;
        if (b->cls->polymorphic ? !nearly_empty(b->cls) || tables++ : !cu_holds_nothing(b->cls))
            return false;
    }
    return c->polymorphic;
}

/* The nearly empty virtual bases of c, from above: the first that is not the primary base of
 * another already; *any: the first of all. */
static void choose_virtual(struct class_info *c, const struct class_info *whole,
                           struct class_info **free_one, struct class_info **any)
{
    vec_each (struct base_class, b, &c->bases) {
        if (b->is_virtual && nearly_empty(b->cls)) {
            *any = *any ? *any : b->cls;
            bool taken = false;
            vec_each (struct virtual_base, v, &whole->vbases)
                taken |= v->cls == b->cls && v->placed;
            *free_one = *free_one || taken ? *free_one : b->cls;
        }
        choose_virtual(b->cls, whole, free_one, any);
    }
}

/* Marks the virtual bases that some base of `whole` shares its table with. */
static void mark_taken(const struct class_info *c, struct class_info *whole)
{
    vec_each (struct base_class, b, &c->bases) {
        vec_each (struct virtual_base, v, &whole->vbases)
            v->placed |= b->cls->primary_virtual && v->cls == b->cls->primary;
        mark_taken(b->cls, whole);
    }
}

static void choose_primary(struct front *f, struct class_info *c)
{
    struct class_info *first = NULL, *any = NULL;
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual && b->cls->polymorphic && !c->primary)
            c->primary = b->cls;
    vec_each (struct base_class, b, &c->bases) {
        add_virtual_bases(f, c, b->cls);
        if (b->is_virtual)
            add_virtual_base(f, c, b->cls);
    }
    if (!c->vbases.len)
        return;
    mark_taken(c, c);
    choose_virtual(c, c, &first, &any);
    if (!c->primary && any) {
        c->primary = first ? first : any;
        c->primary_virtual = true;
    }
    c->vbases.len = 0;
    if (c->primary)
        add_virtual_bases(f, c, c->primary);
    if (c->primary_virtual)
        add_virtual_base(f, c, c->primary);
    vec_each (struct base_class, b, &c->bases) {
        add_virtual_bases(f, c, b->cls);
        if (b->is_virtual)
            add_virtual_base(f, c, b->cls);
    }
}

/* The slots that fn overrides are its; a slot of its own where none is, or where what they give is
 * another class. */
static void fill_slots(struct front *f, struct class_info *c, struct func *fn)
{
    struct type *result = fn->is_dtor ? cu_type(f, TY_VOID) : fn->d.type->elem;
    int slot = -1;
    for (size_t i = 0; i < c->vtable.len; i++)
        if (cu_overrides(f, fn, c->vtable.data[i])) {
            if (c->vresults.data[i] == result)
                slot = (int)i;
            if (c->vtable.data[i]->is_final)
                cu_error_note(f, fn->d.span, c->vtable.data[i]->d.span, "declared final here",
                              "'%s' overrides a final function", fn->d.name);
            c->vtable.data[i] = fn;
        }
    if (slot < 0) {
        slot = (int)c->vtable.len;
        vec_push(f->a, &c->vtable, fn);
        vec_push(f->a, &c->vresults, result);
    }
    fn->vslot = slot;
}

/* A destructor that nobody wrote is virtual where one of a base is. */
static void implicit_dtor(struct front *f, struct class_info *c)
{
    bool is_virtual = false;
    vec_each (struct base_class, b, &c->bases)
        is_virtual |= b->cls->dtor && b->cls->dtor->is_virtual;
    if (!c->dtor && is_virtual && !f->pattern)
        cu_implicit_dtor(f, c)->is_virtual = true;
}

/* Has another base, which fn's class is a virtual base of too, a function for it? */
static bool defined_beside(struct front *f, struct class_info *c, struct func *fn)
{
    if (!c->vbases.len)
        return false;
    vec_each (struct base_class, b, &c->bases) {
        vec_each (struct func *, v, &b->cls->vtable)
            if (!(*v)->is_pure && (*v)->cls != fn->cls && cu_overrides(f, *v, fn) &&
                cu_derives(f, (*v)->cls->type, fn->cls->type))
                return true;
        if (defined_beside(f, b->cls, fn))
            return true;
    }
    return false;
}

/* Does a function of c's own stand for fn, which a base has? */
static bool defined_in(struct front *f, struct class_info *c, struct func *fn)
{
    vec_each (struct func *, v, &c->vtable)
        if ((*v)->cls == c && cu_overrides(f, *v, fn))
            return true;
    return false;
}

/* What is pure in a base, the first or another, and still is; and what c makes pure. */
static void note_pure(struct front *f, struct class_info *c)
{
    vec_each (struct base_class, b, &c->bases)
        vec_each (struct func *, v, &b->cls->pure)
            if (!defined_in(f, c, *v) && !defined_beside(f, c, *v))
                vec_push(f->a, &c->pure, *v);
    vec_each (struct func *, v, &c->vtable)
        if ((*v)->cls == c && (*v)->is_pure)
            vec_push(f->a, &c->pure, *v);
    c->abstract = c->pure.len != 0;
}

static void build_vtable(struct front *f, struct class_info *c)
{
    choose_primary(f, c);
    c->polymorphic = c->vbases.len || c->primary;
    if (c->primary) {
        vec_each (struct func *, v, &c->primary->vtable)
            vec_push(f->a, &c->vtable, *v);
        vec_each (struct type *, t, &c->primary->vresults)
            vec_push(f->a, &c->vresults, *t);
    }
    implicit_dtor(f, c);
    for (struct decl *d = c->scope->first; d; d = d->next) {
        if (d->kind != DECL_FUNC)
            continue;
        struct func *fn = (struct func *)d;
        if (fn->is_static || fn->is_ctor || fn->cls != c)
            continue;
        if (!fn->is_virtual && overrides_in_bases(f, c, fn))
            fn->is_virtual = true;
        /* What a function of the host overrides may be in a base that was not understood. */
        if (fn->is_override && !fn->is_virtual && fn->where_explicit &&
            (fn->where & (WHERE_DEVICE | WHERE_GLOBAL)))
            cu_error(f, fn->d.span, "'%s' is marked override but overrides nothing", fn->d.name);
        if (!fn->is_virtual)
            continue;
        c->polymorphic = true;
        fill_slots(f, c, fn);
    }
    note_pure(f, c);
}

/* ---- the body ---- */

static bool member_for_device(struct front *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (f->kws[i] == KW___device__ || f->kws[i] == KW___global__)
            return true;
    return false;
}

static bool looks_like_field(struct front *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct token *t = &f->toks[i];
        if (f->kws[i] == KW_static || f->kws[i] == KW_friend || f->kws[i] == KW_using ||
            f->kws[i] == KW_typedef || f->kws[i] == KW_template)
            return false;
        if (t->kind == TOKEN_PUNCT && (t->punct == PUNCT_ASSIGN || t->punct == PUNCT_LBRACE))
            return true;
        if (t->kind == TOKEN_PUNCT && t->punct == PUNCT_LPAREN)
            return false;
    }
    return true;
}

/* A name (or operator) before a parenthesis: without a device attribute, a function of the host. */
static bool looks_like_function(struct front *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct token *t = &f->toks[i];
        if (f->kws[i] == KW_operator)
            return true;
        if (t->kind == TOKEN_PUNCT && (t->punct == PUNCT_ASSIGN || t->punct == PUNCT_LBRACE))
            return false;
        if (t->kind == TOKEN_PUNCT && t->punct == PUNCT_LPAREN)
            return i > from && f->toks[i - 1].kind == TOKEN_IDENT && !f->kws[i - 1];
    }
    return false;
}

static void poison_member(struct front *f, struct class_info *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct token *t = &f->toks[i], *n = t + 1;
        if (t->kind == TOKEN_IDENT && !f->kws[i] && n->kind == TOKEN_PUNCT &&
            (n->punct == PUNCT_LPAREN || n->punct == PUNCT_SEMI || n->punct == PUNCT_ASSIGN ||
             n->punct == PUNCT_LBRACE || n->punct == PUNCT_LBRACKET || n->punct == PUNCT_COMMA)) {
            cu_poison(f, c->scope, t->u.name == c->name ? f->n_ctor : t->u.name, t->span,
                      cu_caught_reason(f));
            return;
        }
    }
}

static void note_partial(struct class_info *c)
{
    vec_each (struct base_class, b, &c->bases)
        c->partial |= b->cls->partial;
    for (const struct field *fd = c->fields; fd; fd = fd->next)
        c->partial |= cu_is_partial(fd->d.type);
}

static void parse_class_body(struct front *f, struct class_info *c)
{
    struct span at = cu_span(f);
    c->state = CLASS_PARSING;
    if (c->name && !cu_find_local(f, c->scope, c->name)) {
        struct decl *self = cu_decl_new(f, DECL_TYPE, c->name, at);
        self->type = c->type;
        self->is_tag = true;
        cu_declare(f, c->scope, self);
    }
    struct scope *save_scope = f->scope;
    struct class_info *save_cls = f->cls;
    unsigned save_auto = f->auto_seen;
    uint8_t save_where = f->default_where;
    f->default_where = 0;
    if (cu_accept(f, PUNCT_COLON)) {
        f->scope = c->scope->parent ? c->scope->parent : f->scope;
        const unsigned doubts = f->doubts;
        parse_bases(f, c);
        c->doubtful |= f->doubts != doubts;
        f->scope = save_scope;
    }
    f->scope = c->scope;
    f->cls = c;
    if (!cu_is(f, PUNCT_LBRACE))
        cu_error(f, cu_span(f), "expected '{' in the definition of the class, found %s",
                 cu_tok_text(f, cu_tok(f)));
    size_t end = cu_close(f, f->pos);
    cu_next(f);
    cu_nest(f, at);
    struct member_job j = {c, c->is_class_key ? ACCESS_PRIVATE : ACCESS_PUBLIC};
    while (f->pos < end) {
        enum keyword k = cu_kw(f);
        if ((k == KW_public || k == KW_private || k == KW_protected) &&
            cu_peek_is(f, 1, PUNCT_COLON)) {
            j.access = k == KW_public    ? ACCESS_PUBLIC
                       : k == KW_private ? ACCESS_PRIVATE
                                         : ACCESS_PROTECTED;
            f->pos += 2;
            continue;
        }
        if (cu_accept(f, PUNCT_SEMI))
            continue;
        if (cu_tok(f)->kind == TOKEN_PRAGMA) {
            cu_next(f);
            continue;
        }
        size_t start = f->pos;
        size_t nfields = c->nfields;
        const unsigned doubts = f->doubts;
        struct decl *last = c->scope->last;
        if (cu_try_quietly(f, parse_member, &j)) {
            cu_mark_doubtful(f, c->scope, last, doubts);
            if (f->pos == start)
                cu_next(f);
            continue;
        }
        cu_skip_declaration(f, start);
        size_t stop = f->pos < end ? f->pos : end;
        f->pos = stop;
        /* Host code's members of a template may use names that only host code knows. */
        bool real = member_for_device(f, start, stop) ||
                    (c->tmpl && !f->caught.unknown && !looks_like_function(f, start, stop)) ||
                    (f->toks[start].flags & TOKEN_SYSTEM) || c->is_local;
        if (real) {
            unsigned q = f->quiet;
            f->quiet = 0;
            cu_show_caught(f);
            f->quiet = q;
        }
        if (cu_is_static_assert(f, start))
            continue; /* it declares nothing that could be missed */
        bool field = looks_like_field(f, start, stop) && c->nfields == nfields;
        if (field && !c->broken) {
            c->broken = cu_caught_reason(f);
            c->broken_at = f->caught.span;
        }
        poison_member(f, c, start, stop);
        c->partial = true;
        if (f->pos == start)
            f->pos++;
    }
    f->nesting--;
    f->pos = end + 1;
    f->scope = save_scope;
    f->cls = save_cls;
    f->auto_seen = save_auto;
    f->default_where = save_where;
    note_partial(c);
    build_vtable(f, c);
    if (!f->pattern)
        cu_implicit_equality(f, c);
    c->state = CLASS_COMPLETE;
}

/* The class's key, attributes and name, up to `:`, `{` or what else follows. */
static void parse_class_head(struct front *f, struct declspec *attrs, bool *is_union,
                             bool *is_class_key)
{
    *is_union = cu_is_kw(f, KW_union);
    *is_class_key = cu_is_kw(f, KW_class);
    cu_next(f);
    cu_parse_attributes(f, attrs);
}

/* struct { … } __attribute__((aligned(16))) */
static bool attributes_after(struct front *f, struct class_info *c, struct declspec *after)
{
    if (!cu_parse_attributes(f, after))
        return false;
    if (after->align > c->forced_align)
        c->forced_align = after->align;
    if (after->packed)
        c->packed = 1;
    return true;
}

void cu_parse_class_definition(struct front *f, struct class_info *c)
{
    struct declspec attrs = {0};
    cu_parse_attributes(f, &attrs);
    parse_class_head(f, &attrs, &c->is_union, &c->is_class_key);
    while (!cu_is(f, PUNCT_COLON) && !cu_is(f, PUNCT_LBRACE) && cu_tok(f)->kind != TOKEN_EOF) {
        if (cu_is(f, PUNCT_LT)) {
            size_t e = cu_skip_angles(f, f->pos);
            f->pos = e == f->pos ? f->pos + 1 : e;
            continue;
        }
        if (cu_is_name(f) && cu_tok(f)->u.name == f->n_final)
            c->is_final = true;
        if (cu_is(f, PUNCT_SEMI))
            cu_error(f, cu_span(f), "expected the definition of a class");
        cu_next(f);
    }
    c->forced_align = attrs.align;
    c->packed = attrs.packed ? 1 : cu_pack_at(f, f->pos);
    parse_class_body(f, c);
    struct declspec after = {0};
    attributes_after(f, c, &after);
}

static struct decl *find_tag(struct front *f, struct scope *s, const char *name)
{
    for (struct decl *d = cu_find_local(f, s, name); d; d = d->older) {
        struct decl *t = cu_strip_using(d);
        if (t->kind == DECL_TYPE && t->type->kind == TY_CLASS)
            return t;
    }
    return NULL;
}

/* What stands before the braces, or where there are none. */
struct class_head {
    struct declspec attrs;
    struct qname q;   /* its scope: what the name is qualified with */
    const char *name; /* NULL: none */
    struct span at;
    size_t start;
    bool is_union, is_class_key, is_final, defines;
};

/* The name; its type, if that is all there is to it: an instance of a template, or a dependent one.
 */
static struct type *parse_class_name(struct front *f, struct class_head *h)
{
    h->at = cu_span(f);
    if (!cu_is_name(f) && !cu_is(f, PUNCT_SCOPE))
        return NULL;
    cu_parse_qualifier(f, &h->q, QN_TYPE);
    if (h->q.dependent) {
        cu_expect_name(f, "a class name");
        return cu_type(f, TY_DEPENDENT);
    }
    h->at = cu_span(f);
    h->name = cu_tok(f)->u.name;
    if (!cu_peek_is(f, 1, PUNCT_LT)) {
        cu_expect_name(f, "a class name");
        return NULL;
    }
    h->q.pos = f->pos;
    cu_parse_qname(f, &h->q, QN_TYPE | QN_MEMBER);
    return cu_type_from_qname(f, &h->q, true);
}

static bool at_definition(struct front *f, const struct class_head *h, unsigned flags)
{
    if (cu_is(f, PUNCT_LBRACE))
        return true;
    if (!cu_is(f, PUNCT_COLON) || (flags & (DS_PARAM | DS_TYPE_ONLY)))
        return false;
    if (!h->name) /* struct : base { … } member; */
        return true;
    /* struct S : 3 would be a bit-field: not a class, but not ours to define */
    return !((flags & DS_MEMBER) && f->toks[f->pos + 1].kind == TOKEN_NUMBER);
}

/* A class that is only named, and not in this scope: its type if it is known, else NULL. */
static struct type *class_named(struct front *f, const struct declspec *ds, struct class_head *h)
{
    struct found r;
    h->q.name = h->name;
    h->q.kind = NAME_IDENT;
    h->q.pos = f->pos;
    if (!cu_lookup_qname(f, &h->q, &r)) {
        if (h->q.scope)
            cu_undeclared(f, h->name, h->at, h->q.scope);
        return NULL;
    }
    if (r.decls[0]->kind == DECL_POISON)
        cu_poisoned(f, r.decls[0], h->at);
    struct decl *tag = r.scope ? find_tag(f, r.scope, h->name) : NULL;
    if (!tag && r.decls[0]->kind == DECL_TYPE)
        tag = r.decls[0];
    if (tag && (!ds->is_friend || tag->type->kind == TY_CLASS))
        return tag->type;
    return r.decls[0]->kind == DECL_TEMPLATE ? cu_type_from_qname(f, &h->q, false) : NULL;
}

static struct decl *declare_class(struct front *f, const struct class_head *h, struct scope *s)
{
    const struct decl *other = h->name ? cu_find_local(f, s, h->name) : NULL;
    if (other && other->kind == DECL_TEMPLATE && s->kind != SCOPE_BLOCK)
        cu_error(f, h->at, "'%s' is a template", h->name);
    struct class_info *c = cu_class_new(f, h->name, h->at, s);
    c->is_union = h->is_union;
    struct decl *d = cu_decl_new(f, DECL_TYPE, h->name, h->at);
    d->type = c->type;
    d->is_tag = true;
    d->pos = h->start;
    c->decl = d;
    d->scope = s;
    if (h->name)
        cu_declare(f, s, d);
    if (f->func)
        vec_push(f->a, &f->func->locals, c);
    return d;
}

static void define_class(struct front *f, struct declspec *ds, const struct class_head *h)
{
    struct class_info *c = ds->tag->type->cls;
    struct scope *in = h->q.scope;
    ds->defines_tag = true;
    ds->tag->span = h->at;
    c->is_union = h->is_union;
    c->is_class_key = h->is_class_key;
    c->is_final = h->is_final;
    c->forced_align = h->attrs.align;
    c->packed = h->attrs.packed ? 1 : cu_pack_at(f, f->pos);
    c->scope->parent = in && f->scope->kind != SCOPE_TEMPLATE ? in : f->scope;
    if (f->func)
        c->inst = f->inst;
    parse_class_body(f, c);
    struct declspec after = {0};
    if (attributes_after(f, c, &after)) {
        ds->where |= after.where;
        if (after.has_space) {
            ds->has_space = true;
            ds->space = after.space;
        }
    }
}

struct type *cu_parse_class(struct front *f, struct declspec *ds, unsigned flags)
{
    struct class_head h = {.start = f->pos};
    parse_class_head(f, &h.attrs, &h.is_union, &h.is_class_key);
    struct type *t = parse_class_name(f, &h);
    if (t)
        return t;
    if (cu_is_name(f) && cu_tok(f)->u.name == f->n_final &&
        (cu_peek_is(f, 1, PUNCT_LBRACE) || cu_peek_is(f, 1, PUNCT_COLON))) {
        h.is_final = true;
        cu_next(f);
    }
    h.defines = at_definition(f, &h, flags);
    struct scope *s = h.q.scope ? h.q.scope : f->scope;
    while (s->kind == SCOPE_TEMPLATE)
        s = s->parent;
    const bool friendly = ds->is_friend && !h.q.scope;
    const bool declares = cu_is(f, PUNCT_SEMI) && !h.q.scope && !ds->is_friend;
    struct decl *d = h.name && !friendly ? find_tag(f, s, h.name) : NULL;
    if (!d && h.name && !h.defines && !declares) {
        t = class_named(f, ds, &h);
        if (t)
            return t;
        /* First mention: declared in the nearest namespace or block. */
        while (s->kind == SCOPE_CLASS || s->kind == SCOPE_FUNC || s->kind == SCOPE_TEMPLATE)
            s = s->parent;
    }
    if (d && h.defines && d->type->cls->state != CLASS_DECLARED && d->scope != s)
        d = NULL; /* another one, that hides it */
    if (!d)
        d = declare_class(f, &h, s);
    else if (h.defines &&
             (d->type->cls->state == CLASS_COMPLETE || d->type->cls->state == CLASS_PARSING))
        cu_error_note(f, h.at, d->span, "defined here first", "'%s' is defined twice", h.name);
    ds->tag = d;
    if (h.defines)
        define_class(f, ds, &h);
    return d->type;
}
