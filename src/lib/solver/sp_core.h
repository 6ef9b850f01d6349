/* Cholesky, elimination and reflections of sparse matrices, for elements of type E. Included once
 * for each; CONJ and SIZE are theirs, and OPS names the table. */
#include "lib/solver/sp_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that grow ---- */

struct column_store {
    int64_t count, room;
    int *index;
    E *value;
};

static bool make_room(struct column_store *s, int64_t more)
{
    if (s->count + more <= s->room)
        return true;
    const int64_t room = 2 * s->room + more + 64;
    int *index = realloc(s->index, (size_t)room * sizeof *index);
    if (index)
        s->index = index;
    E *value = realloc(s->value, (size_t)room * sizeof *value);
    if (value)
        s->value = value;
    if (index && value)
        s->room = room;
    return index && value;
}

static void add_to(struct column_store *s, int index, E value)
{
    s->index[s->count] = index;
    s->value[s->count++] = value;
}

static void free_store(struct column_store *s)
{
    free(s->index);
    free(s->value);
}

static int *inverse_of(const int *order, int n)
{
    int *p = malloc(((size_t)n + 1) * sizeof *p);
    for (int k = 0; p && k < n; k++)
        p[order[k]] = k;
    return p;
}

/* ---- Cholesky: row by row, along the elimination tree ---- */

struct cholesky {
    int n, *order;
    int64_t *ptr; /* columns of L, the diagonal first */
    int *row;
    E *val;
};

static void free_cholesky(void *v)
{
    struct cholesky *f = v;
    if (!f)
        return;
    free(f->order);
    free(f->ptr);
    free(f->row);
    free(f->val);
    free(f);
}

/* The columns of row k of L, in an order in which each comes before those that depend on it:
 * out[top … n-1]. */
static int reach(const struct sp_matrix *a, const int *order, const int *place, const int *parent,
                 int k, int *mark, int *out, int *path)
{
    int top = a->n;
    mark[k] = k;
    for (int p = a->ptr[order[k]]; p < a->ptr[order[k] + 1]; p++) {
        int length = 0;
        for (int i = place[a->col[p]]; i < k && mark[i] != k; i = parent[i]) {
            path[length++] = i;
            mark[i] = k;
        }
        while (length > 0)
            out[--top] = path[--length];
    }
    return top;
}

static void tree_of(const struct sp_matrix *a, const int *order, const int *place, int *parent,
                    int *ancestor)
{
    for (int k = 0; k < a->n; k++) {
        parent[k] = ancestor[k] = -1;
        for (int p = a->ptr[order[k]]; p < a->ptr[order[k] + 1]; p++)
            for (int i = place[a->col[p]], next; i != -1 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next == -1)
                    parent[i] = k;
            }
    }
}

/* The rows of L; which pivot is not positive, or -1. */
static int rows_of(const struct sp_matrix *a, struct cholesky *f, const int *place,
                   const int *parent, int *mark, int *out, int *path, int64_t *end, E *x)
{
    const E *val = a->val;
    for (int k = 0; k < a->n; k++) {
        const int top = reach(a, f->order, place, parent, k, mark, out, path);
        double d = 0;
        for (int p = a->ptr[f->order[k]]; p < a->ptr[f->order[k] + 1]; p++) {
            const int j = place[a->col[p]];
            if (j < k)
                x[j] += CONJ(val[p]);
            else if (j == k)
                d += REAL(val[p]);
        }
        for (int t = top; t < a->n; t++) {
            const int j = out[t];
            const E y = x[j] / f->val[f->ptr[j]];
            x[j] = 0;
            for (int64_t p = f->ptr[j] + 1; p < end[j]; p++)
                x[f->row[p]] -= f->val[p] * y;
            d -= REAL(y * CONJ(y));
            f->row[end[j]] = k;
            f->val[end[j]++] = CONJ(y);
        }
        if (!(d > 0))
            return k;
        f->row[end[k]] = k;
        f->val[end[k]++] = sqrt(d);
    }
    return SP_REGULAR;
}

