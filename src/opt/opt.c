/* Runs the passes of passes.def in order, verifying the module after each. */
#include <string.h>
#include "opt/opt_int.h"

struct pass {
    const char *name;
    unsigned level;
    void (*run)(struct arena *, struct ir_func *);
};

static const struct pass passes[] = {
#define PASS(name, level, about) {#name, level, opt_##name},
#include "opt/passes.def"
};

static bool wants_dump(const struct opt_options *o, const char *name)
{
    for (size_t k = 0; o->dump_out && k < o->ndump; k++)
        if (!strcmp(o->dump[k], name) || !strcmp(o->dump[k], "all"))
            return true;
    return false;
}

static void dump(const struct opt_options *o, const struct ir_module *m, const char *when,
                 const char *name)
{
    sbuf_printf(o->dump_out, "; %s %s\n", when, name);
    ir_print(m, o->dump_out, 0);
}

uint32_t opt_size(const struct ir_func *f)
{
    uint32_t n = 0;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            n++;
    return n;
}

static bool run_one(struct arena *a, struct ir_module *m, struct diag *d,
                    const struct opt_options *o, const struct pass *p)
{
    bool show = wants_dump(o, p->name);
    if (show)
        dump(o, m, "before", p->name);
    if (!p->run) {
        opt_inline(a, m, o->level);
    } else {
        ir_each_func (f, m) {
            if (!f->first)
                continue;
            struct arena scratch;
            arena_init(&scratch, a->mem);
            (o->rolled && p->run == opt_unroll ? opt_unroll_little : p->run)(&scratch, f);
            arena_free(&scratch);
        }
    }
    if (show)
        dump(o, m, "after", p->name);
    return o->verify_once || ir_verify(m, d, p->name);
}

static bool calls_pointers(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            for (const struct ir_inst *i = b->first; i; i = i->next)
                if (i->op == IR_OP_call_ptr)
                    return true;
    return false;
}

bool opt_run(struct arena *a, struct ir_module *m, struct diag *d, const struct opt_options *o)
{
    static const struct pass inlining = {"inline", 1, NULL};
    if (o->fast_math && !run_one(a, m, d, o, &(struct pass){"relax", 0, opt_relax}))
        return false;
    if (o->fmad && !run_one(a, m, d, o, &(struct pass){"contract", 0, opt_contract}))
        return false;
    if (o->level == 0)
        return !o->verify_once || ir_verify(m, d, "contract");
    /* small functions first, so that what is inlined is already tidy; again where a pointer to a
     * function may be a known one by now */
    static const struct pass tidy[] = {
        {"spaces", 1, opt_spaces}, {"sroa", 1, opt_sroa}, {"simplify", 1, opt_simplify},
        {"cfg", 1, opt_cfg},       {"dce", 1, opt_dce},
    };
    for (unsigned round = 0; round == 0 || (round < 3 && calls_pointers(m)); round++) {
        for (size_t k = 0; k < sizeof tidy / sizeof *tidy; k++)
            if (!run_one(a, m, d, o, &tidy[k]))
                return false;
        if (!run_one(a, m, d, o, &inlining))
            return false;
        ir_prune(m);
    }
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++)
        if (passes[k].level <= o->level && !run_one(a, m, d, o, &passes[k]))
            return false;
    return !o->verify_once || ir_verify(m, d, "the optimiser");
}
