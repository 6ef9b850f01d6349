/* Gauss's elimination with exchanges of rows: by halves of the columns, until one block does a few;
 * large ones on NVIDIA's GPUs by blocks of columns on two streams. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/leaf.h"

enum { LEAF = LU_LEAF };

/* Pivots: ints, or those of 64 bits of the X API. */
struct pivots {
    void *p; /* NULL: rows stay where they are */
    bool wide;
};

static struct pivots from(struct pivots p, int64_t k)
{
    return (struct pivots){p.p ? (char *)p.p + k * (p.wide ? 8 : 4) : NULL, p.wide};
}

/* Of n columns from a on: the rows are counted from a's first, base rows below the matrix's. */
static void exchange(struct work *w, int64_t n, void *a, int64_t lda, struct pivots p,
                     int64_t count, int64_t base, int back)
{
    enum { COLUMNS = 16, THREADS = 256, MOST = 65535 }; /* as lu.h has them */
    int64_t step = 1, blocks = (n + COLUMNS - 1) / COLUMNS;
    if (!p.p || n <= 0 || count <= 0)
        return;
    void *args[] = {&n, &a, &lda, &p.p, &step, &count, &base, &back};
    if (w->h->device.host_path)
        work_each(w, "lu.h", p.wide ? "laswp_wide" : "laswp", n, args);
    else
        work_run(w, "lu.h", p.wide ? "laswp_chunks_wide" : "laswp_chunks",
                 blocks < MOST ? blocks : MOST, THREADS, args);
}

static void leaf(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, struct pivots p,
                 int *info, int64_t base, struct panel *panel)
{
    int rows = (int)m, columns = (int)n;
    void *args[] = {&rows, &columns, &a, &lda, &p.p, &info, &base, &panel->board};
    if (host_leaves(w) && n > 0)
        host_columns(w, m, columns, a, lda, p.p, p.wide, info, base);
    else if (panel->board)
        panel_run(w, "getrf_tall", p.wide ? "long long, " : "int, ", m, args, panel);
    else
        work_run(w, "lu.h", p.wide ? "getrf_panel_wide" : "getrf_panel", n > 0, SOLVER_THREADS,
                 args);
}

static void factor(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, struct pivots p,
                   int *info, int64_t base, struct panel *panel)
{
    const int64_t most = host_leaves(w) ? HOST_COLUMNS : panel->board ? PANEL_COLUMNS : LEAF,
                  steps = m < n ? m : n;
    const int64_t left = steps <= most ? steps : solver_half(steps, most), right = n - left;
    if (steps <= most)
        leaf(w, m, left, a, lda, p, info, base, panel);
    else
        factor(w, m, left, a, lda, p, info, base, panel);
    if (right <= 0)
        return;
    void *beside = work_at(w, a, lda, 0, left), *next = work_at(w, a, lda, left, left);
    exchange(w, right, beside, lda, p, left, base, 0);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, left,
              right, a, lda, beside, lda);
    if (left == steps && m == left)
        return;
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m - left, right, left, -1, work_at(w, a, lda, left, 0),
              lda, beside, lda, 1, next, lda);
    factor(w, m - left, right, next, lda, from(p, left), info, base + left, panel);
    exchange(w, left, work_at(w, a, lda, left, 0), lda, from(p, left), steps - left, base + left,
             0);
}

/* ---- blocks of columns, each while those after the next are brought up to date ---- */

struct blocks {
    struct work *w;
    int64_t m, n, lda;
    void *a;
    struct pivots p;
    int *info;
    struct panel *panel;
};

enum { WIDTH = 256 };

/* Columns from … end-1 after the panel at k, of so many columns. */
static void follow(struct blocks *b, int64_t k, int64_t width, int64_t from_, int64_t end)
{
    struct work *w = b->w;
    const int64_t next = k + width, count = end - from_;
    void *upper = work_at(w, b->a, b->lda, k, from_);
    if (count <= 0)
        return;
    exchange(w, count, upper, b->lda, from(b->p, k), width, k, 0);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, width,
              count, work_at(w, b->a, b->lda, k, k), b->lda, upper, b->lda);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, b->m - next, count, width, -1,
              work_at(w, b->a, b->lda, next, k), b->lda, upper, b->lda, 1,
              work_at(w, b->a, b->lda, next, from_), b->lda);
}

static void factor_panel(struct blocks *b, int64_t k, int64_t width)
{
    if (width > 0)
        factor(b->w, b->m - k, width, work_at(b->w, b->a, b->lda, k, k), b->lda, from(b->p, k),
               b->info, k, b->panel);
}

/* Products leave some multiprocessors to the panel beside them. */
static void leave_room(struct blocks *b, bool leave)
{
    const int64_t units = b->w->h->device.info.units,
                  blocks = (b->m + PANEL_THREADS - 1) / PANEL_THREADS / 2 + 1;
    cublasSetSmCountTarget(b->w->h->blas, leave && units > 2 * blocks ? (int)(units - blocks) : 0);
}

static void factor_by_blocks(struct blocks *b)
{
    struct work *w = b->w;
    const int64_t steps = b->m < b->n ? b->m : b->n;
    factor_panel(b, 0, WIDTH);
    for (int64_t k = 0; k < steps; k += WIDTH) {
        const int64_t width = steps - k < WIDTH ? steps - k : WIDTH, next = k + width,
                      left = steps - next, following = left < WIDTH ? left : WIDTH;
        work_meet(w);
        work_beside(w, true);
        follow(b, k, width, next, next + following);
        factor_panel(b, next, following);
        work_beside(w, false);
        leave_room(b, following > 0);
        exchange(w, k, work_at(w, b->a, b->lda, k, 0), b->lda, from(b->p, k), width, k, 0);
        follow(b, k, width, next + following, b->n);
        leave_room(b, false);
    }
    work_meet(w);
}

