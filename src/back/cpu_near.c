/* Gathers and scatters of lanes that lie close together: which chunks of memory, which lanes. */
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include "back/cpu_near.h"

enum { ROOM = 512 };          /* bytes on both sides of shared memory: as long as a range may be */
enum { MOST_BETWEEN = 4096 }; /* instructions of a run of stores */

/* Shared memory belongs to one worker, and has room on both sides for all lanes of a gang: elements
 * of lanes that do not run may be read and written back. */
bool cpu_only_ours(const struct ir_inst *i)
{
    return ir_space(i->args[0]->type) == IR_SPACE_SHARED && !(i->flags & IR_VOLATILE) &&
           !ir_order(i->flags);
}

static bool is_whole(const struct ir_value *mask)
{
    return mask->kind == IR_VALUE_CONST && mask->u.bits;
}

static unsigned lanes_of(ir_type t, unsigned vector_bytes)
{
    const unsigned n = vector_bytes * 8 / (ir_kind(t) == IR_I1 ? 32 : ir_bits(t));
    return n < ir_lanes(t) ? n : ir_lanes(t);
}

/* In elements from the origin. */
static unsigned position(const struct cpu_near *w, unsigned lane)
{
    return (unsigned)((w->at.offset[lane] - w->origin) / w->size);
}

int64_t cpu_near_offset(const struct cpu_near *w, unsigned k, unsigned early)
{
    return w->origin - w->at.from_root +
           ((int64_t)k * w->lanes - (int64_t)early) * (int64_t)w->size;
}

static bool find(const struct ir_inst *i, unsigned vector_bytes, struct cpu_near *w)
{
    const ir_type t = i->op == IR_OP_gather ? i->type : i->args[1]->type;
    const unsigned lanes = ir_lanes(t);
    w->inst = i;
    w->size = ir_bytes(ir_scalar(t));
    w->lanes = lanes_of(t, vector_bytes);
    if (ir_kind(t) == IR_I1 || i->flags & IR_VOLATILE || ir_order(i->flags) || w->lanes < 2 ||
        !lower_lane_offsets(i->args[0], &w->at))
        return false;
    int64_t last = w->first = w->at.offset[0];
    for (unsigned l = 1; l < lanes; l++) {
        const int64_t o = w->at.offset[l];
        w->first = o < w->first ? o : w->first;
        last = o > last ? o : last;
        if ((o - w->at.offset[0]) % w->size)
            return false;
    }
    int64_t elements = (last - w->first) / w->size + 1, bytes = (int64_t)w->size * w->lanes;
    if (elements > 2 * lanes)
        return false;
    w->origin = w->first;
    if (cpu_only_ours(i)) { /* from a multiple of its length on, if it fits */
        while (bytes < elements * w->size)
            bytes *= 2;
        const int64_t from = w->first - (w->first % bytes + bytes) % bytes;
        if ((w->first - from) % w->size == 0 && last < from + bytes)
            w->origin = from;
    }
    w->chunks = (unsigned)((last - w->origin) / w->size) / w->lanes + 1;
    return w->chunks <= 2 * lanes / w->lanes && bytes <= ROOM;
}

/* In memory of others nothing behind the last element is read: the last chunk begins earlier, by so
 * many elements. */
static unsigned too_far(const struct cpu_near *w, unsigned k)
{
    unsigned end = 0;
    for (unsigned l = 0; l < ir_lanes(w->inst->args[0]->type); l++)
        end = position(w, l) >= end ? position(w, l) + 1 : end;
    return !cpu_only_ours(w->inst) && (k + 1) * w->lanes > end ? (k + 1) * w->lanes - end : 0;
}

/* Which (at most two) of the things numbered by from[] lanes come from; index[] then counts in
 * both. False: more than two. */
static bool two_of(const unsigned *from, unsigned *index, unsigned n, unsigned of[2])
{
    unsigned have = 0;
    of[0] = of[1] = UINT_MAX;
    for (unsigned l = 0; l < n; l++) {
        unsigned k = 0;
        if (from[l] == UINT_MAX)
            continue;
        while (k < have && of[k] != from[l])
            k++;
        if (k == 2)
            return false;
        if (k == have)
            of[have++] = from[l];
        index[l] += k * n;
    }
    if (have < 2)
        of[1] = of[0];
    return true;
}

