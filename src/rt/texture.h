/* Textures and surfaces: what one is, and the sampler for devices without one
 * (device/gpu/texture.h).
 *
 * Texels lie in device memory, level after level, each level slice after slice (layers, faces and
 * depth are slices), row after row. Coordinates, filtering and addressing are CUDA's: with linear
 * filtering, weights have 8 bits of fraction. */
#ifndef RT_TEXTURE_H
#define RT_TEXTURE_H

#include "base/base.h"
#include "ir/ir.h"
#include "ir/tex.h"

enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
enum texture_filter { TEXTURE_POINT, TEXTURE_LINEAR };
enum texture_channel { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };

#define TEXTURE_MAX_LEVELS 16

struct texture_level {
    uint32_t width, height, depth; /* depth: of 3D textures; else 1 */
    uint64_t offset;               /* from the texture's memory */
    uint64_t row, slice;           /* bytes from one to the next */
};

struct texture_desc {
    enum ir_tex_geometry geometry;
    uint64_t memory; /* dev_ptr */
    uint64_t bytes;
    uint32_t layers; /* of layered textures; else 1 */
    uint32_t nlevels;
    struct texture_level levels[TEXTURE_MAX_LEVELS];
    /* a texel */
    enum texture_channel channel;
    uint8_t components; /* 1, 2 or 4 */
    uint8_t bits;       /* of a component: 8, 16, 32 */
    /* how it is sampled */
    enum texture_address address[3];
    enum texture_filter filter, level_filter;
    bool normalized_coordinates;
    bool normalized_values; /* integers are read as floats in [0, 1] or [-1, 1] */
    bool srgb;              /* 8-bit values are converted to linear ones */
    float level_bias, min_level, max_level;
    float border[4];
    bool linear;  /* plain memory, fetched from by index alone */
    bool surface; /* read and written by coordinates; nothing above applies */
};

/* Fills levels and bytes for a tightly packed texture of that size; levels 0: all there are. */
bool texture_layout(struct texture_desc *t, uint32_t width, uint32_t height, uint32_t depth,
                    uint32_t levels);

/* One access of one thread (ir/tex.h): op is tex, surfload, surfstore or txq; args follow the
 * handle. texels is the memory of the texture as the host sees it. NULL, or what is wrong. */
const char *texture_access(const struct texture_desc *t, void *texels, enum ir_op op, ir_type type,
                           uint64_t imm, const uint64_t *args, uint32_t nargs, uint64_t results[4]);

#endif
