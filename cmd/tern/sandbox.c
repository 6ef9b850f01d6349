/* `tern run --sandbox`: the same command line, once more, where it can do no harm. doc/sandbox.md
 * says what is promised.
 *
 * Three processes. The command stays outside and waits. Its child takes namespaces of its own
 * (files, processes, network, users), builds a file system of a few read-only folders and an empty
 * /tmp, gives up every capability and becomes process 1 in there: it counts memory, processes and
 * time, and ends everything at once when there is too much of one. Its child can only make the
 * system calls of sandbox.def, and starts this program anew with a clean environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tern.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "base/thread.h"
#include "rt/cache.h"

enum {
    STANDARD_SECONDS = 60,
    PROCESSES = 256, /* alive at once */
    THREADS = 1024,
    FILES = 256,
    WATCH_NS = 10 * 1000 * 1000,
    INSIDE_UID = 1000,
    NOBODY = 65534,
};
extern char **environ;
#define STANDARD_MEMORY (UINT64_C(2) << 30)

static int no_sandbox(const char *what)
{
    complain("there can be no sandbox here: %s: %s", what, strerror(errno));
    return EXIT_DEVICE;
}

/* ---- system calls ---- */
static const uint32_t allowed_calls[] = {
#define CALL(name) SYS_##name,
#include "sandbox.def"
};

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define NEW_NAMESPACES                                                                             \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |     \
     CLONE_NEWCGROUP | 0x80 /* CLONE_NEWTIME */)

struct filter {
    struct sock_filter code[1024];
    unsigned short n;
};

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    f->code[f->n++] = (struct sock_filter){code, yes, no, k};
}

#define FIELD(name)   BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name), 0, 0
#define FIRST_HALF(i) BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]), 0, 0
#define ANSWER(what)  BPF_RET | BPF_K, what, 0, 0
#define IF_EQUAL      BPF_JMP | BPF_JEQ | BPF_K
#define REFUSED       (SECCOMP_RET_ERRNO | EPERM)

/* clone is for threads and processes, not for namespaces. ioctl only asks: of a terminal, too, into
 * which nothing may be typed from here. clone3 hides what it asks for: C libraries go on with clone
 * where there is none. */
