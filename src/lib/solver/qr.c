/* Householder's reflections in blocks: A = Q R, products with Q, Q itself. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/leaf.h"

#include <stdio.h>

enum {
    BLOCK = QR_BLOCK,
    GRAM_PARTS = 16, /* of a long V' V on GPUs, which one block would take long over */
    GRAM_ROWS = 64,  /* of a part, at least */
};

/* ---- blocks of reflections: I - V T V' ---- */

/* Reflections of a block: on GPUs as many as larft_tile does, so that products are deeper. */
int64_t qr_width(const struct work *w)
{
    enum { SHARED = 48 << 10 };
    const struct lib_device *d = &w->h->device;
    if (host_leaves(w))
        return HOST_REFLECTIONS;
    const bool wide =
        !d->host_path && d->info.shared_per_block >= SHARED && lib_types[w->type].bytes <= 8;
    return wide ? 2 * BLOCK : BLOCK;
}

/* Scratch for blocks of at most m rows, applied to at most n columns (or rows). */
void qr_reserve(struct work *w, struct reflections *r, int64_t m, int64_t n)
{
    const int64_t most = qr_width(w);
    *r = (struct reflections){.ldv = work_ld(w, m), .ldw = work_ld(w, n), .most = most};
    r->v = work_elements(w, r->ldv * most);
    r->t = work_elements(w, most * most);
    r->g = work_elements(w, most * most * GRAM_PARTS);
    r->w = work_elements(w, r->ldw * most);
    r->w2 = work_elements(w, r->ldw * most);
}

static void triangle(struct work *w, struct reflections *r, int columns, const void *tau, int parts)
{
    enum { THREADS = 256 };
    int64_t ld = r->most;
    void *plain[] = {&columns, &r->g, &ld, (void *)&tau, &r->t, &ld};
    void *args[] = {&columns, &r->g, &ld, &parts, (void *)&tau, &r->t, &ld};
    char kernel[64];
    if (w->error)
        return;
    if (w->h->device.host_path) {
        work_run(w, "qr.h", "larft", 1, BLOCK, plain);
        return;
    }
    snprintf(kernel, sizeof kernel, "larft_tile<%s, %d>", lib_types[w->type].name, (int)r->most);
    work_fail(w, lib_run(&w->h->device, w->h->stream, "solver/qr.h", kernel, (tern_dim){1},
                         (tern_dim){THREADS}, args));
}

/* V' V, in how many parts, which larft_tile sums. */
static int gram(struct work *w, struct reflections *r, int64_t m, int64_t k)
{
    const int64_t each = m / GRAM_PARTS / 16 * 16, rest = m - each * GRAM_PARTS;
    if (w->h->device.host_path || each < GRAM_ROWS) {
        work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, m, 1, r->v, r->ldv, r->v, r->ldv, 0, r->g,
                  r->most);
        return 1;
    }
    work_gemm_parts(w, k, k, each, r->v, r->ldv, r->v, r->ldv, r->g, r->most, r->most * r->most,
                    GRAM_PARTS);
    const void *last = work_at(w, r->v, r->ldv, each * GRAM_PARTS, 0);
    if (rest)
        work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, rest, 1, last, r->ldv, last, r->ldv, 1, r->g,
                  r->most);
    return GRAM_PARTS;
}

/* Of k columns of A (m rows), with their tau. */
static void block(struct work *w, struct reflections *r, int64_t m, int64_t k, const void *a,
                  int64_t lda, const void *tau)
{
    int part = PART_STRICT_LOWER | PART_OUTSIDE;
    r->rows = m;
    r->count = k;
    if (host_leaves(w)) {
        host_reflect(w, true, m, (int)k, (void *)(uintptr_t)a, lda, (void *)(uintptr_t)tau, r->v,
                     r->ldv, r->t, r->most);
        return;
    }
    work_each(w, "util.h", "copy_part", m * k,
              (void *[]){&m, &k, (void *)&a, &lda, &r->v, &r->ldv, &part});
    triangle(w, r, (int)k, tau, gram(w, r, m, k));
}

