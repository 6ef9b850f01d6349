/* Memory: loads and stores, atomics, fences, address spaces, asynchronous copies. */
#include <string.h>
#include "front/ptxops/px_int.h"

static const struct px_symbol *param_symbol(const struct px_operand *o)
{
    const struct px_operand *b = o->kind == PO_ADDRESS && o->nitems ? &o->items[0] : NULL;
    return b && b->kind == PO_NAME && b->symbol && b->symbol->kind == PS_PARAM ? b->symbol : NULL;
}

/* What passes the cache of one multiprocessor is seen by all of the device (cg), or of the system
 * (cv, wt); more than that, that each is an access of its own, programs that poll rely on. */
static uint32_t cache_order(struct px_stmt *s, enum ir_space space)
{
    if ((space != IR_SPACE_GLOBAL && space != IR_SPACE_GENERIC) || px_mod(s, "nc"))
        return 0;
    return px_mod(s, "cv") || px_mod(s, "wt") ? IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_SYSTEM)
           : px_mod(s, "cg")                  ? IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_DEVICE)
                                              : 0;
}

static uint32_t access_flags(struct px_stmt *s, enum ir_space space)
{
    uint32_t order = px_order(s), flags = 0;
    flags |= ir_order(order) ? order : cache_order(s, space);
    if (px_mod(s, "volatile") || px_mod(s, "mmio"))
        flags |= IR_VOLATILE;
    return flags;
}

static ir_type memory_type(struct px_type t)
{
    ir_type m = px_ir_type(t);
    return m == IR_F16 || m == IR_BF16 ? IR_I16 : m;
}

/* The operand as its elements; how many the instruction says. */
static bool elements(struct px_stmt *s, struct px_operand *o, struct px_operand **items,
                     uint32_t *n)
{
    uint32_t want = px_mod(s, "v2") ? 2 : px_mod(s, "v4") ? 4 : px_mod(s, "v8") ? 8 : 1;
    *items = o->kind == PO_VECTOR ? o->items : o;
    *n = o->kind == PO_VECTOR ? o->nitems : 1;
    return *n == want;
}

/* Memory of another block of the cluster is reached by generic addresses that cluster_map gives:
 * what the IR calls shared, or may find to be shared, is the block's own. */
static struct ir_value *operand_address(struct px *p, const struct px_stmt *s, uint32_t which,
                                        enum ir_space space)
{
    struct ir_value *a = px_address(p, &s->ops[which], space);
    if (!s->cluster)
        return a;
    const ir_type generic = IR_PTR_TO(IR_SPACE_GENERIC);
    struct ir_value *rank = ir_build1(&p->b, IR_OP_cluster_rank, IR_VOID, a);
    return ir_build2(&p->b, IR_OP_cluster_map, generic, ir_build1(&p->b, IR_OP_cvta, generic, a),
                     rank);
}

bool px_ld(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    struct px_operand *d;
    uint32_t n;
    enum ir_space space;
    (void)row;
    if (s->nops != 2u + px_mod(s, "L2::cache_hint") || s->ntypes != 1 ||
        !elements(s, &s->ops[0], &d, &n))
        return false;
    struct px_type t = s->types[0];
    ir_type m = memory_type(t);
    if (m == IR_VOID || m == IR_I1)
        return false;
    px_space_of(s, &space);
    uint32_t bytes = ir_bytes(m), flags = access_flags(s, space);
    const struct px_symbol *param = param_symbol(&s->ops[1]);
    if (param) {
        struct ir_value *x = px_read(p, param->var);
        uint64_t at = (uint64_t)s->ops[1].items[0].offset;
        if (at + (uint64_t)bytes * n > ir_bytes(x->type)) {
            px_error(p, s->span, "'%s' reads past the end of '%s'", s->full, param->var->name);
            return true;
        }
        for (uint32_t i = 0; i < n; i++) {
            struct ir_value *y = x;
            if (at + i * bytes)
                y = ir_build2(&p->b, IR_OP_lshr, IR_I64, px_bits_as(p, x, IR_I64),
                              px_int(p, IR_I64, 8 * (at + i * bytes)));
            px_out_signed(p, &d[i], px_bits_as(p, y, m), t.letter == 's');
        }
        return true;
    }
    if (px_mod(s, "nc"))
        flags |= IR_INVARIANT;
    struct ir_value *a = operand_address(p, s, 1, space), *x[8];
    for (uint32_t i = 0; i < n; i++) {
        struct ir_value *at =
            i ? ir_build2(&p->b, IR_OP_ptradd, a->type, a, px_int(p, IR_I64, bytes * i)) : a;
        x[i] = ir_build_load(&p->b, m, at, i ? bytes : bytes * n, flags);
    }
    for (uint32_t i = 0; i < n; i++)
        px_out_signed(p, &d[i], x[i], t.letter == 's');
    return true;
}

