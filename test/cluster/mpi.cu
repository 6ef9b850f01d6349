// CUDA-aware MPI: device pointers in MPI calls, beside NCCL whose id travels by MPI. Each rank is a process of mpirun's
// or srun's.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

enum { N = 50021 };
static int errors;

__global__ void fill(double *x, int n, int rank)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = rank + i % 11;
}

static void expect(const char *what, const double *device, double base, double step)
{
    std::vector<double> h(N);
    cudaMemcpy(h.data(), device, N * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        if (h[i] != base + step * (i % 11) && errors++ < 3)
            printf("%s: element %d is %g, not %g\n", what, i, h[i], base + step * (i % 11));
}

int main(int argc, char **argv)
{
    int rank, n;
    double *x, *y, *all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int device = 0, devices = 1;
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    local = local ? local : getenv("SLURM_LOCALID");
    cudaGetDeviceCount(&devices);
    cudaGetDevice(&device);
    if (local && device != atoi(local) % devices && ++errors)
        printf("rank %s of the node has device %d of %d\n", local, device, devices);
    const int next = (rank + 1) % n, before = (rank + n - 1) % n;
    const double sum = n * (n - 1) / 2.0;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&y, N * sizeof *y);
    cudaMalloc(&all, (size_t)n * N * sizeof *all);
    cudaMemset(y, 0, N * sizeof *y);
    fill<<<16, 64>>>(x, N, rank);
    cudaDeviceSynchronize();
    // MPI's calls with pointers of the device.
    MPI_Sendrecv(x, N, MPI_DOUBLE, next, 1, y, N, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect("MPI_Sendrecv", y, before, 1);
    MPI_Allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Allreduce", y, sum, n);
    cudaMemcpy(y, x, N * sizeof *x, cudaMemcpyDeviceToDevice);
    MPI_Allreduce(MPI_IN_PLACE, y, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    expect("in place", y, n - 1, 1);
    MPI_Allgather(x, N, MPI_DOUBLE, all, N, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int k = 0; k < n; k++)
        expect("MPI_Allgather", all + (size_t)k * N, k, 1);
    if (rank == n - 1)
        cudaMemcpy(y, x, N * sizeof *x, cudaMemcpyDeviceToDevice);
    MPI_Bcast(y, N, MPI_DOUBLE, n - 1, MPI_COMM_WORLD);
    expect("MPI_Bcast", y, n - 1, 1);
    MPI_Request r[2];
    MPI_Irecv(y, N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(x, N, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    expect("MPI_Irecv", y, next, 1);
    // NCCL between the same ranks.
    ncclUniqueId id;
    ncclComm_t c;
    if (rank == 0 && ncclGetUniqueId(&id) != ncclSuccess)
        errors++;
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ncclCommInitRank(&c, n, id, rank) != ncclSuccess ||
        ncclAllReduce(x, y, N, ncclDouble, ncclSum, c, 0) != ncclSuccess || cudaStreamSynchronize(0) != cudaSuccess)
        errors++;
    expect("ncclAllReduce", y, sum, n);
    if (ncclCommDestroy(c) != ncclSuccess)
        errors++;
    int total = 0;
    MPI_Allreduce(&errors, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        puts(total ? "wrong" : "ok");
    MPI_Finalize();
    return total != 0;
}
