// References to pointers that are made of arrays and functions: the pointer is a temporary, the array is not it. On both sides.
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

__host__ __device__ int second(const int *const &p) { return p[1]; }
__host__ __device__ int third(int *&&p) { return p[2]; }
template <class T> struct box {
    T kept;
    __host__ __device__ void put(T &&v) { kept = v; }
    __host__ __device__ void put(const T &v) { kept = v; }
};
__host__ __device__ int four(int x) { return x + 4; }
__host__ __device__ int call(int (*&&f)(int)) { return f(3); }
__host__ __device__ int called(int (*const &f)(int), int x) { return f(x); }
__host__ __device__ int all()
{
    int here[4] = {1, 20, 300, 4000};
    box<const int *> b;
    b.put(here);
    int *&&kept = here;
    const int(&whole)[4] = here;
    int (&&moved)[4] = std::move(here);
    return second(here) + third(here) + b.kept[3] + kept[0] + whole[1] + moved[2] + call(four) + called(four, 1) + call(&four);
}
__global__ void kernel(int *out) { *out = all(); }

static void say(const char *&&what) { printf("%s ", what); }
static void says(const char *const &what) { printf("%s ", what); }

int main()
{
    std::vector<const char *> names;
    for (int i = 0; i < 3; i++) {
        names.push_back("first");
        names.push_back("second");
        names.emplace_back("third");
    }
    names.insert(names.begin(), "zeroth");
    std::map<int, const char *> by = {{1, "one"}, {2, "two"}};
    by[3] = "three";
    by.insert(std::make_pair(4, "four"));
    for (const char *n : names)
        printf("%s ", n);
    for (auto &p : by)
        printf("%d %s ", p.first, p.second);
    std::pair<const char *, std::string> two("left", "right");
    say("say");
    says("says");
    printf("%s %s\n", two.first, two.second.c_str());
    int *out;
    cudaMallocManaged(&out, 4);
    kernel<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", all(), *out);
}