static void add_looked_into(struct filter *f)
{
    static const uint32_t asks[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
    enum { ASKS = sizeof asks / sizeof *asks };
    add(f, IF_EQUAL, SYS_clone, 0, 4);
    add(f, FIRST_HALF(0));
    add(f, BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1);
    add(f, ANSWER(REFUSED));
    add(f, ANSWER(SECCOMP_RET_ALLOW));
    add(f, IF_EQUAL, SYS_ioctl, 0, 1 + 2 * ASKS + 1);
    add(f, FIRST_HALF(1));
    for (int k = 0; k < ASKS; k++) {
        add(f, IF_EQUAL, asks[k], 0, 1);
        add(f, ANSWER(SECCOMP_RET_ALLOW));
    }
    add(f, ANSWER(REFUSED));
    add(f, IF_EQUAL, SYS_clone3, 0, 1);
    add(f, ANSWER(SECCOMP_RET_ERRNO | ENOSYS));
}

static bool allow_only_these_calls(void)
{
    struct filter f = {.n = 0};
    add(&f, FIELD(arch));
    add(&f, IF_EQUAL, ARCHITECTURE, 1, 0);
    add(&f, ANSWER(SECCOMP_RET_KILL_PROCESS));
    add(&f, FIELD(nr)); /* x86-64's second table of numbers (x32) has none of these */
    add_looked_into(&f);
    for (size_t k = 0; k < sizeof allowed_calls / sizeof *allowed_calls; k++) {
        add(&f, IF_EQUAL, allowed_calls[k], 0, 1);
        add(&f, ANSWER(SECCOMP_RET_ALLOW));
    }
    add(&f, ANSWER(REFUSED));
    const struct sock_fprog program = {.len = f.n, .filter = f.code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* ---- files ---- */
/* Makes the folder, or (file) the empty file, that something is to be mounted on. */
static bool make_place(const char *path, bool file)
{
    char part[PATH_MAX];
    for (const char *s = path + 1; (s = strchr(s, '/')); s++) {
        snprintf(part, sizeof part, "%.*s", (int)(s - path), path);
        if (mkdir(part, 0755) && errno != EEXIST)
            return false;
    }
    if (!file)
        return !mkdir(path, 0755) || errno == EEXIST;
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    return fd >= 0 && !close(fd);
}

/* What is mounted below a folder comes with it, and has flags of its own. Linux takes these for all
 * of it from 5.12 on; before, only the folder's own file system is read-only. */
static bool limit_below(const char *path, unsigned long flags)
{
    enum { RECURSIVE = 0x8000, READ_ONLY = 1, NO_SET_USER = 2, NO_DEVICES = 4, CALL = 442 };
    const struct {
        uint64_t set, clear, propagation, users;
    } attributes = {.set = NO_SET_USER | (flags & MS_RDONLY ? READ_ONLY : 0) |
                           (flags & MS_NODEV ? NO_DEVICES : 0)};
    return !syscall(CALL, -1, path, RECURSIVE, &attributes, sizeof attributes) || errno == ENOSYS;
}

/* Shows a file or folder of the outside, under that name and with these limits. */
static bool show_as(const char *root, const char *path, const char *name, unsigned long flags)
{
    struct stat s, there;
    char inside[PATH_MAX];
    if ((size_t)snprintf(inside, sizeof inside, "%s%s", root, name) >= sizeof inside ||
        stat(path, &s))
        return false;
    if (!stat(inside, &there) && there.st_dev == s.st_dev && there.st_ino == s.st_ino)
        return true; /* it lies in a folder that is shown */
    return make_place(inside, !S_ISDIR(s.st_mode)) &&
           !mount(path, inside, NULL, MS_BIND | MS_REC, NULL) &&
           !mount(NULL, inside, NULL, MS_BIND | MS_REMOUNT | MS_NOSUID | flags, NULL) &&
           limit_below(inside, flags);
}

/* What is a link outside is one here; where there is nothing, there is nothing to show. */
static bool show(const char *root, const char *path, unsigned long flags)
{
    struct stat s;
    char inside[PATH_MAX], target[PATH_MAX];
    if (lstat(path, &s))
        return true;
    if (!S_ISLNK(s.st_mode))
        return show_as(root, path, path, flags);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    return n > 0 && (size_t)snprintf(inside, sizeof inside, "%s%s", root, path) < sizeof inside &&
           (!symlink(target, inside) || errno == EEXIST);
}

/* Under the name that the command line has for it. */
static bool show_user_file(const char *root, const char *path)
{
    char whole[PATH_MAX], copy[PATH_MAX], folder[PATH_MAX], name[2 * PATH_MAX];
    if (!realpath(path, whole))
        return true; /* the command will say so */
    snprintf(copy, sizeof copy, "%s", path);
    if (!realpath(dirname(copy), folder))
        return false;
    snprintf(copy, sizeof copy, "%s", path);
    const char *last = basename(copy);
    if (!strcmp(last, ".") || !strcmp(last, "..") || !strcmp(last, "/"))
        return show(root, whole, MS_RDONLY | MS_NODEV);
    snprintf(name, sizeof name, "%s/%s", strcmp(folder, "/") ? folder : "", last);
    return show_as(root, whole, name, MS_RDONLY | MS_NODEV);
}

/* This program, its compiler, their headers and libraries: an installation, or the folder it was
 * built in. */
static bool show_tern(const char *root)
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    static const char *const parts[] = {"bin/tern",      "bin/terncc",   "lib/tern",
                                        "lib/libtern.a", "include/tern", "share/tern"};
    char folder[PATH_MAX], path[PATH_MAX + 16];
    strcpy(folder, dirname(self));
    char *name = strrchr(folder, '/');
    if (!name || strcmp(name, "/bin") != 0) {
        *(name ? name : folder) = 0; /* the source tree, whose build folder this is */
        char *source = strstr(folder, "/build");
        if (source)
            *source = 0;
        return show(root, folder, MS_RDONLY | MS_NODEV);
    }
    *name = 0;
    bool ok = true;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && ok; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[k]);
        ok = show(root, path, MS_RDONLY | MS_NODEV);
    }
    return ok;
}

/* The files that the command line names. */
static bool show_input(const struct args *a, const char *root)
{
    bool ok = !a->input || !strcmp(a->input, "-") || show_user_file(root, a->input);
    for (size_t k = 0; k < a->include_dirs.len; k++)
        ok = ok && show_user_file(root, a->include_dirs.data[k]);
    for (size_t k = 0; k < a->ndefines; k++)
        ok = ok && (a->defines[k].kind != 'i' || show_user_file(root, a->defines[k].text));
    for (size_t k = 0; k < a->kernel_args.len; k++) {
        const char *file = strstr(a->kernel_args.data[k], "=file:");
        ok = ok && (!file || show_user_file(root, file + strlen("=file:")));
    }
    return ok;
}

static bool new_tmpfs(const char *path, unsigned long flags, uint64_t bytes)
{
    char options[96];
    snprintf(options, sizeof options, "mode=0755,uid=%d,gid=%d,size=%llu", INSIDE_UID, INSIDE_UID,
             (unsigned long long)bytes);
    return !mount("tmpfs", path, "tmpfs", MS_NOSUID | flags, options);
}

