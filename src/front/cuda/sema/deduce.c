/* Template argument deduction: pattern types against actual ones. */
#include "front/cuda/sema/sema.h"

static bool deduce(struct front *f, struct template_info *t, struct type *p, struct type *a,
                   struct targ *out, bool exact);

bool cu_has_auto(const struct type *t)
{
    for (; t; t = t->elem) {
        if (t->kind == TY_AUTO)
            return true;
        if (t->kind == TY_CLASS || t->kind == TY_ENUM)
            return false;
        if (t->kind == TY_FUNC)
            for (size_t i = 0; i < t->nparams; i++)
                if (cu_has_auto(t->params[i]))
                    return true;
    }
    return false;
}

static bool bind(struct front *f, struct targ *slot, struct targ a)
{
    if (slot->kind == TARG_NONE) {
        *slot = a;
        return true;
    }
    if (slot->kind == TARG_VALUE && a.kind == TARG_VALUE)
        return slot->value == a.value && slot->object == a.object;
    const bool same = cu_targ_same(f, slot, &a);
    if (!same && slot->kind == TARG_TYPE && a.kind == TARG_TYPE)
        f->conflict[0] = *slot, f->conflict[1] = a;
    return same;
}

static bool in_bases(struct front *f, struct template_info *t, struct type *p, struct class_info *c,
                     struct targ *out, unsigned depth)
{
    if (depth > 64)
        return false;
    if (c->state == CLASS_DECLARED)
        cu_try_complete(f, c->type);
    vec_each (struct base_class, b, &c->bases) {
        struct targ *try = arena_array(f->a, struct targ, t->nparams + 1);
        memcpy(try, out, t->nparams * sizeof *try);
        if (deduce(f, t, p, b->type, try, true) || in_bases(f, t, p, b->cls, try, depth + 1)) {
            memcpy(out, try, t->nparams * sizeof *try);
            return true;
        }
    }
    return false;
}

static size_t flatten(struct front *f, const struct targ *args, size_t n, struct targ **out)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += args[i].kind == TARG_PACK ? args[i].npack : 1;
    *out = arena_array(f->a, struct targ, total + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (args[i].kind == TARG_PACK)
            for (size_t j = 0; j < args[i].npack; j++)
                (*out)[k++] = args[i].pack[j];
        else
            (*out)[k++] = args[i];
    return k;
}

static bool deduce_targ(struct front *f, struct template_info *t, const struct targ *p,
                        const struct targ *a, struct targ *out)
{
    switch (p->kind) {
    case TARG_TYPE:
        if (a->kind != TARG_TYPE)
            return false;
        return deduce(f, t, p->type, a->type, out, true);
    case TARG_DEPENDENT:
        if (p->param_owner == t)
            return a->kind == TARG_VALUE || a->kind == TARG_DEPENDENT
                       ? bind(f, &out[p->param_index], *a)
                       : false;
        if (p->param_owner)
            return a->kind == TARG_DEPENDENT && a->param_owner == p->param_owner &&
                   a->param_index == p->param_index;
        return true; /* an expression: checked when everything is known */
    case TARG_VALUE: return a->kind == TARG_VALUE && a->value == p->value && a->object == p->object;
    case TARG_TEMPLATE:
        if (a->kind != TARG_TEMPLATE)
            return false;
        if (p->tmpl->kind == TEMPLATE_PARAM && p->tmpl->param_owner == t)
            return bind(f, &out[p->tmpl->param_index], *a);
        return p->tmpl == a->tmpl;
    default: return true;
    }
}

/* Packs that were deduced element by element. What was known before and is no shorter stays: the
 * pattern may not have named it. */
static void take_packs(const struct template_info *t, const struct targ *packs,
                       const struct targ *before, struct targ *out)
{
    for (size_t i = 0; i < t->nparams; i++)
        if (packs[i].kind == TARG_PACK &&
            (before[i].kind != TARG_PACK || before[i].npack < packs[i].npack))
            out[i] = packs[i];
}

