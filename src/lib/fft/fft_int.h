/* cuFFT on every device.
 *
 * state.c    handles, plans, what can be asked and set
 * xt.c       cuFFT Xt: other types, descriptors
 * callback.c a program's functions before and after a transform
 * real.c     cosine and sine transforms, convolution (include/cuda/tern_fft.h)
 * ntt.c      number-theoretic transforms (the same header)
 * fftw.c     FFTW's names
 * layout.c   from what a caller describes to axes, loops and distances
 * plan.c     from those to steps (device/fft/step.h): lines that a kernel holds, products of two
 *            lengths, Bluestein's way for what has large primes in it
 * table.c    roots of unity, chirps
 * shape.c    which kernel does a step (device/fft/lines.h), and in how many threads
 * run.c      steps by kernels, made for the step's numbers when first needed
 * host/      steps by C functions, on the CPU */
#ifndef LIB_FFT_FFT_INT_H
#define LIB_FFT_FFT_INT_H

#include "lib/lib.h"
#include "cuda/cufftXt.h"
#include "device/fft/step.h"

enum { FFT_RANK = 3, FFT_STEPS = 48, FFT_TABLES = 6 * FFT_STEPS, FFT_RADICES = 16 };

/* What is stored: halves are computed with as floats. */
enum fft_type { FFT_F32, FFT_F64, FFT_F16, FFT_BF16 };

/* ---- layout.c ---- */
struct fft_layout {
    int64_t stride[FFT_RANK], apart; /* of elements along an axis, of transforms */
};
struct fft_problem {
    int rank;
    int64_t n[FFT_RANK], batch;
    struct fft_layout in, out;
    enum fft_type in_type, out_type;
    bool in_real, out_real;
    bool backwards;
    bool wide;   /* computed in double */
    bool packed; /* without gaps; reals in place have room for their spectrum */
};
/* embed NULL: elements without gaps, whatever the strides are. */
struct fft_asked {
    int rank;
    const long long *n, *inembed, *onembed;
    long long istride, idist, ostride, odist, batch;
};
cufftResult fft_problem_of(const struct fft_asked *a, struct fft_problem *p);
void fft_problem_pack(struct fft_problem *p, bool in_place); /* a layout without gaps */

/* ---- plan.c ---- */
enum fft_where { FFT_IN, FFT_OUT, FFT_WORK };

/* A step, and what a kernel for it has as constants. */
struct fft_stage_plan {
    struct fft_step step; /* pointers are set when it runs */
    enum fft_where from, to;
    size_t in_offset, out_offset; /* bytes */
    int64_t n;                    /* 0: fft_split_lines */
    int nradices, radices[FFT_RADICES];
    enum fft_load load;
    enum fft_store store;
    enum fft_type in_type, out_type;
    bool in_real, out_real;
    int flags;
    int64_t order;                                                 /* of the twiddles */
    int roots, twiddles, fine, coarse, real_roots, chirp, product; /* tables; -1: none */
    /* kernels: */
    int wide, threads; /* lines a block, threads a line */
    bool packed;       /* fft_packed does it */
    tern_kernel *kernel;
};

struct fft_table {
    int kind; /* enum fft_table_kind */
    int64_t a, b;
    size_t offset, bytes;
};

struct fft_limits {
    bool host;
    size_t shared; /* bytes for a block's lines */
    unsigned units;
    unsigned max_threads;
    int64_t blocks; /* of a launch */
    bool plain;     /* kernels are to be small: one butterfly a thread */
};

struct fft_program {
    bool wide;
    struct fft_limits limits;
    int nsteps, ntables;
    struct fft_stage_plan steps[FFT_STEPS];
    struct fft_table tables[FFT_TABLES];
    size_t table_bytes, work_bytes;
    size_t buffer_at, buffer_bytes; /* host: in the work area, for each task */
    bool full;                      /* more steps than there is room for */
};
/* false: too many steps, which no size of 64 bits has. */
bool fft_program_of(const struct fft_problem *p, const struct fft_limits *limits,
                    struct fft_program *out);
bool fft_factor(int64_t n, int *radices, int *nradices); /* false: a prime above 13 in it */

