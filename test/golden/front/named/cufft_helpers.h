__global__ void helped(int *p)
{
    p[0] = 1;
}
