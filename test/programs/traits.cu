// NOT ON: vulkan: thousands of stores in one kernel, for which Mesa takes 17 GB
// The type traits of device code say what the host's library says, for every kind of type.
#include <cstdio>
#include <type_traits>
#include <cstddef>

enum Enum { one };
enum class Scoped : unsigned char { two };
struct Empty {
};
/* Unions are in no bases and have none, defined or not. */
union Later;
union Now {
    int a;
};
static_assert(!std::is_base_of<Empty, Later>::value && !std::is_base_of<Later, Empty>::value && !std::is_base_of<Now, Now>::value, "");
struct Fields {
    int : 0;
};
struct Field {
    int : 3;
};
struct Data {
    int a;
    double b;
};
struct Base {
    int a;
    virtual void f()
    {
    }
};
struct Derived : Base {
    void f() override
    {
    }
};
struct EmptyDerived : Empty {
};
struct Virtual : virtual Empty {
};
struct Abstract {
    virtual void f() = 0;
};
struct VirtualEnd {
    virtual ~VirtualEnd()
    {
    }
};
struct Final final {
    int a;
};
union Union {
    int a;
    float b;
};
union HardUnion {
    Base b;
    int a;
    HardUnion();
};
struct NoDefault {
    NoDefault(int);
    int a;
};
struct Explicit {
    explicit Explicit(int);
    explicit operator int() const;
};
struct NoCopy {
    NoCopy() = default;
    NoCopy(const NoCopy &) = delete;
    NoCopy &operator=(const NoCopy &) = delete;
};
struct OnlyMoves {
    OnlyMoves() = default;
    OnlyMoves(OnlyMoves &&) = default;
    OnlyMoves &operator=(OnlyMoves &&) = default;
};
class PrivateEnd
{
    ~PrivateEnd()
    {
    }
};
struct DeletedEnd {
    ~DeletedEnd() = delete;
};
struct ProtectedEnd {
  protected:
    ~ProtectedEnd()
    {
    }
};
struct LoudEnd {
    ~LoudEnd() noexcept(false)
    {
    }
};
struct HasLoud {
    LoudEnd l;
};
struct Loud {
    Loud()
    {
    }
    Loud(const Loud &)
    {
    }
    Loud(Loud &&)
    {
    }
    Loud &operator=(const Loud &)
    {
        return *this;
    }
};
struct Quiet {
    Quiet() noexcept
    {
    }
    Quiet(const Quiet &) noexcept
    {
    }
    Quiet &operator=(const Quiet &) noexcept
    {
        return *this;
    }
};
struct Refers {
    int &r;
};
struct RefersRight {
    int &&r;
};
struct HasConst {
    const int a;
};
struct HasConstSet {
    const int a = 1;
};
struct Initial {
    int a = 3;
};
struct PrivateMember {
  private:
    int a;
};
struct TwoAccess {
    int a;

  private:
    int b;
};
struct Converts {
    operator int() const;
    operator const Data &() const;
};
struct FromAny {
    template <class T> FromAny(T &&);
};
struct FromMany {
    FromMany(int, double = 1);
};
struct PrivateMake {
  private:
    PrivateMake();
};
struct Volatiles {
    volatile int a;
};
struct NonConstCopy {
    NonConstCopy();
    NonConstCopy(NonConstCopy &);
    NonConstCopy &operator=(NonConstCopy &);
};
struct Array3 {
    int a[3];
    Empty e;
};
struct PrivateBase : private Base {
};
struct Ambiguous : Derived, Base {
};
struct Diamond1 : Data {
};
struct Diamond2 : Data {
};
struct Both : Diamond1, Diamond2 {
};
class Undefined;