static void *cholesky(const struct sp_matrix *a, int *order, int *bad)
{
    const size_t n = (size_t)a->n;
    struct cholesky *f = calloc(1, sizeof *f);
    int *place = order ? inverse_of(order, a->n) : NULL, *ints = calloc(5 * n + 5, sizeof *ints);
    int64_t *end = calloc(n + 1, sizeof *end);
    E *x = calloc(n + 1, sizeof *x);
    *bad = SP_NO_MEMORY;
    if (f) {
        f->n = a->n;
        f->order = order;
        f->ptr = calloc(n + 1, sizeof *f->ptr);
    } else {
        free(order);
    }
    if (f && f->ptr && place && ints && end && x) {
        int *parent = ints, *ancestor = ints + n, *mark = ints + 2 * n, *out = ints + 3 * n;
        int *path = ints + 4 * n;
        tree_of(a, order, place, parent, ancestor);
        for (size_t k = 0; k < n; k++)
            mark[k] = -1;
        for (int k = 0; k < a->n; k++) { /* how long columns get */
            end[k]++;
            for (int t = reach(a, order, place, parent, k, mark, out, path); t < a->n; t++)
                end[out[t]]++;
        }
        for (size_t k = 0; k < n; k++) {
            f->ptr[k + 1] = f->ptr[k] + end[k];
            end[k] = f->ptr[k];
            mark[k] = -1;
        }
        f->row = malloc(((size_t)f->ptr[n] + 1) * sizeof *f->row);
        f->val = malloc(((size_t)f->ptr[n] + 1) * sizeof *f->val);
        if (f->row && f->val)
            *bad = rows_of(a, f, place, parent, mark, out, path, end, x);
    }
    free(place);
    free(ints);
    free(end);
    free(x);
    if (*bad != SP_REGULAR) {
        free_cholesky(f);
        f = NULL;
    }
    return f;
}

static void solve_cholesky(const void *v, const void *b0, void *x0)
{
    const struct cholesky *f = v;
    const E *b = b0;
    E *x = x0, *y = malloc(((size_t)f->n + 1) * sizeof *y);
    if (!y)
        return;
    for (int k = 0; k < f->n; k++)
        y[k] = b[f->order[k]];
    for (int k = 0; k < f->n; k++) {
        y[k] /= f->val[f->ptr[k]];
        for (int64_t p = f->ptr[k] + 1; p < f->ptr[k + 1]; p++)
            y[f->row[p]] -= f->val[p] * y[k];
    }
    for (int k = f->n - 1; k >= 0; k--) {
        for (int64_t p = f->ptr[k] + 1; p < f->ptr[k + 1]; p++)
            y[k] -= CONJ(f->val[p]) * y[f->row[p]];
        y[k] /= f->val[f->ptr[k]];
    }
    for (int k = 0; k < f->n; k++)
        x[f->order[k]] = y[k];
    free(y);
}

static int small_cholesky(const void *v, double tolerance)
{
    const struct cholesky *f = v;
    for (int k = 0; k < f->n; k++)
        if (!(SIZE(f->val[f->ptr[k]]) > tolerance))
            return k;
    return -1;
}

static int64_t size_of_cholesky(const void *v)
{
    const struct cholesky *f = v;
    return f->ptr[f->n];
}

static double diagonal(const void *v, int k)
{
    const struct cholesky *f = v;
    return REAL(f->val[f->ptr[k]]);
}

/* ---- elimination: column by column, each solved with those before it (Gilbert and Peierls) ----
 */

struct eliminated {
    int n, *order, *place; /* which column is the k-th; where a row has gone */
    int64_t *lptr, *uptr;  /* columns; L's begin with 1, U's end with the pivot */
    struct column_store l, u;
};

static void free_eliminated(void *v)
{
    struct eliminated *f = v;
    if (!f)
        return;
    free(f->order);
    free(f->place);
    free(f->lptr);
    free(f->uptr);
    free_store(&f->l);
    free_store(&f->u);
    free(f);
}

