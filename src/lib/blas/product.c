/* The one product of matrices: which kernel does it, and in how many launches. */
#include <stdio.h>
#include <string.h>
#include "lib/blas/blas_int.h"

struct blas_operand blas_matrix(const void *p, int64_t ld, cublasOperation_t op)
{
    const bool plain = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
    return (struct blas_operand){.p = p,
                                 .row = plain ? 1 : ld,
                                 .col = plain ? ld : 1,
                                 .conj = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG};
}

void blas_scalar(const struct cublasContext *h, enum lib_type type, const void *given,
                 const void **at, double value[2])
{
    value[0] = value[1] = 0;
    *at = NULL;
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        *at = given;
        return;
    }
    switch (type) {
    case LIB_F32: value[0] = *(const float *)given; break;
    case LIB_F64: value[0] = *(const double *)given; break;
    case LIB_I32: value[0] = *(const int *)given; break;
    case LIB_C32:
        value[0] = ((const float *)given)[0];
        value[1] = ((const float *)given)[1];
        break;
    case LIB_C64: memcpy(value, given, 2 * sizeof *value); break;
    case LIB_F16: value[0] = lib_half(*(const uint16_t *)given); break;
    case LIB_BF16: value[0] = lib_bfloat(*(const uint16_t *)given); break;
    default: break; /* no function has such scalars */
    }
}

/* A kernel for a product: what it is called, and what one block of it does. */
struct choice {
    const char *header;
    char name[320];
    int m, n; /* elements of the result that a block computes */
    uint32_t threads, shared;
};

enum { MAX_BATCH_PER_LAUNCH = 65535 };

void blas_note(const struct cublasContext *h, const struct blas_product *p, int64_t batch,
               const char *kernel, int64_t tiles)
{
    lib_note("cublas: %lld x %lld x %lld, %lld of them: %s, %lld tiles each%s%s", (long long)p->m,
             (long long)p->n, (long long)p->k, (long long)batch, kernel, (long long)tiles,
             h->why ? "; cut " : "", h->why ? h->why : "");
}

static enum tern_error launch(struct cublasContext *h, const struct choice *c,
                              struct blas_product *p, int64_t batch)
{
    const int64_t tiles = ((p->m + c->m - 1) / c->m) * ((p->n + c->n - 1) / c->n);
    if (tiles > INT32_MAX)
        return TERN_UNSUPPORTED;
    enum tern_error e = TERN_OK;
    blas_note(h, p, batch, c->name, tiles);
    for (p->first = 0; p->first < batch && !e; p->first += MAX_BATCH_PER_LAUNCH) {
        const int64_t left = batch - p->first;
        const uint32_t count =
            (uint32_t)(left < MAX_BATCH_PER_LAUNCH ? left : MAX_BATCH_PER_LAUNCH);
        e = lib_run_shared(&h->device, h->stream, c->header, c->name,
                           (tern_dim){(uint32_t)tiles, count}, (tern_dim){c->threads}, c->shared,
                           (void *[]){p});
    }
    return e;
}

/* ---- any device: tiles of A and B fit into 32 KB of shared memory; the small ones are for results
 * that would leave most of a large one idle ---- */

struct tile {
    int m, n, k, tm, tn;
};
static const struct tile large = {64, 64, 16, 4, 4}, large_wide = {64, 64, 8, 4, 4},
                         small = {16, 16, 16, 1, 1};

static const char *source_name(const struct blas_types *t)
{
    return lib_types[t->apart ? t->source : t->c].name;
}

static void choose_plain(const struct blas_types *t, const struct blas_product *p, struct choice *c)
{
    const struct tile *s = p->m <= 32 && p->n <= 32      ? &small
                           : lib_types[t->sum].bytes > 8 ? &large_wide
                                                         : &large;
    c->header = "blas/gemm.h";
    c->m = s->m;
    c->n = s->n;
    c->threads = (uint32_t)(s->m / s->tm * (s->n / s->tn));
    snprintf(c->name, sizeof c->name,
             "product<%s, %s, %s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d>",
             lib_types[t->a].name, lib_types[t->b].name, source_name(t), lib_types[t->c].name,
             lib_types[t->sum].name, lib_types[t->scale].name, t->a_kind, t->b_kind, s->m, s->n,
             s->k, s->tm, s->tn, t->epilogue);
}

