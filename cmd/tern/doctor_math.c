/* The functions of double on a device, held against their bounds (device/libm/ulp.def).
 *
 * The reference is the C library's long double, which is at least 11 bits finer. Functions that it
 * lacks are those of the interpreter, whose bits every device is to give. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "tern.h"
#include "tern/tern.h"

enum { POINTS = 512 };

static long double exp10_(long double x)
{
    return powl(10, x);
}
static long double rsqrt_(long double x)
{
    return 1 / sqrtl(x);
}
static long double rcbrt_(long double x)
{
    return 1 / cbrtl(x);
}

static const struct reference {
    const char *name;
    long double (*exact)(long double x);
} references[] = {
    {"sqrt", sqrtl},   {"rsqrt", rsqrt_}, {"cbrt", cbrtl},   {"rcbrt", rcbrt_}, {"exp", expl},
    {"exp2", exp2l},   {"exp10", exp10_}, {"expm1", expm1l}, {"log", logl},     {"log2", log2l},
    {"log10", log10l}, {"log1p", log1pl}, {"sin", sinl},     {"cos", cosl},     {"tan", tanl},
    {"asin", asinl},   {"acos", acosl},   {"atan", atanl},   {"sinh", sinhl},   {"cosh", coshl},
    {"tanh", tanhl},   {"asinh", asinhl}, {"acosh", acoshl}, {"atanh", atanhl}, {"erf", erfl},
    {"erfc", erfcl},
};

static const struct {
    const char *name;
    double bound, low, high;
} table[] = {
#define ULP_F1(name, bound, cuda, lo, hi)
#define ULP_F2(name, bound, cuda, lo, hi)
#define ULP_D2(name, bound, cuda, lo, hi)
#define ULP_FA(name, bound, beyond, cuda)
#define ULP_D1(name, bound, cuda, lo, hi) {#name, bound, lo, hi},
#define ULP_DA(name, bound, beyond, cuda) {#name, bound, 0.01, 7.9},
#include "device/libm/ulp.def"
};
enum { FUNCTIONS = sizeof table / sizeof *table };

static const struct reference *reference_of(const char *name)
{
    for (size_t k = 0; k < sizeof references / sizeof *references; k++)
        if (!strcmp(references[k].name, name))
            return &references[k];
    return NULL;
}

static double point(unsigned f, unsigned k)
{
    const double u = (k + 0.5 + 0.31 * sin(k)) / POINTS;
    return table[f].low + (table[f].high - table[f].low) * u;
}

/* Units in the last place of the exact value; beyond double's range infinity is exact. */
static double distance(double got, long double exact)
{
    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0 : INFINITY;
    if (isinf(got) || isinf((double)exact))
        return got == (double)exact ? 0 : INFINITY;
    int e = exact == 0 ? -1022 : ilogbl(exact);
    e = e < -1022 ? -1022 : e;
    return (double)(fabsl(exact - (long double)got) / ldexpl(1, e - 52));
}

/* One kernel for all: results of function f are at f * POINTS. */
static char *source(void)
{
    struct sbuf s;
    sbuf_init(&s, NULL);
    sbuf_puts(&s, "extern \"C\" __global__ void all(const double *x, double *y) {\n"
                  "    int k = blockIdx.x * blockDim.x + threadIdx.x;\n");
    for (unsigned f = 0; f < FUNCTIONS; f++)
        sbuf_printf(&s, "    y[%u + k] = %s(x[%u + k]);\n", f * POINTS, table[f].name, f * POINTS);
    sbuf_puts(&s, "}\n");
    return s.failed ? NULL : s.data;
}

static bool run(tern_device *d, const char *text, const double *x, double *y)
{
    const size_t bytes = FUNCTIONS * POINTS * sizeof(double);
    tern_buffer *in = NULL, *out = NULL;
    tern_module *m = NULL;
    tern_kernel *k;
    bool good = !tern_buffer_new(d, bytes, &in) && !tern_buffer_new(d, bytes, &out) &&
                !tern_buffer_write(in, 0, x, bytes) &&
                !tern_module_new(d, &(struct tern_source){.text = text}, &m) &&
                !tern_module_kernel(m, "all", &k);
    if (good) {
        uint64_t a = tern_buffer_address(in), b = tern_buffer_address(out);
        good = !tern_launch(NULL, k, (tern_dim){POINTS / 64, 1, 1}, (tern_dim){64, 1, 1}, 0,
                            (void *[]){&a, &b}) &&
               !tern_device_wait(d) && !tern_buffer_read(out, 0, y, bytes);
    }
    tern_module_free(m);
    tern_buffer_free(in);
    tern_buffer_free(out);
    return good;
}

static bool run_interpreter(const char *text, const double *x, double *y)
{
    tern_context *c = NULL;
    tern_device *d;
    const struct tern_options options = {.devices = "interp"};
    const bool good =
        !tern_context_new(&options, &c) && !tern_context_device(c, 0, &d) && run(d, text, x, y);
    tern_context_free(c);
    return good;
}

static struct doctor_function compare(unsigned f, const double *x, const double *y,
                                      const double *truth)
{
    const struct reference *r = reference_of(table[f].name);
    struct doctor_function out = {.name = table[f].name, .bound = table[f].bound};
    for (unsigned k = 0; k < POINTS; k++) {
        const double ulp =
            r ? distance(y[k], r->exact((long double)x[k])) : distance(y[k], (long double)truth[k]);
        out.worst = ulp > out.worst ? ulp : out.worst;
    }
    out.within = out.worst <= (r ? out.bound : 0);
    return out;
}

size_t doctor_functions(tern_device *d, struct doctor_function **out)
{
    const size_t n = FUNCTIONS * POINTS;
    double *x = malloc(3 * n * sizeof *x);
    char *text = source();
    struct doctor_function *all = calloc(FUNCTIONS, sizeof *all);
    size_t found = 0;
    if (x && text && all) {
        double *y = x + n, *truth = y + n;
        for (unsigned f = 0; f < FUNCTIONS; f++)
            for (unsigned k = 0; k < POINTS; k++)
                x[f * POINTS + k] = point(f, k);
        if (run(d, text, x, y) && run_interpreter(text, x, truth))
            for (; found < FUNCTIONS; found++)
                all[found] = compare((unsigned)found, x + found * POINTS, y + found * POINTS,
                                     truth + found * POINTS);
    }
    free(x);
    free(text);
    *out = all;
    return found;
}
