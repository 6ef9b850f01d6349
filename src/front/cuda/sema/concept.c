/* Constraints: concepts, requires-clauses and requires-expressions. A constraint is a range of
 * tokens, taken apart at && and ||; what is left is evaluated as an expression with the template's
 * parameters bound, and an error in it means no. Which of two constraints says more is told by the
 * atoms they are made of, each known by its place in the source. */
#include "front/cuda/sema/sema.h"

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

/* ---- ranges of tokens ---- */

/* One step over a token, a bracketed range or a template list. */
static size_t step(struct front *f, size_t i)
{
    const struct token *t = &f->toks[i];
    if (is_punct(t, PUNCT_LPAREN) || is_punct(t, PUNCT_LBRACKET) || is_punct(t, PUNCT_LBRACE))
        return cu_close(f, i) + 1;
    if (is_punct(t, PUNCT_LT) && cu_opens_list(f, i)) {
        size_t end = cu_skip_angles(f, i);
        return end > i ? end : i + 1;
    }
    return i + 1;
}

/* The end of a primary expression of a requires-clause: (…), requires …, a name, a literal. */
static size_t primary_end(struct front *f, size_t i)
{
    const size_t start = i;
    if (f->kws[i] == KW_requires) {
        i++;
        if (is_punct(&f->toks[i], PUNCT_LPAREN))
            i = cu_close(f, i) + 1;
        return is_punct(&f->toks[i], PUNCT_LBRACE) ? cu_close(f, i) + 1 : i;
    }
    if (is_punct(&f->toks[i], PUNCT_LPAREN))
        return cu_close(f, i) + 1;
    if (is_punct(&f->toks[i], PUNCT_SCOPE))
        i++;
    for (;;) { /* a::b<c>::template d */
        if (f->kws[i] == KW_template)
            i++;
        if (f->toks[i].kind != TOKEN_IDENT)
            return i > start ? i : i + 1;
        const bool call = f->kws[i] == KW_noexcept || f->kws[i] == KW_sizeof ||
                          f->kws[i] == KW_decltype ||
                          (f->toks[i].u.name[0] == '_' && f->toks[i].u.name[1] == '_');
        i++;
        if (call && is_punct(&f->toks[i], PUNCT_LPAREN))
            i = cu_close(f, i) + 1;
        if (is_punct(&f->toks[i], PUNCT_LT) && cu_opens_list(f, i))
            i = step(f, i);
        if (!is_punct(&f->toks[i], PUNCT_SCOPE))
            return i;
        i++;
    }
}

size_t cu_requires_end(struct front *f, size_t pos)
{
    size_t i = primary_end(f, pos);
    while (is_punct(&f->toks[i], PUNCT_ANDAND) || is_punct(&f->toks[i], PUNCT_OROR))
        i = primary_end(f, i + 1);
    return i;
}

/* The next `op` at this level, or `to`. */
static size_t find_op(struct front *f, size_t from, size_t to, enum punct op)
{
    size_t i = from;
    while (i < to && !is_punct(&f->toks[i], op)) {
        if (f->kws[i] == KW_requires)
            i = primary_end(f, i);
        else
            i = step(f, i);
    }
    return i < to ? i : to;
}

/* (…) around all of it, and no fold. */
static bool in_parens(struct front *f, size_t from, size_t to)
{
    if (!is_punct(&f->toks[from], PUNCT_LPAREN) || cu_close(f, from) != to - 1)
        return false;
    for (size_t i = from + 1; i < to - 1; i = step(f, i))
        if (is_punct(&f->toks[i], PUNCT_ELLIPSIS))
            return false;
    return true;
}

/* ---- evaluation ---- */

struct atom_job {
    size_t from, to;
    bool holds;
};