/* C = H C, or H' C; C has the rows of the block. */
static void from_left(struct work *w, const struct reflections *r, bool adjoint, int64_t n, void *c,
                      int64_t ldc)
{
    const int64_t k = r->count;
    /* W = V' C is k by n: its adjoint's scratch is as large. */
    work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, k, n, r->rows, 1, r->v, r->ldv, c, ldc, 0, r->w,
              r->most);
    work_gemm(w, adjoint ? CUBLAS_OP_C : CUBLAS_OP_N, CUBLAS_OP_N, k, n, k, 1, r->t, r->most, r->w,
              r->most, 0, r->w2, r->most);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, r->rows, n, k, -1, r->v, r->ldv, r->w2, r->most, 1, c,
              ldc);
}

/* C = C H, or C H'; C has m rows and the block's rows as columns. */
static void from_right(struct work *w, const struct reflections *r, bool adjoint, int64_t m,
                       void *c, int64_t ldc)
{
    const int64_t k = r->count;
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m, k, r->rows, 1, c, ldc, r->v, r->ldv, 0, r->w, r->ldw);
    work_gemm(w, CUBLAS_OP_N, adjoint ? CUBLAS_OP_C : CUBLAS_OP_N, m, k, k, 1, r->w, r->ldw, r->t,
              r->most, 0, r->w2, r->ldw);
    work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, m, r->rows, k, -1, r->w2, r->ldw, r->v, r->ldv, 1, c,
              ldc);
}

/* ---- factorisations ---- */

/* The columns of one block, BLOCK at a time; each is applied to those of the block that follow. */
static void panels(struct work *w, struct reflections *r, struct panel *tall, int64_t m, int64_t n,
                   void *a, int64_t lda, void *tau)
{
    for (int64_t k = 0; k < n; k += BLOCK) {
        const int64_t width = n - k < BLOCK ? n - k : BLOCK, right = n - k - width;
        int rows = (int)(m - k), columns = (int)width;
        void *panel = work_at(w, a, lda, k, k), *t = work_at(w, tau, 1, k, 0);
        void *args[] = {&rows, &columns, &panel, &lda, &t, &tall->board};
        if (tall->board)
            panel_run(w, "geqrf_tall", "", m - k, args, tall);
        else
            work_run(w, "qr.h", "geqrf_panel", 1, SOLVER_THREADS, args);
        if (right <= 0)
            continue;
        block(w, r, m - k, width, panel, lda, t);
        from_left(w, r, true, right, work_at(w, a, lda, k, k + width), lda);
    }
}

void qr_panel(struct work *w, struct reflections *r, struct panel *tall, int64_t m, int64_t n,
              void *a, int64_t lda, void *tau)
{
    const int64_t width = m < n ? m : n;
    if (host_leaves(w)) {
        r->rows = m;
        r->count = width;
        host_reflect(w, false, m, (int)width, a, lda, tau, r->v, r->ldv, r->t, r->most);
    } else {
        panels(w, r, tall, m, width, a, lda, tau);
        block(w, r, m, width, a, lda, tau);
    }
    if (n > width)
        from_left(w, r, true, n - width, work_at(w, a, lda, 0, width), lda);
}

/* Products leave some multiprocessors to the panel beside them. */
static void leave_room(struct work *w, int64_t m, bool leave)
{
    const int64_t units = w->h->device.info.units,
                  blocks = (m + PANEL_THREADS - 1) / PANEL_THREADS / 2 + 1;
    cublasSetSmCountTarget(w->h->blas, leave && units > 2 * blocks ? (int)(units - blocks) : 0);
}

/* On two streams: a block's columns are reflected while those after the next block hear of the one
 * before. */
