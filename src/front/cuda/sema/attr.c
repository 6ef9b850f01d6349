/* Attributes in all their spellings: [[…]], __attribute__((…)), __declspec, alignas, and CUDA's
 * own. */
#include "front/cuda/sema/sema.h"

static uint32_t check_align(struct front *f, int64_t v, struct span at)
{
    if (v == 0)
        return 0;
    if (v < 0 || v > 65536 || (v & (v - 1)))
        cu_error(f, at, "alignment %lld is not a power of two up to 65536", (long long)v);
    return (uint32_t)v;
}

static void take_align(struct declspec *ds, uint32_t v)
{
    if (v > ds->align)
        ds->align = v;
}

/* `( expression )`, giving 1 where it is dependent. */
static int64_t paren_int(struct front *f)
{
    cu_expect(f, PUNCT_LPAREN, "after the attribute");
    struct type *t = NULL;
    int64_t v = cu_parse_const_int(f, &t);
    cu_expect(f, PUNCT_RPAREN, "after the attribute's argument");
    return t ? v : 0;
}

static void parse_alignas(struct front *f, struct declspec *ds)
{
    struct span at = cu_span(f);
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after alignas");
    if (cu_at_type(f)) {
        struct type *t = cu_parse_type_id(f);
        if (!t->dependent)
            take_align(ds, cu_alignof(f, t, at));
    } else {
        struct type *t = NULL;
        int64_t v = cu_parse_const_int(f, &t);
        if (t)
            take_align(ds, check_align(f, v, at));
    }
    cu_expect(f, PUNCT_RPAREN, "after alignas");
}

static void one_attribute(struct front *f, struct declspec *ds, struct str name)
{
    if (str_starts(name, "__") && name.len > 4)
        name = (struct str){name.ptr + 2, name.len - 4};
    struct span at = cu_span(f);
    bool paren = cu_is(f, PUNCT_LPAREN);
    size_t end = paren ? cu_close(f, f->pos) + 1 : f->pos;
    if (str_is(name, "aligned") || str_is(name, "align")) {
        if (paren)
            take_align(ds, check_align(f, paren_int(f), at));
        else
            take_align(ds, 16);
    } else if (str_is(name, "may_alias")) {
        f->punned = true;
    } else if (str_is(name, "packed")) {
        ds->packed = true;
    } else if (str_is(name, "always_inline") || str_is(name, "forceinline")) {
        ds->forceinline = true;
    } else if (str_is(name, "noinline")) {
        ds->noinline = true;
    } else if (str_is(name, "noreturn")) {
        ds->noreturn = true;
    } else if (str_is(name, "nodiscard") || str_is(name, "warn_unused_result")) {
        ds->nodiscard = true;
    } else if (str_is(name, "unused") || str_is(name, "maybe_unused")) {
        ds->maybe_unused = true;
    } else if (str_is(name, "no_unique_address")) {
        ds->no_unique_address = true;
    } else if (str_is(name, "device")) {
        ds->where |= WHERE_DEVICE;
    } else if (str_is(name, "host")) {
        ds->where |= WHERE_HOST;
    } else if (str_is(name, "global")) {
        ds->where |= WHERE_GLOBAL;
    } else if (str_is(name, "weak")) {
        ds->weak = true;
    } else if (str_is(name, "vector_size")) {
        cu_error(f, at, "vector types of the host compiler ('%.*s') are not supported",
                 (int)name.len, name.ptr);
    } else if (str_is(name, "ext_vector_type")) {
        /* clang's; g++ and nvcc leave the type as it is. That is said of declarations that may be
         * host code's alone, too: what they mean changes with it. */
        const unsigned quiet = f->quiet;
        f->quiet = 0;
        cu_warn(f, "attributes", at, "attribute 'ext_vector_type' is ignored");
        f->quiet = quiet;
    }
    f->pos = end;
}

/* [[ a, ns::b(args) ]] */
static void bracket_attributes(struct front *f, struct declspec *ds)
{
    size_t end = cu_close(f, f->pos);
    f->pos += 2;
    while (f->pos + 1 < end) {
        if (cu_is_kw(f, KW_using)) {
            while (f->pos + 1 < end && !cu_accept(f, PUNCT_COLON))
                cu_next(f);
            continue;
        }
        if (cu_tok(f)->kind == TOKEN_IDENT) {
            struct str name = str_of(cu_tok(f)->u.name);
            cu_next(f);
            if (cu_accept(f, PUNCT_SCOPE) && cu_tok(f)->kind == TOKEN_IDENT) {
                name = str_of(cu_tok(f)->u.name);
                cu_next(f);
            }
            one_attribute(f, ds, name);
        } else {
            cu_next(f);
        }
    }
    f->pos = end + 1;
}

