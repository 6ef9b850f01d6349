// The operand of #pragma unroll may be a qualified name; what is no constant leaves the choice to the compiler.
// RUN: tern compile %s -O2 --to ir | grep -c load
struct Data { static const int n = 4; };
namespace outer { constexpr int m = 2; }
template <int N> struct Sizes { static constexpr int k = N; };
__global__ void f(int *o)
{
    int s = 0;
#pragma unroll(Data::n)
    for (int i = 0; i < 8; i++) s += o[i];
#pragma unroll outer::m
    for (int i = 0; i < 8; i++) s *= o[i];
#pragma unroll (Sizes<3>::k)
    for (int i = 0; i < 8; i++) s ^= o[i];
#pragma unroll (nowhere::k)
    for (int i = 0; i < 8; i++) s -= o[i];
    o[9] = s;
}
