/* The PTX target: which functions and globals are needed, their names, and the module around them.
 *
 * The output is for PTX ISA 7.8 (drivers from CUDA 11.8 on), sm_70 to sm_90. */
#include <string.h>
#include "back/ptx/ptx_int.h"

#define CONST_LIMIT 65536
#define PARAM_LIMIT 4352

/* ---- names ---- */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

/* What ptxas would take for something else. */
static const char *const reserved[] = {
    "vprintf",           "malloc",     "free",      "__assertfail", "tern_grid_sync",
    "tern_grid_counter", "tern_depot", "tern_args", "ret_value",    "WARP_SZ",
};

static const char *symbol_for(struct ptx *p, const char *wish)
{
    struct interner *in = p->job->module->names;
    char *s = arena_printf(p->a, "%s%s",
                           (*wish >= '0' && *wish <= '9') || !is_word(*wish) ? "_" : "", wish);
    for (char *c = s; *c; c++)
        if (!is_word(*c))
            *c = '_';
    if (!strcmp(s, "_"))
        s = arena_printf(p->a, "_unnamed");
    const char *name = intern_z(in, s);
    for (unsigned n = 2; map_has(&p->taken, map_key(name)); n++)
        name = intern_z(in, arena_printf(p->a, "%s_%u", s, n));
    map_set(&p->taken, map_key(name), (void *)name);
    return name;
}

static void name_all(struct ptx *p)
{
    struct ir_module *m = p->job->module;
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++) {
        const char *name = intern_z(m->names, reserved[k]);
        map_set(&p->taken, map_key(name), (void *)name);
    }
    ir_each_func (f, m)
        map_set(&p->symbols, map_key(f), (void *)symbol_for(p, f->mangled ? f->mangled : f->name));
    ir_each_global (g, m)
        map_set(&p->symbols, map_key(g), (void *)symbol_for(p, g->mangled ? g->mangled : g->name));
}

/* A variable of the program, static ones too, which the host may copy to and from. What front ends
 * make themselves has a point in its name. */
static bool is_for_the_host(const struct ir_global *g)
{
    return g->space != IR_SPACE_SHARED && !(g->flags & IR_GLOBAL_EXTERN) &&
           (g->flags & (IR_GLOBAL_EXPORT | IR_GLOBAL_MANAGED) || g->display ||
            !strchr(g->name, '.'));
}

/* ---- reach ---- */
static void reach_func(struct ptx *p, struct ir_func *f);

static void reach_global(struct ptx *p, struct ir_global *g);

static void reach_value(struct ptx *p, const struct ir_value *v)
{
    if (v->kind == IR_VALUE_GLOBAL)
        reach_global(p, v->u.global);
    else if (v->kind == IR_VALUE_FUNC)
        reach_func(p, v->u.func);
}

static void reach_global(struct ptx *p, struct ir_global *g)
{
    if (map_has(&p->reached, map_key(g)))
        return;
    map_set(&p->reached, map_key(g), g);
    vec_each (struct ir_reloc, r, &g->relocs)
        reach_value(p, r->target);
}

static void reach_func(struct ptx *p, struct ir_func *f)
{
    if (map_has(&p->reached, map_key(f)))
        return;
    map_set(&p->reached, map_key(f), f);
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->callee)
                reach_func(p, i->callee);
            for (uint32_t k = 0; k < i->nargs; k++)
                reach_value(p, i->args[k]);
            for (uint32_t k = 0; k < i->nedges; k++)
                for (uint32_t n = 0; n < i->edges[k].nargs; n++)
                    reach_value(p, i->edges[k].args[n]);
        }
}

static bool reach_all(struct ptx *p)
{
    struct ir_module *m = p->job->module;
    const char *only = p->job->options.kernel;
    bool found = false;
    ir_each_func (f, m) {
        bool kernel = f->flags & IR_FUNC_KERNEL;
        if (only ? kernel && !strcmp(f->name, only) : kernel || f->flags & IR_FUNC_EXPORT)
            reach_func(p, f);
        found |= only && kernel && !strcmp(f->name, only);
    }
    if (!only)
        ir_each_global (g, m)
            if (is_for_the_host(g))
                reach_global(p, g);
    if (only && !found) {
        diag_error(p->job->diag, span_at(0, 0), "there is no kernel '%s'", only);
        return false;
    }
    return true;
}

