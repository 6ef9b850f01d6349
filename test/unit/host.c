/* The host half of a CUDA program: what becomes of its text, and the names of its kernels. */
#include "cuda/packed.h"
#include "front/cuda/host/host.h"
#include "unit.h"
#include <stdlib.h>

static const char *split(struct unit *u, const char *text, struct host_result *r)
{
    struct source_map sources;
    struct diag diag;
    struct sbuf out;
    source_init(&sources, u->arena);
    diag_init(&diag, u->arena, &sources);
    sbuf_init(&out, u->arena);
    sbuf_puts(&out, "");
    if (!host_split(u->arena, &sources, &diag, "t.cu", text, strlen(text), false, &out, r))
        return diag.first->message;
    return out.data;
}

static const struct {
    const char *in, *out;
} cases[] = {
    {"int x = 1 << 2 >> 1;", "int x = 1 << 2 >> 1;"},
    {"void f() { k<<<1, 2>>>(a, b); }", "void f() { (::__tern_configure(1, 2), k(a, b)); }"},
    {"void f() { ns::k<int, 4><<<g, b, 0, s>>>(); }",
     "void f() { (::__tern_configure(g, b, 0, s), ns::k<int, 4>()); }"},
    {"void f() { if (x) (*fp)<<<1, 1>>>(); else o->k<<<f(1), b[2]>>>(); }",
     "void f() { if (x) (::__tern_configure(1, 1), (*fp)()); else (::__tern_configure(f(1), b[2]), "
     "o->k()); }"},
    {"void f() { k<<<1,\n1>>>\n(x); }", "void f() { (::__tern_configure(1, 1), k\n\n(x)); }"},
    {"__host__ __device__ int f(int x) { return x; }", "  int f(int x) { return x; }"},
    {"__device__ int f(int x)\n{\n return x; }", " int f(int x)\n{ ::__tern_not_host(\"f\"); \n}"},
    {"struct S { __device__ S(int a) : x(a), y{a} { bad(); } int g() const { return 1; } };",
     "struct S {  S(int a) : x(a), y{a} { ::__tern_not_host(\"S\"); } int g() const { return 1; } "
     "};"},
    {"struct P f(struct P p) { return p; } __device__ struct P g() { h(); }",
     "struct P f(struct P p) { return p; }  struct P g() { ::__tern_not_host(\"g\"); }"},
    {"struct alignas(8) A { __device__ int f() { g(); } } a;",
     "struct alignas(8) A {  int f() { ::__tern_not_host(\"f\"); } } a;"},
    {"__device__ constexpr int f() { return 1; }", " constexpr int f() { return 1; }"},
    {"__device__ auto f() { return 1; } __device__ auto g() -> int { return 1; }",
     " auto f() { return 1; }  auto g() -> int { ::__tern_not_host(\"g\"); }"},
    {"extern __device__ int x; __shared__ float s;", "extern  int x;  float s;"},
    {"__global__ void k(int *);", " void k(int *);"},
    {"const char *s = \"__device__ <<<\"; char c = '\"';",
     "const char *s = \"__device__ <<<\"; char c = '\"';"},
    {"auto s = R\"x(k<<<1>>>())x\";", "auto s = R\"x(k<<<1>>>())x\";"},
    {"__device__ int d(int x); int d2; void f() { int x = d(1); }",
     "'d' is a __device__ function: host code cannot call it"},
    {"__global__ void k(int); void f() { k(1); }",
     "'k' is a kernel: host code launches it, k<<<grid, block>>>(…)"},
    {"__device__ int d(int x); void f() { auto d = g(); d(1); sizeof(d(1)); }",
     " int d(int x); void f() { auto d = g(); d(1); sizeof(d(1)); }"},
    {"extern __device__ int x; __device__ int x; __constant__ int y[2] = {1};",
     "extern  int x;  int x; static ::__tern_variable __tern_var0(&::__tern_here, (const void "
     "*)&x, "
     "\"x\", sizeof(x), 0); static  int y[2] = {1}; static ::__tern_variable "
     "__tern_var1(&::__tern_here, (const void *)&y, \"y\", sizeof(y), 1);"},
    {"struct S { __device__ __host__ int f() { return 1; } } __device__ s;",
     "struct S {   int f() { return 1; } } static  s; static ::__tern_variable "
     "__tern_var0(&::__tern_here, (const void *)&s, \"s\", sizeof(s), 0);"},
    {"void f() { (", "'(' is never closed"},
    {"}", "'}' without its partner"},
};

/* What is taken out leaves blanks, so that columns stay. */
static const char *unspaced(struct unit *u, const char *s)
{
    char *out = arena_strndup(u->arena, s, strlen(s)), *to = out;
    for (; *s; s++)
        if (*s != ' ')
            *to++ = *s;
    *to = 0;
    return out;
}

