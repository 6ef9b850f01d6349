/* Special member functions: which a class gets by itself, what their bodies are, and the
 * initialisers of constructors. */
#include "front/cuda/sema/sema.h"

static struct func *implicit_func(struct front *f, struct class_info *c, const char *name,
                                  struct type *type, struct type *param)
{
    struct func *fn = cu_new_func(f, name, c->decl ? c->decl->span : (struct span){0});
    fn->d.type = type;
    fn->d.access = ACCESS_PUBLIC;
    fn->cls = c;
    fn->is_implicit = fn->is_defaulted = true;
    fn->is_inline = true;
    fn->is_constexpr = true;
    fn->where = WHERE_HOST | WHERE_DEVICE;
    fn->scope = c->scope;
    fn->state = BODY_NONE;
    if (param) {
        fn->params = arena_array(f->a, struct param, 1);
        fn->params[0].type = param;
        fn->nparams = 1;
    }
    cu_declare(f, c->scope, &fn->d);
    return fn;
}

static bool has_user(struct front *f, struct class_info *c, const char *name,
                     bool (*is)(struct class_info *, struct func *))
{
    for (struct decl *d = cu_find_local(f, c->scope, name); d; d = d->older)
        if (d->kind == DECL_FUNC && is(c, (struct func *)d))
            return true;
    return false;
}

static bool is_copy_like(struct class_info *c, struct func *fn, enum type_kind ref)
{
    if (!fn->d.type->nparams || fn->d.type->params[0]->kind != ref ||
        fn->d.type->params[0]->elem->unqual != c->type)
        return false;
    for (size_t i = 1; i < fn->nparams; i++)
        if (!fn->params[i].default_pos)
            return false;
    return true;
}

static bool is_copy(struct class_info *c, struct func *fn)
{
    return is_copy_like(c, fn, TY_LREF);
}

static bool is_move(struct class_info *c, struct func *fn)
{
    return is_copy_like(c, fn, TY_RREF);
}

static bool is_copy_assign(struct class_info *c, struct func *fn)
{
    return is_copy_like(c, fn, TY_LREF) ||
           (fn->d.type->nparams == 1 && fn->d.type->params[0]->unqual == c->type);
}

static bool any_ctor(struct front *f, struct class_info *c)
{
    for (struct decl *d = cu_find_local(f, c->scope, f->n_ctor); d; d = d->older)
        if (d->kind == DECL_TEMPLATE || (d->kind == DECL_FUNC && !((struct func *)d)->is_implicit))
            return true;
    return false;
}

static struct type *element(struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    return t;
}

enum special { SP_DEFAULT, SP_COPY, SP_MOVE, SP_COPY_ASSIGN, SP_MOVE_ASSIGN, SP_NONE };

static enum special special_kind(struct front *f, struct class_info *c, struct func *fn)
{
    if (fn->is_ctor) {
        if (fn->nparams == 0 || (fn->params[0].default_pos && !is_copy(c, fn)))
            return SP_DEFAULT;
        return is_copy(c, fn) ? SP_COPY : is_move(c, fn) ? SP_MOVE : SP_NONE;
    }
    if (fn->d.name != f->n_assign)
        return SP_NONE;
    return is_copy_assign(c, fn) ? SP_COPY_ASSIGN : is_move(c, fn) ? SP_MOVE_ASSIGN : SP_NONE;
}

static bool is_assign(enum special k)
{
    return k == SP_COPY_ASSIGN || k == SP_MOVE_ASSIGN;
}

/* What c does it with: a class that does not move copies. *others: templates may do it instead. */
static struct func *special_of(struct front *f, struct class_info *c, enum special k, bool *others)
{
    struct func *copy = NULL;
    const enum special instead = k == SP_MOVE          ? SP_COPY
                                 : k == SP_MOVE_ASSIGN ? SP_COPY_ASSIGN
                                                       : SP_NONE;
    const char *name = is_assign(k) ? f->n_assign : f->n_ctor;
    for (struct decl *d = cu_find_local(f, c->scope, name); d; d = d->older) {
        struct decl *t = cu_strip_using(d);
        *others |= t->kind == DECL_TEMPLATE;
        if (t->kind != DECL_FUNC || d->hidden || ((struct func *)t)->cls != c)
            continue;
        const enum special is = special_kind(f, c, (struct func *)t);
        if (is == k)
            return (struct func *)t;
        if (is == instead && is != SP_NONE)
            copy = (struct func *)t;
    }
    return copy;
}

