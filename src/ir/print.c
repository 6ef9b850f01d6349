/* The text form of the IR. What is printed reads back to the same module (parse.c).
 *
 *   module "saxpy.cu"
 *   global @table: const [size 8 align 4 init "0100000002000000"]
 *   kernel @saxpy(%n.0: i32, %x.1: ptr.global [restrict]) [max_threads 256] {
 *   entry.0:
 *     %tid.2 = sreg.i32 [tid.x]
 *     %3 = slt.i32 %tid.2, %n.0
 *     condbr %3, b1, b2(i32 5)
 *   …
 * Values are %NUMBER or %name.NUMBER, blocks bNUMBER or name.NUMBER. A constant stands bare where
 * the operation fixes its type, else after its type. A float constant written in hexadecimal is its
 * bits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/text.h"

static void put_type(struct sbuf *out, ir_type t)
{
    char buf[32];
    sbuf_puts(out, ir_type_name(t, buf));
}

static void put_quoted(struct sbuf *out, const char *z)
{
    sbuf_putc(out, '"');
    for (; *z; z++) {
        unsigned char c = (unsigned char)*z;
        if (c == '"' || c == '\\' || c < 32 || c == 127)
            sbuf_printf(out, "\\%02x", c);
        else
            sbuf_putc(out, (char)c);
    }
    sbuf_putc(out, '"');
}

static bool is_plain(const char *z)
{
    for (; *z; z++)
        if (!((*z >= 'a' && *z <= 'z') || (*z >= 'A' && *z <= 'Z') || (*z >= '0' && *z <= '9') ||
              *z == '_' || *z == '.' || *z == '$'))
            return false;
    return true;
}

static void put_symbol(struct sbuf *out, const char *name)
{
    sbuf_putc(out, '@');
    if (*name && is_plain(name))
        sbuf_puts(out, name);
    else
        put_quoted(out, name);
}

/* name.N, where name is made of letters the parser takes; a hint that is not plain is left out */
static void put_hinted(struct sbuf *out, const char *name, uint32_t id, const char *bare)
{
    if (name && *name && is_plain(name))
        sbuf_printf(out, "%s.%" PRIu32, name, id);
    else
        sbuf_printf(out, "%s%" PRIu32, bare, id);
}

static void put_label(struct sbuf *out, const struct ir_block *b)
{
    put_hinted(out, b->name, b->id, "b");
}

static void put_const(struct sbuf *out, ir_type t, uint64_t bits)
{
    char text[40];
    switch (ir_kind(t)) {
    case IR_F32: {
        float v;
        uint32_t narrow = (uint32_t)bits, again;
        memcpy(&v, &narrow, sizeof v);
        snprintf(text, sizeof text, "%.9g", (double)v);
        float back = strtof(text, NULL);
        memcpy(&again, &back, sizeof again);
        if (v - v == 0 && again == narrow) {
            sbuf_puts(out, text);
            return;
        }
        break;
    }
    case IR_F64: {
        double v;
        memcpy(&v, &bits, sizeof v);
        snprintf(text, sizeof text, "%.17g", v);
        double back = strtod(text, NULL);
        if (v - v == 0 && !memcmp(&back, &bits, sizeof bits)) {
            sbuf_puts(out, text);
            return;
        }
        break;
    }
    case IR_F16:
    case IR_BF16:
    case IR_PTR: break;
    case IR_I1: sbuf_printf(out, "%" PRIu64, bits); return;
    default: {
        unsigned shift = 64 - ir_bits(t);
        sbuf_printf(out, "%" PRId64, (int64_t)(bits << shift) >> shift);
        return;
    }
    }
    if (ir_kind(t) == IR_PTR && !bits)
        sbuf_puts(out, "null");
    else
        sbuf_printf(out, "0x%" PRIx64, bits);
}

/* `known`: the type the reader will expect; VOID if it cannot know. */
static void put_value(struct sbuf *out, const struct ir_value *v, ir_type known)
{
    switch (v->kind) {
    case IR_VALUE_CONST:
        if (known != v->type) {
            put_type(out, v->type);
            sbuf_putc(out, ' ');
        }
        put_const(out, v->type, v->u.bits);
        break;
    case IR_VALUE_GLOBAL: put_symbol(out, v->u.global->name); break;
    case IR_VALUE_FUNC: put_symbol(out, v->u.func->name); break;
    default:
        sbuf_putc(out, '%');
        put_hinted(out, v->name, v->id, "");
        break;
    }
}

