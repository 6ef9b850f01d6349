/* The C target: the parts of the file and the way each kernel runs.
 *
 * Each kernel gets one exported function that runs a range of blocks (back/cpu_abi.h). A block
 * is one call of straight code made by the vectoriser, a loop over its threads, or, when threads
 * must wait for each other in ways that straight code cannot follow, a team of coroutines. */
#include <stdio.h>
#include <string.h>
#include "back/c/c_int.h"
#include "back/cpu_abi.h"
#include "back/cpu_plan.h"

#define TEXT(...)    TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

void c_refuse(struct cgen *g, const struct ir_inst *i, const char *why)
{
    struct ir_func *f = g->func;
    diag_error(g->job->diag, i ? i->span : f->span, "%s: %s (in %s, for the CPU)",
               i ? ir_op_info[i->op].name : "kernel", why, f->display ? f->display : f->name);
    g->failed = true;
}

/* Functions have a name space of their own: a kernel may be called exit or memcpy, and the compiler
 * calls the C library's of itself. What C++ has mangled is like nothing else already. */
const char *c_func_name(struct cgen *g, struct ir_func *f)
{
    const char *name = map_get(&g->func_names, map_key(f));
    if (!name) {
        bool thread = f->flags & IR_FUNC_KERNEL && !strchr(f->name, '.');
        const char *kind = thread ? "thread_" : strncmp(f->name, "_Z", 2) ? "fn_" : "";
        name = c_identifier(g, &g->taken, c_print(g, "%s%s", kind, f->name));
        map_set(&g->func_names, map_key(f), (void *)name);
    }
    return name;
}

const char *c_address(struct cgen *g, struct ir_global *global)
{
    struct map *offsets = global->space == IR_SPACE_SHARED ? &g->shared_offset : &g->global_offset;
    bool shared = global->space == IR_SPACE_SHARED;
    *(shared ? &g->uses_shared : &g->uses_globals) = true;
    return c_print(g, "(%s + %llu)", shared ? "shared" : "globals",
                   (unsigned long long)(uintptr_t)map_get(offsets, map_key(global)));
}

/* Compilers take minutes over more text than this in one function: its threads run one by one. */
enum { MOST_TEXT = 1500 * 1000 };

/* ---- kernels ---- */
static void arguments(struct cgen *g, struct ir_func *f, struct sbuf *o)
{
    vec_each (struct ir_param, p, &f->params) {
        if (p->byval_size)
            sbuf_printf(o, ", b->launch->params + %u", p->offset);
        else
            sbuf_printf(o, ", *(%s *)(b->launch->params + %u)", c_type(g, p->type), p->offset);
    }
}

