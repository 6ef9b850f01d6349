/* Statements to IR: labels and branches, guards, and the table's rows. */
#include <string.h>
#include "front/ptxops/px_int.h"

/* ---- what modifiers say ---- */
bool px_mod(struct px_stmt *s, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < s->nmods; i++)
        if (!strcmp(s->mods[i], name)) {
            s->used |= 1u << i;
            found = true;
        }
    return found;
}

bool px_refuse(struct px *p, const struct px_stmt *s, const char *why)
{
    px_error(p, s->span, "'%s': %s", s->full, why);
    return true;
}

bool px_needs(struct px *p, struct px_stmt *s, uint32_t n)
{
    if (s->nops == n && s->ntypes)
        return true;
    px_error(p, s->span, s->ntypes ? "'%s' takes %u operands" : "'%s' says no type", s->full, n);
    return false;
}

bool px_space_of(struct px_stmt *s, enum ir_space *space)
{
    static const struct {
        const char *name;
        enum ir_space space;
    } spaces[] = {{"global", IR_SPACE_GLOBAL},      {"shared", IR_SPACE_SHARED},
                  {"shared::cta", IR_SPACE_SHARED}, {"shared::cluster", IR_SPACE_SHARED},
                  {"const", IR_SPACE_CONST},        {"local", IR_SPACE_LOCAL},
                  {"param", IR_SPACE_PARAM},        {"param::entry", IR_SPACE_PARAM},
                  {"param::func", IR_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (px_mod(s, spaces[i].name)) {
            *space = spaces[i].space;
            s->cluster = !strcmp(spaces[i].name, "shared::cluster");
            return true;
        }
    *space = IR_SPACE_GENERIC;
    return false;
}

uint32_t px_order(struct px_stmt *s)
{
    static const struct {
        const char *name;
        enum ir_order order;
    } orders[] = {{"relaxed", IR_ORDER_RELAXED},
                  {"acquire", IR_ORDER_ACQUIRE},
                  {"release", IR_ORDER_RELEASE},
                  {"acq_rel", IR_ORDER_ACQ_REL},
                  {"sc", IR_ORDER_SEQ_CST}};
    enum ir_order order = IR_ORDER_NONE;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (px_mod(s, orders[i].name))
            order = orders[i].order;
    enum ir_scope scope = px_mod(s, "cta")   ? IR_SCOPE_BLOCK
                          : px_mod(s, "sys") ? IR_SCOPE_SYSTEM
                                             : (px_mod(s, "gpu"), IR_SCOPE_DEVICE);
    if (px_mod(s, "cluster")) /* the device's is more */
        scope = IR_SCOPE_DEVICE;
    return order ? IR_ORDERED(order, scope) : (uint32_t)scope << IR_SCOPE_SHIFT;
}

uint32_t px_rounding(struct px_stmt *s)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } modes[] = {{"rn", IR_RN},  {"rz", IR_RZ},  {"rp", IR_RU},  {"rm", IR_RD},
                 {"rni", IR_RN}, {"rzi", IR_RZ}, {"rpi", IR_RU}, {"rmi", IR_RD}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (px_mod(s, modes[i].name))
            return modes[i].flag;
    return 0;
}

/* ---- instructions ---- */
static const struct px_row rows[] = {
#define PTX_ROW(name, handler, s, u, f, effect, types, hints)                                      \
    {#name, px_##handler, IR_OP_##s, IR_OP_##u, IR_OP_##f, effect, types, hints},
#include "front/ptxops/ptx_ops.def"
};

static const struct px_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/* A modifier that changes nothing we model, of one of the groups that the row allows. */
static bool is_hint(const char *mod, unsigned groups)
{
    static const struct {
        const char *name;
        unsigned group;
    } hints[] = {{"uni", PX_UNI},
                 {"aligned", PX_SYNC},
                 {"sync", PX_SYNC},
                 {"weak", PX_CACHE},
                 {"ca", PX_CACHE},
                 {"cg", PX_CACHE},
                 {"cs", PX_CACHE},
                 {"lu", PX_CACHE},
                 {"cv", PX_CACHE},
                 {"wb", PX_CACHE},
                 {"wt", PX_CACHE},
                 {"noftz", PX_NOFTZ},
                 {"L1::evict_last", PX_CACHE},
                 {"L1::evict_first", PX_CACHE},
                 {"L1::no_allocate", PX_CACHE},
                 {"L1::evict_normal", PX_CACHE},
                 {"L1::evict_unchanged", PX_CACHE},
                 {"L2::64B", PX_CACHE},
                 {"L2::evict_normal", PX_CACHE},
                 {"L2::evict_first", PX_CACHE},
                 {"L2::evict_last", PX_CACHE},
                 {"L2::cache_hint", PX_CACHE},
                 {"L2::128B", PX_CACHE},
                 {"L2::256B", PX_CACHE}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].group & groups && !strcmp(mod, hints[i].name))
            return true;
    return false;
}

/* The part of an instruction's word that begins at `mod`. */
static struct span part_of(const struct px_stmt *s, const char *mod)
{
    size_t n = strlen(mod);
    for (const char *at = strchr(s->full, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, mod, n) && (!at[1 + n] || at[1 + n] == '.'))
            return span_at(s->span.loc + (source_loc)(at - s->full), (uint32_t)n + 1);
    return s->span;
}

static bool is_among(const char *mod, const char *const *names, size_t n)
{
    while (n)
        if (!strcmp(names[--n], mod))
            return true;
    return false;
}

static void unknown_modifiers(struct px *p, const struct px_stmt *s, unsigned hints)
{
    static const char *const may_repeat[] = {"row",
                                             "col",
                                             "L2::evict_first",
                                             "L2::evict_last",
                                             "L2::evict_normal",
                                             "L2::evict_unchanged"};
    for (uint32_t i = 1; i < s->nmods; i++)
        for (uint32_t k = 0; k < i; k++)
            if (s->mods[i] == s->mods[k] &&
                !is_among(s->mods[i], may_repeat, sizeof may_repeat / sizeof *may_repeat))
                px_error(p, part_of(s, s->mods[i]), "'%s': '.%s' is there twice", s->full,
                         s->mods[i]);
    for (uint32_t i = 0; i < s->nmods && !p->failed; i++)
        if (!(s->used >> i & 1) && !is_hint(s->mods[i], hints))
            px_error(p, part_of(s, s->mods[i]), "'%s': '.%s' is not supported here", s->full,
                     s->mods[i]);
}

static void plain(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    const bool video = row->lower == px_video || row->lower == px_video_lanes;
    const bool two = row->lower == px_lop3 || row->lower == px_shfl || row->lower == px_match ||
                     row->lower == px_elect || !strcmp(row->name, "setp");
    for (uint32_t i = 0; i < s->nops && !p->failed; i++) {
        if (!video && (s->ops[i].select || s->ops[i].minus))
            px_error(p, s->ops[i].span, "'%s' takes whole registers only", s->full);
        else if (s->ops[i].second && (i || !two))
            px_error(p, s->ops[i].second->span, "'%s' has one result", s->full);
    }
    if (p->failed)
        return;
    bool fits = row->types == PX_ANY || !s->ntypes ||
                (s->ntypes == 1 && px_type_in(s->types[0], row->types));
    if (!fits || !row->lower(p, s, row)) {
        px_refuse(p, s, "this form of the instruction is not supported");
        return;
    }
    unknown_modifiers(p, s, row->hints);
}

static struct ir_value *guard_value(struct px *p, const struct px_operand *g)
{
    return px_in(p, g, IR_I1);
}

/* Where threads part and meet is said as the code is emitted only in asm statements; in modules of
 * PTX it is found from the finished graph. */
struct ir_value *px_split(struct px *p)
{
    return p->in_asm ? &ir_build(&p->b, IR_OP_split, IR_VOID, NULL, 0)->results[0] : NULL;
}

void px_join(struct px *p, struct ir_value *token)
{
    if (token)
        ir_build(&p->b, IR_OP_join, IR_VOID, &token, 1);
}

/* What registers an instruction may write: its first operand, and the second of a pair. */
static void guarded(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    struct ir_value *c = guard_value(p, s->guard);
    if (row->effect) {
        struct ir_value *token = px_split(p);
        struct ir_block *yes = px_block(p, "guarded", 1), *after = px_block(p, "after", 2);
        px_condbr(p, c, yes, after);
        px_start(p, yes);
        plain(p, s, row);
        if (!ir_terminator(p->b.block))
            px_br(p, after);
        px_start(p, after);
        px_join(p, token);
        return;
    }
    struct px_operand *d = s->nops ? &s->ops[0] : NULL, *outs[8];
    struct ir_value *old[8];
    uint32_t n = 0;
    if (d && d->kind == PO_VECTOR)
        for (uint32_t i = 0; i < d->nitems && n < 8; i++)
            outs[n++] = &d->items[i];
    else if (d)
        outs[n++] = d;
    if (d && d->second)
        outs[n++] = d->second;
    for (uint32_t i = 0; i < n; i++)
        old[i] = outs[i]->kind == PO_REG ? px_read(p, outs[i]->var) : NULL;
    struct ir_value *carry = px_read(p, p->carry);
    plain(p, s, row);
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) {
            struct ir_value *now = px_read(p, outs[i]->var);
            if (now != old[i])
                px_write(p, outs[i]->var,
                         ir_build3(&p->b, IR_OP_select, now->type, c, now, old[i]));
        }
    struct ir_value *now = px_read(p, p->carry);
    if (now != carry)
        px_write(p, p->carry, ir_build3(&p->b, IR_OP_select, IR_I1, c, now, carry));
}

