/* What NPP's host side and kernels agree on; in plain C. */
#ifndef DEVICE_NPP_SHARED_H
#define DEVICE_NPP_SHARED_H

enum npp_binary_op { NPP_ADD, NPP_SUB, NPP_MUL, NPP_DIV, NPP_ABSDIFF, NPP_AND, NPP_OR, NPP_XOR, NPP_LSHIFT, NPP_RSHIFT };
enum npp_unary_op { NPP_ABS, NPP_SQR, NPP_SQRT, NPP_LN, NPP_EXP, NPP_NOT };
enum npp_window_op { NPP_BOX, NPP_MIN, NPP_MAX, NPP_FILTER };
enum npp_move_op { NPP_COPY, NPP_TRANSPOSE, NPP_MIRROR, NPP_SWAP, NPP_BORDER_VALUE, NPP_BORDER_REPLICATED, NPP_BORDER_WRAPPED };
enum npp_stat_op { NPP_SUM, NPP_MEAN, NPP_MEAN_STD, NPP_LEAST, NPP_MOST, NPP_LEAST_MOST };

/* Rows of pixels: elements of a pixel lie side by side. */
struct npp_shape {
    int width, height, channels;
    int alpha; /* the last channel stays as it is */
};
struct npp_values {
    double v[4];
};
/* What a filter looks at around a pixel: from (x - anchor_x, y - anchor_y) on. clamp: only what lies in the source, whose
 * first pixel is at (-left, -top) of what is read. */
struct npp_around {
    int width, height, anchor_x, anchor_y;
    int clamp, left, top, source_width, source_height;
};
/* dst (x, y, 1) to the source's place, as homogeneous coordinates; source and destination as rectangles. */
struct npp_warp {
    double to_source[9];
    int x0, y0, x1, y1; /* of the source: x1, y1 are past it */
    int interpolation, clamp;
};
struct npp_twist {
    float m[3][4];
};
/* A derivative: weights along it and across, from -reach to reach. */
struct npp_derivative {
    int reach;
    float slope[5], smooth[5];
};
enum npp_norm { NPP_NORM_INF, NPP_NORM_L1, NPP_NORM_L2 }; /* as NppiNorm */
enum { NPP_THREADS = 128, NPP_PARTS = 64, NPP_RANGES = 1024 };

#endif
