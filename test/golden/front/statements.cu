// RUN: tern compile %s --to ir
__global__ void k(int *p)
{
    break;
    continue;
    switch (*p) {
    case 1:
    case 1: break;
    default:
    default: break;
    }
    case 3:;
    goto nowhere;
    return 5;
    if (int) *p = 1;
    for (int i = 0; i < 10) {}
}
__device__ int no_result() { return; }
