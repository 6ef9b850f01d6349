/* Tern's own C API: a kernel in CUDA C++, compiled and run on the best device of the machine.
 *
 *     cc -Iinclude examples/saxpy.c build/libtern.a -lm -lpthread -ldl -o saxpy
 *     ./saxpy          or: TERN_DEVICES=cpu ./saxpy */
#include <stdio.h>
#include <stdlib.h>
#include "tern/tern.h"

static const char source[] =
    "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "}\n";

static tern_context *context;

static void check(enum tern_error e, const char *what)
{
    if (!e)
        return;
    char message[500] = "";
    if (context)
        tern_message(context, message, sizeof message);
    fprintf(stderr, "%s: %s\n%s\n", what, tern_error_text(e), message);
    exit(1);
}

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }

    tern_device *device;
    tern_module *module;
    tern_kernel *saxpy;
    tern_buffer *bx, *by;
    struct tern_device_info info;
    check(tern_context_new(NULL, &context), "context");
    check(tern_context_device(context, 0, &device), "device");
    check(tern_device_info(device, &info), "info");
    check(
        tern_module_new(device, &(struct tern_source){.path = "saxpy.cu", .text = source}, &module),
        "module");
    check(tern_module_kernel(module, "saxpy", &saxpy), "kernel");
    check(tern_buffer_new(device, sizeof x, &bx), "buffer");
    check(tern_buffer_new(device, sizeof y, &by), "buffer");
    check(tern_buffer_write(bx, 0, x, sizeof x), "write");
    check(tern_buffer_write(by, 0, y, sizeof y), "write");

    int n = N;
    float a = 2;
    uint64_t px = tern_buffer_address(bx), py = tern_buffer_address(by);
    check(tern_launch(NULL, saxpy, (tern_dim){(N + 255) / 256}, (tern_dim){256}, 0,
                      (void *[]){&n, &a, &px, &py}),
          "launch");
    check(tern_buffer_read(by, 0, y, sizeof y), "read");

    for (int i = 0; i < N; i++)
        if (y[i] != 2 * (float)i + 1) {
            fprintf(stderr, "y[%d] is %g\n", i, y[i]);
            return 1;
        }
    printf("%d elements are right on %s\n", N, info.name);
    tern_buffer_free(bx);
    tern_buffer_free(by);
    tern_module_free(module);
    tern_context_free(context);
    return 0;
}
