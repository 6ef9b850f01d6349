/* Textures and surfaces of the simulator: arrays of the stand-in that hold texels, objects of them,
 * and the instructions, by the sampler that all devices without one share (rt/texture.h).
 *
 * A handle is a number: the upper word of it is none of it. */
#include "rt/texture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/dev/cuda/nvidia_int.h"
#include "sim.h"

enum { MOST_OBJECTS = 4096 };

struct picture {
    struct texture_desc desc;
    struct level {
        struct picture *of;
        uint32_t k;
    } levels[TEXTURE_MAX_LEVELS];
    uint8_t *texels;
};

static struct {
    struct texture_desc desc;
    bool there;
} objects[MOST_OBJECTS];

/* ---- arrays ---- */
static void set_format(struct texture_desc *t, int format, unsigned channels)
{
    t->channel = format >= 0x10 ? TEXTURE_FLOAT : format >= 8 ? TEXTURE_SIGNED : TEXTURE_UNSIGNED;
    t->bits = format == 0x10      ? 16
              : format == 0x20    ? 32
              : (format & 7) == 3 ? 32
              : (format & 7) == 2 ? format >= 8 ? 32 : 16
              : (format & 7) == 1 ? format >= 8 ? 16 : 8
                                  : 8;
    t->components = (uint8_t)channels;
}

static struct picture *picture_of(const struct nv_array_desc *a, uint32_t levels)
{
    const bool layered = a->flags & CUDA_ARRAY_LAYERED, cube = a->flags & CUDA_ARRAY_CUBE;
    struct picture *m = calloc(1, sizeof *m);
    struct texture_desc *t = &m->desc;
    set_format(t, a->format, a->channels);
    t->geometry = cube        ? layered ? IR_TEX_ACUBE : IR_TEX_CUBE
                  : layered   ? a->height ? IR_TEX_A2D : IR_TEX_A1D
                  : a->depth  ? IR_TEX_3D
                  : a->height ? IR_TEX_2D
                              : IR_TEX_1D;
    t->layers = layered ? (uint32_t)a->depth / (cube ? 6 : 1) : 1;
    if (!texture_layout(t, (uint32_t)a->width, a->height ? (uint32_t)a->height : 1,
                        t->geometry == IR_TEX_3D ? (uint32_t)a->depth : 1, levels)) {
        free(m);
        return NULL;
    }
    m->texels = calloc(1, t->bytes);
    for (uint32_t k = 0; k < TEXTURE_MAX_LEVELS; k++)
        m->levels[k] = (struct level){m, k};
    return m;
}

int cuArray3DCreate_v2(void **out, const struct nv_array_desc *a);
int cuArray3DCreate_v2(void **out, const struct nv_array_desc *a)
{
    struct picture *m = picture_of(a, 1);
    *out = m ? &m->levels[0] : NULL;
    return m ? 0 : 1;
}

int cuMipmappedArrayCreate(void **out, const struct nv_array_desc *a, unsigned levels);
int cuMipmappedArrayCreate(void **out, const struct nv_array_desc *a, unsigned levels)
{
    return (*out = picture_of(a, levels)) ? 0 : 1;
}

int cuMipmappedArrayGetLevel(void **out, void *mipmap, unsigned level);
int cuMipmappedArrayGetLevel(void **out, void *mipmap, unsigned level)
{
    struct picture *m = mipmap;
    *out = &m->levels[level];
    return level < m->desc.nlevels ? 0 : 1;
}

int cuMipmappedArrayDestroy(void *mipmap);
int cuMipmappedArrayDestroy(void *mipmap)
{
    struct picture *m = mipmap;
    free(m->texels);
    free(m);
    return 0;
}

int cuArrayDestroy(void *array);
int cuArrayDestroy(void *array)
{
    return cuMipmappedArrayDestroy(((struct level *)array)->of);
}

/* Where row y of slice z begins. */
static uint8_t *row_of(const struct nv_copy_end *e, size_t y, size_t z)
{
    if (e->kind != CUDA_MEMORY_ARRAY)
        return (uint8_t *)(uintptr_t)e->device + (z * e->height + y) * e->pitch;
    const struct level *a = (const void *)e->array;
    const struct texture_level *l = &a->of->desc.levels[a->k];
    return a->of->texels + l->offset + z * l->slice + y * l->row;
}

int cuMemcpy3DAsync_v2(const struct nv_copy3d *c, void *stream);
int cuMemcpy3DAsync_v2(const struct nv_copy3d *c, void *stream)
{
    (void)stream;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memcpy(row_of(&c->to, y, z), row_of(&c->from, y, z), c->width_bytes);
    return 0;
}

