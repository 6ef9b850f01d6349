// Spheres, shadows and a floor, into a PPM.
#include <cstdio>
#include <cstdlib>
struct vec {
    float x, y, z;
    __host__ __device__ vec operator+(vec o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ vec operator-(vec o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ vec operator*(float f) const { return {x * f, y * f, z * f}; }
    __host__ __device__ float dot(vec o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ vec unit() const { return *this * rsqrtf(dot(*this)); }
};
struct sphere {
    vec centre;
    float radius;
    vec colour;
};
__constant__ sphere scene[3];
__device__ float hit(const sphere &s, vec o, vec d)
{
    vec c = o - s.centre;
    float b = c.dot(d), q = b * b - c.dot(c) + s.radius * s.radius;
    if (q < 0)
        return -1;
    float t = -b - sqrtf(q);
    return t > 1e-3f ? t : -1;
}
__device__ vec trace(vec o, vec d, int depth)
{
    vec light = vec{-3, 6, -4}.unit();
    float best = 1e9f;
    int which = -1;
    for (int k = 0; k < 3; k++) {
        float t = hit(scene[k], o, d);
        if (t > 0 && t < best) {
            best = t;
            which = k;
        }
    }
    vec p, n, c;
    if (which >= 0) {
        p = o + d * best;
        n = (p - scene[which].centre).unit();
        c = scene[which].colour;
    } else if (d.y < -1e-3f) {
        best = -(o.y + 1) / d.y;
        p = o + d * best;
        n = {0, 1, 0};
        c = ((int)floorf(p.x) + (int)floorf(p.z)) & 1 ? vec{0.9f, 0.9f, 0.9f} : vec{0.2f, 0.2f, 0.2f};
    } else {
        return vec{0.4f, 0.6f, 0.9f} * (1 - d.y * 0.5f);
    }
    float shade = fmaxf(n.dot(light), 0.0f);
    for (int k = 0; k < 3; k++)
        if (hit(scene[k], p + n * 1e-3f, light) > 0)
            shade = 0;
    vec own = c * (0.2f + 0.8f * shade);
    if (which >= 0 && depth < 2)
        own = own * 0.8f + trace(p, d - n * (2 * d.dot(n)), depth + 1) * 0.2f;
    return own;
}
__global__ void render(unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    vec d = vec{(x - w / 2) / (float)h, (h / 2 - y) / (float)h, 1}.unit(), c = trace({0, 0.5f, -4}, d, 0);
    unsigned char *p = out + 3 * (y * w + x);
    p[0] = fminf(c.x, 1.0f) * 255;
    p[1] = fminf(c.y, 1.0f) * 255;
    p[2] = fminf(c.z, 1.0f) * 255;
}
int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 160, h = w * 3 / 4;
    sphere s[3] = {{{-1.2f, 0, 0}, 1, {0.9f, 0.2f, 0.2f}}, {{1.2f, 0, 0.5f}, 1, {0.2f, 0.8f, 0.3f}}, {{0, -0.6f, -1.2f}, 0.4f, {0.3f, 0.3f, 0.9f}}};
    unsigned char *d, *image = new unsigned char[3 * w * h];
    cudaMemcpyToSymbol(scene, s, sizeof s);
    cudaMalloc(&d, 3 * w * h);
    render<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h);
    cudaMemcpy(image, d, 3 * w * h, cudaMemcpyDeviceToHost);
    FILE *f = fopen("image.ppm", "wb");
    fprintf(f, "P6\n%d %d\n255\n", w, h);
    fwrite(image, 1, 3 * w * h, f);
    fclose(f);
    long sum = 0;
    for (int i = 0; i < 3 * w * h; i++)
        sum += image[i];
    printf("%d x %d, mean %ld\n", w, h, sum / (3 * w * h));
    delete[] image;
    cudaFree(d);
    return 0;
}
