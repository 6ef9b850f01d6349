/* Textures and surfaces: imm as in ir/tex.h, handles as the driver gives them.
 *
 * Before sm_90 the handle is one of the operands. From sm_90 on it stands in a uniform register,
 * which a warp has once: where its lanes may have different handles, a loop takes one of them
 * (R2UR), lets the lanes that have it go on, and comes back for the others. */
#include "back/sass/sass_int.h"
#include "ir/tex.h"

enum { MOST_LAYER = 0xffff };
enum { LEVEL_ZERO = 1 };
#define LEVEL_LOWEST UINT32_C(0xc2000000) /* -32: the first that there is */

static const uint8_t texture_dims[] = {
    [IR_TEX_1D] = 0,  [IR_TEX_2D] = 1,   [IR_TEX_3D] = 2,   [IR_TEX_A1D] = 4,
    [IR_TEX_A2D] = 5, [IR_TEX_CUBE] = 3, [IR_TEX_ACUBE] = 7};
static const uint8_t surface_dims[] = {
    [IR_TEX_1D] = 0, [IR_TEX_2D] = 3, [IR_TEX_3D] = 5, [IR_TEX_A1D] = 2, [IR_TEX_A2D] = 4};

struct words { /* of an operand, one after another */
    struct sass_src of[8];
    unsigned n;
};

static void add(struct words *w, struct sass_src x)
{
    w->of[w->n++] = x;
}

/* n of them in neighbouring registers, from `first` on. */
static struct sass_src neighbours(struct sass_func *s, const struct words *w, unsigned first,
                                  unsigned n)
{
    if (!n)
        return sass_zero();
    const struct sass_src *x = w->of + first;
    if (n == 1) { /* RZ in the place of an operand is an illegal instruction */
        const struct sass_src one = sass_in_reg(s, x[0]);
        if (one.kind == SRC_REG && one.value != SASS_NONE)
            return one;
        const uint32_t r = sass_new(s, 1);
        sass_move(s, r, 0, one);
        return sass_reg(r, 0);
    }
    const unsigned size = n == 2 ? 2 : 4;
    bool there = true;
    for (unsigned k = 0; k < n; k++)
        there &= x[k].kind == SRC_REG && x[k].value != SASS_NONE && x[k].value == x[0].value &&
                 x[k].part == x[0].part + k;
    struct sass_src all = x[0];
    if (!there || all.part % size) {
        uint32_t r = sass_new(s, size);
        for (unsigned k = 0; k < n; k++)
            sass_move(s, r, k, x[k]);
        all = sass_reg(r, 0);
    }
    all.parts = (uint8_t)n;
    return all;
}

/* ---- handles ---- */
/* What lanes with the same handle do, once for each handle that some have. */
struct turns {
    bool some;
    uint32_t top, out;
    uint32_t more, other; /* predicates: to come yet; has another handle than this turn's */
};

static void load_handle(struct sass_func *s, uint32_t place)
{
    struct sass_inst *i = sass_put(s, OP_ULDC);
    i->mods[MOD_UNIFORM] = UR_TEXTURE;
    i->mods[MOD_WIDE] = 4;
    i->b = (struct sass_src){.kind = SRC_CONST, .value = place, .parts = 1};
}

/* The upper word of a texture's is none of it. */
static void end_handle(struct sass_func *s)
{
    struct sass_inst *i = sass_put(s, OP_UMOV);
    i->mods[MOD_UNIFORM] = UR_TEXTURE + 1;
    i->imm = 0;
}