static bool trivially(struct front *f, struct type *t, enum special k)
{
    switch (k) {
    case SP_DEFAULT: return cu_trivial_default(f, t);
    case SP_COPY:
    case SP_MOVE: return cu_trivial_copy(f, t->cls, k == SP_MOVE);
    default: return cu_trivial_assign(f, t->cls, k == SP_MOVE_ASSIGN);
    }
}

/* Can a part of type t not be made, copied or moved by what does so by itself? */
static bool part_lacks(struct front *f, struct class_info *c, struct type *t, enum special k)
{
    t = element(t);
    if (t->kind != TY_CLASS)
        return false;
    cu_complete(f, t, cu_span(f));
    if (t->cls->state != CLASS_COMPLETE)
        return false;
    cu_implicit_members(f, t->cls);
    if (c->is_union && !t->cls->partial && !trivially(f, t, k))
        return true;
    bool others = t->cls->partial;
    const struct func *fn = special_of(f, t->cls, k, &others);
    return fn ? fn->is_deleted : k == SP_DEFAULT && !others && !t->cls->is_lambda;
}

/* A const member that no constructor of its own gives a value. */
static bool stays_unset(const struct field *fd)
{
    const struct type *t = element(fd->d.type);
    return (t->quals & QUAL_CONST) && (t->kind != TY_CLASS || !t->cls->user_ctor) && !fd->anonymous;
}

static bool fixed_field(const struct field *fd)
{
    return cu_is_ref(fd->d.type) || (element(fd->d.type)->quals & QUAL_CONST);
}

/* Would the defaulted function of class c be deleted? */
static bool lacks(struct front *f, struct class_info *c, enum special k)
{
    vec_each (struct base_class, b, &c->bases)
        if (part_lacks(f, c, b->type, k))
            return true;
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        if (k == SP_DEFAULT && fd->init_pos)
            continue;
        if (k == SP_DEFAULT && (cu_is_ref(fd->d.type) || (!c->is_union && stays_unset(fd))))
            return true;
        if (k == SP_COPY && fd->d.type->kind == TY_RREF)
            return true;
        if (is_assign(k) && fixed_field(fd))
            return true;
        if (!cu_is_ref(fd->d.type) && part_lacks(f, c, fd->d.type, k))
            return true;
    }
    return is_assign(k) && c->is_lambda;
}

/* What the class says is `= default` is deleted all the same where it could not work; moving is
 * then as if it had not been said. */
static void settle_defaulted(struct front *f, struct class_info *c, const char *name)
{
    for (struct decl *d = cu_find_local(f, c->scope, name); d; d = d->older) {
        struct func *fn = (struct func *)d;
        if (d->kind != DECL_FUNC || fn->cls != c || !fn->is_defaulted || fn->is_deleted ||
            fn->is_implicit)
            continue;
        const enum special k = special_kind(f, c, fn);
        if (k == SP_NONE || !lacks(f, c, k))
            continue;
        fn->is_deleted = true;
        fn->d.hidden = k == SP_MOVE || k == SP_MOVE_ASSIGN;
    }
}

static struct func *implicit_special(struct front *f, struct class_info *c, enum special k,
                                     bool deleted)
{
    struct type *ref = k == SP_MOVE || k == SP_MOVE_ASSIGN
                           ? cu_rref_to(f, c->type)
                           : cu_lref_to(f, cu_qualified(f, c->type, QUAL_CONST));
    struct type *result = is_assign(k) ? cu_lref_to(f, c->type) : cu_type(f, TY_VOID);
    const size_t n = k != SP_DEFAULT;
    struct func *fn =
        implicit_func(f, c, is_assign(k) ? f->n_assign : f->n_ctor,
                      cu_func_type(f, result, &ref, n, false, 0, REF_NONE), n ? ref : NULL);
    fn->is_ctor = !is_assign(k);
    if (is_assign(k))
        fn->op = PUNCT_ASSIGN;
    fn->is_deleted = deleted || lacks(f, c, k);
    return fn;
}

