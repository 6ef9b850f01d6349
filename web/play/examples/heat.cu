// Heat in a plate: each cell moves towards the mean of its neighbours. Three heaters wander. Animate it.
// tern run: --kernel step --grid 16,16 --block 16,16 --arg f32[65536] --arg f32[65536] --arg i32:256 --arg i32:0
// tern play: view=1 as=image width=256 low=0 high=1 swap=0,1 frame=3 animate
__global__ void step(const float *from, float *to, int n, int frame)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int left = max(x - 1, 0), right = min(x + 1, n - 1), up = max(y - 1, 0), down = min(y + 1, n - 1);
    float here = from[y * n + x];
    float around = from[y * n + left] + from[y * n + right] + from[up * n + x] + from[down * n + x];
    float t = here + 0.24f * (around - 4 * here);
    for (int k = 0; k < 3; k++) {
        float angle = 0.02f * frame + 2.0944f * k, r = 0.3f * n;
        float dx = x - (0.5f * n + r * cosf(angle)), dy = y - (0.5f * n + r * sinf(2 * angle));
        if (dx * dx + dy * dy < 64)
            t = 1;
    }
    to[y * n + x] = t;
}
