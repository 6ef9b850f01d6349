/* Structs and numbers that device code has once more, in CUDA C: our own compiler compares them
 * with what our headers say. */
#include <stddef.h>
#include "back/output.h"
#include "back/spirv/spirv.h"
#include "driver/pipeline.h"
#include "ir/launch.h"
#include "lower/lower.h"
#include "rt/texture.h"
#include "unit.h"

static const struct agreed {
    const char *device; /* an expression in device code */
    unsigned long long value;
} all[] = {
#define PARK(name)                                                                                 \
    {                                                                                              \
        "__TERN_PARK_" #name, PARK_##name                                                          \
    }
    PARK(DONE),
    PARK(BARRIER),
    PARK(BARRIER_RED),
    PARK(WARPSYNC),
    PARK(SHFL),
    PARK(VOTE),
    PARK(MATCH),
    PARK(REDUX),
    PARK(ACTIVEMASK),
    PARK(YIELD),
    PARK(JOIN),
    {"4 * __TERN_PARK_SLOTS", SPIRV_PARK_HEAD},
#define STATE(name, NAME)                                                                          \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_park_state, " #name ")", SPIRV_PARK_STATE_##NAME         \
    }
    STATE(free, FREE),
    STATE(low, LOW),
    STATE(high, HIGH),
    STATE(ok, OK),
    {"sizeof(struct __tern_park_state)", SPIRV_PARK_STATE_BYTES},
#define OUTPUT(name)                                                                               \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_output, " #name ")",                                     \
            offsetof(struct device_output, name)                                                   \
    }
    OUTPUT(used),
    OUTPUT(capacity),
    OUTPUT(depth),
    {"sizeof(struct __tern_output)", OUTPUT_WORDS},
    {"sizeof(struct __tern_grid)", OUTPUT_LOCKS - OUTPUT_GRID},
    {"__builtin_offsetof(struct __tern_grid, turn)",
     offsetof(struct device_output, turn) - OUTPUT_GRID},
    {"__TERN_LAUNCH_INVALID", 9},
#define LAUNCH(name)                                                                               \
    {                                                                                              \
        "__TERN_LAUNCH_" #name, IR_LAUNCH_##name                                                   \
    }
    LAUNCH(TOO_DEEP),
    LAUNCH(TOO_MANY),
    LAUNCH(MOST_THREADS),
    LAUNCH(MOST_SHARED),
    LAUNCH(DEPTH),
    LAUNCH(TAIL),
    {"__TERN_LAUNCH_RECORD", RECORD_LAUNCH},
    {"__TERN_LAUNCH_HEAD", 2 + sizeof(struct device_child) / 4},
    {"__TERN_TEX_3D", IR_TEX_3D},
    {"__TERN_TEX_A1D", IR_TEX_A1D},
    {"__TERN_TEX_A2D", IR_TEX_A2D},
    {"__TERN_TEX_CUBE", IR_TEX_CUBE},
    {"__TERN_TEX_ACUBE", IR_TEX_ACUBE},
    {"__TERN_TEX_INT", IR_TEX_INT},
#define LEVEL(name)                                                                                \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_level, " #name ")", offsetof(struct texture_level, name) \
    }
    LEVEL(width),
    LEVEL(height),
    LEVEL(depth),
    LEVEL(offset),
    LEVEL(row),
    LEVEL(slice),
    {"sizeof(struct __tern_level)", sizeof(struct texture_level)},
#define TEXTURE(name)                                                                              \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_texture, " #name ")",                                    \
            offsetof(struct texture_desc, name)                                                    \
    }
    TEXTURE(geometry),
    TEXTURE(memory),
    TEXTURE(bytes),
    TEXTURE(layers),
    TEXTURE(nlevels),
    TEXTURE(levels),
    TEXTURE(channel),
    TEXTURE(components),
    TEXTURE(bits),
    TEXTURE(address),
    TEXTURE(filter),
    TEXTURE(level_filter),
    TEXTURE(normalized_coordinates),
    TEXTURE(normalized_values),
    TEXTURE(srgb),
    TEXTURE(level_bias),
    TEXTURE(min_level),
    TEXTURE(max_level),
    TEXTURE(border),
};

/* Does device code agree, with so much added to the last number? */
static bool agrees(struct unit *u, unsigned long long wrong)
{
    struct sbuf text;
    struct compilation c;
    sbuf_init(&text, u->arena);
    sbuf_puts(&text, "#include \"device/gpu/grid.h\"\n#include \"device/gpu/launch.h\"\n"
                     "#include \"device/gpu/park.h\"\n#include \"device/gpu/texture.h\"\n"
                     "__global__ void abi()\n{\n");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sbuf_printf(&text, "static_assert(%s == %llu, \"\");\n", all[k].device,
                    all[k].value + (k + 1 == sizeof all / sizeof *all ? wrong : 0));
    sbuf_puts(&text, "}\n");
    const struct compile_options o = {.path = "abi.cu"};
    const bool ok = !compile_source(&c, &o, text.data, text.len);
    compile_free(&c);
    return ok;
}

TEST_ONCE(device_code_agrees_with_headers)
{
    CHECK(agrees(u, 0));
    CHECK(!agrees(u, 1));
}

/* The words that SPIR-V reads by their member are where the struct has them. */
_Static_assert(sizeof(struct device_output) == OUTPUT_WORDS, "the records follow at once");
_Static_assert(offsetof(struct spirv_push, inline_params) % 4 == 0, "words");
