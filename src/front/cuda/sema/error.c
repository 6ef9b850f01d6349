/* Errors of the front end unwind: the one that reports does not return, and cu_try, set up around
 * each declaration and statement (or around a substitution that may fail quietly), goes on after
 * it. So one mistake gives one diagnostic, and no caller checks for half-made trees. */
#include "front/cuda/sema/sema.h"

#include <stdio.h>

struct try_point {
    jmp_buf buf;
    struct try_point *up;
};

/* WHAT 'NAME', for a diagnostic that hardly ever comes: not worth a printf. */
const char *cu_quoted(struct front *f, const char *what, const char *name)
{
    size_t a = strlen(what), b = name ? strlen(name) : 0;
    char *s = arena_alloc(f->a, a + b + 4);
    memcpy(s, what, a);
    memcpy(s + a, " '", 2);
    if (b)
        memcpy(s + a + 2, name, b);
    memcpy(s + a + 2 + b, "'", 2);
    return s;
}

void cu_save(const struct front *f, struct parse_state *s)
{
    *s = (struct parse_state){
        .pos = f->pos,
        .split = f->split,
        .split_n = f->split_n,
        .expanding = f->expanding,
        .probing = f->probing,
        .extern_c = f->extern_c,
        .scope = f->scope,
        .func = f->func,
        .cls = f->cls,
        .nesting = f->nesting,
        .nest_base = f->nest_base,
        .unevaluated = f->unevaluated,
        .pattern = f->pattern,
        .no_gt = f->no_gt,
        .quiet = f->quiet,
        .inst = f->inst,
        .pack_index = f->pack_index,
        .loop = f->loop,
        .switch_ = f->switch_,
        .return_type = f->return_type,
        .deducing = f->deducing,
        .deduced = f->deduced,
        .default_where = f->default_where,
        .call_at = f->call_at,
        .call_in = f->call_in,
    };
}

void cu_restore(struct front *f, const struct parse_state *s)
{
    f->pos = s->pos;
    f->split = s->split;
    f->split_n = s->split_n;
    f->expanding = s->expanding;
    f->probing = s->probing;
    f->extern_c = s->extern_c;
    f->scope = s->scope;
    f->func = s->func;
    f->cls = s->cls;
    f->nesting = s->nesting;
    f->nest_base = s->nest_base;
    f->unevaluated = s->unevaluated;
    f->pattern = s->pattern;
    f->no_gt = s->no_gt;
    f->quiet = s->quiet;
    f->inst = s->inst;
    f->pack_index = s->pack_index;
    f->loop = s->loop;
    f->switch_ = s->switch_;
    f->return_type = s->return_type;
    f->deducing = s->deducing;
    f->deduced = s->deduced;
    f->default_where = s->default_where;
    f->call_at = s->call_at;
    f->call_in = s->call_in;
}

void cu_enter(struct front *f, struct parse_state *s, size_t pos, struct scope *scope)
{
    cu_save(f, s);
    f->pos = pos;
    f->nest_base = f->nesting;
    f->split = false;
    f->split_n = 0;
    f->expanding = f->probing = false;
    f->scope = scope;
    f->func = NULL;
    f->cls = NULL;
    for (struct scope *c = scope; c; c = c->parent) {
        if (!f->cls && c->kind == SCOPE_CLASS)
            f->cls = c->cls;
        if (!f->func && (c->kind == SCOPE_BLOCK || c->kind == SCOPE_FUNC))
            f->func = c->func;
    }
    f->unevaluated = 0;
    f->pattern = 0;
    f->no_gt = 0;
    f->loop = f->switch_ = NULL;
    f->return_type = NULL;
    f->deducing = NULL;
    f->call_at = (struct span){0};
    f->call_in = NULL;
}

void cu_push_inst(struct front *f, struct span at, const char *what, struct type *type,
                  const char *name, const struct targ *args, size_t nargs)
{
    struct inst_note *n = arena_new(f->a, struct inst_note);
    n->at = at;
    n->what = what;
    n->type = type;
    n->name = name;
    n->args = args;
    n->nargs = nargs;
    n->up = f->inst;
    n->depth = f->inst ? f->inst->depth + 1 : 1;
    f->inst = n;
    if (n->depth > CU_MAX_INSTANTIATIONS)
        cu_error(f, at, "templates nest deeper than %d instantiations", CU_MAX_INSTANTIATIONS);
}

