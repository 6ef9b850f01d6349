// Greetings from host and device, in order.
#include <cstdio>
__global__ void greet(int from)
{
    printf("thread %d of block %d greets, launch %d\n", threadIdx.x, blockIdx.x, from);
}
int main(int argc, char **argv)
{
    printf("%d words: %s\n", argc, argc > 1 ? argv[1] : "none");
    for (int k = 0; k < 2; k++) {
        greet<<<2, 3>>>(k);
        cudaDeviceSynchronize();
        printf("after launch %d\n", k);
    }
    return 0;
}