/* ---- [attributes] ---- */

struct attrs {
    struct sbuf *out;
    bool any;
};

static void attr(struct attrs *a)
{
    sbuf_puts(a->out, a->any ? " " : " [");
    a->any = true;
}

static void attr_word(struct attrs *a, const char *word)
{
    attr(a);
    sbuf_puts(a->out, word);
}

static void attr_num(struct attrs *a, const char *word, uint64_t n)
{
    attr(a);
    sbuf_printf(a->out, "%s %" PRIu64, word, n);
}

static void attr_str(struct attrs *a, const char *word, const char *z)
{
    attr_word(a, word);
    sbuf_putc(a->out, ' ');
    put_quoted(a->out, z);
}

static void attr_flags(struct attrs *a, const struct ir_word *words, uint32_t flags)
{
    for (; words->text; words++)
        if (words->bits && (flags & words->mask) == words->bits)
            attr_word(a, words->text);
}

static void attr_end(struct attrs *a)
{
    if (a->any)
        sbuf_putc(a->out, ']');
}

/* ---- instructions ---- */

static void put_edge(struct sbuf *out, const struct ir_edge *e)
{
    put_label(out, e->to);
    for (uint32_t k = 0; k < e->nargs; k++) {
        sbuf_puts(out, k ? ", " : "(");
        put_value(out, e->args[k], IR_VOID);
    }
    if (e->nargs)
        sbuf_putc(out, ')');
}

static bool natural_align(const struct ir_inst *i)
{
    if (i->op == IR_OP_load || i->op == IR_OP_store)
        return i->align == ir_bytes(ir_scalar(i->type));
    return i->align == 0;
}

void ir_print_inst(const struct ir_inst *i, struct sbuf *out)
{
    const struct ir_op_info *info = &ir_op_info[i->op];
    for (uint32_t k = 0; k < i->nresults; k++) {
        if (k)
            sbuf_puts(out, ", ");
        put_value(out, &i->results[k], IR_VOID);
        if (ir_says_results(i->op)) { /* the operation alone does not tell */
            sbuf_puts(out, ": ");
            put_type(out, i->results[k].type);
        }
    }
    if (i->nresults)
        sbuf_puts(out, " = ");
    sbuf_puts(out, info->name);
    ir_type suffix = i->op == IR_OP_call && i->nresults ? i->results[0].type : i->type;
    if (suffix != IR_VOID) {
        sbuf_putc(out, '.');
        put_type(out, suffix);
    }
    struct attrs a = {out, false};
    const char *word = ir_imm_word((enum ir_op)i->op, i->imm);
    if (word)
        attr_word(&a, word);
    else if (i->imm)
        attr_num(&a, "imm", i->imm);
    if (!natural_align(i))
        attr_num(&a, "align", i->align);
    attr_flags(&a, ir_flag_words, i->flags);
    attr_end(&a);
    bool first = true;
    if (i->callee) {
        sbuf_putc(out, ' ');
        put_symbol(out, i->callee->name);
        first = false;
    }
    for (uint32_t k = 0; k < i->nargs; k++, first = false) {
        sbuf_puts(out, first ? " " : ", ");
        put_value(
            out, i->args[k],
            ir_letter_type(ir_operand_letter((enum ir_op)i->op, k), (enum ir_op)i->op, i->type));
    }
    for (uint32_t k = 0; k < i->nedges; k++, first = false) {
        sbuf_puts(out, first ? " " : ", ");
        if (i->op == IR_OP_switch && k) {
            put_const(out, i->type, i->edges[k].case_value);
            sbuf_puts(out, ": ");
        }
        put_edge(out, &i->edges[k]);
    }
}

static void put_loc(const struct ir_module *m, struct span s, struct sbuf *out)
{
    struct source_pos pos;
    if (s.loc && m->sources &&
        source_position(m->sources, source_expanded(m->sources, s.loc), &pos))
        sbuf_printf(out, " !%" PRIu32 ":%" PRIu32, pos.line, pos.column);
}

