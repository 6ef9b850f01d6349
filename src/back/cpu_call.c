/* Entering, leaving and calling functions: see cpu_call.h. */
#include "back/cpu_call.h"

enum { MOST_PINS = 32 };

/* How far the arguments have come. */
struct travel {
    unsigned x, v, more;
};

/* MACH_NONE: there is no register left. */
static mach_reg next_place(struct cpu_sel *s, struct travel *at, ir_type t)
{
    const struct cpu_calling *c = s->t->calling;
    if (cpu_class(s, t) == s->t->vec) {
        if (at->v < c->nvectors)
            return c->vectors + at->v++;
    } else if (at->x < c->nregisters) {
        return c->registers[at->x++];
    }
    at->more++;
    return MACH_NONE;
}

static mach_reg *parameter(struct cpu_sel *s, struct ir_value *v)
{
    mach_reg *r = arena_array(s->arena, mach_reg, 1);
    r[0] = cpu_new(s, v->type);
    s->regs[v->id] = r;
    return r;
}

static mach_reg result_register(const struct cpu_sel *s, ir_type t)
{
    const struct cpu_calling *c = s->t->calling;
    return cpu_class(s, t) == s->t->vec ? c->vectors : c->result;
}

/* ---- functions of ours ---- */
/* The launcher passes numbers only, in registers. */
static void enter_kernel(struct cpu_sel *s, struct ir_func *fn)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin made[MOST_PINS];
    unsigned n = 0;
    made[n++] = (struct mach_pin){s->b, c->block};
    for (size_t k = s->kernel_params; k < fn->params.len; k++)
        made[n++] = (struct mach_pin){*parameter(s, fn->first->params.data[k]),
                                      c->registers[k - s->kernel_params]};
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
}

void cpu_enter(struct cpu_sel *s, struct ir_func *fn)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin made[MOST_PINS];
    unsigned n = 0;
    struct travel at = {0};
    mach_reg more = MACH_NONE;
    s->b = cpu_new(s, IR_I64);
    if (s->entry) {
        enter_kernel(s, fn);
        return;
    }
    made[n++] = (struct mach_pin){s->b, c->block};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const mach_reg m = next_place(s, &at, v->type), *r = parameter(s, v);
        if (m != MACH_NONE)
            made[n++] = (struct mach_pin){r[0], m};
    }
    if (at.more) {
        more = cpu_new(s, IR_I64);
        made[n++] = (struct mach_pin){more, c->more};
    }
    for (unsigned k = 0; k < n; k++)
        s->f->arguments[made[k].machine / MACH_CLASS_SIZE] |= (mach_set)1
                                                              << made[k].machine % MACH_CLASS_SIZE;
    if (fn->ret != IR_VOID)
        s->f->arguments[cpu_class(s, fn->ret)] |= 1;
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
    at = (struct travel){0};
    for (size_t k = 0; k < fn->params.len && more != MACH_NONE; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const unsigned index = at.more;
        if (next_place(s, &at, v->type) == MACH_NONE)
            s->t->load_to(s, v->type, s->regs[v->id][0], more, 8 * (int64_t)index);
    }
}

static void call_now(struct cpu_sel *s, struct ir_inst *i, unsigned op, int64_t target,
                     uint32_t first)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin uses[MOST_PINS], made = {MACH_NONE, 0};
    unsigned n = 0;
    struct travel at = {0};
    mach_set clobbers[MACH_CLASSES] = {0};
    mach_reg more = MACH_NONE;
    uses[n++] = (struct mach_pin){s->b, c->block};
    for (uint32_t k = first; k < i->nargs; k++) {
        const ir_type t = i->args[k]->type;
        const unsigned index = at.more;
        const mach_reg m = next_place(s, &at, t), v = cpu_reg(s, i->args[k]);
        if (m != MACH_NONE) {
            uses[n++] = (struct mach_pin){v, m};
            continue;
        }
        if (more == MACH_NONE)
            more = cpu_frame(s, mach_slot_new(s->f, 8 * (uint64_t)i->nargs, 8));
        s->t->store(s, t, v, more, 8 * (int64_t)index);
    }
    if (more != MACH_NONE)
        uses[n++] = (struct mach_pin){more, c->more};
    const bool result = i->nresults > 0;
    if (result) {
        const ir_type t = i->results[0].type;
        made = (struct mach_pin){cpu_new(s, t), result_register(s, t)};
        clobbers[cpu_class(s, t)] |= 1;
        cpu_set(s, i, made.virtual);
    }
    s->f->calls = true;
    mach_fixed(s->f, op, &target, 1, &made, result, uses, n, clobbers);
}

