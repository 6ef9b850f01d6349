/* What the libraries share. A library is a user's program: it includes public headers only,
 * launches kernels that are compiled when they are first needed, and owns no device.
 *
 * lib.c     kernels by name, launches, errors, scratch memory
 * log.c     logs of calls, as several libraries have them
 * NAME/     one library: NAME.def is its table of functions, from which tool/libapi makes the
 * prototypes (include/cuda/tern_NAME.h), the functions themselves (build/gen/lib_NAME.c: each calls
 * the one function of its family, with the type as an argument), the rows of doc/libraries.md and
 * the exports of the shared library that stands in for NVIDIA's. device/NAME/ the kernels,
 * templates in CUDA C++ */
#ifndef LIB_LIB_H
#define LIB_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda/cuda_runtime_api.h"
#include "cuda/library_types.h"
#include "tern/cuda.h"
#include "tern/plan.h"

/* ---- devices ---- */
/* Calls of tern/plan.h: while it is dry, launches are written down and not made. What a plan takes
 * is its buffers alone, so ways that need memory in the order of a stream are not for it. */
struct lib_plan {
    bool dry;
    struct tern_plan_info *info;
};
struct lib_device {
    tern_device *device;
    struct tern_device_info info;
    int ordinal;    /* as CUDA counts */
    bool host_path; /* C functions may do what kernels do: the CPU */
    int capability; /* NVIDIA's compute capability, 10 * major + minor; 0: another kind of device */
    unsigned threads;      /* cores that C functions run on */
    bool pairs;            /* kernels are compiled with doubles as pairs of floats */
    struct lib_plan *plan; /* NULL: a call of the CUDA API */
};
/* The calling thread's current device. */
enum tern_error lib_device(struct lib_device *out);
/* A device that a program of tern.h has; its streams are streams of CUDA, too. */
void lib_device_of(tern_device *d, struct lib_plan *plan, struct lib_device *out);

/* ---- types of elements ---- */
/* LIB_TYPES(X): X(name, cudaDataType, name in kernels, bytes, complex) */
#define LIB_TYPES(X)                                                                               \
    X(F32, CUDA_R_32F, "float", 4, false)                                                          \
    X(F64, CUDA_R_64F, "double", 8, false)                                                         \
    X(C32, CUDA_C_32F, "complex<float>", 8, true)                                                  \
    X(C64, CUDA_C_64F, "complex<double>", 16, true)                                                \
    X(F16, CUDA_R_16F, "__half", 2, false)                                                         \
    X(BF16, CUDA_R_16BF, "__nv_bfloat16", 2, false)                                                \
    X(I8, CUDA_R_8I, "signed char", 1, false)                                                      \
    X(I32, CUDA_R_32I, "int", 4, false)                                                            \
    X(E4M3, CUDA_R_8F_E4M3, "__nv_fp8_e4m3", 1, false)                                             \
    X(E5M2, CUDA_R_8F_E5M2, "__nv_fp8_e5m2", 1, false)                                             \
    X(C8, CUDA_C_8I, "complex<signed char>", 2, true)
enum lib_type {
#define X(name, number, text, bytes, complex) LIB_##name,
    LIB_TYPES(X)
#undef X
        LIB_NTYPES
};
struct lib_type_info {
    int number; /* as cudaDataType has it */
    const char *name;
    size_t bytes;
    bool complex;
};
extern const struct lib_type_info lib_types[LIB_NTYPES];
bool lib_type_of(cudaDataType type, enum lib_type *out); /* false: none that kernels know */

/* Bits of narrow floats as numbers. */
double lib_half(uint16_t bits);
double lib_bfloat(uint16_t bits);

/* ---- kernels ---- */
enum { LIB_MAX_ARGS = 40 };

/* A kernel of a header of device/, by its name in C++: lib_kernel(d, "blas/gemm.h",
 * "gemm<float, 64>", &k). Compiled when first asked for on the device, then found by name. */
enum tern_error lib_kernel(const struct lib_device *d, const char *header, const char *name,
                           tern_kernel **out);
/* args[i] points at the i-th argument. A grid of no blocks is no launch. */
enum tern_error lib_launch(const struct lib_device *d, cudaStream_t stream, tern_kernel *k,
                           tern_dim grid, tern_dim block, uint32_t shared, void *const *args);
/* Both in one, without and with shared memory of the launch. */
/* As many blocks as n things take, so many of them each; LIB_MAX_BLOCKS at most: kernels walk on.
 */
enum { LIB_MAX_BLOCKS = 32768 };
static inline tern_dim lib_blocks(int64_t n, int64_t each)
{
    n = (n + each - 1) / each;
    return (tern_dim){.x = (uint32_t)(n > LIB_MAX_BLOCKS ? LIB_MAX_BLOCKS : n)};
}
enum tern_error lib_run_shared(const struct lib_device *d, cudaStream_t stream, const char *header,
                               const char *name, tern_dim grid, tern_dim block, uint32_t shared,
                               void *const *args);
enum tern_error lib_run(const struct lib_device *d, cudaStream_t stream, const char *header,
                        const char *name, tern_dim grid, tern_dim block, void *const *args);

/* Whether kernels that hold a row or a matrix in registers, their loops written out, are for the
 * device: NVIDIA's GPUs, whose compiler is quick with them; and the interpreter, to hold them to.
 */
static inline bool lib_in_registers(const struct lib_device *d)
{
    return d->capability || d->info.checked;
}

/* A C function in the place of a kernel, on as many blocks of one thread; `name` is for plans.
 * brief: it takes microseconds (tern_launch_short; of one block). */
enum tern_error lib_run_function(const struct lib_device *d, cudaStream_t stream, const char *name,
                                 tern_function *fn, int64_t blocks, bool brief, const void *args,
                                 size_t bytes);

/* ---- memory ---- */
/* Device memory in the order of the stream: it is the caller's until lib_scratch_free, which may
 * follow the launches that use it at once. */
enum tern_error lib_scratch(cudaStream_t stream, size_t bytes, void **out);
void lib_scratch_free(cudaStream_t stream, void *p);
enum tern_error lib_error(cudaError_t e);

/* ---- messages ---- */
/* Once for each text in a process would need a memory: these are for what cannot go on. */
void lib_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What was chosen and why, for who reads the log (TERN_LOG). */
void lib_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
