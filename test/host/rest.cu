// Functions with `...`, and a try around a whole function.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

struct small { int a, b; };
struct large { double x[3]; int n; };

static double sum(const char *kinds, ...)
{
    va_list ap;
    va_start(ap, kinds);
    double s = 0;
    for (const char *k = kinds; *k; k++)
        switch (*k) {
        case 'i': s += va_arg(ap, int); break;
        case 'u': s += va_arg(ap, unsigned); break;
        case 'l': s += va_arg(ap, long long); break;
        case 'd': s += va_arg(ap, double); break;
        case 's': s += strlen(va_arg(ap, const char *)); break;
        case 'f': s += va_arg(ap, int (*)(int))(3); break;
        case 'p': { small p = va_arg(ap, small); s += p.a * 10 + p.b; break; }
        case 'q': { large q = va_arg(ap, large); s += q.x[0] + q.x[2] + q.n; break; }
        }
    va_end(ap);
    return s;
}
static int twice(int x) { return 2 * x; }

static std::string format(const char *f, ...)
{
    char buffer[64];
    va_list ap, again;
    va_start(ap, f);
    va_copy(again, ap);
    const int n = vsnprintf(nullptr, 0, f, ap);
    vsnprintf(buffer, sizeof buffer, f, again);
    va_end(again);
    va_end(ap);
    return std::string(buffer) + "/" + std::to_string(n);
}
static int hand_on(char *to, size_t size, const char *f, va_list ap) { return vsnprintf(to, size, f, ap); }
struct logger {
    int level = 3;
    void say(const char *f, ...) const
    {
        char text[128];
        va_list ap;
        va_start(ap, f);
        hand_on(text, sizeof text, f, ap);
        va_end(ap);
        printf("[%d] %s\n", level, text);
    }
    virtual int count(int n, ...) const
    {
        va_list ap;
        va_start(ap, n);
        int s = 0;
        while (n--)
            s += pass(ap);
        va_end(ap);
        return s;
    }
    int pass(va_list &ap) const { return va_arg(ap, int); }
    virtual ~logger() {}
};
struct other { virtual void f() {} int x = 1; };
struct derived : other, logger {
    int count(int n, ...) const override
    {
        va_list ap;
        va_start(ap, n);
        int s = level * 1000;
        for (int i = 0; i < n; i++)
            s += va_arg(ap, int) * (i + 1);
        va_end(ap);
        return s;
    }
};

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

struct noisy {
    const char *name;
    noisy(const char *n) : name(n) { printf("+%s ", n); }
    ~noisy() { printf("-%s ", name); }
};
struct fails { fails(int n) { if (n > 1) throw std::runtime_error("too many"); } };
static int whole(int n)
try {
    noisy x("x");
    fails f(n);
    return n;
} catch (const std::exception &e) {
    printf("%s: %d\n", e.what(), n);
    return -n;
}
struct made {
    noisy a;
    fails f;
    noisy b;
    made(int n) try : a("a"), f(n), b("b") {
        if (n == 1)
            throw 5;
        printf("made ");
    } catch (int v) {
        printf("caught %d ", v);
    } catch (...) {
        printf("caught ");
        throw 7;
    }
};

int main()
{
    printf("%g\n", sum("iuldsf", -1, 2u, 3ll, 4.5f, "four", twice));
    printf("%g\n", sum("iiiiiiiiiiiiddddddddddi", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1., (short)13));
    printf("%g\n", sum("piqi", small{4, 2}, 1, large{{1, 2, 3}, 4}, (char)5));
    printf("%g\n", sum(""));
    printf("%s %s\n", format("%d %s %5.2f %c %lld", 42, "text", 3.14159, 'x', 1ll << 40).c_str(), format("plain").c_str());
    logger l;
    l.say("%s %d %g", "words", 7, 0.5);
    derived d;
    const logger *p = &d;
    printf("%d %d\n", l.count(3, 1, 2, 3), p->count(3, 1, 2, 3));
    int (*print)(const char *, ...) = printf;
    print("%d %s %g\n", 1, "through a pointer", 2.5);
    int v[] = {3, 1, 2};
    qsort(v, 3, sizeof *v, compare);
    int *list = new int[4]{v[2], v[1]};
    noisy *all = new noisy[2]{{"one"}, {"two"}};
    printf("%d %d %d\n", list[0], list[1], list[3]);
    delete[] all;
    delete[] list;
    printf("\n%d\n", whole(1));
    printf("%d\n", whole(2));
    for (int n = 0; n < 3; n++)
        try {
            made m(n);
        } catch (int e) {
            printf("outside %d\n", e);
        }
    printf("\n");
}
