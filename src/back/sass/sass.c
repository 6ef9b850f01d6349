/* The targets of NVIDIA's machine code: cubin, the file that the driver loads, and sass, the same
 * as text with the control word of each instruction.
 *
 * A kernel of which one operation has no instruction here is refused, and with it the module: who
 * loads it then goes through PTX. */
#include <string.h>
#include "back/sass/sass_int.h"

/* RESERVED: registers of a thread that the hardware keeps for itself, above those of the code. */
enum { MOST_ROUNDS = 400, HASTY_ROUNDS = 12, HASTY_INSTS = 4000, RESERVED = 2 };

static unsigned chip_of(uint32_t arch)
{
    return sass_chip(arch >= 200 ? arch / 10 : arch);
}

bool sass_makes(uint32_t arch)
{
    return chip_of(arch) & ALL;
}

bool sass_knows(uint32_t arch)
{
    return chip_of(arch) == SM90;
}

/* ---- names ---- */
struct module {
    struct back_job *job;
    const struct back_target *target;
    struct arena *a;
    struct arena kernel; /* what is known of the last kernel */
    unsigned arch;
    struct cubin cubin;
    struct map slots;  /* ir_global → place of its address in bank 4, + 1 */
    struct map places; /* → place in bank 3, + 1 */
    struct map seen;
    struct map taken;               /* symbols */
    struct ir_global *grid_counter; /* what barriers of the grid count in, or NULL */
};

/* Files that were linked may each have one of a name for themselves: the second is numbered. */
static const char *symbol_of(struct module *m, const char *mangled, const char *name)
{
    struct interner *in = m->job->module->names;
    const char *wish = mangled ? mangled : name, *symbol = intern_z(in, wish);
    for (unsigned n = 2; map_has(&m->taken, map_key(symbol)); n++)
        symbol = intern_z(in, arena_printf(m->a, "%s$%u", wish, n));
    map_set(&m->taken, map_key(symbol), m);
    return symbol;
}

static void take_system_names(struct module *m)
{
    for (unsigned k = 0; k < SASS_SYSTEM_COUNT; k++) {
        const char *name = intern_z(m->job->module->names, sass_system_names[k]);
        map_set(&m->taken, map_key(name), m);
    }
}

static bool is_for_the_host(const struct ir_global *g)
{
    return !(g->flags & IR_GLOBAL_EXTERN) && (g->flags & (IR_GLOBAL_EXPORT | IR_GLOBAL_MANAGED) ||
                                              g->display || !strchr(g->name, '.'));
}

/* ---- variables ---- */
/* Bank 3 has 64 KB; what is left over lies in global memory. */
static uint32_t place_in_bank(struct module *m, const struct ir_global *g)
{
    enum { BANK = 1 << 16 };
    const uint32_t align = g->align > 8 ? g->align : 8;
    const uint64_t at = (m->cubin.constant_bytes + align - 1) / align * align;
    if (at + g->size > BANK)
        return SASS_NONE;
    m->cubin.constant_bytes = (uint32_t)((at + g->size + 7) & ~UINT64_C(7));
    map_set(&m->places, map_key(g), (void *)(uintptr_t)(at + 1));
    return (uint32_t)at;
}

static bool add_var(struct module *m, struct ir_global *g)
{
    struct cubin_var v = {symbol_of(m, g->mangled, g->name), g, is_for_the_host(g), SASS_NONE,
                          SASS_NONE};
    if (g->flags & IR_GLOBAL_EXTERN) {
        diag_error(m->job->diag, g->span,
                   "no machine code for sm_%u: the variable '%s' is defined elsewhere", m->arch,
                   g->name);
        return false;
    }
    vec_each (struct ir_reloc, r, &g->relocs)
        if (r->target->kind == IR_VALUE_GLOBAL && r->target->u.global->space == IR_SPACE_SHARED) {
            diag_error(m->job->diag, g->span,
                       "no machine code for sm_%u: '%s' holds an address in shared memory", m->arch,
                       g->name);
            return false;
        }
    v.slot = (uint32_t)m->cubin.vars.len * 8;
    if (g->space == IR_SPACE_CONST && !g->relocs.len)
        v.place = place_in_bank(m, g);
    vec_push(m->a, &m->cubin.vars, v);
    map_set(&m->slots, map_key(g), (void *)(uintptr_t)(v.slot + 1));
    return true;
}

static void reach(struct module *m, struct ir_global *g)
{
    if (map_has(&m->seen, map_key(g)))
        return;
    map_set(&m->seen, map_key(g), g);
    vec_each (struct ir_reloc, r, &g->relocs)
        if (r->target->kind == IR_VALUE_GLOBAL)
            reach(m, r->target->u.global);
}

