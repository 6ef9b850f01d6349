/* The order between queues: a vector of clocks for each queue and event, one entry for each queue.
 *
 * Work that is submitted comes after all of its own queue, after what its queue was told to wait
 * for, and after what the host has waited for. */
#include <stdlib.h>
#include <string.h>
#include "check/check_int.h"

enum { QUEUES = 64, BY_HOST, PLACES = 4096, BRANCHES = 24 };

struct clocks {
    uint64_t at[QUEUES];
};
struct named {
    const void *name;
    struct clocks clocks;
};
struct place {
    uint64_t id;
    unsigned queue; /* QUEUES: of none, and in order with all; BY_HOST: of host code */
    bool hears;     /* what host code does meanwhile */
    struct clocks clocks;
};

/* A graph that is run in a queue. Nodes in a row, each after the one before, are of one queue: the
 * first row of the graph's own, each other of one that is there while the graph is run. Of graphs
 * in a graph the nodes are taken as they come. */
struct branching {
    const void *queue; /* NULL: none is run */
    struct clocks start;
    struct branch {
        struct clocks clocks; /* after it */
        unsigned row;         /* its queue */
        bool followed;        /* by another in the row */
    } * nodes, *now;
    size_t n;
    unsigned own, current; /* queues */
    unsigned deep;         /* graphs in it that are run now */
    unsigned nrows;
    char rows[BRANCHES]; /* names of queues */
};

struct order {
    struct branching graph;
    struct named queues[QUEUES];
    unsigned nqueues;
    bool full; /* there were more than that at once: nothing is said of the order any more */
    struct named *events;
    size_t nevents, cap_events;
    struct clocks host; /* what it has waited for */
    struct clocks seen; /* and what else host code may take for done */
    uint64_t touch;     /* the place of what host code does now; 0: none yet */
    bool in_flight;     /* some work is not seen */
    uint64_t next;
    struct place places[PLACES];
};

struct order *order_new(void)
{
    struct order *o = calloc(1, sizeof *o);
    if (o)
        o->next = 1;
    return o;
}

void order_free(struct order *o)
{
    if (o) {
        free(o->events);
        free(o->graph.nodes);
    }
    free(o);
}

static void join(struct clocks *to, const struct clocks *from)
{
    for (unsigned k = 0; k < QUEUES; k++)
        if (from->at[k] > to->at[k])
            to->at[k] = from->at[k];
}

/* QUEUES: there are too many. */
static unsigned queue_of(struct order *o, const void *name)
{
    if (name && name == o->graph.queue)
        return o->graph.current;
    for (unsigned k = 0; k < o->nqueues; k++)
        if (o->queues[k].name == name)
            return k;
    for (unsigned k = 0; k < o->nqueues && name; k++)
        if (!o->queues[k].name) { /* of one that is gone, whose clock goes on */
            o->queues[k].name = name;
            return k;
        }
    if (!name || o->nqueues == QUEUES) {
        o->full |= name != NULL;
        return QUEUES;
    }
    o->queues[o->nqueues].name = name;
    return o->nqueues++;
}

static struct clocks *event_of(struct check *c, const void *name)
{
    struct order *o = c->order;
    for (size_t k = 0; k < o->nevents; k++)
        if (o->events[k].name == name)
            return &o->events[k].clocks;
    if (o->nevents == o->cap_events) {
        const size_t cap = o->cap_events ? 2 * o->cap_events : 16;
        struct named *more = realloc(o->events, cap * sizeof *more);
        if (!more) {
            check_lost(c);
            return NULL;
        }
        o->events = more;
        o->cap_events = cap;
    }
    o->events[o->nevents] = (struct named){.name = name};
    return &o->events[o->nevents++].clocks;
}

bool order_several(const struct order *o)
{
    return o->nqueues > 1;
}

static struct place *new_place(struct order *o)
{
    const uint64_t id = o->next++;
    struct place *p = &o->places[id % PLACES];
    p->id = id;
    p->hears = false;
    o->touch = 0;
    return p;
}

uint64_t order_submit(struct order *o, const void *queue)
{
    struct place *p = new_place(o);
    p->queue = queue_of(o, queue);
    if (p->queue < QUEUES) {
        o->in_flight = true;
        struct clocks *mine = &o->queues[p->queue].clocks;
        join(mine, &o->host);
        mine->at[p->queue]++;
        p->clocks = *mine;
    } else {
        memset(&p->clocks, 255, sizeof p->clocks);
    }
    return p->id;
}

bool order_in_flight(const struct order *o)
{
    return o->in_flight;
}

bool order_seen(const struct order *o, uint64_t id)
{
    const struct place *p = &o->places[id % PLACES];
    return o->full || p->id != id || p->queue >= QUEUES ||
           o->seen.at[p->queue] >= p->clocks.at[p->queue];
}

