/* Stamps of races as code can look at them: 4 bytes each, three for a word (the last write, two
 * reads), in tables that lie at a fixed distance from device memory and from the shared memory of
 * the block that runs (struct ir_check_space in ir/check.h says how a stamp is made).
 *
 * A stamp names an interval: what one block does between two barriers. Intervals are counted
 * through all launches, so a lower number is earlier; which of them come before the one that runs
 * are those of earlier launches (as far as queues order them) and of the same block. A thread's own
 * accesses are in order too. That is all that is decided here, and by code; the rest is race.c's,
 * for which a stamp is made whole again. What does not fit, because other things than barriers of
 * the block order threads, or a part of a word is accessed, is kept as a struct cell, and the word
 * is marked IR_STAMP_ELSEWHERE. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "check/check_int.h"

#define ARENA       IR_STAMPS_APART(false)
#define SHARED_MOST IR_STAMPS_APART(true)
#define TABLES      6
#define INTERVALS   ((UINT64_C(1) << (32 - IR_STAMP_INTERVAL)) - 2)

/* ---- memory ---- */
void compact_open(struct check *c)
{
    if (!c->races)
        return;
    char *arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *stamps = map_zeroed(TABLES * ARENA), *shared = map_zeroed(TABLES * SHARED_MOST);
    if (arena == MAP_FAILED || !stamps || !shared) { /* it goes without */
        if (arena != MAP_FAILED)
            munmap(arena, ARENA);
        unmap(stamps, TABLES * ARENA);
        unmap(shared, TABLES * SHARED_MOST);
        return;
    }
    c->arena = c->arena_next = ((uint64_t)(uintptr_t)arena + GRANULE - 1) / GRANULE * GRANULE;
    c->arena_end = (uint64_t)(uintptr_t)arena + ARENA;
    c->stamps = stamps;
    c->shared_stamps = shared;
    c->arena_start = arena;
    c->interval = 1;
}

void compact_close(struct check *c)
{
    if (!c->arena)
        return;
    munmap(c->arena_start, ARENA);
    unmap(c->stamps, TABLES * ARENA);
    unmap(c->shared_stamps, TABLES * SHARED_MOST);
    free(c->launches);
}

/* Addresses are not had again: a stamp is of one allocation. */
void *arena_take(struct check *c, uint64_t bytes)
{
    if (!c->arena || bytes > c->arena_end - c->arena_next)
        return NULL;
    void *p = (void *)(uintptr_t)c->arena_next;
    if (mprotect(p, bytes, PROT_READ | PROT_WRITE))
        return NULL;
    c->arena_next += bytes;
    return p;
}