static void kernel(struct cgen *g, const struct cpu_plan *p)
{
    struct ir_func *f = p->kernel, *whole = p->whole;
    struct sbuf *o = &g->bodies, args;
    sbuf_init(&args, g->arena);
    arguments(g, f, &args);
    const char *symbol = c_identifier(g, &g->taken, c_print(g, "kernel_%s", f->name));
    const char *body = c_func_name(g, whole ? whole : f);
    const uint32_t most = p->most;
    sbuf_printf(&g->protos, "void %s" TEXT(CPU_ENTRY_PARAMETERS) ";\n", symbol);
    if (p->waits && !whole)
        sbuf_printf(o, "static void %s_entry(struct tern_block *b)\n{\n    %s(b%s);\n}\n\n", body,
                    body, args.data ? args.data : "");
    sbuf_printf(o, "void %s" TEXT(CPU_ENTRY_PARAMETERS) "\n{\n", symbol);
    sbuf_puts(
        o, "    struct tern_block here = {.launch = l, .shared = w->shared, "
           ".stack = {w->stack[0], w->stack[1]},\n"
           "                              .worker = w->number, .at = w->at, .stacks = w->stacks};\n"
           "    struct tern_block *b = &here;\n");
    if (p->told.coarsens_y) {
        sbuf_printf(o,
                    "    for (u64 i = first, run, rows; i < last; i += run * rows) {\n"
                    "        if (l->cancel && *l->cancel)\n            return;\n"
                    "        tern_place(b, i);\n"
                    "        const u64 row = l->grid[0] - b->ctaid[0], left = last - i;\n"
                    "        run = row < left ? row : left, rows = 1;\n"
                    "        if (run > %uu)\n            run = %uu;\n"
                    "        while (run == l->grid[0] && run * (rows + 1) <= %uu && run * (rows + "
                    "1) <= left &&\n"
                    "               b->ctaid[1] + rows < l->grid[1])\n            rows++;\n"
                    "        %s(b%s, (u32)run, (u32)rows);\n    }\n}\n\n",
                    most, most, most, body, args.data ? args.data : "");
    } else if (p->told.coarsens_x) {
        sbuf_printf(o,
                    "    for (u64 i = first, run; i < last; i += run) {\n"
                    "        if (l->cancel && *l->cancel)\n            return;\n"
                    "        tern_place(b, i);\n"
                    "        const u64 row = l->grid[0] - b->ctaid[0], left = last - i;\n"
                    "        run = row < left ? row : left;\n"
                    "        if (run > %uu)\n            run = %uu;\n"
                    "        %s(b%s, (u32)run);\n    }\n}\n\n",
                    most, most, body, args.data ? args.data : "");
    } else if (whole) {
        sbuf_printf(o,
                    "    for (u64 i = first; i < last; i++) {\n"
                    "        if (l->cancel && *l->cancel)\n            return;\n"
                    "        tern_place(b, i);\n        %s(b%s);\n    }\n}\n\n",
                    body, args.data ? args.data : "");
    } else if (p->waits) {
        sbuf_printf(o, "    tern_run_blocks(b, first, last, %uu, %llu, %s_entry);\n}\n\n",
                    p->told.resident, (unsigned long long)p->stack, body);
        g->fibers = true;
    } else {
        sbuf_printf(o,
                    "    for (u64 i = first; i < last; i++) {\n"
                    "        if (l->cancel && *l->cancel)\n            return;\n"
                    "        tern_place(b, i);\n"
                    "        for (b->tid[2] = 0; b->tid[2] < l->block[2]; b->tid[2]++)\n"
                    "            for (b->tid[1] = 0; b->tid[1] < l->block[1]; b->tid[1]++)\n"
                    "                for (b->tid[0] = 0; b->tid[0] < l->block[0]; b->tid[0]++)\n"
                    "                    %s(b%s);\n    }\n}\n\n",
                    body, args.data ? args.data : "");
    }
    struct back_cpu_kernel *own = arena_new(g->arena, struct back_cpu_kernel);
    *own = p->told;
    struct back_kernel k = {.name = f->name,
                            .symbol = symbol,
                            .param_bytes = f->param_bytes,
                            .local_bytes = (uint32_t)p->local,
                            .uses = p->uses,
                            .own = own};
    vec_push(g->arena, &g->job->kernels, k);
}

static void function_table(struct cgen *g, const struct map *funcs)
{
    sbuf_puts(&g->protos, "\n/* Function pointers are indices into this table. */\n"
                          "static void (*const tern_functions[])(void) = {\n    0, 0,\n");
    ir_each_func (f, g->module)
        if (f->address)
            sbuf_printf(&g->protos,
                        map_has(funcs, map_key(f)) ? "    (void (*)(void))%s, 0,\n"
                                                   : "    0, 0, /* %s */\n",
                        map_has(funcs, map_key(f)) ? c_func_name(g, f) : f->name);
    sbuf_printf(
        &g->protos,
        "};\nstatic void (*tern_function(struct tern_block *b, const char *p))(void)\n{\n"
        "    const u64 n = (u64)p;\n"
        "    if (n >= sizeof tern_functions / sizeof *tern_functions || !tern_functions[n])\n"
        "        b->launch->host->fail(b, %d, \"call through a pointer to no function\", 0, "
        "0, 0);\n"
        "    return tern_functions[n];\n}\n",
        TERN_ILLEGAL_ADDRESS);
}

static const char *prepare(struct back_job *job)
{
    return cpu_prepare(job, &back_c);
}

/* What compilers make of vectors of so many bytes: conversions of u64 are instructions with AVX-512
 * alone, of u32 there and with NEON. */
static unsigned divisions(unsigned native)
{
    return native == 64 ? DIVIDE_SHORT | DIVIDE_WORDS | DIVIDE_LONG : DIVIDE_SHORT;
}

