/* Pooling and convolutions over any strides. A convolution is done by index, or as products: the
 * columns of a group's channels, a row for each channel and tap, times the filter. */
#include <string.h>
#include "lib/dnn/dnn_int.h"

enum {
    SCRATCH = 64 << 20, /* bytes that the columns of several images may take together */
    FEW_PLACES = 1024,  /* of an image: fewer make narrow products */
    FEW_PLAIN = 128,    /* … where its columns are the image itself */
    PARTIAL = 32 << 20, /* bytes of partial sums of a gradient of filters */
    TILE = 128,         /* of a product: enough of them keep a GPU busy */
    TILES = 256,
    LEAST_SUM = 256 /* products in a partial sum */
};

void dnn_packed(const int64_t *dim, long long *step, int n)
{
    long long s = 1;
    for (int k = n - 1; k >= 0; k--) {
        step[k] = s;
        s *= dim[k];
    }
}

static int64_t volume(const long long *v)
{
    return (int64_t)(v[0] * v[1] * v[2]);
}

enum tern_error dnn_pool(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                         const void *x, const void *dy, void *result)
{
    struct dnn_window copy = *w;
    if (dy)
        return dnn_run(d, "window.h", dnn_blocks(w->n * w->c), 0,
                       (void *[]){&copy, &x, &dy, &result}, "pool_backward<%s>", dnn_name(t));
    return dnn_run(d, "window.h", dnn_blocks(w->n * w->c), 0, (void *[]){&copy, &x, &result},
                   "pool_forward<%s>", dnn_name(t));
}

/* ---- convolutions ---- */

static int64_t taps(const struct dnn_window *w)
{
    return volume(w->size);
}

/* Is each channel's image one piece, and do channels and the filter follow each other without gaps?
 */
bool dnn_conv_fits(const struct dnn_window *w)
{
    const int64_t x[5] = {w->n, w->c, w->in[0], w->in[1], w->in[2]};
    const int64_t y[5] = {w->n, w->k, w->out[0], w->out[1], w->out[2]};
    const int64_t f[5] = {w->k, w->c / w->groups, w->size[0], w->size[1], w->size[2]};
    long long xs[5], ys[5], fs[5];
    dnn_packed(x, xs, 5);
    dnn_packed(y, ys, 5);
    dnn_packed(f, fs, 5);
    return !memcmp(xs, w->x_step, sizeof xs) && !memcmp(ys, w->y_step, sizeof ys) &&
           !memcmp(fs, w->w_step, sizeof fs);
}

bool dnn_conv_better(const struct dnn_window *w)
{
    /* Columns pay where each is used by several results and is not short. */
    return dnn_conv_fits(w) && w->k / w->groups >= 4 && w->c / w->groups * taps(w) >= 8;
}

/* One tap, no padding, each place once: the columns are x itself. */
static bool plain(const struct dnn_window *w)
{
    bool yes = taps(w) == 1;
    for (int k = 0; k < 3; k++)
        yes = yes && !w->pad[k] && w->stride[k] == 1;
    return yes;
}

/* Are the columns of several images one product? Their results are then turned, which would round
 * narrow types once more. Gradients of filters are sums over all images. */
static bool joined(enum lib_type t, enum dnn_conv what, const struct dnn_window *w)
{
    const bool narrow = lib_types[t].bytes < sizeof(float);
    const int64_t few = plain(w) ? FEW_PLAIN : FEW_PLACES;
    return !narrow && (what == DNN_FILTER || (w->n > 1 && volume(w->out) < few));
}

/* Columns of an image and, joined, its results. */
static int64_t bytes_of_image(enum lib_type t, enum dnn_conv what, const struct dnn_window *w)
{
    const int64_t results = joined(t, what, w) ? w->k / w->groups : 0;
    return (w->c / w->groups * taps(w) + results) * volume(w->out) * (int64_t)lib_types[t].bytes;
}

static int64_t images_at_once(enum lib_type t, enum dnn_conv what, const struct dnn_window *w)
{
    const int64_t one = bytes_of_image(t, what, w);
    const int64_t n = one ? SCRATCH / one : w->n;
    return n < 1 ? 1 : n < w->n ? n : w->n;
}

