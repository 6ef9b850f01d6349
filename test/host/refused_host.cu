// A try that stands around a whole function is not taken.
// REFUSED: refused_host.cu:6: a try around a whole function is not supported
#include <cstdio>

int throws() { throw 1; }
int whole() try { return throws(); } catch (...) { return 2; }

int main()
{
    printf("%d\n", whole());
}
