// A kernel that is declared, launched, and in no file of the program.
// REFUSED: 'nowhere' is used but never defined
#include <cstdio>
__global__ void nowhere(int *p);
int main()
{
    nowhere<<<1, 1>>>(nullptr);
    puts("done");
}
