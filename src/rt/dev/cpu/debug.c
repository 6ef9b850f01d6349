/* Debuggers and profilers are told of code that we made.
 *
 * gdb's interface: a list of object files in memory, and a function with a breakpoint of gdb's in
 * it that is called whenever the list has changed. Both have names that gdb knows, one for the
 * process: this is the list. perf reads a file of addresses and names (TERN_PERF=1), or a dump of
 * the code with lines, which `perf inject --jit` puts into a recording (TERN_PERF=dump). */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/settings.h"
#include "rt/dev/cpu/cpu_int.h"

/* ---- gdb ---- */
enum { JIT_VERSION = 1, JIT_NOTHING = 0, JIT_ADDED = 1, JIT_REMOVED = 2 };
struct jit_code_entry {
    struct jit_code_entry *next, *prev;
    const char *symfile;
    uint64_t size;
};
struct jit_descriptor {
    uint32_t version, action;
    struct jit_code_entry *relevant, *first;
};

/* Other compilers of the process have lists of their own: ours is not seen outside. */
#define OURS __attribute__((visibility("hidden"), used))
OURS void __jit_debug_register_code(void);
OURS struct jit_descriptor __jit_debug_descriptor = {.version = JIT_VERSION};
OURS __attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all that is in this file */

static void notify(uint32_t action, struct jit_code_entry *e)
{
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = e;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = JIT_NOTHING;
    __jit_debug_descriptor.relevant = NULL;
}

/* Without memory for it the debugger sees nothing; the program runs as before. */
static struct jit_code_entry *add(const struct sbuf *object)
{
    struct jit_code_entry *e = malloc(sizeof *e + object->len);
    if (!e)
        return NULL;
    memcpy(e + 1, object->data, object->len);
    *e = (struct jit_code_entry){.symfile = (const char *)(e + 1), .size = object->len};
    pthread_mutex_lock(&lock);
    e->next = __jit_debug_descriptor.first;
    if (e->next)
        e->next->prev = e;
    __jit_debug_descriptor.first = e;
    notify(JIT_ADDED, e);
    pthread_mutex_unlock(&lock);
    return e;
}

/* ---- perf's map ---- */
static void add_to_map(const struct cpu_debug *d, const char *code)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *f = file >= 0 ? fdopen(file, "a") : NULL;
    if (!f) {
        if (file >= 0)
            close(file);
        return;
    }
    for (size_t k = 0; k < cpu_debug_functions(d); k++) {
        const struct cpu_debug_function fn = cpu_debug_function(d, k);
        if (fn.bytes)
            fprintf(f, "%llx %x %s\n", (unsigned long long)(uintptr_t)(code + fn.offset), fn.bytes,
                    fn.name);
    }
    fclose(f);
}

/* ---- perf's dump of code ---- */
enum { DUMP_MAGIC = 0x4a695444, DUMP_VERSION = 1, DUMP_LOAD = 0, DUMP_LINES = 2 };
#if defined(__aarch64__)
enum { DUMP_MACHINE = 183 };
#else
enum { DUMP_MACHINE = 62 };
#endif
static struct {
    FILE *file;
    bool tried;
    uint64_t codes;
} dump;

static uint64_t perf_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* perf notices the file because it is mapped as code would be. */
static void open_dump(void)
{
    const char *dir = setting_text(SETTING_JITDUMPDIR);
    char path[4096];
    dump.tried = true;
    snprintf(path, sizeof path, "%s/jit-%ld.dump", dir ? dir : ".", (long)getpid());
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    const long page = sysconf(_SC_PAGESIZE);
    if (mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED ||
        !(dump.file = fdopen(file, "w"))) {
        close(file);
        return;
    }
    const uint32_t head[] = {DUMP_MAGIC, DUMP_VERSION, 40, DUMP_MACHINE, 0, (uint32_t)getpid()};
    const uint64_t tail[] = {perf_clock(), 0};
    fwrite(head, sizeof head, 1, dump.file);
    fwrite(tail, sizeof tail, 1, dump.file);
    fflush(dump.file);
}

static void dump_record(uint32_t kind, const void *body, size_t n)
{
    const uint32_t head[] = {kind, (uint32_t)(16 + n)};
    const uint64_t now = perf_clock();
    fwrite(head, sizeof head, 1, dump.file);
    fwrite(&now, sizeof now, 1, dump.file);
    fwrite(body, n, 1, dump.file);
}

static void dump_lines(const struct cpu_debug *d, size_t k, const char *code, struct arena *a)
{
    struct cpu_debug_line *lines;
    const size_t n = cpu_debug_lines(d, k, a, &lines);
    const struct cpu_debug_function fn = cpu_debug_function(d, k);
    struct sbuf b;
    if (!n)
        return;
    sbuf_init(&b, a);
    sbuf_u64le(&b, (uintptr_t)(code + fn.offset));
    sbuf_u64le(&b, n);
    for (size_t q = 0; q < n; q++) {
        sbuf_u64le(&b, (uintptr_t)(code + lines[q].offset));
        sbuf_u32le(&b, lines[q].line);
        sbuf_u32le(&b, lines[q].column);
        sbuf_put(&b, lines[q].path, strlen(lines[q].path) + 1);
    }
    dump_record(DUMP_LINES, b.data, b.len);
}

static void add_to_dump(const struct cpu_debug *d, const char *code, struct arena *a)
{
    if (!dump.tried)
        open_dump();
    for (size_t k = 0; dump.file && k < cpu_debug_functions(d); k++) {
        const struct cpu_debug_function fn = cpu_debug_function(d, k);
        struct sbuf b;
        if (!fn.bytes)
            continue;
        dump_lines(d, k, code, a); /* come before the code that they are of */
        sbuf_init(&b, a);
        sbuf_u32le(&b, (uint32_t)getpid());
        sbuf_u32le(&b, (uint32_t)syscall(SYS_gettid));
        sbuf_u64le(&b, (uintptr_t)(code + fn.offset));
        sbuf_u64le(&b, (uintptr_t)(code + fn.offset));
        sbuf_u64le(&b, fn.bytes);
        sbuf_u64le(&b, ++dump.codes);
        sbuf_put(&b, fn.name, strlen(fn.name) + 1);
        sbuf_put(&b, code + fn.offset, fn.bytes);
        dump_record(DUMP_LOAD, b.data, b.len);
    }
    if (dump.file)
        fflush(dump.file);
}

/* ---- the door ---- */
bool cpu_perf(void)
{
    return setting_on(SETTING_PERF);
}

void *cpu_debug_add(const struct cpu_debug *d, const struct cpu_own *own, const char *globals,
                    bool to_gdb, struct arena *a)
{
    const char *perf = setting_text(SETTING_PERF);
    if (cpu_perf()) {
        pthread_mutex_lock(&lock);
        if (!strcmp(perf, "dump"))
            add_to_dump(d, own->code, a);
        else
            add_to_map(d, own->code);
        pthread_mutex_unlock(&lock);
    }
    if (!to_gdb)
        return NULL;
    struct sbuf object;
    sbuf_init(&object, a);
    cpu_debug_elf(d, (uintptr_t)own->code, (uintptr_t)globals, &object);
    return add(&object);
}

void cpu_debug_remove(void *entry)
{
    struct jit_code_entry *e = entry;
    if (!e)
        return;
    pthread_mutex_lock(&lock);
    if (e->prev)
        e->prev->next = e->next;
    else
        __jit_debug_descriptor.first = e->next;
    if (e->next)
        e->next->prev = e->prev;
    notify(JIT_REMOVED, e);
    pthread_mutex_unlock(&lock);
    free(e);
}