/* Handles are in UR_TEXTURE from here on; d: what the instruction writes, n words of it. */
static struct turns take_handle(struct sass_func *s, struct ir_value *handle, uint32_t d,
                                unsigned n)
{
    struct turns t = {false};
    const uint32_t place = sass_param_place(s, handle);
    if (place != SASS_NONE) {
        load_handle(s, place);
        end_handle(s);
        return t;
    }
    const struct sass_src x = sass_in_reg(s, sass_word(s, handle, 0));
    if (sass_same(s, handle)) {
        sass_put(s, OP_R2UR)->a = x;
        end_handle(s);
        return t;
    }
    const struct sass_pred yes = {SASS_NONE, false};
    t = (struct turns){true, sass_block_new(s), sass_block_new(s), sass_new(s, 0), sass_new(s, 0)};
    const struct sass_pred done = {t.more, true}, other = {t.other, false};
    sass_plogic_to(s, t.more, LUT_OR, yes, yes);
    sass_plogic_to(s, t.other, LUT_OR, yes, yes);
    for (unsigned k = 0; k < n; k++)
        sass_move(s, d, k, sass_zero());
    sass_goto(s, t.top);
    sass_begin(s, t.top);
    sass_plogic_to(s, t.other, LUT_OR, other, done);
    struct sass_inst *i = sass_put(s, OP_R2UR);
    i->guard = (struct sass_pred){t.more, false};
    i->a = x;
    i->pd = t.other;
    i->r = other; /* stays as it is where it is not written */
    end_handle(s);
    return t;
}

static void end_turn(struct sass_func *s, const struct turns *t)
{
    if (!t->some)
        return;
    const struct sass_pred more = {t->more, false}, other = {t->other, false};
    sass_plogic_to(s, t->more, LUT_AND, more, other);
    struct sass_inst *i = sass_put(s, OP_BRA_ANY);
    i->guard = more;
    i->imm = (int32_t)t->top;
    sass_edge(s, t->top);
    sass_goto(s, t->out);
    sass_begin(s, t->out);
}

static struct sass_inst *put_access(struct sass_func *s, enum sass_op op, const struct turns *t)
{
    struct sass_inst *i = sass_put(s, op);
    if (t->some)
        i->guard = (struct sass_pred){t->other, true};
    i->continues = t->some;
    return i;
}

/* ---- textures ---- */
/* Results that somebody reads, and how they lie in the registers. */
static unsigned asked_for(const struct sass_func *s, const struct ir_inst *i)
{
    unsigned mask = 0;
    for (unsigned k = 0; k < i->nresults && k < 4; k++)
        mask |= (s->uses[i->results[k].id] != 0) << k;
    return mask ? mask : 1;
}

static unsigned count(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static uint32_t room_for(struct sass_func *s, unsigned n)
{
    return sass_new(s, n > 2 ? 4 : n);
}

static void give_results(struct sass_func *s, struct ir_inst *i, unsigned mask, uint32_t d)
{
    for (unsigned k = 0, at = 0; k < i->nresults && k < 4; k++)
        if (mask >> k & 1)
            sass_give_out(s, &i->results[k], d, at++);
}

static struct sass_src layer_of(struct sass_func *s, struct ir_value *v)
{
    const struct sass_src x = sass_in_reg(s, sass_word(s, v, 0));
    uint32_t d = sass_new(s, 1);
    struct sass_pred far = sass_compare(s, CMP_GT, false, x, sass_imm(MOST_LAYER));
    far.neg = !far.neg;
    sass_choose(s, d, 0, far, x, sass_imm(MOST_LAYER));
    return sass_reg(d, 0);
}

/* A direction, as far as the cube's side. */
static void scale(struct sass_func *s, struct sass_src *x)
{
    struct sass_src size[3];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = sass_in_reg(s, x[k]);
        size[k] = x[k];
        size[k].abs = true;
    }
    uint32_t two = sass_new(s, 1), three = sass_new(s, 1), by = sass_new(s, 1);
    sass_op2(s, OP_FMNMX, two, 0, size[0], size[1]);
    vec_last(&s->blocks.data[s->current].code).p.neg = true; /* the greater */
    sass_op2(s, OP_FMNMX, three, 0, size[2], sass_reg(two, 0));
    vec_last(&s->blocks.data[s->current].code).p.neg = true;
    sass_op1(s, OP_MUFU, by, 0, sass_reg(three, 0));
    sass_mod(s, MOD_FUNC, MUFU_RCP);
    for (unsigned k = 0; k < 3; k++) {
        uint32_t r = sass_new(s, 1);
        sass_op2(s, OP_FMUL, r, 0, x[k], sass_reg(by, 0));
        x[k] = sass_reg(r, 0);
    }
}

