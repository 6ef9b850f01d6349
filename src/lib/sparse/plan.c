/* Plans are made on the host, from the matrix's structure: each entry is looked at once. */
#include "lib/sparse/plan.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW = 64 }; /* lines: a level that one block does well enough */

/* ---- the structure, on the host ---- */

struct entry {
    int line, column, place;
};

struct structure {
    struct entry *entries;
    int64_t count;
};

static int64_t at(const void *p, cusparseIndexType_t t, int64_t i)
{
    return t == CUSPARSE_INDEX_64I ? ((const int64_t *)p)[i] : ((const int32_t *)p)[i];
}

static enum tern_error copy_in(const struct cusparseContext *h, const void *from, int64_t n,
                               cusparseIndexType_t t, void **to)
{
    const size_t bytes = (size_t)n * sparse_index_bytes(t);
    *to = malloc(bytes ? bytes : 1);
    if (!*to)
        return TERN_OUT_OF_MEMORY;
    return bytes ? sparse_read(h, from, bytes, *to) : TERN_OK;
}

static bool push(struct structure *s, int64_t line, int64_t column, int64_t place)
{
    if (place > INT32_MAX)
        return false;
    s->entries[s->count++] = (struct entry){(int)line, (int)column, (int)place};
    return true;
}

/* As device/sparse/walk.h has them. */
static bool list(const struct cusparseSpMatDescr *m, const void *offsets, const void *indices,
                 struct structure *s)
{
    const int64_t base = m->base;
    bool fits = true;
    if (m->format == CUSPARSE_FORMAT_COO) {
        for (int64_t k = 0; k < m->nnz && fits; k++)
            fits = push(s, at(offsets, m->offset_type, k) - base,
                        at(indices, m->index_type, k) - base, k);
        return fits;
    }
    if (m->format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
        for (int64_t i = 0; i < m->rows; i++) {
            const int64_t slice = i / m->slice, begin = at(offsets, m->offset_type, slice) - base,
                          end = at(offsets, m->offset_type, slice + 1) - base;
            for (int64_t k = begin + i % m->slice; k < end && fits; k += m->slice)
                if (at(indices, m->index_type, k) >= base)
                    fits = push(s, i, at(indices, m->index_type, k) - base, k);
        }
        return fits;
    }
    const int64_t down = m->block_rows ? m->block_rows : 1,
                  across = m->block_cols ? m->block_cols : 1;
    const bool by_columns = m->block_order == CUSPARSE_ORDER_COL,
               turned = m->format == CUSPARSE_FORMAT_CSC;
    const int64_t lines = turned ? m->cols : m->rows;
    for (int64_t i = 0; i < lines; i++)
        for (int64_t k = at(offsets, m->offset_type, i / down) - base;
             k < at(offsets, m->offset_type, i / down + 1) - base; k++)
            for (int64_t j = 0; j < across && fits; j++) {
                const int64_t column = (at(indices, m->index_type, k) - base) * across + j;
                fits = push(s, turned ? column : i, turned ? i : column,
                            k * down * across +
                                (by_columns ? j * down + i % down : i % down * across + j));
            }
    return fits;
}

static enum tern_error read_structure(const struct cusparseContext *h,
                                      const struct cusparseSpMatDescr *m, struct structure *s)
{
    int64_t offsets = (m->format == CUSPARSE_FORMAT_CSC ? m->cols : m->rows) + 1;
    int64_t indices = m->nnz, most = indices;
    if (m->format == CUSPARSE_FORMAT_COO)
        offsets = m->nnz;
    else if (m->format == CUSPARSE_FORMAT_BSR) {
        offsets = m->rows / m->block_rows + 1;
        most *= m->block_rows * m->block_cols;
    } else if (m->format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
        offsets = (m->rows + m->slice - 1) / m->slice + 1;
        indices = most = m->values_size;
    } else if (m->format == CUSPARSE_FORMAT_BLOCKED_ELL)
        return TERN_UNSUPPORTED;
    if (most > INT32_MAX || m->rows > INT32_MAX - 1)
        return TERN_UNSUPPORTED;
    void *off = NULL, *idx = NULL;
    *s = (struct structure){.entries = malloc(((size_t)most + 1) * sizeof *s->entries)};
    enum tern_error e = s->entries ? TERN_OK : TERN_OUT_OF_MEMORY;
    if (!e)
        e = copy_in(h, m->offsets, offsets, m->offset_type, &off);
    if (!e)
        e = copy_in(h, m->indices, indices, m->index_type, &idx);
    if (!e && !list(m, off, idx, s))
        e = TERN_UNSUPPORTED;
    for (int64_t k = 0; k < s->count && !e; k++)
        if (s->entries[k].line < 0 || s->entries[k].line >= m->rows || s->entries[k].column < 0 ||
            s->entries[k].column >= m->cols)
            e = TERN_INVALID_ARGUMENT;
    free(off);
    free(idx);
    return e;
}

