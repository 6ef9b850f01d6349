/* Graphs: pieces of work with an order between them, and their replay.
 *
 * A replay is a sorted copy of the graph. Where the device can record its own queue, the copy is
 * recorded once, at the first replay, and handed to the device as a whole; elsewhere the pieces are
 * submitted one after the other, which costs what submitting costs. Memory that a graph allocates
 * is there as long as the graph or a copy of it is, so that its address is known from the start. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "prof/prof.h"

struct graph_user { /* a link from one graph to something shared */
    struct graph_user *next;
    struct shared {
        unsigned graphs;
        void (*fn)(void *);
        void *arg;
    } * shared;
};

struct graph_default {
    struct graph_default *next;
    struct tern_device *device;
    uint64_t at;
    uint32_t value;
};

enum tern_error graph_new(struct tern_graph **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? TERN_OK : TERN_OUT_OF_MEMORY;
}

static void bodies_free(struct tern_graph **bodies, unsigned n)
{
    for (unsigned k = 0; bodies && k < n; k++)
        graph_free(bodies[k]);
    free(bodies);
}

/* What a node owns of its work. */
static void drop_work(struct tern_node *n)
{
    if (n->work.kind == WORK_GRAPH)
        graph_free(n->work.graph);
    if (n->work.kind == WORK_CONDITION)
        bodies_free(n->work.condition.bodies, n->work.condition.nbodies);
    free(n->params);
    free(n->args);
}

static void node_free(struct tern_node *n)
{
    drop_work(n);
    free(n->after);
    free(n);
}

static void unlink_user(struct graph_user **at)
{
    struct graph_user *u = *at;
    *at = u->next;
    if (!__atomic_sub_fetch(&u->shared->graphs, 1, __ATOMIC_ACQ_REL)) {
        u->shared->fn(u->shared->arg);
        free(u->shared);
    }
    free(u);
}

void graph_free(struct tern_graph *g)
{
    if (!g)
        return;
    for (size_t k = 0; k < g->nnodes; k++)
        node_free(g->nodes[k]);
    while (g->users)
        unlink_user(&g->users);
    for (struct graph_default *d = g->defaults, *next; d; d = next) {
        next = d->next;
        free(d);
    }
    free(g->nodes);
    free(g);
}

enum tern_error graph_retain(struct tern_graph *g, void (*fn)(void *), void *arg)
{
    struct graph_user *u = calloc(1, sizeof *u);
    struct shared *s = u ? malloc(sizeof *s) : NULL;
    if (!s) {
        free(u);
        return TERN_OUT_OF_MEMORY;
    }
    *s = (struct shared){1, fn, arg};
    *u = (struct graph_user){g->users, s};
    g->users = u;
    return TERN_OK;
}

bool graph_unretain(struct tern_graph *g, const void *arg)
{
    for (struct graph_user **at = &g->users; *at; at = &(*at)->next)
        if ((*at)->shared->arg == arg) {
            unlink_user(at);
            return true;
        }
    return false;
}

enum tern_error graph_default(struct tern_graph *g, struct tern_device *d, uint64_t at,
                              uint32_t value)
{
    struct graph_default *new = malloc(sizeof *new);
    if (!new)
        return TERN_OUT_OF_MEMORY;
    *new = (struct graph_default){g->defaults, d, at, value};
    g->defaults = new;
    return TERN_OK;
}

static enum tern_error share_users(struct tern_graph *to, const struct tern_graph *from)
{
    for (const struct graph_user *u = from->users; u; u = u->next) {
        struct graph_user *v = calloc(1, sizeof *v);
        if (!v)
            return TERN_OUT_OF_MEMORY;
        *v = (struct graph_user){to->users, u->shared};
        __atomic_add_fetch(&u->shared->graphs, 1, __ATOMIC_RELAXED);
        to->users = v;
    }
    return TERN_OK;
}

/* ---- nodes ---- */

static enum tern_error clone_bodies(const struct work *w, struct tern_graph ***out)
{
    struct tern_graph **bodies = calloc(w->condition.nbodies + 1, sizeof *bodies);
    enum tern_error e = bodies ? TERN_OK : TERN_OUT_OF_MEMORY;
    for (unsigned k = 0; k < w->condition.nbodies && !e; k++)
        e = graph_clone(w->condition.bodies[k], &bodies[k]);
    if (e)
        bodies_free(bodies, w->condition.nbodies);
    else
        *out = bodies;
    return e;
}