/* Rows that a column reaches through L, those that others depend on last: out[top … n-1]. */
static int reach_rows(const struct eliminated *f, const int *rows, int count, int *mark, int stamp,
                      int *out, int *stack, int64_t *next)
{
    int top = f->n;
    for (int p = 0; p < count; p++) {
        int depth = 0;
        if (mark[rows[p]] == stamp)
            continue;
        stack[0] = rows[p];
        mark[rows[p]] = stamp;
        next[0] = f->place[rows[p]] < 0 ? -1 : f->lptr[f->place[rows[p]]] + 1;
        while (depth >= 0) {
            const int column = f->place[stack[depth]];
            bool deeper = false;
            while (column >= 0 && next[depth] < f->lptr[column + 1]) {
                const int i = f->l.index[next[depth]++];
                if (mark[i] == stamp)
                    continue;
                mark[i] = stamp;
                stack[++depth] = i;
                next[depth] = f->place[i] < 0 ? -1 : f->lptr[f->place[i]] + 1;
                deeper = true;
                break;
            }
            if (!deeper)
                out[--top] = stack[depth--];
        }
    }
    return top;
}

/* Column k of both factors; false: no pivot, or no memory. */
static bool eliminate_column(struct eliminated *f, const int *ptr, const int *row, const E *val,
                             int k, double threshold, int *mark, int *out, int *stack,
                             int64_t *next, E *x, int *bad)
{
    const int column = f->order[k], from = ptr[column], count = ptr[column + 1] - from;
    if (!make_room(&f->l, f->n - k) || !make_room(&f->u, k + 1)) {
        *bad = SP_NO_MEMORY;
        return false;
    }
    const int top = reach_rows(f, row + from, count, mark, k, out, stack, next);
    for (int t = top; t < f->n; t++)
        x[out[t]] = 0;
    for (int p = 0; p < count; p++)
        x[row[from + p]] += val[from + p];
    double most = -1;
    int pivot = -1;
    for (int t = top; t < f->n; t++) {
        const int i = out[t], j = f->place[i];
        if (j < 0) {
            if (SIZE(x[i]) > most) {
                most = SIZE(x[i]);
                pivot = i;
            }
            continue;
        }
        add_to(&f->u, j, x[i]);
        for (int64_t p = f->lptr[j] + 1; p < f->lptr[j + 1]; p++)
            x[f->l.index[p]] -= f->l.value[p] * x[i];
    }
    if (pivot < 0 || !(most > 0)) {
        *bad = k;
        return false;
    }
    /* The diagonal, where it is large enough: the order was made for it. */
    if (f->place[column] < 0 && mark[column] == k && SIZE(x[column]) >= threshold * most)
        pivot = column;
    const E d = x[pivot];
    add_to(&f->u, k, d);
    f->place[pivot] = k;
    add_to(&f->l, pivot, 1);
    for (int t = top; t < f->n; t++)
        if (f->place[out[t]] < 0 && x[out[t]] != 0)
            add_to(&f->l, out[t], x[out[t]] / d);
    f->lptr[k + 1] = f->l.count;
    f->uptr[k + 1] = f->u.count;
    return true;
}

/* A by columns. */
static bool transpose(const struct sp_matrix *a, int **ptr, int **row, E **val)
{
    const size_t count = (size_t)a->ptr[a->m];
    int *at = calloc((size_t)a->n + 2, sizeof *at);
    *ptr = calloc((size_t)a->n + 1, sizeof **ptr);
    *row = malloc((count + 1) * sizeof **row);
    *val = malloc((count + 1) * sizeof **val);
    if (!at || !*ptr || !*row || !*val) {
        free(at);
        return false;
    }
    for (size_t p = 0; p < count; p++)
        (*ptr)[a->col[p] + 1]++;
    for (int j = 0; j < a->n; j++)
        (*ptr)[j + 1] += (*ptr)[j];
    memcpy(at, *ptr, (size_t)a->n * sizeof *at);
    for (int i = 0; i < a->m; i++)
        for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            const int to = at[a->col[p]]++;
            (*row)[to] = i;
            (*val)[to] = ((const E *)a->val)[p];
        }
    free(at);
    return true;
}

