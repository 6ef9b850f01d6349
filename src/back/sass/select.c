/* One kernel: its graph becomes blocks of instructions over virtual registers.
 *
 * Values are found where they are: constants are immediates, parameters stand in constant bank 0,
 * addresses of variables in bank 4; operands that must be registers are moved to one. What a split
 * opens is a convergence barrier (BSSY) and its join BSYNC; an edge by which a thread leaves a
 * region without passing its join takes it off that barrier (BREAK). */
#include <stdarg.h>
#include <string.h>
#include "back/sass/sass_int.h"

void sass_refuse(struct sass_func *s, const char *fmt, ...)
{
    va_list ap;
    struct sbuf text;
    if (s->failed)
        return;
    sbuf_init(&text, s->arena);
    va_start(ap, fmt);
    sbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_error(s->job->diag, s->at ? s->at->span : s->f->span, "no machine code for sm_%u: %s",
               s->arch, text.data);
    s->failed = true;
}

uint32_t sass_param_base(unsigned arch)
{
    return arch >= 90 ? 0x210 : 0x160;
}

/* What the hardware keeps for itself at the start of shared memory. */
uint32_t sass_shared_base(unsigned arch)
{
    return arch >= 90 ? 0x400 : 0;
}

/* ---- registers and blocks ---- */
uint32_t sass_new(struct sass_func *s, unsigned size)
{
    struct sass_reg r = {.size = (uint8_t)size, .value = SASS_NONE, .hint = SASS_NONE};
    vec_push(s->arena, &s->regs, r);
    return (uint32_t)s->regs.len - 1;
}

uint32_t sass_fixed(struct sass_func *s, unsigned size, unsigned color)
{
    const uint32_t r = sass_new(s, size);
    s->regs.data[r].fixed = true;
    s->regs.data[r].color = (uint8_t)color;
    return r;
}

uint32_t sass_block_new(struct sass_func *s)
{
    struct sass_block b = {.nto = 0};
    vec_push(s->arena, &s->blocks, b);
    return (uint32_t)s->blocks.len - 1;
}

void sass_begin(struct sass_func *s, uint32_t block)
{
    s->current = block;
    vec_push(s->arena, &s->order, block);
}

void sass_begin_aside(struct sass_func *s, uint32_t block)
{
    s->current = block;
    s->blocks.data[block].aside = true;
    vec_push(s->arena, &s->aside, block);
}

struct sass_inst *sass_put(struct sass_func *s, enum sass_op op)
{
    struct sass_block *b = &s->blocks.data[s->current];
    vec_push(s->arena, &b->code, sass_inst(op));
    if (!(sass_row_for(op, s->chip)->chips & s->chip))
        sass_refuse(s, "the instruction %s is not known there", sass_rows[op].name);
    return &vec_last(&b->code);
}

void sass_edge(struct sass_func *s, uint32_t to)
{
    struct sass_block *b = &s->blocks.data[s->current];
    for (uint32_t k = 0; k < b->nto; k++)
        if (b->to[k] == to)
            return;
    b->to[b->nto++] = to;
}

void sass_goto(struct sass_func *s, uint32_t block)
{
    sass_put(s, OP_BRA)->imm = (int32_t)block;
    sass_edge(s, block);
}

void sass_branch(struct sass_func *s, struct sass_pred p, uint32_t yes, uint32_t no)
{
    struct sass_inst *i = sass_put(s, OP_BRA);
    i->guard = p;
    i->imm = (int32_t)yes;
    sass_edge(s, yes);
    sass_goto(s, no);
}

/* ---- operands ---- */
struct sass_src sass_imm(uint32_t v)
{
    if (!v)
        return sass_zero();
    return (struct sass_src){.kind = SRC_IMM, .value = v, .parts = 1};
}

struct sass_src sass_reg(uint32_t r, unsigned part)
{
    return (struct sass_src){.kind = SRC_REG, .value = r, .part = (uint8_t)part, .parts = 1};
}

struct sass_src sass_half(struct sass_src pair, unsigned k)
{
    return sass_reg(pair.value, pair.part + k);
}

struct sass_src sass_zero(void)
{
    return (struct sass_src){.kind = SRC_REG, .value = SASS_NONE, .parts = 1};
}

static struct sass_src constant(unsigned bank, uint32_t at)
{
    return (struct sass_src){.kind = SRC_CONST, .bank = (uint8_t)bank, .value = at, .parts = 1};
}

/* From sm_90 on arithmetic reads no constant banks: they are loaded. */
static bool loads_constants(const struct sass_func *s)
{
    return s->arch >= 90;
}

static void load_constant(struct sass_func *s, uint32_t d, unsigned part, struct sass_src x,
                          unsigned words)
{
    struct sass_inst *i = sass_put(s, OP_LDC);
    i->d = d;
    i->d_part = (uint8_t)part;
    i->d_parts = (uint8_t)words;
    i->continues = part;
    i->a = sass_zero();
    i->b = x;
    i->b.neg = i->b.abs = false;
    i->mods[MOD_SIZE] = words == 2 ? 5 : 4;
}

unsigned sass_words(ir_type t)
{
    switch (ir_kind(t)) {
    case IR_I1: return 0;
    case IR_I64:
    case IR_F64: return 2;
    case IR_PTR: {
        enum ir_space s = ir_space(t);
        return s == IR_SPACE_SHARED || s == IR_SPACE_LOCAL || s == IR_SPACE_PARAM ? 1 : 2;
    }
    default: return 1;
    }
}

static bool is_kernel_param(const struct sass_func *s, const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM && v->u.block == s->f->first;
}

static uint32_t param_at(const struct sass_func *s, const struct ir_value *v)
{
    return sass_param_base(s->arch) + s->f->params.data[v->index].offset;
}

static uint32_t register_of(struct sass_func *s, struct ir_value *v)
{
    if (!s->reg_of[v->id]) {
        bool demoted = s->places.demoted[v->id];
        uint32_t r = sass_new(s, demoted ? 1 : sass_words(v->type));
        s->regs.data[r].value = v->id;
        s->reg_of[v->id] = r + 1;
    }
    return s->reg_of[v->id] - 1;
}

static uint32_t slot_of(struct sass_func *s, struct ir_value *v)
{
    if (!s->slot_of[v->id]) {
        uint32_t bytes = sass_words(v->type) ? sass_words(v->type) * 4 : 4;
        s->frame_bytes = (s->frame_bytes + bytes - 1) & -bytes;
        s->slot_of[v->id] = s->frame_bytes + 1;
        s->frame_bytes += bytes;
        s->local = true;
    }
    return s->slot_of[v->id] - 1;
}

/* Where bank 3 lies in memory, as bank 0 says. */
static uint32_t constants_at(unsigned arch)
{
    return arch >= 90 ? 0xd0 : 0x50;
}

static uint32_t global_slot(struct sass_func *s, struct ir_global *g)
{
    return (uint32_t)(uintptr_t)map_get(s->globals, map_key(g)) - 1;
}

