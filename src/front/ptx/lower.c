/* A body to IR: operands, guards, control flow. Register values are integers of their size or
 * floats, as declared; an instruction reads them as the type it says. Addresses are integers that
 * become pointers where memory is touched. */
#include <string.h>
#include "front/ptx/ptx_int.h"

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

bool px_refuse(struct ptx *p, const struct px_stmt *s, const char *why)
{
    if (!p->failed)
        px_error(p, s->span, "'%s': %s", s->full, why);
    return true;
}

bool px_needs(struct ptx *p, struct px_stmt *s, uint32_t n)
{
    if (s->nops == n && s->ntypes)
        return true;
    if (!p->failed)
        px_error(p, s->span, s->ntypes ? "'%s' takes %u operands" : "'%s' says no type", s->full,
                 n);
    return false;
}

struct ir_value *px_int(struct ptx *p, ir_type t, uint64_t v)
{
    unsigned n = ir_bits(t);
    return ir_const(p->m, t, n < 64 ? v & ((UINT64_C(1) << n) - 1) : v);
}

static ir_type int_of(ir_type t)
{
    switch (ir_bits(t)) {
    case 1: return IR_I1;
    case 8: return IR_I8;
    case 16: return IR_I16;
    case 32: return IR_I32;
    default: return IR_I64;
    }
}

static struct ir_value *resized(struct ptx *p, struct ir_value *x, ir_type t, bool sign)
{
    if (x->type == t)
        return x;
    if (ir_kind(x->type) == IR_PTR)
        x = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, x);
    if (ir_class(x->type) == IR_CLASS_FLOAT)
        x = ir_build1(&p->b, IR_OP_bitcast, int_of(x->type), x);
    unsigned from = ir_bits(x->type), to = ir_bits(t);
    if (to < from)
        x = ir_build1(&p->b, IR_OP_trunc, int_of(t), x);
    else if (to > from)
        x = ir_build1(&p->b, sign ? IR_OP_sext : IR_OP_zext, int_of(t), x);
    return x->type == t ? x : ir_build1(&p->b, IR_OP_bitcast, t, x);
}

struct ir_value *px_bits_as(struct ptx *p, struct ir_value *x, ir_type t)
{
    return resized(p, x, t, false);
}

/* ---- operands ---- */

/* Where cooperative groups keep what their groups share: a place in shared memory for tiles of
 * several warps, and for the grid a word in global memory, whose address is in two registers. */
#define RESERVED_BYTES 1024
static struct ir_value *reserved(struct ptx *p, uint64_t offset)
{
    const char *name = intern_z(p->job->names, "reserved.shared");
    struct ir_global *g = ir_global_find(p->m, name);
    if (!g)
        g = ir_global_new(p->m, name, IR_SPACE_SHARED, 2 * RESERVED_BYTES, 16, 0);
    struct ir_value *at = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, ir_global_value(g));
    at = ir_build1(&p->b, IR_OP_trunc, IR_I32, at);
    return ir_build2(&p->b, IR_OP_add, IR_I32, at, px_int(p, IR_I32, offset));
}

static bool is_workspace(const char *name)
{
    return !strcmp(name, "%envreg1") || !strcmp(name, "%envreg2");
}

static struct ir_value *cooperative(struct ptx *p)
{
    struct ir_value *x = ir_build0(&p->b, IR_OP_sreg, IR_I32, IR_SREG_COOPERATIVE);
    return ir_build2(&p->b, IR_OP_ne, IR_I32, x, px_int(p, IR_I32, 0));
}

/* Launches that are not cooperative find no address there. */
static struct ir_value *grid_workspace(struct ptx *p, bool upper)
{
    const char *name = arena_printf(p->a, "%s.grid", p->fn->kernel ? p->fn->ir->name : "");
    name = intern_z(p->job->names, name);
    struct ir_global *g = ir_global_find(p->m, name);
    if (!g)
        g = ir_global_new(p->m, name, IR_SPACE_GLOBAL, 16, 16, 0);
    struct ir_value *at =
        ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), ir_global_value(g));
    at = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, at);
    if (upper)
        at = ir_build2(&p->b, IR_OP_lshr, IR_I64, at, px_int(p, IR_I64, 32));
    at = ir_build1(&p->b, IR_OP_trunc, IR_I32, at);
    return px_pick(p, cooperative(p), at, px_int(p, IR_I32, 0));
}

