/* Region tree → statements, and what has to be known about values before: which are written into
 * the expression that uses them, which need only their low word, where pointers point. */
#include <stdarg.h>
#include <string.h>
#include "back/wgsl/wgsl_int.h"

/* Takes the parentheses away around a whole argument, index or assigned value. Comparisons keep
 * theirs: f(a < b, c > d) would be the type a<b, c>. */
static void tidy(struct sbuf *out, size_t start)
{
    struct {
        size_t at;
        bool whole;
    } open[32]; /* of deeper ones only the number is known */
    const size_t known = sizeof open / sizeof *open;
    char *s = out->data;
    size_t depth = 0, to = start;
    for (size_t from = start; from < out->len; from++) {
        const char c = s[from];
        if (c == '(' || c == '[') {
            const bool value = to > start + 2 && !memcmp(s + to - 3, " = ", 3);
            const bool first = to > start && (s[to - 1] == '(' || s[to - 1] == '[');
            const bool next = to > start + 1 && !memcmp(s + to - 2, ", ", 2);
            if (depth < known) {
                open[depth].at = to;
                open[depth].whole = c == '(' && (value || first || next);
            }
            depth++;
        } else if ((c == ')' || c == ']') && depth > 0) {
            if (--depth < known && open[depth].whole && strchr("]),;", s[from + 1])) {
                const size_t at = open[depth].at;
                memmove(s + at, s + at + 1, --to - at);
                continue;
            }
        } else if ((c == '<' || c == '>') && s[from - 1] == ' ' && s[from + 1] != c) {
            if (depth > 0 && depth <= known)
                open[depth - 1].whole = false;
        }
        s[to++] = c;
    }
    out->len = to;
}

void wgsl_line(struct wgsl *w, const char *fmt, ...)
{
    size_t start = w->out->len;
    va_list ap;
    va_start(ap, fmt);
    sbuf_printf(w->out, "%*s", (int)(4 * w->depth), "");
    sbuf_vprintf(w->out, fmt, ap);
    va_end(ap);
    tidy(w->out, start);
    if (w->line)
        sbuf_printf(w->out, " // line %u", w->line);
    sbuf_putc(w->out, '\n');
}

/* Where the source has this, for what is written next; what another file has stays with the line
 * that asked for it. */
static void mark_line(struct wgsl *w, struct span at)
{
    struct source_pos pos;
    if (w->job->options.line_info && at.loc && w->module->sources &&
        source_position(w->module->sources, source_expanded(w->module->sources, at.loc), &pos) &&
        !strcmp(pos.path, w->module->name))
        w->line = pos.line;
}

/* ---- which i64 are only looked at through their low word ---- */

static bool low_is_enough(const struct ir_inst *i, uint32_t arg)
{
    switch (i->op) {
    case IR_OP_trunc:
    case IR_OP_inttoptr: return true;
    case IR_OP_ptradd: return arg == 1;
    case IR_OP_shl: return arg == 0 && wgsl_shifts_words(i);
    case IR_OP_memcpy:
    case IR_OP_memset: return arg == 2;
    default: return false;
    }
}

static bool passes_low(const struct ir_inst *i, uint32_t arg)
{
    switch (i->op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
    case IR_OP_not:
    case IR_OP_neg: return true;
    case IR_OP_shl: return arg == 0 && ir_is_const(i->args[1]);
    case IR_OP_select: return arg > 0;
    default: return false;
    }
}

static bool can_be_low(const struct ir_value *v)
{
    if (v->type != IR_I64)
        return false;
    if (v->kind == IR_VALUE_PARAM)
        return true;
    if (v->kind != IR_VALUE_RESULT)
        return false;
    switch (v->u.inst->op) {
    case IR_OP_add:
    case IR_OP_sub:
    case IR_OP_mul:
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
    case IR_OP_not:
    case IR_OP_neg:
    case IR_OP_select:
    case IR_OP_sext:
    case IR_OP_zext:
    case IR_OP_ftosi:
    case IR_OP_ftoui:
    case IR_OP_ptrtoint:
    case IR_OP_load: return true;
    case IR_OP_shl: return ir_is_const(v->u.inst->args[1]);
    case IR_OP_lshr: return wgsl_shifts_words(v->u.inst);
    default: return false;
    }
}

static bool is_low(const struct wgsl *w, const struct ir_value *v)
{
    return (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT) && w->low[v->id];
}