uint32_t sass_constant_place(const struct sass_func *s, const struct ir_global *g)
{
    return (uint32_t)(uintptr_t)map_get(s->constants, map_key(g)) - 1;
}

/* Loaded once in a block of the IR. */
static uint32_t address_of_global(struct sass_func *s, struct ir_global *g)
{
    struct sass_address *known = &s->addresses[global_slot(s, g) / 8 % SASS_ADDRESSES];
    const uint32_t block = s->at->block->id;
    if (known->global != g || known->block != block) {
        const uint32_t place = sass_constant_place(s, g), r = sass_new(s, 2);
        *known = (struct sass_address){.global = g, .block = block, .reg = r};
        if (place == SASS_NONE) {
            load_constant(s, r, 0, constant(4, global_slot(s, g)), 2);
        } else {
            uint32_t bank = sass_new(s, 2);
            load_constant(s, bank, 0, constant(0, constants_at(s->arch)), 2);
            sass_add_wide(s, r, sass_reg(bank, 0), sass_reg(bank, 1), sass_imm(place), sass_zero(),
                          false);
        }
    }
    return known->reg;
}

/* The value whose words these are, under names for the same bits. */
static struct ir_value *origin(struct ir_value *v)
{
    while (v->kind == IR_VALUE_RESULT) {
        struct ir_inst *i = v->u.inst;
        if (i->op != IR_OP_cvta && i->op != IR_OP_bitcast && i->op != IR_OP_ptrtoint &&
            i->op != IR_OP_inttoptr)
            break;
        unsigned n = sass_words(v->type);
        if (!n || n != sass_words(i->args[0]->type) || (i->op == IR_OP_cvta && n != 2))
            break;
        v = i->args[0];
    }
    return v;
}

uint32_t sass_param_place(const struct sass_func *s, struct ir_value *v)
{
    v = origin(v);
    return is_kernel_param(s, v) && !s->f->params.data[v->index].byval_size ? param_at(s, v)
                                                                            : SASS_NONE;
}

static bool in_bank(const struct sass_func *s, const struct ir_value *v)
{
    return sass_constant_place(s, v->u.global) != SASS_NONE;
}

struct sass_src sass_word(struct sass_func *s, struct ir_value *v, unsigned k)
{
    v = origin(v);
    if (v->kind == IR_VALUE_RESULT && s->constant_of[v->id])
        return constant((s->constant_of[v->id] & SASS_BANK) >> 16,
                        (s->constant_of[v->id] & 0xffff) + 4 * k);
    if (v->kind == IR_VALUE_CONST)
        return sass_imm((uint32_t)(v->u.bits >> 32 * k));
    if (v->kind == IR_VALUE_GLOBAL && v->u.global->space == IR_SPACE_SHARED)
        return sass_shared_place(s, (uint32_t)(uintptr_t)map_get(s->shared, map_key(v->u.global)));
    if (v->kind == IR_VALUE_GLOBAL && (loads_constants(s) || in_bank(s, v)))
        return sass_reg(address_of_global(s, v->u.global), k);
    if (v->kind == IR_VALUE_GLOBAL)
        return constant(4, global_slot(s, v->u.global) + 4 * k);
    if (v->kind == IR_VALUE_FUNC) /* calls through it have become choices by this number */
        return sass_imm(k ? 0 : lower_func_number(v->u.func));
    if (is_kernel_param(s, v)) {
        if (s->f->params.data[v->index].byval_size)
            return sass_imm(param_at(s, v));
        if (ir_bytes(v->type) >= 4 && (!loads_constants(s) || s->places.spilled[v->id]))
            return constant(0, param_at(s, v) + 4 * k);
    }
    if (s->places.spilled[v->id]) {
        uint32_t r = sass_new(s, sass_words(v->type));
        sass_load_slot(s, slot_of(s, v), r);
        return sass_reg(r, k);
    }
    return sass_reg(register_of(s, v), s->part_of[v->id] + k);
}

struct sass_src sass_in_reg(struct sass_func *s, struct sass_src x)
{
    if (x.kind == SRC_REG)
        return x;
    uint32_t r = sass_new(s, 1);
    sass_move(s, r, 0, x);
    return sass_reg(r, 0);
}

/* Two words of a bank, once in a block of the IR. */
static uint32_t loaded_once(struct sass_func *s, const struct ir_value *v, struct sass_src x)
{
    struct sass_address *known = &s->banked[v->id % SASS_ADDRESSES];
    if (known->of != v || known->block != s->at->block->id) {
        *known = (struct sass_address){.of = v, .block = s->at->block->id, .reg = sass_new(s, 2)};
        load_constant(s, known->reg, 0, x, 2);
    }
    return known->reg;
}

/* All of v in one register, of as many words as it has. */
struct sass_src sass_whole(struct sass_func *s, struct ir_value *v)
{
    unsigned n = sass_words(v->type);
    struct sass_src x;
    v = origin(v);
    if (is_kernel_param(s, v) && !s->f->params.data[v->index].byval_size &&
        !s->places.spilled[v->id]) {
        x = sass_reg(register_of(s, v), 0);
    } else {
        x = sass_word(s, v, 0);
        if (x.kind == SRC_CONST && n == 2 && loads_constants(s)) {
            x = sass_reg(loaded_once(s, v, x), 0);
        } else if (x.kind != SRC_REG || x.value == SASS_NONE) {
            uint32_t r = sass_new(s, n);
            for (unsigned k = 0; k < n; k++)
                sass_move(s, r, k, sass_word(s, v, k));
            x = sass_reg(r, 0);
        }
    }
    x.parts = (uint8_t)n;
    return x;
}

struct sass_src sass_pair(struct sass_func *s, struct ir_value *v)
{
    return sass_whole(s, v);
}

struct sass_pred sass_true(struct sass_func *s, struct ir_value *v)
{
    if (v->kind == IR_VALUE_CONST)
        return (struct sass_pred){SASS_NONE, !(v->u.bits & 1)};
    if (s->places.spilled[v->id]) {
        uint32_t r = sass_new(s, 1);
        sass_load_slot(s, slot_of(s, v), r);
        return sass_compare(s, CMP_NE, false, sass_reg(r, 0), sass_zero());
    }
    if (s->places.demoted[v->id])
        return sass_compare(s, CMP_NE, false, sass_reg(register_of(s, v), 0), sass_zero());
    return (struct sass_pred){register_of(s, v), false};
}

/* Of an i1 that is in a register, or not even there. */
static void keep_truth(struct sass_func *s, struct ir_value *v, struct sass_pred p)
{
    const bool spilled = s->places.spilled[v->id];
    uint32_t r = spilled ? sass_new(s, 1) : register_of(s, v);
    sass_choose(s, r, 0, p, sass_imm(1), sass_zero());
    if (spilled)
        sass_store_slot(s, slot_of(s, v), r);
}

uint32_t sass_result(struct sass_func *s, struct ir_value *v)
{
    if (s->places.spilled[v->id])
        return sass_new(s, sass_words(v->type));
    if (s->places.demoted[v->id])
        return sass_new(s, 0);
    return register_of(s, v);
}

