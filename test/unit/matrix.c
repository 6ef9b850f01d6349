/* Every operation on every target: what supports() says must be what emit() does. */
#include "driver/pipeline.h"
#include "back/back.h"
#include "ir/async.h"
#include "ir/tex.h"
#include "unit.h"

struct growing {
    struct ir_module *m;
    struct ir_builder b;
    struct ir_value *p; /* where operands are loaded from, so that nothing folds away */
};

static struct ir_value *loaded(struct growing *g, ir_type t)
{
    if (ir_is_vector(t))
        return ir_build1(&g->b, IR_OP_splat, t, loaded(g, ir_scalar(t)));
    return ir_build_load(&g->b, t, g->p, 0, 0);
}

static ir_type type_for(unsigned class)
{
    return class == IR_CLASS_NONE    ? IR_VOID
           : class & IR_CLASS_L      ? IR_I64
           : class == IR_CLASS_FLOAT ? IR_F32
           : class == IR_CLASS_PTR   ? IR_PTR_TO(IR_SPACE_GLOBAL)
                                     : IR_I32;
}

/* The source type of a conversion to t. */
static ir_type source_of(enum ir_op op, ir_type t)
{
    switch (op) {
    case IR_OP_trunc: return IR_I64;
    case IR_OP_zext:
    case IR_OP_sext: return IR_I16;
    case IR_OP_fcvt: return IR_F64;
    case IR_OP_ftosi:
    case IR_OP_ftoui: return IR_F32;
    case IR_OP_bitcast: return t == IR_I32 ? IR_F32 : IR_I32;
    default: return IR_I32;
    }
}

static ir_type type_of_op(enum ir_op op)
{
    switch (op) {
    case IR_OP_alloca: return IR_PTR_TO(IR_SPACE_LOCAL);
    case IR_OP_malloc: return IR_PTR_TO(IR_SPACE_GENERIC);
    case IR_OP_cvta: return IR_PTR_TO(IR_SPACE_GENERIC);
    case IR_OP_tex: return IR_F32;
    case IR_OP_splat:
    case IR_OP_insert:
    case IR_OP_iota:
    case IR_OP_permute:
    case IR_OP_mload:
    case IR_OP_mstore:
    case IR_OP_gather:
    case IR_OP_scatter:
    case IR_OP_mrmw: return ir_vector(IR_I32, 4);
    default: return type_for(ir_op_info[op].class);
    }
}

static struct ir_value *operand(struct growing *g, enum ir_op op, char letter, ir_type t)
{
    ir_type lanes = ir_is_vector(t) ? t : 0;
    bool barrier = op == IR_OP_barrier || op == IR_OP_barrier_red || op == IR_OP_barrier_arrive;
    switch (letter) {
    case 'T': return loaded(g, t);
    case 'E': return loaded(g, ir_scalar(t));
    case 'S': return loaded(g, source_of(op, t));
    case 'b':
        return ir_build2(&g->b, IR_OP_eq, IR_I32, loaded(g, IR_I32), ir_const(g->m, IR_I32, 1));
    case 'c': return loaded(g, IR_I8);
    case 'w':
        return barrier ? ir_const(g->m, IR_I32, op == IR_OP_barrier_arrive ? 32 : 0)
                       : loaded(g, IR_I32);
    case 'l': return loaded(g, IR_I64);
    case 'k': return ir_build0(&g->b, IR_OP_split, IR_VOID, 0);
    case 'V': {
        struct ir_value *v = loaded(g, ir_vector(IR_I32, 4));
        bool mask = op == IR_OP_anylane || op == IR_OP_alllanes || op == IR_OP_maskbits;
        return mask ? ir_build2(&g->b, IR_OP_eq, v->type, v, ir_const(g->m, v->type, 1)) : v;
    }
    case 'M': return ir_build2(&g->b, IR_OP_eq, lanes, loaded(g, lanes), ir_const(g->m, lanes, 1));
    case 'P': return ir_build1(&g->b, IR_OP_splat, ir_like(IR_PTR_TO(IR_SPACE_GLOBAL), t), g->p);
    case 'I': return loaded(g, ir_like(IR_I32, t));
    default:
        return op == IR_OP_isspace ? ir_build1(&g->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), g->p)
                                   : g->p;
    }
}

