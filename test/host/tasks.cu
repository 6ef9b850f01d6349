// Threads and what they hand over: futures, promises, tasks, locks; calls of members; owners.
// OPTIONS: -std=c++20
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct counter {
    int n = 3;
    int more(int by) const { return n + by; }
    void put(int *to) { *to = n; }
};
struct shape {
    virtual ~shape() {}
};
struct circle : shape {
    int r = 4;
};
struct node : std::enable_shared_from_this<node> {
    std::shared_ptr<node> self() { return shared_from_this(); }
};
static int sum(int a, int b, int c) { return a * 100 + b * 10 + c; }

int main()
{
    auto answer = std::async(std::launch::async, [](int x) { return x * 2; }, 21);
    auto later = std::async(std::launch::deferred, [] { return std::string("only when asked"); });
    std::cout << (later.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) << answer.get() << later.get() << answer.valid() << "\n";
    std::promise<int> p;
    auto given = p.get_future();
    std::thread t([&] { p.set_value(7); });
    std::cout << given.get() << "\n";
    t.join();
    std::promise<void> done;
    done.set_value();
    done.get_future().get();
    std::packaged_task<int(int)> task([](int x) { return x + 1; });
    auto result = task.get_future();
    task(4);
    std::shared_future<int> shared = std::async([] { return 5; }).share();
    std::cout << result.get() << shared.get() + shared.get() << "\n";
    try {
        std::async(std::launch::async, []() -> int { throw std::runtime_error("in the thread"); }).get();
    } catch (const std::exception &e) {
        std::cout << e.what() << "\n";
    }
    try {
        std::future<int> broken = std::promise<int>().get_future();
        broken.get();
    } catch (const std::future_error &e) {
        std::cout << e.what() << "\n";
    }

    counter c;
    int n = 0;
    std::thread member(&counter::put, &c, &n);
    member.join();
    auto more = std::mem_fn(&counter::more);
    std::function<int(const counter &, int)> f = &counter::more;
    std::cout << n << more(c, 4) << std::invoke(&counter::more, &c, 5) << std::invoke(&counter::n, c) << f(c, 6) << "\n";
    using namespace std::placeholders;
    auto bound = std::bind(sum, _2, 5, _1);
    auto method = std::bind(&counter::more, &c, _1);
    std::cout << bound(1, 2) << " " << method(10) << std::not_fn([](int x) { return x > 3; })(2) << "\n";

    std::shared_mutex rw;
    std::mutex a, b;
    std::recursive_mutex again;
    std::vector<std::thread> all;
    std::atomic<double> total{0};
    std::atomic<bool> first{false};
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    int firsts = 0, value = 0;
    for (int i = 0; i < 4; i++)
        all.emplace_back([&, i] {
            bool expected = false;
            if (first.compare_exchange_strong(expected, true))
                firsts++;
            for (int k = 0; k < 100; k++) {
                total += 0.5;
                if (i == 0) {
                    std::unique_lock<std::shared_mutex> l(rw);
                    value++;
                } else {
                    std::shared_lock<std::shared_mutex> l(rw);
                    if (value > 100)
                        value = -1;
                }
                std::scoped_lock both(a, b);
                std::lock_guard<std::recursive_mutex> once(again), twice(again);
            }
        });
    for (auto &x : all)
        x.join();
    std::cout << total << " " << firsts << value << flag.test_and_set() << flag.test_and_set() << "\n";

    std::shared_ptr<shape> s = std::make_shared<circle>();
    std::cout << std::dynamic_pointer_cast<circle>(s)->r << (std::dynamic_pointer_cast<node>(std::shared_ptr<node>()) == nullptr) << s.use_count() << "\n";
    auto own = std::make_shared<node>();
    std::cout << own->self().use_count() << "\n";
    std::shared_ptr<FILE> file(fopen("/dev/null", "r"), fclose);
    std::cout << (file != nullptr) << "\n";
}
