/* The driver API for programs whose default stream is each thread's own: functions whose names end
 * in _ptsz or _ptds, which cuGetProcAddress gives, too, where it is asked for them. */
#include <string.h>
#include "cuda/driver_int.h"

#define OWN(s) ((s) ? (s) : CU_STREAM_PER_THREAD)
#define NAME(name, end, params, args)                                                              \
    CUresult name##end params;                                                                     \
    CUresult name##end params                                                                      \
    {                                                                                              \
        return name args;                                                                          \
    }
#define PTDS(name, params, args) NAME(name, _ptds, params, args)
#define PTSZ(name, params, args) NAME(name, _ptsz, params, args)
#include "cuda/driver_per_thread.def"
#undef PTDS
#undef PTSZ

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params,
                               void **extra);
CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params);

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params,
                               void **extra)
{
    if (!config)
        return cuLaunchKernelEx(config, f, params, extra);
    CUlaunchConfig own = *config;
    own.hStream = OWN(own.hStream);
    return cuLaunchKernelEx(&own, f, params, extra);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (!params)
        return cuGraphInstantiateWithParams(exec, graph, params);
    const CUstream given = params->hUploadStream;
    params->hUploadStream = OWN(given);
    const CUresult r = cuGraphInstantiateWithParams(exec, graph, params);
    params->hUploadStream = given;
    return r;
}

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name
static const struct {
    const char *symbol;
    void (*function)(void);
} twins[] = {
#define PTDS(name, params, args) {TEXT(name), (void (*)(void))name##_ptds},
#define PTSZ(name, params, args) {TEXT(name), (void (*)(void))name##_ptsz},
#include "cuda/driver_per_thread.def"
    {TEXT(cuLaunchKernelEx), (void (*)(void))cuLaunchKernelEx_ptsz},
    {TEXT(cuGraphInstantiateWithParams), (void (*)(void))cuGraphInstantiateWithParams_ptsz},
};

void driver_per_thread(const char *symbol, void **function)
{
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
        if (!strcmp(twins[k].symbol, symbol))
            memcpy(function, &twins[k].function, sizeof *function);
}