TEST(host_half_is_rewritten)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct host_result r;
        CHECK_STR(unspaced(u, split(u, cases[k].in, &r)), unspaced(u, cases[k].out));
    }
}

TEST(host_half_counts_and_registers)
{
    struct host_result r;
    const char *out = split(
        u,
        "namespace a { __constant__ float c[4], d; namespace { static __managed__ int m; } }\n"
        "template <class T, class... A> __global__ void k(T *p, const int, void (*f)(int), A... a) "
        "{ x(); }\n"
        "int main() { k<<<1, 1>>>(p, 1, f); }",
        &r);
    CHECK_INT(r.kernels, 1);
    CHECK_INT(r.launches, 1);
    CHECK_INT(r.variables, 3);
    CHECK(r.has_main);
    CHECK(strstr(out, "(const void *)&d, \"a::d\", sizeof(d), 1)"));
    CHECK(strstr(out, "(const void *)&m, \"a::m\", sizeof(m), 2)"));
    CHECK(strstr(out, "void k(T *p, const int __tern_arg0, void (*f)(int), A... a)"));
    CHECK(strstr(out, "__tern_argument(p), ::__tern_argument(__tern_arg0), ::__tern_argument(f), "
                      "::__tern_argument(a)..., nullptr"));
}

TEST(host_half_names_kernels_by_mangled_names)
{
    static const struct {
        const char *tag, *name;
    } names[] = {
        {"Z5plainvE10__tern_tag", "plain"},
        {"ZN2nsL5scaleIfLi4EEEvPT_fiE10__tern_tag", "ns::scale<float, 4>"},
        {"ZN2ns12_GLOBAL__N_11kIPKcEEvT_E10__tern_tag", "ns::k<char const*>"},
        {"Z1kIPFviPfEA4_KdRVjEvvE10__tern_tag",
         "k<void (*)(int, float*), double const[4], unsigned int volatile&>"},
        {"Z1kIN1a1bILi1ELj2ELm3ELb1ELb0ELc65ELin7EEENS1_ILi4EEES2_EvvE10__tern_tag",
         "k<a::b<1, 2u, 3ul, true, false, (char)65, -7>, a::b<4>, a::b<1, 2u, 3ul, true, false, "
         "(char)65, -7> >"},
        {"Z1kIL1e2ELN1n1fE0EEvvE10__tern_tag", "k<(e)2, (n::f)0>"},
        {"Z1kIXadL_Z1fIiEvPKcT_EELi32EEvvE10__tern_tag", "k<&f<int>, 32>"},
        {"Z1kIJifM1cFviEMS0_iEEvvE10__tern_tag", "k<int, float, void (c::*)(int), int c::*>"},
        {"Z1kISt4pairIiSaIcEES0_IfS1_EEvvE10__tern_tag",
         "k<std::pair<int, std::allocator<char> >, std::pair<float, std::allocator<char> > >"},
        {"Z1kIZ4mainEUlvE_EvvE10__tern_tag", NULL},
        {"Z1kIfLf3f800000EEvvE10__tern_tag", "k<float, (float)[3f800000]>"},
        {"Z1kIS5_EvvE10__tern_tag", NULL},
        {"Z9999kE10__tern_tag", NULL},
        {"1k", NULL},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char *out = packed_demangled(names[k].tag);
        NEED(out || !names[k].name);
        CHECK_STR(out ? out : "none", names[k].name ? names[k].name : "none");
        free(out);
    }
}

TEST(host_half_names_kernels)
{
    static const struct {
        const char *tag, *name;
    } names[] = {
        {"plain::__tern_tag", "plain"},
        {"ns::(anonymous namespace)::k(int (*)(int), char)::__tern_tag", "ns::k"},
        {"scale<float, 4>(float*, float, int)::__tern_tag", "scale<float, 4>"},
        {"scale<float, 4>(float*, int)::__tern_tags", "scale<float, 4>(float*, int)"},
        {"one<void (*)(int)>(void (**)(int))::__tern_tag", "one<void (*)(int)>"},
        {"k<&(f(char const*, int (*)(int))), 32>(int)::__tern_tag", "k<&f, 32>"},
        {"k<&(n::S<int>* (anonymous namespace)::g<&(void h<float>(int)), 4>(char*))>()::__tern_tag",
         "k<&g<&h<float>, 4>>"},
        {"k<&(anonymous namespace)::f>(int)::__tern_tag", "k<&f>"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char out[100];
        packed_kernel_name(names[k].tag, out, sizeof out);
        CHECK_STR(out, names[k].name);
    }
}
