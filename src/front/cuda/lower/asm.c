/* Inline PTX to IR: operands, registers, predicates, and the dispatch of one instruction at a time.
 * The instructions themselves are in asm_ops.c. Registers are variables of the function being
 * lowered, so that values live on through predicated parts as any local does. */
#include <ctype.h>
#include "front/cuda/lower/asm.h"

struct ptx_kind {
    const char *name;
    ir_type type;
    bool is_signed, is_float;
};

static const struct ptx_kind kinds[] = {
    {"u8", IR_I8, false, false},      {"s8", IR_I8, true, false},
    {"b8", IR_I8, false, false},      {"u16", IR_I16, false, false},
    {"s16", IR_I16, true, false},     {"b16", IR_I16, false, false},
    {"u32", IR_I32, false, false},    {"s32", IR_I32, true, false},
    {"b32", IR_I32, false, false},    {"u64", IR_I64, false, false},
    {"s64", IR_I64, true, false},     {"b64", IR_I64, false, false},
    {"f16", IR_F16, true, true},      {"bf16", IR_BF16, true, true},
    {"f32", IR_F32, true, true},      {"f64", IR_F64, true, true},
    {"pred", IR_I1, false, false},    {"f16x2", IR_I32, false, false},
    {"bf16x2", IR_I32, false, false}, {"tf32", IR_I32, false, false},
};

bool asm_kind(const char *name, struct asm_type *out)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) {
            *out = (struct asm_type){kinds[i].type, kinds[i].is_signed, kinds[i].is_float,
                                     kinds[i].name};
            return true;
        }
    return false;
}

_Noreturn void asm_fail(struct assembler *a, const char *fmt, ...)
{
    struct sbuf b;
    sbuf_init(&b, a->l->f->a);
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    cu_error(a->l->f, a->info->text_span, "in the inline PTX: %s", b.data);
}

/* ---- text ---- */

static void skip(struct assembler *a)
{
    for (;;) {
        while (a->p < a->end && isspace((unsigned char)*a->p))
            a->p++;
        if (a->p + 1 < a->end && a->p[0] == '/' && a->p[1] == '/') {
            while (a->p < a->end && *a->p != '\n')
                a->p++;
            continue;
        }
        if (a->p + 1 < a->end && a->p[0] == '/' && a->p[1] == '*') {
            a->p += 2;
            while (a->p + 1 < a->end && !(a->p[0] == '*' && a->p[1] == '/'))
                a->p++;
            a->p += a->p + 1 < a->end ? 2 : 1;
            continue;
        }
        return;
    }
}

static bool take(struct assembler *a, char c)
{
    skip(a);
    if (a->p >= a->end || *a->p != c)
        return false;
    a->p++;
    return true;
}

