/* Between the host half of a program, as the build rewrites it, and the runtime library. */
#pragma once
#include "cuda_runtime_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a device half is to be compiled, and what it is. */
enum __tern_unit_flags {
    __TERN_UNIT_FAST_MATH = 1,
    __TERN_UNIT_FAST_F64 = 2,
    __TERN_UNIT_NO_FMAD = 4,
    __TERN_UNIT_RDC = 8,         /* one module with the others that are so */
    __TERN_UNIT_PER_THREAD = 16, /* stream 0 is the calling thread's own */
    __TERN_UNIT_FATBIN = 32,     /* what nvcc made */
    __TERN_UNIT_LINES = 64,      /* -lineinfo */
    __TERN_UNIT_STEPS = 128,     /* -G */
    __TERN_UNIT_CHECK = 256,     /* -fsanitize=device */
    __TERN_UNIT_ARCH_SHIFT = 16  /* the bits from here on: what __CUDA_ARCH__ says; 0: as ever */
};

/* One source file's device half, in its text form, and what was made of it. */
struct __tern_unit {
    const char *begin, *end, *path;
    unsigned flags; /* enum __tern_unit_flags */
    char *(*demangle)(const char *mangled, char *buffer, size_t *length,
                      int *status); /* the C++ library's */
    void *state;
};
struct __tern_entry_data {
    struct __tern_unit *unit;
    const char *tag; /* mangled name of a class local to the stub: names the instantiation */
    struct __tern_entry_data *next;
    void *state;
};
struct __tern_variable_data {
    struct __tern_unit *unit;
    const void *host;
    const char *name;
    unsigned long size;
    int kind; /* 0 __device__, 1 __constant__, 2 __managed__ */
    struct __tern_variable_data *next;
    void *state;
};
int __tern_register_unit(struct __tern_unit *unit); /* one that is linked with others */
/* Code of kernels that was made when the program was linked. */
void __tern_register_code(const char *begin, const char *end);
void __tern_register_kernel(struct __tern_entry_data *entry);
void __tern_register_variable(struct __tern_variable_data *variable);
/* The shape of an argument is its size times 4096, plus its alignment. */
void __tern_launch(struct __tern_entry_data *entry, void **args, const unsigned long *shapes,
                   unsigned long count);
/* What the host's half of a __device__ function does: says so, and ends the program. */
void __tern_not_host(const char *func) __attribute__((noreturn, cold));
#if defined(__CUDACC__) && defined(__GNUC__)
/* Host code has device functions without their bodies, which use the parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
int __tern_per_thread_default(void); /* stream 0 is each thread's own from now on */
cudaError_t __tern_push_configuration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