static void reach_of(struct module *m, struct ir_func *f)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++)
                if (i->args[k]->kind == IR_VALUE_GLOBAL)
                    reach(m, i->args[k]->u.global);
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                    if (i->edges[e].args[k]->kind == IR_VALUE_GLOBAL)
                        reach(m, i->edges[e].args[k]->u.global);
        }
}

static bool is_wanted(const struct back_job *job, const struct ir_func *f)
{
    return f->flags & IR_FUNC_KERNEL && f->first &&
           (!job->options.kernel || !strcmp(f->name, job->options.kernel));
}

static bool waits_for_grid(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_gridsync)
                return true;
    return false;
}

/* One serves a module: whoever launches keeps two of its grids that wait from running at once. */
static void add_grid_counter(struct module *m)
{
    if (!m->grid_counter)
        m->grid_counter =
            ir_global_new(m->job->module, "tern.grid_counter", IR_SPACE_GLOBAL, 4, 4, 0);
    reach(m, m->grid_counter);
}

static bool add_vars(struct module *m)
{
    struct ir_module *ir = m->job->module;
    ir_each_func (f, ir)
        if (is_wanted(m->job, f)) {
            reach_of(m, f);
            if (waits_for_grid(f))
                add_grid_counter(m);
        }
    if (!m->job->options.kernel)
        ir_each_global (g, ir)
            if (g->space != IR_SPACE_SHARED && is_for_the_host(g))
                reach(m, g);
    ir_each_global (g, ir)
        if (g->space != IR_SPACE_SHARED && map_has(&m->seen, map_key(g)) && !add_var(m, g))
            return false;
    return true;
}

/* ---- a kernel ---- */
static bool is_bounded(const struct ir_func *f)
{
    return f->max_threads || f->required_block[0];
}

static unsigned register_limit(const struct module *m, const struct ir_func *f)
{
    const unsigned asked = sass_options(m->job)->registers;
    const unsigned any = asked && asked < 252 ? asked - RESERVED : 252;
    unsigned threads = f->max_threads;
    if (f->required_block[0])
        threads = f->required_block[0] * (f->required_block[1] ? f->required_block[1] : 1) *
                  (f->required_block[2] ? f->required_block[2] : 1);
    if (!threads)
        return any;
    unsigned warps = (threads + 31) / 32 * (f->min_blocks ? f->min_blocks : 1);
    unsigned most = 65536 / 32 / (warps ? warps : 1) / 8 * 8;
    return (most < 32 ? 32 : most > 252 ? 252 : most) - RESERVED;
}

/* As long as registers suffice, instructions are ordered and neighbours live side by side;
 * predicates that do not may be in registers. Where registers do not suffice, the order of the
 * program does with fewer. at_first: values that have no register to begin with. */
static struct sass_func *attempt(struct module *m, struct ir_func *f, struct map *shared,
                                 unsigned limit, const uint8_t *at_first)
{
    const size_t n = f->nvalues + 1;
    struct sass_places places = {arena_array(m->a, uint8_t, n), arena_array(m->a, uint8_t, n)};
    memcpy(places.spilled, at_first, n);
    const struct sass_layouts where = {
        &m->kernel, shared, &m->slots, &m->places, m->cubin.system_slots, m->grid_counter};
    bool ordered = true;
    const bool hasty = sass_options(m->job)->hasty;
    for (unsigned round = 0; round < (hasty ? HASTY_ROUNDS : MOST_ROUNDS); round++) {
        struct sass_func *s = sass_select(m->job, f, m->arch, &places, &where, ordered);
        if (s->failed)
            return NULL;
        sass_narrow(s);
        sass_combine(s);
        sass_layout(s);
        if (ordered)
            sass_order(s);
        if (sass_alloc(s, limit, &places))
            return s;
        if (s->failed && !ordered)
            return NULL;
        if (ordered && (s->failed || memcmp(places.spilled, at_first, n))) {
            ordered = false;
            memcpy(places.spilled, at_first, n);
            memset(places.demoted, 0, n);
        }
    }
    return NULL;
}

/* Parameters, which can be read from their bank wherever they are used: gives their words. */
static unsigned mark_parameters(const struct ir_func *f, uint8_t *set)
{
    unsigned words = 0;
    for (uint32_t k = 0; k < f->params.len && k < f->first->params.len; k++) {
        const struct ir_value *v = f->first->params.data[k];
        if (f->params.data[k].byval_size || ir_bytes(v->type) < 4)
            continue;
        set[v->id] = 1;
        words += sass_words(v->type);
    }
    return words;
}

