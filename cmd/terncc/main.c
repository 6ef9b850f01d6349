/* terncc: compiles CUDA programs, in nvcc's place; as ternhip, HIP programs in hipcc's. */
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "terncc.h"

int complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("terncc: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return 1;
}

char *read_file(struct arena *a, const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        if (f)
            fclose(f);
        return NULL;
    }
    struct sbuf b;
    sbuf_init(&b, a);
    sbuf_puts(&b, "");
    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, f));)
        sbuf_put(&b, part, n);
    fclose(f);
    *len = b.len;
    return b.data;
}

/* Headers and library, relative to this program: in the build tree and where it is installed. */
static const char *beside(struct arena *a, const char *folder, const char *const *places)
{
    for (; *places; places++) {
        char *path = arena_printf(a, "%s/%s", folder, *places), real[PATH_MAX];
        if (realpath(path, real))
            return arena_strndup(a, real, strlen(real));
    }
    return NULL;
}

static bool find_home(struct job *j)
{
    static const char *const headers[] = {"../include/tern/cuda", "../include/cuda",
                                          "../../include/cuda", NULL};
    static const char *const libraries[] = {"libtern.a", "../lib/libtern.a", NULL};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return complain("cannot tell where this program is"), false;
    self[n] = 0;
    static const char *const toolkits[] = {"cuda", "../lib/tern/cuda", NULL};
    const char *folder = dirname(self);
    j->toolkit = beside(j->arena, folder, toolkits);
    j->includes = beside(j->arena, folder, headers);
    j->library = beside(j->arena, folder, libraries);
    if (!j->includes || !j->library)
        return complain("its headers or libtern.a are not beside it (looked from %s)", folder),
               false;
    return true;
}

int main(int argc, char **argv)
{
    jmp_buf unwind;
    struct mem mem = {.unwind = &unwind};
    struct arena arena;
    struct job j = {.arena = &arena, .program = argv[0], .mode = {.arch = 800}};
    if (setjmp(unwind))
        return complain("out of memory");
    arena_init(&arena, &mem);
    j.cxx = setting_text(SETTING_CXX);
    if (!j.cxx)
        j.cxx = setting_info[SETTING_CXX].standard;
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    if (!strcmp(name, "ternhip") || !strcmp(name, "hipcc"))
        options_hip(&j);
    int code = options_read(&j, argc, argv) && find_home(&j) ? build_all(&j) : 1;
    arena_free(&arena);
    return code;
}
