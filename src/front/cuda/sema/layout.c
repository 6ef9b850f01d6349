/* Sizes, alignments and offsets, as CUDA's host compilers lay out the same classes (Itanium C++
 * ABI). */
#include "front/cuda/sema/sema.h"

uint64_t cu_sizeof(struct front *f, struct type *t, struct span at)
{
    switch (t->kind) {
    case TY_VOID: return 1; /* GNU: void * arithmetic counts bytes */
    case TY_LREF:
    case TY_RREF: return cu_sizeof(f, t->elem, at);
    case TY_POINTER: return 8;
    case TY_MEMPTR: return t->elem->kind == TY_FUNC ? 16 : 8;
    case TY_ARRAY: {
        if (t->count == ARRAY_UNKNOWN)
            cu_error(f, at, "the size of '%s' is not known", cu_type_str(f, t));
        uint64_t one = cu_sizeof(f, t->elem, at);
        if (one && t->count > (UINT64_C(1) << 40) / one)
            cu_error(f, at, "an array of %llu elements is too large", (unsigned long long)t->count);
        return one * t->count;
    }
    case TY_ENUM: return cu_sizeof(f, t->unqual->elem, at);
    case TY_CLASS:
        cu_complete(f, t, at);
        cu_layout(f, t->cls, at);
        return t->cls->size;
    case TY_FUNC: cu_error(f, at, "a function has no size");
    default:
        if (t->kind > TY_NULLPTR)
            cu_error(f, at, "'%s' has no size", cu_type_str(f, t));
        return (cu_bits(t) + 7) / 8;
    }
}

uint32_t cu_alignof(struct front *f, struct type *t, struct span at)
{
    switch (t->kind) {
    case TY_ARRAY:
    case TY_LREF:
    case TY_RREF: return cu_alignof(f, t->elem, at);
    case TY_MEMPTR: return 8;
    case TY_CLASS:
        cu_complete(f, t, at);
        cu_layout(f, t->cls, at);
        return t->cls->align;
    default: return (uint32_t)cu_sizeof(f, t, at);
    }
}

static uint64_t round_up(uint64_t v, uint64_t align)
{
    return align ? (v + align - 1) / align * align : v;
}

/* ---- empty classes: two of one class may not share an address ---- */

static struct class_info *class_inside(const struct field *fd)
{
    struct type *t = fd->d.type;
    while (t->kind == TY_ARRAY)
        t = t->elem;
    return t->kind == TY_CLASS ? t->cls : NULL;
}

static uint64_t elements_of(const struct field *fd)
{
    uint64_t n = 1;
    for (const struct type *t = fd->d.type; t->kind == TY_ARRAY; t = t->elem)
        n *= t->count == ARRAY_UNKNOWN ? 0 : t->count;
    return n;
}

/* Has c, which lies at `at`, an empty subobject of class `what` at `address`? */
static bool has_empty(const struct class_info *c, uint64_t at, const struct class_info *what,
                      uint64_t address)
{
    if (!c->holds_empty || address < at || address >= at + c->size)
        return false;
    if (c == what && at == address)
        return true;
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual && has_empty(b->cls, at + b->offset, what, address))
            return true;
    for (const struct field *fd = c->fields; fd; fd = fd->next) {
        const struct class_info *inside = class_inside(fd);
        if (!inside || !inside->holds_empty || address < at + fd->offset)
            continue;
        const uint64_t k = (address - at - fd->offset) / inside->size;
        if (k < elements_of(fd) &&
            has_empty(inside, at + fd->offset + k * inside->size, what, address))
            return true;
    }
    return false;
}

