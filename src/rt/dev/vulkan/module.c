/* Modules and kernels: IR → SPIR-V → shader module → a pipeline for each block shape. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/dev/vulkan/vulkan_int.h"

void vk_unload(struct dev *d, struct dev_module *m)
{
    if (!m)
        return;
    const bool gone = vk_gone(d);
    if (!gone)
        d->fn.DeviceWaitIdle(d->device);
    for (struct dev_queue *q = d->queues; q; q = q->next)
        if (q->printed == m) {
            vk_queue_wait(q);
            q->printed = NULL;
            q->suspect = NULL;
        }
    for (size_t k = 0; k < m->nkernels; k++) {
        for (size_t n = 0; !gone && n < m->kernels[k].npipelines; n++)
            d->fn.DestroyPipeline(d->device, m->kernels[k].pipelines[n].pipeline, NULL);
        free(m->kernels[k].pipelines);
        free(m->kernels[k].name);
        free(m->kernels[k].display);
    }
    for (size_t k = 0; k < m->nsymbols; k++)
        free(m->symbols[k].name);
    if (m->shader && !gone)
        d->fn.DestroyShaderModule(d->device, m->shader, NULL);
    if (m->globals && d->host.check)
        check_forget(d->host.check, m->globals);
    if (m->globals)
        vk_free(d, m->globals);
    free(m->kernels);
    free(m->symbols);
    free(m->globals_copy);
    compile_free(&m->code);
    free(m);
}

/* Lays out the module's variables in one buffer, with their initial contents. */
static enum tern_error place_globals(struct dev *d, struct dev_module *m)
{
    struct map offsets;
    const struct ir_module *ir = m->code.module;
    m->globals_size = spirv_globals_layout(&m->code.arena, ir, &offsets);
    if (!m->globals_size)
        return TERN_OK;
    enum tern_error e = vk_alloc(d, m->globals_size, 256, "module variables", &m->globals);
    m->globals_copy = calloc(1, m->globals_size);
    size_t n = 0;
    ir_each_global (g, ir)
        n += g->space != IR_SPACE_SHARED;
    m->symbols = calloc(n, sizeof *m->symbols);
    if (e || !m->globals_copy || !m->symbols)
        return TERN_OUT_OF_MEMORY;
    ir_each_global (g, ir) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        uint64_t at = (uint64_t)(uintptr_t)map_get(&offsets, map_key(g)) - 1;
        if (g->init)
            memcpy(m->globals_copy + at, g->init, g->size);
        vec_each (struct ir_reloc, r, &g->relocs) {
            uint64_t address = 0;
            if (r->target->kind == IR_VALUE_FUNC)
                address = lower_func_number(r->target->u.func);
            else
                address = m->globals + (uint64_t)r->addend - 1 +
                          (uint64_t)(uintptr_t)map_get(&offsets, map_key(r->target->u.global));
            memcpy(m->globals_copy + at + r->offset, &address, sizeof address);
        }
        struct vk_symbol *s = &m->symbols[m->nsymbols];
        s->name = strdup(g->name);
        s->offset = at;
        s->size = g->size;
        if (!s->name)
            return TERN_OUT_OF_MEMORY;
        m->nsymbols++;
    }
    struct dev_queue *q;
    e = vk_queue_new(d, &q);
    if (!e) {
        e = vk_copy_in(d, q, m->globals, m->globals_copy, m->globals_size);
        vk_queue_free(q);
    }
    return e;
}

static void copy_diagnostics(const struct diag *from, struct diag *to)
{
    for (const struct diag_entry *d = from->first; d; d = d->next) {
        diag_add(to, d->severity, d->span, "%s", d->message);
        for (const struct diag_entry *n = d->notes; n; n = n->next)
            diag_note(to, n->span, "%s", n->message);
    }
}

/* TERN_VK_DUMP=FILE: what the last module that was loaded has become. */
static void dump(const struct sbuf *code)
{
    const char *path = setting_text(SETTING_VK_DUMP);
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (f) {
        fwrite(code->data, 1, code->len, f);
        fclose(f);
    }
}

static const char *display_name(const struct ir_module *ir, const char *name)
{
    const struct ir_func *f = ir_func_find(ir, name);
    return f && f->display ? f->display : name;
}

