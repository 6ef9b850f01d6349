/* The sampler, against values worked out by hand. */
#include "ir/meaning.h"
#include "rt/texture.h"
#include "unit.h"

static struct texture_desc plain(enum ir_tex_geometry g, uint32_t w, uint32_t h, uint32_t d)
{
    struct texture_desc t = {.geometry = g,
                             .channel = TEXTURE_FLOAT,
                             .components = 1,
                             .bits = 32,
                             .layers = 1,
                             .max_level = 16,
                             .address = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP}};
    texture_layout(&t, w, h, d, 1);
    return t;
}

static float at(struct unit *u, const struct texture_desc *t, void *texels, uint64_t imm, float x,
                float y, float z, float w)
{
    const uint64_t args[8] = {m_bits32(x), m_bits32(y), m_bits32(z), m_bits32(w)};
    uint64_t out[4] = {0};
    const char *why = texture_access(t, texels, IR_OP_tex, IR_F32, imm, args, 8, out);
    if (why)
        unit_fail(u, __FILE__, __LINE__, "%s", why);
    return m_float((uint32_t)out[0]);
}

#define CHECK_FLOAT(got, want)                                                                     \
    do {                                                                                           \
        const float got_ = (got), want_ = (want);                                                  \
        if (got_ != want_)                                                                         \
            unit_fail(u, __FILE__, __LINE__, "%s is %.9g, not %.9g", #got, got_, want_);           \
    } while (0)

TEST_ONCE(texture_one_dimension)
{
    float texels[4] = {10, 20, 30, 40};
    struct texture_desc t = plain(IR_TEX_1D, 4, 1, 1);
    const uint64_t imm = IR_TEX_IMM(IR_TEX_1D, IR_TEX_PLAIN, 0);
    CHECK_FLOAT(at(u, &t, texels, imm, 1.9f, 0, 0, 0), 20);
    CHECK_FLOAT(at(u, &t, texels, imm, -3, 0, 0, 0), 10);
    CHECK_FLOAT(at(u, &t, texels, imm, 1e30f, 0, 0, 0), 40);
    t.filter = TEXTURE_LINEAR;
    CHECK_FLOAT(at(u, &t, texels, imm, 1.5f, 0, 0, 0), 20); /* a texel's centre */
    CHECK_FLOAT(at(u, &t, texels, imm, 2.0f, 0, 0, 0), 25);
    CHECK_FLOAT(at(u, &t, texels, imm, 0, 0, 0, 0), 10);
    CHECK_FLOAT(at(u, &t, texels, imm, 1.5f + 1 / 512.f + 1e-4f, 0, 0, 0),
                20 + 10 / 256.f); /* weights have 8 bits */
    t.normalized_coordinates = true;
    CHECK_FLOAT(at(u, &t, texels, imm, 0.5f, 0, 0, 0), 25);
    t.address[0] = TEXTURE_WRAP;
    CHECK_FLOAT(at(u, &t, texels, imm, 0, 0, 0, 0), 25); /* between the last and the first */
    CHECK_FLOAT(at(u, &t, texels, imm, 1.5f, 0, 0, 0), 25);
    t.filter = TEXTURE_POINT;
    CHECK_FLOAT(at(u, &t, texels, imm, -0.1f, 0, 0, 0), 40);
    t.address[0] = TEXTURE_MIRROR;
    CHECK_FLOAT(at(u, &t, texels, imm, -0.3f, 0, 0, 0), 20);
    CHECK_FLOAT(at(u, &t, texels, imm, 1.1f, 0, 0, 0), 40);
    t.address[0] = TEXTURE_BORDER;
    t.border[0] = 7;
    CHECK_FLOAT(at(u, &t, texels, imm, 1.1f, 0, 0, 0), 7);
    CHECK_FLOAT(at(u, &t, texels, imm, 0.9f, 0, 0, 0), 40);
}

TEST_ONCE(texture_more_dimensions)
{
    float texels[64];
    for (int i = 0; i < 64; i++)
        texels[i] = (float)i;
    struct texture_desc t = plain(IR_TEX_2D, 8, 4, 1);
    CHECK_FLOAT(at(u, &t, texels, IR_TEX_IMM(IR_TEX_2D, 0, 0), 3.2f, 2.9f, 0, 0), 19);
    t.filter = TEXTURE_LINEAR;
    CHECK_FLOAT(at(u, &t, texels, IR_TEX_IMM(IR_TEX_2D, 0, 0), 3, 2, 0, 0), 14.5f);
    const uint64_t args[2] = {m_bits32(3), m_bits32(2)};
    uint64_t out[4];
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_F32, IR_TEX_IMM(IR_TEX_2D, IR_TEX_GATHER, 0),
                          args, 2, out));
    CHECK_FLOAT(m_float((uint32_t)out[0]), 18);
    CHECK_FLOAT(m_float((uint32_t)out[1]), 19);
    CHECK_FLOAT(m_float((uint32_t)out[2]), 11);
    CHECK_FLOAT(m_float((uint32_t)out[3]), 10);
    t = plain(IR_TEX_3D, 4, 4, 4);
    CHECK_FLOAT(at(u, &t, texels, IR_TEX_IMM(IR_TEX_3D, 0, 0), 1, 2, 3, 0), 57);
    t.filter = TEXTURE_LINEAR;
    CHECK_FLOAT(at(u, &t, texels, IR_TEX_IMM(IR_TEX_3D, 0, 0), 1, 1, 1, 0), 10.5f);
    /* layers: clamped, not filtered */
    t = plain(IR_TEX_A2D, 4, 4, 1);
    t.layers = 4;
    texture_layout(&t, 4, 4, 1, 1);
    CHECK_INT(t.bytes, 256);
    const uint64_t layered[3] = {9, m_bits32(1.5f), m_bits32(2.5f)};
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_F32, IR_TEX_IMM(IR_TEX_A2D, 0, 0), layered, 3,
                          out));
    CHECK_FLOAT(m_float((uint32_t)out[0]), 57);
    CHECK(texture_access(&t, texels, IR_OP_tex, IR_F32, IR_TEX_IMM(IR_TEX_2D, 0, 0), layered, 3,
                         out) != NULL);
}

