/* Ops on vectors: chunks of native width, masks, conversions between lane widths, lanes one by one.
 *
 * A value of W lanes of b bits is W * b / (8 * native) C vectors, or one shorter vector. Ops whose
 * operands differ in lane width therefore cut and join chunks (piece). What has no vector form is
 * done lane by lane. */
#include <stdlib.h>
#include <string.h>
#include "back/c/c_int.h"
#include "back/cpu_near.h"

static unsigned lane_bits(ir_type t)
{
    return ir_kind(t) == IR_I1 ? 32 : ir_bits(t);
}

unsigned c_lanes(const struct cgen *g, ir_type t)
{
    unsigned n = g->native * 8 / lane_bits(t);
    return n < ir_lanes(t) ? n : ir_lanes(t);
}

unsigned c_chunks(const struct cgen *g, ir_type t)
{
    return ir_is_vector(t) ? ir_lanes(t) / c_lanes(g, t) : 1;
}

ir_type c_chunk_type(const struct cgen *g, ir_type t)
{
    return ir_is_vector(t) ? ir_vector(t, c_lanes(g, t)) : t;
}

static const char *splat(struct cgen *g, ir_type chunk, const char *x)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    sbuf_puts(&o, "INLINE $T $n(");
    bool mask = ir_kind(chunk) == IR_I1;
    sbuf_puts(&o, mask ? "u8 x)\n{\n    const i32 m = -(i32)x;\n    return ($T){"
                       : "$E x)\n{\n    return ($T){");
    const char *lane = mask ? "m" : ir_kind(chunk) == IR_PTR ? "(u64)x" : "x";
    for (unsigned k = 0; k < ir_lanes(chunk); k++)
        sbuf_printf(&o, "%s%s", k ? ", " : "", lane);
    sbuf_puts(&o, "};\n}\n");
    return c_print(g, "%s(%s)", c_define(g, "splat", chunk, chunk, o.data), x);
}

const char *c_chunk(struct cgen *g, struct ir_value *v, unsigned k)
{
    ir_type t = c_chunk_type(g, v->type);
    if (v->kind == IR_VALUE_CONST) {
        if (ir_kind(t) == IR_I1)
            return c_print(g, v->u.bits ? "~(%s){0}" : "(%s){0}", c_type(g, t));
        if (v->u.bits == 0)
            return c_print(g, "(%s){0}", c_type(g, t));
        return splat(g, t, c_constant(g, ir_scalar(t), v->u.bits));
    }
    if (c_chunks(g, v->type) == 1)
        return g->name[v->id];
    return c_print(g, "%s__%u", g->name[v->id], k);
}

const char *c_lane(struct cgen *g, struct ir_value *v, unsigned lane)
{
    if (!ir_is_vector(v->type))
        return c_value(g, v);
    if (v->kind == IR_VALUE_CONST)
        return c_constant(g, ir_scalar(v->type), v->u.bits);
    unsigned n = c_lanes(g, v->type);
    const char *x = c_print(g, "%s[%u]", c_chunk(g, v, lane / n), lane % n);
    if (ir_kind(v->type) == IR_I1)
        return c_print(g, "(u8)(%s & 1)", x);
    return ir_kind(v->type) == IR_PTR ? c_print(g, "(ptr)%s", x) : x;
}

/* Is what the load gave still there for the instruction being written? */
static bool unchanged(const struct cgen *g, const struct ir_inst *load)
{
    if (load->flags & IR_VOLATILE || ir_order(load->flags) || load->block != g->inst->block)
        return false;
    for (const struct ir_inst *i = load->next; i != g->inst; i = i->next)
        if (!i || ir_op_info[i->op].flags & IR_WRITES)
            return false;
    return true;
}

/* The address of one lane, computed for that lane where that is cheaper than to take it out of a
 * vector: base plus constant, base plus an index out of a vector of words. Only what was computed
 * in this block can be computed again: elsewhere its operands may be out of scope, or have changed.
 */
static const char *lane_address(struct cgen *g, struct ir_value *v, unsigned lane, unsigned depth)
{
    const struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    uint64_t known;
    if (depth && ir_bits(v->type) >= 32 && lower_lane(v, lane, &known))
        return c_constant(g, ir_scalar(v->type), known);
    if (!i || depth > 6 || ir_bits(v->type) < 32 || i->block != g->inst->block)
        return c_lane(g, v, lane);
    switch (i->op) {
    case IR_OP_load: /* an index that lies in memory: cheaper read there than out of a vector */
        if (depth && !ir_is_vector(i->args[0]->type) && unchanged(g, i))
            return c_load(g, i, ir_scalar(i->type),
                          c_print(g, "(%s + %u)", c_value(g, i->args[0]),
                                  lane * ir_bytes(ir_scalar(i->type))));
        return c_lane(g, v, lane);
    case IR_OP_splat: return c_value(g, i->args[0]);
    case IR_OP_cvta: return lane_address(g, i->args[0], lane, depth + 1);
    case IR_OP_ptradd:
        return c_print(g, "(%s + (i64)(%s))", lane_address(g, i->args[0], lane, depth + 1),
                       lane_address(g, i->args[1], lane, depth + 1));
    case IR_OP_add:
    case IR_OP_mul:
    case IR_OP_and:
        return c_print(g, "((%s)%s %c %s)", c_type(g, ir_scalar(i->type)),
                       lane_address(g, i->args[0], lane, depth + 1),
                       i->op == IR_OP_add   ? '+'
                       : i->op == IR_OP_mul ? '*'
                                            : '&',
                       lane_address(g, i->args[1], lane, depth + 1));
    case IR_OP_shl:
        if (!ir_is_const(i->args[1]) || i->args[1]->u.bits >= ir_bits(i->type))
            return c_lane(g, v, lane);
        return c_print(g, "((%s)%s << %u)", c_type(g, ir_scalar(i->type)),
                       lane_address(g, i->args[0], lane, depth + 1), (unsigned)i->args[1]->u.bits);
    case IR_OP_sext:
    case IR_OP_zext:
        if (ir_bits(i->args[0]->type) != 32)
            return c_lane(g, v, lane);
        return c_print(g, i->op == IR_OP_sext ? "(u64)(i32)%s" : "(u64)(u32)%s",
                       lane_address(g, i->args[0], lane, depth + 1));
    default: return c_lane(g, v, lane);
    }
}