struct fetch {
    enum sass_op op;        /* as sm_90 has it */
    struct words at, extra; /* coordinates with the layer; level or gradients */
    unsigned dims;
};

static struct fetch fetch_of(struct sass_func *s, const struct ir_inst *i)
{
    const unsigned imm = (unsigned)i->imm, n = ir_tex_dims(imm), layered = ir_tex_layered(imm);
    const enum ir_tex_mode mode = ir_tex_mode(imm);
    struct fetch f = {.op = imm & IR_TEX_INT        ? OP_TLD
                            : mode == IR_TEX_GATHER ? OP_TLD4
                            : mode == IR_TEX_GRAD   ? OP_TXD
                                                    : OP_TEX,
                      .dims = texture_dims[ir_tex_geometry(imm)]};
    if (layered && f.op != OP_TXD)
        add(&f.at, layer_of(s, i->args[1]));
    const unsigned first = f.at.n;
    for (unsigned k = 0; k < n; k++)
        add(&f.at, sass_word(s, i->args[1 + layered + k], 0));
    if (ir_tex_geometry(imm) == IR_TEX_CUBE || ir_tex_geometry(imm) == IR_TEX_ACUBE)
        scale(s, &f.at.of[first]);
    if (layered && f.op == OP_TXD)
        add(&f.at, layer_of(s, i->args[1]));
    const bool line = ir_tex_geometry(imm) == IR_TEX_1D && f.op != OP_TLD;
    if (line) { /* one row of an image */
        add(&f.at, sass_zero());
        f.dims = texture_dims[IR_TEX_2D];
    }
    const unsigned next = 1 + layered + n;
    if (f.op == OP_TEX)
        add(&f.extra, mode == IR_TEX_LOD ? sass_word(s, i->args[next], 0) : sass_imm(LEVEL_LOWEST));
    for (unsigned k = 0; f.op == OP_TXD && k < n + line; k++)
        for (unsigned axis = 0; axis < 2; axis++)
            add(&f.extra, k < n ? sass_word(s, i->args[next + axis * n + k], 0) : sass_zero());
    return f;
}

/* Operands before sm_90. If there are four at most, they are two pairs; gradients begin with the
 * handle. */
static void place_operands(struct sass_func *s, const struct fetch *f, struct sass_src handle,
                           struct sass_inst *i)
{
    struct words all = {.n = 0};
    if (f->op == OP_TXD) {
        add(&all, handle);
        for (unsigned k = 0; k < f->at.n; k++)
            add(&all, f->at.of[k]);
        i->a = neighbours(s, &all, 0, all.n);
        i->b = neighbours(s, &f->extra, 0, f->extra.n);
        return;
    }
    for (unsigned k = 0; k < f->at.n; k++)
        add(&all, f->at.of[k]);
    add(&all, handle);
    for (unsigned k = 0; k < f->extra.n; k++)
        add(&all, f->extra.of[k]);
    const bool pairs = all.n <= 4;
    const unsigned first = pairs ? (all.n < 2 ? all.n : 2) : f->at.n;
    const unsigned part = f->at.n == 1 && f->op == OP_TLD ? 1 : first;
    i->mods[MOD_SCATTER] = pairs;
    i->a = neighbours(s, &all, 0, part);
    i->b = neighbours(s, &all, part, all.n - part);
}

static enum sass_op bindless(enum sass_op op)
{
    static const uint16_t old[SASS_OPS] = {
        [OP_TEX] = OP_TEX_B, [OP_TLD] = OP_TLD_B,   [OP_TLD4] = OP_TLD4_B, [OP_TXD] = OP_TXD_B,
        [OP_TXQ] = OP_TXQ_B, [OP_SULD] = OP_SULD_B, [OP_SUST] = OP_SUST_B, [OP_SURED] = OP_SURED_B};
    return (enum sass_op)old[op];
}

