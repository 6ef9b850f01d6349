/* Textures: sizes, and the sampler of the device library (device/gpu/texture.h), built natively. */
#include "rt/texture.h"

#include <math.h>
#include "ir/meaning.h"

#define __uint_as_float(bits)           m_float(bits)
#define __float_as_uint(value)          m_bits32(value)
#define __clz(n)                        __builtin_clz(n)
#define __cvta_global_to_generic(place) ((const void *)(uintptr_t)(place))
#include "device/libm/prim.h"
#include "device/gpu/texture.h"

/* Kernels read a description as __tern_texture. */
#define SAME(field)                                                                                \
    _Static_assert(offsetof(struct texture_desc, field) == offsetof(struct __tern_texture, field), \
                   "texture_desc and device/gpu/texture.h differ")
SAME(geometry);
SAME(memory);
SAME(bytes);
SAME(layers);
SAME(nlevels);
SAME(levels);
SAME(channel);
SAME(components);
SAME(bits);
SAME(address);
SAME(filter);
SAME(level_filter);
SAME(normalized_coordinates);
SAME(normalized_values);
SAME(srgb);
SAME(level_bias);
SAME(min_level);
SAME(max_level);
SAME(border);
_Static_assert(sizeof(struct texture_level) == sizeof(struct __tern_level) &&
                   TEXTURE_MAX_LEVELS == 16 && (int)IR_TEX_3D == __TERN_TEX_3D &&
                   (int)IR_TEX_ACUBE == __TERN_TEX_ACUBE && IR_TEX_INT == __TERN_TEX_INT,
               "the levels, or what ir/tex.h numbers, differ");

/* ---- size and place ---- */
static uint32_t half_of(uint32_t n)
{
    return n > 1 ? n / 2 : 1;
}

static bool is_cube(const struct texture_desc *t)
{
    return t->geometry == IR_TEX_CUBE || t->geometry == IR_TEX_ACUBE;
}

static uint32_t slices(const struct texture_desc *t, const struct texture_level *l)
{
    if (t->geometry == IR_TEX_3D)
        return l->depth;
    return (t->layers ? t->layers : 1) * (is_cube(t) ? 6 : 1);
}

bool texture_layout(struct texture_desc *t, uint32_t width, uint32_t height, uint32_t depth,
                    uint32_t levels)
{
    const uint64_t size = (uint64_t)t->components * t->bits / 8;
    uint64_t offset = 0;
    t->nlevels = 0;
    if (!width || !height || !depth || !size)
        return false;
    do {
        struct texture_level *l = &t->levels[t->nlevels++];
        *l = (struct texture_level){.width = width, .height = height, .depth = depth};
        l->offset = offset;
        l->row = width * size;
        l->slice = l->row * height;
        offset += l->slice * slices(t, l);
        if (width == 1 && height == 1 && depth == 1)
            break;
        width = half_of(width);
        height = half_of(height);
        depth = half_of(depth);
    } while (t->nlevels < TEXTURE_MAX_LEVELS && (!levels || t->nlevels < levels));
    t->bytes = offset;
    return !levels || t->nlevels == levels;
}

/* ---- access ---- */
static const struct __tern_texture *as_kernels_see(const struct texture_desc *t)
{
    return (const struct __tern_texture *)(const void *)t;
}

static const char *sample(const struct texture_desc *t, ir_type type, uint64_t imm,
                          const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    enum { WORDS = 10 };
    const unsigned dims = ir_tex_dims(imm), layered = ir_tex_layered(imm) ? 1 : 0;
    const enum ir_tex_mode mode = ir_tex_mode(imm);
    const unsigned more = mode == IR_TEX_LOD ? 1 : mode == IR_TEX_GRAD ? 2 * dims : 0;
    unsigned words[WORDS] = {0}, out[4];
    if (nargs < layered + dims + more)
        return "too few coordinates";
    if (!__tern_tex_matches(as_kernels_see(t), (unsigned)imm))
        return "the texture has another number of dimensions";
    for (unsigned k = 0; k < WORDS && k < nargs; k++)
        words[k] = (unsigned)args[k];
    __tern_tex_components(as_kernels_see(t), (unsigned)imm, ir_class(type) == IR_CLASS_FLOAT, words,
                          out);
    for (unsigned k = 0; k < 4; k++)
        results[k] = out[k];
    return NULL;
}

static const char *reduce(char *at, ir_type type, enum ir_rmw kind, uint64_t x)
{
    const unsigned size = ir_bytes(type);
    if ((size != 4 && size != 8) || kind >= IR_RMW_COUNT || (uintptr_t)at % size)
        return "an atomic operation on a surface is not aligned";
    if (size == 4) {
        uint32_t *word = (uint32_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, (uint32_t)ir_eval_rmw(kind, type, old, x),
                                            false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    } else {
        uint64_t *word = (uint64_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, ir_eval_rmw(kind, type, old, x), false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
    return NULL;
}

/* x in bytes, no filtering */
static const char *surface(const struct texture_desc *t, bool write, ir_type type, uint64_t imm,
                           const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    const unsigned dims = is_cube(t) ? 2 : ir_tex_dims(imm);
    const unsigned n = ir_tex_components(imm) ? ir_tex_components(imm) : 1;
    const unsigned size = ir_bytes(type);
    /* A cube's layer and face come as one number. */
    const unsigned first = ir_tex_layered(imm) || is_cube(t) ? 1 : 0;
    int words[4] = {0};
    if (nargs < first + dims + (write ? n : 0))
        return "too few coordinates";
    if (ir_tex_geometry(imm) != t->geometry)
        return "the surface has another number of dimensions";
    for (unsigned k = 0; k < first + dims; k++)
        words[k] = (int)args[k];
    for (unsigned k = 0; k < 4; k++)
        results[k] = 0;
    const uint64_t place = __tern_tex_surface(as_kernels_see(t), (unsigned)imm, n * size, words[0],
                                              words[1], words[2], words[3]);
    if (place <= 1)
        return place ? "a surface access is out of bounds" : NULL;
    char *at = (char *)(uintptr_t)place;
    if (write && ir_surf_reduces(imm))
        return reduce(at, type, ir_surf_reduction(imm), args[first + dims]);
    for (unsigned k = 0; k < n; k++) {
        if (write)
            memcpy(at + (size_t)k * size, &args[first + dims + k], size);
        else
            memcpy(&results[k], at + (size_t)k * size, size);
    }
    return NULL;
}

const char *texture_access(const struct texture_desc *t, void *texels, enum ir_op op, ir_type type,
                           uint64_t imm, const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    if (t->memory != (uint64_t)(uintptr_t)texels) {
        struct texture_desc here = *t;
        here.memory = (uint64_t)(uintptr_t)texels;
        return texture_access(&here, texels, op, type, imm, args, nargs, results);
    }
    switch (op) {
    case IR_OP_tex: return sample(t, type, imm, args, nargs, results);
    case IR_OP_surfload: return surface(t, false, type, imm, args, nargs, results);
    case IR_OP_surfstore: return surface(t, true, type, imm, args, nargs, results);
    default: results[0] = __tern_tex_query(as_kernels_see(t), (unsigned)imm); return NULL;
    }
}
