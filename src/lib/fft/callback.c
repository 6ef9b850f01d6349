/* cuFFT's callbacks: what the program's load function makes of each element goes to scratch memory
 * of the same layout, the transform runs there, and the store function has each element of its
 * result. The kernels that call the functions are the program's own
 * (include/cuda/tern_cufft_callback.h): a device function's address means something in the
 * program's code only. */
#include <string.h>
#include "lib/fft/fft_int.h"

static bool is_store(cufftXtCallbackType type)
{
    return type >= CUFFT_CB_ST_COMPLEX;
}

/* Of what a plan reads or writes? The names go by complex and real, float and double. */
static bool fits(const struct fft_problem *p, cufftXtCallbackType type)
{
    const bool real = is_store(type) ? p->out_real : p->in_real;
    const enum fft_type t = is_store(type) ? p->out_type : p->in_type;
    return (int)type >= 0 && type < CUFFT_CB_UNDEFINED && (t == FFT_F32 || t == FFT_F64) &&
           (int)type % 4 == (real ? 2 : 0) + (t == FFT_F64);
}

static struct fft_callback *callback_of(struct fft_plan *plan, cufftXtCallbackType type)
{
    return is_store(type) ? &plan->store : &plan->load;
}

cufftResult ternFftSetCallback(cufftHandle handle, void **function, cufftXtCallbackType type,
                               void **info, const void *kernel)
{
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!function || !function[0] || !kernel)
        return CUFFT_INVALID_VALUE;
    if (!fits(&plan->problem, type))
        return CUFFT_INVALID_TYPE;
    struct fft_callback *c = callback_of(plan, type);
    c->kernel = kernel;
    c->function = function[0];
    c->info = info ? info[0] : NULL;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtSetCallback(cufftHandle plan, void **function, cufftXtCallbackType type,
                               void **info)
{
    (void)function, (void)type, (void)info;
    if (!fft_plan_of(plan))
        return CUFFT_INVALID_PLAN;
    lib_say(
        "tern: cufftXtSetCallback: the program was not compiled by terncc: no kernel of its own "
        "can call the function\n");
    return CUFFT_NOT_SUPPORTED;
}

cufftResult cufftXtClearCallback(cufftHandle handle, cufftXtCallbackType type)
{
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!fits(&plan->problem, type))
        return CUFFT_INVALID_TYPE;
    *callback_of(plan, type) = (struct fft_callback){0};
    return CUFFT_SUCCESS;
}

cufftResult cufftXtSetCallbackSharedSize(cufftHandle handle, cufftXtCallbackType type, size_t bytes)
{
    enum { MOST = 16384 }; /* as NVIDIA documents it */
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!fits(&plan->problem, type))
        return CUFFT_INVALID_TYPE;
    if (bytes > MOST)
        return CUFFT_INVALID_VALUE;
    callback_of(plan, type)->shared = bytes;
    return CUFFT_SUCCESS;
}

/* The elements of one side. */
static struct tern_fft_places places_of(const struct fft_problem *p, bool out)
{
    const struct fft_layout *l = out ? &p->out : &p->in;
    const bool half = out ? p->in_real : p->out_real;
    struct tern_fft_places places = {{p->batch, 1, 1, 1}, {l->apart, 0, 0, 0}};
    for (int d = 0; d < p->rank; d++) {
        places.n[d + 1] = half && d == p->rank - 1 ? p->n[d] / 2 + 1 : p->n[d];
        places.apart[d + 1] = l->stride[d];
    }
    return places;
}

static cufftResult call(const struct fft_plan *plan, const struct fft_callback *c,
                        const struct fft_problem *p, bool out, void *data, void *elements)
{
    enum { THREADS = 128 };
    struct tern_fft_places places = places_of(p, out);
    void *function = c->function, *info = c->info;
    void *args[] = {&function, &data, &elements, &places, &info};
    const int64_t n = places.n[0] * places.n[1] * places.n[2] * places.n[3];
    const dim3 grid = {lib_blocks(n, THREADS).x, 1, 1}, block = {THREADS, 1, 1};
    return cudaLaunchKernel(c->kernel, grid, block, args, c->shared, plan->stream) == cudaSuccess
               ? CUFFT_SUCCESS
               : CUFFT_EXEC_FAILED;
}

static cufftResult copy(const struct fft_plan *plan, void *to, const void *from, size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, plan->stream) == cudaSuccess
               ? CUFFT_SUCCESS
               : CUFFT_EXEC_FAILED;
}

/* In one scratch area, as the caller asked for it: what lies between elements comes along and goes
 * back as it was. */
static cufftResult in_place(struct fft_plan *plan, const struct fft_problem *p, void *data,
                            void *scratch, size_t bytes, int which)
{
    cufftResult r = copy(plan, scratch, data, bytes);
    if (r == CUFFT_SUCCESS && plan->load.kernel)
        r = call(plan, &plan->load, p, false, data, scratch);
    if (r == CUFFT_SUCCESS)
        r = fft_execute_plain(plan, scratch, scratch, which);
    if (r != CUFFT_SUCCESS)
        return r;
    return plan->store.kernel ? call(plan, &plan->store, p, true, data, scratch)
                              : copy(plan, data, scratch, bytes);
}

static cufftResult out_of_place(struct fft_plan *plan, const struct fft_problem *p, const void *in,
                                void *out, char *scratch, size_t in_bytes, int which)
{
    cufftResult r = CUFFT_SUCCESS;
    if (plan->load.kernel)
        r = call(plan, &plan->load, p, false, (void *)(uintptr_t)in, scratch);
    void *to = plan->store.kernel ? scratch + in_bytes : out;
    if (r == CUFFT_SUCCESS)
        r = fft_execute_plain(plan, plan->load.kernel ? scratch : in, to, which);
    if (r == CUFFT_SUCCESS && plan->store.kernel)
        r = call(plan, &plan->store, p, true, out, to);
    return r;
}

cufftResult fft_execute_called(struct fft_plan *plan, const void *in, void *out, int which)
{
    struct fft_problem p = plan->problem;
    if (p.packed)
        fft_problem_pack(&p, in == out);
    const size_t a = (fft_side_bytes(&p, false) + 255) / 256 * 256, b = fft_side_bytes(&p, true);
    void *scratch;
    const enum tern_error e = lib_scratch(plan->stream, in == out && a > b ? a : a + b, &scratch);
    if (e)
        return fft_result(e);
    const size_t in_bytes = fft_side_bytes(&p, false);
    const cufftResult r = in == out
                              ? in_place(plan, &p, out, scratch, in_bytes > b ? in_bytes : b, which)
                              : out_of_place(plan, &p, in, out, scratch, a, which);
    lib_scratch_free(plan->stream, scratch);
    return r;
}
