/* C text → shared object.
 *
 * The compiler is TERN_CC, or the first of clang, gcc, cc on the path. The instruction set is what
 * the kernel of the operating system reports, never what the processor's name promises. Objects are
 * kept in the user's cache under a hash of text, compiler and flags. An object is written in a
 * private folder and moved into place whole. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif
#include "base/thread.h"
#include "rt/cache.h"
#include "rt/dev/cpu/cpu_int.h"
#include "rt/image.h"

extern char **environ;

/* ---- the machine and its compiler ---- */
static void instruction_set(char *flags, size_t n, unsigned *vector_bytes)
{
    *vector_bytes = 16;
#if defined(__aarch64__)
    unsigned long caps = getauxval(AT_HWCAP);
    enum { ATOMICS = 1 << 8, FPHP = 1 << 9, ASIMDHP = 1 << 10, ASIMDDP = 1 << 20 };
    snprintf(flags, n, "-march=armv8-a%s%s%s", caps & ATOMICS ? "+lse" : "",
             (caps & FPHP) && (caps & ASIMDHP) ? "+fp16" : "", caps & ASIMDDP ? "+dotprod" : "");
#elif defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && cpu_has_avx512();
    if (avx512)
        snprintf(flags, n,
                 "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mf16c -mbmi2 "
                 "-mprefer-vector-width=512");
    else if (avx2)
        snprintf(flags, n, "-mavx2 -mfma -mf16c -mbmi2");
    else
        snprintf(flags, n, "%s", __builtin_cpu_supports("sse4.1") ? "-msse4.1" : "-msse2");
    *vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
#else
    snprintf(flags, n, "-O2");
#endif
}

static bool on_path(const char *name, char *out, size_t n)
{
    if (strchr(name, '/'))
        return (size_t)snprintf(out, n, "%s", name) < n && !access(out, X_OK);
    const char *path = setting_text(SETTING_PATH);
    if (!path)
        path = setting_info[SETTING_PATH].standard;
    while (*path) {
        size_t len = strcspn(path, ":");
        if (len && (size_t)snprintf(out, n, "%.*s/%s", (int)len, path, name) < n &&
            !access(out, X_OK))
            return true;
        path += len + (path[len] == ':');
    }
    return false;
}

struct cpu_compiler *cpu_compiler_find(void)
{
    const char *names[] = {setting_text(SETTING_CC), "clang", "gcc", "cc"};
    const char *more = setting_text(SETTING_CFLAGS);
    enum { OWN_FLAGS = 512 };
    const size_t room = OWN_FLAGS + (more ? strlen(more) : 0);
    struct cpu_compiler *c = calloc(1, sizeof *c + room);
    if (!c)
        return NULL;
    bool found = false;
    if (names[0])
        found = on_path(names[0], c->path, sizeof c->path);
    else
        for (size_t k = 1; k < sizeof names / sizeof *names && !found; k++)
            found = on_path(names[k], c->path, sizeof c->path);
    struct stat s;
    if (!found || stat(c->path, &s)) {
        free(c);
        return NULL;
    }
    char isa[256];
    instruction_set(isa, sizeof isa, &c->vector_bytes);
    /* Asking a compiler for its version takes longer than finding a kernel in the cache. */
    snprintf(c->version, sizeof c->version, "%lld %lld", (long long)s.st_size,
             (long long)s.st_mtime);
    snprintf(c->flags, room,
             "-std=gnu11 -O3 -w -fPIC -shared -fno-math-errno -fno-trapping-math -fno-plt "
             "-fno-delete-null-pointer-checks %s %s",
             isa, more ? more : "");
    return c;
}

struct cpu_compiler *cpu_compiler(struct dev *d)
{
    if (!d->searched) {
        d->compiler = cpu_compiler_find();
        d->searched = true;
    }
    return d->compiler;
}

/* ---- running it ---- */
enum { GIVEN_UP = -2 }; /* a status: the compiler took too long */

static bool is_cancelled(const volatile int *cancel)
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

/* Waits for a process without collecting it; false: it still runs after so many seconds, or nobody
 * wants it any more. */
static bool ends_within(pid_t pid, double seconds, const volatile int *cancel)
{
    const uint64_t end = thread_nanoseconds() + (uint64_t)(seconds * 1e9);
    for (uint64_t pause = 200000;; pause = pause < 2000000 ? pause * 3 / 2 : pause) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) < 0 ? errno != EINTR
                                                                             : info.si_pid == pid)
            return true;
        if (thread_nanoseconds() > end || is_cancelled(cancel))
            return false;
        nanosleep(&(struct timespec){0, (long)pause}, NULL);
    }
}

/* A driver takes the programs it started with it if it is asked to end. */
static void give_up(pid_t pid)
{
    kill(pid, SIGTERM);
    if (!ends_within(pid, 1, NULL))
        kill(pid, SIGKILL);
}

/* `how->running`: where the compiler's process is noted until it has ended, or NULL; who takes it
 * away from there may end it. */
static int run(const char *const *argv, const char *log, const struct cpu_making *how)
{
    _Atomic pid_t *running = how->running;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    int e = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (e)
        return e;
    if (running)
        atomic_store(running, pid);
    const bool ended = ends_within(pid, setting_number(SETTING_CC_LIMIT), how->cancel);
    if (running && !atomic_exchange(running, 0))
        return -1; /* the program ends */
    if (!ended)
        give_up(pid);
    int status = -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return errno == ECHILD ? 0 : errno; /* someone else collects our children */
    return ended ? status : GIVEN_UP;
}

