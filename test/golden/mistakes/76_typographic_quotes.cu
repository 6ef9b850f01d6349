// RUN: tern compile %s --to ir -o %t
__global__ void k()
{
    printf(“hello”);
}
