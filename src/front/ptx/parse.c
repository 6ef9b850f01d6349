/* Declarations: module directives, variables with their initialisers, functions and prototypes;
 * and the statements of a body. */
#include <stdlib.h>
#include <string.h>
#include "front/ptx/ptx_int.h"

/* What is wrong inside of a body is kept until all bodies are read: see ptx_front. */
void px_error(struct ptx *p, struct span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (p->fn && !p->fn->error) {
        p->fn->error = arena_vprintf(p->a, fmt, ap);
        p->fn->error_at = at;
    } else if (!p->fn) {
        diag_vadd(p->diag, DIAG_ERROR, at, fmt, ap);
    }
    va_end(ap);
    p->failed = true;
}

/* ---- tokens ---- */
bool px_expect(struct ptx *p, char c)
{
    if (px_take(p, c))
        return true;
    if (!p->failed)
        px_error(p, px_peek(p)->span,
                 px_peek(p)->kind == PT_END ? "the text ends where '%c' should follow"
                                            : "expected '%c'",
                 c);
    return false;
}

static bool is_word(struct ptx *p, const char *w)
{
    return px_peek(p)->kind == PT_WORD && !strcmp(px_peek(p)->text, w);
}

static bool take_word(struct ptx *p, const char *w)
{
    return is_word(p, w) && (px_next(p), true);
}

static const char *name_of(struct ptx *p)
{
    if (px_peek(p)->kind == PT_WORD)
        return px_next(p)->text;
    if (!p->failed)
        px_error(p, px_peek(p)->span, "expected a name");
    return NULL;
}

static bool integer(struct ptx *p, uint64_t *v)
{
    bool minus = px_take(p, '-');
    if (px_peek(p)->kind != PT_INT) {
        if (!p->failed)
            px_error(p, px_peek(p)->span, "expected an integer");
        return false;
    }
    *v = px_next(p)->bits;
    if (minus)
        *v = 0 - *v;
    return true;
}

/* ---- types ---- */
static struct px_type type_of(const char *w)
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

bool px_type_in(struct px_type t, unsigned types)
{
    switch (t.letter) {
    case 's':
    case 'u':
    case 'b': return t.bits >= 16 && t.bits <= 64 && types & (t.lanes == 2 ? PX_PAIR : PX_INT);
    case 'f': return types & (t.bits == 16 ? PX_HALF : PX_FLOAT);
    case 'h': return types & PX_HALF;
    case 'p': return types & PX_PRED;
    default: return false;
    }
}

/* ---- names ---- */
struct px_symbol *px_find(struct ptx *p, const char *name)
{
    struct px_symbol *s = map_get(&p->scope, map_key(name));
    if (!s)
        s = map_get(&p->unit->names, map_key(name));
    return s ? s : map_get(&p->globals, map_key(name));
}

/* What is declared before a unit's module-level names: .visible, .extern, .weak or .common. */
enum { VISIBLE = 1, EXTERN = 2, WEAK = 4 };

static void declare_in_module(struct ptx *p, const char *name, struct px_symbol *s,
                              unsigned linkage)
{
    map_set(linkage ? &p->globals : &p->unit->names, map_key(name), s);
}

static void declare(struct ptx *p, const char *name, struct px_symbol *s)
{
    struct px_undo u = {name, map_get(&p->scope, map_key(name))};
    vec_push(p->a, &p->undo, u);
    map_set(&p->scope, map_key(name), s);
}

static struct px_symbol *new_symbol(struct ptx *p, enum px_symbol_kind k)
{
    struct px_symbol *s = arena_new(p->a, struct px_symbol);
    s->kind = k;
    return s;
}

static ir_type register_type(struct px_type t)
{
    ir_type r = px_ir_type(t);
    return r == IR_F16 || r == IR_BF16 ? IR_I16 : r;
}

