/* Counting loops repeat their bodies (opt_unroll_runtime) and still run as often as before:
 * every way to write the test, at the ends of the numbers too. */
#include <stdio.h>
#include "interp/interp.h"
#include "opt/opt.h"
#include "unit.h"

static const struct {
    const char *test;  /* of %i and %n */
    const char *edges; /* where to go on true, on false */
    uint32_t first, limit, step, trips;
} loops[] = {
    {"slt.i32 %i, %n", "body, done", 0, 10, 1, 10},
    {"slt.i32 %i, %n", "body, done", 0, 0, 1, 0},
    {"slt.i32 %i, %n", "body, done", 0, 3, 1, 3},
    {"slt.i32 %i, %n", "body, done", 7, 100, 13, 8},
    {"slt.i32 %i, %n", "body, done", 0x7ffffff0, 0x7fffffff, 5, 3},
    {"slt.i32 %i, %n", "body, done", 0x80000000, 0x80000002, 1, 2}, /* limit - 3 wraps */
    {"sle.i32 %i, %n", "body, done", 0, 10, 1, 11},
    {"sle.i32 %i, %n", "body, done", 0, 0, 1, 1},
    {"sle.i32 %i, %n", "body, done", 0x80000000, 0x80000000, 1, 1},
    {"sle.i32 %n, %i", "done, body", 0, 9, 2, 5},
    {"slt.i32 %n, %i", "done, body", 0, 9, 2, 5},
    {"slt.i32 %n, %i", "done, body", 0, 8, 2, 5},
    {"ult.i32 %i, %n", "body, done", 0, 2, 1, 2}, /* limit - 3 wraps */
    {"ult.i32 %i, %n", "body, done", 0, 9, 1, 9},
    {"ult.i32 %i, %n", "body, done", 0xfffffff0, 0xfffffffb, 4, 3},
    {"ule.i32 %i, %n", "body, done", 0, 2, 1, 3},
    {"ule.i32 %i, %n", "body, done", 0, 0, 7, 1},
    {"ule.i32 %n, %i", "done, body", 1, 30, 6, 5},
};

/* How often it runs, and a sum that depends on the counter's values; ~0: it does not run at all. */
static uint64_t count(struct unit *u, const char *text, uint32_t n,
                      void (*pass)(struct arena *, struct ir_func *), uint32_t *blocks)
{
    struct interner names;
    struct source_map sources;
    struct diag d;
    struct interp *machine = NULL;
    struct interp_module *mod;
    uint64_t out, result = UINT64_MAX;
    intern_init(&names, u->arena);
    source_init(&sources, u->arena);
    diag_init(&d, u->arena, &sources);
    if (interp_create(NULL, &machine) != TERN_OK)
        return result;
    struct ir_module *m = ir_parse(u->arena, &names, &sources, &d, "t.ir", text, strlen(text));
    if (m && pass)
        pass(u->arena, m->first_func);
    *blocks = m ? m->first_func->nblocks : 0;
    if (m && ir_verify(m, &d, "unroll_runtime") && interp_load(machine, m, &d, &mod) == TERN_OK &&
        interp_alloc(machine, 8, 8, INTERP_GLOBAL, "out", &out) == TERN_OK) {
        struct {
            uint64_t out;
            uint32_t n;
        } params = {out, n};
        struct interp_launch l = {
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &params, .param_bytes = 12};
        if (interp_launch(machine, interp_kernel(mod, "k"), &l) == TERN_OK)
            memcpy(&result, interp_at(machine, out, 8), 8);
    }
    interp_destroy(machine);
    return result;
}

static void repeat(struct unit *u, bool known_step)
{
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        char text[900], step[16];
        uint32_t before, after;
        snprintf(step, sizeof step, "%u", loops[k].step);
        snprintf(text, sizeof text,
                 "module \"t\"\nkernel @k(%%p: ptr.global, %%n: i32) {\n"
                 "entry:\n  %%f = add.i32 %u, 0\n  %%z = add.i64 0, 0\n  %%by = add.i32 %u, 0\n"
                 "  br loop(%%f, %%z)\n"
                 "loop(%%i: i32, %%s: i64):\n"
                 "  %%c = %s\n  condbr %%c, %s\n"
                 "body:\n"
                 "  %%w = zext.i64 %%i\n  %%h = shl.i64 %%w, 32\n  %%x = xor.i64 %%s, %%h\n"
                 "  %%y = add.i64 %%x, 1\n  %%j = add.i32 %%i, %s\n  br loop(%%j, %%y)\n"
                 "done:\n  store.i64 [align 8] %%p, %%s\n  ret\n}\n",
                 loops[k].first, loops[k].step, loops[k].test, loops[k].edges,
                 known_step ? step : "%by");
        uint64_t plain = count(u, text, loops[k].limit, NULL, &before);
        uint64_t often = count(u, text, loops[k].limit, opt_unroll_runtime, &after);
        CHECK((uint32_t)plain == loops[k].trips);
        CHECK(often == plain);
        CHECK(after > before);
    }
}

TEST_ONCE(loops_repeat_their_bodies)
{
    repeat(u, true);
    repeat(u, false);
}
