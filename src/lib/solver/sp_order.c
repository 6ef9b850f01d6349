/* Orders of rows and columns that keep factors sparse. See sp_int.h. */
#include "lib/solver/sp_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

struct graph {
    int n;
    int *ptr, *to; /* without loops, each neighbour once */
};

static void free_graph(struct graph *g)
{
    free(g->ptr);
    free(g->to);
}

/* Neighbours as pairs; counted first, then stored. */
struct pairs {
    int64_t count, room;
    int *from, *to;
    bool failed;
};

static void pair(struct pairs *p, int i, int j)
{
    if (p->count == p->room) {
        const int64_t room = 2 * p->room + 1024;
        int *from = realloc(p->from, (size_t)room * sizeof *from);
        if (from)
            p->from = from;
        int *to = realloc(p->to, (size_t)room * sizeof *to);
        if (to)
            p->to = to;
        if (!from || !to) {
            p->failed = true;
            return;
        }
        p->room = room;
    }
    p->from[p->count] = i;
    p->to[p->count++] = j;
}

static bool graph_of(struct pairs *p, int n, struct graph *g)
{
    int *at = calloc((size_t)n + 1, sizeof *at), *mark = malloc(((size_t)n + 1) * sizeof *mark);
    *g = (struct graph){n, calloc((size_t)n + 1, sizeof(int)),
                        malloc(((size_t)p->count + 1) * sizeof(int))};
    bool right = !p->failed && at && mark && g->ptr && g->to;
    if (right) {
        for (int64_t k = 0; k < p->count; k++)
            g->ptr[p->from[k] + 1]++;
        for (int i = 0; i < n; i++) {
            g->ptr[i + 1] += g->ptr[i];
            at[i] = g->ptr[i];
            mark[i] = -1;
        }
        for (int64_t k = 0; k < p->count; k++)
            g->to[at[p->from[k]]++] = p->to[k];
        int out = 0;
        for (int i = 0; i < n; i++) { /* each once */
            const int from = g->ptr[i], end = at[i];
            g->ptr[i] = out;
            for (int q = from; q < end; q++)
                if (mark[g->to[q]] != i) {
                    mark[g->to[q]] = i;
                    g->to[out++] = g->to[q];
                }
        }
        g->ptr[n] = out;
    }
    free(at);
    free(mark);
    free(p->from);
    free(p->to);
    if (!right)
        free_graph(g);
    return right;
}

static bool symmetric_graph(const struct sp_matrix *a, struct graph *g)
{
    struct pairs p = {0};
    for (int i = 0; i < a->m; i++)
        for (int q = a->ptr[i]; q < a->ptr[i + 1]; q++)
            if (a->col[q] != i) {
                pair(&p, i, a->col[q]);
                pair(&p, a->col[q], i);
            }
    return graph_of(&p, a->n, g);
}

/* Columns that share a row. Rows that are long would make everything everybody's neighbour. */
static bool column_graph(const struct sp_matrix *a, struct graph *g)
{
    enum { LONG = 200 };
    struct pairs p = {0};
    for (int i = 0; i < a->m; i++) {
        if (a->ptr[i + 1] - a->ptr[i] > LONG)
            continue;
        for (int q = a->ptr[i]; q < a->ptr[i + 1]; q++)
            for (int r = a->ptr[i]; r < a->ptr[i + 1]; r++)
                if (q != r)
                    pair(&p, a->col[q], a->col[r]);
    }
    return graph_of(&p, a->n, g);
}

/* ---- from one end of the graph to the other (Cuthill and McKee, reversed) ---- */

static int degree(const struct graph *g, int i)
{
    return g->ptr[i + 1] - g->ptr[i];
}

