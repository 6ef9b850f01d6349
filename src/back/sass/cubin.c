/* The ELF file that the driver loads: kernels, what it must know of each, variables.
 *
 * In the form that CUDA 11 and 12 wrote, which every driver since takes, with the sections that one
 * asks for and no others: text and parameters of each kernel, attributes (.nv.info), variables,
 * and bank 4, the table of their addresses that code reads. */
#include <string.h>
#include "back/sass/sass_int.h"

enum {
    SHT_PROGBITS = 1,
    SHT_SYMTAB,
    SHT_STRTAB,
    SHT_RELA,
    SHT_NOBITS = 8,
    SHT_REL = 9,
    SHT_NVINFO = 0x70000000,
    SHT_CALLGRAPH = 0x70000001
};
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXEC = 4, SHF_INFO = 0x40 };
enum { R_CUDA_64 = 2, R_CUDA_G64 = 4 };
enum { STO_MANAGED = 4 };

struct section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, align, entry, size, offset; /* size: of NOBITS, else of data */
    struct sbuf data;
};

struct writer {
    struct cubin *c;
    struct arena *a;
    VEC(struct section) sections;
    struct sbuf strings, symbols;
    uint32_t nsymbols, first_global;
    uint32_t *text, *params, *kernel_symbol, *param_symbol; /* by kernel */
    uint32_t *var_section, *var_symbol;                     /* by variable */
    uint32_t systems, system_symbol[SASS_SYSTEM_COUNT];     /* all kernels' */
    uint64_t *var_at;
};

/* ---- bytes ---- */
static void le(struct sbuf *o, uint64_t v, unsigned bytes)
{
    unsigned char word[8];
    for (unsigned k = 0; k < bytes; k++)
        word[k] = (unsigned char)(v >> 8 * k);
    sbuf_put(o, word, bytes);
}

/* Until it is so long. */
static void zeros(struct sbuf *o, uint64_t len)
{
    static const char none[64];
    while (o->len < len && !o->failed)
        sbuf_put(o, none, len - o->len < sizeof none ? len - o->len : sizeof none);
}

static void pad(struct sbuf *o, uint64_t align)
{
    zeros(o, (o->len + align - 1) / align * align);
}

static uint32_t string(struct sbuf *o, const char *s)
{
    uint32_t at = (uint32_t)o->len;
    sbuf_put(o, s, strlen(s) + 1);
    return at;
}

static uint32_t section(struct writer *w, const char *name, uint32_t type, uint64_t flags,
                        uint64_t align)
{
    struct section s = {.name = name, .type = type, .flags = flags, .align = align};
    sbuf_init(&s.data, w->a);
    vec_push(w->a, &w->sections, s);
    return (uint32_t)w->sections.len - 1;
}

static struct section *at(struct writer *w, uint32_t k)
{
    return &w->sections.data[k];
}

static uint32_t symbol(struct writer *w, const char *name, unsigned info, unsigned other,
                       uint32_t in, uint64_t value, uint64_t size)
{
    le(&w->symbols, name ? string(&w->strings, name) : 0, 4);
    le(&w->symbols, info, 1);
    le(&w->symbols, other, 1);
    le(&w->symbols, in, 2);
    le(&w->symbols, value, 8);
    le(&w->symbols, size, 8);
    return w->nsymbols++;
}

static const char *named(struct writer *w, const char *kind, const char *kernel)
{
    return arena_printf(w->a, "%s.%s", kind, kernel);
}

/* ---- attributes ---- */
enum attribute {
    PARAM_CBANK = 0x0a,
    FRAME_SIZE = 0x11,
    MIN_STACK_SIZE = 0x12,
    KPARAM_INFO = 0x17,
    KPARAM_INFO_V2 = 0x45,
    CBANK_PARAM_SIZE = 0x19,
    MAXREG_COUNT = 0x1b,
    EXIT_OFFSETS = 0x1c,
    CRS_STACK_SIZE = 0x1e,
    REGCOUNT = 0x2f,
    API_VERSION = 0x37,
    MAX_THREADS = 0x05,
    REQ_THREADS = 0x10,
    EXTERNS = 0x0f,
    CLUSTER = 0x3d,
    SYSTEM_CALLS = 0x46,
};

static void attribute(struct sbuf *o, unsigned what, uint32_t bytes)
{
    le(o, 4, 1);
    le(o, what, 1);
    le(o, bytes, 2);
}

