/* Reads the text form that print.c writes.
 *
 * Two passes over the text: headers of all functions and globals first, so that bodies may refer to
 * what comes later; then the bodies. Inside a body a value may be used before the line that defines
 * it: such a use gets a placeholder that is forwarded to the definition at the end of the function.
 * The first mistake in a line is reported and the line is skipped; the module is given only if
 * there was none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "ir/text.h"

#define MAX_ARGS 65536

struct parser {
    struct arena *arena, scratch;
    struct interner *names;
    struct diag *diag;
    struct ir_module *m;
    const char *text, *at, *end, *line; /* line: where the current statement starts */
    source_loc base;
    bool failed; /* in this statement */
    struct ir_func *func;
    struct map values;         /* interned text after % → ir_value */
    struct map blocks;         /* interned label → ir_block */
    VEC(struct str) param_ids; /* of the function: as written in its header */
};

static struct span span_from(struct parser *p, const char *from)
{
    uint32_t len = (uint32_t)(p->at > from ? p->at - from : 1);
    return span_at(p->base + (source_loc)(from - p->text), len);
}

__attribute__((format(printf, 3, 4))) static void fail(struct parser *p, const char *from,
                                                       const char *fmt, ...)
{
    if (p->failed)
        return;
    p->failed = true;
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(p->diag, DIAG_ERROR, span_from(p, from), fmt, ap);
    va_end(ap);
}

/* ---- words ---- */

static void skip_space(struct parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;
        if (c == ' ' || c == '\t' || c == '\r')
            p->at++;
        else if (c == ';') /* comment to the end of the line */
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        else
            break;
    }
}

static void skip_line(struct parser *p)
{
    while (p->at < p->end && *p->at != '\n')
        p->at++;
}

static void skip_blank_lines(struct parser *p)
{
    for (;;) {
        skip_space(p);
        if (p->at == p->end || *p->at != '\n')
            return;
        p->at++;
    }
}

static bool peek(struct parser *p, char c)
{
    skip_space(p);
    return p->at < p->end && *p->at == c;
}

static bool accept(struct parser *p, char c)
{
    if (!peek(p, c))
        return false;
    p->at++;
    return true;
}

static void expect(struct parser *p, char c)
{
    if (!accept(p, c))
        fail(p, p->at, "expected '%c'", c);
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '+' || c == '-';
}

static struct str word(struct parser *p)
{
    skip_space(p);
    const char *from = p->at;
    while (p->at < p->end && is_word_char(*p->at))
        p->at++;
    return (struct str){from, (size_t)(p->at - from)};
}

/* Takes the word only if it is z. */
static bool accept_word(struct parser *p, const char *z)
{
    skip_space(p);
    const char *from = p->at;
    if (str_is(word(p), z))
        return true;
    p->at = from;
    return false;
}