static void see(struct order *o, const struct clocks *done)
{
    join(&o->seen, done);
    o->touch = 0;
    o->in_flight = false;
    for (unsigned k = 0; k < o->nqueues; k++)
        o->in_flight |= o->queues[k].clocks.at[k] > o->seen.at[k];
}

void order_see(struct order *o, uint64_t id)
{
    const struct place *p = &o->places[id % PLACES];
    if (p->id == id && p->queue < QUEUES)
        see(o, &p->clocks);
}

void order_hear(struct order *o, uint64_t id)
{
    struct place *p = &o->places[id % PLACES];
    p->hears |= p->id == id;
}

bool order_heard(const struct order *o, uint64_t id)
{
    const struct place *p = &o->places[id % PLACES];
    return p->id == id && p->hears;
}

uint64_t order_touch(struct order *o)
{
    if (!o->touch) {
        struct place *p = new_place(o);
        p->queue = BY_HOST;
        p->clocks = o->seen;
        o->touch = p->id;
    }
    return o->touch;
}

static bool is_before(const struct order *o, uint64_t before, uint64_t after)
{
    const struct place *a = &o->places[before % PLACES], *b = &o->places[after % PLACES];
    if (o->full || a->id != before || b->id != after || a->queue == QUEUES)
        return true;         /* long ago */
    if (a->queue == BY_HOST) /* what is submitted comes after all that host code has done */
        return before < after;
    return b->clocks.at[a->queue] >= a->clocks.at[a->queue];
}

bool order_after(const struct order *o, uint64_t x, uint64_t y)
{
    return !o->full && o->places[y % PLACES].id == y && is_before(o, x, y);
}

/* Copies tell when they are submitted, kernels when they run: either may come first. */
bool order_is(const struct order *o, uint64_t x, uint64_t y)
{
    return is_before(o, x, y) || is_before(o, y, x);
}

uint64_t check_submit(struct check *c, const void *queue)
{
    check_lock(c);
    const uint64_t id = order_submit(c->order, queue);
    check_unlock(c);
    return id;
}

void check_record(struct check *c, const void *event, const void *queue)
{
    check_lock(c);
    struct clocks *e = event_of(c, event);
    const unsigned q = queue_of(c->order, queue);
    if (e && q < QUEUES) {
        *e = c->order->queues[q].clocks;
        join(e, &c->order->host);
    }
    check_unlock(c);
}

void check_after(struct check *c, const void *queue, const void *event)
{
    check_lock(c);
    const struct clocks *e = event_of(c, event);
    const unsigned q = queue_of(c->order, queue);
    if (e && q < QUEUES)
        join(&c->order->queues[q].clocks, e);
    check_unlock(c);
}

void check_waited(struct check *c, const void *queue, const void *event)
{
    check_lock(c);
    const unsigned q = queue ? queue_of(c->order, queue) : QUEUES;
    if (q < QUEUES)
        join(&c->order->host, &c->order->queues[q].clocks);
    const struct clocks *e = event ? event_of(c, event) : NULL;
    if (e)
        join(&c->order->host, e);
    see(c->order, &c->order->host);
    flight_prune(c);
    check_unlock(c);
}

/* Host code that runs as a part of the queue, and whom it tells, may use what was before it. */
void check_called(struct check *c, const void *queue)
{
    check_lock(c);
    const unsigned q = queue_of(c->order, queue);
    if (q < QUEUES)
        see(c->order, &c->order->queues[q].clocks);
    flight_prune(c);
    check_unlock(c);
}

/* ---- graphs ---- */
void check_graph_begin(struct check *c, const void *queue, size_t nodes)
{
    check_lock(c);
    struct branching *g = &c->order->graph;
    const unsigned q = queue_of(c->order, queue);
    if (g->queue == queue) {
        g->deep++;
    } else if (!g->queue && q < QUEUES) {
        struct branch *list = calloc(nodes + 1, sizeof *list);
        if (list)
            *g = (struct branching){.queue = queue,
                                    .start = c->order->queues[q].clocks,
                                    .nodes = list,
                                    .n = nodes,
                                    .own = q,
                                    .current = q};
        else
            check_lost(c);
    }
    check_unlock(c);
}

/* A queue for a row that begins; the graph's own for the first, and where there are too many. */
static unsigned new_row(struct order *o)
{
    struct branching *g = &o->graph;
    const unsigned k = g->nrows++;
    if (!k || k >= BRANCHES || o->nqueues >= QUEUES - BRANCHES)
        return g->own;
    return queue_of(o, &g->rows[k]);
}

/* What nodes in the graph's own queue come after, where there were too many rows. */
static void after_all(struct branching *g, struct clocks *to)
{
    for (size_t k = 0; k < g->n; k++)
        join(to, &g->nodes[k].clocks);
}

