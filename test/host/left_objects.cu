// What is destroyed where a goto leaves blocks, forwards and backwards; arrays of many objects; streams of errors alone.
#include <cstdio>
#include <iostream>

static int living, most;

struct counted {
    int value;
    counted(int v = 7) : value(v) { most = ++living > most ? living : most; }
    counted(const counted &o) : value(o.value) { living++; }
    ~counted()
    {
        if (value >= 0)
            std::printf(" ~%d", value);
        living--;
    }
};

static int forwards(int n)
{
    counted outer(1);
    for (int i = 0; i < 3; i++) {
        counted turn(10 + i);
        if (i == n) {
            counted inner(100);
            goto found;
        }
        if (i + 1 == n)
            goto next;
    }
    std::printf(" none");
found:
    std::printf(" found");
next:
    std::printf(" next");
    return living;
}

static int backwards()
{
    int turns = 0;
    counted outer(2);
again:
    counted each(20 + turns);
    {
        counted deep(30 + turns);
        if (++turns < 3)
            goto again;
    }
    return living;
}

static int from_try(bool thrown)
{
    counted outer(3);
    try {
        counted guarded(40);
        if (thrown)
            throw 5;
        goto out;
    } catch (int v) {
        counted caught(50 + v);
        goto out;
    }
    std::printf(" never");
out:
    std::printf(" out");
    return living;
}

static int many()
{
    counted all[100];
    counted rows[3][40];
    for (counted &c : all)
        c.value = -1;
    for (auto &row : rows)
        for (counted &c : row)
            c.value = -1;
    all[99].value = 99;
    all[0].value = 0;
    rows[2][39].value = 239;
    rows[1][0].value = 140;
    return living;
}

__global__ void device_side(int *out)
{
    struct adder {
        int *at, v;
        __device__ ~adder() { *at = *at * 3 + v; }
    };
    int turns = 0;
    adder outer{out, 1};
again:
    adder each{out, 2};
    {
        adder deep{out, turns};
        if (++turns < 3)
            goto again;
        goto done;
    }
done:
    if (turns == 3)
        *out += 1000;
}

int main()
{
    for (int n = 0; n < 5; n++) {
        int seen = forwards(n);
        std::printf(" | %d %d\n", seen, living);
    }
    int seen = backwards();
    std::printf(" | %d %d\n", seen, living);
    seen = from_try(false);
    std::printf(" | %d %d\n", seen, living);
    seen = from_try(true);
    std::printf(" | %d %d\n", seen, living);
    seen = many();
    std::printf(" | %d %d %d\n", seen, living, most);
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    device_side<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    std::printf("%d\n", *out);
    std::cerr << "nothing else goes there" << std::endl;
    return living;
}
