/* Checks everything that ir.h and ops.def promise about a module.
 *
 * Each fault is one diagnostic that names the pass that ran last, the function, the block, and the
 * instruction as printed, so that whoever broke it need not look further. */
#include <stdarg.h>
#include <string.h>
#include "ir/async.h"
#include "ir/text.h"

struct verifier {
    const struct ir_module *m;
    const struct ir_func *f;
    struct diag *d;
    const char *culprit;
    struct arena scratch;
    unsigned faults;
};

#define MAX_FAULTS 20

/* Pages are told that it is so, and where: what it is, the same source tells elsewhere. */
#ifdef TERN_SMALL
#define fault(v, b, i, ...) fault_at(v, b, i)
static void fault_at(struct verifier *v, const struct ir_block *b, const struct ir_inst *i)
{
    if (v->faults++ < MAX_FAULTS)
        diag_error(v->d,
                   i      ? i->span
                   : b    ? b->span
                   : v->f ? v->f->span
                          : span_at(0, 0),
                   "bad IR in @%s", v->f ? v->f->name : "");
}
#else
__attribute__((format(printf, 4, 5))) static void
fault(struct verifier *v, const struct ir_block *b, const struct ir_inst *i, const char *fmt, ...)
{
    if (v->faults++ >= MAX_FAULTS)
        return;
    struct sbuf s;
    sbuf_init(&s, &v->scratch);
    if (v->culprit)
        sbuf_printf(&s, "after pass '%s': ", v->culprit);
    sbuf_puts(&s, "bad IR");
    if (v->f)
        sbuf_printf(&s, " in @%s", v->f->name);
    if (b)
        sbuf_printf(&s, ", block %s%s%u", b->name ? b->name : "b", b->name ? "." : "", b->id);
    sbuf_puts(&s, ": ");
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(&s, fmt, ap);
    va_end(ap);
    diag_error(v->d, i ? i->span : b ? b->span : v->f ? v->f->span : span_at(0, 0), "%s", s.data);
    if (i) {
        s.len = 0;
        ir_print_inst(i, &s);
        diag_note(v->d, i->span, "%s", s.data);
    }
}
#endif

__attribute__((unused)) static const char *tn(struct verifier *v, ir_type t)
{
    return ir_type_name(t, arena_alloc(&v->scratch, 32));
}

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static bool in_class(ir_type t, unsigned class)
{
    if (class == IR_CLASS_W)
        return ir_kind(t) == IR_I32;
    if (class == IR_CLASS_L)
        return ir_kind(t) == IR_I64;
    return (ir_class(t) & class) != 0;
}

/* ---- operands ---- */

static bool operand_fits(const struct ir_inst *i, char letter, ir_type t)
{
    ir_type shape = ir_op_info[i->op].flags & IR_ELEMENTWISE ? i->type : 0;
    switch (letter) {
    case 'p': /* isspace has no type of its own: its operand's lanes are its result's */
        return ir_class(t) == IR_CLASS_PTR &&
               (ir_op_info[i->op].class == IR_CLASS_NONE || ir_lanes(t) == ir_lanes(shape));
    case 'S': return ir_class(t) != IR_CLASS_NONE && ir_lanes(t) == ir_lanes(i->type);
    case 'V': return ir_is_vector(t);
    case 'P': return ir_class(t) == IR_CLASS_PTR && ir_lanes(t) == ir_lanes(i->type);
    case '*': return ir_class(t) != IR_CLASS_NONE;
    default: return t == ir_letter_type(letter, (enum ir_op)i->op, i->type);
    }
}

static bool fits_lowered(const struct ir_func *f, const struct ir_inst *i, uint32_t operand)
{
    const ir_type t = i->args[operand]->type;
    return f->flags & IR_FUNC_LOWERED &&
           (i->op == IR_OP_ptradd   ? operand == 1 && t == ir_like(IR_I32, i->type)
            : i->op == IR_OP_select ? operand == 0 && t == IR_I1
                                    : false);
}

