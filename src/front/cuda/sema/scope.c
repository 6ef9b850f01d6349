/* Scopes and name lookup: unqualified, qualified, in classes and their bases, and by arguments. */
#include "front/cuda/sema/sema.h"

static const char *scope_name(struct front *f, const struct scope *s);

struct scope *cu_scope_new(struct front *f, enum scope_kind k, struct scope *parent)
{
    struct scope *s = arena_new(f->a, struct scope);
    s->kind = k;
    s->parent = parent;
    s->func = f->func;
    return s;
}

void *cu_decl_alloc(struct front *f, size_t size, enum decl_kind k, const char *name,
                    struct span at)
{
    struct decl *d = arena_alloc(f->a, size);
    d->kind = k;
    d->name = name;
    d->span = at;
    d->pos = f->pos;
    d->system = f->toks && (f->toks[f->pos].flags & TOKEN_SYSTEM);
    return d;
}

struct decl *cu_decl_new(struct front *f, enum decl_kind k, const char *name, struct span at)
{
    return cu_decl_alloc(f, sizeof(struct decl), k, name, at);
}

struct decl *cu_find_local(struct front *f, struct scope *s, const char *name)
{
    (void)f;
    if (s->names)
        return map_get(s->names, map_key(name));
    struct decl *found = NULL;
    for (struct decl *d = s->first; d; d = d->next)
        if (d->name == name)
            found = d;
    return found;
}

void cu_declare(struct front *f, struct scope *s, struct decl *d)
{
    d->scope = s;
    d->older = d->name ? cu_find_local(f, s, d->name) : NULL;
    if (s->last)
        s->last->next = d;
    else
        s->first = d;
    s->last = d;
    s->count++;
    if (!s->names && s->count > 8) {
        s->names = arena_new(f->a, struct map);
        map_init(s->names, f->a);
        for (struct decl *o = s->first; o; o = o->next)
            if (o->name)
                map_set(s->names, map_key(o->name), o);
    } else if (s->names && d->name) {
        map_set(s->names, map_key(d->name), d);
    }
}

struct decl *cu_strip_using(struct decl *d)
{
    while (d && d->kind == DECL_USING)
        d = d->u.target;
    return d;
}

static void found_add(struct front *f, struct found *r, struct decl *d)
{
    f->doubts += d->doubtful;
    for (size_t i = 0; i < r->n; i++)
        if (r->decls[i] == d)
            return;
    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 4;
        r->decls = arena_grow(f->a, r->decls, r->cap * sizeof *r->decls, cap * sizeof *r->decls);
        r->cap = cap;
    }
    r->decls[r->n++] = d;
}

static bool overloadable(const struct decl *d)
{
    return d->kind == DECL_FUNC ||
           (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind == TEMPLATE_FUNC);
}

/* What a name means is settled where it stands, though bodies are parsed later: of what the program
 * declares behind it, functions that its arguments' types lead to are all that counts. Our own
 * headers are in no order. */
static bool declared_later(const struct decl *d, size_t before)
{
    return before && d->pos > before && !d->system;
}

/* Adds what the chain of equal names in one scope gives: all functions, or the one thing else. */
static bool add_chain(struct front *f, struct decl *newest, struct found *r, size_t before,
                      bool hidden)
{
    bool any = false;
    struct decl *tag = NULL, *poison = NULL;
    for (struct decl *d = newest; d; d = d->older) {
        struct decl *t = cu_strip_using(d);
        if (d->hidden != hidden && !(hidden && overloadable(t)))
            continue;
        if (declared_later(d, before))
            continue;
        if (t->kind == DECL_POISON) {
            poison = poison ? poison : t;
            continue;
        }
        if (overloadable(t)) {
            found_add(f, r, t);
            any = true;
            continue;
        }
        if (any)
            continue; /* a class behind functions of its name */
        if (t->kind == DECL_TYPE && t->is_tag) {
            tag = tag ? tag : t;
            continue;
        }
        found_add(f, r, t);
        return true;
    }
    if (!any && tag) {
        found_add(f, r, tag);
        any = true;
    }
    if (any && poison)
        f->doubts++; /* an overload that may have been the better one */
    if (!any && poison) {
        found_add(f, r, poison);
        any = true;
    }
    return any;
}