static void factor_beside(struct work *w, struct panel *tall, int64_t m, int64_t n, void *a,
                          int64_t lda, void *tau)
{
    struct reflections r[2];
    qr_reserve(w, &r[0], m, n);
    qr_reserve(w, &r[1], m, n);
    const int64_t steps = m < n ? m : n, most = r[0].most;
    panels(w, &r[0], tall, m, most, a, lda, tau);
    block(w, &r[0], m, most, a, lda, tau);
    int now = 0;
    for (int64_t k = 0; k < steps; k += most, now ^= 1) {
        const int64_t width = steps - k < most ? steps - k : most, next = k + width,
                      left = steps - next, following = left < most ? left : most,
                      rest = n - next - following;
        struct reflections own = r[now]; /* with the other's scratch */
        own.w = r[now ^ 1].w;
        own.w2 = r[now ^ 1].w2;
        work_meet(w);
        work_beside(w, true);
        if (following) {
            void *corner = work_at(w, a, lda, next, next), *t = work_at(w, tau, 1, next, 0);
            from_left(w, &own, true, following, work_at(w, a, lda, k, next), lda);
            panels(w, &r[now ^ 1], tall, m - next, following, corner, lda, t);
            if (rest > 0)
                block(w, &r[now ^ 1], m - next, following, corner, lda, t);
        }
        work_beside(w, false);
        leave_room(w, m, following > 0);
        if (rest > 0)
            from_left(w, &r[now], true, rest, work_at(w, a, lda, k, next + following), lda);
        leave_room(w, m, false);
    }
    work_meet(w);
}

void qr_factor(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, void *tau)
{
    enum { BLOCKS = 4 }; /* that two streams are worth it for */
    struct reflections r;
    const int64_t steps = m < n ? m : n;
    if (!steps)
        return;
    struct panel tall = panel_begin(w, m);
    if (tall.board && steps > BLOCKS * qr_width(w) && work_side(w)) {
        factor_beside(w, &tall, m, n, a, lda, tau);
        return;
    }
    qr_reserve(w, &r, m, n);
    for (int64_t k = 0; k < steps; k += r.most) {
        const int64_t width = steps - k < r.most ? steps - k : r.most, right = n - k - width;
        if (host_leaves(w)) {
            r.rows = m - k;
            r.count = width;
            host_reflect(w, false, m - k, (int)width, work_at(w, a, lda, k, k), lda,
                         work_at(w, tau, 1, k, 0), r.v, r.ldv, right > 0 ? r.t : NULL, r.most);
            if (right > 0)
                from_left(w, &r, true, right, work_at(w, a, lda, k, k + width), lda);
            continue;
        }
        panels(w, &r, &tall, m - k, width, work_at(w, a, lda, k, k), lda, work_at(w, tau, 1, k, 0));
        if (right <= 0)
            continue;
        block(w, &r, m - k, width, work_at(w, a, lda, k, k), lda, work_at(w, tau, 1, k, 0));
        from_left(w, &r, true, right, work_at(w, a, lda, k, k + width), lda);
    }
}

/* C = op(Q) C or C op(Q), Q of k reflections in A. */
void qr_multiply(struct work *w, cublasSideMode_t side, bool adjoint, int64_t m, int64_t n,
                 int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc)
{
    const bool left = side == CUBLAS_SIDE_LEFT, forward = left == adjoint;
    const int64_t rows = left ? m : n, most = qr_width(w), blocks = (k + most - 1) / most;
    struct reflections r;
    if (!m || !n || !k)
        return;
    qr_reserve(w, &r, rows, left ? n : m);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t at = (forward ? b : blocks - 1 - b) * most;
        const int64_t width = k - at < most ? k - at : most;
        block(w, &r, rows - at, width, work_at(w, a, lda, at, at), lda, work_at(w, tau, 1, at, 0));
        if (left)
            from_left(w, &r, adjoint, n, work_at(w, c, ldc, at, 0), ldc);
        else
            from_right(w, &r, adjoint, m, work_at(w, c, ldc, 0, at), ldc);
    }
}

