/* What threads do together: barriers, fences, shuffles, votes; special registers. */
#include "back/sass/sass_int.h"

static struct sass_inst *last(struct sass_func *s)
{
    return &vec_last(&s->blocks.data[s->current].code);
}

static struct sass_src bank0(uint32_t at)
{
    return (struct sass_src){.kind = SRC_CONST, .bank = 0, .value = at, .parts = 1};
}

/* ---- special registers ---- */
enum sreg_kind { SREG_NO, SREG_READ, SREG_BANK };
static const struct {
    uint8_t kind;
    uint8_t number; /* the register's, or the place in constant bank 0 */
} sregs[IR_SREG_COUNT] = {
    [IR_SREG_TID_X] = {SREG_READ, 0x21},       [IR_SREG_TID_Y] = {SREG_READ, 0x22},
    [IR_SREG_TID_Z] = {SREG_READ, 0x23},       [IR_SREG_CTAID_X] = {SREG_READ, 0x25},
    [IR_SREG_CTAID_Y] = {SREG_READ, 0x26},     [IR_SREG_CTAID_Z] = {SREG_READ, 0x27},
    [IR_SREG_NTID_X] = {SREG_BANK, 0x0},       [IR_SREG_NTID_Y] = {SREG_BANK, 0x4},
    [IR_SREG_NTID_Z] = {SREG_BANK, 0x8},       [IR_SREG_NCTAID_X] = {SREG_BANK, 0xc},
    [IR_SREG_NCTAID_Y] = {SREG_BANK, 0x10},    [IR_SREG_NCTAID_Z] = {SREG_BANK, 0x14},
    [IR_SREG_LANEID] = {SREG_READ, 0x00},      [IR_SREG_SMID] = {SREG_READ, 0x43},
    [IR_SREG_LANEMASK_EQ] = {SREG_READ, 0x38}, [IR_SREG_LANEMASK_LT] = {SREG_READ, 0x39},
    [IR_SREG_LANEMASK_LE] = {SREG_READ, 0x3a}, [IR_SREG_LANEMASK_GT] = {SREG_READ, 0x3b},
    [IR_SREG_LANEMASK_GE] = {SREG_READ, 0x3c}, [IR_SREG_DYN_SHARED] = {SREG_BANK, 0x2c},
};

static struct sass_src special(struct sass_func *s, enum ir_sreg n)
{
    if (sregs[n].kind == SREG_BANK)
        return bank0(sregs[n].number);
    uint32_t r = sass_new(s, 1);
    sass_put(s, OP_S2R)->d = r;
    sass_mod(s, MOD_SR, sregs[n].number);
    return sass_reg(r, 0);
}

/* Warps are counted by the place of their threads in the block. */
static void warp_number(struct sass_func *s, uint32_t d)
{
    uint32_t a = sass_new(s, 1), b = sass_new(s, 1);
    sass_op3(s, OP_IMAD, a, 0, special(s, IR_SREG_TID_Z), special(s, IR_SREG_NTID_Y),
             special(s, IR_SREG_TID_Y));
    sass_op3(s, OP_IMAD, b, 0, sass_reg(a, 0), special(s, IR_SREG_NTID_X),
             special(s, IR_SREG_TID_X));
    sass_shift(s, d, 0, sass_zero(), sass_imm(5), sass_reg(b, 0), 3, true, true);
}

static void warp_count(struct sass_func *s, uint32_t d)
{
    uint32_t a = sass_new(s, 1), b = sass_new(s, 1);
    sass_op3(s, OP_IMAD, a, 0, sass_in_reg(s, special(s, IR_SREG_NTID_X)),
             special(s, IR_SREG_NTID_Y), sass_zero());
    sass_op3(s, OP_IMAD, b, 0, sass_reg(a, 0), special(s, IR_SREG_NTID_Z),
             sass_in_reg(s, sass_imm(31)));
    sass_shift(s, d, 0, sass_zero(), sass_imm(5), sass_reg(b, 0), 3, true, true);
}

