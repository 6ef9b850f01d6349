/* Steps on the CPU by C functions: as many lines side by side as a vector has numbers, so that all
 * of a transform is arithmetic of whole vectors, in a buffer that stays in the first cache.
 *
 * host.c     which lines go to which task; the steps of small plans in one
 * lines.inc  the lines of one step, for one type and length of vectors: included by
 * vec.c, avx2.c, avx512.c   vectors of 16, 32 and 64 bytes */
#ifndef LIB_FFT_HOST_HOST_H
#define LIB_FFT_HOST_HOST_H

#include "lib/fft/fft_int.h"

/* What a task has of a step. */
struct host_step {
    struct fft_step s;
    int64_t n;
    int nradices, radices[FFT_RADICES];
    enum fft_load load;
    enum fft_store store;
    enum fft_type in_type, out_type;
    int flags;
    bool wide;
};

enum {
    HOST_GROUP = 2 /* vectors of lines that are read together, at most */,
    LINE = 64 /* of the cache */
};

typedef void host_lines(const struct host_step *h, int64_t first, int64_t end, void *buffer);
struct host_vectors {
    bool (*works)(void);
    int bytes; /* of a vector */
    host_lines *f32, *f64;
};
extern const struct host_vectors fft_host_vec, fft_host_avx2, fft_host_avx512;

/* One number of any type, at p[at]. */
double fft_host_get(enum fft_type type, const void *p, int64_t at);
void fft_host_put(enum fft_type type, void *p, int64_t at, double v);
/* Where a line begins, in elements, and what its indices and twiddles begin with. */
struct host_at {
    int64_t in, in_index, out, out_index, twiddle;
};
/* One line after the other. */
struct host_walk {
    struct host_at at;
    int64_t place[FFT_LOOPS];
};
void fft_host_start(const struct fft_step *s, int64_t line, struct host_walk *w);
/* `places` of a loop further on. */
void fft_host_move(const struct fft_loop *l, int64_t places, struct host_at *at);
/* `lines` further on; more than one only within the first loop. */
void fft_host_next(const struct fft_step *s, struct host_walk *w, int64_t lines);
static inline bool fft_host_row(const struct fft_step *s, const struct host_walk *w, int64_t lines)
{
    return s->nloops && w->place[0] + lines <= s->loops[0].count;
}
/* Half the spectra of reals from those of pairs: lines first to end. */
void fft_host_split(const struct host_step *h, int64_t first, int64_t end);

#endif