/* ---- objects ---- */
static struct texture_desc described(const struct nv_resource *r)
{
    if (r->kind != CUDA_RESOURCE_LINEAR) {
        const struct picture *m = r->kind == CUDA_RESOURCE_MIPMAP
                                      ? (const void *)r->of.array
                                      : ((const struct level *)(const void *)r->of.array)->of;
        struct texture_desc t = m->desc;
        t.memory = (uint64_t)(uintptr_t)m->texels;
        return t;
    }
    struct texture_desc t = {.geometry = IR_TEX_1D, .layers = 1, .nlevels = 1, .linear = true};
    set_format(&t, r->of.linear.format, r->of.linear.channels);
    t.memory = r->of.linear.memory;
    t.bytes = r->of.linear.bytes;
    const uint32_t size = (uint32_t)t.components * t.bits / 8;
    t.levels[0] = (struct texture_level){.width = (uint32_t)(t.bytes / size),
                                         .height = 1,
                                         .depth = 1,
                                         .row = t.bytes,
                                         .slice = t.bytes};
    return t;
}

static int keep(unsigned long long *out, const struct texture_desc *t)
{
    for (unsigned k = 1; k < MOST_OBJECTS; k++)
        if (!objects[k].there) {
            objects[k].desc = *t;
            objects[k].there = true;
            *out = k | UINT64_C(0xdead) << 32;
            return 0;
        }
    return 2;
}

int cuTexObjectCreate(unsigned long long *out, const struct nv_resource *r,
                      const struct nv_sampler *c, const void *view);
int cuTexObjectCreate(unsigned long long *out, const struct nv_resource *r,
                      const struct nv_sampler *c, const void *view)
{
    struct texture_desc t = described(r);
    for (unsigned k = 0; k < 3; k++)
        t.address[k] = (enum texture_address)c->address[k];
    memcpy(t.border, c->border, sizeof t.border);
    t.filter = (enum texture_filter)c->filter;
    t.level_filter = (enum texture_filter)c->level_filter;
    t.level_bias = c->level_bias;
    t.min_level = c->min_level;
    t.max_level = c->max_level;
    t.normalized_coordinates = c->flags & CUDA_SAMPLE_NORMALIZED;
    t.normalized_values = t.channel != TEXTURE_FLOAT && !(c->flags & CUDA_SAMPLE_INTEGERS);
    t.srgb = c->flags & CUDA_SAMPLE_SRGB;
    return view ? 1 : keep(out, &t);
}

int cuTexObjectDestroy(unsigned long long handle);
int cuTexObjectDestroy(unsigned long long handle)
{
    const uint32_t k = (uint32_t)handle;
    if (k >= MOST_OBJECTS || !objects[k].there)
        return 400;
    objects[k].there = false;
    return 0;
}

int cuSurfObjectCreate(unsigned long long *out, const struct nv_resource *r);
int cuSurfObjectCreate(unsigned long long *out, const struct nv_resource *r)
{
    struct texture_desc t = described(r);
    t.surface = true;
    return keep(out, &t);
}

int cuSurfObjectDestroy(unsigned long long handle);
int cuSurfObjectDestroy(unsigned long long handle)
{
    return cuTexObjectDestroy(handle);
}

/* ---- instructions ---- */
struct fetch {
    struct block *b;
    const struct sass_inst *i;
    unsigned l;
};

static uint32_t word(const struct fetch *x, const struct sass_src *s, unsigned k)
{
    if (s->kind != SRC_REG || s->value == SASS_NONE) /* the machine takes RZ for a level for none */
        sim_fail(x->b, "%s without an operand in a register", sass_rows[x->i->op].name);
    return x->b->warp->regs[s->value + k][x->l];
}

/* Operand k of all: two pairs, or those of A and then those of B. */
static uint32_t operand(const struct fetch *x, unsigned first, unsigned k)
{
    return k < first ? word(x, &x->i->a, k) : word(x, &x->i->b, k - first);
}

static bool is_old(const struct sass_inst *i)
{
    return sass_rows[i->op].operands & O_BINDLESS;
}

static const struct texture_desc *object(const struct fetch *x, uint32_t handle, bool surface)
{
    if (handle >= MOST_OBJECTS || !objects[handle].there || objects[handle].desc.surface != surface)
        sim_fail(x->b, "%s of handle %u, which is none", sass_rows[x->i->op].name, handle);
    return &objects[handle].desc;
}

static void access_or_fail(const struct fetch *x, const struct texture_desc *t, enum ir_op op,
                           ir_type type, uint64_t imm, const uint64_t *args, uint32_t n,
                           uint64_t *results)
{
    const char *wrong =
        texture_access(t, (void *)(uintptr_t)t->memory, op, type, imm, args, n, results);
    if (wrong)
        sim_fail(x->b, "%s: %s", sass_rows[x->i->op].name, wrong);
}