static bool make_wide(struct wgsl *w, const struct ir_value *v)
{
    if (!is_low(w, v))
        return false;
    w->low[v->id] = false;
    return true;
}

static void find_low(struct wgsl *w)
{
    struct ir_func *f = w->func;
    bool kernel = f->flags & IR_FUNC_KERNEL;
    ir_each_block (b, f) {
        for (size_t k = 0; k < b->params.len; k++)
            w->low[b->params.data[k]->id] =
                can_be_low(b->params.data[k]) && (b != f->first || kernel);
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nresults; k++)
                w->low[i->results[k].id] = can_be_low(&i->results[k]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        ir_each_block (b, f)
            for (struct ir_inst *i = b->first; i; i = i->next) {
                for (uint32_t k = 0; k < i->nargs; k++) {
                    if (low_is_enough(i, k))
                        continue;
                    if (!passes_low(i, k) || !i->nresults || !is_low(w, &i->results[0]))
                        changed |= make_wide(w, i->args[k]);
                }
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        if (!is_low(w, i->edges[e].to->params.data[k]))
                            changed |= make_wide(w, i->edges[e].args[k]);
            }
    }
}

/* ---- where generic pointers point ---- */

#define SPACE_UNKNOWN 255 /* nothing seen yet */

static uint8_t space_of_value(const struct wgsl *w, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_CONST)
        return SPACE_UNKNOWN; /* null goes with anything */
    if (ir_space(v->type) != IR_SPACE_GENERIC || v->kind == IR_VALUE_GLOBAL)
        return (uint8_t)wgsl_mem_of(w, v);
    return v->kind == IR_VALUE_FUNC ? MEM_GENERIC : w->space[v->id];
}

static bool meet(struct wgsl *w, const struct ir_value *to, uint8_t s)
{
    uint8_t *have = &w->space[to->id];
    if (s == SPACE_UNKNOWN || *have == s || *have == MEM_GENERIC)
        return false;
    *have = *have == SPACE_UNKNOWN ? s : MEM_GENERIC;
    return true;
}

static void find_spaces(struct wgsl *w)
{
    struct ir_func *f = w->func;
    memset(w->space, SPACE_UNKNOWN, f->nvalues);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < f->first->params.len; k++)
            changed |= meet(w, f->first->params.data[k], w->kernel ? MEM_HEAP : MEM_GENERIC);
        ir_each_block (b, f)
            for (struct ir_inst *i = b->first; i; i = i->next) {
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                        struct ir_value *to = i->edges[e].to->params.data[k];
                        if (ir_class(to->type) == IR_CLASS_PTR)
                            changed |= meet(w, to, space_of_value(w, i->edges[e].args[k]));
                    }
                if (!i->nresults || ir_class(i->results[0].type) != IR_CLASS_PTR)
                    continue;
                struct ir_value *r = &i->results[0];
                switch (i->op) {
                case IR_OP_cvta:
                case IR_OP_ptradd: changed |= meet(w, r, space_of_value(w, i->args[0])); break;
                case IR_OP_select:
                    changed |= meet(w, r, space_of_value(w, i->args[1]));
                    changed |= meet(w, r, space_of_value(w, i->args[2]));
                    break;
                default: changed |= meet(w, r, MEM_GENERIC); break;
                }
            }
    }
    for (uint32_t v = 0; v < f->nvalues; v++)
        if (w->space[v] == SPACE_UNKNOWN)
            w->space[v] = MEM_HEAP;
}

/* ---- what is written where it is used ---- */

/* Copies are made one after the other: an expression may stand in one only if no other copy of the
 * edge sets a parameter that it reads. */
static bool reads_other(const struct wgsl *w, const struct ir_value *v, const struct ir_block *to,
                        const struct ir_value *own)
{
    if (v->kind == IR_VALUE_PARAM)
        return v->u.block == to && v != own;
    if (v->kind != IR_VALUE_RESULT || !w->folded[v->id])
        return false;
    const struct ir_inst *i = v->u.inst;
    for (uint32_t k = 0; k < i->nargs; k++)
        if (reads_other(w, i->args[k], to, own))
            return true;
    return false;
}