bool cpu_near_load(const struct ir_inst *i, unsigned vector_bytes, struct cpu_near_load *out)
{
    struct cpu_near *w = &out->w;
    if ((!is_whole(i->args[1]) && !cpu_only_ours(i)) || !find(i, vector_bytes, w) ||
        w->chunks > CPU_NEAR_CHUNKS)
        return false;
    const unsigned n = w->lanes;
    for (unsigned k = 0; k < w->chunks; k++) {
        out->early[k] = too_far(w, k);
        if (out->early[k] > k * n) /* less than a chunk */
            return false;
    }
    for (unsigned k = 0; k < ir_lanes(i->type) / n; k++) {
        unsigned from[IR_MAX_LANES], index[IR_MAX_LANES];
        for (unsigned l = 0; l < n; l++) {
            const unsigned p = position(w, k * n + l);
            from[l] = p / n;
            index[l] = p % n + out->early[p / n];
        }
        if (!two_of(from, index, n, out->of[k]))
            return false;
        for (unsigned l = 0; l < n; l++)
            out->index[k][l] = (uint8_t)index[l];
    }
    return true;
}

/* ---- windows ---- */
enum { MOST_SPAN = 4096 }; /* between two bytes that are there and less apart all is there */

struct cpu_near_span cpu_near_span(const struct lane_offsets *at, const bool *runs, unsigned lanes,
                                   unsigned size)
{
    struct cpu_near_span s = {INT64_MAX, INT64_MIN};
    for (unsigned l = 0; l < lanes; l++) {
        if (runs && !runs[l])
            continue;
        s.first = at->offset[l] < s.first ? at->offset[l] : s.first;
        s.end = at->offset[l] > s.end ? at->offset[l] : s.end;
    }
    s.end += size;
    return s;
}

/* Where a window begins whose least element is at o: earlier where it would end behind the last. */
static int64_t window_from(int64_t o, int64_t bytes, unsigned size, const struct cpu_near_span *s)
{
    const int64_t over = o + bytes - s->end;
    return over > 0 ? o - (over + size - 1) / size * size : o;
}

bool cpu_near_windows(const struct lane_offsets *at, const bool *runs, unsigned lanes,
                      unsigned size, unsigned first, unsigned n, struct cpu_near_windows *out)
{
    const struct cpu_near_span s = cpu_near_span(at, runs, lanes, size);
    const int64_t bytes = (int64_t)size * n;
    out->n = 0;
    out->lanes = n;
    memset(out->index, 0, sizeof out->index);
    for (unsigned l = 0; l < n; l++)
        out->from[l] = runs && !runs[first + l] ? 0 : CPU_NEAR_WINDOWS;
    for (;;) {
        int64_t least = INT64_MAX;
        for (unsigned l = 0; l < n; l++)
            if (out->from[l] == CPU_NEAR_WINDOWS && at->offset[first + l] < least)
                least = at->offset[first + l];
        if (least == INT64_MAX)
            return out->n > 0;
        const int64_t from = window_from(least, bytes, size, &s);
        if (out->n == CPU_NEAR_WINDOWS || from < s.first || s.end - s.first > MOST_SPAN)
            return false;
        for (unsigned l = 0; l < n; l++) {
            const int64_t o = at->offset[first + l] - from;
            if (out->from[l] != CPU_NEAR_WINDOWS || o % size || o < 0 || o + size > bytes)
                continue;
            out->from[l] = (uint8_t)out->n;
            out->index[l] = (uint8_t)(o / size);
        }
        out->offset[out->n++] = from - at->from_root;
    }
}

/* ---- stores ---- */
static void sources(const struct cpu_near_group *s, unsigned k, unsigned *from, unsigned *index)
{
    const unsigned n = s->w[0].lanes;
    for (unsigned l = 0; l < n; l++)
        from[l] = UINT_MAX, index[l] = 0;
    for (unsigned m = 0; m < s->n; m++)
        for (unsigned l = 0; l < ir_lanes(s->w[m].inst->args[1]->type); l++) {
            const unsigned p = position(&s->w[m], l);
            if (p / n == k) {
                from[p % n] = m * CPU_NEAR_CHUNKS + l / n;
                index[p % n] = l % n;
            }
        }
}

unsigned cpu_near_sources(const struct cpu_near_group *s, unsigned k, unsigned of[2],
                          unsigned *index, bool *has)
{
    unsigned from[IR_MAX_LANES], none = 0;
    sources(s, k, from, index);
    two_of(from, index, s->w[0].lanes, of);
    for (unsigned l = 0; l < s->w[0].lanes; l++) {
        has[l] = from[l] != UINT_MAX;
        none += !has[l];
    }
    return none;
}

/* Do lanes meet at one place? Under a mask the last of them may be one that does not run, and then
 * another's element stays. */
