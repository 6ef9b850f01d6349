/* Gauss's elimination with exchanges of rows: by halves of the columns, until one block does a few;
 * on NVIDIA's GPUs by blocks of columns, which are done in strips, large ones on two streams. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/leaf.h"

#include <stdio.h>

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
    const int64_t most = host_leaves(w) ? host_columns_most(m)
                         : panel->board ? PANEL_COLUMNS
                                        : LEAF,
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

/* ---- blocks of columns, in strips, each while those after the next are brought up to date ---- */

enum { WIDTH = 256 };

struct blocks {
    struct work *w;
    int64_t m, n, lda;
    void *a;
    struct pivots p;
    int *info;
    int threads; /* of a strip's block */
    void *board;
    char *moves[2]; /* of the rows, by the strips of this block and of the next */
};

/* What strips need; false: this device does not do them. */
static bool strips_begin(struct blocks *b)
{
    enum { STATIC = 8 << 10, HEAD = 4 /* words of 8 bytes before a line, as strip.h has them */ };
    struct work *w = b->w;
    const struct lib_device *d = &w->h->device;
    const int64_t bytes = (int64_t)lib_types[w->type].bytes;
    /* Each thread reads all of a row that is the same for all: the fewer a multiprocessor has, the
     * sooner they are done. Half of them stay with the products. */
    b->threads = 2 * b->m <= (int64_t)d->info.units * (STRIP_THREADS / 2) ? STRIP_THREADS / 2
                                                                          : STRIP_THREADS;
    const int64_t blocks = (b->m + b->threads - 1) / b->threads;
    if (d->host_path || d->capability < 80 || lib_types[w->type].complex ||
        blocks > (int64_t)d->info.units ||
        (size_t)(STRIP_COLUMNS * STRIP_THREADS * bytes + STATIC) > d->info.shared_per_block)
        return false;
    const size_t line = (size_t)(HEAD + STRIP_COLUMNS * bytes / 4) * 8,
                 board = 2 * (size_t)blocks * line;
    b->board = work_bytes(w, board);
    for (int k = 0; k < 2; k++)
        b->moves[k] = work_bytes(w, 2 * WIDTH * sizeof(int));
    work_zero(w, b->board, board);
    return true;
}

static int *moves_of(char *moves, int64_t column)
{
    return (int *)(void *)moves + 2 * column;
}

static void strip_run(struct blocks *b, const char *kernel, int64_t grid, int threads,
                      size_t shared, void *const *args)
{
    struct work *w = b->w;
    if (!w->error && grid > 0)
        work_fail(w, lib_run_shared(&w->h->device, w->h->stream, "solver/strip.h", kernel,
                                    (tern_dim){(uint32_t)grid}, (tern_dim){(uint32_t)threads},
                                    (uint32_t)shared, args));
}

/* The kernel NAME for the type, after strips. */
static void strip_follow(struct blocks *b, const char *name, int64_t grid, size_t shared,
                         void *const *args)
{
    char kernel[96];
    snprintf(kernel, sizeof kernel, "%s<%s, %d>", name, lib_types[b->w->type].name, STRIP_COLUMNS);
    strip_run(b, kernel, grid, STRIP_THREADS, shared, args);
}

static int64_t groups(int64_t columns)
{
    return (columns + FOLLOW_COLUMNS - 1) / FOLLOW_COLUMNS;
}

/* A strip of `count` columns at k, of a block that goes from `first` to end - 1, and what follows
 * for the block's others. */