/* What has a name of its own keeps it; the next value of a variable has that variable's. */
static bool folds_into_copy(struct wgsl *w, struct ir_value *v)
{
    const struct ir_inst *t = v->u.inst->block->last;
    w->folded[v->id] = true;
    for (uint32_t e = 0; e < t->nedges; e++)
        for (uint32_t k = 0; k < t->edges[e].nargs; k++)
            if (t->edges[e].args[k] == v) {
                const struct ir_block *to = t->edges[e].to;
                const struct ir_value *p = to->params.data[k];
                if ((!v->name || v->name == p->name) && !reads_other(w, v, to, p))
                    return true;
            }
    w->folded[v->id] = false;
    return false;
}

static void find_folded(struct wgsl *w)
{
    struct ir_func *f = w->func;
    uint8_t *depth = arena_array(w->arena, uint8_t, f->nvalues + 1);
    struct ir_inst **user = arena_array(w->arena, struct ir_inst *, f->nvalues + 1);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT)
                    user[i->args[k]->id] = i;
    ir_each_block (b, f) {
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->nresults != 1 || !(ir_op_info[i->op].flags & IR_PURE))
                continue;
            struct ir_value *r = &i->results[0];
            unsigned d = 1;
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_RESULT && w->folded[i->args[k]->id])
                    d += depth[i->args[k]->id];
            bool cheap = i->op == IR_OP_sreg && i->imm <= IR_SREG_NCTAID_Z;
            if (cheap) {
                w->folded[r->id] = true;
                depth[r->id] = 1;
                continue;
            }
            if (w->uses_of[r->id] != 1 || d > 10)
                continue;
            const struct ir_inst *to = user[r->id];
            if (to && r->name && i->op != IR_OP_ptradd && r->type != IR_I1)
                continue;
            if (to ? to->block != b : !folds_into_copy(w, r))
                continue;
            if (to && ir_is_warp_op((enum ir_op)to->op))
                continue; /* it names its operands more than once */
            /* what is stored or printed as two words would be computed twice */
            if (to && !(ir_op_info[to->op].flags & IR_PURE) && ir_bits(r->type) == 64 &&
                ir_class(r->type) != IR_CLASS_PTR && !w->low[r->id])
                continue;
            w->folded[r->id] = true;
            depth[r->id] = (uint8_t)d;
        }
    }
    /* an alloca is a number */
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_alloca)
                w->folded[i->results[0].id] = true;
}

/* ---- names ---- */

static void name_values(struct wgsl *w)
{
    struct ir_func *f = w->func;
    ir_each_block (b, f) /* these first: what changes is what one looks for */
        for (size_t k = 0; k < b->params.len; k++) {
            struct ir_value *v = b->params.data[k];
            if (!w->name[v->id] && w->uses_of[v->id])
                w->name[v->id] = lower_name(w->locals, v->name);
        }
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nresults; k++) {
                struct ir_value *v = &i->results[k];
                if (!w->folded[v->id] && w->uses_of[v->id])
                    w->name[v->id] = lower_name(w->locals, v->name);
            }
}

/* ---- statements ---- */

static void define(struct wgsl *w, const struct ir_value *r, const char *text)
{
    if (!w->uses_of[r->id])
        wgsl_line(w, "_ = %s;", text);
    else if (w->escapes[r->id])
        wgsl_line(w, "%s = %s;", w->name[r->id], text);
    else
        wgsl_line(w, "let %s = %s;", w->name[r->id], text);
}

/* A barrier that counts, or tells whether all or any said yes: by how many said no, or yes. */
static void reduce_block(struct wgsl *w, const struct ir_inst *i)
{
    wgsl_forget(w);
    if (w->orders_heap)
        wgsl_line(w, "storageBarrier();");
    const char *yes = wgsl_value(w, i->args[2]);
    const char *n = TEXT(w, i->imm == 1 ? "%s(!%s, index)" : "%s(%s, index)",
                         wgsl_helper(w, "block_count"), yes);
    define(w, &i->results[0],
           i->imm == 0 ? n : TEXT(w, "select(0u, 1u, %s %s 0u)", n, i->imm == 1 ? "==" : "!="));
}

