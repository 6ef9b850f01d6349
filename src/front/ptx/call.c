/* Calls: of functions in the module, through pointers, and of the few functions that every CUDA
 * device has: vprintf, malloc, free, new, delete, __assertfail. */
#include <string.h>
#include "front/ptx/ptx_int.h"

static struct ir_value *generic(struct px *p, struct ir_value *x)
{
    return ir_space(x->type) == IR_SPACE_GENERIC
               ? x
               : ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), x);
}

static struct ir_value *argument(struct px *p, const struct px_operand *o, ir_type t)
{
    if (t != IR_VOID)
        return px_in(p, o, t);
    if (o->kind == PO_NAME && o->symbol && o->symbol->kind == PS_BYTES)
        return generic(p, o->symbol->memory);
    px_error(p, o->span, "this argument is not a variable of bytes");
    return px_int(p, IR_PTR_TO(IR_SPACE_GENERIC), 0);
}

static struct ir_value *generic_pointer(struct px *p, const struct px_operand *o)
{
    return px_space_pointer(p, px_in(p, o, IR_I64), IR_SPACE_GENERIC);
}

/* The variable that an address was made from. */
static const struct ir_global *global_of(struct ir_value *v, unsigned depth)
{
    while (v->forward)
        v = v->forward;
    if (v->kind == IR_VALUE_GLOBAL)
        return v->u.global;
    if (v->kind != IR_VALUE_RESULT || !depth)
        return NULL;
    struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_cvta || i->op == IR_OP_ptrtoint || i->op == IR_OP_inttoptr)
        return global_of(i->args[0], depth - 1);
    return NULL;
}

/* vprintf(format, arguments in memory): the format says which are there. */
static bool call_printf(struct px *p, struct px_stmt *s, const struct px_operand *ret,
                        const struct px_operand *args)
{
    struct ir_value *format = generic_pointer(p, &args[0]);
    const struct ir_global *g = global_of(format, 8);
    if (!g || !g->init)
        return px_refuse(p, s, "the format of a printf must be a constant string");
    struct ir_value *from = generic_pointer(p, &args[1]);
    VEC(struct ir_value *) list = {0};
    vec_push(p->a, &list, format);
    uint64_t at = 0;
    const char *f = (const char *)g->init, *end = f + g->size;
    while (f < end && *f) {
        if (*f++ != '%')
            continue;
        if (f < end && *f == '%') {
            f++;
            continue;
        }
        ir_type t = IR_VOID;
        bool wide = false;
        for (; f < end && t == IR_VOID && *f; f++) {
            ir_type star = IR_VOID;
            if (*f == '*')
                star = IR_I32;
            else if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't')
                wide = true;
            else if (strchr("diouxXc", *f))
                t = wide && *f != 'c' ? IR_I64 : IR_I32;
            else if (strchr("feEgGaAF", *f))
                t = IR_F64;
            else if (*f == 'p' || *f == 's')
                t = *f == 's' ? IR_PTR_TO(IR_SPACE_GENERIC) : IR_I64;
            else if (!strchr("0123456789.+-# h", *f))
                break;
            ir_type take = star ? star : t;
            if (take == IR_VOID)
                continue;
            uint32_t size = ir_bytes(take);
            at = (at + size - 1) / size * size;
            struct ir_value *x =
                ir_build2(&p->b, IR_OP_ptradd, from->type, from, px_int(p, IR_I64, at));
            vec_push(p->a, &list, ir_build_load(&p->b, take, x, size, 0));
            at += size;
        }
    }
    struct ir_inst *i = ir_build(&p->b, IR_OP_printf, IR_VOID, list.data, (uint32_t)list.len);
    if (ret)
        px_out(p, ret, &i->results[0]);
    return true;
}

/* A function that is declared only: one of those that devices bring. */
static bool call_known(struct px *p, struct px_stmt *s, const char *name,
                       const struct px_operand *ret, const struct px_operand *args, uint32_t n)
{
    if (!strcmp(name, "vprintf") && n == 2)
        return call_printf(p, s, ret, args);
    /* C++'s new and delete, where a compiler leaves them to be linked */
    bool make = !strcmp(name, "malloc") || !strcmp(name, "_Znwm") || !strcmp(name, "_Znam");
    bool drop = !strcmp(name, "free") || !strcmp(name, "_ZdlPv") || !strcmp(name, "_ZdaPv") ||
                !strcmp(name, "_ZdlPvm") || !strcmp(name, "_ZdaPvm");
    if (make && n == 1 && ret) {
        struct ir_value *size = px_in(p, &args[0], IR_I64);
        struct ir_value *x = ir_build1(&p->b, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), size);
        px_out(p, ret, x);
        return true;
    }
    if (drop && (n == 1 || n == 2)) {
        struct ir_value *x = generic_pointer(p, &args[0]);
        ir_build(&p->b, IR_OP_free, IR_VOID, &x, 1);
        return true;
    }
    if (!strcmp(name, "__assertfail") && n == 5) {
        struct ir_value *x[4] = {generic_pointer(p, &args[0]), generic_pointer(p, &args[1]),
                                 px_in(p, &args[2], IR_I32), generic_pointer(p, &args[3])};
        ir_build(&p->b, IR_OP_assertfail, IR_VOID, x, 4);
        return true;
    }
    if (px_device_runtime(p, name, ret, args, n))
        return true;
    px_error(p, s->span, "'%s' is called but not defined", name);
    return true;
}

