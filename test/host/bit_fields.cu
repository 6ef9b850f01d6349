// Bit-fields in expressions: their widths, not their types, say what they are promoted to. Pointers to virtual functions.
#include <cstdio>

enum small : unsigned { FIRST = 1 };
struct fields {
    unsigned a : 3, b : 31, c : 32;
    unsigned long long d : 20, e : 40;
    unsigned short f : 10;
    small g : 4;
    unsigned char h : 8;
    bool i : 1;
    unsigned long j : 32;
};

struct closed_last {
    bool a : 1;
    unsigned short b : 1;
    int : 0;
};
struct closed_within {
    char a : 3;
    int : 0;
    char b;
    short c : 5, : 0, d : 3;
    long long : 0;
    char e;
};
union closed_union {
    int : 0;
    char c;
};

struct shape {
    virtual ~shape() {}
    virtual double area() const = 0;
    virtual fields put(fields f, int k) { return f.a = k, f; }
    int plain(int x) { return x + 1; }
};
struct square : shape {
    double side = 3;
    double area() const override { return side * side; }
};
struct circle : shape {
    double area() const override { return throw 5, 0; }
    fields put(fields f, int k) override { return f.b = k, f; }
};

#define SHOW(e) printf(#e " = %lld, %d bytes\n", (long long)(e), (int)sizeof(e))

int main()
{
    fields s = {1, 2, 3, 4, 5, 6, FIRST, 7, true, 5};
    const fields &r = s, *p = &s;
    SHOW(s.a - 8), SHOW(s.b - 8), SHOW(s.c - 8), SHOW(s.d - 8), SHOW(s.e - 8), SHOW(s.f - 8), SHOW(s.g - 8), SHOW(s.h - 8), SHOW(s.i - 8), SHOW(s.j - 8);
    SHOW((s.a = 5) - 8), SHOW(--s.a - 8), SHOW((s.a += 1) - 8), SHOW((0, s.a) - 8), SHOW(r.a - 8), SHOW(p->a - 8), SHOW((unsigned)s.a - 8);
    SHOW(s.a++ - 8), SHOW(s.a-- - 8);
    SHOW(-s.a), SHOW(~s.b), SHOW(~s.c), SHOW(s.a < -1), SHOW(s.c < -1), SHOW(s.d > -1), SHOW(s.e > -1), SHOW(s.a << 29 >> 30), SHOW(s.b % -3), SHOW(s.a + 0u), SHOW((s.g | s.a) - 8), SHOW(s.a * 1.5 - 8);
    s.b = 10, s.b /= -3, SHOW(+s.b);
    s.d = 9, s.d /= -2, SHOW(+s.d);
    s.a = 6, s.a >>= 1, SHOW(+s.a);

    closed_within w = {1, 2, 3, 4, 5};
    printf("%zu %zu %zu:", sizeof(closed_last), sizeof w, sizeof(closed_union));
    for (size_t i = 0; i < sizeof w; i++)
        printf(" %d", ((unsigned char *)&w)[i]);
    puts("");

    double (shape::*area)() const = &shape::area;
    fields (shape::*put)(fields, int) = &shape::put;
    int (shape::*plain)(int) = &shape::plain;
    square q;
    circle c;
    shape *both[] = {&q, &c};
    for (shape *x : both) {
        const fields n = (x->*put)(s, 2);
        printf("%d %d %d\n", n.a, n.b, (x->*plain)(1));
        try {
            printf("%g\n", (x->*area)());
        } catch (int e) {
            printf("thrown %d\n", e);
        }
    }
    double (square::*own)() const = &square::area;
    printf("%g %d %d\n", (q.*own)(), area == &shape::area, put != nullptr);
}