/* Doubles as pairs, on any device by the same kernel. */
static enum tern_error pairs_product(const struct cublasContext *h, const struct blas_types *t,
                                     struct blas_product *p, int64_t batch)
{
    struct cublasContext with = *h;
    struct choice c = {0};
    with.device.pairs = true;
    with.why = NULL;
    choose_plain(t, p, &c);
    return launch(&with, &c, p, batch);
}

/* ---- NVIDIA from sm_80 on ---- */

bool blas_aligned(const struct blas_operand *o, enum lib_type t)
{
    const int64_t bytes = (int64_t)lib_types[t].bytes, apart = o->row == 1 ? o->col : o->row;
    return !o->array && ((uintptr_t)o->p + (uintptr_t)(o->offset * bytes)) % 16 == 0 &&
           apart * bytes % 16 == 0 && o->stride * bytes % 16 == 0;
}

static const char *word(bool v)
{
    return v ? "true" : "false";
}

static const struct blas_cut simt_cuts[] = {
    {128, 128, 64, 64, 2, 100}, {64, 64, 32, 32, 4, 80}, {32, 32, 32, 32, 12, 50}, {0}};
static const struct blas_cut double_cuts[] = {
    {128, 128, 32, 64, 1, 100}, {128, 64, 32, 32, 2, 95}, {64, 64, 16, 32, 2, 80}, {0}};

uint32_t blas_units(const struct cublasContext *h)
{
    const uint32_t all = h->device.info.units ? h->device.info.units : 1;
    return h->sm_count > 0 && (uint32_t)h->sm_count < all ? (uint32_t)h->sm_count : all;
}

static const struct blas_cut *cut_by_size(const struct blas_cut *c, const struct cublasContext *h,
                                          const struct blas_product *p, int64_t batch)
{
    const int64_t units = blas_units(h);
    const struct blas_cut *best = c;
    double least = 0;
    for (; c->m; c++) {
        const int64_t blocks = ((p->m + c->m - 1) / c->m) * ((p->n + c->n - 1) / c->n) * batch;
        const int64_t each = (blocks + units - 1) / units;
        const double time = (double)each * c->m * c->n / c->percent;
        if (c == best || time < least) {
            best = c;
            least = time;
        }
    }
    return best;
}

const struct blas_cut *blas_best_cut(enum blas_family f, const struct blas_cut *c,
                                     struct cublasContext *h, const struct blas_types *t,
                                     const struct blas_product *p, int64_t batch)
{
    const struct blas_cut *tuned = blas_tuned_cut(f, c, h, t, p, batch);
    h->why = tuned ? "tuned" : "by size";
    return tuned ? tuned : cut_by_size(c, h, p, batch);
}

static uint32_t larger(int a, int b)
{
    return (uint32_t)(a > b ? a : b);
}

static bool choose_double(struct cublasContext *h, const struct blas_types *t,
                          const struct blas_product *p, int64_t batch, const char *along,
                          struct choice *c)
{
    enum { STAGES = 4, DEPTH = 128 };
    const struct blas_cut *k = blas_best_cut(BLAS_FAMILY_DOUBLE, double_cuts, h, t, p, batch);
    *c = (struct choice){"blas/double.h",
                         "",
                         k->m,
                         k->n,
                         256,
                         larger(STAGES * (k->m + k->n) * DEPTH, k->n * (k->m + 2) * 8)};
    snprintf(c->name, sizeof c->name, "double_product<%d, %d, %d, %d, %d, %s, %d>", k->n, k->m,
             k->wn, k->wm, STAGES, along, h->device.capability == 90 ? 8 : 4);
    return true;
}

static bool choose_simt(struct cublasContext *h, const struct blas_types *t,
                        const struct blas_product *p, int64_t batch, const char *along,
                        struct choice *c)
{
    const struct blas_cut *k = blas_best_cut(BLAS_FAMILY_SIMT, simt_cuts, h, t, p, batch);
    *c = (struct choice){"blas/simt.h",
                         "",
                         k->m,
                         k->n,
                         (uint32_t)(k->m / k->wm * (k->n / k->wn) * 32),
                         larger(2 * 16 * (k->m + k->n + 8) * 4, k->n * (k->m + 4) * 4)};
    snprintf(c->name, sizeof c->name, "simt_product<%d, %d, %d, %d, %s, %d>", k->m, k->n, k->wm,
             k->wn, along, t->epilogue);
    return true;
}