static void need(struct assembler *a, char c)
{
    if (!take(a, c))
        asm_fail(a, "expected '%c' before '%.*s'", c,
                 (int)(a->end - a->p > 16 ? 16 : a->end - a->p), a->p);
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static char *word(struct assembler *a)
{
    skip(a);
    const char *s = a->p;
    while (a->p < a->end && word_char(*a->p))
        a->p++;
    return arena_strndup(a->l->f->a, s, (size_t)(a->p - s));
}

/* ---- registers ---- */

static struct asm_reg *find_reg(struct assembler *a, const char *name)
{
    for (struct asm_reg *r = a->regs; r; r = r->next)
        if (!strcmp(r->name, name))
            return r;
    return NULL;
}

static struct asm_reg *new_reg(struct assembler *a, const char *name, ir_type t)
{
    struct front *f = a->l->f;
    struct asm_reg *r = arena_new(f->a, struct asm_reg);
    r->name = name;
    r->type = t;
    r->var = arena_new(f->a, struct var);
    r->var->d.kind = DECL_VAR;
    static const struct {
        ir_type ir;
        enum type_kind kind;
    } as[] = {{IR_I1, TY_BOOL},   {IR_I8, TY_UCHAR},  {IR_I16, TY_USHORT},
              {IR_I32, TY_UINT},  {IR_I64, TY_ULONG}, {IR_F16, TY_HALF},
              {IR_BF16, TY_BF16}, {IR_F32, TY_FLOAT}, {IR_F64, TY_DOUBLE}};
    for (size_t i = 0; i < sizeof as / sizeof *as; i++)
        if (as[i].ir == t)
            r->var->d.type = cu_type(f, as[i].kind);
    lo_write(a->l, r->var, ir_const(a->l->m, t, 0));
    r->next = a->regs;
    a->regs = r;
    return r;
}

/* .reg .u32 a, b, t<4>; */
static void declare(struct assembler *a)
{
    need(a, '.');
    struct asm_type t;
    const char *name = word(a);
    if (!asm_kind(name, &t))
        asm_fail(a, "registers of type '.%s' are not supported", name);
    do {
        skip(a);
        if (a->p < a->end && *a->p == '%') {
            a->p++;
            if (a->p < a->end && *a->p == '%')
                a->p++;
        }
        const char *reg = word(a);
        if (!*reg)
            asm_fail(a, "a register's name is missing");
        if (take(a, '<')) {
            unsigned n = (unsigned)strtoul(a->p, NULL, 10);
            while (a->p < a->end && isdigit((unsigned char)*a->p))
                a->p++;
            need(a, '>');
            if (n > 1024)
                asm_fail(a, "%u registers at once are too many", n);
            for (unsigned i = 0; i < n; i++)
                new_reg(a, arena_printf(a->l->f->a, "%s%u", reg, i), t.type);
        } else {
            new_reg(a, reg, t.type);
        }
    } while (take(a, ','));
    need(a, ';');
}

/* ---- operands ---- */

static struct asm_reg *operand_reg(struct assembler *a, unsigned n)
{
    if (n >= a->noperands)
        asm_fail(a, "there is no operand %%%u", n);
    return a->operands[n];
}

static const struct {
    const char *name;
    int sreg;
} special[] = {
    {"tid.x", IR_SREG_TID_X},
    {"tid.y", IR_SREG_TID_Y},
    {"tid.z", IR_SREG_TID_Z},
    {"ntid.x", IR_SREG_NTID_X},
    {"ntid.y", IR_SREG_NTID_Y},
    {"ntid.z", IR_SREG_NTID_Z},
    {"ctaid.x", IR_SREG_CTAID_X},
    {"ctaid.y", IR_SREG_CTAID_Y},
    {"ctaid.z", IR_SREG_CTAID_Z},
    {"nctaid.x", IR_SREG_NCTAID_X},
    {"nctaid.y", IR_SREG_NCTAID_Y},
    {"nctaid.z", IR_SREG_NCTAID_Z},
    {"laneid", IR_SREG_LANEID},
    {"warpid", IR_SREG_WARPID},
    {"nwarpid", IR_SREG_NWARPID},
    {"smid", IR_SREG_SMID},
    {"nsmid", IR_SREG_NSMID},
    {"gridid", IR_SREG_GRIDID},
    {"lanemask_eq", IR_SREG_LANEMASK_EQ},
    {"lanemask_lt", IR_SREG_LANEMASK_LT},
    {"lanemask_le", IR_SREG_LANEMASK_LE},
    {"lanemask_gt", IR_SREG_LANEMASK_GT},
    {"lanemask_ge", IR_SREG_LANEMASK_GE},
    {"dynamic_smem_size", IR_SREG_DYN_SHARED},
    {"total_smem_size", IR_SREG_TOTAL_SHARED},
};

static void special_register(struct assembler *a, const char *name, struct asm_operand_value *o)
{
    struct lower *l = a->l;
    o->kind = ASM_VALUE;
    if (!strcmp(name, "clock") || !strcmp(name, "clock64") || !strncmp(name, "globaltimer", 11) ||
        !strcmp(name, "clock_hi")) {
        struct ir_value *v = ir_build0(&l->b, IR_OP_clock, IR_I64, name[0] == 'g');
        if (!strcmp(name, "clock_hi") || !strcmp(name, "globaltimer_hi"))
            v = ir_build2(&l->b, IR_OP_lshr, IR_I64, v, lo_int(l, IR_I64, 32));
        bool wide = !strcmp(name, "clock64") || !strcmp(name, "globaltimer");
        o->value = wide ? v : ir_build1(&l->b, IR_OP_trunc, IR_I32, v);
        return;
    }
    if (!strcmp(name, "WARP_SZ")) {
        o->value = lo_int(l, IR_I32, 32);
        return;
    }
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (!strcmp(special[i].name, name)) {
            o->value =
                ir_build0(&l->b, IR_OP_sreg, special[i].sreg == IR_SREG_GRIDID ? IR_I64 : IR_I32,
                          (uint64_t)special[i].sreg);
            return;
        }
    asm_fail(a, "the special register '%%%s' is not supported", name);
}

static void parse_operand(struct assembler *a, struct asm_operand_value *o);

/* r.b0, r.h10: the dot is part of the word when the register has a name of its own. */
static struct asm_reg *selected_reg(struct assembler *a, char *name, struct asm_operand_value *o)
{
    char *dot = strchr(name, '.');
    struct asm_reg *r = NULL;
    if (dot) {
        *dot = 0;
        r = find_reg(a, name);
        *dot = '.';
    }
    if (r) {
        o->kind = ASM_REG;
        o->reg = r;
        o->select = dot + 1;
    }
    return r;
}

static void parse_number(struct assembler *a, struct asm_operand_value *o)
{
    bool neg = take(a, '-');
    skip(a);
    o->kind = ASM_NUMBER;
    if (a->p + 1 < a->end && a->p[0] == '0' &&
        (a->p[1] == 'f' || a->p[1] == 'F' || a->p[1] == 'd' || a->p[1] == 'D')) {
        o->is_float = a->p[1] == 'd' || a->p[1] == 'D' ? 64 : 32;
        a->p += 2;
        char *stop;
        o->number = strtoull(a->p, &stop, 16);
        a->p = stop;
        if (neg)
            o->number ^= o->is_float == 64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        return;
    }
    char *stop;
    const char *s = a->p;
    o->number = strtoull(s, &stop, 0);
    if (stop < a->end && *stop == '.') {
        double d = strtod(s, &stop);
        if (neg)
            d = -d;
        memcpy(&o->number, &d, 8);
        o->is_float = 64;
    } else {
        while (stop < a->end && (*stop == 'U' || *stop == 'u'))
            stop++;
        if (neg)
            o->number = 0 - o->number;
    }
    if (stop == s)
        asm_fail(a, "a number is expected before '%.*s'", (int)(a->end - s > 16 ? 16 : a->end - s),
                 s);
    a->p = stop;
}

/* {a, b}: several registers */
static void parse_list(struct assembler *a, struct asm_operand_value *o)
{
    o->kind = ASM_LIST;
    do {
        if (o->nlist >= 8)
            asm_fail(a, "a list of more than 8 operands");
        struct asm_operand_value *x = arena_new(a->l->f->a, struct asm_operand_value);
        parse_operand(a, x);
        o->list[o->nlist++] = x;
    } while (take(a, ','));
    need(a, '}');
}

/* [address], [address+8], [address-8] */
static void parse_address(struct assembler *a, struct asm_operand_value *o)
{
    o->kind = ASM_MEMORY;
    o->base = arena_new(a->l->f->a, struct asm_operand_value);
    parse_operand(a, o->base);
    skip(a);
    if (take(a, '+') || (a->p < a->end && *a->p == '-')) {
        struct asm_operand_value n = {0};
        parse_number(a, &n);
        o->offset = (int64_t)n.number;
    }
    need(a, ']');
}

/* %[name]: an operand of the statement by its name */
static void parse_named_operand(struct assembler *a, struct asm_operand_value *o)
{
    const char *name = word(a);
    need(a, ']');
    for (size_t i = 0; i < a->info->nout + a->info->nin; i++) {
        struct asm_operand *x =
            i < a->info->nout ? &a->info->out[i] : &a->info->in[i - a->info->nout];
        if (x->name && !strcmp(x->name, name)) {
            o->kind = ASM_REG;
            o->reg = operand_reg(a, (unsigned)i);
            return;
        }
    }
    asm_fail(a, "there is no operand '%s'", name);
}

/* %0, or a part of it: %0.h1 */
static void parse_numbered_operand(struct assembler *a, struct asm_operand_value *o)
{
    unsigned n = 0;
    while (a->p < a->end && isdigit((unsigned char)*a->p) && n < 1000)
        n = n * 10 + (unsigned)(*a->p++ - '0');
    o->kind = ASM_REG;
    o->reg = operand_reg(a, n);
    if (a->p < a->end && *a->p == '.') {
        a->p++;
        o->select = word(a);
    }
}

/* What a % begins: an operand of the statement, or a register, which PTX has with a % of its own;
 * that should be written %%, but one is understood, too. */
static void parse_percent(struct assembler *a, struct asm_operand_value *o)
{
    const char c = a->p < a->end ? *a->p : 0;
    if (c == '[') {
        a->p++;
        parse_named_operand(a, o);
        return;
    }
    if (isdigit((unsigned char)c)) {
        parse_numbered_operand(a, o);
        return;
    }
    if (c == '%')
        a->p++;
    char *name = word(a);
    struct asm_reg *r = find_reg(a, name);
    if (r) {
        o->kind = ASM_REG;
        o->reg = r;
    } else if (!selected_reg(a, name, o)) {
        special_register(a, name, o);
    }
}

static void parse_word(struct assembler *a, struct asm_operand_value *o)
{
    char *name = word(a);
    if (!strcmp(name, "_")) {
        o->kind = ASM_NONE;
        return;
    }
    if (!strcmp(name, "WARP_SZ")) {
        special_register(a, name, o);
        return;
    }
    struct asm_reg *r = find_reg(a, name);
    if (!r && selected_reg(a, name, o))
        return;
    if (!r)
        asm_fail(a, "'%s' is not a register", *name ? name : arena_strndup(a->l->f->a, a->p, 1));
    o->kind = ASM_REG;
    o->reg = r;
}

static void parse_operand(struct assembler *a, struct asm_operand_value *o)
{
    *o = (struct asm_operand_value){0};
    skip(a);
    if (a->p >= a->end)
        asm_fail(a, "an operand is missing");
    if (isdigit((unsigned char)*a->p) || *a->p == '-') {
        parse_number(a, o);
        return;
    }
    switch (*a->p++) {
    case '{': parse_list(a, o); break;
    case '[': parse_address(a, o); break;
    case '%': parse_percent(a, o); break;
    case '!':
        parse_operand(a, o);
        o->negated = true;
        break;
    default: a->p--; parse_word(a, o);
    }
}

/* ---- values of operands ---- */

struct ir_value *asm_cast(struct assembler *a, struct ir_value *v, ir_type t)
{
    struct lower *l = a->l;
    if (v->type == t)
        return v;
    if (ir_class(v->type) == IR_CLASS_PTR) {
        v = ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_generic(l, v));
        return asm_cast(a, v, t);
    }
    unsigned from = ir_bits(v->type), to = ir_bits(t);
    ir_type int_from = from == 1    ? IR_I1
                       : from == 8  ? IR_I8
                       : from == 16 ? IR_I16
                       : from == 32 ? IR_I32
                                    : IR_I64;
    ir_type int_to = to == 1    ? IR_I1
                     : to == 8  ? IR_I8
                     : to == 16 ? IR_I16
                     : to == 32 ? IR_I32
                                : IR_I64;
    if (v->type != int_from)
        v = ir_build1(&l->b, IR_OP_bitcast, int_from, v);
    if (to < from)
        v = ir_build1(&l->b, IR_OP_trunc, int_to, v);
    else if (to > from)
        v = ir_build1(&l->b, IR_OP_zext, int_to, v);
    return int_to == t ? v : ir_build1(&l->b, IR_OP_bitcast, t, v);
}