static void try_atom(struct front *f, void *arg)
{
    struct atom_job *j = arg;
    f->pos = j->from;
    f->split_n = 0;
    f->no_gt = 0;
    const struct token *next = &f->toks[j->to];
    struct expr *e = is_punct(next, PUNCT_LBRACKET) /* attributes of what is constrained */
                         ? cu_parse_primary(f)
                         : is_punct(next, PUNCT_ANDAND) || is_punct(next, PUNCT_OROR)
                               ? cu_parse_above_and(f)
                               : cu_parse_cond(f);
    if (f->pos != j->to)
        cu_error(f, cu_span(f), "a constraint has to be an expression");
    j->holds = e->kind != EX_DEPENDENT && cu_require_int(f, cu_bool(f, e), "a constraint");
}

/* Does the constraint in [from, to) hold with what is bound in f->scope? */
static bool holds(struct front *f, size_t from, size_t to)
{
    cu_nest(f, f->toks[from].span);
    bool result = false;
    size_t split = find_op(f, from, to, PUNCT_OROR);
    if (split < to) {
        result = holds(f, from, split) || holds(f, split + 1, to);
    } else if ((split = find_op(f, from, to, PUNCT_ANDAND)) < to) {
        result = holds(f, from, split) && holds(f, split + 1, to);
    } else if (in_parens(f, from, to)) {
        result = holds(f, from + 1, to - 1);
    } else {
        struct atom_job j = {from, to, false};
        struct caught keep = f->caught;
        result = cu_try_quietly(f, try_atom, &j) && j.holds;
        f->caught = keep;
    }
    f->nesting--;
    return result;
}

bool cu_constraint_holds(struct front *f, size_t from, size_t to, struct scope *scope)
{
    struct parse_state st;
    cu_enter(f, &st, from, scope);
    f->unevaluated = 1;
    const bool yes = holds(f, from, to);
    cu_restore(f, &st);
    return yes;
}

size_t cu_concept_end(struct front *f, size_t pos)
{
    return find_op(f, pos, f->ntoks - 1, PUNCT_SEMI);
}

bool cu_concept_holds(struct front *f, struct template_info *t, struct targ *args, size_t n,
                      struct span at)
{
    struct scope *s;
    struct targ *full;
    size_t nfull;
    cu_bind_params(f, t, args, n, false, &s, &full, &nfull, at);
    const char *key = cu_targs_key(f, full, nfull);
    const uintptr_t known = (uintptr_t)map_get(&t->instances, map_key(key));
    if (known)
        return known == 2;
    struct inst_note *save = f->inst;
    cu_push_inst(f, at, "concept", NULL, t->d.name, full, nfull);
    const unsigned doubts = f->doubts;
    const bool yes = cu_constraint_holds(f, t->pos, cu_concept_end(f, t->pos), s);
    t->d.doubtful |= f->doubts != doubts;
    f->inst = save;
    map_set(&t->instances, map_key(key), (void *)(uintptr_t)(yes ? 2 : 1));
    return yes;
}

/* ---- type constraints: C, C<int>, ns::C<T> before a parameter or auto ---- */

struct template_info *cu_at_concept(struct front *f)
{
    size_t i = f->pos;
    struct scope *in = NULL;
    if (is_punct(&f->toks[i], PUNCT_SCOPE)) {
        in = f->global;
        i++;
    }
    for (;; i += 2) {
        if (f->toks[i].kind != TOKEN_IDENT || f->kws[i])
            return NULL;
        struct found r;
        const char *name = f->toks[i].u.name;
        if (!(in ? cu_lookup_in(f, in, name, &r) : cu_lookup(f, name, &r)))
            return NULL;
        struct decl *d = r.decls[0];
        if (d->kind == DECL_TEMPLATE)
            return ((struct template_info *)d)->kind == TEMPLATE_CONCEPT ? (struct template_info *)d
                                                                         : NULL;
        if (!is_punct(&f->toks[i + 1], PUNCT_SCOPE) || d->kind != DECL_NAMESPACE)
            return NULL;
        in = d->u.ns;
    }
}

size_t cu_type_constraint_end(struct front *f, size_t pos)
{
    return primary_end(f, pos);
}

