/* The unit-test frame: runs every test plainly and with each allocation failing in turn.
 * unit [PREFIX…]: only the tests whose name starts so. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "unit.h"

/* The linker sends the library's malloc, calloc and realloc here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static atomic_long countdown; /* the allocation that brings it to 0 fails; 0: none does */
static atomic_bool fired;

static bool fails(void)
{
    if (atomic_load(&countdown) <= 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    atomic_store(&fired, true);
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

static struct unit_test *tests;

void unit_register(struct unit_test *t)
{
    t->next = tests;
    tests = t;
}

void unit_fail(struct unit *u, const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%s:%d: ", file, line);
    vprintf(fmt, ap);
    putchar('\n');
    va_end(ap);
    u->failed = true;
}

bool unit_injected(struct unit *u)
{
    return u->injected || atomic_load(&fired);
}

double unit_patience(void)
{
    const char *factor = getenv("TERN_PATIENCE");
    double patience = factor ? atof(factor) : 1;
#ifdef NDEBUG
    return patience;
#else
    return patience * 10;
#endif
}

static bool emulated(void)
{
    return getenv("TERN_UNIT_PLAIN");
}

unsigned unit_stride(void)
{
    return emulated() ? 11 : 1;
}

/* One run in which the n-th allocation fails (0: none). Tells whether it came to that. */
static bool run_once(const struct unit_test *t, long n, bool *failed)
{
    static jmp_buf unwind; /* static: longjmp leaves locals of this function undefined */
    static struct mem mem;
    static struct arena arena;
    static struct unit u;
    mem = (struct mem){.unwind = &unwind, .exact = true};
    arena_init(&arena, &mem);
    u = (struct unit){.mem = &mem, .arena = &arena};
    atomic_store(&fired, false);
    atomic_store(&countdown, n);
    if (!setjmp(unwind)) {
        t->run(&u);
    } else {
        if (!unit_injected(&u) && !mem.limit)
            unit_fail(&u, t->file, 0, "%s: memory ran out", t->name);
        mem_release(&mem); /* scratch arenas of unwound functions too */
        arena_init(&arena, &mem);
    }
    atomic_store(&countdown, 0);
    arena_free(&arena);
    if (mem.used)
        unit_fail(&u, t->file, 0, "%s: %zu bytes were not given back (allocation %ld failed)",
                  t->name, mem.used, n);
    *failed |= u.failed;
    return atomic_load(&fired);
}

/* Words are beginnings of names to run; with a minus before them, of names to leave out. */
static bool wanted(const char *name, int argc, char **argv)
{
    bool any = false, found = false;
    for (int i = 1; i < argc; i++) {
        bool not_this = argv[i][0] == '-';
        bool fits = !strncmp(name, argv[i] + not_this, strlen(argv[i] + not_this));
        if (fits && not_this)
            return false;
        any |= !not_this;
        found |= fits;
    }
    return found || !any;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct unit_test *const *)a)->name, (*(struct unit_test *const *)b)->name);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const bool plain = emulated(); /* no failing allocations: that is the same on each machine */
    size_t n = 0, failures = 0;
    for (struct unit_test *t = tests; t; t = t->next)
        n++;
    struct unit_test **sorted = __real_calloc(n + 1, sizeof *sorted);
    if (!sorted)
        return 2;
    n = 0;
    for (struct unit_test *t = tests; t; t = t->next)
        sorted[n++] = t;
    qsort(sorted, n, sizeof *sorted, by_name);

    for (size_t i = 0; i < n; i++) {
        const struct unit_test *t = sorted[i];
        if (!wanted(t->name, argc, argv))
            continue;
        bool failed = false;
        run_once(t, 0, &failed);
        /* Every one of the first 400, then ever sparser. */
        for (long k = 1; !plain && !t->once && !failed && run_once(t, k, &failed);
             k += 1 + k / 400 * k / 50)
            ;
        printf("%s unit/%s%s\n", failed ? "FAIL" : "PASS", t->name,
               failed ? ": a check failed" : "");
        failures += failed;
    }
    free(sorted);
    return failures ? 1 : 0;
}
