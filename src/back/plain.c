/* Ordinary functions: see plain.h. */
#include "back/plain.h"
#include "back/back.h"

bool back_belongs_to_kernels(enum ir_op op)
{
    switch (op) {
    case IR_OP_sreg:
    case IR_OP_barrier:
    case IR_OP_barrier_red:
    case IR_OP_barrier_arrive:
    case IR_OP_gridsync:
    case IR_OP_warpsync:
    case IR_OP_shfl:
    case IR_OP_match:
    case IR_OP_vote:
    case IR_OP_redux:
    case IR_OP_mma:
    case IR_OP_ldmatrix:
    case IR_OP_activemask:
    case IR_OP_printf:
    case IR_OP_launch:
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq:
    case IR_OP_cpasync:
    case IR_OP_isspace:
    case IR_OP_exit:
    case IR_OP_check: return true;
    default: return false;
    }
}

bool back_is_plain(struct back_job *job, const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (back_belongs_to_kernels((enum ir_op)i->op)) {
                diag_error(job->diag, i->span.loc ? i->span : f->span,
                           "host code has no '%s' (in %s)", ir_op_info[i->op].name,
                           f->display ? f->display : f->name);
                return false;
            }
    return true;
}
