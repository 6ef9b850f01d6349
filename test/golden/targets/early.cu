// A function that returns early, inlined in a loop: lanes that return early wait for the others (BSYNC) before the
// loop goes on, instead of leaving the region (BREAK) and running every later iteration by themselves.
// RUN: tern compile %s --to sass -arch sm_90 | grep -oE 'BREAK|BSSY|BSYNC' | sort | uniq -c
__device__ double weight(double u, double h)
{
    double v = 0;
    if (u >= 2)
        return v;
    else if (u < 1)
        v = -1 / (h * h) * (3 - u);
    else
        v = -3 / (4 * h) * pow(2 - u, 3.0);
    return v / (h * u);
}

__global__ void total(const double *x, double *out, int n, double h)
{
    double sum = 0, mine = x[threadIdx.x];
    for (int j = 0; j < n; j++)
        sum += weight(sqrt(fabs(mine - x[j])) / h, h);
    out[threadIdx.x] = sum;
}