/* Is a namespace that s brings in an inline one of its own? */
static bool is_part(const struct scope *s, const struct scope *of)
{
    return of->inline_namespace && of->parent == s;
}

/* What a namespace and its inline namespaces declare. */
static bool lookup_declared(struct front *f, struct scope *s, const char *name, struct found *r,
                            size_t before)
{
    struct decl *d = cu_find_local(f, s, name);
    bool any = d && add_chain(f, d, r, before, false);
    vec_each (struct scope *, it, &s->directives)
        if (is_part(s, *it) && !(any && !overloadable(r->decls[0])))
            any |= lookup_declared(f, *it, name, r, before);
    return any;
}

/* Names of a namespace hide those that its using-directives bring in. Not in our own headers, where
 * cuda::std adds to std. */
static bool hides_directives(const struct found *r)
{
    return r->n && !(r->decls[0]->system && overloadable(r->decls[0]));
}

static bool lookup_namespace(struct front *f, struct scope *s, const char *name, struct found *r,
                             unsigned depth, size_t before);

/* What the using-directives of a namespace and of its inline namespaces bring in. */
static bool lookup_brought(struct front *f, struct scope *s, const char *name, struct found *r,
                           unsigned depth, size_t before)
{
    bool any = false;
    vec_each (struct scope *, it, &s->directives) {
        if (r->n && !overloadable(r->decls[0]))
            break;
        any |= is_part(s, *it) ? lookup_brought(f, *it, name, r, depth, before)
                               : lookup_namespace(f, *it, name, r, depth, before);
    }
    return any;
}

/* A namespace by its name: what it declares, else what its using-directives bring in. */
static bool lookup_namespace(struct front *f, struct scope *s, const char *name, struct found *r,
                             unsigned depth, size_t before)
{
    struct found own = {0};
    bool any = lookup_declared(f, s, name, &own, before);
    for (size_t i = 0; i < own.n; i++)
        found_add(f, r, own.decls[i]);
    if (depth < 16 && !(any && hides_directives(&own)))
        any |= lookup_brought(f, s, name, r, depth + 1, before);
    if (any && !r->scope)
        r->scope = s;
    return any;
}

/* The own names of two instances of one template: followed by arguments they mean the template. */
static bool same_injected(const struct decl *a, const struct decl *b)
{
    if (a->kind != DECL_TYPE || b->kind != DECL_TYPE || a->type->kind != TY_CLASS ||
        b->type->kind != TY_CLASS)
        return false;
    const struct class_info *x = a->type->cls, *y = b->type->cls;
    return x->tmpl && x->tmpl == y->tmpl && a->name == x->name && b->name == y->name;
}

/* Names of x hide those of y, a part of it, on every way to it in c: virtual bases. */
static bool hides(struct class_info *c, struct class_info *x, struct class_info *y)
{
    struct base_path path;
    bool several = false;
    return c->vbases.len && x && y && x != y && cu_find_base(x, y, &path, NULL) &&
           cu_find_base(c, y, &path, &several) && !several;
}

