/* What doubles cost on the device: measured, and kept. */
#include <cstdio>
#include <cublas_v2.h>
#include <tern_blas.h>

int main()
{
    cublasHandle_t h;
    double rate = -1, again = -1;
    if (cublasCreate(&h) || ternDoubleRate(h, &rate, nullptr) || ternDoubleRate(h, &again, nullptr) || cublasDestroy(h))
        return 1;
    puts(rate > 0 && rate == again ? "measured" : "not measured");
}
