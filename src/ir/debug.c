/* Copies of what debuggers are told. */
#include "ir/debug.h"
#include <string.h>

struct ir_debug *ir_debug_new(struct arena *a, bool steps)
{
    struct ir_debug *d = arena_new(a, struct ir_debug);
    const struct ir_debug_type none = {.kind = IR_DEBUG_VOID, .name = "void"};
    d->steps = steps;
    vec_push(a, &d->types, none);
    return d;
}

static const char *copy_name(struct arena *a, const char *name)
{
    return name ? arena_strndup(a, name, strlen(name)) : NULL;
}

static struct ir_debug_member *copy_members(struct arena *a, const struct ir_debug_type *t)
{
    struct ir_debug_member *m = arena_array(a, struct ir_debug_member, t->nmembers + 1);
    for (uint32_t k = 0; k < t->nmembers; k++) {
        m[k] = t->members[k];
        m[k].name = copy_name(a, m[k].name);
    }
    return m;
}

struct ir_debug *ir_debug_copy(struct arena *a, const struct ir_debug *d)
{
    if (!d)
        return NULL;
    struct ir_debug *c = arena_new(a, struct ir_debug);
    c->steps = d->steps;
    vec_each (struct ir_debug_type, t, &d->types) {
        struct ir_debug_type u = *t;
        u.name = copy_name(a, t->name);
        u.members = copy_members(a, t);
        vec_push(a, &c->types, u);
    }
    vec_each (struct ir_variable, v, &d->variables) {
        struct ir_variable w = *v;
        w.name = copy_name(a, v->name);
        w.func = copy_name(a, v->func);
        vec_push(a, &c->variables, w);
    }
    return c;
}