bool cu_lookup_member(struct front *f, struct class_info *c, const char *name, struct found *out)
{
    if (c->state == CLASS_DECLARED)
        cu_try_complete(f, c->type);
    if (c->state == CLASS_COMPLETE && !c->implicit_done &&
        (name == f->n_ctor || name == f->n_assign))
        cu_implicit_members(f, c);
    f->doubts += c->doubtful;
    struct decl *d = cu_find_local(f, c->scope, name);
    if (d && add_chain(f, d, out, 0, false)) {
        out->scope = c->scope;
        out->cls = c;
        return true;
    }
    bool any = false;
    vec_each (struct base_class, b, &c->bases) {
        struct found sub = {0};
        if (!cu_lookup_member(f, b->cls, name, &sub))
            continue;
        if (!any) {
            *out = sub;
            any = true;
            continue;
        }
        if (hides(c, out->cls, sub.cls))
            continue;
        if (hides(c, sub.cls, out->cls)) {
            *out = sub;
            continue;
        }
        bool same = sub.n == out->n;
        for (size_t i = 0; same && i < sub.n; i++)
            same = sub.decls[i] == out->decls[i] || same_injected(sub.decls[i], out->decls[i]);
        if (!same)
            out->ambiguous = true;
    }
    return any;
}

bool cu_lookup_in(struct front *f, struct scope *s, const char *name, struct found *out)
{
    *out = (struct found){0};
    if (s->kind == SCOPE_CLASS)
        return cu_lookup_member(f, s->cls, name, out);
    return lookup_namespace(f, s, name, out, 0, 0);
}

/* The nearest namespace around both. */
static const struct scope *around_both(const struct scope *a, const struct scope *b)
{
    for (; a; a = a->parent)
        for (const struct scope *s = b; s; s = s->parent)
            if (s == a)
                return a;
    return NULL;
}

/* What using-directives bring in: as if it stood in the nearest namespace around both, so that
 * names of blocks, functions, classes and namespaces between hide it. */
static bool lookup_directives(struct front *f, struct scope *s, const char *name, struct found *r,
                              size_t before)
{
    bool any = false;
    for (struct scope *b = f->scope; b; b = b == s ? NULL : b->parent)
        vec_each (struct scope *, it, &b->directives)
            if (!is_part(b, *it) && around_both(b, *it) == s &&
                !(any && r->n && !overloadable(r->decls[0])))
                any |= lookup_namespace(f, *it, name, r, 1, before);
    return any;
}

/* The names of a namespace as code inside of it sees them. */
static bool lookup_from_inside(struct front *f, struct scope *s, const char *name, struct found *r,
                               size_t before)
{
    bool any = lookup_declared(f, s, name, r, before);
    if (any && !overloadable(r->decls[0]))
        return true;
    if (any && !hides_directives(r))
        any |= lookup_namespace(f, s, name, r, 0, before);
    return any | lookup_directives(f, s, name, r, before);
}

/* before: the place of the name, or 0 for all that the file declares. */
static bool lookup_at(struct front *f, const char *name, struct found *out, size_t before)
{
    *out = (struct found){0};
    for (struct scope *s = f->scope; s; s = s->parent) {
        bool hit = false;
        switch (s->kind) {
        case SCOPE_CLASS: hit = cu_lookup_member(f, s->cls, name, out); break;
        case SCOPE_GLOBAL:
        case SCOPE_NAMESPACE: hit = lookup_from_inside(f, s, name, out, before); break;
        case SCOPE_BLOCK: {
            /* Names of a block are visible after their declaration, also for what is parsed later.
             */
            struct decl *d = cu_find_local(f, s, name);
            hit = d && add_chain(f, d, out, f->pos, false);
            break;
        }
        default: {
            struct decl *d = cu_find_local(f, s, name);
            hit = d && add_chain(f, d, out, 0, false);
            break;
        }
        }
        if (hit) {
            if (!out->scope)
                out->scope = s;
            if (out->ambiguous)
                cu_error(f, cu_span(f), "'%s' is ambiguous: it is found in several base classes",
                         name);
            return true;
        }
    }
    return false;
}

bool cu_lookup(struct front *f, const char *name, struct found *out)
{
    return lookup_at(f, name, out, f->pos) || lookup_at(f, name, out, 0);
}

bool cu_found_is_type(const struct found *r)
{
    return r->n == 1 && r->decls[0]->kind == DECL_TYPE;
}

