/* libcuda.so.1: libtern.so under the driver's name. `tern_dropin` keeps our own search for NVIDIA's
 * driver from finding this.
 *
 * A CUDA runtime that is part of the program (nvcc's default) finds the driver's functions by
 * cuGetProcAddress, and then asks for tables of functions that have no names. What they do is not
 * told anywhere, so it is refused, by the table's number. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    ERROR_INVALID_VALUE = 1,
    ERROR_NOT_FOUND = 500,
    ERROR_NOT_SUPPORTED = 801,
    VERSION = 13000
};

extern const int tern_dropin;
const int tern_dropin = 1;
int cuDriverGetVersion(int *version);
int cuGetExportTable(const void **table, const unsigned char *id);
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
int cuCtxCreate_v4(void **context, void *params, unsigned flags, int device);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuEventElapsedTime(float *ms, void *start, void *end);
int cuEventElapsedTime_v2(float *ms, void *start, void *end);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);

/* No runtime that there is asks for more. */
int cuDriverGetVersion(int *version)
{
    if (!version)
        return ERROR_INVALID_VALUE;
    *version = VERSION;
    return SUCCESS;
}

/* Names that CUDA 13's header uses. */
int cuCtxCreate_v4(void **context, void *params, unsigned flags, int device)
{
    return params ? ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

int cuEventElapsedTime_v2(float *ms, void *start, void *end)
{
    return cuEventElapsedTime(ms, start, end);
}

/* NVRTC asks for a table, too, and does without. */
int cuGetExportTable(const void **table, const unsigned char *id)
{
    char line[256];
    Dl_info from;
    *table = NULL;
    const char *file = dladdr(__builtin_return_address(0), &from) ? from.dli_fname : "";
    const char *slash = strrchr(file, '/');
    if (!strncmp(slash ? slash + 1 : file, "libnvrtc", 8))
        return ERROR_NOT_FOUND;
    int n = snprintf(line, sizeof line,
                     "tern: the program brings its own CUDA runtime, which asks "
                     "the driver for the private table ");
    for (unsigned k = 0; k < 16; k++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s%02x",
                      k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", id[k]);
    n += snprintf(line + n, sizeof line - (size_t)n,
                  ": link it with the shared one (nvcc -cudart shared)\n");
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        return ERROR_INVALID_VALUE;
    return ERROR_NOT_FOUND;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } own[] = {{"cuDriverGetVersion", (void (*)(void))cuDriverGetVersion},
               {"cuGetExportTable", (void (*)(void))cuGetExportTable},
               {"cuGetProcAddress", (void (*)(void))cuGetProcAddress_v2}};
    int (*ours)(const char *, void **, int, uint64_t, int *);
    void *f = dlsym(RTLD_NEXT, "cuGetProcAddress_v2");
    if (!name || !function || !f)
        return ERROR_INVALID_VALUE;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!strcmp(name, own[k].name)) {
            memcpy(function, &own[k].function, sizeof *function);
            if (status)
                *status = 0;
            return SUCCESS;
        }
    memcpy(&ours, &f, sizeof f);
    return ours(name, function, version, flags, status);
}

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