/* Takes w into n, with copies of what it refers to. n is unchanged on failure. */
static enum tern_error take_work(struct tern_node *n, const struct work *w)
{
    unsigned char *params = NULL;
    struct tern_graph *child = NULL;
    const void *given = NULL;
    size_t bytes = 0;
    if (w->kind == WORK_KERNEL) {
        given = w->kernel.shape.params;
        bytes = w->kernel.shape.param_bytes;
    } else if (w->kind == WORK_CALL) {
        given = w->call.arg;
        bytes = w->call.bytes;
    } else if (w->kind == WORK_WORDS) {
        given = w->words.list;
        bytes = w->words.n * sizeof *w->words.list;
    }
    if (bytes) {
        params = malloc(bytes);
        if (!params)
            return TERN_OUT_OF_MEMORY;
        memcpy(params, given, bytes);
    }
    enum tern_error e = TERN_OK;
    if (w->kind == WORK_GRAPH)
        e = graph_clone(w->graph, &child);
    struct tern_graph **bodies = NULL;
    if (w->kind == WORK_CONDITION)
        e = clone_bodies(w, &bodies);
    if (e)
        return e;
    drop_work(n);
    n->work = *w;
    n->params = params;
    n->args = NULL;
    if (w->kind == WORK_KERNEL)
        n->work.kernel.shape.params = params;
    if (w->kind == WORK_CALL && bytes)
        n->work.call.arg = params;
    if (w->kind == WORK_WORDS)
        n->work.words.list = (const struct work_word *)params;
    if (w->kind == WORK_GRAPH)
        n->work.graph = child;
    if (w->kind == WORK_CONDITION)
        n->work.condition.bodies = bodies;
    return TERN_OK;
}

enum tern_error graph_depend(struct tern_node *later, struct tern_node *earlier)
{
    for (size_t k = 0; k < later->nafter; k++)
        if (later->after[k] == earlier)
            return TERN_INVALID_ARGUMENT;
    if (later->nafter == later->cap_after) {
        size_t cap = later->cap_after ? 2 * later->cap_after : 4;
        struct tern_node **grown = realloc(later->after, cap * sizeof *grown);
        if (!grown)
            return TERN_OUT_OF_MEMORY;
        later->after = grown;
        later->cap_after = cap;
    }
    later->after[later->nafter++] = earlier;
    return TERN_OK;
}

bool graph_independ(struct tern_node *later, struct tern_node *earlier)
{
    for (size_t k = 0; k < later->nafter; k++)
        if (later->after[k] == earlier) {
            memmove(later->after + k, later->after + k + 1,
                    (later->nafter - k - 1) * sizeof *later->after);
            later->nafter--;
            return true;
        }
    return false;
}

enum tern_error graph_add(struct tern_graph *g, struct tern_node *const *after, size_t nafter,
                          const struct work *w, struct tern_node **out)
{
    if (g->nnodes == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 8;
        struct tern_node **grown = realloc(g->nodes, cap * sizeof *grown);
        if (!grown)
            return TERN_OUT_OF_MEMORY;
        g->nodes = grown;
        g->cap = cap;
    }
    struct tern_node *n = calloc(1, sizeof *n);
    if (!n)
        return TERN_OUT_OF_MEMORY;
    n->graph = g;
    enum tern_error e = take_work(n, w);
    for (size_t k = 0; k < nafter && !e; k++)
        e = graph_has(g, after[k]) ? graph_depend(n, after[k]) : TERN_INVALID_ARGUMENT;
    if (e) {
        node_free(n);
        return e;
    }
    n->index = g->nnodes;
    g->nodes[g->nnodes++] = n;
    *out = n;
    return TERN_OK;
}

void graph_remove(struct tern_node *n)
{
    struct tern_graph *g = n->graph;
    for (size_t k = 0; k < g->nnodes; k++)
        graph_independ(g->nodes[k], n);
    memmove(g->nodes + n->index, g->nodes + n->index + 1,
            (g->nnodes - n->index - 1) * sizeof *g->nodes);
    g->nnodes--;
    for (size_t k = n->index; k < g->nnodes; k++)
        g->nodes[k]->index = k;
    node_free(n);
}

