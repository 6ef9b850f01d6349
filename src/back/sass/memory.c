/* Memory: addresses, loads and stores, copies and fills, atomics, the frame.
 *
 * Pointers into shared and local memory and at parameters are one word: the address in that memory,
 * or the place in constant bank 0. All others are two. __constant__ variables lie in bank 3, and
 * where they are named they are read there; a pointer to one is its address in memory, which is a
 * generic pointer, too. */
#include "back/group.h"
#include "back/sass/sass_int.h"

static struct sass_inst *last(struct sass_func *s)
{
    return &vec_last(&s->blocks.data[s->current].code);
}

/* ---- addresses ---- */
#define MOST_OFFSET (INT64_C(1) << 22) /* half of what an access can hold: it is added to */

static bool is_near(int64_t by)
{
    return by < MOST_OFFSET && by > -MOST_OFFSET;
}

struct address {
    enum ir_space space;
    struct sass_src base; /* in a register, or zero */
    int64_t offset;
};

static struct address address_of(struct sass_func *s, struct ir_value *p)
{
    struct address a = {.space = ir_space(p->type)};
    int64_t offset = 0;
    struct ir_value *base = back_base(p, &offset);
    if (is_near(offset)) {
        a.offset = offset;
        p = base;
    }
    if (sass_words(p->type) == 2) {
        a.base = sass_whole(s, p);
        return a;
    }
    if (a.space == IR_SPACE_SHARED && sass_may_be_remote(s, p)) {
        a.space = IR_SPACE_GENERIC;
        a.base = sass_generic_shared(s, sass_word(s, p, 0));
        return a;
    }
    if (p->kind == IR_VALUE_RESULT && p->u.inst->op == IR_OP_ptradd && !s->places.spilled[p->id]) {
        struct sass_src x = sass_word(s, p->u.inst->args[0], 0);
        if (x.kind == SRC_IMM && is_near(x.value)) { /* an element of a shared array */
            a.base = sass_in_reg(s, sass_word(s, p->u.inst->args[1], 0));
            a.offset += x.value;
            return a;
        }
    }
    struct sass_src x = sass_word(s, p, 0);
    if (x.kind == SRC_IMM && x.value < MOST_OFFSET) {
        a.offset += x.value;
        a.base = sass_zero();
    } else {
        a.base = sass_in_reg(s, x);
    }
    return a;
}

static void ptradd(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    uint32_t d = sass_result(s, v);
    if (sass_words(i->type) == 2)
        sass_sum(s, d, i->args[0], i->args[1]);
    else
        sass_add(s, d, 0, sass_in_reg(s, sass_word(s, i->args[0], 0)), sass_word(s, i->args[1], 0));
    sass_done(s, v, d);
}

/* ---- one access ---- */
enum { SIZE_U8, SIZE_S8, SIZE_U16, SIZE_S16, SIZE_32, SIZE_64, SIZE_128 };
enum { ORDER_WEAK = 0, ORDER_CONSTANT = 4, ORDER_CTA = 5, ORDER_GPU = 7, ORDER_SYS = 10 };

static unsigned size_of(unsigned bytes)
{
    return bytes == 1   ? SIZE_U8
           : bytes == 2 ? SIZE_U16
           : bytes == 4 ? SIZE_32
           : bytes == 8 ? SIZE_64
                        : SIZE_128;
}

static unsigned order_of(uint32_t flags, bool load)
{
    static const uint8_t scopes[] = {ORDER_CTA, ORDER_GPU, ORDER_SYS, ORDER_SYS};
    enum ir_order o = ir_order(flags);
    if (o == IR_ORDER_NONE) {
        if (flags & (IR_VOLATILE | IR_STEP))
            return ORDER_SYS;
        return load && flags & IR_INVARIANT ? ORDER_CONSTANT : ORDER_WEAK;
    }
    return scopes[ir_scope(flags)];
}

static enum sass_op op_for(enum ir_space space, bool store)
{
    switch (space) {
    case IR_SPACE_GLOBAL:
    case IR_SPACE_CONST: return store ? OP_STG : OP_LDG;
    case IR_SPACE_SHARED: return store ? OP_STS : OP_LDS;
    case IR_SPACE_LOCAL: return store ? OP_STL : OP_LDL;
    case IR_SPACE_PARAM: return OP_LDC;
    default: return store ? OP_ST : OP_LD;
    }
}

