/* Textures and surfaces, by their handles: tex, tld4, txq, suld, sust, sured, suq. */
#include <string.h>
#include "front/ptxops/px_int.h"
#include "ir/tex.h"

static const struct geometry {
    const char *name;
    enum ir_tex_geometry geometry;
    unsigned dims; /* coordinates without the layer */
    bool layered;
} geometries[] = {
    {"1d", IR_TEX_1D, 1, false},      {"2d", IR_TEX_2D, 2, false},  {"3d", IR_TEX_3D, 3, false},
    {"a1d", IR_TEX_A1D, 1, true},     {"a2d", IR_TEX_A2D, 2, true}, {"cube", IR_TEX_CUBE, 3, false},
    {"acube", IR_TEX_ACUBE, 3, true},
};

static const struct geometry *geometry_of(struct px_stmt *s)
{
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
        if (px_mod(s, geometries[i].name))
            return &geometries[i];
    return NULL;
}

#define MAX_ARGS 16
struct list {
    struct ir_value *args[MAX_ARGS];
    uint32_t n;
};

static void push(struct list *l, struct ir_value *x)
{
    l->args[l->n++] = x;
}

/* The first n values of a vector operand, which may have more than matter. */
static bool push_vector(struct px *p, struct list *l, const struct px_operand *o, unsigned n,
                        ir_type t)
{
    if ((o->kind == PO_VECTOR ? o->nitems : 1) < n || l->n + n > MAX_ARGS)
        return false;
    for (unsigned i = 0; i < n; i++)
        push(l, px_in(p, o->kind == PO_VECTOR ? &o->items[i] : o, t));
    return true;
}

/* [handle, {layer, x, y, z}] */
static bool push_place(struct px *p, struct px_stmt *s, struct list *l, const struct px_operand *o,
                       const struct geometry *g, ir_type t)
{
    if (o->kind != PO_ADDRESS || o->nitems < 2)
        return false;
    if (o->nitems > 2) {
        px_refuse(p, s, "a sampler apart from its texture is not supported");
        return false;
    }
    if (o->items[0].kind != PO_REG) {
        px_refuse(p, s, "textures and surfaces by name are not supported: pass a handle");
        return false;
    }
    const struct px_operand *c = &o->items[1], *items = c->kind == PO_VECTOR ? c->items : c;
    unsigned n = c->kind == PO_VECTOR ? c->nitems : 1, skip = g->layered ? 1 : 0;
    if (n < skip + g->dims)
        return false;
    push(l, px_in(p, &o->items[0], IR_I64));
    if (g->layered)
        push(l, px_in(p, &items[0], IR_I32));
    for (unsigned i = 0; i < g->dims; i++)
        push(l, px_in(p, &items[skip + i], t));
    return true;
}

static bool give(struct px *p, const struct px_operand *d, struct ir_inst *i, unsigned n)
{
    if ((d->kind == PO_VECTOR ? d->nitems : 1) != n)
        return false;
    for (unsigned k = 0; k < n; k++)
        px_out(p, d->kind == PO_VECTOR ? &d->items[k] : d, &i->results[k]);
    return true;
}

bool px_tex(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    static const char *const components[] = {"r", "g", "b", "a"};
    const struct geometry *g = geometry_of(s);
    bool gather = s->name[1] == 'l';
    unsigned component = 0, flags = 0;
    enum ir_tex_mode mode = gather               ? IR_TEX_GATHER
                            : px_mod(s, "level") ? IR_TEX_LOD
                            : px_mod(s, "grad")  ? IR_TEX_GRAD
                                                 : IR_TEX_PLAIN;
    struct list l = {.n = 0};
    (void)row;
    if (!g || s->ntypes != 2 || !px_mod(s, "v4") || s->types[0].bits != 32 ||
        s->types[0].lanes != 1 || s->types[1].bits != 32)
        return false;
    bool integers = s->types[1].letter != 'f';
    unsigned more = mode == IR_TEX_LOD ? 1 : mode == IR_TEX_GRAD ? 2 : 0;
    if (s->nops != 2 + more || (integers && mode != IR_TEX_PLAIN) ||
        (gather && g->geometry != IR_TEX_2D))
        return false;
    for (unsigned i = 0; gather && i < 4; i++)
        if (px_mod(s, components[i]))
            component = i, flags = 1;
    if (gather && !flags)
        return false;
    if (!push_place(p, s, &l, &s->ops[1], g, integers ? IR_I32 : IR_F32))
        return p->failed;
    if (mode == IR_TEX_LOD && !push_vector(p, &l, &s->ops[2], 1, IR_F32))
        return false;
    for (unsigned i = 0; mode == IR_TEX_GRAD && i < 2; i++)
        if (!push_vector(p, &l, &s->ops[2 + i], g->dims, IR_F32))
            return false;
    ir_type t = s->types[0].letter == 'f' ? IR_F32 : IR_I32;
    struct ir_inst *i = ir_build(&p->b, IR_OP_tex, t, l.args, l.n);
    i->imm = IR_TEX_IMM(g->geometry, mode, integers ? IR_TEX_INT : 0) | component << 8;
    return give(p, &s->ops[0], i, 4);
}

