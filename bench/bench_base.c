/* base: what a launch costs in the thread pool, and how fast the compiler's own building blocks
 * are. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "front/cuda/pp/pp.h"
#include "ir/ir.h"

enum { LAUNCHES = 20000, WORDS = 200000, LINES = 20000, FUNCTIONS = 2000 };

static void nothing(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    (void)arg, (void)begin, (void)end, (void)worker;
}

static void launch_many(void *pool)
{
    for (int i = 0; i < LAUNCHES; i++)
        pool_for(pool, 2 * pool_size(pool), 1, nothing, NULL);
}

static void bench_pool(void)
{
    struct pool *pool;
    if (pool_create(&pool, 0) != TERN_OK)
        return;
    bench_report("pool_for, empty", bench_best(launch_many, pool, 5) / LAUNCHES * 1e6, "us", 3);
    double idle = 1e9;
    for (int i = 0; i < 200; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        uint64_t start = thread_nanoseconds();
        pool_for(pool, 2 * pool_size(pool), 1, nothing, NULL);
        double took = (double)(thread_nanoseconds() - start) * 1e-3;
        idle = took < idle ? took : idle;
    }
    bench_report("pool_for, empty, threads asleep", idle, "us", 0);
    pool_destroy(pool);
}

struct work {
    struct mem mem;
    jmp_buf unwind;
    struct sbuf text;
};

static void intern_words(void *arg)
{
    struct work *w = arg;
    struct arena a;
    struct interner in;
    arena_init(&a, &w->mem);
    intern_init(&in, &a);
    for (uint32_t i = 0; i < WORDS; i++) {
        char name[16];
        int n = 0;
        for (uint32_t v = i * 2654435761u; n < 6; v >>= 4)
            name[n++] = (char)('a' + (v & 15));
        intern(&in, name, (size_t)n);
    }
    arena_free(&a);
}

static void preprocess(void *arg)
{
    struct work *w = arg;
    struct arena a;
    struct interner names;
    struct source_map sm;
    struct diag d;
    struct pp_result out = {0};
    arena_init(&a, &w->mem);
    intern_init(&names, &a);
    source_init(&sm, &a);
    diag_init(&d, &a, &sm);
    struct pp_options o = {.device = true, .no_prelude = true};
    pp_run(&a, &names, &sm, &d, &o, "bench.cu", w->text.data, w->text.len, &out);
    arena_free(&a);
}

static void read_ir(void *arg)
{
    struct work *w = arg;
    struct arena a;
    struct interner names;
    struct source_map sm;
    struct diag d;
    arena_init(&a, &w->mem);
    intern_init(&names, &a);
    source_init(&sm, &a);
    diag_init(&d, &a, &sm);
    struct ir_module *m = ir_parse(&a, &names, &sm, &d, "bench.ir", w->text.data, w->text.len);
    if (!m || !ir_verify(m, &d, NULL))
        fputs("bench: the module is wrong\n", stderr);
    arena_free(&a);
}

int main(void)
{
    static struct work w;
    w.mem.unwind = &w.unwind;
    if (setjmp(w.unwind))
        return 1;
    bench_pool();
    bench_report("intern", WORDS / bench_best(intern_words, &w, 5) * 1e-6, "M words/s", 0);

    sbuf_init(&w.text, NULL);
    sbuf_puts(&w.text, "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n");
    for (int i = 0; i < LINES; i++)
        sbuf_printf(&w.text, "  float v%d = MIN(x[i + %d], 1.5f * y[i]); // a comment\n", i % 50,
                    i);
    bench_report("preprocess", (double)w.text.len / bench_best(preprocess, &w, 5) * 1e-6, "MB/s",
                 0);
    sbuf_free(&w.text);

    sbuf_puts(&w.text, "module \"bench\"\n");
    for (int i = 0; i < FUNCTIONS; i++)
        sbuf_printf(&w.text,
                    "func @f%d(%%0: i32, %%1: f32) -> i32 {\nb0:\n  %%2 = add.i32 %%0, %d\n"
                    "  %%3 = slt.i32 %%2, %%0\n  condbr %%3, b1, b2(%%2)\n"
                    "b1:\n  br b2(i32 1)\nb2(%%4: i32):\n  ret %%4\n}\n",
                    i, i);
    bench_report("read and verify IR", (double)w.text.len / bench_best(read_ir, &w, 5) * 1e-6,
                 "MB/s", 0);
    sbuf_free(&w.text);
    return 0;
}
