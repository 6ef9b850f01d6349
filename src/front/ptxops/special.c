/* Special registers: %tid.x and the like. */
#include <string.h>
#include "front/ptxops/px_int.h"

static struct ir_value *upper_half(struct px *p, struct ir_value *x)
{
    x = px_op2(p, IR_OP_lshr, x, px_like(p, x, 32));
    return ir_build1(&p->b, IR_OP_trunc, IR_I32, x);
}

struct ir_value *px_special(struct px *p, const char *name)
{
    enum how { WORD, WIDE, UPPER, NUMBER };
    static const struct {
        const char *name;
        enum how how;
        enum ir_op op;
        uint64_t imm;
    } all[] = {
        {"%clock", WORD, IR_OP_clock, 0},
        {"%clock64", WIDE, IR_OP_clock, 0},
        {"%clock_hi", UPPER, IR_OP_clock, 0},
        {"%globaltimer", WIDE, IR_OP_clock, 1},
        {"%globaltimer_lo", WORD, IR_OP_clock, 1},
        {"%globaltimer_hi", UPPER, IR_OP_clock, 1},
        {"%dynamic_smem_size", WORD, IR_OP_sreg, IR_SREG_DYN_SHARED},
        {"%total_smem_size", WORD, IR_OP_sreg, IR_SREG_TOTAL_SHARED},
        {"%gridid", WIDE, IR_OP_sreg, IR_SREG_GRIDID},
        {"%lanemask_eq", WORD, IR_OP_sreg, IR_SREG_LANEMASK_EQ},
        {"%lanemask_lt", WORD, IR_OP_sreg, IR_SREG_LANEMASK_LT},
        {"%lanemask_le", WORD, IR_OP_sreg, IR_SREG_LANEMASK_LE},
        {"%lanemask_gt", WORD, IR_OP_sreg, IR_SREG_LANEMASK_GT},
        {"%lanemask_ge", WORD, IR_OP_sreg, IR_SREG_LANEMASK_GE},
        {"WARP_SZ", NUMBER, IR_OP_sreg, 32},
        /* clusters of one block */
        {"%clusterid.x", WORD, IR_OP_sreg, IR_SREG_CTAID_X},
        {"%clusterid.y", WORD, IR_OP_sreg, IR_SREG_CTAID_Y},
        {"%clusterid.z", WORD, IR_OP_sreg, IR_SREG_CTAID_Z},
        {"%nclusterid.x", WORD, IR_OP_sreg, IR_SREG_NCTAID_X},
        {"%nclusterid.y", WORD, IR_OP_sreg, IR_SREG_NCTAID_Y},
        {"%nclusterid.z", WORD, IR_OP_sreg, IR_SREG_NCTAID_Z},
        {"%cluster_ctaid.x", NUMBER, IR_OP_sreg, 0},
        {"%cluster_ctaid.y", NUMBER, IR_OP_sreg, 0},
        {"%cluster_ctaid.z", NUMBER, IR_OP_sreg, 0},
        {"%cluster_nctaid.x", NUMBER, IR_OP_sreg, 1},
        {"%cluster_nctaid.y", NUMBER, IR_OP_sreg, 1},
        {"%cluster_nctaid.z", NUMBER, IR_OP_sreg, 1},
        {"%cluster_ctarank", NUMBER, IR_OP_sreg, 0},
        {"%cluster_nctarank", NUMBER, IR_OP_sreg, 1},
        {"%is_explicit_cluster", NUMBER, IR_OP_sreg, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i].name))
            continue;
        if (all[i].how == NUMBER)
            return px_int(p, IR_I32, all[i].imm);
        struct ir_value *x =
            ir_build0(&p->b, all[i].op, all[i].how == WORD ? IR_I32 : IR_I64, all[i].imm);
        return all[i].how == UPPER ? upper_half(p, x) : x;
    }
    if (name[0] == '%') /* the others have the IR's names */
        for (unsigned i = 0; i < IR_SREG_DYN_SHARED; i++)
            if (!strcmp(ir_sreg_info[i].name, name + 1))
                return ir_build0(&p->b, IR_OP_sreg, IR_I32, i);
    return p->host->special ? p->host->special(p, name) : NULL;
}
