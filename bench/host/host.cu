// Host code that programs have around their kernels: what it costs, compiled by us and by the system's compiler.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>
#include "loops.h"

struct particle { double x, y, z, vx, vy, vz; };

static double product(int n)
{
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7, b[i] = i % 5;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
    return c[n * n - 1];
}
static double sorting(int n)
{
    std::mt19937 g(1);
    std::vector<unsigned> v(n);
    for (auto &x : v)
        x = g();
    std::sort(v.begin(), v.end());
    return v[n / 2];
}
static double forces(int n)
{
    std::vector<particle> p(n);
    for (int i = 0; i < n; i++)
        p[i] = {i * 0.5, i * 0.25, i * 0.125, 0, 0, 0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z, r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3);
            p[i].vx += dx * r * r * r;
            p[i].vy += dy * r * r * r;
            p[i].vz += dz * r * r * r;
        }
    return p[n / 3].vx;
}
static double words(int n)
{
    std::map<std::string, int> m;
    std::unordered_map<int, int> u;
    for (int i = 0; i < n; i++) {
        m["word" + std::to_string(i * 7919 % 1000)]++;
        u[i * 7919 % 5000] += i;
    }
    return m["word7"] + u[11];
}
static double life(int n)
{
    std::vector<unsigned char> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = i * 2654435761u >> 31;
    for (int step = 0; step < 20; step++) {
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int s = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        s += a[(y + dy + n) % n * n + (x + dx + n) % n];
                s -= a[y * n + x];
                b[y * n + x] = s == 3 || (s == 2 && a[y * n + x]);
            }
        std::swap(a, b);
    }
    return std::count(a.begin(), a.end(), 1);
}

static double sieve(int n)
{
    std::vector<char> composite(n);
    int count = 0;
    for (int i = 2; i < n; i++) {
        if (composite[i])
            continue;
        count++;
        for (long j = (long)i * i; j < n; j += i)
            composite[j] = 1;
    }
    return count;
}
static double mandelbrot(int n)
{
    long sum = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const double cr = 3.0 * x / n - 2, ci = 2.0 * y / n - 1;
            double zr = 0, zi = 0;
            int k = 0;
            for (; k < 100 && zr * zr + zi * zi < 4; k++) {
                const double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
            sum += k;
        }
    return sum;
}
static double text(int n)
{
    std::string all;
    for (int i = 0; i < n; i++) {
        all += "line ";
        all += std::to_string(i);
        all.push_back(i % 10 ? ' ' : '\n');
    }
    size_t lines = 0, digits = 0;
    for (const char c : all) {
        lines += c == '\n';
        digits += c >= '0' && c <= '9';
    }
    return all.size() + 1000.0 * lines + digits;
}
struct parser { // numbers, strings, lists and objects
    const char *p;
    long depth = 0, values = 0;
    double sum = 0;
    void space() { while (isspace((unsigned char)*p)) p++; }
    void value()
    {
        space();
        values++;
        if (*p == '[' || *p == '{') {
            const char close = *p++ == '[' ? ']' : '}';
            depth++;
            for (space(); *p != close; space()) {
                value();
                space();
                if (*p == ',' || *p == ':')
                    p++;
            }
            p++;
        } else if (*p == '"') {
            std::string s;
            for (p++; *p != '"'; p++)
                s.push_back(*p == '\\' ? *++p : *p);
            p++;
            sum += s.size();
        } else {
            char *end;
            sum += strtod(p, &end);
            p = end;
        }
    }
};
static double parsing(int n)
{
    std::string s = "[";
    for (int i = 0; i < n; i++)
        s += (i ? ", {\"id\": " : "{\"id\": ") + std::to_string(i) + ", \"name\": \"item \\\"" + std::to_string(i * 7) + "\\\"\", \"list\": [1, 2.5, -3e2]}";
    s += "]";
    parser p{s.c_str()};
    p.value();
    return p.sum + p.values + p.depth;
}

int main(int argc, char **argv)
{
    const loop all[] = {
        {"product", product, 256}, {"sorting", sorting, 300000}, {"forces", forces, 1000}, {"words", words, 100000}, {"life", life, 256},
        {"sieve", sieve, 2000000}, {"mandelbrot", mandelbrot, 200}, {"text", text, 200000}, {"parsing", parsing, 20000}};
    run_loops(all, argc, argv);
}