struct ir_value *asm_read(struct assembler *a, const struct asm_operand_value *o, ir_type t)
{
    struct lower *l = a->l;
    struct ir_value *v = NULL;
    switch (o->kind) {
    case ASM_REG: v = asm_cast(a, lo_read(l, o->reg->var), t); break;
    case ASM_VALUE: v = asm_cast(a, o->value, t); break;
    case ASM_NUMBER:
        if (o->is_float && ir_class(t) == IR_CLASS_FLOAT) {
            double d;
            if (o->is_float == 64) {
                memcpy(&d, &o->number, 8);
            } else {
                uint32_t b = (uint32_t)o->number;
                float x;
                memcpy(&x, &b, 4);
                d = (double)x;
            }
            v = ir_const(l->m, t, cu_float_bits(t, d));
        } else {
            v = lo_int(l, t, o->number);
        }
        break;
    case ASM_LIST: { /* packed: the first is lowest */
        ir_type part = o->nlist == 2 ? (ir_bits(t) == 64 ? IR_I32 : IR_I16) : IR_I8;
        ir_type whole = ir_bits(t) == 64 ? IR_I64 : IR_I32;
        v = lo_int(l, whole, 0);
        if (o->nlist == 4 && whole == IR_I64)
            part = IR_I16;
        for (unsigned i = 0; i < o->nlist; i++) {
            struct ir_value *x = ir_build1(&l->b, IR_OP_zext, whole, asm_read(a, o->list[i], part));
            if (i)
                x = ir_build2(&l->b, IR_OP_shl, whole, x, lo_int(l, whole, i * ir_bits(part)));
            v = ir_build2(&l->b, IR_OP_or, whole, v, x);
        }
        v = asm_cast(a, v, t);
        break;
    }
    default: asm_fail(a, "an operand cannot be read");
    }
    if (o->negated)
        v = ir_build2(&l->b, IR_OP_xor, IR_I1, asm_cast(a, v, IR_I1), lo_int(l, IR_I1, 1));
    return v;
}