struct scope *cu_enclosing_namespace(struct scope *s)
{
    while (s && s->kind != SCOPE_NAMESPACE && s->kind != SCOPE_GLOBAL)
        s = s->parent;
    return s;
}

/* ---- argument-dependent lookup ---- */

struct adl {
    struct front *f;
    const char *name;
    struct found *out;
    VEC(struct scope *) seen;
    VEC(struct class_info *) classes, bases;
};

static void adl_namespace(struct adl *a, struct scope *s)
{
    s = cu_enclosing_namespace(s);
    while (s && s->inline_namespace)
        s = s->parent;
    if (!s)
        return;
    vec_each (struct scope *, it, &a->seen)
        if (*it == s)
            return;
    vec_push(a->f->a, &a->seen, s);
    struct decl *d = cu_find_local(a->f, s, a->name);
    if (d)
        add_chain(a->f, d, a->out, 0, true);
    vec_each (struct scope *, it, &s->directives)
        if ((*it)->inline_namespace) {
            d = cu_find_local(a->f, *it, a->name);
            if (d)
                add_chain(a->f, d, a->out, 0, true);
        }
}

static void adl_type(struct adl *a, struct type *t, unsigned depth);

static void adl_targ(struct adl *a, const struct targ *arg, unsigned depth)
{
    if (arg->kind == TARG_TYPE)
        adl_type(a, arg->type, depth);
    for (size_t i = 0; arg->kind == TARG_PACK && i < arg->npack; i++)
        adl_targ(a, &arg->pack[i], depth);
}

/* A class and its bases: of these, what their template arguments are made of does not count. */
static void adl_bases(struct adl *a, struct class_info *c)
{
    vec_each (struct class_info *, it, &a->bases)
        if (*it == c)
            return;
    vec_push(a->f->a, &a->bases, c);
    if (c->state == CLASS_DECLARED)
        cu_try_complete(a->f, c->type);
    adl_namespace(a, c->outer);
    vec_each (struct base_class, b, &c->bases)
        adl_bases(a, b->cls);
}

static void adl_class(struct adl *a, struct class_info *c, unsigned depth)
{
    vec_each (struct class_info *, it, &a->classes)
        if (*it == c)
            return;
    vec_push(a->f->a, &a->classes, c);
    adl_bases(a, c);
    for (size_t i = 0; i < c->nargs; i++)
        adl_targ(a, &c->args[i], depth + 1);
}

static void adl_type(struct adl *a, struct type *t, unsigned depth)
{
    if (depth > 24)
        return;
    switch (t->kind) {
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF:
    case TY_ARRAY: adl_type(a, t->elem, depth + 1); break;
    case TY_CLASS: adl_class(a, t->cls, depth); break;
    case TY_ENUM:
        adl_namespace(a, t->enumeration->decl ? t->enumeration->decl->scope : NULL);
        break;
    case TY_FUNC:
        adl_type(a, t->elem, depth + 1);
        for (size_t i = 0; i < t->nparams; i++)
            adl_type(a, t->params[i], depth + 1);
        break;
    case TY_MEMPTR:
        adl_type(a, t->params[0], depth + 1);
        adl_type(a, t->elem, depth + 1);
        break;
    default: break;
    }
}

/* Of a set of functions, what each of them takes and gives counts. */
static void adl_set(struct adl *a, const struct expr *set)
{
    for (size_t i = 0; i < set->u.set.ndecls; i++) {
        const struct decl *d = cu_strip_using(set->u.set.decls[i]);
        if (d->kind == DECL_FUNC)
            adl_type(a, d->type, 0);
    }
}

void cu_lookup_adl(struct front *f, const char *name, struct expr **args, size_t n,
                   struct found *out)
{
    struct adl a = {.f = f, .name = name, .out = out};
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind == EX_OVERLOAD)
            adl_set(&a, args[i]);
        else if (args[i]->type)
            adl_type(&a, args[i]->type, 0);
}

