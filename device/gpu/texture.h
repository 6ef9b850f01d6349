/* Textures and surfaces through plain memory: the sampler, for kernels on GPUs and, built natively
 * by rt/texture.c, for the CPU and the interpreter. Point and linear filtering, address modes,
 * layers, cube maps, mipmaps, gathers, and surface access, as CUDA's programming guide describes
 * them.
 *
 * A handle is the address of a description, laid out as struct texture_desc of rt/texture.h. The
 * GPU's own samplers are not used: they differ between devices in weights, borders and rounding,
 * and this way a texture reads the same everywhere. */
#ifndef TERN_DEVICE_GPU_TEXTURE_H
#define TERN_DEVICE_GPU_TEXTURE_H

#ifdef __TERN__
#define __TERN_TEX_CALL extern "C" __device__ __noinline__
#else
#define __TERN_TEX_CALL static
#endif

typedef int __tern_place; /* of a texel, along one dimension */

struct __tern_level {
    unsigned width, height, depth;
    unsigned long long offset, row, slice;
};

struct __tern_texture {
    unsigned geometry;
    unsigned long long memory, bytes;
    unsigned layers, nlevels;
    struct __tern_level levels[16];
    unsigned channel; /* signed, unsigned, float */
    unsigned char components, bits;
    unsigned address[3]; /* wrap, clamp, mirror, border */
    unsigned filter, level_filter;
    bool normalized_coordinates, normalized_values, srgb;
    float level_bias, min_level, max_level;
    float border[4];
};

struct __tern_texel {
    float f[4];
    unsigned i[4];
};

enum { /* as ir/tex.h */
       __TERN_TEX_3D = 2,
       __TERN_TEX_A1D = 3,
       __TERN_TEX_A2D = 4,
       __TERN_TEX_CUBE = 5,
       __TERN_TEX_ACUBE = 6,
       __TERN_TEX_INT = 16,
};

__TERN_FN bool __tern_tex_is_cube(const struct __tern_texture *t)
{
    return t->geometry == __TERN_TEX_CUBE || t->geometry == __TERN_TEX_ACUBE;
}

__TERN_FN __tern_place __tern_tex_slices(const struct __tern_texture *t,
                                         const struct __tern_level *l)
{
    if (t->geometry == __TERN_TEX_3D)
        return l->depth;
    return (t->layers ? t->layers : 1) * (__tern_tex_is_cube(t) ? 6 : 1);
}

__TERN_FN float __tern_tex_half(unsigned h)
{
    unsigned sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31)
        return __uint_as_float(sign | 0x7f800000 | m << 13);
    float v = e ? __uint_as_float((e + 112) << 23 | m << 13) : (float)m * 0x1p-24f;
    return __uint_as_float(sign | __float_as_uint(v));
}

/* n / (2^k - 1), rounded once, on devices that divide less exactly: its digits are those of n, k of
 * them, again and again, so that it is never halfway between two floats. k is 7, 8, 15 or 16. */
__TERN_FN float __tern_tex_fraction(unsigned n, unsigned k)
{
    if (n == 0)
        return 0;
    unsigned zeros = __clz(n), digits = n << zeros;
    digits |= digits >> k;
    if (k < 15)
        digits |= digits >> 2 * k;
    return __uint_as_float(((157 - k - zeros) << 23) + (digits >> 8) + (digits >> 7 & 1));
}

__TERN_FN float __tern_tex_as_float(const struct __tern_texture *t, unsigned bits,
                                    unsigned component)
{
    if (t->channel == 2)
        return t->bits == 16 ? __tern_tex_half(bits) : __uint_as_float(bits);
    if (t->bits > 16)
        return 0; /* read as an integer */
    if (t->channel == 1) {
        float v = __tern_tex_fraction(bits, t->bits);
        if (!t->srgb || t->bits != 8 || component >= 3)
            return v;
        return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
    }
    int n = (int)(bits << (32 - t->bits)) >> (32 - t->bits), most = (1 << (t->bits - 1)) - 1;
    float v = __tern_tex_fraction(n < -most ? most : n < 0 ? -n : n, t->bits - 1);
    return n < 0 ? -v : v;
}

