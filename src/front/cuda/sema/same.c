/* Whether two headers declare one function template. Its parameters may have other names; what
 * tells overloads apart may stand in the types of parameters that are values, and in constraints.
 */
#include "front/cuda/sema/sema.h"

static bool is_punct(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

/* The same tokens, or none in both. */
static bool same_tokens(struct front *f, size_t a, size_t a_end, size_t b, size_t b_end)
{
    if (a_end - a != b_end - b)
        return false;
    for (; a < a_end; a++, b++) {
        const struct token *x = &f->toks[a], *y = &f->toks[b];
        if (x->kind != y->kind || (x->kind == TOKEN_PUNCT && x->punct != y->punct) ||
            (x->kind == TOKEN_IDENT && x->u.name != y->u.name))
            return false;
    }
    return true;
}

static bool same_clause(struct front *f, size_t a, size_t b)
{
    return same_tokens(f, a, a ? cu_requires_end(f, a) : 0, b, b ? cu_requires_end(f, b) : 0);
}

static bool same_constraints(struct front *f, const struct template_info *a,
                             const struct template_info *b)
{
    for (size_t i = 0; i < a->nparams; i++) {
        const size_t x = a->params[i].constraint_pos, y = b->params[i].constraint_pos;
        if (!same_tokens(f, x, x ? cu_type_constraint_end(f, x) : 0, y,
                         y ? cu_type_constraint_end(f, y) : 0))
            return false;
    }
    return same_clause(f, a->requires_pos, b->requires_pos);
}

/* Two templates whose parameters stand for each other, whatever they are called. */
struct pair {
    const struct template_info *a, *b;
};

static bool same_param(const struct pair *p, const struct template_info *x, unsigned i,
                       const struct template_info *y, unsigned k)
{
    return i == k && (x == y || (x == p->a && y == p->b));
}

static bool same_type(struct front *f, const struct pair *p, const struct type *x,
                      const struct type *y);

static bool same_name(const struct pair *p, const struct template_info *x,
                      const struct template_info *y)
{
    return x == y ||
           (x->kind == TEMPLATE_PARAM && y->kind == TEMPLATE_PARAM &&
            same_param(p, x->param_owner, x->param_index, y->param_owner, y->param_index));
}

static bool same_args(struct front *f, const struct pair *p, const struct targ *x, size_t nx,
                      const struct targ *y, size_t ny)
{
    if (nx != ny)
        return false;
    for (size_t i = 0; i < nx; i++, x++, y++) {
        if (x->kind != y->kind)
            return false;
        bool same;
        switch (x->kind) {
        case TARG_TYPE: same = same_type(f, p, x->type, y->type); break;
        case TARG_TEMPLATE: same = same_name(p, x->tmpl, y->tmpl); break;
        case TARG_PACK: same = same_args(f, p, x->pack, x->npack, y->pack, y->npack); break;
        case TARG_DEPENDENT:
            same = x->expansion == y->expansion &&
                   same_param(p, x->param_owner, x->param_index, y->param_owner, y->param_index);
            break;
        default: same = cu_targ_same(f, x, y); break;
        }
        if (!same)
            return false;
    }
    return true;
}

static bool same_noexcept(const struct pair *p, const struct type *x, const struct type *y)
{
    return x->func_noexcept == y->func_noexcept &&
           (x->func_noexcept != NOEXCEPT_PARAM ||
            same_param(p, x->owner, x->index, y->owner, y->index));
}

/* Types of patterns. What is not known of a type that depends on parameters is not compared. */
static bool same_type(struct front *f, const struct pair *p, const struct type *x,
                      const struct type *y)
{
    if (x == y)
        return true;
    if (x->kind != y->kind || x->quals != y->quals || !x->dependent || !y->dependent)
        return false;
    switch (x->kind) {
    case TY_PARAM:
        /* a parameter of a class around it is another one where the member is defined */
        return same_param(p, x->owner, x->index, y->owner, y->index) ||
               (x->owner != p->a && y->owner != p->b &&
                !strcmp(cu_type_str(f, x), cu_type_str(f, y)));
    case TY_ARRAY:
        if (x->owner || y->owner ? !same_param(p, x->owner, x->index, y->owner, y->index)
                                 : x->count != y->count)
            return false;
        return same_type(f, p, x->elem, y->elem);
    case TY_TEMPLATE_ID:
        return same_name(p, x->tmpl, y->tmpl) &&
               same_args(f, p, x->args, x->nargs, y->args, y->nargs);
    case TY_FUNC:
    case TY_MEMPTR:
        if (x->nparams != y->nparams || x->variadic != y->variadic ||
            x->func_quals != y->func_quals || x->func_ref != y->func_ref || !same_noexcept(p, x, y))
            return false;
        for (size_t i = 0; i < x->nparams; i++)
            if (!same_type(f, p, x->params[i], y->params[i]))
                return false;
        return same_type(f, p, x->elem, y->elem);
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF:
    case TY_PACK: return same_type(f, p, x->elem, y->elem);
    default: return !strcmp(cu_type_str(f, x), cu_type_str(f, y));
    }
}

/* The number of a parameter's name + 1; 0: it is none. */
static size_t parameter_named(const struct template_info *t, const struct token *name)
{
    for (size_t i = 0; i < t->nparams; i++)
        if (t->params[i].name && name->u.name == t->params[i].name)
            return i + 1;
    return 0;
}

static bool same_token(const struct template_info *a, const struct token *x,
                       const struct template_info *b, const struct token *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == TOKEN_PUNCT)
        return x->punct == y->punct;
    return x->kind != TOKEN_IDENT || (x->u.name == y->u.name && !parameter_named(a, x)) ||
           (parameter_named(a, x) && parameter_named(a, x) == parameter_named(b, y));
}

