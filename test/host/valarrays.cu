// std::valarray: arithmetic over all elements, slices, masks, places.
#include <cstdio>
#include <valarray>

template <class T> static void show(const char *what, const std::valarray<T> &v)
{
    printf("%s:", what);
    for (size_t i = 0; i < v.size(); i++)
        printf(" %g", (double)v[i]);
    puts("");
}

int main()
{
    std::valarray<double> v{1, 2, 3, 4, 5, 6}, w(2.0, 6), none;
    v *= 2.0;
    w += v;
    show("sum", std::valarray<double>(v + w - 1.0));
    show("powers", std::valarray<double>(std::pow(w, 2.0) / (1.0 + v)));
    show("roots", std::valarray<double>(std::sqrt(v) * -w));
    printf("%g %g %g %zu %zu\n", v.sum(), v.min(), v.max(), v.size(), none.size());
    show("slice", std::valarray<double>(v[std::slice(1, 3, 2)]));
    v[std::slice(0, 2, 3)] = -1.0;
    v[std::slice(1, 2, 3)] += std::valarray<double>{10, 20};
    show("written", v);
    show("masked", std::valarray<double>(v[v > 5.0]));
    v[v < 0.0] = 0.0;
    show("no negatives", v);
    std::valarray<size_t> at{5, 0, 3};
    show("places", std::valarray<double>(v[at]));
    show("shift", v.shift(2));
    show("cshift", v.cshift(-1));
    show("apply", std::valarray<double>(v.apply([](double x) { return x * x; })));
    std::valarray<int> grid(12);
    for (int i = 0; i < 12; i++)
        grid[i] = i;
    show("gslice", std::valarray<int>(grid[std::gslice(1, {2, 2}, {4, 2})]));
    grid <<= 1;
    grid = grid % 7 | 8;
    show("bits", grid);
    int all = 0;
    for (int x : grid)
        all += x;
    v.resize(3, 7);
    show("resized", v);
    printf("%d %d\n", all, (int)(grid == 8).max());
}