/* Of a thread's registers: do a quarter more warps fit with that many? */
static bool is_lighter(unsigned now, unsigned before)
{
    return 4 * (65536 / 32 / ((now + RESERVED + 7) / 8 * 8)) >=
           5 * (65536 / 32 / ((before + RESERVED + 7) / 8 * 8));
}

/* Parameters live in registers as long as these are few; else they are read where they are used,
 * if more warps then run at once, or less is kept in local memory. */
static struct sass_func *allocate(struct module *m, struct ir_func *f, struct map *shared,
                                  unsigned limit)
{
    enum { ROOMY = 64 };
    ir_remove_unreachable(f);
    ir_renumber(f);
    if (sass_options(m->job)->hasty && f->nvalues > HASTY_INSTS) {
        diag_error(m->job->diag, f->span, "no machine code for sm_%u in a moment: it is long",
                   m->arch);
        return NULL;
    }
    const unsigned errors = m->job->diag->errors;
    uint8_t *held = arena_array(m->a, uint8_t, f->nvalues + 1);
    struct sass_func *s = attempt(m, f, shared, limit, held);
    if (m->job->diag->errors != errors)
        return NULL;
    unsigned words = mark_parameters(f, held);
    words += words / 2; /* pairs leave holes */
    if (!s || (!sass_options(m->job)->hasty && s->registers > ROOMY &&
               is_lighter(s->registers > words ? s->registers - words : 0, s->registers))) {
        struct sass_func *t = attempt(m, f, shared, limit, held);
        if (!s ||
            (t && (t->frame_bytes < s->frame_bytes ||
                   (t->frame_bytes == s->frame_bytes && is_lighter(t->registers, s->registers)))))
            s = t;
    }
    if (!s && m->job->diag->errors == errors)
        diag_error(m->job->diag, f->span, "no machine code for sm_%u: too many values at once",
                   m->arch);
    return s;
}

/* Lanes that have waited at a BSYNC go on where its BSSY says, the one that came last goes on
 * behind the BSYNC: so BSSY names the instruction behind the BSYNC that its block begins with, or
 * they would part again. */
static uint32_t goes_to(const struct sass_inst *i, const uint32_t *at)
{
    return i->op == OP_BSSY ? at[i->imm] + 16 : at[i->imm];
}

/* Jumps to what comes next are left out; the rest becomes words. */
static void lay_out(struct module *m, struct sass_func *s, struct cubin_kernel *k)
{
    uint32_t *at = arena_array(m->a, uint32_t, s->blocks.len + 1), n = 0;
    VEC(struct sass_word) code = {0};
    VEC(uint32_t) exits = {0};
    VEC(uint32_t) calls = {0};
    for (uint32_t b = 0; b < s->order.len; b++) {
        struct sass_block *x = &s->blocks.data[s->order.data[b]];
        if (x->code.len && b + 1 < s->order.len) {
            struct sass_inst *last = &vec_last(&x->code);
            if (last->op == OP_BRA && last->guard.reg == SASS_NONE && !last->guard.neg &&
                (uint32_t)last->imm == s->order.data[b + 1])
                x->code.len--;
        }
    }
    sass_balance(s);
    sass_uniform(s);
    sass_schedule(s, sass_options(m->job)->careful);
    for (uint32_t b = 0; b < s->order.len; b++) {
        at[s->order.data[b]] = n * 16;
        n += (uint32_t)s->blocks.data[s->order.data[b]].code.len;
    }
    s->ninsts = n;
    for (uint32_t b = 0; b < s->order.len; b++)
        vec_each (struct sass_inst, i, &s->blocks.data[s->order.data[b]].code) {
            uint32_t here = (uint32_t)code.len * 16;
            bool goes = sass_rows[i->op].operands & (O_TARGET | O_TARGET32);
            if (i->op == OP_EXIT)
                vec_push(m->a, &exits, here);
            if (i->op == OP_CALL)
                vec_push(m->a, &calls, here);
            struct sass_word w = sass_encode(i, m->arch, here, goes ? goes_to(i, at) : 0);
            vec_push(m->a, &code, w);
        }
    struct sass_inst stop = sass_inst(OP_BRA), nop = sass_inst(OP_NOP);
    struct sass_word end = sass_encode(&stop, m->arch, 0, 0),
                     rest = sass_encode(&nop, m->arch, 0, 0);
    vec_push(m->a, &code, end);
    while (code.len % 8)
        vec_push(m->a, &code, rest);
    k->code = code.data;
    k->words = code.len;
    k->exits = exits.data;
    k->nexits = exits.len;
    k->calls = calls.data;
    k->ncalls = calls.len;
    k->systems = s->systems;
}

