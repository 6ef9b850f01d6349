/* cuFFT Xt: other types, descriptors on one device, and what is refused: several devices and
 * callbacks as link-time code. */
#include <stdlib.h>
#include "lib/fft/fft_int.h"

/* ---- types ---- */

static bool type_of(cudaDataType t, enum fft_type *type, bool *real)
{
    static const struct {
        cudaDataType name;
        enum fft_type type;
        bool real;
    } rows[] = {{CUDA_R_32F, FFT_F32, true},   {CUDA_C_32F, FFT_F32, false},
                {CUDA_R_64F, FFT_F64, true},   {CUDA_C_64F, FFT_F64, false},
                {CUDA_R_16F, FFT_F16, true},   {CUDA_C_16F, FFT_F16, false},
                {CUDA_R_16BF, FFT_BF16, true}, {CUDA_C_16BF, FFT_BF16, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].name == t) {
            *type = rows[k].type;
            *real = rows[k].real;
            return true;
        }
    return false;
}

/* Input, output and what is computed with are of one type; at most one side is real. */
static cufftResult problem_of(const struct fft_asked *a, cudaDataType in, cudaDataType out,
                              cudaDataType execution, struct fft_problem *p)
{
    enum fft_type type;
    bool real;
    *p = (struct fft_problem){0};
    if (!type_of(in, &p->in_type, &p->in_real) || !type_of(out, &p->out_type, &p->out_real) ||
        !type_of(execution, &type, &real) || p->in_type != type || p->out_type != type ||
        (p->in_real && p->out_real))
        return CUFFT_INVALID_TYPE;
    p->wide = type == FFT_F64;
    return fft_problem_of(a, p);
}

cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType in_type,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType out_type, long long batch, size_t *work,
                                cudaDataType execution)
{
    const struct fft_asked a = {rank, n, inembed, onembed, istride, idist, ostride, odist, batch};
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    struct fft_problem p;
    const cufftResult r = problem_of(&a, in_type, out_type, execution, &p);
    return r == CUFFT_SUCCESS ? fft_make(plan, &p, work) : r;
}

cufftResult cufftXtGetSizeMany(cufftHandle handle, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, cudaDataType in_type,
                               long long *onembed, long long ostride, long long odist,
                               cudaDataType out_type, long long batch, size_t *work,
                               cudaDataType execution)
{
    const struct fft_asked a = {rank, n, inembed, onembed, istride, idist, ostride, odist, batch};
    if (!fft_plan_of(handle))
        return CUFFT_INVALID_PLAN;
    struct fft_problem p;
    const cufftResult r = problem_of(&a, in_type, out_type, execution, &p);
    return r == CUFFT_SUCCESS ? fft_size_of(&p, work) : r;
}

cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    struct fft_plan *plan = fft_plan_of(handle);
    return plan && plan->made ? fft_execute(plan, in, out, direction) : CUFFT_INVALID_PLAN;
}

cufftResult cufftXtSetWorkArea(cufftHandle handle, void **work)
{
    return work ? cufftSetWorkArea(handle, work[0]) : CUFFT_INVALID_VALUE;
}

/* There is one size for each plan: the least is also the best. */
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy policy, size_t *work)
{
    const struct fft_plan *plan = fft_plan_of(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (policy == CUFFT_WORKAREA_USER) {
        lib_say(
            "tern: cufftXtSetWorkAreaPolicy: work areas of a size of the caller's are not there\n");
        return CUFFT_NOT_SUPPORTED;
    }
    if (policy != CUFFT_WORKAREA_MINIMAL && policy != CUFFT_WORKAREA_PERFORMANCE)
        return CUFFT_INVALID_VALUE;
    if (work)
        *work = plan->work_bytes;
    return CUFFT_SUCCESS;
}

/* ---- descriptors, on one device ---- */

cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int *which)
{
    struct fft_plan *plan = fft_plan_of(handle);
    int devices = 0;
    if (!plan || plan->made)
        return CUFFT_INVALID_PLAN;
    if (count < 1 || !which)
        return CUFFT_INVALID_VALUE;
    if (cudaGetDeviceCount(&devices) != cudaSuccess)
        return CUFFT_SETUP_FAILED;
    for (int k = 0; k < count; k++)
        if (which[k] < 0 || which[k] >= devices)
            return CUFFT_INVALID_DEVICE;
    if (count > 1) {
        lib_say("tern: cufftXtSetGPUs: transforms over several devices are not there\n");
        return CUFFT_NOT_SUPPORTED;
    }
    return cudaSetDevice(which[0]) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_INVALID_DEVICE;
}

size_t fft_side_bytes(const struct fft_problem *p, bool out)
{
    const struct fft_layout *l = out ? &p->out : &p->in;
    const bool real = out ? p->out_real : p->in_real, half = out ? p->in_real : p->out_real;
    int64_t last = (p->batch - 1) * l->apart;
    for (int d = 0; d < p->rank; d++)
        last += ((half && d == p->rank - 1 ? p->n[d] / 2 + 1 : p->n[d]) - 1) * l->stride[d];
    return (size_t)(last + 1) * fft_type_bytes(out ? p->out_type : p->in_type) * (real ? 1 : 2);
}

