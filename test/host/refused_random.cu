// REFUSED: 'curand_uniform' is a device function
#include <curand_kernel.h>
int main()
{
    curandState s;
    return curand_uniform(&s) > 2;
}
