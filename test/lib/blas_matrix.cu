// OPTIONS: -I../..
// NOT ON: vulkan: a software GPU compiles each kernel for minutes; GPUs with matrices have it in all products of 16 bits
/* The kernel for GPUs with matrix instructions and no asynchronous copies, launched by hand so that other devices run it, too: both layouts
 * of each operand, aligned and not, sizes that are no multiples of the tiles, a triangle, results that are not side by side. */
#include "device/blas/matrix.h"
#include "product_check.h"

/* S: what alpha and beta are. */
template <class T, class C, class S, int BM, int BN, int WM, int WN, bool A, bool B, bool ALIGNED> static void one(const how &h)
{
    check<T, C, A, B>(h, BM, BN, [](unsigned tiles, const blas_product &p) { matrix_product<T, C, C, S, BM, BN, WM, WN, A, B, ALIGNED, 0><<<tiles, BM / WM *(BN / WN) * 32>>>(p); });
}

int main()
{
    one<__half, __half, float, 32, 32, 32, 16, true, false, true>({40, 32, 40, 0, 1, BLAS_WHOLE});
    one<__half, __half, float, 128, 128, 64, 64, true, true, true>({136, 128, 72, 0, 1, BLAS_WHOLE});
    one<__half, float, float, 64, 64, 32, 32, false, false, true>({128, 136, 40, 8, 1, BLAS_UPPER});
    one<__half, float, float, 64, 32, 32, 32, true, false, false>({41, 35, 67, 1, 2, BLAS_WHOLE});
    one<__nv_bfloat16, float, float, 128, 64, 64, 32, false, true, true>({136, 64, 64, 0, 1, BLAS_WHOLE});
    one<signed char, int, int, 64, 64, 32, 32, true, true, true>({64, 128, 144, 0, 1, BLAS_WHOLE});
    one<float, float, float, 64, 64, 32, 32, true, false, true>({64, 132, 36, 4, 1, BLAS_WHOLE});
    puts("ok");
}