enum tern_error graph_set(struct tern_node *n, const struct work *w)
{
    return n->work.kind == w->kind ? take_work(n, w) : TERN_INVALID_ARGUMENT;
}

enum tern_error graph_args(struct tern_node *n, void ***args)
{
    const struct rt_kernel *k = n->work.kernel.kernel;
    if (!n->args) {
        n->args = calloc(k->nparams + 1, sizeof *n->args);
        if (!n->args)
            return TERN_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < k->nparams; i++)
            n->args[i] = n->params + k->params[i].offset;
    }
    *args = n->args;
    return TERN_OK;
}

bool graph_has(const struct tern_graph *g, const struct tern_node *n)
{
    return n && n->graph == g;
}

enum tern_error graph_clone(const struct tern_graph *g, struct tern_graph **out)
{
    struct tern_graph *c;
    enum tern_error e = graph_new(&c);
    for (size_t k = 0; k < g->nnodes && !e; k++) {
        struct tern_node *n;
        e = graph_add(c, NULL, 0, &g->nodes[k]->work, &n);
        if (!e) {
            n->origin = g->nodes[k];
            n->off = g->nodes[k]->off;
        }
    }
    for (size_t k = 0; k < g->nnodes && !e; k++) /* a node may follow one that was made later */
        for (size_t j = 0; j < g->nodes[k]->nafter && !e; j++)
            e = graph_depend(c->nodes[k], c->nodes[g->nodes[k]->after[j]->index]);
    for (const struct graph_default *d = g->defaults; d && !e; d = d->next)
        e = graph_default(c, d->device, d->at, d->value);
    if (!e)
        e = share_users(c, g);
    if (e) {
        graph_free(c);
        return e;
    }
    *out = c;
    return TERN_OK;
}

/* ---- order ---- */

enum { NEW, OPEN, DONE };

/* Walks from n to what it follows, with a stack of its own: chains may be long. order gets each
 * node after what it follows; false: there is a cycle. */
static bool sort_from(struct tern_node *n, struct tern_node **stack, struct tern_node **order,
                      size_t *len)
{
    size_t depth = 0;
    if (n->mark == DONE)
        return true;
    stack[depth++] = n;
    while (depth) {
        struct tern_node *top = stack[depth - 1], *next = NULL;
        top->mark = OPEN;
        for (size_t k = 0; k < top->nafter && !next; k++) {
            if (top->after[k]->mark == OPEN)
                return false;
            if (top->after[k]->mark == NEW)
                next = top->after[k];
        }
        if (next) {
            stack[depth++] = next;
        } else {
            top->mark = DONE;
            order[(*len)++] = top;
            depth--;
        }
    }
    return true;
}

static enum tern_error sort(struct tern_graph *g, struct tern_node **order)
{
    struct tern_node **stack = calloc(g->nnodes + 1, sizeof *stack);
    size_t len = 0;
    bool ok = true;
    if (!stack)
        return TERN_OUT_OF_MEMORY;
    for (size_t k = 0; k < g->nnodes; k++)
        g->nodes[k]->mark = NEW;
    for (size_t k = 0; k < g->nnodes && ok; k++)
        ok = sort_from(g->nodes[k], stack, order, &len);
    free(stack);
    return ok ? TERN_OK : TERN_INVALID_ARGUMENT;
}

/* ---- replay ---- */

enum tern_error replay_new(const struct tern_graph *g, struct tern_device *d,
                           struct tern_replay **out)
{
    struct tern_replay *r = calloc(1, sizeof *r);
    if (!r)
        return TERN_OUT_OF_MEMORY;
    r->device = d;
    pthread_mutex_init(&r->lock, NULL);
    enum tern_error e = graph_clone(g, &r->graph);
    if (!e && !(r->order = calloc(r->graph->nnodes + 1, sizeof *r->order)))
        e = TERN_OUT_OF_MEMORY;
    if (!e)
        e = sort(r->graph, r->order);
    if (e) {
        replay_free(r);
        return e;
    }
    *out = r;
    return TERN_OK;
}

