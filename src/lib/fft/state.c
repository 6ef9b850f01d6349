/* Handles, plans, and what can be asked of them and set. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "lib/fft/fft_int.h"

/* ---- handles: numbers ---- */

static struct {
    pthread_mutex_t lock;
    struct fft_plan **plans; /* NULL: free */
    int count;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct fft_plan *fft_plan_of(cufftHandle handle)
{
    pthread_mutex_lock(&state.lock);
    struct fft_plan *p = handle > 0 && handle <= state.count ? state.plans[handle - 1] : NULL;
    pthread_mutex_unlock(&state.lock);
    return p;
}

static bool grow(void)
{
    const int more = state.count ? 2 * state.count : 16;
    struct fft_plan **plans = realloc(state.plans, (size_t)more * sizeof *plans);
    if (!plans)
        return false;
    memset(plans + state.count, 0, (size_t)(more - state.count) * sizeof *plans);
    state.plans = plans;
    state.count = more;
    return true;
}

static cufftHandle keep(struct fft_plan *p)
{
    pthread_mutex_lock(&state.lock);
    int k = 0;
    while (k < state.count && state.plans[k])
        k++;
    const bool room = k < state.count || grow();
    if (room)
        state.plans[k] = p;
    pthread_mutex_unlock(&state.lock);
    return room ? k + 1 : CUFFT_PLAN_NULL;
}

static struct fft_plan *drop(cufftHandle handle)
{
    struct fft_plan *p = fft_plan_of(handle);
    pthread_mutex_lock(&state.lock);
    if (p)
        state.plans[handle - 1] = NULL;
    pthread_mutex_unlock(&state.lock);
    return p;
}

cufftResult fft_result(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return CUFFT_SUCCESS;
    case TERN_OUT_OF_MEMORY: return CUFFT_ALLOC_FAILED;
    case TERN_NO_DEVICE: return CUFFT_SETUP_FAILED;
    case TERN_UNSUPPORTED: return CUFFT_NOT_SUPPORTED;
    case TERN_INTERNAL: return CUFFT_INTERNAL_ERROR;
    default: return CUFFT_EXEC_FAILED;
    }
}

/* ---- making ---- */

enum {
    SHARED = 48 << 10,     /* what a block may have without asking, on every GPU */
    SHARED_MORE = 96 << 10 /* and on NVIDIA's since sm_80, so that two of them fit */
};

static struct fft_limits limits_of(const struct lib_device *d)
{
    const uint32_t shared = d->capability >= 80 ? SHARED_MORE : SHARED;
    return (struct fft_limits){
        .host = d->host_path,
        .shared = d->info.shared_per_block < shared ? d->info.shared_per_block : shared,
        .units = d->threads,
        .blocks = d->capability ? INT32_MAX : 65535,
        .max_threads = d->info.max_threads_per_block < 512 ? d->info.max_threads_per_block : 512};
}

static bool is_real(const struct fft_problem *p)
{
    return p->in_real || p->out_real;
}

static void release(struct fft_plan *plan)
{
    cudaFree(plan->tables);
    if (plan->own_work)
        cudaFree(plan->work);
    for (int k = 0; k < 2; k++) {
        free(plan->programs[k]);
        plan->programs[k] = NULL;
        plan->ready[k] = false;
    }
    plan->tables = plan->work = NULL;
    plan->own_work = plan->made = false;
}

/* The two programs of a plan. */
static cufftResult programs(struct fft_plan *plan, const struct fft_problem *asked)
{
    const struct fft_limits limits = limits_of(&plan->device);
    for (int k = 0; k < 2; k++) {
        struct fft_problem p = *asked;
        p.backwards = is_real(&p) ? p.out_real : k == 1;
        if (is_real(&p) && p.packed)
            fft_problem_pack(&p, k == 1);
        plan->programs[k] = malloc(sizeof *plan->programs[k]);
        if (!plan->programs[k])
            return CUFFT_ALLOC_FAILED;
        if (!fft_program_of(&p, &limits, plan->programs[k]))
            return CUFFT_INVALID_SIZE;
    }
    const size_t a = plan->programs[0]->work_bytes, b = plan->programs[1]->work_bytes;
    plan->work_bytes = a > b ? a : b;
    return CUFFT_SUCCESS;
}

