// What is thrown and never caught ends the program by abort(); what was printed before is there.
#include <cstdio>
#include <stdexcept>
#include <string>

static int checked(int x)
{
    if (x > 2)
        throw std::runtime_error("more than " + std::to_string(2));
    return x;
}

int main()
{
    for (int i = 0; i < 5; i++) {
        printf("%d\n", checked(i));
        fflush(stdout);
    }
}