/* A body names the workspace, or a function that does. */
static bool asks_for_workspace(struct ptx *p, const struct px_func *f)
{
    unsigned depth = 0;
    const struct px_token *t = f->body;
    p->unit = f->unit;
    do {
        const struct px_symbol *s = t->kind == PT_WORD ? px_find(p, t->text) : NULL;
        if (t->kind == PT_WORD &&
            (is_workspace(t->text) || (s && s->kind == PS_FUNC && s->func->workspace)))
            return true;
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' ? -1u : 0u;
        t++;
    } while (depth);
    return false;
}

/* Mostly no word of it is there; functions mostly stand before those that call them. */
static void find_workspaces(struct ptx *p)
{
    bool more = false;
    for (const struct px_token *t = p->tokens; t->kind != PT_END && !more; t++)
        more = t->kind == PT_WORD && is_workspace(t->text);
    for (unsigned pass = 0; more; pass++) {
        more = false;
        vec_each (struct px_func *, it, &p->funcs)
            if ((*it)->body && !(*it)->workspace && (pass > 8 || asks_for_workspace(p, *it)))
                more = (*it)->workspace = true;
    }
}

/* A barrier tells devices that all blocks must be there together. */
static void start_together(struct ptx *p)
{
    struct ir_block *yes = px_block(p, "together", 1), *after = px_block(p, "started", 2);
    px_condbr(p, cooperative(p), yes, after);
    px_start(p, yes);
    ir_build(&p->b, IR_OP_gridsync, IR_VOID, NULL, 0);
    px_br(p, after);
    px_start(p, after);
}

static struct ir_value *special(struct ptx *p, const struct px_operand *o)
{
    static const struct {
        const char *name;
        enum ir_op op;
        uint64_t imm;
        bool wide;
    } others[] = {{"%clock", IR_OP_clock, 0, false},
                  {"%clock64", IR_OP_clock, 0, true},
                  {"%globaltimer", IR_OP_clock, 1, true},
                  {"%globaltimer_lo", IR_OP_clock, 1, false},
                  {"%dynamic_smem_size", IR_OP_sreg, IR_SREG_DYN_SHARED, false},
                  {"%total_smem_size", IR_OP_sreg, IR_SREG_TOTAL_SHARED, false},
                  {"%gridid", IR_OP_sreg, IR_SREG_GRIDID, true},
                  {"%clusterid.x", IR_OP_sreg, IR_SREG_CTAID_X, false}, /* clusters of one block */
                  {"%clusterid.y", IR_OP_sreg, IR_SREG_CTAID_Y, false},
                  {"%clusterid.z", IR_OP_sreg, IR_SREG_CTAID_Z, false},
                  {"%nclusterid.x", IR_OP_sreg, IR_SREG_NCTAID_X, false},
                  {"%nclusterid.y", IR_OP_sreg, IR_SREG_NCTAID_Y, false},
                  {"%nclusterid.z", IR_OP_sreg, IR_SREG_NCTAID_Z, false}};
    static const struct {
        const char *name;
        uint32_t value;
    } constants[] = {{"WARP_SZ", 32},
                     {"%cluster_ctaid.x", 0},
                     {"%cluster_ctaid.y", 0},
                     {"%cluster_ctaid.z", 0},
                     {"%cluster_nctaid.x", 1},
                     {"%cluster_nctaid.y", 1},
                     {"%cluster_nctaid.z", 1},
                     {"%cluster_ctarank", 0},
                     {"%cluster_nctarank", 1},
                     {"%is_explicit_cluster", 0},
                     {"%reserved_smem_offset_cap", 2 * RESERVED_BYTES}};
    static const struct {
        const char *name;
        uint64_t imm;
    } upper[] = {{"%clock_hi", 0}, {"%globaltimer_hi", 1}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(o->name, constants[i].name))
            return px_int(p, IR_I32, constants[i].value);
    for (size_t i = 0; i < sizeof upper / sizeof *upper; i++)
        if (!strcmp(o->name, upper[i].name)) {
            struct ir_value *t = ir_build0(&p->b, IR_OP_clock, IR_I64, upper[i].imm);
            t = ir_build2(&p->b, IR_OP_lshr, IR_I64, t, px_int(p, IR_I64, 32));
            return ir_build1(&p->b, IR_OP_trunc, IR_I32, t);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(o->name, others[i].name))
            return ir_build0(&p->b, others[i].op, others[i].wide ? IR_I64 : IR_I32, others[i].imm);
    static const struct {
        const char *name;
        uint64_t offset;
    } places[] = {{"%reserved_smem_offset_begin", 0},
                  {"%reserved_smem_offset_0", 0},
                  {"%reserved_smem_offset_1", RESERVED_BYTES},
                  {"%reserved_smem_offset_end", (uint64_t)2 * RESERVED_BYTES}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(o->name, places[i].name))
            return reserved(p, places[i].offset);
    if (is_workspace(o->name))
        return grid_workspace(p, o->name[7] == '1');
    if (o->name[0] == '%') {
        char name[32];
        size_t n = strlen(o->name + 1);
        if (n < sizeof name) {
            memcpy(name, o->name + 1, n + 1);
            if (!strncmp(name, "lanemask_", 9))
                name[8] = '.';
            for (unsigned i = 0; i < IR_SREG_COUNT; i++)
                if (!strcmp(ir_sreg_info[i].name, name))
                    return ir_build0(&p->b, IR_OP_sreg, IR_I32, i);
        }
    }
    if (!p->failed)
        px_error(p, o->span, "'%s' is not declared", o->name);
    return NULL;
}

