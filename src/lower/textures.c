/* Texture and surface accesses → calls of the sampler in device/gpu/texture.h: for targets without
 * textures of their own, or none that read exactly as everywhere else. A handle is the address of a
 * description in memory. */
#include "ir/tex.h"
#include "lower/lower_int.h"

enum { MAX_ARGS = 16 };

struct textures {
    struct ir_builder b;
    struct ir_module *m;
    struct ir_func *f;
    struct ir_value *args, *out; /* local memory that all accesses share */
};

static struct ir_value *word(struct textures *x, uint32_t v)
{
    return ir_const(x->m, IR_I32, v);
}

static struct ir_value *call(struct textures *x, const char *name, ir_type ret,
                             struct ir_value *const *args, uint32_t n)
{
    struct ir_func *f = ir_func_find(x->m, name);
    if (!f) {
        f = ir_func_new(x->m, name, ret, 0);
        for (uint32_t k = 0; k < n; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    return ir_build_call(&x->b, f, args, n);
}

static struct ir_value *at(struct textures *x, struct ir_value *p, uint64_t offset)
{
    return ir_build2(&x->b, IR_OP_ptradd, p->type, p, ir_const(x->m, IR_I64, offset));
}

static struct ir_value *generic(struct textures *x, struct ir_value *p)
{
    return ir_build1(&x->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), p);
}

static struct ir_value *description(struct textures *x, const struct ir_inst *i)
{
    return ir_build1(&x->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_GENERIC), i->args[0]);
}

static void put_args(struct textures *x, const struct ir_inst *i, uint32_t n)
{
    for (uint32_t k = 0; k < n && k < MAX_ARGS; k++)
        ir_build_store(&x->b, at(x, x->args, 4 * k), i->args[1 + k], 4, 0);
}

/* Where cond holds the kernel is stopped; goes on in a new block, to which i and the rest move. */
static void stop_if(struct textures *x, struct ir_inst *i, struct ir_value *cond)
{
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *stop = ir_block_after(before, NULL);
    struct ir_builder b = ir_builder_at_end(before);
    b.span = i->span;
    ir_build_condbr(&b, cond, stop, after);
    b = ir_builder_at_end(stop);
    b.span = i->span;
    ir_build(&b, IR_OP_trap, IR_VOID, NULL, 0);
    ir_build(&b, IR_OP_exit, IR_VOID, NULL, 0);
    x->b = ir_builder_before(i);
    x->b.span = i->span;
}

static void sample(struct textures *x, struct ir_inst *i)
{
    put_args(x, i, i->nargs - 1);
    struct ir_value *args[5] = {description(x, i), word(x, (uint32_t)i->imm),
                                word(x, ir_class(i->type) == IR_CLASS_FLOAT), generic(x, x->args),
                                generic(x, x->out)};
    struct ir_value *ok = call(x, "__tern_tex_sample", IR_I32, args, 5);
    stop_if(x, i, ir_build2(&x->b, IR_OP_eq, IR_I32, ok, word(x, 0)));
    for (uint32_t k = 0; k < i->nresults; k++)
        i->results[k].forward = ir_build_load(&x->b, i->type, at(x, x->out, 4 * k), 4, 0);
    ir_remove(i);
}

static void surface(struct textures *x, struct ir_inst *i)
{
    bool store = i->op == IR_OP_surfstore;
    uint32_t n = ir_tex_components(i->imm) ? ir_tex_components(i->imm) : 1,
             size = ir_bytes(i->type);
    uint32_t coordinates = i->nargs - 1 - (store ? n : 0);
    put_args(x, i, coordinates);
    struct ir_value *args[4] = {description(x, i), word(x, (uint32_t)i->imm), word(x, n * size),
                                generic(x, x->args)};
    struct ir_value *p = call(x, "__tern_tex_surface", IR_I64, args, 4);
    stop_if(x, i, ir_build2(&x->b, IR_OP_eq, IR_I64, p, ir_const(x->m, IR_I64, 1)));
    struct ir_value *zero = ir_const(x->m, i->type, 0), *got[4] = {zero, zero, zero, zero};
    struct ir_value *there = ir_build2(&x->b, IR_OP_ne, IR_I64, p, ir_const(x->m, IR_I64, 0));
    struct ir_block *before = i->block, *after = ir_block_split(i, NULL);
    struct ir_block *access = ir_block_after(before, NULL);
    for (uint32_t k = 0; k < i->nresults; k++)
        i->results[k].forward = ir_block_param(after, i->type, NULL);
    x->b = ir_builder_at_end(before);
    struct ir_inst *br = ir_build(&x->b, IR_OP_condbr, IR_VOID, &there, 1);
    ir_add_edge(br, access, NULL, 0, 0);
    ir_add_edge(br, after, got, i->nresults, 0);
    x->b = ir_builder_at_end(access);
    x->b.span = i->span;
    p = ir_build1(&x->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_GLOBAL), p);
    for (uint32_t k = 0; k < n; k++)
        if (store)
            ir_build_store(&x->b, at(x, p, (uint64_t)k * size), i->args[1 + coordinates + k], size,
                           0);
        else
            got[k] = ir_build_load(&x->b, i->type, at(x, p, (uint64_t)k * size), size, 0);
    ir_build_br(&x->b, after, got, i->nresults);
    ir_remove(i);
}

static void query(struct textures *x, struct ir_inst *i)
{
    struct ir_value *args[2] = {description(x, i), word(x, (uint32_t)i->imm)};
    i->results[0].forward = call(x, "__tern_tex_query", IR_I32, args, 2);
    ir_remove(i);
}

bool lower_textures(struct ir_func *f)
{
    struct textures x = {.m = f->module, .f = f};
    for (struct ir_block *b = f->first; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i && i->block == b; i = next) {
            next = i->next;
            if (i->op != IR_OP_tex && i->op != IR_OP_surfload && i->op != IR_OP_surfstore &&
                i->op != IR_OP_txq)
                continue;
            if (!x.args) {
                x.args = ir_build_alloca(f, 4 * MAX_ARGS, 4, "coordinates");
                x.out = ir_build_alloca(f, 16, 4, "texel");
            }
            x.b = ir_builder_before(i);
            x.b.span = i->span;
            (i->op == IR_OP_tex ? sample : i->op == IR_OP_txq ? query : surface)(&x, i);
        }
    ir_replace_forwarded(f);
    return x.args != NULL;
}
