/* `tern run app.cu -- words`: builds the program, host code and all, with the terncc beside this
 * command, runs it, and takes its exit code for our own. `tern pack app.cu -o app`: builds one file
 * that runs on another machine of the same kind. */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "rt/cache.h"
#include "rt/rt.h"
#include "tern.h"

/* The child that signals are handed on to. */
static volatile sig_atomic_t running;

static void hand_on(int signal)
{
    if (running > 0)
        kill((pid_t)running, signal);
}

/* When time is up, the child is ended: first asked, then not. */
static int end_late(pid_t child, const char *what, double seconds)
{
    complain("%s ran longer than %g s", what, seconds);
    int status;
    kill(child, SIGTERM);
    for (int k = 0; k < 50; k++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return EXIT_TIMEOUT;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return EXIT_TIMEOUT;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int wait_for(pid_t child, const char *what, double limit)
{
    /* Ctrl-C reaches the child by itself, other signals by us; we stay to clean up. */
    static const int handed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    enum { N = sizeof handed / sizeof *handed };
    struct sigaction ignore = {.sa_handler = SIG_IGN}, hand = {.sa_handler = hand_on}, old[N];
    running = child;
    for (int k = 0; k < N; k++)
        sigaction(handed[k], handed[k] == SIGINT ? &ignore : &hand, &old[k]);
    const double start = now();
    int status = 0, code = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, limit > 0 ? WNOHANG : 0);
        if (ended == child || (ended < 0 && errno != EINTR))
            break;
        if (limit > 0 && now() - start > limit) {
            code = end_late(child, what, limit);
            break;
        }
        if (!ended)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    running = 0;
    for (int k = 0; k < N; k++)
        sigaction(handed[k], &old[k], NULL);
    return code ? code : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_and_wait(const char *path, char *const *argv, const char *what, double limit)
{
    fflush(NULL);
    pid_t self = getpid(), child = fork();
    if (child < 0) {
        complain("%s could not be started: %s", what, strerror(errno));
        return EXIT_IO;
    }
    if (!child) {
#ifdef __linux__ /* it does not outlive us, whatever ends us */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(127);
#else
        (void)self;
#endif
        execv(path, argv);
        fprintf(stderr, "tern: %s could not be started: %s\n", path, strerror(errno));
        _exit(127);
    }
    return wait_for(child, what, limit);
}

static bool compiler_path(char *path, size_t size)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    return (size_t)snprintf(path, size, "%s/terncc", dirname(self)) < size;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment or a literal that starts at p; p itself where none does. */
static const char *skip_aside(const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return p;
    const char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* Can the program have a main()? Its text names it, or it brings in another file of the user's, by
 * -I perhaps. */
static bool may_have_main(const struct args *a, const char *path)
{
    size_t len;
    bool found = false;
    for (size_t k = 0; k < a->ndefines; k++)
        found |= a->defines[k].kind == 'i' || strstr(a->defines[k].text, "main");
    char *text = read_whole_file(path, &len);
    for (const char *p = text; p && *p && !found;) {
        const char *behind = skip_aside(p), *word = p;
        while (is_word(*p) || (p > word && *p == '\'' && isdigit((unsigned char)*word)))
            p++; /* 1'000 is a number */
        const size_t n = (size_t)(p - word);
        const char quote = n == 7 && !memcmp(word, "include", n) ? p[strspn(p, " \t")] : 0;
        found = (n == 4 && !memcmp(word, "main", n)) || quote == '"' ||
                (quote == '<' && a->include_dirs.len) ||
                (n == 0 && p[0] == '#' && p[1] == '#'); /* a name may be pasted together */
        if (n == 0)
            p = behind > p ? behind : p + 1;
    }
    found |= !text;
    free(text);
    return found;
}

static bool has_main(const struct args *a)
{
    const bool one = !strcmp(a->command, "run");
    if (may_have_main(a, a->input))
        return true;
    for (size_t k = 0; k < a->more.len; k++)
        if (may_have_main(a, a->more.data[k]))
            return true;
    complain("%s has no main()%s", a->input,
             one ? ": --kernel NAME runs one of its kernels; see `tern help run`"
                 : ": a whole program is needed here; `tern run` runs single kernels");
    return false;
}

int program_build(const struct args *a, const char *program, bool alone)
{
    char compiler[PATH_MAX];
    if (!compiler_path(compiler, sizeof compiler)) {
        complain("terncc is not beside this command");
        return EXIT_IO;
    }
    if (!has_main(a))
        return EXIT_REFUSED;
    const size_t room = 27 + 2 * a->include_dirs.len + 2 * a->ndefines + a->more.len;
    char **argv = calloc(room, sizeof *argv);
    if (!argv)
        return EXIT_MEMORY;
    size_t n = 0;
    char standard[64], arch[32];
    argv[n++] = compiler;
    if (a->language == SOURCE_CUDA) {
        argv[n++] = "-x";
        argv[n++] = "cu";
    }
    argv[n++] = (char *)a->input;
    for (size_t k = 0; k < a->more.len; k++)
        argv[n++] = (char *)a->more.data[k];
    if (a->more.len) /* kernels of one call device functions of another */
        argv[n++] = "-rdc=true";
    argv[n++] = "-o";
    argv[n++] = (char *)program;
    argv[n++] = a->mode.steps ? "-O0" : "-O2";
    if (a->mode.steps) {
        argv[n++] = "-g";
        argv[n++] = "-G";
    }
    if (a->standard) {
        snprintf(standard, sizeof standard, "-std=%s", a->standard);
        argv[n++] = standard;
    }
    if (a->mode.arch) {
        snprintf(arch, sizeof arch, "-arch=sm_%u", a->mode.arch / 10);
        argv[n++] = arch;
    }
    if (a->lines) { /* of the host half, for who asks where a call was */
        argv[n++] = "-Xcompiler";
        argv[n++] =
            "-gdwarf-4,-g1"; /* of the tables of version 5 some addr2line take wrong files */
        argv[n++] = "-fsanitize=device";
    }
    if (alone) {
        argv[n++] = "-Xcompiler";
        argv[n++] = "-static-libstdc++,-static-libgcc";
    }
    if (a->quiet)
        argv[n++] = "-w";
    setenv("TERN_DIAGNOSTICS", a->json ? "json" : a->color ? "color" : "plain", 1);
    if (a->mode.no_fmad)
        argv[n++] = "-fmad=false";
    if (a->mode.fast_math)
        argv[n++] = "-use_fast_math";
    if (a->mode.fast_f64)
        argv[n++] = "--f64=fast";
    for (size_t k = 0; k < a->include_dirs.len; k++) {
        argv[n++] = "-I";
        argv[n++] = (char *)a->include_dirs.data[k];
    }
    for (size_t k = 0; k < a->ndefines; k++) {
        const char kind = a->defines[k].kind;
        argv[n++] = kind == 'i' ? "-include" : kind == 'U' ? "-U" : "-D";
        argv[n++] = (char *)a->defines[k].text;
    }
    struct progress *p = a->quiet ? NULL : progress_start("building");
    const int code = run_and_wait(compiler, argv, "the compiler", 0);
    if (p)
        progress_end(p);
    unsetenv("TERN_DIAGNOSTICS");
    free(argv);
    return code ? EXIT_REFUSED : EXIT_FINE;
}

static bool names_device(const struct args *a)
{
    return a->device && *a->device && strcmp(a->device, "auto") != 0;
}

/* A device that was asked for and is not there is an error, before anything is built. */
static int check_device(const struct args *a)
{
    struct rt_device device = {0};
    const struct dev_host host = {0};
    char why[256];
    if (!names_device(a) || strchr(a->device, ',')) /* a list is the program's to read */
        return EXIT_FINE;
    const enum tern_error e = rt_open(a->device, &host, &device, why);
    rt_close(&device);
    if (e)
        complain("%s", why);
    return e ? exit_code_of(e) : EXIT_FINE;
}

static bool files_are_there(const struct args *a)
{
    const char *missing = access(a->input, R_OK) ? a->input : NULL;
    for (size_t k = 0; !missing && k < a->more.len; k++)
        missing = access(a->more.data[k], R_OK) ? a->more.data[k] : NULL;
    if (missing)
        complain("%s: %s", missing, strerror(errno));
    return !missing;
}

int run_program(struct args *a)
{
    if (!files_are_there(a))
        return EXIT_IO;
    if (!has_main(a))
        return EXIT_REFUSED;
    const int missing = check_device(a);
    if (missing)
        return missing;
    if (names_device(a))
        setenv("TERN_DEVICES", a->device, 1);
    if (host_choice(a) == HOST_UNKNOWN)
        return complain("--host is own, system or auto");
    if (host_choice(a) != HOST_SYSTEM) {
        const int ran = run_host(a);
        if (ran != EXIT_HOST_REFUSED)
            return ran;
    }
    char folder[512], program[sizeof folder + 16];
    if (!cache_temporary(folder, sizeof folder, NULL, "tern-run")) {
        complain("no temporary folder could be made: %s: %s", folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(program, sizeof program, "%s/program", folder);
    int code = program_build(a, program, false);
    if (code == EXIT_FINE) {
        char **argv = calloc(a->rest.len + 2, sizeof *argv);
        if (argv) {
            argv[0] = program;
            for (size_t k = 0; k < a->rest.len; k++)
                argv[k + 1] = (char *)a->rest.data[k];
            code = run_and_wait(program, argv, "the program", a->timeout);
        } else {
            code = EXIT_MEMORY;
        }
        free(argv);
    }
    unlink(program);
    rmdir(folder);
    return code;
}

int command_pack(struct args *a)
{
    if (!a->input || !a->output)
        return complain("usage: tern pack FILE.cu -o PROGRAM");
    if (!files_are_there(a))
        return EXIT_IO;
    return program_build(a, a->output, true);
}
