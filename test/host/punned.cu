// Host code in which an object is written as one type and read as another, where C++ or GCC allows that: an address is not
// read in front of a loop that writes it by another name. And loops that do not run at all: nothing is read in front of them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

union both {
    double d;
    void *p;
    uint64_t u[1];
    struct {
        void *q;
    } inner;
};
struct holder {
    union {
        double d;
        void *p;
    };
};

__attribute__((noinline)) static uintptr_t by_elements(both *x, int n)
{
    uintptr_t sum = 0;
    for (int i = 0; i < n; i++) {
        x->u[0] = 16 * (i + 1);
        sum += (uintptr_t)x->p + (uintptr_t)x->inner.q;
    }
    return sum;
}
__attribute__((noinline)) static uintptr_t by_members(holder *h, const double *d, int n)
{
    uintptr_t sum = 0;
    for (int i = 0; i < n; i++) {
        h->d = d[i];
        sum += (uintptr_t)h->p;
    }
    return sum;
}
__attribute__((noinline)) static uintptr_t by_bytes(void **p, const unsigned char *bytes, int n)
{
    uintptr_t sum = 0;
    for (int i = 0; i < n; i++) {
        ((unsigned char *)p)[i] = bytes[i];
        sum += (uintptr_t)*p;
    }
    return sum;
}
__attribute__((noinline)) static uintptr_t by_copy(void **p, uint64_t *from, int n)
{
    uintptr_t sum = 0;
    for (int i = 0; i < n; i++) {
        memcpy(p, from + i, sizeof *p);
        sum += (uintptr_t)*p;
    }
    return sum;
}

struct node {
    std::vector<double> *rows;
    int n;
    double sum;
};
__attribute__((noinline)) static double none(node *x, int n) // x may be nowhere
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        x->sum += (*x->rows)[i];
        s += x->sum * x->n;
    }
    return s;
}
__attribute__((noinline)) static double until(node *x, int n) // the loop is left before the second read
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i].n < 0)
            break;
        s += *x->rows->data();
    }
    return s;
}

int main()
{
    both b = {};
    holder h = {};
    uint64_t words[3] = {0x10, 0x200, 0x3000};
    double doubles[3];
    memcpy(doubles, words, sizeof words);
    void *p = nullptr;
    const unsigned char bytes[4] = {1, 2, 3, 4};
    printf("%llx %llx\n", (unsigned long long)by_elements(&b, 4), (unsigned long long)by_members(&h, doubles, 3));
    printf("%llx\n", (unsigned long long)by_bytes(&p, bytes, 4));
    printf("%llx\n", (unsigned long long)by_copy(&p, words, 3));
    std::vector<double> rows = {1, 2, 3};
    node x = {&rows, 2, 0}, nowhere = {nullptr, -1, 0};
    printf("%g %g %g %g\n", none(&x, 3), none(nullptr, 0), until(&x, 1), until(&nowhere, 5));
}
