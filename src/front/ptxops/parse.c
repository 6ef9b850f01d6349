/* The statements of a body: registers, labels, and instructions with their operands. */
#include <stdlib.h>
#include <string.h>
#include "front/ptxops/ptxops.h"

/* The first one counts: what follows it may only be its consequence. */
void px_error(struct px *p, struct span at, const char *fmt, ...)
{
    va_list ap;
    if (p->failed)
        return;
    va_start(ap, fmt);
    const char *text = arena_vprintf(p->a, fmt, ap);
    va_end(ap);
    p->failed = true;
    p->host->error(p, at, text);
}

/* ---- tokens ---- */
bool px_expect(struct px *p, char c)
{
    if (px_take(p, c))
        return true;
    px_error(
        p, px_peek(p)->span,
        px_peek(p)->kind == PT_END ? "the text ends where '%c' should follow" : "expected '%c'", c);
    return false;
}

bool px_is_word(const struct px *p, const char *w)
{
    return px_peek(p)->kind == PT_WORD && !strcmp(px_peek(p)->text, w);
}

bool px_take_word(struct px *p, const char *w)
{
    return px_is_word(p, w) && (px_next(p), true);
}

const char *px_name(struct px *p)
{
    if (px_peek(p)->kind == PT_WORD)
        return px_next(p)->text;
    px_error(p, px_peek(p)->span, "expected a name");
    return NULL;
}

bool px_integer(struct px *p, uint64_t *v)
{
    bool minus = px_take(p, '-');
    if (px_peek(p)->kind != PT_INT) {
        px_error(p, px_peek(p)->span, "expected an integer");
        return false;
    }
    *v = px_next(p)->bits;
    if (minus)
        *v = 0 - *v;
    return true;
}

/* ---- types ---- */
struct px_type px_type(const char *w)
{
    static const struct {
        const char *name;
        struct px_type t;
    } types[] = {
        {"s8", {'s', 8, 1}},     {"u8", {'u', 8, 1}},     {"b8", {'b', 8, 1}},
        {"s16", {'s', 16, 1}},   {"u16", {'u', 16, 1}},   {"b16", {'b', 16, 1}},
        {"s32", {'s', 32, 1}},   {"u32", {'u', 32, 1}},   {"b32", {'b', 32, 1}},
        {"s64", {'s', 64, 1}},   {"u64", {'u', 64, 1}},   {"b64", {'b', 64, 1}},
        {"f16", {'f', 16, 1}},   {"f32", {'f', 32, 1}},   {"f64", {'f', 64, 1}},
        {"bf16", {'h', 16, 1}},  {"f16x2", {'f', 16, 2}}, {"bf16x2", {'h', 16, 2}},
        {"pred", {'p', 1, 1}},   {"tf32", {'t', 32, 1}},  {"b128", {'b', 128, 1}},
        {"s16x2", {'s', 16, 2}}, {"u16x2", {'u', 16, 2}}, {"e4m3x2", {'4', 8, 2}},
        {"e5m2x2", {'5', 8, 2}}, {"e4m3", {'4', 8, 1}},   {"e5m2", {'5', 8, 1}},
        {"s4", {'s', 4, 1}},     {"u4", {'u', 4, 1}},     {"b1", {'b', 1, 1}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, w))
            return types[i].t;
    return (struct px_type){0};
}

ir_type px_ir_type(struct px_type t)
{
    if (t.lanes == 2)
        return IR_I32;
    if (t.letter == 'p')
        return IR_I1;
    if (t.letter == 'h')
        return IR_BF16;
    if (t.letter == 'f')
        return t.bits == 16 ? IR_F16 : t.bits == 32 ? IR_F32 : IR_F64;
    return t.bits == 8    ? IR_I8
           : t.bits == 16 ? IR_I16
           : t.bits == 32 ? IR_I32
           : t.bits == 64 ? IR_I64
                          : IR_VOID;
}

static unsigned set_of(struct px_type t)
{
    const unsigned size = t.bits == 16 ? 0 : t.bits == 32 ? 1 : t.bits == 64 ? 2 : 3;
    const bool pair = t.lanes == 2;
    if (t.letter == 'p')
        return PX_PRED;
    if (size == 3 || (pair && size))
        return 0;
    switch (t.letter) {
    case 'b': return pair ? 0 : PX_B16 << size;
    case 'u': return pair ? PX_U16X2 : PX_U16 << size;
    case 's': return pair ? PX_S16X2 : PX_S16 << size;
    case 'h': return pair ? PX_BF16X2 : PX_BF16;
    case 'f': return pair ? PX_F16X2 : !size ? PX_F16 : PX_F32 << (size - 1);
    default: return 0;
    }
}

