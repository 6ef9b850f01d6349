/* Bad accesses, time limits and Ctrl-C inside a kernel.
 *
 * The state of a watched thread lies at the start of the stack that its signals are handled on, so
 * the handler finds it without any global: it asks which stack that is. A thread without such a
 * stack is none of ours; for it the signal does what it would have done. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "rt/dev/cpu/cpu_int.h"

static const char magic[8] = {'t', 'e', 'r', 'n', 'w', 'a', 't', 'c'};
enum { TICK_NS = 50 * 1000 * 1000 };
#define TICK_SIGNAL (SIGRTMIN + 5)

_Static_assert(sizeof(stack_t) <= 64, "cpu_watch keeps a stack_t in 64 bytes");

static struct cpu_watch *current(void)
{
    stack_t s;
    if (sigaltstack(NULL, &s) || s.ss_flags & SS_DISABLE || s.ss_size < sizeof(struct cpu_watch))
        return NULL;
    /* The watch lies just below the stack that was given to the system. */
    struct cpu_watch *w = (struct cpu_watch *)((char *)s.ss_sp - sizeof *w);
    return s.ss_size == CPU_WATCH_BYTES - sizeof *w && !memcmp(w->magic, magic, sizeof magic)
               ? w
               : NULL;
}

static void jump(struct cpu_watch *w, int what)
{
    jmp_buf *to = w->jump;
    w->jump = NULL;
    w->what = what;
    longjmp(*to, 1);
}

static void leave(struct cpu_watch *w, int signal, int what)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    jump(w, what);
}

struct cpu_watch *cpu_call_begin(struct cpu_watch *w)
{
    if (!w)
        w = current();
    if (w)
        w->calls = w->calls + 1;
    return w;
}

void cpu_call_end(struct cpu_watch *w)
{
    if (!w)
        return;
    w->calls = w->calls - 1;
    w->in_heap = false;
    if (!w->calls && w->overdue && w->jump)
        jump(w, w->overdue);
}

/* Nothing that is left can be trusted. The signal comes again, and ends the process. */
static void give_up(int signal)
{
    static const char text[] = "tern: a kernel has overwritten memory of the host program\n";
    struct sigaction none = {.sa_handler = SIG_DFL};
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    sigaction(signal, &none, NULL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    struct cpu_watch *w = current();
    if (w && !w->jump && w->what) { /* once more, on the way back from a kernel */
        give_up(signal);
        return;
    }
    if (!w || !w->jump) { /* not a kernel: as if there were no handler */
        struct sigaction none = {.sa_handler = SIG_DFL};
        sigaction(signal, &none, NULL);
        return;
    }
    if (w->in_heap) {
        give_up(signal);
        return;
    }
    w->address = (uint64_t)(uintptr_t)info->si_addr;
    leave(w, signal, signal == SIGBUS ? TERN_MISALIGNED : TERN_ILLEGAL_ADDRESS);
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    struct cpu_watch *w = current();
    if (!w || !w->jump)
        return;
    const int what = w->cancel && __atomic_load_n(w->cancel, __ATOMIC_RELAXED) ? TERN_CANCELLED
                     : w->deadline && thread_nanoseconds() > w->deadline       ? TERN_TIMEOUT
                                                                               : 0;
    if (what && w->calls)
        w->overdue = what;
    else if (what)
        leave(w, signal, what);
}

void cpu_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS};
    struct sigaction old,
        ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (!sigaction(faults[k], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(faults[k], &ours, NULL);
    ours.sa_sigaction = on_tick;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    if (!sigaction(TICK_SIGNAL, NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL)
        sigaction(TICK_SIGNAL, &ours, NULL);
}

struct cpu_watch *cpu_watch_begin(void *memory, size_t bytes, uint64_t deadline,
                                  const volatile int *cancel)
{
    struct cpu_watch *w = memory;
    memset(w, 0, sizeof *w);
    memcpy(w->magic, magic, sizeof magic);
    w->deadline = deadline;
    w->cancel = cancel;
    stack_t stack = {.ss_sp = (char *)memory + sizeof *w, .ss_size = bytes - sizeof *w}, old = {0};
    sigaltstack(&stack, &old);
    memcpy(w->previous, &old, sizeof old);
    sigset_t set; /* threads of the pool block what is not theirs */
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGBUS);
    sigaddset(&set, TICK_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    if (deadline || cancel) {
        struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
        e._sigev_un._tid = (int)syscall(SYS_gettid);
        timer_t t;
        struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
        if (!timer_create(CLOCK_MONOTONIC, &e, &t)) {
            memcpy(&w->timer, &t, sizeof t);
            timer_settime(t, 0, &every, NULL);
            return w;
        }
    }
    w->timer = NULL;
    w->deadline = 0; /* no timer: blocks are still checked between each other */
    w->cancel = NULL;
    return w;
}

void cpu_watch_end(struct cpu_watch *w)
{
    w->jump = NULL;
    if (w->deadline || w->cancel) {
        timer_t t;
        memcpy(&t, &w->timer, sizeof t);
        timer_delete(t);
    }
    stack_t old;
    memcpy(&old, w->previous, sizeof old);
    sigaltstack(&old, NULL);
    memset(w->magic, 0, sizeof w->magic);
}