/* Into how many parts the sums of a gradient of filters over `all` places are divided. */
static int64_t partial_sums(enum lib_type t, const struct dnn_window *w, int64_t all)
{
    const int64_t rows = w->c / w->groups * taps(w), out = w->k / w->groups;
    const int64_t tiles = ((rows + TILE - 1) / TILE) * ((out + TILE - 1) / TILE);
    const int64_t room = PARTIAL / (rows * out * (int64_t)lib_types[t].bytes);
    int64_t n = TILES / tiles;
    if (n > all / LEAST_SUM)
        n = all / LEAST_SUM;
    if (n > room)
        n = room;
    return n < 1 ? 1 : n;
}

static int64_t partial_bytes(enum lib_type t, const struct dnn_window *w, int64_t images)
{
    const int64_t n = partial_sums(t, w, images * volume(w->out));
    return n > 1
               ? n * (w->c / w->groups) * taps(w) * (w->k / w->groups) * (int64_t)lib_types[t].bytes
               : 0;
}

size_t dnn_conv_bytes(enum lib_type t, enum dnn_conv what, const struct dnn_window *w)
{
    const bool beside = joined(t, what, w);
    if (plain(w) && !beside)
        return 0;
    const int64_t images = images_at_once(t, what, w);
    const int64_t partial = beside && what == DNN_FILTER ? partial_bytes(t, w, images) : 0;
    return (size_t)(images * bytes_of_image(t, what, w) + partial);
}

static enum tern_error by_index(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                                const struct dnn_window *w, void *x, void *f, void *y)
{
    struct dnn_window copy = *w;
    switch (what) {
    case DNN_FORWARD:
        return dnn_run(d, "convolve.h", dnn_blocks(w->n * w->k), 0, (void *[]){&copy, &x, &f, &y},
                       "conv_forward<%s>", dnn_name(t));
    case DNN_DATA:
        return dnn_run(d, "convolve.h", dnn_blocks(w->n * w->c), 0, (void *[]){&copy, &f, &y, &x},
                       "conv_data<%s>", dnn_name(t));
    case DNN_FILTER: break;
    }
    return dnn_run(d, "convolve.h", dnn_blocks(w->k * (w->c / w->groups) * taps(w)), 0,
                   (void *[]){&copy, &x, &y, &f}, "conv_filter<%s>", dnn_name(t));
}

/* The images of one group that are done together. */
struct part {
    const struct dnn *d;
    enum lib_type t;
    const struct dnn_window *w;
    int64_t rows, image, out; /* of the columns; places of a result; its channels in the group */
    int64_t first, count;     /* images */
    bool joined;
    void *x, *f, *y, *columns;
    void *beside; /* joined: results of the images, side by side; behind them, partial sums */
};

static tern_dim spans(int64_t lines, int64_t length)
{
    return dnn_blocks(lines * ((length + DNN_SPAN - 1) / DNN_SPAN));
}

static enum tern_error columns_of(struct part *p)
{
    struct dnn_window w = *p->w;
    if (p->d->device.host_path)
        return dnn_host_columns(p->d, p->t, &w, p->count, p->x, p->columns);
    int side_by_side = p->joined;
    const tern_dim grid =
        p->joined ? spans(p->rows, p->count * p->image) : spans(p->count * p->rows, p->image);
    return dnn_run(p->d, "convolve.h", grid, 0,
                   (void *[]){&w, &p->count, &side_by_side, &p->x, &p->columns}, "conv_columns<%s>",
                   dnn_name(p->t));
}

static enum tern_error gather(struct part *p)
{
    struct dnn_window w = *p->w;
    if (p->d->device.host_path)
        return dnn_host_gather(p->d, p->t, &w, p->count, p->columns, p->x);
    int side_by_side = p->joined;
    return dnn_run(p->d, "convolve.h", spans(p->count * (w.c / w.groups), volume(w.in)), 0,
                   (void *[]){&w, &p->count, &side_by_side, &p->columns, &p->x}, "conv_gather<%s>",
                   dnn_name(p->t));
}

