// Template arguments that are objects of classes: equal values are one argument, the parameter is a constant object.
// OPTIONS: -std=c++20
#include "check.h"

enum class Mode : unsigned char { off, on = 3 };
struct Base {
    short low;
};
struct Shape : Base {
    int rows, columns;
    double scale;
    Mode mode;
    unsigned narrow : 3, wide : 20;
    constexpr int area() const
    {
        return rows * columns;
    }
};
template <Shape s> __global__ void shaped(int *out)
{
    static_assert(s.rows == 3);
    out[0] = s.area() * 100 + s.low * 10 + (int)s.mode;
    out[1] = (int)(s.scale * 4) + s.narrow * 1000 + s.wide * 10000;
}

// A constructor that takes something else than the members.
template <int n> struct Text {
    char letters[n];
    constexpr Text(const char (&from)[n])
    {
        for (int i = 0; i < n; i++)
            letters[i] = from[i];
    }
};
template <Text t> __global__ void spelled(int *out)
{
    for (int i = 0; t.letters[i]; i++)
        out[i] = t.letters[i];
}

template <double d, float s> __global__ void floats(int *out)
{
    out[0] = (int)(d * 2);
    out[1] = (int)(s * 8);
}

struct Point {
    int x, y;
    constexpr bool operator==(const Point &) const = default;
};
template <Point p, auto q = Point{7, 8}> struct Pair {
    static constexpr int sum = p.x + p.y + q.x + q.y;
};
template <auto q> struct Pair<Point{0, 0}, q> {
    static constexpr int sum = -1;
};
template <Point p> __device__ int deduced(Pair<p>)
{
    return p.x * 100 + p.y;
}
constexpr Point named{1, 2};
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
static_assert(same<Pair<named>, Pair<Point{1, 2}, Point{7, 8}>> && !same<Pair<named>, Pair<Point{2, 1}>>);

__global__ void pairs(int *out)
{
    out[0] = Pair<named>::sum;
    out[1] = Pair<Point{}, Point{4, 4}>::sum;
    out[2] = deduced(Pair<Point{5, 6}>{});
}

int main()
{
    int *out;
    CUDA(cudaMallocManaged(&out, 64 * sizeof(int)));
    shaped<Shape{{7}, 3, 4, 2.75, Mode::on, 5, 77}><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1273 && out[1] == 775011);
    spelled<"hey"><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 'h' && out[1] == 'e' && out[2] == 'y');
    spelled<"a text that is longer than its name could spell"><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 'a' && out[46] == 'l');
    floats<-2.5, 0.375f><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == -5 && out[1] == 3);
    pairs<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 18 && out[1] == -1 && out[2] == 506);
    printf("ok\n");
}
