// Which kernels run one thread at a time on a processor, and which as gangs: counted is the function
// that runs a block of gangs, and what calls it.
// RUN: tern compile %s --kernel divides --block 64 --to c | grep -c divides_block
// RUN: tern compile %s --kernel divides_long --block 64 --to c | grep -c divides_long_block
// RUN: tern compile %s --kernel rows --block 64 --to c | grep -c rows_block
// RUN: tern compile %s --kernel rows --block 64 --gang 8 --to c | grep -q rows_block && echo as asked for
// RUN: tern compile %s --kernel columns --block 64 --to c | grep -q columns_block && echo gang
// RUN: tern compile %s --kernel search --block 64 --to c | grep -q search_block && echo gang
// RUN: tern compile %s --kernel meets --block 64 --to c | grep -q meets_block && echo gang
// RUN: tern compile %s --kernel little --block 64 --to c | grep -q little_block && echo gang
// Vectors divide 32 bits, and 64 bits where they are wide.
__global__ void divides(unsigned n, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, prime = i > 1;
    for (unsigned d = 2; prime && d * d <= i; d++)
        prime = i % d != 0;
    out[i] = prime;
}

__global__ void divides_long(unsigned n, unsigned long long *out)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x, prime = i > 1;
    for (unsigned long long d = 2; prime && d * d <= i; d++)
        prime = i % d != 0;
    out[i] = prime;
}

__global__ void rows(const int *begin, const int *column, const float *value, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = begin[i]; k < begin[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

// Lanes read side by side.
__global__ void columns(const int *length, const float *value, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < length[i]; k++)
        sum += value[k * n + i];
    y[i] = sum;
}

// Lanes wait for memory together.
__global__ void search(const float *sorted, int n, const float *keys, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

// Threads would have to take turns at the barrier, again and again.
__global__ void meets(const int *begin, const float *value, float *y, int n)
{
    __shared__ float s[64];
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int k = begin[threadIdx.x]; k < begin[threadIdx.x + 1]; k++)
            sum += value[k];
        s[threadIdx.x] = sum;
        __syncthreads();
        y[j * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
        __syncthreads();
    }
}

// fmodf's loop divides; most of the work is elsewhere.
__global__ void little(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sinf(fmodf(x[i], 3.5f)) * expf(x[i]) + logf(x[i]);
}
