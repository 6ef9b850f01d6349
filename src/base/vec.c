/* Growing arrays: the one function behind the macros of vec.h. They double; the largest grow by
 * half, since what they are grown by is zeroed, and so taken, at once. */
#include "base/vec.h"

enum { LARGE = 1 << 20 };

void vec_reserve_(struct arena *a, void **data, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return;
    size_t grown = *cap < 4 ? 8 : *cap > LARGE / elem ? *cap + *cap / 2 : *cap * 2;
    if (grown < want)
        grown = want;
    if (grown > PTRDIFF_MAX / elem)
        grown = PTRDIFF_MAX / elem + 1; /* more than can be had: arena_grow unwinds */
    *data = arena_grow(a, *data, *cap * elem, grown * elem);
    *cap = grown;
}

#ifdef TERN_SMALL
void vec_more_(struct arena *a, void **data, size_t len_cap[2], size_t elem)
{
    vec_reserve_(a, data, &len_cap[1], len_cap[0] + 1, elem);
}
#endif