void sass_done(struct sass_func *s, struct ir_value *v, uint32_t r)
{
    if (s->places.demoted[v->id])
        keep_truth(s, v, (struct sass_pred){r, false});
    else if (s->places.spilled[v->id])
        sass_store_slot(s, slot_of(s, v), r);
}

/* ---- instructions ---- */
static bool is_float(enum sass_op op)
{
    return op == OP_FADD || op == OP_FMUL || op == OP_FFMA || op == OP_FSETP || op == OP_FMNMX;
}

/* An immediate has no sign of its own to be changed. */
static void settle(enum sass_op op, struct sass_src *x)
{
    if (x->kind != SRC_IMM)
        return;
    bool wide = op == OP_DADD || op == OP_DMUL || op == OP_DFMA || op == OP_DSETP;
    if (x->abs && (is_float(op) || wide))
        x->value &= 0x7fffffff;
    if (x->neg)
        x->value = is_float(op) || wide ? x->value ^ 0x80000000 : 0 - x->value;
    x->neg = x->abs = false;
}

static struct sass_src with_signs(struct sass_src x, struct sass_src of)
{
    x.neg = of.neg;
    x.abs = of.abs;
    return x;
}

static bool commutes(enum sass_op op)
{
    return op == OP_FFMA || op == OP_FMUL || op == OP_IMAD || op == OP_IADD3;
}

uint32_t sass_op3(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src a, struct sass_src b, struct sass_src c)
{
    settle(op, &a);
    settle(op, &b);
    settle(op, &c);
    if (a.kind != SRC_REG)
        a = with_signs(sass_in_reg(s, a), a.kind == SRC_IMM ? sass_zero() : a);
    if (a.kind == SRC_CONST && b.kind == SRC_REG && commutes(op)) {
        struct sass_src t = a;
        a = b;
        b = t;
    }
    if (b.kind == SRC_CONST && !sass_reads_banks(s, op))
        b = with_signs(sass_in_reg(s, b), b);
    if ((b.kind != SRC_REG && (c.kind == SRC_IMM || c.kind == SRC_CONST)) ||
        (c.kind == SRC_CONST && loads_constants(s)))
        c = with_signs(sass_in_reg(s, c), c);
    struct sass_inst *i = sass_put(s, op);
    i->d = d;
    i->d_part = (uint8_t)part;
    i->continues = part != 0;
    i->a = a;
    i->b = b;
    i->c = c;
    return d;
}

uint32_t sass_op2(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src a, struct sass_src b)
{
    return sass_op3(s, op, d, part, a, b, sass_zero());
}

uint32_t sass_op1(struct sass_func *s, enum sass_op op, uint32_t d, unsigned part,
                  struct sass_src b)
{
    return sass_op3(s, op, d, part, sass_zero(), b, sass_zero());
}

void sass_mod(struct sass_func *s, enum sass_mod m, unsigned v)
{
    vec_last(&s->blocks.data[s->current].code).mods[m] = (uint16_t)v;
}

void sass_move(struct sass_func *s, uint32_t d, unsigned part, struct sass_src x)
{
    if (x.kind == SRC_CONST && loads_constants(s)) {
        load_constant(s, d, part, x, 1);
        return;
    }
    sass_op1(s, OP_MOV, d, part, x);
    if (x.kind != SRC_REG || x.value == SASS_NONE || part || x.part)
        return;
    if (s->regs.data[d].hint == SASS_NONE)
        s->regs.data[d].hint = x.value;
    if (s->regs.data[x.value].hint == SASS_NONE) /* whichever has its register first */
        s->regs.data[x.value].hint = d;
}

void sass_logic(struct sass_func *s, uint32_t d, unsigned part, struct sass_src a,
                struct sass_src b, struct sass_src c, unsigned lut)
{
    sass_op3(s, OP_LOP3, d, part, a, b, c);
    sass_mod(s, MOD_LUT, lut);
}

void sass_add(struct sass_func *s, uint32_t d, unsigned part, struct sass_src a, struct sass_src b)
{
    if (a.kind != SRC_REG && b.kind == SRC_REG) {
        struct sass_src t = a;
        a = b;
        b = t;
    }
    sass_op3(s, OP_IADD3, d, part, a, b, sass_zero());
}

/* d (two words) = a + b, or a - b */
void sass_add_wide(struct sass_func *s, uint32_t d, struct sass_src a, struct sass_src ah,
                   struct sass_src b, struct sass_src bh, bool minus)
{
    if (minus && b.kind == SRC_IMM) { /* -x is not ~x + 1 with a carry for each half */
        b = sass_in_reg(s, b);
    }
    if (minus && bh.kind == SRC_IMM)
        bh = sass_in_reg(s, bh);
    if (a.kind != SRC_REG)
        a = sass_in_reg(s, a);
    if (ah.kind != SRC_REG)
        ah = sass_in_reg(s, ah);
    uint32_t carry = sass_new(s, 0);
    b.neg = bh.neg = minus;
    sass_op3(s, OP_IADD3, d, 0, a, b, sass_zero());
    vec_last(&s->blocks.data[s->current].code).pd = carry;
    sass_op3(s, OP_IADD3, d, 1, ah, bh, sass_zero());
    struct sass_inst *i = &vec_last(&s->blocks.data[s->current].code);
    i->mods[MOD_X] = 1;
    i->p = (struct sass_pred){carry, false};
}

void sass_shift(struct sass_func *s, uint32_t d, unsigned part, struct sass_src low,
                struct sass_src by, struct sass_src high, unsigned type, bool right, bool hi)
{
    if (high.kind != SRC_REG)
        high = sass_in_reg(s, high);
    sass_op3(s, OP_SHF, d, part, low, by, high);
    sass_mod(s, MOD_TYPE, type);
    sass_mod(s, MOD_RIGHT, right);
    sass_mod(s, MOD_HI, hi);
}

struct sass_pred sass_compare(struct sass_func *s, unsigned cmp, bool sign, struct sass_src a,
                              struct sass_src b)
{
    uint32_t p = sass_new(s, 0);
    sass_op3(s, OP_ISETP, SASS_NONE, 0, a, b, sass_zero());
    struct sass_inst *i = &vec_last(&s->blocks.data[s->current].code);
    i->pd = p;
    i->mods[MOD_CMP] = (uint16_t)cmp;
    i->mods[MOD_SIGNED] = sign;
    return (struct sass_pred){p, false};
}

void sass_plogic_to(struct sass_func *s, uint32_t d, unsigned lut, struct sass_pred a,
                    struct sass_pred b)
{
    struct sass_inst *i = sass_put(s, OP_PLOP3);
    i->pd = d;
    i->p = a;
    i->q = b;
    i->mods[MOD_LUT_LOW] = lut & 7;
    i->mods[MOD_LUT_HIGH] = (uint16_t)(lut >> 3);
}

