/* For devices that cannot call the host: the op `check` becomes a call of the device library
 * (device/gpu/check.h), which leaves a record for the host and says whether the access would do
 * harm. One that would goes to a place of ours instead. */
#include <string.h>
#include "check/check_int.h"

static struct ir_func *declared(struct ir_module *m)
{
    struct ir_func *f = ir_func_find(m, CHECK_LOG);
    if (f)
        return f;
    f = ir_func_new(m, CHECK_LOG, IR_I64, 0);
    for (unsigned k = 0; k < 6; k++)
        ir_func_param(f, NULL, k == 1 ? IR_I32 : IR_I64, 0, 0, 0);
    return f;
}

static struct ir_value *tagged(struct ir_builder *b, struct ir_value *x)
{
    const uint64_t tag = (uint64_t)IR_CHECK_TAG_SHARED << IR_CHECK_TAG_SHIFT;
    return ir_build2(b, IR_OP_or, IR_I64, ir_build1(b, IR_OP_ptrtoint, IR_I64, x),
                     ir_const(b->module, IR_I64, tag));
}

/* Addresses as generic ones, which say what they are of; numbers as 64 bits. */
static struct ir_value *wide(struct ir_builder *b, struct ir_value *x, enum check_how how)
{
    const ir_type generic = IR_PTR_TO(IR_SPACE_GENERIC);
    if (ir_kind(x->type) == IR_PTR) {
        const enum ir_space s = ir_space(x->type);
        if (s == IR_SPACE_SHARED && how == CHECK_BY_TAGGED_LOG)
            return tagged(b, x);
        if (s == IR_SPACE_SHARED || s == IR_SPACE_LOCAL)
            x = ir_build1(b, IR_OP_cvta, generic, x);
        return ir_build1(b, IR_OP_ptrtoint, IR_I64, x);
    }
    return ir_bits(x->type) < 64 ? ir_build1(b, IR_OP_zext, IR_I64, x) : x;
}

/* The access that the op speaks of: the next one by that address. */
static struct ir_inst *access_of(const struct ir_inst *check, uint32_t *operand)
{
    for (struct ir_inst *i = check->next; i; i = i->next)
        switch (i->op) {
        case IR_OP_load:
        case IR_OP_store:
        case IR_OP_rmw:
        case IR_OP_cas:
        case IR_OP_memcpy:
        case IR_OP_memset:
        case IR_OP_cpasync:
            for (*operand = 0; *operand < 2 && *operand < i->nargs; ++*operand)
                if (i->args[*operand] == check->args[0])
                    return i;
            break;
        default: break;
        }
    return NULL;
}

static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_OP_load || i->op == IR_OP_store || i->op == IR_OP_rmw ||
           i->op == IR_OP_cas || i->op == IR_OP_memset || i->op == IR_OP_memcpy;
}

static struct ir_value *local_of(struct ir_value *p)
{
    while (p->kind == IR_VALUE_RESULT &&
           (p->u.inst->op == IR_OP_ptradd || p->u.inst->op == IR_OP_cvta))
        p = p->u.inst->args[0];
    return p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_alloca ? p : NULL;
}

/* Of a local variable the op has the offset: what is diverted is the next access to a variable of
 * that size, and those to its marks, which come between. */
static void divert_local(struct ir_builder *b, const struct ir_inst *check,
                         struct ir_value *elsewhere)
{
    struct ir_value *fine =
        ir_build2(b, IR_OP_eq, IR_I64, elsewhere, ir_const(b->module, IR_I64, 0));
    for (struct ir_inst *i = check->next; i; i = i->next) {
        struct ir_value *v = is_access(i) ? local_of(i->args[0]) : NULL;
        if (!v || v->u.inst->imm != check->args[2]->u.bits)
            continue;
        if (i->op == IR_OP_memset || i->op == IR_OP_memcpy) {
            struct ir_value *n = i->args[2];
            i->args[2] =
                ir_build3(b, IR_OP_select, n->type, fine, n, ir_const(b->module, n->type, 0));
        } else {
            struct ir_builder at = ir_builder_before(i);
            struct ir_value *p = i->args[0];
            struct ir_value *root = v->type == p->type ? v : ir_build1(&at, IR_OP_cvta, p->type, v);
            i->args[0] = ir_build3(&at, IR_OP_select, p->type, fine, p, root);
        }
        if (!v->name || strncmp(v->name, CHECK_MARKS, strlen(CHECK_MARKS)) != 0)
            return;
    }
}

static void divert(struct ir_builder *b, struct ir_inst *check, struct ir_value *elsewhere)
{
    uint32_t k;
    struct ir_inst *i = access_of(check, &k);
    struct ir_value *p = check->args[0];
    struct ir_module *m = b->module;
    if (!i)
        return;
    struct ir_value *fine = ir_build2(b, IR_OP_eq, IR_I64, elsewhere, ir_const(m, IR_I64, 0));
    if (i->op == IR_OP_memcpy || i->op == IR_OP_memset) { /* nothing of it is done */
        struct ir_value *n = i->args[2];
        i->args[2] = ir_build3(b, IR_OP_select, n->type, fine, n, ir_const(m, n->type, 0));
        return;
    }
    struct ir_value *other;
    if (ir_space(p->type) == IR_SPACE_SHARED && check->imm & IR_CHECK_ROOTED)
        other = check->args[1];
    else if (ir_space(p->type) == IR_SPACE_GENERIC || ir_space(p->type) == IR_SPACE_GLOBAL)
        other = ir_build1(b, IR_OP_inttoptr, p->type, elsewhere);
    else
        return; /* where there is no other place of the kind, the device looks after it */
    if (other->type == p->type)
        i->args[k] = ir_build3(b, IR_OP_select, p->type, fine, p, other);
}

void check_log(void *ctx, struct ir_func *f)
{
    const enum check_how how = *(const enum check_how *)ctx;
    if (how < CHECK_BY_LOG || !f->first)
        return;
    ir_each_block (block, f)
        ir_each_inst (i, block) {
            if (i->op != IR_OP_check)
                continue;
            struct ir_builder b = ir_builder_before(i);
            struct ir_value *zero = ir_const(b.module, IR_I64, 0);
            struct ir_value *args[6] = {ir_const(b.module, IR_I64, i->imm),
                                        ir_const(b.module, IR_I32, i->span.loc),
                                        zero,
                                        zero,
                                        zero,
                                        zero};
            b.span = i->span;
            for (uint32_t k = 0; k < i->nargs && k < 4; k++)
                args[2 + k] = wide(&b, i->args[k], how);
            struct ir_value *elsewhere = ir_build_call(&b, declared(f->module), args, 6);
            if ((i->imm & 255) > IR_CHECK_ATOMIC)
                (void)elsewhere;
            else if (ir_kind(i->args[0]->type) == IR_PTR)
                divert(&b, i, elsewhere);
            else if (i->imm & IR_CHECK_ROOTED && ir_is_const(i->args[2]))
                divert_local(&b, i, elsewhere);
            ir_remove(i);
        }
}
