// A hundred thousand launches take no more memory than a few do: what a launch needs for itself is given back.
// NOT ON: vulkan: its launches take too long for so many
// NOT ON: cuda: the driver's memory is not ours
// NOT UNDER: asan: it keeps what is freed
// NOT UNDER: tsan: it has its own memory
#include <cstdio>
#include <cstring>

__global__ void count(int *x)
{
    ++*x;
}

static long resident()
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmRSS:", 6))
            sscanf(line + 6, "%ld", &kb);
    if (f)
        fclose(f);
    return kb;
}

int main()
{
    const int warm = 2000, all = 100000;
    int *x, got;
    cudaMalloc(&x, sizeof *x);
    cudaMemset(x, 0, sizeof *x);
    long before = 0;
    for (int k = 0; k < all; k++) {
        if (k == warm)
            before = resident();
        count<<<1, 1>>>(x);
        cudaDeviceSynchronize();
    }
    const long grown = resident() - before;
    cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost);
    if (got != all || grown > 36 << 10) {
        printf("%d launches counted, %ld KB more\n", got, grown);
        return 1;
    }
    puts("ok");
}