static void read_special(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    if (i->imm != IR_SREG_WARPID && i->imm != IR_SREG_NWARPID && !sregs[i->imm].kind) {
        sass_refuse(s, "the special register %s", ir_sreg_info[i->imm].name);
        return;
    }
    if (!sass_words(i->type) || ir_bits(i->type) < 32) {
        sass_refuse(s, "a special register as fewer than 32 bits");
        return;
    }
    if (sregs[i->imm].kind == SREG_BANK && i->type == IR_I32 && s->uses[v->id] == 1) {
        s->constant_of[v->id] = SASS_IN_BANK | sregs[i->imm].number;
        return;
    }
    uint32_t d = sass_result(s, v);
    if (i->imm == IR_SREG_WARPID) {
        warp_number(s, d);
    } else if (i->imm == IR_SREG_NWARPID) {
        warp_count(s, d);
    } else if (sregs[i->imm].kind == SREG_BANK) {
        sass_move(s, d, 0, bank0(sregs[i->imm].number));
    } else {
        sass_put(s, OP_S2R)->d = d;
        sass_mod(s, MOD_SR, sregs[i->imm].number);
    }
    if (sass_words(i->type) == 2)
        sass_move(s, d, 1, sass_zero());
    sass_done(s, v, d);
}

static void read_clock(struct sass_func *s, struct ir_inst *i)
{
    uint32_t d = sass_result(s, &i->results[0]), t = sass_new(s, 2);
    struct sass_inst *m = sass_put(s, OP_CS2R);
    m->d = t;
    m->d_parts = 2;
    m->mods[MOD_SR] = i->imm ? 0x52 : 0x50;
    m->mods[MOD_WIDE] = 1;
    for (unsigned k = 0; k < sass_words(i->type); k++)
        sass_move(s, d, k, sass_reg(t, k));
    sass_done(s, &i->results[0], d);
}

/* ---- warps ---- */
/* The lanes of the mask come together. Who is not of them must not wait (the hardware faults), and
 * programs do have such: it is enough that all of the mask are here. */
static void gather(struct sass_func *s, struct ir_value *mask)
{
    enum { LUT_WITHOUT = 0x30 };
    if (sass_together(s))
        return;
    if (ir_is_full_mask(mask)) {
        sass_put(s, OP_WARPSYNC_ALL);
        return;
    }
    struct sass_src m = sass_in_reg(s, sass_word(s, mask, 0));
    uint32_t here = sass_new(s, 1), elsewhere = sass_new(s, 1);
    sass_put(s, OP_VOTE)->d = here;
    sass_logic(s, elsewhere, 0, m, sass_reg(here, 0), sass_zero(), LUT_WITHOUT);
    const struct sass_pred some =
        sass_compare(s, CMP_NE, false, sass_reg(elsewhere, 0), sass_zero());
    struct sass_inst *wait = sass_put(s, OP_WARPSYNC);
    wait->a = m;
    wait->guard = some;
}

static void meet(struct sass_func *s, struct ir_value *mask)
{
    if (!sass_meets_apart(s, mask)) {
        gather(s, mask);
        return;
    }
    const struct sass_meeting m = sass_part(s);
    sass_elsewhere(s, &m);
    sass_meet(s);
    sass_go_on(s, &m);
}