/* st.async, red.async: done at once, and a barrier beside the memory is told of the bytes. */
static bool asynchronous(struct px_stmt *s)
{
    return px_mod(s, "async") && px_mod(s, "mbarrier::complete_tx::bytes");
}

bool px_st(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    struct px_operand *v;
    uint32_t n;
    enum ir_space space;
    (void)row;
    const bool told = asynchronous(s);
    if (s->nops != 2u + told + px_mod(s, "L2::cache_hint") || s->ntypes != 1 ||
        !elements(s, &s->ops[1], &v, &n))
        return false;
    ir_type m = memory_type(s->types[0]);
    if (m == IR_VOID || m == IR_I1)
        return false;
    px_space_of(s, &space);
    uint32_t bytes = ir_bytes(m), flags = access_flags(s, space);
    const struct px_symbol *param = param_symbol(&s->ops[0]);
    if (told && !s->cluster)
        return false;
    if (param) {
        if (s->ops[0].items[0].offset || n != 1 || bytes > ir_bytes(param->var->type))
            return false;
        px_write(p, param->var, px_bits_as(p, px_in(p, v, m), param->var->type));
        return true;
    }
    struct ir_value *a = operand_address(p, s, 0, space);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_value *at =
            i ? ir_build2(&p->b, IR_OP_ptradd, a->type, a, px_int(p, IR_I64, bytes * i)) : a;
        if (v[i].kind != PO_SINK)
            ir_build_store(&p->b, at, px_in(p, &v[i], m), i ? bytes : bytes * n, flags);
    }
    return !told || px_mbarrier_told(p, s, 2, bytes * n);
}

/* One element: the old value, or NULL where there is no such operation. */
static struct ir_value *atomic(struct px *p, struct px_stmt *s, struct px_type t,
                               struct ir_value *at, const struct px_operand *const *in,
                               unsigned half, uint32_t flags)
{
    static const struct {
        const char *name;
        int s, u, f;
    } kinds[] = {{"add", IR_RMW_ADD, IR_RMW_ADD, IR_RMW_FADD},
                 {"min", IR_RMW_SMIN, IR_RMW_UMIN, IR_RMW_FMIN},
                 {"max", IR_RMW_SMAX, IR_RMW_UMAX, IR_RMW_FMAX},
                 {"and", IR_RMW_AND, IR_RMW_AND, -1},
                 {"or", IR_RMW_OR, IR_RMW_OR, -1},
                 {"xor", IR_RMW_XOR, IR_RMW_XOR, -1},
                 {"inc", -1, IR_RMW_INC, -1},
                 {"dec", -1, IR_RMW_DEC, -1},
                 {"exch", IR_RMW_XCHG, IR_RMW_XCHG, -1}};
    bool pairs = t.lanes == 2;
    ir_type m = px_half_type(t);
    struct ir_value *args[3] = {at};
    for (unsigned i = 0; in[i]; i++)
        args[1 + i] = pairs ? px_half(p, px_in(p, in[i], IR_I32), half, m) : px_in(p, in[i], m);
    if (in[1]) {
        if (!px_mod(s, "cas") || pairs)
            return NULL;
        struct ir_inst *i = ir_build(&p->b, IR_OP_cas, m, args, 3);
        i->flags = flags;
        return &i->results[0];
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!px_mod(s, kinds[k].name))
            continue;
        int kind = ir_class(m) == IR_CLASS_FLOAT ? kinds[k].f
                   : t.letter == 's'             ? kinds[k].s
                                                 : kinds[k].u;
        if (kind < 0)
            return NULL;
        struct ir_inst *i = ir_build(&p->b, IR_OP_rmw, m, args, 2);
        i->flags = flags;
        i->imm = (uint64_t)kind;
        return &i->results[0];
    }
    return NULL;
}

