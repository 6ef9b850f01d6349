// Classes of the host's library as members of classes that device code uses: what it sees of them is their size, which
// has to be the one that the host's compiler gives them.
// OPTIONS: -std=c++20
#include <any>
#include <complex>
#include <condition_variable>
#include <ctime>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct order {
    long seed;
    bool operator()(int a, int b) const { return (a ^ seed) < (b ^ seed); }
};
struct hasher {
    size_t operator()(int a) const { return a; }
};

template <class T> struct held {
    char before;
    T value;
    char after;
};
template <class T> __host__ __device__ void shape(int *out)
{
    out[0] = sizeof(T);
    out[1] = alignof(T);
    out[2] = offsetof(held<T>, after);
}
template <class T> __global__ void device_shape(int *out)
{
    shape<T>(out);
}

static int wrong;
template <class T> void compare(const char *name, int *out)
{
    int host[3];
    shape<T>(host);
    device_shape<T><<<1, 1>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        wrong++;
    for (int i = 0; i < 3; i++)
        if (host[i] != out[i]) {
            printf("%s: the host says %d, the device %d\n", name, host[i], out[i]);
            wrong++;
            break;
        }
}
#define COMPARE(...) compare<__VA_ARGS__>(#__VA_ARGS__, out)

/* A view of memory that has a name, of which kernels know nothing. */
class view {
public:
    view(int *p, int n, std::string name) : p(p), name(name), n(n), users(std::make_shared<int>(1)) {}
    __host__ __device__ view(const view &v) : p(v.p), n(v.n) {}
    __host__ __device__ ~view() {}
    __host__ __device__ int size() const { return n; }
    __host__ __device__ int &operator[](int i) const { return p[i]; }
    std::string label() const { return name; }

private:
    int *p;
    std::string name;
    std::map<int, std::vector<int>> sets;
    int n;
    std::shared_ptr<int> users;
};
__global__ void fill(view v)
{
    int i = threadIdx.x;
    if (i < v.size())
        v[i] = 10 * i;
}

struct settings {
    std::string title;
    std::vector<float> weights;
    std::unique_ptr<FILE, int (*)(FILE *)> log{nullptr, fclose};
    std::function<void(int)> callback;
    int steps;
};
__global__ void steps_of(const settings *s, int *out)
{
    *out = s->steps;
}
__global__ void swap_parts(std::complex<float> *z)
{
    *z = std::complex<float>(z->imag(), z->real());
}

int main()
{
    int *out;
    cudaMallocManaged(&out, 64 * sizeof(int));
    COMPARE(std::string);
    COMPARE(std::wstring);
    COMPARE(std::vector<int>);
    COMPARE(std::vector<bool>);
    COMPARE(std::map<int, std::string>);
    COMPARE(std::map<int, int, order>);
    COMPARE(std::multiset<int>);
    COMPARE(std::set<int, std::greater<int>>);
    COMPARE(std::unordered_map<int, int>);
    COMPARE(std::unordered_map<int, int, hasher>);
    COMPARE(std::unordered_set<std::string>);
    COMPARE(std::list<int>);
    COMPARE(std::forward_list<int>);
    COMPARE(std::deque<int>);
    COMPARE(std::stack<int>);
    COMPARE(std::stack<int, std::vector<int>>);
    COMPARE(std::queue<int>);
    COMPARE(std::priority_queue<int>);
    COMPARE(std::mutex);
    COMPARE(std::recursive_mutex);
    COMPARE(std::unique_lock<std::mutex>);
    COMPARE(std::condition_variable);
    COMPARE(std::thread);
    COMPARE(std::future<int>);
    COMPARE(std::promise<int>);
    COMPARE(std::ostream);
    COMPARE(std::istream);
    COMPARE(std::stringstream);
    COMPARE(std::ostringstream);
    COMPARE(std::istringstream);
    COMPARE(std::complex<float>);
    COMPARE(std::complex<double>);
    COMPARE(std::string_view);
    COMPARE(std::optional<int>);
    COMPARE(std::optional<double>);
    COMPARE(std::any);
    COMPARE(std::function<int(int)>);
    COMPARE(std::unique_ptr<int>);
    COMPARE(std::unique_ptr<int, void (*)(int *)>);
    COMPARE(std::shared_ptr<int>);
    COMPARE(std::weak_ptr<int>);
    COMPARE(timespec);
    COMPARE(std::tm);
    COMPARE(std::time_t);
    COMPARE(settings);

    view v(out, 8, "numbers");
    fill<<<1, 32>>>(v);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        wrong += out[i] != 10 * i;
    wrong += v.label() != "numbers";

    settings *s;
    cudaMallocManaged((void **)&s, sizeof *s);
    s->steps = 12;
    steps_of<<<1, 1>>>(s, out);
    std::complex<float> *z;
    cudaMallocManaged((void **)&z, sizeof *z);
    *z = {1, 2};
    swap_parts<<<1, 1>>>(z);
    cudaDeviceSynchronize();
    wrong += *out != 12 || *z != std::complex<float>(2, 1);
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