struct sass_pred sass_plogic(struct sass_func *s, unsigned lut, struct sass_pred a,
                             struct sass_pred b)
{
    uint32_t p = sass_new(s, 0);
    sass_plogic_to(s, p, lut, a, b);
    return (struct sass_pred){p, false};
}

void sass_choose(struct sass_func *s, uint32_t d, unsigned part, struct sass_pred p,
                 struct sass_src a, struct sass_src b)
{
    if (a.kind != SRC_REG && b.kind == SRC_REG) {
        struct sass_src t = a;
        a = b;
        b = t;
        p.neg = !p.neg;
    }
    sass_op2(s, OP_SEL, d, part, a, b);
    vec_last(&s->blocks.data[s->current].code).p = p;
}

/* ---- convergence ---- */
struct region_of { /* a split */
    struct ir_inst *split;
    /* The split's, and from whose start its join can be reached without passing that one. */
    VEC(struct ir_block *) blocks;
    struct ir_block *end; /* where they meet, or NULL */
    uint32_t ends;        /* how many such there are */
    uint32_t meeting;     /* the block of code that begins with the BSYNC that BSSY names */
    int barrier;
    bool parted; /* its blocks are marked so */
};
struct regions {
    struct region_of *of;
    uint32_t n;
    VEC(struct region_of *) * around; /* by block: the regions that it is of, in their order */
};

static bool joins(const struct ir_block *b, const struct ir_value *token)
{
    for (const struct ir_inst *i = b->first; i; i = i->next)
        if (i->op == IR_OP_join && i->args[0] == token)
            return true;
    return false;
}

static bool is_in(const struct regions *all, const struct region_of *r, const struct ir_block *b)
{
    vec_each (struct region_of *, o, &all->around[b->id])
        if (*o == r)
            return true;
    return false;
}

/* In it and behind its split. */
static bool is_within(const struct regions *all, const struct region_of *r,
                      const struct ir_block *b)
{
    return b != r->split->block && is_in(all, r, b);
}

static void enter_region(struct sass_func *s, struct regions *all, struct region_of *r,
                         struct ir_block *b)
{
    if (b->rpo == UINT32_MAX || is_in(all, r, b))
        return;
    vec_push(s->arena, &all->around[b->id], r);
    vec_push(s->arena, &r->blocks, b);
}

/* Expects the blocks of its joins, and goes back from there. */
static void reach_back(struct sass_func *s, struct regions *all, struct region_of *r,
                       struct ir_block *const *ends, size_t n)
{
    struct ir_block *home = r->split->block;
    vec_push(s->arena, &all->around[home->id], r);
    vec_push(s->arena, &r->blocks, home);
    for (size_t k = 0; k < n; k++) {
        enter_region(s, all, r, ends[k]);
        if (ends[k] != home && ends[k]->rpo != UINT32_MAX) {
            r->end = ends[k];
            r->ends++;
        }
    }
    for (size_t k = 1; k < r->blocks.len; k++)
        vec_each (struct ir_block *, p, &r->blocks.data[k]->preds)
            enter_region(s, all, r, *p);
}

/* The first instruction of b that is behind the region. */
static const struct ir_inst *end_of(const struct region_of *r, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i; i = i->next)
        if (i->op == IR_OP_join && i->args[0] == &r->split->results[0])
            return i;
    return NULL;
}

static bool has_barrier(const struct region_of *r, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first, *end = end_of(r, b); i != end; i = i->next)
        if (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_gridsync ||
            i->op == IR_OP_cluster_barrier)
            return true;
    return false;
}

/* Does it look at what other threads change meanwhile? */
static bool looks_at_others(const struct ir_inst *i)
{
    return i->op == IR_OP_rmw || i->op == IR_OP_cas ||
           (i->op == IR_OP_load && (i->flags & IR_VOLATILE || ir_order(i->flags)));
}

static bool looks(const struct region_of *r, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first, *end = end_of(r, b); i != end; i = i->next)
        if (looks_at_others(i))
            return true;
    return false;
}

static bool goes_back(const struct regions *all, const struct region_of *r,
                      const struct ir_block *b)
{
    for (uint32_t k = 0; k < b->last->nedges; k++)
        if (b->last->edges[k].to->rpo <= b->rpo && is_within(all, r, b->last->edges[k].to))
            return true;
    return false;
}

/* Nobody may wait at a join for threads that wait for it: at a barrier of the block, or in a loop
 * that looks at memory, such as one that takes a lock. */
static bool may_wait(const struct regions *all, const struct region_of *r)
{
    bool barrier = false, looking = false, loop = false;
    for (size_t k = 1; k < r->blocks.len; k++) {
        const struct ir_block *b = r->blocks.data[k];
        barrier |= has_barrier(r, b);
        looking |= looks(r, b);
        loop |= !end_of(r, b) && goes_back(all, r, b);
    }
    return barrier || (looking && loop);
}

/* The first before `end` that all lanes are to take part in. */
static struct ir_inst *whole_warp_op(const struct ir_block *b, const struct ir_inst *end)
{
    for (struct ir_inst *i = b->first; i != end; i = i->next)
        if ((i->op == IR_OP_shfl || i->op == IR_OP_vote || i->op == IR_OP_warpsync) &&
            ir_is_full_mask(i->args[0]))
            return i;
    return NULL;
}

/* Nor for threads that wait for it inside, at an operation of the whole warp: that is wrong of a
 * program, but such there are (a loop or a condition that only some of the lanes are in), and
 * they meet at the next one. */
static bool may_wait_for_warp(const struct region_of *r, const struct sass_convergence *c)
{
    for (size_t k = 1; k < r->blocks.len; k++) {
        const struct ir_block *b = r->blocks.data[k];
        if (c->parted[b->id] && whole_warp_op(b, end_of(r, b)))
            return true;
    }
    return false;
}

/* One that no region before it has that is open at the same time; -1: all are taken. */
static int free_barrier(const struct sass_func *s, const struct regions *all,
                        const struct region_of *r, uint32_t next)
{
    bool taken[16] = {false};
    for (uint32_t k = 0; s->calls && k < 6; k++) /* those that calls do not keep */
        taken[k] = true;
    vec_each (struct ir_block *, b, &r->blocks)
        vec_each (struct region_of *, o, &all->around[(*b)->id])
            if (*o != r && (*o)->barrier >= 0)
                taken[(*o)->barrier] = true;
    for (uint32_t k = 0; k < 16; k++)
        if (!taken[(next + k) % 16])
            return (int)((next + k) % 16);
    return -1;
}

/* Barriers for the splits; those that are open together have different ones. Who has waited at a
 * BSYNC goes on where the BSSY said: a region that ends in several places can have none. */
