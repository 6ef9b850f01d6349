// `stencil processes|tcp|threads N [SIDE [STEPS]]`: heat on a square whose rows the ranks share; after each step each rank
// sends its first and last row to its neighbours. Prints a hash of the result, which is that of one rank to the bit, and
// what all processors spent on the steps: the same for any number of ranks would be an efficiency of 1.
#include <sys/resource.h>
#include "ranks.h"

__global__ void step(const float *from, float *to, int side, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= side || y > rows)
        return;
    const float *at = from + (size_t)y * side + x;
    to[(size_t)y * side + x] =
        x == 0 || x == side - 1 ? *at : *at + 0.2f * (at[-1] + at[1] + at[-side] + at[side] - 4.0f * *at);
}

// A hot spot that is no multiple of anything, and edges that stay as they are.
__global__ void start(float *a, float *b, int side, int first, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < rows + 2)
        a[(size_t)y * side + x] = b[(size_t)y * side + x] =
            (float)((x * 7 + (first + y) * 13) % 101) / 3.0f + (x == side / 3 ? 50.0f : 0.0f);
}

static double spent()
{
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static uint64_t hash(uint64_t h, const std::vector<float> &v)
{
    for (float f : v) {
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        h = (h ^ bits) * 0x100000001b3u;
    }
    return h;
}

struct Part {
    int first, rows; // of the rows between the edges
};

static Part part(int side, int n, int rank)
{
    const int all = side - 2, first = (int)((int64_t)all * rank / n);
    return {first, (int)((int64_t)all * (rank + 1) / n) - first};
}

int main(int argc, char **argv)
{
    const int side = argc > 3 ? atoi(argv[3]) : 300, steps = argc > 4 ? atoi(argv[4]) : 40;
    return run_ranks(argc, argv, [&](Rank &r) {
        const Part p = part(side, r.n, r.rank);
        const size_t row = (size_t)side, bytes = (p.rows + 2) * row * sizeof(float);
        const dim3 block(64, 4), grid((side + 63) / 64, (p.rows + 5) / 4);
        ncclComm_t c;
        cudaStream_t s;
        float *a, *b;
        double *cpu;
        NCCL(ncclCommInitRank(&c, r.n, r.id, r.rank));
        CUDA(cudaStreamCreate(&s));
        CUDA(cudaMalloc(&a, bytes));
        CUDA(cudaMalloc(&b, bytes));
        CUDA(cudaMalloc(&cpu, sizeof *cpu));
        start<<<grid, block, 0, s>>>(a, b, side, p.first, p.rows);
        const auto advance = [&](int times) {
            for (int k = 0; k < times; k++) {
                step<<<grid, block, 0, s>>>(a, b, side, p.rows);
                NCCL(ncclGroupStart());
                if (r.rank > 0) {
                    NCCL(ncclSend(b + row, row, ncclFloat, r.rank - 1, c, s));
                    NCCL(ncclRecv(b, row, ncclFloat, r.rank - 1, c, s));
                }
                if (r.rank < r.n - 1) {
                    NCCL(ncclSend(b + p.rows * row, row, ncclFloat, r.rank + 1, c, s));
                    NCCL(ncclRecv(b + (p.rows + 1) * row, row, ncclFloat, r.rank + 1, c, s));
                }
                NCCL(ncclGroupEnd());
                std::swap(a, b);
            }
            CUDA(cudaStreamSynchronize(s));
        };
        advance(2); // compiles, connects
        const double before = spent();
        advance(steps - 2);
        double took = spent() - before;
        CUDA(cudaMemcpy(cpu, &took, sizeof took, cudaMemcpyHostToDevice));
        NCCL(ncclAllReduce(cpu, cpu, 1, ncclDouble, ncclSum, c, s));
        // Rank 0 gets all rows, in order.
        uint64_t h = 0xcbf29ce484222325u;
        for (int from = 0; from < r.n; from++) {
            const Part other = part(side, r.n, from);
            float *rows = NULL;
            if (from == r.rank && from)
                NCCL(ncclSend(a + row, p.rows * row, ncclFloat, 0, c, s));
            if (r.rank == 0) {
                std::vector<float> host(other.rows * row);
                CUDA(cudaMalloc(&rows, host.size() * sizeof(float)));
                if (from)
                    NCCL(ncclRecv(rows, host.size(), ncclFloat, from, c, s));
                CUDA(cudaStreamSynchronize(s));
                CUDA(cudaMemcpy(host.data(), from ? rows : a + row, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
                h = hash(h, host);
                CUDA(cudaFree(rows));
            }
        }
        CUDA(cudaStreamSynchronize(s));
        CUDA(cudaMemcpy(&took, cpu, sizeof took, cudaMemcpyDeviceToHost));
        if (r.rank == 0)
            printf("hash %016llx\nprocessors %.1f ms\n", (unsigned long long)h, 1e3 * took);
        fflush(stdout);
        NCCL(ncclCommDestroy(c));
        CUDA(cudaFree(a));
        CUDA(cudaFree(b));
        CUDA(cudaFree(cpu));
        CUDA(cudaStreamDestroy(s));
    });
}
