// Lambdas: captures by value and by reference, generic, stored, returned.
// TEST all: --kernel lambdas --block 1 --arg 'i32[9]'
// EXPECT arg 0: sum 9 checksum 08ea6050e3ac2ba4
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

template <class F> __device__ int apply(F f, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += f(i);
    return s;
}
__device__ auto adder(int a)
{
    return [a](int b) { return a + b; };
}

struct counter {
    int n = 10;
    __device__ int run(int times)
    {
        auto step = [this](int k) { n += k; };
        for (int i = 0; i < times; i++)
            step(i);
        return n;
    }
};

__global__ void lambdas(int *out)
{
    int base = 3, total = 0;
    auto square = [](int x) { return x * x; };
    CHECK(square(5) == 25 && apply(square, 4) == 14);
    auto by_value = [base](int x) { return x + base; };
    base = 100;
    CHECK(by_value(1) == 4);
    auto by_ref = [&](int x) { total += x * base; };
    by_ref(2);
    by_ref(3);
    CHECK(total == 500);
    auto mixed = [=, &total](int x) mutable {
        base += x;
        total = base;
        return base;
    };
    CHECK(mixed(1) == 101 && mixed(1) == 102 && base == 100 && total == 102);
    CHECK(adder(5)(6) == 11);
    auto generic = [](auto a, auto b) { return a < b ? b : a; };
    CHECK(generic(3, 4) == 4 && generic(2.5f, 1.5f) == 2.5f);
    auto init = [n = base * 2](int x) -> long long { return n + x; };
    CHECK(init(1) == 201 && sizeof(init(1)) == 8);
    CHECK(counter().run(5) == 20);
    int (*plain)(int) = [](int x) { return -x; };
    CHECK(plain(8) == -8 && [](int x) { return x + 1; }(41) == 42);
}
