// Kernels that spend their time in the host's functions, where a time limit must not strike in the middle.
extern "C" __global__ void allocates(int n)
{
    for (int i = 0; i < n; i++)
        free(malloc(64 + i % 100));
}
extern "C" __global__ void prints(int n)
{
    for (int i = 0; i < n; i++)
        printf("%d %s\n", i, "hello");
}
