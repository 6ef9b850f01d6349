// Unions without a name in functions: their members are names of the block.
#include <cstdio>
#include <cstdint>

template <class T> __host__ __device__ T through_bits(T x)
{
    union {
        uint64_t bits;
        T value;
    };
    bits = 0;
    value = x;
    bits *= 0x0000000100000001u;
    bits *= 0xffffffff00000001u;
    return value;
}

__global__ void kernel(float *out, int n)
{
    int i = threadIdx.x;
    union {
        struct {
            short low, high;
        };
        int whole;
    };
    whole = i << 16 | 7;
    {
        union {
            float f;
            unsigned whole; // another one, which hides the outer one's
        };
        f = (float)i;
        out[i] = through_bits(f) + (float)(whole >> 31) + (float)through_bits((int8_t)-3);
    }
    if (i < n)
        out[i] += (float)(high + low);
}

int main()
{
    float *d, h[32];
    cudaMalloc(&d, sizeof h);
    kernel<<<1, 32>>>(d, 32);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        if (h[i] != (float)(2 * i + 7 - 3)) {
            printf("%d: %g\n", i, h[i]);
            return 1;
        }
    puts(through_bits(2.5) == 2.5 ? "ok" : "wrong");
}