/* ---- control flow ---- */
static struct ir_block **label_slot(struct px *p, uint32_t scope, const char *name)
{
    for (;; scope = p->scope_parent.data[scope - 1]) {
        const char *key = intern_z(p->names, arena_printf(p->a, "%u:%s", scope, name));
        struct ir_block **slot = map_get(&p->labels, map_key(key));
        if (slot || !scope)
            return slot;
    }
}

static struct ir_block *target(struct px *p, const struct px_stmt *s, const char *name)
{
    struct ir_block **slot = label_slot(p, s->scope, name);
    if (!slot && !p->failed)
        px_error(p, s->span, "there is no label '%s'", name);
    return slot ? *slot : NULL;
}

enum flow { FLOW_NONE, FLOW_BRANCH, FLOW_INDEX, FLOW_RET, FLOW_EXIT };
static enum flow flow_of(const struct px_stmt *s)
{
    return s->label                   ? FLOW_NONE
           : !strcmp(s->name, "bra")  ? FLOW_BRANCH
           : !strcmp(s->name, "brx")  ? FLOW_INDEX
           : !strcmp(s->name, "ret")  ? FLOW_RET
           : !strcmp(s->name, "exit") ? FLOW_EXIT
                                      : FLOW_NONE;
}

static const struct px_symbol *index_targets(const struct px_stmt *s)
{
    const struct px_operand *o = s->nops == 2 ? &s->ops[1] : NULL;
    return o && o->kind == PO_NAME && o->symbol && o->symbol->kind == PS_TARGETS ? o->symbol : NULL;
}

