// Functions of <cmath> that are one instruction, as values, through pointers, and between vector code and calls of C.
#include <cmath>
#include <cstdio>
static double apply(double (*f)(double), double x) { return f(x); }
int main()
{
    volatile double v[] = {-0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, 4503599627370497.5, INFINITY};
    for (double x : v) {
        std::printf("%g: %g %g %g %g %g\n", x, std::floor(x), std::ceil(x), std::trunc(x), std::rint(x), std::nearbyint(x));
        std::printf("  %g %g %g %g\n", std::floor((float)x), std::ceil((float)x), truncf(x), rintf(x));
    }
    std::printf("%.17g %.9g %g %g\n", std::sqrt(2.0), std::sqrt(2.0f), std::sqrt(9), std::floor(7));
    std::printf("%g %g\n", apply(floor, -1.5), apply(sqrt, 6.25));
    // A conversion uses whole registers, after which calls of C have to see what they are given.
    float sum = 0;
    int cells = 0;
    for (int i = 0; i < 1000; i++) {
        cells += (int)(i * 0.37f);
        sum += std::exp2(-(float)(cells & 7)) + std::fmod((float)i, 3.0f);
    }
    std::printf("%d %g\n", cells, sum);
}
