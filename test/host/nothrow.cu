// new (std::nothrow): NULL where there is no memory, of which nothing is made.
#include <cstdio>
#include <new>
struct counted {
    static int made;
    int v;
    counted(int v = 3) : v(v) { made++; }
};
int counted::made = 0;
struct ended {
    int v = 4;
    ~ended() { puts("ended"); }
};

int main()
{
    int *p = new (std::nothrow) int[10], *q = new (std::nothrow) int(7);
    counted *c = new (std::nothrow) counted[5], *d = new (std::nothrow) counted(9);
    ended *e = new (std::nothrow) ended;
    volatile size_t most = (size_t)1 << 58;
    char *huge = new (std::nothrow) char[most * 16];
    counted *none = new (std::nothrow) counted[most];
    printf("%d %d %d %d %d %d %d %d\n", p != nullptr, *q, c[4].v, d->v, e->v, counted::made, huge != nullptr, none != nullptr);
    try {
        char *volatile room = new char[most * 16];
        delete[] room;
    } catch (const std::bad_alloc &) {
        puts("thrown");
    }
    delete[] p;
    delete q;
    delete[] c;
    delete d;
    delete e;
}
