// RUN: tern compile %s --to ir
__device__ const char *a = "no end;
__device__ int b = 'x;
__device__ int c = 0x;
__device__ int d = 09;
__device__ float e = 1.5q;
__device__ const char *f = "\N{dash}";
