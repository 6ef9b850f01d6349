/* What terncc put into object files, read back: the device halves that a file or an archive holds,
 * and the kernels that its host half instantiated. ELF of 64 bits; what is something else has none.
 *
 * A kernel's stub has a local class, whose name the compiler writes down for typeid: the symbol
 * _ZTS<class> is the name of the instantiation. */
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/packed.h"
#include "terncc.h"

struct bytes {
    const char *data;
    size_t size;
};

/* n elements of `each` bytes from `at` on; NULL: they are not all there. */
static const void *part(struct bytes b, uint64_t at, uint64_t n, size_t each)
{
    return at <= b.size && n <= (b.size - at) / each ? b.data + at : NULL;
}

/* ---- names ---- */

typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);

/* Of the C++ library that the host compiler brings. */
static demangler *find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1",
                                            NULL};
    for (int k = 0; libraries[k]; k++) {
        void *library = dlopen(libraries[k], RTLD_NOW | RTLD_LOCAL);
        void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
        demangler *f;
        memcpy(&f, &found, sizeof f);
        if (found)
            return f;
    }
    return NULL;
}

/* Adds the kernel template's instantiation that the symbol stands for, if it does for one. */
static void add_kernel(struct arena *a, demangler *demangle, const char *symbol, words *to)
{
    if (!demangle || strncmp(symbol, "_ZTS", 4) != 0 ||
        (!strstr(symbol, "E10__tern_tag") && !strstr(symbol, "E11__tern_tags")))
        return;
    char *plain = demangle(symbol + 4, NULL, NULL, NULL);
    plain = plain ? plain : packed_demangled(symbol + 4);
    if (!plain)
        return;
    const size_t size = strlen(plain) + 1;
    char *name = arena_alloc(a, size);
    packed_kernel_name(plain, name, size);
    free(plain);
    if (strchr(name, '<')) /* the others are compiled unasked */
        vec_push(a, to, name);
}

/* ---- one object ---- */

struct object {
    struct arena *arena;
    struct bytes file;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    uint64_t nsymbols;
    struct bytes names; /* of symbols */
};

static bool open_object(struct object *o, struct bytes b)
{
    o->file = b;
    o->head = part(b, 0, 1, sizeof *o->head);
    if (!o->head || memcmp(o->head->e_ident, ELFMAG, SELFMAG) != 0 ||
        o->head->e_ident[EI_CLASS] != ELFCLASS64 || o->head->e_type != ET_REL)
        return false;
    o->sections = part(b, o->head->e_shoff, o->head->e_shnum, sizeof *o->sections);
    for (unsigned k = 0; o->sections && k < o->head->e_shnum; k++) {
        const Elf64_Shdr *s = &o->sections[k];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= o->head->e_shnum)
            continue;
        const Elf64_Shdr *text = &o->sections[s->sh_link];
        o->nsymbols = s->sh_size / sizeof *o->symbols;
        o->symbols = part(b, s->sh_offset, o->nsymbols, sizeof *o->symbols);
        o->names = (struct bytes){part(b, text->sh_offset, text->sh_size, 1), text->sh_size};
    }
    return o->symbols && o->names.data;
}

static const char *string_at(struct bytes b, uint64_t at)
{
    return at < b.size && memchr(b.data + at, 0, b.size - at) ? b.data + at : NULL;
}

static const char *section_name(const struct object *o, unsigned k)
{
    if (o->head->e_shstrndx >= o->head->e_shnum)
        return "";
    const Elf64_Shdr *t = &o->sections[o->head->e_shstrndx];
    const char *data = part(o->file, t->sh_offset, t->sh_size, 1);
    const char *name =
        data ? string_at((struct bytes){data, t->sh_size}, o->sections[k].sh_name) : NULL;
    return name ? name : "";
}

static const char *place_of(const struct object *o, const char *name)
{
    for (uint64_t k = 0; k < o->nsymbols; k++) {
        const Elf64_Sym *s = &o->symbols[k];
        const char *own = string_at(o->names, s->st_name);
        if (own && !strcmp(own, name) && s->st_shndx < o->head->e_shnum &&
            o->sections[s->st_shndx].sh_type == SHT_PROGBITS &&
            s->st_value <= o->sections[s->st_shndx].sh_size)
            return part(o->file, o->sections[s->st_shndx].sh_offset + s->st_value, 1, 1);
    }
    return NULL;
}

static void add_unit(struct object *o, const char *symbol, const char *path, const char *flags,
                     units *to)
{
    const char *begin = place_of(o, symbol),
               *end = place_of(o, arena_printf(o->arena, "%s_end", symbol));
    size_t len;
    char *owned;
    const char *text =
        begin && end >= begin ? packed_text(begin, (size_t)(end - begin), &len, &owned) : NULL;
    if (!text)
        return;
    struct unit u = {
        .symbol = symbol, .path = path, .flags = (unsigned)strtoul(flags, NULL, 10), .len = len};
    u.text = arena_strndup(o->arena, text, len);
    free(owned);
    vec_push(o->arena, to, u);
}