/* Does the type of a value's parameter end there? Its name and its default are no part of it. */
static bool type_ends(const struct token *t)
{
    return t->kind == TOKEN_EOF || is_punct(t, PUNCT_COMMA) || is_punct(t, PUNCT_ASSIGN) ||
           is_punct(t, PUNCT_GT) || is_punct(t, PUNCT_SHR);
}

/* At `>` of the type's last arguments: is the type over with it? `>>` ends the header, too. */
static bool closes_both(struct front *f, const struct template_info *t, size_t i, size_t at)
{
    const struct token *next = &f->toks[at + 1];
    if (next->kind == TOKEN_IDENT && t->params[i].name && next->u.name == t->params[i].name)
        next++;
    return is_punct(&f->toks[at], PUNCT_SHR) ||
           (is_punct(&f->toks[at], PUNCT_GT) && type_ends(next));
}

/* enable_if_t<…, int> = 0: overloads may differ in no more than what stands there. */
static bool same_value_type(struct front *f, const struct template_info *a,
                            const struct template_info *b, size_t i)
{
    const struct type *known = a->params[i].type;
    if (known && !known->dependent && known == b->params[i].type)
        return true; /* however it is spelled */
    size_t x = a->params[i].pos, y = b->params[i].pos;
    for (int angles = 0, others = 0;; x++, y++) {
        const struct token *p = &f->toks[x], *q = &f->toks[y];
        if (!angles && !others) {
            if (p->kind == TOKEN_IDENT && a->params[i].name && p->u.name == a->params[i].name)
                p = &f->toks[++x];
            if (q->kind == TOKEN_IDENT && b->params[i].name && q->u.name == b->params[i].name)
                q = &f->toks[++y];
            if (type_ends(p) || type_ends(q))
                return type_ends(p) && type_ends(q);
        }
        if (angles == 1 && !others && (is_punct(p, PUNCT_SHR) || is_punct(q, PUNCT_SHR)))
            return closes_both(f, a, i, x) && closes_both(f, b, i, y);
        if (!same_token(a, p, b, q) || p->kind == TOKEN_EOF)
            return false;
        others += is_punct(p, PUNCT_LPAREN) - is_punct(p, PUNCT_RPAREN);
        if (!others)
            angles += is_punct(p, PUNCT_LT) - is_punct(p, PUNCT_GT) - 2 * is_punct(p, PUNCT_SHR);
        if (angles < 0)
            return false;
    }
}

bool cu_same_template(struct front *f, struct template_info *a, struct template_info *b)
{
    if (a->nparams != b->nparams)
        return false;
    for (size_t i = 0; i < a->nparams; i++)
        if (a->params[i].kind != b->params[i].kind || a->params[i].pack != b->params[i].pack ||
            (a->params[i].kind == TARG_VALUE && !same_value_type(f, a, b, i)))
            return false;
    struct func *x = cu_pattern(f, a), *y = cu_pattern(f, b);
    if (!x || !y || x->d.type->nparams != y->d.type->nparams ||
        x->d.type->func_quals != y->d.type->func_quals ||
        x->d.type->func_ref != y->d.type->func_ref)
        return false;
    if (x->where_explicit && y->where_explicit && !(x->where & y->where))
        return false;
    if (!same_constraints(f, a, b) || !same_clause(f, x->requires_pos, y->requires_pos))
        return false;
    const struct pair p = {a, b};
    for (size_t i = 0; i < x->d.type->nparams; i++)
        if (!same_type(f, &p, x->d.type->params[i], y->d.type->params[i]))
            return false;
    return same_type(f, &p, x->d.type->elem, y->d.type->elem);
}
