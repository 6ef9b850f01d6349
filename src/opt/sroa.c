/* Local variables into registers: an alloca that is only read and written whole, at constant
 * offsets, becomes values.
 *
 * The bytes of an alloca fall into slots: ranges that loads and stores agree about. Copies and
 * fills of constant length are cut at slot borders. Then each slot is a variable: reads find the
 * value that reaches them, block parameters are made where paths meet (only where asked for), and
 * the value at entry is zero, as ops.def says of fresh memory. */
#include <string.h>
#include "opt/opt_int.h"

enum { MAX_BYTES = 4096, MAX_USES = 100000 };

struct use {
    struct ir_inst *inst;
    uint32_t arg;
    uint64_t offset;
};

struct slot {
    uint64_t offset, bytes;
    ir_type type;
    struct ir_value **out; /* by block id: value at the end of the block; NULL: not known yet */
};

struct variable {
    struct arena *a;
    struct ir_func *f;
    struct ir_inst *alloca;
    VEC(struct use) uses;
    uint16_t *border; /* by byte: 1 where a slot begins */
    struct slot *slots;
    uint32_t nslots;
};

/* ---- may it be promoted? ---- */
static uint64_t const_length(const struct ir_inst *i)
{
    return ir_is_const(i->args[2]) ? i->args[2]->u.bits : UINT64_MAX;
}

static bool access_fits(const struct variable *v, uint64_t offset, uint64_t n)
{
    return n && offset <= v->alloca->imm && n <= v->alloca->imm - offset;
}

/* By value id: the alloca a pointer comes from, at a constant offset. */
struct derived {
    struct ir_inst *alloca;
    uint32_t number; /* of that alloca, among those of the first block */
    uint64_t offset;
};

static bool take_use(struct variable *v, struct ir_inst *i, uint32_t k, uint64_t offset)
{
    if (v->uses.len > MAX_USES)
        return false;
    switch (i->op) {
    case IR_OP_load:
        if (!opt_is_plain(i) || ir_is_vector(i->type) || !access_fits(v, offset, ir_bytes(i->type)))
            return false;
        break;
    case IR_OP_store:
        if (k != 0 || !opt_is_plain(i) || ir_is_vector(i->type) ||
            !access_fits(v, offset, ir_bytes(i->type)))
            return false;
        break;
    case IR_OP_memset:
    case IR_OP_memcpy:
        if (i->flags & IR_VOLATILE || const_length(i) == UINT64_MAX)
            return false;
        if (const_length(i) && !access_fits(v, offset, const_length(i)))
            return false;
        break;
    default: return false;
    }
    vec_push(v->a, &v->uses, ((struct use){i, k, offset}));
    return true;
}

/* ---- slots ---- */
static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_OP_load || i->op == IR_OP_store;
}

/* Cuts the alloca at every border that an access asks for; false if an access straddles one. */
static bool find_slots(struct variable *v)
{
    uint64_t size = v->alloca->imm;
    uint8_t *inside =
        arena_array(v->a, uint8_t, size + 1); /* byte that is not first of an access */
    uint8_t *first = arena_array(v->a, uint8_t, size + 1);
    v->border = arena_array(v->a, uint16_t, size + 1);
    vec_each (struct use, u, &v->uses) {
        if (!is_access(u->inst))
            continue;
        uint64_t n = ir_bytes(u->inst->type);
        first[u->offset] = 1;
        for (uint64_t k = 1; k < n; k++)
            inside[u->offset + k] = 1;
        v->border[u->offset] = v->border[u->offset + n] = 1;
    }
    vec_each (struct use, u, &v->uses) {
        if (is_access(u->inst))
            continue;
        uint64_t n = const_length(u->inst);
        if (!n)
            continue;
        if (inside[u->offset] || (u->offset + n < size && inside[u->offset + n]))
            return false;
        v->border[u->offset] = v->border[u->offset + n] = 1;
    }
    for (uint64_t k = 0; k < size; k++)
        if (first[k] && inside[k])
            return false;
    /* a copied range that nothing accesses is cut into words */
    VEC(struct slot) slots = {0};
    v->border[0] = v->border[size] = 1;
    for (uint64_t at = 0; at < size;) {
        uint64_t end = at + 1;
        while (end < size && !v->border[end])
            end++;
        if (first[at]) {
            vec_push(v->a, &slots, ((struct slot){.offset = at, .bytes = end - at}));
        } else {
            for (uint64_t p = at; p < end;) {
                uint64_t n = 8;
                while (n > end - p || p % n)
                    n /= 2;
                vec_push(v->a, &slots, ((struct slot){.offset = p, .bytes = n}));
                p += n;
            }
        }
        at = end;
    }
    v->slots = slots.data;
    v->nslots = (uint32_t)slots.len;
    return true;
}