enum tern_error vk_load_with(struct dev *d, const struct ir_module *ir,
                             const struct spirv_features *features, struct diag *diag,
                             struct dev_module **out)
{
    struct dev_module *m = vk_gone(d) ? NULL : calloc(1, sizeof *m);
    if (!m)
        return vk_gone(d) ? TERN_DEVICE_LOST : TERN_OUT_OF_MEMORY;
    m->dev = d;
    m->sources = ir->sources;
    struct sbuf code;
    sbuf_init(&code, NULL);
    const struct spirv_options own = {.features = features};
    const struct back_options options = {.own = &own};
    enum tern_error e = compile_copy(&m->code, ir, 0);
    if (!e)
        e = vk_checked_code(d, &m->code);
    if (!e)
        e = compile_emit(&m->code, &back_spirv, &options, &code);
    if (e == TERN_COMPILE)
        copy_diagnostics(&m->code.diag, diag);
    else if (!e)
        dump(&code);
    if (!e)
        e = place_globals(d, m);
    if (!e && m->globals && d->host.check)
        check_tell(d->host.check, m->globals, m->globals_size, CHECK_VARIABLES,
                   "the module's variables");
    struct vk_shader_module_create create = {.type = VK_TYPE_SHADER_MODULE,
                                             .size = code.len,
                                             .code = (const uint32_t *)(const void *)code.data};
    if (!e)
        e = vk_error(d->fn.CreateShaderModule(d->device, &create, NULL, &m->shader));
    sbuf_free(&code);
    m->kernels = e ? NULL : calloc(m->code.kernels.len + 1, sizeof *m->kernels);
    for (size_t k = 0; !e && k < m->code.kernels.len; k++) {
        m->kernels[k] = (struct dev_kernel){.module = m, .info = m->code.kernels.data[k]};
        m->kernels[k].own = *(const struct spirv_kernel *)m->kernels[k].info.own;
        m->kernels[k].name = strdup(m->kernels[k].info.name);
        m->kernels[k].display = strdup(display_name(ir, m->kernels[k].info.name));
        if (!m->kernels[k].name || !m->kernels[k].display)
            e = TERN_OUT_OF_MEMORY;
        m->nkernels++;
    }
    if (e) {
        vk_unload(d, m);
        return e;
    }
    *out = m;
    return TERN_OK;
}

enum tern_error vk_load(struct dev *d, const struct ir_module *ir, struct diag *diag,
                        struct dev_module **out)
{
    vk_learn_matrices(d, ir);
    return vk_load_with(d, ir, &d->features, diag, out);
}

enum tern_error vk_kernel(struct dev_module *m, const char *name, struct dev_kernel **out)
{
    for (size_t k = 0; k < m->nkernels; k++)
        if (!strcmp(m->kernels[k].name, name)) {
            *out = &m->kernels[k];
            return TERN_OK;
        }
    return TERN_NOT_FOUND;
}

enum tern_error vk_global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size)
{
    for (size_t k = 0; k < m->nsymbols; k++)
        if (!strcmp(m->symbols[k].name, name)) {
            *out = m->globals + m->symbols[k].offset;
            *size = m->symbols[k].size;
            return TERN_OK;
        }
    return TERN_NOT_FOUND;
}

/* ---- launches ---- */