/* Deduces the pack parameters in a pattern from each of the elements. */
static bool deduce_pack(struct front *f, struct template_info *t, struct type *pattern,
                        const struct targ *value_pattern, const struct targ *elems, size_t n,
                        struct targ *out)
{
    struct targ *keep = arena_array(f->a, struct targ, t->nparams + 1);
    memcpy(keep, out, t->nparams * sizeof *keep);
    struct targ *packs = arena_array(f->a, struct targ, t->nparams + 1);
    for (size_t e = 0; e < n; e++) {
        struct targ *one = arena_array(f->a, struct targ, t->nparams + 1);
        for (size_t i = 0; i < t->nparams; i++)
            if (!t->params[i].pack)
                one[i] = out[i];
            else if (keep[i].kind == TARG_PACK && e < keep[i].npack)
                one[i] = keep[i].pack[e];
        bool ok = pattern ? (elems[e].kind == TARG_TYPE &&
                             deduce(f, t, pattern, elems[e].type, one, true))
                          : deduce_targ(f, t, value_pattern, &elems[e], one);
        if (!ok)
            return false;
        for (size_t i = 0; i < t->nparams; i++) {
            if (!t->params[i].pack) {
                out[i] = one[i];
                continue;
            }
            if (one[i].kind == TARG_NONE)
                continue;
            if (packs[i].kind == TARG_NONE) {
                packs[i].kind = TARG_PACK;
                packs[i].pack = arena_array(f->a, struct targ, n + 1);
            }
            packs[i].pack[packs[i].npack++] = one[i];
        }
    }
    take_packs(t, packs, keep, out);
    return true;
}

bool cu_deduce_targs(struct front *f, struct template_info *t, struct targ *p, size_t np,
                     struct targ *a, size_t na, struct targ *out)
{
    struct targ *fp, *fa;
    np = flatten(f, p, np, &fp);
    na = flatten(f, a, na, &fa);
    for (size_t i = 0; i < np; i++) {
        bool expansion =
            fp[i].expansion || (fp[i].kind == TARG_TYPE && fp[i].type->kind == TY_PACK);
        if (expansion && i == np - 1) {
            /* A pack against a pack pattern (partial ordering) matches as one. */
            if (na == i + 1 && fa[i].kind == TARG_TYPE && fa[i].type->kind == TY_PACK &&
                fp[i].kind == TARG_TYPE)
                return deduce(f, t, fp[i].type->elem, fa[i].type->elem, out, true);
            if (i > na)
                return false;
            return deduce_pack(f, t, fp[i].kind == TARG_TYPE ? fp[i].type->elem : NULL, &fp[i],
                               fa + i, na - i, out);
        }
        if (i >= na)
            return false;
        if (!expansion &&
            (fa[i].expansion || (fa[i].kind == TARG_TYPE && fa[i].type->kind == TY_PACK)))
            return false;
        if (!deduce_targ(f, t, &fp[i], &fa[i], out))
            return false;
    }
    return np == na;
}

static bool deduce_noexcept(struct front *f, struct template_info *t, const struct type *p,
                            const struct type *a, struct targ *out)
{
    if (p->func_noexcept == NOEXCEPT_DEPENDENT)
        return true;
    if (p->func_noexcept != NOEXCEPT_PARAM)
        return p->func_noexcept == a->func_noexcept;
    if (p->owner != t)
        return a->func_noexcept == NOEXCEPT_PARAM && p->owner == a->owner && p->index == a->index;
    struct targ known = cu_targ_int(cu_type(f, TY_BOOL), a->func_noexcept == NOEXCEPT_YES);
    if (a->func_noexcept > NOEXCEPT_YES) /* another pattern: which of the two is more special? */
        known =
            (struct targ){.kind = TARG_DEPENDENT, .param_owner = a->owner, .param_index = a->index};
    return bind(f, &out[p->index], known);
}

