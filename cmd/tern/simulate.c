/* The events of simulate.h. Time is in nanoseconds. An event is a message that has reached its
 * rank; a rank handles one at a time, on a core of its machine as soon as one is free, and what it
 * sends goes through the line of its machine and that of the other one, which carry one message
 * after the other. */
#include "simulate.h"
#include <stdlib.h>
#include <string.h>
#include "lib/nccl/sizes.h"

enum { HEAD = 24 }; /* frame.c */

struct event {
    uint64_t at;
    uint32_t rank, step, piece, order; /* order: of two at one time, the one that was sent first */
};

struct node {
    uint64_t out, in; /* until when its line is taken */
    uint64_t sent;    /* bytes */
};

struct sim {
    const struct model_machine *m;
    const struct model_job *j;
    struct model_answer *a;
    uint32_t n, order;
    struct event *heap;
    size_t nheap, room;
    uint64_t *free_at; /* of each rank */
    uint64_t *cores;   /* of each core of each machine */
    struct node *nodes;
    uint32_t ncores, steps, pieces, *pending; /* pending: what each rank waits for, in trees */
    uint64_t part;                            /* bytes of a step */
    uint64_t first, last, worked;
    uint32_t *left; /* messages that each rank still has to handle */
    bool whole;     /* messages are not cut into pieces: trees, where `piece` is who sent it */
    bool failed;
};

/* ---- the queue ---- */
static bool before(const struct event *x, const struct event *y)
{
    return x->at < y->at || (x->at == y->at && x->order < y->order);
}

static void push(struct sim *s, struct event e)
{
    if (s->nheap == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        struct event *more = realloc(s->heap, room * sizeof *more);
        if (!more) {
            s->failed = true;
            return;
        }
        s->heap = more;
        s->room = room;
    }
    e.order = s->order++;
    size_t k = s->nheap++;
    for (; k && before(&e, &s->heap[(k - 1) / 4]); k = (k - 1) / 4)
        s->heap[k] = s->heap[(k - 1) / 4];
    s->heap[k] = e;
}

static struct event pop(struct sim *s)
{
    const struct event top = s->heap[0], e = s->heap[--s->nheap];
    size_t k = 0;
    for (;;) {
        size_t best = 4 * k + 1;
        for (size_t c = best + 1; c < 4 * k + 5 && c < s->nheap; c++)
            best = before(&s->heap[c], &s->heap[best]) ? c : best;
        if (best >= s->nheap || !before(&s->heap[best], &e))
            break;
        s->heap[k] = s->heap[best];
        k = best;
    }
    s->heap[k] = e;
    return top;
}

/* ---- what things take ---- */
static double gb(double bytes, double rate) /* nanoseconds, at so many GB/s */
{
    return bytes / rate;
}

/* The program's buffers may be too large for the cache: then memory is what limits. */
static double reach(const struct sim *s, double rate)
{
    return (double)s->j->bytes > s->m->cache * 1e6 && s->m->memory < rate ? s->m->memory : rate;
}

/* Until another rank of the machine sees a mark. */
static uint64_t wake(const struct sim *s)
{
    return (uint64_t)((s->j->ranks > s->ncores ? s->m->turn : s->m->wake) * 1e3);
}

static uint32_t node_of(const struct sim *s, uint32_t rank)
{
    return rank / s->j->ranks;
}

/* Work of a rank's, from `at` on: when it is done. */
static uint64_t work(struct sim *s, uint32_t rank, uint64_t at, double ns)
{
    uint64_t *core = s->cores + (size_t)node_of(s, rank) * s->ncores, *best = core;
    for (uint32_t k = 1; k < s->ncores; k++)
        if (core[k] < *best)
            best = core + k;
    uint64_t start = at > s->free_at[rank] ? at : s->free_at[rank];
    start = start > *best ? start : *best;
    *best = s->free_at[rank] = start + (uint64_t)ns;
    s->worked += (uint64_t)ns;
    return *best;
}

static bool near(const struct sim *s, uint32_t x, uint32_t y)
{
    return node_of(s, x) == node_of(s, y);
}

/* What a core does for a message, at one of its ends. */
static double handling(const struct sim *s, uint32_t x, uint32_t y, double bytes)
{
    const double ns = gb(bytes, reach(s, near(s, x, y) ? s->m->copy : s->m->socket));
    return near(s, x, y) ? ns : ns + s->m->message * 1e3;
}