static struct regions find_regions(struct sass_func *s)
{
    struct regions all = {0};
    ir_each_block (b, s->f)
        ir_each_inst (i, b)
            all.n += i->op == IR_OP_split;
    all.of = arena_array(s->arena, struct region_of, all.n + 1);
    all.around = arena_alloc_array(s->arena, s->f->nblocks + 1, sizeof *all.around);
    VEC(struct ir_block *) *ends = arena_alloc_array(s->arena, all.n + 1, sizeof *ends);
    uint32_t n = 0, next = 0;
    ir_each_block (b, s->f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_split) {
                all.of[n] = (struct region_of){.split = i, .barrier = -1};
                i->data = &all.of[n++];
            }
    ir_each_block (b, s->f)
        ir_each_inst (i, b) {
            const struct ir_value *token = i->op == IR_OP_join ? i->args[0] : NULL;
            if (token && token->kind == IR_VALUE_RESULT && token->u.inst->op == IR_OP_split)
                vec_push(s->arena, &ends[(struct region_of *)token->u.inst->data - all.of], b);
        }
    for (uint32_t k = 0; k < all.n; k++) {
        struct region_of *r = &all.of[k];
        reach_back(s, &all, r, ends[k].data, ends[k].len);
        const int barrier = free_barrier(s, &all, r, next);
        if (barrier >= 0)
            next = (uint32_t)barrier + 1;
        r->barrier = r->blocks.len > 1 && r->ends == 1 && !may_wait(&all, r) ? barrier : -1;
    }
    return all;
}

/* The region with a barrier that a block is in, and that goes on where its ways have met, or NULL:
 * who leaves a smaller one before its end is not waited for there. */
static struct region_of *smallest_around(const struct regions *all, const struct ir_block *b,
                                         const struct ir_block *meeting)
{
    struct region_of *best = NULL;
    vec_each (struct region_of *, r, &all->around[b->id])
        if ((*r)->barrier >= 0 && is_within(all, *r, meeting) &&
            (!best || (*r)->blocks.len < best->blocks.len))
            best = *r;
    return best;
}

static void part_from(struct sass_func *s, const struct ir_block *from, bool *parted)
{
    VEC(const struct ir_block *) work = {0};
    bool *seen = arena_array(s->arena, bool, s->f->nblocks + 1);
    vec_push(s->arena, &work, from);
    while (work.len) {
        const struct ir_block *b = vec_pop(&work);
        for (uint32_t k = 0; k < b->last->nedges; k++) {
            const struct ir_block *to = b->last->edges[k].to;
            if (seen[to->id])
                continue;
            seen[to->id] = parted[to->id] = true;
            vec_push(s->arena, &work, to);
        }
    }
}

/* ---- lanes that would wait for each other in different places ---- */
struct arm {  /* of a branch: what is reached before its ways meet */
    bool *in; /* by block id */
    VEC(struct ir_block *) blocks;
};

static void enter_arm(struct sass_func *s, struct arm *a, struct ir_block *b,
                      const struct ir_block *meeting)
{
    if (b == meeting || a->in[b->id])
        return;
    a->in[b->id] = true;
    vec_push(s->arena, &a->blocks, b);
}

static void walk_arm(struct sass_func *s, struct arm *a, struct ir_block *from,
                     const struct ir_block *meeting)
{
    vec_each (struct ir_block *, b, &a->blocks)
        a->in[(*b)->id] = false;
    a->blocks.len = 0;
    enter_arm(s, a, from, meeting);
    for (size_t k = 0; k < a->blocks.len; k++) {
        const struct ir_inst *last = a->blocks.data[k]->last;
        for (uint32_t e = 0; e < last->nedges; e++)
            enter_arm(s, a, last->edges[e].to, meeting);
    }
}

static bool waits_for_all(const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i; i = i->next)
        if (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red || i->op == IR_OP_gridsync ||
            i->op == IR_OP_cluster_barrier)
            return true;
    return whole_warp_op(b, NULL) != NULL;
}

static bool waits_outside(const struct arm *in, const struct arm *of)
{
    vec_each (struct ir_block *, b, &of->blocks)
        if (!in->in[(*b)->id] && waits_for_all(*b))
            return true;
    return false;
}

/* From sm_90 on lanes meet in different places. */
static void meet_apart(struct sass_func *s, struct ir_inst *asks, const char *what)
{
    if (s->chip & SM90) {
        s->collective = true;
        return;
    }
    s->at = asks;
    sass_refuse(s, "%s", what);
}

/* Is the whole warp asked for in one way of a branch that may part it, and do the lanes that go
 * another way wait for all of it elsewhere? */
static void look_at_branch(struct sass_func *s, const struct ir_block *b, struct ir_block *meeting,
                           struct arm *arm, struct arm *other)
{
    for (uint32_t e = 0; e < b->last->nedges; e++) {
        walk_arm(s, arm, b->last->edges[e].to, meeting);
        struct ir_inst *asks = NULL;
        vec_each (struct ir_block *, x, &arm->blocks)
            asks = asks ? asks : whole_warp_op(*x, NULL);
        for (uint32_t o = 0; asks && o <= b->last->nedges; o++) {
            const bool later = o == b->last->nedges;
            struct ir_block *from = later ? meeting : b->last->edges[o].to;
            if (o == e || !from)
                continue;
            walk_arm(s, other, from, later ? NULL : meeting);
            if (!waits_outside(arm, other))
                continue;
            meet_apart(s, asks,
                       "an operation of the whole warp that lanes may reach while others wait for "
                       "it elsewhere");
            return;
        }
    }
}

/* Of branches that one believes to be the same for a warp nobody speaks: a row of the block that is
 * no whole number of warps is rare, and such a branch in it is no program. */
static void look_at_branches(struct sass_func *s)
{
    bool asks = false;
    ir_each_block (b, s->f)
        asks |= b->rpo != UINT32_MAX && whole_warp_op(b, NULL);
    if (!asks)
        return;
    const struct sass_convergence c = sass_converge(s, BELIEVE_ROWS);
    struct arm one = {.in = arena_array(s->arena, bool, s->f->nblocks + 1)}, two = one;
    two.in = arena_array(s->arena, bool, s->f->nblocks + 1);
    ir_each_block (b, s->f)
        if (b->rpo != UINT32_MAX && c.parts[b->id] && !s->failed)
            look_at_branch(s, b, c.meeting[b->id], &one, &two);
}

/* One that counts the whole block, or NULL. */
static struct ir_inst *whole_block_op(const struct ir_block *b)
{
    for (struct ir_inst *i = b->first; i; i = i->next)
        if ((i->op == IR_OP_barrier || i->op == IR_OP_barrier_red) && ir_is_const(i->args[1]) &&
            !i->args[1]->u.bits)
            return i;
    return NULL;
}

static void look_at_barriers(struct sass_func *s)
{
    ir_each_block (b, s->f)
        if (b->rpo != UINT32_MAX && s->apart[b->id] && whole_block_op(b))
            meet_apart(s, whole_block_op(b),
                       "a barrier of the block where the lanes of a warp are apart");
}

/* A region that nobody leaves before others needs no barrier. Where lanes part and no barrier
 * brings them together, they may be apart from then on. */