void asm_write(struct assembler *a, const struct asm_operand_value *o, struct ir_value *v)
{
    struct lower *l = a->l;
    if (o->kind == ASM_NONE)
        return;
    if (o->kind == ASM_LIST) {
        unsigned bits = ir_bits(v->type) / o->nlist;
        ir_type part = bits == 32   ? IR_I32
                       : bits == 16 ? IR_I16
                                    : IR_I8,
                whole = ir_bits(v->type) == 64 ? IR_I64 : IR_I32;
        v = asm_cast(a, v, whole);
        for (unsigned i = 0; i < o->nlist; i++) {
            struct ir_value *x =
                i ? ir_build2(&l->b, IR_OP_lshr, whole, v, lo_int(l, whole, i * bits)) : v;
            asm_write(a, o->list[i], ir_build1(&l->b, IR_OP_trunc, part, x));
        }
        return;
    }
    if (o->kind != ASM_REG)
        asm_fail(a, "a result has to go to a register");
    v = asm_cast(a, v, o->reg->type);
    if (a->guard) /* a predicated instruction without other effects keeps the old value */
        v = ir_build3(&l->b, IR_OP_select, v->type, a->guard, v, lo_read(l, o->reg->var));
    lo_write(l, o->reg->var, v);
}

struct ir_value *asm_address(struct assembler *a, const struct asm_operand_value *o,
                             enum ir_space space)
{
    struct lower *l = a->l;
    if (o->kind != ASM_MEMORY)
        asm_fail(a, "an address in [ ] is expected");
    struct ir_value *i = asm_read(a, o->base, IR_I64);
    if (o->base->kind == ASM_REG && ir_bits(o->base->reg->type) == 32)
        i = ir_build1(&l->b, IR_OP_zext, IR_I64, asm_read(a, o->base, IR_I32));
    struct ir_value *p = ir_build1(&l->b, IR_OP_inttoptr, IR_PTR_TO(space), i);
    return lo_offset(l, p, o->offset);
}

