// What a host half uses of its library: containers, streams, files, sorting with a callback, formats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }
struct shape {
    virtual ~shape() { std::cout << "~" << name() << " "; }
    virtual const char *name() const { return "shape"; }
    virtual double area() const = 0;
};
struct box : shape {
    double a, b;
    box(double a, double b) : a(a), b(b) {}
    const char *name() const override { return "box"; }
    double area() const override { return a * b; }
};
struct disc : shape {
    double r;
    explicit disc(double r) : r(r) {}
    double area() const override { return 3.25 * r * r; }
};
static int backwards(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
int main(int argc, char **argv)
{
    std::map<std::string, int> words;
    std::istringstream in("one two three two one two");
    for (std::string w; in >> w;)
        words[w]++;
    for (const auto &[w, n] : words)
        std::cout << w << '=' << n << ' ';
    std::cout << std::endl;
    std::vector<std::unique_ptr<shape>> shapes;
    shapes.push_back(std::make_unique<box>(2, 3.5));
    shapes.push_back(std::make_unique<disc>(2));
    for (const auto &s : shapes)
        std::cout << s->name() << ' ' << std::fixed << std::setprecision(2) << std::setw(8) << s->area() << '\n';
    shapes.clear();
    std::cout << '\n';
    int n[] = {3, 9, 1, 7, 5}, *d;
    qsort(n, 5, sizeof *n, backwards);
    cudaMalloc(&d, sizeof n);
    cudaMemcpy(d, n, sizeof n, cudaMemcpyHostToDevice);
    square<<<1, 5>>>(d);
    cudaMemcpy(n, d, sizeof n, cudaMemcpyDeviceToHost);
    std::sort(n, n + 5, [](int a, int b) { return a % 10 < b % 10 || (a % 10 == b % 10 && a < b); });
    for (int v : n)
        printf("%d ", v);
    printf("|%5d|%-6x|%+.3e|%08.3f|%c|%s|%5.2s|%lld|%p\n", 42, 255, 12345.678, -3.14159, 'z', "text", "cut", 1LL << 40, (void *)0);
    std::ofstream("notes.txt") << "first line\n" << 1.5 << ' ' << 7 << '\n';
    std::ifstream back("notes.txt");
    std::string line;
    double x;
    int k;
    std::getline(back, line);
    back >> x >> k;
    std::cout << line << " / " << x << " / " << k << '\n';
    FILE *f = fopen("numbers.bin", "wb+");
    fwrite(n, sizeof *n, 5, f);
    fseek(f, 2 * sizeof *n, SEEK_SET);
    int got = 0;
    size_t r = fread(&got, sizeof got, 1, f);
    printf("%zu %d %ld\n", r, got, ftell(f));
    fclose(f);
    std::function<int(int)> fib = [&](int i) { return i < 2 ? i : fib(i - 1) + fib(i - 2); };
    printf("%d %d %d\n", fib(15), rand(), rand());
    char a[32], b[16];
    int i, m = sscanf("12 0x1f name 2.5e3", "%d %x %15s %f", &i, &k, b, (float *)a);
    printf("%d: %d %d %s %g; %ld %g %s\n", m, i, k, b, *(float *)a, strtol("0777z", nullptr, 0), strtod("-1.25e-3x", nullptr), strstr("haystack", "st"));
    char t[] = "a,b,,c";
    for (char *p = strtok(t, ","); p; p = strtok(nullptr, ","))
        printf("[%s]", p);
    puts("");
    atexit([] { puts("bye"); });
    exit(argc > 5 ? 1 : 0);
}
