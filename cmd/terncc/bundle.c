/* Machine code for processors inside programs: when a program is linked, the kernels of its files
 * are compiled for the processors of --cpu (this architecture's where that is not given) and for
 * the shapes of blocks that the program's launches show. What is in there is found by a key that
 * says all that it was made of (rt/shelf.h): a program runs without it as well, and makes it then.
 *
 * Left out are files that are compiled as one when the program runs (-rdc=true), or with places in
 * the source in their code (-G, -lineinfo, -fsanitize=device), or whose doubles are pairs, which a
 * device is tested for first (--f64=fast), and those with many instantiations,
 * each of which is compiled by itself when it is first launched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/module.h"
#include "rt/shelf.h"
#include "terncc.h"

enum { MOST_SHAPES = 24, MOST_INSTANTIATIONS = 15 };
enum { MOST_BYTES = 16 << 20 }; /* of all of it: the rest is made when it runs */

#if defined(__aarch64__)
#define THIS_CPU "aarch64"
#elif defined(__x86_64__)
#define THIS_CPU "x86-64-v3,x86-64-v4"
#else
#define THIS_CPU ""
#endif

static const char *const known[] = {
    "aarch64", "aarch64-sve256", "aarch64-sve512", "x86-64-v3", "x86-64-v4", "none", NULL};

/* Where the next of a list's words ends. */
static size_t word_length(const char *list)
{
    return strcspn(list, ",");
}

bool bundle_cpus(const char *list)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = word_length(list);
        int k = 0;
        while (known[k] && (strlen(known[k]) != n || strncmp(known[k], list, n) != 0))
            k++;
        if (!known[k])
            return complain("--cpu takes aarch64, aarch64-sve256, aarch64-sve512, x86-64-v3, "
                            "x86-64-v4 or none, not '%.*s'",
                            (int)n, list),
                   false;
    }
    return true;
}

/* Blocks that programs are launched with which do not say so in numbers. */
static const uint32_t usual[][3] = {{256, 1, 1},  {128, 1, 1}, {512, 1, 1},
                                    {1024, 1, 1}, {16, 16, 1}, {32, 8, 1}};

struct shapes {
    uint32_t list[MOST_SHAPES][3];
    size_t n;
};

static void add(struct shapes *s, const uint32_t shape[3])
{
    for (size_t k = 0; k < s->n; k++)
        if (!memcmp(s->list[k], shape, sizeof s->list[k]))
            return;
    if (s->n < MOST_SHAPES)
        memcpy(s->list[s->n++], shape, sizeof s->list[0]);
}

static struct shapes shapes_of(const struct unit *u)
{
    struct shapes s = {.n = 0};
    const char *at = u->shapes ? u->shapes : "*";
    bool others = false;
    while (*at) {
        uint32_t shape[3] = {1, 1, 1};
        char *end = (char *)at;
        for (unsigned k = 0; k < 3 && *end && *end != '*'; k++) {
            shape[k] = (uint32_t)strtoul(end, &end, 10);
            end += *end == ',';
        }
        others |= *end == '*';
        if (*end != '*')
            add(&s, shape);
        at = end + (*end == '*' || *end == ' ');
        at += strspn(at, " ");
    }
    for (size_t k = 0; others && k < sizeof usual / sizeof *usual; k++)
        add(&s, usual[k]);
    return s;
}

static bool takes_part(const struct unit *u)
{
    const unsigned other = __TERN_UNIT_RDC | __TERN_UNIT_FATBIN | __TERN_UNIT_LINES |
                           __TERN_UNIT_STEPS | __TERN_UNIT_CHECK | __TERN_UNIT_FAST_F64;
    return !(u->flags & other) && u->kernels.len <= MOST_INSTANTIATIONS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As the program will ask for it: src/cuda/launch.c. */
static void add_unit(struct sbuf *out, struct unit *u, const char *cpu, bool module, size_t *images)
{
    const struct shapes s = shapes_of(u);
    size_t n = 0;
    if (u->kernels.len) /* else there is no array: qsort is to be given one */
        qsort(u->kernels.data, u->kernels.len, sizeof *u->kernels.data, by_name);
    const struct rt_source source = {.path = u->path,
                                     .text = u->text,
                                     .len = u->len,
                                     .names = u->kernels.data,
                                     .nnames = u->kernels.len,
                                     .mode = {.arch = u->flags >> __TERN_UNIT_ARCH_SHIFT,
                                              .no_fmad = u->flags & __TERN_UNIT_NO_FMAD,
                                              .fast_math = u->flags & __TERN_UNIT_FAST_MATH}};
    rt_bundle(&source, cpu, module, s.list, s.n, out, &n);
    *images += n;
}

struct sbuf bundle_make(struct job *j, const units *all)
{
    struct sbuf out;
    size_t images = 0;
    const char *list = j->cpus ? j->cpus : THIS_CPU;
    sbuf_init(&out, j->arena);
    shelf_begin(&out);
    bool first = true;
    for (size_t n; *list; list += n + (list[n] == ','), first = false) {
        n = word_length(list);
        const char *cpu = arena_strndup(j->arena, list, n);
        vec_each (struct unit, u, all)
            if (strcmp(cpu, "none") != 0 && takes_part(u) && out.len < MOST_BYTES)
                add_unit(&out, u, cpu, first, &images);
    }
    if (!images)
        out.len = 0;
    if (j->verbose)
        fprintf(stderr,
                "terncc: %zu kernels and shapes of blocks are compiled already, %zu bytes\n",
                images, out.len);
    return out;
}