/* In place the larger side counts, reals with their padding. */
static size_t plan_bytes(const struct fft_problem *p)
{
    struct fft_problem q = *p;
    if (q.packed)
        fft_problem_pack(&q, true);
    const size_t in = fft_side_bytes(&q, false), out = fft_side_bytes(&q, true);
    return in > out ? in : out;
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **descriptor, cufftXtSubFormat format)
{
    const struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!descriptor || (unsigned)format >= CUFFT_FORMAT_UNDEFINED)
        return CUFFT_INVALID_VALUE;
    struct {
        cudaLibXtDesc outer;
        cudaXtDesc inner;
    } *d = calloc(1, sizeof *d);
    if (!d)
        return CUFFT_ALLOC_FAILED;
    d->outer.version = d->inner.version = CUDA_XT_DESCRIPTOR_VERSION;
    d->outer.descriptor = &d->inner;
    d->outer.subFormat = format;
    d->inner.nGPUs = 1;
    d->inner.GPUs[0] = plan->device.ordinal;
    d->inner.size[0] = plan_bytes(&plan->problem);
    if (cudaMalloc(&d->inner.data[0], d->inner.size[0]) != cudaSuccess) {
        free(d);
        return CUFFT_ALLOC_FAILED;
    }
    *descriptor = &d->outer;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtFree(cudaLibXtDesc *d)
{
    if (!d || !d->descriptor)
        return CUFFT_INVALID_VALUE;
    cudaFree(d->descriptor->data[0]);
    free(d);
    return CUFFT_SUCCESS;
}

cufftResult cufftXtMemcpy(cufftHandle handle, void *to, void *from, cufftXtCopyType type)
{
    const struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!to || !from || (unsigned)type >= CUFFT_COPY_UNDEFINED)
        return CUFFT_INVALID_VALUE;
    const cudaLibXtDesc *d = type == CUFFT_COPY_DEVICE_TO_HOST ? from : to,
                        *source = type == CUFFT_COPY_DEVICE_TO_DEVICE ? from : NULL;
    /* A host's array is what the format says that a descriptor is: of the one side or the other. */
    const bool out =
        d->subFormat == CUFFT_XT_FORMAT_OUTPUT || d->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
    struct fft_problem p = plan->problem;
    if (p.packed && (p.in_real || p.out_real) && d->subFormat != CUFFT_XT_FORMAT_OUTPUT)
        fft_problem_pack(&p, true);
    size_t bytes = d->descriptor->size[0];
    if (!source && fft_side_bytes(&p, out) < bytes)
        bytes = fft_side_bytes(&p, out);
    void *at = d->descriptor->data[0];
    cudaError_t e = cudaStreamSynchronize(plan->stream);
    if (e == cudaSuccess)
        e = type == CUFFT_COPY_DEVICE_TO_HOST ? cudaMemcpy(to, at, bytes, cudaMemcpyDeviceToHost)
            : source ? cudaMemcpy(at, source->descriptor->data[0], bytes, cudaMemcpyDeviceToDevice)
                     : cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice);
    return e == cudaSuccess ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}

static void transformed(cudaLibXtDesc *in, cudaLibXtDesc *out)
{
    if (in == out)
        out->subFormat = out->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED
                             ? CUFFT_XT_FORMAT_INPLACE
                             : CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
}

cufftResult cufftXtExecDescriptor(cufftHandle handle, cudaLibXtDesc *in, cudaLibXtDesc *out,
                                  int direction)
{
    if (!in || !out || !in->descriptor || !out->descriptor)
        return CUFFT_INVALID_VALUE;
    const cufftResult r =
        cufftXtExec(handle, in->descriptor->data[0], out->descriptor->data[0], direction);
    if (r == CUFFT_SUCCESS)
        transformed(in, out);
    return r;
}

static cufftResult descriptor_as(cufftHandle handle, cufftType type, cudaLibXtDesc *in,
                                 cudaLibXtDesc *out, int direction)
{
    if (!in || !out || !in->descriptor || !out->descriptor)
        return CUFFT_INVALID_VALUE;
    const cufftResult r =
        fft_execute_as(handle, type, in->descriptor->data[0], out->descriptor->data[0], direction);
    if (r == CUFFT_SUCCESS)
        transformed(in, out);
    return r;
}

cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
                                     int direction)
{
    return descriptor_as(plan, CUFFT_C2C, in, out, direction);
}

cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out)
{
    return descriptor_as(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out)
{
    return descriptor_as(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}

cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
                                     int direction)
{
    return descriptor_as(plan, CUFFT_Z2Z, in, out, direction);
}

cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out)
{
    return descriptor_as(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out)
{
    return descriptor_as(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

cufftResult cufftXtQueryPlan(cufftHandle plan, void *query, cufftXtQueryType type)
{
    (void)query, (void)type;
    if (!fft_plan_of(plan))
        return CUFFT_INVALID_PLAN;
    lib_say("tern: cufftXtQueryPlan: transforms over several devices are not there\n");
    return CUFFT_NOT_SUPPORTED;
}

/* ---- callbacks ---- */

static cufftResult no_callbacks(cufftHandle plan, const char *function)
{
    if (!fft_plan_of(plan))
        return CUFFT_INVALID_PLAN;
    lib_say("tern: %s: a program's functions cannot be called from transforms\n", function);
    return CUFFT_NOT_SUPPORTED;
}

cufftResult cufftXtSetJITCallback(cufftHandle plan, const char *name, const void *code,
                                  size_t bytes, cufftXtCallbackType type, void **info)
{
    (void)name, (void)code, (void)bytes, (void)type, (void)info;
    return no_callbacks(plan, "cufftXtSetJITCallback");
}