static void load_at(struct sass_func *s, const struct address *a, uint32_t flags, unsigned bytes,
                    uint32_t d, unsigned part)
{
    struct sass_inst *i = sass_put(s, op_for(a->space, false));
    i->d = d;
    i->d_part = (uint8_t)part;
    i->continues = part;
    i->d_parts = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
    i->a = a->base;
    i->imm = (int32_t)a->offset;
    i->mods[MOD_SIZE] = (uint16_t)size_of(bytes);
    if (a->space == IR_SPACE_PARAM) {
        i->b = (struct sass_src){.kind = SRC_CONST, .value = (uint32_t)a->offset, .parts = 1};
        i->imm = 0;
        if (a->offset < 0 || a->offset > 0xffff)
            sass_refuse(s, "a place outside the parameters");
        return;
    }
    i->mods[MOD_ORDER] =
        (uint16_t)order_of(a->space == IR_SPACE_CONST ? IR_INVARIANT : flags,
                           a->space == IR_SPACE_GLOBAL || a->space == IR_SPACE_CONST);
}

static void store_at(struct sass_func *s, const struct address *a, uint32_t flags, unsigned bytes,
                     struct sass_src x)
{
    struct sass_inst *i = sass_put(s, op_for(a->space, true));
    i->a = a->base;
    i->b = x;
    i->b.parts = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
    i->imm = (int32_t)a->offset;
    i->mods[MOD_SIZE] = (uint16_t)size_of(bytes);
    i->mods[MOD_ORDER] = (uint16_t)order_of(flags, false);
}

/* What comes before and after an access that orders others. */
static void before(struct sass_func *s, enum ir_space space, uint32_t flags, bool store)
{
    enum ir_order o = ir_order(flags);
    if (space == IR_SPACE_LOCAL || space == IR_SPACE_PARAM || space == IR_SPACE_CONST)
        return;
    if (o == IR_ORDER_SEQ_CST || (store && o >= IR_ORDER_RELEASE))
        sass_fence(s, flags);
}

static void after(struct sass_func *s, enum ir_space space, uint32_t flags)
{
    enum ir_order o = ir_order(flags);
    if (space == IR_SPACE_LOCAL || space == IR_SPACE_PARAM || space == IR_SPACE_CONST)
        return;
    if ((o == IR_ORDER_ACQUIRE || o >= IR_ORDER_ACQ_REL) && ir_scope(flags) != IR_SCOPE_BLOCK)
        sass_put(s, OP_CCTL_IVALL)->a = sass_zero();
}

static void load_pieces(struct sass_func *s, struct ir_inst *i, struct address a, uint32_t d)
{
    unsigned bytes = ir_bytes(i->type), step = i->align, per = bytes < 4 ? bytes : 4;
    for (unsigned w = 0; w * 4 < bytes; w++) {
        uint32_t sum = SASS_NONE;
        for (unsigned at = 0; at < per; at += step) {
            struct address here = a;
            here.offset += w * 4 + at;
            uint32_t x = sass_new(s, 1);
            load_at(s, &here, i->flags, step, x, 0);
            if (at) {
                uint32_t up = sass_new(s, 1), both = sass_new(s, 1);
                sass_shift(s, up, 0, sass_reg(x, 0), sass_imm(at * 8), sass_zero(), 3, false,
                           false);
                sass_logic(s, both, 0, sass_reg(sum, 0), sass_reg(up, 0), sass_zero(), LUT_OR);
                x = both;
            }
            sum = x;
        }
        if (w < sass_words(i->type))
            sass_move(s, d, w, sass_reg(sum, 0));
    }
}

static void store_pieces(struct sass_func *s, struct ir_inst *i, struct address a)
{
    unsigned bytes = ir_bytes(i->type), step = i->align;
    for (unsigned at = 0; at < bytes; at += step) {
        struct address here = a;
        here.offset += at;
        struct sass_src w = at / 4 < sass_words(i->type)
                                ? sass_in_reg(s, sass_word(s, i->args[1], at / 4))
                                : sass_zero();
        if (at % 4) {
            uint32_t x = sass_new(s, 1);
            sass_shift(s, x, 0, sass_zero(), sass_imm(at % 4 * 8), w, 3, true, true);
            w = sass_reg(x, 0);
        }
        store_at(s, &here, i->flags, step, w);
    }
}

/* ---- neighbours ---- */
static bool is_small(ir_type t)
{
    return sass_words(t) == 1 && ir_bytes(t) < 4;
}

static bool is_grouped(const struct ir_inst *i)
{
    int64_t offset = 0;
    back_base(i->args[0], &offset);
    return !ir_order(i->flags) &&
           (ir_bytes(i->type) == 4 * sass_words(i->type) || is_small(i->type)) && is_near(offset) &&
           ir_space(i->args[0]->type) != IR_SPACE_CONST;
}

void sass_find_groups(struct sass_func *s)
{
    ir_each_block (b, s->f) {
        ir_each_inst (i, b)
            if (i->op == IR_OP_load || i->op == IR_OP_store)
                i->data = NULL;
        if (s->grouped)
            back_group_accesses(s->arena, b, is_grouped);
    }
}

