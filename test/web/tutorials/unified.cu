// Unified memory: a list that the host builds and the device walks; managed variables; prefetching.
#include <cstdio>
struct node {
    int value;
    node *next;
};
__device__ __managed__ int visits;
__managed__ float factor = 2.5f;
__global__ void walk(const node *n, float *sum)
{
    float s = 0;
    for (; n; n = n->next) {
        s += n->value * factor;
        visits++;
    }
    *sum = s;
}
int main()
{
    node *list = nullptr;
    for (int k = 1; k <= 10; k++) {
        node *n;
        cudaMallocManaged(&n, sizeof *n);
        n->value = k;
        n->next = list;
        list = n;
    }
    float *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMemPrefetchAsync(sum, sizeof *sum, 0);
    walk<<<1, 1>>>(list, sum);
    cudaDeviceSynchronize();
    printf("%g after %d visits\n", *sum, visits);
    factor = -1;
    visits = 100;
    walk<<<1, 1>>>(list, sum);
    cudaDeviceSynchronize();
    printf("%g after %d visits\n", *sum, visits);
    while (list) {
        node *next = list->next;
        cudaFree(list);
        list = next;
    }
    cudaFree(sum);
}