static const char *call_text(struct wgsl *w, const struct ir_inst *i)
{
    static const char *const results[LOWER_CALL_COUNT] = {[LOWER_CALL_PARK_FREE] = "park_free",
                                                          [LOWER_CALL_PARK_LOW] = "park_low",
                                                          [LOWER_CALL_PARK_HIGH] = "park_high",
                                                          [LOWER_CALL_PARK_OK] = "park_ok"};
    const enum lower_call known = lower_call_of(i->callee);
    if (results[known])
        return results[known];
    struct sbuf b;
    sbuf_init(&b, w->arena);
    if (i->op == IR_OP_call_ptr)
        sbuf_printf(&b, "%s(", wgsl_dispatcher(w, i));
    else if (known == LOWER_CALL_PARK)
        sbuf_printf(&b, "%s(index, ", wgsl_helper(w, "park"));
    else
        sbuf_printf(&b, "%s(", (const char *)map_get(&w->func_name, map_key(i->callee)));
    for (uint32_t k = 0; k < i->nargs; k++)
        sbuf_printf(&b, "%s%s", k ? ", " : "", wgsl_value(w, i->args[k]));
    sbuf_putc(&b, ')');
    return b.data;
}

/* Who failed, for the report. */
static const char *who(struct wgsl *w)
{
    w->status = w->uses[MEM_HEAP] = true;
    if (!w->kernel)
        w->private = true;
    return w->kernel ? "thread, block" : "my_thread, my_block";
}

static void call(struct wgsl *w, const struct ir_inst *i)
{
    const enum lower_call known = lower_call_of(i->callee);
    if (known == LOWER_CALL_STACK_FULL) {
        wgsl_line(w, "%s(%uu, 0u, 0u, 0u, 0u, %s);", wgsl_helper(w, "report"), WEB_STACK, who(w));
        return;
    }
    const bool park = lower_is_park(known);
    if (i->callee && !park && !i->callee->first) {
        wgsl_refuse(w, i, arena_printf(w->arena, "@%s is not defined", i->callee->name));
        return;
    }
    const char *text = call_text(w, i);
    if (i->nresults && w->uses_of[i->results[0].id])
        define(w, &i->results[0], text);
    else if (!park || known == LOWER_CALL_PARK)
        wgsl_line(w, "%s;", text);
}

static void print(struct wgsl *w, const struct ir_inst *i)
{
    const char *at = lower_name(w->locals, "at");
    uint32_t words = 2 + 3 * (i->nargs - 1);
    w->status = w->uses[MEM_HEAP] = true;
    wgsl_line(w, "let %s = %s(%uu);", at, wgsl_helper(w, "print_reserve"), words);
    wgsl_line(w, "if (%s != 0u) {", at);
    w->depth++;
    wgsl_line(w, "atomicStore(&heap[%s], %uu);", at, words);
    wgsl_line(w, "atomicStore(&heap[%s + 1u], %s);", at, wgsl_value(w, i->args[0]));
    for (uint32_t k = 1; k < i->nargs; k++) {
        const struct ir_value *v = i->args[k];
        uint32_t slot = 2 + 3 * (k - 1);
        bool wide = v->type == IR_I64 || v->type == IR_F64;
        const char *s = wgsl_value(w, v);
        if (v->type == IR_F32)
            s = TEXT(w, "bitcast<u32>(%s)", s);
        if (v->type == IR_I1)
            s = TEXT(w, "select(0u, 1u, %s)", s);
        wgsl_line(w, "atomicStore(&heap[%s + %uu], %uu);", at, slot,
                  (uint32_t)(v->type == IR_F64                   ? WEB_PRINT_DOUBLE
                             : ir_class(v->type) == IR_CLASS_PTR ? WEB_PRINT_POINTER
                             : wide                              ? WEB_PRINT_64
                                                                 : WEB_PRINT_32));
        wgsl_line(w, "atomicStore(&heap[%s + %uu], %s);", at, slot + 1,
                  wide ? TEXT(w, "%s.x", s) : s);
        wgsl_line(w, "atomicStore(&heap[%s + %uu], %s);", at, slot + 2,
                  wide ? TEXT(w, "%s.y", s) : "0u");
    }
    w->depth--;
    wgsl_line(w, "}");
    if (w->uses_of[i->results[0].id])
        define(w, &i->results[0], TEXT(w, "%uu", i->nargs - 1));
}

static void report(struct wgsl *w, const struct ir_inst *i)
{
    const char *thread = who(w);
    if (i->op == IR_OP_assertfail)
        wgsl_line(w, "%s(%uu, %s, %s, %s, %s, %s);", wgsl_helper(w, "report"), WEB_ASSERT,
                  wgsl_value(w, i->args[0]), wgsl_value(w, i->args[1]), wgsl_value(w, i->args[2]),
                  wgsl_value(w, i->args[3]), thread);
    else
        wgsl_line(w, "%s(%uu, 0u, 0u, 0u, 0u, %s);", wgsl_helper(w, "report"), WEB_TRAP, thread);
}

