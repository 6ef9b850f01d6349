// A program that names its ranges for a profiler.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
#include "check.h"

__global__ void one(int *p) { *p = 1; }

static int work()
{
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range range{"work", nvtx3::rgb{1, 2, 3}};
    nvtxEventAttributes_t a = {};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "inside";
    nvtxRangePushEx(&a);
    int *p, got = 0;
    CUDA(cudaMalloc(&p, sizeof *p));
    one<<<1, 1>>>(p);
    CUDA(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(p));
    nvtxRangePop();
    return got;
}

int main()
{
    nvtxNameCudaStream(0, "the default stream");
    nvtxRangeId_t id = nvtxRangeStartA("all");
    nvtxMark("begin");
    CHECK(work() == 1);
    nvtxRangeEnd(id);
    puts("ok");
}
