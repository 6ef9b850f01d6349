/* fsin_fast, fcos_fast, fexp2_fast, flog2_fast and ftanh_fast of f32 and smaller → calls of the
 * device library (device/libm/quick.h), for targets whose hardware has no such instructions. */
#include <string.h>
#include "lower/lower_int.h"
#include "opt/opt.h"

static const char *const names[IR_OP_COUNT] = {[IR_OP_fsin_fast] = "sin",
                                               [IR_OP_fcos_fast] = "cos",
                                               [IR_OP_fexp2_fast] = "exp2",
                                               [IR_OP_flog2_fast] = "log2",
                                               [IR_OP_ftanh_fast] = "tanh"};

/* A product with 1 under ftz gives zero for a subnormal. */
static struct ir_value *flushed(struct ir_builder *b, struct ir_value *x, uint32_t flags)
{
    if (!(flags & IR_FTZ))
        return x;
    struct ir_value *r = ir_build2(b, IR_OP_fmul, IR_F32, x, ir_const_f32(b->module, 1));
    r->u.inst->flags |= IR_FTZ;
    return r;
}

/* The function that does op, if the module has it by now. */
#define PREFIX "__tern_lower_quick_"
static struct ir_func *function(struct ir_module *m, enum ir_op op)
{
    char name[48] = PREFIX;
    strncat(name, names[op], sizeof name - strlen(name) - 1);
    return ir_func_find(m, name);
}

static struct ir_value *call(struct ir_builder *b, enum ir_op op, struct ir_value *x)
{
    struct ir_func *f = function(b->module, op);
    if (!f) {
        char name[48] = PREFIX;
        strncat(name, names[op], sizeof name - strlen(name) - 1);
        f = ir_func_new(b->module, name, IR_F32, IR_FUNC_PURE | IR_FUNC_INLINE);
        ir_func_param(f, NULL, IR_F32, 0, 0, 0);
    }
    return ir_build_call(b, f, &x, 1);
}

bool lower_quick(struct ir_func *f)
{
    bool changed = false;
    ir_each_block (block, f)
        ir_each_inst (i, block) {
            if (!names[i->op] || i->type == IR_F64 || ir_is_vector(i->type))
                continue;
            struct ir_builder b = ir_builder_before(i);
            b.span = i->span;
            struct ir_value *x = i->args[0];
            if (i->type != IR_F32)
                x = ir_build1(&b, IR_OP_fcvt, IR_F32, x);
            x = flushed(&b, call(&b, (enum ir_op)i->op, flushed(&b, x, i->flags)), i->flags);
            if (i->type != IR_F32)
                x = ir_build1(&b, IR_OP_fcvt, i->type, x);
            i->results[0].forward = x;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}

const char *lower_quick_library(struct arena *a, struct ir_module *m)
{
    struct sbuf text;
    sbuf_init(&text, a);
    for (size_t op = 0; op < IR_OP_COUNT; op++)
        if (names[op] && function(m, (enum ir_op)op))
            sbuf_printf(&text,
                        "extern \"C\" __device__ __noinline__ float " PREFIX "%s(float x)\n"
                        "{\n    return __tern_quick_%sf(x);\n}\n"
                        "__global__ void __tern_keep_%s(float *p)\n"
                        "{\n    *p = " PREFIX "%s(*p);\n}\n",
                        names[op], names[op], names[op], names[op]);
    sbuf_putc(&text, 0);
    return text.data;
}

bool lower_quick_inline(struct arena *a, struct ir_module *m)
{
    bool any = false;
    for (size_t op = 0; op < IR_OP_COUNT; op++) {
        struct ir_func *f = names[op] ? function(m, (enum ir_op)op) : NULL;
        if (f) /* only while it was on its own it had to be kept whole */
            f->flags = (f->flags & ~(uint32_t)IR_FUNC_NOINLINE) | IR_FUNC_INLINE;
        any |= f != NULL;
    }
    if (any)
        opt_inline(a, m, OPT_INLINE_DEVICE);
    return any;
}
