/* What a launcher in JavaScript must know of our WebAssembly and WGSL: doc/wasm-abi.md and
 * doc/wgsl-abi.md in numbers.
 *
 * Texts in other languages name these: tool/text.c puts the numbers in, and writes web/tern/abi.js
 * from them. */
#ifndef BACK_WEB_ABI_H
#define BACK_WEB_ABI_H

/* Words at the start of memory, or of the heap, by their bytes. */
enum web_header {
    WEB_STATUS = 4,      /* enum web_status */
    WEB_PRINT_USED = 16, /* bytes that printf has asked for */
    WEB_PRINT_AT = 20,
    WEB_PRINT_SIZE = 24,
    WEB_MESSAGE = 32, /* of a failed assertion, as the next three */
    WEB_FILE = 36,
    WEB_LINE = 40,
    WEB_FUNCTION = 44,
    WEB_THREAD = 48, /* that failed: x, y, z */
    WEB_BLOCK = 64,
    WEB_MALLOC = 80, /* where the next allocation of a kernel goes, and where they end */
    WEB_MALLOC_END = 84,
    WEB_ROOM_AT = 88,    /* checked: how many bytes of each 256 may be accessed, as 16 bits each */
    WEB_ROOM_COUNT = 92, /* of them; one more is 0 */
    WEB_LOCKS = 128,     /* wgsl: for 64-bit atomics, up to the end */
    WEB_HEADER = 256,
};
enum web_status { WEB_OK, WEB_TRAP, WEB_ASSERT, WEB_STUCK, WEB_BUDGET, WEB_STACK };

/* A record of printf: words in all, address of the format, then three words an argument: kind and
 * value. */
enum web_print_kind { WEB_PRINT_32, WEB_PRINT_64, WEB_PRINT_DOUBLE, WEB_PRINT_POINTER };

/* The uniform buffer of a WGSL kernel. */
enum wgsl_uniform { WGSL_GRID = 0, WGSL_FIRST_BLOCK = 16, WGSL_PARAMS = 32 };

/* What the argument of a kernel in WebAssembly points at. */
enum wasm_launch {
    WASM_LAUNCH_GRID = 0, /* x, y, z, as the next three */
    WASM_LAUNCH_BLOCK = 12,
    WASM_LAUNCH_FIRST = 24, /* block */
    WASM_LAUNCH_COUNT = 36, /* blocks to run */
    WASM_LAUNCH_PARAMS = 48,
    WASM_LAUNCH_SHARED = 52,
    WASM_LAUNCH_DYNAMIC = 56, /* bytes of dynamic shared memory */
    WASM_LAUNCH_FRAMES = 60,
    WASM_LAUNCH_STACK_TOP = 64,
    WASM_LAUNCH_STACK_BOTTOM = 68,
    WASM_LAUNCH_BYTES = 72,
};

/* Words that an instance has in globals, so that threads of the engine have their own. They are
 * numbered as if they followed in the header, which they did before there were threads. */
enum wasm_own {
    WASM_OWN = 88,
    WASM_LOOSE = 88, /* no thread could go on: joins do not wait for those who left another way */
    WASM_LOOKS = 92, /* how often threads have looked again and nothing else was done */
    WASM_FRAME = 96, /* of the running thread */
    WASM_PARAMS = 100,
    WASM_SHARED = 104,
    WASM_STACK_BOTTOM = 108,
    WASM_STACK_TOP = 112,
    WASM_FRAMES = 116, /* of all threads */
    WASM_FRAMES_END = 120,
    WASM_WAITING = 124, /* threads of the block that are not done */
    WASM_SREG = 128,    /* a word for each special register */
    WASM_RUN = 240,     /* blocks of a row that one call does, rows of them */
    WASM_ROWS = 244,
    WASM_ROW_END = 248, /* the first block that is not in the row to do */
    WASM_OWN_END = 256,
};
enum { WASM_BEYOND = 256 }; /* bytes after the last used one that may be read */

#endif