/* ---- complaints ---- */

static void collect(struct front *f, struct scope *s, struct found *seen, unsigned depth)
{
    for (struct decl *d = s->first; d && seen->n < 20000; d = d->next)
        if (d->name && !d->hidden && d->kind != DECL_POISON) {
            if (seen->n == seen->cap) {
                size_t cap = seen->cap ? seen->cap * 2 : 64;
                seen->decls = arena_grow(f->a, seen->decls, seen->cap * sizeof(*seen->decls),
                                         cap * sizeof(*seen->decls));
                seen->cap = cap;
            }
            seen->decls[seen->n++] = d;
        }
    if (depth < 8)
        vec_each (struct scope *, it, &s->directives)
            collect(f, *it, seen, depth + 1);
    if (s->kind == SCOPE_CLASS)
        vec_each (struct base_class, b, &s->cls->bases)
            collect(f, b->cls->scope, seen, depth + 1);
}

/* The header that would have declared it, if one was asked for and not read. */
static const char *skipped_header(struct front *f, const char *name, struct scope *in,
                                  struct span *at)
{
    const struct pp_skipped *h = pp_skipped_for(&f->job->preprocessed, name);
    if (!h || (in && in->kind == SCOPE_CLASS))
        return NULL;
    *at = h->at;
    return arena_printf(f->a,
                        h->why == PP_SKIP_NOT_PROVIDED
                            ? "'%s' is not provided yet: it would come from <%s>"
                            : "'%s' is for host code only: it comes from <%s>",
                        name, h->name);
}

/* Words that have no declaration because device code cannot have what they stand for. */
static const char *never_there(const char *name)
{
    static const struct {
        const char *name, *why;
    } words[] = {
        {"va_start", "'va_start': functions with '...' cannot read their arguments in device code"},
        {"va_arg", "'va_arg': functions with '...' cannot read their arguments in device code"},
        {"va_copy", "'va_copy': functions with '...' cannot read their arguments in device code"},
        {"va_end", "'va_end': functions with '...' cannot read their arguments in device code"},
        {"alloca", "'alloca': the size of a local array has to be a constant in device code"},
        {"__builtin_alloca",
         "'alloca': the size of a local array has to be a constant in device code"},
        {"__builtin_va_start",
         "'va_start': functions with '...' cannot read their arguments in device code"},
        {"cudaDeviceSynchronize",
         "'cudaDeviceSynchronize': device code cannot wait for kernels that it launches; those "
         "in 'cudaStreamTailLaunch' run after them"},
#define HOST_ONLY(name) {name, "'" name "' is a function of the host: device code cannot call it"}
        HOST_ONLY("rand"),
        HOST_ONLY("srand"),
        HOST_ONLY("exit"),
        HOST_ONLY("fprintf"),
        HOST_ONLY("sprintf"),
        HOST_ONLY("snprintf"),
        HOST_ONLY("puts"),
        HOST_ONLY("scanf"),
        HOST_ONLY("fopen"),
        HOST_ONLY("getenv"),
        HOST_ONLY("qsort"),
        HOST_ONLY("realloc"),
        HOST_ONLY("calloc"),
#undef HOST_ONLY
        {"__float128", "128-bit floats are not supported: the widest is 'double'"},
        {"_Float128", "128-bit floats are not supported: the widest is 'double'"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i].name))
            return words[i].why;
    if (!strncmp(name, "__nv_fp128_", 11))
        return "functions of 128-bit floats are not supported: the widest is 'double'";
    return NULL;
}

/* The same name in a namespace that has to be named to be looked into; not in those of an
 * implementation. */