/* ---- the plan's arrays, on the host first: one after the other, as on the device ---- */

struct arrays {
    int *all;
    size_t ints;
    int *order, *levels, *offsets, *columns, *places, *diagonal, *diagonal_entry, *pivot;
    int *level_of;
    int nlevels;
};

static enum tern_error arrays_make(struct arrays *a, int64_t n, int64_t entries)
{
    a->ints = (size_t)(n + (n + 1) + (n + 1) + 2 * entries + 2 * n + 1);
    a->all = malloc(a->ints * sizeof(int));
    a->level_of = calloc((size_t)n + 1, sizeof(int));
    if (!a->all || !a->level_of)
        return TERN_OUT_OF_MEMORY;
    a->order = a->all;
    a->levels = a->order + n;
    a->offsets = a->levels + n + 1;
    a->columns = a->offsets + n + 1;
    a->places = a->columns + entries;
    a->diagonal = a->places + entries;
    a->diagonal_entry = a->diagonal + n;
    a->pivot = a->diagonal_entry + n;
    memset(a->levels, 0, ((size_t)n + 1) * sizeof(int));
    return TERN_OK;
}

/* Entries by lines, in the order in which they were. */
static void fill(struct arrays *a, const struct structure *s, int64_t n, bool with_diagonal)
{
    memset(a->offsets, 0, ((size_t)n + 1) * sizeof(int));
    for (int64_t i = 0; i < n; i++)
        a->diagonal[i] = a->diagonal_entry[i] = -1;
    for (int64_t k = 0; k < s->count; k++)
        if (with_diagonal || s->entries[k].line != s->entries[k].column)
            a->offsets[s->entries[k].line + 1]++;
    for (int64_t i = 0; i < n; i++)
        a->offsets[i + 1] += a->offsets[i];
    for (int64_t k = 0; k < s->count; k++) {
        const struct entry *e = &s->entries[k];
        if (e->line == e->column)
            a->diagonal[e->line] = e->place;
        if (!with_diagonal && e->line == e->column)
            continue;
        const int to = a->offsets[e->line]++;
        a->columns[to] = e->column;
        a->places[to] = e->place;
    }
    for (int64_t i = n; i > 0; i--)
        a->offsets[i] = a->offsets[i - 1];
    a->offsets[0] = 0;
}

/* Columns ascend: factorisations look entries up. */
static void sort_lines(struct arrays *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int k = a->offsets[i] + 1; k < a->offsets[i + 1]; k++) {
            const int column = a->columns[k], place = a->places[k];
            int to = k;
            for (; to > a->offsets[i] && a->columns[to - 1] > column; to--) {
                a->columns[to] = a->columns[to - 1];
                a->places[to] = a->places[to - 1];
            }
            a->columns[to] = column;
            a->places[to] = place;
        }
        for (int k = a->offsets[i]; k < a->offsets[i + 1]; k++)
            if (a->columns[k] == i)
                a->diagonal_entry[i] = k;
    }
}

static void find_levels(struct arrays *a, int64_t n, bool lower)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = lower ? step : n - 1 - step;
        int level = 0;
        for (int k = a->offsets[i]; k < a->offsets[i + 1]; k++) {
            const int c = a->columns[k];
            if ((lower ? c < i : c > i) && a->level_of[c] + 1 > level)
                level = a->level_of[c] + 1;
        }
        a->level_of[i] = level;
        a->levels[level + 1]++;
        if (level + 1 > a->nlevels)
            a->nlevels = level + 1;
    }
    for (int l = 0; l < a->nlevels; l++)
        a->levels[l + 1] += a->levels[l];
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = lower ? step : n - 1 - step;
        a->order[a->levels[a->level_of[i]]++] = (int)i;
    }
    for (int l = a->nlevels; l > 0; l--)
        a->levels[l] = a->levels[l - 1];
    a->levels[0] = 0;
}

static enum tern_error make_steps(struct plan *p, const struct arrays *a)
{
    p->steps = malloc(((size_t)a->nlevels + 1) * sizeof *p->steps);
    if (!p->steps)
        return TERN_OUT_OF_MEMORY;
    for (int l = 0; l < a->nlevels;) {
        struct plan_step s = {l, l + 1, a->levels[l + 1] - a->levels[l]};
        while (s.lines <= NARROW && s.last < a->nlevels &&
               a->levels[s.last + 1] - a->levels[s.last] <= NARROW)
            s.last++;
        p->steps[p->nsteps++] = s;
        l = s.last;
    }
    return TERN_OK;
}