static void check_operands(struct verifier *v, const struct ir_inst *i)
{
    uint32_t k = 0;
    for (; k < i->nargs; k++) {
        char letter = ir_operand_letter((enum ir_op)i->op, k);
        if (!letter) {
            fault(v, i->block, i, "'%s' takes %u operands, not %u", ir_op_info[i->op].name, k,
                  i->nargs);
            return;
        }
        if (!operand_fits(i, letter, i->args[k]->type) && !fits_lowered(v->f, i, k))
            fault(v, i->block, i, "operand %u has type %s", k + 1, tn(v, i->args[k]->type));
        if (i->args[k]->type == IR_TOKEN && i->op != IR_OP_join)
            fault(v, i->block, i, "a token may only be joined");
    }
    char next = ir_operand_letter((enum ir_op)i->op, k);
    if (next && next != '*')
        fault(v, i->block, i, "'%s' lacks operand %u", ir_op_info[i->op].name, k + 1);
}

static void check_results(struct verifier *v, const struct ir_inst *i)
{
    ir_type want[8];
    uint32_t n = ir_signature_results((enum ir_op)i->op, i->type, want);
    switch (i->op) {
    case IR_OP_call:
        n = i->callee && i->callee->ret != IR_VOID;
        want[0] = i->callee ? i->callee->ret : IR_VOID;
        break;
    case IR_OP_call_ptr:
        n = i->type != IR_VOID;
        want[0] = i->type;
        break;
    case IR_OP_isspace:
        n = 1;
        want[0] = i->nargs ? ir_like(IR_I1, i->args[0]->type) : IR_I1;
        break;
    case IR_OP_wgmma:
    case IR_OP_mma: return;
    default: break;
    }
    if (n != i->nresults) {
        fault(v, i->block, i, "gives %u results, not %u", n, i->nresults);
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        if (i->results[k].type != want[k] || i->results[k].u.inst != i)
            fault(v, i->block, i, "result %u should be %s", k + 1, tn(v, want[k]));
}

static void check_conversion(struct verifier *v, const struct ir_inst *i)
{
    ir_type from = i->args[0]->type, to = i->type;
    unsigned a = ir_bits(from), b = ir_bits(to);
    bool int_in = ir_class(from) == IR_CLASS_INT, float_in = ir_class(from) == IR_CLASS_FLOAT,
         ok = true;
    switch (i->op) {
    case IR_OP_trunc: ok = int_in && a > b; break;
    case IR_OP_zext:
    case IR_OP_sext: ok = int_in && a < b; break;
    case IR_OP_fcvt: ok = float_in && ir_scalar(from) != ir_scalar(to); break;
    case IR_OP_ftosi:
    case IR_OP_ftoui: ok = float_in; break;
    case IR_OP_sitof:
    case IR_OP_uitof: ok = int_in; break;
    case IR_OP_bitcast: ok = ir_class(from) != IR_CLASS_PTR && a == b; break;
    case IR_OP_cvta: {
        enum ir_space s = ir_space(from), t = ir_space(to);
        ok = s == t || s == IR_SPACE_GENERIC || t == IR_SPACE_GENERIC;
        break;
    }
    default: break;
    }
    if (!ok)
        fault(v, i->block, i, "cannot convert %s to %s so", tn(v, from), tn(v, to));
}

static void check_call(struct verifier *v, const struct ir_inst *i)
{
    const struct ir_func *c = i->callee;
    if (!c || c->module != v->m) {
        fault(v, i->block, i, "call of a function that is not in this module");
        return;
    }
    if (c->flags & IR_FUNC_KERNEL)
        fault(v, i->block, i, "a kernel cannot be called");
    if (i->nargs != c->params.len) {
        fault(v, i->block, i, "@%s takes %zu arguments, not %u", c->name, c->params.len, i->nargs);
        return;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (i->args[k]->type != c->params.data[k].type)
            fault(v, i->block, i, "argument %u of @%s should be %s, is %s", k + 1, c->name,
                  tn(v, c->params.data[k].type), tn(v, i->args[k]->type));
}

static void check_mma(struct verifier *v, const struct ir_inst *i)
{
    static const struct {
        uint8_t inputs, outputs;
    } shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) {na + nb + nc, nc},
#include "ir/mma.def"
    };
    if (i->imm >= sizeof shapes / sizeof *shapes)
        fault(v, i->block, i, "no such matrix shape");
    else if (i->nargs != shapes[i->imm].inputs || i->nresults != shapes[i->imm].outputs)
        fault(v, i->block, i, "this matrix shape takes %u registers and gives %u",
              shapes[i->imm].inputs, shapes[i->imm].outputs);
}