/* Bytes and halves are loaded as words; each is taken out where it stands. */
static unsigned place_in(const struct ir_inst *i, const struct back_group *g)
{
    unsigned k = 0;
    while (g->at[k] != i)
        k++;
    return k * ir_bytes(i->type);
}

static void load_small(struct sass_func *s, struct ir_inst *i, struct back_group *g)
{
    const unsigned bytes = ir_bytes(i->type), words = g->vector * bytes / 4, at = place_in(i, g);
    if (g->emit_at == i) {
        struct address a = address_of(s, g->at[0]->args[0]);
        g->reg = sass_new(s, words);
        load_at(s, &a, i->flags, words * 4, g->reg, 0);
    }
    struct ir_value *v = &i->results[0];
    const uint32_t d = sass_result(s, v);
    sass_op3(s, OP_PRMT, d, 0, sass_reg(g->reg, at / 4),
             sass_imm(bytes == 1 ? 0x4440 | at % 4 : 0x4410 + at % 4 * 0x11), sass_zero());
    sass_done(s, v, d);
}

bool sass_sign_of_small(struct sass_func *s, struct ir_value *v, uint32_t d)
{
    if (v->kind != IR_VALUE_RESULT || v->u.inst->op != IR_OP_load || !v->u.inst->data ||
        !is_small(v->type) || v->u.inst->block != s->at->block)
        return false;
    const struct back_group *g = v->u.inst->data;
    const unsigned at = place_in(v->u.inst, g), k = at % 4;
    sass_op3(s, OP_PRMT, d, 0, sass_reg(g->reg, at / 4),
             sass_imm(ir_bytes(v->type) == 1 ? 0x8880 + k * 0x1111 : 0x9910 + k * 0x1111),
             sass_zero());
    return true;
}

static void store_small(struct sass_func *s, struct ir_inst *i, const struct back_group *g)
{
    enum { TWO_BYTES = 0x40, TWO_HALVES = 0x5410 };
    if (g->emit_at != i)
        return;
    const unsigned bytes = ir_bytes(i->type), words = g->vector * bytes / 4, each = 4 / bytes;
    const uint32_t r = sass_new(s, words);
    for (unsigned w = 0; w < words; w++) {
        struct sass_src half[2];
        for (unsigned h = 0; h < 2; h++) {
            struct sass_src x[2];
            for (unsigned k = 0; k < each / 2; k++)
                x[k] = sass_in_reg(s, sass_word(s, g->at[w * each + h * each / 2 + k]->args[1], 0));
            half[h] = x[0];
            if (bytes == 1) {
                const uint32_t both = sass_new(s, 1);
                sass_op3(s, OP_PRMT, both, 0, x[0], sass_imm(TWO_BYTES), x[1]);
                half[h] = sass_reg(both, 0);
            }
        }
        sass_op3(s, OP_PRMT, r, w, half[0], sass_imm(TWO_HALVES), half[1]);
    }
    struct address a = address_of(s, g->at[0]->args[0]);
    store_at(s, &a, i->flags, words * 4, sass_reg(r, 0));
}

/* The members live side by side in the registers that one access writes. */
static void load_group(struct sass_func *s, struct ir_inst *i, struct back_group *g)
{
    if (is_small(i->type)) {
        load_small(s, i, g);
        return;
    }
    if (g->emit_at != i)
        return;
    unsigned each = sass_words(i->type), words = g->vector * each;
    struct address a = address_of(s, g->at[0]->args[0]);
    uint32_t d = sass_new(s, words);
    load_at(s, &a, i->flags, words * 4, d, 0);
    for (unsigned k = 0; k < g->n; k++) {
        struct ir_value *v = &g->at[k]->results[0];
        s->reg_of[v->id] = d + 1;
        s->part_of[v->id] = (uint8_t)(k * each);
    }
}

static void store_group(struct sass_func *s, struct ir_inst *i, const struct back_group *g)
{
    if (is_small(i->type)) {
        store_small(s, i, g);
        return;
    }
    if (g->emit_at != i)
        return;
    unsigned each = sass_words(i->type), words = g->vector * each;
    struct sass_src x[4] = {{0}}, first;
    bool there = true;
    for (unsigned k = 0; k < words; k++) {
        x[k] = sass_word(s, g->at[k / each]->args[1], k % each);
        there &= x[k].kind == SRC_REG && x[k].value == x[0].value && x[k].part == x[0].part + k;
    }
    first = x[0];
    if (!there || first.value == SASS_NONE || first.part % words) {
        uint32_t r = sass_new(s, words);
        for (unsigned k = 0; k < words; k++)
            sass_move(s, r, k, x[k]);
        first = sass_reg(r, 0);
    }
    struct address a = address_of(s, g->at[0]->args[0]);
    store_at(s, &a, i->flags, words * 4, first);
}