static bool write_file(const char *path, const void *data, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const char *p = data;
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        p += k, n -= (size_t)k;
    }
    return !close(fd) && !n;
}

static char *read_file(const char *path, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (fd < 0)
        return NULL;
    char *data = NULL;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && (data = malloc((size_t)s.st_size + 1))) {
        size_t have = 0;
        ssize_t k;
        while (have < (size_t)s.st_size &&
               (k = read(fd, data + have, (size_t)s.st_size - have)) > 0)
            have += (size_t)k;
        data[have] = 0;
        *n = have;
    }
    close(fd);
    return data;
}

/* Compiles text to folder/k.so. */
static enum tern_error compile(const struct cpu_making *how, const char *c, size_t n,
                               const char *folder, struct diag *diag, char *object,
                               size_t object_size)
{
    char source[600], log[600];
    snprintf(source, sizeof source, "%s/k.c", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(object, object_size, "%s/k.so", folder);
    if (!write_file(source, c, n))
        return TERN_IO;
    const char *rest[] = {"-o", object, source, "-lm", NULL};
    const size_t room = strlen(how->compiler->flags) + 1, most = room / 2 + 1; /* a flag, a space */
    const char **argv = malloc((most + 1) * sizeof *argv + sizeof rest + room);
    if (!argv)
        return TERN_OUT_OF_MEMORY;
    char *flags = (char *)(argv + most + 1) + sizeof rest, *left;
    memcpy(flags, how->compiler->flags, room);
    size_t k = 0;
    argv[k++] = how->compiler->path;
    for (char *s = strtok_r(flags, " ", &left); s; s = strtok_r(NULL, " ", &left))
        argv[k++] = s;
    memcpy(argv + k, rest, sizeof rest);
    int status = run(argv, log, how);
    free(argv);
    enum tern_error e = TERN_OK;
    if (status && is_cancelled(how->cancel)) { /* the signal may have ended the compiler, too */
        e = TERN_CANCELLED;
    } else if (status == GIVEN_UP) {
        diag_error(diag, span_at(0, 0),
                   "%s took more than %g seconds for the C made from the kernel (TERN_CC_LIMIT)",
                   how->compiler->path, setting_number(SETTING_CC_LIMIT));
        e = TERN_TIMEOUT;
    } else if (status || access(object, R_OK)) {
        size_t len = 0;
        char *text = read_file(log, &len);
        diag_error(diag, span_at(0, 0), "%s could not compile the C made from the kernel: %.400s",
                   how->compiler->path, text ? text : "no message");
        free(text);
        e = TERN_COMPILE;
    }
    unlink(log);
    if (!setting_on(SETTING_KEEP))
        unlink(source);
    return e;
}

static void *open_object(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static struct image_key key_of(const struct cpu_compiler *cc, const char *c, size_t n)
{
    struct image_key k = image_key(IMAGE_OBJECT, cc->path);
    image_key_add(&k, cc->version, strlen(cc->version));
    image_key_add(&k, cc->flags, strlen(cc->flags));
    image_key_add(&k, c, n);
    return k;
}

/* In a folder inside the cache, from which it is moved to `path`, or (NULL) a temporary one. */
static enum tern_error build_in(const struct cpu_making *how, const char *c, size_t n,
                                const struct image_key *k, const char *path, struct diag *diag,
                                void **object)
{
    char dir[512], made[600];
    if (!cache_temporary(dir, sizeof dir, path ? how->cache_dir : NULL, path ? "tmp" : "tern")) {
        diag_error(diag, span_at(0, 0), "no place to compile in: %s: %s", dir, strerror(errno));
        return TERN_IO;
    }
    enum tern_error e = compile(how, c, n, dir, diag, made, sizeof made);
    if (!e && path && image_seal(made, k) && !rename(made, path)) {
        *object = open_object(path);
        cache_trim(how->cache_dir);
    } else if (!e) {
        *object = open_object(made);
    }
    if (!e && !*object) {
        diag_error(diag, span_at(0, 0), "the compiled kernel cannot be loaded: %s", dlerror());
        e = TERN_IO;
    }
    unlink(made);
    rmdir(dir);
    return e;
}

enum tern_error cpu_build(const struct cpu_making *how, const char *c, size_t n, struct diag *diag,
                          void **object)
{
    const struct image_key k = key_of(how->compiler, c, n);
    char path[600];
    *object = NULL;
    if (cache_folder(how->cache_dir) && image_path(how->cache_dir, &k, path, sizeof path)) {
        if (image_is_whole(path, &k) && (*object = open_object(path)))
            return TERN_OK;
        unlink(path);
        /* Its disk may be full: what cannot be made there is tried where temporary files go. */
        const struct diag before = *diag;
        const enum tern_error e = build_in(how, c, n, &k, path, diag, object);
        if (!e || e == TERN_TIMEOUT || e == TERN_CANCELLED)
            return e == TERN_TIMEOUT ? TERN_COMPILE : e;
        *diag = before;
        if (diag->last)
            diag->last->next = NULL;
    }
    const enum tern_error e = build_in(how, c, n, &k, NULL, diag, object);
    return e == TERN_TIMEOUT ? TERN_COMPILE : e;
}
