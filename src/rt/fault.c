/* See fault.h. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "rt/fault.h"

static const char magic[8] = {'t', 'e', 'r', 'n', 'w', 'a', 't', 'c'};

/* What a driver's threads are called, so that the handler knows them, and what one where a kernel
 * faulted: a word and 48 bits of address, since a name has 15 bytes. */
#define SHADER_THREAD "tern-kernels"
#define FAULTED       "at:"
enum { NAME_BYTES = 16, DIGITS = 12 };

struct rt_watch *rt_watch_current(void)
{
    stack_t s;
    if (sigaltstack(NULL, &s) || s.ss_flags & SS_DISABLE || s.ss_size != RT_WATCH_STACK)
        return NULL;
    struct rt_watch *w = (struct rt_watch *)((char *)s.ss_sp - sizeof *w);
    return memcmp(w->magic, magic, sizeof magic) ? NULL : w;
}

void rt_watch_begin(struct rt_watch *w, void (*fault)(struct rt_watch *, int, const siginfo_t *),
                    stack_t *old)
{
    stack_t stack = {.ss_sp = w + 1, .ss_size = RT_WATCH_STACK};
    memcpy(w->magic, magic, sizeof magic);
    w->fault = fault;
    sigaltstack(&stack, old);
}

void rt_watch_end(struct rt_watch *w, const stack_t *old)
{
    sigaltstack(old, NULL);
    memset(w->magic, 0, sizeof w->magic);
}

/* Returns only where the thread is not a driver's. */
static void stay_if_drivers(const siginfo_t *info)
{
    char name[NAME_BYTES] = "";
    if (prctl(PR_GET_NAME, name) || strcmp(name, SHADER_THREAD))
        return;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    char told[NAME_BYTES] = FAULTED;
    for (int k = DIGITS; k-- > 0; address >>= 4)
        told[sizeof FAULTED - 1 + k] = "0123456789abcdef"[address & 15];
    prctl(PR_SET_NAME, told);
    for (;;)
        pause();
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    struct sigaction none = {.sa_handler = SIG_DFL};
    struct rt_watch *w = rt_watch_current();
    if (w)
        w->fault(w, signal, info);
    else
        stay_if_drivers(info);
    sigaction(signal, &none, NULL); /* as if there were no handler */
}

void rt_fault_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS};
    struct sigaction old,
        ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (!sigaction(faults[k], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(faults[k], &ours, NULL);
}

static int open_name(int thread, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
    return open(path, flags | O_CLOEXEC);
}

struct rt_threads rt_threads_now(void)
{
    struct rt_threads t = {0};
    DIR *all = opendir("/proc/self/task");
    for (const struct dirent *e; all && (e = readdir(all));) {
        int *more = e->d_name[0] == '.' ? NULL : realloc(t.ids, (t.n + 1) * sizeof *more);
        if (!more)
            continue;
        t.ids = more;
        t.ids[t.n++] = atoi(e->d_name);
    }
    if (all)
        closedir(all);
    return t;
}

static bool is_among(const struct rt_threads *t, int thread)
{
    for (size_t k = 0; k < t->n; k++)
        if (t->ids[k] == thread)
            return true;
    return false;
}

static void set_name(int thread, const char *name)
{
    const int fd = open_name(thread, O_WRONLY);
    if (fd < 0)
        return;
    (void)!write(fd, name, strlen(name));
    close(fd);
}

struct rt_threads rt_threads_since(struct rt_threads *before)
{
    struct rt_threads t = rt_threads_now();
    size_t kept = 0;
    for (size_t k = 0; k < t.n; k++) {
        if (is_among(before, t.ids[k]))
            continue;
        set_name(t.ids[k], SHADER_THREAD);
        t.ids[kept++] = t.ids[k];
    }
    t.n = kept;
    free(before->ids);
    *before = (struct rt_threads){0};
    return t;
}

bool rt_fault_of_driver(const struct rt_threads *t, uint64_t *address)
{
    bool found = false;
    for (size_t k = 0; k < t->n && !found; k++) {
        char name[NAME_BYTES] = "";
        const int fd = open_name(t->ids[k], O_RDONLY);
        found = fd >= 0 && read(fd, name, sizeof name - 1) > 0 &&
                !strncmp(name, FAULTED, sizeof FAULTED - 1);
        if (fd >= 0)
            close(fd);
        if (found)
            *address = strtoull(name + sizeof FAULTED - 1, NULL, 16);
    }
    return found;
}
