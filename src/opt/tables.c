/* A local array that is only ever given constants, in one go, and read at indices that kept it out
 * of registers, becomes a constant of the module: no thread has to write it any more.
 *
 * What the source leaves unset may hold anything before that, the table as well; so it is enough
 * that no read stands between the writes, which are in one block. */
#include <string.h>
#include "opt/opt_int.h"

enum { MOST_BYTES = 65536 };

/* By value id: the alloca a pointer leads into. */
struct derived {
    struct ir_inst *alloca;
    uint64_t offset;
    bool anywhere; /* the offset is not known */
};

/* By the alloca's value id. */
struct table {
    uint8_t *bytes;         /* NULL: nothing was written yet */
    struct ir_block *where; /* the writes */
    bool refused, read, indexed;
};

struct finder {
    struct arena *a;
    struct derived *from;
    struct table *tables;
};

static const struct derived *pointer(const struct finder *w, const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT && w->from[v->id].alloca ? &w->from[v->id] : NULL;
}

/* Bytes that nobody changes; NULL: they are not known. */
static const uint8_t *constant_bytes(struct arena *a, struct ir_value *p, uint64_t n)
{
    const struct opt_place at = opt_place(p);
    const struct ir_global *g = at.base->kind == IR_VALUE_GLOBAL ? at.base->u.global : NULL;
    if (!g || !(g->flags & IR_GLOBAL_CONST) || g->flags & (IR_GLOBAL_EXPORT | IR_GLOBAL_EXTERN) ||
        g->relocs.len || at.offset < 0 || n > g->size || (uint64_t)at.offset > g->size - n)
        return NULL;
    return g->init ? g->init + at.offset : arena_array(a, uint8_t, n + 1);
}

/* The length of what a write of constants writes, and its bytes; 0: it is none. */
static uint64_t written(struct arena *a, const struct ir_inst *i, uint64_t most, uint8_t *out)
{
    uint64_t n = i->op == IR_OP_store      ? ir_bytes(i->type)
                 : ir_is_const(i->args[2]) ? i->args[2]->u.bits
                                           : 0;
    const uint8_t *bytes;
    if (n > most || i->flags & IR_VOLATILE)
        return 0;
    switch (i->op) {
    case IR_OP_store:
        if (!opt_is_plain(i) || !ir_is_const(i->args[1]) || ir_is_vector(i->type))
            return 0;
        for (uint64_t k = 0; k < n; k++)
            out[k] = (uint8_t)(i->args[1]->u.bits >> 8 * k);
        return n;
    case IR_OP_memset:
        if (!ir_is_const(i->args[1]))
            return 0;
        memset(out, (int)(i->args[1]->u.bits & 255), n);
        return n;
    case IR_OP_memcpy:
        bytes = constant_bytes(a, i->args[1], n);
        if (!bytes)
            return 0;
        memcpy(out, bytes, n);
        return n;
    default: return 0;
    }
}

static bool write_table(struct finder *w, struct table *t, const struct derived *d,
                        struct ir_inst *i)
{
    const uint64_t size = d->alloca->imm;
    if (t->read || (t->where && t->where != i->block) || d->anywhere || d->offset > size)
        return false;
    if (!t->bytes)
        t->bytes = arena_array(w->a, uint8_t, size + 1);
    t->where = i->block;
    return written(w->a, i, size - d->offset, t->bytes + d->offset) > 0;
}

static bool read_table(struct table *t, const struct derived *d, const struct ir_inst *i,
                       uint32_t k)
{
    const bool copies = i->op == IR_OP_memcpy && k == 1 && !(i->flags & IR_VOLATILE);
    if (!copies && !(i->op == IR_OP_load && opt_is_plain(i)))
        return false;
    t->read |= t->where == i->block;
    t->indexed |= d->anywhere;
    return true;
}