/* Sent at `at`, from rank to rank; reaches it as an event. */
static void send(struct sim *s, uint32_t from, uint32_t to, uint64_t at, uint64_t bytes,
                 uint32_t step, uint32_t piece)
{
    const uint64_t head = s->whole || !piece ? HEAD : 0; /* a frame is a step's, not a piece's */
    s->a->messages += head != 0;
    s->a->bytes += bytes + head;
    if (near(s, from, to)) {
        at += wake(s);
    } else {
        struct node *a = s->nodes + node_of(s, from), *b = s->nodes + node_of(s, to);
        const uint64_t takes = (uint64_t)gb((double)(bytes + head), s->m->line);
        at = at > a->out ? at : a->out;
        a->out = at + takes;
        a->sent += bytes + head;
        at += (uint64_t)(s->m->distance * 1e3);
        at = at > b->in ? at : b->in;
        at += takes; /* the last byte: the two lines carry it side by side */
        b->in = at;
    }
    push(s, (struct event){at, to, step, piece, 0});
}

static void done(struct sim *s, uint64_t at)
{
    s->first = !s->first || at < s->first ? at : s->first;
    s->last = at > s->last ? at : s->last;
}

/* ---- rings: step k's block comes from the left, is summed in the first steps, and goes on ---- */
static uint64_t piece_bytes(const struct sim *s, uint32_t piece)
{
    const uint64_t at = (uint64_t)piece * NCCL_PIECE;
    return s->part - at < NCCL_PIECE ? s->part - at : NCCL_PIECE;
}

static void ring_event(struct sim *s, const struct event *e, uint32_t sums)
{
    const uint32_t left = (e->rank + s->n - 1) % s->n, right = (e->rank + 1) % s->n;
    const double bytes = (double)piece_bytes(s, e->piece);
    double ns = handling(s, left, e->rank, bytes);
    const bool goes_on = e->step + 1 < s->steps;
    if (e->step < sums)
        ns += gb(bytes, s->m->sum);
    if (goes_on)
        ns += handling(s, e->rank, right, bytes);
    const uint64_t at = work(s, e->rank, e->at, ns);
    if (goes_on)
        send(s, e->rank, right, at, (uint64_t)bytes, e->step + 1, e->piece);
    if (!--s->left[e->rank])
        done(s, at);
}

static void ring_start(struct sim *s)
{
    for (uint32_t r = 0; r < s->n; r++) {
        s->left[r] = s->steps * s->pieces;
        for (uint32_t p = 0; p < s->pieces; p++) {
            const uint64_t bytes = piece_bytes(s, p);
            const uint32_t right = (r + 1) % s->n;
            const uint64_t at = work(s, r, 0, handling(s, r, right, (double)bytes));
            send(s, r, right, at, bytes, 0, p);
        }
    }
}

/* ---- chains: from rank to rank, once; of a reduction the last one is the root ---- */
static void chain_event(struct sim *s, const struct event *e, bool sums)
{
    const double bytes = (double)piece_bytes(s, e->piece);
    const bool goes_on = e->rank + 1 < s->n;
    double ns = handling(s, e->rank - 1, e->rank, bytes) + (sums ? gb(bytes, s->m->sum) : 0);
    if (goes_on)
        ns += handling(s, e->rank, e->rank + 1, bytes);
    const uint64_t at = work(s, e->rank, e->at, ns);
    if (goes_on)
        send(s, e->rank, e->rank + 1, at, (uint64_t)bytes, 0, e->piece);
    if (!--s->left[e->rank])
        done(s, at);
}

static void chain_start(struct sim *s)
{
    for (uint32_t r = 0; r < s->n; r++)
        s->left[r] = s->pieces;
    for (uint32_t p = 0; p < s->pieces; p++) {
        const uint64_t bytes = piece_bytes(s, p),
                       at = work(s, 0, 0, handling(s, 0, 1, (double)bytes));
        send(s, 0, 1, at, bytes, 0, p);
    }
    done(s, s->free_at[0]);
}