static void use_convergence(struct sass_func *s, struct regions *all)
{
    const struct sass_convergence c = sass_converge(s, BELIEVE_NOTHING);
    look_at_branches(s);
    s->apart = sass_converge(s, BELIEVE_MEMORY).parted;
    look_at_barriers(s);
    for (uint32_t k = 0; k < all->n; k++) {
        bool parts = false;
        vec_each (struct ir_block *, b, &all->of[k].blocks)
            parts |= (*b)->rpo != UINT32_MAX && (c.parts[(*b)->id] || c.parted[(*b)->id]);
        if (!parts || may_wait_for_warp(&all->of[k], &c))
            all->of[k].barrier = -1;
    }
    ir_each_block (b, s->f) {
        if (b->rpo == UINT32_MAX || !c.parts[b->id] || !c.meeting[b->id])
            continue;
        struct region_of *r = smallest_around(all, b, c.meeting[b->id]);
        if (!r)
            part_from(s, b, c.parted);
        if (!r || r->parted)
            continue;
        r->parted = true;
        for (size_t k = 1; k < r->blocks.len;
             k++) /* until it ends, wherever their ways met before */
            if (!joins(r->blocks.data[k], &r->split->results[0]))
                c.parted[r->blocks.data[k]->id] = true;
    }
    s->parted = c.parted;
    s->parting = c.parts;
    s->varies = c.varies;
}

/* The last join of b by which lanes that parted meet: in front of it they may be apart still. */
static const struct ir_inst *last_meeting(const struct ir_block *b)
{
    for (const struct ir_inst *i = b->last; i; i = i->prev) {
        if (i->op != IR_OP_join)
            continue;
        const struct region_of *r = i->args[0]->u.inst->data;
        if (r->barrier >= 0 && r->parted && r->split->block != b)
            return i;
    }
    return NULL;
}

bool sass_together(const struct sass_func *s)
{
    return s->parted && s->at && !s->meets_at && !s->parted[s->at->block->id];
}

static bool open_at_end(const struct regions *all, const struct region_of *r,
                        const struct ir_block *b)
{
    if (r->split->block != b && joins(b, &r->split->results[0]))
        return false;
    for (uint32_t k = 0; k < b->last->nedges; k++)
        if (is_within(all, r, b->last->edges[k].to))
            return true;
    return false;
}

/* Expects a region that b is of. */
static bool leaves(const struct regions *all, const struct region_of *r, const struct ir_block *b,
                   const struct ir_edge *e)
{
    return r->barrier >= 0 && open_at_end(all, r, b) && !is_within(all, r, e->to);
}

/* ---- edges ---- */
static void copy_words(struct sass_func *s, uint32_t d, struct sass_src from, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        sass_move(s, d, k, sass_reg(from.value, from.part + k));
}

struct copy {
    struct ir_value *to, *from;
    uint32_t held; /* register that holds `from` already, + 1 */
    bool done;
};

static bool is_plain(struct sass_func *s, struct ir_value *v)
{
    return !s->places.spilled[v->id] && !s->places.demoted[v->id] && sass_words(v->type);
}

static void write_param(struct sass_func *s, struct ir_value *to, struct ir_value *from,
                        uint32_t held)
{
    unsigned n = sass_words(to->type);
    if (!n) {
        struct sass_pred p = held ? (struct sass_pred){held - 1, false} : sass_true(s, from);
        if (s->places.demoted[to->id]) {
            keep_truth(s, to, p);
            return;
        }
        struct sass_inst *i = sass_put(s, OP_PLOP3);
        i->pd = register_of(s, to);
        i->p = p;
        i->mods[MOD_LUT_LOW] = LUT_A & 7;
        i->mods[MOD_LUT_HIGH] = LUT_A >> 3;
        return;
    }
    if (is_plain(s, to)) {
        uint32_t d = register_of(s, to);
        if (held) {
            copy_words(s, d, sass_reg(held - 1, 0), n);
            return;
        }
        for (unsigned k = 0; k < n; k++)
            sass_move(s, d, k, sass_word(s, from, k));
        return;
    }
    struct sass_src x = held ? sass_reg(held - 1, 0) : sass_whole(s, from);
    if (s->regs.data[x.value].size != n) { /* a part of more */
        uint32_t r = sass_new(s, n);
        copy_words(s, r, x, n);
        x = sass_reg(r, 0);
    }
    sass_store_slot(s, slot_of(s, to), x.value);
}

/* Does `from` change when `to` is written? */
static bool same_place(struct ir_value *from, const struct ir_value *to)
{
    return origin(from) == to;
}

static void copy_edge(struct sass_func *s, struct ir_edge *e)
{
    struct copy *c = arena_array(s->arena, struct copy, e->nargs + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < e->nargs; k++) {
        struct ir_value *to = e->to->params.data[k];
        if (e->args[k] != to && s->uses[to->id])
            c[n++] = (struct copy){.to = to, .from = e->args[k]};
    }
    for (uint32_t left = n; left;) {
        bool moved = false;
        for (uint32_t k = 0; k < n; k++) {
            bool wanted = false;
            for (uint32_t j = 0; j < n; j++)
                wanted |= j != k && !c[j].done && !c[j].held && same_place(c[j].from, c[k].to);
            if (c[k].done || wanted)
                continue;
            write_param(s, c[k].to, c[k].from, c[k].held);
            c[k].done = moved = true;
            left--;
        }
        if (moved || !left)
            continue;
        for (uint32_t k = 0; k < n; k++) { /* a circle: one is held aside */
            if (c[k].done || c[k].held)
                continue;
            unsigned words = sass_words(c[k].from->type);
            uint32_t t = sass_new(s, words);
            if (words) {
                for (unsigned w = 0; w < words; w++)
                    sass_move(s, t, w, sass_word(s, c[k].from, w));
            } else {
                struct sass_pred p = sass_true(s, c[k].from);
                struct sass_inst *i = sass_put(s, OP_PLOP3);
                i->pd = t;
                i->p = p;
                i->mods[MOD_LUT_LOW] = LUT_A & 7;
                i->mods[MOD_LUT_HIGH] = LUT_A >> 3;
            }
            c[k].held = t + 1;
            break;
        }
    }
}

static bool is_plain_edge(struct sass_func *s, const struct regions *r, struct ir_block *b,
                          struct ir_edge *e)
{
    for (uint32_t k = 0; k < e->nargs; k++)
        if (e->args[k] != e->to->params.data[k] && s->uses[e->to->params.data[k]->id])
            return false;
    vec_each (struct region_of *, o, &r->around[b->id])
        if (leaves(r, *o, b, e))
            return false;
    return true;
}

static void take_edge(struct sass_func *s, const struct regions *r, struct ir_block *b,
                      struct ir_edge *e)
{
    vec_each (struct region_of *, o, &r->around[b->id])
        if (leaves(r, *o, b, e))
            sass_put(s, OP_BREAK)->mods[MOD_BARRIER] = (uint16_t)(*o)->barrier;
    copy_edge(s, e);
    sass_goto(s, s->first_block[e->to->id]);
}