static struct decl *in_namespaces(struct front *f, struct scope *s, const char *name,
                                  unsigned depth)
{
    struct decl *d = depth ? cu_find_local(f, s, name) : NULL;
    if (d && d->kind != DECL_POISON && !d->hidden)
        return d;
    d = NULL;
    for (struct decl *ns = s->first; ns && !d && depth < 3; ns = ns->next)
        if (ns->kind == DECL_NAMESPACE && ns->name && ns->name[0] != '_' && ns->u.ns != s)
            d = in_namespaces(f, ns->u.ns, name, depth + 1);
    return d;
}

struct hint cu_undeclared_hint(struct front *f, const char *name, struct scope *in,
                               struct scope *from)
{
    struct hint h = {.note = "the header is included here"};
    if ((h.message = skipped_header(f, name, in, &h.note_at)))
        return h;
    if (!in && (h.message = never_there(name)))
        return (struct hint){.message = h.message};
    struct found seen = {0};
    if (in)
        collect(f, in, &seen, 0);
    else
        for (struct scope *s = from; s; s = s->parent)
            collect(f, s, &seen, 0);
    const struct pp_result *pp = &f->job->preprocessed;
    const char **words = arena_array(f->a, const char *, seen.n + KW_COUNT + pp->unread.len);
    size_t nwords = seen.n;
    for (size_t i = 0; i < seen.n; i++)
        words[i] = seen.decls[i]->name;
    for (unsigned k = KW_NONE + 1; k < KW_COUNT && !in; k++)
        words[nwords++] = f->names_kw[k];
    for (size_t i = 0; i < pp->unread.len && !in; i++)
        words[nwords++] = pp->unread.data[i];
    const char *near = diag_nearest(name, words, nwords);
    struct decl *d = NULL;
    for (size_t i = 0; near && i < seen.n; i++)
        if (words[i] == near)
            d = cu_strip_using(seen.decls[i]);
    struct decl *apart = in ? NULL : in_namespaces(f, f->global, name, 0);
    if (apart) {
        d = apart;
        near = cu_qualified_name(f, apart);
    }
    const char *where = in ? scope_name(f, in) : NULL;
    h.message = where ? arena_printf(f->a, "there is no '%s' in %s", name, where)
                      : arena_printf(f->a, "'%s' is not declared", name);
    h.note = NULL;
    if (near)
        h.message = arena_printf(f->a, "%s; did you mean '%s'?", h.message, near);
    if (d && !d->system) {
        h.note = arena_printf(f->a, "'%s' is declared here", near);
        h.note_at = d->span;
    }
    return h;
}

/* Quietly, only the name is kept: most of what is caught is never shown. */
void cu_undeclared(struct front *f, const char *name, struct span at, struct scope *in)
{
    if (f->quiet) {
        f->caught = (struct caught){.set = true,
                                    .span = at,
                                    .message = arena_printf(f->a, "'%s' is not declared", name),
                                    .inst = f->inst,
                                    .unknown = true,
                                    .undeclared = name,
                                    .in = in,
                                    .from = f->scope};
        cu_unwind(f);
    }
    struct hint h = cu_undeclared_hint(f, name, in, f->scope);
    if (h.note)
        cu_error_note(f, at, h.note_at, h.note, "%s", h.message);
    cu_error(f, at, "%s", h.message);
}

const char *cu_caught_reason(struct front *f)
{
    struct span at;
    const char *header =
        f->caught.undeclared ? skipped_header(f, f->caught.undeclared, f->caught.in, &at) : NULL;
    return header ? header : f->caught.message ? f->caught.message : "it was not understood";
}

void cu_poisoned(struct front *f, struct decl *d, struct span at)
{
    if (d->reported && !f->quiet)
        cu_unwind(f);
    const char *why = arena_printf(f->a, "it could not be parsed: %s", d->u.reason);
    f->doubts++;
    if (f->quiet) {
        f->caught = (struct caught){
            .set = true,
            .span = at,
            .message = arena_printf(f->a, "'%s' cannot be used in device code", d->name),
            .note_at = d->span,
            .note = why,
            .inst = f->inst,
            .unknown = true};
        cu_unwind(f);
    }
    cu_error_note(f, at, d->span, why, "'%s' cannot be used in device code", d->name);
}

