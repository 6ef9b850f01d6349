// Types at run time, and long double.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <typeinfo>
#include <vector>

struct base { virtual ~base() {} int b = 1; };
struct other { virtual ~other() {} int o = 2; };
struct derived : base, other { int d = 3; };
struct last : derived { int l = 4; };
struct hidden : private base { base *get() { return this; } };
template <class T> const char *name() { return typeid(T).name(); }

int main()
{
    last x;
    hidden h;
    base *b = &x, alone;
    other *o = dynamic_cast<other *>(b);
    printf("%d %d %d\n", o->o, dynamic_cast<last *>(o) == &x, dynamic_cast<void *>(o) == &x);
    printf("%d %d\n", dynamic_cast<derived *>(&alone) == nullptr, dynamic_cast<hidden *>(&x.b == nullptr ? b : b) == nullptr);
    try { printf("%d\n", dynamic_cast<derived &>(*b).d); dynamic_cast<derived &>(alone).d = 1; } catch (const std::bad_cast &e) { printf("%s\n", e.what()); }
    printf("%s %s %s %s %s\n", name<int>(), name<const double *>(), name<std::vector<derived>>() ? "vector" : "", typeid(*b).name(), typeid(b).name());
    printf("%d %d %d\n", typeid(*b) == typeid(last), typeid(*b) != typeid(base), typeid(alone) == typeid(base));
    try { throw h; } catch (base &) { printf("not so\n"); } catch (hidden &) { printf("hidden\n"); }
    try { throw &x; } catch (const other *p) { printf("%d\n", p->o); }
    const long double third = 1.0L / 4, root = std::sqrt(third);
    printf("%.3Lf %Lg %s\n", third, root, sizeof(long double) >= sizeof(double) ? "wide" : "");
    int power;
    long double whole;
    const long double fraction = std::frexp(6.0L, &power), part = modfl(2.75L, &whole);
    printf("%.3Lf %.3Lf %ld %.3Lf %d", erfcl(0.5L), std::fdim(3.0L, 1.0L), std::lround(2.6L), fraction, power);
    printf(" %.2Lf %.1Lf %.1Lf %.1Lf %.1Lf\n", part, whole, std::ldexp(1.0L, 3), fmal(2.0L, 3.0L, 1.0L), std::expm1(0.0L));
    int status;
    char *const plain = abi::__cxa_demangle(typeid(other).name(), nullptr, nullptr, &status);
    printf("%s\n", !plain == (status != 0) && (!plain || !strcmp(plain, "other")) ? "named" : plain);
}