/* The first n columns of Q, of k reflections in V, to A; they may be the same. */
void qr_form(struct work *w, int64_t m, int64_t n, int64_t k, void *a, int64_t lda, const void *tau)
{
    void *v = work_elements(w, m * k);
    int part = PART_ALL;
    int64_t ldv = m;
    struct reflections r;
    if (!m || !n)
        return;
    if (k) {
        work_each(w, "util.h", "copy_part", m * k, (void *[]){&m, &k, &a, &lda, &v, &ldv, &part});
        qr_reserve(w, &r, m, n);
    }
    work_each(w, "util.h", "identity", m * n, (void *[]){&m, &n, &a, &lda});
    const int64_t most = qr_width(w);
    for (int64_t at = (k + most - 1) / most * most - most; k && at >= 0; at -= most) {
        const int64_t width = k - at < most ? k - at : most;
        block(w, &r, m - at, width, work_at(w, v, ldv, at, at), ldv, work_at(w, tau, 1, at, 0));
        /* The columns before are still those of the identity, and 0 in these rows. */
        from_left(w, &r, false, n - at, work_at(w, a, lda, at, at), lda);
    }
}

/* ---- the calls ---- */

cusolverStatus_t solver_geqrf_size(cusolverDnHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, void *A, int64_t lda, int *size)
{
    (void)type;
    (void)A;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_geqrf(cusolverDnHandle_t handle, enum lib_type type, int64_t m, int64_t n,
                              void *A, int64_t lda, void *tau, void *workspace, int64_t size,
                              int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && info);
    struct work w = work_begin(handle, type);
    work_zero(&w, info, sizeof *info);
    qr_factor(&w, m, n, A, lda, tau);
    return work_end(&w);
}

static bool valid_orgqr(int64_t m, int64_t n, int64_t k, int64_t lda)
{
    return m >= 0 && n >= 0 && n <= m && k >= 0 && k <= n && valid_ld(lda, m);
}

