/* What a kernel needs and what will make it slow.
 *
 * Every value gets a form: uniform (the same for all threads of a warp), a linear function of
 * threadIdx with known or unknown factors, a comparison of such (a warp diverges at its edge only),
 * or anything else. Loads and stores are then played through for one warp: how many memory
 * sectors or banks it touches. Forms are found by iteration from "not known yet" upwards. Where
 * threads meet after having parted, what they bring along counts as anything; values that leave a
 * divergent loop are taken for what they were inside. */
#include <string.h>
#include "advise/advise.h"
#include "lower/lower.h"

const struct finding_info advise_findings[FINDING_COUNT] = {
#define FINDING(name, text, hint) {text, hint},
#include "advise/findings.def"
};

enum { WARP = 32, SECTOR = 32, BANKS = 32 };

enum form_kind { FORM_NEW, FORM_LINEAR, FORM_EDGE, FORM_ANY };
struct form {
    uint8_t kind;
    bool loose[3]; /* the factor is not known */
    bool single;   /* EDGE: holds, or fails, for one thread only */
    bool wrapped;  /* LINEAR, but for where a clamp or remainder sets in: good for addresses only */
    int64_t factor[3];
};

enum { NO_ROOT = -1 };

struct analyzer {
    struct arena *arena;
    struct ir_func *func;
    struct analysis *out;
    struct form *form; /* by value id */
    int32_t *root;     /* by value id: the parameter that a pointer starts from */
    uint32_t block[3];
    bool changed;
};

/* ---- forms ---- */

static const struct form uniform = {.kind = FORM_LINEAR}, anything = {.kind = FORM_ANY};

static bool is_uniform(const struct form *f)
{
    return f->kind == FORM_LINEAR && !f->factor[0] && !f->factor[1] && !f->factor[2] &&
           !f->loose[0] && !f->loose[1] && !f->loose[2];
}

static struct form form_of(const struct analyzer *z, const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT ? z->form[v->id] : uniform;
}

static int32_t root_of(const struct analyzer *z, const struct ir_value *v)
{
    return v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT ? z->root[v->id] : NO_ROOT;
}

static struct form linear_sum(struct form a, struct form b, int64_t sign)
{
    if (a.kind != FORM_LINEAR || b.kind != FORM_LINEAR)
        return anything;
    a.wrapped |= b.wrapped;
    for (int k = 0; k < 3; k++) {
        a.factor[k] = (int64_t)((uint64_t)a.factor[k] + (uint64_t)sign * (uint64_t)b.factor[k]);
        a.loose[k] |= b.loose[k];
    }
    return a;
}

static struct form linear_times(struct form a, const struct ir_value *by)
{
    for (int k = 0; k < 3; k++) {
        if (!ir_is_const(by))
            a.loose[k] |= a.factor[k] != 0;
        else
            a.factor[k] = (int64_t)((uint64_t)a.factor[k] * by->u.bits);
        a.loose[k] &= !ir_is_const(by) || by->u.bits;
    }
    return a;
}

/* x as the lanes of a warp run through it: rows that are not whole warps take part with y and z. */
static bool along_x_only(const struct analyzer *z, const struct form *f)
{
    return f->kind == FORM_LINEAR && f->factor[0] == 1 && !f->loose[0] &&
           (z->block[0] % WARP == 0 ||
            (!f->factor[1] && !f->factor[2] && !f->loose[1] && !f->loose[2]));
}

static struct form form_register(uint64_t which)
{
    struct form f = uniform;
    switch (which) {
    case IR_SREG_TID_X:
    case IR_SREG_LANEID: f.factor[0] = 1; break;
    case IR_SREG_TID_Y: f.factor[1] = 1; break;
    case IR_SREG_TID_Z: f.factor[2] = 1; break;
    default:
        if (ir_sreg_info[which].uniformity == IR_UNIFORM_THREAD)
            f = anything;
    }
    return f;
}

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static struct form wrap(struct form a)
{
    a.wrapped = a.kind == FORM_LINEAR;
    return a;
}