static bool is_known(const struct ir_inst *i)
{
    const unsigned imm = (unsigned)i->imm, geometry = ir_tex_geometry(imm);
    const enum ir_tex_mode mode = ir_tex_mode(imm);
    if (geometry > IR_TEX_ACUBE || (ir_kind(i->type) != IR_F32 && ir_kind(i->type) != IR_I32))
        return false;
    if (imm & IR_TEX_INT)
        return mode == IR_TEX_PLAIN && geometry <= IR_TEX_A2D;
    return mode == IR_TEX_GATHER ? geometry == IR_TEX_2D
           : mode == IR_TEX_GRAD ? geometry <= IR_TEX_A2D && geometry != IR_TEX_3D
                                 : true;
}

static void texture(struct sass_func *s, struct ir_inst *i)
{
    if (!is_known(i)) {
        sass_refuse(s, "a texture fetch of this form");
        return;
    }
    const struct fetch f = fetch_of(s, i);
    const unsigned mask = asked_for(s, i), n = count(mask);
    const uint32_t d = room_for(s, n);
    struct sass_inst access = sass_inst(s->arch >= 90 ? f.op : bindless(f.op));
    struct turns t = {false};
    if (s->arch >= 90) {
        access.a = neighbours(s, &f.at, 0, f.at.n);
        access.b = neighbours(s, &f.extra, 0, f.extra.n);
        t = take_handle(s, i->args[0], d, n);
    } else {
        place_operands(s, &f, sass_word(s, i->args[0], 0), &access);
    }
    access.d = d;
    access.d_parts = (uint8_t)n;
    access.mods[MOD_DIMS] = (uint16_t)f.dims;
    access.mods[MOD_MASK] = (uint16_t)mask;
    if (f.op == OP_TLD4)
        access.mods[MOD_MODE] = (uint16_t)ir_tex_component(i->imm);
    struct sass_inst *put = put_access(s, access.op, &t);
    access.guard = put->guard;
    access.continues = put->continues;
    *put = access;
    end_turn(s, &t);
    give_results(s, i, mask, d);
}

static void query(struct sass_func *s, struct ir_inst *i)
{
    enum { SIZES = 3 };
    if (i->imm >= SIZES) { /* they stand in a table of the driver's */
        sass_refuse(s, "a query of a texture's channels");
        return;
    }
    struct words level = {.n = 0};
    struct turns t = {false};
    const uint32_t d = sass_new(s, 1);
    if (s->arch < 90)
        add(&level, sass_word(s, i->args[0], 0));
    add(&level, sass_zero());
    struct sass_src at = neighbours(s, &level, 0, level.n);
    if (at.value == SASS_NONE) {
        uint32_t r = sass_new(s, 1);
        sass_move(s, r, 0, at);
        at = sass_reg(r, 0);
    }
    if (s->arch >= 90)
        t = take_handle(s, i->args[0], d, 1);
    struct sass_inst *q = put_access(s, s->arch >= 90 ? OP_TXQ : OP_TXQ_B, &t);
    q->d = d;
    q->a = at;
    q->mods[MOD_MASK] = (uint16_t)(1u << i->imm);
    end_turn(s, &t);
    sass_give_out(s, &i->results[0], d, 0);
}

/* ---- surfaces ---- */
static unsigned size_of(unsigned bytes)
{
    return bytes == 1 ? 0 : bytes == 2 ? 2 : bytes == 4 ? 4 : bytes == 8 ? 5 : 6;
}

