// The Lorenz attractor in double precision: 256 points that start in a row, and where they end up. Animate it.
// tern run: --kernel lorenz --grid 4 --block 64 --arg f64[768] --arg i32:0
// tern play: view=0 as=points stride=3 x=0 y=2 range=30 centre=0,25 frame=1 animate
__global__ void lorenz(double *state, int frame)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = state[3 * i], y = state[3 * i + 1], z = state[3 * i + 2];
    if (frame == 0) {
        x = 0.05 * i;
        y = z = 20;
    }
#pragma unroll 1
    for (int step = 0; step < 8; step++) {
        const double dt = 0.004;
        double dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - z * (8.0 / 3);
        x += dt * dx;
        y += dt * dy;
        z += dt * dz;
    }
    state[3 * i] = x;
    state[3 * i + 1] = y;
    state[3 * i + 2] = z;
}
