/* Instructions as words of 128 bits, back, and as text: sass.def read in both directions.
 *
 * Bits 0-8 opcode, 9-11 form, 12-15 guard, 16 D, 24 A, 32 B or an immediate or (38) a constant, 64
 * C, modifiers from 72 on, 105 on the control word. An immediate or constant in C's place stands
 * where B does, and B where C does. */
#include "back/sass/sass_int.h"

#define BIT(n)                     (UINT64_C(1) << ((n)-64))
#define NONE                       {MOD_NONE, 0, 0, 0},
#define M(name, low, width, value) {MOD_##name, low, width, value},
const struct sass_row sass_rows[SASS_OPS] = {
#define SASS(name, text, opcode, operands, high, class, chips, ...)                                \
    [OP_##name] = {text, opcode, operands, high, CLASS_##class, chips, {__VA_ARGS__}},
#include "back/sass/sass.def"
};
#undef M
#undef NONE
#undef BIT

unsigned sass_chip(unsigned arch)
{
    switch (arch) {
    case 70: return SM70;
    case 75: return SM75;
    case 80: return SM80;
    case 86: return SM86;
    case 89: return SM89;
    case 90: return SM90;
    default: return 0;
    }
}

/* ---- what older chips write otherwise ---- */
static const struct {
    uint16_t op, old;
} variants[] = {
    {OP_WARPSYNC, OP_WARPSYNC_OLD},
    {OP_WARPSYNC_ALL, OP_WARPSYNC_ALL_OLD},
    {OP_LDG, OP_LDG_OLD},
    {OP_STG, OP_STG_OLD},
    {OP_LD, OP_LD_OLD},
    {OP_ST, OP_ST_OLD},
    {OP_LDS, OP_LDS_OLD},
    {OP_ATOMG, OP_ATOMG_OLD},
    {OP_RED, OP_RED_OLD},
    {OP_ATOM, OP_ATOM_OLD},
    {OP_ATOMG_CAS, OP_ATOMG_CAS_OLD},
    {OP_ATOM_CAS, OP_ATOM_CAS_OLD},
    {OP_ATOMS, OP_ATOMS_OLD},
    {OP_NANOSLEEP, OP_NANOSLEEP_OLD},
    {OP_SULD_B, OP_SULD_OLD},
    {OP_SUST_B, OP_SUST_OLD},
    {OP_SURED_B, OP_SURED_OLD},
};

const struct sass_row *sass_row_for(enum sass_op op, unsigned chip)
{
    for (unsigned k = 0; !(sass_rows[op].chips & chip) && k < sizeof variants / sizeof *variants;
         k++)
        if (variants[k].op == op && sass_rows[variants[k].old].chips & chip)
            return &sass_rows[variants[k].old];
    return &sass_rows[op];
}

static enum sass_op today(unsigned op)
{
    for (unsigned k = 0; k < sizeof variants / sizeof *variants; k++)
        if (variants[k].old == op)
            return (enum sass_op)variants[k].op;
    return (enum sass_op)op;
}

/* How accesses are ordered: weak, read-only, and by a block, the device, the system. */
static const struct {
    uint8_t now, old;
} orders[] = {{0, 7}, {4, 3}, {5, 8}, {7, 10}, {10, 11}};

static uint64_t order_of(uint64_t v, const struct sass_row *r, bool read)
{
    if (r->chips & ~(unsigned)BEFORE_80)
        return v;
    for (unsigned k = 0; k < sizeof orders / sizeof *orders; k++)
        if (v == (read ? orders[k].old : orders[k].now))
            return read ? orders[k].now : orders[k].old;
    return 15; /* none that we have */
}

struct sass_inst sass_inst(enum sass_op op)
{
    const struct sass_row *r = &sass_rows[op];
    struct sass_inst i = {.op = (uint16_t)op, .d = SASS_NONE, .pd = SASS_NONE, .pe = SASS_NONE};
    i.guard.reg = i.p.reg = i.q.reg = i.r.reg = SASS_NONE;
    i.set_write = i.set_read = 7;
    i.d_parts = 1;
    for (unsigned k = 0; k < SASS_MOST_MODS && r->mods[k].mod; k++)
        i.mods[r->mods[k].mod] = r->mods[k].value;
    /* what carries and third operands are where there are none: not true */
    if (r->operands & O_ALU && (op == OP_IADD3 || op == OP_IMAD || op == OP_IMAD_WIDE ||
                                op == OP_IMAD_HI || op == OP_LEA || op == OP_LOP3))
        i.p.neg = i.q.neg = true;
    return i;
}

/* ---- fields ---- */
static void put(struct sass_word *w, unsigned low, unsigned width, uint64_t v)
{
    v &= width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (low < 64) {
        w->low |= v << low;
        if (low + width > 64)
            w->high |= v >> (64 - low);
    } else {
        w->high |= v << (low - 64);
    }
}

static uint64_t get(const struct sass_word *w, unsigned low, unsigned width)
{
    uint64_t v;
    if (low >= 64)
        v = w->high >> (low - 64);
    else
        v = w->low >> low | (low ? w->high << (64 - low) : 0);
    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static unsigned number(const struct sass_src *x)
{
    return x->kind != SRC_REG || x->value == SASS_NONE ? RZ : x->value + x->part;
}

static unsigned predicate(uint32_t r)
{
    return r == SASS_NONE ? PT : r;
}

static void put_pred(struct sass_word *w, unsigned low, struct sass_pred p)
{
    put(w, low, 3, predicate(p.reg));
    put(w, low + 3, 1, p.neg);
}

static void put_signs(struct sass_word *w, const struct sass_src *x, unsigned abs, unsigned neg)
{
    if (x->abs)
        put(w, abs, 1, 1);
    if (x->neg)
        put(w, neg, 1, 1);
}

/* ---- encoding ---- */
static void put_place(struct sass_word *w, const struct sass_src *x) /* in B's field */
{
    if (x->kind == SRC_IMM) {
        put(w, 32, 32, x->value);
    } else if (x->kind == SRC_CONST) {
        put(w, 38, 16, x->value);
        put(w, 54, 5, x->bank);
        put_signs(w, x, 62, 63);
    } else if (x->kind == SRC_UNIFORM) {
        put(w, 32, 6, x->value);
        put_signs(w, x, 62, 63);
        put(w, 91, 1, 1);
    } else {
        put(w, 32, 8, number(x));
        put_signs(w, x, 62, 63);
    }
}

static void put_alu(struct sass_word *w, const struct sass_inst *i, uint32_t operands)
{
    static const unsigned moved[] = {[SRC_IMM] = 2, [SRC_CONST] = 3, [SRC_UNIFORM] = 7};
    static const unsigned plain[] = {
        [SRC_NONE] = 1, [SRC_REG] = 1, [SRC_IMM] = 4, [SRC_CONST] = 5, [SRC_UNIFORM] = 6};
    struct sass_src b = i->b, c = i->c;
    bool has_b = operands & O_B, has_c = operands & O_C;
    if (operands & O_IMM_C && moved[b.kind]) {
        c = b;
        has_c = true;
        has_b = false;
    }
    if (operands & O_A) {
        put(w, 24, 8, number(&i->a));
        put_signs(w, &i->a, 73, 72);
    }
    if (has_c && moved[c.kind]) {
        put(w, 9, 3, moved[c.kind]);
        put_place(w, &c);
        if (has_b) {
            put(w, 64, 8, number(&b));
            put_signs(w, &b, 74, 75);
        }
        return;
    }
    put(w, 9, 3, has_b ? plain[b.kind] : 1);
    if (has_b)
        put_place(w, &b);
    if (has_c) {
        put(w, 64, 8, number(&c));
        put_signs(w, &c, 74, 75);
    }
}

static void put_target(struct sass_word *w, uint32_t operands, unsigned arch, int64_t distance)
{
    if (operands & O_TARGET32) {
        put(w, 32, 32, (uint64_t)distance);
        return;
    }
    int64_t steps = distance / 4;
    if (arch >= 90) {
        put(w, 16, 8, (uint64_t)steps);
        put(w, 34, 48, (uint64_t)(steps >> 8));
    } else {
        put(w, 34, 48, (uint64_t)steps);
    }
}

struct sass_word sass_encode(const struct sass_inst *i, unsigned arch, uint32_t at, uint32_t target)
{
    const struct sass_row *r = sass_row_for(i->op, sass_chip(arch));
    const uint32_t o = r->operands;
    struct sass_word w = {.low = r->opcode, .high = r->high};
    put_pred(&w, 12, i->guard);
    for (unsigned k = 0; k < SASS_MOST_MODS && r->mods[k].mod; k++) {
        const unsigned m = r->mods[k].mod;
        put(&w, r->mods[k].low, r->mods[k].width,
            m == MOD_ORDER       ? order_of(i->mods[m], r, false)
            : m == MOD_ALL_LANES ? UINT32_MAX
                                 : i->mods[m]);
    }
    if (o & O_D)
        put(&w, 16, 8, i->d == SASS_NONE ? RZ : i->d + i->d_part);
    if (o & O_NO_D)
        put(&w, 16, 8, RZ);
    if (o & O_ALU)
        put_alu(&w, i, o);
    else if (o & O_A)
        put(&w, o & O_A_AT_32 ? 32 : 24, 8, number(&i->a));
    if (o & O_B32)
        put(&w, o & O_B_AT_64 ? 64 : 32, 8, number(&i->b));
    if (o & O_C64)
        put(&w, 64, 8, number(&i->c));
    if (o & O_D2)
        put(&w, 64, 8,
            i->d == SASS_NONE || __builtin_popcount(i->mods[MOD_MASK]) < 3 ? RZ
                                                                           : i->d + i->d_part + 2);
    if (o & O_BINDLESS)
        put(&w, 59, 1, 1);
    if (o & O_IMM24)
        put(&w, 40, 24, (uint64_t)(int64_t)i->imm);
    if (o & O_IMM32)
        put(&w, 32, 32, (uint32_t)i->imm);
    if (o & O_CONST) {
        put(&w, 38, 16, i->b.value);
        put(&w, 54, 5, i->b.bank);
    }
    if (o & O_PD)
        put(&w, 81, 3, predicate(i->pd));
    if (o & O_PE)
        put(&w, 84, 3, predicate(i->pe));
    if (o & O_P)
        put_pred(&w, 87, i->p);
    if (o & O_P_IN && i->p.reg != SASS_NONE)
        put_pred(&w, 87, i->p);
    if (o & O_QX)
        put_pred(&w, 77, i->q);
    if (o & O_QC)
        put_pred(&w, 68, o & O_QX ? i->r : i->q);
    if (o & O_GO)
        put(&w, 87, 3, PT);
    if (o & (O_TARGET | O_TARGET32))
        put_target(&w, o, arch, (int64_t)target - (at + 16));
    put(&w, 105, 4, i->stall);
    put(&w, 109, 1, i->yield);
    put(&w, 110, 3, i->set_write);
    put(&w, 113, 3, i->set_read);
    put(&w, 116, 6, i->wait);
    put(&w, 122, 3, i->reuse);
    return w;
}

/* ---- decoding ---- */
static struct sass_src register_at(const struct sass_word *w, unsigned low)
{
    unsigned n = (unsigned)get(w, low, 8);
    return (struct sass_src){.kind = SRC_REG, .value = n == RZ ? SASS_NONE : n, .parts = 1};
}

static struct sass_pred pred_at(const struct sass_word *w, unsigned low)
{
    unsigned n = (unsigned)get(w, low, 3);
    return (struct sass_pred){n == PT ? SASS_NONE : n, get(w, low + 3, 1)};
}

static uint32_t dest_at(const struct sass_word *w, unsigned low)
{
    unsigned n = (unsigned)get(w, low, 3);
    return n == PT ? SASS_NONE : n;
}

static void get_signs(const struct sass_word *w, struct sass_src *x, unsigned abs, unsigned neg)
{
    x->abs = get(w, abs, 1);
    x->neg = get(w, neg, 1);
}

static bool owns(const struct sass_row *r, unsigned bit) /* as a modifier, or constant? */
{
    for (unsigned k = 0; k < SASS_MOST_MODS && r->mods[k].mod; k++)
        if (bit >= r->mods[k].low && bit < (unsigned)r->mods[k].low + r->mods[k].width)
            return true;
    return bit >= 64 && r->high >> (bit - 64) & 1;
}

static struct sass_src place_at(const struct sass_word *w, unsigned kind)
{
    struct sass_src x = {.kind = (uint8_t)kind, .parts = 1};
    if (kind == SRC_IMM) {
        x.value = (uint32_t)get(w, 32, 32);
        return x;
    }
    if (kind == SRC_CONST) {
        x.value = (uint32_t)get(w, 38, 16);
        x.bank = (uint8_t)get(w, 54, 5);
    } else if (kind == SRC_UNIFORM) {
        x.value = (uint32_t)get(w, 32, 6);
    } else {
        x = register_at(w, 32);
    }
    get_signs(w, &x, 62, 63);
    return x;
}

static void get_alu(const struct sass_word *w, const struct sass_row *r, struct sass_inst *i)
{
    static const uint8_t kinds[] = {0,       SRC_REG,   SRC_IMM,     SRC_CONST,
                                    SRC_IMM, SRC_CONST, SRC_UNIFORM, SRC_UNIFORM};
    unsigned form = (unsigned)get(w, 9, 3);
    uint32_t o = r->operands;
    if (o & O_A) {
        i->a = register_at(w, 24);
        if (!owns(r, 72))
            i->a.neg = get(w, 72, 1);
        if (!owns(r, 73))
            i->a.abs = get(w, 73, 1);
    }
    if (form == 2 || form == 3 || form == 7) {
        struct sass_src x = place_at(w, kinds[form]);
        if (o & O_IMM_C && !(o & O_C)) {
            i->b = x;
            return;
        }
        i->c = x;
        if (o & O_B) {
            i->b = register_at(w, 64);
            if (!owns(r, 74))
                get_signs(w, &i->b, 74, 75);
        }
        return;
    }
    if (o & O_B)
        i->b = place_at(w, kinds[form]);
    if (o & O_C) {
        i->c = register_at(w, 64);
        if (!owns(r, 74))
            i->c.abs = get(w, 74, 1);
        if (!owns(r, 75))
            i->c.neg = get(w, 75, 1);
    }
}

static int64_t distance_at(const struct sass_word *w, uint32_t operands, unsigned arch)
{
    if (operands & O_TARGET32)
        return (int32_t)get(w, 32, 32);
    uint64_t high = get(w, 34, 48);
    uint64_t steps = arch >= 90 ? high << 8 | get(w, 16, 8) : high;
    unsigned bits = arch >= 90 ? 56 : 48;
    return ((int64_t)(steps << (64 - bits)) >> (64 - bits)) * 4;
}

static void get_fields(const struct sass_word *w, const struct sass_row *r, struct sass_inst *i)
{
    uint32_t o = r->operands;
    for (unsigned k = 0; k < SASS_MOST_MODS && r->mods[k].mod; k++)
        i->mods[r->mods[k].mod] = (uint16_t)get(w, r->mods[k].low, r->mods[k].width);
    i->mods[MOD_ORDER] = (uint16_t)order_of(i->mods[MOD_ORDER], r, true);
    i->guard = pred_at(w, 12);
    if (o & O_D) {
        unsigned n = (unsigned)get(w, 16, 8);
        i->d = n == RZ ? SASS_NONE : n;
    }
    if (o & O_ALU)
        get_alu(w, r, i);
    else if (o & O_A)
        i->a = register_at(w, o & O_A_AT_32 ? 32 : 24);
    if (o & O_B32)
        i->b = register_at(w, o & O_B_AT_64 ? 64 : 32);
    if (o & O_C64)
        i->c = register_at(w, 64);
    if (o & O_IMM24)
        i->imm = (int32_t)((uint32_t)get(w, 40, 24) << 8) >> 8;
    if (o & O_IMM32)
        i->imm = (int32_t)get(w, 32, 32);
    if (o & O_CONST)
        i->b = place_at(w, SRC_CONST), i->b.neg = i->b.abs = false;
    i->pd = o & O_PD ? dest_at(w, 81) : SASS_NONE;
    i->pe = o & O_PE ? dest_at(w, 84) : SASS_NONE;
    if (o & (O_P | O_P_IN))
        i->p = pred_at(w, 87);
    if (o & O_QX)
        i->q = pred_at(w, 77);
    if (o & O_QC)
        *(o & O_QX ? &i->r : &i->q) = pred_at(w, 68);
    i->stall = (uint8_t)get(w, 105, 4);
    i->yield = get(w, 109, 1);
    i->set_write = (uint8_t)get(w, 110, 3);
    i->set_read = (uint8_t)get(w, 113, 3);
    i->wait = (uint8_t)get(w, 116, 6);
}

static bool may_be(const struct sass_row *r, struct sass_word w)
{
    if (r->operands & O_ALU) {
        unsigned form = (unsigned)(w.low >> 9 & 7);
        return (w.low & 0x1ff) == r->opcode && form;
    }
    return (w.low & 0xfff) == r->opcode;
}

bool sass_decode(struct sass_word w, unsigned arch, uint32_t at, struct sass_inst *out,
                 uint32_t *target)
{
    const struct sass_word reuse = {0, UINT64_C(15) << (122 - 64)}; /* a hint, no meaning */
    w.high &= ~reuse.high;
    for (unsigned op = 0; op < SASS_OPS; op++) {
        const struct sass_row *r = &sass_rows[op];
        if (!may_be(r, w) || !(r->chips & sass_chip(arch)))
            continue;
        *out = sass_inst(today(op));
        get_fields(&w, r, out);
        *target = at + 16;
        if (r->operands & (O_TARGET | O_TARGET32))
            *target = (uint32_t)(at + 16 + distance_at(&w, r->operands, arch));
        struct sass_word back = sass_encode(out, arch, at, *target);
        if (back.low == w.low && back.high == w.high)
            return true;
    }
    return false;
}

/* ---- text ---- */
static void print_reg(struct sbuf *o, uint32_t r, unsigned part)
{
    if (r == SASS_NONE)
        sbuf_puts(o, "RZ");
    else
        sbuf_printf(o, "R%u", r + part);
}

static void print_src(struct sbuf *o, const struct sass_src *x)
{
    if (x->neg)
        sbuf_puts(o, "-");
    if (x->abs)
        sbuf_puts(o, "|");
    if (x->kind == SRC_IMM)
        sbuf_printf(o, "0x%x", x->value);
    else if (x->kind == SRC_CONST)
        sbuf_printf(o, "c[0x%x][0x%x]", x->bank, x->value);
    else if (x->kind == SRC_UNIFORM)
        sbuf_printf(o, "UR%u", x->value);
    else
        print_reg(o, x->value, x->part);
    if (x->abs)
        sbuf_puts(o, "|");
}

static void print_pred(struct sbuf *o, struct sass_pred p)
{
    if (p.neg)
        sbuf_puts(o, "!");
    if (p.reg == SASS_NONE)
        sbuf_puts(o, "PT");
    else
        sbuf_printf(o, "P%u", p.reg);
}

static const char *const mod_names[MOD_KINDS] = {
    [MOD_X] = "X",
    [MOD_SIGNED] = "S",
    [MOD_SHIFT] = "sh",
    [MOD_HI] = "HI",
    [MOD_LUT] = "lut",
    [MOD_TYPE] = "type",
    [MOD_WRAP] = "W",
    [MOD_RIGHT] = "R",
    [MOD_MODE] = "mode",
    [MOD_EX] = "EX",
    [MOD_BOOL] = "bool",
    [MOD_SAT] = "SAT",
    [MOD_FTZ] = "FTZ",
    [MOD_SRC] = "from",
    [MOD_DST] = "to",
    [MOD_WIDE] = "64",
    [MOD_ORDER] = "ord",
    [MOD_ATOM] = "op",
    [MOD_SPACE] = "in",
    [MOD_SR] = "SR",
    [MOD_LANE] = "lane",
    [MOD_CLAMP] = "clamp",
    [MOD_SEGMENT] = "seg",
    [MOD_NAME] = "bar",
    [MOD_COUNT] = "n",
    [MOD_SCOPE] = "scope",
    [MOD_BARRIER] = "B",
    [MOD_LUT_HIGH] = "lut",
    [MOD_LUT_LOW] = "lutlow",
    [MOD_RED] = "red",
    [MOD_ACQ_REL] = "ACQREL",
    [MOD_DIMS] = "dims",
    [MOD_MASK] = "mask",
    [MOD_LEVEL] = "level",
    [MOD_BOUNDS] = "bounds",
    [MOD_SCATTER] = "SCR",
    [MOD_OR] = "OR",
};

static void print_mods(struct sbuf *o, const struct sass_inst *i)
{
    static const char *const cmps[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                       "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    static const char *const rounds[] = {"", ".RM", ".RP", ".RZ"};
    static const char *const sizes[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".?"};
    static const char *const funcs[] = {"COS", "SIN",    "EX2",    "LG2",  "RCP",
                                        "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"};
    const struct sass_row *r = &sass_rows[i->op];
    for (unsigned k = 0; k < SASS_MOST_MODS && r->mods[k].mod; k++) {
        unsigned m = r->mods[k].mod, v = i->mods[m];
        if (m == MOD_CMP)
            sbuf_printf(o, ".%s", cmps[v & 15]);
        else if (m == MOD_ROUND)
            sbuf_puts(o, rounds[v & 3]);
        else if (m == MOD_SIZE)
            sbuf_puts(o, sizes[v & 7]);
        else if (m == MOD_FUNC && v < 10)
            sbuf_printf(o, ".%s", funcs[v]);
        else if (m == MOD_SIGNED)
            sbuf_puts(o, v ? "" : ".U32");
        else if (mod_names[m] && r->mods[k].width == 1)
            sbuf_printf(o, "%s%s", v ? "." : "", v ? mod_names[m] : "");
        else if (mod_names[m] && (v != r->mods[k].value || m == MOD_LUT || m == MOD_BARRIER))
            sbuf_printf(o, ".%s%u", mod_names[m], v);
    }
}

static void comma(struct sbuf *o, bool *some)
{
    sbuf_puts(o, *some ? ", " : " ");
    *some = true;
}

void sass_print(struct sbuf *o, const struct sass_inst *i, uint32_t target)
{
    const struct sass_row *r = &sass_rows[i->op];
    const uint32_t w = r->operands;
    bool some = false, memory = w & O_IMM24;
    if (i->guard.reg != SASS_NONE || i->guard.neg) {
        sbuf_puts(o, "@");
        print_pred(o, i->guard);
        sbuf_puts(o, " ");
    }
    sbuf_puts(o, r->name);
    print_mods(o, i);
    if (w & O_D)
        comma(o, &some), print_reg(o, i->d, i->d_part);
    if (w & O_PD && i->pd != SASS_NONE)
        comma(o, &some), sbuf_printf(o, "P%u", i->pd);
    if (w & O_PE && i->pe != SASS_NONE)
        comma(o, &some), sbuf_printf(o, "P%u", i->pe);
    if (w & O_UD)
        comma(o, &some), sbuf_printf(o, "UR%u", i->mods[MOD_UNIFORM]);
    if (w & O_A) {
        comma(o, &some);
        if (memory) {
            sbuf_puts(o, "[");
            print_src(o, &i->a);
            if (i->imm)
                sbuf_printf(o, "%+d", i->imm);
            sbuf_puts(o, "]");
        } else {
            print_src(o, &i->a);
        }
    }
    if (w & (O_B | O_B32 | O_CONST))
        comma(o, &some), print_src(o, &i->b);
    if (w & (O_C | O_C64))
        comma(o, &some), print_src(o, &i->c);
    if (w & (O_P | O_P_IN) && (i->p.reg != SASS_NONE || !i->p.neg))
        comma(o, &some), print_pred(o, i->p);
    if (w & (O_QX | O_QC) && i->q.reg != SASS_NONE)
        comma(o, &some), print_pred(o, i->q);
    if (w & (O_TARGET | O_TARGET32))
        comma(o, &some), sbuf_printf(o, "0x%x", target);
    if (w & O_IMM32)
        comma(o, &some), sbuf_printf(o, "0x%x", (unsigned)i->imm);
}

void sass_disassemble(struct sbuf *out, const struct sass_word *code, size_t n, unsigned arch)
{
    for (size_t k = 0; k < n; k++) {
        struct sass_inst i;
        uint32_t target;
        size_t begin = out->len;
        sbuf_printf(out, "    %04zx: ", k * 16);
        if (!sass_decode(code[k], arch, (uint32_t)(k * 16), &i, &target)) {
            sbuf_printf(out, ".word 0x%016llx, 0x%016llx\n", (unsigned long long)code[k].low,
                        (unsigned long long)code[k].high);
            continue;
        }
        sass_print(out, &i, target);
        while (out->len < begin + 64)
            sbuf_putc(out, ' ');
        sbuf_printf(out, "; %2u%s", i.stall, i.yield ? "y" : " ");
        if (i.set_write != 7)
            sbuf_printf(out, " w%u", i.set_write);
        if (i.set_read != 7)
            sbuf_printf(out, " r%u", i.set_read);
        for (unsigned b = 0; i.wait && b < 6; b++)
            if (i.wait >> b & 1)
                sbuf_printf(out, " ?%u", b);
        sbuf_putc(out, '\n');
    }
}
