// Words of a text: counted by a std::map on the host, their letters by a kernel with atomics.
#include <cctype>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
#include <algorithm>

#define CHECK(call)                                                                    \
    do {                                                                               \
        cudaError_t e = (call);                                                        \
        if (e != cudaSuccess) {                                                        \
            std::cerr << #call << ": " << cudaGetErrorString(e) << std::endl;          \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void letters(const char *text, int n, unsigned *count)
{
    __shared__ unsigned own[26];
    if (threadIdx.x < 26)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c += 'a' - 'A';
        if (c >= 'a' && c <= 'z')
            atomicAdd(&own[c - 'a'], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 26)
        atomicAdd(&count[threadIdx.x], own[threadIdx.x]);
}

int main()
{
    const std::string text = "The river ran to the sea, and the sea rose to the sky; the sky gave the rain, "
                             "and the rain came to the river again. So it goes: river, sea, sky, rain.";
    std::map<std::string, int> counts;
    std::string clean = text;
    std::transform(clean.begin(), clean.end(), clean.begin(), [](unsigned char c) { return std::isalpha(c) ? (char)std::tolower(c) : ' '; });
    std::istringstream in(clean);
    for (std::string word; in >> word;)
        ++counts[word];
    std::vector<std::pair<std::string, int>> ranked(counts.begin(), counts.end());
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    for (const auto &[word, n] : ranked)
        if (n > 1)
            std::cout << std::left << std::setw(8) << word << std::right << std::setw(3) << n << ' ' << std::string(n, '#') << '\n';

    char *d_text;
    unsigned *d_count, count[26];
    CHECK(cudaMalloc(&d_text, text.size()));
    CHECK(cudaMalloc(&d_count, sizeof count));
    CHECK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_count, 0, sizeof count));
    letters<<<2, 64>>>(d_text, (int)text.size(), d_count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    unsigned all = 0;
    for (int i = 0; i < 26; i++) {
        all += count[i];
        if (count[i])
            std::cout << (char)('a' + i) << '=' << count[i] << ' ';
    }
    std::cout << "\n" << all << " letters, " << counts.size() << " different words\n";
    CHECK(cudaFree(d_text));
    CHECK(cudaFree(d_count));
    return 0;
}
