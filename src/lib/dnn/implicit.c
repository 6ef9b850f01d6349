/* Convolutions on Hopper's matrix instructions without columns in memory (device/dnn/implicit.h):
 * operands are brought into the order that the kernels want, where they do not have it, then one
 * product for each class of places that take the same taps. */
#include <stdio.h>
#include "lib/dnn/dnn_int.h"

enum {
    DEPTH = 64, /* elements of a step: device/dnn/implicit.h's */
    PLACES = 128,
    THREADS = 256,
    TURN = 32,
    TURN_CHANNELS = 64,
    BYTES = 2,
    LEAST_STEPS = 8, /* of a part of a filter's gradient */
    MAX_IMAGES = 65535
};

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

bool dnn_implicit_fits(const struct dnn *d, enum lib_type t, const struct dnn_window *w)
{
    return d->device.capability == 90 && (t == LIB_F16 || t == LIB_BF16) && w->groups == 1 &&
           w->n > 0 && w->n <= MAX_IMAGES && w->k >= 8 && w->c * volume(w->size) >= 16 &&
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

static enum tern_error turn(const struct dnn *d, enum lib_type t, int64_t n, int64_t c,
                            const long long *dim, const long long *step, const void *x,
                            struct images *out)
{
    const int64_t places = volume(dim);
    out->channels = padded(c);
    out->use = x;
    if (c % 8 == 0 && step[1] == 1 && step[4] == c && (n == 1 || step[0] == places * c) &&
        (uintptr_t)x % 16 == 0)
        return TERN_OK;
    enum tern_error e =
        lib_scratch(d->stream, (size_t)(n * places * out->channels) * BYTES, &out->own);
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

static enum tern_error turn_filters(const struct dnn *d, enum lib_type t, struct dnn_filters *f,
                                    const void *from, void **own)
{
    const int64_t n = f->rows * volume(f->taps) * f->padded;
    enum tern_error e = lib_scratch(d->stream, (size_t)n * BYTES, own);
    return e ? e
             : dnn_run(d, "implicit.h", dnn_grid(n), 0, (void *[]){f, &from, own},
                       "implicit_filters<%s>", dnn_name(t));
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
    return (uint32_t)(1024 + stages_of(rows) * (PLACES + rows) * DEPTH * BYTES);
}

static enum tern_error product(const struct dnn *d, enum lib_type t, struct dnn_implicit *p,
                               const void *x, const void *f, void *y)
{
    const int64_t places = (int64_t)p->images * p->count[0] * p->count[1] * p->count[2];
    const int64_t tiles = (places + PLACES - 1) / PLACES;
    if (!tiles)
        return TERN_OK;
    if (!p->taps[0] || !p->taps[1] || !p->taps[2])
        p->taps[0] = p->taps[1] = p->taps[2] = 0;
    const int64_t steps =
        ((int64_t)p->taps[0] * p->taps[1] * p->taps[2] * p->channels + DEPTH - 1) / DEPTH;
    const int rows = rows_of(p->rows, tiles, d->device.info.units, steps);
    char name[96];
    snprintf(name, sizeof name, "implicit_product<%s, %d, %d, %s>", dnn_name(t), rows,
             stages_of(rows), p->y_step[4] == 1 && p->y_step[1] != 1 ? "true" : "false");
    return lib_run_shared(&d->device, d->stream, "dnn/implicit.h", name,
                          (tern_dim){(uint32_t)(tiles * ((p->rows + rows - 1) / rows))},
                          (tern_dim){THREADS}, shared_of(rows), (void *[]){p, &x, &f, &y});
}

static enum tern_error forward(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                               const void *x, const void *f, void *y)
{
    struct images source = {0};
    struct dnn_filters filters = filters_of(w, false);
    void *own = NULL;
    enum tern_error e = turn(d, t, w->n, w->c, w->in, w->x_step, x, &source);
    if (!e)
        e = turn_filters(d, t, &filters, f, &own);
    struct dnn_implicit p = forward_of(w, source.channels);
    if (!e)
        e = product(d, t, &p, source.use, own, y);
    lib_scratch_free(d->stream, own);
    lib_scratch_free(d->stream, source.own);
    return e;
}

static enum tern_error data(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                            void *x, const void *f, const void *y)
{
    struct images source = {0};
    struct dnn_filters filters = filters_of(w, true);
    void *own = NULL;
    enum tern_error e = turn(d, t, w->n, w->k, w->out, w->y_step, y, &source);
    if (!e)
        e = turn_filters(d, t, &filters, f, &own);
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
            e = product(d, t, &p, source.use, own, x);
    }
    lib_scratch_free(d->stream, own);
    lib_scratch_free(d->stream, source.own);
    return e;
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
    int64_t parts = 2 * (int64_t)d->device.info.units / tiles;
    parts = parts > all / LEAST_STEPS ? all / LEAST_STEPS : parts;
    parts = parts < 1 ? 1 : parts;
    int steps = (int)((all + parts - 1) / parts), channels = (int)y->channels;
    int count = (int)((all + steps - 1) / steps);
    void *sums;
    enum tern_error e = lib_scratch(d->stream, (size_t)(count * f->rows * columns) * 4, &sums);
    if (e)
        return e;
    char name[96];
    snprintf(name, sizeof name, "implicit_filter<%s, %d, %d>", dnn_name(t), rows, stages_of(rows));
    e = lib_run_shared(&d->device, d->stream, "dnn/implicit.h", name,
                       (tern_dim){(uint32_t)tiles, (uint32_t)count}, (tern_dim){THREADS},
                       shared_of(rows),
                       (void *[]){p, (void *)(uintptr_t)&x->use, (void *)(uintptr_t)&y->use,
                                  &channels, &steps, &sums});
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
    enum tern_error e = turn(d, t, w->n, w->c, w->in, w->x_step, x, &source);
    if (!e)
        e = turn(d, t, w->n, w->k, w->out, w->y_step, y, &slope);
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
