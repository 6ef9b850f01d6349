/* The region tree → structured control flow.
 *
 * Every construct declares its merge block. A BLOCK is a switch with only a default, whose breaks
 * are allowed from anywhere inside it. After a jump nothing may follow in its block, so each list
 * tells whether its end is reached. */
#include "back/spirv/spirv_int.h"

struct targets { /* merge and continue blocks of BLOCK, LOOP and SWITCH, by region id */
    spv_id *merge, *next;
};

static void label(struct spv_kernel *k, spv_id id)
{
    SPV(k->s, code, SpvLabel, id);
}

static void branch(struct spv_kernel *k, spv_id to)
{
    SPV(k->s, code, SpvBranch, to);
}

static bool list(struct spv_kernel *k, struct targets *t, struct region *r);

static void leave(struct spv_kernel *k, struct ir_value *v)
{
    if (v)
        SPV(k->s, code, SpvReturnValue, spv_value(k, v));
    else
        spv_put(k->s, &k->s->code, k->func->ret == IR_VOID ? SpvReturn : SpvUnreachable, NULL, 0);
}

static void emit_copies(struct spv_kernel *k, struct region *r)
{
    for (uint32_t n = 0; n < r->ncopies; n++) {
        struct region_copy *c = &r->copies[n];
        if (spv_copy_sum(k, r, n))
            continue;
        spv_id x = c->src ? spv_value(k, c->src)
                          : OP(k->s, SpvLoad, spv_type(k->s, k->tree->temp_types[c->temp]),
                               k->temp_ids[c->temp]);
        if (c->dst)
            spv_set_value(k, c->dst, x);
        else
            SPV(k->s, code, SpvStore, k->temp_ids[c->temp], x);
    }
}

static spv_id condition(struct spv_kernel *k, struct region *r)
{
    if (r->cond)
        return spv_value(k, r->cond);
    ir_type t = k->tree->temp_types[r->temp];
    spv_id temp = OP(k->s, SpvLoad, spv_type(k->s, t), k->temp_ids[r->temp]);
    return OP(k->s, SpvIEqual, spv_type(k->s, IR_I1), temp, spv_const(k->s, t, r->value));
}

/* The two or more arms of a selection, each ending in the merge block if its end is reached. */
static void arm(struct spv_kernel *k, struct targets *t, spv_id start, struct region *body,
                spv_id merge)
{
    label(k, start);
    if (list(k, t, body))
        branch(k, merge);
}

static void emit_if(struct spv_kernel *k, struct targets *t, struct region *r)
{
    spv_id yes = spv_new(k->s), merge = spv_new(k->s), no = r->other ? spv_new(k->s) : merge;
    spv_id cond = condition(k, r);
    SPV(k->s, code, SpvSelectionMerge, merge, 0);
    SPV(k->s, code, SpvBranchConditional, cond, yes, no);
    arm(k, t, yes, r->child, merge);
    if (r->other)
        arm(k, t, no, r->other, merge);
    label(k, merge);
}

/* Switches take no pairs of words. */
static spv_id number_of_arm(struct spv_kernel *k, const struct region *r, spv_id x)
{
    struct spv_module *s = k->s;
    spv_id number = spv_u32(s, r->narms);
    for (uint32_t n = 0; n < r->narms; n++)
        for (uint32_t v = 0; v < r->arms[n].nvalues; v++) {
            spv_id here =
                spv_pair_compare(k, IR_OP_eq, x, spv_const(s, IR_I64, r->arms[n].values[v]));
            number = OP(s, SpvSelect, spv_type(s, IR_I32), here, spv_u32(s, n), number);
        }
    return number;
}

static void emit_switch(struct spv_kernel *k, struct targets *t, struct region *r)
{
    struct spv_module *s = k->s;
    spv_id merge = t->merge[r->id] = spv_new(s);
    spv_id *starts = arena_array(s->arena, spv_id, r->narms);
    spv_words words = {0};
    bool pair = spv_is_pair(s, r->cond->type), wide = ir_bits(r->cond->type) == 64 && !pair;
    spv_id selector = spv_value(k, r->cond);
    if (pair)
        selector = number_of_arm(k, r, selector);
    if (ir_kind(r->cond->type) == IR_I1)
        selector = OP(s, SpvSelect, spv_type(s, IR_I32), selector, spv_u32(s, 1), spv_u32(s, 0));
    vec_push(s->arena, &words, selector);
    vec_push(s->arena, &words, merge);
    for (uint32_t n = 0; n < r->narms; n++) {
        starts[n] = spv_new(s);
        if (!r->arms[n].nvalues)
            words.data[1] = starts[n];
        for (uint32_t v = 0; v < (pair && r->arms[n].nvalues ? 1 : r->arms[n].nvalues); v++) {
            vec_push(s->arena, &words, pair ? n : (uint32_t)r->arms[n].values[v]);
            if (wide)
                vec_push(s->arena, &words, (uint32_t)(r->arms[n].values[v] >> 32));
            vec_push(s->arena, &words, starts[n]);
        }
    }
    SPV(s, code, SpvSelectionMerge, merge, 0);
    spv_put(s, &s->code, SpvSwitch, words.data, (uint32_t)words.len);
    for (uint32_t n = 0; n < r->narms; n++)
        arm(k, t, starts[n], r->arms[n].child, merge);
    label(k, merge);
}