static bool deduce(struct front *f, struct template_info *t, struct type *p, struct type *a,
                   struct targ *out, bool exact)
{
    if (!p->dependent)
        return p == a || (!exact && p->unqual == a->unqual);
    switch (p->kind) {
    case TY_PARAM: {
        if (p->owner != t)
            return p == a;
        const struct type *last = a; /* the elements of an array carry its qualifiers */
        while (last->kind == TY_ARRAY)
            last = last->elem;
        if ((p->quals & ~last->quals) && exact)
            return false;
        struct type *bare =
            a->kind == TY_ARRAY && !p->quals ? a : cu_with_quals(f, a, last->quals & ~p->quals);
        return bind(f, &out[p->index], cu_targ_type(bare));
    }
    case TY_POINTER:
        return a->kind == TY_POINTER && (!exact || p->quals == a->quals) &&
               deduce(f, t, p->elem, a->elem, out, true);
    case TY_LREF:
    case TY_RREF: return a->kind == p->kind && deduce(f, t, p->elem, a->elem, out, true);
    case TY_ARRAY:
        if (a->kind != TY_ARRAY)
            return false;
        if (p->owner == t && a->owner) { /* another pattern: which of the two is more special? */
            struct targ bound = {
                .kind = TARG_DEPENDENT, .param_owner = a->owner, .param_index = a->index};
            if (!bind(f, &out[p->index], bound))
                return false;
        } else if (p->owner == t && a->count != ARRAY_UNKNOWN) {
            if (!bind(f, &out[p->index], cu_targ_int(f->size_type, (int64_t)a->count)))
                return false;
        } else if (p->owner) {
            if (p->owner != a->owner || p->index != a->index)
                return false;
        } else if (p->count != a->count) {
            return false;
        }
        return deduce(f, t, p->elem, a->elem, out, true);
    case TY_FUNC: {
        if (a->kind != TY_FUNC || p->func_quals != a->func_quals || p->func_ref != a->func_ref ||
            p->variadic != a->variadic || !deduce_noexcept(f, t, p, a, out))
            return false;
        if (!(p->elem->kind == TY_AUTO) && !deduce(f, t, p->elem, a->elem, out, true))
            return false;
        struct targ *pp = arena_array(f->a, struct targ, p->nparams + 1),
                    *aa = arena_array(f->a, struct targ, a->nparams + 1);
        for (size_t i = 0; i < p->nparams; i++)
            pp[i] = cu_targ_type(p->params[i]);
        for (size_t i = 0; i < a->nparams; i++)
            aa[i] = cu_targ_type(a->params[i]);
        return cu_deduce_targs(f, t, pp, p->nparams, aa, a->nparams, out);
    }
    case TY_MEMPTR:
        return a->kind == TY_MEMPTR && deduce(f, t, p->params[0], a->params[0], out, true) &&
               deduce(f, t, p->elem, a->elem, out, true);
    case TY_TEMPLATE_ID: {
        if (exact && p->quals != a->quals)
            return false;
        if (a->kind == TY_TEMPLATE_ID) {
            if (p->tmpl->kind == TEMPLATE_PARAM && p->tmpl->param_owner == t) {
                struct targ x = {.kind = TARG_TEMPLATE, .tmpl = a->tmpl};
                if (!bind(f, &out[p->tmpl->param_index], x))
                    return false;
            } else if (p->tmpl != a->tmpl) {
                return false;
            }
            return cu_deduce_targs(f, t, p->args, p->nargs, a->args, a->nargs, out);
        }
        if (a->kind != TY_CLASS || !a->cls->tmpl)
            return false;
        if (p->tmpl->kind == TEMPLATE_PARAM && p->tmpl->param_owner == t) {
            struct targ x = {.kind = TARG_TEMPLATE, .tmpl = a->cls->tmpl};
            if (!bind(f, &out[p->tmpl->param_index], x))
                return false;
        } else if (p->tmpl != a->cls->tmpl) {
            return false;
        }
        return cu_deduce_targs(f, t, p->args, p->nargs, a->cls->args, a->cls->nargs, out);
    }
    case TY_PACK: return true;
    default: return true; /* not deduced from */
    }
}

/* ---- calls ---- */

struct call {
    struct front *f;
    struct template_info *t;
    struct targ *out;
    bool *fixed; /* given explicitly: conversions are allowed */
};

static bool mentions_only_fixed(struct call *c, struct type *p);

/* box<T, N> where the call says what T and N are. */
static bool only_fixed_arguments(struct call *c, const struct type *p)
{
    if (!p->tmpl || p->tmpl->kind == TEMPLATE_PARAM)
        return false;
    for (size_t i = 0; i < p->nargs; i++) {
        const struct targ *a = &p->args[i];
        bool ok = a->kind == TARG_TYPE ? !a->type->dependent || mentions_only_fixed(c, a->type)
                  : a->kind == TARG_DEPENDENT
                      ? a->param_owner == c->t && c->fixed[a->param_index] && !a->expansion
                      : a->kind == TARG_VALUE;
        if (!ok)
            return false;
    }
    return true;
}