/* ---- labels and branches ---- */

static struct asm_label *find_label(struct assembler *a, const char *name)
{
    for (struct asm_label *x = a->labels; x; x = x->next)
        if (!strcmp(x->name, name))
            return x;
    struct asm_label *x = arena_new(a->l->f->a, struct asm_label);
    x->name = name;
    x->block = lo_block(a->l, "asm");
    x->next = a->labels;
    a->labels = x;
    return x;
}

static void define_label(struct assembler *a, const char *name)
{
    struct asm_label *x = find_label(a, name);
    if (x->defined)
        asm_fail(a, "the label '%s' appears twice", name);
    x->defined = true;
    lo_br(a->l, x->block);
    lo_start(a->l, x->block);
}

/* bra{.uni} L, under a guard or not */
static void branch(struct assembler *a, struct ir_value *guard)
{
    const char *name = word(a);
    if (!*name)
        asm_fail(a, "'bra' needs a label");
    need(a, ';');
    struct asm_label *to = find_label(a, name);
    struct ir_block *next = lo_block(a->l, "asm");
    if (guard)
        lo_condbr(a->l, guard, to->block, next);
    else
        lo_br(a->l, to->block);
    lo_seal(a->l, next);
    lo_start(a->l, next);
}

/* ---- instructions ---- */

