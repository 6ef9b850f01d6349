/* What fuzz targets share: an arena with a limit, and the way back when it is reached. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Defines the target: fuzz(arena, text, size) is run in 64 MiB at most. */
#define FUZZ_TARGET(fuzz)                                                                          \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        jmp_buf unwind;                                                                            \
        struct mem mem = {.limit = 64u << 20, .unwind = &unwind};                                  \
        struct arena arena;                                                                        \
        arena_init(&arena, &mem);                                                                  \
        if (!setjmp(unwind))                                                                       \
            fuzz(&arena, (const char *)data, size);                                                \
        mem_release(&mem);                                                                         \
        return 0;                                                                                  \
    }

#endif
