// The address of a function with `...` of the program's own is not taken: who calls it would not know how.
// REFUSED: refused_host.cu:10: the address of 'all' is taken
#include <cstdarg>
#include <cstdio>

int all(int n, ...) { return n; }

int main()
{
    int (*p)(int, ...) = all;
    printf("%d\n", p(1, 2));
}
