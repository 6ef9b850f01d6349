/* encode SEED COUNT BYTES TEXT: random instructions of the tables, encoded to the file BYTES and
 * printed to the file TEXT, one a line. Each must come back from the decoder as it was. Fails if
 * one does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/a64/a64_int.h"

static uint64_t state;
static uint64_t next(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* Any value of the kind that has an encoding; most do not: tries until one has. */
static int64_t value(const struct mach_kind *k)
{
    switch (k->role) {
    case MACH_REG: return (int64_t)(next() % 32 + k->class * MACH_CLASS_SIZE);
    case MACH_LABEL: return ((int64_t)(next() % 4096) - 2048) * 4;
    default: break;
    }
    if (k->form == A64_F_MASK32 || k->form == A64_F_MASK64) { /* a run of ones, turned, repeated */
        const unsigned size = 2u << next() % (k->form == A64_F_MASK32 ? 5 : 6);
        const unsigned ones = (unsigned)(next() % (size - 1)) + 1, turn = (unsigned)(next() % size);
        const uint64_t all = size == 64 ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1;
        uint64_t x = (UINT64_C(1) << ones) - 1;
        x = turn ? ((x >> turn) | (x << (size - turn))) & all : x;
        for (unsigned s = size; s < 64; s *= 2)
            x |= x << s;
        return (int64_t)(k->form == A64_F_MASK32 ? x & 0xffffffffu : x);
    }
    static const unsigned scales[] = {[A64_F_BY2] = 2,   [A64_F_BY4] = 4,  [A64_F_BY8] = 8,
                                      [A64_F_BY16] = 16, [A64_F_SBY8] = 8, [A64_F_SBY16] = 16};
    const unsigned scale =
        k->form < sizeof scales / sizeof *scales && scales[k->form] ? scales[k->form] : 1;
    int64_t v = (int64_t)(next() % (UINT64_C(1) << (k->width > 20 ? 4 : k->width)));
    if (k->form == A64_F_SIGNED || k->form == A64_F_SBY8 || k->form == A64_F_SBY16 ||
        k->form == A64_F_V9)
        v -= (int64_t)1 << (k->width - 1);
    if (k->form == A64_F_COND)
        v %= 14;
    return v * scale;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const struct mach_target *t = &a64_machine;
    const long count = strtol(argv[2], NULL, 10);
    FILE *bytes = fopen(argv[3], "wb"), *text = fopen(argv[4], "w");
    if (!bytes || !text)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 88172645463325252u;
    struct sbuf o;
    sbuf_init(&o, NULL);
    uint64_t address = 0;
    for (long n = 0; n < count;) {
        const unsigned row = n < (long)t->nrows ? (unsigned)n : (unsigned)(next() % t->nrows);
        const struct mach_row *r = &t->rows[row];
        int64_t ops[MACH_MAX_OPS] = {0}, back[MACH_MAX_OPS] = {0};
        uint8_t code[8];
        unsigned got, k = 0;
        for (; k < MACH_MAX_OPS && r->kind[k]; k++)
            ops[k] =
                k == r->nresults && r->flags & MACH_TIED ? ops[0] : value(&t->kinds[r->kind[k]]);
        if (t->encode(r, ops, NULL) == 8) { /* two instructions that have rows of their own */
            if (t->encode(r, ops, code) != 8 || t->decode(code, 4, &got, back) != 4 ||
                t->decode(code + 4, 4, &got, back) != 4) {
                fprintf(stderr, "%s is not two instructions\n", r->name);
                return 1;
            }
            n++;
            continue;
        }
        if (t->encode(r, ops, code) != 4)
            continue; /* not every value of a field's width is one */
        if (t->decode(code, 4, &got, back) != 4) {
            fprintf(stderr, "%s is not decoded\n", r->name);
            return 1;
        }
        uint8_t again[4];
        if (t->encode(&t->rows[got], back, again) != 4 || memcmp(code, again, 4) != 0 ||
            (got == row && memcmp(ops, back, k * sizeof *ops) != 0)) {
            fprintf(stderr, "%s comes back as %s\n", r->name, t->rows[got].name);
            return 1;
        }
        fwrite(code, 1, 4, bytes);
        o.len = 0;
        mach_print_row(t, &o, row, ops, address);
        fprintf(text, "%s\n", o.data);
        address += 4;
        n++;
    }
    sbuf_free(&o);
    return fclose(bytes) || fclose(text);
}
