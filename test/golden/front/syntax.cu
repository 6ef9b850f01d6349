// RUN: tern compile %s --to ir
__global__ void a(int *p)
{
    *p = 1
    *p = (2;
    int x[ = 3;
}
__global__ void b(int *p { *p = 1; }
__global__ int c() { return 1; }
__global__ void d(int *p)
{
    *p = 1;