static bool is_shared(const struct ir_value *v)
{
    const struct ir_global *g = v->kind == IR_VALUE_GLOBAL ? v->u.global : NULL;
    return v->kind == IR_VALUE_FUNC ||
           (g && g->space != IR_SPACE_SHARED && !ir_is_library_table(g) &&
            (g->space == IR_SPACE_GLOBAL || g->flags & IR_GLOBAL_TEXREF || g->relocs.len ||
             is_for_the_host(g)));
}

/* Whether a function has something in common with others beyond its text. */
static bool shares(const struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            if (i->op == IR_OP_call_ptr)
                return true;
            for (uint32_t k = 0; k < i->nargs; k++)
                if (is_shared(i->args[k]))
                    return true;
            for (uint32_t k = 0; k < i->nedges; k++)
                for (uint32_t n = 0; n < i->edges[k].nargs; n++)
                    if (is_shared(i->edges[k].args[n]))
                        return true;
        }
    return false;
}

/* ---- globals ---- */
static void initializer(struct ptx *p, struct ir_global *g, struct sbuf *out)
{
    uint64_t used = g->size;
    const uint8_t *b = g->init;
    if (g->relocs.len) { /* 64-bit words, some of them addresses */
        sbuf_puts(out, " = {");
        for (uint64_t at = 0; at < g->size; at += 8) {
            uint64_t word = 0;
            const struct ir_reloc *r = NULL;
            for (unsigned k = 0; b && k < 8 && at + k < g->size; k++)
                word |= (uint64_t)b[at + k] << 8 * k;
            vec_each (struct ir_reloc, q, &g->relocs)
                if (q->offset == at)
                    r = q;
            sbuf_puts(out, at ? ", " : "");
            if (!r) {
                sbuf_printf(out, "0x%llx", (unsigned long long)word);
            } else if (r->target->kind == IR_VALUE_FUNC) {
                sbuf_puts(out, map_get(&p->symbols, map_key(r->target->u.func)));
            } else {
                sbuf_printf(out, "generic(%s)",
                            (const char *)map_get(&p->symbols, map_key(r->target->u.global)));
                if (r->addend)
                    sbuf_printf(out, "%+lld", (long long)r->addend);
            }
        }
        sbuf_puts(out, "}");
        return;
    }
    while (b && used && !b[used - 1])
        used--;
    if (!b || !used)
        return;
    sbuf_puts(out, " = {");
    bool words = g->align >= 4 && g->size % 4 == 0;
    for (uint64_t at = 0; at < used; at += words ? 4 : 1) {
        sbuf_puts(out, !at ? "" : at % 64 == 0 ? ",\n\t" : ", ");
        if (words)
            sbuf_printf(out, "0x%x",
                        (unsigned)(b[at] | b[at + 1] << 8 | b[at + 2] << 16) | (unsigned)b[at + 3]
                                                                                   << 24);
        else
            sbuf_printf(out, "%u", b[at]);
    }
    sbuf_puts(out, "}");
}

