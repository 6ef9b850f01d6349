// A program's own global operator new and delete: all that makes and destroys objects calls them.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

static long taken, given;
struct late {
    int *p = new int(7); // used before the operators are defined
    ~late() { delete p; }
};
void *operator new(std::size_t room) // another name than the library has for it
{
    if (room == 4096)
        throw std::bad_alloc();
    taken++;
    char *p = (char *)std::malloc(room + 16);
    return p + 16; // what only our delete can give back
}
void operator delete(void *p) noexcept
{
    if (!p)
        return;
    given++;
    std::free((char *)p - 16);
}

struct counted {
    int x;
    ~counted() { x = 0; }
};
struct throws {
    throws() { throw 5; }
};
struct of_its_own {
    static void *operator new(std::size_t n)
    {
        std::puts("of its own");
        return std::malloc(n);
    }
    static void operator delete(void *p) { std::free(p); }
};
struct wide {
    char room[4096];
};

static void tell(const char *what)
{
    std::printf("%s: %ld taken, %ld given back\n", what, taken, given);
    taken = given = 0;
}

int main()
{
    tell("before");
    {
        late l;
        int *volatile p = l.p; // which a compiler may not leave out
        (void)p;
    }
    tell("one");
    counted *volatile all = new counted[3];
    int *volatile numbers = new int[3];
    delete[] all;
    delete[] numbers;
    tell("arrays");
    {
        std::vector<int> v(10);
        std::unique_ptr<int> p(new int);
        auto s = std::make_unique<counted>();
    }
    tell("containers");
    try {
        new throws;
    } catch (int n) {
        std::printf("threw %d\n", n);
    }
    try {
        new throws[2];
    } catch (int n) {
        std::printf("threw %d\n", n);
    }
    tell("not made");
    try {
        wide *volatile none = new wide;
        delete none;
    } catch (const std::bad_alloc &) {
        std::puts("no memory");
    }
    if (!new (std::nothrow) wide)
        std::puts("no memory, and nothing thrown");
    int *volatile number = new (std::nothrow) int;
    delete number;
    delete new of_its_own;
    void *volatile room = ::operator new(3);
    ::operator delete(room);
    tell("by name");
}
