/* libternstatic.so: puts Tern's CUDA runtime in the place of one that is linked into a program or
 * into a library that it starts with (nvcc's default).
 *
 * `tern exec` preloads it. Before anything else of the program runs, it reads the symbol table of
 * each file that was loaded. Where the runtime's functions are among the symbols, the beginning of
 * each becomes a jump: to a thunk nearby, and from there to ours of the same name, in the
 * libcudart.so of the runtime's version. That one is loaded by the first call, since the C library
 * is not ready when this runs. What we have no function for tells its name and fails.
 *
 * Takes files with a symbol table (.symtab). One that was stripped, or is loaded later, keeps its
 * runtime; the driver in cuda.c refuses that one. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ERROR_NOT_SUPPORTED 801

/* Which runtime is inside, by a function that came with it and was not there, or had another name,
 * in the next: the first row that holds. */
static const struct {
    const char *function, *library;
} versions[] = {
    {"cudaGetDeviceProperties_v2", "libcudart.so.12"},
    {"cudaGetDriverEntryPointByVersion", "libcudart.so.13"},
    {"cudaStreamCopyAttributes", "libcudart.so.11.0"},
};

static void say(const char *what, const char *name, const char *more)
{
    char line[600];
    const int n = snprintf(line, sizeof line, "tern: %s%s%s\n", what, name, more);
    if (write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return; /* nobody listens */
}

/* ---- a thunk: loads the address of its slot and jumps where the slot says ---- */
struct slot {
    const char *name;
    const void *target; /* tern_static_first until it was called */
    const char *library;
};
_Static_assert(offsetof(struct slot, target) == 8, "the code of thunks has this number");

extern const char tern_static_first[] __attribute__((visibility("hidden")));
extern const char tern_static_absent[] __attribute__((visibility("hidden")));
void tern_static_resolve(struct slot *slot) __attribute__((visibility("hidden")));
int tern_static_refuse(const struct slot *slot) __attribute__((visibility("hidden")));

#if defined __x86_64__
enum { JUMP_SIZE = 5, REACH = 0x7fff0000 };
struct thunk {
    uint8_t load[2]; /* mov $slot, %r11 */
    uint8_t slot[8];
    uint8_t jump[6]; /* jmp *8(%r11) */
};
static const struct thunk thunk_code = {.load = {0x49, 0xbb}, .jump = {0x41, 0xff, 0x63, 0x08}};
__asm__(".text\n"
        ".type tern_static_first, @function\n"
        "tern_static_first:\n" /* keeps all that arguments may be in */
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n"
        "    push %r8\n    push %r9\n    push %rax\n    push %r11\n"
        "    sub $136, %rsp\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n"
        "    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
        "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    mov %r11, %rdi\n"
        "    call tern_static_resolve\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n"
        "    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
        "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    add $136, %rsp\n"
        "    pop %r11\n    pop %rax\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *8(%r11)\n"
        ".type tern_static_absent, @function\n"
        "tern_static_absent:\n"
        "    mov %r11, %rdi\n"
        "    jmp tern_static_refuse\n");

static void write_jump(unsigned char *at, const void *to)
{
    const int32_t distance = (int32_t)((const unsigned char *)to - at - JUMP_SIZE);
    at[0] = 0xe9;
    memcpy(at + 1, &distance, sizeof distance);
}
#elif defined __aarch64__
enum { JUMP_SIZE = 4, REACH = 0x7ff0000 };
struct thunk {
    uint32_t code[4]; /* ldr x17, slot; ldr x16, [x17, #8]; br x16; nop */
    uint8_t slot[8];
};
static const struct thunk thunk_code = {.code = {0x58000091, 0xf9400630, 0xd61f0200, 0xd503201f}};
__asm__(".text\n"
        ".type tern_static_first, %function\n"
        "tern_static_first:\n" /* keeps all that arguments may be in */
        "    stp x29, x30, [sp, #-224]!\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n    stp x6, x7, [sp, #64]\n"
        "    stp x8, x17, [sp, #80]\n"
        "    stp q0, q1, [sp, #96]\n    stp q2, q3, [sp, #128]\n"
        "    stp q4, q5, [sp, #160]\n    stp q6, q7, [sp, #192]\n"
        "    mov x0, x17\n"
        "    bl tern_static_resolve\n"
        "    ldp q0, q1, [sp, #96]\n    ldp q2, q3, [sp, #128]\n"
        "    ldp q4, q5, [sp, #160]\n    ldp q6, q7, [sp, #192]\n"
        "    ldp x8, x17, [sp, #80]\n"
        "    ldp x6, x7, [sp, #64]\n    ldp x4, x5, [sp, #48]\n"
        "    ldp x2, x3, [sp, #32]\n    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #224\n"
        "    ldr x16, [x17, #8]\n"
        "    br x16\n"
        ".type tern_static_absent, %function\n"
        "tern_static_absent:\n"
        "    mov x0, x17\n"
        "    b tern_static_refuse\n");

static void write_jump(unsigned char *at, const void *to)
{
    const int64_t distance = (const unsigned char *)to - at;
    const uint32_t code = 0x14000000u | ((uint32_t)(distance / 4) & 0x3ffffffu);
    memcpy(at, &code, sizeof code);
}
#else
#error "jumps are written for x86-64 and AArch64"
#endif

/* Called in the place of a function that we do not have. */
int tern_static_refuse(const struct slot *slot)
{
    say("the program calls ", slot->name, " of its CUDA runtime, which Tern does not have");
    return ERROR_NOT_SUPPORTED;
}

/* The libraries of ours lie beside this one. */
static void *open_runtime(const char *library)
{
    Dl_info self;
    char path[4200];
    if (!dladdr(tern_static_absent, &self) || !strrchr(self.dli_fname, '/'))
        return NULL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(self.dli_fname, '/') - self.dli_fname),
             self.dli_fname, library);
    return dlopen(path, RTLD_NOW);
}