static enum tern_error upload(const struct cusparseContext *h, struct plan *p,
                              const struct arrays *a)
{
    enum tern_error e = lib_error(cudaMalloc(&p->memory, a->ints * sizeof(int)));
    if (!e)
        e = lib_error(cudaMemcpyAsync(p->memory, a->all, a->ints * sizeof(int),
                                      cudaMemcpyHostToDevice, h->stream));
    if (!e)
        e = lib_error(cudaStreamSynchronize(h->stream));
    int *d = p->memory;
    p->at.order = d + (a->order - a->all);
    p->at.levels = d + (a->levels - a->all);
    p->at.offsets = d + (a->offsets - a->all);
    p->at.columns = d + (a->columns - a->all);
    p->at.places = d + (a->places - a->all);
    p->at.diagonal = d + (a->diagonal - a->all);
    p->at.diagonal_entry = d + (a->diagonal_entry - a->all);
    p->at.pivot = d + (a->pivot - a->all);
    return e;
}

void plan_free(struct plan *p)
{
    if (p->memory)
        cudaFree(p->memory);
    if (p->values)
        cudaFree(p->values);
    free(p->steps);
    p->memory = p->values = NULL;
    p->steps = NULL;
    p->nsteps = 0;
}

static size_t value_bytes(const struct cusparseSpMatDescr *m)
{
    return (size_t)(m->format == CUSPARSE_FORMAT_BSR ? m->nnz * m->block_rows * m->block_cols
                    : m->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? m->values_size
                                                                  : m->nnz) *
           lib_types[m->type].bytes;
}

bool plan_fits(const struct plan *p, const struct cusparseSpMatDescr *m, cusparseOperation_t op)
{
    return p->memory && p->n == m->rows && p->type == m->type && p->op == op &&
           p->fill == m->fill && p->diag == m->diag && p->value_bytes == value_bytes(m);
}

enum tern_error plan_make(const struct cusparseContext *h, struct plan *p,
                          const struct cusparseSpMatDescr *m, cusparseOperation_t op, bool whole)
{
    plan_free(p);
    struct structure s = {0};
    struct arrays a = {0};
    enum tern_error e = m->rows == m->cols ? read_structure(h, m, &s) : TERN_INVALID_ARGUMENT;
    const bool turned = !whole && op != CUSPARSE_OPERATION_NON_TRANSPOSE,
               stored_lower = whole || m->fill == CUSPARSE_FILL_MODE_LOWER;
    if (!e && !whole) { /* only the triangle is read */
        int64_t kept = 0;
        for (int64_t k = 0; k < s.count; k++) {
            const struct entry t = s.entries[k];
            if (stored_lower ? t.column > t.line : t.column < t.line)
                continue;
            s.entries[kept++] = turned ? (struct entry){t.column, t.line, t.place} : t;
        }
        s.count = kept;
    }
    p->n = m->rows;
    p->lower = stored_lower != turned;
    p->base = m->base;
    p->block = m->block_rows ? m->block_rows : 1;
    p->structural = -1;
    p->source = m->values;
    p->type = m->type;
    p->op = op;
    p->fill = m->fill;
    p->diag = m->diag;
    p->value_bytes = value_bytes(m);
    p->at.unit = !whole && m->diag == CUSPARSE_DIAG_TYPE_UNIT;
    if (!e)
        e = arrays_make(&a, p->n, s.count);
    if (!e) {
        fill(&a, &s, p->n, whole);
        if (whole)
            sort_lines(&a, p->n);
        find_levels(&a, p->n, p->lower);
        *a.pivot = INT32_MAX;
        for (int64_t i = p->n - 1; i >= 0 && !p->at.unit; i--)
            if (a.diagonal[i] < 0)
                p->structural = i;
        e = make_steps(p, &a);
    }
    if (!e)
        e = upload(h, p, &a);
    free(s.entries);
    free(a.all);
    free(a.level_of);
    if (e)
        plan_free(p);
    return e;
}

enum tern_error plan_begin(const struct cusparseContext *h, struct plan *p)
{
    static const int none = INT32_MAX;
    return lib_error(
        cudaMemcpyAsync(p->at.pivot, &none, sizeof none, cudaMemcpyHostToDevice, h->stream));
}

cusparseStatus_t plan_zero_pivot(cusparseHandle_t h, struct plan *p, int *position)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!p || !position)
        return CUSPARSE_STATUS_INVALID_VALUE;
    int line = INT32_MAX;
    enum tern_error e = TERN_OK;
    if (p->memory)
        e = sparse_read(h, p->at.pivot, sizeof line, &line);
    if (e)
        return sparse_status(e);
    if (p->structural >= 0 && p->structural < line)
        line = (int)p->structural;
    const int answer = line == INT32_MAX ? -1 : (int)(line / p->block + p->base);
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_HOST)
        *position = answer;
    else
        e = lib_error(cudaMemcpy(position, &answer, sizeof answer, cudaMemcpyHostToDevice));
    if (e)
        return sparse_status(e);
    return answer < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