static bool lanes_meet(const struct cpu_near_group *s)
{
    unsigned lane[ROOM];
    for (unsigned p = 0; p < ROOM; p++)
        lane[p] = UINT_MAX;
    for (unsigned m = 0; m < s->n; m++)
        for (unsigned l = 0; l < ir_lanes(s->w[m].inst->args[1]->type); l++) {
            unsigned *at = &lane[position(&s->w[m], l)];
            if (*at != UINT_MAX && *at != l)
                return true;
            *at = l;
        }
    return false;
}

/* Can the group be stored by shuffles of two, and, outside shared memory, does it leave nothing
 * out? */
static bool can_store(const struct cpu_near_group *s)
{
    const bool ours = cpu_only_ours(s->w[0].inst), whole = is_whole(s->w[0].inst->args[2]);
    const unsigned n = s->w[0].lanes;
    if (!whole && lanes_meet(s))
        return false;
    for (unsigned k = 0; k < s->w[0].chunks; k++) {
        unsigned from[IR_MAX_LANES], index[IR_MAX_LANES], of[2];
        sources(s, k, from, index);
        for (unsigned l = 0; l < n; l++)
            if (from[l] == UINT_MAX && !ours)
                return false;
        if (!two_of(from, index, n, of) || (!ours && !whole))
            return false;
    }
    return true;
}

static bool add(struct cpu_near_group *s, const struct cpu_near *found)
{
    const struct ir_inst *i = found->inst;
    if (s->n == CPU_NEAR_STORES)
        return false;
    struct cpu_near *w = &s->w[s->n];
    *w = *found;
    if (s->n) {
        const struct cpu_near *first = &s->w[0];
        if (i->type != first->inst->type || i->args[2] != first->inst->args[2] ||
            i->args[0]->type != first->inst->args[0]->type || w->at.root != first->at.root)
            return false;
        if (w->origin != first->origin || w->chunks != first->chunks) { /* one that has both */
            int64_t origin = w->origin < first->origin ? w->origin : first->origin, end = 0;
            for (unsigned m = 0; m <= s->n; m++)
                for (unsigned l = 0; l < ir_lanes(i->args[1]->type); l++)
                    end = s->w[m].at.offset[l] > end || !(m | l) ? s->w[m].at.offset[l] : end;
            const unsigned chunks = (unsigned)((end - origin) / w->size) / w->lanes + 1;
            if ((w->origin - first->origin) % w->size || chunks * w->lanes * w->size > ROOM ||
                chunks > 2 * ir_lanes(i->args[1]->type) / w->lanes)
                return false;
            for (unsigned m = 0; m <= s->n; m++)
                s->w[m].origin = origin, s->w[m].chunks = chunks;
        }
    }
    s->n++;
    return true;
}

static bool follows(const struct ir_inst *i)
{
    return i->op == IR_OP_scatter && (is_whole(i->args[2]) || cpu_only_ours(i));
}

/* The first of the run that i is in; NULL: it is too long. */
static const struct ir_inst *first_of(const struct ir_inst *i)
{
    const struct ir_inst *first = i;
    unsigned steps = 0, stores = 0;
    for (const struct ir_inst *p = i; p; p = p->prev) {
        if (follows(p)) {
            first = p;
            stores++;
        } else if (!(ir_op_info[p->op].flags & IR_PURE)) {
            break;
        }
        if (++steps > MOST_BETWEEN || stores > CPU_NEAR_STORES)
            return NULL;
    }
    return first;
}

bool cpu_near_stores(const struct ir_inst *i, unsigned vector_bytes, struct cpu_near_group *groups,
                     unsigned *n, const struct ir_inst **last)
{
    const struct ir_inst *first = follows(i) ? first_of(i) : NULL;
    unsigned all = 0, steps = 0;
    *n = 0;
    if (!first)
        return false;
    for (const struct ir_inst *p = first; p; p = p->next) {
        if (++steps > MOST_BETWEEN)
            return false;
        if (!follows(p)) {
            if (!(ir_op_info[p->op].flags & IR_PURE))
                break;
            continue;
        }
        if (++all > CPU_NEAR_STORES)
            return false;
        *last = p;
        unsigned k = 0;
        struct cpu_near found;
        if (!find(p, vector_bytes, &found))
            return false;
        while (k < *n && !add(&groups[k], &found))
            k++;
        if (k == *n) {
            groups[k].n = 0;
            add(&groups[k], &found);
            ++*n;
        }
        const struct cpu_near_group *mine = &groups[k];
        const struct ir_value *root = mine->w[mine->n - 1].at.root;
        while (mine->n > 1 && ++k < *n) /* it comes before these now */
            if (!lower_other_object(root, groups[k].w[0].at.root))
                return false;
    }
    for (unsigned k = 0; k < *n; k++)
        if (!can_store(&groups[k]))
            return false;
    return true;
}
