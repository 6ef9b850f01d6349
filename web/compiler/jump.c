/* What clang's code for setjmp and longjmp calls in WebAssembly.
 *
 * A function that calls setjmp keeps a table of (id, label) pairs, an id for each time it has done
 * so. longjmp throws; each such function on the way up catches and asks testSetjmp whether the id
 * is in its table: the label says where to go on, 0 that the exception is for somebody further up.
 * The names are clang's. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

struct entry {
    uint32_t id, label; /* id 0: the end */
};

static uint32_t last_id, second_result; /* WebAssembly's calls here have one result */

uint32_t getTempRet0(void);
struct entry *saveSetjmp(jmp_buf buffer, uint32_t label, struct entry *table, uint32_t size);
uint32_t testSetjmp(uint32_t id, const struct entry *table, uint32_t size);
_Noreturn void __wasm_longjmp(jmp_buf buffer, int value);

uint32_t getTempRet0(void)
{
    return second_result;
}

struct entry *saveSetjmp(jmp_buf buffer, uint32_t label, struct entry *table, uint32_t size)
{
    uint32_t n = 0;
    while (n < size && table[n].id)
        n++;
    if (n + 1 >= size) { /* room for this one and the end */
        size *= 2;
        table = realloc(table, sizeof *table * size);
        if (!table)
            abort();
    }
    buffer->id = ++last_id;
    table[n] = (struct entry){last_id, label};
    table[n + 1] = (struct entry){0};
    second_result = size;
    return table;
}

uint32_t testSetjmp(uint32_t id, const struct entry *table, uint32_t size)
{
    for (uint32_t n = 0; n < size && table[n].id; n++)
        if (table[n].id == id)
            return table[n].label;
    return 0;
}

_Noreturn void __wasm_longjmp(jmp_buf buffer, int value)
{
    buffer->thrown.buffer = buffer;
    buffer->thrown.value = value ? value : 1;
    __builtin_wasm_throw(1, &buffer->thrown); /* 1: the tag of longjmp */
}
