// LONG ON: vulkan: test/kernels has a smaller heap
// malloc, free, new and delete in kernels; lists and trees built there and walked by later kernels.
#include "check.h"

struct node {
    int key;
    node *left, *right;
};
__device__ node *root;
__device__ void insert(node **at, int key)
{
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = new node{key, nullptr, nullptr};
}
__global__ void build(const int *keys, int n)
{
    for (int i = 0; i < n; i++)
        insert(&root, keys[i]);
}
__device__ int walk(node *t, int *out, int at)
{
    if (!t)
        return at;
    at = walk(t->left, out, at);
    out[at++] = t->key;
    return walk(t->right, out, at);
}
__global__ void list(int *out, int *n) { *n = walk(root, out, 0); }
__device__ void drop(node *t)
{
    if (t) {
        drop(t->left);
        drop(t->right);
        delete t;
    }
}
__global__ void clear() { drop(root), root = nullptr; }
struct counted {
    int *counter;
    __device__ counted() : counter(nullptr) {}
    __device__ ~counted()
    {
        if (counter)
            atomicAdd(counter, 1);
    }
};
__global__ void scratch(int *out, int *destroyed)
{
    int n = threadIdx.x + 1, *mine = (int *)malloc(n * sizeof *mine);
    for (int i = 0; i < n; i++)
        mine[i] = i;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += mine[i];
    free(mine);
    out[threadIdx.x] = sum;
    counted *c = new counted[3];
    for (int i = 0; i < 3; i++)
        c[i].counter = destroyed;
    delete[] c;
    char buffer[sizeof(counted)];
    counted *placed = new (buffer) counted;
    placed->counter = destroyed;
    placed->~counted();
}

int main()
{
    const int n = 200;
    int *keys, *out, *count;
    CUDA(cudaMallocManaged(&keys, n * sizeof *keys));
    CUDA(cudaMallocManaged(&out, n * sizeof *out));
    CUDA(cudaMallocManaged(&count, sizeof *count));
    for (int i = 0; i < n; i++)
        keys[i] = i * 73 % 211;
    build<<<1, 1>>>(keys, n);
    list<<<1, 1>>>(out, count);
    CUDA(cudaDeviceSynchronize());
    CHECK(*count == n);
    for (int i = 1; i < n; i++)
        CHECK(out[i - 1] < out[i]);
    clear<<<1, 1>>>();
    *count = 0;
    scratch<<<1, 64>>>(out, count);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(out[i] == i * (i + 1) / 2);
    CHECK(*count == 64 * 4);
    puts("ok");
}