static bool mentions_only_fixed(struct call *c, struct type *p)
{
    switch (p->kind) {
    case TY_TEMPLATE_ID: return only_fixed_arguments(c, p);
    case TY_PARAM: return p->owner != c->t || c->fixed[p->index];
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF: return mentions_only_fixed(c, p->elem);
    case TY_ARRAY:
        return (p->owner != c->t || c->fixed[p->index]) && mentions_only_fixed(c, p->elem);
    default: return false;
    }
}

/* With the qualifiers that the pattern has: of an array, those of its elements. */
static struct type *as_qualified(struct front *f, struct type *a, const struct type *pattern)
{
    while (pattern->kind == TY_ARRAY)
        pattern = pattern->elem;
    return cu_qualified(f, a,
                        a->kind == TY_FUNC || pattern->kind == TY_FUNC ? 0 : pattern->quals & 3);
}

/* const T * may take T *, const T (*)[3] may take T (*)[3]: qualifiers may be added below pointers;
 * whether they may be here is asked once it is known what T is. */
static struct type *as_qualified_below(struct front *f, struct type *a, const struct type *pattern)
{
    if (pattern->kind != TY_POINTER || a->kind != TY_POINTER)
        return a;
    struct type *elem = as_qualified_below(f, a->elem, pattern->elem);
    elem = as_qualified(f, elem, pattern->elem);
    return elem == a->elem ? a : cu_with_quals(f, cu_pointer_to(f, elem), a->quals);
}

/* void (*)(T) may take void (*)(int) noexcept: the promise is forgotten. */
static struct type *without_promise(struct front *f, struct type *a, const struct type *pattern)
{
    if (a->kind == TY_FUNC && pattern->kind == TY_FUNC)
        return pattern->func_noexcept ? a : cu_may_throw(f, a);
    if (a->kind != pattern->kind || (a->kind != TY_POINTER && a->kind != TY_MEMPTR) ||
        a->elem->kind != TY_FUNC)
        return a;
    struct type *elem = without_promise(f, a->elem, pattern->elem);
    return cu_with_quals(
        f, a->kind == TY_POINTER ? cu_pointer_to(f, elem) : cu_memptr_to(f, a->params[0], elem),
        a->quals);
}

static bool deduce_arg(struct call *c, struct type *p, struct expr *e)
{
    struct front *f = c->f;
    if (!p->dependent || mentions_only_fixed(c, p))
        return true;
    if (e->kind == EX_BRACED) {
        struct type *q = cu_noref(p)->unqual;
        struct type *elem = NULL;
        if (q->kind == TY_TEMPLATE_ID && q->tmpl->d.name == f->n_initializer_list &&
            q->nargs == 1 && q->args[0].kind == TARG_TYPE)
            elem = q->args[0].type;
        else if (q->kind == TY_ARRAY)
            elem = q->elem;
        if (!elem)
            return true;
        if (q->kind == TY_ARRAY && q->owner == c->t &&
            !bind(f, &c->out[q->index], cu_targ_int(f->size_type, (int64_t)e->nargs)))
            return false;
        for (size_t i = 0; i < e->nargs; i++)
            if (!deduce_arg(c, elem, e->args[i]))
                return false;
        return true;
    }
    if (e->kind == EX_DEPENDENT)
        return true;
    struct type *a = e->type;
    if (e->kind == EX_OVERLOAD) {
        struct func *fn = cu_resolve_address(f, e, NULL);
        if (!fn)
            return true;
        /* where & was written: a value, of a pointer */
        const bool address = e->cat == CAT_PR || (fn->cls && !fn->is_static);
        a = address ? cu_address_type(f, fn) : cu_seen_type(f, fn);
    }
    struct type *q = p;
    if (cu_is_ref(p)) {
        q = p->elem;
        /* A class's own parameter makes no forwarding reference of a constructor's. */
        const bool own = c->t->guide_of && q->index < c->t->guide_of->nparams;
        if (p->kind == TY_RREF && q->kind == TY_PARAM && q->owner == c->t && !q->quals && !own &&
            e->cat == CAT_L) {
            return bind(f, &c->out[q->index], cu_targ_type(cu_lref_to(f, a)));
        }
        a = as_qualified(f, a, q); /* the reference may add qualifiers */
    } else {
        a = a->kind == TY_ARRAY || a->kind == TY_FUNC ? cu_decayed(f, a) : a->unqual;
        q = p->unqual;
    }
    a = without_promise(f, as_qualified_below(f, a, q), q);
    if (q->kind == TY_TEMPLATE_ID || (q->kind == TY_POINTER && q->elem->kind == TY_TEMPLATE_ID)) {
        struct targ *try = arena_array(f->a, struct targ, c->t->nparams + 1);
        memcpy(try, c->out, c->t->nparams * sizeof *try);
        if (deduce(f, c->t, q, a, try, false)) {
            memcpy(c->out, try, c->t->nparams * sizeof *try);
            return true;
        }
        struct type *ca = q->kind == TY_POINTER ? (a->kind == TY_POINTER ? a->elem : a) : a,
                    *cp = q->kind == TY_POINTER ? q->elem : q;
        if (ca->kind != TY_CLASS)
            return false;
        return in_bases(f, c->t, cp->unqual, ca->cls, c->out, 0);
    }
    if (q->kind == TY_TEMPLATE_ID)
        q = q->unqual;
    return deduce(f, c->t, q, a, c->out, q->kind == TY_PARAM ? false : q->kind != TY_POINTER);
}

