/* Attention on matrix instructions, for elements of 16 bits: NVIDIA's from sm_80 on
 * (device/dnn/flash.h, flash_back.h), and Hopper's (flash_hopper.h, hopper_back.h), whose operands
 * have tensor maps. */
#include <stdio.h>
#include "lib/dnn/dnn_int.h"
#include "cuda/cuda.h"

/* By the elements of a row in shared memory: keys of a tile; for gradients of queries: rows of 16
 * for a warp, keys of a tile; of keys: rows of 16 for a warp, queries of a tile. */
static const struct shape {
    int size, keys, back_rows, back_keys, key_rows, key_queries;
} shapes[] = {{64, 64, 2, 32, 2, 32}, {128, 64, 2, 32, 1, 64}};
enum {
    QUERIES = 128,
    BYTES = 2,
    WARPS = DNN_THREADS / DNN_WARP,
    HOPPER_THREADS = 384,
    HOPPER_KEYS = 128,
    HOPPER_AHEAD = 3,
    HOPPER_STAGES = 2,
    HOPPER_BACK_QUERIES = 64,
    HOPPER_BACK_STAGES = 3,
    HOPPER_DELTAS = 8, /* queries of a block of hopper_deltas */
    LEAST_TILES = 4,   /* of keys, in a part of them */
    PANEL = 64         /* elements of a row that a box of a tensor map has */
};

static const struct shape *shape_of(const struct dnn_attention *a)
{
    const long long most = a->size > a->value_size ? a->size : a->value_size;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (most <= shapes[i].size)
            return &shapes[i];
    return NULL;
}

static bool rows_are_aligned(const void *p, const long long *step)
{
    return (uintptr_t)p % 16 == 0 && step[0] % 8 == 0 && step[1] % 8 == 0 && step[2] % 8 == 0;
}

bool dnn_flash_fits(const struct dnn *d, enum lib_type t, const struct dnn_attention *a,
                    const void *q, const void *k, const void *v, const void *o)
{
    return d->device.capability >= 80 && (t == LIB_F16 || t == LIB_BF16) && shape_of(a) &&
           a->size % 8 == 0 && a->value_size % 8 == 0 && a->queries + a->keys <= INT32_MAX / 2 &&
           rows_are_aligned(q, a->q_step) && rows_are_aligned(k, a->k_step) &&
           rows_are_aligned(v, a->v_step) && rows_are_aligned(o, a->o_step);
}

/* Scores are products times a positive scale, and nothing else. */
static bool plain(const struct dnn_attention *a)
{
    return a->scale > 0 && a->cap == 0 && !a->slopes;
}

static const char *word(bool v)
{
    return v ? "true" : "false";
}

/* `lines` of `length` rows in tiles of `tile`, a block for each. */
static enum tern_error run(const struct dnn *d, const char *header, const char *name, int64_t lines,
                           int64_t length, int tile, uint32_t threads, int64_t shared,
                           void *const *args)
{
    const int64_t blocks = lines * ((length + tile - 1) / tile);
    if (blocks > INT32_MAX)
        return TERN_UNSUPPORTED;
    return lib_run_shared(&d->device, d->stream, header, name, (tern_dim){(uint32_t)blocks},
                          (tern_dim){threads}, (uint32_t)shared, args);
}

/* ---- Hopper ---- */