static ir_type int_type(uint64_t bytes)
{
    return bytes == 1 ? IR_I8 : bytes == 2 ? IR_I16 : bytes == 4 ? IR_I32 : IR_I64;
}

/* A slot has the type of its accesses, or an integer's where they differ. */
static bool type_slots(struct variable *v)
{
    vec_each (struct use, u, &v->uses) {
        if (!is_access(u->inst))
            continue;
        for (uint32_t k = 0; k < v->nslots; k++) {
            struct slot *s = &v->slots[k];
            if (s->offset != u->offset)
                continue;
            if (s->bytes != ir_bytes(u->inst->type))
                return false;
            if (s->type == IR_VOID)
                s->type = u->inst->type;
            else if (s->type != u->inst->type)
                s->type = int_type(s->bytes);
        }
    }
    for (uint32_t k = 0; k < v->nslots; k++)
        if (v->slots[k].type == IR_VOID)
            v->slots[k].type = int_type(v->slots[k].bytes);
    /* i1 and pointers of other spaces do not turn into integers and back without care */
    vec_each (struct use, u, &v->uses) {
        if (!is_access(u->inst))
            continue;
        for (uint32_t k = 0; k < v->nslots; k++)
            if (v->slots[k].offset == u->offset && v->slots[k].type != u->inst->type) {
                ir_type t = u->inst->type;
                if (ir_kind(t) == IR_PTR && ir_space(t) != IR_SPACE_GENERIC &&
                    ir_space(t) != IR_SPACE_GLOBAL)
                    return false;
            }
    }
    return true;
}

static struct slot *slot_at(struct variable *v, uint64_t offset)
{
    for (uint32_t k = 0; k < v->nslots; k++)
        if (v->slots[k].offset == offset)
            return &v->slots[k];
    return NULL;
}

/* ---- changing types of values ---- */
static struct ir_value *recast(struct ir_builder *b, struct ir_value *x, ir_type to)
{
    ir_type from = x->type;
    if (from == to)
        return x;
    if (ir_kind(to) == IR_I1)
        return ir_build1(b, IR_OP_trunc, IR_I1, recast(b, x, IR_I8));
    if (ir_kind(from) == IR_I1)
        return recast(b, ir_build1(b, IR_OP_zext, IR_I8, x), to);
    if (ir_kind(from) == IR_PTR)
        return recast(b, ir_build1(b, IR_OP_ptrtoint, IR_I64, x), to);
    if (ir_kind(to) == IR_PTR)
        return ir_build1(b, IR_OP_inttoptr, to, recast(b, x, IR_I64));
    return ir_build1(b, IR_OP_bitcast, to, x);
}

/* ---- the variable's values ---- */
struct new_param {
    struct ir_value *param;
    struct slot *slot;
};
struct params {
    VEC(struct new_param) list;
};

static struct ir_value *value_at_end(struct variable *v, struct slot *s, struct ir_block *b,
                                     struct params *ps)
{
    struct ir_block *at = b;
    struct ir_value *found = NULL;
    while (!(found = s->out[at->id])) {
        if (at == v->f->first) {
            found = ir_const(v->f->module, s->type, 0);
            break;
        }
        bool one = true;
        for (size_t k = 1; k < at->preds.len; k++)
            one &= at->preds.data[k] == at->preds.data[0];
        if (!one) {
            found = ir_block_param(at, s->type, v->alloca->results[0].name);
            vec_push(v->a, &ps->list, ((struct new_param){found, s}));
            break;
        }
        at = at->preds.data[0];
    }
    s->out[at->id] = found;
    for (struct ir_block *x = b; x != at; x = x->preds.data[0])
        s->out[x->id] = found;
    return found;
}