static struct ir_value *pointer_of(const struct px_symbol *s)
{
    return s->kind == PS_GLOBAL  ? ir_global_value(s->global)
           : s->kind == PS_FUNC  ? ir_func_value(s->func->ir)
           : s->kind == PS_BYTES ? s->memory
                                 : NULL;
}

struct ir_value *px_in(struct ptx *p, const struct px_operand *o, ir_type t)
{
    struct ir_value *x = NULL;
    switch (o->kind) {
    case PO_REG:
        x = px_read(p, o->var);
        if (o->offset)
            x = ir_build2(&p->b, IR_OP_add, IR_I64, px_bits_as(p, x, IR_I64),
                          px_int(p, IR_I64, (uint64_t)o->offset));
        x = px_bits_as(p, x, t);
        if (o->negate && t == IR_I1)
            x = ir_build1(&p->b, IR_OP_not, IR_I1, x);
        return x;
    case PO_INT:
        if (t == IR_I1)
            return px_int(p, t, o->bits != 0);
        if (o->negate)
            return px_int(p, t, !o->bits);
        if (t == IR_F32)
            return ir_const_f32(p->m, (float)(int64_t)o->bits);
        if (t == IR_F64)
            return ir_const_f64(p->m, (double)(int64_t)o->bits);
        return px_int(p, t, o->bits);
    case PO_F32:
        if (t == IR_F64) {
            float f;
            uint32_t w = (uint32_t)o->bits;
            memcpy(&f, &w, sizeof f);
            return ir_const_f64(p->m, (double)f);
        }
        return px_int(p, t, o->bits);
    case PO_FLOAT:
        if (t == IR_F32 || t == IR_I32) {
            double d;
            memcpy(&d, &o->bits, sizeof d);
            return px_bits_as(p, ir_const_f32(p->m, (float)d), t);
        }
        return px_int(p, t, o->bits);
    case PO_NAME:
        if (!o->symbol) {
            x = special(p, o);
        } else if (o->symbol->kind == PS_PARAM) {
            x = px_read(p, o->symbol->var);
        } else {
            x = pointer_of(o->symbol);
            if (x)
                x = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, x);
            if (x && o->offset)
                x = ir_build2(&p->b, IR_OP_add, IR_I64, x, px_int(p, IR_I64, (uint64_t)o->offset));
        }
        if (x)
            return px_bits_as(p, x, t);
        break;
    default: break;
    }
    if (!p->failed)
        px_error(p, o->span, "this operand is not a value");
    return px_int(p, t, 0);
}

void px_out_signed(struct ptx *p, const struct px_operand *o, struct ir_value *x, bool sign)
{
    if (o->kind == PO_SINK)
        return;
    struct px_var *v = o->kind == PO_REG ? o->var
                       : o->kind == PO_NAME && o->symbol && o->symbol->kind == PS_PARAM
                           ? o->symbol->var
                           : NULL;
    if (!v) {
        if (!p->failed)
            px_error(p, o->span, "this operand is not a register");
        return;
    }
    px_write(p, v, resized(p, x, v->type, sign));
}