/* Batches of matrices that fit into a block's tile. */
static bool choose_small(const struct blas_types *t, const struct blas_product *p, int64_t batch,
                         bool a_along, bool b_along, struct choice *c)
{
    enum { TILE = 64, THREADS = 128 }; /* as small.h has them */
    const int64_t tile = TILE + TILE / 2;
    if ((t->a != LIB_F16 && t->a != LIB_BF16) || t->sum != LIB_F32 || t->epilogue || t->apart ||
        p->scalar_vector || batch < 2 || p->m > tile || p->n > tile || !blas_aligned(&p->a, t->a) ||
        !blas_aligned(&p->b, t->b))
        return false;
    *c = (struct choice){"blas/small.h", "", TILE, TILE, THREADS, 0};
    snprintf(c->name, sizeof c->name, "small_product<%s, %s, %s, %s, %s>", lib_types[t->a].name,
             lib_types[t->c].name, lib_types[t->scale].name, word(a_along), word(b_along));
    return true;
}

/* Whether the matrix instructions take the operands as they lie. */
static bool tensor_operands(const struct blas_types *t, const struct blas_product *p, bool *a_along,
                            bool *b_along)
{
    *a_along = p->a.col == 1 && p->a.row != 1;
    *b_along = p->b.row == 1;
    return t->a == t->b && t->a_kind == BLAS_GENERAL && t->b_kind == BLAS_GENERAL &&
           !p->conj_alpha && (*a_along || p->a.row == 1) && (*b_along || p->b.col == 1) &&
           p->k <= INT32_MAX - 4096;
}

/* ---- GPUs without matrix instructions that we have ---- */

/* The last, without warps, is `product` of any device. Percents are about an H200's, by its Vulkan
 * driver (580.159). */
static const struct blas_cut tiled_cuts[] = {{128, 128, 64, 64, 2, 100}, {128, 128, 64, 32, 1, 93},
                                             {128, 64, 64, 32, 3, 84},   {64, 64, 32, 32, 4, 73},
                                             {64, 32, 32, 16, 6, 58},    {32, 32, 32, 16, 8, 41},
                                             {64, 64, 0, 0, 2, 30},      {0}};
static const struct blas_cut tiled_double_cuts[] = {{128, 128, 64, 32, 1, 100},
                                                    {128, 64, 32, 32, 1, 88},
                                                    {64, 64, 32, 32, 3, 93},
                                                    {64, 64, 32, 16, 2, 80},
                                                    {32, 32, 16, 16, 6, 58},
                                                    {64, 64, 0, 0, 2, 25},
                                                    {0}};

static bool tiled_operands(const struct blas_types *t, const struct blas_product *p, bool *a_along,
                           bool *b_along)
{
    const enum lib_type sum = t->a == LIB_F64 ? LIB_F64 : LIB_F32;
    return (t->a == LIB_F32 || t->a == LIB_F64 || t->a == LIB_F16 || t->a == LIB_BF16) &&
           t->sum == sum && t->scale == sum && (p->m > 32 || p->n > 32) &&
           tensor_operands(t, p, a_along, b_along);
}

/* What the smallest of devices may lack. */
static bool fits(const struct cublasContext *h, const struct blas_cut *k, size_t shared)
{
    return shared <= h->device.info.shared_per_block &&
           (uint32_t)(k->m / k->wm * (k->n / k->wn) * 32) <= h->device.info.max_threads_per_block;
}

static bool choose_tiled(struct cublasContext *h, const struct blas_types *t,
                         const struct blas_product *p, int64_t batch, struct choice *c)
{
    bool a_along, b_along;
    if (!tiled_operands(t, p, &a_along, &b_along))
        return false;
    const struct blas_cut *cuts = t->a == LIB_F64 ? tiled_double_cuts : tiled_cuts;
    const struct blas_cut *k = blas_tuned_cut(BLAS_FAMILY_TILED, cuts, h, t, p, batch);
    const bool tuned = k, suits = tuned || blas_suits_registers(h);
    h->why = tuned ? "tuned" : suits ? "by size" : "by the device's profile";
    if (!tuned && suits)
        k = cut_by_size(cuts, h, p, batch);
    if (!suits || !k->wm)
        return false;
    enum { DEPTH = 8, APART = 16 }; /* as tiled.h has them; bytes */
    if (!fits(h, k, 2 * DEPTH * ((size_t)(k->m + k->n) * lib_types[t->sum].bytes + 2 * APART))) {
        h->why = "too large for the device";
        return false;
    }
    *c = (struct choice){
        "blas/tiled.h", "", k->m, k->n, (uint32_t)(k->m / k->wm * (k->n / k->wn) * 32), 0};
    snprintf(c->name, sizeof c->name,
             "tiled_product<%s, %s, %s, %s, %s, %d, %d, %d, %d, %s, %s, %s, %d>",
             lib_types[t->a].name, source_name(t), lib_types[t->c].name, lib_types[t->sum].name,
             lib_types[t->scale].name, k->m, k->n, k->wm, k->wn, word(a_along), word(b_along),
             word(blas_aligned(&p->a, t->a) && blas_aligned(&p->b, t->b)), t->epilogue);
    return true;
}

