// NOT ON: vulkan: its kernels are those of the other programs
// OPTIONS: -lcusolver -lcusparse
/* Two threads, each with a handle, a stream and matrices of its own, through every family at once; what each finds is what it finds alone, to the last
 * bit. */
#include <thread>
#include "solver.h"
#include <cusolverSp.h>
#include <cusparse.h>

typedef std::vector<double> numbers;

static void append(numbers &to, both<double> &from)
{
    const numbers v = from.get();
    to.insert(to.end(), v.begin(), v.end());
}

/* All that the calls leave, of a matrix that is made of `seed`. */
static numbers all(int seed, int n)
{
    cusolverDnHandle_t h;
    cudaStream_t stream;
    syevjInfo_t rotations;
    gesvdjInfo_t turns;
    numbers found;
    SOLVE(cusolverDnCreate(&h));
    CUDA(cudaStreamCreate(&stream));
    SOLVE(cusolverDnSetStream(h, stream));
    SOLVE(cusolverDnCreateSyevjInfo(&rotations));
    SOLVE(cusolverDnCreateGesvdjInfo(&turns));
    both<double> a(n * n), u(n * n), v(n * n), w(n), e(n), tau(n), taup(n), x(n * 2);
    both<int> pivots(n);
    flag info;
    unsigned state = seed;
    auto number = [&] {
        state = state * 1664525u + 1013904223u;
        return (double)(state >> 8) / (1 << 23) - 1;
    };
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            a.host[i + j * n] = a.host[j + i * n] = number() + (i == j ? n : 0);
    for (double &b : x.host)
        b = number();
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    const cusolverEigMode_t vec = CUSOLVER_EIG_MODE_VECTOR;
    auto step = [&](cusolverStatus_t s) {
        CHECK(s == CUSOLVER_STATUS_SUCCESS);
        CUDA(cudaStreamSynchronize(stream));
        CHECK(info.get() == 0);
    };
    for (int how = 0; how < 9; how++) {
        a.put();
        x.put();
        CUDA(cudaDeviceSynchronize());
        switch (how) {
        case 0:
            step(cusolverDnDpotrf(h, low, n, a.device, n, nullptr, 0, info.device));
            step(cusolverDnDpotrs(h, low, n, 2, a.device, n, x.device, n, info.device));
            break;
        case 1:
            step(cusolverDnDgetrf(h, n, n, a.device, n, nullptr, pivots.device, info.device));
            step(cusolverDnDgetrs(h, CUBLAS_OP_T, n, 2, a.device, n, pivots.device, x.device, n, info.device));
            break;
        case 2:
            step(cusolverDnDgeqrf(h, n, n, a.device, n, tau.device, nullptr, 0, info.device));
            step(cusolverDnDormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, n, 2, n, a.device, n, tau.device, x.device, n, nullptr, 0, info.device));
            break;
        case 3: step(cusolverDnDsytrf(h, low, n, a.device, n, pivots.device, nullptr, 0, info.device)); break;
        case 4: step(cusolverDnDsyevd(h, vec, low, n, a.device, n, w.device, nullptr, 0, info.device)); break;
        case 5: step(cusolverDnDsyevj(h, vec, low, n, a.device, n, w.device, nullptr, 0, info.device, rotations)); break;
        case 6: step(cusolverDnDgesvd(h, 'A', 'A', n, n, a.device, n, w.device, u.device, n, v.device, n, nullptr, 0, nullptr, info.device)); break;
        case 7: step(cusolverDnDgesvdj(h, vec, 0, n, n, a.device, n, w.device, u.device, n, v.device, n, nullptr, 0, info.device, turns)); break;
        default: step(cusolverDnDgebrd(h, n, n, a.device, n, w.device, e.device, tau.device, taup.device, nullptr, 0, info.device));
        }
        for (both<double> *p : {&a, &x})
            append(found, *p);
        if (how >= 4)
            append(found, w);
        if (how == 6 || how == 7)
            append(found, u), append(found, v);
    }
    /* A sparse system: the matrix's three middle diagonals. */
    cusolverSpHandle_t sp;
    cusparseMatDescr_t descr;
    std::vector<int> ptr = {0}, col;
    numbers val, right(n, 1.0), solution(n);
    SOLVE(cusolverSpCreate(&sp));
    CHECK(cusparseCreateMatDescr(&descr) == CUSPARSE_STATUS_SUCCESS);
    for (int i = 0; i < n; i++) {
        for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
            col.push_back(j);
            val.push_back(a.host[i + j * n]);
        }
        ptr.push_back((int)col.size());
    }
    int singular = 9;
    SOLVE(cusolverSpDcsrlsvqrHost(sp, n, (int)val.size(), descr, val.data(), ptr.data(), col.data(), right.data(), 0, 1, solution.data(), &singular));
    CHECK(singular == -1);
    found.insert(found.end(), solution.begin(), solution.end());
    cusparseDestroyMatDescr(descr);
    SOLVE(cusolverSpDestroy(sp));
    SOLVE(cusolverDnDestroyGesvdjInfo(turns));
    SOLVE(cusolverDnDestroySyevjInfo(rotations));
    SOLVE(cusolverDnDestroy(h));
    CUDA(cudaStreamDestroy(stream));
    return found;
}

int main()
{
    const char *device = getenv("TERN_DEVICES");
    const bool slow = device && strstr(device, "interp");
    const int sizes[2] = {slow ? 7 : 37, slow ? 6 : 70}, rounds = slow ? 1 : 3;
    const numbers alone[2] = {all(1, sizes[0]), all(2, sizes[1])};
    for (int round = 0; round < rounds; round++) {
        numbers together[2];
        std::thread threads[2];
        for (int k = 0; k < 2; k++)
            threads[k] = std::thread([&, k] { together[k] = all(k + 1, sizes[k]); });
        for (std::thread &t : threads)
            t.join();
        for (int k = 0; k < 2; k++)
            CHECK(together[k] == alone[k]);
    }
    puts("ok");
}
