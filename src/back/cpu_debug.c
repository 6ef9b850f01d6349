/* Symbols, lines, variables and unwinding of an image, as an ELF object with DWARF 4 in it.
 *
 * The object has no code: its .text lies where the image was loaded. Everything in it is absolute,
 * so it is written when that is known.
 *
 * A variable of the source lies in the frame (with -G), at a distance from the canonical frame
 * address. threadIdx and its kin, and shared memory, are found through the launch ABI: the code
 * keeps the address of its struct tern_block in the frame, and expressions walk from there. */
#include "back/cpu_debug.h"
#include <stddef.h>
#include <string.h>
#include "back/cpu_abi.h"
#include "back/cpu_debug_int.h"
#include "ir/debug.h"

/* ---- DWARF's numbers ---- */
enum {
    TAG_ARRAY = 0x01,
    TAG_ENUM = 0x04,
    TAG_PARAMETER = 0x05,
    TAG_BLOCK = 0x0b,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_UNIT = 0x11,
    TAG_STRUCT = 0x13,
    TAG_UNION = 0x17,
    TAG_INHERITANCE = 0x1c,
    TAG_SUBRANGE = 0x21,
    TAG_BASE = 0x24,
    TAG_ENUMERATOR = 0x28,
    TAG_SUBPROGRAM = 0x2e,
    TAG_VARIABLE = 0x34,
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTES = 0x0b,
    AT_LINES = 0x10,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_LANGUAGE = 0x13,
    AT_CONST = 0x1c,
    AT_PRODUCER = 0x25,
    AT_COUNT = 0x37,
    AT_MEMBER = 0x38,
    AT_FILE = 0x3a,
    AT_LINE = 0x3b,
    AT_ENCODING = 0x3e,
    AT_EXTERNAL = 0x3f,
    AT_FRAME = 0x40,
    AT_TYPE = 0x49,
    AT_RANGES = 0x55,
    AT_BIT_OFFSET = 0x6b,
    AT_BITS = 0x0d,
    AT_LINKAGE = 0x6e,
    FORM_ADDR = 0x01,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_DATA1 = 0x0b,
    FORM_SDATA = 0x0d,
    FORM_UDATA = 0x0f,
    FORM_REF4 = 0x13,
    FORM_OFFSET = 0x17,
    FORM_EXPR = 0x18,
    FORM_PRESENT = 0x19,
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST8U = 0x0e,
    OP_AND = 0x1a,
    OP_PLUS = 0x23,
    OP_FBREG = 0x91,
    OP_CFA = 0x9c,
    LANGUAGE_CPP = 0x04,
};

