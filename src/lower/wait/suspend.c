/* Threads as functions that can be left and entered again: see lower.h.
 *
 * After lower_park a thread waits in one block only. There the values that live on are saved to its
 * frame and the function returns; when it is called again, it loads them and goes on after the
 * park. Allocas and parameters belong to the entry block, which both paths pass. */
#include "lower/lower_int.h"

_Static_assert(LOWER_FRAME_MASK == LOWER_FRAME_KIND + 4 &&
                   LOWER_FRAME_ARG_LOW == LOWER_FRAME_KIND + 8 &&
                   LOWER_FRAME_ARG_HIGH == LOWER_FRAME_KIND + 12 &&
                   LOWER_FRAME_HIGH == LOWER_FRAME_LOW + 4 && LOWER_FRAME_OK == LOWER_FRAME_LOW + 8,
               "a frame holds a slot and a result of device/gpu/park_warp.h");

struct suspend {
    struct arena *arena;
    struct ir_func *func;
    struct ir_module *module;
    struct ir_block *park, *resume;
    struct ir_value *frame; /* ptr.local: defined in the entry block */
    uint32_t bytes;
};

static struct ir_value *at(struct suspend *s, struct ir_builder *b, uint32_t offset)
{
    struct ir_value *args[] = {s->frame, ir_const(s->module, IR_I64, offset)};
    return ir_build2(b, IR_OP_ptradd, IR_PTR_TO(IR_SPACE_LOCAL), args[0], args[1]);
}

static uint32_t slot_for(struct suspend *s, ir_type t)
{
    uint32_t size = ir_class(ir_scalar(t)) == IR_CLASS_PTR ? 8 * ir_lanes(t) : ir_bytes(t);
    uint32_t align = size >= 16 ? 16 : size ? size : 1;
    while (align & (align - 1))
        align &= align - 1;
    s->bytes = (s->bytes + align - 1) / align * align;
    uint32_t offset = s->bytes;
    s->bytes += size;
    return offset;
}

static bool *reached_from(struct arena *a, struct ir_func *f, struct ir_block *from,
                          struct ir_block *not_through)
{
    bool *seen = arena_array(a, bool, f->nblocks);
    VEC(struct ir_block *) work = {0};
    vec_push(a, &work, from);
    while (work.len) {
        struct ir_block *b = vec_pop(&work);
        if (seen[b->id] || b == not_through)
            continue;
        seen[b->id] = true;
        for (uint32_t e = 0; e < b->last->nedges; e++)
            vec_push(a, &work, b->last->edges[e].to);
    }
    return seen;
}

uint32_t lower_suspend(struct arena *a, struct ir_func *f)
{
    struct suspend s = {.arena = a, .func = f, .module = f->module, .bytes = LOWER_FRAME_HEADER};
    s.park = lower_park(a, f, false);
    ir_cfg(f);
    struct ir_block *park = s.park;

    /* what lives on: the state, and values from blocks above the park that are used below it */
    VEC(struct ir_value *) live = {0};
    bool *seen = arena_array(a, bool, f->nvalues + 1);
    struct ir_block *wake = park->last->edges[1].to, *go = wake->last->edges[0].to;
    bool *reached = reached_from(a, f, go, park);
    ir_each_block (b, f) {
        if (!reached[b->id])
            continue;
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs + i->nedges; k++) {
                struct ir_edge *e = k < i->nargs ? NULL : &i->edges[k - i->nargs];
                for (uint32_t n = 0; n < (e ? e->nargs : 1); n++) {
                    struct ir_value *v = e ? e->args[n] : i->args[k];
                    struct ir_block *d = ir_def_block(v);
                    if (!d || seen[v->id] || !ir_dominates(d, park) ||
                        (d == f->first &&
                         (v->kind == IR_VALUE_PARAM || v->u.inst->op == IR_OP_alloca)))
                        continue;
                    seen[v->id] = true;
                    vec_push(a, &live, v);
                }
            }
        }
    }

    struct ir_block *start = lower_split_entry(f);
    struct ir_builder b = ir_builder_at_end(f->first);
    struct ir_func *get = ir_func_find(s.module, lower_call_names[LOWER_CALL_FRAME]);
    if (!get)
        get =
            ir_func_new(s.module, lower_call_names[LOWER_CALL_FRAME], IR_PTR_TO(IR_SPACE_LOCAL), 0);
    s.frame = ir_build_call(&b, get, NULL, 0);
    struct ir_value *state = ir_build_load(&b, IR_I32, s.frame, 4, 0);
    s.resume = ir_block_new(f, "resume");
    ir_build_condbr(&b, ir_build2(&b, IR_OP_eq, IR_I32, state, ir_const(s.module, IR_I32, 0)),
                    start, s.resume);

    /* leave: the call for the park's decision becomes stores and a return */
    struct ir_inst *call = park->first;
    b = ir_builder_before(call);
    ir_build_store(&b, s.frame, park->params.data[0], 4, 0);
    for (uint32_t k = 0; k < PARK_ARGS; k++)
        ir_build_store(&b, at(&s, &b, 4 + 4 * k), park->params.data[1 + k], 4, 0);
    struct ir_builder r = ir_builder_at_end(s.resume);
    struct map loaded;
    map_init(&loaded, a);
    for (size_t k = 0; k < live.len; k++) {
        struct ir_value *v = live.data[k], *now;
        if (ir_kind(v->type) == IR_TOKEN)
            continue;
        if (v == park->params.data[0]) {
            now = state;
        } else {
            uint32_t slot = slot_for(&s, v->type);
            ir_build_store(&b, at(&s, &b, slot), v, 0, 0);
            now = ir_build_load(&r, v->type, at(&s, &r, slot), 0, 0);
        }
        map_set(&loaded, map_key(v), now);
    }
    ir_build_br(&r, go, NULL, 0);
    ir_build_ret(&b, NULL);
    while (park->last->op != IR_OP_ret)
        ir_remove(park->last);
    lower_repair_from(a, f, s.resume, &loaded);
    return (s.bytes + 15) & ~15u;
}