/* ---- binomial trees ---- */
static void tree_down(struct sim *s, uint32_t rank, uint64_t at)
{
    uint32_t bit = 1;
    while (bit < s->n && !(rank & bit))
        bit <<= 1;
    for (bit >>= 1; bit; bit >>= 1)
        if (rank + bit < s->n) {
            at = work(s, rank, at, handling(s, rank, rank + bit, (double)s->part));
            send(s, rank, rank + bit, at, s->part, 1, rank);
        }
    done(s, at);
}

/* A rank that has all sums of those below it tells the one above. */
static void tree_up(struct sim *s, uint32_t rank, uint64_t at, bool all)
{
    const uint32_t parent = rank & (rank - 1);
    if (!rank) {
        if (all)
            tree_down(s, 0, at);
        else
            done(s, at);
        return;
    }
    at = work(s, rank, at, handling(s, rank, parent, (double)s->part));
    send(s, rank, parent, at, s->part, 0, rank);
    if (!all)
        done(s, at);
}

static void tree_event(struct sim *s, const struct event *e)
{
    const bool up = e->step == 0;
    const double bytes = (double)s->part;
    const double ns = handling(s, e->piece, e->rank, bytes); /* piece: who sent it */
    const uint64_t at = work(s, e->rank, e->at, ns + (up ? gb(bytes, s->m->sum) : 0));
    if (!up)
        tree_down(s, e->rank, at);
    else if (!--s->pending[e->rank])
        tree_up(s, e->rank, at, s->j->what == MODEL_ALL_REDUCE);
}

static void tree_start(struct sim *s)
{
    if (s->j->what == MODEL_BROADCAST) {
        tree_down(s, 0, 0);
        return;
    }
    for (uint32_t r = 0; r < s->n; r++)
        for (uint32_t bit = 1; bit < s->n && !(r & bit); bit <<= 1)
            s->pending[r] += r + bit < s->n;
    for (uint32_t r = 0; r < s->n; r++)
        if (!s->pending[r])
            tree_up(s, r, 0, s->j->what == MODEL_ALL_REDUCE);
}

/* ---- one machine: steps of a slab, in which all wait for all ---- */
static uint64_t all_ranks(struct sim *s, uint64_t at, double ns)
{
    uint64_t last = 0;
    for (uint32_t r = 0; r < s->n; r++) {
        const uint64_t end = work(s, r, at, ns);
        last = end > last ? end : last;
    }
    s->a->events += s->n;
    return last + wake(s);
}

static void near_run(struct sim *s)
{
    const double n = s->n;
    const bool scatter = s->j->what == MODEL_REDUCE_SCATTER,
               gather = s->j->what == MODEL_ALL_GATHER;
    const uint64_t bytes = s->j->bytes, slab = nccl_slab_bytes((int)s->n),
                   most = scatter ? slab / s->n : slab;
    const bool little = s->j->what == MODEL_ALL_REDUCE && bytes <= NCCL_NEAR_LITTLE;
    uint64_t at = 0;
    for (uint64_t from = 0; from < bytes; from += most) {
        const double b = (double)(bytes - from < most ? bytes - from : most);
        if (s->j->what == MODEL_BROADCAST) {
            at = work(s, 0, at, gb(b, reach(s, s->m->copy))) + wake(s);
            at = all_ranks(s, at, gb(b, reach(s, s->m->copy)));
            s->a->bytes += (uint64_t)b;
            continue;
        }
        at = all_ranks(s, at, gb(scatter ? b * n : b, reach(s, s->m->copy)));
        /* Sums of n arrays: each core reads n, and a rate is that of two. */
        if (gather)
            at = all_ranks(s, at, gb(b * n, reach(s, s->m->copy)));
        else if (little || scatter)
            at = all_ranks(s, at, gb(b * n / 2, s->m->sum));
        else {
            at = all_ranks(s, at, gb(b / 2, s->m->sum));
            at = s->j->what == MODEL_REDUCE ? work(s, 0, at, gb(b, reach(s, s->m->copy)))
                                            : all_ranks(s, at, gb(b, reach(s, s->m->copy)));
        }
        s->a->bytes += (uint64_t)(b * n * (scatter ? n : 1));
    }
    s->first = s->last = at;
}

