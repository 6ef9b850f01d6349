/* Random modules give the same results in the interpreter before and after optimisation.
 *
 *   differ FIRST LAST [PASS]    seeds; only PASS (and what must precede it) if given
 *   differ FIRST LAST steps     small modules: printed, read and verified; then every pass in turn,
 * with the results compared after each
 *   differ FIRST LAST targets   every pass of every target is verified, on optimised modules and on
 * others. Prints one line per failing seed; exit 1 if there was one.
 * With contraction off, results are compared bit for bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/pipeline.h"
#include "interp/interp.h"
#include "lower/lower.h"
#include "opt/opt.h"

enum { WORDS = 256, THREADS = 64, BLOCKS = 2 };

struct outcome {
    enum tern_error error;
    uint32_t words[WORDS];
    char message[200];
};

static const struct {
    const char *name;
    void (*run)(struct arena *, struct ir_func *);
} passes[] = {
#define PASS(name, level, about) {#name, opt_##name},
#include "opt/passes.def"
    {"unroll_runtime", opt_unroll_runtime},
};

static struct outcome run(struct ir_module *m, struct diag *d)
{
    struct outcome r = {0};
    struct interp_host host = {0};
    struct interp *machine;
    struct interp_module *mod;
    r.error = interp_create(&host, &machine);
    if (r.error)
        return r;
    uint64_t in, out;
    r.error = interp_load(machine, m, d, &mod);
    if (!r.error)
        r.error = interp_alloc(machine, WORDS * 4, 16, INTERP_GLOBAL, "in", &in);
    if (!r.error)
        r.error = interp_alloc(machine, WORDS * 4, 16, INTERP_GLOBAL, "out", &out);
    if (!r.error) {
        uint32_t *words = interp_at(machine, in, WORDS * 4);
        for (uint32_t k = 0; k < WORDS; k++)
            words[k] = k * 2654435761u ^ k << 7;
        struct {
            uint64_t in, out;
            uint32_t n;
        } params = {in, out, WORDS};
        struct interp_launch l = {.grid = {BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .params = &params,
                                  .param_bytes = 20,
                                  .timeout_ns = 20000000000};
        r.error = interp_launch(machine, interp_kernel(mod, "k"), &l);
        char *said = r.error && interp_fault(machine) ? report_string(interp_fault(machine)) : NULL;
        snprintf(r.message, sizeof r.message, "%s", said ? said : "");
        free(said);
        memcpy(r.words, interp_at(machine, out, WORDS * 4), WORDS * 4);
    }
    interp_destroy(machine);
    return r;
}

static bool one_pass(struct arena *a, struct ir_module *m, struct diag *d, const char *name)
{
    bool found = !strcmp(name, "inline");
    if (found)
        opt_inline(a, m, OPT_INLINE_DEVICE);
    if (!strcmp(name, "program")) {
        lower_inline_calls(a, m);
        found = lower_program(a, ir_func_find(m, "k"), false);
    }
    for (size_t k = 0; !found && k < sizeof passes / sizeof *passes; k++)
        if (!strcmp(passes[k].name, name)) {
            found = true;
            ir_each_func (f, m)
                if (f->first)
                    passes[k].run(a, f);
        }
    return found && ir_verify(m, d, name);
}

/* For passes after which functions have no addresses. */
static void drop_call_pointers(struct ir_module *m)
{
    ir_each_func (f, m) {
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_call_ptr) {
                    if (i->nresults)
                        i->results[0].forward = ir_const(m, i->type, 7);
                    ir_remove(i);
                }
        ir_replace_forwarded(f);
    }
}

