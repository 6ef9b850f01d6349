// Pointers to members of a class whose bases do not all lie first in it.
#include <cstdio>

struct A {
    int a = 10;
    int first() { return a; }
};
struct B {
    int b = 20, e = 21;
    int plain() { return b; }
};
struct C : A, B {
    int c = 30;
};
static constexpr int B::*fixed = &B::e;
static constexpr int C::*known = fixed;

int main()
{
    C c;
    int B::*pm = &B::b, B::*none = nullptr;
    int C::*cm = &B::b, C::*moved = pm, C::*nowhere = none;
    int (C::*first)() = &A::first;
    int (B::*plain)() = &B::plain;
    printf("%d %d %d %d\n", c.*cm, c.*moved, nowhere == nullptr, c.*known);
    printf("%d %d\n", (c.*first)(), (c.*plain)());
    // Those of a class and of its bases are compared, and go back to the base that has them.
    int B::*back = static_cast<int B::*>(cm), B::*lost = static_cast<int B::*>(nowhere);
    printf("%d %d %d %d\n", cm == &C::b, pm == cm, cm != moved, cm == known);
    printf("%d %d %d\n", c.*back, back == pm, lost == nullptr);
}
