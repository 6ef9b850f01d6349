// Functions of CUDA's that the host's own library does not have, on both sides.
#include "check.h"
#include <cmath>

enum { COUNT = 44 };
__host__ __device__ void values(double *o)
{
    const double x = 0.3, far = 60, three[] = {1, 2, 2};
    const float f = 0.3f, four[] = {1, 1, 1, 1};
    double s, c;
    float sf, cf;
    sincospi(x, &s, &c);
    sincospif(f, &sf, &cf);
    const double all[COUNT] = {
        erfinv(x), erfinv(-0.999), erfinvf(f), erfinv(f), erfcinv(x), erfcinv(1e-200), erfcinv(1.7), erfcinvf(f),
        normcdfinv(x), normcdfinv(0.975), normcdfinvf(f), erfcx(x), erfcx(-2.0), erfcx(far), erfcxf(f), cyl_bessel_i0(x),
        cyl_bessel_i0(far), cyl_bessel_i0f(f), cyl_bessel_i1(x), cyl_bessel_i1(-far), cyl_bessel_i1f(f), s, c, sf, cf,
        sinpi(1e9 + 0.5), cospi(x), sinpif(f), cospif(-f), norm3d(1, 2, 2), norm3df(f, f, f), rnorm3d(1, 2, 2),
        rnorm3df(f, f, f), norm4d(x, x, x, x), norm4df(f, f, f, f), rnorm4d(x, x, x, x), rnorm4df(f, f, f, f),
        rhypot(3, 4), rhypotf(3, 4), norm(3, three), rnorm(3, three), normf(4, four), rnormf(4, four), fdividef(f, 2)};
    for (int k = 0; k < COUNT; k++)
        o[k] = all[k];
}
__global__ void on_device(double *o) { values(o); }

int main()
{
    double *d, host[COUNT], device[COUNT];
    CUDA(cudaMalloc(&d, sizeof device));
    on_device<<<1, 1>>>(d);
    CUDA(cudaMemcpy(device, d, sizeof device, cudaMemcpyDeviceToHost));
    values(host);
    for (int k = 0; k < COUNT; k++)
        if (!(fabs(host[k] - device[k]) <= 4e-7 * fabs(host[k]))) {
            printf("value %d: %.17g on the host, %.17g on the device\n", k, host[k], device[k]);
            return 1;
        }
    // Known values.
    CHECK(fabs(erfinv(0.5) - 0.47693627620446987338) < 1e-15 && fabs(erfcinv(1e-10) - 4.5728249673894852787) < 1e-14);
    CHECK(fabs(normcdfinv(0.975) - 1.9599639845400542355) < 1e-14 && fabs(erfcx(10.0) - 0.056140992743822585) < 1e-15);
    CHECK(fabs(cyl_bessel_i0(1.0) - 1.2660658777520083356) < 1e-14 && fabs(cyl_bessel_i1(1.0) - 0.56515910399248502721) < 1e-14);
    CHECK(sinpi(1.0) == 0 && cospi(0.5) == 0 && sinpi(-0.5) == -1 && cospi(3.0) == -1);
    CHECK(std::isinf(erfinv(1.0)) && std::isinf(erfcinv(0.0)) && std::isnan(erfinv(1.5)) && std::isnan(erfcinv(-0.1)));
    CHECK(umin(3u, 4u) == 3 && umax(3u, 4u) == 4 && llmin(-3, 4) == -3 && llmax(-3, 4) == 4 && ullmin(3, ~0ull) == 3 &&
          ullmax(3, ~0ull) == ~0ull);
    puts("ok");
}