/* ---- table.c ---- */
enum fft_table_kind {
    FFT_ROOTS,    /* of order a: b of them */
    FFT_FINE,     /* the same, for twiddles: the CPU has them in double always */
    FFT_COARSE,   /* of order a: each 2^b-th; in double, too */
    FFT_TWIDDLES, /* of order a: element k * b + j is the root of k j */
    FFT_CHIRP,    /* of length a */
    FFT_PRODUCT   /* the spectrum of the chirp's conjugate, of length b, over b */
};
size_t fft_table_count(const struct fft_table *t);
size_t fft_table_element(const struct fft_program *p, const struct fft_table *t); /* bytes */
/* All tables of a program, as the device has them; NULL: no memory. */
void *fft_tables(const struct fft_program *p);

/* exp(-2 pi i k / n), 0 <= k < n. */
void fft_root(int64_t k, int64_t n, double out[2]);

/* ---- shape.c ---- */
enum { FFT_KERNEL_NAME = 256 };
/* Decides how a step's kernel is made; its name in C++. */
void fft_shape(const struct fft_program *p, struct fft_stage_plan *s, char name[FFT_KERNEL_NAME]);
struct fft_launch {
    uint32_t blocks, threads, shared;
};
struct fft_launch fft_launch_of(const struct fft_program *p, const struct fft_stage_plan *s);

/* ---- run.c ---- */
enum tern_error fft_prepare(const struct lib_device *d, struct fft_program *p);
struct fft_memory {
    const void *in;
    void *out;
    char *work;
    const char *tables;
};
enum tern_error fft_run(const struct lib_device *d, cudaStream_t stream,
                        const struct fft_program *p, const struct fft_memory *m);
/* A step's pointers. */
struct fft_step fft_resolve(const struct fft_program *p, const struct fft_stage_plan *s,
                            const struct fft_memory *m);

/* ---- host/ ---- */
int64_t fft_host_longest(bool wide, bool across);
size_t fft_host_buffer(const struct fft_program *p); /* bytes for a task */
unsigned fft_host_tasks(unsigned units);             /* at most */
enum tern_error fft_host_run(const struct lib_device *d, cudaStream_t stream,
                             const struct fft_program *p, const struct fft_memory *m);
/* In the calling thread, at once: a forward transform of n complex numbers in double, in place. */
bool fft_host_spectrum(int64_t n, double *x);

/* ---- state.c ---- */
/* A program's function, and the program's kernel that calls it. */
struct fft_callback {
    const void *kernel; /* NULL: none */
    void *function, *info;
    size_t shared;
};
struct fft_plan {
    struct fft_callback load, store;
    struct lib_device device;
    cudaStream_t stream;
    bool made, own_work, automatic;
    struct fft_problem problem;
    /* Complex: forwards and backwards; real: out of place and in place. Their tables are the same.
     */
    struct fft_program *programs[2];
    bool ready[2]; /* their kernels are there */
    void *tables, *work;
    size_t work_bytes;
    long long properties[3];
};
/* The plan, locked for nobody: a plan is used by one thread at a time. NULL: none. */
struct fft_plan *fft_plan_of(cufftHandle handle);
cufftResult fft_result(enum tern_error e);
cufftResult fft_make(struct fft_plan *plan, const struct fft_problem *p, size_t *work);
cufftResult fft_execute(struct fft_plan *plan, const void *in, void *out, int direction);
/* Without callbacks: program 0 or 1. */
cufftResult fft_execute_plain(struct fft_plan *plan, const void *in, void *out, int which);
cufftResult fft_execute_as(cufftHandle handle, cufftType type, const void *in, void *out,
                           int direction);
cufftResult fft_size_of(const struct fft_problem *p, size_t *work);
bool fft_problem_types(cufftType type, struct fft_problem *p);

/* ---- callback.c ---- */
cufftResult fft_execute_called(struct fft_plan *plan, const void *in, void *out, int which);

/* ---- xt.c ---- */
/* Bytes of one side of a plan, from its first to its last element. */
size_t fft_side_bytes(const struct fft_problem *p, bool out);
static inline size_t fft_type_bytes(enum fft_type t)
{
    return t == FFT_F64 ? 8 : t == FFT_F32 ? 4 : 2;
}

#endif
