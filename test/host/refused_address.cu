// Functions of C take complex numbers in registers, ours by their addresses: a pointer could not tell.
// REFUSED: refused_address.cu:8: the address of 'cusolverSpCcsrqrSetup', which takes or gives a class
#include <cusolverSp.h>

int main()
{
    cusolverSpDcsrqrSetup(nullptr, 1, 1, 1, nullptr, nullptr, nullptr, nullptr, 0.5, nullptr);
    auto *setup = cusolverSpCcsrqrSetup;
    return setup(nullptr, 1, 1, 1, nullptr, nullptr, nullptr, nullptr, make_cuComplex(1, 2), nullptr);
}