/* The shapes of blocks that the units from `first` on are launched with. */
static void add_shapes(const struct object *o, size_t first, units *to)
{
    for (unsigned k = 0; k < o->head->e_shnum; k++) {
        const Elf64_Shdr *s = &o->sections[k];
        if (strcmp(section_name(o, k), PACKED_SHAPES) != 0)
            continue;
        const struct bytes text = {part(o->file, s->sh_offset, s->sh_size, 1), s->sh_size};
        for (uint64_t at = 0; text.data && at < text.size;) {
            const char *symbol = string_at(text, at);
            const char *shapes = symbol ? string_at(text, at += strlen(symbol) + 1) : NULL;
            if (!shapes)
                break;
            at += strlen(shapes) + 1;
            for (size_t n = first; n < to->len; n++)
                if (!strcmp(to->data[n].symbol, symbol))
                    to->data[n].shapes = shapes;
        }
    }
}

static void read_object(struct arena *a, struct bytes b, bool in_archive, units *to)
{
    struct object o = {.arena = a};
    const size_t first = to->len;
    if (!open_object(&o, b))
        return;
    for (unsigned k = 0; k < o.head->e_shnum; k++) {
        const Elf64_Shdr *s = &o.sections[k];
        if (strcmp(section_name(&o, k), PACKED_SECTION) != 0)
            continue;
        const struct bytes text = {part(b, s->sh_offset, s->sh_size, 1), s->sh_size};
        for (uint64_t at = 0; text.data && at < text.size;) {
            const char *word[3] = {NULL};
            for (int n = 0; n < 3 && (word[n] = string_at(text, at)); n++)
                at += strlen(word[n]) + 1;
            if (!word[2])
                break;
            add_unit(&o, word[0], word[1], word[2], to);
        }
    }
    add_shapes(&o, first, to);
    if (to->len != first + 1) /* of several, which has the kernel cannot be told */
        return;
    demangler *demangle = find_demangler();
    for (uint64_t k = 0; k < o.nsymbols; k++) {
        const char *name = string_at(o.names, o.symbols[k].st_name);
        if (name)
            add_kernel(a, demangle, name, &to->data[first].kernels);
    }
    to->data[first].in_archive = in_archive;
}

/* ---- archives ---- */

struct member { /* as ar writes it, in text */
    char name[16], date[12], owner[6], group[6], mode[8], size[10], end[2];
};

static const char *beside(struct arena *a, const char *archive, const char *name)
{
    const char *slash = strrchr(archive, '/');
    return *name == '/' || !slash
               ? name
               : arena_printf(a, "%.*s%s", (int)(slash + 1 - archive), archive, name);
}

/* A thin archive has names where others have members: /123 is a place in the list of names. */
static void read_thin(struct arena *a, const char *archive, const struct member *m,
                      struct bytes names, units *to)
{
    const size_t at = strtoul(m->name + 1, NULL, 10);
    const char *end = at < names.size ? memchr(names.data + at, '\n', names.size - at) : NULL;
    if (m->name[0] != '/' || !end || end == names.data + at)
        return;
    const size_t n = (size_t)(end - names.data) - at - (end[-1] == '/');
    struct bytes b;
    b.data = read_file(a, beside(a, archive, arena_strndup(a, names.data + at, n)), &b.size);
    if (b.data)
        read_object(a, b, true, to);
}

/* A member starts at any even place; the structures of ELF do not. */
static struct bytes aligned(struct arena *a, struct bytes b)
{
    return (struct bytes){memcpy(arena_alloc(a, b.size + 1), b.data, b.size), b.size};
}

static void read_archive(struct arena *a, const char *path, struct bytes b, bool thin, units *to)
{
    struct bytes names = {0};
    for (size_t at = 8; at < b.size;) {
        const struct member *m = part(b, at, 1, sizeof *m);
        if (!m || memcmp(m->end, "`\n", 2) != 0)
            return;
        const uint64_t size = strtoull(m->size, NULL, 10);
        const bool index = m->name[0] == '/' && (m->name[1] == ' ' || m->name[1] == 'S'),
                   list = m->name[0] == '/' && m->name[1] == '/';
        const bool here = !thin || index || list;
        at += sizeof *m;
        const struct bytes inside = {part(b, at, here ? size : 0, 1), here ? size : 0};
        if (!inside.data)
            return;
        if (list)
            names = inside;
        else if (thin && !index)
            read_thin(a, path, m, names, to);
        else if (!index)
            read_object(a, aligned(a, inside), true, to);
        at += inside.size + (inside.size & 1);
    }
}

void object_units(struct arena *a, const char *path, units *to)
{
    struct bytes b;
    b.data = read_file(a, path, &b.size);
    if (!b.data)
        return;
    if (b.size >= 8 && (!memcmp(b.data, "!<arch>\n", 8) || !memcmp(b.data, "!<thin>\n", 8)))
        read_archive(a, path, b, b.data[2] == 't', to);
    else
        read_object(a, b, false, to);
}
