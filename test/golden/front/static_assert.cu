// RUN: tern compile %s --to ir
// Host code's assertions count as those of kernels do, at every scope.
#include <type_traits>

static_assert(sizeof(int) == 4, "holds");
static_assert(sizeof(int) == 8, "at namespace scope");
static_assert(sizeof(int) == 8);

namespace inner {
constexpr int n = 3;
static_assert(n == 4, "in a namespace");
}

extern "C" {
static_assert(inner::n == 4, "in extern \"C\"");
}

struct plain {
    int x;
    static_assert(sizeof(int) == 8, "in a class");
    struct nested {
        static_assert(sizeof(int) == 8, "in a nested class");
    };
};

// Said for each instance, and not before there is one.
template <class T> struct of_float {
    static_assert(std::is_same<T, float>::value, "in a class template");
    T x;
};
template <class T> struct never_used {
    static_assert(sizeof(T) == 0, "nobody makes one");
};
__device__ of_float<float> fine;
__device__ of_float<int> wrong;
static_assert(sizeof(of_float<short>) == 2, "the class is refused, its size is not");

template <class T> __device__ T in_a_function_template(T x)
{
    static_assert(sizeof(T) == 4, "in a function template");
    return x;
}

// What host code alone knows is left out: what is asked about it may have another answer there.
struct resource {
    some_host_library::handle h;
    int n;
};
struct holder {
    resource r;
};
template <class T> constexpr bool copies = std::is_copy_constructible<T>::value;
static_assert(!std::is_copy_constructible<resource>::value, "known to host code only");
static_assert(!std::is_copy_constructible<holder[2]>::value, "the same, inside");
static_assert(!copies<resource>, "the same, asked again");
static_assert(sizeof(plain) == 8, "nothing of that in here");
constexpr int square(int x)
{
    return x * x;
}
template <class T> struct twice {
    static constexpr int value = 2 * sizeof(T);
};
static_assert(square(3) == 8, "nor in a function's answer");
static_assert(twice<int>::value == 4, "nor in a template's");

__global__ void k(double *out)
{
    static_assert(sizeof(double) == 4, "in a kernel");
    struct local {
        static_assert(sizeof(double) == 4, "in a local class");
    };
}

__global__ void k2(double *out)
{
    out[0] = in_a_function_template(out[0]);
}