static bool start(struct front *f, struct template_info *t, struct targ *explicit_args, size_t n,
                  struct targ **out, bool **fixed)
{
    *out = arena_array(f->a, struct targ, t->nparams + 1);
    *fixed = arena_array(f->a, bool, t->nparams + 1);
    size_t pack = 0; /* takes all arguments from its place on: what comes behind it is deduced */
    while (pack < t->nparams && !t->params[pack].pack)
        pack++;
    for (size_t i = 0; i < n; i++) {
        size_t k = i < pack ? i : pack;
        if (k >= t->nparams)
            return false;
        if (t->params[k].pack) {
            struct targ *p = &(*out)[k];
            if (p->kind == TARG_NONE) {
                p->kind = TARG_PACK;
                p->pack = arena_array(f->a, struct targ, n + 1);
            }
            p->pack[p->npack++] = explicit_args[i];
        } else {
            if (explicit_args[i].kind != t->params[k].kind &&
                explicit_args[i].kind != TARG_DEPENDENT)
                return false;
            (*out)[k] = explicit_args[i];
            (*fixed)[k] = true;
        }
    }
    return true;
}

/* A parameter that is a pack, of patterns p, takes all that are left. */
static bool deduce_rest(struct call *c, struct type *p, struct expr **args, size_t rest)
{
    struct front *f = c->f;
    struct template_info *t = c->t;
    struct targ *given = arena_array(f->a, struct targ, t->nparams + 1);
    memcpy(given, c->out, t->nparams * sizeof *given);
    struct targ *packs = arena_array(f->a, struct targ, t->nparams + 1);
    for (size_t e = 0; e < rest; e++) {
        struct call one = {.f = f, .t = t};
        one.out = arena_array(f->a, struct targ, t->nparams + 1);
        one.fixed = arena_array(f->a, bool, t->nparams + 1);
        for (size_t k = 0; k < t->nparams; k++) {
            if (!t->params[k].pack) {
                one.out[k] = c->out[k];
                one.fixed[k] = c->fixed[k];
            } else if (given[k].kind == TARG_PACK && e < given[k].npack) {
                one.out[k] = given[k].pack[e];
                one.fixed[k] = true;
            }
        }
        if (!deduce_arg(&one, p, args[e]))
            return false;
        for (size_t k = 0; k < t->nparams; k++) {
            if (!t->params[k].pack) {
                c->out[k] = one.out[k];
                continue;
            }
            if (one.out[k].kind == TARG_NONE)
                continue;
            if (packs[k].kind == TARG_NONE) {
                packs[k].kind = TARG_PACK;
                packs[k].pack = arena_array(f->a, struct targ, rest + 1);
            }
            packs[k].pack[packs[k].npack++] = one.out[k];
        }
    }
    take_packs(t, packs, given, c->out);
    return true;
}

