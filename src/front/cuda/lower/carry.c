/* The carry flag of asm statements beyond one function. Programs write add.cc and addc.cc as inline
 * functions of their own, one instruction each, and chain them: the flag that one leaves is the
 * next one's. Statements keep it in one variable of the module (lo_carry_read, lo_carry_write);
 * here each function gets it as a variable of its own or, where some function reads what another
 * has left, by pointer from who calls it. Inlining and sroa then make a register of either. */
#include "front/cuda/lower/lower.h"
#include "front/cuda/cuda.h"

#include <string.h>

#define FLAG_NAME "carry.flag"

static struct ir_value *flag_address(struct ir_module *m)
{
    const char *name = intern_z(m->names, FLAG_NAME);
    struct ir_global *g = ir_global_find(m, name);
    return ir_global_value(g ? g : ir_global_new(m, name, IR_SPACE_GLOBAL, 1, 1, 0));
}

struct ir_value *lo_carry_read(struct ir_builder *b)
{
    struct ir_value *v = ir_build_load(b, IR_I8, flag_address(b->module), 1, 0);
    return ir_build2(b, IR_OP_ne, IR_I8, v, ir_const(b->module, IR_I8, 0));
}

void lo_carry_write(struct ir_builder *b, struct ir_value *v)
{
    ir_build_store(b, flag_address(b->module), ir_build1(b, IR_OP_zext, IR_I8, v), 1, 0);
}

/* ---- what a function does with it ---- */

struct carry {
    struct arena *a;
    struct ir_module *m;
    struct ir_value *flag;
    struct map told; /* functions that are handed the flag or hand it on */
};

static bool is_access(const struct carry *c, const struct ir_inst *i)
{
    return (i->op == IR_OP_load || i->op == IR_OP_store) && i->args[0] == c->flag;
}

static bool has_access(const struct carry *c, const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (is_access(c, i))
                return true;
    return false;
}

/* Reads that nothing asks for: a statement that sets the flag first has one. */
static void drop_unused(const struct carry *c, struct ir_func *f)
{
    const uint32_t *uses = ir_use_counts(c->a, f);
    ir_each_block (b, f)
        for (struct ir_inst *i = b->last, *before; i; i = before) {
            before = i->prev;
            if (i->op == IR_OP_ne && !uses[i->results[0].id] && before &&
                before->op == IR_OP_load && is_access(c, before) &&
                i->args[0] == &before->results[0]) {
                struct ir_inst *load = before;
                before = load->prev;
                ir_remove(i);
                ir_remove(load);
            }
        }
}

static bool sets_before(const struct carry *c, const struct ir_inst *i)
{
    for (; i; i = i->prev)
        if (i->op == IR_OP_store && is_access(c, i))
            return true;
    return false;
}

/* Does it read what another function has left: is there a read that no write dominates? */
static bool reads_others(const struct carry *c, struct ir_func *f)
{
    ir_cfg(f);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op != IR_OP_load || !is_access(c, i) || b->rpo == UINT32_MAX)
                continue;
            bool set = sets_before(c, i->prev);
            for (const struct ir_block *d = b; !set && d != f->first;) {
                d = d->idom;
                set = sets_before(c, d->last);
            }
            if (!set)
                return true;
        }
    return false;
}

/* ---- who is told ---- */

static bool calls_told(const struct carry *c, const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_call && map_has(&c->told, map_key(i->callee)))
                return true;
    return false;
}

/* Those with statements that use the flag, and all on the ways from kernels to them. */
static void find_told(struct carry *c)
{
    ir_each_func (f, c->m)
        if (has_access(c, f))
            map_set(&c->told, map_key(f), f);
    for (bool more = true; more;) {
        more = false;
        ir_each_func (f, c->m)
            if (!map_has(&c->told, map_key(f)) && calls_told(c, f)) {
                map_set(&c->told, map_key(f), f);
                more = true;
            }
    }
}

/* Kernels, and what is called through pointers, have no caller that would hand it over. */
static bool is_handed(const struct carry *c, const struct ir_func *f)
{
    return map_has(&c->told, map_key(f)) && !(f->flags & IR_FUNC_KERNEL) && !f->address;
}

/* ---- the change ---- */

static struct ir_value *own_flag(struct ir_func *f)
{
    struct ir_value *local = ir_build_alloca(f, 1, 1, "carry");
    struct ir_inst *at = f->first->first;
    while (at->op == IR_OP_alloca)
        at = at->next;
    struct ir_builder b = ir_builder_before(at);
    ir_build_store(&b, local, ir_const(f->module, IR_I8, 0), 1, 0);
    return ir_build1(&b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), local);
}

static void hand_over(struct carry *c, struct ir_inst *call, struct ir_value *flag)
{
    struct ir_value **args = arena_array(c->m->arena, struct ir_value *, call->nargs + 1);
    if (call->nargs)
        memcpy(args, call->args, call->nargs * sizeof *args);
    args[call->nargs++] = flag;
    call->args = args;
}

static void rewrite(struct carry *c, struct ir_func *f)
{
    struct ir_value *flag = NULL;
    if (is_handed(c, f))
        flag = *(f->first->params.data + f->first->params.len - 1);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            const bool hands = i->op == IR_OP_call && is_handed(c, i->callee);
            if (!hands && !is_access(c, i))
                continue;
            if (!flag)
                flag = own_flag(f);
            if (hands)
                hand_over(c, i, flag);
            else
                i->args[0] = flag;
        }
}

void cuda_front_carry(struct ir_module *m)
{
    struct ir_global *g = ir_global_find(m, intern_z(m->names, FLAG_NAME));
    if (!g)
        return;
    struct carry c = {.a = m->arena, .m = m, .flag = ir_global_value(g)};
    map_init(&c.told, c.a);
    bool shared = false;
    ir_each_func (f, m) {
        if (!f->first || !has_access(&c, f))
            continue;
        drop_unused(&c, f);
        shared |= reads_others(&c, f);
    }
    if (shared)
        find_told(&c);
    ir_each_func (f, m)
        if (f->first && is_handed(&c, f)) {
            ir_func_param(f, "carry", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
            f->flags &= ~(uint32_t)IR_FUNC_PURE;
        }
    ir_each_func (f, m)
        if (f->first)
            rewrite(&c, f);
}
