/* What debuggers are told of variables: ir/debug.h, from the types of the source. Only with -G. */
#include "ir/debug.h"
#include "front/cuda/lower/lower.h"

static uint32_t describe(struct lower *l, struct type *t);

static uint32_t add_type(struct lower *l, struct ir_debug_type t)
{
    struct ir_debug *d = l->m->debug;
    vec_push(l->m->arena, &d->types, t);
    return (uint32_t)d->types.len - 1;
}

static uint8_t scalar_kind(const struct type *t)
{
    switch (t->kind) {
    case TY_BOOL: return IR_DEBUG_BOOL;
    case TY_CHAR:
    case TY_SCHAR: return IR_DEBUG_SIGNED_CHAR;
    case TY_UCHAR:
    case TY_CHAR8: return IR_DEBUG_UNSIGNED_CHAR;
    case TY_HALF:
    case TY_FLOAT:
    case TY_DOUBLE:
    case TY_LDOUBLE: return IR_DEBUG_FLOAT;
    case TY_BF16: return IR_DEBUG_UNSIGNED; /* debuggers know no such float: its bits */
    default: return cu_is_signed(t) ? IR_DEBUG_SIGNED : IR_DEBUG_UNSIGNED;
    }
}

struct members {
    struct ir_debug_member *list;
    uint32_t n;
};

static void add_base(struct lower *l, struct members *m, const struct base_class *b)
{
    m->list[m->n++] =
        (struct ir_debug_member){.base = true, .type = describe(l, b->type), .offset = b->offset};
}

static void add_field(struct lower *l, struct members *m, const struct field *f)
{
    struct ir_debug_member x = {
        .name = f->d.name, .type = describe(l, f->d.type), .offset = f->offset};
    if (f->is_bitfield) {
        x.bits = f->bits;
        x.bit_offset = f->bit_offset;
    }
    m->list[m->n++] = x;
}

/* The type has its number before its members: they may point back to it. */
static void describe_class(struct lower *l, uint32_t at, struct class_info *c)
{
    struct members m = {0};
    if (c->state != CLASS_COMPLETE || c->broken)
        return;
    cu_layout(l->f, c, l->b.span);
    m.list = arena_array(l->m->arena, struct ir_debug_member, c->bases.len + c->nfields + 1);
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual)
            add_base(l, &m, b);
    for (const struct field *f = c->fields; f; f = f->next)
        add_field(l, &m, f);
    struct ir_debug_type *t = &l->m->debug->types.data[at];
    t->size = c->size;
    t->members = m.list;
    t->nmembers = m.n;
}

static void describe_enum(struct lower *l, uint32_t at, const struct type *e)
{
    struct ir_debug_type *t = &l->m->debug->types.data[at];
    const struct scope *s = e->enumeration->scope;
    t->size = cu_sizeof(l->f, e->elem, l->b.span);
    t->members = arena_array(l->m->arena, struct ir_debug_member, (s ? s->count : 0) + 1);
    for (const struct decl *d = s ? s->first : NULL; d; d = d->next)
        if (d->kind == DECL_CONST)
            t->members[t->nmembers++] =
                (struct ir_debug_member){.name = d->name, .offset = (uint64_t)d->u.value.value};
}

static uint32_t describe_new(struct lower *l, struct type *t)
{
    const char *name = cu_type_str(l->f, t);
    uint32_t at;
    switch (t->kind) {
    case TY_VOID: return 0;
    case TY_POINTER:
    case TY_LREF:
    case TY_RREF:
        at = add_type(l, (struct ir_debug_type){.kind = t->kind == TY_POINTER ? IR_DEBUG_POINTER
                                                                              : IR_DEBUG_REFERENCE,
                                                .size = 8});
        map_set(&l->described, map_key(t), (void *)(uintptr_t)(at + 1));
        {
            const uint32_t elem = t->elem->kind == TY_FUNC ? 0 : describe(l, t->elem);
            l->m->debug->types.data[at].elem = elem;
        }
        return at;
    case TY_ARRAY: {
        const uint64_t count = t->count == ARRAY_UNKNOWN ? 0 : t->count;
        const uint32_t elem = describe(l, t->elem);
        return add_type(l,
                        (struct ir_debug_type){.kind = IR_DEBUG_ARRAY,
                                               .elem = elem,
                                               .count = count,
                                               .size = count * l->m->debug->types.data[elem].size});
    }
    case TY_CLASS:
        at = add_type(
            l, (struct ir_debug_type){.kind = t->cls->is_union ? IR_DEBUG_UNION : IR_DEBUG_STRUCT,
                                      .name = name});
        map_set(&l->described, map_key(t), (void *)(uintptr_t)(at + 1));
        describe_class(l, at, t->cls);
        return at;
    case TY_ENUM:
        at = add_type(l, (struct ir_debug_type){.kind = IR_DEBUG_ENUM, .name = name});
        describe_enum(l, at, t);
        return at;
    default:
        if (!cu_is_scalar(t))
            return 0;
        return add_type(l, (struct ir_debug_type){.kind = scalar_kind(t),
                                                  .name = name,
                                                  .size = cu_sizeof(l->f, t, l->b.span)});
    }
}

