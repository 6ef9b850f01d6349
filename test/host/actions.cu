// sigaction and friends; <locale>, as far as there is one.
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <locale>
#include <signal.h>
#include <stdexcept>
#include <string>
static volatile sig_atomic_t seen;
static void handle(int n) { seen = seen * 100 + n; }
static void tell(int n, siginfo_t *info, void *) { seen = seen * 100 + (info->si_signo == n); }
int main()
{
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    a.sa_handler = handle;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, SIGUSR2);
    printf("%d %d\n", sigismember(&a.sa_mask, SIGUSR2), sigismember(&a.sa_mask, SIGUSR1));
    sigaction(SIGUSR1, &a, &old);
    raise(SIGUSR1);
    a.sa_sigaction = tell;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &a, nullptr);
    raise(SIGUSR1);
    sigaction(SIGUSR1, nullptr, &a);
    printf("%d %d %d\n", (int)seen, a.sa_sigaction == tell, old.sa_handler == SIG_DFL);
    std::locale c = std::locale::classic();
    printf("%s %d %c %zu\n", c.name().c_str(), c == std::locale("C"), std::use_facet<std::numpunct<char>>(c).decimal_point(), std::use_facet<std::numpunct<char>>(c).grouping().size());
    printf("%d %d %c %c\n", std::isalpha('x', c), std::isdigit('x', c), std::toupper('q', c), std::use_facet<std::ctype<char>>(c).tolower('Q'));
    try {
        std::locale("no_such_place");
    } catch (const std::runtime_error &e) {
        puts("none of that name");
    }
    printf("%s %s\n", setlocale(LC_ALL, "C"), localeconv()->decimal_point);
}
