// Two ranks on two machines (or network namespaces): what an all-reduce moves over the line between them, beside what
// plain TCP moves there, both ways at once. `line FILE RANK ADDRESS-OF-RANK-0 [BYTES]`; FILE is where they meet. Rank 0
// prints GB/s of each, by turns in one run, and the ratio of the medians and of the best; and of what its processor spent, which
// says more where other programs run beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include "id_file.h"

enum { ROUNDS = 9 };

static double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double spent() // by this process, in user and in kernel mode
{
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int meet(bool first, const char *address)
{
    sockaddr_in a = {};
    a.sin_family = AF_INET;
    a.sin_port = htons(47511);
    inet_pton(AF_INET, address, &a.sin_addr);
    int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (first) {
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(s, (sockaddr *)&a, sizeof a) || listen(s, 1))
            return -1;
        return accept(s, NULL, NULL);
    }
    while (connect(s, (sockaddr *)&a, sizeof a)) {
        usleep(20000);
        close(s);
        s = socket(AF_INET, SOCK_STREAM, 0);
    }
    return s;
}

static void all(int fd, char *data, size_t n, bool out)
{
    while (n) {
        const ssize_t k = out ? send(fd, data, n, 0) : recv(fd, data, n, 0);
        if (k <= 0)
            exit(4);
        data += k;
        n -= (size_t)k;
    }
}

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
    if (argc < 4)
        return 2;
    const std::string file = argv[1];
    const int rank = atoi(argv[2]);
    const size_t bytes = argc > 4 ? strtoull(argv[4], NULL, 10) : (size_t)16 << 20;
    ncclUniqueId id;
    if (!id_by_file(file, rank, &id))
        return 3;
    ncclComm_t c;
    float *x;
    const int fd = meet(rank == 0, argv[3]);
    if (fd < 0 || ncclCommInitRank(&c, 2, id, rank) != ncclSuccess || cudaMalloc(&x, bytes) != cudaSuccess)
        return 3;
    cudaMemset(x, 0, bytes);
    std::vector<char> out(bytes), in(bytes);
    std::vector<double> took[2];
    double cpu[2] = {0, 0};
    char byte = 0;
    for (int r = 0; r < 2 * ROUNDS; r++) {
        all(fd, &byte, 1, true);
        all(fd, &byte, 1, false);
        const double start = now(), before = spent();
        if (r % 2) { // as much as an all-reduce of two ranks sends: half of it, twice
            std::thread t([&] { all(fd, out.data(), bytes, true); });
            all(fd, in.data(), bytes, false);
            t.join();
        } else {
            ncclAllReduce(x, x, bytes / sizeof *x, ncclFloat, ncclSum, c, 0);
            cudaStreamSynchronize(0);
        }
        took[r % 2].push_back(now() - start);
        if (r > 1) // the first of each makes connections and touches memory
            cpu[r % 2] += spent() - before;
    }
    ncclResult_t e;
    ncclCommGetAsyncError(c, &e);
    if (rank == 0)
        printf("%zu bytes each way: all-reduce %.2f GB/s, TCP %.2f GB/s, ratio %.2f, of the best %.2f; "
               "processor %.1f and %.1f ms, ratio %.2f\n",
               bytes,
               (double)bytes / median(took[0]) / 1e9, (double)bytes / median(took[1]) / 1e9,
               median(took[1]) / median(took[0]), best(took[1]) / best(took[0]), 1e3 * cpu[0] / (ROUNDS - 1), 1e3 * cpu[1] / (ROUNDS - 1),
               cpu[1] / cpu[0]);
    ncclCommDestroy(c);
    return e != ncclSuccess;
}
