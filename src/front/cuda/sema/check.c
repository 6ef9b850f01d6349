/* A warning that kernels need: shared memory is written by each thread at its own index, and then
 * read at another thread's, with no barrier between.
 *
 * It looks at one function, statement after statement, and knows of a write only in what follows it
 * in its block and in the blocks inside. It keeps quiet where it is not sure: a call that may wait,
 * indices that do not depend on the thread, or that give each thread a stretch of its own. */
#include "front/cuda/sema/sema.h"

enum { MAX_INDICES = 4, MAX_WRITES = 16, MAX_DEPTH = 24 };

struct touch {
    struct var *var;
    struct expr *index[MAX_INDICES];
    unsigned n;
    struct span at;
};

/* The writes that no barrier has followed yet. */
struct written {
    struct touch list[MAX_WRITES];
    unsigned n;
};

static struct expr *plain(struct expr *e)
{
    while (e && (e->kind == EX_LOAD || e->kind == EX_CAST))
        e = e->a;
    return e;
}

/* tile[i][j]: the variable and its indices. */
static bool shared_access(struct expr *e, struct touch *out)
{
    *out = (struct touch){.at = e->span};
    while (e) {
        if (e->kind == EX_DEREF && e->a->kind == EX_PTRADD && e->a->a->kind == EX_DECAY) {
            if (out->n == MAX_INDICES)
                return false;
            out->index[out->n++] = e->a->b;
            e = e->a->a->a;
        } else if (e->kind == EX_MEMBER) {
            e = e->a;
        } else {
            break;
        }
    }
    if (!e || e->kind != EX_VAR || e->u.var->space != SPACE_SHARED || !out->n)
        return false;
    struct type *t = e->u.var->d.type;
    while (t->kind == TY_ARRAY)
        t = t->elem;
    out->var = e->u.var;
    return !(t->quals & QUAL_VOLATILE);
}

static bool same(struct expr *x, struct expr *y, unsigned depth)
{
    x = plain(x);
    y = plain(y);
    if (x == y || depth == MAX_DEPTH)
        return true;
    if (!x || !y)
        return false;
    if (x->kind != y->kind) { /* a variable is what it was made from */
        if (x->kind == EX_VAR && x->u.var->init)
            return same(x->u.var->init, y, depth + 1);
        if (y->kind == EX_VAR && y->u.var->init)
            return same(x, y->u.var->init, depth + 1);
        return false;
    }
    switch (x->kind) {
    case EX_INT: return x->u.i == y->u.i;
    case EX_VAR: return x->u.var == y->u.var;
    case EX_MEMBER: return x->u.field->d.name == y->u.field->d.name && same(x->a, y->a, depth + 1);
    default: break;
    }
    if (x->op != y->op || x->nargs != y->nargs)
        return false;
    for (size_t i = 0; i < x->nargs; i++)
        if (!same(x->args[i], y->args[i], depth + 1))
            return false;
    return same(x->a, y->a, depth + 1) && same(x->b, y->b, depth + 1) &&
           same(x->c, y->c, depth + 1);
}

/* Does the value differ from thread to thread? `scaled`: is it multiplied, so that each thread has
 * a stretch of its own? */
static bool by_thread(struct expr *e, bool *scaled, unsigned depth)
{
    if (!e || depth == MAX_DEPTH)
        return false;
    if (e->kind == EX_VAR) {
        struct var *v = e->u.var;
        if (v->storage == VAR_GLOBAL)
            return v->d.system && !strcmp(v->d.name, "threadIdx");
        return v->init && v->storage == VAR_LOCAL && by_thread(v->init, scaled, depth + 1);
    }
    bool a = by_thread(e->a, scaled, depth + 1), b = by_thread(e->b, scaled, depth + 1);
    if (e->kind == EX_BINARY && (e->op == PUNCT_MUL || e->op == PUNCT_SHL) && (a || b))
        *scaled = true;
    return a || b || by_thread(e->c, scaled, depth + 1);
}

/* May two threads mean the same element? */
static bool conflict(const struct touch *w, const struct touch *r)
{
    if (w->var != r->var || w->n != r->n)
        return false;
    bool differ = false;
    for (unsigned i = 0; i < w->n; i++) {
        if (same(w->index[i], r->index[i], 0))
            continue;
        bool scaled = false;
        bool one = by_thread(w->index[i], &scaled, 0), other = by_thread(r->index[i], &scaled, 0);
        if (!(one || other) || scaled)
            return false;
        differ = true;
    }
    return differ;
}

struct pass {
    struct front *f;
    struct written *before; /* this statement */
    struct written new_;    /* in this statement */
    bool waits;
};