/* Does an empty subobject of c at `at` lie where one of its class is in d at `dt`? */
static bool empties_converge(const struct class_info *c, uint64_t at, const struct class_info *d,
                             uint64_t dt)
{
    if (!c->holds_empty || !d->holds_empty || at >= dt + d->size || dt >= at + c->size)
        return false;
    if (c->is_empty && has_empty(d, dt, c, at))
        return true;
    vec_each (struct base_class, b, &c->bases)
        if (!b->is_virtual && empties_converge(b->cls, at + b->offset, d, dt))
            return true;
    for (const struct field *fd = c->fields; fd; fd = fd->next) {
        const struct class_info *inside = class_inside(fd);
        const uint64_t n = inside && inside->holds_empty ? elements_of(fd) : 0;
        for (uint64_t k = 0; k < n && at + fd->offset + k * inside->size < dt + d->size; k++)
            if (empties_converge(inside, at + fd->offset + k * inside->size, d, dt))
                return true;
    }
    return false;
}

/* The first offset from `from` on at which `what` meets none of what c has so far: the bases before
 * `base`, or all of them and the fields before `field`. */
static uint64_t place_apart(struct class_info *c, const struct base_class *base,
                            const struct field *field, const struct class_info *what, uint64_t from,
                            uint64_t align)
{
    for (bool meets = what->holds_empty; meets; from += meets ? align : 0) {
        meets = false;
        vec_each (struct base_class, b, &c->bases)
            if ((field || b < base) && !b->is_virtual &&
                empties_converge(what, from, b->cls, b->offset))
                meets = true;
        vec_each (struct virtual_base, v, &c->vbases)
            if (v->placed && empties_converge(what, from, v->cls, v->offset))
                meets = true;
        for (const struct field *fd = field ? c->fields : NULL; fd && fd != field; fd = fd->next) {
            const struct class_info *inside = class_inside(fd);
            const uint64_t n = inside && inside->holds_empty ? elements_of(fd) : 0;
            for (uint64_t k = 0; k < n && !meets; k++)
                meets = empties_converge(what, from, inside, fd->offset + k * inside->size);
        }
    }
    return from;
}

static uint32_t raise_align(struct class_info *c, uint32_t align)
{
    if (align > c->align)
        c->align = align;
    return align;
}

static uint32_t packed_align(const struct class_info *c, uint32_t align)
{
    return c->packed && align > c->packed ? c->packed : align;
}

static void place_bitfield(struct front *f, struct class_info *c, struct field *fd, uint64_t *bit,
                           uint64_t *size)
{
    uint64_t unit = cu_sizeof(f, fd->d.type, fd->d.span) * 8;
    uint32_t align = packed_align(c, cu_alignof(f, fd->d.type, fd->d.span));
    if (fd->bits == 0) { /* closes the unit */
        *bit = round_up(*bit, unit);
        fd->offset = *bit / 8;
        if (*size < fd->offset) /* for what follows, a bit-field or not */
            *size = fd->offset;
        return;
    }
    if (c->packed != 1 && *bit / unit != (*bit + fd->bits - 1) / unit)
        *bit = round_up(*bit, unit);
    /* The storage unit it is read and written through: naturally aligned, inside the class. */
    if (c->packed == 1) {
        fd->offset = *bit / 8;
        fd->bit_offset = (uint32_t)(*bit % 8);
    } else {
        fd->offset = *bit / unit * (unit / 8);
        fd->bit_offset = (uint32_t)(*bit % unit);
    }
    *bit += fd->bits;
    if (*size < (*bit + 7) / 8)
        *size = (*bit + 7) / 8;
    if (fd->d.name)
        raise_align(c, align);
}

/* A part without data lies at 0, or behind what there is if one of its class is there already. It
 * makes the class larger and takes no room in it: data may lie at the same place. */
static uint64_t place_empty(struct class_info *c, const struct base_class *base,
                            const struct field *field, const struct class_info *what, uint64_t size,
                            uint32_t align)
{
    uint64_t offset = place_apart(c, base, field, what, 0, align);
    if (offset)
        offset = place_apart(c, base, field, what, round_up(size, align), align);
    if (offset + what->size > c->reach)
        c->reach = offset + what->size;
    return offset;
}