/* ---- GPUs of any maker with matrix instructions ---- */

static const struct blas_cut matrix_cuts[] = {{128, 128, 64, 64, 2, 100}, {128, 64, 64, 32, 3, 80},
                                              {64, 64, 32, 32, 5, 60},    {64, 32, 32, 32, 6, 45},
                                              {32, 32, 32, 16, 10, 30},   {0}};

static bool choose_matrix(struct cublasContext *h, const struct blas_types *t,
                          const struct blas_product *p, int64_t batch, struct choice *c)
{
    enum { LINE = 64 }; /* as matrix.h has it */
    bool a_along, b_along;
    if (!h->device.info.matrix || !tensor_operands(t, p, &a_along, &b_along) ||
        !(t->a == LIB_F16 || t->a == LIB_BF16 ||
          (t->a == LIB_I8 && t->sum == LIB_I32 && a_along && b_along)))
        return false;
    const struct blas_cut *k = blas_best_cut(BLAS_FAMILY_MATRIX, matrix_cuts, h, t, p, batch);
    if (!fits(h, k, 2 * LINE * (size_t)(k->m + k->n)))
        return false;
    *c = (struct choice){
        "blas/matrix.h", "", k->m, k->n, (uint32_t)(k->m / k->wm * (k->n / k->wn) * 32), 0};
    snprintf(c->name, sizeof c->name,
             "matrix_product<%s, %s, %s, %s, %d, %d, %d, %d, %s, %s, %s, %d>", lib_types[t->a].name,
             source_name(t), lib_types[t->c].name, lib_types[t->scale].name, k->m, k->n, k->wm,
             k->wn, word(a_along), word(b_along),
             word(blas_aligned(&p->a, t->a) && blas_aligned(&p->b, t->b)), t->epilogue);
    return true;
}

/* ---- large f32 products: operands whose rows are side by side, or copies that have them so ----
 */

enum { STAGED_TILE = 128, STAGED_WARP = 64, STAGED_K = 16, STAGED_STAGES = 4, STAGED_PER_UNIT = 2 };

static bool staged_suits(const struct cublasContext *h, const struct blas_types *t,
                         const struct blas_product *p, int64_t batch)
{
    enum { LEAST = 512 };
    bool a_along, b_along;
    const int64_t tiles = (p->m / STAGED_TILE) * (p->n / STAGED_TILE);
    return !h->device.plan && t->a == LIB_F32 && t->c == LIB_F32 && t->sum == LIB_F32 &&
           !t->apart && !t->tf32 && !t->epilogue && !p->scalar_vector && batch == 1 &&
           !p->c_array && p->k >= LEAST && tiles >= STAGED_PER_UNIT * (int64_t)blas_units(h) &&
           tensor_operands(t, p, &a_along, &b_along) && (a_along || blas_aligned(&p->a, t->a)) &&
           (b_along || blas_aligned(&p->b, t->b)) && !p->a.array && !p->b.array;
}

static enum tern_error staged_product(struct cublasContext *h, const struct blas_types *t,
                                      struct blas_product *p)
{
    struct blas_product q = *p;
    struct choice c = {.header = "blas/staged.h",
                       .m = STAGED_TILE,
                       .n = STAGED_TILE,
                       .threads = 128,
                       .shared = larger(STAGED_STAGES * STAGED_K * (2 * STAGED_TILE + 8) * 4,
                                        STAGED_TILE * (STAGED_TILE + 4) * 4)};
    void *copies[2] = {NULL, NULL};
    enum tern_error e = TERN_OK;
    bool a_along, b_along;
    tensor_operands(t, p, &a_along, &b_along);
    if (a_along) { /* the copy's k are its rows */
        e = blas_turn(h, t->a, &q.a, p->k, p->m, 1, &copies[0]);
        q.a.col = q.a.row;
        q.a.row = 1;
    }
    if (b_along && !e)
        e = blas_turn(h, t->b, &q.b, p->k, p->n, 1, &copies[1]);
    snprintf(c.name, sizeof c.name, "staged_product<%d, %d, %d, %d, %d, %d, %d>", STAGED_TILE,
             STAGED_TILE, STAGED_WARP, STAGED_WARP, STAGED_K, STAGED_STAGES, STAGED_PER_UNIT);
    if (!e)
        e = launch(h, &c, &q, 1);
    lib_scratch_free(h->stream, copies[0]);
    lib_scratch_free(h->stream, copies[1]);
    return e;
}

