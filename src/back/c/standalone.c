/* The text that makes the output complete: what kernels call back for, the module's variables, and
 * for each kernel a function that runs a whole grid, on as many threads as OpenMP gives. */
#include <stdio.h>
#include "back/c/c_int.h"

static const char host_text[] =
    "/* ---- running it without Tern ---- */\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <time.h>\n"
    "\n"
    "static void tern_print(const struct tern_launch *l, const char *format, const u64 *args, u32 "
    "count)\n"
    "{\n"
    "    u32 next = 0;\n"
    "    (void)l;\n"
    "    for (const char *s = format; *s; s++) {\n"
    "        char spec[32];\n"
    "        size_t n = 0;\n"
    "        if (*s != '%' || s[1] == '%') {\n"
    "            putchar(*s);\n"
    "            s += *s == '%';\n"
    "            continue;\n"
    "        }\n"
    "        const size_t len = strcspn(s, \"diouxXcsfFeEgGaAp\");\n"
    "        const char kind = s[len];\n"
    "        const u64 v = next < count ? args[next] : 0;\n"
    "        next++;\n"
    "        int wide = 0;\n"
    "        for (size_t i = 0; i < len && n < sizeof spec - 4; i++)\n"
    "            if (s[i] == 'l' || s[i] == 'h' || s[i] == 'z')\n"
    "                wide |= s[i] != 'h';\n"
    "            else\n"
    "                spec[n++] = s[i];\n"
    "        if (!kind)\n"
    "            return;\n"
    "        if (strchr(\"diouxX\", kind))\n"
    "            spec[n++] = 'l', spec[n++] = 'l';\n"
    "        spec[n++] = kind, spec[n] = 0;\n"
    "        f64 d;\n"
    "        memcpy(&d, &v, sizeof d);\n"
    "        if (kind == 'd' || kind == 'i')\n"
    "            printf(spec, wide ? (long long)v : (long long)(i32)v);\n"
    "        else if (strchr(\"ouxX\", kind))\n"
    "            printf(spec, wide ? (unsigned long long)v : (unsigned long long)(u32)v);\n"
    "        else if (kind == 'c')\n"
    "            printf(spec, (int)v);\n"
    "        else if (kind == 's' || kind == 'p')\n"
    "            printf(spec, (char *)v);\n"
    "        else\n"
    "            printf(spec, d);\n"
    "        s += len;\n"
    "    }\n"
    "}\n"
    "\n"
    "static void tern_fail(const struct tern_block *b, u32 error, const char *what, const char "
    "*file, u32 line,\n"
    "                      const char *function)\n"
    "{\n"
    "    fprintf(stderr, \"kernel failed (%u): %s\", error, what ? what : \"\");\n"
    "    if (file)\n"
    "        fprintf(stderr, \" at %s:%u (%s)\", file, line, function ? function : \"\");\n"
    "    fprintf(stderr, \", block (%u, %u, %u)\\n\", b->ctaid[0], b->ctaid[1], b->ctaid[2]);\n"
    "    abort();\n"
    "}\n"
    "\n"
    "static void *tern_alloc(const struct tern_launch *l, u64 size)\n"
    "{\n"
    "    (void)l;\n"
    "    return malloc(size);\n"
    "}\n"
    "\n"
    "static void tern_free(const struct tern_launch *l, void *p)\n"
    "{\n"
    "    (void)l;\n"
    "    free(p);\n"
    "}\n"
    "\n"
    "static u64 tern_clock(u32 which)\n"
    "{\n"
    "    struct timespec t;\n"
    "    (void)which;\n"
    "    timespec_get(&t, TIME_UTC);\n"
    "    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;\n"
    "}\n"
    "\n"
    "static void tern_run(void (*kernel)(const struct tern_launch *, const struct tern_worker *, "
    "u64, u64),\n"
    "                     const u32 grid[3], const u32 block[3], u32 static_shared, u32 "
    "dynamic_shared,\n"
    "                     char *params, char *globals, u64 resident)\n"
    "{\n"
    "    static const struct tern_host host = {tern_print, tern_fail, tern_alloc, tern_free, "
    "tern_clock, 0, 0};\n"
    "    const struct tern_launch l = {.grid = {grid[0], grid[1], grid[2]}, .block = {block[0], "
    "block[1], block[2]},\n"
    "                                  .dynamic_shared = dynamic_shared,\n"
    "                                  .shared_bytes = static_shared + dynamic_shared, "
    ".cooperative = 1, .workers = "
    "1, .id = 1,\n"
    "                                  .params = params, .globals = globals, .host = &host};\n"
    "    const u64 blocks = (u64)grid[0] * grid[1] * grid[2];\n"
    "#if defined(_OPENMP)\n"
    "#pragma omp parallel\n"
    "#endif\n"
    "    {\n"
    "        u32 at = 0;\n"
    "        const u64 step = resident < blocks ? resident : blocks;\n"
    "        const size_t bytes = (((size_t)l.shared_bytes + 63) / 64 * step + 16) * 64;\n"
    "        char *const shared = aligned_alloc(64, bytes); /* with room on both sides for vectors "
    "*/\n"
    "        const struct tern_worker w = {.shared = shared + 512, .at = &at};\n"
    "        if (!shared)\n"
    "            abort();\n"
    "        memset(shared, 0, bytes);\n"
    "#if defined(_OPENMP)\n"
    "#pragma omp for schedule(dynamic)\n"
    "#endif\n"
    "        for (u64 i = 0; i < blocks; i += step)\n"
    "            kernel(&l, &w, i, i + step < blocks ? i + step : blocks);\n"
    "        free(shared);\n"
    "    }\n"
    "}\n"
    "\n";

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
    sbuf_printf(o, "static char tern_globals[%llu] __attribute__((aligned(64))) = {",
                (unsigned long long)g->globals_bytes);
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
    sbuf_puts(o, host_text);
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
        sbuf_printf(o, "    tern_run(%s, grid, block, %u, dynamic_shared, params, %s, %u);\n}\n\n",
                    k->symbol, k->static_shared, g->globals_bytes ? "tern_globals" : "0",
                    ((const struct back_cpu_kernel *)k->own)->resident);
    }
    return !g->failed;
}