static void factor_all(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, struct pivots p,
                       int *info)
{
    struct panel panel = panel_begin(w, m);
    struct blocks b = {w, m, n, lda, a, p, info, &panel};
    if (panel.board && m > 2 * WIDTH && n > 2 * WIDTH && work_side(w))
        factor_by_blocks(&b);
    else
        factor(w, m, n, a, lda, p, info, 0, &panel);
}

static void solve(struct work *w, cublasOperation_t op, int64_t n, int64_t nrhs, const void *a,
                  int64_t lda, struct pivots p, void *b, int64_t ldb, int *info)
{
    work_zero(w, info, sizeof *info);
    if (op == CUBLAS_OP_N) {
        exchange(w, nrhs, b, ldb, p, n, 0, 0);
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_UNIT, n, nrhs, a,
                  lda, b, ldb);
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, op, CUBLAS_DIAG_NON_UNIT, n, nrhs, a,
                  lda, b, ldb);
    } else {
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, op, CUBLAS_DIAG_NON_UNIT, n, nrhs, a,
                  lda, b, ldb);
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_UNIT, n, nrhs, a,
                  lda, b, ldb);
        exchange(w, nrhs, b, ldb, p, n, 0, 1);
    }
}

void lu_factor(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, int *pivots, int *info)
{
    work_zero(w, info, sizeof *info);
    factor_all(w, m, n, a, lda, (struct pivots){pivots, false}, info);
}

void lu_solve(struct work *w, cublasOperation_t op, int64_t n, int64_t nrhs, const void *a,
              int64_t lda, int *pivots, void *b, int64_t ldb, int *info)
{
    solve(w, op, n, nrhs, a, lda, (struct pivots){pivots, false}, b, ldb, info);
}

/* ---- the calls ---- */

cusolverStatus_t solver_getrf_size(cusolverDnHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, void *A, int64_t lda, int *size)
{
    (void)type;
    (void)A;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t getrf(cusolverDnHandle_t handle, enum lib_type type, int64_t m, int64_t n,
                              void *A, int64_t lda, struct pivots p, int *info)
{
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && info);
    struct work w = work_begin(handle, type);
    work_zero(&w, info, sizeof *info);
    factor_all(&w, m, n, A, lda, p, info);
    return work_end(&w);
}

cusolverStatus_t solver_getrf(cusolverDnHandle_t handle, enum lib_type type, int64_t m, int64_t n,
                              void *A, int64_t lda, void *workspace, int *pivots, int *info)
{
    (void)workspace;
    return getrf(handle, type, m, n, A, lda, (struct pivots){pivots, false}, info);
}

static cusolverStatus_t getrs(cusolverDnHandle_t handle, enum lib_type type, cublasOperation_t op,
                              int64_t n, int64_t nrhs, const void *A, int64_t lda, struct pivots p,
                              void *B, int64_t ldb, int *info)
{
    SOLVER_CALL(handle, valid_op(op) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && info);
    struct work w = work_begin(handle, type);
    solve(&w, op, n, nrhs, A, lda, p, B, ldb, info);
    return work_end(&w);
}

cusolverStatus_t solver_getrs(cusolverDnHandle_t handle, enum lib_type type, cublasOperation_t op,
                              int64_t n, int64_t nrhs, const void *A, int64_t lda,
                              const int *pivots, void *B, int64_t ldb, int *info)
{
    return getrs(handle, type, op, n, nrhs, A, lda, (struct pivots){(void *)pivots, false}, B, ldb,
                 info);
}

/* Rows k1 … k2, from 1; a step below 0 takes them from the last to the first. */
cusolverStatus_t solver_laswp(cusolverDnHandle_t handle, enum lib_type type, int64_t n, void *A,
                              int64_t lda, int64_t k1, int64_t k2, const int *pivots, int64_t step)
{
    SOLVER_CALL(handle, n >= 0 && lda >= 1 && k1 >= 1 && k2 >= k1 && pivots && step);
    struct work w = work_begin(handle, type);
    int back = step < 0;
    int64_t distance = step < 0 ? -step : step, count = k2 - k1 + 1, base = k1 - 1;
    const int *first = pivots + base; /* that of row k1, whatever the step is */
    void *rows = work_at(&w, A, lda, base, 0);
    work_each(&w, "lu.h", "laswp", n,
              (void *[]){&n, &rows, &lda, &first, &distance, &count, &base, &back});
    return work_end(&w);
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType typeA,
                                             const void *A, int64_t lda, cudaDataType computeType,
                                             size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)A;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && onDevice && onHost);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType typeA, void *A, int64_t lda,
                                  int64_t *pivots, cudaDataType computeType, void *onDevice,
                                  size_t deviceBytes, void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params;
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return getrf(handle, type, m, n, A, lda, (struct pivots){pivots, true}, info);
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t op, int64_t n, int64_t nrhs, cudaDataType typeA,
                                  const void *A, int64_t lda, const int64_t *pivots,
                                  cudaDataType typeB, void *B, int64_t ldb, int *info)
{
    enum lib_type type;
    (void)params;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || typeB != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return getrs(handle, type, op, n, nrhs, A, lda, (struct pivots){(void *)pivots, true}, B, ldb,
                 info);
}