/* A parameter that is a pack and has others behind it is not deduced: it takes as many as were
 * given for its pack. */
static size_t given_elements(const struct call *c, struct type *p)
{
    while (p->kind != TY_PARAM && p->elem)
        p = p->elem;
    for (size_t k = 0; k < c->t->nparams; k++)
        if (c->t->params[k].pack && c->out[k].kind == TARG_PACK &&
            (p->kind != TY_PARAM || p->index == k))
            return c->out[k].npack;
    return 0;
}

/* The parameters, each from its argument. */
static bool deduce_params(struct call *c, struct func *p, struct expr **args, size_t nargs)
{
    struct type *ft = p->d.type;
    bool pack = false;
    for (size_t i = 0; i < ft->nparams; i++)
        pack |= ft->params[i]->kind == TY_PACK;
    if (nargs > ft->nparams && !ft->variadic && !pack)
        return false;
    for (size_t i = 0, at = 0; i < ft->nparams; i++) {
        struct type *q = ft->params[i];
        if (q->kind == TY_PACK && i == ft->nparams - 1)
            return deduce_rest(c, q->elem, args + (nargs > at ? at : 0),
                               nargs > at ? nargs - at : 0);
        if (q->kind == TY_PACK) {
            at += given_elements(c, q->elem);
            continue;
        }
        if (at >= nargs) {
            if (i < p->nparams && !p->params[i].default_pos)
                return false;
            continue;
        }
        if (!deduce_arg(c, q, args[at++]))
            return false;
    }
    return true;
}

bool cu_deduce_call(struct front *f, struct template_info *t, struct targ *explicit_args,
                    size_t nexplicit, struct expr **args, size_t nargs, struct expr *object,
                    struct targ **out, size_t *nout)
{
    (void)object;
    struct func *p = cu_pattern(f, t);
    if (!p)
        return false;
    struct call c = {.f = f, .t = t};
    if (!start(f, t, explicit_args, nexplicit, &c.out, &c.fixed))
        return false;
    if ((args || nargs) && !deduce_params(&c, p, args, nargs))
        return false;
    for (size_t i = 0; i < t->nparams; i++)
        if (t->params[i].pack && c.out[i].kind == TARG_NONE)
            c.out[i].kind = TARG_PACK;
    *out = c.out;
    *nout = t->nparams;
    return true;
}

bool cu_deduce_type(struct front *f, struct template_info *t, struct targ *explicit_args,
                    size_t nexplicit, struct type *pattern, struct type *actual, struct targ **out,
                    size_t *nout)
{
    bool *fixed;
    if (!start(f, t, explicit_args, nexplicit, out, &fixed))
        return false;
    if (pattern->kind == TY_FUNC && actual->kind == TY_FUNC && !pattern->dependent &&
        pattern != actual && pattern->elem->kind != TY_AUTO)
        return false;
    if (pattern->dependent && !deduce(f, t, pattern, actual, *out, true))
        return false;
    for (size_t i = 0; i < t->nparams; i++)
        if (t->params[i].pack && (*out)[i].kind == TARG_NONE)
            (*out)[i].kind = TARG_PACK;
    *nout = t->nparams;
    return true;
}

/* ---- ordering ---- */

static struct type *bare(struct type *t)
{
    return t->kind == TY_PACK ? t : cu_noref(t)->unqual;
}

/* Can b's parameters be deduced from a's? Then a is at least as special. */
static bool at_least(struct front *f, struct template_info *a, struct template_info *b,
                     size_t nargs)
{
    struct func *pa = cu_pattern(f, a), *pb = cu_pattern(f, b);
    if (!pa || !pb)
        return false;
    struct targ *out = arena_array(f->a, struct targ, b->nparams + 1);
    struct type *x = pa->d.type, *y = pb->d.type;
    for (size_t i = 0; i < nargs || (nargs == 0 && i < x->nparams && i < y->nparams); i++) {
        struct type *s = i < x->nparams ? x->params[i]
                         : x->nparams && x->params[x->nparams - 1]->kind == TY_PACK
                             ? x->params[x->nparams - 1]
                             : NULL;
        struct type *d = i < y->nparams ? y->params[i]
                         : y->nparams && y->params[y->nparams - 1]->kind == TY_PACK
                             ? y->params[y->nparams - 1]
                             : NULL;
        if (!s || !d)
            break;
        if (s->kind == TY_PACK && d->kind != TY_PACK)
            return false;
        struct type *ps = bare(s->kind == TY_PACK ? s->elem : s),
                    *pd = bare(d->kind == TY_PACK ? d->elem : d);
        if (d->kind == TY_PACK) {
            struct targ *tmp = arena_array(f->a, struct targ, b->nparams + 1);
            if (!deduce(f, b, pd, ps, tmp, true))
                return false;
            continue;
        }
        if (!deduce(f, b, pd, ps, out, true))
            return false;
    }
    return true;
}