/* A variable in bank 3, and how far in: a constant, and perhaps an index in a register. */
struct constant_place {
    uint32_t at;
    struct ir_value *index; /* or NULL */
};

static bool constant_place(struct sass_func *s, struct ir_value *p, unsigned bytes,
                           struct constant_place *out)
{
    int64_t offset = 0;
    struct ir_value *base = back_base(p, &offset);
    *out = (struct constant_place){0};
    if (base->kind == IR_VALUE_RESULT && base->u.inst->op == IR_OP_ptradd) {
        int64_t more = 0;
        out->index = base->u.inst->args[1];
        base = back_base(base->u.inst->args[0], &more);
        offset += more;
    }
    if (base->kind != IR_VALUE_GLOBAL || base->u.global->space != IR_SPACE_CONST)
        return false;
    const uint32_t place = sass_constant_place(s, base->u.global);
    offset += place;
    if (place == SASS_NONE || offset < 0 || offset > 0xffff || offset % bytes)
        return false;
    out->at = (uint32_t)offset;
    return true;
}

/* Read from the bank: by whoever uses it once, else into a register. */
static bool load_constant(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    const unsigned n = sass_words(i->type), bytes = ir_bytes(i->type);
    struct constant_place p;
    if (!n || bytes > 8 || (n == 1 && bytes == 8) || (i->align && i->align < bytes) ||
        !constant_place(s, i->args[0], bytes, &p))
        return false;
    if (!p.index && bytes == 4 && s->uses[v->id] == 1) {
        s->constant_of[v->id] = SASS_IN_BANK | 3u << 16 | p.at;
        return true;
    }
    struct sass_src index = sass_zero();
    if (p.index) { /* the register alone says where: it may begin below the variable */
        index = sass_in_reg(s, sass_word(s, p.index, 0));
        if (p.at) {
            uint32_t sum = sass_new(s, 1);
            sass_add(s, sum, 0, index, sass_imm(p.at));
            index = sass_reg(sum, 0);
        }
        p.at = 0;
    }
    uint32_t d = sass_result(s, v);
    struct sass_inst *m = sass_put(s, OP_LDC);
    m->d = d;
    m->d_parts = (uint8_t)n;
    m->a = index;
    m->b = (struct sass_src){.kind = SRC_CONST, .bank = 3, .value = p.at, .parts = 1};
    m->mods[MOD_SIZE] = (uint16_t)size_of(bytes);
    sass_done(s, v, d);
    return true;
}

static void load(struct sass_func *s, struct ir_inst *i)
{
    if (ir_space(i->args[0]->type) == IR_SPACE_CONST && load_constant(s, i))
        return;
    if (i->data) {
        load_group(s, i, i->data);
        return;
    }
    struct ir_value *v = &i->results[0];
    enum ir_space space = ir_space(i->args[0]->type);
    unsigned n = sass_words(i->type), bytes = ir_bytes(i->type);
    before(s, space, i->flags, false);
    struct address a = address_of(s, i->args[0]);
    if (!n) {
        uint32_t byte = sass_new(s, 1), bit = sass_new(s, 1);
        load_at(s, &a, i->flags, 1, byte, 0);
        after(s, space, i->flags);
        sass_logic(s, bit, 0, sass_reg(byte, 0), sass_imm(1), sass_zero(), LUT_AND);
        sass_give(s, v, sass_compare(s, CMP_NE, false, sass_reg(bit, 0), sass_zero()));
        return;
    }
    uint32_t d = sass_result(s, v);
    if (i->align && i->align < bytes)
        load_pieces(s, i, a, d);
    else
        load_at(s, &a, i->flags, n == 1 && bytes == 8 ? 4 : bytes, d, 0);
    after(s, space, i->flags);
    sass_done(s, v, d);
}