static const char *scope_name(struct front *f, const struct scope *s)
{
    switch (s->kind) {
    case SCOPE_GLOBAL: return "the global namespace";
    case SCOPE_NAMESPACE:
        return s->name ? arena_printf(f->a, "namespace '%s'", s->name) : "the unnamed namespace";
    case SCOPE_CLASS: return arena_printf(f->a, "'%s'", cu_type_str(f, s->cls->type));
    case SCOPE_ENUM: return "the enumeration";
    default: return "this scope";
    }
}

const char *cu_qualified_name(struct front *f, const struct decl *d)
{
    const char *name = d->name ? d->name : "(unnamed)";
    for (struct scope *s = d->scope; s; s = s->parent) {
        if (s->kind == SCOPE_NAMESPACE && s->name && !s->inline_namespace)
            name = arena_printf(f->a, "%s::%s", s->name, name);
        else if (s->kind == SCOPE_CLASS && s->cls->decl && s->cls->decl != d)
            return arena_printf(f->a, "%s::%s", cu_type_str(f, s->cls->type), name);
        else if (s->kind == SCOPE_BLOCK || s->kind == SCOPE_FUNC)
            break;
    }
    return name;
}

static bool inside(struct scope *s, struct class_info *c)
{
    for (; s; s = s->parent)
        if (s->kind == SCOPE_CLASS && s->cls == c)
            return true;
    return false;
}

static bool befriended(struct front *f, struct class_info *c)
{
    vec_each (struct decl *, it, &c->friends) {
        struct decl *d = *it;
        if (d->kind == DECL_TYPE && d->type->kind == TY_CLASS && inside(f->scope, d->type->cls))
            return true;
        if (d->kind == DECL_TEMPLATE) {
            for (struct scope *s = f->scope; s; s = s->parent)
                if (s->kind == SCOPE_CLASS && s->cls->tmpl && s->cls->tmpl->d.name == d->name)
                    return true;
            if (f->func && f->func->tmpl && f->func->tmpl->d.name == d->name)
                return true;
        }
        if (d->kind == DECL_FUNC && f->func && f->func->d.name == d->name)
            return true;
    }
    return false;
}

/* A closure that was written in a member function, as terncc hoists it: it may what that may. */
static bool in_closure(struct scope *s)
{
    static const char hoisted[] = "__tern_closure_";
    for (; s; s = s->parent)
        if (s->kind == SCOPE_CLASS && s->cls->decl && s->cls->decl->name &&
            !strncmp(s->cls->decl->name, hoisted, sizeof hoisted - 1))
            return true;
    return false;
}

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

/* The name that the declaration at hand gives, from inside its specifiers: where it stands in the
 * tokens; 0: none. */
static size_t declared_name(struct front *f)
{
    size_t name = 0;
    for (size_t i = f->pos; i < f->ntoks; i++) {
        const struct token *t = &f->toks[i];
        if (f->kws[i] == KW_operator)
            return i;
        if (t->kind == TOKEN_IDENT && !f->kws[i])
            name = i;
        else if (is_punct(t, PUNCT_LT))
            i = cu_skip_angles(f, i) - 1;
        else if (is_punct(t, PUNCT_LPAREN) || is_punct(t, PUNCT_LBRACE) ||
                 is_punct(t, PUNCT_LBRACKET) || is_punct(t, PUNCT_SEMI) ||
                 is_punct(t, PUNCT_ASSIGN) || t->kind == TOKEN_EOF)
            break;
    }
    return name;
}

/* Outside of functions: is a member of the class being defined? What stands before its name may use
 * what the class keeps to itself, A::private_type A::f(). */
