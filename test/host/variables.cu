// Variables with computed first values, destructors, function-local statics, references; what runs at exit.
#include <cstdio>
#include <cstdlib>

static int order = 0;
static int next(const char *what) { printf("%s %d\n", what, order); return ++order; }

struct noisy {
    const char *name;
    int number;
    explicit noisy(const char *n) : name(n), number(next(n)) {}
    ~noisy() { printf("~%s %d\n", name, number); }
};
noisy first("first");
int second = next("second");
const int third = second * 10;
static noisy list[2] = {noisy("a"), noisy("b")};
int &alias = second;
int *where = &second;
const char *words[] = {"zero", "one", "two"};
struct with_static { static int count; static const int limit = 12; };
int with_static::count = next("member");

static noisy &lazy()
{
    static noisy inner("lazy");
    return inner;
}
static int counted()
{
    static int n = 40;
    return ++n;
}
template <class T> struct holder { static int value; };
template <class T> int holder<T>::value = 7;

static void at_end() { printf("at end\n"); }

int main()
{
    atexit(at_end);
    printf("main %d %d %d %s\n", second, third, alias, words[2]);
    {
        noisy local("local");
        for (int i = 0; i < 3; i++) {
            noisy each("each");
            if (i == 1)
                continue;
            if (i == 2)
                break;
        }
    }
    lazy().number += 100;
    lazy().number += 100;
    counted();
    *where = 55;
    holder<int>::value++;
    printf("%d %d %d %d %d %d\n", counted(), second, with_static::count, with_static::limit, holder<int>::value, holder<float>::value);
    if (second == 55)
        exit(9);
    return 0;
}