bool arena_give(struct check *c, uint64_t address, uint64_t bytes)
{
    if (!c->arena || address - c->arena >= c->arena_end - c->arena)
        return false;
    void *p = (void *)(uintptr_t)address;
    if (mmap(p, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        madvise(p, bytes, MADV_DONTNEED);
    for (unsigned k = 0; k < TABLES; k++)
        madvise(c->stamps + k * ARENA + (address - c->arena), bytes, MADV_DONTNEED);
    return true;
}

/* ---- intervals ---- */
/* Code finds that there are none; where each lane has an address of its own it has looked at some
 * by then, as if at the first word. */
static void no_stamps(struct check_launch *l)
{
    const struct check *c = l->check;
    l->table.space[0] = (struct ir_check_space){.away = (uint64_t)(uintptr_t)c->stamps};
    l->table.space[1] = (struct ir_check_space){.away = (uint64_t)(uintptr_t)c->shared_stamps};
    l->table.interval = l->table.interval_end = 0;
}

void compact_begin(struct check_launch *l)
{
    no_stamps(l);
}

void compact_quits(struct check_launch *l)
{
    l->compact = false;
    no_stamps(l);
}

/* Stamps below are of launches that are done, or come before this one in the order of queues. */
static uint64_t unordered_since(const struct check_launch *l)
{
    const struct check *c = l->check;
    for (size_t k = 0; k < c->nlaunches && order_several(c->order); k++)
        if (!order_is(c->order, c->launches[k].place, l->serial))
            return c->launches[k].first;
    return l->first_interval;
}

/* Intervals are counted anew; what is known of earlier launches is forgotten. */
static void start_over(struct check *c)
{
    for (unsigned k = 0; k < TABLES; k++)
        madvise(c->stamps + k * ARENA, c->arena_next - c->arena, MADV_DONTNEED);
    madvise(c->shared_stamps, TABLES * SHARED_MOST, MADV_DONTNEED);
    c->interval = 1;
    c->nlaunches = 0;
}

static void begin_launch(struct check_launch *l)
{
    struct check *c = l->check;
    enum { MOST = 4096 };
    l->asked = true;
    if (c->arena && !c->compact_launch && c->interval > INTERVALS / 2)
        start_over(c);
    if (!c->arena || c->compact_launch || l->kernel.resident || c->interval >= INTERVALS ||
        l->nthreads > IR_STAMP_THREADS + 1 || l->kernel.shared_bytes > SHARED_MOST)
        return;
    if (!c->launches)
        c->launches = calloc(MOST, sizeof *c->launches);
    if (!c->launches)
        return;
    if (c->nlaunches == MOST) {
        memmove(c->launches, c->launches + MOST / 2, MOST / 2 * sizeof *c->launches);
        c->nlaunches = MOST / 2;
    }
    c->compact_launch = l;
    l->compacts = true;
    l->first_interval = c->interval + 1;
    c->launches[c->nlaunches++] = (struct compact_launch){l->first_interval, l->serial};
    l->unordered = unordered_since(l);
}

/* Code begins intervals by itself. */
static void catch_up(struct check_launch *l)
{
    struct check *c = l->check;
    const uint64_t now = l->table.now >> IR_STAMP_INTERVAL;
    if (c->compact_launch == l && now > c->interval)
        c->interval = now;
}

static bool next_interval(struct check_launch *l, const struct block_state *b)
{
    struct check *c = l->check;
    const uint64_t n = c->interval + 1 - l->first_interval;
    if (n == l->cap_intervals) {
        const size_t cap = l->cap_intervals ? 2 * l->cap_intervals : 256;
        struct ir_interval *more = realloc(l->intervals, cap * sizeof *more);
        if (!more)
            return false;
        l->intervals = more;
        l->cap_intervals = cap;
    }
    if (c->interval >= INTERVALS)
        return false;
    c->interval++;
    l->intervals[n] = (struct ir_interval){b->number, b->clocks[0], 0};
    l->table.now = (uint32_t)(c->interval << IR_STAMP_INTERVAL);
    const uint64_t left = INTERVALS - c->interval, room = l->cap_intervals - n - 1;
    l->table.interval = (uint64_t)(uintptr_t)&l->intervals[n + 1];
    l->table.interval_end = l->table.interval + (left < room ? left : room) * sizeof *l->intervals;
    return true;
}

void compact_end(struct check_launch *l)
{
    catch_up(l);
    if (l->check->compact_launch == l)
        l->check->compact_launch = NULL;
    free(l->intervals);
}

void compact_block(struct check_launch *l, const struct block_state *b)
{
    struct check *c = l->check;
    if (!c->races)
        return;
    if (!l->asked)
        begin_launch(l);
    catch_up(l);
    l->compact = l->compacts && l->table.quiet && next_interval(l, b);
    if (!l->compact) {
        no_stamps(l);
        l->first_of_block = c->interval + 1; /* what others left in shared memory is not its own */
        return;
    }
    l->first_of_block = c->interval;
    l->table.first = l->table.now;
    struct ir_check_space *global = &l->table.space[0], *shared = &l->table.space[1];
    *global = (struct ir_check_space){.base = c->arena,
                                      .away = (uint64_t)(uintptr_t)c->stamps - c->arena,
                                      .words = (c->arena_end - c->arena) / 4,
                                      .since = (uint32_t)(l->unordered << IR_STAMP_INTERVAL)};
    *shared = (struct ir_check_space){.base = b->shared,
                                      .away = (uint64_t)(uintptr_t)c->shared_stamps - b->shared,
                                      .words = l->kernel.shared_bytes / 4,
                                      .since = l->table.first};
}

/* The first to pass a barrier: have all come? */
void compact_passed(struct check_launch *l, const struct block_state *b, uint32_t clock)
{
    if (!l->table.pending || clock != l->table.pending)
        return;
    l->table.pending = 0;
    catch_up(l);
    if (l->compact && (memcmp(b->clocks, b->clocks + 1, (l->nthreads - 1) * sizeof *b->clocks) ||
                       !next_interval(l, b)))
        compact_quits(l);
}

/* ---- words ---- */
bool compact_places(const struct access *a, uint64_t address, struct compact *at)
{
    const struct check *c = a->l->check;
    if (!c->arena)
        return false;
    const bool shared = a->space == IR_SPACE_SHARED;
    if (shared && c->compact_launch != a->l)
        return false;
    const uint64_t offset = address - (shared ? a->e->shared : c->arena),
                   table = shared ? SHARED_MOST : ARENA;
    if (!shared && offset >= c->arena_end - c->arena)
        return false;
    char *p = (shared ? c->shared_stamps : c->stamps) + offset / 4 * 4;
    for (unsigned k = 0; k < 3; k++) {
        at->stamp[k] = (uint32_t *)(void *)(p + k * table);
        at->site[k] = (source_loc *)(void *)(p + (k + 3) * table);
    }
    return true;
}

static uint32_t stamp_now(const struct access *a)
{
    return a->l->table.now | a->thread << IR_STAMP_THREAD;
}

static bool fits(const struct access *a, uint8_t bytes)
{
    return a->l->compact && bytes == 15 && !a->strong && !(a->e->what & IR_CHECK_ASYNC);
}

static void put(const struct access *a, const struct compact *at, unsigned k, uint32_t stamp)
{
    *at->stamp[k] = stamp;
    *at->site[k] = a->e->site;
}

/* Is what a stamp tells of before what the thread does now, as far as barriers go? */
static bool is_before(const struct access *a, uint32_t s)
{
    const struct ir_check_table *t = &a->l->table;
    return s < t->space[a->space == IR_SPACE_SHARED].since || s - t->first < t->now - t->first;
}

/* The mark of a second reader, which lets code look no further unless the reader is near the first,
 * or who reads the word next has something to be told. */
static uint32_t near_mark(const struct access *a, uint32_t write, uint32_t one, uint32_t two)
{
    const bool far = (one ^ two) & IR_STAMP_WARP;
    return far && is_before(a, write) && !a->undefined && !(a->e->what & IR_CHECK_COPIES)
               ? 0
               : IR_STAMP_NEAR;
}

/* As code does it (lower/gang/check.c). */
bool compact_word(const struct access *a, const struct compact *at, uint8_t bytes)
{
    if (!fits(a, bytes))
        return false;
    const uint32_t me = stamp_now(a), write = *at->stamp[0], one = *at->stamp[1],
                   two = *at->stamp[2];
#define ORDERED(s) ((s) == me || is_before(a, (s)))
    if (!ORDERED(write))
        return false;
    if (a->write) {
        if (!ORDERED(one) || !ORDERED(two & ~IR_STAMP_NEAR))
            return false;
        put(a, at, 0, me);
        *at->stamp[1] = *at->stamp[2] = 0;
    } else if (ORDERED(one)) {
        put(a, at, 1, me);
    } else if (ORDERED(two) || two & IR_STAMP_NEAR) {
        put(a, at, 2, me | near_mark(a, write, one, me));
    }
#undef ORDERED
    return true;
}

/* ---- whole again ---- */
static struct stamp stamp_whole(const struct check_launch *l, uint32_t s, source_loc site,
                                enum report_access access)
{
    const uint64_t interval = s >> IR_STAMP_INTERVAL;
    if (!s)
        return (struct stamp){0};
    struct stamp out = {.bytes = 15,
                        .access = (uint8_t)access,
                        .who = (s >> IR_STAMP_THREAD & IR_STAMP_THREADS) + 1,
                        .site = site};
    if (l->compacts && interval >= l->first_interval) {
        const struct ir_interval *i = &l->intervals[interval - l->first_interval];
        out.who += (uint32_t)(i->block * l->nthreads);
        out.clock = i->clock;
    }
    return out;
}

static uint64_t place_of(const struct check *c, uint64_t interval, uint64_t *first)
{
    for (size_t k = c->nlaunches; k--;)
        if (c->launches[k].first <= interval) {
            *first = c->launches[k].first;
            return c->launches[k].place;
        }
    *first = 0;
    return 0;
}

static uint64_t latest_of(const struct compact *at)
{
    uint32_t latest = 0;
    for (unsigned k = 0; k < 3; k++)
        if (*at->stamp[k] > latest)
            latest = *at->stamp[k];
    return latest >> IR_STAMP_INTERVAL;
}

static void load(const struct access *a, const struct compact *at, struct cell *out)
{
    const struct check_launch *l = a->l;
    const uint64_t latest = latest_of(at);
    uint64_t first = 0;
    memset(out, 0, sizeof *out);
    if (a->space == IR_SPACE_SHARED) {
        first = l->first_of_block;
        out->launch = latest >= first ? a->b->serial : 0;
    } else if (l->compacts && latest >= l->first_interval) {
        first = l->first_interval;
        out->launch = l->serial << PLACE_SHIFT;
    } else if (latest) {
        out->launch = place_of(l->check, latest, &first) << PLACE_SHIFT;
    }
    if (!out->launch)
        return;
    struct stamp *to[] = {&out->write, &out->reads[0], &out->reads[1]};
    for (unsigned k = 0; k < 3; k++)
        if (*at->stamp[k] >> IR_STAMP_INTERVAL >= first)
            *to[k] = stamp_whole(l, *at->stamp[k], *at->site[k], k ? REPORT_READ : REPORT_WRITE);
}

/* What a stamp is in short; false: more than that. */
static bool shorten(const struct access *a, const struct stamp *s, const struct stamp *was,
                    uint32_t as, uint32_t *out)
{
    if (!s->who)
        *out = 0;
    else if (!memcmp(s, was, sizeof *s))
        *out = as;
    else if (fits(a, s->bytes) && !s->strong && s->site == a->e->site &&
             s->clock == a->b->clocks[a->thread] &&
             s->who == (uint32_t)(a->b->number * a->l->nthreads + a->thread) + 1)
        *out = stamp_now(a);
    else
        return false;
    return true;
}

void compact_load(const struct access *a, const struct compact *at, struct cell *full,
                  struct cell *out)
{
    if (*at->stamp[0] == IR_STAMP_ELSEWHERE)
        *out = *full;
    else
        load(a, at, out);
}

void compact_store(const struct access *a, const struct compact *at, struct cell *full,
                   const struct cell *was, const struct cell *is)
{
    const struct stamp *old[] = {&was->write, &was->reads[0], &was->reads[1]},
                       *new[] = {&is->write, &is->reads[0], &is->reads[1]};
    uint32_t to[3];
    const bool elsewhere = *at->stamp[0] == IR_STAMP_ELSEWHERE;
    for (unsigned k = 0; k < 3; k++) {
        static const struct stamp none;
        if (!shorten(a, new[k], elsewhere ? &none : old[k], *at->stamp[k], &to[k])) {
            *full = *is;
            for (unsigned n = 0; n < 3; n++)
                *at->stamp[n] = IR_STAMP_ELSEWHERE;
            return;
        }
    }
    if (to[2])
        to[2] |= near_mark(a, to[0], to[1], to[2]);
    for (unsigned k = 0; k < 3; k++) {
        *at->stamp[k] = to[k];
        *at->site[k] = new[k]->site;
    }
}

void compact_others(const struct access *a, const struct compact *at, uint8_t bytes)
{
    const struct check_launch *l = a->l;
    if (a->space == IR_SPACE_SHARED || !l->compacts || *at->stamp[0] == IR_STAMP_ELSEWHERE)
        return;
    for (unsigned k = 0; k < (a->write ? 3 : 1); k++) {
        const uint64_t interval = *at->stamp[k] >> IR_STAMP_INTERVAL;
        uint64_t first;
        if (interval < l->unordered || interval >= l->first_interval)
            continue;
        struct cell was = {.launch = place_of(l->check, interval, &first) << PLACE_SHIFT};
        *(k ? &was.reads[0] : &was.write) =
            stamp_whole(l, *at->stamp[k], *at->site[k], k ? REPORT_READ : REPORT_WRITE);
        race_streams(a, &was, was.launch >> PLACE_SHIFT, bytes);
    }
}

void compact_peek(struct check *c, uint64_t address, const struct cell *full, struct cell *out)
{
    const struct access a = {.l = &(struct check_launch){.check = c}, .space = IR_SPACE_GLOBAL};
    struct compact at;
    if (compact_places(&a, address, &at) && *at.stamp[0] != IR_STAMP_ELSEWHERE)
        load(&a, &at, out);
    else
        *out = full ? *full : (struct cell){0};
}

void compact_elsewhere(struct check *c, uint64_t address, struct cell *full)
{
    const struct access a = {.l = &(struct check_launch){.check = c}, .space = IR_SPACE_GLOBAL};
    struct compact at;
    if (!compact_places(&a, address, &at) || *at.stamp[0] == IR_STAMP_ELSEWHERE)
        return;
    load(&a, &at, full);
    for (unsigned k = 0; k < 3; k++)
        *at.stamp[k] = IR_STAMP_ELSEWHERE;
}
