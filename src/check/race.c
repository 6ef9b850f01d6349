/* Races: for each word the last write and up to two reads, each with the thread and its clock.
 *
 * Two accesses of different threads, one of them a write, race unless the first is known to the
 * second's thread: by a barrier of the block (its count is in the clock), by one of the warp
 * (lane_clocks), by one of the grid (words start anew after it), or by facts that went from thread
 * to thread: what a thread gives by a fence (or a release) and a strong write, another gets by
 * reading there and a fence (or an acquire). Scopes are PTX's: what was given in the scope of a
 * block counts for threads of that block alone. Strong accesses do not race with each other if both
 * are of a scope that holds both threads.
 *
 * Facts are kept for good once given: an atomic location that was written to again still hands on
 * what it held. So a race may be missed, and none is made up. */
#include <stdlib.h>
#include <string.h>
#include "check/check_int.h"

enum { RELEASE_MOST = (1 << RELEASE_BITS) - 1 };
#define OF_BLOCK (UINT64_C(1) << 63)

static uint32_t epoch_of(const struct block_state *b, uint32_t thread)
{
    return b->clocks[thread] >> RELEASE_BITS;
}

static void next_epoch(struct block_state *b, uint32_t thread)
{
    b->clocks[thread] = (epoch_of(b, thread) + 1) << RELEASE_BITS;
}

static uint32_t who_of(const struct check_launch *l, const struct block_state *b, uint32_t thread)
{
    return (uint32_t)(b->number * l->nthreads + thread) + 1;
}

/* ---- facts ---- */
static struct facts *new_facts(struct check_launch *l)
{
    if (l->nfacts == l->cap_facts) {
        const size_t cap = l->cap_facts ? 2 * l->cap_facts : 64;
        struct facts **more = realloc(l->all_facts, cap * sizeof *more);
        if (!more) {
            check_lost(l->check);
            return NULL;
        }
        l->all_facts = more;
        l->cap_facts = cap;
    }
    struct facts *f = calloc(1, sizeof *f);
    if (f)
        l->all_facts[l->nfacts++] = f;
    else
        check_lost(l->check);
    return f;
}

