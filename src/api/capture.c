/* Capture: work submitted to a stream becomes nodes of a graph.
 *
 * Each stream that takes part keeps its frontier: the nodes that its next piece of work follows. An
 * event recorded in a captured stream stands for the frontier of that moment; a stream that waits
 * for it takes part from then on. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"

static bool set_frontier(struct tern_node ***to, size_t *nto, struct tern_node *const *from,
                         size_t n)
{
    struct tern_node **copy = malloc((n + 1) * sizeof *copy);
    if (!copy)
        return false;
    if (n)
        memcpy(copy, from, n * sizeof *copy);
    free(*to);
    *to = copy;
    *nto = n;
    return true;
}

static bool merge_frontier(struct tern_stream *s, struct tern_node *const *from, size_t n)
{
    struct tern_node **both = malloc((s->nfrontier + n + 1) * sizeof *both);
    if (!both)
        return false;
    size_t len = 0;
    for (size_t k = 0; k < s->nfrontier; k++)
        both[len++] = s->frontier[k];
    for (size_t k = 0; k < n; k++) {
        bool there = false;
        for (size_t j = 0; j < len && !there; j++)
            there = both[j] == from[k];
        if (!there)
            both[len++] = from[k];
    }
    free(s->frontier);
    s->frontier = both;
    s->nfrontier = len;
    return true;
}

enum tern_error capture_set_frontier(struct tern_stream *s, struct tern_node **after, size_t n,
                                     bool only)
{
    const bool ok =
        only ? set_frontier(&s->frontier, &s->nfrontier, after, n) : merge_frontier(s, after, n);
    return ok ? TERN_OK : TERN_OUT_OF_MEMORY;
}

/* Counts captures of blocking streams: while there is one, the device's own stream may not be used.
 */
static void count(struct tern_stream *s, int by)
{
    if (!s->blocking)
        return;
    pthread_mutex_lock(&s->device->lock);
    s->device->captures += (unsigned)by;
    pthread_mutex_unlock(&s->device->lock);
}

static void release(struct capture *c)
{
    if (!__atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL))
        free(c);
}

void capture_forget(struct tern_event *e)
{
    if (e->capture)
        release(e->capture);
    e->capture = NULL;
}

static void join(struct capture *c, struct tern_stream *s)
{
    s->capture = c;
    s->capture_next = c->streams;
    c->streams = s;
    count(s, 1);
}

enum tern_error capture_begin(struct tern_stream *s, enum capture_mode mode,
                              struct tern_graph *into, struct tern_node **after, size_t nafter)
{
    if (s->capture)
        return TERN_INVALID_ARGUMENT;
    if (s == &s->device->own)
        return TERN_CAPTURE_UNSUPPORTED;
    struct capture *c = calloc(1, sizeof *c);
    if (!c)
        return TERN_OUT_OF_MEMORY;
    enum tern_error e = into ? TERN_OK : graph_new(&c->graph);
    if (!e && !set_frontier(&s->frontier, &s->nfrontier, after, nafter))
        e = TERN_OUT_OF_MEMORY;
    if (e) {
        graph_free(c->graph);
        free(c);
        return e;
    }
    c->own_graph = !into;
    if (into)
        c->graph = into;
    c->users = 1;
    c->id = __atomic_add_fetch(&s->device->next_id, 1, __ATOMIC_RELAXED);
    c->origin = s;
    c->mode = mode;
    c->thread = pthread_self();
    join(c, s);
    return TERN_OK;
}

enum tern_error capture_break(struct tern_stream *s, enum tern_error e)
{
    if (s->capture)
        s->capture->invalid = true;
    return e;
}

enum capture_status capture_status(const struct tern_stream *s)
{
    return !s->capture ? CAPTURE_NONE : s->capture->invalid ? CAPTURE_BROKEN : CAPTURE_ACTIVE;
}

/* Marks everything that the nodes follow, and them. */
static enum tern_error mark_before(struct tern_graph *g, struct tern_node *const *from, size_t n)
{
    struct tern_node **stack = calloc(g->nnodes + 1, sizeof *stack);
    size_t depth = 0;
    if (!stack)
        return TERN_OUT_OF_MEMORY;
    for (size_t k = 0; k < g->nnodes; k++)
        g->nodes[k]->mark = 0;
    for (size_t k = 0; k < n; k++)
        if (!from[k]->mark) {
            from[k]->mark = 1;
            stack[depth++] = from[k];
        }
    while (depth) {
        struct tern_node *top = stack[--depth];
        for (size_t k = 0; k < top->nafter; k++)
            if (!top->after[k]->mark) {
                top->after[k]->mark = 1;
                stack[depth++] = top->after[k];
            }
    }
    free(stack);
    return TERN_OK;
}

