/* cp.async.bulk and cp.reduce.async.bulk: copies of many bytes or of boxes of tensors, which a
 * barrier in memory or a group is told of; and what else tells the device how to run. */
#include <string.h>
#include "front/ptxops/px_int.h"
#include "ir/async.h"

struct copy { /* an instruction in the making */
    struct ir_value *args[20];
    uint32_t n;
    uint64_t imm;
};

static void add(struct copy *c, struct ir_value *v)
{
    c->args[c->n++] = v;
}

/* The space of the n-th word that names one. */
static bool space_at(struct px_stmt *s, unsigned n, enum ir_space *space)
{
    for (uint32_t i = 0; i < s->nmods; i++) {
        bool shared = !strcmp(s->mods[i], "shared::cluster") || !strcmp(s->mods[i], "shared::cta");
        if (!shared && strcmp(s->mods[i], "global"))
            continue;
        s->used |= 1u << i;
        *space = shared ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
        if (!n--)
            return true;
    }
    return false;
}

/* .add.f16 and the like. */
static bool reduction(struct px_stmt *s, struct copy *c)
{
    static const struct {
        const char *name;
        enum ir_rmw s, u, f;
    } ops[] = {{"add", IR_RMW_ADD, IR_RMW_ADD, IR_RMW_FADD},
               {"min", IR_RMW_SMIN, IR_RMW_UMIN, IR_RMW_FMIN},
               {"max", IR_RMW_SMAX, IR_RMW_UMAX, IR_RMW_FMAX},
               {"inc", IR_RMW_COUNT, IR_RMW_INC, IR_RMW_COUNT},
               {"dec", IR_RMW_COUNT, IR_RMW_DEC, IR_RMW_COUNT},
               {"and", IR_RMW_AND, IR_RMW_AND, IR_RMW_COUNT},
               {"or", IR_RMW_OR, IR_RMW_OR, IR_RMW_COUNT},
               {"xor", IR_RMW_XOR, IR_RMW_XOR, IR_RMW_COUNT}};
    static const struct {
        char letter;
        uint8_t bits, type;
    } types[] = {{'u', 32, IR_BULK_U32}, {'s', 32, IR_BULK_S32}, {'u', 64, IR_BULK_U64},
                 {'s', 64, IR_BULK_S64}, {'f', 16, IR_BULK_F16}, {'h', 16, IR_BULK_BF16},
                 {'f', 32, IR_BULK_F32}, {'f', 64, IR_BULK_F64}, {'b', 32, IR_BULK_B32},
                 {'b', 64, IR_BULK_B64}};
    const bool tensor = px_mod(s, "tensor"); /* its map has the type */
    if (s->ntypes != (tensor ? 0u : 1u) || (!tensor && s->types[0].lanes != 1))
        return false;
    const struct px_type t = tensor ? (struct px_type){'u', 32, 1} : s->types[0];
    enum ir_rmw op = IR_RMW_COUNT;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (px_mod(s, ops[i].name))
            op = px_is_float(t) ? ops[i].f : t.letter == 's' ? ops[i].s : ops[i].u;
    if (op == IR_RMW_COUNT)
        return false;
    if (px_mod(s, "noftz"))
        c->imm |= IR_BULK_NO_FTZ;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].letter == t.letter && types[i].bits == t.bits) {
            c->imm |= IR_BULK_REDUCE | (uint64_t)op << IR_BULK_OP_SHIFT |
                      (uint64_t)types[i].type << IR_BULK_TYPE_SHIFT;
            return true;
        }
    return false;
}

/* The options at the end: a mask of blocks, a policy; then the instruction. */
static bool finish(struct px *p, struct px_stmt *s, struct copy *c, uint32_t at, bool multicast,
                   bool hint)
{
    if (s->nops != at + multicast + hint)
        return false;
    if (multicast)
        add(c, px_in(p, &s->ops[at++], IR_I32));
    if (hint)
        add(c, px_in(p, &s->ops[at], IR_I64));
    c->imm |= (multicast ? IR_BULK_MULTICAST : 0u) | (hint ? IR_BULK_HINT : 0u);
    ir_build(&p->b, IR_OP_bulk, IR_VOID, c->args, c->n)->imm = c->imm;
    return true;
}