/* Quotient and remainder by whole warps: what lane of which warp. */
static struct form form_division(const struct analyzer *z, const struct ir_inst *i, struct form a)
{
    const struct ir_value *by = i->args[1];
    const struct form n_form = form_of(z, by);
    if (!ir_is_const(by) && is_uniform(&n_form) && (i->op == IR_OP_urem || i->op == IR_OP_srem))
        return wrap(a); /* a row's length, one hopes */
    if (!ir_is_const(by) || !along_x_only(z, &a))
        return anything;
    const uint64_t n = by->u.bits;
    switch (i->op) {
    case IR_OP_lshr:
    case IR_OP_ashr: return n >= 5 && n < 32 ? uniform : anything;
    case IR_OP_udiv:
    case IR_OP_sdiv: return n && n % WARP == 0 ? uniform : anything;
    case IR_OP_urem:
    case IR_OP_srem: return n && n % WARP == 0 ? a : anything;
    default: return power_of_two(n + 1) && n + 1 >= WARP ? a : anything; /* and */
    }
}

static struct form form_compare(struct form a, struct form b, bool equality)
{
    struct form d = linear_sum(a, b, -1);
    if (d.kind != FORM_LINEAR || d.wrapped)
        return anything;
    if (is_uniform(&d))
        return d;
    return (struct form){.kind = FORM_EDGE, .single = equality};
}

static struct form form_inst(const struct analyzer *z, const struct ir_inst *i)
{
    struct form a = i->nargs > 0 ? form_of(z, i->args[0]) : uniform;
    struct form b = i->nargs > 1 ? form_of(z, i->args[1]) : uniform;
    bool all_uniform = true, edges = true, single = false;
    for (uint32_t k = 0; k < i->nargs; k++) {
        struct form f = form_of(z, i->args[k]);
        if (f.kind == FORM_NEW)
            return f;
        all_uniform &= is_uniform(&f);
        edges &= is_uniform(&f) || f.kind == FORM_EDGE;
        single |= f.kind == FORM_EDGE && f.single;
    }
    switch (i->op) {
    case IR_OP_sreg: return form_register(i->imm);
    case IR_OP_add:
    case IR_OP_ptradd: return linear_sum(a, b, 1);
    case IR_OP_sub: return linear_sum(a, b, -1);
    case IR_OP_neg: return linear_sum(uniform, a, -1);
    case IR_OP_mul:
        if (a.kind == FORM_LINEAR && b.kind == FORM_LINEAR && (is_uniform(&a) || is_uniform(&b)))
            return is_uniform(&b) ? linear_times(a, i->args[1]) : linear_times(b, i->args[0]);
        return anything;
    case IR_OP_shl:
        if (a.kind == FORM_LINEAR && ir_is_const(i->args[1]) && i->args[1]->u.bits < 32)
            return linear_times(
                a, ir_const(z->func->module, IR_I64, UINT64_C(1) << i->args[1]->u.bits));
        break;
    case IR_OP_sext:
    case IR_OP_zext:
        if (a.kind == FORM_EDGE)
            break;
        return a;
    case IR_OP_trunc:
    case IR_OP_cvta:
    case IR_OP_ptrtoint:
    case IR_OP_inttoptr: return a;
    case IR_OP_lshr:
    case IR_OP_ashr:
    case IR_OP_udiv:
    case IR_OP_sdiv:
    case IR_OP_urem:
    case IR_OP_srem: return all_uniform ? uniform : form_division(z, i, a);
    case IR_OP_smin:
    case IR_OP_smax:
    case IR_OP_umin:
    case IR_OP_umax: /* clamped: linear but at the edge */
        if (!all_uniform && a.kind == FORM_LINEAR && b.kind == FORM_LINEAR &&
            (is_uniform(&a) || is_uniform(&b)))
            return wrap(is_uniform(&a) ? b : a);
        break;
    case IR_OP_eq:
    case IR_OP_ne: return form_compare(a, b, true);
    case IR_OP_slt:
    case IR_OP_sle:
    case IR_OP_ult:
    case IR_OP_ule: return form_compare(a, b, false);
    case IR_OP_and:
        if (!all_uniform && i->type != IR_I1)
            return form_division(z, i, a);
        break;
    case IR_OP_vote:
    case IR_OP_redux:
    case IR_OP_activemask:
    case IR_OP_alloca: return uniform;
    case IR_OP_load: return is_uniform(&a) ? uniform : anything;
    default: break;
    }
    if (all_uniform && (ir_op_info[i->op].flags & IR_PURE))
        return uniform;
    if (edges && i->type == IR_I1 && (ir_op_info[i->op].flags & IR_PURE))
        return (struct form){.kind = FORM_EDGE, .single = single};
    return anything;
}

static bool same_form(const struct form *a, const struct form *b)
{
    bool same = a->kind == b->kind && a->single == b->single && a->wrapped == b->wrapped;
    for (int k = 0; k < 3; k++)
        same &= a->factor[k] == b->factor[k] && a->loose[k] == b->loose[k];
    return same;
}