static void end_node(struct order *o)
{
    struct branching *g = &o->graph;
    if (g->now)
        g->now->clocks = o->queues[g->current].clocks;
    g->now = NULL;
    g->current = g->own;
}

void check_graph_node(struct check *c, const void *queue, const struct check_node *n)
{
    check_lock(c);
    struct order *o = c->order;
    struct branching *g = &o->graph;
    if (g->queue != queue || g->deep || n->number >= g->n) {
        check_unlock(c);
        return;
    }
    end_node(o);
    struct clocks from = g->start;
    unsigned row = QUEUES;
    for (size_t k = 0; k < n->nafter; k++) {
        struct branch *earlier = &g->nodes[n->after(n->ctx, k)];
        join(&from, &earlier->clocks);
        if (row == QUEUES && !earlier->followed) {
            row = earlier->row;
            earlier->followed = true;
        }
    }
    if (row == QUEUES)
        row = new_row(o);
    if (row == g->own && g->nrows > BRANCHES)
        after_all(g, &from);
    from.at[row] = o->queues[row].clocks.at[row]; /* its own goes on */
    o->queues[row].clocks = from;
    g->now = &g->nodes[n->number];
    *g->now = (struct branch){.clocks = from, .row = row};
    g->current = row;
    check_unlock(c);
}

void check_graph_end(struct check *c, const void *queue)
{
    check_lock(c);
    struct order *o = c->order;
    struct branching *g = &o->graph;
    if (g->queue == queue && g->deep) {
        g->deep--;
    } else if (g->queue == queue) {
        end_node(o);
        after_all(g, &o->queues[g->own].clocks);
        for (unsigned k = 0; k < o->nqueues; k++)
            for (unsigned row = 1; row < BRANCHES; row++)
                if (o->queues[k].name == &g->rows[row])
                    o->queues[k].name = NULL;
        free(g->nodes);
        *g = (struct branching){0};
    }
    check_unlock(c);
}

void check_drop(struct check *c, const void *name)
{
    check_lock(c);
    for (size_t k = 0; k < c->order->nevents; k++)
        if (c->order->events[k].name == name)
            c->order->events[k] = c->order->events[--c->order->nevents];
    for (unsigned k = 0; k < c->order->nqueues; k++)
        if (c->order->queues[k].name == name)
            c->order->queues[k].name = NULL;
    check_unlock(c);
}

/* ---- copies ---- */
/* A copy or fill of these bytes, and the memory that they are in or nearest to, if there is any. */
static void found_copy(struct check *c, enum check_kind kind, const char *text, uint64_t address,
                       uint64_t bytes, const struct check_memory *m)
{
    char name[96];
    struct report r = {.message = text, .address = address, .bytes = bytes};
    if (m)
        r.memory = check_memory_report(m, name, sizeof name);
    found_add(c, kind, &r);
}

void check_past_end(struct check *c, uint64_t address, uint64_t bytes)
{
    char text[128];
    check_lock(c);
    const struct check_memory *m = memory_at(c, address);
    snprintf(text, sizeof text, "a copy or fill of %llu bytes at 0x%llx goes past the end",
             (unsigned long long)bytes, (unsigned long long)address);
    found_copy(c, CHECK_COPY_BOUNDS, text, address, bytes, m);
    check_unlock(c);
}

void check_misplaced(struct check *c, uint64_t address, uint64_t bytes, bool as_device)
{
    char text[160];
    check_lock(c);
    const struct check_memory *m = memory_at(c, address);
    const bool freed = m && (!m->live || m->freed_in) && address - m->base < m->size;
    if (freed)
        snprintf(text, sizeof text, "a copy or fill of %llu bytes at 0x%llx, which has been freed",
                 (unsigned long long)bytes, (unsigned long long)address);
    else
        snprintf(text, sizeof text,
                 "a copy or fill is told that 0x%llx is memory of the %s, which it is not",
                 (unsigned long long)address, as_device ? "device" : "host");
    found_copy(c, freed ? CHECK_USE_AFTER_FREE : CHECK_HOST_POINTER, text, address, bytes, m);
    check_unlock(c);
}

/* Kernels and copies that need not be done when the memory goes; the first of them is told. */
static void free_races(struct check *c, struct check_memory *m, uint64_t place)
{
    for (uint64_t w = 0; w * 4 < m->size; w++) {
        struct cell cell;
        compact_peek(c, m->base + 4 * w, m->cells ? &m->cells[w] : NULL, &cell);
        const uint64_t before = cell.launch >> PLACE_SHIFT;
        if (!before || !cell_clashes(&cell, true, 15) || order_is(c->order, before, place))
            continue;
        char name[96];
        found_add(c, CHECK_STREAM_RACE,
                  &(struct report){.message =
                                       "memory is freed in a stream while a kernel or copy on "
                                       "another may still use it",
                                   .address = m->base + 4 * w,
                                   .memory = check_memory_report(m, name, sizeof name)});
        return;
    }
}

