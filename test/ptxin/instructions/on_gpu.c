/* Runs kernels of instructions.py with NVIDIA's own driver and prints what `tern run` would: a
 * check of the tests themselves.  on_gpu FILE.ptx COUNT  (COUNT results of 64 bits) */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *entry(const char *name)
{
    void *f = dlsym(library, name);
    if (!f)
        exit(2);
    return f;
}

static void must(const char *what, int error)
{
    if (error) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || argc < 3)
        return 2;
    int (*init)(unsigned) = (int (*)(unsigned))entry("cuInit");
    int (*get)(int *, int) = (int (*)(int *, int))entry("cuDeviceGet");
    int (*retain)(void **, int) = (int (*)(void **, int))entry("cuDevicePrimaryCtxRetain");
    int (*current)(void *) = (int (*)(void *))entry("cuCtxSetCurrent");
    int (*load)(void **, const void *) = (int (*)(void **, const void *))entry("cuModuleLoadData");
    int (*function)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))entry("cuModuleGetFunction");
    int (*alloc)(uint64_t *, size_t) = (int (*)(uint64_t *, size_t))entry("cuMemAlloc_v2");
    int (*back)(void *, uint64_t, size_t) =
        (int (*)(void *, uint64_t, size_t))entry("cuMemcpyDtoH_v2");
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **) =
        (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 void *, void **, void **))entry("cuLaunchKernel");
    FILE *f = fopen(argv[1], "rb");
    static char text[1 << 23];
    size_t count = strtoul(argv[2], NULL, 10);
    if (!f || !fread(text, 1, sizeof text - 1, f))
        return 2;
    void *context, *module, *kernel;
    int device;
    uint64_t out, *result = calloc(count, 8);
    must("init", init(0));
    must("device", get(&device, 0));
    must("context", retain(&context, device));
    must("current", current(context));
    must("load", load(&module, text));
    must("function", function(&kernel, module, "t"));
    must("alloc", alloc(&out, count * 8));
    void *args[] = {&out};
    must("launch", launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    must("result", back(result, out, count * 8));
    printf("arg 0 u64[%zu]:", count);
    for (size_t i = 0; i < count; i++)
        printf(" %llu", (unsigned long long)result[i]);
    printf("  sum 0\n");
    return 0;
}