TEST_ONCE(texture_cube_and_levels)
{
    float texels[6 * 4];
    for (int i = 0; i < 24; i++)
        texels[i] = (float)i;
    struct texture_desc t = plain(IR_TEX_CUBE, 2, 2, 1);
    const uint64_t imm = IR_TEX_IMM(IR_TEX_CUBE, 0, 0);
    CHECK_INT(t.bytes, 96);
    CHECK_FLOAT(at(u, &t, texels, imm, 1, 0.5f, -0.5f, 0), 1);   /* +x: s = -z, t = -y */
    CHECK_FLOAT(at(u, &t, texels, imm, -1, 0.5f, -0.5f, 0), 4);  /* -x: s = z */
    CHECK_FLOAT(at(u, &t, texels, imm, 0.1f, 1, 0.1f, 0), 11);   /* +y: s = x, t = z */
    CHECK_FLOAT(at(u, &t, texels, imm, 0.1f, -0.1f, -1, 0), 22); /* -z: s = -x, t = -y */
    float pyramid[16 + 4 + 1];
    for (int i = 0; i < 21; i++)
        pyramid[i] = i < 16 ? 1 : i < 20 ? 2 : 4;
    t = plain(IR_TEX_2D, 4, 4, 1);
    CHECK(texture_layout(&t, 4, 4, 1, 0));
    CHECK_INT(t.nlevels, 3);
    CHECK_INT(t.bytes, sizeof pyramid);
    t.normalized_coordinates = true;
    const uint64_t lod = IR_TEX_IMM(IR_TEX_2D, IR_TEX_LOD, 0);
    CHECK_FLOAT(at(u, &t, pyramid, lod, 0.5f, 0.5f, 0.4f, 0), 1);
    CHECK_FLOAT(at(u, &t, pyramid, lod, 0.5f, 0.5f, 1.4f, 0), 2);
    CHECK_FLOAT(at(u, &t, pyramid, lod, 0.5f, 0.5f, 99, 0), 4);
    t.level_filter = TEXTURE_LINEAR;
    CHECK_FLOAT(at(u, &t, pyramid, lod, 0.5f, 0.5f, 0.5f, 0), 1.5f);
    t.max_level = 1;
    CHECK_FLOAT(at(u, &t, pyramid, lod, 0.5f, 0.5f, 9, 0), 2);
    const uint64_t grad[6] = {m_bits32(0.5f), m_bits32(0.5f), m_bits32(0.5f), 0, 0, m_bits32(0.5f)};
    uint64_t out[4];
    CHECK(!texture_access(&t, pyramid, IR_OP_tex, IR_F32, IR_TEX_IMM(IR_TEX_2D, IR_TEX_GRAD, 0),
                          grad, 6, out));
    CHECK_FLOAT(m_float((uint32_t)out[0]), 2); /* two texels a step: level 1 */
}

