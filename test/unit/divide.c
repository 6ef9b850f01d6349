/* Quotients and remainders by constants (opt_divide) are what they were, for divisors and numbers
 * where one bit decides. */
#include <stdio.h>
#include "opt/opt.h"
#include "unit.h"

/* The value of %r, computed operation by operation. */
static bool run(const struct ir_value *v, uint64_t x, unsigned depth, uint64_t *out)
{
    uint64_t args[3];
    if (v->kind == IR_VALUE_CONST) {
        *out = v->u.bits;
        return true;
    }
    if (v->kind != IR_VALUE_RESULT || !depth)
        return false;
    const struct ir_inst *i = v->u.inst;
    if (i->op == IR_OP_load) {
        *out = x;
        return true;
    }
    for (uint32_t k = 0; k < i->nargs; k++)
        if (!run(i->args[k], x, depth - 1, &args[k]))
            return false;
    return ir_eval((enum ir_op)i->op, i->type, i->args[0]->type, i->flags, args, out);
}

static const struct ir_value *stored(const struct ir_func *f)
{
    ir_each_inst (i, f->first)
        if (i->op == IR_OP_store)
            return i->args[1];
    return NULL;
}

static void check_one(struct unit *u, enum ir_op op, unsigned bits, uint64_t d, bool narrow)
{
    char text[400];
    struct interner names;
    struct source_map sources;
    struct diag diag;
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    d &= all;
    snprintf(text, sizeof text,
             "module \"t\"\nkernel @k(%%p: ptr.global) [export] {\nentry:\n"
             "  %%x = load.i%u %%p\n  %%y = and.i%u %%x, %llu\n  %%r = %s.i%u %%y, %llu\n"
             "  store.i%u %%p, %%r\n  ret\n}\n",
             bits, bits, (unsigned long long)(narrow ? all >> 12 : all), ir_op_info[op].name, bits,
             (unsigned long long)d, bits);
    intern_init(&names, u->arena);
    source_init(&sources, u->arena);
    diag_init(&diag, u->arena, &sources);
    struct ir_module *m = ir_parse(u->arena, &names, &sources, &diag, "t.ir", text, strlen(text));
    CHECK(m != NULL);
    if (!m)
        return;
    opt_divide(u->arena, m->first_func);
    CHECK(ir_verify(m, &diag, "divide"));
    const struct ir_value *r = stored(m->first_func);
    const uint64_t near[] = {0, 1, d, all / 2, all / 2 + 1, all, all / d * d, all >> 12, d * d};
    for (unsigned k = 0; k < sizeof near / sizeof *near * 5; k++) {
        const uint64_t x = (near[k / 5] + k % 5 - 2) & all, y = narrow ? x & all >> 12 : x;
        const ir_type t = bits == 64 ? IR_I64 : IR_I32;
        const uint64_t args[2] = {y, d};
        uint64_t want, got = 0;
        CHECK(ir_eval(op, t, t, 0, args, &want) && run(r, x, 16, &got) && got == want);
    }
    CHECK(r->u.inst->op != op || !(d & (d - 1)) || d > all >> 1); /* it is another operation now */
}

TEST_ONCE(divide_by_constants)
{
    static const enum ir_op ops[] = {IR_OP_udiv, IR_OP_urem, IR_OP_sdiv, IR_OP_srem};
    for (unsigned k = 0; k < 4; k++)
        for (unsigned wide = 0; wide < 2; wide++)
            for (uint64_t n = 2; n < 400; n++) {
                const unsigned bits = wide ? 64 : 32;
                uint64_t d = n < 130 ? n : n * n * n * 2654435761u >> n % (bits - 4);
                if (n % 3 == 0 && ops[k] != IR_OP_udiv && ops[k] != IR_OP_urem)
                    d = 0 - d;
                if (wide && n > 200)
                    d *= UINT64_C(0x9e3779b97f4a7c15);
                if (!wide)
                    d &= UINT32_MAX;
                if (d)
                    check_one(u, ops[k], bits, d, n % 2);
            }
}
