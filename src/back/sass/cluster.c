/* Clusters of blocks, from sm_90 on: their barrier, the memory of other blocks.
 *
 * An address in shared memory has the rank of its block in the top byte. Kernels that ask for
 * nothing of their cluster leave it 0, which the instructions for a block's own memory take; in
 * those that do, every address has it, and what is not seen to be the block's own is reached by
 * the instructions for generic addresses, as NVIDIA's code does. */
#include "back/sass/sass_int.h"

enum { SR_RANK = 0x88, RANK_BIT = 24 };
enum {
    CLUSTERED = 0x140,
    SIZE = 0x144
}; /* in bank 0: is it 1, this launch has clusters; x, y, z */

static struct sass_src bank0(uint32_t at)
{
    return (struct sass_src){.kind = SRC_CONST, .bank = 0, .value = at, .parts = 1};
}

bool sass_asks_cluster(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (ir_is_cluster(i->op))
                return true;
    return false;
}

/* Both are read once in a block of the IR. */
static uint32_t read_once(struct sass_func *s, struct sass_address *known, unsigned sr)
{
    if (known->reg == SASS_NONE || known->block != s->at->block->id) {
        known->block = s->at->block->id;
        known->reg = sass_new(s, 1);
        sass_put(s, OP_S2R)->d = known->reg;
        sass_mod(s, MOD_SR, sr);
    }
    return known->reg;
}

struct sass_src sass_shared_place(struct sass_func *s, uint32_t at)
{
    if (!s->clusters)
        return sass_imm(at);
    const uint32_t rank = read_once(s, &s->rank, SR_RANK), d = sass_new(s, 1);
    sass_op3(s, OP_IMAD, d, 0, sass_reg(rank, 0), sass_imm(UINT32_C(1) << RANK_BIT),
             sass_in_reg(s, sass_imm(at)));
    return sass_reg(d, 0);
}

bool sass_may_be_remote(const struct sass_func *s, struct ir_value *p)
{
    if (!s->clusters)
        return false;
    while (p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_ptradd)
        p = p->u.inst->args[0];
    return p->kind != IR_VALUE_GLOBAL;
}

struct sass_src sass_generic_shared(struct sass_func *s, struct sass_src place)
{
    const uint32_t high = read_once(s, &s->window, SR_SHARED_WINDOW), d = sass_new(s, 2);
    sass_move(s, d, 0, place);
    sass_move(s, d, 1, sass_reg(high, 0));
    struct sass_src x = sass_reg(d, 0);
    x.parts = 2;
    return x;
}

/* A launch without clusters has nobody to wait for but the block. */
static void barrier(struct sass_func *s, const struct ir_inst *i)
{
    const bool waits = i->imm == 2;
    if (s->apart[s->at->block->id])
        sass_refuse(s, "a barrier of the cluster where the lanes of a warp are apart");
    s->uses_flags |= BACK_USES_BARRIER;
    s->barriers = s->barriers ? s->barriers : 1;
    if (!sass_together(s))
        sass_put(s, OP_WARPSYNC_ALL);
    uint32_t several = sass_block_new(s), alone = waits ? sass_block_new(s) : SASS_NONE,
             done = sass_block_new(s);
    uint32_t flag = sass_new(s, 1);
    sass_move(s, flag, 0, bank0(CLUSTERED));
    sass_branch(s, sass_compare(s, CMP_EQ, false, sass_reg(flag, 0), sass_imm(1)), several,
                waits ? alone : done);
    sass_begin(s, several);
    if (i->imm == 0)
        sass_fence(s, IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_DEVICE));
    sass_put(s, waits ? OP_UCGABAR_WAIT : OP_UCGABAR_ARV);
    if (waits)
        sass_put(s, OP_CCTL_IVALL)->a = sass_zero();
    sass_goto(s, done);
    if (waits) {
        sass_begin(s, alone);
        sass_put(s, OP_BAR);
        sass_goto(s, done);
    }
    sass_begin(s, done);
}

/* The rank takes the place of the top byte. */
static void map(struct sass_func *s, struct ir_inst *i)
{
    enum { TOP_OF_A = 0x654 };
    struct ir_value *v = &i->results[0];
    const uint32_t d = sass_result(s, v);
    struct sass_src rank = sass_in_reg(s, sass_word(s, i->args[1], 0)),
                    low = sass_in_reg(s, sass_word(s, i->args[0], 0));
    sass_op3(s, OP_PRMT, d, 0, rank, sass_imm(TOP_OF_A), low);
    if (sass_words(i->type) == 2)
        sass_move(s, d, 1, sass_word(s, i->args[0], 1));
    sass_done(s, v, d);
}

static void rank(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    const uint32_t d = sass_result(s, v);
    sass_shift(s, d, 0, sass_zero(), sass_imm(RANK_BIT),
               sass_in_reg(s, sass_word(s, i->args[0], 0)), 3, true, true);
    sass_done(s, v, d);
}

static void size(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    const uint32_t d = sass_result(s, v);
    sass_move(s, d, 0, bank0(SIZE + 4 * (uint32_t)(i->imm % 3)));
    sass_done(s, v, d);
}

bool sass_cluster(struct sass_func *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_cluster_barrier: barrier(s, i); return true;
    case IR_OP_cluster_map: map(s, i); return true;
    case IR_OP_cluster_rank: rank(s, i); return true;
    case IR_OP_cluster_size: size(s, i); return true;
    default: return false;
    }
}
