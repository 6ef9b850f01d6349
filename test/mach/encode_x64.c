/* encode_x64 SEED COUNT FILE [wide]: random instructions of the table of x86-64, or of that for
 * AVX-512. Their bytes go to FILE, their text, a line each, to standard output. Fails if one cannot
 * be encoded, or if decoding does not give it back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/x64/x64_int.h"

static uint64_t state;
static uint64_t any(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33 ^ state << 20) % below;
}

static bool wide;

/* Some instructions are VEX in both tables. */
static bool can_be_high(const struct mach_row *r)
{
    enum { EVEX = 1 << 24 | 1 << 25 };
    return r->bits & EVEX;
}

/* Of x86-64: small and large numbers, all registers. */
static int64_t x64_operand(const struct mach_kind *k, const struct mach_row *r)
{
    const bool small = any(2);
    switch (k->shift) {
    case X64_P_SCALE: return (int64_t)any(4);
    case X64_P_CONDITION: return (int64_t)any(16);
    case X64_P_INDEX: {
        int64_t n = (int64_t)any(15);
        return n < X64_RSP ? n : n + 1;
    }
    case X64_P_DISTANCE:
    case X64_P_SHORT:
        return small ? (int64_t)any(256) - 128 : (int64_t)any(UINT64_C(1) << 32) + INT32_MIN;
    case X64_P_RIP:
    case X64_P_JUMP: return (int64_t)any(1 << 24) - (1 << 23);
    case X64_P_IMMEDIATE: {
        if (k->form == X64_F_COMPARE)
            return (int64_t)any(8);
        if (k->form == X64_F_ORDER)
            return (int64_t)(any(3) + 4 * any(2));
        uint64_t v = any(UINT64_MAX) | any(2) << 63;
        if (k->width < 64)
            v &= (UINT64_C(1) << k->width) - 1;
        return k->form == X64_F_SIGNED ? (int32_t)v : (int64_t)v;
    }
    default: break;
    }
    if (k->class == X64_MASK)
        return (int64_t)(k->shift == X64_P_MASK ? 1 + any(7) : any(8)) + X64_K0;
    return (int64_t)any(k->class == X64_VEC && wide && can_be_high(r) ? 32 : 16) +
           k->class * MACH_CLASS_SIZE;
}

/* The addresses, the mask and the result of a gather are three registers. */
static bool sensible(const struct mach_row *r, const int64_t *ops)
{
    if (!strncmp(r->name, "KGATHER", 7))
        return ops[0] != ops[2];
    if (strncmp(r->name, "GATHER", 6))
        return true;
    return ops[0] != ops[2] && ops[0] != ops[3] && ops[2] != ops[3];
}

/* Where there may be an index, there is none in one of three, and no scale. */
static void without_index(const struct mach_target *t, const struct mach_row *r, int64_t *ops)
{
    if (any(3))
        return;
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        const unsigned form = t->kinds[r->kind[k]].form;
        if (form == X64_F_INDEX || form == X64_F_TIMES)
            ops[k] = -1;
    }
}

static bool one(const struct mach_target *t, FILE *bytes, uint64_t *address)
{
    const unsigned row = (unsigned)any(t->nrows);
    const struct mach_row *r = &t->rows[row];
    if (r->bits & X64_ABSENT)
        return true;
    int64_t ops[MACH_MAX_OPS] = {0}, back[MACH_MAX_OPS] = {0};
    do
        for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++)
            ops[k] = k == r->nresults && r->flags & MACH_TIED
                         ? ops[0]
                         : x64_operand(&t->kinds[r->kind[k]], r);
    while (!sensible(r, ops));
    without_index(t, r, ops);
    uint8_t code[32];
    unsigned n = t->encode(r, ops, code), found;
    struct sbuf text, again;
    sbuf_init(&text, NULL);
    sbuf_init(&again, NULL);
    if (!n || n != t->encode(r, ops, NULL)) {
        fprintf(stderr, "%s cannot be encoded\n", r->name);
        return false;
    }
    mach_print_row(t, &text, row, ops, *address);
    if (t->decode(code, n, &found, back) != n) {
        fprintf(stderr, "%s: %s is not decoded\n", r->name, text.data);
        return false;
    }
    mach_print_row(t, &again, found, back, *address);
    if (strcmp(text.data, again.data)) {
        fprintf(stderr, "%s: %s is decoded as %s\n", r->name, text.data, again.data);
        return false;
    }
    puts(text.data);
    fwrite(code, 1, n, bytes);
    *address += n;
    sbuf_free(&text);
    sbuf_free(&again);
    return true;
}

int main(int argc, char **argv)
{
    wide = argc == 5 && !strcmp(argv[4], "wide");
    FILE *bytes = argc >= 4 ? fopen(argv[3], "wb") : NULL;
    if (!bytes)
        return 2;
    state = strtoull(argv[1], NULL, 10);
    uint64_t address = 0;
    for (long n = atol(argv[2]); n > 0; n--)
        if (!one(wide ? &x64_wide_machine : &x64_machine, bytes, &address))
            return 1;
    return fclose(bytes) != 0;
}
