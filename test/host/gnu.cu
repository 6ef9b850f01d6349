// What GNU's compiler has beyond the language, files and memory of POSIX, mathematics of integers, launches with spaces in them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

void atomics()
{
    static int word = 5;
    static unsigned long long wide = 1ull << 40;
    int seen = 7;
    printf("%d ", __atomic_fetch_add(&word, 3, __ATOMIC_RELAXED));
    printf("%d ", __atomic_sub_fetch(&word, 1, __ATOMIC_ACQ_REL));
    const bool first = __atomic_compare_exchange_n(&word, &seen, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    printf("%d %d ", first, seen);
    seen = 1;
    const bool second = __atomic_compare_exchange_n(&word, &seen, 2, true, __ATOMIC_ACQUIRE, __ATOMIC_CONSUME);
    printf("%d %d ", second, seen);
    __atomic_store_n(&wide, __atomic_load_n(&wide, __ATOMIC_ACQUIRE) + 6, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    printf("%llu ", __atomic_fetch_or(&wide, 9, __ATOMIC_RELAXED));
    printf("%llu ", __atomic_exchange_n(&wide, 4, __ATOMIC_RELAXED));
    printf("%llu\n", __atomic_add_fetch(&wide, 2, __ATOMIC_RELAXED));
}

void files()
{
    char name[] = "/tmp/tern-host-XXXXXX", text[6] = "";
    const int f = mkstemp(name), flags = fcntl(f, F_GETFD);
    fcntl(f, F_SETFD, FD_CLOEXEC);
    printf("%d %d ", flags, fcntl(f, F_GETFD));
    write(f, "words", 5);
    close(f);
    const int again = open(name, O_RDWR | O_CREAT | O_APPEND, 0600);
    char *mapped = (char *)mmap(nullptr, 5, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0);
    printf("%d %.5s ", mapped != MAP_FAILED, mapped);
    mapped[0] = 's';
    munmap(mapped, 5);
    read(again, text, 5);
    printf("%s\n", text);
    close(again);
    unlink(name);
}

/* A string is a char * where that is asked for. */
void plain(char *p) { printf("%s ", p); }
void chosen(const char *p) { printf("const %s ", p); }
void chosen(char *p) { printf("plain %s ", p); }

void strings()
{
    struct named { char *name; int n; } all[] = {{"a", 1}, {"b", 2}};
    char *p = "text", *words[] = {"gnu", "--size", "3", "more", nullptr};
    const option options[] = {{"size", required_argument, nullptr, 's'}, {}};
    plain("one"), plain(p), chosen("two"), plain(all[1].name);
    p = "other";
    const int found = getopt_long(4, words, "s:", options, nullptr);
    printf("%s %c %s\n", p, found, optarg);
}

int main()
{
    int *p, exponent;
    strings();
    atomics();
    files();
    printf("%g %g %g ", ldexp(3, 4), std::scalbn(5, -1), frexp(12, &exponent));
    printf("%d %g\n", exponent, std::ldexp(1.5f, 2));
    cudaMallocManaged(&p, 32);
    for (int i = 0; i < 8; i++)
        p[i] = i;
    twice << <1, 8 >> > (p);
    twice <<< 1, 8 >> >(p);
    twice<< <1, (8 >> 1)>>>(p);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        printf("%d ", p[i]);
    puts("");
}
