// Many arms of if and else, which all go on behind one another's ends with nothing to do there: the jumps there are not lost.
#include <cstdio>
#include <cstdlib>

__host__ __device__ static bool verify(const float *a, const float *b, int n, float *total)
{
    bool ok = true;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        const float s = a[i], d = b[i];
        if (s == 1) { if (d != 2) { ok = false; sum += s * d; } }
        else if (s == 2) { if (d != 4) { ok = false; sum += s * d; } }
        else if (s == 3) { if (d != 6) { ok = false; sum += s * d; } }
        else if (s == 4) { if (d != 8) { ok = false; sum += s * d; } }
        else if (s == 5) { if (d != 10) { ok = false; sum += s * d; } }
        else if (s == 6) { if (d != 12) { ok = false; sum += s * d; } }
        else if (s == 7) { if (d != 14) { ok = false; sum += s * d; } }
        else if (s == 8) { if (d != 16) { ok = false; sum += s * d; } }
        else if (s == 9) { if (d != 18) { ok = false; sum += s * d; } }
        else if (s == 10) { if (d != 20) { ok = false; sum += s * d; } }
        else if (s == 11) { if (d != 22) { ok = false; sum += s * d; } }
        else if (s == 12) { if (d != 24) { ok = false; sum += s * d; } }
        else if (s == 13) { if (d != 26) { ok = false; sum += s * d; } }
        else if (s == 14) { if (d != 28) { ok = false; sum += s * d; } }
        else { if (s > 100) ok = false; }
        if (!ok && n < 0)
            break;
    }
    *total = sum;
    return ok;
}

__global__ void check(const float *a, const float *b, int n, float *total, int *ok) { *ok = verify(a, b, n, total); }

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 40 * sizeof(float));
    cudaMallocManaged(&b, 40 * sizeof(float));
    int *ok = (int *)(b + 39);
    for (int i = 0; i < 32; i++) {
        a[i] = (float)(i % 20);
        b[i] = (float)(i % 20 + i % 3);
    }
    float total = 0;
    const bool good = verify(a, b, 32, &total);
    printf("host: %d, %g\n", good, total);
    check<<<1, 1>>>(a, b, 32, b + 38, ok);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("device: %d, %g\n", *ok, b[38]);
}