static void short_attribute(struct sbuf *o, unsigned what, uint32_t value)
{
    le(o, 3, 1);
    le(o, what, 1);
    le(o, value, 2);
}

static void of_symbol(struct sbuf *o, unsigned what, uint32_t symbol, uint32_t value)
{
    attribute(o, what, 8);
    le(o, symbol, 4);
    le(o, value, 4);
}

static void kernel_attributes(struct writer *w, struct sbuf *o, uint32_t n)
{
    const struct cubin_kernel *k = &w->c->kernels.data[n];
    const struct ir_func *f = k->f;
    const bool wide = f->param_bytes > 4096; /* sizes have 14 bits in the first form */
    attribute(o, API_VERSION, 4);
    le(o, 0x7d, 4);
    for (uint32_t p = (uint32_t)f->params.len; p-- > 0;) {
        const struct ir_param *q = &f->params.data[p];
        uint32_t bytes = q->byval_size ? q->byval_size : ir_bytes(q->type);
        attribute(o, wide ? KPARAM_INFO_V2 : KPARAM_INFO, 12);
        le(o, 0, 4);
        le(o, p, 2);
        le(o, q->offset, 2);
        le(o, wide ? bytes : (uint64_t)bytes << 18 | 0x1f000, 4);
    }
    short_attribute(o, CBANK_PARAM_SIZE, f->param_bytes);
    attribute(o, PARAM_CBANK, 8);
    le(o, w->param_symbol[n], 4);
    le(o, sass_param_base(w->c->arch), 2);
    le(o, f->param_bytes, 2);
    short_attribute(o, MAXREG_COUNT, 0xff);
    if (k->ncalls) {
        attribute(o, EXTERNS, (uint32_t)__builtin_popcount(k->systems) * 4);
        for (unsigned e = 0; e < SASS_SYSTEM_COUNT; e++)
            if (k->systems >> e & 1)
                le(o, w->system_symbol[e], 4);
        attribute(o, SYSTEM_CALLS, (uint32_t)k->ncalls * 4);
        for (size_t e = 0; e < k->ncalls; e++)
            le(o, k->calls[e], 4);
    }
    attribute(o, EXIT_OFFSETS, (uint32_t)k->nexits * 4);
    for (size_t e = 0; e < k->nexits; e++)
        le(o, k->exits[e], 4);
    attribute(o, CRS_STACK_SIZE, 4);
    le(o, 0, 4);
    if (f->required_block[0] || f->max_threads) {
        attribute(o, f->required_block[0] ? REQ_THREADS : MAX_THREADS, 12);
        for (unsigned d = 0; d < 3; d++) {
            uint32_t r = f->required_block[0] ? f->required_block[d] : d ? 1 : f->max_threads;
            le(o, r ? r : 1, 4);
        }
    }
    if (f->cluster[0]) {
        attribute(o, CLUSTER, 12);
        for (unsigned d = 0; d < 3; d++)
            le(o, f->cluster[d] ? f->cluster[d] : 1, 4);
    }
}

/* ---- sections ---- */
static void add_kernels(struct writer *w)
{
    struct cubin *c = w->c;
    for (uint32_t n = 0; n < c->kernels.len; n++) {
        struct cubin_kernel *k = &c->kernels.data[n];
        uint32_t text = section(w, named(w, ".text", k->symbol), SHT_PROGBITS,
                                SHF_ALLOC | SHF_EXEC | (uint64_t)k->barriers << 20, 128);
        for (size_t i = 0; i < k->words; i++) {
            le(&at(w, text)->data, k->code[i].low, 8);
            le(&at(w, text)->data, k->code[i].high, 8);
        }
        w->text[n] = text;
        uint32_t bank =
            section(w, named(w, ".nv.constant0", k->symbol), SHT_PROGBITS, SHF_ALLOC | SHF_INFO, 4);
        at(w, bank)->info = text;
        zeros(&at(w, bank)->data, sass_param_base(c->arch) + k->f->param_bytes);
        w->params[n] = bank;
        if (k->shared || c->arch >= 90) {
            uint32_t shared = section(w, named(w, ".nv.shared", k->symbol), SHT_NOBITS,
                                      SHF_WRITE | SHF_ALLOC | SHF_INFO, 16);
            at(w, shared)->info = text;
            at(w, shared)->size = sass_shared_base(c->arch) + k->shared;
        }
    }
}

