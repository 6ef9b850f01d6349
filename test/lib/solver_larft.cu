// OPTIONS: -lcusolver
/* The triangle of a block of reflections: I - V T V' is the product of the reflections themselves; more of them than a block has. */
#include "solver.h"

template <class T> static void triangle(int n, int k, int ldv, int ldt)
{
    const cudaDataType type = as<T>::is_complex ? (sizeof(T) == 8 ? CUDA_C_32F : CUDA_C_64F) : sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    both<T> v((size_t)ldv * k), tau(k), t((size_t)ldt * k);
    /* Reflections: tau (1 + conj(tau) / tau) = |tau|^2 |v|^2 / tau; of real ones tau = 2 / |v|^2, of complex ones a factor beside it. */
    for (int j = 0; j < k; j++) {
        double square = 1;
        for (int i = j + 1; i < n; i++)
            square += std::norm(as<T>::wide(v.host[i + (size_t)j * ldv]));
        tau.host[j] = as<T>::narrow(as<T>::is_complex ? (1.0 + std::polar(1.0, 0.7 * j)) / square : zd(2 / square, 0));
    }
    tau.put();
    size_t device, host;
    SOLVE(cusolverDnXlarft_bufferSize(h, nullptr, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n, k, type, v.device, ldv, type, tau.device, type, t.device, ldt, type, &device, &host));
    SOLVE(cusolverDnXlarft(h, nullptr, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n, k, type, v.device, ldv, type, tau.device, type, t.device, ldt, type, nullptr, 0, nullptr, 0));
    const std::vector<T> got = t.get();
    dense unit(n, k), product(n, n), triangle(k, k);
    for (int j = 0; j < k; j++) {
        for (int i = j; i < n; i++)
            unit(i, j) = i == j ? zd(1) : as<T>::wide(v.host[i + (size_t)j * ldv]);
        for (int i = 0; i <= j; i++)
            triangle(i, j) = as<T>::wide(got[i + (size_t)j * ldt]);
    }
    for (int i = 0; i < n; i++)
        product(i, i) = 1;
    for (int j = 0; j < k; j++) { /* from the right: H = H1 H2 … */
        for (int i = 0; i < n; i++) {
            zd dot = 0;
            for (int l = 0; l < n; l++)
                dot += product(i, l) * unit(l, j);
            for (int l = 0; l < n; l++)
                product(i, l) -= as<T>::wide(tau.host[j]) * dot * std::conj(unit(l, j));
        }
    }
    dense block = times(times(unit, triangle), adjoint(unit));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            CHECK(close(zd(i == j) - block(i, j), product(i, j), 100 * as<T>::eps() * k));
    CHECK(cusolverDnXlarft(h, nullptr, CUBLAS_DIRECT_BACKWARD, CUBLAS_STOREV_COLUMNWISE, n, k, type, v.device, ldv, type, tau.device, type, t.device, ldt, type, nullptr, 0, nullptr, 0) ==
          CUSOLVER_STATUS_NOT_SUPPORTED);
    SOLVE(cusolverDnDestroy(h));
}

int main()
{
    triangle<double>(9, 4, 11, 5);
    triangle<float>(5, 5, 5, 5);
    triangle<cuComplex>(20, 7, 20, 8);
    triangle<cuDoubleComplex>(90, 70, 91, 70);
    puts("ok");
}