static void use(struct growing *g, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nresults; k++)
        if (i->results[k].type != IR_TOKEN)
            ir_build_store(&g->b, g->p, &i->results[k], 0, 0);
}

static struct ir_inst *warpgroup_product(struct growing *g)
{
    struct ir_value *args[7] = {loaded(g, IR_I64), loaded(g, IR_I64),
                                operand(g, IR_OP_wgmma, 'b', IR_VOID)};
    ir_type results[4];
    for (int k = 0; k < 4; k++) { /* m64n8k16 of f16 into f32 */
        args[3 + k] = loaded(g, IR_F32);
        results[k] = IR_F32;
    }
    struct ir_inst *i = ir_build_results(&g->b, IR_OP_wgmma, IR_VOID, args, 7, results, 4);
    i->imm = ir_wgmma_imm(IR_WGMMA_F32_F16, 8, 0);
    return i;
}

static struct ir_inst *bulk_copy(struct growing *g)
{
    struct ir_value *args[3] = {g->p, g->p, loaded(g, IR_I32)};
    struct ir_inst *i = ir_build(&g->b, IR_OP_bulk, IR_VOID, args, 3);
    i->imm = IR_BULK_STORE;
    return i;
}

static struct ir_inst *matrix_product(struct growing *g)
{
    struct ir_value *args[10];
    ir_type results[4];
    for (int k = 0; k < 10; k++) /* m16n8k16 of f16 into f32: 4 + 2 packed, 4 accumulators */
        args[k] = loaded(g, k < 6 ? IR_I32 : IR_F32);
    for (int k = 0; k < 4; k++)
        results[k] = IR_F32;
    struct ir_inst *i = ir_build_results(&g->b, IR_OP_mma, IR_VOID, args, 10, results, 4);
    i->imm = 1;
    return i;
}

static struct ir_inst *matrix_rows(struct growing *g)
{
    struct ir_global *rows = ir_global_new(g->m, "rows", IR_SPACE_SHARED, 512, 16, 0);
    struct ir_value *p = ir_global_value(rows);
    struct ir_inst *i = ir_build(&g->b, IR_OP_ldmatrix, IR_VOID, &p, 1);
    i->imm = 4;
    return i;
}

