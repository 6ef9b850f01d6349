/* Counters of kernels, added up in the program and written at its end: launches are many, lines are
 * few. */
#include <pthread.h>
#include <stdlib.h>
#include "prof/prof.h"

struct counted {
    uint32_t kernel, path, line; /* texts; line 0 of no path: the kernel's launches */
    bool used;
    uint64_t launches;
    struct counts counts;
};

static struct {
    pthread_mutex_t lock;
    struct counted *slots; /* open addressing */
    size_t n, cap;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool prof_counting(void)
{
    return prof_on() && setting_on(SETTING_PROF_COUNT);
}

static struct counted *slot_of(uint32_t kernel, uint32_t path, uint32_t line)
{
    const uint32_t key[] = {kernel, path, line};
    size_t at = hash_bytes(key, sizeof key, 0) & (table.cap - 1);
    while (table.slots[at].used && (table.slots[at].kernel != kernel ||
                                    table.slots[at].path != path || table.slots[at].line != line))
        at = (at + 1) & (table.cap - 1);
    return &table.slots[at];
}

static bool grow(void)
{
    struct counted *old = table.slots;
    const size_t n = table.cap;
    struct counted *wider = calloc(n ? 2 * n : 256, sizeof *wider);
    if (!wider)
        return false;
    table.slots = wider;
    table.cap = n ? 2 * n : 256;
    for (size_t k = 0; k < n; k++)
        if (old[k].used)
            *slot_of(old[k].kernel, old[k].path, old[k].line) = old[k];
    free(old);
    return true;
}

static void write_counts(void *ctx)
{
    (void)ctx;
    const uint64_t now = prof_now();
    for (size_t k = 0; k < table.cap; k++)
        for (unsigned c = 0; c < NCOUNTERS; c++) {
            const struct counted *x = &table.slots[k];
            if (x->used && (x->counts.n[c] || (c == COUNT_WARP_OPS && x->launches)))
                prof_put(&(struct prof_record){
                    .kind = PROF_COUNT,
                    .sub = (uint8_t)c,
                    .start = now,
                    .end = now,
                    .name = x->kernel,
                    .count = {x->counts.n[c], x->launches, x->path, x->line},
                });
        }
}

static void add(const char *kernel, const char *path, uint32_t line, const struct counts *c)
{
    const uint32_t name = prof_text(kernel), file = path ? prof_text(path) : 0;
    if (!prof_recording())
        return;
    prof_at_end(write_counts, &table);
    pthread_mutex_lock(&table.lock);
    if (2 * table.n < table.cap || grow()) {
        struct counted *x = slot_of(name, file, path ? line : 0);
        if (!x->used) {
            *x = (struct counted){
                .kernel = name, .path = file, .line = path ? line : 0, .used = true};
            table.n++;
        }
        x->launches += c == NULL;
        for (unsigned k = 0; c && k < NCOUNTERS; k++)
            x->counts.n[k] += c->n[k];
    }
    pthread_mutex_unlock(&table.lock);
}

void prof_count(const char *kernel, const char *path, uint32_t line, const struct counts *c)
{
    add(kernel, path, line, c);
}

void prof_count_launch(const char *kernel)
{
    add(kernel, NULL, 0, NULL);
}
