/* Programs whose host half is our own machine code: see host.h.
 *
 * Functions that the program names are found in this library, and in those that it is linked with:
 * the C library, its mathematics. What these have under no name of theirs is here. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/cuda_int.h"
#include "cuda/host.h"
#include "rt/host.h"

/* ---- static variables of functions, made once ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t made;
} guards = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

enum { GUARD_OPEN, GUARD_BUSY, GUARD_DONE };

/* 1: the caller is to make the variable. */
static int guard_begin(uint64_t *guard)
{
    if (__atomic_load_n(guard, __ATOMIC_ACQUIRE) == GUARD_DONE)
        return 0;
    pthread_mutex_lock(&guards.lock);
    while (*guard == GUARD_BUSY)
        pthread_cond_wait(&guards.made, &guards.lock);
    const int first = *guard == GUARD_OPEN;
    if (first)
        *guard = GUARD_BUSY;
    pthread_mutex_unlock(&guards.lock);
    return first;
}

static void guard_end(uint64_t *guard)
{
    pthread_mutex_lock(&guards.lock);
    __atomic_store_n(guard, GUARD_DONE, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&guards.made);
    pthread_mutex_unlock(&guards.lock);
}

/* It was not made after all. */
static void guard_abort(uint64_t *guard)
{
    pthread_mutex_lock(&guards.lock);
    *guard = GUARD_OPEN;
    pthread_cond_broadcast(&guards.made);
    pthread_mutex_unlock(&guards.lock);
}

/* What this thread has thrown and caught: std::__tern_state of <exception>. */
static void *thread_state(void)
{
    static _Thread_local uint64_t state[4];
    return state;
}

/* ---- thread_local ---- */

/* A thread's variables, by the address of what they start as. They stay when it ends: what is
 * destroyed then may still name them. */
struct thread_variable {
    const void *start;
    void *own;
    struct thread_variable *next;
};
static _Thread_local struct thread_variable *thread_variables[64];

static void *thread_variable(const void *start, size_t size, size_t align, void (*make)(void *))
{
    struct thread_variable **list = &thread_variables[(uintptr_t)start / 8 % 64], *v = *list;
    while (v && v->start != start)
        v = v->next;
    if (v)
        return v->own;
    v = malloc(sizeof *v);
    const size_t whole = align < sizeof(void *) ? sizeof(void *) : align;
    if (!v || posix_memalign(&v->own, whole, size ? size : 1))
        abort();
    memcpy(v->own, start, size);
    v->start = start;
    v->next = *list;
    *list = v;
    if (make)
        make(v->own);
    return v->own;
}

/* ---- names ---- */

/* A tag is followed by the kernel's name: front/cuda/lower/host.c. */
static char *name_in_tag(const char *tag, char *buffer, size_t *length, int *status)
{
    (void)buffer, (void)length;
    if (status)
        *status = 0;
    return strdup(tag + strlen(tag) + 1);
}

static struct __tern_unit unit = {.demangle = name_in_tag};

static void *function(void (*f)(void))
{
    void *p;
    memcpy(&p, &f, sizeof p);
    return p;
}

/* Some C libraries have these only for the linker. */
static void *look_up(void *ctx, const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } own[] = {
        {"__tern_guard_begin", (void (*)(void))guard_begin},
        {"__tern_guard_end", (void (*)(void))guard_end},
        {"__tern_register_stub", (void (*)(void))cuda_register_stub},
        {"__tern_guard_abort", (void (*)(void))guard_abort},
        {"__tern_thread_variable", (void (*)(void))thread_variable},
        {"__tern_thread_state", (void (*)(void))thread_state},
        {"atexit", (void (*)(void))atexit},
    };
    if (!strcmp(name, "__tern_host_unit"))
        return &unit;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!strcmp(own[k].name, name))
            return function(own[k].function);
    return dlsym(ctx, name);
}

static unsigned flags_of(const struct compile_mode *m)
{
    return (m->fast_math ? __TERN_UNIT_FAST_MATH : 0u) | (m->fast_f64 ? __TERN_UNIT_FAST_F64 : 0u) |
           (m->no_fmad ? __TERN_UNIT_NO_FMAD : 0u) | m->arch << __TERN_UNIT_ARCH_SHIFT;
}

static void say_warnings(const struct host_job *job, char *text)
{
    if (text && !job->quiet)
        fputs(text, stderr);
    free(text);
}

int __tern_run_host(const struct host_job *job, int *code, char **why)
{
    Dl_info here;
    struct host_program program;
    size_t len = 0;
    *why = NULL;
    void *self = dladdr((void *)&unit, &here) && here.dli_fname
                     ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                     : NULL;
    if (!self)
        return HOST_REFUSED;
    const enum half_form form = job->json ? HALF_JSON : job->color ? HALF_COLOR : HALF_TEXT;
    if (host_load(job->options, form, job->text, job->len, look_up, self, &program, why))
        return HOST_REFUSED;
    struct compile_options device = *job->options;
    device.host = false;
    char *warned = *why;
    char *text = host_device_half(&device, form, job->text, job->len, &len, why);
    if (!text) {
        free(warned);
        return HOST_WRONG;
    }
    say_warnings(job, warned);
    say_warnings(job, *why);
    *why = NULL;
    unit.begin = text;
    unit.end = text + len;
    unit.path = job->options->path;
    unit.flags = flags_of(&job->options->mode);
    program.init();
    *code = program.main(job->argc, job->argv, environ);
    return HOST_RAN;
}
