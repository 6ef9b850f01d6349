/* NPP, element by element. */
#include <math.h>
#include "lib/npp/npp_int.h"

NppStatus npp_check(const void *a, int a_step, const void *b, int b_step, NppiSize size)
{
    if (!a || !b)
        return NPP_NULL_POINTER_ERROR;
    if (size.width < 0 || size.height < 0 || size.width > INT32_MAX / 8)
        return NPP_SIZE_ERROR;
    if (a_step <= 0 || b_step <= 0)
        return NPP_STEP_ERROR;
    return size.width && size.height ? NPP_SUCCESS : NPP_NO_OPERATION_WARNING;
}

struct npp_shape npp_shape_of(const struct npp_call *call, NppiSize size)
{
    return (struct npp_shape){size.width, size.height, call->channels, call->alpha};
}

struct npp_values npp_values_of(const struct npp_call *call, enum npp_type type, const void *k)
{
    struct npp_values v = {{0}};
    for (int c = 0; k && c < call->channels - call->alpha; c++)
        switch (type) {
        case NPP_8u: v.v[c] = ((const Npp8u *)k)[c]; break;
        case NPP_8s: v.v[c] = ((const Npp8s *)k)[c]; break;
        case NPP_16u: v.v[c] = ((const Npp16u *)k)[c]; break;
        case NPP_16s: v.v[c] = ((const Npp16s *)k)[c]; break;
        case NPP_32u: v.v[c] = ((const Npp32u *)k)[c]; break;
        case NPP_32s: v.v[c] = ((const Npp32s *)k)[c]; break;
        case NPP_32f: v.v[c] = (double)((const Npp32f *)k)[c]; break;
        default: v.v[c] = ((const Npp64f *)k)[c]; break;
        }
    return v;
}

/* ---- two numbers ---- */

/* d = a op b, b an image or constants. */
static NppStatus two(const struct npp_call *call, int op, const void *a, int a_step, const void *b,
                     int b_step, const void *k, enum npp_type k_type, void *d, int d_step,
                     NppiSize size, int scale)
{
    NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (!b && !k)
        r = NPP_NULL_POINTER_ERROR;
    else if (b && b_step <= 0 && r == NPP_SUCCESS)
        r = NPP_STEP_ERROR;
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_values v = npp_values_of(call, k_type, k);
    double factor = ldexp(1, -scale);
    void *arithmetic[] = {&s, &op, &a, &a_step, &b, &b_step, &v, &d, &d_step, &factor};
    return npp_run(call, op >= NPP_AND ? "npp_bits" : "npp_binary", false, npp_count(&s),
                   arithmetic);
}

/* NPP subtracts the first image from the second, and divides the second by it. In place the image
 * that is written is the second. */
