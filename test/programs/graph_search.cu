// Breadth first, shortest paths and connected components on one random graph in rows of neighbours.
#include <climits>
#include <queue>
#include <vector>
#include "check.h"

__global__ void expand(const int *rows, const int *to, int *level, int n, int depth, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != depth)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        if (level[to[e]] == -1) {
            level[to[e]] = depth + 1;
            *changed = 1;
        }
}
__global__ void relax(const int *rows, const int *to, const int *cost, int *dist, int n, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || dist[v] == INT_MAX)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int through = dist[v] + cost[e];
        if (through < atomicMin(&dist[to[e]], through))
            *changed = 1;
    }
}
__global__ void join(const int *rows, const int *to, int *label, int n, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int low = min(label[v], label[to[e]]);
        if (atomicMin(&label[v], low) > low)
            *changed = 1;
        if (atomicMin(&label[to[e]], low) > low)
            *changed = 1;
    }
}

int main()
{
    const int n = 600;
    std::vector<int> rows(1, 0), to, cost;
    unsigned s = 5;
    for (int v = 0; v < n; v++) {
        for (int k = 0; k < (v % 3 ? 2 : 0); k++) {
            s = s * 1664525u + 1013904223u;
            to.push_back((int)(s >> 8) % n);
            cost.push_back(1 + (int)(s >> 20) % 9);
        }
        rows.push_back((int)to.size());
    }
    int *dr, *dt, *dc, *level, *dist, *label, *changed;
    CUDA(cudaMalloc(&dr, rows.size() * 4));
    CUDA(cudaMalloc(&dt, to.size() * 4));
    CUDA(cudaMalloc(&dc, to.size() * 4));
    CUDA(cudaMemcpy(dr, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dt, to.data(), to.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dc, cost.data(), to.size() * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMallocManaged(&level, n * 4));
    CUDA(cudaMallocManaged(&dist, n * 4));
    CUDA(cudaMallocManaged(&label, n * 4));
    CUDA(cudaMallocManaged(&changed, 4));
    for (int v = 0; v < n; v++)
        level[v] = v == 1 ? 0 : -1, dist[v] = v == 1 ? 0 : INT_MAX, label[v] = v;
    auto until_quiet = [&](auto step) {
        for (int round = 0; *changed = 0, round < n; round++) {
            step(round);
            CUDA(cudaDeviceSynchronize());
            if (!*changed)
                break;
        }
    };
    until_quiet([&](int depth) { expand<<<(n + 63) / 64, 64>>>(dr, dt, level, n, depth, changed); });
    until_quiet([&](int) { relax<<<(n + 63) / 64, 64>>>(dr, dt, dc, dist, n, changed); });
    until_quiet([&](int) { join<<<(n + 63) / 64, 64>>>(dr, dt, label, n, changed); });

    std::vector<int> want(n, -1), far(n, INT_MAX), root(n);
    std::queue<int> q;
    want[1] = 0, q.push(1);
    for (; !q.empty(); q.pop())
        for (int e = rows[q.front()]; e < rows[q.front() + 1]; e++)
            if (want[to[e]] < 0)
                want[to[e]] = want[q.front()] + 1, q.push(to[e]);
    far[1] = 0;
    for (int v = 0; v < n; v++)
        root[v] = v;
    for (int round = 0; round < n; round++)
        for (int v = 0; v < n; v++)
            for (int e = rows[v]; e < rows[v + 1]; e++) {
                if (far[v] != INT_MAX && far[v] + cost[e] < far[to[e]])
                    far[to[e]] = far[v] + cost[e];
                root[v] = root[to[e]] = root[v] < root[to[e]] ? root[v] : root[to[e]];
            }
    for (int v = 0; v < n; v++)
        CHECK(level[v] == want[v] && dist[v] == far[v] && label[v] == root[v]);
    puts("ok");
}