/* Everything that will be there; then what was there before goes. */
static bool build_root(const struct args *a, const char *root, uint64_t memory)
{
    static const char *const system_parts[] = {
        "/usr",          "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache",
        "/etc/localtime"};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    char path[2 * PATH_MAX], here[PATH_MAX];
    bool ok = !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && getcwd(here, sizeof here) &&
              new_tmpfs(root, MS_NODEV, 1 << 20);
    snprintf(path, sizeof path, "%s/tmp", root);
    ok = ok && make_place(path, false) && new_tmpfs(path, MS_NODEV, memory / 4) &&
         !chmod(path, 0700);
    for (size_t k = 0; k < sizeof system_parts / sizeof *system_parts && ok; k++)
        ok = show(root, system_parts[k], MS_RDONLY | MS_NODEV);
    for (size_t k = 0; k < sizeof devices / sizeof *devices && ok; k++)
        ok = show(root, devices[k], MS_NOEXEC);
    snprintf(path, sizeof path, "%s/proc", root);
    ok = ok && make_place(path, false) &&
         !mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL);
    snprintf(path, sizeof path, "%s%s", root, here);
    ok = ok && show_tern(root) && show_input(a, root) &&
         (make_place(path, false) || !access(path, F_OK));
    /* The new root lies where the old one was; the old one is no longer under any name. */
    return ok && !chdir(root) && !syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH) &&
           !mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) &&
           !chdir(here);
}

/* ---- process 1 ---- */
/* What all of them hold, and how many there are. */
static void count_all(uint64_t *bytes, unsigned *processes)
{
    static const char digits[] = "0123456789";
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    DIR *d = opendir("/proc");
    *bytes = *processes = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strchr(digits, e->d_name[0]))
            continue;
        char path[300], text[128];
        snprintf(path, sizeof path, "/proc/%s/statm", e->d_name);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        text[n > 0 ? n : 0] = 0;
        char *resident = strchr(text, ' ');
        *bytes += resident ? strtoull(resident, NULL, 10) * page : 0;
        ++*processes;
    }
    if (d)
        closedir(d);
}

static int end_all(int code)
{
    kill(-1, SIGKILL);
    return code;
}

static int watch(pid_t first, uint64_t memory, double seconds)
{
    const uint64_t end = thread_nanoseconds() + (uint64_t)(seconds * 1e9);
    for (;;) {
        int status;
        for (pid_t p; (p = waitpid(-1, &status, WNOHANG)) > 0;)
            if (p == first)
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        uint64_t bytes;
        unsigned processes;
        count_all(&bytes, &processes);
        if (bytes > memory) {
            complain("the sandbox: more than %llu MiB of memory", (unsigned long long)memory >> 20);
            return end_all(EXIT_MEMORY);
        }
        if (processes > PROCESSES) {
            complain("the sandbox: more than %d processes", PROCESSES);
            return end_all(EXIT_MEMORY);
        }
        if (thread_nanoseconds() > end) {
            complain("the sandbox: more than %g s", seconds);
            return end_all(EXIT_TIMEOUT);
        }
        nanosleep(&(struct timespec){0, WATCH_NS}, NULL);
    }
}

static void limit(int what, uint64_t most)
{
    setrlimit(what, &(struct rlimit){most, most});
}

/* Nothing of the user's environment but how to speak, and what is meant for Tern's own devices on
 * the CPU. */
static bool is_kept(const char *row)
{
    static const char *const kept[] = {
        "LANG=",     "LC_ALL=",       "TERM=",       "NO_COLOR=", "TERN_CC=",       "TERN_CXX=",
        "TERN_CPU=", "TERN_THREADS=", "TERN_GUARD=", "TERN_LOG=", "TERN_CC_LIMIT=",
    };
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (!strncmp(row, kept[k], strlen(kept[k])))
            return true;
    return false;
}

static char **clean_environment(const char *device)
{
    static char devices[32], one[32], path[] = "PATH=/usr/local/bin:/usr/bin:/bin",
                                      home[] = "HOME=/tmp", temporary[] = "TMPDIR=/tmp";
    char *const own[] = {devices, one, path, home, temporary};
    size_t n = 0, all = 0;
    snprintf(devices, sizeof devices, "TERN_DEVICES=%s", device);
    snprintf(one, sizeof one, "TERN_DEVICE=%s", device);
    while (environ[all])
        all++;
    char **rows = calloc(all + sizeof own / sizeof *own + 1, sizeof *rows);
    for (size_t k = 0; k < all && rows; k++)
        if (is_kept(environ[k]))
            rows[n++] = environ[k];
    if (rows)
        memcpy(rows + n, own, sizeof own);
    return rows;
}

