/* Inline PTX: the operands of an asm statement as registers. What the instructions in it mean is in
 * front/ptxops. */
#include "front/cuda/lower/lower.h"
#include "front/ptxops/ptxops.h"

struct assembler { /* one statement; the owner of the function's struct px meanwhile */
    struct lower *l;
    struct asm_info *info;
    struct px_var **operands; /* by their numbers; NULL: a constant */
};

/* ---- where in the source an error is ---- */

/* One character of a string literal as it is written: its length; 0: not understood. */
static size_t spelled(const char *s, char *c)
{
    static const char plain[] = "n\nt\tr\rv\vf\fa\ab\b\\\\\"\"''??";
    if (s[0] != '\\') {
        *c = s[0];
        return s[0] && s[0] != '\n' ? 1 : 0;
    }
    for (const char *e = plain; *e; e += 2)
        if (s[1] == *e) {
            *c = e[1];
            return 2;
        }
    return 0;
}

/* From the end of one literal to the start of the next: over space, comments and ends of lines. */
static const char *next_literal(const char *s)
{
    for (;;) {
        if (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') {
            s++;
        } else if (s[0] == '\\' && (s[1] == '\n' || s[1] == '\r')) {
            s += 2;
        } else if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n')
                s++;
        } else if (s[0] == '/' && s[1] == '*') {
            const char *close = strstr(s + 2, "*/");
            if (!close)
                return NULL;
            s = close + 2;
        } else {
            return *s == '"' ? s : NULL;
        }
    }
}

/* Where character n of the statement's text stands: found by reading the literals once more. Text
 * that comes from macros, or is written in some rarer way, is all at its beginning. */
static struct span place_of(const struct assembler *a, struct span at)
{
    const struct source_file *file =
        source_file_at(a->l->f->sm, source_spelling(a->l->f->sm, a->info->text_span.loc));
    const struct str text = a->info->text;
    if (!file || a->info->text_span.loc < file->base ||
        a->info->text_span.loc - file->base >= file->len)
        return a->info->text_span;
    const char *text_start = source_text(a->l->f->sm, file),
               *s = text_start + (a->info->text_span.loc - file->base);
    if (*s++ != '"')
        return a->info->text_span;
    for (size_t n = 0; n <= text.len;) {
        char c;
        if (*s == '"') {
            s = next_literal(s + 1);
            if (!s)
                break;
            s++;
            continue;
        }
        if (n == at.loc) {
            const char *rest = strpbrk(s, "\"\n");
            size_t most = rest ? (size_t)(rest - s) : 1;
            return span_at(file->base + (source_loc)(s - text_start),
                           at.len < most ? at.len : (uint32_t)most);
        }
        size_t len = spelled(s, &c);
        if (!len || n == text.len || c != text.ptr[n])
            break;
        s += len;
        n++;
    }
    return a->info->text_span;
}

static void report(struct px *p, struct span at, const char *text)
{
    const struct assembler *a = p->owner;
    cu_error(a->l->f, place_of(a, at), "in the inline PTX: %s", text);
}

/* ---- operands ---- */
static ir_type constraint_type(struct lower *l, const struct asm_operand *o)
{
    const char *c = o->constraint;
    while (*c == '=' || *c == '+' || *c == '&')
        c++;
    switch (*c) {
    case 'h': return IR_I16;
    case 'r': return IR_I32;
    case 'l': return IR_I64;
    case 'f': return IR_F32;
    case 'd': return IR_F64;
    case 'b': return IR_I1;
    case 'n': return IR_VOID;
    default:
        cu_error(l->f, o->value->span,
                 *c == 'C' ? "the constraint '%s' is not supported"
                           : "the constraint '%s' is not known",
                 o->constraint);
    }
}

/* Under %0, and under %[name] where it has one. */
static void name_operand(struct px *p, const struct asm_operand *o, size_t i, struct px_symbol *s)
{
    px_declare(p, intern_z(p->names, arena_printf(p->a, "%%%zu", i)), s);
    if (o->name)
        px_declare(p, intern_z(p->names, arena_printf(p->a, "%%[%s]", o->name)), s);
}

static void bind_number(struct px *p, const struct asm_operand *o, size_t i)
{
    const struct assembler *a = p->owner;
    struct px_symbol *s = px_symbol(p, PS_NUMBER);
    int64_t number;
    if (!cu_const_int(a->l->f, o->value, &number))
        cu_error(a->l->f, o->value->span, "an operand 'n' of asm has to be a constant integer");
    s->number = (uint64_t)number;
    name_operand(p, o, i, s);
}