static void strip(struct blocks *b, int64_t k, int64_t count, int64_t first, int64_t end,
                  int *moves)
{
    struct work *w = b->w;
    const size_t bytes = lib_types[w->type].bytes;
    int rows = (int)(b->m - k), columns = (int)count;
    int64_t base = k, left = k - first, right = end - k - count;
    void *a = work_at(w, b->a, b->lda, k, k), *pivots = from(b->p, k).p;
    char kernel[96];
    snprintf(kernel, sizeof kernel, "getrf_strip<%s, %s, %d, %d>", lib_types[w->type].name,
             b->p.wide ? "long long" : "int", STRIP_COLUMNS, b->threads);
    strip_run(
        b, kernel, (rows + b->threads - 1) / b->threads, b->threads,
        (size_t)(STRIP_COLUMNS * b->threads) * bytes,
        (void *[]){&rows, &columns, &a, &b->lda, &pivots, &b->info, &base, &b->board, &moves});
    strip_follow(b, "getrf_follow", groups(left) + groups(right),
                 (size_t)(STRIP_COLUMNS * STRIP_COLUMNS) * bytes,
                 (void *[]){&columns, &a, &b->lda, &left, &right, &moves});
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, rows - count, right, count, -1,
              work_at(w, a, b->lda, count, 0), b->lda, work_at(w, a, b->lda, 0, count), b->lda, 1,
              work_at(w, a, b->lda, count, count), b->lda);
}

static void factor_block(struct blocks *b, int64_t k, int64_t width, char *moves)
{
    for (int64_t at = 0; at < width; at += STRIP_COLUMNS)
        strip(b, k + at, width - at < STRIP_COLUMNS ? width - at : STRIP_COLUMNS, k, k + width,
              moves_of(moves, at));
}

static void exchange_after(struct blocks *b, int64_t k, int64_t width, int64_t first, int64_t end,
                           char *moves)
{
    int64_t columns = end - first;
    int wide = (int)width;
    void *a = work_at(b->w, b->a, b->lda, k, first);
    if (b->p.p)
        strip_follow(b, "strip_exchange", groups(columns), 0,
                     (void *[]){&columns, &a, &b->lda, &wide, &moves});
}

/* Columns from … end-1 after the block at k, of so many columns. */
static void follow(struct blocks *b, int64_t k, int64_t width, int64_t from_, int64_t end,
                   char *moves)
{
    struct work *w = b->w;
    const int64_t next = k + width, count = end - from_;
    void *upper = work_at(w, b->a, b->lda, k, from_);
    if (count <= 0)
        return;
    exchange_after(b, k, width, from_, end, moves);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, width,
              count, work_at(w, b->a, b->lda, k, k), b->lda, upper, b->lda);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, b->m - next, count, width, -1,
              work_at(w, b->a, b->lda, next, k), b->lda, upper, b->lda, 1,
              work_at(w, b->a, b->lda, next, from_), b->lda);
}

/* Products leave some multiprocessors to the panel beside them. */
static void leave_room(struct blocks *b, bool leave)
{
    const int64_t units = b->w->h->device.info.units,
                  blocks = (b->m + b->threads - 1) / b->threads / 2 + 1;
    cublasSetSmCountTarget(b->w->h->blas, leave && units > 2 * blocks ? (int)(units - blocks) : 0);
}

static void factor_by_blocks(struct blocks *b)
{
    struct work *w = b->w;
    const int64_t steps = b->m < b->n ? b->m : b->n;
    const bool side = b->m > 2 * WIDTH && b->n > 2 * WIDTH && work_side(w);
    factor_block(b, 0, steps < WIDTH ? steps : WIDTH, b->moves[0]);
    for (int64_t k = 0, now = 0; k < steps; k += WIDTH, now ^= 1) {
        const int64_t width = steps - k < WIDTH ? steps - k : WIDTH, next = k + width,
                      left = steps - next, following = left < WIDTH ? left : WIDTH;
        if (side) {
            work_meet(w);
            work_beside(w, true);
        }
        follow(b, k, width, next, next + following, b->moves[now]);
        factor_block(b, next, following, b->moves[now ^ 1]);
        work_beside(w, false);
        leave_room(b, side && following > 0);
        exchange_after(b, k, width, 0, k, b->moves[now]);
        follow(b, k, width, next + following, b->n, b->moves[now]);
        leave_room(b, false);
    }
    if (side)
        work_meet(w);
}

static void factor_all(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, struct pivots p,
                       int *info)
{
    struct blocks b = {.w = w, .m = m, .n = n, .lda = lda, .a = a, .p = p, .info = info};
    if (strips_begin(&b)) {
        factor_by_blocks(&b);
        return;
    }
    struct panel panel = panel_begin(w, m);
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
