// Branches that threads take apart: a loop with two ways out, a switch, an early end.
__global__ void control(const int *x, int *y, int n)
{
    int i = threadIdx.x, v = x[i], turns = 0;
    if (v < 0)
        return;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        if (++turns == n)
            break;
    }
    switch (turns & 3) {
    case 0: y[i] = v; break;
    case 1: y[i] = -v; break;
    default: y[i] = turns;
    }
}