void px_out(struct ptx *p, const struct px_operand *o, struct ir_value *x)
{
    px_out_signed(p, o, x, false);
}

/* ---- addresses ---- */

/* The pointer that an integer was made from, without a detour; NULL: none to be seen. */
static struct ir_value *seen_pointer(struct ptx *p, struct ir_value *v, enum ir_space space,
                                     unsigned depth)
{
    while (v->forward)
        v = v->forward;
    struct ir_inst *i = v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    if (!i || !depth)
        return NULL;
    if (i->op == IR_OP_ptrtoint) {
        struct ir_value *x = i->args[0];
        if (ir_space(x->type) == space)
            return x;
        struct ir_inst *c = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
        if (space == IR_SPACE_GENERIC && ir_space(x->type) == IR_SPACE_GLOBAL)
            return ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(space), x);
        if (c && c->op == IR_OP_cvta && ir_space(c->args[0]->type) == space &&
            ir_space(x->type) == IR_SPACE_GENERIC && space == IR_SPACE_GLOBAL)
            return c->args[0];
        return NULL;
    }
    if (i->op == IR_OP_add)
        for (unsigned k = 0; k < 2; k++) {
            struct ir_value *x = seen_pointer(p, i->args[k], space, depth - 1);
            if (x)
                return ir_build2(&p->b, IR_OP_ptradd, x->type, x, i->args[1 - k]);
        }
    return NULL;
}

/* The shared variable whose address, cut to 32 bits, is one term of a sum; the other terms' sum is
 * *rest (NULL: nothing). */
static struct ir_value *shared_base(struct ptx *p, struct ir_value *v, struct ir_value **rest,
                                    unsigned depth)
{
    while (v->forward)
        v = v->forward;
    if (v->kind != IR_VALUE_RESULT || !depth)
        return NULL;
    struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_trunc) {
        struct ir_value *x = i->args[0];
        while (x->forward)
            x = x->forward;
        if (x->kind != IR_VALUE_RESULT || x->u.inst->op != IR_OP_ptrtoint)
            return NULL;
        x = x->u.inst->args[0];
        *rest = NULL;
        return x->kind == IR_VALUE_GLOBAL && x->u.global->space == IR_SPACE_SHARED ? x : NULL;
    }
    for (unsigned k = 0; k < 2 && (i->op == IR_OP_add || (i->op == IR_OP_sub && !k)); k++) {
        struct ir_value *base = shared_base(p, i->args[k], rest, depth - 1), *other = i->args[!k];
        if (!base)
            continue;
        if (i->op == IR_OP_sub)
            other = px_op1(p, IR_OP_neg, other);
        *rest = *rest ? px_op2(p, IR_OP_add, *rest, other) : other;
        return base;
    }
    return NULL;
}

/* Shared memory spans less than 4 GiB: the distance to a known place has 32 bits. */
static struct ir_value *shared_pointer(struct ptx *p, struct ir_value *v)
{
    struct ir_value *d = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, p->shared_anchor);
    d = ir_build2(&p->b, IR_OP_sub, IR_I32, v, ir_build1(&p->b, IR_OP_trunc, IR_I32, d));
    d = ir_build1(&p->b, IR_OP_sext, IR_I64, d);
    struct ir_value *x =
        ir_build2(&p->b, IR_OP_ptradd, IR_PTR_TO(IR_SPACE_SHARED), p->shared_anchor, d);
    vec_push(p->a, &p->shared_uses, x->u.inst);
    return x;
}

/* The best place to count from is the variable that an address was made of: what was added to it
 * then stays as it is, for the vectoriser to see. Known once all registers are values. */
static void rebase_shared(struct ptx *p)
{
    struct ir_value *here = NULL;
    vec_each (struct ir_inst *, it, &p->shared_uses) {
        struct ir_inst *distance = (*it)->args[1]->u.inst->args[0]->u.inst;
        struct ir_value *d = NULL;
        p->b = ir_builder_before(*it);
        struct ir_value *base = shared_base(p, distance->args[0], &d, 8);
        if (base) {
            here = base;
            d = d ? ir_build1(&p->b, IR_OP_sext, IR_I64, d) : px_int(p, IR_I64, 0);
        } else if (here) { /* a variable of its own is better than one of another kernel */
            base = here;
            d = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, here);
            d = ir_build2(&p->b, IR_OP_sub, IR_I32, distance->args[0],
                          ir_build1(&p->b, IR_OP_trunc, IR_I32, d));
            d = ir_build1(&p->b, IR_OP_sext, IR_I64, d);
        }
        if (base) {
            (*it)->args[0] = base;
            (*it)->args[1] = d;
        }
    }
}