static uint64_t place_part(struct class_info *c, const struct base_class *base,
                           const struct field *field, const struct class_info *what, uint64_t *size)
{
    const uint32_t align = raise_align(c, packed_align(c, what->own_align));
    c->holds_empty |= what->holds_empty;
    if (what->is_empty)
        return place_empty(c, base, field, what, *size, align);
    c->is_empty = false;
    const uint64_t offset = place_apart(c, base, field, what, round_up(*size, align), align);
    *size = offset + what->data_size;
    return offset;
}

static void place_base(struct front *f, struct class_info *c, struct base_class *b, uint64_t *size,
                       struct span at)
{
    cu_complete(f, b->cls->type, at);
    cu_layout(f, b->cls, at);
    if (!b->is_virtual)
        b->offset = place_part(c, b, NULL, b->cls, size);
}

/* ---- virtual bases ---- */

static struct virtual_base *find_virtual(const struct class_info *c, const struct class_info *base)
{
    vec_each (struct virtual_base, v, &c->vbases)
        if (v->cls == base)
            return v;
    return NULL;
}

uint64_t cu_virtual_offset(const struct class_info *whole, const struct class_info *base)
{
    return find_virtual(whole, base)->offset;
}

/* A virtual base that another base shares its table with lies where that one is. */
struct claim {
    struct class_info *base, *anchor; /* anchor: a virtual base, or NULL for the object itself */
    uint64_t offset;
};
struct claims {
    struct front *f;
    struct class_info *whole;
    VEC(struct claim) list;
    VEC(struct class_info *) seen;
};

static bool claimed(const struct claims *k, const struct class_info *base)
{
    vec_each (struct claim, x, &k->list)
        if (x->base == base)
            return true;
    return false;
}

/* From above, in the order of declaration: the first one has it. */
static void find_claims(struct claims *k, struct class_info *at, struct class_info *anchor,
                        uint64_t offset)
{
    if (at->primary_virtual && !claimed(k, at->primary)) {
        const struct claim x = {at->primary, anchor, offset};
        vec_push(k->f->a, &k->list, x);
    }
    vec_each (struct base_class, b, &at->bases) {
        bool seen = false;
        vec_each (struct class_info *, s, &k->seen)
            seen |= b->is_virtual && *s == b->cls;
        if (b->is_virtual && !seen)
            vec_push(k->f->a, &k->seen, b->cls);
        if (!seen)
            find_claims(k, b->cls, b->is_virtual ? b->cls : anchor,
                        b->is_virtual ? 0 : offset + b->offset);
    }
}

static void place_free(struct claims *k, const struct class_info *at, uint64_t *size)
{
    vec_each (struct base_class, b, &at->bases) {
        struct virtual_base *v = b->is_virtual ? find_virtual(k->whole, b->cls) : NULL;
        if (v && !v->placed && !claimed(k, b->cls)) {
            const struct field all = {0};
            v->offset = place_part(k->whole, NULL, &all, b->cls, size);
            v->placed = true;
        }
        place_free(k, b->cls, size);
    }
}

static uint64_t place_claimed(const struct claims *k, struct virtual_base *v)
{
    vec_each (struct claim, x, &k->list)
        if (x->base == v->cls && !v->placed) {
            v->offset = x->offset + (x->anchor ? place_claimed(k, find_virtual(k->whole, x->anchor))
                                               : UINT64_C(0));
            v->placed = true;
        }
    return v->offset;
}

static void place_virtual(struct front *f, struct class_info *c, uint64_t *size)
{
    struct claims k = {.f = f, .whole = c};
    vec_each (struct virtual_base, v, &c->vbases)
        v->placed = false;
    find_claims(&k, c, NULL, 0);
    place_free(&k, c, size);
    vec_each (struct virtual_base, v, &c->vbases)
        place_claimed(&k, v);
}