static void instruction(struct assembler *a)
{
    struct lower *l = a->l;
    struct ir_value *guard = NULL;
    skip(a);
    if (take(a, '@')) {
        struct asm_operand_value p;
        parse_operand(a, &p);
        guard = asm_read(a, &p, IR_I1);
    }
    const char *text = word(a);
    struct asm_inst in = {.text = text};
    /* opcode.mod.mod.type */
    char *copy = arena_strndup(l->f->a, text, strlen(text));
    for (char *s = copy, *dot; s; s = dot) {
        dot = strchr(s, '.');
        if (dot)
            *dot++ = 0;
        if (in.nmods >= 16)
            asm_fail(a, "'%s' has too many modifiers", text);
        in.mods[in.nmods++] = s;
    }
    if (!in.nmods || !*in.mods[0])
        asm_fail(a, "an instruction is expected before '%.*s'",
                 (int)(a->end - a->p > 16 ? 16 : a->end - a->p), a->p);
    skip(a);
    while (a->p < a->end && *a->p == ':') { /* ::global and the like are part of modifiers */
        if (a->p + 1 < a->end && a->p[1] == ':') {
            a->p += 2;
            const char *more = word(a);
            char *rest = arena_strndup(l->f->a, more, strlen(more));
            for (char *s = rest, *dot; s; s = dot) {
                dot = strchr(s, '.');
                if (dot)
                    *dot++ = 0;
                if (in.nmods < 16 && *s)
                    in.mods[in.nmods++] = s;
            }
            skip(a);
            continue;
        }
        a->p++;
        if (guard || in.nmods > 1)
            asm_fail(a, "'%s' is not a label", text);
        define_label(a, text);
        return;
    }
    if (!strcmp(in.mods[0], "bra")) {
        branch(a, guard);
        return;
    }
    while (a->p < a->end && *a->p != ';') {
        if (in.nargs >= 16)
            asm_fail(a, "'%s' has too many operands", text);
        parse_operand(a, &in.args[in.nargs++]);
        if (take(a, '|')) { /* d|p */
            struct asm_operand_value second;
            parse_operand(a, &second);
            in.second = arena_new(l->f->a, struct asm_operand_value);
            *in.second = second;
        }
        if (!take(a, ','))
            break;
    }
    need(a, ';');
    if (!guard) {
        asm_emit(a, &in);
        return;
    }
    if (asm_is_pure(&in)) {
        a->guard = guard;
        asm_emit(a, &in);
        a->guard = NULL;
        return;
    }
    struct ir_value *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "guarded"), *done = lo_block(l, "unguarded");
    lo_condbr(l, guard, yes, done);
    lo_seal(l, yes);
    lo_start(l, yes);
    asm_emit(a, &in);
    lo_br(l, done);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
}