static void add_constant(struct sbuf *d, const struct cubin_var *v)
{
    zeros(d, v->place);
    if (v->g->init)
        sbuf_put(d, v->g->init, v->g->size);
    zeros(d, v->place + v->g->size);
    pad(d, 8);
}

static void add_variables(struct writer *w)
{
    struct cubin *c = w->c;
    uint32_t init = 0, zero = 0, bank = 0;
    for (uint32_t n = 0; n < c->vars.len; n++) {
        struct ir_global *g = c->vars.data[n].g;
        if (c->vars.data[n].place != SASS_NONE) {
            if (!bank)
                bank = section(w, ".nv.constant3", SHT_PROGBITS, SHF_ALLOC, 256);
            add_constant(&at(w, bank)->data, &c->vars.data[n]);
            w->var_at[n] = c->vars.data[n].place;
            w->var_section[n] = bank;
            continue;
        }
        uint64_t align = g->align ? g->align : 1, size = g->size ? g->size : 1;
        if (g->relocs.len && align < 8)
            align = 8;
        if (g->init || g->relocs.len) {
            if (!init)
                init = section(w, ".nv.global.init", SHT_PROGBITS, SHF_WRITE | SHF_ALLOC, 128);
            struct sbuf *d = &at(w, init)->data;
            pad(d, align);
            w->var_at[n] = d->len;
            if (g->init)
                sbuf_put(d, (const char *)g->init, g->size);
            zeros(d, w->var_at[n] + size);
            w->var_section[n] = init;
        } else {
            if (!zero)
                zero = section(w, ".nv.global", SHT_NOBITS, SHF_WRITE | SHF_ALLOC, 128);
            struct section *z = at(w, zero);
            z->size = (z->size + align - 1) / align * align;
            w->var_at[n] = z->size;
            z->size += size;
            w->var_section[n] = zero;
        }
    }
}

static void add_symbols(struct writer *w)
{
    struct cubin *c = w->c;
    symbol(w, NULL, 0, 0, 0, 0, 0);
    for (uint32_t n = 0; n < c->kernels.len; n++) {
        symbol(w, at(w, w->text[n])->name, 3, 0, w->text[n], 0, 0);
        w->param_symbol[n] = symbol(w, at(w, w->params[n])->name, 3, 0, w->params[n], 0, 0);
    }
    for (int global = 0; global < 2; global++) {
        if (global)
            w->first_global = w->nsymbols;
        for (uint32_t n = 0; n < c->vars.len; n++)
            if (c->vars.data[n].named == global)
                w->var_symbol[n] =
                    symbol(w, c->vars.data[n].symbol, global ? 0x11 : 0x01,
                           c->vars.data[n].g->flags & IR_GLOBAL_MANAGED ? STO_MANAGED : 0,
                           w->var_section[n], w->var_at[n], c->vars.data[n].g->size);
    }
    for (uint32_t n = 0; n < c->kernels.len; n++)
        w->kernel_symbol[n] = symbol(w, c->kernels.data[n].symbol, 0x12, 0x10, w->text[n], 0,
                                     c->kernels.data[n].words * 16);
    for (unsigned e = 0; e < SASS_SYSTEM_COUNT; e++)
        if (w->systems >> e & 1)
            w->system_symbol[e] = symbol(w, sass_system_names[e], 0x12, 0, 0, 0, 0);
}

/* Before sm_90 what is added stands in the place itself. */
static void relocation(struct writer *w, uint32_t table, uint64_t where, uint32_t symbol,
                       unsigned type, int64_t addend)
{
    struct sbuf *o = &at(w, table)->data;
    le(o, where, 8);
    le(o, (uint64_t)symbol << 32 | type, 8);
    if (w->c->arch >= 90) {
        le(o, (uint64_t)addend, 8);
        return;
    }
    char *place = at(w, at(w, table)->info)->data.data + where;
    for (unsigned b = 0; b < 8; b++)
        place[b] = (char)((uint64_t)addend >> 8 * b);
}

static uint32_t var_of(const struct cubin *c, const struct ir_global *g)
{
    for (uint32_t n = 0; n < c->vars.len; n++)
        if (c->vars.data[n].g == g)
            return n;
    return SASS_NONE;
}

static uint32_t relocations_of(struct writer *w, uint32_t of, const char *name)
{
    const bool old = w->c->arch < 90;
    uint32_t r = section(w, arena_printf(w->a, "%s%s", old ? ".rel" : ".rela", name),
                         old ? SHT_REL : SHT_RELA, SHF_INFO, 8);
    at(w, r)->info = of;
    at(w, r)->entry = old ? 16 : 24;
    return r;
}

