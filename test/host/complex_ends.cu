// Products, quotients and functions of complex numbers at the ends of their range, by numbers and by each other.
#include <complex>
#include <cstdio>

template <class T> void say(const char *what, const std::complex<T> &z)
{
    // A NaN's sign is nobody's.
    printf("%s", what);
    for (T x : {z.real(), z.imag()})
        x != x ? printf(" nan") : printf(" %.5g", (double)x);
    printf("\n");
}

template <class T> void ends(T far)
{
    typedef std::complex<T> z;
    const T inf = INFINITY;
    z a(3 * far, -4 * far);
    say("far over far", a / z(far, far));
    say("by a number", a /= far);
    say("times a number", a *= far);
    say("plus", a += far);
    say("minus", a -= far);
    say("near", z(1 / far, 2 / far) / z(4 / far, 1 / far));
    say("a number over", T(5) / z(3, 4));
    say("turned", z(1, 2) / z(3, -4));
    say("and so", z(1, 2) / z(-4, 3));
    say("over zero", z(1, -2) / z(0, 0));
    say("infinite", z(inf, 1) / z(1, 2));
    say("over infinity", z(1, 2) / z(inf, -inf));
    say("infinite times", z(inf, inf) * z(1, 2));
    say("times infinity", z(1, 2) * z(0, inf));
    say("beyond", z(far, far) * z(far, far) * z(far, far));
    say("not a number", z(NAN, NAN) * z(1, 2));
    a = T(7);
    say("is", a);
}

template <class T> void functions()
{
    typedef std::complex<T> z;
    const T inf = INFINITY;
    for (const z &at : {z(2, 3), z(-0.5f, 0.25f), z(800, 1), z(-800, -1), z(0, -0.0f), z(-4, -0.0f), z(-inf, 1), z(1, inf), z(inf, -inf)}) {
        say("at", at);
        say("exp", exp(at));
        say("log10", log10(at));
        say("sqrt", sqrt(at));
        say("tanh", tanh(at));
        say("sinh", sinh(at));
        say("cos", cos(at));
        say("tan", tan(at));
        say("proj", proj(at));
        say("pow", pow(T(2), at));
    }
    for (const z &at : {z(2, 3), z(-0.5f, 0.25f), z(0, -2)}) {
        say("asin", asin(at));
        say("acos", acos(at));
        say("atan", atan(at));
        say("asinh", asinh(at));
        say("acosh", acosh(at));
        say("atanh", atanh(at));
    }
}

int main()
{
    ends<double>(1e170);
    ends<float>(1e25f);
    functions<double>();
    functions<float>();
}