/* [batch, heads, rows, size], in boxes of PANEL elements of `tile` rows. */
static bool map_of(CUtensorMap *map, enum lib_type t, const void *p, const long long *step,
                   long long size, long long rows, long long heads, long long batch, int tile)
{
    const cuuint64_t sizes[4] = {(cuuint64_t)size, (cuuint64_t)rows, (cuuint64_t)heads,
                                 (cuuint64_t)batch};
    const cuuint64_t strides[3] = {(cuuint64_t)step[2] * BYTES, (cuuint64_t)step[1] * BYTES,
                                   (cuuint64_t)step[0] * BYTES};
    const cuuint32_t box[4] = {PANEL, (cuuint32_t)tile, 1, 1}, each[4] = {1, 1, 1, 1};
    return step[0] > 0 && step[1] > 0 && step[2] > 0 &&
           cuTensorMapEncodeTiled(
               map,
               t == LIB_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4,
               (void *)(uintptr_t)p, sizes, strides, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool map_queries(CUtensorMap *map, enum lib_type t, const struct dnn_attention *a,
                        const void *q, int tile)
{
    return map_of(map, t, q, a->q_step, a->size, a->queries, a->heads, a->batch, tile);
}

static bool map_out(CUtensorMap *map, enum lib_type t, const struct dnn_attention *a, const void *o,
                    int tile)
{
    return map_of(map, t, o, a->o_step, a->value_size, a->queries, a->heads, a->batch, tile);
}

static bool hopper(const struct dnn *d, enum lib_type t, const struct dnn_attention *a,
                   const void *q, const void *k, const void *v, CUtensorMap maps[3])
{
    return d->device.capability == 90 && plain(a) && a->queries && a->keys && a->batch &&
           map_queries(&maps[0], t, a, q, QUERIES) &&
           map_of(&maps[1], t, k, a->k_step, a->size, a->keys, a->kv_heads, a->batch,
                  HOPPER_KEYS) &&
           map_of(&maps[2], t, v, a->v_step, a->value_size, a->keys, a->kv_heads, a->batch,
                  HOPPER_KEYS);
}

/* One query for each head: heads that share keys become queries of one head, which the same tiles
 * of keys and values serve. */
static struct dnn_attention shared_keys(const struct dnn_attention *a)
{
    const long long share = a->heads / a->kv_heads;
    struct dnn_attention g = *a;
    if (a->queries != 1 || share == 1 || a->window || a->slopes)
        return g;
    g.heads = a->kv_heads;
    g.queries = share;
    g.causal = 0; /* it stands behind all keys */
    g.q_step[2] = a->q_step[1];
    g.q_step[1] = share * a->q_step[1];
    g.o_step[2] = a->o_step[1];
    g.o_step[1] = share * a->o_step[1];
    return g;
}

/* Where there are fewer tiles of queries than units, keys are divided: each part has its own maxima
 * and sums, which flash_join brings together. */
static int parts_of(const struct dnn *d, const struct dnn_attention *a)
{
    const int64_t blocks = a->batch * a->heads * ((a->queries + QUERIES - 1) / QUERIES);
    const int64_t tiles = (a->keys + HOPPER_KEYS - 1) / HOPPER_KEYS;
    const int64_t units = d->device.info.units;
    if (d->device.plan || blocks * 2 > units || tiles < 2 * LEAST_TILES || a->causal || a->window)
        return 1;
    const int64_t most = units / blocks;
    return (int)(most < tiles / LEAST_TILES ? most : tiles / LEAST_TILES);
}

static enum tern_error hopper_forward(const struct dnn *d, enum lib_type t, const struct shape *f,
                                      struct dnn_attention *a, CUtensorMap maps[3], void *o,
                                      void *sums)
{
    const int64_t lines = a->batch * a->heads, rows = lines * a->queries;
    const int64_t shared = 1024 + (QUERIES + 2 * HOPPER_AHEAD * HOPPER_KEYS) * f->size * BYTES;
    int parts = parts_of(d, a);
    void *scratch = NULL;
    enum tern_error e =
        parts < 2 ? TERN_OK
                  : lib_scratch(d->stream, (size_t)(parts * rows * (f->size + 2)) * 4, &scratch);
    char name[96];
    snprintf(name, sizeof name, "flash_hopper<%s, %d>", dnn_name(t), f->size);
    if (!e)
        e = run(d, "dnn/flash_hopper.h", name, lines * parts, a->queries, QUERIES, HOPPER_THREADS,
                shared, (void *[]){&maps[0], &maps[1], &maps[2], a, &o, &sums, &parts, &scratch});
    if (!e && parts > 1)
        e = dnn_run(d, "flash_hopper.h", dnn_warps(rows), 0,
                    (void *[]){a, &parts, &scratch, &o, &sums}, "flash_join<%s, %d>", dnn_name(t),
                    f->size);
    lib_scratch_free(d->stream, scratch);
    return e;
}

enum tern_error dnn_flash_forward(const struct dnn *d, enum lib_type t, struct dnn_attention *a,
                                  const void *q, const void *k, const void *v, void *o, void *sums)
{
    const struct shape *f = shape_of(a);
    const int64_t lines = a->batch * a->heads;
    CUtensorMap maps[3];
    char name[96];
    struct dnn_attention g = shared_keys(a);
    if (hopper(d, t, &g, q, k, v, maps))
        return hopper_forward(d, t, f, &g, maps, o, sums);
    snprintf(name, sizeof name, "flash<%s, %d, %d, %s>", dnn_name(t), f->size, f->keys,
             word(plain(a)));
    return run(d, "dnn/flash_back.h", name, lines, a->queries, QUERIES, DNN_THREADS,
               (QUERIES + 4 * f->keys) * f->size * BYTES, (void *[]){a, &q, &k, &v, &o, &sums});
}

/* ---- gradients ---- */

/* maps: of queries, keys, values and gradients of o, then of queries and gradients of o in the
 * smaller tiles that keys take them in. */
static enum tern_error hopper_backward(const struct dnn *d, enum lib_type t, const struct shape *f,
                                       struct dnn_attention *a, struct dnn_slopes *g,
                                       CUtensorMap maps[6])
{
    const int64_t lines = a->batch * a->heads;
    long long padded = (a->queries + QUERIES - 1) / QUERIES * QUERIES;
    const int64_t rows = lines * padded, tile = (int64_t)HOPPER_KEYS * f->size * BYTES;
    const int64_t part = (int64_t)HOPPER_BACK_QUERIES * f->size * BYTES;
    void *sums, *deltas;
    enum tern_error e = lib_scratch(d->stream, (size_t)rows * 2 * sizeof(float), &sums);
    if (e)
        return e;
    deltas = (float *)sums + rows;
    e = dnn_run(d, "hopper_back.h", lib_blocks(rows, HOPPER_DELTAS), 0,
                (void *[]){a, &padded, &g->o, &g->dout, &g->log_sums, &sums, &deltas},
                "hopper_deltas<%s>", dnn_name(t));
    char name[96];
    snprintf(name, sizeof name, "hopper_queries<%s, %d>", dnn_name(t), f->size);
    if (!e)
        e = run(
            d, "dnn/hopper_back.h", name, lines, a->queries, QUERIES, HOPPER_THREADS,
            1024 + (2 + 2 * HOPPER_STAGES) * tile,
            (void *[]){&maps[0], &maps[1], &maps[2], &maps[3], a, &padded, &sums, &deltas, &g->dq});
    snprintf(name, sizeof name, "hopper_keys<%s, %d, %d>", dnn_name(t), f->size,
             HOPPER_BACK_QUERIES);
    if (!e)
        e = run(d, "dnn/hopper_back.h", name, a->batch * a->kv_heads, a->keys, HOPPER_KEYS,
                HOPPER_THREADS, 1024 + 2 * tile + HOPPER_BACK_STAGES * 2 * part,
                (void *[]){&maps[4], &maps[1], &maps[2], &maps[5], a, &padded, &sums, &deltas,
                           &g->dk, &g->dv});
    lib_scratch_free(d->stream, sums);
    return e;
}

static enum tern_error mma_backward(const struct dnn *d, enum lib_type t, const struct shape *f,
                                    struct dnn_attention *a, struct dnn_slopes *g)
{
    const int64_t lines = a->batch * a->heads * a->queries;
    void *deltas;
    enum tern_error e = lib_scratch(d->stream, (size_t)lines * sizeof(float), &deltas);
    if (e)
        return e;
    e = dnn_run(d, "attend.h", dnn_warps(lines), 0, (void *[]){a, &g->o, &g->dout, &deltas},
                "attend_deltas<%s>", dnn_name(t));
    char name[96];
    int tile = WARPS * 16 * f->back_rows;
    snprintf(name, sizeof name, "flash_queries<%s, %d, %d, %d, %s>", dnn_name(t), f->size,
             f->back_rows, f->back_keys, word(plain(a)));
    if (!e)
        e = run(d, "dnn/flash_back.h", name, a->batch * a->heads, a->queries, tile, DNN_THREADS,
                (2 * tile + 4 * f->back_keys) * f->size * BYTES,
                (void *[]){a, &g->q, &g->k, &g->v, &g->dout, &g->log_sums, &deltas, &g->dq});
    tile = WARPS * 16 * f->key_rows;
    snprintf(name, sizeof name, "flash_keys<%s, %d, %d, %d, %s>", dnn_name(t), f->size, f->key_rows,
             f->key_queries, word(plain(a)));
    if (!e)
        e = run(
            d, "dnn/flash_back.h", name, a->batch * a->kv_heads, a->keys, tile, DNN_THREADS,
            (2 * tile + 4 * f->key_queries) * f->size * BYTES,
            (void *[]){a, &g->q, &g->k, &g->v, &g->dout, &g->log_sums, &deltas, &g->dk, &g->dv});
    lib_scratch_free(d->stream, deltas);
    return e;
}

enum tern_error dnn_flash_backward(const struct dnn *d, enum lib_type t, struct dnn_attention *a,
                                   struct dnn_slopes *g)
{
    const struct shape *f = shape_of(a);
    CUtensorMap maps[6];
    /* the copy engine knows one length for all, and keys behind a sequence's last have gradients */
    if (!a->lengths && hopper(d, t, a, g->q, g->k, g->v, maps) &&
        map_out(&maps[3], t, a, g->dout, QUERIES) &&
        map_queries(&maps[4], t, a, g->q, HOPPER_BACK_QUERIES) &&
        map_out(&maps[5], t, a, g->dout, HOPPER_BACK_QUERIES))
        return hopper_backward(d, t, f, a, g, maps);
    return mma_backward(d, t, f, a, g);
}
