// How long an all-reduce of floats takes, with NCCL and with MPI, in one run and by turns: `mpirun -np 4 speed [ROUNDS]`.
// Prints a line for each size: bytes; of the medians over rounds of the slowest rank, microseconds of each and MPI's over
// NCCL's; the same of the best rounds, which other programs disturb least.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

static double best(const std::vector<double> &v)
{
    return *std::min_element(v.begin(), v.end());
}

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int rounds = argc > 1 ? atoi(argv[1]) : 9;
    const size_t most = (size_t)64 << 20;
    ncclUniqueId id;
    ncclComm_t c;
    float *x, *y;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ncclCommInitRank(&c, n, id, rank) != ncclSuccess)
        MPI_Abort(MPI_COMM_WORLD, 1);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&x, most);
    cudaMalloc(&y, most);
    cudaMemset(x, 0, most);
    cudaMemset(y, 0, most);
    for (size_t bytes = 1 << 10; bytes <= most; bytes *= 4) {
        const size_t count = bytes / sizeof(float);
        const int times = bytes <= 1 << 16 ? 50 : bytes <= 1 << 20 ? 10 : 2;
        std::vector<double> took[2];
        for (int r = 0; r < 2 * rounds; r++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double t = MPI_Wtime(), slowest;
            for (int k = 0; k < times; k++)
                if (r % 2)
                    MPI_Allreduce(x, y, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
                else
                    ncclAllReduce(x, y, count, ncclFloat, ncclSum, c, s);
            if (r % 2 == 0)
                cudaStreamSynchronize(s);
            t = (MPI_Wtime() - t) / times;
            MPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            took[r % 2].push_back(slowest);
        }
        if (rank == 0)
            printf("%9zu  %10.1f  %10.1f  %.2f  best %10.1f  %10.1f  %.2f\n", bytes, 1e6 * median(took[0]),
                   1e6 * median(took[1]), median(took[1]) / median(took[0]), 1e6 * best(took[0]), 1e6 * best(took[1]),
                   best(took[1]) / best(took[0]));
        fflush(stdout);
    }
    ncclCommDestroy(c);
    MPI_Finalize();
}
