/* What is defined before the first line: the language, the machine, CUDA; then the command line. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

/* As the host half's compiler would have them, so that headers take the same turns in both halves.
 */
static const char machine[] = "#define __TERN__ 1\n"
                              "#define __CUDACC__ 1\n"
                              "#define __NVCC__ 1\n"
                              "#define __CUDACC_VER_MAJOR__ 12\n"
                              "#define __CUDACC_VER_MINOR__ 4\n"
                              "#define __CUDACC_VER_BUILD__ 0\n"
                              "#define __CUDACC_EXTENDED_LAMBDA__ 1\n"
                              "#define __CUDACC_RELAXED_CONSTEXPR__ 1\n"
                              "#define __CUDA_API_VER_MAJOR__ 12\n"
                              "#define __CUDA_API_VER_MINOR__ 4\n"
                              "#define __STDC__ 1\n"
                              "#define __STDC_HOSTED__ 1\n"
                              "#define __STDCPP_DEFAULT_NEW_ALIGNMENT__ 16UL\n"
                              "#define _GNU_SOURCE 1\n"
                              "#define __GNUC__ 12\n"
                              "#define __GNUC_MINOR__ 2\n"
                              "#define __GNUC_PATCHLEVEL__ 0\n"
                              "#define __GNUG__ 12\n"
                              "#define __VERSION__ \"12.2.0\"\n"
                              "#define __OPTIMIZE__ 1\n"
                              "#define __linux__ 1\n"
                              "#define __linux 1\n"
                              "#define linux 1\n"
                              "#define __unix__ 1\n"
                              "#define __unix 1\n"
                              "#define unix 1\n"
                              "#define __gnu_linux__ 1\n"
                              "#define __ELF__ 1\n"
                              "#define __LP64__ 1\n"
                              "#define _LP64 1\n"
                              "#define __CHAR_BIT__ 8\n"
                              "#define __BYTE_ORDER__ 1234\n"
                              "#define __ORDER_LITTLE_ENDIAN__ 1234\n"
                              "#define __ORDER_BIG_ENDIAN__ 4321\n"
                              "#define __SIZEOF_SHORT__ 2\n"
                              "#define __SIZEOF_INT__ 4\n"
                              "#define __SIZEOF_LONG__ 8\n"
                              "#define __SIZEOF_LONG_LONG__ 8\n"
                              "#define __SIZEOF_POINTER__ 8\n"
                              "#define __SIZEOF_SIZE_T__ 8\n"
                              "#define __SIZEOF_PTRDIFF_T__ 8\n"
                              "#define __SIZEOF_WCHAR_T__ 4\n"
                              "#define __SIZEOF_FLOAT__ 4\n"
                              "#define __SIZEOF_DOUBLE__ 8\n"
                              "#define __SCHAR_MAX__ 0x7f\n"
                              "#define __SHRT_MAX__ 0x7fff\n"
                              "#define __INT_MAX__ 0x7fffffff\n"
                              "#define __LONG_MAX__ 0x7fffffffffffffffL\n"
                              "#define __LONG_LONG_MAX__ 0x7fffffffffffffffLL\n"
                              "#define __SIZE_MAX__ 0xffffffffffffffffUL\n"
                              "#define __SIZE_TYPE__ long unsigned int\n"
                              "#define __PTRDIFF_TYPE__ long int\n"
                              "#define __INT8_TYPE__ signed char\n"
                              "#define __INT16_TYPE__ short int\n"
                              "#define __INT32_TYPE__ int\n"
                              "#define __INT64_TYPE__ long int\n"
                              "#define __UINT8_TYPE__ unsigned char\n"
                              "#define __UINT16_TYPE__ short unsigned int\n"
                              "#define __UINT32_TYPE__ unsigned int\n"
                              "#define __UINT64_TYPE__ long unsigned int\n"
                              "#define __INTPTR_TYPE__ long int\n"
                              "#define __UINTPTR_TYPE__ long unsigned int\n"
                              "#define __INTMAX_TYPE__ long int\n"
                              "#define __UINTMAX_TYPE__ long unsigned int\n"
                              "#define __WCHAR_TYPE__ int\n"
                              "#define __FLT_RADIX__ 2\n"
                              "#define __FLT_MANT_DIG__ 24\n"
                              "#define __FLT_DIG__ 6\n"
                              "#define __FLT_MIN_EXP__ (-125)\n"
                              "#define __FLT_MAX_EXP__ 128\n"
                              "#define __FLT_MIN_10_EXP__ (-37)\n"
                              "#define __FLT_MAX_10_EXP__ 38\n"
                              "#define __FLT_DENORM_MIN__ 1.40129846432481707092e-45F\n"
                              "#define __DBL_MANT_DIG__ 53\n"
                              "#define __DBL_DIG__ 15\n"
                              "#define __DBL_MIN_EXP__ (-1021)\n"
                              "#define __DBL_MAX_EXP__ 1024\n"
                              "#define __DBL_MIN_10_EXP__ (-307)\n"
                              "#define __DBL_MAX_10_EXP__ 308\n"
                              "#define __DBL_DENORM_MIN__ 4.94065645841246544177e-324\n"
                              "#define __FLT_MAX__ 3.40282346638528859812e+38F\n"
                              "#define __FLT_MIN__ 1.17549435082228750797e-38F\n"
                              "#define __FLT_EPSILON__ 1.19209289550781250000e-7F\n"
                              "#define __DBL_MAX__ 1.79769313486231570815e+308\n"
                              "#define __DBL_MIN__ 2.22507385850720138309e-308\n"
                              "#define __DBL_EPSILON__ 2.22044604925031308085e-16\n"