__TERN_FN struct __tern_texel __tern_tex_read(const struct __tern_texture *t,
                                              const struct __tern_level *l, __tern_place x,
                                              __tern_place y, __tern_place z)
{
    struct __tern_texel out = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    unsigned size = t->bits / 8;
    unsigned long long at = t->memory + l->offset + (unsigned long long)z * l->slice +
                            (unsigned long long)y * l->row +
                            (unsigned long long)x * size * t->components;
    const char *p = (const char *)__cvta_global_to_generic(at);
    for (unsigned c = 0; c < t->components; c++, p += size) {
        unsigned bits = size == 1   ? *(const unsigned char *)p
                        : size == 2 ? *(const unsigned short *)p
                                    : *(const unsigned *)p;
        float f = __tern_tex_as_float(t, bits, c);
        if (t->channel == 0 && t->bits < 32)
            bits = (unsigned)((int)(bits << (32 - t->bits)) >> (32 - t->bits));
        /* chosen by comparison, so that the texel stays in registers */
        for (unsigned k = 0; k < 4; k++) {
            out.f[k] = k == c ? f : out.f[k];
            out.i[k] = k == c ? bits : out.i[k];
        }
    }
    return out;
}

__TERN_FN unsigned __tern_tex_mode(const struct __tern_texture *t, unsigned dim)
{
    unsigned m = __tern_tex_is_cube(t) ? 1 : t->address[dim];
    return !t->normalized_coordinates && (m == 0 || m == 2) ? 1 : m;
}

__TERN_FN __tern_place __tern_tex_modulo(__tern_place a, __tern_place n)
{
    __tern_place r = a % n;
    return r < 0 ? r + n : r;
}