/* Where shared variables begin: one may ask for more alignment than the hardware's first byte has.
 */
static uint32_t aligned_base(uint32_t base, const struct map *placed)
{
    uint32_t most = 1;
    map_each (it, placed) {
        const struct ir_global *g = (const struct ir_global *)(uintptr_t)it->key;
        most = g->align > most ? g->align : most;
    }
    return (base + most - 1) / most * most;
}

/* NULL: diagnostics say why. What it is called is left to the caller. */
static struct sass_func *make_kernel(struct module *m, struct ir_func *f, unsigned limit,
                                     struct cubin_kernel *k)
{
    struct map shared;
    arena_free(&m->kernel); /* the next one has the memory of the one before */
    map_init(&shared, m->a);
    uint32_t bytes = lower_kernel_shared_layout(m->a, f, &shared);
    const uint32_t base = sass_shared_base(m->arch), first = aligned_base(base, &shared);
    map_each (it, &shared)
        it->value = (void *)((uintptr_t)it->value + first);
    bytes += bytes || shared.len ? first - base : 0;
    struct sass_func *s = allocate(m, f, &shared, limit);
    if (!s)
        return NULL;
    *k = (struct cubin_kernel){
        .f = f, .shared = bytes, .barriers = s->barriers, .frame = s->frame_bytes};
    lay_out(m, s, k);
    k->registers = s->registers + RESERVED;
    return s;
}

enum { MOST_PARAM_BYTES = 32764 }; /* of CUDA, since 12.1, from sm_70 on */

static bool add_kernel(struct module *m, struct ir_func *f)
{
    if (f->param_bytes > MOST_PARAM_BYTES) {
        diag_error(m->job->diag, f->span,
                   "no machine code for sm_%u: parameters of more than %d bytes", m->arch,
                   MOST_PARAM_BYTES);
        return false;
    }
    struct cubin_kernel k;
    struct sass_func *s = make_kernel(m, f, register_limit(m, f), &k);
    if (!s)
        return false;
    k.symbol = symbol_of(m, f->mangled, f->name);
    vec_push(m->a, &m->cubin.kernels, k);
    struct sass_kernel *own = arena_new(m->a, struct sass_kernel);
    own->registers = k.registers;
    own->instructions = s->ninsts;
    own->bytes = (uint32_t)k.words * 16;
    own->slim = sass_options(m->job)->slim && !is_bounded(f) && k.registers > SASS_SLIM_REGISTERS;
    struct back_kernel told = {.name = f->name,
                               .symbol = k.symbol,
                               .param_bytes = f->param_bytes,
                               .static_shared = k.shared,
                               .local_bytes = s->frame_bytes,
                               .uses = s->uses_flags,
                               .own = own};
    vec_push(m->a, &m->job->kernels, told);
    return true;
}

/* Behind all others, whose places in the two lists are the same. */
static bool add_slim(struct module *m, struct ir_func *f)
{
    const struct back_kernel *told = NULL;
    vec_each (const struct back_kernel, k, &m->job->kernels)
        if (!strcmp(k->name, f->name))
            told = k;
    if (!told || !((const struct sass_kernel *)told->own)->slim)
        return true;
    struct cubin_kernel k;
    if (!make_kernel(m, f, SASS_SLIM_REGISTERS - RESERVED, &k))
        return false;
    k.symbol = arena_printf(m->a, "%s" SASS_SLIM, told->symbol);
    vec_push(m->a, &m->cubin.kernels, k);
    return true;
}

/* ---- the module ---- */
static bool make_module(struct back_job *job, const struct back_target *t, struct module *m)
{
    unsigned arch = sass_options(job)->arch ? sass_options(job)->arch : 90;
    *m = (struct module){
        .job = job, .target = t, .a = job->arena, .arch = arch >= 200 ? arch / 10 : arch};
    m->cubin.arch = m->arch;
    arena_init(&m->kernel, m->a->mem);
    map_init(&m->slots, m->a);
    map_init(&m->places, m->a);
    map_init(&m->seen, m->a);
    map_init(&m->taken, m->a);
    take_system_names(m);
    if (!sass_makes(m->arch)) {
        diag_error(job->diag, span_at(0, 0),
                   "machine code is made for sm_70, sm_75, sm_80, sm_86, sm_89 and sm_90 (-arch "
                   "sm_90), not for sm_%u",
                   m->arch);
        return false;
    }
    bool found = false;
    if (!sass_lower(job, t))
        return false;
    ir_each_func (f, job->module)
        if (is_wanted(job, f)) {
            found = true;
            if (!sass_lower_kernel(job, t, f))
                return false;
        }
    if (job->options.kernel && !found) {
        diag_error(job->diag, span_at(0, 0), "there is no kernel '%s'", job->options.kernel);
        return false;
    }
    if (!add_vars(m))
        return false;
    m->cubin.system_slots = (uint32_t)m->cubin.vars.len * 8;
    ir_each_func (f, job->module)
        if (is_wanted(job, f) && !add_kernel(m, f))
            return false;
    ir_each_func (f, job->module)
        if (is_wanted(job, f) && !add_slim(m, f))
            return false;
    vec_each (struct cubin_var, v, &m->cubin.vars)
        if (v->named) {
            struct back_global g = {v->g->name, v->symbol};
            vec_push(m->a, &job->globals, g);
        }
    return true;
}

