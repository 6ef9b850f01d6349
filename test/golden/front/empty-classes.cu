// RUN: tern compile %s --to ir -o %t
// Two empty objects of one class never share an address, however deep they lie: sizes as the
// Itanium ABI has them.
struct none {};
struct one : none { float f; };
struct two : none { one a; none b; float c; };
struct three : none { none b; one a; };
template <class L, class R> struct node : none { L left; R right; };
struct middle : none { char c; };
struct outer : one { middle m; };
struct row : none { one a[2]; };
__global__ void k(int *p)
{
    static_assert(sizeof(one) == 4, "the base takes no room");
    static_assert(sizeof(two) == 16, "a moves away from the base");
    static_assert(sizeof(three) == 8, "b does, and a follows");
    static_assert(sizeof(node<none, none>) == 3, "three at three addresses");
    static_assert(sizeof(node<node<none, one>, one>) == 16, "expression trees");
    static_assert(sizeof(outer) == 8, "m is behind one's f");
    static_assert(sizeof(row) == 12, "elements of arrays too");
    *p = sizeof(two);
}
