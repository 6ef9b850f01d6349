// Gravity between all pairs of 1024 bodies, positions brought through shared memory in tiles. Animate it.
// tern run: --kernel step --grid 8 --block 128 --arg f32[4096] --arg f32[4096] --arg f32[4096] --arg i32:1024 --arg i32:0
// tern play: view=1 as=points stride=4 range=1.6 swap=0,1 frame=4 animate
#define TILE 128

// A disc that turns, for the first frame.
__device__ void begin(int i, int n, float4 *p, float4 *v)
{
    float angle = 2.39996f * i, r = sqrtf((i + 0.5f) / n);
    *p = make_float4(r * cosf(angle), r * sinf(angle), 0.05f * sinf(9.0f * i), 1.0f / n);
    *v = make_float4(-p->y * 0.9f, p->x * 0.9f, 0, 0);
}

__global__ void step(const float4 *from, float4 *to, float4 *speed, int n, int frame)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 p = from[i], v = speed[i];
    if (frame == 0)
        begin(i, n, &p, &v);
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n && frame > 0; start += TILE) {
        tile[threadIdx.x] = from[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float4 q = tile[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }
    const float dt = frame > 0 ? 0.01f : 0;
    v = make_float4(v.x + dt * ax, v.y + dt * ay, v.z + dt * az, 0);
    speed[i] = v;
    to[i] = make_float4(p.x + dt * v.x, p.y + dt * v.y, p.z + dt * v.z, p.w);
}