static void *eliminate(const struct sp_matrix *a, int *order, double threshold, int *bad)
{
    const size_t n = (size_t)a->n;
    struct eliminated *f = calloc(1, sizeof *f);
    int *ptr = NULL, *row = NULL, *ints = calloc(3 * n + 3, sizeof *ints);
    int64_t *next = calloc(n + 1, sizeof *next);
    E *val = NULL, *x = calloc(n + 1, sizeof *x);
    *bad = SP_NO_MEMORY;
    if (f) {
        f->n = a->n;
        f->order = order;
        f->place = malloc((n + 1) * sizeof *f->place);
        f->lptr = calloc(n + 1, sizeof *f->lptr);
        f->uptr = calloc(n + 1, sizeof *f->uptr);
    } else {
        free(order);
    }
    if (f && order && f->place && f->lptr && f->uptr && ints && next && x &&
        transpose(a, &ptr, &row, &val)) {
        int *mark = ints, *out = ints + n, *stack = ints + 2 * n;
        for (size_t k = 0; k < n; k++)
            f->place[k] = mark[k] = -1;
        *bad = SP_REGULAR;
        for (int k = 0; k < a->n; k++)
            if (!eliminate_column(f, ptr, row, val, k, threshold, mark, out, stack, next, x, bad))
                break;
        for (int64_t p = 0; *bad == SP_REGULAR && p < f->l.count; p++)
            f->l.index[p] = f->place[f->l.index[p]];
    }
    free(ptr);
    free(row);
    free(val);
    free(ints);
    free(next);
    free(x);
    if (*bad != SP_REGULAR) {
        free_eliminated(f);
        f = NULL;
    }
    return f;
}

static void solve_eliminated(const void *v, const void *b0, void *x0)
{
    const struct eliminated *f = v;
    const E *b = b0;
    E *x = x0, *y = malloc(((size_t)f->n + 1) * sizeof *y);
    if (!y)
        return;
    for (int i = 0; i < f->n; i++)
        y[f->place[i]] = b[i];
    for (int k = 0; k < f->n; k++)
        for (int64_t p = f->lptr[k] + 1; p < f->lptr[k + 1]; p++)
            y[f->l.index[p]] -= f->l.value[p] * y[k];
    for (int k = f->n - 1; k >= 0; k--) {
        y[k] /= f->u.value[f->uptr[k + 1] - 1];
        for (int64_t p = f->uptr[k]; p < f->uptr[k + 1] - 1; p++)
            y[f->u.index[p]] -= f->u.value[p] * y[k];
    }
    for (int k = 0; k < f->n; k++)
        x[f->order[k]] = y[k];
    free(y);
}

static int small_eliminated(const void *v, double tolerance)
{
    const struct eliminated *f = v;
    for (int k = 0; k < f->n; k++)
        if (!(SIZE(f->u.value[f->uptr[k + 1] - 1]) > tolerance))
            return k;
    return -1;
}

static void sizes(const void *v, int *lower, int *upper)
{
    const struct eliminated *f = v;
    *lower = (int)f->l.count;
    *upper = (int)f->u.count;
}

/* Columns of a factor as rows. */
static bool by_rows(int n, const int64_t *ptr, const struct column_store *s, struct sp_matrix *out)
{
    *out = (struct sp_matrix){.m = n, .n = n};
    out->ptr = calloc((size_t)n + 2, sizeof *out->ptr);
    out->col = malloc(((size_t)s->count + 1) * sizeof *out->col);
    out->val = malloc(((size_t)s->count + 1) * sizeof(E));
    if (!out->ptr || !out->col || !out->val)
        return false;
    for (int64_t p = 0; p < s->count; p++)
        out->ptr[s->index[p] + 2]++;
    for (int i = 0; i < n; i++)
        out->ptr[i + 2] += out->ptr[i + 1];
    for (int k = 0; k < n; k++)
        for (int64_t p = ptr[k]; p < ptr[k + 1]; p++) {
            const int to = out->ptr[s->index[p] + 1]++;
            out->col[to] = k;
            ((E *)out->val)[to] = s->value[p];
        }
    return true;
}