/* A function's first call. */
void tern_static_resolve(struct slot *slot)
{
    void *ours = open_runtime(slot->library);
    const void *target = ours ? dlsym(ours, slot->name) : NULL;
    if (!ours)
        say("", slot->library, " cannot be loaded from beside libternstatic.so");
    __atomic_store_n(&slot->target, target ? target : tern_static_absent, __ATOMIC_RELEASE);
}

/* ---- the file's symbols ---- */
struct file {
    const unsigned char *data;
    size_t size;
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t names_size;
};

static const void *part(const struct file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->data + offset : NULL;
}

static bool find_symbols(struct file *f)
{
    const Elf64_Ehdr *h = part(f, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections = part(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *sections);
    for (unsigned k = 0; sections && k < h->e_shnum; k++) {
        const Elf64_Shdr *s = &sections[k];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= h->e_shnum)
            continue;
        const Elf64_Shdr *names = &sections[s->sh_link];
        f->symbols = part(f, s->sh_offset, s->sh_size);
        f->count = s->sh_size / sizeof *f->symbols;
        f->names = part(f, names->sh_offset, names->sh_size);
        f->names_size = names->sh_size;
        return f->symbols && f->names && f->names_size && !f->names[f->names_size - 1];
    }
    return false;
}

/* A function of the runtime by its name; NULL for any other symbol. */
static const char *runtime_name(const struct file *f, const Elf64_Sym *s)
{
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
        s->st_name >= f->names_size)
        return NULL;
    const char *name = f->names + s->st_name;
    return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6) ? name : NULL;
}

/* Tern's own runtime, in a library or in a program that terncc built, has the same names. */
static bool is_ours(const struct file *f)
{
    for (size_t k = 0; k < f->count; k++) {
        const Elf64_Sym *s = &f->symbols[k];
        if (s->st_shndx != SHN_UNDEF && s->st_name < f->names_size &&
            !strcmp(f->names + s->st_name, "__tern_register_kernel"))
            return true;
    }
    return false;
}

static bool defines(const struct file *f, const char *function)
{
    for (size_t k = 0; k < f->count; k++) {
        const char *name = runtime_name(f, &f->symbols[k]);
        if (name && !strcmp(name, function))
            return true;
    }
    return false;
}

/* Where the next function begins: what lies between is padding, and may be written, too. */
static uint64_t room(const struct file *f, const Elf64_Sym *s)
{
    uint64_t next = s->st_value + s->st_size;
    if (s->st_size >= JUMP_SIZE)
        return s->st_size;
    const uint64_t aligned = (s->st_value | 15) + 1;
    if (next < aligned)
        next = aligned;
    for (size_t k = 0; k < f->count; k++)
        if (f->symbols[k].st_shndx == s->st_shndx && f->symbols[k].st_value > s->st_value &&
            f->symbols[k].st_value < next)
            next = f->symbols[k].st_value;
    return next - s->st_value;
}

/* ---- replacing ---- */
struct object {
    char path[4096];
    uintptr_t base;
};

struct objects {
    struct object *list;
    size_t len, cap;
};

/* Room for n thunks that a jump from `near` reaches. */
static struct thunk *thunks_near(uintptr_t near, size_t n)
{
    const uintptr_t step = 0x100000, size = n * sizeof(struct thunk);
    for (uintptr_t k = 1; k * step < REACH; k++)
        for (int up = 0; up < 2; up++) {
            const uintptr_t at =
                (up ? near + k * step : near - k * step) & ~(uintptr_t)(step / 16 - 1);
            if (!up && k * step >= near)
                continue;
            void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (p == (void *)at)
                return p;
            if (p != MAP_FAILED)
                munmap(p, size);
        }
    return NULL;
}