/* The value when entering b: as at the end, if b itself does not set it. */
static struct ir_value *value_at_start(struct variable *v, struct slot *s, struct ir_block *b,
                                       struct params *ps)
{
    struct ir_value *kept = s->out[b->id];
    s->out[b->id] = NULL;
    struct ir_value *x = value_at_end(v, s, b, ps);
    if (kept)
        s->out[b->id] = kept;
    return x;
}

/* ---- copies and fills, cut at slot borders ---- */
static struct ir_value *offset_pointer(struct ir_builder *b, struct ir_value *p, uint64_t offset)
{
    if (!offset)
        return p;
    return ir_build2(b, IR_OP_ptradd, p->type, p, ir_const(b->module, IR_I64, offset));
}

static uint32_t align_at(uint32_t align, uint64_t offset)
{
    uint32_t a = align ? align : 1;
    while (a > 1 && offset % a)
        a /= 2;
    return a;
}

static void cut_memset(struct variable *v, struct use *u)
{
    struct ir_inst *i = u->inst;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    uint64_t n = const_length(i);
    for (uint32_t k = 0; k < v->nslots; k++) {
        struct slot *s = &v->slots[k];
        if (s->offset < u->offset || s->offset >= u->offset + n)
            continue;
        struct ir_value *byte = i->args[1], *x;
        if (ir_is_const(byte)) {
            uint64_t bits = (byte->u.bits & 255) * UINT64_C(0x0101010101010101);
            x = ir_const(b.module, int_type(s->bytes),
                         s->bytes == 8 ? bits : bits & ((UINT64_C(1) << 8 * s->bytes) - 1));
        } else {
            x = byte;
            if (s->bytes > 1) {
                x = ir_build1(&b, IR_OP_zext, int_type(s->bytes), byte);
                uint64_t ones = UINT64_C(0x0101010101010101);
                x = ir_build2(
                    &b, IR_OP_mul, x->type, x,
                    ir_const(b.module, x->type,
                             s->bytes == 8 ? ones : ones & ((UINT64_C(1) << 8 * s->bytes) - 1)));
            }
        }
        ir_build_store(&b, offset_pointer(&b, i->args[0], s->offset - u->offset),
                       recast(&b, x, s->type), (uint32_t)s->bytes, 0);
    }
    ir_remove(i);
}

/* A copy from or to this variable becomes loads and stores of its slots; the other side, if it is
 * a variable too, is dealt with when its turn comes. */
static void cut_memcpy(struct variable *v, struct use *u)
{
    struct ir_inst *i = u->inst;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    uint64_t n = const_length(i);
    VEC(struct ir_value *) read = {0};
    for (int writing = 0; writing < 2; writing++) {
        uint32_t at = 0;
        for (uint32_t k = 0; k < v->nslots; k++) {
            struct slot *s = &v->slots[k];
            if (s->offset < u->offset || s->offset >= u->offset + n)
                continue;
            uint64_t rel = s->offset - u->offset;
            struct ir_value *p = offset_pointer(&b, i->args[writing ? 0 : 1], rel);
            bool own = (writing ? 0u : 1u) == u->arg;
            uint32_t align = own ? (uint32_t)s->bytes : align_at(i->align, rel);
            if (!writing)
                vec_push(v->a, &read, ir_build_load(&b, s->type, p, align, 0));
            else
                ir_build_store(&b, p, read.data[at++], align, 0);
        }
    }
    ir_remove(i);
}

