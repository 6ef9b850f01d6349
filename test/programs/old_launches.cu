// Launches as programs of before CUDA 4 wrote them, and contexts that are attached: what a function remembers until it is launched.
#include <cuda.h>
#include "check.h"

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 x, .param .u32 a, .param .f32 b)
{
    .reg .b64 %x, %at;
    .reg .b32 %a, %t, %n, %c, %g;
    .reg .f32 %b, %f;
    ld.param.u64 %x, [x];
    ld.param.u32 %a, [a];
    ld.param.f32 %b, [b];
    mov.u32 %t, %tid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %c, %ctaid.x;
    mad.lo.u32 %g, %c, %n, %t;
    mul.wide.u32 %at, %g, 4;
    add.u64 %x, %x, %at;
    add.u32 %a, %a, %g;
    cvt.rn.f32.u32 %f, %a;
    add.f32 %f, %f, %b;
    st.global.f32 [%x], %f;
    ret;
}
)";

int main()
{
    CUcontext context, same, none;
    CUmodule module;
    CUfunction put;
    CUdeviceptr x;
    float h[64] = {};
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuCtxAttach(&none, 0) == CUDA_ERROR_INVALID_CONTEXT); // none is current
    CHECK(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS);
    CHECK(cuCtxAttach(&same, 0) == CUDA_SUCCESS && same == context);
    CHECK(cuCtxAttach(&same, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuCtxDetach(context) == CUDA_SUCCESS); // it lasts: it was attached
    CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&put, module, "put") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&x, sizeof h) == CUDA_SUCCESS);
    CHECK(cuMemsetD8(x, 0, sizeof h) == CUDA_SUCCESS);

    CHECK(cuLaunch(put) == CUDA_ERROR_INVALID_VALUE); // of what shape?
    CHECK(cuFuncSetBlockShape(put, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetBlockShape(put, 16, 1, 1) == CUDA_SUCCESS);
    CHECK(cuFuncSetSharedSize(put, 64) == CUDA_SUCCESS);
    CHECK(cuParamSetSize(put, 1 << 20) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetv(put, -4, &x, sizeof x) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetv(put, 4092, &x, sizeof x) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetv(put, 0, &x, sizeof x) == CUDA_SUCCESS);
    CHECK(cuParamSeti(put, 8, 100) == CUDA_SUCCESS);
    CHECK(cuParamSetf(put, 12, 0.5f) == CUDA_SUCCESS);
    CHECK(cuParamSetSize(put, 16) == CUDA_SUCCESS);
    CHECK(cuLaunchGrid(put, 0, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchGrid(put, 3, 1) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(h, x, sizeof h) == CUDA_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK(h[i] == (i < 48 ? 100.5f + i : 0));

    // What it remembers stays until it is changed; the next launch may be made ready while this one runs.
    CHECK(cuFuncSetBlockShape(put, 8, 1, 1) == CUDA_SUCCESS);
    CHECK(cuLaunch(put) == CUDA_SUCCESS);
    CHECK(cuParamSeti(put, 8, 200) == CUDA_SUCCESS);
    CHECK(cuLaunchGridAsync(put, 1, 1, 0) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(h, x, sizeof h) == CUDA_SUCCESS);
    for (int i = 0; i < 48; i++)
        CHECK(h[i] == (i < 8 ? 200.5f : 100.5f) + i);

    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
    CHECK(cuFuncSetBlockShape(put, 8, 1, 1) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLaunch(put) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemFree(x) == CUDA_SUCCESS);
    CHECK(cuCtxDetach(context) == CUDA_SUCCESS); // the last of it
    CHECK(cuCtxDetach(context) == CUDA_ERROR_INVALID_CONTEXT);
    printf("ok\n");
    return 0;
}