static enum tern_error pipeline_for(struct dev_kernel *k, const uint32_t block[3], uint32_t words,
                                    vk_handle *out)
{
    struct dev *d = k->module->dev;
    for (size_t n = 0; n < k->npipelines; n++)
        if (!memcmp(k->pipelines[n].block, block, 12) && k->pipelines[n].shared_words == words) {
            *out = k->pipelines[n].pipeline;
            return TERN_OK;
        }
    struct vk_pipeline *grown = realloc(k->pipelines, (k->npipelines + 1) * sizeof *grown);
    if (!grown)
        return TERN_OUT_OF_MEMORY;
    k->pipelines = grown;
    uint32_t constants[4] = {block[0], block[1], block[2], words};
    struct vk_spec_entry entries[4] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
    struct vk_spec_info spec = {4, entries, sizeof constants, constants};
    struct vk_required_subgroup_size subgroup = {.type = VK_TYPE_REQUIRED_SUBGROUP_SIZE,
                                                 .size = 32};
    bool fixed = d->features.subgroup_32, full = fixed && block[0] % 32 == 0;
    struct vk_compute_pipeline_create create = {
        .type = VK_TYPE_COMPUTE_PIPELINE,
        .stage = {.type = VK_TYPE_SHADER_STAGE,
                  .next = fixed ? &subgroup : NULL,
                  .flags = full ? VK_STAGE_FLAG_FULL_SUBGROUPS : 0,
                  .stage = VK_STAGE_COMPUTE,
                  .module = k->module->shader,
                  .entry = k->info.symbol,
                  .spec = &spec},
        .layout = d->layout,
        .base_index = -1};
    vk_handle pipeline = 0;
    vk_result r = d->fn.CreateComputePipelines(d->device, d->cache, 1, &create, NULL, &pipeline);
    if (r != VK_SUCCESS)
        return vk_error(r);
    struct vk_pipeline *p = &k->pipelines[k->npipelines++];
    *p = (struct vk_pipeline){{block[0], block[1], block[2]}, words, pipeline};
    *out = pipeline;
    return TERN_OK;
}

/* Workgroup memory of a launch: ours, static, dynamic, and the park. */
static uint64_t shared_bytes(const struct dev_kernel *k, const struct dev_launch *l)
{
    uint64_t n = SPIRV_SHARED_BASE + ((uint64_t)k->info.static_shared + 15) / 16 * 16 + l->shared;
    if (k->own.parks)
        n = (n + 15) / 16 * 16 + SPIRV_PARK_HEAD +
            (uint64_t)SPIRV_PARK_THREAD * l->block[0] * l->block[1] * l->block[2];
    return n;
}

static enum tern_error check_shape(struct dev *d, const struct dev_kernel *k,
                                   const struct dev_launch *l)
{
    const struct vk_limits *limits = &d->properties.limits;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    for (int n = 0; n < 3; n++)
        if (!l->grid[n] || !l->block[n] || l->block[n] > limits->max_group_size[n])
            return TERN_INVALID_LAUNCH;
    if (threads > limits->max_invocations || l->param_bytes != k->info.param_bytes)
        return TERN_INVALID_LAUNCH;
    if ((l->cooperative || k->info.uses & BACK_USES_GRIDSYNC) &&
        (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] > d->units)
        return TERN_COOPERATIVE_SIZE;
    if (shared_bytes(k, l) > limits->max_shared)
        return TERN_INVALID_LAUNCH;
    return TERN_OK;
}