void cu_implicit_members(struct front *f, struct class_info *c)
{
    if (c->implicit_done || c->state != CLASS_COMPLETE)
        return;
    c->implicit_done = true;
    bool copy = has_user(f, c, f->n_ctor, is_copy), move = has_user(f, c, f->n_ctor, is_move);
    bool ca = has_user(f, c, f->n_assign, is_copy_assign),
         ma = has_user(f, c, f->n_assign, is_move);
    if (!any_ctor(f, c) && !c->is_lambda)
        implicit_special(f, c, SP_DEFAULT, false);
    settle_defaulted(f, c, f->n_ctor);
    settle_defaulted(f, c, f->n_assign);
    if (!copy)
        implicit_special(f, c, SP_COPY, move || ma);
    if (!ca)
        implicit_special(f, c, SP_COPY_ASSIGN, move || ma);
    if (copy || move || ca || ma || c->user_dtor)
        return;
    if (!lacks(f, c, SP_MOVE))
        implicit_special(f, c, SP_MOVE, false);
    if (!lacks(f, c, SP_MOVE_ASSIGN))
        implicit_special(f, c, SP_MOVE_ASSIGN, false);
}

bool cu_copies_somehow(struct front *f, struct class_info *c)
{
    cu_implicit_members(f, c);
    for (enum special k = SP_COPY; k <= SP_MOVE_ASSIGN; k++) {
        bool others = false;
        const struct func *fn = special_of(f, c, k, &others);
        if (!fn || !fn->is_deleted)
            return true;
    }
    return false;
}

void cu_implicit_equality(struct front *f, struct class_info *c)
{
    const char *name = cu_operator_name(f, PUNCT_EQ);
    if (cu_find_local(f, c->scope, name))
        return;
    for (struct decl *d = cu_find_local(f, c->scope, cu_operator_name(f, PUNCT_SPACESHIP)); d;
         d = d->older) {
        struct func *order = (struct func *)d;
        if (d->kind != DECL_FUNC || !order->is_defaulted || order->nparams != 1)
            continue;
        const struct type *t = d->type;
        struct func *fn = implicit_func(f, c, name,
                                        cu_func_type(f, cu_type(f, TY_BOOL), t->params, t->nparams,
                                                     false, t->func_quals, t->func_ref),
                                        t->params[0]);
        fn->op = PUNCT_EQ;
        fn->d.access = d->access;
        return;
    }
}

struct func *cu_implicit_dtor(struct front *f, struct class_info *c)
{
    struct type *none = cu_func_type(f, cu_type(f, TY_VOID), NULL, 0, false, 0, REF_NONE);
    c->dtor = implicit_func(f, c, f->n_dtor, none, NULL);
    c->dtor->is_dtor = true;
    return c->dtor;
}

struct func *cu_find_dtor(struct front *f, struct class_info *c)
{
    cu_complete(f, c->type, cu_span(f));
    return c->dtor ? c->dtor : cu_implicit_dtor(f, c);
}

void cu_class_ctors(struct front *f, struct class_info *c, struct found *out)
{
    cu_complete(f, c->type, cu_span(f));
    if (c->state == CLASS_COMPLETE)
        cu_implicit_members(f, c);
    *out = (struct found){0};
    size_t n = 0;
    for (struct decl *d = cu_find_local(f, c->scope, f->n_ctor); d; d = d->older)
        n++;
    out->decls = arena_array(f->a, struct decl *, n + 1);
    for (struct decl *d = cu_find_local(f, c->scope, f->n_ctor); d; d = d->older) {
        struct decl *t = cu_strip_using(d);
        if (d->hidden)
            continue;
        if (t->kind == DECL_FUNC || t->kind == DECL_TEMPLATE)
            out->decls[out->n++] = t;
    }
    out->cls = c;
}

/* ---- constructor initialisers ---- */

struct init_entry {
    struct field *field;
    struct class_info *base;
    struct expr **args;
    size_t n;
    bool braced;
    struct span span;
    bool used;
};

