/* Names of the program's variables and functions by their addresses, as the linker wrote them.
 *
 * Variables register themselves by name, but for those that come to be when a template is
 * instantiated, and kernels without the addresses of their stubs: names are in the symbol table of
 * the file that has them, unless it was stripped. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/cuda_int.h"

struct file {
    const char *data;
    size_t size;
};

/* n elements of `each` bytes; NULL: they are not all there. */
static const void *part(const struct file *f, uint64_t at, uint64_t n, size_t each)
{
    return at <= f->size && n <= (f->size - at) / each ? f->data + at : NULL;
}

/* Who asks for what: symbols of a type at an address. */
struct asked {
    unsigned char type;
    bool (*take)(void *ctx, const char *name); /* false: the next one, if there is one */
    void *ctx;
    unsigned seen;
};

static bool find_in(const struct file *f, const Elf64_Shdr *table, const Elf64_Shdr *strings,
                    uint64_t value, struct asked *a)
{
    const uint64_t n = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = part(f, table->sh_offset, n, sizeof *symbols);
    const char *text = part(f, strings->sh_offset, strings->sh_size, 1);
    for (uint64_t k = 0; symbols && text && k < n; k++) {
        const Elf64_Sym *s = &symbols[k];
        if (ELF64_ST_TYPE(s->st_info) != a->type || s->st_value != value ||
            s->st_name >= strings->sh_size ||
            !memchr(text + s->st_name, 0, strings->sh_size - s->st_name))
            continue;
        a->seen++;
        if (a->take(a->ctx, text + s->st_name))
            return true;
    }
    return false;
}

static bool find(const struct file *f, uint64_t base, uint64_t address, struct asked *a)
{
    const Elf64_Ehdr *head = part(f, 0, 1, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    const Elf64_Shdr *sections = part(f, head->e_shoff, head->e_shnum, sizeof *sections);
    const uint64_t value = address - (head->e_type == ET_DYN ? base : 0);
    for (unsigned k = 0; sections && k < head->e_shnum; k++)
        if ((sections[k].sh_type == SHT_SYMTAB || sections[k].sh_type == SHT_DYNSYM) &&
            sections[k].sh_link < head->e_shnum &&
            find_in(f, &sections[k], &sections[sections[k].sh_link], value, a))
            return true;
    return false;
}

static bool ask(const void *address, struct asked *a)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    int fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
    if (fd < 0) /* the program itself, found through PATH */
        fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool found = false;
    if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            found = find(&(struct file){data, (size_t)st.st_size},
                         (uint64_t)(uintptr_t)info.dli_fbase, (uint64_t)(uintptr_t)address, a);
            munmap(data, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

struct place {
    char *name;
    size_t size;
};

static bool copy_name(void *ctx, const char *name)
{
    const struct place *p = ctx;
    const size_t len = strlen(name);
    if (len >= p->size)
        return false;
    memcpy(p->name, name, len + 1);
    return true;
}

bool cuda_symbol_name(const void *address, char *name, size_t size)
{
    struct place p = {name, size};
    return ask(address, &(struct asked){STT_OBJECT, copy_name, &p, 0});
}

bool cuda_function_names(const void *address, bool (*take)(void *ctx, const char *name), void *ctx,
                         bool *named)
{
    struct asked a = {STT_FUNC, take, ctx, 0};
    const bool found = ask(address, &a);
    *named = a.seen != 0;
    return found;
}