static uint32_t fact_index(const struct facts *f, uint64_t key)
{
    uint32_t low = 0, high = f->n;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (f->at[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t fact(const struct facts *f, uint64_t key)
{
    if (!f)
        return 0;
    const uint32_t k = fact_index(f, key);
    return k < f->n && f->at[k].key == key ? f->at[k].clock : 0;
}

static void add_fact(struct check_launch *l, struct facts **to, uint64_t key, uint32_t clock)
{
    if (!*to && !(*to = new_facts(l)))
        return;
    struct facts *f = *to;
    const uint32_t k = fact_index(f, key);
    if (k < f->n && f->at[k].key == key) {
        if (clock > f->at[k].clock)
            f->at[k].clock = clock;
        return;
    }
    if (f->n == f->cap) {
        const uint32_t cap = f->cap ? 2 * f->cap : 8;
        struct fact *at = realloc(f->at, cap * sizeof *at);
        if (!at) {
            check_lost(l->check);
            return;
        }
        f->at = at;
        f->cap = cap;
    }
    memmove(&f->at[k + 1], &f->at[k], (f->n - k) * sizeof *f->at);
    f->at[k] = (struct fact){key, clock};
    f->n++;
}

static void join(struct check_launch *l, struct facts **to, const struct facts *from)
{
    for (uint32_t k = 0; from && from != *to && k < from->n; k++)
        add_fact(l, to, from->at[k].key, from->at[k].clock);
}

/* Those of one block's threads alone. */
static void join_block(struct check_launch *l, struct facts **to, const struct facts *from,
                       uint64_t block)
{
    for (uint32_t k = 0; from && k < from->n; k++) {
        const uint64_t key = from->at[k].key;
        if ((key & OF_BLOCK ? key - OF_BLOCK : (key - 1) / l->nthreads) == block)
            add_fact(l, to, key, from->at[k].clock);
    }
}

void launch_unquiet(struct check_launch *l)
{
    l->table.quiet = 0;
    l->table.barrier = 0;
    compact_quits(l);
}

/* All that the thread has done and knows. */
static void snapshot(struct check_launch *l, struct block_state *b, uint32_t thread,
                     struct facts **to)
{
    const struct thread_state *t = &b->threads[thread];
    launch_unquiet(l);
    join(l, to, t->knows);
    add_fact(l, to, OF_BLOCK | b->number, epoch_of(b, thread));
    add_fact(l, to, who_of(l, b, thread), b->clocks[thread]);
    if (!b->lanes)
        return;
    for (uint32_t k = 0; k < 32; k++)
        if (b->lanes[thread].at[k] >> RELEASE_BITS == epoch_of(b, thread))
            add_fact(l, to, who_of(l, b, thread / 32 * 32 + k), b->lanes[thread].at[k]);
}

static void advance(struct block_state *b, uint32_t thread)
{
    b->clocks[thread] += (b->clocks[thread] & RELEASE_MOST) < RELEASE_MOST;
}

/* ---- is it in order? ---- */
static bool is_before(const struct access *a, const struct stamp *s)
{
    const struct check_launch *l = a->l;
    const struct block_state *b = a->b;
    const struct thread_state *t = &b->threads[a->thread];
    const uint64_t block = (s->who - 1) / l->nthreads;
    const uint32_t thread = (s->who - 1) % l->nthreads, epoch = s->clock >> RELEASE_BITS;
    if (block == b->number) {
        if (thread == a->thread || epoch < epoch_of(b, a->thread))
            return true;
        if (b->lanes && thread / 32 == a->thread / 32 &&
            b->lanes[a->thread].at[thread % 32] >= s->clock)
            return true;
    }
    if (!t->knows)
        return false;
    return fact(t->knows, s->who) >= s->clock || fact(t->knows, OF_BLOCK | block) > epoch;
}

static bool both_strong(const struct access *a, const struct stamp *s)
{
    if (!a->strong || !s->strong)
        return false;
    const unsigned mine = a->e->what >> IR_CHECK_SCOPE_SHIFT & 3;
    const bool same_block = (s->who - 1) / a->l->nthreads == a->b->number;
    return same_block || (mine > IR_SCOPE_BLOCK && s->scope > IR_SCOPE_BLOCK);
}

static void report_race(const struct access *a, const struct stamp *s)
{
    static const char *const names[] = {"an access", "a read", "a write", "an atomic"};
    const struct check_launch *l = a->l;
    const uint32_t *grid = l->kernel.grid, *dims = l->kernel.block;
    const uint64_t block = (s->who - 1) / l->nthreads;
    const uint32_t thread = (s->who - 1) % l->nthreads;
    const bool shared = a->space == IR_SPACE_SHARED;
    char text[256], name[96], where[48] = "";
    if (block != a->b->number)
        snprintf(where, sizeof where, " of block (%u, %u, %u)", (unsigned)(block % grid[0]),
                 (unsigned)(block / grid[0] % grid[1]), (unsigned)(block / grid[0] / grid[1]));
    snprintf(text, sizeof text,
             "%s of %llu bytes of %s memory races with %s by thread (%u, %u, %u)%s: %s",
             a->atomic  ? "an atomic"
             : a->write ? "a write"
                        : "a read",
             (unsigned long long)a->bytes, shared ? "shared" : "global",
             s->pending ? "an asynchronous copy" : names[s->access & 3], thread % dims[0],
             thread / dims[0] % dims[1], thread / dims[0] / dims[1], where,
             s->pending ? "the thread has not waited for it" : "nothing orders them");
    struct report r = event_report(l, a->e, a->thread);
    r.message = text;
    r.access = a->write ? REPORT_WRITE : REPORT_READ;
    r.address = a->address;
    r.bytes = a->bytes;
    r.other = report_place_of(l->kernel.sources, s->site);
    if (a->memory)
        r.memory = check_memory_report(a->memory, name, sizeof name);
    found_add_at(l->check, shared ? CHECK_RACE_SHARED : CHECK_RACE_GLOBAL, &r, l, a->e->site,
                 s->site);
}

static void against(const struct access *a, const struct stamp *s, uint8_t bytes)
{
    if (s->who && s->bytes & bytes && (s->pending || (!both_strong(a, s) && !is_before(a, s))))
        report_race(a, s);
}

/* ---- a word ---- */
uint8_t word_bytes(uint64_t word, uint64_t from, uint64_t end)
{
    const uint64_t low = word * 4 < from ? from - word * 4 : 0,
                   high = end - word * 4 < 4 ? end - word * 4 : 4;
    return (uint8_t)((1u << high) - (1u << low));
}

bool cell_clashes(const struct cell *cell, bool write, uint8_t bytes)
{
    const struct stamp *w = &cell->write, *r = cell->reads;
    bool wrote = w->who && w->bytes & bytes;
    for (unsigned k = 0; k < 3; k++)
        wrote |= cell->earlier[k].who && cell->earlier[k].bytes & bytes;
    return wrote ||
           (write && ((r[0].who && r[0].bytes & bytes) || (r[1].who && r[1].bytes & bytes)));
}

/* Host code touched it last: whether by an atomic, is not known, nor what that would order. So a
 * kernel's strong access is in order with it; and what one of the two wrote and the other read
 * there hands on what was before, whichever was told first: it is told before it is done. */
static bool host_may(const struct access *a, const struct cell *cell)
{
    struct order *o = a->l->check->order;
    const bool wrote = cell->write.who == WHO_HOST, read = cell->reads[0].who == WHO_HOST;
    if (!wrote && !read)
        return false;
    if (a->strong && wrote && (!a->write || a->atomic))
        order_hear(o, a->l->place);
    if (a->strong && read && a->write)
        order_see(o, a->l->place);
    return a->strong || order_heard(o, a->l->place);
}

void race_streams(const struct access *a, const struct cell *cell, uint64_t before, uint8_t bytes)
{
    struct check_launch *l = a->l;
    if (!l->place || !before || before == l->place || host_may(a, cell) ||
        !cell_clashes(cell, a->write, bytes) || order_is(l->check->order, before, l->place))
        return;
    char name[96], host[HOST_TEXT];
    struct report r = event_report(l, a->e, a->thread);
    r.message = "memory that a kernel or copy on another stream may use at the same time: nothing "
                "orders the two";
    if (flight_by_host(cell, host, sizeof host)) {
        r.message = "memory that the host program uses without waiting for the kernel";
        r.host = host;
    }
    r.access = a->write ? REPORT_WRITE : REPORT_READ;
    r.address = a->address;
    r.bytes = a->bytes;
    if (a->memory)
        r.memory = check_memory_report(a->memory, name, sizeof name);
    found_add_at(l->check, CHECK_STREAM_RACE, &r, l, a->e->site, 0);
}

static struct stamp stamp_of(const struct access *a, uint8_t bytes)
{
    return (struct stamp){.who = who_of(a->l, a->b, a->thread),
                          .clock = a->b->clocks[a->thread],
                          .site = a->e->site,
                          .bytes = bytes,
                          .strong = a->strong,
                          .scope = a->e->what >> IR_CHECK_SCOPE_SHIFT & 3,
                          .pending = a->write && a->e->what & IR_CHECK_ASYNC,
                          .access = a->atomic  ? REPORT_ANY_ACCESS
                                    : a->write ? REPORT_WRITE
                                               : REPORT_READ};
}

static void keep_read(const struct access *a, struct cell *cell, uint8_t bytes)
{
    const struct stamp s = stamp_of(a, bytes);
    const uint32_t n = a->l->nthreads;
    for (unsigned k = 0; k < 2; k++) {
        struct stamp *r = &cell->reads[k];
        if (!r->who || r->who == s.who || is_before(a, r)) {
            const bool again = r->who == s.who && r->clock == s.clock;
            const uint8_t all = again ? r->bytes | bytes : bytes;
            const bool weak = again && !r->strong;
            *r = s;
            r->bytes = all;
            r->strong &= !weak;
            return;
        }
    }
    /* Readers far from each other say most: whoever writes is far from one of them. */
    const uint32_t x = cell->reads[0].who - 1, y = cell->reads[1].who - 1, z = s.who - 1;
    if ((x / n == y / n && z / n != x / n) ||
        (x / n == z / n && x % n / 32 == y % n / 32 && x % n / 32 != z % n / 32))
        cell->reads[1] = s;
}

/* Both read: that host code, or work of another queue, did is kept, for who writes. */
static bool reads_beside(const struct access *a, const struct cell *cell)
{
    return !a->write && cell->reads[0].who && !cell->write.who && a->l->place &&
           cell->launch >> PLACE_SHIFT &&
           !order_is(a->l->check->order, cell->launch >> PLACE_SHIFT, a->l->place);
}

/* What others did to those bytes is over. */
static void cover(struct stamp *s, uint8_t bytes)
{
    s->bytes &= (uint8_t)~bytes;
    if (!s->bytes)
        *s = (struct stamp){0};
}

/* Stamps of writes share no byte: there are four at most. */
static void keep_write(const struct access *a, struct cell *cell, uint8_t bytes)
{
    struct stamp s = stamp_of(a, bytes);
    if (cell->write.who == s.who && cell->write.clock == s.clock) {
        s.bytes |= cell->write.bytes;
        s.strong &= cell->write.strong;
    }
    struct stamp last = cell->write;
    cell->write = s;
    cover(&last, s.bytes);
    cover(&cell->reads[0], s.bytes);
    cover(&cell->reads[1], s.bytes);
    for (unsigned k = 0; k < 3; k++) {
        cover(&cell->earlier[k], s.bytes);
        if (last.who && !cell->earlier[k].who) {
            cell->earlier[k] = last;
            last.who = 0;
        }
    }
}

void race_word(const struct access *a, struct cell *cell, uint8_t bytes)
{
    const bool shared = a->space == IR_SPACE_SHARED;
    const uint64_t tag =
        shared ? a->b->serial : a->l->serial << PLACE_SHIFT | a->b->threads[a->thread].round;
    if (cell->launch != tag) {
        if (!shared && reads_beside(a, cell))
            return;
        if (!shared && cell->launch >> PLACE_SHIFT != tag >> PLACE_SHIFT)
            race_streams(a, cell, cell->launch >> PLACE_SHIFT, bytes);
        memset(cell, 0, sizeof *cell);
        cell->launch = tag;
    }
    against(a, &cell->write, bytes);
    for (unsigned k = 0; k < 3; k++)
        against(a, &cell->earlier[k], bytes);
    if (!a->write) {
        keep_read(a, cell, bytes);
        return;
    }
    against(a, &cell->reads[0], bytes);
    against(a, &cell->reads[1], bytes);
    keep_write(a, cell, bytes);
}

/* ---- atomics and fences ---- */
static struct sync *sync_at(struct check_launch *l, uint64_t key)
{
    if (2 * l->nsyncs >= l->cap_syncs) {
        const size_t cap = l->cap_syncs ? 2 * l->cap_syncs : 256;
        struct sync *more = calloc(cap, sizeof *more);
        if (!more) {
            check_lost(l->check);
            return NULL;
        }
        for (size_t k = 0; k < l->cap_syncs; k++)
            if (l->syncs[k].key) {
                size_t to = l->syncs[k].key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (cap - 1);
                while (more[to].key)
                    to = (to + 1) & (cap - 1);
                more[to] = l->syncs[k];
            }
        free(l->syncs);
        l->syncs = more;
        l->cap_syncs = cap;
    }
    size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (l->cap_syncs - 1);
    while (l->syncs[at].key && l->syncs[at].key != key)
        at = (at + 1) & (l->cap_syncs - 1);
    l->nsyncs += !l->syncs[at].key;
    l->syncs[at].key = key;
    return &l->syncs[at];
}

static bool releases(unsigned order)
{
    return order >= IR_ORDER_RELEASE;
}

static bool acquires(unsigned order)
{
    return order == IR_ORDER_ACQUIRE || order >= IR_ORDER_ACQ_REL;
}

void race_atomic(struct check_launch *l, struct block_state *b, uint32_t thread, uint64_t key,
                 uint64_t what, bool reads)
{
    struct thread_state *t = &b->threads[thread];
    const unsigned order = what >> IR_CHECK_ORDER_SHIFT & 7;
    const bool wide = (what >> IR_CHECK_SCOPE_SHIFT & 3) > IR_SCOPE_BLOCK;
    if (!reads && releases(order)) {
        snapshot(l, b, thread, &t->gives[0]);
        if (wide)
            snapshot(l, b, thread, &t->gives[1]);
        advance(b, thread);
    }
    if (reads ? !l->nsyncs : !t->gives[0])
        return; /* nobody has given anything */
    struct sync *s = sync_at(l, key);
    if (!s)
        return;
    if (!reads) {
        join(l, &s->held[0], t->gives[0]);
        join(l, &s->held[1], wide ? t->gives[1] : NULL);
        return;
    }
    join(l, &t->seen[1], wide ? s->held[1] : NULL);
    join_block(l, &t->seen[0], s->held[0], b->number);
    if (acquires(order)) {
        join(l, &t->knows, wide ? s->held[1] : NULL);
        join_block(l, &t->knows, s->held[0], b->number);
    }
}

static void fence(struct check_launch *l, struct block_state *b, uint32_t thread, unsigned scope)
{
    struct thread_state *t = &b->threads[thread];
    const bool wide = scope > IR_SCOPE_BLOCK;
    join(l, &t->knows, t->seen[0]);
    if (wide)
        join(l, &t->knows, t->seen[1]);
    else
        join_block(l, &t->knows, t->seen[1], b->number);
    snapshot(l, b, thread, &t->gives[0]);
    if (wide)
        snapshot(l, b, thread, &t->gives[1]);
    advance(b, thread);
}

/* ---- barriers ---- */
static void warp_arrives(struct check_launch *l, struct block_state *b, uint32_t thread)
{
    if (!b->lanes) {
        b->lanes = calloc(l->nthreads + 32, sizeof *b->lanes);
        b->meeting = calloc(l->nthreads + 32, sizeof *b->meeting);
    }
    if (!b->lanes || !b->meeting) {
        check_lost(l->check);
        return;
    }
    launch_unquiet(l);
    b->lanes[thread].at[thread % 32] = b->clocks[thread];
    b->meeting[thread] = b->lanes[thread];
    advance(b, thread);
}

static void warp_passes(struct block_state *b, uint32_t thread, uint32_t mask)
{
    if (!b->lanes || !b->meeting)
        return;
    const uint32_t first = thread / 32 * 32;
    struct lane_clocks *mine = &b->lanes[thread];
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const struct lane_clocks *other = &b->meeting[first + k];
        if (mask == UINT32_MAX) { /* each of them is here itself */
            if (other->at[k] > mine->at[k])
                mine->at[k] = other->at[k];
            continue;
        }
        for (uint32_t j = 0; j < 32; j++)
            if (other->at[j] > mine->at[j])
                mine->at[j] = other->at[j];
    }
}

static bool is_whole(const struct check_launch *l, const struct check_event *e)
{
    const uint32_t count = (uint32_t)e->more[0];
    return !count || count >= l->nthreads;
}

bool race_has_news(const struct check_launch *l, const struct block_state *b,
                   const struct check_event *e)
{
    return (e->what & 255) != IR_CHECK_PASSED || !is_whole(l, e) || b->common;
}

void race_sync(struct check_launch *l, struct block_state *b, const struct check_event *e,
               uint32_t thread, uint64_t operand)
{
    struct thread_state *t = &b->threads[thread];
    switch ((enum ir_check)(e->what & 255)) {
    case IR_CHECK_FENCE: fence(l, b, thread, e->what >> IR_CHECK_SCOPE_SHIFT & 3); break;
    case IR_CHECK_BARRIER:
    case IR_CHECK_ARRIVE:
        if (is_whole(l, e) && (e->what & 255) == IR_CHECK_BARRIER) {
            join(l, &t->knows, t->seen[0]); /* a barrier is a fence for what was read before it */
            join(l, &t->knows, t->seen[1]);
            join(l, &b->common, t->knows);
            next_epoch(b, thread);
        } else {
            snapshot(l, b, thread, &b->barriers[operand & 15]);
            advance(b, thread);
        }
        break;
    case IR_CHECK_PASSED:
        if (is_whole(l, e))
            join(l, &t->knows, b->common);
        else
            join(l, &t->knows, b->barriers[operand & 15]);
        break;
    case IR_CHECK_WARPSYNC: warp_arrives(l, b, thread); break;
    case IR_CHECK_WARPED: warp_passes(b, thread, (uint32_t)operand); break;
    case IR_CHECK_GRID:
        launch_unquiet(l);
        next_epoch(b, thread);
        t->round++;
        break;
    default: break;
    }
}

/* ---- blocks ---- */
static bool marks_meet(const struct check *c, size_t k, uint64_t at, uint64_t bytes)
{
    return at < c->shared[k].at + c->shared[k].bytes && c->shared[k].at < at + bytes;
}

/* Marks of shared memory go with their block, unless another launch, which may begin before this
 * one is told to have ended, has its own in the same place. Blocks that are resident together are
 * not looked at in this way: each has memory of its own. */
static void leave_shared(struct check_launch *l, const struct block_state *b)
{
    struct check *c = l->check;
    const uint64_t n = l->kernel.shared_bytes;
    for (size_t k = 0; k < CHECK_MARKED; k++)
        if (c->shared[k].serial == b->serial)
            c->shared[k].bytes = 0;
        else if (marks_meet(c, k, b->shared, n))
            return;
    shadow_set(c->shadow, b->shared, n, 0);
}

/* Whatever was marked in the same place is no more; the block that was marked first of all gives
 * its place up where there is none left. */
static void take_shared(struct check_launch *l, const struct block_state *b)
{
    struct check *c = l->check;
    const uint64_t n = l->kernel.shared_bytes;
    size_t place = 0;
    if (l->kernel.resident)
        return;
    for (size_t k = 0; k < CHECK_MARKED; k++)
        if (marks_meet(c, k, b->shared, n)) {
            shadow_set(c->shadow, c->shared[k].at, c->shared[k].bytes, 0);
            c->shared[k].bytes = 0;
        }
    for (size_t k = 0; k < CHECK_MARKED && c->shared[place].bytes; k++)
        if (!c->shared[k].bytes || c->shared[k].serial < c->shared[place].serial)
            place = k;
    c->shared[place].at = b->shared;
    c->shared[place].bytes = n;
    c->shared[place].serial = b->serial;
}

static void block_free(struct check_launch *l, struct block_state *b)
{
    unmap(b->cells, ((uint64_t)l->kernel.shared_bytes / 4 + 2) * sizeof *b->cells);
    if (b->own_shadow)
        free(b->shadow);
    else if (b->shadow)
        leave_shared(l, b);
    free(b->clocks);
    free(b->threads);
    free(b->lanes);
    free(b->meeting);
    copies_free(l, b);
    free(b);
}

static void block_reset(struct check_launch *l, struct block_state *b, uint64_t number)
{
    if (!l->table.quiet)
        memset(b->threads, 0, l->nthreads * sizeof *b->threads);
    for (uint32_t k = 0; k < l->nthreads; k++)
        b->clocks[k] = 1; /* a clock of 0 is that of who is not known */
    if (b->lanes)
        memset(b->lanes, 0, (l->nthreads + 32) * sizeof *b->lanes);
    if (b->meeting)
        memset(b->meeting, 0, (l->nthreads + 32) * sizeof *b->meeting);
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->first_at, 0, sizeof b->first_at);
    b->serial = ++l->check->block_serial;
    if (b->shadow && !b->own_shadow)
        take_shared(l, b);
    if (b->shadow)
        shadow_set(b->shadow, 0, l->kernel.shared_bytes,
                   l->check->on[CHECK_UNINITIALIZED] ? IR_CHECK_MEMORY : IR_CHECK_WRITTEN);
    copies_reset(l, b);
    b->common = NULL;
    b->number = number;
}

/* Shared memory that lies at addresses of its own has shadow as all memory has. */
static void block_shadow(struct check_launch *l, struct block_state *b, uint64_t shared)
{
    b->shared = shared;
    b->own_shadow = l->kernel.same_place || !shared || shared % 4 ||
                    shared + l->kernel.shared_bytes > l->check->shadow_limit;
    b->shadow =
        b->own_shadow ? calloc(l->kernel.shared_bytes / 4 + 2, 1) : l->check->shadow + shared / 4;
}

static struct block_state *block_new(struct check_launch *l, uint64_t shared)
{
    struct block_state *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->threads = calloc(l->nthreads + 64, sizeof *b->threads);
    b->clocks = calloc(l->nthreads + 64, sizeof *b->clocks);
    block_shadow(l, b, shared);
    b->cells = map_zeroed(((uint64_t)l->kernel.shared_bytes / 4 + 2) * sizeof *b->cells);
    if (!b->threads || !b->clocks || !b->shadow || !b->cells) {
        block_free(l, b);
        return NULL;
    }
    b->next = l->blocks;
    l->blocks = b;
    return b;
}

/* Blocks that run one after the other share one state. */
struct block_state *block_of(struct check_launch *l, const struct check_event *e)
{
    const uint32_t *grid = l->kernel.grid, *at = e->block;
    const uint64_t number = at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    if (l->last && l->last->number == number)
        return l->last;
    struct block_state *b = l->blocks;
    if (l->kernel.resident)
        while (b && b->number != number)
            b = b->next;
    else if (b)
        block_close(l, b);
    if (!b || !l->kernel.resident) {
        if (!b && !(b = block_new(l, e->shared)))
            return NULL;
        block_reset(l, b, number);
    }
    if (!l->serial)
        l->serial = l->place ? l->place : order_submit(l->check->order, NULL);
    if (!l->kernel.resident) { /* code that looks by itself may go on with it */
        l->table.block = number;
        l->table.clocks = (uint64_t)(uintptr_t)b->clocks;
        l->table.turns = (uint64_t)(uintptr_t)b->first_at;
        l->table.sites = (uint64_t)(uintptr_t)b->sites;
        l->table.barrier = l->table.pending = 0;
        l->table.before = 0;
        l->table.after = b->clocks[0];
        compact_block(l, b);
    }
    return l->last = b;
}

/* Threads that ended while others went on to a barrier. */
void block_close(struct check_launch *l, struct block_state *b)
{
    uint32_t most = 0, least = UINT32_MAX, early = 0;
    if (!l->nthreads || !memcmp(b->clocks, b->clocks + 1, (l->nthreads - 1) * sizeof *b->clocks))
        return; /* mostly */
    for (uint32_t k = 0; k < l->nthreads; k++) {
        const uint32_t n = epoch_of(b, k);
        if (n < least)
            least = n, early = k;
        if (n > most)
            most = n;
    }
    if (most == least)
        return;
    uint32_t missing = 0;
    for (uint32_t k = 0; k < l->nthreads; k++)
        missing += epoch_of(b, k) < most;
    const uint32_t *grid = l->kernel.grid, *dims = l->kernel.block;
    char text[160];
    snprintf(text, sizeof text,
             "%u of the block's %u threads ended without coming to a barrier that others waited at",
             missing, l->nthreads);
    struct report r = {
        .message = text,
        .kernel = l->kernel.name,
        .has_block = true,
        .has_thread = true,
        .block = {(uint32_t)(b->number % grid[0]), (uint32_t)(b->number / grid[0] % grid[1]),
                  (uint32_t)(b->number / grid[0] / grid[1])},
        .thread = {early % dims[0], early / dims[0] % dims[1], early / dims[0] / dims[1]}};
    const source_loc site = b->first_at[least % 64] == least + 1 ? b->sites[least % 64] : 0;
    r.at = report_place_of(l->kernel.sources, site);
    found_add_at(l->check, CHECK_BARRIER, &r, l, site, 1);
}

void launch_free(struct check_launch *l)
{
    for (struct block_state *b = l->blocks, *next; b; b = next) {
        next = b->next;
        block_free(l, b);
    }
    for (size_t k = 0; k < l->nfacts; k++) {
        free(l->all_facts[k]->at);
        free(l->all_facts[k]);
    }
    compact_end(l);
    free(l->all_facts);
    free(l->syncs);
    free(l);
}