static void shuffle(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0], *ok = &i->results[1];
    unsigned n = sass_words(i->type);
    struct sass_src x[2], lane = sass_word(s, i->args[2], 0), control = sass_word(s, i->args[3], 0);
    uint32_t bit = SASS_NONE;
    if (n) {
        for (unsigned k = 0; k < n; k++)
            x[k] = sass_in_reg(s, sass_word(s, i->args[1], k));
    } else {
        bit = sass_new(s, 1);
        sass_choose(s, bit, 0, sass_true(s, i->args[1]), sass_in_reg(s, sass_imm(1)), sass_zero());
        x[0] = sass_reg(bit, 0);
    }
    bool plain_lane = lane.kind == SRC_IMM || ir_is_const(i->args[2]);
    uint32_t lane_value = lane.kind == SRC_IMM ? lane.value : 0;
    bool plain_control = ir_is_const(i->args[3]);
    uint32_t control_value = control.kind == SRC_IMM ? control.value : 0;
    if (plain_lane && lane_value > 31)
        plain_lane = false;
    if (!plain_lane)
        lane = sass_in_reg(s, lane);
    if (!plain_control)
        control = sass_in_reg(s, control);
    static const enum sass_op ops[2][2] = {{OP_SHFL, OP_SHFL_MASK}, {OP_SHFL_LANE, OP_SHFL_BOTH}};
    uint32_t d = n ? sass_result(s, v) : sass_new(s, 1);
    uint32_t p = s->uses[ok->id] ? sass_result(s, ok) : SASS_NONE;
    const bool apart = sass_meets_apart(s, i->args[0]);
    struct sass_meeting meeting = {0};
    if (apart)
        meeting = sass_part(s);
    else
        gather(s, i->args[0]);
    for (unsigned k = 0; k < (n ? n : 1); k++) {
        struct sass_inst *m = sass_put(s, ops[plain_lane][plain_control]);
        m->d = d;
        m->d_part = (uint8_t)k;
        m->continues = k;
        m->a = x[k];
        m->b = plain_lane ? sass_zero() : lane;
        m->c = plain_control ? sass_zero() : control;
        m->pd = k ? SASS_NONE : p;
        m->mods[MOD_MODE] = i->imm & 3;
        m->mods[MOD_LANE] = (uint16_t)lane_value;
        m->mods[MOD_CLAMP] = control_value & 31;
        m->mods[MOD_SEGMENT] = control_value >> 8 & 31;
    }
    if (apart) {
        sass_elsewhere(s, &meeting);
        for (unsigned k = 0; k < (n ? n : 1); k++) {
            const struct sass_pred there =
                sass_meet_shuffle(s, d, k, &(struct sass_shuffle){x[k], lane, control, i->imm & 3});
            if (!k && p != SASS_NONE)
                sass_plogic_to(s, p, LUT_OR, there, there);
        }
        sass_go_on(s, &meeting);
    }
    if (n)
        sass_done(s, v, d);
    else if (s->uses[v->id])
        sass_give(s, v, sass_compare(s, CMP_NE, false, sass_reg(d, 0), sass_zero()));
    if (p != SASS_NONE)
        sass_done(s, ok, p);
}

/* The lanes that say yes, and if it is asked for those that say no. */
static void count(struct sass_func *s, uint32_t yes, uint32_t no, struct sass_pred p)
{
    struct sass_inst *m = sass_put(s, OP_VOTE);
    m->d = yes;
    m->p = p;
    if (no == SASS_NONE)
        return;
    m = sass_put(s, OP_VOTE);
    m->d = no;
    m->p = (struct sass_pred){p.reg, !p.neg};
}

static void count_lanes(struct sass_func *s, struct ir_value *mask, uint32_t yes, uint32_t no,
                        struct sass_pred p)
{
    if (!sass_meets_apart(s, mask)) {
        gather(s, mask);
        count(s, yes, no, p);
        return;
    }
    const struct sass_meeting m = sass_part(s);
    count(s, yes, no, p);
    sass_elsewhere(s, &m);
    sass_meet_vote(s, yes, no, p);
    sass_go_on(s, &m);
}

static void vote(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    struct sass_pred p = sass_true(s, i->args[1]);
    const bool full = ir_is_full_mask(i->args[0]), ballot = i->imm == IR_VOTE_BALLOT;
    struct sass_src mask =
        full ? sass_imm(UINT32_MAX) : sass_in_reg(s, sass_word(s, i->args[0], 0));
    uint32_t all = sass_new(s, 1), no = ballot ? SASS_NONE : sass_new(s, 1), yes = sass_new(s, 1);
    count_lanes(s, i->args[0], all, no, p);
    sass_logic(s, yes, 0, sass_reg(all, 0), mask, sass_zero(), LUT_AND);
    uint32_t d = sass_result(s, v);
    if (ballot) {
        sass_move(s, d, 0, sass_reg(yes, 0));
        sass_done(s, v, d);
        return;
    }
    /* all: of the lanes that are there, none says no */
    uint32_t some_no = sass_new(s, 1);
    sass_logic(s, some_no, 0, sass_reg(no, 0), mask, sass_zero(), LUT_AND);
    struct sass_pred any = sass_compare(s, CMP_NE, false, sass_reg(yes, 0), sass_zero());
    struct sass_pred every = sass_compare(s, CMP_EQ, false, sass_reg(some_no, 0), sass_zero());
    if (i->imm == IR_VOTE_ALL)
        any = every;
    else if (i->imm == IR_VOTE_UNI) {
        any.neg = true;
        any = sass_plogic(s, LUT_OR, any, every);
    }
    sass_choose(s, d, 0, any, sass_in_reg(s, sass_imm(1)), sass_zero());
    sass_done(s, v, d);
}