/* [map, {x, y}]: the map's address and coordinates. */
static bool tensor_operand(struct px *p, const struct px_operand *o, unsigned dims,
                           struct ir_value **map, struct ir_value **at)
{
    if (o->kind != PO_ADDRESS || o->nitems != 2 ||
        (o->items[1].kind == PO_VECTOR ? o->items[1].nitems : 1) != dims)
        return false;
    *map = px_address(p, o, IR_SPACE_GENERIC);
    for (unsigned k = 0; k < dims; k++)
        at[k] =
            px_in(p, o->items[1].kind == PO_VECTOR ? &o->items[1].items[k] : &o->items[1], IR_I32);
    return true;
}

static unsigned dims_of(struct px_stmt *s)
{
    static const char *const words[] = {"1d", "2d", "3d", "4d", "5d"};
    for (unsigned i = 0; i < 5; i++)
        if (px_mod(s, words[i]))
            return i + 1;
    return 0;
}

/* cp.async.bulk.tensor.Nd… : load [dst], [map, {…}], [mbar], {offsets}, mask, policy
 *                            store [map, {…}], [src], policy    prefetch [map, {…}], {offsets},
 * policy */
static bool tensor_copy(struct px *p, struct px_stmt *s, struct copy *c, bool multicast, bool hint)
{
    struct ir_value *map, *at[5];
    const unsigned dims = dims_of(s);
    const bool im2col = px_mod(s, "im2col") || px_mod(s, "im2col_no_offs");
    const bool prefetch = px_mod(s, "prefetch"),
               counted = px_mod(s, "mbarrier::complete_tx::bytes");
    if (!dims || (im2col && dims < 3))
        return false;
    (void)px_mod(s, "tile");
    c->imm |= (uint64_t)dims << IR_BULK_DIMS_SHIFT | (im2col ? IR_BULK_IM2COL : 0u);
    uint32_t next;
    if (counted) {
        if (s->nops < 3 || !tensor_operand(p, &s->ops[1], dims, &map, at) ||
            c->imm & IR_BULK_REDUCE)
            return false;
        c->imm |= IR_BULK_TENSOR_LOAD;
        add(c, px_address(p, &s->ops[0], IR_SPACE_SHARED));
        add(c, map);
        add(c, px_address(p, &s->ops[2], IR_SPACE_SHARED));
        next = 3;
    } else if (prefetch) {
        if (!px_mod(s, "L2") || !s->nops || !tensor_operand(p, &s->ops[0], dims, &map, at))
            return false;
        c->imm |= IR_BULK_TENSOR_PREFETCH;
        add(c, map);
        next = 1;
    } else {
        if (!px_mod(s, "bulk_group") || s->nops < 2 ||
            !tensor_operand(p, &s->ops[0], dims, &map, at))
            return false;
        c->imm |= IR_BULK_TENSOR_STORE;
        add(c, map);
        add(c, px_address(p, &s->ops[1], IR_SPACE_SHARED));
        next = 2;
    }
    for (unsigned k = 0; k < dims; k++)
        add(c, at[k]);
    const unsigned offsets = ir_bulk_numbers(c->imm) - dims;
    if (offsets) {
        if (s->nops <= next || s->ops[next].kind != PO_VECTOR || s->ops[next].nitems != offsets)
            return false;
        for (unsigned k = 0; k < offsets; k++)
            add(c, px_bits_as(p, px_in(p, &s->ops[next].items[k], IR_I16), IR_I32));
        next++;
    }
    enum ir_space space;
    (void)space_at(s, 2, &space);
    return finish(p, s, c, next, multicast, hint);
}

static bool groups(struct px *p, struct px_stmt *s, bool *done)
{
    *done = true;
    if (px_mod(s, "commit_group")) {
        ir_build(&p->b, IR_OP_bulk_sync, IR_VOID, NULL, 0)->imm = IR_BULK_COMMIT;
        return !s->nops;
    }
    if (px_mod(s, "wait_group")) {
        const uint64_t what = px_mod(s, "read") ? IR_BULK_WAIT_READ : IR_BULK_WAIT;
        if (s->nops != 1 || s->ops[0].kind != PO_INT)
            return false;
        ir_build(&p->b, IR_OP_bulk_sync, IR_VOID, NULL, 0)->imm = what + 4 * s->ops[0].bits;
        return true;
    }
    *done = false;
    return false;
}

