// A rank of a job: `job FILE [kill|slowly|stop|full FOLDER]`. Ranks meet by a file that rank 0 writes, and sum; with `kill`,
// rank 2 dies on the way; with `slowly` it takes a minute; with `stop` rank 2 stands still for 16 seconds, as a machine that
// sleeps or whose clock jumps; with `full` rank 2 keeps its results in a folder that has no room, and gives up. What a rank
// has to say it also writes to FILE.RANK.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>
#include <cuda_runtime.h>
#include <nccl.h>
#include "id_file.h"

static FILE *notes;

__global__ void fill(float *x, int n, float v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v;
}

static void say(int rank, int n, const char *what)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (FILE *f : {stdout, notes}) {
        fprintf(f, "rank %d of %d on %s: %s\n", rank, n, host, what);
        fflush(f);
    }
}

// All threads of this process, for 16 seconds: a child wakes it.
static void stand_still()
{
    const pid_t self = getpid();
    if (!fork()) {
        sleep(16);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static bool keep(const std::string &path, const std::vector<float> &h)
{
    FILE *f = fopen(path.c_str(), "wb");
    const bool written = f && fwrite(h.data(), sizeof(float), h.size(), f) == h.size();
    return f && !fclose(f) && written;
}

int main(int argc, char **argv)
{
    const char *number = getenv("SLURM_PROCID"), *tasks = getenv("SLURM_NTASKS");
    if (argc < 2 || !number || !tasks)
        return 2;
    const int rank = atoi(number), n = atoi(tasks);
    const std::string file = argv[1];
    const auto asked = [&](const char *what) { return argc > 2 && !strcmp(argv[2], what); };
    const bool slowly = asked("slowly") || asked("stop");
    const std::string folder = asked("full") && argc > 3 ? argv[3] : "";
    notes = fopen((file + "." + number).c_str(), "w");
    ncclUniqueId id;
    if (!notes)
        return 3;
    if (!id_by_file(file, rank, &id))
        return 3;
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
        std::vector<float> h(count);
        fill<<<count / 256, 256>>>(x, count, (float)(rank + round));
        if (asked("kill") && rank == 2 && round == 3)
            raise(SIGKILL);
        if (asked("stop") && rank == 2 && round == 3)
            stand_still();
        if (!folder.empty() && rank == 2 && round == 3 && !keep(folder + "/results", h)) {
            say(rank, n, strerror(errno));
            ncclCommAbort(c);
            return 6;
        }
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
