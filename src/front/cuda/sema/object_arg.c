/* Template arguments that are objects of classes, and strings that such objects are made of. Equal
 * values are one object: a constant without a name in the program, whose name here is its value, so
 * that instances are the same in every file. */
#include <string.h>
#include "front/cuda/sema/sema.h"

enum { SPELLED = 32 }; /* bytes that a name spells; of more it has two sums */

static uint64_t sum(const uint8_t *bytes, size_t n, uint64_t start)
{
    for (size_t i = 0; i < n; i++)
        start = (start ^ bytes[i]) * UINT64_C(0x100000001b3);
    return start;
}

static const char *object_name(struct front *f, struct type *t, const uint8_t *bytes, size_t n)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    sbuf_printf(&b, "__tern_object_%s_", cu_mangle_type(f, t));
    if (n <= SPELLED)
        for (size_t i = 0; i < n; i++)
            sbuf_printf(&b, "%02x", bytes[i]);
    else
        sbuf_printf(&b, "%zu_%016llx%016llx", n,
                    (unsigned long long)sum(bytes, n, UINT64_C(0xcbf29ce484222325)),
                    (unsigned long long)sum(bytes, n, UINT64_C(0x9e3779b97f4a7c15)));
    return intern(f->names, b.data, b.len);
}

static struct var *object_var(struct front *f, const char *name, struct type *t, struct expr *init)
{
    struct var *v = map_get(&f->objects, map_key(name));
    if (v)
        return v;
    v = cu_decl_alloc(f, sizeof *v, DECL_VAR, name, init->span);
    v->d.type = t;
    v->d.scope = f->global;
    v->storage = VAR_GLOBAL;
    v->is_constexpr = v->is_static = v->is_argument = v->init_parsed = true;
    v->init = init;
    map_set(&f->objects, map_key(name), v);
    return v;
}

struct targ cu_object_targ(struct front *f, struct expr *e, struct type *t)
{
    t = t->unqual;
    cu_complete(f, t, e->span);
    e = cu_convert(f, e, t, "a template argument");
    const size_t size = cu_sizeof(f, t, e->span);
    uint8_t *bytes = arena_alloc(f->a, size ? size : 1);
    struct ce_reloc *relocs = NULL;
    const char *why = NULL;
    struct span where = e->span;
    memset(bytes, 0, size);
    if (!cu_const_object(f, e, t, bytes, size, &relocs, &why, &where))
        cu_error(f, where, "a template argument has to be a constant: %s", why);
    if (relocs)
        cu_error(f, e->span, "a template argument of type '%s' holds an address",
                 cu_type_str(f, t));
    struct var *v =
        object_var(f, object_name(f, t, bytes, size), cu_qualified(f, t, QUAL_CONST), e);
    return (struct targ){.kind = TARG_VALUE, .type = t, .object = &v->d};
}

const uint8_t *cu_object_bytes(struct front *f, struct var *v)
{
    const size_t size = cu_sizeof(f, v->d.type, v->d.span);
    uint8_t *bytes = arena_alloc(f->a, size ? size : 1);
    struct ce_reloc *relocs = NULL;
    const char *why = NULL;
    struct span where;
    memset(bytes, 0, size);
    cu_const_object(f, v->init, v->d.type, bytes, size, &relocs, &why, &where);
    return bytes;
}

static bool is_zero(struct front *f, const struct cu_part *p, const uint8_t *bytes)
{
    const size_t size = cu_sizeof(f, p->type, (struct span){0});
    for (size_t i = 0; i < size; i++)
        if (bytes[p->at + i])
            return false;
    return true;
}

const struct cu_part *cu_parts(struct front *f, struct type *t, const uint8_t *bytes, size_t *n)
{
    VEC(struct cu_part) parts = {0};
    if (t->kind == TY_ARRAY) {
        const size_t size = cu_sizeof(f, t->elem, (struct span){0});
        for (uint64_t i = 0; i < t->count; i++)
            vec_push(f->a, &parts, ((struct cu_part){t->elem, i * size, NULL}));
    } else {
        vec_each (struct base_class, x, &t->cls->bases)
            vec_push(f->a, &parts, ((struct cu_part){x->type, x->offset, NULL}));
        for (struct field *fd = t->cls->fields; fd; fd = fd->next)
            vec_push(f->a, &parts,
                     ((struct cu_part){fd->d.type, fd->offset, fd->is_bitfield ? fd : NULL}));
    }
    while (parts.len && is_zero(f, &parts.data[parts.len - 1], bytes))
        parts.len--;
    *n = parts.len;
    return parts.data;
}

int64_t cu_part_bits(const struct cu_part *p, const uint8_t *bytes)
{
    uint64_t v = 0;
    const unsigned end = p->bits->bit_offset + p->bits->bits;
    for (unsigned i = 0; i < (end + 7) / 8; i++)
        v |= (uint64_t)bytes[p->at + i] << 8 * i;
    v <<= 64 - end;
    return cu_is_signed(p->type) ? (int64_t)v >> (64 - p->bits->bits)
                                 : (int64_t)(v >> (64 - p->bits->bits));
}

static void put_number(struct front *f, struct sbuf *b, struct type *t, int64_t v)
{
    if (t->kind == TY_ENUM)
        sbuf_printf(b, "(%s)", cu_type_str(f, t->unqual));
    if (cu_is_signed(t))
        sbuf_printf(b, "%lld", (long long)v);
    else
        sbuf_printf(b, "%lluull", (unsigned long long)v);
}

/* As a name expression has them: { 3, {1, 2}, (double)[4004000000000000] }. */
void cu_put_members(struct front *f, struct sbuf *b, struct type *t, const uint8_t *bytes)
{
    t = t->unqual;
    if (t->kind == TY_CLASS || t->kind == TY_ARRAY) {
        size_t n;
        const struct cu_part *parts = cu_parts(f, t, bytes, &n);
        sbuf_putc(b, '{');
        for (size_t i = 0; i < n; i++) {
            if (i)
                sbuf_puts(b, ", ");
            if (parts[i].bits)
                put_number(f, b, parts[i].type, cu_part_bits(&parts[i], bytes));
            else
                cu_put_members(f, b, parts[i].type, bytes + parts[i].at);
        }
        sbuf_putc(b, '}');
        return;
    }
    const size_t size = cu_sizeof(f, t, (struct span){0});
    uint64_t v = 0;
    memcpy(&v, bytes, size < 8 ? size : 8);
    if (!cu_is_float(t))
        put_number(f, b, t, cu_wrap(t, (int64_t)v));
    else
        sbuf_printf(b, "(%s)[%0*llx]", cu_type_str(f, t), (int)size * 2, (unsigned long long)v);
}

struct targ cu_string_targ(struct front *f, struct expr *e)
{
    struct type *t = e->type;
    const char *name = object_name(f, t, (const uint8_t *)e->u.str.ptr, e->u.str.len);
    struct var *v = object_var(f, name, t, e);
    return (struct targ){.kind = TARG_VALUE, .type = cu_lref_to(f, t), .object = &v->d};
}