static struct ir_value *widened(struct lower *l, struct ir_value *v, const struct type *t,
                                ir_type to)
{
    if (ir_class(v->type) == IR_CLASS_PTR)
        return ir_build1(&l->b, IR_OP_ptrtoint, IR_I64, lo_generic(l, v));
    if (ir_class(v->type) == IR_CLASS_INT && ir_class(to) == IR_CLASS_INT &&
        ir_bits(v->type) < ir_bits(to) && cu_is_signed(t))
        return ir_build1(&l->b, IR_OP_sext, to, v);
    return v;
}

static void bind(struct px *p, const struct asm_operand *o, size_t i, bool out)
{
    struct assembler *a = p->owner;
    struct lower *l = a->l;
    ir_type t = constraint_type(l, o);
    if (t == IR_VOID && !out) {
        bind_number(p, o, i);
        return;
    }
    if (t == IR_VOID)
        cu_error(l->f, o->value->span, "an output of asm cannot be a constant");
    struct ir_value *v = !out ? lo_value(l, o->value)
                         : strchr(o->constraint, '+')
                             ? lo_load(l, lo_place(l, o->value), o->value->type)
                             : NULL;
    if (v)
        v = widened(l, v, o->value->type, t);
    p->b = l->b;
    struct px_symbol *s = px_new_register(p, o->name ? o->name : "operand", t, 0);
    a->operands[i] = s->var;
    if (v)
        px_write(p, s->var, px_bits_as(p, v, t));
    l->b = p->b;
    name_operand(p, o, i, s);
}

static void store_result(struct px *p, const struct asm_operand *o, struct px_var *from)
{
    struct lower *l = ((struct assembler *)p->owner)->l;
    struct ir_value *v = px_read(p, from);
    ir_type want = cu_ir_type(o->value->type);
    if (ir_class(want) == IR_CLASS_PTR)
        v = ir_build1(&p->b, IR_OP_inttoptr, want, px_bits_as(p, v, IR_I64));
    else
        v = px_bits_as(p, v, want);
    l->b = p->b;
    lo_store(l, lo_place(l, o->value), o->value->type, v);
    p->b = l->b;
}

/* ---- the statement ---- */

/* One for all statements of a function: registers declared outside of braces live on from one to
 * the next. The carry flag does even from one function to the next (carry.c). */
static struct px *assembler_of(struct lower *l)
{
    static const struct px_host host = {.error = report};
    if (!l->px) {
        l->px = arena_new(l->f->a, struct px);
        *l->px = (struct px){
            .host = &host, .a = l->f->a, .m = l->m, .names = l->f->names, .in_asm = true};
    }
    l->px->b = l->b;
    if (l->px_serial != l->serial)
        px_begin(l->px, l->fn, &l->ssa);
    l->px_serial = l->serial;
    return l->px;
}

/* Instructions that take or leave the carry flag. */
static bool uses_carry(struct px *p, const struct asm_info *info)
{
    static const char *const marks[] = {".cc", "addc", "subc", "madc"};
    const char *text = arena_strndup(p->a, info->text.ptr, info->text.len);
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (strstr(text, marks[k]))
            return true;
    return false;
}

/* What host code says to its processor while it waits for others: it does nothing. */
static bool is_hint(const struct lower *l, const struct asm_info *info)
{
    static const char *const hints[] = {"pause", "yield", "nop", "rep; nop", "rep;nop"};
    bool hint = false;
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        hint |= str_is(info->text, hints[k]);
    return hint && cu_host(l->f) && !info->nout && !info->nin;
}

void lo_asm(struct lower *l, struct stmt *s)
{
    const struct asm_info *info = s->assembly;
    const size_t n = info->nout + info->nin;
    if (is_hint(l, info))
        return;
    l->b.span = s->span;
    struct px *p = assembler_of(l);
    struct assembler a = {
        .l = l, .info = s->assembly, .operands = arena_array(l->f->a, struct px_var *, n + 1)};
    p->owner = &a;
    p->origin = s->span;
    p->failed = false;
    const size_t names = p->undo.len = 0;
    for (size_t i = 0; i < n; i++)
        bind(p, i < info->nout ? &info->out[i] : &info->in[i - info->nout], i, i < info->nout);
    const size_t own = p->undo.len;
    p->b = l->b;
    struct ir_value *carry = uses_carry(p, info) ? lo_carry_read(&p->b) : NULL;
    if (carry)
        px_write(p, p->carry, carry);
    /* errors do not come back */
    if (px_lex(p, arena_strndup(p->a, info->text.ptr, info->text.len), info->text.len, 0) &&
        px_body(p, false))
        px_lower(p);
    if (carry && px_read(p, p->carry) != carry)
        lo_carry_write(&p->b, px_read(p, p->carry));
    for (size_t i = 0; i < info->nout; i++)
        store_result(p, &info->out[i], a.operands[i]);
    for (size_t i = names; i < own; i++)
        map_set(&p->scope, map_key(p->undo.data[i].name), NULL);
    p->undo.len = 0;
    p->owner = NULL;
    l->b = p->b;
}
