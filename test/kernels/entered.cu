// Jumps into the middle of other statements, and classes that leave memory as it is.
// TEST into_branches: --kernel into_branches --arg 'i32[64]=0' --block 64
// EXPECT arg 0: sum 655021 checksum 6d3266f9b2dbc20e
// TEST duff: --kernel duff --arg 'i32[32]=0' --block 32
// EXPECT arg 0: sum 159000 checksum 47d9441cc4c1804a
// TEST back_in: --kernel back_in --arg 'i32[32]=0' --block 32
// EXPECT arg 0: sum 25840 checksum bff4927afd93fba7
// TEST unions: --kernel unions --arg 'i32[5]'
// EXPECT arg 0: sum 5 checksum e513ec437a13fd84
// TEST operands: --kernel operands --arg 'i32[5]'
// EXPECT arg 0: sum 5 checksum e513ec437a13fd84
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// A label inside the branch that the jumping threads did not take.
__device__ void visit(int *out, int t, bool known)
{
    int found = -1;
    if (known) {
        found = 2 * t;
        if (t % 3 == 0)
            goto add;
    } else {
        if (t % 2) {
            for (int i = 0; i < 8; i++)
                if (i == t % 8) {
                    found = 100 + i;
                    goto add;
                }
            return;
        add:
            out[t] = found + 1;
            if (t & 4)
                out[t] += 1000;
        }
    }
    out[t] += 10000;
}
__global__ void into_branches(int *out)
{
    visit(out, threadIdx.x, threadIdx.x < 32);
}

// A loop that is entered at one of its cases.
__global__ void duff(int *out)
{
    int n = threadIdx.x + 1, k = (n + 3) / 4, sum = 0;
    switch (n % 4) {
    case 0:
        do {
            sum += 1;
    case 3: sum += 10;
    case 2: sum += 100;
    case 1: sum += 1000;
        } while (--k > 0);
    }
    out[threadIdx.x] = sum;
}

// Two ways into a loop.
__global__ void back_in(int *out)
{
    int t = threadIdx.x, i = 0;
    if (t & 1)
        goto middle;
    for (; i < t; i += 2) {
        out[t] += 1;
    middle:
        out[t] += 100;
    }
}

// Members of an unnamed union are nobody's to construct; an empty constructor leaves zeros.
struct part {
    int v;
    __device__ part() {}
    __device__ part(const part &o) : v(o.v) {}
    __device__ ~part() {}
};
struct holder {
    __device__ holder() {}
    __device__ holder(const holder &o)
    {
        for (int i = 0; i < 4; i++)
            parts[i].v = o.parts[i].v;
    }
    __device__ ~holder() {}
    union {
        part parts[4];
        int words[4];
    };
};
struct chosen {
    union {
        part p;
        int n = 7;
    };
    __device__ chosen() {}
    __device__ ~chosen() {}
};
__constant__ holder table[2];
__device__ holder more;

__global__ void unions(int *out)
{
    holder a;
    for (int i = 0; i < 4; i++)
        a.words[i] = i + 1;
    holder b(a);
    CHECK(b.words[3] == 4 && b.parts[0].v == 1);
    CHECK(sizeof(holder) == 16);
    chosen c;
    CHECK(c.n == 7 && c.p.v == 7);
    CHECK(table[1].words[2] == 0);
    CHECK(more.words[3] == 0);
}

// Operators of classes are not for enumerations, though one can be made of them.
struct text {
    int n;
    __host__ __device__ text(char c, int times = 1) : n(c * 100 + times) {}
};
__host__ __device__ bool operator<(const text &a, const text &b) { return a.n > b.n; }
__host__ __device__ bool operator==(const text &a, const text &b) { return a.n != b.n; }
__host__ __device__ int operator+(const text &, const text &) { return -1; }
enum count { none, one, two, most };
enum class level { low = 1, high };
__host__ __device__ int operator+(level a, int b) { return (int)a * 10 + b; }

__global__ void operands(int *out)
{
    unsigned char at = 0;
    int steps = 0;
    for (; at < most; ++at)
        steps++;
    CHECK(steps == 3);
    CHECK(one == 1 && !(one == two));
    CHECK(one + two == 3);
    CHECK(level::high + 3 == 23);
    CHECK(text('a') < text('A'));
}
