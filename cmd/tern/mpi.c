/* tern mpi: a rank of an MPI program, with the library in front of MPI that copies what lies in a
 * device's memory (cmd/dropin/mpi.c and mpi_calls.h). What MPI's types are differs between its
 * implementations: so the library is built by the one that is installed, once, and kept beside
 * compiled code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>
#include "rt/cache.h"
#include "rt/rt.h"
#include "tern.h"

static uint64_t mixed(uint64_t h, const void *data, size_t n)
{
    for (const unsigned char *p = data; n--; p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h;
}

static bool mix_file(const char *path, uint64_t *key)
{
    size_t n = 0;
    char *text = read_whole_file(path, &n);
    if (!text)
        return false;
    *key = mixed(*key, text, n);
    free(text);
    return true;
}

/* Which MPI and which library: the compiler's file, and the text. */
static bool key_of(const char *source, const char *calls, const char *compiler, uint64_t *key)
{
    char real[PATH_MAX];
    struct stat st;
    *key = 0xcbf29ce484222325u;
    if (!mix_file(source, key) || !mix_file(calls, key) || !realpath(compiler, real) ||
        stat(real, &st))
        return false;
    *key = mixed(*key, real, strlen(real));
    *key = mixed(*key, &st.st_mtim, sizeof st.st_mtim);
    return true;
}

static bool build(const char *compiler, const char *source, const char *library)
{
    char made[PATH_MAX];
    const int n = snprintf(made, sizeof made, "%s.%ld", library, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof made)
        return false;
    char *const argv[] = {
        (char *)compiler, "-std=c11",  "-O2", "-fPIC", "-w", "-shared", "-o", made,
        (char *)source,   "-lpthread", NULL};
    const bool right = !run_and_wait(compiler, argv, "mpicc", 0) && !rename(made, library);
    if (!right)
        unlink(made);
    return right;
}

/* The ranks of a machine start at once: one builds, the others wait for it. */
static bool library_for(char *library, size_t size)
{
    char folder[4096], source[4200], calls[4200], cache[3800], lock[4000], compiler[4096];
    uint64_t key;
    if (!find_program("mpicc", compiler, sizeof compiler))
        return complain("mpi: there is no mpicc, of which the library in front of MPI is made"),
               false;
    if (!dropin_folder(folder, sizeof folder))
        return complain("mpi: dropin/mpi.c is not beside this program"), false;
    snprintf(source, sizeof source, "%s/mpi.c", folder);
    snprintf(calls, sizeof calls, "%s/mpi_calls.h", folder);
    if (!key_of(source, calls, compiler, &key))
        return complain("mpi: %s or %s cannot be read", source, compiler), false;
    if (!rt_cache_dir(cache, sizeof cache) || !cache_folder(cache))
        return complain("mpi: there is no folder for what is compiled (XDG_CACHE_HOME)"), false;
    snprintf(library, size, "%s/mpi-%016llx.so", cache, (unsigned long long)key);
    snprintf(lock, sizeof lock, "%s/mpi.lock", cache);
    if (!access(library, R_OK))
        return true;
    const int fd = open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        while (flock(fd, LOCK_EX) && errno == EINTR)
            ;
    const bool there = !access(library, R_OK) || build(compiler, source, library);
    if (fd >= 0)
        close(fd);
    if (!there)
        complain("mpi: the library in front of MPI could not be built");
    return there;
}

int command_mpi(struct args *a)
{
    char path[4096], library[4096];
    if (!a->input)
        return complain("mpi: which program? mpirun -np 4 tern mpi PROGRAM [words]");
    if (!find_program(a->input, path, sizeof path)) {
        complain("'%s' cannot be read", a->input);
        return EXIT_IO;
    }
    if (!library_for(library, sizeof library))
        return EXIT_DEVICE;
    exec_prepend("LD_PRELOAD", library);
    if (a->device)
        setenv("TERN_DEVICES", a->device, 1);
    char **argv = calloc(a->rest.len + 2, sizeof *argv);
    if (!argv)
        return EXIT_MEMORY;
    argv[0] = (char *)a->input;
    for (size_t k = 0; k < a->rest.len; k++)
        argv[k + 1] = (char *)a->rest.data[k];
    fflush(stdout);
    execv(path, argv);
    complain("'%s': %s", path, strerror(errno));
    free(argv);
    return EXIT_IO;
}