/* Components of less than a word, as they lie in memory. */
static void pack(struct sass_func *s, struct ir_inst *i, unsigned first, unsigned n, unsigned bits,
                 struct words *out)
{
    const unsigned each = 32 / bits;
    for (unsigned k = 0; k < n; k += each) {
        struct sass_src word = sass_in_reg(s, sass_word(s, i->args[first + k], 0));
        for (unsigned j = 1; j < each && k + j < n; j++) {
            const struct sass_src x = sass_in_reg(s, sass_word(s, i->args[first + k + j], 0));
            static const uint16_t put[] = {0, 0x7740, 0x7410, 0x4210};
            uint32_t r = sass_new(s, 1);
            sass_op3(s, OP_PRMT, r, 0, word, sass_imm(bits == 16 ? 0x5410 : put[j]), x);
            word = sass_reg(r, 0);
        }
        add(out, word);
    }
}

static void unpack(struct sass_func *s, struct ir_inst *i, unsigned n, unsigned bits, uint32_t d)
{
    const unsigned each = 32 / bits;
    for (unsigned k = 0; k < n; k++) {
        struct ir_value *v = &i->results[k];
        if (!s->uses[v->id])
            continue;
        const unsigned at = k % each, bytes = bits / 8;
        static const uint16_t take[] = {0x4440, 0x4441, 0x4442, 0x4443};
        uint32_t r = sass_result(s, v);
        sass_op3(s, OP_PRMT, r, 0, sass_reg(d, k / each),
                 sass_imm(bytes == 1 ? take[at]
                          : at       ? 0x4432
                                     : 0x4410),
                 sass_zero());
        sass_done(s, v, r);
    }
}

static void give_zeros(struct sass_func *s, struct ir_inst *i, unsigned from)
{
    for (unsigned k = from; k < i->nresults; k++) {
        struct ir_value *v = &i->results[k];
        if (!s->uses[v->id])
            continue;
        uint32_t r = sass_result(s, v);
        for (unsigned w = 0; w < sass_words(v->type); w++)
            sass_move(s, r, w, sass_zero());
        sass_done(s, v, r);
    }
}

static bool reduction(const struct ir_inst *i, unsigned bits, struct sass_inst *r)
{
    static const uint8_t kinds[IR_RMW_COUNT] = {
        [IR_RMW_ADD] = 1,  [IR_RMW_UMIN] = 2, [IR_RMW_SMIN] = 2, [IR_RMW_UMAX] = 3,
        [IR_RMW_SMAX] = 3, [IR_RMW_AND] = 6,  [IR_RMW_OR] = 7};
    const enum ir_rmw kind = ir_surf_reduction(i->imm);
    const bool sign = kind == IR_RMW_SMIN || kind == IR_RMW_SMAX;
    if (kind >= IR_RMW_COUNT || !kinds[kind] || bits < 32)
        return false;
    r->mods[MOD_ATOM] = (uint16_t)(kinds[kind] - 1);
    r->mods[MOD_TYPE] = bits == 64 ? (sign ? 5 : 2) : sign;
    return true;
}

