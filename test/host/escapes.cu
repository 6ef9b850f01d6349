// A backslash before a character that needs none is warned about by compilers, and taken for the character.
#include <cstdio>
__global__ void shown(int *out) { *out = "a\%\d"[2] + '\q'; }
int main()
{
    int *out, sum = 0;
    cudaMalloc(&out, sizeof *out);
    shown<<<1, 1>>>(out);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("100\%c \d %d %d\n", '%', sum, 'd' + 'q');
    cudaFree(out);
}