static void fill_thunk(struct thunk *t, const struct slot *slot)
{
    *t = thunk_code;
    memcpy(t->slot, &slot, sizeof slot);
}

/* The pages of one function, writable while its first bytes are replaced. */
static bool write_beginning(unsigned char *at, const struct thunk *to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)at & ~(page - 1);
    const size_t size = (((uintptr_t)at + JUMP_SIZE - from) + page - 1) & ~(page - 1);
    if (mprotect((void *)from, size, PROT_READ | PROT_WRITE))
        return false;
    write_jump(at, to);
    if (mprotect((void *)from, size, PROT_READ | PROT_EXEC))
        return false;
    __builtin___clear_cache((char *)at, (char *)at + JUMP_SIZE);
    return true;
}

/* Our library in the place of the file's runtime; NULL where there is none. */
static const char *runtime_for(const struct file *f, const char *path)
{
    for (size_t k = 0; k < sizeof versions / sizeof *versions; k++)
        if (defines(f, versions[k].function))
            return versions[k].library;
    say("", path,
        " has a CUDA runtime inside that is older than 11.0: there is no stand-in for it");
    return NULL;
}

static void replace(const struct file *f, const struct object *o, const Elf64_Sym *s,
                    struct thunk *thunk, struct slot *slot)
{
    unsigned char *at = (unsigned char *)o->base + s->st_value;
    fill_thunk(thunk, slot);
    /* What is as short as that does nothing. */
    if (room(f, s) >= JUMP_SIZE && !write_beginning(at, thunk))
        say("", slot->name, " of the program's CUDA runtime cannot be replaced");
}

static void replace_all(const struct file *f, const struct object *o, const char *library)
{
    uintptr_t first = UINTPTR_MAX, last = 0;
    size_t n = 0;
    for (size_t k = 0; k < f->count; k++)
        if (runtime_name(f, &f->symbols[k])) {
            const uintptr_t at = o->base + f->symbols[k].st_value;
            first = at < first ? at : first;
            last = at > last ? at : last;
            n++;
        }
    struct slot *slots = calloc(n, sizeof *slots);
    struct thunk *thunks = slots ? thunks_near(first / 2 + last / 2, n) : NULL;
    if (!thunks) {
        free(slots);
        say("", o->path, ": no memory near its CUDA runtime, which stays in place");
        return;
    }
    for (size_t k = 0, used = 0; k < f->count; k++) {
        const char *name = runtime_name(f, &f->symbols[k]);
        if (!name)
            continue;
        slots[used] = (struct slot){name, tern_static_first, library};
        replace(f, o, &f->symbols[k], &thunks[used], &slots[used]);
        used++;
    }
    if (mprotect(thunks, n * sizeof *thunks, PROT_READ | PROT_EXEC))
        say("", o->path, ": what its CUDA runtime was replaced by cannot be made executable");
    __builtin___clear_cache((char *)thunks, (char *)(thunks + n));
}

/* NULL if it cannot be read, or has no symbols. */
static void *map_symbols(const char *path, struct file *f)
{
    struct stat st;
    void *map = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return NULL;
    *f = (struct file){.data = map, .size = (size_t)st.st_size};
    if (find_symbols(f))
        return map;
    munmap(map, f->size);
    return NULL;
}

static void look_at(const struct object *o)
{
    struct file f;
    void *map = map_symbols(o->path, &f);
    const char *library = NULL;
    if (map && defines(&f, "__cudaRegisterFatBinary") && !is_ours(&f))
        library = runtime_for(&f, o->path);
    if (library)
        replace_all(&f, o, library); /* whose names stay mapped */
    else if (map)
        munmap(map, f.size);
}

/* For the driver, which tells why a runtime was not replaced. */
bool tern_static_has_symbols(const char *path);
bool tern_static_has_symbols(const char *path)
{
    struct file f;
    void *map = map_symbols(path, &f);
    if (map)
        munmap(map, f.size);
    return map;
}

/* ---- what was loaded ---- */
static int remember(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct objects *all = arg;
    (void)size;
    if (all->len == all->cap) {
        const size_t cap = all->cap ? 2 * all->cap : 16;
        struct object *list = realloc(all->list, cap * sizeof *list);
        if (!list)
            return 1;
        all->list = list;
        all->cap = cap;
    }
    struct object *o = &all->list[all->len];
    const bool program = !all->len;
    snprintf(o->path, sizeof o->path, "%s", program ? "/proc/self/exe" : info->dlpi_name);
    o->base = info->dlpi_addr;
    all->len++;
    return 0;
}

__attribute__((constructor)) static void replace_runtimes(void)
{
    struct objects all = {0};
    dl_iterate_phdr(remember, &all);
    for (size_t k = 0; k < all.len; k++)
        look_at(&all.list[k]);
    free(all.list);
}