static bool same_seed(unsigned long seed, const char *pass)
{
    const bool alone = pass && !strcmp(pass, "program"); /* for kernels that wait for nobody */
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    mem.unwind = &unwind;
    if (setjmp(unwind)) {
        printf("seed %lu: out of memory\n", seed);
        return false;
    }
    arena_init(&a, &mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_random_options o = {.seed = seed,
                                  .size = alone ? 10 + seed % 20 : 40 + seed % 5 * 60,
                                  .memory = seed % 2,
                                  .divergence = seed % 3 != 0,
                                  .barriers = seed % 7 != 0 && !alone,
                                  .warp_ops = seed % 4 == 1 && !alone,
                                  .floats = seed % 5 != 0};
    struct ir_module *m = ir_random(&a, &names, &o);
    if (alone)
        drop_call_pointers(m);
    struct outcome before = run(m, &d);
    bool ok;
    if (pass) {
        ok = one_pass(&a, m, &d, pass);
    } else {
        struct opt_options oo = {.level = 2};
        struct pass_log log = {.verify = true};
        struct passes p = {.arena = &a, .module = m, .diag = &d, .stage = "opt", .log = &log};
        ok = opt_run(&p, &oo);
    }
    if (!ok) {
        struct sbuf s;
        sbuf_init(&s, &a);
        diag_render_text(&d, &s, false);
        printf("seed %lu: %s\n", seed, s.data);
    } else {
        struct outcome after = run(m, &d);
        ok = before.error == after.error && !memcmp(before.words, after.words, sizeof after.words);
        if (!ok) {
            uint32_t k = 0;
            while (k < WORDS - 1 && before.words[k] == after.words[k])
                k++;
            printf("seed %lu: word %u was %08x (%s %s), became %08x (%s %s)\n", seed, k,
                   before.words[k], tern_error_name(before.error), before.message, after.words[k],
                   tern_error_name(after.error), after.message);
        }
    }
    mem_release(&mem);
    return ok;
}

static const char *printed(struct arena *a, const struct ir_module *m)
{
    struct sbuf s;
    sbuf_init(&s, a);
    ir_print(m, &s, 0);
    return s.data;
}

/* The module that the text of m reads back as, or NULL: not the same. */
static struct ir_module *read_back(struct arena *a, struct interner *names,
                                   struct source_map *sources, struct diag *d, struct ir_module *m)
{
    const char *text = printed(a, m);
    struct ir_module *again = ir_parse(a, names, sources, d, m->name, text, strlen(text));
    return again && ir_verify(again, d, NULL) && !strcmp(printed(a, again), text) ? again : NULL;
}

static bool same_steps(unsigned long seed)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    mem.unwind = &unwind;
    if (setjmp(unwind)) {
        printf("seed %lu: out of memory\n", seed);
        return false;
    }
    arena_init(&a, &mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_random_options o = {.seed = seed + 1000000,
                                  .size = 6 + seed % 16,
                                  .memory = seed % 2,
                                  .divergence = seed % 3 != 0,
                                  .barriers = seed % 7 == 0,
                                  .warp_ops = seed % 4 == 1,
                                  .floats = seed % 5 != 0};
    struct ir_module *m = ir_random(&a, &names, &o);
    struct ir_module *again = read_back(&a, &names, &sources, &d, m);
    const char *step = "text";
    bool ok = again != NULL;
    struct outcome before = run(m, &d), after;
    if (ok) {
        after = run(again, &d);
        ok = before.error == after.error && !memcmp(before.words, after.words, sizeof after.words);
    }
    opt_inline(&a, m, OPT_INLINE_DEVICE);
    const char *last = "";
    for (size_t k = 0; ok && k < sizeof passes / sizeof *passes; k++) {
        step = passes[k].name;
        ir_each_func (f, m)
            if (f->first)
                passes[k].run(&a, f);
        ok = ir_verify(m, &d, step);
        const char *text = printed(&a, m);
        if (!strcmp(text, last)) /* the pass found nothing to do */
            continue;
        last = text;
        ok = ok && read_back(&a, &names, &sources, &d, m);
        if (ok) {
            after = run(m, &d);
            ok = before.error == after.error &&
                 !memcmp(before.words, after.words, sizeof after.words);
        }
    }
    if (!ok)
        printf("seed %lu: differs after '%s'%s%s\n", seed, step, d.first ? ": " : "",
               d.first ? d.first->message : "");
    mem_release(&mem);
    return ok;
}

/* Targets may refuse a module, but no pass of theirs may break it. */
static bool target_keeps(const struct ir_module *m, const struct back_target *t, unsigned long seed)
{
    struct compilation c;
    struct sbuf out;
    sbuf_init(&out, NULL);
    enum tern_error e = compile_copy(&c, m, 0);
    c.log.verify = true;
    if (!e)
        e = compile_emit(&c, t, &(struct back_options){0}, &out);
    bool ok = !e || e == TERN_COMPILE;
    for (const struct diag_entry *d = c.diag.first; d && ok; d = d->next)
        ok = !strstr(d->message, "bad IR");
    if (!ok)
        printf("seed %lu: %s: %s\n", seed, t->name,
               c.diag.first ? c.diag.first->message : tern_error_name(e));
    sbuf_free(&out);
    compile_free(&c);
    return ok;
}

static bool targets_keep(unsigned long seed)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    mem.unwind = &unwind;
    if (setjmp(unwind)) {
        printf("seed %lu: out of memory\n", seed);
        return false;
    }
    arena_init(&a, &mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_random_options o = {.seed = seed,
                                  .size = 20 + seed % 5 * 40,
                                  .memory = seed % 2,
                                  .divergence = seed % 3 != 0,
                                  .barriers = seed % 7 != 0,
                                  .warp_ops = seed % 4 == 1,
                                  .floats = seed % 5 != 0};
    struct ir_module *m = ir_random(&a, &names, &o);
    struct pass_log log = {.verify = true};
    struct passes p = {.arena = &a, .module = m, .diag = &d, .stage = "opt", .log = &log};
    bool ok = seed % 4 == 0 || opt_run(&p, &(struct opt_options){.level = 2});
    for (size_t t = 0; back_targets[t]; t++)
        ok &= target_keeps(m, back_targets[t], seed);
    mem_release(&mem);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    bool ok = true;
    for (unsigned long s = strtoul(argv[1], NULL, 10); s <= strtoul(argv[2], NULL, 10); s++)
        ok &= argc > 3 && !strcmp(argv[3], "steps")     ? same_steps(s)
              : argc > 3 && !strcmp(argv[3], "targets") ? targets_keep(s)
                                                        : same_seed(s, argc > 3 ? argv[3] : NULL);
    return !ok;
}