static bool choose_tensor(struct cublasContext *h, const struct blas_types *t,
                          const struct blas_product *p, int64_t batch, struct choice *c)
{
    bool a_along, b_along;
    if (!tensor_operands(t, p, &a_along, &b_along))
        return false;
    char along[32]; /* of A, of B; whether both may be read in pieces of 16 bytes */
    snprintf(along, sizeof along, "%s, %s, %s", word(a_along), word(b_along),
             word(blas_aligned(&p->a, t->a) && blas_aligned(&p->b, t->b)));
    const bool plain_f32 = t->a == LIB_F32 && t->c == LIB_F32 && !t->apart && t->sum == LIB_F32;
    if (t->a == LIB_F64 && t->c == LIB_F64 && !t->epilogue && !t->apart)
        return choose_double(h, t, p, batch, along, c);
    if (plain_f32 && !t->tf32)
        return choose_simt(h, t, p, batch, along, c);
    if (t->a == LIB_F16 || t->a == LIB_BF16 || plain_f32 ||
        (t->a == LIB_I8 && t->sum == LIB_I32 && a_along && b_along)) {
        enum { COLS = 128, LINE = 128, STAGES = 3 };
        const int rows = t->a == LIB_F32 && p->m <= 64 ? 64 : 128;
        *c = (struct choice){
            "blas/tensor.h", "", rows, COLS, 256, (uint32_t)(STAGES * (rows + COLS) * LINE)};
        snprintf(c->name, sizeof c->name, "tensor_product<%s, %s, %s, %s, %d, %s, %d>",
                 lib_types[t->a].name, source_name(t), lib_types[t->c].name,
                 lib_types[t->scale].name, rows, along, t->epilogue);
        return true;
    }
    return false;
}

/* A result by rows is the transposed product's by columns, which kernels store in whole pieces. */
static void store_by_columns(const struct blas_types *t, struct blas_product *p)
{
    if (p->d_row == 1 || p->d_col != 1 || p->c_col != 1 || t->a != t->b || t->epilogue ||
        p->scalar_vector || t->a_kind != BLAS_GENERAL || t->b_kind != BLAS_GENERAL)
        return;
    const struct blas_operand a = p->a, b = p->b;
    const int64_t m = p->m;
    p->a = b;
    p->a.row = b.col;
    p->a.col = b.row;
    p->b = a;
    p->b.row = a.col;
    p->b.col = a.row;
    p->m = p->n;
    p->n = m;
    p->d_col = p->d_row;
    p->c_col = p->c_row;
    p->d_row = p->c_row = 1;
    p->part = p->part == BLAS_UPPER ? BLAS_LOWER : p->part == BLAS_LOWER ? BLAS_UPPER : BLAS_WHOLE;
}

enum tern_error blas_product(struct cublasContext *h, const struct blas_types *t,
                             struct blas_product *p, int64_t batch)
{
    if (p->m == 0 || p->n == 0 || batch == 0)
        return TERN_OK;
    if (t->pairs)
        return pairs_product(h, t, p, batch);
    if (h->device.host_path)
        return blas_host_product(h, t, p, batch);
    enum tern_error e;
    struct choice c = {0};
    bool a_along, b_along;
    h->why = NULL;
    store_by_columns(t, p);
    if (h->device.capability >= 80 && tensor_operands(t, p, &a_along, &b_along) &&
        choose_small(t, p, batch, a_along, b_along, &c))
        return launch(h, &c, p, batch);
    if (h->device.capability == 90 && blas_hopper_product(h, t, p, batch, &e))
        return e;
    if (h->device.capability == 90 && blas_mapped_single(h, t, p, batch, &e))
        return e;
    if (h->device.capability >= 80 && staged_suits(h, t, p, batch))
        return staged_product(h, t, p);
    const bool found = h->device.capability >= 80
                           ? choose_tensor(h, t, p, batch, &c)
                           : choose_matrix(h, t, p, batch, &c) || choose_tiled(h, t, p, batch, &c);
    if (!found)
        choose_plain(t, p, &c);
    return launch(h, &c, p, batch);
}
