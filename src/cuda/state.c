/* The process state that CUDA's API implies: which devices there are, which one a thread uses, what
 * went wrong last. Devices are opened when first used.
 *
 * TERN_DEVICES (or TERN_DEVICE) lists devices by name, in order ("cpu,vulkan:0"); otherwise the
 * best real device is ordinal 0. CUDA_VISIBLE_DEVICES picks and orders ordinals out of that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/cuda_int.h"

static struct {
    pthread_mutex_t lock;
    bool started;
    cudaError_t start_error;
    int total;
    char names[CUDA_MAX_DEVICES][64];
    struct cuda_device devices[CUDA_MAX_DEVICES];
    char why[256];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    int device;
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

/* Kernels print where the program prints, in order with what it printed itself. */
static void print(void *ctx, const char *text, size_t n)
{
    (void)ctx;
    fwrite(text, 1, n, stdout);
}

static void add_names(const char *list)
{
    while (*list && state.total < CUDA_MAX_DEVICES) {
        size_t n = strcspn(list, ",");
        if (n && n < sizeof state.names[0]) {
            memcpy(state.names[state.total], list, n);
            state.names[state.total++][n] = 0;
        }
        list += n + (list[n] == ',');
    }
}

static void choose_visible(const char *list)
{
    char chosen[CUDA_MAX_DEVICES][64];
    int n = 0;
    while (*list && n < CUDA_MAX_DEVICES) {
        char *end;
        long k = strtol(list, &end, 10);
        if (end == list || k < 0 || k >= state.total)
            break; /* as CUDA does: the list ends at the first number that is not a device */
        memcpy(chosen[n++], state.names[k], sizeof chosen[0]);
        list = end + (*end == ',');
    }
    memcpy(state.names, chosen, sizeof chosen[0] * (size_t)n);
    state.total = n;
}

cudaError_t cuda_start(void)
{
    pthread_mutex_lock(&state.lock);
    if (!state.started) {
        const char *list = getenv("TERN_DEVICES"), *visible = getenv("CUDA_VISIBLE_DEVICES");
        if (!list)
            list = getenv("TERN_DEVICE");
        add_names(list && *list ? list : "auto");
        if (visible)
            choose_visible(visible);
        for (int k = 0; k < state.total; k++) {
            state.devices[k].ordinal = k;
            pthread_mutex_init(&state.devices[k].lock, NULL);
        }
        state.started = true;
        state.start_error = state.total ? cudaSuccess : cudaErrorNoDevice;
    }
    cudaError_t e = state.start_error;
    pthread_mutex_unlock(&state.lock);
    return e;
}

int cuda_device_total(void)
{
    return state.total;
}

int cuda_current_ordinal(void)
{
    return thread.device;
}

void cuda_set_current(int ordinal)
{
    thread.device = ordinal;
}

static const char *cache_folder(void)
{
    static char path[512];
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && *base)
        snprintf(path, sizeof path, "%s/tern", base);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/tern", home);
    else
        return NULL;
    return path;
}

static cudaError_t open_locked(struct cuda_device *d)
{
    struct dev_host host = {.print = print, .cache_dir = cache_folder()};
    enum tern_error e = rt_open(state.names[d->ordinal], &host, &d->rt, state.why);
    if (e) {
        char text[400];
        snprintf(text, sizeof text, "tern: device '%s': %s\n", state.names[d->ordinal], state.why);
        cuda_say(text);
        return cudaErrorNoDevice;
    }
    e = d->rt.driver->info(d->rt.dev, &d->info);
    if (!e)
        e = d->rt.driver->queue_new(d->rt.dev, &d->legacy.queue);
    if (!e)
        e = d->rt.driver->event_new(d->rt.dev, &d->legacy.tail);
    d->legacy.device = d;
    d->open = !e;
    return e ? (cudaError_t)tern_error_cuda(e) : cudaSuccess;
}

cudaError_t cuda_device_at(int ordinal, struct cuda_device **out)
{
    cudaError_t e = cuda_start();
    if (e != cudaSuccess)
        return e;
    if (ordinal < 0 || ordinal >= state.total)
        return cudaErrorInvalidDevice;
    struct cuda_device *d = &state.devices[ordinal];
    if (!__atomic_load_n(&d->open, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&state.lock);
        if (!d->open)
            e = open_locked(d);
        pthread_mutex_unlock(&state.lock);
    }
    *out = d;
    return e;
}

cudaError_t cuda_current(struct cuda_device **out)
{
    cudaError_t e = cuda_device_at(thread.device, out);
    return e != cudaSuccess ? e : (*out)->sticky;
}

void cuda_close_device(struct cuda_device *d)
{
    pthread_mutex_lock(&state.lock);
    if (d->open) {
        cuda_wait_all(d);
        cuda_modules_free(d);
        cuda_streams_free(d);
        d->rt.driver->event_free(d->legacy.tail);
        d->rt.driver->queue_free(d->legacy.queue);
        rt_close(&d->rt);
        cuda_forget_ranges(d->ordinal);
        d->legacy = (struct CUstream_st){0};
        d->open = false;
    }
    d->sticky = cudaSuccess;
    pthread_mutex_unlock(&state.lock);
}

/* ---- errors ---- */

cudaError_t cuda_return(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        thread.last = e;
    return e;
}

cudaError_t cuda_peek(bool clear)
{
    cudaError_t e = thread.last;
    struct cuda_device *d =
        state.started && thread.device < state.total ? &state.devices[thread.device] : NULL;
    if (e == cudaSuccess && d)
        e = d->sticky;
    if (clear)
        thread.last = cudaSuccess;
    return e;
}

/* Faults of kernels leave the device unusable until it is reset, as in CUDA. */
static bool sticks(enum tern_error e)
{
    switch (e) {
    case TERN_ILLEGAL_ADDRESS:
    case TERN_MISALIGNED:
    case TERN_TRAP:
    case TERN_ASSERT:
    case TERN_TIMEOUT:
    case TERN_DEADLOCK:
    case TERN_STACK_OVERFLOW:
    case TERN_DEVICE_LOST: return true;
    default: return false;
    }
}

cudaError_t cuda_from(struct cuda_device *d, enum tern_error e)
{
    cudaError_t r = (cudaError_t)tern_error_cuda(e);
    if (e && d && sticks(e)) {
        const struct dev_fault *f = d->rt.driver->fault(d->rt.dev);
        if (f && f->message && d->sticky == cudaSuccess) {
            fflush(stdout);
            cuda_say(f->message);
            cuda_say("\n");
        }
        d->sticky = r;
    }
    return r;
}