/* ---- cutting and joining ---- */
/* A vector value as expressions: element type name, bits of a lane, lanes in all. */
struct pieces {
    const char *elem;
    unsigned bits, lanes;
    const char *chunk[C_MAX_CHUNKS];
};

static const char *vector_name(struct cgen *g, const char *elem, unsigned lanes)
{
    static const struct {
        const char *name;
        ir_type type;
    } types[] = {{"u8", IR_I8},   {"u16", IR_I16}, {"u32", IR_I32},
                 {"u64", IR_I64}, {"f32", IR_F32}, {"f64", IR_F64}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k].name, elem))
            return c_type(g, ir_vector(types[k].type, lanes));
    return c_mask(g, (unsigned)strtoul(elem + 1, NULL, 10), lanes);
}

static unsigned chunk_lanes(struct cgen *g, unsigned bits, unsigned lanes)
{
    unsigned n = g->native * 8 / bits;
    return n < lanes ? n : lanes;
}

static const char *shuffle(struct cgen *g, const char *a, const char *b, unsigned from, unsigned n)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    sbuf_printf(&o, "__builtin_shufflevector(%s, %s", a, b);
    for (unsigned k = 0; k < n; k++)
        sbuf_printf(&o, ", %u", from + k);
    sbuf_putc(&o, ')');
    return o.data;
}

/* Chunk k of src with its lanes converted (as C converts numbers) to `elem` of `bits`. */
static const char *piece(struct cgen *g, const struct pieces *src, const char *elem, unsigned bits,
                         unsigned k)
{
    unsigned have = chunk_lanes(g, src->bits, src->lanes);
    unsigned want = chunk_lanes(g, bits, src->lanes);
    bool same = !strcmp(src->elem, elem);
    if (want <= have) {
        const char *x = src->chunk[k * want / have];
        if (want < have)
            x = shuffle(g, x, x, k * want % have, want);
        return same ? x
                    : c_print(g, "__builtin_convertvector(%s, %s)", x, vector_name(g, elem, want));
    }
    const char *parts[16];
    unsigned n = want / have;
    for (unsigned p = 0; p < n; p++)
        parts[p] = same ? src->chunk[k * n + p]
                        : c_print(g, "__builtin_convertvector(%s, %s)", src->chunk[k * n + p],
                                  vector_name(g, elem, have));
    for (; n > 1; n /= 2, have *= 2)
        for (unsigned p = 0; p < n / 2; p++)
            parts[p] = shuffle(g, parts[2 * p], parts[2 * p + 1], 0, 2 * have);
    return parts[0];
}

static struct pieces pieces_of(struct cgen *g, struct ir_value *v, const char *elem)
{
    struct pieces p = {.elem = elem, .bits = lane_bits(v->type), .lanes = ir_lanes(v->type)};
    const char *type = vector_name(g, elem, c_lanes(g, v->type));
    for (unsigned k = 0; k < c_chunks(g, v->type); k++)
        p.chunk[k] = c_print(g, "(%s)%s", type, c_chunk(g, v, k));
    return p;
}

static const char *element(struct cgen *g, char sign, unsigned bits)
{
    return c_print(g, "%c%u", sign, bits);
}

/* What comparing vectors of lanes of `bits` gives, as what it is said to be: clang 14 gives plain
 * char for lanes of a byte, which is unsigned on ARM. */
static const char *compared(struct cgen *g, const char *x, unsigned bits, unsigned lanes)
{
    return bits == 8 ? c_print(g, "(%s)%s", c_mask(g, 8, lanes), x) : x;
}

/* A mask (i1 vector) with lanes of another width. */
const char *c_mask_piece(struct cgen *g, struct ir_value *mask, unsigned bits, unsigned k)
{
    if (mask->kind == IR_VALUE_CONST)
        return c_print(g, mask->u.bits ? "~(%s){0}" : "(%s){0}",
                       c_mask(g, bits, chunk_lanes(g, bits, ir_lanes(mask->type))));
    struct pieces p = pieces_of(g, mask, "i32");
    return piece(g, &p, element(g, 'i', bits), bits, k);
}

/* ---- ops ---- */
static void compare(struct cgen *g, const struct ir_inst *i, const char **out)
{
    ir_type t = i->args[0]->type;
    unsigned n = c_chunks(g, t);
    if (ir_kind(t) == IR_I1) {
        static const struct {
            enum ir_op op;
            const char *form;
        } table[] = {{IR_OP_eq, "~(%s ^ %s)"},  {IR_OP_ne, "(%s ^ %s)"},
                     {IR_OP_ult, "(~%s & %s)"}, {IR_OP_ule, "(~%s | %s)"},
                     {IR_OP_slt, "(%s & ~%s)"}, {IR_OP_sle, "(%s | ~%s)"}};
        for (size_t r = 0; r < sizeof table / sizeof *table; r++)
            if (table[r].op == i->op)
                for (unsigned k = 0; k < n; k++) {
                    const char *form = table[r].form, *at = strstr(form, "%s");
                    const char *rest = strstr(at + 2, "%s");
                    out[k] = c_print(g, "%.*s%s%.*s%s%s", (int)(at - form), form,
                                     c_chunk(g, i->args[0], k), (int)(rest - at - 2), at + 2,
                                     c_chunk(g, i->args[1], k), rest + 2);
                }
        return;
    }
    ir_type u = ir_kind(t) == IR_PTR ? ir_like(IR_I64, t) : t;
    ir_type chunk = c_chunk_type(g, u);
    struct pieces p = {
        .elem = element(g, 'i', lane_bits(u)), .bits = lane_bits(u), .lanes = ir_lanes(u)};
    for (unsigned k = 0; k < n; k++) {
        const char *args[2] = {c_chunk(g, i->args[0], k), c_chunk(g, i->args[1], k)};
        p.chunk[k] = compared(g, c_chunk_op(g, i, chunk, args), p.bits, ir_lanes(chunk));
    }
    for (unsigned k = 0; k < c_chunks(g, i->results[0].type); k++)
        out[k] = piece(g, &p, "i32", 32, k);
}