static void *parse_mem_init(struct front *f, void *arg)
{
    struct func *fn = arg;
    struct init_entry *e = arena_new(f->a, struct init_entry);
    e->span = cu_span(f);
    if (cu_is_name(f) && (cu_peek_is(f, 1, PUNCT_LPAREN) || cu_peek_is(f, 1, PUNCT_LBRACE))) {
        struct decl *d = cu_find_local(f, fn->cls->scope, cu_tok(f)->u.name);
        while (d && d->kind != DECL_FIELD && d->older)
            d = d->older;
        if (d && d->kind == DECL_FIELD) {
            e->field = (struct field *)d;
            cu_next(f);
        }
    }
    if (!e->field) {
        cu_accept_kw(f, KW_typename);
        struct qname q;
        cu_parse_qname(f, &q, QN_TYPE);
        struct type *t = cu_type_from_qname(f, &q, false);
        if (!t || (t->kind == TY_AUTO && t->tmpl)) {
            /* The name of a template's base without its arguments. */
            struct type *hit = NULL;
            vec_each (struct base_class, b, &fn->cls->bases)
                if (b->cls->name == q.name)
                    hit = b->type;
            vec_each (struct virtual_base, v, &fn->cls->vbases)
                if (!hit && v->cls->name == q.name)
                    hit = v->cls->type;
            if (!hit && !t)
                cu_undeclared(f, q.name, q.span, fn->cls->scope);
            if (hit)
                t = hit;
        }
        if (!t->dependent) {
            if (t->kind != TY_CLASS)
                cu_error(f, e->span, "'%s' is neither a member nor a base class",
                         cu_type_str(f, t));
            e->base = t->cls;
        }
    }
    if (cu_is(f, PUNCT_LBRACE)) {
        e->args = arena_array(f->a, struct expr *, 1);
        e->args[0] = cu_parse_braced(f);
        e->n = 1;
        e->braced = true;
    } else {
        cu_expect(f, PUNCT_LPAREN, "after the member's name");
        cu_parse_args(f, PUNCT_RPAREN, &e->args, &e->n);
    }
    return e;
}

static struct expr *entry_init(struct front *f, struct type *t, struct init_entry *e)
{
    if (e->braced)
        return cu_init_list(f, t, e->args[0], false);
    if (e->n == 0)
        return cu_init_value(f, t, e->span);
    if (t->kind == TY_ARRAY && e->n == 1)
        return cu_init_copy(f, t, e->args[0], "initialising");
    return cu_init_direct(f, t, e->args, e->n, e->span);
}

static void add_init(struct front *f, struct mem_init ***tail, struct field *fd,
                     struct class_info *base, struct expr *init)
{
    struct mem_init *m = arena_new(f->a, struct mem_init);
    m->field = fd;
    m->base = base;
    m->init = init;
    **tail = m;
    *tail = &m->next;
}

/* Of an unnamed union that no entry names, the member with an initialiser; the others stay as they
 * are, whatever constructors they have. */
static void init_variant(struct front *f, struct mem_init ***tail, struct class_info *u)
{
    for (struct field *fd = u->fields; fd; fd = fd->next)
        if (fd->init_pos)
            add_init(f, tail, fd, NULL, cu_default_member(f, fd));
}

static size_t virtual_order(const struct class_info *c, struct class_info **out, size_t n)
{
    vec_each (struct base_class, b, &c->bases) {
        n = virtual_order(b->cls, out, n);
        bool there = !b->is_virtual;
        for (size_t i = 0; i < n; i++)
            there |= out[i] == b->cls;
        if (!there)
            out[n++] = b->cls;
    }
    return n;
}

struct class_info **cu_virtual_order(struct front *f, const struct class_info *c)
{
    struct class_info **out = arena_array(f->a, struct class_info *, c->vbases.len + 1);
    out[virtual_order(c, out, 0)] = NULL;
    return out;
}

static struct mem_init *last_init(const struct func *fn)
{
    struct mem_init *m = fn->inits;
    while (m->next)
        m = m->next;
    return m;
}

static void init_base(struct front *f, struct func *fn, struct mem_init ***tail,
                      struct class_info *base, struct init_entry **list, size_t n)
{
    struct init_entry *hit = NULL;
    for (size_t i = 0; i < n; i++)
        if (list[i]->base == base) {
            hit = list[i];
            hit->used = true;
        }
    add_init(f, tail, NULL, base,
             hit ? entry_init(f, base->type, hit) : cu_init_default(f, base->type, fn->d.span));
}

/* Every base and member in order of declaration: as the list says, by its own initialiser, or by
 * default. */
