// Functions that call themselves: they get copies of themselves, each with its own variables.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static long paths(int x, int y, int depth)
{
    int seen[4]; // an address that is taken: memory of each call
    for (int &s : seen)
        s = depth;
    if (x < 0 || y < 0)
        return 0;
    if (!x && !y)
        return 1 + seen[depth & 3] - depth;
    const long left = paths(x - 1, y, depth + 1), up = paths(x, y - 1, depth + 1);
    return left + up + seen[(left + up) & 3] - depth;
}
static void permute(char *s, int at, int n, unsigned &sum)
{
    if (at == n) {
        for (int k = 0; k < n; k++)
            sum = sum * 31 + (unsigned char)s[k];
        return;
    }
    for (int k = at; k < n; k++) {
        char saved[8];
        memcpy(saved, s, 8);
        const char c = s[at];
        s[at] = s[k], s[k] = c;
        permute(s, at + 1, n, sum);
        memcpy(s, saved, 8);
    }
}
static int calls;
struct counted { counted() { calls++; } ~counted() { calls--; } };
static int deep(int n)
{
    counted c;
    if (n == 0)
        throw std::runtime_error("bottom at " + std::to_string(calls));
    return deep(n - 1) + 1;
}
static bool odd(int n);
static bool even(int n) { return n == 0 || odd(n - 1); }
static bool odd(int n) { return n != 0 && even(n - 1); }
static int tower(int n, int from, int to, int (&pegs)[3])
{
    if (!n)
        return 0;
    const int other = 3 - from - to, before = tower(n - 1, from, other, pegs);
    pegs[from]--, pegs[to]++;
    return before + 1 + tower(n - 1, other, to, pegs);
}
int main()
{
    printf("%d %d %d\n", fib(20), ackermann(2, 5), ackermann(1, 30));
    printf("%ld %ld\n", paths(6, 5, 0), paths(0, 9, 3));
    char s[8] = "abcdef";
    unsigned sum = 0;
    permute(s, 0, 6, sum);
    printf("%u %s\n", sum, s);
    try {
        deep(7);
    } catch (const std::exception &e) {
        printf("%s, %d left\n", e.what(), calls);
    }
    int pegs[3] = {9, 0, 0};
    printf("%d %d %d\n", even(10), odd(7), tower(9, 0, 2, pegs));
    printf("%d %d %d\n", pegs[0], pegs[1], pegs[2]);
}
