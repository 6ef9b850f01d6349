#pragma once
#include <cstddef>

namespace thrust
{
namespace mr
{
struct pool_options {
    size_t min_blocks_per_chunk = 16;
    size_t min_bytes_per_chunk = 1024;
    size_t max_blocks_per_chunk = (size_t)1 << 20;
    size_t max_bytes_per_chunk = (size_t)1 << 30;
    size_t smallest_block_size = 16;
    size_t largest_block_size = (size_t)1 << 20;
    size_t alignment = 16;
    bool cache_oversized = true;
    size_t cached_size_cutoff_factor = 16;
    size_t cached_alignment_cutoff_factor = 16;

    bool validate() const
    {
        const auto power = [](size_t n) { return n && !(n & (n - 1)); };
        return power(smallest_block_size) && power(largest_block_size) && power(alignment) &&
               smallest_block_size <= largest_block_size && alignment <= smallest_block_size &&
               min_blocks_per_chunk <= max_blocks_per_chunk &&
               min_bytes_per_chunk <= max_bytes_per_chunk &&
               max_bytes_per_chunk >= largest_block_size;
    }
};
} // namespace mr
} // namespace thrust