static bool make(struct back_job *job, const struct back_target *t, struct module *m)
{
    const bool made = make_module(job, t, m);
    arena_free(&m->kernel);
    return made;
}

static bool emit_cubin(struct back_job *job)
{
    struct module m;
    if (!make(job, &back_cubin, &m))
        return false;
    const size_t first = job->out->len;
    cubin_write(&m.cubin, job->arena, job->out);
    for (size_t k = 0; k < job->kernels.len; k++)
        ((struct sass_kernel *)job->kernels.data[k].own)->offset =
            (uint32_t)first + m.cubin.kernels.data[k].text;
    return true;
}

static bool emit_text(struct back_job *job)
{
    struct module m;
    if (!make(job, &back_sass, &m))
        return false;
    sbuf_printf(job->out, "// sm_%u\n", m.arch);
    for (size_t k = 0; k < m.cubin.kernels.len; k++) {
        const struct cubin_kernel *c = &m.cubin.kernels.data[k];
        sbuf_printf(job->out, "\n%s: // %u registers, %u bytes of shared memory, %u of local\n",
                    c->symbol, c->registers, c->shared, c->frame);
        sass_disassemble(job->out, c->code, c->words, m.arch);
    }
    return true;
}

/* ---- what is possible ---- */
enum back_support sass_supports(enum ir_op op, ir_type type, const char **why)
{
    const char *no = NULL;
    switch (op) {
    case IR_OP_launch: no = "launches from kernels go through PTX"; break;
    case IR_OP_check: no = "checkers run on the CPU and in the interpreter"; break;
    default:
        if (ir_is_gang_op(op) || ir_is_vector(type))
            no = "vectors are made for processors without threads of their own";
    }
    if (!no && (op == IR_OP_call || op == IR_OP_call_ptr || op == IR_OP_match ||
                op == IR_OP_redux || op == IR_OP_udiv || op == IR_OP_sdiv || op == IR_OP_urem ||
                op == IR_OP_srem || op == IR_OP_fdiv || op == IR_OP_fsqrt || op == IR_OP_cpasync ||
                op == IR_OP_cpasync_commit || op == IR_OP_cpasync_wait || op == IR_OP_ldmatrix))
        return BACK_LOWERED;
    if (why)
        *why = no;
    return no ? BACK_NO : BACK_YES;
}

static bool has_clusters(const void *own)
{
    const struct sass_options *o = own;
    const uint32_t arch = o && o->arch ? o->arch : 90;
    return arch == 90 || arch == 900;
}

static const char *prepare_cubin(struct back_job *job)
{
    return sass_prepare(job, &back_cubin);
}

static const char *prepare_text(struct back_job *job)
{
    return sass_prepare(job, &back_sass);
}

static const struct back_option options[] = {
    BACK_OPTION("arch", BACK_NUMBER, sass_options, arch, NULL, NULL),
    BACK_OPTION(
        "careful", BACK_FLAG, sass_options, careful, NULL,
        "the longest waits between instructions, to tell a wrong schedule from other mistakes"),
};

const struct back_target back_sass = {
    .name = "sass",
    .about = "NVIDIA's machine code as text, for sm_75 to sm_90",
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct sass_options),
    .kernel_bytes = sizeof(struct sass_kernel),
    .supports = sass_supports,
    .clusters = has_clusters,
    .prepare = prepare_text,
    .emit = emit_text,
};

const struct back_target back_cubin = {
    .name = "cubin",
    .about = "NVIDIA's machine code as the driver loads it, for sm_75 to sm_90",
    .binary = true,
    .options = options,
    .noptions = sizeof options / sizeof *options,
    .option_bytes = sizeof(struct sass_options),
    .kernel_bytes = sizeof(struct sass_kernel),
    .supports = sass_supports,
    .clusters = has_clusters,
    .prepare = prepare_cubin,
    .emit = emit_cubin,
};