static enum ir_tex_bounds bounds_of(struct px_stmt *s)
{
    return px_mod(s, "clamp") ? IR_TEX_CLAMP : px_mod(s, "zero") ? IR_TEX_ZERO : IR_TEX_TRAP;
}

bool px_surface(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    bool store = !strcmp(s->name, "sust");
    const struct geometry *g = geometry_of(s);
    uint32_t n = px_mod(s, "v4") ? 4 : px_mod(s, "v2") ? 2 : 1;
    struct list l = {.n = 0};
    (void)row;
    (void)px_mod(s, "trap");
    if (px_mod(s, "p"))
        return px_refuse(p, s, "formatted access to surfaces is not supported");
    if (!g || g->geometry >= IR_TEX_CUBE || !px_mod(s, "b") || s->ntypes != 1 || s->nops != 2)
        return false;
    ir_type t = px_ir_type(s->types[0]);
    if (s->types[0].letter != 'b' || t == IR_VOID)
        return false;
    if (!push_place(p, s, &l, &s->ops[store ? 0 : 1], g, IR_I32))
        return p->failed;
    if (store && !push_vector(p, &l, &s->ops[1], n, t))
        return false;
    struct ir_inst *i = ir_build(&p->b, store ? IR_OP_surfstore : IR_OP_surfload, t, l.args, l.n);
    i->imm = IR_SURF_IMM(g->geometry, n, bounds_of(s));
    return store || give(p, &s->ops[0], i, n);
}

/* sured.b.op [surface, coordinates], x: a store that combines. */
bool px_surface_atomic(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    const struct geometry *g = geometry_of(s);
    struct list l = {.n = 0};
    (void)row;
    (void)px_mod(s, "trap");
    if (px_mod(s, "p"))
        return px_refuse(p, s, "formatted access to surfaces is not supported");
    if (!g || g->geometry >= IR_TEX_CUBE || !px_mod(s, "b") || s->ntypes != 1 || s->nops != 2 ||
        !px_type_in(s->types[0], PX_INT) || s->types[0].bits < 32)
        return false;
    const bool sign = s->types[0].letter == 's';
    const int kind = px_mod(s, "add")   ? IR_RMW_ADD
                     : px_mod(s, "min") ? (sign ? IR_RMW_SMIN : IR_RMW_UMIN)
                     : px_mod(s, "max") ? (sign ? IR_RMW_SMAX : IR_RMW_UMAX)
                     : px_mod(s, "and") ? IR_RMW_AND
                     : px_mod(s, "or")  ? IR_RMW_OR
                                        : -1;
    if (kind < 0)
        return false;
    const ir_type t = px_ir_type(s->types[0]);
    if (!push_place(p, s, &l, &s->ops[0], g, IR_I32))
        return p->failed;
    if (!push_vector(p, &l, &s->ops[1], 1, t))
        return false;
    struct ir_inst *i = ir_build(&p->b, IR_OP_surfstore, t, l.args, l.n);
    i->imm = IR_SURF_IMM(g->geometry, 1, bounds_of(s)) | IR_SURF_REDUCE(kind);
    return true;
}

bool px_query(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    static const char *const what[] = {"width", "height", "depth", "channel_order",
                                       "channel_data_type"};
    (void)row;
    if (s->nops != 2 || s->ops[1].kind != PO_ADDRESS || s->ops[1].nitems != 1 ||
        s->ops[1].items[0].kind != PO_REG)
        return false;
    for (unsigned k = 0; k < sizeof what / sizeof *what; k++)
        if (px_mod(s, what[k])) {
            struct ir_value *handle = px_in(p, &s->ops[1].items[0], IR_I64);
            struct ir_inst *i = ir_build(&p->b, IR_OP_txq, IR_VOID, &handle, 1);
            i->imm = k;
            px_out(p, &s->ops[0], &i->results[0]);
            return true;
        }
    return false;
}
