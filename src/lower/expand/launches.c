/* Launches from kernels → calls of device/gpu/launch.h: for targets whose threads cannot start any.
 * One of a kernel that is not known yet stays. */
#include "lower/lower_int.h"

enum { LAUNCH_ARGS = 11 };

static struct ir_func *declared(struct ir_module *m, struct ir_value *const *args)
{
    struct ir_func *f = ir_func_find(m, LOWER_LAUNCH);
    if (!f) {
        f = ir_func_new(m, LOWER_LAUNCH, IR_I32, 0);
        for (uint32_t k = 0; k < LAUNCH_ARGS; k++)
            ir_func_param(f, NULL, args[k]->type, 0, 0, 0);
    }
    return f;
}

bool lower_launches(struct ir_func *f)
{
    struct ir_module *m = f->module;
    bool changed = false;
    ir_each_block (block, f)
        ir_each_inst (i, block) {
            if (i->op != IR_OP_launch || i->args[0]->kind != IR_VALUE_FUNC)
                continue;
            struct ir_func *kernel = i->args[0]->u.func;
            struct ir_builder b = ir_builder_before(i);
            b.span = i->span;
            struct ir_value *args[LAUNCH_ARGS] = {
                ir_const(m, IR_I32, lower_func_number(kernel)),
                [LAUNCH_ARGS - 1] = ir_const(m, IR_I32, (kernel->param_bytes + 3) / 4)};
            for (uint32_t k = 1; k < LAUNCH_ARGS - 1; k++)
                args[k] = i->args[k];
            struct ir_value **params = &args[LAUNCH_ARGS - 2];
            if (ir_space((*params)->type) != IR_SPACE_GENERIC)
                *params = ir_build1(&b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), *params);
            struct ir_value *error = ir_build_call(&b, declared(m, args), args, LAUNCH_ARGS);
            if (i->nresults)
                i->results[0].forward = error;
            ir_remove(i);
            changed = true;
        }
    if (changed)
        ir_replace_forwarded(f);
    return changed;
}
