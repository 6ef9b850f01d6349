/* A program of the driver API: PTX and a fat binary, by cuModuleLoadData. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        CUresult e_ = (call);                                                                      \
        if (e_ != CUDA_SUCCESS)                                                                    \
            return printf("%s: %d\n", #call, (int)e_), 1;                                          \
    } while (0)

int main(int argc, char **argv)
{
    static char image[1 << 20];
    CUdevice device;
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    for (int k = 1; k < argc; k++) {
        FILE *f = fopen(argv[k], "rb");
        size_t n = f ? fread(image, 1, sizeof image - 1, f) : 0;
        image[n] = 0;
        CUmodule module;
        CUfunction kernel;
        CUdeviceptr p;
        float in[100], out[100];
        int count = 100;
        for (int i = 0; i < 100; i++)
            in[i] = (float)i;
        MUST(cuModuleLoadData(&module, image));
        MUST(cuModuleGetFunction(&kernel, module, "twice"));
        MUST(cuMemAlloc(&p, sizeof in));
        MUST(cuMemcpyHtoD(p, in, sizeof in));
        void *args[] = {&p, &count};
        MUST(cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
        MUST(cuMemcpyDtoH(out, p, sizeof out));
        for (int i = 0; i < 100; i++)
            if (out[i] != 2 * in[i] + 1)
                return printf("%s: out[%d] is %g\n", argv[k], i, (double)out[i]), 1;
        MUST(cuMemFree(p));
        MUST(cuModuleUnload(module));
    }
    puts("ok");
    return 0;
}