#define TWO(name, op)                                                                              \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, const void *b,    \
                         int b_step, void *d, int d_step, NppiSize size, int scale)                \
    {                                                                                              \
        return two(call, op, b, b_step, a, a_step, NULL, call->from, d, d_step, size, scale);      \
    }                                                                                              \
    NppStatus npp_##name##_plain(const struct npp_call *call, const void *a, int a_step,           \
                                 const void *b, int b_step, void *d, int d_step, NppiSize size)    \
    {                                                                                              \
        return two(call, op, b, b_step, a, a_step, NULL, call->from, d, d_step, size, 0);          \
    }                                                                                              \
    NppStatus npp_##name##_in(const struct npp_call *call, const void *a, int a_step, void *d,     \
                              int d_step, NppiSize size, int scale)                                \
    {                                                                                              \
        return two(call, op, d, d_step, a, a_step, NULL, call->from, d, d_step, size, scale);      \
    }                                                                                              \
    NppStatus npp_##name##_in_plain(const struct npp_call *call, const void *a, int a_step,        \
                                    void *d, int d_step, NppiSize size)                            \
    {                                                                                              \
        return two(call, op, d, d_step, a, a_step, NULL, call->from, d, d_step, size, 0);          \
    }                                                                                              \
    NppStatus npp_##name##_c(const struct npp_call *call, const void *a, int a_step,               \
                             const void *k, void *d, int d_step, NppiSize size, int scale)         \
    {                                                                                              \
        return two(call, op, a, a_step, NULL, 0, k, call->from, d, d_step, size, scale);           \
    }                                                                                              \
    NppStatus npp_##name##_c_plain(const struct npp_call *call, const void *a, int a_step,         \
                                   const void *k, void *d, int d_step, NppiSize size)              \
    {                                                                                              \
        return two(call, op, a, a_step, NULL, 0, k, call->from, d, d_step, size, 0);               \
    }                                                                                              \
    NppStatus npp_##name##_c_in(const struct npp_call *call, const void *k, void *d, int d_step,   \
                                NppiSize size, int scale)                                          \
    {                                                                                              \
        return two(call, op, d, d_step, NULL, 0, k, call->from, d, d_step, size, scale);           \
    }                                                                                              \
    NppStatus npp_##name##_c_in_plain(const struct npp_call *call, const void *k, void *d,         \
                                      int d_step, NppiSize size)                                   \
    {                                                                                              \
        return two(call, op, d, d_step, NULL, 0, k, call->from, d, d_step, size, 0);               \
    }
TWO(add, NPP_ADD)
TWO(sub, NPP_SUB)
TWO(mul, NPP_MUL)
TWO(div, NPP_DIV)

NppStatus npp_abs_diff(const struct npp_call *call, const void *a, int a_step, const void *b,
                       int b_step, void *d, int d_step, NppiSize size)
{
    return two(call, NPP_ABSDIFF, a, a_step, b, b_step, NULL, call->from, d, d_step, size, 0);
}

NppStatus npp_abs_diff_c(const struct npp_call *call, const void *a, int a_step, void *d,
                         int d_step, NppiSize size, const void *k)
{
    return two(call, NPP_ABSDIFF, a, a_step, NULL, 0, k, call->from, d, d_step, size, 0);
}

#define BITS_C(name, op, type)                                                                     \
    NppStatus npp_##name##_c(const struct npp_call *call, const void *a, int a_step,               \
                             const void *k, void *d, int d_step, NppiSize size)                    \
    {                                                                                              \
        return two(call, op, a, a_step, NULL, 0, k, type, d, d_step, size, 0);                     \
    }                                                                                              \
    NppStatus npp_##name##_c_in(const struct npp_call *call, const void *k, void *d, int d_step,   \
                                NppiSize size)                                                     \
    {                                                                                              \
        return two(call, op, d, d_step, NULL, 0, k, type, d, d_step, size, 0);                     \
    }
#define BITS(name, op)                                                                             \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, const void *b,    \
                         int b_step, void *d, int d_step, NppiSize size)                           \
    {                                                                                              \
        return two(call, op, a, a_step, b, b_step, NULL, call->from, d, d_step, size, 0);          \
    }                                                                                              \
    NppStatus npp_##name##_in(const struct npp_call *call, const void *a, int a_step, void *d,     \
                              int d_step, NppiSize size)                                           \
    {                                                                                              \
        return two(call, op, a, a_step, d, d_step, NULL, call->from, d, d_step, size, 0);          \
    }                                                                                              \
    BITS_C(name, op, call->from)
BITS(and, NPP_AND)
BITS(or, NPP_OR)
BITS(xor, NPP_XOR)
BITS_C(lshift, NPP_LSHIFT, NPP_32u)
BITS_C(rshift, NPP_RSHIFT, NPP_32u)

/* ---- one number ---- */

static NppStatus one(const struct npp_call *call, int op, const void *a, int a_step, void *d,
                     int d_step, NppiSize size, int scale)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    double factor = ldexp(1, -scale);
    return npp_run(call, "npp_unary", false, npp_count(&s),
                   (void *[]){&s, &op, &a, &a_step, &d, &d_step, &factor});
}

