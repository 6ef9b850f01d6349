/* Allocations: a table by address, what of each is written, and memory of our own for devices whose
 * memory is the host's.
 *
 * Memory of our own starts at a granule of 64 KiB and has a granule to itself before it and at
 * least one behind: who goes a little past an end meets nobody else's data, and the granule still
 * tells whose end it was. What is freed stays where it is until more than KEPT bytes lie freed. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "check/check_int.h"

#define KEPT     (UINT64_C(256) << 20)
#define MAP_HALF (UINT64_C(1) << 16)

void *map_zeroed(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void unmap(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

static uint64_t cells_bytes(const struct check_memory *m)
{
    return (m->size / 4 + 2) * sizeof(struct cell);
}

/* ---- shadow ---- */
/* As much of the address space as there is; nothing of it takes memory before it is touched. */
bool memory_open(struct check *c)
{
    for (unsigned bits = 48; bits >= 39; bits--) {
        c->shadow = map_zeroed(UINT64_C(1) << (bits - 2));
        c->shadow_limit = UINT64_C(1) << bits;
        if (c->shadow)
            return true;
    }
    return false;
}

static void set_bytes(uint8_t *at, uint64_t first, uint64_t n, uint8_t is)
{
    const unsigned bytes = ((1u << n) - 1) << first, mask = bytes | bytes << 4;
    *at = (uint8_t)((*at & ~mask) | (is & mask));
}

void shadow_set(uint8_t *shadow, uint64_t offset, uint64_t n, uint8_t is)
{
    if (n && offset % 4) {
        const uint64_t part = 4 - offset % 4 < n ? 4 - offset % 4 : n;
        set_bytes(&shadow[offset / 4], offset % 4, part, is);
        offset += part;
        n -= part;
    }
    memset(&shadow[offset / 4], is, n / 4);
    if (n % 4)
        set_bytes(&shadow[(offset + n) / 4], 0, n % 4, is);
}

uint64_t shadow_undefined(const uint8_t *shadow, uint64_t offset, uint64_t n)
{
    for (uint64_t k = 0; k < n;) {
        const uint64_t at = offset + k;
        if (!(at % 4) && n - k >= 4 && shadow[at / 4] == IR_CHECK_WRITTEN) {
            k += 4;
            continue;
        }
        if (!(shadow[at / 4] >> at % 4 & 1))
            return k;
        k++;
    }
    return n;
}

static void cover(struct check *c, const struct check_memory *m, uint8_t is)
{
    if (m->base + m->size <= c->shadow_limit)
        shadow_set(c->shadow, m->base, m->size, is);
}

/* What is new: memory, of which all or nothing was written. */
static void appear(struct check *c, struct check_memory *m)
{
    m->defined |= !c->on[CHECK_UNINITIALIZED] || m->base + m->size > c->shadow_limit;
    cover(c, m, m->defined ? IR_CHECK_WRITTEN : IR_CHECK_MEMORY);
}

void memory_hide(struct check *c, struct check_memory *m)
{
    if (m->base + m->size > c->shadow_limit)
        return;
    for (uint64_t k = m->base / 4; k * 4 < m->base + m->size; k++)
        c->shadow[k] &= IR_CHECK_HIDDEN;
}

/* ---- the table ---- */
static struct check_memory **slot(struct check *c, uint64_t granule, bool make)
{
    const uint64_t high = granule / MAP_HALF, low = granule % MAP_HALF;
    if (high >= MAP_HALF)
        return NULL;
    if (!c->map && make)
        c->map = map_zeroed(MAP_HALF * sizeof *c->map);
    if (!c->map)
        return NULL;
    if (!c->map[high] && make)
        c->map[high] = map_zeroed(MAP_HALF * sizeof **c->map);
    return c->map[high] ? &c->map[high][low] : NULL;
}

static void spread(struct check *c, const struct check_memory *m, struct check_memory *is)
{
    const uint64_t first = (m->base >> GRANULE_BITS) - 1,
                   end = (m->base - GRANULE + m->mapped) >> GRANULE_BITS;
    for (uint64_t g = first; g < end; g++) {
        struct check_memory **at = slot(c, g, is != NULL);
        if (at)
            *at = is;
        else if (is)
            check_lost(c);
    }
}