static void gnu_attributes(struct front *f, struct declspec *ds)
{
    cu_next(f);
    if (!cu_is(f, PUNCT_LPAREN))
        cu_error(f, cu_span(f), "expected '(' after the attribute keyword");
    size_t end = cu_close(f, f->pos);
    f->pos++;
    if (cu_is(f, PUNCT_LPAREN))
        f->pos++;
    while (f->pos < end) {
        if (cu_tok(f)->kind == TOKEN_IDENT) {
            struct str name = str_of(cu_tok(f)->u.name);
            cu_next(f);
            one_attribute(f, ds, name);
        } else {
            cu_next(f);
        }
    }
    f->pos = end + 1;
}

static void launch_bounds(struct front *f, struct declspec *ds)
{
    struct span at = cu_span(f);
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after __launch_bounds__");
    uint32_t *into[] = {&ds->max_threads, &ds->min_blocks, &ds->max_cluster};
    for (unsigned i = 0; i < 3; i++) {
        struct type *t = NULL;
        int64_t v = cu_parse_const_int(f, &t);
        if (t && (v < 0 || v > INT32_MAX))
            cu_error(f, at, "__launch_bounds__ takes positive numbers, not %lld", (long long)v);
        if (t)
            *into[i] = (uint32_t)v;
        if (!cu_accept(f, PUNCT_COMMA))
            break;
    }
    cu_expect(f, PUNCT_RPAREN, "after __launch_bounds__");
}

static void cluster_dims(struct front *f, struct declspec *ds)
{
    const struct span at = cu_span(f);
    unsigned n = 0;
    cu_next(f);
    cu_expect(f, PUNCT_LPAREN, "after __cluster_dims__");
    ds->cluster[0] = ds->cluster[1] = ds->cluster[2] = 1;
    do {
        struct type *t = NULL;
        const int64_t v = cu_parse_const_int(f, &t);
        if (t && (v < 1 || v > IR_MAX_CLUSTER || n == 3))
            cu_error(f, at, "__cluster_dims__ takes up to three numbers from 1 to %d",
                     IR_MAX_CLUSTER);
        else if (t)
            ds->cluster[n] = (uint32_t)v;
        n++;
    } while (cu_accept(f, PUNCT_COMMA));
    if (ds->cluster[0] * ds->cluster[1] * ds->cluster[2] > IR_MAX_CLUSTER)
        cu_error(f, at, "a cluster has at most %d blocks", IR_MAX_CLUSTER);
    cu_expect(f, PUNCT_RPAREN, "after __cluster_dims__");
}

bool cu_parse_attributes(struct front *f, struct declspec *ds)
{
    size_t start = f->pos;
    for (;;) {
        switch (cu_kw(f)) {
        case KW_alignas: parse_alignas(f, ds); continue;
        case KW___align__:
        case KW___builtin_align__: {
            struct span at = cu_span(f);
            cu_next(f);
            take_align(ds, check_align(f, paren_int(f), at));
            continue;
        }
        case KW___attribute__:
        case KW___declspec: gnu_attributes(f, ds); continue;
        case KW___launch_bounds__: launch_bounds(f, ds); continue;
        case KW___cluster_dims__: cluster_dims(f, ds); continue;
        case KW___maxnreg__:
        case KW___block_size__:
            cu_next(f);
            if (cu_is(f, PUNCT_LPAREN))
                f->pos = cu_close(f, f->pos) + 1;
            continue;
        case KW___device__: ds->where |= WHERE_DEVICE; break;
        case KW___host__: ds->where |= WHERE_HOST; break;
        case KW___global__: ds->where |= WHERE_GLOBAL; break;
        case KW___shared__:
            ds->space = SPACE_SHARED;
            f->shared_seen = true;
            ds->has_space = true;
            break;
        case KW___constant__:
            ds->space = SPACE_CONSTANT;
            ds->has_space = true;
            break;
        case KW___managed__:
            ds->space = SPACE_MANAGED;
            ds->has_space = true;
            break;
        case KW___forceinline__: ds->forceinline = ds->is_inline = true; break;
        case KW___noinline__:
            if (cu_peek_is(f, 1, PUNCT_LPAREN))
                return f->pos != start;
            ds->noinline = true;
            break;
        case KW___grid_constant__: ds->grid_constant = true; break;
        case KW__Noreturn: ds->noreturn = true; break;
        case KW___device_builtin__:
        case KW___cudart_builtin__:
        case KW___nv_pure__:
        case KW___extension__: break;
        default:
            if (cu_is(f, PUNCT_LBRACKET) && cu_peek_is(f, 1, PUNCT_LBRACKET)) {
                bracket_attributes(f, ds);
                continue;
            }
            return f->pos != start;
        }
        cu_next(f);
    }
}

void cu_skip_attributes(struct front *f)
{
    struct declspec ignored = {0};
    cu_parse_attributes(f, &ignored);
}