static void active(struct sass_func *s, struct ir_inst *i)
{
    uint32_t d = sass_result(s, &i->results[0]);
    sass_put(s, OP_VOTE)->d = d;
    sass_done(s, &i->results[0], d);
}

/* ---- barriers ---- */
/* The instruction counts whole warps. */
static struct sass_src whole_warps(struct sass_func *s, struct ir_value *threads)
{
    if (ir_is_const(threads))
        return sass_imm(((uint32_t)threads->u.bits + 31) & ~31u);
    uint32_t a = sass_new(s, 1), b = sass_new(s, 1);
    sass_op3(s, OP_IADD3, a, 0, sass_in_reg(s, sass_word(s, threads, 0)), sass_imm(31),
             sass_zero());
    sass_logic(s, b, 0, sass_reg(a, 0), sass_imm(~31u), sass_zero(), LUT_AND);
    return sass_reg(b, 0);
}

static struct sass_inst *put_barrier(struct sass_func *s, const struct ir_inst *i)
{
    struct sass_inst *m = sass_put(s, OP_BAR);
    m->mods[MOD_NAME] = (uint16_t)(i->args[0]->u.bits & 15);
    return m;
}

/* What the barrier found: a number, or (and, or) a predicate. */
static void read_barrier(struct sass_func *s, const struct ir_inst *i, uint32_t r)
{
    struct sass_inst *m = sass_put(s, OP_B2R);
    if (i->imm == 0)
        m->d = r;
    else
        m->pd = r;
}

static void give_barrier(struct sass_func *s, struct ir_inst *i, uint32_t read)
{
    struct ir_value *v = &i->results[0];
    uint32_t d = sass_result(s, v);
    if (i->imm == 0)
        sass_move(s, d, 0, sass_reg(read, 0));
    else
        sass_choose(s, d, 0, (struct sass_pred){read, false}, sass_in_reg(s, sass_imm(1)),
                    sass_zero());
    sass_done(s, v, d);
}

/* The hardware counts warps, and one whose lanes wait in two places would be counted twice: its
 * lanes meet first. */
static void meet_at_barrier(struct sass_func *s, struct ir_inst *i, struct sass_pred p)
{
    const bool reduces = i->op == IR_OP_barrier_red;
    if (!ir_is_const(i->args[0])) {
        sass_refuse(s,
                    "a barrier by a number that is not known, where the lanes of a warp are apart");
        return;
    }
    const uint32_t read = reduces ? sass_new(s, i->imm == 0) : SASS_NONE;
    const struct sass_meeting m = sass_part(s);
    for (unsigned way = 0; way < 2; way++) {
        uint32_t after = 0, r = read;
        if (way) {
            sass_elsewhere(s, &m);
            p = reduces ? sass_meet_condition(s, p) : p;
            r = reduces ? sass_meet_result(s, i->imm == 0) : r;
            after = sass_meet_begin(s);
        }
        struct sass_inst *b = put_barrier(s, i);
        b->mods[MOD_MODE] = reduces ? 2 : 0;
        if (reduces) {
            b->mods[MOD_RED] = (uint16_t)i->imm;
            b->p = p;
            read_barrier(s, i, r);
        }
        if (!way)
            continue;
        sass_meet_end(s, after);
        if (reduces && i->imm == 0)
            sass_move(s, read, 0, sass_reg(r, 0));
        else if (reduces)
            sass_plogic_to(s, read, LUT_OR, (struct sass_pred){r, false},
                           (struct sass_pred){r, false});
    }
    sass_go_on(s, &m);
    if (reduces)
        give_barrier(s, i, read);
}

