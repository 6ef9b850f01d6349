/* Asynchronous copies to shared memory: one is a write that may come as late as its thread waits
 * for it. Until then it races with everyone, the thread itself too; then it is the thread's own
 * write of that moment, which others see after a barrier. */
#include <stdlib.h>
#include <string.h>
#include "check/check_int.h"

static struct copies *copies_of(const struct check_launch *l, struct block_state *b,
                                uint32_t thread)
{
    if (!b->copies)
        b->copies = calloc(l->nthreads + 64, sizeof *b->copies);
    return b->copies ? &b->copies[thread] : NULL;
}

void copy_begins(const struct access *a)
{
    struct copies *c = copies_of(a->l, a->b, a->thread);
    if (c && c->n == c->cap) {
        const uint32_t cap = c->cap ? 2 * c->cap : 8;
        struct copy *more = realloc(c->at, cap * sizeof *more);
        if (more) {
            c->at = more;
            c->cap = cap;
        }
    }
    if (!c || c->n == c->cap) {
        check_lost(a->l->check);
        return;
    }
    c->at[c->n++] =
        (struct copy){(uint32_t)(a->address - a->e->shared), (uint32_t)a->bytes, c->groups};
}

/* Words that somebody else has written since were told of then. */
static void is_done(const struct check_launch *l, struct block_state *b, uint32_t thread,
                    const struct copy *copy)
{
    const uint32_t who = (uint32_t)(b->number * l->nthreads + thread) + 1;
    for (uint32_t w = copy->offset / 4; w * 4 < copy->offset + copy->bytes; w++) {
        struct cell *cell = &b->cells[w];
        struct stamp *s = &cell->write;
        if (cell->launch != b->serial || s->who != who || !s->pending)
            continue;
        s->pending = 0;
        s->clock = b->clocks[thread];
    }
}

static void await(const struct check_launch *l, struct block_state *b, uint32_t thread,
                  uint64_t most)
{
    struct copies *c = &b->copies[thread];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < c->n; k++)
        if (most == UINT64_MAX || c->at[k].group + most < c->groups)
            is_done(l, b, thread, &c->at[k]);
        else
            c->at[kept++] = c->at[k];
    c->n = kept;
}

void copy_event(struct check_launch *l, struct block_state *b, const struct check_event *e)
{
    if (!b->copies) /* then groups need not be counted either: they are empty */
        return;
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t thread = e->thread + (uint32_t)__builtin_ctz(left);
        if ((e->what & 255) == IR_CHECK_COMMIT)
            b->copies[thread].groups++;
        else
            await(l, b, thread, e->first);
    }
}

void copies_reset(const struct check_launch *l, struct block_state *b)
{
    for (uint32_t k = 0; b->copies && k < l->nthreads; k++)
        b->copies[k].n = b->copies[k].groups = 0;
}

void copies_free(const struct check_launch *l, struct block_state *b)
{
    for (uint32_t k = 0; b->copies && k < l->nthreads + 64; k++)
        free(b->copies[k].at);
    free(b->copies);
}
