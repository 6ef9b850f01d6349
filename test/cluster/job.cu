// A rank of a job: `job FILE [kill|slowly]`. Ranks meet by a file that rank 0 writes, and sum; with `kill`, rank 2 dies on
// the way; with `slowly` it takes a minute. What a rank has to say it also writes to FILE.RANK.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>
#include <cuda_runtime.h>
#include <nccl.h>

static FILE *notes;

static void say(int rank, int n, const char *what)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (FILE *f : {stdout, notes}) {
        fprintf(f, "rank %d of %d on %s: %s\n", rank, n, host, what);
        fflush(f);
    }
}

int main(int argc, char **argv)
{
    const char *number = getenv("SLURM_PROCID"), *tasks = getenv("SLURM_NTASKS");
    if (argc < 2 || !number || !tasks)
        return 2;
    const int rank = atoi(number), n = atoi(tasks);
    const std::string file = argv[1], part = file + ".part";
    const bool kill = argc > 2 && !strcmp(argv[2], "kill"), slowly = argc > 2 && !kill;
    notes = fopen((file + "." + number).c_str(), "w");
    ncclUniqueId id;
    if (!notes)
        return 3;
    if (rank == 0) {
        FILE *f = ncclGetUniqueId(&id) == ncclSuccess ? fopen(part.c_str(), "wb") : NULL;
        if (!f || fwrite(&id, sizeof id, 1, f) != 1 || fclose(f) || rename(part.c_str(), file.c_str()))
            return 3;
    } else {
        FILE *f;
        while (!(f = fopen(file.c_str(), "rb")))
            usleep(10000);
        if (fread(&id, sizeof id, 1, f) != 1)
            return 3;
        fclose(f);
    }
    ncclComm_t c;
    float *x;
    const int count = 1 << 20;
    ncclResult_t e = ncclCommInitRank(&c, n, id, rank);
    if (e != ncclSuccess) {
        say(rank, n, "no communicator");
        return 4;
    }
    cudaMalloc(&x, count * sizeof *x);
    for (int round = 0; round < (slowly ? 600 : 5) && e == ncclSuccess; round++) {
        if (round == 1)
            say(rank, n, "started");
        usleep(slowly ? 100000 : 0);
        std::vector<float> h(count, (float)(rank + round));
        cudaMemcpy(x, h.data(), count * sizeof *x, cudaMemcpyHostToDevice);
        if (kill && rank == 2 && round == 3)
            raise(SIGKILL);
        e = ncclAllReduce(x, x, count, ncclFloat, ncclSum, c, 0);
        cudaStreamSynchronize(0);
        if (e == ncclSuccess)
            ncclCommGetAsyncError(c, &e);
        cudaMemcpy(h.data(), x, count * sizeof *x, cudaMemcpyDeviceToHost);
        for (int k = 0; k < count && e == ncclSuccess; k++)
            if (h[k] != (float)(n * (n - 1) / 2 + n * round)) {
                say(rank, n, "wrong");
                return 5;
            }
    }
    say(rank, n, e == ncclSuccess ? "ok" : ncclGetErrorString(e));
    ncclCommDestroy(c);
    return e != ncclSuccess;
}
