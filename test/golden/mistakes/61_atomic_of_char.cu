// RUN: tern compile %s --to ir -o %t
__global__ void k(char *count)
{
    atomicAdd(count, 1);
}
