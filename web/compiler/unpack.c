/* Puts the module's data in its place: called first of all, once, before constructors run. What it
 * needs lies on the stack and in memory that starts as zeros; a module that was not packed is left
 * as it is. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct coder {
    const uint8_t *next;
    uint32_t range, code;
};

struct pack_bit;
static uint32_t unpack_bit(struct coder *c, struct pack_bit *p);
#define BIT(c, p, b) ((void)(b), unpack_bit(c, p))
#include "pack.h"

static uint32_t unpack_bit(struct coder *c, struct pack_bit *p)
{
    const uint32_t bound = (c->range >> PACK_BITS) * p->zero, bit = c->code >= bound;
    if (bit) {
        c->code -= bound;
        c->range -= bound;
    } else {
        c->range = bound;
    }
    pack_learn(p, bit);
    while (c->range < 1u << 24) {
        c->range <<= 8;
        c->code = c->code << 8 | *c->next++;
    }
    return bit;
}

extern struct pack_head __heap_base;
static struct pack_model model;

__attribute__((export_name("tern_unpack"))) void tern_unpack(void)
{
    struct pack_head *h = &__heap_base;
    struct pack_state s;
    struct coder c = {.next = h->bytes, .range = UINT32_MAX};
    if (h->magic != PACK_MAGIC)
        return;
    pack_start(&model, &s);
    for (int k = 0; k < 5; k++)
        c.code = c.code << 8 | *c.next++;
    for (uint32_t at = 0; at < h->size;)
        at += pack_step(&c, &model, &s, (uint8_t *)(uintptr_t)h->to, at, 0, 0);
    memset(h, 0, offsetof(struct pack_head, bytes) + h->packed); /* the heap is here from now on */
}
