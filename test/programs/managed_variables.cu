// Managed variables keep what every launch wrote to them, however the host waits, and what the host writes in between.
#include <cstdio>
#include <cstdlib>

__managed__ int count = 5;
__managed__ float table[300];

__global__ void add(int n)
{
    if (threadIdx.x == 0)
        count += n;
}
__global__ void fill(float x)
{
    for (int i = threadIdx.x; i < 300; i += blockDim.x)
        table[i] = x * i;
}
__global__ void nothing(int *p)
{
    *p = 1;
}

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("managed_variables.cu:%d: %s (count %d)\n", __LINE__, #x, count);               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

int main()
{
    int *d, one = 0;
    cudaStream_t a, b;
    cudaEvent_t e;
    CHECK(!cudaMalloc(&d, sizeof *d) && !cudaStreamCreate(&a) && !cudaStreamCreate(&b) && !cudaEventCreate(&e));

    // Launches in a row: each adds to what the one before left.
    for (int i = 0; i < 10; i++)
        add<<<1, 32>>>(1);
    nothing<<<1, 1>>>(d);
    CHECK(!cudaDeviceSynchronize() && count == 15);

    // What the host writes goes in, also in streams that follow each other.
    count = 100;
    add<<<1, 32, 0, a>>>(1);
    CHECK(!cudaStreamSynchronize(a));
    add<<<1, 32, 0, b>>>(1);
    nothing<<<1, 1, 0, a>>>(d);
    CHECK(!cudaStreamSynchronize(b) && count == 102);

    // A copy that waits, an event that is over, a stream that is idle: the host may look.
    add<<<1, 32>>>(1);
    CHECK(!cudaMemcpy(&one, d, sizeof one, cudaMemcpyDeviceToHost) && one == 1 && count == 103);
    count = 7;
    add<<<1, 32>>>(1);
    CHECK(!cudaEventRecord(e));
    while (cudaEventQuery(e) == cudaErrorNotReady)
        ;
    CHECK(count == 8);
    add<<<1, 32, 0, a>>>(1);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        ;
    CHECK(count == 9);

    // The same value again, after the device changed it.
    for (int i = 0; i < 3; i++) {
        count = 50;
        add<<<1, 32>>>(i);
        CHECK(!cudaDeviceSynchronize() && count == 50 + i);
    }

    // What the host wrote stays while it waits for something else.
    count = 60;
    CHECK(!cudaMemcpy(&one, d, sizeof one, cudaMemcpyDeviceToHost) && !cudaDeviceSynchronize() && count == 60);
    add<<<1, 32>>>(-8);
    CHECK(!cudaDeviceSynchronize() && count == 52);

    fill<<<1, 64>>>(2);
    add<<<1, 32>>>(1);
    CHECK(!cudaDeviceSynchronize() && table[299] == 598 && count == 53);
    table[0] = -1;
    add<<<1, 32>>>(1);
    CHECK(!cudaDeviceSynchronize() && table[0] == -1 && table[1] == 2);
    puts("ok");
}
