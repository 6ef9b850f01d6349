/* Neural operations: what the host side (src/lib/dnn) and kernels agree on. Plain C.
 *
 * each.h       one element at a time: activations, losses, sums, products, scaling
 * reduce.h     sums, products, extremes and norms along any dimensions; gradients of biases
 * rows.h       softmax, cross-entropy
 * lines.h      softmax, layer and RMS normalisation of lines that registers hold
 * norm.h       batch, layer, RMS, group and instance normalisation
 * window.h     pooling, local response normalisation
 * convolve.h   convolutions by index, and the matrices for those by products
 * implicit.h   convolutions on Hopper's matrix instructions, whose operands are found by index; gathered.h: by the copy engine
 * attend.h     attention, rotary positions, caches of keys and values
 * flash.h      attention on matrix instructions; flash_back.h: its gradients; flash_hopper.h, hopper_back.h: on Hopper's
 * learn.h      optimisers, dropout, embeddings, clipping
 * quant.h      blocks of quantised weights
 * recur.h      cells of recurrent networks; cells.h: their part of this file */
#pragma once

enum { DNN_DIMS = 8, DNN_INPUTS = 3, DNN_THREADS = 128, DNN_WARP = 32, DNN_SPAN = 2048 /* places of a line */ };

/* out = alpha * f(in…) + beta * out for each place of a box. A step of 0 repeats an element. */
struct dnn_each {
    long long count;
    int dims, flat; /* flat: all lie alike, without gaps */
    long long dim[DNN_DIMS], out_step[DNN_DIMS], in_step[DNN_INPUTS][DNN_DIMS];
    void *out;
    const void *in[DNN_INPUTS];
    double alpha, beta, p[3];
};

/* A reduction: places of the result, and for each of them places of the input. */
struct dnn_reduce {
    long long kept, gone; /* how many */
    int kept_dims, gone_dims;
    long long kept_dim[DNN_DIMS], kept_in[DNN_DIMS], kept_out[DNN_DIMS], gone_dim[DNN_DIMS], gone_in[DNN_DIMS];
    const void *in;
    void *out;
    unsigned *index; /* where the extreme was, counted over what is gone; may be null */
    double alpha, beta;
};

/* Lines of numbers: line l begins at (l / inner) * outer_step + (l % inner) * inner_step. */
struct dnn_rows {
    long long lines, inner, length, outer_step, inner_step, step;
    double alpha, beta;
};

/* x as n images of c channels of s places. groups 0: statistics of each channel over all images (batch normalisation); else of
 * each image's groups of channels. */
struct dnn_norm {
    long long n, c, s, groups, n_step, c_step, s_step;
    int rms; /* no mean is taken off */
    double epsilon, factor, alpha, beta, param_alpha, param_beta;
};

/* Windows over images of up to three dimensions. Steps are of n, c, depth, height, width. */
struct dnn_window {
    long long n, c, k, groups; /* k: channels of the result; pooling has k = c */
    long long in[3], out[3], size[3], pad[3], stride[3], dilation[3];
    long long x_step[5], y_step[5], w_step[5];
    int kind;     /* enum dnn_pool */
    int adaptive; /* windows by the ratio of in and out */
    int flip;     /* convolution, not cross-correlation */
    int tf32;     /* floats may be multiplied with 11 bits */
    double alpha, beta;
};
enum dnn_pool { DNN_POOL_MAX, DNN_POOL_AVERAGE_PADDED, DNN_POOL_AVERAGE };

/* A convolution as a product whose first operand is found by index in a source [images, places, channels] without gaps. For tap t,
 * place i of the result (count of them in each dimension) takes the source's place i * step + off + t * off_step. */
struct dnn_implicit {
    int images, count[3], from[3], step[3], off[3], off_step[3];
    int taps[3], tap[3], tap_step[3], filter_taps[3]; /* tap t is the filter's tap + t * tap_step */
    int channels, rows;                               /* of the source, a multiple of 8; of the result */
    int first[3], each[3];                            /* place i of the result lies at first + i * each */
    long long y_step[5];
    double alpha, beta;
};
/* Filters [rows, channels, taps] of any steps; flip: taps in the other order. */
struct dnn_filters {
    long long rows, channels, padded, taps[3], row_step, channel_step, tap_step[3];
    int flip;
    double alpha, beta;
};

/* Queries [batch, heads, queries, size], keys and values [batch, kv_heads, keys, size or value_size]: steps of batch, head and
 * place; the last dimension lies together. Query i stands at the place keys - queries + i. */
struct dnn_attention {
    long long batch, heads, kv_heads, queries, keys, size, value_size;
    long long q_step[3], k_step[3], v_step[3], o_step[3];
    const int *lengths;   /* keys of each sequence, or null: keys */
    const float *slopes;  /* ALiBi: of each head, or null */
    int causal, window;   /* window: keys that a query sees back from its own place; 0: all */
    double scale, cap;    /* cap: scores become cap * tanh(score / cap); 0: none */
};

struct dnn_rotary {
    long long batch, heads, length, size, rotated; /* rotated: of size, from its beginning */
    long long step[3], out_step[3];
    const int *positions; /* [length] or null: first, first + 1, … */
    int first, halves, backward; /* halves: pairs are size / 2 apart, not neighbours */
    double base, scale;
};

struct dnn_optimizer {
    double rate, beta1, beta2, epsilon, decay, momentum, correction1, correction2;
    int nesterov;
};