/* Who calls whom, as far as the loader asks. */
static void add_call_graph(struct writer *w)
{
    if (!w->systems)
        return;
    uint32_t graph = section(w, ".nv.callgraph", SHT_CALLGRAPH, 0, 4);
    at(w, graph)->entry = 8;
    struct sbuf *d = &at(w, graph)->data;
    for (uint32_t end = 1; end <= 4; end++) {
        le(d, 0, 4);
        le(d, 0u - end, 4);
        for (uint32_t n = 0; end == 1 && n < w->c->kernels.len; n++)
            for (unsigned e = 0; e < SASS_SYSTEM_COUNT; e++)
                if (w->c->kernels.data[n].systems >> e & 1) {
                    le(d, w->kernel_symbol[n], 4);
                    le(d, w->system_symbol[e], 4);
                }
    }
}

static void add_systems(struct writer *w, uint32_t *table, uint32_t *into_table)
{
    for (unsigned e = 0; e < SASS_SYSTEM_COUNT; e++) {
        if (!(w->systems >> e & 1))
            continue;
        if (!*table) {
            *table = section(w, ".nv.constant4", SHT_PROGBITS, SHF_ALLOC, 8);
            *into_table = relocations_of(w, *table, ".nv.constant4");
        }
        const uint32_t slot = w->c->system_slots + 8 * e;
        zeros(&at(w, *table)->data, slot + 8);
        relocation(w, *into_table, slot, w->system_symbol[e], R_CUDA_64, 0);
    }
}

static void add_addresses(struct writer *w)
{
    struct cubin *c = w->c;
    uint32_t table = 0, into_table = 0, into_vars = 0;
    for (uint32_t n = 0; n < c->vars.len; n++) {
        const struct cubin_var *v = &c->vars.data[n];
        if (v->slot != SASS_NONE && v->place == SASS_NONE) {
            if (!table) {
                table = section(w, ".nv.constant4", SHT_PROGBITS, SHF_ALLOC, 8);
                into_table = relocations_of(w, table, ".nv.constant4");
            }
            struct sbuf *d = &at(w, table)->data;
            zeros(d, v->slot + 8);
            relocation(w, into_table, v->slot, w->var_symbol[n], R_CUDA_64, 0);
        }
        vec_each (struct ir_reloc, r, &v->g->relocs) {
            if (r->target->kind == IR_VALUE_FUNC) { /* its number: lower_call_pointers */
                uint64_t number = lower_func_number(r->target->u.func);
                char *word = at(w, w->var_section[n])->data.data + w->var_at[n] + r->offset;
                for (unsigned b = 0; b < 8; b++)
                    word[b] = (char)(number >> 8 * b);
                continue;
            }
            uint32_t to = var_of(c, r->target->u.global);
            if (!into_vars)
                into_vars = relocations_of(w, w->var_section[n], ".nv.global.init");
            relocation(w, into_vars, w->var_at[n] + r->offset, w->var_symbol[to], R_CUDA_G64,
                       r->addend);
        }
    }
    add_systems(w, &table, &into_table);
}

static void add_info(struct writer *w)
{
    struct cubin *c = w->c;
    uint32_t all = section(w, ".nv.info", SHT_NVINFO, 0, 4);
    for (uint32_t n = 0; n < c->kernels.len; n++) {
        const struct cubin_kernel *k = &c->kernels.data[n];
        struct sbuf *o = &at(w, all)->data;
        of_symbol(o, REGCOUNT, w->kernel_symbol[n], k->registers);
        of_symbol(o, FRAME_SIZE, w->kernel_symbol[n], k->frame);
        of_symbol(o, MIN_STACK_SIZE, w->kernel_symbol[n], k->frame);
    }
    for (uint32_t n = 0; n < c->kernels.len; n++) {
        uint32_t one =
            section(w, named(w, ".nv.info", c->kernels.data[n].symbol), SHT_NVINFO, SHF_INFO, 4);
        at(w, one)->info = w->text[n];
        kernel_attributes(w, &at(w, one)->data, n);
        at(w, w->text[n])->info = w->kernel_symbol[n] | (uint32_t)c->kernels.data[n].registers
                                                            << 24;
    }
}