static enum tern_error part_forward(struct part *p)
{
    const bool whole = plain(p->w);
    enum tern_error e = whole ? TERN_OK : columns_of(p);
    const struct dnn_product m = {.m = p->out,
                                  .n = p->image,
                                  .k = p->rows,
                                  .lda = p->rows,
                                  .ldb = p->image,
                                  .ldc = p->image,
                                  .b_step = whole ? p->w->x_step[0] : p->rows * p->image,
                                  .c_step = p->w->y_step[0],
                                  .batch = p->count,
                                  .alpha = p->w->alpha,
                                  .beta = p->w->beta};
    return e ? e : dnn_multiply(p->d, p->t, &m, p->f, whole ? p->x : p->columns, p->y);
}

static enum tern_error part_data(struct part *p)
{
    const bool whole = plain(p->w);
    const struct dnn_product m = {.ta = true,
                                  .m = p->rows,
                                  .n = p->image,
                                  .k = p->out,
                                  .lda = p->rows,
                                  .ldb = p->image,
                                  .ldc = p->image,
                                  .b_step = p->w->y_step[0],
                                  .c_step = whole ? p->w->x_step[0] : p->rows * p->image,
                                  .batch = p->count,
                                  .alpha = whole ? p->w->alpha : 1,
                                  .beta = whole ? p->w->beta : 0};
    enum tern_error e = dnn_multiply(p->d, p->t, &m, p->f, p->y, whole ? p->x : p->columns);
    return e || whole ? e : gather(p);
}

/* Images one after another add to the filter: always in the same order. */
static enum tern_error part_filter(struct part *p)
{
    const bool whole = plain(p->w);
    enum tern_error e = whole ? TERN_OK : columns_of(p);
    const size_t bytes = lib_types[p->t].bytes;
    for (int64_t n = 0; n < p->count && !e; n++) {
        const struct dnn_product m = {.tb = true,
                                      .m = p->out,
                                      .n = p->rows,
                                      .k = p->image,
                                      .lda = p->image,
                                      .ldb = p->image,
                                      .ldc = p->rows,
                                      .batch = 1,
                                      .alpha = p->w->alpha,
                                      .beta = p->first + n ? 1 : p->w->beta};
        const char *y = (char *)p->y + (size_t)(n * p->w->y_step[0]) * bytes;
        const char *b = whole ? (char *)p->x + (size_t)(n * p->w->x_step[0]) * bytes
                              : (char *)p->columns + (size_t)(n * p->rows * p->image) * bytes;
        e = dnn_multiply(p->d, p->t, &m, y, b, p->f);
    }
    return e;
}

/* ---- the same, joined ---- */

static enum tern_error join(struct part *p)
{
    struct dnn_window w = *p->w;
    return dnn_run(p->d, "convolve.h", spans(p->out, p->count * p->image), 0,
                   (void *[]){&w, &p->count, &p->out, &p->y, &p->beside}, "conv_join<%s>",
                   dnn_name(p->t));
}

/* Of matrices without gaps. */
static struct dnn_product dense(bool ta, int64_t m, int64_t n, int64_t k)
{
    return (struct dnn_product){.ta = ta,
                                .m = m,
                                .n = n,
                                .k = k,
                                .lda = ta ? m : k,
                                .ldb = n,
                                .ldc = n,
                                .batch = 1,
                                .alpha = 1};
}

static enum tern_error joined_forward(struct part *p)
{
    const int64_t all = p->count * p->image;
    const struct dnn_product m = dense(false, p->out, all, p->rows);
    struct dnn_window w = *p->w;
    enum tern_error e = columns_of(p);
    if (!e)
        e = dnn_multiply(p->d, p->t, &m, p->f, p->columns, p->beside);
    return e ? e
             : dnn_run(p->d, "convolve.h", spans(p->out, all), 0,
                       (void *[]){&w, &p->count, &p->out, &p->beside, &p->y}, "conv_part<%s>",
                       dnn_name(p->t));
}

static enum tern_error joined_data(struct part *p)
{
    const struct dnn_product m = dense(true, p->rows, p->count * p->image, p->out);
    enum tern_error e = join(p);
    if (!e)
        e = dnn_multiply(p->d, p->t, &m, p->f, p->beside, p->columns);
    return e ? e : gather(p);
}

/* Sums over places are divided in equal parts, done at once; what is left over follows in the first
 * of them. */
