/* Which values are alive where: read later on some path. By block and value id, in tables of bools.
 */
#include <string.h>
#include "lower/lower_int.h"

bool lower_live_set(bool *live, const struct ir_value *v, bool now)
{
    if ((v->kind != IR_VALUE_PARAM && v->kind != IR_VALUE_RESULT) || live[v->id] == now)
        return false;
    live[v->id] = now;
    return true;
}

void lower_live_out(const bool *in, const struct ir_block *b, bool *live)
{
    const size_t n = b->func->nvalues + 1;
    const struct ir_inst *t = ir_terminator(b);
    memset(live, 0, n * sizeof *live);
    for (uint32_t e = 0; t && e < t->nedges; e++) {
        for (size_t v = 0; v < n; v++)
            live[v] |= in[t->edges[e].to->id * n + v];
        for (uint32_t k = 0; k < t->edges[e].nargs; k++)
            lower_live_set(live, t->edges[e].args[k], true);
    }
}

bool *lower_live_in(struct arena *a, struct ir_func *f)
{
    const size_t n = f->nvalues + 1;
    if ((uint64_t)n * f->nblocks > UINT64_C(1) << 28)
        return NULL;
    bool *in = arena_array(a, bool, n * f->nblocks), *live = arena_array(a, bool, n);
    for (bool changed = true; changed;) {
        changed = false;
        for (struct ir_block *b = f->last; b; b = b->prev) {
            lower_live_out(in, b, live);
            for (const struct ir_inst *i = b->last; i; i = i->prev) {
                for (uint32_t k = 0; k < i->nresults; k++)
                    live[i->results[k].id] = false;
                for (uint32_t k = 0; k < i->nargs; k++)
                    lower_live_set(live, i->args[k], true);
            }
            for (size_t k = 0; k < b->params.len; k++)
                live[b->params.data[k]->id] = false;
            if (memcmp(live, in + b->id * n, n * sizeof *live)) {
                memcpy(in + b->id * n, live, n * sizeof *live);
                changed = true;
            }
        }
    }
    return in;
}