/* The last one told that starts at or below the address. */
static size_t told_index(const struct check *c, uint64_t address)
{
    size_t low = 0, high = c->ntold;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (c->told[mid]->base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct check_memory *memory_at(struct check *c, uint64_t address)
{
    struct check_memory **at = slot(c, address >> GRANULE_BITS, false), *known = at ? *at : NULL;
    if (known)
        return known;
    const size_t k = told_index(c, address);
    if (!k)
        return NULL;
    struct check_memory *m = c->told[k - 1];
    return address - m->base < m->size + 64 ? m : NULL;
}

static struct check_memory *new_memory(struct check *c, uint64_t base, uint64_t size,
                                       enum check_memory_kind kind)
{
    struct check_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    *m = (struct check_memory){.base = base,
                               .size = size,
                               .kind = kind,
                               .number = ++c->allocations,
                               .live = true,
                               .defined = kind != CHECK_DEVICE && kind != CHECK_HEAP};
    if (c->nall == c->cap_all) {
        const size_t cap = c->cap_all ? 2 * c->cap_all : 64;
        struct check_memory **all = realloc(c->all, cap * sizeof *all);
        if (!all) {
            free(m);
            return NULL;
        }
        c->all = all;
        c->cap_all = cap;
    }
    c->all[c->nall++] = m;
    return m;
}

/* Its state goes; the few words that say what it was stay, for reports. */
static void drop_state(struct check_memory *m)
{
    unmap(m->cells, cells_bytes(m));
    m->cells = NULL;
}

static void forget(struct check *c, struct check_memory *m)
{
    drop_state(m);
    if (m->mapped) {
        spread(c, m, NULL);
        if (m->owner) {
            if (m->release)
                m->release(m->owner, m->base - GRANULE);
        } else if (!arena_give(c, m->base - GRANULE, m->mapped))
            munmap((char *)(uintptr_t)(m->base - GRANULE), m->mapped);
    }
    for (size_t k = 0; k < c->nall; k++)
        if (c->all[k] == m) {
            c->all[k] = c->all[--c->nall];
            break;
        }
    free((char *)(uintptr_t)m->line.path);
    free(m);
}

void memory_close(struct check *c)
{
    while (c->nall)
        forget(c, c->all[c->nall - 1]);
    free(c->all);
    free(c->told);
    unmap(c->shadow, c->shadow_limit / 4);
    compact_close(c);
    if (c->map) {
        for (uint64_t k = 0; k < MAP_HALF; k++)
            unmap(c->map[k], MAP_HALF * sizeof **c->map);
        unmap(c->map, MAP_HALF * sizeof *c->map);
    }
}

/* ---- our own ---- */
static char *map_granules(uint64_t all)
{
    char *p = map_zeroed(all + GRANULE);
    if (!p)
        return NULL;
    const uint64_t before = -(uint64_t)(uintptr_t)p % GRANULE;
    if (before)
        munmap(p, before);
    munmap(p + before + all, GRANULE - before);
    return p + before;
}

enum tern_error check_alloc(struct check *c, uint64_t size, uint64_t *out)
{
    if (size > UINT64_C(1) << 46)
        return TERN_OUT_OF_MEMORY;
    const uint64_t body = (size + GRANULE - 1) / GRANULE * GRANULE, all = body + 2 * GRANULE;
    check_lock(c);
    char *p = arena_take(c, all);
    if (!p)
        p = map_granules(all);
    struct check_memory *m =
        p ? new_memory(c, (uint64_t)(uintptr_t)p + GRANULE, size, CHECK_DEVICE) : NULL;
    if (m) {
        m->mapped = all;
        m->call = CHECK_OURS;
        appear(c, m);
        spread(c, m, m);
        *out = m->base;
    } else if (p && !arena_give(c, (uint64_t)(uintptr_t)p, all)) {
        munmap(p, all);
    }
    check_unlock(c);
    return m ? TERN_OK : TERN_OUT_OF_MEMORY;
}

enum tern_error check_adopt(struct check *c, uint64_t base, uint64_t size, uint64_t mapped,
                            void (*release)(struct dev *owner, uint64_t start), struct dev *owner)
{
    check_lock(c);
    struct check_memory *m = new_memory(c, base, size, CHECK_DEVICE);
    if (m) {
        m->mapped = mapped;
        m->call = CHECK_OURS;
        m->owner = owner;
        m->release = release;
        appear(c, m);
        spread(c, m, m);
    }
    check_unlock(c);
    return m ? TERN_OK : TERN_OUT_OF_MEMORY;
}

void check_disown(struct check *c, const struct dev *owner)
{
    check_lock(c);
    for (size_t k = 0; k < c->nall; k++)
        if (c->all[k]->owner == owner)
            c->all[k]->release = NULL;
    check_unlock(c);
}

static void keep_freed(struct check *c, struct check_memory *m)
{
    m->live = false;
    cover(c, m, 0);
    m->next_freed = NULL;
    *c->last_freed = m;
    c->last_freed = &m->next_freed;
    c->freed_bytes += m->size;
    while (c->freed_bytes > KEPT && c->freed && c->freed != m) {
        struct check_memory *old = c->freed;
        c->freed = old->next_freed;
        c->freed_bytes -= old->size;
        forget(c, old);
    }
}

static void bad_free(struct check *c, uint64_t address, const char *call)
{
    char name[64], text[160];
    const struct check_memory *m = memory_at(c, address);
    const bool twice = m && (!m->live || m->freed_in) && m->base == address;
    snprintf(text, sizeof text, "%s of 0x%llx, which %s", call, (unsigned long long)address,
             twice ? "has been freed before"
             : m   ? "is not the start of an allocation"
                   : "no allocation has");
    found_add(c, CHECK_DOUBLE_FREE,
              &(struct report){.message = text,
                               .address = address,
                               .memory = m ? check_memory_report(m, name, sizeof name)
                                           : (struct report_memory){0}});
}

void check_bad_free(struct check *c, uint64_t address, const char *call)
{
    check_lock(c);
    bad_free(c, address, call);
    check_unlock(c);
}

bool check_free(struct check *c, uint64_t address)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    const bool ours = m && m->mapped && m->base == address && m->live;
    if (ours)
        keep_freed(c, m);
    else
        bad_free(c, address, "a free");
    check_unlock(c);
    return ours;
}

/* ---- others' ---- */
void check_tell(struct check *c, uint64_t address, uint64_t size, enum check_memory_kind kind,
                const char *name)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    if (m && m->mapped && m->base == address) { /* ours after all */
        check_unlock(c);
        return;
    }
    if (c->ntold == c->cap_told) {
        const size_t cap = c->cap_told ? 2 * c->cap_told : 32;
        struct check_memory **told = realloc(c->told, cap * sizeof *told);
        if (!told) {
            check_lost(c);
            check_unlock(c);
            return;
        }
        c->told = told;
        c->cap_told = cap;
    }
    size_t k = told_index(c, address);
    if (k && c->told[k - 1]->base == address) { /* the place has been had before */
        struct check_memory *old = c->told[k - 1];
        cover(c, old, 0);
        memmove(&c->told[k - 1], &c->told[k], (c->ntold - k) * sizeof *c->told);
        c->ntold--;
        k--;
        forget(c, old);
    }
    m = new_memory(c, address, size, kind);
    if (m) {
        memmove(&c->told[k + 1], &c->told[k], (c->ntold - k) * sizeof *c->told);
        c->told[k] = m;
        c->ntold++;
        m->name = name;
        appear(c, m);
        m->call = kind == CHECK_HEAP ? "malloc in a kernel" : CHECK_OURS;
    } else {
        check_lost(c);
    }
    check_unlock(c);
}

