/* FFTW's names: plans over memory of the host or of the device. What lies on the host is copied to
 * the device and back when a plan is executed; a call returns when all is done. */
#include <stdlib.h>
#include <string.h>
#include "lib/fft/fft_int.h"
#include "cuda/cufftw.h"

enum { BATCH_RANK = 3 };

struct dim {
    int64_t n, in, out;
};

struct fftw {
    cufftHandle handle;
    void *in, *out;
    int sign;
    size_t in_bytes, out_bytes; /* from the first element to behind the last one */
    size_t in_size, out_size;   /* of an element */
    int nouter;                 /* batches beyond what the plan itself has */
    struct dim outer[BATCH_RANK];
};

/* ---- plans ---- */

static size_t extent(const struct fft_problem *p, const struct fftw *f, bool out)
{
    const struct fft_layout *l = out ? &p->out : &p->in;
    const bool half = out ? p->in_real : p->out_real;
    int64_t last = (p->batch - 1) * l->apart;
    for (int d = 0; d < p->rank; d++)
        last += ((half && d == p->rank - 1 ? p->n[d] / 2 + 1 : p->n[d]) - 1) * l->stride[d];
    for (int d = 0; d < f->nouter; d++)
        last += (f->outer[d].n - 1) * (out ? f->outer[d].out : f->outer[d].in);
    return (size_t)(last + 1) * (out ? f->out_size : f->in_size);
}

/* All that describes a plan: axes, then batches. Strides are of elements and not negative. */
static struct fftw *plan(cufftType type, int rank, const struct dim *dims, int nbatches,
                         const struct dim *batches, void *in, void *out, int sign)
{
    struct fft_problem p;
    if (rank < 1 || rank > FFT_RANK || nbatches < 0 || nbatches > BATCH_RANK || !in || !out ||
        !fft_problem_types(type, &p) || (sign != FFTW_FORWARD && sign != FFTW_BACKWARD))
        return NULL;
    p.rank = rank;
    p.batch = 1;
    for (int d = 0; d < rank; d++) {
        p.n[d] = dims[d].n;
        p.in.stride[d] = dims[d].in;
        p.out.stride[d] = dims[d].out;
        if (dims[d].n < 1 || dims[d].in < 0 || dims[d].out < 0)
            return NULL;
    }
    struct fftw *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    for (int d = 0; d < nbatches; d++) {
        if (batches[d].n < 1 || batches[d].in < 0 || batches[d].out < 0) {
            free(f);
            return NULL;
        }
        if (d + 1 < nbatches) {
            f->outer[f->nouter++] = batches[d];
        } else {
            p.batch = batches[d].n;
            p.in.apart = batches[d].in;
            p.out.apart = batches[d].out;
        }
    }
    const size_t real = p.wide ? 8 : 4;
    f->in = in;
    f->out = out;
    f->sign = sign;
    f->in_size = p.in_real ? real : 2 * real;
    f->out_size = p.out_real ? real : 2 * real;
    f->in_bytes = extent(&p, f, false);
    f->out_bytes = extent(&p, f, true);
    if (cufftCreate(&f->handle) == CUFFT_SUCCESS) {
        if (fft_make(fft_plan_of(f->handle), &p, NULL) == CUFFT_SUCCESS)
            return f;
        cufftDestroy(f->handle);
    }
    free(f);
    return NULL;
}

/* Sizes along an axis where nothing else is said: half a spectrum has n / 2 + 1, and reals in its
 * place have room for it. */
