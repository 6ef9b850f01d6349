/* Tensor maps: rt/tensor.h. */
#include "rt/tensor.h"

static uint32_t bytes_of(uint32_t type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static bool box_valid(const struct tensor_desc *t)
{
    static const uint32_t spans[] = {0, 32, 64, 128};
    const uint32_t size = bytes_of(t->type);
    const uint64_t inner = (uint64_t)(t->im2col ? t->channels : t->box[0]) * size;
    if (!t->interleave && inner % 16)
        return false;
    if (!t->interleave && t->swizzle && inner > spans[t->swizzle])
        return false;
    if (t->im2col)
        return t->channels && t->channels <= 256 && t->pixels && t->pixels <= 1024;
    for (uint32_t k = 0; k < t->rank; k++)
        if (!t->box[k] || t->box[k] > 256)
            return false;
    return true;
}

static bool corners_valid(const struct tensor_desc *t)
{
    /* 8, 7 or 5 bits for each of them, by their number */
    const uint32_t n = t->rank - 2;
    const int32_t most = n == 1 ? 32767 : n == 2 ? 127 : 15, least = -most - 1;
    for (uint32_t k = 0; k < n; k++)
        if (t->lower[k] < least || t->lower[k] > most || t->upper[k] < least || t->upper[k] > most)
            return false;
    return true;
}

bool tensor_valid(const struct tensor_desc *t)
{
    const uint64_t align = t->interleave == 2 ? 32 : 16;
    if (t->type >= TENSOR_TYPES || !t->rank || t->rank > TENSOR_MAX_RANK || t->interleave > 2 ||
        t->swizzle > 3 || t->promotion > 3 || t->fill > 1)
        return false;
    if (t->address % align || ((t->interleave || t->im2col) && t->rank < 3) ||
        (t->fill && (t->type < TENSOR_F16)) || (t->interleave == 2 && t->swizzle != 1))
        return false;
    for (uint32_t k = 0; k < t->rank; k++)
        if (!t->size[k] || t->size[k] > UINT64_C(1) << 32 || !t->step[k] || t->step[k] > 8)
            return false;
    for (uint32_t k = 0; k + 1 < t->rank; k++)
        if (t->stride[k] % align || t->stride[k] >= UINT64_C(1) << 40)
            return false;
    return box_valid(t) && (!t->im2col || corners_valid(t));
}

void tensor_encode(const struct tensor_desc *t, uint64_t map[TENSOR_MAP_WORDS])
{
    for (unsigned k = 0; k < TENSOR_MAP_WORDS; k++)
        map[k] = 0;
    map[0] = t->type | (uint64_t)t->rank << 8 | (uint64_t)t->interleave << 16 |
             (uint64_t)t->swizzle << 24 | (uint64_t)t->fill << 32 | (uint64_t)t->im2col << 40;
    map[1] = t->address;
    for (unsigned k = 0; k < TENSOR_MAX_RANK; k++) {
        const bool there = k < t->rank;
        const uint64_t box = there ? t->box[k] : 1;
        map[2 + k] = there ? t->size[k] : 1;
        if (k + 1 < t->rank)
            map[7 + k] = t->stride[k];
        map[k < 4 ? 11 : 12] |= box << 16 * (k % 4);
        map[12] |= (uint64_t)(there ? t->step[k] : 1) << (16 + 8 * k);
    }
    for (unsigned k = 0; k < 3; k++) {
        map[13] |= (uint64_t)(uint16_t)t->lower[k] << 16 * k;
        map[14] |= (uint64_t)(uint16_t)t->upper[k] << 16 * k;
    }
    map[13] |= (uint64_t)t->pixels << 48;
    map[14] |= (uint64_t)t->channels << 48;
}