#define ONE(name, op)                                                                              \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, void *d,          \
                         int d_step, NppiSize size)                                                \
    {                                                                                              \
        return one(call, op, a, a_step, d, d_step, size, 0);                                       \
    }
#define ONE_IN(name, op)                                                                           \
    NppStatus npp_##name##_in(const struct npp_call *call, void *d, int d_step, NppiSize size)     \
    {                                                                                              \
        return one(call, op, d, d_step, d, d_step, size, 0);                                       \
    }
#define ONE_SFS(name, op)                                                                          \
    NppStatus npp_##name##_sfs(const struct npp_call *call, const void *a, int a_step, void *d,    \
                               int d_step, NppiSize size, int scale)                               \
    {                                                                                              \
        return one(call, op, a, a_step, d, d_step, size, scale);                                   \
    }
ONE(not, NPP_NOT)
ONE_IN(not, NPP_NOT)
ONE(abs, NPP_ABS)
ONE_IN(abs, NPP_ABS)
ONE(sqr, NPP_SQR)
ONE_IN(sqr, NPP_SQR)
ONE_SFS(sqr, NPP_SQR)
ONE(sqrt, NPP_SQRT)
ONE_IN(sqrt, NPP_SQRT)
ONE_SFS(sqrt, NPP_SQRT)
ONE(ln, NPP_LN)
ONE(exp, NPP_EXP)

/* ---- thresholds and comparisons ---- */

static NppStatus limit(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                       NppiSize size, const void *threshold, const void *value, int op)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_values t = npp_values_of(call, call->from, threshold),
                      v = npp_values_of(call, call->from, value);
    return npp_run(call, "npp_threshold", false, npp_count(&s),
                   (void *[]){&s, &op, &t, &v, &a, &a_step, &d, &d_step});
}

/* Only less and greater have a meaning here. */
static bool is_threshold(NppCmpOp op)
{
    return op == NPP_CMP_LESS || op == NPP_CMP_GREATER;
}

NppStatus npp_threshold_at(const struct npp_call *call, const void *a, int a_step, void *d,
                           int d_step, NppiSize size, const void *threshold, NppCmpOp op)
{
    return is_threshold(op) ? limit(call, a, a_step, d, d_step, size, threshold, threshold, op)
                            : NPP_NOT_SUPPORTED_MODE_ERROR;
}

NppStatus npp_threshold_val(const struct npp_call *call, const void *a, int a_step, void *d,
                            int d_step, NppiSize size, const void *threshold, const void *value,
                            NppCmpOp op)
{
    return is_threshold(op) ? limit(call, a, a_step, d, d_step, size, threshold, value, op)
                            : NPP_NOT_SUPPORTED_MODE_ERROR;
}

#define LIMIT(name, op)                                                                            \
    NppStatus npp_threshold_##name(const struct npp_call *call, const void *a, int a_step,         \
                                   void *d, int d_step, NppiSize size, const void *threshold)      \
    {                                                                                              \
        return limit(call, a, a_step, d, d_step, size, threshold, threshold, op);                  \
    }                                                                                              \
    NppStatus npp_threshold_##name##_val(const struct npp_call *call, const void *a, int a_step,   \
                                         void *d, int d_step, NppiSize size,                       \
                                         const void *threshold, const void *value)                 \
    {                                                                                              \
        return limit(call, a, a_step, d, d_step, size, threshold, value, op);                      \
    }
LIMIT(lt, NPP_CMP_LESS)
LIMIT(gt, NPP_CMP_GREATER)