static void set_form(struct analyzer *z, uint32_t id, struct form f)
{
    struct form *was = &z->form[id];
    if (f.kind == FORM_NEW || was->kind == FORM_ANY)
        return;
    if (was->kind == FORM_LINEAR && f.kind == FORM_LINEAR) {
        for (int k = 0; k < 3; k++)
            f.loose[k] |= was->loose[k] || (f.factor[k] != was->factor[k]);
        f.wrapped |= was->wrapped;
        for (int k = 0; k < 3;
             k++) /* once it is loose, the number says nothing: it must not move */
            f.factor[k] = f.loose[k] ? was->factor[k] : f.factor[k];
    } else if ((was->kind == FORM_EDGE || is_uniform(was)) &&
               (f.kind == FORM_EDGE || is_uniform(&f))) {
        f = (struct form){.kind = FORM_EDGE, .single = was->single && f.single};
    } else if (was->kind != FORM_NEW && was->kind != f.kind) {
        f = anything;
    }
    if (!same_form(was, &f)) {
        *was = f;
        z->changed = true;
    }
}

/* ---- the graph ---- */

static const struct ir_value *branch_on(const struct ir_block *b)
{
    const struct ir_inst *t = ir_terminator(b);
    return t && t->nedges > 1 && t->nargs ? t->args[0] : NULL;
}

/* Do threads of a warp come to b on different ways? A branch between its dominator and here says
 * so: FORM_LINEAR for no, FORM_EDGE where they part at the edge of a range only, or FORM_ANY. */
static enum form_kind meets(const struct analyzer *z, const struct ir_block *b)
{
    enum form_kind how = FORM_LINEAR;
    for (size_t k = 0; k < b->preds.len; k++) {
        if (ir_dominates(b, b->preds.data[k]))
            continue;
        for (const struct ir_block *at = b->preds.data[k]; at; at = at->idom) {
            const struct ir_value *on = branch_on(at);
            struct form f = on ? form_of(z, on) : uniform;
            if (f.kind != FORM_NEW && !is_uniform(&f))
                how = f.kind == FORM_EDGE && how != FORM_ANY ? FORM_EDGE : FORM_ANY;
            if (at == b->idom)
                break;
        }
    }
    return how;
}

static void visit_params(struct analyzer *z, struct ir_block *b)
{
    for (size_t k = 0; k < b->preds.len; k++) {
        const struct ir_inst *t = ir_terminator(b->preds.data[k]);
        for (uint32_t e = 0; t && e < t->nedges; e++) {
            if (t->edges[e].to != b)
                continue;
            for (uint32_t p = 0; p < t->edges[e].nargs; p++) {
                const struct ir_value *arg = t->edges[e].args[p];
                const uint32_t id = b->params.data[p]->id;
                set_form(z, id, form_of(z, arg));
                if (z->root[id] == NO_ROOT)
                    z->root[id] = root_of(z, arg);
            }
        }
    }
    const enum form_kind how = b->preds.len > 1 && b->params.len ? meets(z, b) : FORM_LINEAR;
    if (how != FORM_LINEAR)
        for (size_t p = 0; p < b->params.len; p++) {
            const struct ir_value *first = NULL, *param = b->params.data[p];
            const bool flag = how == FORM_EDGE && param->type == IR_I1; /* which side one was on */
            bool differ = false;
            for (size_t k = 0; k < b->preds.len; k++) {
                const struct ir_inst *t = ir_terminator(b->preds.data[k]);
                for (uint32_t e = 0; t && e < t->nedges; e++)
                    if (t->edges[e].to == b) {
                        differ |= first && first != t->edges[e].args[p];
                        first = t->edges[e].args[p];
                    }
            }
            if (differ)
                set_form(z, param->id, flag ? (struct form){.kind = FORM_EDGE} : anything);
        }
}

static void visit(struct analyzer *z, struct ir_block *b)
{
    visit_params(z, b);
    for (struct ir_inst *i = b->first; i; i = i->next) {
        if (!i->nresults)
            continue;
        struct form f = form_inst(z, i);
        for (uint32_t r = 0; r < i->nresults; r++)
            set_form(z, i->results[r].id, f);
        if ((i->op == IR_OP_ptradd || i->op == IR_OP_cvta) && i->nargs)
            z->root[i->results[0].id] = root_of(z, i->args[0]);
        if (i->op == IR_OP_select && ir_class(i->type) == IR_CLASS_PTR)
            z->root[i->results[0].id] = root_of(z, i->args[1]);
    }
}