struct ir_value *px_space_pointer(struct ptx *p, struct ir_value *v, enum ir_space space)
{
    ir_type t = IR_PTR_TO(space);
    if (ir_bits(v->type) == 32 && space == IR_SPACE_SHARED && p->shared_anchor)
        return shared_pointer(p, v);
    v = px_bits_as(p, v, IR_I64);
    struct ir_value *x = seen_pointer(p, v, space, 6);
    return x ? x : ir_build1(&p->b, IR_OP_inttoptr, t, v);
}

struct ir_value *px_address(struct ptx *p, const struct px_operand *o, enum ir_space space)
{
    const struct px_operand *base = o->kind == PO_ADDRESS && o->nitems ? &o->items[0] : NULL;
    if (!base || (base->kind != PO_REG && base->kind != PO_NAME && base->kind != PO_INT)) {
        if (!p->failed)
            px_error(p, o->span, "this operand is not an address");
        return px_int(p, IR_PTR_TO(space), 0);
    }
    struct ir_value *x = NULL;
    if (base->kind == PO_NAME) {
        x = base->symbol ? pointer_of(base->symbol) : NULL;
        if (!x) {
            if (!p->failed)
                px_error(p, base->span, "'%s' is not a variable in memory", base->name);
            return px_int(p, IR_PTR_TO(space), 0);
        }
        enum ir_space is = ir_space(x->type);
        if (is != space && space == IR_SPACE_GENERIC)
            x = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(space), x);
    } else if (base->kind == PO_REG) {
        x = px_space_pointer(p, px_read(p, base->var), space);
    } else {
        x = px_space_pointer(p, px_int(p, IR_I64, base->bits), space);
    }
    if (base->offset)
        x = ir_build2(&p->b, IR_OP_ptradd, x->type, x, px_int(p, IR_I64, (uint64_t)base->offset));
    return x;
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
#define INT   PX_INT
#define FLOAT PX_FLOAT
#define HALF  PX_HALF
#define PAIR  PX_PAIR
#define PRED  PX_PRED
#define ANY   PX_ANY
#define PTX_ROW(name, handler, s, u, f, effect, types)                                             \
    {#name, px_##handler, IR_OP_##s, IR_OP_##u, IR_OP_##f, effect, types},
#include "front/ptx/ptx_ops.def"
#undef INT
#undef FLOAT
#undef HALF
#undef PAIR
#undef PRED
#undef ANY
};

static const struct px_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/* Hints that change nothing we model. */
static bool is_hint(const char *mod)
{
    static const char *const hints[] = {"uni",
                                        "aligned",
                                        "sync",
                                        "weak",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "nc",
                                        "noftz",
                                        "L1::evict_last",
                                        "L1::evict_first",
                                        "L1::no_allocate",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L2::64B",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::cache_hint",
                                        "L2::128B",
                                        "L2::256B"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(mod, hints[i]))
            return true;
    return false;
}

static void plain(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    bool video = row->lower == px_video || row->lower == px_video_lanes;
    for (uint32_t i = 0; i < s->nops && !video && !p->failed; i++)
        if (s->ops[i].select || s->ops[i].minus)
            px_error(p, s->ops[i].span, "'%s' takes whole registers only", s->full);
    if (p->failed)
        return;
    bool fits = row->types == PX_ANY || !s->ntypes ||
                (s->ntypes == 1 && px_type_in(s->types[0], row->types));
    if (!fits || !row->lower(p, s, row)) {
        px_refuse(p, s, "this form of the instruction is not supported");
        return;
    }
    for (uint32_t i = 0; i < s->nmods && !p->failed; i++)
        if (!(s->used >> i & 1) && !is_hint(s->mods[i]))
            px_error(p, s->span, "'%s': '.%s' is not supported here", s->full, s->mods[i]);
}

static struct ir_value *guard_value(struct ptx *p, const struct px_operand *g)
{
    return px_in(p, g, IR_I1);
}