/* Vectors and pairs: PTX promises that each element is atomic, not the whole. */
bool px_atom(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    bool red = s->name[0] == 'r', cas = px_mod(s, "cas");
    uint32_t first = red ? 0 : 1, n;
    enum ir_space space;
    (void)row;
    const bool told = red && asynchronous(s);
    bool hint = px_mod(s, "L2::cache_hint");
    if (s->ntypes != 1 || s->nops != first + 2 + cas + hint + told)
        return false;
    struct px_type t = s->types[0];
    ir_type m = px_ir_type(t);
    if (m == IR_VOID || m == IR_I8)
        return false;
    struct px_operand *in, *out = NULL;
    if (!elements(s, &s->ops[first + 1], &in, &n) || (n > 1 && cas))
        return false;
    if (!red && (!elements(s, &s->ops[0], &out, &n)))
        return false;
    px_space_of(s, &space);
    if (told && !s->cluster)
        return false;
    uint32_t flags = px_order(s);
    if (!ir_order(flags))
        flags |= IR_ORDERED(IR_ORDER_RELAXED, 0);
    struct ir_value *base = operand_address(p, s, first, space), *old[8];
    for (uint32_t i = 0; i < n; i++) {
        const struct px_operand *args[3] = {&in[i], cas ? &s->ops[first + 2] : NULL, NULL};
        struct ir_value *h[2] = {NULL};
        for (unsigned k = 0; k < t.lanes; k++) {
            unsigned size = ir_bytes(px_half_type(t)), off = (i * t.lanes + k) * size;
            struct ir_value *at =
                off ? ir_build2(&p->b, IR_OP_ptradd, base->type, base, px_int(p, IR_I64, off))
                    : base;
            h[k] = atomic(p, s, t, at, args, k, flags);
            if (!h[k])
                return false;
        }
        old[i] = t.lanes == 2 ? px_pair(p, h[0], h[1]) : h[0];
    }
    for (uint32_t i = 0; i < n && !red; i++)
        px_out(p, &out[i], old[i]);
    return !told || px_mbarrier_told(p, s, 2, ir_bytes(m) * n);
}

bool px_fence(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    bool mem = s->name[0] == 'm';
    if (!mem && px_proxy_fence(p, s))
        return !s->nops && !s->ntypes;
    enum ir_order order = !mem && px_mod(s, "sc") ? IR_ORDER_SEQ_CST : IR_ORDER_ACQ_REL;
    enum ir_scope scope = px_mod(s, "cta")                      ? IR_SCOPE_BLOCK
                          : px_mod(s, "gl") || px_mod(s, "gpu") ? IR_SCOPE_DEVICE
                          : px_mod(s, "sys")                    ? IR_SCOPE_SYSTEM
                                                                : IR_SCOPE_SYSTEM;
    static const char *const said[] = {"acq_rel", "acquire", "release", "cluster"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        (void)px_mod(s, said[i]); /* never weaker than asked for */
    if (s->nops || s->ntypes)
        return false;
    ir_build(&p->b, IR_OP_fence, IR_VOID, NULL, 0)->flags =
        IR_ORDERED(mem ? IR_ORDER_SEQ_CST : order, scope);
    return true;
}

bool px_cvta(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum ir_space space;
    (void)row;
    if (s->nops != 2 || s->ntypes != 1 || s->types[0].bits != 64)
        return false;
    bool to = px_mod(s, "to");
    if (!px_space_of(s, &space))
        return false;
    struct ir_value *x = px_in(p, &s->ops[1], IR_I64);
    if (space != IR_SPACE_PARAM || !to) {
        enum ir_space from = to ? IR_SPACE_GENERIC : space;
        x = px_space_pointer(p, x, from);
        x = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(to ? space : IR_SPACE_GENERIC), x);
    }
    px_out(p, &s->ops[0], px_bits_as(p, x, IR_I64));
    return true;
}