static void lanes_apart(struct cgen *g, const struct ir_inst *i, const char **out,
                        const char *helper)
{
    ir_type t = i->results[0].type;
    unsigned n = c_lanes(g, t);
    for (unsigned k = 0; k < c_chunks(g, t); k++) {
        struct sbuf o;
        sbuf_init(&o, g->arena);
        sbuf_printf(&o, "(%s){", c_type(g, c_chunk_type(g, t)));
        for (unsigned l = 0; l < n; l++) {
            sbuf_printf(&o, "%s%s(", l ? ", " : "", helper);
            for (unsigned a = 0; a < i->nargs; a++)
                sbuf_printf(&o, "%s%s", a ? ", " : "", c_lane(g, i->args[a], k * n + l));
            sbuf_putc(&o, ')');
        }
        sbuf_putc(&o, '}');
        out[k] = o.data;
    }
}

static void truth(struct cgen *g, const struct ir_inst *i, const char **out) /* trunc to i1 */
{
    ir_type t = i->args[0]->type;
    struct pieces p = {
        .elem = element(g, 'i', lane_bits(t)), .bits = lane_bits(t), .lanes = ir_lanes(t)};
    for (unsigned k = 0; k < c_chunks(g, t); k++)
        p.chunk[k] = compared(g, c_print(g, "((%s & 1) != 0)", c_chunk(g, i->args[0], k)), p.bits,
                              c_lanes(g, t));
    for (unsigned k = 0; k < c_chunks(g, i->results[0].type); k++)
        out[k] = piece(g, &p, "i32", 32, k);
}

static const char *saturating(struct cgen *g, const struct ir_inst *i, ir_type t, ir_type f,
                              const char *x)
{
    static const char *const step[] = {"frint", NULL, "fceil", "ffloor"};
    unsigned mode = i->flags & IR_ROUND_MASK;
    if (step[mode])
        x = c_print(g, "%s(%s)", c_helper(g, step[mode], f), x);
    /* NaN is 0, or the top bit of 64 */
    const bool wide = ir_bits(t) == 64;
    const char *text =
        i->op == IR_OP_ftosi
            ? c_print(g,
                      "INLINE $T $n($F x)\n{\n"
                      "    const $S high = x >= %s, low = %s, out = high | low | (x != x);\n"
                      "    const $S y = __builtin_convertvector(($F)(($S)x & ~out), $S);\n"
                      "    return ($T)((y & ~out) | (high & %s) | (low & (-%s - 1)));\n}\n",
                      wide ? "0x1p63" : "0x1p31f", wide ? "~(x >= -0x1p63)" : "x < -0x1p31f",
                      wide ? "0x7fffffffffffffff" : "0x7fffffff",
                      wide ? "0x7fffffffffffffff" : "0x7fffffff")
            : c_print(g,
                      "INLINE $T $n($F x)\n{\n"
                      "    const $S high = x >= %s, out = high | ~(x > 0);\n"
                      "    return (__builtin_convertvector(($F)(($S)x & ~out), $T) & ($T)~out) | "
                      "($T)high%s;\n"
                      "}\n",
                      wide ? "0x1p64" : "0x1p32f", wide ? " | (($T)(x != x) & (u64)1 << 63)" : "");
    return c_print(g, "%s(%s)", c_define(g, ir_op_info[i->op].name, t, f, text), x);
}

static void convert(struct cgen *g, const struct ir_inst *i, const char **out)
{
    struct ir_value *v = i->args[0];
    ir_type t = i->results[0].type, f = v->type;
    unsigned n = c_chunks(g, t), to = ir_bits(t), from = ir_bits(f);
    bool half = ir_kind(t) == IR_F16 || ir_kind(t) == IR_BF16 || ir_kind(f) == IR_F16 ||
                ir_kind(f) == IR_BF16;
    bool nearest = !(i->flags & IR_ROUND_MASK) && !(i->flags & IR_FTZ) && !half;
    struct pieces p;
    const char *elem;
    switch (i->op) {
    case IR_OP_trunc:
        if (to == 1) {
            truth(g, i, out);
            return;
        }
        p = pieces_of(g, v, element(g, 'u', from)), elem = element(g, 'u', to);
        break;
    case IR_OP_zext:
        if (from == 1) {
            for (unsigned k = 0; k < n; k++)
                out[k] = c_print(g, "(%s)(%s & 1)", c_type(g, c_chunk_type(g, t)),
                                 c_mask_piece(g, v, to, k));
            return;
        }
        p = pieces_of(g, v, element(g, 'u', from)), elem = element(g, 'u', to);
        break;
    case IR_OP_sext:
        if (from == 1) {
            for (unsigned k = 0; k < n; k++)
                out[k] =
                    c_print(g, "(%s)%s", c_type(g, c_chunk_type(g, t)), c_mask_piece(g, v, to, k));
            return;
        }
        p = pieces_of(g, v, element(g, 'i', from)), elem = element(g, 'i', to);
        break;
    case IR_OP_fcvt:
        if (!nearest)
            goto apart;
        p = pieces_of(g, v, element(g, 'f', from)), elem = element(g, 'f', to);
        break;
    case IR_OP_sitof:
    case IR_OP_uitof:
        if (!nearest || from < 32)
            goto apart;
        p = pieces_of(g, v, element(g, i->op == IR_OP_sitof ? 'i' : 'u', from));
        elem = element(g, 'f', to);
        break;
    case IR_OP_ftosi:
    case IR_OP_ftoui:
        if (to != from || to < 32 || i->flags & IR_FTZ)
            goto apart;
        for (unsigned k = 0; k < n; k++)
            out[k] = saturating(g, i, c_chunk_type(g, t), c_chunk_type(g, f), c_chunk(g, v, k));
        return;
    default: /* bitcast, ptrtoint, inttoptr */
        for (unsigned k = 0; k < n; k++)
            out[k] = c_print(g, "(%s)%s", c_type(g, c_chunk_type(g, t)), c_chunk(g, v, k));
        return;
    }
    const char *type = c_type(g, c_chunk_type(g, t));
    for (unsigned k = 0; k < n; k++)
        out[k] = c_print(g, "(%s)%s", type, piece(g, &p, elem, to, k));
    return;
apart:
    lanes_apart(g, i, out, c_op_helper(g, i, ir_scalar(t), ir_scalar(f)));
}