/* What registers an instruction may write: its first operand, and the second of a pair. */
static void guarded(struct ptx *p, struct px_stmt *s, const struct px_row *row)
{
    struct ir_value *c = guard_value(p, s->guard);
    if (row->effect) {
        struct ir_block *yes = px_block(p, "guarded", 1), *after = px_block(p, "after", 2);
        px_condbr(p, c, yes, after);
        px_start(p, yes);
        plain(p, s, row);
        if (!ir_terminator(p->b.block))
            px_br(p, after);
        px_start(p, after);
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
static struct ir_block **label_slot(struct ptx *p, uint32_t scope, const char *name)
{
    for (;; scope = p->scope_parent.data[scope - 1]) {
        const char *key = intern_z(p->job->names, arena_printf(p->a, "%u:%s", scope, name));
        struct ir_block **slot = map_get(&p->labels, map_key(key));
        if (slot || !scope)
            return slot;
    }
}

static struct ir_block *target(struct ptx *p, const struct px_stmt *s, const char *name)
{
    struct ir_block **slot = label_slot(p, s->scope, name);
    if (!slot && !p->failed)
        px_error(p, s->span, "there is no label '%s'", name);
    return slot ? *slot : NULL;
}

static void do_return(struct ptx *p)
{
    struct ir_value *value = NULL;
    vec_each (struct px_result, r, &p->results) {
        struct ir_value *x = px_read(p, r->var);
        if (r->place)
            ir_build_store(&p->b, r->place, px_bits_as(p, x, px_memory_type(x->type)),
                           ir_bytes(x->type), 0);
        else
            value = x;
    }
    ir_build_ret(&p->b, value);
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

static void jump(struct ptx *p, struct px_stmt *s, enum flow flow)
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
    case FLOW_RET: do_return(p); break;
    case FLOW_EXIT: ir_build(&p->b, IR_OP_exit, IR_VOID, NULL, 0); break;
    case FLOW_NONE: break;
    }
}

static void control(struct ptx *p, struct px_stmt *s, enum flow flow)
{
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
        } else {
            struct ir_block *yes = px_block(p, NULL, 1);
            px_condbr(p, c, yes, after);
            px_start(p, yes);
            jump(p, s, flow);
        }
        px_start(p, after);
        return;
    }
    px_start(p, px_block(p, NULL, 0)); /* what follows is reached by labels only */
}

/* Makes a block for each label and counts the edges into each. */
static bool find_labels(struct ptx *p)
{
    struct map *m = &p->labels;
    vec_each (struct px_stmt, s, &p->body) {
        if (!s->label)
            continue;
        const char *key = intern_z(p->job->names, arena_printf(p->a, "%u:%s", s->scope, s->label));
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
            ir_ssa_block(&p->ssa, to)->expected++;
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
                ir_ssa_block(&p->ssa, to)->expected++;
            }
        }
    }
    return true;
}

static void bind_params(struct ptx *p, struct px_func *f)
{
    struct ir_block *entry = f->ir->first;
    size_t next = 0;
    for (size_t i = 0; i < f->proto.rets.len; i++) {
        const struct px_place *r = &f->proto.rets.data[i];
        struct px_symbol *s = arena_new(p->a, struct px_symbol);
        struct ir_value *place = px_by_value(&f->proto, i) ? NULL : entry->params.data[next++];
        if (r->type == IR_VOID) {
            s->kind = PS_BYTES;
            s->memory = place;
        } else {
            s->kind = r->reg ? PS_REG : PS_PARAM;
            s->var = px_new_var(p, r->name, r->type);
            struct px_result result = {s->var, place};
            vec_push(p->a, &p->results, result);
        }
        map_set(&p->scope, map_key(r->name), s);
    }
    vec_each (struct px_place, v, &f->proto.params) {
        struct ir_value *x = entry->params.data[next++];
        struct px_symbol *s = arena_new(p->a, struct px_symbol);
        if (v->type == IR_VOID) {
            s->kind = PS_BYTES;
            s->memory = x;
        } else {
            s->kind = v->reg ? PS_REG : PS_PARAM;
            s->var = px_new_var(p, v->name, v->type);
            if (ir_kind(x->type) == IR_PTR)
                x = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), x);
            px_write(p, s->var, px_bits_as(p, x, v->type));
        }
        map_set(&p->scope, map_key(v->name), s);
    }
}