static void find_forms(struct analyzer *z)
{
    struct ir_func *f = z->func;
    for (uint32_t v = 0; v < f->nvalues; v++)
        z->root[v] = NO_ROOT;
    for (size_t p = 0; p < f->params.len; p++) {
        z->form[f->first->params.data[p]->id] = uniform;
        z->root[f->first->params.data[p]->id] = (int32_t)p;
    }
    /* Each value moves up at most five times: this ends. */
    do {
        z->changed = false;
        ir_each_block (b, f)
            if (b->rpo != UINT32_MAX)
                visit(z, b);
    } while (z->changed);
}

/* ---- findings ---- */

static bool is_own(const struct analyzer *z, struct span at)
{
    const struct source_map *sm = z->func->module->sources;
    const struct source_file *file =
        sm && at.loc ? source_file_at(sm, source_expanded(sm, at.loc)) : NULL;
    return file && !file->system;
}

/* Where to show it: what was inlined from our headers is shown where the user's own code is
 * nearest. */
static struct span place_of(const struct analyzer *z, const struct ir_inst *i)
{
    for (const struct ir_inst *at = i; at; at = at->prev)
        if (is_own(z, at->span))
            return at->span;
    for (const struct ir_inst *at = i; at; at = at->next)
        if (is_own(z, at->span))
            return at->span;
    return z->func->module->sources ? z->func->span : i->span;
}

static void __attribute__((format(printf, 5, 6)))
report(struct analyzer *z, enum finding_kind kind, const struct ir_inst *where, unsigned times,
       const char *fmt, ...)
{
    const struct span at = place_of(z, where);
    vec_each (struct finding, f, &z->out->findings)
        if (f->kind == kind && f->span.loc == at.loc) {
            if (f->times >= times)
                return;
            f->times = 0; /* the worse one is told below, in its place */
            f->kind = FINDING_COUNT;
        }
    va_list ap;
    va_start(ap, fmt);
    struct finding f = {kind, at, arena_vprintf(z->arena, fmt, ap), times};
    va_end(ap);
    vec_push(z->arena, &z->out->findings, f);
}

/* Byte addresses of a warp's lanes, relative to its first. A factor that is not known counts as a
 * large one; false: there is such a one between lanes. */
static bool lane_addresses(const struct analyzer *z, const struct form *f, int64_t out[WARP])
{
    bool known = true;
    for (unsigned lane = 0; lane < WARP; lane++) {
        const int64_t at[3] = {lane % z->block[0], lane / z->block[0] % z->block[1],
                               lane / z->block[0] / z->block[1]};
        out[lane] = 0;
        for (int k = 0; k < 3; k++) {
            known &= !at[k] || !f->loose[k];
            out[lane] += at[k] * (f->loose[k] ? INT64_C(1) << (30 + 8 * k) : f->factor[k]);
        }
    }
    return known;
}

static unsigned distinct(int64_t *v, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;
        while (j < count && v[j] != v[i])
            j++;
        if (j == count)
            v[count++] = v[i];
    }
    return count;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* The value that an address is a constant distance from. */
static const struct ir_value *base_of(const struct ir_value *v, int64_t *offset)
{
    *offset = 0;
    while (v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_ptradd &&
           ir_is_const(v->u.inst->args[1])) {
        *offset += (int64_t)v->u.inst->args[1]->u.bits;
        v = v->u.inst->args[0];
    }
    return v;
}

/* Bytes around an address that the kernel uses as well: the parts of a class or vector, in
 * neighbouring loads. */
static unsigned bytes_used(const struct analyzer *z, const struct ir_inst *i)
{
    enum { REACH = 64 };
    bool used[2 * REACH] = {0};
    int64_t here, there;
    const struct ir_value *base = base_of(i->args[0], &here);
    unsigned n = 0;
    ir_each_block (b, z->func)
        for (const struct ir_inst *o = b->first; o; o = o->next) {
            if (o->op != i->op || base_of(o->args[0], &there) != base)
                continue;
            const unsigned size = ir_bytes(o->op == IR_OP_store ? o->args[1]->type : o->type);
            for (int64_t at = there - here; at < there - here + size; at++)
                if (at >= -REACH && at < REACH && !used[at + REACH]) {
                    used[at + REACH] = true;
                    n++;
                }
        }
    return n;
}