/* By its number in the table of functions, where those that nobody can call are 0. */
static void call_number(struct cpu_sel *s, struct ir_inst *i)
{
    const struct cpu_calling *c = s->t->calling;
    const mach_reg number = cpu_reg(s, i->args[0]);
    if (s->table == UINT32_MAX)
        s->table = mach_symbol(s->image, "functions");
    const uint32_t known = cpu_split(s, false), good = cpu_split(s, false),
                   bad = cpu_split(s, true);
    s->t->branch_below(s, IR_I64, number, s->functions, known, bad);
    mach_block_begin(s->f, known);
    const mach_reg table = c->at(s, s->table),
                   at = s->t->load(s, IR_I32, c->entry(s, table, number), 0);
    s->t->branch_nonzero(s, at, good, bad);
    mach_block_begin(s->f, bad);
    cpu_fail(s, CPU_FAIL_NO_FUNCTION);
    mach_end(s->f, MACH_DEAD);
    mach_block_begin(s->f, good);
    c->aim(s, table, at);
    call_now(s, i, c->call_to, c->target, 1);
}

void cpu_call(struct cpu_sel *s, struct ir_inst *i)
{
    if (i->op != IR_OP_call) {
        call_number(s, i);
        return;
    }
    const uintptr_t symbol = (uintptr_t)map_get(&s->symbols, map_key(i->callee));
    if (symbol)
        call_now(s, i, s->t->calling->call, (int64_t)(MACH_SYMBOL | (symbol - 1)), 0);
    else
        cpu_outside(s, i);
}

void cpu_leave(struct cpu_sel *s, struct ir_value *v)
{
    if (v) {
        const struct mach_pin use = {cpu_reg(s, v), result_register(s, v->type)};
        mach_fixed(s->f, MACH_NOP, NULL, 0, NULL, 0, &use, 1, NULL);
    }
    mach_end(s->f, MACH_RETURN);
}

/* ---- functions as C has them ---- */
/* `stack`: it goes there in any case. */
static mach_reg c_next_place(struct cpu_sel *s, struct travel *at, ir_type t, bool stack)
{
    const struct cpu_calling *c = s->t->calling;
    const bool is_float = cpu_class(s, t) == s->t->vec;
    if (!stack && is_float && at->v < c->nvectors)
        return c->vectors + at->v++;
    if (!stack && !is_float && at->x < c->nc_registers)
        return c->c_registers[at->x++];
    if (stack && !is_float && c->c_stack_ends)
        at->x = c->nc_registers;
    at->more++;
    return MACH_NONE;
}

/* Integers of less than 32 bits come with anything above them. */
static mach_reg narrowed(struct cpu_sel *s, ir_type t, mach_reg r)
{
    return cpu_class(s, t) == s->t->gpr && ir_bits(t) < 32 ? s->t->from_bits(s, t, r) : r;
}

