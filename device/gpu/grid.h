/* A barrier of the whole grid on a GPU that has none: blocks count themselves in memory. All of them must run at
 * once, which the launcher sees to. The back end puts fences and barriers of the block around it. */
#ifndef TERN_DEVICE_GPU_GRID_H
#define TERN_DEVICE_GPU_GRID_H

struct __tern_grid {
    unsigned arrived, turn;
};

/* The back end replaces its body: where the count is. */
extern "C" __device__ __noinline__ struct __tern_grid *__tern_grid_at()
{
    return nullptr;
}

extern "C" __device__ __noinline__ void __tern_grid_wait(int leader)
{
    if (leader) {
        struct __tern_grid *g = __tern_grid_at();
        unsigned blocks = gridDim.x * gridDim.y * gridDim.z, turn = atomicAdd(&g->turn, 0u);
        if (atomicAdd(&g->arrived, 1u) == blocks - 1) {
            atomicExch(&g->arrived, 0u);
            __threadfence();
            atomicAdd(&g->turn, 1u);
        } else {
            while (atomicAdd(&g->turn, 0u) == turn)
                ;
        }
    }
}

__global__ void __tern_keep_grid(int leader)
{
    __tern_grid_wait(leader);
}

#endif