static void store(struct sass_func *s, struct ir_inst *i)
{
    if (i->data) {
        store_group(s, i, i->data);
        return;
    }
    struct ir_value *v = i->args[1];
    enum ir_space space = ir_space(i->args[0]->type);
    unsigned n = sass_words(v->type), bytes = ir_bytes(i->type);
    if (space == IR_SPACE_CONST || space == IR_SPACE_PARAM) {
        sass_refuse(s, "a store to read-only memory");
        return;
    }
    before(s, space, i->flags, true);
    struct address a = address_of(s, i->args[0]);
    if (!n) {
        uint32_t r = sass_new(s, 1);
        sass_choose(s, r, 0, sass_true(s, v), sass_in_reg(s, sass_imm(1)), sass_zero());
        store_at(s, &a, i->flags, 1, sass_reg(r, 0));
    } else if (i->align && i->align < bytes) {
        store_pieces(s, i, a);
    } else if (n == 1 && bytes == 8) { /* a narrow pointer is eight bytes in memory */
        uint32_t r = sass_new(s, 2);
        sass_move(s, r, 0, sass_word(s, v, 0));
        sass_move(s, r, 1, sass_zero());
        store_at(s, &a, i->flags, 8, sass_reg(r, 0));
    } else if (n == 1) {
        store_at(s, &a, i->flags, bytes, sass_in_reg(s, sass_word(s, v, 0)));
    } else {
        store_at(s, &a, i->flags, bytes, sass_whole(s, v));
    }
}

/* ---- the frame ---- */
void sass_load_slot(struct sass_func *s, uint32_t slot, uint32_t d)
{
    struct address a = {IR_SPACE_LOCAL, sass_reg(s->stack, 0), slot};
    load_at(s, &a, 0, s->regs.data[d].size * 4u, d, 0);
}

void sass_store_slot(struct sass_func *s, uint32_t slot, uint32_t r)
{
    struct address a = {IR_SPACE_LOCAL, sass_reg(s->stack, 0), slot};
    store_at(s, &a, 0, s->regs.data[r].size * 4u, sass_reg(r, 0));
}

void sass_store_local(struct sass_func *s, uint32_t at, unsigned bytes, struct sass_src x)
{
    struct address a = {IR_SPACE_LOCAL, sass_reg(s->stack, 0), at};
    store_at(s, &a, 0, bytes, x);
}

enum { UNROLL = 32 };

/* A word as often as an access of so many bytes holds it. */
static struct sass_src repeated(struct sass_func *s, struct sass_src word, unsigned bytes)
{
    if (bytes <= 4 || word.value == SASS_NONE)
        return word;
    uint32_t r = sass_new(s, bytes / 4);
    for (unsigned k = 0; k < bytes / 4; k++)
        sass_move(s, r, k, word);
    return sass_reg(r, 0);
}

/* `bytes` from a on, whose base is a register: most of it in a loop of a few accesses a round,
 * whose base counts on. */
static void fill(struct sass_func *s, struct address a, uint64_t bytes, unsigned align,
                 struct sass_src word)
{
    enum { ROUND = 4 };
    unsigned step = align >= 16 ? 16 : align >= 8 ? 8 : align >= 4 ? 4 : align >= 2 ? 2 : 1;
    uint64_t at = 0;
    struct sass_src all = repeated(s, word, step);
    if (bytes / step > UNROLL) {
        unsigned n = sass_words(IR_PTR_TO(a.space));
        const uint64_t rounds = bytes / step / ROUND;
        uint32_t p = sass_new(s, n), left = sass_new(s, 1);
        for (unsigned k = 0; k < n; k++)
            sass_move(s, p, k, sass_half(a.base, k));
        sass_move(s, left, 0, sass_imm((uint32_t)rounds));
        uint32_t top = sass_block_new(s), out = sass_block_new(s);
        sass_goto(s, top);
        sass_begin(s, top);
        struct address here = a;
        here.base = sass_reg(p, 0);
        here.base.parts = (uint8_t)n;
        for (unsigned k = 0; k < ROUND; k++) {
            store_at(s, &here, 0, step, all);
            here.offset += step;
        }
        if (n == 2)
            sass_add_wide(s, p, sass_reg(p, 0), sass_reg(p, 1), sass_imm(ROUND * step), sass_zero(),
                          false);
        else
            sass_add(s, p, 0, sass_reg(p, 0), sass_imm(ROUND * step));
        sass_add(s, left, 0, sass_reg(left, 0), sass_imm(UINT32_MAX));
        sass_branch(s, sass_compare(s, CMP_NE, false, sass_reg(left, 0), sass_zero()), top, out);
        sass_begin(s, out);
        at = rounds * ROUND * step;
    }
    for (; at < bytes; at += step) {
        while (step > 1 && at + step > bytes)
            step /= 2;
        struct address here = a;
        here.offset += (int64_t)at;
        store_at(s, &here, 0, step, step > 4 ? all : word);
    }
}

static void alloca_(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    const uint32_t align = i->align > 16 ? 16 : i->align < 4 ? 4 : i->align;
    s->frame_bytes = (s->frame_bytes + align - 1) & -align;
    uint32_t at = s->frame_bytes;
    s->frame_bytes += (uint32_t)i->imm;
    s->local = true;
    uint32_t d = sass_result(s, v);
    sass_op3(s, OP_IADD3, d, 0, sass_reg(s->stack, 0), sass_imm(at), sass_zero());
    sass_done(s, v, d);
    struct address a = {IR_SPACE_LOCAL, sass_reg(d, 0), 0};
    if (!(i->flags & IR_UNSET))
        fill(s, a, i->imm, align, sass_zero());
}