static enum tern_error joined_filter(struct part *p)
{
    const int64_t all = p->count * p->image, parts = partial_sums(p->t, p->w, all);
    const int64_t each = all / parts, left = all - each * parts, bytes = lib_types[p->t].bytes;
    const double beta = p->first ? 1 : p->w->beta;
    int64_t elements = p->out * p->rows;
    char *partial = (char *)p->beside + p->out * all * bytes;
    void *result = parts > 1 ? partial : p->f;
    struct dnn_product m = {.tb = true,
                            .m = p->out,
                            .n = p->rows,
                            .k = each,
                            .lda = all,
                            .ldb = all,
                            .ldc = p->rows,
                            .a_step = each,
                            .b_step = each,
                            .c_step = elements,
                            .batch = parts,
                            .alpha = parts > 1 ? 1 : p->w->alpha,
                            .beta = parts > 1 ? 0 : beta};
    enum tern_error e = columns_of(p);
    if (!e)
        e = join(p);
    if (!e)
        e = dnn_multiply(p->d, p->t, &m, p->beside, p->columns, result);
    if (e || parts == 1)
        return e;
    m.k = left;
    m.batch = 1;
    m.beta = 1;
    const char *a = (char *)p->beside + each * parts * bytes,
               *b = (char *)p->columns + each * parts * bytes;
    if (left)
        e = dnn_multiply(p->d, p->t, &m, a, b, partial);
    return e ? e
             : dnn_run(p->d, "convolve.h", dnn_grid(elements), 0,
                       (void *[]){&elements, (void *)&parts, (void *)&p->w->alpha, (void *)&beta,
                                  &partial, &p->f},
                       "conv_sum<%s>", dnn_name(p->t));
}

static enum tern_error by_products(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                                   const struct dnn_window *w, void *x, void *f, void *y,
                                   void *columns)
{
    static enum tern_error (*const parts[2][3])(struct part *) = {
        {part_forward, part_data, part_filter}, {joined_forward, joined_data, joined_filter}};
    const bool side_by_side = joined(t, what, w) && !d->device.host_path;
    const size_t bytes = lib_types[t].bytes;
    const int64_t at_once = images_at_once(t, what, w), each = w->c / w->groups,
                  out = w->k / w->groups;
    enum tern_error e = TERN_OK;
    for (int64_t g = 0; g < w->groups && !e; g++)
        for (int64_t n = 0; n < w->n && !e; n += at_once) {
            struct part p = {.d = d,
                             .t = t,
                             .w = w,
                             .rows = each * taps(w),
                             .image = volume(w->out),
                             .out = out,
                             .first = n,
                             .count = w->n - n < at_once ? w->n - n : at_once,
                             .joined = side_by_side,
                             .columns = columns};
            p.beside = (char *)columns + (size_t)(p.count * p.rows * p.image) * bytes;
            p.x = (char *)x + (size_t)(n * w->x_step[0] + g * each * w->x_step[1]) * bytes;
            p.f = (char *)f + (size_t)(g * out * w->w_step[0]) * bytes;
            p.y = (char *)y + (size_t)(n * w->y_step[0] + g * out * w->y_step[1]) * bytes;
            e = parts[side_by_side][what](&p);
        }
    return e;
}

enum tern_error dnn_convolve(const struct dnn *d, enum lib_type t, enum dnn_conv what,
                             const struct dnn_window *w, bool product, void *x, void *f, void *y,
                             void *scratch)
{
    /* Narrow sums over images would round at each image: those are done by index. */
    const bool narrow = lib_types[t].bytes < sizeof(float);
    /* Channels last have no products by columns, but these. */
    if ((product || !dnn_conv_fits(w)) && dnn_implicit_fits(d, t, what, w))
        return dnn_implicit(d, t, what, w, x, f, y);
    if (!product || !dnn_conv_fits(w) || (what == DNN_FILTER && narrow && w->n > 1) ||
        (what == DNN_DATA && narrow))
        return by_index(d, t, what, w, x, f, y);
    void *own = NULL;
    enum tern_error e = TERN_OK;
    if (!scratch)
        e = lib_scratch(d->stream, dnn_conv_bytes(t, what, w), &own);
    if (!e)
        e = by_products(d, t, what, w, x, f, y, scratch ? scratch : own);
    lib_scratch_free(d->stream, own);
    return e;
}