static bool emit(struct back_job *job)
{
    static const struct c_options defaults;
    struct cgen *g = arena_new(job->arena, struct cgen);
    g->arena = job->arena;
    g->job = job;
    g->options = job->options.own ? job->options.own : &defaults;
    g->module = job->module;
    g->names = job->module->names;
    g->native = g->options->cpu.vector_bytes ? g->options->cpu.vector_bytes : 16;
    sbuf_init(&g->types, g->arena);
    sbuf_init(&g->helpers, g->arena);
    sbuf_init(&g->protos, g->arena);
    sbuf_init(&g->bodies, g->arena);
    map_init(&g->defined, g->arena);
    map_init(&g->shared_offset, g->arena);
    map_init(&g->global_offset, g->arena);
    map_init(&g->func_names, g->arena);
    map_init(&g->taken, g->arena);
    if (!cpu_lower(job, &back_c))
        return false;
    uint32_t shared = lower_shared_layout(g->module, &g->shared_offset);
    g->globals_bytes = lower_global_layout(g->module, &g->global_offset);

    struct map done, made; /* functions written; functions made by the vectoriser */
    map_init(&done, g->arena);
    map_init(&made, g->arena);
    bool found = false;
    struct back_cpu_options how = g->options->cpu;
    how.divide = divisions(g->native);
    ir_each_func (f, g->module) {
        if (!(f->flags & IR_FUNC_KERNEL) || !f->first || map_has(&made, map_key(f)))
            continue;
        if (job->options.kernel && strcmp(job->options.kernel, f->name) != 0)
            continue;
        found = true;
        struct cpu_plan p;
        if (!cpu_plan(&p, job, &back_c, f, &how, g->options->track))
            return false;
        if (p.made)
            map_set(&made, map_key(p.made), p.made);
        if (p.whole && !c_lower_block(g, p.whole))
            return false;
        if (p.whole) {
            size_t before = g->bodies.len, protos = g->protos.len;
            g->fiber = false;
            g->ahead = p.ahead;
            c_function(g, p.whole);
            g->ahead = false;
            if (g->bodies.len - before > MOST_TEXT && !g->options->cpu.gang) {
                g->bodies.len = before, g->protos.len = protos;
                cpu_plan_threads(&p, &g->options->cpu);
            }
        }
        g->fiber = p.waits && !p.whole;
        if (!p.whole) {
            map_each (e, &p.funcs) {
                if (!map_has(&done, e->key))
                    c_function(g, e->value);
                map_set(&done, e->key, e->value);
            }
        }
        g->func = f;
        kernel(g, &p);
        vec_last(&job->kernels).static_shared = shared;
    }
    if (job->options.kernel && !found) {
        diag_error(job->diag, span_at(0, 0), "there is no kernel '%s'", job->options.kernel);
        return false;
    }
    if (g->failed)
        return false;
    if (g->calls_pointers)
        function_table(g, &done);

    struct sbuf *o = job->out;
    sbuf_puts(o, "/* ");
    sbuf_comment(o, g->module->name && *g->module->name ? g->module->name : "Kernels");
    sbuf_printf(o, ", as C made by Tern.%s */\n", g->uses_libm ? " Link with -lm." : "");
    if (g->fibers)
        sbuf_puts(o, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
    sbuf_puts(o, c_types_text);
    if (g->uses_fenv)
        sbuf_puts(o, "#include <fenv.h>\n");
    if (g->types.len)
        sbuf_put(o, g->types.data, g->types.len);
    sbuf_puts(o, "\n/* ---- what a launch is ---- */\n");
    sbuf_puts(o, c_abi_text);
    sbuf_puts(o, c_blocks_text);
    if (g->fibers)
        sbuf_puts(o, c_fiber_text);
    if (g->helpers.len)
        sbuf_put(o, g->helpers.data, g->helpers.len);
    if (g->protos.len)
        sbuf_put(o, g->protos.data, g->protos.len);
    sbuf_putc(o, '\n');
    if (g->bodies.len)
        sbuf_put(o, g->bodies.data, g->bodies.len);
    return !g->options->standalone || c_standalone(g, o);
}

static const struct back_option options[] = {
    BACK_OPTION("gang", BACK_LANES, c_options, cpu.gang, "N",
                "threads that run as lanes of vectors; 1: none"),
    BACK_OPTION("standalone", BACK_FLAG, c_options, standalone, NULL,
                "text that needs nothing else"),
};

const struct back_target back_c = {
    .name = "c",
    .about = "C11 with GNU vectors, standalone",
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct c_options),
    .kernel_bytes = sizeof(struct back_cpu_kernel),
    .supports = c_supports,
    .prepare = prepare,
    .emit = emit,
};
