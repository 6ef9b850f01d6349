/* What is told to the SPIR-V target, and what a launcher of the output must know.
 *
 * Entry point: the kernel's symbol. Specialisation constants 0, 1, 2 are the block size, 3 is the
 * number of 32-bit words of workgroup memory (static and dynamic together, a multiple of 4).
 * Everything else comes in push constants, as struct spirv_push. Memory is reached through buffer
 * device addresses; there are no descriptors. */
#ifndef BACK_SPIRV_SPIRV_H
#define BACK_SPIRV_SPIRV_H

#include <stdbool.h>
#include <stdint.h>
#include "back/output.h"

enum {
    SPIRV_INLINE_PARAMS = 64, /* with the rest within the 128 bytes that every device has */
    SPIRV_SHARED_BASE =
        16, /* workgroup bytes that are ours: shared addresses start behind, so that none is null */
    SPIRV_LOCKS = 1024,
    SPIRV_PARK_HEAD = 496,  /* bytes behind the shared memory of kernels that park, */
    SPIRV_PARK_THREAD = 16, /* and as many for each thread of a block: device/gpu/park.h */
};
enum spirv_park_state { /* offsets in struct __tern_park_state of device/gpu/park.h */
                        SPIRV_PARK_STATE_FREE = 8,
                        SPIRV_PARK_STATE_LOW = 12,
                        SPIRV_PARK_STATE_HIGH = 16,
                        SPIRV_PARK_STATE_OK = 20,
                        SPIRV_PARK_STATE_BYTES = 24,
};

struct spirv_push {
    uint64_t params;          /* address of the parameter block, if it is not inline */
    uint64_t globals;         /* address of the module's variables */
    uint64_t output;          /* address of struct device_output, for printf, assert and trap */
    uint32_t grid[3];         /* of the whole launch */
    uint32_t block_offset[3]; /* first block of this dispatch, when a grid is split */
    uint32_t dynamic_shared;  /* bytes */
    uint32_t launch;          /* number of the launch */
    uint8_t inline_params[SPIRV_INLINE_PARAMS];
};

enum spirv_push_member {
    PUSH_PARAMS,
    PUSH_GLOBALS,
    PUSH_OUTPUT,
    PUSH_GRID_X,
    PUSH_GRID_Y,
    PUSH_GRID_Z,
    PUSH_OFFSET_X,
    PUSH_OFFSET_Y,
    PUSH_OFFSET_Z,
    PUSH_DYNAMIC_SHARED,
    PUSH_LAUNCH,
    PUSH_INLINE, /* array of 32-bit words */
};

/* What a device may offer: X(name, "what Vulkan calls it"). No
 * features named in the options means everything. */
/* clang-format off */
#define SPIRV_FEATURES(X)                                                                          \
    X(f64, "shaderFloat64")                                                                        \
    X(f16, "shaderFloat16")                                                                        \
    X(i64, "shaderInt64")                                                                          \
    X(i16, "shaderInt16")                                                                          \
    X(i8, "shaderInt8")                                                                            \
    X(storage_16, "storageBuffer16BitAccess")                                                      \
    X(storage_8, "storageBuffer8BitAccess")                                                        \
    X(i64_atomics, "shaderBufferInt64Atomics")                                                     \
    X(f32_atomic_add, "shaderBufferFloat32AtomicAdd")                                              \
    X(f64_atomic_add, "shaderBufferFloat64AtomicAdd")                                              \
    X(denorm_preserve_16, "shaderDenormPreserveFloat16")                                           \
    X(denorm_preserve_32, "shaderDenormPreserveFloat32")                                           \
    X(denorm_preserve_64, "shaderDenormPreserveFloat64")                                           \
    X(nan_preserve_16, "shaderSignedZeroInfNanPreserveFloat16")                                    \
    X(nan_preserve_32, "shaderSignedZeroInfNanPreserveFloat32")                                    \
    X(nan_preserve_64, "shaderSignedZeroInfNanPreserveFloat64")                                    \
    X(rte_16, "shaderRoundingModeRTEFloat16")                                                      \
    X(rte_32, "shaderRoundingModeRTEFloat32")                                                      \
    X(rte_64, "shaderRoundingModeRTEFloat64")                                                      \
    X(subgroup_32, "subgroupSizeControl") /* subgroups of 32 in order of the linear thread index */ \
    X(clock, "shaderDeviceClock")                                                                  \
    X(matrix_f16, "cooperative matrices of f16 as mma.sync has them")                              \
    X(matrix_bf16, "cooperative matrices of bf16 as mma.sync has them")                            \
    X(matrix_i8, "cooperative matrices of 8-bit integers as mma.sync has them")                    \
    X(shared_layout, "workgroupMemoryExplicitLayout")                                              \
    X(shared_8, "workgroupMemoryExplicitLayout8BitAccess")                                         \
    X(shared_16, "workgroupMemoryExplicitLayout16BitAccess")                                       \
    X(fused_fma, "a fused fma")           /* GLSL.std.450 Fma rounds once */                       \
    X(exact_sqrt, "an exact sqrt")        /* GLSL.std.450 Sqrt rounds to nearest */                \
    X(sound_zeros, "sound zeros")         /* x/0, 0/x, x+0 and 0-x of constants are IEEE's */      \
    X(sound_ranges, "sound ranges")       /* what a compiler knows of remainders is true */        \
    X(half_trips, "rounding to f16")      /* f32 made f16 and f32 again is rounded */              \
    X(exact_div, "an exact division")     /* OpFDiv rounds to nearest */                            \
    X(exact_half, "an exact f16")         /* OpFConvert to f16 rounds to nearest even */           \
    X(barrier_reads, "reads at barriers") /* a barrier of shared memory keeps reads before it */   \
    X(apart_barriers, "barriers apart")   /* threads that end before a barrier are not waited for */ \
    X(plain_loops, "loops as they are")   /* not a promise but a wish: loops come unrolled */
/* clang-format on */

struct spirv_features {
#define X(name, vulkan) bool name;
    SPIRV_FEATURES(X)
#undef X
};

struct spirv_options {
    const struct spirv_features *features; /* of the device; NULL: all that is common */
    uint32_t block[3];                     /* threads of a block, by default */
    uint32_t dynamic_shared;               /* bytes, by default */
};

struct spirv_kernel {
    bool params_inline; /* parameters travel in push constants */
    bool parks;         /* needs room for the park behind its shared memory */
    bool output;        /* reaches the buffer of printf, faults, the heap */
    bool locks;         /* needs those of the device, for 64-bit atomics */
};

/* Offset of a global in the module's data buffer, and its initial contents: shared with the device
 * so that both lay it out alike. Returns the size; init may be NULL. */
struct ir_module;
struct arena;
struct map;
struct ir_global;
uint32_t spirv_global_align(const struct ir_global *g); /* large ones are read as vectors */
uint64_t spirv_globals_layout(struct arena *a, const struct ir_module *m,
                              struct map *offset_plus_1);

#endif
