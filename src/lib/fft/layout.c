/* From what a caller describes, as cuFFT and FFTW do it, to distances between elements. */
#include "lib/fft/fft_int.h"

/* What one side of a transform has along its last axis: reals are padded where a transform in place
 * needs room for its spectrum. */
static int64_t last_size(int64_t n, bool real, bool other_real, bool padded)
{
    return other_real ? n / 2 + 1 : real && padded ? 2 * (n / 2 + 1) : n;
}

/* Element (i0, i1, i2) is at ((i0 * embed[1] + i1) * embed[2] + i2) * stride. */
static bool embedded(int rank, const long long *embed, long long stride, long long apart,
                     struct fft_layout *out)
{
    int64_t product = stride;
    for (int d = rank - 1; d >= 0; d--) {
        out->stride[d] = product;
        if (d > 0 && (embed[d] < 1 || __builtin_mul_overflow(product, (int64_t)embed[d], &product)))
            return false;
    }
    out->apart = apart;
    return true;
}

static void packed(int rank, const int64_t *n, int64_t last, struct fft_layout *out)
{
    int64_t product = 1;
    for (int d = rank - 1; d >= 0; d--) {
        out->stride[d] = product;
        product *= d == rank - 1 ? last : n[d];
    }
    out->apart = product;
}

void fft_problem_pack(struct fft_problem *p, bool in_place)
{
    const int64_t n = p->n[p->rank - 1];
    packed(p->rank, p->n, last_size(n, p->in_real, p->out_real, in_place), &p->in);
    packed(p->rank, p->n, last_size(n, p->out_real, p->in_real, in_place), &p->out);
}

cufftResult fft_problem_of(const struct fft_asked *a, struct fft_problem *p)
{
    if (a->rank < 1 || a->rank > FFT_RANK || !a->n)
        return CUFFT_INVALID_VALUE;
    if (a->batch < 1)
        return CUFFT_INVALID_SIZE;
    p->rank = a->rank;
    p->batch = a->batch;
    int64_t elements = a->batch;
    for (int d = 0; d < a->rank; d++) {
        p->n[d] = a->n[d];
        if (a->n[d] < 1 || __builtin_mul_overflow(elements, (int64_t)a->n[d], &elements) ||
            elements > INT64_MAX / 256)
            return CUFFT_INVALID_SIZE;
    }
    p->packed = !a->inembed || !a->onembed; /* one of them NULL: both are without gaps */
    if (p->packed) {
        fft_problem_pack(p, false);
        return CUFFT_SUCCESS;
    }
    if (a->istride < 1 || a->ostride < 1 || a->idist < 0 || a->odist < 0 ||
        !embedded(a->rank, a->inembed, a->istride, a->idist, &p->in) ||
        !embedded(a->rank, a->onembed, a->ostride, a->odist, &p->out))
        return CUFFT_INVALID_VALUE;
    return CUFFT_SUCCESS;
}
