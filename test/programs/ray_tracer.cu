// Spheres, shadows and reflections: small classes by value, recursion unrolled by hand, branches that differ by pixel.
#include <cmath>
#include <vector>
#include "check.h"

struct v3 {
    float x, y, z;
    __host__ __device__ v3 operator+(v3 o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ v3 operator-(v3 o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ v3 operator*(float k) const { return {x * k, y * k, z * k}; }
    __host__ __device__ float dot(v3 o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ v3 unit() const { return *this * (1.0f / sqrtf(dot(*this))); }
};
struct ray {
    v3 from, to;
};
struct sphere {
    v3 center;
    float radius, mirror, color;
    __host__ __device__ bool hit(const ray &r, float &t) const
    {
        v3 d = r.from - center;
        float b = d.dot(r.to), c = d.dot(d) - radius * radius, q = b * b - c;
        if (q < 0)
            return false;
        float s = sqrtf(q), near = -b - s, far = -b + s;
        float best = near > 1e-3f ? near : far;
        if (best < 1e-3f || best >= t)
            return false;
        t = best;
        return true;
    }
};
__host__ __device__ float trace(const sphere *all, int n, ray r)
{
    float light = 0, weight = 1;
    for (int bounce = 0; bounce < 4; bounce++) {
        float t = 1e20f;
        const sphere *s = nullptr;
        for (int i = 0; i < n; i++)
            if (all[i].hit(r, t))
                s = &all[i];
        if (!s)
            return light + weight * (0.5f + 0.5f * r.to.y);
        v3 p = r.from + r.to * t, normal = (p - s->center).unit(), sun = v3{1, 2, -1}.unit();
        float far = 1e20f, shade = fmaxf(normal.dot(sun), 0.0f);
        for (int i = 0; i < n; i++)
            if (all[i].hit({p, sun}, far))
                shade *= 0.2f;
        light += weight * (1 - s->mirror) * s->color * (0.1f + 0.9f * shade);
        weight *= s->mirror;
        r = {p, r.to - normal * (2 * r.to.dot(normal))};
    }
    return light;
}
__constant__ sphere scene[4];
__global__ void render(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = trace(scene, 4, {{0, 0, -5}, v3{(x - w / 2) / (float)w, (h / 2 - y) / (float)h, 1}.unit()});
}

int main()
{
    const sphere s[4] = {{{0, 0, 0}, 1, 0.5f, 1}, {{1.5f, 0.5f, 1}, 0.7f, 0.1f, 0.6f}, {{-1.4f, -0.2f, 0.5f}, 0.8f, 0.8f, 0.3f}, {{0, -101, 0}, 100, 0.2f, 0.8f}};
    const int w = 64, h = 48;
    float *out;
    CUDA(cudaMemcpyToSymbol(scene, s, sizeof s));
    CUDA(cudaMallocManaged(&out, w * h * sizeof *out));
    render<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(out, w, h);
    CUDA(cudaDeviceSynchronize());
    int far = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float want = trace(s, 4, {{0, 0, -5}, v3{(x - w / 2) / (float)w, (h / 2 - y) / (float)h, 1}.unit()});
            far += fabsf(out[y * w + x] - want) > 1e-3f; // an edge may fall to the other side
        }
    CHECK(far < w * h / 100);
    puts("ok");
}
