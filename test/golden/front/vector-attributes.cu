// Vector types of host compilers: g++'s are refused; clang's attribute changes nothing, as with g++ and nvcc, and that is said.
// RUN: tern compile %s --to ir -DONE | grep 'store'
// RUN: tern compile %s --to ir -DTWO
#ifdef ONE
using four = __attribute__((__ext_vector_type__(4))) float;
using wide = four;
__global__ void size(int *out, wide *x)
{
    *out = sizeof(wide);
    x[1] = 2;
}
#else
typedef float four __attribute__((vector_size(16)));
__global__ void size(int *out) { *out = sizeof(four); }
#endif