static void check_wgmma(struct verifier *v, const struct ir_inst *i)
{
    const unsigned n = ir_wgmma_n(i->imm), nd = ir_wgmma_registers(i->imm),
                   inputs = ir_wgmma_inputs(i->imm);
    if (ir_wgmma_type(i->imm) >= IR_WGMMA_COUNT || !n || n > 256 || n % 8) {
        fault(v, i->block, i, "no such matrix shape");
        return;
    }
    bool ok = i->nargs == inputs + nd && i->nresults == nd && i->args[inputs - 1]->type == IR_I1 &&
              i->args[inputs - 2]->type == IR_I64;
    for (unsigned k = 0; ok && k < inputs - 2; k++)
        ok = i->args[k]->type == (inputs == 3 ? IR_I64 : IR_I32);
    for (unsigned k = 0; ok && k < nd; k++)
        ok = i->results[k].type == ir_wgmma_result(i->imm) &&
             i->args[inputs + k]->type == i->results[k].type;
    if (!ok)
        fault(v, i->block, i, "this matrix shape takes %u registers and gives %u", inputs + nd, nd);
}

static void check_bulk(struct verifier *v, const struct ir_inst *i)
{
    if (ir_bulk_kind(i->imm) >= IR_BULK_KINDS) {
        fault(v, i->block, i, "no such copy");
        return;
    }
    const bool tensor = ir_bulk_kind(i->imm) >= IR_BULK_TENSOR_LOAD;
    const unsigned n = ir_bulk_fixed(i->imm) + (tensor ? ir_bulk_numbers(i->imm) : 0) +
                       !!(i->imm & IR_BULK_MULTICAST) + !!(i->imm & IR_BULK_HINT);
    if (i->nargs != n || (tensor && (!ir_bulk_dims(i->imm) || ir_bulk_dims(i->imm) > 5)))
        fault(v, i->block, i, "this copy takes %u operands", n);
}

/* Kernel, grid, block, shared bytes, stream, parameters. */
static void check_launch(struct verifier *v, const struct ir_inst *i)
{
    static const ir_type types[] = {0,      IR_I32, IR_I32, IR_I32, IR_I32,
                                    IR_I32, IR_I32, IR_I32, IR_I64, 0};
    bool ok = i->nargs == sizeof types / sizeof *types && ir_kind(i->args[9]->type) == IR_PTR;
    for (uint32_t k = 1; ok && k < 9; k++)
        ok = i->args[k]->type == types[k];
    if (!ok)
        fault(v, i->block, i, "launch takes a kernel, seven i32, an i64 and a pointer");
}