/* What each kind of entry has: name of ours, tag, children, pairs of attribute and form. */
enum {
    ENTRY_NONE,
    ENTRY_UNIT,
    ENTRY_FUNCTION,
    ENTRY_PARAMETER,
    ENTRY_VARIABLE,
    ENTRY_BLOCK,
    ENTRY_BASE,
    ENTRY_POINTER,
    ENTRY_VOID_POINTER,
    ENTRY_REFERENCE,
    ENTRY_ARRAY,
    ENTRY_RANGE,
    ENTRY_STRUCT,
    ENTRY_UNION,
    ENTRY_MEMBER,
    ENTRY_BITS,
    ENTRY_UNNAMED,
    ENTRY_PARENT,
    ENTRY_ENUM,
    ENTRY_ENUMERATOR,
    ENTRY_BUILTIN
};
/* Each kind of entry: its tag, whether it has children, attributes and their forms up to 0, 0. */
/* clang-format off */
#define DECLARED_HERE AT_NAME, FORM_STRING, AT_FILE, FORM_UDATA, AT_LINE, FORM_UDATA, AT_TYPE, FORM_REF4, AT_LOCATION, FORM_EXPR
static const uint8_t entries[] = {
    ENTRY_UNIT, TAG_UNIT, 1, AT_PRODUCER, FORM_STRING, AT_LANGUAGE, FORM_DATA1, AT_NAME, FORM_STRING,
        AT_LOW, FORM_ADDR, AT_HIGH, FORM_DATA8, AT_LINES, FORM_OFFSET, 0, 0,
    ENTRY_FUNCTION, TAG_SUBPROGRAM, 1, AT_NAME, FORM_STRING, AT_LINKAGE, FORM_STRING, AT_LOW, FORM_ADDR, AT_HIGH, FORM_DATA8,
        AT_FILE, FORM_UDATA, AT_LINE, FORM_UDATA, AT_EXTERNAL, FORM_PRESENT, AT_FRAME, FORM_EXPR, 0, 0,
    ENTRY_PARAMETER, TAG_PARAMETER, 0, DECLARED_HERE, 0, 0,
    ENTRY_VARIABLE, TAG_VARIABLE, 0, DECLARED_HERE, 0, 0,
    ENTRY_BLOCK, TAG_BLOCK, 1, AT_RANGES, FORM_OFFSET, 0, 0,
    ENTRY_BASE, TAG_BASE, 0, AT_NAME, FORM_STRING, AT_BYTES, FORM_UDATA, AT_ENCODING, FORM_DATA1, 0, 0,
    ENTRY_POINTER, TAG_POINTER, 0, AT_BYTES, FORM_UDATA, AT_TYPE, FORM_REF4, 0, 0,
    ENTRY_VOID_POINTER, TAG_POINTER, 0, AT_BYTES, FORM_UDATA, 0, 0,
    ENTRY_REFERENCE, TAG_REFERENCE, 0, AT_BYTES, FORM_UDATA, AT_TYPE, FORM_REF4, 0, 0,
    ENTRY_ARRAY, TAG_ARRAY, 1, AT_TYPE, FORM_REF4, 0, 0,
    ENTRY_RANGE, TAG_SUBRANGE, 0, AT_COUNT, FORM_UDATA, 0, 0,
    ENTRY_STRUCT, TAG_STRUCT, 1, AT_NAME, FORM_STRING, AT_BYTES, FORM_UDATA, 0, 0,
    ENTRY_UNION, TAG_UNION, 1, AT_NAME, FORM_STRING, AT_BYTES, FORM_UDATA, 0, 0,
    ENTRY_MEMBER, TAG_MEMBER, 0, AT_NAME, FORM_STRING, AT_TYPE, FORM_REF4, AT_MEMBER, FORM_UDATA, 0, 0,
    ENTRY_BITS, TAG_MEMBER, 0, AT_NAME, FORM_STRING, AT_TYPE, FORM_REF4, AT_BITS, FORM_UDATA, AT_BIT_OFFSET, FORM_UDATA, 0, 0,
    ENTRY_UNNAMED, TAG_MEMBER, 0, AT_TYPE, FORM_REF4, AT_MEMBER, FORM_UDATA, 0, 0,
    ENTRY_PARENT, TAG_INHERITANCE, 0, AT_TYPE, FORM_REF4, AT_MEMBER, FORM_UDATA, 0, 0,
    ENTRY_ENUM, TAG_ENUM, 1, AT_NAME, FORM_STRING, AT_BYTES, FORM_UDATA, 0, 0,
    ENTRY_ENUMERATOR, TAG_ENUMERATOR, 0, AT_NAME, FORM_STRING, AT_CONST, FORM_SDATA, 0, 0,
    ENTRY_BUILTIN, TAG_VARIABLE, 0, AT_NAME, FORM_STRING, AT_TYPE, FORM_REF4, AT_LOCATION, FORM_EXPR, 0, 0,
    0};
#undef DECLARED_HERE
/* clang-format on */

struct patch { /* where the place of a type is to be filled in */
    uint32_t at, type;
};

struct writer {
    const struct cpu_debug *d;
    struct arena *arena;
    uint64_t code, globals;
    struct sbuf info, lines, ranges, frames, symbols, names;
    VEC(const char *) files;
    uint32_t *type_at; /* in info, by type; 0: not written */
    VEC(struct patch) patches;
    uint32_t triple; /* the type of threadIdx */
};

/* ---- bytes ---- */
static void u8_(struct sbuf *b, unsigned v)
{
    sbuf_putc(b, (char)v);
}

static void u16_(struct sbuf *b, unsigned v)
{
    u8_(b, v & 255);
    u8_(b, v >> 8 & 255);
}

static void text(struct sbuf *b, const char *z)
{
    sbuf_put(b, z, strlen(z) + 1);
}

static void uleb(struct sbuf *b, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        u8_(b, (unsigned)(v & 127) | 128);
    u8_(b, (unsigned)v);
}

static void sleb(struct sbuf *b, int64_t v)
{
    for (;;) {
        const int64_t low = (int64_t)((uint64_t)v & 127);
        v = (v - low) / 128; /* rounded down */
        if ((v == 0 && !(low & 64)) || (v == -1 && low & 64)) {
            u8_(b, (unsigned)low);
            return;
        }
        u8_(b, (unsigned)low | 128);
    }
}

static void put_u32(struct sbuf *b, size_t at, uint32_t v)
{
    for (unsigned k = 0; k < 4; k++)
        b->data[at + k] = (char)(v >> 8 * k);
}

static void expression(struct sbuf *to, const struct sbuf *e)
{
    uleb(to, e->len);
    sbuf_put(to, e->data, e->len);
}

/* ---- places in the source ---- */
struct place {
    unsigned file; /* from 1; 0: none */
    uint32_t line, column;
};