void check_free_in(struct check *c, const void *queue, uint64_t address)
{
    check_lock(c);
    struct check_memory *m = memory_at(c, address);
    if (m && m->base == address && m->live && !m->freed_in) {
        const uint64_t place = order_submit(c->order, queue);
        if (c->races && c->on[CHECK_STREAM_RACE] && order_several(c->order))
            free_races(c, m, place);
        m->freed_in = place;
        memory_hide(c, m);
    }
    check_unlock(c);
}

struct check_copy {
    const void *queue;
    uint64_t to, from, bytes; /* 0: host memory, or none */
    const char *call;
    uint64_t place;
};

static bool copy_side(struct check *c, const struct check_copy *x, uint64_t at, bool write)
{
    struct check_memory *m = at ? memory_at(c, at) : NULL;
    char name[96], text[160];
    if (!m)
        return true;
    const uint64_t offset = at - m->base;
    const bool live = m->live && !(m->freed_in && order_after(c->order, m->freed_in, x->place));
    if (live && offset <= m->size && x->bytes <= m->size - offset) {
        if (write && !m->freed_in)
            memory_define(c, m, offset, x->bytes);
        return true;
    }
    if (!m->mapped && (!live || offset >= m->size))
        return true; /* behind memory that was told of, or where it was: something else's */
    snprintf(text, sizeof text, "%s of %llu bytes %s 0x%llx, %s", x->call,
             (unsigned long long)x->bytes, write ? "to" : "from", (unsigned long long)at,
             live ? "past the end of the allocation" : "which has been freed");
    found_add(c, live ? CHECK_COPY_BOUNDS : CHECK_USE_AFTER_FREE,
              &(struct report){.message = text,
                               .access = write ? REPORT_WRITE : REPORT_READ,
                               .address = at,
                               .bytes = x->bytes,
                               .memory = check_memory_report(m, name, sizeof name)});
    return m->mapped && at + x->bytes <= m->base - GRANULE + m->mapped;
}

/* Kernels that touched the memory and need not be done yet; and for those to come. */
static void copy_races(struct check *c, const struct check_copy *x, uint64_t at, uint64_t place,
                       bool write)
{
    struct check_memory *m = at ? memory_at(c, at) : NULL;
    if (!m || !m->live || m->kind >= CHECK_PINNED || !memory_cells(c, m))
        return;
    const uint64_t from = at - m->base, end = from + x->bytes;
    bool told = false;
    for (uint64_t w = from / 4; w * 4 < end && w * 4 < m->size; w++) {
        struct cell *cell = &m->cells[w];
        const uint8_t bytes = word_bytes(w, from, end);
        compact_elsewhere(c, m->base + 4 * w, cell);
        const uint64_t before = cell->launch >> PLACE_SHIFT;
        const bool clash = cell_clashes(cell, write, bytes);
        if (clash && before && !told && !order_is(c->order, before, place)) {
            char name[96], text[160];
            told = true;
            snprintf(text, sizeof text,
                     "%s %s 0x%llx while a kernel or copy on another stream may still %s it",
                     x->call, write ? "to" : "from", (unsigned long long)(m->base + w * 4),
                     cell->write.who ? "write" : "read");
            found_add(c, CHECK_STREAM_RACE,
                      &(struct report){.message = text,
                                       .address = m->base + w * 4,
                                       .memory = check_memory_report(m, name, sizeof name)});
        }
        memset(cell, 0, sizeof *cell);
        cell->launch = place << PLACE_SHIFT;
        *(write ? &cell->write : &cell->reads[0]) = (struct stamp){
            .who = WHO_COPY, .bytes = bytes, .access = write ? REPORT_WRITE : REPORT_READ};
    }
}

bool check_copies(struct check *c, const void *queue, uint64_t to, uint64_t from, uint64_t bytes,
                  const char *call)
{
    if (!c || !bytes)
        return true;
    check_lock(c);
    const uint64_t place = order_submit(c->order, queue);
    const struct check_copy *x = &(struct check_copy){queue, to, from, bytes, call, place};
    bool fine = copy_side(c, x, x->from, false);
    fine &= copy_side(c, x, x->to, true);
    if (fine && c->on[CHECK_STREAM_RACE] && x->queue) {
        flight_add(c, x->from, bytes, place, false);
        flight_add(c, x->to, bytes, place, true);
    }
    if (fine && c->races && c->on[CHECK_STREAM_RACE] && order_several(c->order)) {
        copy_races(c, x, x->from, place, false);
        copy_races(c, x, x->to, place, true);
    }
    check_unlock(c);
    return fine;
}