/* ---- copies and fills ---- */
static void advance(struct sass_func *s, uint32_t p, unsigned words, unsigned by)
{
    if (words == 2)
        sass_add_wide(s, p, sass_reg(p, 0), sass_reg(p, 1), sass_imm(by), sass_zero(), false);
    else
        sass_add(s, p, 0, sass_reg(p, 0), sass_imm(by));
}

static unsigned words_of(const struct address *a)
{
    return sass_words(IR_PTR_TO(a->space));
}

static struct address counting(struct sass_func *s, const struct address *a, uint32_t *r)
{
    unsigned n = words_of(a);
    struct address here = *a;
    *r = sass_new(s, n);
    for (unsigned k = 0; k < n; k++)
        sass_move(s, *r, k, a->base.value == SASS_NONE ? sass_zero() : sass_half(a->base, k));
    here.base = sass_reg(*r, 0);
    here.base.parts = (uint8_t)n;
    return here;
}

/* What is said of an operation's memory, or proven of the address. */
static unsigned align_of(const struct ir_inst *i, const struct ir_value *p)
{
    const uint32_t said = i->align ? i->align : 1, seen = back_alignment(p);
    return seen > said ? seen : said;
}

static void memcpy_(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *n = i->args[2];
    struct address to = address_of(s, i->args[0]), from = address_of(s, i->args[1]);
    const bool bank = from.space == IR_SPACE_PARAM; /* eight bytes are the most there */
    const unsigned widest = bank ? 8 : 16;
    const unsigned there = align_of(i, i->args[0]), here = align_of(i, i->args[1]);
    unsigned align = there < here ? there : here;
    if (align > widest)
        align = widest;
    if (ir_is_const(n) && n->u.bits / align <= UNROLL) {
        for (uint64_t at = 0, step; at < n->u.bits; at += step) {
            step = align;
            while (at + step > n->u.bits)
                step /= 2;
            struct address x = from, y = to;
            x.offset += (int64_t)at;
            y.offset += (int64_t)at;
            uint32_t r = sass_new(s, step > 4 ? (unsigned)step / 4 : 1);
            load_at(s, &x, 0, (unsigned)step, r, 0);
            store_at(s, &y, 0, (unsigned)step, sass_reg(r, 0));
        }
        return;
    }
    unsigned step = align;
    while (step > 1 && !(ir_is_const(n) && n->u.bits % step == 0))
        step /= 2;
    uint32_t p, q, left = sass_new(s, 2), r = sass_new(s, step > 4 ? step / 4 : 1);
    struct address x = counting(s, &from, &p), y = counting(s, &to, &q);
    for (unsigned k = 0; k < 2; k++)
        sass_move(s, left, k, sass_word(s, n, k));
    uint32_t top = sass_block_new(s), body = sass_block_new(s), out = sass_block_new(s);
    sass_goto(s, top);
    sass_begin(s, top);
    uint32_t any = sass_new(s, 1);
    sass_logic(s, any, 0, sass_reg(left, 0), sass_reg(left, 1), sass_zero(), LUT_OR);
    sass_branch(s, sass_compare(s, CMP_EQ, false, sass_reg(any, 0), sass_zero()), out, body);
    sass_begin(s, body);
    load_at(s, &x, 0, step, r, 0);
    store_at(s, &y, 0, step, sass_reg(r, 0));
    advance(s, p, words_of(&x), step);
    advance(s, q, words_of(&y), step);
    sass_add_wide(s, left, sass_reg(left, 0), sass_reg(left, 1), sass_imm(0u - step),
                  sass_imm(UINT32_MAX), false);
    sass_goto(s, top);
    sass_begin(s, out);
}