static NppStatus compare(const struct npp_call *call, const void *a, int a_step, const void *b,
                         int b_step, const void *k, void *d, int d_step, NppiSize size, int op)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (op < NPP_CMP_LESS || op > NPP_CMP_GREATER)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (!k && !b)
        return NPP_NULL_POINTER_ERROR;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_values v = npp_values_of(call, call->from, k);
    return npp_run(call, "npp_compare", false, (int64_t)size.width * size.height,
                   (void *[]){&s, &op, &a, &a_step, &b, &b_step, &v, &d, &d_step});
}

NppStatus npp_compare_two(const struct npp_call *call, const void *a, int a_step, const void *b,
                          int b_step, Npp8u *d, int d_step, NppiSize size, NppCmpOp op)
{
    return compare(call, a, a_step, b, b_step, NULL, d, d_step, size, op);
}

NppStatus npp_compare_c(const struct npp_call *call, const void *a, int a_step, const void *k,
                        Npp8u *d, int d_step, NppiSize size, NppCmpOp op)
{
    return compare(call, a, a_step, NULL, 0, k, d, d_step, size, op);
}

/* ---- setting, converting ---- */

NppStatus npp_fill(const struct npp_call *call, const void *k, void *d, int d_step, NppiSize size)
{
    const NppStatus r = npp_check(k, 1, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_values v = npp_values_of(call, call->from, k);
    return npp_run(call, "npp_set", false, npp_count(&s), (void *[]){&s, &v, &d, &d_step});
}

static NppStatus convert(const struct npp_call *call, const void *a, int a_step, void *d,
                         int d_step, NppiSize size, int round, double scale, double offset)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    return npp_run(call, "npp_convert", true, npp_count(&s),
                   (void *[]){&s, &round, &scale, &offset, &a, &a_step, &d, &d_step});
}

NppStatus npp_convert_up(const struct npp_call *call, const void *a, int a_step, void *d,
                         int d_step, NppiSize size)
{
    return convert(call, a, a_step, d, d_step, size, NPP_RND_NEAR, 1, 0);
}

NppStatus npp_convert_round(const struct npp_call *call, const void *a, int a_step, void *d,
                            int d_step, NppiSize size, NppRoundMode round)
{
    if ((int)round < NPP_RND_NEAR || round > NPP_RND_ZERO)
        return NPP_ROUND_MODE_NOT_SUPPORTED_ERROR;
    return convert(call, a, a_step, d, d_step, size, round, 1, 0);
}

/* All of a byte's range to [low, high], and back. */
NppStatus npp_scale_to(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                       NppiSize size, Npp32f low, Npp32f high)
{
    if (!(low < high))
        return NPP_RANGE_ERROR;
    return convert(call, a, a_step, d, d_step, size, NPP_RND_NEAR, ((double)high - low) / 255, low);
}

NppStatus npp_scale_from(const struct npp_call *call, const void *a, int a_step, void *d,
                         int d_step, NppiSize size, Npp32f low, Npp32f high)
{
    if (!(low < high))
        return NPP_RANGE_ERROR;
    const double scale = 255 / ((double)high - low);
    return convert(call, a, a_step, d, d_step, size, NPP_RND_NEAR, scale, -low * scale);
}

/* ---- pixels that change their place ---- */

struct move {
    int op, width, height, x, y, order;
};
static NppStatus move(const struct npp_call *call, struct move m, const void *a, int a_step,
                      void *d, int d_step, NppiSize size, const void *k)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_values v = npp_values_of(call, call->from, k);
    return npp_run(call, "npp_move", false, npp_count(&s),
                   (void *[]){&s, &m.op, &a, &a_step, &m.width, &m.height, &m.x, &m.y, &m.order, &v,
                              &d, &d_step});
}

NppStatus npp_copy(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                   NppiSize size)
{
    return move(call, (struct move){.op = NPP_COPY}, a, a_step, d, d_step, size, NULL);
}

NppStatus npp_transpose(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                        NppiSize from)
{
    const NppiSize size = {from.height, from.width};
    return move(call, (struct move){.op = NPP_TRANSPOSE}, a, a_step, d, d_step, size, NULL);
}

