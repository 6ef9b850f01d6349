/* What is told to the WebAssembly target. How its output is launched is in doc/wasm-abi.md, and in
 * a section of the output, for each kernel. */
#ifndef BACK_WASM_WASM_H
#define BACK_WASM_WASM_H

#include <stdbool.h>
#include <stdint.h>

struct wasm_options {
    uint32_t gang;     /* threads per gang; 0: chosen; 1: none */
    uint32_t block[3]; /* threads of a block; 0: any */
    bool relaxed;      /* the engine has relaxed SIMD, and fuses */
    bool threads;      /* threads of the engine run blocks at once, on shared memory */
    bool checked;      /* accesses to global memory are looked up first */
    uint32_t base;     /* where its variables begin, in the memory of somebody else; 0: its own */
};

#endif
