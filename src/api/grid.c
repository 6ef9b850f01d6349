/* One grid over all devices of a context: tern_spread_grid.
 *
 * Each device has a copy of the arrays and runs parts of the grid on it, as tern_spread gives them
 * out; then what each of them changed is put together. A part is a range along the last axis that
 * has several blocks, and kernels see the whole grid: the source is compiled with a blockIdx and a
 * gridDim that know of parts. What cannot be put together runs on the first device alone: kernels
 * with atomic operations outside of a block's memory, and those that changed the same byte on two
 * devices. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "driver/pipeline.h"

static const char before[] =
    "__constant__ unsigned __tern_part[6];\n"
    "static __device__ __forceinline__ uint3 __tern_part_block()\n"
    "{\n"
    "    return make_uint3(blockIdx.x + __tern_part[0], blockIdx.y + __tern_part[1],\n"
    "                      blockIdx.z + __tern_part[2]);\n"
    "}\n"
    "static __device__ __forceinline__ dim3 __tern_part_grid()\n"
    "{\n"
    "    return dim3(__tern_part[3], __tern_part[4], __tern_part[5]);\n"
    "}\n"
    "#define blockIdx __tern_part_block()\n"
    "#define gridDim __tern_part_grid()\n"
    "#line 1 \"";

struct share { /* of a device */
    struct tern_module *module;
    struct tern_kernel *kernel;
    struct tern_buffer *
        *buffers; /* of each argument that is an array; its own or an earlier one's */
    uint64_t *addresses;
    void **args;
    uint64_t part_at; /* the variable __tern_part */
    bool ran;
};

struct grid_job {
    struct tern_context *context;
    struct tern_source source;
    const char *kernel;
    uint32_t grid[3];
    unsigned axis; /* that parts are ranges of */
    tern_dim block;
    uint32_t shared;
    const struct tern_argument *args;
    unsigned nargs;
    struct share shares[API_MAX_DEVICES];
};

/* ---- on a device ---- */

/* The argument before that has the same array; k: none. */
static unsigned same_array(const struct grid_job *j, unsigned k)
{
    unsigned n = 0;
    while (n < k && j->args[n].array != j->args[k].array)
        n++;
    return n;
}

static enum tern_error fill_arrays(const struct grid_job *j, struct share *s)
{
    enum tern_error e = TERN_OK;
    for (unsigned k = 0; k < j->nargs && !e; k++)
        if (j->args[k].array && same_array(j, k) == k)
            e = tern_buffer_write(s->buffers[k], 0, j->args[k].array, j->args[k].bytes);
    return e;
}

static enum tern_error make_share(const struct grid_job *j, struct tern_device *d, struct share *s)
{
    uint64_t bytes;
    s->buffers = calloc(j->nargs + 1, sizeof *s->buffers);
    s->addresses = calloc(j->nargs + 1, sizeof *s->addresses);
    s->args = calloc(j->nargs + 1, sizeof *s->args);
    if (!s->buffers || !s->addresses || !s->args)
        return TERN_OUT_OF_MEMORY;
    enum tern_error e = tern_module_new(d, &j->source, &s->module);
    if (!e)
        e = tern_module_kernel(s->module, j->kernel, &s->kernel);
    if (!e && s->kernel->rt->nparams != j->nargs) {
        context_message(j->context, "the kernel '%s' takes %u arguments, and %u are given",
                        j->kernel, (unsigned)s->kernel->rt->nparams, j->nargs);
        e = TERN_INVALID_ARGUMENT;
    }
    /* A kernel that does not ask where it is has no need of the variable. */
    if (!e && tern_module_variable(s->module, "__tern_part", &s->part_at, &bytes) != TERN_OK)
        s->part_at = 0;
    for (unsigned k = 0; k < j->nargs && !e; k++) {
        const struct tern_argument *a = &j->args[k];
        const unsigned same = a->array ? same_array(j, k) : k;
        if (!a->array) {
            s->args[k] = (void *)(uintptr_t)a->value; /* only read */
            continue;
        }
        e = same < k ? TERN_OK : tern_buffer_new(d, a->bytes, &s->buffers[k]);
        if (!e) {
            s->addresses[k] = tern_buffer_address(s->buffers[same]);
            s->args[k] = &s->addresses[k];
        }
    }
    return e ? e : fill_arrays(j, s);
}