static void mask_arithmetic(struct cgen *g, const struct ir_inst *i, const char **out)
{
    const char *sign;
    switch (i->op) {
    case IR_OP_and:
    case IR_OP_mul:
    case IR_OP_umin:
    case IR_OP_smax: sign = "&"; break;
    case IR_OP_or:
    case IR_OP_umax:
    case IR_OP_smin: sign = "|"; break;
    case IR_OP_xor:
    case IR_OP_add:
    case IR_OP_sub: sign = "^"; break;
    case IR_OP_not:
        for (unsigned k = 0; k < c_chunks(g, i->type); k++)
            out[k] = c_print(g, "~%s", c_chunk(g, i->args[0], k));
        return;
    default: /* rare: through the scalar meaning, lane by lane */
        lanes_apart(g, i, out, c_print(g, "-(i32)%s", c_op_helper(g, i, IR_I1, IR_I1)));
        return;
    }
    for (unsigned k = 0; k < c_chunks(g, i->type); k++)
        out[k] =
            c_print(g, "(%s %s %s)", c_chunk(g, i->args[0], k), sign, c_chunk(g, i->args[1], k));
}

/* Is the index of a permute `lane ^ constant`? */
static bool is_butterfly(const struct ir_value *index, unsigned *with)
{
    if (index->kind != IR_VALUE_RESULT || index->u.inst->op != IR_OP_xor)
        return false;
    struct ir_value **args = index->u.inst->args;
    for (int k = 0; k < 2; k++)
        if (args[k]->kind == IR_VALUE_RESULT && args[k]->u.inst->op == IR_OP_iota &&
            ir_is_const(args[1 - k])) {
            *with = (unsigned)args[1 - k]->u.bits;
            return true;
        }
    return false;
}

static void permute(struct cgen *g, const struct ir_inst *i, const char **out)
{
    ir_type t = i->type;
    unsigned n = c_lanes(g, t), chunks = c_chunks(g, t), lanes = ir_lanes(t), with;
    const char *type = c_type(g, c_chunk_type(g, t));
    if (is_butterfly(i->args[1], &with)) {
        with %= lanes;
        for (unsigned k = 0; k < chunks; k++) {
            const char *x = c_chunk(g, i->args[0], k ^ with / n);
            struct sbuf o;
            sbuf_init(&o, g->arena);
            sbuf_printf(&o, "__builtin_shufflevector(%s, %s", x, x);
            for (unsigned l = 0; l < n; l++)
                sbuf_printf(&o, ", %u", l ^ with % n);
            sbuf_putc(&o, ')');
            out[k] = with % n ? o.data : x;
        }
        return;
    }
    const char *table = c_identifier(g, &g->locals, "lanes");
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (unsigned k = 0; k < chunks; k++)
        sbuf_printf(&o, "%s%s", k ? ", " : "", c_chunk(g, i->args[0], k));
    c_line(g,
           "const union {\n%*s    %s chunk[%u];\n%*s    %s lane[%u];\n%*s} %s = {.chunk = {%s}};",
           4 * g->indent, "", type, chunks, 4 * g->indent, "",
           ir_kind(t) == IR_I1    ? "i32"
           : ir_kind(t) == IR_PTR ? "u64"
                                  : c_type(g, ir_scalar(t)),
           lanes, 4 * g->indent, "", table, o.data);
    for (unsigned k = 0; k < chunks; k++) {
        sbuf_init(&o, g->arena);
        sbuf_printf(&o, "(%s){", type);
        for (unsigned l = 0; l < n; l++)
            sbuf_printf(&o, "%s%s.lane[%s & %u]", l ? ", " : "", table,
                        c_lane(g, i->args[1], k * n + l), lanes - 1);
        sbuf_putc(&o, '}');
        out[k] = o.data;
    }
}

bool c_all_ones(const struct ir_value *mask)
{
    return mask->kind == IR_VALUE_CONST && mask->u.bits;
}

static const char *vector_at(struct cgen *g, ir_type chunk, unsigned align, const char *p,
                             unsigned offset, bool is_volatile)
{
    const char *type = c_unaligned(g, chunk, align);
    if (offset)
        p = c_print(g, "(%s + %u)", p, offset);
    return c_print(g, "*(%s%s *)%s", is_volatile ? "volatile " : "", type, p);
}

static const char *from_memory(struct cgen *g, const struct ir_inst *i, const char *p)
{
    const char *x = c_load(g, i, ir_scalar(i->type), p);
    if (ir_kind(i->type) == IR_I1)
        return c_print(g, "-(i32)(%s & 1)", x);
    return ir_kind(i->type) == IR_PTR ? c_print(g, "(u64)%s", x) : x;
}

ir_type c_integer(unsigned bits)
{
    return bits == 8 ? IR_I8 : bits == 16 ? IR_I16 : bits == 32 ? IR_I32 : IR_I64;
}

ir_type c_unpointed(ir_type t)
{
    return ir_kind(t) == IR_PTR ? ir_like(IR_I64, t) : t;
}

/* ---- scalars from vectors ---- */
static const char *joined(struct cgen *g, struct ir_value *v, const char *sign)
{
    struct sbuf o;
    sbuf_init(&o, g->arena);
    for (unsigned k = 0; k < c_chunks(g, v->type); k++)
        sbuf_printf(&o, "%s%s", k ? sign : "", c_chunk(g, v, k));
    return o.data;
}