#define TYPES(X)                                                                                   \
    X(void)                                                                                        \
    X(const void) X(int) X(const int) X(volatile int) X(const volatile int) X(bool) X(char)        \
        X(wchar_t) X(char16_t) X(char32_t) X(unsigned long) X(long long) X(float) X(const double)  \
            X(long double) X(std::nullptr_t) X(std::byte) X(int *) X(const int *) X(int *const) X( \
                void *) X(int **) X(int &) X(const int &) X(int &&) X(const int &&) X(int[3])      \
                X(const int[3]) X(int[]) X(int[2][3]) X(int(&)[3]) X(int(*)[3]) X(int()) X(        \
                    int(int, ...)) X(int (&)()) X(int (*)(int)) X(int Data::*) X(int (Data::*)())  \
                    X(int (Data::*const)() const) X(Enum) X(Scoped) X(const Enum) X(Empty)         \
                        X(const Empty) X(Fields) X(Field) X(Data) X(const Data) X(volatile Data)   \
                            X(Data &) X(Data &&) X(Data *) X(Data[2]) X(Base) X(Derived)           \
                                X(Derived *) X(EmptyDerived) X(Virtual) X(Abstract) X(Abstract &)  \
                                    X(Abstract[1]) X(VirtualEnd) X(Final) X(Union) X(HardUnion)    \
                                        X(NoDefault) X(Explicit) X(OnlyMoves) X(const OnlyMoves)   \
                                            X(PrivateEnd) X(ProtectedEnd) X(LoudEnd) X(HasLoud)    \
                                                X(Loud) X(Quiet) X(Refers) X(RefersRight)          \
                                                    X(HasConst) X(HasConstSet) X(Initial)          \
                                                        X(PrivateMember) X(TwoAccess) X(Converts)  \
                                                            X(FromAny) X(FromMany) X(PrivateMake)  \
                                                                X(Volatiles) X(NonConstCopy)       \
                                                                    X(Array3) X(PrivateBase)       \
                                                                        X(PrivateBase *) X(Both)   \
                                                                            X(Both *)
#define SOME(X)                                                                                    \
    X(void)                                                                                        \
    X(int) X(const int) X(bool) X(double) X(std::nullptr_t) X(void *) X(const int *) X(int &)      \
        X(const int &) X(int &&) X(int[3]) X(int()) X(int (*)(int)) X(int Data::*) X(Enum)         \
            X(Scoped) X(Empty) X(Data) X(volatile Data) X(Data &) X(Data *) X(Base) X(Derived)     \
                X(Derived *) X(Union) X(NoDefault) X(Explicit) X(OnlyMoves) X(const OnlyMoves)     \
                    X(PrivateEnd) X(LoudEnd) X(Loud) X(Quiet) X(Refers) X(HasConst) X(Converts)    \
                        X(FromAny) X(FromMany) X(NonConstCopy) X(PrivateBase *) X(Both) X(Both *)
/* those that an undefined or unsized type may not be asked for are the same for all here */
#define TRAITS(X)                                                                                  \
    X(is_void)                                                                                     \
    X(is_null_pointer) X(is_integral) X(is_floating_point) X(is_array) X(is_enum) X(is_union) X(   \
        is_class) X(is_function) X(is_pointer) X(is_lvalue_reference) X(is_rvalue_reference)       \
        X(is_member_object_pointer) X(is_member_function_pointer) X(is_fundamental) X(             \
            is_arithmetic) X(is_scalar) X(is_object) X(is_compound) X(is_reference)                \
            X(is_member_pointer) X(is_const) X(is_volatile) X(is_trivial) X(is_trivially_copyable) \
                X(is_standard_layout) X(is_empty) X(is_polymorphic) X(is_abstract) X(is_final)     \
                    X(is_aggregate) X(is_signed) X(is_unsigned) X(is_default_constructible) X(     \
                        is_copy_constructible) X(is_move_constructible) X(is_copy_assignable)      \
                        X(is_move_assignable) X(is_destructible) X(                                \
                            is_trivially_default_constructible) X(is_trivially_copy_constructible) \
                            X(is_trivially_move_constructible) X(is_trivially_copy_assignable)     \
                                X(is_trivially_move_assignable) X(is_trivially_destructible)       \
                                    X(is_nothrow_default_constructible)                            \
                                        X(is_nothrow_copy_constructible)                           \
                                            X(is_nothrow_move_constructible)                       \
                                                X(is_nothrow_copy_assignable)                      \
                                                    X(is_nothrow_move_assignable)                  \
                                                        X(is_nothrow_destructible)                 \
                                                            X(has_virtual_destructor)