static struct fftw *many(cufftType type, int rank, const int *n, int batch, void *in,
                         const int *inembed, int64_t istride, int64_t idist, void *out,
                         const int *onembed, int64_t ostride, int64_t odist, int sign)
{
    struct fft_problem kind;
    struct dim dims[FFT_RANK], batches[1] = {{batch, idist, odist}};
    if (rank < 1 || rank > FFT_RANK || !n || !fft_problem_types(type, &kind))
        return NULL;
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t half = n[d] / 2 + 1, padded = in == out ? 2 * half : n[d];
        const bool last = d == rank - 1;
        dims[d] = (struct dim){n[d], istride, ostride};
        istride *= inembed                 ? inembed[d]
                   : last && kind.out_real ? half
                   : last && kind.in_real  ? padded
                                           : n[d];
        ostride *= onembed                 ? onembed[d]
                   : last && kind.in_real  ? half
                   : last && kind.out_real ? padded
                                           : n[d];
    }
    return plan(type, rank, dims, 1, batches, in, out, sign);
}

/* ---- execution ---- */

static bool on_device(const void *p)
{
    struct cudaPointerAttributes a;
    return cudaPointerGetAttributes(&a, p) == cudaSuccess &&
           (a.type == cudaMemoryTypeDevice || a.type == cudaMemoryTypeManaged);
}

static cufftResult run(const struct fftw *f, cufftType type, char *in, char *out)
{
    int64_t place[BATCH_RANK] = {0};
    for (;;) {
        char *from = in, *to = out;
        for (int d = 0; d < f->nouter; d++) {
            from += (size_t)(place[d] * f->outer[d].in) * f->in_size;
            to += (size_t)(place[d] * f->outer[d].out) * f->out_size;
        }
        const cufftResult r = fft_execute_as(f->handle, type, from, to, f->sign);
        if (r != CUFFT_SUCCESS)
            return r;
        int d = 0;
        while (d < f->nouter && ++place[d] == f->outer[d].n)
            place[d++] = 0;
        if (d == f->nouter)
            return CUFFT_SUCCESS;
    }
}

/* Memory of the host: a copy of both sides on the device, and back what was written. */
static cufftResult run_copied(const struct fftw *f, cufftType type, void *in, void *out)
{
    const size_t both = f->in_bytes > f->out_bytes ? f->in_bytes : f->out_bytes;
    char *a = NULL, *b = NULL;
    cudaError_t e = cudaMalloc((void **)&a, in == out ? both : f->in_bytes);
    if (e == cudaSuccess)
        e = in == out ? (b = a, cudaSuccess) : cudaMalloc((void **)&b, f->out_bytes);
    if (e == cudaSuccess && in != out) /* what lies between the elements stays */
        e = cudaMemcpy(b, out, f->out_bytes, cudaMemcpyDefault);
    if (e == cudaSuccess)
        e = cudaMemcpy(a, in, in == out ? both : f->in_bytes, cudaMemcpyDefault);
    cufftResult r = e == cudaSuccess ? run(f, type, a, b) : CUFFT_ALLOC_FAILED;
    if (r == CUFFT_SUCCESS && cudaMemcpy(out, b, f->out_bytes, cudaMemcpyDefault) != cudaSuccess)
        r = CUFFT_EXEC_FAILED;
    if (b != a)
        cudaFree(b);
    cudaFree(a);
    return r;
}

static void execute(const struct fftw *f, void *in, void *out)
{
    const struct fft_plan *p = f ? fft_plan_of(f->handle) : NULL;
    if (!p || !in || !out) {
        lib_say("tern: fftw_execute: there is no plan, or no memory\n");
        return;
    }
    const bool wide = p->problem.wide;
    const cufftType type = p->problem.in_real    ? (wide ? CUFFT_D2Z : CUFFT_R2C)
                           : p->problem.out_real ? (wide ? CUFFT_Z2D : CUFFT_C2R)
                                                 : (wide ? CUFFT_Z2Z : CUFFT_C2C);
    cufftResult r =
        on_device(in) && on_device(out) ? run(f, type, in, out) : run_copied(f, type, in, out);
    if (r == CUFFT_SUCCESS && cudaDeviceSynchronize() != cudaSuccess)
        r = CUFFT_EXEC_FAILED;
    if (r != CUFFT_SUCCESS)
        lib_say("tern: fftw_execute: the transform failed (%d)\n", (int)r);
}