/* Levels from a node on; the last one reached that has fewest neighbours. */
static int far_from(const struct graph *g, int start, int *mark, int stamp, int *queue, int *depth)
{
    int head = 0, tail = 0, last = start;
    queue[tail++] = start;
    mark[start] = stamp;
    *depth = 0;
    while (head < tail) {
        const int end = tail;
        last = queue[head];
        for (; head < end; head++) {
            if (degree(g, queue[head]) < degree(g, last))
                last = queue[head];
            for (int p = g->ptr[queue[head]]; p < g->ptr[queue[head] + 1]; p++)
                if (mark[g->to[p]] != stamp) {
                    mark[g->to[p]] = stamp;
                    queue[tail++] = g->to[p];
                }
        }
        ++*depth;
    }
    return last;
}

static int *reversed_levels(const struct graph *g)
{
    const int n = g->n;
    int *order = malloc(((size_t)n + 1) * sizeof *order),
        *queue = malloc(((size_t)n + 1) * sizeof *queue);
    int *mark = calloc((size_t)n + 1, sizeof *mark), *done = calloc((size_t)n + 1, sizeof *done);
    int count = 0, stamp = 0;
    if (!order || !queue || !mark || !done) {
        free(order);
        order = NULL;
    }
    for (int s = 0; order && s < n; s++) {
        if (done[s])
            continue;
        int from = s, depth = 0, before = -1;
        while (depth > before) { /* to an end of the component */
            int next;
            before = depth;
            next = far_from(g, from, mark, ++stamp, queue, &depth);
            if (depth > before)
                from = next;
        }
        int head = count;
        order[count++] = from;
        done[from] = 1;
        while (head < count) {
            const int i = order[head++], first = count;
            for (int p = g->ptr[i]; p < g->ptr[i + 1]; p++)
                if (!done[g->to[p]]) {
                    done[g->to[p]] = 1;
                    order[count++] = g->to[p];
                }
            for (int x = first + 1; x < count; x++) { /* those with few neighbours first */
                const int v = order[x];
                int y = x;
                for (; y > first && degree(g, order[y - 1]) > degree(g, v); y--)
                    order[y] = order[y - 1];
                order[y] = v;
            }
        }
    }
    for (int k = 0; order && k < n / 2; k++) {
        const int v = order[k];
        order[k] = order[n - 1 - k];
        order[n - 1 - k] = v;
    }
    free(queue);
    free(mark);
    free(done);
    return order;
}

/* ---- fewest neighbours first, on quotient graphs, with bounds of degrees (Amestoy, Davis and
 * Duff) ---- */

struct list {
    int count, room, *item;
};

static bool append(struct list *l, int v)
{
    if (l->count == l->room) {
        const int room = 2 * l->room + 4;
        int *item = realloc(l->item, (size_t)room * sizeof *item);
        if (!item)
            return false;
        l->item = item;
        l->room = room;
    }
    l->item[l->count++] = v;
    return true;
}

struct degrees {
    int n;
    struct list *near, *elements,
        *members; /* of nodes; of elements, which have their pivot's number */
    int *degree, *head, *next, *last, *mark, *gone, *outside, *seen;
    int stamp;
};

static void unlink_node(struct degrees *d, int i)
{
    if (d->next[i] >= 0)
        d->last[d->next[i]] = d->last[i];
    if (d->last[i] >= 0)
        d->next[d->last[i]] = d->next[i];
    else
        d->head[d->degree[i]] = d->next[i];
}

static void link_node(struct degrees *d, int i, int degree)
{
    d->degree[i] = degree;
    d->last[i] = -1;
    d->next[i] = d->head[degree];
    if (d->head[degree] >= 0)
        d->last[d->head[degree]] = i;
    d->head[degree] = i;
}

/* The neighbours of a pivot become the members of its element. */
static bool make_element(struct degrees *d, int p)
{
    struct list *m = d->members + p;
    const int stamp = ++d->stamp;
    bool right = true;
    d->mark[p] = stamp;
    for (int k = 0; k < d->near[p].count; k++) {
        const int i = d->near[p].item[k];
        if (!d->gone[i] && d->mark[i] != stamp) {
            d->mark[i] = stamp;
            right = right && append(m, i);
        }
    }
    for (int k = 0; k < d->elements[p].count; k++) {
        struct list *e = d->members + d->elements[p].item[k];
        for (int q = 0; q < e->count; q++)
            if (d->mark[e->item[q]] != stamp) {
                d->mark[e->item[q]] = stamp;
                right = right && append(m, e->item[q]);
            }
        e->count = 0; /* absorbed */
    }
    return right;
}