/* Tables of our own headers, in constant memory or global, are not the user's to lay out. */
static bool is_ours(const struct analyzer *z, const struct ir_value *v)
{
    for (int depth = 0; depth < 32; depth++) {
        if (v->kind == IR_VALUE_GLOBAL)
            return !is_own(z, v->u.global->span);
        if (v->kind != IR_VALUE_RESULT ||
            (v->u.inst->op != IR_OP_ptradd && v->u.inst->op != IR_OP_cvta))
            return false;
        v = v->u.inst->args[0];
    }
    return false;
}

static void look_at_global(struct analyzer *z, const struct ir_inst *i, const struct form *f,
                           unsigned size)
{
    const char *verb = i->op == IR_OP_store ? "store" : "load";
    int64_t at[WARP];
    if (is_ours(z, i->args[0]))
        return;
    if (f->kind != FORM_LINEAR) {
        report(z, FINDING_INDIRECT, i, 0,
               "each thread's %s goes to an address of its own, known at run time only", verb);
        return;
    }
    const bool known = lane_addresses(z, f, at);
    const int64_t step = at[1] - at[0];
    for (unsigned k = 0; k < WARP; k++)
        at[k] = floor_div(at[k], SECTOR);
    const unsigned used = bytes_used(z, i);
    size = used > size ? used : size;
    const unsigned sectors = distinct(at, WARP),
                   least = size * WARP > SECTOR ? size * WARP / SECTOR : 1;
    if (sectors < 2 * least)
        return;
    if (!known)
        report(z, FINDING_STRIDED, i, sectors / least,
               "a warp's %s touches up to %u sectors of memory where %u would do: the stride "
               "between threads "
               "is known at launch only",
               verb, sectors, least);
    else
        report(
            z, FINDING_STRIDED, i, sectors / least,
            "a warp's %s touches %u sectors of memory where %u would do: consecutive threads are "
            "%lld bytes apart",
            verb, sectors, least, (long long)step);
}

static void look_at_shared(struct analyzer *z, const struct ir_inst *i, const struct form *f,
                           unsigned size)
{
    int64_t at[WARP];
    if (f->kind != FORM_LINEAR || !lane_addresses(z, f, at))
        return; /* cannot be told here */
    /* Wide elements go in several turns, each of as many lanes as fill the banks. */
    const unsigned turn = size <= 4 ? WARP : size == 8 ? WARP / 2 : WARP / 4;
    unsigned worst = 1;
    for (unsigned start = 0; start < WARP; start += turn) {
        int64_t words[WARP];
        for (unsigned k = 0; k < turn; k++)
            words[k] = floor_div(at[start + k], 4);
        const unsigned n = distinct(words, turn);
        for (unsigned k = 0; k < n; k++) {
            unsigned same = 0;
            for (unsigned m = 0; m < n; m++)
                same += (words[m] - words[k]) % BANKS == 0;
            worst = same > worst ? same : worst;
        }
    }
    const unsigned row = z->block[0];
    const int64_t step = at[1] - at[0];
    if (worst >= 2 && row < WARP && step / 4 % 2) /* no conflict among those */
        report(z, FINDING_BANKS, i, worst,
               "%u-way bank conflict in shared memory: a warp has several rows of the block, %lld "
               "bytes apart",
               worst, (long long)(at[row] - at[0]));
    else if (worst >= 2)
        report(z, FINDING_BANKS, i, worst,
               "%u-way bank conflict in shared memory: consecutive threads are %lld bytes apart",
               worst, (long long)step);
}

/* Axes along which a condition leaves one thread, where it holds, or where it does not:
 * threadIdx.x == 0. */
static unsigned fixed_by(const struct analyzer *z, const struct ir_value *v, bool holds)
{
    const struct ir_inst *c = v && v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
    unsigned along = 0;
    if (c && c->op == (holds ? IR_OP_and : IR_OP_or))
        return fixed_by(z, c->args[0], holds) | fixed_by(z, c->args[1], holds);
    if (!c || c->op != (holds ? IR_OP_eq : IR_OP_ne))
        return 0;
    const struct form d = linear_sum(form_of(z, c->args[0]), form_of(z, c->args[1]), -1);
    for (unsigned k = 0; k < 3 && d.kind == FORM_LINEAR; k++)
        along |= (unsigned)(d.factor[k] || d.loose[k]) << k;
    return along;
}