/* Where an edge begins: the block itself, or one of its own, made when the others are done. */
static uint32_t edge_block(struct sass_func *s, const struct regions *r, struct ir_block *b,
                           struct ir_edge *e, bool *own)
{
    *own = !is_plain_edge(s, r, b, e);
    return *own ? sass_block_new(s) : s->first_block[e->to->id];
}

static void end_condbr(struct sass_func *s, const struct regions *r, struct ir_inst *i)
{
    bool own[2];
    uint32_t to[2];
    struct sass_pred p = sass_true(s, i->args[0]);
    for (unsigned k = 0; k < 2; k++)
        to[k] = edge_block(s, r, i->block, &i->edges[k], &own[k]);
    const bool next = i->edges[0].to->rpo == i->block->rpo + 1;
    if (!own[1] && (own[0] || next)) {
        p.neg = !p.neg;
        sass_branch(s, p, to[1], to[0]);
    } else {
        sass_branch(s, p, to[0], to[1]);
    }
    for (unsigned n = 0; n < 2; n++) {
        unsigned k = own[0] && own[1] ? 1 - n : n; /* what falls through comes first */
        if (own[k]) {
            sass_begin(s, to[k]);
            take_edge(s, r, i->block, &i->edges[k]);
        }
    }
}

static void end_switch(struct sass_func *s, const struct regions *r, struct ir_inst *i)
{
    struct ir_value *x = i->args[0];
    for (uint32_t k = 1; k < i->nedges; k++) {
        struct sass_pred p;
        if (!sass_words(x->type)) {
            p = sass_true(s, x);
            p.neg ^= !(i->edges[k].case_value & 1);
        } else {
            uint64_t v = i->edges[k].case_value;
            p = sass_compare(s, CMP_EQ, false, sass_word(s, x, 0), sass_imm((uint32_t)v));
            if (sass_words(x->type) == 2) {
                struct sass_pred q = sass_compare(s, CMP_EQ, false, sass_word(s, x, 1),
                                                  sass_imm((uint32_t)(v >> 32)));
                p = sass_plogic(s, LUT_AND, p, q);
            }
        }
        uint32_t hit = sass_block_new(s), next = sass_block_new(s);
        p.neg = !p.neg;
        sass_branch(s, p, next, hit);
        sass_begin(s, hit);
        take_edge(s, r, i->block, &i->edges[k]);
        sass_begin(s, next);
    }
    take_edge(s, r, i->block, &i->edges[0]);
}

/* ---- the whole ---- */
static void split(struct sass_func *s, const struct ir_inst *i)
{
    struct region_of *r = i->data;
    if (r->barrier < 0)
        return;
    if (s->chip & BEFORE_80) /* as the vendor's code does */
        sass_put(s, OP_BMOV_CLEAR)->mods[MOD_BARRIER] = (uint16_t)r->barrier;
    struct sass_inst *m = sass_put(s, OP_BSSY);
    m->mods[MOD_BARRIER] = (uint16_t)r->barrier;
    const bool first = r->end->first == end_of(r, r->end);
    r->meeting = first ? s->first_block[r->end->id] : sass_block_new(s);
    m->imm = (int32_t)r->meeting;
}

static void join(struct sass_func *s, const struct ir_inst *i)
{
    const struct region_of *r = i->args[0]->u.inst->data;
    if (s->meets_at == i)
        s->meets_at = NULL;
    if (r->barrier < 0 || i->block == r->split->block)
        return;
    if (r->meeting != s->first_block[i->block->id]) {
        sass_goto(s, r->meeting);
        sass_begin(s, r->meeting);
    }
    sass_put(s, OP_BSYNC)->mods[MOD_BARRIER] = (uint16_t)r->barrier;
}

static void end_trap(struct sass_func *s)
{
    sass_put(s, OP_BPT)->imm = 4;
}

/* ---- loops that look at memory ---- */
/* A loop that looks may wait for what it looks for; one that throws away what it saw does not. */
static bool may_wait_in(const struct sass_func *s, const struct ir_block *b)
{
    ir_each_inst (i, b)
        if (looks_at_others(i) && (i->op != IR_OP_rmw || s->uses[i->results[0].id]))
            return true;
    return false;
}

static bool loop_may_wait(const struct sass_func *s, const struct ir_loop *l)
{
    vec_each (struct ir_block *, b, &l->blocks)
        if (may_wait_in(s, *b))
            return true;
    return false;
}

/* Can some lanes leave it before others? */
static bool leaves_loop(const struct sass_func *s, const struct ir_loop *l,
                        const struct ir_block *b)
{
    for (uint32_t e = 0; s->parting[b->id] && e < b->last->nedges; e++)
        if (!l->in[b->last->edges[e].to->id])
            return true;
    return false;
}

/* Lanes that have left a loop are to meet those inside, where these call the whole warp. */
static void look_at_leaving(struct sass_func *s, const struct ir_loop *l)
{
    struct ir_inst *asks = NULL;
    bool leaves = false;
    vec_each (struct ir_block *, b, &l->blocks) {
        asks = asks ? asks : whole_warp_op(*b, NULL);
        leaves |= leaves_loop(s, l, *b);
    }
    if (asks && leaves)
        meet_apart(s, asks,
                   "an operation of the whole warp in a loop that lanes may leave before others");
}

static bool meets_later(const struct regions *all, const struct ir_block *b)
{
    vec_each (struct region_of *, r, &all->around[b->id])
        if ((*r)->barrier >= 0 && open_at_end(all, *r, b))
            return true;
    return false;
}

/* Lanes that look again and again at memory let the others of their warp, whom they may wait for,
 * run: where the loop turns, and no convergence barrier is open, for nobody waits there any more
 * for a lane that has yielded. */
static void look_at_loops(struct sass_func *s, const struct regions *all)
{
    struct ir_loop l = ir_no_loop(s->arena, s->f);
    s->yields = arena_array(s->arena, bool, s->f->nblocks + 1);
    ir_each_block (b, s->f)
        for (uint32_t e = 0; b->rpo != UINT32_MAX && e < b->last->nedges; e++) {
            struct ir_block *to = b->last->edges[e].to;
            if (to->rpo > b->rpo)
                continue;
            ir_walk_loop(s->arena, &l, to, b);
            look_at_leaving(s, &l);
            s->yields[b->id] |= loop_may_wait(s, &l) && !meets_later(all, b);
        }
}