static void free_share(struct share *s, unsigned nargs)
{
    for (unsigned k = 0; k < nargs && s->buffers; k++)
        tern_buffer_free(s->buffers[k]);
    tern_module_free(s->module);
    free(s->buffers);
    free(s->addresses);
    free(s->args);
    *s = (struct share){0};
}

/* Blocks [begin, end) of the axis. */
static enum tern_error run_part(void *user, tern_device *d, uint64_t begin, uint64_t end)
{
    struct grid_job *j = user;
    struct share *s = &j->shares[d->ordinal];
    uint32_t numbers[6] = {0, 0, 0, j->grid[0], j->grid[1], j->grid[2]},
             grid[3] = {j->grid[0], j->grid[1], j->grid[2]};
    enum tern_error e = s->module ? TERN_OK : make_share(j, d, s);
    numbers[j->axis] = (uint32_t)begin;
    grid[j->axis] = (uint32_t)(end - begin);
    if (!e && s->part_at) {
        const struct work w = {.kind = WORK_COPY,
                               .device = d,
                               .copy = {.to = {.device = d, .at = s->part_at},
                                        .from = {.at = (uint64_t)(uintptr_t)numbers},
                                        .width = sizeof numbers,
                                        .height = 1,
                                        .depth = 1}};
        e = work_submit(&d->own, &w);
    }
    if (!e)
        e = tern_launch(NULL, s->kernel, (tern_dim){grid[0], grid[1], grid[2]}, j->block, j->shared,
                        s->args);
    s->ran |= !e;
    const enum tern_error waited = tern_device_wait(d); /* so that its speed is known */
    return e ? e : waited;
}

/* ---- all of it on the first device ---- */

static enum tern_error run_alone(struct grid_job *j)
{
    struct tern_device *d;
    enum tern_error e = tern_context_device(j->context, 0, &d);
    struct share *s = &j->shares[0];
    if (!e && s->module)
        e = fill_arrays(j, s); /* parts have run on it */
    if (!e)
        e = run_part(j, d, 0, j->grid[j->axis]);
    for (unsigned k = 0; k < j->nargs && !e; k++)
        if (j->args[k].array && same_array(j, k) == k)
            e = tern_buffer_read(s->buffers[k], 0, j->args[k].array, j->args[k].bytes);
    return e;
}

/* ---- putting together ---- */

struct merge {
    uint8_t *whole, *one, *claimed; /* claimed: a bit a byte */
    bool clash;
};

static void take(struct merge *m, const uint8_t *was, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (m->one[i] == was[i])
            continue;
        m->clash |= m->claimed[i / 8] >> i % 8 & 1;
        m->claimed[i / 8] |= (uint8_t)(1 << i % 8);
        m->whole[i] = m->one[i];
    }
}

static enum tern_error merge_array(const struct grid_job *j, unsigned k, struct merge *m)
{
    const uint64_t n = j->args[k].bytes;
    enum tern_error e = TERN_OK;
    m->whole = malloc(n + 1);
    m->one = malloc(n + 1);
    m->claimed = calloc(1, n / 8 + 1);
    if (!m->whole || !m->one || !m->claimed)
        return TERN_OUT_OF_MEMORY;
    memcpy(m->whole, j->args[k].array, n);
    for (unsigned d = 0; d < API_MAX_DEVICES && !e && !m->clash; d++) {
        if (!j->shares[d].ran)
            continue;
        e = tern_buffer_read(j->shares[d].buffers[k], 0, m->one, n);
        if (!e)
            take(m, j->args[k].array, n);
    }
    return e;
}