static void fill_inits(struct front *f, struct func *fn, struct init_entry **list, size_t n)
{
    struct class_info *c = fn->cls;
    struct mem_init **tail = &fn->inits;
    for (size_t i = 0; i < n; i++)
        if (list[i]->base == c) { /* delegates */
            if (n != 1)
                cu_error(f, list[i]->span, "a delegating constructor initialises nothing else");
            add_init(f, &tail, NULL, c, entry_init(f, c->type, list[i]));
            return;
        }
    for (struct class_info **v = cu_virtual_order(f, c); *v; v++) {
        init_base(f, fn, &tail, *v, list, n);
        last_init(fn)->virtual_base = true;
    }
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual)
            init_base(f, fn, &tail, b->cls, list, n);
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        struct init_entry *hit = NULL;
        struct field *inside = NULL;
        for (size_t i = 0; i < n; i++) {
            struct field *x = list[i]->field;
            if (!x)
                continue;
            if (x == fd) {
                hit = list[i];
                hit->used = true;
            } else if (x->outer) {
                struct field *o = x;
                while (o->outer)
                    o = o->outer;
                if (o == fd) {
                    inside = x;
                    list[i]->used = true;
                    struct mem_init *m = arena_new(f->a, struct mem_init);
                    m->field = x;
                    m->init = entry_init(f, x->d.type, list[i]);
                    *tail = m;
                    tail = &m->next;
                }
            }
        }
        if (inside)
            continue;
        if (hit)
            add_init(f, &tail, fd, NULL, entry_init(f, fd->d.type, hit));
        else if (fd->init_pos)
            add_init(f, &tail, fd, NULL, cu_default_member(f, fd));
        else if (cu_is_ref(fd->d.type))
            cu_error_note(f, fn->d.span, fd->d.span, "declared here",
                          "the reference member '%s' is not initialised", fd->d.name);
        else if (fd->anonymous && fd->d.type->kind == TY_CLASS && fd->d.type->cls->is_union)
            init_variant(f, &tail, fd->d.type->cls);
        else if (!c->is_union) {
            struct expr *e = cu_init_default(f, fd->d.type, fn->d.span);
            if (e->kind != EX_UNINIT)
                add_init(f, &tail, fd, NULL, e);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!list[i]->used && (list[i]->base || list[i]->field))
            cu_error(f, list[i]->span, "this is neither a member nor a direct base class of '%s'",
                     cu_type_str(f, c->type));
}

void cu_parse_mem_inits(struct front *f, struct func *fn)
{
    struct elements list = {0};
    if (cu_accept(f, PUNCT_COLON))
        do
            cu_expand_each(f, parse_mem_init, fn, &list);
        while (cu_accept(f, PUNCT_COMMA));
    cu_complete(f, fn->cls->type, fn->d.span);
    fill_inits(f, fn, (struct init_entry **)list.data, list.len);
}

/* ---- bodies of defaulted functions ---- */

static struct stmt *empty_block(struct front *f, struct span s)
{
    struct stmt *b = arena_new(f->a, struct stmt);
    b->kind = STMT_BLOCK;
    b->span = s;
    b->unroll = -1;
    return b;
}

static struct expr *next_param(struct front *f, struct func *fn)
{
    struct var *v = cu_decl_alloc(f, sizeof *v, DECL_VAR, NULL, fn->d.span);
    v->storage = VAR_PARAM;
    v->func = fn;
    v->d.type = fn->d.type->params[fn->param_vars.len];
    vec_push(f->a, &fn->param_vars, v);
    return cu_var_expr(f, v, fn->d.span);
}

static struct expr *other_object(struct front *f, struct func *fn, bool move)
{
    fn->param_vars.len = 0;
    struct expr *e = next_param(f, fn);
    if (move)
        e->cat = CAT_X;
    return e;
}

/* Parts are initialised directly: their copy constructors may be explicit. */
static struct expr *copied(struct front *f, struct type *t, struct expr *src, struct span s)
{
    return t->kind == TY_CLASS ? cu_init_direct(f, t, &src, 1, s)
                               : cu_init_copy(f, t, src, "copying");
}

/* Copies one part; an array element by element when its elements have constructors. */
static struct expr *copy_part(struct front *f, struct type *t, struct expr *src, struct span s)
{
    if (cu_is_ref(t))
        return src;
    if (t->kind == TY_ARRAY && !cu_trivially_copyable(f, t)) {
        struct expr *index = cu_expr_new(f, EX_LOOP_INDEX, f->size_type, CAT_PR, s);
        struct expr *elem = cu_index(f, src, &index, 1, s);
        elem->cat = src->cat;
        struct expr *r = cu_expr_new(f, EX_ARRAY_INIT, t, CAT_PR, s);
        r->a = copy_part(f, t->elem, elem, s);
        return r;
    }
    return copied(f, t->unqual, src, s);
}

static void copy_base(struct front *f, struct mem_init ***tail, struct class_info *base,
                      struct expr *other)
{
    struct expr *src = cu_upcast(f, other, base->type);
    add_init(f, tail, NULL, base, copied(f, base->type, src, src->span));
}

