/* Declarations: module directives, variables with their initialisers, functions and prototypes. */
#include <stdlib.h>
#include <string.h>
#include "front/ptx/ptx_int.h"

/* ---- names ---- */
/* What is declared before a unit's module-level names: .visible, .extern, .weak or .common. */
struct px_symbol *px_module_name(struct px *p, const char *name)
{
    struct px_symbol *s = map_get(&ptx_of(p)->unit->names, map_key(name));
    return s ? s : map_get(&ptx_of(p)->globals, map_key(name));
}

enum { VISIBLE = 1, EXTERN = 2, WEAK = 4 };

static void declare_in_module(struct px *p, const char *name, struct px_symbol *s, unsigned linkage)
{
    map_set(linkage ? &ptx_of(p)->globals : &ptx_of(p)->unit->names, map_key(name), s);
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
static bool variable(struct px *p, struct px_place *v, struct declared *common, bool *array,
                     bool *open)
{
    uint64_t align = common->align, lanes = common->lanes ? common->lanes : 1, n;
    struct px_type t = common->type;
    v->span = px_peek(p)->span;
    *array = *open = false;
    while (px_peek(p)->kind == PT_WORD && px_peek(p)->text[0] == '.') {
        const struct px_token *w = px_next(p);
        if (!strcmp(w->text, ".align")) {
            if (!px_integer(p, &n))
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
            t = px_type(w->text + 1);
            if (!t.letter) {
                px_error(p, w->span, "'%s' is not a type of a variable here", w->text);
                return false;
            }
        }
    }
    if (!t.letter) {
        px_error(p, px_peek(p)->span, "expected a type");
        return false;
    }
    *common = (struct declared){t, lanes, align};
    if (!(v->name = px_name(p)))
        return false;
    uint64_t bytes = (t.letter == 'p' ? 1 : t.bits / 8) * t.lanes * lanes, count = 1;
    while (px_take(p, '[')) {
        *array = true;
        if (px_take(p, ']')) {
            *open = true;
            count = 0;
            continue;
        }
        if (!px_integer(p, &n) || !px_expect(p, ']'))
            return false;
        if (n > UINT32_MAX || (count && n * bytes > UINT32_MAX / count)) {
            px_error(p, v->span, "'%s' is larger than 4 GiB", v->name);
            return false;
        }
        count *= n;
    }
    v->size = bytes * count;
    v->type = *array || lanes > 1 ? IR_VOID : px_register_type(t);
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
static bool address_of(struct px *p, struct ir_reloc *r, bool fits)
{
    const struct px_token *t = px_peek(p);
    const char *name = px_name(p);
    bool generic = name && !strcmp(name, "generic") && px_take(p, '(');
    if (generic && (!(name = px_name(p)) || !px_expect(p, ')')))
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
static bool masked_address(struct px *p, struct ir_global *g, uint64_t *at, uint32_t width)
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

static bool initialiser(struct px *p, struct ir_global *g, uint8_t *data, uint64_t *at,
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
static struct px_symbol *declared_before(struct px *p, const char *name, unsigned linkage)
{
    struct px_symbol *s = linkage ? map_get(&ptx_of(p)->globals, map_key(name)) : NULL;
    return s ? s : map_get(&ptx_of(p)->unit->names, map_key(name));
}

static const char *free_name(struct px *p, const char *name)
{
    const char *n = name;
    for (unsigned k = 0; ir_global_find(p->m, n) || ir_func_find(p->m, n); k++)
        n = intern_z(p->names, arena_printf(p->a, "%s.%u", name, k));
    return n;
}

/* Of a variable that another module has as well: that one's value stays. */
static void skip_initialiser(struct px *p)
{
    unsigned depth = 0;
    while (px_peek(p)->kind != PT_END && (depth || (!px_is(p, ',') && !px_is(p, ';')))) {
        const struct px_token *t = px_next(p);
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' && depth ? -1u : 0u;
    }
}

/* .texref name, .samplerref name, .surfref name: known, so that kernels without them load. */
static bool reference(struct px *p, unsigned linkage)
{
    do {
        const char *name = px_name(p);
        if (!name)
            return false;
        declare_in_module(p, name, px_symbol(p, PS_REFERENCE), linkage);
        skip_initialiser(p);
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

static bool module_variable(struct px *p, enum ir_space space, unsigned linkage)
{
    if (!ptx_of(p)->fn && (px_take_word(p, ".texref") || px_take_word(p, ".samplerref") ||
                           px_take_word(p, ".surfref")))
        return reference(p, linkage);
    /* The host may ask for any of a module, whether .visible or not. */
    const uint32_t flags = ptx_of(p)->fn
                               ? 0
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
        if (open && space != IR_SPACE_SHARED && !ext && !px_is(p, '=')) {
            px_error(p, v.span, "'%s' has no size", name);
            return false;
        }
        struct px_symbol *s = ptx_of(p)->fn ? NULL : declared_before(p, name, linkage);
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
            s = px_symbol(p, PS_GLOBAL);
            s->global = g;
            g->span = v.span;
            if (ptx_of(p)->fn)
                px_declare(p, v.name, s);
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
static bool param_list(struct px *p, struct px_proto *proto, bool is_ret)
{
    if (!px_expect(p, '('))
        return false;
    if (px_take(p, ')'))
        return true;
    do {
        struct px_place v = {.space = IR_SPACE_GENERIC};
        struct declared common = {0};
        bool array, open;
        v.reg = px_take_word(p, ".reg");
        if (!v.reg && !px_take_word(p, ".param")) {
            px_error(p, px_peek(p)->span, "expected .param");
            return false;
        }
        if (!variable(p, &v, &common, &array, &open))
            return false;
        if (open) {
            px_error(p, v.span, "a function with any number of arguments is not supported");
            return false;
        }
        const uint32_t elements = v.reg && !array && common.lanes > 1 ? (uint32_t)common.lanes : 1;
        if (elements > 1) {
            v.lanes = elements;
            v.type = px_register_type(common.type);
        }
        for (uint32_t k = 0; k < elements; k++, v.lanes = 0)
            if (is_ret)
                vec_push(p->a, &proto->rets, v);
            else
                vec_push(p->a, &proto->params, v);
    } while (px_take(p, ','));
    return px_expect(p, ')');
}

static bool skip_body(struct px *p)
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

/* A parameter of a kernel whose name stands in its body without brackets: its address is asked for,
 * so that it has to be bytes in memory. */
static void find_addresses(struct px *p, struct px_func *f)
{
    unsigned depth = 0;
    if (!f->kernel || !px_is(p, '{'))
        return;
    for (const struct px_token *t = px_peek(p); t->kind != PT_END; t++) {
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' ? -1u : 0u;
        if (!depth)
            return;
        if (t->kind != PT_WORD || (t[-1].kind == PT_PUNCT && t[-1].punct == '['))
            continue;
        vec_each (struct px_place, v, &f->proto.params)
            if (v->name == t->text)
                v->type = IR_VOID;
    }
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

static const char *plain_name(struct px *p, const char *mangled)
{
    /* _Z4saxpyi…: the name of a function that is not in a namespace, where it is free */
    if (strncmp(mangled, "_Z", 2) || mangled[2] < '1' || mangled[2] > '9')
        return NULL;
    char *end;
    unsigned long n = strtoul(mangled + 2, &end, 10);
    if (n > strlen(end))
        return NULL;
    return intern(p->names, end, n);
}

static bool function(struct px *p, bool kernel, unsigned linkage)
{
    struct px_func *f = arena_new(p->a, struct px_func);
    struct px_func head = {.kernel = kernel};
    uint32_t max_threads = 0, min_blocks = 0, required[3] = {0}, cluster[3] = {0}, more = 0;
    if (!kernel && px_is(p, '(') && !param_list(p, &head.proto, true))
        return false;
    head.span = px_peek(p)->span;
    const char *name = px_name(p);
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
        else if (!strcmp(w->text, ".reqnctapercluster"))
            for (unsigned k = 0; k < 3; k++)
                cluster[k] = (uint32_t)n[k];
        else if (!strcmp(w->text, ".minnctapersm"))
            min_blocks = (uint32_t)n[0];
        else if (!strcmp(w->text, ".noreturn"))
            more |= IR_FUNC_NORETURN;
        else if (strcmp(w->text, ".maxnreg") && strcmp(w->text, ".maxnctapersm") &&
                 strcmp(w->text, ".pragma") && strcmp(w->text, ".noinline") &&
                 strcmp(w->text, ".explicitcluster") && strcmp(w->text, ".maxclusterrank")) {
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
        f->unit = ptx_of(p)->unit;
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
        find_addresses(p, f);
        ir_type ret = head.proto.rets.len ? head.proto.rets.data[0].type : IR_VOID;
        f->unit = ptx_of(p)->unit;
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
        s = px_symbol(p, PS_FUNC);
        s->func = f;
        s->memory = ir_func_value(f->ir);
        declare_in_module(p, name, s, linkage);
        vec_push(p->a, &ptx_of(p)->funcs, f);
    }
    f->ir->flags |= more;
    f->ir->max_threads = max_threads;
    f->ir->min_blocks = min_blocks;
    memcpy(f->ir->required_block, required, sizeof required);
    memcpy(f->ir->cluster, cluster, sizeof cluster);
    if (px_is(p, '{')) {
        f->body = px_peek(p);
        return skip_body(p);
    }
    return px_expect(p, ';');
}

/* .alias name, function: both were declared. */
static bool alias(struct px *p)
{
    const struct span at = px_peek(p)->span;
    const char *name = px_name(p), *to = name && px_expect(p, ',') ? px_name(p) : NULL;
    if (!to)
        return false;
    struct px_symbol *s = px_find(p, name), *f = px_find(p, to);
    if (!s || s->kind != PS_FUNC || s->func->body || !f || f->kind != PS_FUNC || !f->func->body) {
        px_error(p, at, "'%s' is not a function to be found under another name", name);
        return false;
    }
    s->func = f->func;
    s->memory = f->memory;
    return px_expect(p, ';');
}

static void skip_line_of(struct px *p, struct span at)
{
    /* .loc, .file: to the end of the line, or what they take */
    const char *here = ptx_of(p)->file->text + (at.loc - ptx_of(p)->file->base),
               *end = strchr(here, '\n');
    source_loc stop = end ? at.loc + (source_loc)(end - here) : UINT32_MAX;
    while (px_peek(p)->kind != PT_END && px_peek(p)->span.loc < stop && !px_is(p, '}'))
        px_next(p);
}

/* .file NUMBER "PATH": the path by its number. */
static void note_file(struct px *p)
{
    const struct px_token *t = px_peek(p);
    if (t->kind != PT_INT || t[1].kind != PT_STRING || t->bits >= 65536)
        return;
    while (ptx_of(p)->unit->files.len <= t->bits)
        vec_push(p->a, &ptx_of(p)->unit->files, NULL);
    ptx_of(p)->unit->files.data[t->bits] = t[1].text;
}

/* .loc FILE LINE COLUMN: where the instructions behind it come from. The files' names may stand at
 * the end, so this comes last, for all of the text. */
static void place_lines(struct px *p)
{
    size_t unit = 0;
    for (const struct px_token *t = p->tokens; t->kind != PT_END; t++) {
        if (t->kind != PT_WORD || t->text[0] != '.')
            continue;
        if (!strcmp(t->text, ".version") && unit + 1 < ptx_of(p)->units.len)
            unit++;
        if (strcmp(t->text, ".loc") || t[1].kind != PT_INT || t[2].kind != PT_INT ||
            t[3].kind != PT_INT || !t[2].bits || t[2].bits > INT32_MAX)
            continue;
        const struct px_unit *u = ptx_of(p)->units.data[unit];
        if (t[1].bits < u->files.len && u->files.data[t[1].bits])
            source_add_origin(ptx_of(p)->job->sources, t->span, u->files.data[t[1].bits],
                              (uint32_t)t[2].bits, t[3].bits ? (uint32_t)t[3].bits : 1);
    }
}

static bool directive(struct px *p, const struct px_token *w, bool *known)
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

static void new_unit(struct px *p)
{
    ptx_of(p)->unit = arena_new(p->a, struct px_unit);
    map_init(&ptx_of(p)->unit->names, p->a);
    vec_push(p->a, &ptx_of(p)->units, ptx_of(p)->unit);
}

bool px_parse(struct px *p)
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

/* ---- in bodies ---- */
bool px_body_directive(struct px *p, const struct px_token *w, bool *known)
{
    enum ir_space space = IR_SPACE_GENERIC;
    if (!directive(p, w, known))
        return false;
    if (*known || !is_space(w->text, &space))
        return true;
    *known = true;
    if (space == IR_SPACE_SHARED || space == IR_SPACE_GLOBAL || space == IR_SPACE_CONST)
        return module_variable(p, space, 0);
    struct declared common = {0};
    do {
        struct px_place v = {0};
        bool array, open;
        if (!variable(p, &v, &common, &array, &open))
            return false;
        struct px_symbol *s = px_symbol(p, PS_BYTES);
        if (space == IR_SPACE_PARAM && v.type != IR_VOID) {
            s->kind = PS_PARAM;
            s->var = px_new_var(p, v.name, v.type);
        } else {
            s->memory = ir_build_alloca(p->func, v.size ? v.size : 1, v.align, v.name);
            s->memory->u.inst->flags |= IR_UNSET;
        }
        px_declare(p, v.name, s);
    } while (px_take(p, ','));
    return px_expect(p, ';');
}

/* name: .callprototype … ; or name: .calltargets f, g; */
bool px_body_labelled(struct px *p, const char *name, bool *known)
{
    *known = true;
    if (px_take_word(p, ".calltargets")) { /* all of one kind: as the first */
        struct px_symbol *s = px_symbol(p, PS_PROTO);
        do {
            const struct px_token *t = px_peek(p);
            const char *to = px_name(p);
            const struct px_symbol *f = to ? px_find(p, to) : NULL;
            if (!f || f->kind != PS_FUNC) {
                px_error(p, t->span, "'%s' is not a function", to);
                return false;
            }
            if (!s->proto)
                s->proto = &f->func->proto;
        } while (px_take(p, ','));
        px_declare(p, name, s);
        return px_expect(p, ';');
    }
    if (px_take_word(p, ".callprototype")) {
        struct px_symbol *s = px_symbol(p, PS_PROTO);
        s->proto = arena_new(p->a, struct px_proto);
        if (px_is(p, '(') && !param_list(p, s->proto, true))
            return false;
        if (!px_name(p) || (px_is(p, '(') && !param_list(p, s->proto, false)))
            return false;
        while (px_peek(p)->kind == PT_WORD)
            px_next(p);
        px_declare(p, name, s);
        return px_expect(p, ';');
    }
    *known = false;
    return true;
}
