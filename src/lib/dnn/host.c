/* Columns of convolutions on the CPU, in C: a line of an image is a copy with a stride, which
 * kernels cannot know. Lines are shared among cores, in the order of the stream and in graphs. */
#include <string.h>
#include "lib/dnn/dnn_int.h"

enum { TASKS_A_CORE = 4 };

struct call {
    struct dnn_window w;
    enum lib_type type;
    int64_t lines, tasks;
    const void *from;
    void *to;
};

static long long tap_at(const struct dnn_window *w, int d, long long r)
{
    return (w->flip ? w->size[d] - 1 - r : r) * w->dilation[d] - w->pad[d];
}

/* The output places of dimension d whose input place o * stride + shift is inside: from, end. */
static void range(const struct dnn_window *w, int d, long long shift, long long *from,
                  long long *end)
{
    const long long s = w->stride[d];
    *from = shift < 0 ? (-shift + s - 1) / s : 0;
    *end = shift >= w->in[d] ? 0 : (w->in[d] - 1 - shift) / s + 1;
    if (*end > w->out[d])
        *end = w->out[d];
    if (*from > *end)
        *from = *end;
}

/* One row of columns: a channel of an image, seen through one tap. */
#define COLUMN(T)                                                                                  \
    static void column_##T(const struct dnn_window *w, const long long *tap, const T *x, T *to)    \
    {                                                                                              \
        const long long dz = tap_at(w, 0, tap[0]), dy = tap_at(w, 1, tap[1]),                      \
                        dx = tap_at(w, 2, tap[2]), step = w->stride[2] * w->x_step[4];             \
        long long from, end;                                                                       \
        range(w, 2, dx, &from, &end);                                                              \
        for (long long z = 0; z < w->out[0]; z++)                                                  \
            for (long long y = 0; y < w->out[1]; y++, to += w->out[2]) {                           \
                const long long iz = z * w->stride[0] + dz, iy = y * w->stride[1] + dy;            \
                if (iz < 0 || iz >= w->in[0] || iy < 0 || iy >= w->in[1]) {                        \
                    memset(to, 0, (size_t)w->out[2] * sizeof *to);                                 \
                    continue;                                                                      \
                }                                                                                  \
                const T *line = x + iz * w->x_step[2] + iy * w->x_step[3] + dx * w->x_step[4];     \
                for (long long o = 0; o < from; o++)                                               \
                    to[o] = 0;                                                                     \
                if (step == 1)                                                                     \
                    for (long long o = from; o < end; o++)                                         \
                        to[o] = line[o];                                                           \
                else                                                                               \
                    for (long long o = from; o < end; o++)                                         \
                        to[o] = line[o * step];                                                    \
                for (long long o = end; o < w->out[2]; o++)                                        \
                    to[o] = 0;                                                                     \
            }                                                                                      \
    }
COLUMN(uint16_t)
COLUMN(uint32_t)
COLUMN(uint64_t)

static void columns(const tern_thread *t, void *args)
{
    const struct call *c = args;
    const struct dnn_window *w = &c->w;
    const int64_t taps = w->size[0] * w->size[1] * w->size[2], rows = w->c / w->groups * taps;
    const int64_t image = w->out[0] * w->out[1] * w->out[2];
    for (int64_t l = c->lines * t->block.x / c->tasks; l < c->lines * (t->block.x + 1) / c->tasks;
         l++) {
        const int64_t n = l / rows, channel = l % rows / taps, r = l % taps;
        const long long tap[] = {r / (w->size[1] * w->size[2]), r / w->size[2] % w->size[1],
                                 r % w->size[2]};
        const int64_t from = n * w->x_step[0] + channel * w->x_step[1], to = l * image;
        switch (lib_types[c->type].bytes) {
        case 2:
            column_uint16_t(w, tap, (const uint16_t *)c->from + from, (uint16_t *)c->to + to);
            break;
        case 4:
            column_uint32_t(w, tap, (const uint32_t *)c->from + from, (uint32_t *)c->to + to);
            break;
        default:
            column_uint64_t(w, tap, (const uint64_t *)c->from + from, (uint64_t *)c->to + to);
            break;
        }
    }
}