#define PAIRS(X)                                                                                   \
    X(is_same)                                                                                     \
    X(is_convertible) X(is_assignable) X(is_constructible) X(is_trivially_assignable)              \
        X(is_nothrow_assignable) X(is_trivially_constructible) X(is_nothrow_constructible)

template <class T> struct Type {
};
template <class... T> struct Types {
};
#define COMMA_TYPE(...) , Type<__VA_ARGS__>
template <class F, class... R> struct Rest {
    typedef Types<R...> type;
};
typedef typename Rest<void TYPES(COMMA_TYPE)>::type All;
typedef typename Rest<void SOME(COMMA_TYPE)>::type Some;
#define COUNT(...) +1
constexpr int types = 0 TYPES(COUNT), some = 0 SOME(COUNT), traits = 0 TRAITS(COUNT),
              pairs = 0 PAIRS(COUNT);
#define VALUE(t)  std::t<T>::value,
#define VALUE2(t) std::t<T, U>::value,
template <class T> __host__ __device__ void ask(Type<T>, unsigned char *to)
{
    const bool v[] = {TRAITS(VALUE)};
    for (int i = 0; i < traits; i++)
        to[i] = v[i];
}
template <class... T> __host__ __device__ void ask_all(Types<T...>, unsigned char *to)
{
    int n = 0;
    (ask(T(), to + traits * n++), ...);
}
template <class T, class U> __host__ __device__ void ask2(Type<T>, Type<U>, unsigned char *to)
{
    const bool v[] = {PAIRS(VALUE2)};
    for (int i = 0; i < pairs; i++)
        to[i] = v[i];
}
template <class T, class... U> __host__ __device__ void ask_row(T t, Types<U...>, unsigned char *to)
{
    int n = 0;
    (ask2(t, U(), to + pairs * n++), ...);
}
template <class... T> __host__ __device__ void ask_pairs(Types<T...> all, unsigned char *to)
{
    int n = 0;
    (ask_row(T(), all, to + some * pairs * n++), ...);
}
__global__ void kernel(unsigned char *to)
{
    ask_all(All(), to);
    ask_pairs(Some(), to + types * traits);
}
#define NAME(...) #__VA_ARGS__,
const char *type_name[] = {TYPES(NAME)}, *some_name[] = {SOME(NAME)},
           *trait_name[] = {TRAITS(NAME)}, *pair_name[] = {PAIRS(NAME)};
static unsigned char mine[types * traits + some * some * pairs];
int main()
{
    unsigned char *m;
    cudaMallocManaged(&m, sizeof mine);
    kernel<<<1, 1>>>(m);
    cudaDeviceSynchronize();
    ask_all(All(), mine);
    ask_pairs(Some(), mine + types * traits);
    int bad = 0;
    for (int i = 0; i < types; i++)
        for (int k = 0; k < traits; k++)
            if (mine[i * traits + k] != m[i * traits + k])
                printf("%s<%s> is %d, %d in device code\n", trait_name[k], type_name[i],
                       mine[i * traits + k], m[i * traits + k]),
                    bad++;
    const int at = types * traits;
    for (int i = 0; i < some; i++)
        for (int j = 0; j < some; j++)
            for (int k = 0; k < pairs; k++) {
                const int n = at + (i * some + j) * pairs + k;
                if (mine[n] != m[n])
                    printf("%s<%s, %s> is %d, %d in device code\n", pair_name[k], some_name[i],
                           some_name[j], mine[n], m[n]),
                        bad++;
            }
    puts(bad ? "they differ" : "ok");
    return bad != 0;
}
