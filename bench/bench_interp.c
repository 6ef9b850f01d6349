/* How fast the interpreter is: lane operations (one operation of one thread) a second, on one core.
 */
#include <string.h>
#include "bench.h"
#include "interp/interp.h"

#define THREADS 4096

static const char arithmetic[] =
    "module \"bench\"\n"
    "kernel @k(%x: ptr.global, %n: i32) {\n"
    "entry:\n"
    "  %tid = sreg.i32 [tid.x]\n  %cta = sreg.i32 [ctaid.x]\n  %ntid = sreg.i32 [ntid.x]\n"
    "  %base = mul.i32 %cta, %ntid\n  %i = add.i32 %base, %tid\n  %i64 = sext.i64 %i\n"
    "  %off = shl.i64 %i64, 2\n  %px = ptradd.ptr.global %x, %off\n"
    "  %v = load.f32 [align 4] %px\n  br loop(i32 0, %v, f32 1.0)\n"
    "loop(%k: i32, %a: f32, %b: f32):\n"
    "  %m1 = fmul.f32 %a, 0.5\n  %m2 = fadd.f32 %m1, %b\n  %m3 = fmul.f32 %m2, 0.25\n"
    "  %m4 = fadd.f32 %m3, 1.0\n  %m5 = fma.f32 %m4, 0.25, %b\n  %m6 = fsub.f32 %m5, %m1\n"
    "  %m7 = fmul.f32 %m6, 0.125\n  %m8 = fadd.f32 %m7, 1.0\n"
    "  %k2 = add.i32 %k, 1\n  %c = slt.i32 %k2, %n\n  condbr %c, loop(%k2, %m4, %m8), done\n"
    "done:\n  store.f32 [align 4] %px, %m4\n  ret\n}\n";

static const char memory[] =
    "module \"bench\"\n"
    "kernel @k(%x: ptr.global, %n: i32) {\n"
    "entry:\n"
    "  %tid = sreg.i32 [tid.x]\n  %cta = sreg.i32 [ctaid.x]\n  %ntid = sreg.i32 [ntid.x]\n"
    "  %base = mul.i32 %cta, %ntid\n  %i = add.i32 %base, %tid\n  %i64 = sext.i64 %i\n"
    "  %off = shl.i64 %i64, 2\n  %px = ptradd.ptr.global %x, %off\n  br loop(i32 0)\n"
    "loop(%k: i32):\n"
    "  %v = load.f32 [align 4] %px\n  %w = fadd.f32 %v, 1.0\n  store.f32 [align 4] %px, %w\n"
    "  %k2 = add.i32 %k, 1\n  %c = slt.i32 %k2, %n\n  condbr %c, loop(%k2), done\n"
    "done:\n  ret\n}\n";

static const char divergent[] =
    "module \"bench\"\n"
    "kernel @k(%x: ptr.global, %n: i32) {\n"
    "entry:\n"
    "  %tid = sreg.i32 [tid.x]\n  br loop(i32 0, i32 1)\n"
    "loop(%k: i32, %a: i32):\n"
    "  %s = split\n  %o = add.i32 %tid, %k\n  %b = and.i32 %o, 1\n  %p = eq.i32 %b, 0\n"
    "  condbr %p, yes, no\n"
    "yes:\n  %y1 = mul.i32 %a, 3\n  %y2 = add.i32 %y1, %k\n  %y3 = xor.i32 %y2, %tid\n"
    "  br next(%y3)\n"
    "no:\n  %z1 = lshr.i32 %a, 1\n  %z2 = sub.i32 %z1, %k\n  %z3 = or.i32 %z2, %tid\n"
    "  br next(%z3)\n"
    "next(%a2: i32):\n"
    "  join %s\n  %k2 = add.i32 %k, 1\n  %c = slt.i32 %k2, %n\n  condbr %c, loop(%k2, %a2), done\n"
    "done:\n  %t64 = sext.i64 %tid\n  %off = shl.i64 %t64, 2\n"
    "  %px = ptradd.ptr.global %x, %off\n  store.i32 [align 4] %px, %a2\n  ret\n}\n";

struct job {
    struct interp *machine;
    struct interp_func *kernel;
    struct interp_launch launch;
};

static void run(void *arg)
{
    struct job *j = arg;
    if (interp_launch(j->machine, j->kernel, &j->launch) != TERN_OK)
        report_write(stderr, interp_fault(j->machine));
}

static void measure(const char *name, const char *text, int32_t rounds, double goal)
{
    struct mem mem = {0};
    struct arena arena;
    struct interner names;
    struct source_map sources;
    struct diag diag;
    jmp_buf unwind;
    mem.unwind = &unwind;
    if (setjmp(unwind))
        return;
    arena_init(&arena, &mem);
    intern_init(&names, &arena);
    source_init(&sources, &arena);
    diag_init(&diag, &arena, &sources);
    struct ir_module *m = ir_parse(&arena, &names, &sources, &diag, "bench.ir", text, strlen(text));
    struct job j = {0};
    struct interp_module *mod;
    uint64_t x;
    if (!m || interp_create(NULL, &j.machine) != TERN_OK ||
        interp_load(j.machine, m, &diag, &mod) != TERN_OK ||
        interp_alloc(j.machine, THREADS * 4, 4, INTERP_GLOBAL, "x", &x) != TERN_OK) {
        fprintf(stderr, "bench_interp: %s does not load\n", name);
        return;
    }
    struct {
        uint64_t x;
        int32_t n;
    } params = {x, rounds};
    j.kernel = interp_kernel(mod, "k");
    j.launch = (struct interp_launch){.grid = {THREADS / 256, 1, 1},
                                      .block = {256, 1, 1},
                                      .params = &params,
                                      .param_bytes = sizeof params};
    run(&j);
    const uint64_t before = interp_stats(j.machine).lane_ops;
    run(&j);
    const uint64_t ops = interp_stats(j.machine).lane_ops - before;
    bench_report(name, (double)ops / bench_best(run, &j, 5), "op/s", goal);
    interp_destroy(j.machine);
    mem_release(&mem);
}

int main(void)
{
    measure("f32 arithmetic in a loop", arithmetic, 1000, 200e6);
    measure("loads and stores", memory, 500, 0);
    measure("divergent branches", divergent, 500, 0);
    return 0;
}
