// RUN: tern compile %s --to ir
constexpr int forever(int n) { while (true) n++; return n; }
__global__ void k(int *p)
{
    constexpr int x = forever(1);
    int a[forever(2)];
    *p = x;
}
