// Passes of targets, and those of library code, can be looked at as those of the optimiser can.
// RUN: tern compile %s --to spirv --dump-ir=spirv/heap -o %t
// RUN: tern compile %s --to wasm --gang 1 --dump-ir=narrow -o %t 2>&1 | head -n 22
// RUN: tern compile %s --to spirv --dump-ir=library/link -o %t 2>&1 | grep -c '__tern_heap_take'
// RUN: tern compile %s --to spirv --dump-ir=opt/heap -o %t
__global__ void k(int **x, int i)
{
    x[i] = (int *)malloc(4);
}