static void run_inside(const char *self, char **words, const char *device, uint64_t memory)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, memory);
    limit(RLIMIT_NOFILE, FILES);
    limit(RLIMIT_NPROC, THREADS);
    limit(RLIMIT_MEMLOCK, 0);
    char **environment = clean_environment(device);
    setsid();
    if (!environment || !allow_only_these_calls())
        _exit(no_sandbox("seccomp"));
    execve(self, words, environment);
    complain("%s: %s", self, strerror(errno));
    _exit(EXIT_IO);
}

/* Capabilities are lost with the program that had them; those of process 1, which starts none,
 * here. */
static bool drop_capabilities(void)
{
    struct {
        uint32_t version;
        int pid;
    } head = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } none[2] = {{0}};
    for (int k = 0; k < 64 && !prctl(PR_CAPBSET_DROP, k, 0, 0, 0); k++) {
    }
    return !syscall(SYS_capset, &head, none);
}

/* After this nothing of root is left, if it was root. */
static bool become_inside_user(void)
{
    if (getuid() == INSIDE_UID)
        return true;
    return !setgroups(0, NULL) && !setresgid(INSIDE_UID, INSIDE_UID, INSIDE_UID) &&
           !setresuid(INSIDE_UID, INSIDE_UID, INSIDE_UID);
}

static int first_process(const struct args *a, const char *root, const char *self, char **words)
{
    const uint64_t memory = a->memory_limit ? a->memory_limit : STANDARD_MEMORY;
    const char *device = a->device && !strcmp(a->device, "interp") ? "interp" : "cpu";
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!build_root(a, root, memory))
        return no_sandbox("its file system");
    if (!become_inside_user() || !drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return no_sandbox("capabilities");
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user's parent is forgotten */
    const pid_t child = fork();
    if (child < 0)
        return no_sandbox("fork");
    if (!child)
        run_inside(self, words, device, memory);
    return watch(child, memory, a->timeout > 0 ? a->timeout : STANDARD_SECONDS);
}

/* ---- outside ---- */
static bool write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool write_of(pid_t child, const char *file, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, file);
    return write_text(path, text);
}

/* In there everyone is one user. Outside that is the one who started it; or, if that is root, whom
 * the system lets write where others may not even without capabilities, nobody: root itself is
 * there only until the files are. */
static bool map_users(pid_t child)
{
    const unsigned user = geteuid(), group = getegid();
    const char *more = user ? "" : "0 0 1\n";
    char users[64], groups[64];
    snprintf(users, sizeof users, "%s%d %u 1\n", more, INSIDE_UID, user ? user : NOBODY);
    snprintf(groups, sizeof groups, "%s%d %u 1\n", more, INSIDE_UID, user ? group : NOBODY);
    return write_of(child, "uid_map", users) && (!user || write_of(child, "setgroups", "deny")) &&
           write_of(child, "gid_map", groups);
}

static void close_from(int first)
{
    for (int fd = first; fd < 1024; fd++)
        close(fd);
}

/* The child that holds the namespaces: process 1 of them is its child. It tells by `ready` that it
 * has them, and hears by `go` that it has its users. */
static int enter(const struct args *a, const char *root, const char *self, const int ready[2],
                 const int go[2])
{
    char byte = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(go[1]);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                CLONE_NEWUTS))
        return no_sandbox("namespaces");
    if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
        return EXIT_DEVICE;
    close_from(3);
    const pid_t first = fork();
    if (first < 0)
        return no_sandbox("fork");
    if (!first)
        _exit(first_process(a, root, self, a->words));
    int status;
    while (waitpid(first, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int start_and_wait(const struct args *a, const char *root, const char *self)
{
    int ready[2], go[2];
    char byte = 0;
    if (pipe(ready) || pipe(go))
        return no_sandbox("pipe");
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return no_sandbox("fork");
    if (!child)
        _exit(enter(a, root, self, ready, go));
    close(ready[1]);
    close(go[0]);
    if (read(ready[0], &byte, 1) == 1) {
        if (!map_users(child))
            no_sandbox("users");
        else if (write(go[1], &byte, 1) != 1)
            no_sandbox("pipe");
    }
    close(go[1]);
    close(ready[0]);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_STOPPED;
}

int run_in_sandbox(const struct args *a)
{
    char self[PATH_MAX], root[512];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return no_sandbox("/proc");
    self[n] = 0;
    if (a->device && *a->device && strcmp(a->device, "auto") != 0 &&
        strcmp(a->device, "cpu") != 0 && strcmp(a->device, "interp") != 0) {
        complain("--sandbox: only on cpu and interp, not on %s", a->device);
        return EXIT_DEVICE;
    }
    if (!cache_temporary(root, sizeof root, NULL, "tern-sandbox"))
        return no_sandbox("a temporary folder");
    const int code = start_and_wait(a, root, self);
    rmdir(root);
    return code;
}

#else
int run_in_sandbox(const struct args *a)
{
    (void)a;
    complain("there is no sandbox on this system");
    return EXIT_DEVICE;
}
#endif
