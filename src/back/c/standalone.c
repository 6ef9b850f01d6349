/* The text that makes the output complete: what kernels call back for, the module's variables, and
 * for each kernel a function that runs a whole grid, on as many threads as OpenMP gives. */
#include <stdio.h>
#include "back/c/c_int.h"
#include "back/cpu_abi.h"

/* What shared variables, or the others, are to begin at a multiple of. */
static uint32_t most_aligned(const struct ir_module *m, bool shared, uint32_t align)
{
    ir_each_global (v, m)
        if ((v->space == IR_SPACE_SHARED) == shared && v->align > align)
            align = v->align;
    return align;
}

static void globals(struct cgen *g, struct sbuf *o)
{
    if (!g->globals_bytes)
        return;
    uint8_t *image = arena_alloc(g->arena, g->globals_bytes);
    ir_each_global (v, g->module) {
        if (v->space == IR_SPACE_SHARED)
            continue;
        uint64_t at = (uintptr_t)map_get(&g->global_offset, map_key(v));
        for (uint64_t k = 0; v->init && k < v->size; k++)
            image[at + k] = v->init[k];
        if (v->relocs.len) {
            diag_error(
                g->job->diag, v->span,
                "variable '%s' is initialised with an address, which standalone C cannot have",
                v->display ? v->display : v->name);
            g->failed = true;
        }
    }
    sbuf_printf(o, "static char tern_globals[%llu] __attribute__((aligned(%u))) = {",
                (unsigned long long)g->globals_bytes, most_aligned(g->module, false, 64));
    uint64_t last = g->globals_bytes;
    while (last && !image[last - 1])
        last--;
    for (uint64_t k = 0; k < last; k++)
        sbuf_printf(o, "%s%d,", k % 24 ? " " : "\n    ", (int)(int8_t)image[k]);
    sbuf_puts(o, last ? "\n};\n\n" : "0};\n\n");
}

/* After all kernels: what runs them. */
bool c_standalone(struct cgen *g, struct sbuf *o)
{
    const uint32_t align = most_aligned(g->module, true, CPU_SHARED_ALIGN);
    sbuf_puts(o, c_standalone_text);
    globals(g, o);
    vec_each (struct back_kernel, k, &g->job->kernels) {
        const struct ir_func *f = ir_func_find(g->module, k->name);
        sbuf_printf(o,
                    "/* %s<<<grid, block, dynamic_shared>>>(…) */\nvoid %s_launch(const uint32_t "
                    "grid[3], const uint32_t block[3], uint32_t dynamic_shared",
                    f->display ? f->display : f->name, k->symbol);
        for (size_t n = 0; n < f->params.len; n++) {
            const struct ir_param *p = &f->params.data[n];
            if (p->byval_size || ir_kind(p->type) == IR_PTR)
                sbuf_printf(o, ", %svoid *a%zu", p->byval_size ? "const " : "", n);
            else
                sbuf_printf(o, ", %s a%zu", c_type(g, p->type), n);
        }
        sbuf_printf(o, ")\n{\n    char params[%u] __attribute__((aligned(64)));\n",
                    k->param_bytes ? k->param_bytes : 1);
        for (size_t n = 0; n < f->params.len; n++) {
            const struct ir_param *p = &f->params.data[n];
            if (p->byval_size)
                sbuf_printf(o, "    memcpy(params + %u, a%zu, %u);\n", p->offset, n, p->byval_size);
            else
                sbuf_printf(o, "    memcpy(params + %u, &a%zu, sizeof a%zu);\n", p->offset, n, n);
        }
        sbuf_printf(o,
                    "    tern_run(%s, grid, block, %u, dynamic_shared, params, %s, %u, %u);\n}\n\n",
                    k->symbol, k->static_shared, g->globals_bytes ? "tern_globals" : "0",
                    ((const struct back_cpu_kernel *)k->own)->resident, align);
    }
    return !g->failed;
}