/* ---- a run ---- */
static bool sim_new(struct sim *s)
{
    s->ncores = s->m->cores < 1 ? 1 : (uint32_t)s->m->cores;
    s->free_at = calloc(s->n, sizeof *s->free_at);
    s->left = calloc(s->n, sizeof *s->left);
    s->pending = calloc(s->n, sizeof *s->pending);
    s->cores = calloc((size_t)s->j->nodes * s->ncores, sizeof *s->cores);
    s->nodes = calloc(s->j->nodes, sizeof *s->nodes);
    return s->free_at && s->left && s->pending && s->cores && s->nodes;
}

static void loop(struct sim *s, void (*handle)(struct sim *, const struct event *))
{
    while (s->nheap && !s->failed) {
        const struct event e = pop(s);
        s->a->events++;
        handle(s, &e);
    }
}
static void ring_sums(struct sim *s, const struct event *e)
{
    ring_event(s, e, s->n - 1);
}
static void ring_copies(struct sim *s, const struct event *e)
{
    ring_event(s, e, 0);
}
static void chain_sums(struct sim *s, const struct event *e)
{
    chain_event(s, e, true);
}
static void chain_copies(struct sim *s, const struct event *e)
{
    chain_event(s, e, false);
}

static void far_run(struct sim *s)
{
    const enum model_what what = s->j->what;
    const bool tree = s->j->bytes <= NCCL_RING_LITTLE && s->n > 2;
    const bool rooted = what == MODEL_BROADCAST || what == MODEL_REDUCE;
    s->part = what == MODEL_ALL_REDUCE && !tree ? s->j->bytes / s->n : s->j->bytes;
    s->part = s->part ? s->part : 1;
    s->pieces = (uint32_t)((s->part + NCCL_PIECE - 1) / NCCL_PIECE);
    if (tree && (rooted || what == MODEL_ALL_REDUCE)) {
        s->a->how = "tree";
        s->whole = true;
        tree_start(s);
        loop(s, tree_event);
    } else if (rooted) {
        s->a->how = "chain";
        chain_start(s);
        loop(s, what == MODEL_REDUCE ? chain_sums : chain_copies);
    } else {
        s->a->how = "ring";
        s->steps = (s->n - 1) * (what == MODEL_ALL_REDUCE ? 2 : 1);
        ring_start(s);
        loop(s, what == MODEL_ALL_GATHER ? ring_copies : ring_sums);
    }
}

bool model_run(const struct model_machine *m, const struct model_job *j, struct model_answer *out)
{
    struct sim s = {.m = m, .j = j, .a = out, .n = j->nodes * j->ranks};
    *out = (struct model_answer){.how = "shared memory"};
    bool right = sim_new(&s);
    if (right && s.n > 1 && j->bytes) {
        if (j->nodes == 1)
            near_run(&s);
        else
            far_run(&s);
    }
    right = right && !s.failed;
    out->seconds = (double)s.last * 1e-9;
    out->first = (double)s.first * 1e-9;
    for (unsigned k = 0; right && k < j->nodes; k++)
        out->line_bytes = s.nodes[k].sent > out->line_bytes ? s.nodes[k].sent : out->line_bytes;
    if (s.last)
        out->busy = (double)s.worked / ((double)s.last * (double)s.ncores * j->nodes);
    free(s.heap);
    free(s.free_at);
    free(s.left);
    free(s.pending);
    free(s.cores);
    free(s.nodes);
    return right;
}

/* The root is one thread: it takes ranks in one by one, twice gives all entries to all (root.c),
 * and tells of a loss one after the other. A process that dies ends its connections at once; a
 * machine that is cut off is found by the silence, looked for at each beat. */
void model_lost(const struct model_machine *m, const struct model_job *j, struct model_loss *out)
{
    enum { ENTRY = 56 }; /* struct nccl_entry */
    const double n = (double)j->nodes * j->ranks, us = 1e-6;
    const double all = n * (ENTRY + 1) + 2 * HEAD;
    const double give = n * (2 * m->message * us + all * 1e-9 / m->socket);
    const double line = j->nodes > 1 ? n * all * 1e-9 / m->line : 0;
    const double reach = (j->nodes > 1 ? m->distance : m->wake) * us;
    out->meeting = n * m->connect * us + (give > line ? give : line) + 4 * reach;
    out->meeting_bytes = (uint64_t)(n * all);
    out->died_first = 2 * reach + m->message * us;
    out->died = out->died_first + (n - 2) * m->message * us + reach;
    out->cut_first = m->silence;
    out->cut = m->silence + m->beat + (n - 2) * m->message * us + reach;
}
