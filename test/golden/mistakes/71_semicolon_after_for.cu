// RUN: tern compile %s --to ir -o %t
__global__ void k(int n, float *y)
{
    for (int i = 0; i < n; i++);
        y[i] = 1.0f;
}
