// Columns behind escapes, colours, data; no main; which allocation; a program's status and what stands for it.
// RUN: tern compile %s -DWRONG --to ir -o %t
// RUN: tern compile %s -DWRONG --to ir -o %t --color always 2>&1 | head -n 1 | sed 's/\x1b/ESC/g'
// REQUIRES: script
// RUN: for n in "" 1; do NO_COLOR=$n script -qc 'tern compile %s -DWRONG --to ir -o %t' /dev/null | head -n 1 | sed 's/\x1b/ESC/g' | sed 's|[^[:print:]]*$||'; done
// RUN: tern compile %s -DWRONG --to ir -o %t --json
// RUN: tern run --host=own --device interp %s 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/'
// RUN: tern run --host=own --device interp %s -- before 2>&1 | sed 's/0x[0-9a-f]*/ADDRESS/'
// RUN: tern run --host=own --device interp %s -- fine
// RUN: for c in run check prof debug bench; do tern $c mistakes/01_missing_semicolon.cu; done
#include <cstdio>
#include <cstring>
__global__ void k(const int *a, int *b, int at)
{
#ifdef WRONG
    printf("a\tb\"c\\d\u00e4\x41"), undeclared = 3;
#endif
    b[at] = a[0];
}
int main(int argc, char **argv)
{
    int *a, *b;
    cudaMalloc(&a, 16);
    cudaMalloc(&b, 24);
    k<<<1, 1>>>(a, b, argc < 2 ? 6 : strcmp(argv[1], "fine") ? -1 : 0);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e ? 1 : 42;
}
