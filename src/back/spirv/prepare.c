/* What SPIR-V has no words for becomes plain code and calls of the device library: the steps that
 * pipeline.c takes.
 *
 * Calls through pointers become switches, all calls are inlined, recursion gets a stack, matrix
 * operations become shuffles, malloc and free calls of our own heap, textures calls of our own
 * sampler, barriers of the grid a count in memory. Where a kernel's warps cannot be subgroups, or
 * its barriers are not the block's, its threads wait in a park. */
#include <string.h>
#include "back/spirv/spirv_int.h"
static struct ir_func *declared(struct ir_module *m, const char *name, ir_type ret,
                                const ir_type *params, uint32_t n)
{
    struct ir_func *f = ir_func_find(m, name);
    if (f)
        return f;
    f = ir_func_new(m, name, ret, 0);
    for (uint32_t k = 0; k < n; k++)
        ir_func_param(f, NULL, params[k], 0, 0, 0);
    return f;
}

/* ---- the heap ---- */

bool spv_use_heap(struct ir_func *f)
{
    const ir_type wide = IR_I64, pointer = IR_PTR_TO(IR_SPACE_GENERIC);
    bool used = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_malloc && i->op != IR_OP_free)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            bool take = i->op == IR_OP_malloc;
            struct ir_func *callee =
                take ? declared(f->module, "__tern_heap_take", pointer, &wide, 1)
                     : declared(f->module, "__tern_heap_give", IR_VOID, &pointer, 1);
            struct ir_value *x = i->args[0];
            if (!take && x->type != pointer)
                x = ir_build1(&at, IR_OP_cvta, pointer, x);
            struct ir_value *r = ir_build_call(&at, callee, &x, 1);
            if (take)
                i->results[0].forward = r;
            ir_remove(i);
            used = true;
        }
    if (used)
        ir_replace_forwarded(f);
    return used;
}

/* ---- barriers of the grid ---- */

static void fence_grid(struct ir_builder *b)
{
    ir_build(b, IR_OP_fence, IR_VOID, NULL, 0)->flags =
        IR_ORDERED(IR_ORDER_ACQ_REL, IR_SCOPE_DEVICE);
}

static struct ir_value *first_of_block(struct ir_builder *b, struct ir_module *m)
{
    struct ir_value *all = NULL;
    for (unsigned r = 0; r < 3; r++) {
        struct ir_inst *i = ir_build(b, IR_OP_sreg, IR_I32, NULL, 0);
        i->imm = IR_SREG_TID_X + r;
        all = all ? ir_build2(b, IR_OP_or, IR_I32, all, &i->results[0]) : &i->results[0];
    }
    all = ir_build2(b, IR_OP_eq, IR_I32, all, ir_const(m, IR_I32, 0));
    return ir_build1(b, IR_OP_zext, IR_I32, all);
}

/* Each thread sees to its own writes, the block comes together, its first thread waits for the
 * others of the grid, and lets it go. */
bool spv_use_grid(struct ir_func *f)
{
    const ir_type leader = IR_I32;
    struct ir_module *m = f->module;
    bool used = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_gridsync)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_value *zeros[2] = {ir_const(m, IR_I32, 0), ir_const(m, IR_I32, 0)};
            struct ir_value *first = first_of_block(&at, m);
            for (int half = 0; half < 2; half++) {
                if (half)
                    ir_build_call(&at, declared(m, "__tern_grid_wait", IR_VOID, &leader, 1), &first,
                                  1);
                else
                    fence_grid(&at);
                ir_build(&at, IR_OP_barrier, IR_VOID, zeros, 2);
            }
            fence_grid(&at);
            ir_remove(i);
            used = true;
        }
    return used;
}

/* ---- 64-bit integers ---- */

/* Quotients and remainders, where a device has no 64-bit integers. */
bool spv_use_wide(struct ir_func *f)
{
    static const char *const names[IR_OP_COUNT] = {[IR_OP_udiv] = LOWER_SOFT_PREFIX "udiv",
                                                   [IR_OP_urem] = LOWER_SOFT_PREFIX "urem",
                                                   [IR_OP_sdiv] = LOWER_SOFT_PREFIX "sdiv",
                                                   [IR_OP_srem] = LOWER_SOFT_PREFIX "srem"};
    const ir_type wide[2] = {IR_I64, IR_I64};
    bool used = false;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (!names[i->op] || i->type != IR_I64)
                continue;
            struct ir_builder at = ir_builder_before(i);
            at.span = i->span;
            struct ir_func *callee = declared(f->module, names[i->op], IR_I64, wide, 2);
            i->results[0].forward = ir_build_call(&at, callee, i->args, 2);
            ir_remove(i);
            used = true;
        }
    if (used)
        ir_replace_forwarded(f);
    return used;
}

/* ---- floating point ---- */

/* Vulkan's quotients are only near, but for those of drivers that are known. */
bool spv_divides(const struct spirv_features *have, const struct ir_func *f)
{
    bool found = false;
    if (have->exact_div || (!have->fused_fma && !have->f64))
        return false;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            found |= i->op == IR_OP_fdiv && !(i->flags & (IR_FAST | IR_ROUND_MASK)) &&
                     (have->f64 || i->type != IR_F64);
    return found;
}

