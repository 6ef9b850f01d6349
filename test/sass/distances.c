/* How long readers wait in our code and in NVIDIA's assembler's.
 *
 *   distances ARCH OURS.cubin… -- THEIRS.cubin…
 *
 * For each pair of instructions, of which the second reads what the first wrote and no scoreboard
 * stands between them: the least number of cycles in theirs and in ours. Where ours is less, the
 * hardware may still read what was there before: such pairs are listed. They fail where theirs is
 * seen often enough to be no accident of its schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim.h"

enum how { AS_OPERAND, AS_GUARD, AS_PREDICATE, OVERWRITTEN, PREDICATE_OVERWRITTEN, HOWS };
static const char *const hows[HOWS] = {"operand", "guard", "predicate", "overwritten",
                                       "predicate overwritten"};
enum { FAR = 40, OFTEN = 150 };
static uint8_t least[2][HOWS][SASS_OPS][SASS_OPS];
static uint32_t seen[2][HOWS][SASS_OPS][SASS_OPS];
static uint64_t place[2][HOWS][SASS_OPS][SASS_OPS];

struct maker {
    int op; /* -1: nobody known */
    uint64_t at;
};
struct tracked {
    struct maker regs[256], preds[8];
    uint64_t now;
};

static void nobody(struct tracked *t)
{
    for (unsigned k = 0; k < 256; k++)
        t->regs[k].op = -1;
    for (unsigned k = 0; k < 8; k++)
        t->preds[k].op = -1;
}

static void pair(bool theirs, enum how how, const struct tracked *t, const struct maker *m,
                 unsigned to, uint64_t at)
{
    if (m->op < 0)
        return;
    uint64_t n = t->now - m->at;
    uint8_t *x = &least[theirs][how][m->op][to];
    if (n > FAR)
        n = FAR;
    if (!seen[theirs][how][m->op][to]++ || n < *x) {
        *x = (uint8_t)n;
        place[theirs][how][m->op][to] = at;
    }
}

static void one(bool theirs, struct tracked *t, const struct sass_inst *i, uint64_t at)
{
    struct use u;
    sim_uses(i, 90, &u);
    for (unsigned k = 0; k < u.nreads; k++)
        pair(theirs, AS_OPERAND, t, &t->regs[u.reads[k]], i->op, at);
    for (unsigned k = 0; k < u.npreds; k++)
        pair(theirs, AS_PREDICATE, t, &t->preds[u.preds[k]], i->op, at);
    if (i->guard.reg != SASS_NONE)
        pair(theirs, AS_GUARD, t, &t->preds[i->guard.reg], i->op, at);
    bool late = i->set_write != 7;
    for (unsigned k = 0; k < u.nwrites; k++) {
        pair(theirs, OVERWRITTEN, t, &t->regs[u.writes[k]], i->op, at);
        t->regs[u.writes[k]] = (struct maker){late ? -1 : i->op, t->now};
    }
    for (unsigned k = 0; k < u.nsets; k++) {
        pair(theirs, PREDICATE_OVERWRITTEN, t, &t->preds[u.sets[k]], i->op, at);
        t->preds[u.sets[k]] = (struct maker){late ? -1 : i->op, t->now};
    }
}

static uint64_t get(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

static void words(bool theirs, const uint8_t *text, uint64_t n, unsigned arch)
{
    struct tracked t = {.now = 100};
    nobody(&t);
    for (uint64_t at = 0; at + 16 <= n; at += 16) {
        struct sass_word w = {get(text + at, 8), get(text + at + 8, 8)};
        struct sass_inst i;
        uint32_t target;
        if (!sass_decode(w, arch, (uint32_t)at, &i, &target)) {
            nobody(&t); /* it may write anything */
            i.op = OP_NOP;
        } else {
            one(theirs, &t, &i, at);
            if ((i.op == OP_BRA || i.op == OP_EXIT) && i.guard.reg == SASS_NONE)
                nobody(&t);
        }
        t.now += w.high >> (105 - 64) & 15 ? w.high >> (105 - 64) & 15 : 1;
    }
}

static bool file(bool theirs, const char *path, unsigned arch)
{
    FILE *in = fopen(path, "rb");
    uint8_t *d = malloc(64 << 20);
    size_t n = in ? fread(d, 1, 64 << 20, in) : 0;
    if (in)
        fclose(in);
    for (uint64_t k = 0; n >= 64 && k < get(d + 0x3c, 2); k++) {
        const uint8_t *h = d + get(d + 0x28, 8) + 64 * k;
        if (get(h + 8, 8) & 4)
            words(theirs, d + get(h + 24, 8), get(h + 32, 8), arch);
    }
    free(d);
    return n >= 64;
}

int main(int argc, char **argv)
{
    bool theirs = false;
    unsigned arch = argc > 1 ? (unsigned)atoi(argv[1]) : 90, bad = 0, pairs = 0, wrong = 0;
    for (int k = 2; k < argc; k++) {
        if (!strcmp(argv[k], "--"))
            theirs = true;
        else if (!file(theirs, argv[k], arch))
            printf("FAIL distances: %s cannot be read\n", argv[k]);
    }
    for (unsigned h = 0; h < HOWS; h++)
        for (unsigned a = 0; a < SASS_OPS; a++)
            for (unsigned b = 0; b < SASS_OPS; b++) {
                if (!seen[0][h][a][b])
                    continue;
                pairs++;
                bool known = seen[1][h][a][b];
                bool less = known && least[0][h][a][b] < least[1][h][a][b];
                const bool sure = less && h < OVERWRITTEN && seen[1][h][a][b] >= OFTEN;
                bad += less;
                wrong += sure;
                if (less || getenv("ALL"))
                    printf("%s %s -> %s as %s: ours %u (%u times, at %llx), theirs %u (%u times)\n",
                           sure    ? "FAIL sass/distances:"
                           : less  ? "less:"
                           : known ? "fine:"
                                   : "only ours:",
                           sass_rows[a].name, sass_rows[b].name, hows[h], least[0][h][a][b],
                           seen[0][h][a][b], (unsigned long long)place[0][h][a][b],
                           least[1][h][a][b], seen[1][h][a][b]);
            }
    printf("%s sass/distances: %u pairs of ours, %u of them nearer than the few of theirs\n",
           wrong ? "FAIL" : "PASS", pairs, bad);
    return 0;
}