static const char *spelled(struct front *f, const struct inst_note *n)
{
    if (n->type)
        return cu_type_str(f, n->type);
    return arena_printf(f->a, "%s%s", n->name, cu_targs_str(f, n->args, n->nargs));
}

/* The innermost and the outermost few, as a chain of hundreds explains nothing. */
static void inst_notes(struct front *f)
{
    unsigned shown = 0, depth = f->inst ? f->inst->depth : 0;
    for (struct inst_note *n = f->inst; n; n = n->up, shown++) {
        if (shown < 6 || n->depth <= 3)
            diag_note(f->diag, n->at, "in the %s '%s'", n->what, spelled(f, n));
        else if (n->depth == depth - 6)
            diag_note(f->diag, n->at, "(%u more instantiations)", depth - 9);
    }
}

static void show(struct front *f, struct span at, const char *fmt, va_list ap)
{
    if (f->quiet) {
        struct sbuf b;
        sbuf_init(&b, f->a);
        sbuf_vprintf(&b, fmt, ap);
        f->caught = (struct caught){.set = true, .span = at, .message = b.data, .inst = f->inst};
        return;
    }
    diag_vadd(f->diag, DIAG_ERROR, at, fmt, ap);
    inst_notes(f);
}

void cu_unwind(struct front *f)
{
    longjmp(f->try_top->buf, 1);
}

void cu_error(struct front *f, struct span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    show(f, at, fmt, ap);
    va_end(ap);
    cu_unwind(f);
}

void cu_error_note(struct front *f, struct span at, struct span note_at, const char *note,
                   const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    show(f, at, fmt, ap);
    va_end(ap);
    if (!f->quiet) {
        diag_note(f->diag, note_at, "%s", note);
    } else {
        f->caught.note = note;
        f->caught.note_at = note_at;
    }
    cu_unwind(f);
}

void cu_show_caught(struct front *f)
{
    if (!f->caught.set || f->quiet)
        return;
    struct inst_note *save = f->inst;
    if (f->caught.undeclared) {
        struct hint h = cu_undeclared_hint(f, f->caught.undeclared, f->caught.in, f->caught.from);
        f->caught.message = h.message;
        f->caught.note = h.note;
        f->caught.note_at = h.note_at;
    }
    diag_error(f->diag, f->caught.span, "%s", f->caught.message);
    f->inst = f->caught.inst;
    inst_notes(f);
    f->inst = save;
    if (f->caught.note)
        diag_note(f->diag, f->caught.note_at, "%s", f->caught.note);
}

void cu_report(struct front *f, struct span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    show(f, at, fmt, ap);
    va_end(ap);
    if (f->quiet)
        cu_unwind(f);
}

void cu_note(struct front *f, struct span at, const char *fmt, ...)
{
    if (f->quiet)
        return;
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(f->diag, DIAG_NOTE, at, fmt, ap);
    va_end(ap);
}

void cu_warn(struct front *f, const char *flag, struct span at, const char *fmt, ...)
{
    if (f->quiet || f->pattern || f->probing)
        return;
    struct sbuf b;
    sbuf_init(&b, f->a);
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    /* What does not depend on the parameters of a template is said once, not for each instance; so
     * is what a declaration says that is parsed twice. */
    for (const struct diag_entry *e = f->inst || !f->func ? f->diag->first : NULL; e; e = e->next)
        if (e->flag && e->span.loc == at.loc && e->span.len == at.len && !strcmp(e->flag, flag) &&
            !strcmp(e->message, b.data))
            return;
    if (diag_warn(f->diag, flag, at, "%s", b.data))
        inst_notes(f);
}

bool cu_try(struct front *f, void (*fn)(struct front *, void *), void *arg)
{
    struct parse_state state;
    struct try_point point;
    cu_save(f, &state);
    point.up = f->try_top;
    f->try_top = &point;
    if (setjmp(point.buf) == 0) {
        fn(f, arg);
        f->try_top = point.up;
        return true;
    }
    f->try_top = point.up;
    size_t pos = f->pos;
    cu_restore(f, &state);
    f->pos = pos;
    f->split = false;
    f->split_n = 0;
    return false;
}

bool cu_try_quietly(struct front *f, void (*fn)(struct front *, void *), void *arg)
{
    struct parse_state state;
    cu_save(f, &state);
    f->caught.set = false;
    f->quiet++;
    bool ok = cu_try(f, fn, arg);
    if (!ok)
        cu_restore(f, &state);
    f->quiet = state.quiet;
    return ok;
}
