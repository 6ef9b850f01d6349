/* Sizes and places of what CUPTI's records hold, by the header that is named: ours, or CUDA's. */
#include <stddef.h>
#include <stdio.h>
#include CUPTI_HEADER
#define SIZE(t)     printf(#t " %zu\n", sizeof(t));
#define PLACE(t, f) printf(#t "." #f " %zu\n", offsetof(t, f));
int main(void)
{
    SIZE(CUpti_SubscriberParams)
    PLACE(CUpti_SubscriberParams, oldSubscriberSize)
    SIZE(CUpti_ActivityKernel10)
    PLACE(CUpti_ActivityKernel10, start)
    PLACE(CUpti_ActivityKernel10, correlationId)
    PLACE(CUpti_ActivityKernel10, name)
    PLACE(CUpti_ActivityKernel10, graphNodeId)
    PLACE(CUpti_ActivityKernel10, channelID)
    PLACE(CUpti_ActivityKernel10, isDeviceLaunched)
    SIZE(CUpti_ActivityMemcpy6)
    PLACE(CUpti_ActivityMemcpy6, correlationId)
    PLACE(CUpti_ActivityMemcpy6, copyCount)
    SIZE(CUpti_ActivityMemset4)
    PLACE(CUpti_ActivityMemset4, memoryKind)
    PLACE(CUpti_ActivityMemset4, graphId)
    SIZE(CUpti_ActivityAPI)
    PLACE(CUpti_ActivityAPI, returnValue)
    SIZE(CUpti_ActivityMemory4)
    PLACE(CUpti_ActivityMemory4, name)
    PLACE(CUpti_ActivityMemory4, source)
    SIZE(CUpti_ActivityMarker2)
    PLACE(CUpti_ActivityMarker2, objectId)
    PLACE(CUpti_ActivityMarker2, name)
    SIZE(CUpti_ActivityExternalCorrelation)
    SIZE(CUpti_CallbackData)
    PLACE(CUpti_CallbackData, correlationId)
    /* how many kinds there are grows with each version */
    printf("%d %d\n", CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    return 0;
}
