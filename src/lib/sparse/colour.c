/* Colouring: no two rows that a column joins have the same colour. Greedy, on the host: each row
 * takes the least colour that its neighbours do not have. */
#include <stdlib.h>
#include "lib/sparse/sparse_int.h"

struct cusparseColorInfo {
    cusparseColorAlg_t algorithm;
};

cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t *info)
{
    if (!info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *info = calloc(1, sizeof **info);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info)
{
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

/* Neighbours by rows: those that a row names, and those that name it. */
struct graph {
    int *offsets, *neighbours;
};

static bool graph_make(struct graph *g, int m, int base, const int *offsets, const int *indices)
{
    const int nnz = offsets[m] - base;
    g->offsets = calloc((size_t)m + 2, sizeof(int));
    g->neighbours = malloc(((size_t)nnz * 2 + 1) * sizeof(int));
    if (!g->offsets || !g->neighbours)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m; i++)
            for (int k = offsets[i] - base; k < offsets[i + 1] - base; k++) {
                const int j = indices[k] - base;
                if (j < 0 || j >= m || j == i)
                    continue;
                if (pass == 0) {
                    g->offsets[i + 2]++;
                    g->offsets[j + 2]++;
                } else {
                    g->neighbours[g->offsets[i + 1]++] = j;
                    g->neighbours[g->offsets[j + 1]++] = i;
                }
            }
        if (pass == 0)
            for (int i = 0; i < m; i++)
                g->offsets[i + 2] += g->offsets[i + 1];
    }
    return true;
}

/* How many colours; -1: out of memory. order: rows colour by colour. */
static int paint(const struct graph *g, int m, int *colours, int *order)
{
    int *seen = malloc(((size_t)m + 1) * sizeof(int)), *counts = calloc((size_t)m + 2, sizeof(int));
    int most = 0;
    if (!seen || !counts) {
        free(seen);
        free(counts);
        return -1;
    }
    for (int i = 0; i <= m; i++)
        seen[i] = -1;
    for (int i = 0; i < m; i++)
        colours[i] = -1;
    for (int i = 0; i < m; i++) {
        for (int k = g->offsets[i]; k < g->offsets[i + 1]; k++)
            if (colours[g->neighbours[k]] >= 0)
                seen[colours[g->neighbours[k]]] = i;
        int c = 0;
        while (seen[c] == i)
            c++;
        colours[i] = c;
        counts[c + 1]++;
        if (c + 1 > most)
            most = c + 1;
    }
    for (int c = 0; c < most; c++)
        counts[c + 1] += counts[c];
    for (int i = 0; i < m; i++)
        order[i] = counts[colours[i]]++;
    free(seen);
    free(counts);
    return most;
}

static enum tern_error colour(const struct cusparseContext *h, int m, int nnz, int base,
                              const int *offsets, const int *indices, int *ncolors, int *coloring,
                              int *reordering)
{
    const size_t n = (size_t)m;
    int *o = malloc((n + 1) * sizeof(int)), *x = malloc(((size_t)nnz + 1) * sizeof(int)),
        *colours = malloc((n + 1) * sizeof(int)), *order = malloc((n + 1) * sizeof(int));
    struct graph g = {NULL, NULL};
    enum tern_error e = o && x && colours && order ? TERN_OK : TERN_OUT_OF_MEMORY;
    if (!e)
        e = sparse_read(h, offsets, (n + 1) * sizeof(int), o);
    if (!e && nnz)
        e = sparse_read(h, indices, (size_t)nnz * sizeof(int), x);
    if (!e && o[m] - base > nnz)
        e = TERN_INVALID_ARGUMENT;
    if (!e && (!graph_make(&g, m, base, o, x) || (*ncolors = paint(&g, m, colours, order)) < 0))
        e = TERN_OUT_OF_MEMORY;
    if (!e)
        e = lib_error(cudaMemcpy(coloring, colours, n * sizeof(int), cudaMemcpyHostToDevice));
    if (!e && reordering)
        e = lib_error(cudaMemcpy(reordering, order, n * sizeof(int), cudaMemcpyHostToDevice));
    free(g.offsets);
    free(g.neighbours);
    free(order);
    free(colours);
    free(x);
    free(o);
    return e;
}

cusparseStatus_t sparse_csrcolor(cusparseHandle_t handle, enum lib_type type, int m, int nnz,
                                 const cusparseMatDescr_t descrA, const void *values,
                                 const int *offsets, const int *indices,
                                 const void *fractionToColor, int *ncolors, int *coloring,
                                 int *reordering, const cusparseColorInfo_t info)
{
    (void)type, (void)values; /* all rows are coloured, whatever the fraction */
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (m < 0 || nnz < 0 || !fractionToColor || !ncolors || (m && !coloring) || !info ||
        sparse_missing(m, nnz, offsets, indices))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((s = sparse_general(descrA)) != CUSPARSE_STATUS_SUCCESS)
        return s;
    *ncolors = 0;
    if (m == 0)
        return s;
    return sparse_status(
        colour(handle, m, nnz, descrA->base, offsets, indices, ncolors, coloring, reordering));
}