static bool extract(const void *v, int *p, int *q, struct sp_matrix *lower, struct sp_matrix *upper)
{
    const struct eliminated *f = v;
    for (int i = 0; i < f->n; i++) {
        p[f->place[i]] = i;
        q[i] = f->order[i];
    }
    *upper = (struct sp_matrix){0};
    return by_rows(f->n, f->lptr, &f->l, lower) && by_rows(f->n, f->uptr, &f->u, upper);
}

/* ---- orthogonal factors: each row of A is turned into the triangle so far (George and Heath) ----
 */

struct triangle_row {
    int count;
    int *col; /* increasing; the first is the diagonal */
    E *val;
};
struct turn {
    int row;
    double c;
    E s;
};
struct reflected {
    int m, n, *order;
    struct triangle_row *rows;
    struct turn *turns;
    int64_t nturns, room;
    int64_t *first; /* turns of a row of A */
    int *ends;      /* where it ended, or -1: nothing was left of it */
};

static void free_reflected(void *v)
{
    struct reflected *f = v;
    if (!f)
        return;
    for (int k = 0; f->rows && k < f->n; k++) {
        free(f->rows[k].col);
        free(f->rows[k].val);
    }
    free(f->rows);
    free(f->turns);
    free(f->first);
    free(f->ends);
    free(f->order);
    free(f);
}

struct working_row {
    int *col, *spare;
    E *val;
    int count;
};

/* Row k of the triangle and the working one, whose first column is k: the union of their patterns.
 */
static bool turn_rows(struct triangle_row *r, struct working_row *w, struct turn *t, E *other)
{
    const E a = r->val[0], b = w->val[w->col[0]];
    const double size = hypot(SIZE(a), SIZE(b));
    int i = 0, j = 0, count = 0;
    t->c = SIZE(a) / size;
    t->s = SIZE(a) > 0 ? a / SIZE(a) * CONJ(b) / size : CONJ(b) / size;
    while (i < r->count || j < w->count) {
        const int x = i < r->count ? r->col[i] : w->col[j], y = j < w->count ? w->col[j] : x;
        const int c = x < y ? x : y;
        const E p = i < r->count && r->col[i] == c ? r->val[i++] : 0;
        const bool there = j < w->count && w->col[j] == c;
        const E q = there ? w->val[c] : 0;
        j += there;
        other[count] = t->c * p + t->s * q;
        w->val[c] = t->c * q - CONJ(t->s) * p;
        w->spare[count++] = c;
    }
    int *col = realloc(r->col, (size_t)count * sizeof *col);
    if (col)
        r->col = col;
    E *val = realloc(r->val, (size_t)count * sizeof *val);
    if (val)
        r->val = val;
    if (!col || !val)
        return false;
    memcpy(col, w->spare, (size_t)count * sizeof *col);
    memcpy(val, other, (size_t)count * sizeof *val);
    r->count = count;
    /* The working row goes on behind column k. */
    memcpy(w->col, w->spare + 1, (size_t)(count - 1) * sizeof *w->col);
    w->count = count - 1;
    return true;
}

static int smaller(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static bool take_row(struct reflected *f, const struct sp_matrix *a, const int *place, int i,
                     struct working_row *w, E *other)
{
    w->count = 0;
    for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
        const int c = place[a->col[p]];
        w->val[c] = ((const E *)a->val)[p];
        w->col[w->count++] = c;
    }
    qsort(w->col, (size_t)w->count, sizeof *w->col, smaller);
    f->first[i] = f->nturns;
    f->ends[i] = -1;
    while (w->count > 0) {
        const int k = w->col[0];
        struct triangle_row *r = f->rows + k;
        if (w->val[k] == 0) { /* nothing to turn away */
            memmove(w->col, w->col + 1, (size_t)--w->count * sizeof *w->col);
            continue;
        }
        if (!r->count) {
            r->col = malloc((size_t)w->count * sizeof *r->col);
            r->val = malloc((size_t)w->count * sizeof *r->val);
            if (!r->col || !r->val)
                return false;
            for (int p = 0; p < w->count; p++) {
                r->col[p] = w->col[p];
                r->val[p] = w->val[w->col[p]];
            }
            r->count = w->count;
            f->ends[i] = k;
            break;
        }
        if (f->nturns == f->room) {
            const int64_t room = 2 * f->room + 1024;
            struct turn *t = realloc(f->turns, (size_t)room * sizeof *t);
            if (!t)
                return false;
            f->turns = t;
            f->room = room;
        }
        f->turns[f->nturns].row = k;
        if (!turn_rows(r, w, f->turns + f->nturns++, other))
            return false;
    }
    return true;
}

