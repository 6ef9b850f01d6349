/* Which digit of a key is asked for. */
#pragma once

namespace cub
{
template <class K> struct BFEDigitExtractor {
    unsigned from, bits;
    __device__ explicit BFEDigitExtractor(unsigned from = 0, unsigned bits = 0)
        : from(from), bits(bits)
    {
    }
    __device__ unsigned Digit(K key) const
    {
        return (unsigned)(key >> from) & ((bits < 32 ? 1u << bits : 0u) - 1);
    }
};
template <class K> struct ShiftDigitExtractor : BFEDigitExtractor<K> {
    __device__ explicit ShiftDigitExtractor(unsigned from = 0, unsigned bits = 0)
        : BFEDigitExtractor<K>(from, bits)
    {
    }
};
} // namespace cub