static uint32_t uniform_handle(const struct fetch *x, bool both)
{
    const uint32_t *u = &x->b->warp->uniform[x->i->mods[MOD_UNIFORM]];
    if (both && u[1])
        sim_fail(x->b, "%s: the handle has an upper word", sass_rows[x->i->op].name);
    return u[0];
}

static bool is_level(enum sass_op op)
{
    return op == OP_TEX || op == OP_TEX_B;
}

static bool is_gradient(enum sass_op op)
{
    return op == OP_TXD || op == OP_TXD_B;
}

static void fetch(const struct fetch *x)
{
    static const enum ir_tex_geometry geometries[8] = {IR_TEX_1D,   IR_TEX_2D,   IR_TEX_3D,
                                                       IR_TEX_CUBE, IR_TEX_A1D,  IR_TEX_A2D,
                                                       IR_TEX_2D,   IR_TEX_ACUBE};
    const struct sass_inst *i = x->i;
    const enum sass_op op = (enum sass_op)i->op;
    const unsigned n = sim_texture_coordinates(i), old = is_old(i), gradient = is_gradient(op),
                   pairs = old && i->mods[MOD_SCATTER],
                   first = pairs ? (op == OP_TLD_B && n == 1 ? 1 : 2) : n + (old && gradient);
    const uint32_t handle = old ? operand(x, first, gradient ? 0 : n) : uniform_handle(x, true);
    const struct texture_desc *t = object(x, handle, false);
    enum ir_tex_geometry geometry = geometries[i->mods[MOD_DIMS] & 7];
    unsigned dims =
                 n - (geometry == IR_TEX_A1D || geometry == IR_TEX_A2D || geometry == IR_TEX_ACUBE),
             layered = n - dims;
    uint32_t at[4];
    for (unsigned k = 0; k < n; k++)
        at[k] = operand(x, first, k + (old && gradient));
    uint64_t args[10] = {0}, results[4];
    unsigned nargs = 0;
    if (layered)
        args[nargs++] = at[gradient ? n - 1 : 0];
    if (t->geometry == IR_TEX_1D && geometry == IR_TEX_2D) {
        if (at[1])
            sim_fail(x->b, "a line has no second coordinate");
        geometry = IR_TEX_1D;
        dims = 1;
    }
    for (unsigned k = 0; k < dims; k++)
        args[nargs++] = at[k + (gradient ? 0 : layered)];
    enum ir_tex_mode mode = op == OP_TLD4 || op == OP_TLD4_B ? IR_TEX_GATHER
                            : gradient                       ? IR_TEX_GRAD
                                                             : IR_TEX_PLAIN;
    const uint32_t lowest = 0xc2000000;
    if (is_level(op)) {
        const uint32_t level = operand(x, first, n + old);
        mode = level == lowest ? IR_TEX_PLAIN : IR_TEX_LOD;
        args[nargs] = level;
        nargs += mode == IR_TEX_LOD;
    }
    for (unsigned axis = 0; gradient && axis < 2; axis++)
        for (unsigned k = 0; k < dims; k++)
            args[nargs++] = word(x, &i->b, 2 * k + axis);
    uint64_t imm = IR_TEX_IMM(geometry, mode, op == OP_TLD || op == OP_TLD_B ? IR_TEX_INT : 0);
    if (mode == IR_TEX_GATHER)
        imm |= (uint64_t)i->mods[MOD_MODE] << 8;
    access_or_fail(x, t, IR_OP_tex, IR_I32, imm, args, nargs, results);
    for (unsigned k = 0, out = 0; k < 4; k++)
        if (i->mods[MOD_MASK] >> k & 1)
            x->b->warp->regs[i->d + out++][x->l] = (uint32_t)results[k];
}

static void query(const struct fetch *x)
{
    uint64_t results[4] = {0};
    const uint32_t handle = is_old(x->i) ? word(x, &x->i->a, 0) : uniform_handle(x, true);
    if (handle >= MOST_OBJECTS || !objects[handle].there)
        sim_fail(x->b, "a query of what is no texture");
    if (word(x, &x->i->a, is_old(x->i)))
        sim_fail(x->b, "a query of another level");
    access_or_fail(x, &objects[handle].desc, IR_OP_txq, IR_I32,
                   (uint64_t)__builtin_ctz(x->i->mods[MOD_MASK]), NULL, 0, results);
    x->b->warp->regs[x->i->d][x->l] = (uint32_t)results[0];
}