static ir_type constraint_type(struct assembler *a, const struct asm_operand *o, struct type *t)
{
    const char *c = o->constraint;
    while (*c == '=' || *c == '+' || *c == '&')
        c++;
    switch (*c) {
    case 'h': return IR_I16;
    case 'r': return IR_I32;
    case 'l': return IR_I64;
    case 'f': return IR_F32;
    case 'd': return IR_F64;
    case 'b': return IR_I1;
    case 'n': return t && cu_is_float(t) ? IR_F32 : t && cu_bits(t) == 64 ? IR_I64 : IR_I32;
    case 'C': asm_fail(a, "the constraint 'C' is not supported");
    default: asm_fail(a, "the constraint '%s' is not known", o->constraint);
    }
}

void lo_asm(struct lower *l, struct stmt *s)
{
    struct assembler a = {.l = l,
                          .info = s->assembly,
                          .p = s->assembly->text.ptr,
                          .end = s->assembly->text.ptr + s->assembly->text.len};
    struct front *f = l->f;
    l->b.span = s->span;
    if (!l->carry) {
        l->carry = arena_new(f->a, struct var);
        l->carry->d.kind = DECL_VAR;
        l->carry->d.type = cu_type(f, TY_BOOL);
    }
    size_t n = s->assembly->nout + s->assembly->nin;
    a.operands = arena_array(f->a, struct asm_reg *, n + 1);
    a.noperands = n;
    for (size_t i = 0; i < n; i++) {
        bool out = i < s->assembly->nout;
        struct asm_operand *o =
            out ? &s->assembly->out[i] : &s->assembly->in[i - s->assembly->nout];
        ir_type t = constraint_type(&a, o, o->value->type);
        struct asm_reg *r = new_reg(&a, arena_printf(f->a, "%%%zu", i), t);
        a.operands[i] = r;
        struct ir_value *v = NULL;
        if (!out)
            v = lo_value(l, o->value);
        else if (strchr(o->constraint, '+'))
            v = lo_load(l, lo_place(l, o->value), o->value->type);
        if (v) {
            if (!out && ir_class(v->type) == IR_CLASS_INT && ir_bits(v->type) < ir_bits(t) &&
                cu_is_signed(o->value->type))
                v = ir_build1(&l->b, IR_OP_sext,
                              ir_bits(t) == 64   ? IR_I64
                              : ir_bits(t) == 32 ? IR_I32
                                                 : IR_I16,
                              v);
            lo_write(l, r->var, asm_cast(&a, v, t));
        }
    }
    struct ir_value *together = memmem(a.p, (size_t)(a.end - a.p), "bra", 3) ? lo_split(l) : NULL;
    for (unsigned depth = 0;;) {
        skip(&a);
        if (a.p >= a.end && depth)
            asm_fail(&a, "a '{' is not closed");
        if (a.p >= a.end)
            break;
        if (*a.p == '{') {
            a.p++;
            depth++;
        } else if (*a.p == '}') {
            a.p++;
            if (!depth--)
                asm_fail(&a, "'}' closes nothing");
        } else if (*a.p == ';') {
            a.p++;
        } else if (a.end - a.p > 4 && !strncmp(a.p, ".reg", 4)) {
            a.p += 4;
            skip(&a);
            declare(&a);
        } else if (*a.p == '.') {
            asm_fail(&a, "the directive '%s' is not supported", word(&a));
        } else {
            instruction(&a);
        }
    }
    for (struct asm_label *x = a.labels; x; x = x->next) {
        if (!x->defined)
            asm_fail(&a, "the label '%s' is not defined", x->name);
        lo_seal(l, x->block);
    }
    if (together) { /* a block of its own, which every way out leads to */
        struct ir_block *end = lo_block(l, "asm");
        lo_br(l, end);
        lo_seal(l, end);
        lo_start(l, end);
        lo_join(l, together);
    }
    for (size_t i = 0; i < s->assembly->nout; i++) {
        struct asm_operand *o = &s->assembly->out[i];
        struct ir_value *v = lo_read(l, a.operands[i]->var);
        ir_type want = cu_ir_type(o->value->type);
        if (ir_class(want) == IR_CLASS_PTR)
            v = ir_build1(&l->b, IR_OP_inttoptr, want, asm_cast(&a, v, IR_I64));
        else
            v = asm_cast(&a, v, want);
        lo_store(l, lo_place(l, o->value), o->value->type, v);
    }
}
