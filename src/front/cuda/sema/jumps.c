/* Jumps that pass the initialisation of a variable: a goto, or a switch to one of its cases, into
 * the scope of a variable that has a value by then; and jumps into a try or its handlers.
 *
 * Where a statement stands is the chain of variables that have been initialised before it,
 * innermost first. A jump is right if the chain of its target is the end of the jump's own.
 *
 * And whether control reaches the end of a statement. */
#include "front/cuda/sema/sema.h"

struct seen {
    struct seen *up;
    struct span at;
    const char *name; /* NULL: a try or a handler */
};

struct place {
    struct place *next;
    const struct stmt *s; /* a goto or a label */
    struct seen *seen;
};

struct jumps {
    struct front *f;
    struct place *gotos, *labels;
    struct seen *switched; /* where the switch around stands */
};

static bool is_initialised(struct front *f, const struct var *v)
{
    if (v->storage != VAR_LOCAL || v->is_static || v->is_extern || v->space != SPACE_NONE)
        return false;
    return (v->init && v->init->kind != EX_UNINIT) || !cu_trivial_dtor(f, v->d.type);
}

static struct seen *enter(struct jumps *j, struct seen *up, struct span at, const char *name)
{
    struct seen *s = arena_new(j->f->a, struct seen);
    *s = (struct seen){.up = up, .at = at, .name = name};
    return s;
}

static void note(struct jumps *j, struct place **list, const struct stmt *s, struct seen *seen)
{
    struct place *p = arena_new(j->f->a, struct place);
    *p = (struct place){.next = *list, .s = s, .seen = seen};
    *list = p;
}

/* A jump from `from` to `to`. */
static void check(struct jumps *j, const struct seen *from, const struct seen *to, struct span at,
                  const char *what)
{
    const struct seen *s = from;
    while (s && s != to)
        s = s->up;
    if (s == to)
        return;
    /* The outermost of what is passed is named: it is the first in the source. */
    for (const struct seen *k = to->up; k; k = k->up) {
        for (s = from; s && s != k; s = s->up)
            ;
        if (s)
            break;
        to = k;
    }
    if (to->name)
        cu_error_note(j->f, at, to->at, "declared here", "%s passes the initialisation of '%s'",
                      what, to->name);
    cu_error(j->f, at, "%s leads into a try or its handler", what);
}

static struct seen *walk(struct jumps *j, const struct stmt *s, struct seen *seen);

static void walk_list(struct jumps *j, const struct stmt *s, struct seen *seen)
{
    for (; s; s = s->next)
        seen = walk(j, s, seen);
}

/* A statement with parts of its own: what they declare ends with it. */
static void walk_inside(struct jumps *j, const struct stmt *s, struct seen *seen)
{
    struct seen *const save = j->switched;
    for (const struct stmt *i = s->init; i; i = i->next)
        seen = walk(j, i, seen);
    if (s->var && is_initialised(j->f, s->var))
        seen = enter(j, seen, s->var->d.span, s->var->d.name);
    if (s->kind == STMT_SWITCH)
        j->switched = seen;
    walk_list(j, s->body, seen);
    walk_list(j, s->other, seen);
    j->switched = save;
}

/* Gives what is initialised after it. */
static struct seen *walk(struct jumps *j, const struct stmt *s, struct seen *seen)
{
    switch (s->kind) {
    case STMT_DECL:
        return s->var && s->var->d.name && is_initialised(j->f, s->var)
                   ? enter(j, seen, s->var->d.span, s->var->d.name)
                   : seen;
    case STMT_GOTO: note(j, &j->gotos, s, seen); return seen;
    case STMT_LABEL: note(j, &j->labels, s, seen); return s->body ? walk(j, s->body, seen) : seen;
    case STMT_CASE:
    case STMT_DEFAULT:
        check(j, j->switched, seen, s->span, s->kind == STMT_CASE ? "the case" : "the default");
        return s->body ? walk(j, s->body, seen) : seen;
    case STMT_BLOCK: walk_list(j, s->body, seen); return seen;
    case STMT_IF:
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
    case STMT_SWITCH: walk_inside(j, s, seen); return seen;
    case STMT_TRY:
        walk_list(j, s->body, enter(j, seen, s->span, NULL));
        for (const struct stmt *c = s->other; c; c = c->next)
            walk_list(j, c->body, enter(j, seen, c->span, NULL));
        return seen;
    default: return seen;
    }
}

void cu_check_jumps(struct front *f, struct func *fn)
{
    struct jumps j = {.f = f};
    walk_list(&j, fn->ast, NULL);
    for (const struct place *g = j.gotos; g; g = g->next)
        for (const struct place *l = j.labels; l; l = l->next)
            if (l->s->label == g->s->label)
                check(&j, g->seen, l->seen, g->s->span, "goto");
}

/* Can control reach the end? Conservative: only plain shapes count as returning. */
bool cu_falls_through(const struct stmt *s)
{
    if (!s)
        return true;
    switch (s->kind) {
    case STMT_RETURN:
    case STMT_GOTO: return false;
    case STMT_BLOCK: {
        for (const struct stmt *c = s->body; c; c = c->next)
            if (!cu_falls_through(c))
                return false;
        return true;
    }
    case STMT_IF: return !s->other || cu_falls_through(s->body) || cu_falls_through(s->other);
    case STMT_WHILE:
    case STMT_FOR:
    case STMT_DO: {
        bool endless = !s->cond || (s->cond->kind == EX_INT && s->cond->u.i);
        return !endless;
    }
    case STMT_SWITCH: {
        for (const struct stmt *c = s->cases; c; c = c->case_next)
            if (c->kind == STMT_DEFAULT)
                return false; /* breaks may leave it: not told apart */
        return true;
    }
    case STMT_CASE:
    case STMT_DEFAULT:
    case STMT_LABEL: return s->body ? cu_falls_through(s->body) : true;
    case STMT_TRY: {
        bool falls = cu_falls_through(s->body);
        for (const struct stmt *c = s->other; c; c = c->next)
            falls |= cu_falls_through(c->body);
        return falls;
    }
    case STMT_EXPR: {
        const struct expr *e = s->cond;
        if (e && e->kind == EX_THROW)
            return false;
        if (e && e->kind == EX_CALL && !e->a && e->u.func && e->u.func->noreturn)
            return false;
        return !(e && e->kind == EX_BUILTIN && cu_builtin_ends(e));
    }
    default: return true;
    }
}