#if defined(__aarch64__)
                              "#define __aarch64__ 1\n"
                              "#define __ARM_ARCH 8\n"
#else
                              "#define __x86_64__ 1\n"
                              "#define __x86_64 1\n"
                              "#define __amd64__ 1\n"
                              "#define __SSE__ 1\n"
                              "#define __SSE2__ 1\n"
#endif
    ;

/* What the language has by which standard: the first of which it is so. As g++ has them, where the
 * parser takes what they say. */
static const struct {
    const char *name;
    unsigned since, value;
} features[] = {
    {"aggregate_bases", 201703, 201603},
    {"aggregate_nsdmi", 201402, 201304},
    {"aggregate_paren_init", 202002, 201902},
    {"alias_templates", 201103, 200704},
    {"attributes", 201103, 200809},
    {"binary_literals", 201103, 201304},
    {"capture_star_this", 201703, 201603},
    {"char8_t", 202002, 201811},
    {"concepts", 202002, 202002},
    {"conditional_explicit", 202002, 201806},
    {"consteval", 202002, 201811},
    {"constexpr", 201103, 200704},
    {"constexpr", 201402, 201304},
    {"constexpr", 201703, 201603},
    {"constexpr", 202002, 202002},
    {"constexpr", 202302, 202110},
    {"constinit", 202002, 201907},
    {"decltype", 201103, 200707},
    {"decltype_auto", 201402, 201304},
    {"deduction_guides", 201703, 201703},
    {"deduction_guides", 202002, 201907},
    {"delegating_constructors", 201103, 200604},
    {"designated_initializers", 202002, 201707},
    {"digit_separators", 201402, 201309},
    {"fold_expressions", 201703, 201603},
    {"generic_lambdas", 201402, 201304},
    {"generic_lambdas", 202002, 201707},
    {"guaranteed_copy_elision", 201703, 201606},
    {"if_constexpr", 201703, 201606},
    {"impl_three_way_comparison", 202002, 201907},
    {"inheriting_constructors", 201103, 201511},
    {"init_captures", 201402, 201304},
    {"init_captures", 202002, 201803},
    {"initializer_lists", 201103, 200806},
    {"inline_variables", 201703, 201606},
    {"lambdas", 201103, 200907},
    {"multidimensional_subscript", 202302, 202110},
    {"nested_namespace_definitions", 201703, 201411},
    {"nontype_template_args", 201703, 201411},
    {"nontype_template_args", 202002, 201911},
    {"nontype_template_parameter_auto", 201703, 201606},
    {"nontype_template_parameter_class", 202002, 201806},
    {"nsdmi", 201103, 200809},
    {"range_based_for", 201103, 200907},
    {"range_based_for", 201703, 201603},
    {"raw_strings", 201103, 200710},
    {"ref_qualifiers", 201103, 200710},
    {"return_type_deduction", 201402, 201304},
    {"rvalue_reference", 201103, 200610},
    {"rvalue_references", 201103, 200610},
    {"static_assert", 201103, 200410},
    {"static_assert", 201703, 201411},
    {"structured_bindings", 201703, 201606},
    {"template_auto", 201703, 201606},
    {"user_defined_literals", 201103, 200809},
    {"using_enum", 202002, 201907},
    {"variable_templates", 201402, 201304},
    {"variadic_templates", 201103, 200704},
    {"variadic_using", 201703, 201611},
};