/* cp.async.bulk.DST.SRC.{mbarrier::complete_tx::bytes, bulk_group} [dst], [src], size{, [mbar]} */
bool px_bulk_copy(struct px *p, struct px_stmt *s)
{
    struct copy c = {.n = 0};
    enum ir_space to, from;
    bool done;
    const bool known = groups(p, s, &done);
    if (done)
        return known && !s->ntypes;
    if (px_mod(s, "reduce") ? !reduction(s, &c) : s->ntypes != 0)
        return false;
    const bool hint = px_mod(s, "L2::cache_hint"), multicast = px_mod(s, "multicast::cluster");
    if (px_mod(s, "tensor"))
        return tensor_copy(p, s, &c, multicast, hint);
    if (px_mod(s, "prefetch")) {
        c.imm |= IR_BULK_PREFETCH;
        if (!px_mod(s, "L2") || !px_mod(s, "global") || s->nops < 2)
            return false;
        add(&c, px_address(p, &s->ops[0], IR_SPACE_GLOBAL));
        add(&c, px_in(p, &s->ops[1], IR_I32));
        return finish(p, s, &c, 2, false, hint);
    }
    const bool counted = px_mod(s, "mbarrier::complete_tx::bytes");
    if (!counted && !px_mod(s, "bulk_group"))
        return false;
    if (s->nops < (counted ? 4u : 3u) || !space_at(s, 0, &to) || !space_at(s, 1, &from) ||
        (counted ? to != IR_SPACE_SHARED : to != IR_SPACE_GLOBAL || from != IR_SPACE_SHARED) ||
        (c.imm & IR_BULK_REDUCE && from != IR_SPACE_SHARED))
        return false;
    c.imm |= !counted ? IR_BULK_STORE : from == IR_SPACE_SHARED ? IR_BULK_SEND : IR_BULK_LOAD;
    add(&c, px_address(p, &s->ops[0], to));
    add(&c, px_address(p, &s->ops[1], from));
    add(&c, px_in(p, &s->ops[2], IR_I32));
    if (counted)
        add(&c, px_address(p, &s->ops[3], IR_SPACE_SHARED));
    return finish(p, s, &c, counted ? 4 : 3, multicast, hint);
}

/* ---- how to run ---- */
static void hint(struct px *p, uint64_t imm, struct ir_value *x)
{
    ir_build(&p->b, IR_OP_hint, IR_VOID, &x, x ? 1 : 0)->imm = imm;
}

/* fence.proxy…, fence.mbarrier_init; false: another fence. */
bool px_proxy_fence(struct px *p, struct px_stmt *s)
{
    if (px_mod(s, "mbarrier_init")) {
        (void)px_mod(s, "release");
        (void)px_mod(s, "cluster");
        hint(p, IR_HINT_MBARRIER_INIT, NULL);
        return true;
    }
    if (!px_mod(s, "proxy"))
        return false;
    if (px_mod(s, "alias"))
        hint(p, IR_HINT_PROXY_ALIAS, NULL);
    else if (px_mod(s, "async"))
        hint(p,
             px_mod(s, "global")                                        ? IR_HINT_PROXY_ASYNC_GLOBAL
             : px_mod(s, "shared::cta") || px_mod(s, "shared::cluster") ? IR_HINT_PROXY_ASYNC_SHARED
                                                                        : IR_HINT_PROXY_ASYNC,
             NULL);
    else
        return false;
    return true;
}

bool px_hint(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    if (!strcmp(row->name, "setmaxnreg")) {
        const bool more = px_mod(s, "inc");
        if ((!more && !px_mod(s, "dec")) || s->nops != 1 || s->ops[0].kind != PO_INT ||
            s->ntypes != 1 || s->ops[0].bits < 24 || s->ops[0].bits > 256 || s->ops[0].bits % 8)
            return false;
        hint(p, (more ? IR_HINT_MAXNREG_INC : IR_HINT_MAXNREG_DEC) + 16 * s->ops[0].bits, NULL);
        return true;
    }
    if (!strcmp(row->name, "griddepcontrol")) {
        const bool wait = px_mod(s, "wait");
        hint(p, wait ? IR_HINT_WAIT_FOR_GRID : IR_HINT_LAUNCH_DEPENDENTS, NULL);
        return (wait || px_mod(s, "launch_dependents")) && !s->nops && !s->ntypes;
    }
    if (!px_mod(s, "tensormap"))
        return px_nothing(p, s, row);
    enum ir_space space;
    px_space_of(s, &space);
    if (s->nops != 1 || s->ntypes)
        return false;
    hint(p, IR_HINT_PREFETCH_TENSORMAP, px_address(p, &s->ops[0], space));
    return true;
}
