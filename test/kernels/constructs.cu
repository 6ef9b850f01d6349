// One kernel for each construct that is easily dropped; all write what they computed.
// TEST extern_c: --kernel plain_name --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 1264 checksum 1d04ee2ba99fcade
// TEST bounds: --kernel bounded --block 64 --arg 'i32[64]'
// EXPECT arg 0: sum 2016 checksum 9a1198237bd12b25
// TEST bytes: --kernel bytes --block 64 --arg 'u8[64]=rand:1' --arg 'u8[64]'
// EXPECT arg 1: sum 8067 checksum c868aa4dd5686e6c
// TEST longs: --kernel longs --block 32 --arg 'u64[32]=rand:2' --arg 'u64[32]'
// EXPECT arg 1: sum 5161233590113702968 checksum d118577b214956cf
// TEST switches: --kernel switches --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 13524 checksum 31a09d8feef986f4
// TEST declarators: --kernel declarators --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 955796 checksum 3c5c715c1da8f5b7
// TEST pragmas: --kernel pragmas --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 770 checksum 8a0efc7383943929
// TEST macros: --kernel macros --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 8580 checksum b732d66eb87fc401
// TEST casts: --kernel casts --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 39275 checksum e47ddcb22ada8abe
// TEST cube: --kernel cube --block 4 --arg 'i32[4]'
// EXPECT arg 0: sum 712942 checksum 06c69237592f8f16
// TEST continues: --kernel continues --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 4268 checksum f6120266e6ffea94
// TEST do_while: --kernel do_whiles --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 2080 checksum 0fae06eca291683e
// TEST shared2d: --kernel shared2d --block 8,8 --arg 'i32[64]'
// EXPECT arg 0: sum 0 checksum 42f0afc9cf571fd5
// TEST gotos: --kernel gotos --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 774 checksum 1913884d0f7cad3f
// TEST comma: --kernel commas --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 577012 checksum dd539aba25d29625
// TEST ternary: --kernel ternaries --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 25020 checksum d8ef0fb2df8eb969
// TEST pointers: --kernel pointers --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 5694 checksum 21489bad6339f4c2
// TEST enums: --kernel enums --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 33616 checksum 8c6416ad5a3a3aad
// TEST unions: --kernel unions --block 8 --arg 'u32[8]'
// EXPECT arg 0: sum 7591281896 checksum 246c7f781d1a2ebd
// TEST bitfields: --kernel bitfields --block 8 --arg 'u32[8]'
// EXPECT arg 0: sum 18593341468 checksum 6f1e227d5bc45f91
// TEST shifts: --kernel shifts --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 2456659287 checksum e8e4d108c903d7a2
// TEST early: --kernel early --block 32 --arg 'i32[32]'
// EXPECT arg 0: sum 24 checksum 9c9cb79d80be42d1
// TEST statics: --kernel statics --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 596 checksum d14a5aaa97542dad
// TEST byval: --kernel byval --block 4 --arg 'i32[4]' --arg bytes:0100000000000040030000000400000005000000
// EXPECT arg 0: sum 1584 checksum c74d617912feb418
// TEST one_row: --kernel one_row --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 644 checksum 746229f932a0341d
// TEST pairs: --kernel pairs --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 64218 checksum 9c8eedbcf4575ac2
#define ID (threadIdx.x)

extern "C" {
__global__ void plain_name(int *out) { out[ID] = ID * 3 - 7; }
}

__global__ void __launch_bounds__(64, 2) bounded(int *out) { out[ID] = ID ^ 21; }

__global__ void bytes(const unsigned char *in, unsigned char *out)
{
    unsigned char v = in[ID];
    v += 200;
    v = v << 1 | v >> 7;
    out[ID] = ~v;
}

__global__ void longs(const unsigned long long *in, unsigned long long *out)
{
    unsigned long long v = in[ID];
    out[ID] = (v >> 33 ^ v) * 0xff51afd7ed558ccdULL + (v & 0xffffffff) / 7 + v % 1000003;
}