static const char *name_of(struct parser *p, struct str s)
{
    return intern(p->names, s.ptr, s.len);
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static const char *quoted(struct parser *p)
{
    const char *from = p->at;
    expect(p, '"');
    struct sbuf b;
    sbuf_init(&b, &p->scratch);
    while (p->at < p->end && *p->at != '"' && *p->at != '\n') {
        char c = *p->at++;
        if (c == '\\') {
            if (p->end - p->at < 2 || hex(p->at[0]) < 0 || hex(p->at[1]) < 0) {
                fail(p, p->at - 1, "expected two hexadecimal digits after '\\'");
                return "";
            }
            c = (char)(hex(p->at[0]) << 4 | hex(p->at[1]));
            p->at += 2;
        }
        sbuf_putc(&b, c);
    }
    if (p->at == p->end || *p->at != '"')
        fail(p, from, "string without its closing quote");
    else
        p->at++;
    return intern(p->names, b.data ? b.data : "", b.len);
}

static uint64_t number(struct parser *p)
{
    skip_space(p);
    const char *from = p->at;
    struct str s = word(p);
    size_t i = 0;
    bool minus = s.len && s.ptr[0] == '-';
    i += minus;
    unsigned radix = s.len > i + 2 && s.ptr[i] == '0' && s.ptr[i + 1] == 'x' ? 16 : 10;
    if (radix == 16)
        i += 2;
    uint64_t v = 0;
    bool bad = i == s.len;
    for (; i < s.len; i++) {
        int d = hex(s.ptr[i]);
        if (d < 0 || (unsigned)d >= radix || v > (UINT64_MAX - (unsigned)d) / radix)
            bad = true;
        v = v * radix + (unsigned)d;
    }
    if (bad)
        fail(p, from, "expected a number");
    return minus ? 0 - v : v;
}

static ir_type type(struct parser *p)
{
    skip_space(p);
    const char *from = p->at;
    struct str s = word(p);
    ir_type t = IR_VOID;
    if (!ir_type_parse(s.ptr, s.len, &t))
        fail(p, from, "'%.*s' is not a type", (int)s.len, s.ptr);
    return t;
}

static const char *symbol(struct parser *p)
{
    expect(p, '@');
    if (peek(p, '"'))
        return quoted(p);
    struct str s = word(p);
    if (!s.len)
        fail(p, p->at, "expected a name after '@'");
    return name_of(p, s);
}

/* The hint in "hint.12": the name without its number; NULL for a bare number. */
static const char *hint(struct parser *p, struct str s)
{
    size_t n = s.len;
    while (n && s.ptr[n - 1] >= '0' && s.ptr[n - 1] <= '9')
        n--;
    if (n > 1 && n < s.len && s.ptr[n - 1] == '.')
        return intern(p->names, s.ptr, n - 1);
    return NULL;
}

/* ---- [attributes] ---- */

static bool flag_word(const struct ir_word *words, struct str s, uint32_t *flags)
{
    for (; words->text; words++)
        if (str_is(s, words->text)) {
            *flags = (*flags & ~words->mask) | words->bits;
            return true;
        }
    return false;
}

/* Next attribute of a list in brackets: false at its end. */
static bool next_attr(struct parser *p, bool *open, struct str *s)
{
    if (!*open) {
        if (!accept(p, '['))
            return false;
        *open = true;
    }
    if (p->failed || accept(p, ']'))
        return false;
    *s = word(p);
    if (!s->len) {
        fail(p, p->at, "expected an attribute or ']'");
        return false;
    }
    return true;
}

static void unknown_attr(struct parser *p, struct str s)
{
    fail(p, s.ptr, "unknown attribute '%.*s'", (int)s.len, s.ptr);
}

static uint32_t number32(struct parser *p)
{
    const char *from = p->at;
    uint64_t v = number(p);
    if (v > UINT32_MAX)
        fail(p, from, "number too large");
    return (uint32_t)v;
}

/* ---- headers ---- */

static void global_header(struct parser *p)
{
    const char *from = p->at;
    const char *name = symbol(p);
    expect(p, ':');
    struct str s = word(p);
    char text[32];
    ir_type t;
    int n = snprintf(text, sizeof text, "ptr.%.*s", s.len < 20 ? (int)s.len : 20, s.ptr);
    if (!ir_type_parse(text, (size_t)n, &t))
        fail(p, s.ptr, "'%.*s' is not an address space", (int)s.len, s.ptr);
    if (p->failed)
        return;
    if (ir_global_find(p->m, name) || ir_func_find(p->m, name)) {
        fail(p, from, "'@%s' is defined twice", name);
        return;
    }
    struct ir_global *g = ir_global_new(p->m, name, ir_space(t), 0, 1, 0);
    g->span = span_from(p, p->line);
    const char *init = NULL, *init_at = NULL;
    bool open = false;
    while (next_attr(p, &open, &s)) {
        if (flag_word(ir_global_words, s, &g->flags))
            continue;
        if (str_is(s, "size"))
            g->size = number(p);
        else if (str_is(s, "align"))
            g->align = number32(p);
        else if (str_is(s, "mangled"))
            g->mangled = quoted(p);
        else if (str_is(s, "display"))
            g->display = quoted(p);
        else if (str_is(s, "elem")) {
            const char *e = quoted(p);
            if (!ir_type_parse(e, strlen(e), &g->elem))
                fail(p, s.ptr, "'%s' is not a type", e);
        } else if (str_is(s, "init")) {
            init_at = s.ptr;
            init = quoted(p);
        } else if (str_is(s, "reloc")) { /* targets are resolved in the second pass */
            number(p);
            symbol(p);
            number(p);
        } else {
            unknown_attr(p, s);
        }
    }
    if (!init || p->failed)
        return;
    if (strlen(init) != 2 * g->size) {
        fail(p, init_at, "initialiser has %zu bytes, the global has %" PRIu64, strlen(init) / 2,
             g->size);
        return;
    }
    uint8_t *bytes = arena_alloc(p->arena, g->size);
    for (uint64_t k = 0; k < g->size; k++) {
        int hi = hex(init[2 * k]), lo = hex(init[2 * k + 1]);
        if (hi < 0 || lo < 0) {
            fail(p, init_at, "initialiser is not hexadecimal");
            return;
        }
        bytes[k] = (uint8_t)(hi << 4 | lo);
    }
    g->init = bytes;
}

static void global_relocs(struct parser *p)
{
    struct ir_global *g = ir_global_find(p->m, symbol(p));
    expect(p, ':');
    word(p);
    bool open = false;
    struct str s;
    while (g && next_attr(p, &open, &s)) {
        if (str_is(s, "size") || str_is(s, "align"))
            number(p);
        else if (peek(p, '"'))
            quoted(p);
        else if (str_is(s, "reloc")) {
            struct ir_reloc r = {.offset = number32(p)};
            const char *from = p->at, *name = symbol(p);
            struct ir_func *f = ir_func_find(p->m, name);
            struct ir_global *to = ir_global_find(p->m, name);
            r.addend = (int64_t)number(p);
            r.target = f ? ir_func_value(f) : to ? to->address : NULL;
            if (!r.target)
                fail(p, from, "'@%s' is not defined", name);
            else
                vec_push(p->arena, &g->relocs, r);
        }
    }
}

static void func_params(struct parser *p, struct ir_func *f)
{
    expect(p, '(');
    if (accept(p, ')'))
        return;
    do {
        expect(p, '%');
        struct str id = word(p);
        expect(p, ':');
        ir_type t = type(p);
        struct ir_param q = {0};
        bool open = false;
        struct str s;
        while (next_attr(p, &open, &s)) {
            if (flag_word(ir_param_words, s, &q.flags))
                continue;
            if (str_is(s, "byval"))
                q.byval_size = number32(p);
            else if (str_is(s, "align"))
                q.byval_align = number32(p);
            else
                unknown_attr(p, s);
        }
        if (p->failed)
            return;
        if (f->params.len >= MAX_ARGS) {
            fail(p, p->at, "too many parameters");
            return;
        }
        ir_func_param(f, hint(p, id), t, q.flags, q.byval_size, q.byval_align);
    } while (accept(p, ','));
    expect(p, ')');
}

static struct ir_func *func_header(struct parser *p, bool kernel)
{
    const char *from = p->at;
    const char *name = symbol(p);
    if (p->failed)
        return NULL;
    if (ir_global_find(p->m, name) || ir_func_find(p->m, name)) {
        fail(p, from, "'@%s' is defined twice", name);
        return NULL;
    }
    struct ir_func *f = ir_func_new(p->m, name, IR_VOID, kernel ? IR_FUNC_KERNEL : 0);
    f->span = span_from(p, p->line);
    func_params(p, f);
    if (!p->failed && peek(p, '-')) {
        struct str arrow = word(p);
        if (!str_is(arrow, "-") || !accept(p, '>'))
            fail(p, arrow.ptr, "expected '->'");
        else
            f->ret = type(p);
    }
    bool open = false;
    struct str s;
    while (!p->failed && next_attr(p, &open, &s)) {
        if (flag_word(ir_func_words, s, &f->flags))
            continue;
        if (str_is(s, "max_threads"))
            f->max_threads = number32(p);
        else if (str_is(s, "min_blocks"))
            f->min_blocks = number32(p);
        else if (str_is(s, "block_x"))
            f->required_block[0] = number32(p);
        else if (str_is(s, "block_y"))
            f->required_block[1] = number32(p);
        else if (str_is(s, "block_z"))
            f->required_block[2] = number32(p);
        else if (str_is(s, "cluster_x"))
            f->cluster[0] = number32(p);
        else if (str_is(s, "cluster_y"))
            f->cluster[1] = number32(p);
        else if (str_is(s, "cluster_z"))
            f->cluster[2] = number32(p);
        else if (str_is(s, "cluster_shared"))
            f->cluster_shared = number32(p) + 1;
        else if (str_is(s, "mangled"))
            f->mangled = quoted(p);
        else if (str_is(s, "display"))
            f->display = quoted(p);
        else
            unknown_attr(p, s);
    }
    if (kernel)
        ir_func_layout(f);
    return f;
}

/* ---- values ---- */

static struct ir_value *constant(struct parser *p, ir_type t)
{
    skip_space(p);
    const char *from = p->at;
    if (ir_class(t) == IR_CLASS_NONE) {
        fail(p, from, "expected a value");
        return NULL;
    }
    if (ir_class(t) == IR_CLASS_FLOAT) {
        struct str s = word(p);
        char text[64];
        if (s.len > 2 && s.ptr[0] == '0' && s.ptr[1] == 'x') {
            p->at = from;
            return ir_const(p->m, t, number(p));
        }
        if (!s.len || s.len >= sizeof text || ir_bits(t) == 16) {
            fail(p, from,
                 ir_bits(t) == 16 ? "expected a constant as hexadecimal bits" : "expected a value");
            return NULL;
        }
        memcpy(text, s.ptr, s.len);
        text[s.len] = 0;
        char *stop;
        struct ir_value *v = ir_kind(t) == IR_F32 ? ir_const_f32(p->m, strtof(text, &stop))
                                                  : ir_const_f64(p->m, strtod(text, &stop));
        if (*stop)
            fail(p, from, "'%s' is not a number", text);
        return ir_is_vector(t) ? ir_const(p->m, t, v->u.bits) : v;
    }
    if (ir_class(t) == IR_CLASS_PTR && accept_word(p, "null"))
        return ir_const(p->m, t, 0);
    uint64_t v = number(p);
    unsigned bits = ir_bits(t);
    uint64_t top = bits < 64 ? v >> bits : 0;
    if (top && v >> (bits - 1) != UINT64_MAX >> (bits - 1))
        fail(p, from, "constant does not fit its type");
    return ir_const(p->m, t, v);
}

static struct ir_value *named_value(struct parser *p)
{
    struct str s = word(p);
    if (!s.len) {
        fail(p, p->at, "expected a value's name after '%%'");
        return NULL;
    }
    const char *key = name_of(p, s);
    struct ir_value *v = map_get(&p->values, map_key(key));
    if (!v) { /* used before its definition: a placeholder, recognised by its kind and missing owner
               */
        v = arena_new(p->arena, struct ir_value);
        v->kind = IR_VALUE_RESULT;
        v->id = IR_NO_ID;
        v->data = (void *)s.ptr; /* where it was used first */
        map_set(&p->values, map_key(key), v);
    }
    return v;
}

static struct ir_value *value(struct parser *p, ir_type known)
{
    if (accept(p, '%'))
        return named_value(p);
    if (peek(p, '@')) {
        const char *from = p->at, *name = symbol(p);
        struct ir_func *f = ir_func_find(p->m, name);
        struct ir_global *g = ir_global_find(p->m, name);
        if (!f && !g)
            fail(p, from, "'@%s' is not defined", name);
        return f ? ir_func_value(f) : g ? g->address : NULL;
    }
    const char *from = p->at;
    struct str s = word(p);
    ir_type t;
    if (ir_type_parse(s.ptr, s.len, &t) && ir_class(t) != IR_CLASS_NONE)
        known = t;
    else
        p->at = from;
    return constant(p, known);
}

static void define(struct parser *p, struct str id, struct ir_value *v)
{
    const char *key = name_of(p, id);
    struct ir_value *old = map_get(&p->values, map_key(key));
    if (old && !(old->id == IR_NO_ID && !old->forward)) {
        fail(p, id.ptr, "%%%s is defined twice", key);
        return;
    }
    if (old)
        old->forward = v;
    v->name = hint(p, id);
    map_set(&p->values, map_key(key), v);
}

/* ---- bodies ---- */

static struct ir_block *label(struct parser *p)
{
    skip_space(p);
    const char *from = p->at;
    struct str s = word(p);
    const char *key = name_of(p, s);
    struct ir_block *b = s.len ? map_get(&p->blocks, map_key(key)) : NULL;
    if (!b)
        fail(p, from, s.len ? "there is no block '%s'" : "expected a block", key);
    return b;
}

typedef VEC(struct ir_value *) value_list;

static void edge(struct parser *p, struct ir_inst *term, uint64_t case_value)
{
    struct ir_block *to = label(p);
    value_list args = {0};
    if (!p->failed && accept(p, '(')) {
        do {
            vec_push(&p->scratch, &args, value(p, IR_VOID));
        } while (!p->failed && accept(p, ','));
        expect(p, ')');
    }
    if (!p->failed)
        ir_add_edge(term, to, args.data, (uint32_t)args.len, case_value);
}

static uint64_t imm_by_word(enum ir_op op, struct str s, bool *found)
{
    const char *w;
    for (uint64_t k = 0; (w = ir_imm_word(op, k)); k++)
        if (str_is(s, w)) {
            *found = true;
            return k;
        }
    *found = false;
    return 0;
}

enum { MAX_RESULTS = 128 };
struct head { /* what stands before the operands */
    struct str results[MAX_RESULTS];
    ir_type result_types[MAX_RESULTS];
    uint32_t nresults;
    enum ir_op op;
    ir_type type;
    uint32_t flags, align;
    bool has_align;
    uint64_t imm;
};

static void instruction_head(struct parser *p, struct head *h)
{
    if (peek(p, '%')) {
        do {
            expect(p, '%');
            if (h->nresults == MAX_RESULTS) {
                fail(p, p->at, "too many results");
                return;
            }
            h->results[h->nresults] = word(p);
            if (accept(p, ':'))
                h->result_types[h->nresults] = type(p);
            h->nresults++;
        } while (accept(p, ','));
        expect(p, '=');
        if (p->failed)
            return;
    }
    struct str s = word(p);
    size_t dot = 0;
    while (dot < s.len && s.ptr[dot] != '.')
        dot++;
    int op = ir_op_find(s.ptr, dot);
    if (op < 0) {
        fail(p, s.ptr, "unknown operation '%.*s'", (int)dot, s.ptr);
        return;
    }
    h->op = (enum ir_op)op;
    if (dot < s.len && !ir_type_parse(s.ptr + dot + 1, s.len - dot - 1, &h->type)) {
        fail(p, s.ptr, "'%.*s' is not a type", (int)(s.len - dot - 1), s.ptr + dot + 1);
        return;
    }
    if (dot == s.len && ir_op_info[op].class != IR_CLASS_NONE) {
        fail(p, s.ptr, "'%s' needs a type, as in '%s.i32'", ir_op_info[op].name,
             ir_op_info[op].name);
        return;
    }
    bool open = false, found;
    while (next_attr(p, &open, &s)) {
        uint64_t imm = imm_by_word(h->op, s, &found);
        if (found)
            h->imm = imm;
        else if (str_is(s, "imm"))
            h->imm = number(p);
        else if (str_is(s, "align")) {
            h->align = number32(p);
            h->has_align = true;
        } else if (!flag_word(ir_flag_words, s, &h->flags))
            unknown_attr(p, s);
    }
}

static struct ir_inst *make(struct parser *p, struct head *h, struct ir_block *block,
                            struct ir_func *callee, value_list *args)
{
    struct ir_builder b = ir_builder_at_end(block);
    b.span = span_from(p, p->line);
    uint32_t n = (uint32_t)args->len;
    if (ir_says_results(h->op))
        return ir_build_results(&b, h->op, h->type, args->data, n, h->result_types, h->nresults);
    if (h->op == IR_OP_call) {
        ir_type t = h->type;
        struct ir_inst *i = ir_build_results(&b, h->op, IR_VOID, args->data, n, &t, t != IR_VOID);
        i->callee = callee;
        return i;
    }
    return ir_build(&b, h->op, h->type, args->data, n);
}

static void instruction(struct parser *p, struct ir_block *block)
{
    struct head h = {0};
    instruction_head(p, &h);
    if (p->failed)
        return;
    value_list args = {0};
    struct ir_func *callee = NULL;
    bool first = true;
    if (h.op == IR_OP_call) {
        const char *from = p->at, *name = symbol(p);
        callee = ir_func_find(p->m, name);
        if (!callee)
            fail(p, from, "there is no function '@%s'", name);
        first = false;
    }
    while (!p->failed) {
        char letter = ir_operand_letter(h.op, (uint32_t)args.len);
        if (!letter)
            break;
        skip_space(p);
        bool stop = p->at == p->end || *p->at == '\n' || *p->at == '!';
        if (stop || (!first && !accept(p, ',')))
            break;
        first = false;
        if (args.len >= MAX_ARGS) {
            fail(p, p->at, "too many operands");
            break;
        }
        ir_type known = ir_letter_type(letter, h.op, h.type);
        vec_push(&p->scratch, &args, value(p, known));
    }
    if (p->failed)
        return;
    struct ir_inst *i = make(p, &h, block, callee, &args);
    i->flags = h.flags;
    i->imm = h.imm;
    bool memory = h.op == IR_OP_load || h.op == IR_OP_store;
    i->align = h.has_align ? h.align : memory ? ir_bytes(ir_scalar(h.type)) : 0;
    if (ir_op_info[h.op].flags & IR_TERMINATOR && h.op != IR_OP_ret) {
        while (!p->failed) {
            skip_space(p);
            if (p->at == p->end || *p->at == '\n' || *p->at == '!' || (!first && !accept(p, ',')))
                break;
            uint64_t case_value = 0;
            if (h.op == IR_OP_switch && i->nedges) {
                struct ir_value *v = constant(p, h.type);
                case_value = v ? v->u.bits : 0;
                expect(p, ':');
            }
            if (!p->failed)
                edge(p, i, case_value);
            first = false;
        }
    }
    if (!p->failed && h.nresults != i->nresults)
        fail(p, p->line, "'%s' gives %u results, not %u", ir_op_info[h.op].name, i->nresults,
             h.nresults);
    for (uint32_t k = 0; k < h.nresults && !p->failed; k++)
        define(p, h.results[k], &i->results[k]);
}

/* The end of a statement: an optional !line:column, then the end of the line. */
static void end_line(struct parser *p)
{
    if (accept(p, '!'))
        while (p->at < p->end && *p->at != '\n')
            p->at++;
    skip_space(p);
    if (p->at < p->end && *p->at != '\n')
        fail(p, p->at, "unexpected text at the end of the line");
    skip_line(p);
    p->failed = false;
}

static bool at_label(struct parser *p)
{
    const char *from = p->at;
    struct str s = word(p);
    bool yes = s.len && (peek(p, ':') || peek(p, '('));
    p->at = from;
    return yes;
}

static void block_header(struct parser *p, bool define_params)
{
    struct str s = word(p);
    struct ir_block *b = map_get(&p->blocks, map_key(name_of(p, s)));
    if (!define_params) {
        if (b) {
            fail(p, s.ptr, "block '%.*s' is defined twice", (int)s.len, s.ptr);
            return;
        }
        b = ir_block_new(p->func, hint(p, s));
        b->span = span_from(p, s.ptr);
        map_set(&p->blocks, map_key(name_of(p, s)), b);
    }
    if (accept(p, '(')) {
        do {
            expect(p, '%');
            struct str id = word(p);
            expect(p, ':');
            ir_type t = type(p);
            if (p->failed)
                return;
            if (!define_params)
                define(p, id, ir_block_param(b, t, NULL));
        } while (accept(p, ','));
        expect(p, ')');
    }
    expect(p, ':');
}

/* Blocks and their parameters first, then the instructions. */
static void body(struct parser *p)
{
    map_init(&p->values, &p->scratch);
    map_init(&p->blocks, &p->scratch);
    const char *start = p->at;
    for (int pass = 0; pass < 2; pass++) {
        struct ir_block *block = NULL;
        p->at = start;
        for (;;) {
            skip_blank_lines(p);
            p->line = p->at;
            if (p->at == p->end || *p->at == '}')
                break;
            if (at_label(p)) {
                const char *from = p->at;
                if (pass)
                    block = map_get(&p->blocks, map_key(name_of(p, word(p))));
                p->at = from;
                block_header(p, pass);
                if (!pass)
                    end_line(p);
                else
                    skip_line(p), p->failed = false;
            } else if (!pass) {
                skip_line(p);
            } else {
                if (block)
                    instruction(p, block);
                else
                    fail(p, p->line, "expected a block label, as in 'entry:'");
                if (p->failed)
                    skip_line(p), p->failed = false;
                else
                    end_line(p);
            }
        }
        for (size_t k = 0; !pass && p->func->first && k < p->param_ids.len; k++)
            define(p, p->param_ids.data[k], p->func->first->params.data[k]);
    }
    map_each (e, &p->values) {
        struct ir_value *v = e->value;
        if (v->id == IR_NO_ID && !v->forward) {
            p->failed = false;
            p->at = (const char *)v->data + 1;
            diag_error(p->diag, span_at(p->base + (source_loc)((const char *)v->data - p->text), 1),
                       "%%%s is used but not defined", (const char *)(uintptr_t)e->key);
        }
    }
    ir_replace_forwarded(p->func);
}

static void skip_body(struct parser *p)
{
    while (p->at < p->end && *p->at != '}') {
        if (*p->at == '"') { /* a brace in a string is not the end */
            p->at++;
            while (p->at < p->end && *p->at != '"' && *p->at != '\n')
                p->at++;
        }
        if (p->at < p->end)
            p->at++;
    }
}

/* Second pass over a function's header: collects how its parameters are spelled. */
static void header_again(struct parser *p)
{
    p->param_ids.len = 0;
    bool closed = false;
    while (p->at < p->end && *p->at != '{' && *p->at != '\n') {
        char c = *p->at++;
        if (c == '%' && !closed)
            vec_push(&p->scratch, &p->param_ids, word(p));
        closed |= c == ')';
        while (closed && c == '"' && p->at < p->end && *p->at != '\n')
            c = *p->at++ == '"' ? 0 : '"';
    }
}

static void statements(struct parser *p, int pass)
{
    for (;;) {
        skip_blank_lines(p);
        if (p->at == p->end)
            return;
        p->line = p->at;
        struct str s = word(p);
        if (str_is(s, "module")) {
            const char *name = quoted(p);
            if (!p->failed)
                p->m->name = name;
        } else if (str_is(s, "global")) {
            if (!pass)
                global_header(p);
            else
                global_relocs(p);
        } else if (str_is(s, "kernel") || str_is(s, "func")) {
            if (!pass)
                p->func = func_header(p, str_is(s, "kernel"));
            else {
                p->func = ir_func_find(p->m, symbol(p));
                header_again(p);
            }
            if (!p->failed && accept(p, '{')) {
                const char *open = p->at - 1;
                if (pass && p->func)
                    body(p);
                else
                    skip_body(p);
                if (!accept(p, '}')) {
                    p->at = p->end;
                    if (!pass)
                        fail(p, open, "function without its closing '}'");
                }
            }
        } else {
            if (!pass)
                fail(p, p->line, "expected 'module', 'global', 'func' or 'kernel'");
            skip_line(p);
        }
        if (p->failed || pass)
            skip_line(p), p->failed = false;
        else
            end_line(p);
    }
}

struct ir_module *ir_parse(struct arena *a, struct interner *names, struct source_map *sm,
                           struct diag *d, const char *path, const char *text, size_t len)
{
    struct source_file *file = source_add(sm, path, text, len, 0);
    unsigned errors = d->errors;
    if (!file) {
        diag_error(d, span_at(0, 0), "%s is too large", path);
        return NULL;
    }
    struct parser p = {.arena = a,
                       .names = names,
                       .diag = d,
                       .m = ir_module_new(a, names, path),
                       .text = file->text,
                       .at = file->text,
                       .end = file->text + file->len,
                       .base = file->base};
    p.m->sources = sm;
    arena_init(&p.scratch, a->mem);
    statements(&p, 0);
    if (d->errors == errors) {
        p.at = p.text;
        statements(&p, 1);
    }
    arena_free(&p.scratch);
    return d->errors == errors ? p.m : NULL;
}