/* Does any lane run? */
static const char *any_lane(struct cgen *g, struct ir_value *mask)
{
    ir_type chunk = c_chunk_type(g, mask->type);
    return c_print(g, "%s(%s)",
                   c_define(g, "any", chunk, chunk,
                            "INLINE u8 $n($T m)\n{\n"
                            "#if defined(__aarch64__) && $L == 4\n"
                            "    typedef u64 u64x2_ __attribute__((vector_size(16)));\n"
                            "    const u64x2_ q = (u64x2_)m;\n    return (q[0] | q[1]) != 0;\n"
                            "#elif defined(__AVX__) && $L == 8\n"
                            "    typedef float f32x8_ __attribute__((vector_size(32)));\n"
                            "    return __builtin_ia32_movmskps256((f32x8_)m) != 0;\n"
                            "#elif defined(__SSE2__) && $L == 4\n"
                            "    typedef float f32x4_ __attribute__((vector_size(16)));\n"
                            "    return __builtin_ia32_movmskps((f32x4_)m) != 0;\n"
                            "#else\n"
                            "    i32 any = 0;\n    for (int i = 0; i < $L; i++)\n"
                            "        any |= m[i];\n    return any != 0;\n#endif\n}\n"),
                   joined(g, mask, " | "));
}

static const char one_page_text[] =
    "/* May n bytes from p be read if one of them may? */\n"
    "#if defined(__has_feature)\n"
    "#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)\n"
    "#define ONE_PAGE(p, n) ((void)(p), 0)\n"
    "#endif\n"
    "#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)\n"
    "#define ONE_PAGE(p, n) ((void)(p), 0)\n"
    "#endif\n"
    "#if !defined(ONE_PAGE)\n"
    "#define ONE_PAGE(p, n) (((u64)(p) & 4095) <= 4096 - (n))\n"
    "#endif\n\n";

/* Elements side by side, of which some lanes want theirs. A page that holds one of them can be
 * read: where the gang's elements lie in one page they are loaded as vectors, and what belongs to
 * lanes that do not run is masked away. Sanitizers know objects, not pages: for them, and at the
 * end of a page, the elements of lanes that run are first put together elsewhere, one by one; as
 * the compiler is told that this is rare, it keeps vectors in registers on the usual way. */
static void masked_load(struct cgen *g, const struct ir_inst *i, const char **out)
{
    ir_type t = i->type, chunk = c_chunk_type(g, t);
    unsigned n = c_lanes(g, t), size = ir_bytes(ir_scalar(t));
    unsigned align = i->align < size ? i->align : size;
    struct ir_value *mask = i->args[1];
    const char *p = c_value(g, i->args[0]), *from = c_identifier(g, &g->locals, "from");
    ir_type bits = ir_like(c_integer(ir_bits(t)), chunk);
    const char *lanes =
        c_define(g, align < size ? c_print(g, "lanes_a%u", align) : "lanes", ir_scalar(bits),
                 ir_scalar(bits),
                 c_print(g,
                         "static __attribute__((cold, noinline, unused)) const char *$n(char *to, "
                         "const char *p, const $T *m, int n)\n{\n"
                         "    for (int i = 0; i < n; i++)\n"
                         "        *($T *)(to + i * %u) = m[i] ? *(const %s *)(p + i * %u) : 0;\n"
                         "    return to;\n}\n",
                         size, c_unaligned(g, ir_scalar(bits), align), size));
    const char *page = intern_z(g->names, "ONE_PAGE");
    if (!map_has(&g->defined, map_key(page))) {
        map_set(&g->defined, map_key(page), g);
        sbuf_puts(&g->helpers, one_page_text);
    }
    g->apart = g->apart < ir_lanes(t) * size ? ir_lanes(t) * size : g->apart;
    struct sbuf masks;
    sbuf_init(&masks, g->arena);
    for (unsigned k = 0; k < c_chunks(g, t); k++)
        sbuf_printf(&masks, "%s(%s)%s", k ? ", " : "", c_type(g, bits),
                    c_mask_piece(g, mask, ir_bits(t), k));
    c_line(g, "const char *%s = %s;", from, p);
    c_line(g, "if (!(ONE_PAGE(%s, %u) && %s))", from, ir_lanes(t) * size, any_lane(g, mask));
    c_line(g, "    %s = %s(apart, %s, (const %s *)(const %s[]){%s}, %u);", from, lanes, from,
           c_type(g, ir_scalar(bits)), c_type(g, bits), masks.data, ir_lanes(t));
    for (unsigned k = 0; k < c_chunks(g, t); k++)
        out[k] = c_print(g, "(%s)((%s)%s & (%s)%s)", c_type(g, chunk), c_type(g, bits),
                         vector_at(g, chunk, align, from, k * n * size, false), c_type(g, bits),
                         c_mask_piece(g, mask, ir_bits(t), k));
}

/* Elements side by side, of which some lanes store theirs: chunks of lanes that all do are vectors.
 */
static void masked_store(struct cgen *g, const struct ir_inst *i)
{
    ir_type t = i->args[1]->type, chunk = c_chunk_type(g, t), plain = c_unpointed(chunk);
    unsigned n = c_lanes(g, t), size = ir_bytes(ir_scalar(t));
    unsigned align = i->align < size ? i->align : size;
    const char *p = c_value(g, i->args[0]);
    const char *keep = c_define(
        g, align < size ? c_print(g, "keep_a%u", align) : "keep", plain, plain,
        c_print(g,
                "INLINE void $n(ptr p, $U m, $T x)\n{\n"
                "#if $Y >= 64\n"
                "    typedef u64 words __attribute__((vector_size(sizeof m)));\n"
                "    const words w = (words)m;\n    u64 all = w[0];\n"
                "    for (int i = 1; i < $Y / 64; i++)\n        all &= w[i];\n"
                "    if (all == ~(u64)0) {\n        *(%s *)p = x;\n        return;\n    }\n"
                "#endif\n"
                "    $E sink;\n    for (int i = 0; i < $L; i++)\n"
                "        *(%s *)(m[i] ? p + i * %u : (ptr)&sink) = x[i];\n}\n",
                c_unaligned(g, plain, align), c_unaligned(g, ir_scalar(plain), align), size));
    for (unsigned k = 0; k < c_chunks(g, t); k++)
        c_line(g, "%s(%s + %u, (%s)%s, %s);", keep, p, k * n * size,
               c_type(g, ir_like(c_integer(ir_bits(t)), chunk)),
               c_mask_piece(g, i->args[2], ir_bits(t), k), c_chunk(g, i->args[1], k));
}

