// Open addressing with compare-and-swap: every key goes in once, whoever comes first.
// TEST insert: --kernel insert --grid 4 --block 64 --arg 'u32[512]' --arg 'u32[512]' --arg 'u32[2]'
// EXPECT arg 2: sum 12652 checksum fb7f1a79cf791ce4
__device__ unsigned slot_of(unsigned key) { return key * 2654435761u >> 23; }

__global__ void insert(unsigned *keys, unsigned *counts, unsigned *totals)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = t * t % 97 + 1;
    for (unsigned s = slot_of(key);; s = (s + 1) & 511) {
        unsigned old = atomicCAS(&keys[s], 0u, key);
        if (old == 0)
            atomicAdd(&totals[0], 1u);
        if (old == 0 || old == key) {
            atomicInc(&counts[s], 0xffffffffu);
            break;
        }
    }
    // where keys land depends on who comes first; how many there are does not
    __syncthreads();
    atomicAdd(&totals[1], key);
}