static void barrier(struct sass_func *s, struct ir_inst *i)
{
    bool all = ir_is_const(i->args[1]) && !i->args[1]->u.bits;
    bool arrives = i->op == IR_OP_barrier_arrive, reduces = i->op == IR_OP_barrier_red;
    struct sass_src name = sass_word(s, i->args[0], 0), count = sass_zero();
    struct sass_pred p = {SASS_NONE, false};
    if (arrives && all) {
        uint32_t w = sass_new(s, 1), n = sass_new(s, 1);
        warp_count(s, w);
        sass_shift(s, n, 0, sass_reg(w, 0), sass_imm(5), sass_zero(), 3, false, false);
        count = sass_reg(n, 0);
        all = false;
    } else if (!all) {
        count = whole_warps(s, i->args[1]);
    }
    if (reduces) {
        p = sass_true(s, i->args[2]);
        if (p.reg == SASS_NONE) /* a constant */
            p = sass_plogic(s, p.neg ? 0 : 255, p, p);
    }
    s->uses_flags |= BACK_USES_BARRIER;
    if (ir_is_const(i->args[0]))
        s->barriers =
            i->args[0]->u.bits + 1 > s->barriers ? (uint32_t)i->args[0]->u.bits + 1 : s->barriers;
    else
        s->barriers = 16;
    if (all && !arrives && s->apart[s->at->block->id]) {
        meet_at_barrier(s, i, p);
        return;
    }
    if (all && ir_is_const(i->args[0]) && !sass_together(s))
        sass_put(s, OP_WARPSYNC_ALL);
    bool known = ir_is_const(i->args[0]);
    struct sass_inst *m;
    if (known && count.kind != SRC_REG) {
        m = put_barrier(s, i);
        m->mods[MOD_COUNT] = (uint16_t)count.value;
    } else if (known && count.value == SASS_NONE) {
        m = put_barrier(s, i);
    } else { /* name | count << 16 */
        uint32_t up = sass_new(s, 1), both = sass_new(s, 1), low = sass_new(s, 1);
        sass_shift(s, up, 0, sass_in_reg(s, count), sass_imm(16), sass_zero(), 3, false, false);
        sass_logic(s, low, 0, sass_in_reg(s, name), sass_imm(15), sass_zero(), LUT_AND);
        sass_logic(s, both, 0, sass_reg(low, 0), sass_reg(up, 0), sass_zero(), LUT_OR);
        m = sass_put(s, all ? OP_BAR_N : OP_BAR_R);
        m->b = sass_reg(both, 0);
    }
    m->mods[MOD_MODE] = arrives ? 1 : reduces ? 2 : 0;
    m->mods[MOD_WAITS] = !arrives && !(s->chip & BEFORE_80);
    if (!reduces)
        return;
    m->mods[MOD_RED] = (uint16_t)i->imm;
    m->p = p;
    const uint32_t read = sass_new(s, i->imm == 0);
    read_barrier(s, i, read);
    give_barrier(s, i, read);
}

static void fence(struct sass_func *s, uint32_t flags)
{
    static const uint8_t scopes[] = {0, 2, 3, 3};
    unsigned scope = scopes[ir_scope(flags)];
    sass_put(s, OP_MEMBAR)->mods[MOD_SCOPE] = (uint16_t)scope;
    sass_mod(s, MOD_ACQ_REL, ir_order(flags) != IR_ORDER_SEQ_CST);
    if (!scope)
        return;
    sass_put(s, OP_ERRBAR);
    if (s->arch >= 90)
        sass_put(s, OP_CGAERRBAR);
    sass_put(s, OP_CCTL_IVALL)->a = sass_zero();
}

/* ---- the grid ---- */
static void whole_block(struct sass_func *s)
{
    sass_put(s, OP_WARPSYNC_ALL);
    sass_put(s, OP_BAR)->mods[MOD_WAITS] = !(s->chip & BEFORE_80);
}