static void place_field(struct front *f, struct class_info *c, struct field *fd, uint64_t *size)
{
    uint64_t bytes = 8;
    uint32_t align = 8;
    if (!cu_is_ref(fd->d.type)) {
        const bool flexible = fd->d.type->kind == TY_ARRAY && fd->d.type->count == ARRAY_UNKNOWN;
        bytes = flexible ? 0 : cu_sizeof(f, fd->d.type, fd->d.span);
        align = cu_alignof(f, fd->d.type, fd->d.span);
    }
    const struct class_info *inside = class_inside(fd);
    c->holds_empty |= inside && inside->holds_empty;
    align = packed_align(c, align);
    align = raise_align(c, fd->align > align ? fd->align : align);
    const bool overlaps = fd->no_unique_address && !cu_is_ref(fd->d.type);
    if (overlaps && !c->is_union && cu_is_empty_class(f, fd->d.type)) {
        fd->offset = place_empty(c, NULL, fd, inside, *size, align);
        return;
    }
    c->is_empty = false;
    fd->offset = 0;
    if (c->is_union) {
        *size = bytes > *size ? bytes : *size;
        return;
    }
    if (overlaps)
        bytes = cu_own_size(f, fd->d.type, fd->d.span);
    fd->offset = round_up(*size, align);
    if (inside)
        fd->offset = place_apart(c, NULL, fd, inside, fd->offset, align);
    *size = fd->offset + bytes;
}

/* Without data and without a table. */
bool cu_holds_nothing(const struct class_info *c)
{
    for (const struct field *fd = c->fields; fd; fd = fd->next)
        if (!fd->is_bitfield || fd->bits)
            return false;
    vec_each (struct base_class, b, &c->bases)
        if (!cu_holds_nothing(b->cls))
            return false;
    return !c->polymorphic;
}

/* A plain old class keeps its tail padding to itself. */
static bool is_plain(const struct class_info *c)
{
    if (c->polymorphic || c->bases.len || c->user_ctor || c->user_copy_ctor || c->user_move_ctor ||
        c->user_copy_assign || c->user_move_assign || c->user_dtor || c->deletes_special)
        return false;
    for (const struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->d.access != ACCESS_PUBLIC)
            return false;
    return true;
}

void cu_layout(struct front *f, struct class_info *c, struct span at)
{
    if (c->laid_out)
        return;
    if (c->broken)
        cu_error_note(f, at, c->broken_at, c->broken,
                      "'%s' cannot be used in device code: a member of it could not be parsed",
                      cu_type_str(f, c->type));
    /* The primary base goes to offset 0; of a virtual one there is no more than the pointer. */
    const bool pointer = c->polymorphic && (!c->primary || c->primary_virtual);
    c->is_empty = !c->polymorphic;
    c->reach = 0;
    c->align = pointer ? 8 : 1;
    uint64_t size = pointer ? 8 : 0;
    vec_each (struct virtual_base, v, &c->vbases) {
        v->placed = false;
        cu_layout(f, v->cls, at);
    }
    if (c->primary_virtual)
        raise_align(c, packed_align(c, c->primary->own_align));
    vec_each (struct base_class, b, &c->bases)
        if (b->cls == c->primary)
            place_base(f, c, b, &size, at);
    vec_each (struct base_class, b, &c->bases)
        if (b->cls != c->primary)
            place_base(f, c, b, &size, at);
    uint64_t bit = 0; /* where the next bit-field may start */
    bool in_bits = false;
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        if (fd->is_bitfield) {
            c->is_empty &= fd->bits == 0;
            if (!in_bits || c->is_union)
                bit = c->is_union ? 0 : size * 8;
            place_bitfield(f, c, fd, &bit, &size);
        } else {
            place_field(f, c, fd, &size);
        }
        in_bits = fd->is_bitfield;
    }
    if (c->forced_align > c->align)
        c->align = c->forced_align;
    if (size < c->reach)
        size = c->reach;
    const uint64_t own = size;
    c->own_align = c->align;
    if (c->vbases.len) {
        place_virtual(f, c, &size);
        if (size < c->reach)
            size = c->reach;
    }
    c->size = round_up(c->is_empty && !size ? 1 : size, c->align); /* arrays of no element: 0 */
    c->data_size = c->is_union || is_plain(c) ? c->size : own;
    c->holds_empty |= c->is_empty;
    c->laid_out = true;
}

