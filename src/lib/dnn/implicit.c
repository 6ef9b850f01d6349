/* Convolutions on Hopper's matrix instructions without columns in memory (device/dnn/implicit.h):
 * operands are brought into the order that the kernels want, where they do not have it, then one
 * product for each class of places that take the same taps. In two dimensions, with channels last,
 * the copy engine gathers tiles (gathered.h). */
#include <stdio.h>
#include <stdlib.h>
#include "lib/dnn/dnn_int.h"
#include "cuda/cuda.h"

enum {
    LINE = 128, /* bytes of a step: device/dnn/implicit.h's */
    PLACES = 128,
    THREADS = 256,
    TURN = 32,
    TURN_CHANNELS = 64,
    DEPTH = 64,      /* the same of 16 bits, in elements */
    LEAST_STEPS = 8, /* of a part of a filter's gradient */
    MAX_IMAGES = 65535,
    GATHERED_THREADS = 384,
    GATHERED_BEGIN = 6 /* steps that a block's beginning and end take as long as */
};

static const char *word(bool v)
{
    return v ? "true" : "false";
}

static int64_t volume(const long long *v)
{
    return (int64_t)(v[0] * v[1] * v[2]);
}

static int64_t padded(int64_t channels)
{
    return (channels + 7) / 8 * 8;
}

/* Do the places of an image follow each other at one step? */
static bool in_line(const long long *dim, const long long *step)
{
    return (dim[1] == 1 || step[3] == step[4] * dim[2]) &&
           (dim[0] == 1 || step[2] == (dim[1] == 1 ? step[4] * dim[2] : step[3] * dim[1]));
}

bool dnn_implicit_fits(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                       const struct dnn_window *w)
{
    const bool narrow = t == LIB_F16 || t == LIB_BF16;
    const bool as_tf32 = t == LIB_F32 && w->tf32 && what != DNN_FILTER;
    return d->device.capability == 90 && (narrow || as_tf32) && w->groups == 1 && w->n > 0 &&
           w->n <= MAX_IMAGES && w->k >= 8 && w->c * volume(w->size) >= 16 &&
           w->n * volume(w->in) * padded(w->c) <= INT32_MAX &&
           w->n * volume(w->out) * padded(w->k) <= INT32_MAX &&
           padded(w->c) * padded(w->k) * volume(w->size) <= INT32_MAX &&
           in_line(w->in, w->x_step) && in_line(w->out, w->y_step);
}

/* ---- operands ---- */

/* Images of c channels, in place or turned: `use` is what kernels read; own is to be freed. */
struct images {
    int64_t channels; /* padded */
    const void *use;
    void *own;
};

/* Floats must be rounded: those that the copy engine does not bring are never used as they are. */
static enum tern_error turn(const struct dnn *d, enum lib_type t, bool as_it_is, int64_t n,
                            int64_t c, const long long *dim, const long long *step, const void *x,
                            struct images *out)
{
    const int64_t places = volume(dim);
    out->channels = padded(c);
    out->use = x;
    if (as_it_is && c % 8 == 0 && step[1] == 1 && step[4] == c &&
        (n == 1 || step[0] == places * c) && (uintptr_t)x % 16 == 0)
        return TERN_OK;
    enum tern_error e = lib_scratch(
        d->stream, (size_t)(n * places * out->channels) * lib_types[t].bytes, &out->own);
    if (e)
        return e;
    int channels = (int)c, wide = (int)out->channels, count = (int)places;
    long long image_step = step[0], channel_step = step[1], place_step = step[4];
    out->use = out->own;
    return dnn_run(d, "implicit.h",
                   (tern_dim){(uint32_t)((places + TURN - 1) / TURN),
                              (uint32_t)((wide + TURN_CHANNELS - 1) / TURN_CHANNELS), (uint32_t)n},
                   0,
                   (void *[]){&channels, &wide, &count, &image_step, &channel_step, &place_step, &x,
                              &out->own},
                   "implicit_turn<%s>", dnn_name(t));
}

/* data: rows are the channels of x, and what is summed over those of y. */
static struct dnn_filters filters_of(const struct dnn_window *w, bool data)
{
    struct dnn_filters f = {.rows = data ? w->c : w->k,
                            .channels = data ? w->k : w->c,
                            .row_step = w->w_step[data],
                            .channel_step = w->w_step[!data],
                            .flip = w->flip,
                            .alpha = w->alpha,
                            .beta = w->beta};
    f.padded = padded(f.channels);
    for (int k = 0; k < 3; k++) {
        f.taps[k] = w->size[k];
        f.tap_step[k] = w->w_step[2 + k];
    }
    return f;
}

