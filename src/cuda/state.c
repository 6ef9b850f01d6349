/* The process state that CUDA's API implies: which devices there are, which one a thread uses, what
 * went wrong last. Devices are opened when first used.
 *
 * TERN_DEVICES (or TERN_DEVICE) lists devices, in order (see struct tern_options); otherwise the
 * best real device is ordinal 0. CUDA_VISIBLE_DEVICES picks and orders ordinals out of that. A wait
 * that takes longer than TERN_WAIT_LIMIT seconds is an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/cuda_int.h"
#include "rt/shelf.h"

static struct {
    pthread_mutex_t lock;
    bool started;
    cudaError_t start_error;
    struct tern_context *context;
    int total;
    int first;                          /* of threads that choose none */
    unsigned visible[CUDA_MAX_DEVICES]; /* by ordinal: which device of the context */
    struct CUctx_st primary[CUDA_MAX_DEVICES];
    char refused_kernel[256]; /* of a launch whose error nobody has asked for yet */
    char refused[512];        /* and why that was */
    char refused_at[4096];    /* and where, for who checks */
    struct shelf shelf;       /* nothing by itself; then what __tern_register_code was told */
    bool leaving;             /* the process ends */
    bool prepared;            /* kernels, on the first device that was opened */
    bool forked; /* this is a child of the process that has started: threads and locks are gone */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { MAX_DEPTH = 32 };
static _Thread_local struct {
    int device;
    bool known; /* it is the thread's own, or the first of the rank */
    bool set;   /* the device was chosen or used: its primary context is current */
    struct CUctx_st *stack[MAX_DEPTH];
    int depth;
    cudaError_t last;
} thread;

void cuda_say(const char *text)
{
    size_t n = strlen(text);
    while (n) {
        ssize_t k = write(STDERR_FILENO, text, n);
        if (k <= 0)
            return;
        text += k;
        n -= (size_t)k;
    }
}

static void say(void *user, const char *text)
{
    (void)user;
    cuda_say(text);
}

static void choose_visible(const char *list)
{
    int n = 0;
    const int total = state.total;
    while (*list && n < CUDA_MAX_DEVICES) {
        char *end;
        long k = strtol(list, &end, 10);
        if (end == list || k < 0 || k >= total)
            break; /* as CUDA does: the list ends at the first number that is not a device */
        state.visible[n++] = (unsigned)k;
        list = end + (*end == ',');
    }
    state.total = n;
}

/* Ranks of one machine take different devices, unless somebody has chosen. Programs that were
 * written for one device a rank, as Slurm gives them, find theirs so. */
static int device_of_rank(void)
{
    static const enum setting ranks[] = {SETTING_SLURM_RANK, SETTING_OMPI_RANK, SETTING_MPICH_RANK};
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        const char *text = setting_text(ranks[k]);
        char *end;
        const long rank = text ? strtol(text, &end, 10) : -1;
        if (text && !*end && rank >= 0)
            return (int)(rank % state.total);
    }
    return 0;
}

/* The numbers in a list as Slurm writes it (0,2,3) are devices' here. */
static bool all_there(const char *list)
{
    for (const char *p = list;; p++) {
        char *end;
        const long k = strtol(p, &end, 10);
        if (end == p || k < 0 || k >= state.total)
            return false;
        p = end;
        if (!*p)
            return true;
        if (*p != ',')
            return false;
    }
}

static void choose_devices(void)
{
    /* Set to nothing, CUDA_VISIBLE_DEVICES hides all of them. */
    const char *visible = setting_raw(SETTING_VISIBLE), *step = setting_text(SETTING_SLURM_GPUS);
    if (!visible && step && all_there(step))
        visible = step;
    if (visible)
        choose_visible(visible);
    /* What Slurm gave a node, all its ranks may see: each takes one. */
    if ((!visible || step) && state.total > 1)
        state.first = device_of_rank();
}

static void forget_after_fork(void)
{
    __atomic_store_n(&state.forked, true, __ATOMIC_RELAXED);
}