static void drop_native(struct tern_replay *r)
{
    if (r->native)
        r->device->rt.driver->graph_free(r->native);
    r->native = NULL;
    r->tried = false;
}

void replay_free(struct tern_replay *r)
{
    if (!r)
        return;
    if (r->native) /* the device may still be at it */
        device_wait(r->device);
    drop_native(r);
    graph_free(r->graph);
    free(r->order);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* What a device records of its own queue: kernels, fills and copies on itself, calls. Kernels are
 * prepared: a driver does not load code while it records. */
static bool recordable(const struct tern_device *d, const struct tern_graph *g)
{
    const struct dev_driver *v = d->rt.driver;
    for (size_t k = 0; k < g->nnodes; k++) {
        const struct work *w = &g->nodes[k]->work;
        switch (w->kind) {
        case WORK_EMPTY:
        case WORK_ALLOC:
        case WORK_FREE:
        case WORK_CALL: break;
        case WORK_KERNEL:
            if (w->device != d || (v->prepare && v->prepare(w->kernel.kernel->dev)))
                return false;
            break;
        case WORK_COPY:
            if (w->copy.to.device != d || w->copy.from.device != d)
                return false; /* of host memory: as it is at each replay, and pinned or not */
            break;
        case WORK_FILL:
            if (w->fill.to.device != d)
                return false;
            break;
        case WORK_GRAPH:
            if (!recordable(d, w->graph))
                return false;
            break;
        default: return false;
        }
    }
    return true;
}

static size_t earlier(const void *node, size_t k)
{
    return ((const struct tern_node *)node)->after[k]->index;
}

/* A checker holds nodes to the order of the graph, not to that in which they are done. */
static enum tern_error do_node(struct tern_stream *s, const struct tern_node *n)
{
    const struct check_node about = {n->index, n->nafter, earlier, n};
    if (s->device->context->check)
        check_graph_node(s->device->context->check, s->queue, &about);
    return n->off ? TERN_OK : work_do(s, &n->work);
}

static enum tern_error do_nodes(struct tern_stream *s, const struct tern_graph *g,
                                struct tern_node **order)
{
    struct check *check = s->device->context->check;
    enum tern_error e = TERN_OK;
    if (check) /* all nodes come after what it makes the stream follow */
        e = stream_begin(s);
    for (const struct graph_default *d = g->defaults; d && !e; d = d->next)
        e = work_do(s, &(struct work){.kind = WORK_FILL,
                                      .device = d->device,
                                      .fill = {.to = {.device = d->device, .at = d->at},
                                               .width = sizeof d->value,
                                               .height = 1,
                                               .value = d->value,
                                               .element = sizeof d->value}});
    if (check)
        check_graph_begin(check, s->queue, g->nnodes);
    for (size_t k = 0; k < g->nnodes && !e; k++)
        e = do_node(s, order[k]);
    if (check)
        check_graph_end(check, s->queue);
    return e;
}

/* The device's own form of the replay; on failure the pieces are submitted singly, which always
 * works. The recording is made on a stream of its own: nothing of s may get into it. */
static void make_native(struct tern_replay *r)
{
    struct tern_device *d = r->device;
    const struct dev_driver *v = d->rt.driver;
    struct tern_stream *s;
    r->tried = true;
    if (prof_on() || /* a recording shows every node */
        d->context->check || !v->capture_begin || r->graph->nnodes < 2 ||
        !recordable(d, r->graph) || stream_new(d, false, 0, 0, &s))
        return;
    if (!v->capture_begin(s->queue)) {
        enum tern_error e = do_nodes(s, r->graph, r->order);
        struct dev_graph *g = NULL;
        if (v->capture_end(s->queue, &g))
            g = NULL;
        if (e && g)
            v->graph_free(g);
        else
            r->native = g;
    }
    stream_free(s);
}

static enum tern_error run(struct tern_replay *r, struct tern_stream *s)
{
    if (!r->native)
        return do_nodes(s, r->graph, r->order);
    enum tern_error e = stream_begin(s);
    if (!e)
        e = device_check(r->device, r->device->rt.driver->graph_launch(r->native, s->queue));
    stream_end(s);
    return e;
}

/* A replay follows the one before it, whichever stream that went to: they use the same memory. */
enum tern_error replay_run(struct tern_replay *r, struct tern_stream *s)
{
    if (s->device != r->device)
        return TERN_INVALID_HANDLE;
    if (s->capture)
        return work_submit(
            s, &(struct work){.kind = WORK_GRAPH, .device = s->device, .graph = r->graph});
    pthread_mutex_lock(&r->lock);
    if (!r->tried)
        make_native(r);
    enum tern_error e = r->ran && r->last != s->id ? stream_follow(s, r->last) : TERN_OK;
    if (!e)
        e = run(r, s);
    r->ran = true;
    r->last = s->id;
    pthread_mutex_unlock(&r->lock);
    return e;
}

enum tern_error graph_do(struct tern_stream *s, struct tern_graph *g)
{
    struct tern_node **order = calloc(g->nnodes + 1, sizeof *order);
    enum tern_error e = order ? sort(g, order) : TERN_OUT_OF_MEMORY;
    if (!e)
        e = do_nodes(s, g, order);
    free(order);
    return e;
}

struct tern_node *replay_node(struct tern_replay *r, const struct tern_node *n)
{
    for (size_t k = 0; k < r->graph->nnodes; k++)
        if (r->graph->nodes[k]->origin == n)
            return r->graph->nodes[k];
    return NULL;
}

enum tern_error replay_set(struct tern_replay *r, const struct tern_node *n, const struct work *w)
{
    struct tern_node *own = replay_node(r, n);
    if (!own)
        return TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&r->lock);
    drop_native(r);
    enum tern_error e = graph_set(own, w);
    pthread_mutex_unlock(&r->lock);
    return e;
}

