/* Compiled code for kernels that run for long, made beside them.
 *
 * The thread that builds knows nothing but its copy of the text, the compiler and the cache's path.
 * It and whoever asked both hold the copy; who lets go last frees it. Nobody waits for it: when the
 * program ends its compiler is told to end, and in the child of a fork, which has no such thread,
 * what is being built stays so forever, and kernels go on as they are. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rt/dev/cpu/cpu_int.h"

struct cpu_better {
    _Atomic int state, holders;
    struct cpu_compiler *compiler;
    char cache[512];
    bool cached;
    char *text;
    size_t bytes;
    void *object;
    char why[256];
};

static atomic_bool busy; /* a thread builds */
static _Atomic pid_t compiler, owner;

/* Whoever takes the number away may end or collect the process: no other can have it by then. */
static void end_compiler(void)
{
    if (atomic_load(&owner) != getpid())
        return;
    const pid_t p = atomic_exchange(&compiler, 0);
    if (p > 0)
        kill(p, SIGKILL);
}

static void at_exit(void)
{
    atexit(end_compiler);
}

bool cpu_better_idle(void)
{
    return !atomic_load(&busy);
}

void cpu_better_drop(struct cpu_better *b)
{
    if (!b || atomic_fetch_sub(&b->holders, 1) > 1)
        return;
    if (b->object)
        dlclose(b->object);
    free(b->compiler);
    free(b->text);
    free(b);
}

static enum cpu_better_state build(struct cpu_better *b)
{
    jmp_buf unwind;
    struct mem mem = {.unwind = &unwind};
    struct arena arena;
    struct diag diag;
    struct sbuf why;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        arena_free(&arena);
        snprintf(b->why, sizeof b->why, "out of memory");
        return CPU_BETTER_FAILED;
    }
    diag_init(&diag, &arena, NULL);
    const struct cpu_making how = {
        .compiler = b->compiler, .cache_dir = b->cached ? b->cache : NULL, .running = &compiler};
    const enum tern_error e = cpu_build(&how, b->text, b->bytes, &diag, &b->object);
    if (e) {
        sbuf_init(&why, &arena);
        diag_render_text(&diag, &why, false);
        snprintf(b->why, sizeof b->why, "%.*s", (int)(why.len < 200 ? why.len : 200),
                 why.len ? why.data : "it could not be compiled");
    }
    arena_free(&arena);
    return e ? CPU_BETTER_FAILED : CPU_BETTER_MADE;
}

static void *work(void *arg)
{
    struct cpu_better *b = arg;
    const enum cpu_better_state s = build(b);
    atomic_store_explicit(&b->state, s, memory_order_release);
    cpu_better_drop(b);
    atomic_store(&busy, false);
    return NULL;
}

static struct cpu_better *copy(const struct cpu_compiler *cc, const char *cache_dir, const char *c,
                               size_t n)
{
    struct cpu_better *b = calloc(1, sizeof *b);
    const size_t size = sizeof *cc + strlen(cc->flags) + 1;
    if (!b)
        return NULL;
    b->compiler = malloc(size);
    b->text = malloc(n ? n : 1);
    if (!b->compiler || !b->text) {
        free(b->compiler);
        free(b->text);
        free(b);
        return NULL;
    }
    memcpy(b->compiler, cc, size);
    memcpy(b->text, c, n);
    b->bytes = n;
    b->cached = cache_dir && strlen(cache_dir) < sizeof b->cache;
    if (b->cached)
        memcpy(b->cache, cache_dir, strlen(cache_dir) + 1);
    atomic_init(&b->state, CPU_BETTER_BUILDING);
    atomic_init(&b->holders, 2);
    return b;
}

/* Signals are for the program's own threads. */
static bool start(struct cpu_better *b)
{
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(&thread, &attr, work, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}

struct cpu_better *cpu_better_start(const struct cpu_compiler *cc, const char *cache_dir,
                                    const char *c, size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_exchange(&busy, true))
        return NULL;
    pthread_once(&once, at_exit);
    atomic_store(&owner, getpid());
    struct cpu_better *b = copy(cc, cache_dir, c, n);
    if (b && start(b))
        return b;
    if (b) {
        cpu_better_drop(b);
        cpu_better_drop(b);
    }
    atomic_store(&busy, false);
    return NULL;
}

enum cpu_better_state cpu_better_state(const struct cpu_better *b)
{
    return (enum cpu_better_state)atomic_load_explicit(&b->state, memory_order_acquire);
}

void *cpu_better_take(struct cpu_better *b)
{
    void *object = b->object;
    b->object = NULL;
    return object;
}

const char *cpu_better_why(const struct cpu_better *b)
{
    return b->why;
}