static void surface(const struct fetch *x)
{
    static const enum ir_tex_geometry geometries[8] = {IR_TEX_1D, IR_TEX_1D,  IR_TEX_A1D,
                                                       IR_TEX_2D, IR_TEX_A2D, IR_TEX_3D};
    static const enum ir_tex_bounds bounds[4] = {IR_TEX_ZERO, IR_TEX_CLAMP, IR_TEX_TRAP,
                                                 IR_TEX_TRAP};
    static const enum ir_rmw kinds[2][8] = {
        {IR_RMW_ADD, IR_RMW_UMIN, IR_RMW_UMAX, IR_RMW_ADD, IR_RMW_ADD, IR_RMW_AND, IR_RMW_OR},
        {IR_RMW_ADD, IR_RMW_SMIN, IR_RMW_SMAX, IR_RMW_ADD, IR_RMW_ADD, IR_RMW_AND, IR_RMW_OR}};
    const struct sass_inst *i = x->i;
    const bool old = sass_rows[i->op].operands & O_C64,
               store = i->op == OP_SUST || i->op == OP_SUST_B,
               reduces = i->op == OP_SURED || i->op == OP_SURED_B;
    const struct texture_desc *t =
        object(x, old ? word(x, &i->c, 0) : uniform_handle(x, false), true);
    const enum ir_tex_geometry geometry = geometries[i->mods[MOD_DIMS] & 7];
    const unsigned n = sim_texture_coordinates(i), type = i->mods[MOD_TYPE],
                   size = i->mods[MOD_SIZE] & 7,
                   words = size == 6   ? 4
                           : size == 5 ? 2
                                       : 1,
                   layered = geometry == IR_TEX_A1D || geometry == IR_TEX_A2D;
    uint64_t args[8] = {0}, results[4] = {0};
    unsigned nargs = 0;
    if (layered)
        args[nargs++] = word(x, &i->a, n - 1);
    for (unsigned k = 0; k < n - layered; k++)
        args[nargs++] = word(x, &i->a, k);
    uint64_t imm = IR_SURF_IMM(geometry, reduces ? 1 : words, bounds[i->mods[MOD_BOUNDS] & 3]);
    if (reduces) {
        const bool wide = type == 2 || type == 5, sign = type == 1 || type == 5;
        imm |= IR_SURF_REDUCE(kinds[sign][i->mods[MOD_ATOM] & 7]);
        args[nargs++] = word(x, &i->b, 0) | (wide ? (uint64_t)word(x, &i->b, 1) << 32 : 0);
        access_or_fail(x, t, IR_OP_surfstore, wide ? IR_I64 : IR_I32, imm, args, nargs, results);
        return;
    }
    const ir_type each = size == 0 ? IR_I8 : size == 2 ? IR_I16 : IR_I32;
    for (unsigned k = 0; store && k < words; k++)
        args[nargs++] = word(x, &i->b, k);
    access_or_fail(x, t, store ? IR_OP_surfstore : IR_OP_surfload, each, imm, args, nargs, results);
    for (unsigned k = 0; !store && k < words; k++)
        x->b->warp->regs[i->d + k][x->l] = (uint32_t)results[k];
}

/* One of the lanes' words for all; who has another is told. */
static void choose_word(struct block *b, const struct sass_inst *i, uint32_t run)
{
    struct warp *w = b->warp;
    if (!run)
        return;
    const unsigned lead = 31 - (unsigned)__builtin_clz(run);
    const uint32_t v = w->regs[i->a.value][lead];
    w->uniform[i->mods[MOD_UNIFORM]] = v;
    w->when[i->mods[MOD_UNIFORM]] = w->clock[lead];
    for (unsigned l = 0; l < LANES && i->pd != SASS_NONE; l++)
        if (run >> l & 1)
            w->preds[i->pd][l] =
                w->regs[i->a.value][l] != v || (i->mods[MOD_OR] && w->preds[i->pd][l]);
}

bool sim_texture(struct block *b, const struct sass_inst *i, uint32_t run)
{
    void (*does)(const struct fetch *) = NULL;
    switch (i->op) {
    case OP_R2UR: choose_word(b, i, run); return true;
    case OP_TEX:
    case OP_TLD:
    case OP_TLD4:
    case OP_TXD:
    case OP_TEX_B:
    case OP_TLD_B:
    case OP_TLD4_B:
    case OP_TXD_B: does = fetch; break;
    case OP_TXQ:
    case OP_TXQ_B: does = query; break;
    case OP_SULD:
    case OP_SUST:
    case OP_SURED:
    case OP_SULD_B:
    case OP_SUST_B:
    case OP_SURED_B: does = surface; break;
    default: return false;
    }
    for (unsigned l = 0; l < LANES; l++)
        if (run >> l & 1)
            does(&(struct fetch){b, i, l});
    return true;
}
