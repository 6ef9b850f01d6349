// What <unistd.h> and <time.h> say of the system is known in both halves: headers ask before they declare.
#include <cstdio>
#include <time.h>
#include <unistd.h>
#if !(_POSIX_TIMERS > 0) || !(_POSIX_VERSION >= 200112L)
#error no clock
#endif
#ifdef CLOCK_MONOTONIC
typedef unsigned long long stamp;
#endif
__global__ void k(stamp *p) { *p = _POSIX_VERSION; }
int main()
{
    stamp *p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    puts(*p == _POSIX_VERSION ? "ok" : "wrong");
}
