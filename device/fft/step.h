/* One step of a transform, as the host side and the kernels agree on it; in plain C.
 *
 * A step does many transforms of length n, its lines: they are read, transformed forwards, and
 * written. Which lines there are is told by loops, one in the other, the first the fastest. Element
 * j of a line has an index, j * in_step + the sum of (place in a loop) * in_index: its number in
 * the transform that the step is a part of. Its address is in + (the sum of (place in a loop) *
 * in_apart + index * in_stride) elements. The same for what is written.
 *
 * Backwards is forwards with real and imaginary parts exchanged before and after. */
#ifndef DEVICE_FFT_STEP_H
#define DEVICE_FFT_STEP_H

enum { FFT_LOOPS = 8 };

/* What elements are. Half a spectrum has elements 0 to real_n / 2. */
enum fft_load {
    FFT_LOAD_COMPLEX,
    FFT_LOAD_REAL,    /* the imaginary part is 0 */
    FFT_LOAD_PAIRS,   /* reals 2 j and 2 j + 1 */
    FFT_LOAD_HERMITE, /* of half a spectrum, the whole */
    FFT_LOAD_MERGED   /* of half a spectrum, that of pairs of reals */
};
enum fft_store {
    FFT_STORE_COMPLEX,
    FFT_STORE_REAL,
    FFT_STORE_PAIRS,
    FFT_STORE_HALF, /* elements 0 to real_n / 2 */
    FFT_STORE_SPLIT /* from the spectrum of pairs of reals, half the spectrum of the reals */
};
/* What else is done: when read, in this order; when written, in this order. */
enum fft_flags {
    FFT_SWAP_IN = 1,     /* exchange real and imaginary part */
    FFT_CHIRP_IN = 2,    /* times chirp[index]; 0 from `limit` on, where nothing is read */
    FFT_SWAP_FIRST = 4,  /* exchange */
    FFT_TWIDDLE = 8,     /* times the root of unity of element * (sum of place * twiddle) */
    FFT_TIMES = 16,      /* times product[index] */
    FFT_CHIRP_OUT = 32,  /* times chirp[index]; nothing is written from `limit` on */
    FFT_SWAP_OUT = 64,   /* exchange */
    FFT_LOAD_ACROSS = 128, /* neighbours in memory are in neighbouring lines */
    FFT_STORE_ACROSS = 256,
    FFT_AGAIN = 512 /* blocks take several lines in turn */
};

/* A line in shared memory has a gap after each row of banks, so that elements a power of two apart
 * are in different ones, and so are the elements of W lines, of which each has its own. */
#define FFT_ROW(wide) ((wide) ? 8 : 16)
#define FFT_APART(w, wide)                                                                         \
    ((w) == 1 ? 0 : (w) >= FFT_ROW(wide) ? 1 : FFT_ROW(wide) / (w))
#define FFT_SPAN(n, w, wide)                                                                       \
    (((n) + (n) / FFT_ROW(wide) + FFT_ROW(wide) - 1) / FFT_ROW(wide) * FFT_ROW(wide) +             \
     FFT_APART(w, wide))

struct fft_loop {
    long long count;
    long long in_apart, in_index;
    long long out_apart, out_index;
    long long twiddle;
};

struct fft_step {
    const void *in;
    void *out;
    const void *roots;         /* of unity, of order n: n of them */
    const void *fine, *coarse; /* those of the order of the twiddles: coarse[e >> shift] * fine[e & mask] */
    const void *twiddles;      /* or all of them: [element][place], `columns` places; NULL: not made */
    const void *real_roots;    /* of order real_n: real_n / 2 + 1 of them */
    const void *chirp, *product;
    long long lines;
    long long in_stride, in_step, out_stride, out_step;
    long long real_n, limit, columns;
    int shift, nloops;
    struct fft_loop loops[FFT_LOOPS];
};

#endif
