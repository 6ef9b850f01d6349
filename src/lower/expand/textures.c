/* Texture and surface accesses → calls of the sampler in device/gpu/texture.h: for targets without
 * textures of their own, or none that read exactly as everywhere else. A handle is the address of a
 * description in memory. */
#include "ir/tex.h"
#include "lower/lower_int.h"

enum { SAMPLE_WORDS = 10, SURFACE_WORDS = 4 };

struct textures {
    struct ir_builder b;
    struct ir_module *m;
    bool changed;
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
        f = ir_func_new(x->m, name, ret, IR_FUNC_PURE); /* texels do not change in a kernel */
        for (uint32_t k = 0; k < n; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    return ir_build_call(&x->b, f, args, n);
}

static struct ir_value *at(struct textures *x, struct ir_value *p, uint64_t offset)
{
    return ir_build2(&x->b, IR_OP_ptradd, p->type, p, ir_const(x->m, IR_I64, offset));
}

static struct ir_value *description(struct textures *x, const struct ir_inst *i)
{
    struct ir_value *p = ir_build1(&x->b, IR_OP_inttoptr, IR_PTR_TO(IR_SPACE_GLOBAL), i->args[0]);
    return ir_build1(&x->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), p);
}

/* Operands after the handle as words; zeros after the last. */
static void take_words(struct textures *x, const struct ir_inst *i, uint32_t n, uint32_t room,
                       struct ir_value **out)
{
    for (uint32_t k = 0; k < room; k++) {
        out[k] = k < n ? i->args[1 + k] : word(x, 0);
        if (ir_kind(out[k]->type) == IR_F32)
            out[k] = ir_build1(&x->b, IR_OP_bitcast, IR_I32, out[k]);
    }
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
    struct ir_value *args[3 + SAMPLE_WORDS] = {description(x, i), word(x, (uint32_t)i->imm)};
    bool floats = ir_class(i->type) == IR_CLASS_FLOAT;
    struct ir_value *ok = call(x, "__tern_tex_matches", IR_I32, args, 2);
    stop_if(x, i, ir_build2(&x->b, IR_OP_eq, IR_I32, ok, word(x, 0)));
    take_words(x, i, i->nargs - 1, SAMPLE_WORDS, args + 3);
    for (uint32_t half = 0; half < 2; half++) { /* what nobody reads is dropped later */
        args[2] = word(x, (floats ? 1 : 0) | half << 1);
        struct ir_value *both = call(x, "__tern_tex_sample", IR_I64, args, 3 + SAMPLE_WORDS);
        for (uint32_t k = 0; k < 2; k++) {
            struct ir_value *one =
                k ? ir_build2(&x->b, IR_OP_lshr, IR_I64, both, ir_const(x->m, IR_I64, 32)) : both;
            one = ir_build1(&x->b, IR_OP_trunc, IR_I32, one);
            i->results[2 * half + k].forward =
                floats ? ir_build1(&x->b, IR_OP_bitcast, i->type, one) : one;
        }
    }
    ir_remove(i);
}

static void surface(struct textures *x, struct ir_inst *i)
{
    bool store = i->op == IR_OP_surfstore;
    uint32_t n = ir_tex_components(i->imm) ? ir_tex_components(i->imm) : 1,
             size = ir_bytes(i->type);
    uint32_t coordinates = i->nargs - 1 - (store ? n : 0);
    struct ir_value *args[3 + SURFACE_WORDS] = {description(x, i), word(x, (uint32_t)i->imm),
                                                word(x, n * size)};
    take_words(x, i, coordinates, SURFACE_WORDS, args + 3);
    struct ir_value *p = call(x, "__tern_tex_surface", IR_I64, args, 3 + SURFACE_WORDS);
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
        if (store && ir_surf_reduces(i->imm)) {
            struct ir_value *both[2] = {p, i->args[1 + coordinates]};
            struct ir_inst *a = ir_build(&x->b, IR_OP_rmw, i->type, both, 2);
            a->imm = ir_surf_reduction(i->imm);
            a->flags = IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_DEVICE);
        } else if (store)
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
    struct textures x = {.m = f->module};
    for (struct ir_block *b = f->first; b; b = b->next)
        for (struct ir_inst *i = b->first, *next; i && i->block == b; i = next) {
            next = i->next;
            if (i->op != IR_OP_tex && i->op != IR_OP_surfload && i->op != IR_OP_surfstore &&
                i->op != IR_OP_txq)
                continue;
            x.changed = true;
            x.b = ir_builder_before(i);
            x.b.span = i->span;
            (i->op == IR_OP_tex ? sample : i->op == IR_OP_txq ? query : surface)(&x, i);
        }
    ir_replace_forwarded(f);
    return x.changed;
}