enum { AHEAD_BYTES = 256 }; /* four lines of most caches */

/* load, mload, gather: lane by lane, or whole chunks where they lie together. Lanes that do not run
 * load from, and store to, a place of no meaning: that costs less than a branch for each. */
static void load(struct cgen *g, const struct ir_inst *i, const char **out)
{
    ir_type t = i->type, scalar = ir_scalar(t);
    unsigned n = c_lanes(g, t), size = ir_bytes(scalar);
    ir_type chunk = c_chunk_type(g, t);
    bool gather = i->op == IR_OP_gather;
    const char *type = c_type(g, chunk);
    struct ir_value *mask = i->op == IR_OP_load ? NULL : i->args[1];
    bool whole = !mask || c_all_ones(mask);
    bool odd = ir_kind(t) == IR_I1;
    const char *p = gather ? NULL : c_value(g, i->args[0]);
    bool mine = !gather && !whole && !odd && cpu_only_ours(i);
    if (!gather && !whole && !odd && !mine && !(i->flags & IR_VOLATILE) && !ir_order(i->flags)) {
        masked_load(g, i, out);
        return;
    }
    if (gather && c_coalesced_load(g, i, out))
        return;
    g->uses_zero |= !whole && !mine;
    if (g->ahead && !gather && whole && !cpu_only_ours(i))
        c_line(g, "__builtin_prefetch(%s + %u);", p, AHEAD_BYTES);
    for (unsigned k = 0; k < c_chunks(g, t); k++) {
        if (mine) {
            const char *x =
                vector_at(g, chunk, i->align < size ? i->align : size, p, k * n * size, false);
            ir_type bits = ir_like(c_integer(ir_bits(t)), chunk);
            out[k] = c_print(g, "(%s)((%s)%s & (%s)%s)", type, c_type(g, bits), x, c_type(g, bits),
                             c_mask_piece(g, mask, ir_bits(t), k));
            continue;
        }
        if (!gather && whole && !odd) {
            out[k] = vector_at(g, chunk, i->align < size ? i->align : size, p, k * n * size,
                               i->flags & IR_VOLATILE);
            continue;
        }
        struct sbuf o;
        sbuf_init(&o, g->arena);
        sbuf_printf(&o, "(%s){", type);
        for (unsigned l = 0; l < n; l++) {
            unsigned lane = k * n + l;
            const char *at = gather ? lane_address(g, i->args[0], lane, 0)
                             : lane ? c_print(g, "(%s + %u)", p, lane * size)
                                    : p;
            if (!whole)
                at = c_print(g, "(%s ? %s : zero)", c_lane(g, mask, lane), at);
            sbuf_printf(&o, "%s%s", l ? ", " : "", from_memory(g, i, at));
        }
        sbuf_putc(&o, '}');
        out[k] = o.data;
    }
}

static void store_lane(struct cgen *g, const struct ir_inst *i, const char *p, const char *x)
{
    ir_type scalar = ir_scalar(i->type);
    unsigned size = ir_bytes(scalar);
    c_line(g, "*(%s%s *)%s = %s%s;", i->flags & IR_VOLATILE ? "volatile " : "",
           c_unaligned(g, scalar, i->align && i->align < size ? i->align : size), p,
           ir_kind(scalar) == IR_PTR ? "(ptr)" : "", x);
}

static void store(struct cgen *g, const struct ir_inst *i)
{
    struct ir_value *v = i->args[1], *mask = i->op == IR_OP_store ? NULL : i->args[2];
    ir_type t = v->type, chunk = c_chunk_type(g, t);
    unsigned n = c_lanes(g, t), size = ir_bytes(ir_scalar(t));
    bool scatter = i->op == IR_OP_scatter, whole = !mask || c_all_ones(mask);
    const char *p = scatter ? NULL : c_value(g, i->args[0]);
    bool mine = !scatter && !whole && ir_kind(t) != IR_I1 && cpu_only_ours(i);
    if (!scatter && !whole && !mine && ir_kind(t) != IR_I1 && !(i->flags & IR_VOLATILE) &&
        !ir_order(i->flags)) {
        masked_store(g, i);
        return;
    }
    if (scatter && c_coalesced_store(g, i))
        return;
    g->uses_sink |= !whole && !mine;
    for (unsigned k = 0; k < c_chunks(g, t); k++) {
        if (mine) { /* what lanes that do not run have there is put back */
            const char *at =
                vector_at(g, chunk, i->align < size ? i->align : size, p, k * n * size, false);
            ir_type u = ir_kind(t) == IR_PTR ? ir_like(IR_I64, chunk) : chunk;
            ir_type bits = ir_like(c_integer(ir_bits(t)), chunk);
            c_line(g, "%s = %s((%s)%s, %s, %s);", at, c_helper(g, "pick", u), c_type(g, bits),
                   c_mask_piece(g, mask, ir_bits(t), k), c_chunk(g, v, k), at);
            continue;
        }
        if (!scatter && whole && ir_kind(t) != IR_I1) {
            c_line(g, "%s = %s;",
                   vector_at(g, chunk, i->align < size ? i->align : size, p, k * n * size,
                             i->flags & IR_VOLATILE),
                   c_chunk(g, v, k));
            continue;
        }
        for (unsigned l = 0; l < n; l++) {
            unsigned lane = k * n + l;
            const char *at = scatter ? lane_address(g, i->args[0], lane, 0)
                             : lane  ? c_print(g, "(%s + %u)", p, lane * size)
                                     : p;
            if (!whole)
                at = c_print(g, "(%s ? %s : sink)", c_lane(g, mask, lane), at);
            store_lane(g, i, at, c_lane(g, v, lane));
        }
    }
}

