/* Host code that uses memory which a kernel or a copy in flight uses: pinned, registered, managed.
 *
 * Host halves that were built for it tell of their accesses (cuda/watch.c). Copies in flight are
 * kept as a list, from when they are submitted until the host has waited for them. What kernels
 * touched is in the cells of the words, and what host code touches while something is in flight
 * goes there too, so that a kernel which runs only later finds it.
 *
 * Whether host code reads by an atomic or by a volatile is not known. So it is in order with what
 * kernels do by strong accesses, and a read of what one of them wrote, or of a flag that a copy of
 * a few bytes brings, counts as waiting for it: races may be missed, and none is made up. */
#include <stdlib.h>
#include <string.h>
#include "check/check_int.h"

enum { FLAG_BYTES = 8 };

static bool is_hosts(const struct check_memory *m)
{
    return m && m->live && m->kind >= CHECK_MANAGED && m->kind <= CHECK_REGISTERED;
}

void flight_watch(struct check *c, const struct check_memory *m)
{
    if (!is_hosts(m))
        return;
    if (!c->host_high || m->base < c->host_low)
        __atomic_store_n(&c->host_low, m->base, __ATOMIC_RELAXED);
    if (m->base + m->size > c->host_high)
        __atomic_store_n(&c->host_high, m->base + m->size, __ATOMIC_RELAXED);
}

/* ---- copies ---- */
void flight_prune(struct check *c)
{
    size_t n = 0;
    for (size_t k = 0; k < c->nflights; k++)
        if (!order_seen(c->order, c->flights[k].place))
            c->flights[n++] = c->flights[k];
    c->nflights = n;
}

void flight_add(struct check *c, uint64_t at, uint64_t bytes, uint64_t place, bool write)
{
    if (!at || !is_hosts(memory_at(c, at)))
        return;
    if (c->nflights == c->cap_flights) {
        const size_t cap = c->cap_flights ? 2 * c->cap_flights : 32;
        struct flight *more = realloc(c->flights, cap * sizeof *more);
        if (!more) {
            check_lost(c);
            return;
        }
        c->flights = more;
        c->cap_flights = cap;
    }
    c->flights[c->nflights++] = (struct flight){at, at + bytes, place, write};
}

/* ---- what host code does ---- */
struct touch {
    uint64_t address, bytes, code;
    bool write;
};

static void found_host(struct check *c, const struct touch *t, const struct check_memory *m,
                       const char *who, bool writes)
{
    char name[96], text[192];
    snprintf(text, sizeof text,
             "the host program %s %llu bytes that %s may still %s: nothing has waited for it",
             t->write ? "writes" : "reads", (unsigned long long)t->bytes, who,
             writes ? "write" : "read");
    found_add(c, CHECK_STREAM_RACE,
              &(struct report){.message = text,
                               .access = t->write ? REPORT_WRITE : REPORT_READ,
                               .address = t->address,
                               .bytes = t->bytes,
                               .memory = check_memory_report(m, name, sizeof name)});
}

static void against_copies(struct check *c, const struct touch *t, const struct check_memory *m)
{
    for (size_t k = c->nflights; k--;) {
        const struct flight *f = &c->flights[k];
        if (f->base >= t->address + t->bytes || f->end <= t->address || !(f->write || t->write) ||
            order_seen(c->order, f->place))
            continue;
        if (f->end - f->base <= FLAG_BYTES && !t->write)
            order_see(c->order, f->place);
        else
            found_host(c, t, m, "a copy", f->write);
        return;
    }
}

/* One of the two writes by a strong access, as it seems, what the other reads. */
static void hand_on(struct check *c, const struct touch *t, const struct cell *cell, uint64_t place)
{
    const struct stamp *r = cell->reads;
    if (!t->write && cell->write.who && cell->write.strong)
        order_see(c->order, place);
    if (t->write && ((r[0].who && r[0].strong) || (r[1].who && r[1].strong) ||
                     (cell->write.who && cell->write.strong)))
        order_hear(c->order, place);
}

static bool all_strong(const struct cell *cell)
{
    for (unsigned k = 0; k < 3; k++)
        if (cell->earlier[k].who && !cell->earlier[k].strong)
            return false;
    return (!cell->write.who || cell->write.strong) &&
           (!cell->reads[0].who || cell->reads[0].strong) &&
           (!cell->reads[1].who || cell->reads[1].strong);
}

static bool against_cell(struct check *c, const struct touch *t, const struct check_memory *m,
                         struct cell *cell, uint8_t bytes)
{
    const uint64_t before = cell->launch >> PLACE_SHIFT;
    const bool copies = cell->write.who >= WHO_HOST || cell->reads[0].who >= WHO_HOST;
    if (!before || copies || !cell_clashes(cell, t->write, bytes) || order_seen(c->order, before))
        return false;
    hand_on(c, t, cell, before);
    if (all_strong(cell))
        return false;
    found_host(c, t, m, "a kernel", cell->write.who && cell->write.bytes & bytes);
    return true;
}

static void stamp(struct cell *cell, const struct touch *t, uint64_t place, uint8_t bytes)
{
    memset(cell, 0, sizeof *cell);
    cell->launch = place << PLACE_SHIFT;
    *(t->write ? &cell->write : &cell->reads[0]) =
        (struct stamp){.who = WHO_HOST,
                       .clock = (uint32_t)(t->code >> 32),
                       .site = (source_loc)t->code,
                       .bytes = bytes,
                       .access = t->write ? REPORT_WRITE : REPORT_READ};
}

bool flight_by_host(const struct cell *cell, char *out, size_t size)
{
    const struct stamp *s = cell->write.who == WHO_HOST ? &cell->write : &cell->reads[0];
    if (s->who != WHO_HOST)
        return false;
    host_text(&(struct host_frames){{(uint64_t)s->clock << 32 | s->site}}, out, size);
    return true;
}

static void against_kernels(struct check *c, const struct touch *t, struct check_memory *m)
{
    if (!c->races || !memory_cells(c, m))
        return;
    const uint64_t base = m->base & ~UINT64_C(3), from = t->address - base, end = from + t->bytes;
    bool told = false;
    for (uint64_t w = from / 4; w * 4 < end; w++) {
        struct cell *cell = &m->cells[w];
        const uint8_t bytes = word_bytes(w, from, end);
        compact_elsewhere(c, base + 4 * w, cell);
        told = told || against_cell(c, t, m, cell, bytes);
        if (!told && order_in_flight(c->order))
            stamp(cell, t, order_touch(c->order), bytes);
    }
}

bool check_watches(const struct check *c, uint64_t address, uint64_t bytes)
{
    return c->on[CHECK_STREAM_RACE] && address < __atomic_load_n(&c->host_high, __ATOMIC_RELAXED) &&
           address + bytes > __atomic_load_n(&c->host_low, __ATOMIC_RELAXED) &&
           order_in_flight(c->order);
}

void check_touched(struct check *c, uint64_t address, uint64_t bytes, bool write, uint64_t code)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    if (is_hosts(m) && order_in_flight(c->order) && address - m->base < m->size) {
        const uint64_t room = m->size - (address - m->base);
        const struct touch t = {address, bytes < room ? bytes : room, code, write};
        against_copies(c, &t, m);
        against_kernels(c, &t, m);
    }
    check_unlock(c);
}