static void warp(struct wgsl *w, const struct ir_inst *i)
{
    const char *inside, *text = wgsl_warp(w, i, &inside);
    if (w->uses_of[i->results[0].id])
        define(w, &i->results[0], text);
    if (inside && w->uses_of[i->results[1].id])
        define(w, &i->results[1], inside);
}

static void instruction(struct wgsl *w, const struct ir_inst *i)
{
    const char *why = NULL;
    ir_type t = i->type == IR_VOID && i->nargs ? i->args[0]->type : i->type;
    mark_line(w, i->span);
    if (wgsl_supports((enum ir_op)i->op, t, &why) == BACK_NO) {
        wgsl_refuse(w, i, why);
        return;
    }
    switch (i->op) {
    case IR_OP_alloca:
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait: return;
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_rmw:
    case IR_OP_cas:
    case IR_OP_memcpy:
    case IR_OP_memset:
    case IR_OP_cpasync: wgsl_memory(w, i); return;
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_redux:
    case IR_OP_activemask: warp(w, i); return;
    case IR_OP_warpsync: /* of subgroups there is none; all threads of the block come here */
    case IR_OP_barrier:
        wgsl_forget(w);
        wgsl_line(w, "workgroupBarrier();");
        if (w->orders_heap)
            wgsl_line(w, "storageBarrier();");
        return;
    case IR_OP_barrier_red: reduce_block(w, i); return;
    case IR_OP_fence:
    case IR_OP_free: /* what is given back is not used again */
    case IR_OP_sleep: return;
    case IR_OP_malloc:
        define(w, &i->results[0],
               TEXT(w, "%s(%s)", wgsl_helper(w, "take"), wgsl_value(w, i->args[0])));
        return;
    case IR_OP_call:
    case IR_OP_call_ptr:
        wgsl_forget(w);
        call(w, i);
        return;
    case IR_OP_printf: print(w, i); return;
    case IR_OP_assertfail:
    case IR_OP_trap: report(w, i); return;
    default: break;
    }
    if (!(ir_op_info[i->op].flags & IR_PURE)) {
        wgsl_refuse(w, i, "WGSL has nothing like it");
        return;
    }
    const struct ir_value *r = &i->results[0];
    if (w->folded[r->id] || !w->uses_of[r->id])
        return;
    struct wgsl_let let = {.start = w->out->len, .from = w->names.len, .id = r->id};
    const char *s = wgsl_expression(w, i);
    if (!s) {
        wgsl_refuse(w, i, WGSL_NO_WORDS);
        return;
    }
    define(w, r, s);
    let.end = w->out->len;
    let.to = w->names.len;
    if (!w->escapes[r->id])
        vec_push(w->arena, &w->lets, let);
}

static void list(struct wgsl *w, const struct region *l);
static void list_of(struct wgsl *w, const struct region *l, const struct region *of,
                    const struct region *test);

static void copies(struct wgsl *w, const struct region *r)
{
    for (uint32_t k = 0; k < r->ncopies; k++) {
        const struct region_copy *c = &r->copies[k];
        if (c->dst && (!w->uses_of[c->dst->id] || w->counter[c->dst->id]))
            continue;
        const char *to = c->dst ? w->name[c->dst->id] : TEXT(w, "swap_%u", c->temp);
        const char *from = !c->src                       ? TEXT(w, "swap_%u", c->temp)
                           : c->dst && is_low(w, c->dst) ? wgsl_low(w, c->src)
                           : !c->dst && c->src->type == IR_I64 && is_low(w, c->src)
                               ? TEXT(w, "vec2<u32>(%s, 0u)", wgsl_value(w, c->src))
                               : wgsl_value(w, c->src);
        if (!c->src && is_low(w, c->dst))
            from = TEXT(w, "%s.x", from);
        wgsl_line(w, "%s = %s;", to, from);
    }
}