static bool emit_global(struct ptx *p, struct ir_global *g, struct sbuf *out, struct map *state)
{
    void *const open = p, *const done = g; /* any two that differ */
    void *s = map_get(state, map_key(g));
    if (s == done)
        return true;
    if (s == open) {
        diag_error(p->job->diag, g->span,
                   "'%s' and what it points at refer to each other: not "
                   "possible in PTX",
                   g->name);
        return false;
    }
    map_set(state, map_key(g), open);
    vec_each (struct ir_reloc, r, &g->relocs) {
        if (r->offset % 8) {
            diag_error(p->job->diag, g->span, "an unaligned address in the initialiser of '%s'",
                       g->name);
            return false;
        }
        if (r->target->kind == IR_VALUE_GLOBAL && !emit_global(p, r->target->u.global, out, state))
            return false;
    }
    map_set(state, map_key(g), done);
    const char *name = map_get(&p->symbols, map_key(g));
    uint32_t align = g->align ? g->align : 1;
    if (g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN) {
        sbuf_printf(out, ".extern .shared .align %u .b8 %s[];\n", align < 16 ? 16 : align, name);
        return true;
    }
    const char *space = g->space == IR_SPACE_SHARED  ? ".shared"
                        : g->space == IR_SPACE_CONST ? ".const"
                                                     : ".global";
    if (g->flags & IR_GLOBAL_EXTERN)
        sbuf_puts(out, ".extern ");
    else if (g->space != IR_SPACE_SHARED && g->flags & IR_GLOBAL_WEAK)
        sbuf_puts(out, ".weak ");
    else if (is_for_the_host(g))
        sbuf_puts(out, ".visible ");
    sbuf_printf(out, "%s%s", space, g->flags & IR_GLOBAL_MANAGED ? " .attribute(.managed)" : "");
    uint64_t size = g->size ? g->size : 1;
    if (g->relocs.len)
        sbuf_printf(out, " .align %u .u64 %s[%llu]", align < 8 ? 8 : align, name,
                    (unsigned long long)(size + 7) / 8);
    else if (align >= 4 && size % 4 == 0 && g->init)
        sbuf_printf(out, " .align %u .b32 %s[%llu]", align, name, (unsigned long long)size / 4);
    else
        sbuf_printf(out, " .align %u .b8 %s[%llu]", align, name, (unsigned long long)size);
    if (!(g->flags & IR_GLOBAL_EXTERN) && g->space != IR_SPACE_SHARED)
        initializer(p, g, out);
    sbuf_puts(out, ";\n");
    return true;
}

static bool emit_globals(struct ptx *p, struct sbuf *out)
{
    struct map state;
    uint64_t constants = 0;
    map_init(&state, p->a);
    ir_each_global (g, p->job->module) {
        if (!map_has(&p->reached, map_key(g)))
            continue;
        if (g->space == IR_SPACE_CONST)
            constants += g->size;
        if (!emit_global(p, g, out, &state))
            return false;
        if (is_for_the_host(g)) {
            struct back_global named = {g->name, map_get(&p->symbols, map_key(g))};
            vec_push(p->a, &p->job->globals, named);
        }
    }
    if (constants > CONST_LIMIT) {
        diag_error(p->job->diag, span_at(0, 0),
                   "%llu bytes of __constant__ data; an NVIDIA GPU has %u",
                   (unsigned long long)constants, CONST_LIMIT);
        return false;
    }
    return true;
}

/* ---- the module ---- */
static void externals(struct ptx *p, struct sbuf *out)
{
    if (p->uses_printf)
        sbuf_puts(out,
                  ".extern .func (.param .b32 v) vprintf(.param .b64 format, .param .b64 args);\n");
    if (p->uses_malloc)
        sbuf_puts(out, ".extern .func (.param .b64 v) malloc(.param .b64 size);\n");
    if (p->uses_free)
        sbuf_puts(out, ".extern .func free(.param .b64 pointer);\n");
    if (p->uses_assert)
        sbuf_puts(out, ".extern .func __assertfail(.param .b64 message, .param .b64 file, "
                       ".param .b32 line, .param .b64 function, .param .b64 char_size);\n");
}

static struct ptx_kernel *own_of(const struct back_kernel *k) /* made by ptx_emit_func */
{
    return (struct ptx_kernel *)k->own;
}