static void emit_block(struct spv_kernel *k, struct targets *t, struct region *r)
{
    spv_id start = spv_new(k->s), merge = t->merge[r->id] = spv_new(k->s);
    SPV(k->s, code, SpvSelectionMerge, merge, 0);
    SPV(k->s, code, SpvSwitch, spv_u32(k->s, 0), start);
    arm(k, t, start, r->child, merge);
    label(k, merge);
}

static uint32_t weight(const struct region *list)
{
    uint32_t n = 0;
    for (const struct region *r = list; r; r = r->next) {
        for (const struct ir_inst *i = r->kind == REGION_CODE ? r->block->first : NULL; i;
             i = i->next)
            n++;
        n += weight(r->child);
        n += r->kind == REGION_IF ? weight(r->other) : 0;
        for (uint32_t a = 0; a < r->narms; a++)
            n += weight(r->arms[a].child);
    }
    return n;
}

/* A short loop that counts to a constant is worth unrolling, for compilers that must be told. */
static uint32_t loop_control(const struct spv_kernel *k, const struct region *r)
{
    enum { UNROLL = 1, SHORT = 100 };
    const struct ir_inst *t = r->block ? ir_terminator(r->block) : NULL;
    if (!k->s->features->plain_loops || !t || t->op != IR_OP_condbr ||
        t->args[0]->kind != IR_VALUE_RESULT)
        return 0;
    const struct ir_inst *test = t->args[0]->u.inst;
    if (ir_op_info[test->op].shape != IR_SHAPE_IC)
        return 0;
    return (ir_is_const(test->args[0]) || ir_is_const(test->args[1])) && weight(r->child) <= SHORT
               ? UNROLL
               : 0;
}

static void emit_loop(struct spv_kernel *k, struct targets *t, struct region *r)
{
    struct spv_module *s = k->s;
    spv_id head = spv_new(s), body = spv_new(s);
    spv_id next = t->next[r->id] = spv_new(s), merge = t->merge[r->id] = spv_new(s);
    branch(k, head);
    label(k, head);
    SPV(s, code, SpvLoopMerge, merge, next, loop_control(k, r));
    branch(k, body);
    arm(k, t, body, r->child, next);
    label(k, next);
    branch(k, head);
    label(k, merge);
}

/* True: the end of the list is reached. */
static bool list(struct spv_kernel *k, struct targets *t, struct region *r)
{
    for (; r && k->ok; r = r->next) {
        switch (r->kind) {
        case REGION_CODE:
            for (struct ir_inst *i = r->block->first; i && i != ir_terminator(r->block);
                 i = i->next)
                if (!spv_emit_inst(k, i))
                    return false;
            break;
        case REGION_COPIES: emit_copies(k, r); break;
        case REGION_IF: emit_if(k, t, r); break;
        case REGION_SWITCH: emit_switch(k, t, r); break;
        case REGION_BLOCK: emit_block(k, t, r); break;
        case REGION_LOOP: emit_loop(k, t, r); break;
        case REGION_BREAK: branch(k, t->merge[r->target->id]); return false;
        case REGION_CONTINUE: branch(k, t->next[r->target->id]); return false;
        case REGION_RETURN:
        case REGION_EXIT:
        case REGION_UNREACHABLE: leave(k, r->cond); return false;
        }
    }
    return true;
}

void spv_emit_tree(struct spv_kernel *k)
{
    struct targets t = {arena_array(k->s->arena, spv_id, k->tree->nregions + 1),
                        arena_array(k->s->arena, spv_id, k->tree->nregions + 1)};
    if (list(k, &t, k->tree->body) && k->ok)
        leave(k, NULL);
}
