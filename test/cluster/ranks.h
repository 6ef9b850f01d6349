// Starts ranks, as threads of this process or as processes of their own, and collects what went
// wrong.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <unistd.h>
#include <vector>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cuda_runtime.h>
#include <nccl.h>

#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));          \
            fflush(stdout);                                                                        \
            _exit(3);                                                                              \
        }                                                                                          \
    } while (0)
#define NCCL(call)                                                                                 \
    do {                                                                                           \
        ncclResult_t e_ = (call);                                                                  \
        if (e_ != ncclSuccess) {                                                                   \
            printf("%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, ncclGetErrorString(e_),      \
                   ncclGetLastError(NULL));                                                        \
            fflush(stdout);                                                                        \
            _exit(3);                                                                              \
        }                                                                                          \
    } while (0)

struct Rank {
    int rank, n;
    ncclUniqueId id;
    int errors = 0;

    void wrong(const char *what, size_t at, double got, double want)
    {
        if (errors++ < 5) {
            printf("rank %d: %s: element %zu is %g, not %g\n", rank, what, at, got, want);
            fflush(stdout);
        }
    }
};

// Rank k uses device k where there are so many.
inline void own_device(int rank)
{
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    CUDA(cudaSetDevice(rank % devices));
}

inline int run_threads(int n, const std::function<void(Rank &)> &body)
{
    std::vector<Rank> ranks(n);
    std::vector<std::thread> threads;
    int errors = 0;
    ncclUniqueId id;
    NCCL(ncclGetUniqueId(&id));
    for (int k = 0; k < n; k++) {
        ranks[k].rank = k;
        ranks[k].n = n;
        ranks[k].id = id;
        threads.emplace_back([&, k] {
            own_device(k);
            body(ranks[k]);
        });
    }
    for (auto &t : threads)
        t.join();
    for (auto &r : ranks)
        errors += r.errors;
    return errors;
}

// The id goes through memory that the processes share. Nothing of CUDA is called before the fork.
inline int run_processes(int n, const std::function<void(Rank &)> &body)
{
    struct Board {
        volatile int ready;
        ncclUniqueId id;
    };
    Board *board = (Board *)mmap(NULL, sizeof(Board), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::vector<pid_t> children;
    int failed = 0;
    fflush(stdout);
    for (int k = 0; k < n; k++) {
        pid_t p = fork();
        if (p == 0) {
            Rank r;
            r.rank = k;
            r.n = n;
            own_device(k);
            if (k == 0) {
                NCCL(ncclGetUniqueId(&board->id));
                __atomic_store_n(&board->ready, 1, __ATOMIC_RELEASE);
            }
            while (!__atomic_load_n(&board->ready, __ATOMIC_ACQUIRE))
                usleep(1000);
            r.id = board->id;
            body(r);
            fflush(stdout);
            _exit(r.errors ? 1 : 0);
        }
        children.push_back(p);
    }
    for (pid_t p : children) {
        int status;
        waitpid(p, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            printf("a rank ended with status %x\n", status);
            failed++;
        }
    }
    return failed;
}

// "threads", "processes" or "tcp" (processes that share no memory), and how many ranks.
inline int run_ranks(int argc, char **argv, const std::function<void(Rank &)> &body)
{
    const char *how = argc > 1 ? argv[1] : "threads";
    const int n = argc > 2 ? atoi(argv[2]) : 4;
    if (!strcmp(how, "tcp"))
        setenv("NCCL_SHM_DISABLE", "1", 1);
    const int errors = strcmp(how, "threads") ? run_processes(n, body) : run_threads(n, body);
    puts(errors ? "wrong" : "ok");
    return errors != 0;
}
