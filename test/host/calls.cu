// Calls of the C library and of the program's own functions: many arguments, small integers, floats, pointers to
// functions, callbacks from C.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static long many(int a, long b, char c, short d, float e, double f, unsigned char g, int h, int i, long j, short k, float l, bool m,
                 double n, float o, double p, float q, double r, float s, double t)
{
    return (long)(a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t);
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static signed char negative(signed char c) { return -c; }
static unsigned short wrapped(unsigned short s) { return s + 1; }
static float half(float x) { return x / 2; }
typedef double (*function)(double);
static double apply(function f, double x) { return f(x); }
static double twice(double x) { return 2 * x; }

struct pair { int a; double b; };
static pair made(int a, double b) { pair p = {a, b}; return p; }
static double sum(pair p, pair *q) { p.a++; return p.a + p.b + q->a + q->b; }

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

int main(int argc, char **argv)
{
    printf("%d %s %s\n", argc, argv[1], argv[2]);
    printf("%d %ld %c %hd %g %g %u %d %d %ld %d %g %d %g %g %g %g %g %g %s\n", 1, 2L, 'c', (short)-4, 5.5f, 6.5, 7u, 8, 9, 10L, -11, 12.25f,
           true, 14.5, 15.5f, 16.0, 17.0, 18.0, 19.0, "end");
    printf("%ld\n", many(1, 2, 3, 4, 5.f, 6., 7, 8, 9, 10, 11, 12.f, true, 14., 15.f, 16., 17.f, 18., 19.f, 20.));
    printf("%d %d %d %d\n", negative(100), negative(-128), wrapped(65535), (int)half(7));
    int v[] = {5, -3, 9, 0, 2, 7, -8, 1};
    qsort(v, 8, sizeof v[0], by_value);
    for (int x : v)
        printf("%d ", x);
    const function table[] = {twice, sqrt, fabs};
    for (function f : table)
        printf("%g ", apply(f, 6.25));
    pair q = made(3, 0.5), r = q;
    printf("%g %d\n", sum(q, &r), q.a);
    char text[64];
    snprintf(text, sizeof text, "%s-%d", "abc", factorial(10));
    printf("%s %zu %d %s\n", text, strlen(text), strcmp(text, "abd") < 0, strchr(text, '-') + 1);
    div_t d = div(17, 5);
    printf("%d %d %d\n", d.quot, d.rem, abs(-7));
    srand(7);
    int a = rand();
    srand(7);
    printf("%d %g %g\n", a == rand(), floor(-1.5), pow(2, 10));
    unsigned long big = strtoul("18446744073709551615", nullptr, 10);
    printf("%lu %.3f %d\n", big, (double)big / 3, (int)(unsigned char)big);
    return argc + 4;
}
