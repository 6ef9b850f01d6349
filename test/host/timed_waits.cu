// Condition variables with a limit of time, and of any lock.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
using namespace std::chrono;

std::mutex lock;
std::condition_variable changed;
int state = 0;

struct counting_lock { // any lock
    std::mutex m;
    int taken = 0;
    void lock() { m.lock(); taken++; }
    void unlock() { m.unlock(); }
};

int main()
{
    std::unique_lock<std::mutex> l(lock);
    auto begin = steady_clock::now();
    printf("nobody: %d\n", changed.wait_for(l, 20ms) == std::cv_status::timeout);
    printf("never: %d\n", changed.wait_for(l, milliseconds(10), [] { return state == 7; }));
    printf("past: %d\n", changed.wait_until(l, system_clock::now() - 1s) == std::cv_status::timeout);
    printf("waited: %d\n", steady_clock::now() - begin >= 30ms);
    std::thread t([] {
        std::this_thread::sleep_for(5ms);
        std::lock_guard<std::mutex> g(lock);
        state = 7;
        changed.notify_all();
    });
    printf("in time: %d\n", changed.wait_for(l, 10s, [] { return state == 7; }));
    l.unlock();
    t.join();

    counting_lock any;
    std::condition_variable_any turned;
    bool mine = true;
    std::thread other([&] {
        std::unique_lock<counting_lock> k(any);
        turned.wait(k, [&] { return !mine; });
        mine = true;
        turned.notify_one();
    });
    {
        std::unique_lock<counting_lock> k(any);
        mine = false;
        turned.notify_all();
        printf("turn: %d\n", turned.wait_until(k, steady_clock::now() + 10s, [&] { return mine; }));
        printf("held: %d\n", any.m.try_lock());
        printf("none: %d\n", turned.wait_for(k, 5ms) == std::cv_status::timeout);
    }
    other.join();
    printf("taken: %d\n", any.taken >= 3);
}