static void destroy(struct fftw *f)
{
    if (f)
        cufftDestroy(f->handle);
    free(f);
}

static void *aligned(size_t n)
{
    void *p = NULL;
    return posix_memalign(&p, 64, n ? n : 1) ? NULL : p;
}

/* Dimensions as FFTW's guru interface has them, of 32 or 64 bits. */
#define GURU(dims_type)                                                                            \
    static bool dims_of_##dims_type(int rank, const dims_type *d, int most, struct dim *out)       \
    {                                                                                              \
        if (rank < 0 || rank > most || (rank && !d))                                               \
            return false;                                                                          \
        for (int k = 0; k < rank; k++)                                                             \
            out[k] = (struct dim){d[k].n, d[k].is, d[k].os};                                       \
        return true;                                                                               \
    }
GURU(fftw_iodim)
GURU(fftw_iodim64)

/* Which transforms have a sign, and which sign the others have. */
#define SIGN_dft int sign,
#define SIGN_dft_r2c
#define SIGN_dft_c2r
#define SIGN_OF_dft     sign
#define SIGN_OF_dft_r2c FFTW_FORWARD
#define SIGN_OF_dft_c2r FFTW_BACKWARD
/* All plans of one kind of transform; p: what names of its precision begin with. */
#define PLANS(p, kind, type, in_t, out_t)                                                          \
    fftw_plan p##_plan_##kind##_1d(int n, in_t *in, out_t *out, SIGN_##kind unsigned flags)        \
    {                                                                                              \
        (void)flags;                                                                               \
        return many(type, 1, &n, 1, in, NULL, 1, 0, out, NULL, 1, 0, SIGN_OF_##kind);              \
    }                                                                                              \
    fftw_plan p##_plan_##kind##_2d(int n0, int n1, in_t *in, out_t *out,                           \
                                   SIGN_##kind unsigned flags)                                     \
    {                                                                                              \
        (void)flags;                                                                               \
        return many(type, 2, (int[]){n0, n1}, 1, in, NULL, 1, 0, out, NULL, 1, 0, SIGN_OF_##kind); \
    }                                                                                              \
    fftw_plan p##_plan_##kind##_3d(int n0, int n1, int n2, in_t *in, out_t *out,                   \
                                   SIGN_##kind unsigned flags)                                     \
    {                                                                                              \
        (void)flags;                                                                               \
        return many(type, 3, (int[]){n0, n1, n2}, 1, in, NULL, 1, 0, out, NULL, 1, 0,              \
                    SIGN_OF_##kind);                                                               \
    }                                                                                              \
    fftw_plan p##_plan_##kind(int rank, const int *n, in_t *in, out_t *out,                        \
                              SIGN_##kind unsigned flags)                                          \
    {                                                                                              \
        (void)flags;                                                                               \
        return many(type, rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, SIGN_OF_##kind);            \
    }                                                                                              \
    fftw_plan p##_plan_many_##kind(                                                                \
        int rank, const int *n, int batch, in_t *in, const int *inembed, int istride, int idist,   \
        out_t *out, const int *onembed, int ostride, int odist, SIGN_##kind unsigned flags)        \
    {                                                                                              \
        (void)flags;                                                                               \
        return many(type, rank, n, batch, in, inembed, istride, idist, out, onembed, ostride,      \
                    odist, SIGN_OF_##kind);                                                        \
    }                                                                                              \
    GURU_PLAN(p##_plan_guru_##kind, fftw_iodim, kind, type, in_t, out_t)                           \
    GURU_PLAN(p##_plan_guru64_##kind, fftw_iodim64, kind, type, in_t, out_t)
#define GURU_PLAN(name, dims_type, kind, type, in_t, out_t)                                        \
    fftw_plan name(int rank, const dims_type *dims, int batch_rank, const dims_type *batch_dims,   \
                   in_t *in, out_t *out, SIGN_##kind unsigned flags)                               \
    {                                                                                              \
        struct dim d[FFT_RANK], b[BATCH_RANK];                                                     \
        (void)flags;                                                                               \
        return dims_of_##dims_type(rank, dims, FFT_RANK, d) &&                                     \
                       dims_of_##dims_type(batch_rank, batch_dims, BATCH_RANK, b)                  \
                   ? plan(type, rank, d, batch_rank, b, in, out, SIGN_OF_##kind)                   \
                   : NULL;                                                                         \
    }
PLANS(cufftw, dft, CUFFT_Z2Z, fftw_complex, fftw_complex)
PLANS(cufftw, dft_r2c, CUFFT_D2Z, double, fftw_complex)
PLANS(cufftw, dft_c2r, CUFFT_Z2D, fftw_complex, double)
PLANS(cufftwf, dft, CUFFT_C2C, fftwf_complex, fftwf_complex)
PLANS(cufftwf, dft_r2c, CUFFT_R2C, float, fftwf_complex)
PLANS(cufftwf, dft_c2r, CUFFT_C2R, fftwf_complex, float)

#define OTHERS(p, real, complex_t)                                                                 \
    void p##_execute(const fftw_plan plan)                                                         \
    {                                                                                              \
        const struct fftw *f = plan;                                                               \
        execute(f, f ? f->in : NULL, f ? f->out : NULL);                                           \
    }                                                                                              \
    void p##_execute_dft(const fftw_plan plan, complex_t *in, complex_t *out)                      \
    {                                                                                              \
        execute(plan, in, out);                                                                    \
    }                                                                                              \
    void p##_execute_dft_r2c(const fftw_plan plan, real *in, complex_t *out)                       \
    {                                                                                              \
        execute(plan, in, out);                                                                    \
    }                                                                                              \
    void p##_execute_dft_c2r(const fftw_plan plan, complex_t *in, real *out)                       \
    {                                                                                              \
        execute(plan, in, out);                                                                    \
    }                                                                                              \
    void p##_destroy_plan(fftw_plan plan)                                                          \
    {                                                                                              \
        destroy(plan);                                                                             \
    }                                                                                              \
    void p##_cleanup(void)                                                                         \
    {                                                                                              \
    }                                                                                              \
    void *p##_malloc(size_t n)                                                                     \
    {                                                                                              \
        return aligned(n);                                                                         \
    }                                                                                              \
    void p##_free(void *pointer)                                                                   \
    {                                                                                              \
        free(pointer);                                                                             \
    }                                                                                              \
    void p##_export_wisdom_to_file(FILE *file)                                                     \
    {                                                                                              \
        (void)file;                                                                                \
    }                                                                                              \
    int p##_import_wisdom_from_file(FILE *file)                                                    \
    {                                                                                              \
        (void)file;                                                                                \
        return 0;                                                                                  \
    }                                                                                              \
    void p##_print_plan(const fftw_plan plan)                                                      \
    {                                                                                              \
        (void)plan;                                                                                \
    }                                                                                              \
    void p##_set_timelimit(double seconds)                                                         \
    {                                                                                              \
        (void)seconds;                                                                             \
    }                                                                                              \
    double p##_cost(const fftw_plan plan)                                                          \
    {                                                                                              \
        (void)plan;                                                                                \
        return 0;                                                                                  \
    }                                                                                              \
    void p##_flops(const fftw_plan plan, double *add, double *mul, double *fma)                    \
    {                                                                                              \
        (void)plan;                                                                                \
        if (add)                                                                                   \
            *add = 0;                                                                              \
        if (mul)                                                                                   \
            *mul = 0;                                                                              \
        if (fma)                                                                                   \
            *fma = 0;                                                                              \
    }
OTHERS(cufftw, double, fftw_complex)
OTHERS(cufftwf, float, fftwf_complex)