static void default_copy(struct front *f, struct func *fn)
{
    struct class_info *c = fn->cls;
    bool move = fn->d.type->params[0]->kind == TY_RREF;
    struct expr *other = other_object(f, fn, move);
    struct mem_init **tail = &fn->inits;
    if (c->is_union) {
        struct expr *load = cu_expr_new(f, EX_LOAD, c->type, CAT_PR, fn->d.span);
        load->a = other;
        add_init(f, &tail, NULL, c, load);
        return;
    }
    for (struct class_info **v = cu_virtual_order(f, c); *v; v++) {
        copy_base(f, &tail, *v, other);
        last_init(fn)->virtual_base = true;
    }
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual)
            copy_base(f, &tail, b->cls, other);
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        if (fd->is_bitfield && !fd->d.name)
            continue;
        struct expr *src = cu_member_expr(f, other, fd, fn->d.span);
        if (fd->is_bitfield)
            src = cu_rvalue(f, src);
        add_init(f, &tail, fd, NULL, copy_part(f, fd->d.type, src, fn->d.span));
    }
}

static void push_stmt(struct front *f, struct stmt ***tail, enum stmt_kind k, struct expr *e,
                      struct span s)
{
    struct stmt *st = arena_new(f->a, struct stmt);
    st->kind = k;
    st->cond = e;
    st->span = s;
    st->unroll = -1;
    **tail = st;
    *tail = &st->next;
}

static void assign_part(struct front *f, struct stmt ***tail, struct expr *dst, struct expr *src,
                        struct span s)
{
    if (dst->type->kind == TY_ARRAY) {
        if (cu_trivially_copyable(f, dst->type)) {
            struct expr *load = cu_expr_new(f, EX_LOAD, dst->type->unqual, CAT_PR, s);
            load->a = src;
            struct expr *e = cu_expr_new(f, EX_ASSIGN, dst->type, CAT_L, s);
            e->a = dst;
            e->b = load;
            push_stmt(f, tail, STMT_EXPR, e, s);
            return;
        }
        if (dst->type->count > 4096)
            cu_error(f, s, "an array of %llu objects with operator= is not assigned by itself",
                     (unsigned long long)dst->type->count);
        for (uint64_t i = 0; i < dst->type->count; i++) {
            struct expr *x = cu_int_expr(f, f->size_type, i, s);
            struct expr *d = cu_index(f, dst, &x, 1, s), *v = cu_index(f, src, &x, 1, s);
            v->cat = src->cat;
            assign_part(f, tail, d, v, s);
        }
        return;
    }
    push_stmt(f, tail, STMT_EXPR, cu_assign(f, PUNCT_ASSIGN, dst, src, s), s);
}

static void default_assign(struct front *f, struct func *fn)
{
    struct class_info *c = fn->cls;
    struct span s = fn->d.span;
    bool move = fn->d.type->params[0]->kind == TY_RREF;
    struct expr *other = other_object(f, fn, move);
    struct expr *self =
        cu_deref(f, cu_expr_new(f, EX_THIS, cu_pointer_to(f, c->type), CAT_PR, s), s);
    fn->ast = empty_block(f, s);
    struct stmt **tail = &fn->ast->body;
    vec_each (struct base_class, b, &c->bases)
        push_stmt(f, &tail, STMT_EXPR,
                  cu_assign(f, PUNCT_ASSIGN, cu_upcast(f, self, b->type),
                            cu_upcast(f, other, b->type), s),
                  s);
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        if (fd->is_bitfield && !fd->d.name)
            continue;
        assign_part(f, &tail, cu_member_expr(f, self, fd, s), cu_member_expr(f, other, fd, s), s);
    }
    push_stmt(f, &tail, STMT_RETURN, self, s);
}

static struct expr *equal_part(struct front *f, struct expr *all, struct expr *a, struct expr *b,
                               struct span s)
{
    if (a->type->kind == TY_ARRAY) {
        if (a->type->count > 256)
            cu_error(f, s, "an array of %llu elements is not compared by itself",
                     (unsigned long long)a->type->count);
        for (uint64_t i = 0; i < a->type->count; i++) {
            struct expr *x = cu_int_expr(f, f->size_type, i, s);
            all = equal_part(f, all, cu_index(f, a, &x, 1, s), cu_index(f, b, &x, 1, s), s);
        }
        return all;
    }
    struct expr *same = cu_binary(f, PUNCT_EQ, a, b, s);
    return all ? cu_binary(f, PUNCT_ANDAND, all, same, s) : same;
}

/* The object and the other one of a defaulted comparison: a member, or a friend of two parameters.
 */
