/* Products on Hopper's matrix instructions: tensor maps for the operands, where they can have them,
 * and the kernels that go with them (device/blas/mapped.h, mapped_pairs.h, wgmma.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lib/blas/blas_int.h"
#include "cuda/cuda.h"

/* What the instructions multiply, and what tensor maps call it. Only elements of 16 bits may have k
 * across. */
static const struct kind {
    enum lib_type in, sum;
    CUtensorMapDataType type;
} kinds[] = {
    {LIB_F16, LIB_F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
    {LIB_BF16, LIB_F32, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
    /* rounded to TF32 on its way: matrix instructions cut the last 13 bits off, which makes sums
     * smaller by a thousandth */
    {LIB_F32, LIB_F32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
    {LIB_I8, LIB_I32, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {LIB_E4M3, LIB_F32, CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {LIB_E5M2, LIB_F32, CU_TENSOR_MAP_DATA_TYPE_UINT8},
};

enum { COLS = 128, DEPTH = 128, MAX_SHARED = 227 * 1024, MAX_STAGES = 8 };
static const struct blas_cut cuts[] = {{256, COLS, 0, 0, 1, 100}, {224, COLS, 0, 0, 1, 97},
                                       {192, COLS, 0, 0, 1, 97},  {160, COLS, 0, 0, 1, 94},
                                       {128, COLS, 0, 0, 1, 91},  {96, COLS, 0, 0, 1, 78},
                                       {64, COLS, 0, 0, 1, 64},   {0}};
/* Where k is across, whole panels are brought. */
static const struct blas_cut cuts_across[] = {{256, COLS, 0, 0, 1, 100},
                                              {192, COLS, 0, 0, 1, 97},
                                              {128, COLS, 0, 0, 1, 91},
                                              {64, COLS, 0, 0, 1, 64},
                                              {0}};
enum { NARROWEST = sizeof cuts / sizeof *cuts - 2 };
/* Promoted sums take twice the registers, which more rows do not leave. */
static const struct blas_cut *const promoted_cuts = cuts + 4;
static const struct blas_cut turns_cut = {128, COLS, 0, 0, 1, 90};
/* For operands without maps. */
static const struct blas_cut plain_cuts[] = {
    {256, COLS, 0, 0, 1, 100}, {128, COLS, 0, 0, 1, 90}, {64, COLS, 0, 0, 1, 70}, {0}};
static const struct blas_cut *const plain_promoted_cuts = plain_cuts + 1;

static const char *word(bool v)
{
    return v ? "true" : "false";
}

static const struct kind *kind_of(const struct blas_types *t)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].in == t->a && kinds[k].sum == t->sum)
            return t->a == LIB_F32 && !t->tf32 ? NULL : &kinds[k];
    return NULL;
}

static bool small_float(enum lib_type t)
{
    return t == LIB_E4M3 || t == LIB_E5M2;
}

/* Whether sums of products of small floats are brought to float every 128 of k. */
static bool promoted(const struct blas_types *t)
{
    return small_float(t->a) && !t->fast;
}

/* Lines of a tile in shared memory: where k is across, panels of 64 rows. */
static int lines_of(int rows, bool along)
{
    return along ? rows : (rows + 63) / 64 * 64;
}

/* As many stages as there is shared memory for, and steps of k. */
static int stages_of(int lines, int64_t steps, int least)
{
    int most = (MAX_SHARED - 2048) / ((lines + COLS) * DEPTH);
    most = most > MAX_STAGES ? MAX_STAGES : most;
    return steps + 1 < least ? least : steps + 1 < most ? (int)steps + 1 : most;
}

/* A map of matrices whose lines are side by side in memory. */
static bool encode_boxes(CUtensorMap *map, CUtensorMapDataType type, const struct blas_operand *o,
                         const cuuint64_t size[3], int64_t bytes, const cuuint32_t box[3],
                         CUtensorMapSwizzle swizzle)
{
    const cuuint64_t apart = (cuuint64_t)((o->row == 1 ? o->col : o->row) * bytes),
                     stride[2] = {apart, size[2] > 1 ? (cuuint64_t)(o->stride * bytes) : apart};
    const cuuint32_t step[3] = {1, 1, 1};
    char *from = (char *)(uintptr_t)o->p + o->offset * bytes;
    return cuTensorMapEncodeTiled(map, type, 3, from, size, stride, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* op(X) as boxes of 128 bytes of k by `box_rows` rows; across, of 128 bytes of rows by as many of
 * k. */
static bool encode(CUtensorMap *map, const struct kind *kind, const struct blas_operand *o,
                   int64_t rows, int64_t k, int64_t batch, bool along, int box_rows)
{
    const int64_t bytes = (int64_t)lib_types[kind->in].bytes;
    const cuuint64_t size[3] = {(cuuint64_t)(along ? k : rows), (cuuint64_t)(along ? rows : k),
                                (cuuint64_t)batch};
    const cuuint32_t deep = DEPTH / (cuuint32_t)bytes,
                     box[3] = {deep, along ? (cuuint32_t)box_rows : deep, 1};
    return encode_boxes(map, kind->type, o, size, bytes, box, CU_TENSOR_MAP_SWIZZLE_128B);
}

static bool in_pieces(const void *p, int64_t offset, int64_t apart, int64_t stride, int64_t bytes)
{
    return ((uintptr_t)p + (uintptr_t)(offset * bytes)) % 16 == 0 && apart * bytes % 16 == 0 &&
           stride * bytes % 16 == 0;
}

/* Whether what follows the product is done where mapped_product stores it: eight rows at a time. */
static bool mapped_epilogue(const struct blas_types *t, const struct blas_product *p)
{
    const struct blas_epilogue *e = &p->e;
    const int64_t bytes = (int64_t)lib_types[t->c].bytes, bias = e->bias_kind == 1 ? bytes : 4;
    const bool bits = e->activation == BLAS_RELU || e->activation == BLAS_DRELU,
               aux = e->aux_out || e->activation == BLAS_DRELU || e->activation == BLAS_DGELU;
    if (aux && (bits ? e->aux_ld % 8 || e->aux_stride % 8
                     : !in_pieces(e->aux, 0, e->aux_ld, e->aux_stride, bytes)))
        return false;
    return p->m % 8 == 0 && !e->amax && !e->scale_mode && e->bias_kind <= 2 &&
           (uintptr_t)e->bias % (uintptr_t)(2 * bias) == 0 && e->bias_stride % 2 == 0 &&
           t->scale == LIB_F32 && !p->c_array && !p->d_array &&
           in_pieces(p->d, p->d_offset, p->d_col, p->d_stride, bytes) &&
           in_pieces(p->c, p->c_offset, p->c_col, p->c_stride, bytes);
}

/* Whether the result goes out as mapped_product stores it. */
static bool plain_result(const struct blas_types *t, const struct blas_product *p, int64_t batch)
{
    const size_t bytes = lib_types[t->c].bytes;
    return (!t->epilogue || mapped_epilogue(t, p)) && !t->apart && !p->scalar_vector &&
           p->part == BLAS_WHOLE && p->d_row == 1 && p->c_row == 1 && (bytes == 2 || bytes == 4) &&
           (batch == 1 || (p->a.stride > 0 && p->b.stride > 0));
}

static int64_t tiles_of(const struct blas_product *p, int64_t batch, const struct blas_cut *cut)
{
    return (p->m + cut->m - 1) / cut->m * ((p->n + COLS - 1) / COLS) * batch;
}

/* Tiles, and how they are dealt out to blocks (struct blas_deal). */
struct dealing {
    const struct blas_cut *cut;
    int64_t tiles, whole;
    uint32_t blocks;
    bool turns; /* groups of warps have tiles in turn */
};

/* Whole tiles, in rounds. Times are in rows by steps. */
static double whole_time(const struct cublasContext *h, const struct blas_product *p, int64_t batch,
                         int64_t steps, const struct blas_cut *cut, struct dealing *d)
{
    const int64_t units = blas_units(h), tiles = tiles_of(p, batch, cut);
    *d = (struct dealing){cut, tiles, tiles, (uint32_t)(tiles < units ? tiles : units), false};
    return cut->m * 100.0 / cut->percent * (double)((tiles + units - 1) / units * steps);
}

/* What storing a tile takes, and what follows the product, in steps. */
static double end_steps(const struct blas_types *t, const struct blas_product *p)
{
    static const double steps[] = {
        [BLAS_NOTHING] = 5, [BLAS_RELU] = 7, [BLAS_GELU] = 15, [BLAS_DRELU] = 7, [BLAS_DGELU] = 22};
    return t->epilogue ? steps[p->e.activation] : steps[BLAS_NOTHING];
}

/* In turns: one group multiplies while the other stores. */
static double turns_time(const struct cublasContext *h, const struct blas_product *p, int64_t batch,
                         int64_t steps, double end, struct dealing *d)
{
    const struct blas_cut *cut = &turns_cut;
    const int64_t units = blas_units(h), tiles = tiles_of(p, batch, cut),
                  each = (tiles + units - 1) / units;
    const double step = 100.0 / cut->percent, one = step * (double)steps,
                 /* a group's tiles, or those of both */
        own = (double)((each + 1) / 2) * (one + 2 * end), both = (double)each * one + 2 * end;
    *d = (struct dealing){cut, tiles, tiles, (uint32_t)(tiles < units ? tiles : units), true};
    return cut->m * (own > both ? own : both);
}

/* Shared out: the last round's, where it would leave many multiprocessors idle, and the round's
 * before. As measured on an H200: steps take half as long again, since blocks side by side are at
 * different k and share nothing in the cache; that sums are kept and met takes as long as KEPT
 * steps, and PART more for each part of a tile. So it is for few tiles whose k is long. */
static double shared_time(const struct cublasContext *h, const struct blas_product *p,
                          int64_t batch, int64_t steps, const struct blas_cut *cut,
                          struct dealing *d)
{
    enum { KEPT = 40, PART = 5, LEAST_STEPS = 4 };
    const int64_t units = blas_units(h), tiles = tiles_of(p, batch, cut), last = tiles % units,
                  shared = tiles < units || !last ? last : last + units,
                  most = shared * steps / LEAST_STEPS, blocks = most < units ? most : units;
    *d = (struct dealing){cut, tiles, tiles - shared, (uint32_t)blocks, false};
    if (!shared || blocks < (shared < units ? shared : units))
        return INFINITY;
    const double each = (double)(shared * steps) / (double)blocks;
    return cut->m * 100.0 / cut->percent * ((double)(d->whole / units * steps) + 1.5 * each) +
           cut->m * (KEPT + PART * (double)steps / each);
}

static struct dealing deal_out(struct cublasContext *h, const struct blas_types *t,
                               const struct blas_product *p, int64_t batch, int64_t steps,
                               bool a_along)
{
    const struct blas_cut *table = a_along ? cuts : cuts_across;
    enum blas_family family = BLAS_FAMILY_MAPPED;
    if (promoted(t)) {
        table = promoted_cuts;
        family = BLAS_FAMILY_PROMOTED;
    }
    const struct blas_cut *cut = blas_best_cut(family, table, h, t, p, batch);
    struct dealing best, d;
    const double whole = whole_time(h, p, batch, steps, cut, &best), end = end_steps(t, p),
                 rounds = (double)((best.tiles + best.blocks - 1) / best.blocks);
    if (h->device.plan || strcmp(h->why, "by size") != 0) /* measured ones stay */
        return best;
    double least = 0.95 * (whole + rounds * end * cut->m);
    if (!promoted(t) && turns_time(h, p, batch, steps, end, &d) < least) {
        h->why = "in turns";
        return d;
    }
    least = 0.95 * whole;
    for (; table->m; table++) {
        const double time = shared_time(h, p, batch, steps, table, &d);
        if (time < least) {
            least = time;
            best = d;
            h->why = "shared out";
        }
    }
    return best;
}

/* Memory for parts of tiles, if some are shared out. */
static enum tern_error begin_deal(struct cublasContext *h, const struct dealing *d,
                                  struct blas_deal *deal)
{
    const size_t shared = (size_t)(d->tiles - d->whole),
                 counts = (shared * 2 * sizeof(unsigned) + 15) / 16 * 16,
                 sums = 2 * (size_t)d->blocks * (size_t)(d->cut->m * COLS) * sizeof(float);
    *deal = (struct blas_deal){.whole = d->whole};
    if (!shared)
        return TERN_OK;
    enum tern_error e = lib_scratch(h->stream, counts + sums, (void **)&deal->arrived);
    if (e)
        return e;
    deal->sums = (char *)deal->arrived + counts;
    return lib_error(cudaMemsetAsync(deal->arrived, 0, counts, h->stream));
}

static enum tern_error run_mapped(struct cublasContext *h, const struct blas_types *t,
                                  struct blas_product *p, int64_t batch, const struct dealing *d,
                                  const CUtensorMap maps[2], bool a_along, const char *along)
{
    const int lines = lines_of(d->cut->m, a_along),
              stages = stages_of(lines, MAX_STAGES, 2); /* the next tile's come, too */
    struct blas_deal deal;
    int count = (int)batch;
    char name[220];
    snprintf(name, sizeof name, "mapped_product<%s, %s, %s, %s, %d, %d, %s, %s, %d, %d, %s>",
             lib_types[t->a].name, lib_types[t->b].name, lib_types[t->c].name,
             lib_types[t->scale].name, d->cut->m, stages, along, word(promoted(t)),
             t->epilogue ? 1 + p->e.activation : 0, t->epilogue ? p->e.bias_kind : 0,
             word(d->turns));
    p->first = 0;
    blas_note(h, p, batch, name, d->tiles / batch);
    enum tern_error e = begin_deal(h, d, &deal);
    if (!e)
        e = lib_run_shared(&h->device, h->stream, "blas/mapped.h", name, (tern_dim){d->blocks},
                           (tern_dim){384}, (uint32_t)(1024 + stages * (lines + COLS) * DEPTH),
                           (void *[]){(void *)&maps[0], (void *)&maps[1], p, &count, &deal});
    lib_scratch_free(h->stream, deal.arrived);
    return e;
}

static enum tern_error run_plain(struct cublasContext *h, const struct blas_types *t,
                                 struct blas_product *p, int64_t batch, const struct blas_cut *cut,
                                 int64_t steps, const char *along)
{
    enum { MAX_BATCH = 65535 };
    const int stages = stages_of(cut->m, steps, 4), use = stages * (cut->m + COLS) * DEPTH,
              end = COLS * (cut->m + 8) * 4;
    const int64_t tiles = (p->m + cut->m - 1) / cut->m * ((p->n + COLS - 1) / COLS);
    char name[240];
    snprintf(name, sizeof name, "wgmma_product<%s, %s, %s, %s, %s, %d, %d, %s, %d, %s>",
             lib_types[t->a].name, lib_types[t->b].name,
             lib_types[t->apart ? t->source : t->c].name, lib_types[t->c].name,
             lib_types[t->scale].name, cut->m, stages, along, t->epilogue, word(promoted(t)));
    enum tern_error e = TERN_OK;
    blas_note(h, p, batch, name, tiles);
    for (p->first = 0; p->first < batch && !e; p->first += MAX_BATCH) {
        const int64_t left = batch - p->first;
        e = lib_run_shared(
            &h->device, h->stream, "blas/wgmma.h", name,
            (tern_dim){(uint32_t)tiles, (uint32_t)(left < MAX_BATCH ? left : MAX_BATCH)},
            (tern_dim){256}, (uint32_t)(1024 + (use > end ? use : end)), (void *[]){p});
    }
    return e;
}

enum tern_error blas_turn(struct cublasContext *h, enum lib_type t, struct blas_operand *o,
                          int64_t rows, int64_t k, int64_t batch, void **copy)
{
    enum { TILE = 64, THREADS = 256 };
    const int64_t bytes = (int64_t)lib_types[t].bytes, each = 16 / bytes;
    int64_t apart = o->row == 1 ? o->col : o->row, ld = (k + each - 1) / each * each,
            size = ld * rows;
    const char *from = (const char *)o->p + o->offset * bytes;
    char name[64];
    enum tern_error e = lib_scratch(h->stream, (size_t)(size * batch * bytes), copy);
    if (e)
        return e;
    snprintf(name, sizeof name, "turn<%s>", lib_types[t].name);
    e = lib_run(
        &h->device, h->stream, "blas/extra.h", name,
        (tern_dim){(uint32_t)((rows + TILE - 1) / TILE * ((k + TILE - 1) / TILE)), (uint32_t)batch},
        (tern_dim){THREADS}, (void *[]){&rows, &k, &from, &apart, &o->stride, copy, &ld, &size});
    *o = (struct blas_operand){.p = *copy, .row = ld, .col = 1, .stride = size};
    return e;
}

/* Where only k along will do and the product is large enough, operands are turned first. */
static bool turned_product(struct cublasContext *h, const struct blas_types *t,
                           struct blas_product *p, int64_t batch, bool a_along, bool b_along,
                           enum tern_error *error)
{
    enum { LEAST = 256, MAX_BATCH = 65535 };
    if (h->device.plan || p->m < LEAST || p->n < LEAST || p->k < LEAST || batch > MAX_BATCH)
        return false;
    struct blas_product q = *p;
    void *copies[2] = {NULL, NULL};
    *error = a_along ? TERN_OK : blas_turn(h, t->a, &q.a, p->m, p->k, batch, &copies[0]);
    if (!*error && !b_along)
        *error = blas_turn(h, t->b, &q.b, p->n, p->k, batch, &copies[1]);
    if (copies[1]) { /* of op(B), whose rows are k */
        const int64_t row = q.b.row;
        q.b.row = q.b.col;
        q.b.col = row;
    }
    const bool done = *error || blas_hopper_product(h, t, &q, batch, error);
    lib_scratch_free(h->stream, copies[0]);
    lib_scratch_free(h->stream, copies[1]);
    return done;
}

/* ---- no wgmma (f64, TF32 with k across), but mma.sync on what the copy engine brings ---- */

static const struct blas_cut double_cuts[] = {
    {128, 64, 32, 32, 1, 100}, {64, 64, 16, 32, 1, 85}, {0}};
/* For few rows: many are turned. */
static const struct blas_cut few_rows_cut = {64, 128, 32, 32, 1, 100};

/* Of elements of this type, one by one. */
static bool plain_pairs(const struct blas_types *t, enum lib_type type,
                        const struct blas_product *p, int64_t batch)
{
    return t->a == type && t->b == type && t->c == type && !t->epilogue && !t->apart &&
           !p->scalar_vector && p->d_row == 1 && p->c_row == 1 && p->k &&
           (batch == 1 || (p->a.stride > 0 && p->b.stride > 0));
}

static bool is_double(const struct blas_types *t, const struct blas_product *p, int64_t batch)
{
    return plain_pairs(t, LIB_F64, p, batch);
}

static bool pairs_product(struct cublasContext *h, const struct kind *kind,
                          const struct blas_cut *cut, struct blas_product *p, int64_t batch,
                          bool a_along, bool b_along, enum tern_error *error)
{
    enum { THREADS = 384 }; /* as mapped_pairs.h has them */
    const int each = (cut->m + cut->n) * DEPTH, most = (MAX_SHARED - 2048) / each,
              stages = most < MAX_STAGES ? most : MAX_STAGES;
    const int64_t tiles = (p->m + cut->m - 1) / cut->m * ((p->n + cut->n - 1) / cut->n);
    const uint32_t units = blas_units(h);
    CUtensorMap maps[2];
    int count = (int)batch;
    if (tiles > INT32_MAX / batch ||
        !encode(&maps[0], kind, &p->a, p->m, p->k, batch, a_along, cut->m) ||
        !encode(&maps[1], kind, &p->b, p->n, p->k, batch, b_along, cut->n))
        return false;
    char name[128];
    snprintf(name, sizeof name, "mapped_pairs<%s, %d, %d, %d, %d, %d, %s, %s>",
             lib_types[kind->in].name, cut->n, cut->m, cut->wn, cut->wm, stages, word(a_along),
             word(b_along));
    p->first = 0;
    blas_note(h, p, batch, name, tiles);
    /* Of a triangle's tiles some are nothing: blocks of one tile each are dealt out more evenly. */
    const uint32_t blocks =
        p->part == BLAS_WHOLE && tiles * batch > units ? units : (uint32_t)(tiles * batch);
    *error = lib_run_shared(&h->device, h->stream, "blas/mapped_pairs.h", name, (tern_dim){blocks},
                            (tern_dim){THREADS}, (uint32_t)(1024 + stages * each),
                            (void *[]){&maps[0], &maps[1], p, &count});
    return true;
}

static bool double_product(struct cublasContext *h, const struct blas_types *t,
                           struct blas_product *p, int64_t batch, bool a_along, bool b_along,
                           enum tern_error *error)
{
    static const struct kind kind = {LIB_F64, LIB_F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64};
    const struct blas_cut *cut =
        blas_best_cut(BLAS_FAMILY_MAPPED_DOUBLE, double_cuts, h, t, p, batch);
    return pairs_product(h, &kind, cut, p, batch, a_along, b_along, error);
}

/* ---- f32: no matrix instructions, but tiles that the copy engine brings ---- */

enum { SIMT_TILE = 128, SIMT_K = 16, SIMT_STAGES = 5, SIMT_PER_UNIT = 2 };

static bool is_single(const struct cublasContext *h, const struct blas_types *t,
                      const struct blas_product *p, int64_t batch)
{
    enum { LEAST = 512, LEAST_K = 256, MOST = 65535 };
    return !h->device.plan && t->a == LIB_F32 && t->b == LIB_F32 && t->c == LIB_F32 &&
           t->sum == LIB_F32 && !t->apart && !t->tf32 && !t->epilogue && !p->scalar_vector &&
           t->a_kind == BLAS_GENERAL && t->b_kind == BLAS_GENERAL && !p->conj_alpha &&
           !p->a.array && !p->b.array && p->k >= LEAST_K && p->m >= LEAST && p->n >= LEAST &&
           p->m <= INT32_MAX / 2 && p->n <= INT32_MAX / 2 && p->k <= INT32_MAX / 2 &&
           batch <= MOST && (batch == 1 || (p->a.stride > 0 && p->b.stride > 0));
}

/* Into how many parts the sums of a tile are cut, where there are few tiles: multiprocessors take
 * blocks in rounds, and what parts leave is written and read once more, which takes the time
 * of PASS products an element, and a launch. */
static int parts_of(const struct cublasContext *h, int64_t tiles, int64_t steps)
{
    enum { MOST = 8, LEAST_STEPS = 8, PASS = 32, START = 16 };
    const int64_t slots = SIMT_PER_UNIT * (int64_t)blas_units(h);
    int best = 1;
    int64_t least = INT64_MAX;
    for (int parts = 1; parts <= MOST && (parts == 1 || steps / parts >= LEAST_STEPS); parts++) {
        const int64_t each = (steps + parts - 1) / parts,
                      time = (tiles * parts + slots - 1) / slots * each * SIMT_K +
                             (parts > 1 ? PASS * parts * tiles / slots + START : 0);
        if (time < least) {
            least = time;
            best = parts;
        }
    }
    return best;
}

static enum tern_error run_single(struct cublasContext *h, struct blas_product *p, int64_t batch,
                                  const CUtensorMap maps[2])
{
    enum {
        STAGE = SIMT_K * 2 * SIMT_TILE * 4,
        END = SIMT_TILE * (SIMT_TILE + 4) * 4,
        ADDERS = 256
    };
    const int64_t tiles = (p->m + SIMT_TILE - 1) / SIMT_TILE * ((p->n + SIMT_TILE - 1) / SIMT_TILE),
                  steps = (p->k + SIMT_K - 1) / SIMT_K;
    const uint32_t shared = 128 + (SIMT_STAGES * STAGE > END ? SIMT_STAGES * STAGE : END);
    int parts = parts_of(h, tiles * batch, steps), each = (int)((steps + parts - 1) / parts);
    parts = (int)((steps + each - 1) / each); /* none without a step */
    float *sums = NULL;
    char name[64];
    enum tern_error e =
        parts == 1
            ? TERN_OK
            : lib_scratch(h->stream, (size_t)(p->m * p->n * batch * parts) * 4, (void **)&sums);
    if (e)
        return e;
    snprintf(name, sizeof name, "mapped_simt<%d, %d, %d, %d, %d>", SIMT_TILE, SIMT_TILE, SIMT_K,
             SIMT_STAGES, SIMT_PER_UNIT);
    p->first = 0;
    blas_note(h, p, batch, name, tiles * parts);
    e = lib_run_shared(&h->device, h->stream, "blas/mapped_simt.h", name,
                       (tern_dim){(uint32_t)tiles, (uint32_t)batch, (uint32_t)parts},
                       (tern_dim){128}, shared,
                       (void *[]){(void *)&maps[0], (void *)&maps[1], p, &each, &sums});
    if (!e && parts > 1) {
        tern_dim grid = lib_blocks(p->m * p->n, ADDERS);
        grid.y = (uint32_t)batch;
        e = lib_run(&h->device, h->stream, "blas/mapped_simt.h", "add_parts", grid,
                    (tern_dim){ADDERS}, (void *[]){p, &parts, &sums});
    }
    lib_scratch_free(h->stream, sums);
    return e;
}

bool blas_mapped_single(struct cublasContext *h, const struct blas_types *t, struct blas_product *p,
                        int64_t batch, enum tern_error *error)
{
    static const cuuint32_t box[3] = {SIMT_TILE, SIMT_K, 1};
    const bool a_along = p->a.row != 1, b_along = p->b.col != 1;
    if (!is_single(h, t, p, batch) || (a_along && p->a.col != 1) || (b_along && p->b.row != 1) ||
        (!a_along && !blas_aligned(&p->a, LIB_F32)) || (!b_along && !blas_aligned(&p->b, LIB_F32)))
        return false;
    struct blas_product q = *p;
    void *copies[2] = {NULL, NULL};
    CUtensorMap maps[2];
    *error = TERN_OK;
    if (a_along) { /* the copy's k are its rows */
        *error = blas_turn(h, LIB_F32, &q.a, p->k, p->m, batch, &copies[0]);
        q.a.col = q.a.row;
        q.a.row = 1;
    }
    if (b_along && !*error)
        *error = blas_turn(h, LIB_F32, &q.b, p->k, p->n, batch, &copies[1]);
    const cuuint64_t a_size[3] = {(cuuint64_t)p->m, (cuuint64_t)p->k, (cuuint64_t)batch},
                     b_size[3] = {(cuuint64_t)p->n, (cuuint64_t)p->k, (cuuint64_t)batch};
    /* b's rows are k: its lines are as far apart as those of its transpose */
    const struct blas_operand b = {
        .p = q.b.p, .row = 1, .col = q.b.row, .stride = q.b.stride, .offset = q.b.offset};
    bool done = *error;
    if (!done &&
        encode_boxes(&maps[0], CU_TENSOR_MAP_DATA_TYPE_FLOAT32, &q.a, a_size, 4, box,
                     CU_TENSOR_MAP_SWIZZLE_NONE) &&
        encode_boxes(&maps[1], CU_TENSOR_MAP_DATA_TYPE_FLOAT32, &b, b_size, 4, box,
                     CU_TENSOR_MAP_SWIZZLE_NONE)) {
        *error = run_single(h, &q, batch, maps);
        done = true;
    }
    lib_scratch_free(h->stream, copies[0]);
    lib_scratch_free(h->stream, copies[1]);
    return done;
}

bool blas_hopper_product(struct cublasContext *h, const struct blas_types *t,
                         struct blas_product *p, int64_t batch, enum tern_error *error)
{
    const struct kind *kind = kind_of(t);
    const bool a_along = p->a.col == 1 && p->a.row != 1, b_along = p->b.row == 1;
    const bool mixed = small_float(t->a) && small_float(t->b), wide = is_double(t, p, batch);
    if ((!kind && !wide) || (t->a != t->b && !mixed) || t->a_kind != BLAS_GENERAL ||
        t->b_kind != BLAS_GENERAL || p->conj_alpha || (!a_along && p->a.row != 1) ||
        (!b_along && p->b.col != 1) || !blas_aligned(&p->a, t->a) || !blas_aligned(&p->b, t->b) ||
        p->m > INT32_MAX / 2 || p->n > INT32_MAX / 2 || p->k > INT32_MAX / 2 ||
        batch > INT32_MAX / 2)
        return false;
    if (wide)
        return double_product(h, t, p, batch, a_along, b_along, error);
    if (lib_types[t->a].bytes != 2 && (!a_along || !b_along)) {
        if (p->m <= few_rows_cut.m && plain_pairs(t, LIB_F32, p, batch))
            return pairs_product(h, kind, &few_rows_cut, p, batch, a_along, b_along, error);
        return turned_product(h, t, p, batch, a_along, b_along, error);
    }
    const int64_t steps = (p->k * (int64_t)lib_types[t->a].bytes + DEPTH - 1) / DEPTH;
    char along[16];
    snprintf(along, sizeof along, "%s, %s", word(a_along), word(b_along));
    if (tiles_of(p, 1, &cuts[NARROWEST]) > INT32_MAX / batch)
        return false;
    if (p->k && plain_result(t, p, batch)) {
        const struct dealing d = deal_out(h, t, p, batch, steps, a_along);
        CUtensorMap maps[2];
        if (encode(&maps[0], kind, &p->a, p->m, p->k, batch, a_along, d.cut->m) &&
            encode(&maps[1], kind, &p->b, p->n, p->k, batch, b_along, COLS)) {
            *error = run_mapped(h, t, p, batch, &d, maps, a_along, along);
            return true;
        }
    }
    const struct blas_cut *cut =
        promoted(t) ? blas_best_cut(BLAS_FAMILY_PROMOTED, plain_promoted_cuts, h, t, p, batch)
                    : blas_best_cut(BLAS_FAMILY_MAPPED, plain_cuts, h, t, p, batch);
    *error = run_plain(h, t, p, batch, cut, steps, along);
    return true;
}
