// RUN: tern compile %s --host=own --to ir -o %t
// RUN: terncc -c %s -o %t
// REQUIRES: c++
// What host code writes to the device's variables, it writes to copies.
__device__ int counter, table[4];
__constant__ float factor;
__managed__ int both;
__global__ void k(int *p) { counter = *p + table[0] + factor + both; }
__host__ __device__ inline void either() { counter = 5; }
int main()
{
    counter = 3;
    table[1] += 2;
    ++counter;
    factor = 1.5f;
    both = 4;
    int *p = &both, local = counter;
    cudaMemcpyToSymbol(counter, &local, sizeof local);
    k<<<1, 1>>>(p);
    {
        int counter;
        counter = 1;
        local = counter;
    }
    return 0;
}