/* A form as those threads see it that get to a block. */
static struct form form_here(const struct analyzer *z, struct form f, const struct ir_block *b)
{
    for (const struct ir_block *at = b->idom; at; at = at->idom) {
        const struct ir_inst *t = ir_terminator(at);
        for (unsigned e = 0; branch_on(at) && t->nedges == 2 && e < 2; e++) {
            const unsigned fixed = t->edges[e].to->preds.len == 1 && ir_dominates(t->edges[e].to, b)
                                       ? fixed_by(z, branch_on(at), e == 0)
                                       : 0;
            if (f.kind == FORM_ANY && (fixed & 1) && z->block[0] % WARP == 0)
                f = uniform; /* one thread of each warp */
            for (unsigned k = 0; k < 3; k++)
                if (fixed >> k & 1) {
                    f.factor[k] = 0;
                    f.loose[k] = false;
                }
        }
    }
    return f;
}

/* Does one thread of a block, or one of a few, get here? Then nobody contends. */
static bool is_single(const struct analyzer *z, const struct ir_block *b)
{
    for (const struct ir_block *at = b->idom; at; at = at->idom) {
        const struct ir_value *on = branch_on(at);
        struct form f = on ? form_of(z, on) : uniform;
        const struct ir_inst *t = ir_terminator(at);
        if ((f.kind == FORM_EDGE && f.single) || f.kind == FORM_ANY)
            for (uint32_t e = 0; e < t->nedges; e++)
                if (t->edges[e].to != b
                        ? ir_dominates(t->edges[e].to, b) && t->edges[e].to->preds.len == 1
                        : b->preds.len == 1)
                    return true;
    }
    return false;
}

static void note_param(struct analyzer *z, const struct ir_inst *i, ir_type t)
{
    const int32_t p = root_of(z, i->args[0]);
    if (p == NO_ROOT || ir_class(z->func->params.data[p].type) != IR_CLASS_PTR)
        return;
    struct analysed_param *out = &z->out->params[p];
    const uint16_t flags = ir_op_info[i->op].flags;
    const bool first = !out->reads && !out->writes;
    /* Copies of classes go as integers: what is computed with says more. */
    if (first || (ir_class(out->element) == IR_CLASS_INT && ir_class(t) == IR_CLASS_FLOAT))
        out->element = ir_scalar(t);
    else if (out->element != ir_scalar(t) &&
             !(ir_class(out->element) == IR_CLASS_FLOAT && ir_class(t) == IR_CLASS_INT))
        out->element = IR_VOID;
    out->reads |= (flags & IR_READS) != 0;
    out->writes |= (flags & IR_WRITES) != 0;
}

static void look_at_access(struct analyzer *z, const struct ir_inst *i)
{
    const ir_type t = i->op == IR_OP_store ? i->args[1]->type : i->type;
    struct form f = form_of(z, i->args[0]);
    enum ir_space space = ir_space(i->args[0]->type);
    note_param(z, i, t);
    if (i->op == IR_OP_rmw || i->op == IR_OP_cas) {
        z->out->atomics++;
        if (is_uniform(&f) && i->op == IR_OP_rmw && !is_single(z, i->block))
            report(z, FINDING_ATOMIC, i, WARP,
                   "all threads of a warp update the same word, one after the other");
        return;
    }
    *(i->op == IR_OP_store ? &z->out->stores : &z->out->loads) += 1;
    f = form_here(z, f, i->block);
    if (space == IR_SPACE_SHARED)
        look_at_shared(z, i, &f, ir_bytes(t));
    else if (space == IR_SPACE_GLOBAL || space == IR_SPACE_GENERIC)
        look_at_global(z, i, &f, ir_bytes(t));
}

/* All that stands behind a branch has the branch's own place: it is the inside of one function of
 * our headers. */
static bool is_inside_call(const struct analyzer *z, const struct ir_inst *t, struct span at)
{
    for (uint32_t e = 0; e < t->nedges; e++)
        ir_each_block (b, z->func)
            if (b->rpo != UINT32_MAX && t->edges[e].to->preds.len == 1 &&
                ir_dominates(t->edges[e].to, b))
                for (const struct ir_inst *i = b->first; i; i = i->next)
                    if (!(ir_op_info[i->op].flags & IR_TERMINATOR) && i->span.loc == at.loc)
                        return true;
    return false;
}

/* How much stands behind one side of a branch, up to where the sides meet. */
static unsigned work_behind(const struct analyzer *z, const struct ir_block *side)
{
    unsigned n = 0;
    ir_each_block (b, z->func)
        if (b->rpo != UINT32_MAX && side->preds.len == 1 && ir_dominates(side, b))
            for (const struct ir_inst *i = b->first; i; i = i->next)
                n += (ir_op_info[i->op].flags & (IR_READS | IR_WRITES))
                         ? 4
                         : !(ir_op_info[i->op].flags & IR_TERMINATOR);
    return n;
}