static cufftResult upload(struct fft_plan *plan)
{
    const struct fft_program *p = plan->programs[0];
    void *tables = fft_tables(p);
    if (!tables)
        return CUFFT_ALLOC_FAILED;
    cudaError_t e = cudaMalloc(&plan->tables, p->table_bytes ? p->table_bytes : 1);
    if (e == cudaSuccess && p->table_bytes)
        e = cudaMemcpy(plan->tables, tables, p->table_bytes, cudaMemcpyHostToDevice);
    free(tables);
    return e == cudaSuccess                 ? CUFFT_SUCCESS
           : e == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED
                                            : CUFFT_INTERNAL_ERROR;
}

cufftResult fft_make(struct fft_plan *plan, const struct fft_problem *p, size_t *work)
{
    if (plan->made)
        return CUFFT_INVALID_PLAN;
    plan->problem = *p;
    cufftResult r = fft_result(lib_device(&plan->device));
    if (r == CUFFT_SUCCESS)
        r = programs(plan, p);
    if (r == CUFFT_SUCCESS)
        r = upload(plan);
    if (r == CUFFT_SUCCESS && plan->automatic && plan->work_bytes) {
        if (cudaMalloc(&plan->work, plan->work_bytes) != cudaSuccess)
            r = CUFFT_ALLOC_FAILED;
        plan->own_work = r == CUFFT_SUCCESS;
    }
    /* The one that is most likely to be asked for; the other is made when it is. */
    if (r == CUFFT_SUCCESS) {
        r = fft_result(fft_prepare(&plan->device, plan->programs[0]));
        plan->ready[0] = r == CUFFT_SUCCESS;
    }
    if (r != CUFFT_SUCCESS) {
        release(plan);
        return r;
    }
    plan->made = true;
    if (work)
        *work = plan->work_bytes;
    return CUFFT_SUCCESS;
}