static void memset_(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *n = i->args[2];
    struct address to = address_of(s, i->args[0]);
    struct sass_src byte = sass_in_reg(s, sass_word(s, i->args[1], 0));
    uint32_t word = sass_new(s, 1);
    sass_op3(s, OP_IMAD, word, 0, byte, sass_imm(0x01010101), sass_zero());
    if (ir_is_const(n) && n->u.bits < UINT32_MAX) {
        if (to.base.value == SASS_NONE && n->u.bits > UNROLL) {
            uint32_t r = sass_new(s, 1);
            sass_move(s, r, 0, sass_zero());
            to.base = sass_reg(r, 0);
        }
        fill(s, to, n->u.bits, align_of(i, i->args[0]), sass_reg(word, 0));
        return;
    }
    uint32_t p, left = sass_new(s, 2);
    struct address y = counting(s, &to, &p);
    for (unsigned k = 0; k < 2; k++)
        sass_move(s, left, k, sass_word(s, n, k));
    uint32_t top = sass_block_new(s), body = sass_block_new(s), out = sass_block_new(s);
    sass_goto(s, top);
    sass_begin(s, top);
    uint32_t any = sass_new(s, 1);
    sass_logic(s, any, 0, sass_reg(left, 0), sass_reg(left, 1), sass_zero(), LUT_OR);
    sass_branch(s, sass_compare(s, CMP_EQ, false, sass_reg(any, 0), sass_zero()), out, body);
    sass_begin(s, body);
    store_at(s, &y, 0, 1, sass_reg(word, 0));
    advance(s, p, words_of(&y), 1);
    sass_add_wide(s, left, sass_reg(left, 0), sass_reg(left, 1), sass_imm(UINT32_MAX),
                  sass_imm(UINT32_MAX), false);
    sass_goto(s, top);
    sass_begin(s, out);
}

/* ---- atomics ---- */
enum atom {
    ATOM_ADD,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_INC,
    ATOM_DEC,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_EXCH,
    ATOM_NONE
};

static enum atom atom_of(enum ir_rmw kind)
{
    static const uint8_t atoms[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = ATOM_ADD,   [IR_RMW_SUB] = ATOM_ADD,   [IR_RMW_AND] = ATOM_AND,
        [IR_RMW_OR] = ATOM_OR,     [IR_RMW_XOR] = ATOM_XOR,   [IR_RMW_UMIN] = ATOM_MIN,
        [IR_RMW_UMAX] = ATOM_MAX,  [IR_RMW_SMIN] = ATOM_MIN,  [IR_RMW_SMAX] = ATOM_MAX,
        [IR_RMW_INC] = ATOM_INC,   [IR_RMW_DEC] = ATOM_DEC,   [IR_RMW_XCHG] = ATOM_EXCH,
        [IR_RMW_FADD] = ATOM_NONE, [IR_RMW_FMIN] = ATOM_NONE, [IR_RMW_FMAX] = ATOM_NONE,
    };
    return kind < IR_RMW_COUNT ? (enum atom)atoms[kind] : ATOM_NONE;
}

static unsigned atom_type(unsigned arch, bool floats, bool wide, bool sign)
{
    if (arch >= 90)
        return floats ? (wide ? 15 : 9) : (wide ? 2 : 0) + (sign ? 1 : 0);
    return floats ? (wide ? 6 : 3) : wide ? (sign ? 5 : 2) : sign;
}

static enum sass_op op_of(const struct sass_func *s, const struct ir_inst *i, enum ir_space space,
                          bool tells)
{
    if (i->op == IR_OP_cas)
        return space == IR_SPACE_SHARED   ? OP_ATOMS_CAS
               : space == IR_SPACE_GLOBAL ? OP_ATOMG_CAS
                                          : OP_ATOM_CAS;
    if (i->imm == IR_RMW_FADD && s->arch >= 90)
        return tells ? OP_ATOMG_F : OP_RED_F;
    return space == IR_SPACE_SHARED    ? OP_ATOMS
           : space == IR_SPACE_GENERIC ? OP_ATOM
           : tells                     ? OP_ATOMG
                                       : OP_RED;
}

/* What was there is told to those who ask; to others it costs a register and the way back. Who
 * acquires something has read what was there. */
static bool tells(const struct sass_func *s, const struct ir_inst *i)
{
    const enum ir_space space = ir_space(i->args[0]->type);
    const enum ir_order o = ir_order(i->flags);
    if (i->op == IR_OP_cas || s->uses[i->results[0].id])
        return true;
    if (space == IR_SPACE_SHARED)
        return false;
    return space != IR_SPACE_GLOBAL || i->imm == IR_RMW_XCHG || i->flags & IR_VOLATILE ||
           (o > IR_ORDER_RELAXED && o != IR_ORDER_RELEASE);
}