static bool emit(struct back_job *job)
{
    struct ptx p = {.job = job, .options = ptx_options(job), .a = job->arena};
    struct ir_module *m = job->module;
    bool big = false, helper_shares = false;
    p.arch = p.options->arch ? p.options->arch : lower_has_async(m) ? 90 : 80;
    if (p.arch >= 200) /* 800 means sm_80 */
        p.arch /= 10;
    if (p.arch < 70) {
        diag_error(job->diag, span_at(0, 0), "PTX is made for sm_70 and later, not sm_%u", p.arch);
        return false;
    }
    if (!ptx_lower(&p))
        return false;
    sbuf_init(&p.text, p.a);
    map_init(&p.symbols, p.a);
    map_init(&p.taken, p.a);
    map_init(&p.reached, p.a);
    map_init(&p.files, p.a);
    name_all(&p);
    if (!reach_all(&p))
        return false;
    struct sbuf declarations, globals;
    sbuf_init(&declarations, p.a);
    sbuf_init(&globals, p.a);
    uint32_t helper_uses = 0, shared = 0;
    size_t first_kernel = job->kernels.len;
    for (int kernels = 0; kernels < 2; kernels++)
        ir_each_func (f, m) {
            bool kernel = f->flags & IR_FUNC_KERNEL;
            if (kernel != (kernels == 1) || !map_has(&p.reached, map_key(f)))
                continue;
            if (!f->first) {
                diag_error(job->diag, f->span, "function '%s' is used but not defined",
                           f->display ? f->display : f->name);
                p.failed = true;
                continue;
            }
            if (!kernel)
                sbuf_printf(&declarations, "%s;\n", ptx_signature(&p, f));
            big |= f->param_bytes > PARAM_LIMIT;
            if (!ptx_lower_func(&p, f))
                return false;
            ptx_emit_func(&p, f);
            if (kernel) {
                own_of(&vec_last(&job->kernels))->shares = shares(f);
            } else {
                helper_uses |= (uint32_t)(uintptr_t)f->data;
                helper_shares |= shares(f);
            }
        }
    if (!emit_globals(&p, &globals) || p.failed)
        return false;
    ir_each_global (g, m)
        if (g->space == IR_SPACE_SHARED && map_has(&p.reached, map_key(g))) {
            uint32_t align = g->align ? g->align : 1;
            shared = ((shared + align - 1) & -align) + (uint32_t)g->size;
        }
    for (size_t k = first_kernel; k < job->kernels.len; k++) {
        job->kernels.data[k].uses |= helper_uses;
        own_of(&job->kernels.data[k])->shares |= helper_shares;
        job->kernels.data[k].static_shared = shared;
    }
    struct sbuf *out = job->out;
    sbuf_puts(out, "// ");
    sbuf_comment(out, m->name ? m->name : "module");
    if (big && p.isa < 81)
        p.isa = 81;
    if (!p.isa)
        p.isa = 78;
    sbuf_printf(out, ", by Tern\n.version %u.%u\n.target sm_%u%s\n.address_size 64\n\n", p.isa / 10,
                p.isa % 10, p.arch, p.arch_a ? "a" : "");
    map_each (it, &p.files) {
        sbuf_printf(out, ".file %u \"", (unsigned)(uintptr_t)it->value);
        sbuf_quoted(out, (const char *)(uintptr_t)it->key);
        sbuf_puts(out, "\"\n");
    }
    externals(&p, out);
    if (p.uses_gridsync)
        ptx_emit_gridsync(out);
    sbuf_put(out, declarations.data, declarations.len);
    sbuf_put(out, globals.data, globals.len);
    for (size_t k = first_kernel; k < job->kernels.len; k++)
        own_of(&job->kernels.data[k])->text += out->len;
    sbuf_put(out, p.text.data, p.text.len);
    return true;
}

/* ---- what is possible ---- */
static const char *refusal(enum ir_op op)
{
    switch (op) {
    case IR_OP_launch: return "only by a launcher that starts what kernels launch, as ours does";
    case IR_OP_check: return "what checked code tells is a call of the device library here";
    default:
        return ir_is_gang_op(op) ? "vectors are made for processors without threads of their own"
                                 : NULL;
    }
}

static enum back_support supports(enum ir_op op, ir_type type, const char **why)
{
    const char *no = refusal(op);
    if (!no && ir_is_vector(type))
        no = "vectors are made for processors without threads of their own";
    if (!no && ir_op_info[op].flags & IR_PURE && ir_op_info[op].shape <= IR_SHAPE_FC &&
        type != IR_VOID && !ptx_has_row(op, type))
        no = "there is no such instruction for this type";
    if (why)
        *why = no;
    return no ? BACK_NO : BACK_YES;
}

/* From Hopper on; where nobody says for what, too. */
static bool native(const void *own)
{
    const uint32_t arch = own ? ((const struct ptx_options *)own)->arch : 0;
    return !arch || (arch >= 90 && arch < 200) || arch >= 900;
}

static const struct back_option options[] = {
    BACK_OPTION("arch", BACK_NUMBER, ptx_options, arch, NULL, NULL),
};

const struct back_target back_ptx = {
    .name = "ptx",
    .about = "NVIDIA's virtual instruction set, for sm_70 to sm_90",
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct ptx_options),
    .kernel_bytes = sizeof(struct ptx_kernel),
    .supports = supports,
    .native = native,
    .prepare = ptx_prepare,
    .emit = emit,
};
