/* Words, sections, types and constants of a SPIR-V module. */
#include <string.h>
#include "back/spirv/spirv_int.h"

void spv_begin(struct spv_module *s, struct arena *a, struct diag *d,
               const struct spirv_features *f)
{
    *s = (struct spv_module){.arena = a, .diag = d, .have = *f, .next = 1};
    /* A type that cannot lie in memory, or is half there, is emulated altogether. */
    s->have.i8 &= f->storage_8;
    s->have.i16 &= f->storage_16;
    s->have.f16 &= s->have.i16;
    s->have.i64_atomics &= f->i64;
    s->features = &s->have;
    map_init(&s->types, a);
    map_init(&s->pointers, a);
    map_init(&s->function_ids, a);
    for (int k = 0; k < IR_KIND_COUNT; k++)
        map_init(&s->constants[k], a);
    spv_capability(s, CapShader);
    spv_capability(s, CapVulkanMemoryModel);
    spv_capability(s, CapVulkanMemoryModelDeviceScope);
    spv_capability(s, CapPhysicalStorageBuffer);
    spv_extension(s, "SPV_KHR_physical_storage_buffer");
    spv_extension(s, "SPV_KHR_vulkan_memory_model");
    s->glsl = spv_new(s);
}

static void put_text(struct spv_module *s, spv_words *w, const char *z)
{
    size_t n = strlen(z) + 1;
    for (size_t at = 0; at < n; at += 4) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4 && at + k < n; k++)
            word |= (uint32_t)(unsigned char)z[at + k] << 8 * k;
        vec_push(s->arena, w, word);
    }
}

/* An instruction whose operands end in a text: `lead` words, then the text, then `tail` words. */
static void put_with_text(struct spv_module *s, spv_words *w, enum spv_op op, const uint32_t *lead,
                          uint32_t nlead, const char *z, const uint32_t *tail, uint32_t ntail)
{
    uint32_t text = (uint32_t)(strlen(z) / 4 + 1);
    vec_push(s->arena, w, (1 + nlead + text + ntail) << 16 | op);
    for (uint32_t k = 0; k < nlead; k++)
        vec_push(s->arena, w, lead[k]);
    put_text(s, w, z);
    for (uint32_t k = 0; k < ntail; k++)
        vec_push(s->arena, w, tail[k]);
}

void spv_put(struct spv_module *s, spv_words *w, enum spv_op op, const uint32_t *operands,
             uint32_t n)
{
    vec_push(s->arena, w, (n + 1) << 16 | op);
    for (uint32_t k = 0; k < n; k++)
        vec_push(s->arena, w, operands[k]);
}

void spv_put_name(struct spv_module *s, spv_id id, const char *name)
{
    put_with_text(s, &s->names, SpvName, &id, 1, name, NULL, 0);
}

void spv_put_entry(struct spv_module *s, spv_id function, const char *name)
{
    const uint32_t lead[2] = {5 /* GLCompute */, function};
    put_with_text(s, &s->entry, SpvEntryPoint, lead, 2, name, s->interface.data,
                  (uint32_t)s->interface.len);
}

/* The feature behind a capability, if it may be missing: code that was to do without it has not.
 * Everything else was asked for when the device was chosen, or is asked for before it is used. */
static void check_feature(struct spv_module *s, enum spv_cap c)
{
    const struct spirv_features *have = s->features;
    const struct {
        enum spv_cap cap;
        bool on;
        const char *name;
    } needs[] = {{CapFloat64, have->f64, "shaderFloat64"},
                 {CapFloat16, have->f16, "shaderFloat16"},
                 {CapInt64, have->i64, "shaderInt64"},
                 {CapInt16, have->i16, "shaderInt16"},
                 {CapInt8, have->i8, "shaderInt8"},
                 {CapStorageBuffer16, have->storage_16, "storageBuffer16BitAccess"},
                 {CapStorageBuffer8, have->storage_8, "storageBuffer8BitAccess"},
                 {CapInt64Atomics, have->i64_atomics, "shaderBufferInt64Atomics"}};
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        if (needs[k].cap == c && !needs[k].on)
            s->missing = needs[k].name;
}

void spv_capability(struct spv_module *s, enum spv_cap c)
{
    check_feature(s, c);
    for (size_t k = 1; k < s->capabilities.len; k += 2)
        if (s->capabilities.data[k] == c)
            return;
    SPV(s, capabilities, SpvCapability, c);
}

void spv_extension(struct spv_module *s, const char *name)
{
    vec_each (const char *, known, &s->extension_names)
        if (!strcmp(*known, name))
            return;
    vec_push(s->arena, &s->extension_names, name);
    put_with_text(s, &s->extensions, SpvExtension, NULL, 0, name, NULL, 0);
}