static struct class_info *compared(struct front *f, struct func *fn, struct expr **self,
                                   struct expr **other)
{
    struct span s = fn->d.span;
    fn->param_vars.len = 0;
    if (fn->cls) {
        struct type *own = cu_qualified(f, fn->cls->type, QUAL_CONST);
        *self = cu_deref(f, cu_expr_new(f, EX_THIS, cu_pointer_to(f, own), CAT_PR, s), s);
    } else {
        *self = next_param(f, fn);
    }
    *other = next_param(f, fn);
    if ((*self)->type->kind != TY_CLASS || (*other)->type->unqual != (*self)->type->unqual)
        cu_error(f, s, "defaulting this function is not supported");
    return (*self)->type->cls;
}

/* bool operator==(const C &) const = default */
static void default_equal(struct front *f, struct func *fn)
{
    struct span s = fn->d.span;
    struct expr *self, *other, *all = NULL;
    struct class_info *c = compared(f, fn, &self, &other);
    vec_each (struct base_class, b, &c->bases)
        all = equal_part(f, all, cu_upcast(f, self, b->type), cu_upcast(f, other, b->type), s);
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->d.name || !fd->is_bitfield)
            all = equal_part(f, all, cu_member_expr(f, self, fd, s),
                             cu_member_expr(f, other, fd, s), s);
    struct stmt **tail = &fn->ast->body;
    all = all ? cu_rvalue(f, all) : cu_bool_expr(f, true, s);
    if (fn->op == PUNCT_NE) { /* asks for what == says */
        all = cu_unary(f, PUNCT_NOT, cu_binary(f, PUNCT_EQ, self, other, s), s);
    }
    push_stmt(f, &tail, STMT_RETURN, all, s);
}

/* The comparisons of all parts, in order: the first that is not equal decides. */
static void order_part(struct front *f, struct elements *out, struct expr *a, struct expr *b,
                       struct span s)
{
    if (a->type->kind == TY_ARRAY) {
        if (a->type->count > 256)
            cu_error(f, s, "an array of %llu elements is not compared by itself",
                     (unsigned long long)a->type->count);
        for (uint64_t i = 0; i < a->type->count; i++) {
            struct expr *x = cu_int_expr(f, f->size_type, i, s);
            order_part(f, out, cu_index(f, a, &x, 1, s), cu_index(f, b, &x, 1, s), s);
        }
        return;
    }
    struct expr *e = cu_three_way(f, a, b, s);
    vec_push(f->a, out, (void *)e);
}

/* auto operator<=>(const C &) const = default */
static void default_order(struct front *f, struct func *fn)
{
    struct span s = fn->d.span;
    struct expr *self, *other;
    struct elements parts = {0};
    struct class_info *c = compared(f, fn, &self, &other);
    vec_each (struct base_class, b, &c->bases)
        order_part(f, &parts, cu_upcast(f, self, b->type), cu_upcast(f, other, b->type), s);
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->d.name || !fd->is_bitfield)
            order_part(f, &parts, cu_member_expr(f, self, fd, s), cu_member_expr(f, other, fd, s),
                       s);
    if (!parts.len) {
        struct expr *zero = cu_int_expr(f, cu_type(f, TY_INT), 0, s);
        struct expr *same = cu_three_way(f, zero, zero, s);
        vec_push(f->a, &parts, (void *)same);
    }
    struct expr *all = parts.data[parts.len - 1];
    for (size_t i = parts.len - 1; i-- > 0;)
        all = cu_compare_call(f, "first_unequal", parts.data[i], all, s);
    if (fn->d.type->elem->kind == TY_AUTO)
        fn->d.type = cu_func_type(f, all->type->unqual, fn->d.type->params, fn->d.type->nparams,
                                  false, fn->d.type->func_quals, fn->d.type->func_ref);
    struct stmt **tail = &fn->ast->body;
    push_stmt(f, &tail, STMT_RETURN, cu_init_copy(f, fn->d.type->elem, all, "comparing"), s);
}

/* < and its kin, defaulted: what <=> says. */
static void default_relation(struct front *f, struct func *fn)
{
    struct span s = fn->d.span;
    struct expr *self, *other;
    compared(f, fn, &self, &other);
    struct expr *zero = cu_int_expr(f, cu_type(f, TY_INT), 0, s);
    struct stmt **tail = &fn->ast->body;
    push_stmt(
        f, &tail, STMT_RETURN,
        cu_rvalue(f, cu_binary(f, (enum punct)fn->op, cu_three_way(f, self, other, s), zero, s)),
        s);
}

