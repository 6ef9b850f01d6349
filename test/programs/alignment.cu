// Dynamic programming along diagonals: longest common subsequence, edit distance, global alignment.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>
#include "check.h"

template <class Rule> __global__ void fill(int *table, const char *a, int n, const char *b, int m, Rule rule)
{
    for (int d = 0; d <= n + m; d++) { // one block: a barrier after each diagonal
        for (int i = max(0, d - m) + threadIdx.x; i <= min(n, d); i += blockDim.x) {
            int j = d - i, *cell = &table[i * (m + 1) + j];
            if (i == 0 || j == 0)
                *cell = rule.edge(i + j);
            else
                *cell = rule.inner(cell[-(m + 1) - 1], cell[-(m + 1)], cell[-1], a[i - 1] == b[j - 1]);
        }
        __syncthreads();
    }
}
struct common {
    __host__ __device__ int edge(int) const { return 0; }
    __host__ __device__ int inner(int diagonal, int up, int left, bool same) const { return same ? diagonal + 1 : up > left ? up : left; }
};
struct distance {
    __host__ __device__ int edge(int k) const { return k; }
    __host__ __device__ int inner(int diagonal, int up, int left, bool same) const
    {
        int best = diagonal + !same;
        best = up + 1 < best ? up + 1 : best;
        return left + 1 < best ? left + 1 : best;
    }
};
struct global {
    int match, mismatch, gap;
    __host__ __device__ int edge(int k) const { return k * gap; }
    __host__ __device__ int inner(int diagonal, int up, int left, bool same) const
    {
        int best = diagonal + (same ? match : mismatch), side = (up > left ? up : left) + gap;
        return best > side ? best : side;
    }
};
template <class Rule> static int on_device(const std::string &a, const std::string &b, Rule rule)
{
    char *text;
    int *table, result, n = (int)a.size(), m = (int)b.size();
    CUDA(cudaMalloc(&text, n + m));
    CUDA(cudaMalloc(&table, (n + 1) * (m + 1) * sizeof *table));
    CUDA(cudaMemcpy(text, a.data(), n, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(text + n, b.data(), m, cudaMemcpyHostToDevice));
    fill<<<1, 64>>>(table, text, n, text + n, m, rule);
    CUDA(cudaMemcpy(&result, table + (n + 1) * (m + 1) - 1, sizeof result, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(text));
    CUDA(cudaFree(table));
    return result;
}
template <class Rule> static int here(const std::string &a, const std::string &b, Rule rule)
{
    std::vector<std::vector<int>> t(a.size() + 1, std::vector<int>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); i++)
        for (size_t j = 0; j <= b.size(); j++)
            t[i][j] = !i || !j ? rule.edge((int)(i + j)) : rule.inner(t[i - 1][j - 1], t[i - 1][j], t[i][j - 1], a[i - 1] == b[j - 1]);
    return t[a.size()][b.size()];
}

int main()
{
    CHECK(on_device("kitten", "sitting", distance()) == 3);
    CHECK(on_device("GATTACA", "GCATGCU", global{1, -1, -1}) == 0);
    std::string a, b;
    for (int i = 0; i < 150; i++)
        a += "ACGT"[i * i * 7 / 3 % 4];
    for (int i = 0; i < 190; i++)
        b += "ACGT"[i * 5 % 13 % 4];
    CHECK(on_device(a, b, common()) == here(a, b, common()));
    CHECK(on_device(a, b, distance()) == here(a, b, distance()));
    CHECK(on_device(a, b, global{2, -1, -2}) == here(a, b, global{2, -1, -2}));
    puts("ok");
}