spv_id spv_new(struct spv_module *s)
{
    return s->next++;
}

/* A declaration in the globals section, made once for each key. */
static spv_id declared(struct spv_module *s, struct map *m, uint64_t key, enum spv_op op,
                       const uint32_t *operands, uint32_t n)
{
    spv_id id = (spv_id)(uintptr_t)map_get(m, key);
    if (!id) {
        uint32_t words[8] = {id = spv_new(s)};
        if (n)
            memcpy(words + 1, operands, n * sizeof *operands);
        spv_put(s, &s->globals, op, words, n + 1);
        map_set(m, key, (void *)(uintptr_t)id);
    }
    return id;
}
#define DECLARED(s, m, key, op, ...)                                                               \
    declared((s), (m), (key), (op), (const uint32_t[]){__VA_ARGS__},                               \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

spv_id spv_type_void(struct spv_module *s)
{
    return declared(s, &s->types, UINT64_C(1) << 40, SpvTypeVoid, NULL, 0);
}

spv_id spv_type_function(struct spv_module *s, const spv_id *types, uint32_t n)
{
    vec_each (spv_words, w, &s->function_types)
        if (w->len == n + 1 && !memcmp(w->data + 1, types, n * sizeof *types))
            return w->data[0];
    spv_words words = {0};
    vec_push(s->arena, &words, spv_new(s));
    for (uint32_t k = 0; k < n; k++)
        vec_push(s->arena, &words, types[k]);
    spv_put(s, &s->globals, SpvTypeFunction, words.data, n + 1);
    vec_push(s->arena, &s->function_types, words);
    return words.data[0];
}

spv_id spv_type_vec(struct spv_module *s, spv_id element, uint32_t n)
{
    return DECLARED(s, &s->types, UINT64_C(2) << 40 | (uint64_t)n << 32 | element, SpvTypeVector,
                    element, n);
}

spv_id spv_type_bfloat(struct spv_module *s)
{
    const uint32_t bits = 16, encoding = 0; /* BFloat16KHR */
    spv_capability(s, CapBFloat16);
    spv_capability(s, CapBFloat16Matrix);
    spv_extension(s, "SPV_KHR_bfloat16");
    return DECLARED(s, &s->types, UINT64_C(4) << 40, SpvTypeFloat, bits, encoding);
}

spv_id spv_type_matrix(struct spv_module *s, spv_id element, uint32_t rows, uint32_t columns,
                       uint32_t use)
{
    const uint64_t key = UINT64_C(5) << 56 | (uint64_t)rows << 48 | (uint64_t)columns << 40 |
                         (uint64_t)use << 32 | element;
    spv_extension(s, "SPV_KHR_cooperative_matrix");
    return DECLARED(s, &s->types, key, SpvTypeCooperativeMatrixKHR, element,
                    spv_u32(s, ScopeSubgroup), spv_u32(s, rows), spv_u32(s, columns),
                    spv_u32(s, use));
}

spv_id spv_null(struct spv_module *s, spv_id type)
{
    const uint64_t key = UINT64_C(6) << 56 | type;
    spv_id id = (spv_id)(uintptr_t)map_get(&s->types, key);
    if (!id) {
        id = spv_new(s);
        SPV(s, globals, SpvConstantNull, type, id);
        map_set(&s->types, key, (void *)(uintptr_t)id);
    }
    return id;
}

spv_id spv_type_product(struct spv_module *s)
{
    spv_id word = spv_type(s, IR_I32);
    return DECLARED(s, &s->types, UINT64_C(3) << 40, SpvTypeStruct, word, word);
}

spv_id spv_pointer(struct spv_module *s, enum spv_storage storage, spv_id pointee)
{
    return DECLARED(s, &s->pointers, (uint64_t)storage << 32 | pointee, SpvTypePointer, storage,
                    pointee);
}

static bool is_narrow_pointer(ir_type t)
{
    return ir_space(t) == IR_SPACE_SHARED || ir_space(t) == IR_SPACE_LOCAL;
}

/* What a value of the type is held in: pointers in integers, and what the device lacks in words. */
static enum ir_kind held_in(const struct spv_module *s, ir_type t)
{
    const struct spirv_features *have = s->features;
    switch (ir_kind(t)) {
    case IR_PTR: return is_narrow_pointer(t) ? IR_I32 : IR_I64;
    case IR_I8: return have->i8 ? IR_I8 : IR_I32;
    case IR_BF16:
    case IR_I16: return have->i16 ? IR_I16 : IR_I32;
    case IR_F16: return have->f16 ? IR_F16 : have->i16 ? IR_I16 : IR_I32;
    default: return ir_kind(t);
    }
}

bool spv_is_pair(const struct spv_module *s, ir_type t)
{
    return held_in(s, t) == IR_I64 && !s->features->i64;
}

bool spv_in_word(const struct spv_module *s, ir_type t)
{
    return ir_kind(t) != IR_I1 && ir_kind(t) != IR_PTR && ir_bits(t) < 32 &&
           held_in(s, t) == IR_I32;
}

spv_id spv_type(struct spv_module *s, ir_type t)
{
    static const enum spv_cap needs[IR_KIND_COUNT] = {[IR_I8] = CapInt8,
                                                      [IR_I16] = CapInt16,
                                                      [IR_I64] = CapInt64,
                                                      [IR_F16] = CapFloat16,
                                                      [IR_F64] = CapFloat64};
    enum ir_kind kind = held_in(s, t);
    if (kind == IR_I64 && !s->features->i64)
        return spv_type_vec(s, spv_type(s, IR_I32), 2);
    if (needs[kind])
        spv_capability(s, needs[kind]);
    if (kind == IR_I1)
        return declared(s, &s->types, IR_I1, SpvTypeBool, NULL, 0);
    const uint32_t bits = ir_bits((ir_type)kind);
    if (ir_class((ir_type)kind) == IR_CLASS_FLOAT)
        return DECLARED(s, &s->types, kind, SpvTypeFloat, bits);
    return DECLARED(s, &s->types, kind, SpvTypeInt, bits, 0);
}

spv_id spv_const(struct spv_module *s, ir_type t, uint64_t bits)
{
    enum ir_kind kind = held_in(s, t);
    spv_id type = spv_type(s, (ir_type)kind);
    struct map *m = &s->constants[kind];
    if (map_has(m, bits))
        return (spv_id)(uintptr_t)map_get(m, bits);
    const bool pair = spv_is_pair(s, (ir_type)kind);
    spv_id low = pair ? spv_u32(s, (uint32_t)bits) : 0,
           high = pair ? spv_u32(s, (uint32_t)(bits >> 32)) : 0, id = spv_new(s);
    if (pair)
        SPV(s, globals, SpvConstantComposite, type, id, low, high);
    else if (kind == IR_I1)
        SPV(s, globals, bits ? SpvConstantTrue : SpvConstantFalse, type, id);
    else if (ir_bits((ir_type)kind) == 64)
        SPV(s, globals, SpvConstant, type, id, (uint32_t)bits, (uint32_t)(bits >> 32));
    else
        SPV(s, globals, SpvConstant, type, id, (uint32_t)bits);
    map_set(m, bits, (void *)(uintptr_t)id);
    return id;
}

spv_id spv_u32(struct spv_module *s, uint32_t v)
{
    return spv_const(s, IR_I32, v);
}

spv_id spv_op(struct spv_module *s, enum spv_op op, spv_id type, const uint32_t *operands,
              uint32_t n)
{
    spv_id id = spv_new(s);
    vec_push(s->arena, &s->code, (n + 3) << 16 | op);
    vec_push(s->arena, &s->code, type);
    vec_push(s->arena, &s->code, id);
    for (uint32_t k = 0; k < n; k++)
        vec_push(s->arena, &s->code, operands[k]);
    return id;
}

spv_id spv_glsl(struct spv_module *s, enum glsl_op op, spv_id type, spv_id a, spv_id b, spv_id c)
{
    const uint32_t words[5] = {s->glsl, op, a, b, c};
    return spv_op(s, SpvExtInst, type, words, c ? 5 : b ? 4 : 3);
}

static void put_section(struct sbuf *out, const spv_words *w)
{
    for (size_t k = 0; k < w->len; k++)
        sbuf_u32le(out, w->data[k]);
}

void spv_finish(struct spv_module *s, struct sbuf *out)
{
    spv_words import = {0}, model = {0};
    const uint32_t glsl = s->glsl,
                   addressing[2] = {5348 /* PhysicalStorageBuffer64 */, 3 /* Vulkan */};
    put_with_text(s, &import, SpvExtInstImport, &glsl, 1, "GLSL.std.450", NULL, 0);
    spv_put(s, &model, SpvMemoryModel, addressing, 2);
    const uint32_t header[5] = {0x07230203, 0x00010500, 0, s->next, 0};
    for (int k = 0; k < 5; k++)
        sbuf_u32le(out, header[k]);
    const spv_words *sections[] = {&s->capabilities, &s->extensions, &import,   &model,
                                   &s->entry,        &s->modes,      &s->names, &s->decorations,
                                   &s->globals,      &s->functions};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
        put_section(out, sections[k]);
}
