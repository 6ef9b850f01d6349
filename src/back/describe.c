/* What launchers in JavaScript are told about a module: the parts that WGSL and WebAssembly share.
 */
#include <string.h>
#include "back/back.h"
#include "base/json.h"

void back_describe(struct json_writer *j, uint64_t heap, uint32_t shared)
{
    json_object(j);
    json_key(j, "abi");
    json_int(j, 1);
    json_key(j, "heap");
    json_uint(j, heap);
    json_key(j, "shared");
    json_uint(j, shared);
}

void back_describe_globals(struct json_writer *j, const struct ir_module *m,
                           const struct map *offset, uint32_t base, back_more_fn *more, void *ctx)
{
    json_key(j, "globals");
    json_array(j);
    ir_each_global (g, m) {
        if (g->space == IR_SPACE_SHARED)
            continue;
        json_object(j);
        json_key(j, "name");
        json_str(j, g->name);
        json_key(j, "at");
        json_uint(j, base + (uintptr_t)map_get(offset, map_key(g)));
        json_key(j, "size");
        json_uint(j, g->size);
        if (more)
            more(ctx, j, g);
        json_end(j);
    }
    json_end(j);
}

void back_describe_kernel(struct json_writer *j, const struct ir_func *f, const char *entry)
{
    char buf[32];
    json_key(j, "name");
    json_str(j, f->name);
    json_key(j, "entry");
    json_str(j, entry);
    if (f->flags & IR_FUNC_UNORDERED) {
        json_key(j, "unordered");
        json_bool(j, true);
    }
    json_key(j, "bytes");
    json_uint(j, f->param_bytes);
    json_key(j, "params");
    json_array(j);
    for (size_t p = 0; p < f->params.len; p++) {
        const struct ir_param *param = &f->params.data[p];
        json_object(j);
        json_key(j, "name");
        json_str(j, param->name ? param->name : "");
        json_key(j, "type");
        json_str(j, ir_type_name(param->type, buf));
        json_key(j, "offset");
        json_uint(j, param->offset);
        if (param->byval_size) {
            json_key(j, "size");
            json_uint(j, param->byval_size);
        }
        json_end(j);
    }
    json_end(j);
}

uint8_t *back_initial(struct arena *a, const struct ir_global *g, const struct map *offset,
                      uint32_t base, back_number_fn *number, void *ctx)
{
    if (!g->init && !g->relocs.len)
        return NULL;
    uint8_t *bytes = arena_array(a, uint8_t, g->size);
    if (g->init)
        memcpy(bytes, g->init, g->size);
    for (size_t r = 0; r < g->relocs.len; r++) {
        const struct ir_reloc *at = &g->relocs.data[r];
        uint64_t v = (uint64_t)at->addend;
        if (at->target->kind == IR_VALUE_GLOBAL)
            v += base + (uintptr_t)map_get(offset, map_key(at->target->u.global));
        else
            v += number(ctx, at->target->u.func);
        for (unsigned k = 0; k < 8 && at->offset + k < g->size; k++)
            bytes[at->offset + k] = (uint8_t)(v >> 8 * k);
    }
    return bytes;
}