/* Filters, and those that were turned to [rows, taps, padded channels], made when they are asked
 * for. */
struct taken {
    struct dnn_filters of;
    const void *from;
    void *own;
    bool last; /* they lie [results, taps, channels] */
    bool data;
};

static struct taken take(bool as_it_is, const struct dnn_window *w, const void *from, bool data)
{
    struct taken f = {.of = filters_of(w, data), .from = from, .data = data};
    const int64_t line = w->c * volume(w->size);
    f.last = as_it_is && !w->flip && w->c % 8 == 0 && (uintptr_t)from % 16 == 0 &&
             w->w_step[0] == line && w->w_step[1] == 1 && w->w_step[4] == w->c &&
             w->w_step[3] == w->c * w->size[2];
    return f;
}

static enum tern_error turned(const struct dnn *d, enum lib_type t, struct taken *f,
                              const void **use)
{
    const int64_t n = f->of.rows * volume(f->of.taps) * f->of.padded;
    *use = f->last && !f->data ? f->from : f->own;
    if (*use)
        return TERN_OK;
    enum tern_error e = lib_scratch(d->stream, (size_t)n * lib_types[t].bytes, &f->own);
    *use = f->own;
    return e ? e
             : dnn_run(d, "implicit.h", dnn_grid(n), 0, (void *[]){&f->of, &f->from, &f->own},
                       "implicit_filters<%s>", dnn_name(t));
}

/* Does the copy engine bring floats of `channels` for a result of these steps? Its offsets have 8
 * bits, its steps are 8 at most (map_gathered). */
static bool engine(const struct dnn_window *w, int64_t channels, const long long *step)
{
    bool yes = w->in[0] == 1 && w->out[0] == 1 && w->size[0] == 1 && step[1] == 1 &&
               channels >= LINE / (int)sizeof(float);
    for (int k = 1; k < 3; k++)
        yes = yes && w->stride[k] <= 8 &&
              w->pad[k] + (w->size[k] - 1) * w->dilation[k] + w->stride[k] <= INT8_MAX;
    return yes;
}

/* ---- the products ---- */

static struct dnn_implicit forward_of(const struct dnn_window *w, int64_t channels)
{
    struct dnn_implicit p = {.images = (int)w->n,
                             .channels = (int)channels,
                             .rows = (int)w->k,
                             .alpha = w->alpha,
                             .beta = w->beta};
    for (int k = 0; k < 3; k++) {
        p.count[k] = (int)w->out[k];
        p.from[k] = (int)w->in[k];
        p.step[k] = (int)w->stride[k];
        p.off[k] = (int)-w->pad[k];
        p.off_step[k] = (int)w->dilation[k];
        p.taps[k] = p.filter_taps[k] = (int)w->size[k];
        p.tap_step[k] = p.each[k] = 1;
    }
    for (int k = 0; k < 5; k++)
        p.y_step[k] = w->y_step[k];
    return p;
}

/* Gradients of data at places a, a + stride, … of a dimension: which taps reach them, and from
 * where. */
static void class_of(const struct dnn_window *w, int k, int a, struct dnn_implicit *p)
{
    const int stride = (int)w->stride[k], dilation = (int)w->dilation[k], size = (int)w->size[k];
    const int top = a + (int)w->pad[k];
    int apart = 1, tap = 0;
    while (apart * dilation % stride)
        apart++;
    while (tap < apart && (top - tap * dilation) % stride)
        tap++;
    p->count[k] = ((int)w->in[k] - a + stride - 1) / stride;
    p->from[k] = (int)w->out[k];
    p->step[k] = 1;
    p->off[k] = (top - tap * dilation) / stride;
    p->off_step[k] = -(apart * dilation / stride);
    p->taps[k] = tap < apart && tap < size ? (size - 1 - tap) / apart + 1 : 0;
    p->tap[k] = tap;
    p->tap_step[k] = apart;
    p->filter_taps[k] = size;
    p->first[k] = a;
    p->each[k] = stride;
}

/* Rows of a tile: as many as there are, but enough tiles for all units. Where sums are short, two
 * blocks of a unit hide each other's beginning and end: only the smaller tiles have room for that.
 */
static int rows_of(int64_t rows, int64_t tiles, int64_t units, int64_t steps)
{
    if (rows <= 64)
        return 64;
    return rows <= 128 || steps < 16 || tiles * ((rows + 255) / 256) < units ? 128 : 256;
}

static int stages_of(int rows)
{
    return rows == 128 ? 3 : 4; /* 96 KB for tiles of 64 and 128 rows, 192 KB for those of 256 */
}