static void mrmw(struct cgen *g, const struct ir_inst *i, const char **out)
{
    uint32_t flags = i->flags & ~(uint32_t)IR_INVARIANT;
    if (ir_space(i->args[0]->type) == IR_SPACE_SHARED)
        flags |= IR_INVARIANT; /* see c_rmw */
    ir_type t = i->type, scalar = ir_scalar(t);
    unsigned lanes = ir_lanes(t), n = c_lanes(g, t);
    bool whole = c_all_ones(i->args[2]), used = g->uses[i->results[0].id] > 0;
    const char *old = c_identifier(g, &g->locals, "old");
    const char *elem = ir_kind(t) == IR_PTR ? "u64" : c_type(g, scalar);
    if (used)
        c_line(g, "%s %s[%u] = {0};", elem, old, lanes);
    for (unsigned l = 0; l < lanes; l++) {
        const char *x = c_rmw(g, (enum ir_rmw)i->imm, scalar, flags,
                              lane_address(g, i->args[0], l, 0), c_lane(g, i->args[1], l));
        const char *test = whole ? "" : c_print(g, "if (%s) ", c_lane(g, i->args[2], l));
        if (used)
            c_line(g, "%s%s[%u] = %s%s;", test, old, l, ir_kind(t) == IR_PTR ? "(u64)" : "", x);
        else
            c_line(g, "%s%s;", test, x);
    }
    for (unsigned k = 0; k < c_chunks(g, t); k++) {
        struct sbuf o;
        sbuf_init(&o, g->arena);
        sbuf_printf(&o, "(%s){", c_type(g, c_chunk_type(g, t)));
        for (unsigned l = 0; l < n; l++)
            sbuf_printf(&o, "%s%s[%u]", l ? ", " : "", old, k * n + l);
        sbuf_putc(&o, '}');
        out[k] = used ? o.data : c_print(g, "(%s){0}", c_type(g, c_chunk_type(g, t)));
    }
}

bool c_vector_op(struct cgen *g, const struct ir_inst *i, const char **out)
{
    ir_type t = i->results[0].type;
    unsigned n = c_chunks(g, t);
    ir_type chunk = c_chunk_type(g, t);
    const char *type = c_type(g, chunk);
    switch (i->op) {
    case IR_OP_select:
        for (unsigned k = 0; k < n; k++) {
            const char *a = c_chunk(g, i->args[1], k), *b = c_chunk(g, i->args[2], k);
            if (ir_kind(t) == IR_I1) {
                const char *m = c_chunk(g, i->args[0], k);
                out[k] = c_print(g, "((%s & %s) | (~%s & %s))", m, a, m, b);
                continue;
            }
            ir_type u = ir_kind(t) == IR_PTR ? ir_like(IR_I64, chunk) : chunk;
            unsigned bits = ir_bits(t);
            ir_type lanes_as = ir_like(bits == 8    ? IR_I8
                                       : bits == 16 ? IR_I16
                                       : bits == 32 ? IR_I32
                                                    : IR_I64,
                                       chunk);
            out[k] = c_print(g, "%s((%s)%s, %s, %s)", c_helper(g, "pick", u), c_type(g, lanes_as),
                             c_mask_piece(g, i->args[0], bits, k), a, b);
        }
        return true;
    case IR_OP_ptradd:
        for (unsigned k = 0; k < n; k++)
            out[k] = c_print(g, "(%s + %s)", c_chunk(g, i->args[0], k), c_chunk(g, i->args[1], k));
        return true;
    case IR_OP_cvta:
        for (unsigned k = 0; k < n; k++)
            out[k] = c_chunk(g, i->args[0], k);
        return true;
    case IR_OP_splat: {
        const char *x = c_value(g, i->args[0]);
        for (unsigned k = 0; k < n; k++)
            out[k] = splat(g, chunk, x);
        return true;
    }
    case IR_OP_insert:
        for (unsigned k = 0; k < n; k++) {
            out[k] = c_chunk(g, i->args[0], k);
            if (k == i->imm / c_lanes(g, t))
                out[k] = c_print(
                    g, "%s(%s, %u, %s)",
                    c_define(g, "insert", chunk, chunk,
                             ir_kind(t) == IR_I1 ? "INLINE $T $n($T v, int i, u8 x)\n{\n    v[i] = "
                                                   "-(i32)x;\n    return v;\n}\n"
                             : ir_kind(t) == IR_PTR ? "INLINE $T $n($T v, int i, ptr x)\n{\n    "
                                                      "v[i] = (u64)x;\n    return v;\n}\n"
                                                    : "INLINE $T $n($T v, int i, $E x)\n{\n    "
                                                      "v[i] = x;\n    return v;\n}\n"),
                    out[k], (unsigned)i->imm % c_lanes(g, t), c_value(g, i->args[1]));
        }
        return true;
    case IR_OP_iota:
        for (unsigned k = 0; k < n; k++) {
            struct sbuf o;
            sbuf_init(&o, g->arena);
            sbuf_printf(&o, "(%s){", type);
            for (unsigned l = 0; l < c_lanes(g, t); l++)
                sbuf_printf(&o, "%s%u", l ? ", " : "", k * c_lanes(g, t) + l);
            sbuf_putc(&o, '}');
            out[k] = o.data;
        }
        return true;
    case IR_OP_permute: permute(g, i, out); return true;
    case IR_OP_load:
    case IR_OP_mload:
    case IR_OP_gather: load(g, i, out); return true;
    case IR_OP_mrmw: mrmw(g, i, out); return true;
    default: break;
    }
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (!(info->flags & IR_ELEMENTWISE) || info->shape == IR_SHAPE_XX)
        return false;
    if (info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC)
        compare(g, i, out);
    else if (info->shape == IR_SHAPE_CV)
        convert(g, i, out);
    else if (ir_kind(t) == IR_I1)
        mask_arithmetic(g, i, out);
    else
        for (unsigned k = 0; k < n; k++) {
            const char *args[3];
            for (unsigned a = 0; a < i->nargs; a++)
                args[a] = c_chunk(g, i->args[a], k);
            out[k] = c_chunk_op(g, i, chunk, args);
        }
    return true;
}