/* A register, or a vector of them. */
static struct px_symbol *new_register(struct ptx *p, const char *name, ir_type t, uint32_t lanes)
{
    struct px_symbol *s = new_symbol(p, lanes ? PS_VECTOR : PS_REG);
    s->lanes = lanes;
    s->lane = arena_array(p->a, struct px_var *, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        s->lane[i] = px_new_var(p, name, t);
    if (!lanes)
        s->var = px_new_var(p, name, t);
    return s;
}

/* %r12 of a declaration %r<20>, made when it is first named. */
static struct px_symbol *find_register(struct ptx *p, const char *name)
{
    struct px_symbol *s = px_find(p, name);
    if (s)
        return s;
    size_t n = strlen(name), k = n;
    while (k && name[k - 1] >= '0' && name[k - 1] <= '9')
        k--;
    for (; k < n; k++) {
        const char *range = intern_z(p->job->names, arena_printf(p->a, "%.*s<", (int)k, name));
        struct px_symbol *r = px_find(p, range);
        if (!r || n - k > 9 || strtoull(name + k, NULL, 10) >= r->count)
            continue;
        s = map_get(&r->made, map_key(name));
        if (!s) {
            s = new_register(p, name, r->type, r->lanes);
            map_set(&r->made, map_key(name), s);
        }
        return s;
    }
    return NULL;
}

/* ---- variables ---- */
static bool is_space(const char *w, enum ir_space *space)
{
    static const struct {
        const char *name;
        enum ir_space space;
    } spaces[] = {{".global", IR_SPACE_GLOBAL}, {".shared", IR_SPACE_SHARED},
                  {".const", IR_SPACE_CONST},   {".local", IR_SPACE_LOCAL},
                  {".param", IR_SPACE_PARAM},   {".tex", IR_SPACE_COUNT}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (!strcmp(w, spaces[i].name)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

struct declared { /* what the names of one declaration have in common */
    struct px_type type;
    uint64_t lanes, align;
};

/* [.align n] [.v2] .type [.ptr .space .align n] name [sizes]: after the space; or a further name.
 */
static bool variable(struct ptx *p, struct px_place *v, struct declared *common, bool *array,
                     bool *open)
{
    uint64_t align = common->align, lanes = common->lanes ? common->lanes : 1, n;
    struct px_type t = common->type;
    v->span = px_peek(p)->span;
    *array = *open = false;
    while (px_peek(p)->kind == PT_WORD && px_peek(p)->text[0] == '.') {
        const struct px_token *w = px_next(p);
        if (!strcmp(w->text, ".align")) {
            if (!integer(p, &n))
                return false;
            if (!v->pointer)
                align = n;
        } else if (!strcmp(w->text, ".v2") || !strcmp(w->text, ".v4")) {
            lanes = w->text[2] - (uint64_t)'0';
        } else if (!strcmp(w->text, ".ptr")) {
            v->pointer = true;
        } else if (v->pointer && is_space(w->text, &v->space)) {
        } else if (!strncmp(w->text, ".attribute", 10)) {
            if (px_take(p, '('))
                while (!px_take(p, ')') && px_peek(p)->kind != PT_END)
                    px_next(p);
        } else if (!strcmp(w->text, ".noinline")) {
        } else {
            t = type_of(w->text + 1);
            if (!t.letter) {
                px_error(p, w->span, "'%s' is not a type of a variable here", w->text);
                return false;
            }
        }
    }
    if (!t.letter) {
        if (!p->failed)
            px_error(p, px_peek(p)->span, "expected a type");
        return false;
    }
    *common = (struct declared){t, lanes, align};
    if (!(v->name = name_of(p)))
        return false;
    uint64_t bytes = (t.letter == 'p' ? 1 : t.bits / 8) * t.lanes * lanes, count = 1;
    while (px_take(p, '[')) {
        *array = true;
        if (px_take(p, ']')) {
            *open = true;
            count = 0;
            continue;
        }
        if (!integer(p, &n) || !px_expect(p, ']'))
            return false;
        if (n > UINT32_MAX || (count && n * bytes > UINT32_MAX / count)) {
            px_error(p, v->span, "'%s' is larger than 4 GiB", v->name);
            return false;
        }
        count *= n;
    }
    v->size = bytes * count;
    v->type = *array || lanes > 1 ? IR_VOID : register_type(t);
    v->align = (uint32_t)(align ? align : bytes);
    if (!v->align || v->align > 4096 || v->align & (v->align - 1)) {
        px_error(p, v->span, "'%s' has an alignment that is no power of two", v->name);
        return false;
    }
    if (*array && !align)
        v->align = t.bits / 8 ? t.bits / 8 : 1;
    return true;
}

/* name, name+8 or generic(name): what a relocation points to. */
static bool address_of(struct ptx *p, struct ir_reloc *r, bool fits)
{
    const struct px_token *t = px_peek(p);
    const char *name = name_of(p);
    bool generic = name && !strcmp(name, "generic") && px_take(p, '(');
    if (generic && (!(name = name_of(p)) || !px_expect(p, ')')))
        return false;
    const struct px_symbol *s = name ? px_find(p, name) : NULL;
    if (!name || !px_constant_offset(p, &r->addend))
        return false;
    if (!s || (s->kind != PS_GLOBAL && s->kind != PS_FUNC) || !fits) {
        px_error(p, t->span, "'%s' is not something whose address fits here", name);
        return false;
    }
    r->target = s->kind == PS_FUNC ? ir_func_value(s->func->ir) : ir_global_value(s->global);
    return true;
}

/* 0xFF(name), 0xFF00(name) …: an address byte by byte, where a structure is packed. Only all eight
 * bytes of one address, in order, are of use. */
static bool masked_address(struct ptx *p, struct ir_global *g, uint64_t *at, uint32_t width)
{
    const struct span where = px_peek(p)->span;
    struct ir_reloc first = {0};
    for (unsigned k = 0; k < 8; k++) {
        uint64_t mask = px_next(p)->bits;
        struct ir_reloc r = {.offset = (uint32_t)*at};
        if (!px_expect(p, '(') || !address_of(p, &r, true) || !px_expect(p, ')'))
            return false;
        if (!k)
            first = r;
        if (width != 1 || mask != UINT64_C(0xFF) << 8 * k || r.target != first.target ||
            r.addend != first.addend || *at + 8 - k > g->size ||
            (k < 7 && (!px_take(p, ',') || px_peek(p)->kind != PT_INT))) {
            px_error(p, where, "a part of an address is not supported: all its bytes, in order");
            return false;
        }
    }
    vec_push(p->a, &g->relocs, first);
    *at += 8;
    return true;
}

static bool initialiser(struct ptx *p, struct ir_global *g, uint8_t *data, uint64_t *at,
                        uint32_t width, unsigned depth)
{
    if (px_take(p, '{')) {
        if (depth == 8) {
            px_error(p, px_peek(p)->span, "initialisers nest too deeply");
            return false;
        }
        if (px_take(p, '}'))
            return true;
        do {
            if (!initialiser(p, g, data, at, width, depth + 1))
                return false;
        } while (px_take(p, ','));
        return px_expect(p, '}');
    }
    const struct px_token *t = px_peek(p);
    uint64_t bits = 0;
    if (*at + width > g->size) {
        px_error(p, t->span, "more initialisers than '%s' has room for", g->name);
        return false;
    }
    if (t->kind == PT_INT && t[1].kind == PT_PUNCT && t[1].punct == '(')
        return masked_address(p, g, at, width);
    if (t->kind == PT_F32 || t->kind == PT_FLOAT) {
        bits = px_next(p)->bits;
    } else if (px_is(p, '-') && t[1].kind == PT_FLOAT) {
        px_next(p);
        bits = px_next(p)->bits ^ UINT64_C(1) << 63;
    } else if (t->kind == PT_WORD && !px_starts_constant(p)) {
        struct ir_reloc r = {.offset = (uint32_t)*at};
        if (!address_of(p, &r, width == 8))
            return false;
        vec_push(p->a, &g->relocs, r);
    } else if (!px_constant(p, &bits)) {
        return false;
    }
    for (uint32_t k = 0; k < width && k < 8; k++)
        data[*at + k] = (uint8_t)(bits >> 8 * k);
    *at += width;
    return true;
}

/* The name that an earlier declaration gave to what is declared now. Modules see each other's names
 * only where both say so. */
static struct px_symbol *declared_before(struct ptx *p, const char *name, unsigned linkage)
{
    struct px_symbol *s = linkage ? map_get(&p->globals, map_key(name)) : NULL;
    return s ? s : map_get(&p->unit->names, map_key(name));
}

static const char *free_name(struct ptx *p, const char *name)
{
    const char *n = name;
    for (unsigned k = 0; ir_global_find(p->m, n) || ir_func_find(p->m, n); k++)
        n = intern_z(p->job->names, arena_printf(p->a, "%s.%u", name, k));
    return n;
}

/* Of a variable that another module has as well: that one's value stays. */
static void skip_initialiser(struct ptx *p)
{
    unsigned depth = 0;
    while (px_peek(p)->kind != PT_END && (depth || (!px_is(p, ',') && !px_is(p, ';')))) {
        const struct px_token *t = px_next(p);
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' && depth ? -1u : 0u;
    }
}

/* .texref name, .samplerref name, .surfref name: known, so that kernels without them load. */
static bool reference(struct ptx *p, unsigned linkage)
{
    do {
        const char *name = name_of(p);
        if (!name)
            return false;
        declare_in_module(p, name, new_symbol(p, PS_REFERENCE), linkage);
        skip_initialiser(p);
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

static bool module_variable(struct ptx *p, enum ir_space space, unsigned linkage)
{
    if (!p->fn &&
        (take_word(p, ".texref") || take_word(p, ".samplerref") || take_word(p, ".surfref")))
        return reference(p, linkage);
    /* The host may ask for any of a module, whether .visible or not. */
    const uint32_t flags = p->fn ? 0
                                 : IR_GLOBAL_EXPORT | (linkage & EXTERN ? IR_GLOBAL_EXTERN : 0u) |
                                       (linkage & WEAK ? IR_GLOBAL_WEAK : 0u);
    struct declared common = {0};
    do {
        struct px_place v = {0};
        bool array, open;
        if (!variable(p, &v, &common, &array, &open))
            return false;
        /* the width of an element, for the initialiser */
        struct px_type t = common.type;
        uint32_t width = t.letter == 'p' ? 1 : t.bits * t.lanes / 8u;
        const char *name = v.name;
        bool ext = flags & IR_GLOBAL_EXTERN;
        if (open && space != IR_SPACE_SHARED && !px_is(p, '=')) {
            px_error(p, v.span, "'%s' has no size", name);
            return false;
        }
        struct px_symbol *s = p->fn ? NULL : declared_before(p, name, linkage);
        struct ir_global *g;
        if (s && s->kind == PS_GLOBAL && s->global->flags & IR_GLOBAL_EXTERN && !ext) {
            g = s->global;
            g->flags = flags;
            g->size = v.size;
            g->align = v.align > g->align ? v.align : g->align;
        } else if (s && s->kind == PS_GLOBAL && (ext || linkage & WEAK)) {
            skip_initialiser(p);
            continue;
        } else if (s) {
            px_error(p, v.span,
                     s->kind == PS_FUNC ? "'%s' is a function, too" : "'%s' is declared twice",
                     name);
            return false;
        } else {
            name = free_name(p, name);
            uint32_t f = flags;
            if (space == IR_SPACE_SHARED)
                f = open || ext ? IR_GLOBAL_EXTERN : 0;
            g = ir_global_new(p->m, name, space, v.size, v.align, f);
            s = new_symbol(p, PS_GLOBAL);
            s->global = g;
            g->span = v.span;
            if (p->fn)
                declare(p, v.name, s);
            else
                declare_in_module(p, v.name, s, linkage);
        }
        if (space == IR_SPACE_SHARED && !p->shared_anchor)
            p->shared_anchor = ir_global_value(g);
        if (px_take(p, '=')) {
            if (open) {
                px_error(p, v.span, "'%s' has an initialiser but no size", name);
                return false;
            }
            uint8_t *data = arena_alloc(p->a, g->size + 1);
            uint64_t at = 0;
            if (!initialiser(p, g, data, &at, width, 0))
                return false;
            g->init = data;
        }
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

/* ---- functions ---- */
static bool param_list(struct ptx *p, struct px_proto *proto, bool is_ret)
{
    if (!px_expect(p, '('))
        return false;
    if (px_take(p, ')'))
        return true;
    do {
        struct px_place v = {.space = IR_SPACE_GENERIC};
        struct declared common = {0};
        bool array, open;
        v.reg = take_word(p, ".reg");
        if (!v.reg && !take_word(p, ".param")) {
            px_error(p, px_peek(p)->span, "expected .param");
            return false;
        }
        if (!variable(p, &v, &common, &array, &open))
            return false;
        if (open) {
            px_error(p, v.span, "a function with any number of arguments is not supported");
            return false;
        }
        if (is_ret)
            vec_push(p->a, &proto->rets, v);
        else
            vec_push(p->a, &proto->params, v);
    } while (px_take(p, ','));
    return px_expect(p, ')');
}

static bool skip_body(struct ptx *p)
{
    struct span at = px_peek(p)->span;
    unsigned depth = 0;
    do {
        const struct px_token *t = px_next(p);
        if (t->kind == PT_END) {
            px_error(p, at, "the text ends inside of this body");
            return false;
        }
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' ? -1u : 0u;
    } while (depth);
    return true;
}

static void ir_params(struct px_func *f)
{
    struct px_proto *t = &f->proto;
    if (f->kernel) {
        vec_each (struct px_place, v, &t->params) {
            if (v->type == IR_VOID)
                ir_func_param(f->ir, v->name, IR_PTR_TO(IR_SPACE_PARAM), 0, (uint32_t)v->size,
                              v->align);
            else
                ir_func_param(f->ir, v->name,
                              v->pointer && v->type == IR_I64 &&
                                      (v->space == IR_SPACE_GLOBAL || v->space == IR_SPACE_GENERIC)
                                  ? IR_PTR_TO(IR_SPACE_GLOBAL)
                                  : v->type,
                              0, 0, 0);
        }
        ir_func_layout(f->ir);
        return;
    }
    for (size_t i = 0; i < t->rets.len; i++)
        if (!px_by_value(t, i))
            ir_func_param(f->ir, "result", IR_PTR_TO(IR_SPACE_GENERIC), 0, 0, 0);
    vec_each (struct px_place, v, &t->params)
        ir_func_param(f->ir, v->name, v->type == IR_VOID ? IR_PTR_TO(IR_SPACE_GENERIC) : v->type, 0,
                      0, 0);
}

static const char *plain_name(struct ptx *p, const char *mangled)
{
    /* _Z4saxpyi…: the name of a function that is not in a namespace, where it is free */
    if (strncmp(mangled, "_Z", 2) || mangled[2] < '1' || mangled[2] > '9')
        return NULL;
    char *end;
    unsigned long n = strtoul(mangled + 2, &end, 10);
    if (n > strlen(end))
        return NULL;
    return intern(p->job->names, end, n);
}

static bool function(struct ptx *p, bool kernel, unsigned linkage)
{
    struct px_func *f = arena_new(p->a, struct px_func);
    struct px_func head = {.kernel = kernel};
    uint32_t max_threads = 0, min_blocks = 0, required[3] = {0}, more = 0;
    if (!kernel && px_is(p, '(') && !param_list(p, &head.proto, true))
        return false;
    head.span = px_peek(p)->span;
    const char *name = name_of(p);
    if (!name || (px_is(p, '(') && !param_list(p, &head.proto, false)))
        return false;
    while (px_peek(p)->kind == PT_WORD && px_peek(p)->text[0] == '.') {
        const struct px_token *w = px_next(p);
        uint64_t n[3] = {0};
        unsigned count = 0;
        while (px_peek(p)->kind == PT_INT) {
            n[count < 3 ? count : 2] = px_next(p)->bits;
            count++;
            if (!px_take(p, ','))
                break;
        }
        for (unsigned k = count; k < 3; k++)
            n[k] = 1;
        if (!strcmp(w->text, ".maxntid"))
            max_threads = (uint32_t)(n[0] * n[1] * n[2]);
        else if (!strcmp(w->text, ".reqntid"))
            for (unsigned k = 0; k < 3; k++)
                required[k] = (uint32_t)n[k];
        else if (!strcmp(w->text, ".minnctapersm"))
            min_blocks = (uint32_t)n[0];
        else if (!strcmp(w->text, ".noreturn"))
            more |= IR_FUNC_NORETURN;
        else if (strcmp(w->text, ".maxnreg") && strcmp(w->text, ".maxnctapersm") &&
                 strcmp(w->text, ".pragma") && strcmp(w->text, ".noinline")) {
            px_error(p, w->span, "'%s' of a function is not supported", w->text);
            return false;
        }
    }
    struct px_symbol *s = declared_before(p, name, linkage);
    if (s && s->kind == PS_FUNC && s->func->body && px_is(p, ';'))
        return px_expect(p, ';');
    if (s && s->kind == PS_FUNC && s->func->body && linkage & WEAK && px_is(p, '{'))
        return skip_body(p);
    if (s && s->kind == PS_FUNC && !s->func->body) {
        f = s->func;
        f->unit = p->unit;
        bool other = f->kernel != kernel || f->proto.params.len != head.proto.params.len ||
                     f->proto.rets.len != head.proto.rets.len;
        for (size_t i = 0; i < f->proto.rets.len && !other; i++)
            other = (f->proto.rets.data[i].type == IR_VOID) !=
                    (head.proto.rets.data[i].type == IR_VOID);
        f->proto = head.proto; /* the names that the body uses */
        if (other) {
            px_error(p, head.span, "'%s' is declared twice, differently", name);
            return false;
        }
    } else if (s) {
        px_error(p, head.span, "'%s' is declared twice", name);
        return false;
    } else {
        *f = head;
        ir_type ret = head.proto.rets.len ? head.proto.rets.data[0].type : IR_VOID;
        f->unit = p->unit;
        f->ir = ir_func_new(p->m, free_name(p, name), ret,
                            (kernel ? IR_FUNC_KERNEL : 0u) | (linkage & WEAK ? IR_FUNC_WEAK : 0u));
        f->ir->span = head.span;
        const char *display = plain_name(p, name);
        if (display) {
            f->ir->mangled = name;
            if (kernel)
                f->ir->display = display;
        }
        ir_params(f);
        s = new_symbol(p, PS_FUNC);
        s->func = f;
        declare_in_module(p, name, s, linkage);
        vec_push(p->a, &p->funcs, f);
    }
    f->ir->flags |= more;
    f->ir->max_threads = max_threads;
    f->ir->min_blocks = min_blocks;
    memcpy(f->ir->required_block, required, sizeof required);
    if (px_is(p, '{')) {
        f->body = px_peek(p);
        return skip_body(p);
    }
    return px_expect(p, ';');
}

/* .alias name, function: both were declared. */
static bool alias(struct ptx *p)
{
    const struct span at = px_peek(p)->span;
    const char *name = name_of(p), *to = name && px_expect(p, ',') ? name_of(p) : NULL;
    if (!to)
        return false;
    struct px_symbol *s = px_find(p, name), *f = px_find(p, to);
    if (!s || s->kind != PS_FUNC || s->func->body || !f || f->kind != PS_FUNC || !f->func->body) {
        px_error(p, at, "'%s' is not a function to be found under another name", name);
        return false;
    }
    s->func = f->func;
    return px_expect(p, ';');
}

static void skip_line_of(struct ptx *p, struct span at)
{
    /* .loc, .file: to the end of the line, or what they take */
    const char *here = p->file->text + (at.loc - p->file->base), *end = strchr(here, '\n');
    source_loc stop = end ? at.loc + (source_loc)(end - here) : UINT32_MAX;
    while (px_peek(p)->kind != PT_END && px_peek(p)->span.loc < stop && !px_is(p, '}'))
        px_next(p);
}

/* .file NUMBER "PATH": the path by its number. */
static void note_file(struct ptx *p)
{
    const struct px_token *t = px_peek(p);
    if (t->kind != PT_INT || t[1].kind != PT_STRING || t->bits >= 65536)
        return;
    while (p->unit->files.len <= t->bits)
        vec_push(p->a, &p->unit->files, NULL);
    p->unit->files.data[t->bits] = t[1].text;
}

/* .loc FILE LINE COLUMN: where the instructions behind it come from. The files' names may stand at
 * the end, so this comes last, for all of the text. */
static void place_lines(struct ptx *p)
{
    size_t unit = 0;
    for (const struct px_token *t = p->tokens; t->kind != PT_END; t++) {
        if (t->kind != PT_WORD || t->text[0] != '.')
            continue;
        if (!strcmp(t->text, ".version") && unit + 1 < p->units.len)
            unit++;
        if (strcmp(t->text, ".loc") || t[1].kind != PT_INT || t[2].kind != PT_INT ||
            t[3].kind != PT_INT || !t[2].bits || t[2].bits > INT32_MAX)
            continue;
        const struct px_unit *u = p->units.data[unit];
        if (t[1].bits < u->files.len && u->files.data[t[1].bits])
            source_add_origin(p->job->sources, t->span, u->files.data[t[1].bits],
                              (uint32_t)t[2].bits, t[3].bits ? (uint32_t)t[3].bits : 1);
    }
}

static bool directive(struct ptx *p, const struct px_token *w, bool *known)
{
    *known = true;
    if (!strcmp(w->text, ".version") || !strcmp(w->text, ".target") || !strcmp(w->text, ".file") ||
        !strcmp(w->text, ".loc") || !strcmp(w->text, ".address_size")) {
        if (!strcmp(w->text, ".address_size") && px_peek(p)->kind == PT_INT &&
            px_peek(p)->bits != 64) {
            px_error(p, px_peek(p)->span, "only modules with addresses of 64 bits are supported");
            return false;
        }
        if (!strcmp(w->text, ".file"))
            note_file(p);
        if (!strcmp(w->text, ".loc"))
            p->origin = w->span;
        skip_line_of(p, w->span);
        return true;
    }
    if (!strcmp(w->text, ".section")) {
        while (!px_is(p, '{') && px_peek(p)->kind != PT_END)
            px_next(p);
        return skip_body(p);
    }
    if (!strcmp(w->text, ".pragma")) {
        while (!px_take(p, ';') && px_peek(p)->kind != PT_END)
            px_next(p);
        return true;
    }
    *known = false;
    return true;
}

static void new_unit(struct ptx *p)
{
    p->unit = arena_new(p->a, struct px_unit);
    map_init(&p->unit->names, p->a);
    vec_push(p->a, &p->units, p->unit);
}

bool px_parse(struct ptx *p)
{
    static const struct {
        const char *name;
        unsigned linkage;
    } linkages[] = {{".visible", VISIBLE}, {".extern", EXTERN}, {".weak", WEAK}, {".common", WEAK}};
    unsigned linkage = 0;
    new_unit(p);
    while (px_peek(p)->kind != PT_END) {
        const struct px_token *w = px_next(p);
        enum ir_space space;
        bool known;
        if (w->kind != PT_WORD) {
            if (w->kind == PT_PUNCT && w->punct == ';')
                continue;
            px_error(p, w->span, "expected a directive");
            return false;
        }
        if (!strcmp(w->text, ".version"))
            new_unit(p);
        if (!directive(p, w, &known))
            return false;
        for (size_t k = 0; k < sizeof linkages / sizeof *linkages && !known; k++)
            if (!strcmp(w->text, linkages[k].name)) {
                linkage |= linkages[k].linkage;
                known = true;
            }
        if (known)
            continue;
        bool ok;
        if (is_space(w->text, &space) && space != IR_SPACE_LOCAL && space != IR_SPACE_PARAM &&
            space != IR_SPACE_COUNT) {
            ok = module_variable(p, space, linkage);
        } else if (!strcmp(w->text, ".entry") || !strcmp(w->text, ".func")) {
            ok = function(p, w->text[1] == 'e', linkage);
        } else if (!strcmp(w->text, ".alias")) {
            ok = alias(p);
        } else {
            px_error(p, w->span, "'%s' is not supported here", w->text);
            ok = false;
        }
        linkage = 0;
        if (!ok)
            return false;
    }
    place_lines(p);
    return true;
}

/* ---- bodies ---- */
static bool operand(struct ptx *p, struct px_operand *o, unsigned depth);

static bool operands(struct ptx *p, struct px_operand **items, uint32_t *n, char close,
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

static bool operand(struct ptx *p, struct px_operand *o, unsigned depth)
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
            return true;
        }
        struct px_symbol *s = find_register(p, t->text);
        const char *dot = s ? NULL : strchr(t->text + 1, '.');
        if (dot) { /* %r1.b0, %v1.x */
            const char *reg = intern(p->job->names, t->text, (size_t)(dot - t->text));
            struct px_symbol *whole = find_register(p, reg);
            if (whole && whole->kind == PS_REG) {
                s = whole;
                o->select = dot + 1;
            } else if (whole && whole->kind == PS_VECTOR) {
                const char *letters = "xyzwrgba", *at = strchr(letters, dot[1]);
                if (!dot[1] || dot[2] || !at || (at - letters) % 4 >= whole->lanes) {
                    px_error(p, o->span, "'%s' has no element '%s'", reg, dot);
                    return false;
                }
                o->kind = PO_REG;
                o->var = whole->lane[(at - letters) % 4];
                return true;
            }
        }
        o->symbol = s;
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
            if (!integer(p, &n) || !px_expect(p, ']'))
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
    if (!p->failed)
        px_error(p, t->span, "expected an operand");
    return false;
}

static void split_name(struct ptx *p, struct px_stmt *s)
{
    const char *at = s->full, *dot = strchr(at, '.');
    size_t n = dot ? (size_t)(dot - at) : strlen(at);
    s->name = intern(p->job->names, at, n);
    while (dot) {
        at = dot + 1;
        dot = strchr(at, '.');
        n = dot ? (size_t)(dot - at) : strlen(at);
        if (s->nmods == PTX_MAX_MODS) {
            px_error(p, s->span, "'%s' has too many parts", s->full);
            return;
        }
        const char *w = intern(p->job->names, at, n);
        struct px_type t = type_of(w);
        if (t.letter && s->ntypes < 6)
            s->types[s->ntypes++] = t;
        else
            s->mods[s->nmods++] = w;
    }
}

static bool statement_variable(struct ptx *p, const struct px_token *w)
{
    if (!strcmp(w->text, ".reg")) {
        uint32_t lanes = take_word(p, ".v2") ? 2 : take_word(p, ".v4") ? 4 : 0;
        const struct px_token *type = px_next(p);
        const char *word = type->kind == PT_WORD ? type->text : "";
        struct px_type t = type_of(word + (word[0] == '.'));
        ir_type r = t.letter ? register_type(t) : IR_VOID;
        if (r == IR_VOID) {
            px_error(p, type->span, "registers of this type are not supported");
            return false;
        }
        do {
            const char *name = name_of(p);
            uint64_t n;
            if (!name)
                return false;
            if (px_take(p, '<')) {
                if (!integer(p, &n) || !px_expect(p, '>'))
                    return false;
                struct px_symbol *s = new_symbol(p, PS_RANGE);
                s->type = r;
                s->count = n;
                s->lanes = lanes;
                map_init(&s->made, p->a);
                declare(p, intern_z(p->job->names, arena_printf(p->a, "%s<", name)), s);
            } else {
                declare(p, name, new_register(p, name, r, lanes));
            }
        } while (px_take(p, ','));
        return px_expect(p, ';');
    }
    enum ir_space space = IR_SPACE_GENERIC;
    is_space(w->text, &space);
    if (space == IR_SPACE_SHARED || space == IR_SPACE_GLOBAL || space == IR_SPACE_CONST)
        return module_variable(p, space, 0);
    struct declared common = {0};
    do {
        struct px_place v = {0};
        bool array, open;
        if (!variable(p, &v, &common, &array, &open))
            return false;
        struct px_symbol *s = new_symbol(p, PS_BYTES);
        if (space == IR_SPACE_PARAM && v.type != IR_VOID) {
            s->kind = PS_PARAM;
            s->var = px_new_var(p, v.name, v.type);
        } else {
            s->memory = ir_build_alloca(p->fn->ir, v.size ? v.size : 1, v.align, v.name);
        }
        declare(p, v.name, s);
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

/* name: .callprototype … ; or name: .branchtargets a, b; or name: .calltargets f, g; */
static bool label_directive(struct ptx *p, const char *name)
{
    if (take_word(p, ".branchtargets")) {
        struct px_symbol *s = new_symbol(p, PS_TARGETS);
        do {
            const char *to = name_of(p);
            if (!to)
                return false;
            vec_push(p->a, &s->targets, to);
        } while (px_take(p, ','));
        declare(p, name, s);
        return px_expect(p, ';');
    }
    if (take_word(p, ".calltargets")) { /* all of one kind: as the first */
        struct px_symbol *s = new_symbol(p, PS_PROTO);
        do {
            const struct px_token *t = px_peek(p);
            const char *to = name_of(p);
            const struct px_symbol *f = to ? px_find(p, to) : NULL;
            if (!f || f->kind != PS_FUNC) {
                if (!p->failed)
                    px_error(p, t->span, "'%s' is not a function", to);
                return false;
            }
            if (!s->proto)
                s->proto = &f->func->proto;
        } while (px_take(p, ','));
        declare(p, name, s);
        return px_expect(p, ';');
    }
    if (take_word(p, ".callprototype")) {
        struct px_symbol *s = new_symbol(p, PS_PROTO);
        s->proto = arena_new(p->a, struct px_proto);
        if (px_is(p, '(') && !param_list(p, s->proto, true))
            return false;
        if (!name_of(p) || (px_is(p, '(') && !param_list(p, s->proto, false)))
            return false;
        while (px_peek(p)->kind == PT_WORD)
            px_next(p);
        declare(p, name, s);
        return px_expect(p, ';');
    }
    struct px_stmt s = {.label = name, .scope = p->scope_id, .span = p->tokens[p->at - 1].span};
    vec_push(p->a, &p->body, s);
    return true;
}

static bool instruction(struct ptx *p)
{
    struct px_stmt s = {.scope = p->scope_id, .span = px_peek(p)->span, .origin = p->origin};
    if (px_take(p, '@')) {
        s.guard = arena_new(p->a, struct px_operand);
        if (!operand(p, s.guard, 0))
            return false;
        s.span = px_peek(p)->span;
    }
    if (!(s.full = name_of(p)))
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

bool px_body(struct ptx *p)
{
    VEC(size_t) marks = {0};
    p->at = (size_t)(p->fn->body - p->tokens);
    do {
        const struct px_token *t = px_peek(p);
        enum ir_space space;
        bool known;
        if (px_take(p, '{')) {
            vec_push(p->a, &marks, p->undo.len);
            vec_push(p->a, &p->scope_parent, p->scope_id);
            p->scope_id = (uint32_t)p->scope_parent.len;
        } else if (px_take(p, '}')) {
            size_t mark = vec_pop(&marks);
            while (p->undo.len > mark) {
                struct px_undo u = vec_pop(&p->undo);
                map_set(&p->scope, map_key(u.name), u.was);
            }
            p->scope_id = p->scope_parent.data[p->scope_id - 1];
        } else if (px_take(p, ';')) {
        } else if (t->kind == PT_WORD && t->text[0] == '.') {
            px_next(p);
            if (!directive(p, t, &known))
                return false;
            if (known)
                continue;
            if (strcmp(t->text, ".reg") && !is_space(t->text, &space)) {
                px_error(p, t->span, "'%s' is not supported here", t->text);
                return false;
            }
            if (!statement_variable(p, t))
                return false;
        } else if (t->kind == PT_WORD && p->tokens[p->at + 1].kind == PT_PUNCT &&
                   p->tokens[p->at + 1].punct == ':') {
            px_next(p);
            px_next(p);
            if (!label_directive(p, t->text))
                return false;
        } else if (!instruction(p)) {
            return false;
        }
    } while (marks.len);
    return true;
}
