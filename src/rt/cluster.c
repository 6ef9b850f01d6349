/* Launches of clusters on devices without them: see ir/cluster.h for what the kernel was told.
 */
#include "ir/cluster.h"

#include <stdio.h>
#include <string.h>
#include "rt/module.h"

bool rt_cluster(const struct rt_kernel *k, const struct dev_launch *l, uint32_t size[3])
{
    const uint32_t *from = l->cluster[0] ? l->cluster : k->cluster;
    for (unsigned n = 0; n < 3; n++)
        size[n] = from[n] ? from[n] : 1;
    return (uint64_t)size[0] * size[1] * size[2] > 1;
}

void rt_kernel_set_cluster(const struct rt_kernel *k, unsigned axis, uint32_t blocks)
{
    uint32_t *size = ((struct rt_kernel *)k)->cluster;
    for (unsigned n = 0; n < 3; n++)
        size[n] = n == axis ? blocks : size[n] ? size[n] : 1;
}

/* Bytes from one part of the block to the next. */
static uint64_t stride_of(const struct rt_kernel *k, const struct dev_launch *l)
{
    const uint64_t align = k->cluster_align;
    return ((uint64_t)k->static_shared + l->shared + align - 1) / align * align;
}

/* What only devices ask for that run a cluster as one block. */
static enum tern_error check_block(const struct dev_info *info, const struct rt_kernel *k,
                                   const struct dev_launch *l, uint64_t blocks, char *why)
{
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    const uint64_t shared = blocks * stride_of(k, l);
    if (threads % 32)
        snprintf(why, RT_WHY, "blocks of a cluster take whole warps here, not %llu threads",
                 (unsigned long long)threads);
    else if (threads * blocks > info->max_threads_per_block)
        snprintf(why, RT_WHY, "a cluster has %llu threads; here it is one block, of %u at most",
                 (unsigned long long)(threads * blocks), info->max_threads_per_block);
    else if (shared > info->shared_per_block)
        snprintf(why, RT_WHY,
                 "a cluster has %llu bytes of shared memory; here it is one block, of %u at most",
                 (unsigned long long)shared, info->shared_per_block);
    else
        return TERN_OK;
    return TERN_UNSUPPORTED;
}

enum tern_error rt_check_cluster(const struct dev_info *info, const struct rt_kernel *k,
                                 const struct dev_launch *l, char *why)
{
    uint32_t size[3];
    if (!rt_cluster(k, l, size))
        return TERN_OK;
    const uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    if (k->cluster[0] && memcmp(size, k->cluster, sizeof size)) {
        snprintf(why, RT_WHY, "a cluster of %u, %u, %u blocks; its __cluster_dims__ say %u, %u, %u",
                 size[0], size[1], size[2], k->cluster[0], k->cluster[1], k->cluster[2]);
        return TERN_INVALID_LAUNCH;
    }
    if (blocks > IR_MAX_CLUSTER) {
        snprintf(why, RT_WHY, "a cluster of %llu blocks; %d are the most",
                 (unsigned long long)blocks, IR_MAX_CLUSTER);
        return TERN_INVALID_LAUNCH;
    }
    for (unsigned n = 0; n < 3; n++)
        if (l->grid[n] % size[n]) {
            snprintf(why, RT_WHY, "the grid has %u blocks in %c: no whole clusters of %u",
                     l->grid[n], "xyz"[n], size[n]);
            return TERN_INVALID_LAUNCH;
        }
    return k->parts ? check_block(info, k, l, blocks, why) : TERN_OK;
}

enum tern_error rt_launch(const struct rt_device *d, struct dev_queue *q, const struct rt_kernel *k,
                          const struct dev_launch *l)
{
    uint32_t size[3];
    if (!k->parts)
        return d->driver->launch(d->dev, q, k->dev, l);
    _Alignas(16) char params[RT_MAX_PARAM_BYTES + 16];
    if (k->param_bytes > RT_MAX_PARAM_BYTES)
        return TERN_LIMIT;
    rt_cluster(k, l, size);
    const uint32_t blocks = size[0] * size[1] * size[2];
    const uint64_t shape = size[0] | (uint64_t)size[1] << CLUSTER_BITS |
                           (uint64_t)size[2] << 2 * CLUSTER_BITS | (uint64_t)l->shared << 32;
    memcpy(params, l->params, k->param_bytes);
    memcpy(params + k->cluster_offset, &shape, sizeof shape);
    struct dev_launch whole = *l;
    whole.params = params;
    whole.param_bytes = k->cluster_offset + (uint32_t)sizeof shape;
    whole.shared = (uint32_t)(blocks * stride_of(k, l));
    whole.block[2] *= blocks;
    for (unsigned n = 0; n < 3; n++) {
        whole.grid[n] /= size[n];
        whole.cluster[n] = 0;
    }
    return d->driver->launch(d->dev, q, k->dev, &whole);
}
