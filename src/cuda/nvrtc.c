/* Run-time compilation in the shape of NVRTC: CUDA C++ text to PTX, which cuModuleLoadData takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_runtime.h"
#include "cuda/nvrtc.h"
#include "rt/compile.h"

struct _nvrtcProgram {
    char *source, *name;
    struct rt_header *headers;
    size_t nheaders;
    char **names; /* name expressions */
    size_t nnames;
    struct rt_compiled result;
    char *log;           /* of options; the compiler's is in result */
    bool compiled, real; /* real: for a machine, not a virtual one */
};

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define X(name, number)                                                                            \
    case NVRTC_##name: return "NVRTC_" #name;
        NVRTC_RESULTS(X)
#undef X
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
    return NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count)
        return NVRTC_ERROR_INVALID_INPUT;
    *count = sizeof archs / sizeof *archs;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, archs, sizeof archs);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    nvrtcProgram p = *program;
    for (size_t k = 0; k < p->nheaders; k++) {
        free((void *)p->headers[k].name);
        free((void *)p->headers[k].text);
    }
    for (size_t k = 0; k < p->nnames; k++)
        free(p->names[k]);
    rt_compiled_free(&p->result);
    free(p->headers);
    free(p->names);
    free(p->source);
    free(p->name);
    free(p->log);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int nheaders, const char *const *headers,
                               const char *const *include_names)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    *program = NULL;
    if (!source || nheaders < 0 || (nheaders && (!headers || !include_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    p->headers = calloc((size_t)nheaders + 1, sizeof *p->headers);
    bool ok = p->source && p->name && p->headers;
    for (int k = 0; k < nheaders && ok; k++) {
        p->headers[k] = (struct rt_header){strdup(include_names[k]), strdup(headers[k])};
        p->nheaders++;
        ok = p->headers[k].name && p->headers[k].text;
    }
    if (!ok) {
        nvrtcDestroyProgram(&p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *program = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *name)
{
    if (!p || !name)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (p->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    char **grown = realloc(p->names, (p->nnames + 1) * sizeof *grown);
    if (!grown)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->names = grown;
    p->names[p->nnames] = strdup(name);
    if (!p->names[p->nnames])
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->nnames++;
    return NVRTC_SUCCESS;
}

/* The name as the compiler takes it: kernels are named, not pointed at. */
static const char *plain_name(const char *name)
{
    while (*name == '&' || *name == ' ')
        name++;
    return name;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *name, const char **lowered)
{
    if (!p || !name || !lowered)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (!p->compiled || !p->result.text)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t k = 0; k < p->result.nsymbols; k++)
        if (!strcmp(p->names[k], name) && p->result.symbols[k]) {
            *lowered = p->result.symbols[k];
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- options ---- */

enum option_kind {
    OPTION_ARCH,
    OPTION_INCLUDE,
    OPTION_DEFINE,
    OPTION_UNDEFINE,
    OPTION_FMAD,
    OPTION_FAST,
    OPTION_F64,
    OPTION_LINES,
    OPTION_STANDARD,
    OPTION_FIRST,  /* a header to begin with */
    OPTION_DEVICE, /* what says nothing of where it lives is the device's */
    OPTION_FLAG,   /* changes nothing here */
    OPTION_VALUE,  /* the same, with a value */
};
static const struct {
    const char *name;
    enum option_kind kind;
} known[] = {
    {"--gpu-architecture", OPTION_ARCH},
    {"-arch", OPTION_ARCH},
    {"--include-path", OPTION_INCLUDE},
    {"-I", OPTION_INCLUDE},
    {"--define-macro", OPTION_DEFINE},
    {"-D", OPTION_DEFINE},
    {"--undefine-macro", OPTION_UNDEFINE},
    {"-U", OPTION_UNDEFINE},
    {"--fmad", OPTION_FMAD},
    {"-fmad", OPTION_FMAD},
    {"--use_fast_math", OPTION_FAST},
    {"-use_fast_math", OPTION_FAST},
    {"--f64", OPTION_F64}, /* fast: double as pairs of floats */
    {"--generate-line-info", OPTION_LINES},
    {"-lineinfo", OPTION_LINES},
    /* more exact than asked for is allowed */
    {"--ftz", OPTION_VALUE},
    {"-ftz", OPTION_VALUE},
    {"--prec-div", OPTION_VALUE},
    {"-prec-div", OPTION_VALUE},
    {"--prec-sqrt", OPTION_VALUE},
    {"-prec-sqrt", OPTION_VALUE},
    {"--std", OPTION_STANDARD},
    {"-std", OPTION_STANDARD},
    {"--pre-include", OPTION_FIRST},
    {"-include", OPTION_FIRST},
    {"--device-as-default-execution-space", OPTION_DEVICE},
    {"-default-device", OPTION_DEVICE},
    {"--maxrregcount", OPTION_VALUE},
    {"-maxrregcount", OPTION_VALUE},
    {"--relocatable-device-code", OPTION_VALUE},
    {"-rdc", OPTION_VALUE},
    {"--dopt", OPTION_VALUE},
    {"-dopt", OPTION_VALUE},
    {"--ptxas-options", OPTION_VALUE},
    {"-Xptxas", OPTION_VALUE},
    {"--device-debug", OPTION_FLAG},
    {"-G", OPTION_FLAG},
    {"--restrict", OPTION_FLAG},
    {"-restrict", OPTION_FLAG},
    {"--extra-device-vectorization", OPTION_FLAG},
    {"-extra-device-vectorization", OPTION_FLAG},
    {"--disable-warnings", OPTION_FLAG},
    {"-w", OPTION_FLAG},
    {"--extensible-whole-program", OPTION_FLAG},
    {"-ewp", OPTION_FLAG},
    {"--device-c", OPTION_FLAG},
    {"-dc", OPTION_FLAG},
    {"--device-w", OPTION_FLAG},
    {"-dw", OPTION_FLAG},
    {"--display-error-number", OPTION_FLAG},
    {"-err-no", OPTION_FLAG},
    {"--no-display-error-number", OPTION_FLAG},
    {"-no-err-no", OPTION_FLAG},
    {"--diag-error", OPTION_VALUE},
    {"-diag-error", OPTION_VALUE},
    {"--diag-suppress", OPTION_VALUE},
    {"-diag-suppress", OPTION_VALUE},
    {"--diag-warn", OPTION_VALUE},
    {"-diag-warn", OPTION_VALUE},
    {"--brief-diagnostics", OPTION_VALUE},
    {"-brief-diag", OPTION_VALUE},
    {"--warning-as-error", OPTION_VALUE},
    {"-Werror", OPTION_VALUE},
    {"--Wreorder", OPTION_FLAG},
    {"-Wreorder", OPTION_FLAG},
    {"--optimization-info", OPTION_VALUE},
    {"-opt-info", OPTION_VALUE},
    /* these say how it is compiled, not what it means */
    {"--Ofast-compile", OPTION_VALUE},
    {"-Ofc", OPTION_VALUE},
    {"--jump-table-density", OPTION_VALUE},
    {"-jtd", OPTION_VALUE},
    {"--split-compile", OPTION_VALUE},
    {"-split-compile", OPTION_VALUE},
    {"--frandom-seed", OPTION_VALUE},
    {"-frandom-seed", OPTION_VALUE},
    {"--device-stack-protector", OPTION_VALUE},
    {"-device-stack-protector", OPTION_VALUE},
    {"--modify-stack-limit", OPTION_VALUE},
    {"-modify-stack-limit", OPTION_VALUE},
    {"--no-cache", OPTION_FLAG},
    {"-no-cache", OPTION_FLAG},
    {"--pch", OPTION_FLAG},
    {"-pch", OPTION_FLAG},
    {"--minimal", OPTION_FLAG},
    {"-minimal", OPTION_FLAG},
    /* what they ask for, or leave out, is always there */
    {"--builtin-move-forward", OPTION_VALUE},
    {"-builtin-move-forward", OPTION_VALUE},
    {"--builtin-initializer-list", OPTION_VALUE},
    {"-builtin-initializer-list", OPTION_VALUE},
    {"--device-int128", OPTION_FLAG},
    {"-device-int128", OPTION_FLAG},
};

/* The option at options[*k], its value behind a '=', glued on (-I, -D, -U) or in the next word. */
static int read_option(int n, const char *const *options, int *k, const char **value)
{
    const char *word = options[*k];
    *value = NULL;
    for (size_t j = 0; j < sizeof known / sizeof *known; j++) {
        const size_t len = strlen(known[j].name);
        if (strncmp(word, known[j].name, len))
            continue;
        const bool flag = known[j].kind == OPTION_FLAG || known[j].kind == OPTION_FAST ||
                          known[j].kind == OPTION_LINES || known[j].kind == OPTION_DEVICE;
        if (flag && word[len])
            continue;
        if (word[len] == '=')
            *value = word + len + 1;
        else if (word[len] && len == 2)
            *value = word + len;
        else if (word[len])
            continue;
        else if (!flag && *k + 1 < n)
            *value = options[++*k];
        return flag || *value ? (int)known[j].kind : -1;
    }
    return -1;
}

/* real: of a machine (sm_80), not virtual (compute_80) */
static bool read_arch(const char *value, unsigned *arch, bool *real)
{
    const char *digits = strchr(value, '_');
    char *end;
    const unsigned long n = strtoul(digits ? digits + 1 : value, &end, 10);
    if (n < 50 || n > 200)
        return false;
    *arch = (unsigned)n * 10;
    *real = !strncmp(value, "sm_", 3);
    return true;
}

static bool is_standard(const char *name)
{
    static const char *const names[] = {"c++03", "c++11", "c++14", "c++17", "c++20"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return true;
    return false;
}

static bool take_options(int n, const char *const *options, struct rt_request *r, bool *real,
                         const char **include_dirs, struct rt_define *defines)
{
    *real = false;
    for (int k = 0; k < n; k++) {
        const char *value;
        switch (read_option(n, options, &k, &value)) {
        case OPTION_ARCH:
            if (!read_arch(value, &r->mode.arch, real))
                return false;
            break;
        case OPTION_INCLUDE: include_dirs[r->ninclude_dirs++] = value; break;
        case OPTION_DEFINE: defines[r->ndefines++] = (struct rt_define){'D', value}; break;
        case OPTION_UNDEFINE: defines[r->ndefines++] = (struct rt_define){'U', value}; break;
        case OPTION_FMAD: r->mode.no_fmad = !strcmp(value, "false"); break;
        case OPTION_FAST: r->mode.fast_math = true; break;
        case OPTION_F64:
            r->mode.fast_f64 = !strcmp(value, "fast");
            if (!r->mode.fast_f64 && strcmp(value, "exact") != 0)
                return false;
            break;
        case OPTION_LINES: r->line_info = true; break;
        case OPTION_STANDARD:
            r->standard = value;
            if (!is_standard(value))
                return false;
            break;
        case OPTION_FIRST: defines[r->ndefines++] = (struct rt_define){'i', value}; break;
        case OPTION_DEVICE: r->default_device = true; break;
        case OPTION_FLAG:
        case OPTION_VALUE: break;
        default: return false;
        }
    }
    return true;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int noptions, const char *const *options)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (noptions < 0 || (noptions && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    const size_t n = (size_t)noptions;
    struct rt_request r = {.path = p->name,
                           .text = p->source,
                           .mode = {.arch = 800},
                           .nnames = p->nnames,
                           .headers = p->headers,
                           .nheaders = p->nheaders};
    const char **include_dirs = calloc(n + 1, sizeof *include_dirs);
    struct rt_define *defines = calloc(n + 1, sizeof *defines);
    const char **names = calloc(p->nnames + 1, sizeof *names);
    nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;
    if (include_dirs && defines && names) {
        include_dirs[r.ninclude_dirs++] = "."; /* where headers that came along are found too */
        for (size_t k = 0; k < p->nnames; k++)
            names[k] = plain_name(p->names[k]);
        result = NVRTC_ERROR_INVALID_OPTION;
        if (take_options(noptions, options, &r, &p->real, include_dirs, defines)) {
            r.include_dirs = include_dirs;
            r.defines = defines;
            r.names = names;
            rt_compiled_free(&p->result);
            const enum tern_error e = rt_compile(&r, &p->result);
            result = !e                        ? NVRTC_SUCCESS
                     : e == TERN_OUT_OF_MEMORY ? NVRTC_ERROR_OUT_OF_MEMORY
                                               : NVRTC_ERROR_COMPILATION;
            p->compiled = true;
        }
    }
    free(include_dirs);
    free(defines);
    free(names);
    return result;
}

/* ---- results ---- */

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    if (!p || !size)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (!p->result.text)
        return NVRTC_ERROR_INVALID_PROGRAM;
    *size = p->result.length + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
    if (!p || !ptx)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (!p->result.text)
        return NVRTC_ERROR_INVALID_PROGRAM;
    memcpy(ptx, p->result.text, p->result.length + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    if (!p || !size)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    *size = (p->result.log ? strlen(p->result.log) : 0) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    if (!p || !log)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    strcpy(log, p->result.log ? p->result.log : "");
    return NVRTC_SUCCESS;
}

/* Of a real architecture there is an image that cuModuleLoadData takes, as callers expect: the PTX,
 * for there is no machine code here. Of a virtual one, nothing. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
    if (p && p->real)
        return nvrtcGetPTXSize(p, size);
    if (!p || !size)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    *size = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin)
{
    if (p && p->real)
        return nvrtcGetPTX(p, cubin);
    return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
}

/* Another compiler's code: none. */
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *size)
{
    if (!p || !size)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    *size = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *ir)
{
    (void)ir;
    return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
}
