// RUN: tern compile %s --to ir -std=c++11 -DCPP=11 | grep kernel
// RUN: tern compile %s --to ir -std=c++14 -DCPP=14 | grep kernel
// RUN: tern compile %s --to ir -DCPP=17 | grep kernel
// RUN: tern compile %s --to ir -std=c++20 -DCPP=20 | grep kernel
// RUN: tern compile %s --to ir -std=c++20 -DCPP=17 2>&1 | grep error:
// What the macros say that the language has, by its standard.
#if defined __cpp_variadic_templates != (CPP >= 11) || defined __cpp_generic_lambdas != (CPP >= 14) || \
    defined __cpp_if_constexpr != (CPP >= 17) || defined __cpp_deduction_guides != (CPP >= 17) || \
    defined __cpp_concepts != (CPP >= 20) || defined __cpp_consteval != (CPP >= 20) || defined __cpp_impl_coroutine
#error "a macro and its standard do not agree"
#endif
#if __cpp_constexpr != (CPP == 11 ? 200704 : CPP == 14 ? 201304 : CPP == 17 ? 201603 : 202002)
#error "constexpr of another year"
#endif
__global__ void k(int *p)
{
    p[0] = 1;
}
