/* Special registers: %tid.x and the like. */
#include <string.h>
#include "front/ptxops/px_int.h"

static struct ir_value *upper_half(struct px *p, struct ir_value *x)
{
    x = px_op2(p, IR_OP_lshr, x, px_like(p, x, 32));
    return ir_build1(&p->b, IR_OP_trunc, IR_I32, x);
}

/* ---- clusters: all follows from the size of one and the blocks' own numbers ---- */
static struct ir_value *cluster_size(struct px *p, unsigned axis)
{
    return ir_build0(&p->b, IR_OP_cluster_size, IR_VOID, axis);
}

static struct ir_value *of_grid(struct px *p, enum ir_sreg first, unsigned axis)
{
    return ir_build0(&p->b, IR_OP_sreg, IR_I32, first + axis);
}

static struct ir_value *cluster_place(struct px *p, unsigned axis) /* of the block in it */
{
    return px_op2(p, IR_OP_urem, of_grid(p, IR_SREG_CTAID_X, axis), cluster_size(p, axis));
}

static struct ir_value *cluster_special(struct px *p, const char *name)
{
    static const char *const axes[] = {"x", "y", "z"};
    const char *dot = strchr(name, '.');
    unsigned axis = 0;
    while (dot && axis < 3 && strcmp(dot + 1, axes[axis]))
        axis++;
    const size_t n = dot ? (size_t)(dot - name) : strlen(name);
#define IS(word) (n == sizeof word - 1 && !memcmp(name, word, n))
    if (dot && axis < 3) {
        if (IS("%cluster_nctaid"))
            return cluster_size(p, axis);
        if (IS("%cluster_ctaid"))
            return cluster_place(p, axis);
        if (IS("%clusterid") || IS("%nclusterid"))
            return px_op2(p, IR_OP_udiv,
                          of_grid(p, name[1] == 'n' ? IR_SREG_NCTAID_X : IR_SREG_CTAID_X, axis),
                          cluster_size(p, axis));
    }
    if (dot)
        return NULL;
    struct ir_value *x = cluster_size(p, 0), *y = cluster_size(p, 1), *z;
    if (IS("%cluster_ctarank")) {
        z = px_op2(p, IR_OP_mul, cluster_place(p, 2), y);
        z = px_op2(p, IR_OP_mul, px_op2(p, IR_OP_add, cluster_place(p, 1), z), x);
        return px_op2(p, IR_OP_add, cluster_place(p, 0), z);
    }
    if (IS("%cluster_nctarank") || IS("%is_explicit_cluster")) {
        z = px_op2(p, IR_OP_mul, px_op2(p, IR_OP_mul, x, y), cluster_size(p, 2));
        if (name[1] == 'c')
            return z;
        z = ir_build2(&p->b, IR_OP_ne, IR_I32, z, px_int(p, IR_I32, 1));
        return ir_build1(&p->b, IR_OP_zext, IR_I32, z);
    }
#undef IS
    return NULL;
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
    if (strstr(name, "cluster"))
        return cluster_special(p, name);
    return p->host->special ? p->host->special(p, name) : NULL;
}
