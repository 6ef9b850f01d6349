// RUN: tern compile %s --to ir -o %t
class counter {
    int value;
};
__global__ void k(counter *c)
{
    c->value = 1;
}
