/* tern exec: a program that nvcc built, with our libraries in front of NVIDIA's.
 *
 * The dynamic linker finds them through LD_LIBRARY_PATH. A program may name NVIDIA's folder in its
 * own RPATH, which comes before that: so those it was linked with are preloaded as well. A runtime
 * inside of the program is replaced by another preloaded library (cmd/dropin/static.c). */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include "tern.h"

bool dropin_folder(char *out, size_t size)
{
    static const char *const places[] = {"dropin", "../lib/tern/dropin"};
    char self[3000], probe[4200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
#ifdef __linux__
    const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (n <= 0 && started && strchr(started, '/')) /* a root without /proc */
        n = snprintf(self, sizeof self, "%s", started);
#endif
    if (n <= 0 || n >= (ssize_t)sizeof self)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%s/%s", self, places[i]);
        snprintf(probe, sizeof probe, "%s/libtern.so", out);
        if (!access(probe, R_OK))
            return true;
    }
    return false;
}

/* The program's file: as given, or found along PATH. */
bool find_program(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    if (strchr(name, '/'))
        return !access(out, R_OK);
    const char *path = setting_text(SETTING_PATH);
    while (path && *path) {
        const char *end = strchrnul(path, ':');
        snprintf(out, size, "%.*s/%s", (int)(end - path), path, name);
        if (!access(out, X_OK))
            return true;
        path = *end ? end + 1 : end;
    }
    return false;
}

/* ---- what a program is linked with ---- */
struct image {
    const unsigned char *data;
    size_t size;
};

static const void *at(const struct image *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->data + offset : NULL;
}

/* File offset of an address, by the segments that are loaded. */
static uint64_t offset_of(const struct image *f, const Elf64_Ehdr *h, uint64_t address)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p = at(f, h->e_phoff + (uint64_t)i * sizeof *p, sizeof *p);
        if (p && p->p_type == PT_LOAD && address >= p->p_vaddr &&
            address - p->p_vaddr < p->p_filesz)
            return address - p->p_vaddr + p->p_offset;
    }
    return UINT64_MAX;
}

/* Calls fn with the name of each library that the file asks for. */
static void each_needed(const struct image *f, void (*fn)(void *arg, const char *name), void *arg)
{
    const Elf64_Ehdr *h = at(f, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64)
        return;
    const Elf64_Dyn *dyn = NULL;
    uint64_t n = 0, strings = UINT64_MAX;
    for (unsigned i = 0; i < h->e_phnum; i++) {
        const Elf64_Phdr *p = at(f, h->e_phoff + (uint64_t)i * sizeof *p, sizeof *p);
        if (p && p->p_type == PT_DYNAMIC && (dyn = at(f, p->p_offset, p->p_filesz)))
            n = p->p_filesz / sizeof *dyn;
    }
    for (uint64_t i = 0; i < n; i++)
        if (dyn[i].d_tag == DT_STRTAB)
            strings = offset_of(f, h, dyn[i].d_un.d_ptr);
    for (uint64_t i = 0; i < n && strings < f->size; i++) {
        if (dyn[i].d_tag != DT_NEEDED || dyn[i].d_un.d_val >= f->size - strings)
            continue;
        const char *name = (const char *)f->data + strings + dyn[i].d_un.d_val;
        if (memchr(name, 0, f->size - (size_t)(name - (const char *)f->data)))
            fn(arg, name);
    }
}

struct preload {
    const char *folder;
    char list[8192];
    char missing[128]; /* a CUDA runtime that we have no stand-in for */
};

static void add_library(void *arg, const char *name)
{
    struct preload *p = arg;
    char path[4400];
    if (strncmp(name, "libcudart.so", 12) && strncmp(name, "libcuda.so", 10) &&
        strcmp(name, "libternstatic.so"))
        return;
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    if (access(path, R_OK)) {
        snprintf(p->missing, sizeof p->missing, "%s", name);
        return;
    }
    const size_t n = strlen(p->list);
    snprintf(p->list + n, sizeof p->list - n, "%s%s", n ? ":" : "", path);
}

static bool look_into(const char *path, struct preload *p)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    struct image f = {.size = (size_t)st.st_size};
    void *map = f.size ? mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED)
        return true; /* a script, or empty: whatever exec says of it */
    f.data = map;
    each_needed(&f, add_library, p);
    munmap(map, f.size);
    return true;
}

void exec_prepend(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    const size_t n = strlen(value) + (old ? strlen(old) : 0) + 2;
    char *joined = malloc(n);
    if (!joined)
        return;
    snprintf(joined, n, "%s%s%s", value, old && *old ? ":" : "", old ? old : "");
    setenv(variable, joined, 1);
    free(joined);
}

char **exec_words(const struct args *a, const char *program)
{
    char **argv = calloc(a->rest.len + 2, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = (char *)program;
    for (size_t k = 0; k < a->rest.len; k++)
        argv[k + 1] = (char *)a->rest.data[k];
    return argv;
}

int exec_prepare(const struct args *a, char *path, size_t size, char ***argv)
{
    char folder[4096];
    if (!a->input)
        return complain("which program? tern %s PROGRAM [words]", a->command);
    if (!dropin_folder(folder, sizeof folder)) {
        complain("the libraries that stand in for CUDA's are not beside this program");
        return EXIT_IO;
    }
    struct preload p = {.folder = folder};
    if (!find_program(a->input, path, size) || !look_into(path, &p)) {
        complain("'%s' cannot be read", a->input);
        return EXIT_IO;
    }
    if (p.missing[0]) {
        complain("'%s' needs %s, and there is no stand-in for that version of CUDA", a->input,
                 p.missing);
        return EXIT_DEVICE;
    }
    exec_prepend("LD_LIBRARY_PATH", folder);
    add_library(&p, "libternstatic.so");
    exec_prepend("LD_PRELOAD", p.list);
    if (a->device)
        setenv("TERN_DEVICES", a->device, 1);
    *argv = exec_words(a, a->input);
    return *argv ? EXIT_FINE : EXIT_MEMORY;
}

int command_exec(struct args *a)
{
    char path[4096], **argv;
    const int code = exec_prepare(a, path, sizeof path, &argv);
    if (code != EXIT_FINE)
        return code;
    fflush(stdout);
    execv(path, argv);
    complain("'%s': %s", path, strerror(errno));
    free(argv);
    return EXIT_IO;
}