/* Vulkan rounds to nearest; f64 may be missing altogether: flags for lower_soft, 0: nothing is. */
uint32_t spv_softens(const struct spirv_features *have, const struct ir_func *f)
{
    const bool halves = have->f16 && have->i16 && have->storage_16;
    bool rounds = false, wide = false, fuses = false, bfloats = false, small = false;
    vec_each (struct ir_param, p, &f->params)
        wide |= p->type == IR_F64;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            bool to_integer = i->op == IR_OP_ftosi || i->op == IR_OP_ftoui;
            rounds |=
                !to_integer && ir_op_info[i->op].flags & IR_ROUNDS && i->flags & IR_ROUND_MASK;
            wide |= i->type == IR_F64;
            fuses |= i->op == IR_OP_fma;
            bfloats |= i->op == IR_OP_fma && ir_kind(i->type) == IR_BF16;
            small |= i->op == IR_OP_fma && ir_kind(i->type) == IR_F16 && !halves;
            for (uint32_t k = 0; k < i->nargs; k++)
                wide |= i->args[k]->type == IR_F64;
        }
    wide = wide && !have->f64;
    fuses = fuses && !have->fused_fma && have->f64;
    if (!rounds && !wide && !fuses && !bfloats && !small)
        return 0;
    return (rounds ? SOFT_ROUND : 0) | (have->f64 ? 0 : SOFT_F64) | (fuses ? SOFT_FMA : 0) |
           (bfloats ? SOFT_BF16_FMA : 0) | (small ? SOFT_F16_FMA : 0) | (wide ? SPV_WIDE : 0);
}

/* ---- the park ---- */

static bool is_number(const struct ir_value *v, uint64_t n)
{
    return ir_is_const(v) && v->u.bits == n;
}

static bool waits_apart(struct arena *a, struct ir_func *f)
{
    struct region_tree *t = lower_structurize(a, f);
    lower_single_level(t);
    return !lower_block_converges(a, t, false);
}

bool spv_needs_park(struct arena *a, const struct spirv_features *have, struct ir_func *f)
{
    bool waits = false;
    if (lower_polls(f)) /* no driver promises that threads get on while others look at memory */
        return true;
    ir_each_block (b, f)
        for (struct ir_inst *i = b->first; i; i = i->next)
            switch (i->op) {
            case IR_OP_barrier:
            case IR_OP_barrier_red:
                if (!is_number(i->args[0], 0) || !is_number(i->args[1], 0))
                    return true;
                waits = true;
                break;
            case IR_OP_barrier_arrive: return true;
            case IR_OP_warpsync:
            case IR_OP_shfl:
            case IR_OP_vote:
            case IR_OP_match:
            case IR_OP_redux:
            case IR_OP_activemask:
                if (!have->subgroup_32)
                    return true;
                break;
            default: break;
            }
    return waits && !have->apart_barriers && waits_apart(a, f);
}

void spv_park(struct arena *a, struct ir_func *f)
{
    static const uint32_t results[LOWER_CALL_COUNT] = {
        [LOWER_CALL_PARK_FREE] = SPIRV_PARK_STATE_FREE,
        [LOWER_CALL_PARK_LOW] = SPIRV_PARK_STATE_LOW,
        [LOWER_CALL_PARK_HIGH] = SPIRV_PARK_STATE_HIGH,
        [LOWER_CALL_PARK_OK] = SPIRV_PARK_STATE_OK};
    const ir_type generic = IR_PTR_TO(IR_SPACE_GENERIC),
                  params[PARK_ARGS + 1] = {generic, IR_I32, IR_I32, IR_I32, IR_I32, IR_I32, IR_I32};
    struct ir_module *m = f->module;
    lower_park(a, f, true);
    struct ir_func *come = declared(m, "__tern_park", IR_I32, params, PARK_ARGS + 1);
    struct ir_func *start = declared(m, "__tern_park_start", IR_VOID, params, 1);
    struct ir_func *arrive = declared(m, "__tern_park_arrive", IR_VOID, params + 1, 1);
    struct ir_value *local = ir_build_alloca(f, SPIRV_PARK_STATE_BYTES, 4, "park");
    struct ir_builder b = ir_builder_before(f->first->last);
    struct ir_value *state = ir_build1(&b, IR_OP_cvta, generic, local);
    ir_build_call(&b, start, &state, 1);
    ir_each_block (block, f)
        ir_each_inst (i, block) {
            if (i->op == IR_OP_barrier_arrive) {
                b = ir_builder_before(i);
                ir_build_call(&b, arrive, i->args, 1);
                ir_remove(i);
                continue;
            }
            const enum lower_call known =
                i->op == IR_OP_call ? lower_call_of(i->callee) : LOWER_CALL_NONE;
            if (!lower_is_park(known))
                continue;
            b = ir_builder_before(i);
            b.span = i->span;
            if (known == LOWER_CALL_PARK) {
                struct ir_value *args[PARK_ARGS + 1] = {state};
                memcpy(args + 1, i->args, PARK_ARGS * sizeof *args);
                i->results[0].forward = ir_build_call(&b, come, args, PARK_ARGS + 1);
            }
            if (results[known]) {
                struct ir_value *p = ir_build2(&b, IR_OP_ptradd, local->type, local,
                                               ir_const(m, IR_I64, results[known]));
                i->results[0].forward = ir_build_load(&b, IR_I32, p, 4, 0);
            }
            ir_remove(i);
        }
    ir_replace_forwarded(f);
}
