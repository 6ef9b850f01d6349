// Names of a namespace hide those that its using-directives bring in, on both sides.
#include "check.h"

namespace far {
__host__ __device__ inline int f(int) { return 1; }
__host__ __device__ inline int only(int) { return 5; }
struct thing {
    char x[3];
};
namespace deeper {
__host__ __device__ inline int f(int) { return 7; }
}
} // namespace far
namespace near {
using namespace far;
__host__ __device__ inline int f(long) { return 2; }
struct thing {
    char x[4];
};
__host__ __device__ inline int inside() { return f(1) * 100 + (int)sizeof(thing) * 10 + only(1); }
inline namespace v1 {
__host__ __device__ inline int f(short, short) { return 3; }
}
} // namespace near
namespace plain {
using namespace far;
__host__ __device__ inline int inside() { return f(1) * 100 + (int)sizeof(thing) * 10 + only(1); }
} // namespace plain
namespace far {
namespace within {
using namespace deeper;
/* as if deeper's stood in far: both are seen, so one has to be named */
__host__ __device__ inline int inside() { return deeper::f(1) * 10 + far::f(1); }
} // namespace within
} // namespace far
namespace {
__host__ __device__ inline int hidden() { return 4; }
} // namespace

__host__ __device__ int all(int which)
{
    using namespace far;
    switch (which) {
    case 0: return near::inside();
    case 1: return near::f(1) * 10 + near::f((short)1, (short)2);
    case 2: return plain::inside();
    case 3: return plain::f(1) * 10 + near::only(1);
    case 4: return f(1) * 10 + hidden();
    case 5: return far::within::inside();
    default: return 0;
    }
}
__global__ void each(int *out)
{
    out[threadIdx.x] = all(threadIdx.x);
}

int main()
{
    const int expected[] = {245, 23, 135, 15, 14, 71};
    int *out;
    CUDA(cudaMallocManaged(&out, 6 * sizeof *out));
    each<<<1, 6>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 6; i++)
        CHECK(out[i] == expected[i] && all(i) == expected[i]);
    puts("ok");
}