/* The first exit function that was registered runs last: static objects are gone then. */
static void close_check(void)
{
    struct check *c = state.context ? state.context->check : NULL;
    if (__atomic_load_n(&state.forked, __ATOMIC_RELAXED))
        return;
    if (state.refused_kernel[0]) {
        char text[1024];
        snprintf(text, sizeof text,
                 "a launch of '%s' was refused, and nothing asked for the error: %s",
                 state.refused_kernel, state.refused);
        if (c) {
            check_found(c, CHECK_UNUSED_RESULT,
                        &(struct report){.message = text,
                                         .kernel = state.refused_kernel,
                                         .host = state.refused_at});
        } else {
            cuda_say("tern: ");
            cuda_say(text);
            cuda_say("\n");
        }
    }
    if (c)
        check_finish(c);
}

struct check *cuda_check(void)
{
    return cuda_started() && state.context ? state.context->check : NULL;
}

void cuda_found(enum check_kind kind, const char *message)
{
    struct check *c = cuda_check();
    if (c)
        check_found(c, kind, &(struct report){.message = message});
}

/* NULL: somebody has looked at the error. The first of several is told of. */
void cuda_launch_refused(const char *kernel, const char *why)
{
    if (!kernel && !__atomic_load_n(&state.refused_kernel[0], __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&state.lock);
    if (!kernel) {
        state.refused_kernel[0] = 0;
    } else if (!state.refused_kernel[0]) {
        snprintf(state.refused_kernel, sizeof state.refused_kernel, "%s", kernel);
        snprintf(state.refused, sizeof state.refused, "%s", why);
        if (state.context && state.context->check)
            check_here(state.refused_at, sizeof state.refused_at);
    }
    pthread_mutex_unlock(&state.lock);
}

static void leave(void)
{
    close_check();
    __atomic_store_n(&state.leaving, true, __ATOMIC_RELAXED);
}

void __tern_register_code(const char *begin, const char *end)
{
    struct shelf *s = calloc(1, sizeof *s);
    if (!s)
        return; /* it is made anew */
    *s = (struct shelf){.data = begin, .bytes = (size_t)(end - begin)};
    pthread_mutex_lock(&state.lock);
    s->next = state.shelf.next;
    __atomic_store_n(&state.shelf.next, s, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&state.lock);
}

static cudaError_t start_locked(void)
{
    const char *list = setting_text(SETTING_DEVICES);
    if (!list)
        list = setting_text(SETTING_DEVICE);
    struct tern_options options = {
        .devices = list ? list : "auto",
        .say = say,
        .wait_limit_ns = (uint64_t)(setting_number(SETTING_WAIT_LIMIT) * 1e9),
    };
    const struct context_host host = {.shelf = &state.shelf};
    enum tern_error e = context_new(&options, &host, &state.context);
    if (e)
        return e == TERN_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : cudaErrorNoDevice;
    state.total = (int)tern_context_devices(state.context);
    for (int k = 0; k < state.total; k++) {
        state.visible[k] = (unsigned)k;
        state.primary[k] =
            (struct CUctx_st){.ordinal = k, .primary = true, .id = (unsigned long long)k + 1};
    }
    choose_devices();
    cuda_tell_mpi();
    atexit(leave);
    pthread_atfork(NULL, NULL, forget_after_fork);
    return state.total ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cuda_start(void)
{
    if (__atomic_load_n(&state.forked, __ATOMIC_RELAXED))
        return cudaErrorInitializationError;
    if (!__atomic_load_n(&state.started, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&state.lock);
        if (!state.started) {
            state.start_error = start_locked();
            if (state.start_error == cudaErrorMemoryAllocation) { /* there may be some later */
                pthread_mutex_unlock(&state.lock);
                return cudaErrorMemoryAllocation;
            }
            __atomic_store_n(&state.started, true, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&state.lock);
    }
    return state.start_error;
}

int cuda_device_total(void)
{
    return state.total;
}

bool cuda_started(void)
{
    return __atomic_load_n(&state.started, __ATOMIC_ACQUIRE);
}

/* ---- contexts of a thread ---- */

int cuda_current_ordinal(void)
{
    if (!thread.known && cuda_started()) {
        thread.known = true;
        thread.device = state.first;
    }
    return thread.depth ? thread.stack[thread.depth - 1]->ordinal : thread.device;
}

void cuda_set_current(int ordinal)
{
    thread.device = ordinal;
    thread.known = thread.set = true;
    if (thread.depth)
        thread.stack[thread.depth - 1] = &state.primary[ordinal];
}

struct CUctx_st *cuda_primary(int ordinal)
{
    return &state.primary[ordinal];
}

struct CUctx_st *cuda_context_top(void)
{
    return thread.depth ? thread.stack[thread.depth - 1]
           : thread.set ? &state.primary[thread.device]
                        : NULL;
}

bool cuda_context_push(struct CUctx_st *c)
{
    if (thread.depth == MAX_DEPTH)
        return false;
    thread.stack[thread.depth++] = c;
    return true;
}

struct CUctx_st *cuda_context_pop(void)
{
    struct CUctx_st *top = cuda_context_top();
    if (thread.depth)
        thread.depth--;
    else
        thread.set = false;
    return top;
}

void cuda_context_set(struct CUctx_st *c)
{
    if (!c) {
        cuda_context_pop();
        return;
    }
    if (!thread.depth)
        thread.depth = 1;
    thread.stack[thread.depth - 1] = c;
}

cudaError_t cuda_device_at(int ordinal, struct tern_device **out)
{
    cudaError_t e = cuda_start();
    if (e != cudaSuccess)
        return e;
    if (ordinal < 0 || ordinal >= state.total)
        return cudaErrorInvalidDevice;
    /* Destructors of static objects may still call, but a driver that has been taken down by the
     * end of the process cannot be started again. */
    if (__atomic_load_n(&state.leaving, __ATOMIC_RELAXED) &&
        !__atomic_load_n(&state.context->devices[state.visible[ordinal]].open, __ATOMIC_ACQUIRE))
        return cudaErrorCudartUnloading;
    const enum tern_error opened = device_open(state.context, state.visible[ordinal], out);
    if (!opened)
        __atomic_store_n(&(*out)->rt.facts, cuda_device_facts, __ATOMIC_RELAXED);
    if (!opened && !__atomic_load_n(&state.prepared, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&state.prepared, true, __ATOMIC_RELAXED))
        cuda_prepare_early(*out);
    return cuda_from(opened);
}

cudaError_t cuda_current(struct tern_device **out)
{
    cuda_start(); /* which device is current follows from it */
    cudaError_t e = cuda_device_at(cuda_current_ordinal(), out);
    thread.set = true;
    return e != cudaSuccess ? e : cuda_from((*out)->lost);
}

int cuda_ordinal_of(const struct tern_device *d)
{
    for (int k = 0; k < state.total; k++)
        if (state.visible[k] == d->ordinal)
            return k;
    return -1;
}

void cuda_close_device(struct tern_device *d)
{
    pthread_mutex_lock(&state.lock);
    if (d->open) {
        device_wait(d);
        cuda_pools_forget(d);
        cuda_mappings_forget(d);
        cuda_modules_free(d);
        cuda_driver_modules_free(d);
        device_close(d);
        cuda_forget_ranges(cuda_ordinal_of(d));
    }
    pthread_mutex_unlock(&state.lock);
}

/* ---- errors ---- */

cudaError_t cuda_from(enum tern_error e)
{
    return (cudaError_t)tern_error_cuda(e);
}

cudaError_t cuda_return(cudaError_t e)
{
    prof_result((int)e);
    if (e != cudaSuccess && e != cudaErrorNotReady)
        thread.last = e;
    return e;
}

cudaError_t cuda_last(void)
{
    return thread.last;
}

void cuda_set_last(cudaError_t e)
{
    thread.last = e;
}

cudaError_t cuda_peek(bool clear)
{
    cudaError_t e = thread.last;
    const int ordinal = cuda_current_ordinal();
    if (e == cudaSuccess && cuda_started() && ordinal < state.total)
        e = cuda_from(state.context->devices[state.visible[ordinal]].lost);
    if (clear)
        thread.last = cudaSuccess;
    return e;
}