bool cu_type_constraint_holds(struct front *f, size_t pos, struct scope *scope,
                              const struct targ *first, struct span at)
{
    struct parse_state st;
    cu_enter(f, &st, pos, scope);
    f->unevaluated = 1;
    struct template_info *t = cu_at_concept(f);
    bool yes = true;
    if (t && first->kind == TARG_TYPE && !first->type->dependent) {
        struct targ *rest = NULL;
        size_t n = 0;
        while (!is_punct(cu_tok(f), PUNCT_LT) && f->pos < cu_type_constraint_end(f, pos))
            cu_next(f);
        if (cu_accept(f, PUNCT_LT))
            cu_parse_targs(f, NULL, &rest, &n);
        struct targ *args = arena_array(f->a, struct targ, n + 1);
        args[0] = *first;
        if (n)
            memcpy(args + 1, rest, n * sizeof *args);
        yes = cu_targs_dependent(args, n + 1) || cu_concept_holds(f, t, args, n + 1, at);
    }
    cu_restore(f, &st);
    return yes;
}

/* All that a template's header says of its parameters, which scope binds to args. */
bool cu_constraints_hold(struct front *f, struct template_info *t, struct scope *scope,
                         const struct targ *args, struct span at)
{
    for (size_t i = 0; i < t->nparams; i++) {
        const struct tparam *p = &t->params[i];
        if (!p->constraint_pos || p->concept_auto)
            continue;
        const struct targ *a = p->pack ? args[i].pack : &args[i];
        for (size_t k = 0; k < (p->pack ? args[i].npack : 1); k++)
            if (!cu_type_constraint_holds(f, p->constraint_pos, scope, &a[k], at))
                return false;
    }
    return !t->requires_pos ||
           cu_constraint_holds(f, t->requires_pos, cu_requires_end(f, t->requires_pos), scope);
}

/* ---- which says more ---- */

/* An atomic constraint: where it stands, and what the parameters around it stand for. Two are the
 * same if both are. */
struct atom {
    size_t pos;
    const char *about;
};

struct atoms {
    struct atom *data;
    size_t len, cap;
};

/* The parameters of a template, each as a text made of those of the template that is compared. */
struct subject {
    const struct template_info *t;
    const char **env;
};

static void collect(struct front *f, size_t from, size_t to, struct atoms *out, unsigned depth,
                    const struct subject *s);

/* A text is told from others by its interned copy, and named by that where it would grow long. */
static const char *settled(struct front *f, struct sbuf *b)
{
    const char *own = intern_z(f->names, b->data);
    const size_t len = b->len;
    sbuf_free(b);
    return len < 24 ? own : intern_z(f->names, arena_printf(f->a, "@%zx", (size_t)own));
}

static const char *text_of(struct front *f, const struct subject *s, size_t from, size_t to)
{
    struct sbuf b;
    sbuf_init(&b, NULL);
    sbuf_puts(&b, "");
    for (size_t i = from; i < to; i++) {
        const struct token *t = &f->toks[i];
        const char *word = t->kind == TOKEN_IDENT ? t->u.name : cu_tok_text(f, t);
        for (size_t k = 0; s->t && t->kind == TOKEN_IDENT && k < s->t->nparams; k++)
            if (s->t->params[k].name == t->u.name)
                word = s->env[k];
        sbuf_printf(&b, "%s%s", i > from ? " " : "", word);
    }
    return settled(f, &b);
}

static const char *about(struct front *f, const struct subject *s)
{
    struct sbuf b;
    sbuf_init(&b, NULL);
    sbuf_puts(&b, "");
    for (size_t k = 0; s->t && k < s->t->nparams; k++)
        sbuf_printf(&b, "%s;", s->env[k]);
    return settled(f, &b);
}

