/* Graphs: commands that are recorded once and submitted as often as the graph is launched.
 *
 * Between begin and end, what is asked of the queue goes into the graph's own command buffer.
 * What cannot be repeated that way (work of the host, kernels that write output, which belongs to
 * the queue they run on) spoils the recording: the end says so, and the runtime submits the pieces
 * one by one at each launch instead. */
#include <stdlib.h>
#include <string.h>
#include "rt/dev/vulkan/vulkan_int.h"

enum tern_error vk_capture_begin(struct dev_queue *q)
{
    if (q->dev->host.check) /* kernels are looked at one by one */
        return TERN_UNSUPPORTED;
    struct dev *d = q->dev;
    struct dev_graph *g = vk_gone(d) ? NULL : calloc(1, sizeof *g);
    if (!g)
        return TERN_UNSUPPORTED;
    g->dev = d;
    struct vk_command_pool_create pool = {.type = VK_TYPE_COMMAND_POOL, .family = d->family};
    vk_result r = d->fn.CreateCommandPool(d->device, &pool, NULL, &g->pool);
    struct vk_command_buffer_allocate allocate = {
        .type = VK_TYPE_COMMAND_BUFFER_ALLOCATE, .pool = g->pool, .count = 1};
    if (r == VK_SUCCESS)
        r = d->fn.AllocateCommandBuffers(d->device, &allocate, &g->commands);
    struct vk_command_buffer_begin begin = {.type = VK_TYPE_COMMAND_BUFFER_BEGIN,
                                            .flags = 4 /* may be submitted while it runs */};
    if (r == VK_SUCCESS)
        r = d->fn.BeginCommandBuffer(g->commands, &begin);
    if (r != VK_SUCCESS) {
        vk_graph_free(g);
        return vk_error(r);
    }
    pthread_mutex_lock(&q->lock);
    g->stages_before = q->stages;
    q->stages = VK_PIPELINE_COMPUTE | VK_PIPELINE_TRANSFER; /* whatever it will come behind */
    q->graph = g;
    pthread_mutex_unlock(&q->lock);
    return TERN_OK;
}

enum tern_error vk_capture_end(struct dev_queue *q, struct dev_graph **out)
{
    struct dev *d = q->dev;
    pthread_mutex_lock(&q->lock);
    struct dev_graph *g = q->graph;
    q->graph = NULL;
    q->stages = g ? g->stages_before : q->stages;
    pthread_mutex_unlock(&q->lock);
    if (!g)
        return TERN_INVALID_HANDLE;
    struct vk_memory_barrier barrier = {.type = VK_TYPE_MEMORY_BARRIER,
                                        .from = VK_ACCESS_SHADER_WRITE | VK_ACCESS_TRANSFER_WRITE,
                                        .to = VK_ACCESS_HOST_READ | VK_ACCESS_HOST_WRITE};
    d->fn.CmdPipelineBarrier(g->commands, VK_PIPELINE_COMPUTE | VK_PIPELINE_TRANSFER,
                             VK_PIPELINE_HOST, 0, 1, &barrier, 0, NULL, 0, NULL);
    enum tern_error e = vk_error(d->fn.EndCommandBuffer(g->commands));
    if (!e && g->spoilt)
        e = TERN_UNSUPPORTED;
    if (e) {
        vk_graph_free(g);
        return e;
    }
    *out = g;
    return TERN_OK;
}

enum tern_error vk_graph_launch(struct dev_graph *g, struct dev_queue *q)
{
    pthread_mutex_lock(&q->lock);
    enum tern_error e = vk_flush(q, true);
    if (!e)
        e = vk_submit(q, VK_LANE_COMPUTE, g->commands);
    if (!e) {
        q->stages = VK_PIPELINE_COMPUTE | VK_PIPELINE_TRANSFER;
        g->launched = (struct vk_place){q, q->timeline, q->submitted};
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

/* Commands and parameters that a launch still reads stay until it is done. */
void vk_graph_free(struct dev_graph *g)
{
    struct dev *d = g->dev;
    vk_reach(d, &g->launched);
    if (g->pool && !vk_gone(d))
        d->fn.DestroyCommandPool(d->device, g->pool, NULL);
    for (size_t k = 0; k < g->nparams; k++)
        vk_free(d, g->params[k]);
    free(g->params);
    free(g);
}

/* Parameters that do not fit into push constants live as long as the graph. */
enum tern_error vk_graph_params(struct dev_graph *g, const void *params, uint32_t n,
                                uint64_t *address)
{
    struct dev *d = g->dev;
    struct dev_queue *q = NULL;
    dev_ptr *grown = realloc(g->params, (g->nparams + 1) * sizeof *grown);
    if (!grown)
        return TERN_OUT_OF_MEMORY;
    g->params = grown;
    enum tern_error e = vk_alloc(d, n, 256, "parameters of a graph", address);
    if (e)
        return e;
    g->params[g->nparams++] = *address;
    e = vk_queue_new(d, &q);
    if (!e)
        e = vk_copy_in(d, q, *address, params, n);
    if (q)
        vk_queue_free(q);
    return e;
}