static void jump(struct px *p, struct px_stmt *s, enum flow flow)
{
    switch (flow) {
    case FLOW_BRANCH: {
        struct ir_block *to = target(p, s, s->ops[0].name);
        if (to)
            px_br(p, to);
        break;
    }
    case FLOW_INDEX: {
        const struct px_symbol *t = index_targets(s);
        struct ir_value *x = px_in(p, &s->ops[0], IR_I32);
        struct ir_inst *sw = ir_build(&p->b, IR_OP_switch, IR_I32, &x, 1);
        struct ir_block *nowhere = px_block(p, "nowhere", 1);
        px_edge(p, sw, nowhere, 0);
        for (size_t i = 0; i < t->targets.len; i++) {
            struct ir_block *to = target(p, s, t->targets.data[i]);
            if (to)
                px_edge(p, sw, to, i);
        }
        for (uint32_t i = 0; i < sw->nedges; i++)
            px_seal(p, sw->edges[i].to);
        px_start(p, nowhere);
        ir_build(&p->b, IR_OP_unreachable, IR_VOID, NULL, 0);
        break;
    }
    case FLOW_RET: p->host->ret(p); break;
    case FLOW_EXIT: ir_build(&p->b, IR_OP_exit, IR_VOID, NULL, 0); break;
    case FLOW_NONE: break;
    }
}