__global__ void switches(int *out)
{
    int r = 0;
    switch (ID % 9) {
    case 0: r = 5; break;
    case 1:
    case 2: r += 10; /* fall through */
    case 3: r += 100; break;
    case 4: {
        int inner = ID;
        switch (inner & 3) {
        case 0: r = -1; break;
        default: r = -2;
        }
        break;
    }
    case 7: r = 77;
    default: r += 1000;
    }
    out[ID] = r;
}

__global__ void declarators(int *out)
{
    int a = ID, b = a * 2, *p = &b, c[3] = {a, b, a + b}, (*q)[3] = &c, &r = a;
    const int *const cp = p;
    r += 1;
    *p += 5;
    (*q)[1] *= 2;
    out[ID] = a + *cp * 10 + c[0] * 100 + c[1] * 1000 + c[2] * 10000;
}

__global__ void pragmas(int *out)
{
    int s = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        s += i * ID;
#pragma unroll 3
    for (int i = 0; i < 10; i++) {
#pragma unroll 1
        for (int j = 0; j < 2; j++)
            s += i ^ j;
    }
    _Pragma("unroll") for (int i = 0; i < 3; ++i) s ^= i;
#pragma nounroll
    while (s > 100)
        s -= 7;
    out[ID] = s;
}

#define SQUARE(x) ((x) * (x))
#define PASTE(a, b) a##b
#define TEXT(x) #x
#define APPLY(f, ...) f(__VA_ARGS__)
#define SUM3(a, b, c) ((a) + (b) + (c))
#define BLOCK(i)                                                                                   \
    do {                                                                                           \
        int PASTE(t, mp) = SQUARE(i);                                                              \
        acc += tmp;                                                                                \
    } while (0)
__global__ void macros(int *out)
{
    int acc = sizeof(TEXT(hello)) + APPLY(SUM3, ID, 2, SQUARE(ID + 1));
    BLOCK(ID + 2);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 300 && !defined(NOTHING)
    acc += __LINE__ > 0 ? 1000 : 0;
#else
    acc = -1;
#endif
    out[ID] = acc;
}

__global__ void casts(int *out)
{
    float f = 3.75f + ID;
    double d = -2.5 * ID;
    int r = static_cast<int>(f) + (int)d + int(f * 2) + static_cast<signed char>(300 + ID);
    r += static_cast<unsigned char>(-1 - (int)ID) + (short)(70000 + ID) + (bool)ID;
    const float *p = &f;
    r += *const_cast<float *>(p) > 5.0f;
    out[ID] = r + (*reinterpret_cast<unsigned *>(&f) >> 23);
}

__global__ void cube(int *out)
{
    int a[3][4][5], sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                a[i][j][k] = i * 100 + j * 10 + k + ID;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                sum += a[i][j][k] * a[2 - i][3 - j][4 - k] % 7;
    int *flat = &a[0][0][0];
    out[ID] = sum * 1000 + flat[3 * 4 * 5 - 1];
}

__global__ void continues(int *out)
{
    int s = 0;
    for (int i = 0; i < 20; i++) {
        if (i % 3 == (int)ID % 3)
            continue;
        for (int j = 0; j < 5; ++j) {
            if (j == 2)
                continue;
            if (j == 4)
                break;
            s += i * j;
        }
    }
    int k = 0;
    while (k++ < 10) {
        if (k & 1)
            continue;
        s += k;
    }
    out[ID] = s;
}

__global__ void do_whiles(int *out)
{
    int n = ID, c = 0;
    do {
        c++;
        if (c == 3)
            continue;
        n -= 2;
    } while (n > 0);
    do
        n++;
    while (n < 10);
    out[ID] = c * 100 + n;
}

__global__ void shared2d(int *out)
{
    __shared__ int s[8][9];
    s[threadIdx.y][threadIdx.x] = threadIdx.y * 8 + threadIdx.x;
    __syncthreads();
    out[threadIdx.y * 8 + threadIdx.x] = s[threadIdx.x][7 - threadIdx.y] - s[7 - threadIdx.y][threadIdx.x];
}

__global__ void gotos(int *out)
{
    int i = 0, s = ID;
again:
    s += i;
    if (++i < 5)
        goto again;
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            if (a * b == (int)ID) {
                s += 100 * a + 10 * b;
                goto found;
            }
    s = -s;
found:
    out[ID] = s;
}