/* Parameter blocks that do not fit into push constants travel in a ring beside the queue. */
static enum tern_error place_params(struct dev_queue *q, const struct dev_launch *l,
                                    uint64_t *address)
{
    uint32_t need = (l->param_bytes + 255) / 256 * 256;
    if (need > VK_ARENA_BYTES)
        return TERN_INVALID_LAUNCH;
    if (q->params_used + need > VK_ARENA_BYTES) {
        enum tern_error e = vk_queue_wait(q);
        if (e)
            return e;
    }
    memcpy(q->params.mapped + q->params_used, l->params, l->param_bytes);
    *address = q->params.address + q->params_used;
    q->params_used += need;
    return TERN_OK;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One dispatch for each part of the grid that the device takes at once. */
static void dispatch(struct dev *d, vk_command_buffer c, struct spirv_push *push,
                     uint32_t push_bytes)
{
    const uint32_t *limit = d->properties.limits.max_groups;
    for (uint64_t z = 0; z < push->grid[2]; z += limit[2])
        for (uint64_t y = 0; y < push->grid[1]; y += limit[1])
            for (uint64_t x = 0; x < push->grid[0]; x += limit[0]) {
                push->block_offset[0] = x;
                push->block_offset[1] = y;
                push->block_offset[2] = z;
                d->fn.CmdPushConstants(c, d->layout, VK_STAGE_COMPUTE, 0, push_bytes, push);
                d->fn.CmdDispatch(c, smaller(push->grid[0] - x, limit[0]),
                                  smaller(push->grid[1] - y, limit[1]),
                                  smaller(push->grid[2] - z, limit[2]));
                if (push->grid[0] - x <= limit[0])
                    break;
            }
}

static enum tern_error launch_at(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                                 const struct dev_launch *l, uint32_t depth);

static struct dev_kernel *numbered(const struct dev_module *m, uint32_t number)
{
    ir_each_func (f, m->code.module)
        for (size_t n = 0; lower_func_number(f) == number && n < m->nkernels; n++)
            if (!strcmp(m->kernels[n].name, f->name))
                return &m->kernels[n];
    return NULL;
}

/* What the kernel has launched runs now, before anything that comes behind it in the queue. */
static enum tern_error launch_children(struct dev *d, struct dev_queue *q, struct dev_module *m,
                                       uint32_t depth)
{
    enum tern_error e = vk_queue_wait(q);
    struct child *all = q->children;
    q->children = NULL;
    for (const struct child *c = all; c && !e; c = c->next) {
        struct dev_kernel *k = numbered(m, c->what.kernel);
        struct dev_launch l = child_launch(c);
        e = k ? launch_at(d, q, k, &l, depth + 1) : TERN_INVALID_LAUNCH;
    }
    children_free(all);
    return e;
}

static enum tern_error launch_at(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                                 const struct dev_launch *l, uint32_t depth)
{
    enum tern_error e = vk_gone(d) ? TERN_DEVICE_LOST : check_shape(d, k, l);
    if (e)
        return e;
    struct spirv_push push = {.globals = k->module->globals,
                              .output = q->output.address,
                              .grid = {l->grid[0], l->grid[1], l->grid[2]},
                              .dynamic_shared = l->shared};
    uint32_t words = (uint32_t)(shared_bytes(k, l) + 15) / 16 * 4;
    vk_handle pipeline = 0;
    vk_command_buffer c;
    struct vk_checking checking = {0};
    pthread_mutex_lock(&q->lock);
    pthread_mutex_lock(&d->lock);
    e = pipeline_for(k, l->block, words, &pipeline);
    push.launch = (uint32_t)++d->launches;
    pthread_mutex_unlock(&d->lock);
    bool inline_params = k->own.params_inline;
    if (q->graph) {
        q->graph->spoilt |= k->own.output;
    } else {
        if (!e && q->printed != k->module && q->printed)
            e = vk_queue_wait(q); /* output refers to one module's strings at a time */
        q->printed = k->module;
        q->suspects |= q->suspect && q->suspect != k;
        q->suspect = k;
    }
    if (!e && inline_params)
        memcpy(push.inline_params, l->params, l->param_bytes);
    else if (!e && q->graph)
        e = vk_graph_params(q->graph, l->params, l->param_bytes, &push.params);
    else if (!e)
        e = place_params(q, l, &push.params);
    if (!e && k->info.uses & BACK_USES_HEAP)
        e = vk_heap(d, q);
    if (!e && k->own.locks)
        e = vk_locks(d, q);
    if (k->info.uses & BACK_USES_LAUNCH)
        ((struct device_output *)q->output.mapped)->depth = depth;
    if (!e && d->host.check)
        e = vk_check_begin(q, k, l, &checking);
    if (!e)
        e = vk_record(q, VK_PIPELINE_COMPUTE, &c);
    if (!e) {
        q->shows |= k->own.output || checking.on;
        d->fn.CmdBindPipeline(c, 1 /* compute */, pipeline);
        dispatch(d, c, &push, sizeof push);
        vk_mark(q, c);
        e = vk_flush(q, false);
    }
    if (!e && l->timeout_ns && !q->graph) {
        uint64_t until = thread_nanoseconds() + l->timeout_ns;
        if (!q->deadline || until < q->deadline)
            q->deadline = until;
    }
    if (checking.on)
        e = vk_check_end(&checking, e);
    if (!e && k->info.uses & BACK_USES_LAUNCH && !q->graph)
        e = launch_children(d, q, k->module, depth);
    pthread_mutex_unlock(&q->lock);
    return e;
}

enum tern_error vk_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                          const struct dev_launch *l)
{
    return launch_at(d, q, k, l, 0);
}