static void control(struct px *p, struct px_stmt *s, enum flow flow)
{
    if ((flow == FLOW_RET || flow == FLOW_EXIT) && s->nops) {
        px_refuse(p, s, "it takes no operands");
        return;
    }
    if (flow == FLOW_RET && !p->host->ret) {
        px_refuse(p, s, "an asm statement cannot return");
        return;
    }
    if (flow == FLOW_INDEX)
        (void)px_mod(s, "idx");
    unknown_modifiers(p, s, PX_UNI);
    if (p->failed)
        return;
    if (!s->guard) {
        jump(p, s, flow);
    } else {
        struct ir_value *c = guard_value(p, s->guard);
        struct ir_block *after = px_block(p, NULL, 1);
        if (flow == FLOW_BRANCH) {
            struct ir_block *to = target(p, s, s->ops[0].name);
            if (!to)
                return;
            px_condbr(p, c, to, after);
            px_start(p, after);
            return;
        }
        struct ir_value *token = px_split(p);
        struct ir_block *yes = px_block(p, NULL, 1);
        px_condbr(p, c, yes, after);
        px_start(p, yes);
        jump(p, s, flow);
        px_start(p, after);
        px_join(p, token);
        return;
    }
    px_start(p, px_block(p, NULL, 0)); /* what follows is reached by labels only */
}

/* Makes a block for each label and counts the edges into each. */
static bool find_labels(struct px *p)
{
    struct map *m = &p->labels;
    vec_each (struct px_stmt, s, &p->body) {
        if (!s->label)
            continue;
        const char *key = intern_z(p->names, arena_printf(p->a, "%u:%s", s->scope, s->label));
        if (map_get(m, map_key(key))) {
            px_error(p, s->span, "the label '%s' is there twice", s->label);
            return false;
        }
        struct ir_block **slot = arena_new(p->a, struct ir_block *);
        *slot = px_block(p, s->label, 1); /* from above */
        map_set(m, map_key(key), slot);
    }
    vec_each (struct px_stmt, s, &p->body) {
        enum flow flow = flow_of(s);
        if (flow == FLOW_BRANCH) {
            if (s->nops != 1 || s->ops[0].kind != PO_NAME) {
                px_error(p, s->span, "'%s' takes one label", s->full);
                return false;
            }
            struct ir_block *to = target(p, s, s->ops[0].name);
            if (!to)
                return false;
            ir_ssa_block(p->ssa, to)->expected++;
        } else if (flow == FLOW_INDEX) {
            const struct px_symbol *t = index_targets(s);
            if (!t) {
                px_error(p, s->span, "'%s' takes an index and a list of targets", s->full);
                return false;
            }
            for (size_t i = 0; i < t->targets.len; i++) {
                struct ir_block *to = target(p, s, t->targets.data[i]);
                if (!to)
                    return false;
                ir_ssa_block(p->ssa, to)->expected++;
            }
        }
    }
    return true;
}

bool px_call(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (!p->host->call)
        return px_refuse(p, s, "an asm statement cannot call functions");
    return p->host->call(p, s);
}

static void statement(struct px *p, struct px_stmt *s)
{
    p->b.span = s->origin.len ? s->origin : s->span;
    if (s->label) {
        struct ir_block *b = *label_slot(p, s->scope, s->label);
        px_br(p, b);
        px_start(p, b);
        return;
    }
    enum flow flow = flow_of(s);
    if (flow) {
        control(p, s, flow);
        return;
    }
    const struct px_row *row = find_row(s->name);
    if (!row)
        px_error(p, s->span, "unknown instruction '%s'", s->full);
    else if (s->guard)
        guarded(p, s, row);
    else
        plain(p, s, row);
    if (ir_terminator(p->b.block) && !p->failed)
        px_start(p, px_block(p, NULL, 0));
}

static bool has_labels(const struct px *p)
{
    vec_each (const struct px_stmt, s, &p->body)
        if (s->label)
            return true;
    return false;
}

bool px_lower(struct px *p)
{
    map_init(&p->labels, p->a);
    if (!find_labels(p))
        return false;
    struct ir_value *token = has_labels(p) ? px_split(p) : NULL;
    vec_each (struct px_stmt, s, &p->body) {
        statement(p, s);
        if (p->failed)
            return false;
    }
    if (token) { /* a block of its own, which every way out leads to */
        struct ir_block *end = px_block(p, "asm", 1);
        px_br(p, end);
        px_start(p, end);
        px_join(p, token);
    }
    return true;
}