/* A kernel whose body is the one instruction, its operands from memory, its results to memory. */
static struct ir_module *module_with(struct unit *u, struct interner *names, enum ir_op op)
{
    struct growing g = {.m = ir_module_new(u->arena, names, "matrix")};
    struct ir_func *callee = ir_func_new(g.m, "callee", IR_I32, IR_FUNC_NOINLINE);
    ir_func_param(callee, "x", IR_I32, 0, 0, 0);
    g.b = ir_builder_at_end(ir_block_new(callee, "entry"));
    ir_build_ret(&g.b, callee->first->params.data[0]);
    struct ir_func *f = ir_func_new(g.m, "k", IR_VOID, IR_FUNC_KERNEL);
    ir_func_param(f, "p", IR_PTR_TO(IR_SPACE_GLOBAL), 0, 0, 0);
    ir_func_layout(f);
    g.b = ir_builder_at_end(ir_block_new(f, "entry"));
    g.p = f->first->params.data[0];
    ir_type t = type_of_op(op);
    struct ir_block *end = ir_block_new(f, "end");
    struct ir_inst *i = NULL;
    struct ir_value *args[16];
    uint32_t n = 0;
    if (op == IR_OP_mma) {
        i = matrix_product(&g);
    } else if (op == IR_OP_ldmatrix) {
        i = matrix_rows(&g);
    } else if (op == IR_OP_wgmma) {
        i = warpgroup_product(&g);
    } else if (op == IR_OP_bulk) {
        i = bulk_copy(&g);
    } else if (op == IR_OP_call) {
        struct ir_value *x = loaded(&g, IR_I32);
        i = ir_build_call(&g.b, callee, &x, 1)->u.inst;
    } else if (op == IR_OP_launch) {
        args[n++] = ir_func_value(f);
        for (int k = 0; k < 7; k++)
            args[n++] = ir_const(g.m, IR_I32, 1);
        args[n++] = ir_const(g.m, IR_I64, 0);
        args[n++] = g.p;
        i = ir_build(&g.b, op, t, args, n);
    } else {
        for (const char *s = strchr(ir_op_info[op].signature, '(') + 1; *s != ')' && *s != '*'; s++)
            args[n++] = operand(&g, op, *s, t);
        if (op == IR_OP_call_ptr) {
            args[0] = ir_func_value(callee);
            args[n++] = loaded(&g, IR_I32);
            t = IR_I32;
        }
        if (op == IR_OP_tex || op == IR_OP_surfload || op == IR_OP_surfstore)
            args[n++] = op == IR_OP_tex ? loaded(&g, IR_F32) : loaded(&g, IR_I32);
        for (int k = 0; op == IR_OP_surfstore && k < 4; k++)
            args[n++] = loaded(&g, IR_I32);
        i = ir_build(&g.b, op, t, args, op == IR_OP_ret ? 0 : n);
        i->imm = op == IR_OP_alloca    ? 16
                 : op == IR_OP_isspace ? IR_SPACE_SHARED
                 : op == IR_OP_cpasync ? 16
                                       : 0;
        if (op == IR_OP_surfload || op == IR_OP_surfstore)
            i->imm = IR_SURF_IMM(IR_TEX_1D, 4, IR_TEX_TRAP);
        i->align = op == IR_OP_load || op == IR_OP_store || op == IR_OP_alloca || op == IR_OP_memcpy
                       ? 4
                       : 0;
        if (op == IR_OP_cpasync) { /* into shared memory */
            struct ir_global *shared = ir_global_new(g.m, "tile", IR_SPACE_SHARED, 64, 16, 0);
            i->args[0] = ir_global_value(shared);
        }
    }
    if (ir_op_info[op].flags & IR_TERMINATOR) {
        uint32_t edges = op == IR_OP_br ? 1 : op == IR_OP_condbr || op == IR_OP_switch ? 2 : 0;
        for (uint32_t k = 0; k < edges; k++)
            ir_add_edge(i, end, NULL, 0, k);
    } else {
        use(&g, i);
        ir_build_br(&g.b, end, NULL, 0);
    }
    g.b = ir_builder_at_end(end);
    ir_build_ret(&g.b, NULL);
    return g.m;
}

TEST_ONCE(matrix_targets_do_what_they_say)
{
    for (size_t n = 0; back_targets[n]; n++) {
        const struct back_target *t = back_targets[n];
        for (int k = 0; k < IR_OP_COUNT; k++) {
            enum ir_op op = (enum ir_op)k;
            struct interner names;
            struct source_map sources;
            struct diag diag;
            struct sbuf out;
            intern_init(&names, u->arena);
            source_init(&sources, u->arena);
            diag_init(&diag, u->arena, &sources);
            sbuf_init(&out, u->arena);
            const char *why = NULL;
            struct ir_module *m = module_with(u, &names, op);
            if (!ir_verify(m, &diag, NULL)) {
                unit_fail(u, __FILE__, __LINE__, "%s: %s", ir_op_info[op].name,
                          diag.first->message);
                continue;
            }
            enum back_support says = t->supports(op, type_of_op(op), &why);
            struct compilation c;
            struct back_options options = {0};
            bool does = !compile_copy(&c, m, 0) && !compile_emit(&c, t, &options, &out);
            if (does != (says != BACK_NO))
                unit_fail(u, __FILE__, __LINE__, "%s %s '%s'%s%s", t->name,
                          does ? "emits, but says it does not support,"
                               : "says it supports, but refuses,",
                          ir_op_info[op].name, c.diag.first ? ": " : "",
                          c.diag.first ? c.diag.first->message : "");
            if (says == BACK_NO && !(why && *why))
                unit_fail(u, __FILE__, __LINE__, "%s refuses '%s' without a reason", t->name,
                          ir_op_info[op].name);
            if (!does && !c.diag.errors)
                unit_fail(u, __FILE__, __LINE__, "%s fails on '%s' without a diagnostic", t->name,
                          ir_op_info[op].name);
            compile_free(&c);
        }
    }
}