/* ---- questions about classes ---- */

static struct type *element(struct type *t)
{
    while (t->kind == TY_ARRAY)
        t = t->elem;
    return t;
}

bool cu_trivial_dtor(struct front *f, struct type *t)
{
    t = element(t);
    if (t->kind != TY_CLASS)
        return true;
    cu_complete(f, t, cu_span(f));
    struct class_info *c = t->cls;
    if (c->user_dtor)
        return false;
    vec_each (struct base_class, b, &c->bases)
        if (!cu_trivial_dtor(f, b->type))
            return false;
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (!cu_is_ref(fd->d.type) && !cu_trivial_dtor(f, fd->d.type))
            return false;
    return true;
}

bool cu_trivial_copy(struct front *f, struct class_info *c, bool move)
{
    cu_complete(f, c->type, cu_span(f));
    if ((move && c->declares_move_ctor ? c->user_move_ctor : c->user_copy_ctor) || c->polymorphic)
        return false;
    vec_each (struct base_class, b, &c->bases)
        if (b->is_virtual || !cu_trivial_copy(f, b->cls, move))
            return false;
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        struct type *e = element(fd->d.type);
        if (e->kind == TY_CLASS && !cu_trivial_copy(f, e->cls, move))
            return false;
    }
    return true;
}

bool cu_trivial_assign(struct front *f, struct class_info *c, bool move)
{
    cu_complete(f, c->type, cu_span(f));
    if ((move && c->declares_move_assign ? c->user_move_assign : c->user_copy_assign) ||
        c->polymorphic)
        return false;
    vec_each (struct base_class, b, &c->bases)
        if (b->is_virtual || !cu_trivial_assign(f, b->cls, move))
            return false;
    for (struct field *fd = c->fields; fd; fd = fd->next) {
        struct type *e = element(fd->d.type);
        if (e->kind == TY_CLASS && !cu_trivial_assign(f, e->cls, move))
            return false;
    }
    return true;
}

bool cu_trivially_copyable(struct front *f, struct type *t)
{
    t = element(t);
    if (t->kind != TY_CLASS)
        return !cu_is_ref(t) && t->kind != TY_VOID && t->kind != TY_FUNC;
    cu_complete(f, t, cu_span(f));
    struct class_info *c = t->cls;
    return cu_trivial_copy(f, c, true) && cu_trivial_copy(f, c, false) &&
           cu_trivial_assign(f, c, true) && cu_trivial_assign(f, c, false) &&
           cu_trivial_dtor(f, t) && cu_copies_somehow(f, c);
}

bool cu_trivial_default(struct front *f, struct type *t)
{
    t = element(t);
    if (t->kind != TY_CLASS)
        return true;
    cu_complete(f, t, cu_span(f));
    struct class_info *c = t->cls;
    if ((c->user_ctor && !c->default_ctor_defaulted) || c->polymorphic || c->is_lambda)
        return false;
    vec_each (struct base_class, b, &c->bases)
        if (b->is_virtual || !cu_trivial_default(f, b->type))
            return false;
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->init_pos || (!cu_is_ref(fd->d.type) && !cu_trivial_default(f, fd->d.type)))
            return false;
    return true;
}

