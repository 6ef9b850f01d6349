// Members that only the host can have are no error in a class that device code uses, template or not.
// RUN: tern compile %s --to ir -O0 | grep -c kernel
#include <iostream>
#include <string>
template <class T> struct Pair {
    T x, y;
    __host__ __device__ Pair(T a, T b) : x(a), y(b) {}
    friend std::ostream &operator<<(std::ostream &os, const Pair<T> &p) { return os << p.x; }
    std::string name() const { return "pair"; }
};
template <std::uint64_t n> struct Log2 {
    static const int value = Log2<n / 2>::value + 1;
};
template <> struct Log2<1> {
    static const int value = 0;
};
__global__ void k(float *out)
{
    static_assert(std::is_same<float, float>::value, "without <type_traits>");
    Pair<float> p(1, 2);
    *out = p.x + Log2<8>::value + (float)std::numeric_limits<uint>::max();
}
class Held : public std::enable_shared_from_this<Held> {
public:
    virtual ~Held() = default;
    virtual int get() const = 0;
};
template <class T> class Value : public Held {
public:
    ~Value() override = default;
    int get() const override { return 1; }
};
class Switch : public Value<bool> {
public:
    ~Switch() override = default;
};