bool c_vector_statement(struct cgen *g, const struct ir_inst *i)
{
    bool vector = i->nargs > 1 && ir_is_vector(i->args[1]->type);
    if (!vector || (i->op != IR_OP_store && i->op != IR_OP_mstore && i->op != IR_OP_scatter))
        return false;
    store(g, i);
    return true;
}

const char *c_vector_to_scalar(struct cgen *g, const struct ir_inst *i)
{
    struct ir_value *v = i->nargs ? i->args[0] : NULL;
    if (!v || !ir_is_vector(v->type))
        return NULL;
    ir_type chunk = c_chunk_type(g, v->type);
    unsigned lanes = ir_lanes(v->type);
    struct sbuf o;
    switch (i->op) {
    case IR_OP_extract: return c_lane(g, v, (unsigned)i->imm);
    case IR_OP_extractv: {
        const char *table = c_identifier(g, &g->locals, "lanes");
        ir_type s = ir_scalar(v->type);
        c_line(
            g,
            "const union {\n%*s    %s chunk[%u];\n%*s    %s lane[%u];\n%*s} %s = {.chunk = {%s}};",
            4 * g->indent, "", c_type(g, chunk), c_chunks(g, v->type), 4 * g->indent, "",
            ir_kind(s) == IR_I1    ? "i32"
            : ir_kind(s) == IR_PTR ? "u64"
                                   : c_type(g, s),
            lanes, 4 * g->indent, "", table, joined(g, v, ", "));
        const char *x = c_print(g, "%s.lane[%s & %u]", table, c_value(g, i->args[1]), lanes - 1);
        return ir_kind(s) == IR_I1    ? c_print(g, "(u8)(%s & 1)", x)
               : ir_kind(s) == IR_PTR ? c_print(g, "(ptr)%s", x)
                                      : x;
    }
    case IR_OP_anylane: return any_lane(g, v);
    case IR_OP_alllanes:
        return c_print(
            g, "%s(%s)",
            c_define(g, "all", chunk, chunk,
                     "INLINE u8 $n($T m)\n{\n"
                     "#if defined(__aarch64__) && $L == 4\n"
                     "    typedef u64 u64x2_ __attribute__((vector_size(16)));\n"
                     "    const u64x2_ q = (u64x2_)m;\n    return (q[0] & q[1]) == ~(u64)0;\n"
                     "#elif defined(__AVX__) && $L == 8\n"
                     "    typedef float f32x8_ __attribute__((vector_size(32)));\n"
                     "    return __builtin_ia32_movmskps256((f32x8_)m) == 255;\n"
                     "#elif defined(__SSE2__) && $L == 4\n"
                     "    typedef float f32x4_ __attribute__((vector_size(16)));\n"
                     "    return __builtin_ia32_movmskps((f32x4_)m) == 15;\n"
                     "#else\n"
                     "    i32 all = -1;\n    for (int i = 0; i < $L; i++)\n"
                     "        all &= m[i];\n    return all != 0;\n#endif\n}\n"),
            joined(g, v, " & "));
    case IR_OP_maskbits: {
        const char *one =
            c_define(g, "maskbits", chunk, chunk,
                     "INLINE u32 $n($T m)\n{\n    u32 bits = 0;\n"
                     "    for (int i = 0; i < $L; i++)\n        bits |= (u32)(m[i] & 1 << i);\n"
                     "    return bits;\n}\n");
        sbuf_init(&o, g->arena);
        for (unsigned k = 0; k < c_chunks(g, v->type); k++)
            sbuf_printf(&o, k ? " | %s(%s) << %u" : "%s(%s)", one, c_chunk(g, v, k),
                        k * c_lanes(g, v->type));
        return c_print(g, "(%s)", o.data);
    }
    case IR_OP_reduce: {
        static const enum ir_op ops[IR_RMW_COUNT] = {
            [IR_RMW_ADD] = IR_OP_add,   [IR_RMW_AND] = IR_OP_and,   [IR_RMW_OR] = IR_OP_or,
            [IR_RMW_XOR] = IR_OP_xor,   [IR_RMW_UMIN] = IR_OP_umin, [IR_RMW_UMAX] = IR_OP_umax,
            [IR_RMW_SMIN] = IR_OP_smin, [IR_RMW_SMAX] = IR_OP_smax, [IR_RMW_FADD] = IR_OP_fadd,
            [IR_RMW_FMIN] = IR_OP_fmin, [IR_RMW_FMAX] = IR_OP_fmax, [IR_RMW_SUB] = IR_OP_sub};
        struct ir_value scalar = {.kind = IR_VALUE_PARAM, .type = ir_scalar(v->type)};
        struct ir_value *args[2] = {&scalar, &scalar};
        struct ir_inst step = {
            .op = (uint16_t)ops[i->imm], .type = scalar.type, .nargs = 2, .args = args};
        bool exact = ir_class(v->type) == IR_CLASS_INT && i->imm != IR_RMW_SUB;
        unsigned n = c_lanes(g, v->type), chunks = c_chunks(g, v->type);
        const char *x = NULL;
        if (exact && ir_kind(v->type) != IR_I1) { /* any order: whole chunks first */
            const char *acc = c_chunk(g, v, 0);
            step.type = chunk;
            for (unsigned k = 1; k < chunks; k++) {
                const char *both[2] = {acc, c_chunk(g, v, k)};
                acc = c_chunk_op(g, &step, chunk, both);
            }
            const char *whole = c_identifier(g, &g->locals, "all");
            c_line(g, "const %s %s = %s;", c_type(g, chunk), whole, acc);
            for (unsigned l = 0; l < n; l++) {
                const char *both[2] = {x, c_print(g, "%s[%u]", whole, l)};
                x = x ? c_scalar_op(g, &step, scalar.type, scalar.type, both) : both[1];
            }
            return x;
        }
        for (unsigned l = 0; l < lanes; l++) {
            const char *both[2] = {x, c_lane(g, v, l)};
            x = x ? c_scalar_op(g, &step, scalar.type, scalar.type, both) : both[1];
        }
        return x;
    }
    default: return NULL;
    }
}