static void surface(struct sass_func *s, struct ir_inst *i)
{
    static const uint8_t bounds[] = {
        [IR_TEX_TRAP] = 2, [IR_TEX_CLAMP] = 1, [IR_TEX_ZERO] = 0, [3] = 2};
    const unsigned imm = (unsigned)i->imm, dims = ir_tex_dims(imm), n = ir_tex_components(imm),
                   layered = ir_tex_layered(imm), bits = ir_bits(i->type), bytes = n * bits / 8,
                   words = bytes > 4 ? bytes / 4 : 1;
    const bool store = i->op == IR_OP_surfstore, reduces = store && ir_surf_reduces(imm);
    struct sass_inst access = sass_inst(reduces ? OP_SURED : store ? OP_SUST : OP_SULD);
    if (s->arch < 90)
        access = sass_inst(bindless(access.op));
    if (ir_tex_geometry(imm) > IR_TEX_A2D || !n || n == 3 || n > 4 || bits < 8 || bytes > 16 ||
        (reduces && (n != 1 || !reduction(i, bits, &access)))) {
        sass_refuse(s, "a surface access of this form");
        return;
    }
    struct words at = {.n = 0}, data = {.n = 0};
    for (unsigned k = 0; k < dims; k++)
        add(&at, sass_word(s, i->args[1 + layered + k], 0));
    if (layered)
        add(&at, sass_word(s, i->args[1], 0));
    access.a = neighbours(s, &at, 0, at.n);
    const unsigned first = 1 + dims + layered;
    if (store && bits < 32)
        pack(s, i, first, n, bits, &data);
    for (unsigned k = 0; store && bits >= 32 && k < words; k++)
        add(&data, sass_word(s, i->args[first + k * 32 / bits], bits == 64 ? k % 2 : 0));
    if (store)
        access.b = neighbours(s, &data, 0, data.n);
    const uint32_t d = store ? SASS_NONE : sass_new(s, words);
    struct turns t = {false};
    if (s->arch < 90)
        access.c = sass_in_reg(s, sass_word(s, i->args[0], 0));
    else
        t = take_handle(s, i->args[0], d, store ? 0 : words);
    access.d = d;
    access.d_parts = (uint8_t)(store ? 1 : words);
    access.mods[MOD_DIMS] = surface_dims[ir_tex_geometry(imm)];
    access.mods[MOD_BOUNDS] = bounds[ir_tex_bounds(imm)];
    if (!reduces)
        access.mods[MOD_SIZE] = (uint16_t)size_of(bytes);
    struct sass_inst *put = put_access(s, access.op, &t);
    access.guard = put->guard;
    access.continues = put->continues && !store;
    *put = access;
    end_turn(s, &t);
    if (store)
        return;
    if (bits < 32)
        unpack(s, i, n, bits, d);
    for (unsigned k = 0; bits >= 32 && k < n; k++)
        sass_give_out(s, &i->results[k], d, k * bits / 32);
    give_zeros(s, i, n);
}

bool sass_texture(struct sass_func *s, struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_tex: texture(s, i); break;
    case IR_OP_txq: query(s, i); break;
    case IR_OP_surfload:
    case IR_OP_surfstore: surface(s, i); break;
    default: return false;
    }
    s->uses_flags |= BACK_USES_TEXTURES;
    return true;
}

/* ---- gradients in three dimensions ---- */
static struct ir_value *size_along(struct ir_builder *b, struct ir_value *handle, unsigned axis)
{
    struct ir_inst *q = ir_build(b, IR_OP_txq, IR_VOID, &handle, 1);
    q->imm = axis;
    return ir_build1(b, IR_OP_uitof, IR_F32, &q->results[0]);
}

static struct ir_value *level_of(struct ir_builder *b, struct ir_module *m, const struct ir_inst *i,
                                 unsigned first, unsigned dims)
{
    static const uint32_t smallest = 0x00800000, half = 0x3f000000;
    struct ir_value *longest = ir_const(m, IR_F32, smallest);
    for (unsigned axis = 0; axis < 2; axis++) {
        struct ir_value *sum = NULL;
        for (unsigned k = 0; k < dims; k++) {
            struct ir_value *x = ir_build2(b, IR_OP_fmul, IR_F32, i->args[first + axis * dims + k],
                                           size_along(b, i->args[0], k));
            x = ir_build2(b, IR_OP_fmul, IR_F32, x, x);
            sum = sum ? ir_build2(b, IR_OP_fadd, IR_F32, sum, x) : x;
        }
        longest = ir_build2(b, IR_OP_fmax, IR_F32, longest, sum);
    }
    return ir_build2(b, IR_OP_fmul, IR_F32, ir_build1(b, IR_OP_flog2_fast, IR_F32, longest),
                     ir_const(m, IR_F32, half));
}

/* The length of a step in texels says which level fits. */
void sass_gradients(struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const unsigned imm = (unsigned)i->imm, dims = 3;
            if (i->op != IR_OP_tex || ir_tex_geometry(imm) != IR_TEX_3D ||
                ir_tex_mode(imm) != IR_TEX_GRAD)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            i->args[1 + dims] = level_of(&at, f->module, i, 1 + dims, dims);
            i->nargs = 2 + dims;
            i->imm = IR_TEX_IMM(IR_TEX_3D, IR_TEX_LOD, 0);
        }
}
