// Variables of threads, and threads.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <thread>
#include <vector>

int made = 0;
std::mutex lock;
struct counted {
    int n;
    counted() : n(0) { std::lock_guard<std::mutex> g(lock); made++; }
    ~counted() { std::lock_guard<std::mutex> g(lock); made += 100; }
};
thread_local int plain = 5;
thread_local std::string text = "start";
static thread_local counted object;
struct holder { static thread_local int inside; };
thread_local int holder::inside = 9;
alignas(64) thread_local char wide[64] = "wide";

int thrower(int n) { if (n) throw n; return n; }

int next()
{
    thread_local int calls = 10;
    static thread_local std::vector<int> all = {1, 2};
    all.push_back(++calls);
    return (int)all.size() * 1000 + calls;
}

/* What POSIX has beside them. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t turns;
static void set_up() { printf("once: %d\n", pthread_key_create(&key, nullptr)); }
static void *posix(void *p)
{
    pthread_once(&once, set_up);
    pthread_setspecific(key, p);
    sem_wait(&turns);
    return pthread_getspecific(key);
}
static void posix_threads()
{
    pthread_t t[3];
    long sum = 0;
    sem_init(&turns, 0, 0);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], nullptr, posix, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        sem_post(&turns);
    for (pthread_t of : t) {
        void *p;
        pthread_join(of, &p);
        sum += (long)p;
    }
    int left = -1;
    sem_getvalue(&turns, &left);
    printf("%ld %d %d %d\n", sum, left, sem_destroy(&turns), pthread_equal(t[0], t[0]) != 0);
}

int main()
{
    posix_threads();
    std::vector<std::thread> threads;
    std::vector<std::string> said(4);
    std::atomic<int> sum(0);
    plain = 1;
    text += " of main";
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            plain += i;
            text += std::to_string(i);
            object.n += i;
            holder::inside *= i;
            int calls = 0;
            for (int k = 0; k <= i; k++)
                calls = next();
            sum += plain;
            said[i] = text + " " + std::to_string(plain) + " " + std::to_string(object.n) + " " +
                      std::to_string(holder::inside) + " " + std::to_string(calls) + " " + wide +
                      std::to_string((unsigned long)wide % 64);
        });
    for (auto &t : threads)
        t.join();
    for (auto &s : said)
        printf("%s\n", s.c_str());
    printf("%d %s %d %d %d %d\n", plain, text.c_str(), object.n, holder::inside, next(), sum.load());
    printf("%d\n", made);
    long caught[3] = {};
    std::thread other[2];
    for (int k = 0; k < 2; k++)
        other[k] = std::thread([&, k] { for (int i = 0; i < 1000; i++) try { thrower(i % (3 + k)); } catch (int n) { caught[k] += n; } });
    for (int i = 0; i < 1000; i++)
        try { thrower(i % 5); } catch (int n) { caught[2] += n; }
    other[0].join();
    other[1].join();
    printf("%ld %ld %ld\n", caught[0], caught[1], caught[2]);
    std::condition_variable ready;
    bool go = false;
    std::thread waits([&] { std::unique_lock<std::mutex> l(lock); ready.wait(l, [&] { return go; }); printf("woken\n"); });
    { std::lock_guard<std::mutex> g(lock); go = true; }
    ready.notify_all();
    waits.join();
}