/* ---- accesses that others see parts of, halved ---- */
static void halve(struct ir_inst *i, uint64_t bytes)
{
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    ir_type half = int_type(bytes / 2), whole = int_type(bytes);
    struct ir_value *high_at = offset_pointer(&b, i->args[0], bytes / 2);
    struct ir_value *by = ir_const(b.module, whole, 4 * bytes);
    uint32_t align = align_at(i->align, bytes / 2);
    if (i->op == IR_OP_load) {
        struct ir_value *low = ir_build_load(&b, half, i->args[0], align, 0);
        struct ir_value *high = ir_build_load(&b, half, high_at, align, 0);
        high = ir_build2(&b, IR_OP_shl, whole, ir_build1(&b, IR_OP_zext, whole, high), by);
        low = ir_build1(&b, IR_OP_zext, whole, low);
        i->results[0].forward =
            recast(&b, ir_build2(&b, IR_OP_or, whole, low, high), i->results[0].type);
    } else {
        struct ir_value *x = recast(&b, i->args[1], whole);
        struct ir_value *high = ir_build2(&b, IR_OP_lshr, whole, x, by);
        ir_build_store(&b, i->args[0], ir_build1(&b, IR_OP_trunc, half, x), align, 0);
        ir_build_store(&b, high_at, ir_build1(&b, IR_OP_trunc, half, high), align, 0);
    }
}

/* Two halves written and the whole read, as packed numbers are. True: some access was halved. */
static bool halve_accesses(struct variable *v)
{
    uint8_t *border = arena_array(v->a, uint8_t, v->alloca->imm + 1);
    VEC(struct ir_inst *) done = {0};
    vec_each (struct use, u, &v->uses) {
        uint64_t n = is_access(u->inst) ? ir_bytes(u->inst->type) : const_length(u->inst);
        border[u->offset] = border[u->offset + n] = 1;
    }
    vec_each (struct use, u, &v->uses) {
        ir_type t = u->inst->type;
        uint64_t n = is_access(u->inst) ? ir_bytes(t) : 1;
        bool cut = false;
        for (uint64_t k = 1; k < n; k++)
            cut |= border[u->offset + k];
        if (!cut || (ir_kind(t) == IR_PTR && ir_space(t) != IR_SPACE_GENERIC &&
                     ir_space(t) != IR_SPACE_GLOBAL))
            continue;
        halve(u->inst, n);
        vec_push(v->a, &done, u->inst);
    }
    vec_each (struct ir_inst *, i, &done)
        ir_remove(*i); /* their results are replaced at the end of the round */
    return done.len > 0;
}

/* ---- all variables at once ---- */
/* By number of the alloca. One that is refused, or whose uses have changed since they were
 * collected, is not looked at in this round. */
struct variables {
    struct variable *of;
    bool *refused;
};

static void collect_inst(struct variables *vs, const struct derived *from, struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->nargs; k++) {
        const struct ir_value *x = i->args[k];
        const struct ir_inst *alloca = x->kind == IR_VALUE_RESULT ? from[x->id].alloca : NULL;
        if (!alloca)
            continue;
        const uint32_t n = from[x->id].number;
        const bool step = k == 0 && i->nresults == 1 && from[i->results[0].id].alloca == alloca;
        if (!step && !vs->refused[n])
            vs->refused[n] = !take_use(&vs->of[n], i, k, from[x->id].offset);
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
            const struct ir_value *x = i->edges[e].args[k];
            if (x->kind == IR_VALUE_RESULT && from[x->id].alloca)
                vs->refused[from[x->id].number] = true;
        }
}

static struct variables collect(struct arena *a, struct ir_func *f, const struct derived *from)
{
    uint32_t count = 0;
    ir_each_inst (i, f->first)
        count += i->op == IR_OP_alloca;
    struct variables vs = {.of = arena_array(a, struct variable, count),
                           .refused = arena_array(a, bool, count)};
    ir_each_inst (i, f->first)
        if (i->op == IR_OP_alloca) {
            const uint32_t n = from[i->results[0].id].number;
            vs.of[n] = (struct variable){.a = a, .f = f, .alloca = i};
            vs.refused[n] = i->imm > MAX_BYTES;
        }
    ir_each_block (b, f)
        ir_each_inst (i, b)
            collect_inst(&vs, from, i);
    return vs;
}