__TERN_FN __tern_place __tern_tex_place(unsigned mode, __tern_place i, __tern_place n)
{
    if (mode == 0)
        return __tern_tex_modulo(i, n);
    if (mode == 2) {
        __tern_place m = __tern_tex_modulo(i, 2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    if (mode == 3)
        return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

__TERN_FN __tern_place __tern_tex_index(float v)
{
    float f = floorf(v);
    return f != f ? 0 : f >= 0x1p30f ? 1 << 30 : f <= -0x1p30f ? -(1 << 30) : (__tern_place)f;
}

/* exact: by whole numbers, as surfaces and arrays are read; outside there is 0. */
__TERN_FN struct __tern_texel __tern_tex_fetch(const struct __tern_texture *t,
                                               const struct __tern_level *l, const __tern_place *i,
                                               unsigned dims, __tern_place slice, bool exact)
{
    __tern_place at[3] = {0, 0, slice};
    bool border = false;
    for (unsigned d = 0; d < 3; d++) {
        if (d >= dims)
            continue;
        __tern_place n = d == 0 ? l->width : d == 1 ? l->height : l->depth;
        at[d] = __tern_tex_place(exact ? 3 : __tern_tex_mode(t, d), i[d], n);
        border |= at[d] < 0;
    }
    if (!border)
        return __tern_tex_read(t, l, at[0], at[1], at[2]);
    struct __tern_texel out;
    for (unsigned c = 0; c < 4; c++) {
        float f = exact ? 0 : t->border[c];
        out.f[c] = f;
        out.i[c] = (unsigned)(int)f;
    }
    return out;
}

__TERN_FN float __tern_tex_weight(float v)
{
    return rintf((v - floorf(v)) * 256) * 0x1p-8f;
}

/* The texels that make up a sample: the lowest along each dimension, and the weight of the one
 * behind it. */
struct __tern_footprint {
    __tern_place base[3];
    float part[3];
};

enum { __TERN_TEX_NEAREST, __TERN_TEX_LINEAR, __TERN_TEX_GATHER, __TERN_TEX_EXACT };

__TERN_FN struct __tern_footprint
__tern_tex_footprint(const struct __tern_texture *t, const struct __tern_level *l,
                     const unsigned *words, const float *coordinate, unsigned dims, unsigned how)
{
    bool scaled = t->normalized_coordinates || __tern_tex_is_cube(t);
    struct __tern_footprint p = {{0, 0, 0}, {0, 0, 0}};
    for (unsigned d = 0; d < 3; d++) {
        if (d >= dims)
            continue;
        if (how == __TERN_TEX_EXACT) {
            p.base[d] = (__tern_place)words[d];
            continue;
        }
        float v = coordinate[d];
        if (scaled)
            v *= (float)(d == 0 ? l->width : d == 1 ? l->height : l->depth);
        if (how != __TERN_TEX_NEAREST)
            v -= 0.5f;
        p.base[d] = __tern_tex_index(v);
        p.part[d] = how == __TERN_TEX_LINEAR ? __tern_tex_weight(v) : 0;
        if (p.part[d] == 1) {
            p.part[d] = 0;
            p.base[d]++;
        }
    }
    return p;
}

/* A gather's component is that of the texel below left, below right, right above, left above. */
__TERN_FN unsigned __tern_tex_corner(unsigned corner)
{
    return corner & 2 ? corner & 1 : 3 - corner;
}

/* The one place where texels are read: compilers of GPUs copy a function to wherever it is called,
 * so that each further place costs as much as the whole. */
__TERN_FN struct __tern_texel __tern_tex_level(const struct __tern_texture *t,
                                               const struct __tern_level *l,
                                               const struct __tern_footprint *p, unsigned dims,
                                               __tern_place slice, unsigned how, unsigned component)
{
    struct __tern_texel sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    unsigned corners = how == __TERN_TEX_LINEAR ? 1u << dims : how == __TERN_TEX_GATHER ? 4 : 1;
    for (unsigned corner = 0; corner < corners; corner++) {
        __tern_place i[3];
        float w = 1;
        for (unsigned d = 0; d < 3; d++) {
            bool upper = corner >> d & 1;
            i[d] = p->base[d] + upper;
            if (d < dims && how == __TERN_TEX_LINEAR)
                w *= upper ? p->part[d] : 1 - p->part[d];
        }
        if (w == 0)
            continue;
        struct __tern_texel x = __tern_tex_fetch(t, l, i, dims, slice, how == __TERN_TEX_EXACT);
        unsigned k = __tern_tex_corner(corner);
        float f = component == 0   ? x.f[0]
                  : component == 1 ? x.f[1]
                  : component == 2 ? x.f[2]
                                   : x.f[3];
        unsigned bits = component == 0   ? x.i[0]
                        : component == 1 ? x.i[1]
                        : component == 2 ? x.i[2]
                                         : x.i[3];
        for (unsigned c = 0; c < 4; c++) {
            if (how == __TERN_TEX_GATHER) {
                sum.f[c] = c == k ? f : sum.f[c];
                sum.i[c] = c == k ? bits : sum.i[c];
            } else {
                sum.f[c] = how == __TERN_TEX_LINEAR ? sum.f[c] + w * x.f[c] : x.f[c];
                sum.i[c] = how == __TERN_TEX_LINEAR ? 0 : x.i[c];
            }
        }
    }
    return sum;
}

__TERN_FN __tern_place __tern_tex_face(float *c)
{
    float x = c[0], y = c[1], z = c[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z), m, s, v;
    __tern_place face;
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
    c[0] = m > 0 ? (s / m + 1) * 0.5f : 0;
    c[1] = m > 0 ? (v / m + 1) * 0.5f : 0;
    return face;
}

/* The levels that make up a sample: the first, and the weight of the one behind it. */
struct __tern_levels {
    unsigned first;
    float part;
};

__TERN_FN struct __tern_levels __tern_tex_lod(const struct __tern_texture *t, float lod)
{
    struct __tern_levels out = {0, 0};
    lod += t->level_bias;
    lod = lod < t->min_level ? t->min_level : lod > t->max_level ? t->max_level : lod;
    float last = (float)(t->nlevels - 1);
    lod = !(lod > 0) ? 0 : lod > last ? last : lod;
    if (t->level_filter == 0) {
        unsigned level = (unsigned)(lod + 0.5f);
        out.first = level < t->nlevels ? level : t->nlevels - 1;
        return out;
    }
    out.first = (unsigned)lod;
    out.part = out.first + 1 >= t->nlevels ? 0 : __tern_tex_weight(lod);
    return out;
}

__TERN_FN float __tern_tex_gradient(const struct __tern_texture *t, const unsigned *words,
                                    unsigned dims)
{
    const struct __tern_level *l = &t->levels[0];
    float longest = 0;
    for (unsigned axis = 0; axis < 2; axis++) {
        float sum = 0;
        for (unsigned d = 0; d < 3; d++) {
            if (d >= dims)
                continue;
            float size = (float)(d == 0 ? l->width : d == 1 ? l->height : l->depth);
            unsigned word = axis == 0   ? words[d]
                            : dims == 1 ? words[1 + d]
                            : dims == 2 ? words[2 + d]
                                        : words[3 + d];
            float v = __uint_as_float(word) * (t->normalized_coordinates ? size : 1);
            sum += v * v;
        }
        longest = sum > longest ? sum : longest;
    }
    return longest > 0 ? 0.5f * log2f(longest) : -126;
}

/* The four components, as words: integers, or floats if the texture or the kernel wants them. A
 * texture of another kind is looked for with __tern_tex_matches before. */
__TERN_FN void __tern_tex_components(const struct __tern_texture *t, unsigned imm, bool floats,
                                     const unsigned *args, unsigned *out)
{
    unsigned geometry = imm & 15, mode = imm >> 5 & 3;
    unsigned dims = geometry < 3 ? geometry + 1 : geometry < 5 ? geometry - 2 : 3;
    bool layered =
        geometry == __TERN_TEX_A1D || geometry == __TERN_TEX_A2D || geometry == __TERN_TEX_ACUBE;
    bool as_floats = t->channel == 2 || t->normalized_values;
    unsigned how = imm & __TERN_TEX_INT          ? __TERN_TEX_EXACT
                   : mode == 3                   ? __TERN_TEX_GATHER
                   : t->filter == 1 && as_floats ? __TERN_TEX_LINEAR
                                                 : __TERN_TEX_NEAREST;
    __tern_place slice = 0;
    if (layered) {
        int n = t->layers ? (int)t->layers : 1, layer = (int)args[0];
        slice = layer < 0 ? 0 : layer >= n ? n - 1 : layer;
    }
    unsigned place[3], rest[6]; /* by constants alone, so that they are registers */
    float f[3];
    for (unsigned d = 0; d < 3; d++) {
        place[d] = layered ? args[1 + d] : args[d];
        f[d] = d < dims ? __uint_as_float(place[d]) : 0;
    }
    unsigned behind = dims + layered;
    for (unsigned k = 0; k < 6; k++)
        rest[k] = behind == 1   ? args[1 + k]
                  : behind == 2 ? args[2 + k]
                  : behind == 3 ? args[3 + k]
                                : args[4 + k];
    unsigned used = dims;
    if (how != __TERN_TEX_EXACT && __tern_tex_is_cube(t)) {
        slice = slice * 6 + __tern_tex_face(f);
        used = 2;
    }
    struct __tern_levels levels = {0, 0};
    if (how < __TERN_TEX_GATHER && mode != 0)
        levels = __tern_tex_lod(t, mode == 1 ? __uint_as_float(rest[0])
                                             : __tern_tex_gradient(t, rest, dims));
    struct __tern_texel v = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (unsigned k = 0; k < (levels.part == 0 ? 1 : 2); k++) {
        const struct __tern_level *l = &t->levels[levels.first + k];
        struct __tern_footprint p = __tern_tex_footprint(t, l, place, f, used, how);
        struct __tern_texel x = __tern_tex_level(t, l, &p, used, slice, how, imm >> 8 & 3);
        for (unsigned c = 0; c < 4; c++) {
            v.f[c] = k ? v.f[c] * (1 - levels.part) + x.f[c] * levels.part : x.f[c];
            v.i[c] = k ? v.i[c] : x.i[c];
        }
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = as_floats ? __float_as_uint(v.f[k])
                 : floats  ? __float_as_uint((float)v.i[k])
                           : v.i[k];
}

#ifdef __TERN__
/* Coordinates and what follows them are words a to j; gives two of the four components, the first
 * two or (upper) the others. */
__TERN_TEX_CALL unsigned long long __tern_tex_sample(const struct __tern_texture *t, unsigned imm,
                                                     unsigned kind, unsigned a, unsigned b,
                                                     unsigned c, unsigned d, unsigned e,
                                                     unsigned f0, unsigned g, unsigned h,
                                                     unsigned i, unsigned j)
{
    unsigned args[10] = {a, b, c, d, e, f0, g, h, i, j}, out[4];
    bool upper = kind & 2;
    __tern_tex_components(t, imm, kind & 1, args, out);
    unsigned x = upper ? out[2] : out[0], y = upper ? out[3] : out[1];
    return (unsigned long long)y << 32 | x;
}
#endif

__TERN_TEX_CALL int __tern_tex_matches(const struct __tern_texture *t, unsigned imm)
{
    return (imm & 15) == t->geometry;
}

/* Where a surface access goes; 0: nowhere, and that is all right; 1: it is an error. `size` is that
 * of all its components. */
__TERN_TEX_CALL unsigned long long __tern_tex_surface(const struct __tern_texture *t, unsigned imm,
                                                      unsigned size, int a, int b, int c, int d)
{
    const int args[4] = {a, b, c, d};
    unsigned geometry = imm & 15, bounds = imm >> 10 & 3;
    bool cube = __tern_tex_is_cube(t);
    unsigned dims = cube ? 2 : geometry < 3 ? geometry + 1 : geometry - 2;
    const struct __tern_level *l = &t->levels[0];
    bool first = cube || geometry == __TERN_TEX_A1D || geometry == __TERN_TEX_A2D;
    if (geometry != t->geometry)
        return 1;
    __tern_place slice = first ? args[0] : 0, last = __tern_tex_slices(t, l) - 1;
    __tern_place x = args[first ? 1 : 0], y = dims > 1 ? args[first ? 2 : 1] : 0,
                 z = dims > 2 ? args[first ? 3 : 2] : 0;
    __tern_place mx = (__tern_place)l->row - size, my = (__tern_place)l->height - 1,
                 mz = (__tern_place)l->depth - 1;
    bool inside = slice >= 0 && slice <= (t->geometry == __TERN_TEX_3D ? 0 : last) && x >= 0 &&
                  x <= mx && (dims < 2 || (y >= 0 && y <= my)) && (dims < 3 || (z >= 0 && z <= mz));
    if (!inside) {
        if (bounds != 1)
            return bounds == 0 ? 1 : 0;
        x = x < 0 ? 0 : x > mx ? mx : x;
        y = y < 0 ? 0 : y > my ? my : y;
        z = z < 0 ? 0 : z > mz ? mz : z;
        slice = slice < 0 ? 0 : slice > last ? last : slice;
    }
    return t->memory + l->offset + (unsigned long long)(dims == 3 ? z : slice) * l->slice +
           (unsigned long long)(dims > 1 ? y : 0) * l->row + (unsigned long long)x;
}

__TERN_TEX_CALL unsigned __tern_tex_query(const struct __tern_texture *t, unsigned what)
{
    return what == 0   ? t->levels[0].width
           : what == 1 ? t->levels[0].height
           : what == 2 ? t->levels[0].depth
           : what == 3 ? t->components
                       : t->channel;
}

#ifdef __TERN__
__global__ void __tern_keep_texture(const struct __tern_texture *t, unsigned *out)
{
    out[0] = (unsigned)__tern_tex_sample(t, out[1], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) +
             (unsigned)__tern_tex_matches(t, out[1]) + __tern_tex_query(t, out[2]) +
             (unsigned)__tern_tex_surface(t, out[3], 4, 0, 0, 0, 0);
}
#endif

#endif