static void check_special(struct verifier *v, const struct ir_inst *i)
{
    const struct ir_block *b = i->block;
    switch (i->op) {
    case IR_OP_alloca:
        if (b != v->f->first)
            fault(v, b, i, "alloca outside the entry block");
        if (i->type != IR_PTR_TO(IR_SPACE_LOCAL) || !power_of_two(i->align))
            fault(v, b, i, "alloca wants type ptr.local and an alignment");
        break;
    case IR_OP_load:
    case IR_OP_store:
    case IR_OP_memcpy: /* 0: any */
        if (!power_of_two(i->align) && (i->align || i->op != IR_OP_memcpy))
            fault(v, b, i, "alignment %u is not a power of two", i->align);
        break;
    case IR_OP_malloc:
        if (i->type != IR_PTR_TO(IR_SPACE_GENERIC))
            fault(v, b, i, "malloc gives ptr.generic");
        break;
    case IR_OP_rmw:
    case IR_OP_mrmw:
    case IR_OP_reduce:
        if (i->op == IR_OP_reduce && i->nargs && ir_scalar(i->args[0]->type) != i->type)
            fault(v, b, i, "reduces a vector of another type");
        if (i->imm >= IR_RMW_COUNT || !in_class(i->type, ir_rmw_info[i->imm].class))
            fault(v, b, i, "no such atomic operation on %s", tn(v, i->type));
        break;
    case IR_OP_redux:
        if (i->imm >= IR_RMW_COUNT || !(ir_rmw_info[i->imm].class & IR_CLASS_INT))
            fault(v, b, i, "no such reduction");
        break;
    case IR_OP_sreg:
        if (i->imm >= IR_SREG_COUNT || ir_bits(i->type) < 32)
            fault(v, b, i, "no such special register");
        break;
    case IR_OP_shfl:
    case IR_OP_vote:
        if (i->imm > 3)
            fault(v, b, i, "no such mode");
        break;
    case IR_OP_match:
    case IR_OP_clock:
        if (i->imm > 1)
            fault(v, b, i, "no such mode");
        break;
    case IR_OP_barrier_red:
        if (i->imm > 2)
            fault(v, b, i, "no such mode");
        break;
    case IR_OP_cpasync:
        if (i->imm != 4 && i->imm != 8 && i->imm != 16)
            fault(v, b, i, "copies 4, 8 or 16 bytes");
        break;
    case IR_OP_anylane:
    case IR_OP_alllanes:
    case IR_OP_maskbits:
        if (i->nargs && (ir_kind(i->args[0]->type) != IR_I1 ||
                         (i->op == IR_OP_maskbits && ir_lanes(i->args[0]->type) > 32)))
            fault(v, b, i, "takes a vector of i1%s",
                  i->op == IR_OP_maskbits ? " of at most 32 lanes" : "");
        break;
    case IR_OP_extractv:
        if (i->nargs && ir_scalar(i->args[0]->type) != i->type)
            fault(v, b, i, "the vector has elements of another type");
        break;
    case IR_OP_isspace:
        if (i->imm >= IR_SPACE_COUNT)
            fault(v, b, i, "no such address space");
        break;
    case IR_OP_extract:
        if (i->nargs &&
            (ir_scalar(i->args[0]->type) != i->type || i->imm >= ir_lanes(i->args[0]->type)))
            fault(v, b, i, "no such lane");
        break;
    case IR_OP_insert:
        if (!ir_is_vector(i->type) || i->imm >= ir_lanes(i->type))
            fault(v, b, i, "no such lane");
        break;
    case IR_OP_splat:
        if (!ir_is_vector(i->type))
            fault(v, b, i, "splat gives a vector");
        break;
    case IR_OP_join:
        if (i->nargs &&
            (i->args[0]->kind != IR_VALUE_RESULT || i->args[0]->u.inst->op != IR_OP_split))
            fault(v, b, i, "joins something that is not a split");
        break;
    case IR_OP_call: check_call(v, i); break;
    case IR_OP_mma: check_mma(v, i); break;
    case IR_OP_wgmma: check_wgmma(v, i); break;
    case IR_OP_ldmatrix:
        if (ir_space(i->args[0]->type) != IR_SPACE_SHARED || !IR_LDMATRIX_COUNT(i->imm) ||
            IR_LDMATRIX_COUNT(i->imm) > 4 || IR_LDMATRIX_COUNT(i->imm) == 3)
            fault(v, b, i, "it loads 1, 2 or 4 matrices from shared memory");
        break;
    case IR_OP_bulk: check_bulk(v, i); break;
    case IR_OP_launch: check_launch(v, i); break;
    default: break;
    }
}

static void check_flags(struct verifier *v, const struct ir_inst *i)
{
    uint32_t op = ir_op_info[i->op].flags;
    bool memory = op & (IR_READS | IR_WRITES) || i->op == IR_OP_fence;
    bool wraps = ir_op_info[i->op].shape == IR_SHAPE_I2 || ir_op_info[i->op].shape == IR_SHAPE_I1 ||
                 ir_op_info[i->op].shape == IR_SHAPE_CV;
    if ((i->flags & IR_ROUND_MASK && !(op & IR_ROUNDS)) ||
        (i->flags & IR_FTZ && !(op & IR_FLUSHES)) ||
        (i->flags & (IR_VOLATILE | IR_INVARIANT | IR_STEP) && !memory) ||
        (ir_order(i->flags) && !memory) || (i->flags & (IR_NSW | IR_NUW) && !wraps) ||
        (i->flags & IR_UNSET && i->op != IR_OP_alloca && i->op != IR_OP_memset) ||
        (i->flags & IR_TYPED && i->op != IR_OP_load && i->op != IR_OP_store) ||
        ir_order(i->flags) > IR_ORDER_SEQ_CST)
        fault(v, i->block, i, "a flag that '%s' does not take", ir_op_info[i->op].name);
}

/* ---- dominance ---- */

/* Positions inside blocks are in inst->data while a function is checked. */
static uintptr_t position(const struct ir_inst *i)
{
    return (uintptr_t)i->data;
}