static void inherited_ctor(struct front *f, struct func *fn)
{
    struct func *base = fn->inherits;
    fn->param_vars.len = 0;
    struct expr **args = arena_array(f->a, struct expr *, fn->nparams + 1);
    for (size_t i = 0; i < fn->nparams; i++) {
        args[i] = next_param(f, fn);
        if (fn->d.type->params[i]->kind != TY_LREF)
            args[i]->cat = CAT_X;
    }
    struct init_entry e = {.base = base->cls, .args = args, .n = fn->nparams, .span = fn->d.span};
    struct init_entry *list = &e;
    fill_inits(f, fn, &list, 1);
}

void cu_default_body(struct front *f, struct func *fn)
{
    struct parse_state st;
    cu_enter(f, &st, f->pos, fn->cls ? fn->cls->scope : fn->d.scope);
    f->func = fn;
    f->cls = fn->cls;
    fn->ast = empty_block(f, fn->d.span);
    if (fn->is_ctor && fn->inherits)
        inherited_ctor(f, fn);
    else if (fn->is_ctor && fn->nparams == 0)
        fill_inits(f, fn, NULL, 0);
    else if (fn->is_ctor)
        default_copy(f, fn);
    else if (fn->op == PUNCT_ASSIGN)
        default_assign(f, fn);
    else if ((fn->op == PUNCT_EQ || fn->op == PUNCT_NE) && fn->nparams == (fn->cls ? 1 : 2) &&
             fn->d.type->elem->kind == TY_BOOL)
        default_equal(f, fn);
    else if (fn->op == PUNCT_SPACESHIP && fn->nparams == (fn->cls ? 1 : 2))
        default_order(f, fn);
    else if ((fn->op == PUNCT_LT || fn->op == PUNCT_GT || fn->op == PUNCT_LE ||
              fn->op == PUNCT_GE) &&
             fn->nparams == (fn->cls ? 1 : 2) && fn->d.type->elem->kind == TY_BOOL)
        default_relation(f, fn);
    else if (!fn->is_dtor)
        cu_error(f, fn->d.span, "defaulting this function is not supported");
    cu_restore(f, &st);
}

/* The constructor of c that does what b, of its base, does. One of a base further up comes by way
 * of those between, so that asking twice finds the same. */
struct func *cu_inherited_ctor(struct front *f, struct class_info *c, struct func *b)
{
    if (b->cls != c && !cu_derives(f, c->type, b->cls->type))
        return b;
    vec_each (struct base_class, via, &c->bases) /* one that the base has inherited itself */
        if (via->cls != b->cls && cu_derives(f, via->type, b->cls->type)) {
            b = cu_inherited_ctor(f, via->cls, b);
            break;
        }
    for (struct decl *d = cu_find_local(f, c->scope, f->n_ctor); d; d = d->older)
        if (d->kind == DECL_FUNC && ((struct func *)d)->inherits == b)
            return (struct func *)d;
    struct func *fn = implicit_func(f, c, f->n_ctor, b->d.type, NULL);
    fn->params = b->params;
    fn->nparams = b->nparams;
    fn->is_ctor = true;
    fn->is_explicit = b->is_explicit;
    fn->where = b->where;
    fn->where_explicit = b->where_explicit;
    fn->is_constexpr = b->is_constexpr;
    fn->inherits = b;
    fn->d.access = b->d.access;
    fn->d.hidden = b->tmpl || b->d.hidden; /* found through its template */
    return fn;
}

/* using Base::Base: a constructor of ours for each of its. */
void cu_inherit_ctors(struct front *f, struct class_info *c, struct class_info *base)
{
    struct found r;
    cu_class_ctors(f, base, &r);
    for (size_t i = r.n; i-- > 0;) {
        c->user_ctor |= r.decls[i]->kind == DECL_TEMPLATE;
        if (r.decls[i]->kind == DECL_TEMPLATE) { /* its instances become ours: cu_inherited_ctor */
            struct decl *u = cu_decl_new(f, DECL_USING, f->n_ctor, cu_span(f));
            u->u.target = r.decls[i];
            u->access = r.decls[i]->access;
            cu_declare(f, c->scope, u);
            continue;
        }
        struct func *b = (struct func *)r.decls[i];
        if ((b->is_implicit && !b->inherits) ||
            (b->nparams == 1 && cu_noref(b->d.type->params[0])->unqual == base->type) ||
            b->nparams == 0)
            continue;
        cu_inherited_ctor(f, c, b);
        c->user_ctor = true;
    }
}