static struct place place_of(struct writer *w, source_loc loc)
{
    struct source_pos p;
    if (!loc || !w->d->module->sources || !source_position(w->d->module->sources, loc, &p))
        return (struct place){0};
    for (size_t k = 0; k < w->files.len; k++)
        if (!strcmp(w->files.data[k], p.path))
            return (struct place){(unsigned)k + 1, p.line, p.column};
    vec_push(w->arena, &w->files, p.path);
    return (struct place){(unsigned)w->files.len, p.line, p.column};
}

static const struct ir_func *func_of(const struct mach_symbol *s)
{
    return s->user;
}

static const char *name_of(const struct mach_symbol *s)
{
    const struct ir_func *f = func_of(s);
    return f && f->display ? f->display : s->name;
}

static uint32_t end_of(const struct mach_symbol *s)
{
    return s->offset + s->bytes;
}

/* The first line of a function in the image's list. */
static size_t first_line(const struct cpu_debug *d, const struct mach_symbol *s)
{
    size_t low = 0, high = d->image->lines.len;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (d->image->lines.data[mid].offset < s->offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- types ---- */
static void type_ref(struct writer *w, uint32_t type)
{
    const struct patch p = {(uint32_t)w->info.len, type};
    vec_push(w->arena, &w->patches, p);
    sbuf_u32le(&w->info, 0);
}

static void write_member(struct writer *w, const struct ir_debug_member *m)
{
    struct sbuf *i = &w->info;
    const bool bits = m->bits && m->name;
    if (!m->type)
        return;
    u8_(i, bits ? ENTRY_BITS : m->base ? ENTRY_PARENT : m->name ? ENTRY_MEMBER : ENTRY_UNNAMED);
    if (m->name)
        text(i, m->name);
    type_ref(w, m->type);
    if (bits) {
        uleb(i, m->bits);
        uleb(i, 8 * m->offset + m->bit_offset);
    } else {
        uleb(i, m->offset);
    }
}

static void write_type(struct writer *w, const struct ir_debug_type *t)
{
    enum { BOOLEAN = 2, FLOAT = 4, SIGNED = 5, SIGNED_CHAR = 6, UNSIGNED = 7, UNSIGNED_CHAR = 8 };
    static const uint8_t encodings[] = {[IR_DEBUG_BOOL] = BOOLEAN,
                                        [IR_DEBUG_SIGNED_CHAR] = SIGNED_CHAR,
                                        [IR_DEBUG_UNSIGNED_CHAR] = UNSIGNED_CHAR,
                                        [IR_DEBUG_SIGNED] = SIGNED,
                                        [IR_DEBUG_UNSIGNED] = UNSIGNED,
                                        [IR_DEBUG_FLOAT] = FLOAT};
    struct sbuf *i = &w->info;
    switch (t->kind) {
    case IR_DEBUG_VOID: return;
    case IR_DEBUG_POINTER:
    case IR_DEBUG_REFERENCE:
        u8_(i, !t->elem                        ? ENTRY_VOID_POINTER
               : t->kind == IR_DEBUG_REFERENCE ? ENTRY_REFERENCE
                                               : ENTRY_POINTER);
        uleb(i, t->size);
        if (t->elem)
            type_ref(w, t->elem);
        return;
    case IR_DEBUG_ARRAY:
        u8_(i, ENTRY_ARRAY);
        type_ref(w, t->elem);
        u8_(i, ENTRY_RANGE);
        uleb(i, t->count);
        u8_(i, 0);
        return;
    case IR_DEBUG_STRUCT:
    case IR_DEBUG_UNION:
        u8_(i, t->kind == IR_DEBUG_UNION ? ENTRY_UNION : ENTRY_STRUCT);
        text(i, t->name ? t->name : "");
        uleb(i, t->size);
        for (uint32_t k = 0; k < t->nmembers; k++)
            write_member(w, &t->members[k]);
        u8_(i, 0);
        return;
    case IR_DEBUG_ENUM:
        u8_(i, ENTRY_ENUM);
        text(i, t->name ? t->name : "");
        uleb(i, t->size);
        for (uint32_t k = 0; k < t->nmembers; k++) {
            u8_(i, ENTRY_ENUMERATOR);
            text(i, t->members[k].name);
            sleb(i, (int64_t)t->members[k].offset);
        }
        u8_(i, 0);
        return;
    default:
        u8_(i, ENTRY_BASE);
        text(i, t->name);
        uleb(i, t->size);
        u8_(i, encodings[t->kind]);
        return;
    }
}

/* struct { unsigned x, y, z; }, of which threadIdx and its kin are. */
static void write_triple(struct writer *w)
{
    struct sbuf *i = &w->info;
    enum { UNSIGNED = 7 };
    static const char *const axes[] = {"x", "y", "z"};
    const uint32_t number = (uint32_t)i->len;
    u8_(i, ENTRY_BASE);
    text(i, "unsigned int");
    uleb(i, 4);
    u8_(i, UNSIGNED);
    w->triple = (uint32_t)i->len;
    u8_(i, ENTRY_STRUCT);
    text(i, "uint3");
    uleb(i, 12);
    for (unsigned k = 0; k < 3; k++) {
        u8_(i, ENTRY_MEMBER);
        text(i, axes[k]);
        sbuf_u32le(i, number);
        uleb(i, 4 * k);
    }
    u8_(i, 0);
}

static void write_types(struct writer *w)
{
    const struct ir_debug *d = w->d->module->debug;
    w->type_at = arena_array(w->arena, uint32_t, d->types.len + 1);
    for (size_t k = 0; k < d->types.len; k++) {
        w->type_at[k] = (uint32_t)w->info.len;
        write_type(w, &d->types.data[k]);
    }
    vec_each (struct patch, p, &w->patches)
        put_u32(&w->info, p->at, w->type_at[p->type]);
}

/* ---- variables ---- */
static void in_frame(struct sbuf *e, const struct mach_place *p)
{
    const int64_t slack = p->align > 16 ? (int64_t)p->align - 1 : 0;
    u8_(e, OP_FBREG);
    sleb(e, slack - (int64_t)p->below);
    if (slack) {
        u8_(e, OP_CONST8U);
        sbuf_u64le(e, ~(uint64_t)slack);
        u8_(e, OP_AND);
    }
}

/* From the struct tern_block of the function's thread: to a field of it, or through one. */
static void from_block(struct sbuf *e, const struct mach_place *block, size_t through, bool deref,
                       uint64_t offset)
{
    in_frame(e, block);
    u8_(e, OP_DEREF);
    u8_(e, OP_PLUS);
    uleb(e, through);
    if (deref) {
        u8_(e, OP_DEREF);
        u8_(e, OP_PLUS);
        uleb(e, offset);
    }
}

static void write_variable(struct writer *w, const struct ir_variable *v, const struct sbuf *where)
{
    struct sbuf *i = &w->info;
    const struct place at = place_of(w, v->at);
    if (!v->type || !w->type_at)
        return;
    u8_(i, v->parameter ? ENTRY_PARAMETER : ENTRY_VARIABLE);
    text(i, v->name);
    uleb(i, at.file);
    uleb(i, at.line);
    sbuf_u32le(i, w->type_at[v->type]);
    expression(i, where);
}

static void write_builtins(struct writer *w, const struct mach_place *block)
{
    static const struct {
        const char *name;
        bool of_launch;
        size_t at;
    } builtins[] = {{"threadIdx", false, offsetof(struct tern_block, tid)},
                    {"blockIdx", false, offsetof(struct tern_block, ctaid)},
                    {"blockDim", true, offsetof(struct tern_launch, block)},
                    {"gridDim", true, offsetof(struct tern_launch, grid)}};
    for (size_t k = 0; k < sizeof builtins / sizeof *builtins; k++) {
        struct sbuf e;
        sbuf_init(&e, w->arena);
        if (builtins[k].of_launch)
            from_block(&e, block, offsetof(struct tern_block, launch), true, builtins[k].at);
        else
            from_block(&e, block, builtins[k].at, false, 0);
        u8_(&w->info, ENTRY_BUILTIN);
        text(&w->info, builtins[k].name);
        sbuf_u32le(&w->info, w->triple);
        expression(&w->info, &e);
    }
}

/* Shared variables of this function, and those of none. */
static void write_shared(struct writer *w, const struct ir_func *f, const struct mach_place *block)
{
    const struct ir_debug *d = w->d->module->debug;
    ir_each_global (g, w->d->module) {
        const struct ir_variable *v = g->variable ? &d->variables.data[g->variable - 1] : NULL;
        if (!v || g->space != IR_SPACE_SHARED || (v->func && strcmp(v->func, f->name) != 0))
            continue;
        struct sbuf e;
        sbuf_init(&e, w->arena);
        from_block(&e, block, offsetof(struct tern_block, shared), true,
                   (uint64_t)(uintptr_t)map_get(w->d->shared_offset, map_key(g)));
        write_variable(w, v, &e);
    }
}

static void write_globals(struct writer *w)
{
    const struct ir_debug *d = w->d->module->debug;
    ir_each_global (g, w->d->module) {
        if (!g->variable || g->space == IR_SPACE_SHARED)
            continue;
        struct sbuf e;
        sbuf_init(&e, w->arena);
        u8_(&e, OP_ADDR);
        sbuf_u64le(&e, w->globals + (uint64_t)(uintptr_t)map_get(w->d->global_offset, map_key(g)));
        write_variable(w, &d->variables.data[g->variable - 1], &e);
    }
}

/* ---- blocks of the source ---- */
/* Where in the code the source from `from` to `to` is; false: nowhere. */
static bool write_ranges(struct writer *w, const struct mach_symbol *s, source_loc from,
                         source_loc to)
{
    const struct mach_line *l = w->d->image->lines.data;
    const size_t n = w->d->image->lines.len, before = w->ranges.len;
    const struct source_map *sm = w->d->module->sources;
    bool inside = false;
    uint32_t start = 0;
    for (size_t k = first_line(w->d, s); k < n && l[k].offset < end_of(s); k++) {
        const source_loc loc = l[k].loc ? source_expanded(sm, l[k].loc) : 0;
        const bool in = l[k].loc ? loc >= from && loc <= to : inside;
        if (in && !inside)
            start = l[k].offset;
        if (!in && inside) {
            sbuf_u64le(&w->ranges, start);
            sbuf_u64le(&w->ranges, l[k].offset);
        }
        inside = in;
    }
    if (inside) {
        sbuf_u64le(&w->ranges, start);
        sbuf_u64le(&w->ranges, end_of(s));
    }
    if (w->ranges.len == before)
        return false;
    sbuf_u64le(&w->ranges, 0);
    sbuf_u64le(&w->ranges, 0);
    return true;
}

/* The function's places, in the order of the blocks that they are seen in: outer ones first. */
static bool comes_before(const struct ir_variable *a, const struct ir_variable *b)
{
    if (a->parameter != b->parameter)
        return a->parameter;
    if (a->from != b->from)
        return a->from < b->from;
    return a->to > b->to;
}

static size_t sorted_places(struct writer *w, uint32_t symbol, const struct mach_place ***out)
{
    const struct cpu_debug *d = w->d;
    const struct ir_variable *v = d->module->debug->variables.data;
    const struct mach_place **list =
        arena_array(w->arena, const struct mach_place *, d->image->places.len + 1);
    size_t n = 0;
    vec_each (struct mach_place, p, &d->image->places) {
        if (p->symbol != symbol || !p->id)
            continue;
        size_t at = n++;
        for (; at && comes_before(&v[p->id - 1], &v[list[at - 1]->id - 1]); at--)
            list[at] = list[at - 1];
        list[at] = p;
    }
    *out = list;
    return n;
}

static void write_locals(struct writer *w, uint32_t symbol)
{
    enum { MOST_DEPTH = 256 };
    const struct mach_symbol *s = &w->d->image->symbols.data[symbol];
    const struct ir_variable *variables = w->d->module->debug->variables.data;
    const struct mach_place **places;
    const size_t n = sorted_places(w, symbol, &places);
    source_loc open[MOST_DEPTH][2];
    unsigned depth = 0;
    for (size_t k = 0; k < n; k++) {
        const struct ir_variable *v = &variables[places[k]->id - 1];
        while (depth && (v->from > open[depth - 1][1] || v->to > open[depth - 1][1])) {
            u8_(&w->info, 0);
            depth--;
        }
        const bool same = depth && open[depth - 1][0] == v->from && open[depth - 1][1] == v->to;
        if (v->from && !same && depth < MOST_DEPTH) {
            const uint32_t at = (uint32_t)w->ranges.len;
            if (!write_ranges(w, s, v->from, v->to))
                continue; /* no code is left of it */
            u8_(&w->info, ENTRY_BLOCK);
            sbuf_u32le(&w->info, at);
            open[depth][0] = v->from, open[depth][1] = v->to;
            depth++;
        }
        struct sbuf e;
        sbuf_init(&e, w->arena);
        in_frame(&e, places[k]);
        write_variable(w, v, &e);
    }
    for (; depth; depth--)
        u8_(&w->info, 0);
}

/* ---- functions ---- */
static void write_function(struct writer *w, uint32_t symbol)
{
    const struct mach_symbol *s = &w->d->image->symbols.data[symbol];
    const struct ir_func *f = func_of(s);
    struct sbuf *i = &w->info;
    const struct mach_place *block = NULL;
    const struct place at = place_of(w, f ? f->span.loc : 0);
    vec_each (struct mach_place, p, &w->d->image->places)
        if (p->symbol == symbol && !p->id)
            block = p;
    u8_(i, ENTRY_FUNCTION);
    text(i, name_of(s));
    text(i, f && f->mangled ? f->mangled : s->name);
    sbuf_u64le(i, w->code + s->offset);
    sbuf_u64le(i, s->bytes);
    uleb(i, at.file);
    uleb(i, at.line);
    uleb(i, 1);
    u8_(i, OP_CFA);
    if (f && w->d->module->debug && w->d->module->debug->steps) {
        write_locals(w, symbol);
        if (block) {
            write_builtins(w, block);
            write_shared(w, f, block);
        }
    }
    u8_(i, 0);
}

static void write_info(struct writer *w)
{
    struct sbuf *i = &w->info;
    const struct cpu_debug *d = w->d;
    sbuf_u32le(i, 0);
    u16_(i, 4);
    sbuf_u32le(i, 0);
    u8_(i, 8);
    u8_(i, ENTRY_UNIT);
    text(i, "tern");
    u8_(i, LANGUAGE_CPP);
    text(i, d->module->name ? d->module->name : "kernels");
    sbuf_u64le(i, w->code);
    sbuf_u64le(i, d->image->code.len);
    sbuf_u32le(i, 0);
    write_triple(w);
    if (d->module->debug)
        write_types(w);
    for (uint32_t k = 0; k < d->image->symbols.len; k++)
        if (d->image->symbols.data[k].bytes)
            write_function(w, k);
    if (d->module->debug)
        write_globals(w);
    u8_(i, 0);
    put_u32(i, 0, (uint32_t)i->len - 4);
}

static void write_abbreviations(struct sbuf *b)
{
    const uint8_t *p = entries;
    while (*p) {
        uleb(b, *p++);
        uleb(b, *p++);
        u8_(b, *p++);
        do {
            uleb(b, p[0]);
            uleb(b, p[1]);
            p += 2;
        } while (p[-1] || p[-2]);
    }
    u8_(b, 0);
}

/* ---- lines ---- */
enum { LINE_COPY = 1, LINE_ADVANCE = 2, LINE_LINE = 3, LINE_FILE = 4, LINE_COLUMN = 5 };

static void extended(struct sbuf *b, unsigned op, uint64_t address, bool has)
{
    u8_(b, 0);
    uleb(b, has ? 9 : 1);
    u8_(b, op);
    if (has)
        sbuf_u64le(b, address);
}

struct line_state {
    uint64_t offset;
    unsigned file;
    uint32_t line;
};

static void line_row(struct sbuf *b, struct line_state *s, uint32_t offset, struct place at)
{
    if (offset != s->offset) {
        u8_(b, LINE_ADVANCE);
        uleb(b, offset - s->offset);
    }
    if (at.file != s->file) {
        u8_(b, LINE_FILE);
        uleb(b, at.file);
    }
    if (at.line != s->line) {
        u8_(b, LINE_LINE);
        sleb(b, (int64_t)at.line - (int64_t)s->line);
    }
    u8_(b, LINE_COLUMN);
    uleb(b, at.column);
    u8_(b, LINE_COPY);
    *s = (struct line_state){offset, at.file, at.line};
}

/* The function's head first, with what brings its parameters; where its body begins there is a row
 * of its own, even on the same line: that is where debuggers stop. */
static void function_lines(struct writer *w, struct sbuf *b, const struct mach_symbol *s)
{
    const struct mach_line *l = w->d->image->lines.data;
    const size_t n = w->d->image->lines.len;
    const struct ir_func *f = func_of(s);
    const struct place head = place_of(w, f ? f->span.loc : 0);
    struct line_state state = {s->offset, 1, 1};
    bool in_body = false;
    if (!head.file)
        return;
    extended(b, 2, w->code + s->offset, true);
    line_row(b, &state, s->offset, head);
    for (size_t k = first_line(w->d, s); k < n && l[k].offset < end_of(s); k++) {
        const struct place at = l[k].loc != f->span.loc ? place_of(w, l[k].loc) : head;
        const bool begins = !in_body && l[k].loc && l[k].loc != f->span.loc;
        if (!at.file || (at.file == state.file && at.line == state.line && !begins))
            continue;
        in_body |= begins;
        line_row(b, &state, l[k].offset, at);
    }
    u8_(b, LINE_ADVANCE);
    uleb(b, end_of(s) - state.offset);
    extended(b, 1, 0, false);
}

static void write_lines(struct writer *w)
{
    static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    struct sbuf program, *b = &w->lines;
    sbuf_init(&program, w->arena);
    vec_each (struct mach_symbol, s, &w->d->image->symbols)
        if (s->bytes)
            function_lines(w, &program, s);
    sbuf_u32le(b, 0);
    u16_(b, 4);
    sbuf_u32le(b, 0); /* of the header */
    const size_t header = b->len;
    u8_(b, 1); /* least instruction */
    u8_(b, 1);
    u8_(b, 1);                  /* rows are statements */
    u8_(b, (unsigned)-5 & 255); /* special codes are not used: line_base, line_range, opcode_base */
    u8_(b, 14);
    u8_(b, sizeof lengths + 1);
    sbuf_put(b, lengths, sizeof lengths);
    u8_(b, 0); /* no folders */
    vec_each (const char *, path, &w->files) {
        text(b, *path);
        sbuf_put(b, "\0\0\0", 3);
    }
    u8_(b, 0);
    put_u32(b, 6, (uint32_t)(b->len - header));
    sbuf_put(b, program.data, program.len);
    put_u32(b, 0, (uint32_t)b->len - 4);
}

/* ---- frames ---- */
enum { CFA_ADVANCE4 = 0x04, CFA_SAME = 0x08, CFA_DEF = 0x0c, CFA_OFFSET = 0x80 };

static void saved_at(struct sbuf *b, unsigned reg, uint64_t below)
{
    u8_(b, CFA_OFFSET | reg);
    uleb(b, below / 8);
}

static void unwind_state(struct writer *w, struct sbuf *b, uint32_t symbol, unsigned state)
{
    const struct mach_unwinding *u = &w->d->machine->unwind;
    const struct mach_symbol *s = &w->d->image->symbols.data[symbol];
    const bool saved = state == MACH_SAVED || state == MACH_FRAMED;
    u8_(b, CFA_DEF);
    uleb(b, state == MACH_FRAMED ? u->fp : u->sp);
    uleb(b, state == MACH_ENTERED ? u->pushed : s->records);
    if (saved) {
        saved_at(b, u->fp, s->records - u->fp_at);
        saved_at(b, u->ra, s->records - u->ra_at);
    } else {
        u8_(b, CFA_SAME);
        uleb(b, u->fp);
        if (!u->pushed) {
            u8_(b, CFA_SAME);
            uleb(b, u->ra);
        }
    }
    vec_each (struct mach_keeps, k, &w->d->image->keeps) {
        if (k->symbol != symbol)
            continue;
        const unsigned reg = u->gpr ? u->gpr[k->kept.reg] : k->kept.reg;
        if (state == MACH_FRAMED) {
            saved_at(b, reg, k->kept.below);
        } else {
            u8_(b, CFA_SAME);
            uleb(b, reg);
        }
    }
}

static void entry_end(struct sbuf *b, size_t from)
{
    while ((b->len - from) % 8)
        u8_(b, 0);
    put_u32(b, from, (uint32_t)(b->len - from - 4));
}

static void write_frames(struct writer *w)
{
    const struct mach_unwinding *u = &w->d->machine->unwind;
    struct sbuf *b = &w->frames;
    size_t at = 0;
    sbuf_u32le(b, 0);
    sbuf_u32le(b, UINT32_MAX);
    u8_(b, 3); /* version; no augmentation */
    u8_(b, 0);
    uleb(b, 1);
    sleb(b, -8);
    uleb(b, u->ra);
    u8_(b, CFA_DEF);
    uleb(b, u->sp);
    uleb(b, u->pushed);
    if (u->pushed)
        saved_at(b, u->ra, u->pushed);
    entry_end(b, 0);
    for (uint32_t k = 0; k < w->d->image->symbols.len; k++) {
        const struct mach_symbol *s = &w->d->image->symbols.data[k];
        uint32_t offset = s->offset;
        if (!s->bytes)
            continue;
        at = b->len;
        sbuf_u32le(b, 0);
        sbuf_u32le(b, 0);
        sbuf_u64le(b, w->code + s->offset);
        sbuf_u64le(b, s->bytes);
        vec_each (struct mach_change, c, &w->d->image->changes) {
            if (c->offset <= s->offset || c->offset >= end_of(s))
                continue;
            u8_(b, CFA_ADVANCE4);
            sbuf_u32le(b, c->offset - offset);
            offset = c->offset;
            unwind_state(w, b, k, c->unwind);
        }
        entry_end(b, at);
    }
}

/* ---- the object file ---- */
static void write_symbols(struct writer *w)
{
    enum { GLOBAL_FUNCTION = 1 << 4 | 2 };
    static const char none[24];
    struct sbuf *b = &w->symbols;
    sbuf_put(b, none, sizeof none);
    u8_(&w->names, 0);
    vec_each (struct mach_symbol, s, &w->d->image->symbols) {
        const struct ir_func *f = func_of(s);
        if (!s->bytes)
            continue;
        sbuf_u32le(b, (uint32_t)w->names.len);
        u8_(b, GLOBAL_FUNCTION);
        u8_(b, 0);
        u16_(b, 1); /* in .text */
        sbuf_u64le(b, s->offset);
        sbuf_u64le(b, s->bytes);
        text(&w->names, f && f->mangled ? f->mangled : s->name);
    }
}

struct section {
    const char *name;
    uint32_t type, flags;
    const struct sbuf *data;
    uint32_t link, info, entry;
};

static void write_elf(struct writer *w, const struct section *sections, unsigned n,
                      struct sbuf *out)
{
    enum { HEADER = 64, NOBITS = 8 };
    uint64_t at[16] = {0};
    struct sbuf names;
    uint32_t name[16];
    sbuf_init(&names, w->arena);
    sbuf_put(out, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16);
    u16_(out, 1); /* relocatable, with its place given */
    u16_(out, w->d->machine->unwind.elf);
    sbuf_u32le(out, 1);
    sbuf_u64le(out, 0);
    sbuf_u64le(out, 0);
    const size_t table = out->len;
    sbuf_u64le(out, 0);
    sbuf_u32le(out, 0);
    u16_(out, HEADER);
    u16_(out, 0);
    u16_(out, 0);
    u16_(out, 64);
    u16_(out, n + 1);
    u16_(out, n);
    for (unsigned k = 0; k < n; k++) {
        name[k] = (uint32_t)names.len;
        text(&names, sections[k].name);
        while (out->len % 8)
            u8_(out, 0);
        at[k] = out->len;
        if (sections[k].data)
            sbuf_put(out, sections[k].data->data, sections[k].data->len);
    }
    name[n] = (uint32_t)names.len;
    text(&names, ".shstrtab");
    at[n] = out->len;
    sbuf_put(out, names.data, names.len);
    while (out->len % 8)
        u8_(out, 0);
    put_u32(out, table, (uint32_t)out->len);
    for (unsigned k = 0; k <= n; k++) {
        const struct section *s = k < n ? &sections[k] : NULL;
        const bool text_ = s && s->type == NOBITS;
        sbuf_u32le(out, name[k]);
        sbuf_u32le(out, s ? s->type : 3);
        sbuf_u64le(out, s ? s->flags : 0);
        sbuf_u64le(out, text_ ? w->code : 0);
        sbuf_u64le(out, k ? at[k] : 0);
        sbuf_u64le(out, text_          ? w->d->image->code.len
                        : s && s->data ? s->data->len
                        : s            ? 0
                                       : names.len);
        sbuf_u32le(out, s ? s->link : 0);
        sbuf_u32le(out, s ? s->info : 0);
        sbuf_u64le(out, text_ ? 16 : k ? 1 : 0);
        sbuf_u64le(out, s ? s->entry : 0);
    }
}

void cpu_debug_elf(const struct cpu_debug *d, uint64_t code, uint64_t globals, struct sbuf *out)
{
    enum { PROGBITS = 1, SYMTAB = 2, STRTAB = 3, NOBITS = 8, ALLOC_EXEC = 6 };
    struct writer w = {.d = d, .arena = out->arena, .code = code, .globals = globals};
    struct sbuf abbreviations,
        *all[] = {&w.info, &w.lines, &w.ranges, &w.frames, &w.symbols, &w.names, &abbreviations};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sbuf_init(all[k], w.arena);
    write_info(&w);
    write_abbreviations(&abbreviations);
    write_lines(&w);
    write_frames(&w);
    write_symbols(&w);
    const struct section sections[] = {
        {"", 0, 0, NULL, 0, 0, 0},
        {".text", NOBITS, ALLOC_EXEC, NULL, 0, 0, 0},
        {".debug_info", PROGBITS, 0, &w.info, 0, 0, 0},
        {".debug_abbrev", PROGBITS, 0, &abbreviations, 0, 0, 0},
        {".debug_line", PROGBITS, 0, &w.lines, 0, 0, 0},
        {".debug_ranges", PROGBITS, 0, &w.ranges, 0, 0, 0},
        {".debug_frame", PROGBITS, 0, &w.frames, 0, 0, 0},
        {".symtab", SYMTAB, 0, &w.symbols, 8, 1, 24},
        {".strtab", STRTAB, 0, &w.names, 0, 0, 0},
    };
    write_elf(&w, sections, sizeof sections / sizeof *sections, out);
}

/* ---- for profilers ---- */
size_t cpu_debug_functions(const struct cpu_debug *d)
{
    return d->image->symbols.len;
}

struct cpu_debug_function cpu_debug_function(const struct cpu_debug *d, size_t k)
{
    const struct mach_symbol *s = &d->image->symbols.data[k];
    return (struct cpu_debug_function){name_of(s), s->offset, s->bytes};
}

size_t cpu_debug_lines(const struct cpu_debug *d, size_t function, struct arena *a,
                       struct cpu_debug_line **out)
{
    const struct mach_symbol *s = &d->image->symbols.data[function];
    const struct mach_line *l = d->image->lines.data;
    VEC(struct cpu_debug_line) rows = {0};
    struct source_pos p;
    for (size_t k = first_line(d, s); k < d->image->lines.len && l[k].offset < end_of(s); k++) {
        if (!l[k].loc || !d->module->sources || !source_position(d->module->sources, l[k].loc, &p))
            continue;
        const struct cpu_debug_line row = {l[k].offset, p.path, p.line, p.column};
        if (!rows.len || vec_last(&rows).line != row.line ||
            strcmp(vec_last(&rows).path, row.path) != 0)
            vec_push(a, &rows, row);
    }
    *out = rows.data;
    return rows.len;
}
