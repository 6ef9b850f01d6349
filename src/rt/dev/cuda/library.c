/* Finds NVIDIA's driver library, and knows its errors. */
#include <dlfcn.h>
#include <string.h>
#include "rt/dev/cuda/nvidia_int.h"

/* ---- errors ---- */
static const struct error_row {
    nv_result number;
    const char *name;
    enum tern_error error;
    bool sticky;
} errors[] = {
    {0, "CUDA_SUCCESS", TERN_OK, false},
#define CUDA_ERROR(number, name, ours, sticky) {number, "CUDA_ERROR_" #name, TERN_##ours, sticky},
#include "rt/dev/cuda/errors.def"
};

static const struct error_row *row(nv_result r)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == r)
            return &errors[k];
    return NULL;
}

const char *nv_error_name(nv_result r)
{
    const struct error_row *e = row(r);
    return e ? e->name : "an error unknown to us";
}

enum tern_error nv_error(nv_result r)
{
    const struct error_row *e = row(r);
    return e ? e->error : TERN_DRIVER;
}

bool nv_is_sticky(nv_result r)
{
    const struct error_row *e = row(r);
    return e && e->sticky;
}

/* ---- the library ---- */
#if defined(_WIN32)
static const char *const names[] = {"nvcuda.dll"};
#elif defined(__APPLE__)
static const char *const names[] = {NULL}; /* there is no driver for macOS */
#else
static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
#endif

static bool resolve(struct nv_api *api, const char **why)
{
    struct {
        const char *symbol;
        void *slot;
        bool optional;
    } calls[] = {
#define CUDA_CALL(name, symbol, parameters)     {symbol, &api->name, false},
#define CUDA_OPTIONAL(name, symbol, parameters) {symbol, &api->name, true},
#include "rt/dev/cuda/calls.def"
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        void *f = dlsym(api->library, calls[k].symbol);
        if (!f && !calls[k].optional) {
            *why = "the NVIDIA driver is older than CUDA 11.8, or is not whole";
            return false;
        }
        memcpy(calls[k].slot, &f, sizeof f);
    }
    return true;
}

bool nv_find(struct nv_api *api, const char **why)
{
    *api = (struct nv_api){0};
    for (size_t k = 0; k < sizeof names / sizeof *names && !api->library; k++)
        if (names[k]) {
            api->library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
            if (api->library && dlsym(api->library, "tern_dropin")) { /* ourselves: `tern exec` */
                dlclose(api->library);
                api->library = NULL;
            }
        }
    if (!api->library) {
        *why = "no NVIDIA driver (libcuda.so.1) is installed";
        return false;
    }
    /* the version first: an old driver lacks symbols, and that should not be the message */
    nv_result (*version)(int *);
    void *f = dlsym(api->library, "cuDriverGetVersion");
    memcpy(&version, &f, sizeof f);
    if (!f || version(&api->version) || api->version < CUDA_MINIMUM_VERSION) {
        *why = "the NVIDIA driver is older than CUDA 11.8 (driver 520)";
        nv_drop(api);
        return false;
    }
    if (!resolve(api, why)) {
        nv_drop(api);
        return false;
    }
    nv_result r = api->init(0);
    if (r) {
        *why = r == 100 ? "the NVIDIA driver finds no GPU" : "the NVIDIA driver does not start";
        nv_drop(api);
        return false;
    }
    return true;
}

void nv_drop(struct nv_api *api)
{
    if (api->library)
        dlclose(api->library);
    *api = (struct nv_api){0};
}
