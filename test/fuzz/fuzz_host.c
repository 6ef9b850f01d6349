/* Host code that we compile ourselves: any text ends in a module that verifies or in a diagnostic.
 * Of our own C++ library it has what exceptions and types at run time are made of. */
#include "fuzz_front.h"

static const char prelude[] =
    "#include <exception>\n"
    "struct uint3 { unsigned int x, y, z; };\n"
    "struct dim3 { unsigned int x, y, z; __host__ __device__ constexpr dim3(unsigned int x = 1,\n"
    "  unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {} };\n"
    "typedef struct CUstream_st *cudaStream_t;\n"
    "extern \"C\" int printf(const char *, ...);\n"
    "extern \"C\" int puts(const char *);\n";

static void fuzz(struct arena *a, const char *text, size_t size)
{
    fuzz_front(a, prelude, true, text, size);
}
FUZZ_TARGET(fuzz)
