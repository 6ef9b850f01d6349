/* Host code that is checked tells of its loads and stores by the calls that compilers put in for
 * -fsanitize=kernel-address: see cmd/terncc, check/flight.c. Where nobody checks, or nothing is in
 * flight, a call costs a few compares. */
#include <string.h>
#include "check/check.h"
#include "cuda/cuda_int.h"

static void touched(const void *at, uint64_t bytes, bool write, const void *code)
{
    struct check *c = cuda_check();
    const uint64_t address = (uint64_t)(uintptr_t)at;
    if (c && check_watches(c, address, bytes))
        check_touched(c, address, bytes, write, (uint64_t)(uintptr_t)code);
}

/* A build that is sanitized itself has these. */
#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#elif defined __has_feature
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED 0
#endif

#if !IS_SANITIZED
#define CALLED(name, ...)                                                                          \
    __attribute__((visibility("default"))) void name(__VA_ARGS__);                                 \
    void name(__VA_ARGS__)
#define ACCESS(bytes)                                                                              \
    CALLED(__asan_load##bytes##_noabort, const void *p)                                            \
    {                                                                                              \
        touched(p, bytes, false, __builtin_return_address(0));                                     \
    }                                                                                              \
    CALLED(__asan_store##bytes##_noabort, void *p)                                                 \
    {                                                                                              \
        touched(p, bytes, true, __builtin_return_address(0));                                      \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

CALLED(__asan_loadN_noabort, const void *p, size_t n)
{
    touched(p, n, false, __builtin_return_address(0));
}

CALLED(__asan_storeN_noabort, void *p, size_t n)
{
    touched(p, n, true, __builtin_return_address(0));
}

CALLED(__asan_handle_no_return, void)
{
}

CALLED(__asan_before_dynamic_init, const char *unit)
{
    (void)unit;
}

CALLED(__asan_after_dynamic_init, void)
{
}
#endif

/* What cuda_runtime.h gives checked host code instead of the functions of these names. */
void *__tern_watched_memcpy(void *to, const void *from, size_t n);
void *__tern_watched_memmove(void *to, const void *from, size_t n);
void *__tern_watched_memset(void *to, int value, size_t n);

void *__tern_watched_memcpy(void *to, const void *from, size_t n)
{
    touched(from, n, false, __builtin_return_address(0));
    touched(to, n, true, __builtin_return_address(0));
    return memcpy(to, from, n);
}

void *__tern_watched_memmove(void *to, const void *from, size_t n)
{
    touched(from, n, false, __builtin_return_address(0));
    touched(to, n, true, __builtin_return_address(0));
    return memmove(to, from, n);
}

void *__tern_watched_memset(void *to, int value, size_t n)
{
    touched(to, n, true, __builtin_return_address(0));
    return memset(to, value, n);
}
