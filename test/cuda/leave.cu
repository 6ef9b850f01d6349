// A program that ends while the driver assembles its kernel beside it.
#include <unistd.h>
__global__ void nothing()
{
}
int main()
{
    for (int k = 0; k < 20; k++) {
        nothing<<<1, 1>>>();
        cudaDeviceSynchronize();
        usleep(20000);
    }
}