void check_forget(struct check *c, uint64_t address)
{
    check_lock(c);
    const size_t k = told_index(c, address);
    if (k && c->told[k - 1]->base == address) {
        c->told[k - 1]->live = false;
        cover(c, c->told[k - 1], 0);
    }
    check_unlock(c);
}

static int by_base(const void *a, const void *b)
{
    const struct check_range *x = a, *y = b;
    return x->base < y->base ? -1 : x->base > y->base;
}

struct check_range *check_ranges(struct check *c, size_t *n)
{
    *n = 0;
    check_lock(c);
    struct check_range *all = malloc((c->nall + 1) * sizeof *all);
    for (size_t k = 0; all && k < c->nall; k++)
        if (c->all[k]->live)
            all[(*n)++] = (struct check_range){c->all[k]->base, c->all[k]->base + c->all[k]->size};
    check_unlock(c);
    if (all)
        qsort(all, *n, sizeof *all, by_base);
    return all;
}

void check_describe(struct check *c, uint64_t address, enum check_memory_kind kind,
                    const char *call)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    if (m && m->base == address) {
        m->kind = kind;
        m->call = call;
        if (strcmp(call, CHECK_OURS) != 0) /* else the program has just given it back */
            host_here(&m->made);
        if (kind != CHECK_DEVICE && m->live)
            memory_define(c, m, 0, m->size);
        flight_watch(c, m);
    }
    check_unlock(c);
}

void memory_made_at(struct check *c, uint64_t address, const struct report_place *at)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    if (m && m->base == address && at->path && !m->line.path) {
        m->line = *at;
        m->line.path = strdup(at->path);
        m->line.function = NULL;
        m->line.text = (struct str){0};
    }
    check_unlock(c);
}

struct cell *memory_cells(struct check *c, struct check_memory *m)
{
    if (!m->cells && !(m->cells = map_zeroed(cells_bytes(m))))
        check_lost(c);
    return m->cells;
}

/* ---- what is written ---- */
void memory_define(struct check *c, struct check_memory *m, uint64_t offset, uint64_t n)
{
    if (m->defined)
        return;
    m->defined = !offset && n >= m->size;
    shadow_set(c->shadow, m->base + offset, m->defined ? m->size : n, IR_CHECK_WRITTEN);
}

struct report_memory check_memory_report(const struct check_memory *m, char *name, size_t size)
{
    if (m->name)
        snprintf(name, size, "%s", m->name);
    else
        snprintf(name, size, "%s, number %llu", m->call, (unsigned long long)m->number);
    return (struct report_memory){.name = name,
                                  .space = m->kind >= CHECK_PINNED && m->kind <= CHECK_REGISTERED
                                               ? "host memory"
                                               : "global memory",
                                  .base = m->base,
                                  .size = m->size,
                                  .state = m->live && !m->freed_in ? NULL : "has been freed"};
}
