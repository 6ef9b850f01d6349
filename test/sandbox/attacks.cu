// A program that tries to get out of the sandbox, in the way its first word names. It prints what it got hold of.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void twice(int *x)
{
    *x *= 2;
}

static int got;

static void opened(const char *path, int how)
{
    const int fd = open(path, how, 0600);
    if (fd >= 0) {
        printf("got %s\n", path);
        got++;
    }
}

static void allowed(const char *what, long result)
{
    if (result >= 0) {
        printf("got %s\n", what);
        got++;
    }
}

static int works()
{
    int *x, y = 21;
    if (cudaMalloc(&x, 4) || cudaMemcpy(x, &y, 4, cudaMemcpyHostToDevice))
        return 1;
    twice<<<1, 1>>>(x);
    if (cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost))
        return 1;
    printf("%d\n", y);
    return y != 42;
}

static void files(char **words)
{
    for (; *words; words++) // what the test knows to be there
        opened(*words, O_RDONLY);
    for (const char *path : {"/etc/passwd", "/etc/shadow", "/proc/1/environ", "/proc/1/mem", "/proc/1/root",
                             "/proc/kcore", "/dev/mem", "/dev/tty", "/sys/kernel"})
        opened(path, O_RDONLY);
    for (const char *path : {"/usr/bin/evil", "/evil", "/bin/sh", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "attacks.cu",
                             "here", "/dev/null/x"})
        opened(path, O_WRONLY | O_CREAT);
    for (int fd = 3; fd < 200; fd++)
        if (fcntl(fd, F_GETFD) >= 0) {
            char link[64], target[256];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            const ssize_t n = readlink(link, target, sizeof target - 1);
            target[n > 0 ? n : 0] = 0;
            if (strncmp(target, "/tmp/", 5) && strncmp(target, "/evil", 5)) {
                printf("got file %d: %s\n", fd, target);
                got++;
            }
        }
}

static void writes(char **words)
{
    for (; *words; words++)
        opened(*words, O_WRONLY | O_CREAT);
}

static void calls()
{
    char stack[16384];
    allowed("a socket", socket(AF_INET, SOCK_STREAM, 0));
    allowed("a local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    allowed("mount", mount("none", "/tmp", "tmpfs", 0, nullptr));
    allowed("umount", umount2("/usr", MNT_DETACH));
    allowed("unshare", unshare(CLONE_NEWUSER));
    allowed("a namespace", clone([](void *) { return 0; }, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, nullptr));
    allowed("chroot", chroot("/tmp"));
    allowed("setuid", setuid(0));
    allowed("ptrace", ptrace(PTRACE_ATTACH, 1, 0, 0));
    allowed("memfd_create", syscall(SYS_memfd_create, "x", 0));
    allowed("shmget", syscall(SYS_shmget, 0, 4096, 0600));
    allowed("perf_event_open", syscall(SYS_perf_event_open, stack, 0, -1, -1, 0));
    allowed("bpf", syscall(SYS_bpf, 0, stack, 64));
    allowed("keyctl", syscall(SYS_keyctl, 0, -3, 1));
    allowed("io_uring", syscall(SYS_io_uring_setup, 8, stack));
    allowed("userfaultfd", syscall(SYS_userfaultfd, 0));
    allowed("process_vm_readv", syscall(SYS_process_vm_readv, 1, stack, 0, stack, 0, 0));
    allowed("a typed letter", ioctl(0, TIOCSTI, "x"));
    allowed("the host's name", sethostname("x", 1));
    allowed("personality", syscall(SYS_personality, 0x40000));
    errno = 0;
    kill(1, SIGKILL); // the one who watches does not hear it
    kill(1, SIGSTOP);
    if (getenv("SECRET")) {
        puts("got the environment");
        got++;
    }
}

static void hoards(bool shared)
{
    const size_t step = 64 << 20;
    for (int k = 0; k < 200; k++) {
        void *p = mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
        if (p != MAP_FAILED)
            memset(p, 1, step);
    }
}

// Several files, since one has a limit of its own: a quarter of the 1024 MB that the test allows is what /tmp holds.
static void fills()
{
    static char block[1 << 20];
    long n = 0;
    for (char name[] = "/tmp/large0"; name[10] < '4'; name[10]++) {
        const int fd = open(name, O_WRONLY | O_CREAT, 0600);
        for (int k = 0; k < 200 && write(fd, block, sizeof block) == sizeof block; k++)
            n++;
    }
    if (n > 256) {
        printf("got %ld MB of files\n", n);
        got++;
    }
}

// Outside, as root, these attacks would succeed: they mount, fork and fill memory. Process 1 tells where we are.
static bool in_sandbox()
{
    char name[16] = "";
    FILE *f = fopen("/proc/1/comm", "r");
    if (f) {
        if (!fgets(name, sizeof name, f))
            name[0] = 0;
        fclose(f);
    }
    return getuid() == 1000 && getpid() < 1000 && !strcmp(name, "tern\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "works"))
        return works();
    if (!in_sandbox()) {
        fputs("this is only for `tern run --sandbox`\n", stderr);
        return 9;
    }
    if (!strcmp(what, "files"))
        files(argv + 2);
    else if (!strcmp(what, "writes"))
        writes(argv + 2);
    else if (!strcmp(what, "calls"))
        calls();
    else if (!strcmp(what, "memory"))
        hoards(false);
    else if (!strcmp(what, "shared"))
        hoards(true);
    else if (!strcmp(what, "fills"))
        fills();
    else if (!strcmp(what, "forks"))
        for (;;)
            fork();
    else if (!strcmp(what, "loops"))
        for (;;)
            ;
    else
        return 9;
    puts(got ? "out" : "kept in");
    return got != 0;
}