static const char *condition(struct wgsl *w, const struct region *r, bool negated)
{
    if (!r->cond)
        return TEXT(w, negated ? "swap_%u != %uu" : "swap_%u == %uu", r->temp, (uint32_t)r->value);
    const char *s = wgsl_value(w, r->cond);
    size_t n = strlen(s);
    if (negated)
        return s[0] == '(' && s[1] == '!' && !strpbrk(s + 2, " ")
                   ? arena_strndup(w->arena, s + 2, n - 3)
                   : TEXT(w, "!%s", s);
    if (s[0] == '(' && s[n - 1] == ')') { /* one pair around all of it is enough */
        int depth = 0;
        size_t k = 0;
        for (; k < n; k++) {
            depth += s[k] == '(' ? 1 : s[k] == ')' ? -1 : 0;
            if (!depth)
                break;
        }
        if (k == n - 1)
            return arena_strndup(w->arena, s + 1, n - 2);
    }
    return s;
}

static void branch(struct wgsl *w, const struct region *r)
{
    const struct region *yes = r->child, *no = r->other;
    if (!yes && !no)
        return;
    wgsl_line(w, "if (%s) {", condition(w, r, !yes));
    w->depth++;
    list(w, yes ? yes : no);
    w->depth--;
    if (yes && no) {
        wgsl_line(w, "} else {");
        w->depth++;
        list(w, no);
        w->depth--;
    }
    wgsl_line(w, "}");
}

static void arms(struct wgsl *w, const struct region *r)
{
    if (r->cond->type == IR_I64 || r->cond->type == IR_I1) { /* not selectors: a chain of tests */
        wgsl_line(w, "switch 0u {");
        wgsl_line(w, "default: {");
        w->depth++;
        const struct region *other = NULL;
        for (uint32_t k = 0; k < r->narms; k++) {
            const struct region_arm *a = &r->arms[k];
            if (!a->nvalues) {
                other = a->child;
                continue;
            }
            struct sbuf b;
            sbuf_init(&b, w->arena);
            for (uint32_t v = 0; v < a->nvalues; v++)
                sbuf_printf(&b,
                            r->cond->type == IR_I1 ? "%s%s == (%uu != 0u)"
                                                   : "%sall(%s == vec2<u32>(%uu, %uu))",
                            v ? " || " : "", wgsl_value(w, r->cond), (uint32_t)a->values[v],
                            (uint32_t)(a->values[v] >> 32));
            wgsl_line(w, "if (%s) {", b.data);
            w->depth++;
            list(w, a->child);
            wgsl_line(w, "break;");
            w->depth--;
            wgsl_line(w, "}");
        }
        list(w, other);
        w->depth--;
        wgsl_line(w, "}");
        wgsl_line(w, "}");
        return;
    }
    wgsl_line(w, "switch %s {", wgsl_value(w, r->cond));
    for (uint32_t k = 0; k < r->narms; k++) {
        const struct region_arm *a = &r->arms[k];
        struct sbuf b;
        sbuf_init(&b, w->arena);
        for (uint32_t v = 0; v < a->nvalues; v++)
            sbuf_printf(&b, "%s%uu", v ? ", " : "case ", (uint32_t)a->values[v]);
        wgsl_line(w, "%s: {", a->nvalues ? b.data : "default");
        w->depth++;
        list(w, a->child);
        w->depth--;
        wgsl_line(w, "}");
    }
    wgsl_line(w, "}");
}

