/* Operations of the whole warp that its lanes may reach in different places.
 *
 * Programs have them in loops that lanes leave at different times and behind conditions that not
 * all meet: lanes that call in one place are to meet those that call in another. So each such place
 * has two ways. Where all lanes are here (BRA.DIV does not jump) they do it at once. Else they wait
 * for the rest of the warp, wherever it calls (WARPSYNC.COLLECTIVE), all do what one of them stands
 * in front of, up to ENDCOLLECTIVE, and each goes on in its own place. Since they run each other's
 * instructions, operands and results have the same registers everywhere. */
#include "back/sass/sass_int.h"

/* The machine's registers that every meeting has; what else lives there lives elsewhere. */
enum { VALUE = 8, LANE, CONTROL, MASK, RESULT, CONDITION = 6 };

bool sass_meets_apart(const struct sass_func *s, struct ir_value *mask)
{
    return s->collective && ir_is_full_mask(mask) && !sass_together(s);
}

struct sass_meeting sass_part(struct sass_func *s)
{
    const struct sass_meeting m = {sass_block_new(s), sass_block_new(s)};
    const uint32_t here = sass_block_new(s);
    sass_put(s, OP_BRA_DIV)->imm = (int32_t)m.apart;
    sass_edge(s, m.apart);
    sass_goto(s, here);
    sass_begin(s, here);
    return m;
}

void sass_elsewhere(struct sass_func *s, const struct sass_meeting *m)
{
    sass_goto(s, m->on);
    sass_begin_aside(s, m->apart);
}

void sass_go_on(struct sass_func *s, const struct sass_meeting *m)
{
    sass_goto(s, m->on);
    sass_begin(s, m->on);
}

/* ---- one meeting ---- */
static uint32_t move_fixed(struct sass_func *s, unsigned color, struct sass_src x)
{
    const uint32_t r = sass_fixed(s, 1, color);
    sass_move(s, r, 0, x);
    return r;
}

struct sass_pred sass_meet_condition(struct sass_func *s, struct sass_pred p)
{
    const uint32_t r = sass_fixed(s, 0, CONDITION);
    sass_plogic_to(s, r, LUT_OR, p, p);
    return (struct sass_pred){r, false};
}

uint32_t sass_meet_result(struct sass_func *s, unsigned size)
{
    return size ? sass_fixed(s, size, RESULT) : sass_fixed(s, 0, CONDITION);
}

uint32_t sass_meet_begin(struct sass_func *s)
{
    const uint32_t after = sass_block_new(s), mask = move_fixed(s, MASK, sass_imm(UINT32_MAX));
    struct sass_inst *i = sass_put(s, OP_WARPSYNC_COLLECTIVE);
    i->a = sass_reg(mask, 0);
    i->imm = (int32_t)after;
    return after;
}

void sass_meet_end(struct sass_func *s, uint32_t after)
{
    sass_put(s, OP_ENDCOLLECTIVE);
    sass_goto(s, after);
    sass_begin_aside(s, after);
}

void sass_meet(struct sass_func *s)
{
    sass_meet_end(s, sass_meet_begin(s));
}

struct sass_pred sass_meet_shuffle(struct sass_func *s, uint32_t d, unsigned part,
                                   const struct sass_shuffle *x)
{
    const uint32_t value = move_fixed(s, VALUE, x->value), lane = move_fixed(s, LANE, x->lane),
                   control = move_fixed(s, CONTROL, x->control), result = sass_meet_result(s, 1),
                   ok = sass_meet_result(s, 0), after = sass_meet_begin(s);
    struct sass_inst *i = sass_put(s, OP_SHFL);
    i->d = result;
    i->a = sass_reg(value, 0);
    i->b = sass_reg(lane, 0);
    i->c = sass_reg(control, 0);
    i->pd = ok;
    i->mods[MOD_MODE] = (uint16_t)x->mode;
    sass_meet_end(s, after);
    sass_move(s, d, part, sass_reg(result, 0));
    return (struct sass_pred){ok, false};
}

/* Both are counted, as those that meet may ask for either. */
void sass_meet_vote(struct sass_func *s, uint32_t yes, uint32_t no, struct sass_pred p)
{
    struct sass_pred c = sass_meet_condition(s, p);
    const uint32_t for_it = sass_meet_result(s, 1), against = sass_fixed(s, 1, VALUE),
                   after = sass_meet_begin(s);
    struct sass_inst *i = sass_put(s, OP_VOTE);
    i->d = for_it;
    i->p = c;
    c.neg = true;
    i = sass_put(s, OP_VOTE);
    i->d = against;
    i->p = c;
    sass_meet_end(s, after);
    sass_move(s, yes, 0, sass_reg(for_it, 0));
    if (no != SASS_NONE)
        sass_move(s, no, 0, sass_reg(against, 0));
}
