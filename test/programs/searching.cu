// Backtracking and search: queens, subset sums by bit masks, text search, binary search, a work queue in memory.
#include <cstring>
#include <string>
#include "check.h"

__global__ void queens(int n, unsigned *total)
{
    int first = threadIdx.x, second = blockIdx.x;
    if (first >= n || second >= n || first == second || first == second + 1 || first + 1 == second)
        return;
    unsigned all = (1u << n) - 1, columns[16], left[16], right[16], open[16], count = 0;
    columns[2] = 1u << first | 1u << second;
    left[2] = (1u << first << 1 | 1u << second) << 1, right[2] = (1u << first >> 1 | 1u << second) >> 1;
    int row = 2;
    open[2] = all & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
        if (!open[row]) {
            row--;
            continue;
        }
        unsigned bit = open[row] & -open[row];
        open[row] ^= bit;
        if (row == n - 1) {
            count++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    atomicAdd(total, count);
}
__global__ void find(const char *text, int n, const char *word, int m, int *first, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m > n)
        return;
    for (int k = 0; k < m; k++)
        if (text[i + k] != word[k])
            return;
    atomicMin(first, i);
    atomicAdd(count, 1);
}
__global__ void lower_bound(const int *sorted, int n, const int *keys, int *out)
{
    int low = 0, high = n, key = keys[threadIdx.x];
    while (low < high) {
        int mid = (low + high) / 2;
        if (sorted[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    out[threadIdx.x] = low;
}
__device__ int queue[4096], head, tail;
__global__ void drain(int *sum) // items make more items; each is taken once
{
    for (;;) {
        int at = atomicAdd(&head, 1);
        if (at >= atomicAdd(&tail, 0))
            return;
        int item = queue[at];
        atomicAdd(sum, item);
        if (item > 1)
            queue[atomicAdd(&tail, 1)] = item / 2;
    }
}

int main()
{
    unsigned *total;
    int *a, *b, *c;
    CUDA(cudaMallocManaged(&total, 4));
    CUDA(cudaMallocManaged(&a, 4096));
    CUDA(cudaMallocManaged(&b, 4096));
    CUDA(cudaMallocManaged(&c, 4096));
    *total = 0;
    queens<<<8, 8>>>(8, total);
    CUDA(cudaDeviceSynchronize());
    CHECK(*total == 92);
    std::string text;
    for (int i = 0; i < 50; i++)
        text += "the tern flies " + std::to_string(i) + " miles; ";
    char *d, *w;
    CUDA(cudaMalloc(&d, text.size()));
    CUDA(cudaMalloc(&w, 16));
    CUDA(cudaMemcpy(d, text.data(), text.size(), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(w, "flies 4", 7, cudaMemcpyHostToDevice));
    a[0] = 1 << 30, a[1] = 0;
    find<<<((int)text.size() + 127) / 128, 128>>>(d, (int)text.size(), w, 7, a, a + 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(a[0] == (int)text.find("flies 4") && a[1] == 11);
    for (int i = 0; i < 200; i++)
        a[i] = i * 3;
    for (int i = 0; i < 64; i++)
        b[i] = i * 11 - 20;
    lower_bound<<<1, 64>>>(a, 200, b, c);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(c[i] == (b[i] <= 0 ? 0 : b[i] > 597 ? 200 : (b[i] + 2) / 3));
    int start[] = {1000, 77, 5, 1}, n = 4, want = 0;
    for (int s : start)
        for (; s; s /= 2)
            want += s;
    CUDA(cudaMemcpyToSymbol(queue, start, sizeof start));
    CUDA(cudaMemcpyToSymbol(tail, &n, sizeof n));
    a[0] = 0;
    for (int round = 0; round < 12; round++) { // what a round leaves, the next takes up
        int h, t;
        drain<<<1, 1>>>(a);
        CUDA(cudaMemcpyFromSymbol(&h, head, sizeof h));
        CUDA(cudaMemcpyFromSymbol(&t, tail, sizeof t));
        if (h > t)
            CUDA(cudaMemcpyToSymbol(head, &t, sizeof t));
    }
    CUDA(cudaDeviceSynchronize());
    CHECK(a[0] == want);
    puts("ok");
}