static void lower_function(struct ptx *p, struct px_func *f)
{
    p->fn = f;
    p->unit = f->unit;
    p->origin = span_at(0, 0);
    p->shared_uses.len = 0;
    p->failed = false;
    map_init(&p->scope, p->a);
    map_init(&p->labels, p->a);
    p->undo.len = p->scope_parent.len = p->body.len = 0;
    ir_ssa_begin(&p->ssa, p->a, p->m);
    p->scope_id = 0;
    p->results.len = 0;
    p->b.span = f->span;
    p->carry = px_new_var(p, "carry", IR_I1);
    struct ir_block *entry = px_block(p, "entry", 0);
    px_start(p, entry);
    bind_params(p, f);
    if (!px_body(p) || !find_labels(p))
        return;
    px_start(p, entry);
    if (f->kernel && f->workspace)
        start_together(p);
    vec_each (struct px_stmt, s, &p->body) {
        p->b.span = s->origin.len ? s->origin : s->span;
        if (p->failed)
            return;
        if (s->label) {
            struct ir_block *b = *label_slot(p, s->scope, s->label);
            px_br(p, b);
            px_start(p, b);
            continue;
        }
        enum flow flow = flow_of(s);
        if (flow) {
            control(p, s, flow);
            continue;
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
    if (p->failed)
        return;
    do_return(p);
    ir_ssa_finish(&p->ssa);
    ir_replace_forwarded(f->ir);
    rebase_shared(p);
    ir_each_block (b, f->ir)
        b->data = NULL;
    ir_remove_unreachable(f->ir);
    px_reconverge(p->a, f->ir);
}

static struct ir_value *text(struct ptx *p, struct px_func *f, const char *what, const char *z)
{
    const char *name = arena_printf(p->a, "%s.%s", f->ir->name, what);
    size_t n = strlen(z) + 1;
    struct ir_global *g =
        ir_global_new(p->m, intern_z(p->job->names, name), IR_SPACE_GLOBAL, n, 1, 0);
    g->init = (const uint8_t *)z;
    return ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), ir_global_value(g));
}

/* A module's other kernels are not to suffer: a body that could not be read says why when it is
 * run. */
static void fail_when_run(struct ptx *p, struct px_func *f)
{
    struct source_pos pos = {.path = p->job->path};
    source_position(p->job->sources, f->error_at.loc, &pos);
    f->ir->first = f->ir->last = NULL;
    struct ir_block *entry = ir_block_new(f->ir, "entry");
    p->b = ir_builder_at_end(entry);
    p->b.span = f->error_at;
    struct ir_value *args[4] = {text(p, f, "error", f->error), text(p, f, "file", pos.path),
                                px_int(p, IR_I32, pos.line), text(p, f, "name", f->ir->name)};
    ir_build(&p->b, IR_OP_assertfail, IR_VOID, args, 4);
    ir_build(&p->b, IR_OP_unreachable, IR_VOID, NULL, 0);
}

bool ptx_front(struct ptx_job *job)
{
    struct ptx *p = arena_new(job->arena, struct ptx);
    *p = (struct ptx){.job = job, .a = job->arena, .m = job->module, .diag = job->diag};
    unsigned errors = job->diag->errors;
    struct source_file *f = source_add(job->sources, job->path, job->text, job->len, 0);
    if (!f) {
        diag_error(job->diag, span_at(0, 0), "%s is too large", job->path);
        return false;
    }
    p->file = f;
    map_init(&p->globals, p->a);
    map_init(&p->scope, p->a);
    if (!px_lex(p, f) || !px_parse(p))
        return false;
    bool kernels = false;
    find_workspaces(p);
    vec_each (struct px_func *, it, &p->funcs)
        if ((*it)->body) {
            lower_function(p, *it);
            kernels |= (*it)->kernel && !(*it)->error;
        }
    vec_each (struct px_func *, it, &p->funcs) {
        if (!(*it)->error)
            continue;
        if (kernels) {
            diag_warn(job->diag, "ptx", (*it)->error_at, "%s", (*it)->error);
            fail_when_run(p, *it);
        } else {
            diag_error(job->diag, (*it)->error_at, "%s", (*it)->error);
        }
    }
    return job->diag->errors == errors;
}
