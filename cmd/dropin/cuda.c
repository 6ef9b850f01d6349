/* libcuda.so.1: libtern.so under the driver's name. `tern_dropin` keeps our own search for NVIDIA's
 * driver from finding this.
 *
 * A CUDA runtime that is part of the program (nvcc's default), and that static.c could not replace,
 * finds the driver's functions by cuGetProcAddress, and then asks for tables of functions that have
 * no names. What they do is not told anywhere, so it is refused, and why it was not replaced is
 * told. */
#include <stdbool.h>
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

/* Is asked for several tables, and tells it once. */
static int refuse_runtime(const char *file)
{
    static bool told;
    char line[4600];
    bool (*has_symbols)(const char *);
    void *f = dlsym(RTLD_DEFAULT, "tern_static_has_symbols");
    memcpy(&has_symbols, &f, sizeof f);
    const char *why = !f                  ? "only `tern exec` puts ours in its place"
                      : has_symbols(file) ? "it was loaded by dlopen, after the program began"
                                          : "its symbols were stripped, so that it cannot be told "
                                            "where the runtime's functions are";
    const int n =
        snprintf(line, sizeof line,
                 "tern: %s brings its own CUDA runtime, which stays in place: %s. Link it "
                 "with the shared one (nvcc -cudart shared)\n",
                 file, why);
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED) &&
        write(STDERR_FILENO, line, (size_t)n) < 0)
        return ERROR_INVALID_VALUE;
    return ERROR_NOT_FOUND;
}

/* NVRTC asks for a table, too, and does without. */
int cuGetExportTable(const void **table, const unsigned char *id)
{
    Dl_info from;
    *table = NULL;
    (void)id;
    const char *file = dladdr(__builtin_return_address(0), &from) ? from.dli_fname : "";
    const char *slash = strrchr(file, '/');
    if (!strncmp(slash ? slash + 1 : file, "libnvrtc", 8))
        return ERROR_NOT_FOUND;
    return refuse_runtime(file);
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