/* The way back: a channel of an image, all its taps added in order. */
#define GATHER(T)                                                                                  \
    static void gather_##T(const struct dnn_window *w, const T *column, T *x)                      \
    {                                                                                              \
        const T alpha = (T)w->alpha, beta = (T)w->beta;                                            \
        for (long long z = 0; z < w->in[0]; z++)                                                   \
            for (long long y = 0; y < w->in[1]; y++) {                                             \
                T *line = x + z * w->x_step[2] + y * w->x_step[3];                                 \
                for (long long i = 0; i < w->in[2]; i++)                                           \
                    line[i] = beta == 0 ? 0 : beta * line[i];                                      \
            }                                                                                      \
        for (long long a = 0; a < w->size[0]; a++)                                                 \
            for (long long b = 0; b < w->size[1]; b++)                                             \
                for (long long d = 0; d < w->size[2]; d++) {                                       \
                    const long long dz = tap_at(w, 0, a), dy = tap_at(w, 1, b),                    \
                                    dx = tap_at(w, 2, d), stride = w->stride[2];                   \
                    long long from, end;                                                           \
                    range(w, 2, dx, &from, &end);                                                  \
                    for (long long z = 0; z < w->out[0]; z++)                                      \
                        for (long long y = 0; y < w->out[1]; y++, column += w->out[2]) {           \
                            const long long iz = z * w->stride[0] + dz,                            \
                                            iy = y * w->stride[1] + dy;                            \
                            if (iz < 0 || iz >= w->in[0] || iy < 0 || iy >= w->in[1])              \
                                continue;                                                          \
                            T *line = x + iz * w->x_step[2] + iy * w->x_step[3] + dx;              \
                            if (stride == 1)                                                       \
                                for (long long o = from; o < end; o++)                             \
                                    line[o] += alpha * column[o];                                  \
                            else                                                                   \
                                for (long long o = from; o < end; o++)                             \
                                    line[o * stride] += alpha * column[o];                         \
                        }                                                                          \
                }                                                                                  \
    }
GATHER(float)
GATHER(double)

static void gathered(const tern_thread *t, void *args)
{
    const struct call *c = args;
    const struct dnn_window *w = &c->w;
    const int64_t each = w->c / w->groups;
    const int64_t one = w->size[0] * w->size[1] * w->size[2] * w->out[0] * w->out[1] * w->out[2];
    for (int64_t l = c->lines * t->block.x / c->tasks; l < c->lines * (t->block.x + 1) / c->tasks;
         l++) {
        const int64_t to = l / each * w->x_step[0] + l % each * w->x_step[1];
        if (c->type == LIB_F64)
            gather_double(w, (const double *)c->from + l * one, (double *)c->to + to);
        else
            gather_float(w, (const float *)c->from + l * one, (float *)c->to + to);
    }
}

static enum tern_error launch(const struct dnn *d, struct call *c, tern_function *f)
{
    const int64_t most = (int64_t)d->device.threads * TASKS_A_CORE;
    tern_stream *stream;
    enum tern_error e = tern_cuda_stream(d->device.device, d->stream, &stream);
    c->tasks = c->lines < most ? c->lines : most;
    if (e || !c->lines)
        return e;
    return tern_launch_function(stream, f, (tern_dim){(uint32_t)c->tasks}, (tern_dim){1}, 0, c,
                                sizeof *c);
}

enum tern_error dnn_host_columns(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                                 int64_t images, const void *x, void *to)
{
    struct call c = {.w = *w, .type = t, .from = x, .to = to};
    c.lines = images * (w->c / w->groups) * w->size[0] * w->size[1] * w->size[2];
    return launch(d, &c, columns);
}

enum tern_error dnn_host_gather(const struct dnn *d, enum lib_type t, const struct dnn_window *w,
                                int64_t images, const void *from, void *dx)
{
    struct call c = {.w = *w, .type = t, .from = from, .to = dx};
    c.lines = images * (w->c / w->groups);
    return launch(d, &c, gathered);
}
