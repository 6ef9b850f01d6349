// Rays through a small scene of spheres: classes, operators, references, a virtual shape.
// TEST render: --kernel render --grid 2,2 --block 8,8 --arg 'i32[256]' --arg i32:16
// EXPECT arg 0: sum 425 checksum 3c222ccd5662b2f6
struct vec {
    double x, y, z;
    __device__ vec() : x(0), y(0), z(0) {}
    __device__ vec(double a, double b, double c) : x(a), y(b), z(c) {}
    __device__ vec operator-() const { return vec(-x, -y, -z); }
    __device__ friend vec operator+(const vec &a, const vec &b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
    __device__ friend vec operator-(const vec &a, const vec &b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
    __device__ friend vec operator*(double s, const vec &v) { return vec(s * v.x, s * v.y, s * v.z); }
};
__device__ inline double dot(const vec &a, const vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

class shape {
public:
    int id;
    __device__ explicit shape(int i) : id(i) {}
    __device__ virtual bool hit(const vec &from, const vec &dir, double &t) const = 0;
    __device__ virtual ~shape() {}
};

class sphere : public shape {
    vec center;
    double radius;

public:
    __device__ sphere(int i, vec c, double r) : shape(i), center(c), radius(r) {}
    __device__ bool hit(const vec &from, const vec &dir, double &t) const override
    {
        vec o = from - center;
        double b = dot(o, dir), c = dot(o, o) - radius * radius, d = b * b - dot(dir, dir) * c;
        if (d < 0)
            return false;
        t = (-b - sqrt(d)) / dot(dir, dir);
        return t > 0;
    }
};

class floor_plane : public shape {
    double height;

public:
    __device__ floor_plane(int i, double h) : shape(i), height(h) {}
    __device__ bool hit(const vec &from, const vec &dir, double &t) const override
    {
        if (dir.y == 0)
            return false;
        t = (height - from.y) / dir.y;
        return t > 0;
    }
};

__global__ void render(int *image, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    sphere a(1, vec(0, 0, 10), 4), b(2, vec(3, 2, 6), 2.5);
    floor_plane ground(3, -3.25);
    const shape *scene[] = {&a, &b, &ground};
    vec eye, dir(x - n / 2 + 0.375, n / 2 - y - 0.375, 12);
    double nearest = 1e9;
    int id = 0;
    for (const shape *s : scene) {
        double t;
        if (s->hit(eye, dir, t) && t < nearest) {
            nearest = t;
            id = s->id;
        }
    }
    image[y * n + x] = id;
}
