// OPTIONS: -lnppif -lnppial -lnppc
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// NPP's labels, distances, gradients, Canny's edges and tables.
#include "npp_regions.h"
using namespace regions;
#ifndef NV_NPPIDEFS_H
#error programs ask by this name whether NPP's statuses are known
#endif
static_assert(NPP_NOT_SUFFICIENT_COMPUTE_CAPABILITY == -1027 && NPP_STRIDE_ERROR == -37 && NPP_SUCCESS == 0 && NPP_MISALIGNED_DST_ROI_WARNING == 10000, "as NVIDIA's");

#define BOTH(name) #name, name, name##_Ctx
int main()
{
    labels<Npp8u>(BOTH(nppiLabelMarkersUF_8u32u_C1R));
    labels<Npp16u>(BOTH(nppiLabelMarkersUF_16u32u_C1R));
    labels<Npp32u>(BOTH(nppiLabelMarkersUF_32u_C1R));
    compress(BOTH(nppiCompressMarkerLabelsUF_32u_C1IR));
    distance<Npp16u>(BOTH(nppiDistanceTransformPBA_8u16u_C1R));
    distance<Npp32f>(BOTH(nppiDistanceTransformPBA_8u32f_C1R));
    gradient("nppiGradientVectorPrewittBorder", prewitt, nppiGradientVectorPrewittBorder_8u16s_C1R, nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx);
    gradient("nppiGradientVectorScharrBorder", scharr, nppiGradientVectorScharrBorder_8u16s_C1R, nppiGradientVectorScharrBorder_8u16s_C1R_Ctx);
    gradient("nppiGradientVectorSobelBorder", sobel, nppiGradientVectorSobelBorder_8u16s_C1R, nppiGradientVectorSobelBorder_8u16s_C1R_Ctx);
    gradient("nppiGradientVectorSobelBorder 5x5", wide, nppiGradientVectorSobelBorder_8u16s_C1R, nppiGradientVectorSobelBorder_8u16s_C1R_Ctx);
    canny(BOTH(nppiFilterCannyBorder_8u_C1R));
    table<Npp8u, Npp32s>("nppiLUT_8u_C1R", false, nppiLUT_8u_C1R, nppiLUT_8u_C1R_Ctx);
    table<Npp16u, Npp32s>("nppiLUT_Linear_16u_C1R", true, nppiLUT_Linear_16u_C1R, nppiLUT_Linear_16u_C1R_Ctx);
    table<Npp16s, Npp32s>("nppiLUT_Linear_16s_C1R", true, nppiLUT_Linear_16s_C1R, nppiLUT_Linear_16s_C1R_Ctx);
    table<Npp32f, Npp32f>("nppiLUT_Linear_32f_C1R", true, nppiLUT_Linear_32f_C1R, nppiLUT_Linear_32f_C1R_Ctx);
    int bytes = 0;
    size_t more = 0;
    NPP(nppiLabelMarkersUFGetBufferSize_32u_C1R(size, &bytes));
    NPP(nppiCompressMarkerLabelsGetBufferSize_32u_C1R(W * H, &bytes));
    NPP(nppiFilterCannyBorderGetBufferSize(size, &bytes));
    NPP(nppiDistanceTransformPBAGetBufferSize(size, &more));
    CHECK(bytes > 0 && more > 0 && nppiFilterCannyBorderGetBufferSize(size, nullptr) == NPP_NULL_POINTER_ERROR);
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    CHECK((int)nppGetMaxThreadsPerBlock() == device.maxThreadsPerBlock && (int)nppGetMaxThreadsPerSM() == device.maxThreadsPerMultiProcessor);
    puts("ok");
}