/* About the horizontal axis rows change, about the vertical one columns. */
NppStatus npp_mirror(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                     NppiSize size, NppiAxis flip)
{
    if ((int)flip < NPP_HORIZONTAL_AXIS || flip > NPP_BOTH_AXIS)
        return NPP_MIRROR_FLIP_ERROR;
    const struct move m = {
        NPP_MIRROR, size.width, size.height, flip != NPP_HORIZONTAL_AXIS, flip != NPP_VERTICAL_AXIS,
        0};
    return move(call, m, a, a_step, d, d_step, size, NULL);
}

NppStatus npp_swap(const struct npp_call *call, const void *a, int a_step, void *d, int d_step,
                   NppiSize size, const int *order)
{
    struct move m = {.op = NPP_SWAP};
    if (!order)
        return NPP_NULL_POINTER_ERROR;
    for (int c = 0; c < call->channels; c++) {
        if (order[c] < 0 || order[c] >= call->channels)
            return NPP_CHANNEL_ORDER_ERROR;
        m.order |= order[c] << 3 * c;
    }
    return move(call, m, a, a_step, d, d_step, size, NULL);
}

static NppStatus border(const struct npp_call *call, int op, const void *a, int a_step,
                        NppiSize from, void *d, int d_step, NppiSize size, int top, int left,
                        const void *k)
{
    if (top < 0 || left < 0 || from.width < 1 || from.height < 1 ||
        from.width > size.width - left || from.height > size.height - top)
        return NPP_SIZE_ERROR;
    const struct move m = {op, from.width, from.height, left, top, 0};
    return move(call, m, a, a_step, d, d_step, size, k);
}

NppStatus npp_border_const(const struct npp_call *call, const void *a, int a_step, NppiSize from,
                           void *d, int d_step, NppiSize size, int top, int left, const void *k)
{
    return border(call, NPP_BORDER_VALUE, a, a_step, from, d, d_step, size, top, left, k);
}

NppStatus npp_border_replicate(const struct npp_call *call, const void *a, int a_step,
                               NppiSize from, void *d, int d_step, NppiSize size, int top, int left)
{
    return border(call, NPP_BORDER_REPLICATED, a, a_step, from, d, d_step, size, top, left, NULL);
}

NppStatus npp_border_wrap(const struct npp_call *call, const void *a, int a_step, NppiSize from,
                          void *d, int d_step, NppiSize size, int top, int left)
{
    return border(call, NPP_BORDER_WRAPPED, a, a_step, from, d, d_step, size, top, left, NULL);
}

/* ---- tables ---- */

static NppStatus table(const struct npp_call *call, int linear, const void *a, int a_step, void *d,
                       int d_step, NppiSize size, const void *values, const void *levels, int count)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!values || !levels)
        return NPP_NULL_POINTER_ERROR;
    if (count < 2)
        return NPP_LUT_NUMBER_OF_LEVELS_ERROR;
    struct npp_shape s = npp_shape_of(call, size);
    struct npp_call typed = *call;
    typed.to = call->from == NPP_32f ? NPP_32f : NPP_32s;
    return npp_run(&typed, "npp_table", true, npp_count(&s),
                   (void *[]){&s, &linear, &a, &a_step, &d, &d_step, &values, &levels, &count});
}

/* Values and levels lie in device memory. */
#define TABLE(name, type, linear)                                                                  \
    NppStatus npp_table_##name(const struct npp_call *call, const void *a, int a_step, void *d,    \
                               int d_step, NppiSize size, const type *values, const type *levels,  \
                               int count)                                                          \
    {                                                                                              \
        return table(call, linear, a, a_step, d, d_step, size, values, levels, count);             \
    }
TABLE(whole, Npp32s, 0)
TABLE(whole_linear, Npp32s, 1)
TABLE(real, Npp32f, 0)
TABLE(real_linear, Npp32f, 1)