cufftResult fft_execute(struct fft_plan *plan, const void *in, void *out, int direction)
{
    const bool real = is_real(&plan->problem);
    if (!in || !out || (!real && direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    if (plan->work_bytes && !plan->work)
        return CUFFT_NO_WORKSPACE;
    const int which = real ? in == out : direction == CUFFT_INVERSE;
    return plan->load.kernel || plan->store.kernel ? fft_execute_called(plan, in, out, which)
                                                   : fft_execute_plain(plan, in, out, which);
}

cufftResult fft_execute_plain(struct fft_plan *plan, const void *in, void *out, int which)
{
    enum tern_error e = TERN_OK;
    if (!plan->ready[which])
        e = fft_prepare(&plan->device, plan->programs[which]);
    if (e)
        return fft_result(e);
    plan->ready[which] = true;
    const struct fft_memory m = {in, out, plan->work, plan->tables};
    return fft_result(fft_run(&plan->device, plan->stream, plan->programs[which], &m));
}

/* ---- what is asked for ---- */

bool fft_problem_types(cufftType type, struct fft_problem *p)
{
    *p = (struct fft_problem){0};
    switch (type) {
    case CUFFT_R2C:
    case CUFFT_D2Z: p->in_real = true; break;
    case CUFFT_C2R:
    case CUFFT_Z2D: p->out_real = true; break;
    case CUFFT_C2C:
    case CUFFT_Z2Z: break;
    default: return false;
    }
    p->wide = type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z;
    p->in_type = p->out_type = p->wide ? FFT_F64 : FFT_F32;
    return true;
}

static cufftResult problem_of(const struct fft_asked *a, cufftType type, struct fft_problem *p)
{
    return fft_problem_types(type, p) ? fft_problem_of(a, p) : CUFFT_INVALID_TYPE;
}

/* Sizes of 32 bits as those of 64. */
struct widened {
    long long n[FFT_RANK], in[FFT_RANK], out[FFT_RANK];
};
static struct fft_asked widen(struct widened *w, int rank, const int *n, const int *inembed,
                              const int *onembed)
{
    struct fft_asked a = {.rank = rank};
    if (rank < 1 || rank > FFT_RANK || !n)
        return a;
    for (int d = 0; d < rank; d++) {
        w->n[d] = n[d];
        w->in[d] = inembed ? inembed[d] : 0;
        w->out[d] = onembed ? onembed[d] : 0;
    }
    a.n = w->n;
    a.inembed = inembed ? w->in : NULL;
    a.onembed = onembed ? w->out : NULL;
    return a;
}

static struct fft_asked plain(struct widened *w, int rank, int nx, int ny, int nz, int batch)
{
    struct fft_asked a = widen(w, rank, (int[]){nx, ny, nz}, NULL, NULL);
    a.batch = batch;
    return a;
}

/* How large a work area is, without a plan. */
static cufftResult size_of(const struct fft_asked *a, cufftType type, size_t *work)
{
    struct fft_problem p;
    const cufftResult r = problem_of(a, type, &p);
    return r == CUFFT_SUCCESS ? fft_size_of(&p, work) : r;
}

cufftResult fft_size_of(const struct fft_problem *p, size_t *work)
{
    struct fft_plan plan = {0};
    if (!work)
        return CUFFT_INVALID_VALUE;
    cufftResult r = fft_result(lib_device(&plan.device));
    if (r == CUFFT_SUCCESS)
        r = programs(&plan, p);
    if (r == CUFFT_SUCCESS)
        *work = plan.work_bytes;
    free(plan.programs[0]);
    free(plan.programs[1]);
    return r;
}

static cufftResult make(cufftHandle handle, const struct fft_asked *a, cufftType type, size_t *work)
{
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    struct fft_problem p;
    const cufftResult r = problem_of(a, type, &p);
    return r == CUFFT_SUCCESS ? fft_make(plan, &p, work) : r;
}

static cufftResult create_and_make(cufftHandle *handle, const struct fft_asked *a, cufftType type)
{
    cufftResult r = cufftCreate(handle);
    if (r != CUFFT_SUCCESS)
        return r;
    r = make(*handle, a, type, NULL);
    if (r != CUFFT_SUCCESS) {
        cufftDestroy(*handle);
        *handle = CUFFT_PLAN_NULL;
    }
    return r;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle)
        return CUFFT_INVALID_VALUE;
    struct fft_plan *p = calloc(1, sizeof *p);
    if (!p)
        return CUFFT_ALLOC_FAILED;
    p->automatic = true;
    *handle = keep(p);
    if (*handle == CUFFT_PLAN_NULL) {
        free(p);
        return CUFFT_ALLOC_FAILED;
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct fft_plan *p = drop(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    if (p->made)
        cudaStreamSynchronize(p->stream);
    release(p);
    free(p);
    return CUFFT_SUCCESS;
}

/* Each of these: how many axes there are, and which sizes the call has. */
#define PLAIN(suffix, parameters, rank, nx, ny, nz, batch)                                         \
    cufftResult cufftPlan##suffix(cufftHandle *handle, DECLARE parameters)                         \
    {                                                                                              \
        struct widened w;                                                                          \
        const struct fft_asked a = plain(&w, rank, nx, ny, nz, batch);                             \
        return create_and_make(handle, &a, type);                                                  \
    }                                                                                              \
    cufftResult cufftMakePlan##suffix(cufftHandle handle, DECLARE parameters, size_t *work)        \
    {                                                                                              \
        struct widened w;                                                                          \
        const struct fft_asked a = plain(&w, rank, nx, ny, nz, batch);                             \
        return make(handle, &a, type, work);                                                       \
    }                                                                                              \
    cufftResult cufftEstimate##suffix(DECLARE parameters, size_t *work)                            \
    {                                                                                              \
        struct widened w;                                                                          \
        const struct fft_asked a = plain(&w, rank, nx, ny, nz, batch);                             \
        return size_of(&a, type, work);                                                            \
    }                                                                                              \
    cufftResult cufftGetSize##suffix(cufftHandle handle, DECLARE parameters, size_t *work)         \
    {                                                                                              \
        return fft_plan_of(handle) ? cufftEstimate##suffix(PASS_##suffix, work)                    \
                                   : CUFFT_INVALID_PLAN;                                           \
    }
#define DECLARE(...) __VA_ARGS__
#define PASS_1d      nx, type, batch
#define PASS_2d      nx, ny, type
#define PASS_3d      nx, ny, nz, type
PLAIN(1d, (int nx, cufftType type, int batch), 1, nx, 1, 1, batch)
PLAIN(2d, (int nx, int ny, cufftType type), 2, nx, ny, 1, 1)
PLAIN(3d, (int nx, int ny, int nz, cufftType type), 3, nx, ny, nz, 1)

static struct fft_asked many(struct widened *w, int rank, const int *n, const int *inembed,
                             int istride, int idist, const int *onembed, int ostride, int odist,
                             int batch)
{
    struct fft_asked a = widen(w, rank, n, inembed, onembed);
    a.istride = istride;
    a.idist = idist;
    a.ostride = ostride;
    a.odist = odist;
    a.batch = batch;
    return a;
}

cufftResult cufftPlanMany(cufftHandle *handle, int rank, int *n, int *inembed, int istride,
                          int idist, int *onembed, int ostride, int odist, cufftType type,
                          int batch)
{
    struct widened w;
    const struct fft_asked a =
        many(&w, rank, n, inembed, istride, idist, onembed, ostride, odist, batch);
    return create_and_make(handle, &a, type);
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *work)
{
    struct widened w;
    const struct fft_asked a =
        many(&w, rank, n, inembed, istride, idist, onembed, ostride, odist, batch);
    return make(handle, &a, type, work);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *work)
{
    struct widened w;
    const struct fft_asked a =
        many(&w, rank, n, inembed, istride, idist, onembed, ostride, odist, batch);
    return size_of(&a, type, work);
}

cufftResult cufftGetSizeMany(cufftHandle handle, int rank, int *n, int *inembed, int istride,
                             int idist, int *onembed, int ostride, int odist, cufftType type,
                             int batch, size_t *work)
{
    return fft_plan_of(handle) ? cufftEstimateMany(rank, n, inembed, istride, idist, onembed,
                                                   ostride, odist, type, batch, work)
                               : CUFFT_INVALID_PLAN;
}

cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, long long *onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t *work)
{
    const struct fft_asked a = {rank, n, inembed, onembed, istride, idist, ostride, odist, batch};
    return make(handle, &a, type, work);
}

cufftResult cufftGetSizeMany64(cufftHandle handle, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, long long *onembed,
                               long long ostride, long long odist, cufftType type, long long batch,
                               size_t *work)
{
    const struct fft_asked a = {rank, n, inembed, onembed, istride, idist, ostride, odist, batch};
    return fft_plan_of(handle) ? size_of(&a, type, work) : CUFFT_INVALID_PLAN;
}

/* ---- work areas and settings ---- */

cufftResult cufftGetSize(cufftHandle handle, size_t *work)
{
    const struct fft_plan *p = fft_plan_of(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    if (!work)
        return CUFFT_INVALID_VALUE;
    *work = p->work_bytes;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *work)
{
    struct fft_plan *p = fft_plan_of(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    if ((uintptr_t)work % 16)
        return CUFFT_UNALIGNED_DATA;
    if (p->own_work)
        cudaFree(p->work);
    p->own_work = false;
    p->work = work;
    return CUFFT_SUCCESS;
}

/* Of a plan that is made nothing changes: it has its area, or is given one. */
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic)
{
    struct fft_plan *p = fft_plan_of(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->automatic = automatic != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct fft_plan *p = fft_plan_of(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version)
{
    if (!version)
        return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CUFFT_INVALID_VALUE;
    *value = parts[type];
    return CUFFT_SUCCESS;
}

/* How kernels are compiled, and by how many threads: kept, and without an effect here. */
static long long *property_of(cufftHandle handle, cufftProperty property, cufftResult *r)
{
    struct fft_plan *p = fft_plan_of(handle);
    *r = !p ? CUFFT_INVALID_PLAN
         : property == NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT ||
                 property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS
             ? CUFFT_SUCCESS
             : CUFFT_INVALID_VALUE;
    return *r == CUFFT_SUCCESS ? p->properties + property : NULL;
}

cufftResult cufftSetPlanPropertyInt64(cufftHandle handle, cufftProperty property,
                                      const long long value)
{
    cufftResult r;
    long long *at = property_of(handle, property, &r);
    if (at)
        *at = value;
    return r;
}

cufftResult cufftGetPlanPropertyInt64(cufftHandle handle, cufftProperty property, long long *value)
{
    cufftResult r;
    const long long *at = property_of(handle, property, &r);
    if (at && !value)
        return CUFFT_INVALID_VALUE;
    if (at)
        *value = *at;
    return r;
}

cufftResult cufftResetPlanProperty(cufftHandle handle, cufftProperty property)
{
    return cufftSetPlanPropertyInt64(handle, property, 0);
}

/* ---- transforms ---- */

cufftResult fft_execute_as(cufftHandle handle, cufftType type, const void *in, void *out,
                           int direction)
{
    struct fft_plan *plan = fft_plan_of(handle);
    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    struct fft_problem p;
    fft_problem_types(type, &p);
    if (p.in_real != plan->problem.in_real || p.out_real != plan->problem.out_real ||
        p.in_type != plan->problem.in_type || p.out_type != plan->problem.out_type)
        return CUFFT_INVALID_TYPE;
    return fft_execute(plan, in, out, direction);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction)
{
    return fft_execute_as(plan, CUFFT_C2C, in, out, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out)
{
    return fft_execute_as(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out)
{
    return fft_execute_as(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out,
                         int direction)
{
    return fft_execute_as(plan, CUFFT_Z2Z, in, out, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out)
{
    return fft_execute_as(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out)
{
    return fft_execute_as(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