static void define_switch(const char *text, struct sbuf *out)
{
    const char *equals = strchr(text, '=');
    if (equals)
        sbuf_printf(out, "#define %.*s %s\n", (int)(equals - text), text, equals + 1);
    else
        sbuf_printf(out, "#define %s 1\n", text);
}

unsigned pp_standard(const char *name)
{
    static const struct {
        const char *name;
        unsigned cplusplus;
    } rows[] = {{"98", 199711}, {"03", 199711}, {"11", 201103}, {"0x", 201103},
                {"14", 201402}, {"1y", 201402}, {"17", 201703}, {"1z", 201703},
                {"20", 202002}, {"2a", 202002}, {"23", 202302}, {"2b", 202302}};
    if (!name)
        return 201703;
    const char *year = !strncmp(name, "c++", 3)     ? name + 3
                       : !strncmp(name, "gnu++", 5) ? name + 5
                                                    : "";
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(year, rows[k].name))
            return rows[k].cplusplus;
    return 0;
}

static void define_features(unsigned standard, struct sbuf *out)
{
    const size_t n = sizeof features / sizeof *features;
    sbuf_printf(out, "#define __cplusplus %uL\n", standard);
    for (size_t k = 0; k < n; k++) {
        const bool newer = k + 1 < n && !strcmp(features[k].name, features[k + 1].name) &&
                           features[k + 1].since <= standard;
        if (features[k].since <= standard && !newer)
            sbuf_printf(out, "#define __cpp_%s %uL\n", features[k].name, features[k].value);
    }
}

void pp_predefined(const struct pp_options *opt, struct sbuf *out)
{
    unsigned arch = opt->arch ? opt->arch : 800;
    sbuf_puts(out, machine);
    define_features(pp_standard(opt->standard), out);
    if (opt->device || opt->host) /* names that are made of it are the same in both halves */
        sbuf_printf(out, "#define __CUDA_ARCH_LIST__ %u\n", arch);
    if (opt->device) {
        sbuf_printf(out, "#define __CUDA_ARCH__ %u\n", arch);
        sbuf_puts(out, "#define __TERN_DEVICE__ 1\n");
        if (arch == 900) /* what only sm_90a has is there for all */
            sbuf_puts(out, "#define __CUDA_ARCH_FEAT_SM90_ALL 1\n");
    }
    if (opt->host) /* the words __global__, __device__ … stay, for the parser */
        sbuf_puts(out, "#define __TERN_HOST__ 1\n#define __TERN_SPLIT__ 1\n"
                       "#define __EXCEPTIONS 1\n#define __cpp_exceptions 199711L\n"
                       "#define __GXX_RTTI 1\n#define __cpp_rtti 199711L\n");
    if (opt->host && opt->page)
        sbuf_puts(out, "#define __TERN_PAGE__ 1\n");
    if (opt->fast_math)
        sbuf_puts(out, "#define __USE_FAST_MATH__ 1\n");
    if (!opt->no_prelude)
        sbuf_puts(out, "#include <cuda_runtime.h>\n");
}

void pp_command_line(const struct pp_options *opt, struct sbuf *out)
{
    sbuf_puts(out, "");
    for (size_t i = 0; i < opt->nswitches; i++) {
        const struct pp_switch *s = &opt->switches[i];
        switch (s->kind) {
        case PP_DEFINE: define_switch(s->text, out); break;
        case PP_UNDEF: sbuf_printf(out, "#undef %s\n", s->text); break;
        case PP_INCLUDE: sbuf_printf(out, "#include \"%s\"\n", s->text); break;
        }
    }
}