static bool available(const struct ir_value *x, const struct ir_inst *at)
{
    if (x->kind == IR_VALUE_PARAM)
        return ir_dominates(x->u.block, at->block);
    if (x->u.inst->block == at->block)
        return position(x->u.inst) < position(at);
    return x->u.inst->block && ir_dominates(x->u.inst->block, at->block);
}

static void check_use(struct verifier *v, const struct ir_inst *i, const struct ir_value *x)
{
    switch (x->kind) {
    case IR_VALUE_CONST: return;
    case IR_VALUE_GLOBAL:
        if (map_get(&v->m->global_by_name, map_key(x->u.global->name)) != x->u.global)
            fault(v, i->block, i, "@%s is not in this module", x->u.global->name);
        return;
    case IR_VALUE_FUNC:
        if (x->u.func->module != v->m)
            fault(v, i->block, i, "@%s is not in this module", x->u.func->name);
        return;
    default: break;
    }
    const struct ir_block *def = x->kind == IR_VALUE_PARAM ? x->u.block : x->u.inst->block;
    if (!def || def->func != v->f)
        fault(v, i->block, i, "%%%u is not defined in this function", x->id);
    else if (i->block->rpo != UINT32_MAX && !available(x, i))
        fault(v, i->block, i, "%%%u is used where its definition does not reach", x->id);
}

/* ---- blocks ---- */

static void check_edges(struct verifier *v, const struct ir_inst *i)
{
    uint32_t want = i->op == IR_OP_br ? 1 : i->op == IR_OP_condbr ? 2 : 0;
    if (i->op == IR_OP_switch ? i->nedges < 1 : i->nedges != want)
        fault(v, i->block, i, "wrong number of targets");
    for (uint32_t e = 0; e < i->nedges; e++) {
        const struct ir_edge *edge = &i->edges[e];
        if (edge->to->func != v->f) {
            fault(v, i->block, i, "target %u is not in this function", e + 1);
            continue;
        }
        if (edge->to == v->f->first)
            fault(v, i->block, i, "the entry block is a target");
        if (edge->nargs != edge->to->params.len) {
            fault(v, i->block, i, "target %u takes %zu arguments, not %u", e + 1,
                  edge->to->params.len, edge->nargs);
            continue;
        }
        for (uint32_t k = 0; k < edge->nargs; k++)
            if (edge->args[k]->type != edge->to->params.data[k]->type ||
                edge->args[k]->type == IR_TOKEN)
                fault(v, i->block, i, "argument %u of target %u has type %s, not %s", k + 1, e + 1,
                      tn(v, edge->args[k]->type), tn(v, edge->to->params.data[k]->type));
        for (uint32_t other = 1; i->op == IR_OP_switch && e && other < e; other++)
            if (i->edges[other].case_value == edge->case_value) {
                fault(v, i->block, i, "two cases with the same value");
                break;
            }
    }
    if (i->op == IR_OP_ret &&
        (i->nargs != (v->f->ret != IR_VOID) || (i->nargs && i->args[0]->type != v->f->ret)))
        fault(v, i->block, i, "returns other than %s", tn(v, v->f->ret));
}

static void check_inst(struct verifier *v, const struct ir_inst *i)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    if (info->class == IR_CLASS_NONE ? i->type != IR_VOID && i->op != IR_OP_call_ptr
                                     : !in_class(i->type, info->class))
        fault(v, i->block, i, "'%s' does not work on %s", info->name, tn(v, i->type));
    check_operands(v, i);
    check_results(v, i);
    check_flags(v, i);
    if (i->nargs && (info->shape == IR_SHAPE_CV || i->op == IR_OP_cvta))
        check_conversion(v, i);
    check_special(v, i);
    if ((info->flags & IR_TERMINATOR) != 0)
        check_edges(v, i);
    else if (i->nedges)
        fault(v, i->block, i, "has targets but is no terminator");
    for (uint32_t k = 0; k < i->nargs; k++)
        check_use(v, i, i->args[k]);
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            check_use(v, i, i->edges[e].args[k]);
}

#ifdef TERN_SMALL /* which verifies where no pass has left anything */
#define keep_data(v, f)         NULL
#define give_back_data(f, kept) ((void)(kept))
#else
/* What passes leave for each other in inst->data comes back. */
static void **keep_data(struct verifier *v, const struct ir_func *f)
{
    size_t n = 0;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            n++;
    void **kept = arena_array(&v->scratch, void *, n + 1), **at = kept;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            *at++ = i->data;
    return kept;
}