static void atomic(struct sass_func *s, struct ir_inst *i)
{
    struct ir_value *v = &i->results[0];
    enum ir_space space = ir_space(i->args[0]->type);
    enum ir_rmw kind = (enum ir_rmw)i->imm;
    bool cas = i->op == IR_OP_cas, shared = space == IR_SPACE_SHARED;
    bool sign = kind == IR_RMW_SMIN || kind == IR_RMW_SMAX;
    unsigned n = sass_words(i->type), bytes = ir_bytes(i->type);
    bool adds = !cas && kind == IR_RMW_FADD && space == IR_SPACE_GLOBAL && bytes >= 4;
    if ((space != IR_SPACE_GLOBAL && space != IR_SPACE_GENERIC && !shared) || bytes < 4 ||
        (n == 1 && bytes == 8)) {
        sass_refuse(s, "an atomic of this kind");
        return;
    }
    if (!cas && ((atom_of(kind) == ATOM_NONE && !adds) ||
                 (n == 2 && (kind == IR_RMW_INC || kind == IR_RMW_DEC)) ||
                 (n == 2 && shared && kind != IR_RMW_XCHG))) {
        sass_refuse(s, "an atomic %s of this type and place", ir_rmw_info[kind].name);
        return;
    }
    if (n == 2 && space == IR_SPACE_GENERIC && s->arch < 90) {
        sass_refuse(s, "a 64-bit atomic that may be in shared memory");
        return;
    }
    enum ir_order o = ir_order(i->flags);
    if (o >= IR_ORDER_RELEASE)
        sass_fence(s, i->flags);
    struct address a = address_of(s, i->args[0]);
    struct sass_src x = sass_whole(s, i->args[1]),
                    y = cas ? sass_whole(s, i->args[2]) : sass_zero();
    if (!cas && kind == IR_RMW_SUB) {
        uint32_t r = sass_new(s, n);
        if (n == 2) {
            sass_add_wide(s, r, sass_zero(), sass_zero(), sass_half(x, 0), sass_half(x, 1), true);
        } else {
            x.neg = true;
            sass_op3(s, OP_IADD3, r, 0, x, sass_zero(), sass_zero());
        }
        x = sass_reg(r, 0);
        x.parts = (uint8_t)n;
    }
    const bool told = tells(s, i), once = sass_may_once(s, i);
    const struct sass_once all = once ? sass_once(s, i, x) : (struct sass_once){.value = x};
    uint32_t d = told ? sass_result(s, v) : SASS_NONE, old = told && once ? sass_new(s, 1) : d;
    struct sass_inst *m = sass_put(s, op_of(s, i, a.space, told));
    if (once)
        m->guard = all.leads;
    m->d = old;
    m->d_parts = (uint8_t)n;
    m->a = a.base;
    m->b = all.value;
    m->c = y;
    m->imm = (int32_t)a.offset;
    m->mods[MOD_ATOM] = (uint16_t)(adds || cas ? ATOM_ADD : atom_of(kind));
    m->mods[MOD_TYPE] = (uint16_t)atom_type(s->arch, adds, n == 2, sign);
    if (a.space != IR_SPACE_SHARED)
        m->mods[MOD_ORDER] = ir_scope(i->flags) == IR_SCOPE_BLOCK    ? ORDER_CTA
                             : ir_scope(i->flags) == IR_SCOPE_DEVICE ? ORDER_GPU
                                                                     : ORDER_SYS;
    m->loose = o <= IR_ORDER_RELAXED && !(i->flags & IR_VOLATILE);
    after(s, space, i->flags);
    if (told && once && s->uses[v->id])
        sass_share(s, &all, old, d);
    if (told)
        sass_done(s, v, d);
}

/* ---- what a barrier of the grid needs ---- */
void sass_count_grid(struct sass_func *s, uint32_t d, struct sass_src at, struct sass_src add)
{
    struct sass_inst *m = sass_put(s, OP_ATOMG);
    m->d = d;
    m->a = at;
    m->b = add;
    m->mods[MOD_ATOM] = ATOM_ADD;
    m->mods[MOD_TYPE] = (uint16_t)atom_type(s->arch, false, false, false);
    m->mods[MOD_ORDER] = ORDER_GPU;
}

void sass_look_at_grid(struct sass_func *s, uint32_t d, struct sass_src at)
{
    struct address a = {IR_SPACE_GLOBAL, at, 0};
    load_at(s, &a, IR_ORDERED(IR_ORDER_ACQUIRE, IR_SCOPE_DEVICE), 4, d, 0);
}

bool sass_memory(struct sass_func *s, struct ir_inst *i)
{
    (void)last;
    switch (i->op) {
    case IR_OP_ptradd: ptradd(s, i); return true;
    case IR_OP_alloca: alloca_(s, i); return true;
    case IR_OP_load: load(s, i); return true;
    case IR_OP_store: store(s, i); return true;
    case IR_OP_memcpy: memcpy_(s, i); return true;
    case IR_OP_memset: memset_(s, i); return true;
    case IR_OP_rmw:
    case IR_OP_cas: atomic(s, i); return true;
    case IR_OP_cpasync_commit: /* copies are over when they have been made */
    case IR_OP_cpasync_wait: return true;
    default: return false;
    }
}
