/* Accesses to global memory are looked up before they happen, for launchers that keep a table of
 * what may be accessed (doc/wasm-abi.md): how many bytes of each 256 do. One that is not allowed
 * ends as a failed assertion without a message, at its line.
 *
 * The table holds for all memory that addresses reach by a number; what is in a variable by its
 * name is left alone, and so are shared and local memory. */
#include <string.h>
#include "lower/lower_int.h"
#include "opt/opt.h"

/* Of an access that does not cross 256 bytes its last byte says it all. */
static const char text[] = "module \"bounds\"\n"
                           "func @__tern_bounds(%%last.0: i32, %%line.1: i32) [inline] {\n"
                           "entry.0:\n"
                           "  %%2 = load.i32 ptr.global %u\n"
                           "  %%3 = load.i32 ptr.global %u\n"
                           "  %%4 = lshr.i32 %%last.0, 8\n"
                           "  %%5 = ult.i32 %%4, %%3\n"
                           "  %%6 = select.i32 %%5, %%4, %%3\n"
                           "  %%7 = shl.i32 %%6, 1\n"
                           "  %%8 = add.i32 %%7, %%2\n"
                           "  %%9 = zext.i64 %%8\n"
                           "  %%10 = inttoptr.ptr.global %%9\n"
                           "  %%11 = load.i16 %%10\n"
                           "  %%12 = zext.i32 %%11\n"
                           "  %%13 = and.i32 %%last.0, 255\n"
                           "  %%14 = ule.i32 %%12, %%13\n"
                           "  %%15 = split\n"
                           "  condbr %%14, bad.1, good.2\n"
                           "bad.1:\n"
                           "  assertfail ptr.generic 0, ptr.generic 0, %%line.1, ptr.generic 0\n"
                           "  br good.2\n"
                           "good.2:\n"
                           "  join %%15\n"
                           "  ret\n"
                           "}\n";

static bool is_named(const struct ir_value *p)
{
    while (p->kind == IR_VALUE_RESULT &&
           (p->u.inst->op == IR_OP_ptradd || p->u.inst->op == IR_OP_cvta))
        p = p->u.inst->args[0];
    return p->kind == IR_VALUE_GLOBAL ||
           (p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_alloca);
}

struct look {
    struct ir_module *m;
    struct ir_func *check; /* NULL: nothing was found */
};

/* The last of n bytes from p on. */
static void look_up(struct look *l, struct ir_inst *i, struct ir_value *p, struct ir_value *n)
{
    const enum ir_space space = ir_space(p->type);
    struct source_pos at = {0};
    if ((space != IR_SPACE_GLOBAL && space != IR_SPACE_GENERIC) || is_named(p))
        return;
    if (!l->check) {
        l->check = ir_func_new(l->m, "__tern_bounds", IR_VOID, IR_FUNC_INLINE);
        ir_func_param(l->check, NULL, IR_I32, 0, 0, 0);
        ir_func_param(l->check, NULL, IR_I32, 0, 0, 0);
    }
    if (l->m->sources && i->span.loc)
        source_position(l->m->sources, source_expanded(l->m->sources, i->span.loc), &at);
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    if (n->type != IR_I32)
        n = ir_build1(&b, IR_OP_trunc, IR_I32, n);
    struct ir_value *first = ir_build1(&b, IR_OP_ptrtoint, IR_I64, p);
    struct ir_value *end =
        ir_build2(&b, IR_OP_add, IR_I32, ir_build1(&b, IR_OP_trunc, IR_I32, first), n);
    struct ir_value *args[] = {ir_build2(&b, IR_OP_sub, IR_I32, end, ir_const(l->m, IR_I32, 1)),
                               ir_const(l->m, IR_I32, at.line)};
    ir_build_call(&b, l->check, args, 2);
}

static void access(struct look *l, struct ir_inst *i)
{
    struct ir_value *one = ir_const(l->m, IR_I32, 1);
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_rmw:
    case IR_OP_cas: look_up(l, i, i->args[0], ir_const(l->m, IR_I32, ir_bytes(i->type))); return;
    case IR_OP_store:
        look_up(l, i, i->args[0], ir_const(l->m, IR_I32, ir_bytes(i->args[1]->type)));
        return;
    case IR_OP_memcpy:
        look_up(l, i, i->args[1], one);
        look_up(l, i, i->args[1], i->args[2]);
        /* fall through */
    case IR_OP_memset:
        look_up(l, i, i->args[0], one);
        look_up(l, i, i->args[0], i->args[2]);
        return;
    default: return;
    }
}

void lower_bounds(struct arena *a, struct ir_module *m, uint32_t room_at, uint32_t room_count)
{
    struct look l = {.m = m};
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                access(&l, i);
    if (!l.check)
        return;
    struct source_map sources;
    struct diag d;
    source_init(&sources, a);
    diag_init(&d, a, &sources);
    const char *own = arena_printf(a, text, room_at, room_count);
    ir_link(m, ir_parse(a, m->names, &sources, &d, "bounds.ir", own, strlen(own)));
    opt_inline(a, m, OPT_INLINE_DEVICE);
}
