/* Linked with NVIDIA's name of the library: under `tern exec` it is ours. */
#include <stdio.h>
#include <nccl.h>

int main(void)
{
    ncclComm_t comms[2];
    float *x[2], sum = 0;
    int version = 0;
    if (ncclGetVersion(&version) || version != NCCL_VERSION_CODE || ncclCommInitAll(comms, 2, NULL))
        return 1;
    for (int k = 0; k < 2; k++) {
        const float mine = (float)(3 + k);
        if (cudaSetDevice(k) || cudaMalloc((void **)&x[k], 4) ||
            cudaMemcpy(x[k], &mine, 4, cudaMemcpyHostToDevice))
            return 2;
    }
    if (ncclGroupStart())
        return 3;
    for (int k = 0; k < 2; k++)
        if (ncclAllReduce(x[k], x[k], 1, ncclFloat, ncclSum, comms[k], NULL))
            return 4;
    if (ncclGroupEnd() || cudaMemcpy(&sum, x[1], 4, cudaMemcpyDeviceToHost))
        return 5;
    for (int k = 0; k < 2; k++)
        ncclCommDestroy(comms[k]);
    puts(sum == 7 ? "ok" : "wrong");
    return sum != 7;
}
