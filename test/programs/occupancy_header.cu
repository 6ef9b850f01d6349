// cuda_occupancy.h: the occupancy of processors that are described, not there.
#include <cuda_occupancy.h>
#include <cstdio>

struct described {
    int version, threads, blocksize, regs;
    size_t shared, optin, reserved;
    int units;
};

int main()
{
    const described chips[] = {
        {70, 2048, 1024, 65536, 98304, 98304, 0, 80},     {75, 1024, 1024, 65536, 65536, 65536, 0, 40},   {80, 2048, 1024, 65536, 167936, 166912, 1024, 108},
        {86, 1536, 1024, 65536, 102400, 101376, 1024, 84}, {89, 1536, 1024, 65536, 102400, 101376, 1024, 128}, {90, 2048, 1024, 65536, 233472, 232448, 1024, 132}};
    const int regs[] = {16, 32, 40, 64, 96, 128, 168, 255}, sizes[] = {32, 64, 96, 128, 192, 256, 512, 768, 1024};
    const size_t shared[] = {0, 1000, 20000, 49152, 90000};
    unsigned sum = 0;
    for (const described &c : chips) {
        cudaOccDeviceProp p;
        p.computeMajor = c.version / 10;
        p.computeMinor = c.version % 10;
        p.maxThreadsPerBlock = c.blocksize;
        p.maxThreadsPerMultiprocessor = c.threads;
        p.regsPerBlock = p.regsPerMultiprocessor = c.regs;
        p.warpSize = 32;
        p.sharedMemPerBlock = 49152;
        p.sharedMemPerMultiprocessor = c.shared;
        p.sharedMemPerBlockOptin = c.optin;
        p.reservedSharedMemPerBlock = c.reserved;
        p.numSms = c.units;
        int total = 0;
        for (int r : regs)
            for (int n : sizes)
                for (size_t s : shared) {
                    cudaOccFuncAttributes f;
                    cudaOccDeviceState st;
                    cudaOccResult o;
                    f.maxThreadsPerBlock = 1024;
                    f.numRegs = r;
                    f.sharedSizeBytes = 512;
                    f.shmemLimitConfig = s > 40000 ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
                    st.carveoutConfig = n == 96 ? 50 : n == 192 ? 0 : SHAREDMEM_CARVEOUT_DEFAULT;
                    f.maxDynamicSharedSizeBytes = c.optin - 512;
                    if (cudaOccMaxActiveBlocksPerMultiprocessor(&o, &p, &f, &st, n, s) != CUDA_OCC_SUCCESS)
                        return 1;
                    total += o.activeBlocksPerMultiprocessor;
                    sum = sum * 31 + (unsigned)o.activeBlocksPerMultiprocessor;
                }
        cudaOccFuncAttributes f;
        cudaOccDeviceState st;
        int grid = 0, block = 0;
        size_t room = 0;
        f.maxThreadsPerBlock = 1024;
        f.numRegs = 40;
        f.maxDynamicSharedSizeBytes = c.optin;
        cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &st);
        printf("%d: %d, grid %d block %d", c.version, total, grid, block);
        cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&grid, &block, &p, &f, &st, [](int n) { return (size_t)n * 100; });
        cudaOccAvailableDynamicSMemPerBlock(&room, &p, &f, &st, 2, 256);
        printf(", %d %d, room %zu\n", grid, block, room);
    }
    printf("%u\n", sum);
    if (sum != 343033604u) // what NVIDIA's header of CUDA 13.0 gives
        return 2;
    cudaOccDeviceProp none;
    cudaOccFuncAttributes f;
    cudaOccDeviceState st;
    cudaOccResult o;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&o, &none, &f, &st, 32, 0) != CUDA_OCC_ERROR_INVALID_INPUT)
        return 3;
    puts("ok");
}