/* *clash: nothing was put together. */
static enum tern_error merge_all(const struct grid_job *j, bool *clash)
{
    struct merge *all = calloc(j->nargs + 1, sizeof *all);
    enum tern_error e = all ? TERN_OK : TERN_OUT_OF_MEMORY;
    *clash = false;
    for (unsigned k = 0; k < j->nargs && !e && !*clash; k++)
        if (j->args[k].array && same_array(j, k) == k) {
            e = merge_array(j, k, &all[k]);
            *clash = all[k].clash;
        }
    for (unsigned k = 0; k < j->nargs && all; k++) {
        if (!e && !*clash && all[k].whole)
            memcpy(j->args[k].array, all[k].whole, j->args[k].bytes);
        free(all[k].whole);
        free(all[k].one);
        free(all[k].claimed);
    }
    free(all);
    return e;
}

/* ---- the call ---- */

/* Whether parts can be told from each other; what does not compile is told of by the device. */
static bool can_be_spread(const struct grid_job *j)
{
    struct compilation c;
    const struct compile_options o = {
        .path = "module.cu",
        .names = j->source.names,
        .nnames = j->source.nnames,
        .mode = {.no_fmad = j->source.no_fmad, .fast_math = j->source.fast_math},
        .level = 2};
    const bool fits =
        !compile_source(&c, &o, j->source.text, j->source.length) && !compile_blocks_meet(c.module);
    compile_free(&c);
    return fits;
}

static bool overlap(const struct tern_argument *a, const struct tern_argument *b)
{
    const uintptr_t x = (uintptr_t)a->array, y = (uintptr_t)b->array;
    return a->array && b->array && (x != y || a->bytes != b->bytes) && x < y + b->bytes &&
           y < x + a->bytes;
}

static enum tern_error check_args(const struct grid_job *j)
{
    for (unsigned k = 0; k < j->nargs; k++) {
        if (!j->args[k].array == !j->args[k].value || (j->args[k].array && !j->args[k].bytes))
            return TERN_INVALID_ARGUMENT;
        for (unsigned n = 0; n < k; n++)
            if (overlap(&j->args[n], &j->args[k])) {
                context_message(j->context, "arguments %u and %u overlap", n, k);
                return TERN_INVALID_ARGUMENT;
            }
    }
    return TERN_OK;
}

static char *with_parts(const struct tern_source *s, size_t *length)
{
    const char *path = s->path ? s->path : "module.cu";
    const size_t n = s->length ? s->length : strlen(s->text);
    struct sbuf b;
    sbuf_init(&b, NULL);
    sbuf_printf(&b, "%s%s\"\n%.*s", before, path, (int)n, s->text);
    *length = b.len;
    return b.data;
}

enum tern_error tern_spread_grid(tern_context *c, const struct tern_source *s, const char *kernel,
                                 tern_dim grid, tern_dim block, uint32_t shared,
                                 const struct tern_argument *args, unsigned nargs)
{
    struct grid_job j = {.context = c,
                         .kernel = kernel,
                         .grid = {grid.x ? grid.x : 1, grid.y ? grid.y : 1, grid.z ? grid.z : 1},
                         .block = block,
                         .shared = shared,
                         .args = args,
                         .nargs = nargs};
    bool clash = false;
    if (!s->text || !kernel || s->length > INT32_MAX)
        return TERN_INVALID_ARGUMENT;
    enum tern_error e = check_args(&j);
    if (e)
        return e;
    if (rt_is_ptx(s->text, s->length ? s->length : strlen(s->text))) {
        context_message(c, "a grid is spread from CUDA C++ only");
        return TERN_UNSUPPORTED;
    }
    j.axis = j.grid[2] > 1 ? 2 : j.grid[1] > 1 ? 1 : 0;
    j.source = *s;
    j.source.path = "module.cu";
    j.source.text = with_parts(s, &j.source.length);
    if (!j.source.text)
        return TERN_OUT_OF_MEMORY;
    if (c->ndevices == 1 || j.grid[j.axis] == 1 || !can_be_spread(&j)) {
        e = run_alone(&j);
    } else {
        e = tern_spread(c, j.grid[j.axis], 1, run_part, &j);
        e = e ? e : merge_all(&j, &clash);
        e = e || !clash ? e : run_alone(&j);
    }
    for (unsigned d = 0; d < API_MAX_DEVICES; d++)
        free_share(&j.shares[d], nargs);
    free((char *)(uintptr_t)j.source.text);
    return e;
}
