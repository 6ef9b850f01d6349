/* Bad accesses, time limits and Ctrl-C inside a kernel. How a handler finds its thread's watch:
 * rt/fault.h. */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "rt/dev/cpu/cpu_int.h"

enum { TICK_NS = 50 * 1000 * 1000 };
#define TICK_SIGNAL (SIGRTMIN + 5)

_Static_assert(sizeof(stack_t) <= 64, "cpu_watch keeps a stack_t in 64 bytes");

static struct cpu_watch *of(struct rt_watch *w)
{
    return w ? (struct cpu_watch *)((char *)w - offsetof(struct cpu_watch, watch)) : NULL;
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
        w = of(rt_watch_current());
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

/* Nothing that is left can be trusted: the signal comes again, and ends the process. */
static void give_up(void)
{
    static const char text[] = "tern: a kernel has overwritten memory of the host program\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

static void on_fault(struct rt_watch *of_thread, int signal, const siginfo_t *info)
{
    struct cpu_watch *w = of(of_thread);
    if ((w->jump && w->in_heap) || (!w->jump && w->what)) { /* or on the way back from a kernel */
        give_up();
    } else if (w->jump) {
        w->address = (uint64_t)(uintptr_t)info->si_addr;
        leave(w, signal, signal == SIGBUS ? TERN_MISALIGNED : TERN_ILLEGAL_ADDRESS);
    } /* else: not a kernel */
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    struct cpu_watch *w = of(rt_watch_current());
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
    rt_fault_signals();
    struct sigaction old,
        ours = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    if (!sigaction(TICK_SIGNAL, NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL)
        sigaction(TICK_SIGNAL, &ours, NULL);
}

/* Threads of the pool block what is not theirs. */
static void let_through(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGBUS);
    sigaddset(&set, TICK_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

struct cpu_watch *cpu_watch_begin(void *memory, uint64_t deadline, const volatile int *cancel,
                                  bool unblock)
{
    struct cpu_watch *w = memory;
    stack_t old = {0};
    memset(w, 0, sizeof *w);
    w->deadline = deadline;
    w->cancel = cancel;
    rt_watch_begin(&w->watch, on_fault, &old);
    memcpy(w->previous, &old, sizeof old);
    if (unblock)
        let_through();
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
    rt_watch_end(&w->watch, &old);
}
