// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    switch (y[0]) {
    case 1
        y[0] = 2;
        break;
    }
}