enum tern_error replay_enable(struct tern_replay *r, const struct tern_node *n, bool on)
{
    struct tern_node *own = replay_node(r, n);
    if (!own)
        return TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&r->lock);
    drop_native(r);
    own->off = !on;
    pthread_mutex_unlock(&r->lock);
    return TERN_OK;
}

/* Nodes correspond by their order of creation, and must follow the same ones. */
static bool same_shape(const struct tern_node *a, const struct tern_node *b)
{
    if (a->work.kind != b->work.kind || a->nafter != b->nafter)
        return false;
    for (size_t k = 0; k < a->nafter; k++)
        if (a->after[k]->index != b->after[k]->index)
            return false;
    if (a->work.kind == WORK_CONDITION)
        return a->work.condition.kind == b->work.condition.kind &&
               a->work.condition.nbodies == b->work.condition.nbodies;
    return a->work.kind != WORK_KERNEL || a->work.kernel.kernel == b->work.kernel.kernel ||
           a->work.device == b->work.device;
}

enum tern_error replay_update(struct tern_replay *r, const struct tern_graph *g,
                              struct tern_node **at)
{
    *at = NULL;
    if (g->nnodes != r->graph->nnodes)
        return TERN_GRAPH_UPDATE;
    for (size_t k = 0; k < g->nnodes; k++)
        if (!same_shape(r->graph->nodes[k], g->nodes[k])) {
            *at = g->nodes[k];
            return TERN_GRAPH_UPDATE;
        }
    pthread_mutex_lock(&r->lock);
    drop_native(r);
    enum tern_error e = TERN_OK;
    for (size_t k = 0; k < g->nnodes && !e; k++) {
        e = graph_set(r->graph->nodes[k], &g->nodes[k]->work);
        if (!e)
            r->graph->nodes[k]->origin = g->nodes[k];
    }
    pthread_mutex_unlock(&r->lock);
    return e;
}

/* ---- the public API ---- */

void tern_graph_free(tern_graph *g)
{
    graph_free(g);
}

size_t tern_graph_size(const tern_graph *g)
{
    return g->nnodes;
}

enum tern_error tern_replay_new(tern_graph *g, tern_device *d, tern_replay **out)
{
    *out = NULL;
    return replay_new(g, d, out);
}

void tern_replay_free(tern_replay *r)
{
    replay_free(r);
}

enum tern_error tern_replay_run(tern_replay *r, tern_stream *s)
{
    return replay_run(r, s ? s : &r->device->own);
}

enum tern_error tern_replay_update(tern_replay *r, tern_graph *g)
{
    struct tern_node *at;
    return replay_update(r, g, &at);
}
