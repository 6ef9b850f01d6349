/* The sampler: point and linear filtering, address modes, layers, cube maps, mipmaps, gathers, and
 * surface access, as CUDA's programming guide describes them. */
#include <math.h>
#include "ir/meaning.h"
#include "rt/texture.h"

struct texel {
    float f[4];    /* if the texture is read as floats */
    uint32_t i[4]; /* else */
};

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

/* ---- one texel ---- */
static float from_srgb(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float as_float(const struct texture_desc *t, uint32_t bits, unsigned component)
{
    if (t->channel == TEXTURE_FLOAT)
        return t->bits == 16 ? m_from_f16((uint16_t)bits) : m_float(bits);
    if (t->channel == TEXTURE_UNSIGNED) {
        const float v = (float)((double)bits / (double)((UINT64_C(1) << t->bits) - 1));
        return t->srgb && t->bits == 8 && component < 3 ? from_srgb(v) : v;
    }
    const int32_t v = (int32_t)(bits << (32 - t->bits)) >> (32 - t->bits);
    const double f = (double)v / (double)((UINT64_C(1) << (t->bits - 1)) - 1);
    return (float)(f < -1 ? -1 : f);
}

/* What is missing in the format reads as 0, the fourth component as 0 too (CUDA has no default). */
static struct texel read_texel(const struct texture_desc *t, const char *texels,
                               const struct texture_level *l, int64_t x, int64_t y, int64_t z)
{
    struct texel out = {{0}, {0}};
    const unsigned size = t->bits / 8;
    const char *at = texels + l->offset + (uint64_t)z * l->slice + (uint64_t)y * l->row +
                     (uint64_t)x * size * t->components;
    for (unsigned c = 0; c < t->components; c++) {
        uint32_t bits = 0;
        memcpy(&bits, at + (size_t)c * size, size);
        out.f[c] = as_float(t, bits, c);
        if (t->channel == TEXTURE_SIGNED && t->bits < 32)
            bits = (uint32_t)((int32_t)(bits << (32 - t->bits)) >> (32 - t->bits));
        out.i[c] = bits;
    }
    return out;
}

/* ---- addressing ---- */
/* Wrapping and mirroring are for normalised coordinates; otherwise they clamp. */
static enum texture_address mode_of(const struct texture_desc *t, unsigned dim)
{
    const enum texture_address m = is_cube(t) ? TEXTURE_CLAMP : t->address[dim];
    return !t->normalized_coordinates && (m == TEXTURE_WRAP || m == TEXTURE_MIRROR) ? TEXTURE_CLAMP
                                                                                    : m;
}

static int64_t modulo(int64_t a, int64_t n)
{
    const int64_t r = a % n;
    return r < 0 ? r + n : r;
}

/* The texel that index i names along one dimension; -1: the border. */
static int64_t place(enum texture_address mode, int64_t i, int64_t n)
{
    switch (mode) {
    case TEXTURE_WRAP: return modulo(i, n);
    case TEXTURE_MIRROR: {
        const int64_t m = modulo(i, 2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    case TEXTURE_BORDER: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static int64_t to_index(float v) /* floor, within what kernels hold in 32 bits */
{
    const float f = floorf(v);
    return f != f ? 0 : f >= 0x1p30f ? 1 << 30 : f <= -0x1p30f ? -(1 << 30) : (int64_t)f;
}

static struct texel fetch(const struct texture_desc *t, const char *texels,
                          const struct texture_level *l, const int64_t i[3], unsigned dims,
                          int64_t slice)
{
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < dims; d++) {
        at[d] = place(mode_of(t, d), i[d], size[d]);
        if (at[d] < 0) {
            struct texel border = {{0}, {0}};
            for (unsigned c = 0; c < 4; c++) {
                border.f[c] = t->border[c];
                border.i[c] = (uint32_t)(int32_t)t->border[c];
            }
            return border;
        }
    }
    return read_texel(t, texels, l, at[0], at[1], dims == 3 ? at[2] : slice);
}

/* ---- filtering ---- */
static float weight(float v) /* fraction with 8 bits */
{
    return rintf((v - floorf(v)) * 256) / 256;
}

static struct texel sample_level(const struct texture_desc *t, const char *texels,
                                 const struct texture_level *l, const float coordinate[3],
                                 unsigned dims, int64_t slice)
{
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t base[3] = {0, 0, 0};
    float part[3] = {0, 0, 0};
    const bool linear =
        t->filter == TEXTURE_LINEAR && (t->channel == TEXTURE_FLOAT || t->normalized_values);
    for (unsigned d = 0; d < dims; d++) {
        float v = coordinate[d];
        if (t->normalized_coordinates || is_cube(t))
            v *= (float)size[d];
        if (linear)
            v -= 0.5f;
        base[d] = to_index(v);
        part[d] = linear ? weight(v) : 0;
        if (part[d] == 1) {
            part[d] = 0;
            base[d]++;
        }
    }
    if (!linear)
        return fetch(t, texels, l, base, dims, slice);
    struct texel sum = {{0}, {0}};
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        int64_t i[3] = {base[0], base[1], base[2]};
        float w = 1;
        for (unsigned d = 0; d < dims; d++) {
            i[d] += corner >> d & 1;
            w *= corner >> d & 1 ? part[d] : 1 - part[d];
        }
        if (w == 0)
            continue;
        const struct texel x = fetch(t, texels, l, i, dims, slice);
        for (unsigned c = 0; c < 4; c++)
            sum.f[c] += w * x.f[c];
    }
    return sum;
}

/* The face that a direction points at, and where on it. */
static int64_t cube_face(float c[3])
{
    const float x = c[0], y = c[1], z = c[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    int64_t face;
    float m, s, v;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        m = ax;
        s = x >= 0 ? -z : z;
        v = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        m = ay;
        s = x;
        v = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = az;
        s = z >= 0 ? x : -x;
        v = -y;
    }
    c[0] = m > 0 ? (s / m + 1) / 2 : 0;
    c[1] = m > 0 ? (v / m + 1) / 2 : 0;
    return face;
}

static struct texel sample_lod(const struct texture_desc *t, const char *texels,
                               const float coordinate[3], unsigned dims, int64_t slice, float lod)
{
    lod += t->level_bias;
    lod = lod < t->min_level ? t->min_level : lod > t->max_level ? t->max_level : lod;
    const float last = (float)(t->nlevels - 1);
    lod = !(lod > 0) ? 0 : lod > last ? last : lod;
    if (t->level_filter == TEXTURE_POINT) {
        const uint32_t level = (uint32_t)(lod + 0.5f);
        return sample_level(t, texels, &t->levels[level < t->nlevels ? level : t->nlevels - 1],
                            coordinate, dims, slice);
    }
    const uint32_t level = (uint32_t)lod;
    const float w = weight(lod);
    struct texel a = sample_level(t, texels, &t->levels[level], coordinate, dims, slice);
    if (w == 0 || level + 1 >= t->nlevels)
        return a;
    const struct texel b = sample_level(t, texels, &t->levels[level + 1], coordinate, dims, slice);
    for (unsigned c = 0; c < 4; c++)
        a.f[c] = a.f[c] * (1 - w) + b.f[c] * w;
    return a;
}

/* One component of the four texels that linear filtering would mix. */
static struct texel gather(const struct texture_desc *t, const char *texels, const float c[3],
                           int64_t slice, unsigned component)
{
    static const uint8_t dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
    const struct texture_level *l = &t->levels[0];
    struct texel out = {{0}, {0}};
    const float sx = t->normalized_coordinates ? (float)l->width : 1;
    const float sy = t->normalized_coordinates ? (float)l->height : 1;
    const int64_t x = to_index(c[0] * sx - 0.5f), y = to_index(c[1] * sy - 0.5f);
    for (unsigned k = 0; k < 4; k++) {
        const int64_t i[3] = {x + dx[k], y + dy[k], 0};
        const struct texel v = fetch(t, texels, l, i, 2, slice);
        out.f[k] = v.f[component];
        out.i[k] = v.i[component];
    }
    return out;
}

static float gradient_lod(const struct texture_desc *t, const uint64_t *args, unsigned dims)
{
    const struct texture_level *l = &t->levels[0];
    const float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
    float longest = 0;
    for (unsigned axis = 0; axis < 2; axis++) {
        float sum = 0;
        for (unsigned d = 0; d < dims; d++) {
            const float v = m_float((uint32_t)args[axis * dims + d]) *
                            (t->normalized_coordinates ? size[d] : 1);
            sum += v * v;
        }
        longest = sum > longest ? sum : longest;
    }
    return longest > 0 ? 0.5f * log2f(longest) : -126;
}

static const char *tex(const struct texture_desc *t, const char *texels, ir_type type, uint64_t imm,
                       const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    const unsigned dims = ir_tex_dims(imm), layered = ir_tex_layered(imm) ? 1 : 0;
    const enum ir_tex_mode mode = ir_tex_mode(imm);
    const unsigned more = mode == IR_TEX_LOD ? 1 : mode == IR_TEX_GRAD ? 2 * dims : 0;
    if (nargs < layered + dims + more)
        return "too few coordinates";
    if (ir_tex_geometry(imm) != t->geometry)
        return "the texture has another number of dimensions";
    int64_t slice = 0;
    if (layered) {
        const int64_t n = t->layers ? t->layers : 1, layer = (int32_t)args[0];
        slice = layer < 0 ? 0 : layer >= n ? n - 1 : layer;
    }
    const uint64_t *c = args + layered;
    const bool as_floats = t->channel == TEXTURE_FLOAT || t->normalized_values;
    struct texel v = {{0}, {0}};
    if (imm & IR_TEX_INT) {
        const struct texture_level *l = &t->levels[0];
        const uint32_t size[3] = {l->width, l->height, l->depth};
        int64_t i[3] = {0, 0, 0};
        bool inside = true;
        for (unsigned d = 0; d < dims; d++) {
            i[d] = (int32_t)c[d];
            inside &= i[d] >= 0 && i[d] < size[d];
        }
        if (inside)
            v = read_texel(t, texels, l, i[0], i[1], dims == 3 ? i[2] : slice);
    } else {
        float f[3] = {0, 0, 0};
        for (unsigned d = 0; d < dims; d++)
            f[d] = m_float((uint32_t)c[d]);
        const float lod = mode == IR_TEX_LOD    ? m_float((uint32_t)c[dims])
                          : mode == IR_TEX_GRAD ? gradient_lod(t, c + dims, dims)
                                                : 0;
        unsigned used = dims;
        if (is_cube(t)) {
            slice = slice * 6 + cube_face(f);
            used = 2;
        }
        v = mode == IR_TEX_GATHER  ? gather(t, texels, f, slice, ir_tex_component(imm))
            : mode == IR_TEX_PLAIN ? sample_level(t, texels, &t->levels[0], f, used, slice)
                                   : sample_lod(t, texels, f, used, slice, lod);
    }
    for (unsigned k = 0; k < 4; k++) {
        if (ir_class(type) == IR_CLASS_FLOAT)
            results[k] = m_bits32(as_floats ? v.f[k] : (float)v.i[k]);
        else
            results[k] = as_floats ? m_bits32(v.f[k]) : v.i[k];
    }
    return NULL;
}

/* ---- surfaces: x in bytes, no filtering ---- */
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

static const char *surface(const struct texture_desc *t, char *texels, bool write, ir_type type,
                           uint64_t imm, const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    const unsigned dims = is_cube(t) ? 2 : ir_tex_dims(imm), layered = ir_tex_layered(imm) ? 1 : 0;
    const unsigned n = ir_tex_components(imm) ? ir_tex_components(imm) : 1;
    const unsigned size = ir_bytes(type);
    const struct texture_level *l = &t->levels[0];
    /* A cube's layer and face come as one number. */
    const unsigned first = layered || is_cube(t) ? 1 : 0;
    if (nargs < first + dims + (write ? n : 0))
        return "too few coordinates";
    if (ir_tex_geometry(imm) != t->geometry)
        return "the surface has another number of dimensions";
    int64_t slice = first ? (int32_t)args[0] : 0, i[3] = {0, 0, 0};
    const int64_t limit[3] = {(int64_t)l->row - (int64_t)(n * size), (int64_t)l->height - 1,
                              (int64_t)l->depth - 1};
    bool inside = slice >= 0 && slice < (t->geometry == IR_TEX_3D ? 1 : slices(t, l));
    for (unsigned d = 0; d < dims; d++) {
        i[d] = (int32_t)args[first + d];
        inside &= i[d] >= 0 && i[d] <= limit[d];
    }
    for (unsigned k = 0; k < 4; k++)
        results[k] = 0;
    if (!inside) {
        if (ir_tex_bounds(imm) == IR_TEX_TRAP)
            return "a surface access is out of bounds";
        if (ir_tex_bounds(imm) == IR_TEX_ZERO)
            return NULL;
        for (unsigned d = 0; d < dims; d++)
            i[d] = i[d] < 0 ? 0 : i[d] > limit[d] ? limit[d] : i[d];
        const int64_t last = (int64_t)slices(t, l) - 1;
        slice = slice < 0 ? 0 : slice > last ? last : slice;
    }
    char *at = texels + l->offset + (uint64_t)(dims == 3 ? i[2] : slice) * l->slice +
               (uint64_t)(dims > 1 ? i[1] : 0) * l->row + (uint64_t)i[0];
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

static uint64_t query(const struct texture_desc *t, uint64_t what)
{
    switch (what) {
    case 0: return t->levels[0].width;
    case 1: return t->levels[0].height;
    case 2: return t->levels[0].depth;
    case 3: return t->components;
    default: return (uint64_t)t->channel;
    }
}

const char *texture_access(const struct texture_desc *t, void *texels, enum ir_op op, ir_type type,
                           uint64_t imm, const uint64_t *args, uint32_t nargs, uint64_t results[4])
{
    switch (op) {
    case IR_OP_tex: return tex(t, texels, type, imm, args, nargs, results);
    case IR_OP_surfload: return surface(t, texels, false, type, imm, args, nargs, results);
    case IR_OP_surfstore: return surface(t, texels, true, type, imm, args, nargs, results);
    default: results[0] = query(t, imm); return NULL;
    }
}