static uint32_t shared_of(int rows)
{
    return (uint32_t)(1024 + stages_of(rows) * (PLACES + rows) * LINE);
}

/* ---- tiles that the copy engine gathers ---- */

/* Floats are rounded on their way. */
static CUtensorMapDataType map_type(enum lib_type t)
{
    return t == LIB_F32   ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
           : t == LIB_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                          : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

static cuuint32_t depth_of(enum lib_type t)
{
    return LINE / (cuuint32_t)lib_types[t].bytes;
}

/* [images, places, channels], `places` of them by 128 bytes of channels: those that each place of
 * the result takes at the first tap in memory. */
static bool map_gathered(CUtensorMap *map, enum lib_type t, const struct dnn_implicit *p,
                         const void *x, cuuint32_t places)
{
    const cuuint64_t c = (cuuint64_t)p->channels, w = (cuuint64_t)p->from[2],
                     h = (cuuint64_t)p->from[1];
    const cuuint64_t sizes[4] = {c, w, h, (cuuint64_t)p->images};
    const cuuint64_t line = c * lib_types[t].bytes, strides[3] = {line, w * line, h * w * line};
    const cuuint32_t steps[4] = {1, (cuuint32_t)p->step[2], (cuuint32_t)p->step[1], 1};
    int lower[2], upper[2];
    if (p->count[0] != 1 || p->from[0] != 1 || p->filter_taps[0] != 1 ||
        p->channels < (int)depth_of(t))
        return false;
    for (int k = 0; k < 2; k++) {
        const int d = 2 - k, span = p->taps[d] > 0 ? (p->taps[d] - 1) * p->off_step[d] : 0;
        lower[k] = p->off[d] + (span < 0 ? span : 0);
        upper[k] = lower[k] + (p->count[d] - 1) * p->step[d] + 1 - p->from[d];
        if (lower[k] < INT8_MIN || lower[k] > INT8_MAX || upper[k] < INT8_MIN ||
            upper[k] > INT8_MAX || abs(span) > UINT8_MAX || p->step[d] > 8)
            return false;
    }
    return cuTensorMapEncodeIm2col(map, map_type(t), 4, (void *)(uintptr_t)x, sizes, strides, lower,
                                   upper, depth_of(t), places, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* [outer, middle, inner] without gaps, in boxes of `rows` by 1 by 128 bytes. */
static bool map_tiles(CUtensorMap *map, enum lib_type t, const void *p, int64_t outer,
                      int64_t middle, int64_t inner, int rows)
{
    const cuuint64_t sizes[3] = {(cuuint64_t)inner, (cuuint64_t)middle, (cuuint64_t)outer};
    const cuuint64_t line = (cuuint64_t)inner * lib_types[t].bytes;
    const cuuint64_t strides[2] = {line, line * (cuuint64_t)middle};
    const cuuint32_t box[3] = {depth_of(t), 1, (cuuint32_t)rows}, each[3] = {1, 1, 1};
    return cuTensorMapEncodeTiled(map, map_type(t), 3, (void *)(uintptr_t)p, sizes, strides, box,
                                  each, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Rows of a tile, by how long all units take; small tiles read more of shared memory for each
 * product. */
static int gathered_rows(int64_t rows, int64_t tiles, int64_t units)
{
    static const struct {
        int rows, cost;
    } sizes[] = {{256, 256}, {128, 140}, {64, 84}};
    int best = 64;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t all = tiles * ((rows + sizes[i].rows - 1) / sizes[i].rows);
        const int64_t cost = (all + units - 1) / units * sizes[i].cost;
        if (cost < least) {
            least = cost;
            best = sizes[i].rows;
        }
    }
    return best;
}

static int gathered_stages(int rows)
{
    return rows == 256 ? 4 : 6; /* 192 KB at most */
}

static uint32_t gathered_shared(int rows)
{
    return (uint32_t)(1024 + gathered_stages(rows) * (PLACES + rows) * LINE);
}

/* False: it is none of these. Filters that lie [results, taps, channels] are taken as they are,
 * for gradients of data across. */
static bool gathered(const struct dnn *d, enum lib_type t, struct dnn_implicit *p, const void *x,
                     struct taken *f, void *y, int64_t tiles, enum tern_error *e)
{
    const int64_t units = d->device.info.units;
    const int rows = gathered_rows(p->rows, tiles, units);
    const int64_t all = tiles * ((p->rows + rows - 1) / rows), blocks = all < units ? all : units;
    const int64_t taps = (int64_t)p->filter_taps[1] * p->filter_taps[2];
    const bool across = t != LIB_F32 && f->data && f->last && p->channels == f->of.channels;
    const void *use = f->from;
    CUtensorMap maps[2];
    if (p->y_step[1] != 1 || !map_gathered(&maps[0], t, p, x, PLACES))
        return false;
    *e = across ? TERN_OK : turned(d, t, f, &use);
    if (*e)
        return true;
    if (!(across ? map_tiles(&maps[1], t, use, p->channels, taps, p->rows, DEPTH)
                 : map_tiles(&maps[1], t, use, p->rows, taps, p->channels, rows)))
        return false;
    char name[96];
    snprintf(name, sizeof name, "gathered_product<%s, %d, %d, %s>", dnn_name(t), rows,
             gathered_stages(rows), word(!across));
    *e = lib_run_shared(&d->device, d->stream, "dnn/gathered.h", name, (tern_dim){(uint32_t)blocks},
                        (tern_dim){GATHERED_THREADS}, gathered_shared(rows),
                        (void *[]){&maps[0], &maps[1], p, &y});
    return true;
}

static enum tern_error product(const struct dnn *d, enum lib_type t, struct dnn_implicit *p,
                               const void *x, struct taken *f, void *y)
{
    const int64_t places = (int64_t)p->images * p->count[0] * p->count[1] * p->count[2];
    const int64_t tiles = (places + PLACES - 1) / PLACES;
    if (!tiles)
        return TERN_OK;
    if (!p->taps[0] || !p->taps[1] || !p->taps[2])
        p->taps[0] = p->taps[1] = p->taps[2] = 0;
    enum tern_error e = TERN_OK;
    const void *use = NULL;
    if (gathered(d, t, p, x, f, y, tiles, &e) || (e = turned(d, t, f, &use)) != TERN_OK)
        return e;
    const int64_t depth = LINE / (int64_t)lib_types[t].bytes;
    const int64_t steps =
        ((int64_t)p->taps[0] * p->taps[1] * p->taps[2] * p->channels + depth - 1) / depth;
    const int rows = rows_of(p->rows, tiles, d->device.info.units, steps);
    char name[96];
    snprintf(name, sizeof name, "implicit_product<%s, %d, %d, %s>", dnn_name(t), rows,
             stages_of(rows), word(p->y_step[4] == 1 && p->y_step[1] != 1));
    return lib_run_shared(&d->device, d->stream, "dnn/implicit.h", name,
                          (tern_dim){(uint32_t)(tiles * ((p->rows + rows - 1) / rows))},
                          (tern_dim){THREADS}, shared_of(rows), (void *[]){p, &x, &use, &y});
}

static enum tern_error forward(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                               const void *x, const void *f, void *y)
{
    const bool as_it_is = t != LIB_F32 || engine(w, w->c, w->y_step);
    struct images source = {0};
    struct taken filters = take(as_it_is, w, f, false);
    enum tern_error e = turn(d, t, as_it_is, w->n, w->c, w->in, w->x_step, x, &source);
    struct dnn_implicit p = forward_of(w, source.channels);
    if (!e)
        e = product(d, t, &p, source.use, &filters, y);
    lib_scratch_free(d->stream, filters.own);
    lib_scratch_free(d->stream, source.own);
    return e;
}

static enum tern_error data(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                            void *x, const void *f, const void *y)
{
    const bool as_it_is = t != LIB_F32 || engine(w, w->k, w->x_step);
    struct images source = {0};
    struct taken filters = take(as_it_is, w, f, true);
    enum tern_error e = turn(d, t, as_it_is, w->n, w->k, w->out, w->y_step, y, &source);
    const int64_t classes = volume(w->stride);
    for (int64_t i = 0; i < classes && !e; i++) {
        struct dnn_implicit p = {.images = (int)w->n,
                                 .channels = (int)source.channels,
                                 .rows = (int)w->c,
                                 .alpha = w->alpha,
                                 .beta = w->beta};
        class_of(w, 0, (int)(i / w->stride[2] / w->stride[1]), &p);
        class_of(w, 1, (int)(i / w->stride[2] % w->stride[1]), &p);
        class_of(w, 2, (int)(i % w->stride[2]), &p);
        for (int k = 0; k < 5; k++)
            p.y_step[k] = w->x_step[k];
        if (p.count[0] > 0 && p.count[1] > 0 && p.count[2] > 0)
            e = product(d, t, &p, source.use, &filters, x);
    }
    lib_scratch_free(d->stream, filters.own);
    lib_scratch_free(d->stream, source.own);
    return e;
}

/* Into how many parts of sums over `all` steps the gradient of filters in `tiles` is divided. */
static int64_t gathered_parts(int64_t tiles, int64_t all, int64_t units)
{
    int64_t best = 1, least = INT64_MAX;
    for (int64_t n = 1; n == 1 || (n <= all / LEAST_STEPS && n * tiles <= 4 * units); n++) {
        const int64_t waves = (tiles * n + units - 1) / units;
        const int64_t cost = waves * ((all + n - 1) / n + GATHERED_BEGIN);
        if (cost < least) {
            least = cost;
            best = n;
        }
    }
    return best;
}

/* False: the copy engine does not gather these. */
static bool map_filter(CUtensorMap maps[2], enum lib_type t, const struct dnn_implicit *p,
                       const struct images *x, const struct images *y, int64_t places)
{
    return p->channels % DEPTH == 0 && map_gathered(&maps[0], t, p, x->use, DEPTH) &&
           map_tiles(&maps[1], t, y->use, places, 1, y->channels, DEPTH);
}

static enum tern_error filter_parts(const struct dnn *d, enum lib_type t, struct dnn_implicit *p,
                                    struct dnn_filters *f, const struct images *x,
                                    const struct images *y, void *out)
{
    const int64_t columns = volume(f->taps) * f->padded,
                  places = (int64_t)p->images * p->count[0] * p->count[1] * p->count[2];
    const int64_t all = (places + DEPTH - 1) / DEPTH, down = (f->rows + PLACES - 1) / PLACES;
    const int rows = columns <= 64 ? 64 : columns <= 128 ? 128 : 256;
    const int64_t tiles = down * ((columns + rows - 1) / rows);
    CUtensorMap maps[2];
    const bool mapped = map_filter(maps, t, p, x, y, places);
    int64_t parts = 2 * (int64_t)d->device.info.units / tiles;
    parts = parts > all / LEAST_STEPS ? all / LEAST_STEPS : parts;
    parts = mapped ? gathered_parts(tiles, all, d->device.info.units) : parts < 1 ? 1 : parts;
    int steps = (int)((all + parts - 1) / parts), channels = (int)y->channels;
    int count = (int)((all + steps - 1) / steps);
    void *sums;
    enum tern_error e = lib_scratch(d->stream, (size_t)(count * f->rows * columns) * 4, &sums);
    if (e)
        return e;
    char name[96];
    const tern_dim grid = {(uint32_t)tiles, (uint32_t)count};
    snprintf(name, sizeof name, "%s_filter<%s, %d, %d>", mapped ? "gathered" : "implicit",
             dnn_name(t), rows, mapped ? gathered_stages(rows) : stages_of(rows));
    e = mapped ? lib_run_shared(&d->device, d->stream, "dnn/gathered.h", name, grid,
                                (tern_dim){GATHERED_THREADS}, gathered_shared(rows),
                                (void *[]){&maps[0], &maps[1], p, &steps, &sums})
               : lib_run_shared(&d->device, d->stream, "dnn/implicit.h", name, grid,
                                (tern_dim){THREADS}, shared_of(rows),
                                (void *[]){p, (void *)(uintptr_t)&x->use,
                                           (void *)(uintptr_t)&y->use, &channels, &steps, &sums});
    if (!e)
        e = dnn_run(d, "implicit.h", dnn_grid(f->rows * volume(f->taps) * f->channels), 0,
                    (void *[]){f, &count, &sums, &out}, "implicit_filter_sum<%s>", dnn_name(t));
    lib_scratch_free(d->stream, sums);
    return e;
}

static enum tern_error filter(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                              const void *x, void *f, const void *y)
{
    struct images source = {0}, slope = {0};
    struct dnn_filters filters = filters_of(w, false);
    enum tern_error e = turn(d, t, true, w->n, w->c, w->in, w->x_step, x, &source);
    if (!e)
        e = turn(d, t, true, w->n, w->k, w->out, w->y_step, y, &slope);
    struct dnn_implicit p = forward_of(w, source.channels);
    if (!e)
        e = filter_parts(d, t, &p, &filters, &source, &slope, f);
    lib_scratch_free(d->stream, source.own);
    lib_scratch_free(d->stream, slope.own);
    return e;
}

enum tern_error dnn_implicit(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                             const struct dnn_window *w, void *x, void *f, void *y)
{
    switch (what) {
    case DNN_FORWARD: return forward(d, t, w, x, f, y);
    case DNN_DATA: return data(d, t, w, x, f, y);
    case DNN_FILTER: break;
    }
    return filter(d, t, w, x, f, y);
}