/* New bounds of the members' degrees. */
static bool update(struct degrees *d, int p, int left)
{
    const struct list *m = d->members + p;
    const int stamp = d->stamp; /* members are marked with it */
    for (int k = 0; k < m->count; k++) {
        const struct list *e = d->elements + m->item[k];
        for (int q = 0; q < e->count; q++) {
            const int x = e->item[q];
            if (d->seen[x] != stamp) {
                d->seen[x] = stamp;
                d->outside[x] = d->members[x].count;
            }
            d->outside[x]--;
        }
    }
    for (int k = 0; k < m->count; k++) {
        const int i = m->item[k];
        struct list *near = d->near + i, *e = d->elements + i;
        int kept = 0, degree = m->count - 1;
        for (int q = 0; q < near->count; q++)
            if (!d->gone[near->item[q]] && d->mark[near->item[q]] != stamp)
                near->item[kept++] = near->item[q];
        near->count = kept;
        degree += kept;
        kept = 0;
        for (int q = 0; q < e->count; q++)
            if (d->members[e->item[q]].count && d->outside[e->item[q]] > 0) {
                degree += d->outside[e->item[q]];
                e->item[kept++] = e->item[q];
            }
        e->count = kept;
        if (!append(e, p))
            return false;
        unlink_node(d, i);
        link_node(d, i, degree < left ? degree : left);
    }
    return true;
}

static int *fewest_first(const struct graph *g)
{
    const int n = g->n;
    const size_t room = (size_t)n + 1;
    struct degrees d = {.n = n};
    int *ints = calloc(8 * room, sizeof *ints), *order = malloc(room * sizeof *order);
    struct list *lists = calloc(3 * room, sizeof *lists);
    bool right = ints && order && lists;
    if (right) {
        d.near = lists;
        d.elements = lists + room;
        d.members = lists + 2 * room;
        d.degree = ints;
        d.head = ints + room;
        d.next = ints + 2 * room;
        d.last = ints + 3 * room;
        d.mark = ints + 4 * room;
        d.gone = ints + 5 * room;
        d.outside = ints + 6 * room;
        d.seen = ints + 7 * room;
        for (int i = 0; i <= n; i++)
            d.head[i] = -1;
        for (int i = n - 1; right && i >= 0; i--) {
            for (int q = g->ptr[i]; right && q < g->ptr[i + 1]; q++)
                right = append(d.near + i, g->to[q]);
            link_node(&d, i, degree(g, i));
        }
    }
    for (int k = 0, least = 0; right && k < n; k++) {
        for (least = 0; d.head[least] < 0;)
            least++;
        const int p = d.head[least];
        order[k] = p;
        unlink_node(&d, p);
        d.gone[p] = 1;
        right = make_element(&d, p) && update(&d, p, n - k - 1);
    }
    for (size_t k = 0; lists && k < 3 * room; k++)
        free(lists[k].item);
    free(lists);
    free(ints);
    if (!right) {
        free(order);
        order = NULL;
    }
    return order;
}

/* ---- */

static int *order_of(struct graph *g, enum sp_order how)
{
    int *order = how == SP_RCM ? reversed_levels(g) : fewest_first(g);
    free_graph(g);
    return order;
}

static int *natural(int n)
{
    int *order = malloc(((size_t)n + 1) * sizeof *order);
    for (int k = 0; order && k < n; k++)
        order[k] = k;
    return order;
}

int *sp_ordering(const struct sp_matrix *a, enum sp_order how)
{
    struct graph g;
    if (how == SP_NATURAL)
        return natural(a->n);
    return symmetric_graph(a, &g) ? order_of(&g, how) : NULL;
}

int *sp_column_ordering(const struct sp_matrix *a, enum sp_order how)
{
    struct graph g;
    if (how == SP_NATURAL)
        return natural(a->n);
    return column_graph(a, &g) ? order_of(&g, how) : NULL;
}
