// What a standard library asks of overloads, deduction and traits: each line is 1 when it is right.
// TEST choices: --kernel choices --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST traits: --kernel traits --arg 'i32[14]'
// EXPECT arg 0: sum 14 checksum 8cf3bf134f778c95
// TEST policies: --kernel policies --arg 'i32[2]'
// EXPECT arg 0: sum 2 checksum 29c7dd317360ac35
#include <filesystem>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

// A list of numbers is less special than one number.
template <unsigned...> struct numbers {};
template <class U, unsigned... I> __device__ int which(numbers<I...>) { return 1; }
template <class U, unsigned I> __device__ int which(numbers<I>) { return 2; }

// An rvalue reference does not take what a conversion gives as an lvalue.
struct thing { int v; };
struct lends {
    thing t;
    __device__ operator thing &() { return t; }
};
__device__ int taken(thing &) { return 1; }
__device__ int taken(thing &&) = delete;
struct makes {
    __device__ operator thing() { return {3}; }
};
__device__ int made(const thing &) { return 1; }
__device__ int made(thing &&) { return 2; }

// Enumerators are numbers in their own list.
enum class flag : unsigned char { none, one = 1 << 0, two = 1 << 1, both = flag::one | flag::two, next };

// A class template's name among the parameters of its constructor.
template <class C> struct given { C *p; };
template <class O, class C> class context
{
    O out;
    given<context> all;

  public:
    __device__ explicit context(O out, given<context> all) : out(out), all(all) {}
    __device__ int get() const { return (int)sizeof(C) * 10 + (int)out; }
};
template <class... T> struct row {
    int n;
    __device__ row(int n, given<row> *) : n(n + (int)sizeof...(T)) {}
};

// Braces that would narrow are no match.
template <class T> T &&value();
template <class To, class From, class = void> struct fits { static constexpr bool yes = false; };
template <class To, class From> struct fits<To, From, decltype(void(To{value<From>()}))> { static constexpr bool yes = true; };

// Namespaces that only the host has; a tag of the host, which has no bytes to read.
namespace files = std::filesystem;
template <class T> int there(const T &, files::path &);
namespace tags {
struct first_tag {
} inline constexpr first;
}
template <class T> __device__ int told(T) { return (int)sizeof(T); }

__global__ void choices(int *out)
{
    lends l = {{5}};
    makes m;
    given<context<int, short>> g{};
    given<row<int, char, float>> *r = nullptr;
    CHECK(which<int>(numbers<4>{}) * 10 + which<int>(numbers<4, 5>{}) == 21);
    CHECK(taken(l) == 1);
    CHECK(made(m) == 2);
    CHECK((int)flag::both * 10 + (int)flag::next == 34);
    CHECK(context{3, g}.get() == 23);
    CHECK(row(4, r).n == 7);
    CHECK(told(tags::first) == 1);
    CHECK(fits<double, float>::yes && !fits<float, double>::yes && !fits<short, int>::yes && fits<long long, int>::yes);
}

struct whole { int a; short b, c; };
struct padded { char a; int b; };
struct floats { float a; };
struct nothing {};
struct inherits : nothing, whole { int d; };
union alike { int a; unsigned b; };
union differ { int a; char b; };
struct bits { unsigned a : 20, b : 12; };
struct some_bits { unsigned a : 20; };
struct kept { ~kept() = delete; };
class hidden { ~hidden(); };
__global__ void traits(int *out)
{
    CHECK(__has_unique_object_representations(int) && __has_unique_object_representations(int *[3]));
    CHECK(!__has_unique_object_representations(float));
    CHECK(__has_unique_object_representations(whole));
    CHECK(!__has_unique_object_representations(padded));
    CHECK(!__has_unique_object_representations(floats));
    CHECK(!__has_unique_object_representations(nothing));
    CHECK(__has_unique_object_representations(inherits));
    CHECK(__has_unique_object_representations(alike));
    CHECK(!__has_unique_object_representations(differ));
    CHECK(__has_unique_object_representations(bits));
    CHECK(!__has_unique_object_representations(some_bits));
    CHECK(!__is_destructible(kept) && !__is_destructible(kept[2]));
    CHECK(!__is_destructible(hidden) && !__is_destructible(int[]));
    CHECK(__is_destructible(whole) && __is_destructible(int &));
}

// The same hint for both parts of a policy; kernels that wait for the one before them.
__global__ void policies(int *out)
{
    unsigned long long policy = 0;
    asm("createpolicy.fractional.L2::evict_first.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(1.0f));
    cudaGridDependencySynchronize();
    CHECK(policy == policy);
    CHECK(true);
    cudaTriggerProgrammaticLaunchCompletion();
}