int cu_more_special(struct front *f, struct template_info *a, struct template_info *b, size_t nargs)
{
    bool ab = at_least(f, a, b, nargs), ba = at_least(f, b, a, nargs);
    if (ab != ba)
        return ab ? -1 : 1;
    if (!ab)
        return 0;
    /* T & against T const &, or T && : the more qualified reference is more special. */
    struct func *pa = cu_pattern(f, a), *pb = cu_pattern(f, b);
    int score = 0;
    for (size_t i = 0; i < pa->d.type->nparams && i < pb->d.type->nparams; i++) {
        struct type *x = pa->d.type->params[i], *y = pb->d.type->params[i];
        bool px = x->kind == TY_PACK, py = y->kind == TY_PACK;
        if (px != py)
            score += px ? 1 : -1;
        else if (px) {
            x = x->elem;
            y = y->elem;
        }
        if (cu_is_ref(x) && cu_is_ref(y)) {
            if (x->kind != y->kind)
                score += x->kind == TY_LREF ? -1 : 1;
            if (x->elem->quals != y->elem->quals)
                score += (x->elem->quals & y->elem->quals) == y->elem->quals ? -1 : 1;
        }
    }
    if (!score && pa->d.type->nparams != pb->d.type->nparams) {
        bool va =
            pa->d.type->nparams && pa->d.type->params[pa->d.type->nparams - 1]->kind == TY_PACK;
        bool vb =
            pb->d.type->nparams && pb->d.type->params[pb->d.type->nparams - 1]->kind == TY_PACK;
        if (va != vb)
            score = va ? 1 : -1;
    }
    return score;
}

bool cu_partial_more_special(struct front *f, struct partial_spec *a, struct partial_spec *b)
{
    struct targ *out = arena_array(f->a, struct targ, b->tmpl->nparams + 1),
                *back = arena_array(f->a, struct targ, a->tmpl->nparams + 1);
    bool ab = cu_deduce_targs(f, b->tmpl, b->pattern, b->npattern, a->pattern, a->npattern, out);
    bool ba = cu_deduce_targs(f, a->tmpl, a->pattern, a->npattern, b->pattern, b->npattern, back);
    if (ab == ba)
        return ab && cu_more_constrained(f, a->tmpl, NULL, b->tmpl, NULL) < 0;
    return ab;
}

/* ---- auto ---- */

static struct type *fill_auto(struct front *f, struct type *p, struct type *a, struct span at)
{
    switch (p->kind) {
    case TY_AUTO: return cu_qualified(f, a, p->quals);
    case TY_POINTER:
        if (a->kind != TY_POINTER)
            cu_error(f, at, "'%s' needs a pointer, but the value is '%s'", cu_type_str(f, p),
                     cu_type_str(f, a));
        return cu_with_quals(
            f,
            cu_pointer_to(f, fill_auto(f, p->elem,
                                       cu_with_quals(f, a->elem,
                                                     a->elem->kind == TY_FUNC
                                                         ? 0
                                                         : a->elem->quals & ~p->elem->quals),
                                       at)),
            p->quals);
    case TY_ARRAY:
    case TY_LREF:
    case TY_RREF: return fill_auto(f, p->elem, a, at);
    case TY_FUNC: return p->func_noexcept ? a : cu_may_throw(f, a);
    default: return a;
    }
}