static bool defines_member(struct front *f, const struct class_info *owner)
{
    if (f->scope->kind == SCOPE_BLOCK || f->scope->kind == SCOPE_FUNC)
        return false;
    size_t i = declared_name(f);
    while (i > 1 &&
           (is_punct(&f->toks[i - 1], PUNCT_SCOPE) || is_punct(&f->toks[i - 1], PUNCT_TILDE))) {
        i -= is_punct(&f->toks[i - 1], PUNCT_TILDE) ? 2 : 1;
        if (is_punct(&f->toks[i - 1], PUNCT_GT)) /* A<T>:: */
            for (int depth = 0; i > 1; i--) {
                depth += is_punct(&f->toks[i - 1], PUNCT_GT) - is_punct(&f->toks[i - 1], PUNCT_LT);
                if (!depth) {
                    i--;
                    break;
                }
            }
        if (i < 1 || f->toks[--i].kind != TOKEN_IDENT)
            return false;
        if (owner->decl && f->toks[i].u.name == owner->decl->name)
            return true;
    }
    return false;
}

/* Does a class between c and the owner of d say `using owner::d` where everybody may see it? */
static bool is_opened(struct front *f, struct class_info *c, const struct decl *d)
{
    if (!c || c == d->scope->cls || !c->scope)
        return false;
    for (const struct decl *u = cu_find_local(f, c->scope, d->name); u; u = u->older)
        if (u->kind == DECL_USING && cu_strip_using((struct decl *)u)->scope == d->scope)
            return u->access == ACCESS_PUBLIC || inside(f->scope, c);
    vec_each (struct base_class, b, &c->bases)
        if (b->access == ACCESS_PUBLIC && is_opened(f, b->cls, d))
            return true;
    return false;
}

void cu_check_access(struct front *f, struct decl *d, struct class_info *naming, struct span at)
{
    if (d->access == ACCESS_PUBLIC || !d->scope || d->scope->kind != SCOPE_CLASS)
        return;
    struct class_info *owner = d->scope->cls;
    if (inside(f->scope, owner) || befriended(f, owner) || in_closure(f->scope) ||
        (naming && (inside(f->scope, naming) || befriended(f, naming)) &&
         d->access == ACCESS_PROTECTED))
        return;
    if (f->func && f->func->cls && (f->func->cls == owner || inside(f->func->cls->scope, owner)))
        return;
    if (d->access == ACCESS_PROTECTED)
        for (struct scope *s = f->scope; s; s = s->parent)
            if (s->kind == SCOPE_CLASS && cu_derives(f, s->cls->type, owner->type))
                return;
    if (defines_member(f, owner) || is_opened(f, naming, d))
        return;
    cu_error_note(f, at, d->span, "declared here", "'%s' is a %s member of '%s'", d->name,
                  d->access == ACCESS_PRIVATE ? "private" : "protected",
                  cu_type_str(f, owner->type));
}

/* May what is being parsed know that c has this base? */
static bool knows_base(struct front *f, struct class_info *c, const struct base_class *b)
{
    if (b->access == ACCESS_PUBLIC || inside(f->scope, c) || befriended(f, c) ||
        in_closure(f->scope))
        return true;
    if (f->func && f->func->cls && (f->func->cls == c || inside(f->func->cls->scope, c)))
        return true;
    for (struct scope *s = f->scope; s && b->access == ACCESS_PROTECTED; s = s->parent)
        if (s->kind == SCOPE_CLASS && cu_derives(f, s->cls->type, c->type))
            return true;
    return false;
}

static bool reaches_base(struct front *f, struct class_info *c, const struct class_info *base)
{
    vec_each (struct base_class, b, &c->bases)
        if (knows_base(f, c, b) && (b->cls == base || reaches_base(f, b->cls, base)))
            return true;
    return false;
}

void cu_check_base(struct front *f, struct class_info *c, struct class_info *base, struct span at)
{
    if (!reaches_base(f, c, base))
        cu_error(f, at, "'%s' is a base class of '%s' that cannot be used here",
                 cu_type_str(f, base->type), cu_type_str(f, c->type));
}