/* The arguments of a concept's name that ends at `to`, from *n on. */
static void arguments(struct front *f, size_t from, size_t to, const struct subject *s,
                      const char **env, size_t n, size_t most)
{
    while (from < to && !is_punct(&f->toks[from], PUNCT_LT))
        from++;
    if (from == to)
        return;
    unsigned angles = 0;
    size_t start = ++from;
    for (; from < to && n < most; from++) {
        const struct token *t = &f->toks[from];
        const bool last = from == to - 1;
        if (is_punct(t, PUNCT_LPAREN) || is_punct(t, PUNCT_LBRACE) || is_punct(t, PUNCT_LBRACKET))
            from = cu_close(f, from);
        else if (is_punct(t, PUNCT_LT))
            angles++;
        else if (last || (is_punct(t, PUNCT_COMMA) && !angles)) {
            env[n++] = text_of(f, s, start, from);
            start = from + 1;
        } else if (is_punct(t, PUNCT_GT))
            angles--;
        else if (is_punct(t, PUNCT_SHR))
            angles -= 2;
    }
}

/* A concept stands for what it is made of. first: its first argument, or NULL. */
static void collect_concept(struct front *f, struct template_info *t, const char *first,
                            size_t from, size_t to, struct atoms *out, unsigned depth,
                            const struct subject *s)
{
    struct subject in = {t, arena_array(f->a, const char *, t->nparams + 1)};
    for (size_t k = 0; k < t->nparams; k++)
        in.env[k] = "";
    if (first)
        in.env[0] = first;
    arguments(f, from, to, s, in.env, first != NULL, t->nparams);
    struct parse_state st;
    cu_enter(f, &st, t->pos, t->pattern_scope ? t->pattern_scope : t->scope);
    collect(f, t->pos, cu_concept_end(f, t->pos), out, depth + 1, &in);
    cu_restore(f, &st);
}

static void collect(struct front *f, size_t from, size_t to, struct atoms *out, unsigned depth,
                    const struct subject *s)
{
    if (depth > 64 || from >= to)
        return;
    size_t split = find_op(f, from, to, PUNCT_OROR);
    if (split == to && (split = find_op(f, from, to, PUNCT_ANDAND)) < to) {
        collect(f, from, split, out, depth + 1, s);
        collect(f, split + 1, to, out, depth + 1, s);
        return;
    }
    if (split == to && in_parens(f, from, to)) {
        collect(f, from + 1, to - 1, out, depth + 1, s);
        return;
    }
    f->pos = from;
    struct template_info *t = split == to ? cu_at_concept(f) : NULL;
    if (t && primary_end(f, from) == to) {
        collect_concept(f, t, NULL, from, to, out, depth, s);
        return;
    }
    struct atom a = {from, about(f, s)};
    vec_push(f->a, out, a);
}

/* What the header of t and the clause behind the declarator of fn say; either may be NULL. */
static void collect_all(struct front *f, struct template_info *t, const struct func *fn,
                        struct atoms *out)
{
    const size_t trailing = fn ? fn->requires_pos : 0;
    struct subject s = {t, t ? arena_array(f->a, const char *, t->nparams + 1) : NULL};
    struct parse_state st;
    cu_enter(f, &st, f->pos, t && t->pattern_scope ? t->pattern_scope : t ? t->scope : fn->scope);
    for (size_t i = 0; t && i < t->nparams; i++)
        s.env[i] = arena_printf(f->a, "#%zu", i);
    for (size_t i = 0; t && i < t->nparams; i++)
        if (t->params[i].constraint_pos) {
            f->pos = t->params[i].constraint_pos;
            struct template_info *c = cu_at_concept(f);
            if (c)
                collect_concept(f, c, s.env[i], t->params[i].constraint_pos,
                                cu_type_constraint_end(f, t->params[i].constraint_pos), out, 0, &s);
        }
    if (t && t->requires_pos)
        collect(f, t->requires_pos, cu_requires_end(f, t->requires_pos), out, 0, &s);
    if (trailing)
        collect(f, trailing, cu_requires_end(f, trailing), out, 0, &s);
    cu_restore(f, &st);
}

static bool covers(const struct atoms *a, const struct atoms *b)
{
    for (size_t i = 0; i < b->len; i++) {
        bool hit = false;
        for (size_t k = 0; k < a->len && !hit; k++)
            hit = a->data[k].pos == b->data[i].pos && a->data[k].about == b->data[i].about;
        if (!hit)
            return false;
    }
    return true;
}