struct type *cu_deduce_auto(struct front *f, struct type *p, struct expr *e, struct span at)
{
    if (e->kind == EX_DEPENDENT)
        return cu_type(f, TY_DEPENDENT);
    struct type *core = cu_noref(p);
    if (core->kind == TY_AUTO && core->tmpl) { /* class template arguments */
        struct type *t;
        if (e->kind == EX_BRACED)
            t = cu_deduce_class(f, core->tmpl, e->args, e->nargs, true, at);
        else if (e->type->kind == TY_CLASS && e->type->cls->tmpl == core->tmpl)
            t = e->type->unqual;
        else
            t = cu_deduce_class(f, core->tmpl, &e, 1, false, at);
        t = cu_qualified(f, t, core->quals);
        return p->kind == TY_LREF ? cu_lref_to(f, t) : p->kind == TY_RREF ? cu_rref_to(f, t) : t;
    }
    if (p->kind == TY_AUTO && p->decltype_auto) {
        if (e->kind == EX_VAR && !e->paren)
            return e->u.var->d.type;
        if (e->kind == EX_MEMBER && !e->paren)
            return e->u.field->d.type;
        return e->cat == CAT_L   ? cu_lref_to(f, e->type)
               : e->cat == CAT_X ? cu_rref_to(f, e->type)
                                 : e->type;
    }
    if (e->kind == EX_BRACED) {
        struct found r;
        if (!e->nargs)
            cu_error(f, at, "no type can be deduced from an empty list");
        if (!f->std || !cu_lookup_in(f, f->std, f->n_initializer_list, &r) ||
            r.decls[0]->kind != DECL_TEMPLATE)
            cu_error(f, at, "a braced list needs <initializer_list>");
        struct targ a = cu_targ_type(cu_decayed(f, e->args[0]->type));
        return cu_instantiate_class(f, (struct template_info *)r.decls[0], &a, 1, at);
    }
    if (e->kind == EX_OVERLOAD) {
        const bool name = e->cat == CAT_L; /* without & */
        e = cu_rvalue(f, e);
        if (cu_is_ref(p) && name)
            e = e->a;
    }
    if (e->type->kind == TY_VOID && core->kind == TY_AUTO)
        return e->type;
    if (cu_is_ref(p)) {
        struct type *t = e->type;
        if (p->kind == TY_RREF && p->elem->kind == TY_AUTO && !p->elem->quals)
            return e->cat == CAT_L ? cu_lref_to(f, t) : cu_rref_to(f, t);
        struct type *x = fill_auto(
            f, p->elem,
            p->elem->kind == TY_AUTO
                ? cu_with_quals(f, t,
                                (t->kind == TY_ARRAY ? t->elem->quals : t->quals) | p->elem->quals)
                : t,
            at);
        return p->kind == TY_LREF ? cu_lref_to(f, x) : cu_rref_to(f, x);
    }
    return fill_auto(f, p, cu_decayed(f, e->type), at);
}

/* What `auto` stood for when a variable of this pattern became one of type t; NULL: not known. */
static struct type *stood_for(struct front *f, struct type *p, struct type *t, bool is_constexpr)
{
    if (p->kind == TY_RREF && t->kind == TY_LREF) /* auto && of an lvalue */
        return t;
    if (p->kind == TY_AUTO)
        return t->kind == TY_DEPENDENT || t->kind == TY_FUNC
                   ? NULL
                   : cu_with_quals(f, t, t->quals & ~(p->quals | (is_constexpr ? QUAL_CONST : 0u)));
    if (p->kind == t->kind && (p->kind == TY_POINTER || cu_is_ref(p)))
        return stood_for(f, p->elem, t->elem, false);
    return NULL;
}

void cu_same_auto(struct front *f, struct var *v)
{
    struct var *first = v->beside;
    if (!first || first == v || first->init_parsing)
        return;
    struct type *a = stood_for(f, first->pattern, first->d.type, first->is_constexpr);
    struct type *b = stood_for(f, v->pattern, v->d.type, v->is_constexpr);
    if (a && b && a != b)
        cu_error_note(f, v->d.span, first->d.span, "the first of them is declared here",
                      "'auto' is '%s' for '%s' and '%s' for '%s', but it must be one type",
                      cu_type_str(f, a), first->d.name, cu_type_str(f, b), v->d.name);
}

void cu_note_auto(struct declspec *ds, struct var *v)
{
    v->pattern = v->d.type;
    if (!ds->first_auto)
        ds->first_auto = v;
    v->beside = ds->first_auto;
}
