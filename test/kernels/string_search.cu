// Where a pattern occurs in a text: every position by itself, and with the failure table of Knuth, Morris
// and Pratt.
// TEST naive: --kernel naive --grid 4 --block 64 --arg 'u8[256]' --arg 'i32[1]'
// EXPECT arg 0: sum 5 checksum e9b14c16233c2d00
// EXPECT arg 1: sum 5 checksum 2d401a55eec16520
// TEST kmp: --kernel kmp --grid 1 --block 1 --arg 'i32[64]' --arg 'i32[1]'
// EXPECT arg 0: sum 140 checksum f4dee44ed0a3f7f3
// EXPECT arg 1: sum 5 checksum 2d401a55eec16520
__device__ const char text[] = "abracadabra abracabracadabra dabracadabrac abracadabracadabra";
__constant__ char pattern[] = "abracadabra";

__device__ int length(const char *s)
{
    int n = 0;
    while (*s++)
        n++;
    return n;
}

__global__ void naive(unsigned char *found, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = length(text), m = length(pattern);
    if (i + m > n)
        return;
    for (int j = 0; j < m; j++)
        if (text[i + j] != pattern[j])
            return;
    found[i] = 1;
    atomicAdd(count, 1);
}

__global__ void kmp(int *at, int *count)
{
    int fail[32], m = sizeof pattern - 1, k = 0;
    fail[0] = 0;
    for (int i = 1; i < m; i++) {
        while (k > 0 && pattern[i] != pattern[k])
            k = fail[k - 1];
        if (pattern[i] == pattern[k])
            ++k;
        fail[i] = k;
    }
    k = 0;
    for (int i = 0; text[i]; i++) {
        while (k > 0 && text[i] != pattern[k])
            k = fail[k - 1];
        k += text[i] == pattern[k];
        if (k == m) {
            at[(*count)++] = i - m + 1;
            k = fail[k - 1];
        }
    }
}
