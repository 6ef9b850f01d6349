// `moves tcp|processes N BYTES TIMES`: so many all-reduces, for tests that count what they send.
#include "ranks.h"

int main(int argc, char **argv)
{
    const size_t bytes = argc > 3 ? strtoull(argv[3], NULL, 10) : 1 << 20;
    const int times = argc > 4 ? atoi(argv[4]) : 1;
    return run_ranks(argc, argv, [&](Rank &r) {
        ncclComm_t c;
        float *x;
        NCCL(ncclCommInitRank(&c, r.n, r.id, r.rank));
        CUDA(cudaMalloc(&x, bytes));
        CUDA(cudaMemset(x, 0, bytes));
        for (int k = 0; k < times; k++)
            NCCL(ncclAllReduce(x, x, bytes / sizeof *x, ncclFloat, ncclSum, c, 0));
        CUDA(cudaStreamSynchronize(0));
        ncclResult_t e;
        NCCL(ncclCommGetAsyncError(c, &e));
        if (e != ncclSuccess)
            r.wrong("the communicator's error", 0, e, 0);
        NCCL(ncclCommDestroy(c));
    });
}