bool cu_is_aggregate(struct front *f, struct type *t)
{
    if (t->kind == TY_ARRAY)
        return true;
    if (t->kind != TY_CLASS)
        return false;
    cu_complete(f, t, cu_span(f));
    struct class_info *c = t->cls;
    if (c->user_ctor || c->explicit_ctor || c->user_copy_ctor || c->user_move_ctor ||
        c->polymorphic || c->is_lambda)
        return false;
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->d.access != ACCESS_PUBLIC && !fd->anonymous)
            return false;
    vec_each (struct base_class, b, &c->bases)
        if (b->access != ACCESS_PUBLIC || b->is_virtual)
            return false;
    return true;
}

bool cu_is_empty_class(struct front *f, struct type *t)
{
    if (t->kind != TY_CLASS)
        return false;
    cu_complete(f, t, cu_span(f));
    cu_layout(f, t->cls, cu_span(f));
    return t->cls->is_empty;
}

uint64_t cu_own_size(struct front *f, struct type *t, struct span at)
{
    const uint64_t size = cu_sizeof(f, t, at);
    if (t->kind != TY_CLASS)
        return size;
    return t->cls->is_empty ? 0 : t->cls->data_size;
}

bool cu_is_partial(const struct type *t)
{
    while (t->kind == TY_ARRAY || cu_is_ref(t))
        t = t->elem;
    return t->kind == TY_CLASS && t->cls->partial;
}

/* A class may have a table for its virtual bases alone. */
static bool has_virtual(const struct class_info *c)
{
    vec_each (struct base_class, b, &c->bases)
        if (has_virtual(b->cls))
            return true;
    return c->vtable.len != 0;
}

bool cu_is_polymorphic(struct front *f, struct type *t)
{
    if (t->kind != TY_CLASS)
        return false;
    cu_complete(f, t, cu_span(f));
    return t->cls->polymorphic && has_virtual(t->cls);
}

bool cu_is_standard_layout(struct front *f, struct type *t)
{
    t = element(t);
    if (t->kind != TY_CLASS)
        return cu_is_scalar(t);
    cu_complete(f, t, cu_span(f));
    struct class_info *c = t->cls;
    if (c->polymorphic)
        return false;
    unsigned with_data = c->fields ? 1 : 0;
    vec_each (struct base_class, b, &c->bases) {
        if (!cu_is_standard_layout(f, b->type))
            return false;
        with_data += !cu_is_empty_class(f, b->type);
    }
    for (struct field *fd = c->fields; fd; fd = fd->next)
        if (fd->d.access != c->fields->d.access || !cu_is_standard_layout(f, fd->d.type))
            return false;
    return with_data <= 1;
}

struct search {
    struct class_info *base;
    struct base_path path;
    bool found, ambiguous;
};

static void search_bases(struct search *s, struct class_info *at, struct base_path here)
{
    if (at == s->base) {
        s->ambiguous |=
            s->found && (here.through != s->path.through || here.offset != s->path.offset);
        if (!s->found)
            s->path = here;
        s->found = true;
        return;
    }
    vec_each (struct base_class, b, &at->bases)
        search_bases(s, b->cls,
                     (struct base_path){b->is_virtual ? b->cls : here.through,
                                        b->is_virtual ? UINT64_C(0) : here.offset + b->offset});
}

bool cu_find_base(struct class_info *derived, struct class_info *base, struct base_path *path,
                  bool *ambiguous)
{
    struct search s = {.base = base};
    search_bases(&s, derived, (struct base_path){0});
    *path = s.path;
    if (ambiguous)
        *ambiguous = s.ambiguous;
    return s.found;
}

bool cu_derives(struct front *f, struct type *derived, struct type *base)
{
    if (derived->kind != TY_CLASS || base->kind != TY_CLASS || derived->cls == base->cls)
        return false;
    if (derived->cls->state == CLASS_DECLARED && !cu_try_complete(f, derived))
        return false;
    struct base_path path;
    return cu_find_base(derived->cls, base->cls, &path, NULL);
}
