/* Copies of as many bytes as a number has become a load and a store, which other passes understand.
 * The bytes need not be one number: integers keep them whatever they are. */
#include "opt/opt_int.h"

void opt_memcpy_opt(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    static const ir_type by_size[] = {0, IR_I8, IR_I16, 0, IR_I32, 0, 0, 0, IR_I64};
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_memcpy || !ir_is_const(i->args[2]) || i->flags & IR_VOLATILE)
                continue;
            uint64_t size = i->args[2]->u.bits;
            if (size > 8 || !by_size[size] || i->align < size)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_value *x =
                ir_build_load(&at, by_size[size], i->args[1], (uint32_t)size, i->flags);
            ir_build_store(&at, i->args[0], x, (uint32_t)size, i->flags);
            ir_remove(i);
        }
}