static int small_reflected(const void *v, double tolerance)
{
    const struct reflected *f = v;
    for (int k = 0; k < f->n; k++)
        if (!f->rows[k].count || !(SIZE(f->rows[k].val[0]) > tolerance))
            return k;
    return -1;
}

static void *reflect(const struct sp_matrix *a, int *order, int *bad)
{
    const size_t n = (size_t)a->n, m = (size_t)a->m;
    struct reflected *f = calloc(1, sizeof *f);
    int *place = order ? inverse_of(order, a->n) : NULL;
    struct working_row w = {calloc(n + 1, sizeof(int)), calloc(n + 1, sizeof(int)),
                            calloc(n + 1, sizeof(E)), 0};
    E *other = calloc(n + 1, sizeof *other);
    bool right = f && place && w.col && w.spare && w.val && other;
    if (f) {
        f->m = a->m;
        f->n = a->n;
        f->order = order;
        f->rows = calloc(n + 1, sizeof *f->rows);
        f->first = calloc(m + 1, sizeof *f->first);
        f->ends = calloc(m + 1, sizeof *f->ends);
        right = right && f->rows && f->first && f->ends;
    } else {
        free(order);
    }
    for (int i = 0; right && i < a->m; i++)
        right = take_row(f, a, place, i, &w, other);
    if (right)
        f->first[m] = f->nturns;
    free(place);
    free(w.col);
    free(w.spare);
    free(w.val);
    free(other);
    *bad = right ? SP_REGULAR : SP_NO_MEMORY;
    if (!right) {
        free_reflected(f);
        f = NULL;
    }
    return f;
}

static double solve_reflected(const void *v, const void *b0, void *x0)
{
    const struct reflected *f = v;
    const E *b = b0;
    E *x = x0, *y = calloc((size_t)f->n + 1, sizeof *y);
    double left = 0;
    if (!y)
        return NAN;
    for (int i = 0; i < f->m; i++) {
        E z = b[i];
        for (int64_t p = f->first[i]; p < f->first[i + 1]; p++) {
            const struct turn *t = f->turns + p;
            const E old = y[t->row];
            y[t->row] = t->c * old + t->s * z;
            z = t->c * z - CONJ(t->s) * old;
        }
        if (f->ends[i] >= 0)
            y[f->ends[i]] = z;
        else
            left = hypot(left, SIZE(z));
    }
    for (int k = f->n - 1; k >= 0; k--) {
        const struct triangle_row *r = f->rows + k;
        for (int p = 1; p < r->count; p++)
            y[k] -= r->val[p] * y[r->col[p]];
        y[k] = r->count ? y[k] / r->val[0] : 0;
    }
    for (int k = 0; k < f->n; k++)
        x[f->order[k]] = y[k];
    free(y);
    return left;
}

const struct sp_ops OPS = {
    .cholesky = cholesky,
    .eliminate = eliminate,
    .reflect = reflect,
    .solve_cholesky = solve_cholesky,
    .solve_eliminated = solve_eliminated,
    .solve_reflected = solve_reflected,
    .small_cholesky = small_cholesky,
    .small_eliminated = small_eliminated,
    .small_reflected = small_reflected,
    .free_cholesky = free_cholesky,
    .free_eliminated = free_eliminated,
    .free_reflected = free_reflected,
    .size_of_cholesky = size_of_cholesky,
    .diagonal = diagonal,
    .sizes = sizes,
    .extract = extract,
};