static void give_back_data(const struct ir_func *f, void **kept)
{
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            i->data = *kept++;
}
#endif

static void check_body(struct verifier *v, struct ir_func *f)
{
    ir_renumber(f);
    bool whole = true;
    ir_each_block (b, f) {
        uintptr_t at = 0;
        if (!ir_terminator(b)) {
            fault(v, b, b->last, "block does not end in a terminator");
            whole = false;
        }
        ir_each_inst (i, b) {
            i->data = (void *)at++;
            if (i->block != b || (ir_op_info[i->op].flags & IR_TERMINATOR && i != b->last)) {
                fault(v, b, i, "terminator in the middle of a block");
                whole = false;
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                if (i->edges[e].to->func != f) {
                    fault(v, b, i, "target %u is not in this function", e + 1);
                    whole = false;
                }
        }
    }
    if (f->first->params.len != f->params.len)
        fault(v, f->first, NULL, "entry block has %zu parameters, the function has %zu",
              f->first->params.len, f->params.len);
    else
        for (size_t k = 0; k < f->params.len; k++)
            if (f->first->params.data[k]->type != f->params.data[k].type)
                fault(v, f->first, NULL, "entry parameter %zu differs from the function's", k + 1);
    if (!whole)
        return;
    ir_cfg(f);
    ir_each_block (b, f) {
        for (size_t k = 0; k < b->params.len; k++)
            if (b->params.data[k]->u.block != b || b->params.data[k]->index != k ||
                ir_class(b->params.data[k]->type) == IR_CLASS_NONE)
                fault(v, b, NULL, "block parameter %zu is malformed", k + 1);
        ir_each_inst (i, b)
            check_inst(v, i);
    }
}

static void check_func(struct verifier *v, struct ir_func *f)
{
    v->f = f;
    if (f->flags & IR_FUNC_KERNEL && f->ret != IR_VOID)
        fault(v, NULL, NULL, "a kernel returns nothing");
    vec_each (struct ir_param, p, &f->params) {
        if (ir_class(p->type) == IR_CLASS_NONE)
            fault(v, NULL, NULL, "parameter of type %s", tn(v, p->type));
        if (p->byval_size && p->type != IR_PTR_TO(IR_SPACE_PARAM))
            fault(v, NULL, NULL, "a by-value parameter is a ptr.param");
    }
    if (!f->first)
        return;
    void **data = keep_data(v, f);
    check_body(v, f);
    give_back_data(f, data);
}

static void check_global(struct verifier *v, const struct ir_global *g)
{
    v->f = NULL;
    bool dynamic = g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN;
    if (g->space != IR_SPACE_GLOBAL && g->space != IR_SPACE_CONST && g->space != IR_SPACE_SHARED)
        fault(v, NULL, NULL, "global @%s lies in no module space", g->name);
    if (!power_of_two(g->align))
        fault(v, NULL, NULL, "global @%s has alignment %u", g->name, g->align);
    if (dynamic && g->size)
        fault(v, NULL, NULL, "dynamic shared memory @%s has a size", g->name);
    if (g->space == IR_SPACE_SHARED && (g->init || g->relocs.len))
        fault(v, NULL, NULL, "shared memory @%s has an initialiser", g->name);
    vec_each (const struct ir_reloc, r, &g->relocs)
        if ((uint64_t)r->offset + 8 > g->size ||
            (r->target->kind != IR_VALUE_GLOBAL && r->target->kind != IR_VALUE_FUNC))
            fault(v, NULL, NULL, "global @%s has a bad relocation", g->name);
}

#ifndef TERN_SMALL
bool ir_verify_func(struct ir_func *f, struct diag *d, const char *culprit)
{
    struct verifier v = {.m = f->module, .d = d, .culprit = culprit};
    arena_init(&v.scratch, f->module->arena->mem);
    check_func(&v, f);
    arena_free(&v.scratch);
    return !v.faults;
}
#endif

bool ir_verify(const struct ir_module *m, struct diag *d, const char *culprit)
{
    struct verifier v = {.m = m, .d = d, .culprit = culprit};
    arena_init(&v.scratch, m->arena->mem);
    ir_each_global (g, m)
        check_global(&v, g);
    ir_each_func (f, m)
        check_func(&v, f);
    arena_free(&v.scratch);
    return !v.faults;
}
