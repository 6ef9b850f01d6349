/* Structs and numbers that device code has once more, in CUDA C: our own compiler compares them
 * with what our headers say. */
#include <stddef.h>
#include "back/output.h"
#include "back/spirv/spirv.h"
#include "back/web_abi.h"
#include "driver/pipeline.h"
#include "ir/check.h"
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
    {"__TERN_PARK_PATIENCE", PARK_PATIENCE},
#define STATE(name, NAME)                                                                          \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_park_state, " #name ")", SPIRV_PARK_STATE_##NAME         \
    }
    STATE(free, FREE),
    STATE(result.low, LOW),
    STATE(result.high, HIGH),
    STATE(result.ok, OK),
    {"sizeof(struct __tern_park_state)", SPIRV_PARK_STATE_BYTES},
#define OUTPUT(name)                                                                               \
    {                                                                                              \
        "__builtin_offsetof(struct __tern_output, " #name ")",                                     \
            offsetof(struct device_output, name)                                                   \
    }
    OUTPUT(used),
    OUTPUT(capacity),
    OUTPUT(depth),
    OUTPUT(checks),
    {"sizeof(struct __tern_checks)", offsetof(struct device_checks, records)},
    {"__builtin_offsetof(struct __tern_checks, scrap)", offsetof(struct device_checks, scrap)},
    {"__builtin_offsetof(struct __tern_checks, ranges)", offsetof(struct device_checks, ranges)},
    {"sizeof(struct __tern_check_record)", sizeof(struct device_check)},
    {"__builtin_offsetof(struct __tern_check_record, site)", offsetof(struct device_check, site)},
    {"__builtin_offsetof(struct __tern_check_record, done)", offsetof(struct device_check, done)},
    {"__TERN_CHECK_LAST_ACCESS", IR_CHECK_ATOMIC},
    {"__TERN_CHECK_ROOTED", IR_CHECK_ROOTED},
    {"__TERN_CHECK_DYNAMIC", IR_CHECK_DYNAMIC},
    {"__TERN_CHECK_SIZED", IR_CHECK_SIZED},
    {"__TERN_CHECK_SPACE_SHIFT", IR_CHECK_SPACE_SHIFT},
    {"__TERN_CHECK_ALIGN_SHIFT", IR_CHECK_ALIGN_SHIFT},
    {"__TERN_CHECK_BYTES_SHIFT", IR_CHECK_BYTES_SHIFT},
    {"__TERN_CHECK_SPACE_LOCAL", IR_SPACE_LOCAL},
    {"__TERN_CHECK_SPACE_CONST", IR_SPACE_CONST},
    {"__TERN_CHECK_ANY", CHECKS_ANY},
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
                     "#include \"device/gpu/check.h\"\n#include \"device/gpu/park.h\"\n#include "
                     "\"device/gpu/texture.h\"\n"
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

/* What launchers in JavaScript read: the pages say the numbers of back/web_abi.h. */
#define WASM_PAGE "doc/wasm-abi.md"
#define WGSL_PAGE "doc/wgsl-abi.md"

static const struct said {
    const char *page, *format;
    unsigned v[4];
} pages[] = {
    {WASM_PAGE, "points at %u words:", {WASM_LAUNCH_BYTES / 4}},
    {WASM_PAGE, "| %u, %u | grid and block:", {WASM_LAUNCH_GRID, WASM_LAUNCH_BLOCK}},
    {WASM_PAGE, "| %u, %u | first block and number", {WASM_LAUNCH_FIRST, WASM_LAUNCH_COUNT}},
    {WASM_PAGE, "| %u | address of the parameter block", {WASM_LAUNCH_PARAMS}},
    {WASM_PAGE, "| %u, %u | address of shared memory", {WASM_LAUNCH_SHARED, WASM_LAUNCH_DYNAMIC}},
    {WASM_PAGE, "| %u | address of `frame` bytes", {WASM_LAUNCH_FRAMES}},
    {WASM_PAGE, "| %u, %u | top and bottom", {WASM_LAUNCH_STACK_TOP, WASM_LAUNCH_STACK_BOTTOM}},
    {WASM_PAGE, "The last %u bytes", {WASM_BEYOND}},
    {WASM_PAGE, "returns %u, or %u when threads wait", {WEB_OK, WEB_STUCK}},
    {WASM_PAGE,
     "(%u 32 bits, %u 64 bits, %u a double, %u a pointer)",
     {WEB_PRINT_32, WEB_PRINT_64, WEB_PRINT_DOUBLE, WEB_PRINT_POINTER}},
    {WGSL_PAGE, "(x, y, z) at %u, the first block (x, y, z) at %u", {WGSL_GRID, WGSL_FIRST_BLOCK}},
    {WGSL_PAGE, "block from %u on, each parameter at %u +", {WGSL_PARAMS, WGSL_PARAMS}},
    {WGSL_PAGE, "%u when threads wait for others", {WEB_STUCK}},
    {WGSL_PAGE, "%u when loops took more", {WEB_BUDGET}},
    {WGSL_PAGE, "%u when recursion went deeper", {WEB_STACK}},
    {WGSL_PAGE, "| %u–%u | locks", {WEB_LOCKS, WEB_HEADER - 1}},
#define BOTH(...)                                                                                  \
    {WASM_PAGE, __VA_ARGS__},                                                                      \
    {                                                                                              \
        WGSL_PAGE, __VA_ARGS__                                                                     \
    }
    BOTH("## The first %u bytes", {WEB_HEADER}),
    BOTH("| %u | %u; %u after a trap, %u after a failed assert",
         {WEB_STATUS, WEB_OK, WEB_TRAP, WEB_ASSERT}),
    BOTH("| %u | bytes that printf has asked for", {WEB_PRINT_USED}),
    BOTH("| %u, %u | of modules that were compiled with `--checked`",
         {WEB_ROOM_AT, WEB_ROOM_COUNT}),
    BOTH("| %u, %u | ", {WEB_PRINT_AT, WEB_PRINT_SIZE}),
    BOTH("| %u, %u, %u, %u | of a failed assert: message, file, line, function",
         {WEB_MESSAGE, WEB_FILE, WEB_LINE, WEB_FUNCTION}),
    BOTH("| %u, %u | the thread and the block that failed", {WEB_THREAD, WEB_BLOCK}),
    BOTH("| %u, %u | start and end of the memory that `malloc`", {WEB_MALLOC, WEB_MALLOC_END}),
};

/* The page as one line, as sentences break anywhere; NULL: it is not there. */
static const char *page_text(struct arena *a, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *text = arena_alloc(a, 65536);
    text[fread(text, 1, 65535, in)] = 0;
    fclose(in);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return text;
}

TEST_ONCE(pages_say_the_abi)
{
    for (size_t k = 0; k < sizeof pages / sizeof *pages; k++) {
        const struct said *s = &pages[k];
        char words[160];
        snprintf(words, sizeof words, s->format, s->v[0], s->v[1], s->v[2], s->v[3]);
        const char *text = page_text(u->arena, s->page);
        if (!text)
            return; /* started from elsewhere */
        if (!strstr(text, words))
            unit_fail(u, __FILE__, __LINE__, "%s does not say '%s'", s->page, words);
    }
}