static bool may_wait(const struct expr *e)
{
    if (e->kind == EX_BUILTIN || e->kind == EX_STMT || e->kind == EX_LAUNCH)
        return true;
    if (e->kind != EX_CALL)
        return false;
    struct func *fn = e->a ? NULL : e->u.func;
    return !fn || fn->cls || !fn->d.system || strstr(fn->d.name, "sync") ||
           strstr(fn->d.name, "barrier") || strstr(fn->d.name, "wait");
}

static void reads(struct pass *p, struct expr *e)
{
    struct touch r;
    if (!shared_access(e, &r))
        return;
    for (unsigned i = 0; i < p->before->n && !p->waits; i++) {
        struct touch *w = &p->before->list[i];
        if (!conflict(w, &r))
            continue;
        struct span at = w->at;
        *w = p->before->list[--p->before->n]; /* said once */
        if (map_get(&p->f->raced, r.at.loc))
            return; /* in another instance */
        map_set(&p->f->raced, r.at.loc, p->f);
        cu_warn(p->f, "shared-race", r.at,
                "'%s' is read at an index that another thread may have written, with no barrier "
                "after the write",
                r.var->d.name);
        cu_note(p->f, at, "written here");
        return;
    }
}

static void look(struct pass *p, struct expr *e, unsigned depth)
{
    if (!e || depth == 200)
        return;
    switch (e->kind) {
    case EX_LOAD: reads(p, e->a); break;
    case EX_ADDR: return; /* of an atomic, mostly */
    case EX_COMPOUND:
    case EX_INCDEC: reads(p, e->a); __attribute__((fallthrough));
    case EX_ASSIGN: {
        struct touch w;
        look(p, e->b, depth + 1);
        if (shared_access(e->a, &w) && p->new_.n < MAX_WRITES)
            p->new_.list[p->new_.n++] = w;
        for (unsigned i = 0; i < w.n; i++)
            look(p, w.index[i], depth + 1);
        return;
    }
    default: break;
    }
    look(p, e->a, depth + 1);
    look(p, e->b, depth + 1);
    look(p, e->c, depth + 1);
    for (size_t i = 0; i < e->nargs; i++)
        look(p, e->args[i], depth + 1);
    p->waits |= may_wait(e);
}

/* One full expression. */
static void expression(struct front *f, struct expr *e, struct written *w, bool *waits)
{
    struct pass p = {.f = f, .before = w};
    look(&p, e, 0);
    if (p.waits) {
        w->n = 0;
        *waits = true;
    }
    for (unsigned i = 0; i < p.new_.n && w->n < MAX_WRITES; i++)
        w->list[w->n++] = p.new_.list[i];
}

static bool picks_threads(const struct expr *e)
{
    return e && ((e->kind == EX_BINARY && e->op == PUNCT_EQ) || picks_threads(e->a) ||
                 picks_threads(e->b));
}

static void statements(struct front *f, struct stmt *s, struct written *w, bool *waits,
                       unsigned depth)
{
    if (depth > 100)
        return;
    for (; s; s = s->next) {
        bool inner_waits = false;
        struct written inner = *w;
        switch (s->kind) {
        case STMT_EXPR:
        case STMT_RETURN: expression(f, s->cond, w, waits); break;
        case STMT_DECL:
            if (s->var && s->var->storage == VAR_LOCAL)
                expression(f, s->var->init, w, waits);
            break;
        case STMT_BLOCK: statements(f, s->body, w, waits, depth + 1); break;
        case STMT_ASM:
            w->n = 0;
            *waits = true;
            break;
        case STMT_IF:
        case STMT_WHILE:
        case STMT_DO:
        case STMT_FOR:
            statements(f, s->init, &inner, &inner_waits, depth + 1);
            expression(f, s->cond, &inner, &inner_waits);
            if (s->kind == STMT_IF && picks_threads(s->cond))
                inner.n = 0; /* perhaps one thread only */
            else
                statements(f, s->body, &inner, &inner_waits, depth + 1);
            if (s->other) {
                inner = *w;
                statements(f, s->other, &inner, &inner_waits, depth + 1);
            }
            if (inner_waits) {
                w->n = 0;
                *waits = true;
            }
            break;
        case STMT_SWITCH:
        case STMT_CASE:
        case STMT_DEFAULT:
        case STMT_LABEL:
            w->n = 0; /* control comes from elsewhere */
            statements(f, s->body, w, waits, depth + 1);
            w->n = 0;
            break;
        default: break;
        }
    }
}

void cu_check_shared(struct front *f, struct func *fn)
{
    struct written w = {.n = 0};
    bool waits = false;
    statements(f, fn->ast, &w, &waits, 0);
}
