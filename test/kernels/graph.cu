// Breadth-first levels of a ring with chords, and connected components by hooking.
// TEST bfs: --kernel bfs --block 128 --arg 'i32[128]=-1'
// EXPECT arg 0: sum 741 checksum 028153866883ddda
// TEST components: --kernel components --block 100 --arg 'i32[100]'
// EXPECT arg 0: sum 442 checksum b4c13bf0775ec8a5
__global__ void bfs(int *level)
{
    __shared__ int more;
    int v = threadIdx.x, n = blockDim.x;
    if (v == 0)
        level[0] = 0;
    __syncthreads();
    for (int depth = 0;; depth++) {
        if (v == 0)
            more = 0;
        __syncthreads();
        if (level[v] == depth) {
            const int next[] = {(v + 1) % n, (v * 5 + 2) % n};
            for (int k = 0; k < 2; k++)
                if (atomicCAS(&level[next[k]], -1, depth + 1) == -1)
                    more = 1;
        }
        __syncthreads();
        if (!more)
            break;
        __syncthreads();
    }
}

// v is joined with v + 7 and with v * 2 where both are below 100 and v is no multiple of 3
__global__ void components(int *label)
{
    int v = threadIdx.x;
    label[v] = v;
    int changed;
    do {
        __syncthreads();
        int mine = label[v];
        changed = 0;
        if (v % 3 != 0) {
            int other[2] = {v + 7, v * 2};
            for (int k = 0; k < 2; k++)
                if (other[k] < 100) {
                    int theirs = label[other[k]];
                    if (theirs < mine) {
                        atomicMin(&label[v], theirs);
                        changed = 1;
                    } else if (mine < theirs) {
                        atomicMin(&label[other[k]], mine);
                        changed = 1;
                    }
                }
        }
    } while (__syncthreads_or(changed));
}