static void visit(struct finder *w, struct ir_inst *i)
{
    const bool moves =
        i->op == IR_OP_ptradd || (i->op == IR_OP_cvta && ir_space(i->type) == IR_SPACE_GENERIC);
    for (uint32_t k = 0; k < i->nargs; k++) {
        const struct derived *d = pointer(w, i->args[k]);
        if (!d)
            continue;
        struct table *t = &w->tables[d->alloca->results[0].id];
        const bool writes =
            (i->op == IR_OP_store || i->op == IR_OP_memset || i->op == IR_OP_memcpy) && k == 0;
        if (moves && k == 0) {
            struct derived *to = &w->from[i->results[0].id];
            *to = *d;
            if (i->op == IR_OP_ptradd && ir_is_const(i->args[1]))
                to->offset += i->args[1]->u.bits;
            else
                to->anywhere |= i->op == IR_OP_ptradd;
        } else if (!t->refused) {
            t->refused = writes ? !write_table(w, t, d, i) : !read_table(t, d, i, k);
        }
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
            const struct derived *d = pointer(w, i->edges[e].args[k]);
            if (d)
                w->tables[d->alloca->results[0].id].refused = true;
        }
}

static struct ir_global *global_of(struct ir_module *m, const struct ir_inst *alloca,
                                   const uint8_t *bytes)
{
    const uint64_t size = alloca->imm, h = hash_bytes(bytes, size, alloca->align);
    const char *name = NULL;
    struct ir_global *g = NULL;
    for (unsigned n = 0; !name || (g && memcmp(g->init, bytes, size) != 0); n++) {
        name = arena_printf(m->arena, "table.%016llx.%llu.%u", (unsigned long long)h,
                            (unsigned long long)size, n);
        g = ir_global_find(m, intern_z(m->names, name));
    }
    if (!g) {
        uint8_t *kept = arena_alloc(m->arena, size + 1);
        memcpy(kept, bytes, size);
        g = ir_global_new(m, name, IR_SPACE_GLOBAL, size, alloca->align, IR_GLOBAL_CONST);
        g->init = kept;
    }
    return g;
}

static bool is_table(const struct finder *w, const struct ir_inst *i)
{
    const struct table *t = i->op == IR_OP_alloca ? &w->tables[i->results[0].id] : NULL;
    return t && t->bytes && t->indexed && !t->refused;
}

/* Its writes go, its reads know that nobody writes. */
static void retype(const struct finder *w, struct ir_inst *i)
{
    const struct derived *to = i->nresults == 1 ? pointer(w, &i->results[0]) : NULL;
    const struct derived *d = i->nargs ? pointer(w, i->args[0]) : NULL;
    if (to && i->op == IR_OP_ptradd && is_table(w, to->alloca) &&
        ir_space(i->type) == IR_SPACE_LOCAL)
        i->type = i->results[0].type = IR_PTR_TO(IR_SPACE_GLOBAL);
    if (!d || !is_table(w, d->alloca))
        return;
    if (i->op == IR_OP_load)
        i->flags |= IR_INVARIANT;
    else if (i->op == IR_OP_store || i->op == IR_OP_memset || i->op == IR_OP_memcpy)
        ir_remove(i);
}

void opt_tables(struct arena *scratch, struct ir_func *f)
{
    bool found = false;
    ir_trim(f);
    ir_renumber(f);
    struct finder w = {.a = scratch,
                       .from = arena_array(scratch, struct derived, f->nvalues + 1),
                       .tables = arena_array(scratch, struct table, f->nvalues + 1)};
    struct ir_block **order = arena_array(scratch, struct ir_block *, f->nblocks + 1);
    ir_each_inst (i, f->first)
        if (i->op == IR_OP_alloca && i->flags & IR_UNSET && i->imm <= MOST_BYTES)
            found = (w.from[i->results[0].id].alloca = i) != NULL;
    if (!found)
        return;
    ir_each_block (b, f)
        order[b->rpo] = b;
    for (uint32_t n = 0; n < f->nblocks; n++)
        ir_each_inst (i, order[n])
            visit(&w, i);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            retype(&w, i);
    ir_each_inst (i, f->first)
        if (is_table(&w, i))
            i->results[0].forward =
                ir_global_value(global_of(f->module, i, w.tables[i->results[0].id].bytes));
    ir_replace_forwarded(f);
}
