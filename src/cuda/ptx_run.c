/* tern_ptx_run: a process-wide CPU device and the modules that were run on it. */
#include "tern/ptx_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "cuda/cuda_int.h"

enum { BUCKETS = 1024 };
struct kept {
    struct kept *next;
    uint64_t hash;
    char *text;
    struct rt_module *module;
    const struct rt_kernel *kernel;
};
static struct {
    pthread_mutex_t lock;
    struct tern_context *context;
    struct tern_device *device;
    struct kept *modules[BUCKETS];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void say(void *user, const char *text)
{
    (void)user;
    cuda_say(text);
}

static enum tern_error complain(enum tern_error e, const char *what)
{
    char line[300];
    snprintf(line, sizeof line, "tern: %s: %s\n", what, tern_error_text(e));
    cuda_say(line);
    return e;
}

/* The CPU, or the interpreter where there is no compiler. */
static enum tern_error start(void)
{
    static const char *const names[] = {"cpu", "interp"};
    enum tern_error e = TERN_OK;
    for (unsigned i = 0; i < 2 && !state.device; i++) {
        struct tern_options options = {.devices = names[i], .say = say};
        e = tern_context_new(&options, &state.context);
        if (!e)
            e = device_open(state.context, 0, &state.device);
        if (e) {
            tern_context_free(state.context);
            state.context = NULL;
        }
    }
    return state.device ? TERN_OK : e;
}

static enum tern_error find(const char *ptx, struct kept **out)
{
    const size_t len = strlen(ptx);
    const uint64_t hash = hash_bytes(ptx, len, 0);
    struct kept **bucket = &state.modules[hash % BUCKETS];
    for (*out = *bucket; *out; *out = (*out)->next)
        if ((*out)->hash == hash && !strcmp((*out)->text, ptx))
            return TERN_OK;
    struct kept *k = calloc(1, sizeof *k);
    if (!k || !(k->text = strdup(ptx))) {
        free(k);
        return complain(TERN_OUT_OF_MEMORY, "ptx_run");
    }
    struct rt_source source = {.path = "module.ptx", .text = k->text, .len = len};
    char *log = NULL;
    enum tern_error e = rt_module_build(&state.device->rt, &source, &k->module, &log);
    if (!e && !(k->kernel = rt_module_kernel(k->module, NULL)))
        e = TERN_NOT_FOUND;
    if (e) {
        if (log)
            cuda_say(log);
        complain(e, "ptx_run: the module could not be built");
        rt_module_free(k->module);
        free(k->text);
        free(k);
    } else {
        k->hash = hash;
        k->next = *bucket;
        *bucket = *out = k;
    }
    free(log);
    return e;
}

static enum tern_error run(const struct rt_kernel *k, void **args, struct dev_launch *shape)
{
    _Alignas(16) char params[API_MAX_PARAM_BYTES];
    if (k->param_bytes > sizeof params)
        return complain(TERN_LIMIT, "ptx_run: too many parameters");
    for (uint32_t n = 0; n < k->nparams; n++) {
        if (k->params[n].size > sizeof(void *))
            return complain(TERN_INVALID_ARGUMENT, "ptx_run: a parameter is wider than a pointer");
        memcpy(params + k->params[n].offset, &args[n], k->params[n].size);
    }
    shape->params = params;
    shape->param_bytes = k->param_bytes;
    enum tern_error e = kernel_check(state.device, k, shape);
    struct work w = {
        .kind = WORK_KERNEL, .device = state.device, .kernel = {.kernel = k, .shape = *shape}};
    if (!e)
        e = work_do(&state.device->own, &w);
    if (!e)
        e = device_wait(state.device);
    return e ? complain(e, "ptx_run") : TERN_OK;
}

int tern_ptx_run(const char *ptx, int nargs, void **args, int bx, int by, int bz, int gx, int gy,
                 int gz, int shared_bytes)
{
    struct kept *m;
    if (!ptx || nargs < 0 || (nargs && !args) || bx < 1 || by < 1 || bz < 1 || gx < 1 || gy < 1 ||
        gz < 1 || shared_bytes < 0)
        return TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&state.lock);
    enum tern_error e = state.device ? TERN_OK : start();
    if (!e)
        e = find(ptx, &m);
    if (!e && (uint32_t)nargs != m->kernel->nparams)
        e = complain(TERN_INVALID_ARGUMENT, "ptx_run: not as many arguments as parameters");
    if (!e) {
        struct dev_launch shape = {.grid = {(uint32_t)gx, (uint32_t)gy, (uint32_t)gz},
                                   .block = {(uint32_t)bx, (uint32_t)by, (uint32_t)bz},
                                   .shared = (uint32_t)shared_bytes};
        e = run(m->kernel, args, &shape);
    }
    pthread_mutex_unlock(&state.lock);
    return (int)e;
}