cusolverStatus_t solver_orgqr_size(cusolverDnHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, int64_t k, const void *A, int64_t lda,
                                   const void *tau, int *size)
{
    (void)type;
    (void)A;
    (void)tau;
    SOLVER_CALL(handle, valid_orgqr(m, n, k, lda) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_orgqr(cusolverDnHandle_t handle, enum lib_type type, int64_t m, int64_t n,
                              int64_t k, void *A, int64_t lda, const void *tau, void *workspace,
                              int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_orgqr(m, n, k, lda) && info);
    struct work w = work_begin(handle, type);
    work_zero(&w, info, sizeof *info);
    qr_form(&w, m, n, k, A, lda, tau);
    return work_end(&w);
}

/* op: N, and T for real numbers or C for all. */
bool qr_op(enum lib_type type, cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_C ||
           (op == CUBLAS_OP_T && !lib_types[type].complex);
}

static bool valid_ormqr(enum lib_type type, cublasSideMode_t side, cublasOperation_t op, int64_t m,
                        int64_t n, int64_t k, int64_t lda, int64_t ldc)
{
    const int64_t rows = side == CUBLAS_SIDE_LEFT ? m : n;
    return (side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT) && qr_op(type, op) && m >= 0 &&
           n >= 0 && k >= 0 && k <= rows && valid_ld(lda, rows) && valid_ld(ldc, m);
}

cusolverStatus_t solver_ormqr_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasSideMode_t side, cublasOperation_t op, int64_t m,
                                   int64_t n, int64_t k, const void *A, int64_t lda,
                                   const void *tau, const void *C, int64_t ldc, int *size)
{
    (void)A;
    (void)tau;
    (void)C;
    SOLVER_CALL(handle, valid_ormqr(type, side, op, m, n, k, lda, ldc) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_ormqr(cusolverDnHandle_t handle, enum lib_type type, cublasSideMode_t side,
                              cublasOperation_t op, int64_t m, int64_t n, int64_t k, const void *A,
                              int64_t lda, const void *tau, void *C, int64_t ldc, void *workspace,
                              int64_t size, int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_ormqr(type, side, op, m, n, k, lda, ldc) && info);
    struct work w = work_begin(handle, type);
    work_zero(&w, info, sizeof *info);
    qr_multiply(&w, side, op != CUBLAS_OP_N, m, n, k, A, lda, tau, C, ldc);
    return work_end(&w);
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType typeA,
                                             const void *A, int64_t lda, cudaDataType typeTau,
                                             const void *tau, cudaDataType computeType,
                                             size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)A;
    (void)tau;
    SOLVER_CALL(handle, m >= 0 && n >= 0 && valid_ld(lda, m) && onDevice && onHost);
    if (!solver_type(typeA, &type) || typeTau != typeA || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType typeA, void *A, int64_t lda,
                                  cudaDataType typeTau, void *tau, cudaDataType computeType,
                                  void *onDevice, size_t deviceBytes, void *onHost,
                                  size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || typeTau != typeA || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return solver_geqrf(handle, type, m, n, A, lda, tau, onDevice, (int64_t)deviceBytes, info);
}

/* ---- the triangle of a block of reflections, by itself ---- */

static bool one_type(cudaDataType v, cudaDataType tau, cudaDataType t, cudaDataType compute,
                     enum lib_type *type)
{
    return solver_type(v, type) && tau == v && t == v && compute == v;
}

cusolverStatus_t
cusolverDnXlarft_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                            cusolverDirectMode_t direct, cusolverStorevMode_t storev, int64_t n,
                            int64_t k, cudaDataType typeV, const void *V, int64_t ldv,
                            cudaDataType typeTau, const void *tau, cudaDataType typeT, void *T,
                            int64_t ldt, cudaDataType computeType, size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)V;
    (void)tau;
    (void)T;
    SOLVER_CALL(handle,
                k >= 0 && n >= k && valid_ld(ldv, n) && valid_ld(ldt, k) && onDevice && onHost);
    if (direct != CUBLAS_DIRECT_FORWARD || storev != CUBLAS_STOREV_COLUMNWISE ||
        !one_type(typeV, typeTau, typeT, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXlarft(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverDirectMode_t direct, cusolverStorevMode_t storev,
                                  int64_t n, int64_t k, cudaDataType typeV, const void *V,
                                  int64_t ldv, cudaDataType typeTau, const void *tau,
                                  cudaDataType typeT, void *T, int64_t ldt,
                                  cudaDataType computeType, void *onDevice, size_t deviceBytes,
                                  void *onHost, size_t hostBytes)
{
    enum { THREADS = 64 };
    enum lib_type type;
    size_t sizes[2];
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    const cusolverStatus_t s =
        cusolverDnXlarft_bufferSize(handle, params, direct, storev, n, k, typeV, V, ldv, typeTau,
                                    tau, typeT, T, ldt, computeType, &sizes[0], &sizes[1]);
    if (s != CUSOLVER_STATUS_SUCCESS || !k)
        return s;
    if (!V || !tau || !T || k > INT32_MAX || !solver_type(typeV, &type))
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct work w = work_begin(handle, type);
    int part = PART_STRICT_LOWER | PART_OUTSIDE, columns = (int)k;
    int64_t ld = work_ld(&w, n), ldg = work_ld(&w, k);
    void *v = work_elements(&w, ld * k), *g = work_elements(&w, ldg * k);
    work_each(&w, "util.h", "copy_part", n * k,
              (void *[]){&n, &k, (void *)&V, &ldv, &v, &ld, &part});
    work_gemm(&w, CUBLAS_OP_C, CUBLAS_OP_N, k, k, n, 1, v, ld, v, ld, 0, g, ldg);
    work_run(&w, "qr.h", "larft", (k + THREADS - 1) / THREADS, THREADS,
             (void *[]){&columns, &g, &ldg, (void *)&tau, &T, &ldt});
    return work_end(&w);
}