/* The blocks of the natural loop of header h, by block id. */
static void mark_loop(struct analyzer *z, struct ir_block *h, bool *in)
{
    VEC(struct ir_block *) work = {0};
    memset(in, 0, z->func->nblocks * sizeof *in);
    in[h->id] = true;
    for (size_t k = 0; k < h->preds.len; k++)
        if (ir_dominates(h, h->preds.data[k]))
            vec_push(z->arena, &work, h->preds.data[k]);
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        if (in[b->id])
            continue;
        in[b->id] = true;
        for (size_t k = 0; k < b->preds.len; k++)
            vec_push(z->arena, &work, b->preds.data[k]);
    }
}

static bool leaves_loop(struct analyzer *z, const struct ir_inst *t)
{
    bool *in = arena_array(z->arena, bool, z->func->nblocks + 1);
    ir_each_block (h, z->func) {
        bool head = false;
        for (size_t k = 0; k < h->preds.len; k++)
            head |= ir_dominates(h, h->preds.data[k]);
        if (!head || !ir_dominates(h, t->block))
            continue;
        mark_loop(z, h, in);
        if (!in[t->block->id])
            continue;
        for (uint32_t e = 0; e < t->nedges; e++)
            if (!in[t->edges[e].to->id])
                return true;
    }
    return false;
}

static void look_at_branch(struct analyzer *z, const struct ir_inst *t)
{
    const struct ir_value *on = branch_on(t->block);
    struct form f = on ? form_of(z, on) : uniform;
    const struct ir_inst *at = on && on->kind == IR_VALUE_RESULT ? on->u.inst : t;
    if (f.kind != FORM_ANY || is_inside_call(z, t, at->span))
        return;
    if (leaves_loop(z, t)) {
        report(z, FINDING_LOOP, at, 0, "threads of a warp leave this loop at different times");
        return;
    }
    unsigned most = 0;
    for (uint32_t e = 0; e < t->nedges; e++) {
        const unsigned n = work_behind(z, t->edges[e].to);
        most = n > most ? n : most;
    }
    if (most >= 6)
        report(z, FINDING_BRANCH, at, t->nedges, "threads of a warp take different ways here");
}

static void look_at_double(struct analyzer *z, const struct ir_inst *i)
{
    bool constant = false, widened = false;
    for (uint32_t k = 0; k < i->nargs; k++) {
        const struct ir_value *v = i->args[k];
        constant |= ir_is_const(v);
        widened |= v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_fcvt &&
                   v->u.inst->args[0]->type == IR_F32;
    }
    z->out->doubles = true;
    if (constant && widened)
        report(z, FINDING_DOUBLE, i, 0,
               "a double literal makes this a computation in double precision");
}

static void look_at_inst(struct analyzer *z, const struct ir_inst *i)
{
    struct analysis *o = z->out;
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_rmw:
    case IR_OP_cas: look_at_access(z, i); break;
    case IR_OP_alloca:
        o->local_bytes += (uint32_t)i->imm;
        report(z, FINDING_LOCAL, i, 0,
               "%llu bytes of each thread lie in memory instead of registers",
               (unsigned long long)i->imm);
        break;
    case IR_OP_condbr:
    case IR_OP_switch: look_at_branch(z, i); break;
    case IR_OP_barrier:
    case IR_OP_barrier_red: o->barriers++; break;
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_match:
    case IR_OP_redux:
    case IR_OP_warpsync: o->warps = true; break;
    case IR_OP_printf: o->prints = true; break;
    case IR_OP_sreg: {
        const unsigned d = i->imm <= IR_SREG_NCTAID_Z ? (unsigned)i->imm % 3 + 1 : 1;
        o->dimensions = (uint8_t)(d > o->dimensions ? d : o->dimensions);
        if (i->imm <= IR_SREG_TID_Z)
            o->block_dimensions = (uint8_t)(d > o->block_dimensions ? d : o->block_dimensions);
        break;
    }
    default:
        if (i->type == IR_F64 && ir_class(i->type) == IR_CLASS_FLOAT &&
            (ir_op_info[i->op].flags & IR_PURE) && i->op != IR_OP_fcvt && i->op != IR_OP_select)
            look_at_double(z, i);
    }
}

