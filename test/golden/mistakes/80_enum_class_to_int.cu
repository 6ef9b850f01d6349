// RUN: tern compile %s --to ir -o %t
enum class mode { fast, exact };
__global__ void k(int *y)
{
    y[0] = mode::fast;
}