/* The other side of a copy that was cut, if it is a variable, has other uses now. */
static void refuse_other_side(struct variables *vs, const struct derived *from, const struct use *u,
                              uint32_t n)
{
    const struct ir_value *x = u->inst->op == IR_OP_memcpy ? u->inst->args[u->arg ? 0 : 1] : NULL;
    if (x && x->kind == IR_VALUE_RESULT && x->id < n && from[x->id].alloca)
        vs->refused[from[x->id].number] = true;
}

/* ---- one alloca ---- */
/* A copy inside one variable would be met twice. */
static bool copies_within(const struct variable *v)
{
    for (size_t k = 0; k + 1 < v->uses.len; k++) /* both uses stand side by side */
        if (v->uses.data[k].inst == v->uses.data[k + 1].inst)
            return true;
    return false;
}

/* An offset is a multiple of this. */
static uint64_t stride(const struct ir_value *x)
{
    const struct ir_inst *i = x->kind == IR_VALUE_RESULT ? x->u.inst : NULL;
    if (!i || i->nargs != 2 || i->type != IR_I64 || !ir_is_const(i->args[1]))
        return 1;
    const uint64_t by = i->args[1]->u.bits;
    return i->op == IR_OP_mul ? by : i->op == IR_OP_shl && by < 63 ? UINT64_C(1) << by : 1;
}

/* The offset of a step from somewhere in an alloca, if it is known: a constant, or, where accesses
 * are taken to be inside, zero for the row of `float sums[1][4]`: each other one is outside. */
static bool known_step(const struct ir_inst *alloca, const struct ir_inst *step, bool inside,
                       uint64_t *offset)
{
    const struct ir_value *by = step->args[1];
    *offset = ir_is_const(by) ? by->u.bits : 0;
    return ir_is_const(by) || (inside && stride(by) >= alloca->imm && stride(by) < INT64_MAX);
}

/* Pointers at known offsets from an alloca. Reverse post order sees definitions first. */
static struct derived *derive(struct arena *a, struct ir_func *f, bool inside)
{
    struct derived *d = arena_array(a, struct derived, f->nvalues + 1);
    struct ir_block **order = arena_array(a, struct ir_block *, f->nblocks + 1);
    ir_each_block (b, f)
        order[b->rpo] = b;
    uint32_t count = 0;
    for (uint32_t n = 0; n < f->nblocks; n++)
        ir_each_inst (i, order[n]) {
            const struct ir_value *x = i->nargs ? i->args[0] : NULL;
            struct ir_inst *alloca = x && x->kind == IR_VALUE_RESULT ? d[x->id].alloca : NULL;
            uint64_t step = 0;
            if (i->op == IR_OP_alloca)
                d[i->results[0].id] = (struct derived){i, count++, 0};
            else if (alloca && ((i->op == IR_OP_ptradd && known_step(alloca, i, inside, &step)) ||
                                (i->op == IR_OP_cvta && (ir_space(i->type) == IR_SPACE_GENERIC ||
                                                         ir_space(i->type) == IR_SPACE_LOCAL))))
                d[i->results[0].id] =
                    (struct derived){alloca, d[x->id].number, d[x->id].offset + step};
        }
    return d;
}