static void put_body(const struct ir_func *f, struct sbuf *out, uint32_t flags)
{
    sbuf_puts(out, " {\n");
    ir_each_block (b, f) {
        put_label(out, b);
        for (size_t k = 0; b != f->first && k < b->params.len; k++) {
            sbuf_puts(out, k ? ", " : "(");
            put_value(out, b->params.data[k], IR_VOID);
            sbuf_puts(out, ": ");
            put_type(out, b->params.data[k]->type);
        }
        sbuf_puts(out, b != f->first && b->params.len ? "):\n" : ":\n");
        ir_each_inst (i, b) {
            sbuf_puts(out, "  ");
            ir_print_inst(i, out);
            if (flags & IR_PRINT_LOCS)
                put_loc(f->module, i->span, out);
            sbuf_putc(out, '\n');
        }
    }
    sbuf_puts(out, "}\n");
}

void ir_print_func(const struct ir_func *f, struct sbuf *out, uint32_t flags)
{
    ir_renumber((struct ir_func *)f);
    sbuf_puts(out, f->flags & IR_FUNC_KERNEL ? "kernel " : "func ");
    put_symbol(out, f->name);
    sbuf_putc(out, '(');
    for (size_t k = 0; k < f->params.len; k++) {
        const struct ir_param *p = &f->params.data[k];
        sbuf_puts(out, k ? ", %" : "%");
        put_hinted(out, p->name, (uint32_t)k, "");
        sbuf_puts(out, ": ");
        put_type(out, p->type);
        struct attrs a = {out, false};
        attr_flags(&a, ir_param_words, p->flags);
        if (p->byval_size) {
            attr_num(&a, "byval", p->byval_size);
            attr_num(&a, "align", p->byval_align);
        }
        attr_end(&a);
    }
    sbuf_putc(out, ')');
    if (f->ret != IR_VOID) {
        sbuf_puts(out, " -> ");
        put_type(out, f->ret);
    }
    struct attrs a = {out, false};
    attr_flags(&a, ir_func_words, f->flags);
    if (f->max_threads)
        attr_num(&a, "max_threads", f->max_threads);
    if (f->min_blocks)
        attr_num(&a, "min_blocks", f->min_blocks);
    if (f->required_block[0]) {
        attr_num(&a, "block_x", f->required_block[0]);
        attr_num(&a, "block_y", f->required_block[1]);
        attr_num(&a, "block_z", f->required_block[2]);
    }
    if (f->cluster[0]) {
        attr_num(&a, "cluster_x", f->cluster[0]);
        attr_num(&a, "cluster_y", f->cluster[1]);
        attr_num(&a, "cluster_z", f->cluster[2]);
    }
    if (f->cluster_shared)
        attr_num(&a, "cluster_shared", f->cluster_shared - 1);
    if (f->mangled)
        attr_str(&a, "mangled", f->mangled);
    if (f->display)
        attr_str(&a, "display", f->display);
    attr_end(&a);
    if (f->first)
        put_body(f, out, flags);
    else
        sbuf_putc(out, '\n');
}

static void put_global(const struct ir_global *g, struct sbuf *out)
{
    char buf[32];
    sbuf_puts(out, "global ");
    put_symbol(out, g->name);
    sbuf_printf(out, ": %s", ir_type_name(IR_PTR_TO(g->space), buf) + 4);
    struct attrs a = {out, false};
    attr_num(&a, "size", g->size);
    attr_num(&a, "align", g->align);
    attr_flags(&a, ir_global_words, g->flags);
    if (g->elem != IR_VOID)
        attr_str(&a, "elem", ir_type_name(g->elem, buf));
    if (g->mangled)
        attr_str(&a, "mangled", g->mangled);
    if (g->display)
        attr_str(&a, "display", g->display);
    if (g->init) {
        attr_word(&a, "init \"");
        for (uint64_t k = 0; k < g->size; k++)
            sbuf_printf(out, "%02x", g->init[k]);
        sbuf_putc(out, '"');
    }
    vec_each (const struct ir_reloc, r, &g->relocs) {
        attr_num(&a, "reloc", r->offset);
        sbuf_putc(out, ' ');
        put_value(out, r->target, IR_VOID);
        sbuf_printf(out, " %" PRId64, r->addend);
    }
    attr_end(&a);
    sbuf_putc(out, '\n');
}

void ir_print(const struct ir_module *m, struct sbuf *out, uint32_t flags)
{
    sbuf_puts(out, "module ");
    put_quoted(out, m->name);
    sbuf_putc(out, '\n');
    ir_each_global (g, m)
        put_global(g, out);
    ir_each_func (f, m) {
        sbuf_putc(out, '\n');
        ir_print_func(f, out, flags);
    }
}