bool px_type_in(struct px_type t, unsigned types)
{
    return set_of(t) & types;
}

/* ---- names ---- */
struct px_symbol *px_find(struct px *p, const char *name)
{
    struct px_symbol *s = map_get(&p->scope, map_key(name));
    return s || !p->host->find ? s : p->host->find(p, name);
}

void px_declare(struct px *p, const char *name, struct px_symbol *s)
{
    struct px_undo u = {name, map_get(&p->scope, map_key(name))};
    vec_push(p->a, &p->undo, u);
    map_set(&p->scope, map_key(name), s);
}

struct px_symbol *px_symbol(struct px *p, enum px_symbol_kind k)
{
    struct px_symbol *s = arena_new(p->a, struct px_symbol);
    s->kind = k;
    return s;
}

ir_type px_register_type(struct px_type t)
{
    ir_type r = px_ir_type(t);
    return r == IR_F16 || r == IR_BF16 ? IR_I16 : r;
}

/* A register, or a vector of them. */
struct px_symbol *px_new_register(struct px *p, const char *name, ir_type t, uint32_t lanes)
{
    struct px_symbol *s = px_symbol(p, lanes ? PS_VECTOR : PS_REG);
    s->lanes = lanes;
    s->lane = arena_array(p->a, struct px_var *, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        s->lane[i] = px_new_var(p, name, t);
    if (!lanes)
        s->var = px_new_var(p, name, t);
    return s;
}

/* %r12 of a declaration %r<20>, made when it is first named. */
static struct px_symbol *find_register(struct px *p, const char *name)
{
    struct px_symbol *s = px_find(p, name);
    if (s)
        return s;
    size_t n = strlen(name), k = n;
    while (k && name[k - 1] >= '0' && name[k - 1] <= '9')
        k--;
    for (; k < n; k++) {
        const char *range = intern_z(p->names, arena_printf(p->a, "%.*s<", (int)k, name));
        struct px_symbol *r = px_find(p, range);
        if (!r || n - k > 9 || strtoull(name + k, NULL, 10) >= r->count)
            continue;
        s = map_get(&r->made, map_key(name));
        if (!s) {
            s = px_new_register(p, name, r->type, r->lanes);
            map_set(&r->made, map_key(name), s);
        }
        return s;
    }
    return NULL;
}

void px_begin(struct px *p, struct ir_func *f, struct ir_ssa *ssa)
{
    p->func = f;
    p->ssa = ssa;
    p->failed = false;
    p->origin = span_at(0, 0);
    p->shared_uses.len = p->undo.len = 0;
    map_init(&p->scope, p->a);
    p->carry = px_new_var(p, "carry", IR_I1);
}

/* ---- bodies ---- */
static bool operand(struct px *p, struct px_operand *o, unsigned depth);

static bool operands(struct px *p, struct px_operand **items, uint32_t *n, char close,
                     unsigned depth)
{
    VEC(struct px_operand) list = {0};
    if (!px_is(p, close)) {
        do {
            struct px_operand o;
            if (!operand(p, &o, depth + 1))
                return false;
            vec_push(p->a, &list, o);
        } while (px_take(p, ','));
    }
    *items = list.data;
    *n = (uint32_t)list.len;
    return px_expect(p, close);
}

static bool operand(struct px *p, struct px_operand *o, unsigned depth)
{
    *o = (struct px_operand){.span = px_peek(p)->span};
    if (depth > 4) {
        px_error(p, o->span, "operands nest too deeply");
        return false;
    }
    if (px_starts_constant(p) && !(p->lists && !depth && px_is(p, '('))) {
        o->kind = PO_INT;
        return px_constant(p, &o->bits);
    }
    const struct px_token *t = px_next(p);
    switch (t->kind) {
    case PT_F32:
        o->kind = PO_F32;
        o->bits = t->bits;
        return true;
    case PT_FLOAT:
        o->kind = PO_FLOAT;
        o->bits = t->bits;
        return true;
    case PT_WORD: {
        o->name = t->text;
        if (!strcmp(t->text, "_")) {
            o->kind = PO_SINK;
            if (!px_take(p, '|'))
                return true;
            o->second = arena_new(p->a, struct px_operand);
            return operand(p, o->second, depth + 1);
        }
        struct px_symbol *s = find_register(p, t->text);
        const char *dot = s ? NULL : strchr(t->text + 1, '.');
        if (dot) { /* %r1.b0, %v1.x */
            const char *reg = intern(p->names, t->text, (size_t)(dot - t->text));
            struct px_symbol *whole = find_register(p, reg);
            if (whole && whole->kind == PS_REG) {
                s = whole;
                o->select = dot + 1;
            } else if (whole && whole->kind == PS_VECTOR) {
                const char *letters = "xyzwrgba", *at = strchr(letters, dot[1]);
                if (!dot[1] || dot[2] || !at || (uint32_t)(at - letters) % 4 >= whole->lanes) {
                    px_error(p, o->span, "'%s' has no element '%s'", reg, dot);
                    return false;
                }
                o->kind = PO_REG;
                o->var = whole->lane[(at - letters) % 4];
                return true;
            }
        }
        o->symbol = s;
        if (s && s->kind == PS_NUMBER) {
            o->kind = PO_INT;
            o->bits = s->number;
            return true;
        }
        if (s && s->kind == PS_VECTOR) {
            o->kind = PO_VECTOR;
            o->nitems = s->lanes;
            o->items = arena_array(p->a, struct px_operand, s->lanes);
            for (uint32_t i = 0; i < s->lanes; i++)
                o->items[i] =
                    (struct px_operand){.kind = PO_REG, .var = s->lane[i], .span = o->span};
            return true;
        }
        if (s && s->kind == PS_REG) {
            o->kind = PO_REG;
            o->var = s->var;
        } else {
            o->kind = PO_NAME;
        }
        if (px_take(p, '|')) {
            o->second = arena_new(p->a, struct px_operand);
            return operand(p, o->second, depth + 1);
        }
        if (s && (s->kind == PS_GLOBAL || s->kind == PS_BYTES) && px_take(p, '[')) {
            uint64_t n; /* the address of an element: of the first, which needs no size */
            if (!px_integer(p, &n) || !px_expect(p, ']'))
                return false;
            if (n) {
                px_error(p, o->span,
                         "the address of an element other than the first is not "
                         "supported: write '%s+bytes'",
                         o->name);
                return false;
            }
        }
        return px_constant_offset(p, &o->offset);
    }
    case PT_PUNCT:
        switch (t->punct) {
        case '!':
        case '-':
            if (!operand(p, o, depth + 1))
                return false;
            if (t->punct == '!')
                o->negate = !o->negate;
            else if (o->kind == PO_FLOAT)
                o->bits ^= UINT64_C(1) << 63;
            else if (o->kind == PO_F32)
                o->bits ^= UINT64_C(1) << 31;
            else if (o->kind == PO_REG)
                o->minus = !o->minus;
            else
                break;
            return true;
        case '{': o->kind = PO_VECTOR; return operands(p, &o->items, &o->nitems, '}', depth);
        case '(': o->kind = PO_LIST; return operands(p, &o->items, &o->nitems, ')', depth);
        case '[': o->kind = PO_ADDRESS; return operands(p, &o->items, &o->nitems, ']', depth);
        default: break;
        }
        break;
    default: break;
    }
    px_error(p, t->span, "expected an operand");
    return false;
}

static void split_name(struct px *p, struct px_stmt *s)
{
    const char *at = s->full, *dot = strchr(at, '.');
    size_t n = dot ? (size_t)(dot - at) : strlen(at);
    s->name = intern(p->names, at, n);
    while (dot) {
        at = dot + 1;
        dot = strchr(at, '.');
        n = dot ? (size_t)(dot - at) : strlen(at);
        if (s->nmods == PTX_MAX_MODS) {
            px_error(p, s->span, "'%s' has too many parts", s->full);
            return;
        }
        const char *w = intern(p->names, at, n);
        struct px_type t = px_type(w);
        if (t.letter && s->ntypes < 6)
            s->types[s->ntypes++] = t;
        else
            s->mods[s->nmods++] = w;
    }
}

/* .reg [.v2] .type a, %b<10>; behind the .reg */
static bool registers(struct px *p)
{
    uint32_t lanes = px_take_word(p, ".v2") ? 2 : px_take_word(p, ".v4") ? 4 : 0;
    const struct px_token *type = px_next(p);
    const char *word = type->kind == PT_WORD ? type->text : "";
    struct px_type t = px_type(word + (word[0] == '.'));
    ir_type r = t.letter ? px_register_type(t) : IR_VOID;
    if (r == IR_VOID) {
        px_error(p, type->span, "registers of this type are not supported");
        return false;
    }
    do {
        const char *name = px_name(p);
        uint64_t n;
        if (!name)
            return false;
        if (px_take(p, '<')) {
            if (!px_integer(p, &n) || !px_expect(p, '>'))
                return false;
            struct px_symbol *s = px_symbol(p, PS_RANGE);
            s->type = r;
            s->count = n;
            s->lanes = lanes;
            map_init(&s->made, p->a);
            px_declare(p, intern_z(p->names, arena_printf(p->a, "%s<", name)), s);
        } else {
            px_declare(p, name, px_new_register(p, name, r, lanes));
        }
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

/* name: .branchtargets a, b; or what the front end knows; or a label. */
static bool labelled(struct px *p, const char *name)
{
    bool known = false;
    if (px_take_word(p, ".branchtargets")) {
        struct px_symbol *s = px_symbol(p, PS_TARGETS);
        do {
            const char *to = px_name(p);
            if (!to)
                return false;
            vec_push(p->a, &s->targets, to);
        } while (px_take(p, ','));
        px_declare(p, name, s);
        return px_expect(p, ';');
    }
    if (p->host->labelled && !p->host->labelled(p, name, &known))
        return false;
    if (known)
        return true;
    struct px_stmt s = {.label = name, .scope = p->scope_id, .span = p->tokens[p->at - 1].span};
    vec_push(p->a, &p->body, s);
    return true;
}

static bool instruction(struct px *p)
{
    struct px_stmt s = {.scope = p->scope_id, .span = px_peek(p)->span, .origin = p->origin};
    if (px_take(p, '@')) {
        s.guard = arena_new(p->a, struct px_operand);
        if (!operand(p, s.guard, 0))
            return false;
        s.span = px_peek(p)->span;
    }
    if (!(s.full = px_name(p)))
        return false;
    split_name(p, &s);
    p->lists = !strcmp(s.name, "call");
    VEC(struct px_operand) list = {0};
    if (!px_is(p, ';')) {
        do {
            struct px_operand o;
            if (!operand(p, &o, 0))
                return false;
            vec_push(p->a, &list, o);
        } while (px_take(p, ','));
    }
    s.ops = list.data;
    s.nops = (uint32_t)list.len;
    vec_push(p->a, &p->body, s);
    return !p->failed && px_expect(p, ';');
}

static bool directive(struct px *p, const struct px_token *word)
{
    bool known = false;
    if (!strcmp(word->text, ".reg"))
        return registers(p);
    if (!strcmp(word->text, ".pragma")) {
        while (!px_take(p, ';') && px_peek(p)->kind != PT_END)
            px_next(p);
        return true;
    }
    if (p->host->directive && !p->host->directive(p, word, &known))
        return false;
    if (!known)
        px_error(p, word->span, "'%s' is not supported here", word->text);
    return known;
}

static void leave_scope(struct px *p, size_t mark)
{
    while (p->undo.len > mark) {
        struct px_undo u = vec_pop(&p->undo);
        map_set(&p->scope, map_key(u.name), u.was);
    }
    p->scope_id = p->scope_parent.data[p->scope_id - 1];
}

bool px_body(struct px *p, bool braces)
{
    VEC(size_t) marks = {0};
    p->scope_parent.len = p->body.len = 0;
    p->scope_id = 0;
    do {
        const struct px_token *t = px_peek(p);
        if (t->kind == PT_END)
            break;
        if (px_take(p, '{')) {
            vec_push(p->a, &marks, p->undo.len);
            vec_push(p->a, &p->scope_parent, p->scope_id);
            p->scope_id = (uint32_t)p->scope_parent.len;
        } else if (px_is(p, '}') && !marks.len) {
            px_error(p, t->span, "this '}' closes nothing");
            return false;
        } else if (px_take(p, '}')) {
            leave_scope(p, vec_pop(&marks));
        } else if (px_take(p, ';')) {
        } else if (t->kind == PT_WORD && t->text[0] == '.') {
            px_next(p);
            if (!directive(p, t))
                return false;
        } else if (t->kind == PT_WORD && p->tokens[p->at + 1].kind == PT_PUNCT &&
                   p->tokens[p->at + 1].punct == ':') {
            px_next(p);
            px_next(p);
            if (!labelled(p, t->text))
                return false;
        } else if (!instruction(p)) {
            return false;
        }
    } while (marks.len || !braces);
    if (marks.len)
        px_error(p, px_peek(p)->span, "a '{' is not closed");
    return !marks.len;
}