static uint32_t describe(struct lower *l, struct type *t)
{
    t = t->unqual;
    uintptr_t known = (uintptr_t)map_get(&l->described, map_key(t));
    if (known)
        return (uint32_t)known - 1;
    uint32_t n = describe_new(l, t);
    map_set(&l->described, map_key(t), (void *)(uintptr_t)(n + 1));
    return n;
}

/* ---- variables ---- */
static struct ir_variable variable(const struct lower *l, const struct var *v, uint32_t type)
{
    const bool in_block = v->storage == VAR_LOCAL;
    return (struct ir_variable){.name = v->d.name,
                                .func = v->func || v->storage != VAR_GLOBAL ? l->fn->name : NULL,
                                .type = type,
                                .at = v->d.span.loc,
                                .from = in_block ? l->seen_from : 0,
                                .to = in_block ? l->seen_to : 0,
                                .parameter = v->storage == VAR_PARAM};
}

static uint32_t add_variable(struct lower *l, const struct var *v, uint32_t type)
{
    struct ir_debug *d = l->m->debug;
    const struct ir_variable x = variable(l, v, type);
    vec_push(l->m->arena, &d->variables, x);
    return (uint32_t)d->variables.len;
}

void lo_tell_local(struct lower *l, struct var *v, struct ir_value *where)
{
    if (!lo_steps(l) || !v->d.name || v->d.system)
        return;
    where->u.inst->variable = add_variable(l, v, describe(l, v->d.type));
}

void lo_tell_global(struct lower *l, struct var *v, struct ir_global *g)
{
    if (lo_steps(l) && v->d.name && !v->d.system && !g->variable)
        g->variable = add_variable(l, v, describe(l, v->d.type));
}

/* What is known by its address: references, `this`, objects passed by value. A copy of the address
 * is what a debugger can find. */
static void tell_address(struct lower *l, struct ir_variable v, struct type *object,
                         struct ir_value *x)
{
    struct ir_value *slot = ir_build_alloca(l->fn, 8, 8, v.name);
    const struct ir_debug_type type = {.kind = v.type ? IR_DEBUG_REFERENCE : IR_DEBUG_POINTER,
                                       .elem = describe(l, object),
                                       .size = 8};
    v.type = add_type(l, type);
    vec_push(l->m->arena, &l->m->debug->variables, v);
    slot->u.inst->variable = (uint32_t)l->m->debug->variables.len;
    ir_build_store(&l->b, slot, lo_generic(l, x), 8, 0);
}

void lo_tell_reference(struct lower *l, struct var *v, struct ir_value *x)
{
    if (!lo_steps(l) || !v->d.name || v->d.system)
        return;
    struct type *t = v->d.type;
    tell_address(l, variable(l, v, 1), cu_is_ref(t) ? t->elem : t, x);
}

void lo_tell_this(struct lower *l)
{
    if (!lo_steps(l) || !l->this_value || l->func->d.system)
        return;
    const struct ir_variable v = {
        .name = "this", .func = l->fn->name, .at = l->func->d.span.loc, .parameter = true};
    tell_address(l, v, l->func->cls->type, l->this_value);
}

/* ---- blocks of the source ---- */
static source_loc end_of(const struct stmt *s)
{
    source_loc end = s->end ? s->end : s->span.loc + s->span.len;
    const struct stmt *parts[] = {s->init, s->body, s->other};
    for (size_t k = 0; k < 3 && s->kind != STMT_BLOCK; k++)
        for (const struct stmt *p = parts[k]; p; p = p->next) {
            const source_loc e = end_of(p);
            end = e > end ? e : end;
        }
    return end;
}

void lo_seen_in(struct lower *l, const struct stmt *s)
{
    const bool declares = s->kind == STMT_BLOCK || s->kind == STMT_IF || s->kind == STMT_WHILE ||
                          s->kind == STMT_FOR || s->kind == STMT_SWITCH;
    if (!lo_steps(l) || !declares || s == l->func->ast)
        return;
    l->seen_from = s->span.loc;
    l->seen_to = end_of(s);
}
