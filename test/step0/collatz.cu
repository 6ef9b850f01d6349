// each thread loops as long as its own number asks for
// tern run: --kernel collatz --grid 4 --block 256 --arg 'u32[1000]=iota' --arg 'i32[1000]=zero' --arg i32:1000
extern "C" __global__ void collatz(const unsigned *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i];
    int steps = 0;
    while (x > 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i] = steps;
}
