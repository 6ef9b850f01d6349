/* malloc for the compiler's module: pieces in sizes of four steps to the power of two, a list of
 * free ones for each size, memory from the end. The compiler takes few and large pieces (its
 * arenas), so nothing is joined again; the C library's own allocator is ten times this. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 65536, HEAD = 16, CLASSES = 128 };

struct piece {
    struct piece *next;
    uint32_t class, room;
    uint32_t unused;
};
_Static_assert(sizeof(struct piece) == HEAD, "pieces keep their contents aligned");

extern unsigned char __heap_base;
static struct piece *idle[CLASSES];
static uint32_t end; /* of what is in use */

/* The size class of n bytes, and the bytes that pieces of it have. */
static uint32_t class_of(uint32_t n, uint32_t *room)
{
    uint32_t shift = 4; /* steps of 16 bytes */
    while ((n - 1) >> shift >= 8)
        shift++;
    const uint32_t steps = ((n - 1) >> shift) + 1;
    *room = steps << shift;
    return shift * 4 + steps; /* above the smallest, 5 to 8 steps: four classes each */
}

void *malloc(size_t size)
{
    uint32_t room;
    if (size > UINT32_MAX / 2)
        return NULL;
    const uint32_t class = class_of((uint32_t)(size ? size : 1), &room);
    struct piece *p = idle[class];
    if (p) {
        idle[class] = p->next;
        return p + 1;
    }
    if (!end)
        end = ((uint32_t)(uintptr_t)&__heap_base + HEAD - 1) / HEAD * HEAD;
    const uint64_t to = (uint64_t)end + HEAD + room;
    const uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
    if (to > have &&
        __builtin_wasm_memory_grow(0, (size_t)((to - have + PAGE - 1) / PAGE)) == SIZE_MAX)
        return NULL;
    p = (struct piece *)(uintptr_t)end;
    end = (uint32_t)to;
    p->class = class;
    p->room = room;
    return p + 1;
}

void free(void *at)
{
    struct piece *p = (struct piece *)at - 1;
    if (!at)
        return;
    p->next = idle[p->class];
    idle[p->class] = p;
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *realloc(void *at, size_t size)
{
    const uint32_t room = at ? ((struct piece *)at - 1)->room : 0;
    if (at && size <= room)
        return at;
    void *p = malloc(size);
    if (p && at) {
        memcpy(p, at, room);
        free(at);
    }
    return p;
}