__global__ void commas(int *out)
{
    int a = 1, b = 2;
    for (int i = 0, j = 10; i < j; i++, j--)
        a += i * j, b ^= a;
    out[ID] = (a++, b += ID, a * 1000 + b);
}

__global__ void ternaries(int *out)
{
    int x = ID < 3 ? ID == 0 ? 10 : 20 : ID > 5 ? 30 : 40, y = 0;
    (ID & 1 ? x : y) += 5;
    out[ID] = x * 100 + y;
}

__global__ void pointers(int *out)
{
    int a[8] = {1, 1, 2, 3, 5, 8, 13, 21};
    int *p = a + 7, *q = a, **pp = &p;
    while (q < p) {
        int t = *q;
        *q++ = *p;
        *p-- = t;
    }
    out[ID] = a[ID] * 100 + (int)(*pp - a) * 10 + (q == p) + ID[a];
}

enum color { RED = 1, GREEN, BLUE = GREEN * 4 };
enum class level : unsigned char { low = 200, high };
__global__ void enums(int *out)
{
    color c = ID < 2 ? RED : ID < 5 ? GREEN : BLUE;
    level l = ID & 1 ? level::high : level::low;
    out[ID] = c * 1000 + static_cast<int>(l) + (l == level::high) + sizeof(level);
}

__global__ void unions(unsigned *out)
{
    union {
        float f;
        unsigned u;
        struct {
            unsigned short lo, hi;
        };
        unsigned char b[4];
    } x;
    x.f = 1.5f * ID;
    x.b[0] = 7;
    out[ID] = x.u + x.hi + x.lo;
}

__global__ void bitfields(unsigned *out)
{
    struct {
        unsigned a : 3, b : 7;
        int c : 5;
        unsigned : 0;
        unsigned d : 20;
    } s = {};
    s.a = ID + 5;
    s.b = ID * 40;
    s.c = ID + 12;
    s.d = 0xfffff * ID;
    s.b += 100;
    out[ID] = s.a | s.b << 4 | (unsigned)(s.c & 255) << 12 | (s.d & 0xf) << 24 | sizeof s << 28;
}

__global__ void shifts(int *out)
{
    int n = ID * 3;
    unsigned u = 0x80000001u;
    long long w = -1ll << (n + 20);
    out[ID] = (-1000 >> ID) + (int)(u >> n) + (1 << n) + (int)(w >> 30) + (signed char)(1 << ID);
}

__global__ void early(int *out)
{
    if (ID >= 20)
        return;
    if (ID % 2) {
        out[ID] = -1;
        return;
    }
    for (int i = 0;; i++)
        if (i * i > (int)ID) {
            out[ID] = i;
            return;
        }
}

__device__ int counter = 5;
__device__ int next_number()
{
    static const int steps[] = {3, 1, 4, 1, 5, 9, 2, 6};
    return steps[ID] + counter;
}
__global__ void statics(int *out)
{
    static __shared__ int total;
    if (ID == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&total, next_number());
    __syncthreads();
    out[ID] = total + ID;
}

struct parameters {
    char flag;
    float scale;
    int list[3];
};
__global__ void byval(int *out, parameters p) { out[ID] = p.flag + (int)(p.scale * 10) + p.list[ID % 3] * 100; }

// Only one row is inside of these: the others' numbers do not keep them in memory.
__global__ void one_row(int *out)
{
    int sums[1][6] = {{1, 2, 3, 4, 5, 6}}, last[1] = {(int)ID};
    for (int i = 0; i < 6; i++)
        sums[threadIdx.y][i] *= ID + last[threadIdx.z];
    last[threadIdx.y] += sums[threadIdx.z][4];
    out[ID] = last[0] + sums[0][5];
}

// An array of pairs, read two at a time: arrays of a thread are aligned to 16 bytes.
__global__ void pairs(int *out)
{
    int first;
    int2 list[6];
    for (int i = 0; i < 6; i++)
        list[(i + ID) % 6] = make_int2(ID * i, i);
    const int4 two = *(const int4 *)&list[ID % 3 * 2];
    first = two.x;
    out[ID] = first * 1000 + two.y * 100 + two.z * 10 + two.w;
}
