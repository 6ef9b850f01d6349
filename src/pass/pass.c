/* Runs passes; see pass.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/settings.h"
#include "pass/pass.h"

bool pass_verifies(void)
{
#ifndef NDEBUG
    return true;
#elif defined(TERN_SMALL)
    return false;
#else
    return setting_on(SETTING_VERIFY);
#endif
}

/* ---- what is asked for beyond running them ---- */

#ifndef TERN_SMALL

static bool is_called(const char *asked, const char *stage, const char *pass)
{
    const size_t n = strlen(stage);
    return !strcmp(asked, "all") || !strcmp(asked, pass) ||
           (!strncmp(asked, stage, n) && asked[n] == '/' && !strcmp(asked + n + 1, pass));
}

static bool wants_dump(const struct passes *p, const struct pass *row)
{
    for (size_t k = 0; p->log && p->log->out && k < p->log->ndump; k++)
        if (is_called(p->log->dump[k], p->stage, row->called))
            return true;
    return false;
}

static void dump(const struct passes *p, const struct pass *row, const struct ir_func *f,
                 const char *when)
{
    sbuf_printf(p->log->out, "; %s %s\n", when, row->called);
    if (f)
        ir_print_func(f, p->log->out, 0);
    else
        ir_print(p->module, p->log->out, 0);
}

static void add_time(struct pass_log *log, const char *stage, const char *pass, uint64_t ns)
{
    struct pass_time *t = NULL;
    for (size_t k = 0; k < log->times.len && !t; k++)
        if (!strcmp(log->times.data[k].pass, pass) && !strcmp(log->times.data[k].stage, stage))
            t = &log->times.data[k];
    if (!t) {
        struct pass_time first = {.stage = stage, .pass = pass};
        vec_push(log->arena, &log->times, first);
        t = &vec_last(&log->times);
    }
    t->runs++;
    t->nanoseconds += ns;
}

struct pass_clock pass_start(struct pass_log *log)
{
    struct pass_clock c = {0};
    if (log && log->clock) {
        c.outside = log->inside;
        log->inside = 0;
        c.started = log->clock();
    }
    return c;
}

void pass_stop(struct pass_log *log, struct pass_clock c, const char *stage, const char *pass)
{
    if (!log || !log->clock)
        return;
    const uint64_t whole = log->clock() - c.started;
    add_time(log, stage, pass, whole - log->inside);
    log->inside = c.outside + whole;
}

void pass_print_times(const struct pass_log *log, struct sbuf *out)
{
    uint64_t all = 0;
    sbuf_puts(out, "      ms  runs  pass\n");
    for (size_t k = 0; k < log->times.len; k++) {
        const struct pass_time *t = &log->times.data[k];
        sbuf_printf(out, "%8.3f %5u  %s/%s\n", (double)t->nanoseconds / 1e6, t->runs, t->stage,
                    t->pass);
        all += t->nanoseconds;
    }
    sbuf_printf(out, "%8.3f        in all\n", (double)all / 1e6);
}

/* After a pass: has it left the function, or the module, in order? */
static bool look(struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (!p->log)
        return true;
    if (p->log->watch)
        p->log->watch(p->log->watch_ctx, p->stage, row->called, p->module, f);
    if (!p->log->verify)
        return true;
    char name[64];
    snprintf(name, sizeof name, "%s/%s", p->stage, row->called);
    const char *fault = row->check ? row->check(ctx) : NULL;
    if (fault) {
        diag_error(p->diag, span_at(0, 0), "internal error: after %s: %s", name, fault);
        return false;
    }
    return f ? ir_verify_func(f, p->diag, name) : ir_verify(p->module, p->diag, name);
}

#endif

/* ---- running ---- */

static void plain(const struct passes *p, const struct pass *row, struct ir_func *f)
{
    struct arena scratch;
    arena_init(&scratch, p->arena->mem);
    row->plain(&scratch, f);
    arena_free(&scratch);
}

static void call(struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (row->module)
        row->module(ctx, p->module);
    else if (row->func)
        row->func(ctx, f);
    else
        plain(p, row, f);
}

/* A pass over one function, or over all of them that have a body. */
static void over(struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (row->module || f) {
        call(p, row, ctx, f);
        return;
    }
    ir_each_func (each, p->module)
        if (each->first && (!row->when || row->when(row, ctx, each)))
            call(p, row, ctx, each);
}

#ifdef TERN_SMALL
#define run_row(p, row, ctx, f) (over(p, row, ctx, f), true)
#else
/* Is there a function that it is for? */
static bool applies(const struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (!row->when || row->module || f)
        return true; /* it was asked before */
    ir_each_func (each, p->module)
        if (each->first && row->when(row, ctx, each))
            return true;
    return false;
}

static bool run_row(struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (!applies(p, row, ctx, f))
        return true;
    const bool show = wants_dump(p, row);
    if (show)
        dump(p, row, f, "before");
    const struct pass_clock c = pass_start(p->log);
    over(p, row, ctx, f);
    pass_stop(p->log, c, p->stage, row->called);
    if (show)
        dump(p, row, row->module ? NULL : f, "after");
    return look(p, row, ctx, row->module ? NULL : f);
}
#endif

static bool run_each(struct passes *p, const struct pass *row, void *ctx)
{
    ir_each_func (f, p->module)
        if (f->first && (row->each == PASS_ALL || f->flags & row->each) &&
            (!row->when || row->when(row, ctx, f)) && !pass_run_on(p, row->list, ctx, f))
            return false;
    return true;
}

static bool run(struct passes *p, const struct pass *row, void *ctx, struct ir_func *f)
{
    if (row->level > p->level)
        return true;
    if (row->each)
        return run_each(p, row, ctx);
    /* whether a pass over all functions is for one of them, is asked for each */
    if (row->when && (f || row->module || row->list) && !row->when(row, ctx, f))
        return true;
    if (row->list)
        return f ? pass_run_on(p, row->list, ctx, f) : pass_run(p, row->list, ctx);
    return run_row(p, row, ctx, f);
}

static bool is_end(const struct pass *row)
{
    return !row->plain && !row->func && !row->module && !row->list;
}

bool pass_run_on(struct passes *p, const struct pass *list, void *ctx, struct ir_func *f)
{
    for (const struct pass *row = list; !is_end(row) && !p->broken; row++)
        p->broken |= !run(p, row, ctx, f);
    return !p->broken;
}

bool pass_run(struct passes *p, const struct pass *list, void *ctx)
{
    return pass_run_on(p, list, ctx, NULL);
}

bool pass_check(struct passes *p, struct ir_func *f)
{
#ifdef TERN_SMALL /* modules only: what the optimiser gives to a target */
    if (!f && !p->broken)
        p->broken = !ir_verify(p->module, p->diag, p->stage);
#else
    if (!p->broken && !(p->log && p->log->verify))
        p->broken =
            f ? !ir_verify_func(f, p->diag, p->stage) : !ir_verify(p->module, p->diag, p->stage);
#endif
    return !p->broken;
}