int cu_more_constrained(struct front *f, struct template_info *a, const struct func *fa,
                        struct template_info *b, const struct func *fb)
{
    struct atoms x = {0}, y = {0};
    collect_all(f, a, fa, &x);
    collect_all(f, b, fb, &y);
    const bool xy = covers(&x, &y), yx = covers(&y, &x);
    return xy == yx ? 0 : xy ? -1 : 1;
}

/* ---- requires-expressions ---- */

struct requirement {
    bool unmet;
};

/* { expression } noexcept -> C<args>; */
static void compound(struct front *f, struct requirement *r)
{
    const size_t open = f->pos, close = cu_close(f, open);
    cu_next(f);
    struct expr *e = cu_parse_expr(f);
    if (f->pos != close)
        cu_error(f, cu_span(f), "expected '}' after the expression");
    cu_next(f);
    cu_accept_kw(f, KW_noexcept);
    if (!cu_accept(f, PUNCT_ARROW))
        return;
    if (e->kind == EX_OVERLOAD)
        e = cu_rvalue(f, e);
    struct type *t = e->cat == CAT_L   ? cu_lref_to(f, e->type)
                     : e->cat == CAT_X ? cu_rref_to(f, e->type)
                                       : e->type;
    struct targ first = cu_targ_type(t);
    r->unmet |= !cu_type_constraint_holds(f, f->pos, f->scope, &first, cu_span(f));
    f->pos = cu_type_constraint_end(f, f->pos);
}

static void try_requirement(struct front *f, void *arg)
{
    struct requirement *r = arg;
    if (cu_is_kw(f, KW_requires) && !cu_peek_is(f, 1, PUNCT_LBRACE) &&
        !(cu_peek_is(f, 1, PUNCT_LPAREN) &&
          is_punct(&f->toks[cu_close(f, f->pos + 1) + 1], PUNCT_LBRACE))) {
        const size_t from = f->pos + 1, to = find_op(f, from, f->ntoks - 1, PUNCT_SEMI);
        r->unmet |= !holds(f, from, to);
        f->pos = to;
    } else if (cu_is_kw(f, KW_typename)) {
        cu_parse_type_id(f);
    } else if (cu_is(f, PUNCT_LBRACE)) {
        compound(f, r);
    } else {
        struct expr *e = cu_parse_expr(f);
        (void)e;
    }
    if (!cu_is(f, PUNCT_SEMI))
        cu_error(f, cu_span(f), "expected ';' after the requirement");
}

static void try_params(struct front *f, void *arg)
{
    struct declarator *d = arg;
    cu_parse_params(f, d);
}

struct expr *cu_parse_requires(struct front *f)
{
    const struct span at = cu_span(f);
    const size_t end = primary_end(f, f->pos);
    if (f->pattern) {
        f->pos = end;
        return cu_dependent(f, at);
    }
    cu_next(f);
    struct scope *save = f->scope;
    bool met = true;
    f->unevaluated++;
    if (cu_is(f, PUNCT_LPAREN)) {
        struct declarator d = {.type = cu_type(f, TY_VOID)};
        const size_t close = cu_close(f, f->pos);
        cu_next(f);
        met = cu_try_quietly(f, try_params, &d);
        f->pos = close + 1;
        if (met)
            f->scope = d.params_scope;
    }
    if (!cu_is(f, PUNCT_LBRACE))
        cu_error(f, cu_span(f), "expected '{' of the requirements, found %s",
                 cu_tok_text(f, cu_tok(f)));
    for (size_t i = f->pos + 1; met && i < end - 1;) {
        const size_t to = find_op(f, i, end - 1, PUNCT_SEMI);
        struct requirement r = {false};
        f->pos = i;
        met = i == to || (cu_try_quietly(f, try_requirement, &r) && !r.unmet);
        i = to + 1;
    }
    f->unevaluated--;
    f->scope = save;
    f->pos = end;
    f->split_n = 0;
    return cu_bool_expr(f, met, at);
}