/* A list with the elements of its vectors in place of them. */
static const struct px_operand *flat(struct px *p, const struct px_operand *list, uint32_t *n)
{
    VEC(struct px_operand) out = {0};
    for (uint32_t i = 0; i < list->nitems; i++) {
        const struct px_operand *o = &list->items[i];
        const bool vector = o->kind == PO_VECTOR;
        for (uint32_t k = 0; k < (vector ? o->nitems : 1); k++)
            vec_push(p->a, &out, vector ? o->items[k] : *o);
    }
    *n = (uint32_t)out.len;
    return out.data;
}

bool px_calls(struct px *p, struct px_stmt *s)
{
    uint32_t at = 0, nargs = 0, nrets = 0;
    const struct px_operand *rets = NULL, *args = NULL;
    if (at < s->nops && s->ops[at].kind == PO_LIST) {
        rets = flat(p, &s->ops[at++], &nrets);
    }
    if (at >= s->nops)
        return false;
    const struct px_operand *callee = &s->ops[at++];
    if (at < s->nops && s->ops[at].kind == PO_LIST) {
        args = flat(p, &s->ops[at++], &nargs);
    }
    const struct px_proto *proto = NULL;
    struct ir_func *direct = NULL;
    if (callee->kind == PO_NAME && callee->symbol && callee->symbol->kind == PS_FUNC) {
        struct px_func *f = callee->symbol->func;
        if (!f->body)
            return call_known(p, s, callee->name, nrets ? rets : NULL, args, nargs);
        proto = &f->proto;
        direct = f->ir;
        if (f->kernel)
            return false;
    } else if (callee->kind == PO_REG && at < s->nops && s->ops[at].kind == PO_NAME &&
               s->ops[at].symbol && s->ops[at].symbol->kind == PS_PROTO) {
        proto = s->ops[at].symbol->proto;
    } else {
        px_error(p, callee->span, "this is not a function, or its prototype is missing");
        return true;
    }
    if (nargs != proto->params.len || nrets != proto->rets.len) {
        px_error(p, s->span, "the call does not fit the function's parameters");
        return true;
    }
    VEC(struct ir_value *) list = {0};
    if (!direct)
        vec_push(p->a, &list, generic_pointer(p, callee));
    VEC(struct ir_value *) places = {0};
    for (uint32_t i = 0; i < nrets; i++) {
        struct ir_value *place = NULL;
        if (proto->rets.data[i].type == IR_VOID)
            place = argument(p, &rets[i], IR_VOID);
        else if (i)
            place = generic(p, ir_build_alloca(p->func, 8, 8, "result"));
        vec_push(p->a, &places, place);
        if (place)
            vec_push(p->a, &list, place);
    }
    for (uint32_t i = 0; i < nargs; i++)
        vec_push(p->a, &list, argument(p, &args[i], proto->params.data[i].type));
    if (p->failed)
        return true;
    struct ir_value *r;
    if (direct) {
        r = ir_build_call(&p->b, direct, list.data, (uint32_t)list.len);
    } else {
        ir_type t = nrets ? proto->rets.data[0].type : IR_VOID;
        struct ir_inst *i = ir_build_results(&p->b, IR_OP_call_ptr, t, list.data,
                                             (uint32_t)list.len, &t, t != IR_VOID);
        r = t != IR_VOID ? &i->results[0] : NULL;
    }
    if (r && nrets)
        px_out(p, &rets[0], r);
    for (uint32_t i = 1; i < nrets; i++) {
        ir_type t = px_memory_type(proto->rets.data[i].type);
        if (t != IR_VOID)
            px_out(p, &rets[i],
                   px_bits_as(p, ir_build_load(&p->b, t, places.data[i], ir_bytes(t), 0),
                              proto->rets.data[i].type));
    }
    return true;
}