static void select_inst(struct sass_func *s, const struct regions *r, struct ir_inst *i)
{
    s->at = i;
    for (uint32_t k = 0; k < i->nresults; k++)
        if (ir_is_vector(i->results[k].type)) {
            sass_refuse(s, "a vector operation (%s)", ir_op_info[i->op].name);
            return;
        }
    if (i == i->block->last && s->yields[i->block->id])
        sass_put(s, OP_YIELD);
    switch (i->op) {
    case IR_OP_split: split(s, i); return;
    case IR_OP_join: join(s, i); return;
    case IR_OP_br: take_edge(s, r, i->block, &i->edges[0]); return;
    case IR_OP_condbr: end_condbr(s, r, i); return;
    case IR_OP_switch: end_switch(s, r, i); return;
    case IR_OP_ret:
    case IR_OP_exit: sass_put(s, OP_EXIT); return;
    case IR_OP_unreachable:
        end_trap(s);
        sass_put(s, OP_EXIT);
        return;
    case IR_OP_trap: end_trap(s); return;
    case IR_OP_call:
        if (lower_call_of(i->callee) != LOWER_CALL_STACK_FULL)
            break;
        end_trap(s);
        return;
    default: break;
    }
    if (ir_op_info[i->op].flags & IR_PURE && i->nresults && !s->uses[i->results[0].id])
        return;
    if (sass_arith(s, i) || sass_float(s, i) || sass_convert(s, i) || sass_memory(s, i) ||
        sass_warp(s, i) || sass_matrix(s, i) || sass_texture(s, i) || sass_system(s, i) ||
        sass_cluster(s, i))
        return;
    const char *why = NULL;
    sass_supports(i->op, i->type, &why);
    sass_refuse(s, "operation %s%s%s%s", ir_op_info[i->op].name, why ? " (" : "", why ? why : "",
                why ? ")" : "");
}

static void begin_kernel(struct sass_func *s)
{
    struct ir_func *f = s->f;
    struct sass_inst *i;
    if (s->chip & FROM_80) { /* the descriptor that global memory is reached through */
        i = sass_put(s, OP_ULDC);
        i->b = constant(0, s->arch >= 90 ? 0x208 : 0x118);
    }
    if (s->collective)
        sass_put(s, OP_UMOV)->imm = -1;
    s->stack = sass_new(s, 1);
    if (s->calls) {
        enum { STACK = 1 };
        s->regs.data[s->stack].fixed = true;
        s->regs.data[s->stack].color = STACK;
    }
    uint32_t top = sass_new(s, 1);
    sass_move(s, top, 0, constant(0, 0x28));
    sass_op3(s, OP_IADD3, s->stack, 0, sass_reg(top, 0), sass_imm(1), sass_zero());
    for (uint32_t k = 0; k < f->params.len && k < f->first->params.len; k++) {
        struct ir_value *v = f->first->params.data[k];
        if (f->params.data[k].byval_size || !s->uses[v->id])
            continue;
        unsigned n = sass_words(v->type);
        if (n && ir_bytes(v->type) >= 4 && s->places.spilled[v->id])
            continue; /* read where it is used */
        if (n && ir_bytes(v->type) >= 4) {
            uint32_t r = register_of(s, v);
            if (loads_constants(s))
                load_constant(s, r, 0, constant(0, param_at(s, v)), n);
            for (unsigned w = 0; w < n && !loads_constants(s); w++)
                sass_move(s, r, w, constant(0, param_at(s, v) + 4 * w));
            continue;
        }
        uint32_t r = n ? sass_result(s, v) : sass_new(s, 1);
        i = sass_put(s, OP_LDC);
        i->d = r;
        i->a = sass_zero();
        i->b = constant(0, param_at(s, v));
        i->mods[MOD_SIZE] = ir_bytes(v->type) == 2 ? 2 : 0;
        if (n) {
            sass_done(s, v, r);
            continue;
        }
        uint32_t bit = sass_new(s, 1);
        sass_logic(s, bit, 0, sass_reg(r, 0), sass_imm(1), sass_zero(), LUT_AND);
        if (s->places.spilled[v->id]) {
            sass_store_slot(s, slot_of(s, v), bit);
        } else if (s->places.demoted[v->id]) {
            sass_move(s, register_of(s, v), 0, sass_reg(bit, 0));
        } else {
            struct sass_pred p = sass_compare(s, CMP_NE, false, sass_reg(bit, 0), sass_zero());
            s->reg_of[v->id] = p.reg + 1;
            s->regs.data[p.reg].value = v->id;
        }
    }
}

/* The frame lies below where the stack begins. */
static void place_frame(struct sass_func *s)
{
    s->frame_bytes = (s->frame_bytes + 15) & ~15u;
    vec_each (struct sass_inst, i, &s->blocks.data[s->order.data[0]].code)
        if (i->op == OP_IADD3 && i->d == s->stack)
            i->b = s->frame_bytes ? sass_imm(0 - s->frame_bytes) : sass_zero();
}

/* What is rarely run stands behind all else: what runs often then lies together, for caches of
 * instructions. */
static void begin_block(struct sass_func *s, const struct ir_block *b)
{
    const uint32_t block = s->first_block[b->id];
    if (b->rare)
        sass_begin_aside(s, block);
    else
        sass_begin(s, block);
}

struct sass_func *sass_select(struct back_job *job, struct ir_func *f, unsigned arch,
                              const struct sass_places *places, const struct sass_layouts *where,
                              bool grouped)
{
    struct sass_func *s = arena_new(where->arena, struct sass_func);
    s->arena = where->arena;
    s->job = job;
    s->f = f;
    s->arch = arch;
    s->chip = sass_chip(arch);
    s->places = *places;
    s->shared = where->shared;
    s->globals = where->globals;
    s->constants = where->constants;
    s->system_slots = where->system_slots;
    s->grid_counter = where->grid_counter;
    s->calls = sass_calls_system(f);
    s->clusters = sass_asks_cluster(f) || sass_options(job)->clusters;
    s->uses_flags |= s->clusters ? BACK_USES_CLUSTER : 0;
    s->rank.reg = s->window.reg = SASS_NONE;
    s->constant_of = arena_array(s->arena, uint32_t, f->nvalues + 1);
    s->grouped = grouped;
    s->reg_of = arena_array(s->arena, uint32_t, f->nvalues + 1);
    s->part_of = arena_array(s->arena, uint8_t, f->nvalues + 1);
    s->slot_of = arena_array(s->arena, uint32_t, f->nvalues + 1);
    s->first_block = arena_array(s->arena, uint32_t, f->nblocks + 1);
    s->uses = ir_use_counts(s->arena, f);
    ir_cfg(f);
    struct regions regions = find_regions(s);
    use_convergence(s, &regions);
    look_at_loops(s, &regions);
    if (s->failed)
        return s;
    sass_find_groups(s);
    struct ir_block **order = arena_array(s->arena, struct ir_block *, f->nblocks + 1);
    uint32_t n = 0;
    ir_each_block (b, f)
        if (b->rpo != UINT32_MAX) {
            order[b->rpo] = b;
            n++;
        }
    for (uint32_t k = 0; k < n; k++)
        s->first_block[order[k]->id] = sass_block_new(s);
    for (uint32_t k = 0; k < n && !s->failed; k++) {
        begin_block(s, order[k]);
        s->meets_at = last_meeting(order[k]);
        if (!k)
            begin_kernel(s);
        ir_each_inst (i, order[k])
            if (!s->failed)
                select_inst(s, &regions, i);
    }
    vec_each (uint32_t, b, &s->aside)
        vec_push(s->arena, &s->order, *b);
    place_frame(s);
    return s;
}
