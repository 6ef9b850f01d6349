// Memory with holes: of eight pieces three that are no neighbours go, and a larger one comes, which fits into none of them.
int main()
{
    char *p[8], *large;
    for (int k = 0; k < 8; k++)
        cudaMalloc(&p[k], 1 << 20);
    for (int k = 1; k < 7; k += 2)
        cudaFree(p[k]);
    cudaMalloc(&large, 4 << 20);
    return cudaDeviceSynchronize();
}
