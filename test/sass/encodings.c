/* Instructions of ours against NVIDIA's assembler's.
 *
 *   encodings ARCH OURS.cubin… -- THEIRS.cubin…
 *
 * 1. Each word of theirs that one of our rows reads is made again, to the bit (the decoder sees to
 *    that); how many of them, and which opcodes are not ours.
 * 2. Each form that we make, which is the word without registers, immediates, predicates and
 * control word, is one that they make, too; those that are not are listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/sass/sass_int.h"

struct form {
    uint64_t low, high;
    uint32_t count;
};
struct forms {
    struct form *of;
    uint32_t n, cap;
};

static void add(struct forms *f, uint64_t low, uint64_t high)
{
    for (uint32_t k = 0; k < f->n; k++)
        if (f->of[k].low == low && f->of[k].high == high) {
            f->of[k].count++;
            return;
        }
    if (f->n == f->cap)
        f->of = realloc(f->of, (f->cap = f->cap * 2 + 64) * sizeof *f->of);
    f->of[f->n++] = (struct form){low, high, 1};
}

static const struct form *find(const struct forms *f, const struct form *x)
{
    for (uint32_t k = 0; k < f->n; k++)
        if (f->of[k].low == x->low && f->of[k].high == x->high)
            return &f->of[k];
    return NULL;
}

static void clear_src(struct sass_src *x)
{
    if (x->kind == SRC_REG)
        x->value = SASS_NONE;
    else
        x->value = 0;
    x->bank = 0;
}

/* What is left of an instruction without its operands. */
static struct sass_word form_of(struct sass_inst i, unsigned arch)
{
    static const uint8_t values[] = {MOD_LUT,     MOD_LUT_LOW, MOD_LUT_HIGH, MOD_SHIFT,  MOD_LANE,
                                     MOD_NAME,    MOD_COUNT,   MOD_BARRIER,  MOD_SR,     MOD_CLAMP,
                                     MOD_SEGMENT, MOD_CMP,     MOD_ATOM,     MOD_UNIFORM};
    i.guard = i.p = i.q = i.r = (struct sass_pred){SASS_NONE, false};
    clear_src(&i.a);
    clear_src(&i.b);
    clear_src(&i.c);
    i.d = SASS_NONE;
    i.imm = 0;
    if (i.pd != SASS_NONE)
        i.pd = 0;
    if (i.pe != SASS_NONE)
        i.pe = 0;
    for (unsigned k = 0; k < sizeof values; k++)
        i.mods[values[k]] = 0;
    i.stall = i.wait = 0;
    i.set_read = i.set_write = 7;
    i.yield = false;
    return sass_encode(&i, arch, 0, 16);
}

static uint64_t get(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

static struct {
    uint64_t known, unknown, legal;
    uint32_t by_opcode[4096];
} counts;

/* What the hardware's control word may say: see doc/sass.md. */
static bool is_legal(const struct sass_inst *i)
{
    return !(i->yield && i->stall > 11);
}

static void words(struct forms *f, const uint8_t *text, uint64_t n, unsigned arch, bool ours)
{
    for (uint64_t at = 0; at + 16 <= n; at += 16) {
        struct sass_word w = {get(text + at, 8), get(text + at + 8, 8)};
        struct sass_inst i;
        uint32_t target;
        if (!sass_decode(w, arch, (uint32_t)at, &i, &target)) {
            counts.unknown++;
            counts.by_opcode[w.low & 4095]++;
            if (ours)
                printf("FAIL encodings: %016llx %016llx of ours is no instruction of ours\n",
                       (unsigned long long)w.low, (unsigned long long)w.high);
            continue;
        }
        counts.known++;
        if (ours && !is_legal(&i))
            printf("FAIL encodings: a control word of ours at %llx\n", (unsigned long long)at);
        struct sass_word x = form_of(i, arch);
        add(f, x.low, x.high);
    }
}

static bool file(struct forms *f, const char *path, unsigned arch, bool ours)
{
    FILE *in = fopen(path, "rb");
    uint8_t *d = malloc(64 << 20);
    size_t n = in ? fread(d, 1, 64 << 20, in) : 0;
    if (in)
        fclose(in);
    if (n < 64) {
        free(d);
        return false;
    }
    const uint8_t *table = d + get(d + 0x28, 8);
    for (uint64_t k = 0; k < get(d + 0x3c, 2); k++) {
        const uint8_t *h = table + 64 * k;
        if (get(h + 8, 8) & 4)
            words(f, d + get(h + 24, 8), get(h + 32, 8), arch, ours);
    }
    free(d);
    return true;
}

int main(int argc, char **argv)
{
    struct forms ours = {0}, theirs = {0};
    bool mine = true;
    unsigned arch = argc > 1 ? (unsigned)atoi(argv[1]) : 90;
    for (int k = 2; k < argc; k++) {
        if (!strcmp(argv[k], "--")) {
            mine = false;
            memset(&counts, 0, sizeof counts);
        } else if (!file(mine ? &ours : &theirs, argv[k], arch, mine)) {
            printf("FAIL encodings: %s cannot be read\n", argv[k]);
        }
    }
    printf("sm_%u: %llu words of theirs are read and made again, %llu are not ours\n", arch,
           (unsigned long long)counts.known, (unsigned long long)counts.unknown);
    for (unsigned k = 0; k < 4096; k++)
        if (counts.by_opcode[k])
            printf("  opcode %03x: %u\n", k, counts.by_opcode[k]);
    uint32_t unseen = 0;
    for (uint32_t k = 0; k < ours.n; k++) {
        if (find(&theirs, &ours.of[k]))
            continue;
        struct sass_inst i;
        uint32_t target;
        struct sbuf text;
        struct sass_word w = {ours.of[k].low, ours.of[k].high};
        sbuf_init(&text, NULL);
        if (sass_decode(w, arch, 0, &i, &target))
            sass_print(&text, &i, target);
        printf("unseen: %s (%u times) %016llx %016llx\n", text.data, ours.of[k].count,
               (unsigned long long)w.low, (unsigned long long)w.high);
        sbuf_free(&text);
        unseen++;
    }
    printf("%s encodings: %u forms of ours, %u of them not seen in theirs\n",
           unseen ? "CHECK" : "PASS", ours.n, unseen);
    return 0;
}