/* ---- the file ---- */
static void header(struct sbuf *o, unsigned arch, uint64_t sections, unsigned n, unsigned names)
{
    sbuf_put(o, "\177ELF\2\1\1\x33\7\0\0\0\0\0\0\0", 16);
    le(o, 2, 2);    /* EXEC */
    le(o, 190, 2);  /* CUDA */
    le(o, 0x80, 4); /* of a toolkit 12.8 */
    le(o, 0, 8);
    le(o, 0, 8);
    le(o, sections, 8);
    le(o, arch << 16 | 0x500 | arch, 4);
    le(o, 64, 2);
    le(o, 56, 2);
    le(o, 0, 2);
    le(o, 64, 2);
    le(o, n, 2);
    le(o, names, 2);
}

static void section_header(struct sbuf *o, const struct section *s, uint32_t name)
{
    le(o, name, 4);
    le(o, s->type, 4);
    le(o, s->flags, 8);
    le(o, 0, 8);
    le(o, s->offset, 8);
    le(o, s->size, 8);
    le(o, s->link, 4);
    le(o, s->info, 4);
    le(o, s->align, 8);
    le(o, s->entry, 8);
}

static void write_file(struct writer *w, struct sbuf *out)
{
    struct sbuf names, body;
    sbuf_init(&names, w->a);
    sbuf_init(&body, w->a);
    uint32_t n = (uint32_t)w->sections.len;
    uint32_t *name = arena_array(w->a, uint32_t, n);
    for (uint32_t k = 0; k < n; k++)
        name[k] = k ? string(&names, at(w, k)->name) : string(&names, "");
    at(w, 1)->data = names;
    for (uint32_t k = 1; k < n; k++) {
        struct section *s = at(w, k);
        uint64_t align = s->align ? s->align : 1;
        zeros(&body, (64 + body.len + align - 1) / align * align - 64);
        s->offset = 64 + body.len;
        if (s->type == SHT_NOBITS)
            continue;
        s->size = s->data.len;
        sbuf_put(&body, s->data.data ? s->data.data : "", s->data.len);
    }
    pad(&body, 8);
    header(out, w->c->arch, 64 + body.len, n, 1);
    sbuf_put(out, body.data, body.len);
    for (uint32_t k = 0; k < n; k++)
        section_header(out, at(w, k), name[k]);
    for (uint32_t k = 0; k < w->c->kernels.len; k++)
        w->c->kernels.data[k].text = (uint32_t)at(w, w->text[k])->offset;
}

void cubin_write(struct cubin *c, struct arena *a, struct sbuf *out)
{
    struct writer w = {.c = c, .a = a};
    size_t k = c->kernels.len + 1, v = c->vars.len + 1;
    w.text = arena_array(a, uint32_t, k);
    w.params = arena_array(a, uint32_t, k);
    w.kernel_symbol = arena_array(a, uint32_t, k);
    w.param_symbol = arena_array(a, uint32_t, k);
    w.var_section = arena_array(a, uint32_t, v);
    w.var_symbol = arena_array(a, uint32_t, v);
    w.var_at = arena_array(a, uint64_t, v);
    sbuf_init(&w.strings, a);
    sbuf_init(&w.symbols, a);
    sbuf_putc(&w.strings, 0);
    section(&w, "", 0, 0, 0);
    section(&w, ".shstrtab", SHT_STRTAB, 0, 1);
    uint32_t strings = section(&w, ".strtab", SHT_STRTAB, 0, 1);
    uint32_t symbols = section(&w, ".symtab", SHT_SYMTAB, 0, 8);
    vec_each (struct cubin_kernel, one, &c->kernels)
        w.systems |= one->systems;
    add_kernels(&w);
    add_variables(&w);
    add_symbols(&w);
    add_addresses(&w);
    add_info(&w);
    add_call_graph(&w);
    at(&w, strings)->data = w.strings;
    at(&w, symbols)->data = w.symbols;
    at(&w, symbols)->link = strings;
    at(&w, symbols)->info = w.first_global;
    at(&w, symbols)->entry = 24;
    for (uint32_t n = 1; n < w.sections.len; n++) {
        struct section *s = at(&w, n);
        if (s->type == SHT_NVINFO || s->type == SHT_CALLGRAPH || s->type == SHT_RELA ||
            s->type == SHT_REL || s->flags & SHF_EXEC)
            s->link = symbols;
    }
    write_file(&w, out);
}
