/* Growing arrays of any type, in an arena.  VEC(int) v = {0}; vec_push(arena, &v, 3); v.data[0] */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *data;                                                                                   \
        size_t len, cap;                                                                           \
    }

void vec_reserve_(struct arena *a, void **data, size_t *cap, size_t want, size_t elem);

#define vec_reserve(a, v, n)                                                                       \
    vec_reserve_((a), (void **)&(v)->data, &(v)->cap, (n), sizeof *(v)->data)
#ifdef TERN_SMALL /* one call where it is used is shorter than a test and a call */
void vec_more_(struct arena *a, void **data, size_t len_cap[2], size_t elem);
#define VEC_MORE(a, v) vec_more_((a), (void **)&(v)->data, &(v)->len, sizeof *(v)->data)
#else
#define VEC_MORE(a, v) ((v)->len == (v)->cap ? vec_reserve((a), (v), (v)->len + 1) : (void)0)
#endif
#define vec_push(a, v, x)                                                                          \
    do {                                                                                           \
        VEC_MORE(a, v);                                                                            \
        (v)->data[(v)->len++] = (x);                                                               \
    } while (0)
#define vec_pop(v)         ((v)->data[--(v)->len])
#define vec_last(v)        ((v)->data[(v)->len - 1])
#define vec_each(T, it, v) for (T *it = (v)->data; it && it < (v)->data + (v)->len; it++)

#endif