static struct sass_src product(struct sass_func *s, struct sass_src a, enum ir_sreg by)
{
    uint32_t r = sass_new(s, 1);
    sass_op3(s, OP_IMAD, r, 0, a, sass_in_reg(s, special(s, by)), sass_zero());
    return sass_reg(r, 0);
}

/* Is one of three special registers not zero? */
static struct sass_pred any_of(struct sass_func *s, enum ir_sreg first)
{
    uint32_t r = sass_new(s, 1);
    sass_logic(s, r, 0, special(s, first), special(s, first + 1), special(s, first + 2), 0xfe);
    return sass_compare(s, CMP_NE, false, sass_reg(r, 0), sass_zero());
}

/* As in the PTX: the top bit of the counter flips when the last block arrives, since block 0 adds
 * what the others lack. One thread of a block counts and looks; the others wait for it. */
static void grid_barrier(struct sass_func *s)
{
    const uint32_t order = IR_ORDERED(IR_ORDER_SEQ_CST, IR_SCOPE_DEVICE);
    uint32_t count = sass_block_new(s), look = sass_block_new(s), seen = sass_block_new(s),
             done = sass_block_new(s);
    s->uses_flags |= BACK_USES_GRIDSYNC | BACK_USES_BARRIER;
    s->barriers = s->barriers ? s->barriers : 1;
    if (s->apart[s->at->block->id])
        sass_refuse(s, "a barrier of the grid where the lanes of a warp are apart");
    struct sass_src at = sass_whole(s, ir_global_value(s->grid_counter));
    whole_block(s);
    sass_branch(s, any_of(s, IR_SREG_TID_X), done, count);
    sass_begin(s, count);
    struct sass_src n = sass_in_reg(s, special(s, IR_SREG_NCTAID_X));
    n = product(s, product(s, n, IR_SREG_NCTAID_Y), IR_SREG_NCTAID_Z);
    uint32_t lacks = sass_new(s, 1), add = sass_new(s, 1), before = sass_new(s, 1);
    n.neg = true;
    sass_op3(s, OP_IADD3, lacks, 0, n, sass_imm(0x80000001), sass_zero());
    struct sass_pred other = any_of(s, IR_SREG_CTAID_X);
    sass_choose(s, add, 0, other, sass_in_reg(s, sass_imm(1)), sass_reg(lacks, 0));
    fence(s, order);
    sass_count_grid(s, before, at, sass_reg(add, 0));
    sass_goto(s, look);
    sass_begin(s, look);
    uint32_t now = sass_new(s, 1), flipped = sass_new(s, 1);
    sass_look_at_grid(s, now, at);
    sass_logic(s, flipped, 0, sass_reg(now, 0), sass_reg(before, 0), sass_zero(), LUT_XOR);
    sass_branch(s, sass_compare(s, CMP_GE, true, sass_reg(flipped, 0), sass_zero()), look, seen);
    sass_begin(s, seen);
    fence(s, order);
    sass_goto(s, done);
    sass_begin(s, done);
    whole_block(s);
}

void sass_fence(struct sass_func *s, uint32_t flags)
{
    fence(s, flags);
}

bool sass_warp(struct sass_func *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_sreg: read_special(s, i); return true;
    case IR_OP_clock: read_clock(s, i); return true;
    case IR_OP_sleep: {
        struct sass_src x = sass_in_reg(s, sass_word(s, i->args[0], 0));
        sass_put(s, OP_NANOSLEEP)->b = x;
        return true;
    }
    case IR_OP_barrier:
    case IR_OP_barrier_arrive:
    case IR_OP_barrier_red: barrier(s, i); return true;
    case IR_OP_fence: fence(s, i->flags); return true;
    case IR_OP_gridsync: grid_barrier(s); return true;
    case IR_OP_warpsync: meet(s, i->args[0]); break;
    case IR_OP_shfl: shuffle(s, i); break;
    case IR_OP_vote: vote(s, i); break;
    case IR_OP_activemask: active(s, i); break;
    default: return false;
    }
    (void)last;
    s->uses_flags |= BACK_USES_WARP;
    return true;
}
