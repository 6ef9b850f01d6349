/* The driver's own functions, as its code calls them: arguments from R4 on, the result in R4. What
 * they do not keep is overwritten, so that nobody relies on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim.h"

enum { ARGUMENTS = 4 };
#define FIRST UINT64_C(0x00ca110000)

uint64_t sim_system(const char *name)
{
    static const char *const names[] = {"vprintf", "__assertfail", "malloc", "free"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return FIRST + 256 * k;
    return 0;
}

static uint64_t wide(const struct warp *w, unsigned r, unsigned lane)
{
    return w->regs[r][lane] | (uint64_t)w->regs[r + 1][lane] << 32;
}

static const char *text_at(uint64_t address)
{
    return (const char *)(uintptr_t)address; /* global memory is the process's own */
}

static const uint8_t *argument(const uint8_t *args, uint32_t *at, unsigned size)
{
    *at = (*at + size - 1) & -size;
    const uint8_t *p = args + *at;
    *at += size;
    return p;
}

/* One conversion of a format, from its % on; gives where it ends. */
static const char *print_one(const char *f, const uint8_t *args, uint32_t *at)
{
    char how[64] = "%";
    unsigned n = 1, longs = 0;
    for (f++; *f && strchr("-+ #0123456789.*lhzjt", *f); f++) {
        longs += *f == 'l' || *f == 'z' || *f == 'j' || *f == 't';
        if (*f == '*') {
            int v;
            memcpy(&v, argument(args, at, 4), 4);
            n += (unsigned)snprintf(how + n, sizeof how - n, "%d", v);
        } else if (!strchr("lhzjt", *f) && n < 40) {
            how[n++] = *f;
        }
    }
    long long v = 0;
    double d;
    switch (*f) {
    case '%': putchar('%'); break;
    case 's':
    case 'p':
        memcpy(&v, argument(args, at, 8), 8);
        snprintf(how + n, sizeof how - n, "%c", *f);
        printf(how, text_at((uint64_t)v));
        break;
    case 'c':
        memcpy(&v, argument(args, at, 4), 4);
        snprintf(how + n, sizeof how - n, "c");
        printf(how, (int)v);
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        const bool sign = *f == 'd' || *f == 'i';
        memcpy(&v, argument(args, at, longs ? 8 : 4), longs ? 8 : 4);
        snprintf(how + n, sizeof how - n, "ll%c", *f);
        printf(how, longs || !sign ? v : (long long)(int)v);
        break;
    }
    default:
        memcpy(&d, argument(args, at, 8), 8);
        snprintf(how + n, sizeof how - n, "%c", *f);
        printf(how, d);
    }
    return f + (*f != 0);
}

static uint32_t print(struct block *b, const char *format, uint64_t place, unsigned lane)
{
    const struct warp *w = b->warp;
    uint8_t args[4096] = {0};
    if (place) { /* in the frame: generic addresses of local memory end at the stack's top */
        const uint64_t below = LOCAL_WINDOW + STACK_TOP - place;
        if (place < LOCAL_WINDOW || below > b->code->frame)
            sim_fail(b, "vprintf: its arguments are not in the frame");
        memcpy(args, w->local + (size_t)lane * b->code->frame + (b->code->frame - below),
               below < sizeof args ? below : sizeof args);
    }
    uint32_t at = 0, n = 0;
    while (*format) {
        if (*format == '%') {
            n += format[1] != '%';
            format = print_one(format, args, &at);
        } else {
            putchar(*format++);
        }
    }
    fflush(stdout);
    return n;
}

static void give(struct warp *w, unsigned lane, uint64_t v)
{
    w->regs[ARGUMENTS][lane] = (uint32_t)v;
    w->regs[ARGUMENTS + 1][lane] = (uint32_t)(v >> 32);
}

static void overwrite(struct warp *w, unsigned lane)
{
    for (unsigned r = 0; r < 22; r++)
        if (r != 1 && (r < 16 || r > 19))
            w->regs[r][lane] = 0xdead0000 + r;
    for (unsigned p = 0; p < 7; p++)
        w->preds[p][lane] ^= 1;
    for (unsigned k = 0; k < 36; k++)
        w->uniform[k] = 0xdead;
    for (unsigned k = 0; k < 6; k++)
        w->members[k][lane] = 0;
}

void sim_call(struct block *b, const struct sass_inst *i, uint32_t run)
{
    struct warp *w = b->warp;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(run >> l & 1))
            continue;
        const uint64_t what = wide(w, i->a.value, l), x = wide(w, ARGUMENTS, l);
        const uint64_t y = wide(w, ARGUMENTS + 2, l);
        const uint32_t line = w->regs[ARGUMENTS + 4][l];
        if (w->regs[1][l] > STACK_TOP || w->regs[1][l] + b->code->frame != STACK_TOP)
            sim_fail(b, "a call with the stack at %x", w->regs[1][l]);
        if (wide(w, 20, l) != UINT64_C(0x1000000) + 16 * (w->pc[l] + 1))
            sim_fail(b, "a call that would not come back");
        overwrite(w, l);
        switch ((what - FIRST) / 256) {
        case 0: give(w, l, print(b, text_at(x), y, l)); break;
        case 1: sim_fail(b, "%s:%u: Assertion `%s` failed", text_at(y), line, text_at(x));
        case 2:
            give(
                w, l,
                (uint64_t)(uintptr_t)(x < (1 << 23) ? aligned_alloc(16, (x + 31) & ~15ull) : NULL));
            break;
        case 3: free((void *)(uintptr_t)x); break;
        default: sim_fail(b, "a call of %llx", (unsigned long long)what);
        }
    }
}
