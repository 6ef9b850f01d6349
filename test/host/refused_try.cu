// REFUSED: refused_try.cu:10: exceptions are not supported here
#include <cstdio>
#include <stdexcept>

static void fails() { throw std::runtime_error("no"); }

int main()
{
    printf("never shown\n");
    try {
        fails();
    } catch (const std::exception &e) {
        printf("%s\n", e.what());
    }
}