static bool leaves(const struct region *l) /* is there a break from the loop, or a return? */
{
    for (const struct region *r = l; r; r = r->next) {
        if (r->kind == REGION_RETURN || r->kind == REGION_EXIT || r->kind == REGION_UNREACHABLE)
            return true;
        if (leaves(r->child) || (r->kind == REGION_IF && leaves(r->other)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (leaves(r->arms[k].child))
                return true;
    }
    return false;
}

static bool waits(const struct region *l) /* does a thread wait for others in here? */
{
    for (const struct region *r = l; r; r = r->next) {
        for (struct ir_inst *i = r->kind == REGION_CODE ? r->block->first : NULL; i; i = i->next)
            if (i->op == IR_OP_barrier || i->op == IR_OP_barrier_red ||
                (i->op == IR_OP_call && !i->callee->first))
                return true; /* what is called and has no body is the park */
        if (waits(r->child) || (r->kind == REGION_IF && waits(r->other)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (waits(r->arms[k].child))
                return true;
    }
    return false;
}

/* A loop with a barrier inside has a count of its own, which is the same for all threads: then the
 * shader compiler still sees that they stay together. All others share one. */
static void count_iteration(struct wgsl *w, const char *counter)
{
    const bool own =
        strcmp(counter, "turns") != 0; /* an iteration with a barrier costs many others */
    const bool step = map_has(&w->programs, map_key(w->func)); /* many make one of the kernel's */
    w->counts = w->status = w->uses[MEM_HEAP] = true;
    wgsl_line(w, "%s++;", counter);
    wgsl_line(w, "if (%s > loop_budget%s) {", step ? "(turns >> 3u)" : counter,
              own ? " / 64u" : "");
    wgsl_line(w, w->atomic[MEM_HEAP] ? "    atomicStore(&heap[%u], %uu);" : "    heap[%u] = %uu;",
              WEB_STATUS / 4, WEB_BUDGET);
    wgsl_line(w, "    break;");
    wgsl_line(w, "}");
}

static bool counts(const struct region *l) /* is there a loop that shares the count? */
{
    for (const struct region *r = l; r; r = r->next) {
        if ((r->kind == REGION_LOOP && !waits(r->child)) || counts(r->child) ||
            (r->kind == REGION_IF && counts(r->other)))
            return true;
        for (uint32_t k = 0; k < r->narms; k++)
            if (counts(r->arms[k].child))
                return true;
    }
    return false;
}

/* A block that begins after another has used up its budget has none: an endless kernel ends with
 * its first blocks, however many there are. */
void wgsl_begin_turns(struct wgsl *w)
{
    if (!w->options->budget || !counts(w->tree->body))
        return;
    w->counts = w->status = w->uses[MEM_HEAP] = true;
    const char *status =
        TEXT(w, w->atomic[MEM_HEAP] ? "atomicLoad(&heap[%u])" : "heap[%u]", WEB_STATUS / 4);
    wgsl_line(w, "turns = select(0u, loop_budget, %s == %uu);", status, WEB_BUDGET);
}

/* for (var k = 0u; k < 128u; k = k + 1u): shader compilers know how often it runs only if the
 * counter is the loop's own and compared as what it is; 2.7 times as fast on one of them. */
static void counted(struct wgsl *w, const struct region *test, const struct wgsl_counter *c)
{
    const struct ir_inst *t = test->cond->u.inst, *n = c->next;
    const char *name = w->name[c->v->id], *cond = condition(w, test, false);
    const struct ir_value *limit = t->args[1], *step = n->args[1];
    if (t->op == IR_OP_slt && t->args[0] == c->v && ir_is_const(limit) && ir_is_const(c->first) &&
        n->op == IR_OP_add && c->first->u.bits <= INT32_MAX && limit->u.bits <= INT32_MAX &&
        step->u.bits <= INT32_MAX - limit->u.bits)
        cond = TEXT(w, "%s < %uu", name, (uint32_t)limit->u.bits); /* it is never negative */
    wgsl_line(w, "for (var %s = %s; %s; %s = %s) {", name, wgsl_value(w, c->first), cond, name,
              wgsl_expression(w, n));
}

/* before: what stands in front of it. */
static void loop(struct wgsl *w, const struct region *before, const struct region *r)
{
    const char *counter = !w->options->budget ? NULL
                          : waits(r->child)   ? lower_name(w->locals, "turns")
                                              : "turns";
    if (counter && strcmp(counter, "turns") != 0)
        wgsl_line(w, "var %s = 0u;", counter);
    const struct region *test = wgsl_loop_test(w, r);
    struct wgsl_counter c;
    if (test && wgsl_is_counted(w, before, r, &c) && w->counter[c.v->id])
        counted(w, test, &c);
    else if (test)
        wgsl_line(w, "while (%s) {", condition(w, test, false));
    else
        wgsl_line(w, "loop {");
    w->depth++;
    if (counter)
        count_iteration(w, counter);
    else if (!r->breaks && !leaves(r->child)) /* WGSL wants a way out of every loop */
        wgsl_line(w, "if (threads_x == 0u) { break; }");
    list_of(w, r->child, r, test);
    w->depth--;
    wgsl_line(w, "}");
}

static const char *zero_of(ir_type t)
{
    return t == IR_F32                                       ? "0.0"
           : t == IR_I1                                      ? "false"
           : ir_bits(t) == 64 && ir_class(t) != IR_CLASS_PTR ? "vec2<u32>()"
                                                             : "0u";
}

static void leave(struct wgsl *w, const struct region *r)
{
    if (r->kind == REGION_EXIT && !w->kernel)
        wgsl_refuse(w, r->block->last, "exit outside of a kernel");
    if (r->kind == REGION_UNREACHABLE && w->func->ret != IR_VOID)
        wgsl_line(w, "return %s;", zero_of(w->func->ret));
    else if (r->cond)
        wgsl_line(w, "return %s;", wgsl_value(w, r->cond));
    else
        wgsl_line(w, "return;");
}

/* The body of a loop goes without its test, and without saying at the end that it goes on. */
static void list_of(struct wgsl *w, const struct region *l, const struct region *of,
                    const struct region *test)
{
    const struct region *before = NULL;
    for (const struct region *r = l; r; before = r, r = r->next) {
        if (r == test || (of && r->kind == REGION_CONTINUE && !r->next))
            continue;
        wgsl_forget(w);
        switch (r->kind) {
        case REGION_CODE:
            for (struct ir_inst *i = r->block->first; i != r->block->last; i = i->next)
                instruction(w, i);
            break;
        case REGION_COPIES: copies(w, r); break;
        case REGION_IF: branch(w, r); break;
        case REGION_SWITCH: arms(w, r); break;
        case REGION_BLOCK:
            wgsl_line(w, "switch 0u {");
            wgsl_line(w, "default: {");
            w->depth++;
            list(w, r->child);
            w->depth--;
            wgsl_line(w, "}");
            wgsl_line(w, "}");
            break;
        case REGION_LOOP: loop(w, before, r); break;
        case REGION_BREAK: wgsl_line(w, "break;"); break;
        case REGION_CONTINUE: wgsl_line(w, "continue;"); break;
        default: leave(w, r); break;
        }
    }
}

static void list(struct wgsl *w, const struct region *l)
{
    list_of(w, l, NULL, NULL);
}

static void declare_variables(struct wgsl *w)
{
    struct ir_func *f = w->func;
    ir_each_block (b, f) {
        if (b != f->first)
            for (size_t k = 0; k < b->params.len; k++)
                if (w->uses_of[b->params.data[k]->id] && !w->counter[b->params.data[k]->id])
                    wgsl_line(w, "var %s: %s;", w->name[b->params.data[k]->id],
                              wgsl_type(w, b->params.data[k]));
        for (struct ir_inst *i = b->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nresults; k++) {
                const struct ir_value *v = &i->results[k];
                if (w->escapes[v->id] && !w->folded[v->id] && w->name[v->id])
                    wgsl_line(w, "var %s: %s;", w->name[v->id], wgsl_type(w, v));
            }
    }
    for (uint32_t k = 0; k < w->tree->ntemps; k++)
        wgsl_line(w, "var swap_%u: %s;", k, wgsl_type_name(w->tree->temp_types[k]));
}

/* Addresses are often written from parts of a value that has a name: nobody may need the name then.
 */
static void drop_unsaid(struct wgsl *w)
{
    for (size_t k = w->lets.len; k-- > 0;) {
        const struct wgsl_let *l = &w->lets.data[k];
        if (w->said[l->id])
            continue;
        for (size_t n = l->from; n < l->to; n++)
            w->said[w->names.data[n]]--;
        memmove(w->out->data + l->start, w->out->data + l->end, w->out->len - l->end + 1);
        w->out->len -= l->end - l->start;
    }
}

/* Prepares all tables of the function; wgsl.c writes the head between the two. */
void wgsl_begin(struct wgsl *w)
{
    struct ir_func *f = w->func;
    w->uses_of = ir_use_counts(w->arena, f);
    w->name = arena_array(w->arena, const char *, f->nvalues + 1);
    w->folded = arena_array(w->arena, bool, f->nvalues + 1);
    w->low = arena_array(w->arena, bool, f->nvalues + 1);
    w->counter = arena_array(w->arena, bool, f->nvalues + 1);
    w->said = arena_array(w->arena, uint32_t, f->nvalues + 1);
    w->lets.len = w->names.len = 0;
    w->space = arena_array(w->arena, uint8_t, f->nvalues + 1);
    w->escapes = lower_escapes(w->arena, w->tree);
    find_low(w);
    find_spaces(w);
    find_folded(w);
    wgsl_find_counters(w);
}

void wgsl_function(struct wgsl *w)
{
    name_values(w);
    declare_variables(w);
    for (struct region *r = w->tree->body; r; r = r->next)
        if (r->next && !r->next->next && r->next->kind == REGION_RETURN && !r->next->cond)
            r->next = NULL; /* the end of the function says it */
    list(w, w->tree->body);
    drop_unsaid(w);
}