/* A stream that took part goes before the capture ends: others must have followed all it did. */
void capture_leave(struct tern_stream *s)
{
    struct capture *c = s->capture;
    struct tern_stream **at = &c->streams;
    while (*at != s)
        at = &(*at)->capture_next;
    *at = s->capture_next;
    for (struct tern_stream *k = c->streams; k && s->nfrontier; k = k->capture_next) {
        size_t left = 0;
        if (mark_before(c->graph, k->frontier, k->nfrontier))
            break;
        for (size_t j = 0; j < s->nfrontier; j++)
            if (!s->frontier[j]->mark)
                s->frontier[left++] = s->frontier[j];
        s->nfrontier = left;
    }
    if (s->nfrontier)
        c->invalid = true;
    s->capture = NULL;
    count(s, -1);
}

enum tern_error capture_end(struct tern_stream *s, struct tern_graph **out)
{
    struct capture *c = s->capture;
    *out = NULL;
    if (!c)
        return TERN_INVALID_ARGUMENT;
    if (c->origin != s)
        return capture_break(s, TERN_CAPTURE_UNMATCHED);
    if (c->mode != CAPTURE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        return TERN_CAPTURE_THREAD;
    enum tern_error e =
        c->invalid ? TERN_CAPTURE_INVALIDATED : mark_before(c->graph, s->frontier, s->nfrontier);
    for (struct tern_stream *k = c->streams, *next; k; k = next) {
        next = k->capture_next;
        for (size_t j = 0; j < k->nfrontier && !e; j++)
            if (!k->frontier[j]->mark)
                e = TERN_CAPTURE_UNJOINED;
        k->capture = NULL;
        k->capture_next = NULL;
        k->nfrontier = 0;
        count(k, -1);
    }
    if (e && c->own_graph)
        graph_free(c->graph);
    else if (!e)
        *out = c->graph;
    c->over = true;
    release(c);
    return e;
}

static enum tern_error add_wait(struct tern_stream *s, struct tern_event *e)
{
    struct capture *c = s->capture;
    if (!e->capture) /* outside the graph */
        return capture_break(s, TERN_CAPTURE_ISOLATION);
    if (e->capture != c)
        return capture_break(s, TERN_CAPTURE_MERGE);
    return merge_frontier(s, e->frontier, e->nfrontier) ? TERN_OK : TERN_OUT_OF_MEMORY;
}

static enum tern_error add_node(struct tern_stream *s, const struct work *w)
{
    struct tern_node *n;
    enum tern_error e = graph_add(s->capture->graph, s->frontier, s->nfrontier, w, &n);
    if (!e && !set_frontier(&s->frontier, &s->nfrontier, &n, 1))
        e = TERN_OUT_OF_MEMORY;
    return e ? capture_break(s, e) : TERN_OK;
}

enum tern_error capture_add_event(struct tern_stream *s, struct tern_event *e, enum work_kind kind)
{
    if (s->capture->invalid)
        return TERN_CAPTURE_INVALIDATED;
    return add_node(s, &(struct work){.kind = kind, .device = s->device, .event = e});
}

enum tern_error capture_add(struct tern_stream *s, const struct work *w)
{
    struct capture *c = s->capture;
    if (c->invalid)
        return TERN_CAPTURE_INVALIDATED;
    if (w->kind == WORK_AFTER)
        return add_wait(s, w->event);
    if (w->kind == WORK_RECORD) {
        struct tern_event *e = w->event;
        if (!set_frontier(&e->frontier, &e->nfrontier, s->frontier, s->nfrontier))
            return TERN_OUT_OF_MEMORY;
        __atomic_add_fetch(&c->users, 1, __ATOMIC_RELAXED);
        if (e->capture)
            release(e->capture);
        e->capture = c;
        return TERN_OK;
    }
    return add_node(s, w);
}

enum tern_error capture_join(struct tern_stream *s, struct tern_event *e)
{
    struct capture *c = e->capture;
    if (c->over)
        return TERN_CAPTURED_EVENT;
    if (c->invalid)
        return TERN_CAPTURE_INVALIDATED;
    if (s == &s->device->own)
        return capture_break(c->origin, TERN_CAPTURE_IMPLICIT);
    if (!set_frontier(&s->frontier, &s->nfrontier, e->frontier, e->nfrontier))
        return TERN_OUT_OF_MEMORY;
    join(c, s);
    return TERN_OK;
}

/* ---- the public API ---- */

enum tern_error tern_record_begin(tern_stream *s)
{
    return capture_begin(s, CAPTURE_RELAXED, NULL, NULL, 0);
}

enum tern_error tern_record_end(tern_stream *s, tern_graph **out)
{
    return capture_end(s, out);
}