static void replace(struct variable *v)
{
    struct params ps = {{0}};
    for (uint32_t k = 0; k < v->nslots; k++)
        v->slots[k].out = arena_array(v->a, struct ir_value *, v->f->nblocks + 1);
    /* what each block leaves behind, first, so that reads across blocks find it */
    vec_each (struct use, u, &v->uses)
        if (u->inst->op == IR_OP_store) {
            struct slot *s = slot_at(v, u->offset);
            struct ir_builder b = ir_builder_before(u->inst);
            b.span = u->inst->span;
            u->inst->args[1] = recast(&b, u->inst->args[1], s->type);
            s->out[u->inst->block->id] = u->inst->args[1];
        }
    /* then each load: the last store before it in its block, or what comes in */
    struct ir_block *block = NULL;
    struct ir_value **current = arena_array(v->a, struct ir_value *, v->nslots);
    vec_each (struct use, u, &v->uses) {
        struct slot *s = slot_at(v, u->offset);
        uint32_t k = (uint32_t)(s - v->slots);
        if (u->inst->block != block) {
            block = u->inst->block;
            memset(current, 0, v->nslots * sizeof *current);
        }
        if (u->inst->op == IR_OP_store) {
            current[k] = u->inst->args[1];
            continue;
        }
        if (!current[k])
            current[k] = value_at_start(v, s, block, &ps);
        struct ir_builder b = ir_builder_before(u->inst);
        b.span = u->inst->span;
        u->inst->results[0].forward = recast(&b, current[k], u->inst->type);
    }
    for (size_t k = 0; k < ps.list.len; k++) { /* grows while it is walked */
        struct ir_value *p = ps.list.data[k].param;
        struct slot *s = ps.list.data[k].slot;
        for (size_t n = 0; n < p->u.block->preds.len; n++) {
            struct ir_block *pred = p->u.block->preds.data[n];
            bool seen = false;
            for (size_t m = 0; m < n; m++)
                seen |= p->u.block->preds.data[m] == pred;
            if (seen)
                continue;
            struct ir_value *x = value_at_end(v, s, pred, &ps);
            struct ir_inst *t = ir_terminator(pred);
            for (uint32_t e = 0; e < t->nedges; e++)
                if (t->edges[e].to == p->u.block)
                    ir_edge_push(t, &t->edges[e], x);
        }
    }
    vec_each (struct use, u, &v->uses)
        ir_remove(u->inst);
}

static bool cut_copies(struct variable *v, struct variables *vs, const struct derived *from,
                       uint32_t n)
{
    bool cut = false;
    vec_each (struct use, u, &v->uses) {
        if (u->inst->op == IR_OP_memset) {
            cut_memset(v, u);
            cut = true;
        } else if (u->inst->op == IR_OP_memcpy) {
            refuse_other_side(vs, from, u, n);
            cut_memcpy(v, u);
            cut = true;
        }
    }
    return cut;
}

/* True: the function was changed. What became of halved accesses and of copies is found on the next
 * round. */
static bool promote(struct variable *v, struct variables *vs, const struct derived *from,
                    uint32_t n)
{
    if (!v->uses.len || copies_within(v))
        return false;
    if (halve_accesses(v))
        return true;
    if (!find_slots(v) || !type_slots(v))
        return false;
    if (!cut_copies(v, vs, from, n))
        replace(v);
    return true;
}

static bool has_variables(const struct ir_func *f)
{
    ir_each_inst (i, f->first)
        if (i->op == IR_OP_alloca)
            return true;
    return false;
}

static void into_registers(struct arena *scratch, struct ir_func *f, bool inside)
{
    if (!has_variables(f))
        return;
    opt_dce(scratch, f); /* an address that nothing uses would count as a use */
    for (unsigned round = 0; round < 32; round++) {
        bool changed = false;
        ir_trim(f);
        ir_renumber(f);
        struct derived *from = derive(scratch, f, inside);
        const uint32_t n = f->nvalues;
        struct variables vs = collect(scratch, f, from);
        ir_each_inst (i, f->first)
            if (i->op == IR_OP_alloca && !vs.refused[from[i->results[0].id].number]) {
                struct variable v = vs.of[from[i->results[0].id].number];
                struct arena own; /* tables by block, for each variable in turn */
                arena_init(&own, scratch->mem);
                v.a = &own;
                changed |= promote(&v, &vs, from, n);
                arena_free(&own);
            }
        if (!changed)
            break;
        ir_replace_forwarded(f);
    }
}

void opt_sroa(struct arena *scratch, struct ir_func *f)
{
    into_registers(scratch, f, false);
}

void opt_sroa_inside(struct arena *scratch, struct ir_func *f)
{
    into_registers(scratch, f, true);
}