void cpu_c_enter(struct cpu_sel *s, struct ir_func *fn)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin made[MOST_PINS];
    unsigned n = 0;
    struct travel at = {0};
    mach_reg base = c->c_base;
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const mach_reg m = c_next_place(s, &at, v->type, false), *r = parameter(s, v);
        if (m != MACH_NONE)
            made[n++] = (struct mach_pin){r[0], m};
    }
    if (at.more && c->c_more) {
        base = cpu_new(s, IR_I64);
        made[n++] = (struct mach_pin){base, c->c_base};
    }
    mach_fixed(s->f, MACH_NOP, NULL, 0, made, n, NULL, 0, NULL);
    at = (struct travel){0};
    for (size_t k = 0; k < fn->params.len; k++) {
        struct ir_value *v = fn->first->params.data[k];
        const unsigned index = at.more;
        if (c_next_place(s, &at, v->type, false) == MACH_NONE)
            s->regs[v->id][0] = s->t->load(s, v->type, base, c->c_distance + 8 * (int64_t)index);
        else
            s->regs[v->id][0] = narrowed(s, v->type, s->regs[v->id][0]);
    }
}

void cpu_c_call(struct cpu_sel *s, struct ir_inst *i)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin uses[MOST_PINS], made = {MACH_NONE, 0};
    unsigned n = 0;
    struct travel at = {0};
    const bool direct = i->op == IR_OP_call;
    uintptr_t symbol;
    if (!cpu_callee(s, i, &symbol))
        return;
    for (uint32_t k = direct ? 0 : 1; k < i->nargs; k++) {
        const ir_type t = i->args[k]->type;
        const unsigned index = at.more;
        const mach_reg v = cpu_reg(s, i->args[k]),
                       m = c_next_place(s, &at, t, !direct && i->imm >> k & 1);
        if (m != MACH_NONE)
            uses[n++] = (struct mach_pin){v, m};
        else
            s->t->store(s, cpu_stack_type(t), v, c->sp, 8 * (int64_t)index);
    }
    if (at.more && c->c_more) {
        const mach_reg base = cpu_new(s, IR_I64);
        mach_put(s->f, c->c_copy_sp, base, c->sp, 0);
        uses[n++] = (struct mach_pin){base, c->c_base};
    }
    if (s->f->outgoing < 8 * (uint64_t)at.more)
        s->f->outgoing = 8 * (uint64_t)at.more;
    const bool result = i->nresults > 0;
    const ir_type t = result ? i->results[0].type : IR_VOID;
    if (result)
        made = (struct mach_pin){cpu_new(s, t), result_register(s, t)};
    const int64_t target = symbol ? (int64_t)(MACH_SYMBOL | (symbol - 1)) : (int64_t)c->target;
    if (!symbol && c->c_count)
        uses[n++] = (struct mach_pin){cpu_constant(s, IR_I32, at.v), c->result};
    if (!symbol)
        mach_put(s->f, c->move, c->target, cpu_reg(s, i->args[0]));
    s->f->calls = true;
    if (!symbol && c->c_clear)
        mach_emit(s->f, c->c_clear, NULL, 0);
    mach_fixed(s->f, symbol ? c->call : c->call_to, &target, 1, &made, result, uses, n,
               c->c_changed);
    if (result)
        cpu_set(s, i, narrowed(s, t, made.virtual));
}

/* A service of the host's for an ordinary function: as C is called, which the stub that keeps all
 * registers costs more than. */
mach_reg cpu_c_host(struct cpu_sel *s, size_t offset, const mach_reg *args, unsigned n, bool result)
{
    const struct cpu_calling *c = s->t->calling;
    struct mach_pin uses[MOST_PINS], made = {MACH_NONE, 0};
    const int64_t target = c->target;
    const mach_reg services = s->t->load(s, IR_PTR, s->launch, offsetof(struct tern_launch, host));
    const mach_reg service = s->t->load(s, IR_PTR, services, (int64_t)offset);
    for (unsigned k = 0; k < n; k++)
        uses[k] = (struct mach_pin){args[k], c->c_registers[k]};
    if (result)
        made = (struct mach_pin){cpu_new(s, IR_I64), result_register(s, IR_I64)};
    mach_put(s->f, c->move, c->target, service);
    s->f->calls = true;
    if (c->c_clear)
        mach_emit(s->f, c->c_clear, NULL, 0);
    mach_fixed(s->f, c->call_to, &target, 1, &made, result, uses, n, c->c_changed);
    return made.virtual;
}