/* ---- registers ---- */

static unsigned words_of(const struct ir_value *v)
{
    if (v->type == IR_I1 || ir_class(v->type) == IR_CLASS_NONE)
        return 0; /* predicates have registers of their own */
    if (v->kind == IR_VALUE_PARAM && v->u.block == v->u.block->func->first)
        return 0; /* parameters of the kernel are read from constant memory */
    if (ir_class(v->type) == IR_CLASS_PTR)
        return ir_space(v->type) == IR_SPACE_SHARED || ir_space(v->type) == IR_SPACE_LOCAL ? 1 : 2;
    return ir_bits(v->type) > 32 ? 2 : 1;
}

/* Walks a block backwards from what is alive at its end; gives the most words alive at once. */
static uint32_t walk_back(const struct ir_block *b, bool *live)
{
    uint32_t words = 0, most;
    ir_each_block (other, b->func) {
        for (size_t p = 0; p < other->params.len; p++)
            words += live[other->params.data[p]->id] ? words_of(other->params.data[p]) : 0;
        for (const struct ir_inst *i = other->first; i; i = i->next)
            for (uint32_t r = 0; r < i->nresults; r++)
                words += live[i->results[r].id] ? words_of(&i->results[r]) : 0;
    }
    most = words;
    for (const struct ir_inst *i = b->last; i; i = i->prev) {
        for (uint32_t r = 0; r < i->nresults; r++)
            words -= lower_live_set(live, &i->results[r], false) ? words_of(&i->results[r]) : 0;
        for (uint32_t k = 0; k < i->nargs; k++)
            words += lower_live_set(live, i->args[k], true) ? words_of(i->args[k]) : 0;
        most = words > most ? words : most;
    }
    return most;
}

static uint32_t count_registers(struct analyzer *z)
{
    bool *in = lower_live_in(z->arena, z->func),
         *live = arena_array(z->arena, bool, z->func->nvalues + 1);
    uint32_t most = 0;
    ir_each_block (b, z->func)
        if (in && b->rpo != UINT32_MAX) {
            lower_live_out(in, b, live);
            const uint32_t here = walk_back(b, live);
            most = here > most ? here : most;
        }
    return most;
}

/* ---- the whole ---- */

static void choose_block(struct analyzer *z, const uint32_t given[3])
{
    const struct ir_func *f = z->func;
    for (int k = 0; k < 3; k++)
        z->block[k] = given[k]               ? given[k]
                      : f->required_block[k] ? f->required_block[k]
                      : k                    ? 1
                                             : 256;
}

static uint32_t shared_of(struct analyzer *z, bool *dynamic)
{
    struct map seen;
    uint32_t bytes = 0;
    map_init(&seen, z->arena);
    ir_each_block (b, z->func)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++) {
                const struct ir_value *v = i->args[k];
                if (v->kind != IR_VALUE_GLOBAL || v->u.global->space != IR_SPACE_SHARED ||
                    map_has(&seen, map_key(v->u.global)))
                    continue;
                map_set(&seen, map_key(v->u.global), v->u.global);
                *dynamic |= (v->u.global->flags & IR_GLOBAL_EXTERN) != 0;
                bytes += (uint32_t)v->u.global->size;
            }
    return bytes;
}

void advise_kernel(struct arena *a, struct ir_func *kernel, const uint32_t block[3],
                   struct analysis *out)
{
    ir_renumber(kernel);
    ir_cfg(kernel);
    *out = (struct analysis){.kernel = kernel, .dimensions = 1, .block_dimensions = 1};
    out->params = arena_array(a, struct analysed_param, kernel->params.len + 1);
    struct analyzer z = {.arena = a,
                         .func = kernel,
                         .out = out,
                         .form = arena_array(a, struct form, kernel->nvalues + 1),
                         .root = arena_array(a, int32_t, kernel->nvalues + 1)};
    choose_block(&z, block);
    find_forms(&z);
    ir_each_block (b, kernel)
        for (const struct ir_inst *i = b->first; i && b->rpo != UINT32_MAX; i = i->next)
            look_at_inst(&z, i);
    size_t n = 0;
    for (size_t k = 0; k < out->findings.len; k++) /* without those that a worse one replaced */
        if (out->findings.data[k].kind != FINDING_COUNT)
            out->findings.data[n++] = out->findings.data[k];
    out->findings.len = n;
    out->shared_bytes = shared_of(&z, &out->dynamic_shared);
    out->registers = count_registers(&z);
}
