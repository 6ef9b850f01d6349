// OPTIONS: -I../..
/* The kernel for GPUs without matrix instructions, launched by hand so that other devices run it, too: every layout of the operands, aligned
 * and not, sizes that are no multiples of the tiles, a triangle, results that are not side by side. Products of small whole numbers: exact. */
#include "device/blas/tiled.h"
#include "product_check.h"

/* X: what is computed with. */
template <class T, class X, int BM, int BN, int WM, int WN, bool A, bool B, bool ALIGNED> static void one(const how &h)
{
    check<T, T, A, B>(h, BM, BN, [](unsigned tiles, const blas_product &p) { tiled_product<T, T, T, X, X, BM, BN, WM, WN, A, B, ALIGNED, 0><<<tiles, BM / WM *(BN / WN) * 32>>>(p); });
}

int main()
{
    one<float, float, 64, 32, 32, 16, false, false, true>({128, 64, 24, 0, 1, BLAS_WHOLE});
    one<float, float, 64, 32, 32, 16, false, false, true>({72, 40, 20, 4, 1, BLAS_UPPER});
    one<float, float, 32, 32, 32, 16, true, false, false>({41, 35, 19, 1, 2, BLAS_WHOLE});
    one<double, double, 32, 32, 16, 16, false, true, true>({64, 48, 18, 2, 1, BLAS_WHOLE});
    one<__half, float, 32, 32, 32, 16, true, true, true>({40, 64, 16, 8, 1, BLAS_WHOLE});
    /* A software GPU compiles each for two seconds. */
    const char *device = getenv("TERN_DEVICES");
    if (!device || strcmp(device, "vulkan") || getenv("TERN_TEST_LONG"))
        one<__nv_bfloat16, float, 32, 32, 32, 16, true, true, true>({40, 32, 24, 8, 1, BLAS_WHOLE});
    puts("ok");
}
