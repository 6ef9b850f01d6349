/* What kernels on a GPU leave for their launcher: printf, faults, kernels to be started.
 *
 * All of it on Vulkan; on NVIDIA's GPUs only what kernels launch, in a variable of the module. */
#ifndef BACK_OUTPUT_H
#define BACK_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#define OUTPUT_LAUNCHES "__tern_launches" /* that variable */
enum { OUTPUT_LAUNCH_BYTES = 4 << 20 };

/* Device output: `used` counts words taken in `words`, past the capacity too. A record is its
 * length in words, a kind, and the payload: printf: address of the format (2 words), then two words
 * an argument; assert: addresses of message, file and function (2 words each) and the line; trap
 * and the rest: the source location (1 word). Kinds above 1 are followed by block and thread (6
 * words). But launch: struct device_child, and what the kernel is given. */
struct device_output {
    uint32_t used, capacity;
    uint32_t fault; /* a kind above 1 that was recorded, or 0 */
    uint32_t pad;
    uint64_t heap; /* address of the device heap: struct __tern_heap of device/gpu/heap.h */
    uint32_t arrived, turn; /* of blocks at a barrier of the grid: device/gpu/grid.h */
    uint64_t locks; /* address of words that serve 64-bit atomics, where those are emulated */
    uint32_t depth; /* of the kernel that runs, among kernels that kernels launch */
    uint32_t pad_2;
    uint64_t checks; /* address of struct device_checks, where somebody checks; else 0 */
    uint32_t words[];
};
enum device_record {
    RECORD_PRINTF = 1,
    RECORD_ASSERT = 2,
    RECORD_TRAP = 3,
    RECORD_STUCK = 4, /* as trap: threads wait for each other for ever */
    RECORD_STACK = 5, /* as trap: recursion too deep */
    RECORD_LAUNCH = 6,
};
/* What a kernel has launched, as device/gpu/launch.h writes it: the launcher starts it once the
 * grid is done. */
struct device_child {
    uint32_t kernel; /* lower_func_number */
    uint32_t grid[3], block[3], shared;
    uint32_t tail; /* after the others */
};

/* What threads tell a checker (ir/check.h), one record each, in the order in which they did:
 * `used` counts past the capacity too. The ranges are memory that they may use, sorted: who goes
 * elsewhere is sent to `scrap`. */
struct device_check {
    uint64_t what, operands[4];
    uint32_t site, thread; /* thread: its number in the block */
    uint32_t block[3];
    uint32_t done; /* 1: all of it is written */
};
struct device_checks {
    uint32_t used, capacity;
    uint32_t nranges; /* CHECKS_ANY: they are not looked at */
    uint32_t dynamic_shared, shared_base, shared_bytes;
    uint64_t at;      /* address of the records */
    uint64_t heap[2]; /* lowest and highest address that malloc gave, where the device asks */
    uint64_t scrap[4];
    struct device_check_range {
        uint64_t base, end;
    } ranges[16384];
    struct device_check records[]; /* here, or elsewhere */
};
#define CHECKS_ANY UINT32_MAX

enum {
    OUTPUT_HEAP = offsetof(struct device_output, heap),
    OUTPUT_GRID = offsetof(struct device_output, arrived),
    OUTPUT_LOCKS = offsetof(struct device_output, locks),
    OUTPUT_DEPTH = offsetof(struct device_output, depth),
    OUTPUT_WORDS = offsetof(struct device_output, words)
};

#endif