bool px_isspacep(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    enum ir_space space;
    (void)row;
    if (s->nops != 2 || s->ntypes || !px_space_of(s, &space))
        return false;
    struct ir_value *x = px_space_pointer(p, px_in(p, &s->ops[1], IR_I64), IR_SPACE_GENERIC);
    struct ir_inst *i = ir_build(&p->b, IR_OP_isspace, IR_VOID, &x, 1);
    i->imm = space;
    px_out(p, &s->ops[0], &i->results[0]);
    return true;
}

/* Policies are hints; they have a value, and it does not matter. */
bool px_policy(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    static const char *const words[] = {"fractional",
                                        "range",
                                        "cvt",
                                        "L2",
                                        "global",
                                        "L2::evict_last",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_unchanged"};
    (void)row;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        (void)px_mod(s, words[i]);
    if (!s->nops || s->nops > 4 || s->ntypes != 1 || s->types[0].bits != 64)
        return false;
    px_out(p, &s->ops[0], px_int(p, IR_I64, 0));
    return true;
}

/* mapa, getctarank: the same place in another block of the cluster; whose place it is. */
static struct ir_value *cluster_pointer(struct px *p, struct px_stmt *s)
{
    const enum ir_space space = px_mod(s, "shared::cluster") ? IR_SPACE_SHARED : IR_SPACE_GENERIC;
    return px_space_pointer(p, px_in(p, &s->ops[1], px_ir_type(s->types[0])), space);
}

bool px_mapa(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 3 || s->ntypes != 1)
        return false;
    struct ir_value *at = cluster_pointer(p, s), *rank = px_in(p, &s->ops[2], IR_I32);
    at = ir_build2(&p->b, IR_OP_cluster_map, at->type, at, rank);
    at = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, at);
    px_out(p, &s->ops[0], px_bits_as(p, at, px_ir_type(s->types[0])));
    return true;
}

bool px_ctarank(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (s->nops != 2 || s->ntypes != 1)
        return false;
    px_out(p, &s->ops[0], ir_build1(&p->b, IR_OP_cluster_rank, IR_VOID, cluster_pointer(p, s)));
    return true;
}

bool px_cpasync(struct px *p, struct px_stmt *s, const struct px_row *row)
{
    (void)row;
    if (px_mod(s, "bulk"))
        return px_mod(s, "async") && px_bulk_copy(p, s);
    if (!px_mod(s, "async"))
        return false;
    if (px_mod(s, "mbarrier"))
        return px_mbarrier_copies(p, s);
    if (px_mod(s, "commit_group")) {
        ir_build(&p->b, IR_OP_cpasync_commit, IR_VOID, NULL, 0);
        return true;
    }
    bool all = px_mod(s, "wait_all");
    if (all || px_mod(s, "wait_group")) {
        if (!all && (s->nops != 1 || s->ops[0].kind != PO_INT))
            return false;
        if (all)
            ir_build(&p->b, IR_OP_cpasync_commit, IR_VOID, NULL, 0);
        ir_build(&p->b, IR_OP_cpasync_wait, IR_VOID, NULL, 0)->imm =
            all ? UINT64_MAX : s->ops[0].bits;
        return true;
    }
    bool hint = px_mod(s, "L2::cache_hint");
    uint32_t nops = s->nops - (hint && s->nops ? 1 : 0); /* without the hint, the last one */
    if (!(px_mod(s, "shared") || px_mod(s, "shared::cta")) || !px_mod(s, "global") || nops < 3 ||
        nops > 4 || s->ops[2].kind != PO_INT)
        return false;
    uint64_t n = s->ops[2].bits;
    if (n != 4 && n != 8 && n != 16)
        return false;
    bool ignore = nops == 4 && s->ops[3].kind == PO_REG && s->ops[3].var->type == IR_I1;
    struct ir_value *args[3] = {
        px_address(p, &s->ops[0], IR_SPACE_SHARED), px_address(p, &s->ops[1], IR_SPACE_GLOBAL),
        nops == 4 && !ignore ? px_in(p, &s->ops[3], IR_I32) : px_int(p, IR_I32, n)};
    if (ignore) /* a predicate: copy nothing, zeros instead */
        args[2] = px_pick(p, px_in(p, &s->ops[3], IR_I1), px_int(p, IR_I32, 0), args[2]);
    ir_build(&p->b, IR_OP_cpasync, IR_VOID, args, 3)->imm = n;
    return true;
}