TEST_ONCE(texture_formats_and_surfaces)
{
    uint8_t texels[16] = {0, 255, 128, 127, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct texture_desc t = plain(IR_TEX_2D, 2, 2, 1);
    t.channel = TEXTURE_UNSIGNED;
    t.components = 4;
    t.bits = 8;
    texture_layout(&t, 2, 2, 1, 1);
    uint64_t out[4], args[6] = {0, 0};
    const uint64_t fetch = IR_TEX_IMM(IR_TEX_2D, 0, IR_TEX_INT);
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_I32, fetch, args, 2, out));
    CHECK_INT(out[1], 255);
    CHECK_INT(out[2], 128);
    args[0] = 5; /* outside: zero */
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_I32, fetch, args, 2, out));
    CHECK_INT(out[1], 0);
    t.normalized_values = true;
    args[0] = 0;
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_F32, fetch, args, 2, out));
    CHECK_FLOAT(m_float((uint32_t)out[1]), 1);
    CHECK_FLOAT(m_float((uint32_t)out[2]), 128 / 255.f);
    t.channel = TEXTURE_SIGNED;
    CHECK(!texture_access(&t, texels, IR_OP_tex, IR_F32, fetch, args, 2, out));
    CHECK_FLOAT(m_float((uint32_t)out[2]), -1); /* -128 and -127 both */
    CHECK_FLOAT(m_float((uint32_t)out[3]), 1);
    /* surfaces: x in bytes */
    const uint64_t load = IR_SURF_IMM(IR_TEX_2D, 2, IR_TEX_TRAP);
    args[0] = 4;
    args[1] = 1;
    CHECK(!texture_access(&t, texels, IR_OP_surfload, IR_I16, load, args, 2, out));
    CHECK_INT(out[0], 0x0a09);
    CHECK_INT(out[1], 0x0c0b);
    args[2] = 0x1111;
    args[3] = 0x2222;
    CHECK(!texture_access(&t, texels, IR_OP_surfstore, IR_I16, load, args, 4, out));
    CHECK_INT(texels[12], 0x11);
    CHECK_INT(texels[15], 0x22);
    args[0] = 8;
    CHECK(texture_access(&t, texels, IR_OP_surfload, IR_I16, load, args, 2, out) != NULL);
    CHECK(!texture_access(&t, texels, IR_OP_surfload, IR_I16,
                          IR_SURF_IMM(IR_TEX_2D, 2, IR_TEX_ZERO), args, 2, out));
    CHECK_INT(out[0], 0);
    CHECK(!texture_access(&t, texels, IR_OP_surfload, IR_I16,
                          IR_SURF_IMM(IR_TEX_2D, 2, IR_TEX_CLAMP), args, 2, out));
    CHECK_INT(out[0], 0x1111);
    CHECK(!texture_access(&t, texels, IR_OP_txq, IR_I32, 1, args, 0, out));
    CHECK_INT(out[0], 2);
}
